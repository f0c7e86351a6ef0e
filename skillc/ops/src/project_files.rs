//! Files that make a project's `.skillc` ready to commit: `.gitignore`, and the deployment scope.
//!
//! An existing file is never changed. The user's own `.skillc` gets none of them: it is not part of a repository.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use skillc_core::contained::hold_dir;
use skillc_core::fs;
use skillc_core::layout::{Scope, Store};
use skillc_core::source::read_start;
use skillc_core::{Error, Result};

use crate::notes::Notes;

/// Anchored to `.skillc` itself, so that no file of a skill is ignored, such as a `uv.lock`.
const IGNORED: &str = "\
# What skc makes on each machine. Commit the rest: skills, plugins, config.toml.
/runtime/
/logs/
/state.db*
/*.lock
.skc-tmp-*
";

/// The size limit for reading a `.gitignore`.
const MAX_BYTES: u64 = 1 << 20;

const CONFIG: &str = "\
# Stubs go to the project's own agent folders (.claude/skills ...), to be committed with the code.
# With \"user\" they go to the folders in your home.
[deploy]
scope = \"project\"
";

/// Writes the files of a new project. Returns those that did not exist.
///
/// `home`: the directory that holds the user's `.skillc`.
///
/// # Errors
/// E999 if one cannot be written.
pub(crate) fn write_all(home: &Path, store: &Store) -> Result<Vec<PathBuf>> {
    if store.scope == Scope::Global {
        return Ok(Vec::new());
    }
    let mut written = Vec::new();
    for (path, text) in [(store.ignore_file(), IGNORED), (store.config(), CONFIG)] {
        match write_new(home, &path, text)? {
            Ok(()) => written.push(path),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Error::io("writing", &path, &error)),
        }
    }
    Ok(written)
}

/// Writes a project's `.gitignore` at its first build. Returns it if it did not exist. A failure does not fail the
/// build.
pub(crate) fn write_ignore_file(home: &Path, store: &Store, notes: &mut Notes) -> Option<PathBuf> {
    let path = store.ignore_file();
    if path.symlink_metadata().is_ok() {
        if is_without_runtime(&path) {
            let path = path.display();
            notes.detail(format!(
                "{path} does not ignore runtime/: builds and logs would be committed"
            ));
        }
        return None;
    }
    let why = match write_new(home, &path, IGNORED) {
        Ok(Ok(())) => return Some(path),
        Ok(Err(error)) => error.to_string(),
        Err(error) => error.message(),
    };
    notes.detail(format!("not written: {}: {why}", path.display()));
    None
}

fn write_new(home: &Path, path: &Path, text: &str) -> Result<io::Result<()>> {
    let dir = hold_dir(home, path.parent().unwrap_or(path))?;
    let name = path.file_name().unwrap_or_default();
    Ok(fs::write_new(dir, name, text.as_bytes()))
}

fn is_without_runtime(path: &Path) -> bool {
    let names_it = |line: &str| line.contains("runtime") || line.trim() == "*";
    let text = read_start(path, MAX_BYTES + 1).ok();
    let text = text.filter(|text| text.len() as u64 <= MAX_BYTES);
    let text = text.and_then(|text| String::from_utf8(text).ok());
    text.is_some_and(|text| !text.lines().any(names_it))
}
