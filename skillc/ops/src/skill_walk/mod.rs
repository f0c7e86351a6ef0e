//! Finds the skills in a directory and below it.
//!
//! Hidden directories are skipped, with two exceptions: the folders of clients, such as `.claude`, and `.skillc`, in
//! which only the sources are searched. `node_modules` and directories with a valid `CACHEDIR.TAG`, such as Cargo's
//! `target`, are also skipped, because no one edits skills there. But anyone can add a tag. Therefore a tag cannot hide
//! a skill in the tagged directory itself or one level below, and has no effect in the folders of clients. The security
//! scan skips none of these, except `.git`: see [`Reach::into_hidden`].
//!
//! A symlink to a skill is treated as a skill. A symlink to any other directory is followed only if the symlink is in a
//! client's folder, or is itself a client's folder (in that case its `skills` directory is read). Only skills one level
//! below the target are found, so there are no cycles.
//!
//! Design: D-WALK, D-SYMLINK, R12, R20.

mod each;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::DirEntry;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{io, mem};

use rayon::prelude::*;
use skillc_core::Frontmatter;
use skillc_core::clients::Clients;
use skillc_core::layout::{SKILL_FILE, Store, canonical};
use skillc_core::resolve::main_file;
use skillc_core::skill::is_of_skill;
use skillc_core::source::read_start;
use skillc_core::{Error, Result, Stop, Warning};

use crate::notes::Notes;

pub(crate) use each::each_group_below;

/// The maximum number of directory entries to read. Design: R20.
const MAX_ENTRIES: usize = 1_000_000;

/// The maximum depth of directories to read. Design: R20.
const MAX_DEPTH: usize = 128;

/// The maximum nesting depth of a skill: the number of skills that contain it. It is small because the files of a
/// nested skill are read again for each of these skills.
pub(crate) const MAX_AROUND: usize = 8;

/// The directory in which git keeps its data. Git never checks out a file in such a directory.
const GIT: &str = ".git";

/// The directory of npm packages.
pub(crate) const PACKAGES: &str = "node_modules";

/// The number of bytes of a `SKILL.md` that are read to find its name or description.
pub(crate) const MAX_HEAD_BYTES: u64 = 64 << 10;

/// The file that marks a cache directory, whose content can be regenerated.
pub(crate) const CACHE_TAG: &str = "CACHEDIR.TAG";

/// The first line of a [`CACHE_TAG`], as its specification requires.
const CACHE_SIGNATURE: &[u8] = b"Signature: 8a477f597d28d172789f06886806bc55";

/// The name of the skills directory in a client's folder.
const SKILLS: &str = "skills";

/// The maximum number of entries to examine in the target of a symlink, if the symlink is a client's folder or is
/// inside one.
const MAX_LINKED: usize = 10_000;

/// A directory that is a skill, or was meant to be one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SkillDir {
    /// The path of the directory, beginning with the starting point of the walk.
    pub(crate) dir: PathBuf,
    /// The canonical path of the directory.
    pub(crate) real: PathBuf,
    /// The name of the skill's main file; `None` if the `SKILL.md` is not a file.
    pub(crate) main: Option<String>,
    /// Whether the directory has hidden entries; also true if this is unknown.
    pub(crate) may_have_hidden: bool,
}

/// The limits of a walk.
#[derive(Debug, Clone)]
pub(crate) struct Reach {
    /// How many levels below the directory to search; `None` for all.
    pub(super) levels: Option<usize>,
    max_entries: usize,
    max_depth: usize,
    skips_caches: bool,
    skips_odd_names: bool,
    skips_hidden: bool,
    stop: Stop,
}

impl Reach {
    /// Limits the walk to this many levels below the directory; `None` for all levels.
    pub(crate) fn new(levels: Option<usize>) -> Self {
        Self {
            levels,
            max_entries: MAX_ENTRIES,
            max_depth: MAX_DEPTH,
            skips_caches: true,
            skips_odd_names: true,
            skips_hidden: true,
            stop: Stop::default(),
        }
    }

