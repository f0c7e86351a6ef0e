//! Writes JSON in the style of the surrounding file.

use jsonc_parser::ast::Object;
use skillc_core::mcp_config::EntryValue;

use crate::mcp_install::edit::line_end;
use crate::mcp_install::entry::SERVER;
use crate::mcp_install::json_text::{line_indent, own_line_indent};

/// The default indentation.
const UNIT: &str = "  ";

/// The style of a file.
pub(crate) struct Style {
    /// The line ending.
    pub line_end: &'static str,
    /// Whether the whole file is on one line.
    pub is_one_line: bool,
    /// Whether colons and commas are followed by a space.
    pub is_spaced: bool,
    /// The indentation per level.
    unit: String,
}

impl Style {
    /// Returns the style of new files.
    pub(crate) fn new(line_end: &'static str) -> Self {
        Self {
            line_end,
            is_one_line: false,
            is_spaced: true,
            unit: UNIT.to_owned(),
        }
    }

    /// Detects the style of JSON text from its root object.
    pub(crate) fn detect(text: &str, root: &Object<'_>) -> Self {
        let first = root.properties.first();
        let base = line_indent(text, root.range.start);
        let own = first.and_then(|prop| own_line_indent(text, prop));
        let unit = own
            .and_then(|indent| indent.strip_prefix(base))
            .filter(|unit| !unit.is_empty());
        let is_one_line = first.is_some() && !text.trim_end().contains('\n');
        let colon = first.map(|prop| &text[prop.range.start..]);
        let is_tight = |rest: &str| {
            let value = rest.find(':').map(|at| &rest[at + 1..]);
            value.is_some_and(|value| !value.starts_with([' ', '\t', '\r', '\n']))
        };
        Self {
            line_end: line_end(text),
            is_one_line,
            is_spaced: !colon.is_some_and(is_tight),
            unit: unit.unwrap_or(UNIT).to_owned(),
        }
    }

    /// Returns the indentation of the next level.
    pub(crate) fn deeper(&self, indent: &str) -> String {
        indent.to_owned() + self.unit.as_str()
    }

    fn blank(&self) -> &'static str {
        if self.is_spaced { " " } else { "" }
    }
}

/// A value to write.
pub(crate) enum Tree {
    Leaf(EntryValue),
    Node(Vec<(String, Tree)>),
}

impl Tree {
    /// Creates an object from keys and values.
    pub(crate) fn from_pairs(pairs: &[(String, EntryValue)]) -> Self {
        Self::Node(members(pairs))
    }

    /// Writes the value; lines after the first start with `indent`.
    pub(crate) fn write(&self, style: &Style, indent: &str) -> String {
        match self {
            Self::Leaf(value) => leaf(value, style),
            Self::Node(members) if style.is_one_line => {
                let members = members
                    .iter()
                    .map(|(key, tree)| tree.write_member(key, style, indent));
                let comma = format!(",{}", style.blank());
                format!("{{{}}}", members.collect::<Vec<_>>().join(&comma))
            }
            Self::Node(members) => {
                let deep = style.deeper(indent);
                let line = |(key, tree): &(String, Self)| {
                    format!(
                        "{}{deep}{}",
                        style.line_end,
                        tree.write_member(key, style, &deep)
                    )
                };
                let lines = members.iter().map(line).collect::<Vec<_>>().join(",");
                format!("{{{lines}{}{indent}}}", style.line_end)
            }
        }
    }

    pub(crate) fn write_member(&self, key: &str, style: &Style, indent: &str) -> String {
        let value = self.write(style, indent);
        format!("{}:{}{value}", quoted(key), style.blank())
    }
}

/// Creates the content of a new file: the members that its client requires, and the entry below the given keys.
pub(crate) fn whole(preamble: &[(String, EntryValue)], keys: &[String], entry: Tree) -> Tree {
    let keys = keys.iter().rev();
    let servers = keys.fold((SERVER.to_owned(), entry), |member, key| {
        (key.clone(), Tree::Node(vec![member]))
    });
    let mut root = members(preamble);
    root.push(servers);
    Tree::Node(root)
}

/// Creates the members of an object.
fn members(pairs: &[(String, EntryValue)]) -> Vec<(String, Tree)> {
    let member = |(key, value): &(String, EntryValue)| (key.clone(), Tree::Leaf(value.clone()));
    pairs.iter().map(member).collect()
}

fn leaf(value: &EntryValue, style: &Style) -> String {
    match value {
        EntryValue::Bool(value) => value.to_string(),
        EntryValue::Number(value) => value.to_string(),
        EntryValue::Text(text) => quoted(text),
        EntryValue::List(list) => {
            let list: Vec<String> = list.iter().map(|text| quoted(text)).collect();
            format!("[{}]", list.join(&format!(",{}", style.blank())))
        }
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
