//! The MCP tools: one for each operation that is offered to agents.
//!
//! Design: C-COMMANDS, C-MCP-SERVER, R7, R13, R17.

use std::collections::BTreeMap;
use std::sync::Arc;

use rmcp::model::{InputRequiredResult, JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use skillc_core::config::Toolset;
use skillc_core::{Error, Result, did_you_mean};
use skillc_ops::{Effect, Fault, Form, Notes, Operation, Outcome, ResultText, Toolkit, perform};
use skillc_render::{Page, Render, Visitor, json_line, root_line, visit_tools};
use tokio::sync::Mutex;

use crate::arguments::{self, Issue};
use crate::{envelope, schema};

/// The maximum size of a response's text, written as a JSON string, in bytes. More text would be useless to a model.
pub(crate) const MAX_ANSWER_BYTES: usize = 1 << 20;

/// The maximum size of a string argument of a catalog tool, in bytes. Design: R20.
const MAX_ARGUMENT_BYTES: usize = 4 << 10;

/// A function that is called when a call has succeeded, before its response is sent.
type WhenSent = Box<dyn FnOnce(&Toolkit)>;

/// The outcome of a call, with its notes.
pub(crate) struct Answer {
    pub(crate) end: End,
    /// Warnings and other notes made during the call.
    pub(crate) notes: Notes,
    /// Called before the response is sent, unless the call was cancelled or ends with a question.
    pub(crate) when_sent: Option<WhenSent>,
}

/// How a call ended.
pub(crate) enum End {
    /// With a response.
    Said {
        /// The response as JSON.
        value: Value,
        /// The text for the model, if it differs from the JSON.
        text: Option<String>,
        /// An additional text block.
        beside: Option<String>,
    },
    /// With an error.
    Failed(Failure),
    /// With a question: the client asks the user and repeats the call.
    Asked(Box<InputRequiredResult>),
}

/// Why a call failed.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The error code, for programs.
    pub(crate) code: &'static str,
    /// A one-line message.
    pub(crate) message: String,
    /// Structured details for programs.
    pub(crate) details: Option<Value>,
    /// The same failure as an error on the command line.
    pub(crate) error: Box<Error>,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self {
            code: error.code(),
            message: error.message(),
            details: None,
            error: Box::new(error),
        }
    }
}

impl Answer {
    /// Creates an answer from a response or a failure.
    pub(crate) fn new<F: Into<Failure>>(end: std::result::Result<End, F>, notes: Notes) -> Self {
        Self {
            end: end.unwrap_or_else(|failure| End::Failed(failure.into())),
            notes,
            when_sent: None,
        }
    }
}

impl<F: Into<Failure>> From<F> for Answer {
    fn from(failure: F) -> Self {
        Self::new(Err(failure), Notes::default())
    }
}

/// A call whose arguments have been validated.
pub(crate) type Ready = Box<dyn FnOnce(&Toolkit) -> Answer>;

/// A registered tool.
pub(crate) struct ToolEntry {
    /// The definition that clients receive.
    pub(crate) tool: Tool,
    /// The lock that is held during a call, if calls to this tool must not overlap.
    pub(crate) turn: Option<Arc<Mutex<()>>>,
    /// The form of the tool's responses.
    pub(crate) form: Form,
    /// Whether a call returns content of the skill that its argument `skill` specifies.
    pub(crate) gives_skill: bool,
    /// Parses arguments that match the schema.
    pub(crate) ready: fn(&Toolkit, JsonObject) -> std::result::Result<Ready, Issue>,
}

impl ToolEntry {
    /// Validates arguments against the tool's schema; returns them normalized for the operation.
    ///
    /// # Errors
    /// E100 with the first issue, or `INVALID_PARAMS` with all issues, depending on the form of the responses.
    pub(crate) fn checked(
        &self,
        arguments: JsonObject,
    ) -> std::result::Result<JsonObject, Failure> {
        let max_bytes = (self.form == Form::Envelope).then_some(MAX_ARGUMENT_BYTES);
        let checked = arguments::checked(arguments, &self.tool.input_schema, max_bytes);
        checked.map_err(|issues| self.invalid(issues))
    }

    /// Prepares a call.
    ///
    /// # Errors
    /// Like [`checked`](Self::checked).
    pub(crate) fn ready(
        &self,
        toolkit: &Toolkit,
        arguments: JsonObject,
    ) -> std::result::Result<Ready, Failure> {
        let ready = (self.ready)(toolkit, arguments);
        ready.map_err(|issue| self.invalid(vec![issue]))
    }

