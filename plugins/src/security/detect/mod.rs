//! Decides which combinations of signals are threats, and whether each threat is an error or a warning.

mod addressing;
mod admitting;
mod approving;
mod asking;
mod backdoors;
mod biasing;
mod bringing;
mod capable;
mod changing;
mod children;
mod citing;
mod claiming;
mod codecs;
mod collecting;
mod copying;
mod delaying;
mod describing;
mod driving;
mod excusing;
mod flowing;
mod granting;
mod hunting;
mod inlining;
mod installing;
mod intending;
mod leaking;
mod loading;
mod marking;
mod overruling;
mod permitting;
mod persisting;
mod phrases;
mod planting;
mod posing;
mod quoting;
mod receiving;
mod recovering;
mod redirecting;
mod remembering;
mod revealing;
mod reviewing;
mod running;
mod searching;
mod sending;
mod serving;
mod settings;
mod silencing;
mod spelling;
mod spreading;
mod starting;
mod steering;
mod taking;
mod telling;
mod trusting;

use std::cell::RefCell;
use std::collections::BTreeSet;

use skillc_core::reveal::RevealedFile;
use skillc_core::source::lines::char_floor;
use skillc_core::{Skill, Span, Stop, secrets};

use self::capable::Programs;
use self::claiming::Senders;
use super::beside;
use super::context::{self, Place};
use super::hosts::{Address, HostKind};
use super::loaded;
use super::masking::SecretHosts;
use super::outside;
use super::samples::{Use, use_of};
use super::signals::{Match, Signal};
use super::standing::{self, Language, Standing};
use super::structure;
use super::view::{LayerView, View, first_line, is_shell};
use super::{Threat, bounded};

/// The maximum distance, in bytes, at which two signals count as near each other: about a paragraph.
const NEAR: usize = 500;

/// The maximum number of matches of one kind that a detector examines in a layer or code block, if it only looks at the
/// text near each match.
const MOST_EXAMINED: usize = 2000;

/// The maximum number of matches of one kind that a detector compares with the rest of a layer or code block.
const MOST_COMPARED: usize = 50;

/// The maximum length, in bytes, of the decoded text that a message quotes.
const MAX_SHOWN: usize = 120;

/// The detectors, which run on each layer in this order.
const DETECTORS: [fn(&mut Of<'_, '_>); 58] = [
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
    |of| of.encoded_theft(),
    |of| of.intended(),
    |of| of.described(),
    |of| of.capable(),
    |of| of.planted(),
    |of| of.taken(),
    |of| of.implanted(),
    |of| of.permitted(),
    |of| of.timed(),
    |of| of.received(),
    |of| of.redirected(),
    |of| of.leaked(),
    |of| of.spelt(),
    |of| of.back_doors(),
    |of| of.phrase_asked(),
    |of| of.posed(),
    |of| of.hooked(),
    |of| of.listed(),
    |of| of.inlined(),
    |of| of.serving(),
    |of| of.trusting(),
    |of| of.approving(),
    |of| of.copying(),
    |of| of.driving(),
    |of| of.describing(),
    |of| of.collecting(),
    |of| of.reviewing(),
    |of| of.spreading(),
    |of| of.overruling(),
    |of| of.biasing(),
    |of| of.admitting(),
    |of| of.starting(),
    |of| of.revealing(),
    |of| of.hunting(),
    |of| of.marking(),
];

