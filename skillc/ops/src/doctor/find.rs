//! Finds the skills in the folders of clients. Each folder is walked once, however many clients share it.
//!
//! The walk has no depth limit, so that skills too deep for a client can be reported.
//!
//! Design: R12, R20.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use skillc_core::clients::{Client, Clients};
use skillc_core::layout::{SKILL_FILE, canonical};
use skillc_core::resolve::{Surroundings, main_file};
use skillc_core::{Error, Notice, Result, SkillRef, Warning};
use skillc_storage::Freshness;
use skillc_storage::freshness::IndexStamp;

use super::broken::{Broken, Source, broken, closed_folder};
use super::head::{Content, Head, read};
use super::report::RootState;
use crate::client_roots::{ClientRoot, USUAL_DEPTH, roots_of};
use crate::lint::scope::Scope;
use crate::lookup::{Stub, stub_source};
use crate::notes::Notes;
use crate::skill_walk::{Reach, SkillDir, skills_below};
use crate::toolkit::Toolkit;

/// A directory that is a skill or was meant to be one.
#[derive(Debug)]
pub(super) struct Spot {
    /// The path at which the directory was found, with symlinks unresolved.
    pub(super) dir: PathBuf,
    /// The path with symlinks resolved.
    pub(super) real: PathBuf,
    /// The name of the skill's main file: `SKILL.md`, or a variant in another case; `None` if there is none.
    pub(super) main: Option<String>,
    /// The depth of the directory below the client's folder.
    pub(super) depth: usize,
    /// Whether the directory is inside another skill.
    pub(super) is_inside: bool,
    pub(super) content: Content,
    /// For a stub, the source that it was built from.
    pub(super) source: Option<(Source, Box<Head>)>,
    /// Whether the skill is a stub whose source cannot be found.
    pub(super) is_orphan: bool,
    /// Whether the skill is a stub whose index has changed since the build.
    pub(super) has_damaged_index: bool,
}

/// A folder of a client.
#[derive(Debug)]
pub(super) struct Folder {
    pub(super) state: RootState,
    /// The skills in the folder, sorted by path.
    pub(super) spots: Vec<Rc<Spot>>,
    /// The unreadable entries of the folder, with the reasons.
    pub(super) unread: Vec<(PathBuf, String)>,
    /// The broken entries of the folder, which used to be skills.
    pub(super) broken: Vec<Broken>,
}

/// The skills and broken entries that match the argument of the command.
pub(super) struct Asked {
    /// Directories of the matching skills: for the skills in `spots`, canonical paths; for all others, the paths as
    /// found in the folders of clients.
    dirs: BTreeSet<PathBuf>,
    /// Matching skills that were given by path or found in a store. Empty if a skill or entry in the folders of clients
    /// matches.
    spots: Vec<Rc<Spot>>,
    /// Paths of the broken entries that match by name or path.
    broken: BTreeSet<PathBuf>,
}

/// The skills that a client finds.
pub(super) struct ClientSkills {
    pub(super) roots: Vec<(ClientRoot, Rc<Folder>)>,
    /// The skills, each with the index of its root; no duplicates.
    pub(super) spots: Vec<(usize, Rc<Spot>)>,
    /// The skills that are too deep, each with the index of its root.
    pub(super) too_deep: Vec<(usize, Rc<Spot>)>,
    /// The number of skills at a depth for which the client's behaviour is not known.
    pub(super) deeper: usize,
    /// The requested skills that are in none of the roots.
    pub(super) elsewhere: Vec<Rc<Spot>>,
}

/// The folders of all clients of a run.
pub(super) struct Finder<'a> {
    toolkit: &'a Toolkit,
    surroundings: Surroundings<'a>,
    folders: BTreeMap<PathBuf, Rc<Folder>>,
}

impl<'a> Finder<'a> {
    pub(super) fn new(toolkit: &'a Toolkit) -> Self {
        Self {
            toolkit,
            surroundings: Surroundings::new(&toolkit.context),
            folders: BTreeMap::new(),
        }
    }

    /// Walks those folders of a client that have not been walked yet.
    pub(super) fn walk(&mut self, client: &Client, notes: &mut Notes) -> Result<()> {
        for root in roots_of(client, &self.toolkit.context) {
            self.toolkit.stop.check()?;
            if !self.folders.contains_key(&root.dir) {
                let folder = self.folder(&root.dir, notes);
                self.folders.insert(root.dir, Rc::new(folder));
            }
        }
        Ok(())
    }

