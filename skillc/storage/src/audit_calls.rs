//! Reads the audit log, and combines the two rows of each call: the row written before the call and the row written
//! after it.
//!
//! The rows are read once, in the order in which they were written. A call with only the first row did not finish; a
//! call with only the second row was refused. Reading does not change the file.
//!
//! Design: REG-MW, catalog-commands, catalog-files.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, params_from_iter};
use skillc_core::Stop;
use skillc_core::time::Timestamp;

use crate::access_stats::{second, text};
use crate::state::{COLUMNS, StateUnusable, open_to_read};

/// How many calls beyond the limit are collected before the oldest calls are dropped; also the maximum number of
/// unfinished calls in memory.
const SLACK: usize = 1_000;

/// The maximum size of a value, in bytes, which is more than a server writes. Longer values are treated as missing,
/// because even a small file can contain thousands of long values.
const MAX_VALUE_BYTES: usize = 16 << 10;

/// A call to a server.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The unique id of the call.
    pub call_id: String,
    /// The time at which the call began or was refused: `2026-01-31T08:15:00.123Z`.
    pub at: String,
    /// The id of the run to which the call belongs.
    pub run_id: String,
    /// The tool's name.
    pub tool: String,
    /// The working directory.
    pub cwd: String,
    /// The arguments as JSON: an object or, if its text was too long, a string with the beginning of the text.
    pub args: Option<String>,
    /// How the call ended; `None` if it did not finish.
    pub end: Option<CallEnd>,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CallEnd {
    /// Whether the call succeeded; `None` if it ended with a question to the user.
    pub ok: Option<bool>,
    /// The error code: `E001`, `CANCELLED`.
    pub error_code: Option<String>,
    /// The error message.
    pub error_message: Option<String>,
    /// The duration of the call.
    pub duration_ms: Option<f64>,
    /// The size of the answer, in bytes.
    pub result_bytes: Option<u64>,
    /// The SHA-256 of the answer.
    pub result_sha256: Option<String>,
    /// Warnings returned with the answer.
    pub warnings: Vec<String>,
}

/// Selects calls.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallFilter {
    /// The tools; empty means all.
    pub tools: Vec<String>,
    /// The start of the time range, inclusive.
    pub since: Option<Timestamp>,
    /// The end of the time range, inclusive.
    pub until: Option<Timestamp>,
    /// Whether to return only calls that failed.
    pub errors_only: bool,
    /// The maximum number of calls to return. If there are more, the newest calls are returned.
    pub limit: usize,
}

/// The selected calls.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Calls {
    /// The newest calls, newest first.
    pub newest: Vec<Call>,
    /// The number of all selected calls, including those beyond the limit.
    pub total: u64,
}

/// Reads the calls in a state file. Returns `None` if the file does not exist or is empty. `is_wanted`: an additional
/// filter, called before the warnings of a call are parsed. `stop`: cancels reading.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub fn read_calls(
    db: &Path,
    filter: &CallFilter,
    is_wanted: fn(&Call) -> bool,
    stop: &Stop,
) -> Result<Option<Calls>, StateUnusable> {
    let Some(connection) = open_to_read(db, stop)? else {
        return Ok(None);
    };
    if connection.is_damaged()? {
        return Err(StateUnusable::Damaged);
    }
    let mut found = SelectedCalls::new(filter, is_wanted);
    let begun = read_rows(&connection, filter, &mut found)?;
    for (id, call) in begun.into_values() {
        found.take(id, call);
    }
    Ok(Some(found.finish()))
}

/// Reads the rows. Returns the unfinished calls, each with its row number.
fn read_rows(
    connection: &Connection,
    filter: &CallFilter,
    found: &mut SelectedCalls<'_>,
) -> Result<HashMap<String, (i64, Call)>, StateUnusable> {
    let tools = vec!["?"; filter.tools.len()].join(", ");
    let only = if tools.is_empty() {
        String::new()
    } else {
        // The unary plus prevents `SQLite` from using an index, and thus preserves the row order.
        format!("WHERE +tool IN ({tools})")
    };
    let columns = COLUMNS.split(',').map(|name| {
        let name = name.trim();
        format!("CASE WHEN octet_length({name}) <= {MAX_VALUE_BYTES} THEN {name} END")
    });
    let columns = columns.collect::<Vec<_>>().join(", ");
    let mut statement =
        connection.prepare(&format!("SELECT {columns} FROM audit {only} ORDER BY id"))?;
    let mut rows = statement.query(params_from_iter(&filter.tools))?;
    let mut begun: HashMap<String, (i64, Call)> = HashMap::new();
    while let Some(row) = rows.next()? {
        let (id, call) = (row.get(0)?, call(row)?);
        let is_end = text(row.get_ref(1)?) == "exit";
        let before = begun.remove(&call.call_id);
        if is_end {
            let (id, mut call) = before.unwrap_or((id, call));
            call.end = Some(end(row)?);
            found.take(id, call);
        } else {
            // The id occurs again, so the earlier call will never finish.
            if let Some((id, call)) = before {
                found.take(id, call);
            }
            begun.insert(call.call_id.clone(), (id, call));
        }
        if begun.len() >= SLACK {
            take_older_half(&mut begun, found);
        }
    }
    Ok(begun)
}

