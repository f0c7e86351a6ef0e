//! Shell completions and manual pages.

use std::fs;
use std::path::Path;
use std::process::Command;

use skillc_tests::{Output, World};

use crate::PROGRAM;

const GUIDE: &str = "---\nname: demo\ndescription: A demo. Use when testing.\n---\n\n# Demo\n\n## Refund policy\n\n## Rates\n";

/// Requests completions as a shell script does; the last word is the one to complete.
fn ask(world: &mut World, shell: &str, words: &[&str]) -> Output {
    world.set("SKC_COMPLETE", shell);
    world.set("_CLAP_COMPLETE_INDEX", &words.len().to_string());
    let output = world
        .skc_at(&world.cwd, &[&["--", "skc"], words].concat())
        .success();
    assert_eq!(output.stderr, "");
    output
}

fn offered(world: &mut World, words: &[&str]) -> Vec<String> {
    let output = ask(world, "bash", words);
    output.text().lines().map(str::to_owned).collect()
}

#[test]
fn existing_values_are_completed() {
    let mut world = World::demo(&[("SKILL.md", GUIDE), ("references/a.md", "# A\n")]);
    for (words, expected) in [
        (&["outl"][..], &["outline"][..]),
        (&["catalog", "all"], &["allow"]),
        (&["show", "de"], &["demo"]),
        (&["catalog", "load", "de"], &["demo"]),
        (&["explain", "SKL30"], &["SKL301", "SKL302", "SKL303"]),
        (&["lint", "--select", "SKL301,SKL40"], &["SKL301,SKL401"]),
        (&["lint", "--client", "claude-c"], &["claude-code"]),
        (&["build", "--target", "claude-c"], &["claude-code"]),
        (
            &["show", "demo", "--section", "R"],
            &["Refund policy", "Rates"],
        ),
        (&["open", "demo", "ref"], &["references/a.md"]),
        (&["show", "none", "--section", ""], &[]),
        (&["nonsense", ""], &[]),
    ] {
        let found = offered(&mut world, words);
        let found = found
            .iter()
            .map(String::as_str)
            .filter(|word| !word.starts_with('-'));
        let found: Vec<&str> = found.collect();
        assert!(
            found == expected || expected.is_empty() && words[0] == "nonsense",
            "{words:?}: {found:?}"
        );
    }
}

/// Hostile: a shell would execute or expand these headings and file names when the user enters the line.
#[test]
fn shell_metacharacters_are_not_offered() {
    let text =
        format!("{GUIDE}\n## Rate `./evil.sh`\n\n## Rate $(id)\n\n## Rate!\n\n## Rate * of [a]?\n");
    let mut world = World::demo(&[
        ("SKILL.md", &text),
        ("rates`./evil.sh`.md", "# A\n"),
        ("rates$(id).md", "# A\n"),
        ("rates;id.md", "# A\n"),
    ]);
    let section = ["show", "demo", "--section", "Rate"];
    assert_eq!(offered(&mut world, &section), ["Rates", "Rate ./evil.sh"]);
    assert_eq!(
        offered(&mut world, &["open", "demo", "rates"]),
        ["rates;id.md"]
    );
    let others = ask(&mut world, "zsh", &section);
    assert!(!others.text().contains(['$', '`', '!']), "{others:?}");
    assert!(others.text().contains("Rate * of"), "{others:?}");
}

/// Hostile: skc would read the names of these folders and headings as options.
#[test]
fn values_that_look_like_options_are_not_offered() {
    let mut world = World::demo(&[(
        "SKILL.md",
        "# --output=x\n\n# -plain\n\n# Also\u{202e}this\n\n# Usual\n",
    )]);
    world.directory("--fix", &[("SKILL.md", "# A\n")]);
    let offered_skills = offered(&mut world, &["lint", ""]);
    assert!(
        !offered_skills.iter().any(|one| one.contains("--fix/")),
        "{offered_skills:?}"
    );
    let words = ["show", "demo", "--section", ""];
    assert_eq!(offered(&mut world, &words), ["Usual"]);
}

/// Completion does not count as a use of the skill.
#[test]
fn completing_writes_nothing() {
    let mut world = World::demo(&[("SKILL.md", GUIDE)]);
    let before = skillc_tests::snapshot(&world.cwd);
    offered(&mut world, &["show", "demo", "--section", "R"]);
    offered(&mut world, &["show", ""]);
    assert_eq!(skillc_tests::snapshot(&world.cwd), before);
}

/// Headings are untrusted text.
#[test]
fn terminal_control_sequences_are_not_offered() {
    let mut world = World::demo(&[("SKILL.md", "# \u{1b}[31mRed\n\n# Plain: a\\b\n")]);
    let words = ["show", "demo", "--section", ""];
    assert_eq!(offered(&mut world, &words), ["Plain: a\\b"]);
    let zsh = ask(&mut world, "zsh", &words);
    assert_eq!(zsh.text(), "Plain\\: a\\\\b:SKILL.md");
    let fish = ask(&mut world, "fish", &words);
    assert_eq!(fish.text(), "Plain: a\\b\tSKILL.md");
}

