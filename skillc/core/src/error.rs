//! The table of all error and warning codes, with their messages and meanings.
//!
//! The template of each message appears only here, in a row of `codes!`: the enums, their messages, the reference page
//! and some tests are generated from the rows. A message is always one line; suggestions and hints are separate, in
//! [`Error::details`].
//!
//! Design: C-CODES.

use std::borrow::Cow;
use std::fmt::{self, Display};
use std::io;
use std::path::Path;

use crate::clean::clean;

/// A result whose error is an [`Error`] unless another type is given.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// One row of the code table, for the reference page and the tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeRow {
    /// `E001`, `W003`.
    pub code: &'static str,
    /// The message with its placeholders in braces.
    pub template: &'static str,
    /// When the message occurs and what to do about it, in Markdown.
    pub doc: &'static str,
}

impl CodeRow {
    /// Returns whether the code is skc's own addition to the specification: W020 to W029, E060 to E069, or W060 to
    /// W079.
    pub fn is_amendment(&self) -> bool {
        let ours = ["W020".."W030", "E060".."E070", "W060".."W080"];
        ours.iter().any(|codes| codes.contains(&self.code))
    }
}

/// Generates an enum of coded messages. Each row gives the code, variant, fields and template of a message.
macro_rules! codes {
    ($(#[$outer:meta])* $enum:ident {
        $($(#[doc = $doc:literal])* $code:literal $variant:ident { $($field:ident : $type:ty),* $(,)? } = $template:literal;)*
    }) => {
        $(#[$outer])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum $enum {
            $($(#[doc = $doc])* $variant {
                $(#[expect(missing_docs, reason = "named and explained by the template")] $field: $type,)*
            },)*
        }

        impl $enum {
            /// All rows of the table, in its order.
            pub const ALL: &'static [CodeRow] = &[$(CodeRow {
                code: $code,
                template: $template,
                doc: concat!($($doc, "\n",)*),
            },)*];

            /// Returns the code without brackets: `E001`.
            pub const fn code(&self) -> &'static str {
                match self { $(Self::$variant { .. } => $code,)* }
            }

            /// Returns the one-line message without its code; control characters are escaped.
            pub fn message(&self) -> String {
                match self {
                    $(Self::$variant { $($field,)* } => {
                        $(let $field = inside($template, one_line($field));)*
                        $(let _ = &$field;)*
                        format!($template)
                    })*
                }
            }
        }
    };
}

