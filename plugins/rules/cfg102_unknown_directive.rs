//! CFG102 unknown-directive.

use skillc_core::did_you_mean::nearest;
use skillc_lint::{
    Directive, Directives, Findings, Outcome, Part, Rule, RuleMeta, Word, declare_rule,
};

use crate::frontmatter::shown;

declare_rule! {
    /// Reports a directive with an unknown keyword or rule, or an enable directive without a matching disable.
    ///
    /// ## Why
    /// Such a directive, or the unknown part of it, does nothing, although its author believes that it works.
    ///
    /// ## Example
    /// ```markdown
    /// <!-- skilllint-disable-nextline heading-hierachy -- same levels as in the form -->
    /// ```
    /// Write instead:
    /// ```markdown
    /// <!-- skilllint-disable-next-line heading-hierarchy -- same levels as in the form -->
    /// ```
    ///
    /// ## Source
    /// skillc's own directives: see the page 'Suppressing findings' in the book.
    pub(crate) struct UnknownDirective {
        code: "CFG102",
        name: "unknown-directive",
        severity: Warning,
        since: "0.3.0",
    }
}

impl Rule for UnknownDirective {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_directives(&self, directives: &Directives<'_>, out: &mut Findings<'_>) {
        for directive in &directives.list {
            let Some(word) = directive.word else {
                check_word(directives, directive, out);
                continue;
            };
            for part in &directive.parts {
                check_part(directives, directive, word, part, out);
            }
        }
    }
}

fn check_word(directives: &Directives<'_>, directive: &Directive, out: &mut Findings<'_>) {
    let word = directives.text(directive.word_span);
    let near = directive
        .meant
        .or_else(|| nearest(word, Word::ALL.map(|(known, _)| known)));
    let help = match near {
        Some(near) => format!("did you mean '{near}'?"),
        None => format!("known directives: {}", known_words()),
    };
    out.at(directive.word_span, unknown_word(word)).help(help);
}

fn check_part(
    directives: &Directives<'_>,
    directive: &Directive,
    word: Word,
    part: &Part,
    out: &mut Findings<'_>,
) {
    match (&part.outcome, part.selector) {
        (Outcome::Unknown { near }, Some(span)) => {
            let help = match near {
                Some(near) => format!("did you mean '{near}'?"),
                None => "'skc rules' lists all rules; put a reason after ' -- '".to_owned(),
            };
            out.at(span, unknown_rule(directives.text(span))).help(help);
        }
        (Outcome::Prose, Some(span)) => {
            out.at(span, no_selector(directives.text(span)))
                .help("put the reason after ' -- ', with spaces around it");
        }
        (Outcome::Unused, selector) if word == Word::Enable => {
            let span = selector.unwrap_or(directive.span);
            out.at(
                span,
                ends_nothing(selector.map(|span| directives.text(span))),
            );
        }
        _ => {}
    }
}

fn known_words() -> String {
    let words = Word::ALL.map(|(word, _)| format!("'{word}'"));
    words.join(", ")
}

fn unknown_word(word: &str) -> String {
    format!("unknown directive '{}'", shown(word))
}

fn unknown_rule(selector: &str) -> String {
    format!("unknown rule '{}'", shown(selector))
}

fn no_selector(text: &str) -> String {
    format!("'{}' is not a valid selector", shown(text))
}

fn ends_nothing(selector: Option<&str>) -> String {
    match selector {
        Some(selector) => format!("'{}' is not disabled here", shown(selector)),
        None => "nothing is disabled here".to_owned(),
    }
}
