//! Findings as JUnit XML, which most CI servers show as tests.
//!
//! A skill is a test suite. All findings of one rule in one file are one failure of one test case, because programs
//! that read the report show only the first failure of a case. The name of the case contains no line numbers, so it
//! does not change when lines move. A skill without findings is one passed case. Only the run as a whole is timed.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

use quick_xml::Writer;
use quick_xml::escape::escape;
use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};
use skillc_core::clean::clean;
use skillc_lint::Severity;
use skillc_lint::finding::{FoundIn, LintFinding};
use skillc_ops::lint::{LintResponse, SkillReport};

use crate::text::lint::{before_files, names};

/// The name of the case for a skill that has no findings, was skipped, or could not be read or fixed.
const WHOLE: &str = "skill";

/// Writes the report of a run.
pub(crate) fn write(response: &LintResponse, out: &mut dyn Write) -> io::Result<()> {
    let suites: Vec<Suite<'_>> = names(response)
        .zip(&response.skills)
        .map(|(name, report)| Suite::new(name, report))
        .collect();
    let totals = suites.iter().fold([0; 4], |mut sum, suite| {
        sum.iter_mut()
            .zip(suite.totals())
            .for_each(|(sum, of)| *sum += of);
        sum
    });
    let time = format!("{:.3}", response.elapsed.as_secs_f64());
    let mut xml = Xml(Writer::new_with_indent(out, b' ', 2));
    xml.event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let start = counted(element("testsuites", &[("name", "skc lint")]), totals);
    let start = with(start, &[("time", &time)]);
    if suites.is_empty() {
        xml.event(Event::Empty(start))?;
    } else {
        xml.event(Event::Start(start))?;
        for suite in &suites {
            suite.write(&mut xml)?;
        }
        xml.event(Event::End(BytesEnd::new("testsuites")))?;
    }
    xml.0.get_mut().write_all(b"\n")
}

/// A skill.
struct Suite<'a> {
    name: String,
    folder: String,
    report: &'a SkillReport,
    /// The findings, grouped by file and rule, in the order of the report.
    cases: Vec<Vec<&'a LintFinding>>,
}

impl<'a> Suite<'a> {
    fn new(name: String, report: &'a SkillReport) -> Self {
        let mut cases: Vec<Vec<&LintFinding>> = Vec::new();
        let mut places: BTreeMap<(&FoundIn, &str), usize> = BTreeMap::new();
        for finding in &report.diagnostics {
            let key = (&finding.file, &*finding.rule);
            let at = *places.entry(key).or_insert(cases.len());
            match cases.get_mut(at) {
                Some(case) => case.push(finding),
                None => cases.push(vec![finding]),
            }
        }
        let folder = before_files(report);
        Self {
            name,
            folder,
            report,
            cases,
        }
    }

    /// Returns the numbers of tests, failures, errors and skipped tests.
    fn totals(&self) -> [usize; 4] {
        let failures = self.cases.len();
        let errors = usize::from(self.report.failure.is_some());
        let skipped = usize::from(self.report.skipped);
        [(failures + errors).max(1), failures, errors, skipped]
    }

    fn write(&self, xml: &mut Xml<'_>) -> io::Result<()> {
        let start = element("testsuite", &[("name", &self.name)]);
        xml.event(Event::Start(counted(start, self.totals())))?;
        for case in &self.cases {
            self.write_case(case, xml)?;
        }
        let whole = element("testcase", &[("name", WHOLE), ("classname", &self.name)]);
        if let Some(failure) = &self.report.failure {
            let kind = if self.report.is_unreadable() {
                "unreadable"
            } else {
                "unfixed"
            };
            let error = element("error", &[("message", failure), ("type", kind)]);
            xml.case(whole, error, None)?;
        } else if self.report.skipped {
            let skipped = element("skipped", &[("message", "the skill is build output")]);
            xml.case(whole, skipped, None)?;
        } else if self.cases.is_empty() {
            xml.event(Event::Empty(whole))?;
        }
        xml.event(Event::End(BytesEnd::new("testsuite")))
    }

