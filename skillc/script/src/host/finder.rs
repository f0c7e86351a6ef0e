//! A cache of compiled regular expressions, shared by all calls, and the limits on the patterns of each call.
//!
//! The worst-case time of a search is proportional to the size of the pattern times the length of the text. Therefore a
//! larger pattern costs more operations per byte of text, and searches a smaller window of text at a time.

use std::collections::{BTreeSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use parking_lot::Mutex;
use regex::{Regex, RegexBuilder, bytes};

use crate::limits::{
    MAX_CALL_PATTERN_BYTES, MAX_COMPILED_PATTERN_BYTES, MAX_GROUPS, MAX_KEPT_PATTERN_BYTES,
    MAX_PATTERN_BYTES, MIN_PATTERN_CACHE_BYTES, PATTERN_SIZES,
};
use crate::meter::{HostResult, Meter, too_much};

/// The nesting limit of groups.
const MAX_NESTING: u32 = 50;

/// The maximum number of characters of a pattern that are shown in errors.
const MAX_SHOWN_CHARS: usize = 60;

/// The weight charged for a pattern that is too large, because the failed attempt to compile the pattern took time.
const WEIGHT_OF_TOO_LARGE: usize = 4 << 20;

/// The maximum number of large character classes with case folding in a pattern.
const MAX_FOLDED_CLASSES: usize = 64;

/// Size limits for small patterns, in bytes, which are tried before [`PATTERN_SIZES`].
const SMALL_PATTERNS: [usize; 2] = [2 << 10, 6 << 10];

/// The base cost of a search, regardless of the text.
const OPERATIONS_OF_SEARCH: u64 = 1;

/// The minimum cost of searching a KiB of text: the regex engine scans most text at about a byte per nanosecond.
const MIN_OPERATIONS_A_KIB: usize = 32;

/// Searching a KiB of text costs one operation per this many bytes of the compiled pattern, because in the worst case,
/// each byte of text is matched against every state of the pattern.
const SIZE_PER_OPERATION_A_KIB: usize = 64;

/// Bytes read ahead beyond a match cost less: this many bytes are charged like one byte of searched text.
const AHEAD_SHARE: u64 = 8;

/// Looking up a pattern in the cache costs one operation per this many bytes of the pattern.
const LOOKED_UP_PER_OPERATION: usize = 64;

/// Compiling a pattern costs one operation per this many bytes of its weight.
const WEIGHT_PER_OPERATION: usize = 64;

/// A cache of the most recently compiled patterns, including the errors of invalid patterns.
#[derive(Default)]
pub(crate) struct Patterns {
    /// The patterns, each with its hash: comparing the hashes takes less time than comparing long patterns.
    kept: Mutex<VecDeque<(u64, Arc<Made>)>>,
}

/// The result of compiling a pattern.
struct Made {
    pattern: String,
    /// An upper bound of the memory that the pattern uses, in bytes; for an invalid pattern, a value that accounts for
    /// the time to compile it.
    weight: usize,
    finder: Result<Arc<Finder>, String>,
}

/// A compiled pattern.
pub(crate) struct Finder {
    pub(crate) regex: Regex,
    /// The maximum size of the window, which is the text that is searched at a time, in bytes.
    pub(crate) window: usize,
    /// The operations charged per KiB of text.
    per_kib: u64,
    /// Whether a match within a line is also a match in the whole text, so that many lines can be searched at once.
    pub(crate) is_local: bool,
}

/// The patterns that a call has used. The call is charged for each pattern once, even if another call has already
/// compiled it.
#[derive(Debug, Default)]
pub(crate) struct UsedPatterns(Mutex<(BTreeSet<u64>, usize)>);

impl Patterns {
    /// Returns the compiled form of a pattern.
    ///
    /// # Errors
    /// If the pattern is invalid, or the call has ended or has used too many patterns.
    pub(crate) fn finder(&self, pattern: &str, meter: &Meter) -> HostResult<Arc<Finder>> {
        let hash = hash_of(pattern);
        let made = match self.known(pattern, hash) {
            Some(known) => known,
            None => self.make(pattern, hash)?,
        };
        // Charge even on a cache hit: the cost must not depend on other calls.
        let is_first = meter.patterns().take(hash, made.weight)?;
        let compiling = if is_first {
            made.weight / WEIGHT_PER_OPERATION
        } else {
            0
        };
        let looking_up = pattern.len() / LOOKED_UP_PER_OPERATION;
        meter.charge(OPERATIONS_OF_SEARCH + (compiling + looking_up) as u64)?;
        made.finder.clone().map_err(Into::into)
    }

    fn known(&self, pattern: &str, hash: u64) -> Option<Arc<Made>> {
        let kept = self.kept.lock();
        let is_same = |made: &Made| made.pattern == pattern;
        let known = kept.iter().find(|(of, made)| *of == hash && is_same(made));
        known.map(|(_, made)| Arc::clone(made))
    }

    /// Compiles a pattern, without holding the lock of the cache.
    fn make(&self, pattern: &str, hash: u64) -> HostResult<Arc<Made>> {
        if pattern.len() > MAX_PATTERN_BYTES {
            return Err(format!("a pattern is longer than {MAX_PATTERN_BYTES} bytes").into());
        }
        let made = Arc::new(Made::new(pattern));
        let mut kept = self.kept.lock();
        kept.push_back((hash, Arc::clone(&made)));
        let bytes = |(_, made): &(u64, Arc<Made>)| made.kept_bytes();
        while kept.iter().map(bytes).sum::<usize>() > MAX_KEPT_PATTERN_BYTES {
            kept.pop_front();
        }
        Ok(made)
    }
}

impl Made {
    fn new(pattern: &str) -> Self {
        let refused = |weight: usize, said: &str| {
            let shown: String = pattern.chars().take(MAX_SHOWN_CHARS).collect();
            let cut = if shown == pattern { "" } else { "…" };
            Self {
                pattern: pattern.to_owned(),
                weight,
                finder: Err(format!("pattern '{shown}{cut}': {said}")),
            }
        };
        if folded_classes(pattern) > MAX_FOLDED_CLASSES {
            let said = format!(
                "has more than {MAX_FOLDED_CLASSES} case-insensitive classes such as \\p{{L}} or [\\w.]"
            );
            return refused(MAX_COMPILED_PATTERN_BYTES, &said);
        }
        for (size, window) in PATTERN_SIZES {
            let compiled = compile(pattern, size);
            let regex = match compiled {
                Ok(regex) => regex,
                Err(regex::Error::CompiledTooBig(_)) => continue,
                Err(error) => {
                    let said = error.to_string();
                    let last = said.lines().last().unwrap_or_default();
                    let said = last.trim_start_matches("error: ");
                    return refused(MAX_COMPILED_PATTERN_BYTES, said);
                }
            };
            let groups = regex.captures_len() - 1;
            if groups > MAX_GROUPS {
                let said = format!(
                    "has more than {MAX_GROUPS} groups: use (?:…) for groups that are not read"
                );
                return refused(MAX_COMPILED_PATTERN_BYTES, &said);
            }
            let (size_of_ascii, window) = size_of_ascii(pattern).unwrap_or((size, window));
            let finder = Finder::new(pattern, regex, (size_of_ascii, window));
            return Self {
                pattern: pattern.to_owned(),
                weight: weight(size, groups),
                finder: Ok(Arc::new(finder)),
            };
        }
        let max = MAX_COMPILED_PATTERN_BYTES >> 10;
        let said = format!(
            "is too large when compiled, over {max} KiB: use fewer repetitions, or only ASCII, as in `(?-u:\\w)`"
        );
        refused(WEIGHT_OF_TOO_LARGE, &said)
    }

    fn kept_bytes(&self) -> usize {
        match self.finder {
            Ok(_) => self.weight,
            Err(_) => MIN_PATTERN_CACHE_BYTES,
        }
    }
}

/// Counts the large character classes with case folding, because they take far longer to compile than anything else in
/// a pattern.
fn folded_classes(pattern: &str) -> usize {
    let is_flag = |sign: char| sign.is_ascii_alphabetic() || sign == '-';
    let mut groups = pattern.split("(?").skip(1);
    if !groups.any(|after| {
        after
            .chars()
            .take_while(|sign| is_flag(*sign))
            .any(|sign| sign == 'i')
    }) {
        return 0;
    }
    let (mut count, mut is_within, mut before) = (0, false, ' ');
    let mut signs = pattern.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '\\' => {
                let class = signs.next().unwrap_or_default();
                count +=
                    usize::from("pP".contains(class) || is_within && "wWDSxuU".contains(class));
            }
            '[' => is_within = true,
            ']' => is_within = false,
            _ => {
                let is_range = before == '-' || signs.peek() == Some(&'-');
                count += usize::from(is_within && is_range && !sign.is_ascii());
            }
        }
        before = sign;
    }
    count
}

