//! Deleting old rows.

use std::fs;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::json;
use skillc_core::Context;
use skillc_core::context::Asker;
use skillc_tests::{Output, World, database, run_in};

use crate::stats::support::{data, log_of, run, show, stats};

/// Creates three rows of `demo`: two old rows and a new row.
fn logged() -> World {
    let world = World::demo(&[]);
    show(&world, "a.md", "Old").at("2025-06-01T10:00:00Z").log();
    show(&world, "a.md", "Old").at("2025-12-31T23:59:59Z").log();
    show(&world, "a.md", "New").at("2026-01-01T00:00:00Z").log();
    world
}

const PRUNE: [&str; 3] = ["--prune", "--before", "2026-01-01"];

#[test]
fn after_confirmation_older_rows_are_deleted_and_counted() {
    let world = logged();
    let output = run(&world, &[&PRUNE[..], &["--yes"]].concat()).success();
    assert_eq!(
        output.text(),
        "Deleted 2 row(s) from before 2026-01-01T00:00:00Z.\n"
    );
    assert_eq!(
        data(&world, "sections"),
        json!([{"section": "New", "file": "a.md", "count": 1}])
    );
    let again = stats(&world, &[&PRUNE[..], &["--yes"]].concat());
    assert_eq!(again["query"], "prune");
    assert_eq!(
        again["data"],
        json!({"before": "2026-01-01T00:00:00Z", "found": 0, "deleted": 0})
    );
}

#[test]
fn without_confirmation_a_non_interactive_run_deletes_nothing() {
    let world = logged();
    let output = run(&world, &PRUNE);
    output.error(
        "error[E100]: invalid option: '--prune requires --yes in a non-interactive session'",
    );
    let hint = "It would delete 2 row(s) from before 2026-01-01T00:00:00Z in the usage log of 'demo'. Nothing was deleted.";
    assert_eq!(output.stderr.lines().nth(1), Some(hint));
    assert_eq!(data(&world, "commands"), json!({"show": 3}));
    // If there is nothing to delete, the user is not asked.
    run(&world, &["--prune", "--before", "2020-01-01"]).success();
}

/// No matter how many logs other processes have locked, the command waits no longer in total than for a single log.
#[test]
fn the_wait_for_locked_logs_is_bounded_in_total() {
    const WAIT: Duration = Duration::from_millis(200);
    let world = World::demo(&[]);
    let locks: Vec<Connection> = (0..40)
        .map(|at| {
            let name = format!("s{at:02}");
            world.project_skill(&name, &[]);
            let source = world.cwd.join(".skillc/skills").join(&name);
            let runtime = world.cwd.join(".skillc/runtime").join(&name);
            let log = runtime.join(".skillc-meta/logs.db");
            show(&world, "a.md", "Old").of(&source).log_in(&log);
            let other = Connection::open(log).expect("a log");
            other
                .execute_batch("BEGIN EXCLUSIVE")
                .expect("it is unlocked");
            other
        })
        .collect();
    let context = Context {
        lock_wait: WAIT,
        ..world.context_at(&world.cwd)
    };
    let begun = Instant::now();
    let words = [
        "stats",
        "--all",
        "--prune",
        "--before",
        "2026-01-02",
        "--yes",
    ];
    let output = run_in(context, &words).success();
    assert_eq!(output.stderr.matches("[W028]").count(), locks.len());
    // The limit is far more than the command needs, even on a busy machine.
    assert!(begun.elapsed() < WAIT * 40, "{:?}", begun.elapsed());
}

/// A fake user: gives the same answer to every question, and records the questions.
struct FakeUser(bool, Mutex<Vec<String>>);

impl Asker for FakeUser {
    fn confirm(&self, question: &str) -> Option<bool> {
        self.1.lock().expect("one thread").push(question.to_owned());
        Some(self.0)
    }
}

fn answered(world: &World, answer: bool) -> (Output, Vec<String>) {
    let person = Arc::new(FakeUser(answer, Mutex::default()));
    let mut context = world.context_at(&world.cwd);
    context.asker = person.clone();
    let output = run_in(context, &[&["stats", "demo"][..], &PRUNE].concat());
    let questions = person.1.lock().expect("one thread").clone();
    (output, questions)
}

#[test]
fn an_interactive_user_is_asked_once() {
    let world = logged();
    let (output, questions) = answered(&world, false);
    let question = "Delete 2 row(s) from before 2026-01-01T00:00:00Z in the usage log of 'demo'?";
    assert_eq!(questions, [question]);
    assert_eq!(output.success().text(), "Nothing was deleted.\n");
    let (output, questions) = answered(&world, true);
    assert_eq!(questions, [question]);
    assert_eq!(
        output.success().text(),
        "Deleted 2 row(s) from before 2026-01-01T00:00:00Z.\n"
    );
}

