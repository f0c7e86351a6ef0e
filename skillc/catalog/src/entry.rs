//! One skill of the catalog, read from the head of its `SKILL.md`.
//!
//! Only the frontmatter is read and checked; the body does not affect whether a skill is found. Unknown fields are not
//! an error.
//!
//! Design: CAT-DISC, catalog-roots, limits-catalog, R20.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use skillc_core::clean::clean_for_model;
use skillc_core::resolve::main_file;
use skillc_core::source::frontmatter::Head;
use skillc_core::source::lines::char_floor;
use skillc_core::source::{Stamp, open, open_real};
use skillc_core::{Fields, Frontmatter, Value};

use crate::invocation::Invocation;
use crate::name::{MAX_NAME, is_skill_name, skill_name};
use crate::roots::{Origin, Scope};
use crate::settings::NameMismatch;

/// The size limit of a `SKILL.md`.
pub const MAX_BYTES: u64 = 4 << 20;

/// The size of the first read, in bytes; enough for nearly every frontmatter.
const FIRST_BYTES: usize = 4 << 10;

/// The maximum size of a frontmatter, in bytes: the largest block that is read, plus its delimiter lines.
const MAX_HEAD_BYTES: usize = (64 << 10) + 16;

/// If the head cannot be parsed reliably, the search for names continues for this many bytes after the head.
const MAX_CLAIM_BYTES: u64 = 32 << 20;

/// The maximum length of a description, in characters.
const MAX_DESCRIPTION: usize = 1024;

/// The maximum length of a value quoted in a message, in characters.
const MAX_SHOWN: usize = 80;

/// A skill that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SkillMetadata")]
pub struct CatalogEntry {
    /// The first 16 hex digits of the hash of the path
    #[schemars(regex(pattern = "^[0-9a-f]{16}$"))]
    pub id: String,
    /// The skill's name
    #[schemars(length(min = 1, max = 64))]
    pub name: String,
    /// What the skill does, and when to use it
    #[schemars(length(min = 1, max = 1024))]
    pub description: String,
    /// The skill's SKILL.md, canonical and absolute
    pub path: String,
    /// The skill's directory, canonical and absolute
    pub dir: String,
    /// Where the skill applies: in the project, or for the user
    pub scope: Scope,
    /// When SKILL.md was changed, in milliseconds since 1970
    pub mtime_ms: u64,
    /// The kind of directory in which the skill was found
    pub origin: Origin,
    /// Whether the skill is enabled in the configuration
    pub enabled: bool,
    /// Whether the skill is build output of another skill
    #[serde(default, skip_serializing_if = "is_false")]
    pub compiled: bool,
    /// Restriction set by disable-model-invocation or user-invocable, if any
    #[serde(default, skip_serializing_if = "Invocation::is_anyone")]
    pub invocation: Invocation,
    /// Determines the rank of the skill among skills with the same name.
    #[serde(skip)]
    pub place: RootRank,
    /// Whether the skill was found in one of the user's roots, or is the source of a build that was found there. The
    /// scope of such a skill can still be the project, for example if the home directory is the project.
    #[serde(skip)]
    pub is_users: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}

/// The properties of a root that determine the rank of its skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RootRank {
    /// The distance of the root; see [`Root::distance`](crate::roots::Root::distance).
    pub distance: usize,
    /// The rank of the root's kind, starting at 0.
    pub order: usize,
}

/// An invalid `SKILL.md`, or a directory that cannot be listed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SkillLoadError")]
pub struct LoadFailure {
    /// The file or directory
    pub path: String,
    /// What is wrong with the file or directory, in one line
    pub message: String,
    /// Whether a skill, a directory or a root cannot be read.
    #[serde(skip)]
    pub kind: FailureKind,
}

/// The kind of file or directory that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum FailureKind {
    /// A `SKILL.md` file.
    #[default]
    Skill,
    /// A directory below a root.
    Directory,
    /// A root.
    Root,
}

/// The frontmatter of a valid skill, and the mtime of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillHead {
    /// The `name` field.
    pub name: String,
    /// The `description` field, trimmed.
    pub description: String,
    /// All fields, known and unknown, in file order.
    pub fields: Fields,
    /// The file's mtime, in milliseconds since 1970; 0 for earlier times.
    pub mtime_ms: u64,
}

