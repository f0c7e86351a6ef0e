//! Edits of a skill's files: whether they can be made, what comes out, and where a place is afterwards.

use std::borrow::Cow;
use std::collections::BTreeMap;

use skillc_core::path::RelPath;
use skillc_core::skill::Skill;

use crate::rule::fix::{Edit, Fix};

/// Stands in a text for bytes that are not UTF-8: what was read is then not what the file holds.
const REPLACED: char = '\u{fffd}';

/// Edits by file, each list sorted by place; no two touch.
#[derive(Debug, Default)]
pub(super) struct Edits<'a> {
    by_file: BTreeMap<RelPath, Vec<&'a Edit>>,
}

/// Returns the one name under which a file is edited, of several that lead to it.
pub(super) fn own_name<'a>(
    names: &'a BTreeMap<RelPath, RelPath>,
    path: &'a RelPath,
) -> &'a RelPath {
    names.get(path).unwrap_or(path)
}

/// Returns why a fix cannot be made in any case; `None` if it can be tried.
pub(super) fn fault(
    fix: &Fix,
    skill: &Skill,
    names: &BTreeMap<RelPath, RelPath>,
) -> Option<String> {
    if fix.edits.is_empty() {
        return Some("it changes nothing".to_owned());
    }
    for Edit { file, span, .. } in &fix.edits {
        let Some(document) = skill.document(own_name(names, file)) else {
            return Some(format!("'{file}' is not a Markdown file of the skill"));
        };
        if document.text.contains(REPLACED) {
            return Some(format!("'{file}' is not UTF-8 text"));
        }
        if !document.is_as_written {
            return Some(format!("lines of '{file}' end with a lone carriage return"));
        }
        if document.text.get(span.start..span.end).is_none() {
            return Some(format!("it changes bytes that '{file}' does not have"));
        }
    }
    let mut edits = Edits::default();
    (!edits.add(fix, names)).then(|| "its edits overlap".to_owned())
}

impl<'a> Edits<'a> {
    /// Adds the edits of a fix, all of them, or none and `false` if one touches another.
    pub(super) fn add(&mut self, fix: &'a Fix, names: &BTreeMap<RelPath, RelPath>) -> bool {
        for (count, edit) in fix.edits.iter().enumerate() {
            let edits = self.of_mut(edit, names);
            let at = edits.partition_point(|other| other.span.start < edit.span.start);
            let neighbours = &edits[at.saturating_sub(1)..edits.len().min(at + 1)];
            if neighbours.iter().any(|other| touch(edit, other)) {
                for added in &fix.edits[..count] {
                    self.of_mut(added, names).retain(|edit| *edit != added);
                }
                return false;
            }
            edits.insert(at, edit);
        }
        true
    }

    fn of_mut(&mut self, edit: &Edit, names: &BTreeMap<RelPath, RelPath>) -> &mut Vec<&'a Edit> {
        let file = own_name(names, &edit.file);
        self.by_file.entry(file.clone()).or_default()
    }

    /// Returns the new texts of the files, under all their names. A line end that is inserted is as those of its file.
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
            for edit in edits {
                text += document.text.get(end..edit.span.start).unwrap_or_default();
                text += &with_line_ends(line_end, &edit.text);
                end = edit.span.end;
            }
            text += document.text.get(end..).unwrap_or_default();
            texts.insert(document.path.clone(), text);
        }
        texts
    }

    /// Returns where the places of a file are after the edits.
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
        let shifts = edits.into_iter().flatten().map(|edit| {
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

/// How the places of a file move, by place.
pub(super) struct Shifts(Vec<Shift>);

struct Shift {
    /// The bytes that an edit changes.
    start: usize,
    end: usize,
    /// How many bytes have come and gone before them.
    before: (usize, usize),
    /// The same with the edit.
    after: (usize, usize),
}

impl Shifts {
    /// Returns where an offset is afterwards; one in what goes is where its replacement begins.
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

/// Says whether two edits of a file change the same bytes, or insert at the same place.
fn touch(one: &Edit, other: &Edit) -> bool {
    let (one, other) = (one.span, other.span);
    one.start == other.start || one.start < other.end && other.start < one.end
}

/// Returns the line end of a file: that of its first line.
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
