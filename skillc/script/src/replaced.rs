//! Replacements for functions of the standard library that the engine's limits do not cover.

use std::any::TypeId;
use std::iter;

use rhai::{
    Array, Dynamic, EvalAltResult, FnPtr, FuncRegistration, ImmutableString, Map, Module,
    NativeCallContext,
};

use crate::limits::MAX_STRING_BYTES;
use crate::meter::{HostResult, Meter, too_long};
use crate::weight::Scales;

/// The number of bytes of text that `replace` processes in the time of one operation.
const BYTES_REPLACED_PER_OPERATION: usize = 16;

/// The number of matches that `replace` replaces in the time of one operation.
const MATCHES_PER_OPERATION: usize = 4;

pub(crate) fn register(module: &mut Module) {
    refuse(module);
    replace(module);
    map(module);
    compare(module);
    characters(module);
}

/// Makes `for` iterate over a string lazily: the library would first collect all characters into a list, even if the
/// loop ends early.
fn characters(module: &mut Module) {
    module.set_iter(TypeId::of::<ImmutableString>(), |text| {
        let text = text.cast::<ImmutableString>();
        let mut at = 0;
        Box::new(iter::from_fn(move || {
            let next = text.get(at..)?.chars().next()?;
            at += next.len_utf8();
            Some(next.into())
        }))
    });
}

/// Disables functions that scripts must not use: sleeping, and setting tags, which mark the captured variables that are
/// tracked.
fn refuse(module: &mut Module) {
    let waits = || Err("sleeping is not allowed".into());
    module.set_native_fn("sleep", move |_: i64| -> HostResult<()> { waits() });
    module.set_native_fn("sleep", move |_: f64| -> HostResult<()> { waits() });
    let tags = |_: &mut Dynamic, _: i64| -> HostResult<()> { Err("tags are not allowed".into()) };
    module.set_native_fn("set_tag", tags);
    FuncRegistration::new_setter("tag").set_into_module(module, tags);
}

/// Replaces `replace` and `trim`. They change a string in place, as in Rhai, but also return it, so that `let t =
/// s.trim()` works as expected.
fn replace(module: &mut Module) {
    module.set_native_fn(
        "trim",
        |context: NativeCallContext<'_>,
         text: &mut ImmutableString|
         -> HostResult<ImmutableString> {
            Meter::from_context(&context).charge_bytes(text.len())?;
            if text.trim().len() < text.len() {
                *text = text.trim().into();
            }
            Ok(text.clone())
        },
    );
    let replaced = |context: &NativeCallContext<'_>,
                    text: &mut ImmutableString,
                    old: &str,
                    new: &str|
     -> HostResult<ImmutableString> {
        let meter = Meter::from_context(context);
        // The text is scanned twice, and each match is copied separately.
        meter.charge(1 + (text.len() / BYTES_REPLACED_PER_OPERATION) as u64)?;
        let found = text.matches(old).count();
        let grown = text.len() + found.saturating_mul(new.len().saturating_sub(old.len()));
        if grown > MAX_STRING_BYTES {
            return Err(too_long().into());
        }
        meter.charge((found / MATCHES_PER_OPERATION) as u64)?;
        meter.charge_bytes(grown)?;
        *text = text.replace(old, new).into();
        Ok(text.clone())
    };
    module.set_native_fn(
        "replace",
        move |context: NativeCallContext<'_>,
              text: &mut ImmutableString,
              old: ImmutableString,
              new: ImmutableString| { replaced(&context, text, &old, &new) },
    );
    module.set_native_fn(
        "replace",
        move |context: NativeCallContext<'_>,
              text: &mut ImmutableString,
              old: char,
              new: ImmutableString| {
            replaced(&context, text, old.encode_utf8(&mut [0; 4]), &new)
        },
    );
    module.set_native_fn(
        "replace",
        move |context: NativeCallContext<'_>,
              text: &mut ImmutableString,
              old: ImmutableString,
              new: char| { replaced(&context, text, &old, new.encode_utf8(&mut [0; 4])) },
    );
}