    /// Also searches hidden directories and packages, and the directories in `.git` to which symlinks lead. Some
    /// installers take skills from any directory and follow symlinks, so no directory must hide a skill from the
    /// security scan.
    pub(crate) fn into_hidden(self) -> Self {
        Self {
            skips_hidden: false,
            ..self
        }
    }

    /// Also searches directories whose names are not UTF-8. Agents may load skills from them, so the name must not hide
    /// a skill from the security scan.
    pub(crate) fn into_odd_names(self) -> Self {
        Self {
            skips_odd_names: false,
            ..self
        }
    }

    /// Also searches directories that are marked as caches. Agents ignore such a mark, so it must not hide a skill in the
    /// folder of a client, or hide any skill from the security scan.
    pub(crate) fn into_caches(self) -> Self {
        Self {
            skips_caches: false,
            ..self
        }
    }

    /// Stops the walk when the call is cancelled.
    pub(crate) fn until(self, stop: &Stop) -> Self {
        Self {
            stop: stop.clone(),
            ..self
        }
    }

    pub(crate) fn with_max_entries(self, max_entries: usize) -> Self {
        Self {
            max_entries,
            ..self
        }
    }
}

/// Finds the skills in a directory and below it.
///
/// Returns the skills sorted by path. If a skill was found without following symlinks, the symlinks to the skill are
/// left out. Otherwise, all symlinks to the skill are returned.
///
/// # Errors
/// Returns E999 if the directory cannot be read, contains more entries in total than `reach` allows (by default
/// 1,000,000), or has subdirectories more than 128 levels deep. Unreadable directories below it cause warnings.
pub(crate) fn skills_below(
    root: &Path,
    reach: Reach,
    clients: &Clients,
    notes: &mut Notes,
) -> Result<Vec<SkillDir>> {
    let mut walk = Walk::new(root, reach, clients);
    walk.run()?;
    walk.note(notes);
    Ok(walk.finish(notes))
}

/// A directory still to be read.
struct Ahead {
    path: PathBuf,
    depth: usize,
    /// Whether the directory belongs to a skill. If so, invalid names in the directory are reported when the skill is
    /// read.
    is_within: bool,
}

struct Walk<'a> {
    root: &'a Path,
    /// The starting point, and its canonical path.
    start: PathBuf,
    real_start: PathBuf,
    reach: Reach,
    folders: BTreeSet<&'a str>,
    entries: AtomicUsize,
    ahead: Vec<Ahead>,
    found: Vec<SkillDir>,
    /// The targets of symlinks, by canonical path, each with the name of its main file; `None` if the target is not a
    /// skill.
    targets: BTreeMap<PathBuf, Option<String>>,
    /// Symlinks to skills.
    linked: Vec<SkillDir>,
    /// Canonical paths of the directories that were read through symlinks.
    followed: BTreeSet<PathBuf>,
    /// Unreadable directories, each with the error.
    unread: Vec<(PathBuf, String)>,
    left_out: Vec<String>,
}

/// The result of reading one directory.
#[derive(Default)]
struct Seen {
    has_tag: bool,
    has_hidden: bool,
    /// Whether the directory has a `SKILL.md` that is not a file.
    has_fault: bool,
    main: Option<String>,
    dirs: Vec<PathBuf>,
    links: Vec<PathBuf>,
    odd: Vec<String>,
}

impl<'a> Walk<'a> {
    fn new(root: &'a Path, reach: Reach, clients: &'a Clients) -> Self {
        let start = sources(root);
        Self {
            root,
            real_start: canonical(&start),
            start,
            reach,
            folders: clients.folders(),
            entries: AtomicUsize::new(0),
            followed: BTreeSet::new(),
            ahead: Vec::new(),
            found: Vec::new(),
            targets: BTreeMap::new(),
            linked: Vec::new(),
            unread: Vec::new(),
            left_out: Vec::new(),
        }
    }

    /// Returns the starting point as the first directory to read.
    fn first(&self) -> Ahead {
        Ahead {
            path: self.start.clone(),
            depth: 0,
            is_within: false,
        }
    }

    fn run(&mut self) -> Result<()> {
        self.ahead.push(self.first());
        self.read_ahead()
    }