/// D-STATS-SHARED-DB: rows of another skill in the same log are kept, and so are rows with invalid times.
#[test]
fn rows_of_other_skills_and_rows_without_a_time_are_kept() {
    let world = logged();
    let other = world.directory("elsewhere/demo", &[]);
    show(&world, "a.md", "Other")
        .of(&other)
        .at("2020-01-01")
        .log();
    show(&world, "a.md", "Gone")
        .of(&world.cwd.join("gone"))
        .at("2020-01-01")
        .log();
    let sql = "INSERT INTO access_log (timestamp, run_id, command, skill, skill_path, cwd, args)
        VALUES ('1', '', 'show', '', '', '', '{}'), ('', '', 'show', '', '', '', '{}')";
    database::change(&log_of(&world), sql);
    let output = run(&world, &[&PRUNE[..], &["--yes", "-o", "json"]].concat()).success();
    assert_eq!(output.json()["data"]["deleted"], 3);
    let connection = database::read(&log_of(&world));
    let left = "SELECT group_concat(timestamp, ' ') FROM (SELECT timestamp FROM access_log ORDER BY timestamp)";
    let left: String = connection
        .query_row(left, [], |row| row.get(0))
        .expect("a text");
    assert_eq!(left, " 1 2020-01-01T00:00:00Z 2026-01-01T00:00:00Z");
}

/// Deleted text must not remain in the file.
#[test]
fn deleted_rows_are_overwritten() {
    let world = logged();
    show(&world, "secret-project.md", "X")
        .at("2020-01-01")
        .log();
    run(&world, &[&PRUNE[..], &["--yes"]].concat()).success();
    let bytes = fs::read(log_of(&world)).expect("a log");
    let needle = b"secret-project";
    assert!(bytes.windows(needle.len()).all(|window| window != needle));
}

#[test]
fn conflicting_options_are_refused() {
    let world = logged();
    for args in [
        &["--prune"][..],
        &["--before", "2026-01-01"],
        &["--yes"],
        &["--prune", "--yes"],
        &["--prune", "--before", "7d", "--since", "8d", "--yes"],
        &["--prune", "--before", "7d", "--project", ".", "--yes"],
    ] {
        run(&world, args).code("E100");
    }
    run(&world, &["--prune", "--before", "long ago", "--yes"]).code("E031");
    assert_eq!(data(&world, "commands"), json!({"show": 3}));
}

#[test]
fn the_logs_of_all_skills_can_be_pruned_at_once() {
    let world = logged();
    let other = world.project_skill("other", &[]);
    let log = world.cwd.join(".skillc/runtime/other/.skillc-meta/logs.db");
    show(&world, "a.md", "Old")
        .of(&other)
        .at("2020-01-01")
        .log_in(&log);
    let args = [&["stats", "--all", "-o", "json", "--yes"], &PRUNE[..]].concat();
    let answer = world.skc_at(&world.cwd, &args).success().json();
    assert_eq!(answer["data"]["deleted"], 3);
    assert_eq!(
        json!([answer["skills"][0]["count"], answer["skills"][1]["count"]]),
        json!([2, 1])
    );
}

#[test]
fn a_file_that_is_not_a_log_is_not_touched() {
    let world = World::demo(&[]);
    run(&world, &[&PRUNE[..], &["--yes"]].concat()).success();
    fs::create_dir_all(log_of(&world).parent().expect("a directory")).expect("creatable");
    let junk = b"no database, but long enough to be taken for one".repeat(9);
    fs::write(log_of(&world), &junk).expect("owned by this test");
    run(&world, &[&PRUNE[..], &["--yes"]].concat()).code("E999");
    assert_eq!(fs::read(log_of(&world)).expect("exists"), junk);
}

/// A log with a trigger was not created by skc.
#[test]
fn a_log_with_a_trigger_is_left_alone() {
    let world = logged();
    let trigger = "CREATE TRIGGER t AFTER DELETE ON access_log BEGIN DELETE FROM access_log; END";
    database::change(&log_of(&world), trigger);
    let before = fs::read(log_of(&world)).expect("a log");
    run_in(
        world.context_at(&world.cwd),
        &[&["stats", "demo", "--yes"], &PRUNE[..]].concat(),
    )
    .code("E999");
    assert!(fs::read(log_of(&world)).expect("a log") == before);
}

/// Tests that need a terminal: the prompt, and waiting for the answer.
#[cfg(target_os = "linux")]
mod terminal {
    use skillc_tests::terminal::on_terminal;

    use super::*;

    /// Runs `--prune` on a terminal and types an answer; returns what the terminal shows.
    fn typed(world: &World, answer: &str) -> String {
        let program = env!("CARGO_BIN_EXE_skc-under-test");
        let args = [&["stats", "demo"][..], &PRUNE].concat();
        let (text, status) = on_terminal(world.process(program, &args), Some(answer));
        assert!(status.success(), "{text}");
        text
    }

    #[test]
    fn a_terminal_is_prompted_and_only_a_yes_deletes() {
        let world = logged();
        let question =
            "Delete 2 row(s) from before 2026-01-01T00:00:00Z in the usage log of 'demo'? [y/N] ";
        for answer in ["n\n", "\n", "yesterday\n", "\u{4}"] {
            let text = typed(&world, answer);
            assert!(text.contains(question), "{answer:?}: {text}");
            assert!(text.contains("Nothing was deleted."), "{answer:?}: {text}");
        }
        let text = typed(&world, "Yes\n");
        assert!(text.contains("Deleted 2 row(s)"), "{text}");
    }
}
