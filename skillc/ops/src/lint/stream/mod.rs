//! `--format jsonl`: each skill is written as a line as soon as it is linted, and then dropped from memory, so that
//! memory use is bounded, regardless of the number of skills.
//!
//! Rules that compare skills do not run, because they need all skills. A run in this format is not recorded in the
//! usage log.

mod resume;

use std::collections::{BTreeSet, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::mem;
use std::path::PathBuf;

use rayon::prelude::*;
use serde::Serialize;
use skillc_core::budget::RunBudget;
use skillc_core::contained::check_project;
use skillc_core::hash::Sha;
use skillc_core::layout::canonical;
use skillc_core::source::read_start;
use skillc_core::{Error, Result};
use skillc_lint::Choice;
use skillc_lint::config::BaselineFile;
use skillc_lint::finding::LintFinding;

use self::resume::{Counts, ResumeFile};
use super::LintRequest;
use super::baseline::Known;
use super::check::{Compiled, Mode, reports};
use super::config::Linters;
use super::output::OutputRequest;
use super::report::SkillReport;
use super::scope::{FoundSkill, Scope};
use super::scripts::tell_once;
use crate::notes::Notes;
use crate::operation::{Outcome, Scripts, tell_of_plugins};
use crate::plugins::files_of_scripts;
use crate::toolkit::Toolkit;

/// The name of the format.
const FORMAT: &str = "jsonl";

/// How many bytes of a configuration file, script or baseline are hashed to identify the settings of a run.
const MAX_HASHED: u64 = 64 << 20;

/// Options of `--format jsonl`. Not available in JSON requests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct StreamRequest {
    /// Lint only part I of N, for example 2/8 (format: jsonl)
    #[cfg_attr(feature = "clap", arg(long, value_name = "I/N", value_parser = Shard::parse))]
    pub shard: Option<Shard>,
    /// Continue an interrupted run, appending to this file (format: jsonl)
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    pub resume: Option<PathBuf>,
}

/// A part of a run's skills. The parts are disjoint, and together they cover all skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// From 0 to `count` - 1.
    index: u64,
    count: u64,
}

impl Shard {
    /// Parses `I/N`, where I is from 1 to N.
    ///
    /// # Errors
    /// A description of the fault.
    pub fn parse(text: &str) -> std::result::Result<Self, String> {
        let parts = text.split_once('/');
        let number = |digits: &str| digits.parse::<u64>().ok();
        let numbers = parts.and_then(|(index, count)| Some((number(index)?, number(count)?)));
        match numbers {
            Some((index, count)) if (1..=count).contains(&index) => Ok(Self {
                index: index - 1,
                count,
            }),
            Some(_) => Err("in I/N, I must be from 1 to N".to_owned()),
            None => Err("expected two numbers, for example 2/8".to_owned()),
        }
    }

    /// Returns whether a skill is in this part. `path`: the path of the outermost skill that contains it, relative to
    /// the named folder. Nested skills are in the same part as that skill, so that a shared finding is reported once.
    fn has(self, path: &str) -> bool {
        let digits = Sha::digest(path.as_bytes()).to_string();
        let number = u64::from_str_radix(&digits[..16], 16).unwrap_or_default();
        number % self.count == self.index
    }
}

/// A line of the output.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum StreamLine<'a> {
    /// The first line.
    Run {
        /// The identity of the run.
        run: RunLine,
    },
    /// The result of one skill.
    Skill(SkillLine<'a>),
    /// The last line. It is missing if the run was interrupted.
    Summary {
        /// The totals.
        summary: StreamSummary,
    },
}

/// The identity of a run: results of runs with different settings cannot be combined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunLine {
    /// The version of the program.
    pub version: &'static str,
    /// A digest of the arguments and the configuration.
    pub settings: String,
}

/// The result of one skill.
#[derive(Debug, Serialize)]
pub struct SkillLine<'a> {
    /// The name of the skill's directory.
    pub skill: &'a str,
    /// The skill's directory.
    pub path: &'a str,
    /// The digest of the skill's files; `None` if they cannot be hashed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// A digest of the settings specific to this skill; `None` if there are no such settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<String>,
    /// Whether the skill is build output: at most the security rules check it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub skipped: bool,
    /// Why the skill could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<&'a str>,
    /// The findings.
    pub diagnostics: &'a [LintFinding],
    /// The number of findings with severity error.
    pub error_count: usize,
    /// The number of findings with severity warning.
    pub warning_count: usize,
}

