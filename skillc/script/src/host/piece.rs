//! Pieces of files: spans of text with their positions.

use std::sync::Arc;

use rhai::{ImmutableString, NativeCallContext};
use skillc_core::path::Pattern;
use skillc_core::{RelPath, Span};

use super::api::Api;
use super::list::{self, List};
use super::out;
use super::page::{Page, PlainText};
use crate::limits::{MAX_GLOB_BYTES, MAX_GLOB_SIGNS, MAX_PATH_BYTES, MAX_STRING_BYTES};
use crate::meter::{HostResult, Meter, too_long};

/// The cost of parsing a glob: a fixed number of operations, and a number of operations for each byte.
const OPERATIONS_OF_GLOB: u64 = 100;
const OPERATIONS_PER_BYTE_OF_GLOB: usize = 8;

/// A span of a page: the `Text` type of scripts.
#[derive(Clone)]
pub(crate) struct Piece {
    pub(crate) page: Page,
    pub(crate) span: Span,
}

impl Piece {
    /// Returns the piece that covers a whole page.
    pub(crate) fn whole(page: Page) -> Self {
        let span = Span::new(0, page.text().len());
        Self { page, span }
    }

    /// Creates a piece that covers a generated string, which belongs to no file.
    ///
    /// # Errors
    /// If the call has exceeded its memory limit.
    pub(crate) fn made(text: String, meter: &Meter) -> HostResult<Self> {
        meter.take(text.len())?;
        Self::from_taken(text, meter)
    }

    /// Creates a piece from a string whose bytes have already been charged to the meter.
    ///
    /// # Errors
    /// The errors of [`Self::made`].
    pub(crate) fn from_taken(text: String, meter: &Meter) -> HostResult<Self> {
        let plain = PlainText::new(None, text);
        meter.take(plain.bytes_of_lines())?;
        Ok(Self::whole(Page::Text(Arc::new(plain))))
    }

    pub(crate) fn text(&self) -> &str {
        let Span { start, end } = self.span;
        self.page.text().get(start..end).unwrap_or_default()
    }

    /// Copies the text into a script string.
    pub(crate) fn string(&self) -> HostResult<ImmutableString> {
        string(self.text())
    }

    /// Returns a part of this piece; `start` and `end` are relative to the start of the piece.
    pub(crate) fn part(&self, start: usize, end: usize) -> Self {
        Self {
            page: self.page.clone(),
            span: Span::new(self.span.start + start, self.span.start + end),
        }
    }

    /// Returns the corresponding piece of the underlying file.
    pub(crate) fn source(&self) -> Self {
        let (page, span) = self.page.in_file(self.span);
        Self { page, span }
    }

    /// Returns the 1-based line of the first character.
    fn line(&self) -> usize {
        let Self { page, span } = self.source();
        page.lines().line(span.start)
    }

    /// Returns the 1-based line of the last character.
    fn last_line(&self) -> usize {
        let Self { page, span } = self.source();
        let last = span.end.saturating_sub(1).max(span.start);
        page.lines().line(last)
    }

    /// Returns the 1-based column of the first character, counted in characters.
    fn column(&self) -> usize {
        let Self { page, span } = self.source();
        let line = page.lines().line(span.start);
        let start = page.lines().range(line, line).start;
        let before = page.text().get(start..span.start);
        before.map_or(1, |before| before.chars().count() + 1)
    }

    /// Returns a range of lines with their line ends, clipped to the piece. `first`, `last`: 1-based line numbers in
    /// the page.
    pub(super) fn line_range(&self, first: i64, last: i64) -> Self {
        let line = |number: i64| usize::try_from(number).unwrap_or(0).max(1);
        let (first, last) = (line(first), line(last));
        let range = self.page.lines().range(first, last.max(first) + 1);
        let clamp = |at: usize| at.clamp(self.span.start, self.span.end);
        let (start, end) = (clamp(range.start), clamp(range.end));
        let end = if last < first { start } else { end };
        let page = self.page.clone();
        Self {
            page,
            span: Span::new(start, end),
        }
    }

