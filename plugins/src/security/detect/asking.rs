//! Finds plain-language instructions to the agent to hand over data, to ask for secrets, to obey a remote party, or to
//! hide something from the user.

use skillc_core::Span;

use super::{NEAR, Of};
use crate::security::context::Place;
use crate::security::flow::{is_weak, trimmed};
use crate::security::hosts::{Address, HostKind, kind};
use crate::security::signals::{Match, Signal};

/// Words for the parts of a request that can carry a secret without being noticed.
const CARRIERS: [&str; 5] = ["url", "header", "quer", "request", "parameter"];

/// Words for secrets, in lower case.
const SECRETS: [&str; 6] = [
    "token",
    "password",
    "credential",
    "api key",
    "private key",
    "secret key",
];

impl Of<'_, '_> {
    /// SEC103, SEC104, SEC106, SEC119 and others: reports harmful instructions in plain language.
    pub(super) fn asked(&mut self) {
        if self.view.is_security {
            return;
        }
        for hit in self.said(Signal::ConcealAct) {
            if self.keeps_plot(&hit) {
                continue;
            }
            self.push(
                "SEC106",
                hit.span,
                !self.is_for_others(&hit) && !self.is_embargo(&hit) && !self.is_exhibit(hit.span),
                "tells the agent to hide its actions from the user",
            );
        }
        for hit in self.said(Signal::AskSecret) {
            let is_page = self.layer.part(hit.span).contains("://");
            let sends = is_page || self.near(&[Signal::SendWords, Signal::Send], hit.span, NEAR);
            if let Some(address) = self.destination(hit.span).filter(|_| sends) {
                let what = format!(
                    "asks the user for a secret, and sends it to '{}'",
                    address.host
                );
                self.push("SEC103", hit.span, true, &what);
            }
        }
        for hit in self.said(Signal::SendWords) {
            if let Some((rule, what)) = self.handed_over(&hit) {
                self.push(rule, hit.span, true, &what);
            }
        }
        for hit in self.said(Signal::ObeyWords) {
            if self.is_statement(&hit) {
                continue;
            }
            if let Some(address) = self.destination(hit.span) {
                let what = format!(
                    "tells the agent to obey instructions from '{}' ({})",
                    address.host,
                    address.kind.words()
                );
                self.push("SEC119", hit.span, !self.is_source(&hit, &address), &what);
            }
        }
        self.changed_unasked();
    }

    /// Returns the rule and the message for a sentence that tells the agent to send something: secrets in requests or
    /// emails, or the user's data.
    fn handed_over(&self, hit: &Match) -> Option<(&'static str, String)> {
        let near = Span::new(hit.span.start.saturating_sub(120), hit.span.end + 120);
        let mut files = self.layer.within(Signal::SecretFile, near);
        let has_file = files.any(|file| !is_weak(trimmed(self.layer.part(file.span))));
        let sentence = self.layer.lower_part(hit.span);
        let goes_home = self
            .layer
            .worst(near)
            .is_some_and(|address| !self.is_foreign(&address));
        if has_file && !goes_home && CARRIERS.iter().any(|carrier| sentence.contains(carrier)) {
            let what = "tells the agent to send secrets along with its requests";
            return Some(("SEC103", what.to_owned()));
        }
        let address = self.destination(hit.span)?;
        let around = self.layer.lower_part(near);
        let is_mailed = around.contains(&format!("@{}", address.host));
        if is_mailed && SECRETS.iter().any(|secret| around.contains(secret)) {
            let what = format!("tells the agent to mail secrets to '{}'", address.host);
            return Some(("SEC103", what));
        }
        self.layer.within(Signal::DataWords, near).next()?;
        let is_asked = [
            "after asking",
            "ask first",
            "ask the user",
            "has approved",
            "have approved",
            "with consent",
        ]
        .iter()
        .any(|words| around.contains(words));
        if is_asked {
            return None;
        }
        let what = format!(
            "tells the agent to send the user's data to '{}'",
            address.host
        );
        Some(("SEC104", what))
    }

    /// SEC103, SEC108, SEC109: reports databases and backups that are deleted without asking, entries in the hosts
    /// file, and wallet addresses that replace copied text.
    fn changed_unasked(&mut self) {
        for hit in self.all(Signal::Drop) {
            let is_unasked = self.near(&[Signal::NoConfirm, Signal::ConcealAct], hit.span, 300);
            if is_unasked && self.is_order(&hit) {
                self.push(
                    "SEC109",
                    hit.span,
                    true,
                    "deletes databases or backups without asking",
                );
            }
        }
        for hit in self.all(Signal::HostsFile) {
            let entry = self.layer.part(hit.span);
            let number = entry.split_whitespace().next().unwrap_or_default();
            if kind(number, "") == HostKind::Number && self.is_order(&hit) {
                self.push(
                    "SEC108",
                    hit.span,
                    true,
                    "maps a host name to an IP address in the hosts file",
                );
            }
        }
        for hit in self.all(Signal::Clipboard) {
            if self.near(&[Signal::Input], hit.span, 700) && self.is_order(&hit) {
                self.push(
                    "SEC103",
                    hit.span,
                    true,
                    "replaces what the user copies with its own wallet address",
                );
            }
        }
    }

    /// Returns the matches of a signal that are instructions to the agent: in visible or hidden text, and neither
    /// quoted nor part of a warning.
    fn said(&self, signal: Signal) -> Vec<Match> {
        let is_said = |hit: &Match| {
            let place = self.layer.place(hit.span);
            let is_text = matches!(
                place,
                Place::Prose | Place::Frontmatter | Place::Code | Place::Data
            );
            (is_text || place.is_hidden() || self.is_disguised(hit)) && self.is_order(hit)
        };
        self.all(signal).filter(is_said).collect()
    }

    /// Returns the most suspicious address near a span, if that address is foreign to the skill.
    fn destination(&self, span: Span) -> Option<Address> {
        let unit = self.layer.unit(span);
        let near = Span::new(
            unit.start.max(span.start.saturating_sub(200)),
            unit.end.min(span.end + 260),
        );
        let worst = self.layer.worst(near);
        worst.filter(|address| self.is_foreign(address))
    }
}