impl<'a> SkillLine<'a> {
    /// Returns the line of a linted skill.
    pub fn from_report(report: &'a SkillReport) -> Self {
        Self {
            skill: &report.skill,
            path: &report.path,
            digest: report.digest.map(|digest| digest.to_string()),
            settings: None,
            skipped: report.skipped,
            error: report.failure.as_deref(),
            diagnostics: &report.diagnostics,
            error_count: report.error_count,
            warning_count: report.warning_count,
        }
    }
}

/// The totals of a run, including the skills that `--resume` skipped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct StreamSummary {
    /// The number of skills.
    pub skills: usize,
    /// The number of skills that an earlier run linted and that have not changed.
    pub unchanged: usize,
    /// The number of skills that could not be read.
    pub failed: usize,
    /// The number of findings with severity error; a skill that could not be read counts as one more.
    pub error_count: usize,
    /// The number of findings with severity warning.
    pub warning_count: usize,
}

impl StreamSummary {
    fn add(&mut self, counts: Counts) {
        let failed = usize::from(counts.has_failed);
        self.skills += 1;
        self.failed += failed;
        // The counts may come from a file that `--resume` reads, which may contain any number.
        let errors = counts.errors.saturating_add(failed);
        self.error_count = self.error_count.saturating_add(errors);
        self.warning_count = self.warning_count.saturating_add(counts.warnings);
    }
}

/// The result of a complete run.
#[derive(Debug)]
pub struct Streamed {
    /// The totals.
    pub summary: StreamSummary,
    /// The limit on warnings, if the run exceeds it.
    pub exceeded: Option<usize>,
    /// Ids of the selected clients whose reactions to faults are all unknown. Empty in a quiet run.
    pub unknown_clients: Vec<String>,
}

impl Streamed {
    /// Returns whether the run found errors, or too many warnings.
    pub const fn has_failed(&self) -> bool {
        self.summary.error_count > 0 || self.exceeded.is_some()
    }
}

