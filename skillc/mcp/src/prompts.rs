//! Prompts: what a person can put into a conversation. There is one, which hands the model a skill.
//!
//! Source: CATALOG 3.9.

use rmcp::model::{
    CompletionInfo, ErrorData, GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument,
    PromptMessage, Reference, Role,
};
use skillc_core::layout::SKILL_FILE;
use skillc_core::{Error, RelPath, SourceFile, near};
use skillc_ops::Toolkit;

use crate::resources::TEMPLATE;
use crate::shelf::{Shelved, skills};

/// The prompt that hands over a skill.
const USE_SKILL: &str = "use_skill";

/// Its argument.
const NAME: &str = "name";

/// Lists the prompts.
pub(crate) fn list() -> Vec<Prompt> {
    let name = PromptArgument::new(NAME)
        .with_description("Name of the skill")
        .with_required(true);
    let about = "Hand the model a skill to work by";
    vec![Prompt::new(USE_SKILL, Some(about), Some(vec![name])).with_title("Use a skill")]
}

/// Makes a prompt.
pub(crate) fn get(
    toolkit: &Toolkit,
    request: &GetPromptRequestParams,
) -> Result<GetPromptResult, ErrorData> {
    if request.name != USE_SKILL {
        let message = format!("unknown prompt '{}'; there is '{USE_SKILL}'", request.name);
        return Err(ErrorData::invalid_params(message, None));
    }
    let arguments = request.arguments.as_ref();
    let wanted = arguments.and_then(|arguments| arguments.get(NAME)?.as_str());
    let wanted = wanted.map(|name| name.trim().trim_start_matches('$'));
    let Some(wanted) = wanted.filter(|name| !name.is_empty()) else {
        let message = format!("{NAME}: is required");
        return Err(ErrorData::invalid_params(message, None));
    };
    let all = skills(toolkit);
    let Some(skill) = all.iter().find(|skill| skill.name == wanted) else {
        let skill = wanted.to_owned();
        let meant = near::nearest(wanted, all.iter().map(|skill| skill.name.as_str()));
        let meant = meant.map(|meant| format!("; did you mean '{meant}'?"));
        let message = format!(
            "{}{}",
            Error::SkillNotFound { skill },
            meant.unwrap_or_default()
        );
        return Err(ErrorData::invalid_params(message, None));
    };
    let text = text(skill).map_err(|e| ErrorData::internal_error(e.to_string(), None))?;
    let message = PromptMessage::new_text(Role::User, text);
    let mut result = GetPromptResult::new(vec![message]);
    result.description.clone_from(&skill.description);
    Ok(result)
}

/// Returns what the model reads: the skill, and where the rest of it is.
fn text(skill: &Shelved) -> skillc_core::Result<String> {
    let gone = || Error::NotASkill {
        path: skill.at.source.display().to_string(),
    };
    let file = SourceFile::read(&skill.at.canonical, &RelPath::parse(SKILL_FILE)?)?;
    let file = file.ok_or_else(gone)?;
    Ok(format!(
        "Use the skill '{}' for what follows. Its folder is {}; paths in it are relative to that.\n\n{}",
        skill.name,
        skill.at.canonical.display(),
        file.text(),
    ))
}

/// Makes sure that there is something to complete: our prompt, or the address of a skill's file.
pub(crate) fn check(what: &Reference) -> Result<(), ErrorData> {
    let is_ours = match what {
        Reference::Prompt(prompt) => prompt.name == USE_SKILL,
        Reference::Resource(resource) => resource.uri == TEMPLATE,
        _ => false,
    };
    let unknown = || ErrorData::invalid_params("there is no such prompt or template", None);
    is_ours.then_some(()).ok_or_else(unknown)
}

/// Completes the name of a skill.
pub(crate) fn complete(toolkit: &Toolkit, argument: &str, begun: &str) -> CompletionInfo {
    let names = skills(toolkit).into_iter().map(|skill| skill.name);
    let mut names: Vec<String> = names
        .filter(|name| argument == NAME && name.starts_with(begun))
        .collect();
    names.sort();
    names.dedup();
    let total = u32::try_from(names.len()).ok();
    let has_more = names.len() > CompletionInfo::MAX_VALUES;
    names.truncate(CompletionInfo::MAX_VALUES);
    CompletionInfo::with_pagination(names, total, has_more).unwrap_or_default()
}
