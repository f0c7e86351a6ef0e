//! Renames a heading or a file, and changes the links to it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use lsp_types::{RenameFilesParams, RenameParams, TextDocumentPositionParams, TextEdit};
use serde_json::{Value, json};
use skillc_core::graph::{Anchors, Fragments};
use skillc_core::layout::canonical;
use skillc_core::{Document, Heading, Reference, RelPath, Skill, SkillRef, Span, Target};

use crate::answer::{Answer, Fault};
use crate::desk::{Desk, View};
use crate::edits::{Edits, workspace_edit};
use crate::links::{escaped, resolved, written};
use crate::navigation::{heading_at, reference_at};
use crate::positions::Tables;
use crate::uris::path_of;

/// The maximum length of a new name, in bytes.
const MAX_NAME_BYTES: usize = 1000;

/// An element that can be renamed.
enum Subject<'a> {
    /// A heading, with the span of its text.
    Heading(&'a Heading, Span),
    /// A file of the skill, with the span of the path that refers to it.
    File(&'a RelPath, Span),
}

/// Answers `textDocument/prepareRename`.
pub(crate) fn prepared(desk: &mut Desk, params: &TextDocumentPositionParams) -> Answer {
    let Some(view) = desk.view(params.text_document.uri.as_str())? else {
        return Ok(Value::Null);
    };
    let offset = view.offset(&desk.client, params.position);
    let Some(Subject::Heading(_, span) | Subject::File(_, span)) = subject_at(&view, offset) else {
        return Ok(Value::Null);
    };
    let range = desk.client.encoding.range(&view.document, span);
    Ok(json!({ "range": range, "placeholder": view.text(span) }))
}

/// Answers `textDocument/rename`.
pub(crate) fn renamed(desk: &mut Desk, params: &RenameParams) -> Answer {
    let of = &params.text_document_position;
    let Some(view) = desk.view(of.text_document.uri.as_str())? else {
        return Err(Fault::refused(
            "only Markdown files of skills support renaming",
        ));
    };
    let offset = view.offset(&desk.client, of.position);
    let new = params.new_name.trim();
    if new.is_empty() || new.len() > MAX_NAME_BYTES || new.contains(['\n', '\r']) {
        return Err(Fault::refused(format!(
            "a new name must be one line of at most {MAX_NAME_BYTES} bytes"
        )));
    }
    match subject_at(&view, offset) {
        Some(Subject::Heading(heading, span)) => {
            let edits = heading_edits(desk, &view, heading, span, new)?;
            Ok(workspace_edit(desk, &edits, None))
        }
        Some(Subject::File(old, _)) => rename_file(desk, &view, old, new),
        None => Err(Fault::refused(
            "only headings, and files that a link refers to, can be renamed",
        )),
    }
}

/// Answers `workspace/willRenameFiles`: updates the links to files and folders that the user moves.
pub(crate) fn will_rename(desk: &mut Desk, params: &RenameFilesParams) -> Answer {
    let mut of_skill: BTreeMap<PathBuf, (SkillRef, Vec<(RelPath, RelPath)>)> = BTreeMap::new();
    for file in &params.files {
        let paths = path_of(&file.old_uri).zip(path_of(&file.new_uri));
        let place = paths.and_then(|(old, new)| Some((desk.place(&old)?, new)));
        let Some((place, new)) = place else { continue };
        let real = new.parent().map(canonical).zip(new.file_name());
        let real = real.map(|(dir, name)| dir.join(name));
        let new = real.and_then(|real| RelPath::below(&place.at.canonical, &real));
        if let Some(new) = new {
            let key = place.at.canonical.clone();
            let (_, moves) = of_skill.entry(key).or_insert((place.at, Vec::new()));
            moves.push((place.file, new));
        }
    }
    let mut edits = Edits::new();
    for (at, moves) in of_skill.into_values() {
        let skill = desk.read(&at)?;
        edits.extend(link_edits(desk, &skill, &moves)?);
    }
    if edits.is_empty() {
        return Ok(Value::Null);
    }
    Ok(workspace_edit(desk, &edits, None))
}

fn subject_at(view: &View, at: usize) -> Option<Subject<'_>> {
    if let Some(reference) = reference_at(view, at) {
        let Target::File(file) = &reference.target else {
            return None;
        };
        let path = path_span(&view.document, reference)?;
        return (path.start < path.end).then_some(Subject::File(file, path));
    }
    let heading = heading_at(&view.document, at)?;
    let text = text_span(&view.document, heading)?;
    Some(Subject::Heading(heading, text))
}

