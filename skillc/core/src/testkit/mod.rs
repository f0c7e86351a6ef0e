//! Helpers for tests: a skill on disk, a context at a fixed time, and the sections that an indexer finds in a file.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use tempfile::TempDir;

use crate::context::{Clock, Context};
use crate::index::Indexer;
use crate::path::RelPath;
use crate::resolve::resolve_any_case;
use crate::skill::Skill;
use crate::source::SourceFile;
use crate::time::Timestamp;

/// The current time in tests: 2026-01-31T08:15:00Z.
pub const NOW: Timestamp = Timestamp(1_769_847_300);

/// A fixed clock.
#[derive(Debug, Clone, Copy)]
pub struct FixedClock(pub Timestamp);

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        self.0
    }
}

/// Returns a context with the given directories, a fixed clock, and `SKC_RUN_ID` as the only environment variable.
///
/// # Panics
/// Never: the home directory is always given.
pub fn context(cwd: &Path, home: &Path) -> Context {
    let env = BTreeMap::from([("SKC_RUN_ID".to_owned(), "test".to_owned())]);
    let context = Context::new(
        cwd.to_path_buf(),
        Some(home.to_path_buf()),
        env,
        Arc::new(FixedClock(NOW)),
    );
    context.expect("a home is given")
}

/// Writes files below a directory, creating directories as needed.
///
/// # Panics
/// If writing fails.
pub fn write_files(root: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let full = root.join(path);
        fs::create_dir_all(full.parent().expect("a file has a parent"))
            .expect("directory can be made");
        fs::write(full, text).expect("file can be written");
    }
}

/// Runs an indexer on the content of a file and formats the emitted sections, one paragraph per section: lines,
/// heading, content.
///
/// # Panics
/// If `name` is not a relative path.
pub fn sections_of(indexer: &dyn Indexer, name: &str, bytes: &[u8]) -> String {
    let file = SourceFile::new(
        RelPath::parse(name).expect("a relative path"),
        bytes.to_vec(),
    );
    let mut out = String::new();
    let result = indexer.sections(&file, &mut |section| {
        let lines = format!("{}..{}", section.lines.start, section.lines.end);
        out += &format!(
            "[{lines}] {:?}\n{}\n---\n",
            section.heading, section.content
        );
    });
    if let Err(error) = result {
        out += &format!("error: {error}\n");
    }
    out
}

/// Reads the skill in a directory; its main file may be called `skill.md`.
///
/// # Panics
/// If the skill cannot be read.
pub fn read_skill(dir: &Path) -> Skill {
    let home = TempDir::new().expect("temporary directory");
    let at = resolve_any_case(&context(dir, home.path()), ".").expect("a skill");
    Skill::read(at).expect("readable")
}