/// Renders lines and writes them.
pub trait Lines {
    /// Renders a line, without a line break.
    ///
    /// # Errors
    /// E999 if the line cannot be rendered.
    fn text(&mut self, line: &StreamLine<'_>) -> Result<String>;

    /// Writes complete lines, and flushes them to the reader.
    ///
    /// # Errors
    /// E999 if they cannot be written. After an error, nothing else is written.
    fn write(&mut self, text: &str) -> Result<()>;

    /// Shows warnings about the skills whose lines follow.
    fn tell(&mut self, notes: Notes);
}

/// Checks that a format supports the options of a run.
///
/// # Errors
/// E100 for an option that the format does not support.
pub(super) fn check_format(request: &LintRequest, format: &str) -> Result<()> {
    let (ways, fixing) = (&request.ways, &request.fixing);
    let refused = |options: &[(&'static str, bool)]| {
        let given = options.iter().find(|(_, is_given)| *is_given);
        given.map(|(option, _)| *option)
    };
    let (message, hint) = if format == FORMAT {
        let option = refused(&[
            ("--fix", fixing.fix),
            ("--diff", fixing.diff),
            ("--matrix", request.layout.matrix),
            ("--statistics", request.summing.statistics),
            ("--watch", ways.watch.watch),
            (
                "--stdin",
                ways.input.stdin || ways.input.stdin_filename.is_some(),
            ),
            ("--write-baseline", ways.baseline.write_baseline),
            ("--changed-since", ways.changed.changed_since.is_some()),
        ]);
        let Some(option) = option else {
            return Ok(());
        };
        (
            format!("{option} does not support format '{FORMAT}'"),
            format!("Remove {option}, or use another format."),
        )
    } else {
        let option = refused(&[
            ("--shard", ways.stream.shard.is_some()),
            ("--resume", ways.stream.resume.is_some()),
        ]);
        let Some(option) = option else {
            return Ok(());
        };
        (
            format!("{option} does not support format '{format}'"),
            format!("Use --format {FORMAT}."),
        )
    };
    Err(Error::InvalidOption {
        message,
        hint: Some(hint.into()),
    })
}

/// Lints skills, and writes a line for each. With `--resume`, writes the lines to the given file.
///
/// The lines are in the order of the paths, regardless of the number of threads. An error ends the run without a
/// summary, and the lines that were written remain.
pub fn stream(
    toolkit: &Toolkit,
    request: &LintRequest,
    lines: &mut dyn Lines,
) -> Outcome<Streamed> {
    let mut notes = Notes::default();
    let ready = toolkit.check_named_plugins();
    let ready = ready.and_then(|()| toolkit.stores.iter().try_for_each(check_project));
    let result = ready.and_then(|()| run(toolkit, request, lines, &mut notes));
    tell_of_plugins(toolkit, Scripts::Answered, &mut notes);
    Outcome { result, notes }
}

fn run(
    toolkit: &Toolkit,
    request: &LintRequest,
    lines: &mut dyn Lines,
    notes: &mut Notes,
) -> Result<Streamed> {
    let choice = Choice {
        preset: request.preset,
        select: request.select.clone(),
        ignore: request.ignore.clone(),
        extend_select: request.extend_select.clone(),
    };
    let linters = Linters::new(toolkit, choice, request.for_clients.clone())?;
    let given = Known::open(toolkit, &request.ways.baseline)?;
    let cwd = &toolkit.context.cwd;
    // Report a fault in a configuration file above the skills once, not for each skill.
    let named = request.skill.iter().map(|asked| cwd.join(asked));
    let all = request.skill.is_empty().then(|| cwd.clone());
    for dir in named.chain(all).filter(|path| path.is_dir()) {
        linters.for_dir(&canonical(&dir))?;
    }
    let run = RunLine {
        version: env!("CARGO_PKG_VERSION"),
        settings: settings(toolkit, request, &linters),
    };
    let first = lines.text(&StreamLine::Run { run: run.clone() })? + "\n";
    let resumed = request.ways.stream.resume.as_deref();
    let resumed = resumed.map(|path| ResumeFile::open(toolkit, path, &run, &first));
    let resumed = resumed.transpose()?;
    let first = Some(first);
    let mut stream = Stream {
        toolkit,
        linters: &linters,
        lines,
        first: first.filter(|_| resumed.as_ref().is_none_or(ResumeFile::is_new)),
        resumed,
        given,
        configured: None,
        is_baseline_ignored: request.ways.baseline.no_baseline,
        compiled: if request.force {
            Compiled::Linted
        } else {
            Compiled::Skipped
        },
        shard: request.ways.stream.shard,
        seen: HashSet::new(),
        keys: RandomState::new(),
        groups: Vec::new(),
        waiting: 0,
        linted: 0,
        operations: 0,
        told: BTreeSet::new(),
        summary: StreamSummary::default(),
    };
    Scope::each(toolkit, &request.skill, notes, &mut |path, group| {
        stream.add(path, group)
    })?;
    stream.lint()?;
    let summary = stream.summary;
    let last = stream.lines.text(&StreamLine::Summary { summary })? + "\n";
    stream.write(&last)?;
    let max = request.ways.output.max_warnings;
    Ok(Streamed {
        summary,
        exceeded: max.filter(|max| summary.warning_count > *max),
        unknown_clients: if request.ways.output.quiet {
            Vec::new()
        } else {
            linters.unknown_clients()
        },
    })
}

/// Returns a digest of everything that applies to all skills and determines the findings: arguments, working directory,
/// rules, and the text of configuration files and scripts.
fn settings(toolkit: &Toolkit, request: &LintRequest, linters: &Linters<'_>) -> String {
    let mut request = request.clone();
    request.ways.stream.resume = None;
    request.ways.output = OutputRequest::default();
    let rules = linters.rules();
    let rules = rules.iter().map(|rule| (&rule.code, rule.severity));
    let mut text = format!("{}\n{request:?}\n", env!("CARGO_PKG_VERSION"));
    text += &format!("{}\n{:?}\n", toolkit.logged_cwd, rules.collect::<Vec<_>>());
    text += &linters.settings_of_all();
    let baseline = request.ways.baseline.baseline.iter();
    let baseline = baseline.map(|path| toolkit.context.cwd.join(path));
    let scripts = toolkit.plugins_in_use();
    let scripts = scripts
        .into_iter()
        .flat_map(|place| files_of_scripts(&place));
    for path in linters.files().into_iter().chain(scripts).chain(baseline) {
        if let Ok(bytes) = read_start(&path, MAX_HASHED) {
            text += &format!("{} {}\n", path.display(), Sha::digest(&bytes));
        }
    }
    Sha::digest(text.as_bytes()).to_string()
}

/// A run in progress.
struct Stream<'a> {
    toolkit: &'a Toolkit,
    linters: &'a Linters<'a>,
    lines: &'a mut dyn Lines,
    /// The first line, until it is written: a run that finds no skill prints nothing.
    first: Option<String>,
    resumed: Option<ResumeFile>,
    /// The baseline given on the command line.
    given: Option<Known>,
    /// The baseline that the configuration of the last skill sets.
    configured: Option<((BaselineFile, bool), Known)>,
    is_baseline_ignored: bool,
    compiled: Compiled,
    shard: Option<Shard>,
    /// Hashes of the canonical directories of the skills, 8 bytes per skill. They detect duplicates: two arguments, or
    /// a folder and a symlink, may lead to the same skill.
    seen: HashSet<u64>,
    keys: RandomState,
    /// The groups to lint next. Each contains a skill together with the skills nested in it.
    groups: Vec<Vec<FoundSkill>>,
    /// The number of skills in these groups.
    waiting: usize,
    /// The number of skills that this run has linted.
    linted: usize,
    /// The number of operations that the project's scripts have used.
    operations: u64,
    /// The indices of the script faults that have been reported.
    told: BTreeSet<usize>,
    summary: StreamSummary,
}

impl Stream<'_> {
    /// Adds a group, and lints the waiting groups once there are enough to keep all threads busy.
    fn add(&mut self, path: &str, mut group: Vec<FoundSkill>) -> Result<()> {
        let (seen, keys) = (&mut self.seen, &self.keys);
        group.retain(|found| seen.insert(keys.hash_one(&found.at.canonical)));
        if self.shard.is_some_and(|shard| !shard.has(path)) {
            return Ok(());
        }
        self.waiting += group.len();
        self.groups.push(group);
        if self.waiting < RunBudget::AT_ONCE {
            return Ok(());
        }
        self.lint()
    }

