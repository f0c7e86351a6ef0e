//! What a script may use. Whoever writes a rule seldom comes near any of it.
//!
//! Source: RULINGS R20, ARCHITECTURE §6.

use std::time::Duration;

/// The largest script, in bytes.
pub const MAX_SCRIPT_BYTES: usize = 256 << 10;

/// The most rules and indexers of a script, together.
pub const MAX_PLUGINS: usize = 100;

/// The most text of a rule or indexer that is kept, in bytes: its documentation, and its options with what they take.
pub const MAX_DECLARED_BYTES: usize = 32 << 10;

/// The most operations of one call: some 100 ms of a script that only computes. Functions of the host count as as many as
/// they are worth.
pub const MAX_OPERATIONS: u64 = 2_000_000;

/// The most operations of all calls of the scripts of a project for one skill, together. Scripts of the home folder, and those
/// that are named on the command line, are not counted.
pub const MAX_PROJECT_OPERATIONS: u64 = skillc_core::budget::MAX_OPERATIONS;

/// The most operations that loading the scripts of a project takes, together.
pub const MAX_LOADING_OPERATIONS: u64 = 20_000_000;

/// How many operations it is worth to compile a byte of a script, which can take 100 bytes of memory: the scripts of a project
/// have 2 MB together.
pub(crate) const OPERATIONS_TO_COMPILE_BYTE: usize = 10;

/// The most operations that it takes to find out where a call went beyond a limit: looking at each step makes it slow. A
/// script that takes more of them is in a loop, and a place in that is as good as another.
pub(crate) const MAX_OPERATIONS_TO_PLACE: u64 = 200_000;

/// How much text the host goes through in the time of an operation, in bytes.
pub(crate) const BYTES_PER_OPERATION: usize = 64;

/// The longest that one call takes, whatever it does: far more than its operations take on a slow and busy machine, so
/// that this limit is met only by what they do not measure.
pub const MAX_TIME: Duration = Duration::from_secs(60);

/// How often the clock is looked at, in operations.
pub(crate) const OPERATIONS_BETWEEN_LOOKS: u64 = 256;

/// How deep calls nest.
pub const MAX_CALL_LEVELS: usize = 32;

/// The most variables of one function.
pub const MAX_VARIABLES: usize = 64;

/// The most arguments of a call, and elements of a list or map that call something.
pub const MAX_ARGUMENTS: usize = 64;

/// How often the clock is looked at while a script is compiled, in tokens.
pub(crate) const TOKENS_BETWEEN_LOOKS: usize = 64;

/// The most functions of a script.
pub const MAX_FUNCTIONS: usize = 256;

/// How deep expressions nest: at the top, and within functions.
pub const MAX_EXPRESSION_DEPTHS: (usize, usize) = (64, 32);

/// The longest string that a script makes, in bytes; also of all strings of one array or map together.
pub const MAX_STRING_BYTES: usize = 64 << 10;

/// The longest text that is written in a script, in bytes.
pub const MAX_LITERAL_BYTES: usize = 16 << 10;

/// The longest text in a script for which the engine may apply operators to texts without a call that can be charged, in bytes.
pub(crate) const MAX_QUICK_LITERAL_BYTES: usize = 1 << 10;

/// The most elements of an array, those of arrays in it included.
pub const MAX_ARRAY: usize = 2_000;

/// The most entries of a map, those of maps in it included.
pub const MAX_MAP: usize = 500;

/// The most that the variables of one function hold, in bytes.
pub const MAX_HELD_BYTES: usize = 512 << 10;

/// The most variables that hold closures and are captured by other closures.
pub const MAX_CAPTURED: usize = 10_000;

/// The most that those hold together, in bytes.
pub const MAX_CAPTURED_BYTES: usize = 4 << 20;

/// How deep values are nested in each other.
pub const MAX_HELD_DEPTH: usize = 64;

/// The most texts and data that the host makes for one call, in bytes: what it reads of JSON, joins or looks for in strings.
pub const MAX_MADE_BYTES: usize = 24 << 20;

/// The most findings of one call.
pub const MAX_FINDINGS: usize = 1_000;

/// The most labels and edits of one call.
pub const MAX_PARTS: usize = 10_000;

/// The longest message, label, help or title, in bytes.
pub const MAX_MESSAGE_BYTES: usize = 2_000;

/// The most text that one call gives back, in bytes: messages and the texts of fixes.
pub const MAX_DRAFT_BYTES: usize = 1 << 20;

/// The longest pattern, in bytes.
pub const MAX_PATTERN_BYTES: usize = 2_000;

/// The most memory that a compiled pattern may need, in bytes, and as much again while it is used.
pub const MAX_COMPILED_PATTERN_BYTES: usize = 256 << 10;

/// What compiled patterns are given, in bytes, tried in this order; and the longest text that such a pattern is looked for
/// in at once, in bytes: operations are counted between them, and longer lines are cut. At its worst, each byte of a text
/// takes time for all of the pattern, as it is in ASCII.
pub(crate) const PATTERN_SIZES: [(usize, usize); 4] = [
    (16 << 10, 32 << 10),
    (64 << 10, 8 << 10),
    (128 << 10, 4 << 10),
    (MAX_COMPILED_PATTERN_BYTES, 1 << 10),
];

/// What the smallest pattern may take while it is used, in bytes.
pub(crate) const MIN_PATTERN_CACHE_BYTES: usize = 64 << 10;

/// The most groups of a pattern.
pub const MAX_GROUPS: usize = 32;

/// The most memory of the patterns that a call uses, in bytes; each weighs 64 KiB or more.
pub const MAX_CALL_PATTERN_BYTES: usize = 16 << 20;

/// The most memory of the compiled patterns that are kept, in bytes.
pub(crate) const MAX_KEPT_PATTERN_BYTES: usize = 16 << 20;

/// The longest glob, in bytes.
pub const MAX_GLOB_BYTES: usize = 1_000;

/// The most signs of a glob that stand for something else: `*`, `?`, `[`, `{` and `,`.
pub const MAX_GLOB_SIGNS: usize = 32;

/// The longest path that is matched by a glob, in bytes: that of most systems.
pub(crate) const MAX_PATH_BYTES: usize = 4_096;
