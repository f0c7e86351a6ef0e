//! Applies the fixes of findings in memory, and returns the new text of each changed file.
//!
//! A fix is accepted if it removes its finding and has no other effect: no new finding appears, and valid frontmatter
//! stays valid. Fixes that do not overlap are tried together, then in halves, until each harmful fix is isolated and
//! refused with the reason. Every accepted fix removes a finding and adds none, so the process terminates. Unless the
//! process runs out of checks, it is idempotent: a second run accepts no further fix.
//!
//! Design: R22.

mod edits;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use crate::rule::diagnostic::Diagnostic;
use crate::rule::fix::{Fix, Safety};

use edits::{Edits, Faults, Shifts, own_name};
use skillc_core::path::RelPath;
use skillc_core::skill::Skill;
use skillc_core::source::frontmatter::Frontmatter;

/// The maximum number of times that a skill is linted, so that many harmful fixes cannot take unlimited time.
const MAX_CHECKS: usize = 400;

/// The number of times that every skill may be linted, regardless of its size.
const MIN_CHECKS: usize = 8;

/// The maximum size in bytes of the text that is linted in a run in addition to the [`MIN_CHECKS`] of each skill: many
/// small skills with harmful fixes must not take longer than one large skill.
const MAX_CHECKED_BYTES: usize = 8 << 20;

/// This many findings of a skill add nothing to the size of a check.
const FREE_FINDINGS: usize = 1_000;

/// The number of bytes that each further finding adds to the size of a check: reporting and comparing many findings
/// takes longer than reading the text.
const FINDING_BYTES: usize = 512;

/// The number of bytes that each document adds to the size of a check: linting ten thousand empty files takes a second.
const DOCUMENT_BYTES: usize = 1 << 10;

/// Why a fix is refused if there are no checks left.
const SPENT: &str = "too many other fixes were tried first";

/// The remaining size of the text that a run may lint in addition to the `MIN_CHECKS` of each skill.
#[derive(Debug, Clone)]
pub struct CheckBudget {
    bytes: usize,
}

impl CheckBudget {
    /// Returns how many times a skill may be linted. `bytes`: the result of [`checked_bytes`].
    fn checks(&self, bytes: usize) -> usize {
        (MIN_CHECKS + self.bytes / bytes.max(1)).min(MAX_CHECKS)
    }

    fn spend(&mut self, checks: usize, bytes: usize) {
        let shared = checks.saturating_sub(MIN_CHECKS);
        self.bytes = self.bytes.saturating_sub(shared * bytes);
    }
}

/// Returns the size of a check of a skill, in bytes: the size of its text, plus the bytes for its documents and
/// findings.
fn checked_bytes(skill: &Skill, found: &[Diagnostic]) -> usize {
    let documents = skill.documents();
    let bytes = documents.map(|document| document.text.len() + DOCUMENT_BYTES);
    let bytes: usize = bytes.sum();
    bytes + found.len().saturating_sub(FREE_FINDINGS) * FINDING_BYTES
}

impl Default for CheckBudget {
    fn default() -> Self {
        Self {
            bytes: MAX_CHECKED_BYTES,
        }
    }
}

/// Lints a skill. The diagnostics are sorted and have positions, like those of [`Linter::run`](crate::Linter::run).
pub type Lint<'a> = &'a dyn Fn(&Skill) -> Vec<Diagnostic>;

/// The result of fixing a skill.
#[derive(Debug)]
pub struct Repair {
    /// The new text of each changed file, under one of its paths.
    pub texts: BTreeMap<RelPath, String>,
    /// The number of findings that the fixes removed.
    pub fixed: usize,
    /// The refused fixes, in the order of the remaining findings.
    pub refused: Vec<Refused>,
    /// The diagnostics of the changed skill.
    pub left: Vec<Diagnostic>,
}

/// A fix that was not applied.
#[derive(Debug)]
pub struct Refused {
    /// The finding, with its position in the changed skill.
    pub finding: Diagnostic,
    /// The reason, as the end of a sentence: `it would cause SKL203: …`.
    pub reason: String,
}

