//! Resolves a destination to a file or directory of the skill.
//!
//! The resolver first consults the snapshot of the directory walk. It accesses the disk only for paths that the
//! snapshot does not contain: hidden files, empty directories, directories behind symlinks, and missing files.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use crate::graph::Target;
use crate::graph::destination::{Base, Destination, destination, percent_decoded};
use crate::layout::SKILL_FILE;
use crate::path::{Pattern, RelPath};
use crate::source::document::Document;
use crate::source::{Located, SourceTree, locate};

/// The maximum length of a path that is looked up on disk: `PATH_MAX` on Linux.
const MAX_PATH_BYTES: usize = 4096;

/// The maximum length of a string with placeholders or stars that is compiled to a glob.
const MAX_GLOB_BYTES: usize = 256;

/// The maximum number of wildcards and alternatives in a glob: each uses memory for as long as the skill is in memory.
const MAX_GLOB_SIGNS: usize = 12;

/// The limit on mentions of missing files in one document: each costs a disk look-up.
const MAX_MISSING: usize = 100;

/// The limit on mentions of missing files in all documents together. The mentions in `SKILL.md`, and one in each other
/// document, do not count towards this limit.
const MAX_ALL_MISSING: usize = 20_000;

/// The maximum number of globs in one document.
const MAX_GLOBS: usize = 32;

/// The maximum number of attempts to match a file against a glob, over all documents together.
const MAX_MATCHES: usize = 20_000_000;

/// Characters that can begin a wildcard.
const WILD_START: [char; 5] = ['*', '?', '[', '{', '\\'];

/// Characters that can end a wildcard.
const WILD_END: [char; 5] = ['*', '?', ']', '}', '\\'];

/// Resolves destinations in one skill.
pub(crate) struct Resolver<'a> {
    tree: &'a SourceTree,
    name: &'a str,
    /// Directories below the root that have a `SKILL.md` of their own.
    nested: BTreeSet<&'a str>,
    /// The names of all files and directories of the snapshot. If the last component of a path is not among these
    /// names, the path is not in the snapshot.
    names: HashSet<&'a str>,
    lower_case_paths: OnceLock<HashSet<String>>,
    /// A cache of the resolved folders of linked files.
    folders: Mutex<BTreeMap<String, Located>>,
}

impl<'a> Resolver<'a> {
    pub(crate) fn new(tree: &'a SourceTree, name: &'a str) -> Self {
        let nested = tree
            .entries
            .iter()
            .filter(|entry| entry.path.file_name().eq_ignore_ascii_case(SKILL_FILE))
            .map(|entry| folder_of(&entry.path))
            .filter(|folder| !folder.is_empty());
        Self {
            tree,
            name,
            nested: nested.collect(),
            names: tree
                .entries
                .iter()
                .flat_map(|entry| entry.path.as_str().split('/'))
                .collect(),
            lower_case_paths: OnceLock::new(),
            folders: Mutex::default(),
        }
    }

