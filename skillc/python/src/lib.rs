//! The native part of the Python package: it calls operations, and runs `skc`.
//!
//! Requests and answers are JSON. The functions that Python programs call, and their types, are in
//! `skillc/python/skillc`.

mod answer;
mod process;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use skillc_core::Stop;

use answer::{Call, answer};

/// How often a waiting call checks for Ctrl-C.
const TICK: Duration = Duration::from_millis(50);

/// How long to wait, after Ctrl-C, until a call ends. This lets the current check of a skill, or the current step of a
/// build, complete.
const GRACE: Duration = Duration::from_secs(5);

/// The size of a call's stack, in bytes: the usual size for the main thread of a program.
const STACK: usize = 8 << 20;

/// Calls an operation. While the caller's thread waits, it does not hold the interpreter's lock, and handles signals.
///
/// `request`: the request as JSON. `directory`: the working directory; by default, the working directory of the
/// process. Returns the answer as JSON.
#[pyfunction]
#[pyo3(signature = (operation, request, directory = None))]
fn call(
    py: Python<'_>,
    operation: String,
    request: String,
    directory: Option<PathBuf>,
) -> PyResult<String> {
    let call = Call {
        operation,
        request,
        directory,
    };
    let stop = Stop::default();
    let (send, mut receive) = mpsc::channel();
    let worker = {
        let stop = stop.clone();
        // Ignore errors: after Ctrl-C, the receiver may no longer exist.
        move || drop(send.send(answer(&call, &stop)))
    };
    let named = thread::Builder::new().name("skillc".to_owned());
    named.stack_size(STACK).spawn(worker)?;
    loop {
        match wait(py, &mut receive, TICK) {
            Ok(answer) => return Ok(answer),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(interrupt) = py.check_signals() {
                    stop.raise();
                    // The caller gets the interrupt in any case, so an answer that arrives now is discarded.
                    drop(wait(py, &mut receive, GRACE));
                    return Err(interrupt);
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("skillc failed unexpectedly"));
            }
        }
    }
}

/// Waits for a message, without the interpreter's lock.
fn wait(
    py: Python<'_>,
    receive: &mut mpsc::Receiver<String>,
    time: Duration,
) -> Result<String, RecvTimeoutError> {
    py.detach(move || receive.recv_timeout(time))
}

/// Runs `skc`. Returns its exit status.
///
/// `args`: the command line, including the program's name. `program`: the path of the program that was started.
#[pyfunction]
#[pyo3(signature = (args, program = None))]
fn run(py: Python<'_>, args: Vec<OsString>, program: Option<PathBuf>) -> u8 {
    let status = py.detach(move || skillc::main_in(&args, program));
    let mut all = 0..=u8::MAX;
    // The only way to get the number of an `ExitCode` is to compare it with other exit codes.
    all.find(|code| ExitCode::from(*code) == status)
        .unwrap_or(1)
}

#[pymodule]
#[pyo3(name = "_skillc")]
mod module {
    #[pymodule_export]
    use super::{call, run};

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "as Python names it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
