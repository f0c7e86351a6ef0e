//! HTML: one section per heading, with the text below it up to the next heading of the same or a higher level.
//!
//! Like a browser, the indexer accepts any input: a `<` that begins neither a tag nor a comment is text. Comments,
//! scripts, styles and templates are skipped.
#![cfg(feature = "html")]

use std::borrow::Cow;

use skillc_core::{
    IndexError, Indexer, IndexerMeta, LineIndex, Section, SourceFile, declare_indexer,
};

/// Elements whose content browsers do not display.
const HIDDEN: [&str; 4] = ["script", "style", "template", "noscript"];

/// Inline elements: their tags do not separate words.
const INLINE: [&str; 16] = [
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "em", "i", "kbd", "mark", "s", "small", "span",
    "strong", "u",
];

/// The maximum length of a character reference, without `&` and `;`.
const MAX_REFERENCE: usize = 10;

declare_indexer! {
    /// HTML, one section per heading
    pub(crate) struct Html { id: "html", extensions: ["html", "htm"], version: 1 }
}

impl Indexer for Html {
    fn meta(&self) -> &IndexerMeta {
        Self::META
    }

    fn sections(
        &self,
        file: &SourceFile,
        emit: &mut dyn FnMut(Section<'_>),
    ) -> Result<(), IndexError> {
        let source = file.text();
        let lines = LineIndex::new(source.as_bytes());
        let page = Page::read(&source);
        let all = lines.count() + 1;
        let start = page.headings.first();
        let preamble = &page.text[..start.map_or(page.text.len(), |first| first.text)];
        if !preamble.trim().is_empty() {
            let end = start.map_or(all, |first| lines.line(first.source));
            emit(Section {
                heading: "".into(),
                content: preamble.trim().into(),
                lines: 1..end.max(2),
            });
        }
        for (at, heading) in page.headings.iter().enumerate() {
            let rest = &page.headings[at + 1..];
            let next = rest.iter().find(|next| next.level <= heading.level);
            let end = next.map_or(page.text.len(), |next| next.text);
            let first = lines.line(heading.source);
            let last = next.map_or(all, |next| lines.line(next.source));
            emit(Section {
                heading: heading.title.as_str().into(),
                content: page.text[heading.text..end].trim().into(),
                lines: first..last.max(first + 1),
            });
        }
        Ok(())
    }

    fn indexes_other_text(&self) -> bool {
        false
    }
}

/// The visible text of a page.
#[derive(Default)]
struct Page {
    text: String,
    headings: Vec<Heading>,
    /// The open heading: its level, and the byte offsets at which it begins in the source and in the text.
    open: Option<(u8, usize, usize)>,
}

struct Heading {
    level: u8,
    title: String,
    /// The byte offset in the source.
    source: usize,
    /// The byte offset in the text.
    text: usize,
}

impl Page {
    fn read(source: &str) -> Self {
        let mut page = Self::default();
        let mut at = 0;
        while at < source.len() {
            let rest = &source[at..];
            let Some(start) = rest.find('<') else {
                page.add(rest);
                break;
            };
            page.add(&rest[..start]);
            at += start;
            at += page.markup(source, at);
        }
        page.close();
        page
    }

    /// Reads a comment, a stray `<`, or a tag, including the content of a hidden element. Returns the number of bytes
    /// that were read.
    fn markup(&mut self, source: &str, at: usize) -> usize {
        let rest = &source[at..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            return comment.find("-->").map_or(rest.len(), |end| end + 7);
        }
        let Some(length) = tag_length(rest) else {
            self.text.push('<');
            return 1;
        };
        let tag = &rest[1..length];
        let is_end = tag.starts_with('/');
        let name = tag.trim_start_matches('/');
        let name = name.split(|c: char| !c.is_ascii_alphanumeric()).next();
        let name = name.unwrap_or_default().to_ascii_lowercase();
        if !is_end && HIDDEN.contains(&&*name) && !tag.ends_with("/>") {
            return length + hidden_length(&rest[length..], &name);
        }
        match level(&name) {
            Some(_) if is_end => self.close(),
            Some(level) => {
                self.close();
                self.new_line();
                self.open = Some((level, at, self.text.len()));
            }
            None if !INLINE.contains(&&*name) => self.new_line(),
            None => {}
        }
        length
    }

