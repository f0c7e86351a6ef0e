//! `--stdin`: lints one file of a skill, with unsaved text that an editor passes on standard input. The other files of
//! the skill are read from disk.

use std::path::{Component, Path, PathBuf};

use skillc_core::layout::{SKILL_FILE, canonical};
use skillc_core::resolve::{main_file, skill_at};
use skillc_core::skill::is_compiled;
use skillc_core::{Context, Error, RelPath, Result, Skill};
use skillc_lint::finding::FoundIn;

use super::check::Compiled;
use super::config::Linters;
use super::report::SkillReport;
use super::scope::{FoundSkill, Scope, shown_folder, slashed};

/// The size limit of standard input, in bytes: the same as for parsed files.
const MAX_BYTES: u64 = skillc_core::source::MAX_PARSED_BYTES;

/// Input other than files. Not available in JSON requests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct InputRequest {
    /// Lint one file read from standard input (for editors)
    #[cfg_attr(
        feature = "clap",
        arg(long, conflicts_with_all = ["skill", "fix", "diff", "matrix", "changed_since", "write_baseline"])
    )]
    pub stdin: bool,
    /// Path of the file on standard input (default: ./SKILL.md)
    #[cfg_attr(feature = "clap", arg(long, value_name = "PATH", requires = "stdin"))]
    pub stdin_filename: Option<PathBuf>,
}

/// A file with unsaved text that overrides the text on disk.
pub(super) struct Edited {
    /// The file, relative to its skill's root.
    path: RelPath,
    text: String,
}

impl Edited {
    /// Reads the text and finds the skill that contains the file, if `--stdin` is given.
    ///
    /// Returns the file, and the scope of a run over its skill alone.
    ///
    /// # Errors
    /// E100 if the input is not UTF-8 or too large; E022 if the file's directory does not exist; E010 if no skill
    /// contains the file.
    pub(super) fn read(context: &Context, request: &InputRequest) -> Result<Option<(Self, Scope)>> {
        if !request.stdin {
            if request.stdin_filename.is_some() {
                // If skills are named, the argument parser might not report the missing `--stdin`, because `--stdin`
                // conflicts with named skills.
                return Err(Error::InvalidOption {
                    message: "--stdin-filename requires --stdin".to_owned(),
                    hint: Some("Add --stdin, and do not name skills.".into()),
                });
            }
            return Ok(None);
        }
        let named = request.stdin_filename.as_deref();
        let named = named.unwrap_or(Path::new(SKILL_FILE));
        let text = text(context)?;
        let shown = slashed(named);
        let missing = || Error::DirectoryNotFound {
            path: shown
                .rsplit_once('/')
                .map_or(".", |(dir, _)| dir)
                .to_owned(),
            hint: None,
        };
        let full = context.cwd.join(named);
        let (Some(name), Some(dir)) = (full.file_name(), full.parent()) else {
            return Err(Error::invalid_option(format!("'{shown}' is not a file")));
        };
        if full.is_dir() {
            return Err(Error::InvalidOption {
                message: format!("{shown} is a directory; give a file"),
                hint: Some(format!("--stdin-filename {}", slashed(&named.join(SKILL_FILE))).into()),
            });
        }
        let real = real_folder(dir).ok_or_else(missing)?;
        // Keep symlinks in the path: a symlink gives the skill its name. In a path with `..`, however, symlinks can
        // change the meaning of the rest of the path: use the real path.
        let has_up = full.components().any(|part| part == Component::ParentDir);
        let dir = if has_up { &real } else { dir };
        let is_main = name.eq_ignore_ascii_case(SKILL_FILE);
        let is_skill = |dir: &&Path| main_file(dir).is_some();
        if is_main && !real.is_dir() {
            return Err(missing());
        }
        let folder = if is_main {
            Some(dir)
        } else {
            dir.ancestors().find(is_skill)
        };
        let folder = folder.ok_or_else(|| Error::NotASkill {
            path: missing_folder(&shown),
        })?;
        let at = skill_at(context, &shown, folder);
        let path = RelPath::below(&at.canonical, &real.join(name));
        let path = path.ok_or_else(|| Error::path_escapes(&shown))?;
        let folder = folder_before(&shown, &path, context, &at.source);
        let scope = Scope {
            skills: vec![FoundSkill {
                at,
                folder,
                may_have_hidden: true,
                packed: None,
            }],
            is_single: true,
            over: Vec::new(),
        };
        Ok(Some((Self { path, text }, scope)))
    }

