//! Runs: records which skills a session has already received, so that no skill is sent twice.
//!
//! In a server, a load belongs to the first of these runs that exists: the run whose handle is in the call, the run of
//! the process, and the run of the connection, if the connection started with a handshake. If none of these runs
//! exists, the load starts a new run. Loads of one run are serialized.
//!
//! A command belongs to the run of its process. Several processes can share this run through the state file. If that
//! file is unusable, the only effect is that the same text is sent again.
//!
//! Design: catalog-policy, catalog-files, CAT-LOAD.12, D21, R17.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::{Mutex, MutexGuard};
use skillc_catalog::{Loaded, Runs, Version, Versions};
use skillc_core::layout::Store;
use skillc_storage::run_loads::{RunLoad, RunLoads};

use crate::caller::Caller;
use crate::notes::Notes;
use crate::random;
use crate::toolkit::Toolkit;

/// The runs of a server.
#[derive(Debug, Default)]
pub(crate) struct RunCache {
    runs: Mutex<Runs>,
    /// The runs with a load in progress.
    turns: Mutex<HashMap<String, Weak<Mutex<()>>>>,
    /// A counter that keeps handles unique on systems without a random source.
    count: AtomicU64,
}

/// Returns the skills that the run of a call has loaded. `named`: the handle given in the call.
pub(super) fn versions(toolkit: &Toolkit, named: Option<&str>, notes: &mut Notes) -> Versions {
    let Some(caller) = &toolkit.caller else {
        return for_process(toolkit, notes);
    };
    let kept = toolkit.kept.get::<RunCache>();
    let handle = kept.handle(toolkit, caller, named);
    kept.runs().versions(Some(&handle), || handle.clone())
}

/// Starts a load in the run of a call; in a server, waits until other loads of the run have finished.
pub(super) fn begin(toolkit: &Toolkit, named: Option<&str>, notes: &mut Notes) -> Versions {
    let Some(caller) = &toolkit.caller else {
        return for_process(toolkit, notes);
    };
    let kept = toolkit.kept.get::<RunCache>();
    let handle = kept.handle(toolkit, caller, named);
    *caller.turn.lock() = Some(kept.turn(&handle).lock_arc());
    kept.runs().versions(Some(&handle), || handle.clone())
}

/// Records a load after its response has been delivered.
pub(super) fn remember(toolkit: &Toolkit, loaded: &Loaded) {
    match &toolkit.caller {
        Some(_) => toolkit.kept.get::<RunCache>().runs().remember(loaded),
        None => remember_in_process(toolkit, loaded),
    }
}

impl RunCache {
    fn handle(&self, toolkit: &Toolkit, caller: &Caller, named: Option<&str>) -> String {
        if let Some(named) = named {
            // An unknown handle starts an empty run: at worst the same text is sent twice.
            let known = self.runs().versions(Some(named), String::new);
            return if known.run().is_empty() {
                self.new_handle()
            } else {
                named.to_owned()
            };
        }
        if let Some(run) = toolkit.context.shared_run() {
            return run.to_owned();
        }
        match &caller.connection {
            Some(connection) => connection.run.get_or_init(|| self.new_handle()).clone(),
            None => self.new_handle(),
        }
    }

    fn new_handle(&self) -> String {
        random::hex::<16>().unwrap_or_else(|_| {
            let count = self.count.fetch_add(1, Ordering::Relaxed);
            format!("run-{count}")
        })
    }

    fn turn(&self, handle: &str) -> Arc<Mutex<()>> {
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

/// Returns the skills that the run of this process has loaded; empty if the run is not shared between processes.
fn for_process(toolkit: &Toolkit, notes: &mut Notes) -> Versions {
    let context = &toolkit.context;
    let mut versions = Versions::new(context.run_id.0.clone());
    if context.shared_run().is_none() {
        return versions;
    }
    let db = Store::global(context).state();
    match RunLoads::read(&db, &context.run_id.0) {
        Ok(loads) => {
            for load in loads {
                let version = Version {
                    mtime_ms: load.mtime_ms,
                    sha256: load.sha256,
                    loads: load.loads,
                };
                versions.insert(load.path, version);
            }
        }
        Err(fault) => notes.detail(format!("run     not read from {}: {fault}", db.display())),
    }
    versions
}

fn remember_in_process(toolkit: &Toolkit, loaded: &Loaded) {
    let context = &toolkit.context;
    if context.shared_run().is_none() {
        return;
    }
    let mut versions = for_process(toolkit, &mut Notes::default());
    let version = versions.remember(loaded);
    let db = Store::global(context).state();
    let load = RunLoad {
        path: loaded.path.clone(),
        mtime_ms: version.mtime_ms,
        sha256: version.sha256,
        loads: version.loads,
    };
    let keep_days = toolkit.config.audit.retention_days;
    // If this fails, the next read reports that the file is unusable.
    let _ = RunLoads::note(
        &db,
        versions.run(),
        &load,
        context.clock.now_ms(),
        keep_days,
    );
}
