//! Recognizes small parts of command lines: blanks, tags, and the escapes of a shell.

/// Returns whether only blanks precede the end of the text on its line.
pub(super) fn is_line_start(before: &[u8]) -> bool {
    let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t');
    let last = before.iter().rev().find(|byte| !is_blank(byte));
    last.is_none_or(|byte| *byte == b'\n')
}

/// Returns whether a command has no effect: `:`, or only a comment.
pub(super) fn is_void(command: &[u8]) -> bool {
    let command = command.trim_ascii();
    matches!(command, b"" | b":" | b"true") || command.starts_with(b"#")
}

/// Returns whether quoted text contains only characters of a single word.
pub(super) fn is_plain(content: &[u8]) -> bool {
    let is_sign = |byte: &u8| {
        byte.is_ascii_whitespace()
            || matches!(byte, b'|' | b'&' | b';' | b'(' | b')' | b'<' | b'>' | b'`')
    };
    !content.iter().any(is_sign)
}

/// Returns the length of an HTML tag, or of a placeholder in angle brackets.
pub(super) fn tag(text: &[u8]) -> Option<usize> {
    let inner = text.strip_prefix(b"<")?;
    if !inner.first()?.is_ascii_alphabetic() && inner[0] != b'/' {
        return None;
    }
    let close = inner
        .iter()
        .take(200)
        .position(|byte| matches!(byte, b'>' | b'<' | b'|' | b'\n'))?;
    let has_blank = inner[..close].iter().any(u8::is_ascii_whitespace);
    let is_tag = inner[close] == b'>' && (!has_blank || inner[..close].contains(&b'='));
    is_tag.then_some(close + 2)
}

/// Decodes the escapes of `$'…'`.
pub(super) fn unescaped(content: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(content.len());
    let mut at = 0;
    while at < content.len() {
        let rest = &content[at + 1..];
        if content[at] != b'\\' || rest.is_empty() {
            out.push(content[at]);
            at += 1;
            continue;
        }
        let (skipped, radix, most) = match rest[0] {
            b'x' => (1, 16, 2),
            b'u' => (1, 16, 4),
            b'0'..=b'7' => (0, 8, 3),
            _ => (0, 0, 0),
        };
        let is_digit = |byte: &&u8| radix > 0 && char::from(**byte).is_digit(radix);
        let length = rest[skipped..]
            .iter()
            .take(most)
            .take_while(is_digit)
            .count();
        let digits = std::str::from_utf8(&rest[skipped..skipped + length]).unwrap_or_default();
        if let Ok(byte) = u8::from_str_radix(digits, radix.max(2)) {
            out.push(byte);
            at += 1 + skipped + length;
        } else {
            out.push(rest[0]);
            at += 2;
        }
    }
    out
}
