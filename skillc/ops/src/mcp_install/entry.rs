//! The entry that skc writes to a client's file, and the comparison of an existing entry with it.

use std::collections::BTreeMap;
use std::path::Path;

use skillc_core::layout::{Scope, canonical};
use skillc_core::mcp_config::{EntryValue, McpConfig, Os, Role};
use skillc_core::{Context, Error, Result};

/// The name of the entry.
pub(crate) const SERVER: &str = "skillc";

/// The program's name, used if it is in PATH.
pub(crate) const PROGRAM: &str = "skc";

/// The program's arguments.
pub(crate) const ARGS: [&str; 1] = ["mcp"];

/// Keys that distinguish a local program from a remote server, and the values that they have for a local program.
const KIND_KEYS: [&str; 2] = ["type", "transport"];
const PROGRAM_KINDS: [&str; 2] = ["stdio", "local"];

/// Additional keys of an entry that do not affect which program runs, where it runs, or what it is allowed to do.
const HARMLESS: [&str; 9] = [
    "description",
    "disabled",
    "enabled",
    "startup_timeout_ms",
    "startup_timeout_sec",
    "timeout",
    "tool_timeout_sec",
    "transport",
    "type",
];

/// The limits on additional keys in a message, and on the characters of each key.
const MAX_NAMED: usize = 5;
const MAX_NAME: usize = 40;

/// A value of an existing entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Seen {
    Text(String),
    List(Vec<String>),
    Bool(bool),
    Other,
}

/// The keys and values of an existing entry; empty if it is not an object.
pub(crate) type SeenEntry = BTreeMap<String, Seen>;

/// How an existing entry relates to ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Judgement {
    /// It starts this program, or `skc` from PATH; its other keys are the user's.
    Ours,
    /// It starts another `skc`. Contains the entry's command line.
    Elsewhere(String),
    /// It starts something else. Contains the entry's command line, if any.
    Different(Option<String>),
}

/// Returns the command of an entry: `skc` if the first `skc` in PATH is the running program, otherwise the path of the
/// running program. A project's file is shared, so its entry always uses `skc`.
///
/// # Errors
/// E999 if the path cannot be written into a file.
pub(crate) fn command(context: &Context, scope: Scope) -> Result<String> {
    let program = match (scope, &context.program) {
        (Scope::Global, Some(program)) if !is_found(context, program) => program,
        _ => return Ok(PROGRAM.to_owned()),
    };
    program.to_str().map(str::to_owned).ok_or_else(|| {
        let message = format!("this program's path is not UTF-8: '{}'", program.display());
        Error::Internal {
            message,
            hint: Some("Add skc to PATH and try again.".into()),
        }
    })
}

/// Returns the command of an entry for comparison and display. If the program's path is not UTF-8, returns its name.
pub(crate) fn likely_command(context: &Context, scope: Scope) -> String {
    command(context, scope).unwrap_or_else(|_| PROGRAM.to_owned())
}

/// Returns whether the first `skc` in PATH is the running program.
fn is_found(context: &Context, program: &Path) -> bool {
    let (separator, name) = if cfg!(windows) {
        (';', "skc.exe")
    } else {
        (':', PROGRAM)
    };
    let dirs = search_path(context, Os::current()).split(separator);
    let mut files = dirs
        .filter(|dir| !dir.is_empty())
        .map(|dir| context.cwd.join(dir).join(name));
    let first = files.find(|file| file.is_file());
    first.is_some_and(|file| canonical(&file) == canonical(program))
}

/// Returns PATH. Environment variable names are case-insensitive on Windows, where this one is usually `Path`.
fn search_path(context: &Context, os: Os) -> &str {
    let mut variables = context.env.iter();
    let found = match os {
        Os::Windows => variables.find(|(name, _)| name.eq_ignore_ascii_case("PATH")),
        Os::Linux | Os::MacOs => variables.find(|(name, _)| *name == "PATH"),
    };
    found.map_or("", |(_, value)| value)
}

