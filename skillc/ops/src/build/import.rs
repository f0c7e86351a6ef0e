//! Imports a skill from any folder into a store.
//!
//! The copy is made next to its destination and swapped in atomically: neither a failed nor a killed import loses the
//! existing skill.
//!
//! Design: D-BUILD-ARG, D-IMPORT-CONFLICT, D-NAME-SAFETY, C-DEPLOYMENT.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, Read};
#[cfg(unix)]
use std::path::Component;
use std::path::{Path, PathBuf};

use cap_std::fs::{Dir, DirBuilder, OpenOptions};
use skillc_catalog::Audience;
use skillc_core::contained::hold_dir;
use skillc_core::layout::{RuntimeDir, SKILL_FILE, Store, canonical};
use skillc_core::path::is_one_component;
use skillc_core::resolve::{nearest_store, skill_in};
#[cfg(unix)]
use skillc_core::source::link_end;
use skillc_core::source::{SizeCheck, hold, open_in};
use skillc_core::{Error, Result, SkillRef};

use crate::build::deploy::other_disk;
use crate::build::{BuildRequest, compile, scanned};
use crate::lookup::is_stub;
use crate::notes::Notes;
use crate::runtime::lock::{BuildLock, Wait};
use crate::runtime::manifest::Manifest;
use crate::staged::{Old, clear_leftovers, entry, remove_in, replace_in, sibling};
use crate::toolkit::Toolkit;
use crate::trash::Trash;
use skillc_core::shell::shell_word;

/// Entries that are not imported: version control metadata and skillc's own directory.
const NOT_COPIED: [&str; 5] = [".git", ".hg", ".jj", ".svn", ".skillc"];

/// An import that has been checked but not yet written. The rest of the build is checked before the import is written:
/// a copy that a failed build left in the store would take precedence over the original.
pub(crate) struct Import {
    /// The original skill.
    pub(crate) from: SkillRef,
    /// The skill in the store, which does not exist yet.
    pub(crate) at: SkillRef,
    store: Store,
    replaces: bool,
}

/// Plans to copy the skill at `from` into the project's store, or, with `--global`, into the user's store.
///
/// # Errors
/// The errors of [`compile::check`]; E012 if the skill's name cannot be a directory name; E050 if the store has a skill
/// of that name that may not be replaced; E100 if the destination is or contains the source, or if the source is build
/// output; E999 if the source is too large.
pub(crate) fn plan(toolkit: &Toolkit, from: SkillRef, request: &BuildRequest) -> Result<Import> {
    check_source(&from)?;
    let name = compile::check(&from)?.name;
    if !is_one_component(&name) || name.starts_with('.') {
        let file = from.source.join(SKILL_FILE);
        let hint = format!(
            "The 'name' in '{}' becomes the folder's name: use only a-z, 0-9 and hyphens.",
            file.display()
        );
        return Err(Error::PathEscapes {
            path: name,
            hint: Some(hint.into()),
        });
    }
    let context = &toolkit.context;
    let store = if request.global {
        Store::global(context)
    } else {
        nearest_store(context)
    };
    let to = store.source(&name);
    check_overlap(&from.canonical, &to)?;
    check_sizes(&from.canonical)?;
    let import = Import {
        at: skill_in(context, &from.asked, &name, to, store.clone()),
        from,
        store,
        // The skill in the store may be the user's work: a model must not replace it.
        replaces: request.force && toolkit.audience == Audience::Person,
    };
    import.check_free()?;
    Ok(import)
}

impl Import {
    /// Copies the skill under a temporary name, and scans the copy, not the original, which another process may change
    /// at any time. A skill that the copy replaces goes to the trash.
    ///
    /// Returns the skill in the store, and the directory that the skill was copied from.
    ///
    /// # Errors
    /// E050 if a skill of that name has appeared in the store in the meantime; E062 if the scan blocks the skill; E999
    /// if the copy cannot be written. In each case, no skill is added.
    pub(crate) fn run(self, toolkit: &Toolkit, notes: &mut Notes) -> Result<(SkillRef, PathBuf)> {
        let home = &toolkit.context.home;
        let (to, skills) = (&self.at.source, self.store.skills());
        let held = hold_dir(home, &skills)?;
        let lock = self.store.import_lock();
        let _lock = BuildLock::acquire(&lock, &self.at.name, Wait::new(toolkit))?;
        clear_leftovers(&held);
        self.check_free()?;
        let from = &self.from.canonical;
        let new = sibling(to, "new");
        let new = entry(&new);
        let fail = |e: io::Error| match e.kind() {
            io::ErrorKind::CrossesDevices => other_disk(&toolkit.context, to),
            _ => Error::io("writing", to, &e),
        };
        let replaced = copy(from, &held, new).and_then(|()| {
            let copied = to.with_file_name(new);
            scanned::check(toolkit, (&self.from, &copied), &self.at.name, notes)?;
            let is_there = to.symlink_metadata().is_ok();
            let trash = is_there.then(|| Trash::open(&toolkit.context));
            let trash = trash.transpose().map_err(fail)?;
            let old = trash.as_ref().map_or(Old::Removed(None), Old::Kept);
            replace_in(&held, new, to, old).map_err(fail)
        });
        if replaced.is_err() {
            remove_in(&held, new);
        }
        notes.replaced(to, replaced?);
        let Self {
            from, at, store, ..
        } = self;
        let SkillRef {
            asked,
            name,
            source,
            ..
        } = at;
        // Resolve again: the directory exists now, so its canonical path is known.
        let at = skill_in(&toolkit.context, &asked, &name, source, store);
        Ok((at, from.source))
    }

