//! `skc search`: the sections that have all the words, best first.
//!
//! Design: C-SEARCH, C-QUERY-SYNTAX, D-EMPTY-QUERY-ORDER, R20, R24.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_core::{Error, Result};

use crate::access::Arguments;
use crate::indexed;
use crate::notes::Notes;
use crate::operation::{Example, Operation, Scripts, tool_of};
use crate::tool::{Effect, Form, ResultText, Tool};
use crate::toolkit::Toolkit;

/// The default limit on results.
const DEFAULT_LIMIT: usize = 10;

/// The longest query, in bytes. Design: R20.
const MAX_QUERY_BYTES: usize = 4 << 10;

/// Arguments of `skc search`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct SearchRequest {
    /// Skill name or path
    pub skill: String,
    /// Words that must all occur, in any order
    pub query: String,
    /// More words
    // On the command line only: without quotes each word is an argument.
    #[cfg_attr(feature = "clap", arg(value_name = "WORD"))]
    #[serde(skip)]
    pub more_words: Vec<String>,
    /// Maximum number of results
    #[cfg_attr(feature = "clap", arg(long, short, value_name = "N", default_value_t = DEFAULT_LIMIT))]
    #[serde(default = "default_limit")]
    pub limit: usize,
}

impl SearchRequest {
    /// Returns all words as one query.
    fn query(&self) -> String {
        let more = self.more_words.iter();
        more.fold(self.query.clone(), |query, word| format!("{query} {word}"))
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
}

/// A section that matches.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SearchResult {
    /// File, relative to the skill's root
    pub file: String,
    /// Heading; empty for a whole file or text before the first heading
    pub section: String,
    /// Excerpt with matches between `[MATCH]` and `[/MATCH]`
    pub snippet: String,
    /// BM25 score; higher is better
    pub score: f64,
    /// First line of the section, from 1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_line: Option<usize>,
    /// Line after the section
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<usize>,
}

/// The operation.
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
    ];
    const TOOL: Option<Tool> = Some(Tool {
        name: "skc_search",
        title: "Search a skill",
        about: "Find the sections of a built skill that have all the words. Read one with skc_show: by its \
                heading, or by its file and start_line.",
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
    }

    fn run(toolkit: &Toolkit, request: SearchRequest, notes: &mut Notes) -> Result<SearchResponse> {
        let query = request.query();
        if query.len() > MAX_QUERY_BYTES {
            return Err(Error::invalid_option(format!(
                "query is longer than {MAX_QUERY_BYTES} bytes"
            )));
        }
        let at = toolkit.find(&request.skill, notes)?;
        if query
            .bytes()
            .all(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r' | 0))
        {
            return Err(Error::EmptyQuery {});
        }
        let checked = indexed::open(toolkit, &at, notes)?;
        let hits = checked.index.search(&query, request.limit);
        let hits = hits
            .map_err(|_| checked.unreadable(toolkit, &at))?
            .unwrap_or_default();
        let results = hits.into_iter().map(|hit| SearchResult {
            file: hit.file,
            section: hit.section,
            snippet: hit.snippet,
            score: hit.score,
            start_line: hit.lines.map(|(start, _)| start),
            end_line: hit.lines.map(|(_, end)| end),
        });
        Ok(SearchResponse {
            results: results.collect(),
            query,
        })
    }
}