    /// Closes the open heading.
    fn close(&mut self) {
        if let Some((level, source, text)) = self.open.take() {
            let words = self.text[text..].split_whitespace();
            let title = words.collect::<Vec<_>>().join(" ");
            self.new_line();
            if !title.is_empty() {
                self.headings.push(Heading {
                    level,
                    title,
                    source,
                    text,
                });
            }
        }
    }

    fn new_line(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    /// Adds text from the source, with character references decoded and whitespace collapsed.
    fn add(&mut self, source: &str) {
        let mut rest = source;
        while let Some(start) = rest.find('&') {
            self.add_plain(&rest[..start]);
            let (text, length) = character_reference(&rest[start..]);
            self.add_plain(&text);
            rest = &rest[start + length..];
        }
        self.add_plain(rest);
    }

    fn add_plain(&mut self, text: &str) {
        for piece in text.split_inclusive(char::is_whitespace) {
            let word = piece.trim_end();
            self.text.push_str(word);
            if word.len() < piece.len()
                && !self.text.ends_with([' ', '\n'])
                && !self.text.is_empty()
            {
                self.text.push(' ');
            }
        }
    }
}

/// Returns the length of the tag at the start of `text`; `None` if `text` does not start with a tag. A quoted attribute
/// may contain `>`.
fn tag_length(text: &str) -> Option<usize> {
    let second = text[1..].chars().next()?;
    if !second.is_ascii_alphabetic() && !"/!?".contains(second) {
        return None;
    }
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match (byte, quote) {
            (b'>', None) => return Some(at + 1),
            (b'"' | b'\'', None) => quote = Some(byte),
            (byte, Some(open)) if byte == open => quote = None,
            _ => {}
        }
    }
    Some(text.len())
}

/// Returns the length of a hidden element's content and end tag.
fn hidden_length(text: &str, name: &str) -> usize {
    let mut ends = text.match_indices("</");
    let end = ends.find(|(at, _)| {
        let found = text.get(at + 2..at + 2 + name.len());
        found.is_some_and(|found| found.eq_ignore_ascii_case(name))
    });
    end.map_or(text.len(), |(at, _)| {
        let close = text[at..].find('>');
        close.map_or(text.len(), |close| at + close + 1)
    })
}

fn level(name: &str) -> Option<u8> {
    let level = name.strip_prefix('h')?.parse().ok()?;
    (1..=6).contains(&level).then_some(level)
}

/// Decodes the character reference at the start of `text`, which begins with `&`. Returns the character, and the length
/// of the reference.
fn character_reference(text: &str) -> (Cow<'_, str>, usize) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '#';
    let name = &text[1..];
    let length = name.find(|c| !is_part(c)).unwrap_or(name.len());
    let name = &name[..length.min(MAX_REFERENCE)];
    let has_end = text[1 + name.len()..].starts_with(';');
    let character = match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some(' '),
        _ => name.strip_prefix('#').and_then(|number| {
            let hexadecimal = number.strip_prefix(['x', 'X']);
            let number = match hexadecimal {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => number.parse(),
            };
            char::from_u32(number.ok()?)
        }),
    };
    match character {
        Some(character) => (
            character.to_string().into(),
            1 + name.len() + usize::from(has_end),
        ),
        None => ("&".into(), 1),
    }
}

#[cfg(test)]
mod tests {
    use skillc_core::testkit::sections_of;

    use super::Html;

    /// If end tags or quotes are missing, a search up to the end of the file for each of them would take minutes.
    #[test]
    fn unclosed_markup_takes_linear_time() {
        for unit in [
            "<", "<a", "<!--", "<script>", "</", "&", "<h1>", "<a b='", "&#x",
        ] {
            let text = unit.repeat(200_000);
            let sections = sections_of(&Html, "a.html", text.as_bytes());
            assert!(!sections.contains("error"), "{unit}");
        }
    }
}
