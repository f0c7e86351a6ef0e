//! The content of the page: the same numbers as the other formats.

use serde_json::Value;
use skillc_tests::World;

use crate::report::sample::{log_of, page, row, unused, used};
use crate::report::tags::{between, plain, rows, section, tags};

/// Runs the query with JSON output in another world with the same rows. In the same world, the query for the page would
/// be logged, and this query would count it.
fn json(group_by: &str) -> Value {
    let args = ["stats", "demo", "-o", "json", "--group-by", group_by];
    used().skc(args).success().json()["data"].take()
}

/// Returns the name and count of each row of a table.
fn counts(page: &str, id: &str) -> Vec<(String, u64)> {
    let pair = |row: Vec<String>| (row[0].clone(), row[1].parse().expect("a number"));
    rows(section(page, id)).into_iter().map(pair).collect()
}

fn listed(data: &Value, name: impl Fn(&Value) -> String) -> Vec<(String, u64)> {
    let entries = data.as_array().expect("a list").iter();
    let pair = |entry: &Value| (name(entry), entry["count"].as_u64().expect("a number"));
    entries.map(pair).collect()
}

fn word(entry: &Value, key: &str) -> String {
    entry[key].as_str().expect("text").to_owned()
}

#[test]
fn totals_match_the_summary() {
    let page = page(&used(), &[]);
    let shown: Vec<u64> = between(section(&page, "totals"), "<dd>", "</dd>")
        .iter()
        .map(|number| number.parse().expect("a number"))
        .collect();
    let summary = json("summary");
    let keys = [
        "total_accesses",
        "unique_sections",
        "unique_files",
        "error_count",
    ];
    let expected = keys.map(|key| summary[key].as_u64().expect("a number"));
    assert_eq!(shown, expected);
    assert_eq!(expected, [245, 6, 3, 11]);
}

#[test]
fn lists_match_the_json_output() {
    let page = page(&used(), &[]);
    let query = |entry: &Value| word(entry, "query");
    assert_eq!(counts(&page, "searches"), listed(&json("search"), query));
    assert_eq!(
        counts(&page, "zero-results"),
        listed(&json("zero-results"), query)
    );
    assert_eq!(
        counts(&page, "sections"),
        listed(&json("sections"), |entry| {
            word(entry, "section") + word(entry, "file").as_str()
        })
    );
    assert_eq!(
        counts(&page, "errors"),
        listed(&json("errors"), |entry| {
            let asked = format!("{} {}", word(entry, "command"), word(entry, "target"));
            asked + word(entry, "error").as_str()
        })
    );
    let commands = counts(&page, "commands");
    let expected = json("commands");
    assert_eq!(
        commands.len(),
        expected.as_object().expect("an object").len()
    );
    assert!(
        commands
            .iter()
            .all(|(name, count)| expected[name] == *count)
    );
    assert_eq!(commands[0].0, "show");
}

#[test]
fn projects_match_the_json_output() {
    let world = used();
    let shown = counts(&page(&world, &[]), "projects");
    assert_eq!(shown.len(), 2);
    assert_eq!(shown[1], ("/home/ann/src/shop".to_owned(), 22));
    assert_eq!(shown[0].0, world.cwd.to_str().expect("UTF-8"));
}

#[test]
fn the_timeline_has_a_row_and_a_bar_for_each_day() {
    let page = page(&used(), &[]);
    let shown: Vec<Vec<String>> = rows(section(&page, "timeline"));
    let days = json("timeline");
    let days = days.as_array().expect("a list");
    assert_eq!(shown.len(), days.len());
    for (row, day) in shown.iter().zip(days) {
        assert_eq!(row[0], word(day, "date"));
        assert_eq!(row[1], day["count"].to_string());
        assert_eq!(row[2], day["error_count"].to_string());
    }
    let chart = between(section(&page, "timeline"), "<svg class=\"wide\"", "</svg>")[0];
    let titles = between(chart, "<title>", "</title>");
    let failed = shown.iter().filter(|row| row[2] != "0").count();
    assert_eq!(
        titles.len(),
        shown.len() + failed,
        "one segment per non-empty part"
    );
    assert!(titles.contains(&"2026-01-01: 18, 1 failed"), "{titles:?}");
}

