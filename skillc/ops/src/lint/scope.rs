//! The scope of a run: resolves the user's arguments to skill directories.
//!
//! Design: C-RESOLUTION@7, D-LINT-ALL, D-PATH-ARGS, D-PROJECT-ROOT.

use std::collections::BTreeSet;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use skillc_catalog::Audience;
use skillc_core::clients::Clients;
use skillc_core::layout::{SKILL_FILE, Store, canonical, project_roots};
use skillc_core::resolve::{Surroundings, lexical, main_file, skill_at, skill_in, stores};
use skillc_core::{Context, Error, Pattern, RelPath, Result, SkillRef, Warning, resolve_any_case};

use crate::archive::{self, Budget, Found, PackedSkill};
use crate::lookup::{self, FolderSkills, Lookup, in_client_folders, looked};
use crate::named::WILD;
use crate::named::names;
use crate::notes::Notes;
use crate::skill_walk::{MAX_AROUND, Reach, SkillDir, each_group_below, skills_below};
use crate::toolkit::Toolkit;

/// The skills of a run.
pub(crate) struct Scope {
    /// The skills in the order in which they were named, without duplicates. Skills of a store are sorted by name,
    /// skills of a directory by path.
    pub(crate) skills: Vec<FoundSkill>,
    /// Whether exactly one skill was named.
    pub(crate) is_single: bool,
    /// The directories searched for skills, to tell a deleted skill from one that was out of scope.
    pub(super) over: Vec<Over>,
}

/// A directory that was searched for skills.
pub(super) struct Over {
    /// The canonical path.
    pub(super) root: PathBuf,
    /// The glob that skills had to match, if any.
    pattern: Option<Pattern>,
}

impl Over {
    /// Returns whether the search would have found a skill. `dir`: the skill's canonical directory.
    pub(super) fn has(&self, dir: &Path) -> bool {
        let Some(below) = RelPath::below(&self.root, dir) else {
            return false;
        };
        let below = below.as_str();
        self.pattern.as_ref().is_none_or(|pattern| {
            let main = format!("{below}/{SKILL_FILE}");
            pattern.matches_name(below) || pattern.matches_name(&main)
        })
    }
}

/// A skill of a run that has not been read yet.
#[derive(Debug)]
pub(crate) struct FoundSkill {
    pub(crate) at: SkillRef,
    /// The directory as displayed before file names: see `SkillReport::folder`.
    pub(super) folder: String,
    /// False if the directory is known to contain no hidden entry, and therefore no configuration file.
    pub(crate) may_have_hidden: bool,
    /// The archive that contains the skill; `None` for a skill on disk.
    pub(super) packed: Option<PackedSkill>,
}

impl FoundSkill {
    /// Returns the canonical path of the skill's directory, or of the archive that contains the skill.
    pub(super) fn on_disk(&self) -> &Path {
        let dir = self.at.canonical.as_path();
        self.packed.as_ref().map_or(dir, |packed| &*packed.file)
    }
}

impl Scope {
    /// Finds the skills that were named. Without names, finds the skills of the project's stores and client folders; if
    /// there are none and the working directory is in no project, finds the user's skills.
    ///
    /// # Errors
    /// E001 if there is no skill with a given name, E010 if a directory contains no skill, E068 if no name is given and
    /// there are no skills, E999 if a directory cannot be read.
    pub(crate) fn find(toolkit: &Toolkit, asked: &[String], notes: &mut Notes) -> Result<Self> {
        Self::search(toolkit, asked, None, notes)
    }

    /// Like [`find`](Self::find), but also finds the skills in archives that are named by their paths.
    ///
    /// # Errors
    /// The same as for [`find`](Self::find), E010 if an archive has no skill, and E100 if it cannot be read.
    pub(super) fn find_unpacking(
        toolkit: &Toolkit,
        asked: &[String],
        notes: &mut Notes,
    ) -> Result<Self> {
        Self::search(toolkit, asked, Some(Budget::default()), notes)
    }

    fn search(
        toolkit: &Toolkit,
        asked: &[String],
        archives: Option<Budget>,
        notes: &mut Notes,
    ) -> Result<Self> {
        let mut finder = Finder {
            toolkit,
            notes,
            over: Vec::new(),
            archives,
        };
        let mut is_single = false;
        let mut skills = Vec::new();
        if asked.is_empty() {
            skills = finder.in_stores();
            if skills.is_empty() {
                return Err(no_skills(toolkit));
            }
        }
        for text in asked {
            match finder.named(text)? {
                Named::One(found) => {
                    is_single = asked.len() == 1;
                    skills.push(*found);
                }
                Named::Several(found) => skills.extend(found),
            }
        }
        let mut seen = BTreeSet::new();
        skills.retain(|found| seen.insert(found.at.canonical.clone()));
        Ok(Self {
            skills,
            is_single,
            over: finder.over,
        })
    }

