//! Finds the here-documents of a shell script: text that the shell passes to a command instead of running it.
//!
//! If a command were mistaken for the text of a here-document, the rules would miss it. Therefore a `<<` counts only
//! where every shell reads a here-document: outside quotes, comments, arithmetic and expansions, with a plain or quoted
//! word as its delimiter, and with a later line that equals the delimiter. Where shells may disagree, the search ends,
//! and the rest of the script counts as code.

use skillc_core::Span;

/// Programs that run a here-document if it is their input.
const RUNNERS: [&str; 20] = [
    "sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish", "busybox", "sudo", "doas", "su",
    "ssh", "eval", "source", "xargs", "parallel", "stdin", "SHELL", "BASH",
];

/// The parts of a shell script's here-documents, in order. A part is either text or a command that the shell runs
/// despite the here-document, such as `$(…)`.
#[derive(Debug)]
pub(crate) struct HereDocuments {
    parts: Vec<(Span, Part)>,
}

/// The kind of a part of a here-document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Text,
    Command,
}

impl HereDocuments {
    /// Finds the here-documents in a script, in linear time.
    pub(crate) fn new(script: &str) -> Self {
        let mut reader = Reader {
            text: script,
            at: 0,
            line: 0,
            open: Vec::new(),
            backtick: None,
            is_in_word: false,
            pending: Vec::new(),
            parts: Vec::new(),
        };
        while reader.step().is_some() {}
        Self {
            parts: reader.parts,
        }
    }

    /// Returns the kind of text at a position; `None` outside here-documents.
    pub(super) fn at(&self, at: usize) -> Option<Part> {
        let before = self.parts.partition_point(|(span, _)| span.start <= at);
        let (span, part) = self.parts.get(before.checked_sub(1)?)?;
        (at < span.end).then_some(*part)
    }
}

/// An open construct of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    /// `(`, `$(`, `<(`: commands.
    Group,
    /// `` ` ``: commands.
    Backtick,
    /// `"`.
    Quote,
    /// `${`.
    Expansion,
    /// `${` within `"`.
    QuotedExpansion,
    /// `((` and `$((`.
    Arithmetic,
    /// `(` within arithmetic.
    Parenthesis,
    /// `$[` and subscripts.
    Bracket,
}

/// A here-document whose operator has been read. Its text begins on the next line.
struct Pending {
    mark: String,
    /// Whether tabs before the delimiter are ignored: `<<-`.
    is_indented: bool,
    /// Whether the delimiter is quoted, so that the shell does not expand the text.
    is_quoted: bool,
    /// The number of constructs that were open at the operator.
    depth: usize,
}

/// Parses a script from its start.
struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// The start of the current line; a line that continues with `\` counts as one line.
    line: usize,
    open: Vec<Open>,
    /// The index of the open backtick in `open`.
    backtick: Option<usize>,
    is_in_word: bool,
    pending: Vec<Pending>,
    parts: Vec<(Span, Part)>,
}

