//! Access checks: applies the configured permission rules that deny a tool, or that deny a skill to all tools.
//!
//! Design: catalog-policy, CAT-PERM.8, CAT-PERM.9, R18.

use rmcp::model::JsonObject;
use serde_json::{Value, json};
use skillc_core::Error;
use skillc_ops::catalog::model::RuleDetails;
use skillc_ops::catalog::{Closed, Given};
use skillc_ops::{Form, Notes, Toolkit};

use crate::tools::{Failure, ToolEntry};

/// The skill whose content a call would return.
pub(crate) struct Asked {
    skill: Option<String>,
    path: Option<String>,
}

impl Asked {
    /// Reads the requested skill from validated arguments.
    pub(crate) fn new(entry: &ToolEntry, arguments: &JsonObject) -> Self {
        let text = |key| arguments.get(key).and_then(Value::as_str);
        let text = |key| text(key).filter(|_| entry.gives_skill).map(str::to_owned);
        Self {
            skill: text("skill"),
            path: text("path"),
        }
    }
}

/// Rejects a call that a rule denies.
///
/// # Errors
/// E062 for a skill; for a tool, `PERMISSION_DENIED`, or E100 if the tool reports errors like a command.
pub(crate) fn check(
    toolkit: &Toolkit,
    entry: &ToolEntry,
    asked: &Asked,
    notes: &mut Notes,
) -> Result<(), Failure> {
    let tool = &*entry.tool.name;
    let given = asked.skill.as_deref().map(|skill| Given {
        skill,
        path: asked.path.as_deref(),
    });
    let rule = match toolkit.closed(tool, given, notes) {
        None => return Ok(()),
        Some(Closed::Skill(refusal)) => return Err(refusal.error().into()),
        Some(Closed::Tool(rule)) => rule,
    };
    let hint = format!("Denied by {rule}.");
    let message = format!("the tool {tool} is denied");
    let failure = Failure::from(Error::InvalidOption {
        message: message.clone(),
        hint: Some(hint.clone().into()),
    });
    Err(match entry.form {
        Form::Response => failure,
        Form::Envelope => Failure {
            code: "PERMISSION_DENIED",
            message,
            details: Some(json!({"rule": RuleDetails::from(&rule), "hint": hint})),
            ..failure
        },
    })
}
