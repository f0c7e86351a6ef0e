//! A compiled script: its declarations and calls into it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use rhai::{
    AST, Array, Dynamic, Engine, EvalAltResult, FnPtr, FuncArgs, Map, Module, NativeCallContext,
};
use skillc_core::Stop;
use skillc_core::hash::Sha;

use crate::engine::Library;
use crate::fault::ScriptFault;
use crate::limits::MAX_PLUGINS;
use crate::meter::{HostResult, Meter};
use crate::trail::Trail;
use crate::weight;

/// Everything needed to call into a script.
pub(crate) struct Compiled {
    /// The name of the script in errors.
    pub(crate) name: Arc<str>,
    pub(crate) text: Arc<str>,
    pub(crate) ast: AST,
    pub(crate) library: Library,
    /// The project that contains the script; `None` for a script of the user.
    pub(crate) project: Option<Arc<Project>>,
}

/// A project that contains scripts.
pub(crate) struct Project {
    /// The canonical path of the project's root.
    pub(crate) root: PathBuf,
    /// The operations used to load the project's scripts.
    pub(crate) used: AtomicU64,
}

/// The result of a call.
pub(crate) struct Call {
    pub(crate) result: Result<(), ScriptFault>,
    /// The operations used, not counting the second run that locates a fault.
    pub(crate) operations: u64,
}

/// What a script declares, by the function that it called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    Rule,
    Indexer,
}

/// One call of `rule` or `indexer`.
pub(crate) struct Declaration {
    pub(crate) what: What,
    pub(crate) map: Map,
    /// The 1-based line of the call.
    pub(crate) line: usize,
}

impl Compiled {
    /// Reports whether the script belongs to a project: its calls then count against the project's budget.
    pub(crate) fn is_of_project(&self) -> bool {
        self.project.is_some()
    }

    /// Reports whether the script applies to the skill in a directory (a canonical path): a project's scripts apply
    /// only to skills inside the project, and the user's scripts to all skills.
    pub(crate) fn is_for(&self, skill: &Path) -> bool {
        let project = self.project.as_ref();
        project.is_none_or(|project| skill.starts_with(&project.root))
    }

    /// Returns the version of the script's indexers. It is derived from the script's text, because a changed script may
    /// produce other sections.
    pub(crate) fn version(&self) -> u32 {
        let sha = Sha::digest(self.text.as_bytes());
        sha.to_string()
            .get(..8)
            .and_then(|hex| u32::from_str_radix(hex, 16).ok())
            .unwrap_or_default()
    }

    /// Reports whether there is a function with this name and number of parameters, including those for captured
    /// variables.
    pub(crate) fn has_function(&self, name: &str, parameters: usize) -> bool {
        let mut functions = self.ast.iter_functions();
        functions.any(|function| function.name == name && function.params.len() == parameters)
    }

    /// Calls a function of the script. `stop`: cancels the call. `arguments`: builds the arguments. If the call exceeds
    /// a limit other than the time limit, the function runs a second time, with new arguments, to locate the fault.
    ///
    /// A panic in the host code also becomes a fault: no script may end the program.
    pub(crate) fn call<A: FuncArgs>(
        &self,
        function: &FnPtr,
        stop: &Stop,
        arguments: impl Fn() -> A,
    ) -> Call {
        let meter = Meter::start(stop.clone());
        let result = self.call_with(&meter, function, arguments);
        let operations = meter.operations();
        if let Some(used) = &self.library.used {
            used.fetch_add(operations, Ordering::Relaxed);
        }
        Call { result, operations }
    }

    fn call_with<A: FuncArgs>(
        &self,
        meter: &Meter,
        function: &FnPtr,
        arguments: impl Fn() -> A,
    ) -> Result<(), ScriptFault> {
        let run = |engine: &Engine, meter: &Meter| {
            self.guard(|| {
                let result = function.call::<Dynamic>(engine, &self.ast, arguments());
                result.map(drop)?;
                meter.check()
            })
        };
        let result = run(&self.library.engine(meter.clone()), meter);
        meter.note_end();
        let mut fault = match result {
            // A call that timed out is not run again to locate the fault, because the second run would take as long as
            // the first.
            Err(fault) if fault.is_limit && !fault.is_by_clock => fault,
            result => return result,
        };
        let trail = Trail::default();
        let meter = meter.start_to_place();
        let mut engine = self.library.engine(meter.clone());
        trail.follow(&mut engine);
        if run(&engine, &meter).is_err() {
            fault.place = trail.place().or(fault.place);
        }
        Err(fault)
    }

    /// Runs the script's top level, and returns its declarations.
    pub(crate) fn declarations(&self, meter: &Meter) -> Result<Vec<Declaration>, ScriptFault> {
        let declared: Arc<Mutex<Vec<Declaration>>> = Arc::default();
        let mut engine = self.library.engine(meter.clone());
        engine.register_global_module(declaring(&declared).into());
        let result = self.guard(|| {
            engine.run_ast(&self.ast)?;
            meter.check()
        });
        meter.note_end();
        result?;
        let found = declared.lock();
        let own = found.iter().map(|declaration| {
            let map = Dynamic::from(declaration.map.clone());
            let told = |error: Box<EvalAltResult>| {
                let fault = ScriptFault::from_eval_error(&self.name, *error);
                ScriptFault {
                    place: Some((declaration.line, 1)),
                    ..fault
                }
            };
            weight::check(&map).map_err(told)?;
            Ok(Declaration {
                map: flattened(&map).cast(),
                ..*declaration
            })
        });
        own.collect()
    }

    fn guard(&self, run: impl FnOnce() -> HostResult<()>) -> Result<(), ScriptFault> {
        match catch_unwind(AssertUnwindSafe(run)) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(ScriptFault::from_eval_error(&self.name, *error)),
            Err(_) => Err(ScriptFault::new(
                &self.name,
                "internal error in skillc, called by the script",
            )),
        }
    }
}

/// Builds the functions `rule` and `indexer`, which exist only while a script is being loaded.
fn declaring(declared: &Arc<Mutex<Vec<Declaration>>>) -> Module {
    let mut module = Module::new();
    for (name, what) in [("rule", What::Rule), ("indexer", What::Indexer)] {
        let declared = Arc::clone(declared);
        let declare = move |context: NativeCallContext<'_>, map: Map| -> HostResult<()> {
            let mut declared = declared.lock();
            if declared.len() == MAX_PLUGINS {
                let message = format!("more than {MAX_PLUGINS} rules and indexers");
                return Err(message.into());
            }
            let line = context.call_position().line().unwrap_or(1);
            declared.push(Declaration { what, map, line });
            Ok(())
        };
        module.set_native_fn(name, declare);
    }
    module.build_index();
    module
}

/// Deep-copies a value, including closures and shared variables, so that every call starts from the state at
/// declaration, and no call sees the changes that another call made.
fn flattened(value: &Dynamic) -> Dynamic {
    let value = value.flatten_clone();
    if let Some(function) = value.read_lock::<FnPtr>() {
        let mut own = function.clone();
        let held: Vec<Dynamic> = function.iter_curry().map(flattened).collect();
        own.set_curry(held);
        return Dynamic::from(own);
    }
    if value.is_array() {
        let array = value.cast::<Array>();
        return array.iter().map(flattened).collect::<Array>().into();
    }
    if value.is_map() {
        let map = value.cast::<Map>().into_iter();
        return map
            .map(|(key, value)| (key, flattened(&value)))
            .collect::<Map>()
            .into();
    }
    value
}
