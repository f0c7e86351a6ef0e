//! The overview: the totals and, in the text form, also the most used sections, the unused sections and the commands.
//!
//! Design: C-QUERIES, D-STATS-TEXT, D-STATS-COUNTING.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use skillc_core::{RelPath, SkillRef, SourceFile, SourceTree};
use skillc_storage::access_stats::{Column, LoggedRow};

use super::arguments::Arguments;
use super::counts::{Grouping, RowKey};
use super::groupings::{SEPARATOR, Sections, is_read, push};
use super::response::SectionCount;

/// Additional data of a summary, shown in text and HTML but not in JSON.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Overview {
    /// Sections, most used first.
    pub sections: Vec<SectionCount>,
    /// Headings that were never shown, in file order; `None` if there are no accesses, or if the files cannot be read.
    pub unused: Option<Vec<Unused>>,
    /// Number of accesses by command.
    pub commands: BTreeMap<String, u64>,
}

/// A heading that was never shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unused {
    /// The skill's name, if all skills are counted.
    pub skill: Option<String>,
    /// The heading.
    pub section: String,
    /// The file, relative to the skill's root. All headings of a file share one allocation of the path, because there
    /// can be many headings, and the path can be long.
    pub file: RelPath,
}

/// Groups accesses by command, outcome and target, for the overview.
pub(super) struct Uses;

/// The command, outcome and target of an access.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Use {
    pub(super) command: String,
    pub(super) is_error: bool,
    pub(super) read: Read,
}

/// The part of the skill that an access read.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Read {
    /// Nothing: the command does not read files, or it failed.
    Nothing,
    /// Not known: the arguments cannot be parsed.
    Malformed,
    /// A file, if it was logged, and optionally a section.
    File(Option<String>, Option<String>),
}

/// The parts of a skill that were read.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// The number of times that each section was read, by file and heading.
    pub(super) sections: BTreeMap<(String, String), u64>,
    pub(super) files: BTreeSet<String>,
    pub(super) malformed: u64,
}

impl Reading {
    pub(super) fn add(&mut self, read: Read, count: u64) {
        match read {
            Read::Nothing => {}
            Read::Malformed => self.malformed += count,
            Read::File(file, section) => {
                if let Some(section) = section {
                    let key = (file.clone().unwrap_or_default(), section);
                    *self.sections.entry(key).or_default() += count;
                }
                self.files.extend(file);
            }
        }
    }
}

impl Grouping for Uses {
    type Key = Use;
    const COLUMNS: &'static [Column] = Sections::COLUMNS;

    fn text(row: &LoggedRow<'_>, text: &mut String) -> bool {
        let (is_error, args) = if row.error.is_some() {
            ("!", "")
        } else if is_read(row) {
            ("", row.args)
        } else {
            ("", "")
        };
        push(text, &[row.command, is_error, args])
    }

    fn key(text: &str) -> RowKey<Use> {
        let mut parts = text.splitn(3, SEPARATOR);
        let mut part = || parts.next().unwrap_or_default();
        let (command, error, args) = (part(), part(), part());
        let is_reader = error.is_empty() && matches!(command, "show" | "open");
        let read = match Arguments::read(args) {
            _ if !is_reader => Read::Nothing,
            None => Read::Malformed,
            Some(args) => {
                let file = args.file(command);
                let section = args.section.filter(|_| command == "show");
                Read::File(file, section.map(Cow::into_owned))
            }
        };
        RowKey::Key(Use {
            command: command.to_owned(),
            is_error: !error.is_empty(),
            read,
        })
    }
}

/// Finds the headings that were never shown; `None` if the files cannot be read.
///
/// `shown`: the sections that were shown, as file and heading. An empty file stands for all files that contain the
/// heading.
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
        let is_shown = ["", file.as_str()]
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

/// Returns every heading that can be shown, as file and text, in file order; `None` if the files cannot be read.
fn headings(skill: &SkillRef) -> Option<Vec<(RelPath, String)>> {
    let tree = SourceTree::read(&skill.source).ok()?;
    let (files, _) = tree.parsed_markdown();
    let read = files.into_par_iter().map(|entry| {
        let Some(file) = SourceFile::read(&tree.root, &entry.path).ok()? else {
            return Some(Vec::new());
        };
        let document = file.into_document();
        let listed = document
            .headings
            .iter()
            .filter(|heading| heading.is_listed());
        let named = listed.map(|heading| (document.path.clone(), heading.text.clone()));
        Some(named.collect())
    });
    let read: Option<Vec<Vec<_>>> = read.collect();
    Some(read?.into_iter().flatten().collect())
}
