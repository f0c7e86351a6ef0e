//! Deploys a build to the agents' skill directories: a link, or a copy if requested or necessary.
//!
//! Without `--force`, a deployment replaces only links, and copies of the same skill's build. It never replaces a
//! skill's own source or build.
//!
//! Project folders always get a copy: they are committed, and the runtime directory is not, so a link would dangle in a
//! fresh clone.
//!
//! Design: C-DEPLOYMENT, D-AGENT-DIR, D-COPY-CONTENT, D-DEPLOY-CONFLICT.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use cap_std::fs::{Dir, OpenOptions};
use schemars::JsonSchema;
use serde::Serialize;
use skillc_catalog::Audience;
use skillc_core::clients::AgentDir;
use skillc_core::fs::{hold_or_create, real_dir};
use skillc_core::layout::{RuntimeDir, SKILLC_DIR, Store, canonical, is_temporary};
use skillc_core::source::{MAX_PARSED_BYTES, read_in, read_start};
use skillc_core::{Context, Error, Result, SkillRef, Warning};

use crate::build::BuildRequest;
use crate::notes::Notes;
use crate::runtime::entry::{BuildLink, FolderEntry, here};
use crate::runtime::lock::{BuildLock, Wait};
use crate::runtime::manifest::Manifest;
use crate::runtime::real_place;
use crate::staged::{Old, clear_replacement, entry, remove_in, replace_in, sibling};
use crate::toolkit::Toolkit;
use crate::trash::Trash;

/// A skill in an agent's directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Deployment {
    /// Target, as requested
    pub target: String,
    /// Where the agent finds the skill
    pub path: String,
    /// How it was deployed
    pub method: Method,
}

/// How a skill is deployed to an agent's directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// A symbolic link
    Symlink,
    /// A directory junction on Windows
    Junction,
    /// A copy of stub and manifest
    Copy,
}

impl Method {
    /// Returns `symlink`, `junction` or `copy`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Symlink => "symlink",
            Self::Junction => "junction",
            Self::Copy => "copy",
        }
    }
}

/// What a deployment may replace besides links and copies of the same skill's build (see [`check_free`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Force {
    Nothing,
    /// Copies of any build, even if edited. A model cannot force more than that: only a user may replace files that
    /// skillc did not create.
    Copies,
    Anything,
}

impl Force {
    pub(crate) fn from_request(toolkit: &Toolkit, request: &BuildRequest) -> Self {
        match (request.force, toolkit.audience) {
            (false, _) => Self::Nothing,
            (true, Audience::Model) => Self::Copies,
            (true, Audience::Person) => Self::Anything,
        }
    }
}

#[derive(Clone, Copy)]
pub(crate) struct DeployJob<'a> {
    pub(crate) context: &'a Context,
    pub(crate) at: &'a SkillRef,
    pub(crate) runtime: &'a RuntimeDir,
    /// The directory that the skill was imported from; `None` if it was not imported.
    pub(crate) imported_from: Option<&'a Path>,
    /// The project whose agent folders get committed copies; `None` to treat all folders alike.
    pub(crate) project: Option<&'a Path>,
    /// Whether to copy instead of linking.
    pub(crate) copy: bool,
    /// The entries that may be replaced.
    pub(crate) force: Force,
    /// Whether a person or a model requested the deployment.
    pub(crate) audience: Audience,
    pub(crate) wait: Wait<'a>,
}

impl DeployJob<'_> {
    /// Returns whether a place is in a folder that is committed with its project.
    fn is_committed(&self, place: &Path) -> bool {
        self.project.is_some_and(|root| place.starts_with(root))
    }
}

/// Deploys to every folder; a failure does not prevent the other deployments.
///
/// Returns the first error; later errors become warnings.
pub(crate) fn deploy_all(
    job: &DeployJob<'_>,
    agents: &[AgentDir],
    notes: &mut Notes,
) -> Result<Vec<Deployment>> {
    let mut done = Vec::new();
    let mut failed = None;
    for agent in agents {
        let place = agent.dir.join(&job.at.name);
        match deploy(job, &place, link, notes) {
            Ok(method) => {
                done.push(Deployment {
                    target: agent.target.clone(),
                    path: place.display().to_string(),
                    method,
                });
            }
            Err(error) if failed.is_none() => failed = Some(error),
            Err(error) => notes.warn(error),
        }
    }
    match failed {
        None => Ok(done),
        Some(error) => {
            for Deployment { path, method, .. } in &done {
                notes.detail(format!("deploy  {path} ({})", method.as_str()));
            }
            Err(after_build(error, &done))
        }
    }
}

