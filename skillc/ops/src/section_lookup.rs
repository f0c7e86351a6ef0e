//! Resolves a heading, a path of headings or a line to a section of an index.
//!
//! A heading is tried literally before it is parsed as a path: headings can contain ` > ` and ` — `.
//!
//! Design: C-SHOW, D-EMDASH.

use skillc_storage::{IndexedHeading, SearchIndex, Unusable};

/// The separator between title and description in a stub.
const DESCRIPTION_MARK: &str = " \u{2014} ";

/// The separator of headings in a path.
const PATH_MARK: &str = " > ";

/// The maximum nesting depth of the sections in a path.
const MAX_DEPTH: usize = 128;

/// Finds the sections that match a heading or a path of headings, sorted by file and line.
///
/// A path lists nested headings, outermost first, and ends with the wanted heading. Any of the parent headings can be
/// omitted.
///
/// # Errors
/// Returns the reason why the index cannot be read.
pub(crate) fn matches(
    index: &SearchIndex,
    section: &str,
    file: Option<&str>,
) -> Result<Vec<IndexedHeading>, Unusable> {
    let wanted = readings(section);
    for text in &wanted {
        let found = index.headings(text, file)?;
        if !found.is_empty() {
            return Ok(found);
        }
    }
    let mut paths = wanted.iter().filter(|text| text.contains(PATH_MARK));
    let Some(first) = paths.next() else {
        return Ok(Vec::new());
    };
    let all = index.all_headings(file)?;
    let found = std::iter::once(first)
        .chain(paths)
        .map(|path| at_path(&all, path));
    Ok(found
        .into_iter()
        .find(|found| !found.is_empty())
        .unwrap_or_default())
}

/// Strips the description, the parent headings and the `#` marks from a section name, for suggestions of similar
/// headings.
pub(crate) fn bare(section: &str) -> &str {
    let readings = readings(section);
    let heading = readings.last().copied().unwrap_or_default();
    let last = heading.rsplit(PATH_MARK).next().unwrap_or(heading).trim();
    // The user copied the marks from an outline, but means the title only.
    let title = last.trim_start_matches('#').trim_start();
    if title.is_empty() { heading } else { title }
}

/// Returns the interpretations of a section name, in order: the whole name, then the name without a trailing
/// description.
///
/// A title can also contain the separator, so the last separator is tried first.
fn readings(section: &str) -> Vec<&str> {
    let whole = section.trim();
    let titles = [
        whole.rsplit_once(DESCRIPTION_MARK),
        whole.split_once(DESCRIPTION_MARK),
    ];
    let titles = titles
        .into_iter()
        .flatten()
        .map(|(title, _)| title.trim_end());
    let mut readings: Vec<&str> = [whole].into_iter().chain(titles).collect();
    readings.dedup();
    readings
}

/// A section that may contain later sections.
struct Open<'a> {
    section: &'a IndexedHeading,
    heading: String,
}

/// Returns the headings that match a path. In every file type, a section is nested in another if its lines are within
/// the other's lines.
///
/// `all`: sorted by file and line; of two sections that start on the same line, the longer comes first.
fn at_path(all: &[IndexedHeading], path: &str) -> Vec<IndexedHeading> {
    let path = path.to_lowercase();
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut found = Vec::new();
    for section in all {
        let holds = |open: &Open<'_>| {
            open.section.file == section.file && open.section.end_line >= section.end_line
        };
        while open.last().is_some_and(|last| !holds(last)) {
            open.pop();
        }
        let heading = section.text.to_lowercase();
        if above(&path, &heading).is_some_and(|above| leads_through(above, &open)) {
            found.push(section.clone());
        }
        if open.len() < MAX_DEPTH {
            open.push(Open { section, heading });
        }
    }
    found
}

/// Returns the part of a path before its last heading, if the last heading is `heading`.
fn above<'a>(path: &'a str, heading: &str) -> Option<&'a str> {
    let above = path.strip_suffix(heading)?.strip_suffix(PATH_MARK)?;
    Some(above.trim_end())
}

/// Returns whether a path consists of headings of these sections, in order.
fn leads_through(path: &str, open: &[Open<'_>]) -> bool {
    // Headings can contain the separator, so a path can be parsed in several ways: track each remainder.
    let mut rests = vec![path];
    for Open { heading, .. } in open.iter().rev() {
        if rests.contains(&heading.as_str()) {
            return true;
        }
        let more: Vec<&str> = rests
            .iter()
            .filter_map(|rest| above(rest, heading))
            .filter(|rest| !rests.contains(rest))
            .collect();
        rests.extend(more);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(file: &str, text: &str, lines: (usize, usize)) -> IndexedHeading {
        IndexedHeading {
            file: file.into(),
            text: text.into(),
            start_line: lines.0,
            end_line: lines.1,
        }
    }

    fn lines(all: &[IndexedHeading], path: &str) -> Vec<(String, usize)> {
        let found = at_path(all, path).into_iter();
        found
            .map(|section| (section.file.to_string(), section.start_line))
            .collect()
    }

    #[test]
    fn a_path_follows_nested_line_ranges() {
        let all = [
            section("a.md", "Overview", (1, 20)),
            section("a.md", "Sales", (2, 10)),
            section("a.md", "Totals", (3, 10)),
            section("a.md", "Totals", (10, 20)),
            section("a.md", "Other", (20, 30)),
            section("a.md", "Totals", (21, 30)),
            section("b.md", "Totals", (1, 9)),
        ];
        let a = |line| ("a.md".to_owned(), line);
        for (path, found) in [
            ("Overview > Totals", vec![a(3), a(10)]),
            ("overview > sales > TOTALS", vec![a(3)]),
            ("Other > Totals", vec![a(21)]),
            ("Sales > Overview > Totals", vec![]),
            ("Overview > Other", vec![]),
            ("Totals > Totals", vec![]),
            (" > Totals", vec![]),
            ("Overview > ", vec![]),
        ] {
            assert_eq!(lines(&all, path), found, "{path}");
        }
    }

    #[test]
    fn headings_in_a_path_may_contain_the_separator() {
        let all = [
            section("a.md", "A > B", (1, 20)),
            section("a.md", "C > D", (2, 20)),
            section("a.md", "E", (3, 20)),
        ];
        for path in ["A > B > C > D > E", "A > B > E", "C > D > E"] {
            assert_eq!(lines(&all, path).len(), 1, "{path}");
        }
        assert_eq!(lines(&all, "B > E"), []);
    }

    #[test]
    fn suggestions_resemble_the_last_heading_without_marks() {
        for (section, like) in [
            ("## Set up", "Set up"),
            ("Guide > ## Set up — a description", "Set up"),
            ("##", "##"),
            (" ", ""),
        ] {
            assert_eq!(bare(section), like, "{section:?}");
        }
    }
}
