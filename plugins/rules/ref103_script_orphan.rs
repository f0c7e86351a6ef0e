//! REF103 script-orphan.

use std::collections::{BTreeSet, HashMap, HashSet};

use memchr::memchr_iter;
use skillc_core::{RelPath, Skill, Target};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

declare_rule! {
    /// Reports a script that is not mentioned anywhere in the skill.
    ///
    /// ## Why
    /// An agent runs only the scripts that `SKILL.md` or another file tells it to run. A script that is not mentioned
    /// is never run. Either the script is no longer needed, or the text should say when to run it.
    ///
    /// The rule checks programs below `scripts/`. A script counts as mentioned if any Markdown file of the skill
    /// contains the script's file name, its folder, its module (`python -m scripts.check`), or a glob that matches it
    /// (`scripts/*.py`). A script also counts as mentioned if another file of the skill contains the script's name
    /// without the extension, for example to import it. For these names, the rule searches files of up to 256 KiB, and
    /// at most 4 MiB in total.
    ///
    /// ## What is not reported
    /// - Tests and hidden files.
    /// - Modules, which other scripts import: files of Python packages, files in folders such as `lib`, and files whose
    ///   names end with a word such as `utils`, `common` or `config`.
    /// - A script whose counterpart for another operating system is mentioned: `run.ps1` if the text mentions `run.sh`.
    ///
    /// ## Example
    /// `scripts/check.py` exists, but `SKILL.md` only says:
    /// ```markdown
    /// Check the query before you send it.
    /// ```
    /// Write instead:
    /// ```markdown
    /// Check the query before you send it: `python scripts/check.py query.sql`.
    /// ```
    pub(crate) struct ScriptOrphan {
        code: "REF103",
        name: "script-orphan",
        severity: Warning,
        since: "0.3.0",
    }
}

/// The folder for programs. Source: the Agent Skills standard, optional directories.
const SCRIPTS: &str = "scripts";

/// The extensions of programs.
const PROGRAMS: [&str; 16] = [
    "py", "sh", "bash", "zsh", "js", "mjs", "cjs", "ts", "mts", "rb", "pl", "php", "ps1", "lua",
    "r", "go",
];

/// Files that interpreters and tools load by convention, without extensions.
const NOT_RUN: [&str; 6] = ["__init__", "__main__", "conftest", "setup", "index", "mod"];

/// Folders of files that an agent does not run directly, such as tests, modules and templates.
const FOLDERS: [&str; 10] = [
    "test",
    "tests",
    "__tests__",
    "fixtures",
    "testdata",
    "node_modules",
    "lib",
    "vendor",
    "templates",
    "evals",
];

/// The maximum number of scripts that are reported individually.
const MAX_EACH: usize = 20;

/// The maximum number of bytes that are searched for names of scripts, per file and in total.
const MAX_FILE: u64 = 256 << 10;
const MAX_ALL: u64 = 4 << 20;

/// The maximum number of comparisons between scripts and globs.
const MAX_MATCHES: usize = 2_000_000;

impl Rule for ScriptOrphan {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_skill(&self, skill: &Skill, out: &mut Findings<'_>) {
        if skill.main().is_none() {
            return;
        }
        let entries = skill.tree.entries.iter();
        let programs = entries.map(|entry| &entry.path).filter(|path| is_run(path));
        let mut orphans: Vec<&RelPath> = programs
            .filter(|path| !is_in_package(path, skill))
            .collect();
        if orphans.is_empty() {
            return;
        }
        take_out_named(&mut orphans, skill);
        take_out_covered(&mut orphans, skill);
        take_out_used(&mut orphans, skill);
        if let [first, ..] = *orphans
            && orphans.len() > MAX_EACH
        {
            let message = format!(
                "{} scripts are not mentioned anywhere; this is the first",
                orphans.len()
            );
            out.file(first, message).help(
                "mention their folder in the text that describes them, or remove unused scripts",
            );
            return;
        }
        for path in orphans {
            out.file(path, format!("script '{path}' is not mentioned anywhere"))
                .help("say when to run it, or remove it from the skill");
        }
    }
}

/// Suffixes of names of modules. Other scripts import modules.
const MODULES: [&str; 16] = [
    "common",
    "utils",
    "util",
    "helpers",
    "helper",
    "constants",
    "config",
    "types",
    "models",
    "shared",
    "base",
    "schema",
    "schemas",
    "errors",
    "exceptions",
    "client",
];

/// Returns whether a file is a program that a skill may tell an agent to run.
fn is_run(path: &RelPath) -> bool {
    let mut parts = path.as_str().split('/');
    let stem = stem(path);
    let is_test = stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_spec")
        || path.file_name().contains(".test.")
        || path.file_name().contains(".spec.")
        || path.file_name().contains(".config.")
        || path.file_name().ends_with(".d.ts");
    parts.next() == Some(SCRIPTS)
        && PROGRAMS.iter().any(|program| path.has_extension(program))
        && !is_test
        && !stem.starts_with('_')
        && !NOT_RUN.contains(&stem)
        && !parts.any(|part| FOLDERS.contains(&part))
        && !is_module(stem)
}

