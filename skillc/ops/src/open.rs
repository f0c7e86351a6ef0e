//! `skc open`: a file of a skill, byte for byte.
//!
//! Design: C-OPEN, D-OPEN-DIR, D-MAX-LINES-0, R7.

use std::io::{self, ErrorKind};
use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_core::source::{Opened, open_below};
use skillc_core::{Error, RelPath, Result, SkillRef, SourceTree};

use crate::access::Arguments;
use crate::content::{FileContent, first_lines, lines_between};
use crate::notes::Notes;
use crate::operation::{Example, Operation, tool_of};
use crate::similar_paths;
use crate::tool::{Effect, Form, ResultText, Tool};
use crate::toolkit::Toolkit;

/// Arguments of `skc open`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct OpenRequest {
    /// Skill name or path
    pub skill: String,
    /// Path of the file, relative to the skill's root
    pub path: String,
    /// Lines to return, for example 10-40, 10-, -40 or 10
    #[cfg_attr(
        feature = "clap",
        // `-40` is a range, not an option.
        arg(long, value_name = "RANGE", allow_hyphen_values = true)
    )]
    #[serde(default)]
    pub lines: Option<String>,
    /// Maximum number of lines to return
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    #[serde(default)]
    pub max_lines: Option<usize>,
}

/// A file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OpenResponse {
    /// File, relative to the skill's root
    pub path: RelPath,
    /// Content
    #[serde(flatten)]
    pub content: FileContent,
    /// Number of lines omitted at the end
    pub more_lines: usize,
}

/// Implements `skc open`.
pub struct Open;

skillc_core::inventory::submit!(tool_of::<Open>());

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
            does: "the first 30 lines",
        },
        Example {
            command: "skc open my-skill references/api.md --lines 10-40",
            does: "a range of lines",
        },
        Example {
            command: "skc open my-skill assets/logo.png > logo.png",
            does: "a binary file",
        },
    ];
    const TOOL: Option<Tool> = Some(Tool {
        name: "skc_open",
        title: "Read a file",
        about: "Read a file of a skill.",
        effect: Effect::Reads,
        form: Form::Response,
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

    fn shown(response: &OpenResponse) -> Option<&FileContent> {
        Some(&response.content)
    }

    fn outcome(arguments: &mut Arguments, response: &OpenResponse) {
        arguments.set("path", response.path.as_str());
    }

    fn run(toolkit: &Toolkit, request: OpenRequest, notes: &mut Notes) -> Result<OpenResponse> {
        let at = toolkit.find(&request.skill, notes)?;
        let lines = request.lines.as_deref().map(line_range).transpose()?;
        let path = RelPath::parse(&request.path)?;
        let fail = |e: io::Error| Error::io("reading", &path.under(&at.canonical), &e);
        let file = match open_below(&at.canonical, &path).map_err(fail)? {
            Opened::File(file, ..) => file,
            Opened::Outside => return Err(Error::path_escapes(request.path)),
            Opened::Missing => return Err(not_found(&at, request.path)),
        };
        let max_bytes = toolkit.max_answer_bytes;
        let mut lines_read = usize::MAX;
        let read = match lines.clone() {
            None => first_lines(file, request.max_lines, max_bytes),
            Some(range) => {
                lines_between(file, range, request.max_lines, max_bytes).map(|excerpt| {
                    lines_read = excerpt.lines_read;
                    (excerpt.content, excerpt.more_lines)
                })
            }
        };
        let (content, more_lines) = read.map_err(|e| match e.kind() {
            ErrorKind::FileTooLarge => Error::InvalidOption {
                message: format!("'{}' is larger than {max_bytes} bytes", request.path),
                hint: Some("Request part of it with lines or max_lines.".into()),
            },
            _ => fail(e),
        })?;
        if let Some(range) = lines.filter(|range| range.start > lines_read) {
            return Err(Error::invalid_option(format!(
                "lines starts at line {}, but {path} has {lines_read} lines",
                range.start
            )));
        }
        Ok(OpenResponse {
            path,
            content,
            more_lines,
        })
    }
}

/// Parses a line range: `10-40`, `10-`, `-40` and `10` are inclusive; `10..40` excludes line 40, like `start_line` and
/// `end_line` of search results.
///
/// Returns a half-open range of 1-based line numbers. It is never empty.
///
/// # Errors
/// Returns E100 for anything else.
fn line_range(text: &str) -> Result<Range<usize>> {
    let number = |part: &str, missing: usize| match part.trim() {
        "" => Some(missing),
        part => part.parse().ok().filter(|line| *line > 0),
    };
    let range = match (text.split_once(".."), text.split_once('-')) {
        (Some((start, end)), _) if !(start.is_empty() && end.is_empty()) => number(start, 1)
            .zip(number(end, usize::MAX))
            .map(|(start, end)| start..end),
        (None, Some((start, end))) if !(start.is_empty() && end.is_empty()) => number(start, 1)
            .zip(number(end, usize::MAX - 1))
            .map(|(start, last)| start..last.saturating_add(1)),
        (None, None) => number(text, 0)
            .filter(|line| *line > 0)
            .map(|line| line..line.saturating_add(1)),
        _ => None,
    };
    range.filter(|range| !range.is_empty()).ok_or_else(|| {
        Error::invalid_option(format!(
            "lines: invalid range {text}; use 10-40, 10-, -40, 10 or 10..40, counted from 1"
        ))
    })
}

/// Creates the E021 error for a file that does not exist, with suggestions.
pub(crate) fn not_found(at: &SkillRef, path: String) -> Error {
    // The suggestions are optional: ignore errors.
    let tree = SourceTree::read(&at.source).ok();
    Error::FileNotFound {
        hint: tree.and_then(|tree| similar_paths::file_hint(&tree, &path)),
        path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_valid_line_ranges_are_parsed() {
        for (text, range) in [
            ("10-40", Some(10..41)),
            ("10..40", Some(10..40)),
            ("10-", Some(10..usize::MAX)),
            ("10..", Some(10..usize::MAX)),
            ("-40", Some(1..41)),
            ("..40", Some(1..40)),
            ("10", Some(10..11)),
            (" 1 - 2 ", Some(1..3)),
            ("0", None),
            ("0-3", None),
            ("4-3", None),
            ("4..4", None),
            ("-", None),
            ("..", None),
            ("", None),
            ("a-b", None),
            ("1-2-3", None),
            ("1,2", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(line_range(text).ok(), range, "{text:?}");
        }
    }
}
