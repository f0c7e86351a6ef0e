//! The FTS5 tokenizer `skc`: every Chinese, Japanese or Korean character is a token.
//!
//! It wraps another tokenizer, whose name is its first argument (`tokenize='skc unicode61'`). The inner tokenizer
//! receives each run of text between Chinese, Japanese or Korean characters as if the run were the whole input.
//! Documents and queries are tokenized in the same way, so a query that consists of several such characters is a
//! phrase, and matches only where these characters are adjacent. The stored text is unchanged. A tokenizer is
//! registered per connection: call [`register`] before using a table that has this tokenizer.
//!
//! This is the only module with `unsafe` blocks. After every change to this module, run its tests, and this check for
//! memory errors and leaks:
//!
//! ```text
//! cargo test -p skillc-storage --lib --no-run      # prints the path of the test binary
//! RUST_BACKTRACE=0 PROPTEST_CASES=32 valgrind --leak-check=full --errors-for-leak-kinds=definite --error-exitcode=9 \
//!     <test binary> --test-threads=1 cjk_tokenizer search_query
//! ```
//!
//! Design: R8, C-TOKENIZER.

#![expect(
    unsafe_code,
    reason = "FTS5 takes tokenizers through its C interface only (R8)"
)]

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{ptr, slice, str};

use rusqlite::Connection;
use rusqlite::ffi::{self, Fts5Tokenizer, fts5_api, fts5_tokenizer};
use rusqlite::types::ToSqlOutput;
use skillc_core::cjk::{LOWEST_LEAD_BYTE, is_cjk};

const NAME: &CStr = c"skc";

/// Registers `skc` with a connection. Does nothing if it is already registered.
///
/// # Errors
/// Returns an error if the `SQLite` library has no FTS5, or runs out of memory.
pub(crate) fn register(connection: &Connection) -> rusqlite::Result<()> {
    let api = api_of(connection)?;
    // SAFETY: `api_of` returns the connection's own structure, which lives as long as the connection.
    let (find, add) = unsafe { ((*api).xFindTokenizer, (*api).xCreateTokenizer) };
    let (Some(find), Some(add)) = (find, add) else {
        return Err(failure(ffi::SQLITE_ERROR));
    };
    let factory = Factory {
        api,
        find,
        is_busy: Cell::new(false),
    };
    if factory.find(NAME.as_ptr()).is_ok() {
        return Ok(());
    }
    let factory = Box::into_raw(Box::new(factory));
    let mut methods = fts5_tokenizer {
        xCreate: Some(create),
        xDelete: Some(delete),
        xTokenize: Some(tokenize),
    };
    // SAFETY: FTS5 copies the name and the methods. It passes `factory` to each call of `create`, and once to
    // `destroy`, after the connection has closed its tables.
    let code = unsafe {
        add(
            api,
            NAME.as_ptr(),
            factory.cast(),
            &raw mut methods,
            Some(destroy),
        )
    };
    if code == ffi::SQLITE_OK {
        return Ok(());
    }
    // SAFETY: a failed registration does not keep the pointer and does not call `destroy`, so this function still owns
    // the box.
    drop(unsafe { Box::from_raw(factory) });
    Err(failure(code))
}

fn api_of(connection: &Connection) -> rusqlite::Result<*mut fts5_api> {
    let mut api: *mut fts5_api = ptr::null_mut();
    let slot = ToSqlOutput::Pointer(((&raw mut api).cast_const().cast(), c"fts5_api_ptr", None));
    connection.query_row("SELECT fts5(?1)", [slot], |_| Ok(()))?;
    if api.is_null() {
        Err(failure(ffi::SQLITE_ERROR))
    } else {
        Ok(api)
    }
}

fn failure(code: c_int) -> rusqlite::Error {
    let message = "FTS5 does not take the tokenizer skc".to_owned();
    rusqlite::Error::SqliteFailure(ffi::Error::new(code), Some(message))
}

type Find = unsafe extern "C" fn(
    *mut fts5_api,
    *const c_char,
    *mut *mut c_void,
    *mut fts5_tokenizer,
) -> c_int;
type Delete = unsafe extern "C" fn(*mut Fts5Tokenizer);
type Emit = unsafe extern "C" fn(*mut c_void, c_int, *const c_char, c_int, c_int, c_int) -> c_int;
type Tokenize = unsafe extern "C" fn(
    *mut Fts5Tokenizer,
    *mut c_void,
    c_int,
    *const c_char,
    c_int,
    Option<Emit>,
) -> c_int;

/// `Err` contains the `SQLite` result code, which is never `SQLITE_OK`.
type Outcome<T = ()> = Result<T, c_int>;

fn outcome(code: c_int) -> Outcome {
    if code == ffi::SQLITE_OK {
        Ok(())
    } else {
        Err(code)
    }
}

