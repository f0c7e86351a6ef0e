//! `skc catalog` and the tools of the catalog: which skills an agent can find, and which of them it may load.
//!
//! [`skillc_catalog`] discovers, ranks, permits and loads skills; this module adds the parts that need the rest of the
//! program: the cache between calls, confirmation, configuration edits, logs.
//!
//! Design: catalog-commands, catalog-policy, catalog-freshness.

mod access_check;
pub mod allow_deny;
mod cache;
mod config_text;
pub mod context;
pub mod inspect;
pub mod list;
pub mod load;
pub mod model;
mod names;
mod rules;
mod runs;
pub(crate) mod schema;
pub mod search;
pub(crate) mod suggestions;
mod switches;
pub mod switching;
pub mod write;

use std::path::Path;
use std::sync::Arc;

use skillc_catalog::{Catalog, CatalogEntry, Settings};
use skillc_core::{Context, Error, Notice};

use crate::access::{self, Arguments, Use};
use crate::lookup::{self, Lookup};
use crate::notes::Notes;
use crate::tool::is_tool;
use crate::toolkit::Toolkit;

pub use access_check::{Closed, Given};
pub(crate) use access_check::{closed_at, is_closed, refusal};
pub(crate) use cache::CatalogCache;
use names::Names;
pub use suggestions::ALL_OFF;

/// The command name that the usage log records for a load by command or by tool call. Design: CAT-LOAD.20.
pub const LOAD: &str = "load";

/// Whether a cached catalog may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Look {
    /// Use the cache if the disk was checked within the last second. Otherwise check the disk, and use the cache if
    /// nothing has changed.
    #[default]
    IfDue,
    /// Read everything from disk.
    Anew,
}

/// Reads the skill settings from the configuration. Also returns warnings about the entries that were ignored.
pub fn settings(context: &Context) -> (Settings, Vec<Notice>) {
    Settings::read(context, is_tool)
}

impl Toolkit {
    /// Returns the catalog of the working directory; warnings from a fresh read go to `notes`.
    ///
    /// Design: catalog-freshness.
    pub fn catalog(&self, look: Look, notes: &mut Notes) -> Arc<Catalog> {
        let catalog = self
            .kept
            .get::<CatalogCache>()
            .get(&self.context, look, notes);
        if self.kept.is_shared() {
            self.kept.get::<Names>().saw(&catalog);
        }
        catalog
    }

    /// Returns how often the names of the skills that agents see have changed since the first call.
    pub fn changes_of_names(&self) -> u64 {
        self.kept.get::<Names>().changes()
    }

    /// Like [`catalog`](Self::catalog), but for the directory `dir`, which must be an absolute path.
    ///
    /// Design: CAT-PROTO.3.
    pub fn catalog_in(&self, dir: &Path, look: Look, notes: &mut Notes) -> Arc<Catalog> {
        let context = Context {
            cwd: dir.to_path_buf(),
            ..Context::clone(&self.context)
        };
        self.kept.get::<CatalogCache>().get(&context, look, notes)
    }

    /// Returns the folder with the files of a skill in the catalog: for a stub, the folder of its source.
    pub fn root_of(&self, dir: &str) -> String {
        let found = lookup::find(&self.context, &self.stores, dir);
        found.map_or_else(
            |_| dir.to_owned(),
            |found| found.at.source.display().to_string(),
        )
    }

    /// Records a load in the skill's usage log. A failure to write the log does not affect the load.
    ///
    /// `error`: the reason why the skill was not loaded; `None` after a successful load.
    ///
    /// Design: CAT-LOAD.20, D16, C-LOGGING@7.
    pub fn log_load(
        &self,
        entry: &CatalogEntry,
        arguments: Arguments,
        error: Option<&Error>,
        notes: &mut Notes,
    ) {
        let Ok(Lookup { at, .. }) = lookup::find(&self.context, &self.stores, &entry.dir) else {
            return;
        };
        let used = Use {
            command: LOAD,
            at: &at,
            arguments,
            error,
        };
        access::log(self, used, notes);
    }
}
