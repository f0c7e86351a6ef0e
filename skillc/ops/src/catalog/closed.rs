//! What rules close to agents beside the loading of skills: a tool altogether, and a skill whose name is denied, which
//! nobody has to load who can read it section by section.
//!
//! The command line, which people use, goes on as if there were no such rule.
//!
//! Source: CATALOG §3.7, CAT-PERM.3, CAT-PERM.5, CAT-PERM.8, D5.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use skillc_catalog::policy::SKILL_LOAD;
use skillc_catalog::settings::Rule;
use skillc_catalog::{Audience, Chain, Policy, Refusal};
use skillc_core::layout::SKILL_FILE;
use skillc_core::source::{Located, locate};
use skillc_core::{RelPath, Skill, SkillRef, SourceTree};

use crate::lookup;
use crate::operation::{Notes, Toolkit};

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
        let dirs = directories(&at, given.path);
        let refusal = dirs.iter().find_map(|dir| policy.closed_in(dir))?;
        Some(Closed::Skill(refusal))
    }
}

/// Says whether rules close a skill that was read, or one that lies in it.
pub(crate) fn is_closed(policy: &Policy, skill: &Skill) -> bool {
    let files = skill.tree.entries.iter();
    let within = files.filter_map(|file| skill_dir(&file.path.under(&skill.at.canonical)));
    let own = [skill.at.source.clone(), skill.at.canonical.clone()];
    let dirs: BTreeSet<PathBuf> = within.chain(own).collect();
    dirs.iter().any(|dir| policy.closed_in(dir).is_some())
}

/// Returns the directories of a skill, and of those in it of which a call would give something.
fn directories(at: &SkillRef, path: Option<&str>) -> BTreeSet<PathBuf> {
    let mut dirs = BTreeSet::from([at.source.clone(), at.canonical.clone()]);
    match path.map(RelPath::parse) {
        Some(Ok(path)) => {
            if let Located::Inside(full) = locate(&at.canonical, &path) {
                let above = full.ancestors().skip(1);
                let within = above.take_while(|dir| dir.starts_with(&at.canonical));
                dirs.extend(within.map(Path::to_path_buf));
            }
        }
        // It is no path of a file.
        Some(Err(_)) => {}
        None => {
            // Whatever cannot be walked is not read by a tool either.
            let tree = SourceTree::read(&at.canonical);
            let files = tree.iter().flat_map(|tree| &tree.entries);
            dirs.extend(files.filter_map(|file| skill_dir(&file.path.under(&at.canonical))));
        }
    }
    dirs
}

/// Returns the directory of a file that makes it a skill's.
fn skill_dir(file: &Path) -> Option<PathBuf> {
    let name = file.file_name()?.to_str()?;
    let is_main = name.eq_ignore_ascii_case(SKILL_FILE);
    is_main.then(|| file.parent().map(Path::to_path_buf))?
}
