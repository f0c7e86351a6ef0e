//! The anchors of a document: the fragments that are valid after `#`.
//!
//! A heading has two slugs: the slug that the specification defines, and the slug that GitHub generates. Explicit `id`
//! and `name` attributes are anchors too.
//!
//! Design: C-REGISTRY.19, D-ANCHORS.

use std::collections::{BTreeSet, HashMap};

use unicode_general_category::{GeneralCategory, get_general_category};

use crate::graph::destination::percent_decoded;
use crate::source::document::{Document, Heading};

/// Attribute lists of more than this many bytes are not parsed.
const MAX_ATTRIBUTE_BYTES: usize = 256;

/// The anchors of one document, in lower case.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Anchors(BTreeSet<String>);

impl Anchors {
    /// Collects the anchors of a document.
    pub fn from_document(document: &Document) -> Self {
        let headings = all_headings(document);
        let explicit = document.anchors.iter().map(|anchor| folded(anchor));
        let mut anchors: BTreeSet<String> = explicit.collect();
        anchors.extend(attribute_ids(document).map(folded));
        for slug in [github_slug, rfc_slug] {
            anchors.extend(numbered(headings.iter().map(|heading| slug(&heading.text))));
            // Renderers that support attributes omit them from the slug.
            let without = headings
                .iter()
                .map(|heading| without_attributes(&heading.text));
            if without.clone().any(|(_, has_some)| has_some) {
                anchors.extend(numbered(without.map(|(text, _)| slug(text))));
            }
        }
        Self(anchors)
    }

    /// Returns the fragment of each heading that begins a section, in document order, without `#`: the slug that GitHub
    /// generates.
    pub fn heading_ids(document: &Document) -> Vec<String> {
        let all = all_headings(document);
        let slugs = numbered(all.iter().map(|heading| github_slug(&heading.text)));
        let mut own = document.headings.iter().peekable();
        let is_own = |heading: &Heading| own.next_if(|own| own.span == heading.span).is_some();
        let pairs = all.iter().zip(slugs);
        let mut is_own = is_own;
        pairs
            .filter_map(|(heading, slug)| is_own(heading).then_some(slug))
            .collect()
    }

    /// Returns whether a fragment, as written, refers to an anchor, to the top of the page, or to a target that the
    /// viewer resolves itself.
    pub fn has(&self, fragment: &str) -> bool {
        let asked = folded(&percent_decoded(fragment));
        matches!(asked.as_str(), "" | "top")
            || is_browsers_own(fragment)
            || self.0.contains(&asked)
            || self.0.contains(&folded(fragment))
    }

    /// Returns the anchors, sorted.
    pub fn iter(&self) -> impl Iterator<Item = &str> + Clone {
        self.0.iter().map(String::as_str)
    }
}

/// The headings of one document, by the fragments that refer to them.
#[derive(Debug, Clone)]
pub struct Fragments<'d> {
    /// All headings, in document order.
    headings: Vec<&'d Heading>,
    /// Maps each fragment, in lower case, to the rank of the fragment's kind and the index of the heading. The lowest
    /// rank takes precedence.
    places: HashMap<String, (usize, usize)>,
}

impl<'d> Fragments<'d> {
    /// Collects the fragments of a document, so that later look-ups do not search the headings again.
    pub fn from_document(document: &'d Document) -> Self {
        let headings = all_headings(document);
        let mut places = HashMap::new();
        let whole: Vec<&str> = headings.iter().map(|of| of.text.as_str()).collect();
        let bare: Vec<&str> = whole
            .iter()
            .map(|text| without_attributes(text).0)
            .collect();
        let mut rank = 0;
        for slug in [github_slug, rfc_slug] {
            for texts in [&bare, &whole] {
                for (at, slug) in numbered(texts.iter().map(|text| slug(text))).enumerate() {
                    places.entry(slug).or_insert((rank, at));
                }
                rank += 1;
            }
        }
        for (at, heading) in headings.iter().enumerate() {
            let text = document.text.get(heading.span.start..heading.span.end);
            let words = text.unwrap_or_default().split(['{', '}', ' ']);
            for id in words.filter_map(|word| word.strip_prefix('#')) {
                places.entry(folded(id)).or_insert((rank, at));
            }
        }
        Self { headings, places }
    }

