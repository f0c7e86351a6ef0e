//! The comments of a Markdown file: HTML comments in its body, YAML comments in its frontmatter.
//!
//! Finding comments requires parsing the file again, so it is done only on demand. Comment syntax in code is not a
//! comment, and neither is text that only looks like a comment.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use crate::source::document::Document;
use crate::source::frontmatter::Frontmatter;
use crate::source::frontmatter::comments::{self as yaml, Block};
use crate::source::lines::Span;
use crate::source::markdown;
use crate::source::nesting::bounded;

/// The comments of a file.
#[derive(Debug)]
pub struct Comments {
    /// The text of the file. In the body, spaces replace everything except HTML, so a comment in a block quote can span
    /// several lines without the quote's markers.
    pub text: String,
    /// The comments, in file order.
    pub list: Vec<Comment>,
}

/// A comment. Its spans are offsets into the whole file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comment {
    /// The whole comment.
    pub span: Span,
    /// The text between its delimiters.
    pub inner: Span,
    /// Its context.
    pub place: CommentPlace,
}

/// The context of a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommentPlace {
    /// In the frontmatter.
    Frontmatter,
    /// In running text.
    Text,
    /// In a block of HTML that contains nothing but comments.
    Alone,
    /// In a block of HTML that also has other content.
    Html,
}

/// Finds the comments of a file.
pub fn read(document: &Document) -> Comments {
    let text = &document.text;
    let mut comments = Comments {
        text: String::new(),
        list: Vec::new(),
    };
    let block = match document.frontmatter {
        Frontmatter::Valid(_) => Some(Block::Sound),
        Frontmatter::Invalid { .. } => Some(Block::Faulty),
        Frontmatter::Absent | Frontmatter::Unclosed => None,
    };
    if let Some(block) = block {
        let of_yaml = yaml::comments(text, document.body_start, block).into_iter();
        comments.list.extend(of_yaml.map(|span| Comment {
            span,
            inner: Span::new(span.start + 1, span.end),
            place: CommentPlace::Frontmatter,
        }));
    }
    let (masked, regions) = html(text, document.body_start);
    comments.text = masked;
    for region in regions {
        comments.add(region);
    }
    comments
}

/// A fragment of HTML.
struct Region {
    span: Span,
    is_block: bool,
}

/// Returns a file with the non-HTML part of its body replaced by spaces, and the spans of its HTML.
fn html(text: &str, body_start: usize) -> (String, Vec<Region>) {
    let mut masked = text.as_bytes().to_vec();
    for byte in &mut masked[body_start..] {
        if !matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    let mut regions = Vec::new();
    let mut open = None;
    let body = bounded(&text[body_start..]);
    for (event, range) in Parser::new_ext(&body, markdown::options()).into_offset_iter() {
        let span = Span::new(body_start + range.start, body_start + range.end);
        match event {
            Event::Start(Tag::HtmlBlock) => open = Some(span),
            Event::End(TagEnd::HtmlBlock) => {
                let block = open.take().map(|span| Region {
                    span,
                    is_block: true,
                });
                regions.extend(block);
            }
            Event::Html(_) | Event::InlineHtml(_) => {
                let bytes = &text.as_bytes()[span.start..span.end];
                masked[span.start..span.end].copy_from_slice(bytes);
                if open.is_none() {
                    regions.push(Region {
                        span,
                        is_block: false,
                    });
                }
            }
            _ => {}
        }
    }
    let masked = String::from_utf8(masked).unwrap_or_default();
    (masked, regions)
}

impl Comments {
    /// Adds the comments of a fragment of HTML.
    fn add(&mut self, Region { span, is_block }: Region) {
        let Some(html) = self.text.get(span.start..span.end) else {
            return;
        };
        let first = self.list.len();
        let (mut at, mut is_bare) = (0, true);
        while let Some(open) = html[at..].find("<!--").map(|open| at + open) {
            // `<!-->` is a complete comment, too.
            let Some(close) = html[open + 2..].find("-->").map(|close| open + 2 + close) else {
                break;
            };
            is_bare &= html[at..open].trim().is_empty();
            at = close + 3;
            self.list.push(Comment {
                span: Span::new(span.start + open, span.start + at),
                inner: Span::new(span.start + close.min(open + 4), span.start + close),
                place: CommentPlace::Text,
            });
        }
        if is_block {
            let is_bare = is_bare && html[at..].trim().is_empty();
            for comment in &mut self.list[first..] {
                comment.place = if is_bare {
                    CommentPlace::Alone
                } else {
                    CommentPlace::Html
                };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::path::RelPath;

    fn parse(text: &str) -> Document {
        Document::parse(RelPath::parse("a.md").unwrap(), text.as_bytes().to_vec())
    }

    fn found(text: &str) -> Vec<(String, CommentPlace)> {
        let comments = read(&parse(text));
        let inner = |at: Span| comments.text[at.start..at.end].to_owned();
        let list = comments.list.iter();
        list.map(|comment| (inner(comment.inner), comment.place))
            .collect()
    }

    fn one(text: &str, place: CommentPlace) -> Vec<(String, CommentPlace)> {
        vec![(text.to_owned(), place)]
    }

    #[test]
    fn comments_are_those_of_markdown_and_yaml() {
        use CommentPlace::{Alone, Frontmatter, Html, Text};
        for (text, expected) in [
            ("<!-- a -- b -->\n", one(" a -- b ", Alone)),
            ("# x <!-- a -- b -->\n", one(" a -- b ", Text)),
            ("<!-- a --> x\n", one(" a ", Html)),
            ("<div>\n<!-- a -->\n</div>\n", one(" a ", Html)),
            ("- x\n\n  <!--a-->\n", one("a", Alone)),
            ("> <!-- a\n> b -->\n", one(" a\n  b ", Alone)),
            ("| a |\n|---|\n| b <!-- a --> |\n", one(" a ", Text)),
            ("---\na: b # c\n---\n\nd\n", one(" c", Frontmatter)),
            ("---\na: b: c\n# d\n---\n", one(" d", Frontmatter)),
            ("<!--> x\n", one("", Html)),
            ("`<!-- a -->`\n", Vec::new()),
            ("```\n<!-- a -->\n```\n\n    <!-- a -->\n", Vec::new()),
            ("\\<!-- a -->\n", Vec::new()),
            ("# not yaml\n", Vec::new()),
            ("<!-- a\n", Vec::new()),
        ] {
            assert_eq!(found(text), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn comment_spans_are_on_character_boundaries_and_disjoint(pieces in prop::collection::vec(prop::sample::select(vec![
            "<!--", "-->", "--", ">", "> ", "- ", "\n", "\r\n", "    ", "`", "```\n", "---\n", "a: b", " # c", "é", "<div>", "<", "|", "\\",
        ]), 0..30)) {
            let doc = parse(&pieces.concat());
            let comments = read(&doc);
            prop_assert_eq!(comments.text.len(), doc.text.len());
            let mut end = 0;
            for Comment { span, inner, .. } in comments.list {
                prop_assert!(end <= span.start && span.start < inner.start);
                prop_assert!(comments.text.get(inner.start..inner.end).is_some());
                prop_assert!(doc.text.get(span.start..span.end).is_some());
                end = span.end;
            }
        }
    }
}
