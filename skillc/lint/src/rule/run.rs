//! The skills of a run, for rules that compare them.

use std::path::{Path, PathBuf};

use skillc_core::clients::Client;
use skillc_core::path::RelPath;
use skillc_core::skill::Skill;
use skillc_core::source::frontmatter::Field;
use skillc_core::source::lines::Span;

use crate::rule::Findings;
use crate::rule::diagnostic::Diagnostic;

/// The frontmatter field that hides a skill from the agent until the user invokes it.
const HIDDEN: &str = "disable-model-invocation";

/// The name of the directories where clients look for skills.
const SKILLS: &str = "skills";

/// The data that is kept about a skill after it has been checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSkill {
    /// The canonical path of the skill's directory.
    pub dir: PathBuf,
    /// The skill's name in the frontmatter, or the name of its directory if the frontmatter has no name.
    pub name: String,
    /// The span of the name in `SKILL.md`; if the frontmatter has no name, an empty span at the start of the file.
    pub name_span: Span,
    /// The skill's description; may be empty.
    pub description: String,
    /// The span of the description.
    pub description_span: Span,
    /// Whether the skill is listed for agents, not only for the user.
    pub is_listed: bool,
    /// The `SKILL.md`, relative to the skill's directory.
    main: RelPath,
}

impl RunSkill {
    /// Extracts the data of a skill; `None` if the skill has no readable `SKILL.md`.
    pub fn from_skill(skill: &Skill) -> Option<Self> {
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

    /// Returns the directory in which a client finds the skill; see [`client_root`].
    pub fn root(&self) -> &Path {
        client_root(&self.dir)
    }
}

/// Returns the directory in which a client finds a skill: the nearest ancestor named `skills`, otherwise the parent
/// directory.
///
/// `skill`: the canonical path of the skill's directory.
pub fn client_root(skill: &Path) -> &Path {
    let is_root = |dir: &&Path| dir.file_name().is_some_and(|name| name == SKILLS);
    let mut above = skill.ancestors().skip(1);
    let parent = above.next().unwrap_or(skill);
    std::iter::once(parent)
        .chain(above)
        .find(is_root)
        .unwrap_or(parent)
}

/// The sink for the findings of one rule over the skills of a run.
pub struct RunFindings<'a> {
    of_rule: Findings<'a>,
    /// For each finding, the index of its skill.
    numbers: &'a mut Vec<usize>,
}

impl<'a> RunFindings<'a> {
    pub(crate) fn new(of_rule: Findings<'a>, numbers: &'a mut Vec<usize>) -> Self {
        Self { of_rule, numbers }
    }

    /// Returns the clients that the skills target; empty if none was specified.
    pub fn clients(&self) -> &'a [Client] {
        self.of_rule.clients()
    }

    /// Returns the underlying sink, for the rule's options, budget and faults.
    pub fn rule_findings(&self) -> &Findings<'a> {
        &self.of_rule
    }

    /// Reports a finding at a span of a skill's `SKILL.md`. `at`: the skill's index.
    pub fn at(
        &mut self,
        skills: &[RunSkill],
        at: usize,
        span: Span,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        // Findings beyond the bound are discarded, so no index is recorded for them.
        if !self.of_rule.is_full() {
            self.numbers.push(at);
        }
        self.of_rule.within(&skills[at].main, span, message)
    }
}
