//! `skc catalog load` and `skill_load`: loads a skill for an agent, or reminds it that the skill is already loaded.
//!
//! If confirmation is required, the user is asked at the terminal or through the MCP client; the model is never asked.
//! The answer applies to the text that the skill had when the question was asked: a skill that has changed since is not
//! loaded.
//!
//! Design: catalog-commands, catalog-texts, catalog-policy, catalog-tools, CAT-LOAD, CAT-PERM.6, CAT-PERM.7, R18.

use std::borrow::Cow;
use std::path::Path;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize, Serializer};
use skillc_catalog::settings::SKILL_LOAD;
use skillc_catalog::{
    Audience, Catalog, CatalogEntry, Loaded, Permitted, Refusal, Resend, Resolved, Wanted,
    content_hash, load, resolve,
};
use skillc_core::clean::clean;
use skillc_core::clients::{Client, Clients};
use skillc_core::context::Choice;
use skillc_core::hash::Sha;
use skillc_core::layout::{SKILL_FILE, canonical};
use skillc_core::{Error, Result, Warning};

use super::Look;
use super::runs::{begin, remember};
use super::suggestions::did_you_mean;
use super::write::{Written, allow_always};
use crate::access::Arguments;
use crate::client_roots::{ClientRoot, roots_of};
use crate::lookup;
use crate::notes::Notes;
use crate::operation::{Example, Fault, Operation, tool_of};
use crate::scope::ScopeFilter;
use crate::shown_path::shown_path;
use crate::tool::{Effect, Form, ResultText, Tool};
use crate::toolkit::Toolkit;

/// Arguments of `skc catalog load` and `skill_load`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct CatalogLoadRequest {
    /// Name of the skill; required unless path is given
    #[cfg_attr(
        feature = "clap",
        arg(
            value_name = "NAME|PATH",
            required = true,
            help = "Skill name, or path of its folder or SKILL.md"
        )
    )]
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub name: Option<String>,
    /// Path of its SKILL.md or folder; takes precedence over the name
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub path: Option<String>,
    /// Scope of the skill, if several skills have this name
    #[cfg_attr(feature = "clap", arg(long, value_enum))]
    #[serde(default)]
    pub scope: Option<ScopeFilter>,
    /// Send the text again even if this run has already loaded the skill
    #[cfg_attr(feature = "clap", arg(long, short))]
    #[serde(default)]
    pub force: bool,
    /// Value of 'run' in an earlier response; avoids sending the same text twice
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(default)]
    pub run: Option<String>,
    /// Load the skill without confirmation, only this time
    #[cfg_attr(feature = "clap", arg(long, short))]
    #[serde(skip)]
    #[schemars(skip)]
    pub yes: bool,
}

/// A loaded skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogLoadResponse {
    /// The text for the agent.
    pub loaded: Loaded,
    /// The rule that was written because the user answered "always".
    pub written: Option<Written>,
}

/// Serializes the result of the MCP tool.
impl Serialize for CatalogLoadResponse {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.loaded.serialize(serializer)
    }
}

impl JsonSchema for CatalogLoadResponse {
    fn schema_name() -> Cow<'static, str> {
        Loaded::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Loaded::json_schema(generator)
    }
}

/// Implements `skc catalog load`.
pub struct CatalogLoad;

skillc_core::inventory::submit!(tool_of::<CatalogLoad>());

impl Operation for CatalogLoad {
    const NAME: &'static str = "catalog load";
    const ABOUT: &'static str = "Load a skill as an agent does: print its text and file list";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc catalog load repo-review",
            does: "by name",
        },
        Example {
            command: "skc catalog load .agents/skills/repo-review",
            does: "by path, if several skills have this name",
        },
        Example {
            command: "SKC_RUN_ID=r1 skc catalog load repo-review",
            does: "only a reminder if it is already loaded in run r1",
        },
    ];
    const TOOL: Option<Tool> = Some(Tool {
        name: SKILL_LOAD,
        title: "Load a skill",
        about: "Read a skill's instructions, by name or path, before a task that matches its description.",
        effect: Effect::Reads,
        form: Form::Envelope,
        text: ResultText::Plain,
        gives_skill: false,
    });
    type Request = CatalogLoadRequest;
    type Response = CatalogLoadResponse;

    fn run(
        toolkit: &Toolkit,
        request: CatalogLoadRequest,
        notes: &mut Notes,
    ) -> Result<CatalogLoadResponse> {
        let catalog = toolkit.catalog(Look::IfDue, notes);
        let wanted = request.wanted(toolkit.audience);
        let resolved = match resolve(&catalog, &wanted) {
            Ok(resolved) => resolved,
            Err(refusal) => {
                return Err(not_found(
                    toolkit, &catalog, &wanted, &request, refusal, notes,
                ));
            }
        };
        let done = loaded(toolkit, &catalog, resolved, &request, notes);
        let error = done.as_ref().err();
        if !notes.is_asked {
            toolkit.log_load(
                resolved.entry(),
                request.logged(toolkit.audience),
                error,
                notes,
            );
        }
        done
    }

    fn check(_: &Toolkit, request: &CatalogLoadRequest) -> std::result::Result<(), Fault> {
        let mut given = [&request.name, &request.path].into_iter().flatten();
        let is_named = given.any(|text| !text.trim().is_empty());
        let fault = Fault {
            argument: "name",
            code: "required",
            message: "a name or path is required",
        };
        is_named.then_some(()).ok_or(fault)
    }

    fn for_agent(response: &CatalogLoadResponse) -> Option<&str> {
        Some(&response.loaded.content)
    }

    fn delivered(toolkit: &Toolkit, response: &CatalogLoadResponse) {
        remember(toolkit, &response.loaded);
    }
}

