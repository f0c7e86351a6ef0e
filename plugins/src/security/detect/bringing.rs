//! Reports dangerous content that a skill brings to the user's machine: programs, packages, instructions from other
//! hosts, invisible text, and committed secrets.

use skillc_core::reveal::{Encoding, InvisibleKind, RevealedFile};
use skillc_core::{Span, secrets};

use super::{NEAR, Of};
use crate::security::Threat;
use crate::security::context::{Place, is_sample};
use crate::security::hosts::HostKind;
use crate::security::packages::{Odd, odd};
use crate::security::purpose::Purpose;
use crate::security::signals::{Match, Signal};
use crate::security::view::{LayerView, is_cheap};

/// Substrings of the host names of paste sites.
const PASTES: [&str; 14] = [
    "glot.io",
    "rentry",
    "pastebin",
    "paste.",
    "hastebin",
    "ghostbin",
    "controlc",
    "dpaste",
    "termbin",
    "ix.io",
    "snippet.host",
    "telegra.ph",
    "sprunge",
    "justpaste",
];

impl Of<'_, '_> {
    /// SEC112: reports text that talks the reader into running a program of unknown origin.
    pub(super) fn delivered(&mut self) {
        for hit in self.all(Signal::ArchivePassword) {
            let runs = self.near(&[Signal::RunWords], hit.span, 300);
            let links = self.near(&[Signal::Binary], hit.span, 300)
                || !self.layer.addresses(self.layer.unit(hit.span)).is_empty();
            let has_file = self.near(&[Signal::Binary], hit.span, 300);
            if runs && links && self.is_order(&hit) && (!self.view.is_security || has_file) {
                self.push("SEC112", hit.span, true, "has the user run a program from a password-protected archive, which scanners cannot open");
            }
        }
        for hit in self.all(Signal::PasteRun) {
            let unit = self.layer.unit(hit.span);
            let unit = Span::new(
                unit.start.max(hit.span.start.saturating_sub(NEAR)),
                unit.end.min(hit.span.end + NEAR),
            );
            let suspect = self.layer.worst(unit).filter(|address| {
                matches!(
                    address.kind,
                    HostKind::Anonymous | HostKind::Number | HostKind::Hostile
                )
            });
            let is_blind = self.layer.within(Signal::DecodeRun, unit).next().is_some();
            if (suspect.is_some() || is_blind) && self.is_order(&hit) && !self.view.is_security {
                self.push(
                    "SEC112",
                    hit.span,
                    !self.is_trace(&hit),
                    "has the user paste a command of unknown origin into a terminal",
                );
            }
        }
        if self.layer.of(Signal::PasteSite).next().is_none() {
            return;
        }
        let whole = Span::new(0, self.layer.text().len());
        for address in self.layer.addresses(whole).to_vec() {
            if self.stop.is_raised() {
                return;
            }
            let at = Span::new(address.start, address.start + 8);
            let order = Match {
                signal: Signal::PasteRun,
                span: at,
            };
            if address.kind == HostKind::Anonymous
                && PASTES.iter().any(|name| address.host.contains(name))
                && self.is_order(&order)
            {
                let text = self
                    .layer
                    .lower_part(Span::new(at.start.saturating_sub(160), at.end + 260));
                let words: &[&str] = if self.view.is_security {
                    &[
                        "run it in",
                        "in terminal",
                        "in the terminal",
                        "installation command",
                    ]
                } else {
                    &[
                        "execut",
                        "run ",
                        "run it",
                        "terminal",
                        "command",
                        "install",
                        "bootstrap",
                        "script",
                        "callback",
                        "payload",
                    ]
                };
                if words.iter().any(|word| text.contains(word)) {
                    let what = format!(
                        "links to a program at '{}' ({})",
                        address.host,
                        address.kind.words()
                    );
                    self.push("SEC112", at, true, &what);
                }
            }
        }
    }

