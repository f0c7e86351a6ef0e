//! Rules for sources: where they may use the process environment and the file system, how long files may be, and how
//! they are formatted.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::layout::rust_text::RustText;

pub(crate) const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Folders with product code.
const PRODUCT: [&str; 4] = ["skillc", "rules", "formats", "plugins"];

/// Maximum lines of code per file; a longer file probably covers a second subject.
const MAX_LINES: usize = 700;

/// If only one other file uses a file, the file must have at least this many lines of code; otherwise, it is a fragment
/// of the other file.
const MIN_LINES: usize = 30;

/// Returns every file with an extension below a folder, relative to the root and in path order.
pub(crate) fn files(folder: &str, extension: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::from(folder)];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(Path::new(ROOT).join(&next)).expect("a folder") {
            let entry = entry.expect("an entry");
            let path = next.join(entry.file_name());
            if entry.file_type().expect("a type").is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path.to_str().expect("UTF-8").replace('\\', "/"));
            }
        }
    }
    found.sort();
    found
}

/// Returns the sources of the released `skc`. Leaves out tests, `testkit` (only for tests, behind a feature), and
/// fixtures, some of which are code.
fn product_files() -> Vec<String> {
    let all = PRODUCT.iter().flat_map(|folder| files(folder, "rs"));
    let folders = ["/tests/", "/src/testkit/", "/fixtures/"];
    let is_for_tests = |path: &String| folders.iter().any(|folder| path.contains(folder));
    all.filter(|path| !is_for_tests(path)).collect()
}

fn source(path: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(path)).expect("a readable file")
}

/// Returns every product file outside `allowed` whose code contains one of the words.
fn users_of(words: &[&str], allowed: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for path in product_files().iter().filter(|path| !allowed(path)) {
        let text = RustText::product(&source(path));
        let used = words.iter().filter(|word| text.has(word));
        found.extend(used.map(|word| format!("{path}: {word}")));
    }
    found
}

/// Returns whether a file runs only at build time.
fn is_build_time(path: &str) -> bool {
    path.starts_with("skillc/build/") || path.ends_with("/build.rs")
}

#[test]
fn process_state_is_read_in_the_context_and_the_cli_only() {
    let words = [
        "std::env",
        "env::",
        "current_dir()",
        "SystemTime::now",
        "process::exit",
    ];
    let may = |path: &str| {
        path == "skillc/core/src/context.rs"
            || path.starts_with("skillc/cli/")
            || is_build_time(path)
    };
    assert_eq!(users_of(&words, may), [""; 0]);
    assert!(
        !users_of(&words, is_build_time).is_empty(),
        "the search itself is broken"
    );
}

#[test]
fn output_goes_through_handles_only() {
    let words = ["print!", "println!", "eprint!", "eprintln!", "dbg!"];
    assert_eq!(users_of(&words, is_build_time), [""; 0]);
}

/// A hostile repository could replace a directory of its `.skillc` with a symlink during a build (TOCTOU), so builds
/// write through open directory handles. Only `deploy` writes elsewhere.
#[test]
fn builds_write_through_open_directory_handles() {
    let words = [
        "fs::write",
        "fs::rename",
        "fs::copy",
        "create_dir_all",
        "File::create",
    ];
    let may = |path: &str| {
        !path.starts_with("skillc/ops/src/build/") || path == "skillc/ops/src/build/deploy.rs"
    };
    assert_eq!(users_of(&words, may), [""; 0]);
    assert!(!users_of(&words, |path| path.contains("core")).is_empty());
}

/// Opening a FIFO that replaced a file would block, so files are opened by functions that never block.
#[test]
fn files_are_opened_by_nonblocking_functions() {
    let words = ["File::open(", "fs::read(", "fs::read_to_string("];
    let is_for_tests = |path: &str| path.ends_with("/tests.rs") || path.ends_with("_testkit.rs");
    let may = |path: &str| {
        is_build_time(path) || is_for_tests(path) || path.starts_with("skillc/core/src/source/")
    };
    assert_eq!(users_of(&words, may), [""; 0]);
    assert!(!users_of(&words, is_build_time).is_empty());
}

#[test]
fn sql_is_in_the_storage_crate_only() {
    let statements = [
        "SELECT ",
        "INSERT ",
        "UPDATE ",
        "DELETE FROM ",
        "CREATE TABLE",
        "CREATE VIRTUAL",
        "CREATE INDEX",
        "PRAGMA ",
    ];
    let has_sql = |path: &String| {
        let strings = RustText::product(&source(path)).strings;
        strings
            .iter()
            .any(|text| statements.iter().any(|sql| text.contains(sql)))
    };
    let (storage, elsewhere): (Vec<String>, _) = product_files()
        .into_iter()
        .filter(has_sql)
        .partition(|path| path.starts_with("skillc/storage/"));
    assert_eq!(elsewhere, [""; 0]);
    assert!(!storage.is_empty(), "the search itself is broken");
    let schemas: Vec<String> = PRODUCT
        .iter()
        .flat_map(|folder| files(folder, "sql"))
        .collect();
    assert!(
        schemas
            .iter()
            .all(|path| path.starts_with("skillc/storage/")),
        "{schemas:?}"
    );
}

