//! Applies the allow and deny rules of the configuration in one catalog root.
//!
//! This module only makes decisions. It does not ask the user for confirmation, and writes nothing.
//!
//! Design: catalog-policy, CAT-PERM, D5, R18.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use skillc_core::layout::SKILL_FILE;
use skillc_core::{Skill, SourceTree};

use crate::entry::{CatalogEntry, names_in, names_of};
use crate::name::skill_name;
use crate::refusal::Refusal;
use crate::settings::{Permissions, Reach, Rule, SKILL_LOAD, Unruled};

/// The result of applying the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision<'a> {
    /// Allowed.
    Allow,
    /// Requires the user's confirmation.
    Confirm,
    /// Denied by this rule, or by `permissions.default` if there is no rule.
    Deny(Option<&'a Rule>),
}

/// The rules that apply in one catalog root.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Policy {
    unruled: Option<Unruled>,
    allow: Rules,
    deny: Rules,
}

/// The rules for each tool.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Rules(BTreeMap<String, OfTool>);

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct OfTool {
    every: Option<Rule>,
    unknown: Option<Rule>,
    named: BTreeMap<String, Rule>,
}

impl Policy {
    /// Selects the rules that apply in a catalog root. `root`: canonical.
    pub fn new(permissions: &Permissions, root: &Path) -> Self {
        Self {
            unruled: permissions.unruled,
            // An allow rule of a directory above this root allows nothing here, but its existence means that skills
            // need confirmation.
            allow: Rules::in_scope(&permissions.allow, root, |of| of == root),
            deny: Rules::in_scope(&permissions.deny, root, |_| true),
        }
    }

    /// Decides whether a skill may be loaded. `skill`: the name of the skill that was found, which may differ from the
    /// requested spelling; `None` to apply only the rules for all skills.
    ///
    /// Deny rules take precedence over allow rules, and allow rules over the default. If no default is set, a skill
    /// without a rule needs confirmation if there is an allow list, and is allowed otherwise.
    pub fn decide_load(&self, skill: Option<&str>) -> Decision<'_> {
        if let Some(rule) = self.deny.matching(SKILL_LOAD, skill) {
            return Decision::Deny(Some(rule));
        }
        if self.allow.matching(SKILL_LOAD, skill).is_some() {
            return Decision::Allow;
        }
        let is_open = !self.allow.0.contains_key(SKILL_LOAD);
        let unruled = self.unruled.unwrap_or(if is_open {
            Unruled::Allow
        } else {
            Unruled::Confirm
        });
        match unruled {
            Unruled::Allow => Decision::Allow,
            Unruled::Confirm => Decision::Confirm,
            Unruled::Deny => Decision::Deny(None),
        }
    }

    /// Returns whether a rule that is not bound to a project allows a skill by name.
    pub fn is_allowed_everywhere(&self, skill: &str) -> bool {
        let rule = self.allow.matching(SKILL_LOAD, Some(skill));
        rule.is_some_and(|rule| rule.root.is_none() && matches!(rule.reach, Reach::Named(_)))
    }

    /// Returns the rule that denies a whole tool: a rule without a skill, or an invalid deny rule for the tool.
    pub fn closed_tool(&self, tool: &str) -> Option<&Rule> {
        let of_tool = self.deny.0.get(tool)?;
        of_tool.every.as_ref().or(of_tool.unknown.as_ref())
    }

    /// Returns the rule that denies a skill by name, or an invalid deny rule that may have been intended to deny it.
    /// Such a rule applies to all tools that read the skill's text, not only to the tool that loads skills.
    pub fn closed_skill(&self, skill: &str) -> Option<&Rule> {
        let of_load = self.deny.0.get(SKILL_LOAD)?;
        let named = || of_load.named.get(skill);
        of_load.unknown.as_ref().or_else(named)
    }

    /// Returns whether there are rules that deny skills by name, or invalid deny rules that may have been intended to
    /// do so.
    pub fn closes_skills(&self) -> bool {
        let of_load = self.deny.0.get(SKILL_LOAD);
        of_load.is_some_and(|of_load| of_load.unknown.is_some() || !of_load.named.is_empty())
    }

    /// Returns a refusal if the skill in a directory is denied by name.
    pub fn closed_in(&self, dir: &Path) -> Option<Refusal> {
        if !self.closes_skills() {
            return None;
        }
        names_in(dir).find_map(|skill| {
            let rule = Some(self.closed_skill(&skill)?.clone());
            Some(Refusal::Denied { skill, rule })
        })
    }

    /// Returns the directories below a skill's directory that belong to skills denied by name, each with its refusal.
    ///
    /// A symlink may lead to a file below a hidden directory, which the walk does not enter. Therefore the directories
    /// above each symlink target are checked, not only those that contain a `SKILL.md`.
    pub fn closed_below(&self, tree: &SourceTree) -> BTreeMap<PathBuf, Refusal> {
        if !self.closes_skills() {
            return BTreeMap::new();
        }
        let mut dirs = BTreeSet::new();
        for file in &tree.entries {
            let path = file.path.under(&tree.root);
            let real = tree.real_path(file);
            let is_main = path
                .file_name()
                .is_some_and(|name| name.eq_ignore_ascii_case(SKILL_FILE));
            let link = (real != path).then_some(real);
            for file in is_main.then_some(path).into_iter().chain(link) {
                let above = file.ancestors().skip(1);
                let below = above.take_while(|dir| *dir != tree.root);
                dirs.extend(below.map(Path::to_path_buf));
            }
        }
        let closed = |dir: PathBuf| self.closed_in(&dir).map(|refusal| (dir, refusal));
        dirs.into_iter().filter_map(closed).collect()
    }

    /// Returns whether a skill in memory, or a skill nested in it, is denied by name.
    pub fn closes_in_memory(&self, skill: &Skill) -> bool {
        if !self.closes_skills() {
            return false;
        }
        // The `SKILL.md` files are read again here, because a limit on their total size can exclude some of them from
        // the parsed documents.
        let entries = skill.tree.entries.iter();
        let mains = entries
            .filter(|entry| entry.path.file_name().eq_ignore_ascii_case(SKILL_FILE))
            .filter_map(|entry| skill.tree.read_file(&entry.path).ok().flatten());
        let names = mains.flat_map(|main| {
            let dir = main.path.parent();
            let dir = match dir.file_name() {
                "" => &*skill.at.name,
                name => name,
            };
            names_of(dir, &main.text())
        });
        // The skill's own `SKILL.md` may be missing from the tree because it was not read.
        let mut names = names.chain(skill_name(&skill.at.name));
        names.any(|name| self.closed_skill(&name).is_some())
    }

    /// Refuses a skill of the catalog that is denied: by a rule, by `permissions.default`, by a rule for the name of
    /// its folder, or because its `SKILL.md` is a symlink into a denied skill.
    pub fn closed_entry(&self, entry: &CatalogEntry) -> Option<Refusal> {
        let denied = |skill: &str, rule: Option<&Rule>| Refusal::Denied {
            skill: skill.to_owned(),
            rule: rule.cloned(),
        };
        if let Decision::Deny(rule) = self.decide_load(Some(&entry.name)) {
            return Some(denied(&entry.name, rule));
        }
        if !self.closes_skills() {
            return None;
        }
        let (dir, main) = (Path::new(&entry.dir), Path::new(&entry.path));
        let folder = dir.file_name().and_then(|name| skill_name(name.to_str()?));
        let by_folder = folder.and_then(|name| {
            let rule = self.closed_skill(&name)?;
            Some(denied(&name, Some(rule)))
        });
        by_folder.or_else(|| {
            let above = main.ancestors().skip(1);
            let mut above = above.take_while(|above| *above != dir && above.parent().is_some());
            above.find_map(|dir| self.closed_in(dir))
        })
    }
}

