//! Deletes old log rows: only on request, and only after confirmation.
//!
//! Pruning is not available to tools: requests in JSON cannot contain these options.
//!
//! Design: stats-prune.

use std::collections::BTreeMap;

use skillc_core::time::Timestamp;
use skillc_core::{Error, Result, SkillRef, Warning};
use skillc_storage::LogUnusable;
use skillc_storage::access_prune::{count_before, delete_before};

use super::StatsRequest;
use super::filter::{Span, time};
use super::gather::{log_of, unusable};
use super::group::GroupBy;
use super::owner::owns;
use super::response::{Applied, Period, Pruned, SkillUse, StatsData, StatsResponse};
use super::subject::Subjects;
use crate::notes::Notes;
use crate::toolkit::Toolkit;

/// Which rows to delete.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct Prune {
    /// Delete old rows from the log instead of counting
    #[cfg_attr(feature = "clap", arg(long, requires = "before"))]
    pub prune: bool,
    /// With --prune: delete rows older than this date, time or age
    #[cfg_attr(feature = "clap", arg(long, value_name = "WHEN", requires = "prune"))]
    pub before: Option<String>,
    /// With --prune: delete without confirmation
    #[cfg_attr(feature = "clap", arg(long, requires = "prune"))]
    pub yes: bool,
}

/// Deletes rows older than a time from the logs of some skills.
///
/// # Errors
/// E031 if the time is invalid; E100 if the request contains filters, or if confirmation is required but the session is
/// not interactive; E999 if a single skill was requested and its log cannot be read or written.
pub(super) fn prune(
    toolkit: &Toolkit,
    subjects: &Subjects,
    request: &StatsRequest,
    notes: &mut Notes,
) -> Result<StatsResponse> {
    let is_filtered = request.since.is_some() || request.until.is_some();
    if is_filtered || !request.project.is_empty() {
        return Err(Error::invalid_option(
            "--prune accepts no filter except --before",
        ));
    }
    let text = request.prune.before.as_deref().unwrap_or_default();
    let before = time("before", text, toolkit.context.clock.now())?;
    let (wait, stop) = (&toolkit.log_wait, &toolkit.stop);
    let old = each(subjects, notes, |skill| {
        let owns = |path: &str| owns(&skill.canonical, path);
        wait.within_rest(|wait| count_before(&log_of(skill), before, wait, stop, owns))
    })?;
    let rows = old.values().sum();
    let deleted = if rows > 0 && may_delete(toolkit, subjects, request, rows, before)? {
        each(subjects, notes, |skill| match old.get(&skill.name) {
            Some(0) | None => Ok(0),
            Some(_) => {
                let log = log_of(skill);
                let owns = |path: &str| owns(&skill.canonical, path);
                let is_it = || skill.check_opened(&log).is_ok();
                wait.within_rest(|wait| delete_before(&log, before, wait, stop, owns, is_it))
            }
        })?
    } else {
        BTreeMap::new()
    };
    Ok(response(subjects, before, rows, &deleted))
}

/// Calls a function for the log of each skill. Returns the function's results by skill name.
fn each(
    subjects: &Subjects,
    notes: &mut Notes,
    run: impl Fn(&SkillRef) -> Result<u64, LogUnusable>,
) -> Result<BTreeMap<String, u64>> {
    let mut numbers = BTreeMap::new();
    for skill in subjects.skills() {
        match run(skill) {
            Ok(number) => drop(numbers.insert(skill.name.clone(), number)),
            Err(reason) if subjects.only().is_some() && reason != LogUnusable::NoFolder => {
                return Err(unusable(skill, reason));
            }
            Err(reason) => notes.warn(Warning::LogUnusable {
                path: log_of(skill).display().to_string(),
                reason: reason.reason().to_owned(),
            }),
        }
    }
    Ok(numbers)
}

fn may_delete(
    toolkit: &Toolkit,
    subjects: &Subjects,
    request: &StatsRequest,
    rows: u64,
    before: Timestamp,
) -> Result<bool> {
    if request.prune.yes {
        return Ok(true);
    }
    let whose = match subjects.only() {
        Some(skill) => format!("the usage log of '{}'", skill.name),
        None => format!("the usage logs of {} skills", subjects.skills().len()),
    };
    let what = format!("{rows} row(s) from before {before} in {whose}");
    let answer = toolkit.context.asker.confirm(&format!("Delete {what}?"));
    answer.ok_or_else(|| Error::InvalidOption {
        message: "--prune requires --yes in a non-interactive session".into(),
        hint: Some(format!("It would delete {what}. Nothing was deleted.").into()),
    })
}

fn response(
    subjects: &Subjects,
    before: Timestamp,
    rows: u64,
    deleted: &BTreeMap<String, u64>,
) -> StatsResponse {
    let only = subjects.only();
    let skill_use = |skill: &SkillRef| SkillUse {
        skill: skill.name.clone(),
        skill_path: skill.canonical.display().to_string(),
        count: deleted.get(&skill.name).copied().unwrap_or_default(),
    };
    StatsResponse {
        skill: only.map(|skill| skill.name.clone()),
        skill_path: only.map(|skill| skill.canonical.display().to_string()),
        query: GroupBy::Prune,
        filters: Applied::default(),
        period: Period::default(),
        data: StatsData::Pruned(Pruned {
            before: before.to_string(),
            found: rows,
            deleted: deleted.values().sum(),
        }),
        skills: only
            .is_none()
            .then(|| subjects.skills().iter().map(skill_use).collect()),
        span: Span::AllTime,
        overview: None,
        report: None,
    }
}
