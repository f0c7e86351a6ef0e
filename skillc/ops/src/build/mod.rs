//! `skc build`: compiles a skill into its runtime directory and deploys it to agents.
//!
//! Design: requirements-build, C-COMMANDS, D-BUILD-ARG, D-RUNTIME-STORE, D-MCP-RESULTS.

mod compare;
mod compile;
mod deploy;
mod import;
mod index;
mod places;
mod refresh;
mod response;
mod scanned;
mod sections;
mod select;
pub(crate) mod stub;

use std::path::Path;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use skillc_core::config::DeployScope;
use skillc_core::layout::{RuntimeDir, Scope};
use skillc_core::resolve::{lexical, nearest_store};
use skillc_core::{Context, Result, SkillRef};

use crate::access::{self, Arguments, Use};
use crate::named::WILD;
use crate::notes::Notes;
use crate::operation::{Example, Operation, Scripts, Verdict, tool_of};
use crate::project_files::write_ignore_file;
use crate::runtime::lock::{BuildLock, Wait};
use crate::runtime::{check_apart, with_runtime};
use crate::tool::{Effect, Form, ResultText, Tool};
use crate::toolkit::Toolkit;
use deploy::{DeployJob, Force};
use places::Places;
use select::{Selected, Selection, select};

pub use deploy::{Deployment, Method};
pub use response::{BuildReport, BuildResponse, FailedBuild, SeveralBuilds};

const DEFAULT_TARGET: &str = "claude";

/// Arguments of `skc build`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of its own on the command line"
)]
pub struct BuildRequest {
    /// Skill name or path; a path outside the stores is imported first
    #[cfg_attr(
        feature = "clap",
        arg(value_name = "SKILL", required_unless_present = "every")
    )]
    #[serde(deserialize_with = "only_one")]
    #[schemars(with = "String")]
    pub skill: Vec<String>,
    /// Selects more skills than those named; command line only
    #[cfg_attr(feature = "clap", command(flatten))]
    #[serde(skip)]
    #[schemars(skip)]
    pub more: MoreSkills,
    /// Build into the user's runtime directory, whatever the skill's scope
    #[cfg_attr(feature = "clap", arg(long, short))]
    #[serde(default)]
    pub global: bool,
    /// Agents or directories, for example claude,cursor [default: claude]
    #[cfg_attr(
        feature = "clap",
        arg(long, short, value_name = "AGENTS", value_delimiter = ',')
    )]
    #[serde(default)]
    pub target: Vec<String>,
    /// Deploy to the project's agent folders or to the user's
    #[cfg_attr(feature = "clap", arg(long, value_name = "SCOPE", value_parser = scope_parser()))]
    #[serde(default)]
    pub scope: Option<DeployScope>,
    /// Index the skill where it is, without importing it
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(default)]
    pub in_place: bool,
    /// Deploy a copy instead of a symlink
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(default)]
    pub copy: bool,
    /// Report how these clients handle the stub, for example codex,kiro
    #[cfg_attr(
        feature = "clap",
        arg(
            id = "client",
            long = "client",
            alias = "for",
            value_name = "ID,…",
            value_delimiter = ','
        )
    )]
    #[serde(default, rename = "client", alias = "for")]
    pub for_clients: Vec<String>,
    /// Replace an existing skill in the store, or a folder at the target
    #[cfg_attr(feature = "clap", arg(long, short))]
    #[serde(default)]
    pub force: bool,
}

impl BuildRequest {
    /// Returns the requested targets, or the default target.
    fn targets(&self) -> Vec<String> {
        if self.target.is_empty() {
            return vec![DEFAULT_TARGET.to_owned()];
        }
        self.target.clone()
    }
}

/// Selects skills besides those named.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct MoreSkills {
    /// Build all skills of the project (outside a project: of the user)
    #[cfg_attr(
        feature = "clap",
        arg(id = "every", long = "all", conflicts_with = "skill")
    )]
    pub all: bool,
}

/// Parses the one skill that a tool call builds. Globs are refused, because permission to build depends on the skill's
/// name in the call.
fn only_one<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let skill = String::deserialize(from)?;
    if skill.contains(WILD) {
        let message = format!("'{skill}' is a glob; give the name of one skill");
        return Err(D::Error::custom(message));
    }
    Ok(vec![skill])
}

#[cfg(feature = "clap")]
fn scope_parser() -> impl clap::builder::TypedValueParser<Value = DeployScope> {
    use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

    let words =
        DeployScope::ALL.map(|(scope, alias)| PossibleValue::new(scope.as_str()).alias(alias));
    PossibleValuesParser::new(words)
        .map(|word| DeployScope::named(&word).expect("one of the possible values"))
}

