//! The text output of `skc scan`: the findings, in the same format as in `skc lint`, then a line for each skill with
//! its verdict. The worst verdicts come first.

use std::io;

use anstyle::AnsiColor;
use skillc_core::clean::clean;
use skillc_lint::style::{Styling, faint};
use skillc_ops::lint::SkillReport;
use skillc_ops::scan::{ScanResponse, ScanVerdict};

use crate::Page;
use crate::text::lint::{count, names, write_findings};

/// Writes findings, then the verdicts.
pub(crate) fn write(response: &ScanResponse, page: &mut Page<'_>) -> io::Result<()> {
    write_findings(&response.lint, page)?;
    let skills = &response.lint.skills;
    let unchanged = unchanged(response);
    if skills.is_empty() {
        let said = match &response.lint.aside.since {
            _ if !unchanged.is_empty() => unchanged,
            Some(since) => {
                clean(&format!("No skills have changed since {since}")).into_owned() + "\n"
            }
            None => "No skills found\n".to_owned(),
        };
        return page.out.write_all(said.as_bytes());
    }
    let ink = Styling::new(page.out_is_styled);
    let named: Vec<(String, &SkillReport)> = names(&response.lint).zip(skills).collect();
    let mut text = String::new();
    for verdict in ScanVerdict::ALL {
        let of_verdict = named
            .iter()
            .filter(|(_, report)| ScanVerdict::from_report(report) == verdict);
        // Lines for clean skills would bury the others.
        let is_listed = verdict != ScanVerdict::Pass || skills.len() == 1 || page.is_verbose;
        for (name, report) in of_verdict.filter(|_| is_listed) {
            text += &line(verdict, name, report, ink);
        }
    }
    if skills.len() > 1 {
        let parts = ScanVerdict::ALL.map(|of| format!("{} {}", response.count(of), of.as_str()));
        text += &format!("{}: {}\n", count(skills.len(), "skill"), parts.join(", "));
    }
    text += &unchanged;
    page.out.write_all(text.as_bytes())
}

/// Returns a line with the number of skills that were left out; empty if there are none.
pub(crate) fn unchanged(response: &ScanResponse) -> String {
    let aside = &response.lint.aside;
    let Some(since) = aside.since.as_ref().filter(|_| !aside.unchanged.is_empty()) else {
        return String::new();
    };
    let number = count(aside.unchanged.len(), "skill");
    clean(&format!("{number} unchanged since {since}")).into_owned() + "\n"
}

fn line(verdict: ScanVerdict, name: &str, report: &SkillReport, ink: Styling) -> String {
    let style = match verdict {
        ScanVerdict::Block => AnsiColor::Red.on_default(),
        ScanVerdict::Review => AnsiColor::Yellow.on_default(),
        ScanVerdict::Pass => faint(),
    };
    let found = match (report.error_count, report.warning_count) {
        (0, 0) if report.failure.is_some() => ": cannot be read".to_owned(),
        (0, 0) => String::new(),
        (errors, warnings) => {
            let counts = [(errors, "error"), (warnings, "warning")];
            let shown = counts.iter().filter(|(number, _)| *number > 0);
            let shown: Vec<String> = shown.map(|(number, what)| count(*number, what)).collect();
            format!(": {}", shown.join(", "))
        }
    };
    let name = clean(name);
    format!("{}  {name}{found}\n", ink.paint(style, verdict.as_str()))
}
