//! What is measured of a text: its length by the limits of clients, and the tags in it.

use crate::clients::{Behaviour, Unit};

/// Says how long texts are together if they are too long; who cuts says itself where.
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
    // Where both are the same the common word is better, and one finding is enough for all clients.
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

/// Returns the first tag, as HTML has them, and its offset.
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
    fn what_is_over_begins_on_a_character() {
        assert_eq!(Unit::Characters.first_over("aé🎉b", 3), Some(7));
        assert_eq!(Unit::Utf16.first_over("aé🎉b", 3), Some(3));
        assert_eq!(Unit::Characters.first_over("ab", 2), None);
    }
}
