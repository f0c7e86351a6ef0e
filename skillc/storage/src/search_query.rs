//! Translates the user's query to FTS5 syntax.
//!
//! Except in raw queries, every word becomes a quoted string, so FTS5 never interprets a part of the query as syntax:
//! operators, column filters, prefixes and stray quotes are plain text. The tokenizer interprets the words. A word
//! without tokens is ignored if the query has other words. Otherwise, it finds nothing.
//!
//! Design: C-QUERY-SYNTAX.

use std::collections::HashSet;

use rusqlite::Connection;

use crate::cjk_tokenizer::register;

/// The only characters that separate words. Other white space is left to the tokenizer.
const SEPARATORS: [char; 4] = [' ', '\t', '\n', '\r'];

/// In a query with at most this many terms, similar terms are not dropped. In a longer query, only this many terms may
/// consist of several tokens.
const FEW_TERMS: usize = 8;

/// The maximum number of tokens of a term. FTS5 reads all occurrences of each token.
const MAX_TOKENS: usize = 32;

/// How many tokens the longer terms of a query may have in total. Each term keeps at least one token.
pub(crate) const MAX_ALL_TOKENS: usize = 64;

/// The same limit for terms that are looked up one by one. It leaves room for at least eight long terms.
pub(crate) const MAX_LOOKUP_TOKENS: usize = 256;

/// Terms up to this size, in bytes, are never shortened, because they have few tokens.
const SHORT: usize = 16;

/// The maximum number of tokens of a raw query.
const MAX_RAW_TOKENS: usize = 64;

/// The minimum size of a token together with its separator, in bytes.
const BYTES_OF_TOKEN: usize = 2;

/// Returns the terms that FTS5 must find, in any order. Joined by spaces, the terms form the FTS5 expression.
///
/// `query`: a string of any length. NUL is dropped first, because it would end the expression inside `SQLite`. Each
/// term is a word in double quotes, with the quotes in the word doubled: `a "b"` → `"a"`, `"""b"""`. A repeated word is
/// dropped, because it would match nothing new, but would use time and memory again.
///
/// Design: C-QUERY-SYNTAX, R20.
pub(crate) fn terms(query: &str) -> Vec<String> {
    let query = query.replace('\0', "");
    let words = query.split(SEPARATORS).filter(|word| !word.is_empty());
    let mut seen = HashSet::new();
    words
        .filter(|word| seen.insert(word.to_ascii_lowercase()))
        .map(quoted)
        .collect()
}

/// Drops each term that matches the same words as an earlier term, because the time and memory of FTS5 grow with the
/// number of terms that match the same word. Different words can result in the same token, because the tokenizer
/// removes accents and endings. Of the terms that consist of several tokens, such as `a-b`, only the first
/// [`FEW_TERMS`] are kept.
///
/// `tokenize`: the `tokenize` argument of the index.
pub(crate) fn distinct(terms: Vec<String>, tokenize: &str) -> rusqlite::Result<Vec<String>> {
    if terms.len() <= FEW_TERMS {
        return Ok(terms);
    }
    let tokens_of = TokenTable::new(tokenize)?.tokens(&terms)?;
    let (mut seen, mut long) = (HashSet::new(), 0);
    let kept = terms.into_iter().zip(tokens_of).filter(|(_, tokens)| {
        let is_new = seen.insert(tokens.clone());
        long += usize::from(is_new && tokens.len() > 1);
        is_new && (tokens.len() < 2 || long <= FEW_TERMS)
    });
    Ok(kept.map(|(term, _)| term).collect())
}

