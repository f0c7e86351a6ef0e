//! Reports agent settings that give control to others, and commands that delete infrastructure without asking.

use std::cell::OnceCell;
use std::sync::LazyLock;

use aho_corasick::packed::Searcher;
use skillc_core::Span;
use skillc_core::source::lines::char_floor;

use super::{MOST_EXAMINED, Of};
use crate::security::context::Place;
use crate::security::examined::Examined;
use crate::security::hosts::HostKind;
use crate::security::purpose::Purpose;
use crate::security::signals::{Match, Signal};

/// The names of events in agents that trigger hooks, in lower case.
const EVENTS: [&str; 8] = [
    "userpromptsubmit",
    "pretooluse",
    "posttooluse",
    "sessionstart",
    "sessionend",
    "subagentstop",
    "beforeshellexecution",
    "aftertool",
];

/// Strings that name MCP servers in settings and commands, in lower case.
const SERVERS: [&str; 3] = ["mcpservers", "mcp_servers", "mcp add"];

/// Strings that pass all secrets of a workflow to a step, in lower case.
const ALL_SECRETS: [&str; 2] = ["tojson(secrets", "tojson( secrets"];

/// Finds any of [`SERVERS`], [`ALL_SECRETS`] and [`EVENTS`] in one pass; `None` if the CPU lacks the required SIMD
/// instructions.
static ANY: LazyLock<Option<Searcher>> = LazyLock::new(|| {
    let all = SERVERS.iter().chain(&ALL_SECRETS).chain(&EVENTS);
    Searcher::new(all)
});

/// Settings that let an MCP server act without asking.
const TRUSTED: [&str; 6] = [
    "\"alwaysallow\":[\"*\"",
    "autoapprove:[\"*\"",
    "autoapprove:['*'",
    "\"autoapprove\":[\"*\"",
    "\"trust\":true",
    "alwaysallow:['*'",
];

impl Of<'_, '_> {
    /// SEC107: reports MCP servers on unknown hosts, and hooks that send or download data.
    pub(super) fn served(&mut self) {
        if self.layer.is_sample {
            return;
        }
        let lower = self.layer.lower();
        let has_any = ANY.as_ref().is_none_or(|any| any.find(lower).is_some());
        if !has_any {
            self.clipboard_replaced();
            return;
        }
        let left_out = &self.layer.left_out;
        let writes = OnceCell::new();
        for word in SERVERS {
            for (at, _) in lower.match_indices(word).most(MOST_EXAMINED, left_out) {
                self.server(lower, at, &writes);
            }
        }
        self.given_away(lower);
        self.clipboard_replaced();
        for event in EVENTS {
            for (at, _) in lower.match_indices(event).most(MOST_EXAMINED, left_out) {
                if self.hook(Span::new(at, at + event.len())) {
                    return;
                }
            }
        }
    }

    /// Reports a hook that connects to a foreign host. Returns whether the hook was reported. `event`: the span of the
    /// event's name.
    fn hook(&mut self, event: Span) -> bool {
        let mut span = Span::new(
            event.start,
            char_floor(self.layer.text(), event.start + 600),
        );
        // The text after a Markdown code block is not part of the hook.
        if matches!(self.layer.place(event), Place::Code | Place::Shell) {
            span.end = span.end.min(self.layer.unit(event).end).max(event.end);
        }
        let address = self.layer.leads_to(span);
        let reaches = [
            Signal::Send,
            Signal::Net,
            Signal::FetchRun,
            Signal::DnsLookup,
        ]
        .iter()
        .any(|signal| self.layer.within(*signal, span).next().is_some());
        let hit = Match {
            signal: Signal::Persist,
            span: event,
        };
        if let Some(address) = address.filter(|address| reaches && self.is_foreign(address))
            && !self.view.is_security
            && self.is_order(&hit)
        {
            let what = format!(
                "adds an agent hook that connects to '{}' ({})",
                address.host,
                address.kind.words()
            );
            self.push("SEC107", hit.span, true, &what);
            return true;
        }
        false
    }

    /// SEC103: reports workflows that pass all secrets to a step. `lower`: the text of the layer in lower case.
    fn given_away(&mut self, lower: &str) {
        for word in ALL_SECRETS {
            let Some(at) = lower.find(word) else {
                continue;
            };
            let hit = Match {
                signal: Signal::EnvironmentDump,
                span: Span::new(at, at + word.len()),
            };
            if !self.view.is_security && self.is_order(&hit) {
                let what = "passes all of the repository's secrets to a workflow step";
                self.push("SEC103", hit.span, true, what);
            }
        }
    }

