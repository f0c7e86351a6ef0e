//! What the server and the picker show of the catalog, as the crate of that name has it: they know no other way to it.

pub use skillc_catalog::entry::SkillHead;
pub use skillc_catalog::reference::{Reference, SCHEME};
pub use skillc_catalog::refusal::RuleDetails;
pub use skillc_catalog::settings::Switches;
pub use skillc_catalog::text::{injected, skills_context};
pub use skillc_catalog::{
    Audience, Catalog, Decision, Entry, Loaded, Refusal, Resend, Resolved, Scope, Versions, Wanted,
    load, read_reference, reference, reference_to, resolve,
};
