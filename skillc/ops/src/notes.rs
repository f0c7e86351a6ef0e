//! Warnings, hints and other information that an operation returns besides its result.

use std::path::{Path, PathBuf};

use skillc_catalog::Refusal;
use skillc_core::{Context, Error, Notice, SkillRef, Warning};

use crate::shown_path::shown_path;

/// Warnings, details and context of an operation.
#[derive(Debug, Default)]
pub struct Notes {
    /// Warnings, in order of occurrence.
    pub notices: Vec<Notice>,
    /// Lines for `--verbose`.
    pub details: Vec<String>,
    /// A hint that replaces the error's own hint, if the operation has a better one.
    pub hint: Option<String>,
    /// The absolute path of the source directory of the one skill that the response is about. It is added to the JSON
    /// form of the response, unless that is an array.
    pub root: Option<PathBuf>,
    /// Whether the response shows text that mentions a file of the skill, so that the reader needs the root.
    pub is_root_needed: bool,
    /// The machine-readable reason why a skill was not loaded.
    pub refusal: Option<Refusal>,
    /// Whether the user was asked for confirmation and will answer in a later call.
    pub is_asked: bool,
    /// The skill that the command is about, once resolved.
    pub(crate) found: Option<SkillRef>,
}

impl Notes {
    /// Adds a warning.
    pub fn warn(&mut self, notice: impl Into<Notice>) {
        self.notices.push(notice.into());
    }

    /// Merges another set of notes.
    pub fn append(&mut self, other: Self) {
        self.notices.extend(other.notices);
        self.details.extend(other.details);
        self.hint = other.hint.or(self.hint.take());
        self.root = other.root.or(self.root.take());
        self.is_root_needed |= other.is_root_needed;
        self.is_asked |= other.is_asked;
        self.refusal = other.refusal.or(self.refusal.take());
        self.found = other.found.or(self.found.take());
    }

    /// Records the skill that the command is about, replacing an earlier one.
    pub(crate) fn found(&mut self, at: &SkillRef) {
        self.detail(format!("source  {}", at.source.display()));
        self.root = Some(at.canonical.clone());
        self.found = Some(at.clone());
    }

    /// Removes and returns the skill that the command is about, for commands that write to the usage log themselves.
    pub(crate) const fn take_found(&mut self) -> Option<SkillRef> {
        self.found.take()
    }

    /// Warns if other skills have the same name.
    pub(crate) fn several(&mut self, context: &Context, at: &SkillRef, others: &[PathBuf]) {
        if others.is_empty() {
            return;
        }
        let shown = |path: &PathBuf| format!("'{}'", shown_path(path, context));
        self.warn(Warning::SeveralSkills {
            skill: at.asked.clone(),
            path: shown_path(&at.source, context),
            others: others.iter().map(shown).collect::<Vec<_>>().join(", "),
        });
    }

    /// Warns that an entry was replaced, if the old one was kept. `kept`: where the old entry is now.
    pub(crate) fn replaced(&mut self, place: &Path, kept: Option<PathBuf>) {
        if let Some(kept) = kept {
            self.warn(Warning::Replaced {
                path: place.display().to_string(),
                kept: kept.display().to_string(),
            });
        }
    }

    /// Records why a skill is not loaded. Returns the error for the command line.
    pub(crate) fn refused(&mut self, refusal: Refusal) -> Error {
        let error = refusal.error();
        self.refusal = Some(refusal);
        error
    }

    /// Adds a line for `--verbose`.
    pub fn detail(&mut self, line: impl Into<String>) {
        self.details.push(line.into());
    }
}