    pub(crate) fn name(&self) -> &'a str {
        self.name
    }

    /// Returns how many strings in a document may be tried as globs. The number is limited because each glob is matched
    /// against every file. The skill's main file, through which all other files are found, always gets the full number.
    pub(crate) fn max_globs(&self, document: &Document) -> usize {
        if document.path.as_str().eq_ignore_ascii_case(SKILL_FILE) {
            return MAX_GLOBS;
        }
        let files = self.tree.entries.len().max(1);
        MAX_GLOBS.min(MAX_MATCHES / files / files)
    }

    /// Returns how many mentions in a document may be looked up on disk. As with globs, the skill's main file always
    /// gets the full number.
    pub(crate) fn max_missing(&self, document: &Document) -> usize {
        if document.path.as_str().eq_ignore_ascii_case(SKILL_FILE) {
            return MAX_MISSING;
        }
        let files = self.tree.entries.len().max(1);
        MAX_MISSING.min(MAX_ALL_MISSING / files + 1)
    }

    /// Resolves the destination of a link relative to the document's folder, as every Markdown renderer does, or
    /// relative to the skill's root if it begins with a placeholder for the root.
    ///
    /// `globs`: how many more destinations with placeholders in the document may become globs.
    pub(crate) fn link(&self, written: &str, document: &Document, globs: &mut usize) -> Target {
        let (base, path, fragment) = match destination(written) {
            Destination::Elsewhere => return Target::Elsewhere,
            Destination::Placeholder => {
                if *globs == 0 {
                    return Target::Placeholder(None);
                }
                *globs -= 1;
                return Target::Placeholder(self.pattern(written, folder_of(&document.path)));
            }
            Destination::Path {
                base,
                path,
                fragment,
            } => (base, path, fragment),
        };
        if path.is_empty() {
            return match fragment {
                Some(_) => Target::File(document.path.clone()),
                None => Target::Elsewhere,
            };
        }
        let folder = match base {
            Base::Document => folder_of(&document.path),
            Base::Root => "",
        };
        match self.at(folder, path) {
            Target::Missing(raw) => match self.at(folder, &percent_decoded(path)) {
                Target::Missing(_) => Target::Missing(raw),
                found => found,
            },
            found => found,
        }
    }

    /// Returns the file or directory whose path equals a mention exactly. The path may be relative to the document's
    /// folder, to the root of the nested skill that contains the document, or to the outermost root.
    ///
    /// `dirs`: whether the mention may refer to a directory.
    pub(crate) fn mention(&self, path: &str, document: &Document, dirs: Dirs) -> Option<Target> {
        if !self.has_name_of(path) {
            return None;
        }
        self.bases(document).find_map(|folder| {
            let path = RelPath::parse(&joined(folder, path)).ok()?;
            if path.as_str().is_empty() {
                return None;
            }
            if self.tree.get(&path).is_some() {
                return Some(Target::File(path));
            }
            (dirs == Dirs::Count && self.tree.has_dir(&path)).then_some(Target::Directory(path))
        })
    }

    /// Resolves a word as [`mention`](Self::mention) does; if that fails, resolves it to the only file of that name in
    /// the skill.
    pub(crate) fn word(&self, path: &str, document: &Document, dirs: Dirs) -> Option<Target> {
        // Fast path: if no file or directory of the skill has this name, both look-ups below would fail.
        if !self.has_name_of(path) {
            return None;
        }
        let exact = self.mention(path, document, dirs);
        exact.or_else(|| self.by_name(path))
    }

    /// Returns the path of a missing file, relative to the skill's root; `None` if `path`, relative to the root or to
    /// the document's folder, exists or leads outside the skill. A path that matches a file only if case is ignored is
    /// treated as missing: see [`in_other_case`](Self::in_other_case).
    pub(crate) fn missing(&self, path: &str, document: &Document) -> Option<RelPath> {
        if let Some(in_other_case) = self.in_other_case(path, document) {
            return Some(in_other_case);
        }
        let missing = |folder: &str| match self.at(folder, path) {
            Target::Missing(path) => Some(path),
            _ => None,
        };
        missing(folder_of(&document.path))?;
        missing("")
    }

    /// Returns a path that matches a file only if case is ignored. A common name such as `README.md` matches only
    /// together with a folder.
    pub(crate) fn in_other_case(&self, path: &str, document: &Document) -> Option<RelPath> {
        let paths = self.lower_case_paths.get_or_init(|| {
            let paths = self.tree.entries.iter().map(|entry| &entry.path);
            paths
                .map(|path| path.as_str().to_ascii_lowercase())
                .collect()
        });
        let named = self.bases(document).filter_map(|folder| {
            let path = RelPath::parse(&joined(folder, path)).ok()?;
            let is_there = paths.contains(&path.as_str().to_ascii_lowercase());
            (is_there && self.tree.get(&path).is_none()).then_some(path)
        });
        let mut named = named.filter(|named| path.contains('/') || !named.has_common_name());
        named.next()
    }

    /// Returns the only file with a given name, for example `references/limits.md` for `limits.md`. The name must have
    /// an extension and no folder. Common names never match.
    fn by_name(&self, name: &str) -> Option<Target> {
        let is_name = !name.contains('/') && name.contains('.') && !name.starts_with('.');
        let mut files = self.tree.named(name).map(|entry| &entry.path);
        let first = files
            .next()
            .filter(|first| is_name && !first.has_common_name())?;
        files.next().is_none().then(|| Target::File(first.clone()))
    }

    /// Returns whether the last component of a path is the name of any file or directory of the snapshot; if not, the
    /// path is not in the snapshot.
    pub(crate) fn has_name_of(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        let above = path.bytes().rposition(|byte| byte == b'/');
        let name = above.map_or(path, |at| &path[at + 1..]);
        self.names.contains(name)
    }

    /// Returns the glob that a mention with stars or placeholders represents, if any file matches it.
    pub(crate) fn glob(&self, text: &str, document: &Document) -> Option<Target> {
        // Compiling a glob is expensive, and most text that looks like a glob is code: try the prefilter first.
        let glob = with_stars(text);
        self.bases(document).find_map(|folder| {
            let glob = joined(folder, &glob);
            let outline = Outline::parse(&glob);
            let paths = self.tree.entries.iter().map(|entry| &entry.path);
            let mut near = paths.filter(|path| outline.fits(path.as_str())).peekable();
            near.peek()?;
            let pattern = self.pattern(text, folder)?;
            let is_any = near.any(|path| pattern.matches(path));
            is_any.then_some(Target::Glob(pattern))
        })
    }

    /// Returns the target of `[[name]]`: a path with or without `.md`, otherwise the first file of that name.
    pub(crate) fn wiki(&self, name: &str, document: &Document) -> Option<Target> {
        let with_extension = format!("{name}.md");
        let names = [name, with_extension.as_str()];
        let exact = names
            .into_iter()
            .find_map(|path| self.mention(path, document, Dirs::Ignored));
        exact.or_else(|| {
            let file = names
                .into_iter()
                .find_map(|name| self.tree.named(name).next())?;
            Some(Target::File(file.path.clone()))
        })
    }

    fn bases(&self, document: &'a Document) -> impl Iterator<Item = &'a str> {
        let folder = folder_of(&document.path);
        let nested = std::iter::successors(Some(folder), |at| Some(parent(at)))
            .take_while(|at| !at.is_empty())
            .find(|at| self.nested.contains(at));
        let mut bases = vec![folder];
        bases.extend(nested);
        bases.push("");
        bases.dedup();
        bases.into_iter()
    }

    /// Compiles a glob below a folder: each placeholder becomes a star. Returns `None` if the skill has no files, or if
    /// the glob is too large, invalid, or so unspecific (fewer than two letters or digits) that it could match nearly
    /// every file.
    fn pattern(&self, text: &str, folder: &str) -> Option<Arc<Pattern>> {
        if text.len() > MAX_GLOB_BYTES || self.tree.entries.is_empty() {
            return None;
        }
        let glob = with_stars(text);
        let signs = glob.bytes().filter(|sign| b"*?[{,".contains(sign)).count();
        if signs > MAX_GLOB_SIGNS {
            return None;
        }
        let has_words = glob.chars().filter(|c| c.is_alphanumeric()).count() > 1;
        // A slash makes the glob match whole paths.
        let pattern = || Pattern::parse(&format!("./{}", joined(folder, &glob)));
        has_words.then(|| pattern().ok().map(Arc::new))?
    }

    fn at(&self, folder: &str, path: &str) -> Target {
        if path.contains('\0') {
            return Target::Missing(RelPath::default());
        }
        let Ok(path) = RelPath::parse(&joined(folder, path)) else {
            return Target::Outside;
        };
        if path.as_str().is_empty() {
            return Target::Directory(path);
        }
        if self.tree.get(&path).is_some() {
            return Target::File(path);
        }
        if self.tree.has_dir(&path) {
            return Target::Directory(path);
        }
        match self.on_disk(&path) {
            Located::Outside => Target::Outside,
            Located::Missing => Target::Missing(path),
            Located::Inside(real) if real.is_dir() => Target::Directory(path),
            Located::Inside(_) => Target::File(path),
        }
    }

    fn on_disk(&self, path: &RelPath) -> Located {
        if path.as_str().len() > MAX_PATH_BYTES || self.tree.is_in_memory() {
            return Located::Missing;
        }
        // Fast path: most broken links point into an existing folder, and resolving the whole path would take a dozen
        // system calls.
        if let Located::Inside(folder) = self.folder(path) {
            let full = folder.join(path.file_name());
            let is_gone = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
            if full.symlink_metadata().is_err_and(|error| is_gone(&error)) {
                return Located::Missing;
            }
        }
        locate(&self.tree.root, path)
    }

    /// Resolves the folder of a path, once per folder.
    fn folder(&self, path: &RelPath) -> Located {
        let folder = folder_of(path);
        let known = self.folders.lock().get(folder).cloned();
        if let Some(found) = known {
            return found;
        }
        let found =
            RelPath::parse(folder).map_or(Located::Missing, |at| locate(&self.tree.root, &at));
        let mut known = self.folders.lock();
        known.insert(folder.to_owned(), found.clone());
        found
    }
}

