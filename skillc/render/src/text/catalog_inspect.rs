//! The text output of `skc catalog inspect`: directories, skills, limits, rules, and the skills loaded in this run.

use std::io;

use anstyle::AnsiColor;
use skillc_ops::catalog::ALL_OFF;
use skillc_ops::catalog::inspect::{CatalogInspectResponse, Inspected, InspectedRules};

use crate::{Page, Render};

impl Render for CatalogInspectResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        page.line(format_args!("Root       {}", self.root_dir))?;
        page.line(format_args!("Directory  {}", self.working_dir))?;
        page.line(format_args!("Run        {}", self.run_id))?;
        let Some(of_skills) = &self.skills else {
            return Ok(());
        };
        let skills = &of_skills.seen;
        if !skills.enabled {
            page.parts(&[page.coloured(AnsiColor::Yellow, ALL_OFF)])?;
        }
        roots(skills, page)?;
        found(skills, page)?;
        if let Some(of_skills) = &of_skills.rules {
            rules(of_skills, page)?;
        }
        page.line("")?;
        page.parts(&[page.strong("Limits")])?;
        for (table, limits) in skills.limits.tables() {
            let limits = limits.iter().map(|(key, limit)| format!("{key} {limit}"));
            let limits = limits.collect::<Vec<_>>().join(", ");
            page.line(format_args!("  {table:8}{limits}"))?;
        }
        Ok(())
    }
}

fn roots(skills: &Inspected, page: &mut Page<'_>) -> io::Result<()> {
    page.line("")?;
    page.parts(&[page.strong(format_args!("{:5}  {:8}  SKILLS  PATH", "SCOPE", "KIND"))])?;
    for root in &skills.roots {
        let count = if root.exists {
            root.entries.to_string()
        } else {
            "-".to_owned()
        };
        let line = format!(
            "{:5}  {:8}  {count:>6}  {}",
            root.scope.as_str(),
            root.origin,
            root.path
        );
        page.parts(&[if root.exists {
            page.plain(line)
        } else {
            page.faint(line)
        }])?;
    }
    Ok(())
}

fn found(skills: &Inspected, page: &mut Page<'_>) -> io::Result<()> {
    let all = skills.catalog.skills();
    let off = all.iter().filter(|entry| !entry.enabled).count();
    let errors = skills.catalog.error_count();
    page.line("")?;
    let (skills_found, errors) = (count(all.len(), "skill"), count(errors, "error"));
    page.line(format_args!(
        "Found      {skills_found}, {off} disabled, {errors}"
    ))?;
    let told = &skills.injected;
    let cut = if told.truncated { ", truncated" } else { "" };
    let (entries, bytes) = (count(told.entries, "skill"), told.bytes);
    page.line(format_args!("At start   {entries}, {bytes} bytes{cut}"))?;
    for load in &skills.loaded_versions {
        let (path, times) = (&load.path, load.loads);
        page.line(format_args!("Loaded     {path} ({times} x)"))?;
    }
    Ok(())
}

fn rules(rules: &InspectedRules, page: &mut Page<'_>) -> io::Result<()> {
    page.line("")?;
    page.parts(&[page.strong("Rules")])?;
    let default = rules
        .default
        .as_deref()
        .unwrap_or(if rules.allow.is_empty() {
            "allow"
        } else {
            "confirm"
        });
    for rule in &rules.deny {
        page.line(format_args!("  deny   {rule}"))?;
    }
    for rule in &rules.allow {
        page.line(format_args!("  allow  {rule}"))?;
    }
    page.line(format_args!("  else   {default}"))
}

fn count(count: usize, one: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        _ => format!("{count} {one}s"),
    }
}
