//! Reports package manifests whose install hooks run an obfuscated script of the skill, and manifests that list
//! packages with misleading names or from unknown hosts.

use std::sync::LazyLock;

use regex::Regex;
use skillc_core::Span;
use skillc_core::reveal::RevealedFile;

use super::Of;
use super::sending::has_any;
use crate::security::ascii_words;
use crate::security::examined::Examined;
use crate::security::hosts::HostKind;
use crate::security::packages::{Odd, odd};
use crate::security::signals::{Match, Signal};

/// The maximum number of hooks that are examined in a manifest.
const MOST: usize = 24;

/// The maximum length of a layer of a script, in bytes. Longer layers are skipped.
const LONGEST: usize = 200_000;

/// An install hook in a manifest of npm or Composer. The groups are the name of the hook and its command.
static HOOK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r#""((?:pre|post)?install|(?:pre|post)?prepare|(?:pre|post)-(?:install|update|autoload)[\w-]{0,10})"\s*:\s*\[?\s*"([^"\n]{1,400})""#,
    ))
    .expect("a pattern")
});

/// Obfuscated code: names that obfuscators generate, a list of encoded strings with its decoder, or a module whose name
/// is taken from a list. Matches text in lower case.
static OBFUSCATED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r#"\b_0x[0-9a-f]{2,8}\b|\[(?:["'][a-z0-9+/]+={0,2}["']\s*,\s*){2,}["'][a-z0-9+/]+={0,2}["']\s*,?\s*\][^\n]{0,80}(?:base64|atob|\bhex\b)|\brequire\(\s*[a-z_$][\w$]*\["#,
    ))
    .expect("a pattern")
});

/// The whole environment, as opposed to one of its variables. Matches text in lower case.
static ENVIRONMENT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"\bprocess\.env\s*[,;)}\]\n]|\bos\.environ\s*[,;)}\]\n]|\bos\.environ\.copy\(|\bgetenv\(\s*\)|\benv:{2}vars",
    ))
    .expect("a pattern")
});

/// Names of files and variables that contain tokens, in lower case.
const TOKENS: [&str; 8] = [
    ".npmrc",
    ".ssh",
    ".aws",
    ".netrc",
    ".pypirc",
    "_authtoken",
    "gh_token",
    "github_token",
];

/// Substrings of code that sends a request or runs code, in lower case.
const ACTS: [&str; 12] = [
    ".request(",
    "fetch(",
    "axios",
    "https",
    "urlopen(",
    "requests.",
    "net.connect",
    "child_process",
    "exec(",
    "eval(",
    "new function",
    ".post(",
];

/// The maximum number of packages that are examined in a manifest.
const MOST_LISTED: usize = 400;

/// A package in a manifest of npm. The groups are its name and its version or source.
static DEPENDENCY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r#""([a-zA-Z0-9][\w.-]{2,60})"\s*:\s*"((?:[~^<>=]{0,2}\s?v?\d[^"\n]{0,40}|latest|\*|npm:[^"\n]{2,80}|https?://[^"\n]{4,200}\.(?:tgz|tar\.gz|zip))(?:#[^"\n]{0,80})?)""#,
    ))
    .expect("a pattern")
});

/// A package in a list of Python requirements. The groups are its name and its version or source.
static REQUIREMENT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"(?m)^[ \t]*([a-zA-Z][\w.-]{2,60})[ \t]*(?:\[[^\]\n]{0,60}\])?[ \t]*((?:[=~<>!]=|[<>])[^\n#]{1,60}|@[ \t]*https?://[^\s#]{4,200})?[ \t]*(?:[#;][^\n]{0,200})?\r?$",
    ))
    .expect("a pattern")
});

/// A package in a Python project file. The groups are its name and its version or source, in a list or as a field.
static PROJECT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r#"(?m)["']([a-zA-Z][\w.-]{2,60})[ \t]*(?:\[[^\]\n]{0,60}\])?[ \t]*((?:[=~<>!]=|[<>])[^"'\n]{1,60}|@[ \t]*https?://[^"'\s]{4,200})["']|^[ \t]*([a-zA-Z][\w.-]{2,60})[ \t]*=[ \t]*"([~^<>=]{0,2}\d[^"\n]{0,40}|\*)""#,
    ))
    .expect("a pattern")
});

