//! Packs: folders of scripts with a `pack.toml` that declares name, version and requirements.
//!
//! Design: R5, R20.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;
use skillc_core::did_you_mean::nearest;
use toml_edit::{Document, Item, Value};

/// The file that makes a folder a pack.
pub(crate) const PACK_FILE: &str = "pack.toml";

/// The size limit of a `pack.toml`, in bytes.
pub(crate) const MAX_PACK_BYTES: usize = 64 << 10;

/// The keys of a `pack.toml`, in the order of the documentation.
const KEYS: [&str; 4] = ["name", "version", "description", "skc"];

/// Metadata of a pack
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Pack {
    /// Its name
    pub name: String,
    /// Its version
    pub version: String,
    /// Description
    pub description: String,
    /// Minimum version of skc
    pub skc: String,
}

/// A fault of a `pack.toml`, with its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PackFault {
    /// Byte offset in the file.
    pub(crate) at: Option<usize>,
    pub(crate) message: String,
}

/// Reads a `pack.toml`. `skc`: the version of this program.
///
/// # Errors
/// Returns the first fault of the file.
pub(crate) fn read(bytes: &[u8], skc: &str) -> Result<Pack, PackFault> {
    let whole = |message: String| PackFault { at: None, message };
    if bytes.len() > MAX_PACK_BYTES {
        return Err(whole(format!("larger than {} KiB", MAX_PACK_BYTES >> 10)));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| PackFault {
        at: Some(error.valid_up_to()),
        message: "is not UTF-8 from here on".to_owned(),
    })?;
    let document = Document::parse(text).map_err(|error| PackFault {
        at: error.span().map(|span| span.start),
        message: error.message().replace('\n', ", "),
    })?;
    let table = document.as_table();
    for (key, _) in table {
        if !KEYS.contains(&key) {
            let place = table.key(key).and_then(toml_edit::Key::span);
            return Err(PackFault {
                at: place.map(|span| span.start),
                message: unknown(key),
            });
        }
    }
    let text_of = |key: &str| -> Result<(String, Option<usize>), PackFault> {
        let item = table
            .get(key)
            .ok_or_else(|| whole(format!("has no '{key}'")))?;
        let at = item.span().map(|span: Range<usize>| span.start);
        match item {
            Item::Value(Value::String(text)) if !text.value().trim().is_empty() => {
                Ok((text.value().trim().to_owned(), at))
            }
            _ => Err(PackFault {
                at,
                message: format!("'{key}' must be a non-empty string"),
            }),
        }
    };
    let (skc_needed, at) = text_of("skc")?;
    let pack = Pack {
        name: text_of("name")?.0,
        version: text_of("version")?.0,
        description: text_of("description")?.0,
        skc: skc_needed,
    };
    let fault = |message| PackFault { at, message };
    let Some(needed) = version(&pack.skc) else {
        return Err(fault(format!(
            "'skc' is '{}', which is not a version such as 0.3.0",
            pack.skc
        )));
    };
    if version(skc).is_some_and(|have| have < needed) {
        return Err(fault(format!("needs skc {}; this is {skc}", pack.skc)));
    }
    Ok(pack)
}

fn unknown(key: &str) -> String {
    let meant = nearest(key, KEYS).map(|meant| format!("; did you mean '{meant}'?"));
    let others = || format!("; known keys: {}", KEYS.join(", "));
    format!("unknown key '{key}'{}", meant.unwrap_or_else(others))
}

/// Parses `major.minor.patch`. A suffix after `-` or `+` is ignored.
fn version(text: &str) -> Option<[u64; 3]> {
    let numbers = text.split(['-', '+']).next()?;
    let mut parts = numbers.split('.').map(|part| {
        let is_number = !part.is_empty() && part.bytes().all(|c| c.is_ascii_digit());
        is_number.then(|| part.parse().ok()).flatten()
    });
    let version = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str =
        "name = \"team\"\nversion = \"1.2.0\"\ndescription = \"Ours\"\nskc = \"0.3.0\"\n";

    fn fault(text: &str) -> (Option<usize>, String) {
        let fault = read(text.as_bytes(), "0.3.0").unwrap_err();
        (fault.at, fault.message)
    }

    /// R5.
    #[test]
    fn a_pack_has_a_name_and_requirements() {
        let pack = read(WHOLE.as_bytes(), "0.3.0").unwrap();
        assert_eq!(
            (pack.name.as_str(), pack.version.as_str()),
            ("team", "1.2.0")
        );
        assert!(read(WHOLE.as_bytes(), "1.0.0").is_ok());
    }

    #[test]
    fn pack_faults_have_their_location() {
        let (at, message) = fault(&WHOLE.replace("version", "verison"));
        assert_eq!(at, Some(14));
        assert_eq!(message, "unknown key 'verison'; did you mean 'version'?");
        let (_, message) = fault("zzz = 1");
        assert!(message.contains("known keys: name, version"), "{message}");
        let (_, message) = fault(&WHOLE.replace("name = \"team\"\n", ""));
        assert_eq!(message, "has no 'name'");
        let (at, message) = fault(&WHOLE.replace("\"0.3.0\"", "\"0.10.0\""));
        assert_eq!(message, "needs skc 0.10.0; this is 0.3.0");
        assert_eq!(at, WHOLE.find("\"0.3.0\""));
        for (from, to, said) in [
            ("\"0.3.0\"", "\"0.3\"", "not a version"),
            ("\"0.3.0\"", "\"^0.3.0\"", "not a version"),
            ("\"team\"", "7", "must be a non-empty string"),
            ("\"team\"", "\" \"", "must be a non-empty string"),
            ("\"team\"", "team", ""),
        ] {
            let (at, message) = fault(&WHOLE.replacen(from, to, 1));
            assert!(message.contains(said) && at.is_some(), "{to}: {message}");
        }
        let (_, message) = fault(&"#".repeat(MAX_PACK_BYTES + 1));
        assert_eq!(message, "larger than 64 KiB");
        assert!(read(b"name = \"\xff\"", "0.3.0").is_err());
    }
}
