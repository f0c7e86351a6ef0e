//! What rules of the configuration close to agents: a tool, or a skill whatever the tool.
//!
//! Source: CATALOG 3.7, CAT-PERM.8, CAT-PERM.9, RULINGS R18.

use rmcp::model::JsonObject;
use serde_json::{Value, json};
use skillc_catalog::refusal::RuleDetails;
use skillc_core::Error;
use skillc_ops::Toolkit;
use skillc_ops::catalog::Closed;

use crate::tools::{Entry, Failure, Form};

/// The argument that says which skills a call is for.
const SKILL: &str = "skill";

/// Refuses a call that a rule denies.
///
/// # Errors
/// `PERMISSION_DENIED`, in a tool of an operation E062 for a skill and E100 for a tool.
pub(crate) fn check(
    toolkit: &Toolkit,
    entry: &Entry,
    arguments: &JsonObject,
) -> Result<(), Failure> {
    let tool = &*entry.tool.name;
    let skills = match arguments.get(SKILL) {
        Some(Value::String(one)) => vec![one.as_str()],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    match toolkit.closed(tool, &skills) {
        None => Ok(()),
        Some(Closed::Skill(refusal)) if entry.form == Form::Envelope => Err(refusal.into()),
        Some(Closed::Skill(refusal)) => Err(refusal.error().into()),
        Some(Closed::Tool(rule)) => {
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
    }
}
