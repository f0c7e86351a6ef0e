//! `skc catalog allow` and `deny`: rules for loading skills, in the configuration.
//!
//! Allow rules are written to the user's file, by default for one project; deny rules are by default written to the
//! project's file, for everyone. No MCP tool writes rules: a model cannot grant itself permissions.
//!
//! Design: catalog-commands, catalog-policy, CAT-PERM.6, R18.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_catalog::{Catalog, Decision, Policy, Wanted, resolve};
use skillc_core::{Error, Result};

use super::rules::{Act, Kind, RuleEdit};
use super::settings;
use super::suggestions::{ALL_OFF, denied, full_catalog, no_such_skill, wanted_name};
use super::write::{ConfigFile, Owner, Written};
use crate::mcp_install::Change;
use crate::notes::Notes;
use crate::operation::{Example, Operation};
use crate::toolkit::Toolkit;

/// Arguments of `skc catalog allow` and `skc catalog deny`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct RuleRequest {
    /// Name of the skill
    #[cfg_attr(feature = "clap", arg(value_name = "NAME"))]
    pub skill: String,
    /// Apply the rule to all projects (written to ~/.skillc/config.toml)
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(default)]
    pub global: bool,
    /// Remove the rule
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(default)]
    pub remove: bool,
}

/// The rule, where it was written, and its effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RuleResponse {
    /// Name of the skill
    pub name: String,
    /// Whether the skill may be loaded now
    pub decision: Decided,
    /// Catalog root that the rule applies to; null if it applies everywhere, or wherever the project's file applies
    pub root: Option<String>,
    /// Kind of rule
    pub rule: Decided,
    /// Whether the rule was removed
    pub remove: bool,
    /// What was written
    #[serde(flatten)]
    pub written: Written,
}

/// Whether a skill may be loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Decided {
    /// It may be loaded.
    Allow,
    /// Requires the user's confirmation.
    Confirm,
    /// It may not be loaded.
    Deny,
}

impl From<Decision<'_>> for Decided {
    fn from(decision: Decision<'_>) -> Self {
        match decision {
            Decision::Allow => Self::Allow,
            Decision::Confirm => Self::Confirm,
            Decision::Deny(_) => Self::Deny,
        }
    }
}

/// Implements `skc catalog allow`.
pub struct CatalogAllow;

impl Operation for CatalogAllow {
    const NAME: &'static str = "catalog allow";
    const ABOUT: &'static str = "Let agents load a skill without confirmation";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc catalog allow repo-review",
            does: "in this project only (written to ~/.skillc/config.toml)",
        },
        Example {
            command: "skc catalog allow repo-review --global",
            does: "in every project",
        },
        Example {
            command: "skc catalog allow repo-review --remove",
            does: "remove the rule",
        },
    ];
    type Request = RuleRequest;
    type Response = RuleResponse;

    fn run(toolkit: &Toolkit, request: RuleRequest, notes: &mut Notes) -> Result<RuleResponse> {
        let (catalog, is_enabled) = full_catalog(&toolkit.context, notes);
        let discovery = &catalog.settings.discovery;
        let has_project = catalog.chain.is_marked(&toolkit.context, discovery);
        let root = (!request.global && has_project).then(|| catalog.chain.root.clone());
        let mut asked = Asked::new(&catalog, &request, Kind::Allow)?;
        asked.root = root;
        let mut response = asked.written(toolkit, Owner::User, is_enabled)?;
        if !request.global && !has_project {
            let note = "Not in a project: the rule applies to all projects, as with --global.";
            response.written.notes.insert(0, note.to_owned());
        }
        Ok(response)
    }
}

/// Implements `skc catalog deny`.
pub struct CatalogDeny;

