//! What a run over skills depends on, for those who want another after each edit.

use std::path::{Path, PathBuf};

use skillc_core::layout::{Store, canonical, project_roots};
use skillc_core::lint::config::FILE;
use skillc_core::resolve::stores;
use skillc_core::resolve_any_case;

use super::LintRequest;
use super::scope::{WILD, split_glob};
use crate::operation::Toolkit;
use crate::watched::{Watched, folder_of};

/// Whether to lint again and again. Nothing of it can be asked for in JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct WatchRequest {
    /// Lint again after every edit, until Ctrl-C
    #[cfg_attr(feature = "clap", arg(long, conflicts_with = "stdin"))]
    pub watch: bool,
}

/// Returns the directories of the skills, or those in which they are looked for, and the files that set up lint.
pub(super) fn watched(toolkit: &Toolkit, request: &LintRequest) -> Watched {
    let context = &toolkit.context;
    let mut trees: Vec<PathBuf> = request
        .skill
        .iter()
        .flat_map(|asked| places(toolkit, asked))
        .collect();
    if request.skill.is_empty() {
        let roots = project_roots(context).into_iter();
        trees.extend(roots.map(|root| Store::project(root).skills()));
        if trees.is_empty() && request.ways.changed.changed_since.is_some() {
            trees.push(context.cwd.clone());
        } else if trees.is_empty() {
            trees.push(Store::global(context).skills());
        }
    }
    let mut trees: Vec<PathBuf> = trees.iter().map(|tree| canonical(tree)).collect();
    trees.sort();
    trees.dedup();
    // A tree within another is looked at with it.
    let all = trees.clone();
    trees.retain(|tree| {
        !all.iter()
            .any(|other| other != tree && tree.starts_with(other))
    });
    let mut files: Vec<PathBuf> = stores(context).iter().map(Store::config).collect();
    let above = trees.iter().flat_map(|tree| tree.ancestors());
    files.extend(above.map(|dir| dir.join(FILE)));
    if let Some(list) = &request.ways.baseline.baseline {
        files.push(context.cwd.join(list));
    }
    files.sort();
    files.dedup();
    let folders = toolkit.clients.folders();
    Watched {
        trees,
        files,
        folders: folders.into_iter().map(str::to_owned).collect(),
    }
}

/// Returns where what an argument names is, or would be.
fn places(toolkit: &Toolkit, asked: &str) -> Vec<PathBuf> {
    let context = &toolkit.context;
    let path = context.cwd.join(asked);
    let folder = folder_of(&path);
    if folder.is_dir() {
        return vec![folder.to_path_buf()];
    }
    if let Ok(at) = resolve_any_case(context, asked) {
        return vec![at.source];
    }
    let by_name = || stores(context).into_iter().map(|store| store.skills());
    if !asked.contains(WILD) {
        return by_name().collect();
    }
    let base: &Path = Path::new(split_glob(asked).0);
    let mut places = vec![context.cwd.join(base)];
    if !asked.contains('/') {
        places.extend(by_name());
    }
    places
}