    /// Returns the absolute path of the file.
    pub(super) fn place(&self, scope: &Scope) -> PathBuf {
        let root = scope.skills.first().map(|found| &found.at.canonical);
        root.map_or_else(PathBuf::new, |root| self.path.under(root))
    }

    /// Lints the skill and keeps only the findings in this file.
    ///
    /// # Errors
    /// E999 if the skill cannot be read, E100 if its configuration is invalid.
    pub(super) fn report(
        self,
        linters: &Linters<'_>,
        scope: &Scope,
        compiled: Compiled,
    ) -> Result<Vec<SkillReport>> {
        let Some(found) = scope.skills.first() else {
            return Ok(Vec::new());
        };
        let folder = found.folder.clone();
        if compiled == Compiled::Skipped && is_compiled(&found.at) {
            let skipped = SkillReport::skipped(&found.at);
            return Ok(vec![SkillReport { folder, ..skipped }]);
        }
        let skill = Skill::read(found.at.clone())?.with_file(&self.path, self.text);
        let linter = linters.for_dir(&found.at.canonical)?;
        let mut report = SkillReport::new(&skill, linter.run(&skill));
        let file = FoundIn::Skill(self.path);
        let findings = report.diagnostics.iter();
        let kept: Vec<bool> = findings.map(|finding| finding.file == file).collect();
        report.keep(&kept);
        Ok(vec![SkillReport { folder, ..report }])
    }
}

/// Resolves the symlinks of a directory whose last components may not exist yet.
///
/// Returns `None` if the path contains `..` after a component that does not exist, or a file instead of a directory.
pub fn real_folder(dir: &Path) -> Option<PathBuf> {
    let there = dir.ancestors().find(|above| above.exists())?;
    let rest = dir.strip_prefix(there).ok()?;
    let is_plain = |part| matches!(part, Component::Normal(_));
    let real = there.canonicalize().ok()?;
    let is_below = real.is_dir() && rest.components().all(is_plain);
    is_below.then(|| real.join(rest).components().collect())
}

fn text(context: &Context) -> Result<String> {
    let bytes = context.input.read(MAX_BYTES);
    let bytes = bytes.map_err(|e| Error::io("reading", Path::new("standard input"), &e))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Error::invalid_option(
            "standard input is too large to lint: more than 32 MiB",
        ));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::InvalidOption {
            message: format!("standard input is not UTF-8 at byte {at}"),
            hint: Some("Skills must be UTF-8: change the encoding in the editor.".into()),
        }
    })
}

fn missing_folder(shown: &str) -> String {
    let folder = shown.rsplit_once('/').map_or(".", |(folder, _)| folder);
    if folder.is_empty() { "/" } else { folder }.to_owned()
}

/// Returns the directory to display before the file's path: the directory in the given path if it has one, otherwise
/// the skill's directory relative to the working directory.
fn folder_before(shown: &str, path: &RelPath, context: &Context, source: &Path) -> String {
    let before = shown.strip_suffix(path.as_str());
    match before {
        Some("") => return ".".to_owned(),
        Some(before) if before.ends_with('/') => return before.trim_end_matches('/').to_owned(),
        _ => {}
    }
    let cwd = canonical(&context.cwd);
    match cwd.strip_prefix(canonical(source)) {
        Ok(below) => vec![".."; below.components().count()].join("/"),
        Err(_) => shown_folder(&context.cwd, source),
    }
}
