//! The rows of a skill registry, as plain data.

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
    /// The unique name of the skill.
    pub name: String,
    /// The description of the skill.
    pub description: String,
    /// The version of the skill, as written.
    pub version: Option<String>,
    /// The entry point file of the skill.
    pub entrypoint: Option<String>,
    /// The capabilities of the skill, in the declared order.
    pub capabilities: Vec<String>,
    /// A letter that groups skills.
    pub greek_letter: Option<String>,
    /// The text after the frontmatter, unchanged.
    pub body: String,
    /// The path of the skill's `SKILL.md`, relative to the catalog root or as `~/…`, with forward slashes.
    pub source_path: String,
    /// The frontmatter as JSON, with all keys in file order.
    pub frontmatter_json: String,
    /// The time of the last change to the row: `2026-01-31T08:15:00.123Z`. A sync sets this field, and ignores the
    /// value that the caller passes.
    pub loaded_at: String,
}

/// A valid `SKILL.md`: a row of the table `skill_sources`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceRow {
    /// The unique canonical path of the file.
    pub path: String,
    /// The first 16 hex digits of the hash of the path.
    pub id: String,
    /// The skill's name.
    pub name: String,
    /// The canonical path of the skill's directory.
    pub dir: String,
    /// The scope of the skill: `repo` or `user`.
    pub scope: String,
    /// The kind of directory in which the file was found.
    pub origin: String,
    /// The file's mtime, in milliseconds since 1970.
    pub mtime_ms: u64,
    /// The SHA-256 of the file, in hexadecimal digits.
    pub sha256: String,
    /// Whether the skill takes precedence over the other skills of its name, and therefore has a [`SkillRow`].
    pub is_winner: bool,
}

/// The search data of a valid `SKILL.md`, with the stamp that shows whether the data is current: a row of the table
/// `skill_heads`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HeadRow {
    /// The unique canonical path of the file.
    pub path: String,
    /// The file's mtime, in milliseconds since 1970.
    pub mtime_ms: u64,
    /// The length of the file, in bytes.
    pub bytes: u64,
    /// The file's ctime, in nanoseconds since 1970; 0 if the file was read so soon after the change that a later change
    /// might leave the same ctime.
    pub changed_ns: i64,
    /// The inode number.
    pub inode: u64,
    /// The skill's name.
    pub name: String,
    /// The skill's description.
    pub description: String,
}

/// The state of the disk, to be written to the registry.
#[derive(Debug, Clone, Copy)]
pub struct Snapshot<'a> {
    /// The skills, one for each name. If a name occurs twice, the last skill of that name is kept.
    pub winners: &'a [SkillRow],
    /// The files of all valid skills, including skills that another skill of the same name shadows. If two files have
    /// the same id, only one is kept: the file that is already in the registry, otherwise the file whose path sorts
    /// first.
    pub sources: &'a [SourceRow],
    /// The search data of the same files.
    pub heads: &'a [HeadRow],
    /// The number of `SKILL.md` files that are invalid or unreadable.
    pub skipped: usize,
    /// The directories that were searched, including those that do not exist, in order.
    pub roots: &'a [String],
    /// The program's version.
    pub skc_version: &'a str,
    /// The time of the sync, in milliseconds since 1970-01-01T00:00:00Z.
    pub at_ms: i64,
}

/// The result of a sync. The default value, with all counters zero, means that no sync ran. If no root exists, no sync
/// runs, and no row is removed.
///
/// Design: REG-LOAD.3, REG-LOAD.8, catalog-files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Synced {
    /// The number of valid files.
    pub loaded: usize,
    /// The number of files that are invalid or unreadable.
    pub skipped: usize,
    /// The number of rows that were removed because no skill of the same name was loaded.
    pub pruned: usize,
    /// The number of all files: the sum of `loaded` and `skipped`.
    pub total_on_disk: usize,
    /// The number of valid files whose skill is shadowed by another skill of the same name.
    pub shadowed: usize,
}

/// Selects the skills that match both fields. `None` and an empty string match all skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SkillFilter<'a> {
    /// A substring of the name or the description, ignoring case. There are no wildcards.
    pub search: Option<&'a str>,
    /// The exact text of one of the skill's capabilities.
    pub capability: Option<&'a str>,
}

/// The known files, with the directories, program version and time of the last sync. All values are read in one
/// transaction.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sources {
    /// The files, sorted bytewise by path.
    pub rows: Vec<SourceRow>,
    /// The directories that were searched.
    pub roots: Vec<String>,
    /// The version of the program that last changed the registry.
    pub skc_version: String,
    /// The time of the last recorded sync, such as `2026-01-31T08:15:00.123Z`; `None` before the first sync. A sync is
    /// recorded if it changes the registry, or if the recorded time is more than a day old.
    pub synced_at: Option<String>,
}
