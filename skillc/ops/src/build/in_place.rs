//! In-place builds: of a skill in a client's folder, or at any path with `--in-place`.
//!
//! A skill in a client's folder is built in place by default, and so is one found through a stub that is in no store.
//! Importing it would create a second skill of the same name while the client goes on reading the original, and its stub
//! could only replace the original. So the source stays as it is, becomes searchable, and is deployed only on request.

use skillc_core::layout::Scope;
use skillc_core::resolve::lexical;
use skillc_core::{Context, SkillRef};

use super::BuildRequest;
use super::places::Places;

/// Returns whether a skill is to be built in place.
pub(super) fn is_meant(context: &Context, at: &SkillRef, request: &BuildRequest) -> bool {
    // The path of a source is imported, as specified, unless the project's clients find the skill there. A name or stub that
    // leads to a source outside the stores belongs to a skill that was built in place earlier.
    let is_path = lexical(&context.cwd.join(&at.asked)) == at.source;
    let is_projects = at.client_folder.is_some() && at.scope == Scope::Project;
    at.store.is_none() && (request.in_place || is_projects || !is_path)
}

/// Removes the skill's own folder from the deployment places, and all of them if no target was requested.
pub(super) fn keep_source(at: &SkillRef, request: &BuildRequest, places: &mut Places) {
    let own = at.source.parent();
    places
        .agents
        .retain(|agent| !request.target.is_empty() && Some(agent.dir.as_path()) != own);
}
