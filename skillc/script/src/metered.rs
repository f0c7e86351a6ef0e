//! Functions of the standard library, charged by the size of their arguments and results.
//!
//! The engine counts one operation per call, however long the arguments are. Therefore each library function that
//! accepts a string, list, map or blob is wrapped: the wrapper charges the call's [`Meter`] and forwards the call. The
//! list of functions comes from the library itself, so functions added by a new version of the engine are wrapped too.

use std::any::TypeId;

use rhai::packages::{Package, StandardPackage};
use rhai::{
    Array, Blob, Dynamic, Engine, FnPtr, FuncRegistration, ImmutableString, Map, Module,
    NativeCallContext, RhaiFunc, Shared,
};

use crate::limits::{MAX_ARRAY, MAX_MAP, MAX_STRING_BYTES};
use crate::meter::{HostResult, Meter, too_much};
use crate::weight::USES_LOCKED;

/// How fast a function processes its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rate {
    /// Runs in constant time, or as fast as memory can be copied. Such a function is not wrapped, because each use of a
    /// variable is already charged for a copy: see `weight`.
    Free,
    /// Scans or copies bytes.
    Scan,
    /// Handles each character or element separately, or creates values.
    Build,
    /// Compares elements, which needs one call for each element, and several calls for each nested list.
    Compare,
    /// Turns elements into text, which needs one call and one new string for each element.
    Print,
    /// Looks up each non-ASCII character in tables.
    Case,
}

/// Bytes per operation of [`Rate::Scan`].
const SCANNED_BYTES: usize = 256;

/// Bytes per operation of [`Rate::Build`], and of ASCII text with [`Rate::Case`].
const BUILT_BYTES: usize = 16;

/// Operations per compared element, and per element of a nested list or map.
const COMPARED: usize = 2;
const COMPARED_WITHIN: usize = 16;

/// Operations per element that is turned into text, which takes about a microsecond.
const PRINTED: usize = 16;

/// Elements of lists and maps per operation, for all wrapped functions.
const ELEMENTS: usize = 2;

/// The depth to which values are measured. Scripts cannot create values that are nested deeper.
const MAX_DEPTH: usize = 64;

/// Returns the rate of a function. `parameters`: the types of its parameters, starting with the receiver.
fn rate(name: &str, parameters: &[TypeId]) -> Rate {
    let of = parameters.first().copied();
    let is_of = |id: TypeId| of == Some(id);
    let (text, array) = (TypeId::of::<ImmutableString>(), TypeId::of::<Array>());
    let (map, blob) = (TypeId::of::<Map>(), TypeId::of::<Blob>());
    let is_container = is_of(array) || is_of(map) || is_of(blob);
    match name {
        "is_empty" | "get$is_empty" | "len" | "get$len" | "bytes" | "get$bytes" | "tag"
        | "get$tag" | "set_tag" | "set$tag" | "take" | "exit" => Rate::Free,
        "contains" | "starts_with" | "ends_with" if is_of(text) => Rate::Free,
        "push" | "pop" | "get" | "set" | "clear" if is_container => Rate::Free,
        "contains" | "remove" if is_of(map) => Rate::Free,
        "==" | "!=" | "contains" | "index_of" | "dedup" if is_container => Rate::Compare,
        "to_string" | "to_debug" | "print" | "debug" => Rate::Print,
        "to_lower" | "to_upper" | "make_lower" | "make_upper" => Rate::Case,
        "sub_string" | "truncate" | "get" | "pop" | "trim" | "index_of" | "append" | "+" | "+="
        | "min" | "max" | "clear" | "remove"
            if is_of(text) || !is_container =>
        {
            Rate::Scan
        }
        _ => Rate::Build,
    }
}

/// Returns whether a function is wrapped: it accepts large values, and does not call functions of the script. Library
/// functions that call functions of the script are replaced instead: see `each`.
fn is_wrapped(name: &str, parameters: &[TypeId]) -> bool {
    let sized = [
        TypeId::of::<ImmutableString>(),
        TypeId::of::<Array>(),
        TypeId::of::<Map>(),
        TypeId::of::<Blob>(),
        TypeId::of::<Dynamic>(),
    ];
    parameters.iter().any(|of| sized.contains(of))
        && !parameters.contains(&TypeId::of::<FnPtr>())
        && rate(name, parameters) != Rate::Free
}

