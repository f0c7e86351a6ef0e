//! Tests search results, their reasons and their order.

use proptest::prelude::*;
use skillc_catalog::{Catalog, Hit, Query, Reason, Scope, SearchResults, search};

use crate::support::{World, configure, described, entry, in_memory_catalog};

fn query(text: &str) -> Query {
    Query {
        text: text.into(),
        ..Query::default()
    }
}

fn found(catalog: &Catalog, text: &str) -> SearchResults {
    search(catalog, &query(text)).expect("a result")
}

/// Returns the names of hits, with their reasons and scores.
fn hits(catalog: &Catalog, text: &str) -> Vec<(String, Reason, u32)> {
    let hits = found(catalog, text).results.into_iter();
    hits.map(|hit| (hit.name, hit.reason, hit.score)).collect()
}

fn names(found: &SearchResults) -> Vec<&str> {
    found.results.iter().map(|hit| hit.name.as_str()).collect()
}

fn three() -> Catalog {
    in_memory_catalog(vec![
        entry("notes", "How to review a pull request.", Scope::Repo),
        entry("review-all", "Everything.", Scope::Repo),
        entry("review", "Looks at code.", Scope::User),
    ])
}

/// CAT-SEARCH.1, CAT-SEARCH.2.
#[test]
fn the_tiers_are_path_name_prefix_and_words() {
    let found = hits(&three(), "review");
    assert_eq!(found[0], ("review".to_owned(), Reason::ExactName, 900));
    assert_eq!(found[1], ("review-all".to_owned(), Reason::Prefix, 700));
    let (name, reason, score) = &found[2];
    assert_eq!((name.as_str(), reason), ("notes", &Reason::TokenOverlap));
    assert!((100..700).contains(score), "{score}");
    let by_path = hits(&three(), "/user/review/SKILL.md");
    assert_eq!(by_path[0], ("review".to_owned(), Reason::ExactPath, 1_000));
}

/// CAT-SEARCH.3: in Chinese, Japanese and Korean, a query matches the same characters in the same order, without spaces
/// between words.
#[test]
fn words_of_chinese_japanese_and_korean_are_found() {
    let catalog = in_memory_catalog(vec![
        entry(
            "feature",
            "创建功能、构建组件。Use for UI设计.",
            Scope::Repo,
        ),
        entry("review", "コードレビューを行う", Scope::Repo),
        entry("minutes", "회의를 정리한다", Scope::Repo),
    ]);
    for (text, name) in [
        ("功能", "feature"),
        ("能", "feature"),
        ("设计", "feature"),
        ("ui", "feature"),
        ("レビュー", "review"),
        ("회의", "minutes"),
    ] {
        assert_eq!(names(&found(&catalog, text)), [name], "{text}");
    }
    assert!(found(&catalog, "能功").results.is_empty());
}

/// CAT-SEARCH.2: a prefix match ranks above word matches, regardless of the number of matching words.
#[test]
fn word_matches_never_rank_above_a_prefix_match() {
    let words: Vec<String> = (0..100).map(|number| format!("w{number}")).collect();
    let words = words.join(" ");
    let catalog = in_memory_catalog(vec![
        entry("a", &words, Scope::Repo),
        entry("b", "w1 w1 w1 w2", Scope::Repo),
    ]);
    let found = hits(&catalog, &words);
    let [(first, _, most), (second, _, least)] = &found[..] else {
        panic!("{found:?}");
    };
    assert_eq!([first, second], ["a", "b"]);
    assert!(100 <= *least && least < most && *most < 700, "{found:?}");
}

/// CAT-SEARCH.3.
#[test]
fn whole_words_match_in_name_and_description() {
    let catalog = in_memory_catalog(vec![
        entry("make-notes", "Draft release notes, v2.", Scope::Repo),
        entry("release", "Cuts.", Scope::Repo),
    ]);
    let count = |text: &str| found(&catalog, text).count;
    assert_eq!(count("release"), 2);
    assert_eq!(hits(&catalog, "rele")[0].1, Reason::Prefix);
    assert_eq!(count("rele"), 1);
    for text in ["notes", "notes; NOTES", "draft_v2", "make draft"] {
        assert_eq!(names(&found(&catalog, text)), ["make-notes"], "{text}");
    }
    assert_eq!(count("raft"), 0);
    assert_eq!(count("..."), 0);
}

/// CAT-SEARCH.3, CAT-SEARCH.4: letters of any script match in any case.
#[test]
fn letters_of_any_script_are_letters() {
    let catalog = in_memory_catalog(vec![entry("a", "Größe ÄNDERN, 日本語", Scope::Repo)]);
    for text in ["größe", "GRÖSSE ändern", "日本語", "Ändern"] {
        assert_eq!(found(&catalog, text).count, 1, "{text}");
    }
}

