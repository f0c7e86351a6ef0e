//! `skc show`: the text of one section, found through the index and read from its file.
//!
//! Design: C-SHOW, D-W001, D-SHOW-E002.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_core::layout::SKILL_FILE;
use skillc_core::shell::shell_word;
use skillc_core::{Error, LineIndex, RelPath, Result, SkillRef, SourceFile, Warning};
use skillc_storage::{IndexedHeading, Unusable};

use crate::access::Arguments;
use crate::content::{FileContent, first_lines};
use crate::indexed::{self, CheckedIndex, unusable};
use crate::notes::Notes;
use crate::operation::{Example, Operation, tool_of};
use crate::section_lookup::{bare, matches};
use crate::similar_paths;
use crate::tool::{Effect, Form, ResultText, Tool};
use crate::toolkit::Toolkit;

/// The length limit of a section name, in bytes. Design: R20.
const MAX_SECTION_BYTES: usize = 4 << 10;

/// The maximum number of suggestions for a missing heading.
const MAX_SUGGESTIONS: usize = 5;

/// The maximum number of other matches to list.
const MAX_OTHERS: usize = 10;

/// Arguments of `skc show`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct ShowRequest {
    /// Skill name or path
    pub skill: String,
    /// Heading of the section (same as --section)
    // Command line only: over MCP one field is enough.
    #[cfg_attr(
        feature = "clap",
        arg(value_name = "HEADING", conflicts_with = "section")
    )]
    #[serde(skip)]
    pub heading: Option<String>,
    /// Heading (case is ignored), or a path of headings: "Overview > Totals"
    #[cfg_attr(
        feature = "clap",
        // Headings such as `--limit` are common in skills that document a program.
        arg(long, value_name = "HEADING", allow_hyphen_values = true)
    )]
    #[serde(default)]
    pub section: Option<String>,
    /// Look for the section only in this file
    #[cfg_attr(feature = "clap", arg(long, value_name = "PATH"))]
    #[serde(default)]
    pub file: Option<String>,
    /// Which of several matching sections to show, counted from 1
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub nth: Option<usize>,
    /// Show the section at this line (of SKILL.md if no file is given)
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub line: Option<usize>,
    /// Maximum number of lines to return
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    #[serde(default)]
    pub max_lines: Option<usize>,
}

impl ShowRequest {
    fn section(&self) -> Option<&str> {
        self.section.as_deref().or(self.heading.as_deref())
    }
}

/// A section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ShowResponse {
    /// Heading as written in the file; empty for text outside headed sections
    pub section: String,
    /// File, relative to the skill's root
    pub file: String,
    /// First line, from 1
    pub start_line: usize,
    /// Line after the section
    pub end_line: usize,
    /// Content
    #[serde(flatten)]
    pub content: FileContent,
    /// Number of lines omitted at the end
    pub more_lines: usize,
}

/// Implements `skc show`.
pub struct Show;

skillc_core::inventory::submit!(tool_of::<Show>());

