//! Every requirement has a test that says so.
//!
//! `requirements.txt` lists the ids. A test names those it guards in its doc comment, spelled out one by one:
//! `/// C-INDEX.4, D-STALE.` Only the run of doc lines and attributes around a test attribute cites, so docs of types,
//! rules and modules may mention ids freely. That a test really checks what it cites is for its reviewer; this file
//! finds ids that no test claims, and claims of ids that do not exist.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, io, mem};

const LIST: &str = include_str!("../../requirements.txt");
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const AREAS: &str = "workspace lint stats mcp lint-teams plugins catalog";
/// Areas in which nothing may be pending any more.
const FINISHED: &str = "workspace lint stats mcp lint-teams";

/// A line of the list.
#[derive(Debug, PartialEq)]
struct Requirement<'a> {
    id: &'a str,
    level: &'a str,
    areas: Vec<&'a str>,
    pending: Vec<&'a str>,
}

impl<'a> Requirement<'a> {
    /// Its areas that are finished: what a test can show now.
    fn present(&self) -> impl Iterator<Item = &'a str> {
        let present = |area: &&str| !self.pending.contains(area);
        self.areas.iter().copied().filter(present)
    }

    fn needs_a_test(&self) -> bool {
        self.present().next().is_some() && !matches!(self.level, "O" | "-")
    }
}

/// Reads the list, in its order. Errors: one message for each line that is malformed or repeats an id.
fn parse_list(text: &str) -> Result<Vec<Requirement<'_>>, Vec<String>> {
    let (mut list, mut faults, mut seen) = (Vec::new(), Vec::new(), BTreeSet::new());
    for (number, line) in (1..).zip(text.lines()) {
        match parse_line(line) {
            _ if line.starts_with('#') => {}
            Some(found) if seen.insert(found.id) => list.push(found),
            Some(found) => faults.push(format!("line {number}: '{}' again", found.id)),
            None => faults.push(format!("line {number}: malformed: '{line}'")),
        }
    }
    if faults.is_empty() {
        Ok(list)
    } else {
        Err(faults)
    }
}

/// Reads `<id> <level> <area>[,<area>...] [pending:<area>[,<area>...]]`, with single spaces.
fn parse_line(line: &str) -> Option<Requirement<'_>> {
    let words: Vec<&str> = line.split(' ').collect();
    let (id, level, areas, pending) = match words[..] {
        [id, level, areas] => (id, level, areas, None),
        [id, level, areas, pending] => (id, level, areas, Some(pending.strip_prefix("pending:")?)),
        _ => return None,
    };
    let areas = names(areas, |area| AREAS.split(' ').any(|known| known == area))?;
    let pending = match pending {
        Some(pending) => names(pending, |area| areas.contains(&area))?,
        None => Vec::new(),
    };
    let fits = looks_like_id(id) && level.len() == 1 && levels_of(id).contains(level);
    fits.then_some(Requirement {
        id,
        level,
        areas,
        pending,
    })
}

/// Reads names between commas; `None` if one is not known or stands there twice.
fn names(text: &str, is_known: impl Fn(&str) -> bool) -> Option<Vec<&str>> {
    let names: Vec<&str> = text.split(',').collect();
    let distinct: BTreeSet<&str> = names.iter().copied().collect();
    let fits = distinct.len() == names.len() && names.iter().all(|name| is_known(name));
    fits.then_some(names)
}

fn levels_of(id: &str) -> &'static str {
    match id.split_once('-') {
        Some(("D", _)) => "D",
        Some(("F", _)) => "F",
        Some(("CAT" | "REG", _)) => "C",
        _ => "MSOG-",
    }
}

/// Whether `token` is meant as an id, listed or not: `C-SHOW.3`, `C-ERRORS@2.1`, `G-TEST.4`, `D-STALE`, `F-07`, `CL.3`,
/// `ADR1.2`, `CAT-LOAD.7`, `REG-DB.1`. A clause without a number (`C-SHOW`) or a document (`ADR-0003`) is none.
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

/// The ids in a line of prose, whole: `C-INDEX.10` holds no `C-INDEX.1`, and a full stop after an id is not part of it.
fn ids_in(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && !"-.@".contains(c))
        .map(|word| word.trim_end_matches(['.', '-']))
        .filter(|word| looks_like_id(word))
}

