//! Tests the ranking of skills by words, with several kinds of catalogs and queries.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use skillc_catalog::{Catalog, CatalogEntry, Query, Scope, SearchResults, search};

use crate::support::{World, entry, in_memory_catalog};

/// Skills whose descriptions are one sentence each.
const SKILLS: [(&str, &str); 10] = [
    ("pdf-forms", "Fill in the form fields of a PDF document."),
    (
        "release-notes",
        "Write release notes from merged pull requests.",
    ),
    ("sql-tuning", "Make slow SQL queries faster with indexes."),
    (
        "chart-maker",
        "Draw charts from the columns of a spreadsheet.",
    ),
    ("invoice-check", "Compare invoices with purchase orders."),
    (
        "log-triage",
        "Find the cause of an incident in server logs.",
    ),
    (
        "api-client",
        "Generate an HTTP client from an OpenAPI file.",
    ),
    ("photo-cleanup", "Remove the background of product photos."),
    (
        "meeting-minutes",
        "Summarize a meeting from its transcript.",
    ),
    (
        "k8s-rollout",
        "Roll out a Kubernetes deployment step by step.",
    ),
];

/// Queries that use other forms of a skill's words, each with the name of that skill.
const QUERIES: [(&str, &str); 8] = [
    (
        "I have a PDF here, please complete the fields of that form",
        "pdf-forms",
    ),
    (
        "what should we announce about this release? look at the merge requests",
        "release-notes",
    ),
    ("our query is slow, would indexing help?", "sql-tuning"),
    ("can you chart these spreadsheets", "chart-maker"),
    ("does this invoice match what was ordered", "invoice-check"),
    (
        "the servers were down last night, triage the incident",
        "log-triage",
    ),
    (
        "summarise these transcripts of our meetings",
        "meeting-minutes",
    ),
    ("deploying to kubernetes gradually", "k8s-rollout"),
];

fn one_sentence() -> Vec<CatalogEntry> {
    let skills = SKILLS.iter();
    skills
        .map(|(name, description)| entry(name, description, Scope::Repo))
        .collect()
}

fn found(catalog: &Catalog, text: &str) -> SearchResults {
    let query = Query {
        text: text.into(),
        limit: Some(50),
        ..Query::default()
    };
    search(catalog, &query).expect("a result")
}

fn first(catalog: &Catalog, text: &str) -> String {
    let found = found(catalog, text);
    found
        .results
        .first()
        .map(|hit| hit.name.clone())
        .unwrap_or_default()
}

/// Writes a skill of the project.
fn skill(world: &World, name: &str, description: &str, text: &str) -> PathBuf {
    let dir = world.repo.join(".agents/skills").join(name);
    fs::create_dir_all(&dir).expect("a directory");
    let file = dir.join("SKILL.md");
    fs::write(
        &file,
        format!("---\nname: {name}\ndescription: {description}\n---\n{text}"),
    )
    .expect("a file");
    file
}

/// R27.
#[test]
fn a_sentence_is_enough() {
    let catalog = in_memory_catalog(one_sentence());
    for (text, name) in QUERIES {
        assert_eq!(first(&catalog, text), name, "{text}");
    }
}

/// R27.
#[test]
fn texts_that_all_say_the_same_change_nothing() {
    let world = World::new();
    let text = "# Steps\n\nRead the form, the invoice and the logs. Query the release, chart the meeting.\n".repeat(40);
    for (name, description) in SKILLS {
        skill(&world, name, description, &text);
    }
    let catalog = world.catalog();
    for (text, name) in QUERIES {
        assert_eq!(first(&catalog, text), name, "{text}");
    }
}

/// R27.
#[test]
fn headings_and_text_find_a_skill_whose_description_does_not() {
    let world = World::new();
    skill(
        &world,
        "one",
        "Works with tables.",
        "# Parquet\n\nRead it.\n",
    );
    skill(
        &world,
        "two",
        "Works with trees.",
        "# Trees\n\n```sh\n# parquet\n```\n\nPrune the larches.\n",
    );
    let catalog = world.catalog();
    assert_eq!(first(&catalog, "parquet"), "one");
    assert_eq!(first(&catalog, "larch pruning"), "two");
}

/// R20, R27: a query may be a page of text that describes a task.
#[test]
fn a_long_query_is_as_good_as_its_best_words() {
    let catalog = in_memory_catalog(one_sentence());
    for kib in [5, 10, 60, 100, 1_000] {
        let mut page =
            "We met on Tuesday and talked about many things that have no bearing here.\n"
                .repeat(kib * 7);
        page.insert_str(
            1_000,
            "\nThe PDF form has empty fields: fill in the fields of the document.\n",
        );
        for number in 0..kib * 10 {
            write!(page, " ref{number}").expect("a string");
        }
        let found = found(&catalog, &page);
        assert_eq!(found.results[0].name, "pdf-forms", "{kib} KiB");
        assert!(found.query.len() < 2_000, "{kib} KiB");
    }
}

