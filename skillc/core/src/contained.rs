//! Confines reads and writes below a project's `.skillc` to that directory, regardless of symlinks in the project. The
//! configuration and the sources may be symlinks to other places in the project, but not outside it.
//!
//! A repository is untrusted. A symlink in its `.skillc` could redirect a build, a log or a read to the user's files,
//! so this module checks every path below a project's `.skillc` before it is opened. It does not check the user's own
//! `.skillc`: symlinks there are the user's choice.
//!
//! Design: R37.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder, OpenOptions};

use crate::error::{Error, Result};
use crate::layout::{RuntimeDir, SKILLC_DIR, Scope, Store, canonical, local_logs};
use crate::source::{hold, link_end};

/// Checks a project's `.skillc` and the symlinks directly in it. `.skillc` itself, its configuration and its sources
/// must stay inside the project. Every other symlink, except the local logs, must stay inside `.skillc`.
///
/// # Errors
/// E999 for the first symlink, in path order, that points outside.
pub fn check_project(store: &Store) -> Result<()> {
    if store.scope == Scope::Global {
        return Ok(());
    }
    let dir = store.dir();
    let entries = dir.read_dir().into_iter().flatten().flatten();
    let linked = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
    let mut links: Vec<PathBuf> = linked.map(|entry| entry.path()).collect();
    // Local logs are checked when they are opened, because `skc sync` reports its own error for them.
    let logs = local_logs(&store.root);
    links.retain(|link| *link != logs);
    if dir.is_symlink() {
        links.push(dir.clone());
    }
    if links.is_empty() {
        return Ok(());
    }
    links.sort();
    let root = canonical(&store.root);
    let inside = root.join(SKILLC_DIR);
    let may_be_anywhere_inside = [store.skills(), store.config(), dir];
    let bounds = |link: &PathBuf| {
        let is_free = may_be_anywhere_inside.contains(link);
        if is_free { &root } else { &inside }
    };
    let is_out = |link: &&PathBuf| {
        let end = link_end(link);
        !end.starts_with(bounds(link))
    };
    match links.iter().find(is_out) {
        Some(link) => Err(leads_out(link, bounds(link))),
        None => Ok(()),
    }
}

/// Checks that a project's configuration file is inside the project.
///
/// # Errors
/// E999 if the file is outside.
pub fn check_config(store: &Store) -> Result<()> {
    let path = store.config();
    let is_linked = path.is_symlink() || store.dir().is_symlink();
    if store.scope == Scope::Project
        && is_linked
        && !link_end(&path).starts_with(canonical(&store.root))
    {
        return Err(leads_out(&path, &store.root));
    }
    Ok(())
}

/// Checks that no symlink in a runtime directory, or in the directory of a local log, leads out of the `.skillc` that
/// contains the directory. Checks the directory itself, the subdirectories that skc uses, and the files that skc writes
/// in place. Other files are replaced instead of being written in place, so a symlink at such a path is harmless.
///
/// `home`: the directory that contains the user's `.skillc`.
///
/// # Errors
/// E999 for the first path, in path order, that leads outside.
pub fn check_runtime(home: &Path, runtime: &RuntimeDir) -> Result<()> {
    let dirs = [
        runtime.0.clone(),
        runtime.meta(),
        runtime.0.join(SKILLC_DIR),
    ];
    let logs = ["", "-journal", "-wal", "-shm"].map(|end| {
        let mut path = runtime.logs().into_os_string();
        path.push(end);
        PathBuf::from(path)
    });
    let files = [runtime.build_lock()].into_iter().chain(logs);
    let linked = dirs[1..]
        .iter()
        .cloned()
        .chain(files)
        .filter(|path| path.is_symlink());
    let mut paths: Vec<PathBuf> = linked.chain([runtime.0.clone()]).collect();
    paths.sort();
    paths.iter().try_for_each(|path| check_path(home, path))
}

/// Checks that a path below a project's `.skillc` does not lead outside `.skillc`.
///
/// # Errors
/// E999 if the path leads outside.
pub fn check_path(home: &Path, path: &Path) -> Result<()> {
    let Some((_, real_root)) = project_of(home, path) else {
        return Ok(());
    };
    let inside = real_root.join(SKILLC_DIR);
    if link_end(path).starts_with(&inside) {
        return Ok(());
    }
    Err(leads_out(path, &inside))
}