/// Returns the span of a heading's text without markers and attributes; `None` if the text has several lines or is
/// empty.
fn text_span(document: &Document, heading: &Heading) -> Option<Span> {
    let raw = document.text.get(heading.span.start..heading.span.end)?;
    let raw = raw.trim_end();
    let content = if let Some(rest) = raw.trim_start().strip_prefix('#') {
        let rest = rest.trim_start_matches('#');
        // Markers at the end are not part of the text: `## Title ##`.
        let bare = rest.trim_end_matches('#');
        if bare.ends_with([' ', '\t']) {
            bare
        } else {
            rest
        }
    } else {
        let (first, below) = raw.split_once('\n')?;
        let is_underline = below.trim().chars().all(|c| matches!(c, '=' | '-'));
        is_underline.then_some(first)?
    };
    let content = content.trim();
    let content = match content.rsplit_once('{') {
        Some((text, attributes))
            if attributes.ends_with('}') && attributes.starts_with(['#', '.', ':']) =>
        {
            text.trim_end()
        }
        _ => content,
    };
    if content.is_empty() || content.contains(['\n', '\r']) {
        return None;
    }
    let start = heading.span.start + raw.find(content)?;
    Some(Span::new(start, start + content.len()))
}

/// Returns the span of a link's path, without fragment and query; `None` if the destination is not written
/// literally, for example because it contains escapes.
fn path_span(document: &Document, reference: &Reference) -> Option<Span> {
    let Span { start, end } = reference.span;
    let raw = document.text.get(start..end)?;
    let path = raw.split(['#', '?']).next()?;
    (reference.is_link() && raw == &*reference.written)
        .then(|| Span::new(start, start + path.len()))
}

/// Returns the edits that rename a heading: the edit of its text, and edits of the fragments of all links that would
/// otherwise no longer lead to their headings. This can also affect links to other headings, because headings with the
/// same text are numbered.
fn heading_edits(
    desk: &Desk,
    view: &View,
    heading: &Heading,
    span: Span,
    new: &str,
) -> Result<Edits, Fault> {
    let before = &*view.document;
    let mut text = before.text.clone();
    text.replace_range(span.start..span.end, new);
    let after = Document::parse(view.file.clone(), text.into_bytes());
    let is_heading =
        |of: &Heading| of.span.start == heading.span.start && of.level == heading.level;
    let is_same = before.headings.len() == after.headings.len()
        && before.inner_headings.len() == after.inner_headings.len()
        && after
            .headings
            .iter()
            .chain(&after.inner_headings)
            .any(is_heading);
    if !is_same {
        return Err(Fault::refused(
            "this text would change the level or number of headings",
        ));
    }
    let ids = Anchors::heading_ids(&after);
    let (old_places, new_places) = (Places::of(before), Places::of(&after));
    let mut tables = Tables::new(desk.client.encoding);
    let mut edits = Edits::new();
    let own = edits.entry(view.path(&view.file)).or_default();
    let range = desk.client.encoding.range(before, span);
    own.push(TextEdit::new(range, new.to_owned()));
    for document in view.skill.documents() {
        let all = view.skill.references().in_document(&document.path).iter();
        let links = all.filter(|of| matches!(&of.target, Target::File(file) if *file == view.file));
        for link in links {
            desk.stop.check()?;
            let Some((path, fragment)) = path_span(document, link).zip(link.fragment()) else {
                continue;
            };
            let Some(at) = old_places.place(fragment) else {
                continue;
            };
            if new_places.place(fragment) == Some(at) {
                continue;
            }
            let raw = document
                .text
                .get(path.end..link.span.end)
                .unwrap_or_default();
            let (Some(mark), Some(id)) = (raw.find('#'), ids.get(at)) else {
                continue;
            };
            let old = Span::new(path.end + mark + 1, link.span.end);
            let file = view.path(&document.path);
            let edit = TextEdit::new(tables.of(document).range(old), id.clone());
            edits.entry(file).or_default().push(edit);
        }
    }
    Ok(edits)
}

