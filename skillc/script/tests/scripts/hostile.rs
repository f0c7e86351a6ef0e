//! Tests hostile scripts. Each script must be stopped by a limit that is the same on every machine, and must be
//! reported. It may use at most 64 MiB in addition to the memory of its compiled form, and must not affect anything
//! else.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use skillc_core::testkit::{read_skill, write_files};
use skillc_lint::testkit::lint_skill_by;
use skillc_lint::{Diagnostic, PluginRegistry, Settings};
use skillc_plugins as _;
use skillc_script::Host;
use skillc_script::limits::MAX_SCRIPT_BYTES;
use tempfile::TempDir;

/// The environment variable with the path of the script that the child process runs; empty if the child runs only the
/// innocent rule. It is not set in the parent process.
const SCRIPT: &str = "HOSTILE_SCRIPT";

/// The environment variable with the path of the file to which the child process writes its report.
const REPORT: &str = "HOSTILE_REPORT";

/// The number of skills linted at once. The total cost of two skills is an upper bound for the cost of each.
const SKILLS: u32 = 2;

/// The number of documents in each skill.
const DOCUMENTS: usize = 20;

const INNOCENT: &str = r#"
/// Finds the first heading.
rule(#{ code: "GOOD001", name: "good", check_main: |doc, skill, out| { out.at(doc.headings.first, "here"); } });
"#;

/// The time limit of a script in these tests, which run an unoptimised build.
const MAX_TIME: Duration = Duration::from_secs(10);
const MAX_MEMORY: u64 = 64 << 20;

/// The memory of the compiled form of a script, for each byte of the script's text. Each thread that calls the script
/// has its own copy: the threads that lint the skills, and the threads of the pool.
const MEMORY_PER_BYTE: u64 = 100;
const POOL: u64 = 2;

/// Runs in a child process: lints skills with an innocent rule and a hostile rule.
#[test]
fn child() {
    let Some(script) = env::var_os(SCRIPT) else {
        return;
    };
    let root = TempDir::new().expect("a directory");
    let dir = root.path().join("demo");
    let body = "# A\n\nText with [a link](a.md).\n".repeat(200);
    write_files(&dir, &[("SKILL.md", &body), ("a.md", "# B\n")]);
    for n in 2..DOCUMENTS {
        write_files(&dir, &[(&format!("a{n}.md"), "# C\n")]);
    }
    let skill = read_skill(&dir);
    let mut plugins = PluginRegistry::linked().expect("no duplicates");
    let host = Host::default();
    let innocent = host.load("innocent.rhai", INNOCENT.as_bytes());
    innocent
        .expect("loads")
        .register(&mut plugins)
        .expect("registers");
    let mut faults = Vec::new();
    if !script.is_empty() {
        let bytes = fs::read(&script).expect("a script");
        let loaded = host.load("harm.rhai", &bytes);
        match loaded.and_then(|script| script.register(&mut plugins)) {
            Ok(()) => {}
            Err(fault) => faults.push(fault.to_string()),
        }
    }
    let settings = Settings {
        faults,
        ..Settings::default()
    };
    let all = vec!["ALL".to_owned()];
    let lint = || lint_skill_by(&plugins, &skill, all.clone(), settings.clone());
    let found = thread::scope(|scope| {
        let others: Vec<_> = (1..SKILLS).map(|_| scope.spawn(lint)).collect();
        let found = lint();
        for other in others {
            let other = other.join().expect("ends");
            let rules = |found: &[Diagnostic]| -> Vec<String> {
                found.iter().map(|found| found.rule.to_string()).collect()
            };
            assert_eq!(rules(&other), rules(&found));
        }
        found
    });
    let (worked, memory) = (cpu_millis(), peak_memory());
    let mut report = format!("worked {worked}\nmemory {memory}\n");
    for diagnostic in found {
        report += &format!("found {} {}\n", diagnostic.rule, diagnostic.message);
    }
    fs::write(env::var_os(REPORT).expect("a file"), report).expect("a report");
}

/// Returns the CPU time of this process in milliseconds. `/proc/self/stat` contains hundredths of a second.
fn cpu_millis() -> u64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(") ").next().unwrap_or_default();
    let times = after_name.split(' ').skip(11).take(2);
    times
        .filter_map(|time| time.parse::<u64>().ok())
        .sum::<u64>()
        * 10
}

fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1));
    kib.and_then(|kib| kib.parse::<u64>().ok())
        .unwrap_or_default()
        << 10
}

struct Ran {
    /// The CPU time per skill, which does not include waiting.
    worked: Duration,
    memory: u64,
    /// The findings of the innocent rule.
    others: Vec<String>,
    faults: Vec<String>,
}

