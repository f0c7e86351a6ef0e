//! Regular expressions: found by the host, line by line, so that the clock is looked at however long a text is.

use std::any::TypeId;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use regex::{Regex, RegexBuilder};
use rhai::{Dynamic, EvalAltResult, ImmutableString, NativeCallContext};
use skillc_core::Span;

use super::api::Api;
use super::list::maybe;
use super::piece::{Line, Piece, Placed, register_placed};
use crate::limits::{
    BYTES_BETWEEN_LOOKS, MAX_KEPT_PATTERN_BYTES, MAX_PATTERN_BYTES, PATTERN_SIZES,
};
use crate::meter::{HostResult, Meter};

/// The most characters of a pattern that errors show.
const MAX_SHOWN_CHARS: usize = 60;

/// The compiled patterns of a run, the latest ones.
#[derive(Default)]
pub(crate) struct Patterns {
    kept: Mutex<VecDeque<Arc<Finder>>>,
}

/// A compiled pattern.
pub(crate) struct Finder {
    pattern: String,
    regex: Regex,
    /// The most bytes that it may have.
    size: usize,
    /// Whether what matches in a line also matches there in the whole text: then a text is gone through at once.
    is_local: bool,
}

impl Patterns {
    /// Returns the compiled form of a pattern.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn finder(&self, pattern: &str) -> HostResult<Arc<Finder>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.iter().find(|finder| finder.pattern == pattern) {
            return Ok(Arc::clone(known));
        }
        let finder = Arc::new(Finder::new(pattern)?);
        kept.push_back(Arc::clone(&finder));
        while kept.iter().map(|finder| finder.size).sum::<usize>() > MAX_KEPT_PATTERN_BYTES {
            kept.pop_front();
        }
        Ok(finder)
    }
}

impl Finder {
    fn new(pattern: &str) -> HostResult<Self> {
        if pattern.len() > MAX_PATTERN_BYTES {
            return Err(format!("a pattern is longer than {MAX_PATTERN_BYTES} bytes").into());
        }
        let [small, large] = PATTERN_SIZES;
        let (regex, size) = match compile(pattern, small) {
            Err(regex::Error::CompiledTooBig(_)) => (compile(pattern, large), large),
            result => (result, small),
        };
        let regex = regex.map_err(|error| -> Box<EvalAltResult> {
            let said = match error {
                regex::Error::CompiledTooBig(_) => {
                    let max = large >> 10;
                    format!(
                        "is too large when compiled, over {max} KiB: repeat less, or leave out what is not ASCII, as in \
                         `(?-u:\\w)`"
                    )
                }
                error => {
                    let said = error.to_string();
                    let last = said.lines().last().unwrap_or_default();
                    last.trim_start_matches("error: ").to_owned()
                }
            };
            let shown: String = pattern.chars().take(MAX_SHOWN_CHARS).collect();
            let cut = if shown == pattern { "" } else { "…" };
            format!("pattern '{shown}{cut}': {said}").into()
        })?;
        // A flag in the pattern, `(?-m)`, may make its anchors those of the text.
        let has_flags = pattern.contains("(?") && pattern.contains('-');
        let is_local = !pattern.contains("\\A") && !pattern.contains("\\z") && !has_flags;
        Ok(Self {
            pattern: pattern.to_owned(),
            regex,
            size,
            is_local,
        })
    }

    /// Returns the first match in a line from a byte of it on, with its groups.
    fn in_line(&self, line: &str, from: usize) -> Option<Vec<Option<Span>>> {
        if from > line.len() {
            return None;
        }
        let span = |found: regex::Match<'_>| Span::new(found.start(), found.end());
        if self.regex.captures_len() == 1 {
            return self
                .regex
                .find_at(line, from)
                .map(|found| vec![Some(span(found))]);
        }
        let groups = self.regex.captures_at(line, from)?;
        Some(groups.iter().map(|group| group.map(span)).collect())
    }
}

fn compile(pattern: &str, size: usize) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern)
        .multi_line(true)
        .crlf(true)
        .nest_limit(50)
        .size_limit(size)
        .dfa_size_limit(size)
        .build()
}