/// Looks up headings by fragment. Headings are numbered by their index among the document's headings that begin a
/// section.
struct Places<'d> {
    fragments: Fragments<'d>,
    of_span: BTreeMap<Span, usize>,
}

impl<'d> Places<'d> {
    fn of(document: &'d Document) -> Self {
        let headings = document.headings.iter().enumerate();
        Self {
            fragments: Fragments::from_document(document),
            of_span: headings.map(|(at, heading)| (heading.span, at)).collect(),
        }
    }

    fn place(&self, fragment: &str) -> Option<usize> {
        let heading = self.fragments.heading(fragment)?;
        self.of_span.get(&heading.span).copied()
    }
}

fn rename_file(desk: &Desk, view: &View, old: &RelPath, new: &str) -> Answer {
    if !(desk.client.can_rename_files && desk.client.has_document_changes) {
        let reason = "this editor does not let servers rename files; rename the file in the editor";
        return Err(Fault::refused(reason));
    }
    let new = resolved(&view.file, new).filter(|new| !new.as_str().is_empty() && !new.is_hidden());
    let new = new.ok_or_else(|| Fault::refused("the new path is outside the skill"))?;
    if view.skill.tree.get(&new).is_some() {
        return Err(Fault::refused(format!("'{new}' already exists")));
    }
    let moves = [(old.clone(), new.clone())];
    let edits = link_edits(desk, &view.skill, &moves)?;
    let (from, to) = (view.path(old), view.path(&new));
    Ok(workspace_edit(desk, &edits, Some((&from, &to))))
}

/// Returns the edits that keep links valid when files or folders move. They change the links to the moved files, and
/// the links in the moved files.
fn link_edits(desk: &Desk, skill: &Skill, moves: &[(RelPath, RelPath)]) -> Result<Edits, Fault> {
    let moves = Moves::new(moves);
    let mut tables = Tables::new(desk.client.encoding);
    let mut edits = Edits::new();
    for document in skill.documents() {
        let now = moves.moved(&document.path);
        for link in skill.references().in_document(&document.path) {
            desk.stop.check()?;
            let (Target::File(target) | Target::Directory(target)) = &link.target else {
                continue;
            };
            let Some(span) = path_span(document, link).filter(|span| span.start < span.end) else {
                continue;
            };
            let old = document.text.get(span.start..span.end).unwrap_or_default();
            let to = moves.moved(target);
            let is_unchanged = now == document.path && to == *target;
            if is_unchanged || resolved(&now, old).as_ref() == Some(&to) {
                continue;
            }
            let new = rewritten(old, &now, &to);
            let file = document.path.under(&skill.tree.root);
            let edit = TextEdit::new(tables.of(document).range(span), new);
            edits.entry(file).or_default().push(edit);
        }
    }
    Ok(edits)
}

/// Returns the new path of a link. Keeps a placeholder for the skill's root, and a `/` at the end.
fn rewritten(old: &str, document: &RelPath, file: &RelPath) -> String {
    let mut new = match old.split_once('/') {
        Some((root, _)) if root.starts_with(['$', '{']) => {
            format!("{root}/{}", escaped(file.as_str()))
        }
        _ => written(document, file),
    };
    if old.ends_with('/') && !new.ends_with('/') {
        new.push('/');
    }
    new
}

