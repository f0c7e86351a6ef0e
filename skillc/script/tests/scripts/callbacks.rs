//! Tests that an exceeded limit or an error in a callback is reported, even in the last operation of a call. This is
//! the reason why `sort` and `dedup` are replaced: the engine's own versions ignore errors of the comparison function.

use crate::support::findings_of;

/// Calls of functions that accept a callback. `F` stands for the callback's body.
const CALLS: [&str; 30] = [
    "a.sort(|x, y| { F })",
    "a.sort_by(|x, y| { F })",
    "a.dedup(|x, y| { F })",
    "a.order(|x, y| { F })",
    "a.order_by(|x, y| { F })",
    "a.map(|x| { F })",
    "a.zip(a, |x, y| { F })",
    "a.filter(|x| { F })",
    "a.retain(|x| { F })",
    "a.drain(|x| { F })",
    "a.find(|x| { F })",
    "a.find(|x| { F }, 1)",
    "a.find_map(|x| { F })",
    "a.find_map(|x| { F }, 1)",
    "a.index_of(|x| { F })",
    "a.index_of(|x| { F }, -2)",
    "a.some(|x| { F })",
    "a.all(|x| { F })",
    "a.reduce(|r, x| { F })",
    "a.reduce(|r, x| { F }, 0)",
    "a.reduce_rev(|r, x| { F })",
    "a.reduce_rev(|r, x| { F }, 0)",
    "a.for_each(|x| { F })",
    "m.map(|k, v| { F })",
    "m.filter(|k, v| { F })",
    "m.retain(|k, v| { F })",
    "m.drain(|k, v| { F })",
    "(|| { F }).call()",
    "try { a.sort(|x, y| { F }) } catch (e) {}",
    "try { a.dedup(|x, y| { F }) } catch (e) {}",
];

/// Returns the findings of a rule that runs these statements.
fn found_by(steps: &str) -> Vec<String> {
    let script = format!(
        "fn down(n) {{ down(n + 1) }}\n/// Sorts.\nrule(#{{ code: \"TEAM001\", name: \"sorts\", check_main: |doc, skill, out| {{\n\
         let a = [3, 1, 2]; let m = #{{ a: 1, b: 2 }};\n{steps}\n}} }});"
    );
    let found = findings_of(&script).into_iter();
    found.map(|d| format!("{} {}", d.rule, d.message)).collect()
}

#[test]
fn a_limit_in_the_last_operation_of_any_callback_is_reported() {
    let limits = [
        ("loop {}", "more than 2000000 operations"),
        ("down(1)", "calls nested more than 32 deep"),
    ];
    for call in CALLS {
        for (body, fault) in limits {
            let found = found_by(&call.replace('F', body));
            let [only] = &found[..] else {
                panic!("{call} with {body}: {found:?}");
            };
            assert!(only.contains(fault), "{call} with {body}: {only}");
        }
    }
}

#[test]
fn an_error_in_a_comparison_function_is_reported() {
    for call in ["sort", "sort_by", "order", "order_by", "dedup"] {
        let found = found_by(&format!("a.{call}(|x, y| x.title)"));
        assert_eq!(found.len(), 1, "{call}: {found:?}");
        assert!(found[0].starts_with("CFG201 "), "{call}: {found:?}");
        let found = found_by(&format!("a.{call}(|x, y| \"less\")"));
        assert_eq!(found.len(), 1, "{call}: {found:?}");
        let expected = format!("the function of {call} must return");
        assert!(found[0].contains(&expected), "{call}: {found:?}");
    }
}

#[test]
fn sort_and_dedup_behave_like_those_of_the_engine() {
    for (steps, expected) in [
        (
            "a.sort(|x, y| x - y); out.file(doc.path, `${a}`);",
            "[1, 2, 3]",
        ),
        (
            "a.sort(|x, y| y - x); out.file(doc.path, `${a}`);",
            "[3, 2, 1]",
        ),
        (
            "a.sort_by(|x, y| x <= y); out.file(doc.path, `${a}`);",
            "[1, 2, 3]",
        ),
        ("a.sort(); out.file(doc.path, `${a}`);", "[1, 2, 3]"),
        (
            "a = []; a.sort(|x, y| 0); out.file(doc.path, `${a}`);",
            "[]",
        ),
        (
            "a = [11, 21, 12, 22, 13]; a.sort(|x, y| x % 10 - y % 10); out.file(doc.path, `${a}`);",
            "[11, 21, 12, 22, 13]",
        ),
        (
            "a = [1, 2, 2, 2, 3, 1, 2, 3, 4, 3, 3, 2, 1]; a.dedup(|x, y| x >= y); out.file(doc.path, `${a}`);",
            "[1, 2, 3, 4]",
        ),
        (
            "a = [1, 1, 2]; a.dedup(); out.file(doc.path, `${a}`);",
            "[1, 2]",
        ),
        // A contradictory comparison leads to an arbitrary order, but not to an error.
        (
            "a = []; for n in 0..1000 { a.push(n); } a.sort(|x, y| if (x * y) % 3 == 1 { 1 } else { -1 }); out.file(doc.path, `${a.len}`);",
            "1000",
        ),
    ] {
        assert_eq!(found_by(steps), [format!("TEAM001 {expected}")], "{steps}");
    }
}
