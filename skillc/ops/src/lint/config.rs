//! The linter of each skill, built from its configuration.
//!
//! Precedence, lowest first: the user's `config.toml`, the project's `config.toml`, each `.skilllint.toml` from the top
//! of the repository down to the skill, the command line.
//!
//! Design: R1, R16, R41.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use skillc_catalog::Policy;
use skillc_core::clients::Clients;
use skillc_core::hash::Sha;
use skillc_core::layout::{Store, canonical, is_of_another};
use skillc_core::source::read_start;
use skillc_core::{Error, Pattern, Result, Skill};
use skillc_lint::config::{
    BaselineFile, FILE, Layer, LintFiles, PATTERN_COST, PlannedLayer, Section, TOPS,
};
use skillc_lint::plan::Plan;
use skillc_lint::{Choice, Diagnostic, Linter, RunSkill};

use super::check::Checked;
use super::report::RuleInfo;
use super::scope::FoundSkill;
use crate::catalog::is_closed;
use crate::toolkit::Toolkit;

/// The limit on the total [cost](Layer::cost) of a run's configuration files. It allows 1 MiB of patterns, which take
/// about 250 MB of memory.
pub(super) const MAX_COST: usize = 32 << 20;

/// The cost of each rule in each linter. Every directory with a configuration file has its own linter.
const RULE_COST: usize = 8;

/// The limit on patterns in the overrides that apply to a skill: each file with a finding is matched against every
/// pattern.
const MAX_PATTERNS: usize = 500;

/// The limit on rule settings that apply to a skill.
const MAX_SETTINGS: usize = 5_000;

/// How many bytes of a baseline are hashed to detect changes.
const MAX_HASHED: u64 = 64 << 20;

/// The limit on directories whose configuration is cached. If it is exceeded, a run that does not hold all skills in
/// memory clears the cache.
const MAX_KEPT: usize = 1000;

/// The linters of a run.
pub(super) struct Linters<'a> {
    toolkit: &'a Toolkit,
    choice: Choice,
    for_clients: Vec<String>,
    /// The layers that apply to all skills.
    everywhere: Vec<Arc<PlannedLayer>>,
    /// The linter for skills to which only these layers apply.
    plain: Arc<Linter>,
    /// The rules that deny access to skills, if the caller is an agent.
    policy: Option<Policy>,
    dirs: Mutex<BTreeMap<PathBuf, Local>>,
    /// The digests of baselines; `None` for a baseline that cannot be read.
    baselines: Mutex<BTreeMap<PathBuf, Option<Sha>>>,
    /// The total cost of the files in all directories.
    cost: AtomicUsize,
}

/// The configuration from the files of a directory and its ancestors; `None` if there are no such files.
type Local = Result<Option<Arc<Configured>>>;

struct Configured {
    /// The directory of the innermost file.
    dir: PathBuf,
    layers: Vec<Arc<PlannedLayer>>,
    /// The number of layers that come from ancestors of that directory.
    above: usize,
    linter: Arc<Linter>,
    /// The digest of the layers, including those from ancestors.
    digest: Sha,
}

impl<'a> Linters<'a> {
    /// Reads the configuration that applies to all skills.
    ///
    /// # Errors
    /// E100 if it is invalid.
    pub(super) fn new(
        toolkit: &'a Toolkit,
        choice: Choice,
        for_clients: Vec<String>,
    ) -> Result<Self> {
        let mut everywhere = Vec::new();
        for text in &toolkit.config.lint {
            let section = Section::Lint(&text.root);
            let layers = files(toolkit).parse(&text.path, &text.text, section);
            let mut layers = layers.map_err(|error| explained(toolkit, error))?;
            mark(toolkit, &text.root, &mut layers);
            everywhere.extend(planned(toolkit, layers));
        }
        let plain = linter(toolkit, &choice, &everywhere, &for_clients)?;
        Ok(Self {
            toolkit,
            choice,
            for_clients,
            everywhere,
            plain,
            policy: toolkit.closing_policy(),
            dirs: Mutex::default(),
            baselines: Mutex::default(),
            cost: AtomicUsize::default(),
        })
    }

