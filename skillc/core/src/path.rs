//! Paths inside a skill, and globs that match them.
//!
//! By construction, a [`RelPath`] cannot leave its root with `..`. It can still lead outside through a symlink;
//! `source` handles symlinks.
//!
//! Design: C-OPEN, C-CODES, D-NAME-SAFETY.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::{self, Display};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use globset::{GlobBuilder, GlobSet};
use serde::{Serialize, Serializer};

use crate::clean::clean;
use crate::error::{Error, Result};

/// Globs longer than this are rejected. Design: R20.
const MAX_GLOB_BYTES: usize = 4 << 10;

/// File names, without their extensions, that are common in any folder.
const COMMON: [&str; 6] = [
    "SKILL",
    "README",
    "index",
    "LICENSE",
    "LICENCE",
    "CHANGELOG",
];

/// A path relative to a root: parts joined by `/`, no `.`, no `..`, no empty part. Paths are ordered bytewise. A clone
/// shares the text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, schemars::JsonSchema)]
#[schemars(transparent)]
pub struct RelPath(#[schemars(with = "String")] Arc<str>);

impl RelPath {
    /// Normalizes a path written by a user or in a file: `./a//b/../c` becomes `a/c`.
    ///
    /// # Errors
    /// E012, with the path as written, if the path is absolute, contains a NUL, or climbs above the root, whether or
    /// not it exists.
    pub fn parse(text: &str) -> Result<Self> {
        let escapes = || Error::path_escapes(text);
        if text.contains('\0') {
            return Err(escapes());
        }
        let mut parts: Vec<&str> = Vec::new();
        for component in Path::new(text).components() {
            match component {
                Component::Normal(part) => parts.push(part.to_str().ok_or_else(escapes)?),
                Component::CurDir => {}
                Component::ParentDir => drop(parts.pop().ok_or_else(escapes)?),
                Component::RootDir | Component::Prefix(_) => return Err(escapes()),
            }
        }
        Ok(Self(parts.join("/").into()))
    }

    /// Returns the path of `full` relative to `root`; `None` if `full` is not below `root`, or the relative path is not
    /// UTF-8.
    pub fn below(root: &Path, full: &Path) -> Option<Self> {
        // Fast path: the paths that a directory walk produces need not be split into components.
        let [full_bytes, root_bytes] = [full, root].map(|path| path.as_os_str().as_encoded_bytes());
        let rest = full_bytes.strip_prefix(root_bytes);
        let rest = rest.and_then(|rest| rest.strip_prefix(b"/"));
        let rest = rest.and_then(|rest| std::str::from_utf8(rest).ok());
        let is_plain = |part: &str| !matches!(part, "" | ".");
        if let Some(rest) = rest.filter(|rest| cfg!(unix) && rest.split('/').all(is_plain)) {
            return Some(Self(rest.into()));
        }
        let parts: Option<Vec<&str>> = full
            .strip_prefix(root)
            .ok()?
            .components()
            .map(|part| part.as_os_str().to_str())
            .collect();
        Some(Self(parts?.join("/").into()))
    }

    /// Returns whether a component of the path begins with `.`: such files are not part of a skill.
    pub fn is_hidden(&self) -> bool {
        self.0.starts_with('.') || self.0.contains("/.")
    }

    /// Returns the path as text, separated by `/`; empty for the root itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the path on disk below `root`.
    pub fn under(&self, root: &Path) -> PathBuf {
        if self.0.is_empty() {
            root.to_path_buf()
        } else {
            root.join(&*self.0)
        }
    }

    /// Returns whether the file has a name that is common in any folder, such as `README.md`: the name alone does not
    /// identify a file.
    pub fn has_common_name(&self) -> bool {
        let stem = self.file_name().split('.').next().unwrap_or_default();
        COMMON
            .iter()
            .any(|common| common.eq_ignore_ascii_case(stem))
    }

    /// Returns the directory that contains the file; the root for a file in the root, and for the root itself.
    #[must_use]
    pub fn parent(&self) -> Self {
        let (dir, _) = self.0.rsplit_once('/').unwrap_or_default();
        Self(dir.into())
    }

    /// Returns the path relative to `dir`; `None` if the path is not below `dir`.
    pub fn relative_to(&self, dir: &Self) -> Option<Self> {
        Some(Self(self.rest_below(dir)?.into()))
    }

    /// Compares two paths component by component, which is the order in which a walk finds them.
    pub fn cmp_as_walked(&self, other: &Self) -> Ordering {
        self.0.split('/').cmp(other.0.split('/'))
    }

    /// Returns the last component; empty for the root.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// Returns the extension in ASCII lower case without the dot: `Guide.MD` has `md`; `.bashrc` and `a.` have none.
    pub fn extension(&self) -> Option<String> {
        let (stem, extension) = self.file_name().rsplit_once('.')?;
        (!stem.is_empty() && !extension.is_empty()).then(|| extension.to_ascii_lowercase())
    }

    /// Returns whether the file has the given extension, ignoring ASCII case.
    pub fn has_extension(&self, extension: &str) -> bool {
        let (stem, own) = self.file_name().rsplit_once('.').unwrap_or_default();
        !stem.is_empty() && own.eq_ignore_ascii_case(extension)
    }

    /// Returns the part of the path below `dir`; `None` if the path is not below `dir`. Every path is below the root.
    pub fn rest_below<'a>(&'a self, dir: &Self) -> Option<&'a str> {
        if dir.0.is_empty() {
            return Some(&self.0);
        }
        self.0.strip_prefix(dir.as_str())?.strip_prefix('/')
    }
}