    /// Finds the same skills as [`find`](Self::find), but passes them to `pass_on` in groups, so that the skills of a
    /// folder are never all in memory at once.
    ///
    /// A group is a skill with the skills nested in it. `pass_on` receives the path of the outermost skill, relative to
    /// the named folder and with `/` as the separator, and the group. A skill found through several arguments is passed
    /// on several times.
    ///
    /// # Errors
    /// The same as for [`find`](Self::find), and the errors of `pass_on`.
    pub(super) fn each(
        toolkit: &Toolkit,
        asked: &[String],
        notes: &mut Notes,
        pass_on: &mut PassOn<'_>,
    ) -> Result<()> {
        let mut finder = Finder {
            toolkit,
            notes,
            over: Vec::new(),
            archives: None,
        };
        if asked.is_empty() {
            let found = finder.in_stores();
            if found.is_empty() {
                return Err(no_skills(toolkit));
            }
            return finder.each_of(found, pass_on);
        }
        for text in asked {
            if let Some(root) = finder.folder(text) {
                finder.each_below(text, &root, pass_on)?;
                continue;
            }
            let found = match finder.named(text)? {
                Named::One(found) => vec![*found],
                Named::Several(found) => found,
            };
            finder.each_of(found, pass_on)?;
        }
        Ok(())
    }

    /// Returns the scope of a run over some of the skills that were named.
    pub(super) const fn of_some(skills: Vec<FoundSkill>) -> Self {
        Self {
            skills,
            is_single: false,
            over: Vec::new(),
        }
    }
}

/// Receives a group of skills and its path: see [`Scope::each`].
pub(super) type PassOn<'a> = dyn FnMut(&str, Vec<FoundSkill>) -> Result<()> + 'a;

/// The limit on directory entries that a search reads for an agent: the agent could pass `/`.
const MAX_ENTRIES_OF_AGENTS: usize = 100_000;

/// The hint for a directory that is not a skill and contains no skill.
const NOTHING_BELOW: &str = "Neither it nor any directory below it has a SKILL.md. Name a skill or a directory that contains skills, \
                             or create one: skc init NAME";

fn no_skills(toolkit: &Toolkit) -> Error {
    Error::NoSkills {
        hint: Some(
            looked(&toolkit.context, &toolkit.stores, toolkit.audience)
                .text
                .into(),
        ),
    }
}

/// The skill or skills that one argument resolves to.
enum Named {
    One(Box<FoundSkill>),
    Several(Vec<FoundSkill>),
}

impl Named {
    fn one(found: FoundSkill) -> Self {
        Self::One(Box::new(found))
    }
}

struct Finder<'a> {
    toolkit: &'a Toolkit,
    notes: &'a mut Notes,
    over: Vec<Over>,
    /// The resources that archives may use; `None` if archives are not read.
    archives: Option<Budget>,
}

