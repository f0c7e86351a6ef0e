//! The search index of a skill, opened only if it matches the current files.
//!
//! Design: C-INDEX, D-STALE, D-GLOBAL-LOOKUP.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skillc_core::config::Tokenizer;
use skillc_core::layout::SKILL_FILE;
use skillc_core::path::is_one_component;
use skillc_core::resolve::{is_skill, skill_in, stores};
use skillc_core::source::Stamp;
use skillc_core::{Error, RelPath, Result, SkillRef, SourceFile};
use skillc_storage::search_index::index_form;
use skillc_storage::{Freshness, IndexMeta, SearchIndex, Unusable};

use crate::cache::{Settled, stamp_of};
use crate::notes::Notes;
use crate::pool::{Lent, Pool};
use crate::runtime::manifest::Manifest;
use crate::runtime::record::Known;
use crate::skill_snapshot::SkillSnapshot;
use crate::toolkit::Toolkit;

/// The reason given for an index that cannot be read.
const UNREADABLE: &str = "The index is damaged.";

/// An index that was checked against the files.
pub(crate) struct CheckedIndex<'a> {
    pub(crate) index: Lent<'a, SearchIndex>,
    pub(crate) files: Arc<SkillSnapshot>,
    /// The path of the freshness table.
    table: PathBuf,
}

impl CheckedIndex<'_> {
    /// Creates the E002 error for an index that cannot be read.
    ///
    /// Disk damage leaves the file's stamp unchanged, so the freshness table is deleted: the next build then does not
    /// trust the index.
    pub(crate) fn unreadable(&self, toolkit: &Toolkit, at: &SkillRef, reason: Unusable) -> Error {
        if reason == Unusable::Corrupt && !toolkit.stop.is_raised() {
            // Ignore errors: if the table cannot be deleted, a build cannot replace the index either.
            fs::remove_file(&self.table).unwrap_or_default();
        }
        unusable(at, why(reason))
    }
}

/// Opens a skill's index.
///
/// # Errors
/// Returns E002 if the index is missing, damaged, not built by this user, or does not match the files; E003 if it
/// belongs to another directory.
pub(crate) fn open<'a>(
    toolkit: &'a Toolkit,
    at: &SkillRef,
    notes: &mut Notes,
) -> Result<CheckedIndex<'a>> {
    let copy = stored_copy(toolkit, at);
    let owner = copy.as_ref().unwrap_or(at);
    let hash16 = owner.hash16();
    let runtime = owner.indexed_runtime();
    owner.check_runtime(runtime)?;
    let path = runtime.index(&hash16);
    notes.detail(format!("index   {}", path.display()));

    let stamp = stamp_of(&path);
    let mut index = take(toolkit, &path, stamp).map_err(|reason| unusable(at, why(reason)))?;
    if index.meta().skill_path != owner.canonical.to_string_lossy() {
        return Err(Error::IndexCollision { hash16 });
    }
    let Some(manifest) = manifest(toolkit, &runtime.manifest()) else {
        return Err(unusable(at, "The manifest beside the index is missing."));
    };
    if index.meta().source_hash != manifest.source_hash {
        return Err(unusable(
            at,
            "The last build in this runtime directory was from another source.",
        ));
    }
    let table = runtime.stamps(&hash16);
    // The table lists the files of the copy, not of the original, so read all files. If the hashes match, so does the
    // content.
    let files = match copy {
        Some(_) => SkillSnapshot::read(toolkit, &at.canonical, &table)?,
        None => SkillSnapshot::look(toolkit, &at.canonical, &table)?,
    };
    if let Some(reason) = fault(index.meta(), &files, toolkit.config.tokenizer) {
        return Err(unusable(at, reason));
    }
    if index.is_new() {
        if !index.has_our_tables() {
            return Err(unusable(at, UNREADABLE));
        }
        let known = Known::read(&toolkit.context, runtime);
        if !stamp.is_some_and(|stamp| known.has_index(&hash16, stamp.into())) {
            return Err(unusable(
                at,
                "skc only reads indexes that you built on this machine, with the current home directory.",
            ));
        }
        // Cache the open index only if its stamp is known: only the stamp shows whether the file has been modified.
        let known = files.known.as_ref();
        let is_known = |stamp: &Stamp| known.is_some_and(|known| known.knows((*stamp).into()));
        index.keep(&path, stamp.filter(is_known));
    }
    Ok(CheckedIndex {
        index,
        files,
        table,
    })
}

/// Returns whether [`open`] would accept a skill's index, without reading the index. It would if this user's last build
/// wrote the index in the current form, and no file has changed since. Returns false if in doubt.
pub(crate) fn is_current(toolkit: &Toolkit, at: &SkillRef) -> bool {
    let hash16 = at.hash16();
    let runtime = at.indexed_runtime();
    if at.check_runtime(runtime).is_err() {
        return false;
    }
    let table = runtime.stamps(&hash16);
    let (Some(stamp), Some(manifest), Ok(files)) = (
        stamp_of(&runtime.index(&hash16)),
        manifest(toolkit, &runtime.manifest()),
        SkillSnapshot::look(toolkit, &at.canonical, &table),
    ) else {
        return false;
    };
    let (Some(known), Some(hash)) = (&files.known, files.hash) else {
        return false;
    };
    known.knows(stamp.into())
        && known.form.as_deref() == Some(&*index_form(toolkit.config.tokenizer))
        && known.hash() == hash
        && hash.to_string() == manifest.source_hash
        && Known::read(&toolkit.context, runtime).has_index(&hash16, stamp.into())
}

