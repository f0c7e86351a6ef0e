//! Walks a skill's directory: lists its files, each with its stamp.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::path::{Component, MAIN_SEPARATOR, Path, PathBuf};
use std::sync::{Arc, OnceLock};

use walkdir::{DirEntry, WalkDir};

use crate::error::{Error, Result};
use crate::layout::SKILL_FILE;
use crate::path::RelPath;
use crate::source::contents::{Contents, Flaw, is_unusual};
use crate::source::size::SizeCheck;
#[cfg(unix)]
use crate::source::source_file::open_dir;
use crate::source::source_file::{MAX_PARSED_BYTES, Stamp, is_gone};

/// The maximum number of files in a skill. Design: R20.
const MAX_FILES: usize = 100_000;

/// The maximum size of a skill's Markdown that is parsed and kept in memory.
const MAX_MARKDOWN_BYTES: u64 = 16 << 20;

/// The maximum number of bytes that are read again because a file has additional names (symlinks). Without this limit,
/// a thousand symlinks of a few bytes each would make a document cost a thousand times its size.
const MAX_REPEATED_BYTES: u64 = 256 << 10;

/// The maximum number of bytes that are read again, as a multiple of the skill's size. A repository can have thousands
/// of small skills, for which [`MAX_REPEATED_BYTES`] alone is too much.
const REPEATS: u64 = 4;

/// The maximum number of hidden entries that are listed.
const MAX_HIDDEN: usize = 1000;

/// At most this many entries are listed because their paths are too long.
const MAX_UNREAD: usize = 20;

/// The maximum number of symlinks with unusual targets that are listed.
const MAX_UNUSUAL: usize = 1000;

/// The maximum number of symlinks that [`link_end`] follows.
const MAX_LINKS: usize = 40;

/// A sorted snapshot of a skill's directory.
#[derive(Debug, Clone)]
pub struct SourceTree {
    /// The canonical path of the directory.
    pub root: PathBuf,
    /// The files, sorted bytewise by path.
    pub entries: Vec<WalkedFile>,
    /// Symlinks that lead out of the root, as paths relative to the root, sorted bytewise. Only
    /// [`SourceTree::read_closed`] includes hidden symlinks and those in hidden directories.
    pub escaping: Vec<String>,
    /// Symlinks that stay in the root, each with the path where it leads; not in order. For a skill on disk, these are
    /// the same symlinks as for [`SourceTree::escaping`].
    pub linked: Vec<(RelPath, RelPath)>,
    /// The symlinks with [unusual targets](unusual_target), each with the target, sorted bytewise by path; at most
    /// 1,000. Hidden symlinks are not listed. Empty for a skill in an archive.
    pub(crate) unusual: Vec<(RelPath, String)>,
    /// Entries whose names are not UTF-8.
    pub left_out: LeftOut,
    /// Files and directories whose absolute paths are too long for the system, relative to the root; at most 20. A
    /// program with another working directory may be able to open them. Also symlinks that are missing in `unusual`.
    pub unread: Vec<String>,
    /// The directories that were read, the root first: as long as they and the files keep their stamps, the tree is
    /// unchanged. `None` if there are symlinks, because their targets can change elsewhere.
    pub dirs: Option<Vec<PathBuf>>,
    /// Whether the root itself has an entry whose name begins with `.`, which may be configuration.
    pub has_hidden: bool,
    /// The absolute paths of the hidden files and directories in directories that are not hidden; at most 1,000.
    /// [`SourceTree::read_closed`] also lists hidden entries of hidden directories.
    pub hidden: Vec<PathBuf>,
    /// The flaws of the archive that the skill was read from; empty for any other skill.
    pub flaws: Vec<Flaw>,
    /// The contents of all files, hidden ones included, if the skill is not on disk.
    pub(super) contents: Option<Arc<Contents>>,
    /// The targets of the symlinks of a skill in an archive; empty for any other skill.
    pub(super) links: BTreeMap<RelPath, String>,
    by_name: OnceLock<BTreeMap<String, Vec<usize>>>,
    repeated: OnceLock<BTreeSet<RelPath>>,
}

