//! Walks one root, breadth first and within limits.
//!
//! The root is canonicalized once. Below it, only symlinks are canonicalized, because all other paths are canonical
//! already. A `SKILL.md` in the root itself is ignored: a root is not a skill's directory.
//!
//! Design: catalog-roots, catalog-paths, CAT-DISC.1, CAT-DISC.5, CAT-DISC.21, CAT-DISC.22, REG-LOAD.7, D10.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::FileType;
use std::io;
use std::path::{Path, PathBuf};

use skillc_core::Warning;
use skillc_core::hash::path_hash16;
use skillc_core::layout::{RuntimeDir, SKILL_FILE};

use super::{KnownHeads, failure, map_all};
use crate::entry::{
    CatalogEntry, FailureKind, LoadFailure, RootRank, SkillHead, fits, mtime_ms, shown_description,
    unreadable,
};
use crate::invocation::Invocation;
use crate::roots::Root;
use crate::settings::{Bounds, Discovery};

/// The name of a directory that is never entered. Hidden directories are not entered either.
const NOT_ENTERED: &str = "node_modules";

/// The skills and other results found below one root.
#[derive(Debug, Default)]
pub(super) struct Walked {
    pub is_there: bool,
    pub skills: Vec<CatalogEntry>,
    pub failures: Vec<LoadFailure>,
    pub cuts: Vec<Warning>,
    pub directories: Vec<PathBuf>,
    /// Directories whose names are not UTF-8.
    pub left_out: Counted,
    /// Skills whose names differ from their directories' names.
    pub misnamed: Counted,
}

/// Counts occurrences of a problem, and keeps the first as an example.
#[derive(Debug, Default)]
pub(super) struct Counted {
    count: usize,
    example: String,
}

impl Counted {
    fn one(&mut self, example: impl FnOnce() -> String) {
        if self.count == 0 {
            self.example = example();
        }
        self.count += 1;
    }

    pub(super) fn add(&mut self, other: Self) {
        if self.count == 0 {
            self.example = other.example;
        }
        self.count += other.count;
    }

    /// Creates a warning if the count is not zero.
    pub(super) fn warning(self, of: impl FnOnce(usize, String) -> Warning) -> Option<Warning> {
        (self.count > 0).then(|| of(self.count, self.example))
    }
}

impl Walked {
    /// Returns the result for a root that resolves to the directory of another root, or to a directory inside it.
    pub(super) fn again() -> Self {
        Self {
            is_there: true,
            ..Self::default()
        }
    }

    fn unlistable(root: &Path, message: &str) -> Self {
        let path = root.to_string_lossy().into_owned();
        Self {
            is_there: true,
            failures: vec![failure(path, message, FailureKind::Root)],
            ..Self::default()
        }
    }
}

/// The content of one directory.
#[derive(Default)]
struct Listing {
    /// The canonical paths of the directories to enter, sorted by their names in this directory.
    children: Vec<String>,
    skill: Option<Result<FoundSkill, LoadFailure>>,
    failure: Option<LoadFailure>,
    left_out: Counted,
    /// Whether the directory has more subdirectories than may be entered in total.
    is_cut: bool,
}

/// The subdirectories and symlinks in a directory. If there are more than `most`, only those whose names sort first are
/// kept.
struct Children {
    names: Vec<(OsString, Kind)>,
    most: usize,
    is_cut: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Directory,
    Link,
}

impl Children {
    fn push(&mut self, name: OsString, kind: Kind) {
        self.names.push((name, kind));
        if self.names.len() >= 2 * self.most {
            self.cut();
        }
    }

    fn cut(&mut self) {
        self.names.sort_unstable();
        self.is_cut |= self.names.len() > self.most;
        self.names.truncate(self.most);
    }
}

struct FoundSkill {
    entry: CatalogEntry,
    /// Whether the skill's name is the name of its directory.
    fits: bool,
}

/// Walks a root. `real`: the root's canonical path, or the error from resolving the path. `others`: the canonical paths
/// of directories that are not entered, because they belong to other roots.
pub(super) fn walk(
    root: &Root,
    real: Result<&Path, &io::Error>,
    others: &HashSet<String>,
    discovery: &Discovery,
    known: &KnownHeads,
) -> Walked {
    let real = match real {
        Ok(real) => real,
        Err(error) if is_gone(error) => {
            return Walked {
                directories: vec![root.path.clone()],
                ..Walked::default()
            };
        }
        Err(error) => return Walked::unlistable(&root.path, &unreadable(error)),
    };
    let Some(path) = real.to_str() else {
        return Walked::unlistable(real, "its path is not UTF-8");
    };
    if !real.is_dir() {
        return Walked::unlistable(real, "not a directory");
    }
    let mut walk = Walk {
        root,
        discovery,
        bounds: discovery.bounds(root),
        known,
        others,
        seen: HashSet::from([path.to_owned()]),
        entered: 0,
        is_cut: Vec::new(),
        walked: Walked {
            is_there: true,
            ..Walked::default()
        },
    };
    walk.levels(path.to_owned());
    walk.walked
}

