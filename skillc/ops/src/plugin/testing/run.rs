//! Runs test cases: the findings and fixes of a rule, the sections of an indexer.
//!
//! The skill of a case is written to a temporary directory and read like any other skill, so that tests use the real
//! code path.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use skillc_core::budget::{MAX_OPERATIONS, ScriptBudget};
use skillc_core::layout::SKILL_FILE;
use skillc_core::resolve::skill_at;
use skillc_core::{Context, Error, Indexer, Result, Skill, SourceFile};
use skillc_lint::repair::{CheckBudget, Repair, repair, texts_with};
use skillc_lint::rule::SCRIPT_FAILED;
use skillc_lint::{Choice, Diagnostic, Linter, PluginRegistry, RunSkill, Safety, Settings};
use skillc_script::{Printed, Script, ScriptFault};
use tempfile::TempDir;

use super::cases::{Case, FormatCase, RuleCase, SectionText, Subject, lines_of, told};
use super::report::{Difference, RefusedFix};
use crate::staged::PREFIX;

/// The result of a case.
pub(super) enum Came {
    OfRule {
        found: Vec<String>,
        /// The text after all fixes, if the case asks for it.
        fixed: Option<String>,
        /// The fixes that were not applied, with reasons.
        refused: Vec<RefusedFix>,
    },
    OfFormat(Vec<SectionText>),
}

/// The environment that cases run in.
pub(super) struct Bench<'a> {
    context: &'a Context,
    script: &'a Script,
    /// The linked plug-ins, and those of the script.
    plugins: PluginRegistry,
    dir: TempDir,
    pub(super) printed: Printed,
    /// The number of operations that all scripts have used so far, in all runs of their cases.
    used: &'a AtomicU64,
}

impl<'a> Bench<'a> {
    /// Sets up an environment for the cases of a script.
    ///
    /// # Errors
    /// Returns the reason why the registry refuses the script.
    pub(super) fn new(
        context: &'a Context,
        script: &'a Script,
        linked: &PluginRegistry,
        printed: Printed,
        used: &'a AtomicU64,
    ) -> Result<std::result::Result<Self, ScriptFault>> {
        let mut plugins = linked.clone();
        if let Err(fault) = script.register(&mut plugins) {
            return Ok(Err(fault));
        }
        let dir = tempfile::Builder::new().prefix(PREFIX).tempdir();
        let dir = dir.map_err(|e| Error::io("creating", Path::new("a temporary directory"), &e))?;
        Ok(Ok(Self {
            context,
            script,
            plugins,
            dir,
            printed,
            used,
        }))
    }

    /// Returns whether the scripts have used more operations than allowed in one run.
    fn is_spent(&self) -> bool {
        self.used.load(Ordering::Relaxed) > MAX_OPERATIONS
    }

    /// Runs a case.
    ///
    /// # Errors
    /// Returns the reason why the script failed, or why the skill cannot be created.
    pub(super) fn run(&self, case: &Case) -> std::result::Result<Came, String> {
        match &case.subject {
            Subject::Rule(of) => self.rule(case, of),
            Subject::Format(of) => self.format(case, of),
        }
    }

    fn format(&self, case: &Case, of: &FormatCase) -> std::result::Result<Came, String> {
        let mut indexers = self.script.indexers().iter();
        let indexer = indexers.find(|indexer| indexer.meta().id == of.id);
        let indexer = indexer.ok_or("no such indexer")?;
        let file = SourceFile::new(case.file.clone(), case.text.clone().into_bytes());
        let mut sections = Vec::new();
        let made = indexer.sections(&file, &mut |section| {
            sections.push(SectionText::from_section(&section));
        });
        made.map_err(|error| error.message)?;
        Ok(Came::OfFormat(sections))
    }

