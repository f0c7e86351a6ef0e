//! Lines of a file with marked places, for those who tell of a fault in it.

use skillc_core::Span;

/// Some lines of a file with marked places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// 1-based number of the first line.
    pub line: usize,
    /// The lines, joined by LF, without the last line end; long ones are cut.
    pub text: String,
    /// What is marked: first the finding itself, then what explains it.
    pub marks: Vec<Mark>,
}

/// A marked place of an excerpt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Bytes in the excerpt's text, on character boundaries.
    pub span: Span,
    /// What is there, in a few words; empty for the finding itself.
    pub text: String,
}
