//! Dynamic shell completion of skills, rules, clients, headings and files.
//!
//! The scripts for bash, zsh and fish run `skc` at each Tab, with the words typed so far and an environment variable
//! that marks the request. The answer arrives within [`MAX_TIME`] or is empty: a blocked shell is worse than a missing
//! completion. Only candidates are printed, nothing is logged, and errors are ignored.

use std::ffi::{OsStr, OsString};
use std::io;
use std::process::ExitCode;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use clap::{Arg, Command, FromArgMatches};
use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter, complete,
};
use clap_complete::env::Shells;
use clap_complete::{Shell, generate};
use skillc_core::Context;
use skillc_core::clean::{clean, is_unseen};
use skillc_core::clients::Clients;
use skillc_ops::catalog::list::CatalogList;
use skillc_ops::list::List;
use skillc_ops::outline::Outline;
use skillc_ops::sources::{SourceEntry, Sources};
use skillc_ops::{Notes, Operation, Toolkit};

use crate::args::{asked, command, parser};
use crate::report::Io;

/// The environment variable that marks a completion request; its value is the name of the shell.
const VARIABLE: &str = "SKC_COMPLETE";

/// Separates the words of the command line from the completion call itself.
const WORDS: &str = "--";

/// Deadline for an answer.
const MAX_TIME: Duration = Duration::from_secs(2);

/// The maximum number of values, and the maximum size of each in bytes.
const MAX_VALUES: usize = 500;
const MAX_VALUE_BYTES: usize = 500;

/// Returns the script for a shell.
pub(crate) fn script(shell: Shell) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let name = shell.to_string();
    if !matches!(shell, Shell::Bash | Shell::Zsh | Shell::Fish) {
        // The scripts for other shells are static and complete only commands and options.
        generate(shell, &mut command(), "skc", &mut text);
    } else if let Some(adapter) = Shells::builtins().completer(&name) {
        adapter.write_registration(VARIABLE, "skc", "skc", "skc", &mut text)?;
    }
    let (plain, ours) = match shell {
        // Makes bash quote spaces in a heading, and complete paths where skc has no candidates.
        Shell::Bash => (
            "complete -o nospace",
            "complete -o filenames -o default -o nospace",
        ),
        // zsh runs the file as the function `_skc` at the first Tab if the file is in `fpath`, so this first call must
        // offer completions as well.
        Shell::Zsh => (
            "\ncompdef _clap_dynamic_completer_skc skc",
            "\ncompdef _clap_dynamic_completer_skc skc\n\
             if [[ $funcstack[1] = _skc ]]; then _clap_dynamic_completer_skc \"$@\"; fi",
        ),
        _ => return Ok(text),
    };
    Ok(String::from_utf8_lossy(&text)
        .replace(plain, ours)
        .into_bytes())
}

/// Handles a completion request from a shell's script; returns `None` for any other call.
pub(crate) fn answer(args: &[OsString], context: &Context, io: &mut Io<'_>) -> Option<ExitCode> {
    let shell = context.env(VARIABLE)?;
    let words = args.get(2..)?;
    if args[1] != WORDS || words.is_empty() {
        return None;
    }
    let last = words.len() - 1;
    let index = match shell {
        "fish" => last,
        "bash" | "zsh" => context.env("_CLAP_COMPLETE_INDEX")?.parse().ok()?,
        _ => return None,
    };
    let mut words = words.to_vec();
    if words.len() == index {
        words.push(OsString::new());
    }
    let mut found = candidates(words, index, context);
    found.retain(|candidate| is_plain(shell, candidate.get_value()));
    let separator = context.env("_CLAP_IFS").unwrap_or("\n");
    let lines: Vec<String> = found.iter().map(|one| line(shell, one)).collect();
    let result = io.out.write_all(lines.join(separator).as_bytes());
    Some(io.written(result, ExitCode::SUCCESS))
}