/// A cheap prefilter for a glob, derived from the glob's text without compiling it.
struct Outline<'a> {
    start: &'a str,
    end: &'a str,
    /// The number of slashes in a matching path; `None` if it varies.
    slashes: Option<usize>,
}

impl<'a> Outline<'a> {
    fn parse(glob: &'a str) -> Self {
        let first = glob.find(WILD_START).unwrap_or(glob.len());
        let behind = glob.rfind(WILD_END).map_or(first, |at| at + 1);
        let is_open = glob.contains(['{', '[', '\\']) || glob.contains("**");
        Self {
            start: &glob[..first],
            end: &glob[behind.max(first)..],
            slashes: (!is_open).then(|| slashes(glob)),
        }
    }

    fn fits(&self, path: &str) -> bool {
        path.ends_with(self.end)
            && path.starts_with(self.start)
            && self.slashes.is_none_or(|count| count == slashes(path))
    }
}

fn slashes(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'/').count()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dirs {
    Count,
    Ignored,
}

/// Returns the folder of a file; empty if the file is in the root.
fn folder_of(path: &RelPath) -> &str {
    parent(path.as_str())
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn joined(folder: &str, path: &str) -> String {
    if folder.is_empty() {
        path.to_owned()
    } else {
        format!("{folder}/{path}")
    }
}

/// Replaces each placeholder with a star, and keeps `{a,b}` as an alternation.
fn with_stars(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['{', '<', '$']) {
        let (before, from) = rest.split_at(at);
        out += before;
        let from = from.strip_prefix('$').unwrap_or(from);
        let close = match from.chars().next() {
            Some('{') => from.find('}'),
            Some('<') => from.find('>'),
            _ => None,
        };
        let Some(close) = close else {
            out.push('*');
            rest = from
                .trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '{' | '<'));
            continue;
        };
        let inner = &from[1..close];
        if inner.contains(',') && from.starts_with('{') {
            out += &from[..=close];
        } else {
            out.push('*');
        }
        rest = &from[close + 1..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    proptest! {
        #[test]
        fn paths_that_match_a_glob_match_its_outline(
            glob in r"([ab*?/.]|\*\*/|/\*\*|\{a,b/\}|\[ab/\]|\\a){1,6}",
            path in "[ab]{0,2}(/[ab.]{1,3}){0,2}",
        ) {
            // At the start or end of a glob, `**` also matches the adjacent slash.
            let is_plain = !glob.starts_with("**/") && !glob.ends_with("**/");
            let pattern = Pattern::parse(&format!("./{glob}"));
            if let (true, Ok(pattern), Ok(path)) = (is_plain, pattern, RelPath::parse(&path)) {
                let fits = Outline::parse(&glob).fits(path.as_str());
                prop_assert!(fits || !pattern.matches(&path), "{} {}", glob, path);
            }
        }
    }

    #[test]
    fn an_outline_has_prefix_suffix_and_component_count() {
        let outline = Outline::parse("a/b-*/c-*.md");
        assert!(outline.fits("a/b-1/c-2.md"));
        for other in ["x/b-1/c-2.md", "a/b-1/c-2.py", "a/b-1/d/c-2.md", "a/b-1.md"] {
            assert!(!outline.fits(other), "{other}");
        }
    }

    #[test]
    fn placeholders_become_stars_and_alternatives_are_kept() {
        for (text, glob) in [
            ("references/{lang}.md", "references/*.md"),
            ("${X}/a-<b>.md", "*/a-*.md"),
            ("a/{b,c}.md", "a/{b,c}.md"),
            ("$ARGUMENTS/a.md", "*/a.md"),
            ("a/{b.md", "a/*.md"),
            ("a/*.md", "a/*.md"),
        ] {
            assert_eq!(with_stars(text), glob, "{text}");
        }
    }
}
