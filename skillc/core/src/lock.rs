//! Waits for a lock that another process holds, with a timeout and cancellation.

use std::fs::{File, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use crate::stop::Stop;

/// The first delay; each delay is twice as long as the one before, up to [`LONGEST`]. Most locks are held for less than
/// a millisecond.
const FIRST: Duration = Duration::from_millis(1);
const LONGEST: Duration = Duration::from_millis(5);

/// Acquires an exclusive lock on an open file or directory.
///
/// # Errors
/// `WouldBlock` if another process still holds the lock after `most`, or once the run is cancelled; otherwise an I/O
/// error, for example on a system that cannot lock directories.
pub fn lock_within(file: &File, most: Duration, stop: &Stop) -> Result<(), TryLockError> {
    let is_held = |error: &TryLockError| matches!(error, TryLockError::WouldBlock);
    retry_within(most, stop, is_held, || file.try_lock())
}

/// Calls `attempt` until it succeeds or fails for another reason than a lock that another process holds, but at most
/// until `most` has passed or the run is cancelled. Returns the last result.
///
/// # Errors
/// Returns the error of the last attempt.
pub fn retry_within<T, E>(
    most: Duration,
    stop: &Stop,
    is_held: impl Fn(&E) -> bool,
    mut attempt: impl FnMut() -> Result<T, E>,
) -> Result<T, E> {
    let (begun, mut pause) = (Instant::now(), FIRST);
    loop {
        match attempt() {
            Err(error) if is_held(&error) && begun.elapsed() < most && !stop.is_raised() => {
                thread::sleep(pause);
                pause = LONGEST.min(pause * 2);
            }
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_for_a_lock_times_out() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let (one, other) = (File::create(&path).unwrap(), File::create(&path).unwrap());
        let stop = Stop::default();
        assert!(lock_within(&one, Duration::ZERO, &stop).is_ok());
        let most = Duration::from_millis(60);
        let begun = Instant::now();
        let refused = lock_within(&other, most, &stop);
        assert!(matches!(refused, Err(TryLockError::WouldBlock)));
        assert!(begun.elapsed() >= most);
        stop.raise();
        let begun = Instant::now();
        assert!(lock_within(&other, Duration::from_secs(60), &stop).is_err());
        assert!(begun.elapsed() < Duration::from_secs(30));
        one.unlock().unwrap();
        assert!(lock_within(&other, most, &stop).is_ok());
    }
}