impl Serialize for RelPath {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

impl Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Formats a path for the header of a diff, like git: quotes and escapes a path that contains a quote, a backslash or a
/// control character, and appends a tab to any other path that contains a space.
///
/// A line break in a folder's name could otherwise inject header lines into the diff, which `patch` would apply to
/// other files.
pub fn diff_name(path: &str) -> Cow<'_, str> {
    let is_odd = |c: char| c.is_control() || matches!(c, '"' | '\\' | '\u{2028}' | '\u{2029}');
    if !path.contains(is_odd) {
        return if path.contains(' ') {
            Cow::Owned(format!("{path}\t"))
        } else {
            Cow::Borrowed(path)
        };
    }
    let mut quoted = String::from('"');
    for c in path.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if is_odd(c) => {
                let mut bytes = [0; 4];
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    quoted.push_str(&format!("\\{byte:03o}"));
                }
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    Cow::Owned(quoted)
}

/// Returns whether a name is a valid single path component: not empty, not `.` or `..`, without separators or invisible
/// characters, and at most 255 bytes long.
///
/// Design: D-NAME-SAFETY.
pub fn is_one_component(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    let one = matches!((parts.next(), parts.next()), (Some(Component::Normal(part)), None) if part == name);
    one && !name.contains(['/', '\\']) && clean(name) == name && name.len() <= 255
}

/// A glob over the paths of a skill, or over plain names.
#[derive(Debug, Clone)]
pub struct Pattern {
    text: String,
    /// Clones share the matcher, because it can be large.
    matcher: Arc<GlobSet>,
    whole_path: bool,
}

impl Pattern {
    /// Compiles a glob: `*`, `?`, `[a-z]`, `{a,b}`, `**`. If it contains a `/`, it is matched against whole paths,
    /// otherwise against file names.
    ///
    /// # Errors
    /// E100 with the reason if the glob is invalid, longer than 4 KiB, too deeply nested, or too large to compile.
    pub fn parse(glob: &str) -> Result<Self> {
        if glob.len() > MAX_GLOB_BYTES {
            let message = format!("glob is longer than {MAX_GLOB_BYTES} bytes");
            return Err(Error::invalid_option(message));
        }
        let whole_path = glob.contains('/');
        let text = glob.strip_prefix("./").unwrap_or(glob);
        let invalid = |why: &str| Error::invalid_option(format!("invalid glob '{text}': {why}"));
        let glob = GlobBuilder::new(text).literal_separator(true).build();
        let glob = glob.map_err(|e| invalid(&e.kind().to_string()))?;
        // Use a set of one glob: unlike a single matcher, a set returns an error for a valid glob that is too large to
        // compile.
        let matcher = GlobSet::builder().add(glob).build();
        let matcher = matcher.map_err(|_| invalid("nested too deep or too large"))?;
        Ok(Self {
            text: text.to_owned(),
            matcher: Arc::new(matcher),
            whole_path,
        })
    }

    /// Returns the glob without a leading `./`.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns whether a file of the skill matches.
    pub fn matches(&self, path: &RelPath) -> bool {
        self.matcher.is_match(if self.whole_path {
            path.as_str()
        } else {
            path.file_name()
        })
    }

