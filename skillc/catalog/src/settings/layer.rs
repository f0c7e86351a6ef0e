//! Parses one configuration file.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::numbers::{NUMBERS, Numbers};
use super::permissions::{Rule, Unruled};
use super::switches::{Switch, Switched};
use super::{Inject, NameMismatch, OnCollision, warn};
use skillc_core::clients::{Clients, expand};
use skillc_core::config::ConfigText;
use skillc_core::{Context, Notice};

/// The kind of skillc's own skill directories.
pub(crate) const SKILLC: &str = "skillc";

/// The kind of the skill directories that agents share.
const AGENTS: &str = "agents";

/// The kinds of directories that are searched by default.
pub(super) const ROOTS: [&str; 2] = [SKILLC, AGENTS];

/// The default markers of a catalog root.
pub(super) const MARKERS: [&str; 4] = [".skillc", ".codelia", ".git", ".jj"];

/// The maximum number of entries in a list of names or paths.
const MAX_LIST: usize = 256;

/// The settings in one file; `None` for settings that are not set.
#[derive(Default)]
pub(super) struct Layer {
    pub numbers: Numbers,
    pub enabled: Option<bool>,
    pub inject: Option<Inject>,
    pub switches: Vec<(Switched, Switch)>,
    pub roots: Option<Vec<&'static str>>,
    pub extra_roots: Vec<PathBuf>,
    pub markers: Option<Vec<String>>,
    pub follow_symlinks: Option<bool>,
    pub model: Option<PathBuf>,
    pub name_mismatch: Option<NameMismatch>,
    pub on_collision: Option<OnCollision>,
    pub unruled: Option<Unruled>,
    pub allow: Vec<Rule>,
    pub deny: Vec<Rule>,
    pub trust_projects: Vec<PathBuf>,
}

/// Reads the tables of one file, and warns about invalid settings.
pub(super) struct SettingsReader<'a> {
    pub path: &'a Path,
    root: &'a Path,
    context: &'a Context,
    /// Returns whether a tool with the given name exists.
    pub(super) is_tool: fn(&str) -> bool,
    notices: &'a mut Vec<Notice>,
}

/// Reads the catalog's tables in a file, and ignores all other tables.
pub(super) fn layer(
    file: &ConfigText<'_>,
    context: &Context,
    is_tool: fn(&str) -> bool,
    notices: &mut Vec<Notice>,
) -> Layer {
    let mut reader = SettingsReader {
        path: &file.path,
        root: file.root,
        context,
        is_tool,
        notices,
    };
    let mut layer = Layer::default();
    let table = file.text.filter(|_| file.is_usable);
    match table.and_then(|text| text.parse::<Table>().ok()) {
        Some(table) => reader.top(table, &mut layer),
        // Do not report a syntax error: the general configuration reader does. However, a file that cannot be parsed
        // denies every skill if it may contain deny rules.
        None if file.text.is_none_or(|text| text.contains("permissions")) => {
            reader.unreadable_permissions(&mut layer);
        }
        None => {}
    }
    layer
}

