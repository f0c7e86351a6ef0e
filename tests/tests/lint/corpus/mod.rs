//! Runs every skill of the corpus through build, outline, show, open and search.
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

use markdown::{Line, plain_headings, words_of};

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

/// Runs a check on every skill that builds, on two threads.
fn for_each_built(check: impl Fn(&Built) + Sync) {
    let Some(skills) = corpus::skills() else {
        return;
    };
    let (even, odd): (Vec<_>, Vec<_>) = skills.iter().enumerate().partition(|(at, _)| at % 2 == 0);
    std::thread::scope(|scope| {
        for half in [even, odd] {
            let check = &check;
            scope.spawn(move || {
                half.into_iter()
                    .filter_map(|(_, path)| Built::new(path).ok())
                    .for_each(|built| check(&built));
            });
        }
    });
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().expect("a text").to_owned()
}

fn number(value: &Value, key: &str) -> usize {
    usize::try_from(value[key].as_u64().expect("a number")).expect("a small one")
}

/// C-COMPAT-FORMAT.1, C-INPUT.1.
#[test]
fn every_skill_with_name_and_description_builds_and_the_others_are_e011() {
    let Some(skills) = corpus::skills() else {
        return;
    };
    let mut refused = BTreeSet::new();
    for path in &skills {
        if let Err(stderr) = Built::new(path) {
            assert!(
                stderr.starts_with("error[E011]: missing frontmatter field '"),
                "{}: {stderr}",
                path.display()
            );
            refused.insert(
                path.file_name()
                    .expect("a name")
                    .to_string_lossy()
                    .into_owned(),
            );
        }
    }
    assert!(skills.len() > 100, "{} skills", skills.len());
    let expected = ["missing-description", "nested-name", "no-frontmatter"].map(str::to_owned);
    assert_eq!(refused, BTreeSet::from(expected));
}

/// C-OUTLINE.1, C-OUTLINE.2.
#[test]
fn outline_lists_every_heading() {
    for_each_built(|built| {
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
    });
}

/// C-SHOW.1, C-SHOW.6.
#[test]
fn show_finds_the_first_heading_with_each_text_in_each_file() {
    for_each_built(|built| {
        let mut seen = BTreeSet::new();
        for entry in built.outline() {
            let (file, heading) = (text(&entry, "file"), text(&entry, "heading"));
            if !seen.insert((file.clone(), heading.to_lowercase())) {
                continue;
            }
            let shown = built.world.skc([
                "show",
                &built.name,
                "--section",
                &heading,
                "--file",
                &file,
                "-o",
                "json",
            ]);
            let shown = shown.success().json();
            assert_eq!(
                number(&shown, "start_line"),
                number(&entry, "line"),
                "{}: {file}: {heading}",
                built.name
            );
            let content = text(&shown, "content");
            assert!(
                built.read(&file).contains(&content) && !content.is_empty(),
                "{}: {file}: {heading}",
                built.name
            );
        }
    });
}

/// C-OPEN.1, C-OPEN.5.
#[test]
fn open_returns_every_file_byte_for_byte() {
    for_each_built(|built| {
        let listed = built
            .world
            .skc(["sources", &built.name, "--limit", "100000", "-o", "json"])
            .success()
            .json();
        for entry in listed
            .as_array()
            .expect("a list")
            .iter()
            .filter(|entry| entry["type"] == "file")
        {
            let path = text(entry, "path");
            let opened = built.world.skc(["open", &built.name, &path]).success();
            assert!(
                opened.stdout == fs::read(built.source.join(&path)).expect("a file"),
                "{}: {path}",
                built.name
            );
        }
    });
}

/// C-FORMATS.1, C-SEARCH.1, D-CJK.
#[test]
fn search_finds_words_of_the_sections() {
    for_each_built(|built| {
        for entry in &built.outline() {
            let (file, heading) = (text(entry, "file"), text(entry, "heading"));
            let lines: Vec<String> = built.read(&file).lines().map(str::to_owned).collect();
            let Some(words) = words_of(&lines, number(entry, "line")) else {
                continue;
            };
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
            // If a subsection has all the words, it is the result, and `above` lists the section.
            let names = |hit: &Value| {
                let above = hit["above"].as_array().into_iter().flatten();
                above.chain([&hit["section"]]).any(|name| *name == heading)
            };
            let is_there = hits
                .iter()
                .any(|hit| hit["file"] == file.as_str() && names(hit));
            assert!(is_there, "{}: '{words}' of {file}#{heading}", built.name);
        }
    });
}