impl Finder<'_> {
    fn context(&self) -> &Context {
        &self.toolkit.context
    }

    fn found(&self, at: SkillRef) -> FoundSkill {
        FoundSkill {
            folder: shown_folder(&self.context().cwd, &at.source),
            at,
            may_have_hidden: true,
            packed: None,
        }
    }

    /// Resolves one argument: a skill by path or name, a directory with skills below it, or a glob.
    fn named(&mut self, asked: &str) -> Result<Named> {
        let path = self.context().cwd.join(asked);
        if let Some(folder) = folder_of_main(&path) {
            return match main_file(folder) {
                Some(_) => Ok(Named::one(self.found(skill_at(
                    self.context(),
                    asked,
                    folder,
                )))),
                None => Err(Error::NotASkill {
                    path: shown_folder(&self.context().cwd, folder),
                }),
            };
        }
        if let Some(packed) = self.packed(asked, &path)? {
            return Ok(packed);
        }
        let error = match resolve_any_case(self.context(), asked) {
            Ok(at) => return self.with_nested(at, &path),
            Err(error) => error,
        };
        if !path.is_dir()
            && let Some(Lookup { at, others }) = lookup::named(self.context(), asked)
        {
            self.notes.several(&self.toolkit.context, &at, &others);
            return Ok(Named::one(self.found(at)));
        }
        let found = if asked.is_empty() {
            Vec::new()
        } else if path.is_dir() {
            self.below(&path, Reach::new(None))?
        } else if asked.contains(WILD) && !path.is_symlink() {
            self.matching(asked)?
        } else {
            Vec::new()
        };
        if found.is_empty() {
            if matches!(error, Error::NotASkill { .. }) && is_plain_dir(&path) {
                self.notes.hint = Some(NOTHING_BELOW.to_owned());
            }
            return Err(error);
        }
        Ok(Named::Several(found))
    }

    /// Reads the skills of an archive. Returns `None` if the argument is not the path of an archive, or if the archive
    /// is inside a skill that the caller may not load.
    fn packed(&mut self, asked: &str, path: &Path) -> Result<Option<Named>> {
        let Some(budget) = self.archives.as_mut().filter(|_| path.is_file()) else {
            return Ok(None);
        };
        let (source, real) = (lexical(path), canonical(path));
        let policy = self.toolkit.closing_policy();
        let is_closed = |dir: &Path| {
            let policy = policy.as_ref();
            policy.is_some_and(|policy| policy.closed_in(dir).is_some())
        };
        if real.ancestors().skip(1).any(is_closed) {
            return Ok(None);
        }
        let Some(archive) = archive::read(asked, &real, budget, &self.toolkit.stop)? else {
            return Ok(None);
        };
        let found = archive.skills(budget);
        if found.dirs.is_empty() {
            let flaw = archive.flaw().map(|flaw| format!(" Note: {flaw}."));
            let flaw = flaw.unwrap_or_default();
            self.notes.hint = Some(format!("The archive has no {SKILL_FILE}.{flaw}"));
            return Err(Error::NotASkill {
                path: asked.to_owned(),
            });
        }
        self.note_packed(asked, &found);
        let archive = Arc::new(archive);
        let mut skills = Vec::with_capacity(found.dirs.len());
        for dir in found.dirs {
            let at = SkillRef::in_archive(asked, [&source, &real], &dir);
            let packed = PackedSkill {
                archive: Arc::clone(&archive),
                file: real.clone(),
                dir,
                is_first: skills.is_empty(),
            };
            skills.push(FoundSkill {
                may_have_hidden: false,
                packed: Some(packed),
                ..self.found(at)
            });
        }
        Ok(Some(match skills.len() {
            1 => Named::one(skills.remove(0)),
            _ => Named::Several(skills),
        }))
    }

    /// Warns about the files in an archive that are not scanned.
    fn note_packed(&mut self, asked: &str, found: &Found) {
        let mut skip = |first: &RelPath, count: usize, why: String| {
            let others = match count {
                1 => String::new(),
                count => format!(", and so are {} others", count - 1),
            };
            self.notes.warn(Warning::SkillSkipped {
                skill: format!("{asked}/{first}"),
                reason: format!("{why}{others}"),
            });
        };
        if let Some(first) = found.too_deep.first() {
            let why = format!(
                "it is nested in more than {MAX_AROUND} skills, or the archives contain too much data"
            );
            skip(first, found.too_deep.len(), why);
        }
        if let Some((first, count)) = &found.outside {
            let why = "it is outside the skills of the archive";
            skip(first, *count, why.to_owned());
        }
    }

    /// Returns the skill. If the argument is the path of the skill's directory, includes the nested skills.
    fn with_nested(&mut self, at: SkillRef, path: &Path) -> Result<Named> {
        if !path.is_dir() || canonical(path) != at.canonical {
            return Ok(Named::one(self.found(at)));
        }
        let below = self.below(path, Reach::new(None))?;
        if below.len() > 1 {
            return Ok(Named::Several(below));
        }
        Ok(Named::one(self.found(at)))
    }

    /// Returns the skills of the project: those of its stores, then those of its client folders. If there is no project
    /// and no such skill, returns the user's skills.
    fn in_stores(&mut self) -> Vec<FoundSkill> {
        let roots = project_roots(self.context());
        for root in &roots {
            self.look_below(root, None);
        }
        let is_project = !roots.is_empty();
        let (user, project): (Vec<_>, Vec<_>) =
            in_client_folders(&self.toolkit.context, self.notes)
                .into_iter()
                .partition(|found| found.folder.is_user);
        let mut found = Vec::new();
        for root in roots {
            self.add_stored(&Store::project(root), &mut found);
        }
        self.add_clients(project, &mut found);
        if found.is_empty() && !is_project {
            let store = Store::global(self.context());
            self.look_below(&store.skills(), None);
            self.add_stored(&store, &mut found);
            self.add_clients(user, &mut found);
        }
        found
    }

    fn add_stored(&mut self, store: &Store, found: &mut Vec<FoundSkill>) {
        self.notes
            .detail(format!("store   {}", store.skills().display()));
        for name in names(store, self.notes) {
            let source = store.source(&name);
            if is_meant_as_skill(&source) {
                let at = skill_in(self.context(), &name, &name, source, store.clone());
                found.push(self.found(at));
            }
        }
    }

    fn add_clients(&mut self, folders: Vec<FolderSkills>, found: &mut Vec<FoundSkill>) {
        for FolderSkills { folder, skills } in folders {
            self.look_below(&folder.dir, None);
            found.extend(skills.into_iter().map(|at| self.found(at)));
        }
    }

    /// Records a directory that is searched for skills.
    fn look_below(&mut self, root: &Path, pattern: Option<&Pattern>) {
        self.over.push(Over {
            root: canonical(root),
            pattern: pattern.cloned(),
        });
    }

    /// Returns the skills in a directory and below it. Returns an empty list if no candidate has a main file.
    fn below(&mut self, root: &Path, reach: Reach) -> Result<Vec<FoundSkill>> {
        self.look_below(root, None);
        let places = self.places(root, reach)?;
        if places.iter().all(|place| place.main.is_none()) {
            return Ok(Vec::new());
        }
        Ok(self.at_places(&places))
    }

    /// Returns the directory that an argument names, unless the argument is the name of a skill elsewhere.
    fn folder(&self, asked: &str) -> Option<PathBuf> {
        let path = self.context().cwd.join(asked);
        if asked.is_empty() || !path.is_dir() {
            return None;
        }
        let is_it = match resolve_any_case(self.context(), asked) {
            Ok(at) => canonical(&path) == at.canonical,
            Err(_) => true,
        };
        is_it.then_some(path)
    }

    /// Passes the skills in a directory and below it to `pass_on`.
    fn each_below(&mut self, asked: &str, root: &Path, pass_on: &mut PassOn<'_>) -> Result<()> {
        let toolkit = self.toolkit;
        let (context, clients) = (&*toolkit.context, Clients::shared());
        let surroundings = Surroundings::new(context);
        let reach = Reach::new(None).until(&toolkit.stop);
        let mut is_empty = true;
        let root: PathBuf = root.components().collect();
        each_group_below(&root, reach, clients, self.notes, &mut |places| {
            is_empty = false;
            let key = places.first().map(|outer| &outer.dir);
            let key = key.map(|dir| slashed(dir.strip_prefix(&root).unwrap_or(dir)));
            let places = places.into_iter();
            let found = places.map(|place| found_at(&surroundings, context, place));
            pass_on(&key.unwrap_or_default(), found.collect())
        })?;
        match resolve_any_case(context, asked) {
            Err(error) if is_empty => {
                if matches!(error, Error::NotASkill { .. }) && is_plain_dir(&root) {
                    self.notes.hint = Some(NOTHING_BELOW.to_owned());
                }
                Err(error)
            }
            _ => Ok(()),
        }
    }

    /// Passes skills that were not found by searching a folder to `pass_on`. For a skill outside the working directory,
    /// the skill's name serves as its path.
    fn each_of(&self, found: Vec<FoundSkill>, pass_on: &mut PassOn<'_>) -> Result<()> {
        let mut groups: Vec<Vec<FoundSkill>> = Vec::new();
        for skill in found {
            let is_within = |group: &&mut Vec<FoundSkill>| {
                let outer = group.first();
                outer.is_some_and(|outer| skill.at.canonical.starts_with(&outer.at.canonical))
            };
            match groups.last_mut().filter(is_within) {
                Some(group) => group.push(skill),
                None => groups.push(vec![skill]),
            }
        }
        for group in groups {
            let key = group.first().map(|outer| {
                let below = outer.at.source.strip_prefix(&self.context().cwd);
                below.map_or_else(|_| outer.at.name.clone(), slashed)
            });
            pass_on(&key.unwrap_or_default(), group)?;
        }
        Ok(())
    }

    fn places(&mut self, root: &Path, reach: Reach) -> Result<Vec<SkillDir>> {
        // Remove `.` components, so that the path is a prefix of the paths below it.
        let root: PathBuf = root.components().collect();
        self.notes.detail(format!("below   {}", root.display()));
        let mut reach = reach.until(&self.toolkit.stop);
        if self.archives.is_some() {
            reach = reach.into_caches().into_odd_names().into_hidden();
        }
        if self.toolkit.audience != Audience::Person {
            reach = reach.with_max_entries(MAX_ENTRIES_OF_AGENTS);
        }
        skills_below(&root, reach, Clients::shared(), self.notes)
    }

    fn at_places(&self, places: &[SkillDir]) -> Vec<FoundSkill> {
        let surroundings = Surroundings::new(self.context());
        let at = |place: &SkillDir| found_at(&surroundings, self.context(), place.clone());
        places.par_iter().map(at).collect()
    }

    /// Returns the skills whose directory or main file matches a glob. The search starts in the folder named by the
    /// glob's leading components without wildcards. A glob without a separator also matches the names of the skills in
    /// stores.
    fn matching(&mut self, glob: &str) -> Result<Vec<FoundSkill>> {
        let glob = glob.trim_end_matches('/');
        let (base, wild) = split_glob(glob);
        // An invalid glob may be a literal name, but no skill has that name.
        let Ok(pattern) = Pattern::parse(wild) else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        let root: PathBuf = self.context().cwd.join(base).components().collect();
        if root.is_dir() {
            self.look_below(&root, Some(&pattern));
            let levels = (!wild.contains("**")).then(|| wild.matches('/').count() + 1);
            let mut places = self.places(&root, Reach::new(levels))?;
            places.retain(|place| matches(&pattern, &root, place));
            found = self.at_places(&places);
        }
        if !glob.contains('/') {
            self.add_by_name(&pattern, &mut found);
        }
        Ok(found)
    }

    /// Adds the skills with a matching name from all stores. Nearer stores take precedence, as for a plain name.
    fn add_by_name(&mut self, pattern: &Pattern, found: &mut Vec<FoundSkill>) {
        let mut seen = BTreeSet::new();
        for store in stores(self.context()) {
            for name in names(&store, self.notes) {
                let source = store.source(&name);
                let is_it = pattern.matches_name(&name) && main_file(&source).is_some();
                if is_it && seen.insert(name.clone()) {
                    let at = skill_in(self.context(), &name, &name, source, store.clone());
                    found.push(self.found(at));
                }
            }
        }
    }
}