codes! {
    /// A failure. Every error ends the command with exit status 1.
    Error {
        /// No skill in the stores or client folders has this name, and no such path exists.
        "E001" SkillNotFound { skill: String } = "skill '{skill}' not found";
        /// The search index is missing, damaged or out of date. Build the skill again.
        "E002" IndexUnusable { skill: String, hint: Hint } = "search index unusable; run 'skc build {skill}' to rebuild";
        /// The indexes of two source directories have the same file name. Delete the file that the message names, and
        /// build again.
        "E003" IndexCollision { hash16: String } = "index hash collision; delete .skillc-meta/search-{hash16}.db and rebuild";
        /// The query contains no words.
        "E004" EmptyQuery {} = "empty query";
        /// The directory exists but has no `SKILL.md`.
        "E010" NotASkill { path: String } = "not a valid skill: '{path}' (missing SKILL.md)";
        /// `name` or `description` is missing, empty or not a string.
        "E011" MissingField { field: String, hint: Hint } = "missing frontmatter field '{field}' in SKILL.md";
        /// A path or a symlink points outside the skill.
        "E012" PathEscapes { path: String, hint: Hint } = "path escapes skill root: '{path}'";
        /// No section has this heading. Similar headings are suggested, if any.
        "E020" SectionNotFound { section: String, suggestions: Vec<Suggestion> } = "section not found: '{section}'";
        /// The skill has no such file. Similar paths are suggested, if any.
        "E021" FileNotFound { path: String, hint: Hint } = "file not found: '{path}'";
        /// The skill has no such directory. Similar paths are suggested, if any.
        "E022" DirectoryNotFound { path: String, hint: Hint } = "directory not found: '{path}'";
        /// The value of `--group-by` is unknown.
        "E030" InvalidQueryType { kind: String } = "invalid query type: '{kind}'";
        /// A time or project filter is invalid.
        "E031" InvalidFilter { message: String } = "invalid filter: '{message}'";
        /// The named skill has no local logs.
        "E040" NoLocalLogs {} = "no local logs found";
        /// The place to which `skc sync` moves the logs is not writable.
        "E041" SyncDestination { path: String } = "sync destination not writable: '{path}'";
        /// The local logs are not readable.
        "E042" SyncSource { path: String } = "sync source not readable: '{path}'";
        /// A skill with this name already exists. Nothing was changed.
        "E050" SkillExists { skill: String, hint: Hint } = "skill '{skill}' already exists";
        /// Several skills in the catalog have this name; their files are listed. Load one by path, or disable the
        /// others.
        "E060" AmbiguousName { skill: String, candidates: Candidates } = "ambiguous skill name '{skill}': {candidates}";
        /// The path is not listed in the catalog. A file outside the catalog cannot be loaded, even if it exists.
        "E061" PathNotInCatalog { path: String } = "path not in catalog: '{path}'";
        /// The lines below the message give the reason: a rule in the configuration denies the skill, a model requested
        /// a skill with `disable-model-invocation`, the user declined, or a scan found an attack in a skill that was to
        /// be imported.
        "E062" PermissionDenied { skill: String, hint: Hint } = "permission denied for skill '{skill}'";
        /// Loading this skill requires confirmation, and this session is not interactive.
        "E063" ConfirmationNeeded { skill: String } = "confirmation needed for skill '{skill}'; use --yes or run 'skc catalog allow {skill}'";
        /// The skill is disabled in the configuration.
        "E064" SkillDisabled { skill: String, hint: Hint } = "skill '{skill}' is disabled";
        /// All skills are disabled in the configuration or by an environment variable.
        "E065" SkillsDisabled {} = "skills are disabled by configuration";
        /// The skill registry's database is damaged, was written by a newer version, or cannot be opened or updated.
        "E066" RegistryUnusable { path: String, message: String, hint: Hint } = "registry unusable: '{path}': {message}";
        /// `skc catalog pick` needs an interactive terminal.
        "E067" NoTerminal {} = "the picker needs a terminal";
        /// The command applies to all skills, but found none. Pass a skill or a folder, or create a skill with `skc
        /// init NAME`.
        "E068" NoSkills { hint: Hint } = "no skills found";
        /// The runtime directory contains a file that skc did not write, and clients would read it through the symlink.
        /// Inspect the file, then delete it or move it away, and build again. Alternatively, deploy with `--copy`.
        "E069" ForeignInBuild { path: String } = "file not written by skc in the build: '{path}'";
        /// An option, argument or value is invalid. See the command's `--help`.
        "E100" InvalidOption { message: String, hint: Hint } = "invalid option: '{message}'";
        /// A finding of severity `error`. The message starts with the rule's code and name.
        "E300" LintError { finding: String } = "{finding}";
        /// An operation on the system failed: for example a disk error, missing permissions or a damaged file.
        "E999" Internal { message: String, hint: Hint } = "{message}";
    }
}