/// A line that is being looked at; all counts from the beginning of the text.
#[derive(Clone, Copy)]
struct Looked {
    start: usize,
    /// Without its line end.
    end: usize,
    /// How far it was looked at.
    from: usize,
}

/// The matches of a pattern in a text, found one after the other.
#[derive(Clone)]
pub(crate) struct Matches {
    finder: Arc<Finder>,
    piece: Piece,
    /// Whether only matches in text for readers count.
    is_of_prose: bool,
    meter: Meter,
    /// The line that is being looked at.
    line: Option<Looked>,
    /// Where the next line begins.
    next: usize,
}

impl Matches {
    pub(crate) fn new(meter: Meter, finder: Arc<Finder>, piece: Piece, is_of_prose: bool) -> Self {
        Self {
            finder,
            piece,
            is_of_prose,
            meter,
            line: None,
            next: 0,
        }
    }

    /// Returns the end of a line without its line end, and where the next one begins. A line that is very long is cut.
    fn line_from(&self, start: usize) -> (usize, usize) {
        let text = &self.piece.text()[start..];
        let within = text.len().min(BYTES_BETWEEN_LOOKS);
        let found = text.as_bytes()[..within]
            .iter()
            .position(|b| matches!(b, b'\n' | b'\r'));
        let end = found.unwrap_or_else(|| floor(text, within));
        let rest = &text[end..];
        let ends =
            usize::from(rest.starts_with(['\n', '\r'])) + usize::from(rest.starts_with("\r\n"));
        (start + end, start + end + ends)
    }

    /// Begins to look at a line; returns where the next one begins.
    fn look_at(&mut self, start: usize) -> usize {
        let (end, next) = self.line_from(start);
        let from = start;
        self.line = Some(Looked { start, end, from });
        next
    }

    /// Goes on to the next line in which something may match; says whether there is one.
    fn go_on(&mut self) -> HostResult<bool> {
        let text = self.piece.text();
        loop {
            if self.next >= text.len() {
                return Ok(false);
            }
            self.meter.check()?;
            let start = self.next;
            if !self.finder.is_local {
                self.next = self.look_at(start);
                return Ok(true);
            }
            let window = window(text, start);
            let Some(found) = self.finder.regex.find(&text[start..window]) else {
                self.next = window;
                continue;
            };
            let before = &text[start..start + found.start()];
            let line = start + before.rfind(['\n', '\r']).map_or(0, |at| at + 1);
            self.next = self.look_at(line).max(line + 1);
            return Ok(true);
        }
    }

    fn find(&mut self) -> HostResult<Option<Match>> {
        loop {
            let Some(looked) = self.line else {
                if !self.go_on()? {
                    return Ok(None);
                }
                continue;
            };
            // A long line may have many matches, and each may take as long as the line.
            self.meter.check()?;
            let line = looked.start;
            let text = &self.piece.text()[line..looked.end];
            let Some(groups) = self.finder.in_line(text, looked.from - line) else {
                self.line = None;
                continue;
            };
            let whole = groups[0].unwrap_or_default();
            // After a match of nothing the next one begins a character later.
            let on = match text[whole.end..].chars().next() {
                Some(next) if whole.start == whole.end => next.len_utf8(),
                None if whole.start == whole.end => 1,
                _ => 0,
            };
            let from = line + whole.end + on;
            self.line = Some(Looked { from, ..looked });
            let found = Match {
                piece: self.piece.part(line + whole.start, line + whole.end),
                groups: groups.into(),
                line: self.piece.part(line, line),
                finder: Arc::clone(&self.finder),
            };
            if !self.is_of_prose || found.piece.is_prose() {
                return Ok(Some(found));
            }
        }
    }

    fn count(&self) -> HostResult<i64> {
        let mut all = self.clone();
        let mut count = 0;
        while all.find()?.is_some() {
            count += 1;
        }
        Ok(count)
    }
}

impl Iterator for Matches {
    type Item = HostResult<Match>;

    fn next(&mut self) -> Option<Self::Item> {
        self.find().transpose()
    }
}

