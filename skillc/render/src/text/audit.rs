//! The text output of `skc audit`: a table of calls. The error of a failed call is below the call's row.
//!
//! Design: catalog-commands.

use std::io;

use anstyle::AnsiColor;
use skillc_ops::audit::{AuditResponse, AuditedCall, CallSource};

use super::wrap::{columns, cut, padded};
use crate::{Page, Render, clean};

/// The maximum line width without `--verbose`, in columns.
const WIDTH: usize = 120;

/// The space between two columns.
const GAP: &str = "  ";

impl Render for AuditResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        match self.total {
            0 if self.is_filtered => return page.line("No matching calls"),
            0 => return page.line("No calls recorded"),
            _ => {}
        }
        let rows: Vec<Row> = self.calls.iter().map(Row::new).collect();
        if !rows.is_empty() {
            table(&rows, page)?;
        }
        let shown = u64::try_from(rows.len()).unwrap_or(u64::MAX);
        match self.total.saturating_sub(shown) {
            0 => Ok(()),
            left => page.line(format_args!("... ({left} more)")),
        }
    }
}

/// The cells of a row.
struct Row {
    time: String,
    tool: String,
    duration: String,
    outcome: String,
    color: AnsiColor,
    arguments: String,
    message: Option<String>,
}

impl Row {
    fn new(call: &AuditedCall) -> Self {
        let (outcome, color) = outcome(call);
        let arguments = call.args.as_ref().map(ToString::to_string);
        Self {
            time: clean(&seconds(&call.at)).into_owned(),
            tool: match call.source {
                CallSource::User => clean(&call.tool).into_owned(),
                CallSource::Project => format!("{} (project)", clean(&call.tool)),
            },
            duration: call.duration_ms.map_or_else(|| "-".into(), duration),
            outcome: clean(&outcome).into_owned(),
            color,
            arguments: clean(&arguments.unwrap_or_default()).into_owned(),
            message: call.error_message.clone(),
        }
    }
}

fn table(rows: &[Row], page: &mut Page<'_>) -> io::Result<()> {
    let widest = |title: &str, column: fn(&Row) -> &String| {
        let widths = rows.iter().map(|row| columns(column(row)));
        widths.max().unwrap_or_default().max(title.len())
    };
    let widths = Widths {
        time: widest("TIME", |row| &row.time),
        tool: widest("TOOL", |row| &row.tool),
        duration: widest("TOOK", |row| &row.duration),
        outcome: widest("OUTCOME", |row| &row.outcome),
    };
    let header =
        widths.head("TIME", "TOOL", "TOOK") + widths.outcome("OUTCOME").as_str() + "ARGUMENTS";
    page.parts(&[page.strong(header)])?;
    rows.iter()
        .try_for_each(|row| write_row(row, &widths, page))
}

/// The widths of all columns except the last.
struct Widths {
    time: usize,
    tool: usize,
    duration: usize,
    outcome: usize,
}

impl Widths {
    fn head(&self, time: &str, tool: &str, duration: &str) -> String {
        let pad = |text: &str, width: usize| padded(text, width) + GAP;
        let duration = format!("{duration:>width$}{GAP}", width = self.duration);
        pad(time, self.time) + pad(tool, self.tool).as_str() + duration.as_str()
    }

    fn outcome(&self, outcome: &str) -> String {
        padded(outcome, self.outcome) + GAP
    }
}

fn write_row(row: &Row, widths: &Widths, page: &mut Page<'_>) -> io::Result<()> {
    let width = if page.is_verbose { usize::MAX } else { WIDTH };
    let head = widths.head(&row.time, &row.tool, &row.duration);
    let outcome = widths.outcome(&row.outcome);
    let before = columns(&head) + columns(&outcome);
    let outcome = if row.arguments.is_empty() {
        outcome.trim_end()
    } else {
        &outcome
    };
    page.parts(&[
        page.plain(head),
        page.coloured(row.color, outcome),
        page.faint(cut(&row.arguments, width.saturating_sub(before))),
    ])?;
    match &row.message {
        Some(message) => {
            let message = format!("{GAP}{GAP}{}", clean(message));
            page.parts(&[page.faint(cut(&message, width))])
        }
        None => Ok(()),
    }
}

/// Describes how a call ended.
fn outcome(call: &AuditedCall) -> (String, AnsiColor) {
    let code = call.error_code.clone();
    match call.ok {
        Some(true) => ("ok".into(), AnsiColor::Green),
        Some(false) => (code.unwrap_or_else(|| "failed".into()), AnsiColor::Red),
        None if call.duration_ms.is_none() && code.is_none() => {
            ("unfinished".into(), AnsiColor::Yellow)
        }
        None => (code.unwrap_or_else(|| "ended".into()), AnsiColor::Yellow),
    }
}

/// Removes fractions of a second from a time.
fn seconds(at: &str) -> String {
    match at.split_once('.') {
        Some((head, _)) if at.ends_with('Z') => format!("{head}Z"),
        _ => at.to_owned(),
    }
}

fn duration(ms: f64) -> String {
    if ms < 10.0 {
        format!("{ms:.1} ms")
    } else if ms < 1_000.0 {
        format!("{ms:.0} ms")
    } else {
        format!("{:.1} s", ms / 1_000.0)
    }
}