fn is_module(stem: &str) -> bool {
    MODULES.iter().any(|word| {
        let rest = stem.strip_suffix(word);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with(['_', '-']))
    })
}

/// Returns whether a file is part of a Python package, from which scripts import it.
fn is_in_package(path: &RelPath, skill: &Skill) -> bool {
    let folder = path
        .as_str()
        .strip_suffix(path.file_name())
        .unwrap_or_default();
    let marker = RelPath::parse(&format!("{folder}__init__.py"));
    path.has_extension("py") && marker.is_ok_and(|marker| skill.tree.get(&marker).is_some())
}

fn stem(path: &RelPath) -> &str {
    let name = path.file_name();
    name.split('.').next().unwrap_or(name)
}

/// Removes the files whose name or module name occurs in a Markdown file of the skill.
///
/// Collects the names in all documents first. Searching every document for every file would be slow, because there can
/// be thousands of both.
fn take_out_named(orphans: &mut Vec<&RelPath>, skill: &Skill) {
    let mut named: HashSet<&str> = HashSet::new();
    for doc in skill.documents() {
        named.extend(names_in(&doc.text));
    }
    orphans.retain(|path| {
        let module = format!("{SCRIPTS}.{}", stem(path));
        // A script for another system is mentioned if its counterpart is: `run.ps1` and `run.sh`.
        let folder = path
            .as_str()
            .strip_suffix(path.file_name())
            .unwrap_or_default();
        let twins =
            ["sh", "ps1", "bat", "cmd"].map(|extension| format!("{}.{extension}", stem(path)));
        let mut twins = twins.iter().filter(|name| {
            let twin = RelPath::parse(&format!("{folder}{name}"));
            twin.is_ok_and(|twin| skill.tree.get(&twin).is_some())
        });
        // Assume that a non-ASCII name is mentioned. The search may miss the name, because some languages do not
        // separate it from the surrounding text with spaces.
        let is_named = !path.file_name().is_ascii()
            || named.contains(path.file_name())
            || named.contains(&*module)
            || twins.any(|name| named.contains(&**name));
        !is_named
    });
}

/// Returns the words in `text` that can be file names.
fn names_in(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let bytes = text.as_bytes();
    let mut done = 0;
    // Search for dots, because most words contain no dot and can be skipped.
    let words = memchr_iter(b'.', bytes).filter_map(move |dot| {
        let before = bytes.get(done..dot)?.iter().rev();
        let start = dot - before.take_while(|byte| is_part(byte)).count();
        let length = bytes[dot..].iter().take_while(|byte| is_part(byte)).count();
        done = dot + length;
        text.get(start..done)
    });
    let words = words.map(|word| word.trim_matches(['.', '-']));
    words.filter(|word| word.contains('.'))
}

/// Returns the words of a program, including hyphenated ones.
fn words_in(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let words = text.split(move |c: char| !is_part(c));
    let joined = text.split(move |c: char| !is_part(c) && c != '-');
    words.chain(joined.filter(|word| word.contains('-')))
}

/// Removes the files in folders that a document mentions, and the files that a glob in a document matches.
fn take_out_covered(orphans: &mut Vec<&RelPath>, skill: &Skill) {
    let documents = skill.documents().map(|doc| &doc.path);
    let targets = documents.flat_map(|path| skill.references().in_document(path));
    let mut folders: BTreeSet<&str> = BTreeSet::new();
    let mut globs = Vec::new();
    for reference in targets {
        match &reference.target {
            Target::Directory(path) => _ = folders.insert(path.as_str()),
            Target::Glob(glob) | Target::Placeholder(Some(glob)) => globs.push(glob),
            _ => {}
        }
    }
    globs.sort_by_key(|glob| glob.as_str());
    globs.dedup_by_key(|glob| glob.as_str());
    globs.truncate(MAX_MATCHES / orphans.len().max(1));
    orphans.retain(|path| {
        let ends = path.as_str().match_indices('/').map(|(at, _)| at);
        let is_in = ends
            .map(|end| &path.as_str()[..end])
            .any(|folder| folders.contains(folder));
        !is_in && !globs.iter().any(|glob| glob.matches(path))
    });
}

/// Removes the files whose names, without extensions, occur in other files of the skill: in scripts that import or run
/// them, in configuration or in workflows.
fn take_out_used(orphans: &mut Vec<&RelPath>, skill: &Skill) {
    let mut by_stem: HashMap<&str, Vec<&RelPath>> = HashMap::new();
    for path in orphans.iter() {
        by_stem.entry(stem(path)).or_default().push(path);
    }
    let mut used: HashSet<&RelPath> = HashSet::new();
    let mut left = MAX_ALL;
    let others = skill.tree.entries.iter();
    for entry in others.filter(|entry| !entry.path.has_extension("md")) {
        let size = entry.stamp.size;
        if size > MAX_FILE || size > left || used.len() == orphans.len() {
            continue;
        }
        left -= size;
        let Ok(Some(file)) = skill.tree.read_file(&entry.path) else {
            continue;
        };
        for word in words_in(&file.text()) {
            let named = by_stem.get(word).into_iter().flatten();
            used.extend(named.filter(|path| ***path != entry.path));
        }
    }
    orphans.retain(|path| !used.contains(*path));
}
