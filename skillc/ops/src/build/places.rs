//! Where a skill is deployed: the agent folders of the requested targets, either the user's or the project's.

use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use skillc_catalog::Audience;
use skillc_core::clients::{AgentDir, Clients};
use skillc_core::config::{Config, DeployScope};
use skillc_core::layout::{Scope, Store, canonical};
use skillc_core::{Context, Error, Result, SkillRef};

use crate::build::BuildRequest;
use crate::build::import::Import;
use crate::runtime::real_place;
use crate::toolkit::Toolkit;
use skillc_core::shell::shell_word;

/// The folders of a deployment.
pub(super) struct Places {
    /// The agent folders, without duplicates.
    pub(super) agents: Vec<AgentDir>,
    /// The project whose agent folders are used; `None` if the user's agent folders are used.
    pub(super) project: Option<PathBuf>,
}

impl Places {
    /// Validates the targets before anything is written.
    ///
    /// # Errors
    /// E100 if a target is unknown, or if no target is named.
    pub(super) fn check(toolkit: &Toolkit, request: &BuildRequest) -> Result<()> {
        agent_dirs(toolkit, &request.targets(), None).map(drop)
    }

    /// Returns the agent folders for a skill.
    ///
    /// # Errors
    /// The same as for [`check`](Self::check); also E100 if project scope is requested for a skill that is built for
    /// the user.
    pub(super) fn new(toolkit: &Toolkit, at: &SkillRef, request: &BuildRequest) -> Result<Self> {
        let project = match scope_of(toolkit, at, request)? {
            DeployScope::Project => owner(at).map(|store| store.root),
            DeployScope::User => None,
        };
        let agents = agent_dirs(toolkit, &request.targets(), project.as_deref())?;
        Ok(Self { agents, project })
    }
}

impl Places {
    /// Makes sure, before an import, that no stub would replace the original skill.
    ///
    /// # Errors
    /// E999 if a stub would replace the original skill.
    pub(super) fn check_apart(&self, import: &Import) -> Result<()> {
        let original = canonical(&import.from.source);
        for agent in &self.agents {
            let place = agent.dir.join(&import.at.name);
            let real = real_place(&place);
            if !(original.starts_with(&real) || real.starts_with(&original)) {
                continue;
            }
            let path = shell_word(&import.from.asked);
            let (to, name) = (import.at.source.display(), shell_word(&import.at.name));
            return Err(Error::Internal {
                message: format!("deploying to '{}': the skill's own source is there", place.display()),
                hint: Some(
                    format!(
                        "To build it in place: skc build {path} --in-place\nTo keep it in the store: move the folder to '{to}', then run: skc build {name}"
                    )
                    .into(),
                ),
            });
        }
        Ok(())
    }
}

/// Returns the scope of a deployment: the requested scope, or the scope in the configuration of the skill's project.
/// For a skill outside projects, and with `--global`, it is always [`DeployScope::User`].
///
/// # Errors
/// E100 if project scope is requested in one of these cases.
fn scope_of(toolkit: &Toolkit, at: &SkillRef, request: &BuildRequest) -> Result<DeployScope> {
    let store = owner(at);
    let project = store.filter(|store| store.scope == Scope::Project && !request.global);
    let Some(store) = project else {
        if request.scope != Some(DeployScope::Project) {
            return Ok(DeployScope::User);
        }
        let message = if request.global {
            "--scope project cannot be used with --global".to_owned()
        } else {
            format!(
                "--scope project: '{}' does not belong to a project",
                at.name
            )
        };
        return Err(Error::invalid_option(message));
    };
    if let Some(scope) = request.scope {
        return Ok(scope);
    }
    let nearest = toolkit.stores.first();
    if nearest.is_some_and(|nearest| *nearest == store) {
        return Ok(toolkit.config.deploy);
    }
    // The skill may belong to another project than the working directory: the configuration of the skill's project
    // applies.
    let there = Context {
        cwd: store.root,
        ..Context::clone(&toolkit.context)
    };
    Ok(Config::read(&there).0.deploy)
}

/// Returns the store that owns a skill; for a skill built in place in a client's folder, the store of its project.
pub(super) fn owner(at: &SkillRef) -> Option<Store> {
    let folder = || at.client_folder.as_ref();
    let of_folder = || folder().map(|folder| Store::project(folder.root.clone()));
    let of_folder = || of_folder().filter(|_| at.scope == Scope::Project);
    at.store.clone().or_else(of_folder)
}

/// Makes sure that a target requested by a model is a name: a path could point to any of the user's folders.
///
/// # Errors
/// E100 for a path.
fn check_named(toolkit: &Toolkit, target: &str) -> Result<()> {
    let is_name = toolkit.config.targets.contains_key(target)
        || !(target.starts_with(['~', '.']) || target.contains(['/', MAIN_SEPARATOR]));
    if toolkit.audience == Audience::Person || is_name {
        return Ok(());
    }
    Err(Error::InvalidOption {
        message: format!("target '{target}' is a path; MCP calls accept only names"),
        hint: Some("Give a client's id, or a name from [targets] in the configuration.".into()),
    })
}

/// Resolves targets to agent directories, without duplicates.
fn agent_dirs(
    toolkit: &Toolkit,
    targets: &[String],
    project: Option<&Path>,
) -> Result<Vec<AgentDir>> {
    let (context, extra) = (&toolkit.context, &toolkit.config.targets);
    let mut found: Vec<AgentDir> = Vec::new();
    let named = targets.iter().map(|target| target.trim());
    for target in named.filter(|target| !target.is_empty()) {
        check_named(toolkit, target)?;
        for mut agent in Clients::shared().agent_dirs(context, extra, target, project)? {
            // Normalize, so that `./x` and `x/` are treated as one directory.
            agent.dir = agent.dir.components().collect();
            if found.iter().all(|other| other.dir != agent.dir) {
                found.push(agent);
            }
        }
    }
    if found.is_empty() {
        return Err(Error::invalid_option("no target given"));
    }
    Ok(found)
}
