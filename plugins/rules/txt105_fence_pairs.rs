//! TXT105 fence-pairs.

use skillc_core::{CodeBlock, Document, Skill, Span};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::fences::{fence_at_start, inner_opening, is_unclosed};

declare_rule! {
    /// Reports a fenced code block that does not end where its author thought.
    ///
    /// ## Why
    /// A block of code ends with as many backticks as it began with. If an example holds a block of its own, the inner end ends
    /// the outer one: what follows is text where code was meant, and the next fence begins a block that was meant to end one.
    /// From there on headings, links and code are taken for each other, by every reader and by this linter.
    ///
    /// Reported is a fence with a language inside a block that began with as many backticks, and a block in a list or a quote
    /// that ends with it, without a closing fence.
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
    /// Begin and end the outer block with one backtick more:
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
    /// CommonMark 0.31, fenced code blocks: an opening fence is closed by the first fence of the same character, of at least
    /// its length and without an info string.
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
        // The last fence of a block that was ended too soon begins one that nothing ends.
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
                // What would end the outer block begins another one.
                let is_end = |next: &&CodeBlock| next.info.as_deref() == Some("");
                let help = if fenced.peek().is_some_and(is_end) {
                    let longer = fence.to_owned() + &fence[..1];
                    format!("begin and end the outer block with '{longer}'")
                } else {
                    format!(
                        "close the block that is still open with '{fence}', or remove its first line"
                    )
                };
                out.at(
                    inner,
                    "a code block seems to begin within another, which ends with it",
                )
                .label(opening, "this block is still open")
                .help(help);
            } else if is_unclosed(doc, block, fence) && block.span.end < doc.text.trim_end().len() {
                if std::mem::take(&mut has_stray_end) {
                    continue;
                }
                out.at(
                    opening,
                    "the code block ends with the list or quote that it is in, without a closing fence",
                )
                .help(format!("close it with '{fence}', as far to the right as it began"));
            }
        }
    }
}
