//! Classifies a destination as written: a URL or another absolute destination, a placeholder, or a path with a
//! fragment.
//!
//! The classification is purely lexical and does not access the disk.
//!
//! Design: D-LINK-SCOPE, R10.

use std::borrow::Cow;

use memchr::memchr3;

/// Placeholders for the skill's root that clients substitute. Design: R10.
const ROOT_NAMES: [&str; 3] = ["{baseDir}", "${CLAUDE_SKILL_DIR}", "$CLAUDE_SKILL_DIR"];

/// A parsed destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Destination<'a> {
    /// A URL, an email address, an absolute path, or an empty destination.
    Elsewhere,
    /// A destination with a placeholder other than the skill's root, so its target is unknown.
    Placeholder,
    /// A path in the skill, as written, and the part after `#`.
    Path {
        /// The folder that the path is relative to.
        base: Base,
        /// The path without its query; empty for the document itself.
        path: &'a str,
        /// The part after `#`, if there is one.
        fragment: Option<&'a str>,
    },
}

/// The folder that a relative path is relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Base {
    /// The folder of the document.
    Document,
    /// The skill's root.
    Root,
}

pub(crate) fn destination(written: &str) -> Destination<'_> {
    let written = written.trim();
    let (base, rest) = match root_relative(written) {
        Some(rest) => (Base::Root, rest),
        None => (Base::Document, written),
    };
    if has_placeholder(rest) {
        return Destination::Placeholder;
    }
    if rest.is_empty() || base == Base::Document && is_elsewhere(rest) {
        return Destination::Elsewhere;
    }
    let (path, fragment) = match rest.split_once('#') {
        Some((path, fragment)) => (path, Some(fragment)),
        None => (rest, None),
    };
    Destination::Path {
        base,
        path: path.split('?').next().unwrap_or_default(),
        fragment,
    }
}

/// Returns the part after a placeholder for the skill's root: `${CLAUDE_SKILL_DIR}/a.md` yields `a.md`.
pub(crate) fn root_relative(written: &str) -> Option<&str> {
    ROOT_NAMES
        .iter()
        .find_map(|name| Some(written.strip_prefix(name)?.trim_start_matches('/')))
}

/// Returns whether a string contains a placeholder: `{…}`, `${…}`, `<…>` or `$ARGUMENTS`.
pub(crate) fn has_placeholder(text: &str) -> bool {
    if memchr3(b'{', b'<', b'$', text.as_bytes()).is_none() {
        return false;
    }
    let is_between = |open, close| {
        text.find(open)
            .is_some_and(|at| text[at + 1..].contains(close))
    };
    is_between('{', '}') || is_between('<', '>') || text.contains("$ARGUMENTS")
}

/// Returns whether a destination is not relative: it has a scheme or a host, or is an absolute path.
fn is_elsewhere(text: &str) -> bool {
    if text.starts_with(['/', '\\']) {
        return true;
    }
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
    };
    text.split_once(':')
        .is_some_and(|(scheme, _)| is_scheme(scheme))
        || is_address(text)
}

/// Returns whether a string is an email address. An autolink to an email address, such as `<me@example.org>`, has no
/// scheme.
fn is_address(text: &str) -> bool {
    text.split_once('@').is_some_and(|(name, host)| {
        !name.is_empty() && host.contains('.') && !text.contains(['/', '#', ' '])
    })
}

/// Decodes percent escapes such as `%20`. Keeps invalid escapes, and returns the text unchanged if the decoded text
/// would not be UTF-8.
pub(crate) fn percent_decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let code = (*byte == b'%')
            .then(|| hex(*bytes.get(at + 1)?, *bytes.get(at + 2)?))
            .flatten();
        out.push(code.unwrap_or(*byte));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8(out).map_or(Cow::Borrowed(text), Cow::Owned)
}

fn hex(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    fn path<'a>(base: Base, path: &'a str, fragment: Option<&'a str>) -> Destination<'a> {
        Destination::Path {
            base,
            path,
            fragment,
        }
    }

    /// D-LINK-SCOPE, F-43.
    #[test]
    fn absolute_destinations_are_external() {
        for written in [
            "https://a.b/c.md",
            "mailto:me@x.com",
            "tel:+1",
            "me@x.com",
            "//host/a.md",
            "/etc/passwd",
            "C:\\a.md",
            "vscode+x.y:z",
            "",
            " ",
        ] {
            assert_eq!(destination(written), Destination::Elsewhere, "{written}");
        }
    }

    /// D-LINK-SCOPE, F-43.
    #[test]
    fn a_relative_path_loses_query_and_fragment() {
        use Base::Document;
        assert_eq!(
            destination("http-guide.md"),
            path(Document, "http-guide.md", None)
        );
        assert_eq!(
            destination("a.md?raw=1#x?y"),
            path(Document, "a.md", Some("x?y"))
        );
        assert_eq!(destination("#x"), path(Document, "", Some("x")));
        assert_eq!(
            destination("@types/a.md"),
            path(Document, "@types/a.md", None)
        );
    }

    #[test]
    fn placeholders_are_unknown_unless_they_name_the_root() {
        for written in [
            "{x}/a.md",
            "${X}/a.md",
            "a/<name>.md",
            "$ARGUMENTS",
            "{baseDir}/{x}.md",
        ] {
            assert_eq!(destination(written), Destination::Placeholder, "{written}");
        }
        for written in ["{baseDir}/a.md", "${CLAUDE_SKILL_DIR}/a.md"] {
            assert_eq!(
                destination(written),
                path(Base::Root, "a.md", None),
                "{written}"
            );
        }
    }

    #[test]
    fn percent_escapes_are_decoded_and_invalid_ones_kept() {
        assert_eq!(percent_decoded("a%20b%C3%A9"), "a bé");
        assert_eq!(percent_decoded("100%"), "100%");
        assert_eq!(percent_decoded("%zz%f"), "%zz%f");
        assert_eq!(percent_decoded("%ff"), "%ff");
    }

    proptest! {
        #[test]
        fn arbitrary_text_is_split(text in "[%0-9a-f#?/{}<>$:@. é]{0,40}") {
            let _ = destination(&text);
            let _ = percent_decoded(&text);
        }
    }
}
