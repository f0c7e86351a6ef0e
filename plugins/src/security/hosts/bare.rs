//! Finds hosts without a scheme: in mail addresses, constructors of network clients, variables, and pairs of host and
//! port.
//!
//! For each kind of host, there is a regular expression. All its matches contain a short literal, the marker, such as
//! `@`. Most markers are not part of a match, so the expression is tried only at markers next to suitable bytes, and
//! only on the bytes that a match around the marker can cover. The result is the same as for a search in the whole
//! text.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;
use skillc_core::Span;

use super::MOST_OTHERS;

/// A host, as written in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bare {
    /// The position at which the host is reported.
    pub(super) start: usize,
    pub(super) host: Span,
}

/// The maximum number of bytes of a host that these expressions match, including the surrounding bytes.
const LONGEST: usize = 360;

/// A mail address, or the user and host of `scp` and `ssh`.
static MAIL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)(?:^|[\s\x22'`(<:,])[\w.+-]{1,60}@((?:[\w-]{1,60}\.){1,5}[a-z]{2,18}|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})\b").expect("a pattern")
});

/// A host and its port in a program: `("203.0.113.9", 4444)`.
static PAIR: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)[\x22'](\d{1,3}(?:\.\d{1,3}){3}|[a-z0-9-]{1,60}(?:\.[a-z0-9-]{1,60}){0,4}\.[a-z]{2,18})[\x22']\s*,\s*\d{2,5}\b").expect("a pattern")
});

/// The host in the constructor of a client: `HTTPSConnection("a.example")`.
static CLIENT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)(?:connection|smtp(?:_ssl)?|ftp(?:_tls)?|connect|client)\(\s*(?:\d{2,5}\s*,\s*)?[\x22']([a-z0-9-]{1,60}(?:\.[a-z0-9-]{1,60}){0,4}\.[a-z]{2,18}|\d{1,3}(?:\.\d{1,3}){3})[\x22']").expect("a pattern")
});

/// The endings of the names of network clients, in lower case.
const CLIENTS: [&[u8]; 7] = [
    b"connection",
    b"smtp",
    b"smtp_ssl",
    b"ftp",
    b"ftp_tls",
    b"connect",
    b"client",
];

/// A host without a scheme: the value of a variable with a name such as `host` or `server`.
static VALUE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)(?:(?:host|server|domain|zone|endpoint|relay|c2|dns)(?:name)?[\x22']?\s{0,2}[:=]\s{0,2}[\x22']|\b(?:host|server|domain|zone|endpoint|relay)=)([a-z0-9-]{1,60}(?:\.[a-z0-9-]{1,60}){0,4}\.[a-z]{2,18}|\d{1,3}(?:\.\d{1,3}){3})(?:$|[\x22'\s:/|;)])").expect("a pattern")
});

/// The endings of the names of variables that contain a host, in lower case.
const NAMES: [&[u8]; 8] = [
    b"host",
    b"server",
    b"domain",
    b"zone",
    b"endpoint",
    b"relay",
    b"c2",
    b"dns",
];

/// Collects the matches of an expression.
struct Finder<'a> {
    bytes: &'a [u8],
    found: Vec<Bare>,
    /// The end of the last match.
    done: usize,
}

impl<'a> Finder<'a> {
    const fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            found: Vec::new(),
            done: 0,
        }
    }

    /// Adds the match that contains the marker at `sign`, if there is one. `range`: the bytes that such a match can
    /// cover, plus one byte.
    fn add(&mut self, regex: &Regex, sign: usize, range: Range<usize>) {
        let low = self.done.max(range.start);
        let bytes = &self.bytes[..range.end.min(self.bytes.len())];
        if sign < self.done || self.is_full() {
            return;
        }
        let Some(groups) = regex.captures_at(bytes, low) else {
            return;
        };
        if let (Some(whole), Some(host)) = (groups.get(0), groups.get(1))
            && (whole.start()..whole.end()).contains(&sign)
        {
            self.done = whole.end();
            self.found.push(Bare {
                start: whole.start(),
                host: Span::new(host.start(), host.end()),
            });
        }
    }

    fn is_full(&self) -> bool {
        self.found.len() == MOST_OTHERS
    }
}

