//! Latency of sequential `skc_search` calls over pipes. The floor is a minimal server whose tool does the minimum work
//! of a search and returns the same answer.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::race::{Race, median};
use crate::skills::{NAME, Sample, words};
use crate::table::Row;

/// The skill to search, larger than most: number of reference files, and bytes per file.
const FILES: usize = 40;
const FILE_BYTES: usize = 6_000;

/// Number of calls in total, and number of calls per turn: the product and the floor take turns.
const CALLS: usize = 10_000;
const AT_ONCE: usize = 100;

/// Maximum time of the product, as a multiple of the floor's time.
const OVER_FLOOR: f64 = 2.5;

/// Measures the product and the floor alternately; returns the medians.
///
/// # Panics
/// If an answer is wrong.
pub(crate) fn row(what: &str) -> Row {
    let sample = Sample::with_references(FILES, FILE_BYTES);
    sample.build();
    let query = words([40, 90]);
    let params = json!({"name": "skc_search", "arguments": {"skill": NAME, "query": query}});
    let mut ours = Server::start(sample.skc(&["mcp"]));
    let call = ours.call("tools/call", &params);
    let answer = answer(&call);
    let hits = answer["structuredContent"]["results"].as_array();
    let hits = hits.map(Vec::len).unwrap_or_default();
    assert!(hits > 0, "{answer}");
    let path = sample.world.home.join("answer.json");
    fs::write(&path, answer.to_string()).expect("a file");
    let arguments = [&path, &sample.source, &sample.index(), &sample.world.home];
    let [path, source, index, home] = arguments.map(|path| path.to_string_lossy());
    let arguments = [&path, &*hits.to_string(), &source, &index, &home, &query];
    let program = env!("CARGO_BIN_EXE_skc-bare-mcp");
    let mut bare = Server::start(sample.world.process(program, &arguments));

    let mut times: [Vec<Duration>; 2] = Default::default();
    for turn in 0..=CALLS / AT_ONCE {
        let calls = [
            ours.times("tools/call", &params, AT_ONCE),
            bare.times("tools/call", &params, AT_ONCE),
        ];
        // The first turn warms up.
        if turn > 0 {
            times
                .iter_mut()
                .zip(calls)
                .for_each(|(all, these)| all.extend(these));
        }
    }
    let [ours, floor] = times.map(median);
    let race = Race { ours, floor };
    Row::from_parts(what, race, (1, 1), OVER_FLOOR)
}

fn answer(line: &[u8]) -> Value {
    let mut message: Value = serde_json::from_slice(line).expect("JSON");
    let answer = message["result"].take();
    assert_eq!(answer["isError"], json!(false), "{message}");
    answer
}

/// A server process connected by pipes.
pub(crate) struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last_id: usize,
}

impl Server {
    /// Starts a server and performs the handshake.
    pub(crate) fn start(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let mut server = Self {
            child,
            input: input.expect("a pipe"),
            output: BufReader::with_capacity(1 << 20, output.expect("a pipe")),
            last_id: 0,
        };
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "a benchmark", "version": "1"}});
        server.call("initialize", &hello);
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        server.send(&ready);
        server
    }

    fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        let written = self.input.write_all(line.as_bytes());
        written.expect("the server reads");
    }

    /// Makes a call; returns the response line.
    pub(crate) fn call(&mut self, method: &str, params: &Value) -> Vec<u8> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let mut line = Vec::new();
        let read = self.output.read_until(b'\n', &mut line);
        assert!(read.expect("the server writes") > 0, "no answer");
        line
    }

    /// Makes `count` calls; returns the duration of each.
    pub(crate) fn times(&mut self, method: &str, params: &Value, count: usize) -> Vec<Duration> {
        let time = |_| {
            let begun = Instant::now();
            self.call(method, params);
            begun.elapsed()
        };
        (0..count).map(time).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().unwrap_or_default();
        self.child.wait().map(drop).unwrap_or_default();
    }
}
