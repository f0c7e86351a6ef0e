//! Library functions that call a function of the script for each element of a list or map.
//!
//! The functions in this module replace those of the engine's standard library. For each element, the standard library
//! tries several numbers of arguments, and the engine counts only one or two operations for a call that takes as long
//! as thirty operations. Here, a [`Callback`] makes all calls: it charges each call in advance, and remembers which
//! arguments the function accepts.

mod callback;
mod lists;
mod maps;
mod names;
#[cfg(test)]
mod tests;

use rhai::{Array, Dynamic, FnPtr, FuncRegistration, Map, Module, NativeCallContext};

use crate::meter::HostResult;
use callback::{BOUND, BOUND_AND_INDEX, Callback, ELEMENT, ELEMENT_AND_INDEX, Form};

/// The forms that most functions on lists accept.
const OF_LIST: &[Form] = &[ELEMENT, BOUND, ELEMENT_AND_INDEX];

/// The forms that functions on maps accept. The key is always the first argument.
const OF_MAP: &[Form] = &[ELEMENT, BOUND];

/// The implementation of a library function on lists or maps. The last parameter is the additional argument, or `()` if
/// there is none.
type Walk<T> = fn(&mut Callback<'_>, &mut T, Dynamic) -> HostResult<Dynamic>;

/// The argument that a library function takes in addition to the script's function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum More {
    Nothing,
    /// The index at which to start; optional.
    Start,
    /// The initial result; optional.
    Initial,
    /// Another list, which comes before the function.
    List,
}

/// A library function that calls a script's function for each element of a list or map.
struct Each<T> {
    name: &'static str,
    more: More,
    forms: &'static [Form],
    /// Whether the list or map may be a constant.
    is_pure: bool,
    walk: Walk<T>,
}

impl<T> Each<T> {
    /// Declares a function that only reads the list or map.
    const fn reads(name: &'static str, more: More, forms: &'static [Form], walk: Walk<T>) -> Self {
        Self {
            name,
            more,
            forms,
            is_pure: true,
            walk,
        }
    }

    /// Declares a function that changes the list or map.
    const fn changes(name: &'static str, forms: &'static [Form], walk: Walk<T>) -> Self {
        Self {
            name,
            more: More::Nothing,
            forms,
            is_pure: false,
            walk,
        }
    }

    fn registration(&self) -> FuncRegistration {
        FuncRegistration::new(self.name)
            .in_internal_namespace()
            .with_purity(self.is_pure)
    }

    fn run(
        &self,
        context: &NativeCallContext<'_>,
        function: &FnPtr,
        elements: &mut T,
        more: Dynamic,
    ) -> HostResult<Dynamic> {
        let mut callback = Callback::new(self.name, context, function, self.forms)?;
        (self.walk)(&mut callback, elements, more)
    }
}

const LISTS: &[Each<Array>] = &[
    Each::reads("all", More::Nothing, OF_LIST, lists::all),
    Each::reads("some", More::Nothing, OF_LIST, lists::some),
    Each::reads("index_of", More::Start, OF_LIST, lists::index_of),
    Each::reads("find", More::Start, OF_LIST, lists::find),
    Each::reads("find_map", More::Start, OF_LIST, lists::find_map),
    Each::reads("filter", More::Nothing, OF_LIST, lists::filter),
    Each::reads("map", More::Nothing, OF_LIST, lists::map),
    Each::reads("zip", More::List, &[ELEMENT, ELEMENT_AND_INDEX], lists::zip),
    Each::reads("reduce", More::Initial, OF_LIST, lists::reduce),
    Each::reads("reduce_rev", More::Initial, OF_LIST, lists::reduce_rev),
    Each::reads("order", More::Nothing, &[], lists::order),
    Each::reads("order_by", More::Nothing, &[], lists::order),
    Each::changes("sort", &[], lists::sort),
    Each::changes("sort_by", &[], lists::sort),
    Each::changes("dedup", &[], lists::dedup),
    Each::changes("for_each", &[BOUND, BOUND_AND_INDEX], lists::for_each),
    Each::changes("drain", OF_LIST, lists::drain),
    Each::changes("retain", OF_LIST, lists::retain),
];

const MAPS: &[Each<Map>] = &[
    Each::reads("map", More::Nothing, OF_MAP, maps::map),
    Each::reads("filter", More::Nothing, OF_MAP, maps::filter),
    Each::changes("drain", OF_MAP, maps::drain),
    Each::changes("retain", OF_MAP, maps::retain),
];

pub(crate) fn register(module: &mut Module) {
    for each in LISTS {
        register_of_list(module, each);
    }
    for each in MAPS {
        each.registration().set_into_module(
            module,
            move |context: NativeCallContext<'_>, map: &mut Map, function: FnPtr| {
                each.run(&context, &function, map, Dynamic::UNIT)
            },
        );
    }
    names::register(module);
}

fn register_of_list(module: &mut Module, each: &'static Each<Array>) {
    if each.more == More::List {
        each.registration().set_into_module(
            module,
            move |context: NativeCallContext<'_>,
                  list: &mut Array,
                  other: Array,
                  function: FnPtr| {
                each.run(&context, &function, list, other.into())
            },
        );
        return;
    }
    each.registration().set_into_module(
        module,
        move |context: NativeCallContext<'_>, list: &mut Array, function: FnPtr| {
            each.run(&context, &function, list, Dynamic::UNIT)
        },
    );
    if each.more == More::Start {
        each.registration().set_into_module(
            module,
            move |context: NativeCallContext<'_>, list: &mut Array, function: FnPtr, start: i64| {
                each.run(&context, &function, list, start.into())
            },
        );
    }
    if each.more == More::Initial {
        each.registration().set_into_module(
            module,
            move |context: NativeCallContext<'_>,
                  list: &mut Array,
                  function: FnPtr,
                  initial: Dynamic| { each.run(&context, &function, list, initial) },
        );
    }
}

/// Converts an index to the script's integer type.
fn number(index: usize) -> i64 {
    i64::try_from(index).unwrap_or(i64::MAX)
}

/// Returns the list index that a script's number refers to. A negative number counts from the end.
fn offset(len: usize, number: i64) -> usize {
    let distance = usize::try_from(number.unsigned_abs()).unwrap_or(usize::MAX);
    if number < 0 {
        len.saturating_sub(distance)
    } else {
        distance.min(len)
    }
}
