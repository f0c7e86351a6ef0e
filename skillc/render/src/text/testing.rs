//! The text output of `skc plugin test`: for each script, its mismatches and a line with the result; then the totals.

use std::io;

use anstyle::AnsiColor;
use skillc_lint::style::Styling;
use skillc_ops::plugin::{
    Difference, PluginTestResponse, RefusedFix, ScriptCoverage, TestedCase, TestedScript,
};

use crate::text::lint::count;
use crate::text::plugin::fault_text;
use crate::{Page, Render};

/// The maximum number of diff lines to show.
const MAX_LINES: usize = 60;

/// The maximum number of line pairs to compare for a diff. In longer inputs, all lines from the first difference to the
/// last are shown as changed.
const MAX_PAIRS: usize = 1 << 20;

/// The maximum number of listed line ranges that did not run.
const MAX_MISSED: usize = 20;

impl Render for PluginTestResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        if self.scripts.is_empty() {
            return page.line("No scripts. Create one: skc plugin new rule my-rule");
        }
        for script in &self.scripts {
            if let Some(fault) = &script.fault {
                let ink = Styling::new(page.out_is_styled);
                page.out.write_all(fault_text(fault, ink).as_bytes())?;
            }
            for case in &script.cases {
                tell_case(case, script, page)?;
            }
            tell_script(script, page)?;
        }
        tell_all(self, page)
    }
}

fn tell_case(case: &TestedCase, script: &TestedScript, page: &mut Page<'_>) -> io::Result<()> {
    let (word, color) = match (case.passed, case.updated) {
        (false, _) => ("FAILED", AnsiColor::Red),
        (true, true) => ("UPDATED", AnsiColor::Yellow),
        (true, false) if case.printed.is_empty() => return Ok(()),
        (true, false) => ("passed", AnsiColor::Green),
    };
    let file = script.cases_file.as_deref().unwrap_or_default();
    let rest = format!(" '{}' at {file}:{}", case.name, case.line);
    page.parts(&[page.coloured(color, word), page.plain(rest)])?;
    for line in case.failure.iter().flat_map(|failure| failure.lines()) {
        page.line(format_args!("  {line}"))?;
    }
    for difference in &case.differences {
        tell_difference(difference, page)?;
    }
    for refused in &case.refused {
        tell_refused(refused, page)?;
    }
    for line in &case.printed {
        page.line(format_args!("  printed: {line}"))?;
    }
    page.line("")
}

fn tell_refused(refused: &RefusedFix, page: &mut Page<'_>) -> io::Result<()> {
    let RefusedFix {
        finding,
        reason,
        proposed,
    } = refused;
    page.line(format_args!("  fix refused: {finding}: {reason}"))?;
    for file in proposed {
        page.line(format_args!("  {}: - before, + after the fix", file.of))?;
        tell_lines(file, page)?;
    }
    Ok(())
}

fn tell_difference(difference: &Difference, page: &mut Page<'_>) -> io::Result<()> {
    let Difference { of, expected, .. } = difference;
    let legend = match expected {
        Some(_) => "- expected, + actual",
        None => "nothing expected yet, + actual",
    };
    page.line(format_args!("  {of}: {legend}"))?;
    tell_lines(difference, page)
}

fn tell_lines(difference: &Difference, page: &mut Page<'_>) -> io::Result<()> {
    let expected = difference.expected.as_deref().unwrap_or_default();
    let lines = compared(expected, &difference.found);
    if lines.is_empty() {
        return page.line("    (nothing)");
    }
    for (mark, line) in lines.iter().take(MAX_LINES) {
        let line = format!("    {mark} {line}");
        let line = line.trim_end();
        let painted = match mark {
            '-' => page.coloured(AnsiColor::Red, line),
            '+' => page.coloured(AnsiColor::Green, line),
            _ => page.faint(line),
        };
        page.parts(&[painted])?;
    }
    match lines.len().saturating_sub(MAX_LINES) {
        0 => Ok(()),
        more => page.line(format_args!("    … {more} more lines")),
    }
}

/// Returns a diff of two lists of lines. Removed lines are marked with `-`, added lines with `+`, and equal lines with
/// a space.
fn compared<'t>(old: &'t [String], new: &'t [String]) -> Vec<(char, &'t str)> {
    let before = common(old.iter(), new.iter());
    let after = common(old[before..].iter().rev(), new[before..].iter().rev());
    let (old_end, new_end) = (old.len() - after, new.len() - after);
    let (gone, come) = (&old[before..old_end], &new[before..new_end]);
    let mut lines: Vec<(char, &str)> = marked(' ', &old[..before]).collect();
    if gone.len().saturating_mul(come.len()) > MAX_PAIRS {
        lines.extend(marked('-', gone).chain(marked('+', come)));
    } else {
        lines.extend(aligned(gone, come));
    }
    lines.extend(marked(' ', &old[old_end..]));
    lines
}

fn marked(mark: char, lines: &[String]) -> impl Iterator<Item = (char, &str)> {
    lines.iter().map(move |line| (mark, line.as_str()))
}

fn common<T: PartialEq>(one: impl Iterator<Item = T>, other: impl Iterator<Item = T>) -> usize {
    one.zip(other).take_while(|(a, b)| a == b).count()
}

