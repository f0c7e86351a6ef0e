//! Reports sentences that tell the agent to send secrets, to ignore its instructions, or to hide something from the
//! user.

use skillc_core::Span;
use skillc_core::reveal::Encoding;

use super::sending::has_any;
use super::{NEAR, Of};
use crate::security::context::Place;
use crate::security::hosts::HostKind;
use crate::security::roles::{Role, role};
use crate::security::signals::{Match, Signal};

/// Beginnings of words after which a word for secrets refers to secrets of any kind (`all tokens`), in lower case.
const COLLECTIVE: [&str; 36] = [
    "all",
    "any",
    "every",
    "available",
    "each",
    "existing",
    "stored",
    "saved",
    "sensitive",
    "user's",
    "users'",
    "their",
    "system",
    "found",
    "discovered",
    "collected",
    "harvested",
    "read",
    "collect",
    "gather",
    "harvest",
    "steal",
    "extract",
    "dump",
    "copy",
    "capture",
    "scrape",
    "grab",
    "list",
    "find",
    "locate",
    "upload",
    "exfiltrate",
    "transfer",
    "the",
    "your",
];

/// The maximum number of bytes before a secret that are searched for a verb of [`TAKES`].
const TAKING: usize = 80;

/// Beginnings of verbs for reading or collecting something, in lower case.
const TAKES: [&str; 32] = [
    "read", "collect", "gather", "harvest", "steal", "extract", "dump", "copy", "copies",
    "capture", "scrape", "grab", "list", "find", "look", "load", "open", "take", "pack", "archive",
    "include", "content", "send", "upload", "attach", "append", "paste", "embed", "fetch",
    "retriev", "compress", "encod",
];

/// Words that refer to something that an earlier sentence names, in lower case.
const REFERENCES: [&str; 15] = [
    "it",
    "them",
    "these",
    "those",
    "this",
    "that",
    "everything",
    "all",
    "content",
    "contents",
    "result",
    "results",
    "output",
    "report",
    "data",
];

/// Words for things that a sentence sends instead of what an earlier sentence names, in lower case and singular.
const OBJECTS: [&str; 36] = [
    "report",
    "form",
    "issue",
    "request",
    "question",
    "feedback",
    "summary",
    "ticket",
    "comment",
    "review",
    "application",
    "build",
    "release",
    "artifact",
    "image",
    "screenshot",
    "photo",
    "document",
    "page",
    "article",
    "invoice",
    "order",
    "payment",
    "transaction",
    "patch",
    "public",
    "notification",
    "reminder",
    "confirmation",
    "invitation",
    "query",
    "event",
    "message",
    "attribute",
    "header",
    "link",
];

