//! Reports files that are not UTF-8.

use skillc_core::{Document, Encoding, Span};
use skillc_lint::Findings;

/// Reports a file that is not UTF-8, at its first invalid byte.
pub(crate) fn report(doc: &Document, out: &mut Findings<'_>) {
    let path = &doc.path;
    match doc.encoding {
        Encoding::Other { at, byte } => {
            let found = format!("'{path}' is not UTF-8: byte 0x{byte:02X} at offset {at}");
            // The invalid byte is U+FFFD in the parsed text.
            let span = Span::new(at, at + char::REPLACEMENT_CHARACTER.len_utf8());
            out.at(span, found).help(
                "save the file as UTF-8; its current encoding may be Latin-1 or Windows-1252",
            );
        }
        Encoding::Utf16 => {
            out.file(path, format!("'{path}' is UTF-16, not UTF-8"))
                .help("save the file as UTF-8");
        }
        Encoding::Binary => {
            out.file(path, format!("'{path}' is not a text file"))
                .help("replace it with Markdown text, or give it another extension");
        }
        Encoding::Utf8 => {}
    }
}
