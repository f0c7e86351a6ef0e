//! Output: problems first, 80 columns, no control characters, deterministic.

use std::fs;

use skillc_tests::without_colours;

use super::{doctor, repository, valid_skill, write};

const FAULTY: &str = "---\nname: demo\ndescription: Builds the report: every Friday\n---\n";

#[test]
fn a_problem_comes_first_with_location_bytes_clients_and_remedy() {
    let world = repository();
    write(&world.cwd.join(".claude/skills"), "demo", FAULTY);
    write(
        &world.cwd.join(".claude/skills"),
        "fine",
        valid_skill("fine"),
    );
    let output = doctor(&world, &["--client", "claude-code,cursor"]);
    assert!(!output.ok && output.stderr.is_empty(), "{output:?}");
    assert_eq!(
        output.text(),
        "\
lost: demo
  .claude/skills/demo/SKILL.md:3:31  byte 45
    description: Builds the report: every Friday
                                  ^^ 0x3A 20 (': ')
  A value without quotes contains ': '.
  claude-code: treats every field as empty
  It is not known how cursor reacts.
  → Put the value in quotes.

claude-code  2 skills, 1 lost  installed: .claude/skills
  .claude/skills    2  demo (lost), fine
  missing: ~/.claude/skills

cursor  2 skills  not detected
  .claude/skills    2  demo (not known), fine
  missing: .agents/skills, .cursor/skills, .codex/skills, ~/.agents/skills,
  ~/.cursor/skills, ~/.claude/skills and 1 more

2 skill folders, found 4 times in 2 clients: 1 lost.
"
    );
}

#[test]
fn verbose_output_has_more_detail() {
    let world = repository();
    write(&world.cwd.join(".claude/skills"), "demo", FAULTY);
    let output = doctor(&world, &["--client", "claude-code", "--verbose"]);
    let source = "    claude-code: code.claude.com/docs/en/skills, seen 2026-08-22\n";
    assert!(output.text().contains(source), "{output:?}");
}

#[test]
fn without_losses_the_summary_is_one_line() {
    let world = repository();
    write(
        &world.cwd.join(".claude/skills"),
        "demo",
        valid_skill("demo"),
    );
    let output = doctor(&world, &["--client", "claude-code"]).success();
    let last = output.text().lines().last();
    assert_eq!(last, Some("No skill is lost (1 skill, 1 client)."));
}

#[test]
fn without_skills_the_output_says_what_to_do() {
    let world = repository();
    let output = doctor(&world, &["--client", "claude-code"]).success();
    assert!(
        output.text().ends_with(
            "No skills found in these folders.\n\
             Create one with 'skc init NAME' and deploy it with 'skc build NAME'.\n"
        ),
        "{output:?}"
    );
}

#[test]
fn lines_have_at_most_eighty_columns_and_no_control_characters() {
    let world = repository();
    let root = world.cwd.join(".claude/skills");
    for number in 0..30 {
        let long = format!("skill-{number}-with-a-name");
        let file = format!(
            "---\nname: {long}\ndescription: \"\u{1b}[31m: {}\": x\n---\n",
            "w ".repeat(90)
        );
        write(&root, &long, file);
    }
    write(
        &root,
        "mark",
        "\u{feff}---\nname: \u{202e}mark\nd: 1: 2\n---\n",
    );
    let output = doctor(&world, &["--all", "--color", "always"]);
    let text = without_colours(output.text());
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
        assert!(
            !line.contains(|c: char| c.is_control() || c == '\u{202e}' || c == '\u{feff}'),
            "{line:?}"
        );
    }
    assert!(
        text.contains("more: use --verbose") && text.contains("more"),
        "{text}"
    );
    let json = doctor(&world, &["--all", "-o", "json"]);
    assert!(!json.stdout.contains(&0x1b));
}

#[test]
fn output_is_deterministic_and_nothing_is_written() {
    let world = repository();
    for dir in [".claude/skills", ".agents/skills", ".github/skills"] {
        write(&world.cwd.join(dir), "demo", FAULTY);
        write(&world.cwd.join(dir), "other", "nothing");
    }
    let before = skillc_tests::snapshot_with_logs(&world.home);
    for format in ["text", "json"] {
        let run = || doctor(&world, &["--all", "-o", format]).stdout;
        assert_eq!(run(), run());
    }
    assert_eq!(skillc_tests::snapshot_with_logs(&world.home), before);
}

/// R20: oversized skills and too many skills are reported.
#[test]
fn the_number_and_size_of_skills_are_bounded() {
    let world = repository();
    let root = world.cwd.join(".claude/skills");
    for number in 0..300 {
        write(&root, &format!("s{number}"), "no frontmatter\n");
    }
    let large = write(&root, "large", "");
    let file = fs::File::create(large.join("SKILL.md")).expect("a file");
    file.set_len(33 << 20).expect("a size");
    let output = doctor(&world, &["--client", "codex,goose,claude-code"]);
    assert!(output.text().lines().count() < 250, "{}", output.text());
    let json = doctor(&world, &["--client", "claude-code", "large", "-o", "json"]).json();
    let message = "the file cannot be read: it is larger than 32 MiB, or was deleted";
    assert_eq!(json["problems"][0]["message"], message);
}
