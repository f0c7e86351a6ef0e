//! Lint: what a rule is, which rules a run has, and what comes of their findings.
//!
//! * **What a rule is:** [`rule`], with its settings, what it reports and how that is fixed. [`plugin`] is the registry that
//!   finds rules and indexers.
//! * **Which rules run:** [`choice`] from the command line, [`config`] from files, [`plan`] from both.
//! * **What runs them:** [`linter`], which keeps what a rule's panic would take along ([`failing`]).
//! * **What comes of findings:** [`directive`] allows them in a file, [`baseline`] tells old ones from new ones, [`repair`]
//!   applies fixes; [`measured`] is what is known of a rule's findings in real skills.
//! * **How findings look:** [`finding`] has the lines they are about, [`annotate`] marks these, in [`ink`].
//!
//! Nothing here prints, and nothing here knows any rule.

pub mod annotate;
pub mod baseline;
pub mod choice;
pub mod config;
pub mod directive;
pub mod failing;
pub mod finding;
pub mod ink;
pub mod linter;
pub mod measured;
pub mod plan;
pub mod plugin;
pub mod repair;
pub mod rule;
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