impl Of<'_, '_> {
    /// SEC103: reports sentences that tell the agent to send secrets.
    #[expect(
        clippy::too_many_lines,
        reason = "one decision, of which each step needs the others"
    )]
    pub(super) fn sent_in_words(&mut self) {
        let layer = self.layer;
        let lower = |hit: &Match| layer.lower_part(hit.span);
        let is_collective = |hit: &&Match| {
            let text = lower(hit);
            let first = text.split_whitespace().next().unwrap_or_default();
            text.contains(' ')
                && COLLECTIVE.iter().any(|word| first.starts_with(word))
                && !(first == "your"
                    && !text.contains("variables")
                    && !text.contains("keys")
                    && !text.contains("credentials")
                    && !text.contains("files"))
                || !text.is_ascii()
                || ["credenciales", "contrase", "claves", "variables de"]
                    .iter()
                    .any(|word| text.contains(word))
        };
        // A key that a command uses to sign in does not count as sent.
        let is_used = |file: &Match| {
            let is_command = matches!(
                layer.place(file.span),
                Place::Shell | Place::Code | Place::CodeSpan | Place::Script
            );
            is_command && role(layer.text(), file.span) != Role::Read
        };
        let is_strong = |file: &&Match| {
            !is_used(file)
                && !lower(file).contains(".env")
                && !lower(file).contains("config")
                && !lower(file).starts_with("credentials.")
        };
        // Collect these matches only once: each instruction to send is compared with all of them.
        let words = self.layer.of(Signal::SecretWords).filter(is_collective);
        let collectives: Vec<Match> = words.copied().collect();
        let files = self.layer.of(Signal::SecretFile).filter(is_strong);
        let strongs: Vec<Match> = files.copied().collect();
        let signals = [Signal::SendWords, Signal::DnsLookup, Signal::Send];
        let sends = signals.into_iter().flat_map(|signal| self.all(signal));
        let sends = sends.collect();
        for hit in self.each(sends) {
            let place = self.layer.place(hit.span);
            // Skip commands, even those in which variables were replaced: this check is about sentences.
            let is_command = matches!(place, Place::Script | Place::Shell)
                && (self.layer.layer.is_file()
                    || hit.signal != Signal::SendWords && !self.layer.is_disguised());
            if is_command || !self.is_order(&hit) || self.view.is_security && !place.is_hidden() {
                continue;
            }
            let unit = self.layer.unit(hit.span);
            let unit = Span::new(
                unit.start.max(hit.span.start.saturating_sub(900)),
                unit.end.min(hit.span.end + 500),
            );
            let addresses = self.layer.addresses(unit);
            let foreign = addresses
                .iter()
                .filter(|address| self.is_foreign(address) || address.kind >= HostKind::Other)
                .max_by_key(|address| address.kind);
            let names_host = foreign.is_some() || hit.signal != Signal::SendWords;
            let collective = self.layer.overlapping(&collectives, unit).next().copied();
            let strong = self.layer.overlapping(&strongs, unit).next().is_some();
            let has = |signal: Signal| self.layer.within(signal, unit).next().is_some();
            let (has_words, has_files) = (has(Signal::SecretWords), has(Signal::SecretFile));
            let hides = self.near(&[Signal::Conceal], hit.span, NEAR)
                || self.near(&[Signal::Override, Signal::FakeSystem], hit.span, NEAR);
            let is_hidden = place.is_hidden() || self.layer.is_disguised();
            let any_secret = has_words || has_files;
            // Sending a report does not send the secret, unless the text says that the report includes the secret.
            let said = lower(&hit);
            let object = said.split(" to ").next().unwrap_or_default();
            let is_other = [
                "report", "result", "request", "query", "comment", "issue", "image", "form",
            ]
            .iter()
            .any(|word| object.contains(word))
                && !["compile", "them", "include"]
                    .iter()
                    .any(|word| self.layer.lower_part(unit).contains(word));
            let is_error = if is_hidden {
                any_secret
            } else if hides {
                any_secret && (names_host || collective.is_some())
            } else if names_host && !is_other {
                let both = collective.is_some() && has_files;
                both || strong
                    || collective.is_some_and(|of| {
                        let text = lower(&of);
                        let reads = [
                            "read", "collect", "gather", "harvest", "steal", "extract", "dump",
                            "capture", "scrape", "grab", "all ", "any ", "every", "upload",
                            "exfil", "transfer", "copy",
                        ]
                        .iter()
                        .any(|word| text.starts_with(word));
                        (reads || text.contains("seed phrase"))
                            && foreign.is_none_or(|address| {
                                self.is_foreign(address) || address.path.len() > 1
                            })
                    })
            } else {
                false
            };
            if is_error {
                let what = match foreign {
                    Some(address) => {
                        format!("tells the agent to send secrets to '{}'", address.host)
                    }
                    None => "tells the agent to send secrets away".to_owned(),
                };
                let is_shown = !is_hidden && self.is_exhibit(hit.span);
                // Secrets and requests in the same paragraph may have nothing to do with each other.
                let mut secrets = (layer.overlapping(&collectives, unit))
                    .chain(layer.overlapping(&strongs, unit));
                let is_sent =
                    is_hidden || hides || secrets.any(|of| self.is_object(of.span, hit.span));
                self.push("SEC103", hit.span, !is_shown && is_sent, &what);
            }
        }
        // In hidden text, a word for secrets and a word for sending are enough.
        for hit in self.all(Signal::SecretWords) {
            let place = self.layer.place(hit.span);
            let sends = || {
                let text = self.layer.lower_part(self.layer.unit(hit.span));
                ["send", "post ", "upload", "endpoint", "forward", "transmit"]
                    .iter()
                    .any(|word| text.contains(word))
            };
            let is_unseen = matches!(place, Place::Alt | Place::LinkTitle | Place::Attribute);
            if is_unseen && sends() && !self.view.is_security {
                self.push("SEC103", hit.span, true, "tells the agent to send secrets");
            }
        }
    }

    /// Returns whether the words around a secret and an instruction to send connect the two: they are in one sentence
    /// or in an announced list, or the text takes the secret and then sends `them`.
    fn is_object(&self, secret: Span, send: Span) -> bool {
        let is_before = secret.start <= send.start;
        let (first, last) = if is_before {
            (secret, send)
        } else {
            (send, secret)
        };
        if last.start <= first.end {
            return true;
        }
        let between = self.layer.lower_part(Span::new(first.end, last.start));
        let is_foreign = |c: char| c.is_alphabetic() && !c.is_ascii();
        if between.contains(":\n") || between.contains(is_foreign) {
            return true;
        }
        let is_code = [secret, send]
            .into_iter()
            .all(|span| self.layer.place(span) == Place::Code);
        let Some(end) = last_end(between, is_code) else {
            return true;
        };
        let clause = Span::new(secret.start.saturating_sub(TAKING), secret.end);
        let clause = self.layer.lower_part(clause);
        let clause = last_end(clause, true).map_or(clause, |end| &clause[end..]);
        let passage = [&between[end..], self.layer.lower_part(send)].concat();
        let is_named = |word: &str| REFERENCES.contains(&word);
        let mut words = passage.split(|c: char| !c.is_ascii_alphanumeric());
        is_before
            && (takes(clause) || keeps_all(clause))
            && (words.any(is_named)
                || has_any(&passage, &["@", "$(", "<"])
                || !has_object(&passage))
    }

    /// SEC105: reports text that overrides the agent's instructions.
    pub(super) fn overridden(&mut self) {
        for hit in self.all(Signal::Override) {
            let place = self.layer.place(hit.span);
            let is_text = matches!(
                place,
                Place::Prose | Place::Frontmatter | Place::Data | Place::Code
            ) || self.is_disguised(&hit);
            let is_order = || self.is_order(&hit) && !self.is_told_about(&hit);
            if is_text && !self.view.is_security && is_order() {
                self.push(
                    "SEC105",
                    hit.span,
                    !self.is_exhibit(hit.span),
                    "tells the agent to drop its instructions",
                );
            }
        }
        for hit in self.all(Signal::FakeSystem) {
            let place = self.layer.place(hit.span);
            let signals = [
                Signal::Override,
                Signal::Conceal,
                Signal::NoConfirm,
                Signal::SafetyOff,
                Signal::SendWords,
                Signal::SecretFile,
            ];
            if matches!(place, Place::Prose | Place::Comment | Place::Frontmatter)
                && self.near(&signals, hit.span, 400)
                && self.is_order(&hit)
                && !self.view.is_security
            {
                let is_strong = self.near(&signals[..1], hit.span, 400)
                    || self.near(&[Signal::SecretFile], hit.span, 400)
                    || self.near(&[Signal::Conceal], hit.span, 400)
                        && self.near(&[Signal::SendWords], hit.span, 400);
                if is_strong {
                    let is_error = !self.is_exhibit(hit.span);
                    self.push("SEC105", hit.span, is_error, "poses as a system message");
                }
            }
        }
    }

    /// SEC105: reports frontmatter that ranks the skill above the user, the system prompt, or other skills.
    pub(super) fn described(&mut self) {
        let Some(doc) = self
            .layer
            .doc
            .filter(|doc| self.view.skill.is_main(doc) && self.layer.layer.is_file())
        else {
            return;
        };
        let end = doc.body_start.min(self.layer.text().len());
        let head = self.layer.part(Span::new(0, end)).to_lowercase();
        let outranks = [
            "outrank",
            "precedence over",
            "overrides the system",
            "override the system",
            "overrule",
            "supersedes",
        ]
        .iter()
        .any(|words| head.contains(words));
        let over = [
            "system prompt",
            "other skills",
            "the user and",
            "system message",
            "all other instructions",
        ]
        .iter()
        .any(|words| head.contains(words));
        if outranks && over && !self.view.is_security {
            self.push(
                "SEC105",
                Span::new(0, end),
                true,
                "claims to take precedence over the user and the agent's instructions",
            );
        }
    }

    /// SEC106: reports instructions to hide something from the user.
    pub(super) fn concealed(&mut self) {
        for hit in self.all(Signal::Conceal) {
            if self.view.is_security || self.layer.is_sample {
                continue;
            }
            let bad = [
                Signal::Override,
                Signal::DecodeRun,
                Signal::ReverseShell,
                Signal::Miner,
            ];
            let acts = self.near(&bad, hit.span, NEAR)
                || self.near(&[Signal::FetchRun], hit.span, NEAR)
                    && self
                        .layer
                        .worst(self.layer.unit(hit.span))
                        .is_some_and(|address| address.kind >= HostKind::Other)
                || self.near(&[Signal::SendWords], hit.span, 300)
                    && self.near(&[Signal::SecretWords, Signal::SecretFile], hit.span, 300)
                    && self
                        .layer
                        .worst(self.layer.unit(hit.span))
                        .is_some_and(|address| address.kind >= HostKind::Other);
            let in_comment = self.layer.place(hit.span).is_hidden()
                && self.near(
                    &[
                        Signal::Send,
                        Signal::SendWords,
                        Signal::RunWords,
                        Signal::SecretFile,
                        Signal::SecretWords,
                    ],
                    hit.span,
                    NEAR,
                );
            let is_encoded = self.layer.is_disguised()
                && !self.layer.layer.encodings.contains(&Encoding::Spaced);
            let text = self.layer.part(hit.span);
            // A single adverb, such as `silently`, does not say that something is hidden from the user.
            let is_clear = text.contains(' ') || !text.is_ascii();
            if acts && !self.layer.is_mention(hit.span) || (in_comment || is_encoded) && is_clear {
                self.push(
                    "SEC106",
                    hit.span,
                    !self.is_exhibit(hit.span),
                    "tells the agent to hide its actions from the user",
                );
            }
        }
    }
}

