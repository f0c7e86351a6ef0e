//! Findings ready for output: with their source lines, and independent of the skill.
//!
//! Only the source lines of findings are kept, cut to a bounded length, so memory stays small in a run over many
//! skills.
//!
//! Design: D-LINT-JSON.

mod excerpt;
pub mod location;
mod proposed;

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use skillc_core::hash::Sha;
use skillc_core::layout::SKILL_FILE;
use skillc_core::{RelPath, Skill, secrets};

use crate::rule::code::is_security;
use crate::{Diagnostic, Safety, Severity};

use excerpt::excerpt;
use location::LineHashes;

pub use excerpt::{Excerpt, Mark};
pub use proposed::{ProposedEdit, ProposedFix};

/// A finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LintFinding {
    /// The rule's code
    pub rule: Cow<'static, str>,
    /// The rule's name
    pub name: Cow<'static, str>,
    /// E300 or W300
    pub code: &'static str,
    /// How much the finding matters
    pub severity: Severity,
    /// The file, relative to the skill's root; SKILL.md if the finding is about the skill as a whole
    #[schemars(with = "RelPath")]
    pub file: FoundIn,
    /// The line, from 1
    pub line: usize,
    /// The column in characters, from 1
    pub column: usize,
    /// The message
    pub message: String,
    /// Whether skc lint can fix the finding, and how safely
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub fixable: Option<Safety>,
    /// The line after the last character, from 1
    #[serde(skip)]
    pub end_line: usize,
    /// The column after the last character, in characters, from 1
    #[serde(skip)]
    pub end_column: usize,
    /// The hash that identifies the line of the finding even after lines have moved
    #[serde(skip)]
    pub line_hash: u64,
    /// The hash of the line alone, without the text after the line
    #[serde(skip)]
    pub own_line_hash: u64,
    /// For a finding of a security rule: the hash of the skill's files, which a baseline must match to accept the
    /// finding
    #[serde(skip)]
    pub pinned: Option<Pinned>,
    /// The line that is printed
    #[serde(skip)]
    pub headline: String,
    /// How to fix the finding, unless the message already explains it
    #[serde(skip)]
    pub help: Option<String>,
    /// A proposed fix, if it is small enough to report
    #[serde(skip)]
    pub fix: Option<ProposedFix>,
    /// The lines that the finding is about; `None` for a file or a skill as a whole
    #[serde(skip)]
    pub excerpt: Option<Excerpt>,
}

/// The hash of all files of a skill with a security finding. A baseline accepts the finding only with these files: when
/// any file changes, the finding is reported again. `None` if the files cannot be hashed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pinned(pub Option<Box<Sha>>);

/// The file that contains a finding.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum FoundIn {
    /// A file of the skill, relative to its root.
    Skill(RelPath),
    /// The path of a script that could not be loaded, or of a folder of scripts: relative if below the working
    /// directory, otherwise absolute; with `/` separators.
    Script(String),
}

impl FoundIn {
    /// Returns the path to show. `folder`: prefix for files of the skill; ends with `/` unless empty.
    pub fn shown(&self, folder: &str) -> String {
        match self {
            Self::Skill(file) => format!("{folder}{file}"),
            Self::Script(script) => script.clone(),
        }
    }

    /// Returns the recorded path. The path of a file in the skill is relative to the skill's root.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Skill(file) => file.as_str(),
            Self::Script(script) => script,
        }
    }

    /// Returns the file system path. `root`: the directory of the skill.
    pub fn under(&self, root: &Path) -> PathBuf {
        match self {
            Self::Skill(file) => file.under(root),
            Self::Script(script) => PathBuf::from(script),
        }
    }
}

impl fmt::Display for FoundIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for FoundIn {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl LintFinding {
    /// Converts a diagnostic into a finding, with its source lines.
    ///
    /// A diagnostic about the skill as a whole is placed at the start of its `SKILL.md`: every finding has a location.
    pub fn new(diagnostic: Diagnostic, skill: &Skill) -> Self {
        Self::with_hashes(diagnostic, skill, &mut LineHashes::default())
    }

    /// Like [`new`](Self::new), for many diagnostics of a skill. `lines`: a cache that these diagnostics share.
    pub fn with_hashes(mut diagnostic: Diagnostic, skill: &Skill, lines: &mut LineHashes) -> Self {
        let file = diagnostic.file.take().unwrap_or_else(|| main_file(skill));
        let document = skill.document(&file);
        let start = (diagnostic.line, diagnostic.column);
        let (end_line, end_column) = match document {
            Some(document) => location::end(diagnostic.span, start, document),
            None => start,
        };
        let (line_hash, own_line_hash) = match document {
            Some(document) => lines.get(diagnostic.line, document),
            None => (location::hash(""), location::hash("")),
        };
        Self {
            headline: masked(diagnostic.headline()),
            end_line,
            end_column,
            line_hash,
            own_line_hash,
            pinned: is_security(&diagnostic.rule)
                .then(|| skill.revealed().digest(skill).map(Box::new))
                .map(Pinned),
            // The lines of a binary file are not readable.
            excerpt: document
                .filter(|document| document.encoding.is_text())
                .and_then(|document| excerpt(&diagnostic, document, lines.secrets(document))),
            code: diagnostic.code(),
            rule: diagnostic.rule,
            name: diagnostic.name,
            severity: diagnostic.severity,
            line: diagnostic.line,
            column: diagnostic.column,
            file: FoundIn::Skill(file),
            message: masked(diagnostic.message),
            fixable: diagnostic.fix.as_ref().map(|fix| fix.safety),
            fix: diagnostic
                .fix
                .and_then(|fix| ProposedFix::from_fix(&fix, skill))
                .filter(|fix| !fix.holds_secret()),
            help: diagnostic.help.map(masked),
        }
    }
}

/// Masks the secrets in text, because a rule may quote any part of a file.
fn masked(text: String) -> String {
    match secrets::mask(&text) {
        Cow::Owned(masked) => masked,
        Cow::Borrowed(_) => text,
    }
}

/// Returns the file that represents a skill as a whole.
///
/// # Panics
/// Never: a file name is a relative path.
pub fn main_file(skill: &Skill) -> RelPath {
    match skill.main() {
        Some(main) => main.path.clone(),
        None => RelPath::parse(SKILL_FILE).expect("a file name is a relative path"),
    }
}
