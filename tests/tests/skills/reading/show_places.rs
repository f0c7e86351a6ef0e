//! Sections by location: whatever `search` finds can be shown, for every indexer, including sections that share a
//! name.

use skillc_core::testkit::write_files;
use skillc_tests::World;

/// reStructuredText sections underlined with `=`.
const RST: &str = r#"
/// Sections underlined with =
indexer(#{
    id: "rst",
    extensions: ["rst"],
    sections: |file, out| {
        let all = file.lines;
        let starts = [];
        for line in all {
            if line.is_match(`^=+$`) { starts.push(line.line - 1); }
        }
        for at in 0..starts.len {
            let last = if at + 1 < starts.len { starts[at + 1] - 1 } else { all.len };
            let text = "";
            for line in starts[at]..=last { text += all[line - 1].text + "\n"; }
            out.section(all[starts[at] - 1].text, text, starts[at], last);
        }
    },
});
"#;

const GUIDE: &str = "\
# Overview

## Totals

first

## Other > Totals

odd

# Sales

## Totals

second
";

/// Creates a project with a script for `.rst`, and a built skill.
fn world(files: &[(&str, &str)]) -> World {
    let world = World::demo(files);
    write_files(&world.cwd, &[(".skillc/plugins/rst.rhai", RST)]);
    world.skc(["build", "demo"]).success();
    world
}

fn many_formats() -> World {
    world(&[
        ("guide.md", "before giraffe\n\n# Guide\n\ngiraffe\n"),
        ("bare.md", "only giraffe\n"),
        ("notes.txt", "giraffe in notes\n"),
        ("prices.csv", "animal,price\nzebra,1\ngiraffe,2\n"),
        ("zoo.json", "{\n \"lion\": 1,\n \"tall\": \"giraffe\"\n}\n"),
        (
            "book.ipynb",
            "{\"cells\": [\n{\"cell_type\": \"markdown\", \"source\": [\"# Cell\\n\", \"giraffe\"]}\n]}\n",
        ),
        (
            "refunds.rst",
            "giraffe first\n\nRefund policy\n=============\n\ngiraffe\n",
        ),
        ("plain.rst", "no sections,\nbut a giraffe\n"),
    ])
}

#[test]
fn every_search_result_can_be_shown_by_file_and_line() {
    let world = many_formats();
    let found = world
        .skc(["search", "demo", "giraffe", "--limit", "99", "-o", "json"])
        .success()
        .json();
    let hits = found["results"].as_array().expect("hits");
    assert_eq!(hits.len(), 10, "{found}");
    for hit in hits {
        let (file, line) = (hit["file"].as_str().expect("a file"), &hit["start_line"]);
        let shown = world.skc([
            "show",
            "demo",
            "--file",
            file,
            "--line",
            &line.to_string(),
            "-o",
            "json",
        ]);
        let shown = shown.success().json();
        for same in ["file", "section", "start_line", "end_line"] {
            assert_eq!(shown[same], hit[same], "{same} of {hit}");
        }
        let content = shown["content"].as_str().expect("text");
        assert!(content.contains("giraffe"), "{shown}");
    }
}

#[test]
fn headings_of_every_indexer_are_shown_by_name() {
    let world = many_formats();
    for (heading, text) in [
        ("Refund policy", "Refund policy\n=============\n\ngiraffe\n"),
        ("row 2", "giraffe,2\n"),
        ("TALL", " \"tall\": \"giraffe\"\n"),
        (
            "Cell",
            "{\"cell_type\": \"markdown\", \"source\": [\"# Cell\\n\", \"giraffe\"]}\n",
        ),
    ] {
        let shown = world.skc(["show", "demo", heading]).success();
        assert_eq!(
            (shown.text(), shown.stderr.as_str()),
            (text, ""),
            "{heading}"
        );
    }
    let missed = world.skc(["show", "demo", "refund"]);
    assert!(
        missed
            .stderr
            .ends_with("\n  - Refund policy (refunds.rst)\n"),
        "{missed:?}"
    );
}

#[test]
fn a_file_without_sections_is_found_and_shown_as_text() {
    let world = many_formats();
    let args = ["show", "demo", "--file", "plain.rst", "--line", "2"];
    let shown = world.skc(args).success();
    assert_eq!(shown.text(), "no sections,\nbut a giraffe\n");
}

/// C-SHOW.8, D-W001.
#[test]
fn the_other_matches_are_listed_below_the_warning() {
    let world = world(&[
        ("guide.md", GUIDE),
        ("more.rst", "Totals\n======\n\nthird\n"),
    ]);
    let shown = world.skc(["show", "demo", "--section", "totals"]).success();
    assert_eq!(shown.text(), "## Totals\n\nfirst\n\n");
    let told = "warning[W001]: multiple matches for 'totals'; showing first
  guide.md:13 (--nth 2)
  more.rst:1 (--nth 3)
";
    assert_eq!(shown.stderr, told);
}

#[test]
fn each_of_several_matches_has_a_number() {
    let world = world(&[
        ("guide.md", GUIDE),
        ("more.rst", "Totals\n======\n\nthird\n"),
    ]);
    for (nth, text) in [
        ("1", "## Totals\n\nfirst\n\n"),
        ("2", "## Totals\n\nsecond\n"),
        ("3", "Totals\n======\n\nthird\n"),
    ] {
        let shown = world
            .skc(["show", "demo", "totals", "--nth", nth])
            .success();
        assert_eq!((shown.text(), shown.stderr.as_str()), (text, ""), "{nth}");
    }
    let args = ["show", "demo", "totals", "--file", "guide.md", "--nth", "2"];
    assert_eq!(world.skc(args).success().text(), "## Totals\n\nsecond\n");
    world
        .skc(["show", "demo", "totals", "--nth", "4"])
        .error("error[E100]: invalid option: 'nth is 4, but the heading has 3 match(es)'");
}