    /// Reads the directories in `ahead`, and everything below them.
    fn read_ahead(&mut self) -> Result<()> {
        while !self.ahead.is_empty() {
            let level = mem::take(&mut self.ahead);
            let seen: Vec<io::Result<Seen>> = level.par_iter().map(|dir| self.read(dir)).collect();
            self.reach.stop.check()?;
            for (dir, seen) in level.into_iter().zip(seen) {
                match seen {
                    Ok(seen) => self.take(dir, seen)?,
                    Err(error) => self.leave(dir, &error)?,
                }
            }
        }
        // The last symlink may have led to too many entries.
        if *self.entries.get_mut() > self.reach.max_entries {
            return Err(self.too_many());
        }
        Ok(())
    }

    /// Records a directory that cannot be read.
    ///
    /// # Errors
    /// Returns E999 if the directory is the starting point.
    fn leave(&mut self, dir: Ahead, error: &io::Error) -> Result<()> {
        match error.kind() {
            io::ErrorKind::NotFound => {}
            _ if dir.depth == 0 => return Err(Error::io("reading", &dir.path, error)),
            kind => self.unread.push((dir.path, kind.to_string())),
        }
        Ok(())
    }

    /// Reads one directory, up to the limit on entries.
    fn read(&self, dir: &Ahead) -> io::Result<Seen> {
        let mut seen = Seen::default();
        if self.reach.stop.is_raised() {
            return Ok(seen);
        }
        for entry in dir.path.read_dir()? {
            let entries = self.entries.fetch_add(1, Ordering::Relaxed) + 1;
            if entries > self.reach.max_entries || self.reach.stop.is_raised() {
                break;
            }
            self.look(&entry?, &mut seen)?;
        }
        Ok(seen)
    }

    fn look(&self, entry: &DirEntry, seen: &mut Seen) -> io::Result<()> {
        let kind = entry.file_type()?;
        let name = match entry.file_name().into_string() {
            Ok(name) => name,
            Err(name)
                if !(self.reach.skips_odd_names
                    || self.reach.skips_hidden && name.as_encoded_bytes().starts_with(b".")) =>
            {
                if kind.is_dir() {
                    seen.dirs.push(entry.path());
                } else if kind.is_symlink() {
                    seen.links.push(entry.path());
                }
                return Ok(());
            }
            Err(name) if kind.is_dir() => {
                seen.odd.push(name.to_string_lossy().into_owned());
                return Ok(());
            }
            Err(_) => return Ok(()),
        };
        if name.eq_ignore_ascii_case(SKILL_FILE) {
            seen.see_main(&name, kind.is_file() || entry.path().is_file());
        }
        seen.has_tag |= name == CACHE_TAG;
        seen.has_hidden |= name.starts_with('.');
        let dir = entry.path();
        let (is_shown, is_entered) = if self.reach.skips_hidden {
            let is_shown = !name.starts_with('.') || self.folders.contains(name.as_str());
            (is_shown, name != PACKAGES)
        } else {
            (true, name != GIT)
        };
        if !is_shown && kind.is_dir() {
            let sources = sources(&dir);
            if sources != dir && !sources.is_symlink() {
                seen.dirs.push(sources);
            }
        } else if is_shown && kind.is_dir() && is_entered {
            seen.dirs.push(dir);
        } else if is_shown && kind.is_symlink() {
            seen.links.push(dir);
        }
        Ok(())
    }

    fn take(&mut self, dir: Ahead, seen: Seen) -> Result<()> {
        if *self.entries.get_mut() > self.reach.max_entries {
            return Err(self.too_many());
        }
        let is_cache = seen.has_tag && dir.depth > 0 && self.is_cache(&dir.path, &seen);
        let is_within = dir.is_within || seen.main.is_some();
        if !is_within {
            self.left_out.extend(seen.odd);
        }
        let goes_on = self.reach.levels.is_none_or(|levels| dir.depth < levels);
        if goes_on {
            if dir.depth >= self.reach.max_depth && !seen.dirs.is_empty() {
                return Err(self.too_deep());
            }
            let is_entered = |path: &PathBuf| !is_cache || main_file(path).is_some();
            let below = seen.dirs.into_iter().filter(is_entered);
            let below = below.map(|path| Ahead {
                path,
                depth: dir.depth + 1,
                is_within,
            });
            self.ahead.extend(below);
            seen.links.into_iter().for_each(|link| self.follow(link));
        }
        if seen.main.is_some() || seen.has_fault {
            let below = dir.path.strip_prefix(&self.start);
            self.found.push(SkillDir {
                // There is no symlink between the start and this directory.
                real: self.real_start.join(below.unwrap_or(&dir.path)),
                dir: dir.path,
                main: seen.main,
                may_have_hidden: seen.has_hidden,
            });
        }
        Ok(())
    }