/// Implements `skc build`.
pub struct Build;

skillc_core::inventory::submit!(tool_of::<Build>());

impl Operation for Build {
    const NAME: &'static str = "build";
    const ABOUT: &'static str = "Compile a skill and deploy it to agents";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc build my-skill",
            does: "build it and deploy it to Claude",
        },
        Example {
            command: "skc build my-skill --target claude,cursor,codex",
            does: "deploy to three agents",
        },
        Example {
            command: "skc build --all --scope project",
            does: "all skills, to the project's agent folders",
        },
        Example {
            command: "skc build 'api-*'",
            does: "all skills with a matching name",
        },
        Example {
            command: "skc build ./downloads/pdf-forms",
            does: "import a skill and build it",
        },
        Example {
            command: "skc build pdf --target codex",
            does: "index .claude/skills/pdf in place; deploy to Codex",
        },
        Example {
            command: "skc build my-skill --global --copy",
            does: "user's runtime directory, copies instead of symlinks",
        },
    ];
    const TOOL: Option<Tool> = Some(Tool {
        name: "skc_build",
        title: "Build a skill",
        about: "Compile a skill: index it for skc_search and skc_show, and deploy a stub to agents. Rebuild after edits.",
        effect: Effect::Replaces,
        form: Form::Response,
        text: ResultText::Json,
        gives_skill: true,
    });
    const SCRIPTS: Scripts = Scripts::Used;
    type Request = BuildRequest;
    type Response = BuildReport;

    fn arguments(request: &BuildRequest) -> Arguments {
        Arguments::from([
            ("global", request.global.into()),
            ("target", request.targets().into()),
            ("copy", request.copy.into()),
            ("force", request.force.into()),
        ])
    }

    fn verdict(response: &BuildReport) -> Verdict {
        match response {
            BuildReport::Several(SeveralBuilds { failed, .. }) if !failed.is_empty() => {
                Verdict::Failed
            }
            _ => Verdict::Passed,
        }
    }

    fn run(toolkit: &Toolkit, request: BuildRequest, notes: &mut Notes) -> Result<BuildReport> {
        Places::check(toolkit, &request)?;
        compare::clients(&request.for_clients)?;
        match select(toolkit, &request.skill, request.more.all, notes)? {
            Selection::One(skill) => {
                let asked = toolkit.find(&skill, notes)?;
                build(toolkit, asked, &request, notes).map(BuildReport::One)
            }
            Selection::Several(skills) => build_several(toolkit, skills, &request, notes),
        }
    }
}

/// Builds several skills; a failure does not stop the others. Each build gets its own entry in the usage log.
fn build_several(
    toolkit: &Toolkit,
    selected: Vec<Selected>,
    request: &BuildRequest,
    notes: &mut Notes,
) -> Result<BuildReport> {
    let mut done = SeveralBuilds::default();
    let work = toolkit.work("Building skills", selected.len());
    let in_place = BuildRequest {
        in_place: true,
        ..request.clone()
    };
    for Selected {
        asked,
        at,
        is_in_place,
    } in selected
    {
        let request = if is_in_place { &in_place } else { request };
        let result = at.and_then(|at| {
            let mut own = Notes::default();
            own.found(&at);
            let result = build(toolkit, at, request, &mut own);
            if let Some(at) = own.take_found() {
                let used = Use {
                    command: Build::NAME,
                    at: &at,
                    arguments: Build::arguments(request),
                    error: result.as_ref().err(),
                };
                access::log(toolkit, used, &mut own);
            }
            notes.append(own);
            result
        });
        match result {
            Ok(built) => done.skills.push(built),
            Err(error) => done
                .failed
                .push(FailedBuild::new(&toolkit.context, asked, &error)),
        }
        work.advance()?;
    }
    Ok(BuildReport::Several(done))
}

