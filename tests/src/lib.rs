//! Test environment: a temporary home and working directory, and ways to run `skc` in them.
//!
//! [`World::skc`] runs in this process, with a fixed clock and its own environment. [`World::process`] starts the real
//! program, for tests of streams, signals, exit status and concurrency.
#![expect(
    clippy::missing_panics_doc,
    reason = "a test helper panics to fail the test"
)]

pub mod corpus;
pub mod database;
mod http_client;
pub mod lsp;
pub mod mcp;
pub mod mcp_http;
pub mod mutations;
pub mod properties;
pub mod relevance;
pub mod retrieval;
#[cfg(target_os = "linux")]
pub mod terminal;
#[cfg(target_os = "linux")]
pub mod tmux;
#[cfg(target_os = "linux")]
pub mod unreadable;
pub mod watching;
pub mod wording;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;

use serde_json::Value;
use skillc::Io;
use skillc_core::Context;
use skillc_core::hash::path_hash16;
use skillc_core::testkit::{FixedClock, NOW, write_files};
use skillc_lint::PluginRegistry;
use skillc_script::Host;
use tempfile::TempDir;

/// Returns every built-in plug-in: linked ones and embedded scripts.
pub fn plugins() -> PluginRegistry {
    let mut plugins = PluginRegistry::linked().expect("no duplicates");
    Host::default().load_embedded(&mut plugins);
    assert_eq!(plugins.faults(), [""; 0]);
    plugins
}

/// Command-line options that no MCP tool has, because they are not part of a request.
pub const NOT_OF_REQUESTS: [&str; 29] = [
    "every",
    "heading",
    "shard",
    "resume",
    "more_words",
    "build",
    "lines_around",
    "format",
    "output",
    "verbose",
    "help",
    "prune",
    "before",
    "yes",
    "fix",
    "diff",
    "unsafe_fixes",
    "matrix",
    "statistics",
    "baseline",
    "write_baseline",
    "changed_since",
    "stdin",
    "stdin_filename",
    "watch",
    "plugin",
    "quiet",
    "max_warnings",
    "no_baseline",
];

/// The smallest skill that builds, named `demo`.
pub const MINIMAL: &str =
    "---\nname: demo\ndescription: A demo. Use when testing.\n---\n\n# Demo\n\nHello world.\n";

/// Removes ANSI colour codes.
pub fn without_colours(text: &str) -> String {
    let mut pieces = text.split("\u{1b}[");
    let head = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(head, |all, piece| {
        all + piece.split_once('m').map_or(piece, |(_, rest)| rest)
    })
}

/// A temporary home and working directory.
pub struct World {
    _root: TempDir,
    /// The home directory; `$SKILLC_HOME` of every run.
    pub home: PathBuf,
    /// The working directory.
    pub cwd: PathBuf,
    /// Environment variables of every run, in addition to `SKILLC_HOME`.
    pub env: BTreeMap<String, String>,
}

/// Output and exit status of a run.
#[derive(Debug)]
pub struct Output {
    /// Whether the exit status was 0.
    pub ok: bool,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: String,
}

impl World {
    /// Creates an empty world: the working directory is not a project.
    pub fn new() -> Self {
        let root = TempDir::new().expect("temporary directory");
        let base = root.path().canonicalize().expect("should exist");
        let (home, cwd) = (base.join("home"), base.join("work"));
        fs::create_dir_all(&home).expect("home can be made");
        fs::create_dir_all(&cwd).expect("working directory can be made");
        let env = BTreeMap::from([("SKC_NO_FSYNC".to_owned(), "1".to_owned())]);
        Self {
            _root: root,
            home,
            cwd,
            env,
        }
    }

    /// Creates a world whose working directory is a project. It has no configuration, so stubs go to the user scope.
    pub fn project() -> Self {
        let world = Self::new();
        fs::create_dir_all(world.cwd.join(".skillc/skills")).expect("project can be made");
        fs::write(world.cwd.join(".skillc/.gitignore"), "/runtime/\n/logs/\n").expect("a file");
        world
    }

