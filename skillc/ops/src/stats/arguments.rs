//! The arguments of a logged command.
//!
//! Design: C-LOGGING@7, C-LOGGING@4.

use std::borrow::Cow;

use serde::Deserialize;
use skillc_core::RelPath;

/// The arguments that statistics use; others are ignored.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Arguments<'a> {
    #[serde(borrow)]
    pub(super) section: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) file: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) path: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) query: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) dir: Option<Cow<'a, str>>,
    pub(super) result_count: Option<u64>,
    #[serde(borrow)]
    pub(super) unmatched: Vec<Cow<'a, str>>,
}

impl<'a> Arguments<'a> {
    /// Parses a JSON object; `None` if the text is not a valid object, or a field has the wrong type.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        // Serde would also accept a list of the fields' values in order.
        if !text.trim_ascii_start().starts_with('{') {
            return None;
        }
        serde_json::from_str(text).ok()
    }

    /// Returns the target of a command: a section, a path or a query; `None` if the command has no target.
    pub(super) fn target(&self, command: &str) -> Option<String> {
        let target = match command {
            "show" => &self.section,
            "open" => &self.path,
            "search" => &self.query,
            "sources" => &self.dir,
            _ => &None,
        };
        target.as_deref().map(str::to_owned)
    }

    /// Returns the file that was shown or opened, relative to the skill.
    pub(super) fn file(&self, command: &str) -> Option<String> {
        let file = if command == "open" {
            &self.path
        } else {
            &self.file
        };
        let file = file.as_deref().filter(|file| !file.is_empty())?;
        Some(RelPath::parse(file).map_or_else(|_| file.to_owned(), |path| path.to_string()))
    }
}
