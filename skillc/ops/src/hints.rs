//! Hints for errors that have no hint of their own.
//!
//! A hint suggests a name or path only if it exists.

use std::path::Path;

use skillc_catalog::Audience;
use skillc_core::did_you_mean::nearest;
use skillc_core::layout::SKILL_FILE;
use skillc_core::path::is_one_component;
use skillc_core::resolve::{is_skill, stores};
use skillc_core::{Context, Error};

use crate::client_roots::skill_folders;
use crate::lookup::{Looked, Stub, looked, stub_source};
use crate::named::is_offered;
use crate::shown_path::shown_path;
use crate::stats::GroupBy;

/// The maximum number of directory entries to compare with a path that does not exist.
const MAX_NEIGHBOURS: usize = 1_000;

/// Returns the hint to show to a person below an error, if any.
pub fn hint(context: &Context, error: &Error) -> Option<String> {
    hint_for(Audience::Person, context, error)
}

/// Returns the hint to show below an error, if any. A model does not see names of skills that only people may load.
pub fn hint_for(audience: Audience, context: &Context, error: &Error) -> Option<String> {
    match error {
        Error::SkillNotFound { skill } => folder_of(context, skill)
            .or_else(|| file(context, skill))
            .or_else(|| rule(skill))
            .or_else(|| stub(context, skill))
            .or_else(|| neighbour(audience, context, skill))
            .or_else(|| name(audience, context, skill)),
        Error::NotASkill { path } => no_file(&context.cwd.join(path)),
        Error::EmptyQuery {} => Some("Give at least one word to search for".to_owned()),
        Error::InvalidQueryType { .. } => Some(format!("Known: {}", GroupBy::NAMES.join(", "))),
        _ => None,
    }
}

/// Returns the hint for a path to a file other than `SKILL.md`.
fn file(context: &Context, asked: &str) -> Option<String> {
    let is_file = context.cwd.join(asked).is_file();
    is_file.then(|| format!("A skill is a folder with a {SKILL_FILE}: '{asked}' is a file"))
}

/// Returns the hint for an argument that looks like the code of a rule, whether built-in or scripted.
fn rule(asked: &str) -> Option<String> {
    let digits = asked.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let letters = asked.len() - digits.len();
    let is_code = (2..=8).contains(&letters)
        && !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_code.then(|| "Select rules with --select, separated by commas".to_owned())
}

/// If a directory contains a `SKILL.md` that is not a regular file, describes it.
fn no_file(dir: &Path) -> Option<String> {
    let path = dir.join(SKILL_FILE);
    let kind = path.symlink_metadata().ok()?.file_type();
    let what = if kind.is_symlink() {
        match path.metadata() {
            Err(_) => "a dangling symlink",
            Ok(target) if target.is_dir() => "a symlink to a directory",
            Ok(_) => "a symlink to something other than a file",
        }
    } else if kind.is_dir() {
        "a directory"
    } else {
        "not a regular file"
    };
    Some(format!("{SKILL_FILE} exists, but it is {what}"))
}

/// For a path that does not exist, suggests the skill with the most similar name in the same folder.
fn neighbour(audience: Audience, context: &Context, asked: &str) -> Option<String> {
    let path = Path::new(asked);
    let name = path.file_name()?.to_str()?;
    let folder = path.parent()?;
    let entries = context.cwd.join(folder).read_dir().ok()?.flatten();
    let names = entries
        .take(MAX_NEIGHBOURS)
        .filter(|entry| is_skill(&entry.path()) && is_offered(audience, &entry.path()))
        .filter_map(|entry| entry.file_name().into_string().ok());
    let near = nearest(name, names)?;
    let prefix = asked.strip_suffix(name)?;
    Some(format!("Did you mean '{prefix}{near}'?"))
}

/// For a path to a `SKILL.md`, suggests the folder that contains it.
fn folder_of(context: &Context, asked: &str) -> Option<String> {
    let path = Path::new(asked);
    let is_main = path.file_name().is_some_and(|name| name == SKILL_FILE);
    if !is_main || !context.cwd.join(path).is_file() {
        return None;
    }
    let folder = match path.parent()?.to_str()? {
        "" => ".",
        folder => folder,
    };
    Some(format!("A skill is a folder: use '{folder}'"))
}

/// Returns the hint for the name or path of a deployed stub whose source is gone.
fn stub(context: &Context, asked: &str) -> Option<String> {
    let folders = skill_folders(context).into_iter();
    let dirs = folders.map(|folder| folder.dir.join(asked));
    let dir = dirs
        .chain([context.cwd.join(asked)])
        .find(|dir| matches!(stub_source(context, asked, dir), Stub::Orphan))?;
    let shown = shown_path(&dir, context);
    Some(format!(
        "'{shown}' is a stub whose source is missing or was replaced by another skill. Rebuild the original skill, or remove the stub"
    ))
}

/// Suggests the most similar skill name. Without one, lists where names are looked up.
fn name(audience: Audience, context: &Context, asked: &str) -> Option<String> {
    if !is_one_component(asked) {
        return None;
    }
    let Looked { names, text } = looked(context, &stores(context), audience);
    // If the argument is a prefix of names, suggest the first of these names.
    let begun = || names.iter().find(|name| name.starts_with(asked)).cloned();
    let near = nearest(asked, names.iter().cloned()).or_else(begun);
    Some(near.map_or(text, |name| format!("Did you mean '{name}'?")))
}
