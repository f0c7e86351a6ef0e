//! The reason why a skill registry cannot be used.

use std::fmt::{self, Display};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use skillc_core::Error;
use skillc_core::source::read_start;

use crate::local_lock::TooLong;

/// The header of every `SQLite` database.
const HEADER: &[u8; 16] = b"SQLite format 3\0";

/// The reason why a skill registry cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegistryTrouble {
    /// A newer version of the program created the file.
    Newer,
    /// The file is not a database, or it is corrupt.
    Damaged,
    /// The file is the database of another program, or not a regular file.
    Foreign,
    /// The file contains triggers. They would not run if this program wrote to the file, so the program refuses to
    /// write.
    Triggers,
    /// Another program keeps the file locked.
    Busy,
    /// The operating system denies access.
    Denied,
    /// The file was removed while it was open, and cannot be recreated.
    Gone,
    /// Another error, with the message of the library or the system.
    Failed(String),
}

impl RegistryTrouble {
    /// Returns a hint for the user, if there is one.
    fn hint(&self, path: &Path) -> Option<String> {
        // Suggest deleting the file only if it is a skill registry, because a foreign file may be valuable.
        let is_ours = match self {
            Self::Newer | Self::Triggers => true,
            Self::Damaged => begins_as_database(path),
            Self::Foreign => false,
            Self::Busy | Self::Denied | Self::Gone | Self::Failed(_) => return None,
        };
        let path = path.display();
        Some(if is_ours {
            format!("It is a cache: delete {path} to have it recreated")
        } else {
            format!(
                "It may belong to another program. Choose another file with --db or 'path' in [registry] of the \
                configuration, or move {path} away"
            )
        })
    }
}

/// Returns whether a file begins with the database header.
fn begins_as_database(path: &Path) -> bool {
    let first = read_start(path, HEADER.len() as u64);
    first.is_ok_and(|first| first == *HEADER)
}

impl Display for RegistryTrouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Newer => "it was created by a newer version of skc",
            Self::Damaged => "it is damaged",
            Self::Foreign => "it is not a skill registry",
            Self::Triggers => "it has triggers not created by skc",
            Self::Busy => "it is locked by another program",
            Self::Denied => "permission denied",
            Self::Gone => "it was deleted",
            Self::Failed(message) => message,
        })
    }
}

impl From<rusqlite::Error> for RegistryTrouble {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::Error as Fault;
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Self::Damaged,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(
                ErrorCode::CannotOpen
                | ErrorCode::PermissionDenied
                | ErrorCode::ReadOnly
                | ErrorCode::AuthorizationForStatementDenied,
            ) => Self::Denied,
            _ => match error {
                // A table or a column is missing.
                Fault::SqlInputError { .. } => Self::Foreign,
                Fault::FromSqlConversionFailure(..)
                | Fault::IntegralValueOutOfRange(..)
                | Fault::InvalidColumnType(..)
                | Fault::Utf8Error(..) => Self::Damaged,
                other => Self::Failed(other.to_string()),
            },
        }
    }
}

impl From<io::Error> for RegistryTrouble {
    fn from(error: io::Error) -> Self {
        use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
        if matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem) {
            return Self::Denied;
        }
        let text = error.to_string();
        let words = text.split(" (os error").next().unwrap_or(&text);
        Self::Failed(words.to_lowercase())
    }
}

impl From<TooLong> for RegistryTrouble {
    fn from(TooLong: TooLong) -> Self {
        Self::Busy
    }
}

/// A skill registry that cannot be used, and the reason. As an [`Error`], it is E066.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistryFault {
    /// The file.
    pub path: PathBuf,
    /// The problem with the file.
    pub trouble: RegistryTrouble,
}

/// Formats the path of the file and the problem, for the messages of E066 and W063.
impl Display for RegistryFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}': {}", self.path.display(), self.trouble)
    }
}

impl std::error::Error for RegistryFault {}

impl From<RegistryFault> for Error {
    fn from(fault: RegistryFault) -> Self {
        Self::RegistryUnusable {
            path: fault.path.display().to_string(),
            message: fault.trouble.to_string(),
            hint: fault.trouble.hint(&fault.path).map(Into::into),
        }
    }
}

/// Attributes errors to a file.
pub(super) trait At<T> {
    /// Adds the file to an error.
    fn at(self, path: &Path) -> Result<T, RegistryFault>;
}

impl<T, E: Into<RegistryTrouble>> At<T> for Result<T, E> {
    fn at(self, path: &Path) -> Result<T, RegistryFault> {
        self.map_err(|error| RegistryFault {
            path: path.to_path_buf(),
            trouble: error.into(),
        })
    }
}
