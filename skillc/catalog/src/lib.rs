//! The catalog: the skills that an agent can find in a working directory, and those that it may use.
//!
//! * **What is asked for:** [`settings`] reads the configuration, [`chain`] finds the directories that count, [`roots`] the
//!   places of skills in and beside them.
//! * **What is there:** [`scan`] walks the roots, [`entry`] reads the head of one `SKILL.md`, [`Catalog`] is all of it.
//! * **What is done with it:** [`mod@search`] scores, [`rank`] orders skills of one name, [`policy`] decides, [`invocation`]
//!   reads who may start a skill, [`text`] writes what an agent is told.
//! * **How one is used:** [`mod@resolve`] finds the skill that is meant and whether it may be loaded, [`mod@load`] loads it with
//!   its [`listing`] in a [`skill_context`], [`run`] remembers what was sent, [`mod@reference`] reads its files later,
//!   [`refusal`] says why not.
//!
//! Nothing here knows of MCP, of a terminal or of a database, and nothing is fetched: it reads files, and writes none.
//!
//! Source: CATALOG.

mod catalog;
pub mod chain;
pub mod entry;
mod inside;
pub mod invocation;
pub mod listing;
pub mod load;
pub mod name;
pub mod policy;
pub mod rank;
pub mod reference;
pub mod refusal;
pub mod resolve;
pub mod roots;
pub mod run;
pub mod scan;
pub mod search;
pub mod settings;
pub mod skill_context;
pub mod text;
pub mod whole;

pub use catalog::{Catalog, SkillCatalog};
pub use chain::Chain;
pub use entry::{Entry, LoadFailure, Place};
pub use invocation::{Audience, Invocation};
pub use load::{Loaded, Resend, content_hash, load};
pub use policy::{Decision, Policy};
pub use reference::{Referenced, read_reference, reference, reference_to};
pub use refusal::{Candidate, Details, Refusal};
pub use resolve::{Permitted, Resolved, Wanted, resolve};
pub use roots::{Origin, Root, Scope};
pub use run::{LoadedVersion, Runs, Version, Versions};
pub use scan::{KnownHead, KnownHeads, SeenRoot};
pub use search::{Found, Hit, Query, Reason, search};
pub use settings::Settings;
pub use whole::WholeFile;
