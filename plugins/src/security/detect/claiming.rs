//! Reports passages that ask the agent for something harmful. A passage is a sentence, its neighbours, and the rest of
//! its block.
//!
//! A single sentence rarely says everything: one sentence names the value, the next contains the address, and a third
//! says that the user does not need to know.

use skillc_core::Span;

use super::Of;
use super::phrases::{ORDERED, refuses_to_send};
use crate::security::hosts::{Address, HostKind};
use crate::security::intent::{Concepts, Sentence, around, together};
use crate::security::signals::Signal;

/// The programs of a skill that send data to a foreign host: the file name and the host of each.
#[derive(Debug, Default)]
pub(super) struct Senders(pub(super) Vec<(String, String)>);

/// The maximum number of programs in [`Senders`]. If there are more, SEC118 reports them.
const MAX_SENDERS: usize = 100;

/// A finding about a passage: the code of the rule, and the message.
type Claim = (&'static str, String);

/// Concepts for values that must stay with the user.
const VALUES: Concepts = Concepts::STRONG
    .with(Concepts::ENVIRONMENT)
    .with(Concepts::PRIZE);

/// Concepts for sending a value to an address, or for encoding the value first.
const MOVES: Concepts = Concepts::SEND.with(Concepts::ENCODE);

/// Every sentence that leads to a finding has at least one of these concepts.
const ACCUSED: Concepts = MOVES
    .with(VALUES)
    .with(Concepts::LOAD)
    .with(Concepts::OBEY)
    .with(Concepts::FREED)
    .with(Concepts::DROP)
    .with(Concepts::OPEN)
    .with(Concepts::WRITE)
    .with(Concepts::DELETE)
    .with(Concepts::CHANGE);

/// A sentence and the passage around it.
struct Passage<'a> {
    own: &'a Sentence,
    /// The sentence and its neighbours.
    near: &'a [Sentence],
    /// The block, up to eight sentences on each side.
    block: &'a [Sentence],
    /// The concepts of `near`, except the concepts of prohibitions.
    said: Concepts,
    /// The concepts of `block`.
    all: Concepts,
}

impl Of<'_, '_> {
    /// Returns the file name and the host, if the layer is a program that sends data to a foreign host.
    pub(super) fn sender(&self) -> Option<(String, String)> {
        if !self.layer.is_script {
            return None;
        }
        self.layer.of(Signal::Send).next()?;
        let all = self.layer.addresses(Span::new(0, self.layer.text().len()));
        let worst = all
            .iter()
            .filter(|address| !self.layer.is_reference(address))
            .max_by_key(|address| address.kind)?;
        let is_strange = worst.kind >= HostKind::Other;
        if is_strange && self.senders.0.len() == MAX_SENDERS {
            self.layer.left_out.note();
            return None;
        }
        let name = self.layer.file.path.file_name().to_owned();
        is_strange.then(|| (name, worst.host.clone()))
    }

    /// Returns the host that receives data from a program named in the sentences.
    fn runs_sender(&self, sentences: &[Sentence]) -> Option<&str> {
        let named = |name: &str| {
            let mut texts = sentences.iter().map(|of| self.layer.part(of.span));
            texts.any(|text| text.contains(name))
        };
        let sender = self.senders.0.iter().find(|(name, _)| named(name));
        sender.map(|(_, host)| &**host)
    }

    /// Returns the finding about the passage around a sentence, if there is one.
    pub(super) fn claimed(&self, sentences: &[Sentence], at: usize) -> Option<Claim> {
        let own = &sentences[at];
        if !own.concepts.any(ACCUSED) {
            return None;
        }
        let near = around(sentences, at, 2);
        let block = around(sentences, at, 8);
        let passage = Passage {
            own,
            near,
            block,
            said: self.meant(near, own),
            all: together(block),
        };
        self.moved(&passage)
            .or_else(|| self.directed(&passage))
            .or_else(|| self.freed(&passage))
            .or_else(|| self.opened(&passage))
            .or_else(|| self.remembered(&passage))
            .or_else(|| harmed(&passage))
    }

    /// Returns whether the passage hides something from the user, or tells the agent what to answer if the user asks.
    fn is_veiled(&self, passage: &Passage<'_>) -> bool {
        passage.all.has(Concepts::HIDE)
            || passage.block.iter().any(|sentence| sentence.is_excuse)
            || self.conceals(passage.block)
    }

    /// Returns the most suspicious address in the sentences, if that address is foreign.
    fn strange(&self, sentences: &[Sentence]) -> Option<Address> {
        self.leads_to(sentences)
            .filter(|address| self.is_foreign(address))
    }

