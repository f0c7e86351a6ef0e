//! The response of `skc doctor`.

use schemars::JsonSchema;
use serde::Serialize;
use skillc_core::layout::Scope;

/// What clients make of the skills that they find from here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DoctorResponse {
    /// Skill that was asked for, if one was
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// Problems, the worst first, then by file and place
    pub problems: Vec<Problem>,
    /// Clients that were looked at, in the order of the table
    pub clients: Vec<ClientView>,
    /// Ids of the clients that do not seem to be installed and were not asked for
    pub not_installed: Vec<String>,
}

/// Something that keeps a skill from a client, or changes it there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Problem {
    /// What is wrong: a fault of the clients table such as `colon`, or one of `file-name`, `too-deep`, `dead-link`,
    /// `emptied-stub`, `orphan-stub`, `stub-differs`, `damaged-index`, `no-file`, `unreadable`, `outside`, `unclosed`
    pub kind: String,
    /// Skill's name, or the directory's if it has none
    pub skill: String,
    /// File or directory at fault
    pub path: String,
    /// The same as it is shown: relative to the working directory, or with `~` for the home
    #[serde(skip)]
    pub shown: String,
    /// What is wrong, in words
    pub message: String,
    /// Bytes that cause it; absent if something is not there or no byte is to blame
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// What to do about it
    pub mend: String,
    /// What comes of it, the worst of `effects`
    pub worst: Loss,
    /// What each client does, the worst first
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
    /// What they are, control characters escaped: `': '`, `byte order mark`
    pub shown: String,
    /// Text before them on their line; of a long line its end
    pub before: String,
    /// Text of them and after them on their line; of a long line its beginning
    pub after: String,
}

/// What one client does about a problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Effect {
    /// Client's id
    pub client: String,
    /// What comes of it
    pub loss: Loss,
    /// What it does, as the clients table has it: `drop`, `hide`, `empty`, `error`, `cut` …; `unknown` if nobody has seen it
    pub does: String,
    /// The same in words: `does not load the skill`
    pub words: String,
    /// Whether that was seen or is documented, rather than read in the client's source alone
    pub confirmed: bool,
    /// Where it was seen
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// When that source was read
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Version that began with it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// What it did before
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
}

/// What becomes of a skill in a client, the worst last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// It is not known whether it is lost.
    Unknown,
    /// It loads with another value than its author wrote.
    Changed,
    /// By the client's source it is lost; nobody has reported it.
    MayBeLost,
    /// It does not load, is never listed, or has no field.
    Lost,
}

impl Loss {
    /// Returns whether the skill is lost.
    pub const fn is_loss(self) -> bool {
        matches!(self, Self::Lost | Self::MayBeLost)
    }
}

/// What a client finds from here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClientView {
    /// Client's id
    pub client: String,
    /// Whether it seems to be installed
    pub installed: bool,
    /// What says so: a directory or file that is there
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// Where and when its folders were seen
    pub source: String,
    /// Folders that it takes skills from, in its order
    pub roots: Vec<RootView>,
    /// Skills that it finds, in the order of the folders, then by path
    pub skills: Vec<SkillView>,
    /// How many levels of folders below a root are looked at; absent if that is not known
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_depth: Option<usize>,
    /// Number of skills that lie deeper than one level, of which it is not known whether it finds them
    pub deeper: usize,
    /// Skills that were asked for and lie in none of its folders
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<String>,
}

/// A folder that a client takes skills from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RootView {
    /// Folder as it is shown: relative to the working directory, or with `~` for the home
    pub root: String,
    /// The same, absolute
    pub path: String,
    /// Whose it is
    pub scope: Scope,
    /// Whether it is there
    pub state: RootState,
    /// Number of skills in it that the client finds, those that it loses included
    pub skills: usize,
}

/// Whether a folder is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RootState {
    /// It is.
    There,
    /// It is not.
    Absent,
    /// It cannot be read.
    Unreadable,
}

/// A skill as a client finds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SkillView {
    /// Name that it has there
    pub name: String,
    /// Its directory
    pub path: String,
    /// Folder of the client, as an index into `roots`
    pub root: usize,
    /// What becomes of it
    pub state: SkillState,
    /// Directories of the skills of its name that matter for its state, 20 at most
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub same_name: Vec<String>,
}

/// What becomes of a skill that a client finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SkillState {
    /// It loads, as far as is known.
    Loaded,
    /// Another one of its name is taken.
    Shadowed,
    /// One of several of its name is taken; which is not known.
    OneOf,
    /// There are several of its name; what is done then is not known.
    Namesake,
    /// It has a fault of which it is not known what comes of it.
    Unknown,
    /// By the client's source it is lost.
    MayBeLost,
    /// It is lost.
    Lost,
}
