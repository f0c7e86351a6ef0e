//! `skc open`: a file of a skill, byte for byte.
//!
//! Source: RFC-0002 C-OPEN, LEDGER D-OPEN-DIR, D-MAX-LINES-0, RULINGS R7.

use std::fs::File;
use std::io::ErrorKind;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_core::source::{Located, locate};
use skillc_core::{Error, RelPath, Result};

use crate::access::Arguments;
use crate::content::{FileContent, first_lines};
use crate::operation::{Example, Notes, Operation, Toolkit};
use crate::tool::{Effect, ResultText, Tool};

/// Arguments of `skc open`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct OpenRequest {
    /// Skill name or path
    pub skill: String,
    /// File, relative to the skill's root
    pub path: String,
    /// Most lines to return
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    #[serde(default)]
    pub max_lines: Option<usize>,
}

/// A file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OpenResponse {
    /// File, relative to the skill's root
    pub path: RelPath,
    /// The bytes
    #[serde(flatten)]
    pub content: FileContent,
    /// Lines left out at the end
    pub more_lines: usize,
}

/// The operation.
pub struct Open;

impl Operation for Open {
    const NAME: &'static str = "open";
    const ABOUT: &'static str = "Print a file of a skill";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc open my-skill references/api.md",
            does: "the whole file, unchanged",
        },
        Example {
            command: "skc open my-skill SKILL.md --max-lines 30",
            does: "only its beginning",
        },
        Example {
            command: "skc open my-skill assets/logo.png > logo.png",
            does: "any type of file",
        },
    ];
    const TOOL: Option<Tool> = Some(Tool {
        title: "Read a file",
        about: "Read a file of a skill.",
        effect: Effect::Reads,
        text: ResultText::Plain,
        gives_skill: true,
    });
    type Request = OpenRequest;
    type Response = OpenResponse;

    fn arguments(request: &OpenRequest) -> Arguments {
        Arguments::from([
            ("path", request.path.as_str().into()),
            ("max_lines", request.max_lines.into()),
        ])
    }

    fn outcome(arguments: &mut Arguments, response: &OpenResponse) {
        arguments.set("path", response.path.as_str());
    }

    fn run(toolkit: &Toolkit, request: OpenRequest, notes: &mut Notes) -> Result<OpenResponse> {
        let at = toolkit.find(&request.skill, notes)?;
        let path = RelPath::parse(&request.path)?;
        let full = match locate(&at.canonical, &path) {
            Located::Inside(full) if full.is_file() => full,
            Located::Outside => return Err(Error::path_escapes(request.path)),
            Located::Inside(_) | Located::Missing => {
                return Err(Error::FileNotFound { path: request.path });
            }
        };
        let max_bytes = toolkit.max_answer_bytes;
        let read =
            File::open(&full).and_then(|file| first_lines(file, request.max_lines, max_bytes));
        let (content, more_lines) = read.map_err(|e| match e.kind() {
            ErrorKind::FileTooLarge => Error::InvalidOption {
                message: format!("'{}' has more than {max_bytes} bytes", request.path),
                hint: Some("Ask for its first lines, with max_lines.".into()),
            },
            _ => Error::io("reading", &full, &e),
        })?;
        Ok(OpenResponse {
            path,
            content,
            more_lines,
        })
    }
}
