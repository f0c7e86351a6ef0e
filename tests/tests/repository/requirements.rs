//! Checks that every requirement is cited by a test.
//!
//! Requirements are the entries on the design pages that have a level. A test cites the ids it covers in its doc
//! comment, one by one: `/// C-INDEX.4, D-STALE.` Only the block of doc lines and attributes around a test attribute
//! counts, so the docs of types, rules and modules may mention ids freely. This file finds ids that no test cites, and
//! cited ids that do not exist. Whether a test really covers a cited requirement is left to review.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io, mem};

use crate::design::pages::{Entry, entries, pages};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Levels that require a test; `optional` and `superseded` do not.
const BINDING: [&str; 5] = ["must", "should", "promised", "decision", "fault"];

/// Returns all entries of the design pages, in page order.
fn all_entries() -> Vec<Entry> {
    let entries = pages().into_iter().map(|page| entries(&page));
    entries
        .flat_map(|entries| entries.expect("well formed"))
        .collect()
}

fn levels_of(id: &str) -> &'static [&'static str] {
    match id.split_once('-') {
        Some(("D", _)) => &["decision"],
        Some(("F", _)) => &["fault"],
        Some(("CAT" | "REG", _)) => &["must"],
        _ => &["must", "should", "promised", "optional", "superseded"],
    }
}

/// Describes an error in an entry's level: a requirement must have a level, and any other entry must not.
fn level_fault(entry: &Entry) -> Option<String> {
    let fits = match (&entry.level, looks_like_id(&entry.id)) {
        (Some(level), true) => levels_of(&entry.id).contains(&level.as_str()),
        (None, false) => true,
        _ => false,
    };
    (!fits).then(|| format!("{}: {:?}", entry.id, entry.level))
}

fn needs_a_test(entry: &Entry) -> bool {
    let level = entry.level.as_deref();
    level.is_some_and(|level| BINDING.contains(&level))
}

/// Returns whether `token` has the form of an id, even if no entry with this id exists: `C-SHOW.3`, `C-ERRORS@2.1`,
/// `G-TEST.4`, `D-STALE`, `F-07`, `CL.3`, `ADR1.2`, `CAT-LOAD.7`, `REG-DB.1`. A clause without a number (`C-SHOW`) is
/// not an id, nor is the name of a document (`ADR-0003`).
fn looks_like_id(token: &str) -> bool {
    let digit = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    let capital = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-';
    match token.split_once('-') {
        Some(("C" | "G" | "CAT" | "REG", rest)) => {
            rest.starts_with(capital) && rest.split_once('.').is_some_and(|(_, item)| digit(item))
        }
        Some(("D", rest)) => !rest.is_empty() && rest.chars().all(capital),
        Some(("F", rest)) => digit(rest),
        _ => ["CL.", "ADR"]
            .iter()
            .any(|kind| token.strip_prefix(kind).is_some_and(digit)),
    }
}

/// Returns the ids in a line of prose, matched whole: `C-INDEX.10` does not contain `C-INDEX.1`, and a trailing full
/// stop is not part of an id.
pub(crate) fn ids_in(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && !"-.@".contains(c))
        .map(|word| word.trim_end_matches(['.', '-']))
        .filter(|word| looks_like_id(word))
}

/// A block of consecutive doc lines, comments and attributes, as read so far.
#[derive(Default)]
struct Block<'a> {
    cited: Vec<(usize, &'a str)>,
    is_test: bool,
    is_ignored: bool,
    /// Unclosed brackets of a multi-line attribute.
    open: usize,
}

impl<'a> Block<'a> {
    /// Adds a line to the block; returns false if the line ends the block.
    fn takes(&mut self, number: usize, line: &'a str) -> bool {
        if self.open > 0 || line.starts_with("#[") {
            self.is_test |= attribute_name(line) == Some("test");
            self.is_ignored |= attribute_name(line) == Some("ignore");
            let open = self.open + line.matches('[').count();
            self.open = open.saturating_sub(line.matches(']').count());
            return true;
        }
        if line.starts_with("///") && !line.starts_with("////") {
            self.cited.extend(ids_in(line).map(|id| (number, id)));
        }
        line.starts_with("//")
    }
}

/// Returns the last part of an attribute's path: `test` for `#[test]` and for `#[tokio::test(flavor =
/// "current_thread")]`.
fn attribute_name(line: &str) -> Option<&str> {
    let path = line.strip_prefix("#[")?.split(['(', ']', ' ']).next()?;
    path.rsplit(':').next()
}

