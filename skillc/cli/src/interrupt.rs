//! Ctrl-C and SIGTERM for commands that write: the run ends after its current step and removes its temporary files.

use std::process;
use std::thread;
use std::time::Duration;

use skillc_core::Stop;

/// The exit status of an interrupted run.
pub(crate) const INTERRUPTED: u8 = 130;

/// How long a run may continue after the signal. A run that does not notice the signal, because it waits for an answer
/// or for another process, is terminated after this time.
const GRACE: Duration = Duration::from_secs(1);

/// Requests a stop at the first signal, and exits at the second or after [`GRACE`].
///
/// If no handler can be installed, a signal ends the process at once.
#[expect(
    clippy::exit,
    reason = "the main thread may be waiting for something that never comes"
)]
pub(crate) fn stop_at_signal(stop: &Stop) {
    let stop = stop.clone();
    let handler = move || {
        if !stop.is_raised() {
            stop.raise();
            thread::sleep(GRACE);
        }
        process::exit(i32::from(INTERRUPTED));
    };
    ctrlc::set_handler(handler).unwrap_or_default();
}
