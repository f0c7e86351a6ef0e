//! Registers the functions and types that scripts can use, and records them for tests.

use std::any::TypeId;

use rhai::{
    Array, Dynamic, FuncRegistration, ImmutableString, Map, Module, NativeCallContext, RhaiFunc,
    RhaiNativeFunc, Shared, Variant,
};

use crate::meter::{HostResult, Meter};

/// The functions available to scripts, during registration. The methods of this type mirror those of [`Module`].
#[derive(Default)]
pub(crate) struct Api {
    module: Module,
    #[cfg(test)]
    noted: Noted,
}

/// A record of the registered types and functions.
#[cfg(test)]
#[derive(Default)]
pub(crate) struct Noted {
    /// Types and their names.
    pub(crate) types: std::collections::HashMap<TypeId, String>,
    pub(crate) functions: Vec<NotedFunction>,
    /// Types that `for` can iterate over.
    pub(crate) iterated: Vec<TypeId>,
}

#[cfg(test)]
pub(crate) struct NotedFunction {
    /// `.len` for a property `len`, `[]` for the index operator, otherwise the function's name.
    pub(crate) name: String,
    pub(crate) arguments: Vec<TypeId>,
    pub(crate) returns: TypeId,
}

impl Api {
    pub(crate) fn set_custom_type<T: Variant + Clone>(&mut self, name: &str) {
        #[cfg(test)]
        self.noted.types.insert(TypeId::of::<T>(), name.to_owned());
        self.module.set_custom_type::<T>(name);
    }

    /// Registers a function, which is also a method of its first argument.
    pub(crate) fn set_native_fn<A, const N: usize, const X: bool, R, F>(
        &mut self,
        name: &str,
        function: F,
    ) where
        A: 'static,
        R: Variant + Clone,
        F: RhaiNativeFunc<A, N, X, R, true> + 'static,
    {
        #[cfg(test)]
        self.note::<A, N, X, R, F>(name.to_owned());
        let registration = FuncRegistration::new(name).in_internal_namespace();
        self.add(registration, function);
    }

    /// Registers a property.
    pub(crate) fn set_getter_fn<A, const X: bool, R, F>(&mut self, name: &str, function: F)
    where
        A: 'static,
        R: Variant + Clone,
        F: RhaiNativeFunc<A, 1, X, R, true> + 'static,
    {
        #[cfg(test)]
        self.note::<A, 1, X, R, F>(format!(".{name}"));
        self.add(FuncRegistration::new_getter(name), function);
    }

    /// Registers the index operator (`value[…]`).
    pub(crate) fn set_indexer_get_fn<A, const X: bool, R, F>(&mut self, function: F)
    where
        A: 'static,
        R: Variant + Clone,
        F: RhaiNativeFunc<A, 2, X, R, true> + 'static,
    {
        #[cfg(test)]
        self.note::<A, 2, X, R, F>("[]".to_owned());
        self.add(FuncRegistration::new_index_getter(), function);
    }

    fn add<A, const N: usize, const X: bool, R, F>(
        &mut self,
        registration: FuncRegistration,
        function: F,
    ) where
        A: 'static,
        R: Variant + Clone,
        F: RhaiNativeFunc<A, N, X, R, true> + 'static,
    {
        let large = [
            TypeId::of::<ImmutableString>(),
            TypeId::of::<Array>(),
            TypeId::of::<Map>(),
            TypeId::of::<Dynamic>(),
        ];
        let function = function.into_rhai_function(true, false);
        let function = if large.contains(&TypeId::of::<R>()) {
            charged(function)
        } else {
            function
        };
        registration.set_into_module_raw(&mut self.module, F::param_types(), function);
    }

    pub(crate) fn set_iter(
        &mut self,
        of: TypeId,
        iterate: impl Fn(Dynamic) -> Box<dyn Iterator<Item = Dynamic>> + 'static,
    ) {
        #[cfg(test)]
        self.noted.iterated.push(of);
        self.module.set_iter(of, iterate);
    }

    pub(crate) fn set_iter_result(
        &mut self,
        of: TypeId,
        iterate: impl Fn(Dynamic) -> Box<dyn Iterator<Item = HostResult<Dynamic>>> + 'static,
    ) {
        #[cfg(test)]
        self.noted.iterated.push(of);
        self.module.set_iter_result(of, iterate);
    }

    pub(crate) fn into_module(self) -> Module {
        self.module
    }

    #[cfg(test)]
    pub(crate) fn noted(&self) -> &Noted {
        &self.noted
    }

    #[cfg(test)]
    fn note<A, const N: usize, const X: bool, R, F>(&mut self, name: String)
    where
        A: 'static,
        R: 'static,
        F: RhaiNativeFunc<A, N, X, R, true>,
    {
        self.noted.functions.push(NotedFunction {
            name,
            arguments: F::param_types().to_vec(),
            returns: TypeId::of::<R>(),
        });
    }
}

/// Wraps a function so that its result is charged like a use of a variable, because an operator, an index or a loop may
/// traverse the result without storing it in a variable.
fn charged(function: RhaiFunc) -> RhaiFunc {
    let (RhaiFunc::Method { func, .. } | RhaiFunc::Pure { func, .. }) = &function else {
        return function;
    };
    let func = Shared::clone(func);
    let func = Shared::new(
        move |context: Option<NativeCallContext<'_>>, args: &mut [&mut Dynamic]| {
            let meter = context.as_ref().map(Meter::from_context);
            let result = func(context, args)?;
            if let Some(meter) = meter {
                meter.charge_use(&result)?;
            }
            Ok(result)
        },
    );
    let (has_context, is_pure, is_volatile) = (true, true, false);
    match function {
        RhaiFunc::Pure { .. } => RhaiFunc::Pure {
            func,
            has_context,
            is_pure,
            is_volatile,
        },
        _ => RhaiFunc::Method {
            func,
            has_context,
            is_pure,
            is_volatile,
        },
    }
}
