//! The lint engine: runs the selected rules over a skill and sorts their findings.
//!
//! Documents are checked in parallel; the output does not depend on thread scheduling. The engine, not the rules,
//! applies the configured levels, using the plan.
//!
//! Design: C-DIAGNOSTICS, R38, R41.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use rayon::prelude::*;
use skillc_core::budget::ScriptBudget;
use skillc_core::clients::{Client, Clients};
use skillc_core::skill::Skill;
use skillc_core::source::document::Document;
use skillc_core::source::lines::Cursor;

use crate::plugin_registry::PluginRegistry;

use crate::choice::Choice;
use crate::directive::Directives;
use crate::failing::{Faults, RunFaults};
use crate::plan::{Plan, Planned, SkillPlan};
use crate::rule::bounded::{BoundedFindings, batches};
use crate::rule::code::is_security;
use crate::rule::diagnostic::{Diagnostic, Severity};
use crate::rule::run::{RunFindings, RunSkill};
use crate::rule::settings::Settings;
use crate::rule::{Findings, Rule};

/// Documents are checked in parallel if there are at least this many.
const PARALLEL: usize = 16;

/// The rules whose findings are kept for a file that is not text. They report invalid frontmatter and invalid UTF-8.
const ABOUT_BYTES: [&str; 3] = ["SKL100", "AGS111", "TXT103"];

/// Runs the rules of a plan over the skills of a run.
pub struct Linter {
    pub(crate) plan: Plan,
    pub(crate) faults: RunFaults,
}

impl From<Plan> for Linter {
    fn from(plan: Plan) -> Self {
        Self {
            plan,
            faults: RunFaults::default(),
        }
    }
}

impl Linter {
    /// Creates a linter that uses no configuration files.
    ///
    /// # Errors
    /// E100 with the selector that matches no rule.
    pub fn new(
        plugins: &PluginRegistry,
        choice: &Choice,
        settings: Settings,
    ) -> skillc_core::Result<Self> {
        let mut plan = Plan::new(plugins, Clients::shared(), choice, &[], &[])?;
        plan.settings = Settings {
            preset: choice.preset.unwrap_or(settings.preset),
            ..settings
        };
        Ok(plan.into())
    }

    /// Returns the rules by code, each with its severity; `None` if the severity depends on the file.
    pub fn rules(&self) -> impl Iterator<Item = (&dyn Rule, Option<Severity>)> {
        let rules = self.plan.rules.iter();
        rules.map(|planned| (&*planned.rule, planned.severity))
    }

    /// Returns the clients that the skills target; empty if none was specified.
    pub fn clients(&self) -> &[Client] {
        &self.plan.settings.clients
    }

    /// Reports whether a rule runs on a file, given by its absolute path; the file need not exist.
    pub fn is_on(&self, rule: &str, path: &Path) -> bool {
        self.plan.is_on(rule, path)
    }

    /// Runs the rules over a skill.
    ///
    /// Returns the diagnostics: first those about the skill as a whole, then those of `SKILL.md`, then those of the
    /// other files, sorted bytewise by path; within a file by line, then by rule, then by position. Duplicates are
    /// removed. For each rule, at most 10,000 errors and 10,000 warnings are returned. If a rule reports more errors,
    /// an additional error says so; the same applies to warnings.
    pub fn run(&self, skill: &Skill) -> Vec<Diagnostic> {
        self.run_within(skill, &ScriptBudget::default())
    }

    /// Runs the rules over a skill that is linted several times. `budget`: the script budget that all these runs share.
    ///
    /// Returns the diagnostics, like [`Linter::run`].
    pub fn run_within(&self, skill: &Skill, budget: &ScriptBudget) -> Vec<Diagnostic> {
        self.run_among(skill, Vec::new(), budget)
    }

