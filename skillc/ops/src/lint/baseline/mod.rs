//! The baseline, a list of known findings: read before a run, applied to its findings, and written with
//! `--write-baseline`.
//!
//! Only the command line supports baselines. `skillc_lint::baseline` decides which findings are known; this module
//! handles the file and the reports.
//!
//! Design: R41.

mod checked;
mod rewrite;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs::{File, Metadata};
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use cap_std::fs::OpenOptions;
use serde::Serialize;
use skillc_core::contained::leaves_by_link;
use skillc_core::fs::{Readers, Unfinished, plain_permissions};
use skillc_core::source::{hold, link_end, open_in, open_real};
use skillc_core::{Error, Result};
use skillc_lint::baseline::{
    Baseline, BaselineEntry, Day, FILE, Fate, Identity, MAX_BYTES, fingerprint, pinned_fingerprint,
};
use skillc_lint::config::BaselineFile;
use skillc_lint::finding::LintFinding;
use skillc_lint::rule::SCRIPT_FAILED;
use skillc_lint::rule::code::is_security;

use self::checked::Checked;
use self::rewrite::{Listed, rewritten};
use super::config::Linters;
use super::report::SkillReport;
use super::scope::{Scope, shown_folder, slashed};
use crate::staged::{Durability, clear_stale};
use crate::toolkit::Toolkit;

/// How known findings are handled. Not available in JSON requests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct BaselineRequest {
    /// Hide the findings listed in this file
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "FILE", conflicts_with = "matrix")
    )]
    pub baseline: Option<PathBuf>,
    /// Record all findings in a baseline (default: .skilllint-baseline.toml)
    #[cfg_attr(feature = "clap", arg(long, conflicts_with_all = ["diff", "matrix", "watch"]))]
    pub write_baseline: bool,
    /// Ignore the baseline set in the configuration
    #[cfg_attr(feature = "clap", arg(long, conflicts_with_all = ["baseline", "write_baseline"]))]
    pub no_baseline: bool,
}

/// The result of applying a baseline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BaselineReport {
    /// The path of the file, as given on the command line. A path from the configuration is shown relative to the
    /// working directory if the file is below it.
    pub file: String,
    /// The number of findings that the baseline hides in this run.
    pub known: usize,
    /// The number of findings in the baseline that this run did not check.
    pub kept: usize,
    /// Whether this run wrote the file.
    pub written: bool,
    /// The entries that list more findings than the run found, in the order of the file.
    pub stale: Vec<StaleEntry>,
    /// The findings whose entry has expired, in the order of the run.
    pub expired: Vec<ExpiredEntry>,
}

/// An entry that lists more findings than the run found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StaleEntry {
    /// The rule's code.
    pub rule: String,
    /// The skill's directory, relative to the baseline's directory.
    pub skill: String,
    /// The file, relative to the skill's directory.
    pub file: String,
    /// The finding's message.
    pub message: String,
    /// The number of findings that the entry lists.
    pub count: usize,
    /// The number of those findings that no longer exist.
    pub unused: usize,
    /// Whether the run still has findings with the same identity.
    #[serde(skip)]
    pub is_repeated: bool,
}

/// A finding whose entry has expired.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExpiredEntry {
    /// The rule's code.
    pub rule: String,
    /// The skill's directory, relative to the baseline's directory.
    pub skill: String,
    /// The file, relative to the skill's directory.
    pub file: String,
    /// The 1-based line number.
    pub line: usize,
    /// The last day on which the entry applied.
    pub expires: String,
    /// The person responsible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
}

/// Returns whether a baseline can contain a finding. It cannot contain a script failure, because the script's other
/// findings are unknown, or a security finding in a skill that could not be hashed, because such a finding has no
/// fingerprint.
fn can_be_known(one: &Identity) -> bool {
    one.rule != SCRIPT_FAILED.0 && !one.fingerprint.is_empty()
}

/// A parsed baseline, and how this run uses it.
pub(super) struct Known {
    /// The absolute path.
    path: PathBuf,
    /// The path for display: see [`BaselineReport::file`].
    shown: String,
    /// The canonical directory of the file.
    dir: PathBuf,
    /// The file's text; empty for a new file.
    text: String,
    baseline: Baseline,
    is_written: bool,
    /// Canonical directories of the skills whose configuration sets the baseline; `None` if it applies to all skills.
    members: Option<BTreeSet<PathBuf>>,
    /// Whether it hides findings of the security rules: false if the setting that names the baseline may have come with
    /// a skill.
    hides_security: bool,
}

