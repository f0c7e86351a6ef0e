//! Heading recognition. Design: C-OUTLINE, D-CONTAINER-HEADINGS, D-EMPTY-HEADING, D-END-LINE.

use skillc_tests::World;

/// Returns the outline of a file with this text, without the line for the file name.
fn outline(text: &str) -> Vec<String> {
    let world = World::demo(&[("SKILL.md", text)]);
    let out = world.skc(["outline", "demo"]).success();
    let lines = out.text().lines().skip(1);
    lines.map(|line| line.trim_start().to_owned()).collect()
}

/// Builds a skill with a file `a.md` that has this text, and shows a section of that file.
fn section(text: &str, heading: &str) -> String {
    let world = World::built(&[("a.md", text)]);
    let out = world.skc(["show", "demo", "--section", heading]).success();
    out.text().to_owned()
}

/// C-OUTLINE.6.
#[test]
fn marks_in_code_frontmatter_or_comments_are_not_headings() {
    let text = "---\nname: demo\n# yaml comment\n---\n
```sh\n# fenced\n```\n
~~~~\n# tilde\n```\n# still\n~~~~\n
    # indented\n
<!--\n# comment\n-->\n
<pre>\n# raw html\n</pre>\n
# Real\n
`# span`\n
\\# escaped\n
#hashtag\n
####### seven\n";
    assert_eq!(outline(text), ["# Real"]);
}

/// C-OUTLINE.6.
#[test]
fn an_unclosed_fence_runs_to_the_end() {
    assert_eq!(outline("# A\n\n```\n# no\n\n# no\n"), ["# A"]);
    assert_eq!(outline("# A\n\n````\n```\n# no\n"), ["# A"]);
}

/// C-OUTLINE.6, F-28.
#[test]
fn setext_headings_count_and_may_have_several_lines() {
    assert_eq!(
        outline("Title\n=====\n\nPart\n----\n\nFoo\nBar\n===\n\n- item\n---\n"),
        ["# Title", "## Part", "# Foo Bar"]
    );
}

/// C-OUTLINE.6.
#[test]
fn closing_marks_are_stripped_and_other_marks_kept() {
    assert_eq!(
        outline("# A #\n\n## B ######\n\n### C#\n\n# D \\#\n\n   # E\n"),
        ["# A", "## B", "### C#", "# D #", "# E"]
    );
}

/// C-OUTLINE.6.
#[test]
fn markup_in_a_heading_is_reduced_to_its_text() {
    assert_eq!(
        outline("# *a* **b** `c` [d](e) ![f](g) <i>h</i> ~~k~~ &amp; \\* <http://l.m>\n"),
        ["# a b c d f h k & * http://l.m"]
    );
    assert_eq!(outline("# Use `--flag  x`\tnow\n"), ["# Use --flag x now"]);
}

/// D-EMPTY-HEADING.
#[test]
fn a_heading_without_text_is_not_listed_but_ends_a_section() {
    let text = "# A\n\n## B\n\nb\n\n##\n\nafter\n\n## \n\n# #\n\nlast\n";
    assert_eq!(outline(text), ["# A", "## B"]);
    assert_eq!(section(text, "B"), "## B\n\nb\n\n");
    assert!(section(text, "A").ends_with("after\n\n## \n\n"));
}

/// D-CONTAINER-HEADINGS, F-28.
#[test]
fn headings_in_quotes_and_lists_neither_start_nor_end_a_section() {
    let text = "# A\n\n> # Quoted\n\n- # Listed\n\n1. x\n\n   ## Nested\n\n[^1]: # Noted\n\nend\n";
    assert_eq!(outline(text), ["# A"]);
    assert_eq!(section(text, "A"), text);
}

/// D-CONTAINER-HEADINGS.
#[test]
fn headings_in_quotes_cannot_be_shown_and_are_not_in_the_stub() {
    let world = World::built(&[(
        "SKILL.md",
        "---\nname: demo\ndescription: d\n---\n# A\n\n> ## Quoted\n",
    )]);
    world
        .skc(["show", "demo", "--section", "Quoted"])
        .error("error[E020]: section not found: 'Quoted'");
    let stub = std::fs::read_to_string(world.demo_runtime().join("SKILL.md")).expect("built");
    assert!(stub.contains("- A\n") && !stub.contains("Quoted"));
}

/// C-SHOW.1, D-END-LINE.
#[test]
fn a_section_includes_its_children_and_ends_at_its_level_or_above() {
    let text = "# A\na\n## B\nb\n### C\nc\n### D\nd\n## E\ne\n# F\nf\n";
    assert_eq!(
        section(text, "A"),
        "# A\na\n## B\nb\n### C\nc\n### D\nd\n## E\ne\n"
    );
    assert_eq!(section(text, "B"), "## B\nb\n### C\nc\n### D\nd\n");
    assert_eq!(section(text, "C"), "### C\nc\n");
    assert_eq!(section(text, "D"), "### D\nd\n");
    assert_eq!(section(text, "F"), "# F\nf\n");
}

/// C-SHOW.1.
#[test]
fn a_setext_section_starts_at_its_text_and_ends_before_the_next() {
    let text = "Title\n=====\n\none\n\nNext\nPart\n=====\n\ntwo\n";
    assert_eq!(section(text, "title"), "Title\n=====\n\none\n\n");
    assert_eq!(section(text, "Next Part"), "Next\nPart\n=====\n\ntwo\n");
}