impl Finder {
    fn new(pattern: &str, regex: Regex, (size, window): (usize, usize)) -> Self {
        // A flag in the pattern, such as `(?-m)`, may turn the pattern's line anchors into text anchors.
        let has_flags = pattern.contains("(?") && pattern.contains('-');
        let is_local = !pattern.contains("\\A") && !pattern.contains("\\z") && !has_flags;
        Self {
            regex,
            window,
            per_kib: (size / SIZE_PER_OPERATION_A_KIB).max(MIN_OPERATIONS_A_KIB) as u64,
            is_local,
        }
    }

    /// Returns the cost of a search, in operations. `searched`: the bytes scanned. `ahead`: the bytes that may have
    /// been read beyond the match to find the longest match.
    pub(crate) fn operations(&self, searched: usize, ahead: usize) -> u64 {
        let bytes = searched as u64 + ahead as u64 / AHEAD_SHARE;
        OPERATIONS_OF_SEARCH + bytes * self.per_kib / 1024
    }
}

impl UsedPatterns {
    /// Charges a pattern, given by its hash, unless the call has used it before; returns whether it is new.
    fn take(&self, hash: u64, weight: usize) -> HostResult<bool> {
        let mut used = self.0.lock();
        let (known, bytes) = &mut *used;
        let is_new = known.insert(hash);
        if is_new {
            *bytes += weight;
        }
        if *bytes > MAX_CALL_PATTERN_BYTES {
            let max = MAX_CALL_PATTERN_BYTES >> 20;
            let what = format!("uses patterns that need more than {max} MiB when compiled");
            return Err(too_much(&what).into());
        }
        Ok(is_new)
    }
}

