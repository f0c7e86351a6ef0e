//! Search in source code: its symbols, their lines and their documentation.

use skillc_tests::World;

use crate::searching::support::{found, place, places, write};

/// A sample file: its name, its text, and one hit for each section. A hit is a word in the section, the heading of the
/// section, and the lines of the section.
pub(crate) type Sample = (&'static str, &'static str, &'static [Hit]);
pub(crate) type Hit = (&'static str, &'static str, (u64, u64));

pub(crate) const SAMPLES: [Sample; 11] = [
    (
        "a.py",
        "import antelope\n\n\nclass Zoo:\n    \"\"\"Has a baboon.\"\"\"\n\n    # About a capybara.\n    def feed(self):\n        return \"dolphin\"\n\n\nprint(\"elephant\")\n",
        &[
            ("antelope elephant", "", (1, 13)),
            ("baboon", "Zoo", (4, 10)),
            ("capybara dolphin", "Zoo::feed", (7, 10)),
        ],
    ),
    (
        "a.js",
        "import antelope from \"x\";\n\n/** Has a baboon. */\nclass Zoo {\n  // About a capybara.\n  feed() { return \"dolphin\"; }\n}\n\nexport const close = () => \"flamingo\";\n",
        &[
            ("antelope", "", (1, 2)),
            ("baboon", "Zoo", (3, 8)),
            ("capybara dolphin", "Zoo::feed", (5, 7)),
            ("flamingo", "close", (9, 10)),
        ],
    ),
    (
        "a.ts",
        "// An antelope.\n\nexport interface Zoo {\n  baboon: string;\n}\n\nnamespace Cages {\n  /** About a capybara. */\n  export function feed(zoo: Zoo): \"dolphin\" { return \"dolphin\"; }\n}\n",
        &[
            ("antelope", "", (1, 2)),
            ("baboon", "Zoo", (3, 6)),
            ("capybara dolphin", "Cages::feed", (8, 10)),
        ],
    ),
    (
        "a.tsx",
        "import antelope from \"x\";\n\n/** Shows a baboon. */\nexport function Card(props: { name: string }) {\n  return <p>capybara {props.name}</p>;\n}\n",
        &[
            ("antelope", "", (1, 2)),
            ("baboon capybara", "Card", (3, 7)),
        ],
    ),
    (
        "a.rs",
        "//! An antelope.\n\n/// Has a baboon.\n#[derive(Debug)]\nstruct Zoo;\n\nimpl Zoo {\n    /// About a capybara.\n    fn feed(&self) -> &str {\n        \"dolphin\"\n    }\n}\n",
        &[
            ("antelope", "", (1, 8)),
            ("baboon", "Zoo", (3, 6)),
            ("capybara dolphin", "Zoo::feed", (8, 12)),
        ],
    ),
    (
        "a.go",
        "package antelope\n\n// Zoo has a baboon.\ntype Zoo struct{}\n\n// Feed is about a capybara.\nfunc (z *Zoo) Feed() string {\n\treturn \"dolphin\"\n}\n",
        &[
            ("antelope", "", (1, 2)),
            ("baboon", "Zoo", (3, 5)),
            ("capybara dolphin", "Zoo::Feed", (6, 10)),
        ],
    ),
    (
        "A.java",
        "package antelope;\n\n/** Has a baboon. */\npublic class Zoo {\n    /** About a capybara. */\n    @Override\n    String feed() {\n        return \"dolphin\";\n    }\n}\n",
        &[
            ("antelope", "", (1, 2)),
            ("baboon", "Zoo", (3, 11)),
            ("capybara dolphin", "Zoo::feed", (5, 10)),
        ],
    ),
    (
        "a.c",
        "#include <antelope.h>\n\n/* Has a baboon. */\nstruct zoo {\n    int animals;\n};\n\n/* About a capybara. */\nstatic const char *feed(struct zoo *zoo)\n{\n    return \"dolphin\";\n}\n",
        &[
            ("antelope", "", (1, 2)),
            ("baboon", "zoo", (3, 7)),
            ("capybara dolphin", "feed", (8, 13)),
        ],
    ),
    (
        "a.cpp",
        "#include <antelope>\n\n/// Has a baboon.\nclass Zoo {\n    /// About a capybara.\n    std::string feed() { return \"dolphin\"; }\n};\n\nvoid Zoo::close()\n{\n    flamingo();\n}\n",
        &[
            ("antelope", "", (1, 2)),
            ("baboon", "Zoo", (3, 8)),
            ("capybara dolphin", "Zoo::feed", (5, 7)),
            ("flamingo", "Zoo::close", (9, 13)),
        ],
    ),
    (
        "a.h",
        "#include <antelope.h>\n\n/* About a capybara. */\nint feed(const char *dolphin);\n\nclass Zoo {\n    void baboon();\n};\n",
        &[
            ("antelope", "", (1, 2)),
            ("capybara dolphin", "feed", (3, 5)),
            ("baboon", "Zoo::baboon", (7, 8)),
        ],
    ),
    (
        "a.sh",
        "#!/bin/sh\n# About an antelope.\n\n# About a capybara.\nfeed() {\n    echo dolphin\n}\n\nfeed elephant\n",
        &[
            ("antelope elephant", "", (1, 10)),
            ("capybara dolphin", "feed", (4, 8)),
        ],
    ),
];

/// C-FORMATS.6.
#[test]
fn words_of_each_language_are_found_in_the_lines_of_their_symbols() {
    let world = World::demo(&SAMPLES.map(|(file, text, _)| (file, text)));
    assert_eq!(world.skc(["build", "demo"]).success().stderr, "");
    for (file, text, hits) in SAMPLES {
        for (words, heading, lines) in hits {
            let expected = [(file.to_owned(), (*heading).to_owned(), *lines)];
            assert_eq!(found(&world, words, file), expected, "{file}: {words}");
            if !heading.is_empty() {
                let shown = world.skc(["show", "demo", heading, "--file", file]);
                let (first, end) = *lines;
                let kept = text
                    .lines()
                    .skip(usize::try_from(first).expect("small") - 1);
                let kept = kept.take(usize::try_from(end - first).expect("small"));
                let kept: Vec<&str> = kept.collect();
                let expected = kept.join("\n") + "\n";
                assert_eq!(shown.success().text(), expected, "{file}: {heading}");
            }
        }
    }
}

#[test]
fn words_of_documentation_rank_above_the_same_words_in_code() {
    let function = |name: &str, doc: &str, word: &str| {
        format!("# {doc} of the harbour\ndef {name}(ship, quay):\n    return {word}(ship, quay)\n")
    };
    let files = [
        ("a.py", function("first", "moves", "anchor")),
        ("b.py", function("second", "anchor", "moves")),
        ("c.py", function("third", "moves", "anchor")),
    ];
    let files = files.each_ref().map(|(file, text)| (*file, text.as_str()));
    let world = World::built(&files);
    let hits = places(&world, "anchor");
    assert_eq!(hits.len(), 3);
    assert_eq!(hits[0], place("b.py", "second"));
}

#[test]
fn code_that_cannot_be_parsed_is_indexed_as_text_with_a_warning() {
    let broken = ")]}> zebra <<= $% ((( {{{ ;;; ::: ??? ]]] }}} ,,, @@@ \\\\ %% ^^ &&\n".repeat(3);
    let deep = format!("zebra = {}\n", "(".repeat(300));
    let world = World::demo(&[
        ("deep.py", &deep),
        ("unclosed.js", "const zebra = 1;\nconst text = `\n"),
    ]);
    for kind in ["c", "cpp", "go", "h", "java", "js", "py", "rs", "ts", "tsx"] {
        write(&world, &format!("broken.{kind}"), &broken);
    }
    let built = world.skc(["build", "demo"]).success();
    let warnings: Vec<&str> = built.stderr.lines().collect();
    let start = "warning[W025]: indexed as plain text: ";
    assert!(
        warnings.iter().all(|line| line.starts_with(start)),
        "{warnings:#?}"
    );
    for reason in [
        "'broken.py' (syntax error in line 1)",
        "'deep.py' (nested more than 256 levels deep in line 1)",
        "'unclosed.js' (the string or comment in line 2 does not end)",
    ] {
        assert!(
            warnings.contains(&&*format!("{start}{reason}")),
            "{reason}: {warnings:#?}"
        );
    }
    assert_eq!(warnings.len(), 12, "{warnings:#?}");
    let hits = places(&world, "zebra");
    assert_eq!(hits.len(), 12);
    assert!(
        hits.iter().all(|(_, heading)| heading.is_empty()),
        "{hits:?}"
    );
}

#[test]
fn intact_symbols_of_a_file_with_a_syntax_error_are_sections() {
    let text = "def moor(ship):\n    return zebra\n\ndef cast_off(ship:\n    return ship[\n\ndef sail(ship):\n    return lion\n";
    let world = World::demo(&[("a.py", text)]);
    assert_eq!(world.skc(["build", "demo"]).success().stderr, "");
    assert_eq!(places(&world, "zebra"), [place("a.py", "moor")]);
    assert_eq!(places(&world, "lion"), [place("a.py", "sail")]);
}