/// A run of doc lines, comments and attributes, as far as it has been read.
#[derive(Default)]
struct Block<'a> {
    cited: Vec<(usize, &'a str)>,
    is_test: bool,
    is_ignored: bool,
    /// Brackets of a several-line attribute still open.
    open: usize,
}

impl<'a> Block<'a> {
    /// Takes the line in; false if it is not part of the block, which then has ended.
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

/// The last part of an attribute's path: `test` for `#[test]` and for `#[tokio::test(flavor = "current_thread")]`.
fn attribute_name(line: &str) -> Option<&str> {
    let path = line.strip_prefix("#[")?.split(['(', ']', ' ']).next()?;
    path.rsplit(':').next()
}

/// What the tests of one source file cite: 1-based line and id, in file order. Ignored tests cite nothing.
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

/// Every `.rs` file below `folder`, in path order; hidden folders and build output are left out.
fn rust_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
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

/// What the workspace's tests cite: id and `<file>:<line>`, the file as seen from the top level.
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

/// Ids that need a test and have none, by their first finished area, in list order within one.
fn unguarded<'a>(
    list: &[Requirement<'a>],
    cited: &BTreeSet<&str>,
) -> BTreeMap<&'a str, Vec<&'a str>> {
    let mut by_area: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for wanted in list.iter().filter(|wanted| wanted.needs_a_test()) {
        if let (false, Some(area)) = (cited.contains(wanted.id), wanted.present().next()) {
            by_area.entry(area).or_default().push(wanted.id);
        }
    }
    by_area
}

fn the_list() -> Vec<Requirement<'static>> {
    parse_list(LIST).expect("requirements.txt is well formed")
}

#[test]
fn every_normative_requirement_is_cited_by_a_test() {
    let citations = workspace_citations();
    let cited = citations.iter().map(|(id, _)| id.as_str()).collect();
    let mut report = Vec::new();
    for (area, ids) in unguarded(&the_list(), &cited) {
        report.push(format!("{area} ({}): {}", ids.len(), ids.join(" ")));
    }
    assert!(
        report.is_empty(),
        "cited by no test:\n{}",
        report.join("\n")
    );
}

