//! `skc plugin new`: writes a working example script and test cases that it passes, as a starting point.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_core::contained::{check_project, hold_dir};
use skillc_core::fs;
use skillc_core::layout::{REPOSITORY_MARKS, Store, canonical};
use skillc_core::shell::shell_word;
use skillc_core::source::read_start;
use skillc_core::{Context, Error, RelPath, Result};
use skillc_lint::rule::code::is_ours;
use skillc_script::limits::MAX_SCRIPT_BYTES;

use crate::init::store_here;
use crate::notes::Notes;
use crate::operation::{Example, Operation};
use crate::plugins::{CASES, FOLDER, FoundScripts, Places, lies_in_skill, shown};
use crate::toolkit::Toolkit;

const MAX_NAME_BYTES: usize = 64;

/// The prefix of codes if no script in the folder has a code yet.
const FAMILY: &str = "TEAM";

/// The maximum length of a code's prefix, and the number of digits after it.
const MAX_FAMILY: usize = 8;
const DIGITS: usize = 3;

const RULE: &str = include_str!("templates/rule.rhai");
const RULE_CASES: &str = include_str!("templates/rule.test.toml");
const FORMAT: &str = include_str!("templates/format.rhai");
const FORMAT_CASES: &str = include_str!("templates/format.test.toml");

/// Arguments of `skc plugin new`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct PluginNewRequest {
    /// Kind of script to create
    #[cfg_attr(feature = "clap", arg(value_enum))]
    pub kind: PluginKind,
    /// Name, such as no-todo; an indexer's name is also its file extension
    pub name: String,
    /// Create it in the home directory, for all projects
    #[cfg_attr(feature = "clap", arg(long, short))]
    #[serde(default)]
    pub global: bool,
}

/// A kind of script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum PluginKind {
    /// A lint rule
    Rule,
    /// An indexer, which reads a file type for search
    #[cfg_attr(feature = "clap", value(alias = "format"))]
    #[serde(alias = "format")]
    Indexer,
}

/// The created files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PluginNewResponse {
    /// The script
    pub script: String,
    /// The test case file
    pub cases: String,
    /// The rule's code; null for an indexer
    pub code: Option<String>,
    /// Command to run next
    pub next: String,
}

/// Implements `skc plugin new`.
pub struct PluginNew;

impl Operation for PluginNew {
    const NAME: &'static str = "plugin new";
    const ABOUT: &'static str = "Create a working example script with test cases";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc plugin new rule no-todo",
            does: "a rule, in the project's .skillc/plugins",
        },
        Example {
            command: "skc plugin new indexer glossary",
            does: "an indexer for .glossary files",
        },
        Example {
            command: "skc plugin new rule house-style --global",
            does: "a rule for all projects",
        },
    ];
    type Request = PluginNewRequest;
    type Response = PluginNewResponse;

    fn run(
        toolkit: &Toolkit,
        request: PluginNewRequest,
        notes: &mut Notes,
    ) -> Result<PluginNewResponse> {
        let name = &request.name;
        check_name(name)?;
        let folder = folder(toolkit, request.global)?;
        notes.detail(format!("folder  {}", folder.display()));
        let script = folder.join(format!("{name}.rhai"));
        let cases = script.with_extension(CASES);
        for path in [&script, &cases] {
            if path.symlink_metadata().is_ok() {
                return Err(is_there(toolkit, path));
            }
        }
        check_free(toolkit, request.kind, name)?;
        let (code, texts) = match request.kind {
            PluginKind::Rule => (Some(free_code(toolkit, &folder)?), [RULE, RULE_CASES]),
            PluginKind::Indexer => (None, [FORMAT, FORMAT_CASES]),
        };
        let filled = |text: &str| {
            let code = code.as_deref().unwrap_or_default();
            text.replace("{CODE}", code).replace("{NAME}", name)
        };
        for (path, text) in [&script, &cases].into_iter().zip(texts) {
            write_new(toolkit, &folder, path, &filled(text))?;
        }
        let shown = |path: &Path| shown(&toolkit.context, path);
        Ok(PluginNewResponse {
            next: format!("skc plugin test {}", shell_word(&shown(&script))),
            script: shown(&script),
            cases: shown(&cases),
            code,
        })
    }
}

/// Returns the folder for the new script.
///
/// # Errors
/// Returns E100 if the folder is inside a skill: scripts there are never loaded.
fn folder(toolkit: &Toolkit, is_global: bool) -> Result<PathBuf> {
    let context = &toolkit.context;
    if is_global {
        return Ok(Store::global(context).dir().join(FOLDER));
    }
    let of_project = Places::new(context).project_folder().cloned();
    let folder = of_project.unwrap_or_else(|| {
        let store = store_of_repository(context);
        store.dir().join(FOLDER)
    });
    if let Some(root) = folder.parent().and_then(Path::parent) {
        check_project(&Store::project(root.to_path_buf()))?;
    }
    if lies_in_skill(&folder) {
        return Err(Error::InvalidOption {
            message: format!("'{}' is inside a skill", shown(context, &folder)),
            hint: Some(
                "Scripts inside skills are never loaded: run this in your project, or add --global.".into(),
            ),
        });
    }
    Ok(folder)
}