    fn folder(&self, dir: &Path, notes: &mut Notes) -> Folder {
        let mut folder = Folder {
            state: RootState::Absent,
            spots: Vec::new(),
            unread: Vec::new(),
            broken: Vec::new(),
        };
        if !dir.is_dir() {
            if let Some(why) = closed_folder(dir) {
                folder.state = RootState::Unreadable;
                folder.unread.push((dir.to_path_buf(), why));
            }
            return folder;
        }
        notes.detail(format!("below   {}", dir.display()));
        let mut own = Notes::default();
        let reach = Reach::new(None).until(&self.toolkit.stop);
        let mut places = skills_below(dir, reach, Clients::shared(), &mut own);
        if places.is_err() && dir.read_dir().is_ok() {
            // Too many entries or levels: a shallow walk is better than nothing.
            own = Notes::default();
            let near = Reach::new(Some(USUAL_DEPTH)).until(&self.toolkit.stop);
            places = skills_below(dir, near, Clients::shared(), &mut own);
        }
        for notice in own.notices {
            match notice {
                Notice::Warning(Warning::SkillSkipped { skill, reason }) => {
                    folder.unread.push((skill.into(), reason));
                }
                other => notes.warn(other),
            }
        }
        match places {
            Ok(places) => {
                folder.state = RootState::There;
                folder.broken = broken(dir);
                folder.spots = self.spots(dir, places);
            }
            Err(error) => {
                folder.state = RootState::Unreadable;
                let reason = dir.read_dir().err();
                let reason = reason.map_or_else(|| error.message(), |e| e.kind().to_string());
                folder.unread.push((dir.to_path_buf(), reason));
            }
        }
        folder
    }

    fn spots(&self, root: &Path, places: Vec<SkillDir>) -> Vec<Rc<Spot>> {
        let depth_of = |dir: &Path| {
            let below = dir.strip_prefix(root).map(Path::components);
            below.map_or(0, Iterator::count)
        };
        let dirs: BTreeSet<PathBuf> = places.iter().map(|place| place.dir.clone()).collect();
        let is_inside = |dir: &Path| {
            let above = dir.ancestors().skip(1).take_while(|above| *above != root);
            above.into_iter().any(|above| dirs.contains(above))
        };
        let spot = |place: SkillDir| {
            Rc::new(self.spot(&place, depth_of(&place.dir), is_inside(&place.dir)))
        };
        places.into_iter().map(spot).collect()
    }

    fn spot(&self, place: &SkillDir, depth: usize, is_inside: bool) -> Spot {
        let asked = place.dir.to_string_lossy();
        let (dir, real) = (place.dir.clone(), place.real.clone());
        let at = self
            .surroundings
            .skill_at_real(&asked, dir.clone(), real.clone());
        let stub = stub_source(&self.toolkit.context, &asked, &real);
        Spot {
            content: read(at, place.main.as_deref()),
            is_orphan: matches!(stub, Stub::Orphan),
            has_damaged_index: matches!(&stub, Stub::Of(at) if has_damaged_index(at)),
            source: source_of(stub),
            dir,
            real,
            main: place.main.clone(),
            depth,
            is_inside,
        }
    }

    /// Finds the skills and broken entries that match an argument by path, or by name in the folders that were walked.
    /// If there are none, resolves the argument as `skc lint` does.
    ///
    /// # Errors
    /// Returns the errors of the arguments of `skc lint`.
    pub(super) fn asked(&self, asked: &str, notes: &mut Notes) -> Result<Asked> {
        if asked.trim().is_empty() {
            return Err(Error::SkillNotFound {
                skill: asked.to_owned(),
            });
        }
        let path = self.toolkit.context.cwd.join(asked);
        let path = match path.file_name() {
            Some(name) if name.eq_ignore_ascii_case(SKILL_FILE) => path.parent().unwrap_or(&path),
            _ => &path,
        };
        let real = canonical(path);
        let all = || self.folders.values().flat_map(|folder| &folder.spots);
        let dirs_of = |of: &dyn Fn(&Spot) -> bool| -> BTreeSet<PathBuf> {
            all()
                .filter(|spot| of(spot))
                .map(|spot| spot.dir.clone())
                .collect()
        };
        let mut dirs = dirs_of(&|spot| spot.dir == path || spot.real == real);
        if dirs.is_empty() {
            dirs = dirs_of(&|spot| spot.has_name(asked));
        }
        let broken = self.folders.values().flat_map(|folder| &folder.broken);
        let is_meant = |of: &Path| of == path || of.file_name().is_some_and(|name| name == asked);
        let broken = broken.map(|of| of.path.clone()).filter(|of| is_meant(of));
        let broken: BTreeSet<PathBuf> = broken.collect();
        let mut spots = Vec::new();
        if dirs.is_empty() && broken.is_empty() {
            let scope = Scope::find(self.toolkit, &[asked.to_owned()], notes)?;
            for found in scope.skills {
                let place = SkillDir {
                    main: main_file(&found.at.source),
                    dir: found.at.source,
                    real: found.at.canonical,
                    may_have_hidden: found.may_have_hidden,
                };
                dirs.insert(place.real.clone());
                spots.push(Rc::new(self.spot(&place, 1, false)));
            }
        }
        Ok(Asked {
            dirs,
            spots,
            broken,
        })
    }