/// A file that the walk found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalkedFile {
    /// The path of the file, relative to the root.
    pub path: RelPath,
    /// The metadata of the file.
    pub stamp: Stamp,
}

impl WalkedFile {
    /// Creates an entry for a file that is not on disk.
    pub(super) const fn in_memory(path: RelPath, size: usize) -> Self {
        let stamp = Stamp::in_memory(size);
        Self { path, stamp }
    }
}

/// Entries that the walk skipped because their names are not UTF-8.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LeftOut {
    /// The number of entries.
    pub count: usize,
    /// The first of these names, decoded lossily.
    pub example: String,
}

/// Which symlinks the walk checks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Links {
    /// Symlinks that are neither hidden nor in a hidden directory: an agent may encounter them.
    Visible,
    /// All symlinks, hidden ones included: a build fails if one leads out of the root.
    All,
}

impl SourceTree {
    /// Walks a skill's directory.
    ///
    /// # Errors
    /// E999 if a directory cannot be read or there are more than 100,000 files.
    pub fn read(root: &Path) -> Result<Self> {
        Self::walk(real(root)?, Links::Visible, MAX_FILES)
    }

    /// Like [`SourceTree::read`], for a path that is known to be canonical.
    ///
    /// # Errors
    /// The errors of [`SourceTree::read`].
    pub(crate) fn read_canonical(root: PathBuf) -> Result<Self> {
        Self::walk(root, Links::Visible, MAX_FILES)
    }

    /// Like [`SourceTree::read`], but rejects files that are too large to be hashed, and symlinks that lead out of the
    /// root, even in hidden directories.
    ///
    /// # Errors
    /// The errors of [`SourceTree::read`] and [`SourceTree::check_sizes`], and E012 for the first such symlink in
    /// bytewise order.
    pub fn read_closed(root: &Path) -> Result<Self> {
        let tree = Self::walk(real(root)?, Links::All, MAX_FILES)?;
        if let Some(link) = tree.escaping.first() {
            return Err(tree.escape(link));
        }
        tree.check_sizes()?;
        Ok(tree)
    }

    /// Checks, without reading the files, that they can be hashed in a reasonable time.
    ///
    /// # Errors
    /// E999 for the first file, in bytewise order, that is too large or whose size brings the total over the limit.
    pub fn check_sizes(&self) -> Result<()> {
        let mut check = SizeCheck::default();
        self.entries
            .iter()
            .try_for_each(|entry| check.add(&entry.path.under(&self.root), entry.stamp.size))
    }

    fn escape(&self, link: &str) -> Error {
        let (full, root) = (self.root.join(link), self.root.display());
        let end = link_end(&full);
        let hint = format!(
            "'{link}' in '{root}' is a link to '{}', outside the skill.\n\
             Replace the link with a copy of the file, or remove it.",
            end.display()
        );
        Error::PathEscapes {
            path: link.to_owned(),
            hint: Some(hint.into()),
        }
    }

    /// Returns the real path of a file. For a symlink, this is another path in the root.
    pub fn real_path(&self, entry: &WalkedFile) -> PathBuf {
        let path = entry.path.under(&self.root);
        let has_links = self.dirs.is_none();
        let real = has_links.then(|| path.canonicalize().ok()).flatten();
        real.unwrap_or(path)
    }

    /// Returns a file by its path.
    pub fn get(&self, path: &RelPath) -> Option<&WalkedFile> {
        self.entries
            .binary_search_by(|entry| entry.path.cmp(path))
            .ok()
            .map(|at| &self.entries[at])
    }

    /// Returns whether any file is below a directory.
    pub fn has_dir(&self, dir: &RelPath) -> bool {
        let above = format!("{dir}/");
        let from = self
            .entries
            .partition_point(|entry| entry.path.as_str() < above.as_str());
        self.entries
            .get(from)
            .is_some_and(|entry| entry.path.rest_below(dir).is_some())
    }