    /// Reads the configuration above the given skill directories in advance, because skills can share it. An error in
    /// it is then reported only once.
    ///
    /// # Errors
    /// E100 if it is invalid.
    pub(super) fn read_above<'d>(&self, dirs: impl Iterator<Item = &'d Path>) -> Result<()> {
        let mut above = dirs.filter_map(Path::parent);
        above.try_for_each(|dir| self.local(dir).map(drop))
    }

    /// Returns the cost of the configuration files that were read, which is roughly proportional to their memory use.
    pub(super) fn cost(&self) -> usize {
        self.cost.load(Ordering::Relaxed)
    }

    /// Checks the total cost of the run's configuration files. Exceeding the limit ends the run, so that the result
    /// does not depend on which file was read last.
    ///
    /// # Errors
    /// E100 if the limit is exceeded.
    pub(super) fn check_cost(&self) -> Result<()> {
        if self.cost() <= MAX_COST {
            return Ok(());
        }
        Err(Error::InvalidOption {
            message: format!(
                "the {FILE} files of this run exceed {} KiB (each byte of a pattern counts as {PATTERN_COST} bytes, and each rule as {RULE_COST} bytes in each folder with such a file)",
                MAX_COST >> 10
            ),
            hint: Some(
                "Lint fewer skills, or move common overrides into one file in a parent folder"
                    .into(),
            ),
        })
    }

    /// Returns the linter of the skill in a directory.
    ///
    /// # Errors
    /// E100 if a configuration file is invalid.
    pub(super) fn for_dir(&self, dir: &Path) -> Result<Arc<Linter>> {
        let local = self.local(dir)?;
        let linter = local.as_ref().map_or(&self.plain, |local| &local.linter);
        Ok(Arc::clone(linter))
    }

    /// Returns the linter of a skill that has already been read.
    ///
    /// # Errors
    /// The same as for [`for_dir`](Self::for_dir).
    pub(super) fn for_skill(&self, skill: &Skill) -> Result<Arc<Linter>> {
        let root = &skill.tree.root;
        // Configuration files and repository markers are hidden entries: a skill without hidden entries uses the linter
        // of its parent directory.
        let above = root.parent().filter(|_| !skill.tree.has_hidden);
        self.for_dir(above.unwrap_or(root))
    }

    /// Returns the baseline that the configuration sets for a skill, and whether it hides findings of the security
    /// rules, too.
    ///
    /// # Errors
    /// The same as for [`for_dir`](Self::for_dir).
    pub(super) fn baseline_of(&self, found: &FoundSkill) -> Result<Option<(BaselineFile, bool)>> {
        let dir = &found.at.canonical;
        let above = dir.parent().filter(|_| !found.may_have_hidden);
        let named = self.baseline_for(above.unwrap_or(dir))?;
        Ok(named.filter(|(list, _)| dir.starts_with(&list.root)))
    }

    /// Returns the baseline that the configuration sets for a directory, and whether it hides findings of the security
    /// rules, too. The baseline applies only to skills below its root.
    ///
    /// # Errors
    /// The same as for [`for_dir`](Self::for_dir).
    pub(super) fn baseline_for(&self, dir: &Path) -> Result<Option<(BaselineFile, bool)>> {
        let local = self.local(dir)?;
        let local = local.iter().flat_map(|local| local.layers.iter().rev());
        let mut layers = local.chain(self.everywhere.iter().rev());
        Ok(layers.find_map(|of| Some((of.layer().baseline.clone()?, !of.layer().is_inside))))
    }

    /// Returns a digest of the settings specific to a skill: those of the configuration files in its directory and
    /// above, including the files that these extend, and the baseline. Returns `None` if there are no such settings.
    ///
    /// # Errors
    /// The same as for [`for_dir`](Self::for_dir).
    pub(super) fn settings_of(&self, found: &FoundSkill) -> Result<Option<Sha>> {
        let dir = &found.at.canonical;
        let above = dir.parent().filter(|_| !found.may_have_hidden);
        let local = self.local(above.unwrap_or(dir))?;
        let mut text = String::new();
        if let Some(local) = &local {
            text += &local.digest.to_string();
        }
        if let Some((BaselineFile { path, .. }, hides_security)) = self.baseline_of(found)? {
            let digest = self
                .digest_of_baseline(&path)
                .map(|digest| digest.to_string());
            text += &format!("\n{} {hides_security} {digest:?}", path.display());
        }
        Ok((!text.is_empty()).then(|| Sha::digest(text.as_bytes())))
    }

    /// Returns a string that identifies the settings that apply to all skills. Different settings have different
    /// strings.
    pub(super) fn settings_of_all(&self) -> String {
        described(&self.everywhere)
    }

    fn digest_of_baseline(&self, path: &Path) -> Option<Sha> {
        let mut baselines = self.baselines.lock();
        if let Some(known) = baselines.get(path) {
            return *known;
        }
        let bytes = read_start(path, MAX_HASHED).ok();
        let digest = bytes.map(|bytes| Sha::digest(&bytes));
        baselines.insert(path.to_path_buf(), digest);
        digest
    }

    /// Returns the linter for skills to which no `.skilllint.toml` applies.
    pub(super) fn plain(&self) -> Arc<Linter> {
        Arc::clone(&self.plain)
    }

    /// If there are several skills, runs the rules that compare skills, with the configuration that applies to all
    /// skills.
    ///
    /// `checked`: the skills of the run; `None` for a skill that could not be checked. Returns the findings of each
    /// skill, by the skill's index.
    pub(super) fn check_run<'c>(
        &self,
        checked: impl Iterator<Item = Option<&'c Checked>>,
    ) -> BTreeMap<usize, Vec<Diagnostic>> {
        let kept = checked.enumerate();
        let kept = kept.filter_map(|(at, checked)| Some((at, checked?.kept.as_deref()?.clone())));
        let (numbers, skills): (Vec<usize>, Vec<RunSkill>) = kept.unzip();
        let mut found: BTreeMap<usize, Vec<Diagnostic>> = BTreeMap::new();
        if skills.len() > 1 {
            let scripts = &self.toolkit.scripts;
            let among = scripts.for_one(|budget| self.plain.check_run(&skills, budget));
            for (at, diagnostic) in among {
                found.entry(numbers[at]).or_default().push(diagnostic);
            }
        }
        found
    }

    /// Drops the cached configuration of directories once the cache is large: the memory use of a run must not depend
    /// on the number of skills.
    pub(super) fn forget(&self) {
        let mut dirs = self.dirs.lock();
        if dirs.len() > MAX_KEPT || self.cost() > MAX_COST / 2 {
            dirs.clear();
            self.baselines.lock().clear();
            self.cost.store(0, Ordering::Relaxed);
        }
    }

    /// Returns whether the caller is an agent that may not load the skill. Such an agent must not learn the skill's
    /// text from findings of project scripts or security rules.
    pub(super) fn is_closed(&self, skill: &Skill) -> bool {
        let policy = self.policy.as_ref();
        policy.is_some_and(|policy| is_closed(policy, skill))
    }

    /// Returns whether rules and clients are chosen by configuration alone, not by the command line.
    pub(super) fn is_usual(&self) -> bool {
        self.choice == Choice::default() && self.for_clients.is_empty()
    }

    /// Returns the rules that ran for any skill, sorted by code.
    pub(super) fn rules(&self) -> Vec<RuleInfo> {
        let linters = self.all();
        let rules = linters.iter().flat_map(|linter| linter.rules());
        // List each rule once: its page can be large, and each directory can have its own linter.
        let rules: BTreeMap<&str, _> = rules
            .map(|(rule, severity)| (&*rule.meta().code, (rule, severity)))
            .collect();
        let rules = rules.into_values().map(|(rule, severity)| {
            let info = RuleInfo::from_meta(rule.meta());
            RuleInfo {
                severity: severity.unwrap_or(info.severity),
                ..info
            }
        });
        rules.collect()
    }

    /// Returns the sorted ids of the selected clients whose reactions to faults are all unknown.
    pub(super) fn unknown_clients(&self) -> Vec<String> {
        let linters = self.all();
        let clients = linters.iter().flat_map(|linter| linter.clients());
        let unknown = clients.filter(|client| client.faults.is_empty());
        let ids: BTreeSet<&str> = unknown.map(|client| client.id.as_str()).collect();
        ids.into_iter().map(str::to_owned).collect()
    }

    /// Returns the configuration files that were read or looked for.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let stores = &self.toolkit.stores;
        let everywhere = stores.iter().map(Store::config);
        let dirs = self.dirs.lock();
        everywhere
            .chain(dirs.keys().map(|dir| dir.join(FILE)))
            .collect()
    }

    /// Returns all linters, the plain one first.
    fn all(&self) -> Vec<Arc<Linter>> {
        let dirs = self.dirs.lock();
        let local = dirs
            .values()
            .filter_map(|local| local.as_ref().ok()?.as_ref());
        let local = local.map(|local| Arc::clone(&local.linter));
        [Arc::clone(&self.plain)].into_iter().chain(local).collect()
    }

    fn local(&self, dir: &Path) -> Local {
        let dirs = || self.dirs.lock();
        if let Some(known) = dirs().get(dir) {
            return known.clone();
        }
        self.check_cost()?;
        let mut bytes = 0;
        let found = self.read(dir, &mut bytes);
        let is_new = dirs().insert(dir.to_path_buf(), found.clone()).is_none();
        let cost = match &found {
            Ok(Some(own)) if own.dir == dir => {
                // Linters share the layers of ancestors, but each has its own rules.
                let rules = self.toolkit.plugins().rules().count();
                let layers = own.layers[own.above..].iter().map(|of| of.layer());
                let costs = layers.map(|layer| layer.cost + rules * layer.overrides.len());
                rules * RULE_COST + costs.sum::<usize>()
            }
            Ok(_) => 0,
            // An invalid file also has a cost: skc has read it and the files that it extends.
            Err(_) => bytes,
        };
        if is_new {
            self.cost.fetch_add(cost, Ordering::Relaxed);
        }
        found
    }

    /// Reads the configuration of a directory and its ancestors. `bytes`: increased by the size of the directory's own
    /// files, even if one of them is not valid.
    fn read(&self, dir: &Path, bytes: &mut usize) -> Local {
        // In shared directories such as `/tmp`, ignore files that do not belong to the owner of the working directory:
        // an attacker could plant them.
        let is_own = |path: &Path| !is_of_another(path, &self.toolkit.context.cwd);
        let is_top = || {
            let mut marks = TOPS.iter().map(|top| dir.join(top));
            marks.any(|mark| mark.exists() && is_own(&mark))
        };
        let above = match dir.parent() {
            Some(above) if !is_top() => self.local(above)?,
            _ => None,
        };
        let file = dir.join(FILE);
        if !is_own(&file) {
            return Ok(above);
        }
        let own = files(self.toolkit).read_counted(&file, bytes);
        let Some(own) = own.map_err(|error| explained(self.toolkit, error))? else {
            return Ok(above);
        };
        let mut own = own;
        mark(self.toolkit, dir, &mut own);
        let own = planned(self.toolkit, own);
        let mut described = described(&own);
        if let Some(above) = &above {
            described += &above.digest.to_string();
        }
        let mut layers = above.map_or_else(Vec::new, |above| above.layers.clone());
        let above = layers.len();
        layers.extend(own);
        let all = [&self.everywhere[..], &layers].concat();
        let linter = linter(self.toolkit, &self.choice, &all, &self.for_clients)?;
        Ok(Some(Arc::new(Configured {
            dir: dir.to_path_buf(),
            digest: Sha::digest(described.as_bytes()),
            layers,
            above,
            linter,
        })))
    }
}