/// Returns the citations in the tests of one source file, in file order, each as its 1-based line and the id. Ignored
/// tests do not count.
fn citations(source: &str) -> Vec<(usize, &str)> {
    let (mut found, mut block) = (Vec::new(), Block::default());
    for (number, line) in (1..).zip(source.lines()) {
        if !block.takes(number, line.trim_start()) {
            let ended = mem::take(&mut block);
            if ended.is_test && !ended.is_ignored {
                found.extend(ended.cited);
            }
        }
    }
    found
}

/// Returns every `.rs` file below `folder`, in path order. Skips hidden folders and build output.
pub(crate) fn rust_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::path);
    for entry in entries {
        let (path, name) = (entry.path(), entry.file_name());
        if entry.file_type()?.is_dir() {
            if name != "target" && !name.as_encoded_bytes().starts_with(b".") {
                files.extend(rust_files(&path)?);
            }
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            files.push(path);
        }
    }
    Ok(files)
}

/// Returns the citations of all tests in the workspace, each as the id and `<file>:<line>`, relative to the root.
fn workspace_citations() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for file in rust_files(Path::new(ROOT)).expect("the workspace can be listed") {
        let source = fs::read_to_string(&file).expect("sources are readable UTF-8");
        let shown = file.strip_prefix(ROOT).unwrap_or(&file).display();
        for (line, id) in citations(&source) {
            all.push((id.to_owned(), format!("{shown}:{line}")));
        }
    }
    all
}

/// Returns the ids that require a test but are not cited by one.
fn uncovered<'a>(entries: &'a [Entry], cited: &BTreeSet<&str>) -> Vec<&'a str> {
    let wanted = entries.iter().filter(|entry| needs_a_test(entry));
    let ids = wanted.map(|entry| entry.id.as_str());
    ids.filter(|id| !cited.contains(id)).collect()
}

#[test]
fn every_normative_requirement_is_cited_by_a_test() {
    let citations = workspace_citations();
    let cited = citations.iter().map(|(id, _)| id.as_str()).collect();
    let entries = all_entries();
    assert!(entries.len() > 600, "{}", entries.len());
    let missing = uncovered(&entries, &cited);
    assert!(
        missing.is_empty(),
        "cited by no test: {}",
        missing.join(" ")
    );
}

#[test]
fn every_cited_id_is_a_listed_requirement() {
    let entries = all_entries();
    let known: BTreeSet<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
    let mut report = Vec::new();
    for (id, place) in workspace_citations() {
        if !known.contains(id.as_str()) {
            report.push(format!("{place}: {id}"));
        }
    }
    assert!(
        report.is_empty(),
        "cited but not listed:\n{}",
        report.join("\n")
    );
}

#[test]
fn only_requirements_have_a_level() {
    let faults: Vec<String> = all_entries().iter().filter_map(level_fault).collect();
    assert_eq!(faults, [""; 0]);
}

/// Tests of the scanner. Samples use `\n` escapes so that the scanner does not read them as lines of this file.
mod scanner {
    use super::*;
    use crate::design::pages::Page;

    #[test]
    fn ids_in_prose_are_matched_whole() {
        let text =
            "see C-INDEX.10, (C-ERRORS@2.3) F-07/D-END-LINE; `CL.3` and ADR1.2. REG-DB.1: D-12-TOP";
        let found = ids_in(text).collect::<Vec<_>>().join(" ");
        assert_eq!(
            found,
            "C-INDEX.10 C-ERRORS@2.3 F-07 D-END-LINE CL.3 ADR1.2 REG-DB.1 D-12-TOP"
        );
    }

    #[test]
    fn clauses_documents_and_words_are_not_ids() {
        let text =
            "RFC-0004 C-INDEX, ADR-0003, UTF-8, D-Bus, C-like, E001, SKL205, F-, CAT-LOAD, D-.";
        assert_eq!(ids_in(text).next(), None);
    }

    #[test]
    fn a_range_is_one_unknown_id() {
        assert_eq!(ids_in("C-INDEX.1-3.").collect::<Vec<_>>(), ["C-INDEX.1-3"]);
    }

