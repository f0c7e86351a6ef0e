//! `skc registry sync`: updates the rows from disk.
//!
//! Design: REG-LOAD, catalog-commands, catalog-files, D1, D7.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_catalog::CatalogEntry;
use skillc_catalog::entry::FailureKind;
use skillc_catalog::scan::{Scanned, scan};
use skillc_core::layout::Store;
use skillc_core::{Context, Error, Result, Warning};
use skillc_storage::skill_registry::{RegistryTrouble, Snapshot, Synced, remove_unused};
use skillc_storage::{HeadRow, SkillRegistry, SkillRow, SourceRow};

use super::registry_file::{RegistryFile, Subject};
use super::report::{tell_skipped, winners};
use super::row_reader::{Before, RowReader, Rows, VERSION};
use crate::cache::Settled;
use crate::catalog::settings;
use crate::notes::Notes;
use crate::operation::{Example, Operation};
use crate::toolkit::Toolkit;

/// Arguments of `skc registry sync`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct RegistrySyncRequest {
    /// Skill directory; may be repeated, highest precedence first
    #[cfg_attr(feature = "clap", arg(long, value_name = "DIR"))]
    #[serde(default)]
    pub root: Vec<PathBuf>,
    /// Use this database instead of the default one
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    #[serde(default)]
    pub db: Option<PathBuf>,
}

/// Result of a sync.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct RegistrySyncResponse {
    /// Valid skills found
    pub loaded: usize,
    /// Invalid or unreadable files
    pub skipped: usize,
    /// Rows removed because no skill has their name any more
    pub pruned: usize,
    /// All SKILL.md files found: loaded and skipped
    pub total_on_disk: usize,
    /// Valid skills without a row because another one of the same name has it
    pub shadowed: usize,
    /// Database; null if there is none, or only in memory
    pub db: Option<String>,
}

/// Implements `skc registry sync`.
pub struct RegistrySync;

impl Operation for RegistrySync {
    const NAME: &'static str = "registry sync";
    const ABOUT: &'static str = "Update the skill registry from disk";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc registry sync",
            does: "skills that agents find in this directory",
        },
        Example {
            command: "skc registry sync --root ./skills --db skills.db",
            does: "skills of one directory, into your own file",
        },
    ];
    type Request = RegistrySyncRequest;
    type Response = RegistrySyncResponse;

    fn run(
        toolkit: &Toolkit,
        request: RegistrySyncRequest,
        notes: &mut Notes,
    ) -> Result<RegistrySyncResponse> {
        sync_now(toolkit, &request, notes)
    }
}

/// Updates the rows from disk.
///
/// # Errors
/// E065 if skills are disabled, E066 if the database cannot be used, E999 if a skill directory cannot be listed. In
/// each case nothing is changed.
pub(super) fn sync_now(
    toolkit: &Toolkit,
    request: &RegistrySyncRequest,
    notes: &mut Notes,
) -> Result<RegistrySyncResponse> {
    let context = &*toolkit.context;
    let (settings, notices) = settings(context);
    notes.notices.extend(notices);
    let subject = Subject::new(context, settings, &request.root);
    let registry = &toolkit.config.registry;
    let place = RegistryFile::new(context, registry, request.db.as_deref(), &subject.roots);
    let done = bring(toolkit, &subject, &place, notes)?;
    let db = done.registry.as_ref().and_then(SkillRegistry::path);
    let counts = done.synced;
    Ok(RegistrySyncResponse {
        loaded: counts.loaded,
        skipped: counts.skipped,
        pruned: counts.pruned,
        total_on_disk: counts.total_on_disk,
        shadowed: counts.shadowed,
        db: db.map(|db| db.display().to_string()),
    })
}

/// The result of a sync.
pub(super) struct Done {
    pub(super) synced: Synced,
    /// `None` if there was nothing to sync and no skill registry existed.
    pub(super) registry: Option<SkillRegistry>,
}

/// Updates a skill registry from its directories.
pub(super) fn bring(
    toolkit: &Toolkit,
    subject: &Subject,
    place: &RegistryFile,
    notes: &mut Notes,
) -> Result<Done> {
    let context = &*toolkit.context;
    notes.detail(format!("registry {}", place.db.display()));
    let old = look(place)?;
    let Some(found) = take_in(context, subject, old.as_ref(), notes)? else {
        return Ok(Done {
            synced: Synced::default(),
            registry: old,
        });
    };
    drop(old);
    let mut registry = open(place, notes)?;
    let synced = registry.sync(&found.snapshot())?;
    if !place.is_named {
        clear(toolkit, notes);
    }
    Ok(Done {
        synced,
        registry: Some(registry),
    })
}

/// Builds rows in memory from a subject's directories. Returns the skill registry that contains them.
pub(super) fn in_memory(
    context: &Context,
    subject: &Subject,
    notes: &mut Notes,
) -> Result<SkillRegistry> {
    let mut registry = SkillRegistry::in_memory()?;
    if let Some(found) = take_in(context, subject, None, notes)? {
        registry.sync(&found.snapshot())?;
    }
    Ok(registry)
}

/// Opens the existing registry for reading; `None` if it does not exist, or if it is the default registry and access is
/// denied.
fn look(place: &RegistryFile) -> Result<Option<SkillRegistry>> {
    match SkillRegistry::open_to_read(&place.db) {
        Err(fault) if fault.trouble == RegistryTrouble::Denied && !place.is_named => Ok(None),
        opened => {
            let opened = opened?;
            // The default file is in the user's home directory, and too many commands read it to check it each time.
            if let Some(registry) = opened.as_ref().filter(|_| place.is_named) {
                registry.check()?;
            }
            Ok(opened)
        }
    }
}

