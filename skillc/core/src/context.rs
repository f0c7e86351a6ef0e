//! The program's environment as one value: working directory, home directory, environment variables, clock, run id.
//!
//! Apart from the adapters (command line and MCP server), only [`Context::from_process`] reads process state. All other
//! code receives a `Context`, so that tests can supply their own.
//!
//! Design: C-ENV-OVERRIDE, C-LOGGING@7.

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

/// A source of the current time.
pub trait Clock: Send + Sync {
    /// Returns the current time.
    fn now(&self) -> Timestamp;

    /// Returns the current time in milliseconds since 1970-01-01T00:00:00Z.
    fn now_ms(&self) -> i64 {
        self.now().0.saturating_mul(1_000)
    }
}

/// The system clock.
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

/// Asks the user questions.
pub trait Asker: Send + Sync {
    /// Asks a yes/no question, which ends with a question mark. Returns the answer; `None` if the session is not
    /// interactive.
    fn confirm(&self, question: &str) -> Option<bool>;

    /// Asks a question whose answer can be remembered. Returns the answer; `None` if the session is not interactive.
    ///
    /// `about`: the subject under which the answer is remembered. The subject must be the same each time the same
    /// question is asked.
    fn choose(&self, question: &str, about: &str) -> Option<Choice> {
        let _ = about;
        let answer = self.confirm(question)?;
        Some(if answer { Choice::Once } else { Choice::No })
    }
}

/// An answer to [`Asker::choose`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Yes, this time.
    Once,
    /// Yes, and do not ask again.
    Always,
    /// No.
    No,
    /// No answer yet: the call ends, and the client repeats the call with an answer.
    Later,
}

/// The asker of a session that is not interactive.
#[derive(Debug, Clone, Copy)]
pub struct Nobody;

impl Asker for Nobody {
    fn confirm(&self, _question: &str) -> Option<bool> {
        None
    }
}

/// Reads standard input.
pub trait Input: Send + Sync {
    /// Reads standard input to its end, but at most `max_bytes` + 1 bytes.
    ///
    /// # Errors
    /// An I/O error if standard input cannot be read.
    fn read(&self, max_bytes: u64) -> io::Result<Vec<u8>>;
}

/// An empty standard input.
#[derive(Debug, Clone, Copy)]
pub struct NoInput;

impl Input for NoInput {
    fn read(&self, _max_bytes: u64) -> io::Result<Vec<u8>> {
        Ok(Vec::new())
    }
}

/// Identifies one run of `skc`, or one server session, in the usage log and the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunId(pub String);

/// Everything that an operation may depend on, except its arguments.
#[derive(Clone)]
pub struct Context {
    /// The absolute path of the working directory.
    pub cwd: PathBuf,
    /// The absolute path of the directory that contains the user's `.skillc`: `$SKILLC_HOME`, otherwise the user's home
    /// directory.
    pub home: PathBuf,
    /// The user's own home directory, regardless of `$SKILLC_HOME`; never treated as a project.
    pub user_home: PathBuf,
    /// Environment variables whose names are valid UTF-8; invalid bytes in their values become U+FFFD.
    pub env: BTreeMap<String, String>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Asks the user questions; not interactive by default.
    pub asker: Arc<dyn Asker>,
    /// Standard input; empty by default.
    pub input: Arc<dyn Input>,
    /// The id of this run.
    pub run_id: RunId,
    /// How long a command waits for a lock that another process holds: on a build, on the imports of a store, on a
    /// client's folder, or on the folder of `config.toml`.
    pub lock_wait: Duration,
    /// The absolute path of the running executable; `None` if not known.
    pub program: Option<PathBuf>,
}

/// The environment variable that relocates the user's `.skillc`. Design: C-ENV-OVERRIDE.
const HOME_VARIABLE: &str = "SKILLC_HOME";

/// The environment variable with the id of a run that several processes share. Design: C-LOGGING@7.
const RUN_VARIABLE: &str = "SKC_RUN_ID";

