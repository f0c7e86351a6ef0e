//! SEC120 unpinned-dependency.

use serde_json::Value;
use skillc_core::reveal::RevealedFile;
use skillc_core::{RelPath, Skill, Span};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

/// Files that pin the versions of a `package.json`.
const LOCKS: [&str; 6] = [
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "bun.lockb",
];

/// The maximum number of dependencies in a message.
const MAX_NAMED: usize = 3;

/// The maximum number of packages that are examined in a `package.json`.
const MAX_PACKAGES: usize = 500;

/// The maximum length of a dependency in a message, in bytes. Names of real packages are shorter.
const MAX_NAME: usize = 80;

declare_rule! {
    /// Reports a dependency for which any later version may be installed.
    ///
    /// ## Why
    /// The packages that a skill installs run with all the rights of the user. Without an upper bound on the version,
    /// the next installation may run code that did not exist when the skill was reviewed: attackers who take over a
    /// package publish a new version of it. The rule reads files that match `requirements*.txt`, and the `dependencies`
    /// and `optionalDependencies` in `package.json`.
    ///
    /// ## What is not reported
    /// - a version with an upper bound, such as `==2.32.3`, `~=2.32`, `>=2.32,<3` or `^4.17.21`
    /// - dependencies in a `package.json` that has a lock file next to it, and dependencies in a requirements file that
    ///   names a constraints file
    /// - dependencies on paths, archives, and repositories
    ///
    /// ## Example
    /// ```text
    /// requests>=2.0
    /// ```
    /// Write `requests>=2.32,<3`, or pin the version with `requests==2.32.3`.
    pub(crate) struct UnpinnedDependency {
        code: "SEC120",
        name: "unpinned-dependency",
        severity: Warning,
        since: "0.3.0",
        activation: OnRequest,
    }
}

impl Rule for UnpinnedDependency {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_skill(&self, skill: &Skill, out: &mut Findings<'_>) {
        let Some(revealed) = skill.revealed_until(out.budget().stop()) else {
            return;
        };
        for file in &revealed.files {
            let open = open_dependencies(skill, file);
            let Some((_, span)) = open.first() else {
                continue;
            };
            let found = out.within(&file.path, *span, message(&open));
            // Set the line here: the engine sets it only for Markdown documents.
            found.line = file.lines.line(span.start);
        }
    }
}

/// Returns the open dependencies in a file, each with its position. A dependency is open if its version has no upper
/// bound.
fn open_dependencies<'a>(skill: &Skill, file: &'a RevealedFile) -> Vec<(&'a str, Span)> {
    let name = file.path.file_name();
    if name.starts_with("requirements") && file.path.has_extension("txt") {
        open_requirements(&file.text)
    } else if name == "package.json" && !is_locked(skill, &file.path) {
        open_packages(&file.text)
    } else {
        Vec::new()
    }
}

/// Returns whether the folder of the `package.json` at `path` contains a lock file.
fn is_locked(skill: &Skill, path: &RelPath) -> bool {
    let folder = path.as_str().strip_suffix("package.json").unwrap_or("");
    LOCKS.iter().any(|lock| {
        let path = RelPath::parse(&format!("{folder}{lock}"));
        path.is_ok_and(|path| skill.tree.get(&path).is_some())
    })
}

/// Returns the open dependencies in a pip requirements file.
fn open_requirements(text: &str) -> Vec<(&str, Span)> {
    let mut open = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at + (line.len() - line.trim_start().len());
        at += line.len();
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.starts_with("-c") || line.starts_with("--constraint") {
            return Vec::new();
        }
        if is_open_requirement(line) {
            open.push((line, Span::new(start, start + line.len())));
        }
    }
    open
}

/// Returns whether a requirement is the name of a package without an upper bound on its version.
fn is_open_requirement(line: &str) -> bool {
    let line = line.split(';').next().unwrap_or_default().trim();
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let bounds = line.trim_start_matches(is_name);
    let name = &line[..line.len() - bounds.len()];
    if !name.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return false;
    }
    let bounds = bounds.trim_start();
    let bounds = match bounds.strip_prefix('[') {
        Some(extras) => extras.split_once(']').map_or("", |(_, rest)| rest).trim(),
        None => bounds,
    };
    let is_lower = |bound: &str| {
        let bound = bound.trim();
        bound.starts_with('>') || bound.starts_with("!=")
    };
    bounds.is_empty() || bounds.split(',').all(is_lower)
}

