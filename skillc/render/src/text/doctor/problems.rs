//! Prints each problem: its location, the bytes that cause it, the reactions of clients, and the remedy.

use std::io;

use anstyle::AnsiColor;
use skillc_core::clients::joined;
use skillc_ops::doctor::{Cause, Effect, Loss, Problem};

use super::{paragraph, short};
use crate::Page;
use crate::text::lint::count;
use crate::text::wrap::{WIDTH, columns, wrapped};
use skillc_core::clean::clean;

/// The maximum number of problems shown without `--verbose`.
const PROBLEMS: usize = 20;

pub(super) fn problems(problems: &[Problem], page: &mut Page<'_>) -> io::Result<()> {
    let most = if page.is_verbose {
        usize::MAX
    } else {
        PROBLEMS
    };
    for found in problems.iter().take(most) {
        problem(found, page)?;
        page.line("")?;
    }
    match problems.len().saturating_sub(most) {
        0 => Ok(()),
        more => {
            page.line(format_args!(
                "… {} more: use --verbose",
                count(more, "problem")
            ))?;
            page.line("")
        }
    }
}

fn problem(found: &Problem, page: &mut Page<'_>) -> io::Result<()> {
    let title = page.coloured(colour(found.worst), label(found.worst));
    let name = page.strong(format!(" {}", short(&found.skill)));
    page.parts(&[title, name])?;
    match &found.cause {
        Some(cause) => {
            let place = format!("{}:{}:{}", found.shown, cause.line, cause.column);
            let byte = page.faint(format!("  byte {}", cause.offset));
            page.parts(&[page.plain(format!("  {place}")), byte])?;
            excerpt(cause, page)?;
        }
        None => page.line(format_args!("  {}", found.shown))?,
    }
    for line in wrapped(&format!("{}.", capital(&found.message)), WIDTH - 2) {
        page.line(format_args!("  {line}"))?;
    }
    effects(&found.effects, page)?;
    for (at, line) in wrapped(&found.mend, WIDTH - 4).iter().enumerate() {
        let sign = if at == 0 { "→" } else { " " };
        page.parts(&[page.coloured(AnsiColor::Green, format!("  {sign} {line}"))])?;
    }
    Ok(())
}

/// Shows the faulty line, with a mark below the faulty bytes.
fn excerpt(cause: &Cause, page: &mut Page<'_>) -> io::Result<()> {
    let before = clean(&cause.before).into_owned();
    let after = clean(&cause.after);
    page.parts(&[page.faint(format!("    {before}{after}"))])?;
    let hex: Vec<&str> = cause.bytes.split(' ').collect();
    let more = if cause.length > hex.len() { " …" } else { "" };
    let is_word = !cause.shown.starts_with('\'');
    let width = match cause.shown.trim_matches('\'') {
        // An invisible character, such as a byte order mark, is shown as its escape: mark its full width.
        _ if is_word => escape_width(&cause.after),
        shown => columns(shown),
    };
    let width = width.clamp(1, columns(&after).max(1));
    let mark = format!("    {}{}", " ".repeat(columns(&before)), "^".repeat(width));
    let bytes = format!(" 0x{}{more} ({})", hex.join(" "), cause.shown);
    let is_long = columns(&mark) + columns(&bytes) > WIDTH;
    let red = colour(Loss::Lost);
    if is_long {
        page.parts(&[page.coloured(red, mark)])?;
        return page.parts(&[page.coloured(red, format!("   {bytes}"))]);
    }
    page.parts(&[page.coloured(red, mark + bytes.as_str())])
}

/// Returns the length of the first character of a string in escaped form, such as 8 for `\u{feff}`.
fn escape_width(text: &str) -> usize {
    match text.strip_prefix("\\u{").and_then(|rest| rest.find('}')) {
        Some(end) => end + 4,
        None => 1,
    }
}

/// Writes how clients react, grouped by reaction.
fn effects(effects: &[Effect], page: &mut Page<'_>) -> io::Result<()> {
    let (unknown, known): (Vec<&Effect>, Vec<&Effect>) = effects
        .iter()
        .partition(|effect| effect.loss == Loss::Unknown);
    let mut groups: Vec<(&str, Vec<&Effect>)> = Vec::new();
    for effect in known {
        match groups.iter_mut().find(|(words, _)| *words == effect.words) {
            Some((_, together)) => together.push(effect),
            None => groups.push((&effect.words, vec![effect])),
        }
    }
    for (words, together) in groups {
        let ids = ids(&together);
        paragraph(&format!("{}: {words}", ids.join(", ")), page)?;
        if page.is_verbose {
            together
                .iter()
                .try_for_each(|effect| source(effect, page))?;
        }
    }
    if unknown.is_empty() {
        return Ok(());
    }
    let ids = ids(&unknown);
    let reacts = if ids.len() == 1 { "reacts" } else { "react" };
    paragraph(
        &format!("It is not known how {} {reacts}.", joined(&ids)),
        page,
    )
}

fn ids<'a>(effects: &[&'a Effect]) -> Vec<&'a str> {
    effects
        .iter()
        .map(|effect| effect.client.as_str())
        .collect()
}

/// Writes the source of a reaction: where and when the reaction was observed, the client version in which it first
/// occurred, and the client's reaction before this version.
fn source(effect: &Effect, page: &mut Page<'_>) -> io::Result<()> {
    let mut parts = Vec::new();
    if let (Some(source), Some(date)) = (&effect.source, &effect.date) {
        parts.push(format!("{}: {source}, seen {date}", effect.client));
    }
    parts.extend(effect.since.as_ref().map(|since| format!("since {since}")));
    parts.extend(effect.before.clone());
    if parts.is_empty() {
        return Ok(());
    }
    if !effect.confirmed {
        parts.push("from its source code, not confirmed".to_owned());
    }
    for line in wrapped(&parts.join(", "), WIDTH - 4) {
        page.parts(&[page.faint(format!("    {line}"))])?;
    }
    Ok(())
}

const fn label(loss: Loss) -> &'static str {
    match loss {
        Loss::Lost => "lost:",
        Loss::MayBeLost => "may be lost:",
        Loss::Changed => "changed:",
        Loss::Unknown => "not known:",
    }
}

const fn colour(loss: Loss) -> AnsiColor {
    match loss {
        Loss::Lost => AnsiColor::Red,
        Loss::MayBeLost | Loss::Changed => AnsiColor::Yellow,
        Loss::Unknown => AnsiColor::Cyan,
    }
}

/// Capitalizes a sentence, unless it starts with a quote.
fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    first.chain(chars).collect()
}
