//! `skc catalog search` with the user's own embedding model.

use std::fs;
use std::path::PathBuf;

use serde_json::{Map, Value, json};
use skillc_tests::World;

use crate::catalog::support::{configure, configure_user, json as found, names, skc, skill};

/// The words of the model, each with its vector.
const WORDS: [(&str, [i8; 4]); 12] = [
    ("[UNK]", [0, 0, 0, 0]),
    ("invoice", [90, 0, 0, 1]),
    ("bill", [80, 5, 0, 1]),
    ("##s", [0, 0, 0, 1]),
    ("deploy", [0, 90, 0, 1]),
    ("ship", [0, 80, 5, 1]),
    ("photo", [0, 0, 90, 1]),
    ("picture", [5, 0, 80, 1]),
    ("check", [9, 9, 9, 1]),
    ("-", [0, 0, 0, 0]),
    (".", [0, 0, 0, 0]),
    ("of", [0, 0, 0, -90]),
];

/// The configuration that enables the model.
const SETTING: &str = "[skills.search]\nmodel = \"~/model\"\n";

/// The queries of these tests. Each query shares words with a skill, contains only synonyms of such words, contains
/// neither, or is the name of a skill.
const QUERIES: [&str; 8] = [
    "bill",
    "bills",
    "deploy the service",
    "ship it",
    "check the picture of an invoice",
    "photo background",
    "something else entirely",
    "rollout",
];

/// Creates a project with three skills.
fn project() -> World {
    let world = World::project();
    skill(&world, "invoice-check", "Compares invoices with orders.");
    skill(&world, "rollout", "Deploy a service.");
    skill(&world, "cleanup", "Removes the background of a photo.");
    world
}

/// Returns the model's table: a header, and the vectors.
fn table() -> (String, Vec<u8>) {
    let data = WORDS.iter().flat_map(|(_, vector)| *vector);
    let data: Vec<u8> = data.map(i8::cast_unsigned).collect();
    let (rows, end) = (WORDS.len(), data.len());
    let header =
        json!({"embeddings": {"dtype": "I8", "shape": [rows, 4], "data_offsets": [0, end]}});
    (header.to_string(), data)
}

fn file(header: &str, data: &[u8]) -> Vec<u8> {
    let length = (header.len() as u64).to_le_bytes();
    [&length[..], header.as_bytes(), data].concat()
}

fn tokenizer() -> Value {
    let vocab = WORDS.iter().enumerate();
    let vocab: Map<String, Value> = vocab
        .map(|(id, (word, _))| ((*word).to_owned(), json!(id)))
        .collect();
    json!({
        "normalizer": {"type": "BertNormalizer", "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "vocab": vocab},
    })
}

/// Writes the model into the user's home directory. Returns its folder.
fn write_model(world: &World) -> PathBuf {
    let folder = world.home.join("model");
    fs::create_dir_all(&folder).expect("a directory");
    let (header, data) = table();
    fs::write(folder.join("model.safetensors"), file(&header, &data)).expect("a file");
    fs::write(folder.join("tokenizer.json"), tokenizer().to_string()).expect("a file");
    folder
}

/// R42.
#[test]
fn a_synonym_finds_a_skill_only_with_the_model() {
    let world = project();
    write_model(&world);
    for (query, name) in [
        ("bills", "invoice-check"),
        ("ship it", "rollout"),
        ("a picture", "cleanup"),
    ] {
        configure_user(&world, "");
        let before = found(&world, &["search", query]);
        assert_eq!(names(&before["results"]), [""; 0], "{query}");
        configure_user(&world, SETTING);
        let after = found(&world, &["search", query]);
        let first = &after["results"][0];
        assert_eq!(
            (&first["name"], &after["confident"]),
            (&name.into(), &false.into())
        );
        assert_eq!(first["reason"], "similar_meaning");
        let text = skc(&world, &["catalog", "search", query]).success();
        assert!(text.text().contains("similar_meaning"), "{}", text.text());
    }
}

/// R42: the model does not change whether a result counts as fitting; and a result never has a higher score than the
/// one before it.
#[test]
fn the_model_changes_neither_confidence_nor_the_range_of_scores() {
    let world = project();
    write_model(&world);
    for query in QUERIES {
        configure_user(&world, "");
        let before = found(&world, &["search", query]);
        configure_user(&world, SETTING);
        let after = found(&world, &["search", query]);
        assert_eq!(before["confident"], after["confident"], "{query}");
        let scores = after["results"].as_array().expect("a list").iter();
        let scores: Vec<u64> = scores.filter_map(|hit| hit["score"].as_u64()).collect();
        assert!(scores.is_sorted_by(|a, b| a > b), "{query}: {scores:?}");
        let all = names(&after["results"]);
        for name in names(&before["results"]) {
            assert!(all.contains(&name), "{query}: {name}");
        }
        let few = found(&world, &["search", query, "--limit", "1"]);
        assert_eq!(few["results"][0], after["results"][0], "{query}");
    }
    // A name takes precedence over words and meaning.
    let by_name = found(&world, &["search", "rollout"]);
    assert_eq!(by_name["results"][0]["reason"], "exact_name");
}

/// R42, D24: even a project that the user trusts cannot make searches read a folder of its choice.
#[test]
fn a_project_cannot_configure_a_model() {
    let world = project();
    let folder = write_model(&world);
    let path = folder.display().to_string();
    configure(&world, &format!("[skills.search]\nmodel = {path:?}\n"));
    let trust = format!(
        "[permissions]\ntrust_projects = [{:?}]\n",
        world.cwd.display().to_string()
    );
    for user in ["", trust.as_str()] {
        configure_user(&world, user);
        let run = skc(&world, &["catalog", "search", "bill"]);
        let expected =
            "skills.search.model is only honoured in the user's configuration file; ignored";
        assert!(run.stderr.contains(expected), "{}", run.stderr);
        assert!(!run.text().contains("invoice-check"), "{}", run.text());
    }
}

/// The table and the tokenizer of a model, and a part of the expected warning.
type Case<'a> = (Option<&'a [u8]>, Option<&'a str>, &'a str);

