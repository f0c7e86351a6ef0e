//! Classifies files by their paths: samples, tests, and files for people.

use skillc_core::RelPath;

/// Folders of templates and samples. Links in such files are relative to the folder in which the files will be used,
/// not to the folder in which they are stored.
const SAMPLES: &str = "assets|template|templates|example|examples|sample|samples";

/// Folders of tests and their expected results.
const TESTS: &str = "expected|expected_output|expected_outputs|fixture|fixtures|test|tests|testdata|__tests__|snapshots|\
    eval|evals|evaluation|evaluations|logs|outputs";

/// Prefixes of the names of files for people. A hyphen, an underscore, a dot or the end of the name must follow.
const FOR_PEOPLE: &str = "readme|changelog|changes|history|contributing|contributors|code_of_conduct|security|authors|\
    credits|license|licence|copying|notice|notices|trademark|trademarks|third_party_notices|third_party_licenses|\
    agents|claude|gemini|copilot_instructions";

/// Returns whether a file is a template, a sample, or part of a test.
pub(crate) fn is_sample(path: &RelPath) -> bool {
    is_in(path, SAMPLES) || is_test(path)
}

/// Returns whether a file is part of a test, or an expected result.
pub(crate) fn is_test(path: &RelPath) -> bool {
    is_in(path, TESTS)
}

fn is_in(path: &RelPath, list: &str) -> bool {
    let mut folders = path.as_str().split('/').rev().skip(1);
    folders.any(|folder| is_one_of(&folder.to_ascii_lowercase(), list))
}

/// Returns whether a file is for people, or for agents that work on the skill itself: `README.md`, `README.zh-CN.md`,
/// `LICENSE-APACHE.md`, `AGENTS.md`.
pub(crate) fn is_for_people(path: &RelPath) -> bool {
    let name = path.file_name().to_ascii_lowercase().replace('-', "_");
    let begins = |word: &&str| {
        let rest = name.strip_prefix(*word);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '_']))
    };
    FOR_PEOPLE.split('|').any(|word| begins(&word))
}

/// Returns whether a file is about the skill's repository, so that its links refer to files of the repository.
pub(crate) fn is_about_repository(path: &RelPath) -> bool {
    let name = path.file_name().to_ascii_lowercase();
    ["readme", "changelog"]
        .iter()
        .any(|start| name.starts_with(start))
}

fn is_one_of(word: &str, list: &str) -> bool {
    list.split('|').any(|known| known == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RelPath {
        RelPath::parse(text).unwrap()
    }

    #[test]
    fn files_are_classified_by_folder_and_name() {
        for sample in ["assets/a.md", "x/Examples/y/a.md", "evals/logs/1.md"] {
            assert!(is_sample(&path(sample)), "{sample}");
        }
        for other in ["references/a.md", "examples.md", "latest/a.md"] {
            assert!(!is_sample(&path(other)), "{other}");
        }
        for name in [
            "README.md",
            "a/README.zh-CN.md",
            "readme_ja.md",
            "LICENSE-APACHE.md",
            "AGENTS.md",
            "Third-Party-Notices.md",
            "TRADEMARKS.md",
        ] {
            assert!(is_for_people(&path(name)), "{name}");
        }
        for name in [
            "historical.md",
            "agents-guide/a.md",
            "securing.md",
            "noticed.md",
        ] {
            assert!(!is_for_people(&path(name)), "{name}");
        }
    }
}
