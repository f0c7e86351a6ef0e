//! `--changed-since`: selects the skills that differ from a git revision. Git supplies only the names of files.
//!
//! The repository may be untrusted. Git therefore runs no program that the repository configures, takes no lock and
//! opens no connection, and its output is bounded. Files are compared through a temporary git directory without the
//! repository's configuration: a content filter is a program and can have any name, so command-line options cannot
//! disable all filters.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use skillc_core::layout::canonical;
use skillc_core::{Context, Error, RelPath, Result};

use super::git_dir::{OwnGitDir, Parts, special_file, unlisted_below};
use super::scope::{FoundSkill, Scope};
use crate::notes::Notes;
use crate::plugins::{EXTENSION, PACK_FILE};

/// The maximum size of a git command's output, in bytes.
const MAX_NAMES: u64 = 64 << 20;

/// The limit on git's error output, in bytes; the rest is discarded.
const MAX_COMPLAINT: u64 = 4 << 10;

/// The options that precede every git command. Among other things, they disable the pager, hooks, the file system
/// monitor, the network and submodules.
const SAFELY: [&str; 23] = [
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
    "-c",
    "safe.bareRepository=explicit",
    "-c",
    "core.attributesFile=/dev/null",
    "-c",
    "diff.orderFile=/dev/null",
    // Other values make git compare less metadata, so that a repository could hide a changed file.
    "-c",
    "core.checkStat=default",
    "-c",
    "core.trustctime=true",
    "-c",
    "core.ignoreStat=false",
];

/// Matches the git settings that determine how files are stored in the working tree.
const STORED: &str = r"^core\.(autocrlf|eol|filemode|symlinks|ignorecase|precomposeunicode|longpaths|sparsecheckout)$";

/// The mode of a gitlink (a nested repository) in git's index.
const REPOSITORY: &[u8] = b"160000";

/// The limit on skills per `git ls-files` command.
const SKILLS_PER_COMMAND: usize = 50;

/// Timeout of one git command: the configuration of a repository can make git read forever.
const MAX_TIME: Duration = Duration::from_secs(60);

/// The memory limit of one git command, in bytes, without the files that git maps into memory: a file in the git
/// directory can be a symlink to a device without an end.
const MAX_MEMORY: u64 = 2 << 30;

/// Restricts a run to changed skills. Not available in JSON requests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct ChangedRequest {
    /// Lint only skills changed since a git revision, for example HEAD~1
    #[cfg_attr(feature = "clap", arg(long, value_name = "REV"))]
    pub changed_since: Option<String>,
    /// Whether a skill also counts as changed if it has files that git ignores, that git's index exempts from
    /// comparison, or that belong to another repository, and whether git ignores attributes and settings that can hide
    /// changes.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub is_thorough: bool,
}

/// The files that differ from a revision.
pub(super) struct Changes {
    /// The revision for messages: the argument, or `the merge base with` and a revision.
    pub(super) revision: String,
    /// The canonical root of the working tree.
    pub(super) top: PathBuf,
    /// Absolute paths of the changes below `top`, sorted; includes deleted files and nested repositories.
    paths: Vec<PathBuf>,
}

