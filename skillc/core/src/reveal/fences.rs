//! Tracks the fenced code blocks of Markdown by the rules of its specification: a fence ends only with a fence of the
//! same character that is at least as long, or with the quotation or list item that contains it. A simpler rule would
//! let an attacker decide which lines count as code.

/// The maximum number of nested list items that are tracked.
const MAX_ITEMS: usize = 32;

/// A line that is indented by at least this many columns is not a fence, but indented code.
const CODE_INDENT: usize = 4;

/// The fence that begins the current code block.
struct Fence {
    sign: u8,
    length: usize,
    /// The number of quotations that contain the block.
    quotes: usize,
    indent: usize,
    /// The column of the list item that contains the block.
    item: usize,
}

/// Tracks the code blocks of a document that is read line by line.
#[derive(Default)]
pub(super) struct Fences {
    open: Option<Fence>,
    /// The columns at which the contents of the list items around the current line begin.
    items: Vec<usize>,
}

impl Fences {
    /// Returns whether the line that was read last is in a code block, or begins one.
    pub(super) const fn is_code(&self) -> bool {
        self.open.is_some()
    }

    /// Reads the next line. Returns whether the line is a fence.
    pub(super) fn read(&mut self, line: &str) -> bool {
        let most = self.open.as_ref().map_or(usize::MAX, |open| open.quotes);
        let (quotes, text) = unquoted(line, most);
        let (indent, bare) = indented(text);
        let bare = bare.trim_end();
        if let Some(open) = &self.open {
            let is_outside = quotes < open.quotes || !bare.is_empty() && indent < open.item;
            if !is_outside {
                let length = run(bare, open.sign);
                let is_near = indent < open.indent + CODE_INDENT;
                let is_end = is_near && length >= open.length && bare.len() == length;
                if is_end {
                    self.open = None;
                }
                return is_end;
            }
            self.open = None;
        }
        if bare.is_empty() {
            return false;
        }
        let (mut column, mut rest) = (indent, bare);
        while self.items.last().is_some_and(|item| column < *item) {
            self.items.pop();
        }
        while self.items.len() < MAX_ITEMS
            && let Some(width) = marker(rest)
        {
            let (blanks, inner) = indented(&rest[width..]);
            column += width + blanks;
            rest = inner;
            self.items.push(column);
        }
        let item = self.items.last().copied().unwrap_or_default();
        let sign = rest.bytes().next().unwrap_or_default();
        let length = run(rest, sign);
        // A code span can begin with three backticks, too.
        let is_fence = matches!(sign, b'`' | b'~')
            && length >= 3
            && column < item + CODE_INDENT
            && (sign == b'~' || !rest[length..].contains('`'));
        if is_fence {
            self.open = Some(Fence {
                sign,
                length,
                quotes,
                indent: column,
                item,
            });
        }
        is_fence
    }
}

/// Removes at most `most` quotation markers from the start of a line. Returns their number and the rest of the line.
pub(super) fn unquoted(line: &str, most: usize) -> (usize, &str) {
    let (mut count, mut rest) = (0, line);
    while count < most
        && let Some(inner) = rest.trim_start_matches([' ', '\t']).strip_prefix('>')
    {
        rest = inner.strip_prefix(' ').unwrap_or(inner);
        count += 1;
    }
    (count, rest)
}

/// Returns the width of the blanks at the start of a line, and the rest of the line.
fn indented(line: &str) -> (usize, &str) {
    let rest = line.trim_start_matches([' ', '\t']);
    let blanks = &line.as_bytes()[..line.len() - rest.len()];
    let width = blanks.iter().fold(0, |width, byte| match byte {
        b'\t' => (width / CODE_INDENT + 1) * CODE_INDENT,
        _ => width + 1,
    });
    (width, rest)
}

/// Returns the length of the run of `sign` characters at the start of a line.
fn run(line: &str, sign: u8) -> usize {
    line.bytes().take_while(|byte| *byte == sign).count()
}

/// Returns the width of the list marker at the start of a line.
fn marker(line: &str) -> Option<usize> {
    let digits = line.bytes().take(9).take_while(u8::is_ascii_digit).count();
    let sign = line.as_bytes().get(digits)?;
    let is_marker = if digits > 0 {
        matches!(sign, b'.' | b')')
    } else {
        matches!(sign, b'-' | b'*' | b'+')
    };
    let is_item = is_marker && matches!(line.as_bytes().get(digits + 1), Some(b' ' | b'\t'));
    is_item.then_some(digits + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_ends_with_the_same_fence_or_with_what_contains_it() {
        for (text, expected) in [
            ("```\na\n```\nb", "`c`."),
            ("```\n~~~\n```\nb", "`c`."),
            ("````\n```\na\n````\nb", "`cc`."),
            ("```\n``` x\n```\nb", "`c`."),
            ("> ```\n> a\n> ```\nb", "`c`."),
            ("> ```\n> a\nb", "`c."),
            ("```\n> ```\n```\nb", "`c`."),
            ("- ```\n  a\n  ```\nb", "`c`."),
            ("- ```\nb\n", "`."),
            ("1. a\n\n   ```\n   a\n   ```\n", "..`c`"),
            ("    ```\nb", ".."),
            ("```\n    ```\na\n```", "`cc`"),
            ("``` `a` ```\nb", ".."),
        ] {
            let mut fences = Fences::default();
            let kinds = text.lines().map(|line| {
                let is_fence = fences.read(line);
                match (is_fence, fences.is_code()) {
                    (true, _) => '`',
                    (false, true) => 'c',
                    (false, false) => '.',
                }
            });
            let found: String = kinds.collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
