//! Where a skill registry is, and which directories it is about.
//!
//! Design: catalog-roots, catalog-config, catalog-files, D12.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use skillc_catalog::roots::{named_roots, roots};
use skillc_catalog::{Chain, Root, Settings};
use skillc_core::Context;
use skillc_core::config::RegistrySettings;
use skillc_core::hash::Sha;
use skillc_core::layout::Store;

/// How many hex digits name a file.
const DIGITS: usize = 16;

/// What a skill registry is about: the settings, and where skills may lie.
pub(super) struct Subject {
    pub(super) settings: Settings,
    pub(super) chain: Chain,
    pub(super) roots: Vec<Root>,
    /// Whether somebody named the directories.
    pub(super) is_named: bool,
}

impl Subject {
    /// Finds the directories of a context's working directory, unless others are named.
    pub(super) fn of(context: &Context, settings: Settings, named: &[PathBuf]) -> Self {
        let chain = Chain::of(context, &settings.discovery);
        let is_named = !named.is_empty();
        let roots = if is_named {
            let dirs: Vec<PathBuf> = named.iter().map(|dir| context.cwd.join(dir)).collect();
            named_roots(&dirs)
        } else {
            roots(context, &chain, &settings.discovery)
        };
        Self {
            settings,
            chain,
            roots,
            is_named,
        }
    }
}

/// The file of a skill registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) db: PathBuf,
    /// Whether somebody said so. If not, what is in it can be kept in memory instead.
    pub(super) is_named: bool,
}

impl Place {
    /// Finds the file: the one that is named, else that of the configuration, else that of the directories.
    pub(super) fn of(
        context: &Context,
        settings: &RegistrySettings,
        named: Option<&Path>,
        roots: &[Root],
    ) -> Self {
        let named = named.map(|db| context.cwd.join(db));
        match named.or_else(|| settings.db.clone()) {
            Some(db) => Self { db, is_named: true },
            None => Self {
                db: Store::global(context).registry(&hash16(roots)),
                is_named: false,
            },
        }
    }
}

/// Returns the beginning of the digest of the paths, one a line.
fn hash16(roots: &[Root]) -> String {
    let paths = roots.iter().map(|root| root.path.as_os_str());
    let paths: Vec<&[u8]> = paths.map(OsStr::as_encoded_bytes).collect();
    let mut digits = Sha::of(&paths.join(&b'\n')).to_string();
    digits.truncate(DIGITS);
    digits
}
