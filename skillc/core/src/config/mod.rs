//! The configuration: two optional TOML files and two environment variables, merged key by key.
//!
//! Invalid settings never make a command fail: each one is ignored and reported once. The exception is `[lint]`, which
//! another crate reads.
//!
//! Design: requirements-config, D-CONFIG-ERRORS, D-UNCODED-WARNINGS, D-TARGETS, catalog-config.

mod layer;
mod tables;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toml::Table;

use crate::clean::abridge;
use crate::clients::{Clients, expand};
use crate::contained::check_config;
use crate::context::Context;
use crate::error::{Notice, Warning};
use crate::layout::{SKILLC_DIR, Scope, Store, canonical, foreign_roots};
use crate::resolve::stores;
use crate::source::link_end;
use crate::toml_cost::{self, MAX_CONFIG_COST};

pub use tables::{Audit, DeployScope, OnImport, RegistrySettings, Toolset};

use layer::{Layer, Version, layer, read_text};

/// The environment variable that overrides the configured path of the skill registry. Design: catalog-config.
const REGISTRY_VARIABLE: &str = "SKILLC_REGISTRY_DB";

/// How text is split into search terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tokenizer {
    /// Words separated by white space and punctuation, stemmed.
    #[default]
    Ascii,
    /// Each Chinese, Japanese or Korean character is a term by itself; other words are not stemmed.
    Cjk,
}

impl Tokenizer {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "ascii" => Some(Self::Ascii),
            "cjk" => Some(Self::Cjk),
            _ => None,
        }
    }
}

/// The effective settings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Config {
    /// `[search] tokenizer`.
    pub tokenizer: Tokenizer,
    /// `[targets]`: name → absolute directory.
    pub targets: BTreeMap<String, PathBuf>,
    /// `[deploy] scope`: the value of the nearest project with a configuration, otherwise the user's value. If the
    /// user's value is `project`, only a trusted project overrides it.
    pub deploy: DeployScope,
    /// `[audit]`.
    pub audit: Audit,
    /// `[registry]`: the skill registry.
    pub registry: RegistrySettings,
    /// `[mcp] toolset`.
    pub toolset: Toolset,
    /// `[security] on_import`.
    pub on_import: OnImport,
    /// The files that may contain a `[lint]` table; a later file takes precedence over an earlier one.
    pub lint: Vec<LintText>,
    /// `[permissions] trust_projects`: canonical paths of projects whose files are trusted like the user's own.
    pub trusted: Vec<PathBuf>,
}

/// A configuration file that may contain a `[lint]` table, which the lint crate parses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LintText {
    /// The file.
    pub path: PathBuf,
    /// The directory against which relative paths in the file are resolved.
    pub root: PathBuf,
    /// The file's text.
    pub text: String,
}

/// An existing configuration file, for modules that parse their own tables in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigText<'a> {
    /// The file.
    pub path: PathBuf,
    /// The directory against which relative paths in the file are resolved.
    pub root: &'a Path,
    /// Whether the file is the user's or a project's.
    pub scope: Scope,
    /// The file's text; `None` if the file cannot be read as text.
    pub text: Option<&'a str>,
    /// Whether the file is valid TOML of a supported version. If not, the file is ignored, and [`Config::from_files`]
    /// reports why.
    pub is_usable: bool,
}

/// A snapshot of the configuration files. Equal snapshots yield equal settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigFiles {
    global: ConfigFile,
    /// The configuration file of the nearest project that has such a file.
    project: Option<ConfigFile>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct ConfigFile {
    store: Store,
    /// `None` if the file does not exist; otherwise the file's text, or the reason why the file cannot be read.
    text: Option<Result<String, String>>,
}

impl ConfigFiles {
    /// Reads the user's file and the project's. `stores`: the result of [`crate::resolve::stores`].
    pub fn read(context: &Context, stores: &[Store]) -> Self {
        let mut projects = stores.iter().filter(|store| store.scope == Scope::Project);
        let project = projects.find(|store| store.config().symlink_metadata().is_ok());
        Self {
            global: ConfigFile::read(Store::global(context)),
            project: project.cloned().map(ConfigFile::read),
        }
    }

    /// Returns the existing files: the user's, then the project's.
    pub fn texts(&self) -> impl Iterator<Item = ConfigText<'_>> {
        let files = [Some(&self.global), self.project.as_ref()];
        files.into_iter().flatten().filter_map(ConfigFile::content)
    }
}

impl ConfigFile {
    fn read(store: Store) -> Self {
        let text = match check_config(&store) {
            Ok(()) => read_text(&store.config()).transpose(),
            Err(error) => Some(Err(error.message())),
        };
        Self { store, text }
    }

    fn content(&self) -> Option<ConfigText<'_>> {
        let text = self.text.as_ref()?.as_deref().ok();
        let cheap = text.filter(|text| toml_cost::refusal(text, MAX_CONFIG_COST).is_none());
        let table = cheap.and_then(|text| text.parse::<Table>().ok());
        Some(ConfigText {
            path: self.store.config(),
            root: &self.store.root,
            scope: self.store.scope,
            text,
            is_usable: table.is_some_and(|table| Version::from_table(&table) != Version::Unusable),
        })
    }

    fn lint_text(&self, layer: &Layer) -> Option<LintText> {
        let text = self.text.as_ref()?.as_ref().ok()?;
        layer.has_lint.then(|| LintText {
            path: self.store.config(),
            root: canonical(&self.store.root),
            text: text.clone(),
        })
    }
}