struct Walk<'a> {
    root: &'a Root,
    discovery: &'a Discovery,
    bounds: &'a Bounds,
    known: &'a KnownHeads,
    /// The directories of other roots.
    others: &'a HashSet<String>,
    /// Every directory seen, entered or not. Guards against symlink cycles.
    seen: HashSet<String>,
    entered: usize,
    is_cut: Vec<Bound>,
    walked: Walked,
}

/// A limit that made a walk leave out directories.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    Depth,
    Dirs,
}

impl Walk<'_> {
    fn levels(&mut self, top: String) {
        let mut level = vec![top];
        let mut depth = 0;
        while !level.is_empty() {
            let (root, discovery, known) = (self.root, self.discovery, self.known);
            let listings = map_all(&level, |dir| list(dir, depth, root, discovery, known));
            let mut next = Vec::new();
            for (dir, listing) in level.iter().zip(listings) {
                next.extend(self.take(dir, listing, depth));
            }
            let listed = level.into_iter().map(PathBuf::from);
            self.walked.directories.extend(listed);
            level = next;
            depth += 1;
        }
    }

    /// Processes the content of a directory. Returns the subdirectories to enter.
    fn take(&mut self, dir: &str, listing: Listing, depth: usize) -> Vec<String> {
        match listing.skill {
            None => {}
            Some(Err(failure)) => self.walked.failures.push(failure),
            Some(Ok(FoundSkill { entry, fits })) => {
                if !fits {
                    self.walked.misnamed.one(|| entry.path.clone());
                }
                self.walked.skills.push(entry);
            }
        }
        self.walked.failures.extend(listing.failure);
        self.walked.left_out.add(listing.left_out);
        if listing.is_cut {
            self.cut(dir, Bound::Dirs);
        }
        let mut children = listing.children;
        children.retain(|child| {
            !self.others.contains(child)
                && self.seen.insert(child.clone())
                && self.may_enter(child, depth)
        });
        children
    }

    fn may_enter(&mut self, dir: &str, depth: usize) -> bool {
        if depth == self.bounds.max_depth {
            self.cut(dir, Bound::Depth);
            return false;
        }
        if self.entered == self.bounds.max_dirs {
            self.cut(dir, Bound::Dirs);
            return false;
        }
        self.entered += 1;
        true
    }

    /// Records that a directory, or something in it, was left out because of a limit. Reports only the first directory
    /// for each limit.
    fn cut(&mut self, dir: &str, bound: Bound) {
        if self.is_cut.contains(&bound) {
            return;
        }
        self.is_cut.push(bound);
        self.walked.cuts.push(Warning::CatalogTruncated {
            path: dir.to_owned(),
            bound: match bound {
                Bound::Depth => format!("max_depth = {}", self.bounds.max_depth),
                Bound::Dirs => format!("max_dirs = {}", self.bounds.max_dirs),
            },
        });
    }
}

/// Lists a directory, given by its canonical path, and reads its skill if it has one.
fn list(
    dir: &str,
    depth: usize,
    root: &Root,
    discovery: &Discovery,
    known: &KnownHeads,
) -> Listing {
    let mut listing = Listing::default();
    let entries = match Path::new(dir).read_dir() {
        Ok(entries) => entries,
        Err(error) => {
            let kind = if depth == 0 {
                FailureKind::Root
            } else {
                FailureKind::Directory
            };
            if depth == 0 || !is_gone(&error) {
                listing.failure = Some(failure(dir.to_owned(), &unreadable(&error), kind));
            }
            return listing;
        }
    };
    let mut children = Children {
        names: Vec::new(),
        most: discovery.bounds(root).max_dirs + 1,
        is_cut: false,
    };
    let mut skill = None;
    let mut may_be_stub = false;
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if name == SKILL_FILE {
            skill = Some(kind);
        } else if is_hidden(&name) {
            may_be_stub |= kind.is_dir();
        } else if name == NOT_ENTERED {
        } else if kind.is_dir() {
            children.push(name, Kind::Directory);
        } else if kind.is_symlink() && discovery.bounds(root).follow_symlinks {
            children.push(name, Kind::Link);
        }
    }
    children.cut();
    listing.is_cut = children.is_cut;
    for (name, kind) in children.names {
        match canonical_child(dir, &name, kind) {
            Ok(path) => listing.children.extend(path),
            Err(()) => listing.left_out.one(|| name.to_string_lossy().into_owned()),
        }
    }
    if let Some(kind) = skill.filter(|_| depth > 0) {
        let read = read_skill(dir, kind, root, discovery, known);
        let read = read.map(|mut found| {
            found.entry.compiled = may_be_stub && is_stub(dir);
            found
        });
        let path = || format!("{dir}{}{SKILL_FILE}", std::path::MAIN_SEPARATOR);
        listing.skill = Some(read.map_err(|message| failure(path(), &message, FailureKind::Skill)));
    }
    listing
}

