//! The hand-written pages: the book, the README, the contributing guide and the security policy.
//!
//! The tests execute the pages that show a session on the command line. On every page, commands and options must exist,
//! and links and anchors must resolve.

mod commands;
mod contents;
mod links;
mod run;
mod wording;

use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The pages outside the book.
const FRONT: [&str; 3] = [
    "README.md",
    ".github/CONTRIBUTING.md",
    ".github/SECURITY.md",
];

/// A Markdown page.
struct Page {
    /// The path of the page, relative to the root of the repository, with slashes.
    path: String,
    text: String,
}

impl Page {
    /// Reads a page. `path`: relative to the root of the repository.
    fn read(path: &str) -> Self {
        let text = fs::read_to_string(Path::new(ROOT).join(path));
        Self {
            path: path.to_owned(),
            text: text.unwrap_or_else(|e| panic!("{path}: {e}")),
        }
    }

    fn is_generated(&self) -> bool {
        self.path.starts_with("docs/src/reference/")
    }

    /// Returns the fenced code blocks: language and text.
    fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut lines = self.text.lines();
        let mut above = "";
        while let Some(line) = lines.next() {
            let language = line.trim_start_matches('`');
            // A block that contains a fence is delimited by a longer fence.
            let fence = &line[..line.len() - language.len()];
            if fence.len() >= 3 {
                let inner = lines.by_ref().take_while(|line| *line != fence);
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
}

/// A fenced code block.
struct Block {
    language: String,
    text: String,
    /// The last line of text before the block.
    above: String,
}

/// Returns all pages: those of the book, sorted, then those outside it.
fn pages() -> Vec<Page> {
    let root = Path::new(ROOT);
    let relative = |path: PathBuf| {
        let path = path.strip_prefix(root).expect("below the root");
        path.to_string_lossy().replace('\\', "/")
    };
    let book = markdown(&root.join("docs/src")).into_iter().map(relative);
    let front = FRONT.into_iter().map(str::to_owned);
    book.chain(front).map(|path| Page::read(&path)).collect()
}

/// Returns every Markdown file below a folder, sorted.
fn markdown(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(markdown(&path));
        } else if path.extension().is_some_and(|kind| kind == "md") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Splits a command line into words; single and double quotes group a word.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = None::<String>;
    let mut quote = None;
    for c in line.chars() {
        match quote {
            Some(end) if c == end => quote = None,
            None if c == '\'' || c == '"' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c == ' ' => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}