    /// Returns the heading that a fragment, as written, refers to; `None` if it does not refer to a heading.
    pub fn heading(&self, fragment: &str) -> Option<&'d Heading> {
        let asked = [folded(&percent_decoded(fragment)), folded(fragment)];
        let places = asked.iter().filter_map(|asked| self.places.get(asked));
        let (_, at) = places.min()?;
        self.headings.get(*at).copied()
    }
}

/// Returns the ids from attributes in braces, as in kramdown, pandoc, Docusaurus and mdBook: `## Set up {#setup}`,
/// `{: #setup .note}` on a line of its own, `[word]{#setup}`, `{/* #setup */}`.
fn attribute_ids(document: &Document) -> impl Iterator<Item = &str> {
    let text = &document.text[document.body_start..];
    let of_braces = text.match_indices('{').flat_map(move |(at, _)| {
        let at = document.body_start + at;
        let rest = &document.text[at + 1..];
        let end = rest
            .as_bytes()
            .iter()
            .take(MAX_ATTRIBUTE_BYTES)
            .position(|byte| matches!(byte, b'}' | b'\n' | b'{'))
            .filter(|end| rest.as_bytes()[*end] == b'}' && !document.is_in_code(at));
        let inner = end.map_or("", |end| &rest[..end]);
        let words = inner.strip_prefix(':').unwrap_or(inner).split_whitespace();
        words.filter_map(|word| word.strip_prefix('#'))
    });
    of_braces.filter(|id| !id.is_empty())
}

/// Returns the text of a heading without trailing attributes, and whether the heading has such attributes.
fn without_attributes(heading: &str) -> (&str, bool) {
    let without = heading
        .strip_suffix('}')
        .and_then(|rest| rest.rsplit_once('{'));
    let of_attributes = |inner: &str| {
        let inner = inner.trim_start_matches([':', '/', '*', ' ']);
        inner.starts_with(['#', '.'])
    };
    match without.filter(|(_, inner)| of_attributes(inner)) {
        Some((text, _)) => (text.trim_end(), true),
        None => (heading, false),
    }
}

