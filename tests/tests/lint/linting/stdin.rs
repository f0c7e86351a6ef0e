//! `--stdin`: one file from an editor.

use std::fs;
use std::sync::Arc;

use skillc_core::Context;
use skillc_core::context::Input;
use skillc_tests::{Output, World, run_in};

use crate::linting::support::{DEEP, NAMELESS, findings};

struct Given(Vec<u8>);

impl Input for Given {
    fn read(&self, max_bytes: u64) -> std::io::Result<Vec<u8>> {
        let most = usize::try_from(max_bytes).expect("a number of bytes") + 1;
        Ok(self.0[..self.0.len().min(most)].to_vec())
    }
}

/// Lints the given text in a directory below the working directory.
pub(crate) fn lint(world: &World, dir: &str, text: impl Into<Vec<u8>>, args: &[&str]) -> Output {
    let context = Context {
        input: Arc::new(Given(text.into())),
        ..world.context_at(&world.cwd.join(dir))
    };
    run_in(context, &[&["lint", "--stdin"], args].concat())
}

fn world() -> World {
    let world = World::new();
    world.directory(
        "deep",
        &[
            ("SKILL.md", DEEP),
            ("references/a.md", "# A\n"),
            ("references/b.md", "# B\n"),
        ],
    );
    world
}

#[test]
fn the_text_takes_precedence_over_the_file_on_disk() {
    let world = world();
    let text = DEEP.replace(
        "### Deeper",
        "## Deeper\n\n[a](references/a.md) [b](references/b.md)",
    );
    let run = lint(&world, "deep", text, &["-o", "json"]);
    assert!(run.ok, "{run:?}");
    assert_eq!(findings(&run.json()), [""; 0]);
    // The file on disk is not changed.
    assert_eq!(
        fs::read_to_string(world.cwd.join("deep/SKILL.md")).unwrap(),
        DEEP
    );
    let run = lint(
        &world,
        "",
        NAMELESS,
        &["--stdin-filename", "deep/SKILL.md", "-o", "json"],
    );
    assert!(
        !run.ok && findings(&run.json())[0] == "SKL101 SKILL.md",
        "{run:?}"
    );
}

#[test]
fn only_findings_of_the_file_are_shown_with_its_skill_as_context() {
    let world = world();
    for name in ["references/a.md", "references/new.md"] {
        let named = format!("deep/{name}");
        let run = lint(
            &world,
            "",
            "# A\n\n### B\n\n[c](../gone.md)\n",
            &["--stdin-filename", &named, "-o", "json"],
        );
        let found = findings(&run.json());
        for rule in ["SKL205", "SKL301"] {
            assert!(found.contains(&format!("{rule} {name}")), "{found:?}");
        }
        assert!(found.iter().all(|one| one.ends_with(name)), "{found:?}");
    }
}

#[test]
fn paths_are_printed_as_given() {
    let world = world();
    let absolute = world.cwd.join("deep/references/a.md").display().to_string();
    for (dir, given, written) in [
        ("", "deep/references/a.md", "deep/references/a.md"),
        ("", "./deep/references/a.md", "./deep/references/a.md"),
        ("deep", "references/a.md", "references/a.md"),
        ("deep/references", "a.md", "../references/a.md"),
        ("", &absolute, &absolute),
    ] {
        let text = "# A\n\n### B\n";
        let args = ["--stdin-filename", given, "--select", "SKL205"];
        let run = lint(&world, dir, text, &[&args[..], &["-o", "concise"]].concat());
        let line = String::from_utf8(run.stdout.clone()).unwrap();
        assert!(
            line.starts_with(&format!("{written}:3:1: warning: ")),
            "{given}: {line}"
        );
        let run = lint(&world, dir, text, &args);
        assert!(
            run.stderr.contains(&format!("--> {written}:3:1\n")),
            "{given}: {}",
            run.stderr
        );
    }
}

#[test]
fn an_unsaved_skill_is_linted_by_its_main_file() {
    let world = World::new();
    fs::create_dir(world.cwd.join("deep")).unwrap();
    let run = lint(&world, "deep", DEEP, &["-o", "json"]);
    assert_eq!(findings(&run.json()), ["SKL205 SKILL.md"]);
    let run = lint(&world, "deep", DEEP, &["--stdin-filename", "a.md"]);
    run.code("E010");
    lint(&world, "", DEEP, &["--stdin-filename", "none/SKILL.md"]).code("E022");
}

#[test]
fn invalid_utf8_and_oversized_input_are_reported() {
    let world = world();
    let run = lint(&world, "deep", b"# \xff\n", &[]);
    run.error("error[E100]: invalid option: 'standard input is not UTF-8 at byte 2'");
    let run = lint(&world, "deep", vec![b'a'; (32 << 20) + 1], &[]);
    run.error(
        "error[E100]: invalid option: 'standard input is too large to lint: more than 32 MiB'",
    );
}

#[test]
fn stdin_conflicts_with_skills_and_fixes_and_is_not_logged() {
    let world = World::demo(&[]);
    for args in [
        &["demo"][..],
        &["--fix"],
        &["--diff"],
        &["--watch"],
        &["--changed-since", "x"],
    ] {
        lint(&world, "", "", args).code("E100");
    }
    world.skc(["lint", "--stdin-filename", "x.md"]).code("E100");
    let run = world.skc(["lint", "demo", "--stdin-filename", "x.md"]);
    run.error("error[E100]: invalid option: '--stdin-filename requires --stdin'");
    let run = lint(&world, ".skillc/skills/demo", NAMELESS, &[]);
    assert!(!run.ok);
    assert!(!world.home.join(".skillc/logs").exists() && !world.demo_runtime().exists());
}

#[test]
fn a_file_in_a_missing_folder_belongs_to_the_skill_above() {
    let world = world();
    let run = lint(
        &world,
        "",
        "# A\n\n### B\n",
        &["--stdin-filename", "deep/new/er/a.md", "-o", "json"],
    );
    let found = findings(&run.json());
    assert!(found.contains(&"SKL205 new/er/a.md".to_owned()), "{run:?}");
    let run = lint(
        &world,
        "",
        "# A\n",
        &["--stdin-filename", "deep/references"],
    );
    run.error("error[E100]: invalid option: 'deep/references is a directory; give a file'");
}