/// Registers the wrappers. `library`: the modules with the functions, in order of precedence. `own`: the functions in
/// these modules that charge for their own work, and therefore are not wrapped.
pub(crate) fn register(module: &mut Module, library: &[Shared<Module>], own: &Module) {
    let mut engine = Engine::new_raw();
    for part in library.iter().rev() {
        engine.register_global_module(Shared::clone(part));
    }
    engine
        .set_max_string_size(MAX_STRING_BYTES)
        .set_max_array_size(MAX_ARRAY)
        .set_max_map_size(MAX_MAP);
    let engine = Shared::new(engine);
    for Signature {
        name,
        parameters,
        hash,
    } in standard()
    {
        if own.contains_fn(hash) || !is_wrapped(&name, &parameters) {
            continue;
        }
        let rate = rate(&name, &parameters);
        let engine = Shared::clone(&engine);
        let called = called(&name).to_owned();
        let func = move |context: Option<NativeCallContext<'_>>, arguments: &mut [&mut Dynamic]| {
            let Some(context) = context else {
                return Err("a function of the library was called without its context".into());
            };
            call(&engine, &called, rate, &context, arguments)
        };
        let wrapper = RhaiFunc::Method {
            func: Shared::new(func),
            has_context: true,
            // Accept constants: the wrapped function itself reports an error if it would modify a constant.
            is_pure: true,
            is_volatile: false,
        };
        FuncRegistration::new(name)
            .in_internal_namespace()
            .set_into_module_raw(module, parameters, wrapper);
    }
}

/// Returns the name under which a wrapper calls its function. The name differs for `print` and `debug`, because the
/// engine itself prints what these functions return.
fn called(name: &str) -> &str {
    match name {
        "print" => "to_string",
        "debug" => "to_debug",
        name => name,
    }
}

/// A function of the standard library.
struct Signature {
    name: String,
    parameters: Vec<TypeId>,
    hash: u64,
}

/// Returns the functions of the standard library, and the slow string operators that are built into the engine.
fn standard() -> Vec<Signature> {
    let mut engine = Engine::new_raw();
    engine.register_global_module(StandardPackage::new().as_shared_module());
    let signature = |function: rhai::FuncInfo<'_>| {
        let function = function.metadata;
        Some(Signature {
            name: function.name.to_string(),
            parameters: function.param_types.to_vec(),
            hash: function.hash,
        })
    };
    let mut found = engine.collect_fn_metadata(None, signature, true);
    let text = TypeId::of::<ImmutableString>();
    found.extend([text, TypeId::of::<char>()].map(|taken_out| Signature {
        name: "-".to_owned(),
        parameters: vec![text, taken_out],
        hash: 0,
    }));
    found
}

/// Charges for a call, and forwards it.
fn call(
    engine: &Engine,
    name: &str,
    rate: Rate,
    context: &NativeCallContext<'_>,
    arguments: &mut [&mut Dynamic],
) -> HostResult<Dynamic> {
    let meter = Meter::from_context(context);
    let mut size = Size::default();
    for value in arguments.iter() {
        size.add(value, 0);
    }
    // The size is incomplete, because locked variables cannot be read.
    if size.is_locked {
        return Err(too_much(USES_LOCKED).into());
    }
    meter.charge(size.cost(rate))?;
    // Call the function without access to the script's own functions, because `engine` would not count the operations
    // of these functions.
    let outer = context.global_runtime_state();
    let mut global = engine.new_global_runtime_state();
    global.tag = outer.tag.clone();
    global.level = outer.level;
    let position = context.call_position();
    let inner = NativeCallContext::new_with_all_fields(engine, name, None, &global, position);
    let result = inner.call_native_fn_raw(name, true, arguments)?;
    // The result may be larger than the arguments, for example after padding, changing case or escaping.
    let mut made = Size::default();
    made.add(&result, 0);
    if let Some(changed) = arguments.first() {
        made.add(changed, 0);
    }
    let more = made.cost(rate).saturating_sub(size.cost(rate));
    meter.charge(more)?;
    Ok(result)
}

