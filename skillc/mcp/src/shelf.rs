//! The skills that clients see as resources: those that `skc list` shows, under addresses of their own.
//!
//! An address is `skill://<id>/<name>/<path>`. The id is made of the place of the skill's `SKILL.md`, so that skills of
//! the same name are told apart and an address stays what it is; the name is the one in the frontmatter. Each part of a
//! path is written with percent signs where an address may not have its letters.
//!
//! Source: CATALOG 3.2, 3.7 and 3.9.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use skillc_core::hash::{Sha, path_hash16};
use skillc_core::layout::SKILL_FILE;
use skillc_core::source::{Entry, Located, Stamp, hash_file, locate};
use skillc_core::{Error, RelPath, Result, SkillRef};
use skillc_ops::list::{Discovered, discover};
use skillc_ops::{Notes, Toolkit};

/// How an address begins.
const SCHEME: &str = "skill://";

/// What an address has no need to escape. Source: RFC 3986, unreserved characters.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The longest name of a skill, in letters. Source: the Agent Skills standard.
const MAX_NAME: usize = 64;

/// The most files whose digests are kept.
const MAX_DIGESTS: usize = 100_000;

/// How old a file has to be for its stamp to tell it from any later one, in nanoseconds.
const SETTLED_NS: i64 = 2_000_000_000;

/// A skill on the shelf.
#[derive(Debug, Clone)]
pub(crate) struct Shelved {
    /// What tells it from another of its name: 16 hex digits.
    pub(crate) id: String,
    /// The name in its frontmatter.
    pub(crate) name: String,
    /// The description in its frontmatter.
    pub(crate) description: Option<String>,
    /// Where it is.
    pub(crate) at: SkillRef,
}

impl Shelved {
    fn new(Discovered { at, fields }: Discovered) -> Self {
        let text = |key| fields.text(key).map(|text| text.trim().to_owned());
        Self {
            id: id(&at),
            name: text("name").unwrap_or_else(|| at.name.clone()),
            description: text("description").filter(|text| !text.is_empty()),
            at,
        }
    }

    /// Returns the address of one of its files, or of a directory.
    pub(crate) fn address(&self, path: &RelPath) -> String {
        let parts = path.as_str().split('/').filter(|part| !part.is_empty());
        let parts = [self.name.as_str()].into_iter().chain(parts);
        let parts: Vec<String> = parts.map(escaped).collect();
        format!("{SCHEME}{}/{}", self.id, parts.join("/"))
    }

    /// Returns the address of its `SKILL.md`.
    pub(crate) fn main(&self) -> String {
        format!("{SCHEME}{}/{}/{SKILL_FILE}", self.id, escaped(&self.name))
    }

    /// Says whether its name is one that the Agent Skills standard allows.
    pub(crate) fn has_standard_name(&self) -> bool {
        let is_word = |word: &str| {
            let mut letters = word.bytes();
            !word.is_empty() && letters.all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        };
        self.name.len() <= MAX_NAME && self.name.split('-').all(is_word)
    }

    /// Returns where something in it is.
    ///
    /// # Errors
    /// E021 if it is not there, E012 if it is not in the skill.
    pub(crate) fn locate(&self, path: &RelPath) -> Result<PathBuf> {
        match locate(&self.at.canonical, path) {
            Located::Inside(full) => Ok(full),
            Located::Outside => Err(Error::PathEscapes {
                path: path.to_string(),
            }),
            Located::Missing => Err(Error::FileNotFound {
                path: path.to_string(),
            }),
        }
    }
}

fn escaped(part: &str) -> String {
    utf8_percent_encode(part, ESCAPED).to_string()
}

/// What an address says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Address {
    id: String,
    name: String,
    /// Relative to the skill's root, which is the empty path.
    pub(crate) path: RelPath,
}

impl Address {
    /// Reads an address. `None` if it is none of ours, or leads out of its skill.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let decoded = |part: &str| {
            let part = percent_decode_str(part).decode_utf8().ok()?;
            let is_part = !part.contains(['/', '\\', '\0']) && part != ".." && part != ".";
            is_part.then(|| part.into_owned())
        };
        let mut parts = text.strip_prefix(SCHEME)?.split('/');
        let (id, name) = (parts.next()?, decoded(parts.next()?)?);
        let parts: Vec<String> = parts.map(decoded).collect::<Option<_>>()?;
        Some(Self {
            id: id.to_owned(),
            name,
            path: RelPath::parse(&parts.join("/")).ok()?,
        })
    }
}

/// Returns what tells a skill from all others.
fn id(at: &SkillRef) -> String {
    path_hash16(&at.canonical.join(SKILL_FILE))
}

/// Returns all skills, in the order of `skc list`. One that has two places, as a link makes them, is there once; one whose
/// name no address can hold is not.
pub(crate) fn skills(toolkit: &Toolkit) -> Vec<Shelved> {
    shelved(toolkit, |_| true)
}

/// Returns the skill that an address is about.
pub(crate) fn find(toolkit: &Toolkit, address: &Address) -> Option<Shelved> {
    let found = shelved(toolkit, |at| id(at) == address.id)
        .into_iter()
        .next();
    found.filter(|skill| skill.name == address.name)
}

fn shelved(toolkit: &Toolkit, wanted: impl Fn(&SkillRef) -> bool) -> Vec<Shelved> {
    let found = discover(&toolkit.context, wanted, &mut Notes::default());
    let mut seen = HashSet::new();
    let mut skills: Vec<Shelved> = found.into_iter().map(Shelved::new).collect();
    skills.retain(|skill| Address::parse(&skill.main()).is_some() && seen.insert(skill.id.clone()));
    skills
}

/// Digests of files that have not changed since they were made.
#[derive(Default)]
pub(crate) struct Digests(Mutex<HashMap<PathBuf, (Stamp, Sha)>>);

impl Digests {
    /// Returns the digest of a file and its size; `None` if it has gone. `now_ns`: nanoseconds since 1970.
    ///
    /// # Errors
    /// E999 if it cannot be read.
    pub(crate) fn of(&self, root: &Path, entry: &Entry, now_ns: i64) -> Result<Option<(Sha, u64)>> {
        let path = entry.path.under(root);
        let kept = self.with(|kept| kept.get(&path).copied());
        if let Some((_, sha)) = kept.filter(|(stamp, _)| *stamp == entry.stamp) {
            return Ok(Some((sha, entry.stamp.size)));
        }
        let Some((sha, stamp)) = hash_file(root, &entry.path)? else {
            return Ok(None);
        };
        // A file written in this very moment can be written again without another stamp.
        if stamp.ctime_ns.max(stamp.mtime_ns) > now_ns - SETTLED_NS {
            return Ok(Some((sha, stamp.size)));
        }
        self.with(|kept| {
            if kept.len() >= MAX_DIGESTS {
                kept.clear();
            }
            kept.insert(path, (stamp, sha));
        });
        Ok(Some((sha, stamp.size)))
    }

    fn with<T>(&self, change: impl FnOnce(&mut HashMap<PathBuf, (Stamp, Sha)>) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
