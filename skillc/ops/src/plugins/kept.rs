//! The plug-ins that calls share, loaded again when a script, a pack or a folder is another.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use skillc_core::Context;
use skillc_lint::PluginRegistry;
use skillc_script::Host;

use super::find::Found;
use super::load::{Loaded, load};
use crate::kept::Settled;

/// What was last loaded, and of which files.
#[derive(Default)]
pub(crate) struct KeptPlugins {
    host: OnceLock<Host>,
    last: Mutex<Option<(Found, Arc<Loaded>)>>,
}

impl KeptPlugins {
    /// Returns what loads scripts.
    pub(crate) fn host(&self) -> &Host {
        self.host.get_or_init(Host::default)
    }

    /// Returns what is loaded of these files, and loads them unless they are as they were.
    pub(crate) fn of(
        &self,
        found: Found,
        context: &Context,
        linked: &PluginRegistry,
    ) -> Arc<Loaded> {
        let settled = Settled::before(context);
        let mut last = self.last.lock();
        if let Some((files, loaded)) = &*last
            && *files == found
        {
            return Arc::clone(loaded);
        }
        let loaded = Arc::new(load(self.host(), linked, context, found.clone()));
        // An edit right after a younger stamp could leave the stamp as it is.
        let is_settled = found.stamps.iter().all(|(_, stamp)| settled.holds(*stamp));
        *last = is_settled.then(|| (found, Arc::clone(&loaded)));
        loaded
    }
}
