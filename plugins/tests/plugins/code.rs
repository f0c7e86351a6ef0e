//! Tests that the indexer of source code keeps every word of any file, and takes linear time.

use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use skillc_core::{Indexer, LineIndex, RelPath, SourceFile};
use skillc_lint::PluginRegistry;
use skillc_plugins as _;

const KINDS: [&str; 11] = [
    "c", "cpp", "go", "h", "java", "js", "py", "rs", "sh", "ts", "tsx",
];

/// The maximum factor by which the time may grow if the size of the text doubles, and a tolerance for noise. Both are
/// generous, because the machine may be busy.
const MOST: u32 = 4;
const NOISE: Duration = Duration::from_millis(200);

fn indexer() -> Arc<dyn Indexer> {
    let plugins = PluginRegistry::linked().expect("no duplicates");
    let path = RelPath::parse("a.py").expect("a relative path");
    Arc::clone(plugins.indexer_for(&path).expect("an indexer"))
}

/// Returns the lines, the heading and the content of each section; `None` if the file is indexed as plain text.
fn sections(kind: &str, bytes: &[u8]) -> Option<Vec<(Range<usize>, String, String)>> {
    let path = RelPath::parse(&format!("a.{kind}")).expect("a relative path");
    let file = SourceFile::new(path, bytes.to_vec());
    let mut found = Vec::new();
    let result = indexer().sections(&file, &mut |section| {
        let texts = (section.heading.into_owned(), section.content.into_owned());
        found.push((section.lines, texts.0, texts.1));
    });
    result.ok().map(|()| found)
}

/// Returns the words in `text`.
fn words(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.is_empty()).collect()
}

/// Generates random text from fragments of all languages.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let known = prop::sample::select(vec![
        "\n",
        "\n\n",
        " ",
        "    ",
        "\t",
        "\r\n",
        "\r",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        "<",
        ">",
        ";",
        ":",
        ",",
        "=",
        "=>",
        "::",
        ".",
        "*",
        "&",
        "\"",
        "'",
        "`",
        "\\",
        "$",
        "#",
        "@",
        "//",
        "/*",
        "*/",
        "///",
        "/**",
        "\"\"\"",
        "f\"",
        "r#\"",
        "\"#",
        "R\"x(",
        "<<EOF\n",
        "EOF\n",
        "${",
        "$((",
        "def f(x):",
        "class A:",
        "class B {",
        "fn g() {",
        "impl C {",
        "struct D",
        "enum E {",
        "mod m {",
        "func h()",
        "func (t T) k()",
        "type U struct {",
        "interface I {",
        "namespace n {",
        "template <class T>",
        "int i(void)",
        "#define J(x)",
        "#if 1",
        "#endif\n",
        "l() {",
        "function o() {",
        "const p = () => {",
        "export ",
        "async ",
        "@q\n",
        "#[r]\n",
        "pub ",
        "static ",
        "typedef ",
        "return 1",
        "é",
        "word",
        "\u{feff}",
        "0x1f",
        "<div>",
        "</div>",
    ]);
    let piece = prop_oneof![
        12 => known.prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 1..3),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

/// Checks that each word of the text is in a section, and on the lines of this section.
fn check_words(kind: &str, bytes: &[u8]) -> Result<(), TestCaseError> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    let lines = LineIndex::new(text.as_bytes());
    let Some(found) = sections(kind, bytes) else {
        return Ok(());
    };
    let mut kept = BTreeSet::new();
    for (range, heading, content) in &found {
        prop_assert!(
            1 <= range.start && range.start < range.end,
            "{kind}: {range:?}"
        );
        prop_assert!(range.end <= lines.count() + 1, "{kind}: {range:?}");
        let shown = words(&text[lines.range(range.start, range.end)]);
        prop_assert!(words(content).is_subset(&shown), "{kind}: {heading}");
        kept.extend(words(content));
    }
    prop_assert_eq!(&kept, &words(text), "{}", kind);
    let starts: Vec<usize> = found.iter().map(|(range, ..)| range.start).collect();
    prop_assert!(starts.is_sorted(), "{kind}: {starts:?}");
    Ok(())
}

proptest! {
    #[test]
    fn every_word_of_any_text_is_in_a_section_and_in_its_lines(bytes in pieces()) {
        for kind in KINDS {
            check_words(kind, &bytes)?;
        }
    }
}

/// The files of the fixtures: their extensions and bytes.
fn fixtures() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/indexers/code");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    let files = paths.iter().map(|path| {
        let kind = path.extension().expect("an extension").to_string_lossy();
        (kind.into_owned(), fs::read(path).expect("a file"))
    });
    files.filter(|(kind, _)| kind != "snap").collect()
}