/// Returns the store at the top of the repository around the working directory, or the store of the working directory
/// if there is no repository. The new store makes its directory a project, so a repository that covers the whole home
/// directory is ignored.
fn store_of_repository(context: &Context) -> Store {
    let homes = [&context.home, &context.user_home].map(|home| canonical(home));
    let mut above = context.cwd.ancestors();
    let top = above.find(|dir| {
        let is_home = || homes.contains(&canonical(dir));
        REPOSITORY_MARKS.iter().any(|of| dir.join(of).exists()) && !is_home()
    });
    top.map_or_else(
        || store_here(context),
        |top| Store::project(top.to_path_buf()),
    )
}

fn check_name(name: &str) -> Result<()> {
    let is_word = |word: &str| {
        let is_plain = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit();
        !word.is_empty() && word.bytes().all(is_plain)
    };
    let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
    if begins && name.len() <= MAX_NAME_BYTES && name.split('-').all(is_word) {
        return Ok(());
    }
    Err(Error::InvalidOption {
        message: format!("'{name}' is not a valid name for a rule or indexer"),
        hint: Some("Use words of a-z and 0-9 joined by hyphens, for example no-todo".into()),
    })
}

/// Makes sure that no other plug-in uses the name or the extension.
fn check_free(toolkit: &Toolkit, kind: PluginKind, name: &str) -> Result<()> {
    let plugins = toolkit.plugins();
    let (what, origin) = match kind {
        PluginKind::Rule => {
            let known = plugins.rule(name);
            let origin = known.and_then(|known| plugins.origin_of_rule(&known.meta().code));
            (format!("rule '{name}'"), origin)
        }
        PluginKind::Indexer => {
            let file = RelPath::parse(&format!("a.{name}"))?;
            let known = plugins
                .indexer_for(&file)
                .map(|known| known.meta().id.clone());
            let id = known.as_deref().unwrap_or(name);
            (
                format!("an indexer for '.{name}' files"),
                plugins.origin_of_indexer(id),
            )
        }
    };
    match origin {
        None => Ok(()),
        Some(origin) => Err(Error::InvalidOption {
            message: format!("{what} already exists, in {origin}"),
            hint: Some("Choose another name.".into()),
        }),
    }
}

/// Returns the first free code that has the same prefix as the alphabetically last code in the folder. Codes are read
/// from the text of scripts, to include the codes of scripts that fail to load.
fn free_code(toolkit: &Toolkit, folder: &Path) -> Result<String> {
    let scripts = FoundScripts::named(&[folder.to_path_buf()]).scripts;
    let texts = scripts
        .iter()
        .filter_map(|found| read_start(&found.path, MAX_SCRIPT_BYTES as u64).ok());
    let there: BTreeSet<String> = texts
        .flat_map(|text| codes_in(&String::from_utf8_lossy(&text)))
        .collect();
    let rules = toolkit.plugins().rules();
    let taken: BTreeSet<String> = rules
        .map(|rule| rule.meta().code.to_string())
        .chain(there.iter().cloned())
        .collect();
    let family = there
        .last()
        .map_or(FAMILY, |last| &last[..last.len() - DIGITS]);
    let mut codes = (1..1000).map(|number| format!("{family}{number:03}"));
    codes.find(|code| !taken.contains(code)).ok_or_else(|| {
        Error::invalid_option(format!(
            "all codes from {family}001 to {family}999 are in use"
        ))
    })
}

/// Returns the quoted strings in `text` that look like a code of a user's rule.
fn codes_in(text: &str) -> Vec<String> {
    let is_code = |word: &&str| {
        let family = word.trim_end_matches(|c: char| c.is_ascii_digit());
        (1..=MAX_FAMILY).contains(&family.len())
            && family.bytes().all(|c| c.is_ascii_uppercase())
            && word.len() == family.len() + DIGITS
            && !is_ours(family)
    };
    text.split('"').filter(is_code).map(str::to_owned).collect()
}

/// Creates a file atomically; an existing file is not overwritten.
fn write_new(toolkit: &Toolkit, folder: &Path, path: &Path, text: &str) -> Result<()> {
    let folder = hold_dir(&toolkit.context.home, folder)?;
    match fs::write_new(
        folder,
        path.file_name().unwrap_or_default(),
        text.as_bytes(),
    ) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(is_there(toolkit, path)),
        Err(error) => Err(Error::io("writing", path, &error)),
    }
}

fn is_there(toolkit: &Toolkit, path: &Path) -> Error {
    Error::InvalidOption {
        message: format!("'{}' already exists", shown(&toolkit.context, path)),
        hint: Some("Choose another name, or remove the file.".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_found_between_quotes() {
        let text = "rule(#{ code: \"TEAM001\", name: \"E100\" }); \"TEAM12\" \"ACME777\" \"SKL101\" \"team001\"";
        assert_eq!(codes_in(text), ["TEAM001", "ACME777"]);
    }

    #[test]
    fn names_are_words_joined_by_hyphens() {
        for name in ["no-todo", "a", "x9-2"] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        let long = "a".repeat(65);
        for name in ["", "-a", "a-", "a--b", "A", "a_b", "é", "9a", "../a", &long] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }
}
