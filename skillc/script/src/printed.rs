//! Captures the output of scripts for `skc plugin test`. In all other commands, `print` and `debug` have no effect.
//!
//! The output is bounded, because a script may print in an endless loop until its operations are used up.

use std::sync::Arc;

use parking_lot::Mutex;
use rhai::Engine;

use crate::one_line::one_line;

/// The maximum number of lines kept between two calls to `take`.
const MAX_LINES: usize = 50;

/// The maximum length of a line, in characters.
const MAX_LINE_CHARS: usize = 500;

/// Collects the output of all scripts of one host.
#[derive(Debug, Clone, Default)]
pub struct Printed(Arc<Mutex<Lines>>);

#[derive(Debug, Default)]
struct Lines {
    kept: Vec<String>,
    /// The number of lines that were printed but not kept.
    dropped: usize,
    is_paused: bool,
}

impl Printed {
    /// Discards output until the next [`take`](Self::take).
    pub fn pause(&self) {
        self.lines(|lines| lines.is_paused = true);
    }

    /// Returns the lines printed since the last call, and resumes capturing.
    pub fn take(&self) -> Vec<String> {
        self.lines(|lines| {
            let Lines {
                mut kept, dropped, ..
            } = std::mem::take(lines);
            if dropped > 0 {
                let lines = if dropped == 1 {
                    "line was"
                } else {
                    "lines were"
                };
                kept.push(format!("… {dropped} more {lines} printed"));
            }
            kept
        })
    }

    pub(crate) fn follow(&self, engine: &mut Engine) {
        let printed = self.clone();
        engine.on_print(move |text| printed.add(text));
        let printed = self.clone();
        engine.on_debug(move |text, _, at| match at.line() {
            Some(line) => printed.add(&format!("line {line}: {text}")),
            None => printed.add(text),
        });
    }

    fn add(&self, text: &str) {
        self.lines(|lines| {
            if lines.is_paused {
                return;
            }
            if lines.kept.len() == MAX_LINES {
                lines.dropped += 1;
                return;
            }
            let mut chars = one_line(text);
            let mut line: String = chars.by_ref().take(MAX_LINE_CHARS).collect();
            if chars.next().is_some() {
                line.push('…');
            }
            lines.kept.push(line);
        });
    }

    fn lines<T>(&self, change: impl FnOnce(&mut Lines) -> T) -> T {
        change(&mut self.0.lock())
    }
}
