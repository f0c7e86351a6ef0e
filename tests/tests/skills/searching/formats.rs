//! Which files are indexed, and how they are split into sections.

use std::fs::{self, File};

use rusqlite::types::FromSql;
use skillc_core::testkit::write_files;
use skillc_tests::World;

use crate::searching::support::{build, column, files, place, places, write};

/// Returns a column of `sections` for one file, in document order.
fn of_file<T: FromSql>(world: &World, what: &str, file: &str) -> Vec<T> {
    let sql = format!("SELECT {what} FROM sections WHERE file = '{file}' ORDER BY rowid");
    column(&world.demo_index(), &sql)
}

const GUIDE: &str = "# Guide\n\nparent words\n\n## Child\n\nzebra\n\n# Next\n\nother\n";

/// C-FORMATS.1.
#[test]
fn a_section_extends_to_the_next_heading_of_its_level() {
    let world = World::built(&[("guide.md", GUIDE)]);
    let sections: Vec<String> = of_file(&world, "section", "guide.md");
    assert_eq!(sections, ["Guide", "Child", "Next"]);
    let contents: Vec<String> = of_file(&world, "content", "guide.md");
    assert_eq!(
        contents,
        [
            "# Guide\n\nparent words\n\n## Child\n\nzebra\n\n",
            "## Child\n\nzebra\n\n",
            "# Next\n\nother\n"
        ]
    );
}

/// D-PARENT-CONTENT, C-FORMATS.1.
#[test]
fn a_word_in_a_child_finds_the_child_without_its_parent() {
    let world = World::built(&[("guide.md", GUIDE)]);
    assert_eq!(places(&world, "zebra"), [place("guide.md", "Child")]);
    let both = "parent zebra";
    assert_eq!(places(&world, both), [place("guide.md", "Guide")]);
}

/// C-FORMATS.2.
#[test]
fn a_text_file_is_one_unnamed_section() {
    let text = "# no heading\n\none\n\ntwo\n";
    let world = World::built(&[("notes/a.txt", text), ("empty.txt", "")]);
    assert_eq!(of_file::<String>(&world, "section", "notes/a.txt"), [""]);
    assert_eq!(of_file::<String>(&world, "content", "notes/a.txt"), [text]);
    assert_eq!(of_file::<String>(&world, "content", "empty.txt"), [""]);
}

/// C-FORMATS.3.
#[test]
fn other_types_are_skipped_silently() {
    let world = World::demo(&[
        ("run.rb", "zebra = 1\n"),
        ("conf.ini", "zebra = 1\n"),
        ("LICENSE", "zebra\n"),
        ("archive.md.bak", "zebra\n"),
        ("folder.md/inside.pl", "zebra\n"),
    ]);
    write(&world, "image.png", b"\x89PNG\r\n\x1a\nzebra\0");
    let built = world.skc(["build", "demo"]).success();
    assert_eq!(built.stderr, "");
    assert_eq!(files(&world, "zebra"), [""; 0]);
    let indexed: Vec<String> = column(&world.demo_index(), "SELECT DISTINCT file FROM sections");
    assert_eq!(indexed, ["SKILL.md"]);
}

/// C-FORMATS.3.
#[test]
fn bytes_that_are_not_utf_8_are_replaced() {
    let world = World::demo(&[]);
    write(&world, "a.md", b"\xef\xbb\xbf# Caf\xe9\n\nzebra \xff\xfe\n");
    write(&world, "b.TXT", b"zebra \xc3\x28");
    assert_eq!(world.skc(["build", "demo"]).success().stderr, "");
    assert_eq!(
        places(&world, "zebra"),
        [place("b.TXT", ""), place("a.md", "Caf\u{fffd}")]
    );
}

/// C-FORMATS.4.
#[test]
fn the_file_of_every_hit_can_be_opened() {
    let world = World::built(&[
        ("a/b c/guide.md", "# Zebra\n"),
        ("a/notes.txt", "zebra\n"),
        ("a/table.csv", "animal\nzebra\n"),
        ("a/data.json", "{\"animal\": \"zebra\"}\n"),
    ]);
    let found = files(&world, "zebra");
    assert_eq!(
        found,
        [
            "a/b c/guide.md",
            "a/data.json",
            "a/notes.txt",
            "a/table.csv"
        ]
    );
    for file in found {
        let opened = world.skc(["open", "demo", &file]).success();
        let on_disk = fs::read(world.demo_source().join(&file)).expect("a file");
        assert_eq!(opened.stdout, on_disk, "{file}");
    }
}

