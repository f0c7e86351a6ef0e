//! `[permissions]`: allow and deny rules.
//!
//! An allow rule that cannot be parsed allows nothing. A deny rule that cannot be parsed denies every call of its tool;
//! if its tool is not valid either, it denies loading any skill.
//!
//! Design: CAT-PERM.1, CAT-PERM.3, D5, R18.

use std::fmt::{self, Display};
use std::path::PathBuf;

use toml::{Table, Value};

use super::layer::{Layer, SettingsReader};
use crate::name::skill_name;
use skillc_core::layout::canonical;

/// The tool that loads a skill. Only rules for this tool may specify a skill.
pub const SKILL_LOAD: &str = "skill_load";

/// The keys of a rule.
const KEYS: [&str; 3] = ["tool", "skill_name", "root"];

/// The allow and deny rules of the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Permissions {
    /// `permissions.default`, if it is set.
    pub unruled: Option<Unruled>,
    /// The allow rules: the user's, then those of a project that the user trusts.
    pub allow: Vec<Rule>,
    /// The deny rules: the user's, then the project's.
    pub deny: Vec<Rule>,
}

/// `permissions.default`: the result if no rule applies. The strictest value is last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unruled {
    /// The call is allowed.
    Allow,
    /// The call requires the user's confirmation.
    Confirm,
    /// The call is denied.
    Deny,
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The tool to which the rule applies.
    pub tool: String,
    /// The calls of that tool to which the rule applies.
    pub reach: Reach,
    /// The canonical catalog root in which the rule applies; `None` if it applies everywhere.
    pub root: Option<PathBuf>,
    /// The configuration file that contains the rule.
    pub file: PathBuf,
}

/// The calls of a tool to which a rule applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// All calls.
    Every,
    /// The calls for the skill of this name.
    Named(String),
    /// No calls, because the allow rule cannot be parsed.
    Nothing,
    /// Unknown calls, because the deny rule cannot be parsed. The rule denies every call of its tool.
    Unknown,
}

/// Prints the rule in the notation of the configuration, and its file:
/// `{ tool = "skill_load", skill_name = "x" } in …/config.toml`.
impl Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{ tool = \"{}\"", self.tool)?;
        if let Reach::Named(name) = &self.reach {
            write!(f, ", skill_name = \"{name}\"")?;
        }
        if let Some(root) = &self.root {
            write!(f, ", root = \"{}\"", root.display())?;
        }
        write!(f, " }} in {}", self.file.display())
    }
}

/// The list that contains a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum List {
    Allow,
    Deny,
}

impl List {
    const fn key(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
        }
    }

    /// Returns the reach of a rule that cannot be parsed.
    const fn reach_of_bad(self) -> Reach {
        match self {
            Self::Allow => Reach::Nothing,
            Self::Deny => Reach::Unknown,
        }
    }

    const fn words_for_bad(self) -> &'static str {
        match self {
            Self::Allow => "it has no effect",
            Self::Deny => "it denies every call",
        }
    }
}

impl Unruled {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "allow" => Some(Self::Allow),
            "confirm" => Some(Self::Confirm),
            "deny" => Some(Self::Deny),
            _ => None,
        }
    }
}