    #[test]
    fn docs_around_a_test_attribute_are_citations() {
        let source = "/// Says more: D-WALK.\n///\n/// C-SHOW.1, F-20.\n#[test]\nfn a() {}\n";
        assert_eq!(
            citations(source),
            [(1, "D-WALK"), (3, "C-SHOW.1"), (3, "F-20")]
        );
    }

    #[test]
    fn other_attributes_and_comments_may_come_between() {
        let before =
            "/// F-01.\n#[cfg(unix)]\n// why\n#[expect(\n    lint\n)]\n#[test]\nfn a() {}\n";
        assert_eq!(citations(before), [(1, "F-01")]);
        let after = "#[test]\n#[should_panic(expected = \"x\")]\n/// F-02.\nfn b() {}\n";
        assert_eq!(citations(after), [(3, "F-02")]);
    }

    #[test]
    fn indented_and_async_tests_can_cite() {
        let source = "proptest! {\n    /// F-01.\n    #[test]\n    fn a(x in 0..1) {}\n}\n";
        assert_eq!(citations(source), [(2, "F-01")]);
        let source = "/// F-02.\n#[tokio::test(flavor = \"current_thread\")]\nasync fn b() {}\n";
        assert_eq!(citations(source), [(1, "F-02")]);
    }

    #[test]
    fn docs_of_other_items_are_not_citations() {
        for source in [
            "/// F-01.\nfn helper() {}\n#[test]\nfn a() {}\n",
            "/// F-01.\n\n#[test]\nfn a() {}\n",
            "/// F-01.\n#[cfg(test)]\nmod tests {}\n",
            "// F-01.\n#[test]\nfn a() {}\n",
            "//// F-01.\n#[test]\nfn a() {}\n",
            "/// F-01.\n// #[test]\nfn a() {}\n",
            "/// F-01.\n#[test]\n#[ignore = \"slow\"]\nfn a() {}\n",
        ] {
            assert_eq!(citations(source), [], "{source}");
        }
    }

    #[test]
    fn citations_belong_to_their_own_test() {
        let source =
            "/// F-01.\n#[test]\nfn a() {}\n/// F-02.\nfn b() {}\n/// F-03.\n#[test]\nfn c() {}\n";
        assert_eq!(citations(source), [(1, "F-01"), (6, "F-03")]);
    }

    fn page(text: &str) -> Page {
        Page {
            path: String::new(),
            text: text.to_owned(),
        }
    }

    #[test]
    fn allowed_levels_depend_on_the_kind_of_id() {
        let text = "- <a id=\"C-SHOW.1\"></a>**C-SHOW.1** (must): It shows a section.\n\
                    - <a id=\"D-STALE\"></a>**D-STALE** (must): It is stale then.\n\
                    - <a id=\"F-01\"></a>**F-01**: It was wrong once.\n\
                    - <a id=\"R20\"></a>**R20**: It is bounded now.\n\
                    - <a id=\"R21\"></a>**R21** (must): It is written whole.\n\
                    - <a id=\"CAT-DISC.1\"></a>**CAT-DISC.1** (some): It is found there.\n";
        let entries = entries(&page(text)).expect("well formed");
        let faults: Vec<String> = entries.iter().filter_map(level_fault).collect();
        let ids: Vec<&str> = faults
            .iter()
            .filter_map(|fault| fault.split(':').next())
            .collect();
        assert_eq!(ids, ["D-STALE", "F-01", "R21", "CAT-DISC.1"]);
    }

    #[test]
    fn binding_requirements_need_a_citation() {
        let text = "- <a id=\"C-SHOW.1\"></a>**C-SHOW.1** (must): It shows a section.\n\
                    - <a id=\"C-SHOW.10\"></a>**C-SHOW.10** (should): It shows another section.\n\
                    - <a id=\"C-SHOW.2\"></a>**C-SHOW.2** (optional): It shows a third one.\n\
                    - <a id=\"ADR1.2\"></a>**ADR1.2** (superseded): It does not exist.\n\
                    - <a id=\"R20\"></a>**R20**: It is bounded now.\n";
        let entries = entries(&page(text)).expect("well formed");
        assert_eq!(
            uncovered(&entries, &BTreeSet::from(["C-SHOW.1"])),
            ["C-SHOW.10"]
        );
        let both = BTreeSet::from(["C-SHOW.1", "C-SHOW.10"]);
        assert_eq!(uncovered(&entries, &both), [""; 0]);
    }
}
