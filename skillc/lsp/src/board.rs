//! The current findings, by file and by skill.
//!
//! A file of a nested skill also belongs to the skill around it. As in `skc lint`, a finding that both skills report is
//! shown once.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use lsp_types::{
    CodeDescription, Diagnostic, DiagnosticSeverity, DiagnosticTag, NumberOrString, Position,
    Range, TextEdit,
};
use skillc_core::{Result, Skill, Stop};
use skillc_lint::finding::{FoundIn, LintFinding};
use skillc_lint::{Safety, Severity};
use skillc_ops::lint::live::{ConfigFault, LiveReport};

use crate::client::Client;
use crate::positions::Tables;
use crate::visible::visible;

/// The name that editors show as the source of each finding.
const SOURCE: &str = "skc";

/// The error code for an invalid configuration file.
const CONFIG_CODE: &str = "E100";

/// The rule that reports directives that suppress nothing. Editors show such directives as unnecessary.
const UNUSED_DIRECTIVE: &str = "CFG101";

/// The maximum number of findings that are shown in one file.
const MAX_IN_FILE: usize = 1000;

/// A finding in a file.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// The finding as editors show it.
    pub(crate) diagnostic: Diagnostic,
    /// The rule's code.
    pub(crate) rule: String,
    /// Whether the finding is about the file or the skill as a whole.
    pub(crate) is_whole: bool,
    /// A proposed fix.
    pub(crate) fix: Option<Proposed>,
}

/// A proposed fix.
#[derive(Debug, Clone)]
pub(crate) struct Proposed {
    /// What the fix does.
    pub(crate) title: String,
    /// Whether the fix may be applied without review.
    pub(crate) safety: Safety,
    /// The edits, each with the canonical path of its file.
    pub(crate) edits: Vec<(PathBuf, TextEdit)>,
}

/// The findings of a skill, by the canonical path of their file.
pub(crate) type ByFile = BTreeMap<PathBuf, Vec<Found>>;

/// The current findings.
#[derive(Debug, Default)]
pub(crate) struct Board {
    /// The findings of each file, grouped by the canonical root of the skill in which they were found.
    files: BTreeMap<PathBuf, BTreeMap<PathBuf, Vec<Found>>>,
    /// The files in which each skill has findings.
    of_skill: BTreeMap<PathBuf, BTreeSet<PathBuf>>,
    /// The digest of the findings that were last sent for each file.
    sent: BTreeMap<PathBuf, u64>,
}

impl Board {
    /// Replaces the findings of a skill. Returns the files whose findings may have changed.
    pub(crate) fn set(&mut self, root: &Path, found: ByFile) -> BTreeSet<PathBuf> {
        let now: BTreeSet<PathBuf> = found.keys().cloned().collect();
        let before = if now.is_empty() {
            self.of_skill.remove(root)
        } else {
            self.of_skill.insert(root.to_path_buf(), now.clone())
        };
        let before = before.unwrap_or_default();
        for file in &before {
            if let Some(skills) = self.files.get_mut(file) {
                skills.remove(root);
                if skills.is_empty() {
                    self.files.remove(file);
                }
            }
        }
        for (file, found) in found {
            let skills = self.files.entry(file).or_default();
            skills.insert(root.to_path_buf(), found);
        }
        before.union(&now).cloned().collect()
    }

    /// Returns the findings of a file, sorted by position. If several skills report a finding with the same position
    /// and rule, only the finding of the innermost skill is returned.
    pub(crate) fn of_file(&self, file: &Path) -> Vec<&Found> {
        let skills = self.files.get(file).into_iter().flatten();
        let mut skills: Vec<_> = skills.collect();
        skills.sort_by_key(|(root, _)| std::cmp::Reverse(root.as_os_str().len()));
        let mut seen = BTreeSet::new();
        let all = skills.into_iter().flat_map(|(_, found)| found);
        let is_new = |found: &&Found| {
            let start = found.diagnostic.range.start;
            seen.insert((start.line, start.character, found.rule.clone()))
        };
        let mut all: Vec<&Found> = all.filter(is_new).take(MAX_IN_FILE).collect();
        all.sort_by_key(|found| found.diagnostic.range.start);
        all
    }

    /// Returns the files that have findings.
    pub(crate) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.files.keys()
    }

    /// Records that these findings are sent for a file. Returns whether they differ from the findings that were last
    /// sent for the file.
    pub(crate) fn send(&mut self, file: &Path, shown: &str) -> bool {
        let digest = digest(shown);
        let is_empty = !self.files.contains_key(file);
        let before = if is_empty {
            self.sent.remove(file)
        } else {
            self.sent.insert(file.to_path_buf(), digest)
        };
        match before {
            Some(before) => before != digest || is_empty,
            None => !is_empty,
        }
    }
}

