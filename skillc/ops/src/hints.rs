//! What the user may have meant, for errors that do not say it themselves.
//!
//! A hint is given only where something of that kind is there: nothing is guessed.

use std::path::Path;

use skillc_catalog::Audience;
use skillc_core::layout::SKILL_FILE;
use skillc_core::near::nearest;
use skillc_core::path::is_one_component;
use skillc_core::resolve::{is_skill, stores};
use skillc_core::{Context, Error};

use crate::client_roots::skill_folders;
use crate::lookup::{Looked, Stub, looked, stub_source};
use crate::named::is_offered;
use crate::shown_path::shown_path;
use crate::stats::GroupBy;

/// The most entries of a directory that a path which is not there is compared with.
const MAX_NEIGHBOURS: usize = 1_000;

/// Returns the line to show a person below an error, if anything can be said.
pub fn hint(context: &Context, error: &Error) -> Option<String> {
    hint_for(Audience::Person, context, error)
}

/// Returns the line to show below an error, if anything can be said. A model is not given the names of skills that only
/// people may start.
pub fn hint_for(audience: Audience, context: &Context, error: &Error) -> Option<String> {
    match error {
        Error::SkillNotFound { skill } => folder_of(context, skill)
            .or_else(|| file(context, skill))
            .or_else(|| rule(skill))
            .or_else(|| stub(context, skill))
            .or_else(|| neighbour(audience, context, skill))
            .or_else(|| name(audience, context, skill)),
        Error::NotASkill { path } => no_file(&context.cwd.join(path)),
        Error::EmptyQuery {} => {
            Some("Give at least one word; several go into one pair of quotes".to_owned())
        }
        Error::InvalidQueryType { .. } => Some(format!("Known: {}", GroupBy::NAMES.join(", "))),
        _ => None,
    }
}

/// Answers a path to any other file.
fn file(context: &Context, asked: &str) -> Option<String> {
    let is_file = context.cwd.join(asked).is_file();
    is_file.then(|| format!("A skill is a folder with a {SKILL_FILE}: '{asked}' is a file"))
}

/// Answers what looks like the code of a lint rule, also of one that a script has.
fn rule(asked: &str) -> Option<String> {
    let digits = asked.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let letters = asked.len() - digits.len();
    let is_code = (2..=8).contains(&letters)
        && !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_code.then(|| "Rules are given with --select, with commas between them".to_owned())
}

/// Says what stands in the place of `SKILL.md`, if something does.
fn no_file(dir: &Path) -> Option<String> {
    let path = dir.join(SKILL_FILE);
    let kind = path.symlink_metadata().ok()?.file_type();
    let what = if kind.is_symlink() {
        match path.metadata() {
            Err(_) => "a link that leads nowhere",
            Ok(target) if target.is_dir() => "a link to a directory",
            Ok(_) => "a link to something that is no file",
        }
    } else if kind.is_dir() {
        "a directory"
    } else {
        "not an ordinary file"
    };
    Some(format!("{SKILL_FILE} is there, but it is {what}"))
}

/// Finds the directory beside a path that is not there whose name is nearest to it.
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

/// Answers a path to `SKILL.md` with the folder that has it.
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
    Some(format!("A skill is a folder: give '{folder}'"))
}

/// Answers the name or path of a deployed stub that leads to no source.
fn stub(context: &Context, asked: &str) -> Option<String> {
    let folders = skill_folders(context).into_iter();
    let dirs = folders.map(|folder| folder.dir.join(asked));
    let dir = dirs
        .chain([context.cwd.join(asked)])
        .find(|dir| matches!(stub_source(context, asked, dir), Stub::Orphan))?;
    let shown = shown_path(&dir, context);
    Some(format!(
        "'{shown}' is a stub whose source is gone or is another skill by now. Build that skill again where it is, or remove the stub"
    ))
}

/// Finds the skill whose name is nearest to what was typed, else says where names are looked for and what is there.
fn name(audience: Audience, context: &Context, asked: &str) -> Option<String> {
    if !is_one_component(asked) {
        return None;
    }
    let Looked { names, text } = looked(context, &stores(context), audience);
    // A name that was begun goes for the first that continues it.
    let begun = || names.iter().find(|name| name.starts_with(asked)).cloned();
    let near = nearest(asked, names.iter().cloned()).or_else(begun);
    Some(near.map_or(text, |name| format!("Did you mean '{name}'?")))
}