    fn check_free(&self) -> Result<()> {
        let to = &self.at.source;
        if self.replaces || to.symlink_metadata().is_err() {
            return Ok(());
        }
        Err(Error::SkillExists {
            skill: self.at.name.clone(),
            hint: Some(taken(&self.from.source, to).into()),
        })
    }
}

/// Makes sure that a directory is not build output: a stub imported over its own source would destroy the source.
///
/// Design: D-RUNTIME-FALLBACK.
pub(super) fn check_source(from: &SkillRef) -> Result<()> {
    if !is_stub(&from.canonical) {
        return Ok(());
    }
    // If the manifest is damaged, use the directory's name.
    let built = Manifest::read(&RuntimeDir(from.canonical.clone()).manifest());
    let name = built.map_or_else(|| from.name.clone(), |built| built.skill);
    Err(Error::InvalidOption {
        message: format!("'{}' is build output, not a skill's source", from.source.display()),
        hint: Some(
            format!(
                "Its source is missing or was replaced by another skill. Build skill '{name}' by the path of its source, \
                 or remove the stub with: skc clean"
            )
            .into(),
        ),
    })
}

/// Returns the hint for a store that already has a skill of that name.
fn taken(from: &Path, to: &Path) -> String {
    format!(
        "To replace the skill in the store with '{}', use --force.\nTo build the skill in the store: skc build {}",
        from.display(),
        shell_word(&to.display().to_string())
    )
}

fn check_overlap(from: &Path, to: &Path) -> Result<()> {
    let real = canonical(to);
    let overlaps = real == from || from.starts_with(&real);
    if !overlaps {
        return Ok(());
    }
    let message = format!(
        "cannot import '{}' into '{}', which contains it",
        from.display(),
        to.display()
    );
    Err(Error::invalid_option(message))
}

/// Copies a directory, given by its canonical path, to a new directory in `to`.
fn copy(from: &Path, to: &Dir, name: &OsStr) -> Result<()> {
    let held = hold(from).map_err(|e| Error::io("reading", from, &e))?;
    let made =
        create_dir(to, name, &held).map_err(|e| Error::io("creating", Path::new(name), &e))?;
    let mut copying = Copying {
        root: from,
        sizes: SizeCheck::default(),
    };
    copying.dir(&held, &made, Path::new(""))
}

/// A recursive copy that goes only through open directory handles, so that no directory can be replaced with a symlink
/// during the copy (a race).
struct Copying<'a> {
    /// The canonical root of the source.
    root: &'a Path,
    /// Checks the sizes again: the files may have grown since [`check_sizes`].
    sizes: SizeCheck,
}

