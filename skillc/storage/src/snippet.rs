//! The snippet shown for a hit.
//!
//! Normally, the snippet is the result of FTS5's `snippet()`. But `snippet()` compares each match of a word with all
//! other matches, so a section that contains a word a hundred thousand times would take minutes. If a section can have
//! too many matches, the snippet is taken from the first piece that contains one of the words. `highlight()` cannot
//! count the matches, because its time is quadratic, too.
//!
//! Design: C-SEARCH, R20.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension};
use skillc_core::cjk::is_cjk;

use crate::cjk_tokenizer::register;
use crate::search_query::raw_words;

/// The maximum number of word positions that `snippet()` may weigh; its time is quadratic in this number.
const MAX_PLACES: usize = 1024;

/// The minimum size of a word and its separator, in bytes.
const BYTES_OF_PLACE: usize = 2;

/// The size of a piece, in bytes: large enough for the 32 words of a snippet, and small enough to limit the number of
/// positions that `snippet()` must weigh.
const PIECE_BYTES: usize = 1024;

/// The size of a block, in bytes. Only blocks that contain one of the words are searched piece by piece.
const BLOCK_BYTES: usize = 256 << 10;

/// The size of a piece if very many terms can match the same word, in bytes. The snippet can then be shorter.
const MIN_PIECE_BYTES: usize = 128;

/// The number of bytes shown from the beginning of a section if no matches are marked.
const BEGINNING_BYTES: usize = 256;

/// The maximum number of words in a query for which snippets are fast; see [`Query::has_many_words`].
const FEW_WORDS: usize = 8;

/// The maximum number of pieces that are searched.
const MAX_PIECES: usize = 1024;

/// The maximum number of query words to search for in pieces.
const MAX_WORDS: usize = 8;

/// Selects the text of a section, and the total size of its file path and heading.
const CONTENT: &str = "SELECT content, octet_length(file) + octet_length(section)
     FROM sections WHERE rowid = ?1";

const PASSAGE: &str = "SELECT snippet(sections, 2, '[MATCH]', '[/MATCH]', '...', 32)
     FROM sections WHERE sections MATCH ?1 AND rowid = ?2";

/// The query in the form that snippets need.
pub(crate) struct Query {
    /// The FTS5 expression.
    pub(crate) expression: String,
    /// An FTS5 expression that matches text with any of the query's first words.
    any: String,
    /// For each letter, the number of terms that begin with it. The key is `None` if the first letter is neither ASCII
    /// nor CJK.
    first_letters: HashMap<Option<char>, usize>,
    /// The maximum number of terms that can match the same word; at least 1.
    alike: usize,
    /// Whether the user wrote the expression in FTS5 syntax. Prefixes in such an expression can match any number of
    /// positions.
    is_raw: bool,
}

impl Query {
    /// Creates a query from the result of [`terms`](crate::search_query::terms).
    pub(crate) fn new(terms: &[String]) -> Self {
        let mut first_letters = HashMap::new();
        for term in terms {
            let letter = term.chars().find(|c| c.is_alphanumeric());
            *first_letters.entry(letter.and_then(plain)).or_default() += 1;
        }
        Self {
            expression: terms.join(" "),
            any: terms[..terms.len().min(MAX_WORDS)].join(" OR "),
            alike: most_alike(&first_letters),
            first_letters,
            is_raw: false,
        }
    }

    /// Creates a query from an expression in FTS5 syntax.
    pub(crate) fn raw(expression: &str) -> Self {
        Self {
            expression: expression.to_owned(),
            any: expression.to_owned(),
            first_letters: HashMap::new(),
            alike: raw_words(expression).max(1),
            is_raw: true,
        }
    }

    /// Returns whether each snippet takes long because the query has many words: for each section, FTS5 reads the
    /// positions of all words again.
    pub(crate) fn has_many_words(&self) -> bool {
        raw_words(&self.expression) > FEW_WORDS
    }

    /// Returns the size, in bytes, up to which no text can have too many positions to weigh.
    pub(crate) fn short_bytes(&self) -> usize {
        MAX_PLACES / self.alike * BYTES_OF_PLACE
    }