    /// Returns whether a directory that contains a tag is a cache. In a cache, only directories that are skills are
    /// entered.
    fn is_cache(&self, dir: &Path, seen: &Seen) -> bool {
        let below = dir.strip_prefix(&self.start).unwrap_or(dir);
        let mut parts = below.iter();
        let is_of_client = parts.any(|part| part.to_str().is_some_and(|part| self.is_folder(part)));
        self.reach.skips_caches
            && seen.main.is_none()
            && !seen.has_fault
            && !is_of_client
            && read_start(&dir.join(CACHE_TAG), CACHE_SIGNATURE.len() as u64)
                .is_ok_and(|start| start == CACHE_SIGNATURE)
    }

    /// Returns whether a name is that of a client's folder, such as `.claude`.
    fn is_folder(&self, name: &str) -> bool {
        self.folders.contains(name)
    }

    /// Adds the skill or skills that a symlink leads to.
    fn follow(&mut self, link: PathBuf) {
        let Ok(target) = link.canonicalize() else {
            return;
        };
        if !self.reach.skips_hidden
            && self.reach.levels.is_none()
            && let Ok(below) = target.strip_prefix(&self.real_start)
        {
            // The walk reads all other directories below the starting point without the symlink.
            let is_left_out = below.iter().any(|part| part == GIT);
            if is_left_out && target.is_dir() && self.followed.insert(target.clone()) {
                self.ahead.push(Ahead {
                    path: self.start.join(below),
                    depth: below.iter().count(),
                    is_within: false,
                });
            }
            return;
        }
        if self.add_linked(link.clone(), target) {
            return;
        }
        // Clients load skills through symlinks to whole folders.
        let is_folder = |path: &Path| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| self.is_folder(name))
        };
        let dir = if is_folder(&link) {
            link.join(SKILLS)
        } else if link.parent().is_some_and(is_folder) {
            link
        } else {
            return;
        };
        self.follow_below(&dir);
    }

    /// Adds the skills directly below a directory that was reached through a symlink, if the canonical path of the
    /// directory is below the starting point.
    fn follow_below(&mut self, dir: &Path) {
        let Ok(real) = dir.canonicalize() else {
            return;
        };
        // Several symlinks may lead to the same directory.
        if self.reach.stop.is_raised() || !self.followed.insert(real.clone()) {
            return;
        }
        let Ok(entries) = dir.read_dir() else {
            return;
        };
        let entries = entries.take(MAX_LINKED).flatten();
        let mut below: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        let known = self.entries.get_mut();
        *known += below.len();
        if *known > self.reach.max_entries {
            // `take` or `run` then fails.
            return;
        }
        below.sort();
        if !real.starts_with(&self.real_start) {
            if below.iter().any(|skill| main_file(skill).is_some()) {
                let reason = "the symlink leads out of the searched directory".to_owned();
                self.unread.push((dir.to_path_buf(), reason));
            }
            return;
        }
        for skill in below {
            if let Ok(target) = skill.canonicalize() {
                self.add_linked(skill, target);
            }
        }
    }

    /// Adds a path that leads to a skill through a symlink. Returns false if `target`, its canonical path, is not a
    /// skill.
    fn add_linked(&mut self, link: PathBuf, target: PathBuf) -> bool {
        let main = self.targets.entry(target.clone());
        let main = main.or_insert_with_key(|target| main_file(target));
        let main = main.clone();
        let is_skill = main.is_some();
        if is_skill {
            self.linked.push(SkillDir {
                dir: link,
                real: target,
                main,
                may_have_hidden: true,
            });
        }
        is_skill
    }

    /// Reports the directories and names that were skipped because of an error.
    fn note(&mut self, notes: &mut Notes) {
        self.unread.sort();
        for (dir, reason) in &self.unread {
            notes.warn(Warning::SkillSkipped {
                skill: dir.display().to_string(),
                reason: reason.clone(),
            });
        }
        if let Some(example) = self.left_out.iter().min() {
            notes.warn(Warning::NamesLeftOut {
                count: self.left_out.len(),
                example: example.clone(),
            });
        }
    }

    /// Merges and sorts the results, and drops directories that only look like skills: see [`drop_documents`].
    fn finish(&mut self, notes: &mut Notes) -> Vec<SkillDir> {
        let mut found = mem::take(&mut self.found);
        let linked = mem::take(&mut self.linked);
        if !linked.is_empty() {
            let real: BTreeSet<PathBuf> = found.iter().map(|place| place.real.clone()).collect();
            let linked = linked.into_iter();
            found.extend(linked.filter(|place| !real.contains(&place.real)));
        }
        found.sort();
        found.dedup();
        let too_deep = drop_documents(&mut found);
        if let Some(first) = too_deep.first() {
            let others = match too_deep.len() {
                1 => String::new(),
                count => format!(", and so are {} others", count - 1),
            };
            notes.warn(Warning::SkillSkipped {
                skill: first.display().to_string(),
                reason: format!("it is nested in more than {MAX_AROUND} skills{others}"),
            });
        }
        found
    }

    fn too_many(&self) -> Error {
        let (root, most) = (self.root.display(), self.reach.max_entries);
        bound(format!(
            "reading '{root}': more than {most} entries below it"
        ))
    }

    fn too_deep(&self) -> Error {
        let (root, most) = (self.root.display(), self.reach.max_depth);
        bound(format!(
            "reading '{root}': directories nested more than {most} deep"
        ))
    }
}