    /// Lints the waiting groups and writes their lines.
    fn lint(&mut self) -> Result<()> {
        self.waiting = 0;
        let groups = mem::take(&mut self.groups);
        let (resumed, linters) = (self.resumed.as_ref(), self.linters);
        let known: Vec<Vec<Option<Counts>>> = groups
            .par_iter()
            .map(|group| {
                let of =
                    |found| resumed.and_then(|file: &ResumeFile| file.unchanged(found, linters));
                group.iter().map(of).collect()
            })
            .collect();
        self.toolkit.stop.check()?;
        let (mut skills, mut kept) = (Vec::new(), Vec::new());
        for (group, known) in groups.into_iter().zip(known) {
            // If one skill of a group has changed, the whole group is linted again, so that shared findings are
            // reported once.
            if known.iter().all(Option::is_some) {
                known.into_iter().flatten().for_each(|of| self.keep(of));
            } else {
                skills.extend(group);
                kept.extend(known);
            }
        }
        if skills.is_empty() {
            return Ok(());
        }
        let scope = Scope::of_some(skills);
        let mut notes = Notes::default();
        // Ordinary scripts use less than their budget for each part of the run, so the results do not depend on how
        // many skills came before.
        self.linted += scope.skills.len();
        let stop = self.toolkit.stop.clone();
        let budget = RunBudget::of_part(stop, self.linted, self.operations);
        let before = budget.used();
        let mode = Mode::Streamed(&budget);
        let (toolkit, linters) = (self.toolkit, self.linters);
        let mut reports = reports(toolkit, linters, &scope, self.compiled, mode, &mut notes)?;
        self.operations += budget.used() - before;
        for (report, found) in reports.iter_mut().zip(&scope.skills) {
            self.hide_known(report, found)?;
        }
        tell_once(&mut reports, &toolkit.loaded().faults, &mut self.told);
        let mut text = String::new();
        for ((report, found), kept) in reports.iter().zip(&scope.skills).zip(kept) {
            if let Some(counts) = kept {
                self.keep(counts);
                continue;
            }
            self.summary.add(Counts::from_report(report));
            let resumed = self.resumed.as_ref();
            if resumed.is_none_or(|file| !file.has_same_failure(report)) {
                let settings = self.linters.settings_of(found).ok().flatten();
                let line = SkillLine {
                    settings: settings.map(|digest| digest.to_string()),
                    ..SkillLine::from_report(report)
                };
                text += &self.lines.text(&StreamLine::Skill(line))?;
                text.push('\n');
            }
        }
        self.lines.tell(notes);
        self.linters.forget();
        self.write(&text)
    }

