//! Commands that run samples without naming their files: test runners, modules of Python, and `make` in a folder.

use std::collections::BTreeSet;

use super::INTERPRETERS;
use crate::security::expression::AnyOf;

/// If a skill has more folders and modules than this in such commands, all of its samples count as run by a tool.
const MOST_TARGETS: usize = 20_000;

/// Every line that [`Commands`] examines contains at least one of these strings, which are in lower case.
static SIGNS: AnyOf = AnyOf::new(&["make", "import ", "python", " -m"]);

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
                *is_named = *is_named || lower.contains(*word);
            }
        }
        if !SIGNS.is_in(lower) {
            return;
        }
        for line in lower.lines().filter(|line| SIGNS.is_in(line)) {
            if self.targets.len() > MOST_TARGETS {
                return;
            }
            self.add_line(line);
        }
    }

    fn add_line(&mut self, line: &str) {
        let is_end = |c: char| c.is_whitespace() || ";|&()<>`\"'{},=".contains(c);
        let words: Vec<&str> = line.split(is_end).filter(|word| !word.is_empty()).collect();
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
            ["import", modules @ ..] => {
                for module in modules {
                    self.add_module(module);
                }
            }
            ["from", package, "import", names @ ..] => {
                self.add_module(package);
                for name in names {
                    self.add_module(&format!("{package}.{name}"));
                }
            }
            _ => {}
        }
    }

    /// Adds the files of a module of Python.
    fn add_module(&mut self, module: &str) {
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
            ("run pytest.", "tests/test_a.py", true),
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
}