    pub(super) fn trimmed(&self) -> Self {
        let text = self.text();
        let start = text.len() - text.trim_start().len();
        self.part(start, start + text.trim().len())
    }

    /// Returns the lines of the piece, without line ends.
    pub(crate) fn lines(&self) -> List<Line> {
        if self.span.start == self.span.end {
            return List::new(0, {
                let piece = self.clone();
                move |_| Line(piece.clone())
            });
        }
        let first = self.page.lines().line(self.span.start);
        let last = self.page.lines().line(self.span.end - 1);
        let piece = self.clone();
        List::new(last + 1 - first, move |at| {
            let range = piece.page.lines().range(first + at, first + at + 1);
            let start = range.start.max(piece.span.start);
            let end = range.end.min(piece.span.end);
            let text = piece.page.text().get(start..end).unwrap_or_default();
            let end = start + text.trim_end_matches(['\n', '\r']).len();
            let page = piece.page.clone();
            Line(Piece {
                page,
                span: Span::new(start, end),
            })
        })
    }

    fn stands_in(&self) -> Standing {
        let Self { page, span } = self.source();
        let Page::Document(document) = page else {
            return Standing::Prose;
        };
        let at = span.start;
        let within = |span: &Span| span.start <= at && at < span.end;
        if at < document.body_start {
            return Standing::Frontmatter;
        }
        let block = last_before(&document.code_blocks, at, |block| block.span);
        if block.is_some_and(|block| within(&block.span))
            || last_before(&document.code_spans, at, |span| *span).is_some_and(within)
        {
            return Standing::Code;
        }
        let unseen = [&document.html_blocks, &document.hidden];
        let mut unseen = unseen
            .iter()
            .filter_map(|spans| last_before(spans, at, |span| *span));
        if unseen.any(within) {
            return Standing::Hidden;
        }
        Standing::Prose
    }

    /// Returns whether the piece begins in prose, that is, not in frontmatter, code, HTML or the markup of a link. All
    /// text outside Markdown documents is prose.
    pub(crate) fn is_prose(&self) -> bool {
        self.stands_in() == Standing::Prose
    }
}

/// The kind of text in which a piece begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    Frontmatter,
    Code,
    /// An HTML block, or text that is not rendered.
    Hidden,
    Prose,
}

fn last_before<T>(sorted: &[T], at: usize, span: impl Fn(&T) -> Span) -> Option<&T> {
    let end = sorted.partition_point(|one| span(one).start <= at);
    sorted[..end].last()
}

/// A line without its line end.
#[derive(Clone)]
pub(crate) struct Line(pub(crate) Piece);

/// A value with a position in a file.
pub(crate) trait Placed: Clone + 'static {
    fn piece(&self) -> Piece;
}

impl Placed for Piece {
    fn piece(&self) -> Piece {
        self.clone()
    }
}

impl Placed for Line {
    fn piece(&self) -> Piece {
        self.0.clone()
    }
}

/// Creates a script string.
///
/// # Errors
/// If the text exceeds the limit for strings.
pub(crate) fn string(text: &str) -> HostResult<ImmutableString> {
    if text.len() > MAX_STRING_BYTES {
        return Err(too_long().into());
    }
    Ok(text.into())
}

/// Parses a glob.
///
/// # Errors
/// If the glob is invalid or too large, or the call has ended or has no operations left.
pub(crate) fn glob(text: &str, meter: &Meter) -> HostResult<Pattern> {
    let is_sign = |sign: &u8| b"*?[{,".contains(sign);
    if text.len() > MAX_GLOB_BYTES || text.bytes().filter(is_sign).count() > MAX_GLOB_SIGNS {
        let said = format!(
            "a glob has more than {MAX_GLOB_BYTES} bytes, or more than {MAX_GLOB_SIGNS} of the characters * ? [ {{ ,"
        );
        return Err(said.into());
    }
    meter.charge(OPERATIONS_OF_GLOB + (text.len() * OPERATIONS_PER_BYTE_OF_GLOB) as u64)?;
    Pattern::parse(text).map_err(|error| error.message().into())
}

