//! What the user may have meant, for errors that do not say it themselves.
//!
//! A hint is given only where something of that kind is there: nothing is guessed.

use std::path::Path;

use skillc_core::layout::SKILL_FILE;
use skillc_core::resolve::{is_skill, stores};
use skillc_core::{Context, Error};
use strsim::osa_distance;

/// Returns the line to print below an error, if anything can be said.
pub(crate) fn hint(context: &Context, error: &Error) -> Option<String> {
    let Error::SkillNotFound { skill } = error else {
        return None;
    };
    folder_of(context, skill).or_else(|| similar(context, skill))
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

/// Finds the skill of the stores whose name is nearest to what was typed; the first by name of several.
fn similar(context: &Context, asked: &str) -> Option<String> {
    let length = asked.chars().count();
    if length > 64 {
        return None;
    }
    let names = stores(context).into_iter().flat_map(|store| {
        let entries = store.skills().read_dir().into_iter().flatten().flatten();
        let skills = entries.filter(|entry| is_skill(&entry.path()));
        skills
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| !name.starts_with('.'))
            .collect::<Vec<_>>()
    });
    let near = names.map(|name| {
        (
            osa_distance(&asked.to_lowercase(), &name.to_lowercase()),
            name,
        )
    });
    let (far, name) = near.min()?;
    (far < length && far <= length.div_ceil(4)).then(|| format!("Did you mean '{name}'?"))
}
