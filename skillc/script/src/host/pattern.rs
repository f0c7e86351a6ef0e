//! Regular expression search. The host searches line by line, and charges operations for each search, so that the cost
//! grows with the length of the text.

use std::any::TypeId;
use std::sync::Arc;

use rhai::{Dynamic, ImmutableString, NativeCallContext};
use skillc_core::Span;

use super::api::Api;
use super::finder::{Finder, Patterns};
use super::list::maybe;
use super::piece::{Line, Piece, Placed, register_placed, string};
use crate::meter::{HostResult, Meter};

/// The maximum number of bytes to search at once, unless the first line is longer.
const BYTES_OF_FEW_LINES: usize = 4 << 10;

/// Escaping costs one operation per this many bytes of text.
const ESCAPED_PER_OPERATION: usize = 16;

/// The span of a match, and the spans of the pattern's groups if it has any, as byte offsets in the line.
type PatternMatch = (Span, Option<Arc<[Option<Span>]>>);

/// Returns the first match in a line at or after a byte offset.
fn in_line(finder: &Finder, line: &str, from: usize) -> Option<PatternMatch> {
    if from > line.len() {
        return None;
    }
    let span = |found: regex::Match<'_>| Span::new(found.start(), found.end());
    if finder.regex.captures_len() == 1 {
        let found = finder.regex.find_at(line, from)?;
        return Some((span(found), None));
    }
    let groups = finder.regex.captures_at(line, from)?;
    let whole = groups.get(0).map(span)?;
    let groups = groups.iter().map(|group| group.map(span)).collect();
    Some((whole, Some(groups)))
}

/// The line being searched; all offsets are from the start of the text.
#[derive(Clone, Copy)]
struct Looked {
    start: usize,
    /// The end of the line, without its line end characters.
    end: usize,
    /// Where the search continues.
    from: usize,
}

/// An iterator over the matches of a pattern in a piece.
#[derive(Clone)]
pub(crate) struct Matches {
    finder: Arc<Finder>,
    piece: Piece,
    /// Whether only matches in prose are returned.
    is_of_prose: bool,
    meter: Meter,
    /// The line being searched.
    line: Option<Looked>,
    /// Where the next line starts.
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

    /// Returns the end of a line, without its line end characters, and the start of the next line. A very long line is
    /// split.
    fn line_from(&self, start: usize) -> (usize, usize) {
        let text = &self.piece.text()[start..];
        let within = text.len().min(self.finder.window);
        let found = text.as_bytes()[..within]
            .iter()
            .position(|b| matches!(b, b'\n' | b'\r'));
        let end = found.unwrap_or_else(|| cut(text, within));
        let rest = &text[end..];
        let ends =
            usize::from(rest.starts_with(['\n', '\r'])) + usize::from(rest.starts_with("\r\n"));
        (start + end, start + end + ends)
    }

    /// Starts searching a line. Returns the start of the next line.
    fn look_at(&mut self, start: usize) -> usize {
        let (end, next) = self.line_from(start);
        let from = start;
        self.line = Some(Looked { start, end, from });
        next
    }

