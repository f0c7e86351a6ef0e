//! The text of each open document, kept identical to the client's copy.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lsp_types::TextDocumentContentChangeEvent as Change;
use skillc_core::LineIndex;
use skillc_ops::lint::live::real_folder;

use crate::positions::Encoding;
use crate::uris::path_of;

/// The maximum number of open documents.
const MAX_OPEN: usize = 1000;

/// The maximum size of an open document, in bytes. The worker can hold several versions of a document.
const MAX_OPEN_BYTES: usize = 4 << 20;

/// The maximum work for the changes in one message: the number of bytes that are read to find the positions of the
/// changes.
const MAX_CHANGE_WORK: u64 = 2 << 30;

/// An open document.
#[derive(Debug, Clone)]
pub(crate) struct Open {
    /// The version number that the client assigned to the text.
    pub(crate) version: i32,
    /// The text.
    pub(crate) text: String,
    /// The path of the file, with the symlinks of its directory resolved; `None` if the document is not a file. The
    /// file need not exist.
    pub(crate) real: Option<PathBuf>,
    /// The path of the file, as sent by the client.
    pub(crate) path: Option<PathBuf>,
    lines: LineIndex,
    /// Whether the text was too large, or a message had too many changes: further changes are ignored until the client
    /// sends the whole text again.
    is_lost: bool,
}

/// The text of a document that is being changed. If the changes go from the end of the text to its start, as most
/// clients send them, the cost of a change is proportional to its distance from the previous change: the lines before a
/// change keep their numbers and positions.
#[derive(Default)]
struct Editing {
    /// The text after the last change, in pieces, the last piece first.
    behind: Vec<String>,
    /// The total size of the pieces in `behind`, in bytes.
    behind_bytes: usize,
    /// The number of lines whose positions are known; `None` if the whole text is indexed.
    known_lines: Option<usize>,
}

impl Open {
    fn new(uri: &str, version: i32, text: String) -> Self {
        let path = path_of(uri);
        let mut open = Self {
            version,
            text: String::new(),
            real: path.as_deref().and_then(real_of),
            path,
            lines: LineIndex::new(b""),
            is_lost: false,
        };
        open.replace(text);
        open
    }

    /// Returns whether the text equals the client's copy.
    pub(crate) const fn is_known(&self) -> bool {
        !self.is_lost
    }

    /// Applies changes in order. A range outside the text is clamped to the text.
    fn change(&mut self, version: i32, changes: &[Change], encoding: Encoding) {
        self.version = version;
        let mut editing = Editing::default();
        let mut work = 0;
        for change in changes {
            let Some(range) = change.range else {
                editing = Editing::default();
                self.replace(change.text.clone());
                continue;
            };
            if self.is_lost {
                continue;
            }
            let last = index(range.start.line.max(range.end.line));
            if editing.known_lines.is_some_and(|known| last >= known) {
                self.settle(std::mem::take(&mut editing));
                work += self.text.len() as u64;
            }
            let of = |at| encoding.offset(&self.text, &self.lines, at);
            let (start, end) = (of(range.start), of(range.end));
            let (start, end) = (start.min(end), start.max(end));
            // The columns are counted from the starts of the lines.
            let columns = [range.start, range.end].map(|at| index(at.character));
            let columns = columns.map(|column| column.min(self.text.len()));
            work += (columns[0] + columns[1] + self.text.len() - end) as u64;
            // If the line before the change ends with CR, the change may add or remove an LF after it.
            let is_joined = self.text.as_bytes()[..start].last() == Some(&b'\r');
            let before = 1 + usize::from(is_joined);
            let known = self.lines.line(start).saturating_sub(before);
            editing.known_lines = Some(editing.known_lines.map_or(known, |old| old.min(known)));
            editing.behind_bytes += self.text.len() - end;
            editing.behind.push(self.text.split_off(end));
            self.text.truncate(start);
            self.text.push_str(&change.text);
            let bytes = self.text.len() + editing.behind_bytes;
            if bytes > MAX_OPEN_BYTES || work > MAX_CHANGE_WORK {
                editing = Editing::default();
                self.lose();
            }
        }
        if editing.known_lines.is_some() {
            self.settle(editing);
        }
    }

    fn replace(&mut self, text: String) {
        self.text = text;
        self.is_lost = false;
        if self.text.len() > MAX_OPEN_BYTES {
            self.lose();
        } else {
            self.settle(Editing::default());
        }
    }

