//! `skc outline`: the headings of a skill.
//!
//! An outline lists the headings of the current files. The search index is only a shortcut: it provides the headings of
//! files that have not changed since the build; all other files are parsed.
//!
//! Design: C-OUTLINE.

use std::collections::HashMap;

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_core::source::{MAX_PARSED_BYTES, WalkedFile};
use skillc_core::{
    Document, Error, Heading, RelPath, Result, SkillRef, SourceFile, SourceTree, Warning,
};
use skillc_storage::freshness::Fate;
use skillc_storage::{Freshness, OutlineHeading};

use crate::access::Arguments;
use crate::indexed::{self, KnownIndex};
use crate::notes::Notes;
use crate::operation::{Example, Operation, tool_of};
use crate::sources::note_left_out;
use crate::tool::{Effect, Form, ResultText, Tool};
use crate::toolkit::Toolkit;

/// From this many bytes of Markdown on, opening the index is faster than parsing the files.
const WORTH_AN_INDEX: u64 = 64 << 10;

/// Arguments of `skc outline`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct OutlineRequest {
    /// Skill name or path
    pub skill: String,
    /// Deepest heading level to list, from 1 to 6
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    #[serde(default)]
    #[schemars(range(min = 1, max = 6))]
    pub level: Option<usize>,
}

/// The headings: files in bytewise path order, and the headings of each file in document order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct OutlineResponse(pub Vec<OutlineEntry>);

/// A heading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OutlineEntry {
    /// Heading level, from 1 to 6
    pub level: u8,
    /// Heading text
    pub heading: String,
    /// File, relative to the skill's root
    pub file: RelPath,
    /// Line of the heading, from 1
    pub line: usize,
}

/// Implements `skc outline`.
pub struct Outline;

skillc_core::inventory::submit!(tool_of::<Outline>());

impl Operation for Outline {
    const NAME: &'static str = "outline";
    const ABOUT: &'static str = "List the headings of a skill";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc outline my-skill",
            does: "all headings of all Markdown files",
        },
        Example {
            command: "skc outline my-skill --level 2",
            does: "only levels 1 and 2",
        },
        Example {
            command: "skc outline ./path/to/skill -o json",
            does: "as JSON",
        },
    ];
    const TOOL: Option<Tool> = Some(Tool {
        name: "skc_outline",
        title: "Outline of a skill",
        about: "List the headings of a skill. Start here to see what it contains.",
        effect: Effect::Reads,
        form: Form::Response,
        text: ResultText::Json,
        gives_skill: true,
    });
    type Request = OutlineRequest;
    type Response = OutlineResponse;

    fn arguments(request: &OutlineRequest) -> Arguments {
        Arguments::from([("level", request.level.into())])
    }

    fn run(
        toolkit: &Toolkit,
        request: OutlineRequest,
        notes: &mut Notes,
    ) -> Result<OutlineResponse> {
        let deepest = match request.level {
            Some(level) if !(1..=6).contains(&level) => {
                return Err(Error::invalid_option(format!(
                    "level {level} is out of range; use 1 to 6"
                )));
            }
            level => level.unwrap_or(6),
        };
        let at = toolkit.find(&request.skill, notes)?;
        let tree = SourceTree::read(&at.source)?;
        note_left_out(&tree, notes);
        let files: Vec<&WalkedFile> = tree.markdown().collect();
        let indexed = Indexed::open(toolkit, &at, &files);
        let parsed: Vec<Result<Parsed>> = files
            .into_par_iter()
            .map(
                |entry| match indexed.as_ref().and_then(|of| of.headings(entry)) {
                    Some(found) => Ok(Parsed::Headings { found, cut: None }),
                    None => parse(&tree, entry),
                },
            )
            .collect();
        let mut entries = Vec::new();
        for parsed in parsed {
            match parsed? {
                Parsed::Gone => {}
                Parsed::TooLarge(path) => notes.warn(Warning::FileTooLarge { path }),
                Parsed::Headings { found, cut } => {
                    if let Some(path) = cut {
                        notes.warn(Warning::FileTooLarge { path });
                    }
                    entries.extend(
                        found
                            .into_iter()
                            .filter(|entry| usize::from(entry.level) <= deepest),
                    );
                }
            }
        }
        Ok(OutlineResponse(entries))
    }
}

/// The headings in the search index.
struct Indexed {
    known: Freshness,
    headings: HashMap<String, Vec<OutlineHeading>>,
}

impl Indexed {
    /// Reads the index if that is less work than parsing the files.
    fn open(toolkit: &Toolkit, at: &SkillRef, files: &[&WalkedFile]) -> Option<Self> {
        let bytes: u64 = files.iter().map(|entry| entry.stamp.size).sum();
        if bytes < WORTH_AN_INDEX {
            return None;
        }
        let KnownIndex { index, known } = indexed::open_known(toolkit, at)?;
        let headings = index.outlines().ok()?;
        Some(Self { known, headings })
    }

    /// Returns a file's headings; `None` if the file may have changed since it was indexed, or may not have been parsed
    /// to its end (the index does not record that).
    fn headings(&self, entry: &WalkedFile) -> Option<Vec<OutlineEntry>> {
        if !Document::is_never_cut(entry.stamp.size) || self.known.fate(entry) == Fate::Unsure {
            return None;
        }
        let indexed = self.headings.get(entry.path.as_str());
        let headings = indexed.map(Vec::as_slice).unwrap_or_default().iter();
        let entry = |heading: &OutlineHeading| OutlineEntry {
            level: heading.level,
            heading: heading.text.clone(),
            file: entry.path.clone(),
            line: heading.line,
        };
        Some(headings.map(entry).collect())
    }
}

enum Parsed {
    Gone,
    TooLarge(String),
    Headings {
        found: Vec<OutlineEntry>,
        /// The path of the file, if its outline was truncated.
        cut: Option<String>,
    },
}

fn parse(tree: &SourceTree, entry: &WalkedFile) -> Result<Parsed> {
    if entry.stamp.size > MAX_PARSED_BYTES || tree.is_repeated(entry) {
        return Ok(Parsed::TooLarge(entry.path.to_string()));
    }
    let file = SourceFile::read(&tree.root, &entry.path)?;
    Ok(file.map_or(Parsed::Gone, |file| {
        let document = file.into_document();
        Parsed::Headings {
            cut: document.is_cut().then(|| document.path.to_string()),
            found: headings(document),
        }
    }))
}

fn headings(doc: Document) -> Vec<OutlineEntry> {
    let Document { headings, path, .. } = doc;
    let listed = headings.into_iter().filter(Heading::is_listed);
    let entry = |heading: Heading| OutlineEntry {
        level: heading.level,
        heading: heading.text,
        file: path.clone(),
        line: heading.line,
    };
    listed.map(entry).collect()
}
