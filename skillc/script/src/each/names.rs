//! Replaces the library functions that accept the name of a function as an argument. The replacements never treat a
//! string as the name of a function.

use rhai::{Array, Dynamic, ImmutableString, Module, NativeCallContext};

use crate::each::{number, offset};
use crate::meter::{HostResult, Meter};

/// The functions on lists for which the library accepts a name instead of a closure.
const BY_NAME: [&str; 10] = [
    "all",
    "dedup",
    "drain",
    "filter",
    "map",
    "reduce",
    "reduce_rev",
    "retain",
    "some",
    "sort",
];

pub(super) fn register(module: &mut Module) {
    refuse(module);
    find_text(module);
}

/// Makes the functions of [`BY_NAME`] reject a string where the library would accept the name of a function.
fn refuse(module: &mut Module) {
    for name in BY_NAME {
        let refused = move |function: &str| -> HostResult<Dynamic> {
            let expected = format!("{name} expects a closure or Fn(\"{function}\")");
            Err(format!("{expected}, not the name of a function").into())
        };
        module.set_native_fn(name, move |_: &mut Array, function: ImmutableString| {
            refused(&function)
        });
        if name.starts_with("reduce") {
            module.set_native_fn(
                name,
                move |_: &mut Array, function: ImmutableString, _: Dynamic| refused(&function),
            );
        }
    }
}

/// Replaces the version of `index_of` that accepts a string. The library's version would call the function with this
/// name, if there is one.
fn find_text(module: &mut Module) {
    module.set_native_fn(
        "index_of",
        |context: NativeCallContext<'_>, list: &mut Array, text: ImmutableString| {
            index_of_text(&context, list, &text, 0)
        },
    );
    module.set_native_fn(
        "index_of",
        |context: NativeCallContext<'_>, list: &mut Array, text: ImmutableString, start: i64| {
            index_of_text(&context, list, &text, start)
        },
    );
}

fn index_of_text(
    context: &NativeCallContext<'_>,
    list: &[Dynamic],
    text: &str,
    start: i64,
) -> HostResult<i64> {
    let meter = Meter::from_context(context);
    let start = offset(list.len(), start);
    for (index, value) in list.iter().enumerate().skip(start) {
        meter.charge_bytes(text.len())?;
        // A `char` is considered equal to a string that consists of only that character.
        let is_same = match value.as_char() {
            Ok(sign) => text.chars().eq([sign]),
            Err(_) => value
                .read_lock::<ImmutableString>()
                .is_some_and(|value| value.as_str() == text),
        };
        if is_same {
            return Ok(number(index));
        }
    }
    Ok(-1)
}
