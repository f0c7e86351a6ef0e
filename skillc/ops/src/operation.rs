//! What an operation is, and the one way to run it.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use skillc_catalog::{Audience, Refusal};
use skillc_core::config::Config;
use skillc_core::contained::check_project;
use skillc_core::context::Asker;
use skillc_core::layout::{Store, canonical};
use skillc_core::lint::budget::RunBudget;
use skillc_core::resolve::stores;
use skillc_core::source::Stamp;
use skillc_core::{Context, Error, Notice, PluginRegistry, Result, SkillRef, Stop, Warning};

use crate::access::{self, Arguments, Use};
use crate::catalog::Caller;
use crate::content::FileContent;
use crate::doctor::shown_path;
use crate::kept::Kept;
use crate::lookup::{self, Lookup};
use crate::named_files::names_a_file;
use crate::plugins::{FOLDER, Found, FoundScript, Loaded, Places, load, load_beside, refused};
use crate::progress::{NoProgress, Progress};
use crate::tool::Tool;
use crate::watched::Watched;

/// One command of the product.
pub trait Operation: 'static {
    /// The command's name: `search` is `skc search` and the tool `skc_search`; `mcp status` is a command of a group.
    const NAME: &'static str;
    /// What it does, in one line without a full stop.
    const ABOUT: &'static str;
    /// Command lines that work, for help and documentation.
    const EXAMPLES: &'static [Example];
    /// How agents are offered it; `None` if it is for the command line only.
    const TOOL: Option<Tool> = None;
    /// The arguments.
    type Request: Debug + PartialEq + DeserializeOwned + JsonSchema + CliArgs;
    /// The result; its JSON is the same everywhere.
    type Response: Serialize + JsonSchema;

    /// Does it.
    ///
    /// # Errors
    /// Those of the operation; what went wrong without stopping it goes to `notes`.
    fn run(toolkit: &Toolkit, request: Self::Request, notes: &mut Notes) -> Result<Self::Response>;

    /// What the operation does with rules and indexers that are scripts.
    const SCRIPTS: Scripts = Scripts::Unused;

    /// Names the arguments that the access log keeps.
    ///
    /// # Source
    /// RFC-0007 C-LOGGING (args).
    fn arguments(_request: &Self::Request) -> Arguments {
        Arguments::default()
    }

    /// Says what is wrong with arguments that their schema allows: asked by a server before it notes that the call begins.
    ///
    /// # Errors
    /// The fault.
    fn check(_toolkit: &Toolkit, _request: &Self::Request) -> std::result::Result<(), Fault> {
        Ok(())
    }

    /// Returns what an agent reads of the response, if that is neither its JSON nor its text form.
    fn for_agent(_response: &Self::Response) -> Option<&str> {
        None
    }

    /// Returns the part of the response that is a skill's own text, if that is what it shows. What the text calls
    /// `scripts/run.py` is then looked for in the skill, so that the answer can say where that is.
    fn shown(_response: &Self::Response) -> Option<&FileContent> {
        None
    }

    /// Puts what was found in the place of what was asked for, where the log keeps that.
    fn outcome(_arguments: &mut Arguments, _response: &Self::Response) {}

    /// Asks for everything that a page shows: called before [`run`](Self::run) if the response is to be one.
    fn for_page(_request: &mut Self::Request) {}

    /// Makes sure that the response will have the format that was asked for: `text`, `json` …
    ///
    /// # Errors
    /// E100 for a format that this request has no answer in.
    fn check_format(_request: &Self::Request, _format: &str) -> Result<()> {
        Ok(())
    }

    /// Says what the answer depends on, for those who want another after each edit. By default nothing does.
    fn watched(_toolkit: &Toolkit, _request: &Self::Request) -> Watched {
        Watched::default()
    }

    /// Names the files that were written, canonical, with their stamps right afterwards: that edit is none of the user's.
    fn written(_response: &Self::Response) -> Vec<(PathBuf, Stamp)> {
        Vec::new()
    }

    /// Names the files, and the skills by their directories, that the response was made from: `--output` must not replace them.
    fn sources(_toolkit: &Toolkit, _response: &Self::Response) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Notes that the whole response has been written to whoever asked. By default that makes no difference.
    fn delivered(_toolkit: &Toolkit, _response: &Self::Response) {}

    /// Says whether an edit of what the answer depends on can mend an error. By default none can.
    fn is_mendable(_toolkit: &Toolkit, _request: &Self::Request, _error: &Error) -> bool {
        false
    }

    /// Says whether a response means success.
    fn verdict(_response: &Self::Response) -> Verdict {
        Verdict::Passed
    }
}

