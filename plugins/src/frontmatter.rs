//! Helpers to read and quote the fields of `SKILL.md`.

use skillc_core::{Document, Field};

pub(crate) use skillc_core::clients::shown;

/// Returns a frontmatter field. If the block is invalid, only a recovered field is returned.
pub(crate) fn field<'a>(main: &'a Document, key: &str) -> Option<&'a Field> {
    main.frontmatter.fields()?.get(key)
}
