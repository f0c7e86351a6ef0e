//! `--resume`: the file of an earlier run, to which the lines of this run are appended.
//!
//! Only lines that end with a line break count, so a run that was killed loses at most the line that it was writing.
//! The file is locked: two runs cannot write to it at the same time.

use std::collections::HashMap;
use std::fs::{File, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Duration;

use cap_std::fs::OpenOptions;
use serde::Deserialize;
use serde::de::IgnoredAny;
use skillc_core::contained::leaves_by_link;
use skillc_core::hash::Sha;
use skillc_core::layout::canonical;
use skillc_core::lock::lock_within;
use skillc_core::reveal::digest_of;
use skillc_core::source::{hold, link_end, open_in};
use skillc_core::{Error, Result, Skill};

use super::RunLine;
use crate::lint::config::Linters;
use crate::lint::report::SkillReport;
use crate::lint::scope::FoundSkill;
use crate::toolkit::Toolkit;

/// The maximum length of a line, in bytes.
const MAX_LINE: u64 = 256 << 20;

/// The counts of a skill's findings.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counts {
    pub(super) errors: usize,
    pub(super) warnings: usize,
    /// Whether the skill could not be read.
    pub(super) has_failed: bool,
}

impl Counts {
    pub(super) const fn from_report(report: &SkillReport) -> Self {
        Self {
            errors: report.error_count,
            warnings: report.warning_count,
            has_failed: report.failure.is_some(),
        }
    }
}

/// A skill that an earlier run linted.
struct Earlier {
    /// `None` if the skill could not be read or hashed.
    digest: Option<Sha>,
    /// The digest of the settings specific to this skill.
    settings: Option<Sha>,
    counts: Counts,
}

/// The first line of the file.
#[derive(Deserialize)]
struct FirstLine {
    run: EarlierRun,
}

#[derive(Deserialize)]
struct EarlierRun {
    version: String,
    settings: String,
}

/// Any other line: a skill or the summary. The findings are ignored.
#[derive(Deserialize)]
struct EarlierLine {
    summary: Option<IgnoredAny>,
    path: Option<String>,
    digest: Option<String>,
    settings: Option<String>,
    error: Option<IgnoredAny>,
    #[serde(default)]
    error_count: usize,
    #[serde(default)]
    warning_count: usize,
}

/// The file of an earlier run, open for appending.
pub(super) struct ResumeFile {
    file: File,
    /// The path as given on the command line.
    shown: String,
    is_new: bool,
    /// The skills, by the hash of their paths: the paths themselves would need several times as much memory.
    skills: HashMap<u64, Earlier>,
    keys: RandomState,
}

impl ResumeFile {
    /// Opens or creates the file, and removes an unfinished last line and the summary.
    ///
    /// `run`: the identity of this run. `first`: the first line of this run's output.
    ///
    /// # Errors
    /// E100 if the file is not the output of `--format jsonl`, or was written with other settings; E999 if it cannot be
    /// read or written, or another run is writing to it.
    pub(super) fn open(
        toolkit: &Toolkit,
        named: &Path,
        run: &RunLine,
        first: &str,
    ) -> Result<Self> {
        let shown = named.display().to_string();
        let file = open(&toolkit.context.cwd, named, &shown)?;
        if let Err(TryLockError::WouldBlock) = lock_within(&file, Duration::ZERO, &toolkit.stop) {
            return Err(Error::Internal {
                message: format!("another run is writing to '{shown}'"),
                hint: Some("Wait until it ends, or use another file.".into()),
            });
        }
        let mut resumed = Self {
            file,
            shown,
            is_new: true,
            skills: HashMap::new(),
            keys: RandomState::new(),
        };
        let end = resumed.read(run, first)?;
        let fail = |e: io::Error| Error::io("writing", named, &e);
        resumed.file.set_len(end).map_err(fail)?;
        resumed.file.seek(SeekFrom::Start(end)).map_err(fail)?;
        Ok(resumed)
    }

    /// Returns whether the file has no line yet.
    pub(super) const fn is_new(&self) -> bool {
        self.is_new
    }

    /// Returns the counts of a skill if neither the skill nor its settings have changed since it was linted. Returns
    /// `None` if it must be linted.
    pub(super) fn unchanged(&self, found: &FoundSkill, linters: &Linters<'_>) -> Option<Counts> {
        let earlier = self.earlier(&found.at.source.display().to_string())?;
        let digest = earlier.digest?;
        if linters.settings_of(found).ok()? != earlier.settings {
            return None;
        }
        let skill = Skill::read(found.at.clone()).ok()?;
        (digest_of(&skill)? == digest).then_some(earlier.counts)
    }