impl Operation for Show {
    const NAME: &'static str = "show";
    const ABOUT: &'static str = "Print one section of a skill";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc show my-skill --section \"Getting Started\"",
            does: "the section with this heading",
        },
        Example {
            command: "skc show my-skill \"Overview > Totals\"",
            does: "the section below another one",
        },
        Example {
            command: "skc show my-skill --file data/prices.csv --line 12",
            does: "the section that contains this line of the file",
        },
        Example {
            command: "skc show my-skill --section api --file references/api.md",
            does: "only in this file",
        },
        Example {
            command: "skc show my-skill --section Usage --max-lines 20",
            does: "its first 20 lines",
        },
    ];
    const TOOL: Option<Tool> = Some(Tool {
        name: "skc_show",
        title: "Read a section",
        about: "Read one section of a built skill, by its heading or by a line of a file.",
        effect: Effect::Reads,
        form: Form::Response,
        text: ResultText::Plain,
        gives_skill: true,
    });
    type Request = ShowRequest;
    type Response = ShowResponse;

    fn arguments(request: &ShowRequest) -> Arguments {
        Arguments::from([
            ("section", request.section().into()),
            ("file", request.file.clone().into()),
            ("max_lines", request.max_lines.into()),
        ])
    }

    fn shown(response: &ShowResponse) -> Option<&FileContent> {
        Some(&response.content)
    }

    fn outcome(arguments: &mut Arguments, response: &ShowResponse) {
        arguments.set("section", response.section.as_str());
        arguments.set("file", response.file.as_str());
    }

    fn run(toolkit: &Toolkit, request: ShowRequest, notes: &mut Notes) -> Result<ShowResponse> {
        let wanted = Wanted::read(&request)?;
        let at = toolkit.find(&request.skill, notes)?;
        let checked = indexed::open(toolkit, &at, notes)?;
        let file = file(&checked, request.file.as_deref())?;
        let file = file.as_ref().map(RelPath::as_str);
        let heading = match wanted {
            Wanted::Heading { section, nth } => {
                find(toolkit, &checked, &at, (section, nth), file, notes)?
            }
            Wanted::Line(line) => {
                let file = file.unwrap_or(SKILL_FILE);
                find_line(toolkit, &checked, &at, file, line)?
            }
        };
        let bytes = read_section(toolkit, &checked, &at, &heading)?;
        let (content, more_lines) = first_lines(bytes.as_slice(), request.max_lines, u64::MAX)
            .map_err(|e| Error::io("reading", Path::new(&*heading.file), &e))?;
        Ok(ShowResponse {
            section: heading.text,
            file: heading.file.to_string(),
            start_line: heading.start_line,
            end_line: heading.end_line,
            content,
            more_lines,
        })
    }
}

/// How a section is selected.
#[derive(Clone, Copy)]
enum Wanted<'a> {
    Heading {
        section: &'a str,
        nth: Option<usize>,
    },
    Line(usize),
}

impl<'a> Wanted<'a> {
    /// Parses the selection.
    ///
    /// # Errors
    /// Returns E100 for missing, conflicting or invalid arguments.
    fn read(request: &'a ShowRequest) -> Result<Self> {
        if request.nth == Some(0) || request.line == Some(0) {
            let name = if request.nth == Some(0) {
                "nth"
            } else {
                "line"
            };
            return Err(Error::invalid_option(format!(
                "{name} is 0, but must be at least 1"
            )));
        }
        match (request.section(), request.line) {
            (Some(section), _) if section.len() > MAX_SECTION_BYTES => Err(Error::invalid_option(
                format!("section is longer than {MAX_SECTION_BYTES} bytes"),
            )),
            (Some(section), None) => Ok(Self::Heading {
                section,
                nth: request.nth,
            }),
            (None, Some(line)) if request.nth.is_none() => Ok(Self::Line(line)),
            (None, Some(_)) => Err(Error::invalid_option(
                "nth cannot be used with line, which selects one section",
            )),
            (Some(_), Some(_)) => Err(Error::invalid_option("give either a section or a line")),
            (None, None) => Err(Error::InvalidOption {
                message: "section: is required unless line is given".into(),
                hint: Some(
                    "Give a heading, or a line in a file. 'skc outline' lists the headings.".into(),
                ),
            }),
        }
    }
}

/// Parses the path of the file to search, and checks that it exists.
///
/// # Errors
/// Returns E012 if the path leads out of the skill, E021 if the file does not exist.
fn file(checked: &CheckedIndex<'_>, path: Option<&str>) -> Result<Option<RelPath>> {
    let Some(asked) = path else { return Ok(None) };
    let path = RelPath::parse(asked)?;
    let tree = &checked.files.tree;
    if tree.get(&path).is_none() {
        return Err(Error::FileNotFound {
            path: asked.to_owned(),
            hint: similar_paths::file_hint(tree, asked),
        });
    }
    Ok(Some(path))
}

