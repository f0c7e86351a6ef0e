//! The engine that runs scripts. Scripts have no access to the outside world, and their resources are limited.
//!
//! Each call has its own engine, because the limits of the call are settings of the engine. Creating an engine takes
//! only microseconds: its largest part by far, the library of functions, is built only once for each thread.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use rhai::module_resolvers::DummyModuleResolver;
use rhai::packages::{Package, StandardPackage};
use rhai::{Dynamic, Engine, EvalAltResult, Module, OptimizationLevel, Shared};

use crate::coverage::Coverage;
use crate::host;
use crate::limits::{
    MAX_ARRAY, MAX_CALL_LEVELS, MAX_EXPRESSION_DEPTHS, MAX_FUNCTIONS, MAX_MAP, MAX_OPERATIONS,
    MAX_STRING_BYTES, MAX_VARIABLES,
};
use crate::meter::Meter;
use crate::metered;
use crate::printed::Printed;
use crate::replaced;
use crate::weight;

/// The functions available to every script. Each thread has its own library, because the engine's values cannot be sent
/// to another thread.
struct Library {
    standard: Shared<Module>,
    /// The host functions, including replacements of some standard functions.
    host: Shared<Module>,
    /// The standard functions, each wrapped to charge for the size of its arguments.
    metered: Shared<Module>,
}

impl Library {
    fn new() -> Self {
        let mut host = host::module();
        replaced::register(&mut host);
        host.build_index();
        let standard = StandardPackage::new().as_shared_module();
        let host: Shared<Module> = host.into();
        let mut metered = Module::new();
        let library = [Shared::clone(&host), Shared::clone(&standard)];
        metered::register(&mut metered, &library, &host);
        metered.build_index();
        Self {
            standard,
            host,
            metered: metered.into(),
        }
    }

    /// Adds the functions to an engine.
    fn add_to(&self, engine: &mut Engine) {
        engine
            .register_global_module(Shared::clone(&self.standard))
            .register_global_module(Shared::clone(&self.host))
            .register_global_module(Shared::clone(&self.metered));
    }
}

thread_local! {
    static LIBRARY: Library = Library::new();
}

/// The settings that can differ between engines. They are plain data, which threads share.
#[derive(Clone, Default)]
pub(crate) struct Setup {
    /// Whether operators on strings are charged like functions, which makes scripts slower.
    pub(crate) charges_operators: bool,
    /// Counts the operations of all calls into scripts with this setup.
    pub(crate) used: Option<Arc<AtomicU64>>,
    /// Records line coverage.
    pub(crate) coverage: Option<Coverage>,
    /// Receives the output of scripts; `None` discards it.
    pub(crate) printed: Option<Printed>,
}

impl Setup {
    /// Creates the engine for one call.
    pub(crate) fn engine(&self, meter: Meter) -> Engine {
        let mut engine = Engine::new_raw();
        LIBRARY.with(|library| library.add_to(&mut engine));
        engine
            .set_module_resolver(DummyModuleResolver::new())
            .disable_symbol("eval")
            .disable_symbol("curry")
            .disable_symbol("this")
            // Optimizing a script when it is loaded can take a thousand times longer than the time that it saves in
            // each call.
            .set_optimization_level(OptimizationLevel::None)
            .set_strict_variables(true)
            .set_fail_on_invalid_map_property(true);
        engine.set_fast_operators(!self.charges_operators);
        let (at_top, within) = MAX_EXPRESSION_DEPTHS;
        engine
            .set_max_operations(MAX_OPERATIONS)
            .set_max_call_levels(MAX_CALL_LEVELS)
            .set_max_expr_depths(at_top, within)
            .set_max_variables(MAX_VARIABLES)
            .set_max_functions(MAX_FUNCTIONS)
            .set_max_modules(0)
            .set_max_string_size(MAX_STRING_BYTES)
            .set_max_array_size(MAX_ARRAY)
            .set_max_map_size(MAX_MAP);
        engine.set_default_tag(Dynamic::from(meter.clone()));
        weight::follow(&mut engine, &meter);
        // The engine's own counter cannot be used: it restarts at 0 in each script function that a host function calls.
        engine.on_progress(move |_| {
            let error = meter.charge(1).err()?;
            match *error {
                EvalAltResult::ErrorTerminated(what, _) => Some(what),
                _ => Some(Dynamic::UNIT),
            }
        });
        if let Some(coverage) = &self.coverage {
            coverage.follow(&mut engine);
        }
        if let Some(printed) = &self.printed {
            printed.follow(&mut engine);
        }
        engine
    }
}
