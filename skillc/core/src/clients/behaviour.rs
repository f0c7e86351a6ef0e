//! What clients do with the faults of a skill, and what that means for its author.
//!
//! Words only: which skill has a fault is for [`Faults`](super::Faults) to find out. What nobody has seen is [`Behaviour::Unknown`], and no
//! finding.
//!
//! Source: RULINGS R1, R3.

use serde::Deserialize;

use super::Origin;

/// What a client does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Behaviour {
    /// Nothing happens.
    Ok,
    /// It is repaired, and nothing is lost.
    Fix,
    /// The skill loads, with a message.
    Warn,
    /// The value is shortened.
    Cut,
    /// The part at fault is taken out of the value.
    Strip,
    /// The directory's name is taken for the skill's.
    Dirname,
    /// The value means nothing.
    Ignore,
    /// The skill loads as if no field had a value.
    Empty,
    /// The skill loads, but agents are never told of it.
    Hide,
    /// The skill does not load.
    Drop,
    /// The skill is refused with a message.
    Error,
    /// Nobody has seen it.
    Unknown,
}

/// Something that clients are known to differ about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// There is no block of fields.
    NoFrontmatter,
    /// A plain value contains `: `.
    Colon,
    /// The block is no YAML for another reason.
    Yaml,
    /// A byte order mark stands before the block.
    Bom,
    /// A list or a map is written in brackets.
    Flow,
    /// A value contains `---`.
    Dashes,
    /// A value stands on several lines.
    MultiLine,
    /// A field that the client does not have.
    UnknownField,
    /// There is no `name`.
    NoName,
    /// The name is longer than the client's limit.
    NameOver,
    /// The name has characters that it must not have.
    NameCharacters,
    /// The name contains a word that is reserved.
    NameReserved,
    /// The name is not the directory's.
    DirMismatch,
    /// There is no `description`.
    NoDescription,
    /// The description is longer than the client's limit.
    DescriptionOver,
    /// The description contains `<` or `>`.
    DescriptionMarkup,
    /// `argument-hint` is a list.
    ArgumentHintList,
    /// `allowed-tools` is a list.
    AllowedToolsList,
    /// `metadata` is no map.
    MetadataNoMap,
}

/// What a client does with one fault.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reaction {
    /// What it does now.
    pub does: Behaviour,
    /// The version that began with it.
    pub since: Option<String>,
    /// What it did before.
    pub until: Option<Until>,
    /// Whether somebody saw it happen or the vendor says so, rather than the client's source alone.
    #[serde(default = "yes")]
    pub confirmed: bool,
    /// Where it was seen, unless that is the client's own origin.
    pub origin: Option<Origin>,
}

/// What a client did up to some time.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Until {
    /// The last version or the last month.
    pub when: String,
    /// What it did.
    pub does: Behaviour,
}

/// What a reaction means for the author of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Consequence {
    /// The skill cannot be used.
    Refused,
    /// The client's source says that the skill cannot be used; nobody has reported it.
    MayBeRefused,
    /// The client works with another value than the author wrote.
    Altered,
    /// Whoever uses the skill sees a message.
    Warned,
    /// A field does nothing.
    FieldIgnored,
}

impl Behaviour {
    /// Returns its key in the table: `drop`.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Fix => "fix",
            Self::Warn => "warn",
            Self::Cut => "cut",
            Self::Strip => "strip",
            Self::Dirname => "dirname",
            Self::Ignore => "ignore",
            Self::Empty => "empty",
            Self::Hide => "hide",
            Self::Drop => "drop",
            Self::Error => "error",
            Self::Unknown => "unknown",
        }
    }

    /// Says what one client does, and what several do: `takes it out`, `take it out`.
    pub const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Error => ("refuses the skill", "refuse the skill"),
            Self::Drop => ("does not load the skill", "do not load the skill"),
            Self::Hide => ("never lists the skill", "never list the skill"),
            Self::Empty => ("takes every field for empty", "take every field for empty"),
            Self::Cut => ("cuts it", "cut it"),
            Self::Strip => ("takes it out", "take it out"),
            Self::Dirname => ("takes the directory's name", "take the directory's name"),
            Self::Warn => ("warns of it", "warn of it"),
            Self::Ignore => ("ignores it", "ignore it"),
            Self::Fix => ("repairs it", "repair it"),
            Self::Ok | Self::Unknown => ("takes it", "take it"),
        }
    }

    /// Says what a client did before: `took it out`.
    pub const fn past(self) -> &'static str {
        match self {
            Self::Error => "refused the skill",
            Self::Drop => "did not load the skill",
            Self::Hide => "never listed the skill",
            Self::Empty => "took every field for empty",
            Self::Cut => "cut it",
            Self::Strip => "took it out",
            Self::Dirname => "took the directory's name",
            Self::Warn => "warned of it",
            Self::Ignore => "ignored it",
            Self::Fix => "repaired it",
            Self::Ok | Self::Unknown => "took it",
        }
    }
}

