//! Text as the program that reads a file understands it: the values of frontmatter and data files, the cells of a
//! notebook, and the commands of a batch file.

use super::{Decoded, Encoding, batch, names, values};
use crate::path::RelPath;
use crate::source::lines::Span;

/// Text that a program reads from a file.
pub(super) struct Part {
    /// The span refers to the file.
    pub(super) decoded: Decoded,
    /// Pairs of an offset in the text, and the span of the file that is the source of the text from that offset on.
    /// Empty if the span of `decoded` is the source of all the text.
    pub(super) places: Vec<(usize, Span)>,
}

impl Part {
    pub(super) const fn new(decoded: Decoded) -> Self {
        Self {
            decoded,
            places: Vec::new(),
        }
    }
}

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Frontmatter,
    Yaml,
    Json,
    Toml,
    Notebook,
    Batch,
}

/// The formats of files by extension. The content of any other file determines its format.
const FORMATS: [(Format, &[&str]); 6] = [
    (
        Format::Frontmatter,
        &["md", "markdown", "mdc", "mdx", "qmd", "rmd"],
    ),
    (Format::Yaml, &["yaml", "yml"]),
    (
        Format::Json,
        &["json", "jsonc", "json5", "jsonl", "ndjson", "webmanifest"],
    ),
    (Format::Toml, &["toml"]),
    (Format::Notebook, &["ipynb"]),
    (Format::Batch, &["bat", "cmd"]),
];

/// Returns the parts of a file that a program reads differently from their source text.
pub(super) fn parts(path: &RelPath, text: &str) -> Vec<Part> {
    let mut found = Vec::new();
    let whole = Span::new(0, text.len());
    match format(path, text) {
        Some(Format::Frontmatter) => values::frontmatter(text, &mut found),
        Some(Format::Yaml) => {
            let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
            values::yaml(text, Span::new(start, text.len()), false, &mut found);
        }
        Some(Format::Json) => {
            let is_notebook = values::quoted(text, whole, false, &mut found);
            if is_notebook {
                notebook(text, &mut found);
            }
        }
        Some(Format::Toml) => {
            values::quoted(text, whole, true, &mut found);
        }
        Some(Format::Notebook) => notebook(text, &mut found),
        Some(Format::Batch) => batch::batch(text, &mut found),
        None => {}
    }
    found
}

/// Returns the format of a file; `None` if the file is read as it is written.
pub(super) fn format(path: &RelPath, text: &str) -> Option<Format> {
    let extension = path.extension();
    let name = extension.as_deref().unwrap_or_default();
    let known = FORMATS.iter().find(|(_, names)| names.contains(&name));
    if let Some((format, _)) = known {
        return Some(*format);
    }
    if names::is_program(name) {
        return None;
    }
    let is_blank = |c: char| c.is_whitespace() || c == '\u{feff}';
    let start = text.trim_start_matches(is_blank);
    let mut lines = start.split(['\n', '\r']).map(str::trim_end);
    let first = lines.next().unwrap_or_default();
    let is_value = |c: char| matches!(c, '"' | '\'' | '{' | '[' | '}' | '/') || c.is_alphabetic();
    let opens = |sign: char| {
        let rest = start.strip_prefix(sign);
        rest.is_some_and(|rest| rest.trim_start().starts_with(is_value))
    };
    if matches!(first, "---" | "+++") {
        Some(Format::Frontmatter)
    } else if first.starts_with("%YAML") {
        Some(Format::Yaml)
    } else if is_table(first) {
        Some(Format::Toml)
    } else if opens('{') && !start.starts_with("{{") || opens('[') {
        Some(Format::Json)
    } else {
        // In a makefile, a line with a colon is followed by lines that begin with a tab.
        let mut lines = [first].into_iter().chain(lines);
        let line = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
        let is_yaml = extension.is_none()
            && !first.starts_with("#!")
            && line.is_some_and(is_field)
            && !text.contains("\n\t");
        is_yaml.then_some(Format::Yaml)
    }
}