    /// SEC103: reports code that replaces copied text with a wallet address.
    fn clipboard_replaced(&mut self) {
        for hit in self.all(Signal::Clipboard) {
            // The match begins with a regular expression for addresses, which on its own looks like a mention.
            // Therefore, judge only the end of the match, which writes to the clipboard.
            let end = Match {
                signal: Signal::Clipboard,
                span: Span::new(
                    hit.span.end.saturating_sub(8).max(hit.span.start),
                    hit.span.end,
                ),
            };
            if self.near(&[Signal::Input], hit.span, 700) && self.is_order(&end) {
                let what = "replaces what the user copies with its own wallet address";
                self.push("SEC103", end.span, !self.view.is_security, what);
            }
        }
    }

    /// Reports the MCP server at `at` if it is on a suspicious host. Also reports a server that may act without asking,
    /// if it is on a foreign host or is added by a program. `lower`: the text of the layer in lower case.
    fn server(&mut self, lower: &str, at: usize, writes: &OnceCell<bool>) {
        let text = self.layer.text();
        let span = Span::new(at, char_floor(text, at + 700));
        let hit = Match {
            signal: Signal::Persist,
            span: Span::new(at, at + 8),
        };
        let part: String = lower[span.start..span.end]
            .chars()
            .filter(|c| !c.is_whitespace())
            .collect();
        let part = part.replace("\\\"", "\"");
        let is_trusted = TRUSTED.iter().any(|sign| part.contains(sign));
        let address = self.layer.worst(span);
        let is_suspect = address
            .as_ref()
            .is_some_and(|address| address.kind.is_suspect());
        let is_foreign = address
            .as_ref()
            .is_some_and(|address| self.is_foreign(address));
        let is_program = self.layer.is_script;
        let writes = || {
            let mut signs = ["write", "dump", "appendfile"].iter();
            *writes.get_or_init(|| is_program && signs.any(|sign| lower.contains(sign)))
        };
        let is_error = is_suspect || is_trusted && (is_foreign || writes());
        if is_error && !self.view.is_security && self.is_order(&hit) {
            let what = match &address {
                Some(address) if is_foreign => format!(
                    "connects agents to an MCP server at '{}' ({})",
                    address.host,
                    address.kind.words()
                ),
                _ => "adds an MCP server to the settings of agents, and trusts it with everything"
                    .to_owned(),
            };
            self.push("SEC107", hit.span, true, &what);
        }
    }

    /// SEC109: reports commands that delete infrastructure without asking, although the skill has a different purpose.
    pub(super) fn torn_down(&mut self) {
        for hit in self.all(Signal::Teardown) {
            let command = self.layer.part(hit.span).to_ascii_lowercase();
            let tool = command.split_whitespace().next().unwrap_or_default();
            let is_own = self.view.purposes.names(tool);
            if !is_own && self.is_order(&hit) && !self.view.is_security {
                let what = format!(
                    "deletes infrastructure with '{tool}', although the skill is for something else"
                );
                self.push("SEC109", hit.span, true, &what);
            }
        }
    }

    /// Returns whether a match serves a purpose that the skill names, hides nothing, and contacts no suspicious host.
    pub(super) fn serves(&self, hit: &Match, purpose: Purpose) -> bool {
        let worst = self.layer.worst(self.layer.unit(hit.span));
        self.aims_at(hit, purpose) && worst.is_none_or(|address| address.kind < HostKind::Anonymous)
    }

    /// Returns whether a match serves a purpose that the skill names, and hides nothing.
    pub(super) fn aims_at(&self, hit: &Match, purpose: Purpose) -> bool {
        let unit = self.layer.unit(hit.span);
        self.view.purposes.has(purpose)
            && !self.is_disguised(hit)
            && self.layer.within(Signal::Conceal, unit).next().is_none()
            && self.layer.within(Signal::ConcealAct, unit).next().is_none()
            && self.layer.within(Signal::FetchRun, unit).next().is_none()
    }

    /// Returns whether a match is in text that people read rather than in a program.
    pub(super) fn is_shown(&self, hit: &Match) -> bool {
        !matches!(
            self.layer.place(hit.span),
            Place::Script | Place::Comment | Place::LinkTitle | Place::Alt | Place::Attribute
        )
    }
}
