//! The name that a skill goes by.

use std::borrow::Cow;

use skillc_core::{Document, Frontmatter, Skill, Span};

use crate::support::text::shown;

/// The name of a skill.
pub(crate) struct Name<'a> {
    /// As it is written.
    pub(crate) text: Cow<'a, str>,
    /// Where it is in `SKILL.md`; `None` for the directory's name.
    pub(crate) span: Option<Span>,
}

/// Returns the frontmatter's name, or the directory's if there is none; `None` if there is one that cannot be read.
///
/// # Source
/// LEDGER D-SKL203-NAME, RULINGS R15.
pub(crate) fn name_of<'a>(main: &'a Document, skill: &'a Skill) -> Option<Name<'a>> {
    let fields = main.frontmatter.fields();
    if let Some((text, field)) =
        fields.and_then(|fields| fields.text("name").zip(fields.get("name")))
    {
        return Some(Name {
            text: Cow::Borrowed(text.trim()),
            span: Some(field.value_span),
        });
    }
    let is_lost =
        matches!(&main.frontmatter, Frontmatter::Invalid { fields, .. } if fields.mentions("name"));
    (!is_lost).then(|| Name {
        text: Cow::Borrowed(&skill.at.name),
        span: None,
    })
}

/// Says whether a title has every word of a name. Only letters and digits count: `drawio` is in `Draw.io`.
pub(crate) fn is_in_title(name: &str, title: &str) -> bool {
    let title = letters(title);
    words(name)
        .iter()
        .all(|word| title.contains(&letters(word)))
}

/// Says whether a title is in a script that the name is not in, and so can only be a translation of it.
pub(crate) fn is_translated(name: &str, title: &str) -> bool {
    title.chars().any(is_beyond_latin) && !name.chars().any(is_beyond_latin)
}

fn is_beyond_latin(letter: char) -> bool {
    letter.is_alphabetic() && letter > '\u{24f}' && !('\u{1e00}'..='\u{1eff}').contains(&letter)
}

fn letters(text: &str) -> String {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// Returns a heading that has the name: `# Sql Format`.
pub(crate) fn in_title(name: &str) -> String {
    let words = words(name).into_iter().map(|word| {
        let mut chars = word.chars();
        let first = chars.next().into_iter().flat_map(char::to_uppercase);
        first.chain(chars).collect()
    });
    let words: Vec<String> = words.collect();
    format!("# {}", shown(&words.join(" ")))
}

fn words(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| c == '-' || c.is_whitespace());
    words.filter(|word| !word.is_empty()).collect()
}