/// Returns how an operation is offered, for the list of all tools.
///
/// # Panics
/// If it is not, when it is compiled.
pub(crate) const fn tool_of<O: Operation>() -> Tool {
    match O::TOOL {
        Some(tool) => tool,
        None => panic!("it is no tool"),
    }
}

/// What an operation does with rules and indexers that are scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scripts {
    /// Nothing: none can be named for it.
    Unused,
    /// They are used; those that cannot be loaded are warned of.
    Used,
    /// They are used; its own response has those that cannot be loaded.
    Answered,
    /// They are what is looked at, those that were named included: none of their faults is an error.
    Examined,
}

/// What is wrong with an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// Which one.
    pub argument: &'static str,
    /// The kind of fault: `required`.
    pub code: &'static str,
    /// What is wrong, in words.
    pub message: &'static str,
}

/// A command line and what it does.
#[derive(Debug, Clone, Copy)]
pub struct Example {
    /// What to type.
    pub command: &'static str,
    /// What it does, in a few words.
    pub does: &'static str,
}

/// Whether a response is a success.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Exit status 0.
    Passed,
    /// Exit status 1 without an error: lint found errors.
    Failed,
}

/// What a request has to be for the command line: nothing without that adapter.
#[cfg(not(feature = "clap"))]
pub trait CliArgs {}
#[cfg(not(feature = "clap"))]
impl<T> CliArgs for T {}

/// What a request has to be for the command line.
#[cfg(feature = "clap")]
pub trait CliArgs: clap::Args {}
#[cfg(feature = "clap")]
impl<T: clap::Args> CliArgs for T {}

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
    loaded: OnceLock<Arc<Loaded>>,
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
            self.kept.plugins.of(found, &self.context, &self.linked)
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
        let host = self.kept.plugins.host();
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
        let host = self.kept.plugins.host();
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

    /// Says what of the scripts was left out, if the call has asked for them.
    fn tell_of_plugins(&self, scripts: Scripts, notes: &mut Notes) {
        let Some(loaded) = self.loaded.get() else {
            return;
        };
        let left_out = |fault: String| Warning::PluginLeftOut { fault };
        if scripts != Scripts::Examined {
            let links = loaded.left_out.iter().map(ToString::to_string);
            links.for_each(|fault| notes.warn(left_out(fault)));
        }
        if matches!(scripts, Scripts::Unused | Scripts::Used) {
            let faults = loaded.plugins.faults().iter().cloned();
            faults.for_each(|fault| notes.warn(left_out(fault)));
        }
        let notices = loaded.notices.iter().cloned();
        notices.for_each(|notice| notes.warn(left_out(notice)));
    }

    /// Finds the skill that a command is about. From here on the command is a use of it, and will be logged.
    ///
    /// # Errors
    /// As [`resolve`](skillc_core::resolve()).
    pub(crate) fn find(&self, asked: &str, notes: &mut Notes) -> Result<SkillRef> {
        let Lookup { at, others } = lookup::find(&self.context, &self.stores, asked)?;
        notes.several(&self.context, &at, &others);
        notes.found(&at);
        Ok(at)
    }
}

/// What an operation says beside its result.
#[derive(Debug, Default)]
pub struct Notes {
    /// Warnings, in the order met.
    pub notices: Vec<Notice>,
    /// Lines for `--verbose`.
    pub details: Vec<String>,
    /// A line for below an error, where the operation knows what may have been meant.
    pub hint: Option<String>,
    /// The root of the one skill that the response is about: its source directory, absolute. Every JSON form of a response has
    /// it, unless that is an array.
    pub root: Option<PathBuf>,
    /// Whether the response shows a text of the skill that names one of its files, so that its reader needs the root.
    pub is_root_needed: bool,
    /// Why a skill was not loaded, with what a program may want to know of that.
    pub refusal: Option<Refusal>,
    /// Whether somebody was asked and will answer by another call.
    pub is_asked: bool,
    /// The skill that the command is about, once it is found.
    found: Option<SkillRef>,
}