/// Shortens each term to its first [`MAX_TOKENS`] tokens. Hardly any text contains these tokens in this order without
/// the rest.
///
/// `most_together`: how many tokens the terms may have in total; each term keeps at least one. `tokenize`: the
/// `tokenize` argument of the index.
pub(crate) fn shorten(
    terms: &mut [String],
    most_together: usize,
    tokenize: &str,
) -> rusqlite::Result<()> {
    // A word of ASCII letters and digits is one token.
    let is_token = |term: &str| {
        term[1..term.len() - 1]
            .bytes()
            .all(|c| c.is_ascii_alphanumeric())
    };
    let is_long = |term: &&mut String| term.len() > SHORT && !is_token(term);
    let mut long = terms.iter_mut().filter(is_long).peekable();
    if long.peek().is_none() {
        return Ok(());
    }
    let tokenizer = TokenTable::new(tokenize)?;
    let mut left = most_together;
    for term in long {
        let most = MAX_TOKENS.min(left).max(1);
        let word = term[1..term.len() - 1].replace("\"\"", "\"");
        let ends: Vec<usize> = word.char_indices().map(|(at, _)| at).collect();
        let count = tokenizer.count(&word)?;
        left = left.saturating_sub(count.min(most));
        if count <= most {
            continue;
        }
        let has_few = |end: usize| tokenizer.count(&word[..end]).map(|count| count <= most);
        // Find the last position at which the term can be cut before the next token begins.
        let (mut few, mut many) = (0, ends.len());
        while many - few > 1 {
            let middle = few.midpoint(many);
            if has_few(ends[middle])? {
                few = middle;
            } else {
                many = middle;
            }
        }
        *term = quoted(&word[..ends[few]]);
    }
    Ok(())
}

/// Checks the number of tokens in a raw query, because its phrases can be long, and cannot be shortened. Returns an
/// error message if there are too many tokens.
///
/// `tokenize`: the `tokenize` argument of the index.
pub(crate) fn check_raw(query: &str, tokenize: &str) -> rusqlite::Result<Result<(), String>> {
    let has_many = query.len() > MAX_RAW_TOKENS * BYTES_OF_TOKEN
        && TokenTable::new(tokenize)?.count(query)? > MAX_RAW_TOKENS;
    Ok(if has_many {
        Err(format!("the query has more than {MAX_RAW_TOKENS} tokens"))
    } else {
        Ok(())
    })
}

/// Splits strings into tokens as an index does.
struct TokenTable(Connection);

impl TokenTable {
    fn new(tokenize: &str) -> rusqlite::Result<Self> {
        let index = Connection::open_in_memory()?;
        register(&index)?;
        index.execute_batch(&format!(
            "CREATE VIRTUAL TABLE words USING fts5(word, tokenize='{tokenize}');
             CREATE VIRTUAL TABLE tokens USING fts5vocab(words, 'instance');"
        ))?;
        Ok(Self(index))
    }

    /// Returns the number of tokens in a string.
    fn count(&self, text: &str) -> rusqlite::Result<usize> {
        let insert = "INSERT OR REPLACE INTO words(rowid, word) VALUES(1, ?1)";
        self.0.prepare_cached(insert)?.execute([text])?;
        let select = "SELECT count(*) FROM tokens";
        let mut select = self.0.prepare_cached(select)?;
        select.query_row([], |row| row.get(0))
    }

    /// Returns the tokens of each string.
    fn tokens(&self, texts: &[String]) -> rusqlite::Result<Vec<Vec<String>>> {
        self.0.execute_batch("BEGIN")?;
        let mut insert = self.0.prepare("INSERT INTO words(word) VALUES(?1)")?;
        for text in texts {
            insert.execute([text])?;
        }
        let mut tokens_of = vec![Vec::new(); texts.len()];
        let select = "SELECT doc - 1, term FROM tokens ORDER BY doc, offset";
        let mut select = self.0.prepare(select)?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let (text, token): (usize, String) = (row.get(0)?, row.get(1)?);
            tokens_of[text].push(token);
        }
        Ok(tokens_of)
    }
}

/// Returns an upper bound on the number of phrases in a raw query, including operators. Every character that is not
/// ASCII counts as part of a word.
pub fn raw_words(query: &str) -> usize {
    let is_of_word = |c: char| !c.is_ascii() || c.is_ascii_alphanumeric();
    let words = query.split(|c| !is_of_word(c));
    words.filter(|word| !word.is_empty()).count()
}

/// Returns the query as one FTS5 phrase, whose words must be adjacent; `None` if the query is blank.
pub(crate) fn phrase(query: &str) -> Option<String> {
    let query = query.replace('\0', "");
    let query = query.trim_matches(SEPARATORS);
    (!query.is_empty()).then(|| quoted(query))
}

