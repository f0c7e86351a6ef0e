//! Test helpers for rules and indexers: linting a skill, and harnesses for fixture directories.

mod fixtures;

use skillc_core::Skill;

use crate::{Choice, Diagnostic, Linter, PluginRegistry, Settings};

pub use fixtures::{check_indexer_fixtures, check_rule_fixtures};

/// Lints a skill with the linked rules that a selector matches.
///
/// # Panics
/// If the selector matches no rule.
pub fn lint_skill(skill: &Skill, selector: &str) -> Vec<Diagnostic> {
    lint_skill_with(skill, selector, Settings::default())
}

/// Like [`lint_skill`], with settings such as clients and options.
///
/// # Panics
/// If the selector matches no rule.
pub fn lint_skill_with(skill: &Skill, selector: &str, settings: Settings) -> Vec<Diagnostic> {
    let plugins = PluginRegistry::linked().expect("no duplicates");
    lint_skill_by(&plugins, skill, vec![selector.to_owned()], settings)
}

/// Like [`lint_skill_with`], with the rules of a plug-in registry.
///
/// # Panics
/// If a selector matches no rule.
pub fn lint_skill_by(
    plugins: &PluginRegistry,
    skill: &Skill,
    select: Vec<String>,
    settings: Settings,
) -> Vec<Diagnostic> {
    let choice = Choice {
        select,
        ..Choice::default()
    };
    let linter = Linter::new(plugins, &choice, settings).expect("a selector");
    linter.run(skill)
}
