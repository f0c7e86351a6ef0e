//! The shared environment of operations: context, settings and caches.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use skillc_catalog::Audience;
use skillc_core::budget::RunBudget;
use skillc_core::config::Config;
use skillc_core::context::Asker;
use skillc_core::layout::{Store, canonical};
use skillc_core::resolve::stores;
use skillc_core::{Context, Indexer, Notice, RelPath, Result, Stop};
use skillc_lint::PluginRegistry;
use skillc_script::Host;

use crate::access::LogWait;
use crate::cache::SharedCache;
use crate::caller::Caller;
use crate::notes::Notes;
use crate::plugins::{
    FOLDER, FoundScript, FoundScripts, Loaded, Places, PluginCache, load, load_beside, refused,
};
use crate::progress::{NoProgress, Progress, Work};

/// The maximum size of a file that a command prints, in bytes. The whole file is read into memory.
const MAX_PRINTED_BYTES: u64 = 256 << 20;

/// The environment of an operation. Data that does not change between calls is shared, so that a server can create a
/// toolkit for each call.
pub struct Toolkit {
    /// Access to the outside world.
    pub context: Arc<Context>,
    /// The current settings.
    pub config: Arc<Config>,
    /// Progress reporter; a no-op by default.
    pub progress: Box<dyn Progress>,
    /// Cancels the call.
    pub stop: Stop,
    /// The resource budget of scripts in this call.
    pub(crate) scripts: RunBudget,
    /// The size limit of a file in an answer, in bytes.
    pub max_answer_bytes: u64,
    /// The audience that skills are listed for; a person by default.
    pub audience: Audience,
    /// Asks for confirmation before loading a skill; the context's asker by default.
    pub asker: Arc<dyn Asker>,
    /// The caller of a tool call; `None` for a command.
    pub caller: Option<Caller>,
    /// The canonical working directory, for logs.
    pub logged_cwd: Arc<str>,
    /// Whether calls are written to the usage logs of skills; true by default.
    pub logs_use: bool,
    /// How long this call may still wait for usage logs.
    pub(crate) log_wait: LogWait,
    /// The names of the features that the program was built with; none by default.
    pub features: &'static [&'static str],
    /// The cache that calls share.
    pub(crate) kept: Arc<SharedCache>,
    /// Built-in rules and indexers.
    linked: Arc<PluginRegistry>,
    /// Absolute paths of the scripts and folders given with `--plugin`.
    named_plugins: Arc<[PathBuf]>,
    /// All rules and indexers, loaded on first use.
    pub(crate) loaded: OnceLock<Arc<Loaded>>,
    /// The stores in which names are looked up, in lookup order. They are determined at the start of the call.
    pub(crate) stores: Vec<Store>,
}

impl Toolkit {
    /// Reads the configuration and collects the linked plug-ins.
    ///
    /// Returns the toolkit, and the warnings from the configuration.
    ///
    /// # Errors
    /// Returns E999 if two plug-ins claim the same name.
    pub fn new(context: Context) -> Result<(Self, Vec<Notice>)> {
        let linked = PluginRegistry::linked()?;
        let kept = SharedCache::default();
        let stores = stores(&context);
        let config = kept.config(&context, &stores);
        let notices = kept.news();
        let log_wait = LogWait::new(&context);
        let toolkit = Self {
            logged_cwd: canonical(&context.cwd).to_string_lossy().into(),
            asker: Arc::clone(&context.asker),
            caller: None,
            context: Arc::new(context),
            linked: Arc::new(linked),
            named_plugins: Arc::default(),
            loaded: OnceLock::new(),
            config,
            stores,
            progress: Box::new(NoProgress),
            stop: Stop::default(),
            scripts: RunBudget::default(),
            max_answer_bytes: MAX_PRINTED_BYTES,
            audience: Audience::Person,
            logs_use: true,
            log_wait,
            features: &[],
            kept: Arc::new(kept),
        };
        Ok((toolkit, notices))
    }

    /// Creates the toolkit for another call, with the current configuration. If the configuration has changed, only the
    /// first call after the change reports its warnings.
    #[must_use]
    pub fn for_call(&self, progress: Box<dyn Progress>, stop: Stop) -> Self {
        self.kept.share();
        let stores = stores(&self.context);
        let config = self.kept.config(&self.context, &stores);
        Self {
            context: Arc::clone(&self.context),
            linked: Arc::clone(&self.linked),
            named_plugins: Arc::clone(&self.named_plugins),
            loaded: OnceLock::new(),
            config,
            stores,
            progress,
            scripts: RunBudget::new(stop.clone()),
            stop,
            max_answer_bytes: self.max_answer_bytes,
            audience: self.audience,
            asker: Arc::clone(&self.asker),
            caller: None,
            logged_cwd: Arc::clone(&self.logged_cwd),
            logs_use: self.logs_use,
            log_wait: LogWait::new(&self.context),
            features: self.features,
            kept: Arc::clone(&self.kept),
        }
    }

    /// Continues the script budget of a run that has already used this many operations.
    #[must_use]
    pub fn with_used_operations(mut self, used: u64) -> Self {
        self.scripts = RunBudget::resumed(self.stop.clone(), used);
        self
    }

    /// Returns how many operations the scripts have used.
    pub fn used_operations(&self) -> u64 {
        self.scripts.used()
    }