impl Changes {
    /// Finds the changes with git, if `--changed-since` is given.
    ///
    /// # Errors
    /// E100 if git is missing or fails, if the working directory is not in a repository, or if the revision is not
    /// valid.
    pub(super) fn find(context: &Context, request: &ChangedRequest) -> Result<Option<Self>> {
        let Some(revision) = &request.changed_since else {
            return Ok(None);
        };
        if revision.is_empty() || revision.starts_with('-') || revision.contains('\0') {
            return Err(unknown(revision));
        }
        let since = Since::parse(revision)?;
        let git = Git { context };
        git.check_files()?;
        let top = git.run(&["rev-parse", "--show-toplevel"]);
        let mut top = top.map_err(|why| why.into_error("not in a git repository"))?;
        while top.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
            top.pop();
        }
        let named = PathBuf::from(name(&top));
        let top = canonical(&named);
        git.is_this(&top)?;
        let tree = git.start(since)?;
        let unlisted = |why: Failed| why.into_error("git cannot list the changes");
        let no_attributes = request.is_thorough.then(|| git.nothing()).transpose()?;
        let differ = git.differing(&tree, named, no_attributes.as_deref());
        let differ = differ.map_err(unlisted)?;
        let new = git.run(&[
            "ls-files",
            "--others",
            "--exclude-standard",
            "--full-name",
            "-z",
            "--",
            ":/",
        ]);
        let new = new.map_err(unlisted)?;
        let changed = [&differ, &new]
            .into_iter()
            .flat_map(|out| out.split(|byte| *byte == 0));
        let changed = changed.filter(|name| !name.is_empty());
        let mut paths: Vec<PathBuf> = changed.map(|bytes| top.join(name(bytes))).collect();
        paths.sort();
        Ok(Some(Self {
            revision: match since {
                Since::Revision(name) => name.to_owned(),
                Since::Left(name) => format!("the merge base with {name}"),
            },
            top,
            paths,
        }))
    }

    /// Adds the files of skills that git's list of changes omits: ignored files, files with index flags that exempt
    /// them from comparison, nested repositories, and entries called `.git`. Git does not list the files of a nested
    /// repository. To compare them, git would read that repository's configuration, which can start programs.
    ///
    /// # Errors
    /// E100 if git cannot list these files.
    pub(super) fn add_overlooked(&mut self, context: &Context, scope: &Scope) -> Result<()> {
        let git = Git { context };
        // For git, an archive is a single file.
        let dirs = scope.skills.iter().map(FoundSkill::on_disk);
        let dirs = dirs.filter(|dir| dir.starts_with(&self.top) && !self.has(dir));
        let (mut places, mut odd) = (Vec::new(), Vec::new());
        for dir in dirs {
            match RelPath::below(&self.top, dir) {
                Some(path) if path.as_str().is_empty() => {
                    places.push((dir.to_path_buf(), ":/".to_owned()));
                }
                Some(path) => places.push((dir.to_path_buf(), format!(":(top,literal){path}"))),
                // The name is not UTF-8.
                None => odd.push(dir.to_path_buf()),
            }
        }
        self.paths.extend(odd);
        let unlisted = places.iter().filter_map(|(dir, _)| unlisted_below(dir));
        self.paths.extend(unlisted);
        for places in places.chunks(SKILLS_PER_COMMAND) {
            let listed = |options: &[&str]| {
                let names = places.iter().map(|(_, place)| place.as_str());
                // Otherwise, a repository could hide a new file `RUN.sh` beside `run.sh`.
                let mut args = vec![
                    "-c",
                    "core.ignorecase=false",
                    "ls-files",
                    "--full-name",
                    "-z",
                ];
                args.extend(options);
                args.push("--");
                args.extend(names);
                git.run(&args)
                    .map_err(|why| why.into_error("git cannot list the files of the skills"))
            };
            let new = listed(&["--others"])?;
            let names = new.split(|byte| *byte == 0);
            let names = names.filter(|name| !name.is_empty());
            let mut known: Vec<PathBuf> = names.map(|bytes| self.top.join(name(bytes))).collect();
            self.paths.extend(known.iter().cloned());
            let tracked = listed(&["-v", "-s"])?;
            for (flag, mode, bytes) in tracked.split(|byte| *byte == 0).filter_map(entry) {
                let path = self.top.join(name(bytes));
                // In a sparse checkout, most exempt files do not exist on disk.
                let is_exempt = matches!(flag, b'S' | b'a'..=b'z');
                let is_changed = is_exempt && path.symlink_metadata().is_ok()
                    || mode == REPOSITORY && has_entries(&path);
                if is_changed {
                    self.paths.push(path.clone());
                }
                known.push(path);
            }
            known.sort();
            // Git lists no files for a skill in a nested repository: treat such a skill as changed.
            let unknown = places.iter().filter(|(dir, _)| !has_below(&known, dir));
            self.paths.extend(unknown.map(|(dir, _)| dir.clone()));
        }
        self.paths.sort();
        Ok(())
    }

    /// Checks that at least one skill is in the repository. Adds a note for each skill outside it, because git cannot
    /// tell whether such a skill has changed.
    ///
    /// # Errors
    /// E100 if there are skills, but none in the repository.
    pub(super) fn check(&self, scope: &Scope, notes: &mut Notes) -> Result<()> {
        let is_outside = |dir: &Path| !dir.starts_with(&self.top);
        let mut skills = scope.skills.iter();
        if let (Some(first), true) = (
            scope.skills.first(),
            skills.all(|found| is_outside(&found.at.canonical)),
        ) {
            return Err(Error::InvalidOption {
                message: format!("{} is not in the current git repository", first.folder),
                hint: Some("Change to that skill's repository and try again.".into()),
            });
        }
        for found in &scope.skills {
            if is_outside(&found.at.canonical) {
                notes.detail(format!("outside {}", found.at.canonical.display()));
            }
        }
        Ok(())
    }

    /// Keeps only the skills that have changed.
    pub(super) fn keep(&self, scope: &mut Scope) {
        scope.skills.retain(|found| self.has(&found.at.canonical));
    }

    /// Returns whether a script or a pack has changed. `places`: absolute paths of scripts and folders of scripts,
    /// which need not exist.
    pub(super) fn has_scripts(&self, places: &[PathBuf]) -> bool {
        let places: Vec<PathBuf> = places.iter().map(|place| real_place(place)).collect();
        let is_of_one = |path: &PathBuf| {
            let is_below = |place: &PathBuf| path.starts_with(place) && is_loaded(path);
            // A nested repository is listed as one path.
            places
                .iter()
                .any(|place| is_below(place) || place.starts_with(path))
        };
        self.paths.iter().any(is_of_one)
    }

    /// Returns whether a file in the directory has changed, or a nested repository that contains the directory.
    fn has(&self, dir: &Path) -> bool {
        let mut above = dir.ancestors().take_while(|above| *above != self.top);
        has_below(&self.paths, dir)
            || above.any(|above| {
                self.paths
                    .binary_search_by(|path| path.as_path().cmp(above))
                    .is_ok()
            })
    }
}

