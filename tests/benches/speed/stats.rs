//! Time of each `skc stats` query on a log of a million rows. The floor (the minimal program to compare with) reads
//! every row on one thread.

use std::path::PathBuf;

use skillc_tests::{World, database};

use crate::race::{Race, fastest, time};
use crate::table::Row;

/// Number of rows in the log.
const ROWS: u32 = 1_000_000;

/// Number of runs of each query.
const RUNS: usize = 9;

/// Maximum time of the product, as a multiple of the floor's time.
const OVER_FLOOR: f64 = 1.5;

/// Queries: every grouping, and filters that match every row.
const QUESTIONS: [&[&str]; 12] = [
    &["summary"],
    &["sections"],
    &["files"],
    &["commands"],
    &["projects"],
    &["errors"],
    &["search"],
    &["zero-results"],
    &["sessions"],
    &["timeline"],
    &["sections", "--since", "2020-01-01"],
    &["sections", "--project", "/"],
];

/// Generates rows a minute apart, from a server and from short runs. The rows cover 40 files of 10 sections each, 2000
/// queries and 50 directories. One row in thirty is a failure.
const FILL: &str = r#"
    WITH RECURSIVE numbers(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers WHERE i + 1 < {rows}),
    drawn(i, r, s) AS (SELECT i, (i * 7919) % 10007, (i * 104729) % 15013 FROM numbers)
    INSERT INTO access_log (timestamp, run_id, command, skill, skill_path, cwd, args, error)
    SELECT
        strftime('%Y-%m-%dT%H:%M:%SZ', 1577836800 + i * 60, 'unixepoch'),
        CASE WHEN r % 4 = 0 THEN 'server-' || (i / 5000) ELSE 'run-' || (i / 3) END,
        CASE WHEN r % 20 < 9 THEN 'show' WHEN r % 20 < 12 THEN 'open' WHEN r % 20 < 17 THEN 'search' ELSE 'outline' END,
        'demo',
        '{path}',
        '/home/someone/projects/project-' || (s % 50) || '/src',
        CASE
            WHEN r % 20 < 9 THEN json_object('section', 'Section number ' || (s % 10), 'file', 'references/file-' || (s % 40) || '.md', 'max_lines', NULL)
            WHEN r % 20 < 12 THEN json_object('path', 'references/file-' || (s % 40) || '.md', 'max_lines', NULL)
            WHEN r % 20 < 17 THEN json_object('query', 'how to do thing ' || (s % 2000), 'result_count', s % 11)
            ELSE '{"level":null}'
        END,
        CASE WHEN s % 30 = 0 THEN 'error[E020]: section not found: ''x' || (r % 500) || '''' END
    FROM drawn"#;

/// A skill with a large log.
pub(crate) struct Log {
    world: World,
}

impl Log {
    /// Creates the skill and fills its log, which takes a while.
    pub(crate) fn new() -> Self {
        let world = World::demo(&[]);
        // The first command that uses the skill creates the table and its indexes.
        world.skc(["outline", "demo"]).success();
        let path = world.demo_source();
        let sql = FILL
            .replace("{rows}", &ROWS.to_string())
            .replace("{path}", path.to_str().expect("UTF-8"));
        let new = Self { world };
        database::change(&new.path(), &sql);
        new.check();
        new
    }

    /// Runs every query; returns the times compared with the floor.
    pub(crate) fn rows(&self) -> Vec<Row> {
        let db = self.path();
        let db = db.to_string_lossy();
        let floor = env!("CARGO_BIN_EXE_skc-floor");
        let row = |question: &&[&str]| {
            let args = [&["stats", "demo", "-o", "json", "--group-by"], *question].concat();
            let program = env!("CARGO_BIN_EXE_skc-under-test");
            let mut times = [Vec::new(), Vec::new()];
            for _ in 0..RUNS {
                times[0].push(time(self.world.process(program, &args)));
                times[1].push(time(self.world.process(floor, &["rows", &*db])));
            }
            let [ours, floor] = times.map(fastest);
            let what = format!("stats {}, a million rows", question.join(" "));
            Row::from_times(&what, Race { ours, floor }, OVER_FLOOR)
        };
        QUESTIONS.iter().map(row).collect()
    }

    fn path(&self) -> PathBuf {
        self.world.demo_runtime().join(".skillc-meta/logs.db")
    }

    /// Asserts that every row is counted.
    fn check(&self) {
        let output = self.world.skc(["stats", "demo", "-o", "json"]).success();
        let total = output.json()["data"]["total_accesses"].as_u64();
        assert_eq!(total, Some(u64::from(ROWS) + 1));
        assert_eq!(output.stderr, "");
    }
}
