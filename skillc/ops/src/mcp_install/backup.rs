//! Backs up a client's file before it is replaced. The backups are next to the file; only a few are kept.
//!
//! The first backup is named `mcp.json.skc-bak`, later ones `mcp.json.skc-bak-1` and so on. A number is not reused
//! while its file exists, so the oldest backup has the lowest number. Other kinds of directory entries with such a name
//! are left unchanged.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use skillc_core::fs::Unfinished;
use skillc_core::{Error, Result};

use crate::mcp_install::file::ClientFile;
use crate::staged::Durability;

/// The suffix of a backup's name.
const MARK: &str = ".skc-bak";

/// The limit on backups per file.
const MAX_KEPT: usize = 5;

#[derive(Debug)]
pub(crate) struct Backup {
    pub path: PathBuf,
    /// Whether this call created the backup.
    is_new: bool,
}

impl Backup {
    /// Backs up a file's text, unless a backup of the same text exists.
    ///
    /// # Errors
    /// E999 if it cannot be written.
    pub(crate) fn create(file: &ClientFile, text: &str, durability: Durability) -> Result<Self> {
        let there = numbered(file.real());
        for (_, path) in &there {
            if holds(path, text).is_some_and(|kept| file.make_alike(&kept).is_ok()) {
                let path = path.clone();
                let is_new = false;
                return Ok(Self { path, is_new });
            }
        }
        let next = there.last().map_or(0, |(number, _)| u64::from(*number) + 1);
        persisted(file.real(), file.staged(text, durability)?, next)
    }

    /// Deletes a backup that this call created, because the file was not replaced.
    pub(crate) fn discard(self) {
        if self.is_new {
            fs::remove_file(self.path).unwrap_or_default();
        }
    }

    /// Deletes the oldest backups beyond the limit.
    pub(crate) fn clear_old(&self, real: &Path) {
        let mut there = numbered(real);
        there.retain(|(_, path)| path.symlink_metadata().is_ok_and(|found| found.is_file()));
        let surplus = there.len().saturating_sub(MAX_KEPT);
        let old = there.iter().filter(|(_, path)| *path != self.path);
        for (_, path) in old.take(surplus) {
            // Failing to delete an old backup does no harm.
            fs::remove_file(path).unwrap_or_default();
        }
    }
}

/// Moves a finished file to the first free backup name, counting up from a number.
fn persisted(real: &Path, mut staged: Unfinished, mut number: u64) -> Result<Backup> {
    loop {
        let path = backup_path(real, number);
        match staged.put_new(path.file_name().unwrap_or_default()) {
            Ok(()) => return Ok(Backup { path, is_new: true }),
            Err((taken, file)) if taken.kind() == ErrorKind::AlreadyExists => staged = file,
            Err((other, _)) => return Err(Error::io("writing", &path, &other)),
        }
        number += 1;
    }
}

fn backup_path(real: &Path, number: u64) -> PathBuf {
    let mut name = real.file_name().unwrap_or_default().to_owned();
    name.push(MARK);
    if number > 0 {
        name.push(format!("-{number}"));
    }
    real.with_file_name(name)
}

/// Returns the backups of a file with their numbers, lowest first.
fn numbered(real: &Path) -> Vec<(u32, PathBuf)> {
    let first = backup_path(real, 0);
    let Some((dir, first)) = first.parent().zip(first.file_name()) else {
        return Vec::new();
    };
    let entries = dir.read_dir().into_iter().flatten().flatten();
    let mut found: Vec<(u32, PathBuf)> = entries
        .filter_map(|entry| {
            let name = entry.file_name();
            let rest = name
                .as_encoded_bytes()
                .strip_prefix(first.as_encoded_bytes())?;
            Some((number(rest)?, entry.path()))
        })
        .collect();
    found.sort();
    found
}

/// Parses the part of a backup's name after the suffix: nothing, or `-1` and so on.
fn number(rest: &[u8]) -> Option<u32> {
    let rest = std::str::from_utf8(rest).ok()?;
    match rest.strip_prefix('-') {
        None => rest.is_empty().then_some(0),
        Some(digits) => digits
            .parse()
            .ok()
            .filter(|number: &u32| *number > 0 && number.to_string() == digits),
    }
}

/// Opens a file if its content is exactly `text`.
fn holds(path: &Path, text: &str) -> Option<File> {
    let found = path.symlink_metadata().ok()?;
    if !found.is_file() || usize::try_from(found.len()) != Ok(text.len()) {
        return None;
    }
    // Windows sets permissions only on handles open for writing.
    let opened = File::options().read(true).write(true).open(path);
    let mut file = opened.ok()?;
    let mut bytes = Vec::with_capacity(text.len());
    file.read_to_end(&mut bytes).ok()?;
    (bytes == text.as_bytes()).then_some(file)
}
