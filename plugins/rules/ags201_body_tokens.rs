//! AGS201 body-tokens.

use skillc_core::{
    Document, Findings, OptionKind, Rule, RuleMeta, RuleOption, Skill, Span, declare_rule,
};

/// The most tokens that the standard advises.
const MAX_TOKENS: usize = 5_000;

/// How many characters of an alphabet make a token, about.
const CHARS_PER_TOKEN: usize = 4;

declare_rule! {
    /// Reports a body of `SKILL.md` that has more than about 5,000 tokens.
    ///
    /// ## Why
    /// An agent reads all of the body as soon as it uses the skill, whatever the task is. What only some tasks need costs
    /// nothing in files that `SKILL.md` leads to. Some clients also cut a long body when they make room.
    ///
    /// Each model counts tokens in its own way, so this is an estimate: a token for each Chinese, Japanese or Korean
    /// character, and one for each four other characters, blanks included. Code and tables often have more. For that reason
    /// the rule is off unless you select it; SKL201 counts lines.
    ///
    /// ## Example
    /// ```markdown
    /// ## All functions of PostgreSQL
    /// … (two thousand words)
    /// ## All functions of MySQL
    /// … (two thousand words)
    /// ```
    /// Write instead:
    /// ```markdown
    /// ## Functions
    /// - PostgreSQL: [references/postgresql.md](references/postgresql.md)
    /// - MySQL: [references/mysql.md](references/mysql.md)
    /// ```
    ///
    /// ## Options
    /// `max-tokens`: the most tokens that are not reported, 5000 unless given.
    ///
    /// ## Source
    /// The Agent Skills standard, docs/specification.mdx (2026-08-04): fewer than 5000 tokens are advised.
    pub(crate) struct BodyTokens {
        code: "AGS201",
        name: "body-tokens",
        severity: Warning,
        since: "0.3.0",
        activation: OnRequest,
    }
}

impl Rule for BodyTokens {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn options(&self) -> &'static [RuleOption] {
        &[RuleOption {
            name: "max-tokens",
            kind: OptionKind::Number,
            about: "The most tokens that are not reported; 5000 unless given",
        }]
    }

    fn check_main(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        let max = out.options().number("max-tokens").unwrap_or(MAX_TOKENS);
        let body = &doc.text[doc.body_start..];
        let Some(beyond) = first_beyond(body, max) else {
            return;
        };
        let line = doc.lines.line(doc.body_start + beyond);
        let line = doc.lines.range(line, line + 1);
        out.at(Span::new(line.start, line.end), too_long(tokens(body), max))
            .help(
                "move what only some tasks need to files in 'references/' and link them from here",
            );
    }
}

/// Returns what a character costs, in parts of a token: `CHARS_PER_TOKEN` of them are one.
const fn cost(c: char) -> usize {
    match c {
        '\u{1100}'..='\u{11ff}'
        | '\u{2e80}'..='\u{2fdf}'
        | '\u{3000}'..='\u{9fff}'
        | '\u{a960}'..='\u{a97f}'
        | '\u{ac00}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff00}'..='\u{ffef}'
        | '\u{20000}'..='\u{3ffff}' => CHARS_PER_TOKEN,
        _ => 1,
    }
}

fn tokens(text: &str) -> usize {
    text.chars()
        .map(cost)
        .sum::<usize>()
        .div_ceil(CHARS_PER_TOKEN)
}

/// Returns the byte offset of the first character that does not fit into `max` tokens.
fn first_beyond(text: &str, max: usize) -> Option<usize> {
    let mut left = max.saturating_mul(CHARS_PER_TOKEN);
    for (at, c) in text.char_indices() {
        let Some(after) = left.checked_sub(cost(c)) else {
            return Some(at);
        };
        left = after;
    }
    None
}

fn too_long(tokens: usize, max: usize) -> String {
    format!("body has about {tokens} tokens; expected at most {max}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_letters_or_one_character_of_cjk_are_a_token() {
        for (text, expected) in [
            ("", 0),
            ("a", 1),
            ("one two", 2),
            ("表", 1),
            ("表格 a", 3),
            ("한글。", 3),
            ("éüñß", 1),
        ] {
            assert_eq!(tokens(text), expected, "{text}");
        }
    }

    #[test]
    fn the_first_character_beyond_is_found() {
        assert_eq!(first_beyond("abcd", 1), None);
        assert_eq!(first_beyond("abcde", 1), Some(4));
        assert_eq!(first_beyond("ab表", 1), Some(2));
        assert_eq!(first_beyond("", 0), None);
    }
}