impl SettingsReader<'_> {
    pub(super) fn permissions(&mut self, value: Value, layer: &mut Layer) {
        let Value::Table(table) = value else {
            self.warn("'permissions' is not a table; every skill is denied");
            layer.deny.push(self.bad(List::Deny, None));
            return;
        };
        for (key, value) in table {
            match key.as_str() {
                "default" => layer.unruled = Some(self.unruled(&value)),
                "allow" => layer.allow = self.rules(List::Allow, value),
                "deny" => layer.deny = self.rules(List::Deny, value),
                "trust_projects" => {
                    let paths = self.texts("permissions.trust_projects", &value);
                    let paths = paths.unwrap_or_default();
                    let paths = paths.iter().map(|path| canonical(&self.expanded(path)));
                    layer.trust_projects = paths.collect();
                }
                _ => self.unknown("permissions", &key),
            }
        }
    }

    /// Denies every skill, because the deny rules in the file are unknown.
    pub(super) fn unreadable_permissions(&mut self, layer: &mut Layer) {
        self.warn("its deny rules are not known; every skill is denied");
        layer.deny.push(self.bad(List::Deny, None));
    }

    fn unruled(&mut self, value: &Value) -> Unruled {
        let unruled = value.as_str().and_then(Unruled::parse);
        unruled.unwrap_or_else(|| {
            self.warn(&format!(
                "permissions.default: {value} is not one of \"allow\", \"confirm\", \"deny\"; using \"confirm\""
            ));
            Unruled::Confirm
        })
    }

    fn rules(&mut self, list: List, value: Value) -> Vec<Rule> {
        let Value::Array(items) = value else {
            let (key, so) = (list.key(), list.words_for_bad());
            self.warn(&format!("permissions.{key} is not a list of tables; {so}"));
            return vec![self.bad(list, None)];
        };
        let items = (1..).zip(items);
        items
            .map(|(number, item)| self.rule(list, number, &item))
            .collect()
    }

    fn rule(&mut self, list: List, number: usize, item: &Value) -> Rule {
        let place = format!("permissions.{} {number}", list.key());
        let keys = item.as_table().into_iter().flat_map(Table::keys);
        let odd = keys.into_iter().find(|key| !KEYS.contains(&key.as_str()));
        let rule = match odd {
            // Ignoring a mistyped `skill_name` would allow every skill.
            Some(key) if list == List::Allow => Err(format!("unknown key '{key}'")),
            Some(key) => self.good_rule(item).and_then(|rule| {
                if rule.reach == Reach::Every {
                    // The unknown key may be a mistyped restriction.
                    return Err(format!("unknown key '{key}'"));
                }
                self.warn(&format!("{place}: unknown key '{key}'; ignored"));
                Ok(rule)
            }),
            None => self.good_rule(item),
        };
        rule.unwrap_or_else(|reason| {
            self.warn(&format!("{place}: {reason}; {}", list.words_for_bad()));
            self.bad(list, item.get("tool").and_then(Value::as_str))
        })
    }

    fn good_rule(&self, item: &Value) -> Result<Rule, String> {
        let table = item.as_table().ok_or("not a table")?;
        let tool = text(table, "tool")?.ok_or("no 'tool'")?;
        let tool = tool.to_lowercase();
        if !(self.is_tool)(&tool) {
            return Err(format!("there are no rules for tool '{tool}'"));
        }
        let reach = match text(table, "skill_name")? {
            None => Reach::Every,
            Some(_) if tool != SKILL_LOAD => {
                return Err(format!(
                    "'skill_name' is only allowed for tool '{SKILL_LOAD}'"
                ));
            }
            Some(name) => Reach::Named(
                skill_name(name).ok_or_else(|| format!("'{name}' is not a valid skill name"))?,
            ),
        };
        let root = text(table, "root")?.map(|root| canonical(&self.expanded(root)));
        Ok(Rule {
            tool,
            reach,
            root,
            file: self.path.to_path_buf(),
        })
    }

    fn bad(&self, list: List, tool: Option<&str>) -> Rule {
        // An invalid deny rule without a valid tool denies loading skills.
        let tool = tool
            .map(str::trim)
            .filter(|tool| list == List::Allow && !tool.is_empty() || (self.is_tool)(tool));
        Rule {
            tool: tool.unwrap_or(SKILL_LOAD).to_owned(),
            reach: list.reach_of_bad(),
            root: None,
            file: self.path.to_path_buf(),
        }
    }
}

/// Returns the value of a key in a rule, trimmed.
fn text<'a>(table: &'a Table, key: &str) -> Result<Option<&'a str>, String> {
    let Some(value) = table.get(key) else {
        return Ok(None);
    };
    let text = value
        .as_str()
        .map(str::trim)
        .filter(|text| !text.is_empty());
    text.map(Some)
        .ok_or_else(|| format!("'{key}' is not a string"))
}
