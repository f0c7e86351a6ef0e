//! `skc search`: finds the sections of one or all skills that match a query, best first.
//!
//! Design: C-SEARCH, C-QUERY-SYNTAX, D-EMPTY-QUERY-ORDER, R20, R24.

mod all;
mod context;
mod unmatched;

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_core::{Error, Pattern, RelPath, Result, SkillRef};
use skillc_storage::{Hit, Marking, Matching, SearchFault, SectionQuery, Unusable, raw_words};

use crate::access::Arguments;
use crate::build::compile_in_place;
use crate::indexed::{self, CheckedIndex};
use crate::lookup;
use crate::named::WILD;
use crate::notes::Notes;
use crate::operation::{Example, Operation, Scripts, tool_of};
use crate::tool::{Effect, Form, ResultText, Tool};
use crate::toolkit::Toolkit;

pub use context::ContextLines;
pub use unmatched::UnmatchedWord;

const DEFAULT_LIMIT: usize = 10;

/// The maximum size of a query, in bytes. Design: R20.
const MAX_QUERY_BYTES: usize = 4 << 10;

/// The maximum number of words in a raw query: the database compares each match of a word with each match of the other
/// words, and cannot be interrupted while it does so. Design: R20.
const MAX_RAW_WORDS: usize = 16;

/// Arguments of `skc search`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of its own on the command line"
)]
pub struct SearchRequest {
    /// Skill name or path; '*' or another glob for several
    // With `--all` on the command line, this is the first word of the query.
    pub skill: String,
    /// Words that must all occur, in any order
    #[cfg_attr(
        feature = "clap",
        arg(
            required_unless_present = "every",
            default_value = "",
            hide_default_value = true
        )
    )]
    pub query: String,
    /// More words
    // On the command line only: without quotes each word is an argument.
    #[cfg_attr(feature = "clap", arg(value_name = "WORD"))]
    #[serde(skip)]
    pub more_words: Vec<String>,
    /// Search all built skills (all arguments are query words)
    // On the command line only: a tool call names the skill '*'.
    #[cfg_attr(feature = "clap", arg(id = "every", long = "all"))]
    #[serde(skip)]
    #[schemars(skip)]
    pub all: bool,
    /// Maximum number of results
    #[cfg_attr(feature = "clap", arg(long, short, value_name = "N", default_value_t = DEFAULT_LIMIT))]
    #[serde(default = "default_limit")]
    pub limit: usize,
    /// Only files with these extensions, for example md,py
    #[cfg_attr(
        feature = "clap",
        arg(id = "type", long = "type", value_name = "EXT", value_delimiter = ',')
    )]
    #[serde(default, rename = "type")]
    pub types: Vec<String>,
    /// Only files that match this glob, for example 'references/*.md'
    #[cfg_attr(feature = "clap", arg(long, value_name = "GLOB"))]
    #[serde(default)]
    pub file: Option<String>,
    /// Lines to show before and after each match, up to 20
    // On the command line only: every session pays for the size of the tool list, and an agent can read the section.
    #[cfg_attr(
        feature = "clap",
        arg(
            id = "lines_around",
            long = "context",
            value_name = "N",
            default_value_t = 0
        )
    )]
    #[serde(skip)]
    #[schemars(skip)]
    pub context: usize,
    /// Match the words as a phrase
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(default)]
    pub phrase: bool,
    /// Use FTS5 query syntax: OR, NOT, NEAR, word*
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(default)]
    pub raw: bool,
    /// First build the indexes that are missing or out of date
    // On the command line only: the tool never writes.
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(skip)]
    #[schemars(skip)]
    pub build: bool,
}

impl SearchRequest {
    /// Returns all words as one query.
    fn query(&self) -> String {
        let first = self.all.then_some(&self.skill).into_iter();
        let words = first.chain([&self.query]).chain(&self.more_words);
        let words: Vec<&str> = words
            .map(String::as_str)
            .filter(|word| !word.is_empty())
            .collect();
        words.join(" ")
    }

