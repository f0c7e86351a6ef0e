//! A catalog from the rows of the registry: directories are listed and files are looked at, but none is read that the
//! registry still has.
//!
//! A file is the one that was read if size, number and the time of its last change are the same. That time cannot be set by
//! hand, and is not noted of a file that had changed so lately, when it was read, that another change might not show. All
//! else is done as without the registry: directories are listed, links followed, what is new or changed is read, settings
//! are applied as they are now. So the catalog is the same.
//!
//! What this trusts: the database, which is the user's, and the file system to note every change of a file. A disk that was
//! written to while the clock stood in the past can hold a change that does not show; `skc registry sync` after removing
//! the database reads everything.
//!
//! Nothing is written.
//!
//! Design: catalog-freshness, limits-catalog.

use skillc_catalog::{Catalog, KnownHeads, Settings};
use skillc_core::Context;
use skillc_core::config::RegistrySettings;
use skillc_storage::SkillRegistry;

use super::place::{Place, Subject};
use super::read::{VERSION, known};
use crate::toolkit::Toolkit;

/// Returns the catalog of the working directory, the same as [`Catalog::scan`] would. `None` if there is no registry that
/// helps: none at all, one that cannot be read, or one of another version.
pub fn catalog(toolkit: &Toolkit, settings: &Settings) -> Option<Catalog> {
    catalog_of(&toolkit.context, &toolkit.config.registry, settings)
}

/// As [`catalog`], of any context's working directory.
pub fn catalog_of(
    context: &Context,
    registry: &RegistrySettings,
    settings: &Settings,
) -> Option<Catalog> {
    let heads = heads(context, registry, settings)?;
    Some(Catalog::scan_knowing(context, settings.clone(), &heads))
}

/// Returns what the registry has of the files of the working directory.
pub(super) fn heads(
    context: &Context,
    registry: &RegistrySettings,
    settings: &Settings,
) -> Option<KnownHeads> {
    let subject = Subject::of(context, settings.clone(), &[]);
    let place = Place::of(context, registry, None, &subject.roots);
    let registry = SkillRegistry::open_to_read(&place.db).ok()??;
    if registry.skc_version().ok()?.as_deref() != Some(VERSION) {
        return None;
    }
    let heads = registry.heads().ok()?;
    Some(KnownHeads::new(heads.into_iter().map(known).collect()))
}
