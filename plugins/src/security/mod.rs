//! The shared part of the security rules (`SEC1xx`). A skill is reviewed once, and each rule reports its findings from
//! this review.
//!
//! The first of these rules to run on a skill starts the review. The review searches the revealed text of every file
//! ([`skillc_core::reveal`]) for patterns, for concepts in sentences, and for data flows. To decide whether a match is
//! a threat, the review considers its position, the matches near it, and whether it is an instruction or a mention.

mod beside;
pub(crate) mod context;
mod detect;
mod examined;
mod expression;
mod flow;
mod hooks;
mod hosts;
mod intent;
mod loaded;
mod masking;
mod outside;
mod packages;
mod purpose;
mod roles;
mod samples;
mod shell_flow;
mod signals;
mod standing;
mod statements;
mod structure;
mod view;

use skillc_core::{RelPath, Skill, Span, Stop, secrets};
use skillc_lint::Findings;

/// The maximum number of errors that a rule reports in one file. The same maximum applies to warnings.
const MAX_IN_FILE: usize = 20;

/// Changes a pattern so that `\b`, `\w` and `\d` match only ASCII, and each accented Latin letter also matches the
/// letter without the accent. Unicode word boundaries disable the fast paths of the regex engine, and Unicode classes
/// take long to compile. Accents have been removed from the Latin letters in a file's layers.
fn ascii_words(pattern: &str) -> String {
    let pattern = pattern
        .replace(r"\b", r"(?-u:\b)")
        .replace(r"\w", "[0-9A-Za-z_]")
        .replace(r"\d", "[0-9]");
    with_plain_letters(&pattern)
}

/// Changes a pattern so that each accented Latin letter also matches the letter without the accent.
fn with_plain_letters(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let (mut classes, mut is_escaped) = (0_usize, false);
    for c in pattern.chars() {
        match (plain_letter(c), classes) {
            (Some(plain), 0) => out.extend(['(', '?', ':', c, '|', plain, ')']),
            (Some(plain), _) => out.extend([c, plain]),
            (None, _) => out.push(c),
        }
        match c {
            '[' if !is_escaped => classes += 1,
            ']' if !is_escaped => classes = classes.saturating_sub(1),
            _ => {}
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    out
}

/// Removes the accent from a lower-case Latin letter, as in the layers of a file. Returns `None` for other characters.
const fn plain_letter(c: char) -> Option<char> {
    Some(match c {
        'à'..='å' => 'a',
        'ç' => 'c',
        'è'..='ë' => 'e',
        'ì'..='ï' => 'i',
        'ñ' => 'n',
        'ò'..='ö' => 'o',
        'ù'..='ü' => 'u',
        'ý' | 'ÿ' => 'y',
        'ß' => 's',
        _ => return None,
    })
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
    /// The byte range in the file.
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
        let threats = bounded(detect::detect(skill, stop)?);
        Some(Self { threats })
    }
}

impl Threat {
    /// Returns the sort key of a threat: by rule, file and line, with errors first within a line.
    fn order(&self) -> (&'static str, Option<&RelPath>, usize, bool, usize) {
        (
            self.rule,
            self.file.as_ref(),
            self.line,
            !self.is_error,
            self.span.start,
        )
    }
}

/// Sorts threats, and keeps one threat per rule and line, preferably an error. For each rule and file, keeps at most
/// [`MAX_IN_FILE`] errors and [`MAX_IN_FILE`] warnings. The separate limits prevent warnings from displacing errors.
fn bounded(mut threats: Vec<Threat>) -> Vec<Threat> {
    threats.sort_by(|a, b| a.order().cmp(&b.order()));
    threats.dedup_by(|a, b| {
        (a.rule, &a.file, a.line) == (b.rule, &b.file, b.line)
            && (a.file.is_some() || a.message == b.message)
    });
    let mut kept: Vec<Threat> = Vec::new();
    for group in threats.chunk_by(|a, b| (a.rule, &a.file) == (b.rule, &b.file)) {
        let mut counts = [0; 2];
        let is_kept = |threat: &&Threat| {
            let count = &mut counts[usize::from(threat.is_error)];
            *count += 1;
            *count <= MAX_IN_FILE
        };
        let before = kept.len();
        kept.extend(group.iter().filter(is_kept).cloned());
        let more = group.len() - (kept.len() - before);
        if let Some(last) = kept.last_mut().filter(|_| more > 0) {
            last.help
                .get_or_insert_with(|| format!("{more} more findings here are not shown"));
        }
    }
    kept
}

/// Reports the threats that the review found for a rule.
pub(crate) fn report(rule: &str, skill: &Skill, out: &mut Findings<'_>) {
    let stop = out.budget().stop();
    let Some(review) = skill.derived_if(|skill| Review::new(skill, stop)) else {
        return;
    };
    // Report errors first, because the engine keeps a limited number of findings.
    let (errors, warnings): (Vec<&Threat>, Vec<&Threat>) = review
        .threats
        .iter()
        .filter(|threat| threat.rule == rule)
        .partition(|threat| threat.is_error);
    for threat in errors.into_iter().chain(warnings) {
        let message = secrets::mask(&threat.message).into_owned();
        let found = match &threat.file {
            Some(file) => out.within(file, threat.span, message),
            None => out.skill(message),
        };
        // Set the line here: the engine sets it only for Markdown documents.
        found.line = threat.line;
        if threat.is_error {
            found.error();
        } else {
            found.warning();
        }
        if let Some(help) = &threat.help {
            found.help(help.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn threat(line: usize, is_error: bool) -> Threat {
        Threat {
            rule: "SEC101",
            file: Some(RelPath::parse("a.sh").unwrap()),
            span: Span::new(line, line),
            line,
            is_error,
            message: String::new(),
            help: None,
        }
    }

    #[test]
    fn a_letter_with_an_accent_also_matches_without_it() {
        for (pattern, expected) in [
            ("señal", "se(?:ñ|n)al"),
            ("[^é.]ß", "[^ée.](?:ß|s)"),
            (r"\[é\w[ü]é]", r"\[(?:é|e)[0-9A-Za-z_][ü"),
            ("危险|опасн|cafe", "危险|опасн|cafe"),
        ] {
            let found = ascii_words(pattern);
            assert!(found.starts_with(expected), "{pattern}: {found}");
        }
    }

    #[test]
    fn warnings_do_not_displace_an_error_and_the_rest_is_counted() {
        let mut threats: Vec<Threat> = (1..=25).map(|line| threat(line, false)).collect();
        threats.push(threat(25, true));
        threats.push(threat(26, true));
        let kept = bounded(threats);
        let errors = kept.iter().filter(|threat| threat.is_error);
        assert_eq!(
            errors.map(|threat| threat.line).collect::<Vec<_>>(),
            [25, 26]
        );
        assert_eq!(kept.len(), MAX_IN_FILE + 2);
        let help = kept.last().and_then(|last| last.help.as_deref());
        assert_eq!(help, Some("4 more findings here are not shown"));
        assert_eq!(bounded(kept.clone()), kept);
    }
}
