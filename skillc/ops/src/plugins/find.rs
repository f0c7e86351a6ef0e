//! Finds scripts and detects changes to them. No script is read here.
//!
//! Nothing is loaded from a skill: a folder of scripts inside a skill is ignored, whatever the working directory.
//! Symlinks that lead out of a folder of scripts are ignored, too. To load such a script, name it explicitly.
//!
//! Design: R5, R20.

use std::fs::Metadata;
use std::path::{Path, PathBuf};

use skillc_core::Context;
use skillc_core::contained::check_project;
use skillc_core::layout::{Store, canonical, project_roots};
use skillc_core::resolve::main_file;
use skillc_core::source::Stamp;

use super::pack::PACK_FILE;
use super::walk::{Walk, WalkedScript};

/// The name of the folder of scripts in a `.skillc` folder.
pub(crate) const FOLDER: &str = "plugins";

/// The entries that mark the top directory of a project. Folders above it do not belong to the project.
const TOPS: [&str; 3] = [".git", ".jj", ".skillc"];

/// The maximum depth of the search for scripts.
pub(super) const MAX_DEPTH: usize = 8;

/// The folders to search for scripts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Places {
    /// The project's folder, if there is a project, then the user's folder, in the order of loading; the folders need
    /// not exist. Of two scripts that claim the same name, the first wins.
    pub(crate) folders: Vec<PathBuf>,
    /// The nearest script folder of a project that exists but is ignored because it is inside a skill.
    in_skill: Option<PathBuf>,
}

/// The result of a search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FoundScripts {
    /// The scripts, in the order of loading.
    pub(crate) scripts: Vec<FoundScript>,
    /// Notices about files that were left out for reasons other than a fault.
    pub(crate) notices: Vec<String>,
    /// Folders from which nothing is loaded, each with the reason. Faults of named folders are in `missing`.
    pub(crate) faults: Vec<(PathBuf, String)>,
    /// Files and folders that look like scripts but are not loaded, each with the reason.
    pub(crate) left_out: Vec<(PathBuf, String)>,
    /// Case files without their script.
    pub(crate) orphans: Vec<PathBuf>,
    /// Named paths that do not exist, are not scripts, or contain no scripts or too many files.
    pub(crate) missing: Vec<String>,
    /// The stamps of all files that affect what is loaded, to detect changes.
    pub(crate) stamps: Vec<(PathBuf, Stamp)>,
}

/// A script on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundScript {
    pub(crate) path: PathBuf,
    /// The `pack.toml` of the innermost pack that contains the script.
    pub(crate) pack: Option<PathBuf>,
    /// Whether the script was named on the command line.
    pub(crate) is_named: bool,
    /// The canonical root of the project, if the script is in the project's folder. Such a script can come with the
    /// repository and is untrusted.
    pub(crate) project: Option<PathBuf>,
    /// The canonical path of the folder that was searched, if the script was found in one.
    within: Option<PathBuf>,
}

impl FoundScript {
    /// Returns the canonical directories that must contain the script and its pack when they are read.
    pub(super) fn tops(&self) -> Vec<&Path> {
        let tops = [&self.within, &self.project].into_iter().flatten();
        tops.map(PathBuf::as_path).collect()
    }
}

impl Places {
    /// Returns the user's folder, and the folder of the nearest project that is neither a skill nor inside one.
    pub(crate) fn new(context: &Context) -> Self {
        let mut places = Self::default();
        // A repository must not use a symlink to load scripts from outside the repository.
        let stores = project_roots(context).into_iter().map(Store::project);
        let stores = stores.filter(|store| check_project(store).is_ok());
        for folder in stores.map(|store| store.dir().join(FOLDER)) {
            if !lies_in_skill(&folder) {
                places.folders.push(folder);
                break;
            }
            if places.in_skill.is_none() && folder.is_dir() {
                places.in_skill = Some(folder);
            }
        }
        places
            .folders
            .push(Store::global(context).dir().join(FOLDER));
        places
    }

    /// Returns the project's folder, existing or not; `None` if there is no project.
    pub(crate) fn project_folder(&self) -> Option<&PathBuf> {
        self.folders.first().filter(|_| self.folders.len() > 1)
    }

    /// Searches these folders, then the named paths.
    ///
    /// `named`: absolute paths of files and folders.
    pub(crate) fn look(&self, named: &[PathBuf]) -> FoundScripts {
        let mut found = FoundScripts::default();
        found.add_folders(&self.folders);
        let folder = self.project_folder();
        let root = folder.and_then(|folder| folder.ancestors().nth(2));
        let root = root.map(canonical);
        for script in &mut found.scripts {
            let is_of_project = folder.is_some_and(|folder| script.path.starts_with(folder));
            script.project = root.clone().filter(|_| is_of_project);
        }
        if let Some(folder) = &self.in_skill {
            found.notices.push(format!(
                "'{}' is inside a skill, so its scripts are not loaded; to load them, use --plugin",
                folder.display()
            ));
        }
        for path in named {
            found.add_named(path);
        }
        found
    }
}

