//! Resolves a name or path to a skill, and decides whether that skill may be loaded.
//!
//! Only paths of skills in the catalog are accepted; other paths inside a root are refused. Rules apply to the skill
//! that was found, regardless of how the skill was requested. If the skill needs confirmation, the caller asks the user
//! between [`resolve`] and loading.
//!
//! Design: catalog-commands, catalog-policy, catalog-paths, CAT-LOAD, CAT-PERM.5, CAT-PERM.7, CAT-PERM.9.

use std::path::{Path, PathBuf, is_separator};

use skillc_core::did_you_mean::near;
use skillc_core::layout::SKILL_FILE;

use crate::catalog::Catalog;
use crate::entry::{CatalogEntry, SkillHead};
use crate::invocation::{Audience, Invocation};
use crate::name::skill_name;
use crate::refusal::{Candidate, Refusal};
use crate::roots::Scope;
use crate::settings::OnCollision;

/// The maximum size of a name or path, in bytes. Design: R20.
const MAX_BYTES: usize = 4 << 10;

/// The maximum number of suggested names.
const MAX_SUGGESTIONS: usize = 5;

/// Names that contain the requested name are suggested only if the requested name has at least this many bytes.
const MIN_PART: usize = 3;

/// A request for a skill.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wanted {
    /// The skill's name, with or without a leading `$`.
    pub name: Option<String>,
    /// The skill's `SKILL.md` or directory, relative to the working directory. The path takes precedence over the name.
    pub path: Option<String>,
    /// The skill's scope, to distinguish skills of the same name.
    pub scope: Option<Scope>,
    /// The audience for which the skill is requested.
    pub audience: Audience,
}

impl Wanted {
    /// Parses a command's argument: a path if it has a separator or ends in `SKILL.md`, otherwise a name.
    ///
    /// Design: catalog-commands, CAT-LOAD.19.
    pub fn argument(text: impl Into<String>) -> Self {
        let text = text.into();
        let (name, path) = if text.contains(is_separator) || text.ends_with(SKILL_FILE) {
            (None, Some(text))
        } else {
            (Some(text), None)
        };
        Self {
            name,
            path,
            ..Self::default()
        }
    }

    /// Sets the audience of the request to a person.
    #[must_use]
    pub fn by_person(self) -> Self {
        Self {
            audience: Audience::Person,
            ..self
        }
    }
}

/// A skill that was found and is not denied by any rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resolved<'a> {
    entry: &'a CatalogEntry,
    needs_word: bool,
    audience: Audience,
}

/// A skill that may be loaded: no rule denies it, and any confirmation it needs was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Permitted<'a> {
    entry: &'a CatalogEntry,
    audience: Audience,
}

impl<'a> Resolved<'a> {
    /// Returns the skill.
    pub const fn entry(&self) -> &'a CatalogEntry {
        self.entry
    }

    /// Returns whether loading needs confirmation.
    pub const fn needs_word(&self) -> bool {
        self.needs_word
    }

    /// Permits loading if no confirmation is needed.
    ///
    /// # Errors
    /// [`Refusal::NeedsWord`].
    pub fn permitted(self) -> Result<Permitted<'a>, Refusal> {
        if self.needs_word {
            let skill = self.entry.name.clone();
            return Err(Refusal::NeedsWord { skill });
        }
        Ok(self.permitted_by_word())
    }

    /// Permits loading after a person has confirmed the load. A confirmation by a model is not sufficient.
    pub const fn permitted_by_word(self) -> Permitted<'a> {
        Permitted {
            entry: self.entry,
            audience: self.audience,
        }
    }
}

impl<'a> Permitted<'a> {
    /// Returns the skill.
    pub const fn entry(&self) -> &'a CatalogEntry {
        self.entry
    }

    /// Returns the audience for which the skill is requested.
    pub const fn audience(&self) -> Audience {
        self.audience
    }
}

/// Finds the requested skill.
///
/// # Errors
/// If the request is invalid or ambiguous, there is no such skill, or the skill may not be loaded.
pub fn resolve<'a>(catalog: &'a Catalog, wanted: &Wanted) -> Result<Resolved<'a>, Refusal> {
    if !catalog.settings.enabled {
        return Err(Refusal::SkillsDisabled);
    }
    let entry = match (&wanted.path, &wanted.name) {
        (Some(path), _) => at_path(catalog, bounded("path", path)?)?,
        (None, Some(name)) => named(catalog, bounded("name", name)?, wanted)?,
        (None, None) => {
            return Err(Refusal::Invalid {
                argument: "name",
                message: "a name or path is required".to_owned(),
            });
        }
    };
    permit(catalog, entry, wanted.audience)
}

/// Checks that the skill is enabled, that no rule denies it, and that its frontmatter lets the audience start it.
///
/// # Errors
/// [`Refusal::Disabled`], [`Refusal::Denied`] and [`Refusal::NotForModels`].
pub(crate) fn permit<'a>(
    catalog: &Catalog,
    entry: &'a CatalogEntry,
    audience: Audience,
) -> Result<Resolved<'a>, Refusal> {
    if !entry.enabled {
        return Err(disabled(catalog, entry));
    }
    if let Some(refusal) = catalog.policy.closed_entry(entry) {
        return Err(refusal);
    }
    let needs_word = catalog.needs_word(entry);
    if !audience.sees(entry) {
        return Err(not_for_models(entry));
    }
    Ok(Resolved {
        entry,
        needs_word,
        audience,
    })
}

fn disabled(catalog: &Catalog, entry: &CatalogEntry) -> Refusal {
    let switch = catalog.settings.switches.find(&entry.name, &entry.path);
    Refusal::Disabled {
        skill: entry.name.clone(),
        file: switch.map(|switch| switch.file.clone()),
    }
}

