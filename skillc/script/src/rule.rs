//! Lint rules implemented as scripts.

use std::sync::Arc;

use rhai::{Array, Dynamic, Map};
use skillc_core::{Document, Skill};
use skillc_lint::failing::Asked;
use skillc_lint::{
    Findings, OptionKind, Options, Rule, RuleMeta, RuleOption, RunFindings, RunSkill,
};

use crate::declared::{OptionDefault, ScriptedOption};
use crate::fault::ScriptFault;
use crate::host::{Doc, Out, RunSkillView, SkillView};
use crate::limits::OPERATIONS_PER_CALL;
use crate::source::{Call, Function, Source};

/// A rule written in Rhai. Its functions receive read-only views, and can only create drafts of findings.
pub struct ScriptedRule {
    script: Arc<Source>,
    line: usize,
    meta: RuleMeta,
    options: Vec<RuleOption>,
    /// The key and the default of each option that the script declares.
    defaults: Vec<(String, OptionDefault)>,
    /// The functions that the rule has, such as `check_main`.
    checks: Vec<Function>,
}

impl ScriptedRule {
    pub(crate) fn new(
        script: &Arc<Source>,
        line: usize,
        meta: RuleMeta,
        options: Vec<ScriptedOption>,
        checks: Vec<Function>,
    ) -> Self {
        let (defaults, options) = options
            .into_iter()
            .map(|option| ((option.key, option.default), option.about))
            .unzip();
        Self {
            script: Arc::clone(script),
            line,
            meta,
            defaults,
            options,
            checks,
        }
    }

    /// Returns the 1-based line of the rule's declaration in the script.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns the function of the script with the name of this method of [`Rule`].
    fn function(&self, key: &str) -> Option<Function> {
        let mut checks = self.checks.iter();
        checks.find(|check| check.key == key).copied()
    }

    /// Calls a function of the rule. The arguments are the document (if the function checks documents), the skill, and
    /// the sink for findings.
    fn check(
        &self,
        function: &str,
        document: Option<&Document>,
        skill: &Skill,
        out: &mut Findings<'_>,
    ) {
        let Some(function) = self.function(function) else {
            return;
        };
        if !self.script.is_for(&skill.at.canonical) || !self.is_asked(out) {
            return;
        }
        let stop = out.budget().stop();
        let view = SkillView::new(skill);
        let drafts = Out::new(self.given(out.options()), out.clients());
        let call = if let Some(document) = document {
            let document = Doc::new(view.shared(document), view.clone());
            let arguments = || (document.clone(), view.clone(), drafts.emptied());
            self.script.call(function, stop, arguments)
        } else {
            let arguments = || (view.clone(), drafts.emptied());
            self.script.call(function, stop, arguments)
        };
        if self.has_ended(call, &drafts, out) {
            let reported = drafts.report(skill, out);
            self.tell_refused(reported, out);
        }
    }

    /// Returns whether to run the rule for a skill or a run. If the rule has timed out too often, reports a fault.
    fn is_asked(&self, out: &Findings<'_>) -> bool {
        let budget = out.budget();
        if budget.stop().is_raised() || self.is_budgeted() && budget.is_spent() {
            return false;
        }
        let asked = out.asked();
        if asked == Asked::NotInRun {
            out.limit_fault(format!(
                "{}:{}: rule {} exceeded the wall-clock limit in several skills and is disabled for this run",
                self.script.name, self.line, self.meta.code
            ));
        }
        asked == Asked::Still
    }

    /// Handles the result of a call. Returns whether to report the findings of the call.
    fn has_ended(&self, call: Call, drafts: &Out, out: &Findings<'_>) -> bool {
        // The run was cancelled: the caller discards the result of the run, and the interrupted script is not at fault.
        if out.budget().stop().is_raised() {
            return false;
        }
        if self.is_budgeted() {
            let operations = OPERATIONS_PER_CALL + call.operations + drafts.cost();
            out.budget().charge(operations);
        }
        let failed = call.result.map_err(|fault| self.tell(fault, out));
        failed.is_ok()
    }

    fn tell_refused(&self, reported: Result<(), String>, out: &Findings<'_>) {
        if let Err(message) = reported {
            let fault = ScriptFault::on_line(&self.script.name, self.line, message);
            self.tell(fault, out);
        }
    }

    /// Reports a fault.
    fn tell(&self, mut fault: ScriptFault, out: &Findings<'_>) {
        fault.place.get_or_insert((self.line, 1));
        let told = format!("{fault} (rule {})", self.meta.code);
        if fault.is_by_clock {
            out.clock_fault(told);
        } else if fault.is_limit {
            out.limit_fault(told);
        } else {
            out.fault(told);
        }
    }

    /// Returns the options for a call: each with its configured value, or the script's default.
    fn given(&self, options: Options<'_>) -> Map {
        let named = self.options.iter().zip(&self.defaults);
        let value = |(option, (key, default)): (&RuleOption, &(String, OptionDefault))| {
            let given = given(options, option).unwrap_or_else(|| default.to_dynamic());
            (key.as_str().into(), given)
        };
        named.map(value).collect()
    }
}

fn given(options: Options<'_>, option: &RuleOption) -> Option<Dynamic> {
    let name = option.name.as_ref();
    Some(match option.kind {
        OptionKind::Flag => options.flag(name)?.into(),
        OptionKind::Number => i64::try_from(options.number(name)?).ok()?.into(),
        OptionKind::Word(_) => options.word(name)?.to_owned().into(),
        OptionKind::Texts => {
            let texts = options.texts(name)?.into_iter();
            let texts: Array = texts.map(|text| text.to_owned().into()).collect();
            texts.into()
        }
    })
}

impl Rule for ScriptedRule {
    fn meta(&self) -> &RuleMeta {
        &self.meta
    }

    fn is_budgeted(&self) -> bool {
        self.script.is_of_project()
    }

    fn options(&self) -> &[RuleOption] {
        &self.options
    }

    fn check_main(&self, main: &Document, skill: &Skill, out: &mut Findings<'_>) {
        self.check("check_main", Some(main), skill, out);
    }

    fn check_document(&self, document: &Document, skill: &Skill, out: &mut Findings<'_>) {
        self.check("check_document", Some(document), skill, out);
    }

    fn check_skill(&self, skill: &Skill, out: &mut Findings<'_>) {
        self.check("check_skill", None, skill, out);
    }

    fn check_run(&self, skills: &[RunSkill], out: &mut RunFindings<'_>) {
        let Some(function) = self.function("check_run") else {
            return;
        };
        let is_own = |at: &usize| self.script.is_for(&skills[*at].dir);
        let own: Vec<usize> = (0..skills.len()).filter(is_own).collect();
        let of_rule = out.rule_findings();
        if own.len() < 2 || !self.is_asked(of_rule) {
            return;
        }
        let drafts = Out::new(self.given(of_rule.options()), of_rule.clients());
        let views = RunSkillView::all(skills, own);
        let stop = of_rule.budget().stop();
        let arguments = || (views.clone(), drafts.emptied());
        let call = self.script.call(function, stop, arguments);
        if self.has_ended(call, &drafts, of_rule) {
            let reported = drafts.report_run(skills, out);
            self.tell_refused(reported, out.rule_findings());
        }
    }
}
