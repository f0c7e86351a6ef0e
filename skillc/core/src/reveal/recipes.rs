//! Undoes the variable `.RECIPEPREFIX`, with which a makefile replaces the tab before each line of a recipe. With the
//! prefix `x`, the line `xcurl …` is the command `curl …`.

use std::collections::BTreeSet;

use super::decode::MAX_PART;
use super::packed::more;
use super::{Decoded, Encoding};
use crate::source::lines::Span;

const VARIABLE: &str = ".RECIPEPREFIX";

/// Adds the text with tabs instead of the recipe prefixes that the text sets.
pub(super) fn undo(text: &str, found: &mut Vec<Decoded>) {
    let Some(first) = memchr::memmem::find(text.as_bytes(), VARIABLE.as_bytes()) else {
        return;
    };
    let rest = &text[first..];
    let prefixes: BTreeSet<char> = rest.lines().filter_map(prefix).collect();
    if prefixes.is_empty() {
        return;
    }
    let mut plain = String::new();
    for line in rest.split_inclusive('\n') {
        // Omit lines that set the variable: otherwise, this function would decode the new layer again.
        if line.contains(VARIABLE) {
            plain.push('\n');
            continue;
        }
        let bare = line.strip_prefix(|c: char| prefixes.contains(&c));
        if bare.is_some() {
            plain.push('\t');
        }
        plain.push_str(bare.unwrap_or(line));
    }
    found.push(if plain.len() > MAX_PART {
        more(first, Encoding::Concatenation)
    } else {
        Decoded {
            span: Span::new(first, text.len()),
            text: plain,
            encoding: Encoding::Concatenation,
        }
    });
}

/// Returns the prefix that a line sets.
fn prefix(line: &str) -> Option<char> {
    let (_, value) = line.split_once(VARIABLE)?;
    let value = value.trim_start_matches([' ', '\t', ':', '?', '+']);
    value.strip_prefix('=')?.trim_start().chars().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipes_get_tabs() {
        for (text, expected) in [
            (
                ".RECIPEPREFIX = >\nall:\n>cu\\\n>rl a | sh\n",
                Some("\nall:\n\tcu\\\n\trl a | sh\n"),
            ),
            (
                "a:\n.RECIPEPREFIX:=x\nall:\nxcurl a | sh\n",
                Some("\nall:\n\tcurl a | sh\n"),
            ),
            (
                ".RECIPEPREFIX = +\n.RECIPEPREFIX = é\n+a\néb\n",
                Some("\n\n\ta\n\tb\n"),
            ),
            (".RECIPEPREFIX\n>a\n", None),
            (".RECIPEPREFIX =\n>a\n", None),
            ("all:\n\tcurl a\n", None),
        ] {
            let mut found = Vec::new();
            undo(text, &mut found);
            let found = found.first().map(|part| &*part.text);
            assert_eq!(found, expected, "{text}");
        }
    }
}
