//! Reports programs that send the user's email to a hard-coded address in addition to the recipients that the user has
//! named: as a copy, or as a further entry in the list of recipients.

use std::sync::LazyLock;

use regex::Regex;
use skillc_core::Span;
use skillc_core::source::lines::char_floor;

use super::receiving::is_outsider;
use super::sending::has_any;
use super::spelling::{from_base64, from_hex};
use super::{MOST_COMPARED, Of};
use crate::security::ascii_words;
use crate::security::context::line_around;
use crate::security::examined::{Examined, LeftOut};
use crate::security::expression::{AnyOf, Expression};
use crate::security::signals::{Match, Signal};

/// The number of bytes before an email address that are searched for a field for copies.
const NEAR: usize = 80;

/// Substrings of code that sends email, in lower case.
static SENDS: AnyOf = AnyOf::new(&[
    "smtp",
    "sendmail",
    "send_mail",
    "sendemail",
    "send_email",
    "send_message",
    "nodemailer",
    "postmark",
    "sendgrid",
    "mailgun",
    "resend",
    "mailer",
    "messages.send",
    "msmtp",
    "mail(",
    "mailmessage",
]);

/// A quoted email address, and the name of the constant to which it is assigned, if any. All expressions in this file
/// match text in lower case.
static FIXED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"(?:\b([a-z_$][\w$]*)\s*(?::\s*\w+\s*)?=\s*)?[\x22'`](?:[^\x22'`\n<]{0,40}<|,\s*)?([\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+)>?[\x22'`]",
    ))
    .expect("a pattern")
});

/// A field for copies, at the end of the text before an address.
static COPY: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(
        r"(?:^|[^\w])(?:b?cc|b?cc_?(?:list|addr\w*|recipients?)|blind_?copy\w*|add_?b?cc|set_?b?cc)(?:[\x22'`]?\]?\s*(?:[:=(,]|\+=)|[\x22'`]\s*,)[^:=;(]{0,60}$",
    ))
    .expect("a pattern")
});

/// Code that sets a list of recipients, or adds a recipient to it.
static LIST: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(
        r"(?:^|[^\w])(?:rcpts?(?:_?to)?|recipients?|to_?addrs?|receivers?|to_?list|envelope\w*|targets?|destinations?|to)[\x22'`]?\]?\s*(?:\+?=|:|\.(?:append|push|add|extend|concat)\()\s*",
    ))
    .expect("a pattern")
});

/// A call that decodes a string. The group is the string. Matches text in its original case.
static ENCODED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"[A-Za-z_][\w.]*\(\s*b?[\x22'`]([A-Za-z0-9+/_-]{12,160}={0,2})[\x22'`](?:\s*,\s*[\x22'`]?[\w.-]+[\x22'`]?)?\s*\)(?:\.\w+\([^)\n]{0,20}\)){0,2}",
    ))
    .expect("a pattern")
});

/// Substrings of code that decodes strings, in lower case.
const DECODES: [&str; 5] = ["base64", "b64", "atob(", "hex", "btoa"];

impl Of<'_, '_> {
    /// SEC104: reports programs that send copies of email to a third party.
    pub(super) fn copying(&mut self) {
        let layer = self.layer;
        let lower = layer.lower();
        if layer.is_sample || !layer.layer.is_file() || !SENDS.is_in(lower) {
            return;
        }
        for part in self.programs() {
            let code = layer.lower_part(part);
            if !SENDS.is_in(code) {
                continue;
            }
            let mut all = if code.contains('@') {
                copied(code, &layer.left_out)
            } else {
                Vec::new()
            };
            if has_any(code, &DECODES) {
                all.extend(copied_secretly(layer.part(part), &layer.left_out));
            }
            for (span, mailbox) in all {
                // A copy that the skill's own instructions announce is no secret.
                if !is_outsider(&mailbox) || self.is_announced(&mailbox) {
                    continue;
                }
                let hit = Match {
                    signal: Signal::SendWords,
                    span: Span::new(part.start + span.start, part.start + span.end),
                };
                let is_error = !self.is_exhibit(hit.span);
                let what = format!("sends copies of the user's messages to '{mailbox}'");
                self.push_order("SEC104", &hit, is_error, &what);
            }
        }
    }
}

/// Like [`copied`], but returns only addresses that the program encodes. `code`: in its original case.
fn copied_secretly(code: &str, left_out: &LeftOut) -> Vec<(Span, String)> {
    let mut plain = String::new();
    let mut known: Vec<(Span, String)> = Vec::new();
    let mut end = 0;
    for found in ENCODED
        .captures_iter(code)
        .most(4 * MOST_COMPARED, left_out)
    {
        let (Some(whole), Some(text)) = (found.get(0), found.get(1)) else {
            continue;
        };
        let text = text.as_str();
        let decoded = from_hex(text).filter(|text| is_mailbox(text));
        let decoded = decoded.or_else(|| from_base64(text).filter(|text| is_mailbox(text)));
        let Some(mailbox) = decoded.map(|text| text.to_ascii_lowercase()) else {
            continue;
        };
        plain.push_str(&code[end..whole.start()]);
        plain.extend(["'", &*mailbox, "'"]);
        end = whole.end();
        known.push((Span::new(whole.start(), whole.end()), mailbox));
    }
    if known.is_empty() {
        return known;
    }
    plain.push_str(&code[end..]);
    let copies = copied(&plain.to_ascii_lowercase(), left_out);
    known.retain(|(_, mailbox)| copies.iter().any(|(_, copy)| copy == mailbox));
    known
}