/// Runs a script on all skills at once.
fn run(script: &Path) -> Ran {
    let dir = TempDir::new().expect("a directory");
    let report = dir.path().join("report");
    let child = Command::new(env::current_exe().expect("this test"))
        .args(["--exact", "hostile::child"])
        .env(SCRIPT, script)
        .env(REPORT, &report)
        .env("RAYON_NUM_THREADS", POOL.to_string())
        .output()
        .expect("a child");
    assert!(child.status.success(), "{}: {child:?}", script.display());
    let said = fs::read_to_string(report).expect("a report");
    let number = |name: &str| {
        let line = said.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_else(|| panic!("{}: {said}", script.display()))
            .parse::<u64>()
            .expect("a number")
    };
    let found = |is_fault: bool| {
        let found = said.lines().filter_map(|line| line.strip_prefix("found "));
        let found = found.filter(|line| line.starts_with("CFG201") == is_fault);
        found.map(str::to_owned).collect()
    };
    Ran {
        worked: Duration::from_millis(number("worked ")) / SKILLS,
        memory: number("memory "),
        others: found(false),
        faults: found(true),
    }
}

/// Writes the scripts that cannot be stored as fixtures, because they are too large or not valid text.
fn made(dir: &Path) -> Vec<(PathBuf, &'static str)> {
    let repeated =
        |count: usize, part: &dyn Fn(usize) -> String| -> String { (0..count).map(part).collect() };
    let harm = |code: &str| {
        let text = format!(
            "fn fresh() {{ let s = \"x\"; while s.len < 30000 {{ s += s; }} s }}\nfn held() {{ let s = fresh(); || s }}\n\
             /// Does harm.\nrule(#{{ code: \"HARM001\", name: \"harm\", check_document: |doc, skill, out| {{\n{code}\n}} }});"
        );
        text.into_bytes()
    };
    let unread = repeated(60, &|n| format!("let v{n} = fresh();"));
    let variables = repeated(9_000, &|n| format!("let v{n} = {n};"));
    let constants = repeated(6_000, &|n| format!("const C{n} = {n};"));
    let operations = "more than 2000000 operations";
    let slow = "defines nothing|more than 64 variables";
    let all = [
        (
            "nul",
            b"rule(#{});\n\0\n".to_vec(),
            "harm.rhai:2:1: contains a NUL byte",
        ),
        (
            "binary",
            b"// \xff\xfe\nrule(#{});\n".to_vec(),
            "harm.rhai:1:1: is not UTF-8 from here on",
        ),
        (
            "large",
            b"// a comment of no use at all\n".repeat((5 << 20) / 30),
            "harm.rhai: larger than 256 KiB",
        ),
        ("empty", Vec::new(), "harm.rhai: defines nothing"),
        (
            "arguments",
            harm(&format!("f({});", "s + 1, ".repeat(20_000))),
            "more than 64 arguments",
        ),
        (
            "elements",
            harm(&format!("let z = [{}];", "held(), ".repeat(1_900))),
            "more than 64 arguments",
        ),
        ("unread", harm(&unread), "of a function"),
        (
            "blocks",
            harm(&format!("{} throw \"to the end\"", "{1} ".repeat(60_000))),
            "to the end",
        ),
        (
            "paths",
            harm(&format!(
                "loop {{ skill.has_file(\"{}\"); skill.is_reachable(\"{}\"); }}",
                "a/".repeat(7_000),
                "a/".repeat(2_000)
            )),
            operations,
        ),
        (
            "escapes",
            harm(&format!("loop {{ escaped(\"{}\"); }}", "é".repeat(7_000))),
            operations,
        ),
        (
            "styles",
            harm(
                "let blanks = \"\\n\"; while blanks.len < 30000 { blanks += blanks; }\n\
                 let value = (\"k: >\" + blanks + \" x\").yaml()[\"k\"]; loop { value.style; }",
            ),
            operations,
        ),
        (
            "variables",
            format!("fn h() {{ {variables} }}").into_bytes(),
            slow,
        ),
        ("constants", constants.into_bytes(), slow),
    ];
    let copying = copying().map(|(name, text, fault)| (name, text.into_bytes(), fault));
    let all = all.into_iter().chain(copying);
    let written = all.map(|(name, bytes, fault)| {
        let path = dir.join(name);
        fs::write(&path, bytes).expect("a script");
        (path, fault)
    });
    written.collect()
}

