//! Text output: it has the layout that the guide prescribes, and contains all data of the JSON output. On a terminal,
//! it also contains bars.

use serde_json::json;
use skillc_tests::World;

use crate::stats::support::{open, row, run, search, show};

fn used() -> World {
    let skill = "---\nname: demo\ndescription: A demo. Use when testing.\n---\n\n# Demo\n\n## Installation\n\n## Contributing\n";
    let world = World::demo(&[("SKILL.md", skill), ("CHANGELOG.md", "# Changelog\n")]);
    show(&world, "SKILL.md", "Installation").log_times(15);
    show(&world, "SKILL.md", "Demo")
        .at("2026-01-30T08:15:00Z")
        .log();
    show(&world, "SKILL.md", "Nope")
        .failed("error[E020]: section not found: 'Nope'")
        .log();
    search(&world, "auth", 0).log_times(8);
    open(&world, "CHANGELOG.md").log();
    world
}

/// D-STATS-TEXT, C-CLI.4, G-STATS.2: the order is title, totals, top sections, unused sections, commands, then the rest
/// of the JSON.
#[test]
fn the_summary_has_the_layout_of_the_guide_and_the_rest() {
    let world = used();
    let expected = format!(
        "demo usage statistics (all time)\n\
         Total accesses: 26\n\
         Unique sections: 2\n\
         Unique files: 2\n\
         Errors: 1\n\
         \n\
         Top sections:\n\
         \x20 1. Installation (15 accesses)\n\
         \x20 2. Demo (1 access)\n\
         \n\
         Unused sections:\n\
         \x20 - Changelog\n\
         \x20 - Contributing\n\
         \n\
         Access by command:\n\
         \x20 show: 17\n\
         \x20 search: 8\n\
         \x20 open: 1\n\
         \n\
         Path: {}\n\
         Query: summary\n\
         Filters: none\n\
         Period: 2026-01-01T00:00:00Z .. 2026-01-30T08:15:00Z\n",
        world.demo_source().display()
    );
    assert_eq!(run(&world, &[]).success().text(), expected);
}

/// D-STATS-TEXT: the title names the time range.
#[test]
fn the_title_names_the_requested_time_range() {
    let world = used();
    for (args, period) in [
        (&[][..], "all time"),
        (&["--since", "7d"], "last 7 days"),
        (&["--since", "1h"], "last 1 hour"),
        (&["--since", "2026-01-01"], "since 2026-01-01"),
        (
            &["--until", "2026-01-02T10:00:00Z"],
            "until 2026-01-02T10:00:00Z",
        ),
        (
            &["--since", "2026-01-01", "--until", "2026-01-31"],
            "2026-01-01 .. 2026-01-31",
        ),
        (
            &["--since", "7d", "--until", "1d"],
            "2026-01-24T08:15:00Z .. 2026-01-30T08:15:00Z",
        ),
        (&["--project", "."], "all time"),
    ] {
        let output = run(&world, args).success();
        let title = format!("demo usage statistics ({period})");
        assert_eq!(output.text().lines().next(), Some(&*title), "{args:?}");
    }
}

/// C-CLI.4: the text shows the filters as resolved.
#[test]
fn filters_are_in_the_text() {
    let world = used();
    let output = run(
        &world,
        &["--since", "7d", "--until", "2026-01-30", "--project", "."],
    )
    .success();
    let line = format!(
        "Filters: since 2026-01-24T08:15:00Z, until 2026-01-30T00:00:00Z, project {}\nPeriod: none\n",
        world.cwd.display()
    );
    assert!(output.text().ends_with(&line), "{output:?}");
}

