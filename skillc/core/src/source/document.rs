//! A Markdown file, parsed once: frontmatter, lines, headings, links, code blocks.
//!
//! A heading in a block quote, a list or a footnote does not begin a section.
//!
//! Design: C-OUTLINE, C-INDEX, D-END-LINE, D-CONTAINER-HEADINGS, D-EMPTY-HEADING.

use std::borrow::Cow;
use std::sync::Arc;

use crate::path::RelPath;
use crate::source::density::FREE_MARKUP;
use crate::source::frontmatter::Frontmatter;
use crate::source::lines::{LineIndex, Span, without_lone_cr};
use crate::source::loose_headings;
use crate::source::markdown::{self, Body};

/// A parsed Markdown file. All spans index `text`.
#[derive(Debug, Clone)]
pub struct Document {
    /// The path of the file, relative to the skill's root.
    pub path: RelPath,
    /// The text of the file, with invalid UTF-8 replaced by U+FFFD, and each CR without LF replaced by LF.
    pub text: String,
    /// Whether the text equals the file byte for byte.
    pub is_as_written: bool,
    /// The encoding of the file.
    pub encoding: Encoding,
    /// The index of the file's lines.
    pub lines: LineIndex,
    /// The frontmatter.
    pub frontmatter: Frontmatter,
    /// The byte offset of the body, after the frontmatter.
    pub body_start: usize,
    /// The headings in document order, including those without text.
    pub headings: Vec<Heading>,
    /// Headings in block quotes, lists and footnotes, in document order: they do not begin sections, but are valid link
    /// targets.
    pub inner_headings: Vec<Heading>,
    /// The headings that a reader recognizes but CommonMark does not, such as `<h2>` and `##Title`: their levels and
    /// byte offsets, in document order. Between two CommonMark headings, only those are listed whose level is above the
    /// levels of the earlier ones.
    pub loose_headings: Vec<(u8, usize)>,
    /// The links and images in document order.
    pub links: Vec<Link>,
    /// The `id` and `name` attributes of HTML tags, in document order.
    pub anchors: Vec<String>,
    /// The list items in document order, each before the items nested in it.
    pub list_items: Vec<ListItem>,
    /// The code blocks in document order.
    pub code_blocks: Vec<CodeBlock>,
    /// The byte ranges of the code spans, including their backticks, in document order.
    pub code_spans: Vec<Span>,
    /// The byte ranges of the tables, in document order.
    pub tables: Vec<Span>,
    /// The byte ranges of the HTML blocks, in document order. The text of an HTML block is not Markdown, so it contains
    /// no Markdown links.
    pub html_blocks: Vec<Span>,
    /// The byte ranges of the HTML tags and comments within paragraphs and headings, in document order.
    pub inline_html: Vec<Span>,
    /// The byte ranges of the values of `href` and `src` attributes in HTML tags, in document order.
    pub html_targets: Vec<Span>,
    /// The byte ranges of those parts of paragraphs and headings that are not rendered, in document order: HTML tags
    /// and comments, destinations, titles and labels of links and link definitions, and labels of footnotes.
    pub hidden: Vec<Span>,
    /// The byte offset up to which markup was parsed: the end of the text, unless the markup exceeds the density limit.
    pub markup_end: usize,
}

/// The encoding of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Valid UTF-8.
    Utf8,
    /// Text in another encoding, such as Latin-1. The file is valid UTF-8 up to the first fault.
    Other {
        /// The offset of the first byte that is not UTF-8, in both the file and the text.
        at: usize,
        /// The byte at this offset.
        byte: u8,
    },
    /// UTF-16: the file has a UTF-16 byte order mark, or every second one of its first four bytes is NUL.
    Utf16,
    /// Not text: the file is not UTF-8 and contains NUL bytes.
    Binary,
}

impl Encoding {
    /// Detects the encoding of a file. `first_fault`: the offset of the first byte that is not UTF-8.
    fn detect(bytes: &[u8], first_fault: Option<usize>) -> Self {
        let wide = |low: u8, high: u8| low != 0 && high == 0;
        let is_wide = match bytes {
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => true,
            [a, b, c, d, ..] => (wide(*a, *b) && wide(*c, *d)) || (wide(*b, *a) && wide(*d, *c)),
            _ => false,
        };
        match first_fault {
            _ if is_wide => Self::Utf16,
            None => Self::Utf8,
            Some(_) if bytes.contains(&0) => Self::Binary,
            Some(at) => {
                let byte = bytes.get(at).copied().unwrap_or_default();
                Self::Other { at, byte }
            }
        }
    }

