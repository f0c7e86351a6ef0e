//! The catalog: which skills an agent can find in a working directory, and which of them it may use.
//!
//! * **Input:** [`settings`] reads the configuration, [`chain`] finds the project directories to search, and [`roots`]
//!   lists the skill directories in those directories and elsewhere.
//! * **Discovery:** [`scan`] walks the roots, [`entry`] reads the head of one `SKILL.md`, and [`Catalog`] holds the
//!   result.
//! * **Selection:** [`mod@search`] scores skills, [`precedence`] orders skills of the same name, [`policy`] applies
//!   allow and deny rules, [`invocation`] reads the restrictions on starting a skill, and [`text`] writes the list of
//!   skills for an agent.
//! * **Use:** [`mod@resolve`] finds the requested skill and checks that it may be loaded, [`mod@load`] loads it with
//!   its [`listing`] in a [`skill_context`], [`run`] remembers which skills were sent, [`mod@reference`] reads the
//!   skill's files later, and [`refusal`] explains why a skill may not be loaded.
//!
//! This crate is independent of MCP, the terminal and the database. It reads local files and writes none.
//!
//! Design: catalog.

mod catalog;
pub mod chain;
pub mod entry;
mod inside;
pub mod invocation;
pub mod listing;
pub mod load;
pub mod name;
pub mod policy;
pub mod precedence;
pub mod reference;
pub mod refusal;
pub mod resolve;
pub mod roots;
pub mod run;
pub mod scan;
pub mod search;
pub mod settings;
pub mod skill_context;
pub mod skill_file;
pub mod text;

pub use catalog::{Catalog, DENIED, SkillCatalog};
pub use chain::Chain;
pub use entry::{CatalogEntry, LoadFailure, RootRank};
pub use invocation::{Audience, Invocation};
pub use load::{Loaded, Resend, content_hash, load};
pub use policy::{Decision, Policy};
pub use reference::{Referenced, read_reference, reference, reference_to};
pub use refusal::{Candidate, Details, Refusal};
pub use resolve::{Permitted, Resolved, Wanted, resolve};
pub use roots::{Origin, Root, Scope};
pub use run::{LoadedVersion, Runs, Version, Versions};
pub use scan::{KnownHead, KnownHeads, SeenRoot};
pub use search::{Hit, MODEL_FILES, Query, Reason, SearchResults, ranking, search};
pub use settings::Settings;
pub use skill_file::FullSkillFile;
