//! REF103 script-orphan.

use std::collections::BTreeSet;

use skillc_core::{Findings, RelPath, Rule, RuleMeta, Skill, SourceFile, Target, declare_rule};

declare_rule! {
    /// Reports a script that nothing in the skill mentions.
    ///
    /// ## Why
    /// An agent runs the scripts that `SKILL.md`, or a file that it reads, tells it to run. A script that no text names is not run:
    /// either it is forgotten, or the sentence that says when to run it is.
    ///
    /// Looked at are programs below `scripts/`. A script is mentioned if a Markdown file of the skill, read or not, has its file
    /// name, or names its folder or a glob that covers it (`scripts/*.py`), or its module (`python -m scripts.check`); and if
    /// another file of the skill has its name, as a script that imports it does.
    ///
    /// ## What is not reported
    /// Tests, `__init__.py` and the like, hidden files, and scripts of a skill of which the text names no file at all but says that
    /// they are listed by a command.
    ///
    /// ## Example
    /// `scripts/check.py` is there, but `SKILL.md` has only:
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

/// The folder of a skill's programs. Source: the Agent Skills standard, optional directories.
const SCRIPTS: &str = "scripts";

/// The extensions of programs.
const PROGRAMS: [&str; 16] = [
    "py", "sh", "bash", "zsh", "js", "mjs", "cjs", "ts", "mts", "rb", "pl", "php", "ps1", "lua",
    "r", "go",
];

/// Programs that are not run by name.
const NOT_RUN: [&str; 6] = ["__init__", "__main__", "conftest", "setup", "index", "mod"];

/// Folders of tests and of what programs are made of.
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

/// The most scripts that are reported each.
const MAX_EACH: usize = 20;

/// The most bytes of other files that are searched for names, of one file and together.
const MAX_FILE: u64 = 256 << 10;
const MAX_ALL: u64 = 4 << 20;

impl Rule for ScriptOrphan {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_skill(&self, skill: &Skill, out: &mut Findings<'_>) {
        if skill.main().is_none() {
            return;
        }
        let entries = skill.tree.entries.iter();
        let programs = entries
            .map(|entry| &entry.path)
            .filter(|path| is_run(path) && !is_in_package(path, skill));
        let mut orphans: Vec<&RelPath> = programs.collect();
        orphans.retain(|path| !is_named(path, skill));
        if orphans.is_empty() {
            return;
        }
        take_out_covered(&mut orphans, skill);
        take_out_used(&mut orphans, skill);
        if let [first, ..] = *orphans
            && orphans.len() > MAX_EACH
        {
            let message = format!(
                "no text says when to run {} scripts, of which this is the first",
                orphans.len()
            );
            out.file(first, message)
                .help("name the folder where the scripts are described, or remove those that are not used");
            return;
        }
        for path in orphans {
            out.file(path, format!("no text says when to run '{path}'"))
                .help("name it where it is to be run, or remove it from the skill");
        }
    }
}

/// How the names of modules end, which other scripts import.
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

/// Says whether a file is a program that an agent may be told to run.
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

/// Says whether a file is part of a Python package, which is imported.
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

/// Says whether a text of the skill has the name of a file, or of the module that it is.
fn is_named(path: &RelPath, skill: &Skill) -> bool {
    let module = format!("{}.{}", SCRIPTS, stem(path));
    // A script for another system is named with the one that it stands for: `run.ps1` and `run.sh`.
    let folder = path
        .as_str()
        .strip_suffix(path.file_name())
        .unwrap_or_default();
    let twins = ["sh", "ps1", "bat", "cmd"].map(|extension| format!("{}.{extension}", stem(path)));
    let has_twin = |name: &String| {
        let twin = RelPath::parse(&format!("{folder}{name}"));
        twin.is_ok_and(|twin| skill.tree.get(&twin).is_some())
    };
    let twins = twins
        .iter()
        .filter(|name| has_twin(name))
        .map(String::as_str);
    let names: Vec<&str> = twins.chain([path.file_name(), &module]).collect();
    let mut texts = skill.documents().map(|doc| &*doc.text);
    texts.any(|text| names.iter().any(|name| has_word(text, name)))
}

/// Says whether a text has a name that is no part of a longer one.
fn has_word(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part)
    })
}

/// Takes out the files of folders that a text names, and those that a glob of a text covers.
fn take_out_covered(orphans: &mut Vec<&RelPath>, skill: &Skill) {
    let documents = skill.documents().map(|doc| &doc.path);
    let targets = documents.flat_map(|path| skill.references().of(path));
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
    orphans.retain(|path| {
        let ends = path.as_str().match_indices('/').map(|(at, _)| at);
        let is_in = ends
            .map(|end| &path.as_str()[..end])
            .any(|folder| folders.contains(folder));
        !is_in && !globs.iter().any(|glob| glob.matches(path))
    });
}

/// Takes out the files whose names other files have: scripts that import or run them, configuration, workflows.
fn take_out_used(orphans: &mut Vec<&RelPath>, skill: &Skill) {
    let mut left = MAX_ALL;
    for entry in skill
        .tree
        .entries
        .iter()
        .filter(|entry| !entry.path.has_extension("md"))
    {
        if orphans.is_empty() {
            return;
        }
        let size = entry.stamp.size;
        if size > MAX_FILE || size > left {
            continue;
        }
        left -= size;
        let Ok(Some(file)) = SourceFile::read(&skill.tree.root, &entry.path) else {
            continue;
        };
        let text = file.text();
        orphans.retain(|path| **path == entry.path || !has_word(&text, stem(path)));
    }
}
