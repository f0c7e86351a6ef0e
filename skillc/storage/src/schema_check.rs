//! Checks that the schema of a database was created by this crate, or is as harmless as if it was.
//!
//! Other tools may write rows to the logs, and may have created the tables. Therefore a table need not match the table
//! of this crate exactly: its columns may have any names, types, keys and order. A statement that contains an
//! expression must match a statement of this crate, apart from case, white space and double quotes. Nothing else is
//! allowed: no trigger, view or virtual table, and no table of another name.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode};

/// The maximum number of schema objects that are read. The schemas of this crate have up to a dozen.
const MAX_OBJECTS: usize = 64;

/// The query uses the name `sqlite_master` instead of `sqlite_schema`, because no other table can have the name
/// `sqlite_master`.
const OBJECTS: &str = "SELECT type, name, sql FROM main.sqlite_master LIMIT ?1";

/// Tables that `SQLite` creates on its own or when `ANALYZE` is run.
const BUILT_IN: [&str; 3] = [
    "CREATE TABLE sqlite_sequence(name,seq)",
    "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
    "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
];

/// Words that cannot be an unquoted name or a part of a column type, because each of them starts a construct that is
/// parsed separately or rejected.
const RESERVED: [&str; 17] = [
    "ALWAYS",
    "AS",
    "AUTOINCREMENT",
    "CHECK",
    "COLLATE",
    "CONSTRAINT",
    "CREATE",
    "DEFAULT",
    "FOREIGN",
    "GENERATED",
    "NOT",
    "NULL",
    "ON",
    "PRIMARY",
    "REFERENCES",
    "SELECT",
    "UNIQUE",
];

/// The objects that a schema may contain.
pub(crate) struct Allowed<'a> {
    /// Tables that may exist, with plain columns and plain indexes.
    pub(crate) tables: &'a [&'a str],
    /// Other statements that may occur. They may differ only in case, white space and double quotes.
    pub(crate) statements: &'a [String],
}

/// A schema object: a table, an index or something else.
#[derive(Debug)]
struct Object {
    kind: String,
    /// The statement; `None` if the object was created implicitly, such as the index of a UNIQUE constraint.
    sql: Option<String>,
}

#[derive(Debug)]
pub(crate) struct Schema {
    /// `None` if this crate cannot have created the schema, because the schema is too large or too slow to read, or
    /// contains invalid text.
    objects: Option<Vec<Object>>,
}

