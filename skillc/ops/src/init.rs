//! `skc init`: sets up a project, or creates a skill.
//!
//! Design: C-INIT, D-INIT-WHERE, D-INIT-TEMPLATE, D-TITLE-CASE, D-NAME-SAFETY.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_catalog::Audience;
use skillc_core::contained::{check_project, hold_dir};
use skillc_core::layout::{SKILL_FILE, Store, canonical, project_roots};
use skillc_core::path::is_one_component;
use skillc_core::source::frontmatter::scalar;
use skillc_core::{Context, Error, Result};

use crate::notes::Notes;
use crate::operation::{Example, Operation, tool_of};
use crate::project_files::write_all;
use crate::staged::create_new;
use crate::tool::{Effect, Form, ResultText, Tool};
use crate::toolkit::Toolkit;
use skillc_core::shell::shell_word;

/// The maximum length of a skill's name according to the standard.
const MAX_USUAL: usize = 64;

/// Arguments of `skc init`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct InitRequest {
    /// Name of the skill to create; without it, set up a project
    #[serde(default)]
    pub name: Option<String>,
    /// Use the user's store in the home directory
    #[cfg_attr(feature = "clap", arg(long, short))]
    #[serde(default)]
    pub global: bool,
}

/// What was created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InitResponse {
    /// Always true
    pub success: bool,
    /// Summary in one line
    pub message: String,
    /// Directory or file created
    pub path: String,
    /// Other files created for a new project
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// Remark on a name that is unusual or was changed
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// Next step
    #[serde(skip)]
    pub next: Option<String>,
}

/// Implements `skc init`.
pub struct Init;

skillc_core::inventory::submit!(tool_of::<Init>());

impl Operation for Init {
    const NAME: &'static str = "init";
    const ABOUT: &'static str = "Create a skill, or set up a project";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc init",
            does: "set up a project in this directory",
        },
        Example {
            command: "skc init my-skill",
            does: "create a skill in the project",
        },
        Example {
            command: "skc init my-skill --global",
            does: "create a skill for all projects",
        },
    ];
    const TOOL: Option<Tool> = Some(Tool {
        name: "skc_init",
        title: "Create a skill",
        about: "Create a skill from a template or, without a name, set up .skillc in the working directory.",
        effect: Effect::Adds,
        form: Form::Response,
        text: ResultText::Json,
        gives_skill: false,
    });
    type Request = InitRequest;
    type Response = InitResponse;

    fn run(toolkit: &Toolkit, request: InitRequest, notes: &mut Notes) -> Result<InitResponse> {
        let context = &toolkit.context;
        let here = || store_here(context);
        let Some(name) = request.name else {
            return set_up(
                &toolkit.context.home,
                &if request.global {
                    Store::global(context)
                } else {
                    here()
                },
            );
        };
        let typed = name;
        let name = checked_name(&typed, toolkit.audience)?;
        let store = if request.global {
            Store::global(context)
        } else {
            project_roots(context)
                .into_iter()
                .next()
                .map_or_else(here, Store::project)
        };
        notes.detail(format!("store   {}", store.skills().display()));
        let response = create_skill(&toolkit.context.home, &store, &name)?;
        notes.root = Some(canonical(&store.source(&name)));
        Ok(InitResponse {
            advice: advice(&typed, &name),
            ..response
        })
    }
}

/// Returns the store of the working directory; in the home directory, the user's store.
pub(crate) fn store_here(context: &Context) -> Store {
    if canonical(&context.cwd) == canonical(&context.home) {
        Store::global(context)
    } else {
        Store::project(context.cwd.clone())
    }
}

fn set_up(home: &Path, store: &Store) -> Result<InitResponse> {
    check_project(store)?;
    let skills = store.skills();
    let was_there = skills.is_dir();
    make_dir(&skills)?;
    let also = if was_there {
        Vec::new()
    } else {
        write_all(home, store)?
    };
    let dir = store.dir();
    let done = if was_there {
        "Already set up:"
    } else {
        "Initialized"
    };
    let message = format!("{done} {}", dir.display());
    Ok(InitResponse {
        success: true,
        message,
        path: dir.display().to_string(),
        also: shown(also),
        advice: None,
        next: (!was_there).then(|| "create a skill with 'skc init NAME'".to_owned()),
    })
}

fn shown(paths: Vec<PathBuf>) -> Vec<String> {
    let shown = paths.into_iter().map(|path| path.display().to_string());
    shown.collect()
}

