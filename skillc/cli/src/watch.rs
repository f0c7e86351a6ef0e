//! A command again and again: once at first, then after every edit, until Ctrl-C.
//!
//! What the command is does not matter here: a [`Round`] says how it went and what it depends on.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use clap::ArgMatches;
use skillc_core::Error;
use skillc_ops::Stop;
use skillc_ops::watched::{Snapshot, Watched};

use crate::report::Io;

/// The id of `--watch`.
const WATCH: &str = "watch";

/// How often files are looked at, unless that takes long.
const INTERVAL: Duration = Duration::from_millis(200);

/// How much longer than a look the pause after it is.
const REST: u32 = 10;

/// The longest pause, and the longest wait for edits to end.
const LONGEST: Duration = Duration::from_secs(2);

/// The exit status of what Ctrl-C ended before there was a result.
const INTERRUPTED: u8 = 130;

/// What begins each run on a terminal: an empty screen.
const CLEAR: &str = "\u{1b}[2J\u{1b}[3J\u{1b}[H";

/// What stands between two results elsewhere.
const SEPARATOR: &str = "--------\n";

/// How one run went.
pub(crate) struct Round {
    /// What the command would end with.
    pub(crate) status: ExitCode,
    /// The files that it wrote.
    pub(crate) written: Vec<PathBuf>,
}

impl Round {
    /// A run that wrote nothing.
    pub(crate) const fn failed(status: ExitCode) -> Self {
        let written = Vec::new();
        Self { status, written }
    }
}

/// Says whether a command is to be run after every edit.
pub(crate) fn is_watching(matches: &ArgMatches) -> bool {
    let asked = matches.try_get_one::<bool>(WATCH);
    asked.ok().flatten().copied().unwrap_or(false)
}

/// Runs a command after every edit; returns the status of the last run that was not cut off.
///
/// `watched`: what it depends on, asked before each run.
pub(crate) fn watch(
    io: &mut Io<'_>,
    stop: &Stop,
    watched: &dyn Fn() -> Watched,
    run: &mut dyn FnMut(&mut Io<'_>) -> Round,
) -> ExitCode {
    let (tell, told) = mpsc::channel();
    let raised = stop.clone();
    let set = ctrlc::set_handler(move || {
        raised.raise();
        tell.send(()).unwrap_or_default();
    });
    if let Err(error) = set {
        return io.fail(&Error::internal(format!("waiting for Ctrl-C: {error}")));
    }
    let is_terminal = io::stdout().is_terminal();
    let mut last = ExitCode::from(INTERRUPTED);
    let mut is_first = true;
    loop {
        let places = watched();
        let before = places.look();
        let begin = match (is_terminal, is_first) {
            (true, _) => CLEAR,
            (false, true) => "",
            (false, false) => SEPARATOR,
        };
        is_first = false;
        if io
            .out
            .write_all(begin.as_bytes())
            .and_then(|()| io.out.flush())
            .is_err()
        {
            // Nobody reads any more.
            return last;
        }
        let round = run(io);
        if stop.is_raised() {
            return last;
        }
        last = round.status;
        if is_terminal {
            io.hint(&announcement(&places));
        }
        if io.out.flush().is_err() {
            return last;
        }
        let own = round
            .written
            .iter()
            .filter_map(|path| path.canonicalize().ok());
        let own: BTreeSet<PathBuf> = own.collect();
        if wait(&places, &before, &own, &told) == Woken::ByTheUser {
            return last;
        }
    }
}

/// Why waiting ended.
#[derive(PartialEq, Eq)]
enum Woken {
    ByAnEdit,
    ByTheUser,
}

/// Waits for an edit since the run began, and until it is over.
///
/// `own`: what the run itself wrote.
fn wait(
    places: &Watched,
    before: &Snapshot,
    own: &BTreeSet<PathBuf>,
    told: &Receiver<()>,
) -> Woken {
    let (mut now, mut pause) = look(places);
    let mut is_edited = now.has_changed_since(before, own);
    while !is_edited {
        if is_over(told, pause) {
            return Woken::ByTheUser;
        }
        let (next, rest) = look(places);
        is_edited = next.has_changed_since(&now, &BTreeSet::new());
        (now, pause) = (next, rest);
    }
    // An editor or a checkout writes several files, one after the other.
    let since = Instant::now();
    while since.elapsed() < LONGEST {
        if is_over(told, pause) {
            return Woken::ByTheUser;
        }
        let (next, rest) = look(places);
        if !next.has_changed_since(&now, &BTreeSet::new()) {
            break;
        }
        (now, pause) = (next, rest);
    }
    Woken::ByAnEdit
}

/// Looks at all files; returns how long to wait before the next look, too.
fn look(places: &Watched) -> (Snapshot, Duration) {
    let begun = Instant::now();
    let now = places.look();
    (now, (begun.elapsed() * REST).clamp(INTERVAL, LONGEST))
}

fn is_over(told: &Receiver<()>, pause: Duration) -> bool {
    told.recv_timeout(pause) != Err(RecvTimeoutError::Timeout)
}

fn announcement(places: &Watched) -> String {
    match places.trees.as_slice() {
        [only] => format!("\nWatching {}; Ctrl-C ends it.", only.display()),
        trees => format!("\nWatching {} folders; Ctrl-C ends it.", trees.len()),
    }
}