impl Fault {
    /// Every fault, in the order in which a client meets them.
    pub const ALL: [Self; 19] = [
        Self::NoFrontmatter,
        Self::Colon,
        Self::Yaml,
        Self::Bom,
        Self::Flow,
        Self::Dashes,
        Self::MultiLine,
        Self::UnknownField,
        Self::NoName,
        Self::NameOver,
        Self::NameCharacters,
        Self::NameReserved,
        Self::DirMismatch,
        Self::NoDescription,
        Self::DescriptionOver,
        Self::DescriptionMarkup,
        Self::ArgumentHintList,
        Self::AllowedToolsList,
        Self::MetadataNoMap,
    ];

    /// Says whether a skill with the fault may not load at all: if it is not known what a client does then, it is not known
    /// whether the skill loads.
    pub const fn is_grave(self) -> bool {
        matches!(
            self,
            Self::Colon
                | Self::Yaml
                | Self::Bom
                | Self::NoName
                | Self::NameOver
                | Self::NameCharacters
                | Self::DirMismatch
                | Self::NoDescription
                | Self::DescriptionOver
                | Self::ArgumentHintList
                | Self::MetadataNoMap
        )
    }

    /// Returns its key in the table: `name-over`.
    pub const fn key(self) -> &'static str {
        match self {
            Self::NoFrontmatter => "no-frontmatter",
            Self::Colon => "colon",
            Self::Yaml => "yaml",
            Self::Bom => "bom",
            Self::Flow => "flow",
            Self::Dashes => "dashes",
            Self::MultiLine => "multi-line",
            Self::UnknownField => "unknown-field",
            Self::NoName => "no-name",
            Self::NameOver => "name-over",
            Self::NameCharacters => "name-characters",
            Self::NameReserved => "name-reserved",
            Self::DirMismatch => "dir-mismatch",
            Self::NoDescription => "no-description",
            Self::DescriptionOver => "description-over",
            Self::DescriptionMarkup => "description-markup",
            Self::ArgumentHintList => "argument-hint-list",
            Self::AllowedToolsList => "allowed-tools-list",
            Self::MetadataNoMap => "metadata-no-map",
        }
    }

    /// Says in a few words what the fault is.
    pub const fn about(self) -> &'static str {
        match self {
            Self::NoFrontmatter => "no frontmatter",
            Self::Colon => "`: ` in a value without quotes",
            Self::Yaml => "frontmatter that is no YAML otherwise",
            Self::Bom => "a byte order mark before the frontmatter",
            Self::Flow => "a list or map in brackets",
            Self::Dashes => "`---` within a value",
            Self::MultiLine => "a value on several lines",
            Self::UnknownField => "a field that it does not have",
            Self::NoName => "no `name`",
            Self::NameOver => "a `name` over its limit",
            Self::NameCharacters => "other characters in the `name`",
            Self::NameReserved => "a reserved word in the `name`",
            Self::DirMismatch => "a `name` that is not the directory's",
            Self::NoDescription => "no `description`",
            Self::DescriptionOver => "a `description` over its limit",
            Self::DescriptionMarkup => "`<` or `>` in the `description`",
            Self::ArgumentHintList => "a list as `argument-hint`",
            Self::AllowedToolsList => "a list as `allowed-tools`",
            Self::MetadataNoMap => "`metadata` that is no map",
        }
    }

    /// Returns the field that the fault is about, if it is about the type of one field.
    pub const fn field(self) -> Option<&'static str> {
        match self {
            Self::ArgumentHintList => Some("argument-hint"),
            Self::AllowedToolsList => Some("allowed-tools"),
            Self::MetadataNoMap => Some("metadata"),
            _ => None,
        }
    }
}