/// Adds the steps that succeeded to the hint of an error.
fn after_build(error: Error, done: &[Deployment]) -> Error {
    let Error::Internal { message, hint } = error else {
        return error;
    };
    let paths = done.iter().map(|deployment| deployment.path.as_str());
    let paths = paths.collect::<Vec<_>>().join(", ");
    let rest = if paths.is_empty() {
        "The skill is built, but not deployed.".to_owned()
    } else {
        format!("The skill is built, and deployed to: {paths}")
    };
    let hint = hint.map_or_else(|| rest.clone(), |hint| format!("{hint}\n{rest}"));
    Error::Internal {
        message,
        hint: Some(hint.into()),
    }
}

/// Creates a link to a runtime directory (first argument) in an open directory (second). The third argument is the
/// link's path, for systems that need it.
pub(super) type Linker = fn(&Path, &Dir, &Path) -> io::Result<Method>;

/// Deploys to the path `place`. Its folder is resolved once and held open: if another process replaces the folder in
/// the meantime (a race), nothing is written to the replacement or removed from it.
pub(super) fn deploy(
    job: &DeployJob<'_>,
    place: &Path,
    link: Linker,
    notes: &mut Notes,
) -> Result<Method> {
    let dir = place.parent().unwrap_or(place);
    let created = |e: io::Error| Error::io("creating", dir, &e);
    let real_folder = collapsed(&real_dir(dir).map_err(created)?);
    let real = real_folder.join(entry(place));
    check_apart(job, place, &real)?;
    let held = hold_or_create(&real_folder).map_err(created)?;
    let _lock = BuildLock::for_directory(&held, &job.at.name, job.wait)?;
    let (there, id) = FolderEntry::read_in(&held, place);
    let is_committed = job.is_committed(place);
    check_free(job, place, &there, is_committed)?;
    if job.audience == Audience::Model {
        check_no_others(job, place, &there)?;
    }
    if is_committed && is_current(job, &held, place, &there) {
        return Ok(Method::Copy);
    }
    if !is_committed && !job.copy {
        check_own(job.runtime)?;
    }
    let fail = |e: &io::Error| Error::io("deploying to", place, e);
    clear_replacement(&held, place).map_err(|e| fail(&e))?;
    let new = real_folder.join(entry(&sibling(place, "new")));
    let made = if is_committed {
        copy_committed(job.runtime, &held, entry(&new)).map(|()| Method::Copy)
    } else {
        make(job, place, (&held, &new), link, notes)
    };
    let done = made.and_then(|method| {
        // Move entries that may be the user's work to the trash: entries that only `--force` may replace, edited
        // copies, and links to something other than a build.
        let is_others = match &there {
            FolderEntry::Link(None) => place.exists(),
            FolderEntry::Copy(copy) => !copy.is_intact,
            _ => false,
        };
        let is_forced = check_free(
            &DeployJob {
                force: Force::Nothing,
                ..*job
            },
            place,
            &there,
            is_committed,
        )
        .is_err();
        let trash = (is_forced || is_others)
            .then(|| Trash::open(job.context))
            .transpose()?;
        let old = trash.as_ref().map_or(Old::Removed(id), Old::Kept);
        let kept = replace_in(&held, entry(&new), place, old)?;
        Ok((method, kept))
    });
    match done {
        Ok((method, kept)) => {
            notes.replaced(place, kept);
            warn_of_replaced(job, place, &there, notes);
            Ok(method)
        }
        Err(error) => {
            remove_in(&held, entry(&new));
            Err(match error.kind() {
                io::ErrorKind::CrossesDevices => other_disk(job.context, place),
                _ => fail(&error),
            })
        }
    }
}

/// Creates the error for an entry that cannot be moved to the trash, because the trash is on another file system.
pub(super) fn other_disk(context: &Context, place: &Path) -> Error {
    let trash = Store::global(context).trash();
    Error::Internal {
        message: format!(
            "replacing '{}': cannot move it to '{}' on another file system",
            place.display(),
            trash.display()
        ),
        hint: Some("Nothing was replaced. Move it away manually, then build again.".into()),
    }
}

