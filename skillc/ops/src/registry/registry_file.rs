//! The location of a skill registry, and the directories it covers.
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

/// The number of hex digits in a file name.
const DIGITS: usize = 16;

/// The settings of a skill registry, and the skill directories that it covers.
pub(super) struct Subject {
    pub(super) settings: Settings,
    pub(super) chain: Chain,
    pub(super) roots: Vec<Root>,
    /// Whether the directories were given explicitly.
    pub(super) is_named: bool,
}

impl Subject {
    /// Finds the directories for a context's working directory, unless directories are given.
    pub(super) fn new(context: &Context, settings: Settings, named: &[PathBuf]) -> Self {
        let chain = Chain::new(context, &settings.discovery);
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

    /// Returns the paths of the directories, as a sync records them.
    pub(super) fn dirs(&self) -> Vec<String> {
        let paths = self.roots.iter().map(|root| &root.path);
        paths.map(|path| path.display().to_string()).collect()
    }
}

/// The file of a skill registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RegistryFile {
    pub(super) db: PathBuf,
    /// Whether the file was given as an argument or in the configuration. Otherwise, memory can be used instead.
    pub(super) is_named: bool,
}

impl RegistryFile {
    /// Finds the file: the given file, otherwise the configured file, otherwise a file whose name is derived from the
    /// directories.
    pub(super) fn new(
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

/// Returns a prefix of the digest of the paths, joined by newlines.
fn hash16(roots: &[Root]) -> String {
    let paths = roots.iter().map(|root| root.path.as_os_str());
    let paths: Vec<&[u8]> = paths.map(OsStr::as_encoded_bytes).collect();
    let mut digits = Sha::digest(&paths.join(&b'\n')).to_string();
    digits.truncate(DIGITS);
    digits
}