    /// Runs the rules that compare the skills of a run.
    ///
    /// `budget`: limits the scripts. Returns the findings, each with the index of its skill; the report of a failed
    /// rule has the index of the first skill. The caller passes the findings of each skill to [`Linter::run_among`].
    pub fn check_run(
        &self,
        skills: &[RunSkill],
        budget: &ScriptBudget,
    ) -> Vec<(usize, Diagnostic)> {
        let faults = Faults::for_skill(&self.faults, budget);
        let (mut found, mut numbers) = (Vec::new(), Vec::new());
        for Planned { rule, .. } in &self.plan.rules {
            if budget.stop().is_raised() {
                break;
            }
            let settings = &self.plan.settings;
            let out = Findings::new(rule.meta(), settings, None, &faults, &mut found);
            let mut out = RunFindings::new(out, &mut numbers);
            let check = || rule.check_run(skills, &mut out);
            if let Err(reason) = guarded(&**rule, check) {
                out.rule_findings().limit_fault(reason);
            }
        }
        let mut told = Vec::new();
        let lost = self.tell(faults, &mut told);
        let found = numbers.into_iter().zip(found);
        let found = found.filter(|(_, diagnostic)| !lost.contains(&*diagnostic.rule));
        found.chain(told.into_iter().map(|of| (0, of))).collect()
    }

    /// Runs the rules over one of several skills. `among`: the findings of [`Linter::check_run`] in this skill.
    ///
    /// Returns the diagnostics, like [`Linter::run`].
    pub fn run_among(
        &self,
        skill: &Skill,
        among: Vec<Diagnostic>,
        budget: &ScriptBudget,
    ) -> Vec<Diagnostic> {
        let documents: Vec<&Document> = skill.documents().collect();
        let faults = Faults::for_skill(&self.faults, budget);
        let mut found = BoundedFindings::default();
        if documents.len() < PARALLEL {
            for document in &documents {
                found.add(self.check(document, skill, &faults));
            }
        } else {
            // Compute the reference graph first: otherwise, all threads would block on the first thread that needs it.
            skill.references();
            for batch in batches(&documents) {
                let checked: Vec<Vec<Diagnostic>> = batch
                    .par_iter()
                    .map(|document| self.check(document, skill, &faults))
                    .collect();
                for of_file in checked {
                    found.add(of_file);
                }
            }
        }
        for rule in self.rules_by_budget(false) {
            let mut of_skill = Vec::new();
            self.check_skill(rule, skill, &faults, &mut of_skill);
            found.add(of_skill);
        }
        found.add(self.check_by_budget(&documents, skill, &faults));
        let mut found = found.diagnostics;
        found.extend(among);
        let lost = self.tell(faults, &mut found);
        let plan = self.plan.for_skill(skill, budget.stop());
        plan.apply(&mut found);
        sort(&mut found, skill, false);
        find_places(&mut found, skill);
        // A skill must not be able to suppress findings about its own security.
        let (safety, mut found): (Vec<Diagnostic>, Vec<Diagnostic>) =
            found.into_iter().partition(|of| is_security(&of.rule));
        let directives = plan.suppress(&mut found, &lost);
        found.extend(safety);
        found.extend(self.check_directives(&directives, &plan, skill));
        sort(&mut found, skill, true);
        found.dedup();
        found
    }

    /// Runs only the security rules over a skill, without suppressing any finding. `budget`: as for
    /// [`Linter::run_within`].
    ///
    /// Returns the diagnostics, like [`Linter::run`].
    pub fn run_security(&self, skill: &Skill, budget: &ScriptBudget) -> Vec<Diagnostic> {
        let faults = Faults::for_skill(&self.faults, budget);
        let mut found = Vec::new();
        for rule in self.rules_by_budget(false) {
            if is_security(&rule.meta().code) {
                self.check_skill(rule, skill, &faults, &mut found);
            }
        }
        self.tell(faults, &mut found);
        self.plan.for_skill(skill, budget.stop()).apply(&mut found);
        sort(&mut found, skill, false);
        find_places(&mut found, skill);
        sort(&mut found, skill, true);
        found.dedup();
        found
    }

    /// Runs the rules over directives, after suppression: only then is it known which directives are used. The findings
    /// of these rules cannot be suppressed.
    fn check_directives(
        &self,
        directives: &[Directives<'_>],
        plan: &SkillPlan<'_, '_>,
        skill: &Skill,
    ) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        // This budget remains unused, because scripts cannot check directives.
        let budget = ScriptBudget::default();
        let faults = Faults::for_skill(&self.faults, &budget);
        for of_file in directives {
            for Planned { rule, .. } in &self.plan.rules {
                let (settings, document) = (&self.plan.settings, Some(of_file.document));
                let mut out = Findings::new(rule.meta(), settings, document, &faults, &mut found);
                let check = || rule.check_directives(of_file, &mut out);
                if let Err(reason) = guarded(&**rule, check) {
                    out.limit_fault(reason);
                }
            }
        }
        self.tell(faults, &mut found);
        plan.apply(&mut found);
        sort(&mut found, skill, false);
        find_places(&mut found, skill);
        found
    }