fn create_skill(home: &Path, store: &Store, name: &str) -> Result<InitResponse> {
    check_project(store)?;
    let was_there = store.skills().is_dir();
    let dir = store.source(name);
    let held = hold_dir(home, &dir)?;
    let path = dir.join(SKILL_FILE);
    let made = create_new(&held, SKILL_FILE.as_ref());
    match made.and_then(|mut file| file.write_all(template(name).as_bytes())) {
        Ok(()) => {
            let also = if was_there {
                Vec::new()
            } else {
                write_all(home, store)?
            };
            let message = format!("Created {} ({})", path.display(), store.scope.as_str());
            let word = shell_word(name);
            Ok(InitResponse {
                success: true,
                message,
                path: path.display().to_string(),
                also: shown(also),
                advice: None,
                next: Some(format!(
                    "edit the file, then 'skc lint {word}' and 'skc build {word}'"
                )),
            })
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(Error::SkillExists {
            skill: name.to_owned(),
            hint: Some(
                format!(
                    "It is in '{}': edit it, or choose another name.",
                    path.display()
                )
                .into(),
            ),
        }),
        Err(error) => Err(Error::io("writing", &path, &error)),
    }
}

fn template(name: &str) -> String {
    let (field, title) = (scalar(name), title(name));
    format!("---\nname: {field}\ndescription: \"TODO: Add skill description\"\n---\n\n# {title}\n")
}

fn make_dir(path: &Path) -> Result<()> {
    fs::create_dir_all(path).map_err(|e| Error::io("creating", path, &e))
}

/// Lowercases the ASCII letters of a name. Rejects a name that cannot be a directory name, or that a command would
/// misread. A name that a model has chosen must have the usual form, because it could also mislead people and shells.
fn checked_name(name: &str, audience: Audience) -> Result<String> {
    let lower = name.to_ascii_lowercase();
    let is_accepted = match audience {
        Audience::Model => is_usual(&lower),
        Audience::Person => {
            is_one_component(&lower) && !lower.starts_with(['.', '-']) && lower.trim() == lower
        }
    };
    if is_accepted {
        return Ok(lower);
    }
    let usual = usual_name(name).filter(|usual| is_usual(usual));
    let example = usual.as_deref().unwrap_or("pdf-forms");
    let hint =
        format!("Use at most 64 characters: a-z, 0-9 and single hyphens, for example {example}");
    Err(Error::InvalidOption {
        message: format!("invalid skill name '{name}'"),
        hint: Some(hint.into()),
    })
}

/// Returns a remark if agents may reject a name, or if it was lowercased.
fn advice(typed: &str, name: &str) -> Option<String> {
    let usual = usual_name(typed);
    if usual.as_deref() != Some(name) && !is_usual(name) {
        let example = usual.map_or_else(String::new, |usual| format!(", for example '{usual}'"));
        return Some(format!(
            "'{name}' is an unusual skill name: agents expect a-z, 0-9 and hyphens{example}"
        ));
    }
    (typed != name)
        .then(|| format!("'{typed}' was changed to '{name}': skill names are lower case"))
}

/// Returns whether a name has the form that the standard requires.
fn is_usual(name: &str) -> bool {
    let is_usual = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    name.len() <= MAX_USUAL
        && name
            .split('-')
            .all(|word| !word.is_empty() && word.chars().all(is_usual))
}

/// Converts any name to the usual form: `My Skill`, `my_skill` and `MySkill` become `my-skill`. `None` if nothing is
/// left.
fn usual_name(typed: &str) -> Option<String> {
    let mut name = String::new();
    let mut was_lower = false;
    for c in typed.chars() {
        let starts_word = was_lower && c.is_ascii_uppercase() || !c.is_ascii_alphanumeric();
        if starts_word && !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
        if c.is_ascii_alphanumeric() {
            name.push(c.to_ascii_lowercase());
        }
        was_lower = c.is_ascii_lowercase();
    }
    let name = name.trim_end_matches('-');
    (!name.is_empty()).then(|| name.to_owned())
}

/// Converts a name to a title: `my-skill` → `My Skill`.
fn title(name: &str) -> String {
    let words = name
        .split(['-', '_'])
        .filter(|word| !word.is_empty())
        .map(|word| {
            let mut chars = word.chars();
            chars.next().map_or_else(String::new, |first| {
                first.to_uppercase().chain(chars).collect()
            })
        });
    words.collect::<Vec<String>>().join(" ")
}
