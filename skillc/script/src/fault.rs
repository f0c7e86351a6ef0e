//! Errors in scripts, worded for script authors.

use std::fmt;
use std::sync::Arc;

use rhai::{EvalAltResult, LexError, ParseError, Position};

use crate::limits::{
    MAX_ARRAY, MAX_CALL_LEVELS, MAX_EXPRESSION_DEPTHS, MAX_FUNCTIONS, MAX_MAP, MAX_OPERATIONS,
    MAX_STRING_BYTES, MAX_TIME, MAX_VARIABLES,
};
use crate::one_line::one_line;
use crate::reference::meant;

/// The maximum length of a fault's message, in characters. It is limited because the message may contain text from the
/// script.
const MAX_FAULT_CHARS: usize = 500;

/// The prefix of the names that the engine generates for closures.
const CLOSURE: &str = "anon$";

/// An error in a script, with its position. It is displayed as `team.rhai:4:9: more than 2000000 operations`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptFault {
    /// The name that the script was loaded with.
    pub script: Arc<str>,
    /// The 1-based line, and the 1-based column in characters; `None` if the fault is about the script as a whole.
    pub place: Option<(usize, usize)>,
    /// The message, on one line.
    pub message: String,
    /// Whether the script exceeded a limit.
    pub is_limit: bool,
    /// Whether the call timed out or was cancelled.
    pub(crate) is_by_clock: bool,
}

impl ScriptFault {
    /// Creates a fault about a script as a whole.
    pub(crate) fn new(script: &Arc<str>, message: impl Into<String>) -> Self {
        Self {
            script: Arc::clone(script),
            place: None,
            message: short_line(&without_hashes(message.into())),
            is_limit: false,
            is_by_clock: false,
        }
    }

    /// Creates a fault at a line.
    pub(crate) fn on_line(script: &Arc<str>, line: usize, message: impl Into<String>) -> Self {
        Self {
            place: Some((line, 1)),
            ..Self::new(script, message)
        }
    }

    /// Creates a fault for an exceeded limit.
    pub(crate) fn limit(script: &Arc<str>, message: impl Into<String>) -> Self {
        Self {
            is_limit: true,
            ..Self::new(script, message)
        }
    }

    /// Creates the fault for a panic in the host.
    pub(crate) fn internal(script: &Arc<str>) -> Self {
        Self::new(script, "internal error in skillc, called by the script")
    }

    /// Converts a compiler error.
    pub(crate) fn from_parse_error(script: &Arc<str>, error: &ParseError) -> Self {
        let said = said_by_compiler(error);
        Self {
            place: place(error.position()),
            is_limit: said.is_limit,
            ..Self::new(script, said.message)
        }
    }

    /// Converts a runtime error, with the position in the innermost function.
    pub(crate) fn from_eval_error(script: &Arc<str>, error: EvalAltResult) -> Self {
        let mut error = innermost(error);
        let at = error.take_position();
        let said = said_by_engine(&error);
        let is_by_clock =
            matches!(&error, EvalAltResult::ErrorTerminated(what, _) if !what.is_string());
        Self {
            is_by_clock,
            place: place(at),
            is_limit: said.is_limit,
            ..Self::new(script, said.message)
        }
    }

    /// Returns `script:line:column`, omitting unknown parts.
    pub fn at(&self) -> String {
        match self.place {
            Some((line, column)) => format!("{}:{line}:{column}", self.script),
            None => self.script.to_string(),
        }
    }
}

impl fmt::Display for ScriptFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at(), self.message)
    }
}

impl std::error::Error for ScriptFault {}

struct Said {
    message: String,
    is_limit: bool,
}

fn plain(message: impl Into<String>) -> Said {
    Said {
        message: message.into(),
        is_limit: false,
    }
}

fn limit(message: impl Into<String>) -> Said {
    Said {
        message: message.into(),
        is_limit: true,
    }
}

fn place(at: Position) -> Option<(usize, usize)> {
    Some((at.line()?, at.position().unwrap_or(1)))
}

fn innermost(error: EvalAltResult) -> EvalAltResult {
    match error {
        EvalAltResult::ErrorInFunctionCall(_, _, inner, at) => {
            let mut inner = innermost(*inner);
            if inner.position().is_none() {
                inner.set_position(at);
            }
            inner
        }
        other => other,
    }
}