    /// Creates the toolkit for another working directory, with this directory's configuration, new caches, and the same
    /// `--plugin` scripts.
    ///
    /// # Errors
    /// Returns E999 if two plug-ins claim the same name.
    pub fn in_dir(&self, dir: PathBuf) -> Result<Self> {
        let context = Context {
            cwd: dir,
            ..Context::clone(&self.context)
        };
        let (toolkit, _) = Self::new(context)?;
        Ok(Self {
            named_plugins: Arc::clone(&self.named_plugins),
            logs_use: self.logs_use,
            ..toolkit
        })
    }

    /// Keeps warnings that were found between calls, for the next call to report.
    pub fn say_later(&self, notes: Notes) {
        self.kept.say_later(notes.notices);
    }

    /// Sets the script files and folders to load in addition to the default ones.
    ///
    /// `paths`: relative paths are resolved against the working directory.
    pub fn name_plugins(&mut self, paths: impl IntoIterator<Item = PathBuf>) {
        let paths = paths.into_iter().map(|path| self.context.cwd.join(path));
        self.named_plugins = paths.collect();
        self.loaded = OnceLock::new();
    }

    /// Returns the rules and indexers, loading scripts on first use.
    pub fn plugins(&self) -> &PluginRegistry {
        &self.loaded().plugins
    }

    /// Returns the linked indexer for a file name. No script is loaded.
    pub(crate) fn linked_indexer_for(&self, name: &str) -> Option<&Arc<dyn Indexer>> {
        self.linked.indexer_for(&RelPath::parse(name).ok()?)
    }

    /// Checks that the scripts given with `--plugin` can be loaded.
    ///
    /// # Errors
    /// Returns E100, with a list of the scripts that do not exist or have a fault, if there are any.
    pub fn check_named_plugins(&self) -> Result<()> {
        if self.named_plugins.is_empty() {
            return Ok(());
        }
        self.loaded().check_named()
    }

    /// Returns the plug-ins and the scripts that define them, loading scripts on first use.
    pub(crate) fn loaded(&self) -> &Loaded {
        self.loaded.get_or_init(|| {
            let found = Places::new(&self.context).look(&self.named_plugins);
            self.kept.get::<PluginCache>().get_or_load(
                found,
                &self.context,
                &self.linked,
                &self.stop,
            )
        })
    }

    /// Loads the built-in scripts and the given files or folders, but no other scripts.
    ///
    /// `paths`: relative paths are resolved against the working directory.
    ///
    /// # Errors
    /// Returns E100 if a path does not exist.
    pub(crate) fn load_only(&self, paths: &[String]) -> Result<Loaded> {
        let paths = paths.iter().map(|path| self.context.cwd.join(path));
        let found = FoundScripts::named(&paths.collect::<Vec<_>>());
        refused(found.missing.iter())?;
        let host = self.script_host();
        Ok(load(&host, &self.linked, &self.context, found))
    }

    /// Loads the given scripts in addition to the scripts of a normal run.
    ///
    /// `paths`: relative paths are resolved against the working directory. Returns only the given scripts and their
    /// faults.
    ///
    /// # Errors
    /// Returns E100 if a path does not exist.
    pub(crate) fn load_last(&self, paths: &[String]) -> Result<Loaded> {
        let paths = paths.iter().map(|path| self.context.cwd.join(path));
        let found = FoundScripts::named(&paths.collect::<Vec<_>>());
        refused(found.missing.iter())?;
        let mut others = Places::new(&self.context).look(&self.named_plugins);
        let named = found.scripts.iter().map(|script| canonical(&script.path));
        let named: BTreeSet<PathBuf> = named.collect();
        let is_other = |script: &FoundScript| !named.contains(&canonical(&script.path));
        others.scripts.retain(is_other);
        let host = self.script_host();
        let others = load(&host, &self.linked, &self.context, others);
        Ok(load_beside(&others, &host, &self.context, found))
    }

    /// Returns the host that loads scripts. It stops when this call is cancelled.
    fn script_host(&self) -> Host {
        let cache = self.kept.get::<PluginCache>();
        cache.host().stopping(&self.stop)
    }

    /// Returns the script folders that a run uses, which need not exist, and the paths given with `--plugin`.
    pub(crate) fn plugins_in_use(&self) -> Vec<PathBuf> {
        let mut places = Places::new(&self.context).folders;
        places.extend(self.named_plugins.iter().cloned());
        places
    }

    /// Returns all folders that can contain scripts, whether they exist or not: in the `.skillc` of the working
    /// directory, of each directory above it and of the user. Also returns the paths given with `--plugin`.
    pub(crate) fn places_of_plugins(&self) -> Vec<PathBuf> {
        let above = self.context.cwd.ancestors();
        let stores = above.map(|dir| Store::project(dir.to_path_buf()));
        let stores = stores.chain([Store::global(&self.context)]);
        let folders = stores.map(|store| store.dir().join(FOLDER));
        folders.chain(self.named_plugins.iter().cloned()).collect()
    }

    /// Starts a task with `total` steps, and reports its progress.
    pub(crate) fn work(&self, what: &'static str, total: usize) -> Work<'_> {
        Work::begin(self.progress.as_ref(), &self.stop, what, total)
    }
}
