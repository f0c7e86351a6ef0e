//! Prompts that a user can insert into a conversation: a single skill, or the overview of skills that agents receive.
//!
//! A prompt is chosen by the user. Therefore the choice replaces the confirmation that a skill may require, and skills
//! that only users may invoke are included. Denied skills stay denied, and `user-invocable: false` excludes a skill.
//!
//! Design: catalog-texts, catalog-tools, D11.

use rmcp::model::{
    CompletionInfo, ErrorData, GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument,
    PromptMessage, Reference, Role,
};
use serde_json::json;
use skillc_core::config::Toolset;
use skillc_ops::catalog::model::skills_context;
use skillc_ops::catalog::model::{
    Audience, Catalog, Loaded, Refusal, Resend, Resolved, Versions, Wanted, load, resolve,
};
use skillc_ops::{Arguments, Notes, Toolkit};

use crate::resources::TEMPLATE;

/// The prompt that inserts a skill.
const USE_SKILL: &str = "use_skill";

/// The prompt that inserts the overview of skills that agents receive.
const SKILLS_CONTEXT: &str = "skills_context";

/// The argument of `use_skill`.
const NAME: &str = "name";

/// Lists the prompts. The overview is left out if the toolset lacks the tools that the overview mentions.
pub(crate) fn list(toolset: Toolset, catalog: &Catalog) -> Vec<Prompt> {
    let name = PromptArgument::new(NAME)
        .with_description("Skill name, or path of its SKILL.md")
        .with_required(true);
    let about = "Give the model a skill to follow";
    let mut prompts =
        vec![Prompt::new(USE_SKILL, Some(about), Some(vec![name])).with_title("Use a skill")];
    if toolset != Toolset::Skc && skills_context(catalog).is_some() {
        let about = "Tell the model which skills are available";
        prompts.push(Prompt::new(SKILLS_CONTEXT, Some(about), None).with_title("List the skills"));
    }
    prompts
}

/// Renders a prompt.
pub(crate) fn get(
    toolset: Toolset,
    toolkit: &Toolkit,
    catalog: &Catalog,
    request: &GetPromptRequestParams,
) -> Result<GetPromptResult, ErrorData> {
    if request.name == SKILLS_CONTEXT
        && toolset != Toolset::Skc
        && let Some(block) = skills_context(catalog)
    {
        let message = PromptMessage::new_text(Role::User, block.text);
        return Ok(GetPromptResult::new(vec![message]));
    }
    if request.name != USE_SKILL {
        let message = format!(
            "unknown prompt '{}'; available: '{USE_SKILL}'",
            request.name
        );
        return Err(ErrorData::invalid_params(message, None));
    }
    let arguments = request.arguments.as_ref();
    let wanted = arguments.and_then(|arguments| arguments.get(NAME)?.as_str());
    let Some(wanted) = wanted.map(str::trim).filter(|name| !name.is_empty()) else {
        let message = format!("{NAME}: is required");
        return Err(ErrorData::invalid_params(message, None));
    };
    let wanted = Wanted::argument(wanted).by_person();
    let resolved = resolve(catalog, &wanted).map_err(|refusal| refused(&refusal))?;
    let skill = resolved.entry();
    if !skill.invocation.by_person() {
        let message = format!(
            "the SKILL.md of '{}' sets user-invocable: false, so only a model can use it",
            skill.name
        );
        return Err(ErrorData::invalid_params(message, None));
    }
    let (description, result) = loaded(toolkit, catalog, resolved);
    let loaded = result.map_err(|refusal| refused(&refusal))?;
    let message = PromptMessage::new_text(Role::User, loaded.content);
    let mut result = GetPromptResult::new(vec![message]);
    result.description = Some(description);
    Ok(result)
}

/// Loads a skill at the user's request, even if it was loaded before. The request replaces the confirmation that the
/// skill may require. Also returns the skill's description.
fn loaded(
    toolkit: &Toolkit,
    catalog: &Catalog,
    resolved: Resolved<'_>,
) -> (String, Result<Loaded, Refusal>) {
    let skill = resolved.entry();
    let permitted = resolved.permitted_by_word();
    let result = load(catalog, permitted, Resend::Always, &Versions::default());
    let error = result.as_ref().err().map(Refusal::error);
    let arguments = Arguments::from([(NAME, json!(skill.name))]);
    // Prompt results cannot carry warnings.
    toolkit.log_load(skill, arguments, error.as_ref(), &mut Notes::default());
    (skill.description.clone(), result)
}

/// Explains why no skill was loaded, with a suggestion or the list of candidates.
fn refused(refusal: &Refusal) -> ErrorData {
    let error = refusal.error();
    let mut message = error.to_string();
    if let Refusal::Unknown { suggestions, .. } = refusal
        && let Some(meant) = suggestions.first()
    {
        message += &format!("; did you mean '{meant}'?");
    }
    if let Some(details) = error.details() {
        message += &format!("\n{details}");
    }
    let details = refusal.details();
    let details = details.and_then(|details| serde_json::to_value(details).ok());
    ErrorData::invalid_params(message, details)
}

/// Checks that the server supports completion here: for the prompt that inserts a skill, or for the URI of a skill's
/// file.
pub(crate) fn check(what: &Reference) -> Result<(), ErrorData> {
    let is_ours = match what {
        Reference::Prompt(prompt) => prompt.name == USE_SKILL,
        Reference::Resource(resource) => resource.uri == TEMPLATE,
        _ => false,
    };
    let unknown = || ErrorData::invalid_params("unknown prompt or template", None);
    is_ours.then_some(()).ok_or_else(unknown)
}

/// Completes the name of a skill.
pub(crate) fn complete(catalog: &Catalog, argument: &str, begun: &str) -> CompletionInfo {
    let visible = catalog.visible(Audience::Person);
    let names = visible.filter(|skill| skill.invocation.by_person());
    let names = names.map(|skill| skill.name.clone());
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