    /// SEC113: reports packages from unusual registries, with misleading names, or with install hooks that download.
    pub(super) fn packages(&mut self) {
        for hit in self.all(Signal::PackageSource) {
            let Some(address) = self.layer.worst(hit.span) else {
                continue;
            };
            if address.kind < HostKind::Other || !self.is_order(&hit) {
                continue;
            }
            let text = self.layer.lower_part(Span::new(
                hit.span.start.saturating_sub(600),
                hit.span.end + 600,
            ));
            let hooks = [
                "postinstall",
                "preinstall",
                "post-install script",
                "install script",
            ]
            .iter()
            .any(|word| text.contains(word));
            let what = format!(
                "installs packages from '{}' ({})",
                address.host,
                address.kind.words()
            );
            self.push(
                "SEC113",
                hit.span,
                (address.kind.is_suspect() || address.is_plain || is_cheap(&address.host))
                    && !self.view.is_security
                    || hooks && !self.is_guarded(hit.span),
                &what,
            );
        }
        for hit in self.all(Signal::InstallHook) {
            let text = self.layer.part(hit.span);
            let fetches = [
                "curl ",
                "wget ",
                "http://",
                "https://",
                "node -e",
                "base64",
                "eval",
                "powershell",
                "| sh",
                "| bash",
                "/dev/tcp",
                "python -c",
            ]
            .iter()
            .any(|word| text.contains(word));
            let is_manifest = self.layer.file.path.file_name() == "package.json"
                || self.layer.place(hit.span) == Place::Code;
            // An elided address, such as `https://…`, names no host.
            let worst = self.layer.worst(hit.span);
            let is_left_out = ["://…", "://..."].iter().any(|sign| text.contains(sign))
                && worst.is_none_or(|address| address.kind < HostKind::Other);
            if fetches && is_manifest && self.is_order(&hit) && !text.contains("github.com") {
                self.push(
                    "SEC113",
                    hit.span,
                    !self.view.is_security && !is_left_out && !self.is_exhibit(hit.span),
                    "runs downloaded code when the package is installed",
                );
            }
        }
        for hit in self.all(Signal::Install) {
            let line = self.layer.part(hit.span);
            let line = line
                .split(['|', ';', '&', '#', '`'])
                .next()
                .unwrap_or_default();
            for word in line
                .split_whitespace()
                .skip(2)
                .filter(|word| !word.starts_with('-'))
            {
                let (is_error, known) = match odd(word) {
                    Some(Odd::Disguised(known) | Odd::Swapped(known)) => (true, known),
                    Some(Odd::Near(known)) => (known.len() >= 7, known),
                    None => continue,
                };
                if self.is_order(&hit) {
                    let what = format!("installs '{word}', whose name is similar to '{known}'");
                    self.push(
                        "SEC113",
                        hit.span,
                        is_error && !self.view.is_security,
                        &what,
                    );
                }
            }
        }
    }

    /// SEC119, SEC104: reports instructions from suspicious hosts, and images whose URL contains data.
    pub(super) fn remote(&mut self) {
        for hit in self.all(Signal::RemoteInstructions) {
            let Some(address) = self.layer.worst(hit.span) else {
                continue;
            };
            if address.kind.is_suspect()
                && self.is_order(&hit)
                && self.layer.place(hit.span) == Place::Prose
            {
                let what = format!(
                    "tells the agent to obey instructions from '{}' ({})",
                    address.host,
                    address.kind.words()
                );
                self.push("SEC119", hit.span, !self.view.is_security, &what);
            }
        }
        for hit in self.all(Signal::BeaconImage) {
            let text = self.layer.lower_part(hit.span);
            let Some(address) = self.layer.worst(hit.span) else {
                continue;
            };
            let near = Span::new(hit.span.start.saturating_sub(500), hit.span.end + 500);
            let near = self.layer.part(near).to_lowercase();
            let is_filled = [
                "last message",
                "user message",
                "environ",
                "printenv",
                "dotenv",
                "password",
                "conversation",
                "the chat",
            ]
            .iter()
            .any(|word| near.contains(word));
            let carries = is_filled
                || [
                    "conversation",
                    "history",
                    "summary",
                    "secret",
                    "token",
                    "api_key",
                    "content",
                    "context",
                    "prompt",
                    "environ",
                    "message",
                    "user_data",
                    "userdata",
                    "data=",
                    "answer",
                    "reply",
                    "response",
                ]
                .iter()
                .any(|word| text[text.find("](").unwrap_or_default()..].contains(word));
            if carries
                && address.kind >= HostKind::Other
                && self.is_order(&hit)
                && !self.view.is_security
            {
                let what = format!(
                    "shows an image whose address sends data to '{}'",
                    address.host
                );
                self.push("SEC104", hit.span, true, &what);
            }
        }
    }

