//! Answers each kind of query.
//!
//! Design: C-QUERIES, C-SCHEMA.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use skillc_core::time::Timestamp;
use skillc_core::{Result, Warning};

use super::counts::{Counted, Counts, Grouping, Tally};
use super::filter::Filter;
use super::gather::{Part, gather};
use super::group::GroupBy;
use super::groupings::{
    Commands, Days, Errors, Files, Projects, QueryKey, Searches, Sections, ZeroResults,
};
use super::overview::{Overview, Reading, Uses, unused};
use super::report::report;
use super::response::{
    Applied, DayCount, ErrorCount, FileCount, Period, ProjectCount, QueryCount, SectionCount,
    SkillUse, StatsData, StatsResponse, Summary,
};
use super::sessions::sessions;
use super::subject::Subjects;
use crate::notes::Notes;

/// Answers a query about skills.
///
/// `limit`: the maximum number of sessions. `page`: if the answer is for an HTML page, the creation time of the page.
///
/// # Errors
/// E999 if the query is about only one skill and its log cannot be read.
pub(super) fn answer(
    subjects: &Subjects,
    group: GroupBy,
    filter: &Filter,
    limit: usize,
    page: Option<Timestamp>,
    notes: &mut Notes,
) -> Result<StatsResponse> {
    let mut asking = Asking {
        subjects,
        filter,
        notes,
        malformed: 0,
        period: Period::default(),
        uses: Vec::new(),
    };
    let mut overview = None;
    let data = match group {
        GroupBy::Summary => asking.summary(&mut overview)?,
        GroupBy::Sections => StatsData::Sections(asking.sections()?),
        GroupBy::Files => StatsData::Files(asking.files()?),
        GroupBy::Commands => StatsData::Commands(asking.together::<Commands>()?),
        GroupBy::Projects => StatsData::Projects(asking.projects()?),
        GroupBy::Errors => StatsData::Errors(asking.errors()?),
        GroupBy::Search => StatsData::Search(asking.queries::<Searches>()?),
        GroupBy::ZeroResults => StatsData::Search(asking.queries::<ZeroResults>()?),
        GroupBy::Sessions => StatsData::Sessions(sessions(&mut asking, limit)?),
        GroupBy::Timeline | GroupBy::Prune => StatsData::Timeline(asking.timeline()?),
    };
    let report = page.map(|made| report(&mut asking, made)).transpose()?;
    Ok(StatsResponse {
        overview,
        report,
        ..asking.response(group, data)
    })
}

/// A query, and intermediate results.
pub(super) struct Asking<'a> {
    pub(super) subjects: &'a Subjects,
    pub(super) filter: &'a Filter,
    pub(super) notes: &'a mut Notes,
    /// The number of rows that could not be parsed completely.
    pub(super) malformed: u64,
    period: Period,
    uses: Vec<SkillUse>,
}

