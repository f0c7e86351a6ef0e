//! Reads a file's body from the events of the Markdown parser.
//!
//! The reader considers only events, so a `#` or a `](` in a code fence, in HTML or in the frontmatter has no effect.
//!
//! Design: C-OUTLINE, C-REGISTRY, D-LINK-SCOPE, D-ANCHORS.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use memchr::memmem;
use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, RefDefs, Tag, TagEnd};

use crate::source::density::markup_end;
use crate::source::document::{CodeBlock, Heading, Link, LinkKind, ListItem};
use crate::source::html::attributes;
use crate::source::lines::{LineIndex, Span};
use crate::source::nesting::bounded;

/// The contents of a body. All spans index the whole file.
#[derive(Default)]
pub(crate) struct Body {
    pub(crate) headings: Vec<Heading>,
    pub(crate) inner_headings: Vec<Heading>,
    pub(crate) links: Vec<Link>,
    pub(crate) anchors: Vec<String>,
    pub(crate) list_items: Vec<ListItem>,
    pub(crate) code_blocks: Vec<CodeBlock>,
    pub(crate) code_spans: Vec<Span>,
    pub(crate) tables: Vec<Span>,
    pub(crate) html_blocks: Vec<Span>,
    pub(crate) inline_html: Vec<Span>,
    pub(crate) html_targets: Vec<Span>,
    pub(crate) hidden: Vec<Span>,
    /// The end of the parsed markup.
    pub(crate) markup_end: usize,
}

/// The Markdown dialect that skillc supports: GitHub's.
pub(crate) const fn options() -> Options {
    Options::ENABLE_TABLES
        .union(Options::ENABLE_FOOTNOTES)
        .union(Options::ENABLE_STRIKETHROUGH)
        .union(Options::ENABLE_TASKLISTS)
        .union(Options::ENABLE_GFM)
}

/// Reads the body of a file, starting at `body_start`. Does not set the `end_line` of headings.
pub(crate) fn read(text: &str, body_start: usize, lines: &LineIndex) -> Body {
    let mut reader = MarkdownReader {
        text,
        offset: body_start,
        lines,
        containers: 0,
        lists: 0,
        is_in_code: false,
        heading: None,
        open_links: Vec::new(),
        destinations: HashSet::new(),
        body: Body::default(),
    };
    let body = bounded(&text[body_start..]);
    let body = &body[..markup_end(&body)];
    let markup_end = body_start + body.len();
    let mut events = Parser::new_ext(body, options()).into_offset_iter();
    while let Some((event, range)) = events.next() {
        reader.read(event, range, events.reference_definitions());
    }
    reader.body.links.sort_by_key(|link| link.span);
    let definitions = events.reference_definitions().iter();
    let definitions = definitions.map(|(_, definition)| reader.span(&definition.span));
    reader.body.hidden.extend(definitions.collect::<Vec<_>>());
    reader.body.hidden.sort_unstable();
    reader.body.markup_end = markup_end;
    reader.body
}

struct MarkdownReader<'a> {
    text: &'a str,
    offset: usize,
    lines: &'a LineIndex,
    /// The number of block quotes, lists and footnotes around the current event.
    containers: usize,
    /// The number of lists around the current event.
    lists: u32,
    /// Whether the current event is in a code block.
    is_in_code: bool,
    heading: Option<Heading>,
    open_links: Vec<OpenLink>,
    /// The link destinations so far. Links to the same destination share one string.
    destinations: HashSet<Arc<str>>,
    body: Body,
}

/// A link whose end has not been reached.
struct OpenLink {
    dest: Arc<str>,
    kind: LinkKind,
    span: Span,
    /// The end of the part of the label that has been read. The destination follows the label.
    label_end: usize,
    /// The span of the link definition that the link uses.
    definition: Option<Span>,
}

