//! Helpers shared by several of these tests.

use serde_json::Value;
use skillc_tests::{Output, World};

/// A `SKILL.md` with one error: a missing name.
pub(crate) const NAMELESS: &str =
    "---\ndescription: Has no name. Use when testing.\n---\n\n# Nameless\n";

/// A `SKILL.md` with one warning: a skipped level.
pub(crate) const DEEP: &str =
    "---\nname: deep\ndescription: Skips a level. Use when testing.\n---\n\n# Deep\n\n### Deeper\n";

/// Returns the reports of a JSON run, in order.
#[track_caller]
pub(crate) fn reports(run: &Output) -> Vec<Value> {
    let json = run.json();
    match &json["skills"] {
        Value::Array(reports) => reports.clone(),
        _ => vec![json],
    }
}

/// Runs `skc lint` and returns the paths of the linted skills, in order. Paths are relative to the working directory,
/// with `~` for the home directory.
#[track_caller]
pub(crate) fn linted(world: &World, args: &[&str]) -> Vec<String> {
    let run = world.skc_at(&world.cwd, &[&["lint", "-o", "json"], args].concat());
    let place = |report: &Value| {
        let path = report["path"].as_str().expect("a path");
        let home = path.replace(&world.home.display().to_string(), "~");
        let below = home.strip_prefix(&world.cwd.display().to_string());
        below.map_or(home.clone(), |below| {
            below.trim_start_matches('/').to_owned()
        })
    };
    reports(&run).iter().map(place).collect()
}

/// Returns the codes and files of a report's findings, in order: `SKL101 SKILL.md`.
pub(crate) fn findings(report: &Value) -> Vec<String> {
    let found = report["diagnostics"].as_array().expect("findings");
    let text = |finding: &Value, field: &str| finding[field].as_str().unwrap_or("-").to_owned();
    let show = |finding| text(finding, "rule") + " " + text(finding, "file").as_str();
    found.iter().map(show).collect()
}
