//! The snippet shown for a hit.
//!
//! Normally, the snippet is the result of FTS5's `snippet()`. But `snippet()` weighs each match of a word against all
//! other matches, so a section that contains a word a hundred thousand times would take minutes. For such a section,
//! the snippet is taken from the first piece that contains one of the words. If the first thousand pieces contain none
//! of the words, `highlight()` finds the first match in a single pass.
//!
//! Design: C-SEARCH, R20.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension};

use crate::cjk_tokenizer::register;
use skillc_core::cjk::is_cjk;

/// The maximum number of word positions that `snippet()` may weigh; its time is quadratic in this number.
const MAX_PLACES: usize = 4096;

/// Only this many letters at the beginning of words are compared, because stemming may change the endings.
const BEGINNING_LETTERS: usize = 3;

/// The size of a piece, in bytes: more than the 32 words of a snippet, and small enough to bound the positions in it.
const PIECE_BYTES: usize = 1024;

/// The maximum number of pieces that are searched.
const MAX_PIECES: usize = 1024;

/// The maximum number of query words that are searched for in pieces.
const MAX_WORDS: usize = 16;

/// The mark that `highlight()` inserts before a match; only its position is used.
const MARK: &str = "\u{1}";

const HIGHLIGHTED: &str = "SELECT highlight(sections, 2, ?3, '')
     FROM sections WHERE sections MATCH ?1 AND rowid = ?2";

const PASSAGE: &str = "SELECT snippet(sections, 2, '[MATCH]', '[/MATCH]', '...', 32)
     FROM sections WHERE sections MATCH ?1 AND rowid = ?2";

/// The query in the form that snippets need.
pub(crate) struct Query {
    /// The FTS5 expression.
    pub(crate) expression: String,
    /// An FTS5 expression that matches any of the first words.
    any: String,
    /// The first letters of each query word, with the number of query words that begin with them.
    beginnings: HashMap<String, usize>,
    /// Whether the expression is the user's own FTS5 syntax. Its prefixes can match any number of positions.
    is_raw: bool,
}

impl Query {
    /// Creates a query from terms. `terms`: the result of [`terms`](crate::search_query::terms).
    pub(crate) fn new(terms: &[String]) -> Self {
        let mut beginnings = HashMap::new();
        for term in terms {
            let word = term.trim_start_matches(|c: char| !c.is_alphanumeric());
            *beginnings.entry(beginning_of(word)).or_default() += 1;
        }
        Self {
            expression: terms.join(" "),
            any: terms[..terms.len().min(MAX_WORDS)].join(" OR "),
            beginnings,
            is_raw: false,
        }
    }

    /// Creates a query from an expression in FTS5 syntax.
    pub(crate) fn raw(expression: &str) -> Self {
        Self {
            expression: expression.to_owned(),
            any: expression.to_owned(),
            beginnings: HashMap::new(),
            is_raw: true,
        }
    }

    /// Returns the size in bytes up to which no text can have too many positions to weigh.
    pub(crate) fn short_bytes(&self) -> usize {
        // A word and its separator take at least two bytes.
        let most = self.beginnings.values().max().copied();
        MAX_PLACES / most.unwrap_or_default().max(1) * 2
    }

    /// Returns the first position of a query word in text that has too many positions to weigh; `None` for any other
    /// text. The positions of a raw query cannot be counted, so the result is 0.
    fn first_of_too_many(&self, text: &str) -> Option<usize> {
        if self.is_raw {
            return Some(0);
        }
        let (mut first, mut places, mut is_inside) = (None, 0, false);
        for (at, c) in text.char_indices() {
            let is_letter = c.is_alphanumeric();
            if is_letter
                && (!is_inside || is_cjk(c))
                && let Some(words) = self.beginnings.get(&beginning_of(&text[at..]))
            {
                first.get_or_insert(at);
                places += words;
            }
            if places > MAX_PLACES {
                return first;
            }
            is_inside = is_letter && !is_cjk(c);
        }
        None
    }
}

