//! Code actions: the fixes of findings, directives that suppress findings, and all safe fixes of a file at once.

use lsp_types::{CodeAction, CodeActionKind, CodeActionParams, Range, TextEdit};
use serde_json::{Value, json};
use skillc_core::source::lines::char_floor;
use skillc_core::{Document, Frontmatter, Span};
use skillc_lint::Safety;
use skillc_lint::rule::code::is_security;

use crate::answer::{Answer, Fault, json};
use crate::board::Found;
use crate::desk::{Desk, View};
use crate::edits::{Edits, workspace_edit};
use crate::positions::Table;

/// The kind of the action that applies all safe fixes of a file.
const FIX_ALL: &str = "source.fixAll.skc";

/// The placeholder for the reason in a new directive. The author of the skill replaces it.
const REASON: &str = "REASON";

/// The prefix of the rules whose findings cannot be suppressed: those about directives, scripts and configuration.
const NEVER: &str = "CFG";

/// Answers `textDocument/codeAction`.
pub(crate) fn of_range(desk: &mut Desk, params: &CodeActionParams) -> Answer {
    let uri = params.text_document.uri.as_str();
    let Some(view) = desk.view(uri)? else {
        return Ok(json!([]));
    };
    let only = params.context.only.as_deref();
    let mut actions = Vec::new();
    if is_wanted(only, "quickfix") {
        let found = desk.board.of_file(&view.path(&view.file)).into_iter();
        let found = found.filter(|found| is_touched(found.diagnostic.range, params.range));
        let table = Table::new(desk.client.encoding, &view.document);
        let eol = eol(&view.document);
        for found in found {
            desk.stop.check()?;
            actions.extend(fix_of(desk, found));
            actions.extend(suppression_of(desk, &view, &table, eol, found));
        }
    }
    if is_wanted(only, FIX_ALL) {
        let is_named = only.is_some_and(|only| only.iter().any(|of| !of.as_str().is_empty()));
        actions.extend(fix_all(desk, &view, uri, is_named)?);
    }
    Ok(Value::Array(actions))
}

/// Answers `codeAction/resolve`: computes the edit of the action that applies all safe fixes.
pub(crate) fn resolved(desk: &mut Desk, action: &CodeAction) -> Answer {
    let mut answer = json(action)?;
    let data = action.data.as_ref();
    let uri = data.and_then(|data| data.get("uri")?.as_str());
    let Some(view) = desk.view(uri.unwrap_or_default())? else {
        return Ok(answer);
    };
    if let Some(edit) = fixed(desk, &view)? {
        answer["edit"] = edit;
    }
    Ok(answer)
}

/// Returns whether the client asks for actions of this kind. Without a list of kinds, it asks for all of them.
fn is_wanted(only: Option<&[CodeActionKind]>, kind: &str) -> bool {
    let is_of = |asked: &CodeActionKind| {
        let rest = kind.strip_prefix(asked.as_str());
        asked.as_str().is_empty()
            || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    only.is_none_or(|only| only.iter().any(is_of))
}

/// Returns whether two ranges overlap or touch.
fn is_touched(one: Range, other: Range) -> bool {
    one.start <= other.end && other.start <= one.end
}

fn fix_of(desk: &Desk, found: &Found) -> Option<Value> {
    let fix = found.fix.as_ref()?;
    let mut edits = Edits::new();
    for (file, edit) in &fix.edits {
        edits.entry(file.clone()).or_default().push(edit.clone());
    }
    let review = match fix.safety {
        Safety::Safe => "",
        Safety::Unsafe => " (needs review)",
    };
    Some(json!({
        "title": format!("{}: {}{review}", found.rule, fix.title),
        "kind": "quickfix",
        "diagnostics": [found.diagnostic],
        "isPreferred": fix.safety == Safety::Safe,
        "edit": workspace_edit(desk, &edits, None),
    }))
}

/// Returns the code action that suppresses a finding. `table`, `eol`: the position table and the line end of the
/// document.
fn suppression_of(
    desk: &Desk,
    view: &View,
    table: &Table<'_>,
    eol: &str,
    found: &Found,
) -> Option<Value> {
    if found.rule.starts_with(NEVER) || is_security(&found.rule) {
        return None;
    }
    let start = table.offset(found.diagnostic.range.start);
    let place = (!found.is_whole).then_some(start);
    let inserted = suppression(&view.document, eol, &found.rule, place)?;
    let inserted = inserted.into_iter();
    let edits = inserted.map(|(at, text)| TextEdit::new(table.range(Span::new(at, at)), text));
    let edits = Edits::from([(view.path(&view.file), edits.collect())]);
    Some(json!({
        "title": format!("{}: suppress here, with a reason", found.rule),
        "kind": "quickfix",
        "diagnostics": [found.diagnostic],
        "edit": workspace_edit(desk, &edits, None),
    }))
}

/// Returns the line end that a document uses.
fn eol(document: &Document) -> &'static str {
    if document.text.contains("\r\n") {
        "\r\n"
    } else {
        "\n"
    }
}

