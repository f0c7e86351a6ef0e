//! Finds the hosts without a scheme that download commands are given: `curl -fsSL get.acme.io/install.sh`.

use memchr::memmem;
use skillc_core::source::lines::char_floor;

use super::name::Name;
use super::{authority_end, is_file_name, numbers};

/// The maximum length of a command, in bytes.
const MAX_COMMAND: usize = 600;

/// The maximum number of words of a command.
const MAX_WORDS: usize = 60;

/// A download command.
struct Tool {
    name: &'static str,
    /// The letters of its options that take a value.
    letters: &'static str,
}

/// The commands whose first argument is an address.
static TOOLS: [Tool; 2] = [
    Tool {
        name: "curl",
        letters: "AbcCdDeEFHKmoPQrtTuUwxXyYz",
    },
    Tool {
        name: "wget",
        letters: "aABDeiIloOPQRtTUwX",
    },
];

/// Long options that take a value.
const LONG: [&str; 28] = [
    "cacert",
    "cert",
    "config",
    "connect-timeout",
    "cookie",
    "data",
    "data-binary",
    "data-raw",
    "data-urlencode",
    "directory-prefix",
    "form",
    "header",
    "key",
    "max-time",
    "output",
    "output-dir",
    "output-document",
    "post-data",
    "post-file",
    "proxy",
    "referer",
    "request",
    "retry",
    "retry-delay",
    "upload-file",
    "user",
    "user-agent",
    "write-out",
];

/// Returns the places of the hosts in a text.
pub(super) fn places(text: &str) -> impl Iterator<Item = usize> {
    TOOLS.iter().flat_map(move |tool| {
        let found = memmem::find_iter(text.as_bytes(), tool.name);
        found.filter_map(move |at| place(text, at, tool))
    })
}

/// Returns the place of the host that the command at a place is given.
fn place(text: &str, at: usize, tool: &Tool) -> Option<usize> {
    let before = text.as_bytes()[..at].last();
    if before.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')) {
        return None;
    }
    let mut start = at + tool.name.len();
    if text[start..].starts_with(".exe") {
        start += 4;
    }
    if !text[start..].starts_with([' ', '\t']) {
        return None;
    }
    let rest = &text[start..char_floor(text, start + MAX_COMMAND)];
    let command = &rest[..command_end(rest)];
    let mut takes_value = false;
    // The quote that a value begins with.
    let mut open: Option<char> = None;
    for word in command.split_inclusive(char::is_whitespace).take(MAX_WORDS) {
        let word_start = start;
        start += word.len();
        let word = word.trim_end();
        if let Some(quote) = open {
            open = open.filter(|_| !word.ends_with(quote));
            continue;
        }
        if word.is_empty() || word == "\\" {
            continue;
        }
        if takes_value {
            takes_value = false;
            let quote = word.chars().next().filter(|c| matches!(c, '"' | '\''));
            open = quote.filter(|quote| word.len() == 1 || !word.ends_with(*quote));
            continue;
        }
        if let Some(option) = word.strip_prefix('-') {
            takes_value = has_value(option, tool);
            continue;
        }
        let bare = word.trim_start_matches(['"', '\'']);
        if bare.contains(":/") {
            continue;
        }
        let host_start = word_start + word.len() - bare.len();
        let raw = &bare[..authority_end(bare)];
        let user = raw.rfind('@').map_or(0, |at| at + 1);
        return is_host(&bare[user..]).then_some(host_start + user);
    }
    None
}

/// Returns the end of the command at the start of a text: a line may continue after `\`.
fn command_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let end = bytes.iter().enumerate().position(|(at, byte)| match byte {
        b'\n' => at == 0 || bytes[at - 1] != b'\\',
        b'|' | b';' | b'`' => true,
        _ => false,
    });
    end.unwrap_or(text.len())
}

/// Returns whether the next word is the value of an option. `option`: its text after the first hyphen.
fn has_value(option: &str, tool: &Tool) -> bool {
    if let Some(long) = option.strip_prefix('-') {
        return LONG.contains(&long);
    }
    let first = option.find(|letter: char| tool.letters.contains(letter));
    first.is_some_and(|at| at + 1 == option.len())
}

/// Returns whether a word begins with a host rather than a word or the name of a file.
fn is_host(word: &str) -> bool {
    let raw = &word[..authority_end(word)];
    let name = Name::read(raw);
    if name.v6.is_some() {
        return true;
    }
    if name.is_open {
        return false;
    }
    let text = &name.text;
    let dots = text.bytes().filter(|byte| *byte == b'.').count();
    if numbers::of_name(text).is_some() {
        return dots == 3 || text.starts_with("0x");
    }
    let top = text.rsplit('.').next().unwrap_or_default();
    let is_top = (2..=18).contains(&top.len()) && top.chars().all(char::is_alphabetic);
    // These are the ends of file names and of hosts.
    let is_both = dots > 1 && matches!(top, "sh" | "rs" | "zip" | "py" | "md");
    let has_path = word[name.length..].starts_with('/');
    dots > 0 && is_top && (has_path || is_both || !is_file_name(text.as_bytes()))
}
