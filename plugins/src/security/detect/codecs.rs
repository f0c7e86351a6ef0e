//! Reports scripts that declare a character encoding that disguises their code.

use skillc_core::Span;
use skillc_core::reveal::RevealedFile;

use crate::security::Threat;

/// Encodings in which ASCII characters stand for themselves, and no other bytes stand for ASCII characters. The names
/// contain hyphens instead of underscores. They must match exactly: `mac_arabic` and `shift_jis_2004` are not harmless.
const HARMLESS: [&str; 44] = [
    "utf-8",
    "utf8",
    "u8",
    "ascii",
    "us-ascii",
    "iso-latin-1",
    "cp437",
    "cp850",
    "cp852",
    "cp855",
    "cp858",
    "cp866",
    "cp874",
    "cp932",
    "cp936",
    "cp949",
    "cp950",
    "mbcs",
    "gb2312",
    "gbk",
    "gb18030",
    "big5",
    "big5-hkscs",
    "euc-jp",
    "eucjp",
    "euc-kr",
    "euckr",
    "euc-cn",
    "euccn",
    "shift-jis",
    "shiftjis",
    "sjis",
    "s-jis",
    "koi8-r",
    "koi8-u",
    "mac-roman",
    "macroman",
    "mac-latin2",
    "mac-centeuro",
    "mac-cyrillic",
    "mac-greek",
    "mac-iceland",
    "mac-turkish",
    "tis-620",
];

/// Prefixes of the names of harmless encodings that end with a number.
const NUMBERED: [&str; 6] = [
    "iso-8859-",
    "iso8859-",
    "latin-",
    "latin",
    "cp125",
    "windows-125",
];

/// Prefixes of encodings after which Python ignores any suffix: `utf-8-unix`.
const WITH_SUFFIX: [&str; 4] = ["utf-8-", "latin-1-", "iso-8859-1-", "iso-latin-1-"];

/// Suffixes for line endings, which Emacs appends to the name of an encoding.
const LINE_ENDS: [&str; 3] = ["-unix", "-dos", "-mac"];

/// Prefixes of the names of encodings in which ASCII characters can stand for other characters, or other characters for
/// ASCII characters.
const HIDING: [&str; 28] = [
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
    "cp1026",
    "cp1140",
    "cp273",
    "cp424",
    "cp500",
    "cp864",
    "cp875",
    "mac-arabic",
    "mac-farsi",
    "shift-jis-2004",
    "shift-jisx0213",
    "shiftjis2004",
    "shiftjisx0213",
    "sjis-2004",
    "sjisx0213",
    "s-jis-2004",
    "s-jisx0213",
];

/// The maximum length of an encoding's name in a message, in bytes.
const MAX_NAME: usize = 40;

/// SEC110: reports a script whose first lines declare an encoding that hides its code. Python decodes a script before
/// parsing it, so code can hide in text that looks like a comment.
pub(super) fn check(file: &RevealedFile, out: &mut Vec<Threat>) {
    let extension = file.path.extension().unwrap_or_default();
    let first = file.text.split(['\n', '\r']).next().unwrap_or_default();
    let is_python = match &*extension {
        "py" | "pyw" => true,
        // Python runs a file regardless of its extension.
        "" if !first.starts_with("#!") => true,
        _ => is_started_by_python(first),
    };
    let mut at = 0;
    for line in file.text.split(['\n', '\r']).take(3) {
        let span = Span::new(at, at + line.len());
        // Splitting at CR LF yields an additional, empty line.
        at += line.len() + 1;
        let Some(name) = declared(line) else {
            continue;
        };
        let plain = name.to_ascii_lowercase().replace('_', "-");
        let is_hiding = HIDING.iter().any(|start| plain.starts_with(start));
        if is_hiding || is_python && !is_harmless(&plain) {
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

/// Returns whether an encoding cannot hide code. `name`: in lower case, with hyphens instead of underscores.
fn is_harmless(name: &str) -> bool {
    let bare = LINE_ENDS.iter().find_map(|end| name.strip_suffix(*end));
    let bare = bare.unwrap_or(name);
    let is_numbered = |start: &&str| {
        let number = bare.strip_prefix(*start);
        number.is_some_and(|rest| {
            matches!(rest.len(), 1 | 2) && rest.bytes().all(|c| c.is_ascii_digit())
        })
    };
    HARMLESS.contains(&bare)
        || NUMBERED.iter().any(is_numbered)
        || WITH_SUFFIX.iter().any(|start| name.starts_with(start))
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

    #[test]
    fn encodings_are_harmless_by_their_exact_names() {
        for name in [
            "utf-8",
            "utf-8-unix",
            "latin-1",
            "latin1",
            "iso-8859-15",
            "cp1252",
            "windows-1251",
            "euc-jp-dos",
            "shift-jis",
            "mac-roman",
            "gbk",
        ] {
            assert!(is_harmless(name), "{name}");
        }
        for name in [
            "utf-7",
            "utf-16",
            "mac-arabic",
            "mac-farsi",
            "mac",
            "shift-jis-2004",
            "sjis-2004",
            "shift-jisx0213",
            "euc-tw",
            "gb-x",
            "cp125",
            "cp1250x",
            "latin",
            "hz",
            "johab",
        ] {
            assert!(!is_harmless(name), "{name}");
        }
    }
}
