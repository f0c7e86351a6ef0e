//! How clients react to the faults of a skill, and what their reactions mean for the skill's author.
//!
//! This module defines only names and wording; [`Faults`](super::Faults) finds the faults of a skill. A reaction that
//! is not known is [`Behaviour::Unknown`] and has no [`Consequence`].
//!
//! Design: R1, R3.

use serde::Deserialize;

use super::Origin;

/// How a client reacts to a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Behaviour {
    /// Nothing happens.
    Ok,
    /// The client repairs the fault, and nothing is lost.
    Fix,
    /// The skill loads, with a warning.
    Warn,
    /// The value is truncated.
    Cut,
    /// The offending part is removed from the value.
    Strip,
    /// The directory's name is used as the skill's name.
    Dirname,
    /// The value is ignored.
    Ignore,
    /// The skill loads with every field treated as empty.
    Empty,
    /// The skill loads, but the client never lists it to agents.
    Hide,
    /// The skill does not load.
    Drop,
    /// The skill is rejected with an error message.
    Error,
    /// The reaction is not known.
    Unknown,
}

/// A fault that clients are known to handle differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// There is no frontmatter.
    NoFrontmatter,
    /// An unquoted value contains `: `.
    Colon,
    /// The frontmatter is invalid YAML for another reason.
    Yaml,
    /// A byte order mark precedes the frontmatter.
    Bom,
    /// A list or a map is written in flow style, that is, with brackets.
    Flow,
    /// A value contains `---`.
    Dashes,
    /// A value spans several lines.
    MultiLine,
    /// The frontmatter has a field that the client does not support.
    UnknownField,
    /// There is no `name`.
    NoName,
    /// The name is longer than the client's limit.
    NameOver,
    /// The name has characters that are not allowed.
    NameCharacters,
    /// The name contains a reserved word.
    NameReserved,
    /// The name differs from the directory's name.
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
    /// `metadata` is not a map.
    MetadataNoMap,
}

/// A client's reaction to one fault.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reaction {
    /// The current reaction.
    pub does: Behaviour,
    /// The first version with this reaction.
    pub since: Option<String>,
    /// The previous reaction.
    pub until: Option<Until>,
    /// Whether the reaction was observed or is documented by the vendor, rather than only inferred from the client's
    /// source code.
    #[serde(default = "yes")]
    pub confirmed: bool,
    /// The source for this reaction, if it differs from the client's `origin`.
    pub origin: Option<Origin>,
}

/// A reaction that a client had up to some version or date.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Until {
    /// The last version, or the last month, with this reaction.
    pub when: String,
    /// The former reaction.
    pub does: Behaviour,
}

/// What a reaction means for the author of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Consequence {
    /// The skill cannot be used.
    Refused,
    /// According to the client's source code, the skill cannot be used, but no report confirms this.
    MayBeRefused,
    /// The client uses a value that differs from the value in the file.
    Altered,
    /// The user of the skill sees a message.
    Warned,
    /// A field has no effect.
    FieldIgnored,
}

impl Behaviour {
    /// Returns the key of the reaction in the table: `drop`.
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

    /// Returns the wording for one client and for several: `removes it`, `remove it`.
    pub const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Error => ("refuses the skill", "refuse the skill"),
            Self::Drop => ("does not load the skill", "do not load the skill"),
            Self::Hide => ("never lists the skill", "never list the skill"),
            Self::Empty => ("treats every field as empty", "treat every field as empty"),
            Self::Cut => ("truncates it", "truncate it"),
            Self::Strip => ("removes it", "remove it"),
            Self::Dirname => ("uses the directory's name", "use the directory's name"),
            Self::Warn => ("warns about it", "warn about it"),
            Self::Ignore => ("ignores it", "ignore it"),
            Self::Fix => ("repairs it", "repair it"),
            Self::Ok | Self::Unknown => ("accepts it", "accept it"),
        }
    }

    /// Returns the wording for what a client used to do: `removed it`.
    pub const fn past(self) -> &'static str {
        match self {
            Self::Error => "refused the skill",
            Self::Drop => "did not load the skill",
            Self::Hide => "never listed the skill",
            Self::Empty => "treated every field as empty",
            Self::Cut => "truncated it",
            Self::Strip => "removed it",
            Self::Dirname => "used the directory's name",
            Self::Warn => "warned about it",
            Self::Ignore => "ignored it",
            Self::Fix => "repaired it",
            Self::Ok | Self::Unknown => "accepted it",
        }
    }
}

impl Fault {
    /// All faults, in the order in which a client encounters them.
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

    /// Returns whether the fault can prevent a skill from loading. If a client's reaction to such a fault is unknown,
    /// the skill may fail to load in that client.
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

    /// Returns the key of the fault in the table: `name-over`.
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

    /// Describes the fault in a few words.
    pub const fn about(self) -> &'static str {
        match self {
            Self::NoFrontmatter => "no frontmatter",
            Self::Colon => "`: ` in a value without quotes",
            Self::Yaml => "frontmatter with other YAML errors",
            Self::Bom => "a byte order mark before the frontmatter",
            Self::Flow => "a list or map in brackets",
            Self::Dashes => "`---` within a value",
            Self::MultiLine => "a multi-line value",
            Self::UnknownField => "an unknown field",
            Self::NoName => "no `name`",
            Self::NameOver => "a `name` over the limit",
            Self::NameCharacters => "invalid characters in the `name`",
            Self::NameReserved => "a reserved word in the `name`",
            Self::DirMismatch => "a `name` that differs from the directory",
            Self::NoDescription => "no `description`",
            Self::DescriptionOver => "a `description` over the limit",
            Self::DescriptionMarkup => "`<` or `>` in the `description`",
            Self::ArgumentHintList => "a list as `argument-hint`",
            Self::AllowedToolsList => "a list as `allowed-tools`",
            Self::MetadataNoMap => "`metadata` that is not a map",
        }
    }

    /// Returns the field that has the wrong type, if that is the fault.
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
    /// Returns what the reaction means for the author; `None` if the reaction is harmless or unknown, or if the fault
    /// is missing frontmatter, which another rule reports (R15).
    ///
    /// Using the directory's name instead of a missing name is harmless.
    pub fn consequence(&self, fault: Fault) -> Option<Consequence> {
        self.effect(fault).filter(|_| fault != Fault::NoFrontmatter)
    }

    /// Like [`consequence`](Self::consequence), but also covers a skill without frontmatter.
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
    fn every_fault_is_listed_once_under_its_key() {
        for fault in Fault::ALL {
            let read: Fault =
                serde_json::from_value(fault.key().into()).expect("a key of the table");
            assert_eq!(read, fault);
        }
        assert!(Fault::ALL.is_sorted(), "in enum order without duplicates");
    }

    #[test]
    fn behaviours_have_the_names_used_in_the_table() {
        for key in [
            "ok", "fix", "warn", "cut", "strip", "dirname", "ignore", "empty", "hide", "drop",
            "error", "unknown",
        ] {
            let read: Behaviour = serde_json::from_value(key.into()).expect("a key of the table");
            assert_eq!(read.key(), key);
        }
    }

    #[test]
    fn unknown_or_repaired_faults_have_no_consequence() {
        for does in ["ok", "fix", "unknown"] {
            let reaction = reaction(&format!("does = \"{does}\""));
            for fault in Fault::ALL {
                assert_eq!(reaction.consequence(fault), None, "{does}");
            }
        }
    }

    #[test]
    fn a_consequence_follows_from_behaviour_and_fault() {
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