impl Schema {
    /// Reads the schema of a database.
    ///
    /// # Errors
    /// Returns errors from the database library, except those errors that only a foreign schema can cause.
    pub(crate) fn read(connection: &Connection) -> rusqlite::Result<Self> {
        match objects(connection) {
            Err(error) => match error.sqlite_error_code() {
                Some(ErrorCode::OperationInterrupted | ErrorCode::TooBig) => {
                    Ok(Self { objects: None })
                }
                _ => Err(error),
            },
            Ok(objects) => Ok(Self { objects }),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.objects.as_ref().is_some_and(Vec::is_empty)
    }

    /// Returns whether everything in the schema is allowed.
    pub(crate) fn holds_only(&self, allowed: &Allowed<'_>) -> bool {
        let statements = allowed.statements.iter().map(String::as_str);
        let ours: Vec<String> = statements.chain(BUILT_IN).map(squeeze).collect();
        let is_allowed = |object: &Object| object.is_allowed(&ours, allowed.tables);
        self.objects
            .as_ref()
            .is_some_and(|objects| objects.iter().all(is_allowed))
    }

    /// Returns whether all of these statements are in the schema.
    pub(crate) fn holds_all(&self, statements: &[String]) -> bool {
        let objects = self.objects.iter().flatten();
        let found: Vec<String> = objects
            .filter_map(|object| object.sql.as_deref().map(squeeze))
            .collect();
        let is_there = |statement: &String| found.contains(&squeeze(statement));
        statements.iter().all(is_there)
    }

    /// Returns the schema without its triggers, for a caller that only reads: triggers do not run while rows are read.
    pub(crate) fn without_triggers(mut self) -> Self {
        if let Some(objects) = &mut self.objects {
            objects.retain(|object| object.kind != "trigger");
        }
        self
    }
}

/// Reads all objects. Returns `None` if there are too many objects, or a type or statement is not valid text.
fn objects(connection: &Connection) -> rusqlite::Result<Option<Vec<Object>>> {
    let mut statement = connection.prepare(OBJECTS)?;
    let mut rows = statement.query([MAX_OBJECTS + 1])?;
    let mut objects = Vec::new();
    while let Some(row) = rows.next()? {
        let text = |at| -> rusqlite::Result<Option<String>> {
            Ok(match row.get_ref(at)? {
                ValueRef::Text(text) => std::str::from_utf8(text).ok().map(str::to_owned),
                _ => None,
            })
        };
        let is_sql = !matches!(row.get_ref(2)?, ValueRef::Null);
        let (Some(kind), sql) = (text(0)?, text(2)?) else {
            return Ok(None);
        };
        if is_sql != sql.is_some() || objects.len() == MAX_OBJECTS {
            return Ok(None);
        }
        objects.push(Object { kind, sql });
    }
    Ok(Some(objects))
}

impl Object {
    /// Returns whether the object may exist. `ours`: the statements that may have created the object, as returned by
    /// [`squeeze`]. `tables`: the names of the tables that may exist with plain columns and plain indexes.
    fn is_allowed(&self, ours: &[String], tables: &[&str]) -> bool {
        let Some(sql) = &self.sql else {
            // An automatic index of a key has no expression, because its columns are listed in the statement of the
            // table.
            return self.kind == "index";
        };
        if ours.contains(&squeeze(sql)) {
            return true;
        }
        let Some(words) = words(sql) else {
            return false;
        };
        let mut rest = Words(&words);
        match &*self.kind {
            "table" => rest.is_plain_table(tables),
            "index" => rest.is_plain_index(tables),
            _ => false,
        }
    }
}

/// Splits a schema file of this crate into statements.
pub(crate) fn statements(sql: &str) -> Vec<String> {
    let code: Vec<&str> = sql.lines().filter(|line| !line.starts_with("--")).collect();
    let code = code.join("\n");
    let statements = code.split(';').map(str::trim);
    statements
        .filter(|statement| !statement.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Returns a statement in lower case, without white space and double quotes, because these never matter in the
/// statements of this crate. For example, `ALTER TABLE` adds quotes around new names.
fn squeeze(sql: &str) -> String {
    sql.chars()
        .filter(|c| !c.is_whitespace() && *c != '"')
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

/// A token of an SQL statement.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Word {
    /// A keyword or a name, as written.
    Bare(String),
    /// A quoted name, without its quotes.
    Quoted(String),
    Text,
    Number,
    Sign(char),
}

/// Tokenizes a statement. Returns `None` if the statement has tokens that never occur in a plain statement.
fn words(sql: &str) -> Option<Vec<Word>> {
    let mut words = Vec::new();
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            ' ' | '\t' | '\n' | '\r' | '\u{c}' => 1,
            '-' if rest.starts_with("--") => rest.find('\n').map_or(rest.len(), |at| at + 1),
            '/' if rest.starts_with("/*") => rest[2..].find("*/")? + 4,
            '(' | ')' | ',' | '-' | '+' => {
                words.push(Word::Sign(first));
                1
            }
            '\'' | '"' | '`' | '[' => {
                let (text, length) = quoted(rest, first)?;
                words.push(if first == '\'' {
                    Word::Text
                } else {
                    Word::Quoted(text)
                });
                length
            }
            '0'..='9' => {
                let is_end = |c: char| !c.is_ascii_digit() && c != '.';
                words.push(Word::Number);
                rest.find(is_end).unwrap_or(rest.len())
            }
            _ if is_name(first) => {
                let length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
                words.push(Word::Bare(rest[..length].to_owned()));
                length
            }
            _ => return None,
        };
        rest = &rest[length..];
    }
    Some(words)
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$' || !c.is_ascii()
}

/// Returns the quoted text at the beginning of a string, and its length including the quotes.
fn quoted(text: &str, open: char) -> Option<(String, usize)> {
    let close = if open == '[' { ']' } else { open };
    let (mut inner, mut at) = (String::new(), 1);
    loop {
        let length = text[at..].find(close)?;
        inner.push_str(&text[at..at + length]);
        at += length + 1;
        if open == '[' || !text[at..].starts_with(close) {
            return Some((inner, at));
        }
        inner.push(close);
        at += 1;
    }
}

/// The remaining tokens of a statement.
struct Words<'a>(&'a [Word]);

