//! Re-exports of the catalog types that the server and the picker display, so that neither of them depends on the
//! catalog crate.

pub use skillc_catalog::entry::SkillHead;
pub use skillc_catalog::reference::{Reference, SCHEME};
pub use skillc_catalog::refusal::RuleDetails;
pub use skillc_catalog::settings::Switches;
pub use skillc_catalog::text::{injected, skills_context};
pub use skillc_catalog::{
    Audience, Catalog, CatalogEntry, Decision, Loaded, Refusal, Resend, Resolved, Scope, Versions,
    Wanted, load, read_reference, reference, reference_to, resolve,
};
