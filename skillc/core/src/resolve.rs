//! Resolves a skill's name or path to its directories.
//!
//! Design: C-RESOLUTION@7, D-PATH-ARGS, D-RUNTIME-STORE, D-SYMLINKED-SKILL, D-NAME-SAFETY.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use crate::clients::Clients;
#[cfg(not(target_family = "wasm"))]
use crate::contained::{check_opened, check_runtime, make_log};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::hash::path_hash16;
use crate::layout::{
    RuntimeDir, SKILL_FILE, Scope, Store, canonical, project_roots, project_roots_above,
};
use crate::path::{RelPath, is_one_component};

/// A skill that was found: its source directory and the location of its build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillRef {
    /// The name or path that the user typed, for messages.
    pub asked: String,
    /// The name of the directory before symlinks are resolved. If the directory is a symlink in a store, this is the
    /// name of the symlink.
    pub name: String,
    /// The absolute path of the source directory, with symlinks unresolved.
    pub source: PathBuf,
    /// The canonical path of the source directory, which determines the name of the search index.
    pub canonical: PathBuf,
    /// Whether the skill is a project's or the user's.
    pub scope: Scope,
    /// The store that contains the source; `None` for a path outside every store.
    pub store: Option<Store>,
    /// The skill folder of an agent client that contains the source; `None` for any other path.
    pub client_folder: Option<ClientFolder>,
    /// The default directory of the build.
    pub runtime: RuntimeDir,
    /// The directory of the build if a global build is forced; equal to `runtime` for a global skill.
    pub global_runtime: RuntimeDir,
}

/// A skill folder of an agent client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientFolder {
    /// The absolute path of the folder: `…/.claude/skills`.
    pub dir: PathBuf,
    /// The directory that contains the folder: a project's root, or a home directory.
    pub root: PathBuf,
}

impl SkillRef {
    /// Returns the 16 hex digits that identify the search index of this source directory.
    pub fn hash16(&self) -> String {
        path_hash16(&self.canonical)
    }

    /// Creates the location of a skill that exists only in memory.
    pub(crate) fn in_memory(name: &str) -> Self {
        let dir = Path::new("/").join(name);
        let runtime = RuntimeDir(Path::new("/.skillc/runtime").join(name));
        Self {
            asked: name.to_owned(),
            name: name.to_owned(),
            source: dir.clone(),
            canonical: dir,
            scope: Scope::Project,
            store: None,
            client_folder: None,
            global_runtime: runtime.clone(),
            runtime,
        }
    }

    /// Creates the location of a skill in an archive. The archive is treated like a directory. A skill in the root of
    /// the archive has the name of the archive, without the archive's extension.
    ///
    /// `asked`: the name or path that the user typed. `[archive, real]`: the absolute path of the archive, with
    /// symlinks unresolved, and its canonical path. `dir`: the directory of the skill in the archive.
    pub fn in_archive(asked: &str, [archive, real]: [&Path; 2], dir: &RelPath) -> Self {
        let stem = archive.file_stem().unwrap_or_default().to_string_lossy();
        let name = match dir.file_name() {
            "" => stem.strip_suffix(".tar").unwrap_or(&stem),
            name => name,
        };
        Self {
            asked: asked.to_owned(),
            source: dir.under(archive),
            canonical: dir.under(real),
            ..Self::in_memory(name)
        }
    }

    /// Checks that a runtime directory or local log for this skill does not lead out of its project's `.skillc`. Paths
    /// in the user's own `.skillc` are not checked.
    ///
    /// # Errors
    /// The errors of the function [`check_runtime`].
    #[cfg(not(target_family = "wasm"))]
    pub fn check_runtime(&self, runtime: &RuntimeDir) -> Result<()> {
        check_runtime(self.home(), runtime)
    }

    /// Creates a log of this skill in a project's `.skillc`: see the function [`make_log`].
    ///
    /// # Errors
    /// The errors of the function [`make_log`].
    #[cfg(not(target_family = "wasm"))]
    pub fn make_log(&self, log: &Path) -> Result<bool> {
        make_log(self.home(), log)
    }

    /// Checks that a newly opened log of this skill is the log in the project's `.skillc`: see the function
    /// [`check_opened`].
    ///
    /// # Errors
    /// The errors of the function [`check_opened`].
    #[cfg(not(target_family = "wasm"))]
    pub fn check_opened(&self, log: &Path) -> Result<()> {
        check_opened(self.home(), log)
    }

