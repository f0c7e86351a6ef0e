//! Finds the intended target of a broken link.
//!
//! For a common mistake, there is only one possible target, and most targets are looked up directly. Only the search
//! for a mistyped name scans directories, so the number of such searches is limited per document and in total.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use skillc_core::did_you_mean::mistyped;
use skillc_core::{Document, RelPath, Skill, SourceTree};
use skillc_lint::Safety;

use crate::support::links::{encoded, max_searches, within};

/// The length limit of a path, in bytes.
const MAX_BYTES: usize = 1024;

/// The maximum number of names that are compared per directory.
const MAX_NAMES: usize = 200;

/// The extensions of images. If only the extension is wrong, a link to an image is corrected only to another image. Any
/// other link is corrected only to a file that is not an image.
const IMAGES: [&str; 8] = ["png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "ico"];

/// Finds the intended targets of the broken links in one document.
pub(crate) struct Targets<'a> {
    tree: &'a SourceTree,
    from: &'a RelPath,
    /// The remaining number of searches for mistyped paths.
    searches: usize,
    /// Caches results by the path as written, because broken links are often repeated.
    known: HashMap<&'a str, Option<(RelPath, Safety)>>,
}

impl<'a> Targets<'a> {
    pub(crate) fn new(from: &'a Document, skill: &'a Skill) -> Self {
        Self {
            tree: &skill.tree,
            from: &from.path,
            searches: max_searches(from, skill),
            known: HashMap::new(),
        }
    }

    /// Returns whether a link is relative to the skill's root and its target exists there. The standard recommends such
    /// paths, but Markdown viewers do not resolve them.
    pub(crate) fn is_from_root(&self, written: &str, missing: &RelPath) -> bool {
        let path = written.trim();
        let path = &path[..path.find(['#', '?']).unwrap_or(path.len())];
        let from_root = RelPath::parse(&path.replace("%20", " ")).ok();
        from_root.is_some_and(|path| path != *missing && self.is_there(&path))
    }

    /// Returns the corrected destination of a link if the link's text is the path of a file:
    /// `[references/x.md](reference/x.md)`.
    pub(crate) fn named_by_text(&self, text: &str) -> Option<String> {
        let text = text.trim_matches(|c: char| c.is_whitespace() || c == '`');
        if text.len() > MAX_BYTES || !text.contains(['.', '/']) {
            return None;
        }
        let folder = self
            .from
            .as_str()
            .rsplit_once('/')
            .map(|(folder, _)| folder);
        let here = folder.map(|folder| format!("{folder}/{text}"));
        let target = here
            .iter()
            .map(String::as_str)
            .chain([text])
            .filter_map(|path| RelPath::parse(path).ok())
            .find(|path| self.tree.get(path).is_some())?;
        Some(self.written(&target))
    }

    /// Returns whether a file with the missing file's name exists anywhere in the skill.
    pub(crate) fn has_name_of(&self, missing: &RelPath) -> bool {
        self.tree.named(missing.file_name()).next().is_some()
    }

