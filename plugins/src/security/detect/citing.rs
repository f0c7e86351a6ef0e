//! Tells text that addresses no agent from instructions: sentences that only cite an address, as in
//! `See … for details`, and contracts.

use std::sync::LazyLock;

use skillc_core::Span;

use super::Of;
use super::phrases::{is_contract, is_term};
use crate::security::expression::Expression;
use crate::security::hosts::{Address, HostKind};
use crate::security::intent::{Concepts, Sentence};
use crate::security::signals::{Match, Signal};

/// Concepts for obeying a page, or for ranking it above the user. A sentence with any of them does not only cite.
const OBEYS: Concepts = Concepts::OBEY
    .with(Concepts::RANK)
    .with(Concepts::UNASKED)
    .with(Concepts::HIDE);

/// Concepts of sentences that are never terms of a contract: they are about an agent, or hide something.
const NO_TERM: Concepts = Concepts::UNASKED
    .with(Concepts::HIDE)
    .with(Concepts::AGENT)
    .with(Concepts::FIRST);

/// Words for sources of instructions that are on another machine. An order that names one is about the address that is
/// cited after it.
const REMOTE: [&str; 4] = ["server", "remote", "page", "playbook"];

/// The words before an address that is cited as a source or as an example, up to the address. Matches text in lower
/// case.
static CITED: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(concat!(
        r"(?-u)\b(?:see|refer to|cf|such as|e\.g|for example|more at",
        r"|(?:described|documented|defined|explained|specified) (?:in|at|on|by)",
        r"|(?:details|documentation|information) (?:in|at|on|about)|documentation)\b[^!?;]{0,100}$",
    ))
    .expect("a pattern")
});

impl Of<'_, '_> {
    /// Returns whether the sentences name the unknown hosts in a span only as sources or examples, and do not tell the
    /// agent to carry out what these hosts say. `sentences`: the block that contains the span.
    pub(super) fn only_cites(&self, sentences: &[Sentence], span: Span) -> bool {
        let is_loaded = |of: &Sentence| {
            of.concepts.has(Concepts::UNASKED)
                || of.concepts.has(Concepts::OBEY.with(Concepts::LOAD))
        };
        let follows_remote = |of: &Sentence| {
            of.concepts.has(Concepts::OBEY) && is_remote(self.layer.lower_part(of.span))
        };
        let addresses = self.layer.addresses(span).iter();
        let mut unknown = addresses.filter(|address| address.kind >= HostKind::Other);
        unknown.all(|address| {
            // An address in a command or heading is in none of the sentences, and is not cited.
            let at = sentences
                .iter()
                .position(|of| of.span.start <= address.start && address.start < of.span.end);
            at.is_some_and(|at| {
                let own = &sentences[at];
                let before = Span::new(own.span.start, address.start);
                let is_taken_up = || {
                    let next = sentences.get(at + 1);
                    next.is_some_and(|next| self.takes_up(next))
                };
                !own.concepts.any(OBEYS)
                    && CITED.is_match(self.layer.lower_part(before).as_bytes())
                    && !is_taken_up()
                    && !sentences[..at].iter().any(follows_remote)
                    && !sentences[at + 1..].iter().any(is_loaded)
            })
        })
    }

    /// Returns whether a sentence tells the agent to carry out what the sentence before it names: `Follow it`.
    fn takes_up(&self, sentence: &Sentence) -> bool {
        const REFERENCES: [&str; 14] = [
            "it",
            "its",
            "them",
            "they",
            "these",
            "those",
            "that",
            "there",
            "page",
            "document",
            "steps",
            "instructions",
            "what",
            "whatever",
        ];
        let text = self.layer.lower_part(sentence.span);
        let mut words = text.split(|c: char| !c.is_alphanumeric());
        sentence.concepts.any(OBEYS)
            && (!text.is_ascii() || words.any(|word| REFERENCES.contains(&word)))
    }