/// Adds the older half of the unfinished calls to the results, because these calls will probably never finish.
fn take_older_half(begun: &mut HashMap<String, (i64, Call)>, found: &mut SelectedCalls<'_>) {
    let mut ids: Vec<i64> = begun.values().map(|(id, _)| *id).collect();
    ids.sort_unstable();
    let middle = ids[ids.len() / 2];
    for (_, (id, call)) in begun.extract_if(|_, (id, _)| *id < middle) {
        found.take(id, call);
    }
}

fn call(row: &Row<'_>) -> Result<Call, StateUnusable> {
    let column = |at| row.get_ref(at).map(|value| text(value).to_owned());
    Ok(Call {
        call_id: column(2)?,
        at: column(3)?,
        run_id: column(4)?,
        tool: column(5)?,
        cwd: column(6)?,
        args: optional(row.get_ref(7)?),
        end: None,
    })
}

/// Reads the columns that describe how a call ended. The text of the call's warnings is not parsed yet:
/// [`with_parsed_warnings`] parses the warnings of the calls that are returned.
fn end(row: &Row<'_>) -> Result<CallEnd, StateUnusable> {
    Ok(CallEnd {
        ok: match row.get_ref(8)? {
            ValueRef::Integer(ok) => Some(ok != 0),
            _ => None,
        },
        error_code: optional(row.get_ref(9)?),
        error_message: optional(row.get_ref(10)?),
        duration_ms: row.get_ref(11)?.as_f64().ok(),
        result_bytes: match row.get_ref(12)? {
            ValueRef::Integer(bytes) => u64::try_from(bytes).ok(),
            _ => None,
        },
        result_sha256: optional(row.get_ref(13)?),
        warnings: optional(row.get_ref(14)?).into_iter().collect(),
    })
}

fn with_parsed_warnings(mut call: Call) -> Call {
    if let Some(end) = &mut call.end
        && let Some(text) = end.warnings.pop()
    {
        end.warnings = serde_json::from_str(&text).unwrap_or_else(|_| vec![text]);
    }
    call
}

/// Returns the text of a value; `None` if the value is not text.
fn optional(value: ValueRef<'_>) -> Option<String> {
    matches!(value, ValueRef::Text(_)).then(|| text(value).to_owned())
}

struct SelectedCalls<'a> {
    filter: &'a CallFilter,
    is_wanted: fn(&Call) -> bool,
    since: Option<String>,
    until: Option<String>,
    calls: Vec<(i64, Call)>,
    total: u64,
}

impl<'a> SelectedCalls<'a> {
    fn new(filter: &'a CallFilter, is_wanted: fn(&Call) -> bool) -> Self {
        let after = |last: Timestamp| second(Timestamp(last.0.saturating_add(1)));
        Self {
            filter,
            is_wanted,
            since: filter.since.map(second),
            until: filter.until.map(after),
            calls: Vec::new(),
            total: 0,
        }
    }

