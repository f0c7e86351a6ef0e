//! The configuration: two optional TOML files and one variable, merged key by key.
//!
//! Nothing here fails a command: what cannot be understood is ignored and reported, each thing once.
//!
//! Source: RFC-0009, LEDGER D-CONFIG-ERRORS, D-UNCODED-WARNINGS, D-TARGETS.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use crate::clients::expand;
use crate::context::Context;
use crate::error::{Error, Notice, Warning};
use crate::layout::{Scope, Store, canonical};
use crate::resolve::stores;
use crate::time::Timestamp;

/// The newest `version` of a configuration file that is understood.
const VERSION: i64 = 1;

/// The largest configuration file that is read. Source: RULINGS R20.
const MAX_CONFIG_BYTES: u64 = 1 << 20;

/// The tables that the catalog reads, with its own settings.
const OF_OTHERS: [&str; 3] = ["skills", "catalog", "permissions"];

/// The most days for which calls can be kept.
const MAX_DAYS: i64 = 36_500;

/// How text is cut into search terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tokenizer {
    /// Words between white space and punctuation, stemmed.
    #[default]
    Ascii,
    /// Each Chinese, Japanese or Korean character by itself, other words whole.
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

/// What is kept of the calls of a server: `[audit]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Audit {
    /// Whether calls are noted at all.
    pub enabled: bool,
    /// For how many days.
    pub retention_days: u32,
}

impl Default for Audit {
    fn default() -> Self {
        Self {
            enabled: true,
            retention_days: 90,
        }
    }
}

impl Audit {
    /// Returns the moment before which calls are not kept; `None` if that is before all times.
    pub fn keeps_from(self, now: Timestamp) -> Option<Timestamp> {
        now.earlier(i64::from(self.retention_days) * 86_400)
    }
}

/// The settings in force.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Config {
    /// `[search] tokenizer`.
    pub tokenizer: Tokenizer,
    /// `[targets]`: name → absolute directory.
    pub targets: BTreeMap<String, PathBuf>,
    /// `[audit]`.
    pub audit: Audit,
    /// The files with a `[lint]`, which counts for more in a later one.
    pub lint: Vec<LintText>,
}

/// A configuration file with a `[lint]`, to be read by those who know the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LintText {
    /// The file.
    pub path: PathBuf,
    /// The directory that its paths are below.
    pub root: PathBuf,
    /// What it holds.
    pub text: String,
}

/// A configuration file that is there, for those who read tables of their own from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigText<'a> {
    /// The file.
    pub path: PathBuf,
    /// The directory that its paths are below.
    pub root: &'a Path,
    /// Whose it is.
    pub scope: Scope,
    /// What it holds; `None` if it cannot be read as text.
    pub text: Option<&'a str>,
    /// Whether it counts: it is TOML of a version that is understood. If not, [`Config::of`] says why.
    pub is_usable: bool,
}

/// What one file says; `None` where it is silent.
#[derive(Default)]
struct Layer {
    tokenizer: Option<Tokenizer>,
    targets: BTreeMap<String, PathBuf>,
    audit_enabled: Option<bool>,
    retention_days: Option<u32>,
    has_lint: bool,
}

/// The configuration files as they are. Equal ones mean the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigFiles {
    global: ConfigFile,
    /// Of the nearest project that has one.
    project: Option<ConfigFile>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct ConfigFile {
    store: Store,
    /// `None` if it is not there; else what it says, or why that cannot be read.
    text: Option<Result<String, String>>,
}

impl ConfigFiles {
    /// Reads the user's file and the project's. `stores`: as [`crate::resolve::stores`] finds them.
    pub fn read(context: &Context, stores: &[Store]) -> Self {
        let mut projects = stores.iter().filter(|store| store.scope == Scope::Project);
        let project = projects.find(|store| store.config().exists());
        Self {
            global: ConfigFile::read(Store::global(context)),
            project: project.cloned().map(ConfigFile::read),
        }
    }

