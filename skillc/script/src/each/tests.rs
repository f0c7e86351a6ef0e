use rhai::packages::{Package, StandardPackage};
use rhai::{Engine, ImmutableString};
use skillc_core::Stop;

use crate::engine::Setup;
use crate::limits::MAX_OPERATIONS;
use crate::meter::Meter;

/// Expressions that call a function for each element of a list `a` or a map `m`; both contain 100 numbers.
const CALLS: [&str; 27] = [
    "a.all(|x| true)",
    "a.all(|x, i| true)",
    "a.some(|x| false)",
    "a.index_of(|x| false)",
    "a.index_of(|x| false, -100)",
    "a.find(|x| false)",
    "a.find(|x| false, 0)",
    "a.find_map(|x| ())",
    "a.find_map(|x| (), 0)",
    "a.filter(|x| true)",
    "a.map(|x| 1)",
    "a.zip(a, |x, y| 1)",
    "a.reduce(|r, x| 1)",
    "a.reduce(|r, x| 1, 0)",
    "a.reduce_rev(|r, x| 1)",
    "a.reduce_rev(|r, x| 1, 0)",
    "a.order(|x, y| 1)",
    "a.order_by(|x, y| 1)",
    "a.sort(|x, y| 1)",
    "a.sort_by(|x, y| 1)",
    "a.dedup(|x, y| false)",
    "a.for_each(|i| 1)",
    "a.drain(|x| false)",
    "a.retain(|x| true)",
    "m.map(|k, v| 1)",
    "m.filter(|k, v| true)",
    "m.retain(|k, v| true); m.drain(|k, v| false)",
];

#[test]
fn each_call_of_a_function_is_charged() {
    let setup = "let a = []; a.pad(100, 1); let m = #{}; for i in 0..100 { m[`k${i}`] = i; }";
    for call in CALLS {
        let used = |call: &str| {
            let meter = Meter::start(Stop::default());
            let engine = Setup::default().engine(meter.clone());
            let ran = engine.run(&format!("{setup} {call};"));
            let ran = ran.map_err(|error| error.to_string());
            assert_eq!(ran, Ok(()), "{call}");
            meter.operations()
        };
        let used = used(call) - used("");
        assert!(used >= 99 * 16, "{call}: {used}");
        // Even a rule that sorts such a list uses less than a hundredth of the allowed operations.
        assert!(used < MAX_OPERATIONS / 100, "{call}: {used}");
    }
}