/// The default of [`Context::lock_wait`]. Design: R20, locks.
const LOCK_WAIT: Duration = Duration::from_secs(30);

impl Context {
    /// Creates a context from the state of this process.
    ///
    /// # Errors
    /// E999 if there is no working directory, or if there is neither a home directory nor `SKILLC_HOME`; E100 if
    /// `SKILLC_HOME` is a relative path.
    pub fn from_process() -> Result<Self> {
        #[expect(clippy::disallowed_methods, reason = "the one reader of process state")]
        let (cwd, user_home) = (std::env::current_dir(), std::env::home_dir());
        let cwd = cwd.map_err(|e| Error::io("reading", Path::new("working directory"), &e))?;
        let env = std::env::vars_os().filter_map(text_pair).collect();
        let mut context = Self::new(cwd, user_home, env, Arc::new(SystemClock))?;
        if let Some(home) = std::env::var_os(HOME_VARIABLE).filter(|home| !home.is_empty()) {
            // Use the raw path: `env` is lossy if the path is not UTF-8.
            context.home = relocated(&context.cwd, Path::new(&home))?;
        }
        context.program = std::env::current_exe().ok();
        Ok(context)
    }

    /// Creates a context from its parts, and reads `SKILLC_HOME` and `SKC_RUN_ID` from `env`.
    ///
    /// `user_home`: the home directory; a relative path is treated as missing.
    ///
    /// # Errors
    /// E999 if there is neither a home directory nor `SKILLC_HOME`, and E100 if `SKILLC_HOME` is a relative path.
    pub fn new(
        cwd: PathBuf,
        user_home: Option<PathBuf>,
        env: BTreeMap<String, String>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self> {
        let user_home = user_home.filter(|home| home.has_root());
        let user_home = user_home.map(|home| absolute(&cwd, &home));
        let named = env
            .get(HOME_VARIABLE)
            .filter(|value| !value.is_empty())
            .map(|value| relocated(&cwd, Path::new(value)))
            .transpose()?;
        let home = named
            .or_else(|| user_home.clone())
            .ok_or_else(|| Error::Internal {
                message: "no home directory".into(),
                hint: Some(
                    "Set SKILLC_HOME to the absolute path of the directory that should contain .skillc."
                        .into(),
                ),
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

    /// Returns the run id from `SKC_RUN_ID`, which other processes may share; `None` if the variable is not set.
    pub fn shared_run(&self) -> Option<&str> {
        self.env(RUN_VARIABLE)
    }

    /// Returns the value of an environment variable. An empty value is treated as unset.
    pub fn env(&self, name: &str) -> Option<&str> {
        self.env
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// Returns the absolute folders of `PATH`, in order.
    pub fn search_path(&self) -> Vec<PathBuf> {
        let path = self.env("PATH").unwrap_or_default();
        let dirs = std::env::split_paths(path);
        dirs.filter(|dir| dir.is_absolute()).collect()
    }

    /// Returns `PATH` without its relative entries, for running a program: relative entries resolve to folders below
    /// the working directory, where a project may have planted a program of the same name.
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

/// Returns the directory that `SKILLC_HOME` names. A relative path is an error: the working directory can be a project,
/// whose files would then count as the user's own.
fn relocated(cwd: &Path, home: &Path) -> Result<PathBuf> {
    if home.has_root() {
        return Ok(absolute(cwd, home));
    }
    Err(Error::InvalidOption {
        message: format!("{HOME_VARIABLE}: '{}' is not an absolute path", home.display()),
        hint: Some(
            "Set SKILLC_HOME to the absolute path of the directory that should contain .skillc, or unset it."
                .into(),
        ),
    })
}

/// Makes a home directory absolute and removes `.` components. On Windows, a path with a root can lack a drive.
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
            // The standard library seeds the hasher randomly, which is good enough for four digits.
            let random = RandomState::new().hash_one(now) & 0xffff;
            RunId(format!("{}-{random:04x}", now.compact()))
        }
    }
}