fn planned(toolkit: &Toolkit, layers: Vec<Layer>) -> Vec<Arc<PlannedLayer>> {
    let plugins = toolkit.plugins();
    let planned = layers.into_iter();
    let planned = planned.map(|layer| Arc::new(PlannedLayer::new(plugins, layer)));
    planned.collect()
}

/// Limits the patterns and the rule settings that apply to a skill: the linter searches all patterns and settings for
/// each finding.
fn check_counts(layers: &[Arc<PlannedLayer>]) -> Result<()> {
    let layers = || layers.iter().map(|of| of.layer());
    let overrides = || layers().flat_map(|layer| &layer.overrides);
    let patterns: usize = overrides().map(|of| of.paths.len().max(1)).sum();
    let own: usize = layers().map(|layer| layer.rules.len()).sum();
    let settings = own + overrides().map(|of| of.rules.len()).sum::<usize>();
    let (most, what) = if patterns > MAX_PATTERNS {
        (MAX_PATTERNS, "paths in overrides")
    } else if settings > MAX_SETTINGS {
        (MAX_SETTINGS, "levels and options of rules")
    } else {
        return Ok(());
    };
    Err(Error::InvalidOption {
        message: format!("the configuration files of a skill have more than {most} {what}"),
        hint: Some(
            "Use patterns that match more files, and select whole families of rules.".into(),
        ),
    })
}

