//! Edits of a skill's files: whether they can be made, what comes out, and where a place is afterwards.

use std::collections::BTreeMap;

use crate::lint::fix::{Edit, Fix};
use crate::path::RelPath;
use crate::skill::Skill;

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
        let mut added: Vec<(RelPath, &Edit)> = Vec::new();
        for edit in &fix.edits {
            let file = own_name(names, &edit.file).clone();
            let before = self.by_file.get(&file).into_iter().flatten().copied();
            let own = added.iter().filter(|(of, _)| *of == file);
            if before
                .chain(own.map(|(_, edit)| *edit))
                .any(|other| touch(edit, other))
            {
                return false;
            }
            added.push((file, edit));
        }
        for (file, edit) in added {
            let edits = self.by_file.entry(file).or_default();
            let at = edits.partition_point(|other| other.span.start < edit.span.start);
            edits.insert(at, edit);
        }
        true
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
            let mut text = String::with_capacity(document.text.len());
            let mut end = 0;
            for edit in edits {
                text += document.text.get(end..edit.span.start).unwrap_or_default();
                text += &with_line_ends_of(&document.text, &edit.text);
                end = edit.span.end;
            }
            text += document.text.get(end..).unwrap_or_default();
            texts.insert(document.path.clone(), text);
        }
        texts
    }

    /// Returns where an offset of a file is after the edits; one in what goes is where its replacement begins.
    ///
    /// `text`: the file before the edits.
    pub(super) fn moved(
        &self,
        file: &RelPath,
        text: &str,
        offset: usize,
        names: &BTreeMap<RelPath, RelPath>,
    ) -> usize {
        let edits = self.by_file.get(own_name(names, file));
        let (mut come, mut gone) = (0, 0);
        for edit in edits.into_iter().flatten() {
            if offset < edit.span.end {
                let inside = edit.span.start.min(offset);
                return inside + come - gone;
            }
            come += with_line_ends_of(text, &edit.text).len();
            gone += edit.span.end - edit.span.start;
        }
        offset + come - gone
    }
}

/// Says whether two edits of a file change the same bytes, or insert at the same place.
fn touch(one: &Edit, other: &Edit) -> bool {
    let (one, other) = (one.span, other.span);
    one.start == other.start || one.start < other.end && other.start < one.end
}

/// Returns a text with the line ends of a file: those of its first line.
fn with_line_ends_of(file: &str, text: &str) -> String {
    let is_crlf = file.find('\n').is_some_and(|at| file[..at].ends_with('\r'));
    if is_crlf {
        text.replace("\r\n", "\n").replace('\n', "\r\n")
    } else {
        text.to_owned()
    }
}
