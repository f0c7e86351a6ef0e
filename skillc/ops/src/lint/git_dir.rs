//! A temporary git directory, with which git compares a repository's files without reading the repository's settings: a
//! setting that starts a program, such as a content filter, has no effect, even if it is added while git runs.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use skillc_core::Context;
use skillc_core::layout::Store;
use skillc_core::source::open;
use tempfile::TempDir;

use crate::staged::PREFIX;

/// The size limit of an index, including its shared parts, in bytes.
const MAX_INDEX: u64 = 1 << 30;

/// Files of a git directory that git reads as a whole.
const READ_WHOLE: [&str; 11] = [
    "HEAD",
    "commondir",
    "config",
    "config.worktree",
    "index",
    "packed-refs",
    "shallow",
    "info/attributes",
    "info/exclude",
    "info/grafts",
    "objects/info/alternates",
];

/// The parts of a repository that git reads.
#[derive(Debug)]
pub(super) struct Parts {
    /// The root of the working tree.
    pub(super) top: PathBuf,
    pub(super) index: PathBuf,
    pub(super) objects: PathBuf,
    /// Whether object ids are SHA-256.
    pub(super) is_sha256: bool,
}

/// A git directory without settings; removed when this value is dropped.
#[derive(Debug)]
pub(super) struct OwnGitDir {
    dir: TempDir,
    /// The copy of the index.
    index: PathBuf,
    parts: Parts,
}

impl OwnGitDir {
    /// Creates the directory in the user's `.skillc`, or, if that is not possible, in the system's directory for
    /// temporary files, to which more programs can write.
    ///
    /// # Errors
    /// I/O errors.
    pub(super) fn make(context: &Context, parts: Parts) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(fs::Permissions::from_mode(0o700));
        }
        let made = builder.tempdir_in(Store::global(context).dir());
        let dir = made.or_else(|_| builder.tempdir())?;
        let index = dir.path().join("index");
        let own = Self { dir, index, parts };
        let path = own.dir.path();
        for name in ["objects", "refs"] {
            fs::create_dir(path.join(name))?;
        }
        fs::write(path.join("HEAD"), "ref: refs/heads/none\n")?;
        let settings = if own.parts.is_sha256 {
            "[core]\nrepositoryformatversion = 1\nbare = false\n[extensions]\nobjectformat = sha256\n"
        } else {
            "[core]\nrepositoryformatversion = 0\nbare = false\n"
        };
        fs::write(path.join("config"), settings)?;
        own.copy_index()?;
        Ok(own)
    }

    /// Copies the index, with the shared parts of a split index. Git must not use the original: if only the times of
    /// files have changed, git rewrites the index, and the new index could depend on a shared part in this directory,
    /// which is removed later.
    fn copy_index(&self) -> io::Result<()> {
        let too_large = || io::Error::other("the index is larger than 1 GiB");
        let Some((file, metadata)) = open(&self.parts.index)? else {
            // The repository has no index yet.
            return Ok(());
        };
        let mut left = MAX_INDEX
            .checked_sub(metadata.len())
            .ok_or_else(too_large)?;
        let mut copy = File::create(&self.index)?;
        io::copy(&mut file.take(metadata.len()), &mut copy)?;
        // Keep the original's modification time: git compares the content of files that are not older than the index.
        copy.set_modified(metadata.modified()?)?;
        let from = self.parts.index.parent().unwrap_or(&self.parts.index);
        for entry in from.read_dir().into_iter().flatten().flatten() {
            let name = entry.file_name();
            let is_shared = name.to_string_lossy().starts_with("sharedindex.");
            if !is_shared {
                continue;
            }
            if let Some((file, metadata)) = open(&entry.path())? {
                left = left.checked_sub(metadata.len()).ok_or_else(too_large)?;
                let mut copy = File::create(self.dir.path().join(name))?;
                io::copy(&mut file.take(metadata.len()), &mut copy)?;
            }
        }
        Ok(())
    }

    /// Returns the environment variables that make git use this directory and ignore the settings of the user and the
    /// system.
    pub(super) fn variables(&self) -> [(&'static str, &Path); 11] {
        let (own, parts) = (self.dir.path(), &self.parts);
        [
            ("GIT_DIR", own),
            ("GIT_COMMON_DIR", own),
            ("GIT_WORK_TREE", parts.top.as_path()),
            ("GIT_INDEX_FILE", self.index.as_path()),
            ("GIT_OBJECT_DIRECTORY", parts.objects.as_path()),
            ("GIT_CONFIG_GLOBAL", Path::new("/dev/null")),
            ("GIT_CONFIG_NOSYSTEM", Path::new("1")),
            ("GIT_CONFIG_COUNT", Path::new("0")),
            ("GIT_CONFIG_PARAMETERS", Path::new("")),
            // Older versions of git do not support `GIT_CONFIG_GLOBAL`.
            ("HOME", own),
            ("XDG_CONFIG_HOME", own),
        ]
    }
}

/// Returns the path of an entry called `.git` at any depth below a directory, or of a folder there that cannot be read.
/// Git lists nothing in such a folder, even if it is not a repository. Returns `None` if `dir` is not a directory.
pub(super) fn unlisted_below(dir: &Path) -> Option<PathBuf> {
    let mut folders = Vec::new();
    folders.extend(dir.is_dir().then(|| dir.to_path_buf()));
    while let Some(folder) = folders.pop() {
        let Ok(entries) = folder.read_dir() else {
            return Some(folder);
        };
        for entry in entries {
            let Ok(entry) = entry else {
                return Some(folder);
            };
            // Where case does not matter, git takes other spellings for `.git`, too.
            if entry.file_name().eq_ignore_ascii_case(".git") {
                return Some(entry.path());
            }
            if entry.file_type().is_ok_and(|of| of.is_dir()) {
                folders.push(entry.path());
            }
        }
    }
    None
}

/// Returns the path of a file in a git directory that is, or leads to, a device, a pipe or the like.
pub(super) fn special_file(git_dir: &Path) -> Option<PathBuf> {
    let mut paths = READ_WHOLE.iter().map(|name| git_dir.join(name));
    paths.find(|path| {
        path.metadata()
            .is_ok_and(|of| !of.is_file() && !of.is_dir())
    })
}
