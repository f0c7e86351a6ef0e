//! Edits lists of tables in a configuration file: `skills.override`, `permissions.allow`, `permissions.deny`.
//!
//! The rest of the file is preserved, comments included, and a list keeps its form: tables with headers, or inline
//! tables.
//!
//! Design: catalog-config.

use skillc_core::toml_cost::{self, MAX_CONFIG_COST};
use toml_edit::{
    Array, ArrayOfTables, DocumentMut, InlineTable, Item, RawString, Table, TableLike, Value,
};

/// A list of tables in a configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct List {
    /// The table that contains the list.
    pub table: &'static str,
    /// The list's key in that table.
    pub key: &'static str,
    /// Whether the tables of a new list have headers.
    pub has_headers: bool,
}

/// A parsed configuration file.
pub(super) struct ConfigDoc {
    doc: DocumentMut,
    /// The text of the document when it was parsed.
    before: String,
    has_mark: bool,
    has_crlf: bool,
}

impl ConfigDoc {
    /// Parses a file.
    ///
    /// # Errors
    /// A description of the fault, worded to follow the file's name.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let body = text.strip_prefix('\u{feff}');
        let has_mark = body.is_some();
        let body = body.unwrap_or(text);
        let has_crlf =
            body.contains('\n') && body.matches("\r\n").count() == body.matches('\n').count();
        let before = if has_crlf {
            body.replace("\r\n", "\n")
        } else {
            body.to_owned()
        };
        if let Some(reason) = toml_cost::refusal(&before, MAX_CONFIG_COST) {
            return Err(format!("cannot be parsed: {reason}"));
        }
        let doc: DocumentMut = before.parse().map_err(|error: toml_edit::TomlError| {
            let at = error.span().map_or(0, |span| span.start);
            let line = before.get(..at).unwrap_or_default().matches('\n').count() + 1;
            let message = error
                .message()
                .lines()
                .next()
                .unwrap_or_default()
                .to_owned();
            format!("is not valid TOML: {message} on line {line}")
        })?;
        match doc.get("version").map(Item::as_integer) {
            None | Some(Some(1..)) => {}
            Some(_) => return Err("has an unsupported 'version'".to_owned()),
        }
        Ok(Self {
            doc,
            before,
            has_mark,
            has_crlf,
        })
    }

    /// Returns the tables of a list, with `None` for each element of another type; empty if the list does not exist.
    ///
    /// # Errors
    /// A description of the fault, worded to follow the file's name.
    pub(super) fn items(&self, list: List) -> Result<Vec<Option<&dyn TableLike>>, String> {
        let Some(table) = self.doc.get(list.table) else {
            return Ok(Vec::new());
        };
        let odd = |what: &str, item: &Item, wanted: &str| {
            Err(format!(
                "sets '{what}' to a value of type {} instead of {wanted}",
                item.type_name()
            ))
        };
        let Some(parent) = table.as_table_like() else {
            return odd(list.table, table, "a table");
        };
        match parent.get(list.key) {
            None => Ok(Vec::new()),
            Some(Item::ArrayOfTables(tables)) => {
                let tables = tables.iter().map(|table| table as &dyn TableLike);
                Ok(tables.map(Some).collect())
            }
            Some(Item::Value(Value::Array(array))) => {
                let tables = array.iter().map(Value::as_inline_table);
                Ok(tables
                    .map(|table| table.map(|table| table as &dyn TableLike))
                    .collect())
            }
            Some(other) => odd(&format!("{}.{}", list.table, list.key), other, "a list"),
        }
    }

    /// Appends a table to a list. Creates the list if it is missing.
    pub(super) fn push(&mut self, list: List, fields: Vec<(&str, Value)>) {
        let parent = self.doc.entry(list.table).or_insert_with(|| {
            let mut table = Table::new();
            table.set_implicit(list.has_headers);
            Item::Table(table)
        });
        let has_header = parent.as_table().is_some_and(|table| !table.is_dotted());
        let is_inline = parent.is_inline_table();
        let Some(parent) = parent.as_table_like_mut() else {
            return;
        };
        let item = parent.entry(list.key).or_insert_with(|| {
            if list.has_headers && has_header {
                Item::ArrayOfTables(ArrayOfTables::new())
            } else {
                Item::Value(Value::Array(Array::new()))
            }
        });
        match item {
            Item::ArrayOfTables(tables) => {
                let mut table = Table::new();
                for (key, value) in fields {
                    table.insert(key, Item::Value(value));
                }
                tables.push(table);
            }
            Item::Value(Value::Array(array)) => push_inline(array, fields, is_inline),
            _ => {}
        }
    }

    /// Removes a table from a list, keeping comments above it. If the list is then empty, it is removed too, unless
    /// it has a comment.
    pub(super) fn remove(&mut self, list: List, at: usize) {
        let Some(parent) = self
            .doc
            .get_mut(list.table)
            .and_then(Item::as_table_like_mut)
        else {
            return;
        };
        let mut comment = None;
        let is_empty = match parent.get_mut(list.key) {
            Some(Item::ArrayOfTables(tables)) => {
                let table = tables.remove(at);
                let above = raw(table.decor().prefix()).to_owned();
                comment = above.contains('#').then(|| (above, table.position()));
                tables.is_empty()
            }
            Some(Item::Value(Value::Array(array))) => {
                remove_inline(array, at);
                array.is_empty() && !raw(Some(array.trailing())).contains('#')
            }
            _ => false,
        };
        if is_empty {
            let key = parent
                .key(list.key)
                .map(|key| raw(key.leaf_decor().prefix()));
            if !key.is_some_and(|above| above.contains('#')) {
                parent.remove(list.key);
            }
        }
        if let Some((above, position)) = comment {
            self.put_below(&above, position.unwrap_or(isize::MAX));
        }
    }

    /// Sets a key of a table in a list, keeping a comment on the same line.
    pub(super) fn set(&mut self, list: List, at: usize, key: &str, value: impl Into<Value>) {
        let parent = self
            .doc
            .get_mut(list.table)
            .and_then(Item::as_table_like_mut);
        let table: Option<&mut dyn TableLike> =
            match parent.and_then(|parent| parent.get_mut(list.key)) {
                Some(Item::ArrayOfTables(tables)) => tables.get_mut(at).map(|table| table as _),
                Some(Item::Value(Value::Array(array))) => {
                    let table = array.get_mut(at).and_then(Value::as_inline_table_mut);
                    table.map(|table| table as _)
                }
                _ => None,
            };
        let Some(table) = table else { return };
        let mut value = value.into();
        if let Some(old) = table.get(key).and_then(Item::as_value) {
            *value.decor_mut() = old.decor().clone();
        }
        table.insert(key, Item::Value(value));
    }

    pub(super) fn text(&self) -> String {
        let text = self.with_last_comment_in_place(self.doc.to_string());
        let mark = if self.has_mark { "\u{feff}" } else { "" };
        let text = if self.has_crlf {
            text.replace('\n', "\r\n")
        } else {
            text
        };
        format!("{mark}{text}")
    }

    /// Moves a newly appended table below the file's trailing comment, because `toml_edit` puts it above the comment.
    fn with_last_comment_in_place(&self, text: String) -> String {
        let comment = raw(Some(self.doc.trailing()));
        let added = self.before.strip_suffix(comment).and_then(|body| {
            let added = text.strip_prefix(body)?.strip_suffix(comment)?;
            Some((body, added)).filter(|(_, added)| !added.is_empty())
        });
        match added {
            Some((body, added)) if comment.contains('#') => {
                let end = if comment.ends_with('\n') { "" } else { "\n" };
                format!("{body}{comment}{end}{added}")
            }
            _ => text,
        }
    }

    /// Puts a comment above the first table after a position, or at the end of the file if there is no such table.
    fn put_below(&mut self, comment: &str, position: isize) {
        let comment = comment.trim_end();
        let mut next = None;
        positions(self.doc.as_table(), &mut |at| {
            if at > position && next.is_none_or(|next| at < next) {
                next = Some(at);
            }
        });
        if let Some(table) = next.and_then(|next| table_at(self.doc.as_table_mut(), next)) {
            let below = raw(table.decor().prefix()).to_owned();
            table.decor_mut().set_prefix(format!("{comment}\n{below}"));
        } else {
            let below = raw(Some(self.doc.trailing())).to_owned();
            self.doc.set_trailing(format!("{comment}\n{below}"));
        }
    }
}

