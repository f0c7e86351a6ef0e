//! What is said of declarations and calls that are not as they have to be.

use skillc_core::testkit::{lint_skill_by, read_skill, write_files};
use skillc_core::{PluginRegistry, Settings};
use skillc_plugins as _;
use skillc_script::Host;
use tempfile::TempDir;

/// Returns why a script cannot be loaded; an empty text if it can.
fn refusal(script: &str) -> String {
    let loaded = Host::default().load("a.rhai", script.as_bytes());
    loaded.err().map_or(String::new(), |fault| fault.message)
}

/// Returns why a rule with these entries cannot be loaded.
fn refusal_of(entries: &str) -> String {
    refusal(&format!("/// Reports.\nrule(#{{ {entries} }});"))
}

/// Returns what goes wrong when a rule looks at a document.
fn failure(body: &str) -> String {
    let script = format!(
        "/// Fails.\nrule(#{{ code: \"TEAM001\", name: \"fails\", check_document: |doc, skill, out| {{\n{body}\n}} }});"
    );
    let root = TempDir::new().expect("a directory");
    let dir = root.path().join("demo");
    write_files(&dir, &[("SKILL.md", "# A\n")]);
    let mut plugins = PluginRegistry::linked().expect("no duplicates");
    let script = Host::default().load("a.rhai", script.as_bytes());
    let script = script.expect("loads");
    script.register(&mut plugins).expect("registers");
    let select = vec!["ALL".to_owned()];
    let found = lint_skill_by(&plugins, &read_skill(&dir), select, Settings::default());
    let faults = found.into_iter().filter(|found| found.rule == "CFG201");
    faults.map(|fault| fault.message).collect()
}

#[test]
fn a_function_with_other_parameters_is_refused_when_it_is_loaded() {
    let rule = |check: &str| refusal_of(&format!("code: \"TEAM001\", name: \"a\", {check}"));
    for key in ["check_document", "check_main"] {
        let expected = format!("'{key}' has to take |doc, skill, out|");
        for parameters in ["||", "|doc|", "|doc, skill|", "|doc, skill, out, more|"] {
            assert_eq!(rule(&format!("{key}: {parameters} {{ }}")), expected);
        }
        assert_eq!(rule(&format!("{key}: |doc, skill, out| {{ }}")), "");
    }
    let expected = "'check_skill' has to take |skill, out|";
    assert_eq!(rule("check_skill: |doc, skill, out| { }"), expected);
    assert_eq!(rule("check_skill: |skill, out| { }"), "");
    let format = |sections: &str| {
        refusal(&format!(
            "/// Reads.\nindexer(#{{ id: \"a\", extensions: [\"a\"], sections: {sections} }});"
        ))
    };
    assert_eq!(format("|file| { }"), "'sections' has to take |file, out|");
    assert_eq!(format("|file, out| { }"), "");
}

#[test]
fn what_a_closure_holds_is_no_parameter_and_a_name_stands_for_all_functions_that_have_it() {
    let with = |before: &str, check: &str| {
        refusal(&format!(
            "{before}\n/// Reports.\nrule(#{{ code: \"TEAM001\", name: \"a\", check_skill: {check} }});"
        ))
    };
    let held = "let word = \"a\";";
    assert_eq!(with(held, "|skill, out| out.skill(word)"), "");
    let expected = "'check_skill' has to take |skill, out|";
    assert_eq!(with(held, "|out| out.skill(word)"), expected);
    let named = "fn check(out) { }\nfn check(skill, out) { }\nfn other(out) { }";
    assert_eq!(with(named, "Fn(\"check\")"), "");
    assert_eq!(with(named, "Fn(\"other\")"), expected);
    assert_eq!(with(named, "Fn(\"nowhere\")"), expected);
}

#[test]
fn no_message_holds_the_made_up_name_of_a_closure() {
    let said = failure("let twice = |n| n * 2; twice.call(1, 2);");
    assert!(said.contains("this function"), "{said}");
    assert!(!said.contains("anon"), "{said}");
}