/// Converts a number to the script's integer type.
pub(crate) fn int(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Registers a type of values with a position: the properties of the position, and all functions that accept a
/// position.
pub(crate) fn register_placed<T: Placed>(module: &mut Api, name: &str) {
    module.set_custom_type::<T>(name);
    module.set_getter_fn("line", |of: &mut T| Ok(int(of.piece().line())));
    module.set_getter_fn("last_line", |of: &mut T| Ok(int(of.piece().last_line())));
    module.set_getter_fn("column", |context: NativeCallContext<'_>, of: &mut T| {
        let column = of.piece().column();
        Meter::from_context(&context).charge_bytes(column)?;
        Ok(int(column))
    });
    module.set_getter_fn("start", |of: &mut T| {
        Ok(int(of.piece().source().span.start))
    });
    module.set_getter_fn("end", |of: &mut T| Ok(int(of.piece().source().span.end)));
    module.set_getter_fn("source", |of: &mut T| Ok(of.piece().source()));
    module.set_getter_fn("is_prose", |of: &mut T| Ok(of.piece().is_prose()));
    module.set_getter_fn("is_code", |of: &mut T| {
        Ok(of.piece().stands_in() == Standing::Code)
    });
    module.set_getter_fn("is_frontmatter", |of: &mut T| {
        Ok(of.piece().stands_in() == Standing::Frontmatter)
    });
    out::register_placed::<T>(module);
}

pub(crate) fn register(module: &mut Api) {
    register_placed::<Piece>(module, "Text");
    register_placed::<Line>(module, "Line");
    list::register::<Line>(module, "Lines");
    module.set_getter_fn("text", |line: &mut Line| line.0.string());
    module.set_native_fn("to_string", |line: &mut Line| line.0.string());
    module.set_getter_fn("text", |piece: &mut Piece| piece.string());
    module.set_native_fn("to_string", |piece: &mut Piece| piece.string());
    module.set_getter_fn("lines", |piece: &mut Piece| Ok(piece.lines()));
    let len = |context: NativeCallContext<'_>, piece: &mut Piece| {
        Meter::from_context(&context).charge_bytes(piece.text().len())?;
        Ok(int(piece.text().chars().count()))
    };
    module.set_getter_fn("len", len);
    module.set_native_fn("len", len);
    let is_empty = |piece: &mut Piece| Ok(piece.text().is_empty());
    module.set_getter_fn("is_empty", is_empty);
    module.set_native_fn("is_empty", is_empty);
    module.set_native_fn(
        "trim",
        |context: NativeCallContext<'_>, piece: &mut Piece| {
            let trimmed = piece.trimmed();
            Meter::from_context(&context)
                .charge_bytes(piece.text().len() - trimmed.text().len())?;
            Ok(trimmed)
        },
    );
    module.set_native_fn(
        "contains",
        |context: NativeCallContext<'_>, piece: &mut Piece, text: ImmutableString| {
            Meter::from_context(&context).charge_bytes(piece.text().len())?;
            Ok(piece.text().contains(text.as_str()))
        },
    );
    module.set_native_fn("starts_with", |piece: &mut Piece, text: ImmutableString| {
        Ok(piece.text().starts_with(text.as_str()))
    });
    module.set_native_fn("ends_with", |piece: &mut Piece, text: ImmutableString| {
        Ok(piece.text().ends_with(text.as_str()))
    });
    module.set_native_fn(
        "matches_glob",
        |context: NativeCallContext<'_>, path: ImmutableString, glob: ImmutableString| {
            let glob = self::glob(&glob, &Meter::from_context(&context))?;
            if path.len() > MAX_PATH_BYTES {
                return Err(format!("a path is longer than {MAX_PATH_BYTES} bytes").into());
            }
            Ok(RelPath::parse(&path).is_ok_and(|path| glob.matches(&path)))
        },
    );
}
