//! What the security rules (`SEC1xx`) have in common: one review of a skill, of which each rule reports its part.
//!
//! The review is made once per skill, by the first of the rules that runs. It reads the revealed view of every file
//! ([`skillc_core::reveal`]), finds signals in it, and decides by where they stand, what is near them, and who says them.

pub(crate) mod context;
mod detect;
mod flow;
mod hosts;
mod intent;
mod packages;
mod signals;
mod structure;
mod view;

use skillc_core::{RelPath, Skill, Span, Stop, secrets};
use skillc_lint::Findings;

/// The most findings of a rule in one file.
const MAX_IN_FILE: usize = 20;

/// Returns a pattern whose words are those of ASCII, as most text is: word boundaries of Unicode keep the regex engine from its
/// fast paths, and its classes take long to compile.
fn ascii_words(pattern: &str) -> String {
    pattern
        .replace(r"\b", r"(?-u:\b)")
        .replace(r"\w", "[0-9A-Za-z_]")
        .replace(r"\d", "[0-9]")
}

/// What was found in a skill, sorted by file and place.
#[derive(Debug, Default)]
pub(crate) struct Review {
    threats: Vec<Threat>,
}

/// One thing that a rule reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Threat {
    /// The code of the rule.
    pub(crate) rule: &'static str,
    /// The file; `None` for the skill as a whole.
    pub(crate) file: Option<RelPath>,
    /// In bytes of the file.
    pub(crate) span: Span,
    /// From 1.
    pub(crate) line: usize,
    pub(crate) is_error: bool,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

impl Review {
    /// Reviews a skill; `None` if the run is cancelled meanwhile.
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
        // One finding of a rule per line, the worst of them.
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

/// Reports what the review found for a rule.
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
        // The engine sets the places of documents alone.
        found.line = threat.line;
        if !threat.is_error {
            found.warning();
        }
        if let Some(help) = &threat.help {
            found.help(help.clone());
        }
    }
}