/// Runs the body of a callback. A panic must not unwind into C, so it becomes `SQLITE_INTERNAL`.
fn guarded(body: impl FnOnce() -> Outcome) -> c_int {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => ffi::SQLITE_OK,
        Ok(Err(code)) => code,
        Err(_) => ffi::SQLITE_INTERNAL,
    }
}

/// The per-connection state for creating tokenizers. It lives from [`register`] to [`destroy`].
struct Factory {
    api: *mut fts5_api,
    find: Find,
    /// Set while an inner tokenizer is created, to reject `skc` as the inner tokenizer. Otherwise, a hostile table with
    /// deeply nested `skc` tokenizers could exhaust the stack.
    is_busy: Cell<bool>,
}

impl Factory {
    /// Looks up a tokenizer by its NUL-terminated name.
    fn find(&self, name: *const c_char) -> Outcome<(*mut c_void, fts5_tokenizer)> {
        let mut context = ptr::null_mut();
        let mut methods = fts5_tokenizer {
            xCreate: None,
            xDelete: None,
            xTokenize: None,
        };
        // SAFETY: `api` outlives the factory; callers pass NUL-terminated names, and FTS5 only fills the two variables.
        outcome(unsafe { (self.find)(self.api, name, &raw mut context, &raw mut methods) })?;
        Ok((context, methods))
    }

    /// Creates the inner tokenizer from the arguments of `create`: the inner tokenizer's name, then its own arguments.
    fn wrap(&self, args: *mut *const c_char, count: c_int) -> Outcome<Wrapper> {
        if args.is_null() || count < 1 {
            return Err(ffi::SQLITE_ERROR);
        }
        // SAFETY: FTS5 passes `count` NUL-terminated strings, and `count` is at least 1. Therefore there is a first
        // string, and `args + 1` is at most one past the end.
        let (name, rest) = unsafe { (*args, args.add(1)) };
        let (context, methods) = self.find(name)?;
        let fts5_tokenizer {
            xCreate: Some(create),
            xDelete: Some(delete),
            xTokenize: Some(tokenize),
        } = methods
        else {
            return Err(ffi::SQLITE_ERROR);
        };
        let rest = if count == 1 { ptr::null_mut() } else { rest };
        let mut inner = ptr::null_mut();
        // SAFETY: the context belongs to these methods, and `rest` has `count - 1` strings.
        outcome(unsafe { create(context, rest, count - 1, &raw mut inner) })?;
        Ok(Wrapper {
            inner,
            tokenize,
            delete,
        })
    }
}

/// The tokenizer of one table. Both this value and its inner tokenizer live from [`create`] to [`delete`].
struct Wrapper {
    inner: *mut Fts5Tokenizer,
    tokenize: Tokenize,
    delete: Delete,
}

impl Drop for Wrapper {
    fn drop(&mut self) {
        // SAFETY: `inner` was created by the `xCreate` that belongs to `delete`, and is deleted only here.
        unsafe { (self.delete)(self.inner) };
    }
}

impl Wrapper {
    fn tokenize(&self, text: &[u8], flags: c_int, sink: &Sink) -> Outcome {
        if text.iter().all(|byte| *byte < LOWEST_LEAD_BYTE) {
            return self.inner(text, flags, sink);
        }
        let Ok(chars) = str::from_utf8(text) else {
            return self.inner(text, flags, sink);
        };
        let mut done = 0;
        for (at, c) in chars.char_indices().filter(|(_, c)| is_cjk(*c)) {
            let end = at + c.len_utf8();
            self.stretch(text, done..at, flags, sink)?;
            sink.emit(text, at..end)?;
            done = end;
        }
        self.stretch(text, done..text.len(), flags, sink)
    }

    /// Passes a part of the text to the inner tokenizer. Passes the resulting tokens to `sink`, with offsets into the
    /// whole text.
    fn stretch(&self, text: &[u8], range: Range<usize>, flags: c_int, sink: &Sink) -> Outcome {
        if range.is_empty() {
            return Ok(());
        }
        let mut shifted = Shifted {
            sink,
            by: offset(range.start)?,
            stopped: Ok(()),
        };
        let relayed = Sink {
            context: (&raw mut shifted).cast(),
            emit: relay,
        };
        let inner = self.inner(&text[range], flags, &relayed);
        // Some inner tokenizers return success although their callback returned another result code, but such a code
        // must still stop tokenizing.
        shifted.stopped.and(inner)
    }

    fn inner(&self, text: &[u8], flags: c_int, sink: &Sink) -> Outcome {
        let length = offset(text.len())?;
        // SAFETY: `inner` lives as long as `self` and belongs to `tokenize`; `text` has `length` bytes; the context of
        // `sink` has the type that its `emit` expects, and outlives the call.
        let code = unsafe {
            (self.tokenize)(
                self.inner,
                sink.context,
                flags,
                text.as_ptr().cast(),
                length,
                Some(sink.emit),
            )
        };
        outcome(code)
    }
}

