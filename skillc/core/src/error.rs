//! Every error and warning code, its text and its meaning, in one table.
//!
//! The rows of `codes!` are the only place where a message exists: the enums, their `Display`, the reference page and
//! the tests are generated from them. A message is always one line; suggestions and hints are separate, in
//! [`Error::details`].
//!
//! Design: C-CODES.

use std::borrow::Cow;
use std::fmt::{self, Display};
use std::io;
use std::path::Path;

use crate::clean::clean;

/// The result of everything that can fail in skillc.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// One row of the code table, for the reference page and the tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeRow {
    /// `E001`, `W003`.
    pub code: &'static str,
    /// The message with its placeholders in braces.
    pub template: &'static str,
    /// When it occurs and what to do, in Markdown.
    pub doc: &'static str,
}

impl CodeRow {
    /// Returns whether the code is an addition to the specification, which leaves W020 to W029, and 060 to 069, free.
    pub fn is_amendment(&self) -> bool {
        let ours = ["W020".."W030", "E060".."E070", "W060".."W080"];
        ours.iter().any(|codes| codes.contains(&self.code))
    }
}

/// Generates an enum of coded messages from rows of code, variant, fields and template.
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
    /// A failure. Every one ends the command with exit status 1.
    Error {
        /// No directory in any store matches the name, and no path does.
        "E001" SkillNotFound { skill: String } = "skill '{skill}' not found";
        /// The search index is missing, damaged, or older than the skill's files. Build the skill again.
        "E002" IndexUnusable { skill: String, hint: Hint } = "search index unusable; run 'skc build {skill}' to rebuild";
        /// Two source directories have the same index name. Delete the named file and build again.
        "E003" IndexCollision { hash16: String } = "index hash collision; delete .skillc-meta/search-{hash16}.db and rebuild";
        /// The query has no words.
        "E004" EmptyQuery {} = "empty query";
        /// A directory was found, but it has no `SKILL.md`.
        "E010" NotASkill { path: String } = "not a valid skill: '{path}' (missing SKILL.md)";
        /// `name` or `description` is absent, empty or not a text.
        "E011" MissingField { field: String, hint: Hint } = "missing frontmatter field '{field}' in SKILL.md";
        /// A path or a symbolic link leads out of the skill.
        "E012" PathEscapes { path: String, hint: Hint } = "path escapes skill root: '{path}'";
        /// No section of the skill has this heading. Similar headings follow if there are any.
        "E020" SectionNotFound { section: String, suggestions: Vec<Suggestion> } = "section not found: '{section}'";
        /// There is no such file in the skill. Similar paths follow if there are any.
        "E021" FileNotFound { path: String, hint: Hint } = "file not found: '{path}'";
        /// There is no such directory in the skill. Similar paths follow if there are any.
        "E022" DirectoryNotFound { path: String, hint: Hint } = "directory not found: '{path}'";
        /// The statistics have no such grouping.
        "E030" InvalidQueryType { kind: String } = "invalid query type: '{kind}'";
        /// A time or project filter cannot be read.
        "E031" InvalidFilter { message: String } = "invalid filter: '{message}'";
        /// The named skill has no local logs.
        "E040" NoLocalLogs {} = "no local logs found";
        /// The logs cannot be moved to their place.
        "E041" SyncDestination { path: String } = "sync destination not writable: '{path}'";
        /// The local logs cannot be read.
        "E042" SyncSource { path: String } = "sync source not readable: '{path}'";
        /// A skill of this name is there already. Nothing was changed.
        "E050" SkillExists { skill: String, hint: Hint } = "skill '{skill}' already exists";
        /// Several skills of the catalog have this name; their files follow. Load one by its path, or switch the others off.
        "E060" AmbiguousName { skill: String, candidates: Candidates } = "ambiguous skill name '{skill}': {candidates} candidates";
        /// Only files that the catalog lists can be loaded, whether or not there are others.
        "E061" PathNotInCatalog { path: String } = "path not in catalog: '{path}'";
        /// A rule of the configuration forbids it, or a model asked for a skill with `disable-model-invocation`; the hint says which.
        "E062" PermissionDenied { skill: String, hint: Hint } = "permission denied for skill '{skill}'";
        /// Loading this skill requires confirmation, and this session is not interactive.
        "E063" ConfirmationNeeded { skill: String } = "confirmation needed for skill '{skill}'; use --yes or run 'skc catalog allow {skill}'";
        /// The configuration switches the skill off.
        "E064" SkillDisabled { skill: String, hint: Hint } = "skill '{skill}' is disabled";
        /// The configuration or a variable switches all skills off.
        "E065" SkillsDisabled {} = "skills are disabled by configuration";
        /// The skill registry's database is damaged, of a newer version, or cannot be opened.
        "E066" RegistryUnusable { path: String, message: String, hint: Hint } = "registry unusable: '{path}': {message}";
        /// The picker draws on a terminal, and there is none.
        "E067" NoTerminal {} = "the picker needs a terminal";
        /// A command over all skills from here finds none. Name a skill or a folder, or create one with `skc init NAME`.
        "E068" NoSkills { hint: Hint } = "no skills found";
        /// A file or folder of another origin is in a skill's runtime directory, which a client's folder would link to. Look at
        /// it, delete it or move it away, and build again; or deploy with `--copy`.
        "E069" ForeignInBuild { path: String } = "what skc did not write is in the build: '{path}'";
        /// An option, an argument or a value is not accepted. `--help` of the command lists those that are.
        "E100" InvalidOption { message: String, hint: Hint } = "invalid option: '{message}'";
        /// A lint rule of severity error reports something; the rule's code and name come first.
        "E300" LintError { finding: String } = "{finding}";
        /// Something in the environment failed: a disk, a permission, a damaged file.
        "E999" Internal { message: String, hint: Hint } = "{message}";
    }
}

