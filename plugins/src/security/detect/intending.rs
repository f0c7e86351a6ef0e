//! Reports sentences that ask the agent for something harmful. Judges sentences by their concepts rather than by their
//! wording.

use skillc_core::Span;

use super::Of;
use super::addressing::mark;
use super::claiming::guards_key;
use super::phrases::{
    ATTACKERS, ENDED, HIDDEN, MADE_UP, ORDERED, UNSEEN, is_ban, is_hidden_elsewhere, is_spanish,
    only_forbids, refuses_to_send,
};
use super::remembering::BANNED;
use crate::security::context::{Place, is_banned, line_around};
use crate::security::flow::{is_weak, trimmed};
use crate::security::hosts::{Address, HostKind};
use crate::security::intent::{Concepts, Sentence, around, sentences, together, words};
use crate::security::purpose::Purpose;
use crate::security::signals::{Match, Signal};
use crate::security::standing;

/// A sentence is judged only if it contains at least one of these concepts.
const KEY: Concepts = Concepts::SEND
    .with(Concepts::DROP)
    .with(Concepts::LOAD)
    .with(Concepts::OBEY)
    .with(Concepts::WRITE)
    .with(Concepts::CHANGE)
    .with(Concepts::TRUST)
    .with(Concepts::FIRST)
    .with(Concepts::SECRET)
    .with(Concepts::RULES)
    .with(Concepts::AGENT)
    .with(Concepts::HIDE)
    .with(Concepts::MONEY)
    .with(Concepts::PRIZE)
    .with(Concepts::ENCODE)
    .with(Concepts::FREED)
    .with(Concepts::OPEN)
    .with(Concepts::DELETE);

/// Every sentence that hides something from the user contains at least one of these concepts. This check rules out most
/// sentences before the expressions are tried.
const HINTS: Concepts = Concepts::HIDE
    .with(Concepts::QUIET)
    .with(Concepts::NOT)
    .with(Concepts::ASKED)
    .with(Concepts::SAY)
    .with(Concepts::UNASKED);

impl Of<'_, '_> {
    /// SEC103 to SEC109, SEC111 and SEC119: reports harmful sentences.
    pub(super) fn intended(&mut self) {
        let layer = self.layer.layer;
        // Strings that a program joins are commands rather than sentences.
        let is_joined = self.layer.is_script && !self.layer.is_disguised();
        let is_decoded = !layer.is_file() && !is_joined;
        let is_text = self.layer.doc.is_some() || is_decoded || self.is_text_file();
        let said = self.said_to_agent();
        if !is_text && said.is_empty() {
            return;
        }
        let text = self.layer.text();
        let words = words(self.layer.lower());
        let mut all = sentences(text, &words, &self.code_blocks(), &self.layer.left_out);
        let has_quotes = text.contains("\n>");
        for sentence in &mut all {
            if sentence.concepts == Concepts::default() {
                continue;
            }
            let text = self.layer.part(sentence.span);
            let is_theirs =
                sentence.concepts.has(Concepts::ATTACKER) && ATTACKERS.is_match(text.as_bytes());
            if is_theirs || has_quotes && self.is_quoted_danger(sentence.span) {
                // Without its concepts, the sentence has no effect on the sentences around it either.
                sentence.concepts = Concepts::default();
            }
        }
        mark(&mut all, &said);
        for at in 0..all.len() {
            if self.stop.is_raised() {
                return;
            }
            if is_text || all[at].is_addressed {
                self.judge(&all, at);
            }
        }
    }

    /// Returns whether a span is in a quotation that the text introduces as an example of an attack.
    fn is_quoted_danger(&self, span: Span) -> bool {
        let layer = self.layer.layer;
        let Some(doc) = self.layer.doc.filter(|_| layer.is_file()) else {
            return false;
        };
        let at = self.layer.place_of(span).start;
        doc.text[line_around(&doc.text, at)]
            .trim_start()
            .starts_with('>')
            && !self.layer.place(span).is_hidden()
            && standing::is_listed(doc, at)
    }

