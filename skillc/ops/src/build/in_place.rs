//! Building a skill where it is: in the folder in which a client finds it, or at any path with `--in-place`.
//!
//! A skill in a client's folder, and one that a stub leads to and that is in no store, is built in place by default. Importing it would leave two skills of one name, the
//! copy in the store and the original that the client goes on reading, and its stub could only replace the original. So the
//! source stays as it is, becomes searchable, and is deployed only where that is asked for.

use skillc_core::layout::Scope;
use skillc_core::resolve::lexical;
use skillc_core::{Context, SkillRef};

use super::BuildRequest;
use super::places::Places;

/// Says whether a skill is to be built where it is.
pub(super) fn is_meant(context: &Context, at: &SkillRef, request: &BuildRequest) -> bool {
    // The path of a source is imported, as specified, unless the project's clients find the skill there. A name or a stub that
    // leads to a source outside the stores belongs to a skill that was built where it is before.
    let is_path = lexical(&context.cwd.join(&at.asked)) == at.source;
    let is_projects = at.client_folder.is_some() && at.scope == Scope::Project;
    at.store.is_none() && (request.in_place || is_projects || !is_path)
}

/// Takes the folder of the skill itself off the places to deploy to, and all of them if none was asked for.
pub(super) fn keep_source(at: &SkillRef, request: &BuildRequest, places: &mut Places) {
    let own = at.source.parent();
    places
        .agents
        .retain(|agent| !request.target.is_empty() && Some(agent.dir.as_path()) != own);
}