/// Returns the candidates at a position of the command line; empty if the deadline passes.
fn candidates(words: Vec<OsString>, index: usize, context: &Context) -> Vec<CompletionCandidate> {
    let (send, receive) = mpsc::channel();
    let context = context.clone();
    // The thread is not joined: the process exits after the answer.
    thread::spawn(move || {
        let cwd = context.cwd.clone();
        let values = Arc::new(Values {
            context,
            words: words.clone(),
        });
        let mut command = with_values(command(), "", &values);
        let found = complete(&mut command, words, index, Some(&cwd));
        // The receiver is gone after the deadline.
        let _ = send.send(found.unwrap_or_default());
    });
    receive.recv_timeout(MAX_TIME).unwrap_or_default()
}

/// Characters in a completed value that a shell may expand, because bash omits some quotes. Names and headings are
/// untrusted: without this check, pressing Enter could run code in them.
const EXPANDED: &[char] = &['`', '$', '!'];

/// Characters of patterns, which bash replaces with the names of matching files.
const WILDCARDS: &[char] = &['*', '?', '['];

/// Returns whether a value is safe for a shell and a terminal: file names and headings are untrusted.
fn is_plain(shell: &str, value: &OsStr) -> bool {
    let is_harmless = |text: &str| {
        let is_wild = shell == "bash" && text.contains(WILDCARDS);
        !text.contains(is_unseen) && !text.contains(EXPANDED) && !is_wild
    };
    let text = value.to_str();
    text.is_some_and(|text| text.len() <= MAX_VALUE_BYTES && is_harmless(text))
}

/// Returns the line for a candidate. Descriptions are untrusted, too: they may come from a project's own rules.
fn line(shell: &str, candidate: &CompletionCandidate) -> String {
    let value = candidate.get_value().to_string_lossy();
    let help = candidate.get_help().map(ToString::to_string);
    let help = help.as_deref().and_then(|help| help.lines().next());
    let help = help.map(clean);
    match (shell, help) {
        ("zsh", help) => {
            let value = value.replace('\\', "\\\\").replace(':', "\\:");
            let help = help.map(|help| format!(":{}", help.replace('\\', "\\\\")));
            format!("{value}{}", help.unwrap_or_default())
        }
        ("fish", Some(help)) => format!("{value}\t{help}"),
        _ => value.into_owned(),
    }
}

/// The kinds of values that can be completed.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Skill,
    CatalogSkill,
    Rule,
    Client,
    Target,
    Heading,
    File,
}

impl Kind {
    /// Returns the kind of value that an argument accepts. `command`: the command and its group, each preceded by a
    /// space, as in ` catalog load`.
    fn from_argument(command: &str, argument: &str) -> Option<Self> {
        Some(match (command, argument) {
            (" show", "section" | "heading") => Self::Heading,
            (" show", "file") | (" open", "path") => Self::File,
            (_, "rule" | "select" | "ignore" | "extend_select") => Self::Rule,
            (_, "for" | "for_clients" | "client" | "clients") => Self::Client,
            (" build" | " remove", "target") => Self::Target,
            (" catalog load", "name") => Self::CatalogSkill,
            (name, "skill") if name.starts_with(" catalog") => Self::CatalogSkill,
            (name, "skill") if !name.starts_with(" registry") => Self::Skill,
            _ => return None,
        })
    }
}

fn with_values(command: Command, path: &str, values: &Arc<Values>) -> Command {
    let completed = |argument: Arg| match Kind::from_argument(path, argument.get_id().as_str()) {
        Some(kind) => {
            let values = Arc::clone(values);
            let offered = move |typed: &OsStr| values.offered(kind, typed);
            argument.add(ArgValueCompleter::new(offered))
        }
        None => argument,
    };
    let inner = |command: Command| {
        let path = format!("{path} {}", command.get_name());
        with_values(command, &path, values)
    };
    command.mut_args(completed).mut_subcommands(inner)
}

/// A value and its description.
type Value = (String, Option<String>);

/// Looks up values.
struct Values {
    context: Context,
    words: Vec<OsString>,
}

