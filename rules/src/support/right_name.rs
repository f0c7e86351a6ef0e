//! Suggests a valid name for a skill.
//!
//! All rules about names give the same suggestion, so that following it once satisfies all of them.

use std::ffi::OsStr;

use skillc_core::Skill;

use crate::support::fields::is_name;

/// The maximum length of a name, in characters. Design: C-REGISTRY.7.
pub(crate) const MAX_CHARS: usize = 64;

/// Returns the name of the skill's directory; `None` for a directory without a name, such as the root of a disk.
pub(crate) fn directory(skill: &Skill) -> Option<&str> {
    let name = OsStr::new(&skill.at.name);
    let is_its_own = [&skill.at.source, &skill.at.canonical]
        .into_iter()
        .any(|path| path.file_name() == Some(name));
    is_its_own.then_some(&skill.at.name)
}

/// Returns whether the characters and the length of a name are valid.
pub(crate) fn is_right(name: &str) -> bool {
    is_name(name) && name.len() <= MAX_CHARS
}

/// Returns a valid replacement for an invalid name: the directory's name if that is valid, otherwise the most similar
/// valid name.
pub(crate) fn right_name(name: &str, skill: &Skill) -> Option<String> {
    let dir = directory(skill).filter(|dir| is_right(dir));
    dir.map(str::to_owned).or_else(|| nearest(name))
}

/// Returns the suggestion for an invalid name.
pub(crate) fn advice(name: &str, skill: &Skill) -> Option<String> {
    let nearest = nearest(name);
    let Some(dir) = directory(skill).filter(|dir| is_right(dir)) else {
        return Some(format!("write 'name: {}'", nearest?));
    };
    let is_same = |nearest: &String| nearest.replace('-', "") == dir.replace('-', "");
    let reason = if nearest.as_ref().is_some_and(is_same) {
        ""
    } else {
        ", the directory's name"
    };
    Some(format!("write 'name: {dir}'{reason}"))
}

/// Converts a name to lower case, and replaces everything except letters and digits with hyphens. Returns `None` if the
/// name contains letters that cannot be converted, or if the result is empty or too long.
fn nearest(name: &str) -> Option<String> {
    if name.chars().any(|c| c.is_alphanumeric() && !c.is_ascii()) {
        return None;
    }
    let small = name.to_ascii_lowercase();
    let words = small.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let nearest = words.join("-");
    is_right(&nearest).then_some(nearest)
}