/// Warns if the replaced entry was the stub of another skill, whether as a link or as a copy.
fn warn_of_replaced(job: &DeployJob<'_>, place: &Path, replaced: &FolderEntry, notes: &mut Notes) {
    let other = match replaced {
        FolderEntry::Link(Some(link)) => other_build(job, link),
        FolderEntry::Copy(copy) => other_source(job, &copy.manifest),
        _ => None,
    };
    if let Some(other) = other {
        notes.warn(Warning::StubReplaced {
            path: other.display().to_string(),
            place: place.display().to_string(),
        });
    }
}

/// Returns the source that a copied stub was made from, if that source still exists and is not the skill being
/// deployed. The manifest of a committed copy has no source path.
fn other_source(job: &DeployJob<'_>, copy: &Manifest) -> Option<PathBuf> {
    let source = PathBuf::from(&copy.source);
    let is_other = source.is_absolute() && canonical(&source) != job.at.canonical;
    (is_other && source.is_dir()).then_some(source)
}

/// If a link led to the build of another skill, returns that skill's source, or the build if the source is gone; `None`
/// if neither exists.
fn other_build(job: &DeployJob<'_>, replaced: &BuildLink) -> Option<PathBuf> {
    let there = replaced.runtime();
    let source = replaced.source();
    let is_own = canonical(&there.0) == canonical(&job.runtime.0)
        // A project's skill can also be built into the user's store.
        || canonical(&source) == job.at.canonical
        || there.index(&job.at.hash16()).exists();
    let is_alive = there.stub().is_file() || source.is_dir();
    let path = if source.is_dir() { source } else { there.0 };
    (is_alive && !is_own).then_some(path)
}

/// Creates the new entry under a temporary name: a link, or a copy if requested or necessary.
///
/// `dir`: the directory of the entry. `new`: the temporary path.
fn make(
    job: &DeployJob<'_>,
    place: &Path,
    (dir, new): (&Dir, &Path),
    link: Linker,
    notes: &mut Notes,
) -> io::Result<Method> {
    if !job.copy {
        match link(&canonical(&job.runtime.0), dir, new) {
            Ok(method) => return Ok(method),
            Err(error) => {
                let (path, reason) = (place.display().to_string(), error.to_string());
                notes.warn(Warning::DeployedByCopy { path, reason });
            }
        }
    }
    copy(job.runtime, dir, entry(new)).map(|()| Method::Copy)
}

/// Makes sure that a place is not inside the skill's source, the directory that the skill was imported from, or the
/// skill's build, and contains none of the three. No option overrides this check. A place in a project's folder must
/// also not be reached through a symlink out of the project.
///
/// `real`: the place, with the symlinks of its folder resolved.
fn check_apart(job: &DeployJob<'_>, place: &Path, real: &Path) -> Result<()> {
    let own = [
        &job.at.canonical,
        &real_place(&job.at.source),
        &canonical(&job.runtime.0),
        &real_place(&job.runtime.0),
    ];
    let outside = |root: &Path| job.is_committed(place) && !real.starts_with(canonical(root));
    if job.project.is_some_and(outside) {
        let why = "the path goes through a symlink that leads out of the project";
        return Err(conflict(place, why, None));
    }
    let from = job.imported_from.map(canonical);
    let touches = |own: &PathBuf| own.starts_with(real) || real.starts_with(own);
    if own.into_iter().chain(&from).any(touches) {
        return Err(conflict(place, "the skill's own source is there", None));
    }
    Ok(())
}

/// Makes sure that a runtime directory contains only files that builds write. A cloned repository may contain other
/// files there, and some programs run the files of such folders: a directory with an `__init__.py` is a Python package.
///
/// # Errors
/// E069, which names the first foreign entry in alphabetical order.
fn check_own(runtime: &RuntimeDir) -> Result<()> {
    let fail = |e: io::Error| Error::io("reading", &runtime.0, &e);
    let dirs = [runtime.meta(), runtime.0.join(SKILLC_DIR)];
    let mut foreign = Vec::new();
    for entry in runtime.0.read_dir().map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        let kind = path.symlink_metadata().map_err(fail)?;
        let is_own = (kind.is_file() && path == runtime.stub())
            || (kind.is_dir() && dirs.contains(&path))
            || path.file_name().is_some_and(is_temporary);
        if !is_own {
            foreign.push(path.display().to_string());
        }
    }
    match foreign.into_iter().min() {
        Some(path) => Err(Error::ForeignInBuild { path }),
        None => Ok(()),
    }
}

