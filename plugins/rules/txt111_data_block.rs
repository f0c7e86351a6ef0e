//! TXT111 data-block.

#![cfg(feature = "json")]

use serde::de::IgnoredAny;
use skillc_core::source::frontmatter::read_yaml;
use skillc_core::source::lines::char_floor;
use skillc_core::{CodeBlock, Document, Skill, Span, Value};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::mentions::has_word;

declare_rule! {
    /// Reports a code block labelled `json` or `yaml` that does not parse.
    ///
    /// ## Why
    /// Agents copy such a block into a file or a request. A trailing comma, an unclosed bracket or missing quotes then
    /// cause an error and a retry.
    ///
    /// There is one finding per file for JSON and one for YAML. Each lists up to five more blocks with their first
    /// errors.
    ///
    /// ## What is not reported
    /// Blocks that are meant to be read, not copied:
    ///
    /// - blocks with `...` or `…`, with variables such as `${name}` and `{{name}}`, or with `<name>`, `{name}` or
    ///   `[NAME]` on the line of the error
    /// - JSON with comments, single quotes or unquoted keys (JSONC and JSON5), with alternatives (`"a" | "b"`), with
    ///   calls such as `ObjectId(…)`, or with an unquoted word as a value (`"size": number`)
    /// - JSON that does not begin with `{`, `[` or `"`, such as an HTTP request with its headers
    /// - several JSON values in a row (JSON Lines), and parts of a list or an object that would be valid within
    ///   brackets
    /// - frontmatter followed by other text, and YAML with YAML directives (`%TAG`)
    /// - YAML with duplicate keys, YAML with aliases whose anchor is not in the block, and YAML in which every line is
    ///   a separate value
    /// - blocks that are wrong or truncated on purpose, according to the line or heading before them or to a comment in
    ///   the block
    ///
    /// Blocks larger than 64 KiB are not checked, and neither are blocks with another label (`jsonc`, `json5`) or
    /// without one. The rule only checks the syntax, not the fields of the data.
    ///
    /// ## Example
    /// ````markdown
    /// ```json
    /// { "depth": 3, }
    /// ```
    /// ````
    /// Write instead:
    /// ````markdown
    /// ```json
    /// { "depth": 3 }
    /// ```
    /// ````
    ///
    /// ## Source
    /// RFC 8259 (JSON), YAML 1.2.
    pub(crate) struct DataBlock {
        code: "TXT111",
        name: "data-block",
        severity: Warning,
        since: "0.3.0",
    }
}

/// The maximum number of blocks that are shown in addition to the first.
const MAX_SHOWN: usize = 5;

/// The size limit of a block, in bytes.
const MAX_BLOCK_BYTES: usize = 64 << 10;

/// The maximum number of keys and values in a YAML block.
const MAX_VALUES: usize = 20_000;

/// The maximum number of bytes before a block that are read to find the preceding line.
const MAX_LEAD_BYTES: usize = 1_000;

/// Words that mark a block as wrong on purpose or incomplete. They are in the line or heading before the block, or in a
/// comment in the block.
const ON_PURPOSE: &str = "wrong|bad|incorrect|incorrectly|invalid|truncated|broken|malformed|avoid|don't|do not|not valid|\
    pseudo|pseudocode|excerpt|abbreviated|fragment|anti-pattern|antipattern|never|schema|syntax error|parse error|❌|✗|✘|🚫|\
    错误|誤り|間違|잘못|避免";

/// The label of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    Json,
    Yaml,
}

/// An error in a block: a short description, and the byte offset in the block's text.
struct Fault {
    reason: String,
    at: usize,
}

impl Rule for DataBlock {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_document(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        for language in [Language::Json, Language::Yaml] {
            let blocks = doc.code_blocks.iter();
            let blocks = blocks.filter(|block| Language::from_block(block) == Some(language));
            let faults = blocks.filter_map(|block| {
                let text = text(doc, block)?;
                let fault = language.fault(&text)?;
                if is_on_purpose(doc, block) {
                    return None;
                }
                Some((place(doc, block, &text, fault.at), fault.reason))
            });
            let faults: Vec<(Span, String)> = faults.take(1 + MAX_SHOWN).collect();
            let Some((span, reason)) = faults.first() else {
                continue;
            };
            let line = doc.lines.line(span.start);
            let name = language.name();
            let message = format!("the block is not valid {name}: {reason}, on line {line}");
            let found = out.at(*span, message);
            for (span, reason) in &faults[1..] {
                found.label(*span, reason.clone());
            }
        }
    }
}

