//! Runs: what has been sent to whom, so that no skill is sent twice.
//!
//! A load belongs to the run that it names, else to that of the process, else to its connection if that began with a
//! handshake; else it begins one. Two loads of a run wait for each other.
//!
//! Source: CATALOG 3.7, CAT-LOAD.12, D21, RULINGS R17.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use parking_lot::{Mutex, MutexGuard};
use skillc_catalog::{Loaded, Runs, Versions};
use tokio::sync::OwnedMutexGuard;

use crate::random;
use crate::tools::Job;

/// A connection that began with a handshake.
#[derive(Default)]
pub(crate) struct Connection {
    /// The handle of its run, once it has one.
    run: OnceLock<String>,
}

/// The runs of a server.
#[derive(Default)]
pub(crate) struct KeptRuns {
    runs: Mutex<Runs>,
    /// The runs in which something is being loaded.
    turns: Mutex<HashMap<String, Weak<tokio::sync::Mutex<()>>>>,
    /// Tells handles apart where there is no randomness.
    count: AtomicU64,
}

/// A run in which something is loaded; no other load of it is under way.
pub(crate) struct Begun {
    /// What it has.
    pub(crate) versions: Versions,
    _turn: OwnedMutexGuard<()>,
}

impl KeptRuns {
    /// Returns what the run of a call has loaded. `named`: the handle that the call names.
    pub(crate) fn versions(&self, job: &Job<'_>, named: Option<&str>) -> Versions {
        let handle = self.handle(job, named);
        self.runs().versions(Some(&handle), || handle.clone())
    }

    /// Begins to load something in the run of a call; waits until nothing else is being loaded in it.
    pub(crate) fn begin(&self, job: &Job<'_>, named: Option<&str>) -> Begun {
        let handle = self.handle(job, named);
        let turn = self.turn(&handle).blocking_lock_owned();
        let versions = self.runs().versions(Some(&handle), || handle.clone());
        Begun {
            versions,
            _turn: turn,
        }
    }

    /// Notes a load whose answer goes out.
    pub(crate) fn remember(&self, loaded: &Loaded) {
        self.runs().remember(loaded);
    }

    fn handle(&self, job: &Job<'_>, named: Option<&str>) -> String {
        if let Some(named) = named {
            // One that is not known is as good as none: at worst a text is sent twice.
            let known = self.runs().versions(Some(named), String::new);
            return if known.run().is_empty() {
                self.new_handle()
            } else {
                named.to_owned()
            };
        }
        if let Some(run) = job.toolkit.context.shared_run() {
            return run.to_owned();
        }
        if job.has_connection {
            let run = &job.server.connection.run;
            return run.get_or_init(|| self.new_handle()).clone();
        }
        self.new_handle()
    }

    fn new_handle(&self) -> String {
        random::hex::<16>().unwrap_or_else(|_| {
            let count = self.count.fetch_add(1, Ordering::Relaxed);
            format!("run-{count}")
        })
    }

    fn turn(&self, handle: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut turns = self.turns.lock();
        if let Some(turn) = turns.get(handle).and_then(Weak::upgrade) {
            return turn;
        }
        turns.retain(|_, turn| turn.strong_count() > 0);
        let turn = Arc::default();
        turns.insert(handle.to_owned(), Arc::downgrade(&turn));
        turn
    }

    fn runs(&self) -> MutexGuard<'_, Runs> {
        self.runs.lock()
    }
}
