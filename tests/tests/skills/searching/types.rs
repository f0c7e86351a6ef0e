//! Search in a file of each type that has an indexer.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use skillc_tests::World;

use crate::searching::code::SAMPLES;
use crate::searching::support::found;

/// A file of each type that is not source code. In each file but the last, "zebra" and "antelope" are in different
/// sections.
const OTHERS: [(&str, &str); 11] = [
    ("b.md", "# Antelope\n\nx\n\n# Zebra\n\ny\n"),
    ("b.csv", "name,count\nantelope,1\nzebra,2\n"),
    ("b.tsv", "name\tcount\nantelope\t1\nzebra\t2\n"),
    ("b.json", "{\n  \"antelope\": 1,\n  \"zebra\": 2\n}\n"),
    ("b.yaml", "antelope: 1\nzebra: 2\n"),
    ("b.yml", "antelope: 1\nzebra: 2\n"),
    ("b.toml", "antelope = 1\nzebra = 2\n"),
    (
        "b.html",
        "<h1>Antelope</h1>\n<p>x</p>\n<h1>Zebra</h1>\n<p>y</p>\n",
    ),
    (
        "b.htm",
        "<h1>Antelope</h1>\n<p>x</p>\n<h1>Zebra</h1>\n<p>y</p>\n",
    ),
    (
        "b.ipynb",
        "{\"cells\": [\n{\"cell_type\": \"markdown\", \"source\": [\"# Antelope\"]},\n{\"cell_type\": \"markdown\", \"source\": [\"# Zebra\"]}\n], \"nbformat\": 4}\n",
    ),
    ("b.txt", "x\nzebra\n"),
];

/// Returns the extensions listed on the book's page of indexers.
fn listed() -> BTreeSet<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src/reference/indexers.md");
    let page = fs::read_to_string(page).expect("a page");
    let quoted = page.split('`').skip(1).step_by(2);
    let extensions = quoted.filter_map(|quoted| quoted.strip_prefix('.'));
    extensions.map(str::to_owned).collect()
}

/// C-FORMATS.
#[test]
fn words_in_a_file_of_each_type_are_found_in_their_lines() {
    let code = SAMPLES.map(|(file, text, _)| (file, text));
    let world = World::demo(&[&code[..], &OTHERS[..]].concat());
    assert_eq!(world.skc(["build", "demo"]).success().stderr, "");
    let mut types = BTreeSet::new();
    for (file, _, hits) in SAMPLES {
        for (words, heading, lines) in hits {
            let expected = [(file.to_owned(), (*heading).to_owned(), *lines)];
            assert_eq!(found(&world, words, file), expected, "{file}: {words}");
        }
    }
    for (file, text) in OTHERS {
        let hits = found(&world, "zebra", file);
        let [(_, _, (first, end))] = hits[..] else {
            panic!("{file}: {hits:?}");
        };
        let [first, end] = [first, end].map(|line| usize::try_from(line).expect("small"));
        let shown: Vec<&str> = text.lines().skip(first - 1).take(end - first).collect();
        let shown = shown.join(" ").to_lowercase();
        assert!(shown.contains("zebra"), "{file}: {shown}");
        assert!(!shown.contains("antelope"), "{file}: {shown}");
    }
    let files = SAMPLES.iter().map(|(file, ..)| *file);
    for file in files.chain(OTHERS.map(|(file, _)| file)) {
        let (_, extension) = file.split_once('.').expect("an extension");
        types.insert(extension.to_owned());
    }
    assert_eq!(types, listed());
}
