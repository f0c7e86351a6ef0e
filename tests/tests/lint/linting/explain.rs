//! `skc explain` and `skc rules`.

use skillc_lint::Activation;
use skillc_tests::{World, plugins};

#[test]
fn a_rule_is_explained_by_code_or_name_in_any_case() {
    let world = World::new();
    let page = world.skc(["explain", "SKL205"]).success();
    for asked in ["skl205", "heading-hierarchy", "Heading-Hierarchy"] {
        assert_eq!(world.skc(["explain", asked]).success().text(), page.text());
    }
    let mut lines = page.text().lines();
    assert_eq!(lines.next(), Some("SKL205 heading-hierarchy"));
    let how = lines.next().unwrap_or_default();
    assert!(
        how.starts_with("warning, enabled by default, since "),
        "{how}"
    );
    let right = lines.next().unwrap_or_default();
    assert!(right.starts_with("Precision: "), "{right}");
    assert_eq!(lines.next(), Some(""));
}

#[test]
fn every_rule_has_a_page_that_is_printed_without_its_sources() {
    let world = World::new();
    let plugins = plugins();
    for rule in plugins.rules() {
        let meta = rule.meta();
        let run = world.skc(["explain", &meta.code]).success();
        let (_, page) = run.text().split_once("\n\n").expect("a page");
        let full = meta.page();
        // The page of a scripted rule is printed in full: anyone may have written the rule, and the book does not
        // contain it.
        let expected = if plugins.script_of_rule(&meta.code).is_some() {
            full
        } else {
            let own = full.split("\n## Source\n").next().unwrap_or_default();
            let more = format!("More: docs/src/reference/rules/{}.md", meta.code);
            format!("{}\n\n{more}\n", own.trim_end())
        };
        assert_eq!(page, expected, "{}", meta.code);
        let json = world.skc(["explain", &meta.code, "-o", "json"]).success();
        let json = json.json();
        assert_eq!(json["page"], meta.page(), "{}", meta.code);
        assert_eq!(json["name"], *meta.name, "{}", meta.code);
        let default = meta.activation != Activation::OnRequest;
        assert_eq!(json["default"], default, "{}", meta.code);
        let how = if default {
            ", enabled by default"
        } else {
            ", disabled by default"
        };
        assert!(run.text().contains(how), "{}", meta.code);
    }
}

/// C-CODES.4, C-CODES.5: the error has suggestions.
#[test]
fn an_unknown_rule_is_e100_with_suggestions() {
    let world = World::new();
    for (asked, hint) in [
        ("SKL999", "List all rules: skc rules"),
        (
            "e300",
            "Errors that lint finds start with E300, warnings with W300; the rule's code follows",
        ),
        ("", "List all rules: skc rules"),
        ("SKL", "List all rules: skc rules"),
        (
            "heading-hirarchy",
            "Did you mean 'heading-hierarchy'? List all rules: skc rules",
        ),
    ] {
        let run = world.skc(["explain", asked]);
        run.error(&format!(
            "error[E100]: invalid option: 'unknown rule \"{asked}\"'"
        ));
        assert!(run.stderr.ends_with(&format!("{hint}\n")), "{run:?}");
    }
}

/// C-OVERVIEW@8.1: rules are ordered by code.
#[test]
fn all_rules_are_listed_including_disabled_ones() {
    let world = World::new();
    let plugins = plugins();
    let json = world.skc(["rules", "-o", "json"]).success().json();
    let listed = json["rules"].as_array().expect("rules");
    let text = world.skc(["rules"]).success();
    let mut rows = text.text().lines();
    assert_eq!(
        rows.next()
            .map(|header| header.split_whitespace().collect::<Vec<_>>()),
        Some(vec!["CODE", "NAME", "SEVERITY", "DEFAULT", "SUMMARY"])
    );
    assert_eq!(listed.len(), plugins.rules().count());
    for ((rule, listed), row) in plugins.rules().zip(listed).zip(rows) {
        let meta = rule.meta();
        let is_on = meta.activation != Activation::OnRequest;
        assert_eq!(listed["code"], *meta.code);
        assert_eq!(listed["default"], is_on, "{}", meta.code);
        let on = if is_on { "enabled" } else { "disabled" };
        let (severity, summary) = (meta.severity.as_str(), meta.summary());
        let cells: Vec<&str> = row.split_whitespace().take(4).collect();
        assert_eq!(cells, [&*meta.code, &*meta.name, severity, on]);
        assert!(row.ends_with(&summary), "{row}");
    }
}

#[test]
fn columns_are_aligned() {
    let text = World::new().skc(["rules"]).success();
    let mut rows = text.text().lines();
    let header = rows.next().expect("a header");
    let columns: Vec<usize> = ["NAME", "SEVERITY", "DEFAULT", "SUMMARY"]
        .iter()
        .filter_map(|title| header.find(title))
        .collect();
    assert_eq!(columns.len(), 4);
    for row in rows {
        for at in &columns {
            assert_eq!(&row[at - 1..*at], " ", "{row}");
            assert_ne!(&row[*at..=*at], " ", "{row}");
        }
    }
}

#[test]
fn rules_are_selected_as_for_lint() {
    let world = World::new();
    let codes = |select: &str| {
        let json = world.skc(["rules", "--select", select, "-o", "json"]);
        let json = json.success().json();
        let rules = json["rules"].as_array().expect("rules").clone();
        rules
            .iter()
            .map(|rule| rule["code"].as_str().expect("a code").to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(codes("SKL205,name-required"), ["SKL101", "SKL205"]);
    let links = codes("SKL3");
    assert!(links.len() > 1 && links.iter().all(|code| code.starts_with("SKL3")));
    let all = world.skc(["rules", "-o", "json"]).success().json();
    let all = all["rules"].as_array().expect("rules").len();
    assert_eq!(codes("ALL").len(), all);
    world
        .skc(["rules", "--select", "SKL998"])
        .error("error[E100]: invalid option: 'unknown rule \"SKL998\"'");
}
