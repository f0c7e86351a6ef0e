//! JUnit XML output, checked with a strict parser.

use roxmltree::{Document, Node};
use skillc_render::Format;
use skillc_tests::World;

use crate::linting::outputs::{HOSTILE, hostile, with_message};
use crate::linting::sample::{lint, response, several, shown, world};

/// Returns the descendants of an element with a given name.
fn all<'a>(of: Node<'a, 'a>, name: &'static str) -> Vec<Node<'a, 'a>> {
    let found = of.descendants().filter(move |node| node.has_tag_name(name));
    found.collect()
}

/// Checks the counts in an element's attributes against its descendants.
#[track_caller]
fn check_counts(node: Node<'_, '_>) {
    for (count, name) in [
        ("tests", "testcase"),
        ("failures", "failure"),
        ("errors", "error"),
        ("skipped", "skipped"),
    ] {
        let inside = node.descendants().filter(|inner| inner.has_tag_name(name));
        let found = inside.count().to_string();
        assert_eq!(node.attribute(count), Some(&*found), "{count} of {node:?}");
    }
}

#[test]
fn junit_has_a_suite_for_each_skill_with_correct_counts() {
    let (out, _) = shown(&several(&world()), Format::Junit, false);
    assert!(
        out.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites "),
        "{out}"
    );
    let xml = Document::parse(&out).expect("XML");
    let root = xml.root_element();
    assert_eq!(root.attribute("time"), Some("1.234"));
    check_counts(root);
    let suites = all(root, "testsuite");
    let names: Vec<_> = suites
        .iter()
        .filter_map(|suite| suite.attribute("name"))
        .collect();
    assert_eq!(
        names,
        [
            "demo (drafts/demo)",
            "broken",
            "compiled",
            "demo (.skillc/skills/demo)",
            "tables"
        ]
    );
    for suite in &suites {
        check_counts(*suite);
    }
    let counts = |suite: &Node<'_, '_>| {
        ["tests", "failures", "errors", "skipped"]
            .map(|name| suite.attribute(name).map(str::to_owned))
    };
    let counts: Vec<String> = suites
        .iter()
        .map(|suite| counts(suite).map(Option::unwrap_or_default).join(" "))
        .collect();
    assert_eq!(
        counts,
        ["1 1 0 0", "1 0 1 0", "1 0 0 1", "1 0 0 0", "3 3 0 0"]
    );
    let error = all(suites[1], "error")[0].attribute("message");
    assert!(error.is_some_and(|text| text.contains("permission denied")));
}

#[test]
fn junit_has_a_case_for_each_file_and_rule() {
    let run = lint(&world(), "tables", "junit");
    assert!(!run.ok && run.stderr.is_empty(), "{run:?}");
    let xml = Document::parse(run.text()).expect("XML");
    let cases = all(xml.root_element(), "testcase");
    let folder = ".skillc/skills/tables";
    let of = |case: &Node<'_, '_>| {
        let failure = all_in(*case, "failure");
        let message = failure.attribute("message").expect("a message").to_owned();
        let kind = failure.attribute("type").expect("a type").to_owned();
        (
            case.attribute("name").expect("a name").to_owned(),
            kind,
            message,
        )
    };
    let case = |name: &str, kind: &str, message: &str| {
        (name.to_owned(), kind.to_owned(), message.to_owned())
    };
    assert_eq!(
        cases.iter().map(of).collect::<Vec<_>>(),
        [
            case(
                "SKL101 name-required: SKILL.md",
                "error",
                "missing required field 'name'"
            ),
            case(
                "SKL205 heading-hierarchy: SKILL.md",
                "warning",
                "heading level jumps from H1 to H3; use H2"
            ),
            case(
                "SKL205 heading-hierarchy: references/wide text.md",
                "warning",
                "heading level jumps from H1 to H3; use H2, and 1 more"
            ),
        ]
    );
    let file = format!("{folder}/references/wide text.md");
    assert_eq!(cases[2].attribute("file"), Some(&*file));
    assert_eq!(cases[2].attribute("classname"), Some("tables"));
    let text = all_in(cases[2], "failure").text().expect("a text");
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with("help: "))
        .collect();
    let line =
        |line, level| format!("{file}:{line}:1: heading level jumps from H1 to H{level}; use H2");
    assert_eq!(lines, [line(3, 3), line(7, 4)]);
}

fn all_in<'a>(case: Node<'a, 'a>, name: &'static str) -> Node<'a, 'a> {
    case.children()
        .find(|node| node.has_tag_name(name))
        .expect("a child")
}

#[test]
fn a_clean_skill_is_a_passed_case() {
    let run = lint(&world(), "demo", "junit").success();
    let xml = Document::parse(run.text()).expect("XML");
    let cases = all(xml.root_element(), "testcase");
    assert_eq!(cases.len(), 1);
    assert!(!cases[0].has_children());
    check_counts(xml.root_element());
    let (out, _) = shown(&response(Vec::new()), Format::Junit, false);
    check_counts(Document::parse(&out).expect("XML").root_element());
}

/// XML 1.0 cannot represent most control characters: a single such character makes a parser reject the whole report.
#[test]
fn names_and_messages_are_valid_xml() {
    let run = lint(&hostile(), "demo", "junit");
    let xml = Document::parse(run.text()).expect("XML");
    let case = all(xml.root_element(), "testcase")[0];
    let path = HOSTILE.0.replace('\u{1b}', "\\u{1b}").replace('\n', "\\n");
    assert_eq!(
        case.attribute("file"),
        Some(&*format!(".skillc/skills/demo/{path}"))
    );
    let every: String = (0..0x20)
        .chain([0x7f, 0x85, 0x2028, 0xfffe, 0xffff])
        .filter_map(char::from_u32)
        .collect();
    let text = format!("]]> <![CDATA[ &amp; <!-- \"' {every} 日😀");
    let mut response = with_message(&world(), &text);
    response.skills[0].skill.clone_from(&text);
    response.skills[1].failure = Some(text);
    let (out, _) = shown(&response, Format::Junit, false);
    let xml = Document::parse(&out).expect("XML");
    assert!(
        !out.contains(|c: char| c.is_control() && c != '\n'),
        "{out:?}"
    );
    let messages = xml
        .descendants()
        .filter_map(|node| node.attribute("message"));
    let kept = messages.filter(|text| {
        text.starts_with("]]> <![CDATA[ &amp; <!-- \"' \\u{0}") && text.ends_with("\\u{ffff} 日😀")
    });
    assert_eq!(kept.count(), 2, "{out}");
    check_counts(xml.root_element());
}

/// A CI runner may execute lines of its log as commands, and the output may be part of that log.
#[test]
fn file_names_cannot_start_a_line() {
    let name = "a\n::error::boom.md";
    let world = World::demo(&[(name, "# A\n\n### B\n\n# C\n\n### D\n")]);
    let run = lint(&world, "demo", "junit");
    assert!(run.text().contains("boom.md:3:1: "), "{run:?}");
    let mut lines = run.text().lines();
    assert!(
        lines.all(|line| !line.trim_start().starts_with("::")),
        "{run:?}"
    );
}