    /// Returns a copy of the tree with an additional file, which replaces any file at the same path.
    pub(crate) fn with_entry(&self, new: WalkedFile) -> Self {
        let mut tree = Self {
            by_name: OnceLock::new(),
            repeated: OnceLock::new(),
            ..self.clone()
        };
        let at = tree
            .entries
            .binary_search_by(|entry| entry.path.cmp(&new.path));
        match at {
            Ok(at) => tree.entries[at] = new,
            Err(at) => tree.entries.insert(at, new),
        }
        tree
    }

    /// Returns the files with a given name, in any directory, in path order.
    pub fn named(&self, name: &str) -> impl Iterator<Item = &WalkedFile> {
        let by_name = self.by_name.get_or_init(|| {
            let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
            for (at, entry) in self.entries.iter().enumerate() {
                let of_name = by_name.entry(entry.path.file_name().to_owned());
                of_name.or_default().push(at);
            }
            by_name
        });
        let of_name = by_name.get(name).into_iter().flatten();
        of_name.map(|at| &self.entries[*at])
    }

    /// Returns the Markdown files in path order.
    pub fn markdown(&self) -> impl Iterator<Item = &WalkedFile> {
        self.entries
            .iter()
            .filter(|entry| entry.path.has_extension("md"))
    }

    /// Returns `SKILL.md` in the root. If there is no such file, returns the first file in the root, in bytewise order,
    /// whose name differs from `SKILL.md` only in case. A skill can have a hundred files with such names, so only one
    /// is treated as the main file.
    fn main(&self) -> Option<&WalkedFile> {
        let mut entries = self.entries.iter();
        let exact = entries.find(|entry| entry.path.as_str() == SKILL_FILE);
        let mut entries = self.entries.iter();
        exact.or_else(|| entries.find(|entry| entry.path.as_str().eq_ignore_ascii_case(SKILL_FILE)))
    }

    /// Returns whether a file is skipped as a repetition: its path is an additional name (a symlink) of a file that is
    /// read anyway, and reading it again would exceed the limit on repeated bytes. The limit is 256 KiB, or four times
    /// the skill's size if that is less.
    pub fn is_repeated(&self, entry: &WalkedFile) -> bool {
        // Without symlinks there is nothing to compare.
        self.dirs.is_none() && self.repeated().contains(&entry.path)
    }

    /// Returns the total size of all files. Counts a file with several names once.
    fn distinct_bytes(&self) -> u64 {
        let files: HashSet<Stamp> = self.entries.iter().map(|entry| entry.stamp).collect();
        files.iter().map(|stamp| stamp.size).sum()
    }

    fn repeated(&self) -> &BTreeSet<RelPath> {
        self.repeated.get_or_init(|| {
            let mut seen = HashSet::new();
            let mut left = MAX_REPEATED_BYTES.min(REPEATS * self.distinct_bytes());
            let main = self.main();
            let others = self.entries.iter().filter(|entry| Some(*entry) != main);
            let entries = main.into_iter().chain(others);
            let is_repeated = |entry: &&WalkedFile| {
                if seen.insert(entry.stamp) {
                    return false;
                }
                let rest = left.checked_sub(entry.stamp.size);
                left = rest.unwrap_or(left);
                rest.is_none()
            };
            let repeated = entries.filter(is_repeated);
            repeated.map(|entry| entry.path.clone()).collect()
        })
    }

    /// Returns the Markdown files that are parsed, and those that are skipped, in path order. A file is skipped if it
    /// is larger than 32 MiB, if it does not fit into 16 MiB together with `SKILL.md` and the files before it, or if it
    /// [is repeated](Self::is_repeated).
    pub fn parsed_markdown(&self) -> (Vec<&WalkedFile>, Vec<&WalkedFile>) {
        let main = self.main();
        let of_main = main.map_or(0, |entry| entry.stamp.size.min(MAX_PARSED_BYTES));
        let mut left = MAX_MARKDOWN_BYTES.saturating_sub(of_main);
        self.markdown().partition(|entry| {
            let size = entry.stamp.size;
            if size > MAX_PARSED_BYTES || main == Some(entry) {
                return size <= MAX_PARSED_BYTES;
            }
            if self.is_repeated(entry) {
                return false;
            }
            let rest = left.checked_sub(size);
            left = rest.unwrap_or(left);
            rest.is_some()
        })
    }