impl Known {
    /// Reads the baseline given on the command line, if any. With `--write-baseline`, the file need not exist.
    ///
    /// # Errors
    /// E100 if it cannot be read or parsed, or, with `--write-baseline`, cannot be written.
    pub(super) fn open(toolkit: &Toolkit, request: &BaselineRequest) -> Result<Option<Self>> {
        match &request.baseline {
            Some(named) => Self::read(toolkit, named, request, None).map(Some),
            None => Ok(None),
        }
    }

    /// Reads the baseline that the configuration of the skills sets. With `--write-baseline`, falls back to the default
    /// baseline.
    ///
    /// # Errors
    /// The same as for [`open`](Self::open); also E100 if the skills have different baselines.
    pub(super) fn configured(
        toolkit: &Toolkit,
        request: &BaselineRequest,
        scope: &Scope,
        linters: &Linters<'_>,
    ) -> Result<Option<Self>> {
        let mut named: Option<BaselineFile> = None;
        let mut members = BTreeSet::new();
        let mut hides_security = true;
        let skills = scope.skills.iter().filter(|_| !request.no_baseline);
        for found in skills {
            // An invalid configuration appears in the report of its skill.
            let Ok(Some((list, is_safe))) = linters.baseline_of(found) else {
                continue;
            };
            hides_security &= is_safe;
            if let Some(other) = named.as_ref().filter(|other| other.path != list.path) {
                return Err(two_lists(toolkit, &other.path, &list.path));
            }
            named = Some(list);
            members.insert(found.at.canonical.clone());
        }
        if let Some(BaselineFile { path, root }) = named {
            let shown = shown_folder(&toolkit.context.cwd, &path);
            let known = Self::read(toolkit, Path::new(&shown), request, Some(&root))?;
            return Ok(Some(Self {
                members: Some(members),
                hides_security,
                ..known
            }));
        }
        if request.write_baseline {
            return Self::read(toolkit, Path::new(FILE), request, None).map(Some);
        }
        Ok(None)
    }

    /// Reads the baseline that the configuration of one skill sets, like [`configured`](Self::configured).
    ///
    /// `named`: the file, and whether it hides findings of the security rules.
    ///
    /// # Errors
    /// E100 if it cannot be read or parsed.
    pub(super) fn of_skill(toolkit: &Toolkit, named: &(BaselineFile, bool)) -> Result<Self> {
        let (BaselineFile { path, root }, hides_security) = named;
        let shown = shown_folder(&toolkit.context.cwd, path);
        let request = BaselineRequest::default();
        let known = Self::read(toolkit, Path::new(&shown), &request, Some(root))?;
        Ok(Self {
            hides_security: *hides_security,
            ..known
        })
    }

    /// Removes known findings from the report of one skill. `dir`: the skill's canonical directory.
    pub(super) fn hide(&self, toolkit: &Toolkit, report: &mut SkillReport, dir: &Path) {
        let folder = relative(&self.dir, dir);
        let listed: Vec<Listed<'_>> = listed(&report.diagnostics, &folder).collect();
        let today = Day::from_timestamp(toolkit.context.clock.now());
        let identities = listed.iter().map(|one| &one.identity);
        let fates = self.baseline.matched(identities, &today).fates;
        let both = listed.iter().zip(&fates);
        let kept: Vec<bool> = both
            .map(|(one, fate)| !self.is_hidden(&one.identity, *fate))
            .collect();
        report.keep(&kept);
    }

    /// Returns whether a finding with this fate is removed from the report of its skill.
    fn is_hidden(&self, one: &Identity, fate: Fate) -> bool {
        let is_safe = self.hides_security || !is_security(&one.rule);
        fate == Fate::Known && can_be_known(one) && is_safe
    }

