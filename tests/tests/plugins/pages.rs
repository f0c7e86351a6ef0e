//! The pages on writing rules and formats: their files are written, their commands are run by the real program, and what
//! they show is what it prints.
//!
//! A block is a file if the line above it ends with the file's path and a colon, and is added to that file if the line says
//! so. In a block of commands, what follows a command is what it prints, on both streams.

use std::fs;
use std::io::{Read, Seek};
use std::path::Path;

use skillc_tests::World;

const PROGRAM: &str = env!("CARGO_BIN_EXE_skc-under-test");

/// A block of a page.
struct Block {
    language: String,
    text: String,
    /// The line above it.
    above: String,
}

/// What was done with the blocks of a page.
#[derive(Default)]
struct Done {
    commands: usize,
    files: usize,
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = page.lines();
    let mut above = "";
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let inner = lines.by_ref().take_while(|line| *line != "```");
            blocks.push(Block {
                language: language.to_owned(),
                text: inner.flat_map(|line| [line, "\n"]).collect(),
                above: above.to_owned(),
            });
        } else if !line.is_empty() {
            above = line;
        }
    }
    blocks
}

impl Block {
    /// Returns the path of the file that it is.
    fn path(&self) -> Option<&str> {
        let path = self.above.strip_suffix("`:")?.rsplit('`').next()?;
        Some(path).filter(|path| path.contains('.'))
    }

    /// Returns its commands, each with what it prints.
    fn commands(&self) -> Vec<(&str, &str)> {
        let text = self.text.strip_prefix("$ ").expect("a command comes first");
        let runs = text.split("\n$ ");
        runs.map(|run| run.split_once('\n').unwrap_or((run, "")))
            .collect()
    }
}

/// Follows a page from its beginning to its end. `folder`: what the working directory is called on it.
#[track_caller]
fn follow(page: &str, folder: &str) -> Done {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src");
    let page = fs::read_to_string(path.join(page)).expect("a page");
    let world = World::new();
    let mut done = Done::default();
    let mut status = String::new();
    for block in blocks(&page) {
        if block.language == "console" {
            for (command, shown) in block.commands() {
                let printed = match command.split(' ').collect::<Vec<_>>().as_slice() {
                    ["echo", "$?"] => format!("{status}\n"),
                    ["cat", path] => fs::read_to_string(world.cwd.join(path)).expect("a file"),
                    ["skc", args @ ..] => {
                        let (printed, code) = run(&world, args);
                        status = code;
                        as_shown(&printed, &world, folder)
                    }
                    _ => panic!("the page has a command that is not known here: {command}"),
                };
                let shown = as_shown(shown, &world, folder);
                assert_eq!(printed, shown, "$ {command}\n{printed}");
                done.commands += 1;
            }
        } else if let Some(path) = block.path() {
            let path = world.cwd.join(path);
            let is_added = block.above.contains("Add ");
            let before = if is_added {
                fs::read_to_string(&path).expect("a file") + "\n"
            } else {
                String::new()
            };
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, before + block.text.as_str()).expect("a file");
            done.files += 1;
        } else {
            assert_eq!(block.language, "rust", "nobody runs this:\n{}", block.text);
        }
    }
    done
}

/// Returns what a command prints, on both streams in their order, and its exit status.
fn run(world: &World, args: &[&str]) -> (String, String) {
    let mut both = tempfile::tempfile().expect("a file");
    let stream = || both.try_clone().expect("a stream");
    let mut command = world.process(PROGRAM, args);
    let status = command.stdout(stream()).stderr(stream()).status();
    let status = status.expect("it runs").code().expect("it ended");
    both.rewind().expect("a file");
    let mut printed = String::new();
    both.read_to_string(&mut printed).expect("text");
    (printed, status.to_string())
}

/// Returns a text with the paths of the page, and without the time that it took.
fn as_shown(text: &str, world: &World, folder: &str) -> String {
    let cwd = world.cwd.to_string_lossy();
    let home = world.home.to_string_lossy();
    let text = text
        .replace(&*cwd, &format!("/home/me/{folder}"))
        .replace(&*home, "/home/me");
    let without_time = |line: &str| match line.rsplit_once(" in ") {
        Some((head, time)) if time.ends_with(" s") => head.to_owned(),
        _ => line.to_owned(),
    };
    text.lines().map(|line| without_time(line) + "\n").collect()
}

/// R5: a newcomer gets to a tested rule with a fix.
#[test]
fn the_page_on_rules_is_what_happens() {
    let done = follow("write-a-rule.md", "team");
    assert!(done.commands >= 15 && done.files >= 10);
}

/// R5.
#[test]
fn the_page_on_formats_is_what_happens() {
    let done = follow("write-a-format.md", "terms");
    assert!(done.commands >= 8 && done.files >= 5);
}

#[test]
fn the_scripts_to_begin_with_are_ten_lines_long() {
    for (page, call) in [("rule", "rule(#{\n"), ("format", "indexer(#{\n")] {
        let world = World::new();
        world.skc(["plugin", "new", page, "a-b"]).success();
        let script = fs::read_to_string(world.cwd.join(".skillc/plugins/a-b.rhai"));
        let script = script.expect("a script");
        let (_, call) = script.split_once(call).expect("a declaration");
        assert!(call.lines().count() < 10, "{script}");
    }
}