    /// Creates a project with a skill `demo` that consists of these files. If `SKILL.md` is not among them, it is
    /// [`MINIMAL`].
    pub fn demo(files: &[(&str, &str)]) -> Self {
        let world = Self::project();
        world.project_skill("demo", files);
        world
    }

    /// Creates a project with the skill `demo` and builds it.
    pub fn built(files: &[(&str, &str)]) -> Self {
        let world = Self::demo(files);
        world.skc(["build", "demo"]).success();
        world
    }

    /// Like [`built`](Self::built), but the working directory is the user's home. In the user's own store, any index
    /// with valid content is accepted, whatever its origin.
    pub fn built_at_home(files: &[(&str, &str)]) -> Self {
        let mut world = Self::demo(files);
        world.home.clone_from(&world.cwd);
        world.skc(["build", "demo"]).success();
        world
    }

    /// Writes a skill into the project's store; returns its directory.
    pub fn project_skill(&self, name: &str, files: &[(&str, &str)]) -> PathBuf {
        write_skill(&self.cwd.join(".skillc/skills").join(name), files)
    }

    /// Writes a skill into the global store; returns its directory.
    pub fn global_skill(&self, name: &str, files: &[(&str, &str)]) -> PathBuf {
        write_skill(&self.home.join(".skillc/skills").join(name), files)
    }

    /// Writes a skill into a directory below the working directory, outside every store; returns that directory.
    pub fn directory(&self, path: &str, files: &[(&str, &str)]) -> PathBuf {
        write_skill(&self.cwd.join(path), files)
    }

    /// Returns the source directory of `demo` in the project.
    pub fn demo_source(&self) -> PathBuf {
        self.cwd.join(".skillc/skills/demo")
    }

    /// Returns the runtime directory of `demo` in the project.
    pub fn demo_runtime(&self) -> PathBuf {
        self.cwd.join(".skillc/runtime/demo")
    }

    /// Returns the search index of `demo` in the project.
    pub fn demo_index(&self) -> PathBuf {
        index_in(&self.demo_runtime(), &self.demo_source())
    }

    /// Sets an environment variable for subsequent runs.
    pub fn set(&mut self, name: &str, value: &str) {
        self.env.insert(name.to_owned(), value.to_owned());
    }

    /// Returns the context of a run in `cwd`: fixed clock, run id `test`.
    pub fn context_at(&self, cwd: &Path) -> Context {
        let mut env = self.env.clone();
        env.entry("SKC_RUN_ID".to_owned())
            .or_insert_with(|| "test".to_owned());
        Context::new(
            cwd.to_path_buf(),
            Some(self.home.clone()),
            env,
            Arc::new(FixedClock(NOW)),
        )
        .expect("a home is given")
    }

    /// Runs `skc` in this process, in the working directory.
    pub fn skc<const N: usize>(&self, args: [&str; N]) -> Output {
        self.skc_at(&self.cwd, &args)
    }

    /// Runs `skc` in this process, in any directory.
    pub fn skc_at(&self, cwd: &Path, args: &[&str]) -> Output {
        run_in(self.context_at(cwd), args)
    }

    /// Returns a command that runs the real program in the working directory, with a clean environment.
    ///
    /// `program`: `env!("CARGO_BIN_EXE_skc-under-test")`, which is available in integration tests only.
    pub fn process(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(args)
            .current_dir(&self.cwd)
            .env_clear()
            .envs(&self.env);
        command
            .env("HOME", &self.home)
            .env("SKILLC_HOME", &self.home)
            .stdin(Stdio::null());
        command
    }
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

/// Runs `skc` in this process with the given context.
pub fn run_in(context: Context, args: &[&str]) -> Output {
    let args: Vec<OsString> = ["skc"].iter().chain(args).map(OsString::from).collect();
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let mut io = Io {
        out: &mut stdout,
        err: &mut stderr,
        out_is_styled: false,
        err_is_styled: false,
    };
    let status = skillc::run(&args, &mut io, context);
    Output {
        ok: status == ExitCode::SUCCESS,
        stdout,
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
    }
}

impl Output {
    /// Converts the output of a process.
    pub fn new(output: std::process::Output) -> Self {
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        Self {
            ok: output.status.success(),
            stdout: output.stdout,
            stderr,
        }
    }

