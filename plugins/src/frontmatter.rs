//! Helpers to read the fields of `SKILL.md`, and to quote them in messages.

use skillc_core::{Document, Field};

pub(crate) use skillc_core::clients::shown;

/// Returns a frontmatter field. If the frontmatter is invalid, returns the field only if it could be recovered.
pub(crate) fn field<'a>(main: &'a Document, key: &str) -> Option<&'a Field> {
    main.frontmatter.fields()?.get(key)
}