impl Reaction {
    /// Says what it means for the author; `None` if nothing is lost or known.
    ///
    /// Without any frontmatter another rule speaks alone (RULINGS R15), and a directory's name in place of none loses
    /// nothing.
    pub fn consequence(&self, fault: Fault) -> Option<Consequence> {
        self.effect(fault).filter(|_| fault != Fault::NoFrontmatter)
    }

    /// As [`consequence`](Self::consequence), for whoever is to say what becomes of a skill without any frontmatter.
    pub fn effect(&self, fault: Fault) -> Option<Consequence> {
        match (self.does, fault) {
            (Behaviour::Ok | Behaviour::Fix | Behaviour::Unknown, _)
            | (Behaviour::Dirname, Fault::NoName) => None,
            (Behaviour::Warn | Behaviour::Ignore, Fault::UnknownField) => {
                Some(Consequence::FieldIgnored)
            }
            (Behaviour::Warn, _) => Some(Consequence::Warned),
            (Behaviour::Cut | Behaviour::Strip | Behaviour::Dirname | Behaviour::Ignore, _) => {
                Some(Consequence::Altered)
            }
            _ if self.confirmed => Some(Consequence::Refused),
            _ => Some(Consequence::MayBeRefused),
        }
    }
}

const fn yes() -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reaction(text: &str) -> Reaction {
        toml::from_str(text).expect("a reaction")
    }

    #[test]
    fn every_fault_is_listed_once_under_the_key_that_the_table_reads() {
        for fault in Fault::ALL {
            let read: Fault =
                serde_json::from_value(fault.key().into()).expect("a key of the table");
            assert_eq!(read, fault);
        }
        assert!(
            Fault::ALL.is_sorted(),
            "in the order of the enum, none twice"
        );
    }

    #[test]
    fn a_behaviour_is_called_what_the_table_calls_it() {
        for key in [
            "ok", "fix", "warn", "cut", "strip", "dirname", "ignore", "empty", "hide", "drop",
            "error", "unknown",
        ] {
            let read: Behaviour = serde_json::from_value(key.into()).expect("a key of the table");
            assert_eq!(read.key(), key);
        }
    }

    #[test]
    fn what_is_unknown_or_repaired_has_no_consequence() {
        for does in ["ok", "fix", "unknown"] {
            let reaction = reaction(&format!("does = \"{does}\""));
            for fault in Fault::ALL {
                assert_eq!(reaction.consequence(fault), None, "{does}");
            }
        }
    }

    #[test]
    fn a_consequence_follows_from_what_is_done_with_which_fault() {
        for (text, fault, expected) in [
            ("does = 'drop'", Fault::Bom, Consequence::Refused),
            ("does = 'empty'", Fault::Colon, Consequence::Refused),
            ("does = 'hide'", Fault::NoDescription, Consequence::Refused),
            (
                "does = 'drop'\nconfirmed = false",
                Fault::Bom,
                Consequence::MayBeRefused,
            ),
            ("does = 'cut'", Fault::DescriptionOver, Consequence::Altered),
            ("does = 'dirname'", Fault::DirMismatch, Consequence::Altered),
            (
                "does = 'ignore'",
                Fault::MetadataNoMap,
                Consequence::Altered,
            ),
            ("does = 'warn'", Fault::NameOver, Consequence::Warned),
            (
                "does = 'warn'",
                Fault::UnknownField,
                Consequence::FieldIgnored,
            ),
            ("does = 'error'", Fault::UnknownField, Consequence::Refused),
        ] {
            assert_eq!(reaction(text).consequence(fault), Some(expected), "{text}");
        }
        assert_eq!(
            reaction("does = 'dirname'").consequence(Fault::NoName),
            None
        );
        assert_eq!(
            reaction("does = 'drop'").consequence(Fault::NoFrontmatter),
            None
        );
        assert_eq!(
            reaction("does = 'drop'").effect(Fault::NoFrontmatter),
            Some(Consequence::Refused)
        );
    }
}
