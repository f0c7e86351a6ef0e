//! `skc catalog load`: a skill as an agent gets it.
//!
//! Who is at the terminal can say that it may be loaded where the configuration wants somebody asked; nobody else can.
//!
//! Source: CATALOG §3.4, §3.7, CAT-LOAD, CAT-PERM.6, CAT-PERM.7.

use std::borrow::Cow;
use std::path::Path;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize, Serializer};
use skillc_catalog::{
    Catalog, Entry, Loaded, Permitted, Refusal, Resend, Resolved, Scope, Wanted, content_hash,
    load, resolve,
};
use skillc_core::clean::clean;
use skillc_core::clients::{Client, Clients};
use skillc_core::context::Choice;
use skillc_core::layout::{SKILL_FILE, canonical};
use skillc_core::{Error, Result, Warning};

use super::Look;
use super::list::CatalogScope;
use super::remembered::{remember, versions};
use super::told::did_you_mean;
use super::write::{Written, allow_always};
use crate::access::Arguments;
use crate::client_roots::{ClientRoot, roots_of};
use crate::doctor::shown_path;
use crate::lookup;
use crate::operation::{Example, Notes, Operation, Toolkit};

/// Arguments of `skc catalog load`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct CatalogLoadRequest {
    /// Name of the skill, or path of it or its SKILL.md
    #[cfg_attr(feature = "clap", arg(value_name = "NAME|PATH"))]
    pub skill: String,
    /// Whose it is, where several have the name
    #[cfg_attr(feature = "clap", arg(long, value_enum))]
    #[serde(default)]
    pub scope: Option<CatalogScope>,
    /// Load it again, also if this run has it already
    #[cfg_attr(feature = "clap", arg(long, short))]
    #[serde(default)]
    pub force: bool,
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
    type Request = CatalogLoadRequest;
    type Response = CatalogLoadResponse;

    fn run(
        toolkit: &Toolkit,
        request: CatalogLoadRequest,
        notes: &mut Notes,
    ) -> Result<CatalogLoadResponse> {
        let catalog = toolkit.catalog(Look::IfDue, notes);
        let mut wanted = Wanted::argument(request.skill.as_str()).by_person();
        wanted.scope = request.scope.map(Scope::from);
        let resolved = match resolve(&catalog, &wanted) {
            Ok(resolved) => resolved,
            Err(refusal) => {
                let error = told(toolkit, &catalog, &refusal, notes);
                if let Some(entry) = refused(&catalog, &wanted, &refusal) {
                    toolkit.log_load(entry, arguments(&request), Some(&error), notes);
                }
                return Err(error);
            }
        };
        let done = loaded(toolkit, &catalog, resolved, &request, notes);
        let error = done.as_ref().err();
        toolkit.log_load(resolved.entry(), arguments(&request), error, notes);
        done
    }

    fn delivered(toolkit: &Toolkit, response: &CatalogLoadResponse) {
        remember(toolkit, &response.loaded);
    }
}

fn loaded(
    toolkit: &Toolkit,
    catalog: &Catalog,
    resolved: Resolved<'_>,
    request: &CatalogLoadRequest,
    notes: &mut Notes,
) -> Result<CatalogLoadResponse> {
    let skill = resolved.entry();
    let asked_about = resolved.needs_word().then(|| content_hash(skill));
    let asked_about = asked_about.transpose()?;
    let (permitted, is_always) = permitted(toolkit, resolved, request)?;
    let resend = if request.force {
        Resend::Always
    } else {
        Resend::Changed
    };
    let versions = versions(toolkit, notes);
    let mut loaded = load(catalog, permitted, resend, &versions)?;
    loaded.root = toolkit.root_of(&loaded.dir);
    // A word is for the text that was there when it was asked for.
    if asked_about.is_some_and(|asked_about| asked_about != loaded.sha256) {
        let skill = loaded.name;
        return Err(Refusal::NeedsWord { skill }.into());
    }
    notes.notices.append(&mut loaded.notices);
    let written = is_always.then(|| allow_always(toolkit, &loaded.name, &catalog.chain.root));
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

/// Makes sure that a skill may be loaded. Returns: whether it always may.
fn permitted<'a>(
    toolkit: &Toolkit,
    resolved: Resolved<'a>,
    request: &CatalogLoadRequest,
) -> Result<(Permitted<'a>, bool)> {
    if !resolved.needs_word() || request.yes {
        return Ok((resolved.permitted_by_word(), false));
    }
    match toolkit.context.asker.choose(&question(resolved.entry())) {
        Some(Choice::Once) => Ok((resolved.permitted_by_word(), false)),
        Some(Choice::Always) => Ok((resolved.permitted_by_word(), true)),
        Some(Choice::No) => Err(Error::PermissionDenied {
            skill: resolved.entry().name.clone(),
            hint: Some("The answer was no.".into()),
        }),
        None => Ok((resolved.permitted()?, false)),
    }
}

/// Asks about a skill.
fn question(entry: &Entry) -> String {
    let path = clean(&entry.path);
    format!("No rule allows skill '{}' ({path}). Load it?", entry.name)
}

/// Makes the error of a refusal, and says what was perhaps meant.
fn told(toolkit: &Toolkit, catalog: &Catalog, refusal: &Refusal, notes: &mut Notes) -> Error {
    if let Refusal::Unknown { skill, suggestions } = refusal {
        notes.hint = invalid(catalog, skill)
            .or_else(|| outside(toolkit, catalog, skill))
            .or_else(|| did_you_mean(suggestions));
    }
    refusal.error()
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
    let kinds = &catalog.settings.discovery.roots;
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

fn arguments(request: &CatalogLoadRequest) -> Arguments {
    Arguments::from([
        ("skill", request.skill.as_str().into()),
        ("force", request.force.into()),
    ])
}
