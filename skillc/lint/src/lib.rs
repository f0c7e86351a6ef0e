//! Lint: rules, their selection, and the handling of their findings.
//!
//! * **Rules:** [`rule`] is the interface of rules, with their settings, findings and fixes. [`plugin_registry`] lists
//!   all rules and indexers.
//! * **Selection:** [`choice`] is the selection on the command line, [`config`] reads the configuration files, and
//!   [`plan`] combines both.
//! * **Execution:** [`linter`] runs the rules. If a rule panics or exceeds a limit, only its own findings are lost
//!   ([`failing`]).
//! * **After a run:** [`directive`] suppresses findings in a file, [`baseline`] separates known findings from new ones,
//!   and [`repair`] applies fixes. [`measured`] reads the precision of rules, measured on real skills.
//! * **Presentation:** [`finding`] adds the source lines, [`annotate`] marks them, and [`style`] colours them.
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
pub mod plugin_registry;
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
pub use plugin_registry::PluginRegistry;
pub use rule::diagnostic::{Diagnostic, Label, Severity};
pub use rule::fix::{Edit, Fix, Safety};
pub use rule::run::{RunFindings, RunSkill};
pub use rule::settings::{OptionKind, Options, RuleOption, Settings};
pub use rule::{Activation, Findings, Rule, RuleMeta};