#[test]
fn bar_lengths_are_proportional_to_counts() {
    let page = page(&used(), &[]);
    let chart = between(
        section(&page, "sections"),
        "<svg class=\"narrow\"",
        "</svg>",
    )[0];
    let widths: Vec<f64> = between(chart, "<rect ", ">")
        .iter()
        .map(|bar| {
            between(bar, " width=\"", "\"")[0]
                .parse()
                .expect("a length")
        })
        .collect();
    let counts: Vec<f64> = counts(&page, "sections")
        .iter()
        .map(|(_, count)| count.to_string().parse().expect("a number"))
        .collect();
    assert_eq!(widths.len(), counts.len());
    let scale = widths[0] / counts[0];
    for (width, count) in widths.iter().zip(counts) {
        assert!((width / count - scale).abs() < 0.1, "{width} {count}");
    }
}

#[test]
fn unread_sections_are_listed_with_their_files() {
    let page = page(&used(), &[]);
    let items = between(section(&page, "unused"), "<li>", "</li>");
    let items: Vec<String> = items.into_iter().map(plain).collect();
    assert_eq!(
        items,
        [
            "DemoSKILL.md",
            "Old namesreferences/legacy.md",
            "Limitsreferences/limits.md",
            "Sizesreferences/limits.md"
        ]
    );
}

#[test]
fn filters_apply_to_the_whole_page_and_are_named() {
    let world = used();
    let cwd = world.cwd.to_str().expect("UTF-8");
    let args = [
        "--since",
        "2026-01-20",
        "--until",
        "2026-01-22",
        "--project",
        ".",
    ];
    let page = page(&world, &args);
    let head = plain(page.split_once("<nav").expect("a list of parts").0);
    for fact in [
        "2026-01-20 .. 2026-01-22",
        "2026-01-20 00:00:00 UTC",
        "2026-01-22 00:00:00 UTC",
        cwd,
    ] {
        assert!(head.contains(fact), "{fact}: {head}");
    }
    let days: Vec<String> = rows(section(&page, "timeline"))
        .into_iter()
        .map(|row| row[0].clone())
        .collect();
    assert_eq!(days, ["2026-01-22"][..0], "{days:?}");
}

/// G-STATS.3.
#[test]
fn ages_are_in_words() {
    let page = page(&used(), &["--since", "7d"]);
    assert!(plain(&page).contains("last 7 days"));
    let days = rows(section(&page, "timeline"));
    assert_eq!(days.first().map(|row| row[0].as_str()), Some("2026-01-24"));
}

#[test]
fn an_unused_skill_has_a_page() {
    let page = page(&unused(), &[]);
    for (id, sentence) in [
        ("timeline", "No accesses were logged."),
        ("sections", "No sections were read."),
        ("searches", "No searches."),
        ("zero-results", "No searches without results."),
        ("errors", "No errors."),
        ("commands", "No commands were used."),
    ] {
        assert!(section(&page, id).contains(sentence), "{id}");
    }
    assert!(!page.contains("<svg"));
}

#[test]
fn all_skills_are_counted_together_and_named() {
    let world = used();
    world.project_skill("other", &[]);
    let args = ["stats", "--all", "--format", "html"];
    let page = world.skc(args).success().text().to_owned();
    assert!(page.contains("<h1><bdi>All skills</bdi></h1>"));
    let names: Vec<(String, u64)> = counts(&page, "skills");
    assert_eq!(names.len(), 2);
    assert!(names[0].0.starts_with("demo/") && names[1].0.starts_with("other/"));
    assert_eq!((names[0].1, names[1].1), (245, 0));
    let top = &rows(section(&page, "sections"))[0][0];
    assert_eq!(top, "Setupdemo · SKILL.md");
}

/// If the log and the time are the same, two pages differ only in the paths of their worlds.
#[test]
fn the_page_is_deterministic() {
    let make = || {
        let world = used();
        let page = page(&world, &[]);
        let root = world.cwd.parent().expect("a root").to_str().expect("UTF-8");
        page.replace(root, "[ROOT]")
    };
    let first = make();
    assert_eq!(first, make());
    assert!(
        first.contains("2026-01-31 08:15:00 UTC"),
        "the clock of the test"
    );
}