/// Replaces `map` of arrays and maps, and `zip`, to weigh each result when it is created, not only once all of them
/// exist.
fn map(module: &mut Module) {
    module.set_native_fn(
        "map",
        |context: NativeCallContext<'_>, array: Array, function: FnPtr| -> HostResult<Array> {
            mapped(&context, &function, array.into_iter().map(|value| [value]))
        },
    );
    module.set_native_fn(
        "zip",
        |context: NativeCallContext<'_>, array: Array, other: Array, function: FnPtr| {
            let pairs = array.into_iter().zip(other);
            mapped(
                &context,
                &function,
                pairs.map(|(value, other)| [value, other]),
            )
        },
    );
    module.set_native_fn(
        "map",
        |context: NativeCallContext<'_>, map: Map, function: FnPtr| -> HostResult<Map> {
            let (mut scales, mut mapped) = (Scales::default(), Map::new());
            for (key, value) in map {
                let value = function.call_raw(&context, None, [key.clone().into(), value])?;
                scales.add(&value, 0)?;
                mapped.insert(key, value);
            }
            Ok(mapped)
        },
    );
}

/// Replaces `sort`, `sort_by` and `dedup` with a comparison function. The engine's versions ignore the errors of that
/// function, even exceeded limits, and continue with a default result.
fn compare(module: &mut Module) {
    for name in ["sort", "sort_by"] {
        module.set_native_fn(
            name,
            move |context: NativeCallContext<'_>, array: &mut Array, function: FnPtr| {
                let mut is_after = |one: &Dynamic, other: &Dynamic| {
                    let arguments = [one.clone(), other.clone()];
                    let result = function.call_raw(&context, None, arguments)?;
                    let order = result.as_int().ok();
                    let is_after = order.map(|order| order > 0);
                    let is_after = is_after.or_else(|| result.as_bool().ok().map(|is| !is));
                    is_after.ok_or_else(|| {
                        format!("the function of {name} must return a number or a boolean").into()
                    })
                };
                *array = sorted(array.clone(), &mut is_after)?;
                Ok(())
            },
        );
    }
    module.set_native_fn(
        "dedup",
        |context: NativeCallContext<'_>, array: &mut Array, function: FnPtr| -> HostResult<()> {
            let mut kept = Array::new();
            for value in array.iter() {
                let is_same = match kept.last() {
                    None => false,
                    Some(last) => {
                        let arguments = [last.clone(), value.clone()];
                        let result = function.call_raw(&context, None, arguments)?;
                        result
                            .as_bool()
                            .map_err(|_| "the function of dedup must return a boolean".to_owned())?
                    }
                };
                if !is_same {
                    kept.push(value.clone());
                }
            }
            *array = kept;
            Ok(())
        },
    );
}

/// A merge sort. Unlike with `slice::sort_by`, the comparison may fail, and an inconsistent comparison cannot cause a
/// panic.
fn sorted(
    mut values: Array,
    is_after: &mut impl FnMut(&Dynamic, &Dynamic) -> HostResult<bool>,
) -> HostResult<Array> {
    if values.len() < 2 {
        return Ok(values);
    }
    let right = values.split_off(values.len() / 2);
    let mut left = sorted(values, is_after)?.into_iter().peekable();
    let mut right = sorted(right, is_after)?.into_iter().peekable();
    let mut merged = Array::with_capacity(left.len() + right.len());
    while let (Some(one), Some(other)) = (left.peek(), right.peek()) {
        let next = if is_after(one, other)? {
            right.next()
        } else {
            left.next()
        };
        merged.extend(next);
    }
    merged.extend(left);
    merged.extend(right);
    Ok(merged)
}

/// Calls a function for each tuple of arguments, with the index as an additional argument if the function accepts it.
fn mapped<const N: usize>(
    context: &NativeCallContext<'_>,
    function: &FnPtr,
    arguments: impl Iterator<Item = [Dynamic; N]>,
) -> HostResult<Array> {
    let (mut scales, mut mapped) = (Scales::default(), Array::new());
    let mut takes_index = false;
    for (index, arguments) in (0_i64..).zip(arguments) {
        let mut result = Ok(Dynamic::UNIT);
        if !takes_index {
            result = function.call_raw(context, None, arguments.clone());
            takes_index = index == 0 && is_refused(function, &result);
        }
        if takes_index {
            let mut with_index: Vec<Dynamic> = arguments.into();
            with_index.push(index.into());
            result = function.call_raw(context, None, with_index);
        }
        let value = result?;
        scales.add(&value, 0)?;
        mapped.push(value);
    }
    Ok(mapped)
}

/// Reports whether a call failed because the function does not accept this number of arguments.
fn is_refused(function: &FnPtr, result: &HostResult<Dynamic>) -> bool {
    let error = result.as_ref().map_err(|error| &**error);
    matches!(error, Err(EvalAltResult::ErrorFunctionNotFound(signature, _)) if signature.starts_with(function.fn_name()))
}
