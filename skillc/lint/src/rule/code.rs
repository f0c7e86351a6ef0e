//! Codes of rules: which families there are, whose they are, and what a mistyped one may have meant.

use skillc_core::near;

use super::Rule;

/// Stands for every rule.
pub(crate) const ALL: &str = "ALL";

/// Families that have a meaning even where no rule of theirs is linked.
pub(crate) const FAMILIES: [&str; 8] = ["SKL", "AGS", "CLT", "REF", "SET", "SEC", "TXT", "CFG"];

/// The families of codes that no loaded rule may have: what they mean must be the same everywhere.
const OUR_FAMILIES: [&str; 7] = ["SKL", "AGS", "CLT", "REF", "SET", "SEC", "CFG"];

/// The families of our own messages.
const MESSAGES: [&str; 2] = ["E", "W"];

/// Returns the letters that a code begins with.
pub(crate) fn family(code: &str) -> &str {
    code.trim_end_matches(|c: char| c.is_ascii_digit())
}

/// Says whether codes of a family, as `SKL`, are skillc's own: no loaded rule may have one.
pub fn is_ours(family: &str) -> bool {
    OUR_FAMILIES.contains(&family) || MESSAGES.contains(&family)
}

/// Returns the code or name that is nearest to a mistyped one, if one is near.
pub fn nearest<'r>(selector: &str, rules: impl Iterator<Item = &'r dyn Rule>) -> Option<String> {
    let names = rules.flat_map(|rule| [rule.meta().code.to_string(), rule.meta().name.to_string()]);
    near::nearest(selector, names)
}