    /// Creates a tree without files.
    pub(super) fn empty(root: PathBuf) -> Self {
        Self {
            root,
            entries: Vec::new(),
            escaping: Vec::new(),
            linked: Vec::new(),
            unusual: Vec::new(),
            left_out: LeftOut::default(),
            unread: Vec::new(),
            dirs: Some(Vec::new()),
            has_hidden: false,
            hidden: Vec::new(),
            flaws: Vec::new(),
            contents: None,
            links: BTreeMap::new(),
            by_name: OnceLock::new(),
            repeated: OnceLock::new(),
        }
    }

    fn walk(root: PathBuf, links: Links, max_files: usize) -> Result<Self> {
        let mut tree = Self::empty(root);
        let mut stamps = Stamps::default();
        let mut has_hidden = false;
        let mut hidden = Vec::new();
        let shown = |entry: &DirEntry| {
            let is_hidden = entry.depth() > 0 && is_hidden_name(entry.file_name());
            has_hidden |= is_hidden && entry.depth() == 1;
            if is_hidden && hidden.len() < MAX_HIDDEN {
                hidden.push(entry.path().to_path_buf());
            }
            links == Links::All || !is_hidden
        };
        for entry in WalkDir::new(&tree.root).into_iter().filter_entry(shown) {
            match entry {
                Ok(entry) => tree.add(&entry, &mut stamps),
                Err(error) if error.io_error().is_some_and(is_too_long) => {
                    tree.leave_unread(error.path());
                }
                Err(error) if error.io_error().is_some_and(is_gone) => {}
                Err(error) => return Err(walk_error(&tree.root, &error)),
            }
            if tree.entries.len() > max_files {
                let root = tree.root.display();
                return Err(Error::internal(format!(
                    "reading '{root}': more than {max_files} files"
                )));
            }
        }
        tree.has_hidden = has_hidden;
        tree.hidden = hidden;
        tree.entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        tree.escaping.sort_unstable();
        tree.unusual.sort_unstable();
        Ok(tree)
    }

    fn add(&mut self, entry: &DirEntry, stamps: &mut Stamps) {
        let kind = entry.file_type();
        if kind.is_symlink() {
            self.dirs = None;
        }
        if let Some(dirs) = self.dirs.as_mut().filter(|_| kind.is_dir()) {
            dirs.push(entry.path().to_path_buf());
        }
        if kind.is_dir() && entry.depth() == 0 {
            return;
        }
        let target = if kind.is_symlink() {
            self.link_target(entry.path())
        } else {
            None
        };
        let path = RelPath::below(&self.root, entry.path());
        if path.as_ref().map_or_else(
            || has_hidden_part(&self.root, entry.path()),
            RelPath::is_hidden,
        ) {
            return;
        }
        let Some(path) = path else {
            self.leave_out(entry);
            return;
        };
        if kind.is_symlink()
            && let Some(target) = unusual_target(entry.path())
        {
            if self.unusual.len() < MAX_UNUSUAL {
                self.unusual.push((path.clone(), target));
            } else {
                self.leave_unread(Some(entry.path()));
            }
        }
        let stamp = if kind.is_file() {
            stamps.stamp(entry)
        } else {
            let target = target.filter(Metadata::is_file);
            target.map(|target| Stamp::from_metadata(&target))
        };
        if stamp.is_none() && kind.is_file() {
            let metadata = entry.path().symlink_metadata();
            if metadata.is_err_and(|error| is_too_long(&error)) {
                self.leave_unread(Some(entry.path()));
            }
        }
        if let Some(stamp) = stamp {
            self.entries.push(WalkedFile { path, stamp });
        }
    }