    /// Returns the directory that contains the user's `.skillc`.
    #[cfg(not(target_family = "wasm"))]
    fn home(&self) -> &Path {
        let home = self.global_runtime.0.ancestors().nth(3);
        home.unwrap_or(&self.global_runtime.0)
    }

    /// Returns the runtime directory to search: the global one if only that contains the index of this source,
    /// otherwise the skill's own.
    ///
    /// Design: D-GLOBAL-LOOKUP.
    pub fn indexed_runtime(&self) -> &RuntimeDir {
        let hash16 = self.hash16();
        let has_index = |runtime: &&RuntimeDir| runtime.index(&hash16).exists();
        [&self.runtime, &self.global_runtime]
            .into_iter()
            .find(has_index)
            .unwrap_or(&self.runtime)
    }
}

/// Finds a skill by its path or name: looks for a directory at that path, then in the stores of projects from the
/// nearest up, then in the global store.
///
/// # Errors
/// E010 if only directories without `SKILL.md` were found, E001 if nothing was found.
///
/// Design: C-RESOLUTION@7.
pub fn resolve(context: &Context, asked: &str) -> Result<SkillRef> {
    find(context, || stores(context), asked, is_skill)
}

/// Finds a skill as [`resolve`] does, in the given [`stores`].
///
/// # Errors
/// The errors of [`resolve`].
pub fn resolve_among(context: &Context, stores: &[Store], asked: &str) -> Result<SkillRef> {
    find(context, || stores.to_vec(), asked, is_skill)
}

/// Finds a skill as [`resolve`] does, falling back to a skill whose main file is called `skill.md`, `Skill.md` …
///
/// A `SKILL.md` anywhere in the lookup order takes precedence over a nearer `skill.md`. Therefore a directory that
/// other commands skip cannot hide a skill from this function.
///
/// # Errors
/// The errors of [`resolve`].
pub fn resolve_any_case(context: &Context, asked: &str) -> Result<SkillRef> {
    let is_skill = |dir: &Path| main_file(dir).is_some();
    resolve(context, asked).or_else(|_| find(context, || stores(context), asked, is_skill))
}

fn find(
    context: &Context,
    stores: impl FnOnce() -> Vec<Store>,
    asked: &str,
    is_skill: impl Fn(&Path) -> bool,
) -> Result<SkillRef> {
    let mut hollow: Option<String> = None;
    let path = context.cwd.join(asked);
    if !asked.is_empty() && path.is_dir() {
        if is_skill(&path) {
            return Ok(skill_at(context, asked, &path));
        }
        hollow = Some(asked.to_owned());
    }
    if is_one_component(asked) {
        for store in stores() {
            let source = store.source(asked);
            if is_skill(&source) {
                return Ok(skill_in(context, asked, asked, source, store));
            }
            if hollow.is_none() && source.is_dir() {
                hollow = Some(source.display().to_string());
            }
        }
    }
    Err(match hollow {
        Some(path) => Error::NotASkill { path },
        None => Error::SkillNotFound {
            skill: asked.to_owned(),
        },
    })
}

/// Returns the stores in lookup order: the stores of projects from the nearest up, then the global store.
pub fn stores(context: &Context) -> Vec<Store> {
    let projects = project_roots(context).into_iter().map(Store::project);
    projects.chain([Store::global(context)]).collect()
}

/// Returns the store for new skills created in the working directory: the store of the nearest project, otherwise the
/// global store.
pub fn nearest_store(context: &Context) -> Store {
    stores(context)
        .into_iter()
        .next()
        .unwrap_or_else(|| Store::global(context))
}

/// Returns the skill for an existing entry of a store.
pub fn skill_in(
    context: &Context,
    asked: &str,
    name: &str,
    source: PathBuf,
    store: Store,
) -> SkillRef {
    let canonical = canonical(&source);
    in_store(context, asked, name, [source, canonical], store)
}

/// Returns the skill for an entry in a store. `[source, canonical]`: the directory with symlinks unresolved, and its
/// canonical path.
fn in_store(
    context: &Context,
    asked: &str,
    name: &str,
    [source, canonical]: [PathBuf; 2],
    store: Store,
) -> SkillRef {
    SkillRef {
        asked: asked.to_owned(),
        name: name.to_owned(),
        source,
        canonical,
        scope: store.scope,
        runtime: store.runtime(name),
        global_runtime: Store::global(context).runtime(name),
        store: Some(store),
        client_folder: None,
    }
}