/// Finds the section with a heading: the match with the requested number or, by default, the first. In the latter case,
/// warns if there are other matches.
fn find(
    toolkit: &Toolkit,
    checked: &CheckedIndex<'_>,
    at: &SkillRef,
    (section, nth): (&str, Option<usize>),
    file: Option<&str>,
    notes: &mut Notes,
) -> Result<IndexedHeading> {
    let unreadable = |reason| checked.unreadable(toolkit, at, reason);
    let mut found = matches(&checked.index, section, file).map_err(unreadable)?;
    if found.is_empty() {
        let suggestions = checked
            .index
            .suggestions(bare(section), file, MAX_SUGGESTIONS)
            .map_err(unreadable)?;
        return Err(Error::SectionNotFound {
            section: section.to_owned(),
            suggestions,
        });
    }
    let count = found.len();
    let index = nth.unwrap_or(1) - 1;
    if index >= count {
        return Err(Error::InvalidOption {
            message: format!(
                "nth is {}, but the heading has {count} match(es)",
                index + 1
            ),
            hint: Some(places(&found, 0).into()),
        });
    }
    if nth.is_none() && count > 1 {
        notes.warn(Warning::MultipleMatches {
            section: section.to_owned(),
            // Lists up to [`MAX_OTHERS`] other matches, each with the option that shows it.
            others: Some(places(&found, 1).into()),
        });
    }
    Ok(found.swap_remove(index))
}

/// Lists the matches from index `from` on, each with its position and number.
fn places(found: &[IndexedHeading], from: usize) -> String {
    let listed = found.iter().enumerate().skip(from).take(MAX_OTHERS);
    let mut lines: Vec<String> = listed
        .map(|(at, heading)| {
            let (file, line) = (&heading.file, heading.start_line);
            format!("  {file}:{line} (--nth {})", at + 1)
        })
        .collect();
    let left = found.len().saturating_sub(from + MAX_OTHERS);
    if left > 0 {
        lines.push(format!("  ... ({left} more)"));
    }
    lines.join("\n")
}

/// Finds the section that contains a line of a file.
fn find_line(
    toolkit: &Toolkit,
    checked: &CheckedIndex<'_>,
    at: &SkillRef,
    file: &str,
    line: usize,
) -> Result<IndexedHeading> {
    let found = checked
        .index
        .section_at(file, line)
        .map_err(|reason| checked.unreadable(toolkit, at, reason))?;
    found.ok_or_else(|| match line_count(checked, file) {
        Some(count) if line > count => Error::InvalidOption {
            message: format!("line is {line}, but {file} has {count}"),
            hint: None,
        },
        _ => Error::InvalidOption {
            message: format!("line {line} of {file} is not in a section"),
            hint: Some(
                format!(
                    "To read it: skc open {} {} --lines {line}",
                    shell_word(&at.asked),
                    shell_word(file)
                )
                .into(),
            ),
        },
    })
}

/// Returns the number of lines of a file, if it can be read.
fn line_count(checked: &CheckedIndex<'_>, file: &str) -> Option<usize> {
    let path = RelPath::parse(file).ok()?;
    let file = SourceFile::read(&checked.files.tree.root, &path).ok()??;
    Some(LineIndex::new(&file.bytes).count())
}

/// Reads a section's lines, after checking that the file has the indexed content.
fn read_section(
    toolkit: &Toolkit,
    checked: &CheckedIndex,
    at: &SkillRef,
    heading: &IndexedHeading,
) -> Result<Vec<u8>> {
    let path = RelPath::parse(&heading.file)
        .ok()
        .filter(|path| checked.files.tree.get(path).is_some());
    let Some(path) = path else {
        return Err(checked.unreadable(toolkit, at, Unusable::Corrupt));
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
