//! Text of `skc explain`: what the rule is called, how it runs, and its page.

use std::io;

use skillc_ops::explain::{ExplainResponse, Precision};

use super::rules::severity;
use crate::{Page, Render};

impl Render for ExplainResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        let title = format!("{} {}", self.code, self.name);
        page.parts(&[page.strong(title)])?;
        let how = if self.default {
            "on by default"
        } else {
            "off by default"
        };
        let rest = format!(", {how}, since {}{}", self.since, judged(self.precision));
        page.parts(&[severity(self.severity, page), page.plain(rest)])?;
        page.line("")?;
        self.page.lines().try_for_each(|line| page.line(line))
    }
}

fn judged(precision: Option<Precision>) -> String {
    precision.map_or_else(String::new, |precision| {
        let Precision { judged, right } = precision;
        format!(", {right} of {judged} judged findings right")
    })
}
