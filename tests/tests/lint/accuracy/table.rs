//! The table of verdicts: one finding per line, tab-separated.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use skillc_lint::Severity;

const HEAD: &str = "rule\tskill\tfile\tline\tcolumn\tverdict\treason\tmessage\n";

/// The fields that identify a finding.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    pub(crate) rule: String,
    pub(crate) skill: String,
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) message: String,
}

/// A reviewer's verdict on a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Right,
    Wrong,
    Open,
}

/// A finding and its verdict.
#[derive(Debug)]
pub(crate) struct Row<'a> {
    pub(crate) finding: &'a Finding,
    pub(crate) verdict: Verdict,
    pub(crate) reason: &'a str,
}

/// All findings with their verdicts.
pub(crate) struct Table(BTreeMap<Finding, (Verdict, String)>);

/// The contents of `rules/measured.txt`.
pub(crate) struct Measured(pub(crate) String);

impl Table {
    pub(crate) fn read(path: &str) -> Self {
        let text = fs::read_to_string(path).unwrap_or_else(|_| HEAD.to_owned());
        let rows = text
            .strip_prefix(HEAD)
            .expect("the table has a header")
            .lines();
        Self(
            rows.map(|line| row(line).unwrap_or_else(|| panic!("no row: {line}")))
                .collect(),
        )
    }

    pub(crate) fn write(&self, path: &str) {
        let line = |(finding, (verdict, reason)): (&Finding, &(Verdict, String))| {
            let Finding {
                rule,
                skill,
                file,
                line,
                column,
                message,
            } = finding;
            let verdict = match verdict {
                Verdict::Right => "right",
                Verdict::Wrong => "wrong",
                Verdict::Open => "-",
            };
            format!("{rule}\t{skill}\t{file}\t{line}\t{column}\t{verdict}\t{reason}\t{message}\n")
        };
        let text = HEAD.to_owned() + self.0.iter().map(line).collect::<String>().as_str();
        fs::write(path, text).expect("the table is writable");
    }

    /// Adds new findings without a verdict, and drops obsolete ones.
    pub(crate) fn update(&mut self, found: &BTreeSet<Finding>) {
        self.0.retain(|finding, _| found.contains(finding));
        for finding in found {
            let open = (Verdict::Open, String::new());
            self.0.entry(finding.clone()).or_insert(open);
        }
    }

    pub(crate) fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.0.keys()
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.0.iter().map(|(finding, (verdict, reason))| Row {
            finding,
            verdict: *verdict,
            reason,
        })
    }

    /// Counts, for each rule, all findings, the findings with a verdict, and the findings that are right.
    pub(crate) fn measured(&self, rules: &BTreeMap<String, Severity>) -> Measured {
        let mut text = "# rule found judged right\n".to_owned();
        for rule in rules.keys() {
            let of_rule: Vec<Row<'_>> = self
                .rows()
                .filter(|row| row.finding.rule == *rule)
                .collect();
            let judged = of_rule
                .iter()
                .filter(|row| row.verdict != Verdict::Open)
                .count();
            let right = of_rule
                .iter()
                .filter(|row| row.verdict == Verdict::Right)
                .count();
            if !of_rule.is_empty() {
                text += &format!("{rule} {} {judged} {right}\n", of_rule.len());
            }
        }
        Measured(text)
    }
}

impl Measured {
    pub(crate) fn write(&self, path: &str) {
        fs::write(path, &self.0).expect("the measurements are writable");
    }
}

fn row(line: &str) -> Option<(Finding, (Verdict, String))> {
    let cells: Vec<&str> = line.split('\t').collect();
    let [rule, skill, file, line, column, verdict, reason, message] = cells[..] else {
        return None;
    };
    let verdict = match verdict {
        "right" => Verdict::Right,
        "wrong" => Verdict::Wrong,
        "-" => Verdict::Open,
        _ => return None,
    };
    let finding = Finding {
        rule: rule.to_owned(),
        skill: skill.to_owned(),
        file: file.to_owned(),
        line: line.parse().ok()?,
        column: column.parse().ok()?,
        message: message.to_owned(),
    };
    Some((finding, (verdict, reason.to_owned())))
}