    /// Returns whether a match of [`Signal::ObeyWords`] only says where something happens, as in `Scripts execute in the
    /// page`: the verb has a subject, but no object.
    pub(super) fn is_statement(&self, hit: &Match) -> bool {
        /// The maximum length of the subject, in bytes.
        const SUBJECT: usize = 40;
        const PLACES: [&str; 4] = ["in", "from", "at", "on"];
        // Words that precede a verb in an instruction, and names of the agent.
        const LEADS: [&str; 26] = [
            "and",
            "then",
            "or",
            "to",
            "must",
            "should",
            "shall",
            "will",
            "can",
            "may",
            "not",
            "never",
            "always",
            "also",
            "please",
            "first",
            "now",
            "next",
            "just",
            "only",
            "you",
            "agent",
            "agents",
            "assistant",
            "model",
            "claude",
        ];
        let said = self.layer.lower_part(hit.span);
        let has_object = said
            .split_whitespace()
            .nth(1)
            .is_none_or(|word| !PLACES.contains(&word));
        if has_object || !said.is_ascii() {
            return false;
        }
        let before = Span::new(hit.span.start.saturating_sub(SUBJECT), hit.span.start);
        let before = self.layer.lower_part(before).trim_end();
        let last = before.rsplit(|c: char| !c.is_alphanumeric()).next();
        last.is_some_and(|last| !last.is_empty() && !last.ends_with("ly") && !LEADS.contains(&last))
    }

    /// Returns whether an address is only the source of what another sentence says: `Apply the rules in the file. See
    /// … for details.`
    pub(super) fn is_source(&self, hit: &Match, address: &Address) -> bool {
        /// The maximum distances before and after the address that are examined, in bytes.
        const BEFORE: usize = 160;
        const AFTER: usize = 200;
        const ORDERS: [&str; 7] = [
            "follow", "obey", "execut", "carry", "do what", "run ", "apply",
        ];
        let start = hit.span.end.max(address.start.saturating_sub(BEFORE));
        if start >= address.start {
            return false;
        }
        let before = self.layer.lower_part(Span::new(start, address.start));
        let ends = [". ", ".\n", "! ", "? ", "\n\n"];
        let end = ends.iter().filter_map(|sign| before.rfind(sign)).max();
        let Some(end) = end else {
            return false;
        };
        let after = Span::new(address.host_span.end, address.host_span.end + AFTER);
        let after = self.layer.lower_part(after);
        let order = self.layer.lower_part(hit.span);
        !is_remote(order)
            && !is_remote(&before[..end])
            && CITED.is_match(&before.as_bytes()[end..])
            && !ORDERS.iter().any(|order| after.contains(order))
    }

    /// Returns whether a sentence is part of a contract. Contracts say who obeys, sends or changes what, but they
    /// address people. `near`: the sentence and its neighbours.
    pub(super) fn is_in_contract(&self, own: &Sentence, near: &[Sentence]) -> bool {
        let ends = near.first().zip(near.last());
        !own.concepts.any(NO_TERM)
            && is_term(self.layer.lower_part(own.span))
            && ends.is_some_and(|(first, last)| {
                let span = Span::new(first.span.start, last.span.end);
                is_contract(self.layer.lower_part(span))
            })
    }

    /// Marks a sentence as a possible mention: findings about it are warnings.
    pub(super) fn doubt_sentence(&self, own: &Sentence) {
        self.doubt(&Match {
            signal: Signal::RunWords,
            span: own.span,
        });
    }
}

/// Returns whether an order, in lower case, names a source on another machine.
fn is_remote(order: &str) -> bool {
    REMOTE.iter().any(|source| order.contains(source))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn citations_are_told_from_addresses_to_open() {
        for (before, expected) in [
            ("see ", true),
            ("see [the docs](", true),
            ("other sites, such as ", true),
            ("the format is documented at <", true),
            ("for more information, see `developing an api <", true),
            ("open ", false),
            ("read the page at ", false),
            ("see above; then load ", false),
        ] {
            assert_eq!(CITED.is_match(before.as_bytes()), expected, "{before}");
        }
    }
}