/// Returns the directives that suppress a finding, each with the offset at which it is inserted; `None` if there is no
/// place for a directive.
///
/// `eol`: the line end of the document. `place`: the start of the finding; `None` if the finding is about the file as a
/// whole.
fn suppression(
    document: &Document,
    eol: &str,
    rule: &str,
    place: Option<usize>,
) -> Option<Vec<(usize, String)>> {
    let text = &document.text;
    let comment = |word: &str| format!("skilllint-{word} {rule} -- {REASON}");
    let Some(place) = place else {
        let at = body(document)?;
        let before = if at > 0 && !text[..at].ends_with(['\n', '\r', '\u{feff}']) {
            eol
        } else {
            ""
        };
        let comment = comment("disable-file");
        return Some(vec![(at, format!("{before}<!-- {comment} -->{eol}"))]);
    };
    let line_of = |at: usize| document.lines.line(at);
    let start_of = |line: usize| document.lines.range(line, line).start;
    if place < document.body_start {
        let fields = document.frontmatter.fields()?.iter();
        let field = fields.filter(|field| field.key_span.start <= place).last();
        let line = line_of(field.map_or(place, |field| field.key_span.start));
        let comment = comment("disable-next-line");
        // The directive needs a line of its own, and nothing can be inserted before the `---` that opens the block.
        return (line > 1).then(|| vec![(start_of(line), format!("# {comment}{eol}"))]);
    }
    let line = line_of(place);
    let whole = document.lines.range(line, line + 1);
    let content = text.get(whole.clone())?.trim_end_matches(['\n', '\r']);
    let is_prefix = |c: char| matches!(c, ' ' | '\t' | '>');
    let prefix = &content[..content.len() - content.trim_start_matches(is_prefix).len()];
    if let Some(block) = block_at(document, place)
        && line_of(block.start) < line
    {
        // A comment inside a block would be part of the block.
        let (first, last) = (line_of(block.start), line_of(block.end.saturating_sub(1)));
        let end = document.lines.range(last, last + 1).end;
        let before = if text[..end].ends_with(['\n', '\r']) {
            ""
        } else {
            eol
        };
        let disable = format!("{prefix}<!-- {} -->{eol}", comment("disable"));
        let enable = format!("{before}{prefix}<!-- skilllint-enable {rule} -->{eol}");
        return Some(vec![(start_of(first), disable), (end, enable)]);
    }
    let starts_block = block_at(document, place).is_some()
        || document.headings.iter().any(|heading| heading.line == line);
    if starts_block {
        let comment = comment("disable-next-line");
        return Some(vec![(
            whole.start,
            format!("{prefix}<!-- {comment} -->{eol}"),
        )]);
    }
    let comment = comment("disable-line");
    let end = whole.start + content.len();
    Some(vec![(end, format!(" <!-- {comment} -->"))])
}

/// Returns the offset of the first line after the frontmatter; `None` if the frontmatter is never closed.
fn body(document: &Document) -> Option<usize> {
    match document.frontmatter {
        Frontmatter::Unclosed => None,
        Frontmatter::Absent if document.text.starts_with('\u{feff}') => Some('\u{feff}'.len_utf8()),
        Frontmatter::Absent => Some(0),
        _ => Some(document.body_start),
    }
}

/// Returns the code block, table or HTML block that contains a byte.
fn block_at(document: &Document, at: usize) -> Option<Span> {
    let code = document.code_block_at(at).map(|block| block.span);
    let others = document.tables.iter().chain(&document.html_blocks);
    let is_around = |span: &&Span| span.start <= at && at < span.end;
    code.or_else(|| others.copied().find(|span| is_around(&span)))
}

/// Returns the action that applies all safe fixes, if there is something to fix.
///
/// `is_named`: whether the client asks for this kind of action. If not, the client may be listing actions only because
/// the cursor moved, so the edit is computed only when the user chooses the action.
fn fix_all(
    desk: &mut Desk,
    view: &View,
    uri: &str,
    is_named: bool,
) -> Result<Option<Value>, Fault> {
    let found = desk.board.of_file(&view.path(&view.file));
    let is_safe = |found: &&Found| {
        let fix = found.fix.as_ref();
        fix.is_some_and(|fix| fix.safety == Safety::Safe)
    };
    if !is_named && (!desk.client.can_resolve_edits || !found.iter().any(is_safe)) {
        return Ok(None);
    }
    let mut action = json!({ "title": "Apply all safe fixes", "kind": FIX_ALL });
    if is_named {
        let Some(edit) = fixed(desk, view)? else {
            return Ok(None);
        };
        action["edit"] = edit;
    } else {
        action["data"] = json!({ "uri": uri });
    }
    Ok(Some(action))
}

