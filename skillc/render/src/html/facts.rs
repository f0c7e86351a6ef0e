//! Facts about the statistics: the time range, the filters, the skills, the warnings, and the time at which the page
//! was generated.

use skillc_ops::stats::StatsResponse;

use super::markup::{name, text};
use crate::text::stats::words;

/// Returns the list of facts shown below the title.
pub(super) fn facts(response: &StatsResponse) -> String {
    let mut out = String::new();
    let mut fact = |name: &str, value: String| {
        out.push_str(&format!("<div><dt>{name}</dt><dd>{value}</dd></div>\n"));
    };
    fact("Time", text(&words(&response.span)));
    match (&response.period.start, &response.period.end) {
        (Some(start), Some(end)) => fact(
            "First and last access",
            format!("{} to {}", moment(start), moment(end)),
        ),
        _ => fact("First and last access", "none".to_owned()),
    }
    let filters = &response.filters;
    for (title, value) in [("Since", &filters.since), ("Until", &filters.until)] {
        if let Some(value) = value {
            fact(title, moment(value));
        }
    }
    for project in &filters.projects {
        fact("Working directory", name(project));
    }
    match (&response.skill_path, &response.skills) {
        (Some(path), _) => fact("Skill", name(path)),
        (None, Some(skills)) => fact("Skills", skills.len().to_string()),
        (None, None) => {}
    }
    out
}

/// Returns the list of problems that occurred while the logs were read.
pub(super) fn notices(response: &StatsResponse) -> String {
    let notices = response.report.iter().flat_map(|report| &report.notices);
    let item = |notice: &String| format!("<li>{}</li>\n", name(notice));
    let lines: String = notices.map(item).collect();
    if lines.is_empty() {
        return lines;
    }
    format!("<aside aria-label=\"Warnings\">\n<ul>\n{lines}</ul>\n</aside>\n")
}

/// Returns the line with the version of the program and the time at which the page was generated.
pub(super) fn made(response: &StatsResponse) -> String {
    let version = env!("CARGO_PKG_VERSION");
    match &response.report {
        Some(report) => format!(
            "Made by skc {version} at {}.",
            moment(&report.made.to_string())
        ),
        None => format!("Made by skc {version}."),
    }
}

/// Formats a time, such as `2026-01-31 08:15:00 UTC`.
fn moment(time: &str) -> String {
    let machine = text(time);
    let human = machine.replacen('T', " ", 1).replacen('Z', " UTC", 1);
    format!("<time datetime=\"{machine}\">{human}</time>")
}
