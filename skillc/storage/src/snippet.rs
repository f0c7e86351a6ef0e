//! The snippet shown for a hit.
//!
//! Normally, the snippet is the result of FTS5's `snippet()`. But `snippet()` compares each match of a word with all
//! other matches, so a section that contains a word a hundred thousand times would take minutes. If a section can have
//! too many matches, it is divided into pieces, and the snippet is taken from the first piece that contains one of the
//! words. `highlight()` cannot count the matches, because its time is quadratic, too.
//!
//! A search with many results marks words only until a fixed work budget is spent: see [`Marking`].
//!
//! Design: C-SEARCH, R20.

use std::cell::{Cell, OnceCell};
use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension};
use skillc_core::cjk::is_cjk;

use crate::cjk_tokenizer::register;
use crate::search_query::raw_words;

/// The maximum number of word positions that `snippet()` may weigh in a section; its time is quadratic in this number.
const MAX_PLACES: usize = 1024;

/// The maximum number of word positions that `snippet()` may weigh in a piece: enough for the 32 words of a snippet, even
/// if 16 words of the query match each of them.
const MAX_PIECE_PLACES: usize = 512;

/// The minimum size of a word and its separator, in bytes.
const BYTES_OF_PLACE: usize = 2;

/// The size of a piece, in bytes: more than the 32 words of a snippet. A piece with too many positions is smaller.
const PIECE_BYTES: usize = 1024;

/// The size of a block, in bytes. Only blocks that contain one of the words are searched piece by piece.
const BLOCK_BYTES: usize = 256 << 10;

/// The size, in bytes, of the beginning of a section that is shown without marks.
const BEGINNING_BYTES: usize = 256;

/// The maximum number of pieces that are searched.
const MAX_PIECES: usize = 1024;

/// The maximum number of query words to search for in pieces.
const MAX_WORDS: usize = 8;

/// The maximum number of steps for marking the results of a command: about a second. Marking a thousand results of an
/// ordinary search takes fewer.
const MAX_STEPS: u64 = 150_000_000;

/// The number of steps that FTS5 needs to find a query word in a section a second time, after the search itself.
const STEPS_OF_WORD: u64 = 10_000;

/// The number of steps for indexing one byte of a piece.
const STEPS_OF_BYTE: u64 = 16;

/// Selects the columns of the row `?1`.
const ROW: &str = "SELECT file, section, content FROM sections WHERE rowid = ?1";

const PASSAGE: &str = "SELECT snippet(sections, 2, '[MATCH]', '[/MATCH]', '...', 32)
     FROM sections WHERE sections MATCH ?1 AND rowid = ?2";

/// The remaining budget of a command for marking the words in its results, in steps of five to ten nanoseconds. Once
/// the budget is spent, each result shows the beginning of its section. The steps are estimated from the text, not
/// measured, so that a search always has the same results.
#[derive(Debug)]
pub struct Marking(Cell<u64>);

impl Default for Marking {
    /// Returns the budget of one command.
    fn default() -> Self {
        Self::new(MAX_STEPS)
    }
}

impl Marking {
    /// Creates a budget of `steps` steps.
    pub const fn new(steps: u64) -> Self {
        Self(Cell::new(steps))
    }

    /// Returns the number of steps that are left.
    pub fn left(&self) -> u64 {
        self.0.get()
    }

    /// Deducts steps from the budget, which never becomes negative.
    pub fn spend(&self, steps: u64) {
        self.0.set(self.left().saturating_sub(steps));
    }

    /// Spends the steps that `snippet()` needs to weigh a number of positions.
    fn weigh(&self, places: usize) {
        let places = places as u64;
        self.spend(2 * places * places);
    }
}

/// The query in the form that snippets need.
pub(crate) struct Query {
    /// The FTS5 expression.
    pub(crate) expression: String,
    /// An FTS5 expression that matches text with any of the query's first words.
    any: String,
    /// The first letters of the terms of `expression`.
    letters: Letters,
    /// The first letters of the terms of `any`.
    letters_of_any: Letters,
}

impl Query {
    /// Creates a query from the result of [`terms`](crate::search_query::terms).
    pub(crate) fn new(terms: &[String]) -> Self {
        let first = &terms[..terms.len().min(MAX_WORDS)];
        Self {
            expression: terms.join(" "),
            any: first.join(" OR "),
            letters: Letters::new(terms),
            letters_of_any: Letters::new(first),
        }
    }