impl Config {
    /// Reads the project's and the user's configuration and the environment.
    ///
    /// Returns the merged settings, and a notice for each ignored setting, in the order in which the settings were
    /// found.
    pub fn read(context: &Context) -> (Self, Vec<Notice>) {
        Self::from_files(&ConfigFiles::read(context, &stores(context)), context)
    }

    /// Merges the files with the environment.
    ///
    /// Returns the same as [`read`](Self::read).
    pub fn from_files(files: &ConfigFiles, context: &Context) -> (Self, Vec<Notice>) {
        let mut notices = Vec::new();
        for root in foreign_roots(context) {
            let dir = root.join(SKILLC_DIR);
            let dir = dir.display();
            warn(
                &mut notices,
                format!(
                    "'{dir}' belongs to another user and is ignored; if you trust it, change its owner to yourself"
                ),
            );
        }
        let global = layer(&files.global, context, &mut notices);
        let project = files.project.as_ref();
        let project = project
            .map(|file| layer(file, context, &mut notices))
            .unwrap_or_default();
        let tokenizer = tokenizer_variable(context, &mut notices)
            .or(project.tokenizer)
            .or(global.tokenizer)
            .unwrap_or_default();

        let mut lint = Vec::new();
        lint.extend(files.global.lint_text(&global));
        lint.extend(
            files
                .project
                .as_ref()
                .and_then(|file| file.lint_text(&project)),
        );
        let trusted = &global.trust_projects;
        let of_project = files.project.as_ref();
        let is_trusted = of_project.is_none_or(|file| is_trusted(&file.store, trusted));
        let audit = Audit::merged(&project, &global, is_trusted);
        let deploy = DeployScope::merged(&project, &global, is_trusted);
        let on_import = OnImport::merged(&project, &global);
        if let (Some(file), Some(days)) = (&files.project, project.retention_days)
            && days < audit.retention_days
        {
            let (path, users) = (file.store.config(), audit.retention_days);
            let path = path.display();
            warn(
                &mut notices,
                format!(
                    "{path}: a project cannot lower audit.retention_days below the user's value, {users}; ignored"
                ),
            );
        }
        let db = context.env(REGISTRY_VARIABLE);
        let db = db.map(|db| expand(db, &context.home, &context.cwd));
        let registry = RegistrySettings {
            db: db.or(global.registry_db),
            strict: global.strict.or(project.strict).unwrap_or_default(),
        };
        // A cloned project must not give agents tools that the user withholds.
        let toolset = global.toolset.or(project.toolset).unwrap_or_default();
        let mut targets = global.targets;
        if let Some(file) = &files.project {
            targets = with_project_targets(
                targets,
                project.targets,
                is_trusted,
                &file.store,
                &mut notices,
            );
        }
        let config = Self {
            tokenizer,
            targets,
            deploy,
            audit,
            registry,
            toolset,
            on_import,
            lint,
            trusted: global.trust_projects,
        };
        (config, notices)
    }
}

/// Returns whether the user's file lists the store's project as trusted.
fn is_trusted(store: &Store, trusted: &[PathBuf]) -> bool {
    trusted.contains(&canonical(&store.root))
}

/// Adds a project's targets to the user's. A cloned repository may define targets for its own folders. But the
/// repository must neither redirect a known target such as `claude` nor make skc create symlinks elsewhere in the
/// user's home directory, because Python and shells run files from some folders there.
fn with_project_targets(
    mut targets: BTreeMap<String, PathBuf>,
    of_project: BTreeMap<String, PathBuf>,
    is_trusted: bool,
    store: &Store,
    notices: &mut Vec<Notice>,
) -> BTreeMap<String, PathBuf> {
    let root = canonical(&store.root);
    for (name, dir) in of_project {
        let fault = if is_trusted {
            None
        } else if targets.contains_key(&name) {
            Some("is defined in the user's configuration")
        } else if Clients::shared().target_folders(&name, false).is_some() {
            Some("is a built-in target")
        } else if !link_end(&dir).starts_with(&root) {
            Some("is outside the project")
        } else {
            None
        };
        let Some(fault) = fault else {
            targets.insert(name, dir);
            continue;
        };
        warn(
            notices,
            format!(
                "{}: targets.{name} {fault}; ignored unless permissions.trust_projects in the user's configuration file lists the project",
                store.config().display()
            ),
        );
    }
    targets
}

fn tokenizer_variable(context: &Context, notices: &mut Vec<Notice>) -> Option<Tokenizer> {
    let value = context.env("SKILLC_TOKENIZER")?;
    let tokenizer = Tokenizer::parse(value);
    if tokenizer.is_none() {
        warn(
            notices,
            format!("SKILLC_TOKENIZER: '{value}' is neither \"ascii\" nor \"cjk\"; ignored"),
        );
    }
    tokenizer
}

fn warn(notices: &mut Vec<Notice>, mut message: String) {
    abridge(&mut message);
    notices.push(Warning::Configuration { message }.into());
}