    /// Returns the skills that a client finds. A skill that is too deep is included only if it was requested, or if no
    /// particular skills were requested.
    pub(super) fn find_for(&self, client: &Client, asked: Option<&Asked>) -> ClientSkills {
        let mut found = ClientSkills {
            roots: self.roots(client),
            spots: Vec::new(),
            too_deep: Vec::new(),
            deeper: 0,
            elsewhere: Vec::new(),
        };
        let is_asked = |spot: &Spot| asked.is_none_or(|of| of.has(spot));
        let mut seen = BTreeSet::new();
        for (at, (_, folder)) in found.roots.iter().enumerate() {
            for spot in &folder.spots {
                if spot.depth <= client.max_depth.unwrap_or(USUAL_DEPTH) {
                    if seen.insert(&spot.real) {
                        found.spots.push((at, Rc::clone(spot)));
                    }
                } else if !spot.is_inside && is_asked(spot) {
                    if client.max_depth.is_some() {
                        found.too_deep.push((at, Rc::clone(spot)));
                    } else {
                        found.deeper += 1;
                    }
                }
            }
        }
        found
            .too_deep
            .retain(|(_, spot)| !seen.contains(&spot.real));
        let asked_for = asked.map_or(&[][..], |asked| &asked.spots);
        let elsewhere = asked_for.iter().filter(|spot| !seen.contains(&spot.real));
        found.elsewhere = elsewhere.cloned().collect();
        found
    }

    /// Returns the folders of a client. A folder that is both a project's and the user's is treated as the user's.
    fn roots(&self, client: &Client) -> Vec<(ClientRoot, Rc<Folder>)> {
        let mut roots: Vec<(ClientRoot, Rc<Folder>)> = Vec::new();
        for root in roots_of(client, &self.toolkit.context) {
            let Some(folder) = self.folders.get(&root.dir) else {
                continue;
            };
            match roots.iter_mut().find(|(other, _)| other.dir == root.dir) {
                Some((other, _)) => other.is_user |= root.is_user,
                None => roots.push((root, Rc::clone(folder))),
            }
        }
        roots
    }
}

/// Returns true if the index of a skill has been written to since it was built, or if its freshness table cannot be
/// read. In both cases the text in the index cannot be trusted.
fn has_damaged_index(at: &SkillRef) -> bool {
    let (hash16, runtime) = (at.hash16(), at.indexed_runtime());
    let index = IndexStamp::read(&runtime.index(&hash16));
    let (Ok(()), Ok(index)) = (at.check_runtime(runtime), index) else {
        return false;
    };
    let known = Freshness::read(&runtime.stamps(&hash16));
    !known.is_some_and(|known| known.knows(index))
}

/// Reads the head of a stub's source.
fn source_of(stub: Stub) -> Option<(Source, Box<Head>)> {
    let Stub::Of(at) = stub else {
        return None;
    };
    let source = Source::from_skill(&at);
    match read(*at, main_file(&source.dir).as_deref()) {
        Content::Read(head) => Some((source, head)),
        _ => None,
    }
}

impl Asked {
    /// Returns whether a skill was requested.
    pub(super) fn has(&self, spot: &Spot) -> bool {
        self.dirs.contains(&spot.dir) || self.dirs.contains(&spot.real)
    }

    /// Returns whether a broken entry was requested.
    pub(super) fn has_broken(&self, of: &Broken) -> bool {
        self.broken.contains(&of.path)
    }
}

impl Spot {
    pub(super) fn dir_name(&self) -> String {
        let name = self.dir.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// Returns the name from the skill's frontmatter. Without one, returns the name of its directory.
    pub(super) fn name(&self) -> String {
        match &self.content {
            Content::Read(head) => head.name().map_or_else(|| self.dir_name(), str::to_owned),
            _ => self.dir_name(),
        }
    }

    fn has_name(&self, asked: &str) -> bool {
        self.dir_name() == asked || self.name() == asked
    }

    /// Returns the path of the skill's main file.
    pub(super) fn file(&self) -> PathBuf {
        self.dir.join(self.main.as_deref().unwrap_or(SKILL_FILE))
    }
}
