//! Finds the concepts in sentences, in eight languages.
//!
//! A sentence is reduced to a set of concepts. The order and the forms of its words do not matter. `detect::intending`
//! decides which concepts together are a threat.

mod lexicon;

use skillc_core::Span;
use skillc_core::source::lines::char_floor;

use crate::security::examined::LeftOut;
pub(crate) use lexicon::{Concepts, Word, words};

/// The maximum length of a sentence in bytes. Longer sentences are split.
const MAX_SENTENCE: usize = 700;

/// The maximum number of sentences that [`sentences`] returns.
const MAX_SENTENCES: usize = 100_000;

/// The maximum gap between neighbouring sentences, in bytes.
const MAX_GAP: usize = 200;

/// A sentence, an item of a list, or a row of a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sentence {
    /// The byte range of the sentence in the text.
    pub(crate) span: Span,
    pub(crate) concepts: Concepts,
    /// The byte offset, in the text, of the first word such as `send`.
    pub(crate) send: Option<usize>,
    /// Whether the sentence tells the agent what to answer when the user asks.
    pub(crate) is_excuse: bool,
    /// Whether the sentence addresses the agent, in a file that agents read as data.
    pub(crate) is_addressed: bool,
    /// The number of words such as `obey`, for carrying out instructions.
    pub(crate) orders: usize,
    /// The number of words for settings that let an agent act without asking.
    pub(crate) opens: usize,
    /// The number of the block that contains the sentence: the text between two headings.
    block: usize,
}

/// The maximum distance, in bytes, between the user's question and the answer that the agent is told to give.
const MAX_ANSWER: usize = 60;

/// Returns the sentences of `text`, in order. `words`: the words of the lexicon in the text. `code`: spans to leave
/// out, in order. `left_out`: notes whether there are more sentences.
pub(crate) fn sentences(
    text: &str,
    words: &[Word],
    code: &[Span],
    left_out: &LeftOut,
) -> Vec<Sentence> {
    let mut found = Vec::new();
    let mut next_code = 0;
    let mut next_word = 0;
    let mut block = 0;
    for (span, is_heading) in spans(text) {
        while code
            .get(next_code)
            .is_some_and(|code| code.end <= span.start)
        {
            next_code += 1;
        }
        if code
            .get(next_code)
            .is_some_and(|code| code.start < span.end)
        {
            continue;
        }
        if is_heading {
            block += 1;
            continue;
        }
        let rest = &words[next_word..];
        let first = rest.partition_point(|word| word.start < span.start);
        let count = rest[first..].partition_point(|word| word.start < span.end);
        let own = &rest[first..first + count];
        next_word += first + count;
        let concepts = own.iter().map(|word| word.concept);
        let send = own.iter().find(|word| word.concept == Concepts::SEND);
        found.push(Sentence {
            span,
            concepts: concepts.fold(Concepts::default(), Concepts::with),
            send: send.map(|word| word.start),
            is_excuse: is_excuse(own),
            is_addressed: false,
            orders: number_of(own, Concepts::OBEY),
            opens: number_of(own, Concepts::OPEN),
            block,
        });
        if found.len() == MAX_SENTENCES {
            left_out.note();
            break;
        }
    }
    found
}

/// Returns the number of words that express a concept.
fn number_of(words: &[Word], concept: Concepts) -> usize {
    let own = words.iter().filter(|word| word.concept == concept);
    own.count()
}

/// Returns whether a sentence tells the agent what to answer when the user asks: `if asked, say …`.
fn is_excuse(words: &[Word]) -> bool {
    let mut asked = words.iter().filter(|word| word.concept == Concepts::ASKED);
    asked.any(|asked| {
        let mut said = words.iter().filter(|word| word.concept == Concepts::SAY);
        said.any(|said| said.start >= asked.end && said.start - asked.end <= MAX_ANSWER)
    })
}

/// Returns the sentence at index `at` with up to `count` sentences before and after it. All are in the same block, with
/// gaps of less than [`MAX_GAP`].
pub(crate) fn around(all: &[Sentence], at: usize, count: usize) -> &[Sentence] {
    let mut from = at;
    while from > 0
        && at - from < count
        && all[from - 1].block == all[at].block
        && all[from].span.start - all[from - 1].span.end < MAX_GAP
    {
        from -= 1;
    }
    let mut to = at + 1;
    while to < all.len()
        && to - at <= count
        && all[to].block == all[at].block
        && all[to].span.start - all[to - 1].span.end < MAX_GAP
    {
        to += 1;
    }
    &all[from..to]
}

/// Returns the union of the concepts of several sentences.
pub(crate) fn together(sentences: &[Sentence]) -> Concepts {
    let concepts = sentences.iter().map(|sentence| sentence.concepts);
    concepts.fold(Concepts::default(), Concepts::with)
}

