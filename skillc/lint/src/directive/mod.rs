//! Directives: comments in a skill's Markdown files that say which findings are not wanted there.
//!
//! They are read once all rules have spoken, and only in files that have the word. What they suppress is gone for every
//! output, for fixes and for agents alike; whether they are of use is for rules to say, through
//! [`Rule::check_directives`]. Findings in files that are no documents have no comments to
//! stand in: the configuration is for those.
//!
//! Source: RULINGS R22.

mod likeness;
mod names;
mod parse;
mod removal;
mod sweep;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::rule::Rule;
use crate::rule::diagnostic::Diagnostic;

use names::{Names, SetId};
use skillc_core::path::RelPath;
use skillc_core::skill::Skill;
use skillc_core::source::comments::Place;
use skillc_core::source::document::Document;
use skillc_core::source::lines::Span;
use sweep::Sweep;

/// The directives of a file, and what has become of them.
pub struct Directives<'a> {
    /// The file.
    pub document: &'a Document,
    /// In the order of the file.
    pub list: Vec<Directive>,
}

/// A directive as it stands in a file. Its places are in the whole file.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Directive {
    /// The whole comment.
    pub span: Span,
    /// The word that it begins with: `skilllint-disable`.
    pub word_span: Span,
    /// What that word means; `None` if nothing.
    pub word: Option<Word>,
    /// The word that was certainly meant, if it is written in another way: `skilllint_disable`.
    pub meant: Option<&'static str>,
    /// One for each selector; one alone, for all rules, if there is none.
    pub parts: Vec<Part>,
    /// Whether it says why.
    pub has_reason: bool,
    place: Place,
    /// The 1-based lines on which it begins and ends.
    lines: (usize, usize),
}

/// What a directive says of some rules.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Part {
    /// The selector; `None` for all rules.
    pub selector: Option<Span>,
    /// What has become of it.
    pub outcome: Outcome,
    rules: SetId,
    /// What ends this part and nothing else: directive and part, by their numbers.
    ended_by: Vec<(usize, usize)>,
}

/// What has become of a part of a directive.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// It stands for no rule.
    Unknown {
        /// The code or name that it may have meant.
        near: Option<String>,
    },
    /// It is text: a reason without what has to stand before one.
    Prose,
    /// It suppressed a finding, or ended what suppresses.
    Used,
    /// It did not and never will: it stands for rules about directives.
    Unsuppressible,
    /// It did not, though all its rules had their say.
    Unused,
    /// It did not, but another run might find something: not all rules ran that usually do.
    Untold,
}

/// What a directive does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// Suppresses from its line on.
    Disable,
    /// Ends what the one before began, after its line.
    Enable,
    /// Suppresses on its line.
    DisableLine,
    /// Suppresses on the line after it.
    DisableNextLine,
    /// Suppresses in the whole file, and in `SKILL.md` also what is about the skill as a whole.
    DisableFile,
}

impl Word {
    /// The words as they are written.
    pub const ALL: [(&'static str, Self); 5] = [
        ("skilllint-disable", Self::Disable),
        ("skilllint-enable", Self::Enable),
        ("skilllint-disable-line", Self::DisableLine),
        ("skilllint-disable-next-line", Self::DisableNextLine),
        ("skilllint-disable-file", Self::DisableFile),
    ];
}

impl Directive {
    /// Says whether it is one that suppresses.
    pub fn suppresses(&self) -> bool {
        self.word.is_some_and(|word| word != Word::Enable)
    }

    /// Says whether no part of it is of use.
    pub fn is_unused(&self) -> bool {
        let mut parts = self.parts.iter();
        parts.all(|part| part.outcome == Outcome::Unused)
    }
}

impl Directives<'_> {
    /// Returns what stands at a place of the file.
    pub fn text(&self, span: Span) -> &str {
        let text = self.document.text.get(span.start..span.end);
        text.unwrap_or_default()
    }
}

/// Whether a rule had its say about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It did.
    Ran,
    /// It is off there.
    Off,
    /// It has one, but not in this run, or not about everything.
    Elsewhere,
}

/// What the codes of rules about directives begin with: no directive suppresses what they find.
const OWN_RULES: &str = "CFG1";

/// Takes away the findings that directives suppress.
///
/// `found`: in order, those of a file by line. `known`: every rule, by code. `standing`: whether a rule, by its code, had its
/// say about a file.
/// Returns: the directives, by file as the skill has them.
pub(crate) fn suppress<'a, 'r>(
    found: &mut Vec<Diagnostic>,
    skill: &'a Skill,
    known: impl Iterator<Item = &'r dyn Rule>,
    standing: impl Fn(&str, &RelPath) -> Standing,
) -> Vec<Directives<'a>> {
    let marked: Vec<&Document> = skill
        .documents()
        .filter(|document| parse::may_have_some(document))
        .collect();
    if marked.is_empty() {
        return Vec::new();
    }
    let mut names = Names::new(known);
    let read: Vec<(&Document, Vec<Directive>)> = marked
        .into_iter()
        .map(|document| (document, parse::read(document, &mut names)))
        .filter(|(_, list)| !list.is_empty())
        .collect();
    let names = names;
    let mut sweeps: BTreeMap<&RelPath, Sweep<'a, '_>> = BTreeMap::new();
    for (document, list) in read {
        let directives = Directives { document, list };
        sweeps.insert(&document.path, Sweep::new(directives, &names));
    }
    let main = skill.main().map(|main| &main.path);
    found.retain(|finding| {
        let sweep = finding.file.as_ref().or(main);
        let Some(sweep) = sweep.and_then(|path| sweeps.get_mut(path)) else {
            return true;
        };
        let place = finding.file.as_ref().map(|_| finding);
        let place = place.map(|finding| (finding.line, finding.span.start));
        !sweep.suppresses(&finding.rule, place)
    });
    let mut done = Vec::new();
    for document in skill.documents() {
        let sweep = sweeps.remove(&document.path);
        let standing = |rule: &str| standing(rule, &document.path);
        done.extend(sweep.map(|sweep| sweep.finish(standing)));
    }
    done
}