    /// Returns the files that are there: the user's, then the project's.
    pub fn texts(&self) -> impl Iterator<Item = ConfigText<'_>> {
        let files = [Some(&self.global), self.project.as_ref()];
        files.into_iter().flatten().filter_map(ConfigFile::content)
    }
}

impl ConfigFile {
    fn read(store: Store) -> Self {
        let text = read_text(&store.config()).transpose();
        Self { store, text }
    }

    fn content(&self) -> Option<ConfigText<'_>> {
        let text = self.text.as_ref()?.as_deref().ok();
        let table = text.and_then(|text| text.parse::<Table>().ok());
        Some(ConfigText {
            path: self.store.config(),
            root: &self.store.root,
            scope: self.store.scope,
            text,
            is_usable: table.is_some_and(|table| Version::of(&table) != Version::Unusable),
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
    /// Returns the merged settings, and what was ignored, in the order met.
    pub fn read(context: &Context) -> (Self, Vec<Notice>) {
        Self::of(&ConfigFiles::read(context, &stores(context)), context)
    }

    /// Merges what files say with the environment.
    ///
    /// Returns the same as [`read`](Self::read).
    pub fn of(files: &ConfigFiles, context: &Context) -> (Self, Vec<Notice>) {
        let mut notices = Vec::new();
        let global = layer(&files.global, context, &mut notices);
        let project = files.project.as_ref();
        let project = project
            .map(|file| layer(file, context, &mut notices))
            .unwrap_or_default();
        let variable = tokenizer_variable(context, &mut notices);

        let mut lint = Vec::new();
        lint.extend(files.global.lint_text(&global));
        lint.extend(
            files
                .project
                .as_ref()
                .and_then(|file| file.lint_text(&project)),
        );
        let mut targets = global.targets;
        targets.extend(project.targets);
        let tokenizer = variable
            .or(project.tokenizer)
            .or(global.tokenizer)
            .unwrap_or_default();
        let audit = Audit::default();
        let audit = Audit {
            enabled: project
                .audit_enabled
                .or(global.audit_enabled)
                .unwrap_or(audit.enabled),
            retention_days: project
                .retention_days
                .or(global.retention_days)
                .unwrap_or(audit.retention_days),
        };
        let config = Self {
            tokenizer,
            targets,
            audit,
            lint,
        };
        (config, notices)
    }
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

fn layer(file: &ConfigFile, context: &Context, notices: &mut Vec<Notice>) -> Layer {
    let store = &file.store;
    let path = store.config();
    let text = match &file.text {
        Some(Ok(text)) => text,
        None => return Layer::default(),
        Some(Err(reason)) => {
            warn(
                notices,
                format!("{}: {reason}; file ignored", path.display()),
            );
            return Layer::default();
        }
    };
    match text.parse::<Table>() {
        Ok(table) => Reader {
            path: &path,
            store,
            context,
            notices,
        }
        .layer(table),
        Err(error) => {
            let reason = error.message().lines().next().unwrap_or_default();
            let line = error
                .span()
                .map_or(1, |span| text[..span.start].matches('\n').count() + 1);
            warn(
                notices,
                format!("{}:{line}: {reason}; file ignored", path.display()),
            );
            // What cannot be parsed may be meant for lint, which does not run on a guess.
            Layer {
                has_lint: text.contains("lint"),
                ..Layer::default()
            }
        }
    }
}

fn read_text(path: &Path) -> Result<Option<String>, String> {
    if !path.exists() {
        return Ok(None);
    }
    if !path.is_file() {
        return Err("not a file".into());
    }
    let mut bytes = Vec::new();
    let read =
        File::open(path).and_then(|file| file.take(MAX_CONFIG_BYTES + 1).read_to_end(&mut bytes));
    read.map_err(|e| e.to_string())?;
    if bytes.len() as u64 > MAX_CONFIG_BYTES {
        return Err("larger than 1 MiB".into());
    }
    let text = String::from_utf8(bytes).map_err(|_| "not UTF-8")?;
    Ok(Some(
        text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned(),
    ))
}

/// What a file says of its own format.
#[derive(Debug, PartialEq, Eq)]
enum Version {
    Known,
    Newer(i64),
    Unusable,
}

impl Version {
    fn of(table: &Table) -> Self {
        match table.get("version") {
            None | Some(Value::Integer(VERSION)) => Self::Known,
            Some(Value::Integer(newer)) if *newer > VERSION => Self::Newer(*newer),
            Some(_) => Self::Unusable,
        }
    }
}

struct Reader<'a> {
    path: &'a Path,
    store: &'a Store,
    context: &'a Context,
    notices: &'a mut Vec<Notice>,
}

impl Reader<'_> {
    fn layer(&mut self, table: Table) -> Layer {
        if !self.version_is_usable(&table) {
            return Layer::default();
        }
        let mut layer = Layer::default();
        for (key, value) in table {
            match (key.as_str(), value) {
                ("version", _) => {}
                (key, _) if OF_OTHERS.contains(&key) => {}
                ("lint", _) => layer.has_lint = true,
                ("search", Value::Table(search)) => self.search(search, &mut layer),
                ("targets", Value::Table(targets)) => self.targets(targets, &mut layer),
                ("audit", Value::Table(audit)) => self.audit(audit, &mut layer),
                ("search" | "targets" | "audit", _) => {
                    self.warn(&format!("'{key}' is not a table; ignored"));
                }
                _ => self.warn(&format!("unknown key '{key}'; ignored")),
            }
        }
        layer
    }

    fn version_is_usable(&mut self, table: &Table) -> bool {
        match Version::of(table) {
            Version::Known => {}
            Version::Newer(newer) => self.warn(&format!(
                "version {newer} is newer than {VERSION}; only known keys are used"
            )),
            Version::Unusable => {
                let message = format!(
                    "{}: 'version' is not a positive integer; file ignored",
                    self.path.display()
                );
                self.notices.push(Error::internal(message).into());
                return false;
            }
        }
        true
    }

    fn search(&mut self, search: Table, layer: &mut Layer) {
        for (key, value) in search {
            if key != "tokenizer" {
                self.warn(&format!("unknown key 'search.{key}'; ignored"));
                continue;
            }
            layer.tokenizer = value.as_str().and_then(Tokenizer::parse);
            if layer.tokenizer.is_none() {
                self.warn(&format!(
                    "search.tokenizer: {value} is neither \"ascii\" nor \"cjk\"; ignored"
                ));
            }
        }
    }

    fn targets(&mut self, targets: Table, layer: &mut Layer) {
        for (name, value) in targets {
            match value.as_str().filter(|dir| !dir.is_empty()) {
                Some(dir) => drop(
                    layer
                        .targets
                        .insert(name, expand(dir, &self.context.home, &self.store.root)),
                ),
                None => self.warn(&format!("targets.{name} is not a path; ignored")),
            }
        }
    }

    fn audit(&mut self, audit: Table, layer: &mut Layer) {
        for (key, value) in audit {
            match key.as_str() {
                "enabled" => {
                    layer.audit_enabled = value.as_bool();
                    if layer.audit_enabled.is_none() {
                        self.warn(&format!(
                            "audit.enabled: {value} is neither true nor false; ignored"
                        ));
                    }
                }
                "retention_days" => {
                    let days = value
                        .as_integer()
                        .filter(|days| (1..=MAX_DAYS).contains(days));
                    layer.retention_days = days.and_then(|days| u32::try_from(days).ok());
                    if days.is_none() {
                        self.warn(&format!(
                            "audit.retention_days: {value} is not a number of days from 1 to {MAX_DAYS}; ignored"
                        ));
                    }
                }
                _ => self.warn(&format!("unknown key 'audit.{key}'; ignored")),
            }
        }
    }

    fn warn(&mut self, message: &str) {
        warn(self.notices, format!("{}: {message}", self.path.display()));
    }
}

fn warn(notices: &mut Vec<Notice>, message: String) {
    notices.push(Warning::Configuration { message }.into());
}