impl Operation for CatalogDeny {
    const NAME: &'static str = "catalog deny";
    const ABOUT: &'static str = "Prevent agents from loading a skill (overrides any allow rule)";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc catalog deny danger",
            does: "in this project, for everyone",
        },
        Example {
            command: "skc catalog deny danger --global",
            does: "in all your projects",
        },
        Example {
            command: "skc catalog deny danger --remove",
            does: "remove the project's rule",
        },
    ];
    type Request = RuleRequest;
    type Response = RuleResponse;

    fn run(toolkit: &Toolkit, request: RuleRequest, notes: &mut Notes) -> Result<RuleResponse> {
        let (catalog, is_enabled) = full_catalog(&toolkit.context, notes);
        let place = if request.global {
            Owner::User
        } else {
            Owner::Project
        };
        Asked::new(&catalog, &request, Kind::Deny)?.written(toolkit, place, is_enabled)
    }
}

/// The requested rule.
struct Asked<'a> {
    catalog: &'a Catalog,
    kind: Kind,
    act: Act,
    name: String,
    root: Option<PathBuf>,
}

impl<'a> Asked<'a> {
    fn new(catalog: &'a Catalog, request: &RuleRequest, kind: Kind) -> Result<Self> {
        let name = wanted_name(&request.skill).map_err(|error| by_path(catalog, request, error))?;
        Ok(Self {
            catalog,
            kind,
            act: if request.remove {
                Act::Remove
            } else {
                Act::Add
            },
            name,
            root: None,
        })
    }

    fn written(self, toolkit: &Toolkit, place: Owner, is_enabled: bool) -> Result<RuleResponse> {
        let root = self.root.as_deref();
        let at = ConfigFile::new(&toolkit.context, place);
        let edit = RuleEdit::new(
            &toolkit.context,
            &at,
            (self.kind, self.act),
            &self.name,
            root,
        )?;
        let mut written = at.edited(toolkit, |doc| edit.apply(doc))?;
        if self.act == Act::Remove && written.change == Change::Unchanged {
            written.change = Change::Absent;
        }
        let (settings, _) = settings(&toolkit.context);
        let policy = Policy::new(&settings.permissions, &self.catalog.chain.root);
        let decision = Decided::from(policy.decide_load(Some(&self.name)));
        written.notes.extend(self.told(&policy, decision));
        if self.catalog.named(&self.name).is_empty() {
            written.notes.push(no_such_skill(self.catalog, &self.name));
        }
        if !is_enabled {
            written.notes.push(ALL_OFF.to_owned());
        }
        Ok(RuleResponse {
            decision,
            root: root.map(|root| root.display().to_string()),
            name: self.name,
            remove: self.act == Act::Remove,
            rule: match self.kind {
                Kind::Allow => Decided::Allow,
                Kind::Deny => Decided::Deny,
            },
            written,
        })
    }

    /// Returns notes about effects of the rule that the user may not expect.
    fn told(&self, policy: &Policy, decision: Decided) -> Vec<String> {
        let mut notes = Vec::new();
        let is_against = match self.kind {
            Kind::Allow => self.act == Act::Add && decision == Decided::Deny,
            Kind::Deny => self.act == Act::Remove && decision == Decided::Deny,
        };
        if is_against {
            notes.extend(denied(policy, &self.name));
        }
        let others = |policy: &Policy| Decided::from(policy.decide_load(None));
        match (others(&self.catalog.policy), others(policy)) {
            (Decided::Allow, Decided::Confirm) => notes.push(
                "All other skills now need confirmation, because an allow rule exists.".to_owned(),
            ),
            (Decided::Confirm, Decided::Allow) => {
                notes.push(
                    "No allow rules are left: agents may now load every skill that no rule denies."
                        .to_owned(),
                );
            }
            _ => {}
        }
        notes
    }
}

/// Creates the error for a path given instead of a name, with a hint that shows the name to use.
fn by_path(catalog: &Catalog, request: &RuleRequest, error: Error) -> Error {
    let wanted = Wanted::argument(request.skill.trim()).by_person();
    let Some(path) = &wanted.path else {
        return error;
    };
    let entry = resolve(catalog, &wanted).ok();
    let name = entry.map(|resolved| resolved.entry().name.clone());
    Error::InvalidOption {
        message: format!("'{path}' is a path; rules require a skill's name"),
        hint: name.map(|name| format!("That skill's name is '{name}'.").into()),
    }
}
