//! Resolves a skill argument: first as [`skillc_core::resolve()`] does, then in the skill folders of clients.
//!
//! A name is looked up in the stores, then in the project's client folders, then in the user's client folders. A
//! deployed stub resolves to its source. Anyone can write the manifest beside a stub, so the manifest is not trusted:
//! the source must still have the stub's name, and must be in the project that contains the stub, or be recorded in the
//! runtime directory of its own builds.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use skillc_catalog::Audience;
use skillc_core::clients::Clients;
use skillc_core::layout::{RuntimeDir, SKILL_FILE, Scope, Store, canonical, project_roots_above};
use skillc_core::path::is_one_component;
use skillc_core::resolve::{Surroundings, is_skill, resolve_among};
use skillc_core::source::{MAX_PARSED_BYTES, read_start};
use skillc_core::{Context, Result, SkillRef};

use crate::client_roots::{SkillFolder, skill_folders};
use crate::named::{head, is_offered};
use crate::notes::Notes;
use crate::runtime::manifest::Manifest;
use crate::runtime::record::Known;
use crate::shown_path::shown_path;
use crate::skill_walk::{Reach, SkillDir, skills_below};
use crate::toolkit::Toolkit;

/// The maximum number of directory entries to read in a client's folder or in a store.
const MAX_ENTRIES: usize = 20_000;

/// The maximum number of names to list in an error.
const MAX_NAMES: usize = 8;

/// A resolved skill.
pub(crate) struct Lookup {
    pub(crate) at: SkillRef,
    /// Other skills of the same name, with a different `SKILL.md`, that the user may have meant.
    pub(crate) others: Vec<PathBuf>,
}

/// Resolves a skill by path or name. `stores`: from [`skillc_core::resolve::stores`].
///
/// # Errors
/// Returns the errors of [`skillc_core::resolve()`].
pub(crate) fn find(context: &Context, stores: &[Store], asked: &str) -> Result<Lookup> {
    match resolve_among(context, stores, asked) {
        Ok(at) => {
            let at = followed(context, at);
            Ok(Lookup {
                others: hidden(context, &at),
                at,
            })
        }
        Err(error) => named(context, asked).ok_or(error),
    }
}

/// Returns the skills in the project's client folders that are shadowed by a skill of the user's store: a user who
/// works in the project may mean one of the project's skills.
fn hidden(context: &Context, at: &SkillRef) -> Vec<PathBuf> {
    let is_users = at
        .store
        .as_ref()
        .is_some_and(|store| store.scope == Scope::Global);
    if !is_users || !is_one_component(&at.asked) {
        return Vec::new();
    }
    let folders = skill_folders(context).into_iter();
    let dirs = folders
        .filter(|folder| !folder.is_user)
        .map(|folder| folder.dir.join(&at.asked));
    let dirs = dirs.filter(|dir| is_skill(dir)).collect::<Vec<_>>();
    let text = |dir: &Path| read_start(&dir.join(SKILL_FILE), MAX_PARSED_BYTES).ok();
    let own = if dirs.is_empty() {
        None
    } else {
        text(&at.source)
    };
    dirs.into_iter()
        .filter(|dir| !is_stub(dir) && text(dir) != own)
        .collect()
}

/// Returns the source if the argument was the path of a stub, otherwise the skill itself.
fn followed(context: &Context, at: SkillRef) -> SkillRef {
    if at.store.is_some() {
        return at;
    }
    match stub_source(context, &at.asked, &at.source) {
        Stub::Of(source) => *source,
        Stub::No | Stub::Orphan => at,
    }
}

/// Finds a skill by name in the skill folders of clients.
pub(crate) fn named(context: &Context, asked: &str) -> Option<Lookup> {
    if !is_one_component(asked) || asked.starts_with('.') {
        return None;
    }
    let folders = skill_folders(context);
    let (user, project): (Vec<_>, Vec<_>) = folders.into_iter().partition(|folder| folder.is_user);
    [project, user]
        .iter()
        .find_map(|folders| named_in(context, asked, folders))
}