/// Opens a directory for writing, creating it and its parents as needed. If the directory is below a project's
/// `.skillc`, no symlink can redirect it out of `.skillc` (or out of the project, for a source), not even one that is
/// created concurrently.
///
/// `home`: the directory that contains the user's `.skillc`.
///
/// # Errors
/// E999 if the directory is outside, or cannot be created or opened.
pub fn hold_dir(home: &Path, path: &Path) -> Result<Dir> {
    hold_below(home, path, Some(&builder(0o777)))
}

/// Opens an existing directory, as [`hold_dir`] does, but never creates it.
///
/// # Errors
/// The errors of [`hold_dir`], and E999 if the directory does not exist.
pub fn hold_there(home: &Path, path: &Path) -> Result<Dir> {
    hold_below(home, path, None)
}

/// Creates a log file below a project's `.skillc`, and the directories that contain it, through [`hold_dir`]. Only the
/// user can read the file and the directories. Does nothing if the file exists.
///
/// Returns whether the path is below a project's `.skillc`; if not, nothing was done.
///
/// # Errors
/// The errors of [`hold_dir`], and E999 if the file cannot be created.
pub fn make_log(home: &Path, path: &Path) -> Result<bool> {
    if project_of(home, path).is_none() {
        return Ok(false);
    }
    if path.symlink_metadata().is_ok() {
        return Ok(true);
    }
    let dir = path.parent().unwrap_or(path);
    let dir = hold_below(home, dir, Some(&builder(0o700)))?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    match dir.open_with(path.file_name().unwrap_or_default(), &options) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            Err(Error::io("creating", path, &error))
        }
        _ => Ok(true),
    }
}

/// Checks that the database file that this process has just opened is the file in the directory that [`hold_there`]
/// opens. A database can only be opened by path, and a symlink may have redirected the path after the path was checked
/// (a race). Call this function before the first write.
///
/// On Linux, the list of the process's open files must contain the file. On other systems, only the path is checked
/// again.
///
/// # Errors
/// E999 if a different file was opened, or the errors of [`hold_there`].
pub fn check_opened(home: &Path, path: &Path) -> Result<()> {
    if project_of(home, path).is_none() {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(path);
    let dir = hold_there(home, folder)?;
    let found = dir.symlink_metadata(path.file_name().unwrap_or_default());
    let found = found.map_err(|e| Error::io("opening", path, &e))?;
    if found.is_file() && is_open(&found) {
        Ok(())
    } else {
        Err(leads_out(path, folder))
    }
}

/// Returns whether this process has a file open; `true` if this cannot be determined.
#[cfg(target_os = "linux")]
fn is_open(file: &cap_std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    use cap_std::fs::MetadataExt as _;

    let is_it = |open: fs::DirEntry| {
        let open = fs::metadata(open.path());
        open.is_ok_and(|open| (open.dev(), open.ino()) == (file.dev(), file.ino()))
    };
    match fs::read_dir("/proc/self/fd") {
        Ok(open) => open.flatten().any(is_it),
        Err(_) => true,
    }
}

#[cfg(not(target_os = "linux"))]
const fn is_open(_: &cap_std::fs::Metadata) -> bool {
    true
}

/// Returns a builder that creates a directory and its missing parents with this mode.
fn builder(mode: u32) -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use cap_std::fs::DirBuilderExt;
        builder.mode(mode);
    }
    #[cfg(not(unix))]
    let _ = mode;
    builder
}

/// Opens an existing agent folder. The path is resolved once, and the resolved path is opened without following
/// symlinks: operations through the handle apply to the folder that was checked.
///
/// `project`: the root of the folder's project, which must contain the folder; `None` for a user's folder.
///
/// # Errors
/// E999 if the folder is outside the project, or cannot be opened.
pub fn hold_folder(dir: &Path, project: Option<&Path>) -> Result<Dir> {
    let fail = |e: io::Error| Error::io("opening", dir, &e);
    let real = dir.canonicalize().map_err(fail)?;
    if let Some(root) = project
        && !real.starts_with(canonical(root))
    {
        return Err(leads_out(dir, root));
    }
    hold(&real).map_err(fail)
}

