//! Applies deny rules to more than loading: they also keep agents from calling a denied tool, and from reading the
//! sections of a denied skill without loading it.
//!
//! Commands that people run ignore these rules.
//!
//! Design: catalog-policy, CAT-PERM.3, CAT-PERM.5, CAT-PERM.8, D5.

use skillc_catalog::settings::{Rule, SKILL_LOAD, Unruled};
use skillc_catalog::{Audience, Chain, Policy, Refusal};
use skillc_core::source::{Located, locate};
use skillc_core::{RelPath, Skill, SkillRef, SourceTree};

use crate::lookup;
use crate::notes::Notes;
use crate::toolkit::Toolkit;

/// The tool or the skill that a rule denies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Closed {
    /// The tool.
    Tool(Rule),
    /// The skill that the call is about.
    Skill(Refusal),
}

/// A skill whose content an agent's call would return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Given<'a> {
    /// The skill, as the agent names it.
    pub skill: &'a str,
    /// The requested file, if any.
    pub path: Option<&'a str>,
}

impl Toolkit {
    /// If an agent's call is denied, returns the rule that denies the tool, or the refusal of the skill. In that case,
    /// adds pending warnings about the configuration to `notes`.
    ///
    /// A skill is matched by its directory names and by the name in its `SKILL.md`, so that neither a path nor a
    /// symlink bypasses a rule. If the call returns part of a nested skill, that skill is matched, too. The loading
    /// tool checks its own rules.
    pub fn closed(
        &self,
        tool: &str,
        given: Option<Given<'_>>,
        notes: &mut Notes,
    ) -> Option<Closed> {
        let policy = self.policy().filter(|_| tool != SKILL_LOAD)?;
        let closed = match policy.closed_tool(tool) {
            Some(rule) => Some(Closed::Tool(rule.clone())),
            None => given.and_then(|given| self.closed_skill(&policy, given)),
        };
        if closed.is_some() {
            notes.notices.extend(self.kept.news());
        }
        closed
    }

    /// Returns the active rules if there is a deny rule, or if skills without a rule are denied.
    fn policy(&self) -> Option<Policy> {
        let settings = self.kept.catalog_settings(&self.context)?;
        let permissions = &settings.permissions;
        if permissions.deny.is_empty() && permissions.unruled != Some(Unruled::Deny) {
            return None;
        }
        let chain = Chain::new(&self.context, &settings.discovery);
        Some(Policy::new(&settings.permissions, &chain.root))
    }

    /// If an agent makes this call, and any rule denies skills by name, returns the rules that restrict the call.
    pub(crate) fn closing_policy(&self) -> Option<Policy> {
        self.denying_policy().filter(Policy::closes_skills)
    }

    /// If an agent makes this call, and the rules can deny skills, by name or otherwise, returns the rules.
    pub(crate) fn denying_policy(&self) -> Option<Policy> {
        let is_agents = self.audience != Audience::Person;
        is_agents.then(|| self.policy()).flatten()
    }

    fn closed_skill(&self, policy: &Policy, given: Given<'_>) -> Option<Closed> {
        if !policy.closes_skills() {
            return None;
        }
        let at = lookup::find(&self.context, &self.stores, given.skill)
            .ok()?
            .at;
        Some(Closed::Skill(refusal(policy, &at, given.path)?))
    }
}

/// Returns whether rules deny the skill, or a skill nested in it.
pub(crate) fn is_closed(policy: &Policy, skill: &Skill) -> bool {
    if skill.tree.is_in_memory() {
        return policy.closes_in_memory(skill);
    }
    closed_at(policy, &skill.at).is_some() || !policy.closed_below(&skill.tree).is_empty()
}

/// Returns the refusal if rules deny the skill, or a nested skill whose content the call would return.
pub(crate) fn refusal(policy: &Policy, at: &SkillRef, path: Option<&str>) -> Option<Refusal> {
    if let Some(refusal) = closed_at(policy, at) {
        return Some(refusal);
    }
    match path.map(RelPath::parse) {
        Some(Ok(path)) => {
            let Located::Inside(full) = locate(&at.canonical, &path) else {
                return None;
            };
            let above = full.ancestors().skip(1);
            let mut within = above.take_while(|dir| dir.starts_with(&at.canonical));
            within.find_map(|dir| policy.closed_in(dir))
        }
        // An invalid file path: the call fails anyway.
        Some(Err(_)) => None,
        None => {
            // A skill that cannot be walked cannot be read by a tool either.
            let tree = SourceTree::read(&at.canonical).ok()?;
            policy.closed_below(&tree).into_values().next()
        }
    }
}

/// Returns the refusal if rules deny access to a skill under any name of its directory.
pub(crate) fn closed_at(policy: &Policy, at: &SkillRef) -> Option<Refusal> {
    let mut own = [&at.source, &at.canonical].into_iter();
    own.find_map(|dir| policy.closed_in(dir))
}
