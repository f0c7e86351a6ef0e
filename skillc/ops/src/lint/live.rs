//! Lints one skill at a time for an editor, with the text of open files.
//!
//! Configuration, presets, baseline, directives and scripts apply as in `skc lint`, with one difference: while a
//! configuration file is invalid, the last valid configuration applies, and the fault is reported in the file.
//!
//! Design: R1, R41.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::slice;
use std::sync::Arc;

use skillc_core::clients::{Client, Clients};
use skillc_core::resolve::{Surroundings, main_file};
use skillc_core::skill::is_compiled;
use skillc_core::{Context, Error, RelPath, Result, Skill, SkillRef};
use skillc_lint::config::{BaselineFile, FILE, Section};
use skillc_lint::{Choice, Diagnostic, Linter, RunSkill};

use super::baseline::Known;
use super::config::{Linters, MAX_COST, files};
use super::fixing::fixed_text;
use super::report::SkillReport;
use super::scripts::tell_once;
use crate::notes::Notes;
use crate::skill_walk::{Reach, skills_below};
use crate::toolkit::Toolkit;

pub use super::input::real_folder;

/// The limit on directory entries that a search for skills in a workspace reads: the workspace may be `/`.
const MAX_ENTRIES: usize = 200_000;

/// The limit on cached configurations.
const MAX_KEPT: usize = 1000;

/// A file and the skill that contains it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceInSkill {
    /// The skill.
    pub at: SkillRef,
    /// The file, relative to the skill's root; it need not exist.
    pub file: RelPath,
}

/// Finds the innermost skill that contains a file.
///
/// `path`: absolute. `is_open`: returns whether the `SKILL.md` of a canonical directory is open in the editor. Such a
/// directory is a skill even if the `SKILL.md` or the directory itself is not on disk.
///
/// Returns `None` if no skill contains the file, or if the path contains `..`.
pub fn skill_of(
    context: &Context,
    path: &Path,
    is_open: &dyn Fn(&Path) -> bool,
) -> Option<PlaceInSkill> {
    if path.components().any(|part| part == Component::ParentDir) {
        return None;
    }
    let (name, dir) = (path.file_name()?, path.parent()?);
    let file = real_folder(dir)?.join(name);
    let is_unsaved = |dir: &Path| real_folder(dir).is_some_and(|real| is_open(&real));
    let mut around = dir.ancestors();
    let folder = around.find(|dir| main_file(dir).is_some() || is_unsaved(dir))?;
    let (asked, root) = (folder.display().to_string(), real_folder(folder)?);
    // Remove `.` components. `canonical` would not resolve the symlinks above a directory that does not exist.
    let folder: PathBuf = folder.components().collect();
    let at = Surroundings::new(context).skill_at_real(&asked, folder, root);
    let file = RelPath::below(&at.canonical, &file)?;
    Some(PlaceInSkill { at, file })
}

/// Finds the skills in a folder and below it, sorted by path.
///
/// # Errors
/// E999 if the folder cannot be read, or has more than 200,000 entries in total.
pub fn skills_in(toolkit: &Toolkit, folder: &Path) -> Result<Vec<SkillRef>> {
    let reach = Reach::new(None).until(&toolkit.stop);
    let reach = reach.with_max_entries(MAX_ENTRIES);
    // Remove `.` components, so that the path is a prefix of the paths below it.
    let folder: PathBuf = folder.components().collect();
    // Drop the notes: an editor cannot show them.
    let found = skills_below(&folder, reach, Clients::shared(), &mut Notes::default())?;
    let surroundings = Surroundings::new(&toolkit.context);
    let found = found.into_iter().filter(|place| place.main.is_some());
    let found = found.map(|place| {
        let asked = place.dir.display().to_string();
        surroundings.skill_at_real(&asked, place.dir, place.real)
    });
    Ok(found.collect())
}

/// Runs the rules that compare skills. Returns the findings, each with the index of its skill.
pub fn compare(toolkit: &Toolkit, skills: &[RunSkill]) -> Vec<(usize, Diagnostic)> {
    if skills.len() < 2 {
        return Vec::new();
    }
    let Ok(linters) = Linters::new(toolkit, Choice::default(), Vec::new()) else {
        return Vec::new();
    };
    let plain = linters.plain();
    toolkit
        .scripts
        .for_one(|budget| plain.check_run(skills, budget))
}

/// The findings of one skill.
#[derive(Debug)]
pub struct LiveReport {
    /// The findings; empty if there has never been a valid configuration.
    pub report: SkillReport,
    /// The data for rules that compare skills; `None` for build output.
    pub compared: Option<RunSkill>,
    /// The error in the current configuration, which therefore does not apply.
    pub fault: Option<ConfigFault>,
}