    /// Returns the folder of a missing path if the folder does not exist either: `reference` for `reference/x.md`.
    pub(crate) fn missing_folder<'p>(&self, missing: &'p RelPath) -> Option<&'p str> {
        let (folder, _) = missing.as_str().rsplit_once('/')?;
        let path = RelPath::parse(folder).ok()?;
        (!self.is_there(&path)).then_some(folder)
    }

    /// Returns the destination of a link from the document to a file.
    pub(crate) fn written(&self, target: &RelPath) -> String {
        encoded(&within(self.from, target))
    }

    /// Returns the folder that contains the most files with these names, and the number of those files.
    pub(crate) fn folder_with<'p>(
        &self,
        names: impl Iterator<Item = &'p str>,
    ) -> Option<(String, usize)> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for name in names {
            for entry in self.tree.named(name).take(MAX_NAMES) {
                let folder = entry.path.as_str().strip_suffix(name).unwrap_or_default();
                *counts.entry(folder).or_default() += 1;
            }
        }
        let best = counts
            .into_iter()
            .max_by_key(|(folder, count)| (*count, Reverse(*folder)))?;
        Some((best.0.to_owned(), best.1))
    }

    /// Returns the corrected destination, including its query and fragment, and whether the correction is safe. A
    /// correction is safe if it changes only the notation of the path, and unsafe if it changes a name. `missing`: the
    /// missing path.
    pub(crate) fn meant(
        &mut self,
        written: &'a str,
        missing: &RelPath,
    ) -> Option<(String, Safety)> {
        let written = written.trim();
        let (path, rest) = written.split_at(written.find(['#', '?']).unwrap_or(written.len()));
        if path.len() > MAX_BYTES || missing.as_str().is_empty() {
            return None;
        }
        if !self.known.contains_key(path) {
            let found = self.target(path, missing);
            self.known.insert(path, found);
        }
        let (target, safety) = self.known.get(path)?.as_ref()?;
        let mut meant = match root_name(path, missing) {
            Some(root) => root.to_owned() + &encoded(target.as_str()),
            None => encoded(&within(self.from, target)),
        };
        if self.tree.get(target).is_none() {
            meant.push('/');
        }
        Some((meant + rest, *safety))
    }

    /// Returns the intended file or directory, trying the most certain interpretations first.
    fn target(&mut self, path: &str, missing: &RelPath) -> Option<(RelPath, Safety)> {
        let asked = mended(missing.as_str())?;
        let safety = if names_a_line(path) {
            // The fix is unsafe because it removes the line number.
            Safety::Unsafe
        } else {
            Safety::Safe
        };
        if self.is_there(&asked) {
            return Some((asked, safety));
        }
        let from_root = mended(path).filter(|path| self.is_there(path));
        if let Some(from_root) = from_root {
            return Some((from_root, safety));
        }
        let near = self.near(&asked);
        let is_same = |near: &&RelPath| lower_case(near) == lower_case(&asked);
        if let Some(same) = near.as_ref().filter(is_same) {
            return Some((same.clone(), safety));
        }
        let guess = other_extension(self.tree, &asked)
            .or_else(|| elsewhere(self.tree, &asked))
            .or(near);
        Some((guess?, Safety::Unsafe))
    }

    fn is_there(&self, path: &RelPath) -> bool {
        let is_dir = || !path.as_str().is_empty() && self.tree.has_dir(path);
        self.tree.get(path).is_some() || is_dir()
    }

    /// Returns an existing path that differs from the missing path only in case or by typos.
    fn near(&mut self, asked: &RelPath) -> Option<RelPath> {
        let in_lower_case = RelPath::parse(&lower_case(asked)).ok();
        if let Some(path) = in_lower_case.filter(|path| self.is_there(path)) {
            return Some(path);
        }
        self.searches = self.searches.checked_sub(1)?;
        let mut found = String::new();
        for part in asked.as_str().split('/') {
            let exact = RelPath::parse(&format!("{found}{part}")).ok()?;
            let name = if self.is_there(&exact) {
                part
            } else {
                mistyped_name(self.tree, &found, part)?
            };
            found += name;
            found.push('/');
        }
        RelPath::parse(&found).ok()
    }
}

/// Normalizes a path that is written in the notation of another program: with `\` for `/`, with `%20`, or with a
/// trailing line number (`a.md:12`).
fn mended(path: &str) -> Option<RelPath> {
    let path = if names_a_line(path) {
        without_line(path)
    } else {
        path
    };
    RelPath::parse(&path.replace('\\', "/").replace("%20", " ")).ok()
}

/// Returns whether a path ends with a line number: `a.md:12`.
fn names_a_line(path: &str) -> bool {
    path[without_line(path).len()..].starts_with(':')
}

fn without_line(path: &str) -> &str {
    path.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, ':' | '-'))
}

fn lower_case(path: &RelPath) -> String {
    path.as_str().to_lowercase()
}

/// Returns the prefix of a path that is a placeholder for the skill's root: `{baseDir}/`.
fn root_name<'a>(path: &'a str, missing: &RelPath) -> Option<&'a str> {
    let path = path.trim_end_matches('/');
    let root = path.strip_suffix(missing.as_str())?;
    root.starts_with(['{', '$']).then_some(root)
}

/// Returns the existing name that was probably mistyped as a path component. `folder`: empty, or with a trailing slash.
fn mistyped_name<'a>(tree: &'a SourceTree, folder: &str, part: &str) -> Option<&'a str> {
    let (stem, extension) = split(part);
    let names = names_in(tree, folder).take(MAX_NAMES).map(|name| Name {
        stem: split(name).0,
        whole: name,
    });
    let alike = names.filter(|name| split(name.whole).1.eq_ignore_ascii_case(extension));
    mistyped(stem, alike).map(|name| name.whole)
}