fn hold_below(home: &Path, path: &Path, make: Option<&DirBuilder>) -> Result<Dir> {
    let doing = make.map_or("opening", |_| "creating");
    let fail = |e: io::Error| Error::io(doing, path, &e);
    let Some((root, real_root)) = project_of(home, path) else {
        if make.is_some() {
            fs::create_dir_all(path).map_err(fail)?;
        }
        return Dir::open_ambient_dir(path, ambient_authority()).map_err(fail);
    };
    let store = Store::project(root.to_path_buf());
    let named = if path.starts_with(store.skills()) {
        // A source may be a symlink to any directory in the project.
        root.to_path_buf()
    } else {
        store.dir()
    };
    let below = path.strip_prefix(&named).unwrap_or(Path::new(""));
    if make.is_some() && !named.is_dir() {
        fs::create_dir(&named).map_err(fail)?;
    }
    let inside = named.canonicalize().map_err(fail)?;
    if !inside.starts_with(&real_root) {
        return Err(leads_out(path, root));
    }
    let held = hold(&inside).and_then(|dir| {
        if let Some(builder) = make.filter(|_| !below.as_os_str().is_empty()) {
            dir.create_dir_with(below, builder)?;
        }
        if below.as_os_str().is_empty() {
            return Ok(dir);
        }
        dir.open_dir(below)
    });
    match held {
        // An error without an OS error code means that cap-std refused to follow a symlink out of the directory. An
        // absolute symlink may still point into the directory.
        Err(_) if !link_end(path).starts_with(&inside) => Err(leads_out(path, &inside)),
        Err(error) if error.raw_os_error().is_none() => {
            let real = path.canonicalize().map_err(fail)?;
            if !real.starts_with(&inside) {
                return Err(leads_out(path, &inside));
            }
            hold(&real).map_err(fail)
        }
        held => held.map_err(fail),
    }
}

/// Returns whether a symlink redirects a write: either the path is below the working directory but leads out of it, or
/// the path itself is a symlink that leads out of its folder. A symlink from a repository may point to any of the
/// user's files.
///
/// `target`: the path with its symlinks resolved, canonical as far as it exists.
pub fn leaves_by_link(cwd: &Path, path: &Path, target: &Path) -> bool {
    let is_below =
        path.starts_with(cwd) && !path.components().any(|part| part == Component::ParentDir);
    let leaves_work = is_below && !target.starts_with(canonical(cwd));
    // `/dev/stdout` is a symlink to the current standard output.
    let is_of_system = ["/dev", "/proc"].iter().any(|dir| path.starts_with(dir));
    let folder = path.parent().unwrap_or(path);
    let leaves_folder =
        path.is_symlink() && !is_of_system && !target.starts_with(canonical(folder));
    leaves_work || leaves_folder
}

/// Returns the root, as given and in canonical form, of the project whose `.skillc` contains a path; `None` for the
/// user's `.skillc`, or if the path is not below a `.skillc`.
fn project_of<'p>(home: &Path, path: &'p Path) -> Option<(&'p Path, PathBuf)> {
    let mut above = path.ancestors().skip(1);
    let dir = above.find(|dir| dir.file_name().is_some_and(|name| name == SKILLC_DIR))?;
    let root = dir.parent().filter(|root| *root != home)?;
    let real = canonical(root);
    (real != canonical(home)).then_some((root, real))
}