/// Returns whether one of the sorted paths is `dir` or below it.
fn has_below(paths: &[PathBuf], dir: &Path) -> bool {
    // A directory sorts before the paths below it.
    let from = paths.partition_point(|path| path.as_path() < dir);
    paths.get(from).is_some_and(|path| path.starts_with(dir))
}

/// Splits a line of `ls-files -v -s` into the flag, the mode, and the name of the file.
fn entry(line: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    match (line.get(..tab)?, line.get(tab + 1..)?) {
        ([flag, b' ', rest @ ..], name) => Some((*flag, rest.get(..6)?, name)),
        _ => None,
    }
}

/// Returns whether a folder has entries. The folder of a submodule is empty until the submodule is cloned.
fn has_entries(dir: &Path) -> bool {
    dir.read_dir()
        .is_ok_and(|mut entries| entries.next().is_some())
}

/// Returns whether a file in a folder of scripts affects which rules are loaded.
fn is_loaded(path: &Path) -> bool {
    path.extension().is_some_and(|found| found == EXTENSION) || path.ends_with(PACK_FILE)
}

/// Resolves the symlinks of a path whose last components may no longer exist.
fn real_place(path: &Path) -> PathBuf {
    let real = |above: &Path| {
        let rest = path.strip_prefix(above).ok()?;
        Some(above.canonicalize().ok()?.join(rest))
    };
    let found = path.ancestors().find_map(real);
    found.unwrap_or_else(|| path.to_path_buf())
}