/// Makes sure that the existing entry may be replaced. A link or a copy of this skill's build may always be replaced,
/// except that a committed copy must be unedited. With `--force`, other entries may be replaced, too: see [`Force`].
fn check_free(
    job: &DeployJob<'_>,
    place: &Path,
    entry: &FolderEntry,
    is_committed: bool,
) -> Result<()> {
    let kind = match entry {
        FolderEntry::Free | FolderEntry::Link(_) => return Ok(()),
        _ if job.force == Force::Anything => return Ok(()),
        FolderEntry::Copy(_) if job.force == Force::Copies => return Ok(()),
        FolderEntry::Copy(copy) => {
            let here = Manifest::read(&job.runtime.manifest());
            let is_ours = here.is_some_and(|here| here.skill == copy.manifest.skill);
            if is_ours && (copy.is_intact || !is_committed) {
                return Ok(());
            }
            if is_ours {
                "an edited copy"
            } else {
                "a directory"
            }
        }
        FolderEntry::Foreign(kind) if job.force == Force::Copies => {
            let hint =
                "Move it away, or have the user run 'skc build --force' on the command line.";
            let why =
                format!("{kind} that skc did not create is already there; it was not replaced");
            return Err(conflict(place, &why, Some(hint)));
        }
        FolderEntry::Foreign(kind) => kind,
    };
    Err(conflict(
        place,
        &format!("{kind} already exists; not replacing it without --force"),
        Some("Move it away, or use --force to replace it."),
    ))
}

/// Makes sure that an agent does not replace the stub of another skill, or a symlink that skc did not create: users
/// trust an entry by its name, so only a user may give that name to another skill.
fn check_no_others(job: &DeployJob<'_>, place: &Path, entry: &FolderEntry) -> Result<()> {
    let what = match entry {
        FolderEntry::Link(None) if place.exists() => "a symlink that skc did not create",
        FolderEntry::Link(Some(link)) if other_build(job, link).is_some() => {
            "the stub of another skill"
        }
        FolderEntry::Copy(copy) if other_source(job, &copy.manifest).is_some() => {
            "the stub of another skill"
        }
        _ => return Ok(()),
    };
    let hint = "Move it away, or have the user run 'skc build' on the command line.";
    let why = format!("{what} is already there; it was not replaced");
    Err(conflict(place, &why, Some(hint)))
}

/// Returns whether a committed copy is already up to date. If so, the copy is not rewritten, so that version control
/// sees no change.
fn is_current(job: &DeployJob<'_>, dir: &Dir, place: &Path, found: &FolderEntry) -> bool {
    let (FolderEntry::Copy(copy), Ok(there)) = (found, dir.open_dir(entry(place))) else {
        return false;
    };
    let manifest = Manifest::read(&job.runtime.manifest());
    copy.is_intact
        && manifest.is_some_and(|manifest| manifest.committed() == copy.manifest)
        && !there.exists(here().compatible_manifest())
        && read_in(&there, &here().stub(), MAX_PARSED_BYTES).ok()
            == read_start(&job.runtime.stub(), MAX_PARSED_BYTES).ok()
}

fn conflict(place: &Path, why: &str, hint: Option<&'static str>) -> Error {
    Error::Internal {
        message: format!("deploying to '{}': {why}", place.display()),
        hint: hint.map(Into::into),
    }
}

/// Resolves `..` lexically, which is correct because no `..` can follow a symlink. `path`: a canonical directory,
/// followed by components that do not exist yet.
fn collapsed(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in path.components() {
        if component == Component::ParentDir {
            clean.pop();
        } else {
            clean.push(component);
        }
    }
    clean
}

#[cfg(unix)]
pub(super) fn link(runtime: &Path, dir: &Dir, place: &Path) -> io::Result<Method> {
    dir.symlink_contents(runtime, entry(place))
        .map(|()| Method::Symlink)
}

#[cfg(windows)]
pub(super) fn link(runtime: &Path, _: &Dir, place: &Path) -> io::Result<Method> {
    // `mklink /J` makes a junction without administrator rights; the standard library has no call for it.
    let status = std::process::Command::new("cmd")
        .args(["/C", "mklink", "/J"])
        .arg(place)
        .arg(runtime)
        .output()?
        .status;
    if status.success() {
        Ok(Method::Junction)
    } else {
        Err(io::Error::other("mklink failed"))
    }
}