impl Words<'_> {
    fn skip(&mut self) {
        self.0 = self.0.get(1..).unwrap_or_default();
    }

    /// Consumes a keyword if it comes next.
    fn takes(&mut self, keyword: &str) -> bool {
        let found =
            matches!(self.0.first(), Some(Word::Bare(word)) if word.eq_ignore_ascii_case(keyword));
        if found {
            self.skip();
        }
        found
    }

    fn takes_sign(&mut self, sign: char) -> bool {
        let found = self.0.first() == Some(&Word::Sign(sign));
        if found {
            self.skip();
        }
        found
    }

    /// Consumes a name if one comes next.
    fn name(&mut self) -> Option<String> {
        let name = match self.0.first()? {
            Word::Bare(name) if !is_reserved(name) => name,
            Word::Quoted(name) => name,
            _ => return None,
        };
        let name = name.clone();
        self.skip();
        Some(name)
    }

    fn takes_table(&mut self, tables: &[&str]) -> bool {
        let name = self.name();
        name.is_some_and(|name| tables.iter().any(|table| name.eq_ignore_ascii_case(table)))
    }

    /// Consumes a statement such as `CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT NOT NULL)`.
    fn is_plain_table(&mut self, tables: &[&str]) -> bool {
        let head = self.takes("CREATE") && self.takes("TABLE") && self.takes_table(tables);
        if !head || !self.takes_sign('(') {
            return false;
        }
        loop {
            if !self.takes_column() {
                return false;
            }
            if !self.takes_sign(',') {
                break;
            }
        }
        self.takes_sign(')') && self.takes_options()
    }

    /// Consumes the options of a table: `WITHOUT ROWID, STRICT`.
    fn takes_options(&mut self) -> bool {
        while !self.0.is_empty() {
            if !(self.takes("STRICT") || self.takes("WITHOUT") && self.takes("ROWID")) {
                return false;
            }
            self.takes_sign(',');
        }
        true
    }

    /// Consumes a column, or a key over several columns.
    fn takes_column(&mut self) -> bool {
        if self.takes("PRIMARY") {
            return self.takes("KEY") && self.takes_names();
        }
        if self.takes("UNIQUE") {
            return self.takes_names();
        }
        if self.name().is_none() {
            return false;
        }
        let mut has_type = false;
        while self.name().is_some() {
            has_type = true;
        }
        if has_type && self.takes_sign('(') && !self.takes_size() {
            return false;
        }
        while !matches!(self.0.first(), None | Some(Word::Sign(',' | ')'))) {
            if !self.takes_constraint() {
                return false;
            }
        }
        true
    }

    /// Consumes the rest of a size after the opening parenthesis: `10)` or `10, 2)`.
    fn takes_size(&mut self) -> bool {
        loop {
            if self.0.first() != Some(&Word::Number) {
                return false;
            }
            self.skip();
            if !self.takes_sign(',') {
                return self.takes_sign(')');
            }
        }
    }

    fn takes_constraint(&mut self) -> bool {
        if self.takes("PRIMARY") {
            let is_key = self.takes("KEY");
            let _ = self.takes("ASC") || self.takes("DESC");
            self.takes("AUTOINCREMENT");
            return is_key;
        }
        if self.takes("NOT") {
            return self.takes("NULL");
        }
        if self.takes("DEFAULT") {
            let is_signed = self.takes_sign('-') || self.takes_sign('+');
            let is_number = self.0.first() == Some(&Word::Number);
            let is_literal = is_number || !is_signed && self.0.first() == Some(&Word::Text);
            if is_literal {
                self.skip();
            }
            return is_literal || !is_signed && self.takes("NULL");
        }
        self.takes("NULL") || self.takes("UNIQUE")
    }

    /// Consumes a list of columns: `(a, b DESC)`.
    fn takes_names(&mut self) -> bool {
        if !self.takes_sign('(') {
            return false;
        }
        loop {
            if self.name().is_none() {
                return false;
            }
            let _ = self.takes("ASC") || self.takes("DESC");
            if !self.takes_sign(',') {
                return self.takes_sign(')');
            }
        }
    }

    /// Consumes a statement such as `CREATE INDEX i ON t(a, b DESC)`.
    fn is_plain_index(&mut self, tables: &[&str]) -> bool {
        self.takes("CREATE")
            && self.takes("INDEX")
            && self.name().is_some()
            && self.takes("ON")
            && self.takes_table(tables)
            && self.takes_names()
            && self.0.is_empty()
    }
}