/// Files and folders that move. Lookups must be fast: an editor can move thousands of files at once, and a skill can
/// have thousands of links.
struct Moves<'m> {
    /// For each old path, its position in the list and the new path.
    by_old: BTreeMap<&'m str, (usize, &'m RelPath)>,
}

impl<'m> Moves<'m> {
    /// `moves`: the old and the new path of each move. If several moves apply to a file, the first one wins.
    fn new(moves: &'m [(RelPath, RelPath)]) -> Self {
        let mut by_old = BTreeMap::new();
        for (at, (old, new)) in moves.iter().enumerate() {
            by_old.entry(old.as_str()).or_insert((at, new));
        }
        Self { by_old }
    }

    /// Returns the path of a file after the moves.
    fn moved(&self, path: &RelPath) -> RelPath {
        let places = std::iter::successors(Some(path.as_str()), |path| {
            path.rsplit_once('/').map(|(above, _)| above)
        });
        let moved = places.filter_map(|old| {
            let (at, new) = self.by_old.get(old)?;
            let rest = path.as_str().strip_prefix(old)?;
            let new = RelPath::parse(&format!("{new}{rest}")).ok()?;
            Some((*at, new))
        });
        let first = moved.min_by_key(|(at, _)| *at);
        first.map_or_else(|| path.clone(), |(_, new)| new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_moves_with_the_first_of_its_folders() {
        let rel = |path: &str| RelPath::parse(path).unwrap();
        let moves = [
            ("a/b", "c"),
            ("a", "d"),
            ("a/x.md", "e.md"),
            ("f.md", "g/h.md"),
        ];
        let moves = moves.map(|(old, new)| (rel(old), rel(new)));
        let moves = Moves::new(&moves);
        for (old, new) in [
            ("a/b/i.md", "c/i.md"),
            ("a/b", "c"),
            ("a/i.md", "d/i.md"),
            ("a/x.md", "d/x.md"),
            ("f.md", "g/h.md"),
            ("ab/i.md", "ab/i.md"),
            ("f.md2", "f.md2"),
        ] {
            assert_eq!(moves.moved(&rel(old)), rel(new));
        }
    }

    #[test]
    fn the_text_of_a_heading_has_no_markers_or_attributes() {
        for (text, expected) in [
            ("## Set up\n", Some("Set up")),
            ("#  Set `up` ##  \n", Some("Set `up`")),
            ("# C#\n", Some("C#")),
            ("## Set up {#setup}\n", Some("Set up")),
            ("## Use {braces}\n", Some("Use {braces}")),
            ("Set up\n===\n", Some("Set up")),
            ("Set\nup\n===\n", None),
            ("#\n", None),
        ] {
            let path = RelPath::parse("a.md").unwrap();
            let document = Document::parse(path, text.as_bytes().to_vec());
            let span = text_span(&document, &document.headings[0]);
            let found = span.map(|span| &document.text[span.start..span.end]);
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn files_move_with_their_folder() {
        let path = |text: &str| RelPath::parse(text).unwrap();
        let moves = [
            (path("docs"), path("guides/old")),
            (path("a.md"), path("b.md")),
        ];
        let moves = Moves::new(&moves);
        assert_eq!(moves.moved(&path("docs/x/y.md")), path("guides/old/x/y.md"));
        assert_eq!(moves.moved(&path("docs2/y.md")), path("docs2/y.md"));
        assert_eq!(moves.moved(&path("a.md")), path("b.md"));
    }

    #[test]
    fn the_form_of_a_path_is_kept() {
        let path = |text: &str| RelPath::parse(text).unwrap();
        let (main, file) = (path("docs/a.md"), path("guides/b.md"));
        assert_eq!(rewritten("b.md", &main, &file), "../guides/b.md");
        let root = rewritten("${CLAUDE_SKILL_DIR}/docs/b.md", &main, &file);
        assert_eq!(root, "${CLAUDE_SKILL_DIR}/guides/b.md");
        assert_eq!(rewritten("x/", &main, &path("guides")), "../guides/");
    }
}
