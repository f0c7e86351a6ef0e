//! Lint: rules, their selection, and the handling of their findings.
//!
//! * **Rules:** [`rule`], with its settings, findings and fixes. [`plugin`] is the registry of rules and indexers.
//! * **Selection:** [`choice`] from the command line, [`config`] from files, [`plan`] from both.
//! * **Execution:** [`linter`]; a rule that panics or exceeds a limit loses only its own findings ([`failing`]).
//! * **After a run:** [`directive`] suppresses findings in a file, [`baseline`] separates known findings from new ones,
//!   [`repair`] applies fixes; [`measured`] has the precision of rules measured on real skills.
//! * **Presentation:** [`finding`] has the source lines, [`annotate`] marks them, [`style`] colors them.
//!
//! This crate prints nothing and contains no rules.

pub mod annotate;
pub mod baseline;
pub mod choice;
pub mod config;
pub mod directive;
pub mod failing;
pub mod finding;
pub mod linter;
pub mod measured;
pub mod plan;
pub mod plugin;
pub mod repair;
pub mod rule;
pub mod style;
#[cfg(any(test, feature = "testkit"))]
pub mod testkit;

#[doc(hidden)]
pub use skillc_core::inventory;

pub use choice::Choice;
pub use directive::{Directive, Directives, Outcome, Part, Word};
pub use linter::Linter;
pub use plugin::PluginRegistry;
pub use rule::diagnostic::{Diagnostic, Label, Severity};
pub use rule::fix::{Edit, Fix, Safety};
pub use rule::run::{RunFindings, RunSkill};
pub use rule::settings::{OptionKind, Options, RuleOption, Settings};
pub use rule::{Activation, Findings, Rule, RuleMeta};
