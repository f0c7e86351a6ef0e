//! The directories that are searched for skills: from the catalog root down to the working directory.
//!
//! Design: CAT-DISC.2, CAT-DISC.3, CAT-DISC.6, CAT-DISC.7, CAT-DISC.8.

use std::path::{Path, PathBuf};

use skillc_core::Context;
use skillc_core::layout::{SKILLC_DIR, canonical, is_of_another, is_temporary, local_logs};

use crate::settings::Discovery;

/// The directories that are searched from one working directory. All paths are canonical.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    /// The catalog root.
    pub root: PathBuf,
    /// The working directory.
    pub working_dir: PathBuf,
    /// The directories from the working directory up to the root. Contains only the root if the working directory is
    /// outside the root.
    pub dirs: Vec<PathBuf>,
}

impl Chain {
    /// Finds the chain of a context's working directory. The settings can specify the root. By default, the root is the
    /// nearest directory with a marker; if there is no marker, it is the working directory.
    pub fn new(context: &Context, discovery: &Discovery) -> Self {
        let working_dir = canonical(&context.cwd);
        let root = match &discovery.root {
            Some(root) => root.clone(),
            None => marked(context, &discovery.markers, &working_dir),
        };
        let dirs = if working_dir.starts_with(&root) {
            let below = working_dir
                .ancestors()
                .take_while(|dir| dir.starts_with(&root));
            below.map(Path::to_path_buf).collect()
        } else {
            vec![root.clone()]
        };
        Self {
            root,
            working_dir,
            dirs,
        }
    }

    /// Returns whether a setting or a marker determines the root. If neither does, the root is the working directory.
    pub fn is_marked(&self, context: &Context, discovery: &Discovery) -> bool {
        discovery.root.is_some() || Markers::new(context, &discovery.markers).mark(&self.root)
    }
}

/// Returns the nearest directory with a marker; if there is none, the working directory.
fn marked(context: &Context, markers: &[String], working_dir: &Path) -> PathBuf {
    let markers = Markers::new(context, markers);
    let found = working_dir.ancestors().find(|dir| markers.mark(dir));
    found.unwrap_or(working_dir).to_path_buf()
}

/// Recognizes catalog roots by their markers.
struct Markers<'a> {
    names: &'a [String],
    /// Home directories, where `.skillc` is not a marker.
    homes: [PathBuf; 2],
    /// The working directory. A marker above the working directory is ignored if it belongs to an unrelated user.
    cwd: &'a Path,
}

impl<'a> Markers<'a> {
    fn new(context: &'a Context, names: &'a [String]) -> Self {
        Self {
            names,
            homes: [&context.home, &context.user_home].map(|home| canonical(home)),
            cwd: &context.cwd,
        }
    }

    fn mark(&self, dir: &Path) -> bool {
        self.names.iter().any(|name| match name.as_str() {
            _ if is_of_another(&dir.join(name), self.cwd) => false,
            SKILLC_DIR => self.homes.iter().all(|home| home != dir) && is_project(dir),
            _ => dir.join(name).exists(),
        })
    }
}

/// Returns whether the `.skillc` of a directory marks a project. A `.skillc` that contains only logs does not mark a
/// project: logs can be created in any directory where an agent works, if their usual location is not writable.
///
/// Design: D-PROJECT-ROOT.
fn is_project(dir: &Path) -> bool {
    let mark = dir.join(SKILLC_DIR);
    let logs = local_logs(dir);
    match mark.read_dir() {
        Ok(entries) => {
            let mut others = 0;
            let mut all = 0;
            let lasting = entries
                .flatten()
                .filter(|entry| !is_temporary(&entry.file_name()));
            for entry in lasting.take(2) {
                all += 1;
                others += usize::from(entry.path() != logs);
            }
            all == 0 || others > 0
        }
        Err(_) => mark.exists(),
    }
}
