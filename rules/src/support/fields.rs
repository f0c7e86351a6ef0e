//! Helpers to read the fields of `SKILL.md`.

use skillc_core::{Document, Field, Frontmatter, Span, Value};

/// Returns a frontmatter field. If the frontmatter is invalid, returns the field only if it could be recovered.
pub(crate) fn field<'a>(main: &'a Document, key: &str) -> Option<&'a Field> {
    main.frontmatter.fields()?.get(key)
}

/// Returns a string field without surrounding whitespace, and its position.
pub(crate) fn text_of<'a>(main: &'a Document, key: &str) -> Option<(&'a str, Span)> {
    let field = field(main, key)?;
    Some((field.value.text()?.trim(), place(field)))
}

/// Returns the kind and the position of a field if it is a list or a map, otherwise `None`.
pub(crate) fn no_text(main: &Document, key: &str) -> Option<(&'static str, Span)> {
    let field = field(main, key)?;
    let kind = match field.value {
        Value::List(_) => "a list",
        Value::Map(_) => "a map",
        _ => return None,
    };
    Some((kind, place(field)))
}

/// Returns the position at which to report that a required field has no value. Returns `None` if the field has a value,
/// or may have one in an invalid part of the frontmatter, or if there is no frontmatter.
pub(crate) fn missing(main: &Document, key: &str) -> Option<Span> {
    let first_line = Span::new(0, main.lines.range(1, 2).end);
    match &main.frontmatter {
        Frontmatter::Valid(fields) => match fields.get(key) {
            None => Some(first_line),
            Some(field) => (field.value == Value::Null).then_some(field.key_span),
        },
        Frontmatter::Invalid { fields, .. } => (!fields.mentions(key)).then_some(first_line),
        _ => None,
    }
}

/// Returns whether a string is a valid skill name: `a-z`, `0-9` and hyphens, without a hyphen at the start or end.
pub(crate) fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(is_in_names)
        && !text.starts_with('-')
        && !text.ends_with('-')
}

/// Returns whether a character is allowed in skill names.
pub(crate) const fn is_in_names(c: char) -> bool {
    matches!(c, 'a'..='z' | '0'..='9' | '-')
}

/// Returns the position of a field's value, or of its key if the field has no value.
fn place(field: &Field) -> Span {
    if field.value_span.start == field.value_span.end {
        field.key_span
    } else {
        field.value_span
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// C-REGISTRY.6, F-44.
    #[test]
    fn names_are_lower_case_letters_digits_and_inner_hyphens() {
        for name in ["my-skill", "skill123", "a", "3d-tools", "7", "a--b"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["My-Skill", "-skill", "skill-", "skill_name", "é", "", "a b"] {
            assert!(!is_name(name), "{name}");
        }
    }
}
