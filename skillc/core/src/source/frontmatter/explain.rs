//! Explains YAML errors in an author's terms.
//!
//! The parser reports which token it expected, but an author wants to know which character of which value to change.
//! Most functions check the text around the parser's position for one kind of mistake, and return `None` if the mistake
//! is of another kind.

use granit_parser::ErrorKind as Kind;

use super::block_lines::{Line, Start, blanks, line_at, lines, shown, value_of};
use super::brackets;
use super::fields::Fault;
use super::quotes;
use crate::source::lines::{LineIndex, Span};

const TOO_DEEP: &str = "nested deeper than 128 levels";

/// A message, and the span in the file that the message refers to.
pub(super) struct Reason {
    pub(super) text: String,
    pub(super) at: Span,
}

/// Explains an error in a part of a file.
pub(super) fn explain(text: &str, part: Span, fault: &Fault) -> Reason {
    let scene = Scene {
        text: &text[..part.end],
        part,
    };
    let (reason, at) = match fault {
        Fault::Syntax { kind, at } => return scene.syntax(kind, *at),
        Fault::NotAMap { at } => return scene.not_a_map(at.start),
        Fault::Duplicate { key, first, at } => {
            let line = LineIndex::new(scene.text.as_bytes()).line(first.start);
            let reason = format!("'{}' is set twice, first on line {line}", shown(key));
            (reason, *at)
        }
        Fault::SecondDocument { at } => return scene.second_document(at.start),
        Fault::OwnAlias { at } => ("this alias is inside its own value".to_owned(), *at),
        Fault::TooDeep { at } => (TOO_DEEP.to_owned(), *at),
        Fault::TooMany { at } => ("aliases repeat more than 65,536 values".to_owned(), *at),
        Fault::Unresolved => ("an unknown alias".to_owned(), part),
    };
    Reason { text: reason, at }
}

/// The part of the file that contains the error.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    /// The file up to the end of the part.
    pub(super) text: &'a str,
    pub(super) part: Span,
}

