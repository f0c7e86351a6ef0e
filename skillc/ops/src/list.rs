//! `skc list`: the skills of the project and of the user, and whether they are built.
//!
//! Design: C-LIST, D-LIST-OBSOLETE, D-LIST-COUNTS, D-GLOBAL-LOOKUP, D-PROJECT-ROOT.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_catalog::{Audience, Invocation};
use skillc_core::layout::{RuntimeDir, Scope};
use skillc_core::resolve::{is_skill, skill_in, stores};
use skillc_core::source::frontmatter::Fields;
use skillc_core::{Context, Pattern, Result, SkillRef, SourceTree, Warning};
use skillc_storage::Freshness;
use skillc_storage::freshness::live_hash;

use crate::lookup::in_client_folders;
use crate::named::{head, names};
use crate::notes::Notes;
use crate::operation::{Example, Operation, tool_of};
use crate::progress::Work;
use crate::runtime::manifest::Manifest;
use crate::runtime::record::Known;
use crate::scope::ScopeFilter;
use crate::shown_path::shown_path;
use crate::tool::{Effect, Form, ResultText, Tool};
use crate::toolkit::Toolkit;

/// Arguments of `skc list`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct ListRequest {
    /// Only skills of this scope
    #[cfg_attr(feature = "clap", arg(long, value_enum, default_value_t = ScopeFilter::All))]
    #[serde(default)]
    pub scope: ScopeFilter,
    /// Only skills with this build status; 'obsolete' compares files first
    #[cfg_attr(feature = "clap", arg(long, value_enum, default_value_t = StatusFilter::All))]
    #[serde(default)]
    pub status: StatusFilter,
    /// Maximum number of skills to list
    #[cfg_attr(feature = "clap", arg(long, short, value_name = "N"))]
    #[serde(default)]
    pub limit: Option<usize>,
    /// Only skills with a matching name, for example 'api-*'
    #[cfg_attr(feature = "clap", arg(long, short, value_name = "GLOB"))]
    #[serde(default)]
    pub pattern: Option<String>,
    /// Compare files with the builds to find obsolete skills
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(default)]
    pub check_obsolete: bool,
}

/// Build status to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum StatusFilter {
    /// Built
    Normal,
    /// Without a build
    NotBuilt,
    /// Changed since the build
    Obsolete,
    /// Any status
    #[default]
    All,
}

/// Build status of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Built; up to date if that was checked
    Normal,
    /// Without a build
    NotBuilt,
    /// Changed since the build
    Obsolete,
}

/// The skills: project first, then by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListResponse {
    /// Skills that match, up to the limit
    pub skills: Vec<ListedSkill>,
    /// Number of skills before filtering
    pub total: usize,
    /// Number of matching skills
    pub filtered: usize,
}

/// A skill in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListedSkill {
    /// Directory name
    pub name: String,
    /// Scope
    pub scope: Scope,
    /// Build status
    pub status: Status,
    /// Source directory, absolute
    pub source_path: String,
    /// Runtime directory, absolute, existing or not
    pub runtime_path: String,
    /// Client's folder that contains it, absolute; absent for a skill in a store
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_folder: Option<String>,
    /// Source directory, shortened
    #[serde(skip)]
    pub short_source: String,
}

/// Implements `skc list`.
pub struct List;

skillc_core::inventory::submit!(tool_of::<List>());

impl Operation for List {
    const NAME: &'static str = "list";
    const ABOUT: &'static str = "List skills and whether they are built";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc list",
            does: "all skills of the project and the user",
        },
        Example {
            command: "skc list --status obsolete",
            does: "skills changed since their build",
        },
        Example {
            command: "skc list --scope project --pattern \"api-*\" -v",
            does: "matching skills, with paths",
        },
    ];
    const TOOL: Option<Tool> = Some(Tool {
        name: "skc_list",
        title: "List skills",
        about: "List the skills of the project and the user, and whether they are built.",
        effect: Effect::Reads,
        form: Form::Response,
        text: ResultText::Json,
        gives_skill: false,
    });
    type Request = ListRequest;
    type Response = ListResponse;

    fn run(toolkit: &Toolkit, request: ListRequest, notes: &mut Notes) -> Result<ListResponse> {
        let pattern = request.pattern.as_deref().map(Pattern::parse).transpose()?;
        let checks_files = request.check_obsolete || request.status == StatusFilter::Obsolete;
        let found = everywhere(&toolkit.context, toolkit.audience, notes);
        let total = found.len();
        let mut skills = Vec::new();
        let work = checks_files.then(|| toolkit.work("Comparing skills", total));
        for at in found {
            work.as_ref().map_or(Ok(()), Work::advance)?;
            let named = pattern
                .as_ref()
                .is_none_or(|pattern| pattern.matches_name(&at.name));
            if !named || !request.scope.has(at.scope) {
                continue;
            }
            match status(toolkit, &at, checks_files) {
                Ok((status, runtime)) if request.status.admits(status) => {
                    skills.push(listed(&toolkit.context, &at, status, runtime));
                }
                Ok(_) => {}
                Err(error) => notes.warn(Warning::SkillSkipped {
                    skill: at.name,
                    reason: error.message(),
                }),
            }
        }
        let filtered = skills.len();
        skills.truncate(request.limit.unwrap_or(usize::MAX));
        Ok(ListResponse {
            skills,
            total,
            filtered,
        })
    }
}