/// A fault in a configuration file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigFault {
    /// The file.
    pub path: PathBuf,
    /// The 1-based line.
    pub line: usize,
    /// The 1-based column, in characters.
    pub column: usize,
    /// The error, and a suggestion.
    pub message: String,
}

/// Lints skills for an editor. Keeps the last valid configuration of each directory with a configuration file.
#[derive(Default)]
pub struct LiveLint {
    /// The ids of the clients to use instead of the configured clients; empty to use the configured clients.
    for_clients: Vec<String>,
    /// The key is the innermost directory with a `.skilllint.toml`; `None` if there is none.
    kept: BTreeMap<Option<PathBuf>, Valid>,
}

/// A valid configuration.
#[derive(Clone)]
struct Valid {
    linter: Arc<Linter>,
    /// The cost of the configuration files; see [`Linters::cost`].
    cost: usize,
    baseline: Option<(BaselineFile, bool)>,
}

impl LiveLint {
    /// Creates a linter for the given clients, which override the configured clients. An empty list keeps the
    /// configured clients.
    ///
    /// `ids`: the ids of known clients. An unknown client would make every configuration invalid.
    pub fn for_clients(ids: Vec<String>) -> Self {
        Self {
            for_clients: ids,
            kept: BTreeMap::new(),
        }
    }

    /// Lints a skill.
    ///
    /// `toolkit`: the toolkit of this call, which contains the current configuration. `skill`: the skill, with the text
    /// of open files. `among`: the skill's findings from [`compare`].
    ///
    /// # Errors
    /// E999 if the call is cancelled.
    pub fn lint(
        &mut self,
        toolkit: &Toolkit,
        skill: &Skill,
        among: Vec<Diagnostic>,
    ) -> Result<LiveReport> {
        let (valid, mut fault) = self.valid(toolkit, &skill.tree.root);
        let is_compiled = is_compiled(&skill.at);
        let found = valid.as_ref().map_or_else(Vec::new, |valid| {
            toolkit.scripts.for_one(|budget| {
                if is_compiled {
                    valid.linter.run_security(skill, budget)
                } else {
                    valid.linter.run_among(skill, among, budget)
                }
            })
        });
        toolkit.stop.check()?;
        let mut report = SkillReport::new(skill, found);
        report.skipped = is_compiled;
        let baseline = valid.and_then(|valid| valid.baseline);
        if let Some(named) = baseline.filter(|(list, _)| skill.tree.root.starts_with(&list.root)) {
            match Known::of_skill(toolkit, &named) {
                Ok(known) => known.hide(toolkit, &mut report, &skill.tree.root),
                Err(error) => {
                    fault = fault.or_else(|| Some(fault_of(toolkit, &skill.tree.root, &error)));
                }
            }
        }
        let faults = &toolkit.loaded().faults;
        tell_once(slice::from_mut(&mut report), faults, &mut BTreeSet::new());
        let compared = RunSkill::from_skill(skill).filter(|_| !is_compiled);
        Ok(LiveReport {
            report,
            compared,
            fault,
        })
    }

    /// Returns the clients that a skill targets; all clients if the configuration names no clients.
    pub fn clients(&mut self, toolkit: &Toolkit, skill: &Skill) -> Vec<Client> {
        let (valid, _) = self.valid(toolkit, &skill.tree.root);
        let named = valid.map_or_else(Vec::new, |valid| valid.linter.clients().to_vec());
        if named.is_empty() {
            return Clients::shared().clients.clone();
        }
        named
    }

    /// Applies the safe fixes that change only one file of a skill to the text of that file. Writes nothing to disk.
    ///
    /// Returns the file's new text; `None` if there is nothing to fix.
    ///
    /// # Errors
    /// E999 if the call is cancelled.
    pub fn fixed_text(
        &mut self,
        toolkit: &Toolkit,
        skill: &Skill,
        file: &RelPath,
    ) -> Result<Option<String>> {
        match self.valid(toolkit, &skill.tree.root) {
            (Some(valid), _) => fixed_text(toolkit, skill, &valid.linter, file),
            (None, _) => Ok(None),
        }
    }

    /// Returns the current configuration for a skill. If it is invalid, returns the last valid configuration, if any,
    /// and the fault. `root`: the skill's canonical directory.
    fn valid(&mut self, toolkit: &Toolkit, root: &Path) -> (Option<Valid>, Option<ConfigFault>) {
        let key = root.ancestors().find(|dir| has_config(dir));
        let key = key.map(Path::to_path_buf);
        match current(toolkit, root, &self.for_clients) {
            Ok(valid) => {
                let cost: usize = self.kept.values().map(|valid| valid.cost).sum();
                if self.kept.len() >= MAX_KEPT || cost > MAX_COST {
                    self.kept.clear();
                }
                self.kept.insert(key, valid.clone());
                (Some(valid), None)
            }
            Err(error) => {
                let valid = self.kept.get(&key).cloned();
                (valid, Some(fault_of(toolkit, root, &error)))
            }
        }
    }
}