/// Returns whether the viewer resolves a fragment itself, without an anchor: line numbers (`L12-L30`) and text
/// fragments (`:~:text=`).
fn is_browsers_own(fragment: &str) -> bool {
    let is_line = |part: &str| {
        part.strip_prefix('L')
            .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    fragment.starts_with(":~:") || fragment.split('-').all(is_line)
}

/// Returns all headings of a document, including those in quotes and lists, in document order.
fn all_headings(document: &Document) -> Vec<&Heading> {
    let inner = document.inner_headings.iter();
    let mut headings: Vec<&Heading> = document.headings.iter().chain(inner).collect();
    headings.sort_by_key(|heading| heading.span);
    headings
}

/// Numbers duplicate slugs: `a`, `a-1`, `a-2`.
fn numbered(slugs: impl Iterator<Item = String>) -> impl Iterator<Item = String> {
    let mut taken: HashMap<String, usize> = HashMap::new();
    slugs.map(move |slug| {
        let mut unique = slug.clone();
        while taken.contains_key(&unique) {
            let count = taken.entry(slug.clone()).or_default();
            *count += 1;
            unique = format!("{slug}-{count}");
        }
        taken.insert(unique.clone(), 0);
        unique
    })
}

/// Returns the slug that GitHub generates for a heading: keeps letters and digits of every script, `_` and `-`.
fn github_slug(heading: &str) -> String {
    let kept = heading.chars().filter_map(|c| match c {
        ' ' => Some('-'),
        '-' | '_' => Some(c),
        c if is_kept(c) => Some(c),
        _ => None,
    });
    folded(&kept.collect::<String>())
}

/// Returns the slug that the specification defines: only ASCII, with repeated hyphens collapsed.
fn rfc_slug(heading: &str) -> String {
    let mut slug = String::with_capacity(heading.len());
    for c in heading.to_lowercase().chars() {
        match c {
            'a'..='z' | '0'..='9' => slug.push(c),
            ' ' | '-' if !slug.ends_with('-') => slug.push('-'),
            _ => {}
        }
    }
    slug
}

/// Returns whether GitHub keeps a character: letters and their combining marks, decimal digits, numbers that look like
/// letters (`Ⅳ`) and connector punctuation, but not `①`, which is another kind of number.
fn is_kept(c: char) -> bool {
    use GeneralCategory::{
        ConnectorPunctuation, DecimalNumber, EnclosingMark, LetterNumber, LowercaseLetter,
        ModifierLetter, NonspacingMark, OtherLetter, SpacingMark, TitlecaseLetter, UppercaseLetter,
    };
    c.is_ascii_alphanumeric()
        || matches!(
            get_general_category(c),
            UppercaseLetter
                | LowercaseLetter
                | TitlecaseLetter
                | ModifierLetter
                | OtherLetter
                | NonspacingMark
                | SpacingMark
                | EnclosingMark
                | DecimalNumber
                | LetterNumber
                | ConnectorPunctuation
        )
}

/// Returns a string in lower case, without the invisible characters that remain when emoji are removed.
fn folded(text: &str) -> String {
    let visible = |c: &char| !matches!(c, '\u{fe0e}' | '\u{fe0f}' | '\u{200d}');
    text.chars()
        .filter(visible)
        .collect::<String>()
        .to_lowercase()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::path::RelPath;

    fn anchors(text: &str) -> Anchors {
        let path = RelPath::parse("a.md").unwrap();
        Anchors::from_document(&Document::parse(path, text.as_bytes().to_vec()))
    }

    #[track_caller]
    fn assert_has(text: &str, fragments: &[&str]) {
        let anchors = anchors(text);
        for fragment in fragments {
            assert!(anchors.has(fragment), "#{fragment} in {anchors:?}");
        }
    }

    #[track_caller]
    fn assert_lacks(text: &str, fragments: &[&str]) {
        let anchors = anchors(text);
        for fragment in fragments {
            assert!(!anchors.has(fragment), "#{fragment} in {anchors:?}");
        }
    }

    /// C-REGISTRY.19, D-ANCHORS, F-46.
    #[test]
    fn both_slugs_of_a_heading_are_anchors_in_any_case() {
        assert_has(
            "# Set up & run\n",
            &["set-up--run", "set-up-run", "Set-Up--Run"],
        );
        assert_has("# Über uns\n", &["über-uns", "%C3%BCber-uns", "ber-uns"]);
        assert_has(
            "# 快速 开始\n",
            &["快速-开始", "%E5%BF%AB%E9%80%9F-%E5%BC%80%E5%A7%8B"],
        );
        assert_has("# स्थापना\n# ① 安装\n", &["स्थापना", "-安装"]);
        assert_has("# `a_b` *c*\n", &["a_b-c", "ab-c"]);
        assert_has("# 🚀 Go\n# ⚙️ Do\n", &["-go", "-do", "\u{fe0f}-do"]);
        assert_lacks("# Set up\n", &["setup", "set-up-1", "x"]);
    }

    /// C-REGISTRY.19, D-ANCHORS, F-46.
    #[test]
    fn duplicate_headings_are_numbered_without_collision() {
        assert_has(
            "# Heading\n# Heading\n# Heading-1\n",
            &["heading", "heading-1", "heading-1-1"],
        );
        assert_has("# A\n> # A\n\n# A\n", &["a", "a-1", "a-2"]);
        assert_lacks("# A\n# A\n", &["a-2"]);
    }

    /// D-ANCHORS, F-46.
    #[test]
    fn explicit_anchors_and_viewer_generated_anchors_count() {
        assert_has(
            "<a id=\"Here\"></a> <h2 name='there'>x</h2>\n",
            &["here", "there"],
        );
        assert_has("text\n", &["", "top", "Top", "L10", "L10-L20", ":~:text=x"]);
        assert_lacks("text\n", &["L", "L10-x", "Lines"]);
    }

    #[test]
    fn attribute_ids_and_headings_without_them_count() {
        for (text, fragments) in [
            ("## Set up {#setup}\n", &["setup", "set-up"][..]),
            ("## Set up {#a-b .note key=1}\n", &["a-b", "set-up"]),
            ("## Set up {: #id}\n", &["id", "set-up"]),
            ("## Set up {/* #id */}\n", &["id", "set-up"]),
            ("# A\n{: .x #below}\n\ntext\n", &["below", "a"]),
            ("A [word]{#span} and <A NAME=up>x</A>.\n", &["span", "up"]),
            ("> ## In {#quote}\n", &["quote", "in"]),
            ("# Use {braces}\n", &["use-braces"]),
        ] {
            assert_has(text, fragments);
        }
        assert_lacks(
            "`{#code}` {#}\n\n```\n## X {#block}\n```\n",
            &["code", "block"],
        );
        assert_lacks("## Use {braces}\n", &["use", "braces"]);
    }

    #[test]
    fn a_fragment_leads_to_its_heading() {
        let path = RelPath::parse("a.md").unwrap();
        let text = "# Set up & run\n## Part\n## Part\n## Über uns {#about}\n";
        let document = Document::parse(path, text.as_bytes().to_vec());
        for (fragment, line) in [
            ("set-up--run", Some(1)),
            ("Set-Up-Run", Some(1)),
            ("part", Some(2)),
            ("part-1", Some(3)),
            ("%C3%BCber-uns", Some(4)),
            ("about", Some(4)),
            ("top", None),
            ("part-2", None),
        ] {
            let found = Fragments::from_document(&document).heading(fragment);
            assert_eq!(found.map(|heading| heading.line), line, "{fragment}");
        }
    }

    /// Looks for a fragment in one kind of slug after another.
    fn searched<'d>(document: &'d Document, fragment: &str) -> Option<&'d Heading> {
        let asked = [folded(&percent_decoded(fragment)), folded(fragment)];
        let headings = all_headings(document);
        for slug in [github_slug, rfc_slug] {
            let whole: Vec<&str> = headings.iter().map(|of| of.text.as_str()).collect();
            let bare = headings
                .iter()
                .map(|of| without_attributes(&of.text).0)
                .collect();
            for texts in [bare, whole] {
                let mut slugs = numbered(texts.into_iter().map(slug));
                if let Some(at) = slugs.position(|slug| asked.contains(&slug)) {
                    return headings.get(at).copied();
                }
            }
        }
        let has_id = |heading: &&&Heading| {
            let text = document.text.get(heading.span.start..heading.span.end);
            let ids = text.unwrap_or_default().split(['{', '}', ' ']);
            let mut ids = ids.filter_map(|word| word.strip_prefix('#'));
            ids.any(|id| asked.contains(&folded(id)))
        };
        headings.iter().find(has_id).copied()
    }

    proptest! {
        #[test]
        fn a_table_of_fragments_finds_what_a_search_finds(
            text in "(#{1,2} [ab1-]{0,2}[ &é]{0,2}[aB]{0,1}( \\{#[ab]{1,2}\\})?\n){0,6}",
            fragment in "[abB1é&%-]{0,4}",
        ) {
            let path = RelPath::parse("a.md").unwrap();
            let document = Document::parse(path, text.into_bytes());
            let found = Fragments::from_document(&document).heading(&fragment);
            prop_assert_eq!(found, searched(&document, &fragment));
        }
    }

    #[test]
    fn anchors_match_those_of_github() {
        let path = RelPath::parse("a.md").unwrap();
        let text = "# Set up & run\n> # Set up & run\n\n## `x`: Ü\n# Set up & run\n##\n";
        let document = Document::parse(path, text.as_bytes().to_vec());
        let expected = ["set-up--run", "x-ü", "set-up--run-2", ""];
        assert_eq!(Anchors::heading_ids(&document), expected);
    }

    #[test]
    fn time_is_linear_for_many_equal_headings() {
        let anchors = anchors(&"# A\n".repeat(100_000));
        assert!(anchors.has("a-99999") && !anchors.has("a-100000"));
    }

    #[test]
    fn time_is_linear_for_many_fragments() {
        let path = RelPath::parse("a.md").unwrap();
        let mut text = String::new();
        for at in 0..20_000 {
            text += &format!("# H{at}\n");
        }
        let document = Document::parse(path, text.into_bytes());
        let fragments = Fragments::from_document(&document);
        for at in 0..20_000 {
            let found = fragments.heading(&format!("h{at}"));
            assert_eq!(found.map(|heading| heading.line), Some(at + 1));
            assert_eq!(fragments.heading(&format!("none{at}")), None);
        }
    }
}
