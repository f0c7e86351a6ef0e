//! Parses one configuration file.
//!
//! Invalid settings are reported here; the parent module merges the files.
//!
//! Design: requirements-config, D-CONFIG-ERRORS, D-TARGETS, catalog-config, R20.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::{ConfigFile, DeployScope, OnImport, Tokenizer, Toolset, warn};
use crate::clients::expand;
use crate::context::Context;
use crate::error::{Error, Notice};
use crate::layout::{Scope, Store, canonical};
use crate::source::read_start;
use crate::toml_cost::{self, MAX_CONFIG_COST};

/// The newest supported `version` of a configuration file.
const VERSION: i64 = 1;

/// The maximum size of a configuration file. Design: R20.
const MAX_CONFIG_BYTES: u64 = 1 << 20;

/// Tables that the catalog reads. This module reads only `permissions.trust_projects` from these tables.
const OF_OTHERS: [&str; 3] = ["skills", "catalog", "permissions"];

const TABLES: [&str; 7] = [
    "search", "targets", "deploy", "audit", "registry", "mcp", "security",
];

/// The maximum retention period of logged calls, in days.
const MAX_DAYS: i64 = 36_500;

/// The settings of one file; `None` for a setting that the file does not contain.
#[derive(Default)]
pub(super) struct Layer {
    pub tokenizer: Option<Tokenizer>,
    pub targets: BTreeMap<String, PathBuf>,
    pub deploy: Option<DeployScope>,
    pub audit_enabled: Option<bool>,
    pub retention_days: Option<u32>,
    pub registry_db: Option<PathBuf>,
    pub strict: Option<bool>,
    pub toolset: Option<Toolset>,
    pub on_import: Option<OnImport>,
    /// `permissions.trust_projects`, as canonical paths.
    pub trust_projects: Vec<PathBuf>,
    pub has_lint: bool,
}

/// Parses a file and reports invalid settings.
pub(super) fn layer(file: &ConfigFile, context: &Context, notices: &mut Vec<Notice>) -> Layer {
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
    // A file that cannot be parsed but contains the word `lint` may contain lint settings: the lint crate must see the
    // file and fail, instead of running with other settings.
    let unparsed = || Layer {
        has_lint: text.contains("lint"),
        ..Layer::default()
    };
    if let Some(reason) = toml_cost::refusal(text, MAX_CONFIG_COST) {
        warn(
            notices,
            format!("{}: {reason}; file ignored", path.display()),
        );
        return unparsed();
    }
    match text.parse::<Table>() {
        Ok(table) => ConfigReader {
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
            unparsed()
        }
    }
}

/// Returns a file's text without a byte order mark; `None` if there is no file.
pub(super) fn read_text(path: &Path) -> Result<Option<String>, String> {
    // A dangling symlink is an unreadable file, not a missing one.
    if path.symlink_metadata().is_err() {
        return Ok(None);
    }
    let bytes = read_start(path, MAX_CONFIG_BYTES + 1).map_err(|e| e.to_string())?;
    if bytes.len() as u64 > MAX_CONFIG_BYTES {
        return Err("larger than 1 MiB".into());
    }
    let text = String::from_utf8(bytes).map_err(|_| "not UTF-8")?;
    Ok(Some(
        text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned(),
    ))
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Version {
    Known,
    Newer(i64),
    Unusable,
}

impl Version {
    pub(super) fn from_table(table: &Table) -> Self {
        match table.get("version") {
            None | Some(Value::Integer(VERSION)) => Self::Known,
            Some(Value::Integer(newer)) if *newer > VERSION => Self::Newer(*newer),
            Some(_) => Self::Unusable,
        }
    }
}

struct ConfigReader<'a> {
    path: &'a Path,
    store: &'a Store,
    context: &'a Context,
    notices: &'a mut Vec<Notice>,
}

