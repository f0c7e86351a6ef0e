//! Commands that run samples without naming their files: test runners, modules of Python, and `make` in a folder.

use std::collections::BTreeSet;

use super::{INTERPRETERS, LONGEST};
use crate::security::expression::AnyOf;

/// If a skill has more folders and modules than this in such commands, all of its samples count as run by a tool.
const MOST_TARGETS: usize = 20_000;

/// The maximum number of lines of an import in Python that are examined.
const MAX_LINES: usize = 1000;

/// Every line that [`Commands`] examines contains at least one of these strings, which are in lower case, or continues
/// an import.
static SIGNS: AnyOf = AnyOf::new(&["make", "import", "python", "-m"]);

/// Words for a test runner, in lower case, and the beginning and the end of the names of files that it runs.
const TESTERS: [(&str, &str, &str); 26] = [
    ("pytest", "test_", ".py"),
    ("pytest", "", "_test.py"),
    ("py.test", "test_", ".py"),
    ("py.test", "", "_test.py"),
    ("unittest", "test", ".py"),
    ("nosetests", "test", ".py"),
    ("tox", "test_", ".py"),
    ("nox", "test_", ".py"),
    ("jest", "", ".test.js"),
    ("jest", "", ".spec.js"),
    ("jest", "", ".test.ts"),
    ("jest", "", ".spec.ts"),
    ("vitest", "", ".test.ts"),
    ("vitest", "", ".spec.ts"),
    ("vitest", "", ".test.js"),
    ("mocha", "", ".js"),
    ("node --test", "", ".js"),
    ("npm test", "", ".js"),
    ("npm run test", "", ".js"),
    ("yarn test", "", ".js"),
    ("bun test", "", ".ts"),
    ("go test", "", "_test.go"),
    ("cargo test", "", ".rs"),
    ("rspec", "", "_spec.rb"),
    ("phpunit", "", "test.php"),
    ("bats ", "", ".bats"),
];

/// All words in [`TESTERS`].
static RUNNERS: AnyOf = AnyOf::new(&[
    "test", "tox", "nox", "jest", "mocha", "rspec", "phpunit", "bats ",
]);

/// The commands of a skill that run samples.
#[derive(Debug, Default)]
pub(super) struct Commands {
    /// The ends of the paths of files that are run, in lower case.
    targets: BTreeSet<String>,
    /// For each entry of [`TESTERS`], whether the skill mentions it.
    testers: [bool; TESTERS.len()],
}

impl Commands {
    /// Adds the commands in a text, which is in lower case.
    pub(super) fn add(&mut self, lower: &str) {
        if RUNNERS.is_in(lower) {
            for ((word, _, _), is_named) in TESTERS.iter().zip(&mut self.testers) {
                *is_named = *is_named || names(lower, word);
            }
        }
        if !SIGNS.is_in(lower) {
            return;
        }
        let mut open: Option<Import<'_>> = None;
        for line in lower.lines() {
            if self.targets.len() > MOST_TARGETS {
                return;
            }
            if let Some(import) = open.take() {
                self.add_names(import.package, words(line));
                open = import.after(line);
            }
            if SIGNS.is_in(line) {
                self.add_line(line);
                open = Import::new(line).or(open);
            }
        }
    }

    fn add_line(&mut self, line: &str) {
        let words: Vec<&str> = words(line).collect();
        let bare = |path: &str| path.trim_matches(['.', '/']).to_owned();
        let makes = words.iter().any(|word| matches!(*word, "make" | "gmake"));
        for pair in words.windows(2) {
            let (word, next) = (pair[0], pair[1]);
            match word {
                // `make -C tests`, and `cd tests && make`.
                "-c" | "--directory" | "cd" | "pushd" if makes => {
                    self.targets.insert(format!("{}/makefile", bare(next)));
                    self.targets.insert(format!("{}/gnumakefile", bare(next)));
                }
                "-m" => self.add_module(next),
                _ if INTERPRETERS.contains(&word) => {
                    self.targets.insert(format!("{}/__main__.py", bare(next)));
                }
                _ => {}
            }
        }
        for word in &words {
            if let Some(module) = word.strip_prefix("-m") {
                self.add_module(module);
            }
            if let Some(folder) = word.strip_prefix("-c").filter(|_| makes) {
                self.targets.insert(format!("{}/makefile", bare(folder)));
            }
        }
        match &words[..] {
            ["import", modules @ ..] => self.add_names("", modules.iter().copied()),
            ["from", package, "import", names @ ..] => {
                self.add_module(package);
                self.add_names(package, names.iter().copied());
            }
            _ => {}
        }
    }