impl StatusFilter {
    fn admits(self, status: Status) -> bool {
        match self {
            Self::Normal => status == Status::Normal,
            Self::NotBuilt => status == Status::NotBuilt,
            Self::Obsolete => status == Status::Obsolete,
            Self::All => true,
        }
    }
}

/// A skill with its frontmatter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discovered {
    /// The location of the skill.
    pub at: SkillRef,
    /// The fields of the skill's frontmatter, including `name`.
    pub fields: Fields,
}

/// Finds the skills of all stores, and the skills that clients find from the working directory, except builds of skc.
/// Order: project first, then by name; for equal names, stores before client folders. A model sees only the skills that
/// it may load.
pub(crate) fn everywhere(
    context: &Context,
    audience: Audience,
    notes: &mut Notes,
) -> Vec<SkillRef> {
    let is_for = |fields: &Fields| audience.may_start(Invocation::from_fields(fields));
    let mut stored = discover(context, |_| true, notes);
    stored.retain(|skill| is_for(&skill.fields));
    let mut found: Vec<SkillRef> = stored.into_iter().map(|skill| skill.at).collect();
    let seen: BTreeSet<PathBuf> = found.iter().map(|at| at.canonical.clone()).collect();
    let folders = in_client_folders(context, notes).into_iter();
    for at in folders.flat_map(|found| found.skills) {
        if seen.contains(&at.canonical) {
            continue;
        }
        match head(&at.source) {
            Ok(fields) if is_for(&fields) => found.push(at),
            Ok(_) => {}
            Err(reason) => notes.warn(Warning::SkillSkipped {
                skill: shown_path(&at.source, context),
                reason,
            }),
        }
    }
    // A stable sort: of skills with the same name, those of stores stay first, and the others stay in folder order.
    found.sort_by(|a, b| (a.scope, &a.name).cmp(&(b.scope, &b.name)));
    found
}

/// Finds the skills of all stores: project first, then by name. A nearer project's skill shadows a skill of the same
/// name farther up. `wanted`: selects the skills to read; the others are left out.
///
/// Design: C-LIST.
pub fn discover(
    context: &Context,
    wanted: impl Fn(&SkillRef) -> bool,
    notes: &mut Notes,
) -> Vec<Discovered> {
    let mut skills: Vec<SkillRef> = Vec::new();
    let mut seen = BTreeSet::new();
    for store in stores(context) {
        notes.detail(format!("store   {}", store.skills().display()));
        for name in names(&store, notes) {
            let source = store.source(&name);
            if !is_skill(&source) || !seen.insert((store.scope, name.clone())) {
                continue;
            }
            let at = skill_in(context, &name, &name, source, store.clone());
            if wanted(&at) {
                skills.push(at);
            }
        }
    }
    let heads: Vec<_> = skills.par_iter().map(|at| head(&at.source)).collect();
    let mut found: Vec<Discovered> = Vec::new();
    for (at, head) in skills.into_iter().zip(heads) {
        match head {
            Ok(fields) => found.push(Discovered { at, fields }),
            Err(reason) => notes.warn(Warning::SkillSkipped {
                skill: at.name,
                reason,
            }),
        }
    }
    found.sort_by(|a, b| (a.at.scope, &a.at.name).cmp(&(b.at.scope, &b.at.name)));
    found
}

/// Returns whether a skill is built, and the path of its build, which need not exist.
fn status<'a>(
    toolkit: &Toolkit,
    at: &'a SkillRef,
    checks_files: bool,
) -> Result<(Status, &'a RuntimeDir)> {
    let runtime = at.indexed_runtime();
    at.check_runtime(runtime)?;
    let Some(manifest) = Manifest::read(&runtime.manifest()) else {
        return Ok((Status::NotBuilt, runtime));
    };
    // Skills of the same name share a runtime directory: check that the build in it is from this skill.
    let is_its_own =
        manifest.source.is_empty() || Path::new(&manifest.source) == at.canonical.as_path();
    if !is_its_own || !Known::read(&toolkit.context, runtime).has_manifest(runtime) {
        return Ok((Status::NotBuilt, runtime));
    }
    if !checks_files {
        return Ok((Status::Normal, runtime));
    }
    let tree = SourceTree::read(&at.canonical)?;
    let known = Freshness::read(&runtime.stamps(&at.hash16()));
    let live = live_hash(&tree, known.as_ref(), &toolkit.stop)?;
    let is_same = live.is_some_and(|live| live.to_string() == manifest.source_hash);
    Ok((
        if is_same {
            Status::Normal
        } else {
            Status::Obsolete
        },
        runtime,
    ))
}

fn listed(context: &Context, at: &SkillRef, status: Status, runtime: &RuntimeDir) -> ListedSkill {
    let root = at.store.as_ref().map(|store| store.root.as_path());
    let inside = root
        .and_then(|root| at.source.strip_prefix(root).ok())
        .unwrap_or(&at.source)
        .display();
    let short_source = match (&at.client_folder, at.scope) {
        (Some(_), _) => shown_path(&at.source, context),
        (None, Scope::Project) => inside.to_string(),
        (None, Scope::Global) => format!("~/{inside}"),
    };
    let folder = at.client_folder.as_ref();
    ListedSkill {
        name: at.name.clone(),
        scope: at.scope,
        status,
        source_path: at.source.display().to_string(),
        runtime_path: runtime.0.display().to_string(),
        client_folder: folder.map(|folder| folder.dir.display().to_string()),
        short_source,
    }
}
