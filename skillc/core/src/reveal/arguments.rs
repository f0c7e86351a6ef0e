//! Joins the arguments that code passes to a program as a list: `["curl", "-T", path, url]`,
//! `execFile("curl", [a, b])`. The result reads like a command line.

use super::decode::MAX_PART;
use super::packed::more;
use super::{Decoded, Encoding};
use crate::source::lines::{Span, char_floor};

/// Programs that connect to other machines.
const PROGRAMS: [&str; 13] = [
    "curl", "wget", "scp", "rsync", "sftp", "ssh", "nc", "ncat", "netcat", "socat", "telnet",
    "openssl", "http",
];

/// The maximum length of an argument list, in bytes.
const MAX_LIST: usize = 2000;

/// The maximum number of arguments in a list.
const MAX_ARGUMENTS: usize = 400;

/// Adds a command line for each argument list of a program.
pub(super) fn join(text: &str, found: &mut Vec<Decoded>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut room = MAX_PART;
    while let Some(quote) = memchr::memchr2(b'"', b'\'', &bytes[at..]) {
        let start = at + quote;
        at = start + 1;
        let Some(program) = program(&text[at..], bytes[start]) else {
            continue;
        };
        let from = at + program.len() + 1;
        let rest = &text[from..char_floor(text, from + MAX_LIST)];
        let Some((arguments, length)) = arguments(rest) else {
            continue;
        };
        at = from + length;
        room = room.saturating_sub(arguments.len() + program.len());
        if room == 0 {
            found.push(more(start, Encoding::Concatenation));
            return;
        }
        found.push(Decoded {
            span: Span::new(start, at),
            text: format!("{program}{arguments}"),
            encoding: Encoding::Concatenation,
        });
    }
}

/// Returns the name of the program in a string literal. `text`: the text after the opening quote of the literal.
fn program(text: &str, quote: u8) -> Option<&str> {
    let length = text.bytes().take(40).position(|byte| byte == quote)?;
    let name = &text[..length];
    let bare = name.rsplit('/').next().unwrap_or(name);
    PROGRAMS.contains(&bare).then_some(name)
}

/// Returns the arguments that follow the name of a program in a list, each preceded by a blank, and the length of the
/// list; `None` if the program is not the first element of a list or of a call.
fn arguments(text: &str) -> Option<(String, usize)> {
    let bare = text.trim_start();
    let is_list = bare.starts_with(',') || bare.starts_with(").arg") || bare.starts_with(")\n");
    if !is_list {
        return None;
    }
    let bytes = text.as_bytes();
    let mut out = String::new();
    let (mut at, mut count, mut depth) = (0, 0, 0_usize);
    // After a call such as `Command::new("curl")`, further calls add the arguments.
    let is_chain = bare.starts_with(')');
    while at < bytes.len() && count < MAX_ARGUMENTS {
        match bytes[at] {
            quote @ (b'"' | b'\'' | b'`') => {
                let rest = &text[at + 1..];
                let close = rest.bytes().position(|byte| byte == quote)?;
                out.push(' ');
                out.push_str(&rest[..close]);
                at += close + 2;
                count += 1;
                continue;
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth == 0 && !is_chain => break,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b';' => break,
            b'\n' if depth == 0 && is_chain && !goes_on(&text[at..]) => break,
            byte if byte.is_ascii_alphabetic() || byte == b'_' => {
                let name = name(&text[at..]);
                at += name.len();
                // The name of a function is not an argument.
                if !text[at..].starts_with('(') && !name.contains('.') && name.len() > 1 {
                    out.push_str(" $");
                    out.push_str(name);
                    count += 1;
                }
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    while !text.is_char_boundary(at) {
        at += 1;
    }
    (count > 1).then_some((out, at))
}

/// Returns the dotted name at the start of `text`, such as `a.b`.
fn name(text: &str) -> &str {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    let length = text.bytes().take_while(is_part).count();
    &text[..length]
}

/// Returns whether a chain of calls continues on the next line.
fn goes_on(text: &str) -> bool {
    text.trim_start().starts_with('.')
}