    /// Advances to the next line that may contain a match. Returns whether there is such a line.
    fn go_on(&mut self) -> HostResult<bool> {
        let text = self.piece.text();
        loop {
            if self.next >= text.len() {
                return Ok(false);
            }
            let start = self.next;
            if !self.finder.is_local {
                self.next = self.look_at(start);
                return Ok(true);
            }
            let window = window(text, start, self.finder.window);
            let found = self.finder.regex.find(&text[start..window]);
            let searched = found.map_or(window - start, |found| found.end());
            let ahead = window - start - searched;
            self.meter.charge(self.finder.operations(searched, ahead))?;
            let Some(found) = found else {
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
            let line = looked.start;
            let text = &self.piece.text()[line..looked.end];
            let from = looked.from - line;
            let found = in_line(&self.finder, text, from);
            // Charge for each search: a long line may have many matches, and each search may take time proportional to
            // the length of the line.
            let end = found.as_ref().map_or(text.len(), |(whole, _)| whole.end);
            let ahead = text.len() - end;
            let searched = end.saturating_sub(from);
            self.meter.charge(self.finder.operations(searched, ahead))?;
            let Some((whole, groups)) = found else {
                self.line = None;
                continue;
            };
            // After an empty match, the search continues one character later.
            let on = match text[whole.end..].chars().next() {
                Some(next) if whole.start == whole.end => next.len_utf8(),
                None if whole.start == whole.end => 1,
                _ => 0,
            };
            let from = line + whole.end + on;
            self.line = Some(Looked { from, ..looked });
            let found = Match {
                piece: self.piece.part(line + whole.start, line + whole.end),
                groups,
                line: self.piece.part(line, line),
                finder: Arc::clone(&self.finder),
            };
            if !self.is_of_prose || found.piece.is_prose() {
                if let Some(groups) = &found.groups {
                    self.meter.take(size_of_val(&**groups))?;
                }
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

/// Returns the end of the lines that are searched together: a line end, or the place where a very long line is split.
fn window(text: &str, start: usize, max_bytes: usize) -> usize {
    let rest = &text.as_bytes()[start..];
    let is_end = |byte: &u8| *byte == b'\n';
    // Limit the search to a few lines, because it may read all of these lines to find a match in the first line.
    let few = &rest[..rest.len().min(max_bytes).min(BYTES_OF_FEW_LINES)];
    if few.len() == rest.len() {
        return text.len();
    }
    if let Some(at) = few.iter().rposition(is_end) {
        return start + at + 1;
    }
    let within = rest.len().min(max_bytes);
    match rest[..within].iter().position(is_end) {
        Some(at) => start + at + 1,
        None if within == rest.len() => text.len(),
        None => start + cut(&text[start..], within),
    }
}

/// Returns where a very long line is split, at or before an offset: after whitespace if there is any, otherwise at a
/// character boundary.
fn cut(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    if at < text.len() {
        let bytes = &text.as_bytes()[..at];
        let blank = bytes.iter().rposition(|byte| matches!(byte, b' ' | b'\t'));
        at = blank.map_or(at, |blank| blank + 1);
    }
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// A match of a pattern.
#[derive(Clone)]
pub(crate) struct Match {
    piece: Piece,
    /// The spans of the groups in the line; `None` if the pattern has no groups.
    groups: Option<Arc<[Option<Span>]>>,
    /// An empty piece at the start of the line, to which the spans of the groups are relative.
    line: Piece,
    finder: Arc<Finder>,
}

impl Match {
    fn group(&self, at: usize) -> Option<Piece> {
        let span = match &self.groups {
            Some(groups) => (*groups.get(at)?)?,
            None if at == 0 => return Some(self.piece.clone()),
            None => return None,
        };
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

/// Registers the search functions; `piece` extracts the text from a value.
pub(crate) fn register_search<T: Clone + 'static>(
    module: &mut Api,
    patterns: &Arc<Patterns>,
    piece: impl Fn(&T, &Meter) -> HostResult<Piece> + Copy + 'static,
) {
    let all = |is_of_prose| {
        let patterns = Arc::clone(patterns);
        move |context: NativeCallContext<'_>, of: T, pattern: ImmutableString| {
            let meter = Meter::from_context(&context);
            let finder = patterns.finder(&pattern, &meter)?;
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
    module.set_native_fn(
        "escaped",
        |context: NativeCallContext<'_>, text: ImmutableString| {
            // Charge in proportion to the length, because each character is read, and the result may be long.
            let meter = Meter::from_context(&context);
            meter.charge((text.len() / ESCAPED_PER_OPERATION) as u64)?;
            string(&regex::escape(&text))
        },
    );
    register_search(module, patterns, |piece: &Piece, _| Ok(piece.clone()));
    register_search(module, patterns, |line: &Line, _| Ok(line.piece()));
    register_search(module, patterns, |found: &Match, _| Ok(found.piece()));
    register_search(module, patterns, |text: &ImmutableString, meter| {
        Piece::made(text.to_string(), meter)
    });
}