/// Returns whether a directory contains a file `SKILL.md`.
pub fn is_skill(dir: &Path) -> bool {
    dir.join(SKILL_FILE).is_file()
}

/// Returns the name of a directory's main file: `SKILL.md`, otherwise the first name, in bytewise order, that differs
/// from `SKILL.md` only in case; `None` if there is no such file.
pub fn main_file(dir: &Path) -> Option<String> {
    if is_skill(dir) {
        return Some(SKILL_FILE.to_owned());
    }
    let entries = dir.read_dir().ok()?.flatten();
    entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.eq_ignore_ascii_case(SKILL_FILE) && dir.join(name).is_file())
        .min()
}

/// Returns the skill in an existing directory. If the directory is an entry of a store, the skill belongs to that
/// store.
pub fn skill_at(context: &Context, asked: &str, path: &Path) -> SkillRef {
    Surroundings::new(context).skill_at(asked, path)
}

/// Caches look-ups that depend only on the context, so that they are done once for any number of skills.
pub struct Surroundings<'a> {
    context: &'a Context,
    nearest: Store,
    /// The canonical path of the global store's sources.
    global_skills: PathBuf,
    /// The canonical path of the user's home directory.
    user_home: PathBuf,
    /// The skill folders of clients below a project or home directory, without duplicates: `.claude/skills`.
    client_folders: Vec<&'static Path>,
}

impl<'a> Surroundings<'a> {
    /// Performs the look-ups for a context.
    pub fn new(context: &'a Context) -> Self {
        Self {
            context,
            nearest: nearest_store(context),
            global_skills: canonical(&Store::global(context).skills()),
            user_home: canonical(&context.user_home),
            client_folders: Clients::shared().skill_folders(),
        }
    }

    /// Returns the skill in a directory, as the function [`skill_at`] does.
    pub fn skill_at(&self, asked: &str, path: &Path) -> SkillRef {
        let path = lexical(path);
        let real = canonical(&path);
        self.skill_at_real(asked, path, real)
    }

    /// Returns the skill in a directory whose canonical path is known. `path`: the directory, without `.` and `..`;
    /// `real`: the canonical path of the same directory.
    pub fn skill_at_real(&self, asked: &str, path: PathBuf, real: PathBuf) -> SkillRef {
        // Without symlinks on the path, one look-up is enough.
        let candidates = if path == real {
            &[&real][..]
        } else {
            &[&path, &real]
        };
        for candidate in candidates.iter().copied() {
            let folder = candidate.parent().unwrap_or(candidate);
            let folder = if *candidate == real {
                folder.to_path_buf()
            } else {
                canonical(folder)
            };
            if let (Some(store), Some(name)) =
                (self.store_of(candidate, &folder), utf8_name(candidate))
            {
                let places = [candidate.clone(), real];
                return in_store(self.context, asked, &name, places, store);
            }
        }
        let name = utf8_name(&path)
            .or_else(|| utf8_name(&real))
            .unwrap_or_else(|| "skill".to_owned());
        let client_folder = self.client_folder_of(&path);
        let (store, scope) = match &client_folder {
            Some(folder) => self.store_for(&folder.root),
            None => (self.nearest.clone(), self.nearest.scope),
        };
        SkillRef {
            asked: asked.to_owned(),
            canonical: real,
            source: path,
            scope,
            runtime: store.runtime(&name),
            global_runtime: Store::global(self.context).runtime(&name),
            store: None,
            client_folder,
            name,
        }
    }

    /// Returns the skill folder of a client that contains a path.
    fn client_folder_of(&self, path: &Path) -> Option<ClientFolder> {
        path.ancestors().skip(1).find_map(|dir| {
            let below = self
                .client_folders
                .iter()
                .find(|below| dir.ends_with(below))?;
            let root = dir.ancestors().nth(below.components().count())?;
            Some(ClientFolder {
                dir: dir.to_path_buf(),
                root: root.to_path_buf(),
            })
        })
    }

    /// Returns the store for the builds of skills in a client's folder below `root`, and the scope of those skills.
    ///
    /// Returns the store of the project that contains the folder, regardless of the working directory, so that a build
    /// can be found from any working directory. If there is no project, returns the global store, because reading a
    /// skill must not create a project.
    fn store_for(&self, root: &Path) -> (Store, Scope) {
        let real = canonical(root);
        if real == self.user_home || real == canonical(&self.context.home) {
            return (Store::global(self.context), Scope::Global);
        }
        let project = project_roots_above(self.context, root).into_iter().next();
        let store = project.map_or_else(|| Store::global(self.context), Store::project);
        (store, Scope::Project)
    }

