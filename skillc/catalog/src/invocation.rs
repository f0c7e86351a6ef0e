//! Restrictions on starting a skill: the frontmatter fields `disable-model-invocation` and `user-invocable`.
//!
//! Unclear values are interpreted conservatively. An author who set `disable-model-invocation` to something unclear
//! (`"true"` in quotes, `y`, a list) most likely wanted only people to start the skill, so any value except null and a
//! clear *no* prevents models from starting it. `user-invocable` only removes a skill from menus, so only a clear *no*
//! has an effect. Clients accept fewer spellings; the table of clients lists the behaviour of each client.

use schemars::JsonSchema;
use serde::Serialize;
use skillc_core::{Fields, Value};

use crate::entry::CatalogEntry;

/// The field that prevents models from starting a skill.
pub const DISABLE_MODEL: &str = "disable-model-invocation";

/// The field that removes a skill from menus for people.
const USER_INVOCABLE: &str = "user-invocable";

/// The values that mean false; case and quotes are ignored. The number 0, in any notation, also means false.
const FALSE: [&str; 3] = ["false", "no", "off"];

/// Who may start a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Invocation {
    /// Models and people.
    #[default]
    Anyone,
    /// Only a person: `disable-model-invocation: true`.
    Person,
    /// Only a model: `user-invocable: false`.
    Model,
    /// Neither: both fields restrict the skill.
    Nobody,
}

/// The recipient of a listing, of search results or of a loaded skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Audience {
    /// A model, which does not see skills that only people may start.
    #[default]
    Model,
    /// A person, who may start every skill that is enabled and not denied.
    Person,
}

impl Invocation {
    /// Reads the restriction from a frontmatter.
    pub fn from_fields(fields: &Fields) -> Self {
        Self::from_texts(|key| match &fields.get(key)?.value {
            Value::Null => None,
            Value::Text(text) => Some(&**text),
            Value::List(_) | Value::Map(_) => Some(""),
        })
    }

    /// Reads the restriction from a frontmatter's values, given as strings. `text`: returns the value of a field, or
    /// `None` if the field is absent or null.
    pub fn from_texts<T: AsRef<str>>(text: impl Fn(&str) -> Option<T>) -> Self {
        let is_false = |key| text(key).map(|text| is_false(text.as_ref()));
        let by_model = is_false(DISABLE_MODEL).unwrap_or(true);
        let by_person = !is_false(USER_INVOCABLE).unwrap_or(false);
        match (by_model, by_person) {
            (true, true) => Self::Anyone,
            (false, true) => Self::Person,
            (true, false) => Self::Model,
            (false, false) => Self::Nobody,
        }
    }

    /// Returns whether a model may start the skill.
    pub const fn by_model(self) -> bool {
        matches!(self, Self::Anyone | Self::Model)
    }

    /// Returns whether menus offer the skill to people.
    pub const fn by_person(self) -> bool {
        matches!(self, Self::Anyone | Self::Person)
    }

    /// Returns whether both models and people may start the skill.
    pub const fn is_anyone(&self) -> bool {
        matches!(self, Self::Anyone)
    }
}

impl Audience {
    /// Returns whether this audience is shown a skill and may start it.
    pub fn sees(self, entry: &CatalogEntry) -> bool {
        self.may_start(entry.invocation)
    }

    /// Returns whether this audience may start a skill with this restriction.
    pub fn may_start(self, invocation: Invocation) -> bool {
        self == Self::Person || invocation.by_model()
    }
}

fn is_false(text: &str) -> bool {
    let text = text.trim();
    FALSE.iter().any(|word| text.eq_ignore_ascii_case(word)) || is_zero(text)
}

/// Returns whether a string is the number 0 in any YAML notation. The skill registry stores only the parsed value, so
/// `-0`, `0x0` and `00` must not differ from `0` here.
fn is_zero(text: &str) -> bool {
    let number = text.strip_prefix(['-', '+']).unwrap_or(text);
    let of_base = ["0x", "0o", "0b"]
        .iter()
        .find_map(|base| number.strip_prefix(base));
    match of_base {
        // In base 16, `e` is a digit, not an exponent.
        Some(digits) => digits.contains('0') && digits.chars().all(|c| matches!(c, '0' | '_')),
        None => number.replace('_', "").parse::<f64>() == Ok(0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use skillc_core::Frontmatter;

    #[track_caller]
    fn invocation(block: &str) -> Invocation {
        let text = format!("---\nname: a\n{block}\n---\n");
        match Frontmatter::split(&text).0 {
            Frontmatter::Valid(fields) => Invocation::from_fields(&fields),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn only_an_explicit_false_makes_a_skill_model_only() {
        for value in [
            "true", "True", "yes", "on", "1", "'true'", "\"yes\"", "y", "t", "maybe", "[true]",
            "{a: b}", "-1", "0x", "0.5",
        ] {
            let found = invocation(&format!("{DISABLE_MODEL}: {value}"));
            assert_eq!(found, Invocation::Person, "{value}");
        }
        for value in [
            "false", "False", "no", "off", "0", "-0", "0x0", "00", "0.0", "'false'", "~", "null",
            "",
        ] {
            let found = invocation(&format!("{DISABLE_MODEL}: {value}"));
            assert_eq!(found, Invocation::Anyone, "{value}");
        }
        assert_eq!(invocation("license: MIT"), Invocation::Anyone);
        let nested = format!("metadata:\n  {DISABLE_MODEL}: true");
        assert_eq!(invocation(&nested), Invocation::Anyone);
    }

    #[test]
    fn only_an_explicit_false_hides_a_skill_from_menus() {
        for value in ["false", "NO", "off", "0", "'false'"] {
            let found = invocation(&format!("{USER_INVOCABLE}: {value}"));
            assert_eq!(found, Invocation::Model, "{value}");
        }
        for value in ["true", "yes", "never", "~", "[false]"] {
            let found = invocation(&format!("{USER_INVOCABLE}: {value}"));
            assert_eq!(found, Invocation::Anyone, "{value}");
        }
        let both = format!("{DISABLE_MODEL}: true\n{USER_INVOCABLE}: false");
        assert_eq!(invocation(&both), Invocation::Nobody);
    }
}
