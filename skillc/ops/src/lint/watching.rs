//! Finds the files and directories that a lint run depends on, for watch mode.

use std::path::{Path, PathBuf};

use skillc_core::clients::Clients;
use skillc_core::layout::{SKILL_FILE, Store, canonical, project_roots};
use skillc_core::resolve::stores;
use skillc_core::{Context, Error, Result, resolve_any_case};
use skillc_lint::Choice;
use skillc_lint::config::{FILE, Section};

use super::LintRequest;
use super::baseline::Known;
use super::config::{Linters, files};
use super::scope::split_glob;
use crate::client_roots::skill_folders;
use crate::lookup;
use crate::named::WILD;
use crate::toolkit::Toolkit;
use crate::watched::{Watched, folder_of};

/// Watch mode. Not available in JSON requests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct WatchRequest {
    /// Lint again after every edit, until Ctrl-C
    #[cfg_attr(feature = "clap", arg(long, conflicts_with = "stdin"))]
    pub watch: bool,
}

impl WatchRequest {
    /// Refuses formats that write one document for the whole run.
    ///
    /// # Errors
    /// E100 for such a format.
    pub(super) fn check_format(&self, format: &str) -> Result<()> {
        if !self.watch || matches!(format, "text" | "concise" | "json" | "github") {
            return Ok(());
        }
        Err(Error::InvalidOption {
            message: format!("--watch does not support format '{format}'"),
            hint: Some(
                "Remove --watch, or use --format text, concise or json (one line per run).".into(),
            ),
        })
    }
}

/// Returns the files and directories that a lint run depends on: the directories of the skills, or the directories
/// searched for skills; lint configuration files; scripts; and the baseline given on the command line.
pub(super) fn watched(toolkit: &Toolkit, request: &LintRequest) -> Watched {
    let context = &toolkit.context;
    let mut watched = Watched {
        folders: Clients::shared()
            .folders()
            .into_iter()
            .map(str::to_owned)
            .collect(),
        ..Watched::default()
    };
    for asked in &request.skill {
        add_named(context, asked, &mut watched);
    }
    if request.skill.is_empty() {
        add_all(context, request, &mut watched.trees);
    }
    let trees = &mut watched.trees;
    for tree in &mut *trees {
        *tree = canonical(tree);
    }
    trees.sort();
    trees.dedup();
    // Watching a directory tree includes the trees nested in it.
    let all = trees.clone();
    trees.retain(|tree| {
        !all.iter()
            .any(|other| other != tree && tree.starts_with(other))
    });
    let above = watched.trees.iter().flat_map(|tree| tree.ancestors());
    watched.files.extend(above.map(|dir| dir.join(FILE)));
    let extended = extended(toolkit, &watched);
    watched.files.extend(extended);
    watched
        .files
        .extend(stores(context).iter().map(Store::config));
    watched.plugins = toolkit.places_of_plugins();
    let baseline = &request.ways.baseline;
    if let (Some(list), false) = (&baseline.baseline, baseline.write_baseline) {
        watched.files.push(context.cwd.join(list));
    }
    watched.files.sort();
    watched.files.dedup();
    watched
}

/// Returns whether an edit can resolve an error in the first run. An edit cannot correct a wrong command-line argument.
pub(super) fn is_mendable(toolkit: &Toolkit, request: &LintRequest, error: &Error) -> bool {
    match error {
        Error::SkillNotFound { .. } | Error::NotASkill { .. } => false,
        Error::InvalidOption { .. } => has_faulty_file(toolkit, request),
        _ => true,
    }
}

/// Returns whether a file that the run reads is invalid: a lint configuration file, the baseline, or a script given on
/// the command line.
fn has_faulty_file(toolkit: &Toolkit, request: &LintRequest) -> bool {
    let baseline = &request.ways.baseline;
    let list = baseline.baseline.as_ref();
    let has_list = list.is_some_and(|list| toolkit.context.cwd.join(list).exists());
    if has_list && Known::open(toolkit, baseline).is_err() {
        return true;
    }
    toolkit.check_named_plugins().is_err()
        || Linters::new(toolkit, Choice::default(), Vec::new()).is_err()
        || configs(&watched(toolkit, request))
            .iter()
            .any(|path| files(toolkit).read(path).is_err())
}

/// Returns the paths of `.skilllint.toml` in the watched directories and the directories above them.
fn configs(watched: &Watched) -> Vec<PathBuf> {
    let seen = watched.look();
    seen.named(FILE).map(Path::to_path_buf).collect()
}

/// Returns the files that configuration files extend.
fn extended(toolkit: &Toolkit, watched: &Watched) -> Vec<PathBuf> {
    let reader = files(toolkit);
    let local = configs(watched).into_iter();
    let mut extended: Vec<PathBuf> = local
        .flat_map(|path| reader.extended_by(&path, Section::File))
        .collect();
    for store in stores(&toolkit.context) {
        extended.extend(reader.extended_by(&store.config(), Section::Lint(&store.root)));
    }
    extended
}

/// Adds the directories that a run without arguments searches for skills.
fn add_all(context: &Context, request: &LintRequest, trees: &mut Vec<PathBuf>) {
    let roots = project_roots(context);
    let mut above = context.cwd.ancestors();
    if roots.is_empty() && request.ways.changed.changed_since.is_some() {
        let top = above.find(|dir| dir.join(".git").exists());
        trees.push(top.unwrap_or(&context.cwd).to_path_buf());
        return;
    }
    if roots.is_empty() {
        trees.push(Store::global(context).skills());
    }
    // A missing directory may be created later.
    let stores = above.map(|dir| Store::project(dir.to_path_buf()).skills());
    let is_ours =
        |skills: &PathBuf| !skills.exists() || roots.iter().any(|root| skills.starts_with(root));
    trees.extend(stores.filter(is_ours));
    let folders = skill_folders(context).into_iter();
    trees.extend(
        folders
            .filter(|folder| !folder.is_user || roots.is_empty())
            .map(|folder| folder.dir),
    );
}

/// Adds the paths that an argument may refer to, whether they exist or not.
fn add_named(context: &Context, asked: &str, watched: &mut Watched) {
    let path = context.cwd.join(asked);
    let folder = folder_of(&path);
    // Watch the folder itself: it may be deleted and created again.
    watched.files.push(folder.to_path_buf());
    watched.files.push(folder.join(SKILL_FILE));
    if folder.is_dir() {
        watched.trees.push(folder.to_path_buf());
        return;
    }
    let in_folder = || lookup::named(context, asked).map(|found| found.at);
    if let Some(at) = resolve_any_case(context, asked).ok().or_else(in_folder) {
        watched.trees.push(at.source);
        return;
    }
    let is_glob = asked.contains(WILD);
    if is_glob {
        watched.trees.push(context.cwd.join(split_glob(asked).0));
    }
    if !is_glob || !asked.contains('/') {
        let above = context.cwd.ancestors();
        let stores = above.map(|dir| Store::project(dir.to_path_buf()));
        let stores = stores.chain([Store::global(context)]);
        watched.trees.extend(stores.map(|store| store.skills()));
    }
}