#[cfg(not(any(unix, windows)))]
pub(super) fn link(_: &Path, _: &Dir, _: &Path) -> io::Result<Method> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Copies the files that agents read; logs and index stay in the runtime directory.
fn copy(runtime: &RuntimeDir, dir: &Dir, name: &OsStr) -> io::Result<()> {
    let there = NewDir::make(dir, name)?;
    let files: [fn(&RuntimeDir) -> PathBuf; 3] = [
        RuntimeDir::stub,
        RuntimeDir::manifest,
        RuntimeDir::compatible_manifest,
    ];
    files.into_iter().try_for_each(|file| {
        let bytes = read_start(&file(runtime), MAX_PARSED_BYTES)?;
        there.write(&file(&here()), &bytes)
    })
}

/// A directory created by this process and written through its handle: in a folder that other users can write to, the
/// directory at the path could be replaced (a race).
struct NewDir(Dir);

impl NewDir {
    /// Creates a directory; fails if it exists.
    fn make(parent: &Dir, name: &OsStr) -> io::Result<Self> {
        parent.create_dir(name)?;
        let made = parent.open_dir(name)?;
        check_owner(&made.dir_metadata()?)?;
        Ok(Self(made))
    }

    /// Writes a new file, creating its parent directory.
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        if let Some(dir) = path.parent().filter(|dir| !dir.as_os_str().is_empty()) {
            self.0.create_dir_all(dir)?;
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        self.0.open_with(path, &options)?.write_all(bytes)
    }
}

/// Makes sure that an opened directory is the directory that was just created, and not a replacement by another user.
#[cfg(unix)]
fn check_owner(made: &cap_std::fs::Metadata) -> io::Result<()> {
    use cap_std::fs::MetadataExt;
    if made.uid() == rustix::process::geteuid().as_raw() {
        Ok(())
    } else {
        Err(io::Error::other("replaced by another user"))
    }
}

#[cfg(not(unix))]
fn check_owner(_made: &cap_std::fs::Metadata) -> io::Result<()> {
    Ok(())
}

/// Copies the files that a clone of the project needs: the stub, and the manifest by which the next build recognizes
/// the copy.
fn copy_committed(runtime: &RuntimeDir, dir: &Dir, name: &OsStr) -> io::Result<()> {
    let manifest = Manifest::read(&runtime.manifest());
    let manifest = manifest.ok_or_else(|| io::Error::other("the manifest is missing"))?;
    let stub = read_start(&runtime.stub(), MAX_PARSED_BYTES)?;
    let there = NewDir::make(dir, name)?;
    there.write(&here().stub(), &stub)?;
    there.write(&here().manifest(), &manifest.committed().to_json())
}

#[cfg(test)]
mod tests {
    use super::*;

    use skillc_core::hash::Sha;
    use skillc_core::resolve;
    use skillc_core::testkit::{NOW, context, write_files};

    use std::time::Duration;

    use skillc_core::Stop;

    /// C-DEPLOYMENT.5.
    #[test]
    fn if_symlinks_are_unavailable_a_copy_is_made_with_a_warning() {
        let root = tempfile::tempdir().unwrap();
        let home = root.path();
        let source = home.join(".skillc/skills/demo");
        write_files(&source, &[("SKILL.md", "# Demo\n")]);
        let context = context(home, home);
        let at = resolve(&context, "demo").unwrap();
        let manifest = Manifest::new(
            "demo",
            NOW,
            &source,
            [Sha::digest(b"source"), Sha::digest(b"stub")],
        )
        .to_json();
        let manifest = String::from_utf8(manifest).unwrap();
        let files = [
            "SKILL.md",
            ".skillc-meta/manifest.json",
            ".skillc/manifest.json",
        ];
        write_files(&at.runtime.0, &files.map(|path| (path, manifest.as_str())));

        let place = home.join("agent/demo");
        let job = DeployJob {
            context: &context,
            at: &at,
            runtime: &at.runtime,
            imported_from: None,
            project: None,
            copy: false,
            force: Force::Nothing,
            audience: Audience::Person,
            wait: Wait {
                home,
                most: Duration::ZERO,
                stop: &Stop::default(),
            },
        };
        let no_link: Linker = |_, _, _| Err(io::ErrorKind::Unsupported.into());
        let mut notes = Notes::default();
        assert_eq!(deploy(&job, &place, no_link, &mut notes), Ok(Method::Copy));
        assert!(!place.is_symlink() && files.iter().all(|path| place.join(path).is_file()));
        let said: Vec<String> = notes.notices.iter().map(ToString::to_string).collect();
        let begin = format!("warning[W022]: deployed by copy: '{}'", place.display());
        assert!(said.len() == 1 && said[0].starts_with(&begin), "{said:?}");
    }
}
