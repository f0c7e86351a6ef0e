//! `skc sources`: the files of a skill as a tree.
//!
//! The response is a flat list in tree order: the JSON is this list, and the text form draws it as a tree.
//!
//! Design: C-SOURCES, D-DEPTH, D-SOURCES-LIMIT, D-SOURCES-JSON, D-SOURCES-ROOT.

use std::collections::BTreeMap;
use std::path::Path;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use skillc_core::source::{Located, locate};
use skillc_core::{Error, Pattern, RelPath, Result, SourceTree, Warning};

use crate::access::Arguments;
use crate::notes::Notes;
use crate::operation::{Example, Operation, tool_of};
use crate::similar_paths;
use crate::tool::{Effect, Form, ResultText, Tool};
use crate::toolkit::Toolkit;

const DEFAULT_LIMIT: usize = 100;

/// Arguments of `skc sources`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct SourcesRequest {
    /// Skill name or path
    pub skill: String,
    /// Number of levels to show, at least 1
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub depth: Option<usize>,
    /// Show only this folder
    #[cfg_attr(feature = "clap", arg(long, value_name = "PATH"))]
    #[serde(default)]
    pub dir: Option<String>,
    /// Maximum number of entries to show
    #[cfg_attr(feature = "clap", arg(long, short, value_name = "N", default_value_t = DEFAULT_LIMIT))]
    #[serde(default = "default_limit")]
    pub limit: usize,
    /// Only files that match this glob, for example *.md or docs/*.md
    #[cfg_attr(feature = "clap", arg(long, short, value_name = "GLOB"))]
    #[serde(default)]
    pub pattern: Option<String>,
}

const fn default_limit() -> usize {
    DEFAULT_LIMIT
}

/// The entries in tree order: at each level, first the directories, then the files, both sorted bytewise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcesResponse {
    /// The title of the tree: `my-skill`, `my-skill/references`.
    pub title: String,
    /// The directory shown, with symlinks resolved.
    pub dir: RelPath,
    /// The entries shown.
    pub entries: Vec<SourceEntry>,
}

/// A line of the tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum SourceEntry {
    /// A directory; has `files` if it is collapsed.
    Dir {
        /// Path, relative to the skill's root
        path: String,
        /// Number of files below a collapsed directory
        #[serde(skip_serializing_if = "Option::is_none")]
        files: Option<usize>,
    },
    /// A file.
    File {
        /// Path, relative to the skill's root
        path: String,
    },
    /// The end of a truncated list.
    Truncated {
        /// Number of entries omitted
        remaining: usize,
    },
}

impl Serialize for SourcesResponse {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.entries.serialize(serializer)
    }
}

impl JsonSchema for SourcesResponse {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "SourcesResponse".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<SourceEntry>::json_schema(generator)
    }
}

/// Implements `skc sources`.
pub struct Sources;

skillc_core::inventory::submit!(tool_of::<Sources>());