/// Applies a skill's fixes that are at least as safe as `least`.
///
/// `names`: if a file has several paths in the skill, through links, maps each of them to the path under which the file
/// is edited. A file with a single path is not listed. `budget`: shared by the skills of a run.
pub fn repair(
    skill: &Skill,
    lint: Lint<'_>,
    least: Safety,
    names: &BTreeMap<RelPath, RelPath>,
    budget: &mut CheckBudget,
) -> Repair {
    let mut state = State {
        skill: None,
        found: lint(skill),
    };
    let bytes = checked_bytes(skill, &state.found);
    let checks = budget.checks(bytes);
    let mut bench = Bench {
        lint,
        names,
        checks,
    };
    let found_first = state.found.len();
    let mut refused = BTreeMap::new();
    // The loop ends, because each round leaves fewer findings, and a round that has used up its checks is the last.
    while let Some(next) = bench.round(
        state.skill.as_ref().unwrap_or(skill),
        &state.found,
        least,
        &mut refused,
    ) {
        state = next;
        refused.clear();
    }
    budget.spend(checks - bench.checks, bytes);
    let texts = changed_texts(skill, state.skill.as_ref(), names);
    let refused = refused.into_iter().filter_map(|(at, reason)| {
        let finding = state.found.get(at)?.clone();
        Some(Refused { finding, reason })
    });
    Repair {
        texts,
        fixed: found_first - state.found.len(),
        refused: refused.collect(),
        left: state.found,
    }
}

/// Returns the new text of each file that a fix changes, whether or not the fix would be accepted.
///
/// Returns `None` if the fix cannot be applied, because its edits overlap or refer to text that does not exist.
pub fn texts_with(
    skill: &Skill,
    fix: &Fix,
    names: &BTreeMap<RelPath, RelPath>,
) -> Option<BTreeMap<RelPath, String>> {
    if Faults::new(skill, names).of(fix).is_some() {
        return None;
    }
    let mut edits = Edits::default();
    edits.add(fix, names).then(|| edits.texts(skill, names))
}

fn changed_texts(
    before: &Skill,
    after: Option<&Skill>,
    names: &BTreeMap<RelPath, RelPath>,
) -> BTreeMap<RelPath, String> {
    let documents = after.into_iter().flat_map(Skill::documents);
    let is_changed = |path: &RelPath, text: &str| {
        own_name(names, path) == path && before.document(path).is_some_and(|old| old.text != text)
    };
    documents
        .filter(|now| is_changed(&now.path, &now.text))
        .map(|now| (now.path.clone(), now.text.clone()))
        .collect()
}

/// A skill after some fixes (`None` before the first fix), and its findings.
struct State {
    skill: Option<Skill>,
    found: Vec<Diagnostic>,
}

/// The reasons for refused fixes, by index of the finding.
type Reasons = BTreeMap<usize, String>;

struct Bench<'a> {
    lint: Lint<'a>,
    names: &'a BTreeMap<RelPath, RelPath>,
    /// The number of times that the skill may still be linted.
    checks: usize,
}

impl Bench<'_> {
    /// Applies as many fixes at once as possible; `None` if no remaining fix is accepted.
    fn round(
        &mut self,
        skill: &Skill,
        found: &[Diagnostic],
        least: Safety,
        refused: &mut Reasons,
    ) -> Option<State> {
        let mut waiting = Vec::new();
        let mut faults = Faults::new(skill, self.names);
        for (at, finding) in found.iter().enumerate() {
            let Some(fix) = finding.fix.as_ref().filter(|fix| fix.safety <= least) else {
                continue;
            };
            match faults.of(fix) {
                Some(fault) => drop(refused.insert(at, fault)),
                None => waiting.push(at),
            }
        }
        while !waiting.is_empty() {
            // If all fixes overlap, each fix is a batch of its own, so the checks can run out here.
            if self.checks == 0 {
                refused.extend(waiting.into_iter().map(|at| (at, SPENT.to_owned())));
                return None;
            }
            let mut edits = Edits::default();
            let is_apart =
                |at: &usize| fix_of(found, *at).is_some_and(|fix| edits.add(fix, self.names));
            let (batch, rest): (Vec<usize>, Vec<usize>) = waiting.into_iter().partition(is_apart);
            if let Some((_, next)) = self.most_of(skill, found, &batch, refused) {
                return Some(next);
            }
            waiting = rest;
        }
        None
    }

    /// Finds by bisection which fixes of a batch can be accepted together, and applies them.
    ///
    /// Returns the accepted fixes, and the fixed skill; `None` if none is accepted.
    fn most_of(
        &mut self,
        skill: &Skill,
        found: &[Diagnostic],
        batch: &[usize],
        refused: &mut Reasons,
    ) -> Option<(Vec<usize>, State)> {
        let reason = match self.check(skill, found, batch) {
            Ok(next) => return Some((batch.to_vec(), next)),
            Err(reason) => reason,
        };
        if let [only] = batch {
            refused.insert(*only, reason);
            return None;
        }
        let (one, other) = batch.split_at(batch.len() / 2);
        let one = self.most_of(skill, found, one, refused);
        let other = self.most_of(skill, found, other, refused);
        match (one, other) {
            (Some((one, next)), Some((other, _))) => {
                let both = [one.clone(), other].concat();
                match self.check(skill, found, &both) {
                    Ok(next) => Some((both, next)),
                    Err(_) => Some((one, next)),
                }
            }
            (one, other) => one.or(other),
        }
    }

    fn check(
        &mut self,
        skill: &Skill,
        found: &[Diagnostic],
        batch: &[usize],
    ) -> Result<State, String> {
        self.checks = self.checks.checked_sub(1).ok_or(SPENT)?;
        let mut edits = Edits::default();
        for at in batch {
            let is_apart = fix_of(found, *at).is_some_and(|fix| edits.add(fix, self.names));
            is_apart.then_some(()).ok_or("it overlaps another fix")?;
        }
        let texts = edits.texts(skill, self.names);
        let next = skill.with_texts(&texts);
        for path in texts.keys() {
            let is_valid = |skill: &Skill| {
                let document = skill.document(path);
                document.is_some_and(|doc| matches!(doc.frontmatter, Frontmatter::Valid(_)))
            };
            if is_valid(skill) && !is_valid(&next) {
                return Err(format!(
                    "the frontmatter of '{path}' would no longer be valid"
                ));
            }
        }
        let left = (self.lint)(&next);
        let batch: BTreeSet<usize> = batch.iter().copied().collect();
        let mut lines = LinesAfter {
            before: skill,
            after: &next,
            edits: &edits,
            names: self.names,
            shifts: BTreeMap::new(),
        };
        let mut expected = Expected::default();
        for (at, finding) in found.iter().enumerate() {
            expected.add(finding, lines.count(finding), batch.contains(&at));
        }
        expected.compare(&left)?;
        Ok(State {
            skill: Some(next),
            found: left,
        })
    }
}

