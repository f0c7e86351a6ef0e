//! The model of an Agent Skill, and all code that reads one.
//!
//! * **Locations:** [`context`], [`layout`], [`mod@resolve`], [`config`], [`clients`], [`mcp_config`].
//! * **Contents:** [`source`] walks a skill once, [`source::document`] parses each Markdown file once, [`skill`] does
//!   both, and [`graph`] contains the references between the skill's files.
//! * **Sections for search:** [`index`]. **Limits on scripts:** [`budget`].
//! * **Text hidden by encodings and invisible characters:** [`reveal`]. **Secrets to mask in output:** [`secrets`].
//! * **Token counts:** [`tokens`]. **Writing systems without spaces between words:** [`cjk`].
//! * **Errors and warnings:** [`error`], one table of codes.
//!
//! On WebAssembly, a skill is read from memory ([`Skill::from_contents`]), and code that writes to disk is not
//! compiled.
//!
//! Nothing in this crate prints, and only [`Context::from_process`] reads process state.

pub mod budget;
pub mod cjk;
pub mod clean;
pub mod clients;
#[cfg(not(target_family = "wasm"))]
pub mod config;
#[cfg(not(target_family = "wasm"))]
pub mod contained;
pub mod context;
pub mod did_you_mean;
pub mod error;
#[cfg(not(target_family = "wasm"))]
pub mod fs;
pub mod graph;
pub mod hash;
pub mod index;
pub mod layout;
pub mod lock;
pub mod mcp_config;
pub mod path;
pub mod resolve;
pub mod reveal;
pub mod secrets;
pub mod shell;
pub mod skill;
pub mod source;
pub mod stop;
#[cfg(any(test, feature = "testkit"))]
pub mod testkit;
pub mod time;
pub mod tokens;
pub mod toml_cost;
pub mod words;

#[doc(hidden)]
pub use inventory;

pub use context::Context;
pub use error::{Error, Notice, Result, Warning};
pub use graph::{Anchor, Follow, Reference, ReferenceGraph, ReferenceKind, Target};
pub use index::{IndexError, Indexer, IndexerMeta, Section};
pub use path::{Pattern, RelPath};
pub use resolve::{SkillRef, resolve, resolve_any_case};
pub use skill::Skill;
pub use source::document::{CodeBlock, Document, Encoding, Heading, Link, LinkKind, ListItem};
pub use source::frontmatter::{Field, Fields, Frontmatter, Item, Value};
pub use source::lines::{LineIndex, Span};
pub use source::{SourceFile, SourceTree};
pub use stop::Stop;