fn leads_out(path: &Path, bounds: &Path) -> Error {
    let (path, bounds) = (path.display(), bounds.display());
    Error::Internal {
        message: format!("'{path}' is outside '{bounds}'"),
        hint: Some("Check where the symlink on this path points, and remove the symlink.".into()),
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    use std::collections::BTreeMap;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::sync::Arc;

    use crate::context::{Context, SystemClock};

    /// Creates a project, another directory next to the project, and a home directory.
    fn world() -> (tempfile::TempDir, Context, Store) {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().canonicalize().unwrap();
        for dir in ["project/.skillc/runtime", "project/docs", "other", "home"] {
            fs::create_dir_all(root.join(dir)).unwrap();
        }
        let cwd = root.join("project");
        let context = Context::new(
            cwd.clone(),
            Some(root.join("home")),
            BTreeMap::new(),
            Arc::new(SystemClock),
        );
        (outer, context.unwrap(), Store::project(cwd))
    }

    #[test]
    fn paths_in_a_projects_skillc_stay_inside_the_project() {
        for (name, target, is_good) in [
            ("skills", "../docs", true),
            ("skills", "../../other", false),
            ("skills", "../../nothing", false),
            ("config.toml", "../docs/config.toml", true),
            ("config.toml", "/etc/passwd", false),
            ("logs", "runtime", true),
            ("cache", "../docs", false),
            ("plugins", "../../other", false),
            ("anything", "anything", true),
        ] {
            let (_outer, _, store) = world();
            assert_eq!(check_project(&store), Ok(()));
            let link = store.dir().join(name);
            symlink(target, &link).unwrap();
            let found = check_project(&store);
            assert_eq!(found.is_ok(), is_good, "{name} -> {target}");
            if let Err(error) = found {
                assert!(error.message().contains(&link.display().to_string()));
            }
        }
        let (_outer, _, store) = world();
        fs::rename(store.dir(), store.root.join("../other/.skillc")).unwrap();
        symlink("../other/.skillc", store.dir()).unwrap();
        assert!(check_project(&store).is_err());
    }

    #[test]
    fn runtime_directories_stay_inside_the_project_at_any_depth() {
        for (link, target) in [
            ("x", "../../../other"),
            ("x", "../../../home/.skillc/runtime/g"),
            ("x/.skillc-meta", "../../../../other"),
            ("x/.skillc", "../../../docs"),
            ("x/.skillc-meta/logs.db", "../../../../../other/logs.db"),
            ("x/.skillc-meta/build.lock", "/etc/passwd"),
        ] {
            let (_outer, context, store) = world();
            let runtime = store.runtime("x");
            assert_eq!(check_runtime(&context.home, &runtime), Ok(()));
            let link = store.runtimes().join(link);
            fs::create_dir_all(link.parent().unwrap()).unwrap();
            symlink(target, &link).unwrap();
            assert!(check_runtime(&context.home, &runtime).is_err(), "{link:?}");
        }
    }

    /// A symlink redirects the path of a database while the database is being opened.
    #[test]
    fn an_opened_database_is_the_one_in_the_project() {
        let (outer, context, store) = world();
        let log = store.runtime("x").logs();
        let home = &context.home;
        assert_eq!(make_log(home, &log), Ok(true));
        assert!(log.is_file());
        assert_eq!(check_opened(home, &log).is_err(), cfg!(target_os = "linux"));
        let open = fs::File::open(&log).unwrap();
        assert_eq!(check_opened(home, &log), Ok(()));
        drop(open);

        let other = outer.path().join("other/logs.db");
        fs::write(&other, "").unwrap();
        let meta = store.runtime("x").meta();
        let moved = store.runtime("x").0.join("moved");
        fs::rename(&meta, &moved).unwrap();
        symlink(outer.path().join("other"), &meta).unwrap();
        let open = fs::File::open(&log).unwrap();
        assert!(check_opened(home, &log).is_err());
        fs::remove_file(&meta).unwrap();
        fs::rename(&moved, &meta).unwrap();
        assert_eq!(check_opened(home, &log).is_err(), cfg!(target_os = "linux"));
        drop(open);
    }

    #[test]
    fn a_folder_of_an_agent_stays_inside_its_project() {
        let (outer, _, store) = world();
        let outer = outer.path();
        let dir = store.root.join(".claude");
        symlink("../other", &dir).unwrap();
        assert!(hold_folder(&dir, Some(&store.root)).is_err());
        assert!(hold_folder(&dir, None).is_ok());
        fs::remove_file(&dir).unwrap();
        symlink("docs", &dir).unwrap();
        let held = hold_folder(&dir, Some(&store.root)).unwrap();
        fs::remove_file(&dir).unwrap();
        symlink("../other", &dir).unwrap();
        held.create_dir("made").unwrap();
        assert!(store.root.join("docs/made").is_dir() && !outer.join("other/made").exists());
    }

    #[test]
    fn the_users_own_symlinks_are_unrestricted() {
        let (outer, context, _) = world();
        let store = Store::global(&context);
        fs::create_dir_all(store.dir()).unwrap();
        symlink(outer.path().join("other"), store.runtimes()).unwrap();
        assert_eq!(check_project(&store), Ok(()));
        assert_eq!(check_runtime(&context.home, &store.runtime("x")), Ok(()));
    }
}
