//! What every operation works with: the outside world, the settings, and what is kept from call to call.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use skillc_catalog::Audience;
use skillc_core::budget::RunBudget;
use skillc_core::config::Config;
use skillc_core::context::Asker;
use skillc_core::layout::{Store, canonical};
use skillc_core::resolve::stores;
use skillc_core::{Context, Notice, Result, Stop};
use skillc_lint::PluginRegistry;

use crate::caller::Caller;
use crate::kept::Kept;
use crate::notes::Notes;
use crate::plugins::{
    FOLDER, Found, FoundScript, KeptPlugins, Loaded, Places, load, load_beside, refused,
};
use crate::progress::{NoProgress, Progress, Work};

/// What operations work with. What does not change between calls is shared, so that a server makes one for each.
pub struct Toolkit {
    /// The outside world.
    pub context: Arc<Context>,
    /// The settings in force.
    pub config: Arc<Config>,
    /// Progress reporter; a no-op by default.
    pub progress: Box<dyn Progress>,
    /// Whether the call is to be given up; at first not.
    pub stop: Stop,
    /// What the scripts of the project have used in this call.
    pub(crate) scripts: RunBudget,
    /// The most bytes of a file that an answer may hold; at first any number.
    pub max_answer_bytes: u64,
    /// Whom skills are listed and suggested to; a person by default.
    pub audience: Audience,
    /// Who answers questions about loading a skill; at first whoever the context asks.
    pub asker: Arc<dyn Asker>,
    /// What a call of a server has to do with others; `None` for a command.
    pub caller: Option<Caller>,
    /// The working directory as logs have it: canonical.
    pub logged_cwd: Arc<str>,
    /// What is kept from one call to the next.
    pub(crate) kept: Arc<Kept>,
    /// Rules and indexers of the packages.
    linked: Arc<PluginRegistry>,
    /// The files and folders of scripts that were named on the command line, absolute.
    named_plugins: Arc<[PathBuf]>,
    /// All rules and indexers, once the call has asked for them.
    pub(crate) loaded: OnceLock<Arc<Loaded>>,
    /// Where named skills are looked for, in this order, as it was when the call began.
    pub(crate) stores: Vec<Store>,
}

impl Toolkit {
    /// Reads the configuration and collects the linked plug-ins.
    ///
    /// Returns the toolkit, and what was ignored in the configuration.
    ///
    /// # Errors
    /// E999 if two plug-ins claim the same thing.
    pub fn new(context: Context) -> Result<(Self, Vec<Notice>)> {
        let linked = PluginRegistry::linked()?;
        let kept = Kept::default();
        let stores = stores(&context);
        let config = kept.config(&context, &stores);
        let notices = kept.news();
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
            max_answer_bytes: u64::MAX,
            audience: Audience::Person,
            kept: Arc::new(kept),
        };
        Ok((toolkit, notices))
    }

    /// Makes the toolkit of another call, with the configuration as it is now. What of it is ignored is said by the first
    /// call after a change.
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
            kept: Arc::clone(&self.kept),
        }
    }

    /// Keeps what was found out where nothing can be said: the next call says it.
    pub fn say_later(&self, notes: Notes) {
        self.kept.say_later(notes.notices);
    }

    /// Names files and folders of scripts that are loaded beside those of the home folder and the project.
    ///
    /// `paths`: relative ones are from the working directory.
    pub fn name_plugins(&mut self, paths: impl IntoIterator<Item = PathBuf>) {
        let paths = paths.into_iter().map(|path| self.context.cwd.join(path));
        self.named_plugins = paths.collect();
        self.loaded = OnceLock::new();
    }

    /// Returns the rules and indexers, and loads the scripts among them if the call has not yet asked.
    pub fn plugins(&self) -> &PluginRegistry {
        &self.loaded().plugins
    }

    /// Makes sure that the scripts that were named can be loaded.
    ///
    /// # Errors
    /// E100 for the first that is not there or has a fault.
    pub fn check_named_plugins(&self) -> Result<()> {
        if self.named_plugins.is_empty() {
            return Ok(());
        }
        self.loaded().check_named()
    }

    /// Returns the plug-ins with what is known of them.
    pub(crate) fn loaded(&self) -> &Loaded {
        self.loaded.get_or_init(|| {
            let found = Places::of(&self.context).look(&self.named_plugins);
            self.kept
                .of::<KeptPlugins>()
                .of(found, &self.context, &self.linked)
        })
    }

    /// Loads only the scripts that are named, files or folders, beside those of the program.
    ///
    /// `paths`: relative ones are from the working directory.
    ///
    /// # Errors
    /// E100 if one is not there.
    pub(crate) fn load_only(&self, paths: &[String]) -> Result<Loaded> {
        let paths = paths.iter().map(|path| self.context.cwd.join(path));
        let found = Found::named(&paths.collect::<Vec<_>>());
        refused(found.missing.iter())?;
        let host = self.kept.of::<KeptPlugins>().host();
        Ok(load(host, &self.linked, &self.context, found))
    }

    /// Loads only the scripts that are named, on top of all others that a run would have.
    ///
    /// `paths`: relative ones are from the working directory. Returns: what came of those that are named.
    ///
    /// # Errors
    /// E100 if one is not there.
    pub(crate) fn load_last(&self, paths: &[String]) -> Result<Loaded> {
        let paths = paths.iter().map(|path| self.context.cwd.join(path));
        let found = Found::named(&paths.collect::<Vec<_>>());
        refused(found.missing.iter())?;
        let mut others = Places::of(&self.context).look(&self.named_plugins);
        let named = found.scripts.iter().map(|script| canonical(&script.path));
        let named: BTreeSet<PathBuf> = named.collect();
        let is_other = |script: &FoundScript| !named.contains(&canonical(&script.path));
        others.scripts.retain(is_other);
        let host = self.kept.of::<KeptPlugins>().host();
        let others = load(host, &self.linked, &self.context, others);
        Ok(load_beside(&others, host, &self.context, found))
    }

    /// Returns the folders of scripts that count, there or not, and what was named.
    pub(crate) fn plugins_in_use(&self) -> Vec<PathBuf> {
        let mut places = Places::of(&self.context).folders;
        places.extend(self.named_plugins.iter().cloned());
        places
    }

    /// Returns the folders where scripts are looked for, there or not, and what was named.
    pub(crate) fn places_of_plugins(&self) -> Vec<PathBuf> {
        let above = self.context.cwd.ancestors();
        let stores = above.map(|dir| Store::project(dir.to_path_buf()));
        let stores = stores.chain([Store::global(&self.context)]);
        let folders = stores.map(|store| store.dir().join(FOLDER));
        folders.chain(self.named_plugins.iter().cloned()).collect()
    }

    /// Says that work of so many steps begins.
    pub(crate) fn work(&self, what: &'static str, total: usize) -> Work<'_> {
        Work::begin(self.progress.as_ref(), &self.stop, what, total)
    }
}