    /// Adds the modules that an import in Python names. `package`: empty for `import a, b`.
    fn add_names<'a>(&mut self, package: &str, names: impl Iterator<Item = &'a str>) {
        // The package is copied for each name, so a line with a long package could use much memory.
        if package.len() > LONGEST {
            return;
        }
        for name in names {
            if self.targets.len() > MOST_TARGETS {
                return;
            }
            self.add_module(&format!("{package}.{name}"));
        }
    }

    /// Adds the files of a module of Python. A very long name is ignored, as in the search for paths.
    fn add_module(&mut self, module: &str) {
        if module.len() > LONGEST {
            return;
        }
        let path = module.trim_matches('.').replace('.', "/");
        if !path.is_empty() {
            self.targets.insert(format!("{path}/__main__.py"));
            self.targets.insert(format!("{path}/__init__.py"));
            self.targets.insert(format!("{path}.py"));
        }
    }

    /// Returns whether one of the commands runs a sample. `path`: in lower case.
    pub(super) fn run(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let mut testers = TESTERS.iter().zip(&self.testers);
        let is_tested = testers.any(|((_, start, end), is_named)| {
            *is_named && name.starts_with(*start) && name.ends_with(*end)
        });
        let ends = path.match_indices('/').map(|(at, _)| &path[at + 1..]);
        let mut ends = std::iter::once(path).chain(ends);
        is_tested || self.targets.len() > MOST_TARGETS || ends.any(|end| self.targets.contains(end))
    }
}

/// An import in Python that continues on the next line.
struct Import<'a> {
    /// Empty for `import a, b`.
    package: &'a str,
    is_bracket: bool,
    /// The number of further lines that are examined.
    left: usize,
}

impl<'a> Import<'a> {
    /// Returns the import that a line begins, if it continues on the next line.
    fn new(line: &'a str) -> Option<Self> {
        let mut words = words(line);
        let package = match (words.next()?, words.next()?, words.next()) {
            ("from", package, Some("import")) => package,
            ("import", _, _) => "",
            _ => return None,
        };
        let import = Self {
            package,
            is_bracket: false,
            left: MAX_LINES,
        };
        import.after(line)
    }

    /// Returns the import after one of its lines; `None` if the line ends it.
    fn after(mut self, line: &str) -> Option<Self> {
        let code = line.split('#').next().unwrap_or(line);
        let (open, close) = (code.rfind('('), code.rfind(')'));
        if open.is_some() || close.is_some() {
            // Only the names of a package may be in brackets.
            self.is_bracket = open > close && !self.package.is_empty();
        }
        self.left = self.left.checked_sub(1)?;
        (self.is_bracket || code.trim_end().ends_with('\\')).then_some(self)
    }
}

/// Returns the words of a line of code.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let is_end = |c: char| c.is_whitespace() || ";|&()<>`\"'{},=".contains(c);
    line.split(is_end).filter(|word| !word.is_empty())
}

/// Returns whether a text contains a word of [`TESTERS`] that is not part of another word, as `tox` is of `toxic`. A
/// word with a blank may go on, as in `npm run tests`, and any word may follow `-m`, as in `python -mpytest`.
fn names(lower: &str, word: &str) -> bool {
    // Chinese and Japanese have no blanks between words.
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    lower.match_indices(word).any(|(at, _)| {
        let (before, after) = (&lower[..at], &lower[at + word.len()..]);
        let is_start = !before.ends_with(is_part) || before.ends_with("-m");
        is_start && (word.contains(' ') || !after.starts_with(is_part))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_run_by_tools_without_their_names() {
        for (text, path, expected) in [
            ("run `make -c tests`", "tests/makefile", true),
            ("make --directory=tests all", "tests/makefile", true),
            ("cd tests && make", "a/tests/makefile", true),
            ("python3 -m tests.evil", "tests/evil.py", true),
            ("python3 -mtests.evil", "tests/evil.py", true),
            ("python3 -m tests", "tests/__main__.py", true),
            ("python3 ./tests", "tests/__main__.py", true),
            ("import a, evil", "tests/evil.py", true),
            ("from tests import a, evil", "tests/evil.py", true),
            ("import\tevil", "tests/evil.py", true),
            ("import a, \\\n  evil", "tests/evil.py", true),
            ("from tests import(evil)", "tests/evil.py", true),
            (
                "from tests import (  # a (b)\n  a,\n  evil,\n)",
                "tests/evil.py",
                true,
            ),
            ("from tests import (a)\nevil", "tests/evil.py", false),
            ("import a (see\nevil)", "tests/evil.py", false),
            ("python3\t-m\ttests.evil", "tests/evil.py", true),
            ("run pytest.", "tests/test_a.py", true),
            ("运行pytest测试", "tests/test_a.py", true),
            ("python3 -mpytest", "tests/test_a.py", true),
            ("a toxic equinox", "tests/test_a.py", false),
            ("a majestic combats fly", "tests/a.test.js", false),
            ("combats fly", "tests/a.bats", false),
            ("bats tests", "tests/a.bats", true),
            ("npm run tests", "tests/a.js", true),
            ("npm run test", "tests/a.js", true),
            ("run pytest.", "tests/evil.py", false),
            ("make test", "tests/makefile", false),
            ("python3 -m json.tool", "tests/evil.py", false),
            ("we import evil goods", "tests/evil.py", false),
        ] {
            let mut commands = Commands::default();
            commands.add(text);
            assert_eq!(commands.run(path), expected, "{text}");
        }
    }

    #[test]
    fn the_targets_of_a_long_line_are_bounded() {
        let names = (0..30_000).map(|n| format!("a{n},"));
        let names: String = names.collect();
        let package = "p".repeat(500_000);
        for (line, expected) in [
            (format!("from {package} import {names}"), false),
            (format!("from p import {names}"), true),
        ] {
            let mut commands = Commands::default();
            commands.add(&line);
            assert_eq!(commands.run("tests/evil.py"), expected);
            assert!(commands.targets.len() <= MOST_TARGETS + 3);
        }
    }
}