impl CatalogLoadRequest {
    /// Converts the request to a query. On the command line, the name may be a path.
    fn wanted(&self, audience: Audience) -> Wanted {
        let wanted = match &self.name {
            Some(argument) if audience == Audience::Person => Wanted::argument(argument.as_str()),
            _ => Wanted {
                name: self.name.clone(),
                path: self.path.clone(),
                ..Wanted::default()
            },
        };
        Wanted {
            scope: self.scope.and_then(ScopeFilter::in_catalog),
            audience,
            ..wanted
        }
    }

    /// Returns the arguments for the usage log.
    fn logged(&self, audience: Audience) -> Arguments {
        let key = match audience {
            Audience::Person => "skill",
            Audience::Model => "name",
        };
        let mut arguments = Arguments::from([("force", self.force.into())]);
        for (key, value) in [(key, &self.name), ("path", &self.path)] {
            if let Some(value) = value {
                arguments.set(key, value.clone());
            }
        }
        arguments
    }
}

/// Creates the error for a skill that was not found or may not be loaded. If the skill is denied or disabled, the
/// attempt is logged.
fn not_found(
    toolkit: &Toolkit,
    catalog: &Catalog,
    wanted: &Wanted,
    request: &CatalogLoadRequest,
    refusal: Refusal,
    notes: &mut Notes,
) -> Error {
    if let Refusal::Unknown { skill, suggestions } = &refusal {
        notes.hint = invalid(catalog, skill)
            .or_else(|| outside(toolkit, catalog, skill))
            .or_else(|| did_you_mean(suggestions));
    }
    let entry = refused(catalog, wanted, &refusal);
    let error = notes.refused(refusal);
    if let Some(entry) = entry {
        toolkit.log_load(entry, request.logged(toolkit.audience), Some(&error), notes);
    }
    error
}

fn loaded(
    toolkit: &Toolkit,
    catalog: &Catalog,
    resolved: Resolved<'_>,
    request: &CatalogLoadRequest,
    notes: &mut Notes,
) -> Result<CatalogLoadResponse> {
    let word = word(toolkit, resolved, request, notes)?;
    let resend = if request.force {
        Resend::Always
    } else {
        Resend::Changed
    };
    let versions = begin(toolkit, request.run.as_deref(), notes);
    let loaded = load(catalog, word.permitted, resend, &versions);
    let mut loaded = loaded.map_err(|refusal| notes.refused(refusal))?;
    loaded.root = toolkit.root_of(&loaded.dir);
    if word.content.is_some_and(|content| content != loaded.sha256) {
        // The text has changed since the confirmation.
        let skill = loaded.name;
        return Err(notes.refused(Refusal::NeedsWord { skill }));
    }
    notes.notices.append(&mut loaded.notices);
    let written = word
        .is_always
        .then(|| allow_always(toolkit, &loaded.name, &catalog.chain.root));
    let written = written.and_then(|written| match written {
        Ok(written) => Some(written),
        Err(error) => {
            let message = format!(
                "the answer 'always' could not be saved: {}",
                error.message()
            );
            notes.warn(Warning::Configuration { message });
            None
        }
    });
    Ok(CatalogLoadResponse { loaded, written })
}

/// The permission for a load to proceed.
struct Word<'a> {
    permitted: Permitted<'a>,
    /// The digest of the confirmed text; `None` if no confirmation was needed.
    content: Option<Sha>,
    /// Whether the user answered "always".
    is_always: bool,
}

