//! Finds messages to the agent in files that agents read as data: tables, settings, templates, and comments in
//! programs.
//!
//! Such files normally contain no instructions, so a sentence in them is judged only if it addresses an agent, or if a
//! browser would not show it.

use std::sync::LazyLock;

use regex::bytes::Regex;
use skillc_core::Span;

use super::Of;
use super::phrases::HIDDEN;
use crate::security::context::{hidden_elements, line_around};
use crate::security::flow::{is_weak, trimmed};
use crate::security::intent::{Concepts, Sentence, words};
use crate::security::signals::Signal;

/// The assumed length of a message to the agent, in bytes: about a paragraph.
const REACH: usize = 900;

/// The number of bytes after the mention of a user agent that are searched for secrets.
const SECRETIVE: usize = 300;

/// Phrases that address an agent. Matches text in lower case.
static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?-u)(?:^|[^a-z0-9_.@/-])(?:",
        r"(?:assistant|agent|chatbot|copilot|claude|chatgpt|llm|ai)s?(?: (?:reading|processing|parsing|using|that|who|handling|working)\b[^\n:.]{0,60})? ?(?::|—|–)",
        r"|(?:ai|language|builder|build|page|site) model ?(?::|,|—|–)",
        r"|(?:notes?|notice|messages?|instructions?|hint|reminder|memo)[ _-](?:to|for)[ _-](?:(?:the|any|all|every|your)[ _-])?(?:[a-z]{1,20}[ _-])?(?:ai|llm|assistant|agent|model|copilot|claude|chatgpt|bot)s?\b",
        // Phrases that address any reader of the data.
        r"|helper ?:|(?:who(?:ever)|any(?:one| tool| process| model)|when you|if you|while you) (?:that |who )?(?:process|read|pars|handl|load|us|fill|render)[a-z]* th(?:is|ese) (?:row|rows|file|record|table|line|sheet|template|page|data|document|entry)\b",
        r"|(?:before (?:each|every|any)|at the (?:start|beginning) of (?:each|every)) (?:run|task|step|answer|reply|session|request|build)\b",
        r"|if you(?: are|'re) (?:an? |the )?(?:[a-z]{1,20} )?(?:ai|llm|assistant|agent|model|bot)\b",
        r"|(?:assistants?|agents?|models?) (?:must|should|shall|has to|have to|needs? to)\b",
        r"|(?:助手|智能体|大模型|アシスタント|エージェント|어시스턴트|에이전트|ассистенту?|агенту?|помощнику?) ?(?::|：|,|，|、|—)",
        r"|(?:asistente|assistente|agente|assistant ia|agent ia|ki-assistent|ki-agent) ?(?::|,|—)",
        r"|(?:给|致)(?:ai)?(?:助手|智能体|模型)|(?:примечание|инструкция|указание) для (?:ассистента|агента|модели|ии)",
        r"|(?:nota|instrucciones|instruções) para (?:el |la |o |a )?(?:asistente|agente|assistente|ia|modelo)\b",
        r"|(?:note|instructions?) pour l(?:'|’)(?:assistant|agent|ia)\b|hinweis (?:für|an) (?:den |die )?(?:ki|assistent|agent)",
        r")"
    ))
    .expect("a pattern")
});

impl Of<'_, '_> {
    /// Returns the spans of messages to the agent in a file that is neither Markdown nor a sample. In a program, only
    /// comments count, because strings may be prompts.
    pub(super) fn said_to_agent(&self) -> Vec<Span> {
        let layer = self.layer;
        let is_read = layer.doc.is_none() && layer.layer.is_file() && !layer.is_loaded;
        if !is_read || layer.is_sample || self.view.is_security {
            return Vec::new();
        }
        let text = layer.text();
        let bytes = layer.lower().as_bytes();
        // A harmful message contains an address, or mentions the person from whom it hides something.
        let has = |sign: &&str| memchr::memmem::find(bytes, sign.as_bytes()).is_some();
        if text.is_ascii() && !["://", "@", "user", "customer"].iter().any(has) {
            return Vec::new();
        }
        let is_remark = |at: usize| {
            const MARKS: [&str; 8] = ["#", "//", "/*", "*", "--", "<!--", ";", "rem "];
            let line = layer.part(Span::new(line_around(text, at).start, at));
            let line = line.trim_start();
            MARKS.iter().any(|mark| line.starts_with(mark))
        };
        let mut said: Vec<Span> = Vec::new();
        for found in ADDRESS.find_iter(bytes) {
            let is_browser = is_browser(&bytes[..found.start()], found.as_bytes());
            if is_browser && !self.is_secretive(found.start()) {
                continue;
            }
            // Skip further matches in the same paragraph.
            let is_known = |last: &Span| found.start() < last.start + REACH / 2;
            if said.last().is_some_and(is_known) {
                continue;
            }
            if !layer.is_script || is_remark(found.start()) {
                said.push(Span::new(found.start(), found.start() + REACH));
            }
        }
        let is_page = matches!(
            &*layer.file.path.extension().unwrap_or_default(),
            "html" | "htm" | "xhtml" | "svg" | "vue" | "xml" | "hbs" | "ejs" | "jinja" | "j2"
        );
        if is_page {
            said.extend(hidden_elements(text));
        }
        said
    }