    #[cfg(feature = "http")]
    fn is_read_only(&self) -> bool {
        let annotations = self.tool.annotations.as_ref();
        annotations.and_then(|of| of.read_only_hint) == Some(true)
    }

    fn invalid(&self, mut issues: Vec<Issue>) -> Failure {
        match self.form {
            Form::Envelope => envelope::invalid(issues),
            Form::Response => Error::from(issues.swap_remove(0)).into(),
        }
    }
}

/// The tools of a toolset, by name.
pub(crate) struct Tools {
    entries: BTreeMap<String, Arc<ToolEntry>>,
    /// The names in workflow order: from creating a skill to reading it.
    order: Vec<String>,
    /// The names of tools that a read-only server does not offer.
    #[cfg(feature = "http")]
    writing: Vec<String>,
}

impl Tools {
    /// Creates the tools of a toolset, one for each operation that has a tool.
    ///
    /// # Errors
    /// E999 if two tools have the same name.
    pub(crate) fn new(set: Toolset) -> Result<Self> {
        let mut tools = Self {
            entries: BTreeMap::new(),
            order: Vec::new(),
            #[cfg(feature = "http")]
            writing: Vec::new(),
        };
        let mut operations = OfOperations(Vec::new());
        visit_tools(&mut operations);
        let is_in = |entry: &ToolEntry| match set {
            Toolset::Skc => entry.form == Form::Response,
            Toolset::Catalog => entry.form == Form::Envelope,
            Toolset::All => true,
        };
        let mut entries = operations.0.into_iter().filter(is_in);
        entries.try_for_each(|entry| tools.register(entry))?;
        Ok(tools)
    }

    /// Leaves out the tools that change skills or settings.
    #[cfg(feature = "http")]
    pub(crate) fn read_only(mut self) -> Self {
        self.entries.retain(|_, entry| entry.is_read_only());
        let is_left_out = |name: &&String| !self.entries.contains_key(*name);
        self.writing = self.order.iter().filter(is_left_out).cloned().collect();
        self
    }

    /// Registers a tool. This is the only way to add a tool.
    ///
    /// # Errors
    /// E999 if the name is already taken.
    pub(crate) fn register(&mut self, entry: ToolEntry) -> Result<()> {
        let name = entry.tool.name.to_string();
        if self.entries.contains_key(&name) {
            return Err(Error::internal(format!("tool already registered: {name}")));
        }
        self.entries.insert(name.clone(), Arc::new(entry));
        self.order.push(name);
        Ok(())
    }

    /// Returns the tool with this name.
    ///
    /// # Errors
    /// A message for the client, with a suggestion if a similar name exists.
    pub(crate) fn find(&self, name: &str) -> Result<&Arc<ToolEntry>, String> {
        #[cfg(feature = "http")]
        if self.writing.iter().any(|of| of == name) {
            return Err(format!("'{name}' is not offered: this server is read-only"));
        }
        self.entries.get(name).ok_or_else(|| {
            let meant = did_you_mean::nearest(name, self.entries.keys());
            let meant = meant.map(|meant| format!("; did you mean '{meant}'?"));
            format!("unknown tool '{name}'{}", meant.unwrap_or_default())
        })
    }

    /// Returns the definitions of all tools, for `tools/list`.
    pub(crate) fn list(&self) -> Vec<Tool> {
        let entries = self.order.iter().filter_map(|name| self.entries.get(name));
        entries.map(|entry| entry.tool.clone()).collect()
    }
}

/// Collects tools from operations.
struct OfOperations(Vec<ToolEntry>);

impl Visitor for OfOperations {
    fn visit<O: Operation>(&mut self)
    where
        O::Response: Render,
    {
        let Some(facts) = O::TOOL else {
            return;
        };
        let input = schema::input::<O::Request>();
        let output = match facts.form {
            Form::Envelope => schema::envelope::<O::Response>(),
            Form::Response => {
                let mut output = schema::output::<O::Response>();
                if schema::names_skill(&input) {
                    schema::add_root(&mut output);
                }
                output
            }
        };
        let tool = Tool::new(facts.name, facts.about, input)
            .with_title(facts.title)
            .with_raw_output_schema(Arc::new(output))
            .with_annotations(annotations(facts.effect));
        self.0.push(ToolEntry {
            tool,
            turn: (facts.effect != Effect::Reads).then(Arc::default),
            form: facts.form,
            gives_skill: facts.gives_skill,
            ready: ready::<O>,
        });
    }
}

