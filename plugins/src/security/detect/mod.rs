//! Decides which signals together are a threat, and whether it is an error or a warning.

mod asking;
mod bringing;
mod capable;
mod changing;
mod claiming;
mod flowing;
mod intending;
mod loading;
mod running;
mod sending;
mod settings;
mod steering;
mod telling;

use std::collections::BTreeSet;

use skillc_core::reveal::RevealedFile;
use skillc_core::source::lines::char_floor;
use skillc_core::{Skill, Span, Stop, secrets};

use self::capable::Programs;
use self::claiming::Senders;
use super::context::{self, Place};
use super::hosts::{Address, HostKind};
use super::masking::SecretHosts;
use super::signals::{Match, Signal};
use super::structure;
use super::view::{LayerView, View};
use super::{Threat, bounded};

/// The distance within which two signals are near each other, in bytes: about a paragraph.
const NEAR: usize = 500;

/// The maximum number of bytes of a decoded text that a message shows.
const MAX_SHOWN: usize = 120;

/// The detectors, which run on each layer in this order.
const DETECTORS: [fn(&mut Of<'_, '_>); 26] = [
    |of| of.fetched(),
    |of| of.flowing(),
    |of| of.shells(),
    |of| of.decoded(),
    |of| of.loaded_from_data(),
    |of| of.steered(),
    |of| of.hidden_host(),
    |of| of.served(),
    |of| of.torn_down(),
    |of| of.sent_by_command(),
    |of| of.sent_in_words(),
    |of| of.overridden(),
    |of| of.asked(),
    |of| of.concealed(),
    |of| of.persistent(),
    |of| of.agent_files(),
    |of| of.unguarded(),
    |of| of.destroyed(),
    |of| of.escalated(),
    |of| of.delivered(),
    |of| of.packages(),
    |of| of.remote(),
    |of| of.hidden(),
    |of| of.intended(),
    |of| of.described(),
    |of| of.capable(),
];

/// Returns the threats of a skill, unsorted; `None` if the run is cancelled.
pub(super) fn detect(skill: &Skill, stop: &Stop) -> Option<Vec<Threat>> {
    let revealed = skill.revealed_until(stop)?;
    let view = View::new(skill);
    let mut out = Vec::new();
    let mut programs = Programs::default();
    let mut hosts = SecretHosts::default();
    let mut senders = Senders::default();
    // Programs come first: the text says what they are given.
    let is_text = |file: &&RevealedFile| skill.document(&file.path).is_some();
    let programs_first = revealed.files.iter().filter(|file| !is_text(file));
    for file in programs_first.chain(revealed.files.iter().filter(is_text)) {
        let (before, known) = (out.len(), programs.len());
        let mut is_full = false;
        for layer in view.layers(file, stop) {
            let layer = layer?;
            let mut of = Of {
                view: &view,
                layer: &layer,
                senders: &senders,
                stop,
                out: &mut out,
            };
            for detect in DETECTORS {
                detect(&mut of);
                if stop.is_raised() {
                    return None;
                }
            }
            of.exchanged(&mut programs);
            let sender = of.sender();
            senders.0.extend(sender);
            bringing::committed(&layer, &mut out);
            is_full |= layer.is_full();
        }
        bringing::invisible(file, &mut out);
        if is_full {
            structure::more_than_examined(file, &mut out);
        }
        if out.len() > before || programs.len() > known {
            hosts.add(file);
        }
        // A file may contain a million threats.
        let mut of_file = out.split_off(before);
        if is_history(file.path.as_str()) {
            for threat in &mut of_file {
                threat.is_error = false;
            }
        }
        out.extend(bounded(of_file));
    }
    programs.join(&mut out);
    for threat in &mut out {
        hosts.mask(&mut threat.message);
    }
    structure::check(&view, revealed, &mut out);
    Some(out)
}

/// Returns whether Git writes a file with the messages of commits, which no agent reads as instructions.
fn is_history(path: &str) -> bool {
    const MESSAGES: [&str; 4] = ["COMMIT_EDITMSG", "MERGE_MSG", "SQUASH_MSG", "TAG_EDITMSG"];
    path.strip_prefix(".git/")
        .is_some_and(|name| name.starts_with("logs/") || MESSAGES.contains(&name))
}

/// A layer under review, and the list to which its threats are added.
struct Of<'a, 'b> {
    view: &'b View<'a>,
    layer: &'b LayerView<'a>,
    /// The programs before this layer that send data.
    senders: &'b Senders,
    /// Ends the loops over matches.
    stop: &'b Stop,
    out: &'b mut Vec<Threat>,
}

