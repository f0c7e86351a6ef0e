//! Finds the attributes of HTML tags without building a tree.
//!
//! The attributes are enough to determine the anchors of a file and the targets of its links. This module does not
//! predict what a browser would show.

/// Returns the [`ATTRIBUTES`] of all tags in a fragment of HTML, each with its name in lower case and its value.
///
/// Names are matched case-insensitively; values are returned as written, without their quotes.
pub(crate) fn attributes(html: &str) -> impl Iterator<Item = (&'static str, &str)> {
    html.split('<').skip(1).flat_map(|tag| {
        let tag = tag.strip_prefix("!--").map_or(tag, |_| "");
        ATTRIBUTES
            .iter()
            .filter_map(move |name| values(tag, name).map(move |value| (*name, value)))
    })
}

const ATTRIBUTES: [&str; 4] = ["id", "name", "href", "src"];

/// Returns the value of one attribute of a tag; `None` if the attribute is missing or empty.
fn values<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = tag;
    loop {
        let at = find_word(rest, name)?;
        rest = rest[at + name.len()..].trim_start();
        if let Some(value) = rest.strip_prefix('=') {
            return Some(unquoted(value.trim_start())).filter(|value| !value.is_empty());
        }
    }
}

/// Finds a word after white space, ignoring case.
fn find_word(text: &str, word: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let ends = bytes.len().checked_sub(word.len())?;
    (1..=ends).find(|at| {
        bytes[at - 1].is_ascii_whitespace()
            && bytes[*at..*at + word.len()].eq_ignore_ascii_case(word.as_bytes())
    })
}

fn unquoted(value: &str) -> &str {
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    if let Some(quote) = quote {
        return value[1..].split(quote).next().unwrap_or_default();
    }
    let value = value.split([' ', '\t', '\n', '\r', '>']).next();
    // A trailing slash closes the tag.
    value.unwrap_or_default().trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    fn found(html: &str) -> Vec<(&str, &str)> {
        attributes(html).collect()
    }

    #[test]
    fn quoted_and_bare_values_are_found_in_any_case() {
        assert_eq!(found("<a id=\"x y\">"), [("id", "x y")]);
        assert_eq!(
            found("<A NAME = 'x'><b id=y>"),
            [("name", "x"), ("id", "y")]
        );
        assert_eq!(
            found("<input\n  id=x\n  name=y/>"),
            [("id", "x"), ("name", "y")]
        );
    }

    #[test]
    fn lookalikes_are_ignored() {
        for html in [
            "id=x",
            "<a data-id=x>",
            "<id=x>",
            "<a id>",
            "<a id=\"\">",
            "</a>",
            "<!-- id=x -->",
        ] {
            assert_eq!(found(html), [], "{html}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_text_is_parsed(html in "[<>= idName'\"/é\n!-]{0,60}") {
            let _ = found(&html);
        }
    }
}
