//! Where text goes, and how it may look there.

use std::fmt::Display;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use skillc_core::clean::clean;

/// The two streams of a command, each plain or styled.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says one thing that does not depend on the others"
)]
pub struct Page<'a> {
    /// Results.
    pub out: &'a mut dyn Write,
    /// Everything about the results.
    pub err: &'a mut dyn Write,
    /// Whether `out` may have colours.
    pub out_is_styled: bool,
    /// Whether `err` may have colours.
    pub err_is_styled: bool,
    /// Whether more was asked for.
    pub is_verbose: bool,
    /// Whether `out` is a file that is to hold all of the result.
    pub is_file: bool,
    /// The root of the one skill that the response is about, if it is about one.
    pub root: Option<&'a str>,
}

impl Page<'_> {
    /// Writes one line of a result. Control characters are escaped: a heading cannot drive the terminal.
    ///
    /// # Errors
    /// Those of the handle.
    pub fn line(&mut self, text: impl Display) -> io::Result<()> {
        writeln!(self.out, "{}", clean(&text.to_string()))
    }

    /// Returns a part of a line in bold, if results may be styled.
    pub fn strong(&self, text: impl Display) -> Painted {
        self.paint(Style::new().bold(), text)
    }

    /// Returns a part of a line in the background, if results may be styled.
    pub fn faint(&self, text: impl Display) -> Painted {
        self.paint(Style::new().dimmed(), text)
    }

    /// Returns a part of a line in a colour, if results may be styled.
    pub fn coloured(&self, color: AnsiColor, text: impl Display) -> Painted {
        self.paint(color.on_default(), text)
    }

    /// Writes a line of painted parts.
    ///
    /// # Errors
    /// Those of the handle.
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

    /// Returns a part of a line as it is.
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

/// A part of a line with its style.
pub struct Painted {
    style: Style,
    text: String,
}
