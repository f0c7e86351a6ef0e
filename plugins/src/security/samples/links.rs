//! Finds the files that have further paths because of symlinks in the skill, hidden or not.

use std::collections::BTreeSet;

use skillc_core::RelPath;

/// The maximum number of symlinks on one path. If there are more, the targets of all symlinks count.
const MAX_CHAIN: usize = 4;

/// The targets of some of a skill's symlinks, as paths relative to the root.
#[derive(Debug, Default)]
pub(crate) struct Targets(BTreeSet<String>);

impl Targets {
    /// Returns the targets of symlinks.
    ///
    /// `links`: each symlink and its target. `counts`: whether the target of a symlink counts. `passes`: whether the
    /// target of a symlink below such a target counts, too, given its path relative to that target.
    pub(crate) fn of(
        links: &[(RelPath, RelPath)],
        counts: impl Fn(&RelPath, &RelPath) -> bool,
        passes: impl Fn(&str) -> bool,
    ) -> Self {
        let mut targets = Self::default();
        for step in 0..=MAX_CHAIN {
            let before = targets.0.len();
            for (link, end) in links {
                let is_last = step == MAX_CHAIN;
                if is_last || counts(link, end) || targets.reach(link.as_str(), &passes) {
                    targets.0.insert(end.as_str().to_owned());
                }
            }
            if targets.0.len() == before {
                break;
            }
        }
        targets
    }

    /// Returns whether a path is one of the targets, or is below one of them and passes. `passes`: given the path
    /// relative to the target.
    pub(crate) fn reach(&self, path: &str, passes: impl Fn(&str) -> bool) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let below = path.match_indices('/');
        let below = below.map(|(at, _)| (&path[..at], &path[at + 1..]));
        let mut parts = std::iter::once(("", path)).chain(below);
        self.0.contains(path) || parts.any(|(dir, rest)| self.0.contains(dir) && passes(rest))
    }
}
