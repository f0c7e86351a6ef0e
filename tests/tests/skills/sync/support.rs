//! Log fixtures, and readers of logs.

use std::path::{Path, PathBuf};
use std::time::Duration;

use skillc_core::layout::{RuntimeDir, local_runtime};
use skillc_core::testkit::NOW;
use skillc_core::time::Timestamp;
use skillc_storage::Access;
use skillc_storage::access_log::{append, append_local};
use skillc_tests::{World, database};

/// The path of the program under test.
pub(crate) const SKC: &str = env!("CARGO_BIN_EXE_skc-under-test");

/// Timeout for the lock on the local logs. It is long, because other processes of a test can be suspended while they
/// hold the lock.
const PATIENCE: Duration = Duration::from_secs(120);

/// The output when there is nothing to do.
pub(crate) const NOTHING: &str = "No local logs to sync\n";

/// All columns of a row except its id, as SQL literals.
pub(crate) type Row = Vec<String>;

/// Returns the rows of a log, in order; none if there is no log.
pub(crate) fn rows(db: &Path) -> Vec<Row> {
    if !db.exists() {
        return Vec::new();
    }
    let connection = database::read(db);
    let query = "SELECT quote(timestamp), quote(run_id), quote(command), quote(skill), quote(skill_path), quote(cwd),
        quote(args), quote(error) FROM access_log ORDER BY id";
    let mut statement = connection.prepare(query).expect("a log");
    let rows = statement.query_map([], |row| (0..8).map(|at| row.get(at)).collect());
    let rows: Result<_, _> = rows.expect("a log").collect();
    rows.expect("rows")
}

/// Returns the run ids of a log's rows, in order.
pub(crate) fn runs(db: &Path) -> Vec<String> {
    let ids = rows(db).into_iter();
    ids.map(|row| row[1].trim_matches('\'').to_owned())
        .collect()
}

/// Returns the path of the local log of a skill in the world's working directory.
pub(crate) fn local(world: &World, skill: &str) -> PathBuf {
    local_runtime(&world.cwd, skill).logs()
}

/// Returns the path of the log of a project's skill.
pub(crate) fn of_project(root: &Path, skill: &str) -> PathBuf {
    RuntimeDir(root.join(".skillc/runtime").join(skill)).logs()
}

/// Returns the path of the log of a global skill.
pub(crate) fn of_home(world: &World, skill: &str) -> PathBuf {
    of_project(&world.home, skill)
}

/// Returns an access record with the given run id, for a skill whose directory is unknown.
pub(crate) fn access(skill: &str, run: &str) -> Access {
    Access {
        timestamp: NOW,
        run_id: run.into(),
        command: "open".into(),
        skill: skill.into(),
        skill_path: format!("/gone/{skill}"),
        cwd: "/gone".into(),
        args: r#"{"path":"a.md","max_lines":null}"#.into(),
        error: None,
    }
}

/// Appends a record to a log in the same way as a command that reads a skill.
pub(crate) fn put(db: &Path, access: &Access) {
    let folder = db.ancestors().nth(3).expect("directories");
    if folder.ends_with(".skillc/logs") {
        append_local(folder, db, access, PATIENCE, || true).expect("a row");
    } else {
        append(db, access).expect("a row");
    }
}

/// Appends rows of these runs to the local log of a skill.
pub(crate) fn logged(world: &World, skill: &str, ids: &[&str]) {
    for run in ids {
        put(&local(world, skill), &access(skill, run));
    }
}

/// Returns an access record for the skill in a directory.
pub(crate) fn access_of(dir: &Path, run: &str) -> Access {
    let name = dir.file_name().and_then(|name| name.to_str());
    Access {
        skill_path: dir.to_str().expect("UTF-8").to_owned(),
        ..access(name.expect("a name"), run)
    }
}

/// Returns the same record, this many seconds later.
pub(crate) fn later(access: &Access, seconds: i64) -> Access {
    Access {
        timestamp: Timestamp(access.timestamp.0 + seconds),
        ..access.clone()
    }
}

/// Returns the output for a local log that was moved.
pub(crate) fn synced(entries: usize, skill: &str) -> String {
    let noun = if entries == 1 { "entry" } else { "entries" };
    format!("Synced {entries} {noun} for '{skill}' (local logs removed)\n")
}

/// Returns the line for a log that could not be read.
pub(crate) fn unreadable(db: &Path) -> String {
    format!(
        "error[E042]: sync source not readable: '{}'\n",
        db.display()
    )
}

/// Returns the line for a log that could not be written.
pub(crate) fn unwritable(db: &Path) -> String {
    let path = db.display();
    format!("error[E041]: sync destination not writable: '{path}'\n")
}