/// Returns whether a decoded string is an email address.
fn is_mailbox(text: &str) -> bool {
    let is_plain = |part: &str| {
        let is_letter = |b: u8| b.is_ascii_alphanumeric() || b"._+-".contains(&b);
        !part.is_empty() && part.bytes().all(is_letter)
    };
    text.split_once('@')
        .is_some_and(|(name, host)| is_plain(name) && is_plain(host) && host.contains('.'))
}

/// Returns the email addresses that a program adds to the recipients of a message. `code`: in lower case.
fn copied(code: &str, left_out: &LeftOut) -> Vec<(Span, String)> {
    let mut all = Vec::new();
    let found = FIXED.captures_iter(code);
    for found in found.most(MOST_COMPARED, left_out) {
        let (Some(whole), Some(mailbox)) = (found.get(0), found.get(2)) else {
            continue;
        };
        let own = &code[line_around(code, whole.start())];
        let name = found.get(1).map(|name| name.as_str());
        let is_used = name.is_some_and(|name| {
            let mut lines = code
                .lines()
                .filter(|line| line.contains(name) && !line.contains(mailbox.as_str()));
            lines.any(|line| adds(line, name))
        });
        let field = &code[char_floor(code, whole.start().saturating_sub(NEAR))..mailbox.start()];
        let field = field.rsplit('\n').next().unwrap_or_default();
        if is_used || adds(own, mailbox.as_str()) || COPY.is_match(field.as_bytes()) {
            let span = Span::new(mailbox.start(), mailbox.end());
            all.push((span, mailbox.as_str().to_owned()));
        }
    }
    all
}

/// Returns whether a line adds a recipient to those that the user has named.
fn adds(line: &str, receiver: &str) -> bool {
    let Some(at) = line.find(receiver) else {
        return false;
    };
    let before = &line.as_bytes()[..at];
    if COPY.is_match(before) {
        return true;
    }
    let Some(list) = LIST.find_at(before, 0) else {
        return false;
    };
    let (Some(head), Some(tail)) = (line.get(list.end..at), line.get(at + receiver.len()..)) else {
        return false;
    };
    let is_added = ["append(", "push(", "add(", "extend(", "concat(", "+="]
        .iter()
        .any(|sign| (line.get(list.start..list.end)).is_some_and(|list| list.contains(sign)));
    // Whether a variable is next to the hard-coded address: `[to, "a@b.io"]`, `"a@b.io," + to`.
    let is_joined = |text: &str| {
        let mut parts = text.split([',', '+', '[', ']', '(', ')', '{', '}', ';', '#']);
        parts.any(|part| {
            let part = part.trim().trim_start_matches("...");
            let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$');
            part.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$')
                && part.chars().all(is_word)
        })
    };
    let is_list = head.contains(['[', '+', ',']) || tail.contains(['+', ',']);
    is_added
        || is_list
            && (is_joined(head)
                || is_joined(tail.split([']', ';', '\n']).next().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_beside_the_users_is_found() {
        LazyLock::force(&COPY);
        LazyLock::force(&LIST);
        for (code, expected) in [
            ("m[\"bcc\"] = \"a@relay.io\"", true),
            ("msg['cc'] = 'a@relay.io'", true),
            ("send({ from, to, bcc: 'a@relay.io' })", true),
            ("message.addbcc(\"a@relay.io\")", true),
            ("rcpt = [a.to, \"a@relay.io\"]", true),
            (
                "s.sendmail(u, [to, 'a@relay.io'], m)\nrecipients = [to] + ['a@relay.io']",
                true,
            ),
            ("recipients.append('a@relay.io')", true),
            (
                "const archive = 'a@relay.io';\nsend({ to: [to, archive] })",
                true,
            ),
            ("to = to + ',a@relay.io'", true),
            ("m[\"from\"] = \"a@relay.io\"", false),
            ("m[\"to\"] = \"a@relay.io\"", false),
            ("recipients = [\"a@relay.io\"]", false),
            ("const support = 'a@relay.io';\nlog(support)", false),
            ("reply_to = 'a@relay.io'", false),
        ] {
            let found = copied(code, &LeftOut::default());
            assert_eq!(!found.is_empty(), expected, "{code}");
        }
    }

    #[test]
    fn an_encoded_receiver_is_found() {
        for (code, expected) in [
            (
                "const arch = Buffer.from('b3BzQHJlbGF5LmlvLmV1', 'base64').toString();\nm.envelope = { to: [].concat(to, arch) };",
                true,
            ),
            ("send({ to, bcc: atob('b3BzQHJlbGF5LmlvLmV1') })", true),
            (
                "ARCH = base64.b64decode(\"b3BzQHJlbGF5LmlvLmV1\").decode()\nrcpt = [to, ARCH]",
                true,
            ),
            (
                "arch = bytes.fromhex('6f70734072656c61792e696f').decode()\nrecipients.append(arch)",
                true,
            ),
            (
                "const arch = atob('b3BzQHJlbGF5LmlvLmV1');\nlog(arch)",
                false,
            ),
            ("send({ to, bcc: atob('bm90IGFuIGFkZHJlc3M=') })", false),
            ("send({ to, bcc: lookup('archive-mailbox-1') })", false),
        ] {
            assert_eq!(
                !copied_secretly(code, &LeftOut::default()).is_empty(),
                expected,
                "{code}"
            );
        }
    }
}
