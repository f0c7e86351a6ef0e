//! Whether somebody allows a load that needs it: the person behind the client is asked, never the model.
//!
//! The answer is for the text that was asked about: one that has changed in the meantime is not loaded.
//!
//! Source: CATALOG 3.7 (confirm), CAT-PERM.6, CAT-PERM.7, RULINGS R18.

use rmcp::model::InputRequiredResult;
use skillc_catalog::policy::SKILL_LOAD;
use skillc_catalog::{Entry, Permitted, Refusal, Resolved, content_hash};
use skillc_core::Error;
use skillc_core::clean::clean;
use skillc_core::hash::Sha;

use crate::ask::{Way, Word, ask, requests};
use crate::catalog::seal::About;
use crate::tools::{End, Failure, Job};

/// A load that may go on.
pub(crate) struct Confirmed<'a> {
    pub(crate) permitted: Permitted<'a>,
    /// What somebody allowed; `None` if nobody had to.
    pub(crate) word: Option<Given>,
}

/// A yes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Given {
    /// The digest of the text that it is for.
    pub(crate) content: Sha,
    /// Whether nobody is to be asked again.
    pub(crate) always: bool,
}

/// Lets a load go on if no word is needed, or if it is given.
///
/// # Errors
/// How the call ends instead: with a refusal, or with a question.
pub(crate) fn confirm<'a>(job: &Job<'_>, resolved: Resolved<'a>) -> Result<Confirmed<'a>, End> {
    if !resolved.needs_word() {
        let permitted = resolved.permitted().map_err(refused)?;
        return Ok(Confirmed {
            permitted,
            word: None,
        });
    }
    let entry = resolved.entry();
    let content = content_hash(entry).map_err(refused)?;
    let always = match word(job, entry, content)? {
        Word::Once => false,
        Word::Always => true,
        Word::No => return Err(End::Failed(declined(entry))),
    };
    Ok(Confirmed {
        permitted: resolved.permitted_by_word(),
        word: Some(Given { content, always }),
    })
}

fn word(job: &Job<'_>, entry: &Entry, content: Sha) -> Result<Word, End> {
    let nobody = || {
        let skill = entry.name.clone();
        refused(Refusal::NeedsWord { skill })
    };
    let kept = &job.server.kept;
    match job.way {
        Way::None => Err(nobody()),
        Way::Request(questions) => {
            let _place = kept.questions.try_acquire().map_err(|_| nobody())?;
            Ok(ask(questions, question(entry)))
        }
        Way::Result { state, responses } => {
            let now_ms = job.toolkit.context.clock.now_ms();
            let about = About {
                tool: SKILL_LOAD,
                path: &entry.path,
                content,
            };
            let is_sealed = |state: &String| kept.seals.redeem(state, &about, now_ms);
            let word = responses.as_ref().and_then(Word::among);
            if let Some(word) = word
                && state.as_ref().is_some_and(is_sealed)
            {
                return Ok(word);
            }
            let state = kept.seals.seal(&about, now_ms).ok_or_else(nobody)?;
            let question = requests(question(entry));
            let asked = InputRequiredResult::new(Some(question), Some(state));
            Err(End::Asked(Box::new(asked)))
        }
    }
}

/// Returns the question. What comes from the skill is its name, which is plain, and its place.
fn question(entry: &Entry) -> String {
    let path = clean(&entry.path);
    format!(
        "May the agent load the skill '{}' from {path}? 'always' also allows it from now on in this project.",
        entry.name
    )
}

fn refused(refusal: Refusal) -> End {
    End::Failed(refusal.into())
}

/// Says that somebody was asked.
fn declined(entry: &Entry) -> Failure {
    let error = Error::PermissionDenied {
        skill: entry.name.clone(),
        hint: None,
    };
    let details = serde_json::json!({
        "skill_name": entry.name, "hint": "The user was asked and did not allow it.",
    });
    Failure {
        code: "PERMISSION_DENIED",
        message: error.message(),
        details: Some(details),
        error: Box::new(error),
    }
}
