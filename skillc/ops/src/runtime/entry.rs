//! Classifies the entry of a skill in an agent's folder: none, a link to a build, a copy of one, or the user's own
//! files.
//!
//! Build, remove and clean use this classification to decide what they are allowed to replace or delete.

use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use skillc_core::hash::Sha;
use skillc_core::layout::{RuntimeDir, SKILLC_DIR, Store};
use skillc_core::source::read_in;

use crate::runtime::manifest::Manifest;
use crate::staged::{EntryId, entry};

/// The size limit for reading a stub to compare it with its manifest; real stubs are far shorter.
const MAX_STUB_BYTES: u64 = 1 << 20;

/// An entry of an agent's folder.
#[derive(Debug)]
pub(crate) enum FolderEntry {
    /// No entry.
    Free,
    /// A link, with the build that its target path denotes, if any. The build need not exist.
    Link(Option<BuildLink>),
    /// A copy made by a build.
    Copy(DeployedCopy),
    /// Something that skillc did not make: `a directory`, `a file`.
    Foreign(&'static str),
}

/// A link to a runtime directory: `<root>/.skillc/runtime/<name>`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BuildLink {
    /// The directory that contains the `.skillc`.
    pub(crate) root: PathBuf,
    /// The skill's directory name.
    pub(crate) name: String,
}

/// A copy of a stub with its manifest.
#[derive(Debug)]
pub(crate) struct DeployedCopy {
    pub(crate) manifest: Manifest,
    /// Whether the copy is unchanged: nothing edited, nothing added.
    pub(crate) is_intact: bool,
}

impl FolderEntry {
    /// Reads the entry at a path; links are not followed.
    pub(crate) fn read(place: &Path) -> Self {
        let folder = place.parent().unwrap_or(place);
        match Dir::open_ambient_dir(folder, ambient_authority()) {
            Ok(dir) => Self::read_in(&dir, place).0,
            Err(_) => Self::Free,
        }
    }

    /// Reads the entry of a folder that is held open, with the entry's identity. Decisions about the entry are valid
    /// only as long as its identity is unchanged.
    ///
    /// `place`: the path of the entry.
    pub(crate) fn read_in(dir: &Dir, place: &Path) -> (Self, Option<EntryId>) {
        let name = entry(place);
        let Ok(metadata) = dir.symlink_metadata(name) else {
            return (Self::Free, None);
        };
        let id = EntryId::new(&metadata);
        let found = if metadata.is_symlink() {
            let text = dir.read_link_contents(name).ok();
            Self::Link(text.and_then(|text| BuildLink::new(place, &text)))
        } else if metadata.is_dir() {
            let copy = dir.open_dir(name).ok().filter(|there| {
                // Another process may have put a link there in the meantime.
                let opened = there.dir_metadata();
                opened.is_ok_and(|opened| EntryId::new(&opened) == id)
            });
            let copy = copy.and_then(|there| DeployedCopy::read(&there));
            copy.map_or(Self::Foreign("a directory"), Self::Copy)
        } else {
            Self::Foreign("a file")
        };
        (found, Some(id))
    }
}

impl DeployedCopy {
    fn read(dir: &Dir) -> Option<Self> {
        let manifest = Manifest::read_in(dir)?;
        // A directory with a lock file is a build in a store, not a copy.
        let is_build = dir.exists(here().build_lock());
        (!is_build).then(|| Self {
            is_intact: is_intact(dir, &manifest),
            manifest,
        })
    }
}

/// Returns a runtime directory with an empty path, so that the paths of its files are relative to a copy.
pub(crate) fn here() -> RuntimeDir {
    RuntimeDir(PathBuf::new())
}

impl BuildLink {
    fn new(place: &Path, text: &Path) -> Option<Self> {
        let runtime = place.parent().unwrap_or(place).join(text);
        let builds = runtime.parent()?;
        let dot = builds.parent()?;
        let is_build = builds.file_name()? == "runtime" && dot.file_name()? == SKILLC_DIR;
        let name = runtime.file_name()?.to_str()?.to_owned();
        let root = dot.parent()?.to_path_buf();
        is_build.then_some(Self { root, name })
    }

    /// Returns the runtime directory that the link points to, which need not exist.
    pub(crate) fn runtime(&self) -> RuntimeDir {
        Store::project(self.root.clone()).runtime(&self.name)
    }

    /// Returns the source path of the build that the link points to. The source need not exist.
    pub(crate) fn source(&self) -> PathBuf {
        Store::project(self.root.clone()).source(&self.name)
    }
}