/// A receiver of tokens: a callback, and the first argument to pass to it.
struct Sink {
    context: *mut c_void,
    emit: Emit,
}

impl Sink {
    /// Emits the bytes of `range` as a token, unchanged.
    fn emit(&self, text: &[u8], range: Range<usize>) -> Outcome {
        let (start, end) = (offset(range.start)?, offset(range.end)?);
        let token = text[range].as_ptr().cast();
        // SAFETY: `context` has the type that `emit` expects; the token has `end - start` bytes, which FTS5 copies or
        // only reads.
        outcome(unsafe { (self.emit)(self.context, 0, token, end - start, start, end) })
    }
}

/// The context of [`relay`]; lives for one call of the inner tokenizer.
struct Shifted<'a> {
    sink: &'a Sink,
    /// The offset of the run in the text, in bytes.
    by: c_int,
    /// The result of emitting the last token.
    stopped: Outcome,
}

/// Converts a byte offset to the C `int` that FTS5 uses.
fn offset(bytes: usize) -> Outcome<c_int> {
    c_int::try_from(bytes).map_err(|_| ffi::SQLITE_TOOBIG)
}

/// `xToken` for inner tokenizers.
unsafe extern "C" fn relay(
    context: *mut c_void,
    flags: c_int,
    token: *const c_char,
    length: c_int,
    start: c_int,
    end: c_int,
) -> c_int {
    guarded(|| {
        // SAFETY: only `Wrapper::stretch` uses `relay`, with a `Shifted` that no other code uses until the inner
        // tokenizer returns.
        let shifted = unsafe { &mut *context.cast::<Shifted<'_>>() };
        let shift = |at: c_int| at.checked_add(shifted.by).ok_or(ffi::SQLITE_TOOBIG);
        let range = shift(start).and_then(|start| Ok((start, shift(end)?)));
        shifted.stopped = range.and_then(|(start, end)| {
            let sink = shifted.sink;
            // SAFETY: the sink's context has the type that its `emit` expects; token, length and flags come from the
            // inner tokenizer.
            outcome(unsafe { (sink.emit)(sink.context, flags, token, length, start, end) })
        });
        shifted.stopped
    })
}

/// `xCreate`.
unsafe extern "C" fn create(
    context: *mut c_void,
    args: *mut *const c_char,
    count: c_int,
    out: *mut *mut Fts5Tokenizer,
) -> c_int {
    guarded(|| {
        // SAFETY: FTS5 passes the pointer that was registered together with this function, and a valid pointer for the
        // result.
        let (factory, out) = unsafe { (&*context.cast::<Factory>(), &mut *out) };
        *out = ptr::null_mut();
        if factory.is_busy.replace(true) {
            return Err(ffi::SQLITE_ERROR);
        }
        let wrapper = factory.wrap(args, count);
        factory.is_busy.set(false);
        *out = Box::into_raw(Box::new(wrapper?)).cast();
        Ok(())
    })
}

/// `xTokenize`.
unsafe extern "C" fn tokenize(
    tokenizer: *mut Fts5Tokenizer,
    context: *mut c_void,
    flags: c_int,
    text: *const c_char,
    length: c_int,
    emit: Option<Emit>,
) -> c_int {
    guarded(|| {
        let length = usize::try_from(length).unwrap_or(0);
        if text.is_null() || length == 0 {
            return Ok(());
        }
        let emit = emit.ok_or(ffi::SQLITE_MISUSE)?;
        // SAFETY: FTS5 passes a pointer that `create` returned and that was not passed to `delete`, and `length` bytes
        // of text.
        let (wrapper, text) = unsafe {
            (
                &*tokenizer.cast::<Wrapper>(),
                slice::from_raw_parts(text.cast::<u8>(), length),
            )
        };
        match wrapper.tokenize(text, flags, &Sink { context, emit }) {
            // `SQLITE_DONE` means that no more tokens are needed, which is not an error. FTS5 leaves this conversion to
            // tokenizers.
            Err(ffi::SQLITE_DONE) => Ok(()),
            other => other,
        }
    })
}

/// `xDelete`.
unsafe extern "C" fn delete(tokenizer: *mut Fts5Tokenizer) {
    guarded(|| {
        if !tokenizer.is_null() {
            // SAFETY: `create` created the pointer from a box, and FTS5 passes it to `delete` only once.
            drop(unsafe { Box::from_raw(tokenizer.cast::<Wrapper>()) });
        }
        Ok(())
    });
}

/// `xDestroy`.
unsafe extern "C" fn destroy(context: *mut c_void) {
    guarded(|| {
        // SAFETY: `register` created the pointer from a box. FTS5 passes it to `destroy` only once, after every
        // tokenizer was deleted.
        drop(unsafe { Box::from_raw(context.cast::<Factory>()) });
        Ok(())
    });
}

#[cfg(test)]
mod tests;