impl FoundScripts {
    /// Searches only these folders, which were not named on the command line; those that do not exist are ignored.
    pub(crate) fn in_folders(folders: &[PathBuf]) -> Self {
        let mut found = Self::default();
        found.add_folders(folders);
        found
    }

    fn add_folders(&mut self, folders: &[PathBuf]) {
        for folder in folders.iter().filter(|folder| folder.is_dir()) {
            self.add_folder(folder, false);
        }
    }

    /// Searches only the named paths.
    pub(crate) fn named(paths: &[PathBuf]) -> Self {
        let mut found = Self::default();
        for path in paths {
            found.add_named(path);
        }
        found
    }

    fn add_named(&mut self, path: &Path) {
        let Ok(metadata) = path.metadata() else {
            let missing = format!("'{}' does not exist", path.display());
            self.missing.push(missing);
            return;
        };
        if metadata.is_dir() {
            self.add_folder(path, true);
        } else if metadata.is_file() {
            let pack = pack_above(path);
            if let Some((file, stamp)) = &pack {
                self.stamps.push((file.clone(), *stamp));
            }
            let pack = pack.map(|(file, _)| file);
            self.add_script(
                path.to_path_buf(),
                Stamp::from_metadata(&metadata),
                (pack, None),
                true,
            );
        } else {
            let missing = format!("'{}' is neither a file nor a folder", path.display());
            self.missing.push(missing);
        }
    }

    /// Adds a script, with its pack and the folder that was searched.
    fn add_script(
        &mut self,
        path: PathBuf,
        stamp: Stamp,
        (pack, within): (Option<PathBuf>, Option<PathBuf>),
        is_named: bool,
    ) {
        self.stamps.push((path.clone(), stamp));
        // A named script may also be in a folder that was searched.
        let is_known = |known: &FoundScript| canonical(&known.path) == canonical(&path);
        if let Some(known) = self.scripts.iter_mut().find(|known| is_known(known)) {
            known.is_named |= is_named;
            known.pack = known.pack.take().or(pack);
            return;
        }
        self.scripts.push(FoundScript {
            path,
            pack,
            is_named,
            project: None,
            within,
        });
    }

    fn add_folder(&mut self, root: &Path, is_named: bool) {
        let walk = match Walk::over(root) {
            Ok(walk) => walk,
            Err(reason) if is_named => {
                let missing = format!("'{}': {reason}", root.display());
                return self.missing.push(missing);
            }
            Err(reason) => return self.faults.push((root.to_path_buf(), reason)),
        };
        let Walk {
            root,
            mut scripts,
            packs,
            left_out,
            orphans,
            ..
        } = walk;
        self.left_out.extend(left_out);
        self.orphans.extend(orphans);
        if is_named && scripts.is_empty() {
            let missing = format!("no script in '{}'", root.display());
            self.missing.push(missing);
        }
        self.stamps.extend(packs);
        scripts.sort_by(|one, other| {
            let bytes = |script: &WalkedScript| script.path.as_os_str().as_encoded_bytes().to_vec();
            bytes(one).cmp(&bytes(other))
        });
        for WalkedScript { path, stamp, pack } in scripts {
            self.add_script(path, stamp, (pack, Some(root.clone())), is_named);
        }
    }
}

/// Returns the files that affect what is loaded from these scripts and folders of scripts. Places that do not exist are
/// ignored.
pub(crate) fn files_of(places: &[PathBuf]) -> Vec<(PathBuf, Stamp)> {
    let there: Vec<PathBuf> = places
        .iter()
        .filter(|path| path.exists())
        .cloned()
        .collect();
    FoundScripts::named(&there).stamps
}

/// Returns whether a folder is in a skill or is a skill itself, according to its path or its canonical path.
pub(crate) fn lies_in_skill(folder: &Path) -> bool {
    let is_in = |path: &Path| path.ancestors().any(|dir| main_file(dir).is_some());
    is_in(folder) || is_in(&canonical(folder))
}

/// Returns the `pack.toml` of the innermost pack around an individually named script: in the script's folder or above,
/// up to a folder of scripts or the top of a project.
fn pack_above(script: &Path) -> Option<(PathBuf, Stamp)> {
    for dir in script.ancestors().skip(1).take(MAX_DEPTH) {
        let file = dir.join(PACK_FILE);
        let is_within = || canonical(&file).starts_with(canonical(dir));
        let metadata = file.metadata().ok().filter(Metadata::is_file);
        if let Some(metadata) = metadata.filter(|_| is_within()) {
            return Some((file, Stamp::from_metadata(&metadata)));
        }
        if dir.ends_with(Path::new(".skillc").join(FOLDER))
            || TOPS.iter().any(|top| dir.join(top).exists())
        {
            return None;
        }
    }
    None
}
