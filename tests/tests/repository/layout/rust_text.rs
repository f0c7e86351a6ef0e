//! Rust source in three views: without comments; without comments and string contents; and the strings alone.

/// A source file without its comments.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct RustText {
    /// The source without comments; line breaks are preserved.
    pub(crate) bare: String,
    /// The source without comments and without the contents of string and character literals.
    pub(crate) code: String,
    /// The contents of string literals, with escapes as written.
    pub(crate) strings: Vec<String>,
}

impl RustText {
    /// Scans a source file.
    pub(crate) fn new(source: &str) -> Self {
        let mut text = Self::default();
        let mut rest = source;
        while let Some(first) = rest.chars().next() {
            let length = text.take(rest, first);
            rest = &rest[length..];
        }
        text
    }

    /// Scans the part of a source file before its unit tests.
    pub(crate) fn product(source: &str) -> Self {
        let end = source.find("\n#[cfg(test)]\nmod ").unwrap_or(source.len());
        Self::new(&source[..end])
    }

    /// Returns the number of lines that are neither blank nor comment-only.
    pub(crate) fn lines_of_code(&self) -> usize {
        let is_code = |line: &&str| !line.trim().is_empty();
        self.bare.lines().filter(is_code).count()
    }

    /// Returns whether the code contains this text, other than at the end of a longer name.
    pub(crate) fn has(&self, word: &str) -> bool {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let mut places = self.code.match_indices(word);
        places.any(|(at, _)| !self.code[..at].ends_with(is_name))
    }

    /// Consumes the token at the start of `rest`; returns its length in bytes.
    fn take(&mut self, rest: &str, first: char) -> usize {
        if rest.starts_with("//") {
            return rest.find('\n').unwrap_or(rest.len());
        }
        if rest.starts_with("/*") {
            return self.block_comment(rest);
        }
        let after_name = self
            .code
            .ends_with(|c: char| c.is_alphanumeric() || c == '_');
        match raw_hashes(rest) {
            Some((prefix, hashes)) if !after_name => self.raw_string(rest, prefix, hashes),
            _ if first == '"' => self.string(rest),
            _ if first == '\'' => self.character(rest),
            _ => {
                self.bare.push(first);
                self.code.push(first);
                first.len_utf8()
            }
        }
    }

    fn block_comment(&mut self, rest: &str) -> usize {
        let (mut depth, mut at) = (0_usize, 0);
        while at < rest.len() {
            match &rest.as_bytes()[at..] {
                [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
                [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
                _ => at += 1,
            }
            if depth == 0 {
                break;
            }
        }
        let lines = rest[..at].matches('\n').count();
        self.bare.push_str(&"\n".repeat(lines));
        self.code.push_str(&"\n".repeat(lines));
        at
    }

    fn string(&mut self, rest: &str) -> usize {
        let mut is_escaped = false;
        let end = rest[1..].find(|c| {
            let ends = c == '"' && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            ends
        });
        let end = 1 + end.unwrap_or(rest.len() - 1);
        self.literal(&rest[..(end + 1).min(rest.len())], &rest[1..end])
    }

    fn raw_string(&mut self, rest: &str, prefix: usize, hashes: usize) -> usize {
        let closing = format!("\"{}", "#".repeat(hashes));
        let start = prefix + hashes + 1;
        let end = start + rest[start..].find(&closing).unwrap_or(rest.len() - start);
        let whole = (end + closing.len()).min(rest.len());
        self.literal(&rest[..whole], &rest[start..end])
    }

    /// Consumes `'a'`, `'\''` and `'\u{1b}'`; for a lifetime, consumes only the quote.
    fn character(&mut self, rest: &str) -> usize {
        let mut chars = rest.char_indices().skip(1);
        let length = match chars.next() {
            Some((_, '\\')) => rest[3..].find('\'').map(|end| end + 4),
            Some(_) => chars
                .next()
                .filter(|(_, c)| *c == '\'')
                .map(|(end, _)| end + 1),
            None => None,
        };
        let length = length.unwrap_or(1);
        self.bare.push_str(&rest[..length]);
        self.code.push('\'');
        length
    }

    fn literal(&mut self, whole: &str, content: &str) -> usize {
        self.bare.push_str(whole);
        self.code.push_str("\"\"");
        self.strings.push(content.to_owned());
        whole.len()
    }
}

/// Measures the opening of a raw string: the length of the prefix, and the number of hashes.
fn raw_hashes(rest: &str) -> Option<(usize, usize)> {
    let prefix = ["br", "cr", "r"]
        .iter()
        .find(|prefix| rest.starts_with(**prefix))?
        .len();
    let hashes = rest[prefix..].bytes().take_while(|b| *b == b'#').count();
    (rest.as_bytes().get(prefix + hashes) == Some(&b'"')).then_some((prefix, hashes))
}

#[test]
fn comments_are_removed_and_strings_are_separated() {
    let source = "let a = \"x // \\\" y\"; // \"no\" print!\n/* std::env /* \" */ */ let b = r#\"q\"q\"#;\n\n/// doc\nlet c: &'a str = f('\"', '\\'', '\\u{1b}');";
    let text = RustText::new(source);
    assert_eq!(text.strings, ["x // \\\" y", "q\"q"]);
    assert_eq!(
        text.code,
        "let a = \"\"; \n let b = \"\";\n\n\nlet c: &'a str = f(', ', ');"
    );
    assert_eq!(text.lines_of_code(), 3);
}

#[test]
fn words_match_whole_and_unit_tests_are_skipped() {
    let text =
        RustText::product("fn a() { eprintln!(); }\n\n#[cfg(test)]\nmod tests { use std::env; }\n");
    assert!(text.has("eprintln!") && !text.has("println!") && !text.has("std::env"));
}