/// Returns the open dependencies in a `package.json`.
fn open_packages(text: &str) -> Vec<(&str, Span)> {
    let Ok(Value::Object(manifest)) = serde_json::from_str(text) else {
        return Vec::new();
    };
    let mut open = Vec::new();
    for key in ["dependencies", "optionalDependencies"] {
        let Some(Value::Object(packages)) = manifest.get(key) else {
            continue;
        };
        let from = text.find(&format!("\"{key}\"")).unwrap_or_default();
        // Limit the number of packages, because the text is searched once for each name.
        for (name, version) in packages.iter().take(MAX_PACKAGES) {
            if version.as_str().is_some_and(is_open_version)
                && let Some(at) = text[from..].find(&format!("\"{name}\""))
            {
                let start = from + at + 1;
                let end = start + name.len();
                open.push((&text[start..end], Span::new(start, end)));
            }
        }
    }
    open
}

/// Returns whether one of the alternatives in an npm version range has no upper bound.
fn is_open_version(range: &str) -> bool {
    range.split("||").any(|range| {
        let range = range.trim();
        matches!(range, "" | "*" | "x" | "X" | "latest" | "next")
            || range.starts_with('>') && !range.contains('<')
    })
}

/// Returns the message about open dependencies. `open`: not empty.
fn message(open: &[(&str, Span)]) -> String {
    let named: Vec<String> = open
        .iter()
        .take(MAX_NAMED)
        .map(|(name, _)| {
            let end = skillc_core::source::lines::char_floor(name, MAX_NAME);
            format!("'{}'", &name[..end])
        })
        .collect();
    let more = match open.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "any later version of a dependency may be installed: {}{more}",
        named.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_without_an_upper_bound_are_open() {
        for line in [
            "requests",
            "requests>=2.0",
            "requests > 2",
            "uvicorn[standard]>=0.30",
            "numpy!=1.0",
            "numpy>=1,!=1.5",
            "tomli; python_version < '3.11'",
        ] {
            assert!(is_open_requirement(line), "{line}");
        }
        for line in [
            "",
            "requests==2.32.3",
            "requests===2",
            "requests~=2.32",
            "requests>=2,<3",
            "requests<3",
            "-r other.txt",
            "--hash=sha256:0",
            "./local",
            "git+https://github.com/a/b",
            "b @ git+https://github.com/a/b",
            "https://a.example/b.whl",
        ] {
            assert!(!is_open_requirement(line), "{line}");
        }
    }

    #[test]
    fn ranges_of_npm_without_an_upper_bound_are_open() {
        for range in ["", "*", "latest", ">=1.2", "> 1", "^1 || >=3", "^1 || *"] {
            assert!(is_open_version(range), "{range}");
        }
        for range in ["1.2.3", "^1.2", "~1.2", "1.x", ">=1 <2", "file:../a", "a/b"] {
            assert!(!is_open_version(range), "{range}");
        }
    }

    #[test]
    fn a_message_names_the_first_ones() {
        let open: Vec<(&str, Span)> = ["a", "b", "c", "d"]
            .map(|name| (name, Span::default()))
            .into();
        assert_eq!(
            message(&open),
            "any later version of a dependency may be installed: 'a', 'b', 'c' and 1 more"
        );
        assert_eq!(
            message(&open[..1]),
            "any later version of a dependency may be installed: 'a'"
        );
    }

    #[test]
    fn places_are_those_of_the_names() {
        let text = r#"{"name": "left-pad", "dependencies": {"left-pad": "latest", "b": "^1"}}"#;
        let open = open_packages(text);
        assert_eq!(open, [("left-pad", Span::new(39, 47))]);
        let text = "# c\nrequests>=2 # d\n";
        assert_eq!(open_requirements(text), [("requests>=2", Span::new(4, 15))]);
    }
}