/// Adds an inline table on its own line, unless the existing tables share a line. In an empty list, `is_inline` keeps
/// the table on the same line.
fn push_inline(array: &mut Array, fields: Vec<(&str, Value)>, is_inline: bool) {
    let mut value = Value::InlineTable(fields.into_iter().collect::<InlineTable>());
    let trailing = raw(Some(array.trailing())).to_owned();
    let at = array.len().wrapping_sub(1);
    let last = array.get_mut(at);
    let Some(last) = last else {
        if is_inline {
            array.push(value);
            return;
        }
        let comment = trailing.trim_end();
        *value.decor_mut() = toml_edit::Decor::new(format!("{comment}\n  "), "");
        array.push_formatted(value);
        array.set_trailing("\n");
        array.set_trailing_comma(true);
        return;
    };
    let before = raw(last.decor().prefix()).to_owned();
    let after = raw(last.decor().suffix()).to_owned() + trailing.as_str();
    if !before.contains('\n') && !after.contains('\n') {
        last.decor_mut().set_suffix("");
        *value.decor_mut() = toml_edit::Decor::new(" ", after);
        array.push_formatted(value);
        array.set_trailing("");
        return;
    }
    let indent = before.rsplit_once('\n').map_or("  ", |(_, indent)| indent);
    let closing = after.rsplit_once('\n').map_or("", |(_, closing)| closing);
    let comment = if after.contains('#') {
        after.trim_end()
    } else {
        ""
    };
    last.decor_mut().set_suffix("");
    *value.decor_mut() = toml_edit::Decor::new(format!("{comment}\n{indent}"), "");
    array.push_formatted(value);
    array.set_trailing(format!("\n{closing}"));
    array.set_trailing_comma(true);
}