    /// Counts a skill that an earlier run linted.
    fn keep(&mut self, counts: Counts) {
        self.summary.unchanged += 1;
        self.summary.add(counts);
    }

    /// Removes the findings that a baseline lists.
    fn hide_known(&mut self, report: &mut SkillReport, found: &FoundSkill) -> Result<()> {
        let dir = &found.at.canonical;
        if let Some(given) = &self.given {
            given.hide(self.toolkit, report, dir);
            return Ok(());
        }
        // An invalid configuration appears in the report of its skill.
        let Ok(Some(named)) = self.linters.baseline_of(found) else {
            return Ok(());
        };
        if self.is_baseline_ignored {
            return Ok(());
        }
        let read = self.configured.take().filter(|(of, _)| *of == named);
        let known = match read {
            Some((_, known)) => known,
            None => Known::of_skill(self.toolkit, &named)?,
        };
        known.hide(self.toolkit, report, dir);
        self.configured = Some((named, known));
        Ok(())
    }

    fn write(&mut self, lines: &str) -> Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        let lines = self.first.take().unwrap_or_default() + lines;
        match &mut self.resumed {
            Some(file) => file.append(&lines),
            None => self.lines.write(&lines),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_numbered_from_one() {
        let parsed = Shard::parse("2/8").unwrap();
        assert_eq!((parsed.index, parsed.count), (1, 8));
        for wrong in ["0/3", "4/3", "0/0", "1/0", "-1/3", "1", "/", "1/2/3", "a/b"] {
            assert!(Shard::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn each_path_is_in_exactly_one_part() {
        for count in [1, 2, 3, 7] {
            let parts: Vec<Shard> = (1..=count)
                .map(|index| Shard::parse(&format!("{index}/{count}")).unwrap())
                .collect();
            let mut sizes = vec![0; parts.len()];
            for number in 0..500 {
                let path = format!("author-{number}/skill");
                let has: Vec<usize> = (0..parts.len())
                    .filter(|at| parts[*at].has(&path))
                    .collect();
                assert_eq!(has.len(), 1, "{path}: {has:?}");
                sizes[has[0]] += 1;
            }
            assert!(sizes.iter().all(|size| *size > 0), "{sizes:?}");
        }
    }

    /// A file that `--resume` reads may contain any counts.
    #[test]
    fn huge_counts_do_not_overflow() {
        let mut summary = StreamSummary::default();
        for _ in 0..2 {
            summary.add(Counts {
                errors: usize::MAX,
                warnings: usize::MAX,
                has_failed: true,
            });
        }
        let expected = StreamSummary {
            skills: 2,
            unchanged: 0,
            failed: 2,
            error_count: usize::MAX,
            warning_count: usize::MAX,
        };
        assert_eq!(summary, expected);
    }

    /// Another machine, or a later version, must choose the same part.
    #[test]
    fn the_part_of_a_path_is_stable() {
        let part = |path: &str| {
            let of = |index: u64| Shard::parse(&format!("{index}/1000")).unwrap();
            (1..=1000).find(|index| of(*index).has(path))
        };
        // SHA-256 of "a" begins with ca978112ca1bbdca.
        let expected = 0xca97_8112_ca1b_bdca_u64 % 1000 + 1;
        assert_eq!(part("a"), Some(expected));
    }
}
