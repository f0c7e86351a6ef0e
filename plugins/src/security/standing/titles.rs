//! Finds the titles of the sections that contain a position.
//!
//! An HTML heading, or a line such as `##Title`, does not begin a section in CommonMark, but a reader sees a new
//! section. Therefore a title above such a heading does not excuse the text below it. The heading itself does not
//! excuse any text either, because it may be invisible.

use skillc_core::source::lines::char_floor;
use skillc_core::{Document, Heading};

/// The maximum number of headings above a position that are examined.
const MOST_HEADINGS: usize = 40;

/// The maximum number of bytes of a heading that are examined.
const MAX_TITLE: usize = 200;

/// Returns the headings above a position, nearest first. For each heading, also returns whether the section is still
/// open at the position: no heading of another kind, such as an HTML heading, has ended it.
pub(crate) fn headings(doc: &Document, at: usize) -> impl Iterator<Item = (&Heading, bool)> {
    let before = doc
        .headings
        .partition_point(|heading| heading.span.start < at);
    let loose = doc.loose_headings.partition_point(|(_, start)| *start < at);
    let mut loose = doc.loose_headings[..loose].iter().rev().peekable();
    let mut highest = u8::MAX;
    let above = doc.headings[..before].iter().rev().take(MOST_HEADINGS);
    above.map(move |heading| {
        while let Some((level, _)) = loose.next_if(|(_, start)| *start > heading.span.start) {
            highest = highest.min(*level);
        }
        (heading, heading.level < highest)
    })
}

/// Returns the titles of the sections that contain a position, innermost first, without the title of the document.
pub(super) fn titles(doc: &Document, at: usize) -> impl Iterator<Item = &str> {
    sections(doc, at).map(|(title, _)| title)
}

/// Like [`titles`], but omits titles whose sections a heading of another kind, such as an HTML heading, ends before the
/// position. Only the remaining titles can exempt the text at the position.
pub(super) fn open_titles(doc: &Document, at: usize) -> impl Iterator<Item = &str> {
    sections(doc, at).filter_map(|(title, is_open)| is_open.then_some(title))
}

fn sections(doc: &Document, at: usize) -> impl Iterator<Item = (&str, bool)> {
    let mut level: u8 = 7;
    headings(doc, at)
        .filter(move |(heading, _)| {
            let is_above = heading.level < level;
            level = level.min(heading.level);
            is_above && heading.level > 1
        })
        .map(|(heading, is_open)| (start_of(heading), is_open))
}

/// Returns the part of a heading that is examined.
pub(crate) fn start_of(heading: &Heading) -> &str {
    &heading.text[..char_floor(&heading.text, MAX_TITLE)]
}

#[cfg(test)]
mod tests {
    use super::*;

    use skillc_core::RelPath;

    #[test]
    fn a_heading_in_html_ends_a_section_and_begins_none() {
        for (text, all, open) in [
            (
                "# A\n\n## B\n\n### C\n\nx",
                &["C", "B"][..],
                &["C", "B"][..],
            ),
            ("## B\n\n<h2>C</h2>\n\nx", &["B"], &[]),
            ("## B\n\n<h3>C</h3>\n\nx", &["B"], &["B"]),
            ("## B\n\n##C\n\nx", &["B"], &[]),
            ("## B\n\n### C\n\n<h3>D</h3>\n\nx", &["C", "B"], &["B"]),
            ("## B\n\n<h1>D</h1>\n\n### C\n\nx", &["C", "B"], &["C"]),
            ("## B\n\n```\n<h2>C</h2>\n```\n\nx", &["B"], &["B"]),
            ("<h2>A</h2>\n\n## B\n\nx\n\n<h2>C</h2>", &["B"], &["B"]),
        ] {
            let path = RelPath::parse("a.md").unwrap();
            let doc = Document::parse(path, text.as_bytes().to_vec());
            let at = text.find('x').unwrap();
            assert_eq!(titles(&doc, at).collect::<Vec<_>>(), all, "{text}");
            assert_eq!(open_titles(&doc, at).collect::<Vec<_>>(), open, "{text}");
        }
    }
}