    /// Returns standard output as text.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("text on standard output")
    }

    /// Returns standard output as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.stdout).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    /// Asserts that the run succeeded.
    #[track_caller]
    #[expect(clippy::return_self_not_must_use, reason = "the check is the point")]
    pub fn success(self) -> Self {
        assert!(self.ok, "failed: {self:?}");
        self
    }

    /// Asserts that the run failed, that `line` is the first line on standard error, and that standard output is empty.
    #[track_caller]
    pub fn error(&self, line: &str) {
        assert!(!self.ok, "succeeded: {self:?}");
        assert_eq!(self.stderr.lines().next(), Some(line), "{self:?}");
        assert!(self.stdout.is_empty(), "{self:?}");
    }

    /// Asserts that the run failed with this error code.
    #[track_caller]
    pub fn code(&self, code: &str) {
        assert!(!self.ok, "succeeded: {self:?}");
        assert!(
            self.stderr.starts_with(&format!("error[{code}]: ")),
            "{self:?}"
        );
    }
}

/// Returns the search index of a source directory within a runtime directory.
pub fn index_in(runtime: &Path, source: &Path) -> PathBuf {
    let hash16 = path_hash16(&source.canonicalize().expect("should exist"));
    runtime.join(format!(".skillc-meta/search-{hash16}.db"))
}

/// Returns every file, directory and symlink below a directory with its content or target, sorted by path.
///
/// Omits files that may change although the skill does not: usage logs, build records, directories that contain nothing
/// else, and freshness tables. A build without changes may rewrite a freshness table once the skill's files are old
/// enough that their timestamps reveal later edits.
pub fn snapshot(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = snapshot_with_logs(dir);
    let is_record = |path: &Path| {
        path.parent()
            .is_some_and(|dir| dir.ends_with(".skillc/builds"))
    };
    let is_log = |path: &&PathBuf| path.ends_with(".skillc-meta/logs.db") || is_record(path);
    let is_freshness = |path: &Path| {
        let name = path.file_name().unwrap_or_default();
        name.to_string_lossy().starts_with("stamps-")
    };
    found.retain(|path, _| !is_freshness(path));
    let logs: Vec<PathBuf> = found.keys().filter(is_log).cloned().collect();
    for log in logs {
        found.remove(&log);
        for above in log.ancestors().skip(1) {
            let holds = |path: &PathBuf| path != above && path.starts_with(above);
            if found.keys().any(holds) {
                break;
            }
            found.remove(above);
        }
    }
    found
}

/// Like [`snapshot`], but omits nothing.
pub fn snapshot_with_logs(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut dirs = vec![dir.to_path_buf()];
    while let Some(next) = dirs.pop() {
        let Ok(entries) = fs::read_dir(&next) else {
            continue;
        };
        for entry in entries.flatten() {
            let (path, kind) = (entry.path(), entry.file_type().expect("a type"));
            let content = if kind.is_symlink() {
                fs::read_link(&path)
                    .expect("a link")
                    .into_os_string()
                    .into_encoded_bytes()
            } else if kind.is_dir() {
                dirs.push(path.clone());
                b"directory".to_vec()
            } else {
                fs::read(&path).expect("a file")
            };
            found.insert(
                path.strip_prefix(dir).expect("below it").to_path_buf(),
                content,
            );
        }
    }
    found
}

/// Writes the configuration of a home or a project.
pub fn write_config(root: &Path, text: &str) {
    write_files(&root.join(".skillc"), &[("config.toml", text)]);
}

fn write_skill(dir: &Path, files: &[(&str, &str)]) -> PathBuf {
    if files.iter().all(|(path, _)| *path != "SKILL.md") {
        write_files(dir, &[("SKILL.md", MINIMAL)]);
    }
    write_files(dir, files);
    dir.to_path_buf()
}