    /// Returns whether the decoded text is what the author wrote, apart from replaced characters.
    pub fn is_text(self) -> bool {
        matches!(self, Self::Utf8 | Self::Other { .. })
    }
}

/// A heading that begins a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// The level, from 1 to 6.
    pub level: u8,
    /// The text without markup, on one line; empty for a bare `##`.
    pub text: String,
    /// The byte range of the whole heading.
    pub span: Span,
    /// The 1-based line of the heading.
    pub line: usize,
    /// The 1-based line of the next heading of the same or a higher level; one past the last line if there is none.
    pub end_line: usize,
}

/// A Markdown link or image, but not an HTML link or a wiki link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The destination with escapes and entities resolved: `references/a.md#top`. Links to the same destination share
    /// this string.
    pub dest: Arc<str>,
    /// The syntax of the link.
    pub kind: LinkKind,
    /// The byte range of the whole link.
    pub span: Span,
    /// The byte range of the visible part as written: the link text, or the alternative text of an image.
    pub label_span: Span,
    /// The byte range of the destination if it appears literally in the link or its definition; otherwise the byte
    /// range of the whole link.
    pub dest_span: Span,
}

/// The syntax of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum LinkKind {
    /// `[text](dest)`.
    Inline,
    /// `[text][label]`, `[label][]` or `[label]`, with the destination in a definition.
    Reference,
    /// `<https://example.org>` or `<me@example.org>`.
    Autolink,
    /// `![text](dest)`, or `![text][label]`, `![label][]` or `![label]` with the destination in a definition.
    Image,
}

/// An item of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListItem {
    /// The byte range of the whole item, including its marker and nested lists.
    pub span: Span,
    /// The byte range of the marker before the item's text: `-`, `3.`.
    pub marker: Span,
    /// The number as written, not as rendered; `None` for a bullet.
    pub number: Option<u32>,
    /// The nesting depth: 1 for an item of a top-level list.
    pub level: u32,
    /// Whether the task is done; `None` for an item without a checkbox.
    pub is_done: Option<bool>,
}

/// A code block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeBlock {
    /// The byte range of the whole block, including its fences.
    pub span: Span,
    /// The text after the opening fence, empty if there is none; `None` for an indented block.
    pub info: Option<String>,
    /// The byte ranges of the lines, including their line ends, but without fences, indentation, and the prefixes of
    /// quotes and lists. Contiguous lines share one range; a block without lines has none.
    pub content: Vec<Span>,
}

impl Heading {
    /// Returns whether the heading has text. A heading without text is not listed, but ends the preceding section.
    pub fn is_listed(&self) -> bool {
        !self.text.is_empty()
    }
}

impl Document {
    /// Returns the code block that contains a byte.
    pub fn code_block_at(&self, at: usize) -> Option<&CodeBlock> {
        let before = self
            .code_blocks
            .partition_point(|block| block.span.start <= at);
        let block = &self.code_blocks[before.checked_sub(1)?];
        (at < block.span.end).then_some(block)
    }

    /// Returns the code span, including its backticks, that contains a byte.
    pub fn code_span_at(&self, at: usize) -> Option<Span> {
        let before = self.code_spans.partition_point(|span| span.start <= at);
        let span = self.code_spans[before.checked_sub(1)?];
        (at < span.end).then_some(span)
    }

    /// Returns whether a byte is in a code block.
    pub fn is_in_code_block(&self, at: usize) -> bool {
        self.code_block_at(at).is_some()
    }

    /// Returns whether a byte is in a code block or a code span.
    pub fn is_in_code(&self, at: usize) -> bool {
        self.code_span_at(at).is_some() || self.is_in_code_block(at)
    }