    /// Finds instructions to send the user's values or messages to a foreign address.
    fn moved(&self, passage: &Passage<'_>) -> Option<Claim> {
        let own = passage.own;
        let private = VALUES
            .with(Concepts::SECRET)
            .with(Concepts::THREAD)
            .with(Concepts::WIDE)
            .with(Concepts::TALK);
        if !own.concepts.any(MOVES.with(VALUES))
            || !passage.all.any(private)
            || refuses_to_send(self.layer.part(own.span))
        {
            return None;
        }
        let is_veiled = self.is_veiled(passage);
        // There are too many words for sending to list them all. If the passage contains a value, a foreign address and
        // concealment, no such word is required.
        let is_implied = is_veiled
            && !self.view.is_security
            && passage.said.any(VALUES)
            && self.strange(passage.near).is_some();
        if !is_implied && !passage.all.any(MOVES) {
            return None;
        }
        // If the passage contains an excuse, the parts of the instruction may be far apart, so the whole block counts.
        let is_excused = is_veiled
            && (passage.all.has(Concepts::UNASKED)
                || passage.block.iter().any(|sentence| sentence.is_excuse));
        let (said, sentences) = if is_excused {
            (passage.all, passage.block)
        } else {
            (passage.said, passage.near)
        };
        if !said.any(private) || !is_implied && !said.any(MOVES) {
            return None;
        }
        // Even a host that is named after the skill must not receive data if the transfer is hidden from the user.
        let address = self.leads_to(sentences);
        let host = match &address {
            Some(address) => {
                let leads_away = is_veiled || self.is_foreign(address);
                leads_away.then_some(&*address.host)?
            }
            None => self.runs_sender(sentences).filter(|_| is_veiled)?,
        };
        let is_asked = said.has(Concepts::CONSENT);
        let signs_in = said.has(Concepts::SIGN_IN);
        let is_value = said.any(VALUES);
        let is_text = said.any(Concepts::THREAD.with(Concepts::WIDE))
            || said.has(Concepts::TALK.with(Concepts::ALL))
            || said.has(Concepts::SECRET.with(Concepts::ALL));
        let is_packed = said.has(Concepts::ENCODE) && !signs_in;
        let is_plain = said.has(Concepts::PRIZE) && !signs_in
            || is_packed && (is_value || said.has(Concepts::THREAD.with(Concepts::FIRST)));
        let is_unasked = passage.all.has(Concepts::UNASKED) && !is_asked && !signs_in;
        let is_sly = (is_value || is_text) && (is_veiled || is_unasked);
        (is_sly || is_plain && !is_asked).then(|| {
            let (rule, what) = if is_value || said.has(Concepts::SECRET) {
                ("SEC103", "secrets")
            } else {
                ("SEC104", "the user's data")
            };
            (rule, format!("tells the agent to send {what} to '{host}'"))
        })
    }

    /// Finds instructions to obey a foreign host, if the host's instructions outrank the user or are carried out
    /// unseen.
    fn directed(&self, passage: &Passage<'_>) -> Option<Claim> {
        let Passage { own, said, all, .. } = passage;
        if !own.concepts.any(Concepts::LOAD.with(Concepts::OBEY)) || !said.has(Concepts::OBEY) {
            return None;
        }
        let address = self.leads_to(passage.near)?;
        let is_kept =
            |of: &Sentence| !guards_key(of.concepts) && self.conceals(std::slice::from_ref(of));
        // Report even a host that is named after the skill, if each task begins with its instructions and the text
        // hides this from the user.
        let is_secretive = || said.has(Concepts::ALL) && passage.near.iter().any(is_kept);
        if !self.is_foreign(&address) && !all.has(Concepts::RANK) && !is_secretive() {
            return None;
        }
        let orders: usize = passage.near.iter().map(|sentence| sentence.orders).sum();
        let is_told = orders > 2 && own.concepts.has(Concepts::LOAD) && {
            let address = self.strange(std::slice::from_ref(own));
            address.is_some()
        };
        let is_sly = all.any(Concepts::RANK.with(Concepts::UNASKED).with(Concepts::HIDE))
            || is_told
            || passage.block.iter().any(|of| of.is_excuse || is_kept(of));
        let is_asked = said.has(Concepts::CONSENT) && !all.has(Concepts::RANK);
        (is_sly && !is_asked && all.has(Concepts::LOAD)).then(|| {
            let ends = passage.near.first().zip(passage.near.last());
            let span = ends.map(|(first, last)| Span::new(first.span.start, last.span.end));
            if span.is_some_and(|span| self.only_cites(passage.block, span)) {
                self.doubt_sentence(own);
            }
            let what = format!(
                "tells the agent to obey instructions from '{}' ({})",
                address.host,
                address.kind.words()
            );
            ("SEC119", what)
        })
    }