/// Finds a skill by name in folders of equal precedence; the first match wins.
fn named_in(context: &Context, asked: &str, folders: &[SkillFolder]) -> Option<Lookup> {
    let direct = folders.iter().map(|folder| folder.dir.join(asked));
    let direct: Vec<PathBuf> = direct.filter(|dir| is_skill(dir)).collect();
    let mut found = sources(context, asked, direct);
    if found.is_empty() {
        let places: Vec<SkillDir> = folders.iter().flat_map(places_of).collect();
        let has_dir_name = |dir: &&PathBuf| dir.file_name().is_some_and(|name| name == asked);
        let dirs = || places.iter().map(|place| &place.dir);
        found = sources(context, asked, dirs().filter(has_dir_name).cloned());
        if found.is_empty() {
            // Skip stubs: they are found only by the names of their directories.
            let calls_itself =
                |dir: &&PathBuf| !is_stub(dir) && own_name(dir).as_deref() == Some(asked);
            found = sources(context, asked, dirs().filter(calls_itself).cloned());
        }
    }
    let mut found = found.into_iter();
    let at = found.next()?;
    let text = |dir: &Path| read_start(&dir.join(SKILL_FILE), MAX_PARSED_BYTES).ok();
    let first = text(&at.source);
    let others = found.map(|other| other.source);
    Some(Lookup {
        // A copy of the same skill for another client does not make the name ambiguous.
        others: others.filter(|other| text(other) != first).collect(),
        at,
    })
}

/// Returns the skills in the given directories, without duplicates. Stubs are replaced by their sources.
fn sources(
    context: &Context,
    asked: &str,
    dirs: impl IntoIterator<Item = PathBuf>,
) -> Vec<SkillRef> {
    let mut seen = BTreeSet::new();
    let skill = |dir: PathBuf| match stub_source(context, asked, &dir) {
        Stub::Of(source) => Some(*source),
        Stub::Orphan => None,
        Stub::No => Some(Surroundings::new(context).skill_at(asked, &dir)),
    };
    let skills = dirs.into_iter().filter_map(skill);
    skills
        .filter(|at| seen.insert(at.canonical.clone()))
        .collect()
}

/// Finds the skills in the client folders, except stubs and skills nested in another skill. A folder that cannot be
/// read causes a warning.
///
/// Returns the folders in order, each with its skills sorted by path, without duplicates.
pub(crate) fn in_client_folders(context: &Context, notes: &mut Notes) -> Vec<FolderSkills> {
    let surroundings = Surroundings::new(context);
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for folder in skill_folders(context) {
        if !folder.dir.is_dir() {
            continue;
        }
        notes.detail(format!("below   {}", folder.dir.display()));
        let reach = Reach::new(Some(folder.levels)).into_caches();
        let places = match skills_below(&folder.dir, reach, Clients::shared(), notes) {
            Ok(places) => places,
            Err(error) => {
                notes.warn(error);
                continue;
            }
        };
        let skills: Vec<SkillRef> = outermost(&folder.dir, places)
            .into_iter()
            .filter(|place| !is_stub(&place.dir) && seen.insert(place.real.clone()))
            .map(|place| {
                let asked = place.dir.display().to_string();
                surroundings.skill_at_real(&asked, place.dir, place.real)
            })
            .collect();
        found.push(FolderSkills { folder, skills });
    }
    found
}

/// The skills of a client's folder.
pub(crate) struct FolderSkills {
    pub(crate) folder: SkillFolder,
    pub(crate) skills: Vec<SkillRef>,
}

/// Drops skills inside another skill. `places`: sorted by path; a `SKILL.md` of the folder itself is ignored.
fn outermost(folder: &Path, places: Vec<SkillDir>) -> Vec<SkillDir> {
    let mut kept: Vec<SkillDir> = Vec::new();
    for place in places {
        let is_inside = |outer: &SkillDir| place.dir.starts_with(&outer.dir);
        if place.dir != folder && place.main.is_some() && !kept.last().is_some_and(is_inside) {
            kept.push(place);
        }
    }
    kept
}

/// Returns the skills of a client's folder; none if the folder has more entries than the limit.
fn places_of(folder: &SkillFolder) -> Vec<SkillDir> {
    if !folder.dir.is_dir() {
        return Vec::new();
    }
    let reach = Reach::new(Some(folder.levels));
    let reach = reach.into_caches().with_max_entries(MAX_ENTRIES);
    let places = skills_below(&folder.dir, reach, Clients::shared(), &mut Notes::default());
    outermost(&folder.dir, places.unwrap_or_default())
}

/// Returns the `name` of a skill's frontmatter.
fn own_name(dir: &Path) -> Option<String> {
    let fields = head(dir).ok()?;
    fields.text("name").map(str::to_owned)
}

/// Returns whether a directory is a build, even if its manifest is damaged or missing.
pub(crate) fn is_stub(dir: &Path) -> bool {
    RuntimeDir(dir.to_path_buf()).meta().is_dir() || runtime_root(&canonical(dir)).is_some()
}

/// Whether a directory is a stub.
pub(crate) enum Stub {
    /// Not a stub.
    No,
    /// A stub of this source.
    Of(Box<SkillRef>),
    /// A stub whose source is missing, was replaced by another skill, or is only claimed by the manifest.
    Orphan,
}

/// A candidate for the source of a stub, and the runtime directory of the build whose manifest names it.
struct Candidate {
    source: PathBuf,
    /// `None` if only the name matches.
    runtime: Option<RuntimeDir>,
}

