//! The outside world as a value: working directory, home, environment, clock, run id.
//!
//! Below the adapters nobody asks the process but [`Context::from_process`]; everything else gets a `Context`, so that
//! tests give their own.
//!
//! Source: RFC-0009 C-ENV-OVERRIDE, RFC-0007 C-LOGGING (run id).

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::{self, Debug};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::error::{Error, Result};
use crate::time::Timestamp;

/// Tells the time.
pub trait Clock: Send + Sync {
    /// Returns the present moment.
    fn now(&self) -> Timestamp;

    /// Returns the present moment in milliseconds since 1970-01-01T00:00:00Z.
    fn now_ms(&self) -> i64 {
        self.now().0.saturating_mul(1_000)
    }
}

/// The machine's clock.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp(i64::try_from(since_1970().as_secs()).unwrap_or(i64::MAX))
    }

    fn now_ms(&self) -> i64 {
        i64::try_from(since_1970().as_millis()).unwrap_or(i64::MAX)
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is the clock that Context hands out"
)]
fn since_1970() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

/// Asks whoever runs the program.
pub trait Asker: Send + Sync {
    /// Asks a question, which ends with a question mark. Returns whether the answer is yes; `None` if nobody can be asked.
    fn confirm(&self, question: &str) -> Option<bool>;

    /// Asks a question that can be answered for good. Returns the answer; `None` if nobody can be asked.
    ///
    /// `about`: what an answer holds for; the same text each time that the same is asked.
    fn choose(&self, question: &str, about: &str) -> Option<Choice> {
        let _ = about;
        let answer = self.confirm(question)?;
        Some(if answer { Choice::Once } else { Choice::No })
    }
}

/// An answer to a question that comes again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Yes, this time.
    Once,
    /// Yes, and not to be asked again.
    Always,
    /// No.
    No,
    /// None yet: the call ends, and its client makes it again with an answer.
    Later,
}

/// Where nobody can be asked.
#[derive(Debug, Clone, Copy)]
pub struct Nobody;

impl Asker for Nobody {
    fn confirm(&self, _question: &str) -> Option<bool> {
        None
    }
}

/// Reads what the program is given on standard input.
pub trait Input: Send + Sync {
    /// Reads all of it, but no more than so many bytes and one.
    ///
    /// # Errors
    /// Why it cannot be read.
    fn read(&self, max_bytes: u64) -> io::Result<Vec<u8>>;
}

/// Where nothing is given.
#[derive(Debug, Clone, Copy)]
pub struct NoInput;

impl Input for NoInput {
    fn read(&self, _max_bytes: u64) -> io::Result<Vec<u8>> {
        Ok(Vec::new())
    }
}

/// Names one run of `skc`, or one life of its server, in the access log.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunId(pub String);

/// Everything an operation may know of the world outside its arguments.
#[derive(Clone)]
pub struct Context {
    /// The working directory, absolute.
    pub cwd: PathBuf,
    /// The directory that holds the global `.skillc`, absolute: `$SKILLC_HOME`, else the user's home.
    pub home: PathBuf,
    /// The user's own home, whatever `$SKILLC_HOME` says; never taken for a project.
    pub user_home: PathBuf,
    /// Environment variables whose name is UTF-8; in their values, bytes that are not become U+FFFD.
    pub env: BTreeMap<String, String>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Who answers questions; nobody, unless an adapter says otherwise.
    pub asker: Arc<dyn Asker>,
    /// What is given on standard input; nothing, unless an adapter says otherwise.
    pub input: Arc<dyn Input>,
    /// The id of this run.
    pub run_id: RunId,
    /// How long a build waits for another build of the same skill.
    pub lock_wait: Duration,
    /// The running program's file, absolute; `None` if it is not known.
    pub program: Option<PathBuf>,
}

/// The variable that moves everything global elsewhere. Source: RFC-0009 C-ENV-OVERRIDE.
const HOME_VARIABLE: &str = "SKILLC_HOME";

/// Names the run that several processes share. Source: RFC-0007 C-LOGGING.
const RUN_VARIABLE: &str = "SKC_RUN_ID";