#[test]
fn every_cited_id_is_a_listed_requirement() {
    let list = the_list();
    let known: BTreeSet<&str> = list.iter().map(|requirement| requirement.id).collect();
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
fn the_list_is_well_formed_and_without_duplicates() {
    assert_eq!(parse_list(LIST).err(), None);
}

#[test]
fn nothing_is_pending_in_a_finished_area() {
    let finished = |area: &&str| FINISHED.split(' ').any(|done| done == *area);
    let mut list = the_list();
    list.retain(|requirement| requirement.pending.iter().any(finished));
    assert_eq!(list, []);
}

/// Tests of the scanner. The samples have `\n` for line ends, so that no line of this file looks like one of theirs.
mod scanner {
    use super::*;

    #[test]
    fn ids_are_taken_whole_from_prose() {
        let text =
            "see C-INDEX.10, (C-ERRORS@2.3) F-07/D-END-LINE; `CL.3` and ADR1.2. REG-DB.1: D-12-TOP";
        let found = ids_in(text).collect::<Vec<_>>().join(" ");
        assert_eq!(
            found,
            "C-INDEX.10 C-ERRORS@2.3 F-07 D-END-LINE CL.3 ADR1.2 REG-DB.1 D-12-TOP"
        );
    }

    #[test]
    fn clauses_documents_and_words_are_no_ids() {
        let text =
            "RFC-0004 C-INDEX, ADR-0003, UTF-8, D-Bus, C-like, E001, SKL205, F-, CAT-LOAD, D-.";
        assert_eq!(ids_in(text).next(), None);
    }

    #[test]
    fn a_range_is_one_unknown_id() {
        assert_eq!(ids_in("C-INDEX.1-3.").collect::<Vec<_>>(), ["C-INDEX.1-3"]);
    }

    #[test]
    fn docs_around_a_test_attribute_cite() {
        let source = "/// Says more: D-WALK.\n///\n/// C-SHOW.1, F-20.\n#[test]\nfn a() {}\n";
        assert_eq!(
            citations(source),
            [(1, "D-WALK"), (3, "C-SHOW.1"), (3, "F-20")]
        );
    }

    #[test]
    fn other_attributes_and_comments_may_stand_between() {
        let before =
            "/// F-01.\n#[cfg(unix)]\n// why\n#[expect(\n    lint\n)]\n#[test]\nfn a() {}\n";
        assert_eq!(citations(before), [(1, "F-01")]);
        let after = "#[test]\n#[should_panic(expected = \"x\")]\n/// F-02.\nfn b() {}\n";
        assert_eq!(citations(after), [(3, "F-02")]);
    }

    #[test]
    fn indented_and_asynchronous_tests_cite() {
        let source = "proptest! {\n    /// F-01.\n    #[test]\n    fn a(x in 0..1) {}\n}\n";
        assert_eq!(citations(source), [(2, "F-01")]);
        let source = "/// F-02.\n#[tokio::test(flavor = \"current_thread\")]\nasync fn b() {}\n";
        assert_eq!(citations(source), [(1, "F-02")]);
    }

    #[test]
    fn docs_of_anything_else_cite_nothing() {
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
    fn each_test_keeps_its_own_citations() {
        let source =
            "/// F-01.\n#[test]\nfn a() {}\n/// F-02.\nfn b() {}\n/// F-03.\n#[test]\nfn c() {}\n";
        assert_eq!(citations(source), [(1, "F-01"), (6, "F-03")]);
    }

    #[test]
    fn list_lines_are_read() {
        let text =
            "# words\nC-SHOW.1 M workspace\nCL.5 G workspace,lint,stats pending:lint,stats\n";
        let list = parse_list(text).expect("well formed");
        let expected = [
            Requirement {
                id: "C-SHOW.1",
                level: "M",
                areas: vec!["workspace"],
                pending: vec![],
            },
            Requirement {
                id: "CL.5",
                level: "G",
                areas: vec!["workspace", "lint", "stats"],
                pending: vec!["lint", "stats"],
            },
        ];
        assert_eq!(list, expected);
    }

    #[test]
    fn faulty_list_lines_are_told_with_their_number() {
        for line in [
            "",
            "C-SHOW.1 M",
            "C-SHOW.1  M workspace",
            "C-SHOW.1 M workspace ",
            "C-SHOW.1 M workspace later",
            "C-SHOW.1 M workspace pending",
            "C-SHOW.1 M workspace pending:",
            "C-SHOW.1 M workspace pending:lint",
            "C-SHOW.1 M workspace,",
            "C-SHOW.1 M workspace,workspace",
            "C-SHOW.1 M workspace, lint",
            "C-SHOW.1 M kitchen",
            "C-SHOW.1 D workspace",
            "C-SHOW.1 MS workspace",
            "D- D workspace",
            "D-STALE M workspace",
            "C-SHOW M workspace",
            "F-01 F lint",
        ] {
            let text = format!("F-01 F lint\n{line}\nF-02 F lint");
            let faults = parse_list(&text).expect_err(line);
            assert_eq!(faults.len(), 1, "{faults:?}");
            assert!(faults[0].starts_with("line 2: "), "{faults:?}");
        }
    }

    #[test]
    fn a_normative_id_needs_a_citation_once_one_of_its_areas_is_finished() {
        let text = "C-SHOW.1 M lint\nC-SHOW.10 M lint\nC-SHOW.2 O lint\nADR1.2 - lint\n\
                    F-43 F stats,mcp pending:stats\nF-44 F mcp pending:mcp\n";
        let list = parse_list(text).expect("well formed");
        let missing = unguarded(&list, &BTreeSet::from(["C-SHOW.1"]));
        let expected = BTreeMap::from([("lint", vec!["C-SHOW.10"]), ("mcp", vec!["F-43"])]);
        assert_eq!(missing, expected);
        let missing = unguarded(&list, &BTreeSet::from(["C-SHOW.1", "C-SHOW.10", "F-43"]));
        assert_eq!(missing, BTreeMap::new());
    }
}