/// The size of a call's arguments, or of its result.
#[derive(Debug, Default)]
struct Size {
    /// The bytes of strings and blobs.
    bytes: usize,
    /// The bytes of strings that are not pure ASCII.
    other: usize,
    elements: usize,
    /// The number of elements of nested lists and maps.
    within: usize,
    /// Whether a closure has captured a variable that is being changed.
    is_locked: bool,
}

impl Size {
    fn add(&mut self, value: &Dynamic, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        if let Some(text) = value.read_lock::<ImmutableString>() {
            self.add_text(&text);
        } else if let Some(array) = value.read_lock::<Array>() {
            self.add_elements(array.len(), depth);
            for value in array.iter() {
                self.add(value, depth + 1);
            }
        } else if let Some(map) = value.read_lock::<Map>() {
            self.add_elements(map.len(), depth);
            for (key, value) in map.iter() {
                self.add_text(key);
                self.add(value, depth + 1);
            }
        } else if let Some(blob) = value.read_lock::<Blob>() {
            self.bytes += blob.len();
        } else if let Some(function) = value.read_lock::<FnPtr>() {
            self.is_locked = self.is_locked || function.iter_curry().any(Dynamic::is_locked);
        }
    }

    fn add_elements(&mut self, count: usize, depth: usize) {
        self.elements += count;
        if depth > 0 {
            self.within += count;
        }
    }

    fn add_text(&mut self, text: &str) {
        self.bytes += text.len();
        if !text.is_ascii() {
            self.other += text.len();
        }
    }