codes! {
    /// A problem that does not stop the command.
    Warning {
        /// Several sections have this heading; the first by file and line is shown. The others are listed, each with
        /// the option that selects it.
        "W001" MultipleMatches { section: String, others: Hint } = "multiple matches for '{section}'; showing first";
        /// The usage log, or the audit log of a server, is writable neither in its usual place nor below the working
        /// directory. This run is therefore not recorded, and cannot be synced later. Make one of the two places
        /// writable, or set `SKILLC_HOME`; `--verbose` shows both paths.
        "W002" LoggingDisabled {} = "logging disabled; run 'skc sync' after session to merge logs";
        /// The local log of the skill was last written to over an hour ago, and has not been synced.
        "W003" StaleLocalLogs { skill: String } = "stale local logs for '{skill}'; run 'skc sync' to upload";
        /// A configuration file or environment variable has an invalid entry, which is ignored.
        "W020" Configuration { message: String } = "{message}";
        /// A directory was skipped, because it is not a valid skill or cannot be read.
        "W021" SkillSkipped { skill: String, reason: String } = "skipped '{skill}': {reason}";
        /// The symlink could not be created, so skc deployed a copy, which each build updates.
        "W022" DeployedByCopy { path: String, reason: String } = "deployed by copy: '{path}' ({reason})";
        /// The file is too large in one of four ways. It is larger than 32 MiB: it is listed and can be opened, but is
        /// not searchable. It has an excessive amount of Markdown markup: the text after the first half a million
        /// markers or more is treated as plain text. The skill has more than 16 MiB of Markdown: `lint` does not check
        /// this file. Or the file is a symlink to another file of the skill, and skc has already read too much through
        /// such symlinks (256 KiB, or four times the size of the skill if that is less): skc reads only the target of
        /// the symlink. Split the file, or move data to a file of another type.
        "W023" FileTooLarge { path: String } = "file too large to index: '{path}'";
        /// A large amount of Chinese, Japanese or Korean text is indexed as if words were separated by spaces.
        "W024" CjkUnderAscii {} = "much CJK text under tokenizer \"ascii\"; set [search] tokenizer = \"cjk\" in .skillc/config.toml and rebuild to make it searchable";
        /// The file could not be parsed; its text is searchable as a single section.
        "W025" IndexedAsPlainText { path: String, reason: String } = "indexed as plain text: '{path}' ({reason})";
        /// Files whose names are not UTF-8 cannot be hashed, indexed or listed. Rename them if they belong to the
        /// skill.
        "W026" NamesLeftOut { count: usize, example: String } = "skipped {count} file name(s) that are not UTF-8, for example '{example}'";
        /// Some rows of the usage log have invalid arguments or times. Only the valid fields of these rows are counted.
        "W027" LogRowsMalformed { count: usize } = "{count} malformed row(s) in the usage log; only their valid fields are counted";
        /// A usage log, or the audit log of a project, cannot be read, so only the other logs are counted. If the log
        /// is damaged, move its file away.
        "W028" LogUnusable { path: String, reason: String } = "skipped usage log '{path}': {reason}";
        /// A script or a folder of scripts was not loaded; its rules and indexers are not available.
        "W029" PluginLeftOut { fault: String } = "skipped plugin: {fault}";
        /// Several skills have the same name, and the skill registry keeps only one.
        "W060" ManyDefinitions { skill: String, count: usize, path: String } = "skill name '{skill}' has {count} definitions; registry uses '{path}'";
        /// A `SKILL.md` is not valid, so it is not in the catalog.
        "W061" CatalogSkipped { path: String, message: String } = "skill skipped: '{path}': {message}";
        /// A skill directory given with `--root` does not exist, or none of the default skill directories exists.
        "W062" RootMissing { path: String } = "skills root missing: '{path}'";
        /// The skill registry's file is not writable; its content is lost at the end of this run.
        "W063" RegistryInMemory { message: String } = "registry kept in memory: {message}";
        /// A skill directory is deeper or larger than the configured limits; the rest of it was not searched.
        "W064" CatalogTruncated { path: String, bound: String } = "catalog truncated at '{path}': {bound}";
        /// The names of some skills differ from their directories' names, and the configuration has
        /// `name_mismatch = "warn"`. Some programs reject such skills.
        "W065" NamesDiffer { count: usize, example: String } = "{count} skill name(s) differ from their directory, for example '{example}'";
        /// The folder contained the stub of another skill with the same name. This stub was replaced. Rename one of the
        /// two skills, or set `[deploy] scope = "project"` in the project of one of them.
        "W066" StubReplaced { path: String, place: String } = "replaced the stub of '{path}': '{place}' now has this skill";
        /// Printed by `skc build --client`: a client handles the stub differently from the source, or reacts to a fault
        /// in the stub.
        "W067" ClientDiffers { skill: String, client: String, difference: String } = "'{skill}' in {client}: {difference}";
        /// Different skills have the same name, in the folders of several clients, or in your own store and a client's
        /// folder. The first is used; give the path to use another.
        "W068" SeveralSkills { skill: String, path: String, others: String } = "several skills are named '{skill}'; using '{path}', not {others}";
        /// A file has bytes that are not UTF-8. Each of these bytes is read as U+FFFD. Save the file as UTF-8.
        "W069" NotUtf8 { path: String, offset: usize } = "not UTF-8: '{path}' has an invalid byte at offset {offset}";
        /// `skc build` replaced an edited copy, or a file, folder or symlink that skillc did not create. The original
        /// was kept: move it back, or delete it.
        "W070" Replaced { path: String, kept: String } = "replaced '{path}'; the original is now '{kept}'";
        /// `skc build` imported a skill in which a security scan found something. With
        /// `[security] on_import = "block"`, a skill with the verdict `block` is not imported.
        "W071" ImportedUnsafe { skill: String, verdict: String, finding: String } = "imported '{skill}', but a scan says '{verdict}': {finding}";
        /// A finding of severity `warning`. The message starts with the rule's code and name.
        "W300" LintWarning { finding: String } = "{finding}";
    }
}

/// A heading that is suggested because the requested one was not found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Suggestion {
    /// The heading's text.
    pub heading: String,
    /// The file that contains the heading, relative to the skill's root.
    pub file: String,
}