/// Returns the edit that applies all safe fixes of a file; `None` if it would change nothing.
fn fixed(desk: &mut Desk, view: &View) -> Result<Option<Value>, Fault> {
    let View {
        skill,
        file,
        document,
        toolkit,
    } = view;
    let Some(new) = desk.live.fixed_text(toolkit, skill, file)? else {
        return Ok(None);
    };
    let Some((span, new)) = difference(&document.text, &new) else {
        return Ok(None);
    };
    let range = desk.client.encoding.range(document, span);
    let edit = TextEdit::new(range, new.to_owned());
    let edits = Edits::from([(view.path(file), vec![edit])]);
    Ok(Some(workspace_edit(desk, &edits, None)))
}

/// Returns the span of `old` that differs from `new`, and the replacement for this span; `None` if the strings are
/// equal.
fn difference<'n>(old: &str, new: &'n str) -> Option<(Span, &'n str)> {
    if old == new {
        return None;
    }
    let start = common(old.bytes(), new.bytes());
    let start = char_floor(old, start).min(char_floor(new, start));
    let (old_rest, new_rest) = (&old[start..], &new[start..]);
    let mut end = common(old_rest.bytes().rev(), new_rest.bytes().rev());
    while !old.is_char_boundary(old.len() - end) || !new.is_char_boundary(new.len() - end) {
        end -= 1;
    }
    let span = Span::new(start, old.len() - end);
    Some((span, &new[start..new.len() - end]))
}

/// Returns the number of bytes before the first difference between two sequences.
fn common(one: impl Iterator<Item = u8>, other: impl Iterator<Item = u8>) -> usize {
    let both = one.zip(other);
    both.take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use skillc_core::RelPath;

    use super::*;

    /// Suppresses a finding at the first occurrence of `mark`, and returns the new text.
    fn suppressed(text: &str, mark: Option<&str>) -> Option<String> {
        let path = RelPath::parse("a.md").unwrap();
        let document = Document::parse(path, text.as_bytes().to_vec());
        let place = mark.map(|mark| text.find(mark).unwrap());
        let mut text = text.to_owned();
        for (at, new) in suppression(&document, eol(&document), "R1", place)?
            .into_iter()
            .rev()
        {
            text.insert_str(at, &new);
        }
        Some(text)
    }

    #[test]
    fn a_directive_is_placed_where_it_is_a_comment() {
        let front = "---\nname: a\ndescription: >-\n  b\n---\n";
        for (text, mark, expected) in [
            (
                "a X\nb\n",
                "X",
                "a X <!-- skilllint-disable-line R1 -- REASON -->\nb\n",
            ),
            (
                "a X",
                "X",
                "a X <!-- skilllint-disable-line R1 -- REASON -->",
            ),
            (
                "> # X\r\n",
                "X",
                "> # X <!-- skilllint-disable-line R1 -- REASON -->\r\n",
            ),
            (
                "a\n\n## X\n",
                "X",
                "a\n\n<!-- skilllint-disable-next-line R1 -- REASON -->\n## X\n",
            ),
            (
                "```X\nb\n```\n",
                "X",
                "<!-- skilllint-disable-next-line R1 -- REASON -->\n```X\nb\n```\n",
            ),
            (
                "```\nX\n```",
                "X",
                "<!-- skilllint-disable R1 -- REASON -->\n```\nX\n```\n<!-- skilllint-enable R1 -->\n",
            ),
            (
                "| a |\n|---|\n| X |\n\nb\n",
                "X",
                "<!-- skilllint-disable R1 -- REASON -->\n| a |\n|---|\n| X |\n<!-- skilllint-enable R1 -->\n\nb\n",
            ),
        ] {
            assert_eq!(suppressed(text, Some(mark)).as_deref(), Some(expected));
        }
        let of = |mark| suppressed(front, Some(mark)).unwrap();
        let comment = "# skilllint-disable-next-line R1 -- REASON\n";
        assert_eq!(of("b\n"), front.replace("desc", &format!("{comment}desc")));
        assert_eq!(suppressed(front, Some("---")), None);
        let whole = format!("{front}<!-- skilllint-disable-file R1 -- REASON -->\n");
        assert_eq!(suppressed(front, None), Some(whole));
        assert_eq!(suppressed("---\nname: a\n", None), None);
    }

    proptest! {
        #[test]
        fn the_difference_turns_one_text_into_the_other(old in "[aé😀]{0,8}", new in "[aé😀]{0,8}") {
            let mut text = old.clone();
            if let Some((span, new)) = difference(&old, &new) {
                text.replace_range(span.start..span.end, new);
            }
            prop_assert_eq!(text, new);
        }
    }

    #[test]
    fn kinds_are_wanted_by_their_prefix() {
        let kinds = |kinds: &[&'static str]| -> Vec<CodeActionKind> {
            kinds.iter().copied().map(CodeActionKind::new).collect()
        };
        for (only, is_expected) in [
            (&["source"][..], true),
            (&["source.fixAll"], true),
            (&["source.fixAll.skc"], true),
            (&[""], true),
            (&["source.fix"], false),
            (&["quickfix"], false),
            (&[], false),
        ] {
            assert_eq!(
                is_wanted(Some(&kinds(only)), FIX_ALL),
                is_expected,
                "{only:?}"
            );
        }
        assert!(is_wanted(None, FIX_ALL));
    }
}
