//! What is kept from one call to the next of the same process, so that a server does not begin each call from nothing.
//!
//! It is only ever a shortcut: whatever is kept is compared with the disk before it is believed.

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

/// The most warnings that wait for a call that can say them.
const MAX_UNSAID: usize = 100;

/// How many kinds of things there is room for.
const ROOM: usize = 32;

/// What calls share.
#[derive(Default)]
pub(crate) struct Kept {
    /// One thing of each type that was asked for: whoever keeps it has the type.
    things: [OnceLock<Thing>; ROOM],
    /// Whether there is more than one call.
    is_shared: AtomicBool,
    config: Mutex<Option<Configured>>,
    /// What is wrong with the configuration, or was found out where nothing can be said, until a call says it.
    news: Mutex<Vec<Notice>>,
}

type Thing = Box<dyn Any + Send + Sync>;

/// The configuration, and what it was read from.
struct Configured {
    files: ConfigFiles,
    config: Arc<Config>,
    /// What it says of the catalog, once somebody has asked.
    of_catalog: OnceLock<Arc<Settings>>,
}

impl Kept {
    /// Says that there is another call.
    pub(crate) fn share(&self) {
        self.is_shared.store(true, Ordering::Relaxed);
    }

    /// Says whether there is more than one call.
    pub(crate) fn is_shared(&self) -> bool {
        self.is_shared.load(Ordering::Relaxed)
    }

    /// Returns the thing of a type, which is made when it is first asked for.
    ///
    /// # Panics
    /// If there are more types than room.
    pub(crate) fn of<T: Default + Send + Sync + 'static>(&self) -> &T {
        let things = self.things.iter();
        // The first that is empty takes it, so that no type has two.
        let mut things = things.map(|thing| thing.get_or_init(|| Box::new(T::default())));
        let thing = things.find_map(|thing| thing.downcast_ref());
        thing.expect("there are fewer types")
    }

    /// Returns the settings in force. What was ignored in them, if they were read anew, is [`news`](Self::news).
    pub(crate) fn config(&self, context: &Context, stores: &[Store]) -> Arc<Config> {
        let now = ConfigFiles::read(context, stores);
        let mut kept = self.config.lock();
        if let Some(kept) = &*kept
            && kept.files == now
        {
            return Arc::clone(&kept.config);
        }
        let (config, notices) = Config::of(&now, context);
        let config = Arc::new(config);
        *kept = Some(Configured {
            files: now,
            config: Arc::clone(&config),
            of_catalog: OnceLock::new(),
        });
        *self.pending() = notices;
        config
    }

    /// Returns what the configuration says of the catalog, as [`config`](Self::config) last read it; `None` if it has not.
    /// What was ignored is [`news`](Self::news).
    pub(crate) fn of_catalog(&self, context: &Context) -> Option<Arc<Settings>> {
        let kept = self.config.lock();
        let kept = kept.as_ref()?;
        let settings = kept.of_catalog.get_or_init(|| {
            let (settings, notices) = Settings::of(&kept.files, context, is_tool);
            self.pending().extend(notices);
            Arc::new(settings)
        });
        Some(Arc::clone(settings))
    }

    /// Takes what is to be said of the configuration: it is said once.
    pub(crate) fn news(&self) -> Vec<Notice> {
        std::mem::take(&mut *self.pending())
    }

    /// Keeps what was found out where nothing can be said of it, for the next call.
    pub(crate) fn say_later(&self, notices: Vec<Notice>) {
        let mut pending = self.pending();
        pending.extend(notices);
        pending.truncate(MAX_UNSAID);
    }

    fn pending(&self) -> MutexGuard<'_, Vec<Notice>> {
        self.news.lock()
    }
}

/// The moment before which a file must have been written for its stamp to tell it from any later one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settled {
    until_ns: i64,
}

impl Settled {
    /// For what is read from now on.
    pub(crate) fn before(context: &Context) -> Self {
        let now_ns = context.clock.now_ms().saturating_mul(1_000_000);
        Self {
            until_ns: now_ns - COARSE_CLOCK_NS,
        }
    }

    /// Says whether a stamp is old enough.
    pub(crate) fn holds(self, stamp: Stamp) -> bool {
        stamp.mtime_ns.max(stamp.ctime_ns) < self.until_ns
    }
}

/// Looks at a file, links followed; `None` if there is none.
pub(crate) fn stamp_of(path: &Path) -> Option<Stamp> {
    path.metadata().ok().map(|found| Stamp::of(&found))
}
