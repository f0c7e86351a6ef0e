//! The catalog: the skills that an agent can find in a working directory, and those that it may use.
//!
//! * **What is asked for:** [`settings`] reads the configuration, [`chain`] finds the directories that count, [`roots`] the
//!   places of skills in and beside them.
//! * **What is there:** [`scan`] walks the roots, [`entry`] reads the head of one `SKILL.md`, [`Catalog`] is all of it.
//! * **What is done with it:** [`mod@search`] scores, [`rank`] orders skills of one name, [`policy`] decides, [`text`] writes
//!   what an agent is told.
//!
//! Nothing here knows of MCP, of a terminal or of a database, and nothing is fetched: it reads files, and writes none.
//!
//! Source: CATALOG.

mod catalog;
pub mod chain;
pub mod entry;
pub mod policy;
pub mod rank;
pub mod roots;
pub mod scan;
pub mod search;
pub mod settings;
pub mod text;

pub use catalog::{Catalog, SkillCatalog};
pub use chain::Chain;
pub use entry::{Entry, LoadFailure, Place};
pub use policy::{Decision, Policy};
pub use roots::{Origin, Root, Scope};
pub use scan::SeenRoot;
pub use search::{Found, Hit, Query, Reason, search};
pub use settings::Settings;
