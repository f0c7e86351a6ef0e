//! `skc catalog enable` and `disable`: enables and disables skills in the configuration.
//!
//! Design: catalog-commands, catalog-config, CAT-PICK.9.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_catalog::{Catalog, CatalogEntry, Policy, Refusal, Wanted, resolve};
use skillc_core::layout::{Scope, Store, canonical};
use skillc_core::{Error, Result};

use super::settings;
use super::suggestions::{ALL_OFF, denied, full_catalog, no_such_skill, wanted_name};
use super::switches::skill_file;
use super::write::{ConfigFile, Owner, Subject, Turn, Written, switch};
use crate::mcp_install::Change;
use crate::notes::Notes;
use crate::operation::{Example, Operation};
use crate::toolkit::Toolkit;

/// Arguments of `skc catalog enable` and `skc catalog disable`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct SwitchRequest {
    /// Skill name, or path of its folder or SKILL.md
    #[cfg_attr(feature = "clap", arg(value_name = "NAME|PATH"))]
    pub skill: String,
    /// Write to the user's configuration file, for all projects
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(default)]
    pub global: bool,
}

/// What was enabled or disabled, and where that is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SwitchResponse {
    /// Name of the skill
    pub name: String,
    /// Its SKILL.md, if only that one was changed
    pub path: Option<String>,
    /// Whether the configuration now enables it
    pub enabled: bool,
    /// Whether the result is as requested
    #[serde(skip)]
    pub is_done: bool,
    /// What was written
    #[serde(flatten)]
    pub written: Written,
}

/// Implements `skc catalog enable`.
pub struct CatalogEnable;

impl Operation for CatalogEnable {
    const NAME: &'static str = "catalog enable";
    const ABOUT: &'static str = "Enable a skill: agents see it and can load it";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc catalog enable old-helper",
            does: "in this project",
        },
        Example {
            command: "skc catalog enable old-helper --global",
            does: "in the user's configuration file",
        },
    ];
    type Request = SwitchRequest;
    type Response = SwitchResponse;

    fn run(toolkit: &Toolkit, request: SwitchRequest, notes: &mut Notes) -> Result<SwitchResponse> {
        turned(toolkit, &request, Turn::On, notes)
    }
}

/// Implements `skc catalog disable`.
pub struct CatalogDisable;

impl Operation for CatalogDisable {
    const NAME: &'static str = "catalog disable";
    const ABOUT: &'static str = "Disable a skill: hide it from agents and prevent loading";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc catalog disable old-helper",
            does: "in this project",
        },
        Example {
            command: "skc catalog disable old-helper --global",
            does: "in every project",
        },
        Example {
            command: "skc catalog disable .agents/skills/old-helper",
            does: "only this skill, not others of the same name",
        },
    ];
    type Request = SwitchRequest;
    type Response = SwitchResponse;

    fn run(toolkit: &Toolkit, request: SwitchRequest, notes: &mut Notes) -> Result<SwitchResponse> {
        turned(toolkit, &request, Turn::Off, notes)
    }
}

fn turned(
    toolkit: &Toolkit,
    request: &SwitchRequest,
    turn: Turn,
    notes: &mut Notes,
) -> Result<SwitchResponse> {
    let (catalog, is_enabled) = full_catalog(&toolkit.context, notes);
    let place = if request.global {
        Owner::User
    } else {
        Owner::Project
    };
    let meant = Meant::resolve(&catalog, &request.skill, notes)?;
    let may_be_unknown = turn == Turn::On || (place == Owner::User && meant.path.is_none());
    if let Some(refusal) = meant.unknown.as_ref().filter(|_| !may_be_unknown) {
        return Err(refusal.error());
    }
    let mut written = switch(toolkit, &meant.subject, turn, place)?;
    if let Some(refusal) = &meant.unknown {
        if turn == Turn::On && written.change == Change::Unchanged {
            return Err(refusal.error());
        }
        written.notes.push(no_such_skill(&catalog, &meant.name));
    }
    let enabled = meant.tell(&catalog, turn, toolkit, &mut written);
    if !is_enabled {
        written.notes.push(ALL_OFF.to_owned());
    }
    Ok(SwitchResponse {
        name: meant.name,
        path: meant.path,
        enabled,
        is_done: enabled == (turn == Turn::On),
        written,
    })
}