impl Notes {
    /// Adds a warning.
    pub fn warn(&mut self, notice: impl Into<Notice>) {
        self.notices.push(notice.into());
    }

    /// Adds what was said elsewhere.
    pub fn append(&mut self, other: Self) {
        self.notices.extend(other.notices);
        self.details.extend(other.details);
        self.hint = other.hint.or(self.hint.take());
        self.root = other.root.or(self.root.take());
        self.is_root_needed |= other.is_root_needed;
        self.is_asked |= other.is_asked;
        self.refusal = other.refusal.or(self.refusal.take());
        self.found = other.found.or(self.found.take());
    }

    /// Remembers the skill that the command is about; the last one counts.
    pub(crate) fn found(&mut self, at: &SkillRef) {
        self.detail(format!("source  {}", at.source.display()));
        self.root = Some(at.canonical.clone());
        self.found = Some(at.clone());
    }

    /// Returns the skill that the command is about, for a command that logs its uses itself.
    pub(crate) const fn take_found(&mut self) -> Option<SkillRef> {
        self.found.take()
    }

    /// Warns that other skills have the name under which one was found, if there are any.
    pub(crate) fn several(&mut self, context: &Context, at: &SkillRef, others: &[PathBuf]) {
        if others.is_empty() {
            return;
        }
        let shown = |path: &PathBuf| format!("'{}'", shown_path(path, context));
        self.warn(Warning::SeveralSkills {
            skill: at.asked.clone(),
            path: shown_path(&at.source, context),
            others: others.iter().map(shown).collect::<Vec<_>>().join(", "),
        });
    }

    /// Warns that something was replaced, if it was kept. `kept`: where it is now.
    pub(crate) fn replaced(&mut self, place: &Path, kept: Option<PathBuf>) {
        if let Some(kept) = kept {
            self.warn(Warning::Replaced {
                path: place.display().to_string(),
                kept: kept.display().to_string(),
            });
        }
    }

    /// Remembers why a skill is not loaded. Returns: the command line's error.
    pub(crate) fn refused(&mut self, refusal: Refusal) -> Error {
        let error = refusal.error();
        self.refusal = Some(refusal);
        error
    }

    /// Adds a line for `--verbose`.
    pub fn detail(&mut self, line: impl Into<String>) {
        self.details.push(line.into());
    }
}

/// A result and what was said beside it.
#[derive(Debug)]
pub struct Outcome<T> {
    /// The response, or why there is none.
    pub result: Result<T>,
    /// Warnings and details, also those of a failure.
    pub notes: Notes,
}

/// Runs an operation and logs it, if it is about one skill. Every adapter calls this and nothing else.
///
/// The row is written when the result is there, and changes nothing in it.
///
/// # Source
/// RFC-0007 C-LOGGING.
pub fn perform<O: Operation>(toolkit: &Toolkit, request: O::Request) -> Outcome<O::Response> {
    let mut notes = Notes {
        notices: toolkit.kept.news(),
        ..Notes::default()
    };
    let mut arguments = O::arguments(&request);
    let named = match O::SCRIPTS {
        Scripts::Examined => Ok(()),
        _ => toolkit.check_named_plugins(),
    };
    let named = named.and_then(|()| toolkit.stores.iter().try_for_each(check_project));
    let result = named.and_then(|()| {
        let result = O::run(toolkit, request, &mut notes);
        toolkit.tell_of_plugins(O::SCRIPTS, &mut notes);
        result
    });
    if let (Ok(response), Some(root)) = (&result, &notes.root) {
        let shown = O::shown(response);
        notes.is_root_needed = shown.is_some_and(|text| names_a_file(&text.0, root));
    }
    if let Some(at) = notes.found.take() {
        if let Ok(response) = &result {
            O::outcome(&mut arguments, response);
        }
        let used = Use {
            command: O::NAME,
            at: &at,
            arguments,
            error: result.as_ref().err(),
        };
        access::log(toolkit, used, &mut notes);
    }
    Outcome { result, notes }
}