/// The base with which the working tree is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Since<'a> {
    Revision(&'a str),
    /// The merge base of `HEAD` and a revision.
    Left(&'a str),
}

impl<'a> Since<'a> {
    /// Parses the argument: `main`, `main...` or `main...HEAD`. The last two mean the same.
    ///
    /// # Errors
    /// E100 for any other range.
    fn parse(text: &'a str) -> Result<Self> {
        // Ref names cannot contain two consecutive dots; search strings (`^{/…}`) and paths (`rev:path`) can.
        let is_name = !text.contains(['{', ':']);
        match text.split_once("...") {
            Some((left, "" | "HEAD" | "@")) if is_name && !left.is_empty() => Ok(Self::Left(left)),
            _ if is_name && text.contains("..") => Err(Error::InvalidOption {
                message: format!("{text} is a range; --changed-since takes a single revision"),
                hint: Some(start_of(text).into()),
            }),
            _ => Ok(Self::Revision(text)),
        }
    }
}

/// Returns the hint for an unsupported range: the argument to use instead.
fn start_of(range: &str) -> String {
    match range.split_once("..").map_or("", |(left, _)| left) {
        "" => "Give one revision, or 'main...' for the merge base with main.".to_owned(),
        left => format!(
            "Use '{left}' to compare with that revision, or '{left}...' for the changes on this branch."
        ),
    }
}

struct Git<'a> {
    context: &'a Context,
}

/// The reason why a git command failed.
enum Failed {
    /// Git is not installed.
    Missing,
    /// Git's own error message.
    Said(String),
    /// Git exceeded the timeout.
    Slow,
    /// Git could not be run, or its output could not be read.
    Broken(io::Error),
    TooLong,
}

