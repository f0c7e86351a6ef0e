//! `skc show`: the text of one section, found through the index and read from its file.
//!
//! Source: RFC-0002 C-SHOW, LEDGER D-EMDASH, D-W001, D-SHOW-E002.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_core::{Error, LineIndex, RelPath, Result, SkillRef, SourceFile, Warning};
use skillc_storage::IndexedHeading;

use crate::access::Arguments;
use crate::content::{FileContent, first_lines};
use crate::indexed::{self, CheckedIndex, UNREADABLE, unusable};
use crate::operation::{Example, Notes, Operation, Toolkit};
use crate::tool::{Effect, ResultText, Tool};

/// The longest section name that is looked up, in bytes. Source: RULINGS R20.
const MAX_SECTION_BYTES: usize = 4 << 10;

/// The most suggestions for a heading that is not there.
const MAX_SUGGESTIONS: usize = 5;

/// Between a title and its description in a stub.
const DESCRIPTION_MARK: &str = " \u{2014} ";

/// Arguments of `skc show`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct ShowRequest {
    /// Skill name or path
    pub skill: String,
    /// Heading of the section, in any case
    #[cfg_attr(
        feature = "clap",
        // Headings such as `--limit` are common in skills that document a program.
        arg(long, value_name = "HEADING", allow_hyphen_values = true)
    )]
    pub section: String,
    /// Look in this file only
    #[cfg_attr(feature = "clap", arg(long, value_name = "PATH"))]
    #[serde(default)]
    pub file: Option<String>,
    /// Most lines to return
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    #[serde(default)]
    pub max_lines: Option<usize>,
}

/// A section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ShowResponse {
    /// Heading as it stands in the file
    pub section: String,
    /// File, relative to the skill's root
    pub file: String,
    /// First line, from 1
    pub start_line: usize,
    /// Line after the section
    pub end_line: usize,
    /// The text
    #[serde(flatten)]
    pub content: FileContent,
    /// Lines left out at the end
    pub more_lines: usize,
}

/// The operation.
pub struct Show;

impl Operation for Show {
    const NAME: &'static str = "show";
    const ABOUT: &'static str = "Print one section of a skill";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc show my-skill --section \"Getting Started\"",
            does: "the section under that heading",
        },
        Example {
            command: "skc show my-skill --section api --file references/api.md",
            does: "in one file only",
        },
        Example {
            command: "skc show my-skill --section Usage --max-lines 20",
            does: "only its beginning",
        },
    ];
    const TOOL: Option<Tool> = Some(Tool {
        title: "Read a section",
        about: "Read one section of a built skill by its heading.",
        effect: Effect::Reads,
        text: ResultText::Plain,
        gives_skill: true,
    });
    type Request = ShowRequest;
    type Response = ShowResponse;

    fn arguments(request: &ShowRequest) -> Arguments {
        Arguments::from([
            ("section", request.section.as_str().into()),
            ("file", request.file.clone().into()),
            ("max_lines", request.max_lines.into()),
        ])
    }

    fn outcome(arguments: &mut Arguments, response: &ShowResponse) {
        arguments.set("section", response.section.as_str());
        arguments.set("file", response.file.as_str());
    }

    fn run(toolkit: &Toolkit, request: ShowRequest, notes: &mut Notes) -> Result<ShowResponse> {
        if request.section.len() > MAX_SECTION_BYTES {
            return Err(Error::invalid_option(format!(
                "section is longer than {MAX_SECTION_BYTES} bytes"
            )));
        }
        let at = toolkit.find(&request.skill, notes)?;
        let checked = indexed::open(toolkit, &at, notes)?;
        let (heading, is_only) = find(&checked, &at, &request)?;
        if !is_only {
            notes.warn(Warning::MultipleMatches {
                section: request.section,
            });
        }
        let bytes = read_section(&checked, &at, &heading)?;
        let (content, more_lines) = first_lines(bytes.as_slice(), request.max_lines, u64::MAX)
            .map_err(|e| Error::io("reading", Path::new(&heading.file), &e))?;
        Ok(ShowResponse {
            section: heading.text,
            file: heading.file,
            start_line: heading.start_line,
            end_line: heading.end_line,
            content,
            more_lines,
        })
    }
}

/// Finds the first heading that matches; also says whether it is the only one.
fn find(
    checked: &CheckedIndex,
    at: &SkillRef,
    request: &ShowRequest,
) -> Result<(IndexedHeading, bool)> {
    let wanted = readings(&request.section);
    let not_found = |suggestions| Error::SectionNotFound {
        section: request.section.clone(),
        suggestions,
    };
    let file = match request.file.as_deref().map(RelPath::parse) {
        None => None,
        Some(Ok(path)) => Some(path),
        Some(Err(_)) => return Err(not_found(Vec::new())),
    };
    let file = file.as_ref().map(RelPath::as_str);
    for text in &wanted {
        let mut found = checked
            .index
            .headings(text, file)
            .map_err(|_| unusable(at, UNREADABLE))?;
        if !found.is_empty() {
            let is_only = found.len() == 1;
            return Ok((found.swap_remove(0), is_only));
        }
    }
    let like = bare(wanted.last().copied().unwrap_or_default());
    let suggestions = checked.index.suggestions(like, file, MAX_SUGGESTIONS);
    Err(not_found(
        suggestions.map_err(|_| unusable(at, UNREADABLE))?,
    ))
}

/// Leaves out the marks before a heading, as an outline has them: its title is what was meant.
fn bare(heading: &str) -> &str {
    let title = heading.trim_start_matches('#').trim_start();
    if title.is_empty() { heading } else { title }
}

/// Returns what a section's name may mean, in the order of trying: all of it, then without a description behind it.
///
/// A title may have the mark too, so the last one is tried before the first.
///
/// # Source
/// RFC-0002 C-SHOW (query normalisation), LEDGER D-EMDASH.
fn readings(section: &str) -> Vec<&str> {
    let whole = section.trim();
    let titles = [
        whole.rsplit_once(DESCRIPTION_MARK),
        whole.split_once(DESCRIPTION_MARK),
    ];
    let titles = titles
        .into_iter()
        .flatten()
        .map(|(title, _)| title.trim_end());
    let mut readings: Vec<&str> = [whole].into_iter().chain(titles).collect();
    readings.dedup();
    readings
}

/// Reads a section's lines, and makes sure that they are of the content that was indexed.
fn read_section(
    checked: &CheckedIndex,
    at: &SkillRef,
    heading: &IndexedHeading,
) -> Result<Vec<u8>> {
    let path = RelPath::parse(&heading.file)
        .ok()
        .filter(|path| checked.files.tree.get(path).is_some());
    let Some(path) = path else {
        return Err(unusable(at, UNREADABLE));
    };
    let Some(file) = SourceFile::read(&checked.files.tree.root, &path)? else {
        return Err(unusable(at, "The files have changed since the build."));
    };
    let known = checked
        .files
        .known
        .as_ref()
        .and_then(|known| known.get(&path));
    if known.is_some_and(|row| row.sha != file.sha()) {
        return Err(unusable(at, "The files have changed since the build."));
    }
    let range = LineIndex::new(&file.bytes).range(heading.start_line, heading.end_line);
    Ok(file.bytes[range].to_vec())
}
