//! A pool of open files.
//!
//! A handle that is taken out belongs to one call, so that calls never wait for each other. It is reused only if the
//! file's stamp is unchanged since the handle was put into the pool; otherwise the file is opened again. The oldest
//! handles are dropped when the pool is full.

use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::thread;

use parking_lot::Mutex;
use skillc_core::source::Stamp;

/// The capacity. Zero on systems that cannot replace an open file.
const ROOM: usize = if cfg!(unix) { 24 } else { 0 };

/// Handles of one kind, most recently added last.
#[derive(Debug)]
pub(crate) struct Pool<T>(Mutex<Vec<Waiting<T>>>);

#[derive(Debug)]
struct Waiting<T> {
    path: PathBuf,
    stamp: Stamp,
    thing: T,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Pool<T> {
    /// Takes a handle of the file at `path` out of the pool. `stamp`: the file's current stamp; handles with another
    /// stamp are dropped.
    pub(crate) fn take(&self, path: &Path, stamp: Stamp) -> Option<Lent<'_, T>> {
        let path = path.as_os_str();
        let mut waiting = self.0.lock();
        let is_outdated = |of: &mut Waiting<T>| of.stamp != stamp && of.path.as_os_str() == path;
        let outdated: Vec<_> = waiting.extract_if(.., is_outdated).collect();
        let found = waiting.iter().rposition(|of| of.path.as_os_str() == path);
        let found = found.map(|at| waiting.remove(at));
        drop(waiting);
        // Dropped after the lock is released: closing a file takes time.
        drop(outdated);
        found.map(|of| Lent {
            thing: Some(of.thing),
            pool: self,
            home: Some((of.path, of.stamp)),
        })
    }

    /// Lends a newly opened handle.
    pub(crate) const fn lend(&self, thing: T) -> Lent<'_, T> {
        Lent {
            thing: Some(thing),
            pool: self,
            home: None,
        }
    }

    /// Adds a handle of the file at `path`. `stamp`: the file's stamp when it was opened or last written to.
    pub(crate) fn put(&self, path: PathBuf, stamp: Stamp, thing: T) {
        let mut waiting = self.0.lock();
        waiting.push(Waiting { path, stamp, thing });
        let oldest = (waiting.len() > ROOM).then(|| waiting.remove(0));
        drop(waiting);
        drop(oldest);
    }
}

/// A handle for the duration of a call. A newly opened handle is dropped afterwards unless [`keep`](Self::keep) is
/// called.
#[derive(Debug)]
pub(crate) struct Lent<'a, T> {
    thing: Option<T>,
    pool: &'a Pool<T>,
    home: Option<(PathBuf, Stamp)>,
}

impl<T> Lent<'_, T> {
    /// Returns whether the handle was newly opened.
    pub(crate) const fn is_new(&self) -> bool {
        self.home.is_none()
    }

    /// Puts the handle into the pool after the call, as a handle of the file at `path` with this stamp. Without a
    /// stamp, the handle is dropped instead.
    pub(crate) fn keep(&mut self, path: &Path, stamp: Option<Stamp>) {
        self.home = stamp.map(|stamp| (path.to_path_buf(), stamp));
    }
}

impl<T> Deref for Lent<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.thing.as_ref().expect("present until dropped")
    }
}

impl<T> DerefMut for Lent<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.thing.as_mut().expect("present until dropped")
    }
}

impl<T> Drop for Lent<'_, T> {
    fn drop(&mut self) {
        if let (Some(thing), Some((path, stamp))) = (self.thing.take(), self.home.take())
            && !thread::panicking()
        {
            self.pool.put(path, stamp, thing);
        }
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    fn stamp(size: u64) -> Stamp {
        Stamp {
            size,
            mtime_ns: 1,
            ctime_ns: 2,
            inode: 3,
        }
    }

    fn put(pool: &Pool<u8>, path: &str, size: u64, thing: u8) {
        pool.lend(thing).keep(Path::new(path), Some(stamp(size)));
    }

    fn take(pool: &Pool<u8>, path: &str, size: u64) -> Option<u8> {
        let mut lent = pool.take(Path::new(path), stamp(size))?;
        lent.keep(Path::new(path), None);
        Some(*lent)
    }

    fn waiting(pool: &Pool<u8>) -> Vec<u8> {
        let waiting = pool.0.lock();
        waiting.iter().map(|of| of.thing).collect()
    }

    #[test]
    fn an_item_is_lent_once_at_a_time_and_only_for_its_file() {
        let pool = Pool::default();
        put(&pool, "/a", 1, 7);
        assert_eq!(take(&pool, "/b", 1), None);
        assert_eq!(take(&pool, "/a", 1), Some(7));
        assert_eq!(take(&pool, "/a", 1), None);
    }

    #[test]
    fn a_lent_item_returns_unless_discarded_or_after_a_panic() {
        let pool = Pool::default();
        put(&pool, "/a", 1, 7);
        drop(pool.take(Path::new("/a"), stamp(1)));
        assert_eq!(waiting(&pool), [7]);
        drop(pool.lend(8));
        assert_eq!(waiting(&pool), [7]);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let _lent = pool.take(Path::new("/a"), stamp(1));
            panic!("on purpose");
        }));
        assert!(panicked.is_err());
        assert_eq!(waiting(&pool), [0; 0]);
    }

    #[test]
    fn an_item_with_a_stale_stamp_is_dropped() {
        let pool = Pool::default();
        for size in [1, 1, 2] {
            put(&pool, "/a", size, 7);
        }
        put(&pool, "/b", 1, 8);
        assert_eq!(take(&pool, "/a", 3), None);
        assert_eq!(waiting(&pool), [8]);
    }

    #[test]
    fn the_least_recently_used_item_is_evicted() {
        let pool = Pool::default();
        for thing in 0..=ROOM {
            put(&pool, &format!("/{thing}"), 1, u8::try_from(thing).unwrap());
        }
        assert_eq!(waiting(&pool).len(), ROOM);
        assert_eq!(take(&pool, "/0", 1), None);
        assert_eq!(take(&pool, "/1", 1), Some(1));
    }
}
