//! What is kept from one call to the next of the same process, so that a server does not begin each call from nothing.
//!
//! It is only ever a shortcut: whatever is kept is compared with the disk before it is believed.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use skillc_core::config::{Config, ConfigFiles};
use skillc_core::layout::Store;
use skillc_core::source::Stamp;
use skillc_core::{Context, Notice};
use skillc_storage::{SearchIndex, WritableLog};

use crate::live::LiveFiles;
use crate::pool::Pool;

/// What calls share.
#[derive(Default)]
pub(crate) struct Kept {
    /// Search indexes whose tables are ours, and that nobody has written to since they were made.
    pub(crate) indexes: Pool<SearchIndex>,
    /// Access logs as this process left them.
    pub(crate) logs: Pool<WritableLog>,
    /// The files of skills, by the freshness table of each.
    pub(crate) files: Pool<Arc<LiveFiles>>,
    config: Mutex<Option<(ConfigFiles, Arc<Config>)>>,
    /// What is wrong with the configuration, until somebody is told.
    news: Mutex<Vec<Notice>>,
}

impl Kept {
    /// Returns the settings in force. What was ignored in them, if they were read anew, is [`news`](Self::news).
    pub(crate) fn config(&self, context: &Context, stores: &[Store]) -> Arc<Config> {
        let now = ConfigFiles::read(context, stores);
        let mut kept = self.config.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((files, config)) = &*kept
            && *files == now
        {
            return Arc::clone(config);
        }
        let (config, notices) = Config::of(&now, context);
        let config = Arc::new(config);
        *kept = Some((now, Arc::clone(&config)));
        *self.pending() = notices;
        config
    }

    /// Takes what is to be said of the configuration: it is said once.
    pub(crate) fn news(&self) -> Vec<Notice> {
        std::mem::take(&mut *self.pending())
    }

    fn pending(&self) -> MutexGuard<'_, Vec<Notice>> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Looks at a file, links followed; `None` if there is none.
pub(crate) fn stamp_of(path: &Path) -> Option<Stamp> {
    path.metadata().ok().map(|found| Stamp::of(&found))
}