    /// Reads a baseline file. Its path is resolved only once: the file is checked, read and written under the resolved
    /// path, and a symlink that appears on that path later is not followed.
    ///
    /// `within`: the canonical directory that must contain the file; `None` for no restriction.
    fn read(
        toolkit: &Toolkit,
        named: &Path,
        request: &BaselineRequest,
        within: Option<&Path>,
    ) -> Result<Self> {
        let cwd = &toolkit.context.cwd;
        let full = cwd.join(named);
        let path = real_path(&full);
        let shown = named.display().to_string();
        let target = link_end(&full);
        let leaves = |target: &Path| leaves_by_link(cwd, &full, target);
        // If the folder does not exist, the path is not resolved, and reading the file fails below.
        if within.is_some_and(|root| path != full && !path.starts_with(root)) {
            return Err(unusable(&shown, "it is outside the project"));
        }
        if request.write_baseline && (is_in_git(&full) || is_in_git(&path)) {
            return Err(Error::InvalidOption {
                message: format!("baseline {shown} cannot be written: it is in a .git folder"),
                hint: Some(
                    "Nothing was linted or changed. Choose another file with --baseline.".into(),
                ),
            });
        }
        if request.write_baseline && (leaves(&target) || leaves(&path)) {
            return Err(Error::InvalidOption {
                message: format!(
                    "baseline {shown} cannot be written: it is a symlink to '{}'",
                    target.display()
                ),
                hint: Some("Nothing was linted or changed. Pass the link's target, or another file, with --baseline.".into()),
            });
        }
        let text = match read_real(&path) {
            Ok(text) => text,
            Err(why) if why.kind() == io::ErrorKind::NotFound && request.write_baseline => {
                String::new()
            }
            Err(why) => return Err(unread(&shown, &why)),
        };
        let baseline = if text.is_empty() && request.write_baseline {
            Baseline::default()
        } else {
            Baseline::parse(named, &text)?
        };
        if request.write_baseline {
            check_writable(&path, &shown)?;
        }
        Ok(Self {
            dir: path.parent().unwrap_or(&path).to_path_buf(),
            path,
            shown,
            text,
            baseline,
            is_written: request.write_baseline,
            members: None,
            hides_security: true,
        })
    }

    /// Returns whether the baseline applies to a skill. `dir`: the skill's canonical directory.
    fn is_of(&self, dir: &Path) -> bool {
        let members = self.members.as_ref();
        members.is_none_or(|members| members.contains(dir))
    }

    /// Makes sure that a run without skills does not create a baseline.
    ///
    /// `since`: the `--changed-since` revision, if no skill has changed since then. In this case no baseline is
    /// written, which is not an error.
    ///
    /// # Errors
    /// E100 if there are no skills for another reason.
    pub(super) fn check_scope(&mut self, scope: &Scope, since: Option<&str>) -> Result<()> {
        if !self.is_written || !self.text.is_empty() || !scope.skills.is_empty() {
            return Ok(());
        }
        if since.is_some() {
            self.is_written = false;
            return Ok(());
        }
        Err(Error::InvalidOption {
            message: format!("no skills found: {} was not written", self.shown),
            hint: Some("Name the skills or their folder: skc lint . --write-baseline".into()),
        })
    }