/// Returns the canonical path of a subdirectory. Returns `None` for a symlink that does not lead to a directory, and an
/// error if the path is not UTF-8.
fn canonical_child(dir: &str, name: &OsStr, kind: Kind) -> Result<Option<String>, ()> {
    match kind {
        Kind::Directory => name.to_str().map(|name| Some(joined(dir, name))).ok_or(()),
        Kind::Link => {
            let target = Path::new(dir).join(name).canonicalize().ok();
            let target = target.filter(|target| target.is_dir());
            let target = target.map(|target| target.into_os_string().into_string());
            target.transpose().map_err(drop)
        }
    }
}

fn joined(dir: &str, name: &str) -> String {
    let separator = std::path::MAIN_SEPARATOR;
    if dir.ends_with(separator) {
        format!("{dir}{name}")
    } else {
        format!("{dir}{separator}{name}")
    }
}

fn read_skill(
    dir: &str,
    kind: FileType,
    root: &Root,
    discovery: &Discovery,
    known: &KnownHeads,
) -> Result<FoundSkill, Cow<'static, str>> {
    let mut path = joined(dir, SKILL_FILE);
    if kind.is_symlink() {
        path = real_file(&path, dir)?;
    } else if !kind.is_file() {
        return Err("not a file".into());
    }
    let head = read_head(&path, known)?;
    let dir_name = Path::new(dir).file_name().unwrap_or_default();
    let fits = fits(&head.name, dir_name, discovery.bounds(root).name_mismatch)?;
    let entry = CatalogEntry {
        id: path_hash16(Path::new(&path)),
        name: head.name,
        description: shown_description(head.description),
        path,
        dir: dir.to_owned(),
        scope: root.scope,
        mtime_ms: head.mtime_ms,
        origin: root.origin,
        enabled: true,
        compiled: false,
        invocation: head.invocation,
        place: RootRank {
            distance: root.distance,
            order: root.order,
        },
        is_users: root.is_users,
    };
    Ok(FoundSkill { entry, fits })
}

/// The parts of a frontmatter that an entry needs.
struct EntryHead {
    name: String,
    description: String,
    invocation: Invocation,
    mtime_ms: u64,
}

/// Returns the parts of a skill's frontmatter that an entry needs. Does not read the file if its head is known and the
/// file is unchanged.
fn read_head(path: &str, known: &KnownHeads) -> Result<EntryHead, Cow<'static, str>> {
    if let Some(head) = known.get(path)
        && let Ok(found) = Path::new(path).symlink_metadata()
        && head.is_of(&found)
    {
        return Ok(EntryHead {
            name: head.name.clone(),
            description: head.description.clone(),
            // `known` contains only heads of skills that anyone may start.
            invocation: Invocation::Anyone,
            mtime_ms: mtime_ms(&found),
        });
    }
    let head = SkillHead::read(Path::new(path))?;
    Ok(EntryHead {
        invocation: Invocation::from_fields(&head.fields),
        name: head.name,
        description: head.description,
        mtime_ms: head.mtime_ms,
    })
}

/// Resolves a `SKILL.md` that is a symlink. Fails if the target is outside `dir`.
fn real_file(link: &str, dir: &str) -> Result<String, Cow<'static, str>> {
    let real = Path::new(link).canonicalize();
    let real = real.map_err(|error| unreadable(&error))?;
    if !real.starts_with(dir) {
        return Err("escapes skill directory".into());
    }
    real.into_os_string()
        .into_string()
        .map_err(|_| "its path is not UTF-8".into())
}

/// Returns whether a skill's directory is a build.
fn is_stub(dir: &str) -> bool {
    let runtime = RuntimeDir(PathBuf::from(dir));
    runtime.manifest().is_file() || runtime.compatible_manifest().is_file()
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

/// Returns whether an error means that the path does not exist.
fn is_gone(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}
