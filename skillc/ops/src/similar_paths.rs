//! Suggestions for a path that does not exist: the same name in another folder, a similar path, or a similar name.

use std::collections::BTreeSet;

use skillc_core::SourceTree;
use skillc_core::did_you_mean::near;
use skillc_core::error::Hint;

const MAX_SUGGESTIONS: usize = 5;

/// Suggests files that are similar to a path that does not exist.
pub(crate) fn file_hint(tree: &SourceTree, asked: &str) -> Hint {
    let paths = tree.entries.iter().map(|entry| entry.path.as_str());
    hint(&suggestions(asked, &paths.collect::<Vec<_>>()))
}

/// Suggests directories that are similar to a path that does not exist.
pub(crate) fn directory_hint(tree: &SourceTree, asked: &str) -> Hint {
    let mut paths = BTreeSet::new();
    for entry in &tree.entries {
        let mut path = entry.path.as_str();
        while let Some((directory, _)) = path.rsplit_once('/') {
            if !paths.insert(directory) {
                break;
            }
            path = directory;
        }
    }
    hint(&suggestions(asked, &paths.into_iter().collect::<Vec<_>>()))
}

/// Returns similar paths, best matches first: the same name in another folder, a similar path, or a similar name.
fn suggestions<'a>(asked: &str, paths: &[&'a str]) -> Vec<&'a str> {
    let asked = asked.trim_start_matches("./").trim_end_matches('/');
    let wanted = name(asked);
    let is_named = |path: &&&str| {
        let name = name(path);
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        [name, stem]
            .iter()
            .any(|name| name.eq_ignore_ascii_case(wanted))
    };
    let mut found: Vec<&str> = Vec::new();
    if !wanted.is_empty() {
        found.extend(paths.iter().filter(is_named));
        found.extend(near(asked, paths.iter().copied()));
        let near_names: BTreeSet<&str> = near(wanted, paths.iter().map(|path| name(path)))
            .into_iter()
            .collect();
        found.extend(paths.iter().filter(|path| near_names.contains(name(path))));
    }
    let mut seen = BTreeSet::new();
    found.retain(|path| seen.insert(*path));
    found.truncate(MAX_SUGGESTIONS);
    found
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn hint(suggestions: &[&str]) -> Hint {
    let lines = suggestions.iter().map(|path| format!("\n  - {path}"));
    let lines: String = lines.collect();
    (!lines.is_empty()).then(|| format!("\nDid you mean one of these?{lines}").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_come_before_similar_names() {
        let paths = [
            "SKILL.md",
            "references/vat.md",
            "references/vats.md",
            "vet.txt",
        ];
        for (asked, found) in [
            ("vat.md", vec!["references/vat.md", "references/vats.md"]),
            ("vat", vec!["references/vat.md"]),
            (
                "refrences/vat.md",
                vec!["references/vat.md", "references/vats.md"],
            ),
            (
                "references/VAT.md",
                vec!["references/vat.md", "references/vats.md"],
            ),
            ("./skil.md", vec!["SKILL.md"]),
            ("nothing-of-the-kind.csv", vec![]),
            ("", vec![]),
            ("/", vec![]),
        ] {
            assert_eq!(suggestions(asked, &paths), found, "{asked}");
        }
    }
}