/// Returns the keys and values of the entry that starts a command.
pub(crate) fn filled(config: &McpConfig, command: &str) -> Vec<(String, EntryValue)> {
    let pair = |(key, value): &(String, EntryValue)| (key.clone(), value.filled(command, &ARGS));
    config.entry.iter().map(pair).collect()
}

/// Compares an existing entry with the entry that skc would write for a client.
pub(crate) fn judge(
    config: &McpConfig,
    seen: &SeenEntry,
    command: &str,
    context: &Context,
) -> Judgement {
    let Some(words) = program(config, seen) else {
        return Judgement::Different(None);
    };
    let line = words.join(" ");
    let Some((first, args)) = words.split_first() else {
        return Judgement::Different(None);
    };
    if args != ARGS || is_other_kind(config, seen) {
        return Judgement::Different(Some(line));
    }
    let path = Path::new(first);
    let is_this = |program: &Path| path.is_absolute() && canonical(path) == canonical(program);
    if first == command || first == PROGRAM || context.program.as_deref().is_some_and(is_this) {
        Judgement::Ours
    } else if path.file_stem().is_some_and(|stem| stem == PROGRAM) {
        Judgement::Elsewhere(line)
    } else {
        Judgement::Different(Some(line))
    }
}

pub(crate) fn is_disabled(seen: &SeenEntry) -> bool {
    seen.get("disabled") == Some(&Seen::Bool(true))
        || seen.get("enabled") == Some(&Seen::Bool(false))
}

/// Describes the keys of an existing entry that our entry would not have: `it also sets env, cwd`. These keys may come
/// from the repository, for example a malicious `SKILLC_HOME`, the address of another server, or a key that allows
/// tools without confirmation.
pub(crate) fn additions(config: &McpConfig, seen: &SeenEntry) -> Option<String> {
    let is_own = |key: &str| config.entry.iter().any(|(own, _)| own == key);
    let keys = seen.keys().map(String::as_str);
    let added = keys.filter(|key| !is_own(key) && !HARMLESS.contains(key));
    let mut keys: Vec<String> = added
        .take(MAX_NAMED + 1)
        .map(|key| key.chars().take(MAX_NAME).collect())
        .collect();
    if let Some(last) = keys.get_mut(MAX_NAMED) {
        "…".clone_into(last);
    }
    (!keys.is_empty()).then(|| format!("it also sets {}", keys.join(", ")))
}

/// Returns the program and arguments of an entry.
fn program(config: &McpConfig, seen: &SeenEntry) -> Option<Vec<String>> {
    let mut words = Vec::new();
    for (key, value) in &config.entry {
        match (value.role(), seen.get(key)) {
            (None, _) | (Some(Role::Args), None) => {}
            (Some(Role::Command), Some(Seen::Text(text))) => words.push(text.clone()),
            (Some(Role::Args | Role::CommandAndArgs), Some(Seen::List(list))) => {
                words.extend(list.iter().cloned());
            }
            _ => return None,
        }
    }
    Some(words)
}

/// Returns whether an entry is a remote server, not a program.
fn is_other_kind(config: &McpConfig, seen: &SeenEntry) -> bool {
    KIND_KEYS.iter().any(|key| {
        let own = config.entry.iter().find(|(own, _)| own == key);
        let is_own = |text: &str| own.is_some_and(|(_, v)| *v == EntryValue::Text(text.to_owned()));
        match seen.get(*key) {
            None => false,
            Some(Seen::Text(text)) => !PROGRAM_KINDS.contains(&text.as_str()) && !is_own(text),
            Some(_) => true,
        }
    })
}

#[cfg(test)]
mod tests {
    use skillc_core::testkit::context;

    use super::*;

    #[test]
    fn the_windows_path_variable_is_found_in_any_case() {
        let mut context = context(Path::new("/c"), Path::new("/h"));
        context.env.insert("Path".into(), r"C:\bin".into());
        assert_eq!(search_path(&context, Os::Windows), r"C:\bin");
        assert_eq!(search_path(&context, Os::Linux), "");
        context.env.insert("PATH".into(), "/bin".into());
        assert_eq!(search_path(&context, Os::Linux), "/bin");
    }
}
