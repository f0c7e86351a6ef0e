//! `skc catalog load` and `skill_load`: a skill as an agent gets it, or a reminder that it has it.
//!
//! Where the configuration wants somebody asked, the person at the terminal or behind the client is, never the model. The
//! answer is for the text that was asked about: one that has changed in the meantime is not loaded.
//!
//! Design: catalog-commands, catalog-texts, catalog-policy, catalog-tools, CAT-LOAD, CAT-PERM.6, CAT-PERM.7, R18.

use std::borrow::Cow;
use std::path::Path;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize, Serializer};
use skillc_catalog::settings::SKILL_LOAD;
use skillc_catalog::{
    Audience, Catalog, Entry, Loaded, Permitted, Refusal, Resend, Resolved, Scope, Wanted,
    content_hash, load, resolve,
};
use skillc_core::clean::clean;
use skillc_core::clients::{Client, Clients};
use skillc_core::context::Choice;
use skillc_core::hash::Sha;
use skillc_core::layout::{SKILL_FILE, canonical};
use skillc_core::{Error, Result, Warning};

use super::Look;
use super::list::CatalogScope;
use super::runs::{begin, remember};
use super::told::did_you_mean;
use super::write::{Written, allow_always};
use crate::access::Arguments;
use crate::client_roots::{ClientRoot, roots_of};
use crate::lookup;
use crate::notes::Notes;
use crate::operation::{Example, Fault, Operation, tool_of};
use crate::shown_path::shown_path;
use crate::tool::{Effect, Form, ResultText, Tool};
use crate::toolkit::Toolkit;

/// Arguments of `skc catalog load` and `skill_load`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct CatalogLoadRequest {
    /// Name of the skill; this or path is needed
    #[cfg_attr(
        feature = "clap",
        arg(
            value_name = "NAME|PATH",
            required = true,
            help = "Name of the skill, or path of it or its SKILL.md"
        )
    )]
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub name: Option<String>,
    /// Its SKILL.md or directory, which decides whatever the name
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub path: Option<String>,
    /// Whose it is, where several have the name
    #[cfg_attr(feature = "clap", arg(long, value_enum))]
    #[serde(default)]
    pub scope: Option<CatalogScope>,
    /// Send it again even if this run has it
    #[cfg_attr(feature = "clap", arg(long, short))]
    #[serde(default)]
    pub force: bool,
    /// Handle from an earlier answer; avoids sending a body twice
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(default)]
    pub run: Option<String>,
    /// Load it once without asking, where the configuration wants somebody asked
    #[cfg_attr(feature = "clap", arg(long, short))]
    #[serde(skip)]
    #[schemars(skip)]
    pub yes: bool,
}

/// A skill, loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogLoadResponse {
    /// What an agent gets.
    pub loaded: Loaded,
    /// The rule that was written, because the answer was "always".
    pub written: Option<Written>,
}

/// As the tool of the server answers.
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

/// The operation.
pub struct CatalogLoad;

skillc_core::inventory::submit!(tool_of::<CatalogLoad>());

impl Operation for CatalogLoad {
    const NAME: &'static str = "catalog load";
    const ABOUT: &'static str =
        "Load a skill as an agent gets it: its text and the list of its files";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc catalog load repo-review",
            does: "by its name",
        },
        Example {
            command: "skc catalog load .agents/skills/repo-review",
            does: "by its path, where several have the name",
        },
        Example {
            command: "SKC_RUN_ID=r1 skc catalog load repo-review",
            does: "a reminder only, if run r1 has it already",
        },
    ];
    const TOOL: Option<Tool> = Some(Tool {
        name: SKILL_LOAD,
        title: "Load a skill",
        about: "Read the instructions of a skill, by name or path, before a task that its description fits.",
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
            message: "a name or a path is needed",
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
    /// What a person gives in the place of a name may be a path.
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
            scope: self.scope.map(Scope::from),
            audience,
            ..wanted
        }
    }

    /// Returns what the access log keeps.
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

/// Says that a skill was not found or is not to be loaded; a load that rules forbid is logged.
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
        // Nobody has allowed what it says now.
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
            let message = format!("not allowed for good: {}", error.message());
            notes.warn(Warning::Configuration { message });
            None
        }
    });
    Ok(CatalogLoadResponse { loaded, written })
}

/// A load that may go on.
struct Word<'a> {
    permitted: Permitted<'a>,
    /// The digest of the text that somebody was asked about; `None` if nobody had to be.
    content: Option<Sha>,
    /// Whether nobody is to be asked again.
    is_always: bool,
}

/// Lets a load go on if no word is needed, or if it is given.
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

/// Asks about a skill. What comes from the skill is its name, which is plain, and its place.
fn question(entry: &Entry, audience: Audience) -> String {
    let (name, path) = (&entry.name, clean(&entry.path));
    match audience {
        Audience::Person => format!("No rule allows skill '{name}' ({path}). Load it?"),
        Audience::Model => format!(
            "May the agent load the skill '{name}' from {path}? 'always' also allows it from now on in this project."
        ),
    }
}

/// Says why a directory of that name holds no skill, if there is one.
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
    Some(format!("{path} is no valid skill: {message}"))
}

/// Says where a skill of that name is that other commands find, and how the catalog would, if its folder is not among those
/// that the catalog reads.
fn outside(toolkit: &Toolkit, catalog: &Catalog, name: &str) -> Option<String> {
    let context = &toolkit.context;
    let at = lookup::named(context, name)?.at;
    let folder = at.client_folder.as_ref()?;
    // The client that prefers the folder is the one that it is named after.
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
        "'{}' has it, but the catalog does not read that folder. To add it: roots = [{}] under [catalog] in config.toml",
        shown_path(&at.source, context),
        roots.collect::<Vec<_>>().join(", "),
    ))
}

/// Returns the skill that was found and is not to be loaded.
fn refused<'a>(catalog: &'a Catalog, wanted: &Wanted, refusal: &Refusal) -> Option<&'a Entry> {
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
