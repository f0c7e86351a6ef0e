//! The model of an Agent Skill and everything that reads one.
//!
//! * **Where things are:** [`context`], [`layout`], [`mod@resolve`], [`config`], [`clients`], [`mcp_config`].
//! * **What a skill holds:** [`source`] walks it once, [`source::document`] parses a Markdown file once, [`skill`] is both,
//!   [`graph`] is what refers to what in it.
//! * **What plug-ins are:** [`index`] for search formats, [`lint`] for rules, [`plugin`] for the registry that finds them.
//! * **What a text costs an agent:** [`tokens`]. **Which of it has words without blanks between them:** [`cjk`].
//! * **What can go wrong:** [`error`], one table of codes.
//!
//! Nothing here prints, and nothing reads the process's state outside [`Context::from_process`].

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
pub mod lint;
pub mod mcp_config;
pub mod near;
pub mod path;
pub mod plugin;
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
pub use lint::Linter;
pub use lint::choice::Choice;
pub use lint::diagnostic::{Diagnostic, Label, Severity};
pub use lint::directive::{Directive, Directives, Outcome, Part, Word};
pub use lint::fix::{Edit, Fix, Safety};
pub use lint::rule::{Activation, Findings, Rule, RuleMeta};
pub use lint::run::{RunFindings, RunSkill};
pub use lint::settings::{OptionKind, Options, RuleOption, Settings};
pub use path::{Pattern, RelPath};
pub use plugin::PluginRegistry;
pub use resolve::{SkillRef, resolve, resolve_any_case};
pub use skill::Skill;
pub use source::document::{CodeBlock, Document, Encoding, Heading, Link, LinkKind, ListItem};
pub use source::frontmatter::{Field, Fields, Frontmatter, Item, Value};
pub use source::lines::{LineIndex, Span};
pub use source::{SourceFile, SourceTree};
pub use stop::Stop;