/// Returns the annotations for an operation's effect. No tool reaches beyond this machine.
pub(crate) fn annotations(effect: Effect) -> ToolAnnotations {
    let annotations = ToolAnnotations::new().open_world(false);
    match effect {
        Effect::Reads | Effect::Caches => annotations.read_only(true),
        // Idempotent: a repeated call does not create the existing files again.
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

fn ready<O: Operation>(
    toolkit: &Toolkit,
    arguments: JsonObject,
) -> std::result::Result<Ready, Issue>
where
    O::Response: Render,
{
    let request = serde_json::from_value::<O::Request>(Value::Object(arguments));
    // This fails only if the schema allows a value that the request type rejects.
    let request = request.map_err(|e| Issue::new("arguments", "invalid_value", e.to_string()))?;
    O::check(toolkit, &request).map_err(|fault| {
        let Fault {
            argument,
            code,
            message,
        } = fault;
        Issue::new(argument, code, message)
    })?;
    Ok(Box::new(move |toolkit| call::<O>(toolkit, request)))
}

fn call<O: Operation>(toolkit: &Toolkit, request: O::Request) -> Answer
where
    O::Response: Render,
{
    let Outcome { result, notes } = perform::<O>(toolkit, request);
    let form = O::TOOL.map_or(Form::Response, |tool| tool.form);
    let response = match (result, form) {
        (Ok(response), _) => response,
        (Err(error), Form::Response) => return Answer::new::<Failure>(Err(error.into()), notes),
        (Err(error), Form::Envelope) => {
            let failure = envelope::failure(error, notes.refusal.as_ref());
            return Answer::new::<Failure>(Err(failure), notes);
        }
    };
    let end = match form {
        Form::Response => shown::<O>(&response, &notes),
        Form::Envelope => data::<O>(&response),
    };
    let mut answer = Answer::new(end, notes);
    answer.when_sent = Some(Box::new(move |toolkit| O::delivered(toolkit, &response)));
    answer
}

/// Returns a response as data for an envelope, with the text, if any, that an agent reads instead of the data.
fn data<O: Operation>(response: &O::Response) -> Result<End> {
    let value = serde_json::to_value(response);
    let value = value.map_err(|e| Error::internal(format!("writing the answer: {e}")))?;
    Ok(End::Said {
        value,
        text: O::for_agent(response).map(str::to_owned),
        beside: None,
    })
}

/// Returns a response as JSON and as text, with the root of its skill. The root cannot be added to verbatim skill text,
/// so it follows in a second text block if the text refers to files of the skill.
fn shown<O: Operation>(response: &O::Response, notes: &Notes) -> Result<End>
where
    O::Response: Render,
{
    let fault =
        |error: &dyn std::fmt::Display| Error::internal(format!("writing the answer: {error}"));
    let root = notes.root.as_ref().map(|root| root.to_string_lossy());
    let root = root.as_deref();
    let value = serde_json::to_value(response).map_err(|e| fault(&e))?;
    let is_text = |value: &Value| value.get("encoding") != Some(&json!("base64"));
    let (text, beside) = match O::TOOL.map(|tool| tool.text) {
        Some(ResultText::Plain) if is_text(&value) => {
            let beside = root.filter(|_| notes.is_root_needed).map(root_line);
            (plain(response).map_err(|e| fault(&e))?, beside)
        }
        _ => (json_line(response, root).map_err(|e| fault(&e))?, None),
    };
    check_size(&text)?;
    let mut value = match value {
        Value::Object(_) => value,
        other => json!({ schema::RESULT: other }),
    };
    if let Some(root) = root {
        value[schema::ROOT] = json!(root);
    }
    Ok(End::Said {
        value,
        text: Some(text),
        beside,
    })
}

/// Checks that a response is small enough to send.
///
/// # Errors
/// E100 if the response is too large.
pub(crate) fn check_size(text: &str) -> Result<()> {
    // An answer stays in memory until the client reads it, and JSON writes a control character as six bytes.
    let bytes = text.bytes().map(|byte| match byte {
        b'"' | b'\\' => 2,
        _ if byte.is_ascii_control() => 6,
        _ => 1,
    });
    let bytes: usize = bytes.sum();
    if bytes <= MAX_ANSWER_BYTES {
        return Ok(());
    }
    Err(Error::InvalidOption {
        message: format!("the answer has {bytes} bytes, which exceeds the limit"),
        hint: Some("Request only a part of it.".into()),
    })
}

/// Returns the text that the command line would print, without styles.
fn plain(response: &impl Render) -> std::io::Result<String> {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    response.text(&mut Page {
        out: &mut out,
        err: &mut err,
        out_is_styled: false,
        err_is_styled: false,
        is_verbose: false,
        is_file: false,
        root: None,
    })?;
    out.extend(err);
    Ok(String::from_utf8_lossy(&out).into_owned())
}
