//! Directives: comments in a skill's Markdown files that suppress findings.
//!
//! Directives are applied after all rules have run, and are read only in files that may contain one. A suppressed
//! finding is removed from every output, including fixes and responses to agents. Rules check whether directives are
//! used, through [`Rule::check_directives`]. A comment cannot suppress findings in files that are not documents: use
//! the configuration for such findings.
//!
//! Design: R22.

mod likeness;
mod names;
mod parse;
mod removal;
mod sweep;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::rule::Rule;
use crate::rule::diagnostic::Diagnostic;

use names::{Names, SetId};
use skillc_core::path::RelPath;
use skillc_core::skill::Skill;
use skillc_core::source::comments::CommentPlace;
use skillc_core::source::document::Document;
use skillc_core::source::lines::Span;
use sweep::{State, Sweep};

/// The directives of a file and their outcomes.
pub struct Directives<'a> {
    /// The file.
    pub document: &'a Document,
    /// The directives, in file order.
    pub list: Vec<Directive>,
}

/// A directive in a file. Its spans are offsets in the whole file.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Directive {
    /// The whole comment.
    pub span: Span,
    /// The word at the start of the comment, such as `skilllint-disable`.
    pub word_span: Span,
    /// The word's meaning; `None` if it is not a known directive.
    pub word: Option<Word>,
    /// The intended word, if the word is misspelled, such as `skilllint_disable`.
    pub meant: Option<&'static str>,
    /// One part for each selector; without selectors, a single part for all rules.
    pub parts: Vec<Part>,
    /// Whether the directive gives a reason.
    pub has_reason: bool,
    place: CommentPlace,
    /// The 1-based lines on which the comment begins and ends.
    lines: (usize, usize),
}

/// One selector of a directive.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Part {
    /// The selector; `None` for all rules.
    pub selector: Option<Span>,
    /// The outcome of the part.
    pub outcome: Outcome,
    rules: SetId,
    /// The `enable` parts that end only this part. Each is identified by the index of its directive, and by the index
    /// of the part in that directive.
    ended_by: Vec<(usize, usize)>,
}

/// The outcome of a part of a directive.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The part matches no rule.
    Unknown {
        /// The code or name that was probably meant.
        near: Option<String>,
    },
    /// The part is prose: a reason without the separator that has to precede it.
    Prose,
    /// The part suppressed a finding, or ended a suppression.
    Used,
    /// The part can never suppress anything, because it selects only rules about directives.
    Unsuppressible,
    /// At least one of the part's rules ran, the others are disabled, and nothing was suppressed; or the part belongs
    /// to an `enable` that ended nothing.
    Unused,
    /// The part suppressed nothing, but it may be needed in other runs: none of its rules ran, or this run cannot tell
    /// whether one of them would report anything (`Standing::Elsewhere`).
    Untold,
}

/// The effect of a directive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// Suppresses findings from its line on.
    Disable,
    /// Ends the preceding `Disable` after the line of this directive.
    Enable,
    /// Suppresses findings on its line.
    DisableLine,
    /// Suppresses findings on the next line.
    DisableNextLine,
    /// Suppresses findings in the whole file; in `SKILL.md`, also findings about the skill as a whole.
    DisableFile,
}

impl Word {
    /// The directive words.
    pub const ALL: [(&'static str, Self); 5] = [
        ("skilllint-disable", Self::Disable),
        ("skilllint-enable", Self::Enable),
        ("skilllint-disable-line", Self::DisableLine),
        ("skilllint-disable-next-line", Self::DisableNextLine),
        ("skilllint-disable-file", Self::DisableFile),
    ];
}

impl Directive {
    /// Reports whether the directive suppresses findings.
    pub fn suppresses(&self) -> bool {
        self.word.is_some_and(|word| word != Word::Enable)
    }

    /// Reports whether all parts of the directive are unused.
    pub fn is_unused(&self) -> bool {
        let mut parts = self.parts.iter();
        parts.all(|part| part.outcome == Outcome::Unused)
    }
}

impl Directives<'_> {
    /// Returns the text of a span of the file.
    pub fn text(&self, span: Span) -> &str {
        let text = self.document.text.get(span.start..span.end);
        text.unwrap_or_default()
    }
}

/// Whether a rule ran on a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// The rule ran.
    Ran,
    /// The rule is disabled for the file.
    Off,
    /// This run cannot tell whether the rule would report anything: the rule usually runs but was not selected, it ran
    /// only for the clients of this run, or its findings were dropped.
    Elsewhere,
}

/// The code prefix of rules about directives: their findings cannot be suppressed.
const OWN_RULES: &str = "CFG1";

/// Removes the findings that directives suppress.
///
/// `found`: the findings in order; those of a file are sorted by line. `known`: every rule, by code. `standings`:
/// returns, for each of these rules, whether it ran on a file. Returns the directives of each file, in the skill's file
/// order.
pub(crate) fn suppress<'a, 'r>(
    found: &mut Vec<Diagnostic>,
    skill: &'a Skill,
    known: impl Iterator<Item = &'r dyn Rule>,
    standings: impl Fn(&RelPath) -> Rc<[Standing]>,
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
    let marked = read
        .iter()
        .map(|(document, _)| (&document.path, Vec::new()));
    let mut of_file: BTreeMap<&RelPath, Vec<usize>> = marked.collect();
    let main = skill.main().map(|main| &main.path);
    for (at, finding) in found.iter().enumerate() {
        let file = finding.file.as_ref().or(main);
        if let Some(of_file) = file.and_then(|file| of_file.get_mut(file)) {
            of_file.push(at);
        }
    }
    let mut is_suppressed = vec![false; found.len()];
    // Process the files one after the other: the state of a pass has an entry for each rule, and a skill can have many
    // files.
    let mut state = State::new(&names);
    let are_own = sweep::are_own(&names);
    let mut told: Option<(Rc<[Standing]>, Vec<bool>)> = None;
    let mut done = Vec::new();
    for (document, list) in read {
        let directives = Directives { document, list };
        let mut sweep = Sweep::new(directives, &names, &mut state);
        for at in of_file.remove(&document.path).unwrap_or_default() {
            let finding = &found[at];
            let place = finding.file.as_ref().map(|_| finding);
            let place = place.map(|finding| (finding.line, finding.span.start));
            is_suppressed[at] = sweep.suppresses(&finding.rule, place);
        }
        let standings = standings(&document.path);
        let known = told.take().filter(|(of, _)| Rc::ptr_eq(of, &standings));
        let (_, are_told) = told.insert(known.unwrap_or_else(|| {
            let are_told = sweep::are_told(&names, &standings);
            (standings, are_told)
        }));
        done.push(sweep.finish(&are_own, are_told));
    }
    let mut is_suppressed = is_suppressed.into_iter();
    found.retain(|_| !is_suppressed.next().unwrap_or_default());
    done
}