impl<'a> Reader<'a> {
    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes().get(self.at + ahead).copied()
    }

    fn push(&mut self, open: Open, length: usize) {
        self.open.push(open);
        self.at += length;
        self.is_in_word = false;
    }

    fn pop(&mut self, length: usize) {
        self.open.pop();
        self.at += length;
        self.is_in_word = true;
    }

    /// Reads one character or construct. Returns `None` at the end of the script, or where shells may disagree.
    fn step(&mut self) -> Option<()> {
        let byte = self.peek(0)?;
        let top = self.open.last().copied();
        match byte {
            b'\\' => {
                // An escaped line end does not end a word.
                self.is_in_word |= self.peek(1) != Some(b'\n');
                self.at += 2;
            }
            b'\n' => self.line_end()?,
            b'`' => self.backtick(),
            b'$' => self.dollar(top)?,
            b'"' if top == Some(Open::Quote) => self.pop(1),
            _ if top == Some(Open::Quote) => self.at += 1,
            b'"' => self.push(Open::Quote, 1),
            // Whether this is a quote depends on the expansion and on the shell.
            b'\'' if top == Some(Open::QuotedExpansion) => return None,
            b'\'' => self.quoted(1, false)?,
            _ => match top {
                // Braces in an expansion do not nest.
                Some(Open::Expansion | Open::QuotedExpansion) => self.close(byte, None, b'}'),
                Some(Open::Bracket) => self.close(byte, Some(b'['), b']'),
                Some(Open::Parenthesis) => self.close(byte, Some(b'('), b')'),
                Some(Open::Arithmetic) => self.arithmetic(byte)?,
                _ => self.code(byte)?,
            },
        }
        Some(())
    }

    /// Reads an expansion or string that begins with `$`.
    fn dollar(&mut self, top: Option<Open>) -> Option<()> {
        let is_quoted = matches!(top, Some(Open::Quote | Open::QuotedExpansion));
        match (self.peek(1), self.peek(2)) {
            (Some(b'('), Some(b'(')) => self.push(Open::Arithmetic, 3),
            (Some(b'('), _) => self.push(Open::Group, 2),
            (Some(b'{'), _) if is_quoted => self.push(Open::QuotedExpansion, 2),
            (Some(b'{'), _) => self.push(Open::Expansion, 2),
            (Some(b'['), _) => self.push(Open::Bracket, 2),
            (Some(b'\''), _) if !is_quoted => self.quoted(2, true)?,
            _ => {
                self.at += 1;
                self.is_in_word = true;
            }
        }
        Some(())
    }

    /// Skips a string in single quotes. `skip`: the length of the opening quote and its prefix. `has_escapes`: whether
    /// `\` escapes a quote in the string.
    fn quoted(&mut self, skip: usize, has_escapes: bool) -> Option<()> {
        let start = self.at + skip;
        let rest = self.bytes().get(start..)?;
        let mut is_escaped = false;
        let end = rest.iter().position(|byte| {
            let is_end = *byte == b'\'' && !is_escaped;
            is_escaped = has_escapes && *byte == b'\\' && !is_escaped;
            is_end
        })?;
        if !self.pending.is_empty() && rest[..end].contains(&b'\n') {
            return None;
        }
        self.at = start + end + 1;
        self.is_in_word = true;
        Some(())
    }

    /// Reads a character in a construct that ends at `close`, and in which `open` begins a nested construct.
    fn close(&mut self, byte: u8, open: Option<u8>, close: u8) {
        if byte == close {
            self.pop(1);
        } else if open == Some(byte)
            && let Some(top) = self.open.last().copied()
        {
            self.push(top, 1);
        } else {
            self.at += 1;
        }
    }

    /// Reads a character of `((…))`. A single `)` cannot end arithmetic, so `((` was a group within a group.
    fn arithmetic(&mut self, byte: u8) -> Option<()> {
        match (byte, self.peek(1)) {
            (b'(', _) => self.push(Open::Parenthesis, 1),
            (b')', Some(b')')) => self.pop(2),
            (b')', _) => return None,
            _ => self.at += 1,
        }
        Some(())
    }

    /// Reads a backtick. The second backtick of a pair also closes all constructs that were opened after the first.
    fn backtick(&mut self) {
        if let Some(at) = self.backtick.take() {
            self.open.truncate(at);
            self.at += 1;
            self.is_in_word = true;
        } else {
            self.backtick = Some(self.open.len());
            self.push(Open::Backtick, 1);
        }
    }

    /// Reads a character of a command.
    fn code(&mut self, byte: u8) -> Option<()> {
        let is_group = self.open.last() == Some(&Open::Group);
        match byte {
            b'#' if !self.is_in_word => {
                let is_end = |byte: &u8| *byte == b'\n' || *byte == b'`' && self.backtick.is_some();
                let rest = self.bytes().get(self.at..)?;
                self.at += rest.iter().position(is_end)?;
            }
            b'(' if self.peek(1) == Some(b'(') => self.push(Open::Arithmetic, 2),
            b'(' => self.push(Open::Group, 1),
            b')' if is_group => self.pop(1),
            // The `)` after a pattern of `case` does not end a group.
            b'c' if is_group && !self.is_in_word && self.is_case() => return None,
            b'[' if self.begins_subscript(is_group) => self.push(Open::Bracket, 1),
            b'<' if self.peek(1) == Some(b'<') => return self.operator(),
            b' ' | b'\t' | b';' | b'&' | b'|' | b'<' | b'>' | b')' => {
                self.at += 1;
                self.is_in_word = false;
            }
            _ => {
                self.at += 1;
                self.is_in_word = true;
            }
        }
        Some(())
    }

    fn is_case(&self) -> bool {
        let rest = self.bytes().get(self.at..).unwrap_or_default();
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        rest.starts_with(b"case") && !rest.get(4).is_some_and(is_part)
    }

    /// Returns whether a `[` begins the subscript of an array, which is arithmetic: `a[1<<2]` and `a=([1<<2]=b)`.
    fn begins_subscript(&self, is_group: bool) -> bool {
        let is_test = matches!(self.peek(1), None | Some(b' ' | b'\t' | b'\n' | b'['));
        self.is_in_word || is_group && !is_test
    }

    /// Reads `<<`, `<<-` or `<<<`, and the delimiter.
    fn operator(&mut self) -> Option<()> {
        if self.peek(2) == Some(b'<') {
            self.at += 3;
            self.is_in_word = false;
            return Some(());
        }
        let is_indented = self.peek(2) == Some(b'-');
        self.at += 2 + usize::from(is_indented);
        while matches!(self.peek(0), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        let (mark, is_quoted) = self.mark()?;
        // Within backticks, the shell removes each `\` before it parses the here-document.
        if self.backtick.is_some() {
            return None;
        }
        self.pending.push(Pending {
            mark,
            is_indented,
            is_quoted,
            depth: self.open.len(),
        });
        self.is_in_word = false;
        Some(())
    }

    /// Reads the delimiter of a here-document. Returns the delimiter without its quotes, and whether it has quotes.
    fn mark(&mut self) -> Option<(String, bool)> {
        let mut mark = String::new();
        let (start, mut is_quoted) = (self.at, false);
        loop {
            let rest = self.text.get(self.at..)?;
            let next = rest.chars().next()?;
            match next {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')' => break,
                // Expansions and escaped line ends are not supported.
                '$' | '`' => return None,
                '\\' => {
                    let escaped = rest[1..].chars().next().filter(|c| *c != '\n')?;
                    mark.push(escaped);
                    is_quoted = true;
                    self.at += 1 + escaped.len_utf8();
                }
                '"' | '\'' => {
                    let (quoted, _) = rest[1..].split_once(next)?;
                    if quoted.contains(['\\', '$', '`', '\n']) {
                        return None;
                    }
                    mark.push_str(quoted);
                    is_quoted = true;
                    self.at += quoted.len() + 2;
                }
                _ => {
                    mark.push(next);
                    self.at += next.len_utf8();
                }
            }
        }
        (self.at > start).then_some((mark, is_quoted))
    }

    /// Reads a line end and the here-documents that begin on the next line.
    fn line_end(&mut self) -> Option<()> {
        let is_run = !self.pending.is_empty() && is_run(self.text.get(self.line..self.at)?);
        self.at += 1;
        for pending in std::mem::take(&mut self.pending) {
            if pending.depth != self.open.len() {
                return None;
            }
            let end = self.end_of(&pending)?;
            if !is_run {
                self.add(Span::new(self.at, end), pending.is_quoted);
            }
            let rest = self.text.get(end..)?;
            self.at = rest
                .find('\n')
                .map_or(self.text.len(), |length| end + length + 1);
        }
        // A command continues after a multi-line string.
        if self.open.last() != Some(&Open::Quote) {
            self.line = self.at;
        }
        self.is_in_word = false;
        Some(())
    }

    /// Returns the start of the line with the delimiter that ends a here-document.
    fn end_of(&self, pending: &Pending) -> Option<usize> {
        let mut at = self.at;
        // The preceding lines that a `\` joins with this line. Shells disagree about a delimiter in joined lines.
        let (mut joined, mut is_joined) = (String::new(), false);
        for line in self.text.get(at..)?.split_inclusive('\n') {
            let mut own = line.strip_suffix('\n').unwrap_or(line);
            if pending.is_indented {
                own = own.trim_start_matches('\t');
            }
            let is_mark = own == pending.mark;
            if is_joined && (is_mark || pending.mark.strip_prefix(&*joined) == Some(own)) {
                return None;
            }
            if is_mark {
                return Some(at);
            }
            let slashes = own.bytes().rev().take_while(|byte| *byte == b'\\').count();
            is_joined = !pending.is_quoted && slashes % 2 == 1;
            if is_joined {
                joined.push_str(&own[..own.len() - 1]);
            } else {
                joined.clear();
            }
            at += line.len();
        }
        None
    }

    /// Adds the parts of a here-document.
    fn add(&mut self, body: Span, is_quoted: bool) {
        let bytes = &self.bytes()[body.start..body.end];
        let (mut start, mut at) = (0, 0);
        while at < bytes.len() && !is_quoted {
            let end = match bytes[at] {
                b'\\' => {
                    at += 2;
                    continue;
                }
                b'`' => end_of_backtick(bytes, at),
                b'$' if bytes.get(at + 1) == Some(&b'(') => end_of_group(bytes, at),
                _ => {
                    at += 1;
                    continue;
                }
            };
            for (from, to, part) in [(start, at, Part::Text), (at, end, Part::Command)] {
                let span = Span::new(body.start + from, body.start + to);
                self.parts.push((span, part));
            }
            (start, at) = (end, end);
        }
        let rest = Span::new(body.start + start, body.end);
        self.parts.push((rest, Part::Text));
    }
}

