//! From the runtime directory to the agents' skill directories: a link, or a copy where asked or needed.
//!
//! Nothing that skillc did not make is replaced without `--force`, and never the skill's own source or build.
//!
//! Source: RFC-0001 C-DEPLOYMENT, LEDGER D-AGENT-DIR, D-COPY-CONTENT, D-DEPLOY-CONFLICT.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use skillc_core::clients::AgentDir;
use skillc_core::layout::{RuntimeDir, canonical};
use skillc_core::{Error, Result, SkillRef, Warning};

use crate::build::BuildRequest;
use crate::build::manifest::Manifest;
use crate::operation::Notes;
use crate::staged::{remove, replace, sibling};

/// A skill in an agent's directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Deployment {
    /// Agent as asked for
    pub target: String,
    /// Where the agent finds the skill
    pub path: String,
    /// How it got there
    pub method: Method,
}

/// How a skill gets into an agent's directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// A symbolic link
    Symlink,
    /// A directory junction on Windows
    Junction,
    /// A copy of stub and manifest
    Copy,
}

impl Method {
    /// Returns `symlink`, `junction` or `copy`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Symlink => "symlink",
            Self::Junction => "junction",
            Self::Copy => "copy",
        }
    }
}

/// Deploys to every agent; after a failure the others are still done.
pub(crate) fn deploy_all(
    at: &SkillRef,
    runtime: &RuntimeDir,
    agents: &[AgentDir],
    request: &BuildRequest,
    notes: &mut Notes,
) -> Result<Vec<Deployment>> {
    let mut done = Vec::new();
    let mut failed = None;
    for agent in agents {
        let place = agent.dir.join(&at.name);
        match deploy(at, runtime, &place, request, notes) {
            Ok(method) => {
                done.push(Deployment {
                    target: agent.target.clone(),
                    path: place.display().to_string(),
                    method,
                });
            }
            Err(error) => drop(failed.get_or_insert(error)),
        }
    }
    match failed {
        None => Ok(done),
        Some(error) => {
            for Deployment { path, method, .. } in &done {
                notes.detail(format!("deploy  {path} ({})", method.as_str()));
            }
            Err(error)
        }
    }
}

fn deploy(
    at: &SkillRef,
    runtime: &RuntimeDir,
    place: &Path,
    request: &BuildRequest,
    notes: &mut Notes,
) -> Result<Method> {
    let dir = place.parent().unwrap_or(place);
    fs::create_dir_all(dir).map_err(|e| Error::io("creating", dir, &e))?;
    check_place(at, runtime, place, request.force)?;
    let fail = |e: &io::Error| Error::io("deploying to", place, e);
    let new = sibling(place, "new");
    remove(&new).map_err(|e| fail(&e))?;
    let linked = if request.copy {
        None
    } else {
        Some(link(&canonical(&runtime.0), &new))
    };
    let method = match linked {
        Some(Ok(method)) => method,
        other => {
            copy(runtime, &new).map_err(|e| fail(&e))?;
            if let Some(Err(error)) = other {
                let (path, reason) = (place.display().to_string(), error.to_string());
                notes.warn(Warning::DeployedByCopy { path, reason });
            }
            Method::Copy
        }
    };
    replace(&new, place).map_err(|e| fail(&e))?;
    Ok(method)
}

/// Makes sure that what is at the place may go.
fn check_place(at: &SkillRef, runtime: &RuntimeDir, place: &Path, force: bool) -> Result<()> {
    if place.is_symlink() || !place.exists() {
        return Ok(());
    }
    let real = canonical(place);
    let holds_ours = [&at.canonical, &canonical(&runtime.0)]
        .into_iter()
        .any(|own| own.starts_with(&real) || real.starts_with(own));
    if holds_ours {
        return Err(conflict(place, "it holds the skill itself", None));
    }
    let is_ours = Manifest::read(&RuntimeDir(place.to_path_buf()).manifest())
        .zip(Manifest::read(&runtime.manifest()))
        .is_some_and(|(there, here)| there.skill == here.skill);
    if force || is_ours {
        return Ok(());
    }
    Err(conflict(
        place,
        "not replacing it without --force",
        Some("Move it away, or build with --force to replace it."),
    ))
}

fn conflict(place: &Path, why: &str, hint: Option<&'static str>) -> Error {
    let kind = if place.is_dir() {
        "a directory"
    } else {
        "a file"
    };
    let message = format!("deploying to '{}': {kind} is there; {why}", place.display());
    Error::Internal {
        message,
        hint: hint.map(Into::into),
    }
}

#[cfg(unix)]
fn link(runtime: &Path, place: &Path) -> io::Result<Method> {
    std::os::unix::fs::symlink(runtime, place).map(|()| Method::Symlink)
}

#[cfg(windows)]
fn link(runtime: &Path, place: &Path) -> io::Result<Method> {
    // `mklink /J` makes a junction without administrator's rights; the standard library has no call for one.
    let status = std::process::Command::new("cmd")
        .args(["/C", "mklink", "/J"])
        .arg(place)
        .arg(runtime)
        .output()?
        .status;
    if status.success() {
        Ok(Method::Junction)
    } else {
        Err(io::Error::other("mklink failed"))
    }
}

#[cfg(not(any(unix, windows)))]
fn link(_: &Path, _: &Path) -> io::Result<Method> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Copies what agents read; logs and index stay in the runtime directory.
fn copy(runtime: &RuntimeDir, place: &Path) -> io::Result<()> {
    let there = RuntimeDir(place.to_path_buf());
    let files: [(PathBuf, PathBuf); 3] = [
        (runtime.stub(), there.stub()),
        (runtime.manifest(), there.manifest()),
        (runtime.compatible_manifest(), there.compatible_manifest()),
    ];
    for (from, to) in files {
        fs::create_dir_all(to.parent().unwrap_or(place))?;
        fs::copy(from, to)?;
    }
    Ok(())
}
