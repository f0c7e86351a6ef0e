//! Reports dialogs that imitate the operating system and ask the user for the password to the machine or the account.

use std::sync::LazyLock;

use regex::Regex;
use skillc_core::Span;
use skillc_core::source::lines::char_floor;

use super::sending::has_any;
use super::{MOST_EXAMINED, Of};
use crate::security::ascii_words;
use crate::security::examined::Examined;
use crate::security::expression::AnyOf;
use crate::security::hosts::{Address, HostKind};
use crate::security::signals::{Match, Signal};

/// The number of bytes before and after a dialog that are examined as the text of the dialog.
const AROUND: usize = 300;

/// The number of bytes after a dialog that are searched for code that checks or sends the answer.
const REACH: usize = 2000;

/// A dialog or prompt whose answer is not displayed.
static DIALOG: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"display dialog[^\n]{0,400}hidden answer|\bzenity\s[^\n]{0,120}--password|\bzenity\s[^\n]{0,120}--hide-text|\bkdialog\s[^\n]{0,80}--password|\byad\s[^\n]{0,120}:h\b|\bget-credential\b|\.promptforcredential\(|\bcreduiprompt\w*|\baskstring\([^\n]{0,200}\bshow\s*=|\bread-host\s[^\n]{0,120}-assecurestring",
    ))
    .expect("a pattern")
});

/// Words with which a dialog imitates the operating system.
const POSES: [&str; 25] = [
    "macos",
    "mac os",
    "system preferences",
    "system settings",
    "system update",
    "systemeinstellungen",
    "keychain",
    "windows security",
    "windows update",
    "login password",
    "log-in password",
    "administrator",
    "admin password",
    "your computer",
    "your mac",
    "apple id",
    "microsoft",
    "sign in again",
    "session has expired",
    "session expired",
    "authentication required",
    "системы",
    "系统",
    "システム",
    "시스템",
];

/// Substrings of code that checks the password to the user's account.
static CHECKS: AnyOf = AnyOf::new(&[
    "-authonly",
    "validatecredentials",
    "logonuser",
    "unlock-keychain",
    "pam_authenticate",
]);

/// Substrings of code that reads the password from an object that keeps it encrypted. Without such code, a program can
/// only sign in with the object.
const READS: [&str; 4] = [
    "getnetworkcredential",
    "ptrtostring",
    "securestringtobstr",
    "-asplaintext",
];

impl Of<'_, '_> {
    /// SEC103: reports dialogs that ask for the system password, if the program sends the answer to a foreign host or
    /// checks the password.
    pub(super) fn posed(&mut self) {
        let layer = self.layer;
        if layer.is_sample
            || !layer.layer.is_file()
            || !layer.has(Signal::Send) && !self.has_check()
        {
            return;
        }
        for part in self.programs() {
            self.posed_in(part);
        }
    }

    fn has_check(&self) -> bool {
        CHECKS.is_in(self.layer.lower())
    }

    fn posed_in(&mut self, part: Span) {
        let layer = self.layer;
        let code = layer.lower_part(part);
        for dialog in DIALOG.find_iter(code).most(MOST_EXAMINED, &layer.left_out) {
            let span = Span::new(part.start + dialog.start(), part.start + dialog.end());
            let low = span.start.saturating_sub(AROUND).max(part.start);
            let around = layer.lower_part(Span::new(low, (span.end + AROUND).min(part.end)));
            let after = Span::new(span.start, (span.end + REACH).min(part.end));
            let answer = layer.lower_part(after);
            let is_kept = ["credential", "securestring"]
                .iter()
                .any(|kind| dialog.as_str().contains(kind));
            if is_kept && !has_any(answer, &READS) {
                continue;
            }
            let is_checked = CHECKS.is_in(answer);
            if !is_checked && !has_any(around, &POSES) {
                continue;
            }
            let hit = Match {
                signal: Signal::AskSecret,
                span,
            };
            let receiver = self.answered(after);
            if receiver.is_none() && !is_checked || !self.is_order(&hit) {
                continue;
            }
            let is_error = receiver.is_some() && !self.view.is_security;
            let what = match receiver {
                Some(address) => {
                    let host = &address.host[..char_floor(&address.host, super::MAX_SHOWN)];
                    format!("asks for the user's password in a dialog, and sends it to '{host}'")
                }
                None => "asks for the user's password in a dialog, and checks it".to_owned(),
            };
            self.push("SEC103", span, is_error, &what);
        }
    }

    /// Returns the foreign host to which a program sends something within a span.
    fn answered(&self, span: Span) -> Option<Address> {
        let mut sends = self.layer.within(Signal::Send, span);
        sends.find_map(|send| {
            let address = (self.layer.worst(send.span))
                .or_else(|| self.layer.leads_to(self.layer.statement(send.span)));
            address.filter(|of| of.kind >= HostKind::Other && self.is_foreign(of))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dialog_does_not_display_its_answer() {
        for (code, expected) in [
            (
                "osascript -e 'display dialog \"a\" default answer \"\" with hidden answer'",
                true,
            ),
            ("p=$(zenity --password --title \"a\")", true),
            ("$c = get-credential -message \"a\"", true),
            ("p = askstring(\"a\", \"b\", show=\"*\")", true),
            ("$s = read-host -prompt \"a\" -assecurestring", true),
            (
                "osascript -e 'display dialog \"a\" default answer \"\"'",
                false,
            ),
            ("zenity --entry --title \"a\"", false),
            ("n = askstring(\"a\", \"your name\")", false),
        ] {
            assert_eq!(DIALOG.is_match(code), expected, "{code}");
        }
    }
}
