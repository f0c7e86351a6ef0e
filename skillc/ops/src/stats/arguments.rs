//! The arguments of a logged command.
//!
//! Design: C-LOGGING@7, C-LOGGING@4.

use std::borrow::Cow;

use serde::Deserialize;
use skillc_core::RelPath;

/// What is read of the arguments; the rest is passed over.
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
}

impl<'a> Arguments<'a> {
    /// Reads the text of a JSON object; `None` if it is none, or a field has another type.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        // A list would be taken for the fields in their order.
        if !text.trim_ascii_start().starts_with('{') {
            return None;
        }
        serde_json::from_str(text).ok()
    }

    /// Returns what a command was asked for: a section, a path, a query; nothing if it takes none.
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

    /// Returns the file that was shown or opened, as the skill names it.
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
