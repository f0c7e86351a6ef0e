//! The corpus of real skills, if available.

use std::path::{Path, PathBuf};

/// Returns the skills of the corpus next to the repository, sorted. Prints a message and returns `None` if there is no
/// corpus.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
pub fn skills() -> Option<Vec<PathBuf>> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    let Ok(corpus) = corpus.canonicalize() else {
        eprintln!("skipped: no corpus next to the repository");
        return None;
    };
    let mut skills = Vec::new();
    for repository in subdirectories(&corpus) {
        skills.extend(
            subdirectories(&repository)
                .into_iter()
                .filter(|dir| dir.join("SKILL.md").is_file()),
        );
    }
    skills.sort();
    Some(skills)
}

fn subdirectories(dir: &Path) -> Vec<PathBuf> {
    let entries = dir.read_dir().into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect()
}
