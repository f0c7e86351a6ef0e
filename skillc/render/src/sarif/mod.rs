//! Findings as SARIF 2.1.0, for code scanning services.
//!
//! Paths are relative to the working directory where possible, because services treat this directory as the repository
//! root. The output is deterministic: it does not depend on the machine or on the time of the run.

mod fixes;
mod log;

use std::collections::BTreeMap;

use fixes::fix;
use log::{
    ArtifactLocation, Configuration, Descriptor, Driver, Failure, Finding, Fingerprints, Help,
    Invocation, Location, Log, Message, Notification, PhysicalLocation, Properties, Region, Run,
    Tool,
};
use skillc_lint::annotate::told;
use skillc_lint::finding::{FoundIn, LintFinding};
use skillc_ops::lint::{LintResponse, RuleInfo, SkillReport};

use crate::text::lint::before_files;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The maximum length of a description that GitHub shows, in characters.
const MAX_DESCRIPTION: usize = 1024;

/// Creates the log of a run.
pub(crate) fn log(response: &LintResponse) -> Log<'_> {
    let failures: Vec<_> = response.skills.iter().filter_map(notification).collect();
    Log {
        schema: SCHEMA,
        version: "2.1.0",
        runs: [Run {
            tool: Tool {
                driver: Driver {
                    name: "skillc",
                    version: env!("CARGO_PKG_VERSION"),
                    semantic_version: env!("CARGO_PKG_VERSION"),
                    rules: response.rules.iter().map(descriptor).collect(),
                },
            },
            invocations: [Invocation {
                execution_successful: failures.is_empty(),
                tool_execution_notifications: failures,
            }],
            column_kind: "unicodeCodePoints",
            results: findings(response),
        }],
    }
}

fn notification(report: &SkillReport) -> Option<Notification<'_>> {
    let text = report.failure.as_deref()?;
    Some(Notification {
        level: "error",
        message: Failure { text },
    })
}

fn descriptor(rule: &RuleInfo) -> Descriptor<'_> {
    let level = rule.severity.as_str();
    // Omit the page's "Source" section, which is of no use in a code scanning service.
    let page = rule.page.split("\n## Source").next().unwrap_or_default();
    Descriptor {
        id: &rule.code,
        name: &rule.name,
        short_description: message(cut(&rule.summary)),
        full_description: message(cut(&reason(&rule.page))),
        help: Help {
            text: page,
            markdown: page,
        },
        default_configuration: Configuration { level },
        properties: Properties {
            tags: families(&rule.code),
            problem_severity: level,
        },
    }
}

fn message(text: String) -> Message {
    Message { text }
}

/// Returns the part of a rule's page before the examples: what the rule reports, and why.
fn reason(page: &str) -> String {
    let lines = page.lines().filter(|line| *line != "## Why");
    let lines = lines.take_while(|line| !line.starts_with("## "));
    let words = lines.flat_map(str::split_whitespace);
    words.collect::<Vec<_>>().join(" ")
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_DESCRIPTION - 1) {
        Some((end, last)) if end + last.len_utf8() < text.len() => format!("{}…", &text[..end]),
        _ => text.to_owned(),
    }
}

/// Returns the selectors of a rule's families, such as `SKL` and `SKL2` for `SKL205`.
fn families(code: &str) -> Vec<&str> {
    let letters = code.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let ends = [letters, letters + 1].into_iter();
    ends.filter_map(|end| code.get(..end)).collect()
}

fn findings(response: &LintResponse) -> Vec<Finding<'_>> {
    let rules = response.rules.iter().enumerate();
    let indices: BTreeMap<&str, usize> = rules.map(|(at, rule)| (rule.code.as_str(), at)).collect();
    let mut findings = Vec::new();
    for report in &response.skills {
        let folder = before_files(report);
        let mut lines = Lines::default();
        findings.extend(report.diagnostics.iter().map(|finding| Finding {
            rule_id: &finding.rule,
            rule_index: indices.get(&*finding.rule).copied(),
            level: finding.severity.as_str(),
            message: message(told(finding)),
            locations: [location(finding, &folder)],
            partial_fingerprints: Fingerprints {
                primary_location_line_hash: lines.fingerprint(finding),
            },
            fixes: finding.fix.iter().map(|it| fix(it, &folder)).collect(),
        }));
    }
    findings
}

fn location(finding: &LintFinding, folder: &str) -> Location {
    Location {
        physical_location: PhysicalLocation {
            artifact_location: ArtifactLocation {
                uri: uri(&finding.file.shown(folder)),
            },
            region: Region {
                start_line: finding.line,
                start_column: finding.column,
                end_line: finding.end_line,
                end_column: finding.end_column,
            },
        },
    }
}

/// Converts a `/`-separated path to a URI reference: a relative path to a relative reference, an absolute path to a
/// `file:` URI.
fn uri(path: &str) -> String {
    match path.as_bytes() {
        [b'/', ..] => format!("file://{}", encoded(path)),
        [drive, b':', b'/', ..] if drive.is_ascii_alphabetic() => {
            format!("file:///{}:{}", char::from(*drive), encoded(&path[2..]))
        }
        _ => encoded(path),
    }
}

/// Percent-encodes every byte that is reserved in URIs or is not ASCII.
fn encoded(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            _ => out += &format!("%{byte:02X}"),
        }
    }
    out
}

/// Builds the fingerprints of a skill's findings from the text of their lines.
#[derive(Default)]
struct Lines<'a> {
    file: Option<&'a FoundIn>,
    /// For each line hash: the last line with this hash, and the number of such lines so far.
    seen: BTreeMap<u64, (usize, usize)>,
}

impl<'a> Lines<'a> {
    /// Returns the hash of a finding's line, followed by a number that distinguishes the file's lines with equal
    /// hashes. Findings must be passed in order.
    ///
    /// Lines without findings are not counted, because only findings on lines with equal hashes need to be told apart.
    /// A hash covers only the first 100 characters of a line, so different lines can have equal hashes.
    fn fingerprint(&mut self, finding: &'a LintFinding) -> String {
        if self.file != Some(&finding.file) {
            self.file = Some(&finding.file);
            self.seen.clear();
        }
        let hash = finding.line_hash;
        let (last, count) = self.seen.entry(hash).or_default();
        if *last != finding.line {
            *last = finding.line;
            *count += 1;
        }
        format!("{hash:x}:{count}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uri_references() {
        assert_eq!(uri("a/SKILL.md"), "a/SKILL.md");
        assert_eq!(uri("a b/100%/ü#?.md"), "a%20b/100%25/%C3%BC%23%3F.md");
        assert_eq!(uri("c:d/a.md"), "c%3Ad/a.md");
        assert_eq!(uri("/home/me/a b.md"), "file:///home/me/a%20b.md");
        assert_eq!(uri("C:/Users/a b.md"), "file:///C:/Users/a%20b.md");
    }

    #[test]
    fn a_rule_is_tagged_with_its_selectors() {
        assert_eq!(families("SKL205"), ["SKL", "SKL2"]);
        assert_eq!(families("X"), ["X"]);
    }

    #[test]
    fn descriptions_have_the_displayed_length() {
        let page = "Reports it.\n\n## Why\nBecause\nof that.\n\n## Example\nNo.\n";
        assert_eq!(reason(page), "Reports it. Because of that.");
        assert_eq!(cut(&"é".repeat(1024)), "é".repeat(1024));
        let long = cut(&"é".repeat(1025));
        assert_eq!(long, "é".repeat(1023) + "…");
    }
}