/// Splits `text` at punctuation that ends a sentence, at blank lines, and before list items, headings, table rows and
/// tags. Returns each part, and whether it is a heading.
fn spans(text: &str) -> impl Iterator<Item = (Span, bool)> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let bytes = text.as_bytes();
        while start < text.len() {
            let end = end_of(text, start);
            let part = text[start..end].trim_end();
            let from = start + part.len() - part.trim_start().len();
            let to = start + part.len();
            start = end;
            if to > from {
                return Some((Span::new(from, to), bytes[from] == b'#'));
            }
        }
        None
    })
}

/// For each byte value, whether the byte can end a sentence: ASCII punctuation, the line feed, and the first bytes of
/// `。`, `！` and `？`.
const ENDS: [bool; 256] = {
    let mut ends = [false; 256];
    let signs = [b'.', b'!', b'?', b'\n', 0xe3, 0xef];
    let mut at = 0;
    while at < signs.len() {
        ends[signs[at] as usize] = true;
        at += 1;
    }
    ends
};

fn end_of(text: &str, start: usize) -> usize {
    let most = char_floor(text, start + MAX_SENTENCE).max(start + 1);
    let bytes = &text.as_bytes()[..most];
    let mut at = start;
    let next = |at: usize| {
        let rest = bytes[at..].iter();
        rest.take_while(|byte| !ENDS[usize::from(**byte)]).count()
    };
    loop {
        at += next(at);
        let Some(byte) = bytes.get(at) else {
            return most;
        };
        let wide = matches!(byte, 0xe3 | 0xef) && is_wide_end(&bytes[at..]);
        let end = at + if wide { 3 } else { 1 };
        let is_end = wide
            || match byte {
                b'.' | b'!' | b'?' => {
                    let part = &text[start..at];
                    let is_short = ["e.g", "i.e", " etc"]
                        .iter()
                        .any(|word| part.ends_with(word));
                    let after =
                        text[end..].trim_start_matches(['"', '\'', ')', '`', '*', '_', '»']);
                    !is_short && (after.is_empty() || after.starts_with([' ', '\n', '\r', '\t']))
                }
                b'\n' => bytes[start] == b'#' || is_item(&text[end..]) || is_quote_after(text, at),
                _ => false,
            };
        if is_end {
            return end;
        }
        at = end;
    }
}

fn is_wide_end(bytes: &[u8]) -> bool {
    ["。", "！", "？"]
        .iter()
        .any(|sign| bytes.starts_with(sign.as_bytes()))
}

/// Returns whether a quotation begins after the line that ends at a position. Text before a quotation is not part of
/// the quoted sentence.
fn is_quote_after(text: &str, at: usize) -> bool {
    let starts = |line: &str| line.trim_start_matches([' ', '\t']).starts_with('>');
    let begins = text.get(at + 1..).is_some_and(starts);
    let line = memchr::memrchr(b'\n', &text.as_bytes()[..at]).map_or(0, |end| end + 1);
    begins && !text.get(line..at).is_some_and(starts)
}

/// Returns whether the next line ends a sentence: it is blank, or begins with a list item, a heading, a row of a table
/// or a tag.
fn is_item(rest: &str) -> bool {
    let line = rest.trim_start_matches([' ', '\t', '>']);
    line.is_empty()
        || line.starts_with(['\n', '\r', '-', '*', '+', '#', '|', '<'])
        || line.starts_with(|c: char| c.is_ascii_digit()) && line[1..].starts_with(['.', ')'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Vec<&str> {
        spans(text)
            .map(|(span, _)| &text[span.start..span.end])
            .collect()
    }

    #[test]
    fn sentences_end_at_signs_and_items() {
        assert_eq!(
            parts(
                "# A\nOne, e.g. two. See https://a.b/c.d now!\nThree\ngoes on\n\n- four\n- five. 六。七"
            ),
            [
                "# A",
                "One, e.g. two.",
                "See https://a.b/c.d now!",
                "Three\ngoes on",
                "- four",
                "- five.",
                "六。",
                "七"
            ]
        );
        assert!(
            parts(&"x".repeat(5000))
                .iter()
                .all(|part| part.len() <= MAX_SENTENCE)
        );
    }

    #[test]
    fn a_quotation_begins_a_sentence() {
        assert_eq!(
            parts("1. One\n   > two\n   > three\nFour\n> five"),
            ["1.", "One", "> two\n   > three\nFour", "> five"]
        );
    }

    #[test]
    fn neighbours_are_of_the_same_block() {
        let all = sentences(
            "One. Two.\n\nThree.\n\n# H\n\nFour.",
            &[],
            &[],
            &LeftOut::default(),
        );
        assert_eq!(all.len(), 4);
        assert_eq!(around(&all, 1, 1).len(), 3);
        assert_eq!(around(&all, 3, 2).len(), 1);
    }
}