    /// Returns the rules that use the script budget; if `is_budgeted` is false, the other rules.
    fn rules_by_budget(&self, is_budgeted: bool) -> impl Iterator<Item = &dyn Rule> {
        let rules = self.plan.rules.iter().map(|planned| &*planned.rule);
        rules.filter(move |rule| rule.is_budgeted() == is_budgeted)
    }

    /// Runs the rules that use the script budget.
    ///
    /// Each rule checks the documents sequentially, because a rule that exceeds a limit skips the remaining documents:
    /// in parallel, its total cost would depend on which documents other threads had started.
    fn check_by_budget(
        &self,
        documents: &[&Document],
        skill: &Skill,
        faults: &Faults<'_>,
    ) -> Vec<Diagnostic> {
        let rules: Vec<&dyn Rule> = self.rules_by_budget(true).collect();
        if rules.is_empty() {
            return Vec::new();
        }
        // Compute the reference graph first: otherwise, all threads would block on the first thread that needs it.
        skill.references();
        let check = |rule: &&dyn Rule| {
            let mut found = Vec::new();
            for document in documents {
                found.extend(self.check_with([*rule], document, skill, faults));
            }
            self.check_skill(*rule, skill, faults, &mut found);
            found
        };
        rules.par_iter().flat_map_iter(check).collect()
    }

    fn check_skill(
        &self,
        rule: &dyn Rule,
        skill: &Skill,
        faults: &Faults<'_>,
        found: &mut Vec<Diagnostic>,
    ) {
        if faults.budget.stop().is_raised() {
            return;
        }
        let mut out = Findings::new(rule.meta(), &self.plan.settings, None, faults, found);
        if let Err(reason) = guarded(rule, || rule.check_skill(skill, &mut out)) {
            out.limit_fault(reason);
        }
    }

    /// Runs, over one document, the rules that do not use the script budget.
    pub(crate) fn check(
        &self,
        document: &Document,
        skill: &Skill,
        faults: &Faults<'_>,
    ) -> Vec<Diagnostic> {
        self.check_with(self.rules_by_budget(false), document, skill, faults)
    }

    fn check_with<'r>(
        &self,
        rules: impl IntoIterator<Item = &'r dyn Rule>,
        document: &Document,
        skill: &Skill,
        faults: &Faults<'_>,
    ) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        for rule in rules {
            // The findings of a cancelled run are discarded.
            if faults.budget.stop().is_raised() {
                break;
            }
            let settings = &self.plan.settings;
            let mut out = Findings::new(rule.meta(), settings, Some(document), faults, &mut found);
            let check = || {
                if skill.is_main(document) {
                    rule.check_main(document, skill, &mut out);
                }
                rule.check_document(document, skill, &mut out);
            };
            if let Err(reason) = guarded(rule, check) {
                out.limit_fault(reason);
            }
        }
        if !document.encoding.is_text() {
            // Other rules would report, for example, that an image has no heading.
            found.retain(|finding| ABOUT_BYTES.contains(&&*finding.rule));
        }
        found
    }

    /// Adds findings for the faults of rules, and drops the findings of rules that exceeded their own limit or the
    /// limit that the project's scripts share.
    ///
    /// Returns the codes of the rules whose findings were dropped.
    fn tell(&self, faults: Faults<'_>, found: &mut Vec<Diagnostic>) -> BTreeSet<String> {
        let mut lost = BTreeSet::new();
        let budget = faults.budget;
        let is_spent = budget.is_spent();
        if is_spent {
            lost.extend(
                self.rules_by_budget(true)
                    .map(|rule| rule.meta().code.to_string()),
            );
        }
        let mut messages = Vec::new();
        for (rule, message, fault) in faults.into_all() {
            // Omit these faults: which of them occurred before the budget was spent depends on thread scheduling.
            if is_spent && lost.contains(&rule) {
                continue;
            }
            messages.push(Diagnostic::from_fault(fault.file, message));
            if fault.is_limit {
                lost.insert(rule);
            }
        }
        found.retain(|diagnostic| !lost.contains(&*diagnostic.rule));
        found.extend(messages);
        if is_spent {
            let message = format!("{}; their findings here are discarded", budget.spent());
            found.push(Diagnostic::from_fault(None, message));
        }
        lost
    }
}

