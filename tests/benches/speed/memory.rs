//! Peak memory of a process.

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

/// Polling interval.
const INTERVAL: Duration = Duration::from_millis(5);

/// Runs a process; returns its peak resident memory in bytes.
///
/// Returns `None` without `/proc`.
///
/// # Panics
/// If the process is killed or its exit status is not 0 or 1.
pub(crate) fn peak_bytes(mut command: Command) -> Option<u64> {
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let mut peak = None;
    loop {
        // After the process has exited, its peak memory can no longer be read: keep the last value.
        peak = peak_so_far(child.id()).or(peak);
        if let Some(status) = child.try_wait().expect("it is our child") {
            assert!(
                status.code().is_some_and(|code| code < 2),
                "{command:?} failed"
            );
            return peak;
        }
        thread::sleep(INTERVAL);
    }
}

/// Returns the peak resident memory of a running process in bytes.
///
/// Returns `None` without `/proc`.
pub(crate) fn peak_so_far(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    high_water(&status)
}

fn high_water(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes * 1024)
}
