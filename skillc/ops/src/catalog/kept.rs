//! Catalogs that are kept from one call to the next, one for each working directory.
//!
//! All that a catalog was read from is looked at before it is believed again, at most once a second: the directories that
//! were listed, every `SKILL.md`, the configuration.
//!
//! Source: CATALOG §3.11, CAT-PROTO.2, CAT-PROTO.3.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use skillc_catalog::chain::Chain;
use skillc_catalog::{Catalog, Settings};
use skillc_core::source::Stamp;
use skillc_core::{Context, Notice};

use crate::catalog::Look;
use crate::kept::{Settled, stamp_of};
use crate::operation::Notes;

/// How long a catalog is believed without a look, in milliseconds.
const BELIEVED_MS: i64 = 1_000;

/// The most working directories whose catalogs are kept.
const ROOM: usize = 16;

/// The catalogs, the one that was used last at the end.
#[derive(Default)]
pub(crate) struct KeptCatalogs(Mutex<Vec<Arc<Kept>>>);

/// A catalog, and what it was read from.
struct Kept {
    dir: PathBuf,
    catalog: Arc<Catalog>,
    /// Every directory and file; `None` if one has changed so lately that another change might not show.
    seen: Option<Vec<(PathBuf, Option<Stamp>)>>,
    /// When the disk was last compared with it, in milliseconds since 1970.
    looked_ms: i64,
}

impl KeptCatalogs {
    /// Returns the catalog of a context's working directory.
    pub(crate) fn get(&self, context: &Context, look: Look, notes: &mut Notes) -> Arc<Catalog> {
        let now_ms = context.clock.now_ms();
        let kept = self.of(&context.cwd).filter(|_| look == Look::IfDue);
        let age = kept.as_ref().map(|kept| now_ms - kept.looked_ms);
        if let Some(kept) = &kept
            && age.is_some_and(|age| (0..BELIEVED_MS).contains(&age))
        {
            return Arc::clone(&kept.catalog);
        }
        let (settings, notices) = Settings::read(context);
        let found = match kept {
            Some(kept) if kept.is_as_it_was(context, &settings) => Kept {
                dir: kept.dir.clone(),
                catalog: Arc::clone(&kept.catalog),
                seen: kept.seen.clone(),
                looked_ms: now_ms,
            },
            _ => Kept::read(context, settings, notices, notes),
        };
        let catalog = Arc::clone(&found.catalog);
        self.put(found);
        catalog
    }

    /// Forgets all of them, because the configuration was written just now: a second is too long to believe the old one.
    pub(crate) fn forget(&self) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.clear();
    }

    fn of(&self, dir: &Path) -> Option<Arc<Kept>> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().find(|kept| kept.dir == dir).map(Arc::clone)
    }

    fn put(&self, kept: Kept) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|other| other.dir != kept.dir);
        if all.len() >= ROOM {
            all.remove(0);
        }
        all.push(Arc::new(kept));
    }
}

impl Kept {
    fn read(
        context: &Context,
        settings: Settings,
        notices: Vec<Notice>,
        notes: &mut Notes,
    ) -> Self {
        let settled = Settled::before(context);
        let catalog = Catalog::scan(context, settings);
        notes.notices.extend(notices);
        let of_scan = &catalog.found().notices;
        notes.notices.extend(of_scan.iter().cloned());
        Self {
            dir: context.cwd.clone(),
            seen: seen(&catalog, settled),
            catalog: Arc::new(catalog),
            looked_ms: context.clock.now_ms(),
        }
    }

    fn is_as_it_was(&self, context: &Context, settings: &Settings) -> bool {
        let Some(seen) = &self.seen else {
            return false;
        };
        self.catalog.settings == *settings
            && self.catalog.chain == Chain::of(context, &settings.discovery)
            && seen.iter().all(|(path, stamp)| stamp_of(path) == *stamp)
    }
}

/// Looks at what a catalog was read from. `settled`: from before it was read.
fn seen(catalog: &Catalog, settled: Settled) -> Option<Vec<(PathBuf, Option<Stamp>)>> {
    let found = catalog.found();
    let skills = found.skills.iter().map(|entry| PathBuf::from(&entry.path));
    let errors = found.errors.iter();
    let errors = errors.map(|failure| PathBuf::from(&failure.path));
    let directories = found.directories.iter().cloned();
    let seen = directories.chain(skills).chain(errors).map(|path| {
        let stamp = stamp_of(&path);
        let is_settled = stamp.is_none_or(|stamp| settled.holds(stamp));
        is_settled.then_some((path, stamp))
    });
    seen.collect()
}
