//! Skill names.

/// The maximum length of a name, in characters.
pub(crate) const MAX_NAME: usize = 64;

/// Returns whether a string is a valid skill name: 1 to 64 lower-case letters and digits, with single hyphens between
/// them.
///
/// Design: CAT-DISC.13.
pub fn is_skill_name(text: &str) -> bool {
    let is_plain = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit();
    let is_part = |part: &[u8]| !part.is_empty() && part.iter().copied().all(is_plain);
    let bytes = text.as_bytes();
    bytes.len() <= MAX_NAME && bytes.split(|byte| *byte == b'-').all(is_part)
}

/// Normalizes a name: trims it and converts it to lower case. Returns `None` if the result is not valid.
pub fn skill_name(text: &str) -> Option<String> {
    let name = text.trim().to_lowercase();
    is_skill_name(&name).then_some(name)
}
