//! `[[skills.override]]`: enables or disables skills, by name or by file.
//!
//! Design: catalog-config.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::layer::SettingsReader;
use crate::name::skill_name;
use skillc_core::layout::{SKILL_FILE, canonical};

/// One override.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switch {
    /// Whether the skill is enabled.
    pub enabled: bool,
    /// The configuration file that contains the override.
    pub file: PathBuf,
    /// Whether the override comes from an untrusted project. Such an override must not affect which skill a name
    /// resolves to.
    pub is_foreign: bool,
}

/// All overrides. A later override takes precedence over an earlier one, and an override by file over an override by
/// name. An untrusted project cannot enable a skill that the user has disabled.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Switches {
    /// The overrides of both files.
    all: Overrides,
    /// The overrides of the user's file.
    users: Overrides,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Overrides {
    names: BTreeMap<String, Switch>,
    files: BTreeMap<PathBuf, Switch>,
}

impl Overrides {
    fn insert(&mut self, switched: Switched, switch: Switch) {
        match switched {
            Switched::Name(name) => self.names.insert(name, switch),
            Switched::File(path) => self.files.insert(path, switch),
        };
    }

    fn find(&self, name: &str, path: &str) -> Option<&Switch> {
        let by_file = self.files.get(Path::new(path));
        by_file.or_else(|| self.names.get(name))
    }
}

/// The skills to which an override applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Switched {
    /// Every skill with this name.
    Name(String),
    /// The `SKILL.md` with this canonical path.
    File(PathBuf),
}

impl Switches {
    pub(super) fn joined(
        global: Vec<(Switched, Switch)>,
        project: Vec<(Switched, Switch)>,
        is_trusted: bool,
    ) -> Self {
        let mut users = Overrides::default();
        for (switched, switch) in global {
            users.insert(switched, switch);
        }
        let mut all = users.clone();
        for (switched, mut switch) in project {
            switch.is_foreign = !is_trusted;
            all.insert(switched, switch);
        }
        Self { all, users }
    }

    /// Returns the override that applies to a skill. A skill without an override is enabled. `path`: the skill's
    /// `SKILL.md`.
    pub fn find(&self, name: &str, path: &str) -> Option<&Switch> {
        let found = self.all.find(name, path)?;
        let users = || self.users.find(name, path).filter(|own| !own.enabled);
        let users = found.is_foreign.then(users).flatten();
        users.or(Some(found))
    }

    /// Returns whether a skill is enabled. `path`: the skill's `SKILL.md`.
    pub fn is_on(&self, name: &str, path: &str) -> bool {
        self.find(name, path).is_none_or(|switch| switch.enabled)
    }
}

impl SettingsReader<'_> {
    pub(super) fn switches(&mut self, value: Value) -> Vec<(Switched, Switch)> {
        let Value::Array(items) = value else {
            self.warn("'skills.override' is not a list of tables; ignored");
            return Vec::new();
        };
        let tables = (1..).zip(items);
        tables
            .filter_map(|(number, item)| self.switch(number, item))
            .collect()
    }

    fn switch(&mut self, number: usize, item: Value) -> Option<(Switched, Switch)> {
        let place = format!("skills.override {number}");
        let Value::Table(table) = item else {
            self.warn(&format!("{place}: {item} is not a table; ignored"));
            return None;
        };
        for key in table.keys() {
            if !["name", "path", "enabled"].contains(&key.as_str()) {
                self.warn(&format!("{place}: unknown key '{key}'; ignored"));
            }
        }
        let found = self.switched(&table).and_then(|switched| {
            let enabled = table.get("enabled").and_then(Value::as_bool);
            let enabled = enabled.ok_or("'enabled' is neither true nor false")?;
            Ok((switched, enabled))
        });
        match found {
            Ok((switched, enabled)) => {
                let file = self.path.to_path_buf();
                let switch = Switch {
                    enabled,
                    file,
                    is_foreign: false,
                };
                Some((switched, switch))
            }
            Err(reason) => {
                self.warn(&format!("{place}: {reason}; ignored"));
                None
            }
        }
    }

    fn switched(&self, table: &Table) -> Result<Switched, &'static str> {
        match (table.get("name"), table.get("path")) {
            (Some(name), None) => {
                let name = name.as_str().and_then(skill_name);
                Ok(Switched::Name(
                    name.ok_or("'name' is not a valid skill name")?,
                ))
            }
            (None, Some(path)) => {
                let path = path.as_str().filter(|path| !path.is_empty());
                let path = self.expanded(path.ok_or("'path' is not a path")?);
                let file = if path.ends_with(SKILL_FILE) {
                    path
                } else {
                    path.join(SKILL_FILE)
                };
                Ok(Switched::File(canonical(&file)))
            }
            _ => Err("either 'name' or 'path' is required"),
        }
    }
}
