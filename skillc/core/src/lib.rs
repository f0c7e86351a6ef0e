//! The model of an Agent Skill and everything that reads one.
//!
//! * **Where things are:** [`context`], [`layout`], [`mod@resolve`], [`config`], [`clients`], [`mcp_config`].
//! * **What a skill holds:** [`source`] walks it once, [`source::document`] parses a Markdown file once, [`skill`] is both,
//!   [`graph`] is what refers to what in it.
//! * **What cuts a file into sections for search:** [`index`]. **How much scripts may compute:** [`budget`].
//! * **What a text costs an agent:** [`tokens`]. **Which of it has words without blanks between them:** [`cjk`].
//! * **What can go wrong:** [`error`], one table of codes.
//!
//! Nothing here prints, and nothing reads the process's state outside [`Context::from_process`].

pub mod budget;
pub mod cjk;
pub mod clean;
pub mod clients;
pub mod config;
pub mod contained;
pub mod context;
pub mod error;
pub mod graph;
pub mod hash;
pub mod index;
pub mod layout;
pub mod lock;
pub mod mcp_config;
pub mod near;
pub mod path;
pub mod resolve;
pub mod shell;
pub mod skill;
pub mod source;
pub mod stop;
#[cfg(any(test, feature = "testkit"))]
pub mod testkit;
pub mod time;
pub mod tokens;

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