    /// Returns the first position in the text at which a query word can match; `None` if the row cannot have too many
    /// positions to weigh. For a raw query, whose words cannot be counted, the result is 0.
    ///
    /// `other_bytes`: the size of the row's other columns, in which `snippet()` also weighs matches.
    fn first_of_too_many(&self, text: &str, other_bytes: usize) -> Option<usize> {
        if self.is_raw {
            return Some(0);
        }
        let any = |letter| self.first_letters.get(&letter).copied().unwrap_or_default();
        let (mut first, mut places) = (None, other_bytes / BYTES_OF_PLACE * self.alike);
        let mut is_inside = false;
        for (at, c) in text.char_indices() {
            let is_letter = c.is_ascii_alphanumeric();
            let terms = match plain(c) {
                // Inside an ASCII word, or between words.
                Some(_) if c.is_ascii() && (is_inside || !is_letter) => 0,
                Some(letter) => any(Some(letter)) + any(None),
                // FTS5 may treat the character as a separator, as a letter, or as a mark on a letter.
                None => self.alike,
            };
            if terms > 0 {
                first.get_or_insert(at);
                places += terms;
            }
            if places > MAX_PLACES {
                return Some(first.unwrap_or_default());
            }
            is_inside = is_letter;
        }
        None
    }

    /// Returns the size of a piece, in bytes.
    fn piece_bytes(&self) -> usize {
        let bytes = PIECE_BYTES * MAX_WORDS / self.alike;
        bytes.clamp(MIN_PIECE_BYTES, PIECE_BYTES)
    }
}

/// Returns the key of a first letter in [`Query::first_letters`] (words can be counted by first letter, because
/// stemming keeps it). Returns `None` if removing the letter's diacritics can turn it into any other letter.
fn plain(letter: char) -> Option<char> {
    (letter.is_ascii() || is_cjk(letter)).then(|| letter.to_ascii_lowercase())
}

/// Returns the maximum number of terms that can match the same word; at least 1.
fn most_alike(first_letters: &HashMap<Option<char>, usize>) -> usize {
    let others = first_letters.get(&None).copied().unwrap_or_default();
    let known = first_letters.iter().filter(|(letter, _)| letter.is_some());
    let most = known.map(|(_, count)| *count).max();
    (most.unwrap_or_default() + others).max(1)
}

/// Returns the snippet of a matching row whose section is longer than [`Query::short_bytes`].
///
/// `tokenize`: the `tokenize` argument of the index.
pub(crate) fn passage_of_long(
    index: &Connection,
    tokenize: &str,
    query: &Query,
    rowid: i64,
) -> rusqlite::Result<String> {
    let (content, other_bytes): (String, usize) = index
        .prepare_cached(CONTENT)?
        .query_row([rowid], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let Some(first) = query.first_of_too_many(&content, other_bytes) else {
        return index
            .prepare_cached(PASSAGE)?
            .query_row((&query.expression, rowid), |row| row.get(0));
    };
    let found = Pieces::new(tokenize, &content)?.passage(query, first)?;
    let end = end_of_piece(&content, 0, PIECE_BYTES);
    Ok(found.unwrap_or_else(|| with_ellipses(&content[..end], false, true)))
}

/// Returns the heading and the beginning of a section.
pub(crate) fn beginning(index: &Connection, rowid: i64) -> rusqlite::Result<(String, String)> {
    let sql = "SELECT section, content FROM sections WHERE rowid = ?1";
    let mut statement = index.prepare_cached(sql)?;
    let (section, content): (String, String) =
        statement.query_row([rowid], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let end = end_of_piece(&content, 0, BEGINNING_BYTES);
    let beginning = with_ellipses(&content[..end], false, end < content.len());
    Ok((section, beginning))
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
        let mut pieces = 0;
        while start < self.text.len() {
            let end = end_of_piece(self.text, start, BLOCK_BYTES);
            self.insert(start, end)?;
            let mut at = if self.contains(query)? { start } else { end };
            while at < end && pieces < MAX_PIECES {
                let next = end_of_piece(&self.text[..end], at, query.piece_bytes());
                self.insert(at, next)?;
                if let Some(found) = self.snippet(query)? {
                    return Ok(Some(with_ellipses(&found, at > 0, next < self.text.len())));
                }
                (at, pieces) = (next, pieces + 1);
            }
            start = end;
        }
        Ok(None)
    }

    /// Puts a part of the text into the index, replacing the previous part.
    fn insert(&self, start: usize, end: usize) -> rusqlite::Result<()> {
        let sql = "INSERT OR REPLACE INTO sections(rowid, content) VALUES(1, ?1)";
        let mut statement = self.index.prepare_cached(sql)?;
        statement.execute([&self.text[start..end]]).map(drop)
    }

    fn contains(&self, query: &Query) -> rusqlite::Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM sections WHERE sections MATCH ?1)";
        let mut statement = self.index.prepare_cached(sql)?;
        statement.query_row([&query.any], |row| row.get(0))
    }

    fn snippet(&self, query: &Query) -> rusqlite::Result<Option<String>> {
        let mut statement = self.index.prepare_cached(PASSAGE)?;
        let found = statement.query_row((&query.any, 1), |row| row.get(0));
        found.optional()
    }
}

