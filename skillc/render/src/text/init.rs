//! Text of `skc init`.

use std::io;

use skillc_ops::init::InitResponse;

use crate::{Page, Render};

impl Render for InitResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        page.line(&self.message)
    }
}
