//! What a run has loaded, as far as the state file has it: for runs that several processes share.
//!
//! Whatever keeps that file from being used costs that a text is sent again, and nothing else.
//!
//! Source: CATALOG §3.7, §3.8, CAT-LOAD.12.

use skillc_catalog::{Loaded, Version, Versions};
use skillc_core::layout::Store;
use skillc_storage::run_loads::{RunLoad, RunLoads};

use crate::operation::{Notes, Toolkit};

/// Returns what the run has loaded; nothing if it is this process only.
pub(super) fn versions(toolkit: &Toolkit, notes: &mut Notes) -> Versions {
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
        Err(fault) => notes.detail(format!("run     not in {}: {fault}", db.display())),
    }
    versions
}

/// Notes a load whose answer is complete.
pub(super) fn remember(toolkit: &Toolkit, loaded: &Loaded) {
    let context = &toolkit.context;
    if context.shared_run().is_none() {
        return;
    }
    let mut versions = versions(toolkit, &mut Notes::default());
    let version = versions.remember(loaded);
    let db = Store::global(context).state();
    let load = RunLoad {
        path: loaded.path.clone(),
        mtime_ms: version.mtime_ms,
        sha256: version.sha256,
        loads: version.loads,
    };
    let keep_days = toolkit.config.audit.retention_days;
    // What keeps it from being noted is told when it is read.
    let _ = RunLoads::note(
        &db,
        versions.run(),
        &load,
        context.clock.now_ms(),
        keep_days,
    );
}
