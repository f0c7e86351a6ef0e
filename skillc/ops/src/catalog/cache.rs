//! Cache of catalogs between calls, one per working directory.
//!
//! A cached catalog is reused only if everything that it was read from is unchanged on disk: the listed directories,
//! every `SKILL.md`, the configuration. This is checked at most once a second, unless the caller requests a fresh read.
//! Only one caller checks a working directory at a time; the others wait and share the result.
//!
//! Design: catalog-freshness, CAT-PROTO.2, CAT-PROTO.3.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use skillc_catalog::chain::Chain;
use skillc_catalog::{Catalog, MODEL_FILES, Settings};
use skillc_core::source::Stamp;
use skillc_core::{Context, Notice};

use crate::cache::{Settled, stamp_of};
use crate::catalog::{Look, settings};
use crate::notes::Notes;

/// How long a cached catalog is used without checking the disk, in milliseconds.
const BELIEVED_MS: i64 = 1_000;

/// The limit on cached working directories.
const ROOM: usize = 16;

/// The cached catalogs, and the checks in progress.
#[derive(Default)]
pub(crate) struct CatalogCache {
    all: Mutex<All>,
    turns: Mutex<Vec<Weak<Turn>>>,
}

#[derive(Default)]
struct All {
    /// The cached catalogs, the most recently checked last.
    catalogs: Vec<Arc<CachedCatalog>>,
    /// How many times the cache has been cleared.
    forgotten: u64,
}

/// Serializes the checks of a working directory.
struct Turn {
    dir: PathBuf,
    /// How many full reads have started.
    begun: AtomicU64,
    lock: Mutex<()>,
}

/// A catalog, and the files and directories it was read from.
struct CachedCatalog {
    dir: PathBuf,
    catalog: Arc<Catalog>,
    /// The stamps of all directories and files that were read; `None` if one of them changed so recently that a further
    /// change might not alter its time stamp.
    seen: Option<Vec<(PathBuf, Option<Stamp>)>>,
    /// The time at which the disk was last checked, in milliseconds since 1970.
    looked_ms: i64,
}

impl CatalogCache {
    /// Returns the catalog of a context's working directory.
    pub(crate) fn get(&self, context: &Context, look: Look, notes: &mut Notes) -> Arc<Catalog> {
        let is_believed =
            |kept: &Arc<CachedCatalog>| look == Look::IfDue && kept.is_believed(context);
        if let Some(kept) = self.entry(&context.cwd).0.filter(is_believed) {
            return Arc::clone(&kept.catalog);
        }
        let (turn, begun) = self.turn(&context.cwd);
        let _turn = turn.lock.lock();
        // A read that another caller started after this request is recent enough.
        let is_new = turn.begun.load(Ordering::Relaxed) != begun;
        let (kept, forgotten) = self.entry(&context.cwd);
        if let Some(kept) = &kept
            && (is_new || is_believed(kept))
        {
            return Arc::clone(&kept.catalog);
        }
        let before = kept.clone();
        let kept = kept.filter(|_| look == Look::IfDue);
        let (settings, notices) = settings(context);
        let found = match kept {
            Some(kept) if kept.is_as_it_was(context, &settings) => CachedCatalog {
                dir: kept.dir.clone(),
                catalog: Arc::clone(&kept.catalog),
                seen: kept.seen.clone(),
                looked_ms: context.clock.now_ms(),
            },
            _ => {
                turn.begun.fetch_add(1, Ordering::Relaxed);
                let found = CachedCatalog::read(context, settings, notices, notes);
                if let Some(before) = before {
                    found.catalog.reuse_index(&before.catalog);
                }
                found
            }
        };
        let catalog = Arc::clone(&found.catalog);
        self.put(found, forgotten);
        catalog
    }

    /// Clears the cache after a write to the configuration: a stale entry could otherwise be used for up to a second.
    pub(crate) fn forget(&self) {
        let mut all = self.all.lock();
        all.catalogs.clear();
        all.forgotten += 1;
    }

    /// Returns the cached catalog of a directory, and how many times the cache has been cleared.
    fn entry(&self, dir: &Path) -> (Option<Arc<CachedCatalog>>, u64) {
        let all = self.all.lock();
        let kept = all.catalogs.iter().find(|kept| kept.dir == dir);
        (kept.map(Arc::clone), all.forgotten)
    }

    /// Caches a catalog, unless the cache has been cleared in the meantime.
    fn put(&self, kept: CachedCatalog, forgotten: u64) {
        let mut all = self.all.lock();
        if all.forgotten != forgotten {
            return;
        }
        all.catalogs.retain(|other| other.dir != kept.dir);
        if all.catalogs.len() >= ROOM {
            all.catalogs.remove(0);
        }
        all.catalogs.push(Arc::new(kept));
    }

    /// Returns the lock for checking a directory, and how many full reads of the directory have started.
    fn turn(&self, dir: &Path) -> (Arc<Turn>, u64) {
        let mut turns = self.turns.lock();
        turns.retain(|turn| turn.strong_count() > 0);
        let mut found = turns.iter().filter_map(Weak::upgrade);
        let turn = found.find(|turn| turn.dir == dir);
        let turn = turn.unwrap_or_else(|| {
            let turn = Arc::new(Turn {
                dir: dir.to_path_buf(),
                begun: AtomicU64::default(),
                lock: Mutex::default(),
            });
            turns.push(Arc::downgrade(&turn));
            turn
        });
        let begun = turn.begun.load(Ordering::Relaxed);
        (turn, begun)
    }
}

impl CachedCatalog {
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

