//! The text to which a [`Piece`](super::piece::Piece) refers.

use std::sync::Arc;

use skillc_core::{Document, LineIndex, RelPath, Span};

use crate::meter::{HostResult, Meter};

/// The content of a file, or a generated string, to which pieces refer.
#[derive(Clone)]
pub(crate) enum Page {
    Document(Arc<Document>),
    /// A file that is not a document, or a generated string, which belongs to no file.
    Text(Arc<PlainText>),
    /// Several runs of text from a document, concatenated.
    Runs(Arc<Runs>),
}

pub(crate) struct PlainText {
    path: Option<RelPath>,
    text: String,
    lines: LineIndex,
}

impl PlainText {
    pub(crate) fn new(path: Option<RelPath>, text: String) -> Self {
        Self {
            lines: LineIndex::new(text.as_bytes()),
            path,
            text,
        }
    }

    /// Returns the memory that this value uses, not counting its text. The line index may have allocated twice as much
    /// memory as it needs.
    pub(crate) fn bytes_of_lines(&self) -> usize {
        size_of::<Self>() + 2 * self.lines.count() * size_of::<usize>()
    }
}

/// Lines of a document, each without its prefix, such as indentation or quote marks.
pub(crate) struct Runs {
    document: Arc<Document>,
    plain: PlainText,
    /// The start of each run in the text, and in the document.
    starts: Vec<(usize, usize)>,
}

impl Runs {
    /// Copies runs of a document.
    ///
    /// # Errors
    /// If the call has exceeded its memory limit.
    pub(crate) fn copy(
        document: &Arc<Document>,
        spans: &[Span],
        meter: &Meter,
    ) -> HostResult<Self> {
        let bytes: usize = spans.iter().map(|span| span.end - span.start).sum();
        meter.charge_bytes(size_of_val(spans) + bytes)?;
        meter.take(size_of_val(spans) + bytes)?;
        let (mut text, mut starts) = (String::new(), Vec::with_capacity(spans.len()));
        for span in spans {
            starts.push((text.len(), span.start));
            let run = document.text.get(span.start..span.end);
            text.push_str(run.unwrap_or_default());
        }
        let plain = PlainText::new(None, text);
        meter.take(plain.bytes_of_lines())?;
        Ok(Self {
            document: Arc::clone(document),
            plain,
            starts,
        })
    }

    /// Maps a span of the text to the document. The result includes the text between the runs.
    fn in_document(&self, span: Span) -> Span {
        let place = |at: usize| {
            let next = self.starts.partition_point(|(start, _)| *start <= at);
            let (start, place) = self.starts[next.saturating_sub(1)];
            place + (at - start)
        };
        let start = place(span.start);
        // A span that ends at the end of a run must not extend to the start of the next run.
        let end = match span.end.checked_sub(1).filter(|last| *last >= span.start) {
            Some(last) => place(last) + 1,
            None => start,
        };
        Span::new(start, end)
    }
}

impl Page {
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Document(document) => &document.text,
            Self::Text(plain) => &plain.text,
            Self::Runs(runs) => &runs.plain.text,
        }
    }

    pub(crate) fn path(&self) -> Option<&RelPath> {
        match self {
            Self::Document(document) => Some(&document.path),
            Self::Text(plain) => plain.path.as_ref(),
            Self::Runs(runs) => Some(&runs.document.path),
        }
    }

    /// Returns the line index of the text.
    pub(crate) fn lines(&self) -> &LineIndex {
        match self {
            Self::Document(document) => &document.lines,
            Self::Text(plain) => &plain.lines,
            Self::Runs(runs) => &runs.plain.lines,
        }
    }

    /// Returns the page of the underlying file, and the corresponding span in that page.
    pub(crate) fn in_file(&self, span: Span) -> (Self, Span) {
        match self {
            Self::Runs(runs) => {
                let document = Arc::clone(&runs.document);
                (Self::Document(document), runs.in_document(span))
            }
            _ => (self.clone(), span),
        }
    }
}
