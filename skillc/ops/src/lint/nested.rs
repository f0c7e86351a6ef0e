//! Nested skills: a finding in an inner skill is not repeated for the skills that contain it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use skillc_core::layout::SKILL_FILE;
use skillc_core::skill::is_of_skill;
use skillc_core::{RelPath, Skill};
use skillc_lint::finding::LintFinding;

use super::report::SkillReport;

/// The key that identifies a finding across skills: file, line, column, rule. The message is not part of the key,
/// because it may show another path for the file.
type Identity<'a> = (PathBuf, usize, usize, &'a str);

/// The directories of the skills that are nested in a skill.
pub(super) struct InnerSkills(BTreeSet<RelPath>);

impl InnerSkills {
    pub(super) fn from_skill(skill: &Skill) -> Self {
        let mains = skill.documents().filter(|doc| {
            let is_main = doc.path.file_name().eq_ignore_ascii_case(SKILL_FILE);
            is_main && !skill.is_main(doc) && is_of_skill(&doc.frontmatter)
        });
        let dirs = mains.filter_map(|main| {
            let (dir, _) = main.path.as_str().rsplit_once('/')?;
            RelPath::parse(dir).ok()
        });
        Self(dirs.collect())
    }

    pub(super) fn dirs(&self) -> impl Iterator<Item = &RelPath> {
        self.0.iter()
    }

    /// Returns whether a file belongs to one of the inner skills.
    pub(super) fn have(&self, file: &RelPath) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let above = |dir: &RelPath| Some(dir.parent()).filter(|dir| !dir.as_str().is_empty());
        std::iter::successors(above(file), above).any(|dir| self.0.contains(&dir))
    }
}

/// Drops a finding from a skill's report if a skill nested in it reports the same finding.
///
/// `dirs`: the canonical directory of each report.
pub(super) fn drop_repeated(reports: &mut [SkillReport], dirs: &[&Path]) {
    let related = related(dirs);
    let mut innermost: BTreeMap<Identity<'_>, usize> = BTreeMap::new();
    for &at in &related {
        let found = reports[at].diagnostics.iter();
        innermost.extend(found.map(|finding| (identity(finding, dirs[at]), at)));
    }
    let kept = |at: usize| {
        let found = reports[at].diagnostics.iter();
        let is_kept = |finding| innermost.get(&identity(finding, dirs[at])) == Some(&at);
        found.map(is_kept).collect::<Vec<bool>>()
    };
    let kept: Vec<(usize, Vec<bool>)> = related.iter().map(|&at| (at, kept(at))).collect();
    for (at, kept) in kept {
        reports[at].keep(&kept);
    }
}

fn identity<'a>(finding: &'a LintFinding, dir: &Path) -> Identity<'a> {
    (
        finding.file.under(dir),
        finding.line,
        finding.column,
        &finding.rule,
    )
}

/// Returns the indices of the directories that contain, or are contained in, another of the directories. Outer
/// directories come before inner ones.
fn related(dirs: &[&Path]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..dirs.len()).collect();
    order.sort_by_key(|at| dirs[*at]);
    let mut related: Vec<usize> = Vec::new();
    let mut outer: Option<usize> = None;
    for at in order {
        match outer {
            Some(outer) if dirs[at].starts_with(dirs[outer]) => {
                if related
                    .last()
                    .is_none_or(|last| !dirs[*last].starts_with(dirs[outer]))
                {
                    related.push(outer);
                }
                related.push(at);
            }
            _ => outer = Some(at),
        }
    }
    related
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_nested_directories_are_related() {
        let dirs = ["/a/x", "/b", "/a", "/a-b", "/a/y/z", "/c/d", "/c"].map(Path::new);
        let related: Vec<&Path> = related(&dirs).into_iter().map(|at| dirs[at]).collect();
        let expected = ["/a", "/a/x", "/a/y/z", "/c", "/c/d"].map(Path::new);
        assert_eq!(related, expected);
        assert!(super::related(&[Path::new("/a"), Path::new("/b")]).is_empty());
    }
}
