//! The compiled form of a script.
//!
//! The engine counts the references to a captured variable without locks. Therefore using a variable never blocks: it
//! fails immediately if a call is changing the variable. Because the counters have no locks, values cannot be sent to
//! another thread. Therefore each thread compiles a script when it first calls the script, and caches the result.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use rhai::{AST, Array, Dynamic, FnPtr, Map, Module, NativeCallContext};
use skillc_core::hash::Sha;

use crate::engine::Setup;
use crate::fault::ScriptFault;
use crate::limits::{
    BYTES_OF_COMPILED_BYTE, MAX_COMPILED_BYTES, MAX_HELD_BYTES, MAX_PLUGINS, OPERATIONS_TO_DECLARE,
};
use crate::meter::{HostResult, Meter};
use crate::source::{Function, guard};
use crate::tokens;
use crate::weight::Scales;

/// The estimated memory of a compiled script in addition to its text and its declarations, in bytes.
const BYTES_OF_SCRIPT: usize = 1 << 10;

/// A cached script counts as unused after this many uses of other scripts.
const USES_UNTIL_FORGOTTEN: u64 = 10_000;

/// A script that is compiled for this thread.
pub(crate) struct Compiled {
    pub(crate) ast: AST,
    /// The functions of each declaration, in the order of the declarations in the script.
    functions: Vec<BTreeMap<String, DeclaredFunction>>,
}

/// A function of a declaration.
pub(crate) struct DeclaredFunction {
    value: Dynamic,
    /// The operations charged for a call. Each call copies the captured variables of the function twice.
    pub(crate) cost: u64,
}

impl DeclaredFunction {
    fn new(value: &Dynamic) -> Self {
        let mut scales = Scales::default();
        // The size of the script's declarations was checked before, so this cannot fail.
        let cost = scales
            .add(value, 0)
            .map_or(0, |()| 2 * scales.cost_of_copying());
        Self {
            value: value.clone(),
            cost,
        }
    }

    /// Returns the function for one call. The call starts with the captured variables as they were at the declaration.
    /// Within the call, the function may use a captured closure for each element of a list. Therefore such a closure
    /// refers to the values that it captures, instead of copying them each time.
    pub(crate) fn for_call(&self) -> Option<FnPtr> {
        let function = self.value.read_lock::<FnPtr>()?;
        let held = function
            .iter_curry()
            .map(|value| copied(value, Held::Shared));
        let held: Vec<Dynamic> = held.collect();
        let mut own = function.clone();
        own.set_curry(held);
        Some(own)
    }
}

/// The kind of a declaration, which depends on the function that the script called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    Rule,
    Indexer,
}

/// A declaration: one call of `rule` or `indexer`.
pub(crate) struct Declaration {
    pub(crate) what: What,
    pub(crate) map: Map,
    /// The 1-based line of the call.
    pub(crate) line: usize,
}

/// All declarations of a script.
pub(crate) struct Declarations {
    /// The declarations, in the order of the script.
    pub(crate) list: Vec<Declaration>,
    /// The total size of the declarations' values, in bytes. A variable counts once for each function that captures it.
    pub(crate) bytes: usize,
}

/// A compiled script in a thread's cache.
struct Entry {
    compiled: Rc<Compiled>,
    /// The estimated size of the compiled script, in bytes.
    bytes: usize,
    /// The value of [`Kept::uses`] at the last use.
    used: u64,
}

/// A thread's cache of compiled scripts.
#[derive(Default)]
struct Kept {
    scripts: HashMap<Sha, Entry>,
    /// The total of the scripts' estimated sizes, in bytes.
    bytes: usize,
    /// The number of uses of all scripts so far.
    uses: u64,
}

impl Kept {
    /// Returns a cached script, and records this use.
    fn take(&mut self, sha: Sha) -> Option<Rc<Compiled>> {
        self.uses += 1;
        let entry = self.scripts.get_mut(&sha)?;
        entry.used = self.uses;
        Some(Rc::clone(&entry.compiled))
    }

    fn remove(&mut self, sha: Sha) -> Option<Entry> {
        let entry = self.scripts.remove(&sha)?;
        self.bytes -= entry.bytes;
        Some(entry)
    }

    /// Returns the script to drop next. A script that was not used for a long time is dropped first, because it may
    /// have been changed or deleted. Otherwise, the most recently used script is dropped: scripts are usually called in
    /// rotation, so this script is needed again later than all others.
    fn dispensable(&self) -> Option<Sha> {
        let last_use = |(_, entry): &(&Sha, &Entry)| entry.used;
        let (oldest, entry) = self.scripts.iter().min_by_key(last_use)?;
        if self.uses - entry.used > USES_UNTIL_FORGOTTEN {
            return Some(*oldest);
        }
        let newest = self.scripts.iter().max_by_key(last_use);
        newest.map(|(sha, _)| *sha)
    }
}

thread_local! {
    static KEPT: RefCell<Kept> = RefCell::default();
}

