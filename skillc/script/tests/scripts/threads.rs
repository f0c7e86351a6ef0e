//! Tests that a script that was loaded on one thread can be called on any thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use skillc_core::testkit::{read_skill, write_files};
use skillc_lint::testkit::lint_skill_by;
use skillc_lint::{PluginRegistry, Settings};
use skillc_plugins as _;
use skillc_script::{Host, Script, ScriptedIndexer, ScriptedRule};
use tempfile::TempDir;

/// A rule with a captured variable, an option of each kind, and a top level that prints.
const RULE: &str = r#"
print("loaded");
let calls = 0;
let words = ["a", "b"];
/// Says what it knows.
rule(#{
    code: "TEAM001",
    name: "knows",
    options: #{
        flag: true,
        number: 3,
        word: #{ value: "x", one_of: ["x", "y"] },
        texts: ["one", "two"],
    },
    check_document: |doc, skill, out| {
        calls += 1;
        words.push(`${calls}`);
        let given = out.options;
        out.file(doc.path, `${words.len} ${given.flag} ${given.number} ${given.word} ${given.texts[1]}`);
    },
});
/// Fails.
rule(#{ code: "TEAM002", name: "fails", check_main: |doc, skill, out| { doc.no_such_thing; } });
"#;

fn can_be_shared<T: Send + Sync>() {}

#[test]
fn scripts_can_be_sent_to_other_threads() {
    can_be_shared::<Host>();
    can_be_shared::<Script>();
    can_be_shared::<ScriptedRule>();
    can_be_shared::<ScriptedIndexer>();
}

#[test]
fn a_script_behaves_the_same_on_each_thread() {
    let root = TempDir::new().expect("a directory");
    let dir = root.path().join("demo");
    write_files(&dir, &[("SKILL.md", "# A\n[b](b.md)\n"), ("b.md", "# B\n")]);
    let skill = read_skill(&dir);
    let used: Arc<AtomicU64> = Arc::default();
    let (host, printed) = Host::default().counting(&used).printing();
    let script = host.load("a.rhai", RULE.as_bytes()).expect("loads");
    assert_eq!(printed.take(), ["loaded"]);
    let mut plugins = PluginRegistry::linked().expect("no duplicates");
    script.register(&mut plugins).expect("registers");
    let select = vec!["TEAM".to_owned()];
    let lint = || {
        let found = lint_skill_by(&plugins, &skill, select.clone(), Settings::default());
        let found = found.iter();
        let found = found.map(|found| format!("{} {}", found.rule, found.message));
        found.collect::<Vec<String>>()
    };
    let here = lint();
    let knows = "TEAM001 3 true 3 x two";
    assert_eq!(
        here.iter().filter(|one| *one == knows).count(),
        2,
        "{here:?}"
    );
    assert!(
        here.iter()
            .any(|one| one.starts_with("CFG201 ") && one.contains("a.rhai:")),
        "{here:?}"
    );
    let operations = used.load(Ordering::Relaxed);
    thread::scope(|scope| {
        let others: Vec<_> = (0..3).map(|_| scope.spawn(lint)).collect();
        for other in others {
            assert_eq!(other.join().expect("ends"), here);
        }
    });
    // Compiling a script on another thread is not counted, and prints nothing.
    assert_eq!(used.load(Ordering::Relaxed), 4 * operations);
    assert_eq!(printed.take(), [""; 0]);
}

/// A thread that has dropped a script compiles it again.
#[test]
fn many_large_scripts_can_be_called_on_one_thread() {
    let root = TempDir::new().expect("a directory");
    let dir = root.path().join("demo");
    write_files(&dir, &[("SKILL.md", "# A\n")]);
    let skill = read_skill(&dir);
    let mut plugins = PluginRegistry::linked().expect("no duplicates");
    let host = Host::default();
    let padding = "// padding\n".repeat((250 << 10) / 11);
    for number in 0..6 {
        let script = format!(
            "/// Says its number.\nrule(#{{ code: \"TEAM00{number}\", name: \"large-{number}\", \
             check_main: |doc, skill, out| {{ out.file(doc.path, \"{number}\"); }} }});\n{padding}"
        );
        let script = host.load(&format!("{number}.rhai"), script.as_bytes());
        let script = script.expect("loads");
        script.register(&mut plugins).expect("registers");
    }
    for _ in 0..2 {
        let select = vec!["TEAM".to_owned()];
        let found = lint_skill_by(&plugins, &skill, select, Settings::default());
        let found: Vec<&str> = found.iter().map(|found| &*found.message).collect();
        assert_eq!(found, ["0", "1", "2", "3", "4", "5"]);
    }
}
