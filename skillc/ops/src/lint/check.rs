//! Lints the skills of a run in parallel.
//!
//! A skill is read, linted and dropped: only its report stays in memory. The output does not depend on thread
//! scheduling.

use std::collections::{BTreeMap, BTreeSet};
use std::slice;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use skillc_core::budget::{RunBudget, ScriptBudget};
use skillc_core::layout::SKILL_FILE;
use skillc_core::resolve::main_file;
use skillc_core::skill::is_compiled;
use skillc_core::{Error, Result, Skill, Span, Warning};
use skillc_lint::finding::LintFinding;
use skillc_lint::rule::SCRIPT_FAILED;
use skillc_lint::rule::bounded::{MAX_RUN_FINDINGS, few};
use skillc_lint::rule::code::is_security;
use skillc_lint::{Diagnostic, RunSkill};

use super::config::Linters;
use super::nested::drop_repeated;
use super::report::SkillReport;
use super::scope::{FoundSkill, Scope};
use crate::archive::why_unread;
use crate::notes::Notes;
use crate::sources::note_left_out;
use crate::toolkit::Toolkit;

/// The message of a security finding in a skill that the caller may not load.
const HIDDEN: &str = "details are omitted: a rule denies access to this skill";

/// Whether compiled skills are linted too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compiled {
    Skipped,
    Linted,
}

/// How a run handles its skills.
#[derive(Clone, Copy)]
pub(super) enum Mode<'a> {
    /// All skills of the run are linted in one call, so the rules that compare skills run, too.
    Whole {
        /// Whether the digest of each skill is computed.
        has_digests: bool,
    },
    /// The skills of the run are linted in several calls, and the reports contain digests. Contains the resources that
    /// scripts may use.
    Streamed(&'a RunBudget),
}

/// Lints the skills of a run.
///
/// Returns a report for each skill, in order. A finding shared by nested skills is reported only for the innermost
/// skill.
///
/// # Errors
/// In a run over a single skill, the error from reading the skill. Otherwise, the skill's report contains this error.
pub(super) fn reports(
    toolkit: &Toolkit,
    linters: &Linters<'_>,
    scope: &Scope,
    compiled: Compiled,
    mode: Mode<'_>,
    notes: &mut Notes,
) -> Result<Vec<SkillReport>> {
    let (scripts, is_streamed, has_digests) = match mode {
        Mode::Whole { has_digests } => (&toolkit.scripts, false, has_digests),
        Mode::Streamed(budget) => (budget, true, true),
    };
    if let ([found], true) = (&scope.skills[..], scope.is_single) {
        notes.detail(format!("source  {}", found.at.source.display()));
    }
    let work = toolkit.work("Linting skills", scope.skills.len());
    let lint = |asked: &Asked<'_>, budget: &ScriptBudget| -> Linted {
        let mut own = Notes::default();
        if let Err(stopped) = toolkit.stop.check() {
            return (Err(stopped), None);
        }
        let before = if scope.is_single {
            "."
        } else {
            &asked.found.folder
        };
        let report = check(linters, asked, before, compiled, budget, &mut own);
        let report = if asked.is_again() {
            report
        } else {
            work.advance().and(report)
        };
        // Drop empty notes to save memory: a run can cover many skills, and most have no notes.
        let is_silent = own.notices.is_empty() && own.details.is_empty();
        (report, (!is_silent).then(|| Box::new(own)))
    };
    // Lints some skills in parallel. Returns `None` if they have more than `room` findings.
    let side_by_side = |skills: &[Asked<'_>], room: usize| -> Option<Vec<Linted>> {
        let findings = AtomicUsize::new(0);
        let budgeted = |asked: &Asked<'_>| {
            if findings.load(Ordering::Relaxed) > room {
                return None;
            }
            let budget = scripts.share(skills.len());
            let linted = lint(asked, &budget);
            findings.fetch_add(findings_of(&linted), Ordering::Relaxed);
            Some((linted, budget))
        };
        // Split down to single skills, so that no thread processes several large skills in a row.
        let linted = skills.par_iter().with_max_len(1).map(budgeted);
        let (linted, budgets): (Vec<_>, Vec<_>) =
            linted.collect::<Option<Vec<_>>>()?.into_iter().unzip();
        if findings.into_inner() > room {
            return None;
        }
        for used in &budgets {
            scripts.settle(used);
        }
        Some(linted)
    };
    let first = |found| Asked::first(found, has_digests);
    let mut all: Vec<Asked<'_>> = scope.skills.iter().map(first).collect();
    let mut checked = lint_all(&mut all, &side_by_side);
    toolkit.stop.check()?;
    linters.check_cost()?;
    // A few skills have a finding that involves other skills. Check these skills again with that finding added, so that
    // suppressions apply to it.
    let among = if is_streamed {
        BTreeMap::new()
    } else {
        linters.check_run(checked.iter().map(|(checked, _)| checked.as_ref().ok()))
    };
    let again: Vec<Asked<'_>> = among
        .into_iter()
        .map(|(at, among)| Asked {
            among,
            at,
            ..all[at]
        })
        .collect();
    for again in again.chunks(RunBudget::AT_ONCE) {
        let linted = side_by_side(again, usize::MAX).unwrap_or_default();
        for (asked, (new, _)) in again.iter().zip(linted) {
            checked[asked.at].0 = new;
        }
    }
    toolkit.stop.check()?;
    collected(scope, checked, notes)
}