/// CAT-SEARCH.4.
#[test]
fn case_blanks_and_a_dollar_sign_are_ignored() {
    for text in ["$Review", "  review ", " $REVIEW\n", "Review"] {
        assert_eq!(hits(&three(), text)[0].1, Reason::ExactName, "{text:?}");
    }
    let path = hits(&three(), "/USER/review");
    assert_eq!(path[0].1, Reason::ExactPath);
    // Only one leading `$` is removed.
    assert_eq!(hits(&three(), "$$review")[0].1, Reason::TokenOverlap);
}

/// CAT-SEARCH.5.
#[test]
fn a_path_may_be_relative_and_name_the_directory() {
    let world = World::new().working_in("sub");
    let file = described(world.repo.join(".agents/skills/x"), "Does.");
    let catalog = world.catalog();
    let file = file.to_str().unwrap();
    let dir = file.strip_suffix("/SKILL.md").unwrap();
    for text in [
        file,
        dir,
        &format!("{dir}/"),
        "../.agents/skills/x/SKILL.md",
        "../.agents/skills/x",
        "./../.agents/./skills/x/",
    ] {
        assert_eq!(hits(&catalog, text)[0].1, Reason::ExactPath, "{text}");
    }
    assert!(hits(&catalog, "../.agents/skills").is_empty());
}

/// CAT-SEARCH.6.
#[test]
fn equal_hits_are_ordered_by_scope_and_path() {
    let catalog = in_memory_catalog(vec![
        entry("b", "equal words", Scope::Repo),
        entry("c", "equal words", Scope::Repo),
        entry("a", "equal words", Scope::User),
        entry("d", "equal", Scope::Repo),
    ]);
    let found = found(&catalog, "equal words");
    assert_eq!(names(&found), ["b", "c", "a", "d"]);
}

/// CAT-SEARCH.7.
#[test]
fn the_limit_has_a_default_and_a_maximum() {
    let skills = (0..60).map(|number| entry(&format!("s{number}"), "word", Scope::Repo));
    let mut catalog = in_memory_catalog(skills.collect());
    let with = |catalog: &Catalog, limit| {
        let query = Query {
            limit,
            ..query("word")
        };
        search(catalog, &query).map(|found| (found.count, found.truncated))
    };
    assert_eq!(with(&catalog, None), Ok((8, true)));
    assert_eq!(with(&catalog, Some(999)), Ok((50, true)));
    assert_eq!(with(&catalog, Some(1)), Ok((1, true)));
    let error = with(&catalog, Some(0)).unwrap_err();
    assert_eq!(error.code(), "E100");
    catalog.settings.search.max_limit = 100;
    assert_eq!(with(&catalog, Some(60)), Ok((60, false)));
}

/// CAT-SEARCH.8.
#[test]
fn a_scope_excludes_the_other() {
    let of = |scope| {
        let scope = Some(scope);
        let query = Query {
            scope,
            ..query("review")
        };
        let found = search(&three(), &query).unwrap();
        names(&found).join(" ")
    };
    assert_eq!(of(Scope::User), "review");
    assert_eq!(of(Scope::Repo), "review-all notes");
    assert!(serde_json::from_str::<Scope>("\"global\"").is_err());
}

/// CAT-SEARCH.9.
#[test]
fn a_result_has_a_count_and_says_if_there_are_more() {
    let query = Query {
        limit: Some(2),
        ..query("review")
    };
    let found = search(&three(), &query).unwrap();
    let json = serde_json::to_value(&found).unwrap();
    let hit = |name: &str, description: &str, scope: &str, reason: &str, score: u32| {
        serde_json::json!({
            "id": "0123456789abcdef", "name": name, "description": description,
            "path": format!("/{scope}/{name}/SKILL.md"), "scope": scope, "reason": reason, "score": score,
        })
    };
    let expected = serde_json::json!({
        "query": "review", "count": 2, "truncated": true, "confident": true, "results": [
            hit("review", "Looks at code.", "user", "exact_name", 900),
            hit("review-all", "Everything.", "repo", "prefix", 700),
        ],
    });
    assert_eq!(json, expected);
}

/// CAT-SEARCH.10.
#[test]
fn no_matches_is_an_empty_list() {
    let found = found(&three(), "zzz");
    assert_eq!((found.count, found.truncated), (0, false));
    assert!(found.results.is_empty());
}

/// CAT-SEARCH.11.
#[test]
fn a_whole_word_matches_in_name_or_description() {
    let world = World::new();
    for (name, description) in [
        ("release-notes", "Writes notes."),
        ("ship", "Prepares a RELEASE of the product."),
        ("test", "Runs tests before releases."),
        ("lease", "Has nothing to do with it."),
    ] {
        described(world.repo.join(".agents/skills").join(name), description);
    }
    let found = found(&world.catalog(), "release");
    assert_eq!(names(&found), ["release-notes", "ship", "test"]);
}

