//! Query syntax.

use std::time::{Duration, Instant};

use skillc_tests::World;

use crate::searching::support::{UNUSABLE, build, files};

/// Creates a skill with text files. Each file has one section, so the file identifies the hit.
fn world(files: &[(&str, &str)]) -> World {
    World::built(files)
}

/// C-QUERY-SYNTAX.1.
#[test]
fn every_word_must_occur_in_any_order_and_distance() {
    let far = format!("alpha {} omega", "filler ".repeat(500));
    let world = world(&[
        ("far.txt", &far),
        ("near.txt", "omega alpha"),
        ("one.txt", "alpha alone"),
    ]);
    assert_eq!(files(&world, "alpha omega"), ["far.txt", "near.txt"]);
    assert_eq!(files(&world, "omega alpha"), ["far.txt", "near.txt"]);
    assert_eq!(files(&world, "alpha omega missing"), [""; 0]);
}

/// C-QUERY-SYNTAX.2.
#[test]
fn words_are_split_at_ascii_blanks_and_quotes_are_literal() {
    let world = world(&[("a.txt", "my very special app"), ("b.txt", "my app")]);
    for query in [
        "my \"special\" app",
        "\"my app\" special",
        "  my\tspecial\r\napp \n",
        "special \"\" my",
    ] {
        assert_eq!(files(&world, query), ["a.txt"], "{query:?}");
    }
}

/// C-QUERY-SYNTAX.3.
#[test]
fn other_blanks_do_not_separate_words() {
    let world = world(&[
        ("apart.txt", "alpha and beta"),
        ("together.txt", "alpha beta"),
    ]);
    for blank in ['\u{a0}', '\u{3000}', '\u{2003}', '\u{b}', '\u{85}'] {
        let query = format!("alpha{blank}beta");
        assert_eq!(files(&world, &query), ["together.txt"], "{query:?}");
    }
}

/// C-QUERY-SYNTAX.4.
#[test]
fn operators_are_ordinary_words() {
    let world = world(&[
        ("or.txt", "a or b"),
        ("ab.txt", "a b"),
        ("near.txt", "near x y"),
        ("foobar.txt", "foobar"),
        ("content.txt", "the word"),
    ]);
    for (query, expected) in [
        ("a OR b", vec!["or.txt"]),
        ("a NOT b", vec![]),
        ("NEAR(x y)", vec!["near.txt"]),
        ("foo*", vec![]),
        ("content:word", vec![]),
        ("{file content}:word", vec![]),
        ("^foobar", vec!["foobar.txt"]),
        ("-foobar", vec!["foobar.txt"]),
        ("foobar + foobar", vec!["foobar.txt"]),
        ("'; DROP TABLE sections; --", vec![]),
    ] {
        assert_eq!(files(&world, query), expected, "{query}");
    }
}

/// C-QUERY-SYNTAX.4, C-QUERY-SYNTAX.6.
#[test]
fn punctuation_alone_matches_nothing_without_an_error() {
    let world = world(&[("a.txt", "( ) ' ; * ^ \" - : { } + , word")]);
    for query in [
        "(", ")", "'", ";", "*", "^", "\"", "-", ":", "{", "}", "+", ",", "\"\"", "( ;", "--",
        "\\", "🦀",
    ] {
        assert_eq!(files(&world, query), [""; 0], "{query}");
    }
}

/// C-QUERY-SYNTAX.6.
#[test]
fn punctuation_next_to_a_word_is_ignored() {
    let world = world(&[("a.txt", "Greetings, \"folks\"!")]);
    for query in [
        "greetings,",
        "(folks)",
        "\"greetings\" ;",
        "folks greetings . !",
    ] {
        assert_eq!(files(&world, query), ["a.txt"], "{query}");
    }
}

/// C-QUERY-SYNTAX.5.
#[test]
fn words_are_stemmed_under_ascii_only() {
    let text = [("a.txt", "how to configure it")];
    assert_eq!(files(&world(&text), "configuring"), ["a.txt"]);
    let mut cjk = World::demo(&text);
    cjk.set("SKILLC_TOKENIZER", "cjk");
    build(&cjk);
    assert_eq!(files(&cjk, "configuring"), [""; 0]);
    assert_eq!(files(&cjk, "Configure"), ["a.txt"]);
}