/// Returns the threats found in a skill, unsorted; `None` if the run is cancelled.
pub(super) fn detect(skill: &Skill, stop: &Stop) -> Option<Vec<Threat>> {
    let revealed = skill.revealed_until(stop)?;
    let scripts = loaded::scripts(skill, revealed, stop);
    let (view, view_of_loaded) = (View::new(skill), View::of_loaded(skill));
    let mut out = Vec::new();
    let mut programs = Programs::new(&revealed.files);
    let mut hosts = SecretHosts::default();
    let mut senders = Senders::default();
    // Check programs before documents: a document may tell the agent to pass secrets to a program that sends data, so
    // these programs must already be known.
    let is_text =
        |file: &&RevealedFile| file.run_by.is_none() && skill.document(&file.path).is_some();
    let programs_first = revealed.files.iter().filter(|file| !is_text(file));
    let programs_first = programs_first.chain(&revealed.programs);
    let files = programs_first.chain(revealed.files.iter().filter(is_text));
    let loaded = scripts.files.iter().map(|file| (&view_of_loaded, file));
    for (view, file) in files.map(|file| (&view, file)).chain(loaded) {
        let (before, known) = (out.len(), programs.len());
        // `structure` reports files of the skill that were not fully decoded, but does not see loaded commands.
        let mut is_full = view.is_loaded && (file.is_undecoded || file.cut.is_some());
        for layer in view.layers(file, stop) {
            let layer = layer?;
            let mut of = Of {
                view,
                layer: &layer,
                senders: &senders,
                doubts: RefCell::default(),
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
        if !is_text(&file) {
            codecs::check(file, &mut out);
        }
        if is_full {
            structure::more_than_examined(file, &mut out);
        }
        if out.len() > before || programs.len() > known {
            hosts.add(file);
        }
        // Limit the threats of each file right away: one file can contain a million.
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
    beside::check(skill, revealed, &mut out);
    outside::check(skill, revealed, &mut out);
    Some(out)
}

/// Returns whether Git stores commit messages in a file. Agents do not read such files as instructions.
fn is_history(path: &str) -> bool {
    const MESSAGES: [&str; 4] = ["COMMIT_EDITMSG", "MERGE_MSG", "SQUASH_MSG", "TAG_EDITMSG"];
    path.strip_prefix(".git/")
        .is_some_and(|name| name.starts_with("logs/") || MESSAGES.contains(&name))
}

/// A layer under review, and the list to which its threats are added.
struct Of<'a, 'b> {
    view: &'b View<'a>,
    layer: &'b LayerView<'a>,
    /// The programs, among those checked before this layer, that send data.
    senders: &'b Senders,
    /// Matches that may be mentions rather than instructions. Findings about these matches are warnings.
    doubts: RefCell<BTreeSet<(usize, usize)>>,
    /// Ends the loops over matches if the run is cancelled.
    stop: &'b Stop,
    out: &'b mut Vec<Threat>,
}

/// An iterator over matches, which ends early if the run is cancelled.
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

/// Signals of commands and sentences for which the structure of the text, not only nearby words, decides whether a
/// match is an instruction.
const COMMANDS: [Signal; 9] = [
    Signal::FetchRun,
    Signal::Fetch,
    Signal::Clone,
    Signal::Send,
    Signal::SendWords,
    Signal::DnsLookup,
    Signal::ReverseShell,
    Signal::DecodeRun,
    Signal::Mining,
];

/// The signals in [`COMMANDS`] that are dangerous even without an address.
const BLIND: [Signal; 3] = [Signal::ReverseShell, Signal::DecodeRun, Signal::Mining];

/// Returns whether an address can belong to a real host that neither the user nor a known vendor owns. Addresses that
/// are reserved for documentation never do.
fn is_real(address: &Address) -> bool {
    match address.kind {
        HostKind::Local | HostKind::Placeholder | HostKind::Known => false,
        HostKind::Number | HostKind::Anonymous | HostKind::Catcher => address.is_live(),
        HostKind::Other | HostKind::Hostile => {
            let name = address.host.split(':').next().unwrap_or_default();
            let top = name.rsplit('.').next().unwrap_or_default();
            !["example", "invalid", "test", "localhost"].contains(&top)
        }
    }
}

impl Of<'_, '_> {
    fn push(&mut self, rule: &'static str, span: Span, is_error: bool, what: &str) {
        let is_error = is_error && !self.is_doubted(span) && !self.is_recounted(span);
        let place = self.layer.place_of(span);
        let file = self.layer.file;
        let words = if self.layer.is_loaded {
            "in a command that a client runs while it loads the file"
        } else {
            self.layer.place(span).words()
        };
        let mut message = format!("{what}, {words}");
        if !self.layer.layer.is_file() {
            let names: BTreeSet<&str> = self
                .layer
                .layer
                .encodings
                .iter()
                .map(|of| of.name())
                .collect();
            let names: Vec<&str> = names.into_iter().collect();
            // Mask before truncating, using the secrets found in the whole layer: a truncated secret would not be
            // recognised.
            let mut shown = self.layer.part(span).to_owned();
            let start = char_floor(self.layer.text(), span.start);
            secrets::mask_spans(&mut shown, start, self.layer.secrets());
            let words: Vec<&str> = shown.split_whitespace().take(MAX_SHOWN).collect();
            let shown = words.join(" ");
            let shown = &shown[..char_floor(&shown, MAX_SHOWN)];
            message = format!("{message}; decoded from {}: '{shown}'", names.join(", "));
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

    /// Reports a match, unless it is only a mention. In a skill about security, the finding is a warning.
    fn push_order(&mut self, rule: &'static str, hit: &Match, is_error: bool, what: &str) {
        if self.is_order(hit) {
            self.push(rule, hit.span, is_error && !self.view.is_security, what);
        }
    }

    /// Returns whether a match is an instruction. A match is an instruction if it is disguised, if it is not a mention,
    /// or if it is a command that only looks like a mention. Doubtful matches count too, but findings about them are
    /// warnings.
    fn is_order(&self, hit: &Match) -> bool {
        let address = || {
            (self.layer.worst(hit.span))
                .or_else(|| self.layer.leads_to(self.layer.statement(hit.span)))
        };
        if self.is_plain_order(hit) {
            let is_spoken = self.layer.place(hit.span) == Place::CodeSpan;
            if is_spoken && COMMANDS.contains(&hit.signal) {
                self.weigh(hit, address().as_ref());
            }
            return true;
        }
        COMMANDS.contains(&hit.signal)
            && self.is_ordered(hit, self.standing(hit), address().as_ref())
    }

    /// Marks a command as a possible mention if the text only describes the command, and the command contacts an IP
    /// address that is reserved for documentation. Unlike other mentions, such a command has no word nearby that marks
    /// it as a mention.
    fn weigh(&self, hit: &Match, address: Option<&Address>) {
        let is_reserved = |address: &Address| address.kind == HostKind::Number && !is_real(address);
        if let Some(doc) = self.layer.doc
            && address.is_some_and(is_reserved)
            && self.layer.layer.is_file()
            && standing::is_described(doc, self.layer.place_of(hit.span))
        {
            self.doubt(hit);
        }
    }

    /// Returns whether a match is disguised, or is not a mention.
    fn is_plain_order(&self, hit: &Match) -> bool {
        if self.is_disguised(hit) {
            return true;
        }
        let is_order = !self.layer.is_mention(hit.span);
        // A test that the skill runs may contain commands as data.
        if is_order
            && self.layer.is_script
            && self.is_run_sample()
            && self.standing_in_text(hit) != Standing::Order
        {
            self.doubt(hit);
        }
        if is_order && self.is_inert(hit) {
            self.doubt(hit);
        }
        is_order
    }

    /// Returns whether a match is an instruction although it looks like a mention.
    fn is_ordered(&self, hit: &Match, standing: Standing, address: Option<&Address>) -> bool {
        let is_leading = match address {
            Some(address) => is_real(address),
            None => BLIND.contains(&hit.signal),
        };
        let is_clear = standing == Standing::Order
            && (address.is_some() || self.layer.place(hit.span) != Place::Script);
        let is_doubtful = match standing {
            Standing::Order => !is_clear,
            Standing::Doubt => address.is_some(),
            Standing::Mention => false,
        };
        if is_leading && is_doubtful {
            self.doubt(hit);
        }
        is_leading && (is_clear || is_doubtful)
    }

    /// Decides from the text around a match whether the match is an instruction, doubtful, or a mention. In a sample
    /// that the skill does not run, no match is an instruction. There, a command in a script is doubtful. A match in a
    /// changelog, or in a file that the skill names, is doubtful unless it is clearly a mention. All other matches are
    /// mentions.
    fn standing(&self, hit: &Match) -> Standing {
        let standing = self.standing_in_text(hit);
        if !self.layer.is_sample {
            return standing;
        }
        let path = self.layer.file.path.as_str();
        let how = use_of(self.view.skill, path);
        let is_named = context::is_changelog(path) || how >= Some(Use::Named);
        let is_code = self.layer.is_script && standing == Standing::Order;
        if is_code && how == Some(Use::Tested) {
            return Standing::Order;
        }
        let is_mention = self.layer.is_mention_in_text(hit.span) && standing == Standing::Mention;
        if is_code || is_named && !is_mention {
            Standing::Doubt
        } else {
            Standing::Mention
        }
    }

    /// Like [`Self::standing`], but ignores the path of the file.
    fn standing_in_text(&self, hit: &Match) -> Standing {
        let file = self.layer.file;
        let at = self.layer.place_of(hit.span);
        let place = self.layer.place(hit.span);
        let is_sentence = hit.signal == Signal::SendWords;
        match self.layer.doc {
            Some(doc) if is_sentence && place == Place::Prose => standing::in_prose(doc, at),
            _ if is_sentence => Standing::Mention,
            Some(doc) => standing::in_document(doc, at, place),
            None => standing::in_program(&file.text, at, self.layer.is_script, self.language()),
        }
    }

    /// Returns the language of a program or data file.
    fn language(&self) -> Language<'_> {
        let file = self.layer.file;
        if self.layer.is_loaded || is_shell(file) {
            return Language::Shell(self.layer.here_documents());
        }
        match &*file.path.extension().unwrap_or_default() {
            _ if file.run_by.is_some() => Language::Python,
            "rb" | "php" | "pl" | "pm" => Language::Backticks,
            "py" | "pyw" => Language::Python,
            "" if is_started_by_python(&file.text) => Language::Python,
            _ => Language::Other,
        }
    }

    /// Returns whether the text clearly tells the reader to run the command at `span` to set something up.
    fn is_setup(&self, span: Span) -> bool {
        let at = self.layer.place_of(span);
        let place = self.layer.place(span);
        (self.layer.doc).is_some_and(|doc| standing::is_setup(doc, at, place))
    }

    /// Returns whether the path of the file looks like that of a sample, but the skill runs the file.
    fn is_run_sample(&self) -> bool {
        let path = self.layer.file.path.as_str();
        !self.layer.is_loaded && use_of(self.view.skill, path) == Some(Use::Run)
    }

    /// Marks a match as a possible mention.
    fn doubt(&self, hit: &Match) {
        let span = (hit.span.start, hit.span.end);
        self.doubts.borrow_mut().insert(span);
    }

    /// Returns whether the match at a span was marked as a possible mention.
    fn is_doubted(&self, span: Span) -> bool {
        self.doubts.borrow().contains(&(span.start, span.end))
    }

    /// Returns whether a match is an instruction, given the address that it contacts. A match with a live address is
    /// rarely a mere mention, except in a prohibition or in an assertion of a test.
    fn is_order_to(&self, hit: &Match, address: Option<&Address>) -> bool {
        if self.is_plain_order(hit) {
            self.weigh(hit, address);
            return true;
        }
        let is_live = address.is_some_and(Address::is_live);
        let place = self.layer.place_of(hit.span);
        let is_checked = self.layer.is_sample && self.layer.is_mention_in_text(hit.span);
        let is_certain = is_live
            && !self.view.is_security
            && !is_checked
            && !context::is_banned(&self.layer.file.text, place.start, place.end);
        // The structure of the text presents the command as an example, as in a list of commands to refuse.
        if is_certain && (self.is_presented(hit) || self.is_inert(hit)) {
            self.doubt(hit);
            return true;
        }
        if is_certain {
            let span = (hit.span.start, hit.span.end);
            self.doubts.borrow_mut().remove(&span);
        }
        is_certain || self.is_ordered(hit, self.standing(hit), address)
    }

    /// Returns whether a match is hidden from readers: encoded, in a comment, or in other text that is not displayed.
    /// Always false in samples and in skills about security.
    fn is_disguised(&self, hit: &Match) -> bool {
        (self.layer.is_disguised() || self.layer.place(hit.span).is_hidden())
            && !self.view.is_security
            && !self.layer.is_sample
    }

    /// Like [`Self::is_lesson`], but does not treat an address that is invented for documentation as a real host.
    fn is_lesson_to(&self, hit: &Match, address: Option<&Address>) -> bool {
        let is_real = |address: &&Address| address.kind == HostKind::Other || address.is_live();
        self.is_lesson(hit, address.filter(is_real).map(|address| address.kind))
    }

    /// Returns whether a match in a skill about security only teaches. Such a match is outside scripts, and either
    /// contacts no real host or is shown as a sample.
    fn is_lesson(&self, hit: &Match, kind: Option<HostKind>) -> bool {
        let is_real = kind.is_some_and(|kind| {
            matches!(
                kind,
                HostKind::Other | HostKind::Number | HostKind::Anonymous
            )
        });
        // A skill about security may show a command of a real attack, as long as the text does not say to run it.
        let is_shown =
            || kind.is_none_or(|kind| kind == HostKind::Other) && self.is_exhibit(hit.span);
        self.view.is_security
            && self.layer.place(hit.span) != Place::Script
            && (!is_real || is_shown())
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

/// Returns whether the first line of a script names Python as its interpreter. Another interpreter may have an argument
/// with the word `python`, and does not count.
fn is_started_by_python(text: &str) -> bool {
    let first = first_line(text).strip_prefix("#!");
    let words = first.unwrap_or_default().split_whitespace();
    let mut names = words.map(|word| word.rsplit('/').next().unwrap_or(word));
    let name = names.find(|name| *name != "env" && !name.starts_with('-') && !name.contains('='));
    name.is_some_and(|name| name == "uv" || name.starts_with("python"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_names_the_interpreter() {
        for (text, expected) in [
            ("#!/usr/bin/env python3\nx", true),
            ("#! /usr/bin/python3.12 -u", true),
            ("#!/usr/bin/env -S A=1 uv run --script", true),
            ("#!/usr/bin/env -S node --title=x python", false),
            ("#!/bin/sh\npython", false),
            ("# python", false),
            ("", false),
        ] {
            assert_eq!(is_started_by_python(text), expected, "{text}");
        }
        let long = format!("#!/usr/bin/env -S {} python3", "a=b ".repeat(1000));
        assert!(!is_started_by_python(&long));
    }
}
