//! The request that the page sends.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use skillc_core::source::Contents;
use skillc_core::{Error, RelPath, Result, Skill};
use skillc_lint::rule::preset::Preset;

/// The maximum total size of a skill's files, in bytes.
const MAX_BYTES: usize = 4 << 20;

/// The maximum number of a skill's files.
const MAX_FILES: usize = 1000;

/// A request: a skill, and how to check it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// The name of the skill's directory.
    pub(crate) name: String,
    /// The skill's files, by path.
    pub(crate) files: BTreeMap<String, Content>,
    /// The ids of the clients for which the skill is checked.
    #[serde(default)]
    pub(crate) clients: Vec<String>,
    /// The preset that selects the rules.
    #[serde(default)]
    pub(crate) preset: Option<Preset>,
    /// Selectors of rules that run in addition to the rules of the preset.
    #[serde(default)]
    pub(crate) extend_select: Vec<String>,
    /// A script with rules.
    #[serde(default)]
    pub(crate) script: Option<String>,
    /// The fixes to apply.
    #[serde(default)]
    pub(crate) fix: Option<Fixing>,
}

/// The content of a file.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Content {
    Text(String),
    Binary { base64: String },
}

/// The fixes to apply.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Fixing {
    /// All safe fixes.
    Safe,
    /// All safe and unsafe fixes.
    Unsafe,
    /// The fix of a single finding, by its index in the report.
    One(usize),
}

impl Request {
    /// Returns the skill.
    ///
    /// # Errors
    /// E100 if the name or a path cannot be used, or the skill is too large; E010 if it has no `SKILL.md`.
    pub(crate) fn skill(&self) -> Result<Skill> {
        if self.name.contains(['/', '\\', '\0']) || matches!(&*self.name, "" | "." | "..") {
            return Err(Error::invalid_option("the skill needs a name without '/'"));
        }
        if self.files.len() > MAX_FILES {
            let message = format!("more than {MAX_FILES} files");
            return Err(Error::invalid_option(message));
        }
        let mut contents = Contents::new();
        let mut left = MAX_BYTES;
        for (path, content) in &self.files {
            let bytes = content.bytes(path)?;
            left = left.checked_sub(bytes.len()).ok_or_else(|| {
                let mib = MAX_BYTES >> 20;
                Error::invalid_option(format!("the skill is larger than {mib} MiB"))
            })?;
            let path = RelPath::parse(path)?;
            if path.as_str().is_empty() {
                return Err(Error::invalid_option("a file needs a name"));
            }
            contents.insert(path, bytes.into());
        }
        let skill = Skill::from_contents(&self.name, contents);
        if skill.main().is_none() {
            return Err(Error::NotASkill {
                path: self.name.clone(),
            });
        }
        Ok(skill)
    }
}

impl Content {
    fn bytes(&self, path: &str) -> Result<Vec<u8>> {
        match self {
            Self::Text(text) => Ok(text.clone().into_bytes()),
            Self::Binary { base64 } => STANDARD
                .decode(base64)
                .map_err(|_| Error::invalid_option(format!("'{path}' is not base64"))),
        }
    }
}