/// Returns the first letters, in lower case, of the word at the start of a string: fewer if the word is short, and only
/// one character if the text is CJK.
fn beginning_of(text: &str) -> String {
    let letters = if text.starts_with(is_cjk) {
        1
    } else {
        BEGINNING_LETTERS
    };
    let word = text.chars().take_while(|c| c.is_alphanumeric());
    word.take(letters).flat_map(char::to_lowercase).collect()
}

/// Returns the snippet of a matching row whose section is long: see [`Query::short_bytes`].
///
/// `tokenize`: the `tokenize` argument of the index.
pub(crate) fn passage_of_long(
    index: &Connection,
    tokenize: &str,
    query: &Query,
    rowid: i64,
) -> rusqlite::Result<String> {
    let content: String = index
        .prepare_cached("SELECT content FROM sections WHERE rowid = ?1")?
        .query_row([rowid], |row| row.get(0))?;
    let Some(first) = query.first_of_too_many(&content) else {
        return index
            .prepare_cached(PASSAGE)?
            .query_row((&query.expression, rowid), |row| row.get(0));
    };
    let pieces = Pieces::new(tokenize, &content)?;
    if let Some(passage) = pieces.passage(query, first)? {
        return Ok(passage);
    }
    let found = match first_match(index, query, rowid, &content)? {
        Some(at) => pieces.passage(query, at)?,
        None => None,
    };
    let beginning = || with_ellipses(&content[..end_of_piece(&content, 0)], false, true);
    Ok(found.unwrap_or_else(beginning))
}

/// Returns the offset of the first matching word.
fn first_match(
    index: &Connection,
    query: &Query,
    rowid: i64,
    content: &str,
) -> rusqlite::Result<Option<usize>> {
    let marked = index
        .prepare_cached(HIGHLIGHTED)?
        .query_row((&query.any, rowid, MARK), |row| row.get::<_, String>(0))
        .optional()?;
    // Both texts are the same up to the first mark.
    let differs = |marked: String| {
        let mut bytes = content.bytes().zip(marked.bytes());
        bytes.position(|(one, other)| one != other)
    };
    let at = marked.and_then(differs);
    Ok(at.filter(|at| content.is_char_boundary(*at)))
}

/// Text that is searched piece by piece, with each piece in an in-memory index.
struct Pieces<'a> {
    index: Connection,
    text: &'a str,
}

impl<'a> Pieces<'a> {
    fn new(tokenize: &str, text: &'a str) -> rusqlite::Result<Self> {
        let index = Connection::open_in_memory()?;
        register(&index)?;
        let table = "CREATE VIRTUAL TABLE sections USING fts5(file, section, content, tokenize=";
        index.execute_batch(&format!("{table}'{tokenize}')"))?;
        Ok(Self { index, text })
    }

    /// Returns the snippet of the first piece at or after `start` that contains one of the words; `None` if no piece
    /// within the limit contains one.
    fn passage(&self, query: &Query, mut start: usize) -> rusqlite::Result<Option<String>> {
        let text = self.text;
        for _ in 0..MAX_PIECES {
            let end = end_of_piece(text, start);
            self.index.execute(
                "INSERT OR REPLACE INTO sections(rowid, content) VALUES(1, ?1)",
                [&text[start..end]],
            )?;
            let found = self
                .index
                .prepare_cached(PASSAGE)?
                .query_row((&query.any, 1), |row| row.get::<_, String>(0))
                .optional()?;
            if let Some(found) = found {
                return Ok(Some(with_ellipses(&found, start > 0, end < text.len())));
            }
            if end == text.len() {
                break;
            }
            start = end;
        }
        Ok(None)
    }
}

/// Returns the end of a piece: between words, unless a word is longer than the piece.
fn end_of_piece(text: &str, start: usize) -> usize {
    let mut end = text.len().min(start + PIECE_BYTES);
    if end == text.len() {
        return end;
    }
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let last_blank = text[start..end].rfind(char::is_whitespace);
    let inside = last_blank.filter(|blank| *blank > 0);
    inside.map_or(end, |blank| start + blank)
}

