//! Lints the skills of a run in parallel.
//!
//! A skill is read, linted and dropped: only its report stays. The output does not depend on the order of threads.

use std::collections::BTreeSet;

use rayon::prelude::*;
use skillc_core::budget::{RunBudget, ScriptBudget};
use skillc_core::layout::SKILL_FILE;
use skillc_core::resolve::main_file;
use skillc_core::skill::is_compiled;
use skillc_core::{Error, Result, Skill, Warning};
use skillc_lint::rule::SCRIPT_FAILED;
use skillc_lint::{Diagnostic, RunSkill};

use super::config::Linters;
use super::nested::drop_repeated;
use super::report::SkillReport;
use super::scope::{FoundSkill, Scope};
use crate::notes::Notes;
use crate::sources::note_left_out;
use crate::toolkit::Toolkit;

/// Whether compiled skills are linted too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compiled {
    Skipped,
    Linted,
}

/// Lints the skills of a run.
///
/// Returns: a report for each skill, in order. A finding that several of them share stays with the innermost.
///
/// # Errors
/// Why the skill of a single-skill run could not be read; in any other run that is its report.
pub(super) fn reports(
    toolkit: &Toolkit,
    linters: &Linters<'_>,
    scope: &Scope,
    compiled: Compiled,
    notes: &mut Notes,
) -> Result<Vec<SkillReport>> {
    if let ([found], true) = (&scope.skills[..], scope.is_single) {
        notes.detail(format!("source  {}", found.at.source.display()));
    }
    let work = toolkit.work("Linting skills", scope.skills.len());
    let lint = |asked: &Asked<'_>, budget: &ScriptBudget| {
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
        // Saves memory: most skills have no notes, and there may be many skills.
        let is_silent = own.notices.is_empty() && own.details.is_empty();
        (report, (!is_silent).then(|| Box::new(own)))
    };
    // Split down to single skills: a few large ones in a row must not all fall to one thread.
    let side_by_side = |skills: &[Asked<'_>]| -> Vec<(Result<Checked>, Option<Box<Notes>>)> {
        let budgeted = |asked: &Asked<'_>| {
            let budget = toolkit.scripts.share(skills.len());
            (lint(asked, &budget), budget)
        };
        let skills = skills.par_iter().with_max_len(1);
        let (checked, budgets): (_, Vec<ScriptBudget>) = skills.map(budgeted).unzip();
        for used in &budgets {
            toolkit.scripts.settle(used);
        }
        checked
    };
    let at_once = if linters.are_budgeted() {
        RunBudget::AT_ONCE
    } else {
        scope.skills.len().max(1)
    };
    let all: Vec<Asked<'_>> = scope.skills.iter().map(Asked::first).collect();
    let mut checked: Vec<_> = all.chunks(at_once).flat_map(side_by_side).collect();
    toolkit.stop.check()?;
    linters.check_cost()?;
    // The few skills with a finding that involves other skills are checked again with that finding added, for suppressions
    // to apply.
    let among = linters.check_run(checked.iter().map(|(checked, _)| checked.as_ref().ok()));
    let again: Vec<Asked<'_>> = among
        .into_iter()
        .map(|(at, among)| Asked {
            found: &scope.skills[at],
            among,
            at,
        })
        .collect();
    for again in again.chunks(at_once) {
        for (asked, (new, _)) in again.iter().zip(side_by_side(again)) {
            checked[asked.at].0 = new;
        }
    }
    toolkit.stop.check()?;
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

/// A skill to lint.
struct Asked<'s> {
    found: &'s FoundSkill,
    /// Its findings from rules that compare skills.
    among: Vec<Diagnostic>,
    /// The index of the skill; unused in the first pass.
    at: usize,
}

impl<'s> Asked<'s> {
    const fn first(found: &'s FoundSkill) -> Self {
        Self {
            found,
            among: Vec::new(),
            at: 0,
        }
    }

    const fn is_again(&self) -> bool {
        !self.among.is_empty()
    }
}

/// A skill that was linted.
pub(super) struct Checked {
    report: SkillReport,
    /// What the rules that compare skills need of it.
    pub(super) kept: Option<Box<RunSkill>>,
}

/// Lints one skill.
///
/// `before`: the directory shown before a file of the skill; `.` for none. `budget`: what scripts may use.
fn check(
    linters: &Linters<'_>,
    asked: &Asked<'_>,
    before: &str,
    compiled: Compiled,
    budget: &ScriptBudget,
    notes: &mut Notes,
) -> Result<Checked> {
    let found = asked.found;
    let Some(skill) = read_skill(found, before, compiled, notes)? else {
        // A file that says so makes any directory look like build output: the security rules read it all the same.
        let skill = Skill::read(found.at.clone())?;
        let diagnostics = linters.for_skill(&skill)?.run_security(&skill);
        let report = SkillReport::new(&skill, diagnostics);
        return Ok(Checked {
            report: SkillReport {
                skipped: true,
                ..report
            },
            kept: None,
        });
    };
    let linter = linters.for_skill(&skill)?;
    let mut diagnostics = linter.run_among(&skill, asked.among.clone(), budget);
    if linters.silences_scripts(&skill) {
        let rules = linter.rules().map(|(rule, _)| rule);
        let scripted: BTreeSet<&str> = rules
            .filter(|rule| rule.is_budgeted())
            .map(|rule| &*rule.meta().code)
            .collect();
        // A failing script reports the reason in its own words, which could quote the skill.
        diagnostics.retain(|of| of.rule != SCRIPT_FAILED.0 && !scripted.contains(&*of.rule));
    }
    Ok(Checked {
        report: SkillReport::new(&skill, diagnostics),
        kept: RunSkill::from_skill(&skill).map(Box::new),
    })
}

/// Reads one skill; `None` for a compiled one to be skipped.
///
/// `before`: as in [`check`].
pub(super) fn read_skill(
    found: &FoundSkill,
    before: &str,
    compiled: Compiled,
    notes: &mut Notes,
) -> Result<Option<Skill>> {
    let at = &found.at;
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

/// Warns of Markdown files too large to be parsed at all, or completely.
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