fn has_config(dir: &Path) -> bool {
    dir.join(FILE).symlink_metadata().is_ok()
}

/// Reads the current configuration for the skill whose canonical directory is `root`.
fn current(toolkit: &Toolkit, root: &Path, for_clients: &[String]) -> Result<Valid> {
    let linters = Linters::new(toolkit, Choice::default(), for_clients.to_vec())?;
    Ok(Valid {
        linter: linters.for_dir(root)?,
        baseline: linters.baseline_for(root)?,
        cost: linters.cost(),
    })
}

/// Finds the configuration file that an error is about. If the error names no file, returns the innermost file that
/// applies to the skill.
///
/// `root`: the skill's canonical directory.
fn fault_of(toolkit: &Toolkit, root: &Path, error: &Error) -> ConfigFault {
    let (message, hint) = match error {
        Error::InvalidOption { message, hint } => {
            (message.clone(), hint.as_ref().map(ToString::to_string))
        }
        other => (other.to_string(), None),
    };
    let reader = files(toolkit);
    let own = root.ancestors().filter(|dir| has_config(dir));
    let mut named: Vec<PathBuf> = own.map(|dir| dir.join(FILE)).collect();
    let local = named.clone();
    for path in &local {
        named.extend(reader.extended_by(path, Section::File));
    }
    for text in &toolkit.config.lint {
        named.push(text.path.clone());
        named.extend(reader.extended_by(&text.path, Section::Lint(&text.root)));
    }
    let at = named.iter().find_map(|path| {
        let rest = message.strip_prefix(&path.display().to_string())?;
        let (line, column, what) = position(rest)?;
        Some((path.clone(), line, column, what.to_owned()))
    });
    let innermost = || named.first().cloned().unwrap_or_else(|| root.join(FILE));
    let (path, line, column, what) = at.unwrap_or_else(|| (innermost(), 1, 1, message.clone()));
    let message = match hint {
        Some(hint) => format!("{what}\n{hint}"),
        None => what,
    };
    ConfigFault {
        path,
        line,
        column,
        message,
    }
}

/// Parses the part of a configuration error after the path: `:3:1: unknown key`, or `: larger than 1 MiB`.
fn position(rest: &str) -> Option<(usize, usize, &str)> {
    if let Some(what) = rest.strip_prefix(": ") {
        return Some((1, 1, what));
    }
    let (line, rest) = rest.strip_prefix(':')?.split_once(':')?;
    let (column, what) = rest.split_once(": ")?;
    Some((line.parse().ok()?, column.parse().ok()?, what))
}

#[cfg(test)]
mod tests {
    use skillc_core::testkit::{context, write_files};

    use super::*;

    #[test]
    fn the_innermost_skill_contains_a_file_that_need_not_exist() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        write_files(&root, &[("a/SKILL.md", ""), ("a/in/b/SKILL.md", "")]);
        let context = context(&root, &root);
        let of_open = |path: &str, open: &str| {
            let open = root.join(open);
            let place = skill_of(&context, &root.join(path), &|dir| dir == open)?;
            Some((place.at.canonical, place.file.to_string()))
        };
        let of = |path: &str| of_open(path, "elsewhere");
        let expected = |skill: &str, file: &str| Some((root.join(skill), file.to_owned()));
        assert_eq!(of("a/SKILL.md"), expected("a", "SKILL.md"));
        assert_eq!(of("a/new/x.md"), expected("a", "new/x.md"));
        assert_eq!(of("a/in/b/x.md"), expected("a/in/b", "x.md"));
        assert_eq!(of("new.md"), None);
        assert_eq!(of("a/../new.md"), None);
        assert_eq!(of("gone/SKILL.md"), None);
        assert_eq!(of("a/in/SKILL.md"), expected("a", "in/SKILL.md"));
        // An open `SKILL.md` makes its directory a skill, even if the directory does not exist.
        for (path, open, file) in [
            ("gone/SKILL.md", "gone", "SKILL.md"),
            ("gone/new/x.md", "gone", "new/x.md"),
            ("a/in/SKILL.md", "a/in", "SKILL.md"),
            ("a/in/x.md", "a/in", "x.md"),
        ] {
            assert_eq!(of_open(path, open), expected(open, file), "{path}");
        }
        assert_eq!(of_open("a/x.md", "a/in"), expected("a", "x.md"));
    }

    #[test]
    fn a_configuration_error_has_a_position_after_its_path() {
        assert_eq!(
            position(":3:14: unknown key 'a: b'"),
            Some((3, 14, "unknown key 'a: b'"))
        );
        assert_eq!(position(": too large"), Some((1, 1, "too large")));
        assert_eq!(position("x:3:1: other"), None);
        assert_eq!(position(":x:1: other"), None);
    }
}
