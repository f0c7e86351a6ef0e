//! Edits of `permissions.allow` and `permissions.deny`: rules for loading skills by name.
//!
//! Design: CAT-PERM.6, R18.

use std::path::{Path, PathBuf};

use skillc_catalog::name::skill_name;
use skillc_catalog::settings::SKILL_LOAD;
use skillc_core::clients::expand;
use skillc_core::layout::canonical;
use skillc_core::{Context, Error, Result};
use toml_edit::{Item, TableLike, Value};

use super::config_text::{ConfigDoc, List};
use super::switches::{shown, written};
use super::write::{ConfigFile, Edits};

/// The allowed keys of a rule.
const KEYS: [&str; 3] = ["tool", "skill_name", "root"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Allow,
    Deny,
}

/// Whether to add or to remove a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    Add,
    Remove,
}

/// An edit that adds or removes a rule.
pub(super) struct RuleEdit<'a> {
    kind: Kind,
    act: Act,
    name: &'a str,
    /// The catalog root that the rule applies to; `None` if the rule applies everywhere.
    root: Option<&'a Path>,
    /// The same root as written in the file.
    root_text: Option<String>,
    home: &'a Path,
    base: PathBuf,
}

impl<'a> RuleEdit<'a> {
    /// Creates an edit that adds an allow rule for skills called `name`. The rule applies in `root`, or everywhere if
    /// `root` is `None`.
    ///
    /// # Errors
    /// E999 if the root cannot be written in a file.
    pub(super) fn allow(
        context: &'a Context,
        at: &ConfigFile,
        name: &'a str,
        root: Option<&'a Path>,
    ) -> Result<Self> {
        Self::new(context, at, (Kind::Allow, Act::Add), name, root)
    }

    /// Creates an edit that adds or removes a rule.
    ///
    /// # Errors
    /// E999 if the root cannot be written in a file.
    pub(super) fn new(
        context: &'a Context,
        at: &ConfigFile,
        (kind, act): (Kind, Act),
        name: &'a str,
        root: Option<&'a Path>,
    ) -> Result<Self> {
        let text = root.map(|root| {
            let text = root.to_str().map(str::to_owned);
            text.ok_or_else(|| Error::internal(format!("'{}' is not UTF-8", root.display())))
        });
        Ok(Self {
            kind,
            act,
            name,
            root,
            root_text: text.transpose()?,
            home: &context.home,
            base: at.root.clone(),
        })
    }

    /// Applies the edit.
    ///
    /// # Errors
    /// The reason why the file cannot be edited.
    pub(super) fn apply(&self, doc: &mut ConfigDoc) -> Result<Edits, String> {
        let list = self.kind.list();
        let items = doc.items(list)?;
        let with = |is: &dyn Fn(&dyn TableLike) -> bool| -> Vec<(usize, String)> {
            let all = items.iter().enumerate();
            let all =
                all.filter_map(|(at, item)| item.filter(|item| is(*item)).map(|item| (at, item)));
            all.map(|(at, item)| (at, shown(item))).collect()
        };
        let own = with(&|item| self.is_own(item));
        let wider = with(&|item| self.covers(item) && !self.is_own(item));
        let mut edits = Edits::default();
        let key = list.key;
        match (self.act, wider.first()) {
            (Act::Add, _) if !own.is_empty() => {}
            (Act::Add, Some((_, rule))) => {
                let note = format!("A broader rule already exists: permissions.{key} {rule}");
                edits.notes.push(note);
            }
            (Act::Add, None) => {
                let fields = self.fields();
                edits
                    .added
                    .push(format!("permissions.{key} {}", written(&fields)));
                doc.push(list, fields);
            }
            (Act::Remove, wider) => {
                for (at, rule) in own.into_iter().rev() {
                    doc.remove(list, at);
                    edits.removed.push(format!("permissions.{key} {rule}"));
                }
                let note = |(_, rule): &(usize, String)| {
                    format!("A broader rule still applies: permissions.{key} {rule}")
                };
                edits.notes.extend(wider.map(note));
            }
        }
        Ok(edits)
    }

    fn fields(&self) -> Vec<(&'static str, Value)> {
        let mut fields = vec![
            ("tool", Value::from(SKILL_LOAD)),
            ("skill_name", Value::from(self.name)),
        ];
        let root = self.root_text.as_deref();
        fields.extend(root.map(|root| ("root", Value::from(root))));
        fields
    }

    /// Returns whether a rule in the file is exactly the rule of this edit.
    fn is_own(&self, item: &dyn TableLike) -> bool {
        self.covers(item)
            && item.contains_key("skill_name")
            && item.contains_key("root") == self.root.is_some()
    }

    /// Returns whether a rule in the file covers the rule of this edit. A malformed rule is treated as covering
    /// nothing.
    fn covers(&self, item: &dyn TableLike) -> bool {
        let is_text = |item: &Item| item.as_str().is_some_and(|text| !text.trim().is_empty());
        let is_good = item
            .iter()
            .all(|(key, item)| KEYS.contains(&key) && is_text(item));
        let text = |key: &str| item.get(key).and_then(Item::as_str).map(str::trim);
        let root = text("root").map(|root| canonical(&expand(root, self.home, &self.base)));
        is_good
            && text("tool") == Some(SKILL_LOAD)
            && text("skill_name").is_none_or(|name| skill_name(name).as_deref() == Some(self.name))
            && root.is_none_or(|root| Some(&*root) == self.root)
    }
}

impl Kind {
    const fn list(self) -> List {
        List {
            table: "permissions",
            key: match self {
                Self::Allow => "allow",
                Self::Deny => "deny",
            },
            has_headers: false,
        }
    }
}