fn hash_of(pattern: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    pattern.hash(&mut hasher);
    hasher.finish()
}

/// Returns the memory that a pattern uses while it is matched: each of its states keeps the positions of all groups.
fn weight(size: usize, groups: usize) -> usize {
    let size = size.max(MIN_PATTERN_CACHE_BYTES);
    size + size / 2 * groups
}

/// Returns the size of a pattern in ASCII mode, and its search window; `None` if the pattern is not valid in that mode.
/// The size in Unicode mode would overestimate the cost: there, `\w` has many states, but only few are active at a
/// time, one for each byte of a character.
fn size_of_ascii(pattern: &str) -> Option<(usize, usize)> {
    let smaller = SMALL_PATTERNS.map(|size| (size, PATTERN_SIZES[0].1));
    for (size, window) in smaller.into_iter().chain(PATTERN_SIZES) {
        let compiled = bytes::RegexBuilder::new(pattern)
            .unicode(false)
            .nest_limit(MAX_NESTING)
            .size_limit(size / 2)
            .build();
        match compiled {
            Ok(_) => return Some((size, window)),
            Err(regex::Error::CompiledTooBig(_)) => {}
            Err(_) => return None,
        }
    }
    None
}

fn compile(pattern: &str, size: usize) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern)
        .multi_line(true)
        .crlf(true)
        .nest_limit(MAX_NESTING)
        .size_limit(size)
        .dfa_size_limit(size.max(MIN_PATTERN_CACHE_BYTES))
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_large_case_insensitive_classes_are_counted() {
        for (pattern, count) in [
            (r"\pL[\w.]", 0),
            (r"(?P<id>\pL)(?<i>\PL)(?x-u:[\w])", 0),
            (r"(?i)\pL\P{N}\\p", 2),
            (r"(?s-i:a)[\w.-]\w[^\S]", 2),
            (r"(?xi: [à-ü] [äöü] [a-z] à-ü [\d\s])", 2),
        ] {
            assert_eq!(folded_classes(pattern), count, "{pattern}");
        }
    }
}
