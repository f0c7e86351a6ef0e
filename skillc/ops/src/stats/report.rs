//! Additional data of the HTML page: searches, failures, projects and days, read in one more pass over the logs.
//!
//! Design: stats-report.

use std::collections::BTreeMap;

use skillc_core::Result;
use skillc_core::time::Timestamp;
use skillc_storage::access_stats::{Column, LoggedRow};

use super::answer::{Asking, by_day, by_project, query_count, sort_errors, sort_queries};
use super::counts::{Counts, Tally};
use super::gather::gather;
use super::groupings::{Days, Errors, Projects, Searches, ZeroResults};
use super::response::{DayCount, ErrorCount, ProjectCount, QueryCount};
use crate::notes::Notes;

/// Additional data of the HTML page. Lists are complete, most frequent first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Creation time.
    pub made: Timestamp,
    /// Search queries.
    pub searches: Vec<QueryCount>,
    /// Searches without results.
    pub zero_results: Vec<QueryCount>,
    /// Failures.
    pub errors: Vec<ErrorCount>,
    /// Working directories.
    pub projects: Vec<ProjectCount>,
    /// Days with accesses, in order.
    pub days: Vec<DayCount>,
    /// Warnings from reading the logs.
    pub notices: Vec<String>,
}

/// Counts the additional data.
///
/// # Errors
/// E999 if a single skill was requested and its log cannot be read.
pub(super) fn report(asking: &mut Asking<'_>, made: Timestamp) -> Result<Report> {
    let mut report = Report {
        made,
        searches: Vec::new(),
        zero_results: Vec::new(),
        errors: Vec::new(),
        projects: Vec::new(),
        days: Vec::new(),
        notices: Vec::new(),
    };
    let (mut projects, mut days) = (BTreeMap::new(), BTreeMap::new());
    // Discard the warnings of this pass, because the first pass had the same warnings.
    for part in gather(
        asking.subjects,
        asking.filter,
        &mut Notes::default(),
        ReportTally::default,
    )? {
        let label = asking.label(&part);
        let tally = part.tally;
        let (zero, errors) = (tally.zero_results.finish(), tally.errors.finish());
        // The first pass counted malformed reads. Add the malformed searches and failures.
        asking.malformed += zero.malformed + errors.malformed;
        let queries = |(key, count)| query_count(label.clone(), key, count);
        let searches = tally.searches.finish().counts;
        report.searches.extend(searches.into_iter().map(queries));
        report
            .zero_results
            .extend(zero.counts.into_iter().map(queries));
        let failures = errors.counts.into_iter();
        report.errors.extend(
            failures.map(|((command, target, error), count)| ErrorCount {
                skill: label.clone(),
                target,
                command,
                error,
                count,
            }),
        );
        add(&mut projects, tally.projects.finish().counts);
        add(&mut days, tally.days.finish().counts);
    }
    sort_queries(&mut report.searches);
    sort_queries(&mut report.zero_results);
    sort_errors(&mut report.errors);
    report.projects = by_project(projects);
    report.days = by_day(days);
    Ok(report)
}

fn add<K: Ord>(all: &mut BTreeMap<K, u64>, counts: BTreeMap<K, u64>) {
    for (key, count) in counts {
        *all.entry(key).or_default() += count;
    }
}

/// Counts for a page, in one pass.
#[derive(Default)]
struct ReportTally {
    searches: Counts<Searches>,
    zero_results: Counts<ZeroResults>,
    errors: Counts<Errors>,
    projects: Counts<Projects>,
    days: Counts<Days>,
}

impl Tally for ReportTally {
    fn columns() -> Vec<Column> {
        [
            Counts::<Errors>::columns(),
            Counts::<Projects>::columns(),
            Counts::<Days>::columns(),
        ]
        .concat()
    }

    fn add(&mut self, row: &LoggedRow<'_>) {
        self.searches.add(row);
        self.zero_results.add(row);
        self.errors.add(row);
        self.projects.add(row);
        self.days.add(row);
    }

    fn merge(&mut self, later: Self) {
        self.searches.merge(later.searches);
        self.zero_results.merge(later.zero_results);
        self.errors.merge(later.errors);
        self.projects.merge(later.projects);
        self.days.merge(later.days);
    }
}
