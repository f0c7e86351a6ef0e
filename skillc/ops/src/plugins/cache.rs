//! The cache of loaded plug-ins, shared by all calls. It is invalidated when a script, a pack or a folder changes.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use skillc_core::{Context, Stop};
use skillc_lint::PluginRegistry;
use skillc_script::Host;

use super::find::FoundScripts;
use super::load::{Loaded, load};
use crate::cache::Settled;

/// The most recently loaded plug-ins, with the files from which they were loaded.
#[derive(Default)]
pub(crate) struct PluginCache {
    host: OnceLock<Host>,
    last: Mutex<Option<(FoundScripts, Arc<Loaded>)>>,
}

impl PluginCache {
    /// Returns the script host, created on first use.
    pub(crate) fn host(&self) -> &Host {
        self.host.get_or_init(Host::default)
    }

    /// Returns the plug-ins of these files from the cache, or loads them if any file has changed. `stop`: cancels
    /// loading; the result is then incomplete.
    pub(crate) fn get_or_load(
        &self,
        found: FoundScripts,
        context: &Context,
        linked: &PluginRegistry,
        stop: &Stop,
    ) -> Arc<Loaded> {
        let settled = Settled::before(context);
        let mut last = self.last.lock();
        if let Some((files, loaded)) = &*last
            && *files == found
        {
            return Arc::clone(loaded);
        }
        let host = self.host().stopping(stop);
        let loaded = Arc::new(load(&host, linked, context, found.clone()));
        // Cache only if all stamps are old: otherwise, an edit within the granularity of time stamps would go
        // unnoticed.
        let is_settled = found.stamps.iter().all(|(_, stamp)| settled.holds(*stamp));
        let is_kept = is_settled && !stop.is_raised();
        *last = is_kept.then(|| (found, Arc::clone(&loaded)));
        loaded
    }
}
