//! Finds the name of a skill, and compares it with titles.

use std::borrow::Cow;

use skillc_core::{Document, Frontmatter, Skill, Span};

use crate::support::text::shown;

/// The maximum number of characters of a title that are compared, and the maximum number of words of a name.
const MAX_TITLE: usize = 1_000;
const MAX_WORDS: usize = 32;

/// The name of a skill.
pub(crate) struct Name<'a> {
    /// The name as written, without surrounding whitespace.
    pub(crate) text: Cow<'a, str>,
    /// The position of the name in `SKILL.md`; `None` for the directory's name.
    pub(crate) span: Option<Span>,
}

/// Returns the name in the frontmatter, or the directory's name if the frontmatter has no name. Returns `None` if the
/// name in the frontmatter cannot be read.
///
/// Design: D-SKL203-NAME, R15.
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

/// Returns whether every word of a name is the start of a word in a title. Only letters and digits are compared, so
/// `drawio` matches `Draw.io`. A capital after a lower-case letter starts a word, so `sql` matches `MySQL`, but not
/// `Mysql`. Long titles and names are truncated.
pub(crate) fn is_in_title(name: &str, title: &str) -> bool {
    let mut letters = String::new();
    let mut starts = Vec::new();
    let mut before = ' ';
    for c in title.chars().take(MAX_TITLE) {
        if c.is_alphanumeric() {
            let is_inner_capital = before.is_lowercase() && c.is_uppercase();
            if !before.is_alphanumeric() || is_inner_capital {
                starts.push(letters.len());
            }
            letters.extend(c.to_lowercase());
        }
        before = c;
    }
    let is_in = |word: &&str| {
        let word = self::letters(word);
        starts.iter().any(|at| letters[*at..].starts_with(&word))
    };
    words(name).iter().take(MAX_WORDS).all(is_in)
}

/// Returns whether a title is probably a translation of a name: the title contains non-Latin letters, and the name
/// contains none.
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

/// Returns a top-level heading for a name: `# Sql Format`.
pub(crate) fn in_title(name: &str) -> String {
    format!("# {}", shown(&title(name)))
}

/// Converts a name to title case: `Sql Format`.
pub(crate) fn title(name: &str) -> String {
    let words = words(name).into_iter().map(|word| {
        let mut chars = word.chars();
        let first = chars.next().into_iter().flat_map(char::to_uppercase);
        first.chain(chars).collect()
    });
    let words: Vec<String> = words.collect();
    words.join(" ")
}

fn words(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| c == '-' || c.is_whitespace());
    words.filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_matches_a_name_if_each_word_is_a_prefix_of_one_of_its_words() {
        for (name, title) in [
            ("sql-format", "Format any SQL"),
            ("drawio", "Draw.io diagrams"),
            ("webapp-testing", "Web Application Testing"),
            ("mvvm-toolkit", "CommunityToolkit.Mvvm"),
            ("über-uns", "Alles ÜBER uns"),
        ] {
            assert!(is_in_title(name, title), "{name}: {title}");
        }
        for (name, title) in [
            ("sql-format", "Mysql information"),
            ("tables", "Table"),
            ("a-b", "A"),
            ("a", ""),
        ] {
            assert!(!is_in_title(name, title), "{name}: {title}");
        }
    }
}