/// Matches. If the run is cancelled, there are no more.
struct Hits<'b> {
    hits: std::vec::IntoIter<Match>,
    stop: &'b Stop,
}

impl Iterator for Hits<'_> {
    type Item = Match;

    fn next(&mut self) -> Option<Match> {
        self.hits.next().filter(|_| !self.stop.is_raised())
    }
}

impl<'b> Of<'_, 'b> {
    /// Returns the matches of a signal, in order.
    fn all(&self, signal: Signal) -> Hits<'b> {
        self.each(self.layer.of(signal).copied().collect())
    }

    fn each(&self, hits: Vec<Match>) -> Hits<'b> {
        Hits {
            hits: hits.into_iter(),
            stop: self.stop,
        }
    }
}

impl Of<'_, '_> {
    fn push(&mut self, rule: &'static str, span: Span, is_error: bool, what: &str) {
        let place = self.layer.place_of(span);
        let file = self.layer.file;
        let mut message = format!("{what}, {}", self.layer.place(span).words());
        if !self.layer.layer.is_file() {
            let names: BTreeSet<&str> = self
                .layer
                .layer
                .encodings
                .iter()
                .map(|of| of.name())
                .collect();
            let names: Vec<&str> = names.into_iter().collect();
            // Mask before truncating, and by the secrets of the whole text: a part of a secret is not recognised.
            let mut shown = self.layer.part(span).to_owned();
            let start = char_floor(self.layer.text(), span.start);
            secrets::mask_spans(&mut shown, start, self.layer.secrets());
            let words: Vec<&str> = shown.split_whitespace().take(MAX_SHOWN).collect();
            let shown = words.join(" ");
            let shown = &shown[..char_floor(&shown, MAX_SHOWN)];
            message = format!("{message}; {} hides '{shown}'", names.join(", "));
        }
        self.out.push(Threat {
            rule,
            file: Some(file.path.clone()),
            span: place,
            line: file.lines.line(place.start),
            is_error,
            message,
            help: None,
        });
    }

    /// Returns whether a match is an order: it is disguised, or it is not a mention.
    fn is_order(&self, hit: &Match) -> bool {
        self.is_disguised(hit) || !self.layer.is_mention(hit.span)
    }

    /// Returns whether a match is an order, given the address that it leads to. A live address is seldom a mere
    /// mention, except in a prohibition and in the assertions of a test.
    fn is_order_to(&self, hit: &Match, address: Option<&Address>) -> bool {
        if self.is_order(hit) {
            return true;
        }
        let is_live = address.is_some_and(Address::is_live);
        let place = self.layer.place_of(hit.span);
        let is_checked = self.layer.is_sample && self.layer.is_mention_in_text(hit.span);
        is_live
            && !self.view.is_security
            && !is_checked
            && !context::is_banned(&self.layer.file.text, place.start, place.end)
    }

    /// Returns whether a match is hidden from readers: it is encoded, or in a comment or another text that is not
    /// displayed. Always false in samples and in skills about security.
    fn is_disguised(&self, hit: &Match) -> bool {
        (self.layer.is_disguised() || self.layer.place(hit.span).is_hidden())
            && !self.view.is_security
            && !self.layer.is_sample
    }

    /// Like [`Self::is_lesson`], but an address that is invented for documentation is no real host.
    fn is_lesson_to(&self, hit: &Match, address: Option<&Address>) -> bool {
        let is_real = |address: &&Address| address.kind == HostKind::Other || address.is_live();
        self.is_lesson(hit, address.filter(is_real).map(|address| address.kind))
    }

    /// Returns whether a match is a lesson in a skill about security: it is not in a script, and does not lead to a
    /// real host.
    fn is_lesson(&self, hit: &Match, kind: Option<HostKind>) -> bool {
        let is_real = kind.is_some_and(|kind| {
            matches!(
                kind,
                HostKind::Other | HostKind::Number | HostKind::Anonymous
            )
        });
        self.view.is_security && self.layer.place(hit.span) != Place::Script && !is_real
    }

    fn near(&self, signals: &[Signal], span: Span, bytes: usize) -> bool {
        signals
            .iter()
            .any(|signal| self.layer.has_near(*signal, span, bytes))
    }

    fn is_foreign(&self, address: &Address) -> bool {
        LayerView::is_foreign(self.view, address)
    }
}