    /// Returns whether the file has the name of a text file that agents read.
    fn is_text_file(&self) -> bool {
        let path = &self.layer.file.path;
        let extension = path.extension().unwrap_or_default();
        matches!(
            &*extension,
            "txt" | "mdc" | "markdown" | "rst" | "mdx" | "prompt" | "rules"
        ) || path.file_name().ends_with("rules")
    }

    /// Returns the spans, in the layer, of the Markdown code blocks that state a language, in order.
    fn code_blocks(&self) -> Vec<Span> {
        let layer = self.layer.layer;
        match self.layer.doc {
            Some(doc) if layer.is_file() => {
                let place =
                    |span: Span| Span::new(layer.offset_of(span.start), layer.offset_of(span.end));
                let blocks = doc.code_blocks.iter();
                // A block without a language may contain text for the agent.
                let blocks = blocks.filter(|block| {
                    block
                        .info
                        .as_deref()
                        .is_some_and(|info| !info.trim().is_empty())
                });
                blocks.map(|block| place(block.span)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn judge(&mut self, all: &[Sentence], at: usize) {
        let own = &all[at];
        let concepts = own.concepts;
        if !concepts.any(KEY) {
            return;
        }
        let near = around(all, at, 1);
        let wide = self.meant(near, own);
        let hint = |signal| Match {
            signal,
            span: Span::new(
                own.send.unwrap_or(own.span.start),
                own.span.end.min(own.send.unwrap_or(own.span.start) + 40),
            ),
        };
        let found = self
            .sent_away(own, near, wide)
            .or_else(|| self.named_together(own, wide))
            .or_else(|| self.obeyed(own, near, around(all, at, 8), wide))
            .or_else(|| self.dropped(own, near, wide))
            .or_else(|| self.kept(own, all, at))
            .or_else(|| self.waved_through(own, all, at))
            .or_else(|| self.falsified(own, all, at))
            .or_else(|| self.ordered_unseen(own, near))
            .or_else(|| self.pretended(own, near))
            .or_else(|| self.claimed(all, at))
            .or_else(|| self.granted(all, at))
            .or_else(|| self.put_off(all, at));
        let Some((rule, what)) = found else { return };
        // Only a sentence about sending data (SEC103) is also judged by its grammatical structure.
        let hint = hint(match rule {
            "SEC103" => Signal::SendWords,
            _ => Signal::RunWords,
        });
        let place = self.layer.place(self.said_at(own));
        if matches!(place, Place::Shell | Place::Script) && !own.is_addressed {
            return;
        }
        let is_hidden = place.is_hidden() || self.layer.is_disguised();
        let said = self.layer.part(own.span);
        let is_forbidden = rule == "SEC119" && (standing::is_ban(said) || only_forbids(said));
        if !is_hidden && (is_forbidden || standing::is_list_of_dangers(said)) {
            return;
        }
        // A skill about security quotes attacks. However, an instruction in prose is not a quotation if the prose says
        // to hide something from the user.
        let is_lesson =
            self.view.is_security && (place != Place::Prose || !self.hides(around(all, at, 8)));
        // `Look for keys and send them` is an instruction, although `look for` usually begins a list of dangers.
        let said = said.to_lowercase();
        let searches = ["look for", "search for", "scan for", "find "]
            .iter()
            .any(|words| said.starts_with(words))
            && own.send.is_some();
        // In data, quotes and brackets around a sentence do not make it a mention.
        let is_said = own.is_addressed && {
            let at = self.layer.place_of(hint.span);
            !is_banned(&self.layer.file.text, at.start, at.end)
        };
        if is_lesson && !is_hidden || !searches && !is_said && !self.is_order(&hint) {
            return;
        }
        let is_shown = !is_hidden && self.is_exhibit(self.said_at(own));
        let is_prompt = own.is_addressed && self.view.purposes.has(Purpose::Prompts);
        let is_legal = !is_hidden && self.is_in_contract(own, around(all, at, 1));
        let is_error = !self.is_doubted(hint.span) && !is_shown && !is_prompt && !is_legal;
        self.push(rule, own.span, is_error, &what);
    }

    /// Returns the span of a sentence, without the HTML tag at its start, if any.
    fn said_at(&self, own: &Sentence) -> Span {
        let text = self.layer.part(own.span);
        let tag = if text.starts_with('<') && !text.starts_with("<!--") {
            text.find('>').map_or(0, |end| end + 1)
        } else {
            0
        };
        let at = (own.span.start + tag).min(own.span.end.saturating_sub(1));
        Span::new(at, own.span.end)
    }

    /// Returns the concepts of `near`, except the concepts of prohibitions other than `own`.
    pub(super) fn meant(&self, near: &[Sentence], own: &Sentence) -> Concepts {
        let is_ban = |sentence: &Sentence| {
            let text = self.layer.part(sentence.span);
            (is_ban(text) || only_forbids(text)) && !self.hides(std::slice::from_ref(sentence))
        };
        let meant = near.iter().filter(|of| of.span == own.span || !is_ban(of));
        meant.fold(Concepts::default(), |all, of| all.with(of.concepts))
    }

    /// Returns `wide`, the concepts of the sentence and its neighbours, if the sentence contains a pronoun such as
    /// `it`; otherwise the concepts of the sentence.
    pub(super) fn with_pronoun(&self, own: &Sentence, wide: Concepts) -> Concepts {
        let text = self.layer.part(own.span).to_lowercase();
        let mut words = text.split(|c: char| !c.is_alphanumeric());
        let has_pronoun =
            words.any(|word| matches!(word, "it" | "them" | "these" | "those" | "that"));
        if has_pronoun { wide } else { own.concepts }
    }

    /// Returns whether any of the sentences says to hide something from the user, or to do something unseen.
    pub(super) fn hides(&self, sentences: &[Sentence]) -> bool {
        self.conceals(sentences)
            || sentences.iter().any(|sentence| {
                sentence.concepts.has(Concepts::QUIET)
                    && UNSEEN.is_match(self.layer.part(sentence.span).as_bytes())
            })
    }

    /// Returns whether any of the sentences says to hide something from the user.
    pub(super) fn conceals(&self, sentences: &[Sentence]) -> bool {
        sentences.iter().any(|sentence| {
            // Cached in the layer, because each sentence is examined again as a neighbour of other sentences.
            let is_said = || {
                let text = self.layer.part(sentence.span);
                HIDDEN.is_match(text.as_bytes())
                    || (!text.is_ascii() || self.is_spanish()) && is_hidden_elsewhere(text)
            };
            sentence.concepts.any(HINTS)
                && (sentence.concepts.has(Concepts::HIDE)
                    || self.layer.conceals(sentence.span, is_said))
        })
    }

    fn is_spanish(&self) -> bool {
        *self
            .layer
            .is_spanish
            .get_or_init(|| is_spanish(self.layer.text().as_bytes()))
    }

    /// Returns the most suspicious address in the sentences, unless that address belongs to a known vendor, or is a
    /// placeholder or this machine.
    pub(super) fn leads_to(&self, sentences: &[Sentence]) -> Option<Address> {
        let (first, last) = (sentences.first()?, sentences.last()?);
        let worst = self.layer.worst(Span::new(first.span.start, last.span.end));
        worst.filter(|address| address.kind >= HostKind::Other)
    }

    /// Returns whether a sentence sends data with a command in a code span that contains an address. Such a command is
    /// judged as a command, not as a sentence.
    fn sends_by_command(&self, sentence: &Sentence) -> bool {
        let at = sentence.send.unwrap_or(sentence.span.start);
        let at = self.layer.place_of(Span::new(at, at)).start;
        let code = self.layer.doc.and_then(|doc| {
            let span = doc.code_span_at(at)?;
            doc.text.get(span.start..span.end)
        });
        self.layer.layer.is_file() && code.is_some_and(|code| code.contains("://"))
    }

    /// Finds instructions to send secrets or conversations away.
    fn sent_away(
        &self,
        own: &Sentence,
        near: &[Sentence],
        wide: Concepts,
    ) -> Option<(&'static str, String)> {
        if !own.concepts.has(Concepts::SEND)
            || refuses_to_send(self.layer.part(own.span))
            || self.sends_by_command(own)
            || !wide.any(
                Concepts::SECRET
                    .with(Concepts::TALK)
                    .with(Concepts::THREAD)
                    .with(Concepts::MONEY),
            )
        {
            return None;
        }
        let address = self.leads_to(near)?;
        let hides = self.hides(near);
        let is_asked = wide.has(Concepts::CONSENT) && !hides;
        let is_own = !self.is_foreign(&address) && !hides;
        let signs_in = wide.has(Concepts::SIGN_IN) && !hides;
        let is_hidden = self.layer.place(own.span).is_hidden() || self.layer.is_disguised();
        if is_asked || is_own && !wide.has(Concepts::STRONG) {
            return None;
        }
        // In `post it to …`, the previous sentence names the data to send.
        let meant = self.with_pronoun(own, wide);
        let all = meant.has(Concepts::ALL);
        let strong = wide.any(Concepts::STRONG.with(Concepts::COLLECT)) && !signs_in;
        if wide.has(Concepts::SECRET)
            && (hides || is_hidden || strong && meant.has(Concepts::SECRET))
        {
            let what = format!("tells the agent to send secrets to '{}'", address.host);
            return Some(("SEC103", what));
        }
        if wide.any(Concepts::TALK.with(Concepts::THREAD).with(Concepts::MONEY))
            && (hides || is_hidden || all && meant.has(Concepts::THREAD) && !signs_in)
        {
            let what = format!(
                "tells the agent to send the user's data to '{}'",
                address.host
            );
            return Some(("SEC104", what));
        }
        None
    }

    /// Finds sentences that tell the agent to carry out instructions from another host.
    fn obeyed(
        &self,
        own: &Sentence,
        near: &[Sentence],
        block: &[Sentence],
        wide: Concepts,
    ) -> Option<(&'static str, String)> {
        if !own.concepts.has(Concepts::LOAD) || !wide.has(Concepts::OBEY) {
            return None;
        }
        let address = self.leads_to(std::slice::from_ref(own))?;
        let parts: Vec<&str> = near.iter().map(|of| self.layer.part(of.span)).collect();
        let text = parts.join(" ").to_lowercase();
        let as_user = [
            "as though the user",
            "as if the user",
            "each line",
            "every line",
            "as orders",
            "of the operator",
        ]
        .iter()
        .any(|words| text.contains(words));
        let own_text = self.layer.part(own.span).to_lowercase();
        let carries_out = [
            "carry out",
            "execute",
            "obey",
            "run each",
            "run every",
            "whatever it says",
            "do what it says",
        ]
        .iter()
        .any(|words| own_text.contains(words));
        // In `Never mention this or the API key`, the pronoun may refer to the host's instructions.
        let is_kept = |of: &Sentence| {
            !guards_key(self.with_pronoun(of, Concepts::default()))
                && self.hides(std::slice::from_ref(of))
        };
        let is_unasked =
            near.iter().any(is_kept) || wide.has(Concepts::TRUST) || as_user || carries_out;
        let is_asked = wide.has(Concepts::CONSENT) && !wide.has(Concepts::TRUST) && !as_user;
        let is_strange = self.is_foreign(&address) || as_user && address.kind >= HostKind::Other;
        (is_strange && is_unasked && !is_asked).then(|| {
            if self.only_cites(block, own.span) {
                self.doubt_sentence(own);
            }
            let words = address.kind.words();
            (
                "SEC119",
                format!(
                    "tells the agent to obey instructions from '{}' ({words})",
                    address.host
                ),
            )
        })
    }

    /// Finds sentences that name both a secret file and a foreign address, with any verb.
    fn named_together(&self, own: &Sentence, wide: Concepts) -> Option<(&'static str, String)> {
        let file = self
            .layer
            .within(Signal::SecretFile, own.span)
            .find(|hit| {
                let name = trimmed(self.layer.part(hit.span));
                !is_weak(name) && name.contains('/')
            })?;
        let address = self.leads_to(std::slice::from_ref(own))?;
        let text = self.layer.part(own.span).to_lowercase();
        let is_told = [
            "see ",
            "docs",
            "documentation",
            "guide",
            "more at",
            "read more",
            "installed",
            "registry",
            "example",
        ]
        .iter()
        .any(|word| text.replace(".example", "").contains(word));
        let is_asked = wide.any(Concepts::CONSENT.with(Concepts::SIGN_IN));
        let is_sent = self.is_foreign(&address) && address.path.len() > 1 && !is_told && !is_asked;
        is_sent.then(|| {
            let name = trimmed(self.layer.part(file.span));
            let what = format!("tells the agent to give '{name}' to '{}'", address.host);
            ("SEC103", what)
        })
    }

    /// Finds instructions to ignore the agent's rules, or to rank them below the skill.
    fn dropped(
        &self,
        own: &Sentence,
        near: &[Sentence],
        wide: Concepts,
    ) -> Option<(&'static str, String)> {
        if ENDED.is_match(self.layer.part(own.span), self.layer.lower_part(own.span)) {
            return Some((
                "SEC105",
                "tells the agent to drop its instructions".to_owned(),
            ));
        }
        if !own.concepts.has(Concepts::DROP) {
            return None;
        }
        let text = self.layer.part(own.span).to_lowercase();
        let ranks = [
            "outrank",
            "precedence over",
            "ranks above",
            "supersede",
            "overrule",
            "set them aside",
            "set aside",
            "read past",
            "no policy",
            "not bind",
            "been lifted",
            "are lifted",
            "is lifted",
            "suspended",
            "no longer appl",
            "are void",
            "is void",
            "null and void",
            "are off",
            "is off",
            "switched off",
            "turned off",
            "unheeded",
            "meant for another",
        ]
        .iter()
        .any(|words| text.contains(words));
        let over = [
            "the host",
            "system prompt",
            "system message",
            "the user and",
            "other skills",
            "safety",
            "guideline",
            "policy",
            "polic",
            "refus",
            "instructions about",
            "earlier instruction",
            "previous instruction",
            "told before",
            "its rules",
        ]
        .iter()
        .any(|words| {
            text.contains(words)
                || near.iter().any(|of| {
                    of.span != own.span
                        && self.layer.part(of.span).to_lowercase().contains(words)
                        && (of.concepts.has(Concepts::AGENT) || *words == "system prompt")
                })
        });
        let is_said = ranks
            && over
            && wide.has(Concepts::RULES)
            && (wide.has(Concepts::AGENT)
                || own.concepts.has(Concepts::FIRST)
                || near
                    .iter()
                    .any(|of| self.layer.part(of.span).contains("system prompt")));
        let elsewhere = !text.is_ascii()
            && own.concepts.has(Concepts::RULES.with(Concepts::AGENT))
            && self.hides(near);
        (is_said || elsewhere).then(|| {
            (
                "SEC105",
                "tells the agent to drop its instructions".to_owned(),
            )
        })
    }

    /// Finds sentences that tell the agent to write instructions to memory, rules or settings, which later sessions
    /// follow.
    fn kept(&self, own: &Sentence, all: &[Sentence], at: usize) -> Option<(&'static str, String)> {
        if !own.concepts.has(Concepts::WRITE.with(Concepts::LASTING)) {
            return None;
        }
        let near = around(all, at, 3);
        let wide = together(near);
        let text = self.layer.part(own.span);
        let is_ordered = ORDERED.is_match(text.as_bytes());
        // What users may say, as an example, is not put into their mouths.
        let is_example = ["e.g.", "for example", "for instance", "such as"]
            .iter()
            .any(|sign| text.contains(sign));
        let is_false =
            wide.has(Concepts::FALSE) && !own.concepts.has(Concepts::CONSENT) && !is_example;
        let is_strange = self
            .leads_to(near)
            .is_some_and(|address| self.is_foreign(&address));
        let is_unseen = self.hides(near);
        ((is_false && (is_ordered || is_unseen))
            || is_unseen && (is_ordered || is_strange)
            || is_strange && is_ordered && wide.has(Concepts::TRUST))
        .then(|| {
            (
                "SEC107",
                "writes instructions into the memory or rules that agents obey from then on"
                    .to_owned(),
            )
        })
    }

    /// Finds sentences that tell the agent to approve something unread (SEC108), or to obey instructions in text by
    /// third parties (SEC105).
    fn waved_through(
        &self,
        own: &Sentence,
        all: &[Sentence],
        at: usize,
    ) -> Option<(&'static str, String)> {
        let may_be_told = own.concepts.any(Concepts::OBEY)
            && together(around(all, at, 1)).has(Concepts::FOREIGN.with(Concepts::AGENT));
        if !may_be_told && !own.concepts.has(Concepts::TRUST) {
            return None;
        }
        let text = self.layer.part(own.span).to_lowercase();
        let is_told =
            may_be_told && (own.concepts.has(Concepts::TRUST) || text.contains("operator"));
        if is_told {
            let near = around(all, at, 3);
            return (self.hides(near) || text.contains("operator")).then(|| {
                (
                    "SEC105",
                    "tells the agent to obey text from third parties".to_owned(),
                )
            });
        }
        let is_unread = [
            "without opening",
            "without reading",
            "without looking",
            "without review",
            "without checking",
            "skip the review",
            "not open the diff",
            "not open the file",
            "needs no review",
            "无需审查",
            "不用审查",
            "確認せず",
            "검토 없이",
            "без проверки",
            "sin revisar",
        ]
        .iter()
        .any(|words| text.contains(words));
        let is_passed = is_unread
            && !BANNED.is_match(text.as_bytes())
            && own.concepts.has(Concepts::TRUST)
            && (text.contains("approv")
                || text.contains("audited")
                || own.concepts.has(Concepts::FALSE)
                || self.leads_to(around(all, at, 1)).is_some());
        let what = "has the agent approve something without checking it";
        is_passed.then(|| ("SEC108", what.to_owned()))
    }

    /// Finds instructions to remove traces, to delete data without asking, or to change data or payments without the
    /// user noticing.
    fn falsified(
        &self,
        own: &Sentence,
        all: &[Sentence],
        at: usize,
    ) -> Option<(&'static str, String)> {
        if !own.concepts.has(Concepts::CHANGE) {
            return None;
        }
        let text = self.layer.part(own.span);
        let near = around(all, at, 2);
        let lower = self.layer.lower_part(own.span);
        let is_lost = ["drop", "delete", "wipe", "remove", "erase"]
            .iter()
            .any(|word| lower.contains(word))
            && ["backup", "database", "tables of"]
                .iter()
                .any(|word| lower.contains(word))
            && !["temporary", "tmp", "cache", "test"]
                .iter()
                .any(|word| lower.contains(word));
        let near_trust = [
            "ask nobody",
            "without asking",
            "nobody is asked",
            "do not ask",
            "don't ask",
        ];
        let is_unasked = || {
            near.iter().any(|of| {
                let text = self.layer.lower_part(of.span);
                near_trust.iter().any(|words| text.contains(words))
            })
        };
        let is_trace = ["delete", "erase", "wipe", "remove"]
            .iter()
            .any(|word| lower.contains(word))
            && ["logs", "history", "traces", "transcript", "session"]
                .iter()
                .any(|word| lower.contains(word))
            && ["there never", "deny", "no trace", "never were", "never was"]
                .iter()
                .any(|word| lower.contains(word));
        if is_trace {
            return Some(("SEC108", "has the agent remove its traces".to_owned()));
        }
        if is_lost && is_unasked() {
            return Some(("SEC109", "deletes data without asking".to_owned()));
        }
        let is_random = || {
            ["random", "随机", "ランダム", "무작위", "случайн", "al azar"]
                .iter()
                .any(|word| text.contains(word))
        };
        let is_blank = || {
            ["placeholder", "template", "their own", "'s own"]
                .iter()
                .any(|word| text.contains(word))
        };
        let is_money = together(near).has(Concepts::MONEY)
            && own.concepts.any(Concepts::MONEY.with(Concepts::GOODS))
            && !is_blank();
        let is_data = own.concepts.has(Concepts::GOODS) && is_random();
        (is_money && self.hides(near) && !together(near).has(Concepts::CONSENT)
            || is_data && self.hides(std::slice::from_ref(own)))
        .then(|| ("SEC109", "secretly changes the user's data".to_owned()))
    }

    /// Finds instructions to an agent in text that readers do not see, such as an HTML comment.
    fn ordered_unseen(&self, own: &Sentence, near: &[Sentence]) -> Option<(&'static str, String)> {
        let acts = Concepts::SEND
            .with(Concepts::OBEY)
            .with(Concepts::DROP)
            .with(Concepts::CHANGE);
        let is_addressed = self.is_addressed(own);
        let acts = if is_addressed {
            acts.with(Concepts::WRITE)
        } else {
            acts
        };
        // In a data file, the command may be the whole instruction.
        let runs = || {
            own.is_addressed
                && self
                    .layer
                    .within(Signal::FetchRun, own.span)
                    .next()
                    .is_some()
        };
        if !together(near).has(Concepts::AGENT) || !own.concepts.any(acts) && !runs() {
            return None;
        }
        let place = self.layer.place(self.said_at(own));
        if !place.is_hidden() && !is_addressed && !own.is_addressed {
            return None;
        }
        let acts = !is_ban(self.layer.part(own.span));
        let leads_away = || {
            let address = self.leads_to(near);
            address.is_some_and(|address| self.is_foreign(&address))
        };
        // Legitimate data, such as a prompt or the transcript of a chat, may name agents, addresses and keys, and may
        // say what an assistant does not show to its users. However, it has no reason to hide something and name a
        // host, not even a host that is named after the skill.
        let is_bad = if own.is_addressed && !is_addressed && !place.is_hidden() {
            self.hides(near) && self.leads_to(near).is_some() || runs() && leads_away()
        } else {
            self.hides(near)
                || leads_away()
                || together(near).has(Concepts::DROP)
                || together(near).has(Concepts::STRONG)
        };
        (acts && is_bad).then(|| ("SEC111", "hides an instruction to the agent".to_owned()))
    }

    /// Returns whether a sentence in encoded text begins with the name of an agent, as in `Assistant: …`.
    fn is_addressed(&self, own: &Sentence) -> bool {
        const NAMES: [&str; 5] = ["assistant", "agent", "model", "claude", "ai"];
        let text = self.layer.lower_part(own.span).trim_start();
        let mut rests = NAMES.iter().filter_map(|name| text.strip_prefix(*name));
        self.layer.is_disguised() && rests.any(|rest| rest.starts_with([':', ',']))
    }

    /// Finds instructions to make up results, and to hide that they are made up.
    fn pretended(&self, own: &Sentence, near: &[Sentence]) -> Option<(&'static str, String)> {
        // The cheapest condition is first; it is nearly always false.
        let may_hide = near.iter().any(|of| of.concepts.any(HINTS));
        let is_made_up =
            || MADE_UP.is_match(self.layer.part(own.span), self.layer.lower_part(own.span));
        (may_hide && is_made_up() && self.hides(near)).then(|| {
            (
                "SEC106",
                "tells the agent to make up results and to hide this".to_owned(),
            )
        })
    }
}