/// Returns the hosts of the mail addresses in `bytes`.
pub(super) fn mails(bytes: &[u8]) -> Vec<Bare> {
    /// The maximum length of a user name, plus one for the byte before it.
    const USER: usize = 61;
    let is_user = |byte: u8| is_in_name(byte) || matches!(byte, b'.' | b'+' | b'-');
    let mut finder = Finder::new(bytes);
    for at in memchr::memchr_iter(b'@', bytes) {
        let before = bytes[..at].iter().rev().take(USER);
        let user = at - before.take_while(|byte| is_user(**byte)).count();
        let start = user.saturating_sub(1);
        let end = host_end(bytes, at + 1);
        let is_start = user == 0 || !is_user(bytes[start]);
        if user < at && is_start && end > at + 1 {
            finder.add(&MAIL, at, start..end + 1);
        }
    }
    finder.found
}

/// Returns the hosts that are passed to network clients.
pub(super) fn clients(bytes: &[u8]) -> Vec<Bare> {
    /// The maximum length of a name.
    const NAME: usize = 10;
    let mut finder = Finder::new(bytes);
    for at in memchr::memchr_iter(b'(', bytes) {
        let start = at.saturating_sub(NAME);
        if !CLIENTS.iter().any(|end| ends_with(&bytes[start..at], end)) {
            continue;
        }
        let mut next = after_blanks(bytes, at + 1);
        let digits = bytes[next..].iter();
        let digits = digits.take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 0 {
            next = after_blanks(bytes, next + digits);
            if bytes.get(next) != Some(&b',') {
                continue;
            }
            next = after_blanks(bytes, next + 1);
        }
        if matches!(bytes.get(next), Some(b'"' | b'\'')) {
            finder.add(&CLIENT, at, start..host_end(bytes, next + 1) + 1);
        }
    }
    finder.found
}

/// Returns the hosts that are the values of variables.
pub(super) fn values(bytes: &[u8]) -> Vec<Bare> {
    /// The maximum length of a name, including a quote and blanks after it, plus one byte.
    const NAME: usize = 16;
    let mut finder = Finder::new(bytes);
    for at in memchr::memchr2_iter(b'=', b':', bytes) {
        let start = at.saturating_sub(NAME);
        let mut name = &bytes[start..at];
        for _ in 0..2 {
            name = match name {
                [rest @ .., last] if is_blank(*last) => rest,
                name => name,
            };
        }
        if let [rest @ .., b'"' | b'\''] = name {
            name = rest;
        }
        if ends_with(name, b"name") {
            name = &name[..name.len() - 4];
        }
        if !NAMES.iter().any(|end| ends_with(name, end)) {
            continue;
        }
        let quote =
            (at + 1..=at + 3).find(|at| !bytes.get(*at).is_some_and(|byte| is_blank(*byte)));
        let is_quoted = |quote: usize| matches!(bytes.get(quote), Some(b'"' | b'\''));
        let host = quote
            .filter(|quote| is_quoted(*quote))
            .map(|quote| quote + 1);
        let host = host.or((bytes[at] == b'=').then_some(at + 1));
        if let Some(host) = host {
            finder.add(&VALUE, at, start..host_end(bytes, host) + 1);
        }
    }
    // The host is reported at its own position, not at that of the variable.
    let of_host = |of: Bare| Bare {
        start: of.host.start,
        ..of
    };
    finder.found.into_iter().map(of_host).collect()
}

/// Returns the hosts that are followed by a port.
pub(super) fn pairs(bytes: &[u8]) -> Vec<Bare> {
    /// The number of bytes that are searched for a port. A port has fewer digits.
    const PORT: usize = 7;
    let mut finder = Finder::new(bytes);
    for at in memchr::memchr2_iter(b'"', b'\'', bytes) {
        // The marker is the second quote.
        let comma = after_blanks(bytes, at + 1);
        if at == 0 || !is_in_host(bytes[at - 1]) || bytes.get(comma) != Some(&b',') {
            continue;
        }
        let port = after_blanks(bytes, comma + 1);
        if bytes.get(port).is_some_and(u8::is_ascii_digit) {
            let host = bytes[..at].iter().rev().take(LONGEST);
            let start = at - host.take_while(|byte| is_in_host(**byte)).count();
            finder.add(&PAIR, at, start.saturating_sub(1)..port + PORT);
        }
    }
    finder.found
}

