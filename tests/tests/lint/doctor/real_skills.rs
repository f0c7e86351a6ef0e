//! Real-world skills.

use std::fs;
use std::path::Path;

use serde_json::Value;
use skillc_tests::corpus;

use super::{doctor, list, repository, text};

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    fs::copy(from.join("SKILL.md"), to.join("SKILL.md")).expect("a file");
}

/// Every reported location is within the file, and its bytes match the report.
#[test]
fn reported_bytes_match_the_files_of_the_corpus() {
    let Some(skills) = corpus::skills() else {
        return;
    };
    let world = repository();
    for (number, skill) in skills.iter().enumerate() {
        let name = skill
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        for root in [".claude/skills", ".agents/skills"] {
            copy(
                skill,
                &world
                    .cwd
                    .join(root)
                    .join(format!("group{number}"))
                    .join(&name),
            );
        }
    }
    let output = doctor(
        &world,
        &[
            "--client",
            "codex,codelia,goose,opencode,gemini-cli",
            "-o",
            "json",
        ],
    );
    let json = output.json();
    let mut places = 0;
    for problem in list(&json["problems"]) {
        let Some(cause) = problem.get("cause") else {
            continue;
        };
        places += 1;
        let file = fs::read(text(&problem["path"])).expect("a file");
        let number =
            |key: &str| usize::try_from(cause[key].as_u64().expect("a number")).expect("small");
        let (offset, length) = (number("offset"), number("length"));
        let bytes = &file[offset..offset + length];
        let hex: Vec<String> = bytes
            .iter()
            .take(8)
            .map(|byte| format!("{byte:02X}"))
            .collect();
        assert_eq!(cause["bytes"], Value::from(hex.join(" ")), "{problem}");
        let line = file[..offset].split(|byte| *byte == b'\n').count();
        assert_eq!(number("line"), line, "{problem}");
    }
    assert!(places > 10, "{places}");
    // Codex searches deep enough to find every skill.
    let codex = &json["clients"][0];
    assert_eq!(list(&codex["skills"]).len(), skills.len());
}