impl Seen {
    fn see_main(&mut self, name: &str, is_file: bool) {
        let is_exact = name == SKILL_FILE;
        let is_first = |main: &str| is_exact || (main != SKILL_FILE && name < main);
        if !is_file {
            self.has_fault |= is_exact;
        } else if self.main.as_deref().is_none_or(is_first) {
            self.main = Some(name.to_owned());
        }
    }
}

/// Drops directories below a skill if their `SKILL.md` has neither a name nor a description, and skills that are nested
/// too deeply. Returns the skills that are nested too deeply.
fn drop_documents(found: &mut Vec<SkillDir>) -> Vec<PathBuf> {
    let mut outer: Vec<PathBuf> = Vec::new();
    let mut too_deep = Vec::new();
    found.retain(|place| {
        outer.retain(|dir| place.real.starts_with(dir));
        let is_own = outer.is_empty() || place.main.is_none() || has_own_head(place);
        let is_kept = is_own && outer.len() <= MAX_AROUND;
        if is_kept {
            outer.push(place.real.clone());
        } else if is_own {
            too_deep.push(place.dir.clone());
        }
        is_kept
    });
    too_deep
}

fn has_own_head(place: &SkillDir) -> bool {
    let main = place.main.as_deref().unwrap_or(SKILL_FILE);
    // An unreadable file counts as a skill: the linter then reports it.
    read_start(&place.real.join(main), MAX_HEAD_BYTES).map_or(true, |head| {
        let (frontmatter, _) = Frontmatter::split(&String::from_utf8_lossy(&head));
        is_of_skill(&frontmatter)
    })
}

fn bound(message: String) -> Error {
    Error::Internal {
        message,
        hint: Some("Name the skills, or a subdirectory that contains them.".into()),
    }
}