/// Builds one skill: imports it if it is in no store and is not built in place, compiles it, and deploys the result.
fn build(
    toolkit: &Toolkit,
    asked: SkillRef,
    request: &BuildRequest,
    notes: &mut Notes,
) -> Result<BuildResponse> {
    let in_place = stays_in_place(&toolkit.context, &asked, request);
    let store = places::owner(&asked).unwrap_or_else(|| nearest_store(&toolkit.context));
    let is_first = !store.runtimes().is_dir();
    let (at, places, imported_from) = if in_place {
        import::check_source(&asked)?;
        let at = with_runtime(asked);
        let mut places = Places::new(toolkit, &at, request)?;
        keep_source(&at, request, &mut places);
        (at, places, None)
    } else if asked.store.is_some() {
        let places = Places::new(toolkit, &asked, request)?;
        (asked, places, None)
    } else {
        let import = import::plan(toolkit, asked, request)?;
        let places = Places::new(toolkit, &import.at, request)?;
        places.check_apart(&import)?;
        check_apart(&import.at, runtime_of(&import.at, request.global).0)?;
        let (at, from) = import.run(toolkit, notes)?;
        notes.found(&at);
        (at, places, Some(from))
    };
    let (runtime, scope) = runtime_of(&at, request.global);
    notes.detail(format!("runtime {}", runtime.0.display()));

    let lock = compile_locked(toolkit, &at, runtime, notes)?;
    let clients = compare::clients(&request.for_clients)?;
    compare::compare(&at, runtime, &clients, notes)?;
    let job = DeployJob {
        context: &toolkit.context,
        at: &at,
        runtime,
        imported_from: imported_from.as_deref(),
        project: places.project.as_deref(),
        copy: request.copy,
        force: Force::from_request(toolkit, request),
        audience: toolkit.audience,
        wait: Wait::new(toolkit),
    };
    let project = places::owner(&at).filter(|_| scope == Scope::Project && is_first);
    let gitignore =
        project.and_then(|store| write_ignore_file(&toolkit.context.home, &store, notes));
    let deploys = deploy::deploy_all(&job, &places.agents, notes)?;
    let updated = refresh::refresh(toolkit, &job, &deploys, notes)?;
    drop(lock);
    Ok(BuildResponse {
        success: true,
        skill: at.name.clone(),
        scope,
        source: text(&at.source),
        runtime: text(&runtime.0),
        deploys,
        updated,
        imported_from: imported_from.as_deref().map(text),
        gitignore: gitignore.as_deref().map(text),
        in_place,
    })
}

/// Compiles a skill where it is, so that it can be searched. Imports and deploys nothing.
///
/// Returns the skill with the runtime directory into which it was compiled.
pub(crate) fn compile_in_place(
    toolkit: &Toolkit,
    asked: SkillRef,
    notes: &mut Notes,
) -> Result<SkillRef> {
    import::check_source(&asked)?;
    let at = with_runtime(asked);
    let store = places::owner(&at).filter(|store| !store.runtimes().is_dir());
    let runtime = at.indexed_runtime().clone();
    drop(compile_locked(toolkit, &at, &runtime, notes)?);
    if let Some(store) = store.filter(|_| runtime != at.global_runtime) {
        write_ignore_file(&toolkit.context.home, &store, notes);
    }
    Ok(at)
}

/// Compiles a skill. The returned lock blocks other builds of the skill until the caller has deployed the result.
fn compile_locked(
    toolkit: &Toolkit,
    at: &SkillRef,
    runtime: &RuntimeDir,
    notes: &mut Notes,
) -> Result<BuildLock> {
    at.check_runtime(runtime)?;
    check_apart(at, runtime)?;
    if !runtime.meta().is_dir() {
        // Check before taking the lock: taking it creates directories, and the build of an invalid skill must leave
        // none behind.
        compile::check(at)?;
    }
    let lock = BuildLock::acquire(&runtime.build_lock(), &at.name, Wait::new(toolkit))?;
    toolkit.stop.check()?;
    compile::compile(toolkit, at, runtime, notes)?;
    toolkit.stop.check()?;
    Ok(lock)
}

const fn runtime_of(at: &SkillRef, global: bool) -> (&RuntimeDir, Scope) {
    if global {
        (&at.global_runtime, Scope::Global)
    } else {
        (&at.runtime, at.scope)
    }
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// Returns whether a skill must be built in place.
///
/// By default, a skill is built in place if it is in a client folder of a project, or if its source is outside the
/// stores and was found by name or through a stub. Importing it would create a second skill of the same name, although
/// the client would still read the original; and the new stub could only be deployed over the original. The source
/// therefore stays in place, becomes searchable, and is deployed only on request.
fn stays_in_place(context: &Context, at: &SkillRef, request: &BuildRequest) -> bool {
    // As the specification requires, a source given by path is imported, unless the project's clients find the skill
    // there. A name or stub that resolves to a source outside the stores belongs to a skill that was built in place
    // earlier.
    let is_path = lexical(&context.cwd.join(&at.asked)) == at.source;
    let is_projects = at.client_folder.is_some() && at.scope == Scope::Project;
    at.store.is_none() && (request.in_place || is_projects || !is_path)
}

/// Removes the skill's parent folder from the folders to deploy to. Removes all folders if no target was requested.
fn keep_source(at: &SkillRef, request: &BuildRequest, places: &mut Places) {
    let own = at.source.parent();
    places
        .agents
        .retain(|agent| !request.target.is_empty() && Some(agent.dir.as_path()) != own);
}