    /// SEC103: reports encoded text that names a secret and a foreign address. The only reason to encode such text is
    /// to hide it.
    pub(super) fn encoded_theft(&mut self) {
        // Longer text is not a note about where to send a secret. All other checks examine it, too.
        const MAX_TEXT: usize = 4096;
        let text = self.layer.text();
        let is_candidate = self.layer.is_disguised() && text.len() <= MAX_TEXT;
        if !is_candidate || self.layer.is_sample || self.view.is_security {
            return;
        }
        let secret = self.layer.of(Signal::SecretFile).next();
        let secret = secret.or_else(|| self.layer.of(Signal::SecretCommand).next());
        let Some(hit) = secret.copied() else {
            return;
        };
        let all = self.layer.addresses(Span::new(0, text.len()));
        let Some(address) = all.iter().find(|address| self.is_foreign(address)) else {
            return;
        };
        let what = format!("names a secret and the address '{}'", address.host);
        self.push("SEC103", hit.span, true, &what);
    }

    /// SEC111: reports text in invisible characters.
    pub(super) fn hidden(&mut self) {
        let encodings = &self.layer.layer.encodings;
        let is_invisible = encodings
            .first()
            .is_some_and(|of| matches!(of, Encoding::Tags | Encoding::InvisibleBits));
        if encodings.len() != 1 || !is_invisible {
            return;
        }
        let text = self.layer.text();
        // Regional flags are emoji followed by a few tag characters, so only text of several words is reported.
        let letters = text.chars().filter(char::is_ascii_alphabetic).count();
        if letters >= 8 && text.trim().contains(' ') {
            self.push(
                "SEC111",
                Span::new(0, text.len()),
                !self.layer.is_sample && !self.view.purposes.has(Purpose::Characters),
                "hides text in invisible characters",
            );
        }
    }
}

/// SEC111: reports marks that change the direction of text, and many zero-width characters between letters.
pub(super) fn invisible(file: &RevealedFile, out: &mut Vec<Threat>) {
    let mut push = |span: Span, message: String| {
        out.push(Threat {
            rule: "SEC111",
            file: Some(file.path.clone()),
            span,
            line: file.lines.line(span.start),
            is_error: false,
            message,
            help: None,
        });
    };
    let is_override = |span: Span| {
        file.text[span.start..span.end]
            .chars()
            .any(|c| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
    };
    let turned = file
        .invisible
        .iter()
        .find(|run| run.kind == InvisibleKind::Direction && is_override(run.span));
    let is_right_to_left = |c: char| matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}');
    if let Some(run) = turned.filter(|_| !file.text.chars().any(is_right_to_left)) {
        push(
            run.span,
            "a direction mark makes the text appear in a different order than agents read it"
                .to_owned(),
        );
    }
    let between_letters = |span: Span| {
        let is_latin = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphabetic() || c == ' ');
        is_latin(file.text[..span.start].chars().next_back())
            && is_latin(file.text[span.end..].chars().next())
    };
    let runs = file
        .invisible
        .iter()
        .filter(|run| run.kind == InvisibleKind::ZeroWidth && between_letters(run.span));
    // Only the number in the message depends on further ones.
    let runs: Vec<_> = runs.take(1000).collect();
    let count: usize = runs.iter().map(|run| run.count).sum();
    if let Some(first) = runs.first().filter(|_| count >= 10) {
        push(
            first.span,
            format!("there are {count} invisible characters between letters"),
        );
    }
}

/// The maximum number of secrets that are reported in a file. Further ones would not change the verdict.
const MAX_SECRETS: usize = 100;

/// SEC114: reports secrets in files that are not samples.
pub(super) fn committed(view: &LayerView<'_>, out: &mut Vec<Threat>) {
    let file = view.file;
    let is_none = view.of(Signal::SecretFormat).next().is_none();
    if is_none || !view.layer.is_file() || is_sample(file.path.as_str()) {
        return;
    }
    for secret in secrets::find(&file.text).into_iter().take(MAX_SECRETS) {
        out.push(Threat {
            rule: "SEC114",
            file: Some(file.path.clone()),
            span: secret.span,
            line: file.lines.line(secret.span.start),
            is_error: false,
            message: format!("the file contains {} ('{}')", secret.issuer, secret.masked),
            help: Some("revoke it: everyone who installs the skill has it".to_owned()),
        });
    }
}
