//! The minimum work for a search in a server: `stat` on every file and directory of the skill, the query, a row in the
//! usage log and two in the audit log. All databases and inputs are prepared beforehand.

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};
use skillc_core::time::Timestamp;
use skillc_storage::access_log::append;
use skillc_storage::{Access, AuditLog};
use walkdir::WalkDir;

const BEST: &str = "SELECT file, section, snippet(sections, 2, '[MATCH]', '[/MATCH]', '...', 32),
        rank, start_line, end_line
    FROM sections LEFT JOIN section_lines ON section_lines.rowid = sections.rowid
    WHERE sections MATCH ?1 AND rank MATCH 'bm25(0.5, 5.0, 1.0)' ORDER BY rank LIMIT 10";

const ACCESS: &str = "INSERT INTO access_log
    (timestamp, run_id, command, skill, skill_path, cwd, args, error)
    VALUES ('2026-01-31T08:15:00Z', '20260131T081500Z-00ff', 'search', 'bench',
            '/home/user/project/.skillc/skills/bench', '/home/user/project', ?1, NULL)";

const ENTER: &str = "INSERT INTO audit (call_id, phase, ts, run_id, tool, cwd, args)
    VALUES (?1, 'enter', '2026-01-31T08:15:00.000Z', '20260131T081500Z-00ff', 'skc_search', '/home/user/project', ?2)";

const EXIT: &str = "INSERT INTO audit (call_id, phase, ts, run_id, tool, cwd,
        ok, duration_ms, result_bytes, result_sha256)
    VALUES (?1, 'exit', '2026-01-31T08:15:00.000Z', '20260131T081500Z-00ff', 'skc_search', '/home/user/project',
            1, 0.5, 8000, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')";

/// A search hit.
struct Hit {
    _file: String,
    _section: String,
    _snippet: String,
    _rank: f64,
    _lines: (usize, usize),
}

/// The open databases and prepared inputs.
pub(crate) struct Least {
    seen: Vec<PathBuf>,
    expression: String,
    args: String,
    calls: usize,
    index: Connection,
    log: Connection,
    audit: Connection,
}

impl Least {
    /// Opens an existing index and creates the two logs.
    ///
    /// `source`: the skill's directory; `home`: the directory for the logs.
    pub(crate) fn new([source, index, home]: [&Path; 3], query: &str) -> Self {
        let walk = WalkDir::new(source).into_iter();
        let quoted: Vec<String> = query.split(' ').map(|word| format!("\"{word}\"")).collect();
        Self {
            seen: walk
                .map(|entry| entry.expect("should exist").into_path())
                .collect(),
            expression: quoted.join(" "),
            args: format!(r#"{{"query":"{query}","result_count":10}}"#),
            calls: 0,
            index: open_index(index),
            log: new_log(&home.join("least/logs.db")),
            audit: new_audit(&home.join("least/state.db")),
        }
    }

    /// Does the work of one search; returns the number of hits.
    pub(crate) fn once(&mut self) -> usize {
        self.calls += 1;
        for path in &self.seen {
            black_box(fs::symlink_metadata(path).expect("should exist"));
        }
        let call = format!("call-{:08}", self.calls);
        insert(&self.audit, ENTER, (&call, &self.args)).expect("a row");
        let hits = black_box(self.search().expect("an index")).len();
        insert(&self.log, ACCESS, [&self.args]).expect("a row");
        insert(&self.audit, EXIT, [&call]).expect("a row");
        hits
    }

    fn search(&self) -> rusqlite::Result<Vec<Hit>> {
        let mut best = self.index.prepare_cached(BEST)?;
        let found = best.query_map([&self.expression], |row| {
            Ok(Hit {
                _file: row.get(0)?,
                _section: row.get(1)?,
                _snippet: row.get(2)?,
                _rank: row.get(3)?,
                _lines: (row.get(4)?, row.get(5)?),
            })
        })?;
        found.collect()
    }
}

fn insert(db: &Connection, sql: &str, row: impl rusqlite::Params) -> rusqlite::Result<usize> {
    db.prepare_cached(sql)?.execute(row)
}

fn open_index(path: &Path) -> Connection {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    let uri = format!("file:{}?immutable=1", path.display());
    Connection::open_with_flags(uri, flags).expect("an index")
}

/// Creates and opens a log the way the product does.
fn new_log(path: &Path) -> Connection {
    let access = Access {
        timestamp: Timestamp(0),
        run_id: "r".to_owned(),
        command: "search".to_owned(),
        skill: "bench".to_owned(),
        skill_path: "/".to_owned(),
        cwd: "/".to_owned(),
        args: "{}".to_owned(),
        error: None,
    };
    append(path, &access).expect("a log");
    open_log(path)
}

fn new_audit(path: &Path) -> Connection {
    drop(AuditLog::open(path).expect("a log of calls"));
    let audit = open_log(path);
    let settings = "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 250";
    audit.execute_batch(settings).expect("a log of calls");
    audit
}

fn open_log(path: &Path) -> Connection {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let log = Connection::open_with_flags(path, flags).expect("a log");
    log.execute_batch("PRAGMA synchronous = OFF")
        .expect("a log");
    log
}