impl SettingsReader<'_> {
    fn top(&mut self, table: Table, layer: &mut Layer) {
        for (key, value) in table {
            match key.as_str() {
                "skills" => self.skills(value, layer),
                "catalog" => self.numbered("catalog", value, layer, Self::catalog_key),
                "permissions" => self.permissions(value, layer),
                _ => {}
            }
        }
    }

    fn skills(&mut self, value: Value, layer: &mut Layer) {
        let Value::Table(table) = value else {
            self.warn("'skills' is not a table; ignored");
            return;
        };
        for (key, value) in table {
            match key.as_str() {
                "enabled" => layer.enabled = self.flag("skills.enabled", &value),
                "initial" => self.numbered("skills.initial", value, layer, Self::initial_key),
                "search" => self.numbered("skills.search", value, layer, Self::search_key),
                "load" => self.numbered("skills.load", value, layer, |_, _, _, _| false),
                "override" => layer.switches = self.switches(value),
                _ => self.unknown("skills", &key),
            }
        }
    }

    /// Reads a table of numeric settings. `other`: handles the keys of all other settings, and returns whether it knows
    /// the key.
    fn numbered(
        &mut self,
        name: &str,
        value: Value,
        layer: &mut Layer,
        other: impl Fn(&mut Self, &str, &Value, &mut Layer) -> bool,
    ) {
        let Value::Table(table) = value else {
            self.warn(&format!("'{name}' is not a table; ignored"));
            return;
        };
        for (key, value) in &table {
            let is_key = |alias: Option<&str>, own: &str| own == key || alias == Some(key);
            let mut numbers = NUMBERS.iter().filter(|number| number.table == name);
            let Some(number) = numbers.find(|number| is_key(number.alias, number.key)) else {
                if !other(self, key, value, layer) {
                    self.unknown(name, key);
                }
                continue;
            };
            if key != number.key && table.contains_key(number.key) {
                let own = number.key;
                self.warn(&format!(
                    "{name}.{key} is ignored: it is an alias of {own}, which is also set"
                ));
                continue;
            }
            match number.parse(value) {
                Some(found) => layer.numbers.set(number.number, found),
                None => self.warn(&format!(
                    "{name}.{key}: {value} is not a whole number from 1 to {}; ignored",
                    number.most
                )),
            }
        }
    }

    fn initial_key(&mut self, key: &str, value: &Value, layer: &mut Layer) -> bool {
        if key == "inject" {
            layer.inject = self.choice("skills.initial.inject", value, &INJECT);
        }
        key == "inject"
    }

    fn search_key(&mut self, key: &str, value: &Value, layer: &mut Layer) -> bool {
        if key == "model" {
            let path = value.as_str().filter(|path| !path.is_empty());
            layer.model = path.map(|path| self.expanded(path));
            if path.is_none() {
                self.warn(&format!(
                    "skills.search.model: {value} is not a path; ignored"
                ));
            }
        }
        key == "model"
    }

    fn catalog_key(&mut self, key: &str, value: &Value, layer: &mut Layer) -> bool {
        match key {
            "roots" => layer.roots = self.roots(value),
            "extra_roots" => {
                let paths = self.texts("catalog.extra_roots", value).unwrap_or_default();
                layer.extra_roots = paths.iter().map(|path| self.expanded(path)).collect();
            }
            "markers" => layer.markers = self.markers(value),
            "follow_symlinks" => {
                layer.follow_symlinks = self.flag("catalog.follow_symlinks", value);
            }
            "name_mismatch" => {
                layer.name_mismatch = self.choice("catalog.name_mismatch", value, &NAME_MISMATCH);
            }
            "on_collision" => {
                layer.on_collision = self.choice("catalog.on_collision", value, &ON_COLLISION);
            }
            _ => return false,
        }
        true
    }

    fn roots(&mut self, value: &Value) -> Option<Vec<&'static str>> {
        let names = self.texts("catalog.roots", value)?;
        let mut roots = Vec::new();
        for name in names {
            match known_root(&name) {
                Some(root) if !roots.contains(&root) => roots.push(root),
                Some(_) => {}
                None => self.warn(&format!(
                    "catalog.roots: '{name}' is neither \"{SKILLC}\" nor a known client; ignored"
                )),
            }
        }
        Some(roots)
    }

    fn markers(&mut self, value: &Value) -> Option<Vec<String>> {
        let mut markers = self.texts("catalog.markers", value)?;
        markers.retain(|name| {
            let is_name = !name.contains(['/', '\\', '\0']) && name != "." && name != "..";
            if !is_name {
                self.warn(&format!(
                    "catalog.markers: '{name}' is not a file name; ignored"
                ));
            }
            is_name
        });
        Some(markers)
    }

    /// Reads a list of non-empty strings, skipping other values. Returns `None` if the value is not a list.
    pub(super) fn texts(&mut self, name: &str, value: &Value) -> Option<Vec<String>> {
        let Some(items) = value.as_array() else {
            self.warn(&format!("{name}: {value} is not a list; ignored"));
            return None;
        };
        if items.len() > MAX_LIST {
            self.warn(&format!(
                "{name}: only the first {MAX_LIST} entries are used"
            ));
        }
        let mut texts = Vec::new();
        for item in items.iter().take(MAX_LIST) {
            match item.as_str().filter(|text| !text.is_empty()) {
                Some(text) => texts.push(text.to_owned()),
                None => self.warn(&format!("{name}: {item} is not a string; ignored")),
            }
        }
        Some(texts)
    }

    /// Makes a path in the configuration file absolute.
    pub(super) fn expanded(&self, path: &str) -> PathBuf {
        expand(path, &self.context.home, self.root)
    }

    fn flag(&mut self, name: &str, value: &Value) -> Option<bool> {
        let flag = value.as_bool();
        if flag.is_none() {
            self.warn(&format!(
                "{name}: {value} is neither true nor false; ignored"
            ));
        }
        flag
    }

    fn choice<T: Copy>(&mut self, name: &str, value: &Value, words: &[(&str, T)]) -> Option<T> {
        let found = value.as_str();
        let choice = words.iter().find(|(word, _)| Some(*word) == found);
        if choice.is_none() {
            let words: Vec<String> = words
                .iter()
                .map(|(word, _)| format!("\"{word}\""))
                .collect();
            let words = words.join(", ");
            self.warn(&format!("{name}: {value} is not one of {words}; ignored"));
        }
        choice.map(|(_, choice)| *choice)
    }

    pub(super) fn unknown(&mut self, table: &str, key: &str) {
        self.warn(&format!("unknown key '{table}.{key}'; ignored"));
    }

    pub(super) fn warn(&mut self, message: &str) {
        warn(self.notices, format!("{}: {message}", self.path.display()));
    }
}

const INJECT: [(&str, Inject); 3] = [
    ("instructions", Inject::Instructions),
    ("prompt", Inject::Prompt),
    ("off", Inject::Off),
];

const NAME_MISMATCH: [(&str, NameMismatch); 2] =
    [("error", NameMismatch::Error), ("warn", NameMismatch::Warn)];

const ON_COLLISION: [(&str, OnCollision); 2] = [
    ("ambiguous", OnCollision::Ambiguous),
    ("nearest", OnCollision::Nearest),
];

/// Parses a value of `catalog.roots`: `skillc`, `agents`, or the id or short name of a client.
fn known_root(name: &str) -> Option<&'static str> {
    if let Some(root) = ROOTS.into_iter().find(|root| *root == name) {
        return Some(root);
    }
    let clients = Clients::shared();
    let targets = clients.targets.iter().map(|target| target.name.as_str());
    let ids = clients.clients.iter().map(|client| client.id.as_str());
    targets.chain(ids).find(|known| *known == name)
}
