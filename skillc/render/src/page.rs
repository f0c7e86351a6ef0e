//! The streams to which text is written, and their styling.

use std::fmt::Display;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use skillc_core::clean::clean;

/// The two streams of a command, each plain or styled.
#[expect(clippy::struct_excessive_bools, reason = "independent flags")]
pub struct Page<'a> {
    /// The stream for results.
    pub out: &'a mut dyn Write,
    /// The stream for notes about the results.
    pub err: &'a mut dyn Write,
    /// Whether `out` may be coloured.
    pub out_is_styled: bool,
    /// Whether `err` may be coloured.
    pub err_is_styled: bool,
    /// Whether verbose output was requested.
    pub is_verbose: bool,
    /// Whether `out` is a file that must contain the whole result.
    pub is_file: bool,
    /// The root of the skill that the response is about, if it is about a single skill.
    pub root: Option<&'a str>,
}

impl Page<'_> {
    /// Writes one line of a result. Control characters are escaped, so that a heading cannot control the terminal.
    ///
    /// # Errors
    /// I/O errors of the stream.
    pub fn line(&mut self, text: impl Display) -> io::Result<()> {
        writeln!(self.out, "{}", clean(&text.to_string()))
    }

    /// Returns part of a line in bold, if results are styled.
    pub fn strong(&self, text: impl Display) -> Painted {
        self.paint(Style::new().bold(), text)
    }

    /// Returns part of a line dimmed, if results are styled.
    pub fn faint(&self, text: impl Display) -> Painted {
        self.paint(Style::new().dimmed(), text)
    }

    /// Returns part of a line in colour, if results are styled.
    pub fn coloured(&self, color: AnsiColor, text: impl Display) -> Painted {
        self.paint(color.on_default(), text)
    }

    /// Writes a line of styled parts.
    ///
    /// # Errors
    /// I/O errors of the stream.
    pub fn parts(&mut self, parts: &[Painted]) -> io::Result<()> {
        for part in parts {
            write!(
                self.out,
                "{}{}{}",
                part.style,
                clean(&part.text),
                part.style.render_reset()
            )?;
        }
        writeln!(self.out)
    }

    /// Returns part of a line unstyled.
    pub fn plain(&self, text: impl Display) -> Painted {
        Painted {
            style: Style::new(),
            text: text.to_string(),
        }
    }

    fn paint(&self, style: Style, text: impl Display) -> Painted {
        Painted {
            style: if self.out_is_styled {
                style
            } else {
                Style::new()
            },
            text: text.to_string(),
        }
    }
}

/// Part of a line with its style.
pub struct Painted {
    style: Style,
    text: String,
}
