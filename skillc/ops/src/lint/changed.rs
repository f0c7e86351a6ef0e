//! The skills that differ from a revision: `git` is asked, and only for names.
//!
//! The repository may be somebody else's: git runs nothing that it configures, takes no lock, opens no connection, and what
//! it says is bounded.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

use skillc_core::layout::canonical;
use skillc_core::{Context, Error, Result};

use super::scope::Scope;
use crate::operation::Notes;

/// The most bytes of names.
const MAX_NAMES: u64 = 64 << 20;

/// The most bytes of what git complains of.
const MAX_COMPLAINT: u64 = 4 << 10;

/// What is said to git before every command.
const SAFELY: [&str; 11] = [
    "--no-pager",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "diff.relative=false",
    "-c",
    "protocol.allow=never",
    "-c",
    "submodule.recurse=false",
];

/// Which skills a run is over, by what has changed. Nothing of it can be asked for in JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct ChangedRequest {
    /// Only skills with a file that differs from this git revision, or is new
    #[cfg_attr(feature = "clap", arg(long, value_name = "REV"))]
    pub changed_since: Option<String>,
}

/// What differs from a revision.
pub(super) struct Changes {
    /// As it was named.
    pub(super) revision: String,
    /// The top of the working tree, canonical.
    pub(super) top: PathBuf,
    /// Below it, sorted; also what is not there any more, and directories that are repositories of their own.
    paths: Vec<PathBuf>,
}

impl Changes {
    /// Asks git, if that is asked for.
    ///
    /// # Errors
    /// E100 if there is no git, no repository or no such revision.
    pub(super) fn find(context: &Context, request: &ChangedRequest) -> Result<Option<Self>> {
        let Some(revision) = &request.changed_since else {
            return Ok(None);
        };
        if revision.is_empty() || revision.starts_with('-') || revision.contains('\0') {
            return Err(unknown(revision));
        }
        let git = Git { context };
        let top = git.run(&["rev-parse", "--show-toplevel"]);
        let mut top = top.map_err(|why| why.into_error("no git repository here"))?;
        while top.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
            top.pop();
        }
        let top = canonical(Path::new(&name(&top)));
        let commit = git.commit(revision)?;
        let listed = |args: &[&str]| {
            git.run(args)
                .map_err(|why| why.into_error("git does not say what has changed"))
        };
        let differ = listed(&[
            "diff",
            "--name-only",
            "-z",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--ignore-submodules=dirty",
            &commit,
            "--",
        ])?;
        let new = listed(&[
            "ls-files",
            "--others",
            "--exclude-standard",
            "--full-name",
            "-z",
            "--",
            ":/",
        ])?;
        let names = [&differ, &new]
            .into_iter()
            .flat_map(|out| out.split(|byte| *byte == 0));
        let names = names.filter(|name| !name.is_empty());
        let mut paths: Vec<PathBuf> = names.map(|bytes| top.join(name(bytes))).collect();
        paths.sort();
        Ok(Some(Self {
            revision: revision.clone(),
            top,
            paths,
        }))
    }

    /// Keeps the skills of a run that have changed.
    ///
    /// # Errors
    /// E100 if none of the skills lies in the repository.
    pub(super) fn keep(&self, scope: &mut Scope, notes: &mut Notes) -> Result<()> {
        let is_outside = |dir: &Path| !dir.starts_with(&self.top);
        let mut skills = scope.skills.iter();
        if let (Some(first), true) = (
            scope.skills.first(),
            skills.all(|found| is_outside(&found.at.canonical)),
        ) {
            return Err(Error::InvalidOption {
                message: format!("'{}' is not in the git repository here", first.folder),
                hint: Some("Change to the repository that it is in, and try again.".into()),
            });
        }
        for found in &scope.skills {
            if is_outside(&found.at.canonical) {
                notes.detail(format!("outside {}", found.at.canonical.display()));
            }
        }
        scope.skills.retain(|found| self.has(&found.at.canonical));
        Ok(())
    }

    /// Says whether something in a directory has changed, or the repository around it that is one of this repository's.
    fn has(&self, dir: &Path) -> bool {
        // A path sorts before what is below it.
        let from = self.paths.partition_point(|path| path.as_path() < dir);
        let is_below = |path: &PathBuf| path.starts_with(dir);
        let mut above = dir.ancestors().take_while(|above| *above != self.top);
        self.paths.get(from).is_some_and(is_below)
            || above.any(|above| {
                self.paths
                    .binary_search_by(|path| path.as_path().cmp(above))
                    .is_ok()
            })
    }
}

