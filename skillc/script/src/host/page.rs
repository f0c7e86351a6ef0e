//! The texts that pieces are of.

use std::sync::Arc;

use skillc_core::{Document, LineIndex, RelPath, Span};

use crate::meter::{HostResult, Meter};

/// What a piece is of.
#[derive(Clone)]
pub(crate) enum Page {
    Document(Arc<Document>),
    /// A file that is no document, or a text that was made and is of no file.
    Text(Arc<PlainText>),
    /// Runs of a document, one after the other.
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

    /// Returns how much memory it takes beside its text: the index of lines may have room for as many more.
    pub(crate) fn bytes_of_lines(&self) -> usize {
        size_of::<Self>() + 2 * self.lines.count() * size_of::<usize>()
    }
}

/// Lines of a document without what stands before each.
pub(crate) struct Runs {
    document: Arc<Document>,
    plain: PlainText,
    /// Where each run begins in the text, and in the document.
    starts: Vec<(usize, usize)>,
}

impl Runs {
    /// Copies runs of a document.
    ///
    /// # Errors
    /// If the call has made too much.
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

    /// Returns where a part of its text stands in the document, what is between its runs included.
    fn in_document(&self, span: Span) -> Span {
        let place = |at: usize| {
            let next = self.starts.partition_point(|(start, _)| *start <= at);
            let (start, place) = self.starts[next.saturating_sub(1)];
            place + (at - start)
        };
        let start = place(span.start);
        // What ends with a run does not end where the next one begins.
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

    /// Returns the lines of its text.
    pub(crate) fn lines(&self) -> &LineIndex {
        match self {
            Self::Document(document) => &document.lines,
            Self::Text(plain) => &plain.lines,
            Self::Runs(runs) => &runs.plain.lines,
        }
    }

    /// Returns the page that is the file itself, and where a span of this one stands in it.
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
