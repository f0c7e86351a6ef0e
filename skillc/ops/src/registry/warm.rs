//! Creates a catalog from the rows of the registry: directories are listed and files are checked, but unchanged
//! files are not read.
//!
//! A file is unchanged if its size, inode and ctime are the same. The ctime cannot be set by hand, and is not recorded
//! for a file that changed so shortly before it was read that another change could have the same ctime. Everything else
//! works as without the registry: directories are listed, symlinks followed, new and changed files read, current
//! settings applied. The catalog is therefore the same.
//!
//! This relies on the database, which belongs to the user, and on the file system to update the ctime. If the clock was
//! set back while the disk was written to, a change can go undetected; to read everything again, delete the database
//! and run `skc registry sync`.
//!
//! Nothing is written.
//!
//! Design: catalog-freshness, limits-catalog.

use skillc_catalog::{Catalog, KnownHeads, Settings};
use skillc_core::Context;
use skillc_core::config::RegistrySettings;
use skillc_storage::SkillRegistry;

use super::registry_file::{RegistryFile, Subject};
use super::row_reader::{VERSION, known};
use crate::toolkit::Toolkit;

/// Returns the catalog of the working directory, as [`Catalog::scan`] does. Returns `None` if there is no registry, or
/// if the registry is unreadable or from another version.
pub fn catalog(toolkit: &Toolkit, settings: &Settings) -> Option<Catalog> {
    catalog_of(&toolkit.context, &toolkit.config.registry, settings)
}

/// Like [`catalog`], for any context's working directory.
pub fn catalog_of(
    context: &Context,
    registry: &RegistrySettings,
    settings: &Settings,
) -> Option<Catalog> {
    let heads = heads(context, registry, settings)?;
    Some(Catalog::scan_knowing(context, settings.clone(), &heads))
}

/// Returns the registry's data about the files of the working directory.
pub(super) fn heads(
    context: &Context,
    registry: &RegistrySettings,
    settings: &Settings,
) -> Option<KnownHeads> {
    let subject = Subject::new(context, settings.clone(), &[]);
    let place = RegistryFile::new(context, registry, None, &subject.roots);
    let registry = SkillRegistry::open_to_read(&place.db).ok()??;
    if registry.skc_version().ok()?.as_deref() != Some(VERSION) {
        return None;
    }
    let heads = registry.heads().ok()?;
    Some(KnownHeads::new(heads.into_iter().map(known).collect()))
}
