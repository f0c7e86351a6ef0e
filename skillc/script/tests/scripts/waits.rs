//! While a method changes a captured variable, the engine waits 50 ms before it refuses any other use of the variable.
//! Such waits cost operations, so a script that waits again and again is stopped soon.

use std::path::Path;
use std::time::{Duration, Instant};

use skillc_script::Host;

use crate::support::findings_of;

/// Waits in each iteration: the method locks `x`, and its argument has captured `x`.
const WAITS: &str = "let x = []; let f = || x.len; loop { try { x.push(f); } catch { } }";

/// Returns a rule with these statements. `number`: part of its code and name.
fn rule(number: usize, steps: &str) -> String {
    format!(
        "/// Waits.\nrule(#{{ code: \"TEAM{number:03}\", name: \"waits-{number}\", check_main: |doc, skill, out| {{\n\
         {steps}\n}} }});\n"
    )
}

/// Returns the messages of a script's findings and faults, and the time that linting took.
fn linted(script: &str) -> (Vec<String>, Duration) {
    let begun = Instant::now();
    let found = findings_of(script).into_iter();
    let found = found.map(|found| format!("{} {}", found.rule, found.message));
    (found.collect(), begun.elapsed())
}

#[test]
fn a_rule_that_waits_again_and_again_is_stopped_soon() {
    let (found, took) = linted(&rule(1, WAITS));
    let [only] = &found[..] else {
        panic!("{found:?}");
    };
    let expected = "more than 2000000 operations, including the waits for a variable";
    assert!(only.starts_with("CFG201 "), "{only}");
    assert!(only.contains(expected), "{only}");
    assert!(took < Duration::from_secs(2), "{took:?}");
}

#[test]
fn twenty_rules_that_wait_are_stopped_soon() {
    let script: String = (1..=20).map(|number| rule(number, WAITS)).collect();
    let (found, took) = linted(&script);
    assert_eq!(found.len(), 20, "{found:?}");
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[test]
fn a_wait_without_try_is_an_exceeded_limit() {
    let (found, _) = linted(&rule(1, "let x = []; let f = || x.len; x.push(f);"));
    let [only] = &found[..] else {
        panic!("{found:?}");
    };
    assert!(
        only.contains("uses a variable while a call changes it"),
        "{only}"
    );
}

#[test]
fn one_operation_does_not_wait_for_each_element_of_a_list() {
    let many = ["f"; 1_000].join(", ");
    let lists = [
        format!("let x = []; let f = || x; x = [{many}]; x.to_string();"),
        format!("let x = []; let f = || x; x = [{many}]; x.contains(1);"),
        format!("let x = [1]; let f = || x; let y = [{many}]; x.for_each(|n| y);"),
    ];
    for steps in lists {
        let (found, took) = linted(&rule(1, &steps));
        assert!(took < Duration::from_secs(2), "{steps}: {took:?} {found:?}");
    }
}

#[test]
fn scripts_that_wait_while_they_are_loaded_are_refused_soon() {
    let host = Host::default().in_project(Path::new("/project"));
    let begun = Instant::now();
    for _ in 0..5 {
        let script = format!("{WAITS}\n{}", rule(1, ""));
        let loaded = host.load("a.rhai", script.as_bytes());
        let fault = loaded.err().expect("a fault");
        assert!(fault.is_limit, "{fault}");
    }
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[test]
fn loading_can_be_cancelled() {
    let stop = skillc_core::Stop::default();
    let host = Host::default().stopping(&stop);
    assert!(host.load("a.rhai", rule(1, "").as_bytes()).is_ok());
    stop.raise();
    assert!(host.load("a.rhai", rule(1, "").as_bytes()).is_err());
}

#[test]
fn a_rule_may_catch_errors_and_change_captured_variables() {
    let steps = "let seen = []; let add = |n| seen.push(n);\n\
                 for text in [\"1\", \"x\", \"3\"] { try { add.call(parse_int(text)); } catch { add.call(0); } }\n\
                 out.file(doc.path, `${seen}`);";
    let (found, _) = linted(&rule(1, steps));
    assert_eq!(found, ["TEAM001 [1, 0, 3]"]);
}

/// Captured variables are checked after every 64 of them, which waits for the list that is iterated over.
#[test]
fn closures_may_be_made_while_a_captured_list_is_iterated_over() {
    let steps = "let items = []; for i in 0..200 { items.push(i); }\n\
                 let count = || items.len(); let total = 0;\n\
                 items.for_each(|n| { let m = n; let add = || m + 1; total += add.call(); });\n\
                 out.file(doc.path, `${total} ${count.call()}`);";
    let (found, _) = linted(&rule(1, steps));
    assert_eq!(found, ["TEAM001 20100 200"]);
}
