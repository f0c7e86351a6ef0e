//! The list of sections in the compiled `SKILL.md`.

use skillc_tests::World;

use crate::building::support::{numbered, skill_md, stub_of, top_sections};

const HEAD: &str = "name: demo\ndescription: d";

/// Builds a skill with this body and these other files; returns the list.
fn list(body: &str, others: &[(&str, &str)]) -> Vec<String> {
    let main = skill_md(HEAD, body);
    let files: Vec<_> = others
        .iter()
        .copied()
        .chain([("SKILL.md", main.as_str())])
        .collect();
    let stub = stub_of(&files);
    top_sections(&stub).into_iter().map(str::to_owned).collect()
}

fn headings(mark: &str, count: usize) -> String {
    numbered(1..=count, |n| format!("{mark} H{n}\n\n"))
}

/// C-SECTIONS.1, C-SECTIONS.10.
#[test]
fn h1_and_h2_of_the_main_file_are_listed_in_document_order() {
    let body = "## Before\n\n# One\n\n## Two\n\n### Three\n\n#### Four\n\n# Five\n\nSix\n---\n";
    let expected = ["  - Before", "- One", "  - Two", "- Five", "  - Six"];
    assert_eq!(list(body, &[]), expected);
}

/// C-SECTIONS.2, D-ELLIPSIS.
#[test]
fn fifteen_entries_are_listed_and_the_rest_counted() {
    let body = "# Top\n\n".to_owned() + headings("##", 14).as_str();
    let all = list(&body, &[]);
    assert_eq!((all.len(), all[14].as_str()), (15, "  - H14"));

    let body = "# Top\n\n".to_owned() + headings("##", 17).as_str() + "### deep\n";
    let cut = list(&body, &[]);
    assert_eq!(
        (cut.len(), cut[14].as_str(), cut[15].as_str()),
        (16, "  - H14", "  ... (3 more)")
    );
}

/// D-12-TOP, C-CONSTRAINTS.2, F-34.
#[test]
fn the_list_stops_before_the_thirteenth_first_level_heading() {
    let twelve = list(&headings("#", 12), &[]);
    assert_eq!((twelve.len(), twelve[11].as_str()), (12, "- H12"));

    let body = headings("#", 13) + "## Sub\n\n# Last\n";
    let cut = list(&body, &[("r.md", "# R\n")]);
    let expected = [
        "- H12",
        "  ... (3 more)",
        "- References (query by title only)",
        "  - R",
    ];
    assert_eq!(cut[11..], expected);
}

/// C-SECTIONS.3, C-SECTIONS.4, F-34.
#[test]
fn other_markdown_files_are_listed_by_path_under_their_first_h1() {
    let others = [
        ("b.md", "## Only H2\n\ntext\n"),
        ("a/z.md", "intro\n\n## Sub\n\n# Second Place\n\n# Third\n"),
        ("a-c.md", "no heading at all\n"),
        ("c.txt", "# Not Markdown\n"),
        ("empty.md", ""),
    ];
    let expected = [
        "- T",
        "- References (query by title only)",
        "  - a-c.md",
        "  - Second Place",
        "  - b.md",
        "  - empty.md",
    ];
    assert_eq!(list("# T\n", &others), expected);
    assert_eq!(list("# T\n", &[("c.txt", "x")]), ["- T"]);
}

/// C-SECTIONS.5, D-TRUNC-120, F-31.
#[test]
fn a_reference_has_its_description_on_one_line_of_at_most_120_characters() {
    let doc = |description: &str| format!("---\ndescription: {description}\n---\n# R\n");
    let long = "\u{e9}".repeat(121);
    let spaced = format!("{} {}", "x".repeat(118), "yyyy");
    for (description, shown) in [
        ("plain", "plain".to_owned()),
        (
            "\"with \\\"quotes\\\" # no comment\"",
            "with \"quotes\" # no comment".to_owned(),
        ),
        ("plain # a comment", "plain".to_owned()),
        (
            ">\n  over\n  several\n\n  lines",
            "over several lines".to_owned(),
        ),
        ("'it''s'", "it's".to_owned()),
        (&"x".repeat(120), "x".repeat(120)),
        (&long, "\u{e9}".repeat(119) + "\u{2026}"),
        (&spaced, "x".repeat(118) + "\u{2026}"),
        ("2026", "2026".to_owned()),
    ] {
        let listed = list("# T\n", &[("r.md", &doc(description))]);
        assert_eq!(
            listed[2],
            format!("  - R \u{2014} {shown}"),
            "{description}"
        );
    }
}

