//! Refreshes the copies of a stub that earlier builds deployed to other clients.
//!
//! Symlinks need no refresh. A copy that is not refreshed would silently keep the old description until the skill is
//! built for that client again.

use std::path::PathBuf;

use skillc_core::Result;
use skillc_core::layout::Scope;

use super::deploy::{DeployJob, Deployment, Force, deploy, link};
use super::places;
use crate::lookup::{Stub, stub_source};
use crate::notes::Notes;
use crate::remove::agent_folders;
use crate::runtime::entry::FolderEntry;
use crate::runtime::manifest::Manifest;
use crate::toolkit::Toolkit;

/// Replaces unedited copies of older stubs in the folders of known clients and of `[targets]`. Returns the paths of the
/// replaced copies.
///
/// `done`: the deployments of this build, which are skipped.
///
/// # Errors
/// The errors of a deployment.
pub(super) fn refresh(
    toolkit: &Toolkit,
    job: &DeployJob<'_>,
    done: &[Deployment],
    notes: &mut Notes,
) -> Result<Vec<String>> {
    let Some(built) = Manifest::read(&job.runtime.manifest()) else {
        return Ok(Vec::new());
    };
    let owner = places::owner(job.at).filter(|store| store.scope == Scope::Project);
    let projects: Vec<PathBuf> = owner.into_iter().map(|store| store.root).collect();
    let mut refreshed = Vec::new();
    for folder in agent_folders(toolkit, &projects, Vec::new()) {
        let place = folder.dir.join(&job.at.name);
        let shown = place.display().to_string();
        let FolderEntry::Copy(copy) = FolderEntry::read(&place) else {
            continue;
        };
        let is_old = copy.is_intact && copy.manifest.stub_hash != built.stub_hash;
        if !is_old || done.iter().any(|deployment| deployment.path == shown) {
            continue;
        }
        let found = stub_source(&toolkit.context, &job.at.name, &place);
        if !matches!(found, Stub::Of(at) if at.canonical == job.at.canonical) {
            continue;
        }
        let is_committed = copy.manifest.source.is_empty();
        let own = DeployJob {
            project: folder.project.as_deref().filter(|_| is_committed),
            copy: true,
            force: Force::Nothing,
            ..*job
        };
        deploy(&own, &place, link, notes)?;
        refreshed.push(shown);
    }
    Ok(refreshed)
}
