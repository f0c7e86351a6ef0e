//! Parses the host of an address the same way as clients. Parts that the reader or a program fills in later become
//! [`BLANK`].

use core::net::Ipv6Addr;

use super::lists::{SECOND_LEVEL, TOPS};

/// The character that stands for a part to be filled in later.
pub(super) const BLANK: char = '*';

/// The character that stands for a variable. If the variable is unset, only the rest of the label remains.
const VARIABLE: char = '$';

/// The maximum length of a part to be filled in, in bytes.
const MAX_BLANK: usize = 80;

/// The maximum length of a host name, in bytes.
const MAX_NAME: usize = 253;

/// The maximum number of bytes of a host that are read.
const MAX_READ: usize = 1000;

/// A host as written in an address.
#[derive(Debug, Default)]
pub(super) struct Name {
    /// The name in lower case, without the port. [`BLANK`] stands for a part to be filled in. Empty if
    /// [`is_open`](Self::is_open).
    pub(super) text: String,
    /// The port with its colon; empty if there is no port.
    port: String,
    /// Whether the domain itself is to be filled in, so the owner of the host is unknown.
    pub(super) is_open: bool,
    /// Whether the name is longer than the maximum for a host name.
    pub(super) is_long: bool,
    /// Whether the name contains characters that clients reject.
    pub(super) is_odd: bool,
    pub(super) v6: Option<Ipv6Addr>,
    /// The number of bytes that were read.
    pub(super) length: usize,
}

impl Name {
    /// Reads the host at the start of `raw`, up to a character that cannot belong to a host.
    pub(super) fn read(raw: &str) -> Self {
        if let Some(name) = v6(raw) {
            return name;
        }
        let mut reader = Reader::default();
        let mut length = 0;
        while reader.out.len() <= MAX_READ {
            let Some(taken) = reader.step(&raw[length..]) else {
                break;
            };
            length += taken;
        }
        let (name, port) = match reader.out.split_once(':') {
            Some((name, port)) => (name, port),
            None => (&*reader.out, ""),
        };
        let name = name.trim_matches('.');
        let settled = settled(name);
        let is_port = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
        Self {
            is_open: settled.is_none(),
            is_long: name.len() > MAX_NAME && name.is_ascii(),
            is_odd: reader.is_odd,
            port: if is_port {
                format!(":{port}")
            } else {
                String::new()
            },
            text: settled.unwrap_or_default(),
            v6: None,
            length,
        }
    }

    /// Returns the host as shown in a message, with its port. `raw`: the text from which the name was read.
    pub(super) fn shown(&self, raw: &str) -> String {
        if self.is_open {
            let raw = raw[..self.length].trim_end_matches(['.', ':', '*']);
            return raw.to_ascii_lowercase();
        }
        format!("{}{}", self.text, self.port)
    }
}

/// Reads an IPv6 address, in brackets or alone.
fn v6(raw: &str) -> Option<Name> {
    let Some(inner) = raw.strip_prefix('[') else {
        let address: Ipv6Addr = raw.parse().ok()?;
        return Some(Name {
            text: format!("[{raw}]").to_ascii_lowercase(),
            v6: Some(address),
            length: raw.len(),
            ..Name::default()
        });
    };
    let end = inner
        .bytes()
        .take(MAX_BLANK)
        .position(|byte| byte == b']')?;
    // Remove the zone, which may follow the address.
    let text = inner[..end].split('%').next().unwrap_or_default();
    let address: Ipv6Addr = text.parse().ok()?;
    let after = &inner[end + 1..];
    let port = after.strip_prefix(':').map_or(0, |port| {
        1 + port.bytes().take_while(u8::is_ascii_digit).count()
    });
    Some(Name {
        text: format!("[{text}]").to_ascii_lowercase(),
        port: if port > 1 {
            after[..port].to_owned()
        } else {
            String::new()
        },
        v6: Some(address),
        length: end + 2 + port,
        ..Name::default()
    })
}

/// The state of the parser: the part of the host that has been read.
#[derive(Default)]
struct Reader {
    out: String,
    is_odd: bool,
}

