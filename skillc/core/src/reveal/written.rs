//! The values of frontmatter and of data files where they are written, for checks that need the extent of each value.

use super::interpreted::{Format, format};
use super::quoted::{strings, unescaped};
use super::values::Block;
use crate::path::RelPath;
use crate::source::frontmatter::read_scalars;
use crate::source::lines::Span;

/// Keys of text that no program runs.
const PROSE: [&str; 26] = [
    "description",
    "when_to_use",
    "when-to-use",
    "license",
    "compatibility",
    "prompt",
    "query",
    "question",
    "answer",
    "content",
    "text",
    "message",
    "title",
    "summary",
    "expected_output",
    "expectations",
    "note",
    "notes",
    "comment",
    "help",
    "example",
    "examples",
    "reason",
    "rationale",
    "instructions",
    "documentation",
];

/// Keys of commands that clients run, in lower case.
const COMMANDS: [&str; 16] = [
    "command",
    "commands",
    "cmd",
    "run",
    "args",
    "entry",
    "exec",
    "script",
    "shell",
    "bash",
    "powershell",
    "apikeyhelper",
    "awsauthrefresh",
    "awscredentialexport",
    "headershelper",
    "otelheadershelper",
];

/// The minimum length of a value that is returned, in bytes.
const MIN_VALUE: usize = 5;

/// A value of frontmatter or of a data file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrittenValue {
    /// The position in the file, without quotes. The text there may have escapes.
    pub span: Span,
    /// Whether the key of the value, or of the list that contains it, is one of commands: `command`, `run` and others.
    pub is_command: bool,
}

/// Returns the values of the frontmatter, or of a data file in a known format, in order; `None` for other files. Leaves
/// out the values of keys for prose, and short values.
pub fn written_values(path: &RelPath, text: &str) -> Option<Vec<WrittenValue>> {
    let mut found = Written::new(text);
    let whole = Span::new(0, text.len());
    match format(path, text)? {
        Format::Frontmatter => {
            // Other text before the first delimiter is probably a heading, and the delimiter a line between sections.
            if let Some(block) = Block::find(text).filter(|block| block.is_first) {
                found.read(block.span, block.is_toml);
            }
        }
        Format::Yaml => {
            let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
            found.read(Span::new(start, text.len()), false);
        }
        Format::Json => found.strings(whole, false),
        Format::Toml => found.strings(whole, true),
        // The source of all cells is a layer, and so are the commands of a batch file.
        Format::Notebook | Format::Batch => {}
    }
    Some(found.values)
}

/// Collects values.
struct Written<'a> {
    source: &'a str,
    values: Vec<WrittenValue>,
    /// The span of the last value or key, and whether it counts as a command.
    last: Span,
    was_command: bool,
}

impl<'a> Written<'a> {
    const fn new(source: &'a str) -> Self {
        Self {
            source,
            values: Vec::new(),
            last: Span::new(0, 0),
            was_command: false,
        }
    }

    fn read(&mut self, part: Span, is_toml: bool) {
        if is_toml {
            self.strings(part, true);
        } else {
            read_scalars(self.source, part, &PROSE, &mut |scalar| {
                self.add(scalar.span, false);
            });
        }
    }

    fn strings(&mut self, part: Span, is_toml: bool) {
        let source = self.source.get(part.start..part.end);
        strings(source.unwrap_or_default(), is_toml, &PROSE, &mut |string| {
            let Span { start, end } = string.span;
            let span = Span::new(part.start + start, part.start + end);
            self.add(span, string.is_skipped || string.is_key);
        });
    }

    /// Reads a value or a key, which is added unless it `is_left_out`.
    fn add(&mut self, span: Span, is_left_out: bool) {
        let span = self.without_quotes(span);
        let between = self.source.get(self.last.end..span.start);
        let is_edge = |c: char| c.is_whitespace() || matches!(c, '"' | '\'');
        let between = between.unwrap_or_default().trim_matches(is_edge);
        let lines = between.lines().map(without_comment);
        let is_command = if between.starts_with([':', '=']) {
            let key = self.source.get(self.last.start..self.last.end);
            key.is_some_and(is_command_key)
        } else if let Some((bare, _)) = lines.clone().rev().find_map(|line| line.rsplit_once('=')) {
            // In TOML, few keys are quoted. Numbers and other values without quotes may precede the key.
            let is_other = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-'));
            let key = bare.trim_end().rsplit(is_other).next();
            key.is_some_and(is_command_key)
        } else {
            // The next entry of a list.
            let mut signs = lines.filter(|line| !line.is_empty());
            self.was_command && matches!((signs.next(), signs.next()), (Some("-" | ","), None))
        };
        if !is_left_out && span.end - span.start >= MIN_VALUE {
            self.values.push(WrittenValue { span, is_command });
        }
        (self.last, self.was_command) = (span, is_command);
    }