/// An index, and the freshness table that shows which files have not changed since it was built.
pub(crate) struct KnownIndex<'a> {
    pub(crate) index: Lent<'a, SearchIndex>,
    pub(crate) known: Freshness,
}

/// Opens a skill's index to read the headings of files that have not changed since the build, even if other files have
/// changed.
///
/// Returns `None` if there is no index, or if the index cannot be trusted: callers then read the files.
pub(crate) fn open_known<'a>(toolkit: &'a Toolkit, at: &SkillRef) -> Option<KnownIndex<'a>> {
    let hash16 = at.hash16();
    let runtime = at.indexed_runtime();
    at.check_runtime(runtime).ok()?;
    let path = runtime.index(&hash16);
    let stamp = stamp_of(&path)?;
    let known = Freshness::read(&runtime.stamps(&hash16))?;
    // An index file that has been written to since the build cannot be trusted: it can contain any text.
    if !known.knows(stamp.into()) {
        return None;
    }
    let mut index = take(toolkit, &path, Some(stamp)).ok()?;
    let meta = index.meta();
    if meta.skill_path != at.canonical.to_string_lossy()
        || !meta.is_of(known.hash())
        || !meta.has_indexer(toolkit.linked_indexer_for(SKILL_FILE)?.meta())
    {
        return None;
    }
    if index.is_new() {
        let ours = Known::read(&toolkit.context, runtime);
        if !index.has_our_tables() || !ours.has_index(&hash16, stamp.into()) {
            return None;
        }
        index.keep(&path, Some(stamp));
    }
    Some(KnownIndex { index, known })
}

/// Takes an open index from the pool, or opens it. `stamp`: the file's current stamp.
fn take<'a>(
    toolkit: &'a Toolkit,
    path: &Path,
    stamp: Option<Stamp>,
) -> std::result::Result<Lent<'a, SearchIndex>, Unusable> {
    let pool = toolkit.kept.get::<Pool<SearchIndex>>();
    if let Some(index) = stamp.and_then(|stamp| pool.take(path, stamp)) {
        index.restart(&toolkit.stop);
        return Ok(index);
    }
    SearchIndex::open(path, &toolkit.stop).map(|index| pool.lend(index))
}

/// Reads a manifest, unless it is cached and unchanged.
fn manifest(toolkit: &Toolkit, path: &Path) -> Option<Arc<Manifest>> {
    let pool = toolkit.kept.get::<Pool<Arc<Manifest>>>();
    let (settled, stamp) = (Settled::before(&toolkit.context), stamp_of(path)?);
    if let Some(manifest) = pool.take(path, stamp) {
        return Some(Arc::clone(&manifest));
    }
    let manifest = Arc::new(Manifest::read(path)?);
    if settled.holds(stamp) {
        pool.put(path.to_path_buf(), stamp, Arc::clone(&manifest));
    }
    Some(manifest)
}

/// Returns why an index does not match the files; `None` if it matches.
fn fault(meta: &IndexMeta, files: &SkillSnapshot, tokenizer: Tokenizer) -> Option<&'static str> {
    let hash = files
        .hash
        .filter(|hash| hash.to_string() == meta.source_hash);
    match hash {
        None => Some("The files have changed since the build."),
        Some(hash) if !meta.is_current(hash, tokenizer) => {
            Some("It was built with another tokenizer or an older version of skc.")
        }
        Some(_) => None,
    }
}

/// Finds the imported copy of a skill outside the stores, so that the skill can be searched by its original path.
///
/// The index of the copy is valid for the original as long as their content is the same.
///
/// Design: C-INDEX.
fn stored_copy(toolkit: &Toolkit, at: &SkillRef) -> Option<SkillRef> {
    if at.store.is_some() || at.indexed_runtime().index(&at.hash16()).exists() {
        return None;
    }
    let main = SourceFile::read(&at.canonical, &RelPath::parse(SKILL_FILE).ok()?).ok()??;
    let document = main.into_document();
    let name = document.frontmatter.fields()?.text("name")?;
    let stores = stores(&toolkit.context).into_iter();
    let mut sources = stores.map(|store| (store.source(name), store));
    let (source, store) = sources.find(|(source, _)| is_one_component(name) && is_skill(source))?;
    Some(skill_in(&toolkit.context, &at.asked, name, source, store))
}

/// Creates an E002 error with the given reason.
pub(crate) fn unusable(at: &SkillRef, reason: &'static str) -> Error {
    Error::IndexUnusable {
        skill: at.asked.clone(),
        hint: Some(reason.into()),
    }
}

const fn why(reason: Unusable) -> &'static str {
    match reason {
        Unusable::Missing => "It has not been built.",
        Unusable::Corrupt => UNREADABLE,
        Unusable::Interrupted => "Reading it took too long.",
    }
}