    /// Removes known findings from the reports; with `--write-baseline`, writes the file first.
    ///
    /// `only`: the absolute path of the linted file, if the run linted only one file.
    ///
    /// # Errors
    /// E100 if the baseline would be too large; E999 if it cannot be written.
    pub(super) fn apply(
        mut self,
        toolkit: &Toolkit,
        reports: &mut [SkillReport],
        scope: &Scope,
        linters: &Linters<'_>,
        only: Option<&Path>,
    ) -> Result<BaselineReport> {
        let folders = scope.skills.iter().map(|found| &found.at.canonical);
        let folders: Vec<String> = folders.map(|dir| relative(&self.dir, dir)).collect();
        let places = scope.skills.iter().zip(&folders);
        let reached = reports
            .iter()
            .zip(places)
            .filter_map(|(report, (found, folder))| {
                // A skill that could not be linted keeps its entries.
                let is_seen = !report.skipped && report.failure.is_none();
                let is_reached = is_seen && self.is_of(&found.at.canonical);
                is_reached.then(|| (folder.clone(), found.at.canonical.as_path()))
            });
        let dir = self.dir.clone();
        let mut checked = Checked {
            toolkit,
            linters,
            scope,
            dir: &dir,
            skills: reached.collect(),
            only: only.map(|path| relative(&self.dir, path)),
            news: BTreeSet::new(),
            gone: RefCell::default(),
        };
        let skills = reports.iter().zip(&folders);
        let listed: Vec<Listed<'_>> = skills
            .flat_map(|(report, folder)| listed(&report.diagnostics, folder))
            .collect();
        let places = reports.iter().zip(&scope.skills);
        let is_own: Vec<bool> = places
            .flat_map(|(report, found)| {
                let is_own = self.is_of(&found.at.canonical);
                report.diagnostics.iter().map(move |_| is_own)
            })
            .collect();
        let entries = self.baseline.entries.iter();
        let listed_before: BTreeSet<&Identity> = entries.map(|entry| &entry.identity).collect();
        for one in &listed {
            if !listed_before.contains(&one.identity) {
                checked.add_new(one);
            }
        }
        if self.is_written {
            let is_checked = |entry: &BaselineEntry| checked.has(entry);
            let can_be_known: Vec<&Listed<'_>> = listed
                .iter()
                .zip(&is_own)
                .filter(|(one, is_own)| **is_own && can_be_known(&one.identity))
                .map(|(one, _)| one)
                .collect();
            let text = rewritten(&self.text, &self.baseline, &can_be_known, &is_checked)
                .map_err(|why| unusable(&self.shown, &why))?;
            if text.len() as u64 > MAX_BYTES {
                return Err(too_large(&self.shown));
            }
            self.baseline = Baseline::parse(Path::new(&self.shown), &text)?;
            self.write(&text, Durability::from_context(&toolkit.context))?;
        }
        let today = Day::from_timestamp(toolkit.context.clock.now());
        let identities = || listed.iter().map(|one| &one.identity);
        let matched = self.baseline.matched(identities(), &today);
        let expired = self.expired(&listed, &matched.fates);
        let stale = self.stale(identities(), &matched.unused, &checked);
        let fates = listed.iter().zip(&matched.fates).zip(&is_own);
        let is_known =
            fates.map(|((one, fate), is_own)| *is_own && self.is_hidden(&one.identity, *fate));
        // Collect: the lazy iterator would still borrow the reports, which are changed below.
        let mut is_known = is_known.collect::<Vec<bool>>().into_iter();
        let mut known = 0;
        for report in reports {
            let of_report = is_known.by_ref().take(report.diagnostics.len());
            let kept: Vec<bool> = of_report.map(|is_known| !is_known).collect();
            known += kept.iter().filter(|is_kept| !**is_kept).count();
            report.keep(&kept);
        }
        let entries = self.baseline.entries.iter().zip(&matched.unused);
        let others = entries.filter(|(entry, unused)| **unused > 0 && !checked.has(entry));
        Ok(BaselineReport {
            known,
            kept: others.map(|(_, unused)| unused).sum(),
            written: self.is_written,
            stale,
            expired,
            file: self.shown,
        })
    }

    fn stale<'a>(
        &self,
        found: impl Iterator<Item = &'a Identity>,
        unused: &[usize],
        checked: &Checked<'_>,
    ) -> Vec<StaleEntry> {
        let found: BTreeSet<&Identity> = found.collect();
        let entries = self.baseline.entries.iter().zip(unused);
        let stale = entries.filter(|(entry, unused)| **unused > 0 && checked.has(entry));
        let entry = |(entry, unused): (&BaselineEntry, &usize)| StaleEntry {
            rule: entry.identity.rule.clone(),
            skill: entry.skill.clone(),
            file: entry.file.clone(),
            message: entry.message.clone(),
            count: entry.count,
            unused: *unused,
            is_repeated: found.contains(&entry.identity),
        };
        stale.map(entry).collect()
    }

    fn expired(&self, listed: &[Listed<'_>], fates: &[Fate]) -> Vec<ExpiredEntry> {
        let of = |(found, fate): (&Listed<'_>, &Fate)| {
            let Fate::Expired(at) = fate else { return None };
            let entry = self.baseline.entries.get(*at)?;
            Some(ExpiredEntry {
                rule: found.identity.rule.clone(),
                skill: found.skill.to_owned(),
                file: found.file.to_owned(),
                line: found.line,
                expires: entry.expires.as_ref()?.to_string(),
                owner: entry.owner.clone(),
            })
        };
        listed.iter().zip(fates).filter_map(of).collect()
    }

    /// Replaces the file, unless the text is unchanged. Fails if the file has been edited since it was read.
    fn write(&self, text: &str, durability: Durability) -> Result<()> {
        if text == self.text {
            return Ok(());
        }
        let fail = |e: &io::Error| Error::io("writing", Path::new(&self.shown), e);
        let name = self.path.file_name().unwrap_or_default();
        // The path was canonical when it was checked: fail if a symlink has replaced the directory since.
        let dir = hold(&self.dir).map_err(|e| fail(&e))?;
        clear_stale(&dir);
        let again = dir.try_clone().map_err(|e| fail(&e))?;
        let mut file = Unfinished::create(again, Readers::Usual).map_err(|e| fail(&e))?;
        file.write_all(text.as_bytes()).map_err(|e| fail(&e))?;
        let old = match open_in(&dir, name, OpenOptions::new().read(true)) {
            Err(why) if why.kind() == io::ErrorKind::NotFound => None,
            old => old.map_err(|e| fail(&e))?,
        };
        if let Some((_, found)) = &old {
            let set = file.file().set_permissions(plain_permissions(found));
            set.map_err(|e| fail(&e))?;
        }
        if durability == Durability::Synced {
            file.file().sync_all().map_err(|e| fail(&e))?;
        }
        let now = old.map_or_else(|| Ok(String::new()), |(file, _)| text_of(file));
        let now = now.map_err(|e| fail(&e))?;
        if now != self.text {
            return Err(Error::Internal {
                message: format!("'{}' has changed since it was read", self.shown),
                hint: Some(
                    "Nothing was written. Another program is writing to it. Try again.".into(),
                ),
            });
        }
        file.replace(name).map_err(|e| fail(&e))
    }
}