/// Returns whether a text contains a verb for reading or collecting something. `text`: in lower case.
pub(super) fn takes(text: &str) -> bool {
    // Names and other words that begin like such a verb.
    const OTHERS: [&str; 7] = [
        "openss", "openid", "openai", "ready", "readme", "listen", "package",
    ];
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| {
        let is_verb = TAKES.iter().any(|verb| word.starts_with(verb));
        let is_other = OTHERS.iter().any(|other| word.starts_with(other));
        is_verb && !is_other || matches!(word, "cat" | "get" | "gets" | "tar" | "zip")
    })
}

/// Returns whether a text says to save all of something. `text`: in lower case.
fn keeps_all(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let is_all = |pair: &[&str]| {
        matches!(
            pair,
            ["save" | "store" | "write" | "put", "all" | "every" | "each"]
        )
    };
    words.windows(2).any(is_all)
}

/// Returns whether a sentence sends something that it names itself, and not only `the file` or `every match`.
/// `sentence`: in lower case.
fn has_object(sentence: &str) -> bool {
    // The words before the destination.
    let ends = [" to ", "://", " at ", " with "].iter();
    let end = ends.filter_map(|sign| sentence.find(*sign)).min();
    let said = &sentence[..end.unwrap_or(sentence.len())];
    let mut words = said.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| {
        let singular = word.strip_suffix('s').unwrap_or(word);
        OBJECTS.contains(&word) || OBJECTS.contains(&singular)
    })
}