    /// Returns whether a plain name matches.
    pub fn matches_name(&self, name: &str) -> bool {
        self.matcher.is_match(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_names_are_quoted_in_diffs_like_git() {
        for (path, name) in [
            ("a/SKILL.md", "a/SKILL.md"),
            ("größe/日本.md", "größe/日本.md"),
            ("my notes.md", "my notes.md\t"),
            ("a\n+++ b", r#""a\n+++ b""#),
            ("a\"b\\c\td\re", r#""a\"b\\c\td\re""#),
            (
                "a\u{1b}[0m\u{85}\u{2028}",
                r#""a\033[0m\302\205\342\200\250""#,
            ),
        ] {
            assert_eq!(diff_name(path), name);
        }
    }

    use proptest::prelude::*;

    fn rel(text: &str) -> RelPath {
        RelPath::parse(text).unwrap()
    }

    /// C-OPEN.3.
    #[test]
    fn paths_are_normalized_and_cannot_escape() {
        assert_eq!(rel("./a//b/../c").as_str(), "a/c");
        assert_eq!(rel("docs/../SKILL.md").as_str(), "SKILL.md");
        for bad in ["..", "../x", "a/../../x", "/etc/passwd", "a\0b"] {
            assert_eq!(RelPath::parse(bad), Err(Error::path_escapes(bad)));
        }
    }

    #[test]
    fn paths_are_taken_apart_and_ordered_by_component() {
        let cases = [("a/b/c.md", "a/b"), ("a", ""), ("", "")];
        for (path, parent) in cases {
            assert_eq!(rel(path).parent().as_str(), parent);
        }
        let below = |path: &str, dir: &str| rel(path).relative_to(&rel(dir));
        assert_eq!(below("a/b/c.md", "a"), Some(rel("b/c.md")));
        assert_eq!(below("a/b", ""), Some(rel("a/b")));
        assert_eq!(below("a-b/c", "a"), None);
        let mut paths = ["a-b", "a/z", "b", "a"].map(rel);
        paths.sort_by(RelPath::cmp_as_walked);
        assert_eq!(paths, ["a", "a/z", "a-b", "b"].map(rel));
    }

    #[test]
    fn extensions_are_lowercase_and_hidden_files_have_none() {
        assert_eq!(rel("a/Guide.MD").extension().as_deref(), Some("md"));
        assert_eq!(rel(".bashrc").extension(), None);
        assert_eq!(rel("a.").extension(), None);
        assert!(rel("a/Guide.MD").has_extension("md"));
        assert!(!rel("a/.md").has_extension("md"));
        assert!(!rel("md").has_extension("md"));
    }

    /// D-NAME-SAFETY.
    #[test]
    fn a_name_is_one_plain_component() {
        for good in ["a", "my_skill", "v1.2", "日本語", "a--b"] {
            assert!(is_one_component(good), "{good}");
        }
        for bad in [
            "",
            ".",
            "..",
            "a/b",
            "a/",
            "/a",
            "a\\b",
            "a\nb",
            "a\0",
            "a\u{200b}",
            "\u{202e}a",
        ] {
            assert!(!is_one_component(bad), "{bad:?}");
        }
    }

    #[test]
    fn a_glob_without_slash_matches_names_and_with_one_whole_paths() {
        let names = Pattern::parse("*.md").unwrap();
        assert!(names.matches(&rel("a/b.md")));
        let paths = Pattern::parse("a/*.md").unwrap();
        assert!(
            paths.matches(&rel("a/b.md"))
                && !paths.matches(&rel("a/c/b.md"))
                && !paths.matches(&rel("b.md"))
        );
        assert!(matches!(
            Pattern::parse("[a"),
            Err(Error::InvalidOption { .. })
        ));
    }

    /// R20.
    #[test]
    fn an_excessive_glob_is_refused() {
        let nested = |depth: usize| format!("{}a{}", "{a,".repeat(depth), "}".repeat(depth));
        assert!(Pattern::parse(&nested(20)).is_ok());
        for glob in [nested(1000), "*a".repeat(2049)] {
            assert!(matches!(
                Pattern::parse(&glob),
                Err(Error::InvalidOption { .. })
            ));
        }
        assert!(Pattern::parse(&"*a".repeat(2048)).is_ok());
    }

    proptest! {
        #[test]
        fn parsing_a_path_is_idempotent(text in "[a-c./]{0,20}") {
            if let Ok(path) = RelPath::parse(&text) {
                prop_assert_eq!(RelPath::parse(path.as_str()).unwrap(), path);
            }
        }
    }
}
