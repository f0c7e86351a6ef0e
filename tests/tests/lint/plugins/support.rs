//! Scripts shared by several of these tests.

use std::path::Path;

use serde_json::Value;
use skillc_core::testkit::write_files;
use skillc_tests::{Output, World};

/// A rule that reports each TODO, with a fix. An option sets the word to search for.
pub(crate) const TODO: &str = r#"/// Reports a TODO that was left in.
///
/// ## Why
/// A TODO is easily forgotten.
rule(#{
    code: "TEAM001", name: "no-todo", severity: "warning", since: "1.0.0",
    options: #{ words: ["TODO"] },
    check_document: |doc, skill, out| {
        for word in out.options.words {
            for found in doc.find_prose("\\b" + word + "\\b") {
                out.at(found, `a ${found.text} was left`).fix("remove it", delete(found));
            }
        }
    },
});
"#;

/// The line of [`TODO`] that declares the rule.
pub(crate) const TODO_LINE: usize = 5;

/// A skill with one TODO, on line 8.
pub(crate) const UNDONE: &str =
    "---\nname: demo\ndescription: A demo. Use when testing.\n---\n\n# Demo\n\nA TODO here.\n";

/// A project's script folder.
pub(crate) const PROJECT: &str = ".skillc/plugins";

/// Returns a script with a rule that reports nothing.
pub(crate) fn rule(code: &str, name: &str) -> String {
    format!(
        "/// Reports nothing.\nrule(#{{ code: \"{code}\", name: \"{name}\", severity: \"error\", since: \"1.0.0\", \
         check_skill: |skill, out| {{ }} }});\n"
    )
}

/// Creates a project with these scripts and the skill `demo`, which has a TODO.
pub(crate) fn world(scripts: &[(&str, &str)]) -> World {
    let world = World::demo(&[("SKILL.md", UNDONE)]);
    write_files(&world.cwd.join(PROJECT), scripts);
    world
}

/// Runs `skc plugin list`. Returns the code and origin of each plug-in that is not built in: `TEAM001 a.rhai:5`.
#[track_caller]
pub(crate) fn listed(world: &World, cwd: &Path, args: &[&str]) -> Vec<String> {
    let run = world.skc_at(cwd, &[&["plugin", "list", "-o", "json"], args].concat());
    let json = run.json();
    let rules = json["rules"].as_array().expect("a list");
    let own = rules.iter().filter(|rule| rule["pack"]["name"] != "skc");
    let text = |rule: &Value, field: &str| rule[field].as_str().expect("a text").to_owned();
    own.map(|rule| text(rule, "code") + " " + text(rule, "script").as_str())
        .collect()
}

/// Returns the findings of scripted rules and of CFG201 in a run's output: `TEAM001 SKILL.md:8 message`.
#[track_caller]
pub(crate) fn found(run: &Output) -> Vec<String> {
    let json = run.json();
    let all = json["diagnostics"].as_array().expect("findings");
    let is_ours = |finding: &&Value| {
        let rule = finding["rule"].as_str().unwrap_or_default();
        rule.starts_with("TEAM") || rule == "CFG201"
    };
    let show = |finding: &Value| {
        format!(
            "{} {}:{} {}",
            finding["rule"].as_str().unwrap_or_default(),
            finding["file"].as_str().unwrap_or_default(),
            finding["line"],
            finding["message"].as_str().unwrap_or_default()
        )
    };
    all.iter().filter(is_ours).map(show).collect()
}
