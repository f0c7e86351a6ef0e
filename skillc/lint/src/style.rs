//! Whether text is coloured, and how.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};
use skillc_core::clean::clean;

use crate::Severity;

/// Whether text is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Styling {
    /// Plain text.
    Plain,
    /// With terminal colours.
    Styled,
}

impl Styling {
    /// Returns the styling for a stream.
    pub const fn new(is_styled: bool) -> Self {
        if is_styled { Self::Styled } else { Self::Plain }
    }

    /// Returns a string in a style, with control characters escaped.
    pub fn paint(self, style: Style, text: impl Display) -> String {
        let text = text.to_string();
        let text = clean(&text);
        match self {
            Self::Styled => format!("{style}{text}{style:#}"),
            Self::Plain => text.into_owned(),
        }
    }
}

/// Returns the style of a severity.
pub fn style_of(severity: Severity) -> Style {
    let color = match severity {
        Severity::Error => AnsiColor::Red,
        Severity::Warning => AnsiColor::Yellow,
    };
    color.on_default().bold()
}

/// Returns the style of the frame around the lines of a finding.
pub const fn frame() -> Style {
    AnsiColor::BrightBlue.on_default().bold()
}

/// Returns the style of secondary text.
pub const fn faint() -> Style {
    Style::new().dimmed()
}
