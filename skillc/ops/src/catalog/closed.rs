//! What rules close to agents beside the loading of skills: a tool altogether, and a skill whose name is denied, which
//! nobody has to load who can read it section by section.
//!
//! The command line, which people use, goes on as if there were no such rule.
//!
//! Design: catalog-policy, CAT-PERM.3, CAT-PERM.5, CAT-PERM.8, D5.

use skillc_catalog::settings::Rule;
use skillc_catalog::settings::SKILL_LOAD;
use skillc_catalog::{Audience, Chain, Policy, Refusal};
use skillc_core::source::{Located, locate};
use skillc_core::{RelPath, Skill, SkillRef, SourceTree};

use crate::lookup;
use crate::notes::Notes;
use crate::toolkit::Toolkit;

/// What a rule closes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Closed {
    /// The tool.
    Tool(Rule),
    /// The skill that the call is for.
    Skill(Refusal),
}

/// A skill that an agent's call would give it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Given<'a> {
    /// The skill, as the agent calls it.
    pub skill: &'a str,
    /// The file that it wants of it, if it names one.
    pub path: Option<&'a str>,
}

impl Toolkit {
    /// Says what a rule closes of an agent's call. What is wrong with the rules goes to `notes` if the call is closed.
    ///
    /// A skill is known by the names of its directories and by the one that its `SKILL.md` has, so that neither a path nor
    /// a link to it passes a rule, nor what gives some of a skill that it lies in. The loading tool decides for itself.
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

    /// Returns the rules that hold here, if any of them denies something.
    fn policy(&self) -> Option<Policy> {
        let settings = self.kept.of_catalog(&self.context)?;
        if settings.permissions.deny.is_empty() {
            return None;
        }
        let chain = Chain::of(&self.context, &settings.discovery);
        Some(Policy::new(&settings.permissions, &chain.root))
    }

    /// Returns the rules that close skills to agents, if this call is one's and there are some.
    pub(crate) fn closing_policy(&self) -> Option<Policy> {
        let is_agents = self.audience != Audience::Person;
        is_agents
            .then(|| self.policy())
            .flatten()
            .filter(Policy::closes_skills)
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

/// Says whether rules close a skill that was read, or one that lies in it.
pub(crate) fn is_closed(policy: &Policy, skill: &Skill) -> bool {
    closed_at(policy, &skill.at).is_some() || !policy.closed_below(&skill.tree).is_empty()
}

/// Says why rules close a skill, or one that lies in it and of which a call would give something.
fn refusal(policy: &Policy, at: &SkillRef, path: Option<&str>) -> Option<Refusal> {
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
        // It is no path of a file.
        Some(Err(_)) => None,
        None => {
            // Whatever cannot be walked is not read by a tool either.
            let tree = SourceTree::read(&at.canonical).ok()?;
            policy.closed_below(&tree).into_values().next()
        }
    }
}

/// Says why rules close the skill of a directory, whatever it is called by.
pub(crate) fn closed_at(policy: &Policy, at: &SkillRef) -> Option<Refusal> {
    let mut own = [&at.source, &at.canonical].into_iter();
    own.find_map(|dir| policy.closed_in(dir))
}