impl Git<'_> {
    /// Rejects a repository with a device or a pipe among the files that every git command reads.
    fn check_files(&self) -> Result<()> {
        let cwd = canonical(&self.context.cwd);
        let mut above = cwd.ancestors().map(|dir| dir.join(".git"));
        let git_dir = above.find(|dir| dir.symlink_metadata().is_ok());
        match git_dir.and_then(|dir| special_file(&dir)) {
            None => Ok(()),
            Some(path) => Err(Error::InvalidOption {
                message: format!("{} is not a regular file", path.display()),
                hint: Some("Do not use this repository's .git, or name the skills.".into()),
            }),
        }
    }

    /// Rejects a working tree other than the folder that contains `.git`: `core.worktree` in a repository's
    /// configuration could otherwise make skc lint and fix files in any folder. A working tree that the user sets in
    /// the environment is accepted.
    fn is_this(&self, top: &Path) -> Result<()> {
        let is_named = |name: &str| self.context.env(name).is_some();
        let cwd = canonical(&self.context.cwd);
        let mut above = cwd.ancestors();
        if is_named("GIT_DIR")
            || is_named("GIT_WORK_TREE")
            || above.find(|dir| dir.join(".git").symlink_metadata().is_ok()) == Some(top)
        {
            return Ok(());
        }
        Err(Error::InvalidOption {
            message: format!(
                "git's working tree is {}, which is not this repository's folder",
                top.display()
            ),
            hint: Some(
                "Remove core.worktree from the repository's configuration, or set GIT_WORK_TREE to the repository's folder."
                    .into(),
            ),
        })
    }

    /// Lists the tracked files that differ from a commit or tree. Comparing a file can run content filters (`clean`,
    /// `process`), which are arbitrary programs: therefore git runs without the settings that define them.
    ///
    /// `top`: the root of the working tree, as printed by git. `attributes`: the tree from which git reads attributes,
    /// instead of the working tree. An attribute such as `ident` makes git ignore differences in parts of a file. If
    /// given, the repository's `core.symlinks` has no effect either.
    fn differing(
        &self,
        tree: &str,
        top: PathBuf,
        attributes: Option<&str>,
    ) -> Result<Vec<u8>, Failed> {
        let parts = Parts {
            top,
            index: self.path_of("index")?,
            objects: self.path_of("objects")?,
            // Older versions of git support neither this option nor SHA-256.
            is_sha256: matches!(
                self.run(&["rev-parse", "--show-object-format"]),
                Ok(format) if format.starts_with(b"sha256")
            ),
        };
        let mut settings = self.settings()?;
        if attributes.is_some() {
            // Without this setting, git does not tell a symlink from a file that contains its target, so a repository
            // could hide that a symlink was replaced with a script.
            settings.retain(|setting| !setting.starts_with("core.symlinks"));
        }
        let own = OwnGitDir::make(self.context, parts).map_err(Failed::Broken)?;
        let mut args: Vec<&str> = Vec::new();
        for setting in &settings {
            args.extend(["-c", setting.as_str()]);
        }
        args.extend([
            "diff",
            "--name-only",
            "-z",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--ignore-submodules=dirty",
            tree,
            "--",
        ]);
        let mut variables = own.variables().to_vec();
        // Older versions of git ignore this variable.
        variables.extend(attributes.map(|tree| ("GIT_ATTR_SOURCE", Path::new(tree))));
        self.run_with(&args, &variables)
    }

    /// Returns the absolute path of a file or folder in the git directory.
    fn path_of(&self, part: &str) -> Result<PathBuf, Failed> {
        let mut path = self.run(&["rev-parse", "--git-path", part])?;
        while path
            .last()
            .is_some_and(|byte| matches!(byte, b'\n' | b'\r'))
        {
            path.pop();
        }
        Ok(self.context.cwd.join(name(&path)))
    }

    /// Returns the settings that determine how files are stored in the working tree, each as `key=value`. None of them
    /// can start a program.
    fn settings(&self) -> Result<Vec<String>, Failed> {
        let found = match self.run(&["config", "-z", "--get-regexp", STORED]) {
            // If there are no such settings, git fails without a message.
            Err(Failed::Said(why)) if why.is_empty() => Vec::new(),
            found => found?,
        };
        let found = String::from_utf8_lossy(&found);
        let settings = found.split('\0').filter(|setting| !setting.is_empty());
        // A key without a value means `true`.
        Ok(settings
            .map(|setting| setting.replacen('\n', "=", 1))
            .collect())
    }

    /// Returns the id of the commit or tree to compare with.
    fn start(&self, since: Since<'_>) -> Result<String> {
        match since {
            Since::Revision(name) => match self.commit(name) {
                Err(_) if matches!(name, "HEAD" | "@") && self.is_unborn() => self.nothing(),
                found => found,
            },
            Since::Left(name) => {
                let (left, head) = (self.commit(name)?, self.commit("HEAD")?);
                let base = self.run(&["merge-base", &left, &head]);
                number(&base.unwrap_or_default()).ok_or_else(|| Error::InvalidOption {
                    message: format!("git finds no merge base of {name} and HEAD"),
                    hint: Some("In a shallow clone, fetch more history, or give a commit.".into()),
                })
            }
        }
    }

    /// Returns whether the branch has no commit yet.
    fn is_unborn(&self) -> bool {
        self.run(&["symbolic-ref", "--quiet", "HEAD"]).is_ok()
            && self
                .run(&["rev-parse", "--verify", "--quiet", "HEAD"])
                .is_err()
    }

    /// Returns the id of the empty tree.
    fn nothing(&self) -> Result<String> {
        let tree = self.run(&["hash-object", "-t", "tree", "--stdin"]);
        let tree = tree.map_err(|why| why.into_error("git cannot list the changes"))?;
        number(&tree).ok_or_else(|| unknown("HEAD"))
    }

    /// Rejects the name of several branches and tags, and a name that is also the start of an object's id. Git silently
    /// prefers the tag, which many people may be able to push.
    fn check_name(&self, revision: &str) -> Result<()> {
        let ends = [revision.find(['^', '~', ':']), revision.find("@{")];
        let end = ends.into_iter().flatten().min();
        let name = end.and_then(|end| revision.get(..end)).unwrap_or(revision);
        if matches!(name, "" | "@" | "HEAD") {
            return Ok(());
        }
        let places = [
            name.to_owned(),
            format!("refs/{name}"),
            format!("refs/tags/{name}"),
            format!("refs/heads/{name}"),
            format!("refs/remotes/{name}"),
            format!("refs/remotes/{name}/HEAD"),
        ];
        let mut args = vec!["for-each-ref", "--format=%(refname)"];
        args.extend(places.iter().map(String::as_str));
        let listed = self.run(&args);
        let listed = listed.map_err(|why| why.into_error("git cannot list the branches"))?;
        let listed = String::from_utf8_lossy(&listed);
        // Git also lists references below these places.
        let is_asked = |found: &&str| places.iter().any(|place| place == found);
        let mut found: Vec<&str> = listed.lines().filter(is_asked).collect();
        // Git looks for a full name first.
        let is_clear = match found.as_slice() {
            [] => true,
            _ if name.starts_with("refs/") => found.contains(&name),
            [_] => !self.is_start_of_id(name)?,
            _ => false,
        };
        if is_clear {
            return Ok(());
        }
        if found.len() == 1 && !name.starts_with("refs/") {
            found.push("an object");
        }
        Err(Error::InvalidOption {
            message: format!(
                "{name} is ambiguous in this repository: {}",
                found.join(", ")
            ),
            hint: Some(
                "Give a complete commit id, or the full name, such as refs/heads/main.".into(),
            ),
        })
    }

    /// Returns whether a name is an abbreviated id, or output of `git describe`, which ends with `-g` and such an id.
    fn is_start_of_id(&self, name: &str) -> Result<bool> {
        let id = name.rsplit_once("-g").map_or(name, |(_, id)| id);
        if !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(false);
        }
        let objects = self.run(&["rev-parse", &format!("--disambiguate={id}")]);
        let objects = objects.map_err(|why| why.into_error("git cannot list the objects"))?;
        // Git prefers a complete id to a tag.
        let is_complete = number(&objects).is_some_and(|full| full.eq_ignore_ascii_case(name));
        Ok(!objects.is_empty() && !is_complete)
    }

    /// Resolves a revision to the id of its commit.
    fn commit(&self, revision: &str) -> Result<String> {
        self.check_name(revision)?;
        let asked = format!("{revision}^{{commit}}");
        let verify = |options: &[&str]| {
            let args = [
                &["rev-parse", "--verify", "--quiet"],
                options,
                &[asked.as_str()],
            ];
            self.run(&args.concat())
        };
        // Older versions of git do not support `--end-of-options`. A revision with a leading dash was refused earlier.
        let found = verify(&["--end-of-options"]).or_else(|_| verify(&[]));
        let found = found.map_err(|_| unknown(revision))?;
        number(&found).ok_or_else(|| unknown(revision))
    }

    fn run(&self, args: &[&str]) -> Result<Vec<u8>, Failed> {
        self.run_with(args, &[])
    }

    /// Runs git with additional environment variables.
    fn run_with(&self, args: &[&str], variables: &[(&str, &Path)]) -> Result<Vec<u8>, Failed> {
        let spawned = Command::new("git")
            .args(SAFELY)
            .args(args)
            .current_dir(&self.context.cwd)
            .env_clear()
            .envs(&self.context.env)
            .envs(
                self.context
                    .absolute_search_path()
                    .map(|path| ("PATH", path)),
            )
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            // Older versions of git ignore `GIT_NO_LAZY_FETCH`, so forbid all protocols, too. The repository can
            // override the option `protocol.allow`, but not this variable.
            .env("GIT_ALLOW_PROTOCOL", "none")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C")
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = spawned.map_err(|why| match why.kind() {
            io::ErrorKind::NotFound => Failed::Missing,
            _ => Failed::Broken(why),
        })?;
        limit_memory(child.id(), MAX_MEMORY);
        let watch = Watch::over(&child);
        let heard = listen(&mut child);
        let was_slow = watch.end();
        if !matches!(heard, Ok((ref out, _)) if out.len() as u64 <= MAX_NAMES) {
            child.kill().unwrap_or_default();
        }
        let status = child.wait().map_err(Failed::Broken)?;
        let (out, complaint) = heard.map_err(Failed::Broken)?;
        if was_slow {
            return Err(Failed::Slow);
        }
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

/// Kills a process after a timeout.
struct Watch {
    over: Sender<()>,
    thread: JoinHandle<bool>,
}

impl Watch {
    fn over(child: &Child) -> Self {
        let id = child.id();
        let (over, is_over) = channel();
        let thread = thread::spawn(move || {
            let is_slow = is_over.recv_timeout(MAX_TIME) == Err(RecvTimeoutError::Timeout);
            if is_slow {
                kill(id);
            }
            is_slow
        });
        Self { over, thread }
    }

    /// Ends the watch; returns whether the process exceeded the timeout.
    fn end(self) -> bool {
        drop(self.over);
        self.thread.join().unwrap_or_default()
    }
}

/// Kills a process. The caller has not waited for it yet, so its id cannot have been reused.
#[cfg(unix)]
fn kill(id: u32) {
    use rustix::process::{Pid, Signal, kill_process};
    let id = i32::try_from(id).ok().and_then(Pid::from_raw);
    let _ = id.map(|id| kill_process(id, Signal::KILL));
}

#[cfg(not(unix))]
fn kill(_id: u32) {}

/// Limits the memory of a process, where the system can limit another process. If that fails, the timeout still holds.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn limit_memory(id: u32, bytes: u64) {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let limit = Rlimit {
        current: Some(bytes),
        maximum: Some(bytes),
    };
    let id = i32::try_from(id).ok().and_then(Pid::from_raw);
    let _ = id.map(|id| prlimit(Some(id), Resource::Data, limit));
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn limit_memory(_id: u32, _bytes: u64) {}