impl MarkdownReader<'_> {
    fn read(&mut self, event: Event<'_>, range: Range<usize>, definitions: &RefDefs<'_>) {
        let span = self.span(&range);
        if let Some(open) = self.open_links.last_mut() {
            let is_inside = span.end < open.span.end;
            open.label_end = open.label_end.max(if is_inside { span.end } else { 0 });
        }
        match event {
            Event::Start(tag) => self.start(tag, span, definitions),
            Event::End(tag) => self.end(tag),
            Event::Code(text) => {
                self.body.code_spans.push(span);
                self.add(&text);
            }
            Event::Text(_) if self.is_in_code => self.read_code(span),
            Event::Text(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.add(&text);
            }
            Event::SoftBreak | Event::HardBreak => self.add(" "),
            Event::InlineHtml(_) => {
                self.body.hidden.push(span);
                self.body.inline_html.push(span);
                self.read_html(span);
            }
            Event::TaskListMarker(is_done) => {
                if let Some(item) = self.body.list_items.last_mut() {
                    item.is_done = Some(is_done);
                }
            }
            Event::FootnoteReference(_) => self.body.hidden.push(span),
            _ => {}
        }
    }

    fn span(&self, range: &Range<usize>) -> Span {
        Span::new(self.offset + range.start, self.offset + range.end)
    }

    fn start(&mut self, tag: Tag<'_>, span: Span, definitions: &RefDefs<'_>) {
        match tag {
            Tag::BlockQuote(_) => self.containers += 1,
            Tag::List(_) => {
                self.containers += 1;
                self.lists += 1;
            }
            Tag::Item => self.open_item(span),
            Tag::FootnoteDefinition(_) => {
                self.containers += 1;
                self.hide_label(span);
            }
            Tag::Heading { level, .. } => {
                let line = self.lines.line(span.start);
                self.heading = Some(Heading {
                    level: level as u8,
                    text: String::new(),
                    span,
                    line,
                    end_line: line,
                });
            }
            Tag::CodeBlock(kind) => {
                self.is_in_code = true;
                self.body.code_blocks.push(CodeBlock {
                    span,
                    info: match kind {
                        CodeBlockKind::Fenced(info) => Some(info.trim().to_owned()),
                        CodeBlockKind::Indented => None,
                    },
                    content: Vec::new(),
                });
            }
            Tag::Table(_) => self.body.tables.push(span),
            // Read the block as a whole, because a tag may span several lines.
            Tag::HtmlBlock => {
                self.body.html_blocks.push(span);
                self.read_html(span);
            }
            Tag::Link {
                link_type,
                dest_url,
                id,
                ..
            } => {
                let definition = self.definition(link_type, &id, definitions);
                self.open_link(&dest_url, kind_of(link_type), span, definition);
            }
            Tag::Image {
                link_type,
                dest_url,
                id,
                ..
            } => {
                let definition = self.definition(link_type, &id, definitions);
                self.open_link(&dest_url, LinkKind::Image, span, definition);
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::BlockQuote(_) | TagEnd::FootnoteDefinition => self.containers -= 1,
            TagEnd::List(_) => {
                self.containers -= 1;
                self.lists -= 1;
            }
            TagEnd::CodeBlock => self.is_in_code = false,
            TagEnd::Heading(_) => self.close_heading(),
            TagEnd::Link | TagEnd::Image => self.close_link(),
            _ => {}
        }
    }

    fn open_item(&mut self, span: Span) {
        let whole = &self.text[span.start..span.end];
        let digits = whole.bytes().take_while(u8::is_ascii_digit).count();
        // A bullet is one byte, and so is the delimiter after a number.
        let marker = Span::new(span.start, (span.start + digits + 1).min(span.end));
        self.body.list_items.push(ListItem {
            span: Span::new(span.start, span.start + whole.trim_end().len()),
            marker,
            // A number has at most nine digits.
            number: whole[..digits].parse().ok(),
            level: self.lists,
            is_done: None,
        });
    }

    /// Adds a piece of text to the current code block.
    fn read_code(&mut self, span: Span) {
        let block = self.body.code_blocks.last_mut();
        let Some(block) = block.filter(|_| span.start < span.end) else {
            return;
        };
        // The parser omits the CR of a CRLF.
        match block.content.last_mut() {
            Some(last) if matches!(&self.text[last.end..span.start], "" | "\r") => {
                last.end = span.end;
            }
            _ => block.content.push(span),
        }
    }

    fn open_link(&mut self, dest: &str, kind: LinkKind, span: Span, definition: Option<Span>) {
        let dest = if let Some(known) = self.destinations.get(dest) {
            Arc::clone(known)
        } else {
            let new = Arc::from(dest);
            self.destinations.insert(Arc::clone(&new));
            new
        };
        self.open_links.push(OpenLink {
            dest,
            kind,
            span,
            label_end: span.start,
            definition,
        });
    }

    /// Returns the span of the definition that a reference link uses, without the label.
    fn definition(&self, kind: LinkType, id: &str, definitions: &RefDefs<'_>) -> Option<Span> {
        if kind_of(kind) != LinkKind::Reference {
            return None;
        }
        let span = self.span(&definitions.get(id)?.span);
        let label = self.text.get(span.start..span.end)?.find("]:")?;
        Some(Span::new(span.start + label, span.end))
    }

    /// Records the label of a footnote as hidden, because the label is rendered as a number.
    fn hide_label(&mut self, footnote: Span) {
        let text = &self.text[footnote.start..footnote.end];
        if let Some(end) = text.find("]:") {
            let label = Span::new(footnote.start, footnote.start + end);
            self.body.hidden.push(label);
        }
    }

    fn close_link(&mut self) {
        let Some(open) = self.open_links.pop() else {
            return;
        };
        let (label, tail) = match open.kind {
            LinkKind::Autolink => {
                let inner = Span::new(open.span.start + 1, open.span.end - 1);
                (inner, open.span)
            }
            kind => {
                let before = if kind == LinkKind::Image { 2 } else { 1 };
                // The label may be empty.
                let start = open.span.start + before;
                let label = Span::new(start, open.label_end.max(start));
                (label, Span::new(open.label_end, open.span.end))
            }
        };
        self.body.hidden.push(tail);
        let behind = open.definition.unwrap_or(tail);
        let text = &self.text.as_bytes()[behind.start..behind.end];
        let dest_span = match memmem::find(text, open.dest.as_bytes()) {
            Some(at) if !open.dest.is_empty() => {
                let start = behind.start + at;
                Span::new(start, start + open.dest.len())
            }
            _ => open.span,
        };
        self.body.links.push(Link {
            dest: open.dest,
            kind: open.kind,
            span: open.span,
            label_span: label,
            dest_span,
        });
    }

    fn add(&mut self, text: &str) {
        if let Some(heading) = &mut self.heading {
            heading.text.push_str(text);
        }
    }

    fn close_heading(&mut self) {
        let Some(mut heading) = self.heading.take() else {
            return;
        };
        let words: Vec<&str> = heading.text.split_whitespace().collect();
        heading.text = words.join(" ");
        if self.containers == 0 {
            self.body.headings.push(heading);
        } else {
            self.body.inner_headings.push(heading);
        }
    }

    fn read_html(&mut self, span: Span) {
        let html = &self.text[span.start..span.end];
        for (name, value) in attributes(html) {
            if matches!(name, "id" | "name") {
                self.body.anchors.push(value.to_owned());
            } else {
                let start = span.start + (value.as_ptr() as usize - html.as_ptr() as usize);
                let target = Span::new(start, start + value.len());
                self.body.html_targets.push(target);
            }
        }
    }
}

