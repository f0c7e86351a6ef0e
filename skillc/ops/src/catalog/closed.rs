//! What rules close to agents beside the loading of skills: a tool altogether, and a skill whose name is denied, which
//! nobody has to load who can read it section by section.
//!
//! Only the command line, which people use, goes on as if there were no such rule.
//!
//! Source: CATALOG §3.7, CAT-PERM.5, CAT-PERM.8.

use std::path::Path;

use skillc_catalog::entry::SkillHead;
use skillc_catalog::policy::SKILL_LOAD;
use skillc_catalog::settings::Rule;
use skillc_catalog::{Chain, Policy, Refusal};
use skillc_core::layout::SKILL_FILE;
use skillc_core::resolve::resolve_among;

use crate::operation::Toolkit;

/// What a rule closes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Closed {
    /// The tool.
    Tool(Rule),
    /// A skill that the call is for.
    Skill(Refusal),
}

impl Toolkit {
    /// Says what a rule closes of an agent's call. `skills`: what it is for, as the agent calls them.
    ///
    /// A skill is known by its directory's name and by the one in its frontmatter, so that neither a path nor a link to it
    /// passes a rule. The loading tool decides for itself: its rules may need a word.
    pub fn closed(&self, tool: &str, skills: &[&str]) -> Option<Closed> {
        let settings = self.kept.of_catalog(&self.context)?;
        if settings.permissions.deny.is_empty() || tool == SKILL_LOAD {
            return None;
        }
        let chain = Chain::of(&self.context, &settings.discovery);
        let policy = Policy::new(&settings.permissions, &chain.root);
        if let Some(rule) = policy.closed_tool(tool) {
            return Some(Closed::Tool(rule.clone()));
        }
        let mut skills = skills.iter();
        skills.find_map(|asked| self.closed_skill(&policy, asked))
    }

    fn closed_skill(&self, policy: &Policy, asked: &str) -> Option<Closed> {
        let at = resolve_among(&self.context, &self.stores, asked).ok()?;
        let head = SkillHead::read(&at.source.join(SKILL_FILE)).ok();
        let names = [
            Some(at.name),
            name_of(&at.canonical),
            head.map(|head| head.name),
        ];
        names.into_iter().flatten().find_map(|skill| {
            let rule = Some(policy.closed_skill(&skill)?.clone());
            Some(Closed::Skill(Refusal::Denied { skill, rule }))
        })
    }
}

fn name_of(dir: &Path) -> Option<String> {
    dir.file_name()?.to_str().map(str::to_owned)
}