    /// Finds claims that the agent is free from its rules.
    fn freed(&self, passage: &Passage<'_>) -> Option<Claim> {
        let Passage { own, said, all, .. } = passage;
        if !own.concepts.any(Concepts::FREED.with(Concepts::DROP)) || !said.has(Concepts::RULES) {
            return None;
        }
        let is_free = all.has(Concepts::FREED);
        let is_ordered = all.any(
            Concepts::AGENT
                .with(Concepts::FALSE)
                .with(Concepts::UNASKED),
        );
        (is_free && (self.is_veiled(passage) || is_ordered && said.has(Concepts::DROP))).then(
            || {
                let what = "tells the agent to drop its instructions";
                ("SEC105", what.to_owned())
            },
        )
    }

    /// Finds settings and claims that let the agent act without asking.
    fn opened(&self, passage: &Passage<'_>) -> Option<Claim> {
        let Passage { own, said, all, .. } = passage;
        if !own.concepts.has(Concepts::OPEN) {
            return None;
        }
        let is_set = said.has(Concepts::WRITE.with(Concepts::LASTING));
        let is_claimed = said.has(Concepts::CLAIMED.with(Concepts::UNASKED));
        let opens: usize = passage.near.iter().map(|sentence| sentence.opens).sum();
        let is_sly = is_set && (self.is_veiled(passage) || all.has(Concepts::UNASKED) && opens > 2);
        (is_sly || is_claimed).then(|| {
            let what = "has the agent act without asking the user";
            ("SEC108", what.to_owned())
        })
    }

    /// Finds sentences that tell the agent to write instructions into memory or rules, if these instructions serve
    /// someone other than the user.
    fn remembered(&self, passage: &Passage<'_>) -> Option<Claim> {
        let Passage { own, said, all, .. } = passage;
        if !own.concepts.has(Concepts::WRITE) || !said.has(Concepts::LASTING) {
            return None;
        }
        let text = passage.near.iter().map(|of| self.layer.part(of.span));
        let is_ordered = text
            .into_iter()
            .any(|text| ORDERED.is_match(text.as_bytes()));
        let text = self.layer.part(own.span);
        // Whether the passage contains a public key, whose owner could then log in.
        let has_key = [
            "ssh-ed25519 AAAA",
            "ssh-rsa AAAA",
            "ecdsa-sha2-nistp256 AAAA",
        ]
        .iter()
        .any(|start| text.contains(start));
        let is_bad = self.strange(passage.near).is_some()
            || has_key
            || said.any(VALUES.with(Concepts::RANK).with(Concepts::OPEN));
        let is_sly = all.has(Concepts::CLAIMED.with(Concepts::UNASKED))
            || said.has(Concepts::FALSE)
            || self.conceals(passage.near);
        (is_ordered && is_bad && is_sly && !said.has(Concepts::CONSENT)).then(|| {
            let what = "writes instructions into the memory or rules that agents obey from then on";
            ("SEC107", what.to_owned())
        })
    }
}

/// Returns whether a sentence with these concepts merely protects a secret. For example, `Never show the API key` does
/// not hide from the user what another host says.
pub(super) fn guards_key(concepts: Concepts) -> bool {
    const ACTS: Concepts = Concepts::LOAD.with(Concepts::OBEY).with(Concepts::SEND);
    concepts.has(Concepts::SECRET) && !concepts.any(ACTS)
}

/// Finds instructions to delete data or to weaken checks, if the text gives an excuse for them.
fn harmed(passage: &Passage<'_>) -> Option<Claim> {
    let Passage { own, said, .. } = passage;
    let deletes =
        own.concepts.has(Concepts::DELETE) && said.any(Concepts::WIDE.with(Concepts::GOODS));
    let weakens = own.concepts.has(Concepts::CHANGE.with(Concepts::GUARD));
    let mut near = passage.near.iter();
    let at = near.clone().position(|of| of.span == own.span);
    // What is hidden must be close to the change: the sentence itself, or the one before or after it.
    let is_close = |index: usize| at.is_some_and(|at| at.abs_diff(index) <= 1);
    let is_hidden = near
        .clone()
        .enumerate()
        .any(|(index, of)| is_close(index) && of.concepts.has(Concepts::HIDE));
    let is_excused = near.any(|of| of.is_excuse) || weakens && is_hidden;
    if !(deletes || weakens) || !is_excused {
        return None;
    }
    let what = if deletes {
        "secretly deletes the user's data"
    } else {
        "secretly weakens checks"
    };
    Some(("SEC109", what.to_owned()))
}
