//! What a skill registry holds, as plain data.

/// The columns of the table `skills`, in the order of [`SkillRow`].
pub(super) const SKILL_COLUMNS: &str = "name, description, version, entrypoint, capabilities,
    greek_letter, body, source_path, frontmatter_json, loaded_at";

/// The columns of the table `skill_sources`, in the order of [`SourceRow`].
pub(super) const SOURCE_COLUMNS: &str =
    "path, id, name, dir, scope, origin, mtime_ms, sha256, winner";

/// The columns of the table `skill_heads`, in the order of [`HeadRow`].
pub(super) const HEAD_COLUMNS: &str = "path, mtime_ms, bytes, changed_ns, inode, name, description";

/// A skill: a row of the table `skills`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SkillRow {
    /// Its name; no two have the same.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Its version, as written.
    pub version: Option<String>,
    /// The file that it begins with.
    pub entrypoint: Option<String>,
    /// What it can do, in its own order.
    pub capabilities: Vec<String>,
    /// A letter that groups skills.
    pub greek_letter: Option<String>,
    /// The text after the frontmatter, unchanged.
    pub body: String,
    /// Its `SKILL.md`, relative to the catalog's root, or `~/…`, with forward slashes.
    pub source_path: String,
    /// The frontmatter as JSON, all keys, in file order.
    pub frontmatter_json: String,
    /// When the row got what it holds: `2026-01-31T08:15:00.123Z`. A sync sets it; what is given to it there makes no
    /// difference.
    pub loaded_at: String,
}

/// A valid `SKILL.md`: a row of the table `skill_sources`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceRow {
    /// The file, canonical; no two have the same.
    pub path: String,
    /// The first 16 hex digits of the hash of the path.
    pub id: String,
    /// The skill's name.
    pub name: String,
    /// The skill's directory, canonical.
    pub dir: String,
    /// Whose it is: `repo`, `user`.
    pub scope: String,
    /// The kind of directory it was found in.
    pub origin: String,
    /// When the file was changed, in milliseconds since 1970.
    pub mtime_ms: u64,
    /// The SHA-256 of the file, in hexadecimal digits.
    pub sha256: String,
    /// Whether it is the one of its name that has a [`SkillRow`].
    pub is_winner: bool,
}

/// What a search needs of a valid `SKILL.md`, and what tells whether it is still true of the file: a row of the table
/// `skill_heads`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HeadRow {
    /// The file, canonical; no two have the same.
    pub path: String,
    /// When the file was changed, in milliseconds since 1970.
    pub mtime_ms: u64,
    /// How long the file is.
    pub bytes: u64,
    /// When the file or its attributes were changed, in nanoseconds since 1970; 0 if that was so lately when it was read
    /// that a later change might not show.
    pub changed_ns: i64,
    /// The number that the file system has for the file.
    pub inode: u64,
    /// The skill's name.
    pub name: String,
    /// What the skill is for.
    pub description: String,
}

/// What is on the disk, to become what the registry holds.
#[derive(Debug, Clone, Copy)]
pub struct Snapshot<'a> {
    /// The skills, one for each name. Of several with one name, the last is kept.
    pub winners: &'a [SkillRow],
    /// The files of all valid skills, also of those that are not among the winners. Of two with one id, the first by path is
    /// kept.
    pub sources: &'a [SourceRow],
    /// The same files, as a search needs them.
    pub heads: &'a [HeadRow],
    /// How many `SKILL.md` are not valid, or cannot be read.
    pub skipped: usize,
    /// The directories that were looked in, or would have been if they were there, in order.
    pub roots: &'a [String],
    /// The program's version.
    pub skc_version: &'a str,
    /// When, in milliseconds since 1970-01-01T00:00:00Z.
    pub at_ms: i64,
}

/// What a sync did. All zero, as by default, is what it is where no root exists: then none is run, and no row goes.
///
/// # Source
/// CATALOG REG-LOAD.3, REG-LOAD.8, §3.8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Synced {
    /// Valid files.
    pub loaded: usize,
    /// Files that are not valid, or cannot be read.
    pub skipped: usize,
    /// Rows that went, since nothing of their name was loaded.
    pub pruned: usize,
    /// All files: `loaded` and `skipped`.
    pub total_on_disk: usize,
    /// Valid files that another of the same name is kept for.
    pub shadowed: usize,
}

/// Which skills are asked for. Nothing, and an empty text, is no condition; both must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SkillFilter<'a> {
    /// A text in the name or the description, in upper or lower case. No character of it has a meaning.
    pub search: Option<&'a str>,
    /// One of the capabilities, exactly.
    pub capability: Option<&'a str>,
}

/// The files that a registry knows, and what they were found by, all of one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sources {
    /// Sorted bytewise by path.
    pub rows: Vec<SourceRow>,
    /// The directories that were looked in.
    pub roots: Vec<String>,
    /// The version of the program that last changed something.
    pub skc_version: String,
    /// When something was last changed, or found the same after a day: `2026-01-31T08:15:00.123Z`. `None` before the
    /// first sync.
    pub synced_at: Option<String>,
}
