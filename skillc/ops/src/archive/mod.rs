//! Skills in archives, which are read into memory and never written to disk.
//!
//! A scanned archive may be hostile: it may attack the program that unpacks it, or be unpacked differently by different
//! programs. All entries that are found are scanned, and content that cannot be read is reported.
//!
//! Design: R43.

mod entries;
mod names;
mod own_name;
mod untar;
mod unzip;

use std::collections::BTreeMap;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skillc_core::layout::SKILL_FILE;
use skillc_core::skill::is_of_skill;
use skillc_core::source::{Flaw, FlawKind, Packed, open_real};
use skillc_core::{Error, Frontmatter, RelPath, Result, Skill, SkillRef, Stop};

use crate::skill_walk::{MAX_AROUND, MAX_HEAD_BYTES};

pub(crate) use entries::Budget;

use entries::Entries;

/// The maximum size of an archive, in bytes.
const MAX_ARCHIVE_BYTES: u64 = 128 << 20;

/// The number of bytes needed to recognize an archive.
const START: u64 = 512;

/// The possible first bytes of a zip file: the signatures of an entry, of an empty archive, and of a split archive.
const ZIP: [&[u8]; 3] = [b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08"];

/// The first bytes of a gzip file.
const GZIP: &[u8] = b"\x1f\x8b";

/// An archive in memory.
#[derive(Debug)]
pub(crate) struct Archive {
    /// The contents of the files, sorted bytewise by path.
    files: Vec<(RelPath, Arc<[u8]>)>,
    /// The symlinks, sorted bytewise by path.
    links: Vec<(RelPath, Link)>,
    /// The paths of files and symlinks, including those that were not read, sorted bytewise.
    names: Vec<(RelPath, ())>,
    /// The flaws of single entries, sorted bytewise by path.
    flaws: Vec<(RelPath, Flaw)>,
    /// The flaws of the archive as a whole.
    whole: Vec<Flaw>,
}

/// A symlink.
#[derive(Debug)]
struct Link {
    /// The target, as written in the archive.
    target: String,
    /// The path to which the symlink leads; `None` if this path is outside the archive.
    end: Option<RelPath>,
    /// The content of the file at that path, if any.
    content: Option<Arc<[u8]>>,
}

/// The skills of an archive.
#[derive(Debug)]
pub(crate) struct Found {
    /// The directories of the skills, sorted by component.
    pub(crate) dirs: Vec<RelPath>,
    /// The directories of nested skills that are scanned only as parts of their outer skills, because the nesting is
    /// too deep, or because there is too much data.
    pub(crate) too_deep: Vec<RelPath>,
    /// The first file outside all skills, and the number of such files.
    pub(crate) outside: Option<(RelPath, usize)>,
}

/// A skill of an archive.
#[derive(Debug, Clone)]
pub(crate) struct PackedSkill {
    pub(crate) archive: Arc<Archive>,
    /// The canonical path of the archive.
    pub(crate) file: PathBuf,
    /// The directory of the skill in the archive.
    pub(crate) dir: RelPath,
    /// Whether this is the first skill of the archive, for which the flaws of the archive as a whole are listed.
    pub(crate) is_first: bool,
}

/// The formats of archives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Zip,
    Tar,
    /// A tar file that is compressed with gzip.
    TarGzip,
}

impl Format {
    /// Recognizes a format by the first [`START`] bytes of a file.
    fn of_bytes(start: &[u8]) -> Option<Self> {
        if ZIP.iter().any(|first| start.starts_with(first)) {
            Some(Self::Zip)
        } else if start.starts_with(GZIP) {
            Some(Self::TarGzip)
        } else {
            untar::is_tar(start).then_some(Self::Tar)
        }
    }

    /// Recognizes a format by the name of a file.
    fn of_name(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let has = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
        if has(&[".zip", ".skill"]) {
            Some(Self::Zip)
        } else if has(&[".tar.gz", ".tgz"]) {
            Some(Self::TarGzip)
        } else {
            has(&[".tar"]).then_some(Self::Tar)
        }
    }

    /// Returns whether other programs may read a file of this format as another format. `bytes`: the whole file;
    /// `named`: the format according to the file's name.
    fn is_doubtful(self, bytes: &[u8], named: Option<Self>) -> bool {
        let is_other = match self {
            Self::Zip => untar::is_tar(bytes),
            Self::Tar => unzip::may_end(bytes),
            Self::TarGzip => untar::is_tar(bytes) || unzip::may_end(bytes),
        };
        is_other || named.is_some_and(|named| named != self)
    }
}

