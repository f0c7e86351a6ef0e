//! Remembers which skills a run has loaded, so that the same text is not sent to the run twice.
//!
//! The caller defines what a run is: a connection, a handle, or an id. Loading a skill only looks up which versions the
//! run has loaded; the caller records the new load once the response is complete.
//!
//! Design: catalog-policy, CAT-LOAD.10, CAT-LOAD.11, CAT-LOAD.12, CAT-LOAD.13, CAT-PROTO.5, D15, D21.

use std::collections::{BTreeMap, HashMap, VecDeque};

use schemars::JsonSchema;
use serde::Serialize;
use skillc_core::hash::Sha;

use crate::catalog::Catalog;
use crate::load::Loaded;
use crate::reference::reference;

/// The maximum number of runs remembered by handle.
const MAX_RUNS: usize = 4_096;

/// The version of a `SKILL.md` that a run last loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version {
    /// The file's mtime, in milliseconds since 1970.
    pub mtime_ms: u64,
    /// The digest of the file's bytes.
    pub sha256: Sha,
    /// How often the run has loaded the skill, reminders included.
    pub loads: u64,
}

/// The skills that one run has loaded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Versions {
    run: String,
    by_path: BTreeMap<String, Version>,
}

/// A skill that a run has loaded, in its output form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LoadedVersion {
    /// The skill's SKILL.md
    pub path: String,
    /// When SKILL.md was changed, in milliseconds since 1970
    pub mtime_ms: u64,
    /// The address of SKILL.md, if the skill is in the catalog
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// How often the skill was loaded, reminders included
    pub loads: u64,
}

impl Versions {
    /// Starts a run that has loaded nothing. `run`: its id or handle.
    pub fn new(run: impl Into<String>) -> Self {
        Self {
            run: run.into(),
            by_path: BTreeMap::new(),
        }
    }

    /// Returns the run's id or handle.
    pub fn run(&self) -> &str {
        &self.run
    }

    /// Returns the version of a `SKILL.md` that the run last loaded.
    pub fn get(&self, path: &str) -> Option<&Version> {
        self.by_path.get(path)
    }

    /// Adds a version that was not loaded through this object, for example by an earlier process of the same run.
    pub fn insert(&mut self, path: impl Into<String>, version: Version) {
        self.by_path.insert(path.into(), version);
    }

    /// Returns the path and the version of each loaded `SKILL.md`, sorted by path.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Version)> {
        let all = self.by_path.iter();
        all.map(|(path, version)| (path.as_str(), version))
    }

    /// Returns whether the run has exactly this version: same mtime, same content.
    pub fn has(&self, path: &str, mtime_ms: u64, sha256: &Sha) -> bool {
        let known = self.by_path.get(path);
        known.is_some_and(|known| known.mtime_ms == mtime_ms && known.sha256 == *sha256)
    }

    /// Records a load whose response is complete. Returns the recorded version.
    pub fn remember(&mut self, loaded: &Loaded) -> Version {
        let loads = self.get(&loaded.path).map_or(0, |known| known.loads);
        let version = Version {
            mtime_ms: loaded.mtime_ms,
            sha256: loaded.sha256,
            loads: loads.saturating_add(1),
        };
        self.insert(loaded.path.clone(), version);
        version
    }

    /// Returns the skills that the run has loaded, in their output form, sorted by path.
    pub fn passed_on(&self, catalog: &Catalog) -> Vec<LoadedVersion> {
        let skills = catalog.skills().iter();
        let skills = skills.filter(|entry| self.by_path.contains_key(&entry.path));
        let references: BTreeMap<&str, String> = skills
            .map(|entry| (entry.path.as_str(), reference(entry)))
            .collect();
        let all = self.iter().map(|(path, version)| LoadedVersion {
            path: path.to_owned(),
            mtime_ms: version.mtime_ms,
            reference: references.get(path).cloned(),
            loads: version.loads,
        });
        all.collect()
    }
}

/// The runs of a server whose callers identify their run by a handle. If there are more runs than `MAX_RUNS`, the
/// oldest run is forgotten; at worst, the same text is then sent twice.
#[derive(Debug, Clone, Default)]
pub struct Runs {
    by_handle: HashMap<String, Versions>,
    oldest_first: VecDeque<String>,
}

impl Runs {
    /// Returns the skills that the run with a handle has loaded. If the handle is missing or unknown, starts a new run
    /// with a new handle.
    pub fn versions(&self, handle: Option<&str>, new_handle: impl FnOnce() -> String) -> Versions {
        let known = handle.and_then(|handle| self.by_handle.get(handle));
        known.map_or_else(|| Versions::new(new_handle()), Versions::clone)
    }

    /// Records a load whose response is complete. Adds the run of the load if the run is new.
    pub fn remember(&mut self, loaded: &Loaded) {
        if let Some(known) = self.by_handle.get_mut(&loaded.run) {
            known.remember(loaded);
            return;
        }
        while self.oldest_first.len() >= MAX_RUNS {
            let oldest = self.oldest_first.pop_front();
            oldest.and_then(|handle| self.by_handle.remove(&handle));
        }
        let mut versions = Versions::new(loaded.run.clone());
        versions.remember(loaded);
        self.oldest_first.push_back(loaded.run.clone());
        self.by_handle.insert(loaded.run.clone(), versions);
    }
}