    /// Returns the metadata of a symlink's target, if the target exists inside the root. Records the symlink if it
    /// leads out of the root.
    fn link_target(&mut self, link: &Path) -> Option<Metadata> {
        let target = link.canonicalize();
        let inside = match &target {
            Ok(target) => target.starts_with(&self.root),
            Err(_) => link_end(link).starts_with(&self.root),
        };
        if inside {
            let target = target.ok()?;
            let [link, end] = [link, &*target].map(|path| RelPath::below(&self.root, path));
            self.linked.extend(link.zip(end));
            return target.metadata().ok();
        }
        let path = link.strip_prefix(&self.root).unwrap_or(link);
        self.escaping.push(path.to_string_lossy().into_owned());
        None
    }

    /// Records an entry that cannot be read, for example because its path is too long.
    fn leave_unread(&mut self, path: Option<&Path>) {
        if let Some(path) = path.filter(|_| self.unread.len() < MAX_UNREAD) {
            let path = path.strip_prefix(&self.root).unwrap_or(path);
            self.unread.push(path.to_string_lossy().into_owned());
        }
    }

    /// Counts an entry whose name is not UTF-8. Entries below a directory with such a name are not counted.
    fn leave_out(&mut self, entry: &DirEntry) {
        let dir = entry.path().parent();
        if dir.is_some_and(|dir| RelPath::below(&self.root, dir).is_none()) {
            return;
        }
        self.left_out.count += 1;
        if self.left_out.example.is_empty() {
            self.left_out.example = entry.file_name().to_string_lossy().into_owned();
        }
    }
}

/// Reads the stamps of a directory's files through a directory handle, which is faster than reading them by full path.
#[derive(Default)]
#[cfg_attr(
    not(unix),
    expect(dead_code, reason = "only Unix reads stamps through a handle")
)]
struct Stamps {
    dir: PathBuf,
    /// The number of files in `dir` so far.
    files: usize,
    open: Option<File>,
}

/// The number of files that are stamped by full path before their directory is opened: for fewer files, opening the
/// directory costs more than it saves.
#[cfg(unix)]
const FEW_FILES: usize = 8;

impl Stamps {
    /// Returns the stamp of a file; `None` if the entry is no longer a file.
    #[cfg(unix)]
    fn stamp(&mut self, entry: &DirEntry) -> Option<Stamp> {
        let dir = entry.path().parent()?;
        if self.dir.as_os_str() != dir.as_os_str() {
            *self = Self {
                dir: dir.to_path_buf(),
                ..Self::default()
            };
        }
        if self.files == FEW_FILES {
            self.open = open_dir(dir).ok();
        }
        self.files += 1;
        match &self.open {
            Some(dir) => Stamp::in_dir(dir, entry.file_name()),
            // Only a few files so far, or the directory cannot be opened.
            None => stamp_of(entry),
        }
    }

    /// Returns the stamp of a file; `None` if the entry is no longer a file.
    #[cfg(not(unix))]
    fn stamp(&mut self, entry: &DirEntry) -> Option<Stamp> {
        stamp_of(entry)
    }
}

fn stamp_of(entry: &DirEntry) -> Option<Stamp> {
    let metadata = entry.metadata().ok().filter(Metadata::is_file)?;
    Some(Stamp::from_metadata(&metadata))
}

/// Returns whether an error means that a path, or a name in it, is too long.
fn is_too_long(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::InvalidFilename
}

fn has_hidden_part(root: &Path, path: &Path) -> bool {
    let below = path.strip_prefix(root).unwrap_or(path);
    let mut parts = below.components();
    parts.any(|part| is_hidden_name(part.as_os_str()))
}