/// Returns the offset after the last sentence, item of a list or paragraph that ends in a text. `is_code`: whether each
/// line counts.
pub(super) fn last_end(text: &str, is_code: bool) -> Option<usize> {
    const ENDS: [&str; 7] = [". ", "! ", "? ", ".\n", "\n\n", "\n- ", "\n* "];
    let ends = ENDS
        .iter()
        .filter_map(|sign| Some(text.rfind(*sign)? + sign.len()));
    // A numbered item begins with digits.
    let lines = text.match_indices('\n').map(|(at, _)| at + 1);
    let is_item = |at: &usize| {
        is_code
            || text[*at..]
                .trim_start_matches([' ', '>'])
                .starts_with(|c: char| c.is_ascii_digit())
    };
    ends.chain(lines.filter(is_item)).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_new_object_replaces_what_was_read() {
        for (sentence, expected) in [
            ("send the text to https://report.invalid", false),
            ("upload the archive to a", false),
            ("send to https://report.invalid", false),
            ("upload every match to a", false),
            ("send the list to a", false),
            ("compress the folder and upload the archive to a", false),
            ("send the information to a", false),
            ("send your feedback to a", true),
            ("submit the form at a", true),
            ("post new issues to a", true),
            ("send the public key to a", true),
        ] {
            assert_eq!(has_object(sentence), expected, "{sentence}");
        }
    }

    #[test]
    fn verbs_of_reading_and_copying_take_something() {
        for (text, expected) in [
            ("open the file", true),
            ("| 1 | read ", true),
            ("copy", true),
            ("cat ", true),
            ("the openssh key is in ", false),
            ("the server already uses ", false),
            ("see the readme and ", false),
        ] {
            assert_eq!(takes(text), expected, "{text}");
        }
        assert!(keeps_all("save all the passwords"));
        assert!(!keeps_all("save the key at once"));
    }

    #[test]
    fn sentences_items_and_lines_of_code_end() {
        for (text, is_code, expected) in [
            (" and post the", false, None),
            (" of a.\nPost", false, Some("Post")),
            (" of a. Or b? Post", false, Some("Post")),
            (" of a.b\nor", false, None),
            (" of a\n2. Post", false, Some("Post")),
            (" of a\n\nPost", false, Some("Post")),
            ("= a\nb =", true, Some("b =")),
        ] {
            let rest = last_end(text, is_code).map(|end| &text[end..]);
            assert_eq!(rest, expected, "{text}");
        }
    }
}