/// Returns a string that identifies the settings of the layers. Different settings have different strings.
fn described(layers: &[Arc<PlannedLayer>]) -> String {
    let mut text = String::new();
    for layer in layers.iter().map(|of| of.layer()) {
        text += &format!(
            "{:?} {:?} {:?} {:?} {}\n",
            layer.preset, layer.baseline, layer.clients, layer.rules, layer.is_inside
        );
        for own in &layer.overrides {
            let paths: Vec<&str> = own.paths.iter().map(Pattern::as_str).collect();
            let base = own.base.to_string_lossy();
            text += &format!("{base} {paths:?} {:?}\n", own.rules);
        }
    }
    text
}

/// Marks the settings of a directory if they may have come with the skills to which they apply. Settings are the user's
/// own only in a home directory and in a trusted project: the working directory may be a clone.
fn mark(toolkit: &Toolkit, dir: &Path, layers: &mut [Layer]) {
    let dir = canonical(dir);
    let trusted = &toolkit.config.trusted;
    let is_trusted = trusted.iter().any(|project| dir.starts_with(project));
    let homes = [&toolkit.context.home, &toolkit.context.user_home];
    let is_home = homes.iter().any(|home| canonical(home) == dir);
    for layer in layers {
        layer.is_inside = !(is_trusted || is_home);
    }
}

