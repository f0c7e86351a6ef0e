//! The text output of `skc doctor`: problems and their locations, worst first; then the skills that each client finds.

mod clients;
mod problems;

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use anstyle::AnsiColor;
use skillc_ops::doctor::{DoctorResponse, Loss};

use self::clients::{narrowed, view};
use self::problems::problems;
use crate::text::lint::count;
use crate::text::wrap::{WIDTH, wrapped};
use crate::{Page, Render};
use skillc_core::clean::clean;

impl Render for DoctorResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        if self.clients.is_empty() {
            return nobody(self, page);
        }
        problems(&self.problems, page)?;
        if self.skill.is_some() {
            narrowed(&self.clients, page)?;
            page.line("")?;
        } else {
            for client in &self.clients {
                view(client, page)?;
                page.line("")?;
            }
        }
        summary(self, page)?;
        not_looked_at(self, page)
    }
}

/// Writes the message that no client was detected, with a list of the known clients.
fn nobody(response: &DoctorResponse, page: &mut Page<'_>) -> io::Result<()> {
    page.line("No agent client detected: none has a folder here or in your home directory.")?;
    let known = format!("Known clients: {}.", response.not_installed.join(", "));
    for line in wrapped(&known, WIDTH) {
        page.line(line)?;
    }
    page.line("Check one with 'skc doctor --client ID', or all with 'skc doctor --all'.")
}

fn summary(response: &DoctorResponse, page: &mut Page<'_>) -> io::Result<()> {
    let skills = response.clients.iter().flat_map(|client| &client.skills);
    let skills: BTreeSet<&str> = skills.map(|skill| skill.path.as_str()).collect();
    let mut losses: BTreeMap<&str, Loss> = BTreeMap::new();
    for problem in &response.problems {
        let worst = losses.entry(&problem.path).or_insert(problem.worst);
        *worst = problem.worst.max(*worst);
    }
    if response.skill.is_none() && skills.is_empty() && losses.is_empty() {
        page.line("No skills found in these folders.")?;
        return page.line("Create one with 'skc init NAME' and deploy it with 'skc build NAME'.");
    }
    if skills.is_empty() && losses.is_empty() {
        return page.line("No client finds this skill here; no other problem is known.");
    }
    let number = |of: Loss| losses.values().filter(|loss| **loss == of).count();
    let of = [
        (number(Loss::Lost), "lost"),
        (number(Loss::MayBeLost), "may be lost"),
        (number(Loss::Changed), "changed"),
    ];
    let of = of.into_iter().filter(|(number, _)| *number > 0);
    let mut of: Vec<String> = of
        .map(|(number, what)| format!("{number} {what}"))
        .collect();
    let unknown = number(Loss::Unknown);
    if unknown > 0 {
        of.push(format!("unknown for {unknown}"));
    }
    let is_lost = response
        .problems
        .iter()
        .any(|problem| problem.worst.is_loss());
    // Several clients may find the same skill folder, and one client may find it twice because of symlinks.
    let found: usize = response
        .clients
        .iter()
        .map(|client| client.skills.len())
        .sum();
    let clients = count(response.clients.len(), "client");
    let what = if found == skills.len() {
        format!("{}, {clients}", count(found, "skill"))
    } else {
        let folders = count(skills.len(), "skill folder");
        format!("{folders}, found {found} times in {clients}")
    };
    let (colour, text) = match (of.is_empty(), is_lost) {
        (true, _) => (AnsiColor::Green, format!("No skill is lost ({what}).")),
        (_, false) => (
            AnsiColor::Green,
            format!("No skill is lost ({what}; {}).", of.join(", ")),
        ),
        _ => (AnsiColor::Red, format!("{what}: {}.", of.join(", "))),
    };
    page.parts(&[page.coloured(colour, text)])
}

fn not_looked_at(response: &DoctorResponse, page: &mut Page<'_>) -> io::Result<()> {
    if response.not_installed.is_empty() {
        return Ok(());
    }
    let text = format!(
        "Not detected: {} (--all includes them).",
        response.not_installed.join(", ")
    );
    for line in wrapped(&text, WIDTH) {
        page.parts(&[page.faint(line)])?;
    }
    Ok(())
}

/// Writes wrapped text, indented by two columns.
fn paragraph(text: &str, page: &mut Page<'_>) -> io::Result<()> {
    for (at, line) in wrapped(text, WIDTH - 4).iter().enumerate() {
        let indent = if at == 0 { "  " } else { "    " };
        page.line(format_args!("{indent}{line}"))?;
    }
    Ok(())
}

/// Returns a name on one line, truncated to 64 characters.
fn short(name: &str) -> String {
    let name = clean(name);
    match name.char_indices().nth(64) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.into_owned(),
    }
}