    /// Returns the glob of the skills to search; `None` for a single skill.
    fn skill_glob(&self, cwd: &Path) -> Result<Option<Pattern>> {
        let glob = if self.all { "*" } else { &self.skill };
        // A directory name can contain glob characters.
        let is_glob = self.all || glob.contains(WILD) && !cwd.join(glob).exists();
        is_glob.then(|| Pattern::parse(glob)).transpose()
    }
}

const fn default_limit() -> usize {
    DEFAULT_LIMIT
}

/// Search results.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SearchResponse {
    /// Query as given
    pub query: String,
    /// Sections, best first
    pub results: Vec<SearchResult>,
    /// Words without matches, if there are no results
    // As for `read` below, the schema omits the fields.
    #[schemars(with = "Vec<AnyObject>")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unmatched: Vec<UnmatchedWord>,
    /// Skills that were skipped: not built, or changed since
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_searched: Vec<String>,
}

/// A section that matches.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SearchResult {
    /// Skill, if several were searched
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// File, relative to the skill's root
    pub file: String,
    /// Heading; empty for a whole file or text before the first heading
    pub section: String,
    /// Enclosing headings, outermost first
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub above: Vec<String>,
    /// Excerpt with matches between `[MATCH]` and `[/MATCH]`
    pub snippet: String,
    /// Higher is better: BM25, or by rank if several skills were searched
    pub score: f64,
    /// First line of the section, from 1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_line: Option<usize>,
    /// Line after the section
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<usize>,
    /// Lines around the match, if requested
    // Not in the schema: only the command has this field.
    #[schemars(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<ContextLines>,
    /// Call that returns the section
    // Its fields are left out of the schema: every session pays for the size of the tool list.
    #[schemars(with = "AnyObject")]
    pub read: ReadCall,
}

/// A schema for objects that does not describe their fields.
struct AnyObject;

impl JsonSchema for AnyObject {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "AnyObject".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "object" })
    }
}

/// The tool call that returns a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReadCall {
    /// Name of the tool
    pub tool: &'static str,
    /// Its arguments
    pub arguments: ReadArguments,
}

/// The arguments of a [`ReadCall`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReadArguments {
    /// Skill
    pub skill: String,
    /// File that contains the section
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line in the section
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// File to open in full
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl ReadCall {
    /// Returns the equivalent command line.
    pub fn command(&self) -> String {
        let ReadArguments {
            skill,
            file,
            line,
            path,
        } = &self.arguments;
        let name = self.tool.strip_prefix("skc_").unwrap_or(self.tool);
        let mut words = vec!["skc".to_owned(), name.to_owned(), quoted(skill)];
        words.extend(path.as_deref().map(quoted));
        if let Some(file) = file {
            words.extend(["--file".to_owned(), quoted(file)]);
        }
        if let Some(line) = line {
            words.extend(["--line".to_owned(), line.to_string()]);
        }
        words.join(" ")
    }
}

/// Quotes a word for a shell, if necessary.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./@:+,".contains(c);
    if !word.is_empty() && !word.starts_with('-') && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Implements `skc search`.
pub struct Search;

skillc_core::inventory::submit!(tool_of::<Search>());