proptest! {
    #[test]
    fn every_word_of_broken_code_is_in_a_section_and_in_its_lines(
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..60, pieces()), 1..4)
    ) {
        for (kind, mut bytes) in fixtures() {
            for (at, removed, piece) in &changes {
                let start = at.index(bytes.len() + 1);
                let end = bytes.len().min(start + removed);
                drop(bytes.splice(start..end, piece.iter().copied().take(40)));
            }
            check_words(&kind, &bytes)?;
        }
    }
}

#[test]
fn words_are_not_divided_or_joined_where_a_symbol_begins_or_ends() {
    for (kind, text) in [
        ("c", "0x1fint a(void) { }word\n"),
        ("java", "0x1finterface I { }\n"),
        ("java", "class A { int b = 0x1fvoid c() { } }word\n"),
        ("java", "class A { word@q void b() { }word }\n"),
        ("js", "$ = () => {}\n"),
        ("js", "a = 1function b() { }c\n"),
        ("java", "class A { $() {} }\n"),
        ("rs", "0x1fstruct A { }word\n"),
        ("java", "class A {\n/** a */\n\n/** b */\nclass B {\n"),
    ] {
        check_words(kind, text.as_bytes()).expect(text);
    }
}

/// The name of a kind of hostile text, and a function that generates such text with about the given length in bytes.
type Shape = (&'static str, fn(usize) -> String);

const SHAPES: [Shape; 22] = [
    ("open brackets", |n| "((((((((((\n".repeat(n / 11)),
    ("open blocks", |n| "class a { ".repeat(n / 10) + "\n"),
    ("nested functions", |n| "int f() { ".repeat(n / 10) + "\n"),
    ("nested blocks", |n| {
        ["if (a) {\n", "}\n"]
            .map(|line| line.repeat(n / 11))
            .concat()
    }),
    ("nested arrays", |n| {
        format!("x = {}{}\n", "[\n".repeat(n / 4), "]\n".repeat(n / 4))
    }),
    ("closing brackets", |n| "}]})\n".repeat(n / 5)),
    ("operators", |n| "a + * < - > b\n".repeat(n / 14)),
    ("a long sum", |n| {
        format!("x = 1{}\n", "\n + 1".repeat(n / 5))
    }),
    ("a long chain", |n| {
        format!("x{}\n", "\n.y(1)".repeat(n / 6))
    }),
    ("raw strings", |n| "r#\"\n".repeat(n / 4)),
    ("raw strings of C++", |n| "R\"x(\n".repeat(n / 5)),
    ("backticks", |n| "a`b\n".repeat(n / 4)),
    ("quotes", |n| "'\"\n".repeat(n / 3)),
    ("here-documents", |n| "cat <<A\n".repeat(n / 8)),
    ("expansions", |n| "${a:-\n".repeat(n / 6)),
    ("templates", |n| "a<b<c<d\n".repeat(n / 8)),
    ("generics", |n| "f<\n".repeat(n / 3)),
    ("tags", |n| "<a><b>\n".repeat(n / 7)),
    ("comments", |n| "/**/ // #\n".repeat(n / 10)),
    ("comments without end", |n| "/* /*\n".repeat(n / 6)),
    ("documented functions", |n| {
        "/** a */\n# b\nint f(void) { }\n".repeat(n / 29)
    }),
    ("words", |n| "word word\n".repeat(n / 10)),
];

/// Design: R20.
#[test]
fn hostile_code_takes_time_in_proportion() {
    let time = |kind: &str, text: &str| {
        let start = Instant::now();
        sections(kind, text.as_bytes());
        start.elapsed()
    };
    let mut slow = Vec::new();
    // The other file types belong to the same languages.
    let kinds = KINDS
        .iter()
        .filter(|kind| !["cpp", "h", "ts", "tsx"].contains(kind));
    for kind in kinds {
        for (name, shape) in SHAPES {
            let (small, large) = (shape(50_000), shape(100_000));
            // A busy machine may interrupt some of the runs, but not all.
            let is_slow = |_| time(kind, &large) > time(kind, &small) * MOST + NOISE;
            if (0..6).all(is_slow) {
                slow.push(format!("{name} in .{kind}"));
            }
        }
    }
    assert_eq!(slow, [""; 0]);
}

#[test]
fn a_large_minified_file_is_one_section() {
    let text = "function a(b){return b+1}".repeat(400_000);
    let start = Instant::now();
    let found = sections("js", text.as_bytes()).expect("not a fault");
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "{:?}",
        start.elapsed()
    );
    assert_eq!(found, [(1..2, String::new(), text)]);
}