/// If the completion variable is still set, normal runs must not break.
#[test]
fn the_completion_variable_alone_has_no_effect() {
    let mut world = World::demo(&[("SKILL.md", GUIDE)]);
    world.set("SKC_COMPLETE", "bash");
    let output = world.skc(["outline", "demo"]).success();
    assert!(output.text().contains("Refund policy"), "{output:?}");
}

#[cfg(unix)]
#[test]
fn bash_completes_through_the_program() {
    let world = World::demo(&[("SKILL.md", GUIDE)]);
    let script = world.skc(["completions", "bash"]).success();
    fs::write(world.cwd.join("skc.bash"), script.text()).expect("a file");
    fs::create_dir(world.cwd.join("bin")).expect("a folder");
    std::os::unix::fs::symlink(PROGRAM, world.cwd.join("bin/skc")).expect("a link");
    let typed = "PATH=$PWD/bin:$PATH; . ./skc.bash; COMP_WORDS=(skc show demo --section R); COMP_CWORD=4; \
         _clap_complete_skc skc R --section; printf '%s\\n' \"${COMPREPLY[@]}\"";
    let mut command: Command = world.process("/bin/bash", &["-c", typed]);
    let output = command.output().expect("bash runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text, "Refund policy\nRates\n", "{output:?}");
}

/// At the first Tab, zsh autoloads the script from `fpath` as a function. Even this first Tab must complete the word.
#[cfg(unix)]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
#[test]
fn zsh_completes_at_the_first_tab_after_autoload() {
    let zsh = ["/bin/zsh", "/usr/bin/zsh"];
    let Some(zsh) = zsh.into_iter().find(|path| Path::new(path).exists()) else {
        eprintln!("skipped: zsh is not installed");
        return;
    };
    let world = World::demo(&[("SKILL.md", GUIDE)]);
    let script = world.skc(["completions", "zsh"]).success();
    for folder in ["bin", "functions"] {
        fs::create_dir(world.cwd.join(folder)).expect("a folder");
    }
    fs::write(world.cwd.join("functions/_skc"), script.text()).expect("a file");
    std::os::unix::fs::symlink(PROGRAM, world.cwd.join("bin/skc")).expect("a link");
    // `compdef` and `_describe` belong to zsh's completion system, which needs a terminal: replace both functions.
    let typed = "path=($PWD/bin $path); fpath=($PWD/functions $fpath); compdef() { }; \
         _describe() { print -l -- ${(@P)argv[-1]}; }; autoload -Uz _skc; \
         words=(skc show demo --section R); CURRENT=5; _skc";
    let mut command: Command = world.process(zsh, &["-f", "-c", typed]);
    let output = command.output().expect("zsh runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(
        text, "Refund policy:SKILL.md\nRates:SKILL.md\n",
        "{output:?}"
    );
}

#[test]
fn man_output_writes_all_manual_pages_into_a_folder() {
    let world = World::new();
    let run = world.skc(["man", "--output", "man/man1"]).success();
    let folder = world.cwd.join("man/man1");
    let count = fs::read_dir(&folder).expect("a folder").count();
    assert_eq!(
        run.text(),
        format!("Wrote {count} manual pages to man/man1\n")
    );
    for (page, command) in [
        ("skc.1", &["man"][..]),
        ("skc-build.1", &["man", "build"]),
        ("skc-mcp-install.1", &["man", "mcp-install"]),
    ] {
        let text = fs::read_to_string(folder.join(page)).expect(page);
        assert_eq!(
            text,
            world.skc_at(&world.cwd, command).success().text(),
            "{page}"
        );
    }
    world.skc(["man", "build", "--output", "x"]).code("E100");
    // Earlier versions of the pages are replaced, but the user's own files with these names are not.
    let page = folder.join("skc-build.1");
    let new = fs::read_to_string(&page).expect("a page");
    fs::write(&page, new.replace("skillc", "older")).expect("written");
    world.skc(["man", "--output", "man/man1"]).success();
    assert_eq!(fs::read_to_string(&page).expect("a page"), new);
    for mine in ["my own text\n", ".TH mine 1\n"] {
        fs::write(&page, mine).expect("written");
        world.skc(["man", "--output", "man/man1"]).code("E100");
        assert_eq!(fs::read_to_string(&page).expect("a page"), mine);
    }
}

#[test]
fn static_completion_scripts_contain_commands_and_options() {
    let world = World::new();
    for shell in ["elvish", "powershell"] {
        let output = world.skc(["completions", shell]).success();
        for word in ["outline", "sources", "check-obsolete", "max-lines"] {
            assert!(output.text().contains(word), "{shell}: {word}");
        }
        assert_eq!(output.stderr, "");
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let world = World::new();
    let root = world.skc(["man"]).success();
    assert!(root.text().contains(".TH skc 1"), "{}", root.text());
    for command in skillc::command().get_subcommands() {
        let name = command.get_name();
        let page = world.skc(["man", name]).success();
        assert!(
            page.text().contains(&format!(".TH skc-{name} 1")),
            "{}",
            page.text()
        );
        assert!(page.text().contains(".SH EXAMPLES\n.nf\n"), "{name}");
    }
    world.skc(["man", "nonsense"]).code("E100");
}