/// The `SKILL.md` paths that an ambiguous name may refer to, highest rank first. The message contains only their
/// number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidates(pub Vec<String>);

/// The next step after an error: one or more lines, or nothing.
pub type Hint = Option<Cow<'static, str>>;

impl Error {
    /// Wraps a failed system call as E999, naming the operation and the path.
    pub fn io(doing: &str, path: &Path, error: &io::Error) -> Self {
        Self::Internal {
            message: format!("{doing} '{}': {}", path.display(), reason(error)),
            hint: next_step(error),
        }
    }

    /// Creates an E999 from a message.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::Internal {
            message: message.into(),
            hint: None,
        }
    }

    /// Creates an E100 from a message.
    pub fn invalid_option(message: impl Into<String>) -> Self {
        Self::InvalidOption {
            message: message.into(),
            hint: None,
        }
    }

    /// Creates an E012 from a path.
    pub fn path_escapes(path: impl Into<String>) -> Self {
        Self::PathEscapes {
            path: path.into(),
            hint: None,
        }
    }

    /// Returns the lines to print below the message, without a final newline; `None` if there are none. Control
    /// characters are escaped.
    pub fn details(&self) -> Option<String> {
        match self {
            Self::SectionNotFound { suggestions, .. } if !suggestions.is_empty() => {
                let lines = suggestions
                    .iter()
                    .map(|s| format!("\n  - {} ({})", one_line(&s.heading), one_line(&s.file)));
                Some(format!(
                    "\nDid you mean one of these?{}",
                    lines.collect::<String>()
                ))
            }
            Self::AmbiguousName { candidates, .. } => {
                let lines = candidates.0.iter().map(one_line);
                let lines: Vec<String> = lines.map(|path| format!("  {path}")).collect();
                (!lines.is_empty()).then(|| lines.join("\n"))
            }
            Self::MissingField { hint, .. }
            | Self::PathEscapes { hint, .. }
            | Self::FileNotFound { hint, .. }
            | Self::DirectoryNotFound { hint, .. }
            | Self::IndexUnusable { hint, .. }
            | Self::PermissionDenied { hint, .. }
            | Self::SkillDisabled { hint, .. }
            | Self::RegistryUnusable { hint, .. }
            | Self::SkillExists { hint, .. }
            | Self::NoSkills { hint }
            | Self::InvalidOption { hint, .. }
            | Self::Internal { hint, .. } => hint.as_deref().map(clean_lines),
            _ => None,
        }
    }
}

impl Warning {
    /// Returns the lines to print below the message, as [`Error::details`] does.
    pub fn details(&self) -> Option<String> {
        match self {
            Self::MultipleMatches { others, .. } => others.as_deref().map(clean_lines),
            _ => None,
        }
    }
}

/// Prints one line without colours, such as `error[E001]: skill 'x' not found`; the details are not included.
impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error[{}]: {}", self.code(), self.message())
    }
}

impl std::error::Error for Error {}

/// Prints one line without colours: `warning[W001]: …`.
impl Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "warning[{}]: {}", self.code(), self.message())
    }
}

/// A message to the user in addition to a command's result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// Printed as `warning[…]`.
    Warning(Warning),
    /// A fault that does not fail the command, for example in a configuration file: printed as `error[…]`.
    Error(Error),
}

impl Notice {
    /// Returns the lines to print below the message of a warning, as [`Warning::details`] does.
    pub fn details(&self) -> Option<String> {
        match self {
            Self::Warning(warning) => warning.details(),
            Self::Error(_) => None,
        }
    }
}

impl Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Warning(warning) => warning.fmt(f),
            Self::Error(error) => error.fmt(f),
        }
    }
}

impl From<Warning> for Notice {
    fn from(warning: Warning) -> Self {
        Self::Warning(warning)
    }
}

impl From<Error> for Notice {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// Returns the next step after a failed system call, if the user can fix the cause.
fn next_step(error: &io::Error) -> Hint {
    Some(Cow::Borrowed(match error.kind() {
        io::ErrorKind::PermissionDenied => {
            "Check the owner and permissions of this path and its folder: ls -ld"
        }
        io::ErrorKind::ReadOnlyFilesystem => {
            "The file system is read-only: use a writable directory."
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "Free some disk space.",
        _ => return None,
    }))
}

/// Returns why a system call failed, in words, without the OS error number.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let words = text.split(" (os error").next().unwrap_or(&text);
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_lowercase().chain(chars).collect()
    })
}

