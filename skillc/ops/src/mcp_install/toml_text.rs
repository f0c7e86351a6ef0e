//! Edits of hand-written TOML.
//!
//! An entry is added as a separate table at the end, after an empty line; removing it also removes that empty line. A
//! missing final newline stays missing.

use skillc_core::mcp_config::{EntryValue, McpConfig};
use skillc_core::toml_cost;
use toml_edit::{Array, Document, InlineTable, Item, Table, TableLike, Value};

use crate::mcp_install::edit::{Edited, cut, line_end};
use crate::mcp_install::entry::{SERVER, Seen, SeenEntry};

/// The maximum memory that the parser may use for a client's configuration, in bytes.
const MAX_CLIENT_COST: usize = 256 << 20;

pub(crate) fn find(config: &McpConfig, text: &str) -> Edited<Option<SeenEntry>> {
    let document = parse(text)?;
    let servers = servers(config, &document)?;
    Ok(servers.and_then(|servers| servers.get(SERVER)).map(seen))
}

pub(crate) fn set(
    config: &McpConfig,
    text: &str,
    entry: &[(String, EntryValue)],
) -> Edited<String> {
    let without = remove(config, text)?;
    if let Some(Servers::Inline(_)) = servers(config, &parse(&without)?)? {
        return Err(format!(
            "has '{}' as an inline table, which skc does not edit",
            config.key.join(".")
        ));
    }
    let line = line_end(text);
    let block = block(&config.key, entry, line);
    Ok(if without.is_empty() {
        block
    } else if without.ends_with('\n') {
        format!("{without}{line}{block}")
    } else {
        format!(
            "{without}{line}{line}{}",
            block.trim_end_matches(['\r', '\n'])
        )
    })
}

/// Creates the entry's table.
pub(crate) fn block(keys: &[String], entry: &[(String, EntryValue)], line: &str) -> String {
    let lines = entry
        .iter()
        .map(|(key, value)| format!("{key} = {}{line}", written(value)));
    format!(
        "[{}.{SERVER}]{line}{}",
        keys.join("."),
        lines.collect::<String>()
    )
}

pub(crate) fn remove(config: &McpConfig, text: &str) -> Edited<String> {
    let document = parse(text)?;
    let Some(servers) = servers(config, &document)? else {
        return Ok(text.to_owned());
    };
    let Some((key, item)) = servers.get_key_value(SERVER) else {
        return Ok(text.to_owned());
    };
    let unusual =
        || format!("has '{SERVER}' as dotted keys or an inline table, which skc does not edit");
    let mut ranges = Vec::new();
    match item {
        Item::Table(table) if !table.is_dotted() => blocks(text, table, &mut ranges),
        Item::Value(value) if servers.is_table() => {
            let span = key.span().zip(value.span()).ok_or_else(unusual)?;
            ranges.push((line_start(text, span.0.start), after_line(text, span.1.end)));
        }
        _ => return Err(unusual()),
    }
    Ok(cut(text, ranges))
}

fn parse(text: &str) -> Edited<Document<&str>> {
    if let Some(reason) = toml_cost::refusal(text, MAX_CLIENT_COST) {
        return Err(format!("cannot be parsed: {reason}"));
    }
    Document::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let line = text.get(..at).unwrap_or_default().matches('\n').count() + 1;
        format!("is not valid TOML: {} on line {line}", error.message())
    })
}

/// The table of servers: with a header, with dotted keys, or inline.
enum Servers<'a> {
    Table(&'a Table),
    Inline(&'a InlineTable),
}

impl<'a> Servers<'a> {
    fn get(&self, key: &str) -> Option<&'a Item> {
        self.get_key_value(key).map(|(_, item)| item)
    }

    fn get_key_value(&self, key: &str) -> Option<(&'a toml_edit::Key, &'a Item)> {
        match self {
            Self::Table(table) => table.get_key_value(key),
            Self::Inline(table) => table.get_key_value(key),
        }
    }

    fn is_table(&self) -> bool {
        matches!(self, Self::Table(_))
    }
}

/// Finds the table that contains one entry per server.
fn servers<'a>(config: &McpConfig, document: &'a Document<&str>) -> Edited<Option<Servers<'a>>> {
    let mut table = document.as_table();
    for (at, key) in config.key.iter().enumerate() {
        match table.get(key) {
            None => return Ok(None),
            Some(Item::Table(next)) => table = next,
            Some(Item::Value(Value::InlineTable(inline))) if at + 1 == config.key.len() => {
                return Ok(Some(Servers::Inline(inline)));
            }
            Some(other) => {
                return Err(format!(
                    "sets '{key}' to a value of type {} instead of a table",
                    other.type_name()
                ));
            }
        }
    }
    Ok(Some(Servers::Table(table)))
}

fn seen(item: &Item) -> SeenEntry {
    let Some(table) = item.as_table_like() else {
        return SeenEntry::new();
    };
    let texts = |list: &Array| {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        list.iter().map(text).collect::<Option<Vec<String>>>()
    };
    let one = |item: &Item| match item.as_value() {
        Some(Value::String(text)) => Seen::Text(text.value().clone()),
        Some(Value::Boolean(truth)) => Seen::Bool(*truth.value()),
        Some(Value::Array(list)) => texts(list).map_or(Seen::Other, Seen::List),
        _ => Seen::Other,
    };
    table
        .iter()
        .map(|(key, item)| (key.to_owned(), one(item)))
        .collect()
}

fn written(value: &EntryValue) -> String {
    let text = |text: &str| Value::from(text).to_string();
    match value {
        EntryValue::Bool(value) => value.to_string(),
        EntryValue::Number(value) => value.to_string(),
        EntryValue::Text(value) => text(value),
        EntryValue::List(list) => {
            let list: Vec<String> = list.iter().map(|value| text(value)).collect();
            format!("[{}]", list.join(", "))
        }
    }
}

/// Collects the ranges of a table and of its subtables that have headers.
fn blocks(text: &str, table: &Table, ranges: &mut Vec<(usize, usize)>) {
    if let Some(header) = table.span().filter(|_| !table.is_implicit()) {
        let end = after_line(text, own_end(table, header.end));
        ranges.push((
            without_blank_line(text, line_start(text, header.start), end),
            end,
        ));
    }
    for (_, item) in table {
        match item {
            Item::Table(below) if !below.is_dotted() => blocks(text, below, ranges),
            Item::ArrayOfTables(list) => list.iter().for_each(|below| blocks(text, below, ranges)),
            _ => {}
        }
    }
}

/// Returns the end of the last value under a table's own header.
fn own_end(table: &dyn TableLike, end: usize) -> usize {
    let ends = table.iter().map(|(_, item)| match item {
        Item::Value(value) => value.span().map_or(0, |span| span.end),
        Item::Table(below) if below.is_dotted() => own_end(below, 0),
        _ => 0,
    });
    ends.fold(end, usize::max)
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

fn after_line(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |end| at + end + 1)
}

/// Returns the start of a block, including a preceding empty line and, if the block's last line has no newline, the
/// newline before the block.
fn without_blank_line(text: &str, start: usize, end: usize) -> usize {
    let without_line_end = |text: &str| {
        let rest = text.strip_suffix('\n')?;
        Some(rest.strip_suffix('\r').unwrap_or(rest).len())
    };
    let before = without_line_end(&text[..start]).filter(|at| text[..*at].ends_with('\n'));
    let start = before.unwrap_or(start);
    let is_open = end == text.len() && !text.ends_with('\n');
    let opened = without_line_end(&text[..start]).filter(|_| is_open);
    opened.unwrap_or(start)
}
