//! Writes skills and runs `skc registry`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use skillc_tests::{Output, World, database};

/// The path of the program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_skc-under-test");

/// Creates a project with a `.git`, so that parent directories are not searched.
pub(crate) fn project() -> World {
    let world = World::new();
    fs::create_dir(world.cwd.join(".git")).expect("a directory");
    world
}

/// Creates a project with these skills.
pub(crate) fn with(names: &[&str]) -> World {
    let world = project();
    for name in names {
        skill(&world, name, "");
    }
    world
}

/// Writes a project skill with additional frontmatter lines. Returns the path of its `SKILL.md`.
pub(crate) fn skill(world: &World, name: &str, more: &str) -> PathBuf {
    let text =
        format!("---\nname: {name}\ndescription: Does {name} things.\n{more}---\n# {name}\n");
    write(
        &world.cwd.join(format!(".agents/skills/{name}/SKILL.md")),
        &text,
    )
}

/// Writes a file, creating directories as needed. Returns its path.
pub(crate) fn write(path: &Path, text: impl AsRef<[u8]>) -> PathBuf {
    fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
    fs::write(path, text).expect("a file");
    path.to_path_buf()
}

/// Runs `skc registry … -o json`.
pub(crate) fn registry(world: &World, args: &[&str]) -> Output {
    let mut all = vec!["registry"];
    all.extend(args);
    all.extend(["-o", "json"]);
    world.skc_at(&world.cwd, &all)
}

/// Updates the registry from disk. Returns the output.
#[track_caller]
pub(crate) fn sync(world: &World) -> Output {
    registry(world, &["sync"]).success()
}

/// Returns the counters of a sync: loaded, skipped, pruned, total on disk.
#[track_caller]
pub(crate) fn counts(sync: &Output) -> [u64; 4] {
    let json = sync.json();
    let count = |key: &str| json[key].as_u64().expect("a number");
    let counts = ["loaded", "skipped", "pruned", "total_on_disk"].map(count);
    assert_eq!(counts[3], counts[0] + counts[1], "{json}");
    counts
}

/// Returns the names of the listed rows, joined by commas.
#[track_caller]
pub(crate) fn listed(world: &World, args: &[&str]) -> String {
    let mut all = vec!["list"];
    all.extend(args);
    let json = registry(world, &all).success().json();
    let skills = json["skills"].as_array().expect("a list");
    assert_eq!(json["total_count"], json!(skills.len()));
    let names = skills
        .iter()
        .map(|row| row["name"].as_str().expect("a name"));
    names.collect::<Vec<_>>().join(",")
}

/// Returns a complete row.
#[track_caller]
pub(crate) fn get(world: &World, name: &str) -> Value {
    registry(world, &["get", name]).success().json()
}

/// Returns the path of the working directory's registry.
#[track_caller]
pub(crate) fn db(world: &World) -> PathBuf {
    let json = registry(world, &["path"]).success().json();
    PathBuf::from(json["path"].as_str().expect("a path"))
}

/// Queries the database directly. Returns the first column of each row, one per line.
pub(crate) fn ask(db: &Path, sql: &str) -> String {
    let connection = database::read(db);
    let mut statement = connection.prepare(sql).expect("a query");
    let rows = statement.query_map([], |row| row.get::<_, String>(0));
    let rows: Result<Vec<String>, _> = rows.expect("an answer").collect();
    rows.expect("texts").join("\n")
}

/// Returns the warnings with this code on standard error.
pub(crate) fn warnings(output: &Output, code: &str) -> Vec<String> {
    let head = format!("warning[{code}]: ");
    let lines = output.stderr.lines();
    lines
        .filter_map(|line| line.strip_prefix(&head))
        .map(str::to_owned)
        .collect()
}
