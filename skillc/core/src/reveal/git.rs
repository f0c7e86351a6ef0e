//! Tells the files that Git writes to `.git` from other files there.
//!
//! The place and the name of a file prove nothing, because anyone can pack a folder `.git` with other content. A file is
//! only skipped if it also begins like a file of Git, in a form that no agent reads or runs.

use std::path::Path;

use walkdir::DirEntry;

use crate::source::read_start;

/// Files that Git often rewrites.
const STATE: [&str; 16] = [
    "HEAD",
    "FETCH_HEAD",
    "ORIG_HEAD",
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "MERGE_MODE",
    "MERGE_MSG",
    "SQUASH_MSG",
    "AUTO_MERGE",
    "COMMIT_EDITMSG",
    "gc.log",
    "gc.pid",
    "packed-refs",
    "shallow",
    "index",
];

/// The first bytes of packs and their indexes.
const PACKED: [&[u8]; 6] = [
    b"PACK\0", b"\xfftOc", b"RIDX\0", b"BITM\0", b"MTME\0", b"MIDX",
];

/// The first two bytes of compressed data at each level of compression.
const COMPRESSED: [[u8; 2]; 4] = [[0x78, 0x01], [0x78, 0x5e], [0x78, 0x9c], [0x78, 0xda]];

/// How many bytes of an object are examined.
const START: u64 = 4096;

/// The minimum length of a run of ASCII characters that compressed data does not contain, in bytes.
const MIN_RUN: usize = 20;

/// Returns whether a file in the `.git` of a skill's root is in a form that no agent reads or runs: objects, packs, the
/// index, references, and the sample hooks.
pub(super) fn is_data(root: &Path, entry: &DirEntry) -> bool {
    let Some(parts) = parts_below(root, entry) else {
        return false;
    };
    match &parts[..] {
        [.., name] if *name == "index" || name.starts_with("sharedindex.") => {
            begins(entry, &[b"DIRC\0"])
        }
        [.., "objects", "pack", _] => begins(entry, &PACKED),
        [.., "objects", "info", _] | [.., "objects", "info", "commit-graphs", _] => {
            begins(entry, &[b"CGPH"])
        }
        [.., "objects", dir, name] => is_hex(dir, 2) && name.len() >= 38 && is_object(entry),
        [.., "hooks", name] => name.ends_with(".sample"),
        _ => parts.contains(&"refs") && is_reference(entry),
    }
}

/// Returns whether a file is [data](is_data) of Git, or one that Git often rewrites, such as `HEAD` and the logs.
pub(super) fn is_volatile(root: &Path, entry: &DirEntry) -> bool {
    let Some(parts) = parts_below(root, entry) else {
        return false;
    };
    let is_state = parts.last().is_some_and(|name| STATE.contains(name));
    is_state || parts.contains(&"logs") || is_data(root, entry)
}

/// Returns the components of a file's path below `.git`; `None` if the entry is not a file in the root's `.git`, or a
/// name is not UTF-8.
fn parts_below<'a>(root: &Path, entry: &'a DirEntry) -> Option<Vec<&'a str>> {
    if !entry.file_type().is_file() {
        return None;
    }
    let below = entry.path().strip_prefix(root).ok()?;
    let below = below.strip_prefix(".git").ok()?;
    below
        .components()
        .map(|part| part.as_os_str().to_str())
        .collect()
}

/// Returns whether a file begins with one of some bytes.
fn begins(entry: &DirEntry, starts: &[&[u8]]) -> bool {
    read_start(entry.path(), START)
        .is_ok_and(|bytes| starts.iter().any(|start| bytes.starts_with(start)))
}

/// Returns whether a name consists of a number of hex digits.
fn is_hex(name: &str, length: usize) -> bool {
    name.len() == length && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns whether a file is a compressed object. A file that begins like one may go on as a script.
fn is_object(entry: &DirEntry) -> bool {
    read_start(entry.path(), START).is_ok_and(|bytes| {
        let is_other = |byte: &u8| !matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t');
        let mut runs = bytes.split(is_other);
        COMPRESSED.iter().any(|start| bytes.starts_with(start))
            && runs.all(|run| run.len() < MIN_RUN)
    })
}

/// Returns whether a file contains only the id of an object.
fn is_reference(entry: &DirEntry) -> bool {
    read_start(entry.path(), START).is_ok_and(|bytes| {
        let id = bytes.trim_ascii_end();
        let is_id = matches!(id.len(), 40 | 64);
        is_id && id.iter().all(u8::is_ascii_hexdigit)
    })
}
