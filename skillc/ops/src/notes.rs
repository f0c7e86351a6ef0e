//! What an operation says beside its result.

use std::path::{Path, PathBuf};

use skillc_catalog::Refusal;
use skillc_core::{Context, Error, Notice, SkillRef, Warning};

use crate::shown_path::shown_path;

/// What an operation says beside its result.
#[derive(Debug, Default)]
pub struct Notes {
    /// Warnings, in the order met.
    pub notices: Vec<Notice>,
    /// Lines for `--verbose`.
    pub details: Vec<String>,
    /// A line for below an error, where the operation knows what may have been meant.
    pub hint: Option<String>,
    /// The root of the one skill that the response is about: its source directory, absolute. Every JSON form of a response has
    /// it, unless that is an array.
    pub root: Option<PathBuf>,
    /// Whether the response shows a text of the skill that names one of its files, so that its reader needs the root.
    pub is_root_needed: bool,
    /// Why a skill was not loaded, with what a program may want to know of that.
    pub refusal: Option<Refusal>,
    /// Whether somebody was asked and will answer by another call.
    pub is_asked: bool,
    /// The skill that the command is about, once it is found.
    pub(crate) found: Option<SkillRef>,
}

impl Notes {
    /// Adds a warning.
    pub fn warn(&mut self, notice: impl Into<Notice>) {
        self.notices.push(notice.into());
    }

    /// Adds what was said elsewhere.
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

    /// Remembers the skill that the command is about; the last one counts.
    pub(crate) fn found(&mut self, at: &SkillRef) {
        self.detail(format!("source  {}", at.source.display()));
        self.root = Some(at.canonical.clone());
        self.found = Some(at.clone());
    }

    /// Returns the skill that the command is about, for a command that logs its uses itself.
    pub(crate) const fn take_found(&mut self) -> Option<SkillRef> {
        self.found.take()
    }

    /// Warns that other skills have the name under which one was found, if there are any.
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

    /// Warns that something was replaced, if it was kept. `kept`: where it is now.
    pub(crate) fn replaced(&mut self, place: &Path, kept: Option<PathBuf>) {
        if let Some(kept) = kept {
            self.warn(Warning::Replaced {
                path: place.display().to_string(),
                kept: kept.display().to_string(),
            });
        }
    }

    /// Remembers why a skill is not loaded. Returns: the command line's error.
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
