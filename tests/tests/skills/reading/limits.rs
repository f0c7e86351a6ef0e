//! Large and hostile skills: time and memory are bounded. Design: R20, R25.

use std::fs;
use std::time::{Duration, Instant};

use skillc_tests::{MINIMAL, World};

const FRONTMATTER: &str = "---\nname: demo\ndescription: d\n---\n";

/// A timeout that is far longer than any of these tests needs, but far shorter than a quadratic parser would need.
const PATIENCE: Duration = Duration::from_secs(60);

/// C-OUTLINE.1, F-18.
#[test]
fn a_hundred_thousand_headings_in_one_file_are_listed_and_shown() {
    use std::fmt::Write;
    let mut text = FRONTMATTER.to_owned();
    for n in 1..=100_000 {
        write!(text, "## Part {n}\n\nbody {n}\n\n").expect("writing to a string cannot fail");
    }
    let world = World::built(&[("SKILL.md", &text)]);
    let outline = world.skc(["outline", "demo"]).success();
    assert_eq!(outline.text().lines().count(), 100_001);
    assert!(outline.text().ends_with("\n  ## Part 100000\n"));
    let show = world
        .skc(["show", "demo", "--section", "part 99999"])
        .success();
    assert_eq!(show.text(), "## Part 99999\n\nbody 99999\n\n");
}

/// C-SOURCES.5.
#[test]
fn twenty_thousand_files_are_listed_built_and_read() {
    let world = World::demo(&[]);
    for dir in 0..20 {
        let at = world.demo_source().join(format!("d{dir:02}"));
        fs::create_dir(&at).expect("made");
        for n in 0..1000 {
            fs::write(at.join(format!("{n:03}.md")), format!("# H {dir} {n}\n")).expect("written");
        }
    }
    let sources = world.skc(["sources", "demo"]).success();
    assert!(sources.text().ends_with("\n... (19921 more)\n"));
    let sources = world.skc(["sources", "demo", "--depth", "1"]).success();
    assert!(sources.text().starts_with("demo/\n├── d00/ (1000 files)\n"));
    let outline = world.skc(["outline", "demo"]).success();
    assert_eq!(outline.text().lines().count(), 2 + 2 * 20_000);
    world.skc(["build", "demo"]).success();
    let show = world
        .skc(["show", "demo", "--section", "H 19 999"])
        .success();
    assert_eq!(show.text(), "# H 19 999\n");
}

/// C-OPEN.5, C-SOURCES.1.
#[test]
fn a_file_of_200_mb_is_listed_and_opened_but_not_parsed_or_indexed() {
    let text = format!("{MINIMAL}See big.md.\n");
    let world = World::demo(&[("SKILL.md", &text)]);
    for name in ["big.md", "big.bin"] {
        let file = fs::File::create(world.demo_source().join(name)).expect("made");
        file.set_len(200_000_000).expect("a sparse file");
    }
    let warning = "warning[W023]: file too large to index: 'big.md'\n";
    let outline = world.skc(["outline", "demo"]).success();
    assert_eq!(
        (outline.text(), outline.stderr.as_str()),
        ("SKILL.md\n  # Demo\n", warning)
    );
    assert_eq!(world.skc(["lint", "demo"]).success().stderr, warning);
    assert_eq!(world.skc(["build", "demo"]).success().stderr, warning);
    let sources = world.skc(["sources", "demo"]).success();
    assert_eq!(
        sources.text(),
        "demo/\n├── SKILL.md\n├── big.bin\n└── big.md\n"
    );
    assert_eq!(sources.stderr, "");
    let open = world
        .skc(["open", "demo", "big.bin", "--max-lines", "1"])
        .success();
    assert_eq!(open.stdout.len(), 200_000_000);
    let none = world
        .skc(["open", "demo", "big.md", "--max-lines", "0"])
        .success();
    assert_eq!(none.text(), "... (1 more lines)\n");
    world.skc(["show", "demo", "--section", "Demo"]).success();
}

/// C-OUTLINE.6, D-CONTAINER-HEADINGS.
#[test]
fn hostile_markdown_is_read_in_time_without_losing_headings() {
    let lazy = |marker: &str| marker.repeat(300_000) + "x\n" + "y\n".repeat(300_000).as_str();
    let steps = |marker: &str| {
        (0..1000)
            .map(|n| marker.repeat(n) + "- x\n")
            .collect::<String>()
    };
    let cases = [
        ("quotes", "> ".repeat(10_000) + "# no\n"),
        ("quotes without blanks", ">".repeat(1_000_000) + "\n"),
        ("lists", "- ".repeat(10_000) + "# no\n"),
        ("numbers", "1. ".repeat(10_000) + "# no\n"),
        ("quotes and lists", "> - ".repeat(10_000) + "# no\n"),
        ("short lines in deep quotes", lazy("> ")),
        ("short lines in deep lists", lazy("- ")),
        (
            "short lines in indented lists",
            steps("\t") + "y\n".repeat(500_000).as_str(),
        ),
        ("one long line", "a".repeat(1 << 20) + "\n"),
        ("stars", "*a ".repeat(200_000) + "\n"),
        (
            "brackets",
            "[".repeat(200_000) + "]".repeat(200_000).as_str() + "\n",
        ),
        ("links", "[a](b.md) ".repeat(100_000) + "\n"),
        ("open links", "[a](".repeat(100_000) + "\n"),
        ("definitions", "[a]: b \"\n".repeat(100_000)),
        ("tags", "<a b=\"".repeat(100_000) + "\n"),
        (
            "backticks",
            (1..1000).map(|n| "`".repeat(n) + " ").collect::<String>() + "\n",
        ),
        ("fences", "```\n# no\n```\n".repeat(50_000)),
        (
            "table",
            "|a".repeat(10_000)
                + "|\n"
                + "|-".repeat(10_000).as_str()
                + "|\n"
                + "|b|\n".repeat(10_000).as_str(),
        ),
    ];
    for (name, hostile) in cases {
        let text = format!("{FRONTMATTER}# Before\n\n{hostile}\n\n# After\n");
        let world = World::demo(&[("SKILL.md", &text)]);
        let begun = Instant::now();
        let outline = world.skc(["outline", "demo"]).success();
        assert_eq!(
            outline.text(),
            "SKILL.md\n  # Before\n  # After\n",
            "{name}"
        );
        let lint = world.skc(["lint", "demo"]);
        assert!(lint.text().starts_with("demo: "), "{name}: {lint:?}");
        world.skc(["build", "demo"]).success();
        assert!(begun.elapsed() < PATIENCE, "{name}: {:?}", begun.elapsed());
    }
}

/// C-OUTLINE.6.
#[test]
fn an_unclosed_fence_comment_or_block_of_a_megabyte_is_read_in_time() {
    for (name, opening) in [
        ("fence", "```"),
        ("comment", "<!--"),
        ("cdata", "<![CDATA["),
        ("script", "<script>"),
    ] {
        let text = format!(
            "{FRONTMATTER}# Before\n\n{opening}\n{}",
            "# no\n".repeat(200_000)
        );
        let world = World::demo(&[("SKILL.md", &text)]);
        let outline = world.skc(["outline", "demo"]).success();
        assert_eq!(outline.text(), "SKILL.md\n  # Before\n", "{name}");
    }
}