/// Aligns two lists by their longest common subsequence.
fn aligned<'t>(old: &'t [String], new: &'t [String]) -> Vec<(char, &'t str)> {
    let width = new.len() + 1;
    // The length of the longest common subsequence of each pair of suffixes.
    let mut longest = vec![0_usize; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            longest[i * width + j] = if old[i] == new[j] {
                longest[(i + 1) * width + j + 1] + 1
            } else {
                longest[(i + 1) * width + j].max(longest[i * width + j + 1])
            };
        }
    }
    let mut lines = Vec::with_capacity(old.len() + new.len());
    let (mut i, mut j) = (0, 0);
    while i < old.len() && j < new.len() {
        if old[i] == new[j] {
            lines.push((' ', old[i].as_str()));
            (i, j) = (i + 1, j + 1);
        } else if longest[(i + 1) * width + j] >= longest[i * width + j + 1] {
            lines.push(('-', old[i].as_str()));
            i += 1;
        } else {
            lines.push(('+', new[j].as_str()));
            j += 1;
        }
    }
    lines.extend(marked('-', &old[i..]));
    lines.extend(marked('+', &new[j..]));
    lines
}

fn tell_script(script: &TestedScript, page: &mut Page<'_>) -> io::Result<()> {
    let name = &script.script;
    let cases = script.cases.len();
    let failed = script.cases.iter().filter(|case| !case.passed).count();
    let updated = script.cases.iter().filter(|case| case.updated).count();
    let (said, color) = if script.fault.is_some() {
        ("could not be tested".to_owned(), AnsiColor::Red)
    } else if cases == 0 {
        let stem = name.strip_suffix(".rhai").unwrap_or(name);
        let said = format!("has no cases; add them to {stem}.test.toml");
        (said, AnsiColor::Yellow)
    } else if failed > 0 {
        let said = format!("{failed} of {} failed", count(cases, "case"));
        (said, AnsiColor::Red)
    } else if updated > 0 {
        let said = format!("{updated} of {} updated", count(cases, "case"));
        (said, AnsiColor::Yellow)
    } else {
        (format!("{} passed", count(cases, "case")), AnsiColor::Green)
    };
    let ran = script.coverage.as_ref().map(ran).unwrap_or_default();
    page.parts(&[
        page.plain(format!("{name}: ")),
        page.coloured(color, said),
        page.plain(ran),
    ])
}

/// Formats the percentage of a script's lines that ran, and the ranges of lines that did not run.
fn ran(coverage: &ScriptCoverage) -> String {
    let ran = format!("; {} % of lines covered", coverage.percent);
    if coverage.missed.is_empty() {
        return ran;
    }
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for line in &coverage.missed {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *line => *last = *line,
            _ => ranges.push((*line, *line)),
        }
    }
    let shown = ranges.iter().take(MAX_MISSED).map(|(first, last)| {
        if first == last {
            first.to_string()
        } else {
            format!("{first}-{last}")
        }
    });
    let mut shown: Vec<String> = shown.collect();
    if ranges.len() > MAX_MISSED {
        shown.push("…".to_owned());
    }
    format!("{ran}; not covered: {}", shown.join(", "))
}

fn tell_all(response: &PluginTestResponse, page: &mut Page<'_>) -> io::Result<()> {
    let PluginTestResponse {
        passed,
        failed,
        updated,
        faults,
        ..
    } = response;
    let mut said = format!("{} passed, {failed} failed", count(*passed, "case"));
    if *updated > 0 {
        said += &format!(", {updated} updated");
    }
    if *faults > 0 {
        said += &format!(", {} not tested", count(*faults, "script"));
    }
    let scripts = count(response.scripts.len(), "script");
    page.parts(&[page.strong(scripts), page.plain(format!(": {said}"))])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.chars().map(String::from).collect()
    }

    fn diff(old: &str, new: &str) -> String {
        let (old, new) = (lines(old), lines(new));
        let lines = compared(&old, &new).into_iter();
        let shown: Vec<String> = lines.map(|(mark, line)| format!("{mark}{line}")).collect();
        shown.concat()
    }

    #[test]
    fn common_lines_separate_differing_ones() {
        assert_eq!(diff("abc", "abc"), " a b c");
        assert_eq!(diff("abcd", "axcd"), " a-b+x c d");
        assert_eq!(diff("abcde", "bxdf"), "-a b-c+x d-e+f");
        assert_eq!(diff("", "ab"), "+a+b");
        assert_eq!(diff("ab", ""), "-a-b");
    }

    #[test]
    fn long_lists_are_not_compared_pairwise() {
        let old: Vec<String> = (0..3000).map(|n| n.to_string()).collect();
        let new: Vec<String> = (0..3000).map(|n| (n + 1).to_string()).collect();
        let lines = compared(&old, &new);
        assert_eq!(lines.len(), 6000);
        assert_eq!((lines[0].0, lines[3000].0), ('-', '+'));
    }

    #[test]
    fn lines_that_never_ran_are_listed_in_ranges() {
        let coverage = |missed: &[usize]| ScriptCoverage {
            percent: 50,
            lines: 10,
            missed: missed.to_vec(),
        };
        assert_eq!(ran(&coverage(&[])), "; 50 % of lines covered");
        let some = ran(&coverage(&[2, 4, 5, 6, 9]));
        assert_eq!(some, "; 50 % of lines covered; not covered: 2, 4-6, 9");
        let many: Vec<usize> = (0..50).map(|n| 2 * n).collect();
        assert!(ran(&coverage(&many)).ends_with("36, 38, …"));
    }
}
