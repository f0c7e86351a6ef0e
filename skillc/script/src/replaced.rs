//! Replacements for functions of the standard library that the engine's limits do not cover.

use std::any::TypeId;
use std::iter;

use rhai::{Dynamic, FuncRegistration, ImmutableString, Module, NativeCallContext};

use crate::each;
use crate::limits::MAX_STRING_BYTES;
use crate::meter::{HostResult, Meter, too_long};

/// `replace` costs one operation per this many bytes of text.
const BYTES_REPLACED_PER_OPERATION: usize = 16;

/// `replace` also costs one operation per this many matches.
const MATCHES_PER_OPERATION: usize = 4;

pub(crate) fn register(module: &mut Module) {
    refuse(module);
    replace(module);
    characters(module);
    each::register(module);
}

/// Makes `for` iterate over the characters of a string lazily. The library would first collect all characters into a
/// list, even if the loop ends early.
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

/// Disables functions that scripts must not use: functions that sleep, and functions that set tags, because the host
/// uses tags to mark the captured variables that it tracks.
fn refuse(module: &mut Module) {
    let waits = || Err("sleeping is not allowed".into());
    module.set_native_fn("sleep", move |_: i64| -> HostResult<()> { waits() });
    module.set_native_fn("sleep", move |_: f64| -> HostResult<()> { waits() });
    let tags = |_: &mut Dynamic, _: i64| -> HostResult<()> { Err("tags are not allowed".into()) };
    module.set_native_fn("set_tag", tags);
    FuncRegistration::new_setter("tag").set_into_module(module, tags);
}

/// Replaces the functions `replace` and `trim`. The new functions change a string in place, as in Rhai, but also return
/// it, so that `let t = s.trim()` works as expected.
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
