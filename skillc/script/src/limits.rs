//! The resource limits of scripts. An ordinary rule stays far below all of them.
//!
//! Design: R20, sandbox.

use std::time::Duration;

/// The maximum size of a script, in bytes.
pub const MAX_SCRIPT_BYTES: usize = 256 << 10;

/// The maximum total number of rules and indexers per script.
pub const MAX_PLUGINS: usize = 100;

/// The maximum size of the text kept for a rule or indexer, in bytes: its documentation, and its options with their
/// accepted values.
pub const MAX_DECLARED_BYTES: usize = 32 << 10;

/// The maximum number of operations per call: about 100 ms of pure computation. Host functions are charged in
/// proportion to their work.
pub const MAX_OPERATIONS: u64 = 2_000_000;

/// The maximum total number of operations of a project's scripts for one skill, over all calls. Calls to scripts in the
/// home directory, or to scripts specified on the command line, are not counted. In a run with many skills, the limit
/// per skill can be lower.
pub const MAX_PROJECT_OPERATIONS: u64 = skillc_core::budget::MAX_OPERATIONS;

/// The maximum total number of operations to load all scripts of a project.
pub const MAX_LOADING_OPERATIONS: u64 = 20_000_000;

/// The operations charged to compile each byte of a script. This limits the time to load a project's scripts: at most
/// 500 KB of text are compiled, including scripts that are rejected afterwards.
pub(crate) const OPERATIONS_TO_COMPILE_BYTE: usize = 40;

/// The operations charged to declare a rule or indexer. This limits a project to 2,000 rules and indexers, because the
/// time to plan a run grows with the number of rules times the number of settings.
pub(crate) const OPERATIONS_TO_DECLARE: u64 = 10_000;

/// The operations charged for each call of a rule: a call takes some microseconds even if it does nothing, and a project
/// can have thousands of rules and of documents.
pub(crate) const OPERATIONS_PER_CALL: u64 = 100;

/// The estimated memory that a compiled script uses on each thread, per byte of its text: up to 165 bytes were
/// measured.
pub(crate) const BYTES_OF_COMPILED_BYTE: usize = 200;

/// The maximum estimated memory of the compiled scripts of a project on one thread, in bytes: for each script, 200
/// times the size of its text, the values of its declarations, and 1 KiB.
pub const MAX_PROJECT_COMPILED_BYTES: usize = 24 << 20;

/// The maximum estimated memory of all compiled scripts that a thread keeps, in bytes. All scripts of a project fit, so
/// they are not compiled again for each call.
pub(crate) const MAX_COMPILED_BYTES: usize = 32 << 20;

/// The operation limit of the second run of a call, which finds the position at which the call exceeded a limit. The
/// limit is low because the second run traces each step, which is slow. A script that needs more operations is in a
/// loop, where the exact position does not matter.
pub(crate) const MAX_OPERATIONS_TO_PLACE: u64 = 200_000;

/// The operations charged for each operation of the second run, whose tracing makes it many times slower.
pub(crate) const OPERATIONS_PER_TRACED: u64 = 40;

/// Processing text in a host function costs one operation per this many bytes.
pub(crate) const BYTES_PER_OPERATION: usize = 64;

/// The deadline of one call. Even on a slow and busy machine, the allowed operations take far less time, so only a call
/// whose work is not charged can reach the deadline.
pub const MAX_TIME: Duration = Duration::from_secs(60);

/// The number of operations between two checks of the deadline.
pub(crate) const OPERATIONS_BETWEEN_LOOKS: u64 = 256;

/// The nesting limit of calls.
pub const MAX_CALL_LEVELS: usize = 32;

/// The maximum number of variables per function.
pub const MAX_VARIABLES: usize = 64;

/// The maximum number of arguments in a call, and of elements that contain calls in a list or map literal.
pub const MAX_ARGUMENTS: usize = 64;

/// The number of tokens between two checks of the deadline during compilation.
pub(crate) const TOKENS_BETWEEN_LOOKS: usize = 64;

/// The maximum number of functions per script.
pub const MAX_FUNCTIONS: usize = 256;