/// R27: two adjacent Chinese, Japanese or Korean characters form a word.
#[test]
fn chinese_japanese_and_korean_queries_are_ranked() {
    let catalog = in_memory_catalog(vec![
        entry(
            "daima-shencha",
            "审查代码改动，找出错误和安全问题。",
            Scope::Repo,
        ),
        entry(
            "danyuan-ceshi",
            "为函数编写单元测试，覆盖边界情况。",
            Scope::Repo,
        ),
        entry("fabu-shuoming", "根据合并的请求撰写发布说明。", Scope::Repo),
        entry("shuju-tubiao", "用表格数据绘制图表。", Scope::Repo),
        entry(
            "gijiroku",
            "会議の録音から議事録を作成します。",
            Scope::Repo,
        ),
        entry("honyaku", "技術文書を英語に翻訳します。", Scope::Repo),
        entry("yoyak", "긴 문서를 짧게 요약합니다.", Scope::Repo),
        entry("beonyeok", "한국어 문장을 영어로 번역합니다.", Scope::Repo),
    ]);
    for (text, name) in [
        ("帮我看看这段代码有没有安全问题", "daima-shencha"),
        ("给这个函数写几个单元测试", "danyuan-ceshi"),
        ("我们下周发布新版本，需要一份发布说明", "fabu-shuoming"),
        ("把这个表格画成图表", "shuju-tubiao"),
        ("昨日の会議の議事録をまとめて", "gijiroku"),
        ("この文書を英語に翻訳してください", "honyaku"),
        ("이 문서를 요약해 줘", "yoyak"),
        ("다음 문장을 영어로 번역해 줘", "beonyeok"),
    ] {
        let found = found(&catalog, text);
        assert_eq!(found.results[0].name, name, "{text}");
        assert!(found.confident, "{text}");
    }
    assert!(!found(&catalog, "今晚吃什么好呢，推荐一家附近的火锅店").confident);
}

/// R27.
#[test]
fn an_answer_says_whether_its_best_result_fits() {
    let catalog = in_memory_catalog(one_sentence());
    for (text, _) in QUERIES {
        assert!(found(&catalog, text).confident, "{text}");
    }
    for text in [
        "bake a chocolate cake for eight people, with a recipe from an old family book",
        "which birds sing before sunrise in the mountains in early spring, and why",
        "zzz",
        "the",
    ] {
        assert!(!found(&catalog, text).confident, "{text}");
    }
    // A match by path, name or prefix is always confident.
    for text in ["sql-tuning", "sql", "/repo/sql-tuning/SKILL.md"] {
        assert!(found(&catalog, text).confident, "{text}");
    }
}

/// R27: the catalog has more skills than the number of skills whose bodies are compared.
#[test]
fn among_thousands_the_best_are_compared_by_their_texts() {
    let mut skills: Vec<CatalogEntry> = (0..3_000)
        .map(|number| {
            entry(
                &format!("skill-{number}"),
                &format!("Handles case {number} of many."),
                Scope::User,
            )
        })
        .collect();
    skills.extend(one_sentence());
    let catalog = in_memory_catalog(skills);
    for (text, name) in QUERIES {
        assert_eq!(first(&catalog, text), name, "{text}");
    }
}

/// limits-catalog: neither earlier searches nor an earlier catalog change the results.
#[test]
fn what_was_searched_before_makes_no_difference() {
    let world = World::new();
    for (name, description) in SKILLS {
        skill(&world, name, description, "# Notes\n\nNothing yet.\n");
    }
    let before = world.catalog();
    for (text, _) in QUERIES {
        assert_eq!(
            found(&before, text),
            found(&world.catalog(), text),
            "{text}"
        );
    }
    let changed = skill(
        &world,
        "sql-tuning",
        SKILLS[2].1,
        "# Notes\n\nAbout glaciers, and the moraines they leave.\n",
    );
    skill(&world, "added", "About rivers.", "");
    fs::remove_dir_all(world.repo.join(".agents/skills/pdf-forms")).expect("a directory");
    let (after, fresh) = (world.catalog(), world.catalog());
    after.reuse_index(&before);
    for text in QUERIES
        .map(|(text, _)| text)
        .into_iter()
        .chain(["moraine", "rivers", "pdf"])
    {
        assert_eq!(found(&after, text), found(&fresh, text), "{text}");
    }
    assert_eq!(
        first(&after, "moraines"),
        "sql-tuning",
        "{}",
        changed.display()
    );
}

/// R27: a body that cannot be read is treated as empty.
#[cfg(unix)]
#[test]
fn unreadable_texts_count_as_empty() {
    use std::os::unix::fs::symlink;

    let world = World::new();
    let gone = skill(&world, "gone", "About rivers.", "# Glacier\n");
    let swapped = skill(&world, "swapped", "About lakes.", "# Glacier\n");
    let outside = skill(&world, "outside", "About seas.", "# Secret\n");
    skill(&world, "binary", "About ponds.", "\0\u{fffd}");
    let catalog = world.catalog();
    fs::remove_file(gone).expect("a file");
    fs::remove_file(&swapped).expect("a file");
    symlink(outside, swapped).expect("a link");
    assert_eq!(found(&catalog, "glacier").count, 0);
    let secret = found(&catalog, "secret");
    assert_eq!(secret.count, 1);
    assert_eq!(secret.results[0].name, "outside");
}

#[test]
fn no_query_is_a_problem() {
    let catalog = in_memory_catalog(one_sentence());
    let long = [
        "the ",
        "\"",
        "使用",
        "🦀 ",
        "a\u{301}",
        "((",
        "pdf ",
        "x",
        "\u{202e}ab ",
    ];
    for text in long.map(|unit| unit.repeat(100 << 10)) {
        found(&catalog, &text);
    }
    for text in [
        "\"unbalanced",
        "NEAR(pdf",
        "name:pdf",
        "the of and",
        "?!",
        "🦀",
        "пдф форма",
        "pdf\0form",
    ] {
        found(&catalog, text);
    }
    assert_eq!(first(&catalog, "\"unbalanced pdf"), "pdf-forms");
    assert!(
        found(&in_memory_catalog(Vec::new()), "pdf")
            .results
            .is_empty()
    );
    // A catalog with a single skill has no rare words.
    let one = in_memory_catalog(vec![entry("pdf-forms", "Fill in PDF forms.", Scope::Repo)]);
    assert!(found(&one, "fill in this pdf").confident);
}
