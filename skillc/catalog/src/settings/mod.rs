//! The catalog's configuration: `[skills]`, `[catalog]`, `[permissions]` and three environment variables.
//!
//! A single value in the project's file takes precedence over the user's value, except that the stricter
//! `permissions.default` applies. Lists of rules and overrides are concatenated, the user's first. An untrusted project
//! cannot loosen the user's permissions, enable skills that the user has disabled, or raise limits. An invalid setting
//! is ignored with a warning (W020), except in `[permissions]`: there, an invalid deny rule denies every call of its
//! tool, and an invalid default requires confirmation.
//!
//! Design: catalog-config, limits-catalog, CAT-CONF, CAT-PERM.8, D3, D5, D24, requirements-config, R18, R20, R42.

mod layer;
mod numbers;
mod permissions;
mod switches;

use std::path::{Path, PathBuf};

use skillc_core::clean::abridge;
use skillc_core::clients::expand;
use skillc_core::config::ConfigFiles;
use skillc_core::layout::{Scope, canonical};
use skillc_core::resolve::stores;
use skillc_core::{Context, Notice, Warning};

pub(crate) use layer::SKILLC;
pub use numbers::{NUMBERS, NumberKey};
pub use permissions::{Permissions, Reach, Rule, SKILL_LOAD, Unruled};
pub use switches::{Switch, Switches};

use crate::roots::Root;
use layer::Layer;
use numbers::{Number, Numbers};

/// The environment variable that enables or disables all skills. Design: catalog-config.
const ENABLED_VARIABLE: &str = "SKILLC_SKILLS_ENABLED";

/// Environment variables that set the catalog root; the first variable that is set wins. Design: CAT-DISC.7.
const ROOT_VARIABLES: [&str; 2] = ["SKILLC_AGENTS_ROOT", "CODELIA_AGENTS_ROOT"];

/// The settings in effect in one working directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// `skills.enabled`: if false, the catalog is empty.
    pub enabled: bool,
    /// `[skills.initial]`.
    pub initial: Initial,
    /// `[skills.search]`.
    pub search: SearchLimits,
    /// `skills.search.model`: the absolute path of the folder with the model that ranks skills. Only the user's file
    /// can set it, because a project could otherwise make every search read a file of its choice.
    pub model: Option<PathBuf>,
    /// `[skills.load]`, for the project's skills.
    pub load: LoadLimits,
    /// `[skills.load]`, for the user's skills, to which the limits of an untrusted project do not apply.
    pub users_load: LoadLimits,
    /// `[[skills.override]]`: skills that are enabled or disabled individually.
    pub switches: Switches,
    /// `[catalog]`.
    pub discovery: Discovery,
    /// `[permissions]`.
    pub permissions: Permissions,
}

/// Settings for the list of skills that an agent receives at the start of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Initial {
    /// The maximum number of skills in the list.
    pub max_entries: usize,
    /// The maximum total size of the skills in the list, in bytes.
    pub max_bytes: usize,
    /// How the agent receives the list.
    pub inject: Inject,
}

/// How an agent receives the list of skills at the start of a session. Each value exposes the agent to fewer skill
/// descriptions than the value before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Inject {
    /// At the end of the server's instructions, and as a prompt.
    #[default]
    Instructions,
    /// As a prompt only.
    Prompt,
    /// The agent does not receive the list.
    Off,
}

/// Limits on the number of search results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchLimits {
    /// The limit for a search that does not specify one; at most `max_limit`.
    pub default_limit: usize,
    /// The maximum limit of a search; a higher requested limit is reduced to this value.
    pub max_limit: usize,
}

/// Limits on the parts of a skill that are loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadLimits {
    /// The maximum number of files in the list.
    pub max_files: usize,
    /// The maximum size of the list of files, in bytes.
    pub max_listing_bytes: usize,
    /// The maximum size of the text of `SKILL.md`, in bytes.
    pub max_body_bytes: usize,
}

/// Where to look for skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discovery {
    /// The bounds for the skills of the project.
    pub project: Bounds,
    /// The bounds for the skills of the user, which an untrusted project cannot change.
    pub user: Bounds,
    /// Additional directories, absolute.
    pub extra_roots: Vec<PathBuf>,
    /// The names of marker files or directories. The nearest marker in or above the working directory marks the catalog
    /// root.
    pub markers: Vec<String>,
    /// The catalog root, absolute and canonical; overrides the markers.
    pub root: Option<PathBuf>,
    /// Which skill a bare name refers to if several skills have that name.
    pub on_collision: OnCollision,
}

/// Which roots of one scope are walked, and how far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounds {
    /// The kinds of directories, highest rank first: `skillc`, `agents`, or a client in the table of clients.
    pub roots: Vec<&'static str>,
    /// The maximum number of directory levels below a root.
    pub max_depth: usize,
    /// The maximum number of directories that are entered below a root.
    pub max_dirs: usize,
    /// Whether symlinks to directories are followed.
    pub follow_symlinks: bool,
    /// What to do with a skill whose name differs from the name of its directory.
    pub name_mismatch: NameMismatch,
}