/// Lists the findings of a skill. `folder`: the skill's directory, relative to the baseline's directory.
fn listed<'a>(found: &'a [LintFinding], folder: &'a str) -> impl Iterator<Item = Listed<'a>> + 'a {
    let mut last: Option<(&str, Arc<str>)> = None;
    found.iter().map(move |one| {
        let file = one.file.as_str();
        let path = match &last {
            Some((of, path)) if *of == file => Arc::clone(path),
            _ => Identity::path(folder, file),
        };
        last = Some((file, Arc::clone(&path)));
        Listed {
            identity: Identity {
                path,
                rule: one.rule.clone().into_owned(),
                fingerprint: match &one.pinned {
                    Some(pinned) => {
                        pinned_fingerprint(pinned, &one.rule, &one.message).unwrap_or_default()
                    }
                    None => fingerprint(one.own_line_hash, &one.message),
                },
            },
            skill: folder,
            file,
            line: one.line,
            message: &one.message,
        }
    })
}

/// Returns whether a path leads into a `.git` folder: a project's setting must not create a git hook there.
fn is_in_git(path: &Path) -> bool {
    let mut parts = path.components();
    parts.any(|part| part.as_os_str().eq_ignore_ascii_case(".git"))
}

/// Resolves the symlinks of a path in one lookup. If the file does not exist, resolves the symlinks of its directory.
pub(super) fn real_path(path: &Path) -> PathBuf {
    let beside = || {
        let dir = path.parent()?.canonicalize().ok()?;
        Some(dir.join(path.file_name()?))
    };
    let found = path.canonicalize().ok().or_else(beside);
    found.unwrap_or_else(|| path.to_path_buf())
}

/// Reads a file, if no component of its path is a symlink.
pub(super) fn read_real(path: &Path) -> io::Result<String> {
    match open_real(path)? {
        Some((file, _)) => text_of(file),
        None => Err(match path.symlink_metadata() {
            Ok(_) => io::Error::other("not a file"),
            Err(error) => error,
        }),
    }
}

fn text_of(file: File) -> io::Result<String> {
    let other = |what: &str| io::Error::other(what.to_owned());
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(other("larger than 16 MiB"));
    }
    let text = String::from_utf8(bytes).map_err(|_| other("not UTF-8"))?;
    Ok(text)
}

fn two_lists(toolkit: &Toolkit, one: &Path, other: &Path) -> Error {
    let shown = |path| shown_folder(&toolkit.context.cwd, path);
    Error::InvalidOption {
        message: format!(
            "the skills have different baselines: {} and {}",
            shown(one),
            shown(other)
        ),
        hint: Some(
            "Lint their folders separately, or use --baseline FILE or --no-baseline.".into(),
        ),
    }
}

fn unread(shown: &str, why: &io::Error) -> Error {
    if why.kind() == io::ErrorKind::NotFound {
        return Error::InvalidOption {
            message: format!("no such baseline: {shown}"),
            hint: Some("Add --write-baseline to create it from the findings of this run.".into()),
        };
    }
    let text = why.to_string();
    unusable(shown, text.split(" (os error").next().unwrap_or(&text))
}

