//! Formats changes to text as a unified diff.

use std::fmt::Write;

use skillc_core::path::diff_name;

/// The number of context lines.
const CONTEXT: usize = 3;

/// A range of old lines and the range of new lines that replaces it; both are 0-based and half open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) old: (usize, usize),
    pub(crate) new: (usize, usize),
}

/// Two versions of a file, each a list of lines with their endings.
pub(crate) struct Diff<'a> {
    /// The file name for both sides.
    pub(crate) path: &'a str,
    pub(crate) is_new: bool,
    pub(crate) old: &'a [&'a str],
    pub(crate) new: &'a [&'a str],
}

impl Diff<'_> {
    /// Formats changes, which must be ordered and disjoint. Returns an empty string if there are none.
    ///
    /// `line`: formats a line. For the first old line and the first new line of a change, this function also receives
    /// the first line of the other side.
    pub(crate) fn render(
        &self,
        changes: &[Change],
        line: impl Fn(&mut String, &str, Option<&str>),
    ) -> String {
        let mut diff = String::new();
        if changes.is_empty() {
            return diff;
        }
        let name = diff_name(self.path);
        let from = if self.is_new { "/dev/null" } else { &name };
        writeln!(diff, "--- {from}\n+++ {name}").expect("writing to a string cannot fail");
        let is_near = |one: &Change, other: &Change| other.old.0 - one.old.1 <= 2 * CONTEXT;
        for group in changes.chunk_by(is_near) {
            self.hunk(&mut diff, group, &line);
        }
        diff
    }

    fn hunk(
        &self,
        diff: &mut String,
        group: &[Change],
        line: &impl Fn(&mut String, &str, Option<&str>),
    ) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else {
            return;
        };
        let (old, new) = (self.old, self.new);
        let before = CONTEXT.min(first.old.0);
        let after = CONTEXT.min(old.len() - last.old.1);
        let old_range = range(first.old.0 - before, last.old.1 + after);
        let new_range = range(first.new.0 - before, last.new.1 + after);
        writeln!(diff, "@@ -{old_range} +{new_range} @@").expect("writing to a string cannot fail");
        let mut push = |mark: char, lines: &[&str], mut other: Option<&str>| {
            for text in lines {
                diff.push(mark);
                line(diff, text, other.take());
                if !text.ends_with('\n') {
                    *diff += "\n\\ No newline at end of file\n";
                }
            }
        };
        let mut at = first.old.0 - before;
        for change in group {
            let gone = &old[change.old.0..change.old.1];
            let come = &new[change.new.0..change.new.1];
            push(' ', &old[at..change.old.0], None);
            push('-', gone, come.first().copied());
            push('+', come, gone.first().copied());
            at = change.old.1;
        }
        push(' ', &old[at..at + after], None);
    }
}

/// Formats a range of lines as `first,count`. For an empty range, `first` is the number of the line before it.
fn range(start: usize, end: usize) -> String {
    match end - start {
        0 => format!("{start},0"),
        1 => (start + 1).to_string(),
        count => format!("{},{count}", start + 1),
    }
}