/// C-QUERY-SYNTAX.7.
#[test]
fn a_query_of_ascii_blanks_is_empty() {
    let world = world(&[]);
    for query in ["", " ", "\t", "\n", "\r\n", " \t\r\n "] {
        world
            .skc(["search", "demo", query])
            .error("error[E004]: empty query");
    }
}

/// D-QUERY-UNICODE-SPACE, F-19.
#[test]
fn a_query_of_other_blanks_matches_nothing_without_an_error() {
    let world = world(&[("a.txt", "wide\u{3000}blank")]);
    for query in ["\u{3000}", "\u{a0}", "\u{2003}\u{3000}", "\u{b}", "\u{85}"] {
        assert_eq!(files(&world, query), [""; 0], "{query:?}");
    }
}

/// D-EMPTY-QUERY-ORDER.
#[test]
fn the_query_is_checked_after_the_skill_and_before_the_index() {
    let world = World::demo(&[]);
    world
        .skc(["search", "absent", ""])
        .error("error[E001]: skill 'absent' not found");
    world
        .skc(["search", "demo", " "])
        .error("error[E004]: empty query");
    world.skc(["search", "demo", "hello"]).error(UNUSABLE);
}

/// C-QUERY-SYNTAX.8: unquoted words form one query; the specification allows only one argument.
#[test]
fn several_unquoted_words_are_one_query() {
    let world = world(&[("a.txt", "net and gross"), ("b.txt", "net only")]);
    let found = |args: &[&str]| {
        let args = [&["search", "demo"], args, &["-o", "json"]].concat();
        world.skc_at(&world.cwd, &args).success().json()
    };
    let quoted = found(&["gross net"]);
    assert_eq!(quoted["results"].as_array().map(Vec::len), Some(1));
    assert_eq!(found(&["gross", "net"]), quoted);
    assert_eq!(found(&["gross", "--limit", "3", "net"]), quoted);
    assert_eq!(found(&["gross  net", "and"])["query"], "gross  net and");
}

/// C-QUERY-SYNTAX.9.
#[test]
fn unknown_modes_are_refused() {
    let world = world(&[]);
    for option in ["--regex", "--fuzzy", "--rawer"] {
        world.skc(["search", "demo", option, "hello"]).code("E100");
    }
    world.skc(["search", "demo"]).code("E100");
}

/// C-QUERY-SYNTAX.10.
#[test]
fn nul_is_dropped_from_a_query() {
    let world = world(&[("a.txt", "configure it")]);
    assert_eq!(files(&world, "con\0figure \0"), ["a.txt"]);
    world
        .skc(["search", "demo", "\0 \0"])
        .error("error[E004]: empty query");
}

/// If every position of one word were compared with every position of another, this search would take minutes, and even
/// longer with repeated words.
#[test]
fn a_word_that_occurs_everywhere_is_found_quickly() {
    let text = "zebra crossing\n".repeat(100_000);
    let world = world(&[("a.txt", &text)]);
    let begun = Instant::now();
    for query in [
        "zebra",
        "cross zebras",
        &"zebra ".repeat(600),
        &"Zebra zebra ".repeat(300),
    ] {
        let found = world.skc(["search", "demo", query]).success();
        let is_marked = found.text().contains("[MATCH]zebra[/MATCH]");
        assert!(is_marked, "{query}: {found:?}");
    }
    assert!(
        begun.elapsed() < Duration::from_secs(30),
        "{:?}",
        begun.elapsed()
    );
}

/// C-QUERY-SYNTAX.4: no query up to the maximum length is a syntax error.
#[test]
fn queries_of_4_kib_are_accepted_and_longer_ones_refused() {
    let world = world(&[("a.txt", "a b c")]);
    assert_eq!(files(&world, &"a ".repeat(2048)), ["a.txt"]);
    assert_eq!(files(&world, &"(".repeat(4096)), [""; 0]);
    world
        .skc(["search", "demo", &"a".repeat(4097)])
        .code("E100");
}