/// A file name that is compared by its stem.
struct Name<'a> {
    stem: &'a str,
    whole: &'a str,
}

impl AsRef<str> for Name<'_> {
    fn as_ref(&self) -> &str {
        self.stem
    }
}

/// Returns the names of the files and directories in a folder, sorted bytewise by their paths.
fn names_in<'a>(tree: &'a SourceTree, folder: &str) -> impl Iterator<Item = &'a str> {
    let mut at = first_from(tree, folder);
    std::iter::from_fn(move || {
        let path = tree.entries.get(at)?.path.as_str();
        let rest = path.strip_prefix(folder)?;
        let Some((name, _)) = rest.split_once('/') else {
            at += 1;
            return Some(rest);
        };
        let inside = &path[..=folder.len() + name.len()];
        at += tree.entries[at..].partition_point(|entry| entry.path.as_str().starts_with(inside));
        Some(name)
    })
}

/// Returns the index of the first file whose path does not sort before `start`.
fn first_from(tree: &SourceTree, start: &str) -> usize {
    let is_before = |path: &RelPath| path.as_str() < start;
    tree.entries.partition_point(|entry| is_before(&entry.path))
}

/// Returns the file in the same folder whose name differs from the missing name only by an additional or a different
/// extension. Returns `None` if there is no such file or more than one.
fn other_extension(tree: &SourceTree, asked: &RelPath) -> Option<RelPath> {
    let name = asked.file_name();
    let folder = asked.as_str().strip_suffix(name)?;
    let (stem, extension) = split(name);
    let longer = only(with_stem(tree, folder, name));
    if longer.is_some() || extension.is_empty() {
        return longer;
    }
    let is_kind = |path: &&RelPath| is_image(path) == is_image(asked);
    only(with_stem(tree, folder, stem).filter(is_kind))
}

/// Returns the files in a folder whose names have a given stem, with or without an extension.
fn with_stem<'a>(
    tree: &'a SourceTree,
    folder: &'a str,
    stem: &'a str,
) -> impl Iterator<Item = &'a RelPath> {
    let bare = format!("{folder}{stem}");
    let start = format!("{bare}.");
    let bare = RelPath::parse(&bare).ok();
    let bare = bare.and_then(|bare| tree.get(&bare));
    let others = tree.entries[first_from(tree, &start)..].iter();
    let others = others.take(MAX_NAMES).map_while(move |entry| {
        let extension = entry.path.as_str().strip_prefix(&start)?;
        Some((!extension.contains(['.', '/'])).then_some(entry))
    });
    bare.into_iter()
        .chain(others.flatten())
        .map(|entry| &entry.path)
}

/// Returns the file in another folder of the skill that has the same name; `None` if there is no such file or more than
/// one.
fn elsewhere(tree: &SourceTree, asked: &RelPath) -> Option<RelPath> {
    if asked.has_common_name() {
        return None;
    }
    only(tree.named(asked.file_name()).map(|entry| &entry.path))
}

fn only<'a>(mut paths: impl Iterator<Item = &'a RelPath>) -> Option<RelPath> {
    let first = paths.next()?;
    paths.next().is_none().then(|| first.clone())
}

fn is_image(path: &RelPath) -> bool {
    IMAGES.iter().any(|extension| path.has_extension(extension))
}

/// Splits a name into its stem and its extension, which may be empty.
fn split(name: &str) -> (&str, &str) {
    let parts = name.rsplit_once('.');
    parts
        .filter(|(stem, _)| !stem.is_empty())
        .unwrap_or((name, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_path_notation_is_normalized() {
        for (path, mended_path) in [
            (r"a\b.md", "a/b.md"),
            (r"a\..\b.md", "b.md"),
            ("a/b.md:12", "a/b.md"),
            ("a/b.md:12:3", "a/b.md"),
            ("a/b.md:12-20", "a/b.md"),
            ("a%20b/step-1", "a b/step-1"),
        ] {
            assert_eq!(mended(path).unwrap().as_str(), mended_path);
        }
    }
}
