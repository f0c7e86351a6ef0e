//! Tests the limits on the memory that compiled scripts use on each thread, for their text and for the values that
//! their functions capture.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use skillc_core::testkit::{read_skill, write_files};
use skillc_lint::testkit::lint_skill_by;
use skillc_lint::{PluginRegistry, Settings};
use skillc_plugins as _;
use skillc_script::limits::MAX_PROJECT_COMPILED_BYTES;
use skillc_script::{Host, ScriptFault};
use tempfile::TempDir;

/// Creates three lists of 1,900 numbers, which use 365 KB of memory.
const LISTS: &str =
    "let a = []; a.pad(1900, 1); let b = []; b.pad(1900, 1); let c = []; c.pad(1900, 1);\n";

/// A list of 3 maps with 27 keys of 6,000 bytes.
const LONG_KEYS: &str = "let big = []; for m in 0..3 { let x = #{}; for i in 0..9 { let s = `k${m}_${i}`; \
     s.pad(6000, \"x\"); x[s] = 1; } big.push(x); }\n";

/// Returns the text of a rule with this check.
fn rule(number: usize, check: &str) -> String {
    format!(
        "/// Reports.\nrule(#{{ code: \"TEAM{number:03}\", name: \"rule-{number}\", check_skill: |skill, out| {{ {check} }} }});\n"
    )
}

/// Loads a script.
fn loaded(host: &Host, script: &str) -> Result<(), ScriptFault> {
    host.load("a.rhai", script.as_bytes()).map(drop)
}

#[test]
fn the_declarations_of_a_script_are_weighed_together() {
    let host = Host::default();
    let large = "let big = []; big.pad(1900, 1);\n";
    let rules = |count: usize| -> String {
        let rules = (0..count).map(|number| rule(number, "big.len;"));
        format!("{large}{}", rules.collect::<String>())
    };
    // Each rule has its own copy of the list, which uses 122 KB of memory.
    assert!(loaded(&host, &rules(4)).is_ok());
    let fault = loaded(&host, &rules(5)).expect_err("holds too much");
    assert!(fault.is_limit, "{fault}");
    let told = fault.to_string();
    assert!(
        told.starts_with("a.rhai:") && told.contains("together use more than 512 KiB"),
        "{told}"
    );
}

#[test]
fn many_rules_without_large_captures_are_accepted() {
    let words = "let words = [\"very\", \"quite\", \"rather\", \"really\", \"just\"];\n";
    let rules: String = (0..100).map(|number| rule(number, "words.len;")).collect();
    let ended = loaded(&Host::default(), &format!("{words}{rules}"));
    assert_eq!(ended, Ok(()));
}

#[test]
fn the_text_of_the_scripts_of_a_project_is_limited_before_it_is_compiled() {
    let host = Host::default().in_project(Path::new("/project"));
    let script = |bytes: usize| rule(1, "") + "// padding\n".repeat(bytes / 11).as_str();
    // The script is rejected before it is compiled, although it also has a syntax error.
    let fault = loaded(&host, &(script(130_000) + "(((")).expect_err("is too large");
    assert!(fault.is_limit, "{fault}");
    let told = "this project's scripts need more than 24 MiB when compiled";
    assert!(fault.message.starts_with(told), "{fault}");
    assert_eq!(loaded(&host, &script(60_000)), Ok(()));
    assert_eq!(loaded(&host, &script(60_000)), Ok(()));
    let fault = loaded(&host, &script(60_000)).expect_err("does not fit");
    assert!(fault.message.starts_with(told), "{fault}");
    // A smaller script still fits. Scripts outside a project share no limit.
    assert_eq!(loaded(&host, &script(1_000)), Ok(()));
    for _ in 0..4 {
        assert_eq!(loaded(&Host::default(), &script(60_000)), Ok(()));
    }
}

#[test]
fn the_values_held_by_the_scripts_of_a_project_are_limited_together() {
    let host = Host::default().in_project(Path::new("/project"));
    let script = LISTS.to_owned() + rule(1, "a.len + b.len + c.len;").as_str();
    let mut count = 0;
    let fault = loop {
        match loaded(&host, &script) {
            Ok(()) => count += 1,
            Err(fault) => break fault,
        }
        assert!(count < 100);
    };
    assert!(fault.message.contains("when compiled"), "{fault}");
    let held = 3 * 1_900 * 64;
    assert!(
        (30..=MAX_PROJECT_COMPILED_BYTES / held).contains(&count),
        "{count}"
    );
}

/// Returns the number of operations that a call of a rule uses.
fn operations(before: &str, check: &str) -> u64 {
    let root = TempDir::new().expect("a directory");
    let dir = root.path().join("demo");
    write_files(&dir, &[("SKILL.md", "# A\n")]);
    let used: Arc<AtomicU64> = Arc::default();
    let host = Host::default().counting(&used);
    let script = before.to_owned() + rule(1, check).as_str();
    let script = host.load("a.rhai", script.as_bytes()).expect("loads");
    let mut plugins = PluginRegistry::linked().expect("no duplicates");
    script.register(&mut plugins).expect("registers");
    let select = vec!["TEAM".to_owned()];
    let found = lint_skill_by(&plugins, &read_skill(&dir), select, Settings::default());
    assert!(found.is_empty(), "{found:?}");
    used.load(Ordering::Relaxed)
}

#[test]
fn a_call_is_charged_for_the_values_that_its_function_captures() {
    let without = operations("", "let n = 1;");
    let with = operations(LONG_KEYS, "if false { big.len; }");
    assert!(without < 50, "{without}");
    assert!(with >= 600, "{with}");
}

#[test]
fn closures_with_captured_values_are_charged_at_each_use() {
    for (closures, check) in [
        ("let f = || big.len;\n", "for n in 0..10 { f.call(); }"),
        (
            "let f = || big.len; let g = || f;\n",
            "for n in 0..10 { let x = g; }",
        ),
    ] {
        let used = operations(&format!("{LONG_KEYS}{closures}"), check);
        assert!(used >= 10 * 600, "{check}: {used}");
    }
}

/// Within a call, a closure refers to the values that it captures, as in any Rhai script. Changes to these values do
/// not outlive the call.
#[test]
fn closures_of_a_script_start_from_the_declaration_in_each_call() {
    let script = "let n = [0]; let next = || { n[0] += 1; n[0] };\n".to_owned()
        + rule(
            1,
            "let all = [1, 2, 3].map(|x| next.call()); if all != [1, 2, 3] { throw `${all}`; }",
        )
        .as_str();
    let script = Host::default()
        .load("a.rhai", script.as_bytes())
        .expect("loads");
    let mut plugins = PluginRegistry::linked().expect("no duplicates");
    script.register(&mut plugins).expect("registers");
    let root = TempDir::new().expect("a directory");
    for name in ["one", "two"] {
        let dir = root.path().join(name);
        write_files(&dir, &[("SKILL.md", "# A\n")]);
        let select = vec!["TEAM".to_owned(), "CFG".to_owned()];
        let found = lint_skill_by(&plugins, &read_skill(&dir), select, Settings::default());
        assert!(found.is_empty(), "{found:?}");
    }
}