impl<'a> Scene<'a> {
    /// Returns the line that an offset is on.
    pub(super) fn line(&self, at: usize) -> Line<'a> {
        line_at(self.text, self.part, at)
    }

    /// Returns the last value that begins with one of the given characters, on the line of `at` or above.
    pub(super) fn value_above(&self, at: usize, signs: [char; 2]) -> Option<Start<'a>> {
        lines(self.text, self.part)
            .take_while(|line| line.start <= at)
            .filter_map(|line| line.value())
            .filter(|start| self.text[start.at..].starts_with(signs))
            .last()
    }

    fn syntax(&self, kind: &Kind, at: usize) -> Reason {
        let found = match kind {
            Kind::MappingValueNotAllowed | Kind::MappingKeyNotAllowed => self.colon(at),
            Kind::TabNotAllowed
            | Kind::TabInBlockIndentation
            | Kind::TabInIndentation
            | Kind::TabInPlainScalar
            | Kind::TabAtBlockScalarStart => self.tab(at),
            Kind::UnknownQuotedScalarEscape
            | Kind::InvalidQuotedScalarHexEscape
            | Kind::InvalidLowSurrogateHexEscape
            | Kind::InvalidLowSurrogate
            | Kind::MissingLowSurrogate
            | Kind::UnpairedLowSurrogate
            | Kind::InvalidUnicodeEscape
            | Kind::UnclosedQuotedScalar
            | Kind::InvalidQuotedScalarIndent
            | Kind::InvalidTrailingSingleQuotedScalar
            | Kind::InvalidTrailingDoubleQuotedScalar => quotes::explain(self, at),
            Kind::MisplacedFlowCollectionEnd => brackets::explain(self, at),
            Kind::SimpleKeyExpected => Some(self.stray(at)),
            Kind::ExpectedBlockMappingKey
            | Kind::ExpectedBlockSequenceEntry
            | Kind::InvalidIndentation
            | Kind::InvalidBlockScalarIndent => Some(self.misplaced(at)),
            Kind::ExpectedDocumentStart => Some(self.after_the_fields(at)),
            Kind::CommentInterceptedScalar => self.comment(at),
            Kind::UnknownAnchor => self.unknown_alias(at),
            Kind::UnexpectedCharacter { character } if character.is_control() => {
                self.control_character(*character, at)
            }
            Kind::RecursionLimitExceeded => Some(self.reason(at, 1, TOO_DEEP)),
            _ => None,
        };
        found
            .or_else(|| self.sign(at))
            .or_else(|| brackets::explain(self, at))
            .unwrap_or_else(|| self.in_the_words_of_the_parser(kind, at))
    }

    /// Explains an unquoted value that contains `: `.
    fn colon(&self, at: usize) -> Option<Reason> {
        let colon = at + blanks(&self.text[at..]);
        let after = self.text[colon..].strip_prefix(':')?;
        let len = 1 + usize::from(after.starts_with([' ', '\t']));
        let sign = if len == 2 { ": " } else { ":" };
        let line = self.line(colon);
        let start = line.value();
        let Some(start) = start.filter(|start| start.at <= colon) else {
            return self.colon_in_continuation(&line, colon, sign);
        };
        if self.text[start.at..].starts_with(['"', '\'']) {
            return quotes::explain(self, colon);
        }
        let text = format!("{} contains '{sign}'; put it in quotes", start.subject());
        Some(self.reason(colon, len, text))
    }

    /// Explains a continuation line that looks like a field.
    fn colon_in_continuation(&self, line: &Line<'a>, colon: usize, sign: &str) -> Option<Reason> {
        let owner = value_of(self.owner(line)?);
        let word = shown(self.text[line.content().start..colon].trim_end());
        let is_field = word.starts_with(char::is_lowercase) && !word.contains(char::is_whitespace);
        let way_out = if is_field {
            format!(", or indent '{word}' like the keys above if it is a field")
        } else {
            String::new()
        };
        let text = format!(
            "this line continues {owner} and contains '{sign}'; put that value in quotes{way_out}"
        );
        Some(self.reason(colon, sign.len(), text))
    }

    /// Returns the key that a continuation line belongs to.
    fn owner(&self, line: &Line<'_>) -> Option<&'a str> {
        let above = Span::new(self.part.start, line.start);
        let is_outer = |above: &Line<'_>| above.indent() < line.indent();
        let above = lines(self.text, above).filter(is_outer);
        above.filter_map(|line| line.value()?.key).last()
    }

    /// Explains a tab in the indentation of a line.
    fn tab(&self, at: usize) -> Option<Reason> {
        let from = self.line(at).start;
        let tab = lines(self.text, Span::new(from, self.part.end)).find_map(|line| {
            let tab = line.text[..line.indent()].find('\t')?;
            Some(line.start + tab)
        })?;
        Some(self.reason(tab, 1, "a tab is used for indentation; use spaces"))
    }

    /// Explains a value that begins with a YAML indicator character.
    fn sign(&self, at: usize) -> Option<Reason> {
        let sign = self.text[at..].chars().next()?;
        if !"@`%*&!|>?-,]}".contains(sign) {
            return None;
        }
        let line = self.line(at);
        let start = line.value().filter(|start| start.at == at);
        if start.is_none() && line.content().start == at {
            return Some(self.stray(at));
        }
        let subject = start.map_or_else(|| "a value".to_owned(), |start| start.subject());
        let way_out = match sign {
            '|' | '>' => "put it in quotes, or start the text on the next line",
            '-' => "put it in quotes, or write the list below",
            _ => "put it in quotes",
        };
        let text = format!("{subject} starts with '{sign}', which is special in YAML; {way_out}");
        Some(self.reason(at, sign.len_utf8(), text))
    }

    /// Explains an alias `*name` without an anchor `&name`.
    fn unknown_alias(&self, at: usize) -> Option<Reason> {
        let line = self.line(at);
        let alias = &self.text[at..line.content().end.max(at)];
        let name = alias.strip_prefix('*')?;
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
        if name.is_empty() || !name.chars().all(is_word) {
            return None;
        }
        let name = shown(name);
        let text = format!(
            "'*{name}' is an alias, but there is no anchor '&{name}'; put it in quotes if it is text"
        );
        Some(self.reason(at, alias.len(), text))
    }

    /// Returns the rest of a line from an offset on, without surrounding white space; empty if the rest is a comment.
    pub(super) fn rest_of_line(&self, at: usize) -> Span {
        let end = self.line(at).content().end.max(at);
        let rest = &self.text[at..end];
        let from = at + blanks(rest);
        let is_comment = from > at && self.text[from..].starts_with('#');
        if is_comment {
            Span::new(at, at)
        } else {
            Span::new(from.min(end), end)
        }
    }

    /// Explains a line that is neither a field nor the continuation of a field.
    fn stray(&self, at: usize) -> Reason {
        let line = self.line(at);
        let content = line.content();
        let text = &self.text[content.start..content.end];
        let word = text.find(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_'));
        let (word, rest) = text.split_at(word.unwrap_or(text.len()));
        let colon = content.start + word.len();
        let word = shown(word);
        if rest.starts_with('：') {
            let text = format!("the colon after '{word}' is full-width; write ':' and a space");
            return Reason {
                text,
                at: Span::new(colon, colon + '：'.len_utf8()),
            };
        }
        if let Some(after) = rest
            .strip_prefix(':')
            .filter(|after| !after.starts_with("//"))
        {
            return after_colon(&word, colon, after);
        }
        let above = Span::new(self.part.start, line.start);
        let way_out = if lines(self.text, above).any(|line| !line.is_silent()) {
            "; indent it if it continues the line above"
        } else {
            ""
        };
        Reason {
            text: format!("this line is not 'key: value'{way_out}"),
            at: content,
        }
    }

    /// Explains a line whose indentation matches no other line.
    fn misplaced(&self, at: usize) -> Reason {
        let line = self.line(at);
        let value = line.value().filter(|start| start.at < at);
        let found = brackets::explain(self, at);
        if let Some(reason) = found.or_else(|| self.sign(value?.at)) {
            return reason;
        }
        let above = || {
            let above = lines(self.text, Span::new(self.part.start, line.start));
            above.filter(|line| !line.is_silent())
        };
        let text = if above().next().is_some_and(|first| first.is_flow()) {
            "the fields end with the bracket above; nothing may follow"
        } else if line.is_item() && !above().any(|line| line.is_item()) {
            "this list item is not in a list: its key already has a value above"
        } else {
            "the indentation of this line matches no line above it"
        };
        Reason {
            text: text.to_owned(),
            at: line.content(),
        }
    }

    /// Explains content after the end of the map, or after a directive line, which begins with `%`.
    fn after_the_fields(&self, at: usize) -> Reason {
        let first = lines(self.text, self.part).find(|line| !line.is_silent());
        match first.filter(|line| line.text.starts_with('%')) {
            Some(directive) => self.stray(directive.start),
            None => self.misplaced(at),
        }
    }

    /// Explains a comment in the middle of multi-line text.
    fn comment(&self, at: usize) -> Option<Reason> {
        let line = self.line(at);
        let subject = line.value().map(|start| start.subject())?;
        let text =
            format!("' #' starts a comment here, but {subject} continues below; put it in quotes");
        let at = at + blanks(&self.text[at..]);
        Some(self.reason(at, 1, text))
    }

    fn control_character(&self, sign: char, at: usize) -> Option<Reason> {
        let found = at + self.text[at..].find(sign)?;
        let text = format!(
            "the character U+{:04X} is not allowed in YAML; remove it",
            u32::from(sign)
        );
        Some(self.reason(found, sign.len_utf8(), text))
    }

    fn not_a_map(&self, at: usize) -> Reason {
        let line = self.line(at);
        if line.is_item() || line.is_flow() {
            return Reason {
                text: "fields are written as 'key: value', not as a list".to_owned(),
                at: line.content(),
            };
        }
        self.stray(at)
    }

    /// Explains a line that begins with `---` or `...`.
    fn second_document(&self, at: usize) -> Reason {
        let before = lines(self.text, self.part).take_while(|line| line.start <= at);
        let is_marker =
            |line: &Line<'_>| line.text.starts_with("---") || line.text.starts_with("...");
        let line = before
            .filter(is_marker)
            .last()
            .unwrap_or_else(|| self.line(at));
        let text = if line.text.starts_with("---") {
            "this line is not exactly '---', so it does not end the frontmatter"
        } else {
            "the fields end here, before the end of the frontmatter"
        };
        Reason {
            text: text.to_owned(),
            at: Span::new(line.start, line.start + line.text.len()),
        }
    }

    fn in_the_words_of_the_parser(&self, kind: &Kind, at: usize) -> Reason {
        let content = self.line(at).content();
        let at = if content.start <= at && at < content.end {
            let len = self.text[at..].chars().next().map_or(0, char::len_utf8);
            Span::new(at, at + len)
        } else {
            content
        };
        Reason {
            text: kind.to_string(),
            at,
        }
    }

    /// Creates a reason that marks `len` bytes.
    pub(super) fn reason(&self, at: usize, len: usize, text: impl Into<String>) -> Reason {
        Reason {
            text: text.into(),
            at: Span::new(at, (at + len).min(self.part.end)),
        }
    }
}

/// Explains a colon that is followed by no space, or by a character that only looks like a space.
fn after_colon(word: &str, colon: usize, after: &str) -> Reason {
    let lookalike = after
        .chars()
        .next()
        .filter(|c| !c.is_ascii() && is_unseen(*c));
    let (text, len) = match lookalike {
        None => (format!("there is no space after '{word}:'"), 0),
        Some(c) => {
            let name = if c == '\u{a0}' {
                "a no-break space"
            } else {
                "not an ordinary space"
            };
            let code = u32::from(c);
            let text =
                format!("the character after '{word}:' is {name} (U+{code:04X}); write a space");
            (text, c.len_utf8())
        }
    };
    Reason {
        text,
        at: Span::new(colon, colon + 1 + len),
    }
}

fn is_unseen(c: char) -> bool {
    c.is_whitespace()
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use crate::source::frontmatter::Frontmatter;

    /// Returns the message for a faulty block, and the text that the message marks.
    fn fault(block: &str) -> (String, String) {
        let text = format!("---\n{block}\n---\n");
        let (read, _) = Frontmatter::split(&text);
        let Frontmatter::Invalid { message, at, .. } = read else {
            panic!("{block:?}: {read:?}")
        };
        (message, text[at.start..at.end].to_owned())
    }

    #[track_caller]
    fn assert_fault(block: &str, message: &str, marked: &str) {
        let found = fault(block);
        assert_eq!((found.0.as_str(), found.1.as_str()), (message, marked));
    }

    #[test]
    fn a_colon_in_an_unquoted_value_is_explained() {
        assert_fault(
            "name: a\ndescription: Use when: x",
            "line 3: the value of 'description' contains ': '; put it in quotes",
            ": ",
        );
        assert_fault(
            "metadata:\n  list:\n    - note: a : b",
            "line 4: the value of 'note' contains ': '; put it in quotes",
            ": ",
        );
        assert_fault(
            "description: Use for:\n  x",
            "line 2: the value of 'description' contains ':'; put it in quotes",
            ":",
        );
        assert_fault(
            "description: Does it.\n  Note: slowly",
            "line 3: this line continues the value of 'description' and contains ': '; put that value in quotes",
            ": ",
        );
        assert_fault(
            "name: a\n  license: MIT",
            "line 3: this line continues the value of 'name' and contains ': '; put that value in quotes, \
             or indent 'license' like the keys above if it is a field",
            ": ",
        );
    }

    #[test]
    fn impossible_indentation_is_explained() {
        let tab = "a tab is used for indentation; use spaces";
        assert_fault("metadata:\n\ta: b", &format!("line 3: {tab}"), "\t");
        assert_fault("a: b\n  c\n\td", &format!("line 4: {tab}"), "\t");
        assert_fault("a: |\n\tx", &format!("line 3: {tab}"), "\t");
        assert_fault(
            "a:\n  b: 1\n c: 2",
            "line 4: the indentation of this line matches no line above it",
            "c: 2",
        );
        assert_fault(
            "a: >\n    x\n  y\nb: c",
            "line 4: the indentation of this line matches no line above it",
            "y",
        );
        assert_fault(
            "allowed-tools: Read\n- Write",
            "line 3: this list item is not in a list: its key already has a value above",
            "- Write",
        );
    }

    #[test]
    fn a_value_that_starts_with_an_indicator_is_explained() {
        assert_fault(
            "argument-hint: [file] [mode]",
            "line 2: the value of 'argument-hint' starts with '[' and continues after ']'; put it in quotes",
            "[mode]",
        );
        assert_fault(
            "description: {x: y",
            "line 2: the value of 'description' starts with '{', which is never closed; put it in quotes if it is text",
            "{",
        );
        assert_fault(
            "a: [it's}\nb: c",
            "line 2: the value of 'a' starts with '[', which is closed by '}'",
            "}",
        );
        assert_fault(
            "a: [x: y: z]",
            "line 2: the value of 'a' starts with '[', but is not a list or map; put text in quotes",
            ":",
        );
        for sign in ['@', '`', '%', '*', '&', ',', ']', '}', '?'] {
            assert_fault(
                &format!("l:\n  a: {sign} x"),
                &format!(
                    "line 3: the value of 'a' starts with '{sign}', which is special in YAML; put it in quotes"
                ),
                &sign.to_string(),
            );
        }
        assert_fault(
            "a: > text",
            "line 2: the value of 'a' starts with '>', which is special in YAML; \
             put it in quotes, or start the text on the next line",
            ">",
        );
        assert_fault(
            "a: - x",
            "line 2: the value of 'a' starts with '-', which is special in YAML; \
             put it in quotes, or write the list below",
            "-",
        );
        assert_fault(
            "a:\n  - *x",
            "line 3: '*x' is an alias, but there is no anchor '&x'; put it in quotes if it is text",
            "*x",
        );
    }

    #[test]
    fn quoting_mistakes_are_explained() {
        assert_fault(
            "description: \"open\nname: \"a\"",
            "line 2: the value of 'description' starts with a quote that is never closed",
            "\"",
        );
        assert_fault(
            "description: 'it's x'",
            "line 2: the value of 'description' continues after its closing quote; write an inner quote as ''",
            "s x'",
        );
        assert_fault(
            "description: \"Use \"x\" here\" # c",
            "line 2: the value of 'description' continues after its closing quote; write an inner quote as \\\"",
            "x\" here\" # c",
        );
        assert_fault(
            "a: \"x\": y",
            "line 2: the value of 'a' continues after its closing quote; write an inner quote as \\\"",
            ": y",
        );
        for escape in ["\\d", "\\u", "\\x", "\\é"] {
            assert_fault(
                &format!("a: \"\\\\ {escape}zz\""),
                &format!(
                    "line 2: '{escape}' is not a valid escape in double quotes; write a backslash as \\\\"
                ),
                escape,
            );
        }
        assert_fault(
            "a: \"x\n  y\nz\"",
            "line 4: this line continues the value of 'a' and must be indented",
            "z\"",
        );
    }

    #[test]
    fn lines_that_are_not_a_field_are_explained() {
        assert_fault(
            "description: Does it.\nAnd more.\nname: a",
            "line 3: this line is not 'key: value'; indent it if it continues the line above",
            "And more.",
        );
        assert_fault(
            "Just text\nname: a",
            "line 2: this line is not 'key: value'",
            "Just text",
        );
        assert_fault(
            "name:a\nb: c",
            "line 2: there is no space after 'name:'",
            ":",
        );
        assert_fault(
            "name:\u{a0}a\nb: c",
            "line 2: the character after 'name:' is a no-break space (U+00A0); write a space",
            ":\u{a0}",
        );
        for block in ["b: c\nname:\u{3000}a", "b: c\nname:\u{3000}a\nd: e"] {
            assert_fault(
                block,
                "line 3: the character after 'name:' is not an ordinary space (U+3000); write a space",
                ":\u{3000}",
            );
        }
        assert_fault(
            "name:\u{200b} a",
            "line 2: the character after 'name:' is not an ordinary space (U+200B); write a space",
            ":\u{200b}",
        );
        assert_fault(
            "name：a\nb: c",
            "line 2: the colon after 'name' is full-width; write ':' and a space",
            "：",
        );
        assert_fault(
            "- name: a",
            "line 2: fields are written as 'key: value', not as a list",
            "- name: a",
        );
    }

    #[test]
    fn remaining_faults_are_explained() {
        assert_fault(
            "name: a\nname: b",
            "line 3: 'name' is set twice, first on line 2",
            "name",
        );
        assert_fault(
            "m:\n  x: 1\n  x: 2",
            "line 4: 'x' is set twice, first on line 3",
            "x",
        );
        assert_fault(
            "name: a\n--- \nx: [",
            "line 3: this line is not exactly '---', so it does not end the frontmatter",
            "--- ",
        );
        assert_fault(
            "{name: a}\nb: c",
            "line 3: the fields end with the bracket above; nothing may follow",
            "b: c",
        );
        assert_fault(
            "a: x # c\n  y",
            "line 2: ' #' starts a comment here, but the value of 'a' continues below; put it in quotes",
            "#",
        );
        assert_fault(
            "a: x\u{7}",
            "line 2: the character U+0007 is not allowed in YAML; remove it",
            "\u{7}",
        );
        assert_fault(
            "a: &x [*x]",
            "line 2: this alias is inside its own value",
            "*x",
        );
        // Unexpected errors keep the parser's wording, with line and position.
        assert_fault(
            "a: \u{feff}x",
            "line 2: a BOM must not appear inside a document",
            "\u{feff}",
        );
    }
}
