//! `--fix` and `--diff`: apply the fixes of findings, or show them. Command line only: no MCP tool writes to a skill.
//!
//! Compiled skills are never changed. The files of a nested skill are fixed only as part of that skill, not as part of
//! the outer skill.
//!
//! Design: R22.

mod diff;
mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use serde::Serialize;
use skillc_core::budget::ScriptBudget;
use skillc_core::layout::{RuntimeDir, Scope as StoreScope, canonical, is_home};
use skillc_core::skill::is_compiled;
use skillc_core::source::Stamp;
use skillc_core::{RelPath, Result, Skill};
use skillc_lint::finding::main_file;
use skillc_lint::repair::{CheckBudget, Refused, Repair, repair};
use skillc_lint::{Diagnostic, Fix, Linter, Safety};

use self::diff::unified;
use self::write::{Change, write_all};
use super::check::Compiled;
use super::nested::InnerSkills;
use super::report::SkillReport;
use super::scope::{FoundSkill, Scope};
use crate::staged::Durability;
use crate::toolkit::Toolkit;

/// What to do about findings besides reporting them. Not available in JSON requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct FixRequest {
    /// Apply safe fixes
    #[cfg_attr(feature = "clap", arg(long, group = "fixing"))]
    pub fix: bool,
    /// Show the fixes as a diff without applying them
    #[cfg_attr(feature = "clap", arg(long, group = "fixing"))]
    pub diff: bool,
    /// Also apply (or show) fixes that need review
    #[cfg_attr(feature = "clap", arg(long, requires = "fixing"))]
    pub unsafe_fixes: bool,
}

/// The result of fixing one skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkillFixes {
    /// The number of findings that were fixed, or that would be fixed.
    pub fixed: usize,
    /// The files that changed, or would change, sorted bytewise.
    pub files: Vec<RelPath>,
    /// The fixes that were not applied, in the order of their findings.
    pub refused: Vec<RefusedFix>,
    /// The changes as a unified diff; empty if they were written.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub diff: String,
    /// Canonical paths of the files that were written, with their stamps right after the write.
    #[serde(skip)]
    pub written: Vec<(PathBuf, Stamp)>,
}

/// A fix that was not applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RefusedFix {
    /// The rule's code.
    pub rule: String,
    /// The file, relative to the skill's root.
    pub file: RelPath,
    /// The 1-based line number.
    pub line: usize,
    /// The finding's message.
    pub message: String,
    /// Why it was not applied, worded as the end of a sentence.
    pub reason: String,
}

impl FixRequest {
    /// Returns whether fixes are requested, either to be applied or only to be shown.
    pub const fn is_asked(self) -> bool {
        self.fix || self.diff
    }

    const fn least(self) -> Safety {
        if self.unsafe_fixes {
            Safety::Unsafe
        } else {
            Safety::Safe
        }
    }
}

/// Returns the linter of the skill in a directory.
pub(super) type LinterOf<'a> = &'a dyn Fn(&Path) -> Result<Arc<Linter>>;

/// Fixes the skills of a run sequentially, inner ones first.
///
/// Returns the result for each skill, in order; `None` for a skill that is not fixed, or that cannot be read (its
/// report contains the reason).
///
/// # Errors
/// In a run over a single skill, the error from writing a file. Otherwise, the skill's report contains this error.
pub(super) fn run(
    toolkit: &Toolkit,
    linter_of: LinterOf<'_>,
    scope: &Scope,
    compiled: Compiled,
    request: FixRequest,
) -> Result<Vec<Option<Result<SkillFixes>>>> {
    let skills = &scope.skills;
    let mut all: Vec<Option<Result<SkillFixes>>> = skills.iter().map(|_| None).collect();
    if !request.is_asked() {
        return Ok(all);
    }
    let mut order: Vec<usize> = (0..skills.len()).collect();
    order.sort_by(|one, other| skills[*other].at.canonical.cmp(&skills[*one].at.canonical));
    let dirs = skills.iter().map(|found| found.at.canonical.as_path());
    let dirs: BTreeSet<&Path> = dirs.collect();
    let work = toolkit.work("Fixing skills", skills.len());
    // The skills are fixed sequentially, so the budget left for each does not depend on the machine's load.
    let mut checks = CheckBudget::default();
    for at in order {
        toolkit.stop.check()?;
        let found = &skills[at];
        work.advance()?;
        if compiled == Compiled::Skipped && is_compiled(&found.at) {
            continue;
        }
        let (Ok(skill), Ok(linter)) = (
            Skill::read(found.at.clone()),
            linter_of(&found.at.canonical),
        ) else {
            continue;
        };
        let own = Own::new(&skill, &dirs);
        let done = toolkit.scripts.for_one(|budget| {
            fix(
                toolkit,
                &skill,
                &linter,
                &own,
                found,
                (budget, &mut checks),
                request,
            )
        });
        all[at] = Some(match done {
            Err(error) if scope.is_single => return Err(error),
            done => done,
        });
    }
    Ok(all)
}