/// C-SECTIONS.1, C-SECTIONS.4.
#[test]
fn control_characters_in_titles_do_not_reach_the_stub() {
    let title = "# A \u{1b}[31mred\u{7}\n";
    let listed = list(title, &[("r.md", title)]);
    assert_eq!(listed[0], "- A [31mred");
    assert_eq!(listed[2], "  - A [31mred");
}

/// C-SECTIONS.7.
#[test]
fn frontmatter_of_references_is_never_an_error() {
    for text in [
        "---\ndescription: \"open\n---\n# R\n",
        "---\nwhatever: [1, {a: b}]\n---\n# R\n",
        "---\ndescription:\n---\n# R\n",
        "---\ndescription: [a]\n---\n# R\n",
        "---\ndescription: '   '\n---\n# R\n",
        "---\n\t- : {\n---\n# R\n",
        "# R\n\n---\ndescription: not at the top\n---\n",
    ] {
        let world = World::demo(&[("r.md", text)]);
        let built = world.skc(["build", "demo"]).success();
        assert_eq!(built.stderr, "", "{text:?}");
        let stub = crate::building::support::stub(&world);
        assert_eq!(top_sections(&stub)[2], "  - R", "{text:?}");
    }
}

/// C-SECTIONS.6, D-ELLIPSIS.
#[test]
fn fifteen_references_are_listed_and_the_rest_counted() {
    let names: Vec<String> = (10..27).map(|n| format!("r{n}.md")).collect();
    let files: Vec<_> = names.iter().map(|name| (name.as_str(), "text\n")).collect();
    let listed = list("# T\n", &files);
    assert_eq!(listed[2..5], ["  - r10.md", "  - r11.md", "  - r12.md"]);
    assert_eq!(listed[16..], ["  - r24.md", "  ... (2 more)"]);
}

/// C-SECTIONS.8.
#[test]
fn a_section_is_shown_by_its_title_with_and_without_the_description() {
    let text = "---\ndescription: what it is\n---\n# Guide\n\nwords\n";
    let world = World::built(&[("g.md", text)]);
    for section in ["Guide", "Guide \u{2014} what it is"] {
        let shown = world.skc(["show", "demo", "--section", section]).success();
        assert_eq!(shown.text(), "# Guide\n\nwords\n");
    }
}

/// C-SECTIONS.9, F-32.
#[test]
fn only_real_headings_of_the_root_skill_md_are_listed() {
    let body = "# Real\n\n```md\n# Fenced\n```\n\n    # Indented\n\n<!--\n# Comment\n-->\n";
    let nested = skill_md("name: x\ndescription: nested one", "# Nested\n\n## Sub\n");
    let expected = [
        "- Real",
        "- References (query by title only)",
        "  - Nested \u{2014} nested one",
    ];
    assert_eq!(list(body, &[("docs/SKILL.md", &nested)]), expected);
}

/// C-CONSTRAINTS.1, D-100-LINES, F-34.
#[test]
fn the_stub_never_has_more_than_100_lines() {
    let lines = numbered(1..=300, |n| format!("  line {n}\n"));
    let names: Vec<String> = (0..500).map(|n| format!("refs/{n:03}.md")).collect();
    let many: Vec<_> = names.iter().map(|name| (name.as_str(), "# R\n")).collect();
    let setext = "a\n".repeat(400) + "===\n";
    let head = format!("name: |\n{lines}description: |\n{lines}");
    for body in [headings("#", 1000), headings("##", 1000), setext] {
        let main = skill_md(&head, &body);
        let files: Vec<_> = many
            .iter()
            .copied()
            .chain([("SKILL.md", main.as_str())])
            .collect();
        let stub = stub_of(&files);
        assert!(stub.lines().count() <= 100, "{}", stub.lines().count());
        assert!(stub.contains("... (485 more)"), "{stub}");
        assert!(
            stub.lines()
                .all(|line| !line.contains(['\r', '\u{b}', '\u{c}', '\u{85}']))
        );
    }
    let stub = stub_of(&[("SKILL.md", &skill_md(HEAD, &headings("#", 1000)))]);
    assert!(stub.contains("... (988 more)"), "{stub}");
}
