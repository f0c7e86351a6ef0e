//! The skills of a run, for rules that compare them.

use std::path::{Path, PathBuf};

use skillc_core::clients::Client;
use skillc_core::path::RelPath;
use skillc_core::skill::Skill;
use skillc_core::source::frontmatter::Field;
use skillc_core::source::lines::Span;

use crate::rule::Findings;
use crate::rule::diagnostic::Diagnostic;

/// The field that keeps a skill from the agent, until the user calls it.
const HIDDEN: &str = "disable-model-invocation";

/// The name of directories that clients find skills in.
const SKILLS: &str = "skills";

/// What is kept of a skill once it was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSkill {
    /// Its directory, canonical.
    pub dir: PathBuf,
    /// Its name: that in its frontmatter, else that of its directory.
    pub name: String,
    /// Where the name stands in `SKILL.md`; the first byte if it is not there.
    pub name_span: Span,
    /// Its description; empty without one.
    pub description: String,
    /// Where that stands.
    pub description_span: Span,
    /// Whether agents are shown it, and not only the user.
    pub is_listed: bool,
    /// Its `SKILL.md`, relative to its directory.
    main: RelPath,
}

impl RunSkill {
    /// Returns what is kept of a skill; `None` without a `SKILL.md` that could be read.
    pub fn of(skill: &Skill) -> Option<Self> {
        let main = skill.main()?;
        let fields = main.frontmatter.fields();
        let text = |key: &str| {
            let text = fields.and_then(|fields| fields.text(key));
            text.unwrap_or_default().trim()
        };
        let place = |key: &str| {
            let field = fields.and_then(|fields| fields.get(key));
            field.map_or_else(Span::default, Field::place)
        };
        let name = match text("name") {
            "" => &skill.at.name,
            name => name,
        };
        let flag = fields.and_then(|fields| fields.get(HIDDEN));
        let flag = flag.map(|flag| &main.text[flag.value_span.start..flag.value_span.end]);
        Some(Self {
            dir: skill.at.canonical.clone(),
            name: name.to_owned(),
            name_span: place("name"),
            description: text("description").to_owned(),
            description_span: place("description"),
            is_listed: flag.is_none_or(|flag| flag.trim() != "true"),
            main: main.path.clone(),
        })
    }

    /// Returns the directory that a client finds it in: see [`client_root`].
    pub fn root(&self) -> &Path {
        client_root(&self.dir)
    }
}

/// Returns the directory in which a client finds a skill, with others: the nearest `skills` above it, else the one that it is in.
///
/// `skill`: its directory, canonical.
pub fn client_root(skill: &Path) -> &Path {
    let is_root = |dir: &&Path| dir.file_name().is_some_and(|name| name == SKILLS);
    let mut above = skill.ancestors().skip(1);
    let parent = above.next().unwrap_or(skill);
    std::iter::once(parent)
        .chain(above)
        .find(is_root)
        .unwrap_or(parent)
}

/// Takes the findings of one rule over the skills of a run.
pub struct RunFindings<'a> {
    of_rule: Findings<'a>,
    /// The number of the skill that each finding is in.
    numbers: &'a mut Vec<usize>,
}

impl<'a> RunFindings<'a> {
    pub(crate) fn new(of_rule: Findings<'a>, numbers: &'a mut Vec<usize>) -> Self {
        Self { of_rule, numbers }
    }

    /// Returns the clients that the skills are for; none if none was named.
    pub fn clients(&self) -> &'a [Client] {
        self.of_rule.clients()
    }

    /// Returns the options and the budget of the rule, and takes its faults.
    pub fn of_rule(&self) -> &Findings<'a> {
        &self.of_rule
    }

    /// Reports at a place of a skill's `SKILL.md`. `at`: which of the skills.
    pub fn at(
        &mut self,
        skills: &[RunSkill],
        at: usize,
        span: Span,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        // What is too much is not kept, and has no number.
        if !self.of_rule.is_full() {
            self.numbers.push(at);
        }
        self.of_rule.within(&skills[at].main, span, message)
    }
}
