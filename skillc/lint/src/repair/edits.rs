//! Edits of a skill's files: checks whether edits can be applied, applies them, and computes how they move offsets.

use std::borrow::Cow;
use std::collections::BTreeMap;

use skillc_core::path::RelPath;
use skillc_core::skill::Skill;

use crate::rule::fix::{Edit, Fix};

/// The replacement for bytes that are not UTF-8. If the text of a file contains this character, the text may differ
/// from the file's content.
const REPLACED: char = '\u{fffd}';

/// Edits by file and offset, free of overlaps.
#[derive(Debug, Default)]
pub(super) struct Edits<'a> {
    by_file: BTreeMap<RelPath, BTreeMap<usize, &'a Edit>>,
}

/// Returns the path under which a file is edited. If several paths lead to the file, only one of them is used.
pub(super) fn own_name<'a>(
    names: &'a BTreeMap<RelPath, RelPath>,
    path: &'a RelPath,
) -> &'a RelPath {
    names.get(path).unwrap_or(path)
}

/// Determines which fixes of a skill can never be applied.
pub(super) struct Faults<'a> {
    skill: &'a Skill,
    names: &'a BTreeMap<RelPath, RelPath>,
    /// Whether a file contains [`REPLACED`]: searched for only once, because a file can have many edits.
    replaced: BTreeMap<RelPath, bool>,
}

impl<'a> Faults<'a> {
    pub(super) fn new(skill: &'a Skill, names: &'a BTreeMap<RelPath, RelPath>) -> Self {
        Self {
            skill,
            names,
            replaced: BTreeMap::new(),
        }
    }

    /// Returns why a fix can never be applied; `None` if it can be tried.
    pub(super) fn of(&mut self, fix: &Fix) -> Option<String> {
        if fix.edits.is_empty() {
            return Some("it would change nothing".to_owned());
        }
        for Edit { file, span, .. } in &fix.edits {
            let Some(document) = self.skill.document(own_name(self.names, file)) else {
                return Some(format!("'{file}' is not a Markdown file of the skill"));
            };
            let replaced = self.replaced.entry(document.path.clone());
            if *replaced.or_insert_with(|| document.text.contains(REPLACED)) {
                return Some(format!("'{file}' is not UTF-8 text"));
            }
            if !document.is_as_written {
                return Some(format!("lines of '{file}' end with a lone carriage return"));
            }
            if document.text.get(span.start..span.end).is_none() {
                return Some(format!("it changes bytes beyond the end of '{file}'"));
            }
        }
        let mut edits = Edits::default();
        (!edits.add(fix, self.names)).then(|| "its edits overlap".to_owned())
    }
}

impl<'a> Edits<'a> {
    /// Adds all edits of a fix. If one of them overlaps an earlier edit, adds none of them and returns `false`.
    pub(super) fn add(&mut self, fix: &'a Fix, names: &BTreeMap<RelPath, RelPath>) -> bool {
        for (count, edit) in fix.edits.iter().enumerate() {
            let start = edit.span.start;
            let edits = self.edits_mut(edit, names);
            let before = edits.range(..start).next_back();
            let mut neighbours = before.into_iter().chain(edits.range(start..).next());
            if neighbours.any(|(_, other)| touch(edit, other)) {
                for added in &fix.edits[..count] {
                    self.edits_mut(added, names).remove(&added.span.start);
                }
                return false;
            }
            edits.insert(start, edit);
        }
        true
    }

    fn edits_mut(
        &mut self,
        edit: &Edit,
        names: &BTreeMap<RelPath, RelPath>,
    ) -> &mut BTreeMap<usize, &'a Edit> {
        let file = own_name(names, &edit.file);
        self.by_file.entry(file.clone()).or_default()
    }

    /// Returns the new text of each edited file, once for each path that leads to the file. Inserted line ends match
    /// those of the file.
    pub(super) fn texts(
        &self,
        skill: &Skill,
        names: &BTreeMap<RelPath, RelPath>,
    ) -> BTreeMap<RelPath, String> {
        let mut texts = BTreeMap::new();
        for document in skill.documents() {
            let Some(edits) = self.by_file.get(own_name(names, &document.path)) else {
                continue;
            };
            let line_end = line_end(&document.text);
            let mut text = String::with_capacity(document.text.len());
            let mut end = 0;
            for edit in edits.values() {
                text += document.text.get(end..edit.span.start).unwrap_or_default();
                text += &with_line_ends(line_end, &edit.text);
                end = edit.span.end;
            }
            text += document.text.get(end..).unwrap_or_default();
            texts.insert(document.path.clone(), text);
        }
        texts
    }

    /// Returns how these edits move the offsets of a file.
    ///
    /// `text`: the file before the edits.
    pub(super) fn shifts(
        &self,
        file: &RelPath,
        text: &str,
        names: &BTreeMap<RelPath, RelPath>,
    ) -> Shifts {
        let line_end = line_end(text);
        let (mut come, mut gone) = (0, 0);
        let edits = self.by_file.get(own_name(names, file));
        let shifts = edits.into_iter().flatten().map(|(_, edit)| {
            let before = (come, gone);
            come += with_line_ends(line_end, &edit.text).len();
            gone += edit.span.end - edit.span.start;
            Shift {
                start: edit.span.start,
                end: edit.span.end,
                before,
                after: (come, gone),
            }
        });
        Shifts(shifts.collect())
    }
}

/// How the offsets of a file move; sorted.
pub(super) struct Shifts(Vec<Shift>);

struct Shift {
    /// The range that an edit replaces.
    start: usize,
    end: usize,
    /// The bytes inserted and removed before this edit.
    before: (usize, usize),
    /// The bytes inserted and removed up to and including this edit.
    after: (usize, usize),
}

impl Shifts {
    /// Returns the new offset; an offset in removed text maps to the start of its replacement.
    pub(super) fn moved(&self, offset: usize) -> usize {
        let next = self.0.partition_point(|shift| shift.end <= offset);
        if let Some(edit) = self.0.get(next).filter(|edit| edit.start < offset) {
            let (come, gone) = edit.before;
            return edit.start + come - gone;
        }
        let last = next.checked_sub(1).and_then(|last| self.0.get(last));
        let (come, gone) = last.map_or((0, 0), |edit| edit.after);
        offset + come - gone
    }
}

/// Reports whether two edits of a file overlap, or start at the same offset.
fn touch(one: &Edit, other: &Edit) -> bool {
    let (one, other) = (one.span, other.span);
    one.start == other.start || one.start < other.end && other.start < one.end
}

/// Returns the line end that a file uses: that of its first line.
fn line_end(file: &str) -> &'static str {
    let is_crlf = file.find('\n').is_some_and(|at| file[..at].ends_with('\r'));
    if is_crlf { "\r\n" } else { "\n" }
}

fn with_line_ends<'t>(line_end: &str, text: &'t str) -> Cow<'t, str> {
    match line_end {
        "\n" => Cow::Borrowed(text),
        _ => Cow::Owned(text.replace("\r\n", "\n").replace('\n', line_end)),
    }
}
