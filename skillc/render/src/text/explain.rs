//! The text output of `skc explain`: the rule's name, its status and its page.

use std::io;

use skillc_lint::measured::Measurement;
use skillc_ops::explain::{ExplainResponse, Precision};

use super::lint::count;
use super::rules::severity;
use crate::{Page, Render};

impl Render for ExplainResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        let title = format!("{} {}", self.code, self.name);
        page.parts(&[page.strong(title)])?;
        let how = if self.default {
            "enabled by default"
        } else {
            "disabled by default"
        };
        let rest = format!(", {how}{}", since(&self.since));
        page.parts(&[severity(self.severity, page), page.plain(rest)])?;
        if let Some(script) = &self.script {
            page.line(format!("from {script}"))?;
        }
        if let Some(precision) = self.precision.filter(|precision| precision.judged > 0) {
            page.line(judged(precision))?;
        }
        for option in &self.options {
            page.parts(&[
                page.plain("option "),
                page.strong(&option.name),
                page.plain(format!(" {}", takes(&option.takes, &option.about))),
            ])?;
        }
        page.line("")?;
        let Some(book) = &self.book else {
            return self.page.lines().try_for_each(|line| page.line(line));
        };
        // Omit the "Source" section: the book contains this section, with links.
        let (text, _) = self
            .page
            .split_once("\n## Source\n")
            .unwrap_or((&self.page, ""));
        text.trim_end()
            .lines()
            .try_for_each(|line| page.line(line))?;
        page.line("")?;
        page.line(format_args!("More: {book}"))
    }
}

/// Describes an option's values, default and meaning, such as `(true or false, default true): Whether …`.
pub(super) fn takes(takes: &str, about: &str) -> String {
    match parted(about) {
        ("", usual) => format!("({takes}, default {usual})"),
        (about, "") => format!("({takes}): {about}"),
        (about, usual) => format!("({takes}, default {usual}): {about}"),
    }
}

/// Splits an option's text, such as `Whether …; default true`, into the description and the default.
fn parted(about: &str) -> (&str, &str) {
    match (
        about.rsplit_once("; default "),
        about.strip_prefix("default "),
    ) {
        (Some(parts), _) => parts,
        (None, Some(usual)) => ("", usual),
        (None, None) => (about, ""),
    }
}

/// Formats the version that introduced a rule, such as `, since 1.2.0`. Returns an empty string if the version is
/// unknown, as for most scripts.
pub(super) fn since(version: &str) -> String {
    match version {
        "" => String::new(),
        version => format!(", since {version}"),
    }
}

fn judged(precision: Precision) -> String {
    let measured = Measurement {
        found: precision.found,
        judged: precision.judged,
        right: precision.right,
    };
    format!(
        "Precision: {}; {} in 100+ public skills",
        measured.in_words(),
        count(precision.found, "finding")
    )
}
