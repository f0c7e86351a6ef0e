//! Reports programs that send the user's email to a hard-coded address in addition to the recipients that the user has
//! named: as a copy, or as a further entry in the list of recipients.

use std::sync::LazyLock;

use regex::Regex;
use skillc_core::Span;
use skillc_core::source::lines::char_floor;

use super::receiving::is_outsider;
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

impl Of<'_, '_> {
    /// SEC104: reports programs that send copies of email to a third party.
    pub(super) fn copying(&mut self) {
        let layer = self.layer;
        let lower = layer.lower();
        if layer.is_sample || !layer.layer.is_file() || !lower.contains('@') || !SENDS.is_in(lower)
        {
            return;
        }
        for part in self.programs() {
            let code = layer.lower_part(part);
            if !SENDS.is_in(code) {
                continue;
            }
            for (span, mailbox) in copied(code, &layer.left_out) {
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
}