    /// Returns the cost of processing values of this size, in operations.
    fn cost(&self, rate: Rate) -> u64 {
        let bytes = match rate {
            Rate::Free => 0,
            // Elements are charged as if they were printed, because an argument may be a list or map that is appended
            // to a string.
            Rate::Scan => self.bytes / SCANNED_BYTES + self.elements * PRINTED,
            Rate::Print => self.bytes / BUILT_BYTES + self.elements * PRINTED,
            Rate::Build => self.bytes / BUILT_BYTES,
            Rate::Compare => {
                self.bytes / BUILT_BYTES + self.elements * COMPARED + self.within * COMPARED_WITHIN
            }
            Rate::Case => self.bytes / BUILT_BYTES + self.other,
        };
        (bytes + self.elements / ELEMENTS) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Setup;
    use crate::host;
    use crate::limits::MAX_OPERATIONS;
    use crate::replaced;
    use skillc_core::Stop;

    fn shown(name: &str, parameters: &[TypeId]) -> String {
        let names = [
            (TypeId::of::<ImmutableString>(), "text"),
            (TypeId::of::<Array>(), "list"),
            (TypeId::of::<Map>(), "map"),
            (TypeId::of::<Blob>(), "blob"),
            (TypeId::of::<Dynamic>(), "any"),
            (TypeId::of::<FnPtr>(), "function"),
        ];
        let known = |of: &TypeId| names.iter().find(|(id, _)| id == of).map_or("_", |of| of.1);
        let parameters: Vec<&str> = parameters.iter().map(known).collect();
        format!("{name}({})", parameters.join(", "))
    }

    /// Every library function that accepts a large value is charged, except the functions in [`FREE`], each of which
    /// takes constant time or is as fast as a memory copy.
    #[test]
    fn all_library_functions_are_charged_or_known_to_be_fast() {
        let mut own = host::module();
        replaced::register(&mut own);
        let mut free = Vec::new();
        let mut by_script = Vec::new();
        for of in standard() {
            let text = shown(&of.name, &of.parameters);
            let inner = text
                .split_once('(')
                .map_or("", |(_, rest)| rest.trim_end_matches(')'));
            let is_large = |of: &str| !matches!(of, "" | "_" | "function");
            let is_sized = inner.split(", ").any(is_large);
            if !is_sized || own.contains_fn(of.hash) || is_wrapped(&of.name, &of.parameters) {
                continue;
            }
            if inner.contains("function") {
                by_script.push(text);
            } else {
                free.push(text);
            }
        }
        free.sort();
        assert_eq!(free.join(" "), FREE);
        // Library functions that call a function of the script for each element are replaced by functions that charge
        // for each call.
        assert_eq!(by_script, Vec::<String>::new());
    }

    /// For some callbacks, the library accepts the name of a function. A wrapped library function would call the named
    /// function without limits.
    #[test]
    fn wrapped_functions_do_not_call_functions_of_the_script() {
        let standard = StandardPackage::new().as_shared_module();
        let mut wrapped = Module::new();
        register(&mut wrapped, &[Shared::clone(&standard)], &Module::new());
        wrapped.build_index();
        let mut engine = Engine::new_raw();
        engine.register_global_module(standard);
        let code = "fn f(x) { true } [1].filter(\"f\").len";
        assert_eq!(engine.eval::<i64>(code).ok(), Some(1));
        engine.register_global_module(wrapped.into());
        engine.set_default_tag(Dynamic::from(Meter::start(Stop::default())));
        let ended = engine.eval::<i64>(code).map_err(|error| error.to_string());
        let fault = ended.expect_err("the function is not found");
        assert!(fault.contains("f (i64"), "{fault}");
    }

    const FREE: &str = "bytes(text) clear(blob) clear(list) clear(map) contains(map, text) contains(text, _) contains(text, text) \
        ends_with(text, _) ends_with(text, text) exit(any) get$bytes(text) get$is_empty(blob) get$is_empty(list) \
        get$is_empty(text) get$len(blob) get$len(list) get$len(text) get$tag(any) get(blob, _) get(list, _) \
        get(map, text) is_empty(blob) is_empty(list) is_empty(map) is_empty(text) len(blob) len(list) len(map) \
        len(text) pop(blob) pop(list) push(blob, _) push(list, any) remove(map, text) set(blob, _, _) \
        set(list, _, any) set(map, text, any) starts_with(text, _) starts_with(text, text) tag(any) take(any)";

    /// Returns the number of operations of an expression. In the expression, `m` is a map of large values, and its
    /// strings repeat `text`.
    fn operations(text: &str, expression: &str) -> u64 {
        let setup = format!(
            "let s = \"{text}\"; while s.bytes < 6144 {{ s += s; }} let t = s + \"x\"; let a = []; a.pad(500, 1); \
             let m = #{{ s: s, t: t, a: a, b: blob(900, 65), l: [s, t], m: #{{ s: s }} }}; let n = 0; \
             let f = || s; let g = |x| x;"
        );
        let used = |times: u64| {
            let meter = Meter::start(Stop::default());
            let engine = Setup::default().engine(meter.clone());
            let code = format!("{setup} while n < {times} {{ n += 1; {expression}; }}");
            let ran = engine.run(&code).map_err(|error| error.to_string());
            assert_eq!(ran, Ok(()), "{expression}");
            meter.operations()
        };
        (used(30) - used(10)) / 20
    }

    /// Operations on values inside other values are charged too, so that the operation limit bounds the time of a call.
    #[test]
    fn texts_in_lists_maps_and_closures_are_charged() {
        // Each of these takes about 2 microseconds.
        for expression in [
            "m.s.len",
            "m.s == m.t",
            "m.s + m.t",
            "m.s - \"q\"",
            "m.s - 'q'",
            "m.s[3000]",
            "m.s[-3000]",
            "m.s[3] = 'x'",
            "m.l[0] == m.l[1]",
            "\"zz\" in m.s",
            "for c in m.s { break; }",
            "`${m.s}`",
            "switch m.s { \"a\" => 1, _ => 2 }",
            "f.call().len",
            "g.call(m.s)[2000]",
        ] {
            let used = operations("ab", expression);
            assert!(used >= 36, "{expression}: {used}");
        }
        // Each of these takes about 20 microseconds or more.
        for expression in [
            "m.s.split(\",\")",
            "m.s.split(500)",
            "m.s.split_rev(\",\")",
            "m.s.replace(\"q\", \"z\")",
            "m.s.crop(1)",
            "m.s.set(2000, 'x')",
            "m.s.chars()",
            "m.s.to_debug()",
            "m.l.to_string()",
            "m.l == m.l",
            "m.m.to_json()",
            "m.a.sort()",
            "m.a.contains(7)",
            "m.a.index_of(7)",
            "m.a.dedup()",
            "m.b.as_string(); m.s.to_upper()",
        ] {
            let used = operations("ab", expression);
            assert!(used >= 200, "{expression}: {used}");
        }
        // Each of these takes about half a millisecond.
        for expression in [
            "`${m.a}`",
            "m.a.to_string()",
            "m.a.to_debug()",
            "\"\" + m.a",
        ] {
            let used = operations("ab", expression);
            assert!(used >= 8_000, "{expression}: {used}");
        }
        for expression in [
            "m.s.to_lower()",
            "m.s.to_upper()",
            "let z = m.s; z.make_upper()",
        ] {
            for text in ["Σ", "ß", "İ"] {
                let used = operations(text, expression);
                assert!(used >= 6144, "{expression} of {text}: {used}");
            }
        }
    }

    #[test]
    fn results_larger_than_their_arguments_are_charged() {
        for code in [
            "loop { let s = \"a\"; s.pad(60000, \"ab\"); }",
            "loop { \"a\".pad(60000, 'b'); }",
            "loop { [].pad(1900, 1); }",
        ] {
            let meter = Meter::start(Stop::default());
            let engine = Setup::default().engine(meter.clone());
            let mut calls = 0_u64;
            let code = code.replace("loop {", "let n = 0; while n < 20 { n += 1;");
            let _ = engine.run(&code);
            calls += meter.operations();
            assert!(
                (20 * 900..MAX_OPERATIONS).contains(&calls),
                "{code}: {calls}"
            );
        }
    }

    /// An operator on a string literal uses no variable, so the operator itself has to be charged.
    #[test]
    fn operators_on_long_text_literals_are_charged() {
        let setup = Setup {
            charges_operators: true,
            ..Setup::default()
        };
        let meter = Meter::start(Stop::default());
        let engine = setup.engine(meter.clone());
        let code = format!("\"{}\" - 'a'", "ab".repeat(4_000));
        let left = engine.eval::<ImmutableString>(&code);
        let left = left.map_err(|error| error.to_string());
        assert_eq!(left.map(|text| text.len()), Ok(4_000));
        assert!(meter.operations() >= 500, "{}", meter.operations());
    }

    /// Wrapping changes neither results nor constants.
    #[test]
    fn wrapped_functions_behave_like_the_library() {
        let mut plain = Engine::new_raw();
        plain.register_global_module(StandardPackage::new().as_shared_module());
        for code in [
            "const S = \"aB\"; S.to_upper()",
            "const S = \"aB\"; S.make_upper(); S",
            "let s = \"aB\"; s.make_lower(); s",
            "let a = [3, 1, 2]; a.sort(); `${a}`",
            "let a = [1]; a.append([2]); a += 3; `${a}`",
            "`${#{ a: [\"x\", 1.5, ()] }}`",
            "#{ a: \"é\" }.to_json()",
            "let s = \"a,b\"; let f = || s.split(\",\"); `${f.call()}`",
            "`${[1, 2] == [1, 2]} ${\"x\" + 1 + 'c'}`",
            "let s = \"abc\"; s.pad(5, '.'); s.crop(1, 3); s",
            "`${[[1], [2]].contains([2])} ${\"abc\".index_of('c')} ${[1, 1].dedup()}`",
            "let l = [\"ab\"]; l[0].make_upper(); l[0].crop(1); l[0]",
            "\"12x\".parse_int().to_string()",
        ] {
            let wrapped = Setup::default().engine(Meter::start(Stop::default()));
            let [found, expected] = [&wrapped, &plain].map(|engine| {
                let found = engine.eval::<ImmutableString>(code);
                found.map_err(|error| error.to_string())
            });
            assert_eq!(found, expected, "{code}");
        }
    }
}