impl Rules {
    /// Selects the rules that apply everywhere, and the rules that are limited to the root or to a directory above it.
    /// A marker in a project's subfolder turns the subfolder into a root of its own, but the project's rules must still
    /// apply there. `reaches`: returns whether the rules of a given directory apply in this root.
    fn in_scope(rules: &[Rule], root: &Path, reaches: impl Fn(&Path) -> bool) -> Self {
        let mut by_tool: BTreeMap<String, OfTool> = BTreeMap::new();
        let holds = |rule: &&Rule| rule.root.as_deref().is_none_or(|of| root.starts_with(of));
        for rule in rules.iter().filter(holds) {
            // Add the tool even if the rule has no effect here, because the existence of an allow list changes the
            // default.
            let of_tool = by_tool.entry(rule.tool.clone()).or_default();
            if !rule.root.as_deref().is_none_or(&reaches) {
                continue;
            }
            match &rule.reach {
                Reach::Every => {
                    of_tool.every.get_or_insert_with(|| rule.clone());
                }
                Reach::Named(name) => {
                    let named = of_tool.named.entry(name.clone());
                    named.or_insert_with(|| rule.clone());
                }
                Reach::Unknown => {
                    of_tool.unknown.get_or_insert_with(|| rule.clone());
                }
                Reach::Nothing => {}
            }
        }
        Self(by_tool)
    }

    fn matching(&self, tool: &str, skill: Option<&str>) -> Option<&Rule> {
        let of_tool = self.0.get(tool)?;
        let named = || of_tool.named.get(skill?);
        let any = of_tool.every.as_ref().or(of_tool.unknown.as_ref());
        any.or_else(named)
    }
}
