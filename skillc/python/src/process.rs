//! The state that all calls in a process share.
//!
//! A program may fork. The child process gets a copy of this state, but no copies of the threads, and must not use the
//! open databases of its parent. Therefore the child creates its own state, and does not touch the copy.
//!
//! If another thread is in a call at the time of the fork, that thread may hold a lock (of this module, the library, or
//! Python itself). Nothing in the child ever releases this lock, so a call in the child may wait forever. Only the
//! program can prevent this, by not forking during a call. The documentation says so.

use std::mem;
use std::process;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use rayon::{ThreadPool, ThreadPoolBuilder};
use skillc_core::{Context, Error, Notice, Result};
use skillc_ops::Toolkit;

/// The toolkit of the last call, and the id of the process that made the call.
static LAST: Mutex<Option<(u32, Arc<Toolkit>)>> = Mutex::new(None);

/// The id of the process that made the first call. Only this process has the threads of Rayon's global pool.
static FIRST: OnceLock<u32> = OnceLock::new();

/// The id of a forked process, and its thread pool.
static FORKED: Mutex<Option<(u32, &'static ThreadPool)>> = Mutex::new(None);

/// Returns a toolkit for a context. This is the toolkit of the last call, unless the working directory, the home
/// directory or the environment has changed. For a new toolkit, also returns the warnings from reading the
/// configuration.
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

/// Returns whether calls in two contexts have the same answers.
fn is_same(one: &Context, other: &Context) -> bool {
    one.cwd == other.cwd
        && one.home == other.home
        && one.user_home == other.user_home
        && one.env == other.env
}

/// Runs `work`, and provides threads for its parallel parts. A forked process has its own thread pool, and runs only
/// one call at a time.
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
            // The pool is never dropped: a fork of this process does not have the pool's threads, and so could not end
            // them.
            let pool: &'static ThreadPool = Box::leak(Box::new(pool));
            *forked = Some((process, pool));
            pool
        }
    };
    Ok(pool.install(work))
}