impl Values {
    /// Returns the values that start with the typed text.
    fn offered(&self, kind: Kind, typed: &OsStr) -> Vec<CompletionCandidate> {
        let text = typed.to_string_lossy();
        let found = self.all(kind).unwrap_or_default().into_iter();
        let found = found.filter(|(value, _)| value.starts_with(&*text));
        let found = found
            .take(MAX_VALUES)
            .map(|(value, help)| CompletionCandidate::new(value).help(help.map(Into::into)));
        let mut found: Vec<CompletionCandidate> = found.collect();
        if matches!(kind, Kind::Skill) {
            let folders = PathCompleter::dir().current_dir(&self.context.cwd);
            found.extend(folders.complete(typed));
        }
        // A folder or heading named `--fix` would become an option.
        found.retain(|one| !one.get_value().as_encoded_bytes().starts_with(b"-"));
        found
    }

    fn all(&self, kind: Kind) -> Option<Vec<Value>> {
        let (toolkit, _) = Toolkit::new(self.context.clone()).ok()?;
        let bare = |values: Vec<String>| values.into_iter().map(|value| (value, None)).collect();
        Some(match kind {
            Kind::Skill => {
                let list = run::<List>(&toolkit, &["list"])?;
                let names = list.skills.into_iter().map(|skill| skill.name);
                bare(names.collect())
            }
            Kind::CatalogSkill => {
                let list = run::<CatalogList>(&toolkit, &["catalog", "list"])?;
                let names = list.skills().iter().map(|skill| skill.name.clone());
                bare(names.collect())
            }
            Kind::Rule => {
                let rules = toolkit.plugins().rules();
                let row = rules.map(|rule| {
                    let meta = rule.meta();
                    let summary = format!("{}: {}", meta.name, meta.summary());
                    (meta.code.to_string(), Some(summary))
                });
                row.collect()
            }
            Kind::Client | Kind::Target => {
                let table = Clients::shared();
                let clients = table.clients.iter().map(|client| client.id.clone());
                let targets = table.targets.iter().map(|target| target.name.clone());
                let targets = targets.filter(|_| matches!(kind, Kind::Target));
                let mut names: Vec<String> = clients.chain(targets).collect();
                names.sort();
                names.dedup();
                bare(names)
            }
            Kind::Heading => {
                let outline = run::<Outline>(&toolkit, &["outline", &self.skill()?])?;
                let rows = outline.0.into_iter();
                rows.map(|entry| (entry.heading, Some(entry.file.to_string())))
                    .collect()
            }
            Kind::File => {
                let args = ["sources", "--limit", "500", &self.skill()?];
                let files = run::<Sources>(&toolkit, &args)?.entries.into_iter();
                let paths = files.filter_map(|entry| match entry {
                    SourceEntry::File { path } => Some(path),
                    _ => None,
                });
                bare(paths.collect())
            }
        })
    }

    /// Returns the skill named on the command line.
    fn skill(&self) -> Option<String> {
        let matches = parser()
            .ignore_errors(true)
            .try_get_matches_from(&self.words);
        let matches = matches.ok()?;
        let (_, arguments) = asked(&matches)?;
        arguments.try_get_one::<String>("skill").ok()?.cloned()
    }
}

/// Runs an operation without logging an access: completing a name does not use the skill.
fn run<O: Operation>(toolkit: &Toolkit, words: &[&str]) -> Option<O::Response> {
    let words = ["skc"].iter().chain(words);
    let matches = parser().try_get_matches_from(words).ok()?;
    let (_, arguments) = asked(&matches)?;
    let request = O::Request::from_arg_matches(arguments).ok()?;
    O::run(toolkit, request, &mut Notes::default()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The documentation of a project's rule is untrusted.
    #[test]
    fn invisible_characters_in_a_description_are_escaped() {
        let help = String::from("ab\u{202e}c\u{e0041}d\te\u{200b}f\nsecond line");
        let candidate = CompletionCandidate::new("TEAM001").help(Some(help.into()));
        let zsh = line("zsh", &candidate);
        assert!(zsh.starts_with("TEAM001:ab") && zsh.ends_with('f'), "{zsh}");
        assert!(!zsh.contains(is_unseen), "{zsh}");
        let fish = line("fish", &candidate);
        let (value, help) = fish.split_once('\t').unwrap();
        assert_eq!(value, "TEAM001");
        assert!(
            help.starts_with("ab\\u{202e}c") && !help.contains(is_unseen),
            "{help}"
        );
        assert_eq!(line("bash", &candidate), "TEAM001");
    }
}