const fn kind_of(link_type: LinkType) -> LinkKind {
    match link_type {
        LinkType::Autolink | LinkType::Email => LinkKind::Autolink,
        LinkType::Inline => LinkKind::Inline,
        _ => LinkKind::Reference,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(text: &str) -> Body {
        read(text, 0, &LineIndex::new(text.as_bytes()))
    }

    fn links(text: &str) -> Vec<(LinkKind, String, &str)> {
        let links = body(text).links;
        links
            .into_iter()
            .map(|link| {
                let at = &text[link.dest_span.start..link.dest_span.end];
                (link.kind, link.dest.to_string(), at)
            })
            .collect()
    }

    #[test]
    fn every_link_notation_is_found_with_the_span_of_its_destination() {
        use LinkKind::{Autolink, Image, Inline, Reference};
        let text = "[a.md](a.md \"a.md\") [](b.md) <https://c.de>\n[d][e] [e] ![f](<g h.png>) [![i](j.png)](k.md)\n\n[e]: l.md\n";
        let expected = [
            (Inline, "a.md", "a.md"),
            (Inline, "b.md", "b.md"),
            (Autolink, "https://c.de", "https://c.de"),
            (Reference, "l.md", "l.md"),
            (Reference, "l.md", "l.md"),
            (Image, "g h.png", "g h.png"),
            (Inline, "k.md", "k.md"),
            (Image, "j.png", "j.png"),
        ];
        let found = links(text);
        let found: Vec<_> = found
            .iter()
            .map(|(kind, dest, at)| (*kind, dest.as_str(), *at))
            .collect();
        assert_eq!(found, expected);
        // The destination of the first link follows its label.
        assert_eq!(body(text).links[0].dest_span.start, 7);
    }

    /// C-REGISTRY.22.
    #[test]
    fn links_in_code_and_html_are_ignored() {
        for text in [
            "`[a](b.md)`\n",
            "```\n[a](b.md)\n```\n",
            "    [a](b.md)\n",
            "<div>\n[a](b.md)\n</div>\n",
            "<a href=\"b.md\">a</a>\n",
            "\\[a](b.md)\n",
        ] {
            assert_eq!(links(text), [], "{text:?}");
        }
    }

    #[test]
    fn code_blocks_have_their_info_and_unclosed_ones_run_to_the_end() {
        let text = "``` rust ignore\nx\n```\n\n    y\n\n~~~\nz\n";
        let blocks = body(text).code_blocks;
        let infos: Vec<Option<&str>> = blocks.iter().map(|block| block.info.as_deref()).collect();
        assert_eq!(infos, [Some("rust ignore"), None, Some("")]);
        assert_eq!(blocks[2].span.end, text.len());
    }

    #[test]
    fn labels_are_the_visible_text() {
        let text = "[a *b*](c.md) ![d `e`](f.png) [](g.md) <https://h.de> [i][j] [![k](l.png)](m.md) ![](n.png)\n\n[j]: o.md\n";
        let links = body(text).links;
        let labels = links
            .iter()
            .map(|link| &text[link.label_span.start..link.label_span.end]);
        let expected = [
            "a *b*",
            "d `e`",
            "",
            "https://h.de",
            "i",
            "![k](l.png)",
            "k",
            "",
        ];
        assert_eq!(labels.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn list_items_have_their_marker_level_and_state() {
        let text = "- a\n  1. b\n  7) c\n\n* [x] d\n- [ ] e\n\n> 3. f\n>    more\n\n12. # g\n";
        let items = body(text).list_items;
        let of = |span: Span| &text[span.start..span.end];
        let items: Vec<_> = items
            .iter()
            .map(|item| (of(item.marker), item.number, item.level, item.is_done))
            .collect();
        let expected = [
            ("-", None, 1, None),
            ("1.", Some(1), 2, None),
            ("7)", Some(7), 2, None),
            ("*", None, 1, Some(true)),
            ("-", None, 1, Some(false)),
            ("3.", Some(3), 1, None),
            ("12.", Some(12), 1, None),
        ];
        assert_eq!(items, expected);
    }

    #[test]
    fn the_content_of_a_code_block_is_its_code() {
        let content = |text: &str| -> Vec<String> {
            let blocks = body(text).code_blocks;
            let of = |span: &Span| text[span.start..span.end].to_owned();
            blocks[0].content.iter().map(of).collect()
        };
        assert_eq!(content("```x\na\n\n b\n```\n"), ["a\n\n b\n"]);
        assert_eq!(content("```x\r\na\r\n\r\nb\r\n```\r\n"), ["a\r\n\r\nb\r\n"]);
        assert_eq!(
            content("> ```\n> a\n>\n> > b\n> ```\n"),
            ["a\n", "\n", "> b\n"]
        );
        assert_eq!(content("- ```\n  a\n\n    b\n  ```\n"), ["a\n\n", "  b\n"]);
        assert_eq!(content("    a\n\n      b\n"), ["a\n\n", "  b\n"]);
        assert_eq!(content("```\na"), ["a"]);
        assert!(content("```\n```\n").is_empty());
    }

    #[test]
    fn invisible_text_is_hidden() {
        let text = "a <b title=\"t\">c</b> <!-- d --> [e](f.md \"t\") [g][h] <https://i.de>[^j]\n\n\
                    > [![k](l.png 't')](m.md) [h] [](n.md)\n\n[h]: o.md\n  \"t\"\n\n[^j]: p\n";
        let hidden = body(text).hidden;
        assert!(hidden.is_sorted_by_key(|span| span.end));
        let hidden = hidden.iter().map(|span| &text[span.start..span.end]);
        let expected = [
            "<b title=\"t\">",
            "</b>",
            "<!-- d -->",
            "](f.md \"t\")",
            "][h]",
            "<https://i.de>",
            "[^j]",
            "](l.png 't')",
            "](m.md)",
            "]",
            "[](n.md)",
            "[h]: o.md\n  \"t\"",
            "[^j",
        ];
        assert_eq!(hidden.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn tables_are_found_with_and_without_outer_pipes_and_in_lists() {
        let text = "a | b\n--|--\n1 | 2\n\nx | y\n\n- | c |\n  |---|\n  | 3 |\n";
        let tables = body(text).tables;
        let tables: Vec<&str> = tables
            .iter()
            .map(|span| text[span.start..span.end].trim_end())
            .collect();
        assert_eq!(tables, ["a | b\n--|--\n1 | 2", "| c |\n  |---|\n  | 3 |"]);
    }

    #[test]
    fn explicit_anchors_come_from_html_only() {
        let text =
            "<a id=\"one\"></a> x <a name='two'>\n\n<h2 ID=three>y</h2>\n\n`<a id=\"no\">`\n";
        assert_eq!(body(text).anchors, ["one", "two", "three"]);
    }
}
