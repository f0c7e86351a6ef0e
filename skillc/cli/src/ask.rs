//! User input: answers on the terminal, and text on standard input.

use std::io::{self, BufRead, IsTerminal, Read, Write};

use skillc_core::clean::clean;
use skillc_core::context::{Asker, Choice, Input};

/// Limit on the length of an answer, in bytes.
const MAX_ANSWER_BYTES: u64 = 1 << 10;

/// The interactive terminal, if there is one.
pub(crate) struct Terminal;

impl Asker for Terminal {
    fn confirm(&self, question: &str) -> Option<bool> {
        let answer = ask(&format!("{question} [y/N] "))?;
        Some(matches!(answer.as_str(), "y" | "yes"))
    }

    fn choose(&self, question: &str, _about: &str) -> Option<Choice> {
        let answer = ask(&format!("{question} [y]es / [a]lways / [n]o: "))?;
        Some(match answer.as_str() {
            "y" | "yes" => Choice::Once,
            "a" | "always" => Choice::Always,
            _ => Choice::No,
        })
    }
}

/// Prompts for an answer and returns it in lower case.
fn ask(prompt: &str) -> Option<String> {
    let (stdin, mut stderr) = (io::stdin(), io::stderr());
    if !stdin.is_terminal() || !stderr.is_terminal() {
        return None;
    }
    // Use a single write, so that output of other threads cannot split the prompt. A name in the prompt may come from a
    // repository, so characters that would erase or replace the question are escaped.
    stderr.write_all(clean(prompt).as_bytes()).ok()?;
    let mut answer = Vec::new();
    let mut input = stdin.lock().take(MAX_ANSWER_BYTES);
    input.read_until(b'\n', &mut answer).ok()?;
    Some(String::from_utf8_lossy(&answer).trim().to_ascii_lowercase())
}

pub(crate) struct Stdin;

impl Input for Stdin {
    fn read(&self, max_bytes: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let input = io::stdin().lock();
        input
            .take(max_bytes.saturating_add(1))
            .read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}