/// Returns a digest of a string. The algorithm can change with the version of Rust, so do not store the digest.
pub(crate) fn digest(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Converts the report on a skill to the findings that are shown for each file.
///
/// `cwd`: the directory that the paths of scripts are relative to.
///
/// # Errors
/// E999 if the call is cancelled.
pub(crate) fn shown(
    client: &Client,
    skill: &Skill,
    live: LiveReport,
    cwd: &Path,
    stop: &Stop,
) -> Result<ByFile> {
    let mut all = ByFile::new();
    let mut tables = Tables::new(client.encoding);
    let mut seen: BTreeMap<PathBuf, BTreeSet<(usize, usize, String)>> = BTreeMap::new();
    for finding in live.report.diagnostics {
        stop.check()?;
        let file = cwd.join(finding.file.under(&skill.tree.root));
        let seen = seen.entry(file.clone()).or_default();
        let key = (finding.line, finding.column, finding.rule.to_string());
        // As in `of_file`, only the first of several findings with the same position and rule is shown.
        if seen.len() < MAX_IN_FILE && seen.insert(key) {
            let found = found(client, skill, &mut tables, finding);
            all.entry(file).or_default().push(found);
        }
    }
    if let Some(fault) = live.fault {
        let file = fault.path.clone();
        all.entry(file).or_default().push(of_config(&fault));
    }
    Ok(all)
}

fn found<'s>(
    client: &Client,
    skill: &'s Skill,
    tables: &mut Tables<'s>,
    finding: LintFinding,
) -> Found {
    let document = match &finding.file {
        FoundIn::Skill(file) => skill.document(file),
        FoundIn::Script(_) => None,
    };
    let start = (finding.line, finding.column);
    let end = (finding.end_line, finding.end_column);
    let range = match document {
        Some(document) => {
            let table = tables.of(document);
            Range::new(table.of_place(start), table.of_place(end))
        }
        None => Range::new(plain(start), plain(end)),
    };
    let fix = finding.fix.and_then(|fix| {
        let edits = fix.edits.into_iter().map(|edit| {
            let table = tables.of(skill.document(&edit.file)?);
            let range = Range::new(table.of_place(edit.start), table.of_place(edit.end));
            let path = edit.file.under(&skill.tree.root);
            Some((path, TextEdit::new(range, edit.text)))
        });
        Some(Proposed {
            title: visible(&fix.title),
            safety: fix.safety,
            edits: edits.collect::<Option<_>>()?,
        })
    });
    let severity = match finding.severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
    };
    let message = match &finding.help {
        Some(help) => format!("{}\n{help}", finding.message),
        None => finding.message,
    };
    let message = visible(&message);
    let page = client.rule_pages.as_ref();
    let page = page.and_then(|page| page.replace("{code}", &finding.rule).parse().ok());
    let is_unused = finding.rule == UNUSED_DIRECTIVE;
    Found {
        diagnostic: Diagnostic {
            range,
            severity: Some(severity),
            code: Some(NumberOrString::String(finding.rule.to_string())),
            code_description: page.map(|href| CodeDescription { href }),
            source: Some(SOURCE.to_owned()),
            message,
            tags: is_unused.then(|| vec![DiagnosticTag::UNNECESSARY]),
            ..Diagnostic::default()
        },
        rule: finding.rule.into_owned(),
        is_whole: finding.excerpt.is_none(),
        fix,
    }
}

fn of_config(fault: &ConfigFault) -> Found {
    let at = plain((fault.line, fault.column));
    Found {
        diagnostic: Diagnostic {
            range: Range::new(at, at),
            severity: Some(DiagnosticSeverity::ERROR),
            code: Some(NumberOrString::String(CONFIG_CODE.to_owned())),
            source: Some(SOURCE.to_owned()),
            message: visible(&fault.message),
            ..Diagnostic::default()
        },
        rule: CONFIG_CODE.to_owned(),
        is_whole: false,
        fix: None,
    }
}

/// Returns the position of a 1-based line and column in a file that is not parsed. The column is exact only for ASCII
/// text.
fn plain((line, column): (usize, usize)) -> Position {
    let number = |of: usize| u32::try_from(of.saturating_sub(1)).unwrap_or(u32::MAX);
    Position::new(number(line), number(column))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, rule: &str) -> Found {
        let at = Position::new(line, 0);
        Found {
            diagnostic: Diagnostic::new_simple(Range::new(at, at), rule.to_owned()),
            rule: rule.to_owned(),
            is_whole: false,
            fix: None,
        }
    }

    fn by_file(file: &str, found: Vec<Found>) -> ByFile {
        ByFile::from([(PathBuf::from(file), found)])
    }

    #[test]
    fn a_finding_of_two_skills_is_shown_once() {
        let mut board = Board::default();
        let file = Path::new("/a/b/x.md");
        board.set(
            Path::new("/a"),
            by_file("/a/b/x.md", vec![at(3, "R1"), at(1, "R2")]),
        );
        board.set(Path::new("/a/b"), by_file("/a/b/x.md", vec![at(3, "R1")]));
        let rules = |board: &Board| -> Vec<String> {
            let found = board.of_file(file).into_iter();
            found.map(|of| of.rule.clone()).collect()
        };
        assert_eq!(rules(&board), ["R2", "R1"]);
        let changed = board.set(Path::new("/a"), ByFile::new());
        assert_eq!(changed, BTreeSet::from([file.to_path_buf()]));
        assert_eq!(rules(&board), ["R1"]);
        board.set(Path::new("/a/b"), ByFile::new());
        assert_eq!(board.files().count(), 0);
    }

    #[test]
    fn only_news_is_sent() {
        let mut board = Board::default();
        let file = Path::new("/a/x.md");
        assert!(!board.send(file, "[]"));
        board.set(Path::new("/a"), by_file("/a/x.md", vec![at(3, "R1")]));
        assert!(board.send(file, "[1]") && !board.send(file, "[1]"));
        assert!(board.send(file, "[2]"));
        board.set(Path::new("/a"), ByFile::new());
        assert!(board.send(file, "[]") && !board.send(file, "[]"));
    }
}
