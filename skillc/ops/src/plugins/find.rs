//! Where scripts are, and whether one of them has changed. No script is read here.
//!
//! Nothing comes from a skill: a folder of scripts that lies in one is left out, whatever the working directory is, and so is
//! what links lead to outside the folder. Who wants such scripts names them.
//!
//! Source: RULINGS R5, R20.

use std::fs::Metadata;
use std::path::{Path, PathBuf};

use skillc_core::Context;
use skillc_core::contained::check_project;
use skillc_core::layout::{Store, canonical, project_roots};
use skillc_core::resolve::main_file;
use skillc_core::source::Stamp;

use super::pack::PACK_FILE;
use super::walk::{Walk, WalkedScript};

/// The folder of scripts within a `.skillc` folder.
pub(crate) const FOLDER: &str = "plugins";

/// What a folder has that is the top of a project: what lies above is somebody else's.
const TOPS: [&str; 3] = [".git", ".jj", ".skillc"];

/// How deep folders are looked into.
pub(super) const MAX_DEPTH: usize = 8;

/// Where scripts are looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Places {
    /// The project's folder, if there is a project, and the home folder's, there or not, in the order of loading: of two
    /// that claim the same the first stays.
    pub(crate) folders: Vec<PathBuf>,
    /// A folder that lies in a skill, and would have been the project's.
    in_skill: Option<PathBuf>,
}

/// What is there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// In the order of loading.
    pub(crate) scripts: Vec<FoundScript>,
    /// What is left out for a reason that is no fault.
    pub(crate) notices: Vec<String>,
    /// Folders of which nothing is loaded, and why; those that were named are missing.
    pub(crate) faults: Vec<(PathBuf, String)>,
    /// What is in the folders, looks like a script and is none that is loaded, and why.
    pub(crate) left_out: Vec<(PathBuf, String)>,
    /// Cases without their script.
    pub(crate) orphans: Vec<PathBuf>,
    /// What was named and is not there, is no script, or is too much.
    pub(crate) missing: Vec<String>,
    /// Every file that counts: when one of these is another, so is what is loaded.
    pub(crate) stamps: Vec<(PathBuf, Stamp)>,
}

/// A script on the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundScript {
    pub(crate) path: PathBuf,
    /// The `pack.toml` of the innermost pack that it is in.
    pub(crate) pack: Option<PathBuf>,
    /// Whether it was named on the command line.
    pub(crate) is_named: bool,
    /// The root of the project, canonical, if it is in the folder of one: the repository may have brought it along.
    pub(crate) project: Option<PathBuf>,
}

impl Places {
    /// Returns the user's folder, and that of the nearest project that is no skill and lies in none.
    pub(crate) fn of(context: &Context) -> Self {
        let mut places = Self::default();
        // The scripts of a project are its own: nothing is loaded from where a link leads out of it.
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

    /// Returns the project's folder, there or not; `None` if there is no project.
    pub(crate) fn of_project(&self) -> Option<&PathBuf> {
        self.folders.first().filter(|_| self.folders.len() > 1)
    }

    /// Looks for scripts there, and then in what was named.
    ///
    /// `named`: files and folders, absolute.
    pub(crate) fn look(&self, named: &[PathBuf]) -> Found {
        let mut found = Found::default();
        found.add_folders(&self.folders);
        let folder = self.of_project();
        let root = folder.and_then(|folder| folder.ancestors().nth(2));
        let root = root.map(canonical);
        for script in &mut found.scripts {
            let is_of_project = folder.is_some_and(|folder| script.path.starts_with(folder));
            script.project = root.clone().filter(|_| is_of_project);
        }
        if let Some(folder) = &self.in_skill {
            found.notices.push(format!(
                "'{}' is in a skill, and no skill brings rules of its own; if they are yours: --plugin",
                folder.display()
            ));
        }
        for path in named {
            found.add_named(path);
        }
        found
    }
}

impl Found {
    /// Looks only in folders that nobody named, there or not.
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

    /// Looks only in what is named.
    pub(crate) fn named(paths: &[PathBuf]) -> Self {
        let mut found = Self::default();
        for path in paths {
            found.add_named(path);
        }
        found
    }

    fn add_named(&mut self, path: &Path) {
        let Ok(metadata) = path.metadata() else {
            let missing = format!("there is no '{}'", path.display());
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
            self.add_script(path.to_path_buf(), Stamp::of(&metadata), pack, true);
        } else {
            let missing = format!("'{}' is neither a file nor a folder", path.display());
            self.missing.push(missing);
        }
    }

    fn add_script(&mut self, path: PathBuf, stamp: Stamp, pack: Option<PathBuf>, is_named: bool) {
        self.stamps.push((path.clone(), stamp));
        // The same script may have been found in a folder and be named, too.
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
            mut scripts,
            packs,
            left_out,
            orphans,
            ..
        } = walk;
        self.left_out.extend(left_out);
        self.orphans.extend(orphans);
        if is_named && scripts.is_empty() {
            let missing = format!("there is no script in '{}'", root.display());
            self.missing.push(missing);
        }
        self.stamps.extend(packs);
        scripts.sort_by(|one, other| {
            let bytes = |script: &WalkedScript| script.path.as_os_str().as_encoded_bytes().to_vec();
            bytes(one).cmp(&bytes(other))
        });
        for WalkedScript { path, stamp, pack } in scripts {
            self.add_script(path, stamp, pack, is_named);
        }
    }
}

/// Returns the files that count of folders of scripts and of scripts, there or not.
pub(crate) fn files_of(places: &[PathBuf]) -> Vec<(PathBuf, Stamp)> {
    let there: Vec<PathBuf> = places
        .iter()
        .filter(|path| path.exists())
        .cloned()
        .collect();
    Found::named(&there).stamps
}

/// Says whether a folder is a skill's or lies in a skill, by its name or by where that leads.
pub(crate) fn lies_in_skill(folder: &Path) -> bool {
    let is_in = |path: &Path| path.ancestors().any(|dir| main_file(dir).is_some());
    is_in(folder) || is_in(&canonical(folder))
}

/// Returns the `pack.toml` of the innermost pack that a script is in which was named alone: in its folder, or in one above up
/// to a folder of scripts, or up to what has one.
fn pack_above(script: &Path) -> Option<(PathBuf, Stamp)> {
    for dir in script.ancestors().skip(1).take(MAX_DEPTH) {
        let file = dir.join(PACK_FILE);
        let is_within = || canonical(&file).starts_with(canonical(dir));
        let metadata = file.metadata().ok().filter(Metadata::is_file);
        if let Some(metadata) = metadata.filter(|_| is_within()) {
            return Some((file, Stamp::of(&metadata)));
        }
        if dir.ends_with(Path::new(".skillc").join(FOLDER))
            || TOPS.iter().any(|top| dir.join(top).exists())
        {
            return None;
        }
    }
    None
}