/// Returns whether `bytes` ends with `end`, ignoring case.
fn ends_with(bytes: &[u8], end: &[u8]) -> bool {
    let at = bytes.len().checked_sub(end.len());
    at.is_some_and(|at| bytes[at..].eq_ignore_ascii_case(end))
}

/// Returns whether `\s` in the expressions matches a byte.
const fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

/// Returns whether a byte can occur in an identifier.
const fn is_in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Returns whether a byte can occur in a host.
const fn is_in_host(byte: u8) -> bool {
    is_in_name(byte) || matches!(byte, b'.' | b'-')
}

/// Returns the end of the host that starts at `from`, at most [`LONGEST`] bytes after `from`.
fn host_end(bytes: &[u8], from: usize) -> usize {
    let rest = bytes[from.min(bytes.len())..].iter().take(LONGEST);
    from + rest.take_while(|byte| is_in_host(**byte)).count()
}

/// Returns the position after the whitespace at `from`.
fn after_blanks(bytes: &[u8], from: usize) -> usize {
    let rest = bytes[from.min(bytes.len())..].iter();
    from + rest.take_while(|byte| is_blank(**byte)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the matches of an expression in all of `bytes`, without a search for markers.
    fn whole(regex: &Regex, bytes: &[u8]) -> Vec<Bare> {
        let all = regex.captures_iter(bytes).take(MOST_OTHERS);
        all.map(|found| {
            let (whole, host) = (found.get(0).unwrap(), found.get(1).unwrap());
            Bare {
                start: whole.start(),
                host: Span::new(host.start(), host.end()),
            }
        })
        .collect()
    }

    #[test]
    fn no_match_is_lost_at_the_signs() {
        let long = format!("{0}.{0}.{0}.{0}.{0}", "a".repeat(60));
        let texts = [
            "a@b.example,c@d.example e@f.example.".to_owned(),
            "x a@1.2.3.4 @b.c a@b a@b@c.dev (me+you@a-b.co.uk)".to_owned(),
            format!(
                "mail {}@{long}.example; {}@b.io",
                "u".repeat(60),
                "u".repeat(61)
            ),
            "HTTPSConnection( \"a.b.example\" ) smtp_ssl('1.2.3.4') xconnect(  22 , 'a.io')"
                .to_owned(),
            format!("client(\n\n\n{}\"a.io\") ftp(\"a\")", " ".repeat(900)),
            "host='a.io' HOSTNAME: \"b.io\"; c2=\"c.io\" myhost=d.io host=e.io:1 dns = 'f.io'"
                .to_owned(),
            format!("host=\"{long}.example\" server  =  '{long}.invalidinvalid' zone:x"),
            "host=a.iohost=b.io domain=c.io".to_owned(),
            format!("host=a.io{}", "b".repeat(400)),
            "('a.io', 80) [\"1.2.3.4\" ,\n 4444] 'b.io', 123456 'c.io','d.io', 22".to_owned(),
            format!("'{long}.example', 8080"),
            "é@b.io ü host='é.io' 'é.io', 80".to_owned(),
        ];
        for text in &texts {
            let bytes = text.as_bytes();
            assert_eq!(mails(bytes), whole(&MAIL, bytes), "{text}");
            assert_eq!(clients(bytes), whole(&CLIENT, bytes), "{text}");
            assert_eq!(pairs(bytes), whole(&PAIR, bytes), "{text}");
            let hosts: Vec<Span> = values(bytes).iter().map(|of| of.host).collect();
            let expected = whole(&VALUE, bytes);
            let expected: Vec<Span> = expected.iter().map(|of| of.host).collect();
            assert_eq!(hosts, expected, "{text}");
        }
    }
}
