//! The picker's layout: the header, the list of skills, the preview of the selected skill, and the key help.
//!
//! Design: CAT-PICK.1, CAT-PICK.3, CAT-PICK.5, CAT-PICK.8.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, List, ListItem, ListState, Paragraph, Wrap};
use skillc_ops::catalog::model::CatalogEntry;
use skillc_render::clean;

use super::model::{Model, Told};

/// The placeholder for an empty query.
const TYPE: &str = "  (type to filter)";

/// The text that is shown instead of an empty list.
const NONE: &str = "(no skills matched)";

/// The help on keys; it must fit into 80 columns.
const KEYS: [(&str, &str); 6] = [
    ("Up/Down", "move"),
    ("PgUp/PgDn", "text"),
    ("Tab", "scope"),
    ("Space", "on/off"),
    ("Enter", "choose"),
    ("Esc", "leave"),
];

/// The maximum width of the name column, in cells.
const NAME_WIDTH: usize = 28;

/// Draws the screen. `preview`: the lines of the selected skill's `SKILL.md`.
pub(crate) fn draw(frame: &mut Frame<'_>, model: &Model, preview: &[String]) {
    let rows = Layout::vertical([
        Constraint::Length(1),
        Constraint::Fill(3),
        Constraint::Fill(2),
        Constraint::Length(1),
    ]);
    let [header_at, list_at, preview_at, keys_at] = rows.areas(frame.area());
    frame.render_widget(header(model), header_at);
    list(frame, model, list_at);
    frame.render_widget(shown(model, preview, preview_at), preview_at);
    frame.render_widget(keys(model), keys_at);
}

/// Returns the header: the scope, the query, and the number of enabled skills.
fn header(model: &Model) -> Line<'_> {
    let scope = model.scope().map_or("all", |scope| scope.as_str());
    let (on, all) = model.enabled();
    let word = if model.query().is_empty() { TYPE } else { "" };
    Line::from(vec![
        Span::from("Skills").bold(),
        Span::from(format!("  scope={scope}  enabled={on}/{all}  query=")),
        Span::from(clean(model.query())).bold(),
        Span::from("_").dim(),
        Span::from(word).dim(),
    ])
}

fn list(frame: &mut Frame<'_>, model: &Model, at: Rect) {
    let count = model.shown().len();
    let title = match count {
        0 => String::new(),
        _ => format!(" {} of {count} ", model.at() + 1),
    };
    let block = Block::new().borders(Borders::TOP).title(title);
    if count == 0 {
        frame.render_widget(Paragraph::new(NONE).block(block), at);
        return;
    }
    let names = model.shown().map(|entry| entry.name.len());
    let width = names.max().unwrap_or_default().min(NAME_WIDTH);
    // Build only the visible rows: there may be thousands.
    let room = usize::from(at.height.saturating_sub(1)).max(1);
    let from = model
        .at()
        .saturating_sub(room / 2)
        .min(count.saturating_sub(room));
    let items = model.shown().skip(from).take(room);
    let list = List::new(items.map(|entry| row(entry, width)))
        .block(block)
        .highlight_symbol("> ")
        .highlight_style(Style::new().add_modifier(Modifier::REVERSED));
    let mut state = ListState::default().with_selected(Some(model.at() - from));
    frame.render_stateful_widget(list, at, &mut state);
}

/// Returns the row of a skill: a mark for enabled (`*`), disabled (`x`) or enabled for people only (`p`), then scope,
/// name and description.
fn row(entry: &CatalogEntry, width: usize) -> ListItem<'_> {
    let (mark, color) = match (entry.enabled, entry.invocation.by_model()) {
        (true, true) => ("*", Color::Green),
        (true, false) => ("p", Color::Yellow),
        (false, _) => ("x", Color::Red),
    };
    let text = format!(" {}  {:width$}  ", entry.scope.as_str(), entry.name);
    let about = one_line(&entry.description);
    let line = Line::from(vec![
        Span::from(mark).fg(color),
        Span::from(text),
        Span::from(about).dim(),
    ]);
    ListItem::new(line)
}

/// Joins the lines of a string into one.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    clean(&words.join(" ")).into_owned()
}

/// Returns the preview: the path of the selected skill, and the content of its `SKILL.md`.
fn shown<'a>(model: &'a Model, preview: &'a [String], at: Rect) -> Paragraph<'a> {
    let title = model.meant().map(|entry| {
        // The end of a path is more informative than its beginning.
        let room = usize::from(at.width).saturating_sub(2);
        format!(" {} ", end_of(&clean(&entry.path), room))
    });
    let block = Block::new()
        .borders(Borders::TOP)
        .title(title.unwrap_or_default());
    let room = usize::from(at.height.saturating_sub(1));
    let lines = preview.iter().skip(model.scrolled).take(room);
    let lines: Vec<Line<'_>> = lines.map(|line| Line::from(line.as_str())).collect();
    let whole_words = Wrap { trim: false };
    Paragraph::new(lines).wrap(whole_words).block(block)
}

/// Truncates the start of a string, so that it has `room` characters including an ellipsis.
fn end_of(text: &str, room: usize) -> String {
    let count = text.chars().count();
    if count <= room {
        return text.to_owned();
    }
    let end = text.chars().skip(count - room.saturating_sub(3));
    ["..."]
        .into_iter()
        .map(str::to_owned)
        .chain([end.collect()])
        .collect()
}

/// Returns the last line: the message about the last key press, or the key help.
fn keys(model: &Model) -> Line<'_> {
    match &model.told {
        Some(Told::Done(text)) => Line::from(clean(text)).green(),
        Some(Told::Failed(text)) => Line::from(clean(text)).red(),
        None => {
            let keys = KEYS.iter().flat_map(|(key, does)| {
                [
                    Span::from(*key).bold(),
                    Span::from(format!(" {does}  ")).dim(),
                ]
            });
            Line::from(keys.collect::<Vec<_>>())
        }
    }
}
