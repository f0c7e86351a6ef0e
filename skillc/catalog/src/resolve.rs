//! From what somebody calls a skill to the one that is meant, and to whether it may be loaded.
//!
//! A path is only ever one that the catalog lists; that it lies in a root is not enough. Rules are applied to the skill that
//! was found, whatever it was called. Nobody is asked here: who may ask does, between [`resolve`] and loading.
//!
//! Source: CATALOG §3.4, §3.7, §3.12, CAT-LOAD.1 to .6, .19, CAT-PERM.5, .7, .9.

use std::path::{Path, PathBuf, is_separator};

use skillc_core::layout::SKILL_FILE;
use skillc_core::near::near;

use crate::catalog::Catalog;
use crate::entry::{Entry, SkillHead};
use crate::invocation::{Audience, Invocation};
use crate::name::skill_name;
use crate::policy::Decision;
use crate::refusal::{Candidate, Refusal};
use crate::roots::Scope;
use crate::settings::OnCollision;

/// The longest name or path. Source: RULINGS R20.
const MAX_BYTES: usize = 4 << 10;

/// The most names that are offered in place of one.
const MAX_SUGGESTIONS: usize = 5;

/// The fewest characters of a word that is looked for in names.
const MIN_PART: usize = 3;

/// What somebody calls a skill.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wanted {
    /// Its name, with or without a `$` before it.
    pub name: Option<String>,
    /// Its `SKILL.md` or directory, which decides whatever the name says; relative to the working directory.
    pub path: Option<String>,
    /// Whose it is, where several have the name.
    pub scope: Option<Scope>,
    /// Whom the skill is for.
    pub audience: Audience,
}

impl Wanted {
    /// Reads the argument of a command: a path if it has a separator or ends in `SKILL.md`, else a name.
    ///
    /// # Source
    /// CATALOG §3.4, CAT-LOAD.19.
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

    /// Says that a person wants it.
    #[must_use]
    pub fn by_person(self) -> Self {
        Self {
            audience: Audience::Person,
            ..self
        }
    }
}

/// A skill that was found and that no rule forbids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resolved<'a> {
    entry: &'a Entry,
    needs_word: bool,
    audience: Audience,
}

/// A skill that may be loaded: no rule forbids it, and somebody allowed it if that was needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Permitted<'a> {
    entry: &'a Entry,
    audience: Audience,
}

impl<'a> Resolved<'a> {
    /// Returns the skill.
    pub const fn entry(&self) -> &'a Entry {
        self.entry
    }

    /// Says whether somebody has to allow it first.
    pub const fn needs_word(&self) -> bool {
        self.needs_word
    }

    /// Goes on if nobody needs to be asked.
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

    /// Goes on because a person said so: never because of what a model said.
    pub const fn permitted_by_word(self) -> Permitted<'a> {
        Permitted {
            entry: self.entry,
            audience: self.audience,
        }
    }
}

impl<'a> Permitted<'a> {
    /// Returns the skill.
    pub const fn entry(&self) -> &'a Entry {
        self.entry
    }

    /// Returns whom the skill is for.
    pub const fn audience(&self) -> Audience {
        self.audience
    }
}

/// Finds the skill that is meant.
///
/// # Errors
/// Why there is none, or why it may not be loaded.
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
                message: "a name or a path is needed".to_owned(),
            });
        }
    };
    permit(catalog, entry, wanted.audience)
}

/// Applies switches, rules and the skill's own restriction.
///
/// # Errors
/// [`Refusal::Disabled`], [`Refusal::Denied`] and [`Refusal::NotForModels`].
pub(crate) fn permit<'a>(
    catalog: &Catalog,
    entry: &'a Entry,
    audience: Audience,
) -> Result<Resolved<'a>, Refusal> {
    if !entry.enabled {
        return Err(disabled(catalog, entry));
    }
    if let Some(refusal) = catalog.policy.closed_entry(entry) {
        return Err(refusal);
    }
    let needs_word = catalog.policy.decide_load(Some(&entry.name)) == Decision::Confirm;
    if !audience.sees(entry) {
        return Err(not_for_models(entry));
    }
    Ok(Resolved {
        entry,
        needs_word,
        audience,
    })
}

fn disabled(catalog: &Catalog, entry: &Entry) -> Refusal {
    let switch = catalog.settings.switches.of(&entry.name, &entry.path);
    Refusal::Disabled {
        skill: entry.name.clone(),
        file: switch.map(|switch| switch.file.clone()),
    }
}

/// Refuses a skill whose `SKILL.md`, as it was just read, is for people only: the catalog may be older than the file.
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

fn not_for_models(entry: &Entry) -> Refusal {
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

/// Finds the skill of a name: among those that are switched on and that the audience may start, so that switching one of two
/// off settles which is meant.
fn named<'a>(catalog: &'a Catalog, text: &str, wanted: &Wanted) -> Result<&'a Entry, Refusal> {
    let Wanted {
        scope, audience, ..
    } = *wanted;
    let bare = text.trim();
    let bare = bare.strip_prefix('$').unwrap_or(bare);
    let mut named = skill_name(bare).map_or_else(Vec::new, |name| catalog.named(&name));
    named.retain(|entry| scope.is_none_or(|scope| entry.scope == scope));
    let is_usable = |entry: &&&Entry| entry.enabled && audience.sees(entry);
    let mut enabled = named.iter().filter(is_usable);
    match (enabled.next(), enabled.next()) {
        (Some(only), None) => {
            // What the user allows by name would mean the project's skill if the project could put the user's out of the way.
            let is_hidden = |entry: &&Entry| {
                let switch = catalog.settings.switches.of(&entry.name, &entry.path);
                entry.scope == Scope::User
                    && only.scope == Scope::Repo
                    && switch.is_some_and(|switch| switch.is_foreign && !switch.enabled)
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
            // Rules are for names: if one denies any of these, it denies all, and they are not to be told of.
            permit(catalog, nearest, audience)?;
            match catalog.settings.discovery.on_collision {
                OnCollision::Nearest => Ok(nearest),
                OnCollision::Ambiguous => Err(ambiguous(&named, audience)),
            }
        }
        (None, _) => Err(
            match (named.iter().find(|entry| entry.enabled), named.first()) {
                // Rules come first: what they deny is denied to everybody.
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

fn ambiguous(named: &[&Entry], audience: Audience) -> Refusal {
    let is_usable = |entry: &&&Entry| entry.enabled && audience.sees(entry);
    let enabled = named.iter().filter(is_usable);
    Refusal::Ambiguous {
        skill: named[0].name.clone(),
        candidates: enabled.map(|entry| Candidate::from(*entry)).collect(),
    }
}

/// Returns names listed for the audience that may have been meant: first those that are nearly the same, then those
/// that the text is a part of.
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

/// Finds the skill of a path: as it is written, so that one that has gone since is still known, else by where it leads.
fn at_path<'a>(catalog: &'a Catalog, text: &str) -> Result<&'a Entry, Refusal> {
    let full = catalog.chain.working_dir.join(text);
    let found = listed(catalog, &full).or_else(|| listed(catalog, &full.canonicalize().ok()?));
    found.ok_or_else(|| Refusal::NotInCatalog {
        path: text.to_owned(),
    })
}

fn listed<'a>(catalog: &'a Catalog, path: &Path) -> Option<&'a Entry> {
    // Without doubled separators, and none at the end.
    let path: PathBuf = path.components().collect();
    let path = path.to_str()?;
    let mut skills = catalog.skills().iter();
    skills.find(|entry| path == entry.path || path == entry.dir)
}