/// Reads an archive into memory.
///
/// `asked`: the path for messages; `path`: the canonical path. Returns `None` if the path does not exist, or is not an
/// archive.
///
/// # Errors
/// E100 if the archive cannot be read, or is too large.
pub(crate) fn read(
    asked: &str,
    path: &Path,
    budget: &mut Budget,
    stop: &Stop,
) -> Result<Option<Archive>> {
    let of_name = Format::of_name(path);
    let fail = |why: &str| Error::InvalidOption {
        message: format!("archive {asked} cannot be read: {why}"),
        hint: Some(
            "Nothing was scanned. Unpack it in an empty folder, and scan that folder.".into(),
        ),
    };
    let mut file = match open_real(path) {
        Ok(Some((file, _))) => file,
        Err(error) if of_name.is_some() => return Err(Error::io("reading", path, &error)),
        Ok(None) | Err(_) => return Ok(None),
    };
    let io = |error: std::io::Error| Error::io("reading", path, &error);
    let mut bytes = Vec::new();
    let read = file.by_ref().take(START).read_to_end(&mut bytes);
    read.map_err(io)?;
    let Some(format) = Format::of_bytes(&bytes).or(of_name) else {
        return Ok(None);
    };
    let read = file.take(MAX_ARCHIVE_BYTES).read_to_end(&mut bytes);
    read.map_err(io)?;
    if bytes.len() as u64 > MAX_ARCHIVE_BYTES {
        return Err(fail("it is larger than 128 MiB"));
    }
    budget.allow(bytes.len());
    let mut entries = Entries::new(budget);
    if format.is_doubtful(&bytes, of_name) {
        entries.fault_of_all(
            FlawKind::Unread,
            "the archive was scanned in one format only, and some programs may read it in another one",
        );
    }
    let done = match format {
        Format::Zip => unzip::read(&bytes, &mut entries, stop),
        Format::Tar => untar::read(&mut &bytes[..], &mut entries, stop),
        Format::TarGzip => untar::read_gzip(&bytes, &mut entries, stop),
    };
    stop.check()?;
    done.map_err(fail)?;
    drop(bytes);
    let archive = entries.finish(stop);
    stop.check()?;
    Ok(Some(archive))
}

impl Archive {
    /// Finds the skills: each folder with a `SKILL.md`. Inside a skill, a folder is a separate skill only if its
    /// `SKILL.md` has a name or a description. The files of such a nested skill are charged again, because they are
    /// scanned again.
    pub(crate) fn skills(&self, budget: &mut Budget) -> Found {
        let mut mains: BTreeMap<RelPath, &RelPath> = BTreeMap::new();
        let names = self.names.iter().map(|(path, ())| path);
        for path in names.filter(|path| path.file_name().eq_ignore_ascii_case(SKILL_FILE)) {
            let main = mains.entry(path.parent()).or_insert(path);
            // If there are several spellings of `SKILL.md`, use the exact spelling, otherwise the first spelling.
            if path.file_name() == SKILL_FILE {
                *main = path;
            }
        }
        let mut all: Vec<(RelPath, &RelPath)> = mains.into_iter().collect();
        all.sort_by(|(one, _), (other, _)| one.cmp_as_walked(other));
        let mut found = Found {
            dirs: Vec::new(),
            too_deep: Vec::new(),
            outside: None,
        };
        let mut is_inside = vec![false; self.names.len()];
        let mut around: Vec<RelPath> = Vec::new();
        for (dir, main) in all {
            around.retain(|outer| dir.rest_below(outer).is_some());
            if around.is_empty() {
                is_inside[range_below(&self.names, &dir)].fill(true);
            } else if !self.is_of_skill(main) {
                continue;
            }
            let is_again = !around.is_empty();
            if around.len() > MAX_AROUND || is_again && !budget.charge_kept(self.bytes_below(&dir))
            {
                found.too_deep.push(dir);
                continue;
            }
            around.push(dir.clone());
            found.dirs.push(dir);
        }
        let outside = self.names.iter().zip(&is_inside);
        let mut outside = outside.filter(|(_, is_inside)| !**is_inside);
        found.outside = outside
            .next()
            .map(|((first, ()), _)| (first.clone(), 1 + outside.count()));
        found
    }

