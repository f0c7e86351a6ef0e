//! The files of a skill besides its `SKILL.md`, as listed for an agent.
//!
//! Files are visited in the order of their paths, so that a list cut off at `max_files` or `max_listing_bytes` is a
//! prefix of the full list. Symlinks are not followed. A symlink to a file of the skill is listed as a file, unless the
//! file is in a hidden nested skill; all other symlinks are skipped.
//!
//! Design: catalog-texts, catalog-paths, CAT-LOAD.8, CAT-LOAD.15, CAT-LOAD.17, D8, R20.

use std::collections::BTreeSet;
use std::fs::FileType;
use std::path::{MAIN_SEPARATOR, Path};
use std::rc::Rc;

use skillc_core::layout::SKILL_FILE;

use crate::entry::CatalogEntry;
use crate::settings::LoadLimits;
use crate::skill_context::file_element;

/// The number of files at which counting stops.
const MAX_COUNT: usize = 10_000;

/// The maximum number of directory entries that are read, including directories and symlinks. Design: R20.
const MAX_ENTRIES: usize = 100_000;

/// The name of a directory that is never entered. Hidden directories are not entered either.
const NOT_ENTERED: &str = "node_modules";

/// The files of a skill besides its `SKILL.md`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listing {
    /// Absolute paths, sorted bytewise.
    pub files: Vec<String>,
    /// The number of files, counted up to 10,000.
    pub total: usize,
    /// Whether the list is incomplete.
    pub truncated: bool,
    /// The number of names that were skipped because they are not UTF-8.
    pub odd_names: usize,
    /// The first skipped name in sort order, decoded lossily.
    pub odd_example: String,
}

/// Lists the files of a skill besides its `SKILL.md`.
///
/// `hidden`: the absolute and canonical directories of nested skills that are hidden from the agent; they are skipped.
pub fn listing(entry: &CatalogEntry, hidden: &BTreeSet<&str>, limits: &LoadLimits) -> Listing {
    let mut walk = Walk {
        entry,
        hidden,
        limits,
        bytes: 0,
        looked_at: 0,
        listing: Listing::default(),
    };
    walk.run();
    walk.listing
}

struct Walk<'a> {
    entry: &'a CatalogEntry,
    hidden: &'a BTreeSet<&'a str>,
    limits: &'a LoadLimits,
    /// The size of the XML elements of the files listed so far, in bytes.
    bytes: usize,
    looked_at: usize,
    listing: Listing,
}

/// A directory entry. A directory's name includes a final separator, so that entries sort like the paths of the files
/// in them.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Item {
    /// The name, which ends with a separator if the entry is a directory.
    name: String,
    /// The parent directory, ending with a separator.
    dir: Rc<str>,
}

impl Item {
    fn path(&self) -> String {
        format!("{}{}", self.dir, self.name)
    }

    fn is_dir(&self) -> bool {
        self.name.ends_with(MAIN_SEPARATOR)
    }
}

impl Walk<'_> {
    fn run(&mut self) {
        let mut top = self.entry.dir.clone();
        if !top.ends_with(MAIN_SEPARATOR) {
            top.push(MAIN_SEPARATOR);
        }
        // A stack: the entry to process next is last.
        let mut waiting = self.items(top);
        while let Some(item) = waiting.pop() {
            if item.is_dir() {
                waiting.append(&mut self.items(item.path()));
            } else if !self.take(item.path()) {
                return;
            }
        }
    }

    /// Adds a file to the list; if the list is full, only counts the file. Returns whether to continue.
    fn take(&mut self, path: String) -> bool {
        let listing = &mut self.listing;
        if listing.total == MAX_COUNT {
            listing.truncated = true;
            return false;
        }
        listing.total += 1;
        let bytes = file_element(&path).len();
        let has_room = listing.files.len() < self.limits.max_files
            && self.bytes + bytes <= self.limits.max_listing_bytes;
        if has_room && !listing.truncated {
            self.bytes += bytes;
            listing.files.push(path);
        } else {
            listing.truncated = true;
        }
        true
    }

    /// Returns the entries of a directory in reverse order. `dir` ends with a separator.
    fn items(&mut self, dir: String) -> Vec<Item> {
        let dir: Rc<str> = dir.into();
        let Ok(entries) = Path::new(&*dir).read_dir() else {
            return Vec::new();
        };
        let mut items = Vec::new();
        for entry in entries.flatten() {
            self.looked_at += 1;
            if self.looked_at > MAX_ENTRIES {
                self.listing.truncated = true;
                break;
            }
            let name = entry.file_name();
            if name.as_encoded_bytes().starts_with(b".") || name == NOT_ENTERED {
                continue;
            }
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            match name.into_string() {
                Ok(name) => items.extend(self.item(&dir, name, kind)),
                Err(name) => self.pass_over(&name.to_string_lossy()),
            }
        }
        items.sort_unstable_by(|a, b| b.cmp(a));
        items
    }

    fn item(&self, dir: &Rc<str>, name: String, kind: FileType) -> Option<Item> {
        let mut item = Item {
            name,
            dir: Rc::clone(dir),
        };
        let path = item.path();
        if kind.is_dir() {
            item.name.push(MAIN_SEPARATOR);
            return (!self.hidden.contains(path.as_str())).then_some(item);
        }
        let is_file = if kind.is_symlink() {
            self.leads_to_file(&path)
        } else {
            kind.is_file()
        };
        (is_file && !self.is_skill_file(&path)).then_some(item)
    }

    /// Returns whether a file is the `SKILL.md`, or the target of a `SKILL.md` that is a symlink.
    fn is_skill_file(&self, path: &str) -> bool {
        let below = path.strip_prefix(self.entry.dir.as_str());
        let below = below.map(|below| below.trim_start_matches(MAIN_SEPARATOR));
        path == self.entry.path || below == Some(SKILL_FILE)
    }

    /// Returns whether a symlink leads to a file inside the skill that is not in a hidden directory.
    fn leads_to_file(&self, link: &str) -> bool {
        let Ok(target) = Path::new(link).canonicalize() else {
            return false;
        };
        let mut above = target.ancestors().filter_map(Path::to_str);
        let is_hidden = above.any(|dir| self.hidden.contains(dir));
        target.starts_with(&self.entry.dir) && !is_hidden && target.is_file()
    }

    fn pass_over(&mut self, name: &str) {
        let listing = &mut self.listing;
        listing.odd_names += 1;
        if listing.odd_names == 1 || name < listing.odd_example.as_str() {
            name.clone_into(&mut listing.odd_example);
        }
    }
}