/// C-FORMATS.5, D-PREAMBLE, F-16.
#[test]
fn text_before_or_without_headings_is_found() {
    let world = World::built(&[
        (
            "before.md",
            "---\ntag: leopard\n---\n\nzebra first\n\n# Heading\n\ntext\n",
        ),
        ("without.md", "---\ntag: leopard\n---\nzebra only\n"),
        ("blank.md", "---\ntag: leopard\n---\n\n \n# Heading\n"),
    ]);
    assert_eq!(
        places(&world, "zebra"),
        [place("before.md", ""), place("without.md", "")]
    );
    assert_eq!(
        of_file::<String>(&world, "section", "blank.md"),
        ["Heading"]
    );
}

/// D-PREAMBLE, F-16.
#[test]
fn frontmatter_is_not_indexed() {
    let world = World::built(&[("a.md", "---\ntag: leopard\n---\nText.\n")]);
    assert_eq!(files(&world, "leopard"), [""; 0]);
    assert_eq!(
        files(&world, "testing"),
        [""; 0],
        "the description of SKILL.md"
    );
}

/// F-17.
#[test]
fn hidden_files_and_directories_are_not_indexed() {
    let world = World::built(&[
        (".git/notes.txt", "zebra"),
        (".hidden/a.md", "# zebra\n"),
        ("seen/.hidden.md", "# zebra\n"),
        ("seen/a.txt", "zebra"),
    ]);
    assert_eq!(files(&world, "zebra"), ["seen/a.txt"]);
}

/// F-17.
#[test]
fn files_are_indexed_in_path_order_whatever_order_the_disk_has() {
    let names = ["z.md", "b/a.md", "B.md", "a.md", "a/z.md", "a-b.md"];
    let files: Vec<(&str, &str)> = names.iter().map(|name| (*name, "# Same\n")).collect();
    let world = World::built(&files);
    let expected = [
        "B.md", "SKILL.md", "a-b.md", "a.md", "a/z.md", "b/a.md", "z.md",
    ];
    let headings = "SELECT file FROM headings ORDER BY id";
    assert_eq!(column::<String>(&world.demo_index(), headings), expected);
    let sections = "SELECT file FROM sections ORDER BY rowid";
    assert_eq!(column::<String>(&world.demo_index(), sections), expected);
}

#[test]
fn rows_of_tables_and_values_of_json_are_found_by_name_and_value() {
    let world = World::built(&[
        ("prices.csv", "animal,price\nzebra,900\nlion,1200\n"),
        (
            "zoo.json",
            "{\"lion\": {\"cage\": 4}, \"zebra\": {\"cage\": 7, \"id\": 12345678901234567890123}}",
        ),
    ]);
    assert_eq!(places(&world, "animal 900"), [place("prices.csv", "row 1")]);
    assert_eq!(places(&world, "zebra cage 7"), [place("zoo.json", "zebra")]);
    assert_eq!(files(&world, "12345678901234567890123"), ["zoo.json"]);
}

#[test]
fn tables_and_json_do_not_affect_other_files() {
    let texts = [
        ("guide.md", GUIDE),
        ("notes.txt", "zebra"),
        ("run.rb", "zebra"),
    ];
    let data = [("a.csv", "k\nzebra\n"), ("b.json", "[\"zebra\"]")];
    let rows = |world: &World| {
        let sql = "SELECT file || '#' || section || content FROM sections
                   WHERE file NOT LIKE '%.csv' AND file NOT LIKE '%.json' ORDER BY rowid";
        column::<String>(&world.demo_index(), sql)
    };
    let with = World::built(&[&texts[..], &data[..]].concat());
    assert_eq!(rows(&with), rows(&World::built(&texts)));
    assert_eq!(rows(&with).len(), 5);
}

#[test]
fn a_malformed_file_is_indexed_as_text_with_a_warning() {
    let world = World::demo(&[("data/bad.json", "{\"a\": 1,\n \"zebra\": }\n")]);
    let built = world.skc(["build", "demo"]).success();
    let warning = "warning[W025]: indexed as plain text: 'data/bad.json' (expected value at line 2 column 11)\n";
    assert_eq!(built.stderr, warning);
    assert_eq!(places(&world, "zebra"), [place("data/bad.json", "")]);
}

