//! Detects whether text in a skill mentions one of the skill's files, such as `python scripts/office/unpack.py`.
//!
//! A reader of text with such paths needs the folder to which the paths are relative. The text is not interpreted: a
//! word counts as a file if it is an existing path in the skill. The text may be hostile, so its length and the number
//! of lookups are bounded, and paths outside the skill are ignored.

use std::collections::BTreeSet;
use std::path::Path;

use skillc_core::RelPath;
use skillc_core::layout::SKILL_FILE;
use skillc_core::source::{Located, locate};

/// The maximum number of bytes to scan.
const MAX_BYTES: usize = 1 << 20;

/// The maximum length of a word to look up, in bytes.
const MAX_WORD_BYTES: usize = 512;

/// The maximum number of words to look up.
const MAX_WORDS: usize = 500;

/// Returns whether text mentions a file of a skill, or a folder with a trailing slash. The skill's own `SKILL.md` is
/// ignored.
///
/// `root`: the canonical path of the skill's directory.
pub(crate) fn names_a_file(text: &[u8], root: &Path) -> bool {
    let text = &text[..text.len().min(MAX_BYTES)];
    let text = String::from_utf8_lossy(text);
    let words = text.split(is_delimiter).map(trimmed);
    let is_telling = |word: &&str| word.contains(['.', '/']) && word.len() <= MAX_WORD_BYTES;
    let mut seen = BTreeSet::new();
    let new = words.filter(is_telling).filter(|word| seen.insert(*word));
    new.take(MAX_WORDS).any(|word| is_in(root, word))
}

/// Returns whether a character ends a path in prose or in a command. `{` and `}` are delimiters, so that the path after
/// `${CLAUDE_SKILL_DIR}` or `{baseDir}` is a separate word.
fn is_delimiter(c: char) -> bool {
    c.is_whitespace() || "\"'`()<>[]{},;|=*:&#".contains(c)
}

/// Strips a leading `/` or `./`, and the full stop of a sentence.
fn trimmed(word: &str) -> &str {
    let word = word.trim_end_matches('.').trim_start_matches('/');
    word.strip_prefix("./").unwrap_or(word)
}

fn is_in(root: &Path, word: &str) -> bool {
    let (path, is_dir) = match word.strip_suffix('/') {
        Some(path) => (path, true),
        None => (word, false),
    };
    let Ok(path) = RelPath::parse(path) else {
        return false;
    };
    if path.as_str().is_empty() || path.as_str() == SKILL_FILE {
        return false;
    }
    match locate(root, &path) {
        Located::Inside(real) => is_dir && real.is_dir() || real.is_file(),
        Located::Outside | Located::Missing => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use skillc_core::testkit::write_files;
    use tempfile::TempDir;

    fn skill() -> (TempDir, std::path::PathBuf) {
        let dir = TempDir::new().unwrap();
        let root = dir.path().canonicalize().unwrap().join("docx");
        write_files(
            &root,
            &[
                ("SKILL.md", "x"),
                ("scripts/office/unpack.py", "x"),
                ("forms.md", "x"),
                ("../outside.py", "x"),
            ],
        );
        (dir, root)
    }

    #[test]
    fn paths_of_the_skill_are_found_in_prose_code_and_commands() {
        let (_dir, root) = skill();
        for text in [
            "```sh\npython scripts/office/unpack.py in.docx out/\n```",
            "Run `scripts/office/unpack.py`.",
            "See [the forms](forms.md#fields).",
            "see ./forms.md.",
            "python ${CLAUDE_SKILL_DIR}/scripts/office/unpack.py",
            "python {baseDir}/scripts/office/unpack.py",
            "The scripts are in scripts/office/.",
            "--script=scripts/office/unpack.py",
        ] {
            assert!(names_a_file(text.as_bytes(), &root), "{text}");
        }
    }

    #[test]
    fn other_words_are_ignored() {
        let (_dir, root) = skill();
        for text in [
            "",
            "Nothing. To. See.",
            "scripts office unpack.py forms",
            "Edit SKILL.md.",
            "../outside.py /etc/hosts ../docx/forms.md",
            "https://example.com/forms.html",
            ". / ./ .. ../",
            "scripts/office/unpack.pyc scripts/\0office",
        ] {
            assert!(!names_a_file(text.as_bytes(), &root), "{text}");
        }
        assert!(!names_a_file(b"\xff\xfe scripts", &root));
    }

    #[test]
    fn a_long_text_is_read_up_to_a_bound() {
        let (_dir, root) = skill();
        let many: Vec<String> = (0..MAX_WORDS).map(|n| format!("a/{n}")).collect();
        let many = many.join(" ");
        assert!(!names_a_file(format!("{many} forms.md").as_bytes(), &root));
        let long = "x".repeat(MAX_BYTES) + " forms.md";
        assert!(!names_a_file(long.as_bytes(), &root));
    }
}