fn found_at(surroundings: &Surroundings<'_>, context: &Context, place: SkillDir) -> FoundSkill {
    let folder = shown_folder(&context.cwd, &place.dir);
    FoundSkill {
        at: surroundings.skill_at_real(&folder, place.dir, place.real),
        folder,
        may_have_hidden: place.may_have_hidden,
        packed: None,
    }
}

/// Returns whether a path is a directory without any entry called `SKILL.md`. A `SKILL.md` that is not a file is
/// reported elsewhere.
fn is_plain_dir(dir: &Path) -> bool {
    dir.is_dir() && dir.join(SKILL_FILE).symlink_metadata().is_err()
}

/// Returns the parent directory of a path, if the path is an existing file named `SKILL.md` in any letter case.
fn folder_of_main(path: &Path) -> Option<&Path> {
    let name = path.file_name()?.to_str()?;
    let is_there = path.symlink_metadata().is_ok() && !path.is_dir();
    (name.eq_ignore_ascii_case(SKILL_FILE) && is_there).then(|| path.parent())?
}

/// Returns whether a directory has a main file, or another kind of entry called `SKILL.md`.
pub(super) fn is_meant_as_skill(dir: &Path) -> bool {
    dir.join(SKILL_FILE).symlink_metadata().is_ok() || main_file(dir).is_some()
}

