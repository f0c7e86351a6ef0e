//! References: URIs of a skill's files. A reference remains valid as long as the skill exists and may be loaded.
//!
//! The form is `skill://<id>/<name>/<path>`; the id distinguishes skills of the same name. Reading by reference never
//! asks for confirmation and is not recorded.
//!
//! Design: catalog-policy, catalog-tools, catalog-paths, CAT-LOAD.14, D20.

use std::path::{MAIN_SEPARATOR, Path};

use percent_encoding::{percent_decode_str, utf8_percent_encode};
use skillc_core::RelPath;
use skillc_core::layout::SKILL_FILE;

use crate::catalog::Catalog;
use crate::entry::{CatalogEntry, SkillHead};
use crate::inside::{self, Trouble};
use crate::invocation::Audience;
use crate::refusal::Refusal;
use crate::resolve::{permit, permit_head};
use crate::skill_context::IN_ADDRESS;

/// The scheme of every reference.
pub const SCHEME: &str = "skill://";

/// The size limit of a file that is read by reference.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// The maximum size of a reference, in bytes. Design: R20.
const MAX_REFERENCE_BYTES: usize = 16 << 10;

/// Returns the URI of a skill's `SKILL.md`.
pub fn reference(entry: &CatalogEntry) -> String {
    // Ids and names contain no characters that must be percent-encoded.
    format!("{SCHEME}{}/{}/{SKILL_FILE}", entry.id, entry.name)
}

/// Returns the URI of any file of a skill.
pub fn reference_to(entry: &CatalogEntry, path: &RelPath) -> String {
    let parts = path.as_str().split('/').map(|part| {
        let part = utf8_percent_encode(part, IN_ADDRESS);
        format!("/{part}")
    });
    let path: String = parts.collect();
    format!("{SCHEME}{}/{}{path}", entry.id, entry.name)
}

/// A parsed reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The id of the skill.
    pub id: String,
    /// The name of the skill.
    pub name: String,
    /// The file, relative to the skill's directory; empty for the directory itself.
    pub path: RelPath,
}

impl Reference {
    /// Parses a reference.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] if the string is too long, [`Refusal::NotInCatalog`] if it is not a reference, and
    /// [`Refusal::Escapes`] if its path is absolute or contains `..` or a NUL, percent-encoded or not.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let none = || Refusal::NotInCatalog {
            path: text.to_owned(),
        };
        if text.len() > MAX_REFERENCE_BYTES {
            return Err(Refusal::Invalid {
                argument: "uri",
                message: "longer than 16 KiB".to_owned(),
            });
        }
        let rest = text.strip_prefix(SCHEME).ok_or_else(none)?;
        let mut parts = rest.splitn(3, '/');
        let (Some(id), Some(name), Some(path)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(none());
        };
        let path = percent_decode_str(path).decode_utf8().map_err(|_| none())?;
        let climbs = path.split(['/', '\\']).any(|part| part == "..");
        if climbs || path.starts_with(['/', '\\']) {
            return Err(Refusal::escapes(text));
        }
        Ok(Self {
            id: id.to_owned(),
            name: name.to_owned(),
            path: RelPath::parse(&path).map_err(|_| Refusal::escapes(text))?,
        })
    }
}

/// A file that was read by reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Referenced<'a> {
    /// The skill.
    pub entry: &'a CatalogEntry,
    /// The file, relative to the skill's directory.
    pub path: RelPath,
    /// The whole content.
    pub bytes: Vec<u8>,
}

/// Reads a file by reference. The requester is unknown, so the restrictions for models apply.
///
/// # Errors
/// If the skill, or a nested skill that contains the file, may not be loaded or needs confirmation; if the skill's
/// directory has no such file; or if the file cannot be read.
pub fn read_reference<'a>(catalog: &'a Catalog, uri: &str) -> Result<Referenced<'a>, Refusal> {
    if !catalog.settings.enabled {
        return Err(Refusal::SkillsDisabled);
    }
    let Reference { id, name, path } = Reference::parse(uri)?;
    let mut skills = catalog.skills().iter();
    let entry = skills.find(|entry| entry.id == id && entry.name == name);
    let entry = entry.ok_or_else(|| Refusal::NotInCatalog {
        path: uri.to_owned(),
    })?;
    let entry = permit(catalog, entry, Audience::Model)?
        .permitted()?
        .entry();
    let is_skill_file = path.as_str() == SKILL_FILE;
    let content = inside::read(Path::new(&entry.dir), &path, MAX_FILE_BYTES);
    let content = content.map_err(|trouble| match trouble {
        Trouble::Outside => Refusal::escapes(uri),
        Trouble::Missing if is_skill_file => Refusal::gone(&entry.path, None),
        Trouble::Missing => Refusal::NoFile {
            path: uri.to_owned(),
        },
        Trouble::TooLarge => Refusal::TooLarge {
            path: uri.to_owned(),
            max_bytes: MAX_FILE_BYTES,
        },
        Trouble::Io(error) => Refusal::unreadable(uri, &error),
    })?;
    for inner in inner_skills(catalog, entry, &content.real) {
        permit(catalog, inner, Audience::Model)?.permitted()?;
    }
    if let Some(refusal) = closed(catalog, entry, &content.real) {
        return Err(refusal);
    }
    let is_main = content
        .real
        .file_name()
        .is_some_and(|name| name == SKILL_FILE);
    if let (true, Ok(head)) = (is_main, SkillHead::parse(&content.bytes, 0)) {
        permit_head(Audience::Model, &head)?;
    }
    Ok(Referenced {
        entry,
        path,
        bytes: content.bytes,
    })
}

/// Refuses a file of a nested skill that is denied by name, even if the catalog does not list that skill.
fn closed(catalog: &Catalog, outer: &CatalogEntry, file: &Path) -> Option<Refusal> {
    let outer = Path::new(&outer.dir);
    let above = file.ancestors().skip(1);
    let mut within = above.take_while(|dir| *dir != outer && dir.starts_with(outer));
    within.find_map(|dir| catalog.policy.closed_in(dir))
}

/// Returns the skills inside `outer` that contain `file`.
fn inner_skills<'a>(
    catalog: &'a Catalog,
    outer: &CatalogEntry,
    file: &Path,
) -> impl Iterator<Item = &'a CatalogEntry> {
    let is_inner = move |entry: &&CatalogEntry| {
        let below = entry.dir.strip_prefix(&outer.dir);
        below.is_some_and(|below| below.starts_with(MAIN_SEPARATOR)) && file.starts_with(&entry.dir)
    };
    catalog.skills().iter().filter(is_inner)
}