/// Refuses a skill to a model if the current `SKILL.md` allows only people to start it. This check is needed because
/// the catalog may be older than the file.
///
/// # Errors
/// [`Refusal::NotForModels`].
pub(crate) fn permit_head(audience: Audience, head: &SkillHead) -> Result<(), Refusal> {
    if audience.may_start(Invocation::from_fields(&head.fields)) {
        return Ok(());
    }
    Err(Refusal::NotForModels {
        skill: head.name.clone(),
    })
}

fn not_for_models(entry: &CatalogEntry) -> Refusal {
    Refusal::NotForModels {
        skill: entry.name.clone(),
    }
}

fn bounded<'a>(argument: &'static str, text: &'a str) -> Result<&'a str, Refusal> {
    let fault = |message: &str| {
        let message = message.to_owned();
        Err(Refusal::Invalid { argument, message })
    };
    match text {
        _ if text.len() > MAX_BYTES => fault("longer than 4 KiB"),
        _ if text.trim().is_empty() => fault("blank"),
        _ => Ok(text),
    }
}

/// Finds a skill by name. Only skills that are enabled and that the audience may start are considered. Therefore
/// disabling one of two skills with the same name resolves the ambiguity, except when an untrusted project disables a
/// skill in the user's roots.
fn named<'a>(
    catalog: &'a Catalog,
    text: &str,
    wanted: &Wanted,
) -> Result<&'a CatalogEntry, Refusal> {
    let Wanted {
        scope, audience, ..
    } = *wanted;
    let bare = text.trim();
    let bare = bare.strip_prefix('$').unwrap_or(bare);
    let mut named = skill_name(bare).map_or_else(Vec::new, |name| catalog.named(&name));
    named.retain(|entry| scope.is_none_or(|scope| entry.scope == scope));
    let is_usable = |entry: &&&CatalogEntry| entry.enabled && audience.sees(entry);
    let mut enabled = named.iter().filter(is_usable);
    match (enabled.next(), enabled.next()) {
        (Some(only), None) => {
            // Without this check, an untrusted project could disable the user's skill and take over a name that the
            // user allows.
            let is_hidden = |entry: &&CatalogEntry| {
                let switch = catalog.settings.switches.find(&entry.name, &entry.path);
                entry.is_users && switch.is_some_and(|switch| switch.is_foreign && !switch.enabled)
            };
            if named.iter().any(is_hidden)
                && catalog.settings.discovery.on_collision == OnCollision::Ambiguous
            {
                permit(catalog, only, audience)?;
                return Err(ambiguous(&named, audience));
            }
            Ok(only)
        }
        (Some(nearest), Some(_)) => {
            // Rules apply to names, so a rule that denies one of these skills denies all of them. The error must then
            // not disclose the skills.
            permit(catalog, nearest, audience)?;
            match catalog.settings.discovery.on_collision {
                OnCollision::Nearest => Ok(nearest),
                OnCollision::Ambiguous => Err(ambiguous(&named, audience)),
            }
        }
        (None, _) => Err(
            match (named.iter().find(|entry| entry.enabled), named.first()) {
                // Rules are checked first, because they apply to every audience.
                (Some(entry), _) => permit(catalog, entry, audience)
                    .err()
                    .unwrap_or_else(|| not_for_models(entry)),
                (None, Some(entry)) => disabled(catalog, entry),
                (None, None) => Refusal::Unknown {
                    skill: bare.to_owned(),
                    suggestions: suggestions(catalog, bare, audience),
                },
            },
        ),
    }
}

fn ambiguous(named: &[&CatalogEntry], audience: Audience) -> Refusal {
    let is_usable = |entry: &&&CatalogEntry| entry.enabled && audience.sees(entry);
    let enabled = named.iter().filter(is_usable);
    Refusal::Ambiguous {
        skill: named[0].name.clone(),
        candidates: enabled.map(|entry| Candidate::from(*entry)).collect(),
    }
}

/// Suggests names of skills that are listed for the audience: first names similar to the requested name, then names
/// that contain the requested name. `text`: the requested name.
fn suggestions(catalog: &Catalog, text: &str, audience: Audience) -> Vec<String> {
    let visible = catalog.visible(audience);
    let mut names: Vec<&str> = visible.map(|entry| entry.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let word = text.to_lowercase();
    let mut near = near(&word, names.iter().copied());
    if word.len() >= MIN_PART {
        let of_part = names.into_iter().filter(|name| name.contains(&word));
        let new: Vec<&str> = of_part.filter(|name| !near.contains(name)).collect();
        near.extend(new);
    }
    near.truncate(MAX_SUGGESTIONS);
    near.into_iter().map(str::to_owned).collect()
}

/// Finds a skill by path. First tries the path as written, so that a removed skill is still recognized, and then the
/// canonical path.
fn at_path<'a>(catalog: &'a Catalog, text: &str) -> Result<&'a CatalogEntry, Refusal> {
    let full = catalog.chain.working_dir.join(text);
    let found = listed(catalog, &full).or_else(|| listed(catalog, &full.canonicalize().ok()?));
    found.ok_or_else(|| Refusal::NotInCatalog {
        path: text.to_owned(),
    })
}

fn listed<'a>(catalog: &'a Catalog, path: &Path) -> Option<&'a CatalogEntry> {
    // Remove doubled and trailing separators.
    let path: PathBuf = path.components().collect();
    let path = path.to_str()?;
    let mut skills = catalog.skills().iter();
    skills.find(|entry| path == entry.path || path == entry.dir)
}