impl Copying<'_> {
    /// Copies the subdirectories, symlinks and regular files of a directory, but no other entries. Executable files
    /// stay executable.
    ///
    /// `below`: the directory's path relative to the root.
    fn dir(&mut self, from: &Dir, to: &Dir, below: &Path) -> Result<()> {
        let root = self.root;
        let shown = root.join(below);
        let fail = |e: io::Error| Error::io("reading", &shown, &e);
        for entry in from.entries().map_err(fail)? {
            let entry = entry.map_err(fail)?;
            let name = entry.file_name();
            if NOT_COPIED.iter().any(|other| name == OsStr::new(other)) {
                continue;
            }
            let path = below.join(&name);
            let fail = |e: io::Error| Error::io("copying", &root.join(&path), &e);
            let kind = entry.file_type().map_err(fail)?;
            if kind.is_dir() {
                let inner = from.open_dir(&name).map_err(fail)?;
                let made = create_dir(to, &name, &inner).map_err(fail)?;
                self.dir(&inner, &made, &path)?;
            } else if kind.is_symlink() {
                self.link((from, &path), to)?;
            } else if kind.is_file() {
                self.file((from, &path), to)?;
            }
        }
        Ok(())
    }

    /// Copies a symlink. If its target is below the root, but its target path is absolute or goes above the root, the
    /// symlink is rewritten to point into the copy.
    #[cfg(unix)]
    fn link(&self, (from, path): (&Dir, &Path), to: &Dir) -> Result<()> {
        let link = self.root.join(path);
        let fail = |e: io::Error| Error::io("copying the link", &link, &e);
        let text = from.read_link_contents(entry(path)).map_err(fail)?;
        let dir = path.parent().unwrap_or(path);
        if text.is_relative() && stays_below(dir, &text) {
            return to.symlink_contents(text, entry(path)).map_err(fail);
        }
        let target = link.canonicalize().unwrap_or_else(|_| link_end(&link));
        let target = target.strip_prefix(self.root).map_or(text, |inside| {
            let up = std::iter::repeat_n("..", dir.components().count());
            // Without the `.`, the target of a symlink to the root itself would be empty, which no system accepts.
            Path::new(".").join(up.collect::<PathBuf>()).join(inside)
        });
        to.symlink_contents(target, entry(path)).map_err(fail)
    }

    /// Copies the target of a symlink.
    #[cfg(not(unix))]
    fn link(&mut self, from: (&Dir, &Path), to: &Dir) -> Result<()> {
        self.file(from, to)
    }

    /// Copies a file, up to the size it had when it was opened. Skips a file that has disappeared, or is no longer a
    /// regular file.
    fn file(&mut self, (from, path): (&Dir, &Path), to: &Dir) -> Result<()> {
        let shown = self.root.join(path);
        let fail = |e: io::Error| Error::io("copying", &shown, &e);
        let name = entry(path);
        let opened = match open_in(from, name, OpenOptions::new().read(true)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            opened => opened.map_err(fail)?,
        };
        let Some((file, metadata)) = opened else {
            return Ok(());
        };
        self.sizes.add(&shown, metadata.len())?;
        let mut copy = create_copy(to, name, &metadata).map_err(fail)?;
        io::copy(&mut file.take(metadata.len()), &mut copy).map_err(fail)?;
        Ok(())
    }
}

/// Returns the mode of a copy: the mode of the source without special bits, without write permission for the group and
/// others, and with the owner's permissions in `least`. The source may belong to another user: its set-user-id bit, or
/// write permission for others, would let that user run programs as the current user.
#[cfg(unix)]
fn mode_of(mode: u32, least: u32) -> u32 {
    mode & 0o755 | least
}

/// Creates a file of the copy.
fn create_copy(to: &Dir, name: &OsStr, source: &Metadata) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;

        use cap_std::fs::OpenOptionsExt;
        // The umask applies as well.
        options.mode(mode_of(source.permissions().mode(), 0o600));
    }
    #[cfg(not(unix))]
    let _ = source;
    Ok(to.open_with(name, &options)?.into_std())
}

/// Creates a directory of the copy, which only this user may write to.
fn create_dir(to: &Dir, name: &OsStr, source: &Dir) -> io::Result<Dir> {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "other systems have no mode"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    {
        use cap_std::fs::{DirBuilderExt, PermissionsExt};
        builder.mode(mode_of(source.dir_metadata()?.permissions().mode(), 0o700));
    }
    #[cfg(not(unix))]
    let _ = source;
    to.create_dir_with(name, &builder)?;
    to.open_dir(name)
}

/// Returns whether a symlink in `dir`, relative to the root, stays below the root at every step of its target.
#[cfg(unix)]
fn stays_below(dir: &Path, text: &Path) -> bool {
    let mut depth = dir.components().count();
    text.components().all(|component| {
        match component {
            Component::ParentDir if depth == 0 => return false,
            Component::ParentDir => depth -= 1,
            Component::CurDir => {}
            _ => depth += 1,
        }
        true
    })
}

/// Makes sure that the files of a directory are small enough to be copied into a store, before anything is copied.
///
/// A sparse file takes up its full size on disk once it is copied. Hidden files are not part of a skill, but they are
/// copied, too.
///
/// # Errors
/// E999 if a file is too large, if all files together are too large, or if a directory cannot be read.
fn check_sizes(from: &Path) -> Result<()> {
    let mut check = SizeCheck::default();
    let mut dirs = vec![from.to_path_buf()];
    while let Some(dir) = dirs.pop() {
        let fail = |e: &io::Error| Error::io("reading", &dir, e);
        for entry in dir.read_dir().map_err(|e| fail(&e))? {
            let entry = entry.map_err(|e| fail(&e))?;
            let name = entry.file_name();
            if NOT_COPIED.iter().any(|other| name == OsStr::new(other)) {
                continue;
            }
            let kind = entry.file_type().map_err(|e| fail(&e))?;
            if kind.is_dir() {
                dirs.push(entry.path());
            } else if kind.is_file() {
                let size = entry.metadata().map_err(|e| fail(&e))?.len();
                check.add(&entry.path(), size)?;
            }
        }
    }
    Ok(())
}