fn is_hidden_name(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

/// Returns the target of a symlink if it has a sign or a blank that is unusual in paths, or if it is dangling and has
/// any unusual character: see [`is_unusual`].
pub(crate) fn unusual_target(link: &Path) -> Option<String> {
    let target = link.read_link().ok()?;
    let target = target.to_string_lossy().replace(MAIN_SEPARATOR, "/");
    let is_odd = |c: char| is_unusual(c) && (c.is_ascii() || !link.exists());
    target.contains(is_odd).then_some(target)
}

/// Resolves a path even if it is dangling: follows symlinks, and keeps missing components as written. Stops following
/// symlinks after 40, for example in a cycle.
pub fn link_end(path: &Path) -> PathBuf {
    let mut end = PathBuf::new();
    let mut links = 0;
    let mut rest = reversed(path);
    while let Some(part) = rest.pop() {
        if part == ".." {
            end.pop();
            continue;
        }
        end.push(part);
        let target = end.read_link().ok().filter(|_| links < MAX_LINKS);
        if let Some(target) = target {
            links += 1;
            end.pop();
            rest.extend(reversed(&target));
        }
    }
    end
}

/// Returns the components of a path, last first, without `.`; the root of an absolute path counts as a component.
fn reversed(path: &Path) -> Vec<OsString> {
    let parts = path.components().rev();
    parts
        .filter(|part| *part != Component::CurDir)
        .map(|part| part.as_os_str().to_owned())
        .collect()
}

/// The location that a path below a root leads to after following symlinks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Located {
    /// Inside the root, at this canonical path.
    Inside(PathBuf),
    /// Outside the root, whether or not anything exists there.
    Outside,
    /// Inside the root, but nothing exists there.
    Missing,
}

/// Resolves a path below the canonical path `root`.
///
/// Design: C-OPEN, C-SOURCES.
pub fn locate(root: &Path, path: &RelPath) -> Located {
    let full = path.under(root);
    if let Ok(real) = full.canonicalize() {
        return if real.starts_with(root) {
            Located::Inside(real)
        } else {
            Located::Outside
        };
    }
    if link_end(&full).starts_with(root) {
        Located::Missing
    } else {
        Located::Outside
    }
}

fn real(root: &Path) -> Result<PathBuf> {
    root.canonicalize()
        .map_err(|e| Error::io("reading", root, &e))
}