/// Adds the results of fixing to the reports of a run.
pub(super) fn add(reports: &mut [SkillReport], fixes: Vec<Option<Result<SkillFixes>>>) {
    for (report, fixes) in reports.iter_mut().zip(fixes) {
        match fixes {
            Some(Ok(fixes)) => report.fixes = Some(fixes),
            Some(Err(error)) => report.failure = Some(error.to_string()),
            None => {}
        }
    }
}

fn fix(
    toolkit: &Toolkit,
    skill: &Skill,
    linter: &Linter,
    own: &Own,
    found: &FoundSkill,
    (budget, checks): (&ScriptBudget, &mut CheckBudget),
    request: FixRequest,
) -> Result<SkillFixes> {
    // The skill is linted again each time fixes are tried: all these runs share one script budget.
    let lint = |skill: &Skill| {
        let mut found = linter.run_within(skill, budget);
        for finding in &mut found {
            finding.fix.take_if(|fix| !own.has_all(fix));
        }
        found
    };
    if skill.is_compiled() {
        let reason = "the skill is build output: fix its source";
        return Ok(none_of(
            &linter.run_within(skill, budget),
            skill,
            request,
            reason,
        ));
    }
    if leads_out(toolkit, skill) {
        let reason = format!(
            "it is a symlink to a folder outside the project: fix it there, in '{}'",
            skill.at.canonical.display()
        );
        return Ok(none_of(
            &linter.run_within(skill, budget),
            skill,
            request,
            &reason,
        ));
    }
    let Repair {
        texts,
        fixed,
        refused,
        ..
    } = repair(skill, &lint, request.least(), &names(skill), checks);
    let changes: Vec<Change<'_>> = texts
        .iter()
        .filter_map(|(path, after)| {
            let before = &skill.document(path)?.text;
            Some(Change {
                path,
                before,
                after,
            })
        })
        .collect();
    let (mut diff, mut written) = (String::new(), Vec::new());
    if request.fix {
        write_all(
            &skill.tree.root,
            &changes,
            Durability::from_context(&toolkit.context),
        )?;
        written.extend(changes.iter().filter_map(|of| stamped(skill, of.path)));
    } else {
        let shown = |path: &RelPath| match found.folder.as_str() {
            "" | "." => path.to_string(),
            folder => format!("{folder}/{path}"),
        };
        let diffs = changes.iter();
        diff.extend(diffs.map(|of| unified(&shown(of.path), of.before, of.after)));
    }
    Ok(SkillFixes {
        fixed,
        files: texts.into_keys().collect(),
        refused: refused
            .into_iter()
            .map(|fix| refused_fix(fix, skill))
            .collect(),
        diff,
        written,
    })
}

/// Applies the safe fixes that change only one file of a skill to the text of that file. Writes nothing to disk.
///
/// Returns the file's new text; `None` if no fix is accepted, or if skc does not fix the skill.
///
/// # Errors
/// E999 if the call is cancelled.
pub(super) fn fixed_text(
    toolkit: &Toolkit,
    skill: &Skill,
    linter: &Linter,
    file: &RelPath,
) -> Result<Option<String>> {
    if skill.is_compiled() || leads_out(toolkit, skill) {
        return Ok(None);
    }
    let own = Own::new(skill, &BTreeSet::new());
    let mut done = toolkit.scripts.for_one(|budget| {
        let lint = |skill: &Skill| {
            let mut found = linter.run_within(skill, budget);
            let is_here = |fix: &Fix| fix.edits.iter().all(|edit| edit.file == *file);
            for finding in &mut found {
                finding
                    .fix
                    .take_if(|fix| !(is_here(fix) && own.has_all(fix)));
            }
            found
        };
        let mut checks = CheckBudget::default();
        repair(skill, &lint, Safety::Safe, &names(skill), &mut checks)
    });
    // The findings of a cancelled run are incomplete, so every fix seems to remove its finding.
    toolkit.stop.check()?;
    Ok(done.texts.remove(file))
}

/// Returns the path of a written file with its current stamp.
fn stamped(skill: &Skill, path: &RelPath) -> Option<(PathBuf, Stamp)> {
    let real = path.under(&skill.tree.root).canonicalize().ok()?;
    let metadata = real.metadata().ok()?;
    Some((real, Stamp::from_metadata(&metadata)))
}