impl Operation for Sources {
    const NAME: &'static str = "sources";
    const ABOUT: &'static str = "List the files of a skill as a tree";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc sources my-skill",
            does: "all files, at most 100 entries",
        },
        Example {
            command: "skc sources my-skill --depth 2",
            does: "two levels, with counts of the files below",
        },
        Example {
            command: "skc sources my-skill --dir references -p \"*.md\"",
            does: "one folder, filtered by a glob",
        },
    ];
    const TOOL: Option<Tool> = Some(Tool {
        name: "skc_sources",
        title: "List files",
        about: "List the files of a skill as a tree.",
        effect: Effect::Reads,
        form: Form::Response,
        text: ResultText::Json,
        gives_skill: true,
    });
    type Request = SourcesRequest;
    type Response = SourcesResponse;

    fn arguments(request: &SourcesRequest) -> Arguments {
        Arguments::from([
            ("depth", request.depth.into()),
            ("dir", request.dir.clone().into()),
            ("limit", request.limit.into()),
            ("pattern", request.pattern.clone().into()),
        ])
    }

    fn run(
        toolkit: &Toolkit,
        request: SourcesRequest,
        notes: &mut Notes,
    ) -> Result<SourcesResponse> {
        if request.depth == Some(0) {
            return Err(Error::invalid_option("depth must be at least 1"));
        }
        let pattern = request.pattern.as_deref().map(Pattern::parse).transpose()?;
        let at = toolkit.find(&request.skill, notes)?;
        let (dir, asked) = directory(&at.canonical, request.dir.as_deref())?;
        let tree = SourceTree::read(&at.source)?;
        note_left_out(&tree, notes);

        let shown = tree
            .entries
            .iter()
            .filter(|entry| pattern.as_ref().is_none_or(|p| p.matches(&entry.path)));
        let root = Node::from_paths(shown.filter_map(|entry| entry.path.rest_below(&dir)));
        let mut entries = Vec::new();
        root.list(
            dir.as_str(),
            request.depth.unwrap_or(usize::MAX),
            &mut entries,
        );
        let remaining = entries.len().saturating_sub(request.limit);
        if remaining > 0 {
            entries.truncate(request.limit);
            entries.push(SourceEntry::Truncated { remaining });
        }
        let title = if asked.as_str().is_empty() {
            at.name
        } else {
            format!("{}/{asked}", at.name)
        };
        Ok(SourcesResponse {
            title,
            dir,
            entries,
        })
    }
}

/// Warns about file names that the walk had to skip.
pub(crate) fn note_left_out(tree: &SourceTree, notes: &mut Notes) {
    if tree.left_out.count > 0 {
        notes.warn(Warning::NamesLeftOut {
            count: tree.left_out.count,
            example: tree.left_out.example.clone(),
        });
    }
}

/// Returns two paths of the directory to show: with symlinks resolved, and as requested.
fn directory(root: &Path, asked: Option<&str>) -> Result<(RelPath, RelPath)> {
    let text = asked.unwrap_or_default();
    let path = RelPath::parse(text)?;
    let not_found = || Error::DirectoryNotFound {
        path: text.to_owned(),
        // The suggestions are optional: ignore errors.
        hint: SourceTree::read(root)
            .ok()
            .and_then(|tree| similar_paths::directory_hint(&tree, text)),
    };
    match locate(root, &path) {
        Located::Outside => Err(Error::path_escapes(text)),
        Located::Inside(full) if full.is_dir() => {
            let dir = RelPath::below(root, &full).ok_or_else(not_found)?;
            Ok((dir, path))
        }
        Located::Inside(_) | Located::Missing => Err(not_found()),
    }
}

/// A directory, with its subdirectories and files by name.
#[derive(Default)]
struct Node<'a> {
    dirs: BTreeMap<&'a str, Node<'a>>,
    files: Vec<&'a str>,
    count: usize,
}

impl<'a> Node<'a> {
    /// Builds the tree from paths sorted bytewise.
    fn from_paths(paths: impl Iterator<Item = &'a str>) -> Self {
        let mut root = Self::default();
        for path in paths {
            let mut node = &mut root;
            node.count += 1;
            let (dirs, name) = path
                .rsplit_once('/')
                .map_or((None, path), |(dirs, name)| (Some(dirs), name));
            for dir in dirs.into_iter().flat_map(|dirs| dirs.split('/')) {
                node = node.dirs.entry(dir).or_default();
                node.count += 1;
            }
            node.files.push(name);
        }
        root
    }

    /// Lists the entries below `at`, `depth` levels deep. The recursion depth is the number of path components, which
    /// the operating system limits.
    fn list(&self, at: &str, depth: usize, out: &mut Vec<SourceEntry>) {
        let join = |name: &str| {
            if at.is_empty() {
                name.to_owned()
            } else {
                format!("{at}/{name}")
            }
        };
        for (name, node) in &self.dirs {
            let path = join(name);
            if depth == 1 {
                out.push(SourceEntry::Dir {
                    path,
                    files: Some(node.count),
                });
            } else {
                out.push(SourceEntry::Dir {
                    path: path.clone(),
                    files: None,
                });
                node.list(&path, depth - 1, out);
            }
        }
        out.extend(
            self.files
                .iter()
                .map(|name| SourceEntry::File { path: join(name) }),
        );
    }
}
