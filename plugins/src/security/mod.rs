//! The shared part of the security rules (`SEC1xx`): one review of a skill, from which each rule reports its findings.
//!
//! The first of these rules that runs makes the review, once per skill. The review reads the revealed view of every
//! file ([`skillc_core::reveal`]) and finds patterns, concepts of sentences, and data flows in it. It decides by their
//! place, by what is near them, and by whether they are an order or a mention.

pub(crate) mod context;
mod detect;
mod flow;
mod hosts;
mod intent;
mod packages;
mod purpose;
mod signals;
mod structure;
mod view;

use skillc_core::{RelPath, Skill, Span, Stop, secrets};
use skillc_lint::Findings;

/// The maximum number of findings of a rule in one file.
const MAX_IN_FILE: usize = 20;

/// Returns a pattern in which `\b`, `\w` and `\d` match ASCII only. Unicode word boundaries keep the regex engine from
/// its fast paths, and Unicode classes take long to compile.
fn ascii_words(pattern: &str) -> String {
    pattern
        .replace(r"\b", r"(?-u:\b)")
        .replace(r"\w", "[0-9A-Za-z_]")
        .replace(r"\d", "[0-9]")
}

/// The threats in a skill, sorted by rule, file and line.
#[derive(Debug, Default)]
pub(crate) struct Review {
    threats: Vec<Threat>,
}

/// A finding of a rule, before it is reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Threat {
    /// The code of the rule.
    pub(crate) rule: &'static str,
    /// The file; `None` for the skill as a whole.
    pub(crate) file: Option<RelPath>,
    /// The place, in bytes of the file.
    pub(crate) span: Span,
    /// The line number, from 1.
    pub(crate) line: usize,
    pub(crate) is_error: bool,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

impl Review {
    /// Reviews a skill; `None` if the run is cancelled.
    fn new(skill: &Skill, stop: &Stop) -> Option<Self> {
        let mut threats = detect::detect(skill, stop)?;
        threats.sort_by(|a, b| {
            (a.rule, &a.file, a.span.start, !a.is_error).cmp(&(
                b.rule,
                &b.file,
                b.span.start,
                !b.is_error,
            ))
        });
        // Keep one finding of a rule per line: an error rather than a warning.
        threats.sort_by_key(|threat| {
            (
                threat.rule,
                threat.file.clone(),
                threat.line,
                !threat.is_error,
            )
        });
        threats.dedup_by(|a, b| {
            (a.rule, &a.file, a.line) == (b.rule, &b.file, b.line)
                && (a.file.is_some() || a.message == b.message)
        });
        Some(Self { threats })
    }
}

/// Reports the threats that the review found for a rule.
pub(crate) fn report(rule: &str, skill: &Skill, out: &mut Findings<'_>) {
    let stop = out.budget().stop();
    let Some(review) = skill.derived_if(|skill| Review::new(skill, stop)) else {
        return;
    };
    let mut last: Option<&RelPath> = None;
    let mut count = 0;
    for threat in review.threats.iter().filter(|threat| threat.rule == rule) {
        if threat.file.as_ref() != last {
            (last, count) = (threat.file.as_ref(), 0);
        }
        count += 1;
        if count > MAX_IN_FILE {
            continue;
        }
        let message = secrets::mask(&threat.message).into_owned();
        let found = match &threat.file {
            Some(file) => out.within(file, threat.span, message),
            None => out.skill(message),
        };
        // The engine sets lines only in Markdown documents.
        found.line = threat.line;
        if !threat.is_error {
            found.warning();
        }
        if let Some(help) = &threat.help {
            found.help(help.clone());
        }
    }
}