codes! {
    /// Trouble that does not stop the command.
    Warning {
        /// Several sections have the heading; the first, by file and line, is shown. The others follow, each with the option that shows it.
        "W001" MultipleMatches { section: String, others: Hint } = "multiple matches for '{section}'; showing first";
        /// The usage log cannot be written in the runtime directory nor below the working directory: this run is not recorded, and there is nothing to sync from it. Make one of them writable, or set `SKILLC_HOME`; `--verbose` names both.
        "W002" LoggingDisabled {} = "logging disabled; run 'skc sync' after session to merge logs";
        /// Local logs have waited for over an hour.
        "W003" StaleLocalLogs { skill: String } = "stale local logs for '{skill}'; run 'skc sync' to upload";
        /// A configuration file or variable has something that is not understood; it is ignored.
        "W020" Configuration { message: String } = "{message}";
        /// A directory of a store is not a valid skill and is left out of the list.
        "W021" SkillSkipped { skill: String, reason: String } = "skipped '{skill}': {reason}";
        /// A link could not be made, so the agent directory has a copy that ages.
        "W022" DeployedByCopy { path: String, reason: String } = "deployed by copy: '{path}' ({reason})";
        /// The file is over 32 MiB: listed and opened, but not searched. Or it has far more Markdown markup than any text, and what is behind the first half million signs is read as plain text; or, in `lint`, the Markdown of the skill is over 64 MiB, and the file is not checked. Split the file, or move what is data into a file of another type.
        "W023" FileTooLarge { path: String } = "file too large to index: '{path}'";
        /// Much Chinese, Japanese or Korean text is indexed as if it had spaces between words.
        "W024" CjkUnderAscii {} = "much CJK text under tokenizer \"ascii\"; set [search] tokenizer = \"cjk\" in .skillc/config.toml and rebuild to make it searchable";
        /// The file's own format could not be read; its text is searchable as one piece.
        "W025" IndexedAsPlainText { path: String, reason: String } = "indexed as plain text: '{path}' ({reason})";
        /// A name that is not UTF-8 cannot be hashed, indexed or listed. Rename the file if it belongs to the skill.
        "W026" NamesLeftOut { count: usize, example: String } = "left out {count} file name(s) that are not UTF-8, such as '{example}'";
        /// Rows of the access log have arguments or times that make no sense. They count as far as they can be read.
        "W027" LogRowsMalformed { count: usize } = "{count} malformed row(s) in the access log; counted as far as they can be read";
        /// Of several access logs one cannot be read; the others are counted. Move the file away if it is damaged.
        "W028" LogUnusable { path: String, reason: String } = "left out access log '{path}': {reason}";
        /// A script or a folder of scripts cannot be loaded or is not to be; what it declares is not there.
        "W029" PluginLeftOut { fault: String } = "left out plugin: {fault}";
        /// Several skills have the name, and the skill registry keeps one of them.
        "W060" ManyDefinitions { skill: String, count: usize, path: String } = "skill name '{skill}' has {count} definitions; registry uses '{path}'";
        /// A `SKILL.md` is not valid, so it is not in the catalog.
        "W061" CatalogSkipped { path: String, message: String } = "skill skipped: '{path}': {message}";
        /// None of the directories that may hold skills is there.
        "W062" RootMissing { path: String } = "skills root missing: '{path}'";
        /// The skill registry's file cannot be written; what it would hold lasts for this run.
        "W063" RegistryInMemory { message: String } = "registry kept in memory: {message}";
        /// A directory of skills is deeper or larger than the configuration allows; the rest of it was not looked at.
        "W064" CatalogTruncated { path: String, bound: String } = "catalog truncated at '{path}': {bound}";
        /// With `name_mismatch = "warn"`: skills that other programs refuse because of their directory's name.
        "W065" NamesDiffer { count: usize, example: String } = "{count} skill name(s) unlike their directory's, such as '{example}'";
        /// The folder had the stub of another skill of that name. Rename one, or set `[deploy] scope = "project"` in its project.
        "W066" StubReplaced { path: String, place: String } = "replaced the stub of '{path}': '{place}' now has this skill";
        /// `skc build --for`: what a client does with the stub that its author may not expect, or would do with the source only.
        "W067" ClientDiffers { skill: String, client: String, difference: String } = "'{skill}' in {client}: {difference}";
        /// Folders of several clients have different skills of one name; the first is used. Give the path of the other to use it.
        "W068" SeveralSkills { skill: String, path: String, others: String } = "several skills are called '{skill}'; using '{path}', not {others}";
        /// A file has bytes that are not UTF-8. Each of them is read as U+FFFD; save the file as UTF-8.
        "W069" NotUtf8 { path: String, offset: usize } = "not UTF-8: '{path}' has an invalid byte at offset {offset}";
        /// `skc build --force` took the place of what skillc did not make, or of a copy that was edited. Nothing is lost: move it back, or remove it.
        "W070" Replaced { path: String, kept: String } = "replaced '{path}'; what was there is now '{kept}'";
        /// A lint rule of severity warning reports something; the rule's code and name come first.
        "W300" LintWarning { finding: String } = "{finding}";
    }
}

