//! The lint engine: runs rules over a skill and puts their findings in order.
//!
//! Source: RFC-0008 C-DIAGNOSTICS.

pub mod diagnostic;
pub mod rule;

use crate::layout::SKILL_FILE;
use crate::plugin::PluginRegistry;
use crate::skill::Skill;

use diagnostic::Diagnostic;
use rule::Findings;

/// Runs every rule over a skill.
///
/// Returns the diagnostics: those of `SKILL.md` first, then by file bytewise, then by place, then by rule.
pub fn lint(plugins: &PluginRegistry, skill: &Skill) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for rule in plugins.rules() {
        for document in skill.documents() {
            rule.check_document(
                document,
                skill,
                &mut Findings::new(rule.meta(), Some(document), &mut diagnostics),
            );
        }
        rule.check_skill(
            skill,
            &mut Findings::new(rule.meta(), None, &mut diagnostics),
        );
    }
    let key = |d: &Diagnostic| {
        let file = d.file.as_ref().map(ToString::to_string).unwrap_or_default();
        (file != SKILL_FILE, file, d.span, d.rule.clone())
    };
    diagnostics.sort_by_cached_key(key);
    diagnostics
}