    fn rule(&self, case: &Case, of: &RuleCase) -> std::result::Result<Came, String> {
        let choice = Choice {
            select: vec![of.code.clone()],
            ..Choice::default()
        };
        let options = of.options.iter();
        let options = options.map(|(key, value)| (key.clone(), Arc::new(value.clone())));
        let settings = Settings {
            clients: of.clients.clone(),
            options: BTreeMap::from([(of.code.clone(), options.collect())]),
            ..Settings::default()
        };
        let linter = Linter::new(&self.plugins, &choice, settings);
        let linter = linter.map_err(|error| error.message())?;
        let skill = self.skill(case, of).map_err(|error| error.message())?;
        let among = self.among(case, of, &linter, &skill);
        let among = among.map_err(|error| error.message())?;
        let found = linter.run_among(&skill, among, &ScriptBudget::default());
        // Fixing runs the rule again, which would repeat the script's output.
        self.printed.pause();
        check(&found)?;
        let is_own = |finding: &&Diagnostic| finding.rule == of.code;
        let findings = found.iter().filter(is_own);
        let findings = findings.map(|finding| told(finding, &case.file)).collect();
        let (mut fixed, mut refused) = (None, Vec::new());
        if of.fixed.is_some() {
            // Fixes are tried many times, so the limit must also hold within a case. Without findings, `repair` ends.
            let all = |skill: &Skill| {
                let left = (!self.is_spent()).then(|| linter.run(skill));
                left.unwrap_or_default()
            };
            let repair = repair(
                &skill,
                &all,
                Safety::Unsafe,
                &BTreeMap::new(),
                &mut CheckBudget::default(),
            );
            if self.is_spent() {
                return Err(too_long());
            }
            check(&repair.left)?;
            refused = refused_fixes(&skill, &repair, case);
            let text = repair.texts.get(&case.file).unwrap_or(&case.text);
            fixed = Some(text.clone());
        }
        fs::remove_dir_all(self.folder(case)).unwrap_or_default();
        Ok(Came::OfRule {
            found: findings,
            fixed,
            refused,
        })
    }

    /// Returns the folder of a case, named after the case's line number, which is unique.
    fn folder(&self, case: &Case) -> PathBuf {
        self.dir.path().join(case.line.to_string())
    }

    /// Runs the rule over the skill together with the other skills of the case. Returns the findings in the skill.
    fn among(
        &self,
        case: &Case,
        of: &RuleCase,
        linter: &Linter,
        skill: &Skill,
    ) -> Result<Vec<Diagnostic>> {
        let mut run: Vec<RunSkill> = RunSkill::from_skill(skill).into_iter().collect();
        for (name, text) in &of.beside {
            let root = self.folder(case).join(name);
            write(&root.join(SKILL_FILE), text)?;
            let other = Skill::read(skill_at(self.context, name, &root))?;
            run.extend(RunSkill::from_skill(&other));
        }
        if run.len() < 2 {
            return Ok(Vec::new());
        }
        run.sort_by(|one, other| one.dir.cmp(&other.dir));
        let found = linter.check_run(&run, &ScriptBudget::default());
        let own = run.iter().position(|one| one.dir == skill.at.canonical);
        // A script failure is reported with the first skill, which need not be the skill under test.
        let is_own = |at: usize, of: &Diagnostic| Some(at) == own || of.rule == SCRIPT_FAILED.0;
        let found = found.into_iter().filter(|(at, of)| is_own(*at, of));
        Ok(found.map(|(_, found)| found).collect())
    }

    /// Writes the skill of a case, and reads it.
    fn skill(&self, case: &Case, of: &RuleCase) -> Result<Skill> {
        let root = self.folder(case).join(&of.skill);
        let others = of.files.iter().filter(|(path, _)| **path != case.file);
        for (path, text) in others.chain([(&case.file, &case.text)]) {
            write(&path.under(&root), text)?;
        }
        Skill::read(skill_at(self.context, &of.skill, &root))
    }
}

/// The error of a case whose fixes cannot be tried within the limit.
fn too_long() -> String {
    format!(
        "trying the fixes took more than {MAX_OPERATIONS} operations, the limit for one run; test fewer findings in \
         this case, or correct fixes that do not remove their findings"
    )
}

/// Writes a file, creating parent directories.
fn write(path: &Path, text: &str) -> Result<()> {
    let dir = path.parent().map_or(Ok(()), fs::create_dir_all);
    let written = dir.and_then(|()| fs::write(path, text));
    written.map_err(|e| Error::io("writing", path, &e))
}

/// Fails if a rule's script failed.
fn check(found: &[Diagnostic]) -> std::result::Result<(), String> {
    let faults = found
        .iter()
        .filter(|finding| finding.rule == SCRIPT_FAILED.0);
    let faults: Vec<&str> = faults.map(|finding| &*finding.message).collect();
    if faults.is_empty() {
        return Ok(());
    }
    Err(faults.join("\n"))
}

fn refused_fixes(skill: &Skill, repair: &Repair, case: &Case) -> Vec<RefusedFix> {
    let skill = skill.with_texts(&repair.texts);
    let refused = repair.refused.iter().map(|of| {
        let fix = of.finding.fix.as_ref();
        let texts = fix.and_then(|fix| texts_with(&skill, fix, &BTreeMap::new()));
        let files = texts.into_iter().flatten().map(|(file, after)| {
            let before = skill.document(&file).map_or("", |document| &document.text);
            Difference {
                of: file.to_string(),
                expected: Some(lines_of(before)),
                found: lines_of(&after),
            }
        });
        RefusedFix {
            finding: told(&of.finding, &case.file),
            reason: of.reason.clone(),
            proposed: files.collect(),
        }
    });
    refused.collect()
}
