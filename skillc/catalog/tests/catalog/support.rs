//! Creates home directories, projects and skills on disk, and catalogs in memory.

use std::fs;
use std::path::{Path, PathBuf};

use skillc_catalog::scan::Scanned;
use skillc_catalog::{
    Catalog, CatalogEntry, Chain, Invocation, Origin, Policy, Root, RootRank, Scope, Settings,
};
use skillc_core::testkit::context;
use skillc_core::{Context, Notice};
use tempfile::TempDir;

/// A home directory and a project, both in one temporary directory, with canonical paths.
pub(crate) struct World {
    _dir: TempDir,
    /// The common parent directory of `home` and `repo`.
    pub base: PathBuf,
    pub home: PathBuf,
    /// A project with a `.git`.
    pub repo: PathBuf,
    pub context: Context,
}

impl World {
    /// Creates the home directory and the project. The working directory is the project.
    pub(crate) fn new() -> Self {
        let dir = TempDir::new().expect("a directory");
        let base = dir.path().canonicalize().expect("a path");
        let (home, repo) = (base.join("home"), base.join("repo"));
        fs::create_dir_all(&home).expect("a directory");
        fs::create_dir_all(repo.join(".git")).expect("a directory");
        let context = context(&repo, &home);
        Self {
            _dir: dir,
            base,
            home,
            repo,
            context,
        }
    }

    /// Creates a directory in the project and makes it the working directory.
    pub(crate) fn working_in(mut self, below: &str) -> Self {
        let cwd = self.repo.join(below);
        fs::create_dir_all(&cwd).expect("a directory");
        self.context.cwd = cwd;
        self
    }

    pub(crate) fn env(&mut self, name: &str, value: &str) {
        self.context.env.insert(name.into(), value.into());
    }

    /// Returns the catalog, checking that there is no warning.
    #[track_caller]
    pub(crate) fn catalog(&self) -> Catalog {
        let (catalog, notices) = self.read();
        assert_eq!(notices, [""; 0]);
        catalog
    }

    /// Returns the catalog and the warnings.
    pub(crate) fn read(&self) -> (Catalog, Vec<String>) {
        let (catalog, notices) = Catalog::read(&self.context, is_tool);
        (catalog, messages(&notices))
    }

    /// Returns the settings and the warnings.
    pub(crate) fn settings(&self) -> (Settings, Vec<String>) {
        let (settings, notices) = Settings::read(&self.context, is_tool);
        (settings, messages(&notices))
    }

    /// Returns the names in the catalog, in order.
    #[track_caller]
    pub(crate) fn names(&self) -> Vec<String> {
        names(&self.catalog())
    }
}

fn messages(notices: &[Notice]) -> Vec<String> {
    notices.iter().map(Notice::to_string).collect()
}

pub(crate) fn names(catalog: &Catalog) -> Vec<String> {
    let skills = catalog.skills().iter();
    skills.map(|entry| entry.name.clone()).collect()
}

/// Returns the path and the message of each error. Paths are relative to `base`.
pub(crate) fn errors(catalog: &Catalog, base: &Path) -> Vec<(String, String)> {
    let base = format!("{}/", base.display());
    let errors = catalog.found().errors.iter();
    errors
        .map(|error| (error.path.replace(&base, ""), error.message.clone()))
        .collect()
}

/// Writes a valid skill with the name of its directory. Returns the path of its `SKILL.md`.
pub(crate) fn skill(dir: impl AsRef<Path>) -> PathBuf {
    described(dir, "Does things.")
}

/// Writes a skill with a given description. Returns the path of its `SKILL.md`.
pub(crate) fn described(dir: impl AsRef<Path>, description: &str) -> PathBuf {
    let name = dir.as_ref().file_name().expect("a name").display();
    let text = format!("---\nname: {name}\ndescription: {description}\n---\n# Body\n");
    write(&dir.as_ref().join("SKILL.md"), &text)
}

/// Writes the configuration of a home directory or a project.
pub(crate) fn configure(root: &Path, text: &str) {
    write(&root.join(".skillc/config.toml"), text);
}

/// Writes a file, creating directories as needed. Returns its path.
pub(crate) fn write(path: &Path, text: &str) -> PathBuf {
    fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
    fs::write(path, text).expect("a file");
    path.to_path_buf()
}

/// Creates an entry without a file.
pub(crate) fn entry(name: &str, description: &str, scope: Scope) -> CatalogEntry {
    let dir = format!("/{}/{name}", scope.as_str());
    CatalogEntry {
        id: "0123456789abcdef".into(),
        name: name.into(),
        description: description.into(),
        path: format!("{dir}/SKILL.md"),
        dir,
        scope,
        mtime_ms: 0,
        origin: origin(),
        enabled: true,
        compiled: false,
        invocation: Invocation::default(),
        place: RootRank::default(),
        is_users: scope == Scope::User,
    }
}

/// Creates a catalog of skills, in the given order.
pub(crate) fn in_memory_catalog(skills: Vec<CatalogEntry>) -> Catalog {
    let root = PathBuf::from("/repo");
    let chain = Chain {
        root: root.clone(),
        working_dir: root.clone(),
        dirs: vec![root],
    };
    let found = Scanned {
        skills,
        ..Scanned::default()
    };
    Catalog::new(Settings::default(), chain, Policy::default(), found)
}

fn origin() -> Origin {
    let root = Path::new("/");
    let context = context(root, root);
    let settings = Settings::default();
    let chain = Chain::new(&context, &settings.discovery);
    let roots: Vec<Root> = skillc_catalog::roots::roots(&context, &chain, &settings.discovery);
    roots[0].origin
}

/// Returns whether a tool with the given name exists. This function replaces the adapters that define tools.
pub(crate) fn is_tool(name: &str) -> bool {
    ["skc_build", "skill_load", "skill_list", "skill_search"].contains(&name)
}