    /// Creates a query from an expression in FTS5 syntax.
    pub(crate) fn raw(expression: &str) -> Self {
        Self {
            expression: expression.to_owned(),
            any: expression.to_owned(),
            letters: Letters::unknown(raw_words(expression)),
            letters_of_any: Letters::unknown(raw_words(expression)),
        }
    }

    /// Returns a size in bytes. A text of at most this size never has more than [`MAX_PLACES`] positions to weigh.
    pub(crate) fn short_bytes(&self) -> usize {
        MAX_PLACES / self.letters.alike * BYTES_OF_PLACE
    }

    /// Returns the number of steps that FTS5 needs to find the words in a section a second time: it looks up each word.
    fn steps_to_find(&self) -> u64 {
        let signs = self.expression.chars().filter(|c| is_cjk(*c)).count();
        (raw_words(&self.expression) + signs) as u64 * STEPS_OF_WORD
    }
}

/// The first letters of a query's terms, which show where in a text a term can match.
struct Letters {
    /// The number of terms that begin with each letter. The key is `None` if the first letter is neither ASCII nor CJK.
    /// The map is `None` for a query in the user's own FTS5 syntax: each of its words can be a prefix of any word.
    counts: Option<HashMap<Option<char>, usize>>,
    /// The maximum number of terms that can match the same word; at least 1.
    alike: usize,
}

impl Letters {
    fn new(terms: &[String]) -> Self {
        let mut counts = HashMap::new();
        for term in terms {
            let letter = term.chars().find(|c| c.is_alphanumeric());
            *counts.entry(letter.and_then(plain)).or_default() += 1;
        }
        Self {
            alike: most_alike(&counts),
            counts: Some(counts),
        }
    }

    /// Returns the first letters of a number of unknown terms.
    fn unknown(terms: usize) -> Self {
        Self {
            counts: None,
            alike: terms.max(1),
        }
    }

    /// Returns the number of terms that can match a word at a character. `is_inside`: whether an ASCII letter or digit
    /// precedes the character.
    fn terms_at(&self, c: char, is_inside: bool) -> usize {
        match (plain(c), &self.counts) {
            // No term matches inside an ASCII word, or between words.
            (Some(_), _) if c.is_ascii() && (is_inside || !c.is_ascii_alphanumeric()) => 0,
            (Some(letter), Some(counts)) => {
                let with = |letter| counts.get(&letter).copied().unwrap_or_default();
                with(Some(letter)) + with(None)
            }
            // The character can be a separator, a letter, or a mark on a letter.
            (None, _) | (_, None) => self.alike,
        }
    }

    /// Counts the positions at which terms can match, from the start of a text until there are more than `most`.
    fn places(&self, text: &str, most: usize) -> Places {
        let (mut first, mut count, mut is_inside) = (None, 0, false);
        for (at, c) in text.char_indices() {
            let terms = self.terms_at(c, is_inside);
            if terms > 0 {
                first.get_or_insert(at);
            }
            if count + terms > most {
                return Places {
                    first,
                    count,
                    end: at,
                };
            }
            count += terms;
            is_inside = c.is_ascii_alphanumeric();
        }
        Places {
            first,
            count,
            end: text.len(),
        }
    }
}

/// The positions in a text at which terms can match.
struct Places {
    /// The first position.
    first: Option<usize>,
    /// The number of positions before `end`, counting each term that can match there.
    count: usize,
    /// The end of the part of the text that was counted.
    end: usize,
}

/// Returns the key of a first letter in [`Letters::counts`]; `None` if removing the letter's diacritics can turn it
/// into any other letter. Words can be counted by first letter, because stemming never changes it.
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

/// Finds the passages of the rows that match a query.
pub(crate) struct Passages<'a> {
    index: &'a Connection,
    /// The `tokenize` argument of the index.
    tokenize: &'a str,
    query: &'a Query,
    marking: &'a Marking,
    /// Created for the first long section.
    pieces: OnceCell<Pieces>,
}

