//! Text of `skc lint`: findings on standard error, then a summary of each skill on standard output.
//!
//! Source: RFC-0008 C-DIAGNOSTICS, LEDGER D-LINT-TEXT, D-INFO-STREAM.

use std::collections::BTreeMap;
use std::io;

use anstyle::{AnsiColor, Style};
use skillc_core::Severity;
use skillc_ops::lint::{LintResponse, SkillReport};

use crate::annotate::{annotated, coded};
use crate::ink::{Ink, faint, style_of};
use crate::text::{aside, fixes, matrix, statistics};
use crate::{Format, Page, Render, concise, github, gitlab, json, junit, sarif};
use skillc_core::clean::clean;

/// What is said where there was nothing to lint, and what to do.
const NOTHING: &str = "No skills found";
const HINT: &str =
    "Create one: skc init my-skill. Or name a directory that has some: skc lint PATH";

impl Render for LintResponse {
    const FORMATS: &'static [Format] = &[
        Format::Text,
        Format::Concise,
        Format::Json,
        Format::Sarif,
        Format::Github,
        Format::Gitlab,
        Format::Junit,
    ];

    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        if self.fixing.diff {
            return fixes::write_diff(self, page);
        }
        if let Some(of_clients) = self.matrix.as_ref().filter(|m| !m.skills.is_empty()) {
            return matrix::write(of_clients, page);
        }
        if self.summing.statistics {
            return statistics::text(self, page);
        }
        let ink = Ink::of(page.err_is_styled);
        for report in &self.skills {
            let folder = if self.is_single && !self.aside.is_input {
                String::new()
            } else {
                before_files(report)
            };
            for finding in &report.diagnostics {
                let text = annotated(finding, &folder, ink);
                page.err.write_all(text.as_bytes())?;
            }
            tell_failure(report, page)?;
        }
        fixes::tell_refused(self, page)?;
        aside::tell(self, page)?;
        let ink = Ink::of(page.out_is_styled);
        let names = names(self);
        for (report, name) in self.skills.iter().zip(names) {
            page.out.write_all(summary(report, &name, ink).as_bytes())?;
        }
        if !self.is_single || self.skills.is_empty() {
            page.out.write_all(totals(self, ink).as_bytes())?;
        }
        fixes::tell_result(self, page)
    }

    fn write(&self, format: Format, page: &mut Page<'_>) -> io::Result<()> {
        aside::tell_before(self, format, page)?;
        match format {
            Format::Text => return self.text(page),
            Format::Concise if self.fixing.diff => return fixes::write_diff(self, page),
            Format::Concise if self.summing.statistics => return statistics::concise(self, page),
            Format::Concise => return concise::write(self, page),
            Format::Github => return github::write(self, page),
            Format::Json | Format::Html => {}
            Format::Sarif | Format::Gitlab | Format::Junit => {
                for report in &self.skills {
                    tell_failure(report, page)?;
                }
                if self.fixing.is_asked() {
                    fixes::tell_refused(self, page)?;
                    page.err.write_all(fixes::result(self).as_bytes())?;
                }
            }
        }
        for report in &self.skills {
            tell_skipped(report, page)?;
        }
        match format {
            Format::Sarif => json(&sarif::log(self), page.out),
            Format::Gitlab => json(&gitlab::issues(self), page.out),
            Format::Junit => junit::write(self, page.out),
            _ => json(self, page.out),
        }
    }
}

/// Returns what stands before the files of a skill to make paths as seen from the working directory.
pub(crate) fn before_files(report: &SkillReport) -> String {
    match report.folder.as_str() {
        "" | "." => String::new(),
        folder => format!("{folder}/"),
    }
}

/// Says on standard error why a skill could not be read.
pub(crate) fn tell_failure(report: &SkillReport, page: &mut Page<'_>) -> io::Result<()> {
    let Some(failure) = &report.failure else {
        return Ok(());
    };
    let ink = Ink::of(page.err_is_styled);
    page.err
        .write_all(coded(failure, Severity::Error, ink).as_bytes())
}