/// Returns the end of the lines that are gone through at once: a line end, or where a very long line is cut.
fn window(text: &str, start: usize) -> usize {
    let within = text.len().min(start + BYTES_BETWEEN_LOOKS);
    if within == text.len() {
        return within;
    }
    let bytes = &text.as_bytes()[start..within];
    match bytes.iter().rposition(|byte| *byte == b'\n') {
        Some(at) => start + at + 1,
        None => floor(text, within),
    }
}

/// Returns the last place at or before a byte at which a character begins.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// A match of a pattern.
#[derive(Clone)]
pub(crate) struct Match {
    piece: Piece,
    /// In bytes of the line.
    groups: Arc<[Option<Span>]>,
    /// Where the line begins.
    line: Piece,
    finder: Arc<Finder>,
}

impl Match {
    fn group(&self, at: usize) -> Option<Piece> {
        let span = (*self.groups.get(at)?)?;
        let start = self.line.span.start;
        let page = self.line.page.clone();
        Some(Piece {
            page,
            span: Span::new(start + span.start, start + span.end),
        })
    }

    fn named(&self, name: &str) -> HostResult<Option<Piece>> {
        let mut names = self.finder.regex.capture_names();
        let at = names.position(|known| known == Some(name));
        let at = at.ok_or_else(|| format!("the pattern has no group '{name}'"))?;
        Ok(self.group(at))
    }
}

impl Placed for Match {
    fn piece(&self) -> Piece {
        self.piece.clone()
    }
}

/// Makes the functions known that look for patterns in what `piece` makes of a value.
pub(crate) fn register_search<T: Clone + Send + Sync + 'static>(
    module: &mut Api,
    patterns: &Arc<Patterns>,
    piece: impl Fn(&T, &Meter) -> HostResult<Piece> + Copy + Send + Sync + 'static,
) {
    let all = |is_of_prose| {
        let patterns = Arc::clone(patterns);
        move |context: NativeCallContext<'_>, of: T, pattern: ImmutableString| {
            let finder = patterns.finder(&pattern)?;
            let meter = Meter::of(&context);
            let piece = piece(&of, &meter)?;
            Ok(Matches::new(meter, finder, piece, is_of_prose))
        }
    };
    module.set_native_fn("find_all", all(false));
    module.set_native_fn("find_prose", all(true));
    let find = all(false);
    module.set_native_fn(
        "find",
        move |context: NativeCallContext<'_>, of: T, pattern: ImmutableString| {
            let mut all = find(context, of, pattern)?;
            Ok(maybe(all.find()?))
        },
    );
    let is_match = all(false);
    module.set_native_fn(
        "is_match",
        move |context: NativeCallContext<'_>, of: T, pattern: ImmutableString| {
            let mut all = is_match(context, of, pattern)?;
            Ok(all.find()?.is_some())
        },
    );
}

pub(crate) fn register(module: &mut Api, patterns: &Arc<Patterns>) {
    register_placed::<Match>(module, "Match");
    module.set_getter_fn("text", |found: &mut Match| found.piece.string());
    module.set_native_fn("to_string", |found: &mut Match| found.piece.string());
    module.set_native_fn("group", |found: &mut Match, at: i64| {
        Ok(maybe(
            usize::try_from(at).ok().and_then(|at| found.group(at)),
        ))
    });
    module.set_native_fn("group", |found: &mut Match, name: ImmutableString| {
        Ok(maybe(found.named(&name)?))
    });
    module.set_custom_type::<Matches>("Matches");
    module.set_native_fn("count", |all: &mut Matches| -> HostResult<i64> {
        Matches::count(all)
    });
    module.set_getter_fn("first", |all: &mut Matches| Ok(maybe(all.clone().find()?)));
    module.set_iter_result(TypeId::of::<Matches>(), |all: Dynamic| {
        let all: Matches = all.cast();
        Box::new(all.map(|found| found.map(Dynamic::from)))
    });
    module.set_native_fn("escaped", |text: ImmutableString| {
        Ok(ImmutableString::from(regex::escape(&text)))
    });
    register_search(module, patterns, |piece: &Piece, _| Ok(piece.clone()));
    register_search(module, patterns, |line: &Line, _| Ok(line.piece()));
    register_search(module, patterns, |found: &Match, _| Ok(found.piece()));
    register_search(module, patterns, |text: &ImmutableString, meter| {
        Piece::made(text.to_string(), meter)
    });
}
