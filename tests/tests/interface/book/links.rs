//! Links on all pages, including the reference, resolve to an existing file and heading.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::{Page, ROOT, pages};

/// The links and link targets of a page.
#[derive(Default)]
struct Outline {
    links: Vec<String>,
    anchors: BTreeSet<String>,
}

impl Outline {
    fn parse(page: &Page) -> Self {
        let mut outline = Self::default();
        let mut heading = None::<String>;
        let mut counts = BTreeMap::new();
        for event in Parser::new_ext(&page.text, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    outline.links.push(dest_url.into_string());
                }
                Event::Html(html) | Event::InlineHtml(html) => outline.anchors.extend(ids(&html)),
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::Text(text) | Event::Code(text) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&text);
                    }
                }
                Event::End(TagEnd::Heading(_)) => {
                    let id = id(&heading.take().expect("an open heading"));
                    let count = counts.entry(id.clone()).or_insert(0);
                    // If several headings have the same id, mdBook and GitHub append a number to the later ids.
                    outline.anchors.insert(match count {
                        0 => id,
                        _ => format!("{id}-{count}"),
                    });
                    *count += 1;
                }
                _ => {}
            }
        }
        outline
    }
}

/// Returns the `id` attributes in HTML.
fn ids(html: &str) -> impl Iterator<Item = String> {
    let parts = html.split(" id=\"").skip(1);
    parts.filter_map(|part| part.split('"').next().map(str::to_owned))
}

/// Returns the id that mdBook and GitHub generate for a heading.
fn id(heading: &str) -> String {
    let kept = heading.trim().chars().filter_map(|c| match c {
        _ if c.is_alphanumeric() => Some(c),
        '-' | '_' => Some(c),
        _ if c.is_whitespace() => Some('-'),
        _ => None,
    });
    kept.flat_map(char::to_lowercase).collect()
}

/// Resolves `.` and `..` in a path with slashes.
fn join(folder: &str, link: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Describes what is wrong with a link; `None` if it resolves.
fn fault(page: &Page, link: &str, outlines: &BTreeMap<&str, Outline>) -> Option<String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (path, fragment) = link.split_once('#').unwrap_or((link, ""));
    let folder = page.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let target = if path.is_empty() {
        page.path.clone()
    } else {
        join(folder, path)
    };
    // `docs/playground/build` adds the playground to the book.
    let target = match target.strip_prefix("docs/src/playground/") {
        Some(file) => format!("docs/playground/{file}"),
        None => target,
    };
    let at = format!("{}: {link}", page.path);
    if !Path::new(ROOT).join(&target).exists() {
        return Some(at);
    }
    // The script of the playground reads such a fragment, and a browser test opens such links.
    let is_example = target.starts_with("docs/playground/") && fragment.starts_with("rule=");
    if fragment.is_empty() || is_example {
        return None;
    }
    let is_there = outlines
        .get(target.as_str())
        .is_some_and(|outline| outline.anchors.contains(fragment));
    (!is_there).then(|| format!("{at}: no such heading"))
}

#[test]
fn every_link_and_anchor_resolves() {
    let pages = pages();
    let outlines: BTreeMap<&str, Outline> = pages
        .iter()
        .map(|page| (page.path.as_str(), Outline::parse(page)))
        .collect();
    let mut checked = 0;
    let mut broken = Vec::new();
    for page in &pages {
        for link in &outlines[page.path.as_str()].links {
            broken.extend(fault(page, link, &outlines));
            checked += 1;
        }
    }
    assert_eq!(broken, [""; 0]);
    assert!(checked > 400, "{checked}");
}

/// A published book does not contain files outside `docs/src`.
#[test]
fn the_book_links_to_its_own_pages_only() {
    let mut outside = Vec::new();
    for page in pages().iter().filter(|page| page.path.starts_with("docs/")) {
        let folder = page.path.rsplit_once('/').expect("a folder").0;
        for link in Outline::parse(page).links {
            let path = link.split('#').next().unwrap_or_default();
            let is_local = !path.is_empty() && !link.contains("://");
            if is_local && !join(folder, path).starts_with("docs/src/") {
                outside.push(format!("{}: {link}", page.path));
            }
        }
    }
    assert_eq!(outside, [""; 0]);
}

#[test]
fn broken_links_and_missing_headings_are_reported() {
    let page = |path: &str, text: &str| Page {
        path: path.to_owned(),
        text: text.to_owned(),
    };
    let readme = page(
        "README.md",
        "# A `b` c!\n\n<a id=\"R20\"></a>\n\n## Twice\n\n## Twice\n",
    );
    let outlines = BTreeMap::from([("README.md", Outline::parse(&readme))]);
    let found = |link: &str| fault(&readme, link, &outlines).is_some();
    for good in [
        "#a-b-c",
        "#R20",
        "#twice",
        "#twice-1",
        "docs/src",
        "https://example.org/x",
    ] {
        assert!(!found(good), "{good}");
    }
    for bad in ["#twice-2", "docs/none.md", "README.md#none", "docs/../none"] {
        assert!(found(bad), "{bad}");
    }
}