/// How long a build waits for another one unless the context says otherwise. Source: RULINGS R20.
const LOCK_WAIT: Duration = Duration::from_secs(30);

impl Context {
    /// Reads the process's state.
    ///
    /// # Errors
    /// E999 if there is no working directory, or no home directory and no `SKILLC_HOME`.
    pub fn from_process() -> Result<Self> {
        #[expect(clippy::disallowed_methods, reason = "the one reader of process state")]
        let (cwd, user_home) = (std::env::current_dir(), std::env::home_dir());
        let cwd = cwd.map_err(|e| Error::io("reading", Path::new("working directory"), &e))?;
        let user_home = user_home.filter(|home| !home.as_os_str().is_empty());
        let env = std::env::vars_os().filter_map(text_pair).collect();
        let mut context = Self::new(cwd, user_home, env, Arc::new(SystemClock))?;
        if let Some(home) = std::env::var_os(HOME_VARIABLE).filter(|home| !home.is_empty()) {
            // The path as it is, also where it is not UTF-8.
            context.home = absolute(&context.cwd, Path::new(&home));
        }
        context.program = std::env::current_exe().ok();
        Ok(context)
    }

    /// Makes a context from its parts; `SKILLC_HOME` and `SKC_RUN_ID` are read from `env`.
    ///
    /// # Errors
    /// E999 if there is no home directory and no `SKILLC_HOME`.
    pub fn new(
        cwd: PathBuf,
        user_home: Option<PathBuf>,
        env: BTreeMap<String, String>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self> {
        let user_home = user_home.map(|home| absolute(&cwd, &home));
        let named = env
            .get(HOME_VARIABLE)
            .filter(|value| !value.is_empty())
            .map(|value| absolute(&cwd, Path::new(value)));
        let home = named
            .or_else(|| user_home.clone())
            .ok_or_else(|| Error::Internal {
                message: "no home directory".into(),
                hint: Some("Set SKILLC_HOME to the directory that shall hold .skillc.".into()),
            })?;
        let run_id = run_id(&env, clock.now());
        let user_home = user_home.unwrap_or_else(|| home.clone());
        Ok(Self {
            cwd,
            home,
            user_home,
            env,
            clock,
            asker: Arc::new(Nobody),
            input: Arc::new(NoInput),
            run_id,
            lock_wait: LOCK_WAIT,
            program: None,
        })
    }

    /// Returns the run, if it is one that other processes may belong to as well.
    pub fn shared_run(&self) -> Option<&str> {
        self.env(RUN_VARIABLE)
    }

    /// Returns a variable's value; one that is set but empty counts as unset.
    pub fn env(&self, name: &str) -> Option<&str> {
        self.env
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// Returns `PATH` without its relative entries, for running a program: those lead into the working directory, where a
    /// project may have put a program of the same name.
    pub fn absolute_search_path(&self) -> Option<OsString> {
        let path = self.env.get("PATH")?;
        let absolute = std::env::split_paths(path).filter(|dir| dir.is_absolute());
        std::env::join_paths(absolute).ok()
    }
}

impl Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("cwd", &self.cwd)
            .field("home", &self.home)
            .field("run_id", &self.run_id)
            .finish_non_exhaustive()
    }
}

/// Makes a home absolute, without parts that are just `.`.
fn absolute(cwd: &Path, home: &Path) -> PathBuf {
    cwd.join(home).components().collect()
}

fn text_pair((name, value): (OsString, OsString)) -> Option<(String, String)> {
    Some((
        name.into_string().ok()?,
        value.to_string_lossy().into_owned(),
    ))
}

fn run_id(env: &BTreeMap<String, String>, now: Timestamp) -> RunId {
    match env.get(RUN_VARIABLE) {
        Some(id) if !id.is_empty() => RunId(id.clone()),
        _ => {
            // The standard library's hasher is seeded at random for each process: enough for four digits.
            let random = RandomState::new().hash_one(now) & 0xffff;
            RunId(format!("{}-{random:04x}", now.compact()))
        }
    }
}
