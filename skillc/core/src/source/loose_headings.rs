//! Finds lines that are headings for a reader, but not for CommonMark: `<h2>Title</h2>`, and `##Title` without a blank.
//!
//! They do not begin a section of the outline, but the scan must not treat the text below them as part of the section
//! above.

use super::document::{Document, Heading};

/// A level below the levels of all headings.
const NO_LEVEL: u8 = 7;

/// Returns the level and the offset of each loose heading that ends a section. Between two CommonMark headings, returns
/// only those whose level is above the levels of the earlier ones: the others end no further section, and an attacker
/// could add a million of them.
pub(super) fn find(doc: &Document) -> Vec<(u8, usize)> {
    let bytes = doc.text.as_bytes();
    let mut found = Vec::new();
    let mut headings = doc.headings.iter().peekable();
    let mut highest = NO_LEVEL;
    let body = bytes.get(doc.body_start..).unwrap_or_default();
    for at in memchr::memchr2_iter(b'<', b'#', body) {
        let at = doc.body_start + at;
        let is_before = |heading: &&Heading| heading.span.start <= at;
        while headings.next_if(is_before).is_some() {
            highest = NO_LEVEL;
        }
        let level = html_level(&bytes[at..]).or_else(|| hash_level(bytes, at));
        if let Some(level) = level.filter(|level| *level < highest)
            && !doc.is_in_code(at)
        {
            highest = level;
            found.push((level, at));
        }
    }
    found
}

/// Returns the level of the HTML heading whose tag is at the start of `text`.
fn html_level(text: &[u8]) -> Option<u8> {
    let [b'<', b'h' | b'H', level @ b'1'..=b'6', end, ..] = text else {
        return None;
    };
    let is_tag = end.is_ascii_whitespace() || matches!(end, b'>' | b'/');
    is_tag.then_some(*level - b'0')
}

/// Returns the level of the heading whose `#` characters begin at a position, without a blank after them. A single `#`
/// does not count, because it can begin a tag.
fn hash_level(text: &[u8], at: usize) -> Option<u8> {
    let (before, rest) = text.split_at(at);
    let blanks = before.iter().rev().take(4);
    let indent = blanks.take_while(|byte| **byte == b' ').count();
    let line = &before[..at - indent];
    if indent > 3 || !(line.is_empty() || line.ends_with(b"\n")) {
        return None;
    }
    let level = rest
        .iter()
        .take(7)
        .take_while(|byte| **byte == b'#')
        .count();
    let has_title = rest
        .get(level)
        .is_some_and(|byte| !byte.is_ascii_whitespace());
    let level = u8::try_from(level).ok()?;
    ((2..NO_LEVEL).contains(&level) && has_title).then_some(level)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::RelPath;

    #[test]
    fn headings_of_html_and_without_a_blank_are_found() {
        for (text, expected) in [
            ("<h2>A</h2>\n", &[(2, 0)][..]),
            ("a <H3\nid=a>A</H3>\n", &[(3, 2)]),
            ("##A\n", &[(2, 0)]),
            ("a\n   ###\u{a0}A\n", &[(3, 5)]),
            (
                "<h4>A</h4>\n\n<h5>B</h5>\n\n<h2>C</h2>\n",
                &[(4, 0), (2, 24)],
            ),
            ("<h2>A</h2>\n\n## B\n\n<h3>C</h3>\n", &[(2, 0), (3, 18)]),
            ("## A\n\n### B\n\n- ##C\n", &[]),
            ("#a #b\n\n#######A\n\n##\n\n    ##A\n", &[]),
            ("<hr>\n\n<header>\n\n<h7>\n\n<h2", &[]),
            ("`<h2>A</h2>`\n\n```\n<h2>A</h2>\n##A\n```\n", &[]),
            ("---\nname: a\n##a: b\n---\n", &[]),
        ] {
            let path = RelPath::parse("a.md").unwrap();
            let doc = Document::parse(path, text.as_bytes().to_vec());
            assert_eq!(doc.loose_headings, expected, "{text}");
        }
    }
}