#[test]
fn nesting_beyond_the_limit_is_indexed_as_plain_text() {
    let world = World::demo(&[]);
    let deep = format!("{}\"zebra\"{}", "[".repeat(5000), "]".repeat(5000));
    write(&world, "deep.json", deep);
    let built = world.skc(["build", "demo"]).success();
    let warning = "warning[W025]: indexed as plain text: 'deep.json' (nested more than 128 deep)\n";
    assert_eq!(built.stderr, warning);
    assert_eq!(places(&world, "zebra"), [place("deep.json", "")]);
}

#[test]
fn a_file_over_32_mib_is_named_in_a_warning_and_not_indexed() {
    let world = World::demo(&[("small.txt", "zebra")]);
    write(&world, "big.txt", "zebra");
    let big = File::options()
        .write(true)
        .open(world.demo_source().join("big.txt"));
    let size = (32 << 20) + 1;
    big.and_then(|file| file.set_len(size))
        .expect("a sparse file");
    let built = world.skc(["build", "demo"]).success();
    assert_eq!(
        built.stderr,
        "warning[W023]: file too large to index: 'big.txt'\n"
    );
    assert_eq!(files(&world, "zebra"), ["small.txt"]);
    assert!(world.skc(["sources", "demo"]).text().contains("big.txt"));
}

#[test]
fn text_after_a_nul_is_found_and_shown() {
    let world = World::demo(&[]);
    write(&world, "a.txt", "before\0after zebra\0end");
    write(&world, "b.md", "# Nul\0heading\n\nlion\0tiger\n");
    build(&world);
    let json = world.skc(["search", "demo", "zebra", "-o", "json"]).json();
    assert_eq!(
        json["results"][0]["snippet"],
        "before\u{fffd}after [MATCH]zebra[/MATCH]\u{fffd}end"
    );
    assert_eq!(
        places(&world, "tiger"),
        [place("b.md", "Nul\u{fffd}heading")]
    );
    let headings: Vec<String> = column(
        &world.demo_index(),
        "SELECT text FROM headings WHERE file = 'b.md'",
    );
    assert_eq!(headings, ["Nul\u{fffd}heading"]);
}

const KEYS: &str = r#"
/// Lines `key = value`
indexer(#{
    id: "keys",
    extensions: ["keys"],
    sections: |file, out| {
        for entry in file.find_all(`^(\w+) = .*$`) {
            out.section(entry.group(1).text, entry.source, entry.line, entry.line);
        }
    },
});
"#;

/// Creates a skill with files handled by a scripted indexer.
fn scripted(script: &str, files: &[(&str, &str)]) -> World {
    let world = World::demo(files);
    write_files(&world.cwd, &[(".skillc/plugins/keys.rhai", script)]);
    let built = world.skc(["build", "demo"]).success();
    assert_eq!(built.stderr, "");
    world
}

#[test]
fn scripted_indexers_include_text_outside_sections() {
    let files = [
        ("a.keys", "zebra first\n\nlion = 1\n"),
        ("b.keys", "zebra and no key\n"),
        ("blank.keys", "\n--\n\nlion = 2\n"),
        ("empty.keys", ""),
    ];
    let world = scripted(KEYS, &files);
    assert_eq!(
        places(&world, "zebra"),
        [place("a.keys", ""), place("b.keys", "")]
    );
    let content: Vec<String> = of_file(&world, "content", "a.keys");
    assert_eq!(content, ["lion = 1", "zebra first\n\n"]);
    assert_eq!(of_file::<String>(&world, "section", "blank.keys"), ["lion"]);
    assert_eq!(of_file::<String>(&world, "section", "empty.keys"), [""; 0]);
}

#[test]
fn data_indexers_skip_text_outside_sections() {
    let script = KEYS.replace("sections:", "other_text: false, sections:");
    let world = scripted(&script, &[("a.keys", "zebra first\n\nlion = 1\n")]);
    assert_eq!(files(&world, "zebra"), [""; 0]);
    let notebook = "{\"zebra\": 1, \"cells\": [\n{\"source\": \"lion\"}]}\n";
    let world = World::built(&[
        ("a.csv", "zebra\nlion\n"),
        ("b.json", "{\n\"lion\": 1}\n"),
        ("c.ipynb", notebook),
    ]);
    assert_eq!(places(&world, "zebra"), [place("a.csv", "row 1")]);
}
