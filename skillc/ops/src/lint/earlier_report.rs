//! `skc scan --since FILE`: skips the skills that passed an earlier scan, according to its report, and have not
//! changed.
//!
//! A report contains, for each skill that passed, a hash of everything that the verdict depends on. Other hashes, such
//! as those in the locks of installers, do not show that a skill was scanned, and do not cover all files that a scan
//! reads.
//!
//! Design: R44.

use std::collections::{BTreeSet, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use skillc_core::contained::leaves_by_link;
use skillc_core::hash::Sha;
use skillc_core::reveal::digest_of;
use skillc_core::source::link_end;
use skillc_core::{Error, Result, Skill};

use super::baseline::{read_real, real_path};
use super::changed::ChangedRequest;
use super::config::Linters;
use super::report::SkillReport;
use super::scope::{FoundSkill, Scope};
use crate::toolkit::Toolkit;

/// The file extension of a report. An argument without this extension is a revision, because a repository could contain
/// a file with the name of a branch.
const EXTENSION: &str = "json";

/// The limit on skills in a report.
const MAX_SKILLS: usize = 100_000;

/// The verdict of a skill that passed. Such a skill is skipped if it has not changed.
const PASS: &str = "pass";

/// A skill that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnchangedSkill {
    /// The name of the skill's directory.
    pub skill: String,
    /// The skill's directory.
    pub path: String,
    /// The same hash as in the earlier report.
    pub hash: String,
}

/// The fields of a report that skc reads.
#[derive(Deserialize)]
struct Report {
    #[expect(
        dead_code,
        reason = "it tells the report of a scan from that of a lint run"
    )]
    block: IgnoredAny,
    skills: Vec<ReportedSkill>,
    #[serde(default)]
    unchanged: Vec<ReportedSkill>,
}

/// A skill in a report. A skill that the earlier scan skipped has no verdict.
#[derive(Deserialize)]
struct ReportedSkill {
    verdict: Option<String>,
    hash: Option<String>,
}

/// The lock file of an installer, in which the keys are the names of skills.
#[derive(Deserialize)]
struct Lock {
    skills: Map<String, Value>,
}

/// The parsed report of an earlier scan.
pub(super) struct EarlierReport {
    /// The path as given on the command line.
    pub(super) shown: String,
    /// The canonical path.
    path: PathBuf,
    /// The hashes of the skills that passed.
    passed: HashSet<Sha>,
}

impl EarlierReport {
    /// Reads the report, if the argument of `skc scan --since` is the path of a report.
    ///
    /// # Errors
    /// E100 if it cannot be read, is too large, or is not the report of a scan.
    pub(super) fn open(toolkit: &Toolkit, request: &ChangedRequest) -> Result<Option<Self>> {
        let named = request.changed_since.as_deref();
        let Some(shown) = named.filter(|named| request.is_thorough && is_report(named)) else {
            return Ok(None);
        };
        let cwd = &toolkit.context.cwd;
        let full = cwd.join(shown);
        if leaves_by_link(cwd, &full, &link_end(&full)) {
            return Err(unusable(
                shown,
                "it is a symlink, or its path contains a symlink",
            ));
        }
        let path = real_path(&full);
        let text = read_real(&path).map_err(|why| unusable(shown, &reason(&why)))?;
        let Ok(report) = serde_json::from_str::<Report>(&text) else {
            let lock = serde_json::from_str::<Lock>(&text);
            let why = if lock.is_ok_and(|lock| !lock.skills.is_empty()) {
                "it is an installer's lock file, which does not record what was scanned"
            } else {
                "it is not the JSON of 'skc scan'"
            };
            return Err(unusable(shown, why));
        };
        if report.skills.len() + report.unchanged.len() > MAX_SKILLS {
            return Err(unusable(shown, "it has more than 100,000 skills"));
        }
        let scanned = report.skills.into_iter();
        let passed = scanned.filter(|skill| skill.verdict.as_deref() == Some(PASS));
        let hashes = passed
            .chain(report.unchanged)
            .filter_map(|skill| skill.hash);
        let passed = hashes.filter_map(|hash| Sha::parse(&hash)).collect();
        Ok(Some(Self {
            shown: shown.to_owned(),
            path,
            passed,
        }))
    }

