//! Runs the whole program on mutated skills. It must not panic or hang, its JSON must be valid, positions must be
//! within the files, and `--fix` must be idempotent.
//!
//! Runs a few deterministic rounds; `SKC_MUTATIONS_SECONDS=60` runs further rounds for that long.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use skillc_tests::mutations::Random;
use skillc_tests::{World, corpus};
use walkdir::WalkDir;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Environment variable: how long to run, in seconds.
const SECONDS: &str = "SKC_MUTATIONS_SECONDS";

/// Number of rounds if that variable is not set.
const ROUNDS: u64 = 3;

/// Number of skills per round, which one process lints together.
const SKILLS: usize = 25;

/// Timeout after which a process counts as hung; generous for busy machines.
const PATIENCE: Duration = Duration::from_secs(300);

/// Larger fixture files are skipped.
const MAX_FILE_BYTES: u64 = 64 << 10;

/// Maximum number of skills taken from the corpus.
const MAX_OF_CORPUS: usize = 60;

/// A skill in memory: file paths and contents.
type Files = BTreeMap<PathBuf, Vec<u8>>;

/// The result of a process.
struct Ran {
    status: ExitStatus,
    stdout: Vec<u8>,
    stderr: String,
}

fn files(dir: &Path) -> Files {
    let walk = WalkDir::new(dir).sort_by_file_name().into_iter().flatten();
    let small = walk.filter(|entry| {
        entry.file_type().is_file()
            && entry
                .metadata()
                .is_ok_and(|found| found.len() <= MAX_FILE_BYTES)
    });
    let read = small.filter_map(|entry| {
        let path = entry.path().strip_prefix(dir).ok()?.to_path_buf();
        Some((path, fs::read(entry.path()).ok()?))
    });
    read.take(20).collect()
}

/// Returns the skills to mutate: rule fixtures, and some of the corpus if available.
fn originals() -> Vec<Files> {
    let mut dirs = Vec::new();
    for folder in ["rules/fixtures", "plugins/fixtures/rules"] {
        let walk = WalkDir::new(Path::new(ROOT).join(folder)).sort_by_file_name();
        let walk = walk.into_iter().flatten();
        let main = walk.filter(|entry| entry.file_name() == "SKILL.md");
        dirs.extend(main.filter_map(|entry| Some(entry.path().parent()?.to_path_buf())));
    }
    let of_corpus = corpus::skills().unwrap_or_default();
    let step = of_corpus.len() / MAX_OF_CORPUS + 1;
    dirs.extend(of_corpus.into_iter().step_by(step));
    dirs.iter().map(|dir| files(dir)).collect()
}

/// Runs the real program; panics if it panicked, was killed or hung.
fn run(world: &World, args: &[&str], about: &str) -> Ran {
    let (out, err) = (world.home.join("out"), world.home.join("err"));
    let mut command = world.process(env!("CARGO_BIN_EXE_skc-under-test"), args);
    command.stdout(File::create(&out).expect("a file"));
    command.stderr(File::create(&err).expect("a file"));
    let mut child = command.spawn().expect("a process");
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("a process") {
            break status;
        }
        if begun.elapsed() > PATIENCE {
            let _ = child.kill();
            panic!("{about}: {args:?} hangs");
        }
        thread::sleep(Duration::from_millis(2));
    };
    let ran = Ran {
        status,
        stdout: fs::read(out).expect("its output"),
        stderr: String::from_utf8_lossy(&fs::read(err).expect("its output")).into_owned(),
    };
    let is_well = matches!(ran.status.code(), Some(0 | 1)) && !ran.stderr.contains("panicked");
    assert!(
        is_well,
        "{about}: {args:?}: {:?}\n{}",
        ran.status, ran.stderr
    );
    let text = String::from_utf8(ran.stdout.clone()).expect("UTF-8");
    assert!(
        !text.contains("report this as a bug"),
        "{about}: {args:?}\n{text}"
    );
    ran
}

fn json(ran: &Ran, about: &str) -> Value {
    serde_json::from_slice(&ran.stdout).unwrap_or_else(|e| panic!("{about}: {e}\n{}", ran.stderr))
}