impl<'a> Asking<'a> {
    /// Reads the logs, and collects the warnings, the period and the numbers of accesses.
    pub(super) fn read<T: Tally>(&mut self, new: impl Fn() -> T) -> Result<Vec<Part<'a, T>>> {
        let parts = gather(self.subjects, self.filter, self.notes, new)?;
        for part in &parts {
            self.malformed += part.timeless;
            self.period.extend(part.period.clone());
            self.uses.push(SkillUse {
                skill: part.skill.name.clone(),
                skill_path: part.skill.canonical.display().to_string(),
                count: part.total,
            });
        }
        Ok(parts)
    }

    /// Returns the skill's name if all skills are counted; `None` if the query is about one skill.
    pub(super) fn label(&self, part: &Part<'_, impl Sized>) -> Option<String> {
        self.subjects
            .only()
            .is_none()
            .then(|| part.skill.name.clone())
    }

    /// Counts each skill separately. `entry`: creates an entry from the skill's label, the key and the count.
    fn apart<G: Grouping, E>(
        &mut self,
        entry: impl Fn(Option<String>, G::Key, u64) -> E,
    ) -> Result<Vec<E>> {
        let mut entries = Vec::new();
        for part in self.read(Counts::<G>::default)? {
            let label = self.label(&part);
            let Counted { counts, malformed } = part.tally.finish();
            self.malformed += malformed;
            let counts = counts.into_iter();
            entries.extend(counts.map(|(key, count)| entry(label.clone(), key, count)));
        }
        Ok(entries)
    }

    /// Counts all skills together.
    fn together<G: Grouping>(&mut self) -> Result<BTreeMap<G::Key, u64>> {
        let mut all = Counts::<G>::default();
        for part in self.read(Counts::<G>::default)? {
            all.merge(part.tally);
        }
        let Counted { counts, malformed } = all.finish();
        self.malformed += malformed;
        Ok(counts)
    }

    fn summary(&mut self, overview: &mut Option<Overview>) -> Result<StatsData> {
        let mut summary = Summary::default();
        let mut shown = Overview::default();
        for part in self.read(Counts::<Uses>::default)? {
            let label = self.label(&part);
            let total = part.total;
            let skill = part.skill;
            let mut read = Reading::default();
            for (kind, count) in part.tally.finish().counts {
                summary.error_count += if kind.is_error { count } else { 0 };
                *shown.commands.entry(kind.command).or_default() += count;
                read.add(kind.read, count);
            }
            self.malformed += read.malformed;
            summary.total_accesses += total;
            summary.unique_sections += read.sections.len() as u64;
            summary.unique_files += read.files.len() as u64;
            if total > 0
                && let Some(found) = unused(skill, label.as_deref(), read.sections.keys())
            {
                shown.unused.get_or_insert_default().extend(found);
            }
            let counts = read.sections.into_iter();
            shown
                .sections
                .extend(counts.map(|(key, count)| section(label.clone(), key, count)));
        }
        sort_sections(&mut shown.sections);
        *overview = Some(shown);
        Ok(StatsData::Summary(summary))
    }

    fn sections(&mut self) -> Result<Vec<SectionCount>> {
        let mut entries = self.apart::<Sections, _>(section)?;
        sort_sections(&mut entries);
        Ok(entries)
    }

    fn files(&mut self) -> Result<Vec<FileCount>> {
        let mut entries =
            self.apart::<Files, _>(|skill, file, count| FileCount { skill, file, count })?;
        // Stable sort: entries with the same count and file stay in the order of the skills.
        entries.sort_by(|a, b| (Reverse(a.count), &a.file).cmp(&(Reverse(b.count), &b.file)));
        Ok(entries)
    }

    fn projects(&mut self) -> Result<Vec<ProjectCount>> {
        Ok(by_project(self.together::<Projects>()?))
    }

    fn errors(&mut self) -> Result<Vec<ErrorCount>> {
        let make = |skill, (command, target, error), count| ErrorCount {
            skill,
            target,
            command,
            error,
            count,
        };
        let mut entries = self.apart::<Errors, _>(make)?;
        sort_errors(&mut entries);
        Ok(entries)
    }

    fn queries<G: Grouping<Key = QueryKey>>(&mut self) -> Result<Vec<QueryCount>> {
        let mut entries = self.apart::<G, _>(query_count)?;
        sort_queries(&mut entries);
        Ok(entries)
    }

    fn timeline(&mut self) -> Result<Vec<DayCount>> {
        Ok(by_day(self.together::<Days>()?))
    }

    fn response(self, group: GroupBy, data: StatsData) -> StatsResponse {
        if self.malformed > 0 {
            self.notes.warn(Warning::LogRowsMalformed {
                count: usize::try_from(self.malformed).unwrap_or(usize::MAX),
            });
        }
        let only = self.subjects.only();
        let projects = self.filter.projects.iter();
        StatsResponse {
            skill: only.map(|skill| skill.name.clone()),
            skill_path: only.map(|skill| skill.canonical.display().to_string()),
            query: group,
            filters: Applied {
                since: self.filter.since.map(|time| time.to_string()),
                until: self.filter.until.map(|time| time.to_string()),
                projects: projects.map(|path| path.display().to_string()).collect(),
            },
            period: self.period,
            data,
            skills: only.is_none().then_some(self.uses),
            span: self.filter.span.clone(),
            overview: None,
            report: None,
        }
    }
}

fn section(skill: Option<String>, (file, section): (String, String), count: u64) -> SectionCount {
    SectionCount {
        skill,
        section,
        file,
        count,
    }
}

fn sort_sections(entries: &mut [SectionCount]) {
    entries.sort_by(|a, b| {
        (Reverse(a.count), &a.file, &a.section).cmp(&(Reverse(b.count), &b.file, &b.section))
    });
}

pub(super) fn query_count(
    skill: Option<String>,
    (query, unmatched): QueryKey,
    count: u64,
) -> QueryCount {
    QueryCount {
        skill,
        query,
        unmatched,
        count,
    }
}

/// Sorts queries, most frequent first. `entries`: must be sorted by skill, then by query. Entries with the same skill
/// and query are merged. Their unmatched words can differ, because the skill's sections can change between searches.
pub(super) fn sort_queries(entries: &mut Vec<QueryCount>) {
    entries.dedup_by(|later, first| {
        let is_same = (&later.skill, &later.query) == (&first.skill, &first.query);
        if is_same {
            first.count += later.count;
            let new = later.unmatched.drain(..);
            let new: Vec<_> = new.filter(|word| !first.unmatched.contains(word)).collect();
            first.unmatched.extend(new);
        }
        is_same
    });
    entries.sort_by(|a, b| (Reverse(a.count), &a.query).cmp(&(Reverse(b.count), &b.query)));
}

pub(super) fn sort_errors(entries: &mut [ErrorCount]) {
    entries.sort_by(|a, b| {
        let key = |entry: &'_ ErrorCount| Reverse(entry.count);
        (key(a), &a.command, &a.target, &a.error).cmp(&(key(b), &b.command, &b.target, &b.error))
    });
}

pub(super) fn by_project(counts: BTreeMap<String, u64>) -> Vec<ProjectCount> {
    let counts = counts.into_iter();
    let mut entries: Vec<_> = counts
        .map(|(project, count)| ProjectCount { project, count })
        .collect();
    entries.sort_by_key(|entry| Reverse(entry.count));
    entries
}

/// Adds up the accesses of each day. `counts`: the number of accesses for each day and outcome; the outcome is true if
/// the access failed.
pub(super) fn by_day(counts: BTreeMap<(String, bool), u64>) -> Vec<DayCount> {
    let mut days: Vec<DayCount> = Vec::new();
    for ((date, is_error), count) in counts {
        if days.last().is_none_or(|last| last.date != date) {
            days.push(DayCount {
                date,
                count: 0,
                error_count: 0,
            });
        }
        if let Some(day) = days.last_mut() {
            day.count += count;
            day.error_count += if is_error { count } else { 0 };
        }
    }
    days
}
