//! The tools: one for each operation that agents are offered.
//!
//! Source: RFC-0007 C-COMMANDS, C-MCP-SERVER, RULINGS R7, R13, R17.

use std::collections::BTreeMap;
use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use skillc_core::{Error, near};
use skillc_ops::{Effect, Notes, Operation, Outcome, ResultText, Toolkit, perform};
use skillc_render::{Page, Render, Visitor, visit_all};
use tokio::sync::Mutex;

use crate::arguments;
use crate::schema;

/// What stands before an operation's name in its tool's.
const PREFIX: &str = "skc_";

/// The largest answer that is sent, in bytes of its text: what is more would not help a model.
pub(crate) const MAX_ANSWER_BYTES: usize = 16 << 20;

/// What a call came to.
pub(crate) struct Answer {
    /// The response as the command line's JSON has it, and as text; or why there is none.
    pub(crate) result: Result<(Value, String), Error>,
    /// What was said beside it.
    pub(crate) notes: Notes,
}

impl From<Error> for Answer {
    fn from(error: Error) -> Self {
        Self {
            result: Err(error),
            notes: Notes::default(),
        }
    }
}

/// A tool, ready to be called.
pub(crate) struct Entry {
    /// What clients are told.
    pub(crate) tool: Tool,
    /// Held by the call that is being made, if calls must not overlap.
    pub(crate) turn: Option<Arc<Mutex<()>>>,
    call: fn(&Toolkit, JsonObject) -> Answer,
}

impl Entry {
    /// Checks the arguments of a call; returns them as the operation reads them.
    ///
    /// # Errors
    /// E100 with the first fault.
    pub(crate) fn checked(&self, arguments: JsonObject) -> Result<JsonObject, Error> {
        arguments::checked(arguments, &self.tool.input_schema)
    }

    /// Calls it.
    pub(crate) fn call(&self, toolkit: &Toolkit, arguments: JsonObject) -> Answer {
        (self.call)(toolkit, arguments)
    }
}

/// All tools, by name.
pub(crate) struct Tools {
    entries: BTreeMap<String, Arc<Entry>>,
    /// The names in the order in which a skill is made and read.
    order: Vec<String>,
}

impl Tools {
    /// Makes a tool of every operation that is one.
    pub(crate) fn new() -> Self {
        let mut tools = Self {
            entries: BTreeMap::new(),
            order: Vec::new(),
        };
        visit_all(&mut tools);
        tools
    }

    /// Returns the tool of that name.
    ///
    /// # Errors
    /// What the client is told, with the name that was meant if one is near.
    pub(crate) fn find(&self, name: &str) -> Result<&Arc<Entry>, String> {
        self.entries.get(name).ok_or_else(|| {
            let meant = near::nearest(name, self.entries.keys());
            let meant = meant.map(|meant| format!("; did you mean '{meant}'?"));
            format!("unknown tool '{name}'{}", meant.unwrap_or_default())
        })
    }

    /// Adds a tool that takes no arguments, and whose calls must not overlap.
    #[cfg(test)]
    pub(crate) fn with(mut self, name: &str, call: fn(&Toolkit, JsonObject) -> Answer) -> Self {
        let entry = Entry {
            tool: Tool::new(name.to_owned(), "", JsonObject::new()),
            turn: Some(Arc::default()),
            call,
        };
        self.entries.insert(name.to_owned(), Arc::new(entry));
        self
    }

    /// Returns what clients are told of all tools.
    pub(crate) fn list(&self) -> Vec<Tool> {
        let entries = self.order.iter().filter_map(|name| self.entries.get(name));
        entries.map(|entry| entry.tool.clone()).collect()
    }
}

impl Visitor for Tools {
    fn visit<O: Operation>(&mut self)
    where
        O::Response: Render,
    {
        let Some(facts) = O::TOOL else {
            return;
        };
        let name = format!("{PREFIX}{}", O::NAME);
        let tool = Tool::new(name.clone(), facts.about, schema::input::<O::Request>())
            .with_title(facts.title)
            .with_raw_output_schema(Arc::new(schema::output::<O::Response>()))
            .with_annotations(annotations(facts.effect));
        let entry = Entry {
            tool,
            turn: (facts.effect != Effect::Reads).then(Arc::default),
            call: call::<O>,
        };
        self.entries.insert(name.clone(), Arc::new(entry));
        self.order.push(name);
    }
}

/// Says what a call changes. No tool reaches beyond this machine.
fn annotations(effect: Effect) -> ToolAnnotations {
    let annotations = ToolAnnotations::new().open_world(false);
    match effect {
        Effect::Reads => annotations.read_only(true),
        // What is there already is not made again.
        Effect::Adds => annotations
            .read_only(false)
            .destructive(false)
            .idempotent(true),
        Effect::Replaces => annotations
            .read_only(false)
            .destructive(true)
            .idempotent(true),
    }
}

fn call<O: Operation>(toolkit: &Toolkit, arguments: JsonObject) -> Answer
where
    O::Response: Render,
{
    let request = match serde_json::from_value::<O::Request>(Value::Object(arguments)) {
        Ok(request) => request,
        Err(error) => {
            return Error::invalid_option(error.to_string()).into();
        }
    };
    let Outcome { result, notes } = perform::<O>(toolkit, request);
    Answer {
        result: result.and_then(|response| shown::<O>(&response)),
        notes,
    }
}

/// Returns a response as JSON and as text.
fn shown<O: Operation>(response: &O::Response) -> Result<(Value, String), Error>
where
    O::Response: Render,
{
    let fault =
        |error: &dyn std::fmt::Display| Error::internal(format!("writing the answer: {error}"));
    let value = serde_json::to_value(response).map_err(|e| fault(&e))?;
    let is_text = |value: &Value| value.get("encoding") != Some(&json!("base64"));
    let text = match O::TOOL.map(|tool| tool.text) {
        Some(ResultText::Plain) if is_text(&value) => plain(response).map_err(|e| fault(&e))?,
        _ => serde_json::to_string(response).map_err(|e| fault(&e))?,
    };
    if text.len() > MAX_ANSWER_BYTES {
        return Err(Error::InvalidOption {
            message: format!("the answer has {} bytes, more than can be sent", text.len()),
            hint: Some("Ask for a part of it.".into()),
        });
    }
    let value = match value {
        Value::Object(_) => value,
        other => json!({ schema::RESULT: other }),
    };
    Ok((value, text))
}

/// Returns what the command line prints.
fn plain(response: &impl Render) -> std::io::Result<String> {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    response.text(&mut Page {
        out: &mut out,
        err: &mut err,
        out_is_styled: false,
        err_is_styled: false,
        is_verbose: false,
    })?;
    out.extend(err);
    Ok(String::from_utf8_lossy(&out).into_owned())
}
