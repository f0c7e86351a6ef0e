//! Resolves patterns in the paths of programs. A shell runs the first file that a pattern matches: `/bin/c?rl` is
//! `/bin/curl`.

use super::decode::MAX_PART;
use super::packed::more;
use super::{Decoded, Encoding};
use crate::source::lines::Span;

/// Patterns are resolved in at most this many parts of a layer.
const MAX_COMMANDS: usize = 100;

/// Lines with patterns are in the same part if at most this many bytes are between them, because they may be lines of
/// the same command.
const NEAR: usize = 2000;

/// Programs that an attacker has a reason to hide.
const PROGRAMS: [&str; 18] = [
    "curl", "wget", "bash", "sh", "zsh", "dash", "ksh", "python3", "python", "perl", "ruby",
    "node", "php", "nc", "ncat", "socat", "base64", "openssl",
];

/// Folders with programs.
const FOLDERS: [&str; 2] = ["bin", "sbin"];

/// Adds each part of `text` in which a pattern is the path of a program, with its patterns resolved.
pub(super) fn resolve(text: &str, found: &mut Vec<Decoded>) {
    let bytes = text.as_bytes();
    let mut parts: Vec<(Span, String)> = Vec::new();
    let mut room = MAX_PART;
    let mut start = 0;
    while let Some(sign) = memchr::memchr3(b'?', b'*', b'[', &bytes[start..]) {
        let sign = start + sign;
        let line = memchr::memrchr(b'\n', &bytes[start..sign]);
        let first = line.map_or(start, |end| start + end + 1);
        let line = memchr::memchr(b'\n', &bytes[sign..]);
        let end = line.map_or(bytes.len(), |end| sign + end);
        start = end;
        let line = &text[first..end];
        let Some(plain) = may_have_path(line).then(|| resolved(line)).flatten() else {
            continue;
        };
        let last = parts.last().map(|(span, _)| span.end);
        let between = last.filter(|last| first - last <= NEAR).unwrap_or(first);
        let length = first - between + plain.len();
        if parts.len() == MAX_COMMANDS || length > room {
            found.push(more(first, Encoding::Concatenation));
            break;
        }
        room -= length;
        let near = parts.last_mut().filter(|_| between < first);
        if let Some((span, part)) = near {
            part.push_str(&text[between..first]);
            part.push_str(&plain);
            span.end = end;
        } else {
            parts.push((Span::new(first, end), plain));
        }
    }
    found.extend(parts.into_iter().map(|(span, text)| Decoded {
        span,
        text,
        encoding: Encoding::Concatenation,
    }));
}

/// Returns whether a character ends a word.
fn is_end(c: char) -> bool {
    c.is_whitespace() || "|&;()<>`\"'={},".contains(c)
}

/// Returns whether a line contains an absolute path in a folder. Few lines do.
fn may_have_path(line: &str) -> bool {
    let mut slashes = memchr::memchr_iter(b'/', line.as_bytes());
    slashes.any(|at| line[..at].chars().next_back().is_none_or(is_end))
}

/// Returns a line with the patterns resolved; `None` if it has no pattern that is the path of a program.
fn resolved(line: &str) -> Option<String> {
    let mut out = String::with_capacity(line.len());
    let mut is_new = false;
    for part in line.split_inclusive(is_end) {
        let word = part.trim_end_matches(is_end);
        let path = program(word);
        is_new |= path.is_some();
        out.push_str(path.as_deref().unwrap_or(word));
        out.push_str(&part[word.len()..]);
    }
    is_new.then_some(out)
}

/// Returns the path of the program that a pattern matches. The pattern must have a letter, because `/bin/*` means all
/// programs.
fn program(word: &str) -> Option<String> {
    let (folder, pattern) = word.strip_prefix('/')?.rsplit_once('/')?;
    let is_pattern = pattern.contains(['?', '*', '[']);
    if !is_pattern || !pattern.contains(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let last = folder.rsplit('/').find(|part| !matches!(*part, "" | "."))?;
    let is_match = |pattern: &str, name: &str| matches(pattern.as_bytes(), name.as_bytes());
    let is_folder = FOLDERS.iter().any(|name| is_match(last, name));
    let name = PROGRAMS.iter().find(|name| is_match(pattern, name))?;
    is_folder.then(|| format!("/{folder}/{name}"))
}

/// Returns whether a pattern matches a whole name.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut of) = (0, 0);
    // The offset after the last `*`, and the offset in the name up to which the `*` matches.
    let mut star: Option<(usize, usize)> = None;
    while let Some(byte) = name.get(of) {
        if pattern.get(at) == Some(&b'*') {
            at += 1;
            star = Some((at, of));
        } else if let Some(width) = matches_one(&pattern[at..], *byte) {
            at += width;
            of += 1;
        } else if let Some((after, until)) = star {
            at = after;
            of = until + 1;
            star = Some((after, of));
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

/// Returns the length of the first element of a pattern, if that element matches a byte.
fn matches_one(pattern: &[u8], byte: u8) -> Option<usize> {
    let first = *pattern.first()?;
    match first {
        b'?' => Some(1),
        b'[' => {
            let close = 2 + pattern.iter().skip(2).position(|sign| *sign == b']')?;
            let set = &pattern[1..close];
            let (is_negated, set) = match set {
                [b'!' | b'^', set @ ..] => (true, set),
                _ => (false, set),
            };
            (contains(set, byte) != is_negated).then_some(close + 1)
        }
        b'\\' => (pattern.get(1) == Some(&byte)).then_some(2),
        _ => (first == byte).then_some(1),
    }
}

/// Returns whether a character set such as `a-z_` contains a byte.
fn contains(mut set: &[u8], byte: u8) -> bool {
    while let Some((first, rest)) = set.split_first() {
        let (last, rest) = match rest {
            [b'-', last, rest @ ..] => (last, rest),
            _ => (first, rest),
        };
        if (*first..=*last).contains(&byte) {
            return true;
        }
        set = rest;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        resolve(text, &mut found);
        found.into_iter().map(|part| part.text).collect()
    }

    #[test]
    fn patterns_of_programs_are_resolved() {
        for (text, expected) in [
            (
                "/usr/bin/c?rl a | /bin/b?sh\n",
                "/usr/bin/curl a | /bin/bash",
            ),
            (
                "x\n/usr/bin/cu[r]l a |\n\n/bin/ba[!x]h\n",
                "/usr/bin/curl a |\n\n/bin/bash",
            ),
            ("$(/???/w*t a)", "$(/???/wget a)"),
            ("/*/b?n/./[b-d]url a", "/*/b?n/./curl a"),
            ("/bin/*c*a*t* a", "/bin/ncat a"),
        ] {
            assert_eq!(read(text), [expected], "{text}");
        }
        let far = format!("/bin/c?rl a\n{}/bin/b?sh", "x\n".repeat(2000));
        assert_eq!(read(&far), ["/bin/curl a", "/bin/bash"]);
    }

    #[test]
    fn other_patterns_are_kept() {
        for text in [
            "ls /bin/* /usr/bin/??",
            "rm /tmp/c?rl /etc/*sh",
            "https://a.example/bin/c?rl",
            "c?rl a | b?sh",
            "/bin/[",
            "/bin/[x",
            "/bin/c[",
            "/bin/cx[!",
            "/bin/x?rl",
            "/c?rl",
            "é*",
            "?",
        ] {
            assert!(read(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_layer_with_too_many_patterns_is_marked() {
        let line = format!("/bin/c?rl a\n{}", "x\n".repeat(1001));
        let found = read(&line.repeat(101));
        assert!(found.contains(&String::new()), "{}", found.len());
    }
}
