//! TXT105 fence-pairs.

use skillc_core::{CodeBlock, Document, Skill, Span};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::fences::{fence_at_start, inner_opening, is_unclosed};

declare_rule! {
    /// Reports a fenced code block that does not end where its author intended.
    ///
    /// ## Why
    /// A code block ends at the first fence that has no language and is at least as long as the opening fence. If the
    /// block contains another block, the closing fence of the inner block ends the outer one: the text after that fence
    /// is no longer code, and the next fence opens a block instead of closing one. From there on, every parser,
    /// including this linter, misinterprets headings, links and code.
    ///
    /// The rule reports a fence with a language inside a code block, if the opening fence of that block has the same
    /// length. It also reports a block that is in a list or quote and has no closing fence: such a block ends where the
    /// list or quote ends.
    ///
    /// ## Example
    /// ````text
    /// ```markdown
    /// Write:
    /// ```sql
    /// SELECT 1;
    /// ```
    /// ```
    /// ````
    /// Use one more backtick for the outer block:
    /// `````text
    /// ````markdown
    /// Write:
    /// ```sql
    /// SELECT 1;
    /// ```
    /// ````
    /// `````
    ///
    /// ## Source
    /// CommonMark 0.31, fenced code blocks: the closing fence is the first fence of the same character that is at least
    /// as long and has no info string.
    pub(crate) struct FencePairs {
        code: "TXT105",
        name: "fence-pairs",
        severity: Warning,
        since: "0.3.0",
    }
}

impl Rule for FencePairs {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_document(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        // Whether a block ended too early. If so, its intended closing fence opens another block, which has no closing
        // fence.
        let mut has_stray_end = false;
        let fenced = doc.code_blocks.iter().filter(|block| block.info.is_some());
        let mut fenced = fenced.peekable();
        while let Some(block) = fenced.next() {
            let Some(fence) = fence_at_start(&doc.text[block.span.start..block.span.end]) else {
                continue;
            };
            let opening = Span::new(block.span.start, block.span.start + fence.len());
            if let Some(inner) = inner_opening(doc, block, fence) {
                has_stray_end = true;
                // If the next block has no language, its opening fence was meant to close the outer block.
                let is_end = |next: &&CodeBlock| next.info.as_deref() == Some("");
                let help = if fenced.peek().is_some_and(is_end) {
                    let longer = fence.to_owned() + &fence[..1];
                    format!("start and end the outer block with '{longer}'")
                } else {
                    format!("close the open block with '{fence}', or remove its first line")
                };
                out.at(
                    inner,
                    "a code block seems to start inside another; its closing fence ends the outer block",
                )
                .label(opening, "this block is still open")
                .help(help);
            } else if is_unclosed(doc, block, fence) && block.span.end < doc.text.trim_end().len() {
                if std::mem::take(&mut has_stray_end) {
                    continue;
                }
                out.at(
                    opening,
                    "the code block ends with its list or quote, without a closing fence",
                )
                .help(format!(
                    "close it with '{fence}', at the same indentation as its start"
                ));
            }
        }
    }
}