    /// Writes the findings of one rule in one file; `found` must not be empty.
    fn write_case(&self, found: &[&LintFinding], xml: &mut Xml<'_>) -> io::Result<()> {
        let Some(first) = found.first() else {
            return Ok(());
        };
        let path = first.file.shown(&self.folder);
        let case = element(
            "testcase",
            &[
                (
                    "name",
                    &format!("{} {}: {}", first.rule, first.name, first.file),
                ),
                ("classname", &self.name),
                ("file", &path),
            ],
        );
        let message = match found.len() {
            1 => first.message.clone(),
            number => format!("{}, and {} more", first.message, number - 1),
        };
        let severity = found.iter().map(|finding| finding.severity).min();
        let severity = severity.unwrap_or(Severity::Warning).as_str();
        let failure = element("failure", &[("message", &message), ("type", severity)]);
        let lines: Vec<String> = found.iter().map(|finding| told(&path, finding)).collect();
        xml.case(case, failure, Some(&lines.join("\n")))
    }
}

/// Returns a finding with its location, and its help on a separate line. No line of the result can start with a
/// workflow command.
fn told(path: &str, finding: &LintFinding) -> String {
    let (line, column) = (finding.line, finding.column);
    // A CI runner may execute log lines that start with `::`.
    let start = if path.starts_with("::") { "./" } else { "" };
    let place = format!("{start}{path}:{line}:{column}: {}", finding.message);
    match &finding.help {
        Some(help) => format!("{}\nhelp: {}", allowed(&place), allowed(help)),
        None => allowed(&place).into_owned(),
    }
}

/// The XML writer.
struct Xml<'a>(Writer<&'a mut dyn Write>);

impl Xml<'_> {
    fn event(&mut self, event: Event<'_>) -> io::Result<()> {
        self.0.write_event(event)
    }

    /// Writes a test case with its outcome; `text` must contain only allowed characters.
    fn case(
        &mut self,
        case: BytesStart<'_>,
        outcome: BytesStart<'_>,
        text: Option<&str>,
    ) -> io::Result<()> {
        self.event(Event::Start(case))?;
        if let Some(text) = text {
            let end = outcome.to_end().into_owned();
            self.event(Event::Start(outcome.clone()))?;
            self.event(Event::Text(BytesText::from_escaped(without_marks(
                &escape(text),
            ))))?;
            self.event(Event::End(end))?;
        } else {
            self.event(Event::Empty(outcome))?;
        }
        self.event(Event::End(BytesEnd::new("testcase")))
    }
}

fn element(name: &'static str, attributes: &[(&str, &str)]) -> BytesStart<'static> {
    with(BytesStart::new(name), attributes)
}

fn with(mut start: BytesStart<'static>, attributes: &[(&str, &str)]) -> BytesStart<'static> {
    for (name, value) in attributes {
        let value = allowed(value);
        let mut attribute = Attribute::from((*name, &*value));
        attribute.value = without_marks(&attribute.value).into();
        start.push_attribute(attribute);
    }
    start
}

/// Adds the numbers of tests, failures, errors and skipped tests.
fn counted(start: BytesStart<'static>, totals: [usize; 4]) -> BytesStart<'static> {
    let names = ["tests", "failures", "errors", "skipped"];
    names
        .into_iter()
        .zip(totals)
        .fold(start, |start, (name, total)| {
            with(start, &[(name, &total.to_string())])
        })
}

/// In text that is already escaped for XML, escapes the marks of commands that CI runners execute anywhere in a line.
fn without_marks(text: &str) -> String {
    text.replace("##[", "##&#91;")
        .replace("##vso[", "##vso&#91;")
}

/// Escapes characters that XML 1.0 does not allow or that a terminal would interpret. The XML writer escapes the
/// characters of XML's own syntax.
fn allowed(text: &str) -> Cow<'_, str> {
    let text = clean(text);
    let is_forbidden = |c| matches!(c, '\u{fffe}' | '\u{ffff}');
    if !text.contains(is_forbidden) {
        return text;
    }
    let spelt = text.chars().map(|c| match c {
        c if is_forbidden(c) => c.escape_default().to_string(),
        c => c.to_string(),
    });
    Cow::Owned(spelt.collect())
}
