//! Finds skills group by group, in the order of their paths. A group is a skill together with the skills nested in it.
//! Only the names in the directories on the current path are in memory, so the number of skills is not limited.
//!
//! A symlink to a skill below the starting point is left out, because the walk finds that skill without it.

use std::ffi::OsStr;
use std::mem;
use std::path::{Path, PathBuf};

use skillc_core::clients::Clients;
use skillc_core::layout::SKILLC_DIR;
use skillc_core::resolve::main_file;
use skillc_core::{Error, Result};

use super::{Ahead, PACKAGES, Reach, SKILLS, Seen, SkillDir, Walk};
use crate::notes::Notes;

/// Finds the skills in a directory and below it, as [`skills_below`](super::skills_below) does. The limit on entries
/// applies to each group and to each directory.
///
/// `pass_on` receives each group: the skills are sorted by path, and the first one contains the others.
///
/// # Errors
/// Returns E999 if the directory cannot be read or the walk is cancelled, and the errors of `pass_on`. Directories
/// below it that cannot be read, or exceed a limit, cause warnings.
pub(crate) fn each_group_below(
    root: &Path,
    reach: Reach,
    clients: &Clients,
    notes: &mut Notes,
    pass_on: &mut dyn FnMut(Vec<SkillDir>) -> Result<()>,
) -> Result<()> {
    let mut walk = Walk::new(root, reach, clients);
    let mut levels: Vec<Level> = Vec::new();
    let mut next = Some(walk.first());
    loop {
        if let Some(dir) = next.take() {
            levels.extend(walk.enter(dir)?);
        }
        walk.drop_links_to_walked();
        let group = walk.finish(notes);
        if !group.is_empty() {
            pass_on(group)?;
        }
        let Some(level) = levels.last_mut() else {
            break;
        };
        match level.pop() {
            None => drop(levels.pop()),
            Some(Entry::Link(link)) => walk.follow(link),
            Some(Entry::Dir(path)) => {
                if !level.is_cache || main_file(&path).is_some() {
                    next = Some(Ahead {
                        path,
                        depth: level.depth + 1,
                        is_within: false,
                    });
                }
            }
        }
    }
    walk.note(notes);
    Ok(())
}

/// A directory whose entries are visited.
struct Level {
    dir: PathBuf,
    depth: usize,
    /// Whether the directory is a cache. In a cache, only directories that are skills are entered.
    is_cache: bool,
    /// The paths of directories and symlinks, relative to the directory, in order. Each ends with a NUL, and a symlink
    /// begins with a slash. One string needs much less memory than one string per entry.
    entries: String,
    /// The number of bytes of `entries` that have been visited.
    visited: usize,
}

/// An entry of a directory.
enum Entry {
    Dir(PathBuf),
    Link(PathBuf),
}

impl Level {
    fn new(dir: Ahead, is_cache: bool, seen: Seen) -> Self {
        let dirs = seen.dirs.into_iter().map(|path| (path, ""));
        let links = seen.links.into_iter().map(|path| (path, "/"));
        let mut all: Vec<(PathBuf, &str)> = dirs.chain(links).collect();
        all.sort_unstable();
        let mut entries = String::new();
        for (path, mark) in &all {
            let below = path.strip_prefix(&dir.path).ok().and_then(Path::to_str);
            if let Some(below) = below {
                entries.extend([*mark, below, "\0"]);
            }
        }
        Self {
            dir: dir.path,
            depth: dir.depth,
            is_cache,
            entries,
            visited: 0,
        }
    }

    /// Returns the first entry that has not been visited yet.
    fn pop(&mut self) -> Option<Entry> {
        let (entry, _) = self.entries.get(self.visited..)?.split_once('\0')?;
        self.visited += entry.len() + 1;
        Some(match entry.strip_prefix('/') {
            Some(link) => Entry::Link(self.dir.join(link)),
            None => Entry::Dir(self.dir.join(entry)),
        })
    }
}