impl Operation for Search {
    const NAME: &'static str = "search";
    const ABOUT: &'static str = "Search the sections of a built skill";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc search my-skill configure auth",
            does: "sections that contain both words",
        },
        Example {
            command: "skc search my-skill timeout --limit 3",
            does: "the three best matches",
        },
        Example {
            command: "skc search my-skill timeout -o json",
            does: "as JSON",
        },
        Example {
            command: "skc search --all rotate credentials --type md",
            does: "the Markdown files of all built skills",
        },
        Example {
            command: "skc search my-skill timeout --context 2",
            does: "with two lines before and after each match",
        },
        Example {
            command: "skc search my-skill --raw \"retry* OR timeout\"",
            does: "an FTS5 expression",
        },
    ];
    const TOOL: Option<Tool> = Some(Tool {
        name: "skc_search",
        title: "Search a skill",
        about: "Find the sections that contain all words, in a built skill or in all ('*'). Each result includes \
                the call to read it.",
        effect: Effect::Reads,
        form: Form::Response,
        text: ResultText::Json,
        gives_skill: true,
    });
    const SCRIPTS: Scripts = Scripts::Used;
    type Request = SearchRequest;
    type Response = SearchResponse;

    fn arguments(request: &SearchRequest) -> Arguments {
        Arguments::from([
            ("query", request.query().into()),
            ("result_count", 0.into()),
        ])
    }

    fn outcome(arguments: &mut Arguments, response: &SearchResponse) {
        arguments.set("result_count", response.results.len());
        if !response.unmatched.is_empty() {
            let words = response.unmatched.iter().map(|unmatched| &*unmatched.word);
            arguments.set("unmatched", words.collect::<Vec<_>>());
        }
    }

    fn run(toolkit: &Toolkit, request: SearchRequest, notes: &mut Notes) -> Result<SearchResponse> {
        let query = request.query();
        if query.len() > MAX_QUERY_BYTES {
            return Err(Error::invalid_option(format!(
                "query is longer than {MAX_QUERY_BYTES} bytes"
            )));
        }
        let search = SectionSearch::new(&request, &query)?;
        if let Some(skills) = request.skill_glob(&toolkit.context.cwd)? {
            search.check_not_blank()?;
            let (results, not_searched) =
                all::search(toolkit, &skills, &search, request.limit, notes)?;
            return Ok(SearchResponse {
                results,
                query,
                unmatched: Vec::new(),
                not_searched,
            });
        }
        let skill = &request.skill;
        let at = toolkit.find(skill, notes)?;
        search.check_not_blank()?;
        let (at, checked) = search.open(toolkit, at, notes)?;
        let failed = |fault: SearchFault| error_of(fault, toolkit, &at, &checked);
        let hits = search.hits(&checked, request.limit, &Marking::default());
        let hits = hits.map_err(failed)?;
        let unmatched = if hits.is_empty() && search.matching == Matching::Words {
            let found = unmatched::words(&checked.index, &query, &toolkit.stop);
            found.map_err(|reason| failed(SearchFault::Unusable(reason)))?
        } else {
            Vec::new()
        };
        let named = if *skill == at.name {
            at.name.clone()
        } else {
            name_in_calls(toolkit, &at)
        };
        let results = hits.into_iter().map(|hit| result(&named, hit));
        let mut results: Vec<_> = results.collect();
        for result in results.iter_mut().take(context::MAX_RESULTS) {
            result.context = search.context(&at, result);
        }
        Ok(SearchResponse {
            results,
            query,
            unmatched,
            not_searched: Vec::new(),
        })
    }
}

/// A validated search, which does not depend on the skill to search.
struct SectionSearch<'a> {
    text: &'a str,
    matching: Matching,
    /// Extensions in lower case, without the dot; empty for all.
    types: Vec<String>,
    file: Option<Pattern>,
    /// Lines before and after each match.
    context: usize,
    /// Whether to build indexes that are missing or out of date.
    builds: bool,
}

impl<'a> SectionSearch<'a> {
    fn new(request: &SearchRequest, text: &'a str) -> Result<Self> {
        let matching = match (request.raw, request.phrase) {
            (true, true) => return Err(Error::invalid_option("phrase: cannot be used with raw")),
            (true, false) if raw_words(text) > MAX_RAW_WORDS => {
                return Err(Error::invalid_option(format!(
                    "raw: the query has more than {MAX_RAW_WORDS} words"
                )));
            }
            (true, false) => Matching::Raw,
            (false, true) => Matching::Phrase,
            (false, false) => Matching::Words,
        };
        if request.context > context::MAX_LINES {
            return Err(Error::invalid_option(format!(
                "context: at most {} lines",
                context::MAX_LINES
            )));
        }
        let types = request.types.iter();
        let types = types.map(|kind| kind.trim().trim_start_matches('.').to_lowercase());
        Ok(Self {
            text,
            matching,
            types: types.filter(|kind| !kind.is_empty()).collect(),
            file: request.file.as_deref().map(Pattern::parse).transpose()?,
            context: request.context,
            builds: request.build,
        })
    }