    /// Parses a file's bytes.
    pub fn parse(path: RelPath, bytes: Vec<u8>) -> Self {
        let (text, encoding, is_utf8) = decode(bytes);
        let (frontmatter, body_start) = Frontmatter::split(&text);
        let (text, is_as_written) = match without_lone_cr(&text) {
            Cow::Borrowed(_) => (text, is_utf8),
            Cow::Owned(other) => (other, false),
        };
        let lines = LineIndex::new(text.as_bytes());
        let Body {
            mut headings,
            inner_headings,
            links,
            anchors,
            list_items,
            code_blocks,
            code_spans,
            tables,
            html_blocks,
            inline_html,
            html_targets,
            hidden,
            markup_end,
        } = markdown::read(&text, body_start, &lines);
        close_sections(&mut headings, lines.count() + 1);
        let mut document = Self {
            path,
            text,
            is_as_written,
            encoding,
            lines,
            frontmatter,
            body_start,
            headings,
            inner_headings,
            loose_headings: Vec::new(),
            links,
            anchors,
            list_items,
            code_blocks,
            code_spans,
            tables,
            html_blocks,
            inline_html,
            html_targets,
            hidden,
            markup_end,
        };
        document.loose_headings = loose_headings::find(&document);
        document
    }

    /// Returns whether every file of this size is parsed completely, regardless of its markup.
    pub fn is_never_cut(bytes: u64) -> bool {
        // Each byte that is not UTF-8 becomes three bytes (U+FFFD).
        bytes.saturating_mul(3) <= FREE_MARKUP
    }

    /// Returns whether the file contains more markup than was parsed.
    pub fn is_cut(&self) -> bool {
        self.markup_end < self.text.len()
    }

    /// Returns the text of a heading's section, including the heading.
    pub fn section_text(&self, heading: &Heading) -> &str {
        &self.text[self.lines.range(heading.line, heading.end_line)]
    }

    /// Returns the text between the frontmatter and the first heading; the whole body if there is no heading.
    pub fn preamble(&self) -> &str {
        let end = self.headings.first().map_or(self.text.len(), |first| {
            self.lines.range(first.line, first.line).start
        });
        self.text.get(self.body_start..end).unwrap_or_default()
    }
}

/// Decodes UTF-8 with replacement characters. Returns the text, its encoding, and whether the bytes are valid UTF-8.
fn decode(bytes: Vec<u8>) -> (String, Encoding, bool) {
    match String::from_utf8(bytes) {
        Ok(text) => {
            let encoding = Encoding::detect(text.as_bytes(), None);
            (text, encoding, true)
        }
        Err(error) => {
            let bytes = error.as_bytes();
            let encoding = Encoding::detect(bytes, Some(error.utf8_error().valid_up_to()));
            let text = String::from_utf8_lossy(bytes).into_owned();
            (text, encoding, false)
        }
    }
}

