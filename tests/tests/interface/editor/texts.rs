//! Fuzzes edits: after every edit, the server's text equals the editor's.

use serde_json::json;
use skillc_tests::lsp::{Editor, range, uri};
use skillc_tests::mutations::Random;

use super::{BROKEN, demo};
use crate::PROGRAM;

/// The pieces that edits insert: links, headings, frontmatter, characters of one and two UTF-16 units.
const PIECES: [&str; 10] = [
    "",
    "x",
    "\n",
    "é",
    "😀",
    "[a](b.md)",
    "\n## H\n",
    "---\n",
    "`",
    "\r\n",
];

/// Text as an editor stores it, in UTF-16 units.
struct Text(Vec<u16>);

impl Text {
    /// Returns the line and column of an offset.
    fn place(&self, at: usize) -> (u64, u64) {
        let before = &self.0[..at];
        // CRLF ends a line, and so do LF and CR alone.
        let ends = before.iter().enumerate().filter(|(at, unit)| match unit {
            10 => true,
            13 => self.0.get(at + 1) != Some(&10),
            _ => false,
        });
        let ends: Vec<usize> = ends.map(|(at, _)| at + 1).collect();
        let start = ends.last().copied().unwrap_or_default();
        (ends.len() as u64, (at - start) as u64)
    }

    /// Returns the offset, or the previous offset if this one splits a character or a CRLF.
    fn whole(&self, at: usize) -> usize {
        let splits = |at: usize| {
            let before = at.checked_sub(1).and_then(|before| self.0.get(before));
            let after = self.0.get(at);
            let is_low = after.is_some_and(|unit| (0xdc00..0xe000).contains(unit));
            is_low || (before == Some(&13) && after == Some(&10))
        };
        if splits(at) { at - 1 } else { at }
    }

    fn text(&self) -> String {
        String::from_utf16(&self.0).expect("whole characters")
    }
}

#[test]
fn the_servers_text_equals_the_editors_after_every_edit() {
    let (world, main) = demo(BROKEN);
    let capabilities = json!({"textDocument": {"diagnostic": {}}});
    let mut editor = Editor::new(&world, PROGRAM, &capabilities);
    let mut fresh = Editor::new(&world, PROGRAM, &capabilities);
    let mut random = Random::new(7);
    let mut text = Text(BROKEN.encode_utf16().collect());
    editor.open(&main, BROKEN);
    for version in 2..150 {
        let mut places = [0, 0].map(|_| text.whole(random.below(text.0.len() + 1)));
        if random.below(3) > 0 {
            // Usually, replace only a few characters.
            places[1] = text.whole((places[0] + random.below(4)).min(text.0.len()));
        }
        places.sort_unstable();
        let [start, end] = places;
        let new = *random.one_of(&PIECES);
        let at = range(text.place(start), text.place(end));
        drop(text.0.splice(start..end, new.encode_utf16()));
        editor.change(&main, version, Some(&at), new);
        // The server does not reveal its text. Compare its findings and symbols with those of a new document that has
        // the expected text.
        fresh.open(&main, &text.text());
        let params = json!({"textDocument": {"uri": uri(&main)}});
        for method in METHODS {
            let [one, two] = [&mut editor, &mut fresh].map(|of| of.result(method, &params));
            assert_eq!(one, two, "version {version}, {method}: {:?}", text.text());
        }
        fresh.close(&main);
    }
}

/// Requests whose results depend on the whole text.
const METHODS: [&str; 2] = ["textDocument/diagnostic", "textDocument/documentSymbol"];
