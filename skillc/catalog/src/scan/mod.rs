//! Scans roots for skills. A skill that is found in several roots is listed once.
//!
//! The result does not depend on the order in which directories are read.
//!
//! The user's roots are walked first. Everything in them belongs to the user, even if the project has symlinks to it;
//! otherwise, the settings of an untrusted project would apply to the user's skills.
//!
//! Design: catalog-roots, CAT-DISC, D10, D23.

mod builds;
mod known;
mod walk;

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use skillc_core::clean::clean_for_model;
use skillc_core::{Notice, Warning};

use crate::entry::{CatalogEntry, LoadFailure};
use crate::precedence::catalog_order;
use crate::roots::Root;
use crate::settings::Settings;
use builds::drop_builds;
pub use known::{KnownHead, KnownHeads};
use walk::{Counted, Walked, walk};

/// Roots and directories are read in parallel if there are at least this many.
const PARALLEL: usize = 4;

/// The result of a scan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scanned {
    /// The skills, sorted by scope, name and path.
    pub skills: Vec<CatalogEntry>,
    /// The files and directories that could not be read, sorted by path, without duplicates.
    pub errors: Vec<LoadFailure>,
    /// Whether the limit `max_depth` or `max_dirs` was reached.
    pub truncated: bool,
    /// The roots, in the order of rank.
    pub roots: Vec<SeenRoot>,
    /// The directories that were listed and the roots that do not exist, grouped by root. As long as none of these
    /// directories and no `SKILL.md` changes, the catalog can change only through the targets of symlinks.
    pub directories: Vec<PathBuf>,
    /// Warnings about limits that were reached, directories that were skipped, and skills whose names differ from their
    /// directories' names.
    pub notices: Vec<Notice>,
}

/// A root, and what was found in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenRoot {
    /// The root.
    pub root: Root,
    /// Whether the root exists.
    pub exists: bool,
    /// The number of skills that the root contributes to the catalog.
    pub entries: usize,
}

impl SeenRoot {
    /// Returns the entry for a root that is not scanned.
    pub(crate) fn unread(root: Root) -> Self {
        Self {
            exists: root.path.exists(),
            root,
            entries: 0,
        }
    }
}

/// Scans roots, given in the order of rank.
///
/// `known`: heads from an earlier scan. Their files are read again only if they have changed, which saves time without
/// changing the result.
pub fn scan(roots: Vec<Root>, settings: &Settings, known: &KnownHeads) -> Scanned {
    let walked = walk_all(&roots, settings, known);
    let users = roots.iter().zip(&walked).filter(|(root, _)| root.is_users);
    let users = users.flat_map(|(_, walked)| &walked.skills);
    let users: HashSet<String> = users.map(|entry| entry.path.clone()).collect();
    let mut scanned = Scanned::default();
    let mut found: Vec<(usize, CatalogEntry)> = Vec::new();
    let mut files = HashSet::new();
    let mut faulty = HashSet::new();
    let (mut left_out, mut misnamed) = (Counted::default(), Counted::default());
    for (at, (root, walked)) in roots.into_iter().zip(walked).enumerate() {
        let is_users = root.is_users;
        scanned.roots.push(SeenRoot {
            exists: walked.is_there,
            root,
            entries: 0,
        });
        let new = walked.skills.into_iter();
        let new = new.filter(|entry| is_users || !users.contains(&entry.path));
        let new = new.filter(|entry| files.insert(entry.path.clone()));
        found.extend(new.map(|entry| (at, entry)));
        let failures = walked.failures.into_iter();
        let new = failures.filter(|failure| faulty.insert(failure.path.clone()));
        scanned.errors.extend(new);
        scanned.truncated |= !walked.cuts.is_empty();
        scanned
            .notices
            .extend(walked.cuts.into_iter().map(Notice::from));
        scanned.directories.extend(walked.directories);
        left_out.add(walked.left_out);
        misnamed.add(walked.misnamed);
    }
    drop_builds(&mut found);
    found.sort_unstable_by(|(_, a), (_, b)| catalog_order(a, b));
    for (at, mut entry) in found {
        scanned.roots[at].entries += 1;
        entry.enabled = settings.switches.is_on(&entry.name, &entry.path);
        scanned.skills.push(entry);
    }
    scanned.errors.sort_unstable();
    let of_names = [
        left_out.warning(|count, example| Warning::NamesLeftOut { count, example }),
        misnamed.warning(|count, example| Warning::NamesDiffer { count, example }),
    ];
    let of_names = of_names.into_iter().flatten();
    scanned.notices.extend(of_names.map(Notice::from));
    scanned
}

/// Walks each root once: the user's roots first, then the others, skipping directories that belong to the user's roots.
/// A root with the same canonical path as an earlier one contributes nothing. Returns the results in the order of the
/// roots.
fn walk_all(roots: &[Root], settings: &Settings, known: &KnownHeads) -> Vec<Walked> {
    let reals = roots.iter().map(|root| root.path.canonicalize());
    let reals: Vec<io::Result<PathBuf>> = reals.collect();
    let mut all: Vec<Walked> = roots.iter().map(|_| Walked::default()).collect();
    let mut met: HashSet<&Path> = HashSet::new();
    let mut users: HashSet<String> = HashSet::new();
    for is_users in [true, false] {
        let mut places = Vec::new();
        for (at, real) in reals.iter().enumerate() {
            if roots[at].is_users == is_users {
                let is_new = match real {
                    Ok(real) => {
                        let text = real.to_str();
                        met.insert(real) && text.is_none_or(|real| !users.contains(real))
                    }
                    Err(_) => true,
                };
                places.push((at, is_new));
            }
        }
        let walked = map_all(&places, |(at, is_new)| {
            let real = reals[*at].as_deref();
            if *is_new {
                walk(&roots[*at], real, &users, &settings.discovery, known)
            } else {
                Walked::again()
            }
        });
        for ((at, _), walked) in places.into_iter().zip(walked) {
            if is_users {
                let dirs = walked.directories.iter();
                users.extend(dirs.filter_map(|dir| dir.to_str()).map(str::to_owned));
            }
            all[at] = walked;
        }
    }
    all
}

/// Applies a function to each item, in parallel if there are many items. Returns the results in the order of the items.
fn map_all<T: Sync, R: Send>(items: &[T], of: impl Fn(&T) -> R + Send + Sync) -> Vec<R> {
    if items.len() < PARALLEL {
        items.iter().map(of).collect()
    } else {
        items.par_iter().map(of).collect()
    }
}

/// Builds a failure for the list of errors. Invisible characters are escaped, because models read the list, too, and a
/// message may quote an invalid `SKILL.md`.
fn failure(path: String, message: &str, kind: crate::entry::FailureKind) -> LoadFailure {
    LoadFailure {
        path,
        message: clean_for_model(message).into_owned(),
        kind,
    }
}