impl Reader {
    /// Reads the next part of a host and returns its length in bytes; `None` at the end.
    fn step(&mut self, rest: &str) -> Option<usize> {
        let c = rest.chars().next()?;
        let is_start = self.out.is_empty() || self.out.ends_with(['.', '-', '_', ':']);
        match c {
            '-' | '_' | '.' | ':' => self.out.push(c),
            _ if c.is_ascii_alphanumeric() => self.out.push(c.to_ascii_lowercase()),
            '*' | '…' => self.out.push(BLANK),
            '%' => return Some(self.percent(rest)),
            '$' => return Some(self.variable(rest)),
            '{' => return Some(self.braces(rest)),
            '<' | '(' | '[' if is_start => {
                self.out.push(BLANK);
                return Some(closed(rest).unwrap_or(rest.len()));
            }
            '[' => return self.range(rest),
            _ if is_dot(c) => {
                if !continues(&rest[c.len_utf8()..]) {
                    return None;
                }
                self.out.push('.');
            }
            _ if is_ignored(c) => {}
            _ if c.is_alphanumeric() => self.out.extend(c.to_lowercase()),
            _ => return None,
        }
        Some(c.len_utf8())
    }

    /// Reads percent-encoded characters, a format specifier such as `%s`, or `%NAME%`.
    fn percent(&mut self, rest: &str) -> usize {
        let mut bytes = Vec::new();
        while let Some(byte) = escaped(&rest.as_bytes()[3 * bytes.len()..]) {
            bytes.push(byte);
        }
        let length = 3 * bytes.len();
        // The name of a variable may look like encoded bytes, but these are rarely valid UTF-8.
        if let Some(text) = String::from_utf8(bytes)
            .ok()
            .filter(|text| !text.is_empty())
        {
            for c in text.chars() {
                match c {
                    '-' | '_' | '.' | ':' => self.out.push(c),
                    '{' | '}' | '<' | '>' | '$' | '*' | '[' | ']' | '%' => self.out.push(BLANK),
                    _ if is_dot(c) => self.out.push('.'),
                    _ if is_ignored(c) => {}
                    _ if c.is_alphanumeric() => self.out.extend(c.to_lowercase()),
                    _ => self.is_odd = true,
                }
            }
            return length;
        }
        let after = &rest[1..];
        let named = if after.starts_with('(') {
            closed(after).unwrap_or(after.len())
        } else {
            0
        };
        let length = 1 + named + word(&after[named..]);
        self.out.push(BLANK);
        length + usize::from(rest[length..].starts_with('%'))
    }

    /// Reads a variable: `$NAME`, `${NAME}`, `$(command)`. If there is a default value (`${NAME:-word}`), uses that
    /// value instead.
    fn variable(&mut self, rest: &str) -> usize {
        let after = &rest[1..];
        let length = if after.starts_with(['{', '(']) {
            closed(after).unwrap_or(after.len())
        } else {
            word(after)
        };
        match default(&after[..length]) {
            Some(word) => self.out.push_str(&word.to_ascii_lowercase()),
            None => self.out.push(VARIABLE),
        }
        1 + length
    }

    /// Reads a part in braces: a list of words that clients substitute in turn, or a part to be filled in.
    fn braces(&mut self, rest: &str) -> usize {
        let Some(end) = closed(rest) else {
            self.out.push(BLANK);
            return rest.len();
        };
        let inner = &rest[1..end - 1];
        let is_plain = inner.bytes().all(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b',' | b'-')
        });
        let is_number = |text: &str| {
            let mut bytes = text.bytes();
            !text.is_empty() && bytes.all(|byte| byte.is_ascii_digit() || byte == b'.')
        };
        let is_literal = inner.contains(',')
            || self.out.ends_with('.') && TOPS.contains(&inner)
            || is_number(&self.out) && is_number(inner);
        if is_plain && is_literal {
            let first = inner.split(',').next().unwrap_or_default();
            self.out.push_str(first);
        } else {
            self.out.push(BLANK);
        }
        end
    }

    /// Reads a range within a label, such as `[a-z]`. Clients substitute the characters of the range in turn.
    fn range(&mut self, rest: &str) -> Option<usize> {
        let end = closed(rest)?;
        let &[first, b'-', last] = &rest.as_bytes()[1..end - 1] else {
            return None;
        };
        if !(first.is_ascii_alphanumeric() && last.is_ascii_alphanumeric()) {
            return None;
        }
        self.out.push(char::from(first.to_ascii_lowercase()));
        Some(end)
    }
}

