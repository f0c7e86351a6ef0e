//! What is kept from one call to the next of the same process, so that a server does not begin each call from nothing.
//!
//! It is only ever a shortcut: whatever is kept is compared with the disk before it is believed.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use skillc_core::config::{Config, ConfigFiles};
use skillc_core::source::Stamp;
use skillc_core::{Context, Notice};
use skillc_storage::{SearchIndex, WritableLog};

use crate::pool::Pool;

/// What calls share.
#[derive(Default)]
pub(crate) struct Kept {
    /// Search indexes whose tables are ours, and that nobody has written to since they were made.
    pub(crate) indexes: Pool<SearchIndex>,
    /// Access logs as this process left them.
    pub(crate) logs: Pool<WritableLog>,
    config: Mutex<Option<(ConfigFiles, Arc<Config>)>>,
}

impl Kept {
    /// Returns the settings in force, and what was ignored in them if they were read anew.
    pub(crate) fn config(&self, context: &Context) -> (Arc<Config>, Vec<Notice>) {
        let now = ConfigFiles::read(context);
        let mut kept = self.config.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((files, config)) = &*kept
            && *files == now
        {
            return (Arc::clone(config), Vec::new());
        }
        let (config, notices) = Config::of(&now, context);
        let config = Arc::new(config);
        *kept = Some((now, Arc::clone(&config)));
        (config, notices)
    }
}

/// Looks at a file, links followed; `None` if there is none.
pub(crate) fn stamp_of(path: &Path) -> Option<Stamp> {
    path.metadata().ok().map(|found| Stamp::of(&found))
}