impl ConfigReader<'_> {
    fn layer(&mut self, table: Table) -> Layer {
        if !self.version_is_usable(&table) {
            return Layer::default();
        }
        let mut layer = Layer::default();
        for (key, value) in table {
            match (key.as_str(), value) {
                ("version", _) => {}
                ("permissions", Value::Table(permissions)) => {
                    layer.trust_projects = self.trust_projects(&permissions);
                }
                (key, _) if OF_OTHERS.contains(&key) => {}
                ("lint", _) => layer.has_lint = true,
                ("search", Value::Table(search)) => self.search(search, &mut layer),
                ("targets", Value::Table(targets)) => self.targets(targets, &mut layer),
                ("deploy", Value::Table(deploy)) => self.deploy(deploy, &mut layer),
                ("audit", Value::Table(audit)) => self.audit(audit, &mut layer),
                ("registry", Value::Table(registry)) => self.registry(registry, &mut layer),
                ("mcp", Value::Table(mcp)) => self.mcp(mcp, &mut layer),
                ("security", Value::Table(security)) => self.security(security, &mut layer),
                (key, _) if TABLES.contains(&key) => {
                    self.warn(&format!("'{key}' is not a table; ignored"));
                }
                _ => self.warn(&format!("unknown key '{key}'; ignored")),
            }
        }
        layer
    }

    fn version_is_usable(&mut self, table: &Table) -> bool {
        match Version::from_table(table) {
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

    /// Reads the list of trusted projects, which has an effect only in the user's file. The catalog owns this table and
    /// reports errors in the list.
    fn trust_projects(&self, permissions: &Table) -> Vec<PathBuf> {
        let list = permissions.get("trust_projects").and_then(Value::as_array);
        let paths = list.into_iter().flatten().filter_map(Value::as_str);
        let expanded = paths.map(|path| expand(path, &self.context.home, &self.store.root));
        expanded.map(|path| canonical(&path)).collect()
    }

    fn deploy(&mut self, deploy: Table, layer: &mut Layer) {
        for (key, value) in deploy {
            if key != "scope" {
                self.warn(&format!("unknown key 'deploy.{key}'; ignored"));
                continue;
            }
            layer.deploy = value.as_str().and_then(DeployScope::named);
            if layer.deploy.is_none() {
                self.warn(&format!(
                    "deploy.scope: {value} is neither \"project\" nor \"user\"; ignored"
                ));
            }
        }
    }

    fn audit(&mut self, audit: Table, layer: &mut Layer) {
        for (key, value) in audit {
            match key.as_str() {
                "enabled" => {
                    layer.audit_enabled = self.flag("audit.enabled", &value);
                    if self.store.scope == Scope::Project && layer.audit_enabled == Some(false) {
                        self.warn(
                            "audit.enabled = false is only honoured in the user's configuration file; ignored",
                        );
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

    fn registry(&mut self, registry: Table, layer: &mut Layer) {
        for (key, value) in registry {
            match key.as_str() {
                "path" => layer.registry_db = self.registry_db(&value),
                "strict" => layer.strict = self.flag("registry.strict", &value),
                _ => self.warn(&format!("unknown key 'registry.{key}'; ignored")),
            }
        }
    }

    /// Reads the path of the skill registry. A project must not decide which file skc writes to.
    fn registry_db(&mut self, value: &Value) -> Option<PathBuf> {
        if self.store.scope == Scope::Project {
            self.warn("registry.path is only honoured in the user's configuration file; ignored");
            return None;
        }
        let db = value.as_str().filter(|db| !db.is_empty());
        if db.is_none() {
            self.warn(&format!("registry.path: {value} is not a path; ignored"));
        }
        db.map(|db| expand(db, &self.context.home, &self.store.root))
    }

    fn security(&mut self, security: Table, layer: &mut Layer) {
        for (key, value) in security {
            if key != "on_import" {
                self.warn(&format!("unknown key 'security.{key}'; ignored"));
                continue;
            }
            layer.on_import = value.as_str().and_then(OnImport::named);
            if layer.on_import.is_none() {
                self.warn(&format!(
                    "security.on_import: {value} is not one of \"off\", \"warn\", \"block\"; ignored"
                ));
            }
        }
    }

    fn mcp(&mut self, mcp: Table, layer: &mut Layer) {
        for (key, value) in mcp {
            if key != "toolset" {
                self.warn(&format!("unknown key 'mcp.{key}'; ignored"));
                continue;
            }
            layer.toolset = value.as_str().and_then(Toolset::named);
            if layer.toolset.is_none() {
                self.warn(&format!(
                    "mcp.toolset: {value} is not one of \"skc\", \"catalog\", \"all\"; ignored"
                ));
            }
        }
    }

    fn flag(&mut self, key: &str, value: &Value) -> Option<bool> {
        let flag = value.as_bool();
        if flag.is_none() {
            self.warn(&format!(
                "{key}: {value} is neither true nor false; ignored"
            ));
        }
        flag
    }

    fn warn(&mut self, message: &str) {
        warn(self.notices, format!("{}: {message}", self.path.display()));
    }
}
