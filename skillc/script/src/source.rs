//! A loaded script, as plain data that threads share, and calls into the script.
//!
//! The values of the engine never leave their thread, so each thread compiles the script for itself: see
//! [`Compiled`].

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use rhai::{AST, Dynamic, Engine, FuncArgs};
use skillc_core::Stop;
use skillc_core::hash::Sha;

use crate::compiled::{self, Compiled, Declarations};
use crate::engine::Setup;
use crate::fault::ScriptFault;
use crate::limits::OPERATIONS_PER_TRACED;
use crate::meter::{HostResult, Meter};
use crate::trail::Trail;

/// The data that is needed to call into a script.
pub(crate) struct Source {
    /// The name of the script in errors.
    pub(crate) name: Arc<str>,
    pub(crate) text: Arc<str>,
    /// The digest of the text.
    pub(crate) sha: Sha,
    pub(crate) setup: Setup,
    /// The project that contains the script; `None` for a script of the user.
    pub(crate) project: Option<Arc<Project>>,
}

/// A project that contains scripts.
pub(crate) struct Project {
    /// The canonical path of the project's root.
    pub(crate) root: PathBuf,
    /// The operations used to load the project's scripts.
    pub(crate) used: AtomicU64,
    /// The estimated size of the compiled forms of the project's scripts on one thread, in bytes.
    pub(crate) compiled_bytes: AtomicUsize,
}

/// Identifies a function in a declaration of a script.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Function {
    /// The index of the declaration in the script.
    pub(crate) declaration: usize,
    /// The key in the declaration.
    pub(crate) key: &'static str,
}

/// The result of a call.
pub(crate) struct Call {
    pub(crate) result: Result<(), ScriptFault>,
    /// The number of operations that the call used, including the second run, which locates a fault, but not compiling
    /// the script on this thread.
    pub(crate) operations: u64,
}

impl Source {
    /// Returns whether the script belongs to a project. If so, its calls count against the project's budget.
    pub(crate) fn is_of_project(&self) -> bool {
        self.project.is_some()
    }

    /// Returns whether the script applies to the skill in a directory (a canonical path): a project's scripts apply
    /// only to skills inside the project, and the user's scripts to all skills.
    pub(crate) fn is_for(&self, skill: &Path) -> bool {
        let project = self.project.as_ref();
        project.is_none_or(|project| skill.starts_with(&project.root))
    }

    /// Returns the version of the script's indexers. The version is derived from the script's text, because a changed
    /// script may produce different sections.
    pub(crate) fn version(&self) -> u32 {
        self.sha
            .to_string()
            .get(..8)
            .and_then(|hex| u32::from_str_radix(hex, 16).ok())
            .unwrap_or_default()
    }

    /// Calls a function of the script. If the call exceeds a limit other than the time limit, the function runs a
    /// second time, with new arguments, to locate the fault. `stop`: cancels the call. `arguments`: builds the
    /// arguments for a run.
    ///
    /// A panic in the host code also becomes a fault, because a script must not be able to end the program.
    pub(crate) fn call<A: FuncArgs>(
        &self,
        function: Function,
        stop: &Stop,
        arguments: impl Fn() -> A,
    ) -> Call {
        let compiled = match self.compiled(stop) {
            Ok(compiled) => compiled,
            Err(fault) => {
                return Call {
                    result: Err(fault),
                    operations: 0,
                };
            }
        };
        let meter = Meter::start(stop.clone());
        let result = self.call_with(&meter, &compiled, function, arguments);
        let operations = meter.operations();
        if let Some(used) = &self.setup.used {
            used.fetch_add(operations, Ordering::Relaxed);
        }
        Call { result, operations }
    }

    fn call_with<A: FuncArgs>(
        &self,
        meter: &Meter,
        compiled: &Compiled,
        function: Function,
        arguments: impl Fn() -> A,
    ) -> Result<(), ScriptFault> {
        let Some(declared) = compiled.function(function) else {
            return Err(ScriptFault::internal(&self.name));
        };
        let run = |engine: &Engine, meter: &Meter| {
            guard(&self.name, || {
                meter.charge(declared.cost)?;
                let Some(function) = declared.for_call() else {
                    return Err("not a function".into());
                };
                let result = function.call::<Dynamic>(engine, &compiled.ast, arguments());
                result.map(drop)?;
                meter.check()
            })
        };
        let result = run(&self.setup.engine(meter.clone()), meter);
        let mut fault = match result {
            // A call that timed out is not run again to locate the fault, because the second run would take as long as
            // the first.
            Err(fault) if fault.is_limit && !fault.is_by_clock => fault,
            result => return result,
        };
        let trail = Trail::default();
        let second = meter.start_to_place();
        let mut engine = self.setup.engine(second.clone());
        trail.follow(&mut engine);
        if run(&engine, &second).is_err() {
            fault.place = trail.place().or(fault.place);
        }
        meter.add(second.operations() * OPERATIONS_PER_TRACED);
        Err(fault)
    }

    /// Returns the script's compiled form on this thread, compiling the script if necessary. The operations for
    /// compiling are not counted, because they depend on the number of threads. They were limited when the script was
    /// loaded.
    ///
    /// # Errors
    /// If compiling was cancelled or has timed out. All other faults were found when the script was loaded.
    fn compiled(&self, stop: &Stop) -> Result<Rc<Compiled>, ScriptFault> {
        if let Some(known) = compiled::kept(self.sha) {
            return Ok(known);
        }
        let meter = Meter::start(stop.clone());
        let ast = compiled::compile(&self.name, &self.text, &meter)?;
        // Discard the output of the script's top level: it was already printed when the script was loaded.
        let setup = Setup {
            printed: None,
            ..self.setup.clone()
        };
        let declarations = compiled::declarations(&self.name, &ast, &setup, &meter)?;
        Ok(self.keep(ast, &declarations))
    }

    /// Keeps the script's compiled form for later calls on this thread.
    pub(crate) fn keep(&self, ast: AST, declarations: &Declarations) -> Rc<Compiled> {
        let bytes = compiled::estimated_bytes(self.text.len(), declarations.bytes);
        let compiled = Rc::new(Compiled::new(ast, &declarations.list));
        compiled::keep(self.sha, bytes, &compiled);
        compiled
    }
}

/// Runs a script. A panic in the host code becomes a fault. `name`: the name of the script in errors.
pub(crate) fn guard(
    name: &Arc<str>,
    run: impl FnOnce() -> HostResult<()>,
) -> Result<(), ScriptFault> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(ScriptFault::from_eval_error(name, *error)),
        Err(_) => Err(ScriptFault::internal(name)),
    }
}