    /// Returns whether the disk was checked within the last second.
    fn is_believed(&self, context: &Context) -> bool {
        let age = context.clock.now_ms() - self.looked_ms;
        (0..BELIEVED_MS).contains(&age)
    }

    fn is_as_it_was(&self, context: &Context, settings: &Settings) -> bool {
        let Some(seen) = &self.seen else {
            return false;
        };
        self.catalog.settings == *settings
            && self.catalog.chain == Chain::new(context, &settings.discovery)
            && seen.iter().all(|(path, stamp)| stamp_of(path) == *stamp)
    }
}

/// Records the files and directories that a catalog was read from. `settled`: determined before the catalog was read.
fn seen(catalog: &Catalog, settled: Settled) -> Option<Vec<(PathBuf, Option<Stamp>)>> {
    let found = catalog.found();
    let skills = found.skills.iter().map(|entry| PathBuf::from(&entry.path));
    let errors = found.errors.iter();
    let errors = errors.map(|failure| PathBuf::from(&failure.path));
    let directories = found.directories.iter().cloned();
    let model = catalog.settings.model.iter();
    let model = model.flat_map(|folder| MODEL_FILES.map(|name| folder.join(name)));
    let files = skills.chain(errors).chain(model);
    let seen = directories.chain(files).map(|path| {
        let stamp = stamp_of(&path);
        let is_settled = stamp.is_none_or(|stamp| settled.holds(stamp));
        is_settled.then_some((path, stamp))
    });
    seen.collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Duration;

    use skillc_core::context::Clock;
    use skillc_core::testkit::{FixedClock, NOW};
    use skillc_core::time::Timestamp;
    use tempfile::TempDir;

    use super::*;

    /// A clock that runs a callback each time it is read.
    struct Busy<F>(F);

    impl<F: Fn() + Send + Sync> Clock for Busy<F> {
        fn now(&self) -> Timestamp {
            (self.0)();
            NOW
        }
    }

    fn context(dir: &Path, clock: impl Clock + 'static) -> Context {
        let home = Some(dir.join("home"));
        let fixed = Arc::new(FixedClock(NOW));
        let context = Context::new(dir.to_path_buf(), home, BTreeMap::new(), fixed);
        Context {
            clock: Arc::new(clock),
            ..context.unwrap()
        }
    }

    fn skill(dir: &Path, name: &str) {
        let dir = dir.join(".agents/skills").join(name);
        fs::create_dir_all(&dir).unwrap();
        let text = format!("---\nname: {name}\ndescription: A skill\n---\n");
        fs::write(dir.join("SKILL.md"), text).unwrap();
    }

    fn names(catalog: &Catalog) -> Vec<&str> {
        let all = catalog.skills().iter();
        all.map(|entry| entry.name.as_str()).collect()
    }

    /// catalog-freshness: one read at a time; waiting callers share the next read.
    #[test]
    fn waiting_callers_share_the_next_read() {
        let dir = TempDir::new().unwrap();
        skill(dir.path(), "one");
        let kept = CatalogCache::default();
        let anew = |context: &Context| kept.get(context, Look::Anew, &mut Notes::default());
        let (began, is_reading) = channel();
        let (sender, go_on) = channel::<()>();
        let go_on = Mutex::new(go_on);
        let slow = Busy(move || {
            let _ = began.send(());
            // Returns at once when the sender is dropped.
            let _ = go_on.lock().recv();
        });
        let slow = context(dir.path(), slow);
        let others = [NOW, NOW].map(|now| context(dir.path(), FixedClock(now)));
        let (first, others) = thread::scope(|scope| {
            let first = scope.spawn(|| anew(&slow));
            is_reading.recv().unwrap();
            let others = others.each_ref().map(|one| scope.spawn(|| anew(one)));
            // One reference each for the first read, the two waiting callers, and this thread.
            while Arc::strong_count(&kept.turn(dir.path()).0) < 4 {
                assert!(others.iter().all(|one| !one.is_finished()), "none waited");
                thread::sleep(Duration::from_millis(1));
            }
            drop(sender);
            let others = others.map(|one| one.join().unwrap());
            (first.join().unwrap(), others)
        });
        assert!(Arc::ptr_eq(&others[0], &others[1]));
        // The first read had started before their requests, so it may have missed recent changes.
        assert!(!Arc::ptr_eq(&first, &others[0]));
    }

    /// catalog-freshness: a read that started before our own write is not reused after it.
    #[test]
    fn a_read_started_before_invalidation_is_not_cached() {
        let dir = TempDir::new().unwrap();
        skill(dir.path(), "one");
        let kept = Arc::new(CatalogCache::default());
        // A read of the catalog checks the clock once more when it ends.
        let last = Arc::new(AtomicU64::new(u64::MAX));
        let looks = Arc::new(AtomicU64::new(0));
        let clock = {
            let (kept, last, looks) = (Arc::clone(&kept), Arc::clone(&last), Arc::clone(&looks));
            let dir = dir.path().to_path_buf();
            Busy(move || {
                let look = looks.fetch_add(1, Ordering::Relaxed) + 1;
                if look == last.load(Ordering::Relaxed) {
                    skill(&dir, "two");
                    kept.forget();
                }
            })
        };
        let context = context(dir.path(), clock);
        let get = |look| kept.get(&context, look, &mut Notes::default());
        assert_eq!(names(&get(Look::Anew)), ["one"]);
        last.store(2 * looks.load(Ordering::Relaxed), Ordering::Relaxed);
        assert_eq!(names(&get(Look::Anew)), ["one"]);
        assert_eq!(names(&get(Look::IfDue)), ["one", "two"]);
    }
}
