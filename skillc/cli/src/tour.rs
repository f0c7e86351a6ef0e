//! `skc tour`: a demonstration on a sample skill, in a temporary directory.
//!
//! Each step runs the real command, with a different home directory and working directory, and shows the real output.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anstyle::Style;
use skillc_core::context::SystemClock;
use skillc_core::{Context, Error, Result};

use crate::report::{Io, output_error};

/// The sample's files, relative to its root.
const SAMPLE: [(&str, &str); 3] = [
    ("SKILL.md", include_str!("tour/SKILL.md")),
    (
        "references/checklist.md",
        include_str!("tour/references/checklist.md"),
    ),
    (
        "assets/regions.csv",
        include_str!("tour/assets/regions.csv"),
    ),
];

/// For each step, the text that introduces the command, and the command's arguments.
const STEPS: [(&str, &[&str]); 7] = [
    (
        "Create a skill. (The tour then fills it with a sample: a SKILL.md, a reference and a table.)",
        &["init", "release-notes"],
    ),
    (
        "Lint it. (The sample has one mistake, on purpose.)",
        &["lint", "release-notes"],
    ),
    (
        "Compile it: a short stub is deployed to the agent, and the full text is indexed.",
        &["build", "release-notes"],
    ),
    (
        "See what the skill contains, as an agent would: the headings of all files.",
        &["outline", "release-notes"],
    ),
    (
        "Search for words in all sections, including tables; the best match comes first.",
        &["search", "release-notes", "rollback region", "--limit", "3"],
    ),
    (
        "Read just one section.",
        &["show", "release-notes", "--section", "Rolling back"],
    ),
    (
        "See how the skill is used: sections read, searches, and unread sections.",
        &["stats", "release-notes"],
    ),
];

pub(crate) fn tour(io: &mut Io<'_>, real: &Context) -> ExitCode {
    match run(io, real) {
        Ok(status) => status,
        Err(error) => io.fail(&error),
    }
}

fn run(io: &mut Io<'_>, real: &Context) -> Result<ExitCode> {
    let fail = |e: io::Error| {
        let dir = std::env::temp_dir();
        Error::Internal {
            hint: Some("Set TMPDIR to a writable directory.".into()),
            message: match Error::io("creating a temporary directory in", &dir, &e) {
                Error::Internal { message, .. } => message,
                other => other.message(),
            },
        }
    };
    let place = tempfile::Builder::new()
        .prefix("skc-tour-")
        .tempdir()
        .map_err(fail)?;
    let root = place.path().canonicalize().map_err(fail)?;
    let project = root.join("project");
    // The temporary directory may be inside another project: create a nearer project, so that its settings apply.
    fs::create_dir_all(project.join(".skillc/skills")).map_err(fail)?;
    fs::write(project.join(".skillc/config.toml"), "version = 1\n").map_err(fail)?;
    let clock = Arc::new(SystemClock);
    let quiet = real
        .env
        .iter()
        .filter(|(name, _)| *name == "SKC_NO_FSYNC")
        .map(|(k, v)| (k.clone(), v.clone()));
    let context = Context::new(
        project.clone(),
        Some(root.join("home")),
        quiet.collect::<BTreeMap<_, _>>(),
        clock,
    )?;

    say(
        io,
        "A tour of skc: one sample skill, from its creation to its usage statistics. Only a temporary directory is changed.",
    )?;
    for (at, (text, args)) in STEPS.iter().enumerate() {
        say(io, &format!("\n{}. {text}", at + 1))?;
        if step(io, args, &context)? != ExitCode::SUCCESS {
            return Ok(ExitCode::FAILURE);
        }
        if at == 0 {
            write_sample(&project.join(".skillc/skills/release-notes"))?;
        }
    }
    say(
        io,
        "\nEnd of the tour; its directory has been deleted. For a skill of your own: skc lint PATH, then skc build PATH.\nFor an agent client with MCP: skc mcp install --client claude-code; skc mcp status lists all clients.\nEvery command has --help with examples.",
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Prints a command line, runs it, and prints first its diagnostics, then its results, both to standard output.
fn step(io: &mut Io<'_>, args: &[&str], context: &Context) -> Result<ExitCode> {
    let words = args.iter().map(|arg| {
        if arg.contains(' ') {
            format!("\"{arg}\"")
        } else {
            (*arg).to_owned()
        }
    });
    let line = words.collect::<Vec<_>>().join(" ");
    let bold = if io.out_is_styled {
        Style::new().bold()
    } else {
        Style::new()
    };
    write(io, &format!("{bold}$ skc {line}{}\n", bold.render_reset()))?;
    let args: Vec<OsString> = ["skc"].iter().chain(args).map(OsString::from).collect();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let is_styled = io.out_is_styled;
    let mut inner = Io {
        out: &mut out,
        err: &mut err,
        out_is_styled: is_styled,
        err_is_styled: is_styled,
    };
    let status = crate::run(&args, &mut inner, context.clone());
    write(io, &String::from_utf8_lossy(&err))?;
    write(io, &String::from_utf8_lossy(&out))?;
    Ok(status)
}

fn write_sample(skill: &Path) -> Result<()> {
    for (path, text) in SAMPLE {
        let full = skill.join(path);
        let dir = full.parent().unwrap_or(skill);
        fs::create_dir_all(dir)
            .and_then(|()| fs::write(&full, text))
            .map_err(|e| Error::io("writing", &full, &e))?;
    }
    Ok(())
}

fn say(io: &mut Io<'_>, text: &str) -> Result<()> {
    write(io, &format!("{text}\n"))
}

fn write(io: &mut Io<'_>, text: &str) -> Result<()> {
    match io.out.write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(output_error(&error)),
        _ => Ok(()),
    }
}