fn fix_of(found: &[Diagnostic], at: usize) -> Option<&Fix> {
    found.get(at)?.fix.as_ref()
}

/// Computes the lines of remaining findings after edits.
struct LinesAfter<'a> {
    before: &'a Skill,
    after: &'a Skill,
    edits: &'a Edits<'a>,
    names: &'a BTreeMap<RelPath, RelPath>,
    shifts: BTreeMap<RelPath, Shifts>,
}

impl LinesAfter<'_> {
    fn count(&mut self, finding: &Diagnostic) -> usize {
        let file = finding.file.as_ref();
        let documents = file.and_then(|file| {
            let (before, after) = (self.before.document(file)?, self.after.document(file)?);
            Some((file, before, after))
        });
        match documents {
            Some((file, before, after)) if finding.span != skillc_core::Span::default() => {
                if !self.shifts.contains_key(file) {
                    let shifts = self.edits.shifts(file, &before.text, self.names);
                    self.shifts.insert(file.clone(), shifts);
                }
                let moved = |shifts: &Shifts| shifts.moved(finding.span.start);
                let start = self.shifts.get(file).map_or(finding.span.start, moved);
                after.lines.line(start)
            }
            _ => finding.line,
        }
    }
}

/// The properties that identify a finding across fixes: file, rule and line. The message is not among these properties,
/// because it may mention something that was fixed.
type Identity<'a> = (Option<&'a RelPath>, &'a str, usize);

/// The findings that may remain after some fixes, and the findings that must not.
#[derive(Default)]
struct Expected<'a> {
    may_stay: BTreeMap<Identity<'a>, usize>,
    must_go: Vec<(Identity<'a>, &'a str)>,
}

impl<'a> Expected<'a> {
    fn add(&mut self, finding: &'a Diagnostic, line: usize, must_go: bool) {
        let identity = identity(finding, line);
        if must_go {
            self.must_go.push((identity, &finding.message));
        } else {
            *self.may_stay.entry(identity).or_default() += 1;
        }
    }

    /// Fails on the first finding that is new, or that the fixes should have removed.
    fn compare(&mut self, left: &'a [Diagnostic]) -> Result<(), String> {
        for finding in left {
            let identity = identity(finding, finding.line);
            match self.may_stay.get_mut(&identity) {
                Some(count) if *count > 0 => *count -= 1,
                _ if self.must_go.contains(&(identity, &finding.message)) => {
                    return Err("the finding would remain".to_owned());
                }
                _ => {
                    let Diagnostic { rule, message, .. } = finding;
                    return Err(format!("it would cause {rule}: {message}"));
                }
            }
        }
        Ok(())
    }
}

fn identity(finding: &Diagnostic, line: usize) -> Identity<'_> {
    (finding.file.as_ref(), &finding.rule, line)
}