fn quoted(word: &str) -> String {
    format!("\"{}\"", word.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::TestRunner;
    use rusqlite::Connection;

    use super::*;
    use crate::cjk_tokenizer::register;

    const PORTER: &str = "porter unicode61";
    const CJK: &str = "skc unicode61";

    fn table(tokenize: &str, documents: &[&str]) -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        register(&connection).unwrap();
        let sql =
            format!("CREATE VIRTUAL TABLE f USING fts5(file, content, tokenize='{tokenize}')");
        connection.execute_batch(&sql).unwrap();
        for document in documents {
            connection
                .execute("INSERT INTO f VALUES('a.md', ?1)", [document])
                .unwrap();
        }
        connection
    }

    fn match_expression(query: &str) -> Option<String> {
        let terms = terms(query);
        (!terms.is_empty()).then(|| terms.join(" "))
    }

    /// Returns the matching rows. Reads each row completely, as a search does.
    fn search(connection: &Connection, query: &str) -> rusqlite::Result<Vec<i64>> {
        let Some(expression) = match_expression(query) else {
            return Ok(Vec::new());
        };
        let sql = "SELECT rowid, snippet(f, 1, '[', ']', '...', 32) FROM f WHERE f MATCH ?1 ORDER BY rank, rowid";
        let mut statement = connection.prepare_cached(sql)?;
        let rows = statement.query_map([expression], |row| {
            row.get::<_, String>(1)?;
            row.get(0)
        })?;
        rows.collect()
    }

    fn finds(connection: &Connection, query: &str) -> Vec<i64> {
        search(connection, query).unwrap()
    }

    /// C-QUERY-SYNTAX.2.
    #[test]
    fn words_are_quoted_and_joined() {
        let expected = r#""configure" "authentication""#;
        assert_eq!(
            match_expression("configure authentication").as_deref(),
            Some(expected)
        );
    }

    /// C-QUERY-SYNTAX.2.
    #[test]
    fn quotes_are_doubled() {
        let expected = r#""my" """special""" "app""#;
        assert_eq!(
            match_expression(r#"my "special" app"#).as_deref(),
            Some(expected)
        );
        assert_eq!(match_expression("\"").as_deref(), Some(r#""""""#));
    }

    #[test]
    fn a_repeated_word_is_dropped() {
        assert_eq!(match_expression("a b A a B").as_deref(), Some(r#""a" "b""#));
    }

    #[test]
    fn words_that_are_one_token_are_one_term() {
        let kept = |query: &str| distinct(terms(query), PORTER).unwrap().len();
        let accents = (0..50).map(|at| format!("e{}", "\u{301}".repeat(at)));
        let accents: Vec<String> = accents.collect();
        assert_eq!(kept(&accents.join(" ")), 1);
        assert_eq!(
            kept("run runs running Runs ran walk walks walked walking walkings"),
            3
        );
        let phrases: Vec<String> = (2..30).map(|count| vec!["a"; count].join("-")).collect();
        assert_eq!(kept(&phrases.join(" ")), FEW_TERMS);
        let words: Vec<String> = (0..30).map(|at| format!("word{at}")).collect();
        assert_eq!(kept(&words.join(" ")), 30);
        assert_eq!(kept("- + * / = a b c d e"), 6);
    }

    #[test]
    fn a_term_is_shortened_to_its_first_tokens() {
        let short = |query: &str, tokenize| {
            let mut terms = vec![quoted(query)];
            shorten(&mut terms, MAX_ALL_TOKENS, tokenize).unwrap();
            terms.remove(0)
        };
        let few = "e-".repeat(MAX_TOKENS);
        assert_eq!(short(&few, PORTER), quoted(&few));
        assert_eq!(short(&"e-".repeat(1_000), PORTER), quoted(&few));
        // Whole words are kept, and a quote is still a quote.
        let words = "\"привет\" ".repeat(MAX_TOKENS);
        assert_eq!(short(&format!("{words}мир"), PORTER), quoted(&words));
        let signs = "使".repeat(MAX_TOKENS);
        assert_eq!(short(&"使".repeat(1_000), CJK), quoted(&signs));
        let long = "x".repeat(3_000);
        assert_eq!(short(&long, PORTER), quoted(&long));
        let count = |term: &String| TokenTable::new(PORTER).unwrap().count(term).unwrap();
        let counts = |most: usize| -> Vec<usize> {
            let terms = (20..40).map(|count| quoted(&"e-".repeat(count)));
            let mut terms: Vec<String> = terms.collect();
            shorten(&mut terms, most, PORTER).unwrap();
            terms.iter().map(count).collect()
        };
        assert_eq!(counts(MAX_ALL_TOKENS)[..5], [20, 21, 22, 1, 1]);
        let looked_up = counts(MAX_LOOKUP_TOKENS);
        assert_eq!(looked_up[8..13], [28, 29, 11, 1, 1]);
        assert_eq!(looked_up.len(), 20);
    }

    #[test]
    fn a_raw_query_has_a_maximum_number_of_tokens() {
        let is_accepted = |query: &str, tokenize| check_raw(query, tokenize).unwrap().is_ok();
        assert!(is_accepted(&"使".repeat(MAX_RAW_TOKENS), CJK));
        assert!(!is_accepted(&"使".repeat(MAX_RAW_TOKENS + 1), CJK));
        assert!(is_accepted(&"使".repeat(1_000), PORTER));
        assert!(!is_accepted(
            &format!("\"{}\"", "e-".repeat(MAX_RAW_TOKENS + 1)),
            PORTER
        ));
    }

    #[test]
    fn any_character_that_is_not_ascii_counts_as_part_of_a_word_in_a_raw_query() {
        assert_eq!(raw_words("a OR \"b c\" NOT d*"), 6);
        assert_eq!(raw_words("\u{e000} OR \u{e000}"), 3);
        assert_eq!(raw_words("\"\""), 0);
    }

    /// C-QUERY-SYNTAX.2.
    #[test]
    fn ascii_white_space_separates_and_empty_words_are_dropped() {
        let expected = r#""a" "b" "c" "d" "e""#;
        assert_eq!(
            match_expression(" \ta  b\tc\nd\r\ne\r\n").as_deref(),
            Some(expected)
        );
    }

    /// C-QUERY-SYNTAX.3.
    #[test]
    fn other_white_space_does_not_separate() {
        for c in [
            '\u{a0}', '\u{3000}', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{200b}',
        ] {
            assert_eq!(
                match_expression(&format!("a{c}b")),
                Some(format!("\"a{c}b\"")),
                "{c:?}"
            );
        }
    }

    /// C-QUERY-SYNTAX.7.
    #[test]
    fn a_query_without_words_has_no_expression() {
        for query in ["", " ", "\t\n\r ", "\0", " \0 \0"] {
            assert_eq!(match_expression(query), None, "{query:?}");
        }
    }

    /// C-QUERY-SYNTAX.10.
    #[test]
    fn nul_is_dropped_before_splitting() {
        assert_eq!(
            match_expression("con\0figure \0 x\0").as_deref(),
            Some(r#""configure" "x""#)
        );
        assert_eq!(finds(&table(PORTER, &["configure it"]), "con\0figure"), [1]);
    }

    /// C-QUERY-SYNTAX.1.
    #[test]
    fn every_word_must_occur_in_any_order_and_distance() {
        let connection = table(
            PORTER,
            &["alpha then much later beta", "alpha alone", "beta alpha"],
        );
        assert_eq!(finds(&connection, "alpha beta").len(), 2);
        assert_eq!(finds(&connection, "beta alpha").len(), 2);
        assert_eq!(finds(&connection, "alpha gamma"), [0; 0]);
    }

    /// C-QUERY-SYNTAX.4.
    #[test]
    fn operators_are_ordinary_words() {
        let connection = table(
            PORTER,
            &[
                "a or b",
                "a b",
                "foobar foo x",
                "near x y",
                "col x",
                "file",
                "not a",
            ],
        );
        for (query, expected) in [
            ("a OR b", vec![1]),
            ("a NOT b", vec![]),
            ("NEAR(x y)", vec![4]),
            ("foo*", vec![3]),
            ("foob*", vec![]),
            ("-x col", vec![5]),
            ("col:x", vec![5]),
            ("file:a", vec![]),
            ("{file}:a", vec![]),
            ("^near", vec![4]),
            ("near ^y", vec![4]),
            ("foobar+foo", vec![3]),
        ] {
            assert_eq!(finds(&connection, query), expected, "{query}");
        }
    }

    /// C-QUERY-SYNTAX.4, C-QUERY-SYNTAX.6.
    #[test]
    fn punctuation_alone_matches_nothing_without_an_error() {
        let punctuation = [
            "(", ")", "'", ";", "\"", "\"\"", "*", "^", "-", "--", ":", "{", "}", "+", ",", "\\",
            "/*",
        ];
        for connection in [PORTER, CJK].map(|tokenize| table(tokenize, &["hello ( ) ' ; \" world"]))
        {
            for query in punctuation
                .into_iter()
                .chain(["\u{3000}", "\u{a0}", "、。", "( ) ;", "🦀", "\u{301}"])
            {
                assert_eq!(finds(&connection, query), [0; 0], "{query}");
            }
        }
    }

    /// C-QUERY-SYNTAX.6.
    #[test]
    fn punctuation_next_to_words_is_ignored() {
        for connection in [PORTER, CJK].map(|tokenize| table(tokenize, &["Say hello, world."])) {
            for query in [
                "hello,",
                "hello",
                "(hello)",
                "hello , world",
                "\u{3000}hello",
                "hello ;",
            ] {
                assert_eq!(finds(&connection, query), [1], "{query}");
            }
        }
    }

    /// C-QUERY-SYNTAX.5.
    #[test]
    fn only_the_porter_index_stems() {
        assert_eq!(finds(&table(PORTER, &["configure it"]), "configuring"), [1]);
        assert_eq!(finds(&table(CJK, &["configure it"]), "configuring"), [0; 0]);
        assert_eq!(
            finds(&table("unicode61", &["configure it"]), "configuring"),
            [0; 0]
        );
    }

    /// C-QUERY-SYNTAX.4: tests queries of the maximum length, with as many words as possible and with a single word.
    #[test]
    fn a_query_of_4_kib_is_accepted() {
        for connection in [PORTER, CJK].map(|tokenize| table(tokenize, &["a b 使 c"])) {
            for (unit, matches) in [
                ("a ", true),
                ("a ; ", true),
                ("; ", false),
                ("\"", false),
                ("(", false),
            ] {
                let query = unit.repeat(4096 / unit.len());
                assert_eq!(!finds(&connection, &query).is_empty(), matches, "{unit:?}");
            }
            assert_eq!(finds(&connection, &"使".repeat(1365)), [0; 0]);
        }
    }

    fn query() -> impl Strategy<Value = String> {
        let pieces = prop::sample::select(vec![
            " ", "\"", "\"\"", "'", "(", ")", "*", "^", "-", "+", ":", "{", "}", ";", ",", "\0",
            "\t", "\n", "OR", "AND", "NOT", "NEAR(", "content:", "file", "a", "使", "用", "か",
            "한", "\u{3000}", "\u{a0}", "\u{301}", "🦀",
        ]);
        let piece = prop_oneof![3 => pieces.prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)];
        prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }

    /// C-QUERY-SYNTAX.4, C-QUERY-SYNTAX.10.
    #[test]
    fn queries_never_cause_an_sql_error() {
        let documents = ["a file OR NEAR content", "使用か한", "a 使 \" ( ) 🦀"];
        let tables = [PORTER, CJK].map(|tokenize| table(tokenize, &documents));
        let outcome = TestRunner::default().run(&query(), |query| {
            for connection in &tables {
                let found = search(connection, &query);
                prop_assert!(found.is_ok(), "{:?}: {:?}", match_expression(&query), found);
            }
            Ok(())
        });
        assert_eq!(outcome, Ok(()));
    }
}
