//! Describes the lexical syntax of the programming languages: their comments, strings and words.

/// The properties of a language that the lexer uses.
pub(crate) struct Syntax {
    pub(super) family: Family,
    pub(super) line_comment: &'static [u8],
    pub(super) block_comments: BlockComments,
    /// The kinds of strings. If one opening mark is a prefix of another, the longer one comes first.
    pub(super) quotes: &'static [Quote],
    /// Characters that can be part of a word, besides letters, digits and `_`.
    pub(super) word_signs: &'static [u8],
    /// Characters that do not occur in the language, outside strings and comments.
    pub(super) illegal: &'static [u8],
}

/// Languages with similar declarations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    /// C and C++.
    C,
    Go,
    Java,
    Python,
    Rust,
    /// JavaScript and TypeScript, including JSX tags.
    Script,
    Shell,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockComments {
    None,
    /// `/* … */`
    Flat,
    /// `/* /* … */ */`
    Nested,
}

/// A kind of string.
pub(super) struct Quote {
    pub(super) begin: &'static [u8],
    pub(super) end: &'static [u8],
    /// Whether a backslash escapes the next character.
    pub(super) has_escapes: bool,
    /// Whether the string can contain line ends.
    pub(super) is_multiline: bool,
    /// The brackets that contain code if they follow a `$`.
    pub(super) holes: &'static [u8],
}

const fn line(mark: &'static str) -> Quote {
    Quote {
        begin: mark.as_bytes(),
        end: mark.as_bytes(),
        has_escapes: true,
        is_multiline: false,
        holes: b"",
    }
}

const fn lines(mark: &'static str, holes: &'static [u8]) -> Quote {
    Quote {
        is_multiline: true,
        holes,
        ..line(mark)
    }
}

const fn raw(mark: &'static str) -> Quote {
    Quote {
        has_escapes: false,
        ..lines(mark, b"")
    }
}

impl Syntax {
    /// Returns the syntax of a file by its extension.
    pub(crate) fn for_extension(extension: &str) -> Option<&'static Self> {
        Some(match extension {
            "c" | "cpp" | "h" => &C,
            "go" => &GO,
            "java" => &JAVA,
            "js" | "ts" | "tsx" => &SCRIPT,
            "py" => &PYTHON,
            "rs" => &RUST,
            "sh" => &SHELL,
            _ => return None,
        })
    }
}

/// Returns whether a list of words contains a word.
pub(super) fn has(list: &str, word: &str) -> bool {
    !word.is_empty() && list.split(' ').any(|known| known == word)
}

static C: Syntax = Syntax {
    family: Family::C,
    line_comment: b"//",
    block_comments: BlockComments::Flat,
    quotes: &[line("\""), line("'")],
    word_signs: b"$",
    illegal: b"`@",
};

static GO: Syntax = Syntax {
    family: Family::Go,
    quotes: &[raw("`"), line("\""), line("'")],
    word_signs: b"",
    illegal: b"$@?#",
    ..C
};

static JAVA: Syntax = Syntax {
    family: Family::Java,
    quotes: &[lines("\"\"\"", b""), line("\""), line("'")],
    illegal: b"`#",
    ..C
};

static SCRIPT: Syntax = Syntax {
    family: Family::Script,
    quotes: &[lines("`", b"{"), line("\""), line("'")],
    illegal: b"",
    ..C
};

static RUST: Syntax = Syntax {
    family: Family::Rust,
    block_comments: BlockComments::Nested,
    quotes: &[lines("\"", b"")],
    word_signs: b"",
    illegal: b"`",
    ..C
};

static PYTHON: Syntax = Syntax {
    family: Family::Python,
    line_comment: b"#",
    block_comments: BlockComments::None,
    quotes: &[
        lines("\"\"\"", b""),
        lines("'''", b""),
        line("\""),
        line("'"),
    ],
    word_signs: b"",
    illegal: b"$?!`",
};

static SHELL: Syntax = Syntax {
    family: Family::Shell,
    quotes: &[
        lines("\"", b"({"),
        Quote {
            begin: b"$'",
            ..lines("'", b"")
        },
        raw("'"),
    ],
    word_signs: b"-.:/+@%,=",
    illegal: b"",
    ..PYTHON
};
