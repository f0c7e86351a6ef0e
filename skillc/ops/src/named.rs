//! The names of the skills in a store, and the frontmatter of a skill.

use std::io;
use std::path::Path;

use skillc_catalog::{Audience, Invocation};
use skillc_core::layout::{SKILL_FILE, Store, canonical};
use skillc_core::source::frontmatter::Fields;
use skillc_core::source::{Located, locate};
use skillc_core::{Frontmatter, RelPath, SourceFile, Warning};

use crate::notes::Notes;

/// The wildcards of globs.
pub(crate) const WILD: [char; 4] = ['*', '?', '[', '{'];

/// Returns the names of the skills in a store, sorted bytewise. Returns no names if the store does not exist. If it
/// cannot be read, returns no names and adds a warning.
pub(crate) fn names(store: &Store, notes: &mut Notes) -> Vec<String> {
    let dir = store.skills();
    if !dir.is_dir() {
        return Vec::new();
    }
    let entries = dir
        .read_dir()
        .and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let (mut names, mut left_out) = (Vec::new(), Vec::new());
    match entries {
        Ok(entries) => {
            for entry in entries {
                match entry.file_name().into_string() {
                    Ok(name) if name.starts_with('.') => {}
                    Ok(name) => names.push(name),
                    Err(name) => left_out.push(name.to_string_lossy().into_owned()),
                }
            }
        }
        Err(error) => notes.warn(Warning::SkillSkipped {
            skill: dir.display().to_string(),
            reason: error.kind().to_string(),
        }),
    }
    names.sort();
    if let Some(example) = left_out.iter().min() {
        notes.warn(Warning::NamesLeftOut {
            count: left_out.len(),
            example: example.clone(),
        });
    }
    names
}

/// Reads the frontmatter of a skill. An error explains why the directory is not a valid skill.
pub(crate) fn head(source: &Path) -> Result<Fields, String> {
    let main = RelPath::parse(SKILL_FILE).map_err(|error| error.message())?;
    let source = canonical(source);
    if locate(&source, &main) == Located::Outside {
        return Err("SKILL.md is a symlink that leads out of the skill".into());
    }
    let file = match SourceFile::read(&source, &main) {
        Ok(Some(file)) => file,
        Ok(None) => return Err("SKILL.md cannot be read".into()),
        Err(error) => return Err(error.message()),
    };
    match Frontmatter::split(&file.text()).0 {
        Frontmatter::Valid(fields) => match fields.text("name") {
            Some(name) if !name.trim().is_empty() => Ok(fields),
            _ => Err("missing frontmatter field 'name'".into()),
        },
        Frontmatter::Invalid { message, .. } => Err(format!("invalid frontmatter YAML: {message}")),
        _ => Err("no frontmatter".into()),
    }
}

/// Returns whether the skill in a directory may be suggested: a model is not offered skills that only people may load.
pub(crate) fn is_offered(audience: Audience, dir: &Path) -> bool {
    // A person sees every skill: skip reading the files.
    audience == Audience::Person
        || head(dir).map_or(true, |fields| {
            audience.may_start(Invocation::from_fields(&fields))
        })
}
