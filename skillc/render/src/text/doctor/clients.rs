//! The folders of each client, and the skills that the client finds in these folders.

use std::collections::BTreeSet;
use std::io;

use anstyle::AnsiColor;
use skillc_core::clients::joined;
use skillc_ops::doctor::{ClientView, RootState, SkillState, SkillView};

use super::{paragraph, short};
use crate::Page;
use crate::page::Painted;
use crate::text::lint::count;
use crate::text::wrap::{WIDTH, columns, padded, wrapped};

/// The maximum number of skills listed per folder without `--verbose`.
const SKILLS: usize = 12;

/// The maximum number of missing folders listed without `--verbose`.
const ABSENT: usize = 6;

pub(super) fn view(client: &ClientView, page: &mut Page<'_>) -> io::Result<()> {
    let head = page.strong(&client.client);
    let found = page.plain(format!("  {}", count(client.skills.len(), "skill")));
    let mut parts = vec![head, found];
    parts.extend(fates(client, page));
    let sign = match &client.because {
        Some(sign) => format!("  installed: {sign}"),
        None => "  not detected".to_owned(),
    };
    parts.push(page.faint(sign));
    page.parts(&parts)?;
    let there = |at: &usize| client.roots[*at].state != RootState::Absent;
    let roots: Vec<usize> = (0..client.roots.len()).filter(there).collect();
    let width = roots.iter().map(|at| columns(&client.roots[*at].root));
    let width = width.max().unwrap_or_default().min(40);
    for at in roots {
        root(client, at, width, page)?;
    }
    absent(client, page)?;
    if client.deeper > 0 {
        let (skills, are) = (
            count(client.deeper, "skill"),
            if client.deeper == 1 { "is" } else { "are" },
        );
        let text = format!(
            "{skills} {are} nested deeper; it is not known whether the client searches there."
        );
        paragraph(&text, page)?;
    }
    if client.roots.is_empty() {
        paragraph("Its folders are not known.", page)?;
    }
    Ok(())
}

/// Returns the numbers of a client's lost and shadowed skills.
fn fates(client: &ClientView, page: &Page<'_>) -> Vec<Painted> {
    let number = |states: &[SkillState]| {
        let of = client
            .skills
            .iter()
            .filter(|skill| states.contains(&skill.state));
        of.count()
    };
    let kinds = [
        (number(&[SkillState::Lost]), "lost", AnsiColor::Red),
        (
            number(&[SkillState::MayBeLost]),
            "may be lost",
            AnsiColor::Yellow,
        ),
        (
            number(&[SkillState::Shadowed]),
            "shadowed",
            AnsiColor::Yellow,
        ),
    ];
    let said = kinds.into_iter().filter(|(number, ..)| *number > 0);
    said.map(|(number, what, colour)| page.coloured(colour, format!(", {number} {what}")))
        .collect()
}

/// Writes a folder with its skills. Skills that are not loaded normally come first.
fn root(client: &ClientView, at: usize, width: usize, page: &mut Page<'_>) -> io::Result<()> {
    let root = &client.roots[at];
    let own = client.skills.iter().filter(|skill| skill.root == at);
    let (plain, noted): (Vec<&SkillView>, Vec<&SkillView>) =
        own.partition(|skill| skill.state == SkillState::Loaded);
    let most = if page.is_verbose { usize::MAX } else { SKILLS };
    let names = noted
        .iter()
        .chain(&plain)
        .take(most)
        .map(|skill| named(skill, client));
    let mut names: Vec<String> = names.collect();
    let more = (noted.len() + plain.len()).saturating_sub(most);
    if more > 0 {
        names.push(format!("… {more} more"));
    }
    let number = match root.state {
        RootState::Unreadable => "?".to_owned(),
        _ => root.skills.to_string(),
    };
    let text = match root.state {
        RootState::Unreadable => "cannot be read".to_owned(),
        _ => names.join(", "),
    };
    let start = format!("  {}  {number:>3}  ", padded(&root.root, width));
    let indent = columns(&start).min(WIDTH / 2);
    let lines = wrapped(&text, WIDTH - indent);
    let first = lines.first().map_or("", String::as_str);
    page.line((start + first).trim_end())?;
    for line in lines.iter().skip(1) {
        page.line(format_args!("{}{line}", " ".repeat(indent)))?;
    }
    Ok(())
}

/// Returns a skill's name, followed by a note if the client does not load the skill normally.
fn named(skill: &SkillView, client: &ClientView) -> String {
    let name = short(&skill.name);
    match note(skill, client) {
        Some(note) => format!("{name} ({note})"),
        None => name,
    }
}

/// Explains why a skill is not loaded normally; `None` if it is loaded normally.
fn note(skill: &SkillView, client: &ClientView) -> Option<String> {
    let mut folders = BTreeSet::new();
    for path in &skill.same_name {
        let other = client.skills.iter().find(|other| other.path == *path);
        let root = other.map(|other| client.roots[other.root].root.as_str());
        folders.insert(root.unwrap_or(path));
    }
    let others = joined(&folders.into_iter().collect::<Vec<_>>());
    Some(match skill.state {
        SkillState::Loaded => return None,
        SkillState::Shadowed => format!("shadowed by {others}"),
        SkillState::OneOf => format!("also in {others}: only one of these skills loads"),
        SkillState::Namesake => format!("also in {others}"),
        SkillState::Unknown => "not known".to_owned(),
        SkillState::MayBeLost => "may be lost".to_owned(),
        SkillState::Lost => "lost".to_owned(),
    })
}

/// Writes the folders in which each client finds the skill, if the request is about a single skill.
pub(super) fn narrowed(clients: &[ClientView], page: &mut Page<'_>) -> io::Result<()> {
    let width = clients.iter().map(|client| client.client.len()).max();
    let width = width.unwrap_or_default();
    for client in clients {
        let found = client.skills.iter().map(|skill| {
            let root = &client.roots[skill.root].root;
            let note = note(skill, client).map(|note| format!(": {note}"));
            format!("in {root}{}", note.unwrap_or_default())
        });
        let mut said: Vec<String> = found.collect();
        let elsewhere = client.elsewhere.iter();
        said.extend(elsewhere.map(|path| format!("not found: '{path}' is in none of its folders")));
        if said.is_empty() && client.deeper > 0 {
            said.push(
                "the skill is nested more than one folder deep; it is not known whether this client searches that deep"
                    .into(),
            );
        }
        if said.is_empty() {
            said.push("not found in any of its folders".to_owned());
        }
        let mut id = client.client.as_str();
        for text in said {
            for line in wrapped(&text, WIDTH - width - 2) {
                let id = std::mem::take(&mut id);
                page.parts(&[
                    page.strong(format!("{id:width$}")),
                    page.plain(format!("  {line}")),
                ])?;
            }
        }
    }
    Ok(())
}

/// Lists the folders that do not exist.
fn absent(client: &ClientView, page: &mut Page<'_>) -> io::Result<()> {
    let absent = client
        .roots
        .iter()
        .filter(|root| root.state == RootState::Absent);
    let absent: Vec<&str> = absent.map(|root| root.root.as_str()).collect();
    if absent.is_empty() {
        return Ok(());
    }
    let most = if page.is_verbose { usize::MAX } else { ABSENT };
    let mut text = absent
        .iter()
        .take(most)
        .copied()
        .collect::<Vec<_>>()
        .join(", ");
    if absent.len() > most {
        text += &format!(" and {} more", absent.len() - most);
    }
    for line in wrapped(&format!("missing: {text}"), WIDTH - 2) {
        page.parts(&[page.faint(format!("  {line}"))])?;
    }
    Ok(())
}
