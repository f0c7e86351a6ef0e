//! The state that the calls of a process share.
//!
//! A program may fork. The child has a copy of this state, but none of the threads, and must not use the parent's open
//! databases. Therefore the child creates its own state, and does not touch the copy.
//!
//! If another thread is in a call at the time of the fork, that thread may hold a lock (of this module, the library, or
//! Python itself) that nothing in the child ever releases. A call of the child would then wait forever. Only a program
//! can prevent this, by not forking during a call, so the documentation says so.

use std::mem;
use std::process;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use rayon::{ThreadPool, ThreadPoolBuilder};
use skillc_core::{Context, Error, Notice, Result};
use skillc_ops::Toolkit;

/// The toolkit of the last call, and the process that made it.
static LAST: Mutex<Option<(u32, Arc<Toolkit>)>> = Mutex::new(None);

/// The process that made the first call. Only this process has the threads of Rayon's global pool.
static FIRST: OnceLock<u32> = OnceLock::new();

/// The threads of a forked process.
static FORKED: Mutex<Option<(u32, &'static ThreadPool)>> = Mutex::new(None);

/// Returns a toolkit for a context: that of the last call, unless the working directory, the home directory or the
/// environment has changed. Also returns warnings about the configuration, if it was read for the first time.
///
/// # Errors
/// E999 if two plug-ins claim the same name.
pub(crate) fn toolkit(context: Context) -> Result<(Arc<Toolkit>, Vec<Notice>)> {
    let process = process::id();
    let mut last = LAST.lock();
    if let Some((of, toolkit)) = &*last
        && *of == process
        && is_same(&toolkit.context, &context)
    {
        return Ok((Arc::clone(toolkit), Vec::new()));
    }
    let (toolkit, notices) = Toolkit::new(context)?;
    let toolkit = Arc::new(toolkit);
    let before = last.replace((process, Arc::clone(&toolkit)));
    drop(last);
    if let Some((_, parents)) = before.filter(|(of, _)| *of != process) {
        mem::forget(parents);
    }
    Ok((toolkit, notices))
}

/// Returns whether two contexts give the same answers.
fn is_same(one: &Context, other: &Context) -> bool {
    one.cwd == other.cwd
        && one.home == other.home
        && one.user_home == other.user_home
        && one.env == other.env
}

/// Runs work with threads for its parallel parts. A forked process has a thread pool of its own, and runs one call
/// after another.
///
/// # Errors
/// E999 if no threads can be started.
pub(crate) fn with_threads<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T> {
    let process = process::id();
    if *FIRST.get_or_init(|| process) == process {
        return Ok(work());
    }
    let mut forked = FORKED.lock();
    let pool = match *forked {
        Some((of, pool)) if of == process => pool,
        _ => {
            let pool = ThreadPoolBuilder::new().build();
            let pool = pool.map_err(|e| Error::internal(format!("starting threads: {e}")))?;
            // Never dropped, because a fork of this process could not end the pool's threads.
            let pool: &'static ThreadPool = Box::leak(Box::new(pool));
            *forked = Some((process, pool));
            pool
        }
    };
    Ok(pool.install(work))
}
