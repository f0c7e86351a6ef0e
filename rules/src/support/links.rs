//! Helpers for rules about links.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

use skillc_core::did_you_mean::{is_one_slip, mistyped};
use skillc_core::{Document, RelPath, Skill};
use skillc_lint::Safety;

/// The maximum number of broken links per document for which the rules search for a similar name.
const MAX_SEARCHES: usize = 50;

/// The maximum number for all documents together. The links of `SKILL.md`, and one link per document, do not count.
const MAX_ALL_SEARCHES: usize = 3_000;

/// The maximum number of anchors per file with which a fragment is compared.
const MAX_ANCHORS: usize = 1_000;

/// The length limit of a compared anchor, in bytes.
const MAX_ANCHOR_BYTES: usize = 256;

/// An anchor that lacks one word of a fragment is similar only if they share at least this many words.
const MIN_SHARED: usize = 3;

/// Groups links with the same key, ordered by the first link of each group. With preset "spec", each link is a separate
/// group.
pub(crate) fn grouped<L: Copy, K: Eq + Hash>(
    links: impl IntoIterator<Item = L>,
    key: impl Fn(L) -> K,
    is_by_the_letter: bool,
) -> Vec<Vec<L>> {
    let mut groups: Vec<Vec<L>> = Vec::new();
    let mut known: HashMap<K, usize> = HashMap::new();
    for link in links {
        let next = groups.len();
        let at = *known.entry(key(link)).or_insert(next);
        if at == next || is_by_the_letter {
            groups.push(vec![link]);
        } else {
            groups[at].push(link);
        }
    }
    groups
}

/// Returns the number of broken links of a document for which the rules may search for a similar name. `SKILL.md`,
/// which agents read first, has the full number even in the largest skill.
pub(crate) fn max_searches(document: &Document, skill: &Skill) -> usize {
    if skill.is_main(document) {
        return MAX_SEARCHES;
    }
    let files = skill.tree.entries.len().max(1);
    MAX_SEARCHES.min(MAX_ALL_SEARCHES / files + 1)
}

/// Searches for the intended targets of a document's broken anchors. The total number of compared anchors is limited,
/// and links to the same target share a search. A limit on the number of links would be worse: each run would fix only
/// some of the links, and fixing all links in many runs would take quadratic time.
pub(crate) struct AnchorSearch<'a> {
    left: usize,
    known: BTreeMap<(&'a RelPath, &'a str), Option<(&'a str, Safety)>>,
}

impl<'a> AnchorSearch<'a> {
    /// The minimum cost of a search, in compared anchors.
    const LEAST: usize = 5;

    pub(crate) fn new(document: &Document, skill: &Skill) -> Self {
        Self {
            left: max_searches(document, skill) * MAX_ANCHORS,
            known: BTreeMap::new(),
        }
    }

    /// Returns the result of [`nearest`]; `None` once the budget is spent.
    pub(crate) fn nearest(
        &mut self,
        file: &'a RelPath,
        fragment: &'a str,
        anchors: impl Iterator<Item = &'a str> + Clone,
    ) -> Option<(&'a str, Safety)> {
        if let Some(known) = self.known.get(&(file, fragment)) {
            return *known;
        }
        let cost = anchors.clone().take(MAX_ANCHORS).count().max(Self::LEAST);
        self.left = self.left.checked_sub(cost)?;
        let found = nearest(fragment, anchors);
        self.known.insert((file, fragment), found);
        found
    }
}

