//! The text output of `skc self check`.

use std::io;

use skillc_ops::self_check::{Installation, SelfCheckResponse};

use crate::{Page, Render};

impl Render for SelfCheckResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        page.line(format_args!("version    {}", self.version))?;
        let program = self.program.as_deref().unwrap_or("unknown");
        page.line(format_args!("program    {program}"))?;
        page.line(format_args!("installed  {}", words(self.installed)))?;
        let features = match &self.features[..] {
            [] => "none".to_owned(),
            features => features.join(", "),
        };
        page.line(format_args!("features   {features}"))?;
        for place in &self.places {
            let state = match (place.exists, place.writable) {
                (true, true) => "can be written",
                (true, false) => "cannot be written",
                (false, true) => "does not exist yet",
                (false, false) => "cannot be created",
            };
            page.line(format_args!("{:9}  {}: {state}", place.what, place.path))?;
        }
        for (at, path) in self.on_path.iter().enumerate() {
            let title = if at == 0 { "on PATH" } else { "" };
            page.line(format_args!("{title:9}  {path}"))?;
        }
        if self.on_path.is_empty() {
            page.line("on PATH    no skc: add its folder to PATH to run it by name")?;
        }
        for problem in &self.problems {
            page.line(format_args!("Problem: {problem}"))?;
        }
        Ok(())
    }
}

const fn words(installed: Installation) -> &'static str {
    match installed {
        Installation::Cargo => "by cargo",
        Installation::Wheel => "as a Python package",
        Installation::Npm => "as an npm package",
        Installation::System => "as a system package",
        Installation::Source => "no: it is in Cargo's build folder",
        Installation::Unknown => "unknown",
    }
}
