//! Skills with findings, and helpers to render them.

use std::path::Path;
use std::time::Duration;

use skillc_core::testkit::{context, read_skill};
use skillc_core::{Error, SkillRef, resolve};
use skillc_lint::PluginRegistry;
use skillc_lint::testkit::lint_skill;
use skillc_ops::lint::{
    Aside, FixRequest, LintResponse, OutputRequest, RuleInfo, SkillReport, StatisticsRequest,
};
use skillc_render::{Format, Page, Render};
use skillc_tests::{Output, World};

/// The rules used in these tests: one error, one warning.
pub(crate) const RULES: &str = "SKL101,SKL205";

/// Markdown that causes two warnings.
pub(crate) const TWO_DEEP: &str = "# A\n\n### B\n\n# C\n\n### D\n";

/// A skill with one finding of each severity in its `SKILL.md` and two in another file.
pub(crate) const FAULTY: [(&str, &str); 2] = [
    (
        "SKILL.md",
        "---\ndescription: Sets tables. Use when a table is hard to read.\n---\n\n# Tables\n\n### Rows\n",
    ),
    (
        "references/wide text.md",
        "# 表格\r\n\r\n### 单元格\tand `cells`\r\n\r\n# Again\r\n\r\n#### A heading that is far longer than any heading of any document ever has a reason to be, and goes on\r\n",
    ),
];

/// Creates a project with a faulty skill, a clean one, and a compiled one.
pub(crate) fn world() -> World {
    let world = World::built(&[]);
    world.project_skill("tables", &FAULTY);
    world
}

pub(crate) fn lint(world: &World, skill: &str, format: &str) -> Output {
    world.skc(["lint", skill, "--select", RULES, "--format", format])
}

/// Returns the reports of five skills: with findings, without findings, compiled, unreadable, and with a duplicate
/// name.
pub(crate) fn several(world: &World) -> LintResponse {
    let store = world.cwd.join(".skillc/skills");
    world.directory("drafts/demo", &[("SKILL.md", "# Demo\n\n### Deep\n")]);
    let at = |dir: &Path| resolve(&context(dir, &world.home), ".").expect("a skill");
    let failure = Error::internal("reading 'broken/SKILL.md': permission denied");
    let named = |name: &str| SkillRef {
        name: name.to_owned(),
        source: store.join(name),
        ..at(&store.join("demo"))
    };
    let report = |folder: &str, report: SkillReport| SkillReport {
        folder: folder.to_owned(),
        ..report
    };
    let linted = |folder: &str| {
        let skill = read_skill(&world.cwd.join(folder));
        let found = ["SKL101", "SKL205"].map(|code| lint_skill(&skill, code));
        report(folder, SkillReport::new(&skill, found.concat()))
    };
    let skills = vec![
        linted("drafts/demo"),
        report("broken", SkillReport::failed(&named("broken"), &failure)),
        report("compiled", SkillReport::skipped(&named("compiled"))),
        linted(".skillc/skills/demo"),
        linted(".skillc/skills/tables"),
    ];
    response(skills)
}

pub(crate) fn response(skills: Vec<SkillReport>) -> LintResponse {
    let plugins = PluginRegistry::linked().expect("no duplicates");
    let rules = plugins.rules().map(|rule| RuleInfo::from_meta(rule.meta()));
    LintResponse {
        sources: Vec::new(),
        skills,
        is_single: false,
        fixing: FixRequest::default(),
        matrix: None,
        output: OutputRequest::default(),
        summing: StatisticsRequest::default(),
        aside: Aside::default(),
        rules: rules.filter(|rule| RULES.contains(&rule.code)).collect(),
        elapsed: Duration::from_millis(1234),
    }
}

/// Renders a response; returns standard output and standard error.
pub(crate) fn shown(response: &LintResponse, format: Format, is_styled: bool) -> (String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut page = Page {
        out: &mut out,
        err: &mut err,
        out_is_styled: is_styled,
        err_is_styled: is_styled,
        is_verbose: false,
        is_file: false,
        root: None,
    };
    response.write(format, &mut page).expect("it renders");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (text(out), text(err))
}