/// Percent-encodes the characters of a path that have a special meaning in a link.
pub(crate) fn encoded(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for c in path.chars() {
        if " #?%:\\<>(){}".contains(c) {
            out += &format!("%{:02X}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

/// Returns the relative path for a link from `from` to `file`.
pub(crate) fn within(from: &RelPath, file: &RelPath) -> String {
    let here: Vec<&str> = from.as_str().split('/').collect();
    let there: Vec<&str> = file.as_str().split('/').collect();
    let folders = here.len() - 1;
    let shared = here[..folders]
        .iter()
        .zip(&there[..there.len() - 1])
        .take_while(|(one, other)| one == other)
        .count();
    let up = std::iter::repeat_n("..", folders - shared);
    let parts: Vec<&str> = up.chain(there[shared..].iter().copied()).collect();
    parts.join("/")
}

/// Returns the anchor that a fragment probably means, and whether the match is certain. The match is certain only if
/// the fragment and the anchor differ by one typo, and no other anchor is as similar. An anchor that only shares most
/// words is a guess, because a word may have been replaced with its opposite. So is an anchor with more differences.
fn nearest<'a>(
    fragment: &str,
    anchors: impl Iterator<Item = &'a str>,
) -> Option<(&'a str, Safety)> {
    let is_short = |anchor: &&str| anchor.len() <= MAX_ANCHOR_BYTES;
    is_short(&fragment).then_some(())?;
    let anchors: Vec<&str> = anchors.take(MAX_ANCHORS).filter(is_short).collect();
    let meant = mistyped(fragment, anchors.iter().copied());
    let safety = |meant| {
        if is_one_slip(fragment, meant) {
            Safety::Safe
        } else {
            Safety::Unsafe
        }
    };
    let meant = meant.map(|meant| (meant, safety(meant)));
    meant.or_else(|| {
        Some((
            anchor_with_same_words(fragment, anchors.into_iter())?,
            Safety::Unsafe,
        ))
    })
}

fn anchor_with_same_words<'a>(
    fragment: &str,
    anchors: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    let asked: Vec<String> = words(fragment);
    let is_number = |word: &&String| word.bytes().all(|byte| byte.is_ascii_digit());
    let far = |anchor: &'a str| {
        let words = words(anchor);
        let missing: Vec<_> = asked.iter().filter(|word| !words.contains(word)).collect();
        let extra: Vec<_> = words.iter().filter(|word| !asked.contains(word)).collect();
        // `step-2` does not mean `step-3`.
        let is_another = missing.iter().any(is_number) && extra.iter().any(is_number);
        (!is_another).then_some((missing.len(), extra.len(), anchor))
    };
    let (missing, extra, anchor) = anchors.filter_map(far).min()?;
    let shared = asked.len() - missing;
    // An anchor that lacks several words of the fragment is not similar, because the link is usually about these words.
    let is_like = missing == 0 || missing == 1 && shared >= MIN_SHARED;
    (is_like && missing < shared && extra <= 2 * shared).then_some(anchor)
}

/// Splits an anchor into its words, in lower case.
fn words(anchor: &str) -> Vec<String> {
    let words = anchor.split(|c: char| !c.is_alphanumeric());
    words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rel(path: &str) -> RelPath {
        RelPath::parse(path).unwrap()
    }

    #[test]
    fn paths_are_relative_to_the_folder_of_the_linking_file() {
        for (from, file, path) in [
            ("SKILL.md", "a.md", "a.md"),
            ("r/a.md", "r/b.md", "b.md"),
            ("r/a.md", "SKILL.md", "../SKILL.md"),
            ("r/s/a.md", "r/t/b.md", "../t/b.md"),
        ] {
            assert_eq!(within(&rel(from), &rel(file)), path);
        }
    }

    #[test]
    fn characters_that_end_a_link_are_encoded() {
        assert_eq!(encoded("a b/c#1 (é).md"), "a%20b/c%231%20%28é%29.md");
    }

    #[test]
    fn the_nearest_anchor_is_a_typo_or_shares_words_with_the_fragment() {
        let anchors = ["1-set-up", "set-up-and-run", "teardown", "429-too-many"];
        let guess = Some(("1-set-up", Safety::Unsafe));
        assert_eq!(nearest("set-up", anchors.into_iter()), guess);
        let slip = Some(("teardown", Safety::Safe));
        assert_eq!(nearest("tear-down", anchors.into_iter()), slip);
        assert_eq!(nearest("tear-it-down", anchors.into_iter()), None);
        assert_eq!(nearest("2-set-up", ["1-set-up"].into_iter()), None);
        assert_eq!(nearest("", anchors.into_iter()), None);
        // An anchor that shares only one of two words is not similar enough.
        assert_eq!(nearest("set-back", anchors.into_iter()), None);
    }
}