impl SkillHead {
    /// Reads the head of a file. `path`: the file's canonical path. If the file has been replaced with a symlink since
    /// the path was resolved, the symlink is not followed.
    ///
    /// # Errors
    /// A one-line message that says what is wrong with the file.
    pub fn read(path: &Path) -> Result<Self, Cow<'static, str>> {
        let opened = open_real(path).map_err(|error| unreadable(&error))?;
        let (mut file, metadata) = opened.ok_or("not a file")?;
        if metadata.len() > MAX_BYTES {
            return Err("larger than 4 MiB".into());
        }
        let mut first = [0; FIRST_BYTES];
        let read = fill(&mut file, &mut first).map_err(|error| unreadable(&error))?;
        let mtime_ms = mtime_ms(&metadata);
        let first = &first[..read];
        match Head::parse(first) {
            Head::Absent => Err("no frontmatter".into()),
            Head::Ends(end) => Self::parse(&first[..end], mtime_ms),
            Head::Open if read < FIRST_BYTES => Self::parse(first, mtime_ms),
            Head::Open => {
                let mut bytes = first.to_vec();
                let rest = file.take((MAX_HEAD_BYTES - read) as u64);
                read_all(rest, &mut bytes).map_err(|error| unreadable(&error))?;
                match Head::parse(&bytes) {
                    Head::Ends(end) => Self::parse(&bytes[..end], mtime_ms),
                    _ if bytes.len() < MAX_HEAD_BYTES => Self::parse(&bytes, mtime_ms),
                    _ => Err("the frontmatter does not end within 64 KiB".into()),
                }
            }
        }
    }

    /// Parses and checks the frontmatter at the start of a file's content. Ignores the text after the frontmatter.
    ///
    /// # Errors
    /// A one-line message that says what is wrong with the frontmatter.
    pub fn parse(bytes: &[u8], mtime_ms: u64) -> Result<Self, Cow<'static, str>> {
        let text = std::str::from_utf8(bytes).map_err(|_| "not UTF-8")?;
        let fields = match Frontmatter::split(text).0 {
            Frontmatter::Valid(fields) => fields,
            Frontmatter::Absent => return Err("no frontmatter".into()),
            Frontmatter::Unclosed => return Err("the frontmatter has no closing '---' line".into()),
            Frontmatter::Invalid { message, .. } => {
                return Err(format!("the frontmatter is not valid: {message}").into());
            }
            _ => return Err("the frontmatter cannot be parsed".into()),
        };
        let name = required(&fields, "name")?;
        if !is_skill_name(name) {
            let name = shown(name);
            return Err(format!(
                "'name' must consist of 1 to {MAX_NAME} lower-case letters, digits and single hyphens between them: '{name}'"
            )
            .into());
        }
        let description = required(&fields, "description")?.trim();
        let length = description.chars().count();
        if length > MAX_DESCRIPTION {
            return Err(format!(
                "'description' has {length} characters; at most {MAX_DESCRIPTION} are allowed"
            )
            .into());
        }
        Ok(Self {
            name: name.to_owned(),
            description: description.to_owned(),
            mtime_ms,
            fields,
        })
    }

    /// Compares the skill's name with the name of its directory. Returns `Ok(false)` if the names differ and the
    /// settings allow that.
    ///
    /// # Errors
    /// A one-line message if the names differ and the settings do not allow that.
    pub fn fits(&self, dir: &OsStr, mismatch: NameMismatch) -> Result<bool, Cow<'static, str>> {
        fits(&self.name, dir, mismatch)
    }
}

/// Like [`SkillHead::fits`], but needs only the skill's name instead of the whole head.
pub(crate) fn fits(
    name: &str,
    dir: &OsStr,
    mismatch: NameMismatch,
) -> Result<bool, Cow<'static, str>> {
    let is_same = dir == name;
    if is_same || mismatch == NameMismatch::Warn {
        return Ok(is_same);
    }
    let dir = dir.to_string_lossy();
    let dir = shown(&dir);
    Err(format!("'name' is '{name}', but the directory is '{dir}'").into())
}

/// Prepares a description for lists: escapes invisible characters and truncates the description to its maximum length.
pub fn shown_description(description: String) -> String {
    if let Cow::Owned(text) = clean_for_model(&description) {
        return text.chars().take(MAX_DESCRIPTION).collect();
    }
    description
}

/// Returns every name that the skill in a directory may have: the directory's name, and the names in its `SKILL.md`.
/// The file may be invalid, and its file name may differ from `SKILL.md` in case. Returns no names if the directory has
/// no such file.
pub fn names_in(dir: &Path) -> impl Iterator<Item = String> {
    let main = main_file(dir);
    let of_dir = main.is_some().then(|| dir.file_name()?.to_str());
    let of_dir = of_dir.flatten().and_then(skill_name);
    let claimed = main.map(|main| claimed_names(&dir.join(main)));
    of_dir.into_iter().chain(claimed.into_iter().flatten())
}

/// Returns the names that a `SKILL.md` may declare for its skill, normalized by [`skill_name`]. Returns at most one
/// name, unless the head is too long or cannot be parsed reliably. In that case, also returns the value of every
/// `name:` in the head and in the [`MAX_CLAIM_BYTES`] bytes after it.
fn claimed_names(path: &Path) -> BTreeSet<String> {
    let mut bytes = Vec::new();
    let Ok(Some((mut file, _))) = open(path) else {
        return BTreeSet::new();
    };
    let head = (&mut file).take(MAX_HEAD_BYTES as u64);
    if read_all(head, &mut bytes).is_err() {
        return BTreeSet::new();
    }
    let (mut names, is_certain) = names_in_head(&String::from_utf8_lossy(&bytes));
    if !is_certain {
        // If reading fails, search the bytes that were read so far.
        let _ = read_all((&mut file).take(MAX_CLAIM_BYTES), &mut bytes);
        let text = String::from_utf8_lossy(&bytes);
        names.extend(names_in_head(&text).0);
        names.extend(names_in_text(&text));
    }
    names
}