    /// Adds a call if it is selected. `id`: the number of the call's first row.
    fn take(&mut self, id: i64, call: Call) {
        let failed = call.end.as_ref().is_some_and(|end| end.ok == Some(false));
        let is_asked = (failed || !self.filter.errors_only)
            && self.since.as_ref().is_none_or(|since| call.at >= *since)
            && self.until.as_ref().is_none_or(|until| call.at < *until)
            && (self.is_wanted)(&call);
        if !is_asked {
            return;
        }
        self.total += 1;
        self.calls.push((id, call));
        if self.calls.len() >= self.filter.limit.saturating_add(SLACK) {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        self.calls.sort_by(|(a, first), (b, second)| {
            Reverse((&first.at, a)).cmp(&Reverse((&second.at, b)))
        });
        self.calls.truncate(self.filter.limit);
    }

    fn finish(mut self) -> Calls {
        self.drop_oldest();
        let newest = self.calls.into_iter();
        Calls {
            newest: newest.map(|(_, call)| with_parsed_warnings(call)).collect(),
            total: self.total,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::fs;

    use crate::audit_log::{CallBegun, CallEnded};
    use crate::audit_testkit::{AT_MS, TempDatabase, begun, ended};
    use crate::pages_testkit::share_pages;

    const ALL: CallFilter = CallFilter {
        tools: Vec::new(),
        since: None,
        until: None,
        errors_only: false,
        limit: 50,
    };

    const ANY: fn(&Call) -> bool = |_| true;

    fn read(place: &TempDatabase, filter: &CallFilter) -> Calls {
        read_calls(&place.db, filter, ANY, &Stop::default())
            .unwrap()
            .expect("a log")
    }

    #[test]
    fn a_log_that_uses_pages_twice_is_not_read() {
        for name in ["audit", "idx_audit_call"] {
            let place = TempDatabase::new();
            place.log().enter(&begun("c1")).unwrap();
            share_pages(&place.db, name);
            let calls = read_calls(&place.db, &ALL, ANY, &Stop::default());
            assert_eq!(calls, Err(StateUnusable::Damaged), "{name}");
        }
    }

    fn ids(calls: &Calls) -> Vec<&str> {
        calls.newest.iter().map(|call| &*call.call_id).collect()
    }

    /// Creates a log of overlapping calls, one second apart.
    fn some_calls() -> TempDatabase {
        let place = TempDatabase::new();
        let mut log = place.log();
        let at = |seconds: i64| AT_MS + seconds * 1_000;
        log.enter(&CallBegun {
            at_ms: at(0),
            ..begun("slow")
        })
        .unwrap();
        log.enter(&CallBegun {
            at_ms: at(1),
            tool: "skc_list".into(),
            ..begun("killed")
        })
        .unwrap();
        log.exit(&CallEnded {
            at_ms: at(2),
            ok: Some(false),
            error_code: Some("E100".into()),
            args: Some("{\"limits\":1}".into()),
            ..ended("refused")
        })
        .unwrap();
        log.enter(&CallBegun {
            at_ms: at(3),
            ..begun("asked")
        })
        .unwrap();
        log.exit(&CallEnded {
            at_ms: at(4),
            ok: None,
            ..ended("asked")
        })
        .unwrap();
        log.exit(&CallEnded {
            at_ms: at(9),
            ..ended("slow")
        })
        .unwrap();
        place
    }

    #[test]
    fn rows_of_a_call_are_joined() {
        let calls = read(&some_calls(), &ALL);
        assert_eq!(ids(&calls), ["asked", "refused", "killed", "slow"]);
        assert_eq!(calls.total, 4);
        let [asked, refused, killed, slow] = &calls.newest[..] else {
            panic!("{calls:?}");
        };
        assert_eq!(slow.at, "2026-01-31T08:15:00.123Z");
        assert_eq!(slow.args, begun("").args);
        let end = slow.end.as_ref().unwrap();
        assert_eq!(
            (end.ok, end.duration_ms, end.result_bytes),
            (Some(true), Some(3.5), Some(120))
        );
        assert_eq!((&killed.end, &*killed.tool), (&None, "skc_list"));
        assert_eq!(refused.at, "2026-01-31T08:15:02.123Z");
        assert_eq!(refused.args.as_deref(), Some("{\"limits\":1}"));
        assert_eq!(
            refused.end.as_ref().unwrap().error_code.as_deref(),
            Some("E100")
        );
        assert_eq!(asked.end.as_ref().unwrap().ok, None);
    }

    #[test]
    fn calls_are_filtered_by_tool_time_and_outcome() {
        let place = some_calls();
        let second = |seconds| Some(Timestamp(AT_MS / 1_000 + seconds));
        let cases = [
            (
                CallFilter {
                    tools: vec!["skc_list".into()],
                    ..ALL
                },
                vec!["killed"],
            ),
            (
                CallFilter {
                    tools: vec!["x".into(), "skc_show".into()],
                    ..ALL
                },
                vec!["asked", "refused", "slow"],
            ),
            (
                CallFilter {
                    tools: vec!["skc_sho".into()],
                    ..ALL
                },
                vec![],
            ),
            (
                CallFilter {
                    since: second(2),
                    ..ALL
                },
                vec!["asked", "refused"],
            ),
            // The time of a call is the time of its start.
            (
                CallFilter {
                    until: second(1),
                    ..ALL
                },
                vec!["killed", "slow"],
            ),
            (
                CallFilter {
                    since: second(1),
                    until: second(1),
                    ..ALL
                },
                vec!["killed"],
            ),
            (
                CallFilter {
                    errors_only: true,
                    ..ALL
                },
                vec!["refused"],
            ),
        ];
        for (filter, expected) in cases {
            let calls = read(&place, &filter);
            assert_eq!(ids(&calls), expected, "{filter:?}");
            assert_eq!(calls.total, expected.len() as u64);
        }
    }

    #[test]
    fn the_newest_are_returned_and_all_are_counted() {
        let place = TempDatabase::new();
        let mut log = place.log();
        for call in 0..i64::try_from(SLACK).unwrap() + 7 {
            let id = call.to_string();
            // The clock sometimes goes backwards.
            let at_ms = AT_MS + call - call % 3 * 2;
            log.enter(&CallBegun {
                at_ms,
                ..begun(&id)
            })
            .unwrap();
            log.exit(&CallEnded {
                at_ms,
                ..ended(&id)
            })
            .unwrap();
        }
        let calls = read(&place, &CallFilter { limit: 3, ..ALL });
        assert_eq!(ids(&calls), ["1005", "1006", "1002"]);
        assert_eq!(calls.total, 1_007);
        let none = read(&place, &CallFilter { limit: 0, ..ALL });
        assert_eq!((none.newest.len(), none.total), (0, 1_007));
    }

    #[test]
    fn only_wanted_calls_are_kept_and_counted() {
        let place = some_calls();
        let is_finished = |call: &Call| call.end.is_some();
        let filter = CallFilter { limit: 2, ..ALL };
        let calls = read_calls(&place.db, &filter, is_finished, &Stop::default())
            .unwrap()
            .expect("a log");
        assert_eq!(ids(&calls), ["asked", "refused"]);
        assert_eq!(calls.total, 3);
    }

    #[test]
    fn long_values_are_missing_and_few_unfinished_calls_are_kept() {
        let place = TempDatabase::new();
        drop(place.log());
        let most = i64::try_from(SLACK).unwrap();
        place.run(&format!(
            "WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 2 * {most})
             INSERT INTO audit (call_id, phase, ts, run_id, tool, cwd, args)
                SELECT n, 'enter', printf('%05d', n), '', '', '', zeroblob(0) FROM number;
             UPDATE audit SET args = CAST(zeroblob({MAX_VALUE_BYTES} + 1) AS TEXT), tool = 'x';
             INSERT INTO audit (call_id, phase, ts, run_id, tool, cwd) VALUES
                ('1', 'exit', '1', '', '', ''), ('{}', 'exit', '2', '', '', '');",
            2 * most
        ));
        let connection = open_to_read(&place.db, &Stop::default()).unwrap().unwrap();
        let filter = CallFilter { limit: 3, ..ALL };
        let mut found = SelectedCalls::new(&filter, ANY);
        let begun = read_rows(&connection, &filter, &mut found).unwrap();
        assert!(begun.len() < SLACK, "{}", begun.len());
        assert!(begun.values().all(|(_, call)| call.args.is_none()));
        // The first call counts twice, because its second row is far from its first row.
        let calls = read(&place, &filter);
        assert_eq!(calls.total, 2 * most.unsigned_abs() + 1);
        assert_eq!(ids(&calls), ["1", "2000", "1999"]);
        assert!(calls.newest[1].end.is_some());
    }

    #[test]
    fn invalid_rows_are_read_as_far_as_possible() {
        let place = TempDatabase::new();
        drop(place.log());
        place.run(
            "INSERT INTO audit (call_id, phase, ts, run_id, tool, cwd, args) VALUES
                ('a', 'enter', 'then', x'00', 7, '', '{'), ('a', 'enter', '2', '', '', '', '\"cut');
             INSERT INTO audit (call_id, phase, ts, run_id, tool, cwd, ok, duration_ms, result_bytes, warnings) VALUES
                ('a', 'exit', '3', '', '', '', 'yes', 'long', -1, 'odd'),
                ('a', 'exit', '4', '', '', '', 7, 1, 2.5, '{}');",
        );
        let calls = read(&place, &ALL);
        let seen: Vec<_> = calls
            .newest
            .iter()
            .map(|call| (&*call.at, call.end.clone()))
            .collect();
        let odd = |warnings: &str| CallEnd {
            warnings: vec![warnings.into()],
            ..CallEnd::default()
        };
        assert_eq!(
            seen,
            [
                ("then", None),
                (
                    "4",
                    Some(CallEnd {
                        ok: Some(true),
                        duration_ms: Some(1.0),
                        ..odd("{}")
                    })
                ),
                ("2", Some(odd("odd"))),
            ]
        );
        assert_eq!(calls.newest[0].args.as_deref(), Some("{"));
    }

    /// Tests the logs of a running server, of a killed server and of a server that has exited, and the log of a program
    /// that did not use WAL mode.
    #[test]
    fn reading_changes_nothing() {
        let place = TempDatabase::new();
        let mut log = place.log();
        log.enter(&begun("c1")).unwrap();
        let running = place.files();
        assert_eq!(ids(&read(&place, &ALL)), ["c1"]);
        let shared = |path: &std::path::PathBuf| path.to_string_lossy().ends_with("-shm");
        let without_locks = |mut files: std::collections::BTreeMap<_, _>| {
            files.retain(|path, _| !shared(path));
            files
        };
        assert!(without_locks(place.files()) == without_locks(running.clone()));
        drop(log);
        let ended = place.files();
        assert_eq!(ids(&read(&place, &ALL)), ["c1"]);
        assert!(place.files() == ended);
        for (path, bytes) in &running {
            fs::write(path, bytes).unwrap();
        }
        assert_eq!(ids(&read(&place, &ALL)), ["c1"]);
        assert!(without_locks(place.files()) == without_locks(running));
        place.run("PRAGMA journal_mode = DELETE");
        let plain = place.files();
        assert_eq!(ids(&read(&place, &ALL)), ["c1"]);
        assert!(place.files() == plain);
    }

    #[test]
    fn missing_and_empty_logs_have_no_rows() {
        let place = TempDatabase::new();
        assert_eq!(read_calls(&place.db, &ALL, ANY, &Stop::default()), Ok(None));
        place.make_folder();
        assert_eq!(read_calls(&place.db, &ALL, ANY, &Stop::default()), Ok(None));
        assert!(place.files().is_empty());
        fs::write(&place.db, "").unwrap();
        assert_eq!(read_calls(&place.db, &ALL, ANY, &Stop::default()), Ok(None));
        assert_eq!(fs::read(&place.db).unwrap(), b"");
    }

    #[test]
    fn unreadable_files_are_reported_and_left_unchanged() {
        let newer = include_str!("schema/state_v1.sql").to_owned() + "PRAGMA user_version = 3;";
        let cases = [
            (&*newer, StateUnusable::Newer),
            ("CREATE TABLE other(x);", StateUnusable::Foreign),
            ("CREATE TABLE audit(x);", StateUnusable::Foreign),
            (
                "CREATE VIEW audit AS SELECT 1 AS call_id;",
                StateUnusable::Foreign,
            ),
            (
                "PRAGMA user_version = 9; CREATE TABLE other(x);",
                StateUnusable::Foreign,
            ),
        ];
        for (sql, reason) in cases {
            let place = TempDatabase::with(sql);
            let before = place.files();
            assert_eq!(
                read_calls(&place.db, &ALL, ANY, &Stop::default()),
                Err(reason),
                "{sql}"
            );
            assert!(place.files() == before, "{sql}");
        }
        let place = TempDatabase::new();
        let mut log = place.log();
        for call in 0..200 {
            log.enter(&begun(&call.to_string())).unwrap();
        }
        drop(log);
        let whole = fs::read(&place.db).unwrap();
        let mut holes = whole.clone();
        holes[8_192..].fill(0x5a);
        for bytes in [
            b"not a database".repeat(100),
            whole[..whole.len() / 2].to_vec(),
            holes,
        ] {
            fs::write(&place.db, &bytes).unwrap();
            assert_eq!(
                read_calls(&place.db, &ALL, ANY, &Stop::default()),
                Err(StateUnusable::Damaged)
            );
            assert!(fs::read(&place.db).unwrap() == bytes);
        }
        fs::remove_file(&place.db).unwrap();
        fs::create_dir(&place.db).unwrap();
        assert_eq!(
            read_calls(&place.db, &ALL, ANY, &Stop::default()),
            Err(StateUnusable::Foreign)
        );
    }
}