/// Splits a glob before its first component with a wildcard: `a/b*/c` becomes `a/` and `b*/c`.
pub(super) fn split_glob(glob: &str) -> (&str, &str) {
    let wild = glob.find(WILD).unwrap_or(glob.len());
    let at = glob[..wild].rfind('/').map_or(0, |slash| slash + 1);
    glob.split_at(at)
}

fn matches(pattern: &Pattern, root: &Path, place: &SkillDir) -> bool {
    let Some(dir) = RelPath::below(root, &place.dir) else {
        return false;
    };
    let dir = dir.as_str();
    let main = place.main.as_ref().map(|main| match dir {
        "" => main.clone(),
        dir => format!("{dir}/{main}"),
    });
    (!dir.is_empty() && pattern.matches_name(dir))
        || main.is_some_and(|main| pattern.matches_name(&main))
}

/// Returns a skill's directory as displayed before its files.
pub(super) fn shown_folder(cwd: &Path, source: &Path) -> String {
    match source.strip_prefix(cwd) {
        Ok(below) if below.as_os_str().is_empty() => ".".to_owned(),
        Ok(below) => slashed(below),
        Err(_) => slashed(source),
    }
}

/// Returns a path with `/` as the separator on every system.
pub(super) fn slashed(path: &Path) -> String {
    path.display().to_string().replace(MAIN_SEPARATOR, "/")
}
