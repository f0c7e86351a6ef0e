//! The entry that a client's file gets, and whether one that is there is ours.

use std::collections::BTreeMap;
use std::path::Path;

use skillc_core::layout::{Scope, canonical};
use skillc_core::mcp_config::{EntryValue, McpConfig, Os, Role};
use skillc_core::{Context, Error, Result};

/// The name of the entry.
pub(crate) const SERVER: &str = "skillc";

/// The program, as it is called where it is on the search path.
pub(crate) const PROGRAM: &str = "skc";

/// What the program is started with.
pub(crate) const ARGS: [&str; 1] = ["mcp"];

/// Keys by which a client tells a program from an address, and the values that mean a program.
const KIND_KEYS: [&str; 2] = ["type", "transport"];
const PROGRAM_KINDS: [&str; 2] = ["stdio", "local"];

/// Keys of what the program is started with beside its arguments.
const SURROUNDINGS: [&str; 4] = ["env", "envFile", "environment", "cwd"];

/// A value of an entry that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Seen {
    Text(String),
    List(Vec<String>),
    Bool(bool),
    Other,
}

/// An entry that is there: its keys; none if it is no object.
pub(crate) type SeenEntry = BTreeMap<String, Seen>;

/// How an entry that is there relates to ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Judgement {
    /// It starts this program, or `skc` from the search path; what else it says is somebody's own.
    Ours,
    /// It starts an `skc` elsewhere.
    Elsewhere(String),
    /// It says something else: what it starts, if that can be told.
    Different(Option<String>),
}

/// Returns the command of an entry: `skc` if the search path leads to the running program, else that program's path. A
/// project's file is shared, and always says `skc`.
///
/// # Errors
/// E999 if the path cannot be written into a file.
pub(crate) fn command(context: &Context, scope: Scope) -> Result<String> {
    let program = match (scope, &context.program) {
        (Scope::Global, Some(program)) if !is_found(context, program) => program,
        _ => return Ok(PROGRAM.to_owned()),
    };
    program.to_str().map(str::to_owned).ok_or_else(|| {
        let message = format!(
            "the path of this program is not UTF-8: '{}'",
            program.display()
        );
        Error::Internal {
            message,
            hint: Some("Put skc on the search path (PATH), and try again.".into()),
        }
    })
}

/// Returns the command of an entry for comparing and for people: the program's name where its path cannot be written.
pub(crate) fn likely_command(context: &Context, scope: Scope) -> String {
    command(context, scope).unwrap_or_else(|_| PROGRAM.to_owned())
}

/// Says whether the first `skc` of the search path is the running program.
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

/// Returns the search path. The names of variables have no case on Windows, where this one is mostly `Path`.
fn search_path(context: &Context, os: Os) -> &str {
    let mut variables = context.env.iter();
    let found = match os {
        Os::Windows => variables.find(|(name, _)| name.eq_ignore_ascii_case("PATH")),
        Os::Linux | Os::MacOs => variables.find(|(name, _)| *name == "PATH"),
    };
    found.map_or("", |(_, value)| value)
}

/// Returns an entry's keys and values for a command.
pub(crate) fn filled(config: &McpConfig, command: &str) -> Vec<(String, EntryValue)> {
    let pair = |(key, value): &(String, EntryValue)| (key.clone(), value.filled(command, &ARGS));
    config.entry.iter().map(pair).collect()
}

/// Compares an entry that is there with the one that a client would get.
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

/// Says whether an entry is switched off.
pub(crate) fn is_disabled(seen: &SeenEntry) -> bool {
    seen.get("disabled") == Some(&Seen::Bool(true))
        || seen.get("enabled") == Some(&Seen::Bool(false))
}

/// Returns which of what changes how the program runs an entry has: `it also sets env, cwd`. That may have come with a
/// repository, as `SKILLC_HOME` does.
pub(crate) fn surroundings(seen: &SeenEntry) -> Option<String> {
    let keys = SURROUNDINGS
        .into_iter()
        .filter(|key| seen.contains_key(*key));
    let keys: Vec<&str> = keys.collect();
    (!keys.is_empty()).then(|| format!("it also sets {}", keys.join(", ")))
}

/// Returns the program and its arguments that an entry says.
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

/// Says whether an entry is of something that is not started as a program.
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
    fn the_search_path_of_windows_is_found_however_it_is_written() {
        let mut context = context(Path::new("/c"), Path::new("/h"));
        context.env.insert("Path".into(), r"C:\bin".into());
        assert_eq!(search_path(&context, Os::Windows), r"C:\bin");
        assert_eq!(search_path(&context, Os::Linux), "");
        context.env.insert("PATH".into(), "/bin".into());
        assert_eq!(search_path(&context, Os::Linux), "/bin");
    }
}
