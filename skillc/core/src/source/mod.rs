//! The files of a skill, found by a single walk that all other code relies on.
//!
//! Entries whose names begin with `.` are not part of a skill. A symlink to a file inside the root is treated as a file
//! at the symlink's own path. A symlink to a directory is not followed, and a symlink that leads out of the root is
//! never read.
//!
//! Design: D-WALK, D-SYMLINK, R20.

pub mod comments;
mod contents;
mod density;
mod dir;
pub mod document;
pub mod frontmatter;
mod html;
pub mod lines;
mod loose_headings;
mod markdown;
mod memory;
mod nesting;
mod size;
mod source_file;
mod walk;

pub use contents::{Contents, Flaw, FlawKind, Packed, copy_of, is_unusual};
pub use dir::{Opened, has_links, open_below, open_real, open_within};
#[cfg(not(target_family = "wasm"))]
pub use dir::{hold, open_in, read_in};
pub use size::{MAX_FILE_BYTES, MAX_SKILL_BYTES, SizeCheck};
pub use source_file::{
    MAX_PARSED_BYTES, SourceFile, Stamp, hash_file, open, open_dir, read_below, read_start,
};
pub(crate) use walk::unusual_target;
pub use walk::{LeftOut, Located, SourceTree, WalkedFile, link_end, locate};
