//! SKL206 code-block-language.
//!
//! Design: C-EXTENSIONS. Off unless it is selected.

use skillc_core::{CodeBlock, Document, Skill, Span};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

/// What helps where a fence that was to close a block opened one.
const MISPLACED: &str = "if this fence is to close a block: an HTML tag above a block needs a blank line below it, \
                         and a block that shows fences needs a longer fence itself";

declare_rule! {
    /// Reports a fenced code block that does not say its language.
    ///
    /// ## Why
    /// The word after the opening fence tells an agent whether a block is to be run, imitated or only read, and gives
    /// people colours. `text` is the word for output, trees and diagrams.
    ///
    /// Sometimes the fence that is reported was to close a block: the block began right below an HTML tag and so is none,
    /// or it shows fences and is ended by the first of them. The message then says so.
    ///
    /// Indented code blocks cannot have a language and are passed over. Like every rule that is a matter of taste this one
    /// is off; switch it on with `--extend-select SKL206`.
    ///
    /// ## Example
    /// ````markdown
    /// ```
    /// skc lint sql-format
    /// ```
    /// ````
    /// Write instead:
    /// ````markdown
    /// ```sh
    /// skc lint sql-format
    /// ```
    /// ````
    pub(crate) struct CodeBlockLanguage {
        code: "SKL206",
        name: "code-block-language",
        severity: Warning,
        since: "0.3.0",
        activation: OnRequest,
    }
}

impl Rule for CodeBlockLanguage {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_document(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        for block in doc.code_blocks.iter().filter(|block| is_silent(block)) {
            let found = out.at(fence(block, doc), "code block without a language");
            match inner_fence(block, doc) {
                Some(inner) => found
                    .label(inner, "text of this block, not the start of another")
                    .help(MISPLACED),
                None => {
                    found.help("name it after the fence: '```sh', or '```text' for what is no code")
                }
            };
        }
    }
}

/// Says whether a block has a fence and nothing after it.
fn is_silent(block: &CodeBlock) -> bool {
    block.info.as_deref().is_some_and(str::is_empty)
}

/// Returns where the opening fence is.
fn fence(block: &CodeBlock, doc: &Document) -> Span {
    let start = block.span.start;
    let text = &doc.text[start..block.span.end];
    let fence = text.lines().next().unwrap_or_default().trim_end();
    Span::new(start, start + fence.len())
}

/// Returns the first line of the block that reads like the opening of another: a fence as long as its own, then a word.
fn inner_fence(block: &CodeBlock, doc: &Document) -> Option<Span> {
    let own = fence(block, doc);
    let own = &doc.text[own.start..own.end];
    let first = doc.lines.line(block.span.start) + 1;
    let last = doc.lines.line(block.span.end);
    (first..last).find_map(|line| {
        let range = doc.lines.range(line, line + 1);
        let text = doc.text[range.clone()].trim_end();
        let start = range.start + text.len() - text.trim_start().len();
        let word = text.trim_start().strip_prefix(own)?;
        let word = word.trim_start_matches(['`', '~', ' ']);
        let end = range.start + text.len();
        word.starts_with(char::is_alphabetic)
            .then(|| Span::new(start, end))
    })
}
