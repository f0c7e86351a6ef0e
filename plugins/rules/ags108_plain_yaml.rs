//! AGS108 plain-yaml.

use skillc_core::{Document, Field, Frontmatter, Skill, Span, Value};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

declare_rule! {
    /// Reports frontmatter that is valid YAML but not supported by the standard's parser.
    ///
    /// ## Why
    /// The parser of the standard's library supports a subset of YAML and rejects a skill that uses any of these:
    ///
    /// - lists and maps in brackets: `[a, b]`, `{a: b}`
    /// - anchors, aliases and tags: `&a`, `*a`, `!!str`
    ///
    /// The parser also ends the frontmatter at the next `---`, even if it is in a description or a comment. The fields
    /// after this `---` are lost, or the frontmatter becomes invalid. Clients with similarly simple parsers behave the
    /// same way.
    ///
    /// The rule is disabled by default: the text of the standard allows any YAML, and most clients support all of it.
    ///
    /// ## Example
    /// ```yaml
    /// allowed-tools: [Read, Grep]
    /// description: Makes tables --- use when rows must line up.
    /// ```
    /// Write instead:
    /// ```yaml
    /// allowed-tools:
    ///   - Read
    ///   - Grep
    /// description: Makes tables. Use when rows must line up.
    /// ```
    ///
    /// ## Source
    /// The parser of skills-ref, the library of the Agent Skills standard (2026-08-09).
    pub(crate) struct PlainYaml {
        code: "AGS108",
        name: "plain-yaml",
        severity: Warning,
        since: "0.3.0",
        activation: OnRequest,
    }
}

impl Rule for PlainYaml {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        let Frontmatter::Valid(fields) = &doc.frontmatter else {
            return;
        };
        if let Some(at) = inner_delimiter(&doc.text[..doc.body_start]) {
            out.at(
                at,
                "the standard's parser ends the frontmatter at this '---'",
            )
            .help("avoid three consecutive dashes");
        }
        let mut found = Vec::new();
        for field in fields.iter() {
            look_at_field(field, &doc.text, &mut found);
        }
        for (at, beyond) in found {
            out.at(at, refused(beyond)).help(beyond.instead());
        }
    }
}

/// A construct that the standard's parser does not support.
#[derive(Clone, Copy)]
enum Beyond {
    List,
    Map,
    Anchor,
    Alias,
    Tag,
}

impl Beyond {
    const fn words(self) -> &'static str {
        match self {
            Self::List => "a list in brackets",
            Self::Map => "a map in braces",
            Self::Anchor => "an anchor",
            Self::Alias => "an alias",
            Self::Tag => "a tag",
        }
    }

    const fn instead(self) -> &'static str {
        match self {
            Self::List => "write one entry per line, each after '- '",
            Self::Map => "write one 'key: value' per line",
            Self::Anchor | Self::Alias => "repeat the value instead",
            Self::Tag => "remove it, and quote the value if it should be a string",
        }
    }
}

type BeyondPlain = Vec<(Span, Beyond)>;

fn look_at_field(field: &Field, text: &str, found: &mut BeyondPlain) {
    look(
        &field.value,
        field.key_span.end,
        field.value_span,
        text,
        found,
    );
}

/// Checks a value. An anchor or a tag of the value can be anywhere between `from` and the value.
fn look(value: &Value, from: usize, at: Span, text: &str, found: &mut BeyondPlain) {
    found.extend(properties(text, from, at.start));
    match (value, text[at.start..].chars().next()) {
        (Value::Null, _) => {}
        (_, Some('*')) => found.push((at, Beyond::Alias)),
        (Value::List(_), Some('[')) => found.push((at, Beyond::List)),
        (Value::Map(_), Some('{')) => found.push((at, Beyond::Map)),
        (Value::List(items), _) => {
            let mut from = at.start;
            for item in items.iter() {
                look(&item.value, from, item.span, text, found);
                from = item.span.end;
            }
        }
        (Value::Map(fields), _) => {
            for field in fields.iter() {
                look_at_field(field, text, found);
            }
        }
        (Value::Text(_), _) => {}
    }
}

/// Finds the anchors and tags of a value. They are between the key, or the previous list entry, and the value.
fn properties(text: &str, from: usize, to: usize) -> BeyondPlain {
    let mut found = Vec::new();
    let mut at = from;
    let lines = text.get(from..to).unwrap_or_default().split_inclusive('\n');
    for line in lines {
        let words = line.split_whitespace();
        for word in words.take_while(|word| !word.starts_with('#')) {
            let kind = match word.chars().next() {
                Some('&') => Beyond::Anchor,
                Some('!') => Beyond::Tag,
                _ => continue,
            };
            if let Some(start) = line.find(word).map(|offset| at + offset) {
                found.push((Span::new(start, start + word.len()), kind));
            }
        }
        at += line.len();
    }
    found
}

/// Returns the first `---` between the two delimiters of the frontmatter. `head`: the file up to the end of the closing
/// delimiter.
fn inner_delimiter(head: &str) -> Option<Span> {
    let first = head.find("---")? + 3;
    let last = head.rfind("---")?;
    let at = first + head.get(first..)?.find("---")?;
    (at < last).then(|| Span::new(at, at + 3))
}

fn refused(beyond: Beyond) -> String {
    format!("the standard's parser does not support {}", beyond.words())
}