/// Returns the end of a piece: between words, unless a word is longer than the piece.
fn end_of_piece(text: &str, start: usize, bytes: usize) -> usize {
    let mut end = text.len().min(start + bytes);
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
        for repeated in [1, 40, 150] {
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
            found.contains("[MATCH]ZÉBRA[/MATCH] [MATCH]zebra[/MATCH] zebu"),
            "{found}"
        );
    }

    /// Some matches depend on how FTS5 separates words, removes diacritics, and stems words. If such matches were not
    /// counted, a search would take minutes.
    #[test]
    fn no_matches_of_fts5_are_overlooked() {
        for (repeated, query) in [
            ("é ", "e"),
            ("aⓐ", "a"),
            ("กิ", "ก"),
            ("\u{628}\u{64e}", "ب"),
            ("dies ", "di"),
            ("\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\u{8}a ", "a"),
        ] {
            let content = repeated.repeat(100_000);
            let found = snippet_of(PORTER, &content, query);
            assert!(found.contains("[MATCH]"), "{query}: {found}");
            assert!(found.len() < 2_000, "{query}: {}", found.len());
        }
    }

    #[test]
    fn many_terms_for_the_same_word_are_not_weighed() {
        let index = table(PORTER, &"e ".repeat(4_000));
        let query = Query::raw(&vec!["e"; 32].join(" OR "));
        let found = passage_of_long(&index, PORTER, &query, 1).unwrap();
        assert!(query.short_bytes() < 1_000);
        assert!(found.starts_with("[MATCH]e[/MATCH]"), "{found}");
    }

    #[test]
    fn matches_in_a_long_heading_are_not_weighed() {
        let index = table(PORTER, "a b c");
        let heading = "a ".repeat(100_000);
        index
            .execute("UPDATE sections SET section = ?1", [heading])
            .unwrap();
        let found = passage_of_long(&index, PORTER, &Query::new(&terms("a")), 1).unwrap();
        assert_eq!(found, "[MATCH]a[/MATCH] b c");
    }

    #[test]
    fn the_snippet_of_a_match_in_the_heading_is_the_beginning() {
        let filler = "some plain filler words ".repeat(1_000);
        let index = table(PORTER, &filler);
        index
            .execute("UPDATE sections SET section = 'zebra'", [])
            .unwrap();
        let query = Query::new(&terms("zebra"));
        let found = passage_of_long(&index, PORTER, &query, 1).unwrap();
        let expected: String = index
            .query_row(PASSAGE, (&query.expression, 1), |row| row.get(0))
            .unwrap();
        assert_eq!(found, expected);
    }

    #[test]
    fn terms_that_can_match_the_same_word_are_counted() {
        let count = |query: &str| Query::new(&terms(query)).alike;
        assert_eq!(count("zebra lion"), 1);
        assert_eq!(count("run Runs ruin"), 3);
        assert_eq!(count("e é lion"), 2);
        assert_eq!(count("斑马 斑 馬"), 2);
        assert_eq!(count(""), 1);
    }

    #[test]
    fn a_piece_ends_on_a_character_boundary_and_between_words() {
        let end = |text: &str, start| end_of_piece(text, start, PIECE_BYTES);
        assert_eq!(end("short", 0), 5);
        assert_eq!(end(&"馬".repeat(1000), 0), 1023);
        assert_eq!(end(&"seven77 ".repeat(1000), 8), 8 + 1023);
        let word = format!("\u{3000}{}", "x".repeat(3000));
        assert_eq!(end(&word, 0), 1024);
    }
}