/// Checks that each finding's position exists in its file. Returns the number of findings.
fn places(of: &Value, about: &str) -> usize {
    let mut count = 0;
    for skill in of["skills"].as_array().expect("skills") {
        let Some(found) = skill["diagnostics"].as_array() else {
            continue;
        };
        let root = Path::new(skill["path"].as_str().expect("a path"));
        for finding in found {
            count += 1;
            let number = |key: &str| finding[key].as_u64().and_then(|n| usize::try_from(n).ok());
            let (line, column) = (
                number("line").expect("a line"),
                number("column").expect("a column"),
            );
            let file = finding["file"].as_str().unwrap_or("SKILL.md");
            let Ok(bytes) = fs::read(root.join(file)) else {
                assert_eq!((line, column), (1, 1), "{about}: {finding}");
                continue;
            };
            let text = String::from_utf8_lossy(&bytes)
                .replace("\r\n", "\n")
                .replace('\r', "\n");
            let own = text.split('\n').nth(line - 1);
            let is_there = own.is_some_and(|own| column <= own.chars().count() + 1);
            assert!(line >= 1 && column >= 1 && is_there, "{about}: {finding}");
        }
    }
    count
}

/// Writes mutated skills named `m00`, `m01` and so on; returns their names.
fn write(world: &World, random: &mut Random, originals: &[Files]) -> Vec<String> {
    let all: Vec<Vec<u8>> = originals
        .iter()
        .flat_map(|files| files.values().cloned())
        .collect();
    let mut names = Vec::new();
    for n in 0..SKILLS {
        let name = format!("m{n:02}");
        let dir = world.cwd.join(".skillc/skills").join(&name);
        for (path, bytes) in random.one_of(originals) {
            let mut bytes = bytes.clone();
            if random.below(4) > 0 {
                random.mutate(&mut bytes, &all);
            }
            let path = dir.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, bytes).expect("a file");
        }
        names.push(name);
    }
    names
}

fn texts(world: &World) -> Files {
    let dir = world.cwd.join(".skillc/skills");
    let walk = WalkDir::new(&dir).into_iter().flatten();
    let all = walk.filter(|entry| entry.file_type().is_file());
    all.map(|entry| {
        (
            entry.path().to_path_buf(),
            fs::read(entry.path()).expect("a file"),
        )
    })
    .collect()
}

fn errors(of: &Value) -> u64 {
    of["error_count"].as_u64().expect("a number")
}

/// Runs one round. Returns the number of findings.
fn round(seed: u64, originals: &[Files]) -> usize {
    let about = format!("round {seed}");
    let world = World::project();
    let mut random = Random::new(seed);
    let names = write(&world, &mut random, originals);
    let skills = ".skillc/skills";
    let lint = ["lint", skills, "--select", "ALL", "-o", "json"];
    let before = json(&run(&world, &lint, &about), &about);
    let count = places(&before, &about);
    let fix = [&lint[..], &["--fix", "--unsafe-fixes"][..]].concat();
    let fixed = json(&run(&world, &fix, &about), &about);
    places(&fixed, &about);
    assert!(
        errors(&fixed) <= errors(&before),
        "{about}: --fix adds errors"
    );
    let once = texts(&world);
    let again = json(&run(&world, &fix, &about), &about);
    for (path, bytes) in texts(&world) {
        let is_same = once.get(&path) == Some(&bytes);
        assert!(
            is_same,
            "{about}: a second --fix changes {}",
            path.display()
        );
    }
    assert_eq!(errors(&again), errors(&fixed), "{about}");
    run(&world, &["build", "--all"], &about);
    for name in names.iter().step_by(8) {
        let outline = run(&world, &["outline", name, "-o", "json"], &about);
        if outline.status.success() {
            json(&outline, &about);
        }
    }
    count
}

#[test]
#[expect(clippy::print_stderr, reason = "reports the progress of a long run")]
fn mutated_skills_are_linted_fixed_and_built() {
    let originals = originals();
    assert!(originals.len() >= 50, "{}", originals.len());
    let seconds = std::env::var_os(SECONDS).map(|seconds| {
        let seconds = seconds.to_string_lossy().parse();
        seconds.expect("a number of seconds")
    });
    let (begun, mut seed, mut findings) = (Instant::now(), 0, 0);
    while match seconds {
        Some(seconds) => begun.elapsed() < Duration::from_secs(seconds),
        None => seed < ROUNDS,
    } {
        findings += round(seed, &originals);
        seed += 1;
    }
    assert!(findings > 0);
    eprintln!("{seed} rounds of {SKILLS} skills, {findings} findings");
}
