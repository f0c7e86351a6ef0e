//! The text that an agent receives when it loads a skill: a frame around `SKILL.md`, or a reminder if the agent already
//! has the skill.
//!
//! The body is passed through unchanged, except that tags of the frame and lines with a base directory are escaped, so
//! that the body cannot close its frame, list other files, or name another directory. The rest of the text is
//! well-formed XML for any file names.
//!
//! Design: catalog-texts, CAT-LOAD.7, CAT-LOAD.8, CAT-LOAD.10.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::MAIN_SEPARATOR;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use skillc_core::clean::is_unseen;

use crate::entry::CatalogEntry;
use crate::listing::Listing;
use crate::text::escaped;

/// The characters that are percent-encoded in a URI: all except the unreserved characters. Source: RFC 3986.
pub(crate) const IN_ADDRESS: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The prefixes of the names of the frame's tags. Tags that begin with one of these prefixes are escaped in a body.
const TAGS: [&str; 2] = ["skill_context", "skill_files"];

/// The beginning of the line with the base directory, which is escaped in a body.
const BASE: &str = "Base directory:";

/// Line ends, and characters that a model may mistake for line ends.
const LINE_ENDS: [char; 7] = [
    '\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}',
];

/// The part of a body that is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Body<'a> {
    /// The text, without trailing blank lines and without the last line end.
    pub text: &'a str,
    /// The number of bytes of the file that were cut off.
    pub more_bytes: usize,
}

impl<'a> Body<'a> {
    /// Removes trailing blank lines and truncates the text to `max_bytes`: after a line, or within the first line if
    /// that line alone is too long.
    pub fn new(text: &'a str, max_bytes: usize) -> Self {
        let end = text.trim_end().len();
        let line_end = text[end..].find('\n').map_or(text.len(), |at| end + at);
        let body = &text[..line_end];
        let body = body.strip_suffix('\r').unwrap_or(body);
        if body.len() <= max_bytes {
            return Self {
                text: body,
                more_bytes: 0,
            };
        }
        let mut end = max_bytes;
        while !body.is_char_boundary(end) {
            end -= 1;
        }
        let most = &body[..end];
        let (kept, taken) = match most.rfind('\n') {
            Some(at) => (&most[..at], at + 1),
            None => (most, most.len()),
        };
        Self {
            text: kept,
            more_bytes: text.len() - taken,
        }
    }
}

/// Writes the loaded skill for an agent. Returns the XML element, without a trailing line end.
pub fn skill_context(entry: &CatalogEntry, body: Body<'_>, listing: &Listing) -> String {
    let mut out = String::with_capacity(body.text.len() + 1024);
    let (name, path) = (in_line(&entry.name), in_line(&entry.path));
    // Writing to a `String` cannot fail.
    let _ = writeln!(out, "<skill_context name=\"{name}\" path=\"{path}\">");
    out += &framed(body.text);
    if body.more_bytes > 0 {
        let more = body.more_bytes;
        let _ = write!(
            out,
            "\n... ({more} more bytes; read the file at the path above)"
        );
    }
    let _ = write!(
        out,
        "\n\nBase directory: {}\nRelative paths in this skill are resolved from this directory.\n",
        directory_address(&entry.dir)
    );
    out += &skill_files(listing);
    out += "\n</skill_context>";
    out
}

/// Writes the reminder for an agent that already has the skill. `reference`: the URI of the skill's `SKILL.md`.
pub fn reminder(entry: &CatalogEntry, reference: &str) -> String {
    let (name, path) = (in_line(&entry.name), in_line(&entry.path));
    let reference = in_line(reference);
    format!(
        "<skill_context_reminder name=\"{name}\" path=\"{path}\" ref=\"{reference}\">\
         Already loaded in this run and unchanged. Use the copy you have; if it is gone, call skill_load with \
         force=true or read the ref.</skill_context_reminder>"
    )
}

fn skill_files(listing: &Listing) -> String {
    let mut out = String::from("<skill_files");
    if listing.truncated {
        let _ = write!(out, " truncated=\"true\" total=\"{}\"", listing.total);
    }
    out.push('>');
    if !listing.files.is_empty() {
        out.push('\n');
        out.extend(listing.files.iter().map(|path| file_element(path)));
    }
    out + "</skill_files>"
}

/// Writes one file of the list, including the line end.
pub(crate) fn file_element(path: &str) -> String {
    format!("<file>{}</file>\n", in_line(path))
}