impl Language {
    fn from_block(block: &CodeBlock) -> Option<Self> {
        let info = block.info.as_deref()?;
        match info
            .split_whitespace()
            .next()?
            .to_ascii_lowercase()
            .as_str()
        {
            "json" => Some(Self::Json),
            "yaml" | "yml" => Some(Self::Yaml),
            _ => None,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Yaml => "YAML",
        }
    }

    fn fault(self, text: &str) -> Option<Fault> {
        const SKETCHES: [&str; 5] = ["...", "…", "${", "{{", "{%"];
        if SKETCHES.iter().any(|sign| text.contains(sign)) {
            return None;
        }
        let fault = match self {
            Self::Json => json_fault(text),
            Self::Yaml => yaml_fault(text),
        };
        fault.filter(|fault| !has_placeholder(line_at(text, fault.at)))
    }
}

/// Returns the content of a block; `None` if it is too large.
fn text(doc: &Document, block: &CodeBlock) -> Option<String> {
    let length: usize = block.content.iter().map(|span| span.end - span.start).sum();
    let content = block.content.iter();
    let pieces = content.map(|span| &doc.text[span.start..span.end]);
    (length <= MAX_BLOCK_BYTES).then(|| pieces.collect())
}

/// Returns the span of the line of the document that contains the byte `at` of a block's text. The span does not
/// include surrounding whitespace.
fn place(doc: &Document, block: &CodeBlock, text: &str, at: usize) -> Span {
    let at = at.min(text.trim_end().len().saturating_sub(1));
    let mut rest = at;
    let mut offset = block.span.start;
    for span in &block.content {
        let length = span.end - span.start;
        if rest < length {
            offset = span.start + rest;
            break;
        }
        rest -= length;
    }
    let line = doc.lines.line(offset);
    let range = doc.lines.range(line, line + 1);
    let content = block.content.iter().find(|span| offset < span.end);
    let start = content.map_or(range.start, |span| span.start.max(range.start));
    let line = &doc.text[start..range.end];
    let bare = line.trim_start();
    let start = start + line.len() - bare.len();
    Span::new(start, start + bare.trim_end().len())
}

/// Returns the line of `text` that contains the byte `at`.
fn line_at(text: &str, at: usize) -> &str {
    let at = char_floor(text, at);
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    text[start..].lines().next().unwrap_or_default()
}

/// Returns whether a line contains a placeholder: `<name>`, `{name}`, `[NAME]`, `a | b`, `name(`.
fn has_placeholder(line: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ' | '.');
    let is_enclosed = |open: char, close: char| {
        let mut parts = line.split(open).skip(1);
        parts.any(|part| {
            let rest = part.trim_start_matches(is_name);
            part.starts_with(char::is_alphabetic) && rest.starts_with(close)
        })
    };
    let is_call = |at: usize| line[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
    line.contains(" | ")
        || line.contains('<') && line.contains('>')
        || is_enclosed('{', '}')
        || is_enclosed('[', ']')
        || line.match_indices('(').any(|(at, _)| is_call(at))
}

fn json_fault(text: &str) -> Option<Fault> {
    let bare = text.trim();
    let (wrapped, added) = match bare.as_bytes().first()? {
        b'{' | b'[' => (text.to_owned(), 0),
        b'"' => (
            format!("{{{}\n}}", text.trim_end().trim_end_matches(',')),
            1,
        ),
        _ => return None,
    };
    let error = json_error(&wrapped)?;
    if is_json_in_parts(text, bare) || has_comment(text) {
        return None;
    }
    let before = wrapped
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1));
    let line: usize = before.map(str::len).sum();
    let at = char_floor(&wrapped, line + error.column().saturating_sub(1));
    let sign = wrapped[at..].chars().next();
    let last = wrapped[..at].trim_end();
    let reason = error.to_string();
    let reason = reason.split(" at line ").next().unwrap_or_default();
    let (reason, at) = match (reason, sign) {
        (_, Some('}' | ']')) if last.ends_with(',') => ("trailing comma", last.len() - 1),
        ("trailing comma", _) => ("trailing comma", last.len().saturating_sub(1)),
        ("trailing characters", Some('}' | ']')) => ("unexpected closing bracket", at),
        ("key must be a string" | "expected value" | "expected ident", Some(c))
            if c.is_alphanumeric() || matches!(c, '_' | '$' | '-' | '+' | '.') =>
        {
            return None;
        }
        // Do not report JSON5, text between several values, and deep nesting that other parsers may accept.
        (_, Some('\'' | '\u{2018}')) | ("trailing characters" | "recursion limit exceeded", _) => {
            return None;
        }
        ("EOF while parsing an object" | "EOF while parsing a list", _) => ("unclosed bracket", at),
        (reason, _) => (reason, at),
    };
    Some(Fault {
        reason: reason.replace('`', "'"),
        at: at.saturating_sub(added),
    })
}