    /// Joins the pieces of the text, and indexes its lines.
    fn settle(&mut self, editing: Editing) {
        self.text.reserve(editing.behind_bytes);
        self.text.extend(editing.behind.into_iter().rev());
        self.lines = LineIndex::new(self.text.as_bytes());
    }

    fn lose(&mut self) {
        self.is_lost = true;
        self.text = String::new();
        self.lines = LineIndex::new(b"");
    }
}

/// Converts a line or character number of the protocol to an index.
fn index(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Returns the path of a file with the symlinks of its directory resolved. The directory need not exist.
fn real_of(path: &Path) -> Option<PathBuf> {
    let dir = path.parent()?;
    let real = real_folder(dir).unwrap_or_else(|| dir.to_path_buf());
    Some(real.join(path.file_name()?))
}

/// The open documents, by URI.
#[derive(Debug, Default)]
pub(crate) struct Documents(BTreeMap<String, Arc<Open>>);

impl Documents {
    /// Opens a document, or replaces the text of an open document. Returns `None` if too many documents are open.
    pub(crate) fn open(&mut self, uri: &str, version: i32, text: String) -> Option<Arc<Open>> {
        if self.0.len() >= MAX_OPEN && !self.0.contains_key(uri) {
            return None;
        }
        let open = Arc::new(Open::new(uri, version, text));
        self.0.insert(uri.to_owned(), Arc::clone(&open));
        Some(open)
    }

    /// Applies changes to a document, and returns its new state; `None` if the document is not open.
    pub(crate) fn change(
        &mut self,
        uri: &str,
        version: i32,
        changes: &[Change],
        encoding: Encoding,
    ) -> Option<Arc<Open>> {
        let open = self.0.get_mut(uri)?;
        Arc::make_mut(open).change(version, changes, encoding);
        Some(Arc::clone(open))
    }

    /// Closes a document, and returns its last state; `None` if the document is not open.
    pub(crate) fn close(&mut self, uri: &str) -> Option<Arc<Open>> {
        self.0.remove(uri)
    }
}

#[cfg(test)]
mod tests {
    use lsp_types::{Position, Range};
    use proptest::prelude::*;

    use super::*;

    const URI: &str = "untitled:x";

    /// Applies an edit the way a client may do it: to lines of UTF-16 units, whereas the server stores UTF-8.
    fn edited(text: &str, range: Range, new: &str) -> String {
        let units: Vec<u16> = text.encode_utf16().collect();
        let mut starts = vec![0];
        let ends = units.iter().enumerate().filter(|(_, unit)| **unit == 10);
        starts.extend(ends.map(|(at, _)| at + 1));
        let offset = |at: Position| {
            let line = at.line as usize;
            let Some(start) = starts.get(line) else {
                return units.len();
            };
            let next = starts.get(line + 1).map(|next| next - 1);
            (start + at.character as usize).min(next.unwrap_or(units.len()))
        };
        let (start, end) = (offset(range.start), offset(range.end));
        let new: Vec<u16> = new.encode_utf16().collect();
        let all = [&units[..start], &new, &units[end..]].concat();
        String::from_utf16(&all).expect("whole characters")
    }

    fn change(range: Option<Range>, text: &str) -> Change {
        Change {
            range,
            range_length: None,
            text: text.to_owned(),
        }
    }

    proptest! {
        /// The strings contain only characters of one UTF-16 unit, so that every position is on a character boundary.
        #[test]
        fn the_text_equals_that_of_the_client_after_every_edit(
            first in "[aé\n]{0,30}",
            edits in proptest::collection::vec((0..6u32, 0..9u32, 0..3u32, 0..9u32, "[bü\n]{0,6}"), 0..30),
        ) {
            let mut documents = Documents::default();
            let mut text = first.clone();
            documents.open(URI, 0, first).unwrap();
            for (version, (line, column, more, end, new)) in (1..).zip(edits) {
                let end = if more == 0 { column.max(end) } else { end };
                let range = Range::new(Position::new(line, column), Position::new(line + more, end));
                text = edited(&text, range, &new);
                let changes = [change(Some(range), &new)];
                let open = documents.change(URI, version, &changes, Encoding::Utf16).unwrap();
                prop_assert_eq!(&open.text, &text);
                prop_assert_eq!(open.version, version);
            }
        }

        #[test]
        fn no_edit_breaks_a_character(
            first in "[a😀\r\n]{0,20}",
            edits in proptest::collection::vec((0..6u32, 0..9u32, 0..6u32, 0..9u32, "[é😀\r\n]{0,4}"), 0..20),
        ) {
            for encoding in [Encoding::Utf8, Encoding::Utf16] {
                let mut documents = Documents::default();
                documents.open(URI, 0, first.clone()).unwrap();
                for (line, column, to, end, new) in &edits {
                    let range = Range::new(Position::new(*line, *column), Position::new(*to, *end));
                    documents.change(URI, 1, &[change(Some(range), new)], encoding).unwrap();
                }
            }
        }
    }

    proptest! {
        /// One message with many changes has the same effect as one message per change.
        #[test]
        fn changes_in_one_message_apply_in_order(
            first in "[a😀\r\n]{0,40}",
            edits in proptest::collection::vec((0..9u32, 0..5u32, 0..3u32, 0..5u32, "[é\r\n]{0,4}"), 0..30),
            is_sorted in any::<bool>(),
        ) {
            let mut edits = edits;
            if is_sorted {
                edits.sort_by_key(|(line, column, ..)| std::cmp::Reverse((*line, *column)));
            }
            let changes: Vec<Change> = edits
                .iter()
                .map(|(line, column, more, end, new)| {
                    let range = Range::new(Position::new(*line, *column), Position::new(line + more, *end));
                    change(Some(range), new)
                })
                .collect();
            let (mut one, mut many) = (Documents::default(), Documents::default());
            one.open(URI, 0, first.clone()).unwrap();
            many.open(URI, 0, first).unwrap();
            for edit in &changes {
                many.change(URI, 1, std::slice::from_ref(edit), Encoding::Utf16).unwrap();
            }
            one.change(URI, 1, &changes, Encoding::Utf16).unwrap();
            let (one, many) = (one.close(URI).unwrap(), many.close(URI).unwrap());
            prop_assert_eq!(&one.text, &many.text);
            prop_assert_eq!(one.lines.count(), many.lines.count());
        }
    }

    /// Clients send changes from the end of the text to its start. Applying them takes linear time.
    #[test]
    fn a_message_with_very_many_changes_is_applied() {
        const LINES: u32 = 50_000;
        let mut documents = Documents::default();
        let line = "a".repeat(63) + "\n";
        documents.open(URI, 0, line.repeat(LINES as usize)).unwrap();
        let at = |line| Range::new(Position::new(line, 1), Position::new(line, 1));
        let changes: Vec<Change> = (0..LINES)
            .rev()
            .map(|line| change(Some(at(line)), "b"))
            .collect();
        let open = documents.change(URI, 1, &changes, Encoding::Utf16);
        let open = open.unwrap();
        assert!(open.is_known());
        let line = format!("ab{}\n", "a".repeat(62));
        assert_eq!(open.text, line.repeat(LINES as usize));
    }

    /// Each of these changes requires reading the whole text.
    #[test]
    fn a_message_with_too_much_work_is_ignored_until_a_whole_text_comes() {
        let mut documents = Documents::default();
        let text = "a".repeat(63) + "\n";
        documents.open(URI, 0, text.repeat(50_000)).unwrap();
        let edit = change(Some(Range::default()), "b");
        let changes = vec![edit; 5_000];
        let open = documents.change(URI, 1, &changes[..10], Encoding::Utf16);
        assert!(open.unwrap().is_known());
        let open = documents.change(URI, 2, &changes, Encoding::Utf16);
        assert!(!open.unwrap().is_known());
        let again = documents.change(URI, 3, &[change(None, "c")], Encoding::Utf16);
        assert!(again.unwrap().is_known());
    }

    #[test]
    fn a_text_that_is_too_large_is_ignored_until_a_whole_text_comes() {
        let mut documents = Documents::default();
        let large = "a".repeat(MAX_OPEN_BYTES + 1);
        assert!(!documents.open(URI, 0, large).unwrap().is_known());
        let edit = change(Some(Range::default()), "b");
        let still = documents.change(URI, 1, &[edit], Encoding::Utf16);
        assert!(!still.unwrap().is_known());
        let again = documents.change(URI, 2, &[change(None, "c")], Encoding::Utf16);
        let again = again.unwrap();
        assert!(again.is_known());
        assert_eq!(again.text, "c");
    }

    #[test]
    fn documents_that_are_not_open_do_not_change() {
        let mut documents = Documents::default();
        assert!(
            documents
                .change(URI, 1, &[change(None, "c")], Encoding::Utf16)
                .is_none()
        );
        for n in 0..MAX_OPEN {
            assert!(documents.open(&n.to_string(), 0, String::new()).is_some());
        }
        assert!(documents.open(URI, 0, String::new()).is_none());
        assert!(documents.close("0").is_some() && documents.close("0").is_none());
        assert!(documents.open(URI, 0, String::new()).is_some());
    }
}
