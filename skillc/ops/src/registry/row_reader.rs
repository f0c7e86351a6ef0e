//! Converts a found skill to a row: reads the whole file, unless the registry already contains the file's current
//! content.
//!
//! Design: REG-DB.5, REG-DB.10, REG-LOAD.5, catalog-files.

use std::collections::HashMap;
use std::path::Path;

use rayon::prelude::*;
use skillc_catalog::{
    CatalogEntry, Chain, FullSkillFile, Invocation, KnownHead, KnownHeads, Scope,
};
use skillc_core::layout::canonical;
use skillc_core::source::Stamp;
use skillc_core::{Context, Frontmatter};
use skillc_storage::skill_registry::{HeadRow, RegistryFault};
use skillc_storage::{SkillFilter, SkillRegistry, SkillRow, SourceRow};

use super::columns::Columns;
use crate::cache::Settled;

/// The number of files read in parallel.
const CHUNK: usize = 256;

/// The limit on the total size of all files: they are in memory at the same time.
const MAX_BYTES: u64 = 512 << 20;

/// The version of the program, which reuses only rows that the same version wrote.
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The previous content of a registry.
#[derive(Default)]
pub(super) struct Before {
    /// The frontmatter data of its files.
    pub(super) heads: KnownHeads,
    /// The rows by file path; of several skills with the same name, only the winner has a row.
    rows: HashMap<String, (SkillRow, String)>,
}

impl Before {
    /// Reads the registry; the result is empty if another version of the program wrote it.
    ///
    /// # Errors
    /// The reason why the registry cannot be read.
    pub(super) fn read(registry: &SkillRegistry) -> Result<Self, RegistryFault> {
        if registry.skc_version()?.as_deref() != Some(VERSION) {
            return Ok(Self::default());
        }
        let heads = registry.heads()?.into_iter().map(known).collect();
        let skills = registry.list(SkillFilter::default())?;
        let mut skills: HashMap<String, SkillRow> = skills
            .into_iter()
            .map(|row| (row.name.clone(), row))
            .collect();
        let mut rows = HashMap::new();
        let sources = registry.sources()?.rows.into_iter();
        for source in sources.filter(|source| source.is_winner) {
            if let Some(row) = skills.remove(&source.name) {
                rows.insert(source.path, (row, source.sha256));
            }
        }
        Ok(Self {
            heads: KnownHeads::new(heads),
            rows,
        })
    }

    /// Returns the cached data of an unchanged file.
    fn known_file(&self, entry: &CatalogEntry) -> Option<(&KnownHead, &SkillRow, &str)> {
        let head = self.heads.get(&entry.path)?;
        let (row, sha256) = self.rows.get(&entry.path)?;
        let found = Path::new(&entry.path).symlink_metadata().ok()?;
        let is_same = head.is_of(&found) && head.name == entry.name && row.name == entry.name;
        is_same.then_some((head, row, sha256))
    }
}

/// Converts a row to the data that a scan needs.
pub(super) fn known(row: HeadRow) -> KnownHead {
    KnownHead {
        path: row.path,
        bytes: row.bytes,
        changed_ns: row.changed_ns,
        inode: row.inode,
        name: row.name,
        description: row.description,
    }
}

/// The result of reading a skill's file.
pub(super) struct Rows {
    pub(super) skill: SkillRow,
    pub(super) source: SourceRow,
    /// The data that a later scan may reuse without reading the file; `None` if the skill restricts who may load it,
    /// because the row does not record the restriction.
    pub(super) head: Option<HeadRow>,
    /// The size of the file.
    pub(super) bytes: u64,
}

/// The context for reading files.
pub(super) struct RowReader<'a> {
    chain: &'a Chain,
    home: std::path::PathBuf,
    before: &'a Before,
    settled: Settled,
}

impl<'a> RowReader<'a> {
    /// Creates a reader. `settled`: determined before the search for skills began.
    pub(super) fn new(
        context: &Context,
        chain: &'a Chain,
        before: &'a Before,
        settled: Settled,
    ) -> Self {
        Self {
            chain,
            home: canonical(&context.home),
            before,
            settled,
        }
    }