#[test]
fn the_replacements_behave_like_the_library() {
    let mut plain = Engine::new_raw();
    plain.register_global_module(StandardPackage::new().as_shared_module());
    for code in [
        "`${[1, 2].all(|x| x > 0)} ${[1, 2].all(|x, i| x > 1 + i)} ${[].all(|x| 1)} ${[1].all(|x| 1)}`",
        "`${[1, 2].some(|x| x > 1)} ${[1, 2].some(|x, i| i > 1)} ${[].some(|x| true)} ${[1].some(|| true)}`",
        "let a = [1, 2, 1, 2]; `${a.index_of(|x| x > 1)} ${a.index_of(|x| x > 2)} ${a.index_of(|x, i| x < i)}`",
        "let a = [1, 2, 1, 2]; let f = |x| x > 1; `${[2, 4, -1, -3, -9].map(|start| a.index_of(f, start))}`",
        "let a = [1, 2, 3, 4]; `${a.find(|x| x > 1)} ${a.find(|x| x > 1, -1)} ${a.find(|x| x > 4)} ${a.find(|x| true, 4)}`",
        "let a = [1, 2, 3]; `${a.find_map(|x| if x > 1 { x * 10 })} ${a.find_map(|x, i| if i > 1 { x }, -2)} ${a.find_map(|x| ())}`",
        "`${[3, 4, 5].filter(|x| x > 3)} ${[3, 4, 5].filter(|x, i| i < 1)} ${[1].filter(|x| ())} ${[1].filter(|| true)}`",
        "`${[1, 2].map(|x| x + 1)} ${[5, 6].map(|x, i| [x, i])} ${[\"a\"].map(Fn(\"len\"))} ${[1].map(|| 2)}`",
        "`${[1, 2, 3].zip([4, 5], |x, y| x + y)} ${[1, 2].zip([4, 5], |x, y, i| i)} ${[].zip([1], |x, y| 1)}`",
        "`${[1, 2].reduce(|r, x| x + (r ?? 0))} ${[1, 2].reduce(|r, x| r + x, \"\")} ${[1, 2].reduce(|r, x, i| r + x + i, \"\")}`",
        "`${[1, 2].reduce_rev(|r, x| (r ?? \"\") + x)} ${[1, 2].reduce_rev(|r, x, i| r + x + i, \"\")} ${[].reduce_rev(|r, x| 1, 7)}`",
        "`${[3, 1, 2].order(|x, y| y - x)} ${[3, 1, 2].order_by(|x, y| x <= y)}`",
        "let a = [3, 1, 2]; a.sort(|x, y| x - y); let b = [1, 1, 2]; b.dedup(|x, y| x == y); `${a} ${b}`",
        "let n = 0; [5, 6, 7].for_each(|i| n += i); let a = [\"a\"]; a.for_each(Fn(\"make_upper\")); `${n} ${a}`",
        "let a = [1, 2, 3, 4]; let b = a.drain(|x| x % 2 == 0); let c = a.drain(|x, i| i == 1); `${a} ${b} ${c}`",
        "let a = [1, 2, 3, 4]; let b = a.retain(|x| x > 2); let c = a.retain(|x, i| i == 1); `${a} ${b} ${c}`",
        "let m = #{ a: 1, b: 2 }; `${m.map(|k, v| k + v)} ${m.map(|k| k)} ${m.filter(|k, v| v > 1)}`",
        "let m = #{ a: 1, b: 2, c: 3 }; let d = m.drain(|k, v| v > 2); let r = m.retain(|k, v| k == \"a\"); `${m} ${d} ${r}`",
        "`${[\"ab\", 'c', \"x\"].index_of(\"c\")} ${[\"x\", 1, \"x\"].index_of(\"x\", -2)} ${[1].index_of(\"x\")}`",
        "const A = [1, 2]; `${A.filter(|x| x > 1)}`",
    ] {
        let own = Setup::default().engine(Meter::start(Stop::default()));
        let [found, expected] = [&own, &plain].map(|engine| {
            let found = engine.eval::<ImmutableString>(code);
            found.map_err(|error| error.to_string())
        });
        assert_eq!(found, expected, "{code}");
    }
}

#[test]
fn functions_that_change_a_list_or_map_refuse_constants() {
    for code in [
        "const A = [2, 1]; A.sort(|x, y| x - y);",
        "const A = [2, 1]; A.drain(|x| true);",
        "const M = #{ a: 1 }; M.retain(|k, v| false);",
    ] {
        let engine = Setup::default().engine(Meter::start(Stop::default()));
        assert!(engine.run(code).is_err(), "{code}");
    }
}

/// An error in the called function leaves a list or map unchanged.
#[test]
fn an_error_does_not_empty_a_list_or_map() {
    for code in [
        "let a = [1, 2]; try { a.drain(|x| if x == 2 { throw 1 } else { true }); } catch {} `${a}`",
        "let m = #{ a: 1 }; try { m.retain(|k, v| { throw 1 }); } catch {} `${m}`",
    ] {
        let engine = Setup::default().engine(Meter::start(Stop::default()));
        let left = engine.eval::<ImmutableString>(code);
        let left = left.map_err(|error| error.to_string());
        let expected = ["[1, 2]", r#"#{"a": 1}"#];
        assert!(
            left.as_ref()
                .is_ok_and(|left| expected.contains(&left.as_str())),
            "{code}: {left:?}"
        );
    }
}
