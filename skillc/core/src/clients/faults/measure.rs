//! Compares the lengths of fields with clients' limits, and finds HTML-like tags in fields.

use crate::clients::{Behaviour, Unit};

/// Describes the combined length of several strings if that length exceeds the limit. If the client truncates the text,
/// the description omits the limit, because the wording of that reaction already states the limit.
pub(super) fn too_long(
    has: &str,
    texts: &[&str],
    unit: Unit,
    max: usize,
    does: Behaviour,
) -> Option<String> {
    let count = |unit: Unit| texts.iter().map(|text| unit.count(text)).sum::<usize>();
    let length = count(unit);
    if length <= max {
        return None;
    }
    // If the lengths in characters and in UTF-16 units are equal, say `characters`, so that clients that count in
    // different units share one finding.
    let unit = if length == count(Unit::Characters) {
        Unit::Characters
    } else {
        unit
    };
    let limit = if does == Behaviour::Cut {
        String::new()
    } else {
        format!(", more than {max}")
    };
    Some(format!("{has} {length} {}{limit}", unit.plural()))
}

/// Returns the first HTML-like tag and its offset.
pub(super) fn tag(text: &str) -> Option<(usize, &str)> {
    let mut tags = text.match_indices('<').filter_map(|(at, _)| {
        let rest = &text[at..];
        let inner = rest[1..].trim_start_matches('/');
        let end = rest.find('>')?;
        inner
            .starts_with(|c: char| c.is_ascii_alphabetic())
            .then(|| (at, &rest[..=end]))
    });
    tags.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_excess_starts_on_a_character_boundary() {
        assert_eq!(Unit::Characters.first_over("aé🎉b", 3), Some(7));
        assert_eq!(Unit::Utf16.first_over("aé🎉b", 3), Some(3));
        assert_eq!(Unit::Characters.first_over("ab", 2), None);
    }
}
