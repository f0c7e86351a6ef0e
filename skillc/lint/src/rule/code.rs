//! Rule codes: families, reserved prefixes, and suggestions for mistyped codes.

use skillc_core::did_you_mean;

use super::Rule;

/// The selector that matches every rule.
pub(crate) const ALL: &str = "ALL";

/// Families that are valid selectors even if none of their rules is linked.
pub(crate) const FAMILIES: [&str; 8] = ["SKL", "AGS", "CLT", "REF", "SET", "SEC", "TXT", "CFG"];

/// Families that rules in scripts may not use, because the meaning of these families must be the same everywhere.
const OUR_FAMILIES: [&str; 7] = ["SKL", "AGS", "CLT", "REF", "SET", "SEC", "CFG"];

/// The prefixes of skillc's own error and warning codes.
const MESSAGES: [&str; 2] = ["E", "W"];

/// Returns the letters that a code begins with.
pub(crate) fn family(code: &str) -> &str {
    code.trim_end_matches(|c: char| c.is_ascii_digit())
}

/// Reports whether a rule looks for attacks. Nothing in a skill may suppress the findings of such a rule.
pub fn is_security(code: &str) -> bool {
    family(code) == "SEC"
}

/// Reports whether a family, such as `SKL`, is reserved for skillc: loaded rules may not use it.
pub fn is_ours(family: &str) -> bool {
    OUR_FAMILIES.contains(&family) || MESSAGES.contains(&family)
}

/// Returns the code or name that is closest to a mistyped selector, if any is close enough.
pub fn nearest<'r>(selector: &str, rules: impl Iterator<Item = &'r dyn Rule>) -> Option<String> {
    let names = rules.flat_map(|rule| [rule.meta().code.to_string(), rule.meta().name.to_string()]);
    did_you_mean::nearest(selector, names)
}