    fn check_not_blank(&self) -> Result<()> {
        let is_blank = |b| matches!(b, b' ' | b'\t' | b'\n' | b'\r' | 0);
        if self.text.bytes().all(is_blank) {
            return Err(Error::EmptyQuery {});
        }
        Ok(())
    }

    /// Opens a skill's index. If the index cannot be used and building is requested, builds it first.
    fn open<'t>(
        &self,
        toolkit: &'t Toolkit,
        at: SkillRef,
        notes: &mut Notes,
    ) -> Result<(SkillRef, CheckedIndex<'t>)> {
        match indexed::open(toolkit, &at, notes) {
            Err(Error::IndexUnusable { .. }) if self.builds => {
                let built = compile_in_place(toolkit, at, notes)?;
                let checked = indexed::open(toolkit, &built, notes)?;
                Ok((built, checked))
            }
            opened => Ok((at, opened?)),
        }
    }

    /// Returns the lines around a result, if requested.
    fn context(&self, at: &SkillRef, result: &SearchResult) -> Option<ContextLines> {
        let is_wanted = self.context > 0;
        is_wanted.then(|| ContextLines::read(at, result, self.context))?
    }

    /// Returns the hits in an index, best first. `marking`: the budget for marking words in the hits.
    fn hits(
        &self,
        checked: &CheckedIndex<'_>,
        limit: usize,
        marking: &Marking,
    ) -> Result<Vec<Hit>, SearchFault> {
        let query = SectionQuery {
            text: self.text,
            matching: self.matching,
            limit,
            has_file: &|file| self.has_file(file),
            marking: Some(marking),
        };
        Ok(checked.index.search(&query)?.unwrap_or_default())
    }

    fn has_file(&self, file: &str) -> bool {
        if self.types.is_empty() && self.file.is_none() {
            return true;
        }
        let Ok(path) = RelPath::parse(file) else {
            return false;
        };
        let has_type = |kind: &String| path.has_extension(kind);
        (self.types.is_empty() || self.types.iter().any(has_type))
            && self.file.as_ref().is_none_or(|glob| glob.matches(&path))
    }
}

/// Creates the error for a failed search.
fn error_of(
    fault: SearchFault,
    toolkit: &Toolkit,
    at: &SkillRef,
    checked: &CheckedIndex<'_>,
) -> Error {
    match fault {
        SearchFault::Unusable(Unusable::Interrupted) => Error::InvalidOption {
            message: "the query takes too much time or memory".to_owned(),
            hint: Some("Search for fewer words, or for longer ones.".into()),
        },
        SearchFault::Unusable(reason) => checked.unreadable(toolkit, at, reason),
        SearchFault::Syntax(message) => {
            let message = message.strip_prefix("fts5: ").unwrap_or(&message);
            Error::invalid_option(format!("invalid FTS5 query: {message}"))
        }
    }
}

/// Returns the argument that identifies a skill in a tool call: its name, or its path if the name resolves to another
/// skill.
fn name_in_calls(toolkit: &Toolkit, at: &SkillRef) -> String {
    let named = lookup::find(&toolkit.context, &toolkit.stores, &at.name);
    if named.is_ok_and(|named| named.at.canonical == at.canonical) {
        return at.name.clone();
    }
    at.source.display().to_string()
}

/// Converts a hit to a result. `skill`: the argument that identifies the skill in a tool call.
fn result(skill: &str, hit: Hit) -> SearchResult {
    let line = hit.lines.map(|(start, _)| start);
    let (tool, file, path) = match line {
        Some(_) => ("skc_show", Some(hit.file.clone()), None),
        None => ("skc_open", None, Some(hit.file.clone())),
    };
    let skill = skill.to_owned();
    SearchResult {
        skill: None,
        file: hit.file,
        section: hit.section,
        above: hit.above,
        snippet: hit.snippet,
        score: hit.score,
        start_line: line,
        end_line: hit.lines.map(|(_, end)| end),
        context: None,
        read: ReadCall {
            tool,
            arguments: ReadArguments {
                skill,
                file,
                line,
                path,
            },
        },
    }
}