/// Returns the script with this digest, if this thread has compiled it.
pub(crate) fn kept(sha: Sha) -> Option<Rc<Compiled>> {
    KEPT.with_borrow_mut(|kept| kept.take(sha))
}

/// Estimates the memory that a script's compiled form uses on one thread, in bytes. `text`: the size of the script's
/// text; `held`: the size of its declarations.
pub(crate) fn estimated_bytes(text: usize, held: usize) -> usize {
    text * BYTES_OF_COMPILED_BYTE + held + BYTES_OF_SCRIPT
}

/// Adds a script to this thread's cache. `bytes`: its estimated size. If the total size of the scripts exceeds the
/// limit, other scripts are dropped, and are compiled again at their next call.
pub(crate) fn keep(sha: Sha, bytes: usize, compiled: &Rc<Compiled>) {
    let dropped = KEPT.with_borrow_mut(|kept| {
        let mut dropped = vec![kept.remove(sha)];
        while kept.bytes + bytes > MAX_COMPILED_BYTES
            && let Some(other) = kept.dispensable()
        {
            dropped.push(kept.remove(other));
        }
        kept.uses += 1;
        kept.bytes += bytes;
        let entry = Entry {
            compiled: Rc::clone(compiled),
            bytes,
            used: kept.uses,
        };
        kept.scripts.insert(sha, entry);
        dropped
    });
    // Drop the scripts' values only after the borrow has ended.
    drop(dropped);
}

impl Compiled {
    /// `declarations`: the declarations of the script, in script order.
    pub(crate) fn new(ast: AST, declarations: &[Declaration]) -> Self {
        let functions = declarations.iter().map(|declaration| {
            let functions = declaration.map.iter().filter(|(_, value)| value.is_fnptr());
            functions
                .map(|(key, value)| (key.to_string(), DeclaredFunction::new(value)))
                .collect::<BTreeMap<_, _>>()
        });
        Self {
            functions: functions.collect(),
            ast,
        }
    }

    /// Returns a function of a declaration.
    pub(crate) fn function(&self, function: Function) -> Option<&DeclaredFunction> {
        self.functions.get(function.declaration)?.get(function.key)
    }
}

/// Returns whether a script has a function with this name and this number of parameters. The number includes the
/// parameters for captured variables.
pub(crate) fn has_function(ast: &AST, name: &str, parameters: usize) -> bool {
    let mut functions = ast.iter_functions();
    functions.any(|function| function.name == name && function.params.len() == parameters)
}

/// Compiles a script. `name`: its name in errors.
///
/// # Errors
/// If the script has a syntax error or exceeds a limit.
pub(crate) fn compile(name: &Arc<str>, text: &str, meter: &Meter) -> Result<AST, ScriptFault> {
    let mut engine = Setup::default().engine(meter.clone());
    tokens::follow(&mut engine, meter.clone());
    let compiled = engine.compile(text);
    compiled.map_err(|error| ScriptFault::from_parse_error(name, &error))
}

/// Runs a script's top level, and returns its declarations.
///
/// # Errors
/// If the script fails, or declares too much.
pub(crate) fn declarations(
    name: &Arc<str>,
    ast: &AST,
    setup: &Setup,
    meter: &Meter,
) -> Result<Declarations, ScriptFault> {
    let declared: Rc<RefCell<Vec<Declaration>>> = Rc::default();
    let mut engine = setup.engine(meter.clone());
    engine.register_global_module(declaring(&declared).into());
    guard(name, || {
        engine.run_ast(ast)?;
        meter.check()
    })?;
    let found = declared.borrow();
    // Add up the sizes of all declarations, because each declaration has its own copy of the variables that it
    // captures.
    let mut scales = Scales::default();
    let mut list = Vec::new();
    for declaration in found.iter() {
        let map = Dynamic::from(declaration.map.clone());
        if let Err(error) = scales.add(&map, 0) {
            let fault = if scales.is_full() {
                ScriptFault::limit(name, held_too_much())
            } else {
                ScriptFault::from_eval_error(name, *error)
            };
            return Err(ScriptFault {
                place: Some((declaration.line, 1)),
                ..fault
            });
        }
        list.push(Declaration {
            map: flattened(&map).cast(),
            ..*declaration
        });
    }
    Ok(Declarations {
        list,
        bytes: scales.bytes,
    })
}

/// The message for a script whose declarations are too large.
fn held_too_much() -> String {
    let max = MAX_HELD_BYTES >> 10;
    format!(
        "the rules and indexers of this script together use more than {max} KiB; each has its own copy of the variables that it captures"
    )
}