/// Removes an inline table, keeping comments before it.
fn remove_inline(array: &mut Array, at: usize) {
    if at >= array.len() {
        return;
    }
    let value = array.remove(at);
    let decor = value.decor();
    let before = raw(decor.prefix()).to_owned();
    let comment = before.clone() + raw(decor.suffix());
    let comment = if comment.contains('#') {
        comment.trim_end()
    } else {
        ""
    };
    let moved = |next: &str| match comment {
        "" if next.contains('#') => next.to_owned(),
        "" => before.clone(),
        _ if next.contains('\n') => format!("{comment}{next}"),
        _ => format!("{comment}\n{next}"),
    };
    if let Some(next) = array.get_mut(at) {
        let below = moved(raw(next.decor().prefix()));
        next.decor_mut().set_prefix(below);
    } else if !comment.is_empty() {
        let below = moved(raw(Some(array.trailing())));
        array.set_trailing(below);
    } else if array.is_empty() && !raw(Some(array.trailing())).contains('#') {
        array.set_trailing("");
        array.set_trailing_comma(false);
    }
}

fn raw(text: Option<&RawString>) -> &str {
    text.and_then(RawString::as_str).unwrap_or_default()
}

/// Passes the positions of all tables with headers to `tell`.
fn positions(table: &Table, tell: &mut impl FnMut(isize)) {
    for (_, item) in table {
        match item {
            Item::Table(table) => {
                table.position().into_iter().for_each(&mut *tell);
                positions(table, tell);
            }
            Item::ArrayOfTables(tables) => {
                for table in tables {
                    table.position().into_iter().for_each(&mut *tell);
                    positions(table, tell);
                }
            }
            _ => {}
        }
    }
}

/// Finds the table at a position.
fn table_at(table: &mut Table, place: isize) -> Option<&mut Table> {
    for (_, item) in table.iter_mut() {
        let tables: Vec<&mut Table> = match item {
            Item::Table(table) => vec![table],
            Item::ArrayOfTables(tables) => tables.iter_mut().collect(),
            _ => continue,
        };
        for table in tables {
            if table.position() == Some(place) && !table.is_implicit() {
                return Some(table);
            }
            if let Some(found) = table_at(table, place) {
                return Some(found);
            }
        }
    }
    None
}