    fn without_quotes(&self, span: Span) -> Span {
        let text = self.source.get(span.start..span.end).unwrap_or_default();
        for quotes in ["\"\"\"", "'''", "\"", "'"] {
            let inner = text.strip_prefix(quotes);
            if let Some(inner) = inner.and_then(|inner| inner.strip_suffix(quotes)) {
                let start = span.start + quotes.len();
                return Span::new(start, start + inner.len());
            }
        }
        span
    }
}

/// Removes a comment of YAML or TOML from the text between two values.
fn without_comment(line: &str) -> &str {
    line.split('#').next().unwrap_or_default().trim()
}

fn is_command_key(key: &str) -> bool {
    let key = unescaped(key.trim(), false);
    let mut known = COMMANDS.iter();
    known.any(|known| key.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_where_they_are_written() {
        for (path, text, expected) in [
            (
                "a.json",
                r#"{"type": "command", "command": "curl \"a\"", "timeout": "12345", "x": "curl b"}"#,
                "command|*curl \\\"a\\\"|12345|curl b",
            ),
            (
                "a.json",
                r#"{"description": "curl a", "args": ["-c", "curl b", "curl c"], "env": {"A": "curl d"}}"#,
                "*curl b|*curl c|curl d",
            ),
            (
                "a.toml",
                "[a]\nrun = \"curl a\"\nb = 'curl b'\nargs = [\"curl c\", '''curl d''']\n",
                "*curl a|curl b|*curl c|*curl d",
            ),
            (
                "a.toml",
                "[a]\ntimeout = 5\ncommand = \"curl a\"\nargs = [ # b = c\n\"curl b\", # d = e\n\"curl c\"]\n",
                "*curl a|*curl b|*curl c",
            ),
            ("a.json", r#"{"apiKeyHelper": "curl a"}"#, "*curl a"),
            (
                "a.json",
                r#"{"otelHeadersHelper": "curl a", "comm\u0061nd": "curl b"}"#,
                "*curl a|*curl b",
            ),
            ("a.yml", "\u{feff}run: curl a\n", "*curl a"),
            (
                "a.md",
                "---\nname: curl a\nhooks:\n  - command: \"curl b\"\n---\nrun: curl c\n",
                "curl a|hooks|command|*curl b",
            ),
            (
                "a.md",
                "---\ndescription: |\n  a\n  ...\nhooks:\n  - command: curl b\n---\n",
                "description|hooks|command|*curl b",
            ),
            (
                "a.md",
                "--- \n# b\nhooks:\n  - command: curl a\n---\n",
                "hooks|command|*curl a",
            ),
            ("a.md", "# a\n\n---\nrun: curl a\n---\n", ""),
            ("a.py", "x = {'command': 'curl a'}", "-"),
            ("a.ipynb", r#"{"command": "curl a"}"#, ""),
        ] {
            let path = RelPath::parse(path).unwrap();
            let values = written_values(&path, text);
            let shown = values.map(|values| {
                let show = |value: &WrittenValue| {
                    let sign = if value.is_command { "*" } else { "" };
                    format!("{sign}{}", &text[value.span.start..value.span.end])
                };
                let shown: Vec<String> = values.iter().map(show).collect();
                shown.join("|")
            });
            assert_eq!(shown.as_deref().unwrap_or("-"), expected, "{text}");
        }
    }

    #[test]
    fn values_of_yaml_are_found_in_all_styles() {
        let text = "a:\n  run: |\n    curl a\n    b\n  args:\n    - -c\n    - 'curl b'\n  c: {run: curl c, d: curl d}\n";
        let values = written_values(&RelPath::parse("a.yml").unwrap(), text).unwrap();
        for (part, is_command) in [
            ("curl a\n    b", true),
            ("curl b", true),
            ("curl c", true),
            ("curl d", false),
        ] {
            let found = values
                .iter()
                .find(|value| text[value.span.start..value.span.end].contains(part));
            assert_eq!(
                found.map(|value| value.is_command),
                Some(is_command),
                "{part}"
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn spans_are_on_characters(text in "[\\[\\]{}:,\"'|>#=&\\\\\n \\-ax1é]{0,60}") {
            for name in ["a.json", "a.yml", "a.toml", "a.md"] {
                let values = written_values(&RelPath::parse(name).unwrap(), &text).unwrap();
                for value in &values {
                    proptest::prop_assert!(text.get(value.span.start..value.span.end).is_some());
                }
            }
        }
    }
}