/// Returns scripts whose values are expensive to copy (lists of maps with long keys), and the fault that is expected
/// for each script.
fn copying() -> [(&'static str, String, &'static str); 6] {
    let long_keys = |maps: usize| {
        format!(
            "let big = []; for m in 0..{maps} {{ let x = #{{}}; for i in 0..9 {{ let s = `k${{m}}_${{i}}`; s.pad(6000, \"x\"); \
             x[s] = 1; }} big.push(x); }}\n"
        )
    };
    let rule = |n: usize, code: &str| {
        format!(
            "/// Does harm.\nrule(#{{ code: \"HARM{n:03}\", name: \"harm-{n}\", check_document: |doc, skill, out| {{ {code} }} }});\n"
        )
    };
    let all: String = (0..100)
        .map(|n| rule(n, "if big.len == 99 { throw 1; }"))
        .collect();
    let (before, within) = (long_keys(3), long_keys(7));
    let statements = "big; ".repeat(8);
    let operations = "more than 2000000 operations";
    [
        (
            "kept_by_all",
            long_keys(7) + all.as_str(),
            "together use more than 512 KiB",
        ),
        (
            "kept_by_one",
            long_keys(7) + rule(1, "loop { let n = big; }").as_str(),
            operations,
        ),
        (
            "copied_lists",
            rule(1, &format!("{within} loop {{ let n = big; }}")),
            operations,
        ),
        (
            "copied_statements",
            rule(1, &format!("{within} loop {{ {statements} }}")),
            operations,
        ),
        (
            "copied_closures",
            format!("{before}let f = || big.len;\n") + rule(1, "loop { f.call(); }").as_str(),
            operations,
        ),
        (
            "copied_nested_closures",
            format!("{before}let f = || big.len; let g = || f;\n")
                + rule(1, "loop { let x = g; }").as_str(),
            operations,
        ),
    ]
}

#[test]
fn hostile_scripts_are_stopped_and_affect_nothing_else() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile");
    let made_in = TempDir::new().expect("a directory");
    let mut scripts: Vec<(PathBuf, String)> = Vec::new();
    for entry in folder.read_dir().expect("scripts") {
        let path = entry.expect("an entry").path();
        let text = fs::read_to_string(&path).expect("a script");
        let fault = text
            .lines()
            .next()
            .and_then(|line| line.strip_prefix("// fault: "));
        scripts.push((path, fault.unwrap_or_default().to_owned()));
    }
    scripts.sort();
    scripts.extend(
        made(made_in.path())
            .into_iter()
            .map(|(path, fault)| (path, fault.to_owned())),
    );
    assert!(scripts.len() >= 25);
    let without = run(Path::new(""));
    let next = AtomicUsize::new(0);
    let some = || {
        let mut wrong = Vec::new();
        while let Some((path, fault)) = scripts.get(next.fetch_add(1, Ordering::Relaxed)) {
            wrong.extend(wrong_with(path, fault, &without));
        }
        wrong
    };
    let wrong = thread::scope(|scope| {
        let others = scope.spawn(some);
        let mut wrong = some();
        wrong.extend(others.join().expect("ends"));
        wrong
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Runs a script. Returns descriptions of the deviations from the expected outcome.
fn wrong_with(path: &Path, fault: &str, without: &Ran) -> Vec<String> {
    let mut wrong = Vec::new();
    let ran = run(path);
    if fault.is_empty() || !ran.faults.iter().any(|told| matches_expected(told, fault)) {
        wrong.push(format!("told {:?}, not '{fault}'", ran.faults));
    }
    if ran.others != without.others {
        wrong.push(format!("others find {:?}", ran.others));
    }
    let more = ran.memory.saturating_sub(without.memory);
    let text = fs::metadata(path).expect("a script").len();
    let text = text.min(MAX_SCRIPT_BYTES as u64);
    let compiled = text * MEMORY_PER_BYTE * (u64::from(SKILLS) + POOL);
    if ran.worked > MAX_TIME || more > MAX_MEMORY + compiled {
        let worked = ran.worked;
        wrong.push(format!("{worked:?}, {} KiB more", more >> 10));
    }
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    wrong
        .iter()
        .map(|wrong| format!("{name}: {wrong}"))
        .collect()
}

/// Returns whether a fault matches the expected `8:21: message`, or one of several alternatives (`a|b`). Only the line
/// of the position is compared, because the column where a loop is stopped is arbitrary.
fn matches_expected(told: &str, fault: &str) -> bool {
    let place = fault.split_once(": ").filter(|(place, _)| {
        let mut numbers = place.split(':');
        numbers.all(|number| number.parse::<usize>().is_ok())
    });
    let (line, what) = place.map_or((None, fault), |(place, what)| {
        (place.split(':').next(), what)
    });
    line.is_none_or(|line| told.contains(&format!("harm.rhai:{line}:")))
        && what.split('|').any(|what| told.contains(what))
}
