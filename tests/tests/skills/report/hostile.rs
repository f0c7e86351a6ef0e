//! HTML injection through names, and more names than a page can hold.

use skillc_tests::World;

use crate::report::sample::{log_of, page, row, unused};
use crate::report::tags::{between, plain, rows, section, tags};

/// Hostile names.
pub(crate) const NAMES: [&str; 8] = [
    "</svg><script>alert(1)</script>",
    "</style></title><img src=x onerror=alert(1)>",
    "\" onmouseover=\"alert(1)\" x=\"",
    "<!-- fill=\"#040404\" -->",
    "مرحبا بالعالم",
    "turned \u{202e}around\u{2069}, with a bell \u{7}",
    "emoji 🎉👩‍👩‍👧 and 中文字符测试",
    "&lt;b&gt; {title} {} %s",
];

/// Creates a world in which every name is hostile and one is extremely long.
pub(crate) fn hostile() -> World {
    let world = unused();
    let log = log_of(&world);
    let endless = "endless ".repeat(5_000);
    for (at, name) in NAMES.iter().copied().chain([endless.as_str()]).enumerate() {
        for _ in 0..=at {
            row(&world).show(name, name).log_in(&log);
        }
        let search = row(&world).search(name, 0);
        search.log_in(&log);
        row(&world).show("", name).failed(name).log_in(&log);
        row(&world)
            .from(&format!("/{name}"))
            .open(name)
            .log_in(&log);
        row(&world)
            .command(&format!("do {name}"), &serde_json::json!({}))
            .log_in(&log);
    }
    world
}

#[test]
fn names_cannot_inject_tags_or_attributes() {
    let page = page(&hostile(), &[]);
    let known = [
        "!DOCTYPE",
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "a",
        "header",
        "p",
        "h1",
        "h2",
        "bdi",
        "dl",
        "div",
        "dt",
        "dd",
        "time",
        "nav",
        "ul",
        "li",
        "main",
        "section",
        "figure",
        "figcaption",
        "svg",
        "g",
        "line",
        "rect",
        "text",
        "details",
        "summary",
        "table",
        "caption",
        "thead",
        "tbody",
        "tfoot",
        "tr",
        "th",
        "td",
        "span",
        "code",
        "footer",
        "aside",
    ];
    for tag in tags(&page) {
        let name = tag.split([' ', '\n']).next().unwrap_or_default();
        assert!(known.contains(&name.trim_matches('/')), "{tag}");
        assert!(
            !tag.contains("alert") || tag.contains("aria-label"),
            "{tag}"
        );
        assert!(!tag.contains(" on") && !tag.contains(" src"), "{tag}");
    }
    for mark in ["\u{202e}", "\u{2069}", "\u{7}", "<script", "<img", "<!--"] {
        assert!(!page.contains(mark), "{mark:?}");
    }
}

#[test]
fn names_are_shown_verbatim() {
    let page = page(&hostile(), &[]);
    let shown = plain(section(&page, "searches"));
    for name in NAMES.iter().filter(|name| !name.contains('\u{7}')) {
        assert!(shown.contains(name), "{name}");
    }
    assert!(shown.contains("turned \\u{202e}around\\u{2069}, with a bell \\u{7}"));
    // Names in charts are unchanged, too, although attributes next to the names are rewritten.
    let chart = between(section(&page, "sections"), "<svg", "</svg>")[0];
    assert!(
        plain(chart).contains("<!-- fill=\"#040404\" -->"),
        "{chart}"
    );
    assert!(plain(chart).contains("مرحبا بالعالم"));
}

/// Returns the tags of a page and the text between them, without the style sheet.
fn tags_and_text(page: &str) -> impl Iterator<Item = &str> {
    let body = page.split_once("</style>").expect("a style sheet").1;
    body.split(['<', '>'])
}

#[test]
fn an_overlong_name_is_truncated() {
    let page = page(&hostile(), &[]);
    assert!(page.len() < 120_000, "{}", page.len());
    let longest = tags_and_text(&page)
        .map(|piece| piece.chars().count())
        .max();
    assert!(longest.is_some_and(|length| length < 400), "{longest:?}");
    assert!(section(&page, "errors").contains("endless end…</bdi>"));
}

#[test]
fn ten_thousand_rows_are_reduced_to_a_few_and_a_count() {
    let world = unused();
    let log = log_of(&world);
    for number in 0..2_000 {
        row(&world)
            .search(&format!("query {number:04}"), 0)
            .log_in(&log);
    }
    row(&world).search("query 0007", 0).log_in(&log);
    let page = page(&world, &[]);
    for id in ["searches", "zero-results"] {
        let part = section(&page, id);
        let found = rows(part);
        assert_eq!(found.len(), 25);
        assert_eq!(found[0], ["query 0007", "2"]);
        assert!(part.contains("<caption>Top 25 of 2000 queries</caption>"));
        assert!(part.contains("and 1975 more"));
    }
}

#[test]
fn invalid_dates_are_counted_but_not_drawn() {
    let world = unused();
    let log = log_of(&world);
    row(&world).on("2026-01-02").log_in(&log);
    row(&world).on("0001-01-01").log_in(&log);
    row(&world).on("9999-12-31").log_in(&log);
    let page = page(&world, &[]);
    let found = rows(section(&page, "timeline"));
    assert_eq!(found, [["9999", "1", "0"]]);
    assert!(section(&page, "timeline").contains("2 accesses are not shown"));
    assert_eq!(between(section(&page, "totals"), "<dd>", "</dd>")[0], "3");
}
