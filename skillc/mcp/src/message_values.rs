//! Bounds the number of values in a message before the message is parsed: parsing four megabytes of `[0],` would take a
//! second and hundreds of megabytes before any argument could be checked.
//!
//! Design: R20.

/// The maximum number of values and keys in a message.
pub(crate) const MAX_VALUES: usize = 20_000;

/// Returns whether JSON contains more than [`MAX_VALUES`] values and keys. The contents of strings do not count.
pub(crate) fn has_too_many(text: &[u8]) -> bool {
    let (mut values, mut is_string, mut is_escaped) = (0, false, false);
    for byte in text {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_string => is_escaped = true,
            b'"' => is_string = !is_string,
            b'[' | b'{' | b',' | b':' if !is_string => values += 1,
            _ => {}
        }
        if values > MAX_VALUES {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_outside_strings_are_counted() {
        let list = |value: &str, count: usize| format!("[{}0]", format!("{value},").repeat(count));
        assert!(!has_too_many(list("1", MAX_VALUES - 1).as_bytes()));
        assert!(has_too_many(list("1", MAX_VALUES).as_bytes()));
        assert!(has_too_many(list("[0]", MAX_VALUES / 2).as_bytes()));
        let text = format!("{{\"a\": \"\\\"{}\"}}", "[,:{".repeat(MAX_VALUES));
        assert!(!has_too_many(text.as_bytes()));
        assert!(has_too_many(
            format!("{text}{}", list("1", MAX_VALUES)).as_bytes()
        ));
    }
}
