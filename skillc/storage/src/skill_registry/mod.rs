//! The skill registry: caches the skills of some directories in a database, so that they can be listed without reading
//! their files.
//!
//! Each list of directories has its own file. A sync replaces the content of the file in one transaction: concurrent
//! readers see either the old or the new content. Unchanged rows are not written, and reading never writes. Other
//! modules find skills, read their files, and choose among skills of the same name.
//!
//! * [`SkillRegistry::sync`] writes a [`Snapshot`]; the other methods read [`SkillRow`]s, [`Sources`] and [`HeadRow`]s.
//! * A file that is foreign, corrupt, or of a newer version is left unchanged, and reported as a [`RegistryFault`].
//! * [`remove_unused`] removes files that no sync has used for a long time.
//!
//! Design: requirements-registry, catalog-files, D7, D12.

mod fault;
mod file;
mod read;
mod rows;
mod sync;
#[cfg(test)]
mod tests;
mod unused;

use std::path::{Path, PathBuf};

use rusqlite::Connection;
use skillc_core::Stop;

pub use fault::{RegistryFault, RegistryTrouble};
pub use rows::{HeadRow, SkillFilter, SkillRow, Snapshot, SourceRow, Sources, Synced};
pub use unused::remove_unused;

use fault::At;
use file::{OpenFile, WAIT};

/// The name used in messages for a registry without a file.
const IN_MEMORY: &str = ":memory:";

/// An open skill registry.
pub struct SkillRegistry {
    /// The path of the file; `None` for a registry in memory.
    db: Option<PathBuf>,
    /// `None` if the file was lost and could not be reopened.
    open: Option<OpenFile>,
}

impl SkillRegistry {
    /// Opens a registry file, and migrates it to the current schema. Creates the folder, the file and the tables if
    /// they do not exist. Writes no rows.
    ///
    /// # Errors
    /// Returns an error if the file cannot be used (E066). In this case, the file is unchanged.
    ///
    /// Design: REG-DB.8, REG-DB.9.
    pub fn open(db: &Path) -> Result<Self, RegistryFault> {
        let open = file::open(db, None, WAIT).at(db)?;
        Ok(Self {
            db: Some(db.to_path_buf()),
            open: Some(open),
        })
    }

    /// Opens a registry for reading, without changing or creating any file. Returns `None` if the file does not exist
    /// or is empty. A [`sync`](Self::sync) reopens the file for writing.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read (E066).
    ///
    /// Design: REG-READ.9.
    pub fn open_to_read(db: &Path) -> Result<Option<Self>, RegistryFault> {
        let open = file::open_to_read(db).at(db)?;
        Ok(open.map(|open| Self {
            db: Some(db.to_path_buf()),
            open: Some(open),
        }))
    }

    /// Creates a registry in memory, for callers that cannot create a file.
    ///
    /// # Errors
    /// Returns errors from the database library, which are not expected.
    pub fn in_memory() -> Result<Self, RegistryFault> {
        let open = file::in_memory().at(Path::new(IN_MEMORY))?;
        Ok(Self {
            db: None,
            open: Some(open),
        })
    }

    /// Returns the path of the file; `None` for a registry in memory.
    pub fn path(&self) -> Option<&Path> {
        self.db.as_deref()
    }

    fn ask<T>(
        &self,
        question: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, RegistryFault> {
        let open = self.open.as_ref().ok_or(RegistryTrouble::Gone);
        let open = open.at(self.place())?;
        open.connection.restart(&Stop::default());
        question(&open.connection).at(self.place())
    }

    /// Returns the path used in messages.
    fn place(&self) -> &Path {
        self.db.as_deref().unwrap_or(Path::new(IN_MEMORY))
    }
}