impl Candidate {
    fn named(source: PathBuf) -> Self {
        Self {
            source,
            runtime: None,
        }
    }
}

/// Follows a deployed stub to its source. `dir`: an absolute path.
pub(crate) fn stub_source(context: &Context, asked: &str, dir: &Path) -> Stub {
    let manifest = Manifest::read(&RuntimeDir(dir.to_path_buf()).manifest());
    if manifest.is_none() && !is_stub(dir) {
        return Stub::No;
    }
    let surroundings = Surroundings::new(context);
    let real = canonical(dir);
    let candidates = match (runtime_root(&real), &manifest) {
        (Some(root), Some(manifest)) => runtime_candidates(context, root, &real, manifest),
        (None, Some(manifest)) => copy_candidates(context, &surroundings, &real, manifest),
        // The manifest is damaged or missing, but the path of a runtime directory ends with the skill's name.
        (Some(root), None) => in_store(root, &real).into_iter().collect(),
        (None, None) => Vec::new(),
    };
    let is_built = |source: &Path| match &manifest {
        Some(manifest) => own_name(source).as_deref() == Some(manifest.skill.as_str()),
        None => true,
    };
    let mut sources = candidates.into_iter().filter(|Candidate { source, .. }| {
        is_skill(source) && !is_stub(source) && is_built(source)
    });
    let Some(found) = sources.next() else {
        return Stub::Orphan;
    };
    let mut at = surroundings.skill_at(asked, &found.source);
    // Outside the stores, the runtime directory would depend on the working directory: use the runtime directory of the
    // existing build.
    if let (None, Some(runtime)) = (&at.store, found.runtime) {
        at.runtime = runtime;
    }
    Stub::Of(Box::new(at))
}

/// Returns `<root>` if the directory is the runtime directory `<root>/.skillc/runtime/<name>`; `None` otherwise.
fn runtime_root(real: &Path) -> Option<&Path> {
    let root = real.ancestors().nth(3)?;
    let name = real.file_name()?.to_str()?;
    let is_there = Store::project(root.to_path_buf()).runtime(name).0 == real;
    is_there.then_some(root)
}

/// Returns the skill that has the same name as a runtime directory, from the store that contains the directory.
fn in_store(root: &Path, real: &Path) -> Option<Candidate> {
    let name = real.file_name()?.to_str()?;
    let source = Store::project(root.to_path_buf()).source(name);
    Some(Candidate::named(source))
}

/// Returns the possible sources of a runtime directory: the source in the manifest, if a build in this store may have
/// been made from it, and the source in the store.
fn runtime_candidates(
    context: &Context,
    root: &Path,
    real: &Path,
    manifest: &Manifest,
) -> Vec<Candidate> {
    let recorded = PathBuf::from(&manifest.source);
    // The user's runtime directories also contain builds of skills from anywhere; a manifest in a repository may refer
    // only to paths inside that repository.
    let is_users = root == canonical(&context.home);
    let may = recorded.is_absolute() && (is_users || canonical(&recorded).starts_with(root));
    let recorded = may.then(|| Candidate {
        source: recorded,
        runtime: Some(RuntimeDir(real.to_path_buf())),
    });
    recorded.into_iter().chain(in_store(root, real)).collect()
}

/// Returns whether the source in the manifest of a build can be trusted: the user made the build, or the source is in
/// the same project as the build. Another repository can contain any manifest.
fn vouches_for(context: &Context, dir: &RuntimeDir, source: &Path) -> bool {
    let real = canonical(&dir.0);
    let is_of_project = runtime_root(&real).is_some_and(|root| canonical(source).starts_with(root));
    is_of_project
        || match Known::read(context, dir) {
            Known::Users => true,
            known @ Known::Recorded(_) => known.has_manifest(dir),
        }
}

