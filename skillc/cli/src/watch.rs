//! Watch mode: runs a command once, then again after every edit, until Ctrl-C.
//!
//! This module is independent of the command: a [`Round`] reports how a run went and which files the run wrote.

use std::collections::BTreeSet;
#[cfg(unix)]
use std::fs::File;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::{self, ExitCode};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use clap::ArgMatches;
use skillc_core::Error;
use skillc_core::Stop;
use skillc_core::source::Stamp;
use skillc_ops::watched::{FileId, Snapshot, Watched};

use crate::interrupt::INTERRUPTED;
use crate::report::Io;

const WATCH: &str = "watch";

/// The shortest polling interval.
const INTERVAL: Duration = Duration::from_millis(200);

/// The pause after a poll, as a multiple of the poll's duration.
const REST: u32 = 10;

/// The longest pause, and the longest wait for a series of edits to end.
const LONGEST: Duration = Duration::from_secs(2);

/// Clears the terminal before each run.
const CLEAR: &str = "\u{1b}[2J\u{1b}[3J\u{1b}[H";

/// Printed between runs if the output is not a terminal. It goes to standard error, because a program may read standard
/// output.
const SEPARATOR: &str = "--------";

/// Printed once if there are too many files to watch.
const CUT: &str = "Too many files to watch: edits to some of them go unnoticed. Name the skills, or a subfolder that contains them.";

/// The outcome of one run.
pub(crate) struct Round {
    /// The exit status of the command; `None` if the run was interrupted before it had a result.
    pub(crate) status: Option<ExitCode>,
    /// The files that the run wrote, as canonical paths, with their stamps right after writing.
    pub(crate) written: Vec<(PathBuf, Stamp)>,
    /// Whether the run failed in a way that no edit can fix.
    pub(crate) is_final: bool,
}

pub(crate) fn is_watching(matches: &ArgMatches) -> bool {
    let asked = matches.try_get_one::<bool>(WATCH);
    asked.ok().flatten().copied().unwrap_or(false)
}

/// Runs a command after every edit; returns the status of the last run that was not interrupted. Stops after the first
/// run if that run fails in a way that no edit can fix.
///
/// `watched`: the files that the command depends on, evaluated before each run.
pub(crate) fn watch(
    io: &mut Io<'_>,
    stop: &Stop,
    watched: &dyn Fn() -> Watched,
    run: &mut dyn FnMut(&mut Io<'_>) -> Round,
) -> ExitCode {
    let told = match on_interrupt(stop) {
        Ok(told) => told,
        Err(error) => return io.fail(&error),
    };
    let is_terminal = io::stdout().is_terminal();
    let passed_over = streams();
    let mut last = ExitCode::from(INTERRUPTED);
    let (mut is_first, mut is_cut) = (true, false);
    loop {
        let places = Watched {
            passed_over: passed_over.clone(),
            ..watched()
        };
        let mut before = places.look();
        if before.is_cut && !is_cut {
            is_cut = true;
            io.hint(CUT);
        }
        if is_terminal {
            let cleared = io.out.write_all(CLEAR.as_bytes());
            if cleared.and_then(|()| io.out.flush()).is_err() {
                // Closed pipe.
                return last;
            }
        } else if !is_first {
            io.hint(SEPARATOR);
        }
        let round = run(io);
        // If the result was shown, use its status even if the user has pressed Ctrl-C since then.
        last = round.status.unwrap_or(last);
        if stop.is_raised() || (is_first && round.is_final) {
            return last;
        }
        is_first = false;
        if is_terminal {
            io.hint(&announcement(&places));
        }
        if io.out.flush().is_err() {
            return last;
        }
        for (path, stamp) in &round.written {
            before.set(path, *stamp);
        }
        if wait(&places, &before, &told) == Woken::ByTheUser {
            return last;
        }
    }
}

/// Requests a stop at the first Ctrl-C, and exits immediately at the second.
fn on_interrupt(stop: &Stop) -> Result<Receiver<()>, Error> {
    let (tell, told) = mpsc::channel();
    let raised = stop.clone();
    #[expect(
        clippy::exit,
        reason = "a second Ctrl-C exits without waiting for the run"
    )]
    let set = ctrlc::set_handler(move || {
        if raised.is_raised() {
            process::exit(i32::from(INTERRUPTED));
        }
        raised.raise();
        tell.send(()).unwrap_or_default();
    });
    set.map_err(|error| Error::internal(format!("waiting for Ctrl-C: {error}")))?;
    Ok(told)
}

/// Returns the files that standard output and standard error are redirected to.
#[cfg(unix)]
fn streams() -> BTreeSet<FileId> {
    use std::os::fd::AsFd;
    let (out, err) = (io::stdout(), io::stderr());
    let copies = [out.as_fd(), err.as_fd()].map(|stream| stream.try_clone_to_owned());
    let found = copies
        .into_iter()
        .flatten()
        .map(|copy| File::from(copy).metadata());
    found
        .flatten()
        .filter_map(|found| FileId::from_metadata(&found))
        .collect()
}

/// Returns an empty set: there are no file ids on this platform.
#[cfg(not(unix))]
fn streams() -> BTreeSet<FileId> {
    BTreeSet::new()
}

/// Why the wait ended.
#[derive(PartialEq, Eq)]
enum Woken {
    ByAnEdit,
    ByTheUser,
}

/// Waits for an edit (an edit during the run counts too), then until the series of edits has ended.
fn wait(places: &Watched, before: &Snapshot, told: &Receiver<()>) -> Woken {
    let (mut now, mut pause) = look(places);
    let mut is_edited = now.has_changed_since(before);
    while !is_edited {
        if is_over(told, pause) {
            return Woken::ByTheUser;
        }
        let (next, rest) = look(places);
        is_edited = next.has_changed_since(&now);
        (now, pause) = (next, rest);
    }
    // An editor or a checkout may write several files in a row.
    let since = Instant::now();
    while since.elapsed() < LONGEST {
        if is_over(told, pause) {
            return Woken::ByTheUser;
        }
        let (next, rest) = look(places);
        if !next.has_changed_since(&now) {
            break;
        }
        (now, pause) = (next, rest);
    }
    Woken::ByAnEdit
}

/// Polls all files; also returns the pause until the next poll.
fn look(places: &Watched) -> (Snapshot, Duration) {
    let begun = Instant::now();
    let now = places.look();
    (now, (begun.elapsed() * REST).clamp(INTERVAL, LONGEST))
}

fn is_over(told: &Receiver<()>, pause: Duration) -> bool {
    told.recv_timeout(pause) != Err(RecvTimeoutError::Timeout)
}

fn announcement(places: &Watched) -> String {
    let all = match &places.trees[..] {
        [] => &places.plugins,
        trees => trees,
    };
    let there = all.iter().filter(|tree| tree.exists());
    match there.collect::<Vec<_>>().as_slice() {
        [only] => format!("\nWatching {}; press Ctrl-C to stop.", only.display()),
        trees => format!("\nWatching {} folders; press Ctrl-C to stop.", trees.len()),
    }
}