struct Git<'a> {
    context: &'a Context,
}

/// Why git did not answer.
enum Failed {
    /// It is not installed.
    Missing,
    /// In its own words.
    Said(String),
    /// It could not be run or listened to.
    Broken(io::Error),
    TooLong,
}

impl Git<'_> {
    /// Returns the number of the commit that a revision stands for.
    fn commit(&self, revision: &str) -> Result<String> {
        let asked = format!("{revision}^{{commit}}");
        let verify = |options: &[&str]| {
            let args = [
                &["rev-parse", "--verify", "--quiet"],
                options,
                &[asked.as_str()],
            ];
            self.run(&args.concat())
        };
        // Older gits do not know the option; what begins with a dash was refused before.
        let found = verify(&["--end-of-options"]).or_else(|_| verify(&[]));
        let found = found.map_err(|_| unknown(revision))?;
        let text = String::from_utf8_lossy(&found).trim().to_owned();
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(unknown(revision));
        }
        Ok(text)
    }

    /// Runs git and returns what it prints.
    fn run(&self, args: &[&str]) -> Result<Vec<u8>, Failed> {
        let spawned = Command::new("git")
            .args(SAFELY)
            .args(args)
            .current_dir(&self.context.cwd)
            .env_clear()
            .envs(&self.context.env)
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = spawned.map_err(|why| match why.kind() {
            io::ErrorKind::NotFound => Failed::Missing,
            _ => Failed::Broken(why),
        })?;
        let heard = listen(&mut child);
        if !matches!(heard, Ok((ref out, _)) if out.len() as u64 <= MAX_NAMES) {
            child.kill().unwrap_or_default();
        }
        let status = child.wait().map_err(Failed::Broken)?;
        let (out, complaint) = heard.map_err(Failed::Broken)?;
        if out.len() as u64 > MAX_NAMES {
            return Err(Failed::TooLong);
        }
        if !status.success() {
            let complaint = String::from_utf8_lossy(&complaint).into_owned();
            return Err(Failed::Said(
                complaint.lines().next().unwrap_or_default().to_owned(),
            ));
        }
        Ok(out)
    }
}

/// Reads both streams of a process; of names, one byte more than is allowed at most.
fn listen(child: &mut Child) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        let complaint = scope.spawn(|| {
            let mut bytes = Vec::new();
            if let Some(mut stderr) = stderr {
                // What is not kept is read, too, so that git is not left waiting.
                let kept = stderr.by_ref().take(MAX_COMPLAINT).read_to_end(&mut bytes);
                kept.and_then(|_| io::copy(&mut stderr, &mut io::sink()))
                    .unwrap_or_default();
            }
            bytes
        });
        let mut out = Vec::new();
        let read = stdout.map_or(Ok(0), |stdout| {
            stdout.take(MAX_NAMES + 1).read_to_end(&mut out)
        });
        Ok((read.map(|_| out)?, complaint.join().unwrap_or_default()))
    })
}

impl Failed {
    fn into_error(self, what: &str) -> Error {
        let (message, hint) = match self {
            Self::Missing => (
                "--changed-since needs git, which is not found".to_owned(),
                "Install git, or name the skills.",
            ),
            Self::Said(why) if why.is_empty() => (what.to_owned(), "Run it in a git repository."),
            Self::Said(why) => (format!("{what}: {why}"), "Run it in a git repository."),
            Self::Broken(why) => (format!("git cannot be run: {why}"), "Name the skills."),
            Self::TooLong => (
                "too many files have changed: more than 64 MiB of names".to_owned(),
                "Name a later revision, or the skills.",
            ),
        };
        Error::InvalidOption {
            message,
            hint: Some(hint.into()),
        }
    }
}

fn unknown(revision: &str) -> Error {
    Error::InvalidOption {
        message: format!("git knows no revision '{revision}'"),
        hint: Some(
            "Name a branch, a tag or a commit that is here; a shallow clone has few: fetch it."
                .into(),
        ),
    }
}

/// Returns a file name as git has it.
#[cfg(unix)]
fn name(bytes: &[u8]) -> OsString {
    use std::os::unix::ffi::OsStrExt;
    OsStr::from_bytes(bytes).to_owned()
}

/// Returns a file name as git has it: UTF-8 on these systems.
#[cfg(not(unix))]
fn name(bytes: &[u8]) -> OsString {
    OsStr::new(&*String::from_utf8_lossy(bytes)).to_owned()
}
