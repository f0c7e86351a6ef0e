//! Edits of `[[skills.override]]`.
//!
//! Design: catalog-config, CAT-PICK.4, CAT-PICK.9.

use std::path::{Path, PathBuf};

use skillc_catalog::name::skill_name;
use skillc_catalog::{Catalog, CatalogEntry};
use skillc_core::Context;
use skillc_core::clients::expand;
use skillc_core::layout::{SKILL_FILE, Scope, Store, canonical};
use toml_edit::{Item, TableLike, Value};

use super::config_text::{ConfigDoc, List};
use super::write::{ConfigFile, Edits};
use crate::mcp_install::file::ClientFile;

const OVERRIDES: List = List {
    table: "skills",
    key: "override",
    has_headers: true,
};

/// Whether a skill is enabled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// Agents see the skill and may load it.
    On,
    /// The skill is hidden and cannot be loaded.
    Off,
}

/// The skills to enable or disable: all skills with a name, or one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    name: String,
    /// The skill's `SKILL.md`, if only one skill is selected; `None` for all skills with the name.
    file: Option<PathBuf>,
    /// The files of all skills with the name.
    files: Vec<PathBuf>,
}

impl Subject {
    /// Selects all skills with a name, even if there are none.
    pub fn named(catalog: &Catalog, name: &str) -> Self {
        let named = catalog.named(name).into_iter();
        Self {
            name: name.to_owned(),
            file: None,
            files: named.map(|entry| PathBuf::from(&entry.path)).collect(),
        }
    }

    /// Selects one skill by its file.
    pub fn file(entry: &CatalogEntry) -> Self {
        Self::file_of(&entry.path, &entry.name)
    }

    /// Selects one skill: by name if the name is unique, otherwise by file.
    pub fn one(catalog: &Catalog, entry: &CatalogEntry) -> Self {
        match catalog.named(&entry.name).len() {
            0 | 1 => Self::named(catalog, &entry.name),
            _ => Self::file(entry),
        }
    }

    /// Selects a file, which may no longer be the `SKILL.md` of a skill.
    pub(super) fn file_of(path: impl Into<PathBuf>, name: &str) -> Self {
        Self {
            name: name.to_owned(),
            file: Some(path.into()),
            files: Vec::new(),
        }
    }
}

/// An edit that enables or disables skills.
pub(super) struct SwitchEdit<'a> {
    subject: &'a Subject,
    turn: Turn,
    home: &'a Path,
    root: PathBuf,
    scope: Scope,
    /// The overrides in the user's file, if a project's file is edited; otherwise empty.
    before: Vec<Seen>,
}

/// An existing override.
#[derive(Debug)]
struct Seen {
    of: Option<Of>,
    is_on: Option<bool>,
    text: String,
}

#[derive(Debug, PartialEq, Eq)]
enum Of {
    Name(String),
    File(PathBuf),
}

impl<'a> SwitchEdit<'a> {
    pub(super) fn new(
        context: &'a Context,
        at: &ConfigFile,
        subject: &'a Subject,
        turn: Turn,
    ) -> Self {
        let user = Store::global(context);
        let text = match at.scope {
            Scope::Project => ClientFile::read(&user.config())
                .ok()
                .and_then(|file| file.text),
            Scope::Global => None,
        };
        let doc = text.and_then(|text| ConfigDoc::parse(&text).ok());
        let before = doc.and_then(|doc| seen(&doc, &context.home, &user.root).ok());
        Self {
            subject,
            turn,
            home: &context.home,
            root: at.root.clone(),
            scope: at.scope,
            before: before.unwrap_or_default(),
        }
    }

    /// Applies the edit.
    ///
    /// # Errors
    /// The reason why the file cannot be edited.
    pub(super) fn apply(&self, doc: &mut ConfigDoc) -> Result<Edits, String> {
        let all = seen(doc, self.home, &self.root)?;
        let is_on = self.turn == Turn::On;
        let own: Vec<usize> = (0..all.len()).filter(|at| self.is_own(&all[*at])).collect();
        let is_needed = !is_on || self.is_off_without(&all);
        let kept = own.last().copied().filter(|_| is_needed);
        let is_rival = |seen: &Seen| self.is_of_other(seen) && seen.is_on == Some(!is_on);
        let gone = |at: &usize| Some(*at) != kept && (own.contains(at) || is_rival(&all[*at]));
        let mut edits = Edits::default();
        match kept {
            Some(at) if all[at].is_on != Some(is_on) => {
                doc.set(OVERRIDES, at, "enabled", is_on);
                edits.removed.push(listed(&all[at].text));
                let texts = doc.items(OVERRIDES)?;
                let text = texts.get(at).copied().flatten().map(shown);
                edits.added.extend(text.as_deref().map(listed));
            }
            None if is_needed => {
                let fields = vec![self.key(), ("enabled", Value::from(is_on))];
                edits.added.push(listed(&written(&fields)));
                doc.push(OVERRIDES, fields);
            }
            _ => {}
        }
        let gone: Vec<usize> = (0..all.len()).filter(gone).collect();
        for at in gone.into_iter().rev() {
            doc.remove(OVERRIDES, at);
            edits.removed.push(listed(&all[at].text));
        }
        Ok(edits)
    }