/// Returns whether a copy contains only copied files and an unedited stub.
fn is_intact(copy: &Dir, manifest: &Manifest) -> bool {
    let here = here();
    let dirs = [here.meta(), here.0.join(SKILLC_DIR)];
    let files = [here.stub(), here.manifest(), here.compatible_manifest()];
    let is_ours = |dir: &Path| {
        let entries = if dir.as_os_str().is_empty() {
            copy.entries()
        } else {
            copy.read_dir(dir)
        };
        let Ok(entries) = entries else {
            return copy.symlink_metadata(dir).is_err();
        };
        let mut paths = entries.map(|entry| entry.map(|entry| dir.join(entry.file_name())));
        paths.all(|path| path.is_ok_and(|path| files.contains(&path) || dirs.contains(&path)))
    };
    let are_ours = is_ours(&here.0) && dirs.iter().all(|dir| is_ours(dir));
    are_ours && has_stub_of(copy, manifest)
}

/// Compares a stub with the hash in its manifest. Version control may have converted the line endings.
fn has_stub_of(copy: &Dir, manifest: &Manifest) -> bool {
    let Ok(text) = read_in(copy, &here().stub(), MAX_STUB_BYTES) else {
        return false;
    };
    let is_same = |text: &[u8]| Sha::digest(text).to_string() == manifest.stub_hash;
    // Manifests of earlier versions have no hash of the stub.
    manifest.stub_hash.is_empty() || is_same(&text) || is_same(&with_unix_lines(&text))
}

fn with_unix_lines(text: &[u8]) -> Vec<u8> {
    let is_kept = |at: usize| text[at] != b'\r' || text.get(at + 1) != Some(&b'\n');
    let kept = (0..text.len()).filter(|at| is_kept(*at));
    kept.map(|at| text[at]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::fs;

    use skillc_core::testkit::{NOW, write_files};

    fn copy(dir: &Path, stub: &str) {
        let hash = Sha::digest(stub.replace("\r\n", "\n").as_bytes());
        let hashes = [Sha::digest(b"source"), hash];
        let manifest = Manifest::new("demo", NOW, Path::new("/demo"), hashes).committed();
        let manifest = String::from_utf8(manifest.to_json()).unwrap();
        write_files(
            dir,
            &[
                ("SKILL.md", stub),
                (".skillc-meta/manifest.json", &manifest),
            ],
        );
    }

    fn is_intact_copy(dir: &Path) -> Option<bool> {
        match FolderEntry::read(dir) {
            FolderEntry::Copy(copy) => Some(copy.is_intact),
            _ => None,
        }
    }

    #[test]
    fn a_copy_is_intact_until_something_is_edited_or_added() {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join("demo");
        copy(&dir, "# Demo\r\ntext\r\n");
        assert_eq!(is_intact_copy(&dir), Some(true));
        for added in ["notes.md", ".skillc-meta/x", ".skillc/config.toml"] {
            write_files(&dir, &[(added, "mine")]);
            assert_eq!(is_intact_copy(&dir), Some(false), "{added}");
            fs::remove_file(dir.join(added)).unwrap();
        }
        write_files(&dir, &[("SKILL.md", "# Demo\nother\n")]);
        assert_eq!(is_intact_copy(&dir), Some(false));
    }

    #[test]
    fn entries_without_a_manifest_and_builds_of_stores_are_foreign() {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join("demo");
        assert!(matches!(FolderEntry::read(&dir), FolderEntry::Free));
        copy(&dir, "# Demo\n");
        write_files(&dir, &[(".skillc-meta/build.lock", "")]);
        assert!(matches!(
            FolderEntry::read(&dir),
            FolderEntry::Foreign("a directory")
        ));
        write_files(&dir, &[("file", "")]);
        assert!(matches!(
            FolderEntry::read(&dir.join("file")),
            FolderEntry::Foreign("a file")
        ));
    }

    #[cfg(unix)]
    #[test]
    fn a_symlink_identifies_its_build_even_if_dangling() {
        let root = tempfile::tempdir().unwrap();
        let link_to = |target: &str| {
            let place = root.path().join("link");
            fs::remove_file(&place).unwrap_or_default();
            std::os::unix::fs::symlink(target, &place).unwrap();
            match FolderEntry::read(&place) {
                FolderEntry::Link(found) => found,
                other => panic!("{other:?}"),
            }
        };
        let found = link_to("/p/.skillc/runtime/demo").unwrap();
        assert_eq!(
            (found.root.as_path(), found.name.as_str()),
            (Path::new("/p"), "demo")
        );
        assert_eq!(found.runtime().0, Path::new("/p/.skillc/runtime/demo"));
        for other in ["/p/skills/demo", "/p/runtime/demo", "/", "x"] {
            assert_eq!(link_to(other), None, "{other}");
        }
    }
}