impl<'a> Passages<'a> {
    /// Prepares to find passages in `index`. `tokenize`: the `tokenize` argument of the index.
    pub(crate) fn new(
        index: &'a Connection,
        tokenize: &'a str,
        query: &'a Query,
        marking: &'a Marking,
    ) -> Self {
        Self {
            index,
            tokenize,
            query,
            marking,
            pieces: OnceCell::new(),
        }
    }

    /// Returns the heading of a matching row, and the passage with the words. If the budget for marking words is spent,
    /// the passage is the beginning of the section.
    pub(crate) fn of(&self, rowid: i64) -> rusqlite::Result<(String, String)> {
        let (file, section, content): (String, String, String) = self
            .index
            .prepare_cached(ROW)?
            .query_row([rowid], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let passage = if self.marking.left() == 0 {
            beginning(&content, BEGINNING_BYTES)
        } else {
            self.marked(rowid, [&file, &section, &content])?
        };
        Ok((section, passage))
    }

    /// Returns the passage with the words marked. `columns`: the columns of the row; the passage is in the last column.
    fn marked(&self, rowid: i64, columns: [&str; 3]) -> rusqlite::Result<String> {
        let [.., content] = columns;
        let (mut count, mut has_few, mut first) = (0, true, None);
        // `snippet()` weighs the matches in the other columns, too.
        for column in columns {
            let places = self.query.letters.places(column, MAX_PLACES - count);
            count += places.count;
            has_few &= places.end == column.len();
            first = places.first;
        }
        if has_few {
            self.marking.spend(self.query.steps_to_find());
            self.marking.weigh(count);
            let mut passage = self.index.prepare_cached(PASSAGE)?;
            return passage.query_row((&self.query.expression, rowid), |row| row.get(0));
        }
        let first = first.unwrap_or_default();
        let pieces = self.pieces()?;
        let found = pieces.passage(content, first, self.query, self.marking)?;
        Ok(found.unwrap_or_else(|| beginning(content, PIECE_BYTES)))
    }

    fn pieces(&self) -> rusqlite::Result<&Pieces> {
        if let Some(pieces) = self.pieces.get() {
            return Ok(pieces);
        }
        let pieces = Pieces::new(self.tokenize)?;
        Ok(self.pieces.get_or_init(|| pieces))
    }
}

/// Returns the beginning of a section.
fn beginning(content: &str, bytes: usize) -> String {
    let end = end_of_piece(content, 0, bytes);
    with_ellipses(&content[..end], false, end < content.len())
}

/// An in-memory index for the pieces of a text.
struct Pieces(Connection);

impl Pieces {
    fn new(tokenize: &str) -> rusqlite::Result<Self> {
        let index = Connection::open_in_memory()?;
        register(&index)?;
        let table = "CREATE VIRTUAL TABLE sections USING fts5(file, section, content, tokenize=";
        index.execute_batch(&format!("{table}'{tokenize}')"))?;
        Ok(Self(index))
    }

    /// Returns the snippet of the first piece of `text` at or after `start` that contains one of the words; `None` if no
    /// piece within the limit contains one.
    fn passage(
        &self,
        text: &str,
        mut start: usize,
        query: &Query,
        marking: &Marking,
    ) -> rusqlite::Result<Option<String>> {
        let mut pieces = 0;
        while start < text.len() {
            let end = end_of_piece(text, start, BLOCK_BYTES);
            self.insert(&text[start..end], marking)?;
            let mut at = if self.contains(query)? { start } else { end };
            while at < end && pieces < MAX_PIECES {
                let (next, places) = piece(&text[..end], at, query);
                self.insert(&text[at..next], marking)?;
                if let Some(found) = self.snippet(query)? {
                    marking.weigh(places);
                    return Ok(Some(with_ellipses(&found, at > 0, next < text.len())));
                }
                (at, pieces) = (next, pieces + 1);
            }
            start = end;
        }
        Ok(None)
    }

    /// Indexes a part of a text, replacing the previous part.
    fn insert(&self, part: &str, marking: &Marking) -> rusqlite::Result<()> {
        marking.spend(part.len() as u64 * STEPS_OF_BYTE);
        let sql = "INSERT OR REPLACE INTO sections(rowid, content) VALUES(1, ?1)";
        self.0.prepare_cached(sql)?.execute([part]).map(drop)
    }