/// Returns whether a line begins a table of TOML: `[a.b]`.
fn is_table(line: &str) -> bool {
    let name = line
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '[' | ']');
    name.is_some_and(|name| name.contains(char::is_alphabetic) && name.chars().all(is_name))
}

/// Returns whether a line is a field of YAML: `a: b`, `"a" : b`, or the key in `? a`.
fn is_field(line: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '"' | '\'');
    let field = line.split_once(':');
    let is_key = line.starts_with("? ");
    is_key
        || field.is_some_and(|(key, value)| {
            // Prose can also have a blank before a colon, but seldom after a quoted word at the start of a file.
            let bare = key.trim_end_matches(' ');
            let key = if bare.ends_with(['"', '\'']) {
                bare
            } else {
                key
            };
            !key.is_empty()
                && key.chars().all(is_name)
                && (value.is_empty() || value.starts_with(' '))
        })
}

/// Adds the source of all cells of a notebook. The structure of the notebook is not checked, because readers of
/// notebooks accept more than one syntax.
fn notebook(text: &str, found: &mut Vec<Part>) {
    let mut out = String::new();
    let mut at = 0;
    let mut is_source = false;
    // Whether the last string belongs to a source that is a list of strings.
    let mut is_in_list = false;
    while let Some(open) = memchr::memchr(b'"', &text.as_bytes()[at..]) {
        let between = &text[at..at + open];
        if is_source && between.contains('[') {
            is_in_list = true;
        }
        is_in_list &= !between.contains(']');
        let (value, end) = string(text, at + open);
        let is_key = text[end..].trim_start().starts_with(':');
        if !is_key && (is_source || is_in_list) {
            out.push_str(&value);
            if !is_in_list {
                out.push('\n');
            }
        }
        // A cell ends with a line end, which the last string of its source does not have.
        if is_key && !out.ends_with('\n') {
            out.push('\n');
        }
        is_in_list &= !is_key;
        is_source = is_key && matches!(&*value, "source" | "input");
        at = end;
    }
    if !out.trim().is_empty() {
        found.push(Part::new(Decoded {
            span: Span::new(0, text.len()),
            text: out,
            encoding: Encoding::Concatenation,
        }));
    }
}

