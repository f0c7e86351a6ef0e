//! Process-wide cache shared by calls, so that a server does not start from scratch for each call.
//!
//! Cached data is validated against the disk before use; catalogs are validated at most once a second.

use std::any::Any;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::{Mutex, MutexGuard};
use skillc_catalog::Settings;
use skillc_core::config::{Config, ConfigFiles};
use skillc_core::layout::Store;
use skillc_core::source::Stamp;
use skillc_core::{Context, Notice};
use skillc_storage::freshness::COARSE_CLOCK_NS;

use crate::tool::is_tool;

/// The maximum number of pending warnings.
const MAX_UNSAID: usize = 100;

/// The number of slots for cached types.
const ROOM: usize = 32;

/// The state shared by calls.
#[derive(Default)]
pub(crate) struct SharedCache {
    /// One slot per cached type. The module that uses a slot defines its type.
    things: [OnceLock<Thing>; ROOM],
    /// Whether there has been more than one call.
    is_shared: AtomicBool,
    config: Mutex<Option<Configured>>,
    /// Pending warnings: those about the configuration, and those found outside a call. They are kept until a call
    /// reports them or the configuration is reloaded.
    news: Mutex<Vec<Notice>>,
}

type Thing = Box<dyn Any + Send + Sync>;

/// The configuration, and the files it was read from.
struct Configured {
    files: ConfigFiles,
    config: Arc<Config>,
    /// The catalog settings in the configuration, read on first use.
    of_catalog: OnceLock<Arc<Settings>>,
}

impl SharedCache {
    /// Records that more than one call uses the cache.
    pub(crate) fn share(&self) {
        self.is_shared.store(true, Ordering::Relaxed);
    }

    /// Returns whether there has been more than one call.
    pub(crate) fn is_shared(&self) -> bool {
        self.is_shared.load(Ordering::Relaxed)
    }

    /// Returns the cached value of type `T`, creating it on first use.
    ///
    /// # Panics
    /// Panics if there are more types than slots.
    pub(crate) fn get<T: Default + Send + Sync + 'static>(&self) -> &T {
        let things = self.things.iter();
        // Fills empty slots in order, so that each type has exactly one slot.
        let mut things = things.map(|thing| thing.get_or_init(|| Box::new(T::default())));
        let thing = things.find_map(|thing| thing.downcast_ref());
        thing.expect("more slots than types")
    }

    /// Returns the current settings. Warnings from a reload are in [`news`](Self::news).
    pub(crate) fn config(&self, context: &Context, stores: &[Store]) -> Arc<Config> {
        let now = ConfigFiles::read(context, stores);
        let mut kept = self.config.lock();
        if let Some(kept) = &*kept
            && kept.files == now
        {
            return Arc::clone(&kept.config);
        }
        let (config, notices) = Config::from_files(&now, context);
        let config = Arc::new(config);
        *kept = Some(Configured {
            files: now,
            config: Arc::clone(&config),
            of_catalog: OnceLock::new(),
        });
        *self.pending() = notices;
        config
    }

    /// Returns the catalog settings from the last [`config`](Self::config) call; `None` if there was no such call yet.
    /// Warnings are in [`news`](Self::news).
    pub(crate) fn catalog_settings(&self, context: &Context) -> Option<Arc<Settings>> {
        let kept = self.config.lock();
        let kept = kept.as_ref()?;
        let settings = kept.of_catalog.get_or_init(|| {
            let (settings, notices) = Settings::from_files(&kept.files, context, is_tool);
            self.pending().extend(notices);
            Arc::new(settings)
        });
        Some(Arc::clone(settings))
    }

    /// Removes and returns the pending warnings, so that each is reported once.
    pub(crate) fn news(&self) -> Vec<Notice> {
        std::mem::take(&mut *self.pending())
    }

    /// Keeps warnings that were found outside a call, so that the next call reports them.
    pub(crate) fn say_later(&self, notices: Vec<Notice>) {
        let mut pending = self.pending();
        pending.extend(notices);
        pending.truncate(MAX_UNSAID);
    }

    fn pending(&self) -> MutexGuard<'_, Vec<Notice>> {
        self.news.lock()
    }
}

/// A point in time. If a file was last written before this time, every later version of the file has a different stamp.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settled {
    until_ns: i64,
}

impl Settled {
    /// Returns the point in time that applies to files read from now on. It is a little before now, because file
    /// systems have coarse clocks.
    pub(crate) fn before(context: &Context) -> Self {
        let now_ns = context.clock.now_ms().saturating_mul(1_000_000);
        Self {
            until_ns: now_ns - COARSE_CLOCK_NS,
        }
    }

    /// Returns whether a stamp is old enough to be trusted.
    pub(crate) fn holds(self, stamp: Stamp) -> bool {
        stamp.mtime_ns.max(stamp.ctime_ns) < self.until_ns
    }
}

/// Returns the stamp of a file, following symlinks; `None` if it does not exist.
pub(crate) fn stamp_of(path: &Path) -> Option<Stamp> {
    path.metadata()
        .ok()
        .map(|found| Stamp::from_metadata(&found))
}