/// Builds the functions `rule` and `indexer`, which exist only while a script's top level runs.
fn declaring(declared: &Rc<RefCell<Vec<Declaration>>>) -> Module {
    let mut module = Module::new();
    for (name, what) in [("rule", What::Rule), ("indexer", What::Indexer)] {
        let declared = Rc::clone(declared);
        let declare = move |context: NativeCallContext<'_>, map: Map| -> HostResult<()> {
            let mut declared = declared.borrow_mut();
            if declared.len() == MAX_PLUGINS {
                let message = format!("more than {MAX_PLUGINS} rules and indexers");
                return Err(message.into());
            }
            Meter::from_context(&context).charge(OPERATIONS_TO_DECLARE)?;
            let line = context.call_position().line().unwrap_or(1);
            declared.push(Declaration { what, map, line });
            Ok(())
        };
        module.set_native_fn(name, declare);
    }
    module.build_index();
    module
}

/// Deep-copies a value, including closures and shared variables. Each call gets its own copy, so it starts from the
/// state at the declaration, and does not see the changes that another call has made.
fn flattened(value: &Dynamic) -> Dynamic {
    copied(value, Held::Apart)
}

/// How the closures in a copied value hold the values that they capture.
#[derive(Clone, Copy)]
enum Held {
    /// Each closure has its own copy.
    Apart,
    /// Each closure refers to the values, so that calling the closure does not copy them.
    Shared,
}

fn copied(value: &Dynamic, how: Held) -> Dynamic {
    let value = value.flatten_clone();
    if let Some(function) = value.read_lock::<FnPtr>() {
        let held = function.iter_curry().map(|value| match how {
            Held::Apart => copied(value, how),
            Held::Shared => copied(value, how).into_shared(),
        });
        let held: Vec<Dynamic> = held.collect();
        let mut own = function.clone();
        own.set_curry(held);
        return Dynamic::from(own);
    }
    if value.is_array() {
        let array = value.cast::<Array>();
        let copy = array.iter().map(|value| copied(value, how));
        return copy.collect::<Array>().into();
    }
    if value.is_map() {
        let map = value.cast::<Map>().into_iter();
        return map
            .map(|(key, value)| (key, copied(&value, how)))
            .collect::<Map>()
            .into();
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use skillc_core::Stop;

    fn compiled(text: &str) -> Rc<Compiled> {
        let (name, meter) = ("a.rhai".into(), Meter::start(Stop::default()));
        let ast = compile(&name, text, &meter).expect("compiles");
        Rc::new(Compiled::new(ast, &[]))
    }

    /// The cache of a thread is limited, but always keeps the most recently compiled script.
    #[test]
    fn the_compiled_scripts_of_a_thread_are_bounded() {
        drop(KEPT.take());
        let one = compiled("1;");
        let shas: Vec<Sha> = (0_u32..10)
            .map(|number| Sha::digest(&number.to_le_bytes()))
            .collect();
        for sha in &shas {
            keep(*sha, MAX_COMPILED_BYTES / 4, &one);
            assert!(kept(*sha).is_some());
            KEPT.with_borrow(|kept| assert!(kept.bytes <= MAX_COMPILED_BYTES));
        }
        let all = shas.iter().filter(|sha| kept(**sha).is_some()).count();
        assert!((1..=4).contains(&all), "{all}");
        keep(shas[0], 2 * MAX_COMPILED_BYTES, &one);
        assert!(kept(shas[0]).is_some());
    }

    /// If the scripts that are called in rotation do not all fit, most of them are still cached at their next call.
    #[test]
    fn most_scripts_stay_compiled_if_a_few_do_not_fit() {
        drop(KEPT.take());
        let one = compiled("1;");
        let shas: Vec<Sha> = (0_u32..10)
            .map(|number| Sha::digest(&number.to_be_bytes()))
            .collect();
        let mut compiled = 0;
        for sha in shas.iter().cycle().take(1_000) {
            if kept(*sha).is_none() {
                keep(*sha, MAX_COMPILED_BYTES / 8, &one);
                compiled += 1;
            }
            KEPT.with_borrow(|kept| assert!(kept.bytes <= MAX_COMPILED_BYTES));
        }
        assert!(compiled < 300, "{compiled}");
    }

    /// For example, while a script is edited, each keystroke results in a new script, and the old one is no longer
    /// called.
    #[test]
    fn scripts_that_are_no_longer_called_are_dropped() {
        drop(KEPT.take());
        let one = compiled("1;");
        let [old, new] = ["old", "new"].map(|text| Sha::digest(text.as_bytes()));
        for sha in [old, new] {
            keep(sha, MAX_COMPILED_BYTES / 2, &one);
        }
        for _ in 0..=USES_UNTIL_FORGOTTEN {
            assert!(kept(new).is_some());
        }
        keep(Sha::digest(b"newer"), MAX_COMPILED_BYTES / 2, &one);
        assert!(kept(old).is_none() && kept(new).is_some());
    }

    #[test]
    fn threads_do_not_share_compiled_scripts() {
        let sha = Sha::digest(b"1;");
        keep(sha, 2, &compiled("1;"));
        assert!(kept(sha).is_some());
        let elsewhere = std::thread::spawn(move || kept(sha).is_some());
        assert!(!elsewhere.join().expect("ends"));
    }
}