/// Returns the length of the bracketed part at the start of `text`.
fn closed(text: &str) -> Option<usize> {
    let open = *text.as_bytes().first()?;
    let close = match open {
        b'(' => b')',
        b'[' => b']',
        b'{' => b'}',
        _ => b'>',
    };
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate().take(MAX_BLANK) {
        if byte == open {
            depth += 1;
        } else if byte == close {
            depth -= 1;
            if depth == 0 {
                return Some(at + 1);
            }
        }
    }
    None
}

/// Returns the length of the variable name at the start of `text`.
fn word(text: &str) -> usize {
    text.bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        .count()
}

/// Returns the default value in `{NAME:-word}` if it can be part of a host.
fn default(braces: &str) -> Option<&str> {
    let inner = braces.strip_prefix('{')?.strip_suffix('}')?;
    let rest = &inner[word(inner)..];
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    let text = rest.strip_prefix(['-', '='])?;
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':');
    (!text.is_empty() && text.bytes().all(is_part)).then_some(text)
}

/// Decodes the `%` and two hexadecimal digits at the start of `bytes`.
fn escaped(bytes: &[u8]) -> Option<u8> {
    let &[b'%', high, low, ..] = bytes else {
        return None;
    };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

/// Returns whether clients treat a character as a dot.
const fn is_dot(c: char) -> bool {
    matches!(c, '\u{3002}' | '\u{ff0e}' | '\u{ff61}')
}

/// Returns whether clients remove a character from host names.
const fn is_ignored(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}'
    )
}

/// Returns whether a full stop is part of the host, as opposed to the end of a sentence: the text after it ends with a
/// top-level domain or a number.
fn continues(rest: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.' || is_dot(c);
    let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
    let name = rest[..end].trim_end_matches(|c: char| c == '.' || is_dot(c));
    let last = name
        .rsplit(|c: char| c == '.' || is_dot(c))
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let is_top = last.len() == 2 && last.bytes().all(|byte| byte.is_ascii_lowercase())
        || !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit())
        || TOPS.contains(&&*last);
    is_top || rest.starts_with(['%', '$', '{'])
}

/// Removes variables that may be unset, and any text after the top-level domain, from a name. Returns `None` if the
/// domain is to be filled in.
fn settled(name: &str) -> Option<String> {
    if name.is_empty() || name.contains("..") {
        return None;
    }
    if !name.contains([BLANK, VARIABLE]) {
        return Some(name.to_owned());
    }
    let count = name.split('.').count();
    let labels = name.split('.').enumerate();
    let labels: Vec<String> = labels
        .map(|(at, label)| filled(label, at + 1 == count))
        .collect();
    let is_blank = |label: &String| label.contains(BLANK);
    let (last, rest) = labels.split_last()?;
    let is_number = last.bytes().all(|byte| byte.is_ascii_digit());
    if is_blank(last) || is_number && rest.iter().any(is_blank) {
        return None;
    }
    let is_country = last.len() == 2;
    let mut owners = rest.iter().rev();
    let mut owner = owners.next();
    if is_country && owner.is_some_and(|label| SECOND_LEVEL.contains(&&**label)) {
        owner = owners.next().or(owner);
    }
    if owner.is_some_and(is_blank) {
        return None;
    }
    Some(labels.join("."))
}

/// Removes variables and parts that may be empty from a label, if a complete label remains.
fn filled(label: &str, is_last: bool) -> String {
    if !label.contains([BLANK, VARIABLE]) {
        return label.to_owned();
    }
    let whole = if is_last {
        // The host may be followed by a placeholder for a path or a query, such as `{path}`.
        label.trim_end_matches([BLANK, VARIABLE])
    } else {
        label
    };
    let bare = whole.replace(VARIABLE, "");
    let is_whole = if is_last {
        let is_number = !bare.is_empty() && bare.bytes().all(|byte| byte.is_ascii_digit());
        let is_word = bare.chars().nth(1).is_some() && bare.chars().all(char::is_alphabetic);
        is_number || is_word || bare.starts_with("xn--") && !bare.contains(BLANK)
    } else {
        bare.len() >= 3 && !bare.contains(BLANK) && !bare.starts_with('-') && !bare.ends_with('-')
    };
    if is_whole {
        bare
    } else {
        label.replace(VARIABLE, "*")
    }
}