impl Of<'_, '_> {
    /// SEC113: reports packages in a manifest that have misleading names, or that come from unknown hosts.
    pub(super) fn listed(&mut self) {
        let layer = self.layer;
        let name = layer.file.path.file_name().to_ascii_lowercase();
        let is_npm = name.contains("package.json");
        let extension = layer.file.path.extension().unwrap_or_default();
        let is_list = name.starts_with("requirements") && &*extension == "txt";
        let is_project = matches!(&*name, "pyproject.toml" | "setup.py" | "setup.cfg");
        let is_shown = || layer.doc.is_some() && layer.lower().contains("ependencies\"");
        if layer.is_sample
            || !layer.layer.is_file()
            || !(is_npm || is_list || is_project || is_shown())
        {
            return;
        }
        let expression = match (is_list, is_project) {
            (true, _) => &REQUIREMENT,
            (_, true) => &PROJECT,
            _ => &DEPENDENCY,
        };
        for found in expression.captures_iter(layer.text()).take(MOST_LISTED) {
            let package = found.get(1).or_else(|| found.get(3));
            let (Some(whole), Some(package)) = (found.get(0), package) else {
                continue;
            };
            let hit = Match {
                signal: Signal::PackageSource,
                span: Span::new(whole.start(), whole.end()),
            };
            let package = package.as_str();
            let source = found
                .get(2)
                .filter(|source| source.as_str().contains("://"));
            let host = source.and_then(|_| layer.worst(hit.span));
            let host = host.filter(|host| host.kind >= HostKind::Other && self.is_foreign(host));
            let known = match odd(package) {
                Some(Odd::Disguised(known) | Odd::Swapped(known)) => Some(known),
                // Names that differ from a short name in one letter are often packages of their own.
                Some(Odd::Near(known)) => (known.len() >= 7).then_some(known),
                None => None,
            };
            let (is_error, what) = match (known, host) {
                (Some(known), _) => {
                    let what = format!("lists '{package}', whose name is similar to '{known}'");
                    (true, what)
                }
                (None, Some(host)) => {
                    let words = host.kind.words();
                    let what = format!(
                        "takes the package '{package}' from '{}' ({words})",
                        host.host
                    );
                    (host.kind.is_suspect(), what)
                }
                (None, None) => continue,
            };
            let is_error = is_error && !self.is_exhibit(hit.span);
            self.push_order("SEC113", &hit, is_error, &what);
        }
    }

    /// SEC110: reports a hook of a package that runs an obfuscated script of the skill.
    pub(super) fn hooked(&mut self) {
        let layer = self.layer;
        let name = layer.file.path.file_name().to_ascii_lowercase();
        let is_manifest = matches!(&*name, "package.json" | "composer.json");
        if !is_manifest || layer.is_sample || !layer.layer.is_file() {
            return;
        }
        let text = layer.text();
        for hook in HOOK.captures_iter(text).most(MOST, &layer.left_out) {
            let (Some(whole), Some(called), Some(command)) =
                (hook.get(0), hook.get(1), hook.get(2))
            else {
                continue;
            };
            let Some(script) = self.script_of(command.as_str()) else {
                continue;
            };
            if is_obfuscated(script) {
                let what = format!(
                    "runs the obfuscated script '{}' when the package is installed ('{}')",
                    script.path.file_name(),
                    called.as_str()
                );
                let span = Span::new(whole.start(), whole.end());
                self.push("SEC110", span, !self.view.is_security, &what);
            }
        }
    }