/// Returns the possible sources of a copied stub: the source in the manifest, if a build confirms it; the source that
/// the surrounding project built under the copy's name; and the skills of that name in the project's store and in its
/// other client folders.
fn copy_candidates(
    context: &Context,
    surroundings: &Surroundings<'_>,
    real: &Path,
    manifest: &Manifest,
) -> Vec<Candidate> {
    let Some(name) = real.file_name().and_then(|name| name.to_str()) else {
        return Vec::new();
    };
    let build = |runtime: &RuntimeDir| {
        let built = Manifest::read(&runtime.manifest())?;
        (built.skill == manifest.skill).then_some(built)
    };
    let mut candidates: Vec<Candidate> = Vec::new();
    let recorded = PathBuf::from(&manifest.source);
    // A copy has the name of its source's directory; a manifest taken from another skill's copy does not match.
    if recorded.is_absolute() && recorded.file_name() == real.file_name() && is_skill(&recorded) {
        let at = surroundings.skill_at(&manifest.source, &recorded);
        let around = project_roots_above(context, &recorded).into_iter();
        let around = around.map(|root| Store::project(root).runtime(name));
        let confirmed = [at.runtime, at.global_runtime]
            .into_iter()
            .chain(around)
            .filter(|dir| build(dir).is_some_and(|built| built.source == manifest.source))
            .find(|dir| vouches_for(context, dir, &recorded));
        candidates.extend(confirmed.map(|runtime| Candidate {
            source: recorded,
            runtime: Some(runtime),
        }));
    }
    // The manifest of a committed copy has no path: look in the project that contains the copy.
    for root in real.ancestors().skip(1) {
        let store = Store::project(root.to_path_buf());
        if store.dir().is_dir() {
            let runtime = store.runtime(name);
            let source = build(&runtime).map(|built| PathBuf::from(built.source));
            let source = source.filter(|source| canonical(source).starts_with(root));
            candidates.extend(source.map(|source| Candidate {
                source,
                runtime: Some(runtime),
            }));
            candidates.push(Candidate::named(store.source(name)));
        }
        let folders = || {
            Clients::shared()
                .project_folders()
                .map(|dir| root.join(dir))
        };
        if folders().any(|folder| real.starts_with(folder)) {
            let beside = folders().map(|folder| folder.join(name));
            let beside = beside.filter(|dir| dir.as_path() != real);
            candidates.extend(beside.map(Candidate::named));
        }
    }
    candidates
}

/// The names of the skills in all client folders, read once for a command that looks up many names.
#[derive(Debug, Default)]
pub(crate) struct FolderNames(OnceCell<BTreeSet<String>>);

impl FolderNames {
    /// Returns whether [`named`] can find a skill of this name.
    pub(crate) fn has(&self, context: &Context, name: &str) -> bool {
        let names = self.0.get_or_init(|| {
            let mut names = BTreeSet::new();
            for place in skill_folders(context).iter().flat_map(places_of) {
                if let Stub::Orphan = stub_source(context, name, &place.dir) {
                    continue;
                }
                let dir_name = place.dir.file_name().and_then(|name| name.to_str());
                names.extend(dir_name.map(str::to_owned));
                names.extend(own_name(&place.dir));
            }
            names
        });
        names.contains(name)
    }
}

/// The places where a name was looked up, and the names of the skills there.
pub(crate) struct Looked {
    pub(crate) names: BTreeSet<String>,
    /// The places and some of the names, as text.
    pub(crate) text: String,
}

/// Lists the places where names are looked up, and the names found there, for the hint below E001. A model sees only
/// the names of skills that it may load.
pub(crate) fn looked(context: &Context, stores: &[Store], audience: Audience) -> Looked {
    let (mut places, mut names) = (Vec::new(), BTreeSet::new());
    let mut look = |dir: &Path, skills: Vec<PathBuf>| {
        places.push(shown_path(dir, context));
        let skills = skills.iter().filter(|dir| is_offered(audience, dir));
        let skills = skills.filter_map(|dir| dir.file_name()?.to_str());
        names.extend(skills.map(str::to_owned));
    };
    for store in stores {
        let entries = store.skills().read_dir().into_iter().flatten().flatten();
        let dirs = entries.take(MAX_ENTRIES).map(|entry| entry.path());
        look(&store.skills(), dirs.filter(|dir| is_skill(dir)).collect());
    }
    for folder in skill_folders(context) {
        if folder.dir.is_dir() {
            let places = places_of(&folder).into_iter();
            look(&folder.dir, places.map(|place| place.dir).collect());
        }
    }
    let places = places.join(", ");
    let more = match names.len().saturating_sub(MAX_NAMES) {
        0 => String::new(),
        more => format!(", and {more} more (skc list)"),
    };
    let few: Vec<&str> = names.iter().take(MAX_NAMES).map(String::as_str).collect();
    let text = if few.is_empty() {
        format!("Looked in {places}; no skills found. Create one: skc init NAME")
    } else {
        format!("Looked in {places}; found {}{more}", few.join(", "))
    };
    Looked { names, text }
}

impl Toolkit {
    /// Resolves the skill that a command is about. From then on, the command counts as a use of that skill and is
    /// logged.
    ///
    /// # Errors
    /// Returns the errors of [`resolve`](skillc_core::resolve()).
    pub(crate) fn find(&self, asked: &str, notes: &mut Notes) -> Result<SkillRef> {
        let Lookup { at, others } = find(&self.context, &self.stores, asked)?;
        notes.several(&self.context, &at, &others);
        notes.found(&at);
        Ok(at)
    }
}
