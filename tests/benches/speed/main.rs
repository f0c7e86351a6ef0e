//! Benchmarks the speed and memory of `skc` relative to a floor that is measured in the same run.
//!
//! Commands run as separate processes, as they do for users. The floor is `skc-floor`, a minimal program that does the
//! same work. Neither program waits for the disk (no fsync). Prints a table, and exits with status 1 if a row exceeds
//! its limit or a part fails. The last rows compare the quality of the searches for skills and sections with `SQLite`'s
//! full-text search.
//!
//! Usage: `cargo bench -p skillc-tests`. With `-- <word>`, runs only the measurements whose names contain the word.

mod catalog;
mod check;
mod code;
mod everywhere;
mod fleet;
mod log;
mod lsp;
mod mcp;
mod memory;
mod race;
mod relevance;
mod retrieval;
mod runs;
mod scripts;
mod skills;
mod stats;
mod table;

use std::fs;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, ExitCode};
use std::time::Duration;

use criterion::Criterion;

use crate::catalog::Machine;
use crate::everywhere::Everywhere;
use crate::fleet::{Fleet, WITH_SECURITY, WITHOUT_SECURITY, check_security, time_lint};
use crate::log::Logging;
use crate::memory::peak_bytes;
use crate::race::{Race, race, time};
use crate::skills::{NAME, Sample};
use crate::table::{Row, table};

/// The size of the skill that most measurements use.
const FILES: usize = 2_000;
const BYTES: usize = 10_000_000;

/// Size of a large skill, and the memory limit of its build.
const LARGE_BYTES: usize = 500_000_000;
const MOST_MEMORY_BYTES: u64 = 300_000_000;

/// Maximum time of the product, as a multiple of the floor's time: for most commands, and for commands that take little
/// longer than the start of a process.
const OVER_FLOOR: f64 = 1.5;
const QUICK_OVER_FLOOR: f64 = 1.8;

/// Maximum time of a build without changes, as a multiple of the time of a walk that stats the same files.
const OVER_WALK: f64 = 3.0;

/// Maximum time of a build after one edit, as a multiple of the time of the same walk plus a copy of the index. (A
/// build replaces the whole index.)
const OVER_COPY: f64 = 3.0;

/// Maximum time to build source code, as a multiple of the time to build the same files as plain text. Below: number
/// and total size of these files.
const OVER_TEXT: f64 = 2.5;
const CODE_FILES: usize = 1_000;
const CODE_BYTES: usize = 8_000_000;

/// Maximum time of `skc --version`, as a multiple of the time of the program `true`; and the maximum size of `skc`.
const OVER_TRUE: f64 = 4.5;
const MOST_PROGRAM_BYTES: u64 = 28_000_000;

/// Number of skills linted together with the corpus, and the maximum time to lint them, as a multiple of the time to
/// read and parse their files.
const FLEET: usize = 2_000;
const OVER_PARSING: f64 = 3.3;

/// A quarter of those skills, and the maximum memory to lint all of them, as a multiple of the memory to lint this
/// quarter. Of each skill, `lint` keeps only the findings in memory.
const QUARTER: usize = FLEET / 4;
const MORE_MEMORY: f64 = 1.25;

/// Maximum time to lint with the security rules, as a multiple of the time without them: for the corpus, and for
/// generated skills. The limit for the corpus is higher because it has more source code and data, which only the
/// security rules read.
const OVER_OTHER_RULES: f64 = 10.0;
const OVER_OTHER_RULES_GENERATED: f64 = 4.5;
/// Number of tiny skills linted with `--format jsonl`, and the maximum memory to lint all of them, as a multiple of the
/// memory to lint a tenth of them. No result is kept in memory.
const REGISTRY: usize = 20_000;
const MORE_STREAMED: f64 = 1.2;

/// Number of skills searched together, and the maximum time of this search, as a multiple of the total time of the same
/// query on each index.
const EVERYWHERE: usize = 500;
const OVER_QUERIES: f64 = 3.0;

