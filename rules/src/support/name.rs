//! The name that a skill goes by.

use std::borrow::Cow;

use skillc_core::{Document, Frontmatter, Skill, Span};

use crate::support::links::shown;

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

/// Returns a text as names and titles are compared: in lower case, with blanks for hyphens, several as one.
pub(crate) fn folded(text: &str) -> String {
    words(&text.to_lowercase()).join(" ")
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