/// Formats the value of a placeholder, safe to print on one line of a terminal.
fn one_line(value: &(impl Placeholder + ?Sized)) -> String {
    clean(&value.to_text()).into_owned()
}

/// Replaces single quotes in a value with double quotes if the template contains `'{message}'`, because the value can
/// contain quotations, and nested single quotes would be ambiguous. Keeps apostrophes between two letters.
fn inside(template: &str, text: String) -> String {
    if !template.contains("'{message}'") || !text.contains('\'') {
        return text;
    }
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
    let mut before = None;
    let mut chars = text.chars().peekable();
    let mut out = String::with_capacity(text.len());
    while let Some(c) = chars.next() {
        let is_apostrophe = is_letter(before) && is_letter(chars.peek().copied());
        out.push(if c == '\'' && !is_apostrophe { '"' } else { c });
        before = Some(c);
    }
    out
}

/// Escapes each line of a string for a terminal.
fn clean_lines(text: &str) -> String {
    text.lines().map(clean).collect::<Vec<_>>().join("\n")
}

trait Placeholder {
    fn to_text(&self) -> Cow<'_, str>;
}

impl Placeholder for String {
    fn to_text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self)
    }
}

impl Placeholder for usize {
    fn to_text(&self) -> Cow<'_, str> {
        Cow::Owned(self.to_string())
    }
}

impl Placeholder for Candidates {
    fn to_text(&self) -> Cow<'_, str> {
        Cow::Owned(match self.0.len() {
            1 => "1 candidate".to_owned(),
            count => format!("{count} candidates"),
        })
    }
}

/// Suggestions and hints are details, not part of a message.
impl Placeholder for Vec<Suggestion> {
    fn to_text(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }
}

impl Placeholder for Hint {
    fn to_text(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// C-CODES.2, C-CODES.7.
    #[test]
    fn messages_carry_their_code_and_stay_on_one_line() {
        let error = Error::SkillNotFound {
            skill: "a\n\u{1b}[31mb".into(),
        };
        assert_eq!(
            error.to_string(),
            "error[E001]: skill 'a\\n\\u{1b}[31mb' not found"
        );
    }

    /// C-CODES.9.
    #[test]
    fn codes_are_unique_and_lie_in_their_ranges() {
        let mut codes: Vec<&str> = Error::ALL
            .iter()
            .chain(Warning::ALL)
            .map(|row| row.code)
            .collect();
        let count = codes.len();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), count);
        assert!(Error::ALL.iter().all(|row| row.code.starts_with('E')));
        assert!(Warning::ALL.iter().all(|row| row.code.starts_with('W')));
    }

    #[test]
    fn candidates_are_counted_and_listed() {
        let error = Error::AmbiguousName {
            skill: "x".into(),
            candidates: Candidates(vec!["/a/x/SKILL.md".into(), "/b/\u{1b}x/SKILL.md".into()]),
        };
        assert_eq!(error.message(), "ambiguous skill name 'x': 2 candidates");
        let listed = "  /a/x/SKILL.md\n  /b/\\u{1b}x/SKILL.md";
        assert_eq!(error.details().as_deref(), Some(listed));
        let error = Error::AmbiguousName {
            skill: "x".into(),
            candidates: Candidates(vec!["/a/x/SKILL.md".into()]),
        };
        assert_eq!(error.message(), "ambiguous skill name 'x': 1 candidate");
    }

    #[test]
    fn hints_keep_their_lines_and_escape_the_rest() {
        let error = Error::InvalidOption {
            message: "x".into(),
            hint: Some("Known: \u{1b}[31m\n  a\u{7}".into()),
        };
        assert_eq!(
            error.details().as_deref(),
            Some("Known: \\u{1b}[31m\n  a\\u{7}")
        );
    }

    #[test]
    fn quotes_are_not_nested() {
        for (message, shown) in [
            ("unknown client 'foo'", "unknown client \"foo\""),
            ("a client's file", "a client's file"),
            ("''", "\"\""),
        ] {
            let error = Error::invalid_option(message);
            assert_eq!(error.message(), format!("invalid option: '{shown}'"));
        }
        let error = Error::SkillNotFound {
            skill: "a'b'".into(),
        };
        assert_eq!(error.message(), "skill 'a'b'' not found");
    }

    #[test]
    fn system_errors_are_described_in_words() {
        let error = Error::io(
            "reading",
            Path::new("a/b.md"),
            &io::Error::from_raw_os_error(13),
        );
        assert_eq!(
            error.to_string(),
            "error[E999]: reading 'a/b.md': permission denied"
        );
    }
}