/// Like [`names_in`], but for a skill in memory. `dir`: the name of the skill's directory; `text`: the text of the
/// skill's `SKILL.md`.
pub(crate) fn names_of(dir: &str, text: &str) -> BTreeSet<String> {
    let (mut names, is_certain) = names_in_head(&text[..char_floor(text, MAX_HEAD_BYTES)]);
    if !is_certain {
        names.extend(names_in_text(text));
    }
    names.extend(skill_name(dir));
    names
}

/// Returns the name in the frontmatter at the start of `text`, if the name is valid, and whether the frontmatter was
/// parsed reliably.
fn names_in_head(text: &str) -> (BTreeSet<String>, bool) {
    let frontmatter = Frontmatter::split(text).0;
    let is_certain = matches!(frontmatter, Frontmatter::Valid(_));
    let name = match &frontmatter {
        Frontmatter::Valid(fields) | Frontmatter::Invalid { fields, .. } => {
            required(fields, "name").ok().and_then(skill_name)
        }
        _ => None,
    };
    (name.into_iter().collect(), is_certain)
}

/// Returns the value of every `name:` in `text`.
fn names_in_text(text: &str) -> impl Iterator<Item = String> {
    text.match_indices("name").filter_map(|(at, name)| {
        let is_whole = !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let rest = text[at + name.len()..].trim_start_matches(['"', '\'', ' ', '\t']);
        let value = rest.strip_prefix(':').filter(|_| is_whole)?;
        // The value may be quoted, or a block scalar on the following lines.
        let value = value.trim_start_matches(|c: char| c.is_whitespace() || "\"'>|+-".contains(c));
        let end = value.find(|c: char| !c.is_ascii_alphanumeric() && c != '-');
        skill_name(&value[..end.unwrap_or(value.len())])
    })
}

/// Returns a file's mtime in milliseconds since 1970; 0 for earlier times.
pub fn mtime_ms(metadata: &Metadata) -> u64 {
    let ms = Stamp::from_metadata(metadata)
        .mtime_ns
        .div_euclid(1_000_000);
    u64::try_from(ms).unwrap_or_default()
}

/// Returns a message for a read error, without the OS error number.
pub(crate) fn unreadable(error: &io::Error) -> Cow<'static, str> {
    let text = error.to_string();
    let words = text.split(" (os error").next().unwrap_or(&text);
    format!("cannot be read: {}", words.to_lowercase()).into()
}

fn required<'a>(fields: &'a Fields, key: &str) -> Result<&'a str, Cow<'static, str>> {
    let fault = |what: &str| Err(format!("'{key}' {what}").into());
    match fields.get(key).map(|field| &field.value) {
        None => fault("is missing"),
        Some(Value::Null) => fault("is empty"),
        Some(Value::Text(text)) if text.trim().is_empty() => fault("is empty"),
        Some(Value::Text(text)) => Ok(text),
        Some(Value::List(_) | Value::Map(_)) => fault("is not a string"),
    }
}

/// Truncates a value for a message.
fn shown(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

/// Reads until the buffer is full or the file ends. Returns the number of bytes read.
fn fill(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut read = 0;
    while read < buffer.len() {
        match file.read(&mut buffer[read..]) {
            Ok(0) => break,
            Ok(count) => read += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}

fn read_all(mut rest: impl Read, bytes: &mut Vec<u8>) -> io::Result<()> {
    rest.read_to_end(bytes).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ambiguous_frontmatter_claims_every_name_in_it() {
        let comment = format!("# {}\n", "x".repeat(MAX_HEAD_BYTES));
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("SKILL.md");
        for (head, expected) in [
            ("name: one\ndescription: 'name: two'\n", &["one"][..]),
            ("name: one\nname: two\n", &["one", "two"]),
            ("{name: one, \"name\" : 'Two'}\n{}\n", &["one", "two"]),
            (&format!("name: one\n{comment}"), &["one"]),
            (&format!("{comment}name: one\n"), &["one"]),
            ("name: one: x\nname: >-\n  two\n", &["one", "two"]),
            ("title: one\n", &[]),
        ] {
            std::fs::write(&file, format!("---\n{head}---\n\nname: three\n")).unwrap();
            let names = claimed_names(&file);
            let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
            // This test does not check whether names below the frontmatter are included.
            names.retain(|name| *name != "three");
            assert_eq!(names, expected, "{}", &head[..head.len().min(60)]);
        }
    }
}