/// Says on standard error that a skill was not linted, where standard output is for programs.
pub(crate) fn tell_skipped(report: &SkillReport, page: &mut Page<'_>) -> io::Result<()> {
    if report.skipped {
        let ink = Ink::of(page.err_is_styled);
        page.err
            .write_all(summary(report, &report.skill, ink).as_bytes())?;
    }
    Ok(())
}

/// Returns the last line of a run: that of the skill if one was named, else what all have together and how long it took.
pub(crate) fn totals(response: &LintResponse, ink: Ink) -> String {
    match response.skills.as_slice() {
        [report] if response.is_single => summary(report, &report.skill, ink),
        _ => run_totals(response, ink),
    }
}

/// Returns the last line of a run without the name of any skill.
pub(crate) fn run_totals(response: &LintResponse, ink: Ink) -> String {
    let skills = &response.skills;
    if skills.is_empty() {
        if let Some(revision) = &response.aside.since {
            return clean(&format!("No skill has changed since {revision}")).into_owned() + "\n";
        }
        return format!("{NOTHING}\n{}\n", ink.paint(faint(), HINT));
    }
    let number = |is: fn(&SkillReport) -> bool| skills.iter().filter(|report| is(report)).count();
    let skipped = number(|report| report.skipped);
    let failed = number(SkillReport::is_unreadable);
    let unfixed = number(|report| report.failure.is_some()) - failed;
    let mut text = ink.paint(Style::new().bold(), count(skills.len(), "skill")) + ": ";
    text += &counts(response.error_count(), response.warning_count(), ink);
    if skipped > 0 {
        text += &format!(", {skipped} skipped");
    }
    if failed > 0 {
        text += &format!(", {failed} unreadable");
    }
    if unfixed > 0 {
        text += &format!(", {unfixed} not fixed");
    }
    text + format!(" in {:.2} s\n", response.elapsed.as_secs_f64()).as_str()
}

/// Returns the line of a skill.
fn summary(report: &SkillReport, name: &str, ink: Ink) -> String {
    let (errors, warnings) = (report.error_count, report.warning_count);
    if report.skipped {
        let line = format!("info: skipping compiled skill '{}'", report.skill);
        ink.paint(faint(), line) + "\n"
    } else if report.is_unreadable() {
        let fault = ink.paint(style_of(Severity::Error), "unreadable");
        format!("{}: {fault}\n", ink.paint(Style::new(), name))
    } else if errors + warnings == 0 {
        let line = format!("{name}: {}", counts(0, 0, Ink::Plain));
        ink.paint(faint(), line) + "\n"
    } else {
        let name = ink.paint(Style::new(), name);
        format!("{name}: {}\n", counts(errors, warnings, ink))
    }
}

/// Returns the names of the skills of a run; where two have the same, their folders are added.
pub(crate) fn names(response: &LintResponse) -> impl Iterator<Item = String> {
    let mut uses = BTreeMap::new();
    for report in &response.skills {
        *uses.entry(&report.skill).or_insert(0) += 1;
    }
    response.skills.iter().map(move |report| {
        let name = &report.skill;
        if uses.get(name) == Some(&1) {
            name.clone()
        } else {
            format!("{name} ({})", report.folder)
        }
    })
}

/// Returns `3 errors, 1 warning`, with colour where there are some.
fn counts(errors: usize, warnings: usize, ink: Ink) -> String {
    let part = |number, what, color: AnsiColor| {
        let style = if number > 0 {
            color.on_default()
        } else {
            Style::new()
        };
        ink.paint(style, count(number, what))
    };
    let errors = part(errors, "error", AnsiColor::Red);
    format!("{errors}, {}", part(warnings, "warning", AnsiColor::Yellow))
}

pub(crate) fn count(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}
