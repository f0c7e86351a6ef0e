//! Anchors, entries and links of the design pages.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::layout::sources::ROOT;

/// The folder of the design pages.
const FOLDER: &str = "docs/src/design";

/// The folder of the book.
const BOOK: &str = "docs/src";

/// A design page.
pub(crate) struct Page {
    /// The path of the page, relative to the root of the repository, with slashes.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// An entry with an id and text: `- <a id="X"></a>**X** (must): text`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) id: String,
    /// `None` for entries that are not requirements.
    pub(crate) level: Option<String>,
    text: String,
}

/// Returns the Markdown files below a folder, in path order.
fn markdown(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(markdown(&path));
        } else if path.extension().is_some_and(|kind| kind == "md") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Returns all design pages, in path order.
pub(crate) fn pages() -> Vec<Page> {
    let root = Path::new(ROOT);
    let page = |path: PathBuf| Page {
        text: fs::read_to_string(&path).expect("UTF-8"),
        path: path
            .strip_prefix(root)
            .expect("below the root")
            .to_string_lossy()
            .replace('\\', "/"),
    };
    markdown(&root.join(FOLDER)).into_iter().map(page).collect()
}

/// Returns the anchors in a page, with their 1-based lines.
fn anchors(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines()).flat_map(|(number, line)| {
        let ids = line.split("<a id=\"").skip(1);
        ids.filter_map(move |rest| Some((number, rest.split_once("\"></a>")?.0)))
    })
}

/// Returns all anchors of all design pages.
pub(crate) fn all_anchors() -> BTreeSet<String> {
    let ids =
        |page: Page| -> Vec<String> { anchors(&page.text).map(|(_, id)| id.into()).collect() };
    pages().into_iter().flat_map(ids).collect()
}

/// Parses the entries of a page. The error has one message for each malformed entry.
pub(crate) fn entries(page: &Page) -> Result<Vec<Entry>, Vec<String>> {
    let (mut found, mut faults) = (Vec::new(), Vec::new());
    let mut lines = (1..).zip(page.text.lines()).peekable();
    while let Some((number, line)) = lines.next() {
        if !line.starts_with("- <a ") {
            continue;
        }
        let mut whole = line.to_owned();
        while let Some((_, next)) = lines.next_if(|(_, next)| next.starts_with("  ")) {
            whole = format!("{} {}", whole.trim_end(), next.trim());
        }
        match entry(&whole) {
            Some(entry) => found.push(entry),
            None => faults.push(format!("{}:{number}: {line}", page.path)),
        }
    }
    if faults.is_empty() {
        Ok(found)
    } else {
        Err(faults)
    }
}

/// Parses an entry whose lines have been joined.
fn entry(line: &str) -> Option<Entry> {
    let (id, rest) = line.strip_prefix("- <a id=\"")?.split_once("\"></a>**")?;
    let (head, text) = rest.split_once(':')?;
    let level = head.strip_prefix(id)?.strip_prefix("**")?;
    let level = match level {
        "" => None,
        level => Some(level.strip_prefix(" (")?.strip_suffix(')')?.to_owned()),
    };
    let text = text.strip_prefix(' ')?;
    // An entry needs a sentence, not only an id.
    let fits = text.split(' ').count() >= 3;
    fits.then(|| Entry {
        id: id.to_owned(),
        level,
        text: text.to_owned(),
    })
}

/// Returns the links of a page, except those in code.
fn links(text: &str) -> Vec<&str> {
    let outside_blocks = text.split("```").step_by(2);
    let outside_code = outside_blocks.flat_map(|text| text.split('`').step_by(2));
    let parts = outside_code.flat_map(|text| text.split("](").skip(1));
    parts
        .filter_map(|part| Some(part.split_once(')')?.0))
        .collect()
}

/// Returns the id that mdBook generates for a heading.
fn heading_id(heading: &str) -> String {
    let kept = heading.trim().chars().filter_map(|c| match c {
        _ if c.is_alphanumeric() || "-_".contains(c) => Some(c),
        ' ' => Some('-'),
        _ => None,
    });
    kept.flat_map(char::to_lowercase).collect()
}