/// C-CLI.4: the text of each grouping has the same data as the JSON.
#[test]
fn each_grouping_has_its_text() {
    let world = used();
    row(&world, "outline", &json!({"level": null}))
        .run("other")
        .at("2026-01-02")
        .log();
    let cwd = world.cwd.display();
    for (group, lines) in [
        ("sections", "Sections:\n  1. Installation (SKILL.md) (15 accesses)\n  2. Demo (SKILL.md) (1 access)\n".to_owned()),
        ("files", "Files:\n  1. SKILL.md (16 accesses)\n  2. CHANGELOG.md (1 access)\n".to_owned()),
        ("commands", "Access by command:\n  show: 17\n  search: 8\n  open: 1\n  outline: 1\n".to_owned()),
        ("projects", format!("Projects:\n  1. {cwd} (27 accesses)\n")),
        ("errors", "Errors:\n  show Nope (1x)\n    error[E020]: section not found: 'Nope'\n".to_owned()),
        ("search", "Searches:\n  1. auth (8 accesses)\n".to_owned()),
        ("zero-results", "Searches without results:\n  1. auth (8 accesses)\n".to_owned()),
        ("timeline", "Accesses by day:\n  2026-01-01: 25 (1 error)\n  2026-01-02: 1\n  2026-01-30: 1\n".to_owned()),
        (
            "sessions",
            "Sessions:\n  other 2026-01-02T00:00:00Z .. 2026-01-02T00:00:00Z (1 access)\n    2026-01-02T00:00:00Z outline\n".to_owned(),
        ),
    ] {
        let output = run(&world, &["--group-by", group]).success();
        let text = output.text();
        assert!(text.contains(&format!("\n\n{lines}")), "{group}:\n{text}");
        assert!(text.contains(&format!("\nQuery: {group}\n")), "{group}:\n{text}");
    }
}

/// C-CLI.3: the counts are zero, and the text does not list every section as unused.
#[test]
fn without_accesses_the_text_says_so() {
    let world = World::demo(&[]);
    let output = run(&world, &[]).success();
    assert!(output.text().contains("\nTotal accesses: 0\n") && !output.text().contains("Unused"));
    let output = run(&world, &["--group-by", "search"]).success();
    assert!(
        output.text().contains("\n\nSearches:\n  none\n"),
        "{output:?}"
    );
}

/// The overview lists at most ten top sections and twenty unused ones; `--verbose` lists all.
#[test]
fn long_lists_of_the_overview_are_truncated() {
    use std::fmt::Write;
    let mut guide = "# Guide\n".to_owned();
    for number in 0..60 {
        writeln!(guide, "\n## Part {number}").expect("a string");
    }
    let world = World::demo(&[("guide.md", &guide)]);
    for number in 0..12 {
        show(&world, "guide.md", &format!("Part {number}")).log();
    }
    let text = run(&world, &[]).success().text().to_owned();
    assert!(
        text.contains("\n  10. ") && !text.contains("\n  11. "),
        "{text}"
    );
    assert!(
        text.contains("\n  ... (2 more)\n") && text.contains("\n  ... (30 more)\n"),
        "{text}"
    );
    let text = run(&world, &["-v"]).success().text().to_owned();
    assert!(
        text.contains("\n  12. ") && !text.contains("more)"),
        "{text}"
    );
}

/// The bars are proportional to their counts, and are shown only on a terminal.
#[test]
fn a_terminal_gets_bars() {
    let world = used();
    let args = ["skc", "stats", "demo", "--group-by", "commands"].map(Into::into);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut io = skillc::Io {
        out: &mut out,
        err: &mut err,
        out_is_styled: true,
        err_is_styled: true,
    };
    skillc::run(&args, &mut io, world.context_at(&world.cwd));
    let text = String::from_utf8(out).expect("text");
    let bars: Vec<usize> = text
        .lines()
        .map(|line| line.matches('█').count())
        .filter(|length| *length > 0)
        .collect();
    assert_eq!(bars, [24, 11, 1], "{text}");
    assert!(
        !run(&world, &["--group-by", "commands"])
            .text()
            .contains('█')
    );
}

/// Text from a log cannot control the terminal.
#[test]
fn control_characters_are_escaped() {
    let world = World::demo(&[]);
    search(&world, "a\u{1b}[31mred\n\u{202e}b", 0).log();
    show(&world, "a.md", "x\ry")
        .run("r\u{7}")
        .failed("bad\u{1b}]0;t")
        .log();
    for group in ["summary", "search", "errors", "sessions", "commands"] {
        let output = run(&world, &["--group-by", group]).success();
        let is_clean = |c: char| c == '\n' || !(c.is_control() || c == '\u{202e}');
        assert!(output.text().chars().all(is_clean), "{group}: {output:?}");
    }
}