    /// Returns whether an override selects exactly the same skills as this edit.
    fn is_own(&self, seen: &Seen) -> bool {
        match (&seen.of, &self.subject.file) {
            (Some(Of::Name(name)), None) => *name == self.subject.name,
            (Some(Of::File(path)), Some(file)) => path == file,
            _ => false,
        }
    }

    /// Returns whether an override selects the file of one of the skills with the subject's name.
    fn is_of_other(&self, seen: &Seen) -> bool {
        matches!(&seen.of, Some(Of::File(path)) if self.subject.files.contains(path))
    }

    /// Returns whether the selected skills would be disabled if they had no override of their own.
    fn is_off_without(&self, all: &[Seen]) -> bool {
        let by_name =
            |seen: &&Seen| matches!(&seen.of, Some(Of::Name(name)) if *name == self.subject.name);
        let by_file = |seen: &&Seen| self.subject.file.is_some() && self.is_own(seen);
        let mut of_file = self
            .before
            .iter()
            .filter(by_file)
            .filter_map(|seen| seen.is_on);
        let here = all.iter().filter(|_| self.subject.file.is_some());
        let of_name = self.before.iter().chain(here).filter(by_name);
        let mut of_name = of_name.filter_map(|seen| seen.is_on);
        of_file.next_back().or_else(|| of_name.next_back()) == Some(false)
    }

    fn key(&self) -> (&'static str, Value) {
        let Some(file) = &self.subject.file else {
            return ("name", Value::from(self.subject.name.as_str()));
        };
        // A project's file is shared: write a path that is valid on other machines.
        let root = canonical(&self.root);
        let below = file.strip_prefix(&root).ok();
        let below = below.filter(|_| self.scope == Scope::Project);
        let text = below.map_or_else(
            || file.to_string_lossy().into_owned(),
            |below| {
                let parts = below.iter().map(|part| part.to_string_lossy());
                parts.collect::<Vec<_>>().join("/")
            },
        );
        ("path", Value::from(text))
    }
}

/// Reads the overrides of a file.
fn seen(doc: &ConfigDoc, home: &Path, root: &Path) -> Result<Vec<Seen>, String> {
    let items = doc.items(OVERRIDES)?.into_iter();
    let text = |table: &dyn TableLike, key: &str| {
        let value = table.get(key)?.as_str()?;
        Some(value.to_owned()).filter(|value| !value.is_empty())
    };
    let one = |item: Option<&dyn TableLike>| {
        let name = item.and_then(|item| skill_name(&text(item, "name")?));
        let path = item.and_then(|item| text(item, "path"));
        let of = match (name, path) {
            (Some(name), None) => Some(Of::Name(name)),
            (None, Some(path)) => Some(Of::File(skill_file(&expand(&path, home, root)))),
            _ => None,
        };
        Seen {
            of,
            is_on: item.and_then(|item| item.get("enabled")?.as_bool()),
            text: item.map(shown).unwrap_or_default(),
        }
    };
    Ok(items.map(one).collect())
}

/// Returns the path of a `SKILL.md`, given that path or its folder; canonical if the file exists.
pub(super) fn skill_file(path: &Path) -> PathBuf {
    if path.ends_with(SKILL_FILE) {
        canonical(path)
    } else {
        canonical(&path.join(SKILL_FILE))
    }
}

/// Prefixes an entry with the name of its list.
fn listed(text: &str) -> String {
    format!("skills.override {text}")
}

/// Formats a table of a list as an inline table.
pub(super) fn shown(table: &dyn TableLike) -> String {
    let values = table.iter().filter_map(|(key, item)| match item {
        Item::Value(value) => Some((key, value.clone())),
        _ => None,
    });
    written(&values.collect::<Vec<_>>())
}

/// Formats fields as in an inline table.
pub(super) fn written(fields: &[(&str, Value)]) -> String {
    let fields = fields.iter().map(|(key, value)| {
        let mut value = value.clone();
        value.decor_mut().clear();
        format!("{key} = {}", value.to_string().trim())
    });
    format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
}