#[test]
fn uncounted_rows_are_mentioned_on_the_page() {
    let world = used();
    row(&world)
        .show("", "")
        .args("no JSON")
        .log_in(&log_of(&world));
    row(&world)
        .search("", 0)
        .args("[]")
        .failed("x")
        .log_in(&log_of(&world));
    let page = page(&world, &[]);
    let said = between(&page, "<aside aria-label=\"Warnings\">", "</aside>");
    assert_eq!(said.len(), 1);
    assert!(
        plain(said[0]).contains("warning[W027]: 2 malformed row(s)"),
        "{said:?}"
    );
}

#[test]
fn html_conflicts_with_group_by_and_prune() {
    let world = used();
    for args in [
        ["--group-by", "sections"],
        ["--prune", "--before=2026-01-01"],
    ] {
        let asked = ["stats", "demo", "--format", "html"];
        let output = world.skc_at(&world.cwd, &[&asked[..], &args].concat());
        output.error(
            "error[E100]: invalid option: '--format html cannot be used with --group-by or --prune'",
        );
    }
}

/// G-STATS.1: the content security policy allows one style sheet and nothing else.
#[test]
fn the_page_has_one_style_sheet_and_no_script() {
    let page = page(&used(), &[]);
    let tags = tags(&page);
    let policy = tags
        .iter()
        .find(|tag| tag.contains("Content-Security-Policy"));
    let policy = policy.expect("a policy");
    assert!(policy.contains("content=\"default-src 'none'; style-src 'sha256-"));
    assert!(!policy.contains("unsafe"));
    for tag in &tags {
        let name = tag.split(' ').next().unwrap_or_default();
        assert!(
            !matches!(
                name,
                "script" | "link" | "img" | "iframe" | "object" | "use" | "image"
            ),
            "{tag}"
        );
        for attribute in [" src=", " style=", " on", " href=\"h", " xlink"] {
            assert!(!tag.contains(attribute), "{tag}");
        }
    }
    assert_eq!(page.matches("<style>").count(), 1);
    assert!(!page.contains("url(") && !page.contains("@import"));
}

/// Colours come from the style sheet, so that charts follow dark mode.
#[test]
fn charts_have_no_inline_colours_or_fonts() {
    let page = page(&used(), &[]);
    let charts = between(&page, "<svg", "</svg>");
    assert_eq!(charts.len(), 6, "three charts for two widths");
    for chart in charts {
        for attribute in ["fill=\"#", "stroke=\"#", "rgb(", "font-family", "data-"] {
            assert!(!chart.contains(attribute), "{attribute}: {chart}");
        }
        assert!(chart.contains("var(--used)"));
    }
    for (at, width) in ["wide", "narrow"].into_iter().enumerate() {
        let found = page.matches(&format!("<svg class=\"{width}\"")).count();
        assert_eq!(found, 3, "{at}");
    }
}

/// Accessibility for screen readers: headings, tables and figures.
#[test]
fn headings_are_in_order_and_tables_are_labelled() {
    let world: World = used();
    let page = page(&world, &[]);
    let levels: Vec<&str> = tags(&page)
        .into_iter()
        .filter_map(|tag| tag.strip_prefix('h')?.get(..1))
        .filter(|level| level.chars().all(|c| c.is_ascii_digit()))
        .collect();
    assert_eq!(levels[0], "1");
    assert!(levels[1..].iter().all(|level| *level == "2"), "{levels:?}");
    for table in between(&page, "<table>", "</table>") {
        assert!(table.trim_start().starts_with("<caption>"), "{table}");
        assert!(table.contains("<th scope=\"col\">") && table.contains("<th scope=\"row\">"));
        assert!(!table.contains("<th>"));
    }
    for figure in between(&page, "<figure>", "</details>") {
        assert!(figure.contains("role=\"img\" aria-label=\""), "{figure}");
        assert!(
            figure.contains("<table>"),
            "a chart without its table: {figure}"
        );
    }
    for id in between(&page, "<a href=\"#", "\"") {
        assert_eq!(page.matches(&format!("id=\"{id}\"")).count(), 1, "{id}");
    }
    assert!(page.contains("<a class=\"skip\" href=\"#main\">"));
}
