//! The text output of `skc schema`: the schema itself.

use std::io;

use skillc_ops::schema::SchemaResponse;

use crate::{Page, Render, json};

impl Render for SchemaResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        json(self, page)
    }
}