/// Returns the reader of configuration files.
pub(super) fn files(toolkit: &Toolkit) -> LintFiles<'_> {
    LintFiles {
        plugins: toolkit.plugins(),
        clients: Clients::shared(),
        homes: [&toolkit.context.home, &toolkit.context.user_home],
        trusted: &toolkit.config.trusted,
    }
}

fn linter(
    toolkit: &Toolkit,
    choice: &Choice,
    layers: &[Arc<PlannedLayer>],
    for_clients: &[String],
) -> Result<Arc<Linter>> {
    check_counts(layers)?;
    let (plugins, clients) = (toolkit.plugins(), Clients::shared());
    let plan = Plan::new(plugins, clients, choice, layers, for_clients);
    let plan = plan.map_err(|error| explained(toolkit, error))?;
    Ok(Arc::new(plan.into()))
}

/// Adds a note to a configuration error if a script failed to load: that script may define the unknown rule or option.
fn explained(toolkit: &Toolkit, error: Error) -> Error {
    match (error, toolkit.plugins().faults().first()) {
        (Error::InvalidOption { message, hint }, Some(fault)) => {
            let of_script = format!("A script failed to load: {fault}; see skc plugin check");
            let hint = hint.map(|hint| format!("{hint}\n{of_script}"));
            Error::InvalidOption {
                message,
                hint: Some(hint.unwrap_or(of_script).into()),
            }
        }
        (error, _) => error,
    }
}
