//! The text output of `skc init`.

use std::io;

use skillc_ops::init::InitResponse;

use crate::{Page, Render};

impl Render for InitResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        page.line(&self.message)?;
        for path in &self.also {
            page.line(format_args!("Wrote {path}{}", purpose(path)))?;
        }
        if let Some(advice) = &self.advice {
            page.line(format_args!("Note: {advice}"))?;
        }
        if let Some(next) = &self.next {
            page.line(format_args!("Next: {next}"))?;
        }
        Ok(())
    }
}

/// Returns a short description of the purpose of a new project's file.
fn purpose(path: &str) -> &'static str {
    if path.ends_with(".gitignore") {
        super::build::IGNORED
    } else {
        ": builds go to the project's agent folders"
    }
}