/// What to do with a skill whose name differs from the name of its directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NameMismatch {
    /// Leave it out of the catalog.
    #[default]
    Error,
    /// Include it, with a warning.
    Warn,
}

/// Which skill a bare name refers to if several skills have that name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnCollision {
    /// None of them: the name is ambiguous.
    #[default]
    Ambiguous,
    /// The skill that takes precedence: the project's before the user's, the nearest folder first.
    Nearest,
}

impl Discovery {
    /// Returns the bounds for the skills of a root.
    pub fn bounds(&self, root: &Root) -> &Bounds {
        if root.is_users {
            &self.user
        } else {
            &self.project
        }
    }
}

impl LoadLimits {
    fn new(numbers: &Numbers) -> Self {
        Self {
            max_files: numbers.get(Number::MaxFiles),
            max_listing_bytes: numbers.get(Number::MaxListingBytes),
            max_body_bytes: numbers.get(Number::MaxBodyBytes),
        }
    }
}

impl Settings {
    /// Returns the limits for loading a skill. `is_users`: whether the skill is in one of the user's roots.
    pub const fn load_limits(&self, is_users: bool) -> &LoadLimits {
        if is_users {
            &self.users_load
        } else {
            &self.load
        }
    }

    /// Reads the files and environment variables that apply in a context's working directory.
    ///
    /// Returns the settings, and notices about ignored settings in order of occurrence. [`skillc_core::config::Config`]
    /// reports errors that concern a whole file.
    ///
    /// `is_tool`: returns whether a tool with the given name exists, so that rules can apply to it.
    pub fn read(context: &Context, is_tool: fn(&str) -> bool) -> (Self, Vec<Notice>) {
        Self::from_files(
            &ConfigFiles::read(context, &stores(context)),
            context,
            is_tool,
        )
    }

    /// Merges the content of the files with the environment.
    ///
    /// Returns the same result as [`read`](Self::read).
    pub fn from_files(
        files: &ConfigFiles,
        context: &Context,
        is_tool: fn(&str) -> bool,
    ) -> (Self, Vec<Notice>) {
        let mut notices = Vec::new();
        let (mut global, mut project) = (Layer::default(), Layer::default());
        let mut project_root = None;
        let mut is_trusted = true;
        for file in files.texts() {
            let layer = layer::layer(&file, context, is_tool, &mut notices);
            match file.scope {
                Scope::Global => global = layer,
                Scope::Project => {
                    project_root = Some((canonical(file.root), file.path));
                    project = layer;
                }
            }
        }
        if let Some((root, path)) = &project_root {
            is_trusted = global.trust_projects.contains(root);
            keep_tight(&global, &mut project, is_trusted, path, &mut notices);
        }
        let enabled = enabled_variable(context, &mut notices);
        let root = root_variable(context, &mut notices);
        (merged(global, project, is_trusted, enabled, root), notices)
    }
}

/// Removes from a project's layer the settings that only the user's file or a trusted project may contain.
fn keep_tight(
    global: &Layer,
    project: &mut Layer,
    is_trusted: bool,
    path: &Path,
    notices: &mut Vec<Notice>,
) {
    let mut ignore = |what: &str, why: &str| {
        let path = path.display();
        warn(notices, format!("{path}: {what} {why}; ignored"));
    };
    if !std::mem::take(&mut project.extra_roots).is_empty() {
        ignore(
            "catalog.extra_roots",
            "is only honoured in the user's configuration file",
        );
    }
    if project.model.take().is_some() {
        ignore(
            "skills.search.model",
            "is only honoured in the user's configuration file",
        );
    }
    if !std::mem::take(&mut project.trust_projects).is_empty() {
        ignore(
            "permissions.trust_projects",
            "is only honoured in the user's configuration file",
        );
    }
    if !is_trusted
        && project.on_collision == Some(OnCollision::Nearest)
        && global.on_collision != Some(OnCollision::Nearest)
    {
        // If a project could set `nearest`, a name that the user allows could resolve to the project's skill.
        project.on_collision = None;
        ignore(
            "catalog.on_collision",
            "= 'nearest' in a project is only honoured if permissions.trust_projects in the user's configuration file lists the project",
        );
    }
    if project.follow_symlinks == Some(true) && global.follow_symlinks == Some(false) {
        project.follow_symlinks = None;
        ignore(
            "catalog.follow_symlinks",
            "is disabled in the user's configuration file",
        );
    }
    if !is_trusted && project.markers.take().is_some() {
        // One of the user's rules may apply to a single root, and a project must not be able to move that root.
        ignore(
            "catalog.markers",
            "in a project is only honoured if permissions.trust_projects in the user's configuration file lists the project",
        );
    }
    if !is_trusted && !std::mem::take(&mut project.allow).is_empty() {
        ignore(
            "permissions.allow",
            "in a project is only honoured if permissions.trust_projects in the user's configuration file lists the project",
        );
    }
}