    /// Removes from a run the skills that passed and have not changed, and returns them.
    ///
    /// # Errors
    /// E100 if the report is inside one of the skills, because a skill could contain a forged report.
    pub(super) fn take_unchanged(
        &self,
        toolkit: &Toolkit,
        linters: &Linters<'_>,
        scope: &mut Scope,
    ) -> Result<Vec<UnchangedSkill>> {
        let mut skills = scope.skills.iter();
        if let Some(of) = skills.find(|found| self.path.starts_with(&found.at.canonical)) {
            let why = format!("it is in the skill '{}'", of.at.name);
            return Err(unusable(&self.shown, &why));
        }
        let known = |found: &FoundSkill| {
            if self.passed.is_empty() || toolkit.stop.is_raised() {
                return None;
            }
            let skill = match &found.packed {
                Some(packed) => packed.skill(found.at.clone()),
                None => Skill::read(found.at.clone()).ok()?,
            };
            let hash = hash_of(found, linters, digest_of(&skill)?)?;
            self.passed.contains(&hash).then_some(hash)
        };
        let known: Vec<Option<Sha>> = scope.skills.par_iter().map(known).collect();
        toolkit.stop.check()?;
        let mut known = known.into_iter();
        let mut unchanged = Vec::new();
        scope.skills.retain(|found| {
            let Some(hash) = known.next().flatten() else {
                return true;
            };
            unchanged.push(UnchangedSkill {
                skill: found.at.name.clone(),
                path: found.at.source.display().to_string(),
                hash: hash.to_string(),
            });
            false
        });
        Ok(unchanged)
    }
}

/// Replaces the digest of each skill that passed with the hash for the report, and removes the digests of other skills.
/// A skill with findings that a baseline hides has not passed: the baseline may change, and its entries may expire.
pub(super) fn set_hashes(reports: &mut [SkillReport], scope: &Scope, linters: &Linters<'_>) {
    let places = reports.iter().zip(&scope.skills);
    let failed = places.filter(|(report, _)| {
        report.failure.is_some() || report.error_count + report.warning_count > 0
    });
    let failed: BTreeSet<&Path> = failed.map(|(_, found)| &*found.at.canonical).collect();
    for (report, found) in reports.iter_mut().zip(&scope.skills) {
        let dir = &*found.at.canonical;
        // The report of an outer skill omits the findings of its nested skills, so check those for failures, too.
        let next = failed.range::<&Path, _>(dir..).next();
        let has_failed = next.is_some_and(|next| next.starts_with(dir));
        let digest = report.digest.take().filter(|_| !has_failed);
        report.digest = digest.and_then(|digest| hash_of(found, linters, digest));
    }
}

/// Returns a hash of everything that the verdict on a skill depends on. Returns `None` if some of it cannot be hashed.
///
/// `digest`: the digest of the skill's files.
fn hash_of(found: &FoundSkill, linters: &Linters<'_>, digest: Sha) -> Option<Sha> {
    // The digest omits files that Git often rewrites, but a scan reads some of these files.
    let has_git = || found.at.canonical.join(".git").symlink_metadata().is_ok();
    if found.packed.is_none() && has_git() {
        return None;
    }
    let (version, name) = (env!("CARGO_PKG_VERSION"), &found.at.name);
    let (all, own) = (linters.settings_of_all(), linters.settings_of(found).ok()?);
    let text = format!("{version} {name:?} {all:?} {own:?} {digest}");
    Some(Sha::digest(text.as_bytes()))
}

/// Returns whether an argument names a report, not a revision.
fn is_report(named: &str) -> bool {
    let extension = Path::new(named).extension();
    extension.is_some_and(|found| found.eq_ignore_ascii_case(EXTENSION))
}

/// If an invalid revision is the path of a file, adds a hint to the error.
pub(super) fn explained(error: Error, toolkit: &Toolkit, request: &ChangedRequest) -> Error {
    let named = request.changed_since.as_deref().unwrap_or_default();
    let is_file = request.is_thorough && toolkit.context.cwd.join(named).is_file();
    match error {
        Error::InvalidOption { message, .. } if is_file => Error::InvalidOption {
            message,
            hint: Some("The name of a report of an earlier scan must end with .json.".into()),
        },
        error => error,
    }
}

fn reason(why: &io::Error) -> String {
    if why.kind() == io::ErrorKind::NotFound {
        return "no such file".to_owned();
    }
    let text = why.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

fn unusable(shown: &str, why: &str) -> Error {
    Error::InvalidOption {
        message: format!("report {shown} cannot be used: {why}"),
        hint: Some(
            "Nothing was scanned. Pass a file outside the skills that was written by: skc scan -o json --output FILE"
                .into(),
        ),
    }
}
