//! Reports programs that send mail of the user to a receiver that is fixed in the program, beside the one that the user
//! has named: a copy, or a further entry in the list of receivers.

use std::sync::LazyLock;

use regex::Regex;
use skillc_core::Span;
use skillc_core::source::lines::char_floor;

use super::receiving::is_outsider;
use super::{MOST_EXAMINED, Of};
use crate::security::ascii_words;
use crate::security::context::line_around;
use crate::security::expression::{AnyOf, Expression};
use crate::security::signals::{Match, Signal};

/// How much text around the definition of a constant is examined, in bytes.
const NEAR: usize = 80;

/// Signs that a program sends mail, in lower case.
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

/// A mail address in quotes, perhaps with the name of its constant. All expressions match text in lower case.
static FIXED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"(?:\b([a-z_$][\w$]*)\s*(?::\s*\w+\s*)?=\s*)?[\x22'`](?:[^\x22'`\n<]{0,40}<|,\s*)?([\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+)>?[\x22'`]",
    ))
    .expect("a pattern")
});

/// A field for copies.
static COPY: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(
        r"(?:^|[^\w])(?:b?cc|b?cc_?(?:list|addr\w*|recipients?)|blind_?copy\w*|add_?b?cc|set_?b?cc)(?:[\x22'`]?\]?\s*(?:[:=(,]|\+=)|[\x22'`]\s*,)[^:=;(]{0,60}$",
    ))
    .expect("a pattern")
});

/// A list of receivers that has a variable, and a place for a further entry.
static LIST: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(
        r"(?:^|[^\w])(?:rcpts?(?:_?to)?|recipients?|to_?addrs?|receivers?|to_?list|envelope\w*|targets?|destinations?|to)[\x22'`]?\]?\s*(?:\+?=|:|\.(?:append|push|add|extend|concat)\()\s*",
    ))
    .expect("a pattern")
});

impl Of<'_, '_> {
    /// SEC104: reports programs that send copies of mail to a stranger.
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
            for (span, mailbox) in copied(code) {
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

/// Returns the mail addresses that a program adds to the receivers of a message. `code`: in lower case.
fn copied(code: &str) -> Vec<(Span, String)> {
    let mut all = Vec::new();
    for found in FIXED.captures_iter(code).take(MOST_EXAMINED) {
        let (Some(whole), Some(mailbox)) = (found.get(0), found.get(2)) else {
            continue;
        };
        let own = &code[line_around(code, whole.start())];
        let name = found.get(1).map(|name| name.as_str());
        let is_used = name.is_some_and(|name| {
            let lines = code
                .lines()
                .filter(|line| line.contains(name) && !line.contains(mailbox.as_str()));
            lines.take(MOST_EXAMINED).any(|line| adds(line, name))
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

/// Returns whether a line adds a receiver to those that the user has named.
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
    // A variable on one side of the fixed address: `[to, "a@b.io"]`, `"a@b.io," + to`.
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
            assert_eq!(!copied(code).is_empty(), expected, "{code}");
        }
    }
}
