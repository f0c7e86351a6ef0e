//! What a skill with a wrong name should be called.
//!
//! The rules about the name give one advice, so that whoever follows it once has followed all of them.

use std::ffi::OsStr;

use skillc_core::Skill;

use crate::support::fields::is_name;

/// The longest name, in characters. Design: C-REGISTRY.7.
pub(crate) const MAX_CHARS: usize = 64;

/// Returns the name of the skill's directory; `None` for one that has none of its own, as the root of a disk.
pub(crate) fn directory(skill: &Skill) -> Option<&str> {
    let name = OsStr::new(&skill.at.name);
    let is_its_own = [&skill.at.source, &skill.at.canonical]
        .into_iter()
        .any(|path| path.file_name() == Some(name));
    is_its_own.then_some(&skill.at.name)
}

/// Says whether no rule objects to a name.
pub(crate) fn is_right(name: &str) -> bool {
    is_name(name) && name.len() <= MAX_CHARS
}

/// Returns the right name for one that is none: the directory's, if that is one, or else what comes nearest to it.
pub(crate) fn right_name(name: &str, skill: &Skill) -> Option<String> {
    let dir = directory(skill).filter(|dir| is_right(dir));
    dir.map(str::to_owned).or_else(|| nearest(name))
}

/// Says what to write for a name that is none.
pub(crate) fn advice(name: &str, skill: &Skill) -> Option<String> {
    let nearest = nearest(name);
    let Some(dir) = directory(skill).filter(|dir| is_right(dir)) else {
        return Some(format!("write 'name: {}'", nearest?));
    };
    let is_same = |nearest: &String| nearest.replace('-', "") == dir.replace('-', "");
    let reason = if nearest.as_ref().is_some_and(is_same) {
        ""
    } else {
        ", as the directory is called"
    };
    Some(format!("write 'name: {dir}'{reason}"))
}

/// Returns a name in small letters with hyphens for other signs; `None` if it has letters without such a form, or is too
/// long.
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
