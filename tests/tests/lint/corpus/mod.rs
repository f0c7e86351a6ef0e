//! Runs every skill of the corpus through build, outline, show, open and search.
//!
//! Compares every heading with the outline. If several headings, files or sections of a skill are alike, checks `show`,
//! `open` and `search` with only the first, because each check runs a whole command, and there are 17,000 headings.
//!
//! Skipped with a message on machines without a corpus next to the repository.

#[cfg(unix)]
mod journey;
mod lint;
mod markdown;
mod matrix;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use skillc_tests::{World, corpus};

use markdown::{Line, marks, plain_headings, words_of};

/// A skill of the corpus, built in its own world.
struct Built {
    world: World,
    name: String,
    source: PathBuf,
}

impl Built {
    /// Builds a skill with the CJK tokenizer, which leaves other words intact.
    fn new(path: &Path) -> Result<Self, String> {
        let mut world = World::new();
        world.set("SKILLC_TOKENIZER", "cjk");
        let path = path.to_str().expect("a UTF-8 path");
        let output = world.skc(["build", path, "--target", "./agents", "-o", "json"]);
        if !output.ok {
            return Err(output.stderr);
        }
        let json = output.json();
        let text = |key: &str| json[key].as_str().expect("a text").to_owned();
        Ok(Self {
            world,
            name: text("skill"),
            source: PathBuf::from(text("source")),
        })
    }

    fn outline(&self) -> Vec<Value> {
        let json = self
            .world
            .skc(["outline", &self.name, "-o", "json"])
            .success()
            .json();
        json.as_array().expect("a list").clone()
    }

    fn read(&self, file: &str) -> String {
        String::from_utf8_lossy(&fs::read(self.source.join(file)).expect("a file")).into_owned()
    }
}

/// Builds every skill and runs the checks on the skills that can be built, on two threads. Returns the names of the
/// skills that cannot be built.
fn for_each_built(skills: &[PathBuf], checks: &[fn(&Built)]) -> BTreeSet<String> {
    let of_thread = |thread: usize| {
        let mut refused = BTreeSet::new();
        for path in skills.iter().skip(thread).step_by(2) {
            match Built::new(path) {
                Ok(built) => {
                    for check in checks {
                        check(&built);
                    }
                }
                Err(stderr) => {
                    let name = path.file_name().expect("a name").to_string_lossy();
                    assert!(
                        stderr.starts_with("error[E011]: missing frontmatter field '"),
                        "{name}: {stderr}"
                    );
                    refused.insert(name.into_owned());
                }
            }
        }
        refused
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(|| of_thread(1));
        let mut refused = of_thread(0);
        refused.extend(other.join().expect("no failed check"));
        refused
    })
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().expect("a text").to_owned()
}

fn number(value: &Value, key: &str) -> usize {
    usize::try_from(value[key].as_u64().expect("a number")).expect("a small one")
}

/// C-COMPAT-FORMAT.1, C-FORMATS.1, C-INPUT.1, C-OPEN.1, C-OPEN.5, C-OUTLINE.1, C-OUTLINE.2, C-SEARCH.1, C-SHOW.1,
/// C-SHOW.6, D-CJK.
#[test]
fn every_skill_with_name_and_description_is_built_and_read_and_the_others_are_e011() {
    let Some(skills) = corpus::skills() else {
        return;
    };
    assert!(skills.len() > 100, "{} skills", skills.len());
    let checks = [
        outline_lists_every_heading,
        show_finds_the_first_heading_with_each_text_in_each_file,
        open_returns_files_byte_for_byte,
        search_finds_words_of_the_sections,
    ];
    let expected = ["missing-description", "nested-name", "no-frontmatter"].map(str::to_owned);
    assert_eq!(for_each_built(&skills, &checks), BTreeSet::from(expected));
}

fn outline_lists_every_heading(built: &Built) {
    let listed: BTreeSet<(String, usize, usize)> = built
        .outline()
        .iter()
        .map(|entry| {
            (
                text(entry, "file"),
                number(entry, "line"),
                number(entry, "level"),
            )
        })
        .collect();
    let files: BTreeSet<&String> = listed.iter().map(|(file, _, _)| file).collect();
    for file in files {
        for Line { number, level } in plain_headings(&built.read(file)) {
            assert!(
                listed.contains(&(file.clone(), number, level)),
                "{}: {file}:{number}",
                built.name
            );
        }
    }
}

fn show_finds_the_first_heading_with_each_text_in_each_file(built: &Built) {
    let (mut seen, mut shown) = (BTreeSet::new(), BTreeSet::new());
    // If several headings in a file have the same text, `show` must find the first. So the first is always checked.
    let mut again = BTreeSet::new();
    let outline = built.outline();
    let place = |entry: &Value| (text(entry, "file"), text(entry, "heading").to_lowercase());
    for entry in &outline {
        if !seen.insert(place(entry)) {
            again.insert(place(entry));
        }
    }
    seen.clear();
    for entry in &outline {
        let (file, heading) = (text(entry, "file"), text(entry, "heading"));
        let is_alike = !shown.insert(marks(&heading));
        if !seen.insert(place(entry)) || is_alike && !again.contains(&place(entry)) {
            continue;
        }
        let section = built.world.skc([
            "show",
            &built.name,
            "--section",
            &heading,
            "--file",
            &file,
            "-o",
            "json",
        ]);
        let section = section.success().json();
        assert_eq!(
            number(&section, "start_line"),
            number(entry, "line"),
            "{}: {file}: {heading}",
            built.name
        );
        let content = text(&section, "content");
        assert!(
            built.read(&file).contains(&content) && !content.is_empty(),
            "{}: {file}: {heading}",
            built.name
        );
    }
}

fn open_returns_files_byte_for_byte(built: &Built) {
    let listed = built
        .world
        .skc(["sources", &built.name, "--limit", "100000", "-o", "json"])
        .success()
        .json();
    let mut opened = BTreeSet::new();
    for entry in listed
        .as_array()
        .expect("a list")
        .iter()
        .filter(|entry| entry["type"] == "file")
    {
        let path = text(entry, "path");
        let name = path.rsplit('/').next().expect("a name");
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        if !opened.insert((extension.to_owned(), marks(stem))) {
            continue;
        }
        let output = built.world.skc(["open", &built.name, &path]).success();
        assert!(
            output.stdout == fs::read(built.source.join(&path)).expect("a file"),
            "{}: {path}",
            built.name
        );
    }
}

fn search_finds_words_of_the_sections(built: &Built) {
    let mut searched = BTreeSet::new();
    for entry in &built.outline() {
        let (file, heading) = (text(entry, "file"), text(entry, "heading"));
        let lines: Vec<String> = built.read(&file).lines().map(str::to_owned).collect();
        let Some(words) = words_of(&lines, number(entry, "line")) else {
            continue;
        };
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        let kind = (folder.to_owned(), marks(&words), number(entry, "level"));
        if !searched.insert(kind) {
            continue;
        }
        let found = built
            .world
            .skc([
                "search",
                &built.name,
                &words,
                "--limit",
                "100000",
                "-o",
                "json",
            ])
            .success()
            .json();
        let hits = found["results"].as_array().expect("a list");
        // If a subsection contains all the words, the subsection is the result, and its `above` lists the section.
        let names = |hit: &Value| {
            let above = hit["above"].as_array().into_iter().flatten();
            above.chain([&hit["section"]]).any(|name| *name == heading)
        };
        let is_there = hits
            .iter()
            .any(|hit| hit["file"] == file.as_str() && names(hit));
        assert!(is_there, "{}: '{words}' of {file}#{heading}", built.name);
    }
}
