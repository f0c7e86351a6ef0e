//! The response of `skc doctor`.

use schemars::JsonSchema;
use serde::Serialize;
use skillc_core::layout::Scope;

/// How clients handle the skills that they find from the working directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DoctorResponse {
    /// Skill that was requested, if any
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// Problems, worst first, then by file and position
    pub problems: Vec<Problem>,
    /// Clients that were checked, in table order
    pub clients: Vec<ClientView>,
    /// Ids of clients that are not installed and were not requested
    pub not_installed: Vec<String>,
}

/// A reason why a client does not load a skill, or changes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Problem {
    /// Kind of problem: a fault of the clients table such as `colon`, or one of `file-name`, `too-deep`, `dead-link`,
    /// `emptied-stub`, `orphan-stub`, `stub-differs`, `damaged-index`, `no-file`, `unreadable`, `outside`, `unclosed`
    pub kind: String,
    /// Skill's name, or the name of its directory if it has none
    pub skill: String,
    /// File or directory with the problem
    pub path: String,
    /// `path` for display: relative to the working directory, or with `~` for the home directory
    #[serde(skip)]
    pub shown: String,
    /// What is wrong
    pub message: String,
    /// Bytes that cause it; absent if the cause is not in the text of SKILL.md
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// What to do about it
    pub mend: String,
    /// Consequence, the worst of `effects`
    pub worst: Loss,
    /// What each client does, worst first
    pub effects: Vec<Effect>,
}

/// The bytes that cause a problem.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Cause {
    /// Offset of the first byte in the file, from 0
    pub offset: usize,
    /// Number of bytes
    pub length: usize,
    /// Line, from 1
    pub line: usize,
    /// Column in characters, from 1
    pub column: usize,
    /// First bytes in hexadecimal: `3A 20`
    pub bytes: String,
    /// The bytes as text or by name, with control characters escaped: `': '`, `byte order mark`
    pub shown: String,
    /// Text before the bytes on their line; truncated at the start
    pub before: String,
    /// Text of the bytes and the rest of the line; truncated at the end
    pub after: String,
}

/// How one client reacts to a problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Effect {
    /// Client's id
    pub client: String,
    /// Consequence
    pub loss: Loss,
    /// Reaction, as in the clients table: `drop`, `hide`, `empty`, `error`, `cut` …; `unknown` if it has not been
    /// observed
    pub does: String,
    /// The same in words: `does not load the skill`
    pub words: String,
    /// Whether the reaction was observed or documented, not only inferred from the client's source
    pub confirmed: bool,
    /// Where the reaction was observed or documented, or the client's source from which it was inferred
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// When that source was read
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// First version with this reaction
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Earlier reaction
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
}

/// The consequence of a problem for a skill in a client. The variants are ordered from the mildest to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// Not known.
    Unknown,
    /// It loads with a changed value.
    Changed,
    /// It is lost according to the client's source; not confirmed by a report.
    MayBeLost,
    /// It does not load, is never listed, or none of its fields are read.
    Lost,
}

impl Loss {
    /// Returns whether the skill is lost.
    pub const fn is_loss(self) -> bool {
        matches!(self, Self::Lost | Self::MayBeLost)
    }
}

/// What a client finds from the working directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClientView {
    /// Client's id
    pub client: String,
    /// Whether it is installed
    pub installed: bool,
    /// File or directory that shows it is installed
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// Where and when its folders were verified
    pub source: String,
    /// Skill folders, in the client's order
    pub roots: Vec<RootView>,
    /// Skills found, in folder order, then by path
    pub skills: Vec<SkillView>,
    /// Search depth below a root; absent if not known
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_depth: Option<usize>,
    /// Number of skills at depths for which the client's behaviour is not known
    pub deeper: usize,
    /// Requested skills that are in none of its folders
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<String>,
}

/// A skill folder of a client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RootView {
    /// Path for display: relative to the working directory, or with `~` for the home directory
    pub root: String,
    /// Absolute path
    pub path: String,
    /// Scope
    pub scope: Scope,
    /// Whether it exists
    pub state: RootState,
    /// Number of skills in it that the client finds, including lost ones
    pub skills: usize,
}

/// Whether a folder exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RootState {
    /// It exists.
    There,
    /// It does not exist.
    Absent,
    /// It cannot be read.
    Unreadable,
}

/// A skill as a client sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SkillView {
    /// Name in this client
    pub name: String,
    /// Its directory
    pub path: String,
    /// Index into `roots`
    pub root: usize,
    /// Whether it loads
    pub state: SkillState,
    /// Directories of skills with the same name that affect its state, at most 20
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub same_name: Vec<String>,
}

/// Whether a client loads a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SkillState {
    /// It loads, as far as is known.
    Loaded,
    /// Shadowed by another skill of the same name.
    Shadowed,
    /// One of several skills of the same name loads; which one is not known.
    OneOf,
    /// Several skills have the same name; the client's behaviour is not known.
    Namesake,
    /// It has a fault for which the client's reaction is not known.
    Unknown,
    /// It is lost according to the client's source.
    MayBeLost,
    /// It is lost.
    Lost,
}