fn merged(
    global: Layer,
    project: Layer,
    is_trusted: bool,
    enabled: Option<bool>,
    root: Option<PathBuf>,
) -> Settings {
    let bounds = |roots: Option<&Vec<&'static str>>, numbers: &Numbers| Bounds {
        roots: roots.map_or_else(|| layer::ROOTS.to_vec(), Clone::clone),
        max_depth: numbers.get(Number::MaxDepth),
        max_dirs: numbers.get(Number::MaxDirs),
        follow_symlinks: global.follow_symlinks.unwrap_or(true),
        name_mismatch: global.name_mismatch.unwrap_or_default(),
    };
    let of_user = bounds(global.roots.as_ref(), &global.numbers);
    let (numbers, of_user_numbers) = if is_trusted {
        let numbers = project.numbers.or(global.numbers);
        (numbers, numbers)
    } else {
        let numbers = project.numbers.at_most(global.numbers);
        (numbers.or(global.numbers), global.numbers)
    };
    let inject = inject(&global, &project, is_trusted);
    let roots = project.roots.as_ref().or(global.roots.as_ref());
    let mut of_project = bounds(roots, &numbers);
    if let Some(follow) = project.follow_symlinks {
        of_project.follow_symlinks = follow;
    }
    if let Some(mismatch) = project.name_mismatch {
        of_project.name_mismatch = mismatch;
    }
    let max_limit = numbers.get(Number::MaxLimit);
    // A cloned project must not enable skills for a user who has disabled them.
    let may_enable = is_trusted || global.enabled != Some(false);
    // A cloned project must also not lift the confirmation that the user's allow rules imply.
    let of_project_unruled = project
        .unruled
        .filter(|unruled| is_trusted || *unruled != Unruled::Allow);
    let of_project_enabled = project.enabled.filter(|on| !*on || may_enable);
    Settings {
        enabled: enabled
            .or(of_project_enabled)
            .or(global.enabled)
            .unwrap_or(true),
        initial: Initial {
            max_entries: numbers.get(Number::MaxEntries),
            max_bytes: numbers.get(Number::MaxBytes),
            inject,
        },
        search: SearchLimits {
            default_limit: numbers.get(Number::DefaultLimit).min(max_limit),
            max_limit,
        },
        model: global.model,
        load: LoadLimits::new(&numbers),
        users_load: LoadLimits::new(&of_user_numbers),
        switches: Switches::joined(global.switches, project.switches, is_trusted),
        discovery: Discovery {
            user: if is_trusted {
                of_project.clone()
            } else {
                of_user
            },
            project: of_project,
            extra_roots: global.extra_roots,
            markers: project
                .markers
                .or(global.markers)
                .unwrap_or_else(|| layer::MARKERS.map(str::to_owned).to_vec()),
            root,
            on_collision: project
                .on_collision
                .or(global.on_collision)
                .unwrap_or_default(),
        },
        permissions: Permissions {
            unruled: of_project_unruled.max(global.unruled),
            allow: joined(global.allow, project.allow),
            deny: joined(global.deny, project.deny),
        },
    }
}

/// Returns how an agent receives the list of skills. An untrusted project must not expose an agent to the project's
/// descriptions more than the user's setting allows.
fn inject(global: &Layer, project: &Layer, is_trusted: bool) -> Inject {
    let of_user = global.inject.unwrap_or_default();
    match project.inject {
        Some(of_project) if is_trusted => of_project,
        Some(of_project) => of_project.max(of_user),
        None => of_user,
    }
}

fn joined<T>(mut first: Vec<T>, second: Vec<T>) -> Vec<T> {
    first.extend(second);
    first
}

fn enabled_variable(context: &Context, notices: &mut Vec<Notice>) -> Option<bool> {
    match context.env(ENABLED_VARIABLE)? {
        "1" => Some(true),
        "0" => Some(false),
        value => {
            let message = format!("{ENABLED_VARIABLE}: '{value}' is neither 0 nor 1; ignored");
            warn(notices, message);
            None
        }
    }
}

fn root_variable(context: &Context, notices: &mut Vec<Notice>) -> Option<PathBuf> {
    let set = |name: &'static str| context.env(name).map(|value| (name, value));
    let (name, value) = ROOT_VARIABLES.into_iter().find_map(set)?;
    let root = expand(value, &context.home, &context.cwd);
    if root.is_dir() {
        return Some(canonical(&root));
    }
    warn(
        notices,
        format!("{name}: '{value}' is not a directory; ignored"),
    );
    None
}

fn warn(notices: &mut Vec<Notice>, mut message: String) {
    abridge(&mut message);
    notices.push(Warning::Configuration { message }.into());
}

impl Default for Settings {
    fn default() -> Self {
        merged(Layer::default(), Layer::default(), true, None, None)
    }
}

impl Default for Numbers {
    fn default() -> Self {
        Self::unset()
    }
}
