//! Reports scripts that declare an encoding in which their code is not what it seems.

use skillc_core::Span;
use skillc_core::reveal::RevealedFile;

use crate::security::Threat;

/// Encodings, as prefixes of their names, in which ASCII characters mean themselves. Underscores are hyphens.
const HARMLESS: [&str; 28] = [
    "utf-8",
    "utf8",
    "ascii",
    "us-ascii",
    "latin",
    "iso-8859-",
    "iso8859-",
    "iso-latin-",
    "cp125",
    "windows-125",
    "cp437",
    "cp850",
    "cp852",
    "cp866",
    "cp932",
    "cp936",
    "cp949",
    "cp950",
    "mbcs",
    "gb",
    "big5",
    "euc-",
    "euckr",
    "shift-jis",
    "sjis",
    "koi8-",
    "mac",
    "tis-620",
];

/// Encodings, as prefixes of their names, in which ASCII characters can mean other characters.
const HIDING: [&str; 12] = [
    "utf-7",
    "utf7",
    "u7",
    "unicode-1-1-utf-7",
    "unicode-escape",
    "raw-unicode-escape",
    "rot13",
    "rot-13",
    "punycode",
    "idna",
    "cp037",
    "cp500",
];

/// The maximum length of an encoding in a message, in bytes.
const MAX_NAME: usize = 40;

/// SEC110: reports a script whose first lines declare an encoding that hides its code. Python decodes a script before
/// it reads the script, so the code may be in what looks like a comment.
pub(super) fn check(file: &RevealedFile, out: &mut Vec<Threat>) {
    let extension = file.path.extension().unwrap_or_default();
    let first = file.text.split(['\n', '\r']).next().unwrap_or_default();
    let is_python = matches!(&*extension, "py" | "pyw") || is_started_by_python(first);
    let mut at = 0;
    for line in file.text.split(['\n', '\r']).take(3) {
        let span = Span::new(at, at + line.len());
        // A line that ends with CR LF is followed by an empty part.
        at += line.len() + 1;
        let Some(name) = declared(line) else {
            continue;
        };
        let plain = name.to_ascii_lowercase().replace('_', "-");
        let is_one_of = |names: &[&str]| names.iter().any(|prefix| plain.starts_with(prefix));
        if is_one_of(&HIDING) || is_python && !is_one_of(&HARMLESS) {
            let name = &name[..name.len().min(MAX_NAME)];
            out.push(Threat {
                rule: "SEC110",
                file: Some(file.path.clone()),
                span,
                line: file.lines.line(span.start),
                is_error: true,
                message: format!(
                    "the code is in the encoding '{name}', which hides it from review"
                ),
                help: Some("write the code in UTF-8".to_owned()),
            });
            return;
        }
    }
}

fn is_started_by_python(line: &str) -> bool {
    line.starts_with("#!") && line.contains("python")
}

/// Returns the encoding that a comment declares, as Python reads it: `coding: name` or `coding=name`.
fn declared(line: &str) -> Option<&str> {
    let bare = line.trim_start_matches(['\u{feff}', ' ', '\t', '\u{c}']);
    if !bare.starts_with('#') {
        return None;
    }
    bare.match_indices("coding").find_map(|(at, word)| {
        let rest = bare[at + word.len()..].strip_prefix([':', '='])?;
        let rest = rest.trim_start_matches([' ', '\t']);
        let is_other = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
        let end = rest.find(is_other).unwrap_or(rest.len());
        (end > 0).then(|| &rest[..end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_encoding_is_declared_as_python_reads_it() {
        for (line, expected) in [
            ("# -*- coding: utf-7 -*-", Some("utf-7")),
            ("# vim: set fileencoding=utf-8 :", Some("utf-8")),
            ("\u{feff}#coding:U7", Some("U7")),
            ("# coding: ", None),
            ("# Encoding and coding", None),
            ("coding = 'utf-7'", None),
        ] {
            assert_eq!(declared(line), expected, "{line}");
        }
    }
}
