//! Where scripts are, and whether one of them has changed. No script is read here.
//!
//! Nothing comes from a skill: a folder of scripts that lies in one is left out, whatever the working directory is, and so is
//! what links lead to outside the folder. Who wants such scripts names them.
//!
//! Source: RULINGS R5, R20.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use skillc_core::Context;
use skillc_core::layout::{Store, canonical, project_roots};
use skillc_core::resolve::main_file;
use skillc_core::source::Stamp;

use crate::plugins::pack::PACK_FILE;

/// The extension of a script.
pub(crate) const EXTENSION: &str = "rhai";

/// The folder of scripts within a `.skillc` folder.
pub(crate) const FOLDER: &str = "plugins";

/// What a folder has that is the top of a project: what lies above is somebody else's.
const TOPS: [&str; 3] = [".git", ".jj", ".skillc"];

/// How deep folders are looked into.
const MAX_DEPTH: usize = 8;

/// The most entries of a folder of scripts, those of its folders included.
const MAX_ENTRIES: usize = 1_000;

/// The most scripts of a folder.
const MAX_SCRIPTS: usize = 200;

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
    /// What was named and is not there, is no script, or is too much.
    pub(crate) missing: Option<String>,
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
}

impl Places {
    /// Returns the user's folder, and that of the nearest project that is no skill and lies in none.
    pub(crate) fn of(context: &Context) -> Self {
        let folder_in = |root: PathBuf| Store::project(root).dir().join(FOLDER);
        let mut places = Self::default();
        for folder in project_roots(context).into_iter().map(folder_in) {
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
            self.missing.get_or_insert(missing);
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
            self.missing.get_or_insert(missing);
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
        });
    }

    fn add_folder(&mut self, root: &Path, is_named: bool) {
        let mut walk = Walk {
            root: canonical(root),
            entries: 0,
            seen: BTreeSet::new(),
            scripts: Vec::new(),
            packs: Vec::new(),
            outside: Vec::new(),
        };
        if let Err(reason) = walk.folder(root, None, 0) {
            if is_named {
                let missing = format!("'{}': {reason}", root.display());
                self.missing.get_or_insert(missing);
            } else {
                self.faults.push((root.to_path_buf(), reason));
            }
            return;
        }
        let Walk {
            mut scripts,
            packs,
            outside,
            ..
        } = walk;
        for path in outside {
            self.notices.push(format!(
                "'{}' is a link that leads out of its folder",
                path.display()
            ));
        }
        if is_named && scripts.is_empty() {
            let missing = format!("there is no script in '{}'", root.display());
            self.missing.get_or_insert(missing);
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

struct WalkedScript {
    path: PathBuf,
    stamp: Stamp,
    pack: Option<PathBuf>,
}

struct Walk {
    /// Canonical.
    root: PathBuf,
    entries: usize,
    /// Folders and scripts that links led to or that were met, canonical: each counts once.
    seen: BTreeSet<PathBuf>,
    scripts: Vec<WalkedScript>,
    packs: Vec<(PathBuf, Stamp)>,
    /// Links that lead out.
    outside: Vec<PathBuf>,
}

impl Walk {
    /// Looks through a folder and those in it, in the order of names, bytewise.
    ///
    /// # Errors
    /// Why nothing of the whole is loaded: there is too much of it.
    fn folder(&mut self, dir: &Path, pack: Option<&Path>, depth: usize) -> Result<(), String> {
        if !self.seen.insert(canonical(dir)) {
            return Ok(());
        }
        if depth > MAX_DEPTH {
            return Err(format!("folders nested more than {MAX_DEPTH} deep"));
        }
        let mut names = Vec::new();
        for entry in dir.read_dir().into_iter().flatten().flatten() {
            self.entries += 1;
            if self.entries > MAX_ENTRIES {
                return Err(format!("more than {MAX_ENTRIES} entries"));
            }
            names.push(entry.file_name());
        }
        names.sort_by(|one, other| one.as_encoded_bytes().cmp(other.as_encoded_bytes()));
        let pack_file = dir.join(PACK_FILE);
        let own = self.is_within(&pack_file) && pack_file.is_file();
        if let (true, Ok(metadata)) = (own, pack_file.metadata()) {
            self.packs.push((pack_file.clone(), Stamp::of(&metadata)));
        }
        let pack = if own { Some(&*pack_file) } else { pack };
        for name in names {
            if name.as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let path = dir.join(&name);
            let is_script = path.extension().is_some_and(|found| found == EXTENSION);
            let Ok(metadata) = path.metadata() else {
                continue;
            };
            if !(metadata.is_dir() || is_script && metadata.is_file()) {
                continue;
            }
            if !self.is_within(&path) {
                self.outside.push(path);
            } else if metadata.is_dir() {
                if main_file(&path).is_none() {
                    self.folder(&path, pack, depth + 1)?;
                }
            } else if self.seen.insert(canonical(&path)) {
                if self.scripts.len() == MAX_SCRIPTS {
                    return Err(format!("more than {MAX_SCRIPTS} scripts"));
                }
                self.scripts.push(WalkedScript {
                    stamp: Stamp::of(&metadata),
                    pack: pack.map(Path::to_path_buf),
                    path,
                });
            }
        }
        Ok(())
    }

    fn is_within(&self, path: &Path) -> bool {
        path.canonicalize()
            .is_ok_and(|real| real.starts_with(&self.root))
    }
}
