//! Loads a skill: turns a permitted skill into the text that is sent to an agent.
//!
//! The catalog may be older than the files. Therefore `SKILL.md` is checked again, and is used only if it is still in
//! its directory and still has the name of the permitted skill. This module does not record loads; see [`Versions`].
//!
//! Design: catalog-texts, catalog-policy, catalog-tools, catalog-paths, CAT-LOAD.

use std::collections::BTreeSet;
use std::path::{MAIN_SEPARATOR, Path};

use schemars::JsonSchema;
use serde::Serialize;
use skillc_core::hash::Sha;
use skillc_core::{Notice, RelPath, Warning};

use crate::catalog::Catalog;
use crate::entry::{CatalogEntry, MAX_BYTES, SkillHead, mtime_ms};
use crate::inside::{self, Trouble};
use crate::invocation::Audience;
use crate::listing::{Listing, listing};
use crate::reference::reference;
use crate::refusal::Refusal;
use crate::resolve::{Permitted, permit, permit_head};
use crate::run::Versions;
use crate::skill_context::{Body, reminder, skill_context};

/// Whether to send the text again if the run already has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Resend {
    /// Only if it has changed.
    #[default]
    Changed,
    /// Always.
    Always,
}

/// A loaded skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Loaded {
    /// The first 16 hex digits of the hash of the path
    pub skill_id: String,
    /// The skill's name
    pub name: String,
    /// The skill's SKILL.md
    pub path: String,
    /// The skill's directory
    pub dir: String,
    /// The folder with the skill's files; for a stub, the folder of its source
    pub root: String,
    /// When SKILL.md was changed, in milliseconds since 1970
    pub mtime_ms: u64,
    /// Whether this run already has the skill; content is then only a reminder
    pub already_loaded: bool,
    /// A reference to SKILL.md, valid as long as the skill exists
    #[serde(rename = "ref")]
    pub reference: String,
    /// The handle of the run; pass it with the next load
    pub run: String,
    /// The text for the agent
    pub content: String,
    /// The skill's other files, sorted; none with a reminder
    pub files: Vec<String>,
    /// Whether there are more files
    pub files_truncated: bool,
    /// Whether SKILL.md was truncated
    pub body_truncated: bool,
    /// The digest of `SKILL.md`.
    #[serde(skip)]
    pub sha256: Sha,
    /// Warnings about the files.
    #[serde(skip)]
    pub notices: Vec<Notice>,
}

/// Loads a skill for a run. To record the load, the caller passes the result to [`Versions::remember`].
///
/// # Errors
/// [`Refusal::Gone`], [`Refusal::Escapes`], [`Refusal::Unreadable`], and [`Refusal::NotForModels`] if the file now
/// allows only people to start the skill.
pub fn load(
    catalog: &Catalog,
    permitted: Permitted<'_>,
    resend: Resend,
    versions: &Versions,
) -> Result<Loaded, Refusal> {
    let entry = permitted.entry();
    let file = SkillText::read(entry)?;
    permit_head(permitted.audience(), &file.head)?;
    let reference = reference(entry);
    let has_it = versions.has(&entry.path, file.mtime_ms, &file.sha256);
    let mut loaded = Loaded {
        skill_id: entry.id.clone(),
        name: entry.name.clone(),
        path: entry.path.clone(),
        dir: entry.dir.clone(),
        root: entry.dir.clone(),
        mtime_ms: file.mtime_ms,
        already_loaded: has_it && resend == Resend::Changed,
        reference,
        run: versions.run().to_owned(),
        content: String::new(),
        files: Vec::new(),
        files_truncated: false,
        body_truncated: false,
        sha256: file.sha256,
        notices: Vec::new(),
    };
    if loaded.already_loaded {
        loaded.content = reminder(entry, &loaded.reference);
        return Ok(loaded);
    }
    let limits = catalog.settings.load_limits(entry.is_users);
    let body = Body::new(&file.text, limits.max_body_bytes);
    let listing = listing(
        entry,
        &hidden_skills(catalog, entry, permitted.audience()),
        limits,
    );
    loaded.content = skill_context(entry, body, &listing);
    loaded.body_truncated = body.more_bytes > 0;
    loaded.files_truncated = listing.truncated;
    loaded.notices = notices(&listing);
    loaded.files = listing.files;
    Ok(loaded)
}

/// Returns the digest of a skill's current `SKILL.md`. A confirmation is valid only for the text with this digest.
///
/// # Errors
/// Like [`load`].
pub fn content_hash(entry: &CatalogEntry) -> Result<Sha, Refusal> {
    SkillText::read(entry).map(|file| file.sha256)
}

/// A `SKILL.md`, read again when the skill is loaded.
struct SkillText {
    text: String,
    head: SkillHead,
    mtime_ms: u64,
    sha256: Sha,
}

impl SkillText {
    fn read(entry: &CatalogEntry) -> Result<Self, Refusal> {
        let unusable = |reason: &str| Refusal::unusable(&entry.path, reason);
        let (dir, path) = (Path::new(&entry.dir), Path::new(&entry.path));
        let below = RelPath::below(dir, path).ok_or_else(|| Refusal::escapes(&entry.path))?;
        let content = inside::read(dir, &below, MAX_BYTES).map_err(|trouble| match trouble {
            Trouble::Outside => Refusal::escapes(&entry.path),
            Trouble::Missing => Refusal::gone(&entry.path, None),
            Trouble::TooLarge => unusable("is larger than 4 MiB"),
            Trouble::Io(error) => Refusal::unreadable(&entry.path, &error),
        })?;
        let mtime_ms = mtime_ms(&content.metadata);
        let sha256 = Sha::digest(&content.bytes);
        let text = String::from_utf8(content.bytes).map_err(|_| unusable("is not UTF-8"))?;
        let head = checked_head(&text, mtime_ms, entry)?;
        Ok(Self {
            text,
            head,
            mtime_ms,
            sha256,
        })
    }
}

/// Parses the head of a `SKILL.md`, and checks that the skill still has the name to which the rules were applied.
fn checked_head(text: &str, mtime_ms: u64, entry: &CatalogEntry) -> Result<SkillHead, Refusal> {
    let no_skill = |reason| Refusal::gone(&entry.path, Some(reason));
    let head = SkillHead::parse(text.as_bytes(), mtime_ms).map_err(no_skill)?;
    if head.name == entry.name {
        Ok(head)
    } else {
        let name = &head.name;
        Err(no_skill(format!("its name is now '{name}'").into()))
    }
}

/// Returns the directories of nested skills that are hidden from the audience.
fn hidden_skills<'a>(
    catalog: &'a Catalog,
    outer: &CatalogEntry,
    audience: Audience,
) -> BTreeSet<&'a str> {
    let is_inner = |entry: &&CatalogEntry| {
        let below = entry.dir.strip_prefix(&outer.dir);
        below.is_some_and(|below| below.starts_with(MAIN_SEPARATOR))
    };
    let is_hidden = |entry: &&CatalogEntry| permit(catalog, entry, audience).is_err();
    let inner = catalog.skills().iter().filter(is_inner);
    let hidden = inner.filter(is_hidden);
    hidden.map(|entry| entry.dir.as_str()).collect()
}

fn notices(listing: &Listing) -> Vec<Notice> {
    let (count, example) = (listing.odd_names, listing.odd_example.clone());
    let left_out = (count > 0).then_some(Warning::NamesLeftOut { count, example });
    left_out.map(Notice::from).into_iter().collect()
}