/// Maximum time of a scripted check of a 5 KB file, as a multiple of the time to parse that file; and the maximum time
/// that 20 scripted rules add to linting the corpus, as a multiple of the time to lint it without them.
const OVER_PARSING_A_FILE: f64 = 3.0;
const OVER_LINT: f64 = 4.0;

/// Maximum time of a cold catalog search, as a multiple of the time of a walk that reads the beginning of the same
/// files; and the maximum time of a warm search, as a multiple of the time of a walk that stats these files.
const OVER_HEADS: f64 = 3.0;
const OVER_STATS: f64 = 2.0;

/// Heading counts of a single file, in thousands; each is compared with the previous one.
const HEADINGS: [u16; 3] = [1, 10, 100];
const HEADINGS_UNIT: u32 = 1_000;

fn main() -> io::Result<ExitCode> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let mut out = io::stdout();
    if args.iter().all(|arg| arg != "--bench") {
        writeln!(
            out,
            "nothing is measured without `cargo bench -p skillc-tests`"
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut bench = Bench {
        criterion: Criterion::default().without_plots(),
        word: args
            .into_iter()
            .find(|arg| !arg.starts_with('-'))
            .unwrap_or_default(),
        rows: Vec::new(),
    };
    let mut failed = 0;
    for part in [
        Bench::program,
        Bench::many_files,
        Bench::many_headings,
        Bench::large_files,
        Bench::source_code,
        Bench::many_skills,
        Bench::security,
        Bench::scripts,
        Bench::access_log,
        Bench::stats,
        Bench::server,
        Bench::language_server,
        Bench::catalog,
        Bench::everywhere,
        Bench::retrieval,
    ] {
        let before = bench.rows.len();
        // The other parts run even if one fails. The panic hook has already printed the message.
        if catch_unwind(AssertUnwindSafe(|| part(&mut bench))).is_err() {
            failed += 1;
        }
        // Print each part's rows at once, so that they are not lost if the benchmark is interrupted.
        write!(out, "\n{}", table(&bench.rows[before..]))?;
    }
    write!(out, "\n{}", table(&bench.rows))?;
    if failed > 0 {
        writeln!(
            out,
            "\n{failed} parts failed, and their rows may be missing; see the messages above"
        )?;
    }
    let is_ok = failed == 0 && bench.rows.iter().all(Row::is_ok);
    Ok(if is_ok {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

struct Bench {
    criterion: Criterion,
    /// Filter: only measurements whose names contain this word.
    word: String,
    rows: Vec<Row>,
}

impl Bench {
    fn program(&mut self) {
        let program = env!("CARGO_BIN_EXE_skc-under-test");
        let what = "size of the program";
        if self.is_wanted(what) {
            let size = fs::metadata(program).expect("the program").len();
            self.rows
                .push(Row::from_bytes(what, size, MOST_PROGRAM_BYTES));
        }
        if cfg!(unix) {
            let version = || {
                let mut run = Command::new(program);
                run.arg("--version");
                time(run)
            };
            let nothing = || time(Command::new("true"));
            self.times("--version / true", OVER_TRUE, version, nothing);
        }
    }

    fn many_files(&mut self) {
        let sample = Sample::with_files(FILES, BYTES);
        let (query, heading) = (skills::query(), sample.heading(FILES / 3));
        sample.build_all();
        sample.floor_build_all();
        check::same_rows(&sample);
        check::same_answers(&sample, &query, &heading);
        self.builds(&sample);
        sample.build();
        self.readers(&sample, &query, &heading);
    }

    fn builds(&mut self, sample: &Sample) {
        let full = || sample.build_all();
        self.times("full build", OVER_FLOOR, full, || sample.floor_build_all());
        let walk = || time(sample.floor("walk", &[]));
        self.times("unchanged build / walk", OVER_WALK, || sample.build(), walk);
        let path = sample.reference(FILES / 2);
        let text = fs::read_to_string(&path).expect("a file");
        let mut edits = 0;
        let edited = || {
            edits += 1;
            fs::write(&path, format!("{text}Edit {edits}.\n")).expect("should be writable");
            sample.build()
        };
        let (old, new) = (sample.index(), sample.world.home.join("copy.db"));
        let [old, new] = [&old, &new].map(|path| path.to_string_lossy());
        let copy = || time(sample.floor("copy", &[&old, &new]));
        self.times("build after one edit / copy", OVER_COPY, edited, copy);
    }

    fn readers(&mut self, sample: &Sample, query: &str, heading: &str) {
        let db = sample.index();
        let db = db.to_string_lossy();
        let search = || time(sample.skc(&["search", NAME, query]));
        let floor = || time(sample.floor("search", &[&db, query]));
        self.times("search", QUICK_OVER_FLOOR, search, floor);
        let show = || time(sample.skc(&["show", NAME, "--section", heading]));
        let floor = || time(sample.floor("show", &[&db, heading]));
        self.times("show", QUICK_OVER_FLOOR, show, floor);
        let outline = || time(sample.skc(&["outline", NAME]));
        let floor = || time(sample.floor("outline", &[]));
        self.times("outline", OVER_FLOOR, outline, floor);
    }

    fn many_headings(&mut self) {
        for pair in HEADINGS.windows(2) {
            let [fewer, more] = [pair[0], pair[1]].map(|count| u32::from(count) * HEADINGS_UNIT);
            let what = format!("a heading of {more} / of {fewer}");
            if !self.is_wanted(&what) {
                continue;
            }
            let [small, large] = [fewer, more].map(Sample::with_headings);
            let race = self.race(&what, || large.build_all(), || small.build_all());
            self.rows
                .push(Row::from_parts(&what, race, (more, fewer), 1.3));
        }
    }

    fn large_files(&mut self) {
        let what = "peak memory, 500 MB";
        if !self.is_wanted(what) {
            return;
        }
        let sample = Sample::with_large_files(LARGE_BYTES);
        if let Some(peak) = peak_bytes(sample.skc(&["build", NAME])) {
            self.rows
                .push(Row::from_bytes(what, peak, MOST_MEMORY_BYTES));
        }
    }

    fn source_code(&mut self) {
        let what = "full build of source code / plain text";
        if self.is_wanted(what) {
            let [code, text] = Sample::with_code(CODE_FILES, CODE_BYTES);
            let build = || code.build_all();
            self.times(what, OVER_TEXT, build, || text.build_all());
        }
    }

    fn many_skills(&mut self) {
        let (time, memory) = (
            "lint of 2,000 skills and the corpus",
            "peak memory, 2,000 skills / 500",
        );
        if self.is_wanted(time) {
            let fleet = Fleet::new(FLEET).with_corpus();
            fleet.check();
            let floor = || time_lint(fleet.floor());
            self.times(time, OVER_PARSING, || time_lint(fleet.lint()), floor);
        }
        if self.is_wanted(memory) {
            let peaks = [FLEET, QUARTER].map(|count| peak_bytes(Fleet::new(count).lint()));
            if let [Some(all), Some(quarter)] = peaks {
                self.rows
                    .push(Row::from_sizes(memory, all, quarter, MORE_MEMORY));
            }
        }
        let streamed = "peak memory of jsonl, 20,000 skills / 2,000";
        if self.is_wanted(streamed) {
            let peaks = [REGISTRY, REGISTRY / 10];
            let peaks = peaks.map(|count| peak_bytes(Fleet::tiny(count).stream()));
            if let [Some(all), Some(tenth)] = peaks {
                self.rows
                    .push(Row::from_sizes(streamed, all, tenth, MORE_STREAMED));
            }
        }
    }

    fn security(&mut self) {
        let (corpus, generated) = (
            "lint with security rules / without, corpus",
            "lint with security rules / without, 500 skills",
        );
        if self.is_wanted(corpus)
            && let Some(fleet) = Fleet::corpus()
        {
            self.security_rules(corpus, OVER_OTHER_RULES, &fleet);
        }
        if self.is_wanted(generated) {
            self.security_rules(generated, OVER_OTHER_RULES_GENERATED, &Fleet::new(QUARTER));
        }
    }

    fn security_rules(&mut self, what: &str, limit: f64, fleet: &Fleet) {
        check_security();
        let lint = |options: [&str; 2]| {
            let mut run = fleet.lint();
            run.args(options);
            time_lint(run)
        };
        let with = || lint(WITH_SECURITY);
        self.times(what, limit, with, || lint(WITHOUT_SECURITY));
    }

    fn scripts(&mut self) {
        let (check, rules) = (
            "a scripted check of 5 KB / parsing",
            "20 scripted rules, corpus / lint",
        );
        if self.is_wanted(check) {
            let race = scripts::check_of_a_file();
            self.rows
                .push(Row::from_parts(check, race, (1, 1), OVER_PARSING_A_FILE));
        }
        if self.is_wanted(rules)
            && let Some(race) = scripts::twenty_rules()
        {
            self.rows.push(Row::from_times(rules, race, OVER_LINT));
        }
    }

    fn stats(&mut self) {
        if self.is_wanted("stats of a million rows") {
            self.rows.extend(stats::Log::new().rows());
        }
    }

    fn server(&mut self) {
        let what = "skc_search of the server";
        if self.is_wanted(what) {
            self.rows.push(mcp::row(what));
        }
    }

    fn language_server(&mut self) {
        if lsp::TYPING.iter().any(|name| self.is_wanted(name)) {
            self.rows.extend(lsp::typing());
        }
        if lsp::OPENING.iter().any(|name| self.is_wanted(name)) {
            self.rows.extend(lsp::opening());
        }
    }

    fn access_log(&mut self) {
        if self.is_wanted("a row in the usage log") {
            self.rows.extend(Logging::new().rows());
        }
    }

    fn catalog(&mut self) {
        let names = [
            "catalog search, cold",
            "catalog search, warm",
            "skill_search over MCP",
        ];
        if names.iter().all(|name| !self.is_wanted(name)) {
            return;
        }
        let machine = Machine::new();
        let [cold, warm, server] = names;
        let search = || machine.time_search();
        self.times(cold, OVER_HEADS, search, || machine.time_heads());
        machine.sync();
        self.times(warm, OVER_STATS, search, || machine.time_stats());
        if self.is_wanted(server) {
            self.rows.push(machine.searches(server));
        }
    }

    fn everywhere(&mut self) {
        let what = "search --all, 500 skills";
        if self.is_wanted(what) {
            let skills = Everywhere::new(EVERYWHERE);
            let search = || skills.search();
            self.times(what, OVER_QUERIES, search, || skills.floor());
        }
    }

    fn retrieval(&mut self) {
        if self.is_wanted(retrieval::NAME) {
            self.rows.extend(retrieval::rows());
        }
        if self.is_wanted(relevance::NAME) {
            self.rows.extend(relevance::rows());
        }
    }

    fn times(
        &mut self,
        what: &str,
        limit: f64,
        ours: impl FnMut() -> Duration,
        floor: impl FnMut() -> Duration,
    ) {
        if self.is_wanted(what) {
            let race = self.race(what, ours, floor);
            self.rows.push(Row::from_times(what, race, limit));
        }
    }

    fn race(
        &mut self,
        what: &str,
        ours: impl FnMut() -> Duration,
        floor: impl FnMut() -> Duration,
    ) -> Race {
        race(&mut self.criterion, what, ours, floor)
    }

    fn is_wanted(&self, what: &str) -> bool {
        what.contains(&self.word)
    }
}
