//! `skc build`: compiles a skill to its runtime directory and deploys it to agents.
//!
//! Source: RFC-0001, RFC-0007 C-COMMANDS, LEDGER D-BUILD-ARG, D-RUNTIME-STORE, D-MCP-RESULTS.

mod compile;
mod deploy;
mod import;
mod index;
mod lock;
pub(crate) mod manifest;
mod sections;
mod stub;

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_core::clients::{AgentDir, Clients};
use skillc_core::layout::{RuntimeDir, Scope, canonical};
use skillc_core::{Error, Result, SkillRef};

use crate::access::Arguments;
use crate::operation::{Example, Notes, Operation, Scripts, Toolkit};
use crate::tool::{Effect, ResultText, Tool};
use deploy::{DeployJob, Deployment};
use lock::{BuildLock, Wait};

/// The agent that is deployed to unless asked otherwise.
const DEFAULT_TARGET: &str = "claude";

/// Arguments of `skc build`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct BuildRequest {
    /// Skill name or path; a path outside the stores is imported first
    pub skill: String,
    /// Build to the global runtime whatever the skill's scope
    #[cfg_attr(feature = "clap", arg(long, short))]
    #[serde(default)]
    pub global: bool,
    /// Agents to deploy to, by name or directory
    #[cfg_attr(feature = "clap", arg(long, short, value_name = "AGENTS", value_delimiter = ',', default_value = DEFAULT_TARGET))]
    #[serde(default = "default_target")]
    pub target: Vec<String>,
    /// Deploy a copy in place of a link
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(default)]
    pub copy: bool,
    /// Replace what is there: an imported skill of that name, a directory at the agent
    #[cfg_attr(feature = "clap", arg(long, short))]
    #[serde(default)]
    pub force: bool,
}

fn default_target() -> Vec<String> {
    vec![DEFAULT_TARGET.to_owned()]
}

/// What was built and where it went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BuildResponse {
    /// Always true
    pub success: bool,
    /// Skill's directory name
    pub skill: String,
    /// Whose runtime it is in
    pub scope: Scope,
    /// Source directory
    pub source: String,
    /// Runtime directory
    pub runtime: String,
    /// Agent directories, in the order asked for
    pub deploys: Vec<Deployment>,
    /// Directory that was imported first
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imported_from: Option<String>,
}

/// The operation.
pub struct Build;

impl Operation for Build {
    const NAME: &'static str = "build";
    const ABOUT: &'static str = "Compile a skill and deploy it to agents";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc build my-skill",
            does: "build, and link it for Claude",
        },
        Example {
            command: "skc build my-skill --target claude,cursor,codex",
            does: "for three agents",
        },
        Example {
            command: "skc build ./downloads/pdf-forms",
            does: "import a skill, then build it",
        },
        Example {
            command: "skc build my-skill --global --copy",
            does: "global runtime, real copies",
        },
    ];
    const TOOL: Option<Tool> = Some(Tool {
        title: "Build a skill",
        about: "Compile a skill: index it for skc_search and skc_show, and deploy a stub to agents. Build again after edits.",
        effect: Effect::Replaces,
        text: ResultText::Json,
        gives_skill: true,
    });
    const SCRIPTS: Scripts = Scripts::Used;
    type Request = BuildRequest;
    type Response = BuildResponse;

    fn arguments(request: &BuildRequest) -> Arguments {
        Arguments::from([
            ("global", request.global.into()),
            ("target", request.target.clone().into()),
            ("copy", request.copy.into()),
            ("force", request.force.into()),
        ])
    }

    fn run(toolkit: &Toolkit, request: BuildRequest, notes: &mut Notes) -> Result<BuildResponse> {
        let agents = agent_dirs(toolkit, &request.target)?;
        let asked = toolkit.find(&request.skill, notes)?;
        let (at, imported_from) = if asked.store.is_some() {
            (asked, None)
        } else {
            let imported = import::import(toolkit, &asked, &request)?;
            notes.found(&imported);
            (imported, Some(asked.source))
        };
        let (runtime, scope) = runtime_of(&at, request.global);
        notes.detail(format!("runtime {}", runtime.0.display()));

        check_apart(&at, runtime)?;
        if !runtime.meta().is_dir() {
            // Nothing is written for a skill that cannot be built: look before the lock makes directories.
            compile::check(&at)?;
        }
        let lock = BuildLock::acquire(&runtime.build_lock(), &at.name, Wait::of(toolkit))?;
        toolkit.stop.check()?;
        compile::compile(toolkit, &at, runtime, notes)?;
        toolkit.stop.check()?;
        let job = DeployJob {
            at: &at,
            runtime,
            imported_from: imported_from.as_deref(),
            copy: request.copy,
            force: request.force,
            wait: Wait::of(toolkit),
        };
        let deploys = deploy::deploy_all(&job, &agents, notes)?;
        drop(lock);
        Ok(BuildResponse {
            success: true,
            skill: at.name.clone(),
            scope,
            source: text(&at.source),
            runtime: text(&runtime.0),
            deploys,
            imported_from: imported_from.as_deref().map(text),
        })
    }
}

/// Finds the agent directories before anything is written; two names for one directory are one.
fn agent_dirs(toolkit: &Toolkit, targets: &[String]) -> Result<Vec<AgentDir>> {
    let mut found: Vec<AgentDir> = Vec::new();
    for target in targets
        .iter()
        .map(|target| target.trim())
        .filter(|target| !target.is_empty())
    {
        let mut agent =
            Clients::shared().agent_dir(&toolkit.context, &toolkit.config.targets, target)?;
        // `./x` and `x/` are one place.
        agent.dir = agent.dir.components().collect();
        if found.iter().all(|other| other.dir != agent.dir) {
            found.push(agent);
        }
    }
    if found.is_empty() {
        return Err(Error::invalid_option("no target is named"));
    }
    Ok(found)
}

const fn runtime_of(at: &SkillRef, global: bool) -> (&RuntimeDir, Scope) {
    if global {
        (&at.global_runtime, Scope::Global)
    } else {
        (&at.runtime, at.scope)
    }
}

/// Makes sure that a build does not go into its own source, nor through a link into another's, where its stub would
/// replace the skill.
pub(crate) fn check_apart(at: &SkillRef, runtime: &RuntimeDir) -> Result<()> {
    let real = canonical(&real_place(&runtime.0));
    let what = if real.starts_with(&at.canonical) || at.canonical.starts_with(&real) {
        "the source of the skill is there"
    } else if is_foreign(runtime) {
        "it leads to a skill that no build made"
    } else {
        return Ok(());
    };
    let place = runtime.0.display();
    Err(Error::internal(format!("building into '{place}': {what}")))
}

/// Says whether a runtime directory is one by a link only, and has a `SKILL.md` without anything of ours beside it.
fn is_foreign(runtime: &RuntimeDir) -> bool {
    // The directory, the one of all builds, and `.skillc`.
    let is_linked = runtime.0.ancestors().take(3).any(Path::is_symlink);
    is_linked && runtime.stub().exists() && !runtime.meta().is_dir()
}

/// Returns where an entry is or would be: the directories above it without links, the entry itself not followed.
fn real_place(path: &Path) -> PathBuf {
    let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else {
        return path.to_path_buf();
    };
    dir.canonicalize()
        .unwrap_or_else(|_| real_place(dir))
        .join(name)
}

fn text(path: &Path) -> String {
    path.display().to_string()
}