    /// Returns whether the file already records the same result for a skill that cannot be read or hashed.
    pub(super) fn has_same_failure(&self, report: &SkillReport) -> bool {
        let earlier = self.earlier(&report.path);
        report.digest.is_none()
            && earlier.is_some_and(|earlier| {
                earlier.digest.is_none()
                    && earlier.counts.has_failed == report.failure.is_some()
                    && earlier.counts.errors == report.error_count
                    && earlier.counts.warnings == report.warning_count
            })
    }

    /// Appends complete lines.
    ///
    /// # Errors
    /// E999 if they cannot be written.
    pub(super) fn append(&mut self, lines: &str) -> Result<()> {
        let written = self.file.write_all(lines.as_bytes());
        written.map_err(|e| Error::io("writing", Path::new(&self.shown), &e))
    }

    fn earlier(&self, path: &str) -> Option<&Earlier> {
        self.skills.get(&self.keys.hash_one(path))
    }

    /// Reads the complete lines. Returns the total length of the lines to keep, in bytes.
    fn read(&mut self, run: &RunLine, first: &str) -> Result<u64> {
        let shown = self.shown.clone();
        let fail = |e: io::Error| Error::io("reading", Path::new(&shown), &e);
        let mut reader = BufReader::new(self.file.try_clone().map_err(fail)?);
        let (mut line, mut number, mut end) = (Vec::new(), 0, 0);
        let mut summary = None;
        loop {
            line.clear();
            let read = reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line);
            let read = read.map_err(fail)? as u64;
            if line.last() != Some(&b'\n') {
                // An incomplete last line is dropped. If it is the only line, it must be the start of this run's first
                // line.
                if read == MAX_LINE || (number == 0 && !first.as_bytes().starts_with(&line)) {
                    return Err(self.foreign());
                }
                break;
            }
            number += 1;
            if number == 1 {
                self.check_first(&line, run)?;
                self.is_new = false;
            } else {
                let read = serde_json::from_slice(&line);
                let read: EarlierLine = read.map_err(|_| self.broken(number))?;
                summary = read.summary.is_some().then_some(end);
                if summary.is_none() {
                    self.add(read).ok_or_else(|| self.broken(number))?;
                }
            }
            end += read;
        }
        // Cut off the old summary: this run writes a new summary.
        Ok(summary.unwrap_or(end))
    }

    /// Adds a skill. A later line about the same skill replaces an earlier line.
    fn add(&mut self, line: EarlierLine) -> Option<()> {
        let earlier = Earlier {
            digest: line.digest.as_deref().and_then(Sha::parse),
            settings: line.settings.as_deref().and_then(Sha::parse),
            counts: Counts {
                errors: line.error_count,
                warnings: line.warning_count,
                has_failed: line.error.is_some(),
            },
        };
        let key = self.keys.hash_one(line.path?.as_str());
        self.skills.insert(key, earlier);
        Some(())
    }

    fn check_first(&self, line: &[u8], run: &RunLine) -> Result<()> {
        let first: FirstLine = serde_json::from_slice(line).map_err(|_| self.foreign())?;
        let EarlierRun { version, settings } = first.run;
        let what = if version != run.version {
            format!("by version {version}, not {}", run.version)
        } else if settings != run.settings {
            "with other options or another configuration, or in another folder".to_owned()
        } else {
            return Ok(());
        };
        Err(Error::InvalidOption {
            message: format!("'{}' was written {what}", self.shown),
            hint: Some(
                "Nothing was changed. Use the options of that run, or --resume with a new file to lint all skills."
                    .into(),
            ),
        })
    }

    fn foreign(&self) -> Error {
        Error::InvalidOption {
            message: format!("'{}' is not a result of --format jsonl", self.shown),
            hint: Some("Nothing was changed. Use another file.".into()),
        }
    }

    fn broken(&self, number: usize) -> Error {
        Error::InvalidOption {
            message: format!("'{}' is damaged in line {number}", self.shown),
            hint: Some(
                "Nothing was changed. Remove that line; the skill in it is then linted again."
                    .into(),
            ),
        }
    }
}

/// Opens the file for reading and writing, or creates it. A symlink is not followed, because it may come from a
/// repository.
fn open(cwd: &Path, named: &Path, shown: &str) -> Result<File> {
    let full = cwd.join(named);
    let refused = |why: &str| Error::InvalidOption {
        message: format!("--resume '{shown}' {why}"),
        hint: Some("Pass the path of a regular file.".into()),
    };
    if full.is_symlink() || leaves_by_link(cwd, &full, &link_end(&full)) {
        return Err(refused("is a symlink, or goes through one"));
    }
    let (Some(name), Some(dir)) = (full.file_name(), full.parent()) else {
        return Err(refused("is not a file"));
    };
    let fail = |e: io::Error| Error::io("opening", named, &e);
    let dir = hold(&canonical(dir)).map_err(fail)?;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true);
    let opened = open_in(&dir, name, &mut options).map_err(fail)?;
    opened
        .map(|(file, _)| file)
        .ok_or_else(|| refused("is not a file"))
}