/// Adds the ellipses that FTS5 omits because it sees only the piece.
fn with_ellipses(passage: &str, is_before: bool, is_after: bool) -> String {
    let before = is_before && !passage.starts_with("...");
    let after = is_after && !passage.ends_with("...");
    let dots = |are_missing| if are_missing { "..." } else { "" };
    format!("{}{passage}{}", dots(before), dots(after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search_query::terms;

    const PORTER: &str = "porter unicode61";
    const CJK: &str = "skc unicode61";

    fn table(tokenize: &str, content: &str) -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        register(&connection).unwrap();
        let table = "CREATE VIRTUAL TABLE sections USING fts5(file, section, content, tokenize=";
        connection
            .execute_batch(&format!("{table}'{tokenize}')"))
            .unwrap();
        connection
            .execute("INSERT INTO sections VALUES('a', 'b', ?1)", [content])
            .unwrap();
        connection
    }

    fn snippet_of(tokenize: &str, content: &str, query: &str) -> String {
        let query = Query::new(&terms(query));
        let index = table(tokenize, content);
        if content.len() > query.short_bytes() {
            return passage_of_long(&index, tokenize, &query, 1).unwrap();
        }
        let passage = index.query_row(PASSAGE, (&query.expression, 1), |row| row.get(0));
        passage.unwrap()
    }

    /// C-SEARCH.3.
    #[test]
    fn the_snippet_equals_that_of_fts5_for_short_and_long_sections() {
        for repeated in [1, 40, 400] {
            let filler = "some plain filler words ".repeat(repeated);
            let content = format!("{filler}rare word. And a zebra.\n").repeat(3);
            let connection = table(PORTER, &content);
            for query in [
                "zebra",
                "rare zebra",
                "filler words zebra",
                "and plain",
                "a",
            ] {
                let expression = terms(query).join(" ");
                let expected: String = connection
                    .query_row(PASSAGE, (expression, 1), |row| row.get(0))
                    .unwrap();
                assert_eq!(
                    snippet_of(PORTER, &content, query),
                    expected,
                    "{query} {repeated}"
                );
            }
        }
    }

    #[test]
    fn a_word_that_occurs_everywhere_is_shown_at_its_first_occurrence() {
        let content = format!("before it, {}", "zebra lion ".repeat(100_000));
        let pairs = "[MATCH]zebra[/MATCH] lion ".repeat(16);
        let expected = format!("...{}...", pairs.trim_end());
        assert_eq!(snippet_of(PORTER, &content, "zebras"), expected);
    }

    #[test]
    fn overlapping_words_that_occur_everywhere_are_not_scored() {
        let words = "a ".repeat(32);
        let expected = format!("[MATCH]{}[/MATCH]...", words.trim_end());
        assert_eq!(snippet_of(PORTER, &"a ".repeat(200_000), "a-a"), expected);
    }

    #[test]
    fn characters_are_positions_as_well() {
        let found = snippet_of(CJK, &"斑马在这里".repeat(20_000), "斑马");
        assert!(
            found.starts_with("[MATCH]斑马[/MATCH]在这里[MATCH]斑马[/MATCH]"),
            "{found}"
        );
        assert_eq!(found.chars().filter(|c| is_cjk(*c)).count(), 32);
    }

    #[test]
    fn words_that_only_share_a_prefix_are_skipped() {
        let content = format!("{}zebra", "zebu zebrine ".repeat(2400));
        let found = snippet_of(PORTER, &content, "zebra");
        assert!(found.ends_with(" [MATCH]zebra[/MATCH]"), "{found}");
        let filler = "zebu zebrine ".repeat(300_000);
        let far = format!("{filler}ZÉBRA zebra {filler}");
        let found = snippet_of(PORTER, &far, "zebras");
        assert!(
            found.starts_with("...[MATCH]ZÉBRA[/MATCH] [MATCH]zebra[/MATCH] zebu"),
            "{found}"
        );
    }

    #[test]
    fn a_piece_ends_on_a_character_boundary_and_between_words() {
        assert_eq!(end_of_piece("short", 0), 5);
        assert_eq!(end_of_piece(&"馬".repeat(1000), 0), 1023);
        assert_eq!(end_of_piece(&"seven77 ".repeat(1000), 8), 8 + 1023);
        let word = format!("\u{3000}{}", "x".repeat(3000));
        assert_eq!(end_of_piece(&word, 0), 1024);
    }
}