fn walk_error(root: &Path, error: &walkdir::Error) -> Error {
    let path = error.path().unwrap_or(root);
    match error.io_error() {
        Some(io) => Error::io("reading", path, io),
        None => Error::internal(format!("reading '{}': {error}", path.display())),
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    use std::fs;
    use std::os::unix::fs::symlink;

    /// Creates a skill's directory inside another directory.
    fn root() -> (tempfile::TempDir, PathBuf) {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().canonicalize().unwrap().join("skill");
        fs::create_dir_all(root.join("a/b")).unwrap();
        (outer, root)
    }

    fn located(root: &Path, path: &str) -> Located {
        locate(root, &RelPath::parse(path).unwrap())
    }

    #[test]
    fn a_missing_path_is_located_by_the_target_of_its_symlinks() {
        let (_outer, root) = root();
        symlink("second", root.join("first")).unwrap();
        symlink("../gone", root.join("second")).unwrap();
        symlink("a/b", root.join("dir")).unwrap();
        symlink("../../gone", root.join("a/b/near")).unwrap();
        symlink("../../../gone", root.join("a/b/far")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        for outside in ["first", "second", "first/below", "dir/far"] {
            assert_eq!(located(&root, outside), Located::Outside, "{outside}");
        }
        for missing in ["dir/near", "gone", "loop", "loop/below"] {
            assert_eq!(located(&root, missing), Located::Missing, "{missing}");
        }
    }

    #[test]
    fn symlinks_out_of_the_skill_are_found_in_hidden_and_odd_paths() {
        use std::os::unix::ffi::OsStrExt;
        let (_outer, root) = root();
        let is_refused = |link: PathBuf| {
            symlink("/", &link).unwrap();
            let refused = SourceTree::read_closed(&root).is_err();
            fs::remove_file(link).unwrap();
            refused
        };
        fs::create_dir(root.join(".hidden")).unwrap();
        assert!(is_refused(root.join(".hidden/link")));
        assert!(is_refused(root.join(OsStr::from_bytes(b"\xff"))));
    }

    #[test]
    fn too_many_files_are_refused() {
        let (_outer, root) = root();
        for name in ["1", "2", "a/3", ".hidden"] {
            fs::write(root.join(name), "").unwrap();
        }
        assert!(SourceTree::walk(root.clone(), Links::Visible, 3).is_ok());
        let error = SourceTree::walk(root.clone(), Links::Visible, 2).unwrap_err();
        let expected = format!("reading '{}': more than 2 files", root.display());
        assert_eq!(error.message(), expected);
    }

    #[test]
    fn markdown_is_parsed_up_to_a_bound_main_file_first() {
        let (_outer, root) = root();
        for (name, mebibytes) in [
            ("0.md", 8),
            ("1.md", 1),
            ("2.md", 7),
            ("3.md", 7),
            ("4.md", 33),
            ("SKILL.md", 1),
        ] {
            let file = File::create(root.join(name)).unwrap();
            file.set_len(mebibytes << 20).unwrap();
        }
        let tree = SourceTree::read(&root).unwrap();
        let (parsed, left_out) = tree.parsed_markdown();
        let names = |entries: Vec<&WalkedFile>| -> Vec<String> {
            entries.iter().map(|entry| entry.path.to_string()).collect()
        };
        assert_eq!(names(parsed), ["0.md", "1.md", "SKILL.md"]);
        assert_eq!(names(left_out), ["2.md", "3.md", "4.md"]);
    }

    /// `SKILL.md` is read, no matter how many names its file has. Files with additional names are read as long as they
    /// fit into 256 KiB and into four times the size of the skill.
    #[test]
    fn a_file_with_many_names_is_read_under_a_bounded_number_of_them() {
        for (kibibytes, expected) in [(1, 2 * 4), (128, 2)] {
            let (_outer, root) = root();
            fs::write(root.join("a/real.md"), vec![b'a'; kibibytes << 10]).unwrap();
            fs::write(root.join("a/other.md"), vec![b'b'; kibibytes << 10]).unwrap();
            symlink("a/real.md", root.join("SKILL.md")).unwrap();
            for n in 0..300 {
                symlink("real.md", root.join(format!("a/{n:03}.md"))).unwrap();
            }
            let tree = SourceTree::read(&root).unwrap();
            let (parsed, left_out) = tree.parsed_markdown();
            // Two more files are read: `SKILL.md`, which is read first, and `a/other.md`.
            assert_eq!(
                (parsed.len(), left_out.len()),
                (expected + 2, 301 - expected)
            );
            let is_parsed = |path: &str| parsed.iter().any(|entry| entry.path.as_str() == path);
            assert!(is_parsed("SKILL.md") && is_parsed("a/other.md") && !is_parsed("a/real.md"));
        }
    }

    #[test]
    fn further_spellings_of_the_main_file_have_no_privileges() {
        let (_outer, root) = root();
        fs::write(root.join("SKILL.md"), vec![b'a'; 100 << 10]).unwrap();
        for name in ["SKILL.MD", "Skill.md", "sKILL.md", "skill.md"] {
            symlink("SKILL.md", root.join(name)).unwrap();
        }
        let tree = SourceTree::read(&root).unwrap();
        let (parsed, left_out) = tree.parsed_markdown();
        assert_eq!((parsed.len(), left_out.len()), (1 + 2, 2));
        assert_eq!(tree.main().unwrap().path.as_str(), "SKILL.md");
    }

    #[test]
    fn odd_names_in_hidden_directories_are_not_counted() {
        use std::os::unix::ffi::OsStrExt;
        let (_outer, root) = root();
        fs::create_dir(root.join(".hidden")).unwrap();
        fs::write(root.join(".hidden").join(OsStr::from_bytes(b"\xff")), "").unwrap();
        let tree = SourceTree::read_closed(&root).unwrap();
        assert_eq!(tree.left_out, LeftOut::default());
    }
}