/// Returns the folder of sources if `dir` is a project's `.skillc`, otherwise `dir` itself.
fn sources(dir: &Path) -> PathBuf {
    let store = dir.parent().map(|root| Store::project(root.to_path_buf()));
    match store {
        Some(store) if store.dir() == dir => store.skills(),
        _ => dir.to_path_buf(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::fs;

    use skillc_core::testkit::write_files;

    /// Creates a directory with these files.
    fn world(files: &[&str]) -> (tempfile::TempDir, PathBuf) {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().canonicalize().unwrap().join("root");
        let files = files.iter().map(|path| (*path, "---\nname: x\n---\n"));
        write_files(&root, &files.collect::<Vec<_>>());
        (outer, root)
    }

    fn walked(root: &Path, reach: Reach) -> Result<(String, Notes)> {
        let mut notes = Notes::default();
        let places = skills_below(root, reach, &Clients::builtin(), &mut notes)?;
        let show = |place: &SkillDir| {
            let dir = place.dir.strip_prefix(root).unwrap().display().to_string();
            dir + "/" + place.main.as_deref().unwrap_or("-")
        };
        let shown: Vec<String> = places.iter().map(show).collect();
        Ok((shown.join(" "), notes))
    }

    fn found(root: &Path) -> String {
        walked(root, Reach::new(None)).unwrap().0
    }

    #[test]
    fn skills_are_found_at_any_depth_and_nested_in_path_order() {
        let (_outer, root) = world(&[
            "SKILL.md",
            "b/SKILL.md",
            "b/inner/skill.md",
            "b/inner/SKILL.MD",
            "b-c/Skill.md",
            "a/x/y/SKILL.md",
            "a/readme.md",
        ]);
        fs::create_dir_all(root.join("c/SKILL.md")).unwrap();
        assert_eq!(
            found(&root),
            "/SKILL.md a/x/y/SKILL.md b/SKILL.md b/inner/SKILL.MD b-c/Skill.md c/-"
        );
    }

    #[test]
    fn a_nested_skill_md_is_a_skill_if_it_has_a_name_or_description() {
        let (_outer, root) = world(&["a/SKILL.md", "a/named/SKILL.md", "other/b/SKILL.md"]);
        let texts = [
            ("a/document/SKILL.md", "# How to write one\n"),
            ("a/described/SKILL.md", "---\ndescription: x\n---\n"),
            ("a/faulty/SKILL.md", "---\nname: x: y\n---\n"),
            ("a/other/SKILL.md", "---\ntitle: x\n---\n"),
            ("other/SKILL.md", ""),
        ];
        write_files(&root, &texts);
        assert_eq!(
            found(&root),
            "a/SKILL.md a/described/SKILL.md a/faulty/SKILL.md a/named/SKILL.md other/SKILL.md other/b/SKILL.md"
        );
    }

    #[test]
    fn too_deeply_nested_skills_are_skipped_and_reported() {
        let chain = |count: usize| "a/".repeat(count) + "SKILL.md";
        let paths: Vec<String> = (0..=MAX_AROUND + 3).map(chain).collect();
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let (_outer, root) = world(&paths);
        let (found, notes) = walked(&root, Reach::new(None)).unwrap();
        assert_eq!(found.split(' ').count(), MAX_AROUND + 1);
        let said: Vec<String> = notes.notices.iter().map(ToString::to_string).collect();
        let [said] = &said[..] else {
            panic!("{said:?}");
        };
        assert!(
            said.ends_with("it is nested in more than 8 skills, and so are 2 others"),
            "{said}"
        );
    }

    #[test]
    fn a_cache_tag_hides_no_skill_near_it_and_none_of_a_client() {
        let (_outer, root) = world(&[
            "a/SKILL.md",
            "b/x/SKILL.md",
            "c/x/y/SKILL.md",
            "d/x/y/SKILL.md",
            ".claude/skills/e/SKILL.md",
        ]);
        let tag = str::from_utf8(CACHE_SIGNATURE).unwrap();
        write_files(
            &root,
            &[
                ("a/CACHEDIR.TAG", tag),
                ("b/CACHEDIR.TAG", tag),
                ("c/CACHEDIR.TAG", tag),
                ("d/CACHEDIR.TAG", ""),
                (".claude/CACHEDIR.TAG", tag),
                (".claude/skills/CACHEDIR.TAG", tag),
            ],
        );
        let all_but_c = ".claude/skills/e/SKILL.md a/SKILL.md b/x/SKILL.md d/x/y/SKILL.md";
        assert_eq!(found(&root), all_but_c);
        let (all, _) = walked(&root, Reach::new(None).into_caches()).unwrap();
        assert!(all.contains("c/x/y/SKILL.md"), "{all}");
    }

    #[cfg(unix)]
    #[test]
    fn symlinks_to_folders_of_clients_are_followed_within_the_directory() {
        use std::os::unix::fs::symlink;
        let (outer, root) = world(&[".x/skills/a/SKILL.md", ".y/b/SKILL.md"]);
        write_files(outer.path(), &[("away/c/SKILL.md", "")]);
        fs::create_dir(root.join(".agents")).unwrap();
        symlink(".x", root.join(".claude")).unwrap();
        symlink("../.y", root.join(".agents/skills")).unwrap();
        fs::create_dir(root.join(".github")).unwrap();
        symlink("../../away", root.join(".github/skills")).unwrap();
        let (found, notes) = walked(&root, Reach::new(None)).unwrap();
        assert_eq!(found, ".agents/skills/b/SKILL.md .claude/skills/a/SKILL.md");
        let said: Vec<String> = notes.notices.iter().map(ToString::to_string).collect();
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].contains(".github/skills"), "{said:?}");
    }

    /// D-WALK.
    #[test]
    fn hidden_directories_packages_and_caches_are_not_entered() {
        let (_outer, root) = world(&[
            ".hidden/a/SKILL.md",
            ".claude/skills/b/SKILL.md",
            "sub/.github/skills/c/SKILL.md",
            ".skillc/skills/d/SKILL.md",
            ".skillc/runtime/d/SKILL.md",
            "node_modules/e/SKILL.md",
            "target/debug/f/SKILL.md",
            "other/target/g/SKILL.md",
        ]);
        fs::write(root.join("target").join(CACHE_TAG), CACHE_SIGNATURE).unwrap();
        assert_eq!(
            found(&root),
            ".claude/skills/b/SKILL.md .skillc/skills/d/SKILL.md other/target/g/SKILL.md \
             sub/.github/skills/c/SKILL.md"
        );
        // Explicitly named directories are entered.
        assert_eq!(found(&root.join(".hidden")), "a/SKILL.md");
        assert_eq!(found(&root.join("target")), "debug/f/SKILL.md");
        assert_eq!(found(&root.join("node_modules")), "e/SKILL.md");
        assert_eq!(found(&root.join(".skillc")), "skills/d/SKILL.md");
        assert_eq!(found(&root.join(".skillc/runtime")), "d/SKILL.md");
        fs::create_dir_all(root.join(".git/h")).unwrap();
        fs::write(root.join(".git/h/SKILL.md"), "---\nname: x\n---\n").unwrap();
        let reach = Reach::new(None).into_caches().into_hidden();
        assert_eq!(
            walked(&root, reach).unwrap().0,
            ".claude/skills/b/SKILL.md .hidden/a/SKILL.md .skillc/runtime/d/SKILL.md .skillc/skills/d/SKILL.md \
             node_modules/e/SKILL.md other/target/g/SKILL.md sub/.github/skills/c/SKILL.md target/debug/f/SKILL.md"
        );
    }

    #[cfg(unix)]
    #[test]
    fn symlinks_within_the_directory_hide_no_skill_from_the_scan() {
        use std::os::unix::fs::symlink;
        let (_outer, root) = world(&[
            ".p/q/r/a/SKILL.md",
            ".git/x/y/b/SKILL.md",
            ".git/z/c/SKILL.md",
            "d/SKILL.md",
        ]);
        fs::create_dir_all(root.join(".claude/skills")).unwrap();
        for (target, link) in [
            (".p", "skills"),
            ("../../.p", ".claude/skills/g"),
            (".git/x", "x"),
            ("../.git/x/y", "d/y"),
            ("..", ".git/x/y/round"),
            (".git/config", "file"),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        fs::write(root.join(".git/config"), "").unwrap();
        // Two symlinks lead to the first skill.
        let (found, notes) = walked(&root, Reach::new(None).into_hidden()).unwrap();
        assert_eq!(found, ".git/x/y/b/SKILL.md .p/q/r/a/SKILL.md d/SKILL.md");
        assert!(notes.notices.is_empty(), "{:?}", notes.notices.len());
    }

    #[test]
    fn the_depth_ends_the_walk_silently_and_bounds_with_an_error() {
        let (_outer, root) = world(&["a/SKILL.md", "a/b/SKILL.md", "a/b/c/SKILL.md"]);
        let within = |levels, max_entries, max_depth| {
            let reach = Reach {
                levels,
                max_entries,
                max_depth,
                skips_caches: true,
                skips_odd_names: true,
                skips_hidden: true,
                stop: Stop::default(),
            };
            let found = walked(&root, reach).map(|(found, _)| found);
            found.map_err(|error| error.message())
        };
        assert_eq!(
            within(Some(2), 100, 100).unwrap(),
            "a/SKILL.md a/b/SKILL.md"
        );
        assert_eq!(
            within(None, 6, 3).unwrap(),
            "a/SKILL.md a/b/SKILL.md a/b/c/SKILL.md"
        );
        let entries = within(None, 5, 3).unwrap_err();
        assert!(
            entries.ends_with("/root': more than 5 entries below it"),
            "{entries}"
        );
        let depth = within(None, 6, 2).unwrap_err();
        assert!(
            depth.ends_with("/root': directories nested more than 2 deep"),
            "{depth}"
        );
    }

    #[test]
    fn a_cancelled_walk_ends_with_an_error() {
        let (_outer, root) = world(&["a/SKILL.md"]);
        let stop = Stop::default();
        assert!(walked(&root, Reach::new(None).until(&stop)).is_ok());
        stop.raise();
        assert!(walked(&root, Reach::new(None).until(&stop)).is_err());
    }

    /// D-SYMLINK.
    #[cfg(unix)]
    #[test]
    fn a_symlink_to_a_skill_counts_unless_the_skill_is_found_and_cycles_end() {
        use std::os::unix::fs::symlink;
        let (outer, root) = world(&["skills/real/SKILL.md", "deep/x/SKILL.md"]);
        write_files(
            outer.path(),
            &[("away/SKILL.md", ""), ("more/y/SKILL.md", "")],
        );
        symlink("../away", root.join("away")).unwrap();
        symlink("skills/real", root.join("again")).unwrap();
        symlink("../more", root.join("more")).unwrap();
        symlink("..", root.join("deep/round")).unwrap();
        symlink("gone", root.join("gone")).unwrap();
        fs::create_dir(root.join(".skillc")).unwrap();
        symlink("..", root.join(".skillc/skills")).unwrap();
        assert_eq!(
            found(&root),
            "away/SKILL.md deep/x/SKILL.md skills/real/SKILL.md"
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn directories_with_odd_names_are_skipped_with_one_warning() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        let (_outer, root) = world(&["a/SKILL.md"]);
        for odd in [&b"x\xff"[..], b"a/y\xff"] {
            fs::create_dir(root.join(OsStr::from_bytes(odd))).unwrap();
        }
        let (found, notes) = walked(&root, Reach::new(None)).unwrap();
        assert_eq!(found, "a/SKILL.md");
        let said: Vec<String> = notes.notices.iter().map(ToString::to_string).collect();
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].contains("skipped 1 file name(s)"), "{said:?}");
        let main = root.join(OsStr::from_bytes(b"x\xff/SKILL.md"));
        fs::write(main, "---\nname: x\n---\n").unwrap();
        std::os::unix::fs::symlink(".b", root.join(OsStr::from_bytes(b"y\xff"))).unwrap();
        write_files(&root, &[(".b/SKILL.md", "---\nname: b\n---\n")]);
        let (found, notes) = walked(&root, Reach::new(None).into_odd_names()).unwrap();
        assert_eq!(found, "a/SKILL.md x\u{fffd}/SKILL.md y\u{fffd}/SKILL.md");
        assert!(notes.notices.is_empty(), "{:?}", notes.notices.len());
    }
}
