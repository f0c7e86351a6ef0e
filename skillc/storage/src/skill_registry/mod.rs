//! The skill registry: the skills of some directories as rows of a database, to be listed without reading a file.
//!
//! It is a cache, one file for each list of directories. What it holds is replaced as a whole, in one transaction: who
//! reads meanwhile sees what was or what is. What has not changed is not written. Reading never writes. Finding skills,
//! reading their files and saying which of one name wins are others' business.
//!
//! * [`SkillRegistry::sync`] takes a [`Snapshot`]; [`SkillRow`]s, [`Sources`] and [`HeadRow`]s come out.
//! * A file that is not ours, damaged, or of a newer program is left as it is: [`RegistryFault`].
//! * [`remove_unused`] removes files that no sync has looked at for long.
//!
//! Source: CATALOG Part 2 (REG-DB, REG-LOAD, REG-READ), §3.8, D7, D12.

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

/// What a registry without a file is called in messages.
const IN_MEMORY: &str = ":memory:";

/// An open skill registry.
pub struct SkillRegistry {
    /// Where it is; `None` in memory.
    db: Option<PathBuf>,
    /// `None` if the file was lost and no other could be opened in its place.
    open: Option<OpenFile>,
}

impl SkillRegistry {
    /// Opens the registry in a file, brought to the current schema; makes folder, file and tables that are not there. No
    /// row is written.
    ///
    /// # Errors
    /// What keeps it from being used (E066). What is there is then as it was.
    ///
    /// # Source
    /// CATALOG REG-DB.8, REG-DB.9.
    pub fn open(db: &Path) -> Result<Self, RegistryFault> {
        let open = file::open(db, None, WAIT).at(db)?;
        Ok(Self {
            db: Some(db.to_path_buf()),
            open: Some(open),
        })
    }

    /// Opens a registry for reading; nothing is changed or made. Returns `None` if there is none, or nothing in it. A
    /// [`sync`](Self::sync) of it opens the file anew, for writing.
    ///
    /// # Errors
    /// Why it cannot be read (E066).
    ///
    /// # Source
    /// CATALOG REG-READ.9.
    pub fn open_to_read(db: &Path) -> Result<Option<Self>, RegistryFault> {
        let open = file::open_to_read(db).at(db)?;
        Ok(open.map(|open| Self {
            db: Some(db.to_path_buf()),
            open: Some(open),
        }))
    }

    /// Makes a registry that lasts as long as it is open, for who cannot have a file.
    ///
    /// # Errors
    /// Those of the database library, of which none is known.
    pub fn in_memory() -> Result<Self, RegistryFault> {
        let open = file::in_memory().at(Path::new(IN_MEMORY))?;
        Ok(Self {
            db: None,
            open: Some(open),
        })
    }

    /// Returns the file; `None` in memory.
    pub fn path(&self) -> Option<&Path> {
        self.db.as_deref()
    }

    /// Asks the database.
    fn ask<T>(
        &self,
        question: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, RegistryFault> {
        let open = self.open.as_ref().ok_or(RegistryTrouble::Gone);
        let open = open.at(self.place())?;
        open.connection.restart(&Stop::default());
        question(&open.connection).at(self.place())
    }

    /// Returns what messages call it.
    fn place(&self) -> &Path {
        self.db.as_deref().unwrap_or(Path::new(IN_MEMORY))
    }
}
