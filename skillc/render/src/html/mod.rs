//! The usage page of `skc stats --format html`: one self-contained file without scripts or network access.
//!
//! The content security policy allows only the style sheet, which it identifies by a hash, and forbids all other
//! resources and style attributes. Every chart is accompanied by a table with its numbers.
//!
//! Design: stats-report.

mod chart;
mod facts;
mod lists;
mod markup;
mod over_time;
mod timeline;

use std::io::{self, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use skillc_core::hash::Sha;
use skillc_ops::stats::{StatsData, StatsResponse, Summary};

use self::markup::{name, text};

const STYLE: &str = include_str!("style.css");

/// A section of the page.
struct Part {
    /// The anchor for links.
    id: &'static str,
    title: &'static str,
    content: String,
}

/// Writes the page. Sections without data in `response` are left out.
pub(crate) fn write(response: &StatsResponse, out: &mut dyn Write) -> io::Result<()> {
    let parts = parts(response);
    let links = parts
        .iter()
        .map(|part| format!("<li><a href=\"#{}\">{}</a></li>\n", part.id, part.title));
    let sections = parts.iter().map(|part| {
        let Part { id, title, content } = part;
        format!("<section aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{title}</h2>\n{content}</section>\n")
    });
    let title = response.skill.as_deref().unwrap_or("All skills");
    // Remove the CRs that a Windows checkout may have added: browsers hash the normalized text.
    let style = STYLE.replace('\r', "");
    write!(
        out,
        include_str!("page.html"),
        policy = policy(&style),
        title = text(title),
        heading = name(title),
        style = style,
        facts = facts::facts(response),
        notices = facts::notices(response),
        links = links.collect::<String>(),
        sections = sections.collect::<String>(),
        made = facts::made(response),
    )
}

/// Returns the content security policy, which allows only the style sheet with this content.
fn policy(style: &str) -> String {
    let digits = Sha::digest(style.as_bytes()).to_string();
    let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16);
    let hash: Result<Vec<u8>, _> = (0..digits.len()).step_by(2).map(byte).collect();
    let hash = STANDARD.encode(hash.expect("a hash prints as hex digits"));
    format!("default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'")
}

/// Returns the sections that have content.
fn parts(response: &StatsResponse) -> Vec<Part> {
    let (overview, report) = (response.overview.as_ref(), response.report.as_ref());
    let summary = match response.data {
        StatsData::Summary(summary) => Some(summary),
        _ => None,
    };
    let part =
        |id, title, content: Option<String>| content.map(|content| Part { id, title, content });
    let since = response.filters.since.as_deref();
    let skills = response.skills.as_deref();
    [
        part("totals", "Totals", summary.map(totals)),
        part(
            "timeline",
            "Timeline",
            report.map(|report| over_time::over_time(&report.days, since)),
        ),
        part("skills", "Skills", skills.map(lists::skills)),
        part(
            "sections",
            "Most read sections",
            overview.map(|overview| lists::sections(&overview.sections)),
        ),
        part(
            "unused",
            "Unread sections",
            overview.map(|overview| lists::unused(overview.unused.as_deref())),
        ),
        part(
            "searches",
            "Searches",
            report.map(|report| lists::searches(&report.searches)),
        ),
        part(
            "zero-results",
            "Searches without results",
            report.map(|report| lists::zero_results(&report.zero_results)),
        ),
        part(
            "errors",
            "Errors",
            report.map(|report| lists::errors(&report.errors)),
        ),
        part(
            "commands",
            "Commands",
            overview.map(|overview| lists::commands(&overview.commands)),
        ),
        part(
            "projects",
            "Projects",
            report.map(|report| lists::projects(&report.projects)),
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn totals(summary: Summary) -> String {
    let errors = if summary.error_count > 0 {
        " class=\"failed\""
    } else {
        ""
    };
    format!(
        "<dl class=\"totals\">
<div><dt>Accesses</dt><dd>{}</dd></div>
<div><dt>Sections read</dt><dd>{}</dd></div>
<div><dt>Files read</dt><dd>{}</dd></div>
<div{errors}><dt>Errors</dt><dd>{}</dd></div>
</dl>\n",
        summary.total_accesses, summary.unique_sections, summary.unique_files, summary.error_count
    )
}
