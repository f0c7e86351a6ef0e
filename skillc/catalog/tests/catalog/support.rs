//! Homes, projects and skills on disk, and catalogs made up in memory.

use std::fs;
use std::path::{Path, PathBuf};

use skillc_catalog::scan::Scanned;
use skillc_catalog::{
    Catalog, CatalogEntry, Chain, Invocation, Origin, Policy, Root, RootRank, Scope, Settings,
};
use skillc_core::testkit::context;
use skillc_core::{Context, Notice};
use tempfile::TempDir;

/// A home and a project beside each other, with canonical paths.
pub(crate) struct World {
    _dir: TempDir,
    /// The directory that both are in.
    pub base: PathBuf,
    pub home: PathBuf,
    /// A project with a `.git`.
    pub repo: PathBuf,
    pub context: Context,
}

impl World {
    /// The working directory is the project.
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

    /// Makes a directory of the project and works there.
    pub(crate) fn working_in(mut self, below: &str) -> Self {
        let cwd = self.repo.join(below);
        fs::create_dir_all(&cwd).expect("a directory");
        self.context.cwd = cwd;
        self
    }

    pub(crate) fn env(&mut self, name: &str, value: &str) {
        self.context.env.insert(name.into(), value.into());
    }

    /// Returns the catalog, of which there is nothing to be said.
    #[track_caller]
    pub(crate) fn catalog(&self) -> Catalog {
        let (catalog, notices) = self.read();
        assert_eq!(notices, [""; 0]);
        catalog
    }

    /// Returns the catalog, and what is to be said of it.
    pub(crate) fn read(&self) -> (Catalog, Vec<String>) {
        let (catalog, notices) = Catalog::read(&self.context, is_tool);
        (catalog, said(&notices))
    }

    /// Returns the settings, and what was wrong with them.
    pub(crate) fn settings(&self) -> (Settings, Vec<String>) {
        let (settings, notices) = Settings::read(&self.context, is_tool);
        (settings, said(&notices))
    }

    /// Returns the names of the catalog, in its order.
    #[track_caller]
    pub(crate) fn names(&self) -> Vec<String> {
        names(&self.catalog())
    }
}

fn said(notices: &[Notice]) -> Vec<String> {
    notices.iter().map(Notice::to_string).collect()
}

pub(crate) fn names(catalog: &Catalog) -> Vec<String> {
    let skills = catalog.skills().iter();
    skills.map(|entry| entry.name.clone()).collect()
}

/// Returns what is wrong: the path below a base, and the message.
pub(crate) fn errors(catalog: &Catalog, base: &Path) -> Vec<(String, String)> {
    let base = format!("{}/", base.display());
    let errors = catalog.found().errors.iter();
    errors
        .map(|error| (error.path.replace(&base, ""), error.message.clone()))
        .collect()
}

/// Writes a valid skill into a directory, whose name is the skill's. Returns: its `SKILL.md`.
pub(crate) fn skill(dir: impl AsRef<Path>) -> PathBuf {
    described(dir, "Does things.")
}

/// Writes a skill with a description.
pub(crate) fn described(dir: impl AsRef<Path>, description: &str) -> PathBuf {
    let name = dir.as_ref().file_name().expect("a name").display();
    let text = format!("---\nname: {name}\ndescription: {description}\n---\n# Body\n");
    write(&dir.as_ref().join("SKILL.md"), &text)
}

/// Writes the configuration of a home or a project.
pub(crate) fn configure(root: &Path, text: &str) {
    write(&root.join(".skillc/config.toml"), text);
}

/// Writes a file, making directories as needed. Returns: its path.
pub(crate) fn write(path: &Path, text: &str) -> PathBuf {
    fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
    fs::write(path, text).expect("a file");
    path.to_path_buf()
}

/// Makes up a skill of a project.
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
    }
}

/// Makes up a catalog of skills, in the order given.
pub(crate) fn made_up(skills: Vec<CatalogEntry>) -> Catalog {
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

/// Says whether there is a tool of that name, as those who have tools do.
pub(crate) fn is_tool(name: &str) -> bool {
    ["skc_build", "skill_load", "skill_list", "skill_search"].contains(&name)
}