impl Walk<'_> {
    /// Reads a directory. If it is a skill, also reads everything below it; otherwise, returns its entries.
    fn enter(&mut self, dir: Ahead) -> Result<Option<Level>> {
        *self.entries.get_mut() = 0;
        let read = self.read(&dir);
        // A cancelled walk reads directories only in part.
        self.reach.stop.check()?;
        let mut seen = match read {
            Ok(seen) => seen,
            Err(error) => return self.leave(dir, &error).map(|()| None),
        };
        if seen.main.is_some() || seen.has_fault {
            let path = dir.path.clone();
            let below = self.take(dir, seen).and_then(|()| self.read_ahead());
            self.reach.stop.check()?;
            if let Err(error) = below {
                self.leave_rest(path, &error);
            }
            return Ok(None);
        }
        if *self.entries.get_mut() > self.reach.max_entries {
            return Err(self.too_many());
        }
        if dir.depth >= self.reach.max_depth && !seen.dirs.is_empty() {
            let error = self.too_deep();
            self.leave_rest(dir.path, &error);
            return Ok(None);
        }
        let is_cache = seen.has_tag && dir.depth > 0 && self.is_cache(&dir.path, &seen);
        self.left_out.extend(mem::take(&mut seen.odd));
        Ok(Some(Level::new(dir, is_cache, seen)))
    }

    /// Records a directory in which a limit was exceeded. The walk continues, because one skill must not prevent the
    /// other skills from being found.
    fn leave_rest(&mut self, dir: PathBuf, error: &Error) {
        self.ahead.clear();
        self.unread.push((dir, error.message()));
    }

    /// Drops symlinks to skills that the walk finds without symlinks.
    fn drop_links_to_walked(&mut self) {
        let linked = mem::take(&mut self.linked).into_iter();
        self.linked = linked
            .filter(|place| !self.is_walked(&place.real))
            .collect();
    }

    /// Returns whether the walk enters a directory. `real`: its canonical path.
    fn is_walked(&self, real: &Path) -> bool {
        let Ok(below) = real.strip_prefix(&self.real_start) else {
            return false;
        };
        let parts: Option<Vec<&str>> = below.iter().map(OsStr::to_str).collect();
        let parts = parts.unwrap_or_default();
        let is_entered = |at: usize| {
            let part = parts[at];
            let is_store = part == SKILLC_DIR && parts.get(at + 1) == Some(&SKILLS);
            let is_shown = is_store || !part.starts_with('.') || self.is_folder(part);
            is_shown && part != PACKAGES
        };
        !parts.is_empty() && (0..parts.len()).all(is_entered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::skill_walk::skills_below;
    use skillc_core::testkit::write_files;

    const SKILL: &str = "---\nname: x\n---\n";

    /// Returns the directories of both walks, relative to the root.
    fn both(root: &Path) -> (Vec<String>, Vec<Vec<String>>) {
        let clients = Clients::builtin();
        let show = |place: &SkillDir| {
            let below = place.dir.strip_prefix(root).unwrap();
            below.display().to_string().replace('\\', "/")
        };
        let all = skills_below(root, Reach::new(None), &clients, &mut Notes::default()).unwrap();
        let mut groups = Vec::new();
        let mut pass_on = |group: Vec<SkillDir>| {
            groups.push(group.iter().map(show).collect());
            Ok(())
        };
        let mut notes = Notes::default();
        each_group_below(root, Reach::new(None), &clients, &mut notes, &mut pass_on).unwrap();
        (all.iter().map(show).collect(), groups)
    }

    #[test]
    fn the_groups_are_the_skills_of_the_whole_walk_in_order() {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().canonicalize().unwrap().join("root");
        let tag = "Signature: 8a477f597d28d172789f06886806bc55\n";
        write_files(
            &root,
            &[
                ("b/SKILL.md", SKILL),
                ("a/x/SKILL.md", SKILL),
                ("a/x/inner/skill.md", SKILL),
                ("a/x/docs/SKILL.md", "# No head\n"),
                ("a-b/SKILL.md", SKILL),
                ("a/SKILL.md/file", ""),
                (".skillc/skills/s/SKILL.md", SKILL),
                (".skillc/build/s/SKILL.md", SKILL),
                (".claude/skills/c/SKILL.md", SKILL),
                (".hidden/SKILL.md", SKILL),
                ("node_modules/n/SKILL.md", SKILL),
                ("target/CACHEDIR.TAG", tag),
                ("target/near/SKILL.md", SKILL),
                ("target/far/away/SKILL.md", SKILL),
                ("z.md", ""),
            ],
        );
        let (all, groups) = both(&root);
        assert_eq!(groups.concat(), all);
        assert!(all.contains(&"target/near".to_owned()), "{all:?}");
        assert!(groups.contains(&vec!["a".into(), "a/x".into(), "a/x/inner".into()]));
    }

    #[test]
    fn a_starting_point_that_is_a_skill_is_one_group() {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().canonicalize().unwrap();
        write_files(&root, &[("SKILL.md", SKILL), ("in/SKILL.md", SKILL)]);
        let (all, groups) = both(&root);
        assert_eq!(all, ["", "in"]);
        assert_eq!(groups, [all]);
    }

    #[cfg(unix)]
    #[test]
    fn a_symlink_counts_only_if_the_walk_does_not_find_its_target() {
        use std::os::unix::fs::symlink;

        let outer = tempfile::tempdir().unwrap();
        let outer = outer.path().canonicalize().unwrap();
        let root = outer.join("root");
        write_files(&root, &[("b/SKILL.md", SKILL), (".h/SKILL.md", SKILL)]);
        write_files(&outer, &[("far/SKILL.md", SKILL)]);
        symlink(root.join("b"), root.join("a")).unwrap();
        symlink(root.join(".h"), root.join("c")).unwrap();
        symlink(outer.join("far"), root.join("d")).unwrap();
        let (all, groups) = both(&root);
        assert_eq!(all, ["b", "c", "d"]);
        assert_eq!(groups.concat(), all);
    }

    #[cfg(unix)]
    #[test]
    fn a_directory_that_is_nested_too_deeply_does_not_end_the_walk() {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().canonicalize().unwrap();
        let deep = |top: &str| format!("{top}{}/x", "/d".repeat(130));
        let (plain, skill) = (deep("a"), deep("b"));
        let files = [
            (&*plain, ""),
            ("b/SKILL.md", SKILL),
            (&*skill, ""),
            ("c/SKILL.md", SKILL),
        ];
        write_files(&root, &files);
        let mut seen = Vec::new();
        let mut notes = Notes::default();
        let reach = Reach::new(None);
        each_group_below(
            &root,
            reach,
            &Clients::builtin(),
            &mut notes,
            &mut |group| {
                seen.extend(group.into_iter().map(|place| place.dir));
                Ok(())
            },
        )
        .unwrap();
        assert_eq!(seen, [root.join("b"), root.join("c")]);
        assert_eq!(notes.notices.len(), 2, "{:?}", notes.notices);
    }
}
