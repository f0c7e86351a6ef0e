//! Scans roots for skills. A skill that several roots contain is listed only once.
//!
//! The result depends on the files only, not on the order in which directories are read.
//!
//! Design: catalog-roots, CAT-DISC, D10.

mod known;
mod walk;

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::PathBuf;

use rayon::prelude::*;
use skillc_core::{Notice, Warning};

use crate::entry::{CatalogEntry, LoadFailure};
use crate::rank::catalog_order;
use crate::roots::Root;
use crate::settings::Settings;
pub use known::{KnownHead, KnownHeads};
use walk::{Counted, Walked, walk};

/// The minimum number of roots or directories that are worth reading in parallel.
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
    /// The directories that were listed and the roots that do not exist, root by root. As long as none of these and no
    /// `SKILL.md` changes, the catalog does not change either, except through the targets of symlinks.
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
    /// The number of skills that it contributes to the catalog.
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
/// `known`: heads of files that need not be read if they are unchanged. The result is the same without known heads.
pub fn scan(roots: Vec<Root>, settings: &Settings, known: &KnownHeads) -> Scanned {
    let walked = walk_all(&roots, settings, known);
    let mut scanned = Scanned::default();
    let mut found: Vec<(usize, CatalogEntry)> = Vec::new();
    let mut files = HashSet::new();
    let mut faulty = HashSet::new();
    let (mut left_out, mut misnamed) = (Counted::default(), Counted::default());
    for (at, (root, walked)) in roots.into_iter().zip(walked).enumerate() {
        scanned.roots.push(SeenRoot {
            exists: walked.is_there,
            root,
            entries: 0,
        });
        let new = walked.skills.into_iter();
        found.extend(
            new.filter(|entry| files.insert(entry.path.clone()))
                .map(|entry| (at, entry)),
        );
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
    drop_stubs(&mut found);
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

/// Walks each root once: a root with the same canonical path as an earlier root contributes nothing.
fn walk_all(roots: &[Root], settings: &Settings, known: &KnownHeads) -> Vec<Walked> {
    let mut met = HashSet::new();
    let places = roots.iter().map(|root| {
        let real = root.path.canonicalize();
        let is_new = real.as_ref().map_or(true, |real| met.insert(real.clone()));
        (root, real, is_new)
    });
    let places: Vec<_> = places.collect();
    map_all(&places, |(root, real, is_new)| {
        if *is_new {
            walk(root, real.as_deref(), &settings.discovery, known)
        } else {
            Walked::again()
        }
    })
}

/// Removes each build if the catalog also contains a skill of the same name that is not a build: the build's source.
fn drop_stubs(found: &mut Vec<(usize, CatalogEntry)>) {
    if found.iter().all(|(_, entry)| !entry.compiled) {
        return;
    }
    let own = found.iter().filter(|(_, entry)| !entry.compiled);
    let own: HashSet<String> = own.map(|(_, entry)| entry.name.clone()).collect();
    found.retain(|(_, entry)| !entry.compiled || !own.contains(&entry.name));
}

/// Applies a function to each item, in parallel if there are many items. The results have the order of the items.
fn map_all<T: Sync, R: Send>(items: &[T], of: impl Fn(&T) -> R + Send + Sync) -> Vec<R> {
    if items.len() < PARALLEL {
        items.iter().map(of).collect()
    } else {
        items.par_iter().map(of).collect()
    }
}

/// Builds a failure for the list of errors.
fn failure(
    path: String,
    message: Cow<'static, str>,
    kind: crate::entry::FailureKind,
) -> LoadFailure {
    LoadFailure {
        path,
        message: message.into_owned(),
        kind,
    }
}
