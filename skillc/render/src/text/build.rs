//! The text output of `skc build`. Design: CL.6.

use std::io;

use skillc_ops::build::{BuildReport, BuildResponse, SeveralBuilds};

use crate::{Page, Render, clean};

/// The text that explains the `.gitignore` of a project.
pub(super) const IGNORED: &str = ": builds and logs stay out of version control";

impl Render for BuildReport {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        match self {
            Self::One(built) => one(built, page),
            Self::Several(builds) => several(builds, page),
        }
    }
}

fn one(built: &BuildResponse, page: &mut Page<'_>) -> io::Result<()> {
    if let Some(from) = &built.imported_from {
        page.line(format_args!(
            "Imported {from} \u{2192} {} ({})",
            built.source,
            built.scope.as_str()
        ))?;
    }
    headline(built, page)?;
    page.line(format_args!("  Source:  {}", built.source))?;
    page.line(format_args!("  Runtime: {}", built.runtime))?;
    deploys(built, page)
}

/// Writes the results of several builds. The paths of the sources and builds are left out, because their parent
/// directories are the same for all skills.
fn several(builds: &SeveralBuilds, page: &mut Page<'_>) -> io::Result<()> {
    for built in &builds.skills {
        headline(built, page)?;
        deploys(built, page)?;
    }
    for failed in &builds.failed {
        let line = clean(&format!("{}: {}", failed.skill, failed.error)).into_owned();
        writeln!(page.err, "{line}")?;
        for help in failed.help.iter().flat_map(|help| help.lines()) {
            writeln!(page.err, "  {}", clean(help))?;
        }
    }
    let (done, failed) = (builds.skills.len(), builds.failed.len());
    page.line(match failed {
        0 => format!("Built {}", counted(done)),
        _ => format!(
            "Built {done} of {}; {failed} failed",
            counted(done + failed)
        ),
    })
}

fn counted(skills: usize) -> String {
    match skills {
        1 => "1 skill".to_owned(),
        _ => format!("{skills} skills"),
    }
}

fn headline(built: &BuildResponse, page: &mut Page<'_>) -> io::Result<()> {
    page.parts(&[
        page.plain("Built "),
        page.strong(&built.skill),
        page.plain(format_args!(
            " ({}{})",
            built.scope.as_str(),
            if built.in_place { ", in place" } else { "" }
        )),
    ])
}

fn deploys(built: &BuildResponse, page: &mut Page<'_>) -> io::Result<()> {
    if built.in_place && built.deploys.is_empty() {
        page.line(
            "  Deploy:  none; clients read the skill directly. For others, use --target CLIENT",
        )?;
    }
    for deployment in &built.deploys {
        page.line(format_args!(
            "  Deploy:  {} ({})",
            deployment.path,
            deployment.method.as_str()
        ))?;
    }
    for path in &built.updated {
        page.line(format_args!("  Updated: {path} (copy)"))?;
    }
    if let Some(path) = &built.gitignore {
        page.line(format_args!("Wrote {path}{IGNORED}"))?;
    }
    Ok(())
}