fn json_error(text: &str) -> Option<serde_json::Error> {
    serde_json::from_str::<IgnoredAny>(text).err()
}

/// Returns whether `text` is a sequence of JSON values, or a part of a list or object.
fn is_json_in_parts(text: &str, bare: &str) -> bool {
    let bare = bare.strip_suffix(',').unwrap_or(bare);
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    values.all(|value| value.is_ok())
        || json_error(&format!("[{bare}\n]")).is_none()
        || json_error(&format!("{{{bare}\n}}")).is_none()
}

/// Returns whether `text` contains a comment, or something similar.
fn has_comment(text: &str) -> bool {
    let is_line = |line: &str| line.trim_start().starts_with(['#', '/']);
    text.lines().any(is_line)
        || [
            "/*", " //", "\t//", ",//", " # ", "<!--", "-->", " <--", "←",
        ]
        .iter()
        .any(|sign| text.contains(sign))
}

fn yaml_fault(text: &str) -> Option<Fault> {
    // A block that starts with `---` may be frontmatter followed by Markdown, which is not YAML.
    let is_head = text.trim_start().starts_with("---");
    // A YAML directive applies to the document after the next `---`, but the documents are parsed separately.
    if text.lines().any(|line| line.starts_with('%')) {
        return None;
    }
    let mut start = 0;
    let mut fault = None;
    for part in documents(text) {
        let at = start;
        start += part.len();
        let bare = part.strip_prefix("---").map_or("", str::trim_start);
        if part.trim().is_empty() || part.starts_with("---") && bare.is_empty() {
            continue;
        }
        if let Err(refusal) = read_yaml(part, MAX_VALUES) {
            fault = Some((refusal, at, part));
            break;
        }
        if is_head {
            return None;
        }
    }
    let (refusal, start, part) = fault?;
    let reason = refusal.reason;
    let rest = &part[char_floor(part, refusal.at.start)..];
    let is_bound = [
        "is set twice",
        "a second document",
        "has more than",
        "nested deeper",
    ];
    let is_alias = reason.contains("is an alias, but there is no anchor")
        && !rest.starts_with("*.")
        && !rest.starts_with("*/")
        && !rest.starts_with("**");
    if is_bound.iter().any(|words| reason.contains(words))
        || is_alias
        || is_lines(part)
        || says_wrong(part)
    {
        return None;
    }
    Some(Fault {
        reason,
        at: start + refusal.at.start,
    })
}

/// Splits YAML text before each line that starts a document.
fn documents(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest
            .match_indices("\n---")
            .map(|(at, _)| at + 1)
            .find(|at| {
                let line = rest[at + "---".len()..].lines().next();
                line.is_none_or(|line| line.trim().is_empty())
            });
        let end = end.unwrap_or(rest.len());
        let (part, next) = rest.split_at(end);
        rest = next;
        (!part.is_empty()).then_some(part)
    })
}

/// Returns whether every line of `text` is a single value. Such a block is a list of examples.
fn is_lines(text: &str) -> bool {
    text.lines().all(|line| {
        let read = read_yaml(line.trim(), MAX_VALUES);
        read.is_ok_and(|read| matches!(read.root.value, Value::Text(_) | Value::Null))
    })
}

/// Returns whether a comment in a block says that the block is wrong.
fn says_wrong(text: &str) -> bool {
    text.lines().any(|line| {
        let comment = line.split_once('#').map_or("", |(_, comment)| comment);
        has_word(&comment.to_lowercase(), ON_PURPOSE)
    })
}

/// Returns whether the line or the heading before a block says that the block is wrong.
fn is_on_purpose(doc: &Document, block: &CodeBlock) -> bool {
    let start = char_floor(&doc.text, block.span.start.saturating_sub(MAX_LEAD_BYTES));
    let start = start.max(doc.body_start.min(block.span.start));
    let before = doc.text[start..block.span.start].trim_end();
    let line = before.lines().next_back().unwrap_or_default();
    let heading = doc
        .headings
        .partition_point(|heading| heading.span.start < block.span.start);
    let heading = heading
        .checked_sub(1)
        .map_or("", |at| &*doc.headings[at].text);
    let heading = &heading[..char_floor(heading, MAX_LEAD_BYTES)];
    [line, heading]
        .into_iter()
        .any(|text| has_word(&text.to_lowercase(), ON_PURPOSE))
}