    /// Reads the files of skills, in order. Returns for each skill its rows, or the reason why it has no rows.
    pub(super) fn read_all(&self, entries: &[CatalogEntry]) -> Vec<Result<Rows, String>> {
        let mut all = Vec::with_capacity(entries.len());
        let mut bytes = 0;
        for chunk in entries.chunks(CHUNK) {
            if bytes > MAX_BYTES {
                let rest = chunk.iter();
                all.extend(rest.map(|_| Err("skills exceed 512 MiB in total".to_owned())));
                continue;
            }
            let read: Vec<_> = chunk.par_iter().map(|entry| self.read(entry)).collect();
            let sizes = read.iter().flatten().map(|rows| rows.bytes);
            bytes += sizes.sum::<u64>();
            all.extend(read);
        }
        all
    }

    fn read(&self, entry: &CatalogEntry) -> Result<Rows, String> {
        if let Some((head, row, sha256)) = self.before.known_file(entry) {
            let skill = SkillRow {
                source_path: self.source_path(entry),
                ..row.clone()
            };
            let stamp = Stamp {
                size: head.bytes,
                mtime_ns: 0,
                ctime_ns: head.changed_ns,
                inode: head.inode,
            };
            let head = head_row(entry, skill.description.clone(), stamp, entry.mtime_ms);
            let source = source_row(entry, sha256.to_owned(), entry.mtime_ms);
            return Ok(Rows {
                bytes: head.bytes,
                skill,
                source,
                head: Some(head),
            });
        }
        let file = FullSkillFile::read(entry).map_err(std::borrow::Cow::into_owned)?;
        let columns = Columns::parse(&file.head.fields, &file.text)?;
        let body = Frontmatter::split(&file.text).1;
        let mtime_ms = file.head.mtime_ms;
        let is_anyone = Invocation::from_fields(&file.head.fields).is_anyone();
        let mut stamp = file.stamp;
        if !self.settled.holds(stamp) {
            stamp.ctime_ns = 0;
        }
        let head = head_row(entry, file.head.description.clone(), stamp, mtime_ms);
        let source = source_row(entry, file.sha256.to_string(), mtime_ms);
        let skill = SkillRow {
            name: file.head.name,
            description: file.head.description,
            version: columns.version,
            entrypoint: columns.entrypoint,
            capabilities: columns.capabilities,
            greek_letter: columns.greek_letter,
            body: file.text.get(body..).unwrap_or_default().to_owned(),
            source_path: self.source_path(entry),
            frontmatter_json: columns.frontmatter_json,
            loaded_at: String::new(),
        };
        Ok(Rows {
            bytes: head.bytes,
            skill,
            source,
            head: is_anyone.then_some(head),
        })
    }

    /// Returns the file's path as rows store it: relative to the catalog root (for a project's skill) or to the home
    /// directory; otherwise absolute.
    fn source_path(&self, entry: &CatalogEntry) -> String {
        let path = Path::new(&entry.path);
        let in_root = || below(path, &self.chain.root);
        let in_home = || below(path, &self.home).map(|rest| format!("~/{rest}"));
        let found = match entry.scope {
            Scope::Repo => in_root().or_else(in_home),
            Scope::User => in_home(),
        };
        found.unwrap_or_else(|| with_slashes(path))
    }
}

fn below(path: &Path, dir: &Path) -> Option<String> {
    path.strip_prefix(dir).ok().map(with_slashes)
}

fn with_slashes(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) {
        text.replace('\\', "/")
    } else {
        text.into_owned()
    }
}

fn source_row(entry: &CatalogEntry, sha256: String, mtime_ms: u64) -> SourceRow {
    SourceRow {
        path: entry.path.clone(),
        id: entry.id.clone(),
        name: entry.name.clone(),
        dir: entry.dir.clone(),
        scope: entry.scope.as_str().to_owned(),
        origin: entry.origin.as_str().to_owned(),
        mtime_ms,
        sha256,
        is_winner: false,
    }
}

fn head_row(entry: &CatalogEntry, description: String, stamp: Stamp, mtime_ms: u64) -> HeadRow {
    HeadRow {
        path: entry.path.clone(),
        mtime_ms,
        bytes: stamp.size,
        changed_ns: stamp.ctime_ns,
        inode: stamp.inode,
        name: entry.name.clone(),
        description,
    }
}
