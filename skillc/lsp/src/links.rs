//! Converts between link destinations in a document and files of the skill.

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use skillc_core::RelPath;

/// The characters of a path that would end a destination, or change its meaning.
const ESCAPED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'(')
    .add(b')')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'\\');

/// Returns the file that a path in a document refers to; `None` if the path leads out of the skill.
pub(crate) fn resolved(document: &RelPath, written: &str) -> Option<RelPath> {
    let written = percent_decode_str(written).decode_utf8().ok()?;
    if written.starts_with('/') {
        return None;
    }
    let path = match folder_of(document) {
        "" => written.into_owned(),
        folder => format!("{folder}/{written}"),
    };
    RelPath::parse(&path).ok()
}

/// Returns the link destination for a file: the escaped path of the file, relative to the document's folder.
pub(crate) fn written(document: &RelPath, file: &RelPath) -> String {
    let from: Vec<&str> = parts(folder_of(document)).collect();
    let to: Vec<&str> = parts(file.as_str()).collect();
    let pairs = from.iter().zip(&to);
    let common = pairs.take_while(|(one, other)| one == other).count();
    let up = from.len() - common;
    let path: Vec<&str> = std::iter::repeat_n("..", up)
        .chain(to[common..].iter().copied())
        .collect();
    escaped(&path.join("/"))
}

/// Escapes a path for a destination.
pub(crate) fn escaped(path: &str) -> String {
    utf8_percent_encode(path, ESCAPED).to_string()
}

/// Returns the folder of a file; empty for the root.
fn folder_of(file: &RelPath) -> &str {
    let path = file.as_str();
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_leads_back_to_the_file() {
        let path = |text: &str| RelPath::parse(text).unwrap();
        for (document, file, expected) in [
            ("SKILL.md", "docs/a.md", "docs/a.md"),
            ("docs/a.md", "SKILL.md", "../SKILL.md"),
            ("docs/a.md", "docs/b c.md", "b%20c.md"),
            ("a/b/c.md", "a/d/e (1).md", "../d/e%20%281%29.md"),
            ("SKILL.md", "100%.md", "100%25.md"),
        ] {
            let (document, file) = (path(document), path(file));
            let text = written(&document, &file);
            assert_eq!(text, expected);
            assert_eq!(resolved(&document, &text), Some(file));
        }
    }

    #[test]
    fn a_path_out_of_the_skill_is_no_file() {
        let document = RelPath::parse("docs/a.md").unwrap();
        assert_eq!(resolved(&document, "../../x.md"), None);
        assert_eq!(resolved(&document, "/etc/x.md"), None);
    }
}