#[test]
fn many_other_matches_are_counted() {
    let world = world(&[("a.md", &"# Same\n".repeat(40))]);
    let shown = world.skc(["show", "demo", "same"]).success();
    let lines: Vec<&str> = shown.stderr.lines().collect();
    assert_eq!(lines.len(), 12);
    assert_eq!(lines[10..], ["  a.md:11 (--nth 11)", "  ... (29 more)"]);
}

#[test]
fn a_path_of_headings_selects_a_section() {
    let world = world(&[("guide.md", GUIDE)]);
    for (path, text) in [
        ("Overview > Totals", "## Totals\n\nfirst\n\n"),
        ("sales > TOTALS", "## Totals\n\nsecond\n"),
        (
            "Sales > Totals \u{2014} as in a stub",
            "## Totals\n\nsecond\n",
        ),
        // A heading that contains the separator itself.
        ("Other > Totals", "## Other > Totals\n\nodd\n\n"),
        ("Overview > Other > Totals", "## Other > Totals\n\nodd\n\n"),
    ] {
        let shown = world.skc(["show", "demo", path]).success();
        assert_eq!((shown.text(), shown.stderr.as_str()), (text, ""), "{path}");
    }
    let missed = world.skc(["show", "demo", "Nowhere > Total"]);
    let first = "error[E020]: section not found: 'Nowhere > Total'\n\nDid you mean one of these?\n  - Totals (guide.md)\n";
    assert!(missed.stderr.starts_with(first), "{missed:?}");
}

#[test]
fn a_path_follows_keys_and_nested_sections() {
    let nested = r#"
/// Blocks of braces, each with those in it
indexer(#{
    id: "blocks",
    extensions: ["blocks"],
    sections: |file, out| {
        let open = [];
        for line in file.lines {
            if line.is_match(`\{$`) { open.push(line.line); }
            if line.is_match(`\}$`) {
                let first = open.pop();
                let name = file.lines[first - 1].find(`\w+`).text;
                out.section(name, line.source, first, line.line);
            }
        }
    },
});
"#;
    let world = World::demo(&[(
        "a.blocks",
        "outer {\n  inner {\n  }\n}\nlast {\n  inner {\n  x\n  }\n}\n",
    )]);
    write_files(&world.cwd, &[(".skillc/plugins/blocks.rhai", nested)]);
    world.skc(["build", "demo"]).success();
    let shown = world.skc(["show", "demo", "last > inner"]).success();
    assert_eq!(shown.text(), "  inner {\n  x\n  }\n");
}

#[test]
fn a_line_selects_the_innermost_section_around_it() {
    let world = world(&[("guide.md", GUIDE)]);
    let show = |line: &str| {
        let args = ["show", "demo", "--file", "guide.md", "--line", line];
        let shown = world.skc(args).success();
        shown.text().lines().next().unwrap_or_default().to_owned()
    };
    for (line, heading) in [
        ("1", "# Overview"),
        ("2", "# Overview"),
        ("3", "## Totals"),
        ("6", "## Totals"),
        ("15", "## Totals"),
    ] {
        assert_eq!(show(line), heading, "{line}");
    }
    let of_main = world.skc(["show", "demo", "--line", "6"]).success();
    assert!(of_main.text().starts_with("# Demo\n"), "{of_main:?}");
}

#[test]
fn a_line_outside_sections_is_an_error_with_a_hint() {
    let world = world(&[("guide.md", GUIDE), ("run.rb", "puts 1\n")]);
    for (file, line) in [("SKILL.md", "2"), ("run.rb", "1")] {
        let out = world.skc(["show", "demo", "--file", file, "--line", line]);
        let told = format!(
            "error[E100]: invalid option: 'line {line} of {file} is not in a section'\n\
             To read it: skc open demo {file} --lines {line}\n"
        );
        assert_eq!(out.stderr, told);
    }
    let out = world.skc(["show", "demo", "--file", "guide.md", "--line", "99"]);
    let lines = GUIDE.lines().count();
    let told = format!("error[E100]: invalid option: 'line is 99, but guide.md has {lines}'\n");
    assert_eq!(out.stderr, told);
}

#[test]
fn missing_and_ambiguous_sections_are_refused() {
    let world = world(&[("guide.md", GUIDE)]);
    for (args, message) in [
        (&[][..], "section: is required unless line is given"),
        (
            &["totals", "--line", "3"],
            "give either a section or a line",
        ),
        (
            &["--line", "3", "--nth", "1"],
            "nth cannot be used with line, which selects one section",
        ),
        (
            &["totals", "--nth", "0"],
            "nth is 0, but must be at least 1",
        ),
        (&["--line", "0"], "line is 0, but must be at least 1"),
    ] {
        let args = [&["show", "demo"], args].concat();
        let out = world.skc_at(&world.cwd, &args);
        out.error(&format!("error[E100]: invalid option: '{message}'"));
    }
    let both = ["show", "demo", "totals", "--section", "totals"];
    world.skc(both).code("E100");
}

/// C-SHOW.5: a missing file has its own error.
#[test]
fn a_missing_file_is_an_error_with_suggestions() {
    let world = world(&[("references/guide.md", GUIDE)]);
    let out = world.skc(["show", "demo", "--section", "Totals", "--file", "guide.md"]);
    let told = "error[E021]: file not found: 'guide.md'

Did you mean one of these?
  - references/guide.md
";
    assert_eq!(out.stderr, told);
}