/// The skills that an argument refers to.
struct Meant<'a> {
    name: String,
    path: Option<String>,
    subject: Subject,
    /// The matching skills.
    skills: Vec<&'a CatalogEntry>,
    /// The reason why no skill matches; `None` if a skill matches.
    unknown: Option<Refusal>,
}

impl<'a> Meant<'a> {
    fn resolve(catalog: &'a Catalog, argument: &str, notes: &mut Notes) -> Result<Self> {
        let wanted = Wanted::argument(argument).by_person();
        if let Some(path) = &wanted.path {
            return Self::at_path(catalog, &wanted, path);
        }
        let name = wanted_name(argument)?;
        let skills = catalog.named(&name);
        let unknown = skills.is_empty().then(|| {
            notes.hint = super::suggestions::similar(catalog, &name);
            Refusal::Unknown {
                skill: name.clone(),
                suggestions: Vec::new(),
            }
        });
        Ok(Self {
            path: None,
            subject: Subject::named(catalog, &name),
            skills,
            unknown,
            name,
        })
    }

    fn at_path(catalog: &'a Catalog, wanted: &Wanted, path: &str) -> Result<Self> {
        let full = skill_file(&catalog.chain.working_dir.join(path));
        let skills = catalog.skills().iter();
        let entry = skills.clone().find(|entry| full == *entry.path);
        if let Some(entry) = entry {
            return Ok(Self {
                name: entry.name.clone(),
                path: Some(entry.path.clone()),
                subject: Subject::file(entry),
                skills: vec![entry],
                unknown: None,
            });
        }
        let refusal = match resolve(catalog, wanted) {
            Err(refusal @ Refusal::NotInCatalog { .. }) => refusal,
            Err(refusal) => return Err(refusal.error()),
            Ok(_) => return Err(Error::internal(format!("'{path}' is listed twice"))),
        };
        let dir = full.parent().and_then(|dir| dir.file_name());
        let name = dir.unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self {
            path: Some(full.to_string_lossy().into_owned()),
            subject: Subject::file_of(full, &name),
            skills: Vec::new(),
            unknown: Some(refusal),
            name,
        })
    }

    /// Reports differences between the request and the effective configuration. Returns whether the skills are enabled
    /// now: after enabling, true if every skill is enabled; after disabling, true if any skill is still enabled.
    fn tell(
        &self,
        catalog: &Catalog,
        turn: Turn,
        toolkit: &Toolkit,
        written: &mut Written,
    ) -> bool {
        let (settings, _) = settings(&toolkit.context);
        let wanted = turn == Turn::On;
        let users = Store::global(&toolkit.context).config();
        let (mut is_as_asked, mut is_by_user) = (true, false);
        for entry in &self.skills {
            let switch = settings.switches.find(&entry.name, &entry.path);
            let switch = switch.filter(|switch| switch.enabled != wanted);
            let Some(switch) = switch else { continue };
            is_as_asked = false;
            is_by_user |= switch.file == users;
            let word = if wanted { "disabled" } else { "enabled" };
            let (path, file) = (&entry.path, switch.file.display());
            written
                .notes
                .push(format!("'{path}' is still {word} by {file}."));
        }
        if wanted && is_by_user && written.scope == Scope::Project {
            let project = ConfigFile::new(&toolkit.context, Owner::Project).root;
            let project = canonical(&project);
            // A trusted project overrides the user's file.
            if !toolkit.config.trusted.contains(&project) {
                let (file, project, users) = (&written.file, project.display(), users.display());
                let note = format!(
                    "'{file}' cannot enable a skill that you have disabled, because you do not trust the project. \
                     To trust it, add '{project}' to permissions.trust_projects in {users}; or use --global."
                );
                written.notes.push(note);
            }
        }
        let policy = Policy::new(&settings.permissions, &catalog.chain.root);
        if wanted && is_as_asked {
            written.notes.extend(denied(&policy, &self.name));
        }
        is_as_asked == wanted
    }
}
