//! Helpers to read and quote the fields of `SKILL.md`.

use skillc_core::{Document, Field};

pub(crate) use skillc_core::clients::shown;

/// Returns a frontmatter field; from an invalid block, if it was recovered.
pub(crate) fn field<'a>(main: &'a Document, key: &str) -> Option<&'a Field> {
    main.frontmatter.fields()?.get(key)
}
