//! The overview: totals, and for its text what is used most, what is never used, and by which commands.
//!
//! Source: RFC-0003 C-QUERIES (summary), LEDGER D-STATS-TEXT, D-STATS-COUNTING.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use skillc_core::source::MAX_PARSED_BYTES;
use skillc_core::{SkillRef, SourceFile, SourceTree};
use skillc_storage::access_stats::{Column, LoggedRow};

use super::counts::{Counts, Tally};
use super::groupings::{Commands, Files, Sections};
use super::response::SectionCount;

/// What the text of a summary shows beside the totals.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Overview {
    /// Sections, the most used first.
    pub sections: Vec<SectionCount>,
    /// Headings of the skill that were never shown, in the order of its files; `None` without any access, or if the files
    /// cannot be read.
    pub unused: Option<Vec<Unused>>,
    /// Number of accesses by command.
    pub commands: BTreeMap<String, u64>,
}

/// A heading that was never shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unused {
    /// The skill's name; only for all skills.
    pub skill: Option<String>,
    /// The heading.
    pub section: String,
    /// The file, relative to the skill's root.
    pub file: String,
}

/// Counts for an overview.
#[derive(Default)]
pub(super) struct OverviewTally {
    pub(super) sections: Counts<Sections>,
    pub(super) files: Counts<Files>,
    pub(super) commands: Counts<Commands>,
    pub(super) errors: u64,
}

impl Tally for OverviewTally {
    fn columns() -> Vec<Column> {
        Counts::<Sections>::columns()
    }

    fn add(&mut self, row: &LoggedRow<'_>) {
        self.sections.add(row);
        self.files.add(row);
        self.commands.add(row);
        self.errors += u64::from(row.error.is_some());
    }

    fn merge(&mut self, later: Self) {
        self.sections.merge(later.sections);
        self.files.merge(later.files);
        self.commands.merge(later.commands);
        self.errors += later.errors;
    }
}

/// Finds the headings of a skill that are not among the sections shown; `None` if its files cannot be read.
///
/// `shown`: file and heading; without a file, the heading of any.
pub(super) fn unused<'a>(
    skill: &SkillRef,
    name: Option<&str>,
    shown: impl Iterator<Item = &'a (String, String)>,
) -> Option<Vec<Unused>> {
    let shown: BTreeSet<(&str, String)> = shown
        .map(|(file, section)| (file.as_str(), section.to_lowercase()))
        .collect();
    let mut listed = BTreeSet::new();
    let mut found = Vec::new();
    for (file, section) in headings(skill)? {
        let text = section.to_lowercase();
        let is_shown = ["", &file]
            .into_iter()
            .any(|file| shown.contains(&(file, text.clone())));
        if !is_shown && listed.insert((file.clone(), section.clone())) {
            found.push(Unused {
                skill: name.map(str::to_owned),
                section,
                file,
            });
        }
    }
    Some(found)
}

/// Returns file and text of every heading that can be shown, in the order of the files; `None` if they cannot be read.
fn headings(skill: &SkillRef) -> Option<Vec<(String, String)>> {
    let tree = SourceTree::read(&skill.source).ok()?;
    let files: Vec<_> = tree
        .markdown()
        .filter(|entry| entry.stamp.size <= MAX_PARSED_BYTES)
        .collect();
    let read = files.into_par_iter().map(|entry| {
        let Some(file) = SourceFile::read(&tree.root, &entry.path).ok()? else {
            return Some(Vec::new());
        };
        let document = file.into_document();
        let listed = document
            .headings
            .iter()
            .filter(|heading| heading.is_listed());
        let named = listed.map(|heading| (document.path.to_string(), heading.text.clone()));
        Some(named.collect())
    });
    let read: Option<Vec<Vec<_>>> = read.collect();
    Some(read?.into_iter().flatten().collect())
}