/// R42: an unusable model causes a warning, and the results are the same as without a model.
#[test]
fn a_broken_model_is_reported_and_ignored() {
    let world = project();
    configure_user(&world, "");
    let before: Vec<Value> = QUERIES
        .iter()
        .map(|query| found(&world, &["search", query]))
        .collect();
    let (header, data) = table();
    let table = file(&header, &data);
    let numbers = file(&header.replace("I8", "I64"), &data);
    let huge = [&[0xff; 8][..], &table[8..]].concat();
    let good = tokenizer().to_string();
    let other = good.replace("WordPiece", "Unigram");
    let cases: [Case<'_>; 8] = [
        (None, Some(&good), "model.safetensors: no such file"),
        (Some(&table), None, "tokenizer.json: "),
        (
            Some(&table[..table.len() - 1]),
            Some(&good),
            "the file is truncated",
        ),
        (Some(&huge), Some(&good), "the header is larger than 1 MiB"),
        (Some(&numbers), Some(&good), "numbers of type 'I64'"),
        (Some(b""), Some(&good), "the file is truncated"),
        (Some(&table), Some(&other), "a tokenizer of type 'Unigram'"),
        (Some(&table), Some(&good[..9]), "not a tokenizer: "),
    ];
    for (table, tokenizer, expected) in cases {
        let folder = write_model(&world);
        for (name, bytes) in [
            ("model.safetensors", table),
            ("tokenizer.json", tokenizer.map(str::as_bytes)),
        ] {
            match bytes {
                Some(bytes) => fs::write(folder.join(name), bytes),
                None => fs::remove_file(folder.join(name)),
            }
            .expect("a change");
        }
        configure_user(&world, SETTING);
        let run = skc(&world, &["catalog", "search", "bill"]).success();
        assert!(
            run.stderr.contains("warning[W020]: skills.search.model: "),
            "{}",
            run.stderr
        );
        assert!(run.stderr.contains(expected), "{expected}: {}", run.stderr);
        assert!(
            run.stderr.contains("skills are ranked without the model"),
            "{}",
            run.stderr
        );
        for (query, before) in QUERIES.iter().zip(&before) {
            assert_eq!(found(&world, &["search", query]), *before, "{query}");
        }
    }
}

/// A value that is not a path is ignored like any other invalid setting.
#[test]
fn a_model_must_be_a_path() {
    let world = project();
    for value in ["7", "\"\"", "true", "[\"a\"]"] {
        configure_user(&world, &format!("[skills.search]\nmodel = {value}\n"));
        let run = skc(&world, &["catalog", "search", "service"]).success();
        let expected = format!("skills.search.model: {value} is not a path; ignored");
        assert!(run.stderr.contains(&expected), "{}", run.stderr);
    }
}