/// A heading offered in place of one that was not found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Suggestion {
    /// The heading's text.
    pub heading: String,
    /// The file it is in, relative to the skill's root.
    pub file: String,
}

/// The `SKILL.md` paths that an ambiguous name may refer to, highest rank first. A message shows their number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidates(pub Vec<String>);

/// The next step after an error: one line or more, or nothing.
pub type Hint = Option<Cow<'static, str>>;

impl Error {
    /// Wraps a failed system call as E999, naming the operation and the path.
    pub fn io(doing: &str, path: &Path, error: &io::Error) -> Self {
        Self::Internal {
            message: format!("{doing} '{}': {}", path.display(), reason(error)),
            hint: next_step(error),
        }
    }

    /// Makes an E999 from a message.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::Internal {
            message: message.into(),
            hint: None,
        }
    }

    /// Makes an E100 from a message.
    pub fn invalid_option(message: impl Into<String>) -> Self {
        Self::InvalidOption {
            message: message.into(),
            hint: None,
        }
    }

    /// Makes an E012 from a path.
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

/// Prints `error[E001]: skill 'x' not found`, one line, never coloured; the details are not part of it.
impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error[{}]: {}", self.code(), self.message())
    }
}

impl std::error::Error for Error {}

/// Prints `warning[W001]: …`, one line, never coloured.
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
    /// Printed as `error[…]` without failing the command: an ignored configuration file.
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

/// Returns the next step after a failed system call, if its cause is one that the user can fix.
fn next_step(error: &io::Error) -> Hint {
    Some(Cow::Borrowed(match error.kind() {
        io::ErrorKind::PermissionDenied => {
            "Check who owns this path and the folder that holds it, and what they permit: ls -ld"
        }
        io::ErrorKind::ReadOnlyFilesystem => {
            "The file system is read-only: work in a directory that can be written."
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "Free some space on that disk."
        }
        _ => return None,
    }))
}

/// Returns the reason of a failed system call in words, without the OS error number.
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

/// Replaces single quotes with double ones in a message that its template puts in single quotes: nested ones would be
/// ambiguous. An apostrophe between two letters stays.
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

/// Escapes each line of a text for a terminal.
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
        Cow::Owned(self.0.len().to_string())
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
    fn candidates_are_counted_and_listed_below() {
        let error = Error::AmbiguousName {
            skill: "x".into(),
            candidates: Candidates(vec!["/a/x/SKILL.md".into(), "/b/\u{1b}x/SKILL.md".into()]),
        };
        assert_eq!(error.message(), "ambiguous skill name 'x': 2 candidates");
        let listed = "  /a/x/SKILL.md\n  /b/\\u{1b}x/SKILL.md";
        assert_eq!(error.details().as_deref(), Some(listed));
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
    fn system_errors_are_said_in_words() {
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