/// Runs a check and catches a panic. If the rule panics, its findings in this skill are discarded and the failure is
/// reported: text that breaks one rule must not hide the findings of all other rules.
///
/// # Errors
/// The message to report.
fn guarded(rule: &dyn Rule, check: impl FnOnce()) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(check)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        let (code, text) = (&rule.meta().code, text.unwrap_or("it panicked"));
        let reason = text.lines().next().unwrap_or_default();
        format!("{code} failed and reports nothing here: {reason}; please report this bug")
    })
}

/// Sorts diagnostics; within a file, by line if `by_line` is set, otherwise by offset.
pub(crate) fn sort(found: &mut [Diagnostic], skill: &Skill, by_line: bool) {
    let main = skill.main().map(|main| &main.path);
    let is_elsewhere = |d: &Diagnostic| d.file.is_some() && d.file.as_ref() != main;
    let place = |d: &Diagnostic| if by_line { d.line } else { d.span.start };
    let key = |d: &Diagnostic| (d.file.is_some(), is_elsewhere(d));
    found.sort_by(|a, b| {
        key(a)
            .cmp(&key(b))
            .then_with(|| a.file.cmp(&b.file))
            .then_with(|| place(a).cmp(&place(b)))
            .then_with(|| a.rule.cmp(&b.rule))
            .then_with(|| a.span.cmp(&b.span))
            .then_with(|| a.message.cmp(&b.message))
    });
}

