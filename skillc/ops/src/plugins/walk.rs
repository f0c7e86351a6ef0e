//! Walks a folder of scripts, recursively.
//!
//! Symlinks are followed only within the folder, and no file is opened. An entry that looks like a script but is not
//! loaded is recorded with the reason, because its author expects it to be loaded.
//!
//! Design: R5, R20.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use skillc_core::layout::canonical;
use skillc_core::resolve::main_file;
use skillc_core::source::Stamp;

use super::CASES;
use super::find::MAX_DEPTH;
use super::pack::PACK_FILE;

/// The extension of a script.
pub(crate) const EXTENSION: &str = "rhai";

/// The maximum number of entries in a folder of scripts, including nested folders.
const MAX_ENTRIES: usize = 1_000;

/// The maximum number of scripts in a folder.
const MAX_SCRIPTS: usize = 200;

pub(super) struct WalkedScript {
    pub(super) path: PathBuf,
    pub(super) stamp: Stamp,
    pub(super) pack: Option<PathBuf>,
}

/// The result of walking a folder.
pub(super) struct Walk {
    /// The canonical path of the folder.
    pub(super) root: PathBuf,
    entries: usize,
    /// Canonical paths of visited folders and scripts: each is visited once, so that symlink cycles end.
    seen: BTreeSet<PathBuf>,
    pub(super) scripts: Vec<WalkedScript>,
    pub(super) packs: Vec<(PathBuf, Stamp)>,
    /// Files and folders that look like scripts but are not loaded, each with the reason.
    pub(super) left_out: Vec<(PathBuf, String)>,
    /// Case files without their script.
    pub(super) orphans: Vec<PathBuf>,
}

/// Returns the files that determine what is loaded from a folder of scripts, or from a single script, in order.
pub(crate) fn files_of_scripts(place: &Path) -> Vec<PathBuf> {
    if place.is_file() {
        return vec![place.to_path_buf()];
    }
    // Nothing is loaded from a folder that exceeds a limit.
    let Ok(walk) = Walk::over(place) else {
        return Vec::new();
    };
    let scripts = walk.scripts.into_iter().map(|script| script.path);
    scripts
        .chain(walk.packs.into_iter().map(|(pack, _)| pack))
        .collect()
}

impl Walk {
    /// Walks a folder.
    ///
    /// # Errors
    /// Returns the limit that the folder exceeds: nothing in the folder is then loaded.
    pub(super) fn over(root: &Path) -> Result<Self, String> {
        let mut walk = Self {
            root: canonical(root),
            entries: 0,
            seen: BTreeSet::new(),
            scripts: Vec::new(),
            packs: Vec::new(),
            left_out: Vec::new(),
            orphans: Vec::new(),
        };
        walk.folder(root, None, 0)?;
        Ok(walk)
    }

    /// Walks a folder recursively, in bytewise order of names.
    fn folder(&mut self, dir: &Path, pack: Option<&Path>, depth: usize) -> Result<(), String> {
        if !self.seen.insert(canonical(dir)) {
            return Ok(());
        }
        if depth > MAX_DEPTH {
            return Err(format!("folders nested more than {MAX_DEPTH} deep"));
        }
        let names = self.names(dir)?;
        let own = self.pack_in(dir);
        let pack = own.as_deref().or(pack);
        for name in names {
            let path = dir.join(&name);
            match path.metadata() {
                Err(_) => self.leave_dangling(path),
                Ok(found) if !self.is_within(&path) => self.leave_outside(path, &found),
                Ok(found) if found.is_dir() => self.inner_folder(&path, pack, depth + 1)?,
                Ok(found) => self.file(path, &found, pack)?,
            }
        }
        Ok(())
    }

    /// Returns the entries of a folder, sorted, except hidden ones.
    fn names(&mut self, dir: &Path) -> Result<Vec<OsString>, String> {
        let entries = match dir.read_dir() {
            Ok(entries) => entries,
            Err(error) => {
                self.leave(dir.to_path_buf(), format!("cannot be read: {error}"));
                return Ok(Vec::new());
            }
        };
        let mut names = Vec::new();
        for entry in entries.flatten() {
            self.entries += 1;
            if self.entries > MAX_ENTRIES {
                return Err(format!("more than {MAX_ENTRIES} entries"));
            }
            names.push(entry.file_name());
        }
        names.retain(|name| !name.as_encoded_bytes().starts_with(b"."));
        names.sort_by(|one, other| one.as_encoded_bytes().cmp(other.as_encoded_bytes()));
        Ok(names)
    }

    /// Returns the `pack.toml` of a folder.
    fn pack_in(&mut self, dir: &Path) -> Option<PathBuf> {
        let file = dir.join(PACK_FILE);
        let found = file.metadata().ok().filter(Metadata::is_file)?;
        if !self.is_within(&file) {
            return None;
        }
        self.packs
            .push((file.clone(), Stamp::from_metadata(&found)));
        Some(file)
    }

    fn inner_folder(
        &mut self,
        dir: &Path,
        pack: Option<&Path>,
        depth: usize,
    ) -> Result<(), String> {
        if main_file(dir).is_some() {
            return Ok(());
        }
        let before = self.scripts.len();
        self.folder(dir, pack, depth)?;
        if is_script(dir) && self.scripts.len() == before {
            self.leave(dir.to_path_buf(), "a folder, not a script");
        }
        Ok(())
    }

    fn file(&mut self, path: PathBuf, found: &Metadata, pack: Option<&Path>) -> Result<(), String> {
        if !is_script(&path) {
            if is_orphan(&path) {
                self.orphans.push(path);
            }
        } else if !found.is_file() {
            self.leave(path, "neither a file nor a folder");
        } else if self.seen.insert(canonical(&path)) {
            if self.scripts.len() == MAX_SCRIPTS {
                return Err(format!("more than {MAX_SCRIPTS} scripts"));
            }
            self.scripts.push(WalkedScript {
                stamp: Stamp::from_metadata(found),
                pack: pack.map(Path::to_path_buf),
                path,
            });
        }
        Ok(())
    }

    /// Records a dangling link that may have been meant to point to a script or a folder.
    fn leave_dangling(&mut self, path: PathBuf) {
        if path.is_symlink() && (is_script(&path) || path.extension().is_none()) {
            self.leave(path, "a dangling symlink");
        }
    }

    /// Records a symlink that leads out of the folder.
    fn leave_outside(&mut self, path: PathBuf, found: &Metadata) {
        if found.is_dir() || is_script(&path) {
            self.leave(path, "a symlink that leads out of its folder");
        }
    }

    fn leave(&mut self, path: PathBuf, reason: impl Into<String>) {
        self.left_out.push((path, reason.into()));
    }

    fn is_within(&self, path: &Path) -> bool {
        path.canonicalize()
            .is_ok_and(|real| real.starts_with(&self.root))
    }
}

fn is_script(path: &Path) -> bool {
    path.extension().is_some_and(|found| found == EXTENSION)
}

/// Returns whether a file is a case file whose script is missing.
fn is_orphan(path: &Path) -> bool {
    script_of_cases(path).is_some_and(|script| script.symlink_metadata().is_err())
}

/// Returns the script that a case file belongs to, which need not exist; `None` for other files.
pub(crate) fn script_of_cases(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let stem = name.strip_suffix(CASES)?.strip_suffix('.')?;
    Some(path.with_file_name(format!("{stem}.{EXTENSION}")))
}