    /// Returns the store whose sources contain `path` as a direct child: `<root>/.skillc/skills/<name>`. `folder`: the
    /// canonical parent directory of `path`.
    fn store_of(&self, path: &Path, folder: &Path) -> Option<Store> {
        let skills = path.parent()?;
        let root = skills.parent()?.parent()?;
        if folder == self.global_skills {
            return Some(Store::global(self.context));
        }
        let project = Store::project(root.to_path_buf());
        let is_project = project.skills() == skills && canonical(root) != self.user_home;
        is_project.then_some(project)
    }
}

fn utf8_name(path: &Path) -> Option<String> {
    path.file_name().and_then(OsStr::to_str).map(str::to_owned)
}

/// Removes `.` and `..` from an absolute path lexically, so that a store's entry keeps its name. If the result is
/// another directory, because a `..` follows a symlink, returns the canonical path instead.
pub fn lexical(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(clean.pop()),
            other => clean.push(other),
        }
    }
    if clean == path || canonical(&clean) == canonical(path) {
        clean
    } else {
        canonical(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::collections::BTreeMap;
    use std::fs;
    use std::sync::Arc;

    use crate::context::SystemClock;

    /// Creates a context whose working directory is a project with these files.
    fn world(files: &[(&str, &str)]) -> (tempfile::TempDir, Context) {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().canonicalize().unwrap();
        let cwd = root.join("work");
        for (path, text) in files {
            let full = cwd.join(path);
            fs::create_dir_all(full.parent().unwrap()).unwrap();
            fs::write(full, text).unwrap();
        }
        let home = Some(root.join("home"));
        let context = Context::new(cwd, home, BTreeMap::new(), Arc::new(SystemClock));
        (outer, context.unwrap())
    }

    #[test]
    fn a_main_file_in_another_case_counts_only_on_request() {
        let (_outer, context) = world(&[
            (".skillc/skills/low/skill.md", ""),
            ("here/Skill.MD", ""),
            ("hollow/readme.md", ""),
        ]);
        for (asked, name) in [("low", "low"), ("here", "here"), ("./here/", "here")] {
            assert!(matches!(
                resolve(&context, asked),
                Err(Error::NotASkill { .. })
            ));
            assert_eq!(resolve_any_case(&context, asked).unwrap().name, name);
        }
        for asked in ["hollow", "nowhere"] {
            assert_eq!(resolve_any_case(&context, asked), resolve(&context, asked));
            assert!(resolve_any_case(&context, asked).is_err());
        }
    }

    #[test]
    fn an_exact_skill_md_takes_precedence_over_a_nearer_case_variant() {
        let (_outer, context) =
            world(&[("demo/skill.md", ""), (".skillc/skills/demo/SKILL.md", "")]);
        let found = resolve_any_case(&context, "demo").unwrap();
        assert_eq!(found.source, context.cwd.join(".skillc/skills/demo"));
        let found = resolve_any_case(&context, "./demo").unwrap();
        assert_eq!(found.source, context.cwd.join("demo"));
    }

    #[test]
    fn a_skill_in_an_archive_is_called_like_its_directory_or_the_archive() {
        let at = |file: &str, dir: &str| {
            let dir = RelPath::parse(dir).unwrap();
            SkillRef::in_archive("x", [Path::new(file), Path::new("/real.zip")], &dir)
        };
        let found = at("/a/pack.zip", "b/pdf");
        assert_eq!(found.source, Path::new("/a/pack.zip/b/pdf"));
        assert_eq!(found.canonical, Path::new("/real.zip/b/pdf"));
        assert_eq!((&*found.asked, &*found.name), ("x", "pdf"));
        for (file, name) in [
            ("/a/pack.skill", "pack"),
            ("/a/pack-1.2.tar.gz", "pack-1.2"),
            ("/a/pack.tgz", "pack"),
        ] {
            assert_eq!(at(file, "").name, name);
        }
    }

    #[test]
    fn the_main_file_is_the_exact_one_or_the_first_variant() {
        let (_outer, context) = world(&[("a/skill.md", ""), ("a/Skill.md", "")]);
        let dir = context.cwd.join("a");
        assert_eq!(main_file(&dir).as_deref(), Some("Skill.md"));
        fs::write(dir.join(SKILL_FILE), "").unwrap();
        assert_eq!(main_file(&dir).as_deref(), Some(SKILL_FILE));
        assert_eq!(main_file(&context.cwd), None);
    }
}