    /// Returns the script of the skill that a command of the manifest starts.
    fn script_of(&self, command: &str) -> Option<&RevealedFile> {
        const ENDS: [&str; 7] = [".js", ".cjs", ".mjs", ".ts", ".py", ".sh", ".php"];
        let own = self.layer.file.path.as_str();
        let folder = own.rsplit_once('/').map_or("", |(folder, _)| folder);
        let is_end = |c: char| c.is_whitespace() || "\"'\\;&|()".contains(c);
        let words = command.split(is_end).filter(|word| !word.is_empty());
        // `node lib/setup` starts `lib/setup.js`, and `node .` starts `index.js`.
        let mut paths = words.flat_map(|word| {
            let bare = word.trim_start_matches("./").trim_end_matches('/');
            let has_end = ENDS.iter().any(|end| bare.ends_with(end));
            let names = if has_end {
                vec![bare.to_owned()]
            } else if matches!(bare, "" | ".") {
                vec!["index.js".to_owned()]
            } else {
                vec![format!("{bare}.js"), format!("{bare}/index.js")]
            };
            let join = |name: String| match folder {
                "" => name,
                folder => format!("{folder}/{name}"),
            };
            names.into_iter().map(join).collect::<Vec<String>>()
        });
        let files = &self.view.skill.revealed().files;
        paths.find_map(|path| files.iter().find(|file| file.path.as_str() == path))
    }
}

/// Returns whether a script is obfuscated, reads tokens or the environment, and either connects to other machines or
/// runs code.
fn is_obfuscated(script: &RevealedFile) -> bool {
    let layers = script
        .layers
        .iter()
        .filter(|layer| layer.text.len() <= LONGEST);
    let (mut is_hidden, mut reads, mut acts) = (false, false, false);
    for layer in layers {
        let code = layer.lower();
        is_hidden |= layer.is_file() && OBFUSCATED.is_match(code);
        reads |= has_any(code, &TOKENS) || ENVIRONMENT.is_match(code);
        acts |= has_any(code, &ACTS);
    }
    is_hidden && reads && acts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn obfuscated_code_has_signs() {
        for (code, expected) in [
            ("const _0x1c=['a']", true),
            (
                "const n=['ahr0chm=','l2ku','ue9tva=='].map(s=>buffer.from(s,'base64'))",
                true,
            ),
            ("require(n[0]).request(o)", true),
            ("const l=['a','b','c'];", false),
            ("require('./build')", false),
            ("const c = 0x1f;", false),
        ] {
            assert_eq!(OBFUSCATED.is_match(code), expected, "{code}");
        }
    }

    #[test]
    fn the_whole_environment_is_read() {
        for (code, expected) in [
            ("let d={e:process.env,h:1};", true),
            ("json.stringify(process.env)", true),
            ("process.env.home", false),
            ("os.environ['home']", false),
        ] {
            assert_eq!(ENVIRONMENT.is_match(code), expected, "{code}");
        }
    }

    #[test]
    fn a_hook_has_a_command() {
        let hook = HOOK
            .captures("{\"postinstall\": \"node lib/a.js\"}")
            .unwrap();
        assert_eq!(&hook[2], "node lib/a.js");
        assert!(HOOK.captures("{\"build\": \"node a.js\"}").is_none());
    }

    #[test]
    fn packages_are_listed_with_a_version_or_source() {
        for (expression, line, expected) in [
            (&DEPENDENCY, "\"express\": \"^4.19.3\"", Some("express")),
            (
                &DEPENDENCY,
                "\"jwt\": \"https://pkgs.a.io/jwt-9.0.3.tgz\"",
                Some("jwt"),
            ),
            (&DEPENDENCY, "\"main\": \"src/index.js\"", None),
            (&DEPENDENCY, "\"homepage\": \"https://a.io/docs\"", None),
            (&DEPENDENCY, "\"start\": \"node src/index.js\"", None),
            (
                &REQUIREMENT,
                "requests[socks]>=2.31  # http",
                Some("requests"),
            ),
            (
                &REQUIREMENT,
                "tables @ https://a.io/tables.whl",
                Some("tables"),
            ),
            (
                &PROJECT,
                "dependencies = [\"requests>=2.31\"]",
                Some("requests"),
            ),
            (&PROJECT, "requests = \"^2.31\"", Some("requests")),
            (&PROJECT, "name = \"tables\"", None),
            (&REQUIREMENT, "flask", Some("flask")),
            (&REQUIREMENT, "--index-url https://a.io", None),
            (&REQUIREMENT, "# requests is not needed", None),
        ] {
            let found = expression.captures(line);
            let name = found.and_then(|found| found.get(1).or_else(|| found.get(3)));
            assert_eq!(name.map(|name| name.as_str()), expected, "{line}");
        }
    }
}