/// Sets the line and column of sorted diagnostics in one pass over each file, however long its lines are.
pub(crate) fn find_places(found: &mut [Diagnostic], skill: &Skill) {
    for of_file in found.chunk_by_mut(|a, b| a.file == b.file) {
        let path = of_file.first().and_then(|d| d.file.clone());
        let Some(document) = path.and_then(|path| skill.document(&path)) else {
            continue;
        };
        let mut cursor = Cursor::new(&document.text, &document.lines);
        for diagnostic in of_file {
            (diagnostic.line, diagnostic.column) = cursor.place(diagnostic.span.start);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::borrow::Cow;
    use std::sync::Arc;

    use crate::rule::{Activation, RuleMeta, SCRIPT_FAILED};
    use skillc_core::testkit::{read_skill, write_files};

    /// A rule that reports each document, and panics if the text contains `break` and the code of the rule.
    struct Fragile(RuleMeta);

    impl Rule for Fragile {
        fn meta(&self) -> &RuleMeta {
            &self.0
        }

        fn check_document(&self, document: &Document, _: &Skill, out: &mut Findings<'_>) {
            if self.0.code == SCRIPT_FAILED.0 {
                return;
            }
            out.file(&document.path, "seen");
            let word = format!("break {}", self.0.code);
            assert!(!document.text.contains(&word), "the text breaks it");
        }
    }

    fn fragile(code: &'static str) -> Arc<dyn Rule> {
        Arc::new(Fragile(RuleMeta {
            code: Cow::Borrowed(code),
            name: Cow::Owned(code.to_lowercase()),
            severity: Severity::Warning,
            activation: Activation::Always,
            doc: Cow::Borrowed("Is fragile."),
            since: Cow::Borrowed("0.3.0"),
        }))
    }

    #[test]
    fn a_panicking_rule_loses_only_its_findings_in_that_skill() {
        let mut plugins = PluginRegistry::default();
        for code in ["TXT801", "TXT802", SCRIPT_FAILED.0] {
            plugins.add_rule(fragile(code), "test").unwrap();
        }
        let linter = Linter::new(&plugins, &Choice::default(), Settings::default()).unwrap();
        let head = "---\nname: a\ndescription: A.\n---\n\n# a\n";
        let of = |text: &str| {
            let dir = tempfile::tempdir().unwrap();
            write_files(dir.path(), &[("SKILL.md", head), ("b.md", text)]);
            let found = linter.run(&read_skill(dir.path()));
            let lines = found.iter().map(|d| format!("{}: {}", d.rule, d.message));
            lines.collect::<Vec<_>>()
        };
        let whole = [
            "TXT801: seen",
            "TXT802: seen",
            "TXT801: seen",
            "TXT802: seen",
        ];
        assert_eq!(of("fine"), whole);
        let cut = of("break TXT801");
        assert_eq!(cut.len(), 3, "{cut:?}");
        let expected = "CFG201: TXT801 failed and reports nothing here: the text breaks it";
        assert!(cut[0].starts_with(expected), "{cut:?}");
        assert_eq!(cut[1..], ["TXT802: seen", "TXT802: seen"]);
        assert_eq!(of("fine"), whole);
    }

    #[test]
    fn a_cancelled_run_calls_no_more_rules() {
        let mut plugins = PluginRegistry::default();
        plugins.add_rule(fragile("TXT801"), "test").unwrap();
        let linter = Linter::new(&plugins, &Choice::default(), Settings::default()).unwrap();
        let dir = tempfile::tempdir().unwrap();
        write_files(dir.path(), &[("SKILL.md", "# A\n"), ("b.md", "# B\n")]);
        let skill = read_skill(dir.path());
        let stop = skillc_core::Stop::default();
        let budget = skillc_core::budget::RunBudget::new(stop.clone()).share(1);
        assert_eq!(linter.run_within(&skill, &budget).len(), 2);
        stop.raise();
        assert_eq!(linter.run_within(&skill, &budget), []);
    }

    /// A rule that reports each document, at a cost charged to the budget. It exceeds its own limit in the document
    /// `stops_at`.
    struct Costly {
        meta: RuleMeta,
        cost: u64,
        stops_at: &'static str,
    }

    impl Rule for Costly {
        fn meta(&self) -> &RuleMeta {
            &self.meta
        }

        fn is_budgeted(&self) -> bool {
            true
        }

        fn check_document(&self, document: &Document, _: &Skill, out: &mut Findings<'_>) {
            if out.asked() != crate::failing::Asked::Still || out.budget().is_spent() {
                return;
            }
            out.budget().charge(self.cost);
            out.file(&document.path, "seen");
            if document.path.as_str() == self.stops_at {
                out.limit_fault(format!("limit in {}", document.path));
            }
        }
    }

    #[test]
    fn the_total_script_budget_does_not_depend_on_the_thread_count() {
        let dir = tempfile::tempdir().unwrap();
        write_files(dir.path(), &[("SKILL.md", "# A\n")]);
        for n in 0..39 {
            write_files(dir.path(), &[(&format!("b{n:02}.md"), "# B\n")]);
        }
        let skill = read_skill(dir.path());
        // 5 rules times 40 documents, and one rule that stops at its third document.
        let calls = 5 * 40 + 3;
        let just_enough = skillc_core::budget::MAX_OPERATIONS / calls;
        let lint = |cost: u64, threads: usize| {
            let mut plugins = PluginRegistry::default();
            for n in 0..6 {
                let code = format!("TXT80{n}");
                let rule = Costly {
                    meta: RuleMeta {
                        name: Cow::Owned(code.to_lowercase()),
                        code: Cow::Owned(code),
                        severity: Severity::Warning,
                        activation: Activation::Always,
                        doc: Cow::Borrowed("Is costly."),
                        since: Cow::Borrowed("0.3.0"),
                    },
                    cost,
                    stops_at: if n == 3 { "b01.md" } else { "" },
                };
                plugins.add_rule(Arc::new(rule), "test").unwrap();
            }
            let told = Fragile(RuleMeta {
                code: Cow::Borrowed(SCRIPT_FAILED.0),
                name: Cow::Borrowed(SCRIPT_FAILED.1),
                severity: Severity::Error,
                activation: Activation::Always,
                doc: Cow::Borrowed("Reports faults."),
                since: Cow::Borrowed("0.3.0"),
            });
            plugins.add_rule(Arc::new(told), "test").unwrap();
            let linter = Linter::new(&plugins, &Choice::default(), Settings::default()).unwrap();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            pool.build().unwrap().install(|| linter.run(&skill))
        };
        for threads in [1, 2, 8] {
            let enough = lint(just_enough, threads);
            assert_eq!(enough.len(), 5 * 40 + 1, "{threads}");
            let fault = enough.iter().find(|found| found.rule == SCRIPT_FAILED.0);
            assert_eq!(fault.unwrap().message, "limit in b01.md");
            let [only] = &lint(just_enough + 1, threads)[..] else {
                panic!("{threads} threads");
            };
            assert!(only.message.contains("for one skill"), "{}", only.message);
        }
    }
}
