//! Determines which rows of a log belong to a skill and to the requested projects.
//!
//! Skills of the same name can share a log. Each row records a directory, and belongs to the skill in this directory.
//! If there is no longer a skill in the directory, the skill was moved, and the row belongs to the skill that uses the
//! log now.
//!
//! Design: C-FILTERS, C-RESOLUTION@7, D-STATS-SHARED-DB.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use skillc_core::layout::canonical;
use skillc_core::resolve::is_skill;

/// The limit on cached paths.
const MAX_KNOWN: usize = 1 << 16;

/// Returns whether a row with this `skill_path` belongs to a skill.
///
/// `skill`: the canonical directory of the skill.
pub(super) fn owns(skill: &Path, skill_path: &str) -> bool {
    let other = Path::new(skill_path);
    other == skill || !other.is_absolute() || !is_skill(other) || canonical(other) == skill
}

/// Returns whether a working directory is in one of the projects, whose paths must be canonical.
fn is_within(cwd: &str, projects: &[PathBuf]) -> bool {
    let cwd = canonical(Path::new(cwd));
    cwd.is_absolute() && projects.iter().any(|project| cwd.starts_with(project))
}

/// A predicate on paths that caches its results, because logs are repetitive.
pub(super) struct Remembered<F> {
    ask: F,
    last: (String, bool),
    known: HashMap<String, bool>,
}

impl<F: Fn(&str) -> bool> Remembered<F> {
    pub(super) fn new(ask: F) -> Self {
        let empty = ask("");
        Self {
            ask,
            last: (String::new(), empty),
            known: HashMap::new(),
        }
    }

    pub(super) fn ask(&mut self, path: &str) -> bool {
        if self.last.0 == path {
            return self.last.1;
        }
        let answer = self.known.get(path).copied().unwrap_or_else(|| {
            let answer = (self.ask)(path);
            if self.known.len() < MAX_KNOWN {
                self.known.insert(path.to_owned(), answer);
            }
            answer
        });
        path.clone_into(&mut self.last.0);
        self.last.1 = answer;
        answer
    }
}

/// Returns a predicate that selects the rows of a skill from the given projects. Its arguments are a row's skill path
/// and working directory.
pub(super) fn chooser<'a>(
    skill: &'a Path,
    projects: &'a [PathBuf],
) -> impl FnMut(&str, &str) -> bool + use<'a> {
    let mut is_ours = Remembered::new(|path: &str| owns(skill, path));
    let mut is_wanted =
        Remembered::new(|cwd: &str| projects.is_empty() || is_within(cwd, projects));
    move |skill_path, cwd| is_ours.ask(skill_path) && is_wanted.ask(cwd)
}
