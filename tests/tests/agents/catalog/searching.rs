//! `skc catalog search` and `list`.

use std::fs;

use skillc_tests::World;

use crate::catalog::support::{
    configure, configure_user, json, names, skc, skill, text, user_skill,
};

/// CAT-SEARCH.7.
#[test]
fn a_search_has_eight_results_by_default_and_at_most_fifty() {
    let world = World::project();
    for number in 0..60 {
        skill(&world, &format!("skill-{number:02}"), "Common word");
    }
    let count = |args: &[&str]| json(&world, args)["count"].as_u64().expect("a number");
    assert_eq!(count(&["search", "common"]), 8);
    let all = json(&world, &["search", "common", "--limit", "999"]);
    assert_eq!(
        (&all["count"], &all["truncated"]),
        (&50.into(), &true.into())
    );
    for limit in ["0", "-1", "1.5", "many"] {
        skc(&world, &["catalog", "search", "common", "--limit", limit]).code("E100");
    }
    configure(
        &world,
        "version = 1\n[skills.search]\ndefault_limit = 3\nmax_limit = 5\n",
    );
    assert_eq!(count(&["search", "common"]), 3);
    assert_eq!(count(&["search", "common", "--limit", "50"]), 5);
}

/// CAT-SEARCH.8.
#[test]
fn search_and_list_can_be_limited_to_a_scope_by_either_name() {
    let world = World::project();
    skill(&world, "of-project", "Common word");
    user_skill(&world, "of-user", "Common word");
    for (scope, expected) in [
        ("repo", "of-project"),
        ("project", "of-project"),
        ("user", "of-user"),
        ("global", "of-user"),
    ] {
        let found = json(&world, &["search", "common", "--scope", scope]);
        assert_eq!(names(&found["results"]), [expected], "{scope}");
        let list = json(&world, &["list", "--scope", scope]);
        assert_eq!(names(&list["skills"]), [expected], "{scope}");
    }
    for scope in ["admin", "Repo", ""] {
        skc(&world, &["catalog", "search", "common", "--scope", scope]).code("E100");
    }
}

#[test]
fn a_list_shows_disabled_and_invalid_skills() {
    let world = World::project();
    skill(&world, "good", "Fine");
    skill(&world, "old", "Gone by");
    skill(&world, "danger", "Bad");
    let bad = world.cwd.join(".agents/skills/broken");
    fs::create_dir_all(&bad).expect("a directory");
    fs::write(bad.join("SKILL.md"), "no frontmatter").expect("a file");
    configure(
        &world,
        "version = 1\n[[skills.override]]\nname = \"old\"\nenabled = false\n\
         [permissions]\ndeny = [{ tool = \"skill_load\", skill_name = \"danger\" }]\n",
    );
    let list = skc(&world, &["catalog", "list"]).success();
    let lines: Vec<&str> = list.text().lines().collect();
    assert_eq!(
        lines[..4],
        [
            "NAME    SCOPE  STATE      DESCRIPTION",
            "danger  repo   denied     Bad",
            "good    repo   enabled    Fine",
            "old     repo   disabled   Gone by",
        ]
    );
    assert_eq!(lines[5], "1 error:");
    assert!(lines[6].ends_with("broken/SKILL.md"), "{lines:?}");
    let data = json(&world, &["list"]);
    assert_eq!(data["skills"][2]["enabled"], false);
    assert_eq!(data["errors"].as_array().map(Vec::len), Some(1));
    // Disabled and denied skills are not offered.
    let found = json(&world, &["search", "bad gone fine"]);
    assert_eq!(names(&found["results"]), ["good"]);
}

#[test]
fn a_list_can_be_for_another_directory() {
    let world = World::new();
    let other = world.cwd.join("other");
    fs::create_dir_all(other.join(".git")).expect("a directory");
    let dir = other.join(".agents/skills/there");
    fs::create_dir_all(&dir).expect("a directory");
    fs::write(dir.join("SKILL.md"), text("there", "One")).expect("a file");
    assert_eq!(names(&json(&world, &["list"])["skills"]), [""; 0]);
    let list = json(&world, &["list", "--cwd", "other", "--reload"]);
    assert_eq!(names(&list["skills"]), ["there"]);
    for dir in ["nowhere", "other/.agents/skills/there/SKILL.md"] {
        skc(&world, &["catalog", "list", "--cwd", dir]).code("E100");
    }
}

/// CAT-CONF.1.
#[test]
fn if_skills_are_disabled_none_is_found_or_loaded() {
    let mut world = World::demo(&[]);
    skill(&world, "demo-two", "One");
    configure_user(&world, "version = 1\n[skills]\nenabled = false\n");
    assert_eq!(names(&json(&world, &["list"])["skills"]), [""; 0]);
    skc(&world, &["catalog", "search", "one"]).code("E065");
    skc(&world, &["catalog", "load", "demo"]).code("E065");
    assert_eq!(
        json(&world, &["context"])["content"],
        serde_json::Value::Null
    );
    assert_eq!(skc(&world, &["catalog", "context"]).success().text(), "");
    assert_eq!(json(&world, &["inspect"])["skills"]["enabled"], false);
    // Commands for authors still work.
    skc(&world, &["build", "demo"]).success();
    skc(&world, &["show", "demo", "--section", "Demo"]).success();
    world.set("SKILLC_SKILLS_ENABLED", "1");
    assert_eq!(
        names(&json(&world, &["search", "one"])["results"]),
        ["demo-two"]
    );
}

#[test]
fn inspect_shows_limits_and_rules() {
    let world = World::project();
    skill(&world, "demo", "One");
    let data = json(&world, &["inspect"]);
    let limits = &data["skills"]["limits"];
    assert_eq!(limits["initial"]["max_entries"], 200);
    assert_eq!(limits["initial"]["max_bytes"], 32_768);
    assert_eq!(limits["search"]["default_limit"], 8);
    assert_eq!(limits["search"]["max_limit"], 50);
    assert_eq!(data["skills"]["injected"]["entries"], 1);
    let text = skc(&world, &["catalog", "inspect"]).success();
    assert!(
        text.text()
            .contains("search  default_limit 8, max_limit 50")
    );
}

#[test]
fn context_prints_the_injected_block_verbatim() {
    let world = World::project();
    skill(&world, "demo", "Say <hello> & more");
    let block = skc(&world, &["catalog", "context"]).success();
    let block = block.text();
    assert!(block.starts_with("<skills_context>\n") && block.ends_with("</skills_context>\n"));
    assert!(block.contains("Say &lt;hello&gt; &amp; more"));
    assert!(!block.contains("BODY-OF-demo"));
}

/// R27: if no skill fits well, both the command line and the tool say so.
#[test]
fn a_search_says_whether_its_best_result_fits() {
    let world = World::project();
    skill(&world, "forms", "Fill in the form fields of a PDF document");
    skill(
        &world,
        "notes",
        "Write release notes from merged pull requests",
    );
    let fits = "please fill in the fields of this PDF form";
    let other = "a cake recipe for eight people, with chocolate, to write home about";
    for (query, is_confident) in [(fits, true), (other, false)] {
        assert_eq!(json(&world, &["search", query])["confident"], is_confident);
        let found = skc(&world, &["catalog", "search", query]).success();
        let is_said = found.text().starts_with("No skill fits this query well.");
        assert_ne!(is_said, is_confident, "{}", found.text());
    }
}