/// Returns the reports of linted skills, without repeated findings, and collects their notes.
fn collected(scope: &Scope, checked: Vec<Linted>, notes: &mut Notes) -> Result<Vec<SkillReport>> {
    let mut reports = Vec::with_capacity(checked.len());
    for (found, (report, own)) in scope.skills.iter().zip(checked) {
        if let Some(own) = own {
            notes.append(*own);
        }
        let report = match report {
            Ok(checked) => checked.report,
            Err(error) if scope.is_single => return Err(error),
            Err(error) => SkillReport::failed(&found.at, &error),
        };
        let folder = found.folder.clone();
        reports.push(SkillReport { folder, ..report });
    }
    let dirs = scope
        .skills
        .iter()
        .map(|found| found.at.canonical.as_path());
    drop_repeated(&mut reports, &dirs.collect::<Vec<_>>());
    Ok(reports)
}

/// Lints skills in order. Once there are many findings, only a few are kept for each further skill.
///
/// `side_by_side`: lints some of the skills in parallel; returns `None` if the number of findings exceeds its second
/// argument.
fn lint_all<'s>(
    skills: &mut [Asked<'s>],
    side_by_side: &impl Fn(&[Asked<'s>], usize) -> Option<Vec<Linted>>,
) -> Vec<Linted> {
    let mut all = Vec::with_capacity(skills.len());
    let mut findings = 0;
    for skills in skills.chunks_mut(RunBudget::AT_ONCE) {
        let is_brief = findings >= MAX_RUN_FINDINGS;
        for asked in &mut *skills {
            asked.is_brief = is_brief;
        }
        if let Some(linted) = side_by_side(skills, MAX_RUN_FINDINGS) {
            findings += linted.iter().map(findings_of).sum::<usize>();
            all.extend(linted);
            continue;
        }
        // Too many findings to hold in memory: lint one skill after the other, so that the findings can be counted
        // after each skill.
        for asked in skills {
            asked.is_brief = findings >= MAX_RUN_FINDINGS;
            for linted in side_by_side(slice::from_ref(asked), usize::MAX).unwrap_or_default() {
                findings += findings_of(&linted);
                all.push(linted);
            }
        }
    }
    all
}

/// A skill to lint.
struct Asked<'s> {
    found: &'s FoundSkill,
    /// The skill's findings from rules that compare skills.
    among: Vec<Diagnostic>,
    /// The position of the skill in the run; unused in the first pass.
    at: usize,
    /// Whether only a few findings per rule are kept.
    is_brief: bool,
    /// Whether the report contains the skill's digest.
    has_digest: bool,
}

/// A skill that was linted, and its notes.
type Linted = (Result<Checked>, Option<Box<Notes>>);

/// The number of bytes in a finding's path and message that count as an additional finding. Without this rule, 100,000
/// findings with a path of 4 KB each would produce hundreds of megabytes of output.
const FINDING_BYTES: usize = 256;

/// Counts a skill's findings; long findings count several times.
fn findings_of((checked, _): &Linted) -> usize {
    let report = checked.as_ref().map(|checked| &checked.report);
    let of = |one: &LintFinding| {
        let bytes = one.file.as_str().len() + one.message.len();
        1 + bytes / FINDING_BYTES
    };
    report.map_or(0, |report| report.diagnostics.iter().map(of).sum())
}

impl<'s> Asked<'s> {
    const fn first(found: &'s FoundSkill, has_digest: bool) -> Self {
        Self {
            found,
            among: Vec::new(),
            at: 0,
            is_brief: false,
            has_digest,
        }
    }

    const fn is_again(&self) -> bool {
        !self.among.is_empty()
    }
}

/// A skill that was linted.
pub(super) struct Checked {
    report: SkillReport,
    /// The data for rules that compare skills.
    pub(super) kept: Option<Box<RunSkill>>,
}

/// Lints one skill.
///
/// `before`: the directory to show before the paths of the skill's files; `.` for none. `budget`: the resources that
/// scripts may use.
fn check(
    linters: &Linters<'_>,
    asked: &Asked<'_>,
    before: &str,
    compiled: Compiled,
    budget: &ScriptBudget,
    notes: &mut Notes,
) -> Result<Checked> {
    let found = asked.found;
    let digest = |skill: &Skill| {
        let revealed = asked.has_digest.then(|| skill.revealed());
        revealed.and_then(|revealed| revealed.digest(skill))
    };
    let Some(skill) = read_skill(found, before, compiled, notes)? else {
        // Anyone can add a manifest that makes a directory look like build output: the security rules check such a
        // directory anyway.
        let skill = Skill::read(found.at.clone())?;
        let mut diagnostics = linters.for_skill(&skill)?.run_security(&skill, budget);
        if linters.is_closed(&skill) {
            hide(&mut diagnostics);
        }
        let report = SkillReport::new(&skill, diagnostics);
        return Ok(Checked {
            report: SkillReport {
                skipped: true,
                digest: digest(&skill),
                ..report
            },
            kept: None,
        });
    };
    let linter = linters.for_skill(&skill)?;
    let mut diagnostics = linter.run_among(&skill, asked.among.clone(), budget);
    if linters.is_closed(&skill) {
        hide(&mut diagnostics);
        let rules = linter.rules().map(|(rule, _)| rule);
        let scripted: BTreeSet<&str> = rules
            .filter(|rule| rule.is_budgeted())
            .map(|rule| &*rule.meta().code)
            .collect();
        // A failing script reports the reason in its own words, which could quote the skill.
        diagnostics.retain(|of| of.rule != SCRIPT_FAILED.0 && !scripted.contains(&*of.rule));
    }
    if asked.is_brief {
        diagnostics = few(diagnostics);
    }
    let report = SkillReport::new(&skill, diagnostics);
    Ok(Checked {
        report: SkillReport {
            digest: digest(&skill),
            ..report
        },
        kept: RunSkill::from_skill(&skill).map(Box::new),
    })
}

/// Removes everything that security findings quote from a skill, such as hidden text, hosts and file names. The rules
/// remain visible, so that the caller still learns that the skill has such findings.
fn hide(diagnostics: &mut Vec<Diagnostic>) {
    for found in &mut *diagnostics {
        if is_security(&found.rule) {
            HIDDEN.clone_into(&mut found.message);
            found.file = None;
            found.span = Span::default();
            (found.line, found.column) = (1, 1);
            found.labels.clear();
            (found.help, found.fix) = (None, None);
        }
    }
    diagnostics.dedup();
}

/// Reads one skill. Returns `None` for a compiled skill that must be skipped.
///
/// `before`: as in [`check`].
pub(super) fn read_skill(
    found: &FoundSkill,
    before: &str,
    compiled: Compiled,
    notes: &mut Notes,
) -> Result<Option<Skill>> {
    let at = &found.at;
    if let Some(packed) = &found.packed {
        let skill = packed.skill(at.clone());
        note_too_large(&skill, before, notes);
        if skill.main().is_none() {
            let (path, why) = (&found.folder, why_unread(&skill));
            return Err(Error::internal(format!("reading '{path}': {why}")));
        }
        return Ok(Some(skill));
    }
    let main = || {
        main_file(&at.source).ok_or_else(|| Error::NotASkill {
            path: found.folder.clone(),
        })
    };
    if compiled == Compiled::Skipped && found.may_have_hidden && is_compiled(at) {
        main()?;
        return Ok(None);
    }
    let skill = Skill::read(at.clone())?;
    note_left_out(&skill.tree, notes);
    note_too_large(&skill, before, notes);
    if skill
        .main()
        .is_none_or(|main| main.path.as_str() != SKILL_FILE)
    {
        let main = main()?;
        if skill.tree.escaping.binary_search(&main).is_ok() {
            return Err(Error::path_escapes(file_below(before, &main)));
        }
        if skill.main().is_none() {
            let path = file_below(before, &main);
            return Err(Error::internal(format!(
                "'{path}' is too large to lint: more than 32 MiB"
            )));
        }
    }
    Ok(Some(skill))
}

/// Warns about Markdown files that are too large to be parsed, or to be parsed completely.
fn note_too_large(skill: &Skill, before: &str, notes: &mut Notes) {
    let (_, left_out) = skill.tree.parsed_markdown();
    let left_out = left_out.into_iter().map(|entry| &entry.path);
    let cut = skill.documents().filter(|doc| doc.is_cut());
    for path in left_out.chain(cut.map(|doc| &doc.path)) {
        notes.warn(Warning::FileTooLarge {
            path: file_below(before, path.as_str()),
        });
    }
}

fn file_below(dir: &str, file: &str) -> String {
    match dir {
        "." => file.to_owned(),
        dir => format!("{dir}/{file}"),
    }
}
