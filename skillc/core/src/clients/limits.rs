//! What clients accept: the types of fields, and the limits on names, descriptions and listings.
//!
//! Design: R1, R3.

use std::fmt;

use serde::Deserialize;

/// A field of the frontmatter that a client supports.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct ClientField {
    /// The key, such as `argument-hint`, or `metadata.arguments` for a key inside a map.
    pub key: String,
    /// The types that the field accepts.
    pub kinds: Vec<FieldKind>,
}

/// A type that a field may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldKind {
    /// Any string.
    Text,
    /// A boolean.
    Flag,
    /// A list.
    List,
    /// A map.
    Map,
    /// A map written as JSON5 in a string.
    Json5,
    /// Exactly this word.
    Word(String),
}

/// A client's limits on names.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NameLimits {
    /// The maximum length; `None` if it is not known.
    pub max: Option<usize>,
    /// The maximum length of a skill's name including its plug-in prefix, as in `plugin:skill`; `None` if it is not
    /// known.
    pub qualified_max: Option<usize>,
    /// How lengths are counted.
    #[serde(default)]
    pub unit: Unit,
    /// The form that a name must have.
    pub pattern: Option<NamePattern>,
    /// Substrings that a name must not contain.
    #[serde(default)]
    pub forbid: Vec<String>,
    /// Reserved words that a name must not contain.
    #[serde(default)]
    pub reserved: Vec<String>,
}

/// A client's limits on descriptions.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DescriptionLimits {
    /// The maximum length; `None` if it is not known.
    pub max: Option<usize>,
    /// How lengths are counted.
    #[serde(default)]
    pub unit: Unit,
    /// The fields whose lengths are added up. If empty, only the description counts.
    #[serde(default)]
    pub counts: Vec<String>,
}

/// How the length of a string is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Unicode characters.
    #[default]
    Characters,
    /// UTF-16 code units: JavaScript's `length`, in which most emoji count as two.
    Utf16,
}

impl Unit {
    /// Returns the offset of the first character beyond `max` units; `None` if the whole string fits.
    pub fn first_over(self, text: &str, max: usize) -> Option<usize> {
        let mut left = max;
        for (at, c) in text.char_indices() {
            let length = match self {
                Self::Characters => 1,
                Self::Utf16 => c.len_utf16(),
            };
            match left.checked_sub(length) {
                Some(less) => left = less,
                None => return Some(at),
            }
        }
        None
    }
}

/// The form that a client requires of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum NamePattern {
    /// Words of `a-z` and `0-9`, joined by single hyphens.
    #[serde(rename = "^[a-z0-9]+(-[a-z0-9]+)*$")]
    Words,
    /// `a-z`, `0-9` and hyphens anywhere.
    #[serde(rename = "^[a-z0-9-]+$")]
    Letters,
    /// A letter or digit, followed by letters, digits, `_`, `.`, `:`, spaces and hyphens.
    #[serde(rename = "^[A-Za-z0-9][A-Za-z0-9_.: -]*$")]
    Label,
}

/// The limits on the listing of all skills that a client shows an agent.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listing {
    /// The listing's share of the context window, in percent.
    pub percent: Option<usize>,
    /// The limit in characters if the size of the context window is not known.
    pub fallback_chars: Option<usize>,
    /// The maximum number of skills.
    pub max_entries: Option<usize>,
    /// The maximum size in bytes.
    pub max_bytes: Option<usize>,
    /// What the client omits first, as words for a message: `the descriptions of the skills that are used least`.
    pub drops: Option<String>,
}

/// Which skills a client uses if several of its directories contain a skill of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SameName {
    /// All skills of that name.
    All,
    /// The first skill in the client's search order, with project directories before user directories.
    First,
    /// The first skill, with user directories before project directories.
    UserFirst,
    /// One of the skills, but it is not known which.
    One,
}

impl TryFrom<String> for ClientField {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let (key, kinds) = text
            .split_once(':')
            .filter(|(key, kinds)| !key.is_empty() && !kinds.is_empty())
            .ok_or_else(|| format!("'{text}' is not 'key:type'"))?;
        let kind = |kind: &str| match kind {
            "str" => FieldKind::Text,
            "bool" => FieldKind::Flag,
            "list" => FieldKind::List,
            "map" => FieldKind::Map,
            "json5" => FieldKind::Json5,
            word => FieldKind::Word(word.to_owned()),
        };
        Ok(Self {
            key: key.to_owned(),
            kinds: kinds.split('|').map(kind).collect(),
        })
    }
}