/// Returns the end of the command in backticks that begins at `at`.
fn end_of_backtick(bytes: &[u8], at: usize) -> usize {
    let length = memchr::memchr(b'`', &bytes[at + 1..]);
    length.map_or(bytes.len(), |length| at + length + 2)
}

/// Returns the end of the `$(…)` that begins at `at`.
fn end_of_group(bytes: &[u8], at: usize) -> usize {
    let mut depth = 0;
    for (length, byte) in bytes[at..].iter().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => return at + length + 1,
            b')' => depth -= 1,
            _ => {}
        }
    }
    bytes.len()
}

/// Returns whether a command line runs the here-document that it reads as input.
fn is_run(line: &str) -> bool {
    let is_mark = |c: char| !(c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/'));
    let words = line.split(is_mark);
    let mut names = words.filter_map(|word| word.rsplit('/').next());
    line.trim_end().ends_with('|') || names.any(|name| RUNNERS.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text in the here-documents of a script.
    fn text(script: &str) -> String {
        let parts = HereDocuments::new(script).parts.into_iter();
        let texts = parts.filter(|(_, part)| *part == Part::Text);
        texts
            .map(|(span, _)| &script[span.start..span.end])
            .collect()
    }

    #[test]
    fn here_documents_are_text_up_to_the_line_that_equals_their_mark() {
        for (script, expected) in [
            ("cat <<E\na\nE\nb\n", "a\n"),
            ("cat<<E>x\na\nE\nb\n", "a\n"),
            ("cat << 'E F' | tee x\na\nE\nE F\nb\n", "a\nE\n"),
            ("cat <<\"E F\"\na\nE F\nb", "a\n"),
            ("cat <<E.F\na\nE\nE.F\nb\n", "a\nE\n"),
            ("cat <<\\E\n$(a)\nE\n", "$(a)\n"),
            ("cat <<E\"O\"F\na\nEOF\nb\n", "a\n"),
            ("cat <<''\na\n\nb\n", "a\n"),
            ("cat <<-E\n\ta\n E\n\tE\nb\n", "\ta\n E\n"),
            ("cat <<E\na\n\tE\nE\n", "a\n\tE\n"),
            ("cat <<A <<B\na\nA\nb\nB\nc\n", "a\nb\n"),
            ("cat <<E \\\n x\na\nE\n", "a\n"),
            ("x=$(cat <<'E'\nit's\nE\n)\ncat <<F\na\nF\n", "it's\na\n"),
            ("x=\"$(cat <<E\na\nE\n)\"\n", "a\n"),
            ("n=${x#\"'\"} # don't\ncat <<E\na\nE\n", "a\n"),
            ("cat <<E\na $(b) c `d` \\$(e)\nE\n", "a  c  \\$(e)\n"),
            ("cat <<E\r\na\r\nE\r\nb", "a\r\n"),
        ] {
            assert_eq!(text(script), expected, "{script}");
        }
    }

    #[test]
    fn what_is_no_here_document_or_is_run_is_not_text() {
        for script in [
            "n=$((1<<E))\na\nE\n",
            "((n=1<<E))\na\nE\n",
            "for ((i = 0; i < 1<<E; i++)); do\na\nE\n",
            "n=$[1<<E]\na\nE\n",
            "x[1<<E]=1\na\nE]=1\n",
            "n=${x:1<<E}\na\nE}\n",
            "cat <<< E\na\nE\n",
            "cat <<<E\na\nE\n",
            "# see <<E\na\nE\n",
            "true;# see <<E\na\nE\n",
            "x=\"<<E\"\na\nE\nE\"\n",
            "x='<<E'\na\nE\n",
            "x=$'\\'<<E'\na\nE\n",
            "x=([1<<E]=1)\na\nE]=1)\n",
            "x[1 <<E ]=1\na\nE\n",
            "x=\"$(case a in a) echo \"\n<<E\n\"; esac)\"\na\nE\n",
            "((a) | cat <<E)\na\nE\n",
            "x=\"${y#'\"'}\"\ncat <<E\na\nE\n",
            "x=\"${y:-\"}<<E\"}\"\na\nE\n",
            "a\\\n#\"\ncat <<E\n\"\na\nE\n",
            "x=\"\n<<E\n\"\na\nE\n",
            "cat <<E\na\n",
            "cat <<E\na\nE \n",
            "cat <<E\na \\\nE\nb\nE\n",
            "cat <<$E\na\n$E\n",
            "cat <<\na\n\n",
            "`cat <<E\na\nE\n`",
            "bash <<E\na\nE\n",
            "bash \\\n -s <<E\na\nE\n",
            "bash -s \"\n\" <<E\na\nE\n",
            "env /bin/dash <<E\na\nE\n",
            "cat <<E | sudo tee x\na\nE\n",
            "cat <<E |\na\nE\nbash\n",
            "while read l; do eval \"$l\"; done <<E\na\nE\n",
        ] {
            assert_eq!(text(script), "", "{script}");
        }
    }

    #[test]
    fn hostile_scripts_are_read_in_linear_time() {
        for part in [
            "(",
            "`",
            "\"$(",
            "cat <<E\n",
            "<<E ",
            "${",
            "$((",
            "'",
            "\\",
        ] {
            let script = part.repeat(200_000);
            assert_eq!(text(&script), "", "{part}");
        }
    }
}
