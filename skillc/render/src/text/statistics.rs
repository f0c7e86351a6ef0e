//! The text output of `skc lint --statistics`: the number of findings per rule.

use std::io;

use anstyle::Style;
use skillc_lint::style::{Styling, faint, style_of};
use skillc_ops::lint::{LintResponse, RuleCount};

use crate::Page;
use crate::text::fixes;
use crate::text::lint::{tell_failure, tell_skipped, totals};

/// The marks of a rule, depending on whether `--fix` can fix all, some or none of its findings. Findings that need
/// `--unsafe-fixes` do not count as fixable.
const ALL: &str = "[*]";
const SOME: &str = "[-]";
const NONE: &str = "   ";

/// Writes a table and totals to standard output, and notes to standard error.
pub(crate) fn text(response: &LintResponse, page: &mut Page<'_>) -> io::Result<()> {
    let counts = response.counts();
    for report in &response.skills {
        tell_failure(report, page)?;
    }
    let is_quiet = response.output.quiet;
    if !is_quiet {
        fixes::tell_refused(response, page)?;
    }
    let ink = Styling::new(page.out_is_styled);
    let width = |of: fn(&RuleCount) -> usize| counts.iter().map(of).max().unwrap_or(0);
    let numbers = width(|count| count.count.to_string().len());
    let codes = width(|count| count.rule.chars().count());
    for count in &counts {
        let number = ink.paint(Style::new().bold(), format!("{:>numbers$}", count.count));
        let code = format!("{:codes$}", count.rule);
        let code = ink.paint(style_of(count.severity), code);
        let mark = ink.paint(faint(), mark(count).unwrap_or(NONE));
        let name = ink.paint(Style::new(), &count.name);
        writeln!(page.out, "{number}  {code}  {mark}  {name}")?;
    }
    if is_quiet {
        return Ok(());
    }
    page.out.write_all(totals(response, ink).as_bytes())?;
    if let Some(legend) = legend(&counts) {
        let ink = Styling::new(page.err_is_styled);
        writeln!(page.err, "{}", ink.paint(faint(), legend))?;
    }
    fixes::tell_result(response, &fixes::result(response), page)
}

/// Writes one line per rule to standard output, and notes to standard error.
pub(crate) fn concise(response: &LintResponse, page: &mut Page<'_>) -> io::Result<()> {
    let ink = Styling::new(page.out_is_styled);
    for count in response.counts() {
        let RuleCount {
            rule,
            name,
            count: number,
            ..
        } = &count;
        let mark = mark(&count).map_or(String::new(), |mark| format!(" {mark}"));
        let code = ink.paint(style_of(count.severity), rule);
        writeln!(
            page.out,
            "{number} {code} {}{mark}",
            ink.paint(Style::new(), name)
        )?;
    }
    let ink = Styling::new(page.err_is_styled);
    for report in &response.skills {
        tell_failure(report, page)?;
    }
    if response.output.quiet {
        return Ok(());
    }
    tell_skipped(response, page)?;
    fixes::tell_refused(response, page)?;
    page.err.write_all(totals(response, ink).as_bytes())?;
    page.err.write_all(fixes::result(response).as_bytes())
}

fn mark(count: &RuleCount) -> Option<&'static str> {
    match count.safely_fixable {
        0 => None,
        fixable if fixable == count.count => Some(ALL),
        _ => Some(SOME),
    }
}

/// Explains the marks that occur.
fn legend(counts: &[RuleCount]) -> Option<String> {
    let used = |wanted| counts.iter().any(|count| mark(count) == Some(wanted));
    let parts = [(ALL, "all can be fixed"), (SOME, "some can be fixed")];
    let parts = parts.into_iter().filter(|(mark, _)| used(*mark));
    let parts: Vec<String> = parts.map(|(mark, text)| format!("{mark} {text}")).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}