/// Escapes the frame's tags and lines with a base directory, in upper or lower case, so that a body cannot forge the
/// start, the end or the content of its frame.
fn framed(body: &str) -> String {
    let mut out = String::with_capacity(body.len() + 64);
    for line in body.split_inclusive(LINE_ENDS) {
        let text = line.trim_start_matches(is_blank);
        let mut rest = line;
        if begins_with(text, BASE) {
            let colon = line.len() - text.len() + BASE.len() - 1;
            out += &line[..colon];
            out += "&#58;";
            rest = &line[colon + 1..];
        }
        for (number, part) in rest.split('<').enumerate() {
            if number > 0 {
                out += if is_of_frame(part) { "&lt;" } else { "<" };
            }
            out += part;
        }
    }
    out
}

/// Returns whether the text after a `<` begins like a tag of the frame. Blanks before the tag's name are ignored,
/// because a model may recognize the tag despite the blanks.
fn is_of_frame(text: &str) -> bool {
    let name = text.trim_start_matches(|c: char| c == '/' || is_blank(c));
    TAGS.iter().any(|tag| begins_with(name, tag))
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || is_unseen(c)
}

/// Returns whether a string begins with an ASCII word, in upper or lower case.
fn begins_with(text: &str, word: &str) -> bool {
    let start = text.get(..word.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(word))
}

/// Escapes a string for a single line of XML, including line ends and tabs.
fn in_line(text: &str) -> Cow<'_, str> {
    let text = escaped(text);
    if !text.contains(['\n', '\r', '\t']) {
        return text;
    }
    let line = text.replace('\n', "&#10;").replace('\r', "&#13;");
    line.replace('\t', "&#9;").into()
}

/// Returns the `file` URI of a directory, with a trailing slash. `dir`: absolute.
fn directory_address(dir: &str) -> String {
    // Remove the prefix of canonical Windows paths.
    let dir = dir.strip_prefix(r"\\?\").unwrap_or(dir);
    let parts = dir
        .split(MAIN_SEPARATOR)
        .filter(|part| !part.is_empty())
        .map(|part| {
            let is_drive = MAIN_SEPARATOR == '\\' && part.len() == 2 && part.ends_with(':');
            if is_drive {
                Cow::from(part)
            } else {
                utf8_percent_encode(part, IN_ADDRESS).into()
            }
        });
    let mut address = String::from("file:///");
    for part in parts {
        address += &part;
        address.push('/');
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(text: &str, max_bytes: usize) -> (&str, usize) {
        let body = Body::new(text, max_bytes);
        (body.text, body.more_bytes)
    }

    /// CAT-LOAD.7.
    #[test]
    fn only_trailing_blank_lines_are_dropped() {
        for (text, expected) in [
            ("a\n", "a"),
            ("a  \n\n \t\n", "a  "),
            ("a\r\n\r\n", "a"),
            ("\n\n  a", "\n\n  a"),
            ("a ", "a "),
            ("", ""),
            ("\n\n", ""),
        ] {
            assert_eq!(body(text, 100), (expected, 0), "{text:?}");
        }
    }

    #[test]
    fn a_long_body_is_truncated_after_a_line() {
        assert_eq!(body("ab\ncd\nef\n", 8), ("ab\ncd\nef", 0));
        assert_eq!(body("ab\ncd\nef\n", 7), ("ab\ncd", 3));
        assert_eq!(body("ab\ncd\nef\n", 6), ("ab\ncd", 3));
        assert_eq!(body("ab\ncd\nef\n", 5), ("ab", 6));
        assert_eq!(body("éé\n", 3), ("é", 3));
        assert_eq!(body("é", 1), ("", 2));
    }

    #[test]
    fn a_body_cannot_forge_its_frame() {
        for (text, expected) in [
            (
                "<skill_context><skill_context_reminder></skill_context ><a>&lt;",
                "&lt;skill_context>&lt;skill_context_reminder>&lt;/skill_context ><a>&lt;",
            ),
            ("</SKILL_CONTEXT>", "&lt;/SKILL_CONTEXT>"),
            ("< / Skill_Context>", "&lt; / Skill_Context>"),
            ("<<skill_files>", "<&lt;skill_files>"),
            ("</Skill_Files><", "&lt;/Skill_Files><"),
            ("<skill> </skill_>", "<skill> </skill_>"),
            (
                "a\nBase directory: file:///x/\r  BASE DIRECTORY:\n",
                "a\nBase directory&#58; file:///x/\r  BASE DIRECTORY&#58;\n",
            ),
            ("the Base directory: x", "the Base directory: x"),
            (
                "</\u{200b}skill_files>\u{2028}\u{feff}Base directory: x",
                "&lt;/\u{200b}skill_files>\u{2028}\u{feff}Base directory&#58; x",
            ),
            ("é<é", "é<é"),
            ("", ""),
        ] {
            assert_eq!(framed(text), expected);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_directory_has_a_uri() {
        assert_eq!(directory_address("/"), "file:///");
        assert_eq!(
            directory_address("/a-b/ü \"<%"),
            "file:///a-b/%C3%BC%20%22%3C%25/"
        );
    }
}