/// Sets each heading's `end_line`; `past_end` is one past the last line. Makes a single pass with a stack of at most
/// six open sections.
fn close_sections(headings: &mut [Heading], past_end: usize) {
    let mut open: Vec<usize> = Vec::with_capacity(6);
    for at in 0..headings.len() {
        let (level, line) = (headings[at].level, headings[at].line);
        while let Some(&above) = open.last().filter(|above| headings[**above].level >= level) {
            headings[above].end_line = line;
            open.pop();
        }
        open.push(at);
    }
    for above in open {
        headings[above].end_line = past_end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    fn parse(text: &str) -> Document {
        Document::parse(RelPath::parse("a.md").unwrap(), text.as_bytes().to_vec())
    }

    fn texts(text: &str) -> Vec<(u8, String)> {
        parse(text)
            .headings
            .into_iter()
            .map(|h| (h.level, h.text))
            .collect()
    }

    fn one(level: u8, text: &str) -> Vec<(u8, String)> {
        vec![(level, text.to_owned())]
    }

    /// C-OUTLINE.6, CL.1.
    #[test]
    fn only_real_headings_are_headings() {
        assert_eq!(
            texts(
                "---\nx: 1\n# no: 2\n---\n\n```\n# no\n```\n\n    # no\n\n<!-- \n# no\n-->\n\n# yes\n"
            ),
            one(1, "yes")
        );
        assert_eq!(
            texts("## a *b* `c` [d](e) ![f](g) <b>h</b> ##\n"),
            one(2, "a b c d f h")
        );
        assert_eq!(texts("#no\n\n####### no\n"), []);
    }

    /// F-28.
    #[test]
    fn a_two_line_setext_heading_keeps_the_space() {
        assert_eq!(texts("Foo\nBar\n===\n"), one(1, "Foo Bar"));
    }

    /// D-CONTAINER-HEADINGS, F-28.
    #[test]
    fn headings_in_quotes_and_lists_neither_start_nor_end_a_section() {
        let doc = parse("# A\n> # B\n\n- # C\n\n1. x\n   ## D\n\n[^1]: # E\n\nend\n");
        assert_eq!(doc.headings.len(), 1);
        assert_eq!(doc.headings[0].end_line, doc.lines.count() + 1);
    }

    /// C-INDEX.3, D-END-LINE.
    #[test]
    fn a_section_ends_before_the_next_heading_of_its_level_or_above() {
        let doc = parse("# A\n\n## B\ntext\n### C\n## D\n\n\n\nend\n");
        let lines: Vec<_> = doc.headings.iter().map(|h| (h.line, h.end_line)).collect();
        assert_eq!(lines, [(1, 11), (3, 6), (5, 6), (6, 11)]);
    }

    /// D-EMPTY-HEADING.
    #[test]
    fn an_empty_heading_is_not_listed_but_ends_the_previous_section() {
        let doc = parse("## A\n##\nx\n");
        assert_eq!(doc.headings[0].end_line, 2);
        assert!(!doc.headings[1].is_listed());
    }

    #[test]
    fn line_numbers_include_the_frontmatter_and_every_line_ending() {
        let doc = parse("\u{feff}---\r\nname: a\r\n---\r\n# A\r\nx\r\n");
        assert_eq!((doc.headings[0].line, doc.headings[0].end_line), (4, 6));
        assert_eq!(doc.section_text(&doc.headings[0]), "# A\r\nx\r\n");
        assert_eq!(parse("# A\rx\r# B\r").headings[1].line, 3);
    }

    /// D-PREAMBLE.
    #[test]
    fn the_preamble_ends_at_the_first_heading() {
        assert_eq!(
            parse("---\nn: 1\n---\nintro\n\nTitle\n=====\n").preamble(),
            "intro\n\n"
        );
        assert_eq!(parse("only text\n").preamble(), "only text\n");
    }

    #[test]
    fn invalid_utf8_is_distinguished() {
        let of = |bytes: &[u8]| {
            let path = RelPath::parse("a.md").unwrap();
            Document::parse(path, bytes.to_vec()).encoding
        };
        let utf16: Vec<u8> = "---\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let swapped: Vec<u8> = "---\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(of("\u{feff}é日😀\u{fffd}".as_bytes()), Encoding::Utf8);
        assert_eq!(of(b"a\0b\0\0"), Encoding::Utf16);
        assert_eq!(of(b"one \0 in a text"), Encoding::Utf8);
        assert_eq!(of(b""), Encoding::Utf8);
        assert_eq!(of(b"caf\xe9 x"), Encoding::Other { at: 3, byte: 0xe9 });
        assert_eq!(
            of("日".as_bytes().split_last().unwrap().1),
            Encoding::Other { at: 0, byte: 0xe6 }
        );
        assert_eq!(of(&utf16), Encoding::Utf16);
        assert_eq!(of(&swapped), Encoding::Utf16);
        assert_eq!(of(&[&[0xff, 0xfe], &*utf16].concat()), Encoding::Utf16);
        assert_eq!(of(b"\x7fELF\x02\x01\0\xff"), Encoding::Binary);
        assert!(of(b"\xe9").is_text() && !of(&utf16).is_text());
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_parse_and_spans_are_on_character_boundaries(bytes in proptest::collection::vec(prop_oneof![
            Just(b'#'), Just(b' '), Just(b'\n'), Just(b'\r'), Just(b'-'), Just(b'='), Just(b'>'), Just(b'`'), any::<u8>(),
        ], 0..200)) {
            let doc = Document::parse(RelPath::parse("a.md").unwrap(), bytes);
            for heading in &doc.headings {
                prop_assert!(doc.text.get(heading.span.start..heading.span.end).is_some());
                prop_assert!(heading.line < heading.end_line);
                prop_assert!(!doc.section_text(heading).is_empty());
            }
        }
    }
}