/// Returns whether the page has an anchor or heading for this fragment.
fn has_fragment(text: &str, fragment: &str) -> bool {
    let mut headings = text.lines().filter(|line| line.starts_with('#'));
    let is_heading = |line: &str| heading_id(line.trim_start_matches('#')) == fragment;
    anchors(text).any(|(_, id)| id == fragment) || headings.any(is_heading)
}

/// Describes what is wrong with a link; `None` if it resolves.
fn fault(page: &Page, link: &str) -> Option<String> {
    if link.contains("://") {
        return None;
    }
    let (path, fragment) = link.split_once('#').unwrap_or((link, ""));
    let at = Path::new(ROOT).join(&page.path);
    let target = match path {
        "" => at,
        path => at.parent()?.join(path),
    };
    let Ok(text) = fs::read_to_string(&target) else {
        return Some(format!("{}: {link}: no such page", page.path));
    };
    let is_there = fragment.is_empty() || has_fragment(&text, fragment);
    (!is_there).then(|| format!("{}: {link}: no such anchor", page.path))
}

#[test]
fn anchors_are_unique() {
    let mut places = BTreeMap::<String, Vec<String>>::new();
    for page in pages() {
        for (number, id) in anchors(&page.text) {
            let place = format!("{}:{number}", page.path);
            places.entry(id.to_owned()).or_default().push(place);
        }
    }
    assert!(places.len() > 700, "{}", places.len());
    places.retain(|_, places| places.len() > 1);
    assert_eq!(places, BTreeMap::new());
}

#[test]
fn every_entry_has_an_id_and_a_text() {
    let faults: Vec<String> = pages()
        .iter()
        .filter_map(|page| entries(page).err())
        .flatten()
        .collect();
    assert_eq!(faults, [""; 0]);
}

#[test]
fn links_of_design_pages_resolve() {
    let mut broken = Vec::new();
    let mut checked = 0;
    for page in pages() {
        for link in links(&page.text) {
            broken.extend(fault(&page, link));
            checked += 1;
        }
    }
    assert_eq!(broken, [""; 0]);
    assert!(checked > 200, "{checked}");
}

#[test]
fn every_design_page_is_in_the_table_of_contents() {
    let summary = super::read(&format!("{BOOK}/SUMMARY.md"));
    for page in pages() {
        let path = &page.path[BOOK.len() + 1..];
        assert!(summary.contains(&format!("({path})")), "{path}");
    }
}

mod reading {
    use super::*;

    fn page(text: &str) -> Page {
        Page {
            path: "docs/src/design/limits.md".into(),
            text: text.into(),
        }
    }

    #[test]
    fn entries_have_ids_levels_and_texts() {
        let text = "# A page\n- <a id=\"C-A.1\"></a>**C-A.1** (must): It does this.\n  And that.\n\
                    - <a id=\"R1\"></a>**R1**: We do `so: and` so.\n- no entry\n";
        let found = entries(&page(text)).expect("well formed");
        let entry = |id: &str, level: Option<&str>, text: &str| Entry {
            id: id.into(),
            level: level.map(str::to_owned),
            text: text.into(),
        };
        let expected = [
            entry("C-A.1", Some("must"), "It does this. And that."),
            entry("R1", None, "We do `so: and` so."),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn malformed_entries_are_reported() {
        for line in [
            "- <a id=\"R1\"></a>**R2**: An id and another.",
            "- <a id=\"R1\"></a>**R1**:",
            "- <a id=\"R1\"></a>**R1**: ",
            "- <a id=\"R1\"></a>**R1**: word",
            "- <a id=\"R1\"></a>**R1** must: It does this.",
            "- <a id=\"R1\">**R1**: It does this.",
        ] {
            assert!(entries(&page(line)).is_err(), "{line}");
        }
    }

    #[test]
    fn broken_links_are_reported() {
        let page = page("");
        for good in [
            "limits.md",
            "#limits",
            "decisions.md#R20",
            "../changelog.md",
            "https://example.org",
        ] {
            assert_eq!(fault(&page, good), None, "{good}");
        }
        for bad in ["none.md", "decisions.md#R99", "#none"] {
            assert!(fault(&page, bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn links_in_code_are_ignored() {
        let text = "[a](b.md) `[c](d.md)`\n```text\n[e](f.md)\n```\n[g](h.md#i)";
        assert_eq!(links(text), ["b.md", "h.md#i"]);
    }
}
