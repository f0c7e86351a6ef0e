//! Text out of a skill, byte for byte.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use skillc_core::LineIndex;

/// Bytes of a file; in JSON a text, or base64 where they are not UTF-8.
///
/// # Source
/// RULINGS R7.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileContent(pub Vec<u8>);

/// The JSON form.
#[derive(Serialize, JsonSchema)]
struct Encoded<'a> {
    /// How `content` is written
    encoding: Encoding,
    /// The bytes
    content: Cow<'a, str>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Encoding {
    #[serde(rename = "utf-8")]
    Utf8,
    Base64,
}

impl Serialize for FileContent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let encoded = match std::str::from_utf8(&self.0) {
            Ok(text) => Encoded {
                encoding: Encoding::Utf8,
                content: text.into(),
            },
            Err(_) => Encoded {
                encoding: Encoding::Base64,
                content: STANDARD.encode(&self.0).into(),
            },
        };
        encoded.serialize(serializer)
    }
}

impl JsonSchema for FileContent {
    fn schema_name() -> Cow<'static, str> {
        "FileContent".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Encoded::json_schema(generator)
    }
}

/// Keeps the first lines.
///
/// Returns them unchanged, and how many lines were cut.
///
/// # Source
/// RFC-0002 C-SHOW, C-OPEN (`--max-lines`).
pub(crate) fn first_lines(mut bytes: Vec<u8>, max_lines: Option<usize>) -> (FileContent, usize) {
    let Some(max_lines) = max_lines else {
        return (FileContent(bytes), 0);
    };
    let lines = LineIndex::new(&bytes);
    let cut = lines.count().saturating_sub(max_lines);
    if cut > 0 {
        bytes.truncate(lines.range(1, max_lines.saturating_add(1)).end);
    }
    (FileContent(bytes), cut)
}