fn is_reserved(word: &str) -> bool {
    RESERVED
        .iter()
        .any(|reserved| word.eq_ignore_ascii_case(reserved))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether the schema that `sql` creates is allowed.
    fn is_allowed(sql: &str) -> bool {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(sql).unwrap_or_else(|error| {
            panic!("{sql}: {error}");
        });
        let ours = ["CREATE INDEX own ON t(a || 'x') WHERE a > 1".to_owned()];
        Schema::read(&connection).unwrap().holds_only(&Allowed {
            tables: &["t"],
            statements: &ours,
        })
    }

    #[test]
    fn tables_with_plain_columns_are_allowed() {
        for sql in [
            "",
            "CREATE TABLE t(a)",
            "CREATE TABLE T(a, b)",
            "CREATE TABLE IF NOT EXISTS \"t\"(a INTEGER PRIMARY KEY AUTOINCREMENT, [b c] TEXT NOT NULL)",
            "CREATE TABLE `t`(a INTEGER PRIMARY KEY DESC, b VARCHAR(10), c DECIMAL(10, 2) NULL, d DOUBLE PRECISION)",
            "CREATE TABLE t(a TEXT DEFAULT 'it''s', b INTEGER DEFAULT -1.5 NOT NULL, c TEXT DEFAULT NULL)",
            "CREATE TABLE t(a TEXT UNIQUE, b, -- what (a\n c /* and, ) */, PRIMARY KEY (a, b DESC), UNIQUE(c)) WITHOUT ROWID",
            "CREATE TABLE t(a TEXT, b TEXT) STRICT",
            "CREATE TABLE t(zähler TEXT, \"CHECK\" TEXT)",
            "CREATE TABLE t AS SELECT 1 AS a, 'x' AS b",
            "CREATE TABLE t(a); ALTER TABLE t ADD COLUMN b TEXT; ALTER TABLE t RENAME COLUMN a TO c;",
            "CREATE TABLE t(a, b); CREATE INDEX i ON t(a, b DESC)",
            "CREATE TABLE t(a, b); CREATE INDEX  own ON \"t\"(A || 'x')\n WHERE a > 1",
            "CREATE TABLE t(a PRIMARY KEY); INSERT INTO t VALUES(1); CREATE INDEX i ON t(a); ANALYZE",
        ] {
            assert!(is_allowed(sql), "{sql}");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        let t = "CREATE TABLE t(a, b);";
        for sql in [
            "CREATE TABLE u(a)",
            "CREATE TABLE t(a CHECK (a > 1))",
            "CREATE TABLE t(a, CHECK (a > 1))",
            "CREATE TABLE t(a, CONSTRAINT c CHECK (a > 1))",
            "CREATE TABLE t(a, b AS (a))",
            "CREATE TABLE t(a, b AS (1))",
            "CREATE TABLE t(a, b INT GENERATED ALWAYS AS (a) STORED)",
            "CREATE TABLE t(a DEFAULT (1 + 1))",
            "CREATE TABLE t(a DEFAULT CURRENT_TIMESTAMP)",
            "CREATE TABLE t(a DEFAULT x)",
            "CREATE TABLE t(a REFERENCES t(a))",
            "CREATE TABLE t(a, FOREIGN KEY (a) REFERENCES t(a))",
            "CREATE TABLE t(a COLLATE NOCASE)",
            "CREATE TABLE t(a PRIMARY KEY ON CONFLICT REPLACE)",
            "CREATE VIRTUAL TABLE t USING fts5(a)",
            "CREATE VIEW t AS SELECT 1",
            &format!("{t} CREATE VIEW v AS SELECT 1"),
            &format!("{t} CREATE TRIGGER x AFTER INSERT ON t BEGIN DELETE FROM t; END"),
            &format!("{t} CREATE INDEX i ON t(a || 'y')"),
            &format!("{t} CREATE INDEX i ON t(lower(a))"),
            &format!("{t} CREATE INDEX i ON t(a) WHERE b > 1"),
            &format!("{t} CREATE INDEX i ON t(a COLLATE NOCASE)"),
            &format!("{t} CREATE UNIQUE INDEX i ON t(a)"),
            &format!("{t} CREATE INDEX own ON t(a || 'y') WHERE a > 1"),
            &format!("{t} CREATE TABLE u(a)"),
        ] {
            assert!(!is_allowed(sql), "{sql}");
        }
        let many: Vec<String> = (0..=MAX_OBJECTS)
            .map(|at| format!("CREATE INDEX i{at} ON t(a)"))
            .collect();
        assert!(!is_allowed(&format!("{t} {}", many.join(";"))));
    }

    #[test]
    fn arbitrary_words_never_panic() {
        let pieces = [
            "'", "\"", "[", "]", "`", "--", "/*", "*/", "ä", "(", "1.", "\n", "x",
        ];
        for first in pieces {
            for second in pieces {
                for third in pieces {
                    let sql = format!("{first}{second}{third}");
                    let _ = words(&sql).map(|words| Words(&words).is_plain_table(&["x"]));
                }
            }
        }
    }
}