/// C-USAGE.1: messages with a code come from the table only.
#[test]
fn coded_messages_are_formatted_in_one_file() {
    let has_code = |path: &String| {
        let strings = RustText::product(&source(path)).strings;
        let is_code = |text: &String| text.contains("error[") || text.contains("warning[");
        strings.iter().any(is_code)
    };
    let found: Vec<String> = product_files().into_iter().filter(has_code).collect();
    assert_eq!(found, ["skillc/core/src/error.rs"]);
}

#[test]
fn files_stay_under_seven_hundred_lines_of_code() {
    let mut long = Vec::new();
    for path in product_files().into_iter().chain(files("tests", "rs")) {
        let lines = RustText::product(&source(&path)).lines_of_code();
        if lines >= MAX_LINES {
            long.push(format!("{path}: {lines}"));
        }
    }
    assert_eq!(long, [""; 0]);
}

/// Returns whether a file is a drop-in, which is found by a build script or through the name of a command.
fn is_drop_in(path: &str) -> bool {
    let folders = [
        "rules/src/rules/",
        "plugins/rules/",
        "plugins/indexers/",
        "formats/src/indexers/",
        "skillc/render/src/text/",
    ];
    let is_in = |folder: &&str| path.starts_with(*folder);
    folders.iter().any(is_in) || is_build_time(path)
}

/// Short files that only one other file uses, but that cover a subject of their own.
const IDEAS_OF_THEIR_OWN: [&str; 3] = [
    "skillc/core/src/source/frontmatter/head.rs",
    "skillc/core/src/source/frontmatter/json.rs",
    "skillc/storage/src/search_query.rs",
];

#[test]
fn short_files_are_not_fragments_of_their_only_user() {
    let with_text = |path: String| {
        let text = RustText::product(&source(&path));
        (path, text)
    };
    let all: Vec<(String, RustText)> = product_files().into_iter().map(with_text).collect();
    let mut fragments = Vec::new();
    for (path, text) in &all {
        let (folder, name) = path.rsplit_once('/').expect("a folder");
        let module = name.trim_end_matches(".rs");
        if text.lines_of_code() >= MIN_LINES
            || is_drop_in(path)
            || ["mod", "lib", "main"].contains(&module)
            || IDEAS_OF_THEIR_OWN.contains(&path.as_str())
        {
            continue;
        }
        let package = folder
            .split_once("/src")
            .map_or(folder, |(package, _)| package);
        let path_of = [format!("{module}::"), format!("::{module}")];
        let users = all.iter().filter(|(other, text)| {
            let is_used = path_of.iter().any(|used| text.code.contains(used.as_str()));
            // The module list in `lib.rs` does not count as a user.
            other != path && other.starts_with(package) && !other.ends_with("/lib.rs") && is_used
        });
        if users.count() == 1 {
            fragments.push(path);
        }
    }
    assert_eq!(fragments, [""; 0]);
}

/// Returns whether a source has a doc code block that rustdoc would compile: in Rust, or without a language.
fn has_doctest(source: &str) -> bool {
    let mut open = 0;
    for line in source.lines().map(str::trim_start) {
        let text = line
            .strip_prefix("///")
            .or_else(|| line.strip_prefix("//!"));
        let text = text.unwrap_or_default().trim();
        let language = text.trim_start_matches('`');
        let ticks = text.len() - language.len();
        if open > 0 {
            if ticks >= open && language.is_empty() {
                open = 0;
            }
        } else if ticks >= 3 {
            if language.is_empty() || language.starts_with("rust") || language.starts_with("no_run")
            {
                return true;
            }
            open = ticks;
        }
    }
    false
}

/// CI skips doctests, which take a minute to start, because there are none.
#[test]
fn there_are_no_doctests() {
    let mut found = product_files();
    found.retain(|path| has_doctest(&source(path)));
    assert_eq!(found, [""; 0]);
    assert!(has_doctest("/// ```\n/// let a = 1;\n/// ```\n"));
    assert!(!has_doctest("/// ````text\n/// ```\n/// ````\n"));
}

/// `cargo fmt` does not reach these files: their modules are generated.
#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn drop_in_files_are_formatted() {
    let mut drop_ins = Vec::new();
    for folder in ["rules", "formats", "plugins"] {
        drop_ins.extend(files(folder, "rs"));
    }
    let run = Command::new("rustfmt")
        .args(["--check", "--edition", "2024"])
        .args(&drop_ins)
        .current_dir(ROOT)
        .output();
    match run {
        Ok(run) => assert!(
            run.status.success(),
            "{}",
            String::from_utf8_lossy(&run.stdout)
        ),
        Err(_) => eprintln!("skipped: there is no rustfmt"),
    }
}