/// Permits a load if no confirmation is needed, or if the user confirms.
fn word<'a>(
    toolkit: &Toolkit,
    resolved: Resolved<'a>,
    request: &CatalogLoadRequest,
    notes: &mut Notes,
) -> Result<Word<'a>> {
    let mut word = Word {
        permitted: resolved.permitted_by_word(),
        content: None,
        is_always: false,
    };
    if !resolved.needs_word() {
        return Ok(word);
    }
    let entry = resolved.entry();
    let content = content_hash(entry).map_err(|refusal| notes.refused(refusal))?;
    word.content = Some(content);
    if request.yes {
        return Ok(word);
    }
    let about = format!("{SKILL_LOAD} {content} {}", entry.path);
    let skill = || entry.name.clone();
    match toolkit
        .asker
        .choose(&question(entry, toolkit.audience), &about)
    {
        Some(Choice::Once) => Ok(word),
        Some(Choice::Always) => Ok(Word {
            is_always: true,
            ..word
        }),
        Some(Choice::No) => Err(notes.refused(Refusal::Declined { skill: skill() })),
        Some(Choice::Later) => {
            notes.is_asked = true;
            Err(notes.refused(Refusal::NeedsWord { skill: skill() }))
        }
        None => Err(notes.refused(Refusal::NeedsWord { skill: skill() })),
    }
}

/// Returns the question that asks for confirmation. It shows only the skill's name, which is plain ASCII, and its path.
fn question(entry: &CatalogEntry, audience: Audience) -> String {
    let (name, path) = (&entry.name, clean(&entry.path));
    match audience {
        Audience::Person => format!("No rule allows skill '{name}' ({path}). Load it anyway?"),
        Audience::Model => format!(
            "Allow the agent to load skill '{name}' from {path}? The answer 'always' also applies to later loads in this project."
        ),
    }
}

/// If a directory of that name contains an invalid skill, returns a message that says why it is invalid.
fn invalid(catalog: &Catalog, name: &str) -> Option<String> {
    let mut errors = catalog.found().errors.iter();
    let dir = |path: &str| {
        Path::new(path)
            .parent()?
            .file_name()?
            .to_str()
            .map(str::to_owned)
    };
    let failure = errors.find(|failure| dir(&failure.path).as_deref() == Some(name))?;
    let (path, message) = (&failure.path, &failure.message);
    Some(format!("{path} is not a valid skill: {message}"))
}

/// If other commands find a skill of that name in a folder that the catalog does not read, returns a message that names
/// the folder and says how to add it to the catalog.
fn outside(toolkit: &Toolkit, catalog: &Catalog, name: &str) -> Option<String> {
    let context = &toolkit.context;
    let at = lookup::named(context, name)?.at;
    let folder = at.client_folder.as_ref()?;
    // Prefer the client that gives the folder the highest precedence: usually the client that the folder is named
    // after.
    let preference = |client: &Client| {
        let is_it = |dir: ClientRoot| canonical(&dir.dir) == canonical(&folder.dir);
        roots_of(client, context).into_iter().position(is_it)
    };
    let clients = Clients::shared().clients.iter();
    let readers = clients.filter_map(|client| Some((preference(client)?, &*client.id)));
    let readers: Vec<(usize, &str)> = readers.collect();
    let kinds = &catalog.settings.discovery.project.roots;
    if readers.iter().any(|(_, reader)| kinds.contains(reader)) {
        return None;
    }
    let (_, reader) = readers.iter().min_by_key(|(preference, _)| *preference)?;
    let roots = kinds.iter().chain([reader]).map(|kind| format!("{kind:?}"));
    Some(format!(
        "Found in '{}', which is not a catalog folder. To add it, set roots = [{}] under [catalog] in config.toml",
        shown_path(&at.source, context),
        roots.collect::<Vec<_>>().join(", "),
    ))
}

/// Returns the entry of a skill that was found but may not be loaded.
fn refused<'a>(
    catalog: &'a Catalog,
    wanted: &Wanted,
    refusal: &Refusal,
) -> Option<&'a CatalogEntry> {
    let (Refusal::Denied { skill, .. } | Refusal::Disabled { skill, .. }) = refusal else {
        return None;
    };
    let mut named = catalog.named(skill);
    if let Some(path) = &wanted.path {
        let full = catalog.chain.working_dir.join(path);
        let full = full.canonicalize().ok()?;
        let dir = if full.ends_with(SKILL_FILE) {
            full.parent()?
        } else {
            &full
        };
        named.retain(|entry| *dir == *entry.dir);
    } else if let Some(scope) = wanted.scope {
        named.retain(|entry| entry.scope == scope);
    }
    named.first().copied()
}
