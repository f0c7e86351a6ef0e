//! Tests that while a method changes a captured variable, any other use of the variable is an immediate error. Because
//! nothing waits, the load of the machine does not change the results.

use std::path::Path;
use std::time::{Duration, Instant};

use skillc_script::Host;

use crate::support::findings_of;

/// Fails in each iteration, because the method locks `x`, and the method's argument has captured `x`.
const FAILS: &str = "let x = []; let f = || x.len; loop { try { x.push(f); } catch { } }";

/// Fails a hundred times in the same way.
const FAILS_OFTEN: &str = "let x = []; let f = || x.len; let failed = 0;\n\
     for n in 0..100 { try { x.push(f); } catch { failed += 1; } }";

/// The message of the error for a use of a locked variable.
const USED: &str = "uses a variable while a call changes it";

/// A time limit that is shorter than a hundred waits of 50 ms.
const SOON: Duration = Duration::from_secs(4);

/// Returns the text of a rule that runs these statements. `number`: a part of the rule's code and name.
fn rule(number: usize, steps: &str) -> String {
    format!(
        "/// Uses locked variables.\nrule(#{{ code: \"TEAM{number:03}\", name: \"locks-{number}\", check_main: |doc, skill, out| {{\n\
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

/// The error can be caught, so only the limit on operations ends such a loop, like any other endless loop.
#[test]
fn a_rule_that_uses_locked_variables_in_a_loop_is_stopped() {
    let (found, _) = linted(&rule(1, FAILS));
    let [only] = &found[..] else {
        panic!("{found:?}");
    };
    assert!(only.starts_with("CFG201 "), "{only}");
    assert!(only.contains("more than 2000000 operations"), "{only}");
}

#[test]
fn an_error_about_a_locked_variable_does_not_wait() {
    let steps = format!("{FAILS_OFTEN}\nout.file(doc.path, `${{failed}}`);");
    let script: String = (1..=20).map(|number| rule(number, &steps)).collect();
    let (found, took) = linted(&script);
    assert_eq!(found.len(), 20, "{found:?}");
    assert!(
        found.iter().all(|found| found.ends_with(" 100")),
        "{found:?}"
    );
    assert!(took < SOON, "{took:?}");
}

#[test]
fn an_error_about_a_locked_variable_that_is_not_caught_is_reported() {
    for steps in [
        "let x = []; let f = || x.len; x.push(f);",
        "let x = [1]; let f = |n| x.push(n); x.for_each(f);",
        "let x = [1]; let f = || x.len(); let g = |n| f.call(); x.map(f);",
        "let x = #{ a: 1 }; let f = |n| x.a; x.mixin(#{ f: f });",
    ] {
        let (found, _) = linted(&rule(1, steps));
        let [only] = &found[..] else {
            panic!("{steps}: {found:?}");
        };
        assert!(only.starts_with("CFG201 "), "{steps}: {only}");
        assert!(!only.contains("internal error"), "{steps}: {only}");
    }
    let (found, _) = linted(&rule(1, "let x = []; let f = || x.len; x.push(f);"));
    assert!(found[0].contains(USED), "{found:?}");
}

/// An argument is evaluated before the variable is locked, so it may use the variable.
#[test]
fn a_variable_may_be_the_receiver_and_an_argument() {
    let steps = "let a = [1]; let f = || a.len; a.push(f.call()); a.append(a); a += f.call();\n\
                 a[f.call() - 1] += f.call();\n\
                 out.file(doc.path, `${a}`);";
    let (found, _) = linted(&rule(1, steps));
    assert_eq!(found, ["TEAM001 [1, 1, 1, 1, 9]"]);
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
        assert!(took < SOON, "{steps}: {took:?} {found:?}");
    }
}

#[test]
fn scripts_that_use_locked_variables_while_they_are_loaded_are_refused() {
    let host = Host::default().in_project(Path::new("/project"));
    for steps in [FAILS, "let x = []; let f = || x.len; x.push(f);"] {
        let script = format!("{steps}\n{}", rule(1, ""));
        let loaded = host.load("a.rhai", script.as_bytes());
        let fault = loaded.err().expect("a fault");
        assert_eq!(fault.is_limit, steps == FAILS, "{fault}");
    }
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

/// Captured variables are checked whenever 64 of them have accumulated, even during a loop over a list that cannot be
/// read.
#[test]
fn closures_may_be_made_while_a_captured_list_is_iterated_over() {
    let steps = "let items = []; for i in 0..200 { items.push(i); }\n\
                 let count = || items.len(); let total = 0;\n\
                 items.for_each(|n| { let m = n; let add = || m + 1; total += add.call(); });\n\
                 out.file(doc.path, `${total} ${count.call()}`);";
    let (found, _) = linted(&rule(1, steps));
    assert_eq!(found, ["TEAM001 20100 200"]);
}