    fn contains(&self, query: &Query) -> rusqlite::Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM sections WHERE sections MATCH ?1)";
        let mut statement = self.0.prepare_cached(sql)?;
        statement.query_row([&query.any], |row| row.get(0))
    }

    fn snippet(&self, query: &Query) -> rusqlite::Result<Option<String>> {
        let mut statement = self.0.prepare_cached(PASSAGE)?;
        let found = statement.query_row((&query.any, 1), |row| row.get(0));
        found.optional()
    }
}

/// Returns the end of a piece with few enough word positions to be weighed, and an upper bound on the number of these
/// positions.
fn piece(text: &str, start: usize, query: &Query) -> (usize, usize) {
    let end = end_of_piece(text, start, PIECE_BYTES);
    let letters = &query.letters_of_any;
    // Allow at least one word, however many terms match it.
    let most = MAX_PIECE_PLACES.max(letters.alike);
    let places = letters.places(&text[start..end], most);
    let end = if start + places.end == end {
        end
    } else {
        end_of_piece(text, start, places.end)
    };
    (end, places.count)
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
        passage(&index, tokenize, &query)
    }

    fn passage(index: &Connection, tokenize: &str, query: &Query) -> String {
        let marking = Marking::default();
        let passages = Passages::new(index, tokenize, query, &marking);
        passages.of(1).unwrap().1
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
        let found = passage(&index, PORTER, &query);
        assert!(query.short_bytes() < 1_000);
        assert!(found.starts_with("[MATCH]e[/MATCH]"), "{found}");
    }

    #[test]
    fn a_piece_has_few_positions_and_enough_words_for_a_snippet() {
        let text = "e ".repeat(4_000);
        for (words, bytes) in [(1, 1023), (8, 127), (16, 63)] {
            let query = Query::raw(&"e ".repeat(words));
            assert_eq!(piece(&text, 0, &query), (bytes, 512), "{words}");
        }
        let many = Query::raw(&"e ".repeat(2_000));
        assert_eq!(piece(&text, 0, &many), (1, 2_000));
        let terms = terms("e-e e-e-e e-e-e-e zebra");
        assert_eq!(piece(&text, 0, &Query::new(&terms)).0, 339);
        let plain = "some plain filler words ".repeat(100);
        assert_eq!(piece(&plain, 0, &Query::new(&terms)), (1018, 0));
    }

    #[test]
    fn results_are_marked_while_work_is_left() {
        let index = table(PORTER, &"e ".repeat(240));
        let query = Query::raw(&"e ".repeat(16));
        // The number of steps for weighing the positions in one piece.
        let one = 2 * 512 * 512;
        let marking = Marking::new(one + one / 2);
        let passages = Passages::new(&index, PORTER, &query, &marking);
        let found: Vec<String> = (0..3).map(|_| passages.of(1).unwrap().1).collect();
        assert!(found[0].starts_with(&"[MATCH]e[/MATCH] ".repeat(31)));
        assert_eq!(found[1], found[0]);
        assert_eq!(found[2], format!("{}...", "e ".repeat(128).trim_end()));
        assert_eq!(marking.left(), 0);
    }

    #[test]
    fn marking_an_ordinary_result_takes_little_work() {
        let content = "Some plain words about rotating the keys of a service. ".repeat(20);
        let index = table(PORTER, &content);
        let marking = Marking::default();
        for query in [
            Query::new(&terms("rotate the keys of a service")),
            Query::raw("rotat* keys"),
        ] {
            let before = marking.left();
            let passages = Passages::new(&index, PORTER, &query, &marking);
            assert!(passages.of(1).is_ok());
            assert!(
                before - marking.left() < MAX_STEPS / 300,
                "{}",
                query.expression
            );
        }
    }

    #[test]
    fn matches_in_a_long_heading_are_not_weighed() {
        let index = table(PORTER, "a b c");
        let heading = "a ".repeat(100_000);
        index
            .execute("UPDATE sections SET section = ?1", [heading])
            .unwrap();
        let found = passage(&index, PORTER, &Query::new(&terms("a")));
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
        let found = passage(&index, PORTER, &query);
        let expected: String = index
            .query_row(PASSAGE, (&query.expression, 1), |row| row.get(0))
            .unwrap();
        assert_eq!(found, expected);
    }

    #[test]
    fn terms_that_can_match_the_same_word_are_counted() {
        let count = |query: &str| Query::new(&terms(query)).letters.alike;
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
