//! The walk: which files a skill has, each with its stamp.

use std::fs::Metadata;
use std::io;
use std::path::{Component, Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use crate::error::{Error, Result};
use crate::path::RelPath;
use crate::source::read::Stamp;

/// The most files a skill may have. Source: RULINGS R20.
const MAX_FILES: usize = 100_000;

/// A sorted snapshot of a skill's directory.
#[derive(Debug, Clone)]
pub struct SourceTree {
    /// The directory, canonical.
    pub root: PathBuf,
    /// The files, sorted bytewise by path.
    pub entries: Vec<Entry>,
    /// Links that lead out of the root, sorted bytewise. Those below hidden directories are in it only if asked for.
    pub escaping: Vec<RelPath>,
    /// Names that are not UTF-8.
    pub left_out: LeftOut,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Where it is, relative to the root.
    pub path: RelPath,
    /// What the file system said of it.
    pub stamp: Stamp,
}

/// What the walk had to pass over because its name is not UTF-8.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LeftOut {
    /// How many entries.
    pub count: usize,
    /// The first one met, decoded as far as possible.
    pub example: String,
}

/// Which links the walk looks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Links {
    /// Those a reader may meet.
    Visible,
    /// Also those in hidden directories, which a build refuses.
    All,
}

impl SourceTree {
    /// Walks a skill's directory.
    ///
    /// # Errors
    /// E999 if a directory cannot be read or there are more than 100,000 files.
    pub fn read(root: &Path) -> Result<Self> {
        Self::walk(root, Links::Visible)
    }

    /// Walks like [`SourceTree::read`] and refuses links that lead out of the root, in hidden directories too.
    ///
    /// # Errors
    /// As `read`, and E012 naming the first such link, bytewise.
    pub fn read_closed(root: &Path) -> Result<Self> {
        let tree = Self::walk(root, Links::All)?;
        match tree.escaping.first() {
            Some(link) => Err(Error::PathEscapes {
                path: link.to_string(),
            }),
            None => Ok(tree),
        }
    }

    /// Returns a file by its path.
    pub fn get(&self, path: &RelPath) -> Option<&Entry> {
        self.entries
            .binary_search_by(|entry| entry.path.cmp(path))
            .ok()
            .map(|at| &self.entries[at])
    }

    /// Returns the Markdown files in path order.
    pub fn markdown(&self) -> impl Iterator<Item = &Entry> {
        self.entries
            .iter()
            .filter(|entry| entry.path.extension().as_deref() == Some("md"))
    }

    fn walk(root: &Path, links: Links) -> Result<Self> {
        let root = root
            .canonicalize()
            .map_err(|e| Error::io("reading", root, &e))?;
        let mut tree = Self {
            root,
            entries: Vec::new(),
            escaping: Vec::new(),
            left_out: LeftOut::default(),
        };
        let shown =
            |entry: &DirEntry| links == Links::All || entry.depth() == 0 || !is_hidden_name(entry);
        for entry in WalkDir::new(&tree.root).into_iter().filter_entry(shown) {
            match entry {
                Ok(entry) => tree.add(&entry)?,
                Err(error)
                    if error
                        .io_error()
                        .is_some_and(|e| e.kind() == io::ErrorKind::NotFound) => {}
                Err(error) => return Err(walk_error(&tree.root, &error)),
            }
        }
        tree.entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        tree.escaping.sort_unstable();
        Ok(tree)
    }

    fn add(&mut self, entry: &DirEntry) -> Result<()> {
        let kind = entry.file_type();
        if kind.is_dir() && entry.depth() == 0 {
            return Ok(());
        }
        let Some(path) = RelPath::below(&self.root, entry.path()) else {
            self.leave_out(entry);
            return Ok(());
        };
        let target = if kind.is_symlink() {
            self.link_target(entry.path(), &path)
        } else {
            entry.metadata().ok()
        };
        let is_hidden = path.as_str().split('/').any(|part| part.starts_with('.'));
        if let Some(metadata) = target.filter(Metadata::is_file).filter(|_| !is_hidden) {
            if self.entries.len() == MAX_FILES {
                return Err(Error::internal(format!(
                    "reading '{}': more than {MAX_FILES} files",
                    self.root.display()
                )));
            }
            self.entries.push(Entry {
                path,
                stamp: Stamp::of(&metadata),
            });
        }
        Ok(())
    }

    /// Returns what a link leads to, if that is inside the root; notes the link if it leads out.
    fn link_target(&mut self, link: &Path, path: &RelPath) -> Option<Metadata> {
        let target = link.canonicalize();
        let inside = match &target {
            Ok(target) => target.starts_with(&self.root),
            Err(_) => broken_link_stays_inside(link, &self.root),
        };
        if !inside {
            self.escaping.push(path.clone());
            return None;
        }
        target.and_then(|target| target.metadata()).ok()
    }

    fn leave_out(&mut self, entry: &DirEntry) {
        let is_below_another = entry
            .path()
            .parent()
            .is_some_and(|dir| RelPath::below(&self.root, dir).is_none());
        if is_below_another || is_hidden_name(entry) {
            return;
        }
        self.left_out.count += 1;
        if self.left_out.example.is_empty() {
            self.left_out.example = entry.file_name().to_string_lossy().into_owned();
        }
    }
}

fn is_hidden_name(entry: &DirEntry) -> bool {
    entry.file_name().as_encoded_bytes().starts_with(b".")
}

/// Judges a link whose target is not there by its text.
fn broken_link_stays_inside(link: &Path, root: &Path) -> bool {
    let Ok(text) = link.read_link() else {
        return true;
    };
    let Some(dir) = link.parent() else {
        return false;
    };
    let mut target = PathBuf::new();
    for component in dir.join(text).components() {
        match component {
            Component::ParentDir => drop(target.pop()),
            Component::CurDir => {}
            other => target.push(other),
        }
    }
    target.starts_with(root)
}

/// Where a path below a root leads, links followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Located {
    /// To something inside the root, at this canonical path.
    Inside(PathBuf),
    /// Out of the root, whether or not something is there.
    Outside,
    /// To nothing.
    Missing,
}

/// Follows a path below `root`, which is canonical.
///
/// # Source
/// RFC-0002 C-OPEN, C-SOURCES (path safety).
pub fn locate(root: &Path, path: &RelPath) -> Located {
    let full = path.under(root);
    if let Ok(real) = full.canonicalize() {
        return if real.starts_with(root) {
            Located::Inside(real)
        } else {
            Located::Outside
        };
    }
    for part in full.ancestors() {
        match part.canonicalize() {
            Ok(real) if real.starts_with(root) => return Located::Missing,
            Ok(_) => return Located::Outside,
            Err(_) if part.is_symlink() && !broken_link_stays_inside(part, root) => {
                return Located::Outside;
            }
            Err(_) => {}
        }
    }
    Located::Missing
}

fn walk_error(root: &Path, error: &walkdir::Error) -> Error {
    let path = error.path().unwrap_or(root);
    match error.io_error() {
        Some(io) => Error::io("reading", path, io),
        None => Error::internal(format!("reading '{}': {error}", path.display())),
    }
}