impl fmt::Display for FieldKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "a string",
            Self::Flag => "true or false",
            Self::List => "a list",
            Self::Map => "a map",
            Self::Json5 => "a map as JSON5",
            Self::Word(word) => word,
        })
    }
}

impl NamePattern {
    /// Returns whether a name matches the pattern.
    pub fn matches(self, name: &str) -> bool {
        let is_word = |word: &str| {
            let is_lower = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit();
            !word.is_empty() && word.bytes().all(is_lower)
        };
        match self {
            Self::Words => name.split('-').all(is_word),
            Self::Letters => {
                !name.is_empty() && name.split('-').all(|w| w.is_empty() || is_word(w))
            }
            Self::Label => {
                let may_follow = |c: char| c.is_ascii_alphanumeric() || "_.: -".contains(c);
                name.starts_with(|c: char| c.is_ascii_alphanumeric())
                    && name.chars().all(may_follow)
            }
        }
    }

    /// Returns the byte offset of the first character that violates the pattern; `None` if the name matches.
    pub fn first_fault(self, name: &str) -> Option<usize> {
        if self.matches(name) {
            return None;
        }
        let mut before = '-';
        for (at, c) in name.char_indices() {
            let is_lower = c.is_ascii_lowercase() || c.is_ascii_digit();
            let fits = match self {
                Self::Words => is_lower || c == '-' && before != '-',
                Self::Letters => is_lower || c == '-',
                Self::Label if at == 0 => c.is_ascii_alphanumeric(),
                Self::Label => c.is_ascii_alphanumeric() || "_.: -".contains(c),
            };
            if !fits {
                return Some(at);
            }
            before = c;
        }
        // The name is empty or ends with a hyphen.
        Some(name.len().saturating_sub(1))
    }

    /// Describes the pattern in words.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Words => "words of a-z and 0-9 joined by single hyphens",
            Self::Letters => "a-z, 0-9 and hyphens",
            Self::Label => {
                "letters, digits, '_', '.', ':', '-' and spaces, starting with a letter or digit"
            }
        }
    }
}

impl Unit {
    /// Returns the length of a string.
    pub fn count(self, text: &str) -> usize {
        match self {
            Self::Characters => text.chars().count(),
            Self::Utf16 => text.encode_utf16().count(),
        }
    }

    /// Returns the plural of the unit.
    pub const fn plural(self) -> &'static str {
        match self {
            Self::Characters => "characters",
            Self::Utf16 => "UTF-16 units",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_a_key_with_its_allowed_types() {
        let read = |text: &str| ClientField::try_from(text.to_owned());
        let field = read("shell:bash|powershell").expect("a field");
        let words = ["bash", "powershell"].map(|word| FieldKind::Word(word.to_owned()));
        assert_eq!(
            (field.key.as_str(), &field.kinds[..]),
            ("shell", &words[..])
        );
        let field = read("paths:str|list").expect("a field");
        assert_eq!(field.kinds, [FieldKind::Text, FieldKind::List]);
        for wrong in ["paths", ":str", "paths:"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn names_match_the_pattern_or_not() {
        for (name, words, letters, label) in [
            ("a-b2", true, true, true),
            ("a--b", false, true, true),
            ("-a", false, true, false),
            ("A b:c", false, false, true),
            ("é", false, false, false),
            ("", false, false, false),
        ] {
            assert_eq!(NamePattern::Words.matches(name), words, "{name}");
            assert_eq!(NamePattern::Letters.matches(name), letters, "{name}");
            assert_eq!(NamePattern::Label.matches(name), label, "{name}");
        }
    }

    #[test]
    fn a_name_is_invalid_from_its_first_mismatched_character() {
        use NamePattern::{Label, Letters, Words};
        for (pattern, name, at) in [
            (Words, "a-b2", None),
            (Words, "aB", Some(1)),
            (Words, "a--b", Some(2)),
            (Words, "-a", Some(0)),
            (Words, "ab-", Some(2)),
            (Letters, "-a-é", Some(3)),
            (Label, "_a", Some(0)),
            (Label, "A b!", Some(3)),
            (Label, "A b", None),
        ] {
            assert_eq!(pattern.first_fault(name), at, "{name}");
        }
    }

    #[test]
    fn an_emoji_is_one_character_and_two_utf_16_units() {
        assert_eq!(Unit::Characters.count("é🎉"), 2);
        assert_eq!(Unit::Utf16.count("é🎉"), 3);
    }
}
