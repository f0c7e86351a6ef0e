//! What is kept from one call to the next of the same process, so that a server does not begin each call from nothing.
//!
//! It is only ever a shortcut: whatever is kept is compared with the disk before it is believed.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::{Mutex, MutexGuard};
use skillc_catalog::Settings;
use skillc_core::config::{Config, ConfigFiles};
use skillc_core::layout::Store;
use skillc_core::source::Stamp;
use skillc_core::{Context, Notice};
use skillc_storage::SearchIndex;
use skillc_storage::freshness::COARSE_CLOCK_NS;

use crate::access::KeptLog;
use crate::build::manifest::Manifest;
use crate::catalog::{KeptCatalogs, KeptRuns, Names};
use crate::live::LiveFiles;
use crate::operation::Toolkit;
use crate::plugins::KeptPlugins;
use crate::pool::Pool;
use crate::registry::Started;
use crate::tool::is_tool;

/// The most warnings that wait for a call that can say them.
const MAX_UNSAID: usize = 100;

/// What calls share.
#[derive(Default)]
pub(crate) struct Kept {
    /// Search indexes whose tables are ours, and that nobody has written to since they were made.
    pub(crate) indexes: Pool<SearchIndex>,
    /// What was last built, by the manifest of each.
    pub(crate) manifests: Pool<Arc<Manifest>>,
    /// The plug-ins that were last loaded.
    pub(crate) plugins: KeptPlugins,
    /// Access logs as this process left them.
    pub(crate) logs: Pool<KeptLog>,
    /// Catalogs, by working directory.
    pub(crate) catalogs: KeptCatalogs,
    /// The names of the agent's skills.
    pub(crate) names: Names,
    /// What has been sent to whom.
    pub(crate) runs: KeptRuns,
    /// Whether the skill registry can be used.
    pub(crate) registry: Started,
    /// The files of skills, by the freshness table of each.
    files: Pool<Arc<LiveFiles>>,
    /// Whether there is more than one call.
    is_shared: AtomicBool,
    config: Mutex<Option<Configured>>,
    /// What is wrong with the configuration, or was found out where nothing can be said, until a call says it.
    news: Mutex<Vec<Notice>>,
}

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

    /// Returns where the files of skills are kept, unless this is the only call.
    pub(crate) fn files(&self) -> Option<&Pool<Arc<LiveFiles>>> {
        self.is_shared().then_some(&self.files)
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
    pub(crate) fn until(toolkit: &Toolkit) -> Self {
        Self::before(&toolkit.context)
    }

    /// As [`until`](Self::until), where there is no toolkit.
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