/// Returns whether a symlink leads from a project to a skill outside it: a repository must not choose which of the
/// user's files are written. In a home directory, symlinks are the user's own.
fn leads_out(toolkit: &Toolkit, skill: &Skill) -> bool {
    let context = &toolkit.context;
    let stores = toolkit
        .stores
        .iter()
        .filter(|of| of.scope == StoreScope::Project);
    let roots = stores.map(|store| &*store.root).chain([&*context.cwd]);
    let roots: Vec<&Path> = roots.filter(|root| !is_home(context, root)).collect();
    let at = &skill.at;
    let is_plain = !at
        .source
        .components()
        .any(|part| part == Component::ParentDir);
    let is_in = |root: &&Path| at.source.starts_with(root);
    let is_really_in = |root: &&Path| at.canonical.starts_with(canonical(root));
    is_plain && roots.iter().any(is_in) && !roots.iter().any(is_really_in)
}

/// Refuses all requested fixes of a skill, for the same reason.
fn none_of(found: &[Diagnostic], skill: &Skill, request: FixRequest, reason: &str) -> SkillFixes {
    let asked = found.iter().filter(|finding| {
        let fix = finding.fix.as_ref();
        fix.is_some_and(|fix| fix.safety <= request.least())
    });
    let refused = asked.map(|finding| {
        let finding = finding.clone();
        let reason = reason.to_owned();
        refused_fix(Refused { finding, reason }, skill)
    });
    SkillFixes {
        fixed: 0,
        files: Vec::new(),
        refused: refused.collect(),
        diff: String::new(),
        written: Vec::new(),
    }
}

fn refused_fix(refused: Refused, skill: &Skill) -> RefusedFix {
    let Refused { finding, reason } = refused;
    RefusedFix {
        rule: finding.rule.into_owned(),
        file: finding.file.unwrap_or_else(|| main_file(skill)),
        line: finding.line,
        message: finding.message,
        reason,
    }
}

/// For each file that has several paths because of symlinks, maps the other paths to the path that edits use: the real
/// path, if it is in the skill.
fn names(skill: &Skill) -> BTreeMap<RelPath, RelPath> {
    let root = &skill.tree.root;
    // Without symlinks, every file has one path.
    if skill.tree.dirs.is_some() {
        return BTreeMap::new();
    }
    let mut by_place: BTreeMap<PathBuf, Vec<&RelPath>> = BTreeMap::new();
    for document in skill.documents() {
        let place = canonical(&document.path.under(root));
        by_place.entry(place).or_default().push(&document.path);
    }
    let mut names = BTreeMap::new();
    for (place, paths) in by_place {
        let is_own = |path: &&&RelPath| path.under(root) == place;
        let Some(own) = paths.iter().find(is_own).or(paths.first()) else {
            continue;
        };
        let others = paths.iter().filter(|path| path != &own);
        names.extend(others.map(|path| ((*path).clone(), (*own).clone())));
    }
    names
}

/// Determines which files in a skill's directory are fixed together with the skill.
struct Own {
    root: PathBuf,
    /// Directories inside the skill that are other skills or build output.
    others: BTreeSet<PathBuf>,
    /// Cache of answers: the same file occurs in many findings.
    known: Mutex<BTreeMap<RelPath, bool>>,
}

impl Own {
    /// `skills`: the directories of the run's skills.
    fn new(skill: &Skill, skills: &BTreeSet<&Path>) -> Self {
        let root = skill.tree.root.clone();
        // The directories below the root come directly after it.
        let after = (Bound::Excluded(root.as_path()), Bound::Unbounded);
        let inner = skills.range::<Path, _>(after).copied();
        let inner = inner.take_while(|dir| dir.starts_with(&root));
        let mut others: BTreeSet<PathBuf> = inner.map(Path::to_path_buf).collect();
        let folders = skill.documents().flat_map(|doc| {
            let path = doc.path.under(&root);
            let above: Vec<PathBuf> = path.ancestors().skip(1).map(Path::to_path_buf).collect();
            above.into_iter().take_while(|dir| dir.starts_with(&root))
        });
        let mut folders: Vec<PathBuf> = folders.collect();
        folders.sort();
        folders.dedup();
        let is_compiled = |dir: &PathBuf| RuntimeDir(dir.clone()).manifest().is_file();
        others.extend(folders.into_iter().filter(is_compiled));
        others.extend(
            InnerSkills::from_skill(skill)
                .dirs()
                .map(|dir| dir.under(&root)),
        );
        Self {
            root,
            others,
            known: Mutex::default(),
        }
    }

    /// Returns whether all files that a fix changes belong to the skill.
    fn has_all(&self, fix: &Fix) -> bool {
        let mut known = self.known.lock();
        fix.edits.iter().all(|edit| {
            if let Some(is_own) = known.get(&edit.file) {
                return *is_own;
            }
            let path = edit.file.under(&self.root);
            // A symlink may lead into another skill.
            let real = canonical(&path);
            let mut dirs = path.ancestors().chain(real.ancestors());
            let is_own = !dirs.any(|dir| self.others.contains(dir));
            known.insert(edit.file.clone(), is_own);
            is_own
        })
    }
}