    /// Returns the total size of the files in a directory.
    fn bytes_below(&self, dir: &RelPath) -> usize {
        let files = below(&self.files, dir).map(|(_, bytes)| bytes);
        let linked = below(&self.links, dir).filter_map(|(_, link)| link.content.as_ref());
        files.chain(linked).map(|bytes| bytes.len()).sum()
    }

    /// Returns whether a `SKILL.md` makes its folder a skill within another skill. A `SKILL.md` that was not read
    /// also counts, so that the skill's report contains the reason.
    fn is_of_skill(&self, main: &RelPath) -> bool {
        let Ok(at) = self.files.binary_search_by(|(path, _)| path.cmp(main)) else {
            return true;
        };
        let bytes = &self.files[at].1;
        let most = usize::try_from(MAX_HEAD_BYTES).unwrap_or(usize::MAX);
        let head = String::from_utf8_lossy(&bytes[..bytes.len().min(most)]);
        is_of_skill(&Frontmatter::split(&head).0)
    }

    /// Returns the message of the first flaw of the archive as a whole.
    pub(crate) fn flaw(&self) -> Option<&str> {
        self.whole.first().map(|flaw| &*flaw.message)
    }

    /// Returns the flaws of the archive as a whole for one of its skills. Only the first skill lists them, because the
    /// output would otherwise be far larger than the archive. Each other skill has one flaw, of the worst kind.
    fn whole_flaws(&self, is_first: bool) -> Vec<Flaw> {
        if is_first {
            return self.whole.clone();
        }
        let worst = self.whole.iter().map(|flaw| flaw.kind).max();
        let message = "the archive as a whole has flaws, which are listed for its first skill";
        let flaw = worst.map(|kind| Flaw {
            kind,
            message: message.to_owned(),
        });
        flaw.into_iter().collect()
    }
}

impl PackedSkill {
    /// Creates the skill. The result shares the contents of the archive.
    pub(crate) fn skill(&self, at: SkillRef) -> Skill {
        let (archive, dir) = (&*self.archive, &self.dir);
        let mut packed = Packed {
            flaws: archive.whole_flaws(self.is_first),
            ..Packed::default()
        };
        let files = below(&archive.files, dir);
        packed.contents = files
            .map(|(path, bytes)| (path, Arc::clone(bytes)))
            .collect();
        for (path, link) in below(&archive.links, dir) {
            let end = link.end.as_ref();
            if end.is_some_and(|end| end == dir || end.rest_below(dir).is_some()) {
                let end = end.and_then(|end| end.relative_to(dir));
                packed.linked.push((path.clone(), end.unwrap_or_default()));
                if let Some(bytes) = &link.content {
                    let known = packed.contents.entry(path.clone());
                    known.or_insert_with(|| Arc::clone(bytes));
                }
            } else {
                packed.escaping.push(path.clone());
            }
            packed.links.insert(path, link.target.clone());
        }
        let flaws = below(&archive.flaws, dir);
        packed.flaws.extend(flaws.map(|(_, flaw)| flaw.clone()));
        Skill::from_archive(at, packed)
    }
}

/// Returns the reason why a skill in an archive has no readable `SKILL.md`.
pub(crate) fn why_unread(skill: &Skill) -> String {
    let flaws = skill.tree.flaws.iter();
    let unread = flaws.filter(|flaw| flaw.kind == FlawKind::Unread);
    let named = |flaw: &&Flaw| flaw.message.to_ascii_uppercase().contains("SKILL.MD'");
    let why = unread.clone().find(named).or_else(|| unread.clone().next());
    why.map_or_else(
        || format!("its {SKILL_FILE} cannot be read"),
        |flaw| flaw.message.clone(),
    )
}

/// Returns the items below a directory, with their paths relative to it. `items`: sorted bytewise by path.
fn below<'a, T>(
    items: &'a [(RelPath, T)],
    dir: &'a RelPath,
) -> impl Iterator<Item = (RelPath, &'a T)> {
    let items = items[range_below(items, dir)].iter();
    items.filter_map(|(path, item)| Some((path.relative_to(dir)?, item)))
}

/// Returns the indices of the items at the paths below a directory. `items`: sorted bytewise by path.
fn range_below<T>(items: &[(RelPath, T)], dir: &RelPath) -> Range<usize> {
    if dir.as_str().is_empty() {
        return 0..items.len();
    }
    // `0` is the character after `/`.
    let at = |end: char| {
        let text = format!("{dir}{end}");
        items.partition_point(|(path, _)| path.as_str() < text.as_str())
    };
    at('/')..at('0')
}

#[cfg(test)]
mod tests;
