//! How rules read and repeat the fields of `SKILL.md`.

use skillc_core::{Document, Field};

pub(crate) use skillc_core::clients::shown;

/// Returns a field of the frontmatter; of a faulty one, if it was recovered.
pub(crate) fn field<'a>(main: &'a Document, key: &str) -> Option<&'a Field> {
    main.frontmatter.fields()?.get(key)
}