/// Checks that a baseline can be written, before the run does work that would otherwise be lost.
fn check_writable(path: &Path, shown: &str) -> Result<()> {
    let refused = |why: &str, hint: &'static str| Error::InvalidOption {
        message: format!("baseline {shown} cannot be written: {why}"),
        hint: Some(format!("Nothing was linted or changed. {hint}").into()),
    };
    let dir = path.parent().unwrap_or(path);
    if let Err(why) = dir.read_dir()
        && why.kind() == io::ErrorKind::NotFound
    {
        let hint = "Create the folder, or choose another file with --baseline.";
        return Err(refused("its folder does not exist", hint));
    }
    let is_read_only = |found: Metadata| found.permissions().readonly();
    if path.metadata().is_ok_and(is_read_only) {
        let hint = "Make it writable, or choose another file with --baseline.";
        return Err(refused("it is read-only", hint));
    }
    let made = hold(dir).and_then(|dir| Unfinished::create(dir, Readers::Usual));
    let hint = "Make its folder writable, or choose another file with --baseline.";
    made.map(drop)
        .map_err(|why| refused(&in_folder(&why), hint))
}

/// Formats the error from creating a temporary file in a folder. Omits the name of the temporary file.
fn in_folder(why: &io::Error) -> String {
    match why.kind() {
        io::ErrorKind::NotADirectory => "its folder is a file".to_owned(),
        kind => kind.to_string(),
    }
}

fn too_large(shown: &str) -> Error {
    Error::InvalidOption {
        message: format!("baseline {shown} cannot be written: larger than 16 MiB"),
        hint: Some("The baseline is unchanged. Lint fewer skills or rules at once.".into()),
    }
}

fn unusable(shown: &str, why: &str) -> Error {
    Error::InvalidOption {
        message: format!("baseline {shown} cannot be read: {why}"),
        hint: Some("Nothing was linted. Pass a file written by --write-baseline.".into()),
    }
}

/// Returns the relative path from one directory to another, with `/` separators; `.` if they are the same. Both are
/// canonical.
fn relative(from: &Path, to: &Path) -> String {
    let (mut here, mut there) = (from.components().peekable(), to.components().peekable());
    if matches!(here.peek(), Some(Component::Prefix(_))) && here.peek() != there.peek() {
        return slashed(to);
    }
    while here.peek().is_some() && here.peek() == there.peek() {
        here.next();
        there.next();
    }
    let up = here.map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(there).collect();
    if path.as_os_str().is_empty() {
        ".".to_owned()
    } else {
        slashed(&path)
    }
}

#[cfg(test)]
mod tests {
    use skillc_core::RelPath;
    use skillc_lint::Severity;
    use skillc_lint::finding::FoundIn;

    use super::*;

    #[test]
    fn folders_are_relative_to_the_baseline() {
        let from = |from: &str, to: &str| relative(Path::new(from), Path::new(to));
        assert_eq!(from("/a/b", "/a/b"), ".");
        assert_eq!(from("/a", "/a/b/c"), "b/c");
        assert_eq!(from("/a/b", "/a/c/d"), "../c/d");
        assert_eq!(from("/a/b", "/a"), "..");
        assert_eq!(from("/", "/x"), "x");
    }

    /// If each finding had its own copy of the path, 100,000 findings with a path of 4 KB would take 400 MB of memory.
    #[test]
    fn findings_of_a_file_share_its_path() {
        let finding = |file: &str| LintFinding {
            rule: "SKL301".into(),
            name: "link".into(),
            code: "E300",
            severity: Severity::Error,
            file: FoundIn::Skill(RelPath::parse(file).unwrap()),
            line: 1,
            column: 1,
            message: "gone".to_owned(),
            fixable: None,
            end_line: 1,
            end_column: 1,
            line_hash: 0,
            own_line_hash: 0,
            pinned: None,
            headline: String::new(),
            help: None,
            fix: None,
            excerpt: None,
        };
        let found = ["b.md", "b.md", "c.md"].map(finding);
        let listed: Vec<Listed<'_>> = listed(&found, "a").collect();
        let paths: Vec<&Arc<str>> = listed.iter().map(|one| &one.identity.path).collect();
        assert!(Arc::ptr_eq(paths[0], paths[1]));
        assert_eq!((&**paths[1], &**paths[2]), ("a/b.md", "a/c.md"));
    }
}