/// Reads stdout and stderr of a process. Reads at most [`MAX_NAMES`] + 1 bytes of stdout, so that the caller can tell
/// whether the limit is exceeded.
fn listen(child: &mut Child) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        let complaint = scope.spawn(|| {
            let mut bytes = Vec::new();
            if let Some(mut stderr) = stderr {
                // Drain the rest: a full pipe would block git.
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
                "--changed-since requires git, which was not found".to_owned(),
                "Install git, or name the skills.",
            ),
            Self::Said(why) if why.is_empty() => (what.to_owned(), "Run skc in a git repository."),
            Self::Said(why) => (format!("{what}: {why}"), "Run skc in a git repository."),
            Self::Broken(why) => (format!("git cannot be run: {why}"), "Name the skills."),
            Self::Slow => (
                format!("git took more than {} s", MAX_TIME.as_secs()),
                "Check the repository's git configuration, or name the skills.",
            ),
            Self::TooLong => (
                "too many files have changed: more than 64 MiB of names".to_owned(),
                "Give a more recent revision, or name the skills.",
            ),
        };
        Error::InvalidOption {
            message,
            hint: Some(hint.into()),
        }
    }
}

/// Parses an object id from git's output.
fn number(out: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(out).trim().to_owned();
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_number.then_some(text)
}

fn unknown(revision: &str) -> Error {
    let named = if revision.is_empty() { "''" } else { revision };
    Error::InvalidOption {
        message: format!("git does not know the revision {named}"),
        hint: Some(
            "Give an existing branch, tag or commit; in a shallow clone, fetch it first.".into(),
        ),
    }
}

/// Converts bytes from git's output to a file name.
#[cfg(unix)]
fn name(bytes: &[u8]) -> OsString {
    use std::os::unix::ffi::OsStrExt;
    OsStr::from_bytes(bytes).to_owned()
}

/// Converts bytes from git's output to a file name. On these systems, git writes file names in UTF-8.
#[cfg(not(unix))]
fn name(bytes: &[u8]) -> OsString {
    OsStr::new(&*String::from_utf8_lossy(bytes)).to_owned()
}