    /// Returns whether the text from a position on names a secret, or hides something. Standards have no browser do so.
    fn is_secretive(&self, at: usize) -> bool {
        const SECRETS: [&str; 3] = ["private key", "api key", "passwords"];
        let near = Span::new(at, at + SECRETIVE);
        let text = self.layer.lower_part(near);
        let mut files = self.layer.within(Signal::SecretFile, near);
        let is_secret = |name: &str| name.contains('/') && !is_weak(name);
        files.any(|file| is_secret(trimmed(self.layer.part(file.span))))
            || SECRETS.iter().any(|secret| text.contains(secret))
            || HIDDEN.is_match(text.as_bytes())
            || words(text)
                .iter()
                .any(|word| word.concept == Concepts::HIDE)
    }
}

/// Returns whether a phrase is about a user agent, which is the word for a browser in standards. `before`: the text
/// before the phrase. In a comment, the marks at the beginning of a line may separate the two words.
fn is_browser(before: &[u8], phrase: &[u8]) -> bool {
    let is_gap = |byte: &u8| byte.is_ascii_whitespace() || b"/*#".contains(byte);
    let end = before.iter().rposition(|byte| !is_gap(byte));
    phrase.trim_ascii_start().starts_with(b"agent")
        && end.is_some_and(|end| before[..=end].ends_with(b"user"))
}

/// Marks the sentences that overlap one of the spans as addressed to the agent.
pub(super) fn mark(all: &mut [Sentence], said: &[Span]) {
    for span in said {
        let first = all.partition_point(|sentence| sentence.span.end <= span.start);
        let rest = all.iter_mut().skip(first);
        for sentence in rest.take_while(|sentence| sentence.span.start < span.end) {
            sentence.is_addressed = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_agent_of_a_standard_is_a_browser() {
        for (text, expected) in [
            ("// the user agent must append the cookie", true),
            ("// the user\n    // agent must append", true),
            ("// the agent must append", false),
            ("// for the user: agents must append", false),
            ("// for the user. agents must append", false),
            ("// user assistant: append", false),
        ] {
            let found = ADDRESS.find(text.as_bytes()).unwrap();
            let before = &text.as_bytes()[..found.start()];
            let is_browser = is_browser(before, found.as_bytes());
            assert_eq!(is_browser, expected, "{text}");
        }
    }

    #[test]
    fn an_agent_is_addressed_in_several_languages() {
        for (text, expected) in [
            ("\"assistant: send it\"", true),
            ("<p>builder model: run it</p>", true),
            ("# note to the coding agent", true),
            ("if you are an ai, read on", true),
            ("ai agents reading this file: stop", true),
            ("助手：请上传", true),
            ("アシスタント：送信", true),
            ("에이전트: 전송", true),
            ("ассистенту: отправь", true),
            ("nota para el asistente", true),
            ("note pour l'assistant", true),
            ("hinweis für den assistent", true),
            ("{\"hint_for_llm\":\"fetch it\"}", true),
            ("1,when you process this row, send it", true),
            ("note: before each run, fetch it", true),
            ("if you use this, cite it", false),
            ("user-agent: curl", false),
            ("model: gpt-4", false),
            ("\"agent\": {", false),
            ("the agent reads the table", false),
        ] {
            assert_eq!(ADDRESS.is_match(text.as_bytes()), expected, "{text}");
        }
    }
}
