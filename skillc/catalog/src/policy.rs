//! Who may use what: the rules of the configuration, for one catalog root.
//!
//! Decisions only: nobody is asked here, and nothing is written.
//!
//! Source: CATALOG §3.7, CAT-PERM.1 to .5, .8, D5, RULINGS R18.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use skillc_core::SourceTree;
use skillc_core::layout::SKILL_FILE;

use crate::entry::{Entry, names_in};
use crate::name::skill_name;
use crate::refusal::Refusal;
use crate::settings::{Permissions, Reach, Rule, SKILL_LOAD, Unruled};

/// What may be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision<'a> {
    /// It may.
    Allow,
    /// It may if somebody says so.
    Confirm,
    /// It may not: because of this rule, or because `permissions.default` says so.
    Deny(Option<&'a Rule>),
}

/// The rules that hold in one catalog root.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Policy {
    unruled: Option<Unruled>,
    allow: Rules,
    deny: Rules,
}

/// Rules by the tool they are for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Rules(BTreeMap<String, OfTool>);

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct OfTool {
    every: Option<Rule>,
    unknown: Option<Rule>,
    named: BTreeMap<String, Rule>,
}

impl Policy {
    /// Takes the rules that hold in a catalog root, which is canonical.
    pub fn new(permissions: &Permissions, root: &Path) -> Self {
        Self {
            unruled: permissions.unruled,
            // A list of what is allowed in a project is there below it, too, but allows nothing.
            allow: Rules::of(&permissions.allow, root, |of| of == root),
            deny: Rules::of(&permissions.deny, root, |_| true),
        }
    }

    /// Decides about loading a skill. `skill`: the name of the one that was found, whatever the caller called it; `None` for
    /// those that no rule names.
    ///
    /// Returns: what the first says that holds of a rule that denies, a rule that allows, and the default. Without a
    /// default a list of what is allowed means that anything else needs a word.
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

    /// Returns the rule that takes a whole tool away.
    pub fn closed_tool(&self, tool: &str) -> Option<&Rule> {
        let of_tool = self.deny.0.get(tool)?;
        of_tool.every.as_ref().or(of_tool.unknown.as_ref())
    }

    /// Returns the rule that denies the skill of a name by that name, or that may have meant it: such a rule is for every
    /// way to the skill's text, not for one tool.
    pub fn closed_skill(&self, skill: &str) -> Option<&Rule> {
        let of_load = self.deny.0.get(SKILL_LOAD)?;
        let named = || of_load.named.get(skill);
        of_load.unknown.as_ref().or_else(named)
    }

    /// Says whether any skill may be denied by its name.
    pub fn closes_skills(&self) -> bool {
        let of_load = self.deny.0.get(SKILL_LOAD);
        of_load.is_some_and(|of_load| of_load.unknown.is_some() || !of_load.named.is_empty())
    }

    /// Refuses what a directory holds, if it is one of a skill that is denied by its name.
    pub fn closed_in(&self, dir: &Path) -> Option<Refusal> {
        if !self.closes_skills() {
            return None;
        }
        names_in(dir).find_map(|skill| {
            let rule = Some(self.closed_skill(&skill)?.clone());
            Some(Refusal::Denied { skill, rule })
        })
    }

    /// Returns the directories below a skill's own that are those of skills denied by name, each with its refusal.
    ///
    /// A link may lead to a file below a hidden directory, which is not walked: every directory above that file counts.
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

    /// Refuses a skill of the catalog that is denied: by its name, by the name of its folder, or because its `SKILL.md` is a
    /// link to a file of one that is.
    pub fn closed_entry(&self, entry: &Entry) -> Option<Refusal> {
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
    /// Takes the rules for a root and those for what it lies in: a project may hold a marker that makes a folder of it a root
    /// of its own, and must not get out of the rules by that. `reaches`: whether one for that folder says something.
    fn of(rules: &[Rule], root: &Path, reaches: impl Fn(&Path) -> bool) -> Self {
        let mut by_tool: BTreeMap<String, OfTool> = BTreeMap::new();
        let holds = |rule: &&Rule| rule.root.as_deref().is_none_or(|of| root.starts_with(of));
        for rule in rules.iter().filter(holds) {
            // One that allows nothing is there all the same: a list of what is allowed is what it is in.
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