/// Opens the file for writing. Falls back to memory if the default file is not writable.
fn open(place: &RegistryFile, notes: &mut Notes) -> Result<SkillRegistry> {
    match SkillRegistry::open(&place.db) {
        Err(fault) if fault.trouble == RegistryTrouble::Denied && !place.is_named => {
            notes.warn(Warning::RegistryInMemory {
                message: fault.to_string(),
            });
            Ok(SkillRegistry::in_memory()?)
        }
        opened => Ok(opened?),
    }
}

/// Data read from disk, ready to be written.
struct SyncInput {
    winners: Vec<SkillRow>,
    sources: Vec<SourceRow>,
    heads: Vec<HeadRow>,
    skipped: usize,
    roots: Vec<String>,
    at_ms: i64,
}

impl SyncInput {
    fn snapshot(&self) -> Snapshot<'_> {
        Snapshot {
            winners: &self.winners,
            sources: &self.sources,
            heads: &self.heads,
            skipped: self.skipped,
            roots: &self.roots,
            skc_version: VERSION,
            at_ms: self.at_ms,
        }
    }
}

/// Reads the data from disk. Returns `None` if none of the directories exists.
fn take_in(
    context: &Context,
    subject: &Subject,
    old: Option<&SkillRegistry>,
    notes: &mut Notes,
) -> Result<Option<SyncInput>> {
    if !subject.settings.enabled {
        return Err(Error::SkillsDisabled {});
    }
    let settled = Settled::before(context);
    let at_ms = context.clock.now_ms();
    let before = old.map(Before::read).transpose()?.unwrap_or_default();
    let scanned = scan(subject.roots.clone(), &subject.settings, &before.heads);
    check_roots(&scanned)?;
    if !tell_missing(subject, &scanned, notes) {
        return Ok(None);
    }
    notes.notices.extend(scanned.notices.iter().cloned());
    let reader = RowReader::new(context, &subject.chain, &before, settled);
    let read = reader.read_all(&scanned.skills);
    Ok(Some(sorted(subject, &scanned, read, at_ms, notes)))
}

/// Checks that all existing directories can be listed: skills that cannot be read must not be treated as deleted.
fn check_roots(scanned: &Scanned) -> Result<()> {
    let mut failures = scanned.errors.iter();
    let failure = failures.find(|failure| failure.kind == FailureKind::Root);
    failure.map_or(Ok(()), |failure| {
        let reason = failure.message.trim_start_matches("cannot be read: ");
        Err(Error::Internal {
            message: format!("listing '{}': {reason}", failure.path),
            hint: Some("The skill registry was not changed.".into()),
        })
    })
}

/// Reports each given directory that does not exist. If none of the default directories exists, reports only the first.
/// Returns whether any directory exists.
fn tell_missing(subject: &Subject, scanned: &Scanned, notes: &mut Notes) -> bool {
    let is_any = scanned.roots.iter().any(|root| root.exists);
    let missing = scanned.roots.iter().filter(|root| !root.exists);
    let told = match (subject.is_named, is_any) {
        (true, _) => usize::MAX,
        (false, false) => 1,
        (false, true) => 0,
    };
    for root in missing.take(told) {
        notes.warn(Warning::RootMissing {
            path: root.root.path.display().to_string(),
        });
    }
    is_any
}

/// Separates valid from invalid files, and finds the winner for each name.
fn sorted(
    subject: &Subject,
    scanned: &Scanned,
    read: Vec<std::result::Result<Rows, String>>,
    at_ms: i64,
    notes: &mut Notes,
) -> SyncInput {
    let mut entries: Vec<&CatalogEntry> = Vec::with_capacity(read.len());
    let mut rows: Vec<Rows> = Vec::with_capacity(read.len());
    let mut told: Vec<(String, String)> = Vec::new();
    for (entry, read) in scanned.skills.iter().zip(read) {
        match read {
            Ok(read) => {
                entries.push(entry);
                rows.push(read);
            }
            Err(message) => told.push((entry.path.clone(), message)),
        }
    }
    let files = scanned.errors.iter();
    let files = files.filter(|failure| failure.kind == FailureKind::Skill);
    let skipped = told.len() + files.count();
    let failures = scanned.errors.iter();
    told.extend(failures.map(|failure| (failure.path.clone(), failure.message.clone())));
    tell_skipped(told, notes);
    let wins = winners(&entries, notes);
    let mut found = SyncInput {
        winners: Vec::new(),
        sources: Vec::with_capacity(rows.len()),
        heads: Vec::with_capacity(rows.len()),
        skipped,
        roots: subject.dirs(),
        at_ms,
    };
    for (row, is_winner) in rows.into_iter().zip(wins) {
        found.sources.push(SourceRow {
            is_winner,
            ..row.source
        });
        found.heads.extend(row.head);
        if is_winner {
            found.winners.push(row.skill);
        }
    }
    found
}

/// Removes unused skill registries. A failure is only reported as a detail.
fn clear(toolkit: &Toolkit, notes: &mut Notes) {
    let context = &toolkit.context;
    let folder = Store::global(context).registries();
    let Some(before) = toolkit.config.audit.keeps_from(context.clock.now()) else {
        return;
    };
    match remove_unused(&folder, before) {
        Ok(0) => {}
        Ok(count) => notes.detail(format!("registry removed {count} unused")),
        Err(fault) => notes.detail(format!("registry not cleared: {fault}")),
    }
}
