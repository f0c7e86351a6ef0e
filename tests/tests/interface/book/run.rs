//! Executes pages: writes the files that a page shows, runs its commands with the real program, and compares the
//! output.
//!
//! A block is the content of a file if the line above the block ends with the file's path and a colon. If that line
//! contains `Add`, the block is appended to the file. In a `console` block, the lines after a command are its output on
//! both streams. `sh` blocks, such as those for the installation, are not run.
//!
//! `UPDATE_DOCS=1 cargo test -p skillc-tests --test interface` updates the output in the pages.

use std::fs;
use std::io::{Read, Seek};
use std::path::Path;

use skillc_core::testkit::write_files;
use skillc_tests::World;

use super::{Block, Page, ROOT, words};
use crate::PROGRAM;

/// Counts of executed commands and written files.
#[derive(Default)]
struct Done {
    commands: usize,
    files: usize,
}

impl Block {
    /// Returns the file path if the block shows a file.
    fn path(&self) -> Option<&str> {
        let path = self.above.strip_suffix("`:")?.rsplit('`').next()?;
        Some(path).filter(|path| path.contains('.'))
    }
}

/// Executes a page.
///
/// `path`: the path of the page, relative to the root of the repository. `folder`: the name of the working directory on
/// the page. `files`: the files that exist beforehand.
#[track_caller]
fn follow(path: &str, folder: &str, files: &[(&str, &str)]) -> Done {
    let page = Page::read(path);
    let mut updated = page.text.clone();
    let mut reader = Reader {
        world: World::new(),
        folder,
        status: String::new(),
        done: Done::default(),
    };
    write_files(&reader.world.cwd, files);
    for block in page.blocks() {
        if block.language == "console" {
            let printed = reader.run_all(&block);
            let is_same = without_times(&printed) == without_times(&block.text);
            if !is_same && std::env::var_os("UPDATE_DOCS").is_some() {
                updated = updated.replacen(&block.text, &printed, 1);
            } else {
                assert!(is_same, "expected:\n{}\nprinted:\n{printed}", block.text);
            }
        } else if let Some(path) = block.path() {
            reader.write(path, &block);
        } else {
            let is_shown_only = matches!(block.language.as_str(), "rust" | "sh");
            assert!(is_shown_only, "not run:\n{}", block.text);
        }
    }
    if updated != page.text {
        fs::write(Path::new(ROOT).join(path), updated).expect("a page");
    }
    reader.done
}

/// Executes the blocks of a page.
struct Reader<'p> {
    world: World,
    /// Name of the working directory on the page.
    folder: &'p str,
    /// The exit status of the last command.
    status: String,
    done: Done,
}

impl Reader<'_> {
    /// Runs the commands of a block. Returns the commands, each followed by its output.
    fn run_all(&mut self, block: &Block) -> String {
        let mut all = String::new();
        for command in block.text.lines() {
            let Some(command) = command.strip_prefix("$ ") else {
                continue;
            };
            let words = words(command);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let printed = match words.as_slice() {
                ["echo", "$?"] => format!("{}\n", self.status),
                ["cat", path] => fs::read_to_string(self.world.cwd.join(path)).expect("a file"),
                ["skc", args @ ..] => {
                    let (printed, status) = run(&self.world, args);
                    self.status = status;
                    self.with_paths(&printed)
                }
                _ => panic!("unsupported command on the page: {command}"),
            };
            all.extend(["$ ", command, "\n", printed.as_str()]);
            self.done.commands += 1;
        }
        all
    }

    /// Writes the file that a block shows.
    fn write(&mut self, path: &str, block: &Block) {
        let path = self.world.cwd.join(path);
        let mut text = String::new();
        if block.above.contains("Add ") {
            text = fs::read_to_string(&path).expect("a file");
            text.push('\n');
        }
        text.push_str(&block.text);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
        self.done.files += 1;
    }

    /// Replaces temporary paths with those shown on the page.
    fn with_paths(&self, text: &str) -> String {
        let cwd = self.world.cwd.to_string_lossy();
        let home = self.world.home.to_string_lossy();
        let text = text.replace(&*cwd, &format!("/home/me/{}", self.folder));
        text.replace(&*home, "/home/me")
    }
}

/// Returns the interleaved output of a command on both streams, and its exit status.
fn run(world: &World, args: &[&str]) -> (String, String) {
    let mut both = tempfile::tempfile().expect("a file");
    let stream = || both.try_clone().expect("a stream");
    let mut command = world.process(PROGRAM, args);
    let status = command.stdout(stream()).stderr(stream()).status();
    let status = status.expect("should run").code().expect("it ended");
    both.rewind().expect("a file");
    let mut printed = String::new();
    both.read_to_string(&mut printed).expect("text");
    (printed, status.to_string())
}

/// Returns the lines of `text` without durations and timestamps.
fn without_times(text: &str) -> Vec<&str> {
    let without_time = |line: &'_ str| match line.rsplit_once(" in ") {
        Some((head, time)) if time.ends_with(" s") => head.len(),
        _ if line.starts_with("Period: ") => "Period: ".len(),
        _ => line.len(),
    };
    text.lines()
        .map(|line| &line[..without_time(line)])
        .collect()
}

/// R5: a newcomer who follows the page writes a rule that has tests and a fix.
#[test]
fn the_page_on_rules_matches_real_output() {
    let done = follow("docs/src/write-a-rule.md", "team", &[]);
    assert!(done.commands >= 15 && done.files >= 10);
}

/// R5.
#[test]
fn the_page_on_formats_matches_real_output() {
    let done = follow("docs/src/write-an-indexer.md", "terms", &[]);
    assert!(done.commands >= 8 && done.files >= 5);
}

#[test]
fn the_tutorial_matches_real_output() {
    let done = follow("docs/src/tutorial.md", "ops", &[]);
    assert!(done.commands >= 14 && done.files == 3);
}

#[test]
fn the_first_session_in_the_readme_matches_real_output() {
    let main = "---\nname: backup-drill\ndescription: Restores a database backup to test it. Use when a backup drill is \
                due.\n---\n\n# Backup Drill\n\n## Choose a backup\n\nTake the latest one, and see \
                [how long it takes](references/timing.md).\n\n## Restore it\n\nUse an empty server.\n\n## Compare\n\n\
                Count the rows of each table on both sides.\n";
    let timing = "# Timing\n\n## Small databases\n\nUnder 10 GB, a restore takes minutes.\n\n## Large databases\n\n\
                  Measure one table first, then multiply.\n";
    let files = [
        ("backup-drill/SKILL.md", main),
        ("backup-drill/references/timing.md", timing),
    ];
    let done = follow("README.md", "work", &files);
    assert!(done.commands >= 5);
}

#[test]
fn starter_scripts_are_under_ten_lines() {
    for (page, call) in [("rule", "rule(#{\n"), ("format", "indexer(#{\n")] {
        let world = World::new();
        world.skc(["plugin", "new", page, "a-b"]).success();
        let script = fs::read_to_string(world.cwd.join(".skillc/plugins/a-b.rhai"));
        let script = script.expect("a script");
        let (_, call) = script.split_once(call).expect("a declaration");
        assert!(call.lines().count() < 10, "{script}");
    }
}