/// The nesting limit of expressions: at the top level, and within functions.
pub const MAX_EXPRESSION_DEPTHS: (usize, usize) = (64, 32);

/// The maximum size of a string, and the maximum total size of the strings in an array or map, in bytes.
pub const MAX_STRING_BYTES: usize = 64 << 10;

/// The maximum size of a string literal in a script, in bytes.
pub const MAX_LITERAL_BYTES: usize = 16 << 10;

/// The size of a string literal, in bytes, up to which the engine uses its fast operators, which cannot be charged. In
/// a script with a longer literal, operators are charged like functions.
pub(crate) const MAX_QUICK_LITERAL_BYTES: usize = 1 << 10;

/// The maximum number of elements of an array, including those of nested arrays.
pub const MAX_ARRAY: usize = 2_000;

/// The maximum number of entries of a map, including those of nested maps.
pub const MAX_MAP: usize = 500;

/// The maximum total size of the variables of one function, in bytes. The same limit applies to all declarations of a
/// script together, including the variables that their functions capture.
pub const MAX_HELD_BYTES: usize = 512 << 10;

/// The maximum number of variables that contain closures and are captured by other closures.
pub const MAX_CAPTURED: usize = 10_000;

/// The maximum total size of the variables that count towards [`MAX_CAPTURED`], in bytes.
pub const MAX_CAPTURED_BYTES: usize = 4 << 20;

/// The nesting limit of values.
pub const MAX_HELD_DEPTH: usize = 64;

/// The maximum memory that the host allocates for one call, in bytes. It is used for parsed data, for strings that the
/// host joins or copies, and for edits.
pub const MAX_MADE_BYTES: usize = 24 << 20;

/// The maximum number of findings per call.
pub const MAX_FINDINGS: usize = 1_000;

/// The maximum total number of labels and edits per call.
pub const MAX_PARTS: usize = 10_000;

/// The maximum size of a message, label, help or title, in bytes.
pub const MAX_MESSAGE_BYTES: usize = 2_000;

/// The maximum size of the text in a call's findings, in bytes: messages, labels, help texts, and the titles and
/// replacement texts of fixes.
pub const MAX_DRAFT_BYTES: usize = 1 << 20;

/// The maximum size of a pattern, in bytes.
pub const MAX_PATTERN_BYTES: usize = 2_000;

/// The maximum memory of a compiled pattern, in bytes. While in use, a pattern may need as much again.
pub const MAX_COMPILED_PATTERN_BYTES: usize = 256 << 10;

/// The size limits for a compiled pattern, in bytes, tried in this order. Each limit is paired with the maximum size,
/// in bytes, of the window: the text that is searched at once for a pattern of this size. Operations are charged
/// between windows, and longer lines are split. In the worst case, each byte of text takes time proportional to the
/// pattern's size in ASCII mode.
pub(crate) const PATTERN_SIZES: [(usize, usize); 4] = [
    (16 << 10, 32 << 10),
    (64 << 10, 8 << 10),
    (128 << 10, 4 << 10),
    (MAX_COMPILED_PATTERN_BYTES, 1 << 10),
];

/// The minimum memory that is charged for a pattern in use, in bytes.
pub(crate) const MIN_PATTERN_CACHE_BYTES: usize = 64 << 10;

/// The maximum number of groups per pattern.
pub const MAX_GROUPS: usize = 32;

/// The maximum memory of all patterns that a call uses, in bytes. Each pattern is charged as at least 64 KiB.
pub const MAX_CALL_PATTERN_BYTES: usize = 16 << 20;

/// The maximum memory of the cache of compiled patterns, in bytes.
pub(crate) const MAX_KEPT_PATTERN_BYTES: usize = 16 << 20;

/// The maximum size of a glob, in bytes.
pub const MAX_GLOB_BYTES: usize = 1_000;

/// The maximum number of special characters in a glob: `*`, `?`, `[`, `{` and `,`.
pub const MAX_GLOB_SIGNS: usize = 32;

/// The maximum size of a path that a script matches against a glob or looks up in the skill, in bytes: the limit for
/// paths on most systems.
pub(crate) const MAX_PATH_BYTES: usize = 4_096;