fn said_by_compiler(error: &ParseError) -> Said {
    use rhai::ParseErrorType as Kind;
    match error.err_type() {
        Kind::ExprTooDeep => {
            let (top, within) = MAX_EXPRESSION_DEPTHS;
            limit(format!(
                "an expression nested more than {top} levels deep, or {within} levels in a function"
            ))
        }
        Kind::TooManyFunctions => limit(format!("more than {MAX_FUNCTIONS} functions")),
        Kind::LiteralTooLarge(..) => limit(format!(
            "a string, list or map literal that is too large: at most {MAX_STRING_BYTES} bytes, {MAX_ARRAY} elements, \
             {MAX_MAP} entries"
        )),
        Kind::BadInput(LexError::ImproperSymbol(symbol, _)) if symbol == "this" => {
            plain("'this' is not supported: use parameters, for example list.map(|value| …)")
        }
        Kind::BadInput(LexError::Runtime(what)) => limit(what),
        Kind::BadInput(LexError::MalformedChar(_)) => plain("strings must be in double quotes"),
        Kind::BadInput(LexError::MalformedEscapeSequence(what)) => plain(format!(
            "invalid escape sequence '{what}' between double quotes; write patterns in backticks: `{what}`"
        )),
        // The lexer only reports the question mark, not the intended operator.
        Kind::UnknownOperator(what) if what == "?" => {
            plain("there is no operator '? :'; use if condition { one } else { other }")
        }
        kind => plain(kind.to_string()),
    }
}

/// The message for a call that exceeds the operation limit.
pub(crate) fn many_operations() -> String {
    format!("more than {MAX_OPERATIONS} operations")
}

/// The message for a call that timed out. Unlike the other limits, the time limit depends on the machine.
pub(crate) fn too_long_by_clock() -> String {
    format!(
        "stopped after {} s of wall-clock time, before reaching any other limit",
        MAX_TIME.as_secs()
    )
}

fn said_by_engine(error: &EvalAltResult) -> Said {
    use EvalAltResult as Kind;
    match error {
        Kind::ErrorTooManyOperations(_) => limit(many_operations()),
        Kind::ErrorTerminated(what, _) if what.is_string() => limit(what.to_string()),
        Kind::ErrorTerminated(..) => limit(too_long_by_clock()),
        Kind::ErrorDataRace(..) => plain("uses a variable while a call changes it"),
        Kind::ErrorTooManyModules(_) => limit("imports are not allowed"),
        Kind::ErrorStackOverflow(_) => {
            limit(format!("calls nested more than {MAX_CALL_LEVELS} deep"))
        }
        Kind::ErrorTooManyVariables(_) => limit(format!("more than {MAX_VARIABLES} variables")),
        Kind::ErrorDataTooLarge(what, _) => limit(match what.as_str() {
            what if what.contains("string") => {
                format!("strings of more than {MAX_STRING_BYTES} bytes")
            }
            what if what.contains("map") => format!("a map of more than {MAX_MAP} entries"),
            _ => format!("an array of more than {MAX_ARRAY} elements"),
        }),
        Kind::ErrorParsing(kind, _) => plain(kind.to_string()),
        Kind::ErrorRuntime(said, _) => plain(said.to_string()),
        Kind::ErrorDotExpr(said, _) => plain(meant::property(said).unwrap_or(error.to_string())),
        Kind::ErrorPropertyNotFound(name, _) => plain(format!("a map has no '{name}'")),
        Kind::ErrorFunctionNotFound(signature, _) => plain(meant::call(signature)),
        Kind::ErrorIndexingType(types, _) => plain(meant::index(types)),
        Kind::ErrorMismatchDataType(expected, found, _)
        | Kind::ErrorMismatchOutputType(expected, found, _) => {
            plain(meant::mismatch(expected, found))
        }
        Kind::ErrorFor(_) => {
            plain("'for' only iterates over strings, arrays, lists, matches, nodes and ranges")
        }
        other => plain(other.to_string()),
    }
}

/// Replaces the generated names of closures in a message, because these names differ between processes.
fn without_hashes(message: String) -> String {
    if !message.contains(CLOSURE) {
        return message;
    }
    let mut parts = message.split(CLOSURE);
    let mut said = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        said += "this function";
        said += part.trim_start_matches(|c: char| c.is_ascii_hexdigit());
    }
    said
}

/// Puts a message on one line and truncates it.
fn short_line(message: &str) -> String {
    let mut chars = one_line(message);
    let mut line: String = chars.by_ref().take(MAX_FAULT_CHARS).collect();
    if chars.next().is_some() {
        line.push('…');
    }
    line
}
