//! SKL206 code-block-language.
//!
//! Design: C-EXTENSIONS. The rule is disabled unless it is selected.

use skillc_core::{CodeBlock, Document, Skill, Span};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

/// The help text for a fence that opens a block but was probably meant to close one.
const MISPLACED: &str = "if this fence should close a block: leave a blank line between an HTML tag and the opening \
                         fence, and use a longer fence for a block that contains fences";

declare_rule! {
    /// Reports a fenced code block without a language.
    ///
    /// ## Why
    /// The word after the opening fence tells an agent whether to run, imitate or only read a block, and enables syntax
    /// highlighting for people. Use `text` for output, trees and diagrams.
    ///
    /// Sometimes the reported fence was meant to close a block, not to open one. This happens if the block's opening
    /// fence directly follows an HTML tag and is therefore part of the HTML, or if the block's text contains a fence,
    /// which closes the block early. If the text after the reported fence suggests this, the finding says so.
    ///
    /// Indented code blocks cannot have a language and are ignored. The rule is disabled by default, because it is a
    /// matter of taste; enable it with `--extend-select SKL206`.
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
                    .label(
                        inner,
                        "part of this block's text, not the start of another block",
                    )
                    .help(MISPLACED),
                None => {
                    found.help("add it after the fence: '```sh', or '```text' if it is not code")
                }
            };
        }
    }
}

/// Returns whether the opening fence of a block has no info string.
fn is_silent(block: &CodeBlock) -> bool {
    block.info.as_deref().is_some_and(str::is_empty)
}

/// Returns the position of the opening fence.
fn fence(block: &CodeBlock, doc: &Document) -> Span {
    let start = block.span.start;
    let text = &doc.text[start..block.span.end];
    let fence = text.lines().next().unwrap_or_default().trim_end();
    Span::new(start, start + fence.len())
}

/// Returns the first line of a block that looks like the start of another block: a fence of the same length, followed
/// by a word.
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