/// CAT-SEARCH.12, CAT-PERM.5.
#[test]
fn disabled_and_denied_skills_are_not_found() {
    let world = World::new();
    for name in ["on", "off", "never"] {
        described(world.repo.join(".agents/skills").join(name), "word");
    }
    let text = "[[skills.override]]\nname = \"off\"\nenabled = false\n\
                [permissions]\ndeny = [{ tool = \"skill_load\", skill_name = \"never\" }]\n";
    configure(&world.repo, text);
    let catalog = world.catalog();
    assert_eq!(names(&found(&catalog, "word")), ["on"]);
    for gone in ["off", "never", ".agents/skills/never/SKILL.md"] {
        assert_eq!(found(&catalog, gone).count, 0, "{gone}");
    }
    // The skills remain in the catalog for users.
    assert_eq!(catalog.skills().len(), 3);
    assert!(!catalog.named("off")[0].enabled);
}

/// CAT-SEARCH.13.
#[test]
fn a_search_changes_nothing_on_disk() {
    let world = World::new();
    described(world.repo.join(".agents/skills/x"), "word");
    let tree = |world: &World| {
        let skill = skillc_core::SourceTree::read(&world.base).unwrap();
        let files = skill.entries.into_iter();
        files
            .map(|file| (file.path, file.stamp))
            .collect::<Vec<_>>()
    };
    let before = tree(&world);
    found(&world.catalog(), "word");
    assert_eq!(tree(&world), before);
    assert!(!world.home.join(".skillc").exists());
}

/// CAT-CONF.1. Blank queries are refused too.
#[test]
fn invalid_searches_are_refused() {
    let code = |catalog: &Catalog, text: &str| search(catalog, &query(text)).unwrap_err().code();
    let mut catalog = three();
    for blank in ["", "  ", "$", " $ "] {
        assert_eq!(code(&catalog, blank), "E004", "{blank:?}");
    }
    catalog.settings.enabled = false;
    assert_eq!(code(&catalog, "review"), "E065");
}

fn skills() -> impl Strategy<Value = Vec<(String, String, bool)>> {
    let name = "[ab]{1,2}(-[ab]{1,2})?";
    let description = "([abAB]{1,2}[ ,-]){0,5}[aé日]";
    prop::collection::vec((name, description, any::<bool>()), 0..12)
}

proptest! {
    /// CAT-SEARCH.1, CAT-SEARCH.2, CAT-SEARCH.6: for any query, tiers are in order, and hits are ordered within each
    /// tier.
    #[test]
    fn tiers_are_strictly_ordered(skills in skills(), text in "[$ ]?[abAB]{1,2}([ -][abé]{1,2}){0,3}", limit in 1_usize..6) {
        let entries = skills.iter().enumerate().map(|(at, (name, description, is_repo))| {
            let mut made = entry(name, description, if *is_repo { Scope::Repo } else { Scope::User });
            made.path = format!("/{at}/{name}/SKILL.md");
            made
        });
        let mut catalog = in_memory_catalog(entries.collect());
        catalog.settings.search.max_limit = 100;
        let all = search(&catalog, &Query { limit: Some(100), ..query(&text) }).unwrap();
        let fits = |hit: &Hit| match hit.reason {
            Reason::ExactPath => hit.score == 1_000,
            Reason::ExactName => hit.score == 900,
            Reason::Prefix => hit.score == 700,
            Reason::TokenOverlap | Reason::SimilarMeaning => (100..=699).contains(&hit.score),
        };
        prop_assert!(all.results.iter().all(fits));
        prop_assert!(all.results.is_sorted_by_key(|hit| hit.reason));
        let key = |hit: &Hit| (std::cmp::Reverse(hit.score), hit.scope, hit.path.clone());
        prop_assert!(all.results.is_sorted_by_key(key));
        // Each skill occurs at most once, and a smaller limit returns the first of the same results.
        let mut paths: Vec<&str> = all.results.iter().map(|hit| hit.path.as_str()).collect();
        paths.sort_unstable();
        paths.dedup();
        prop_assert_eq!(paths.len(), all.count);
        let few = search(&catalog, &Query { limit: Some(limit), ..query(&text) }).unwrap();
        prop_assert_eq!(&few.results[..], &all.results[..all.count.min(limit)]);
        prop_assert_eq!(few.truncated, all.count > limit);
    }

    #[test]
    fn arbitrary_text_is_searched_or_refused(text in "\\PC{0,30}|[\0-\u{1f}$/.~ ]{0,9}") {
        let refused = search(&three(), &query(&text)).err();
        prop_assert!(refused.is_none_or(|error| error.code() == "E004"));
    }
}