/// Returns the value of the JSON string that begins with the quote at `open`, and the offset after the string.
fn string(text: &str, open: usize) -> (String, usize) {
    let bytes = text.as_bytes();
    let mut end = open + 1;
    while let Some(sign) = memchr::memchr2(b'"', b'\\', bytes.get(end..).unwrap_or_default()) {
        end += sign;
        if bytes[end] == b'"' {
            let raw = &text[open..=end];
            let value = serde_json::from_str(raw).unwrap_or_else(|_| raw.to_owned());
            return (value, end + 1);
        }
        end += 2;
    }
    (String::new(), text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str) -> Vec<String> {
        let path = RelPath::parse(name).unwrap();
        let found = parts(&path, text).into_iter();
        found.map(|part| part.decoded.text).collect()
    }

    #[test]
    fn values_of_the_frontmatter_are_read_as_yaml() {
        for (value, expected) in [
            ("curl a\n        | sh", "curl a | sh"),
            (">-\n        curl a\n        | sh", "curl a | sh"),
            ("\"cu\\\n        rl a | s\\\n        h\"", "curl a | sh"),
            ("\"curl a\n        | sh\"", "curl a | sh"),
            ("echo\n    run: curl a\n        | sh", "curl a | sh"),
            (
                "!!binary \"Y3Vyb\n        CBhIHwgc2g=\"",
                "Y3VybCBhIHwgc2g=",
            ),
        ] {
            let block = format!("name: a\nhooks:\n  - run: {value}\n");
            for text in [
                format!("---\n{block}---\nText.\n"),
                format!("\n--- \t\n{block}---\t\nText.\n"),
                format!("\u{feff}---\r\n{block}...\nText.\n"),
                format!("---\nhooks: {}\n{block}---\n", "x".repeat(70_000)),
                format!("---\nd: a: b\n{block}---\n"),
                format!("---\n{block}---\n").replace('\n', "\r"),
            ] {
                for name in ["a.md", "a.mdc", "A.MDX", "a"] {
                    assert_eq!(read(name, &text), [expected], "{name} {text:.200}");
                }
            }
        }
        let text =
            "---\nname: a\ndescription: >-\n  One\n  two.\nmetadata:\n  a: b\n  c: \"d\"\n---\n";
        assert!(read("a.md", text).is_empty());
    }

    #[test]
    fn values_of_data_files_are_read_as_their_loaders_read_them() {
        let json = r#"{"hooks": [{"command": "cu\\\nrl a | ba\\\nsh"}]}"#;
        let yaml = "hooks:\n  - run: >-\n      curl a\n      | bash\n";
        let toml = "[tasks]\nx = \"cu\\u0072l a | ba\\U00000073h\"\n";
        let joined = "curl a | bash";
        for (name, text, expected) in [
            ("hooks.json", json, "cu\\\nrl a | ba\\\nsh"),
            (".mcp.json", json, "cu\\\nrl a | ba\\\nsh"),
            ("a.webmanifest", json, "cu\\\nrl a | ba\\\nsh"),
            ("a", json, "cu\\\nrl a | ba\\\nsh"),
            ("a.yaml", yaml, joined),
            (".hooks", yaml, joined),
            ("a", "? run\n: \"curl a\n    | bash\"\n", joined),
            ("a", "\"run\" : \"curl a\n    | bash\"\n", joined),
            ("a.toml", toml, joined),
            ("a", toml, joined),
        ] {
            assert_eq!(read(name, text), [expected], "{name}");
        }
        let second = format!("a: 1\n---\n{yaml}");
        assert_eq!(read("a.yml", &second), [joined]);
        let gaps = r#"{"a": "curl a |\n\n # b\n\nbash"}"#;
        assert_eq!(read("a.json", gaps), ["curl a |\nbash"]);
        for (name, text) in [
            ("a.py", json),
            ("Makefile", "all: b\n\tcurl a \\\n\t| sh\n"),
            ("a.css", "{{ a }}\n"),
            ("notes", "Read this: then go.\n"),
            ("notes", "Note : go\n"),
        ] {
            assert!(read(name, text).is_empty(), "{name}");
        }
    }

    #[test]
    fn repeated_values_of_a_frontmatter_are_read_once() {
        let mut text = "---\na0: &a0 [\"curl \\x41|\"]\n".to_owned();
        for n in 1..30 {
            let before = n - 1;
            text.push_str(&format!("a{n}: &a{n} [*a{before}, *a{before}]\n"));
        }
        text.push_str("---\n");
        assert_eq!(read("a.md", &text), ["curl A|"]);
    }

    #[test]
    fn frontmatter_that_is_not_read_completely_is_reported() {
        let text = format!("---\na: {}\n---\n", "[".repeat(5000));
        assert!(read("a.md", &text).iter().any(String::is_empty));
    }

    #[test]
    fn cells_of_a_notebook_are_joined() {
        let text = r#"{"cells": [{"source": ["import os\n", "os.sys", "tem('cu", "rl a')"], "outputs": ["x"]},
            {"sour\u0063e": "p = 1\nq = 2"}], "nbform\u0061t": 4}"#;
        let expected = "import os\nos.system('curl a')\np = 1\nq = 2\n";
        for name in ["a.ipynb", "a.nb", "a.json", "a"] {
            let found = read(name, text);
            assert_eq!(found.len(), 1, "{name}");
            assert_eq!(found[0].trim_start(), expected, "{name}");
        }
        assert!(read("a.ipynb", "{\"cells\": \"\\").is_empty());
    }
}
