//! Presets: named selections of rules. A preset also decides whether the `SKL` rules follow the specification to the
//! letter.
//!
//! Documented in docs/src/linting.md#choosing-rules.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rule::{Activation, RuleMeta};

/// A named selection of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// The rules that are enabled by default, narrowed where the specification's wording causes false positives in good
    /// public skills.
    #[default]
    Recommended,
    /// Every SKL rule exactly as the specification defines it, and the other rules that are enabled by default.
    Spec,
    /// Every rule.
    Strict,
}

impl Preset {
    /// All presets, the default first.
    pub const ALL: [Self; 3] = [Self::Recommended, Self::Spec, Self::Strict];

    /// Returns the name, such as `recommended`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Recommended => "recommended",
            Self::Spec => "spec",
            Self::Strict => "strict",
        }
    }

    /// Returns the preset with the given name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.as_str() == name)
    }

    /// Reports whether a rule runs by default under the preset.
    pub fn has(self, meta: &RuleMeta) -> bool {
        meta.activation != Activation::OnRequest
            || match self {
                Self::Recommended => false,
                Self::Spec => meta.code.starts_with("SKL"),
                Self::Strict => true,
            }
    }
}
