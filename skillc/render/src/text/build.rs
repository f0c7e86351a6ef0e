//! Text of `skc build`. Source: changelog of the specification (build output names its paths).

use std::io;

use skillc_ops::build::BuildResponse;

use crate::{Page, Render};

impl Render for BuildResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        let scope = self.scope.as_str();
        if let Some(from) = &self.imported_from {
            page.line(format_args!(
                "Imported {from} \u{2192} {} ({scope})",
                self.source
            ))?;
        }
        page.parts(&[
            page.plain("Built "),
            page.strong(&self.skill),
            page.plain(format_args!(" ({scope})")),
        ])?;
        page.line(format_args!("  Source:  {}", self.source))?;
        page.line(format_args!("  Runtime: {}", self.runtime))?;
        for deployment in &self.deploys {
            page.line(format_args!(
                "  Deploy:  {} ({})",
                deployment.path,
                deployment.method.as_str()
            ))?;
        }
        Ok(())
    }
}
