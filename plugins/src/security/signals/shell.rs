//! Finds downloads and decoded text that a command line runs, regardless of how the line is written.
//!
//! A command line is parsed as a shell would parse it: it consists of pipelines of commands. Words may be quoted,
//! escaped, continued on the next line, and composed from the output of other commands. The line may also be in prose
//! or in a string of another language. Therefore quoted strings are read as command lines too, and characters that a
//! shell would reject are skipped.
//!
//! The reader is bounded: it reads a [limited part](super::extent) of a line, and [`MAX_DEPTH`] levels of substitutions
//! and quotes. Groups in plain brackets do not need recursion, so they may be nested to any depth.

use std::collections::BTreeSet;

use skillc_core::{Span, Stop};

use super::compounds::{Compounds, is_closing, is_lead, is_opening, is_word_start};
use super::extent::{MAX_AFTER, command_line, is_command, may_run, skip_comments};
use super::programs::{self, Names, Output, Runner, Word};
use super::syntax::{is_line_start, is_plain, is_void, tag, unescaped};
use super::{MAX_MATCHES, Match, Signal};

/// Words in lower case. Every command line that is found contains at least one of them.
pub(super) const WORDS: &[&str] = &[
    "curl", "wget", "aria2c", "http ", "https ", "xh ", "xhs ", "fetch ", "lynx", "links ",
    "links2", "elinks", "w3m", "ftp ", "lwp-", "nc ", "ncat", "netcat", "socat", "telnet",
    "/dev/tcp", "base64", "base32", "basenc", "xxd", "openssl", "txt", "rot13", "tr 'a-z",
    "tr a-z", "tr '[a-z", "$'c", "$'w", "$'\\",
];

/// The maximum depth of nested substitutions and quotes, and the maximum depth of the quotes alone. Quotes have a lower
/// limit, because the end of each level is searched separately.
const MAX_DEPTH: usize = 32;
const MAX_QUOTES: usize = 12;

/// The maximum length of `${…}`, in bytes.
const MAX_NAME: usize = 200;

/// The maximum length, in bytes, of a reference to `IFS` in braces, such as `${IFS}` or `${IFS%?}`.
const MAX_BLANK: usize = 12;

/// Adds the command lines that run downloads or decoded text to `found`. Returns `None` if the run is cancelled.
///
/// `places`: the positions of [`WORDS`] in the text. `found`: an empty list.
pub(super) fn find(
    text: &str,
    mut places: Vec<usize>,
    found: &mut Vec<Match>,
    stop: &Stop,
) -> Option<()> {
    if places.is_empty() {
        return Some(());
    }
    let names = Names::of(text);
    names.add_places(&mut places);
    places.sort_unstable();
    let compounds = Compounds::of(text.as_bytes(), MAX_AFTER);
    if names.left_out.is_noted() || compounds.is_cut {
        found.push(unread(0));
    }
    // With this many matches, at least one signal has reached its limit, and the scan reports that matches may be
    // missing.
    let most = SIGNALS * MAX_MATCHES;
    let mut done = 0;
    let mut line = Span::new(0, 0);
    // For both kinds of quotes, the opening quote of the last string that has been read.
    let mut opened = [None; 2];
    for at in places {
        if at < done {
            strings(text, at, line, &mut opened, &names, found);
            continue;
        }
        if stop.is_raised() {
            return None;
        }
        (line, done) = command_line(text, at, &compounds);
        let bytes = &text.as_bytes()[..line.end];
        if !may_run(&bytes[line.start..]) {
            continue;
        }
        let mut reader = Reader::new(bytes, &names, found);
        reader.is_command = is_command(&text[..line.start]);
        let mut start = line.start;
        reader.list(&mut start, line.end, None);
        strings(text, at, line, &mut opened, &names, found);
        if found.len() >= most {
            // Parts of a long line overlap, so the same match may be found twice.
            found.sort_unstable_by_key(|hit| (hit.span.start, hit.span.end, hit.signal));
            found.dedup();
            if found.len() >= most {
                break;
            }
        }
    }
    Some(())
}

/// Returns a match that stands for commands that are not read.
const fn unread(at: usize) -> Match {
    Match {
        signal: Signal::Unread,
        span: Span::new(at, at),
    }
}

/// Reads the strings around a position on a line as command lines. This is needed because the line as a whole may be
/// misread: a string of another language that began on an earlier line may end on this line, as in `""";
/// os.system("curl …")`.
///
/// `opened`: the opening quotes of the strings that have been read, which are not read again.
fn strings(
    text: &str,
    at: usize,
    line: Span,
    opened: &mut [Option<usize>; 2],
    names: &Names<'_>,
    found: &mut Vec<Match>,
) {
    let bytes = text.as_bytes();
    for (quote, opened) in [b'"', b'\''].into_iter().zip(opened) {
        let before = memchr::memrchr(quote, &bytes[line.start..at.max(line.start)]);
        let Some(open) = before.map(|before| line.start + before) else {
            continue;
        };
        if opened.replace(open) == Some(open) {
            continue;
        }
        // An escaped quote ends at the next escaped quote, and an unescaped quote at the next unescaped quote.
        let is_escaped = |at: usize| at > 0 && bytes[at - 1] == b'\\';
        let rest = open + 1;
        let ends = memchr::memchr_iter(quote, &bytes[rest..line.end.max(rest)]);
        let mut ends = ends.map(|end| rest + end);
        let Some(end) = ends.find(|end| is_escaped(*end) == is_escaped(open)) else {
            continue;
        };
        if at < end && may_run(&bytes[rest..end]) {
            let mut reader = Reader::new(&bytes[..end], names, found);
            (reader.depth, reader.quotes) = (1, 1);
            let mut start = rest;
            reader.list(&mut start, end, None);
        }
    }
}

/// The number of signals that this module finds.
const SIGNALS: usize = 4;

/// The number of kinds of quotes: `"`, `'`, `\"`, `\'`, and the backtick.
const KINDS: usize = 5;
const TICK: usize = 4;

/// The separator at the end of a command.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Pipe,
    Next,
    /// A closing bracket.
    Close(u8),
}

/// What a list of commands does with data.
#[derive(Default)]
struct List {
    output: Output,
    /// The output of other lists at the beginning of the commands: `$(…)`.
    begins: Output,
    /// Whether a command runs the input of the list.
    reads: bool,
}

/// A compound command that is being read, such as a loop.
struct Block {
    is_case: bool,
    /// The input of the block's commands.
    input: Output,
    /// The output of the commands before the block.
    before: Output,
    /// The variables that the command `read` sets at the beginning of the block.
    names: BTreeSet<Vec<u8>>,
    /// The index of the innermost block that contains the commands and has such variables.
    reader: Option<usize>,
    /// The end of the word that runs such a variable as a command.
    runs: Option<usize>,
}

/// A command of a pipeline.
#[derive(Default)]
struct Command {
    words: Vec<Word>,
    /// The output of command lists within the command.
    output: Output,
    /// The redirected output that the command reads: `<<< "$(…)"`, `< <(…)`.
    input: Output,
    /// The end of the word that runs the command's input.
    reads: Option<usize>,
    /// The end of a list that runs the command's output: `>(…)`.
    passes: Option<usize>,
    /// Whether a following group can no longer be the command that the words before the group start.
    is_late: bool,
}

/// A list of commands that is being read.
#[derive(Default)]
struct Frame {
    /// The bracket that ends the list.
    close: Option<u8>,
    list: List,
    /// The command that is being read.
    command: Command,
    input: Output,
    /// The output of the text before the list. It is the input of the list if the first command is empty.
    before: Output,
    is_piped: bool,
    blocks: Vec<Block>,
}

impl Frame {
    fn new(close: Option<u8>, before: Output) -> Self {
        Self {
            close,
            before,
            ..Self::default()
        }
    }

    /// Adds a group to the command that contains it. `at`: the end of the group.
    fn add(&mut self, group: &List, at: usize) {
        let command = &mut self.command;
        if command.words.is_empty() {
            self.list.begins = self.list.begins.or(group.begins);
        }
        command.output = command.output.or(group.output);
        if group.reads && command.reads.is_none() && !command.is_late {
            let is_started = programs::is_prefix(&command.words);
            command.reads = is_started.then_some(at);
            // More words would not change this. The flag is cached so that each group need not examine all words before
            // it.
            command.is_late = !is_started;
        }
    }
}

/// Reads a command line.
struct Reader<'a> {
    /// The text up to the end of the line.
    text: &'a [u8],
    names: &'a Names<'a>,
    found: &'a mut Vec<Match>,
    /// The number of substitutions and quoted strings around the list that is being read.
    depth: usize,
    /// The number of groups around the list that follow other words, such as the group in `x=( … )`.
    groups: usize,
    /// The number of quoted strings around the list.
    quotes: usize,
    /// For each kind of quote, whether there is no further closing quote before the end of the list.
    unclosed: [bool; KINDS],
    /// Whether the line is a command.
    is_command: bool,
    /// The output of the strings that precede the current string in a concatenation: `"curl " + url + " | sh"`.
    before: Output,
}

impl<'a> Reader<'a> {
    fn new(text: &'a [u8], names: &'a Names<'a>, found: &'a mut Vec<Match>) -> Self {
        Self {
            text,
            names,
            found,
            depth: 0,
            groups: 0,
            quotes: 0,
            unclosed: [false; KINDS],
            is_command: false,
            before: Output::default(),
        }
    }
}

impl Reader<'_> {
    /// Reads commands up to `end`, or up to and including a closing bracket.
    fn list(&mut self, at: &mut usize, end: usize, close: Option<u8>) -> List {
        let mut frame = Frame::new(close, std::mem::take(&mut self.before));
        // The lists around the current group. An explicit stack allows any depth, unlike recursion.
        let mut outer: Vec<Frame> = Vec::new();
        loop {
            if let Some(close) = self.command(&mut frame.command, at, end) {
                self.before = Output::default();
                self.groups += usize::from(!frame.command.words.is_empty());
                let group = Frame::new(Some(close), Output::default());
                outer.push(std::mem::replace(&mut frame, group));
                continue;
            }
            if !self.end_command(&mut frame, at, end) {
                continue;
            }
            let list = std::mem::take(&mut frame.list);
            let Some(around) = outer.pop() else {
                return list;
            };
            frame = around;
            frame.add(&list, *at);
            self.groups -= usize::from(!frame.command.words.is_empty());
        }
    }

    /// Ends the current command of a list, and reads the separator after the command. Returns whether the separator
    /// also ends the list.
    fn end_command(&mut self, frame: &mut Frame, at: &mut usize, end: usize) -> bool {
        let mut command = std::mem::take(&mut frame.command);
        let list = &mut frame.list;
        let ran = follow(
            &mut frame.blocks,
            &mut command,
            &mut list.output,
            frame.input,
        );
        if let Some(end) = ran {
            self.add(command.input, None, end);
        }
        let output = self.judge(&command, frame.input);
        let first = command.words.first().map(|word| word.output);
        list.begins = list.begins.or(first.unwrap_or_default());
        list.reads |= !frame.is_piped && command.reads.is_some();
        let Some((width, sign)) = self.sign(*at, end) else {
            list.output = all_output(&frame.blocks, list.output.or(output));
            return true;
        };
        *at += width;
        frame.is_piped = sign == Sign::Pipe;
        if frame.is_piped {
            // A table cell without a command does not interrupt the pipeline.
            let is_empty = command.words.is_empty() && !command.output.is_some();
            frame.input = if is_empty { frame.before } else { output };
            frame.before = Output::default();
            *at = skip_comments(self.text, *at, end);
            return false;
        }
        // The commands of a loop share its input.
        let block = frame.blocks.last();
        frame.input = block.map(|block| block.input).unwrap_or_default();
        frame.before = Output::default();
        list.output = list.output.or(output);
        // In `case x in y) …`, the bracket does not end the list.
        let is_pattern = block.is_some_and(|block| block.is_case);
        let Sign::Close(byte) = sign else {
            return false;
        };
        let is_end = frame.close == Some(byte) && !(is_pattern && byte == b')');
        if is_end {
            list.output = all_output(&frame.blocks, list.output);
        } else if frame.close.is_none() && !is_pattern {
            // The bracket ends a group that began before the start of the text.
            frame.before = list.output;
        }
        is_end
    }

    /// Reads the list of a substitution. Sets `at` to the position after the closing bracket.
    fn nested(&mut self, at: &mut usize, end: usize, close: u8) -> List {
        if self.depth == MAX_DEPTH {
            self.skip(*at);
            return List::default();
        }
        self.depth += 1;
        self.before = Output::default();
        let list = self.list(at, end, Some(close));
        self.depth -= 1;
        list
    }

    /// Reads a list in quotes.
    fn quoted_list(&mut self, mut at: usize, end: usize) -> List {
        if self.depth == MAX_DEPTH || self.quotes == MAX_QUOTES {
            self.skip(at);
            return List::default();
        }
        let unclosed = std::mem::take(&mut self.unclosed);
        self.depth += 1;
        self.quotes += 1;
        let list = self.list(&mut at, end, None);
        self.quotes -= 1;
        self.depth -= 1;
        self.unclosed = unclosed;
        list
    }

    /// Records that a list is nested too deeply to be read.
    fn skip(&mut self, at: usize) {
        self.found.push(unread(at));
    }

    fn byte(&self, at: usize, end: usize) -> u8 {
        if at < end { self.text[at] } else { b' ' }
    }

    /// Returns the separator that ends a command at a position, and its width.
    fn sign(&self, at: usize, end: usize) -> Option<(usize, Sign)> {
        if at >= end {
            return None;
        }
        let next = self.byte(at + 1, end);
        Some(match self.text[at] {
            b'|' if next == b'|' => (2, Sign::Next),
            b'|' if next == b'&' => (2, Sign::Pipe),
            b'|' => (1, Sign::Pipe),
            // A pipe that is escaped in a Markdown table.
            b'\\' if next == b'|' => (2, Sign::Pipe),
            // An escaped line end in a string of another language.
            b'\\' if next == b'n' && self.quotes > 0 => (2, Sign::Next),
            b'&' if next == b'&' => (2, Sign::Next),
            b'&' if next == b'>' => return None,
            b';' | b'&' | b'\n' => (1, Sign::Next),
            byte @ (b')' | b'}') => (1, Sign::Close(byte)),
            _ => return None,
        })
    }

    /// Returns the width of a `\` and the line end after it.
    fn joined(&self, at: usize, end: usize) -> Option<usize> {
        let rest = &self.text[at..end];
        if rest.starts_with(b"\\\n") {
            return Some(2);
        }
        rest.starts_with(b"\\\r\n").then_some(3)
    }

    /// Returns the width of a reference to `IFS`, whose value separates words like a space.
    fn blank(&self, at: usize, end: usize) -> Option<usize> {
        let rest = &self.text[at..end];
        if rest.starts_with(b"${IFS") {
            return rest
                .iter()
                .take(MAX_BLANK)
                .position(|byte| *byte == b'}')
                .map(|end| end + 1);
        }
        let after = rest.strip_prefix(b"$IFS")?.first();
        let is_longer = after.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        // `$IFS$9` also separates words.
        (!is_longer).then_some(4)
    }

    /// Returns the width of a comment, up to the end of its line. In the last line, `#` may have another meaning.
    fn comment(&self, at: usize, end: usize) -> Option<usize> {
        let is_comment = self.text[at] == b'#' && is_word_start(self.text, at);
        is_comment
            .then(|| memchr::memchr(b'\n', &self.text[at..end]))
            .flatten()
    }

    /// Reads a command, or the rest of a command, up to the separator at its end. If the command contains a group,
    /// stops after the opening bracket and returns the bracket that ends the group.
    fn command(&mut self, command: &mut Command, at: &mut usize, end: usize) -> Option<u8> {
        while *at < end && self.sign(*at, end).is_none() {
            let (byte, next) = (self.text[*at], self.byte(*at + 1, end));
            if let Some(width) = self.joined(*at, end).or_else(|| self.blank(*at, end)) {
                *at += width;
            } else if byte.is_ascii_whitespace() || byte == b'&' {
                *at += 1;
            } else if let Some(width) = self.comment(*at, end) {
                *at += width;
            } else if matches!(byte, b'<' | b'>') {
                self.redirect(at, end, command);
            } else if byte == b'(' || byte == b'{' && next.is_ascii_whitespace() {
                *at += 1;
                return Some(if byte == b'(' { b')' } else { b'}' });
            } else {
                self.before = command.output;
                let word = self.word(at, end);
                command.output = command.output.or(word.inner);
                if !word.text.is_empty() || word.output.is_some() {
                    command.words.push(word);
                }
            }
        }
        command.output = command
            .output
            .or(programs::output(&command.words, self.names));
        command.reads = (command.reads).or_else(|| programs::reads(&command.words, self.names));
        None
    }

    /// Reads a redirection, or an HTML tag.
    fn redirect(&mut self, at: &mut usize, end: usize, command: &mut Command) {
        let start = *at;
        let byte = self.text[start];
        if self.byte(start + 1, end) == b'(' {
            *at += 2;
            let list = self.nested(at, end, b')');
            if byte == b'>' {
                command.passes = command.passes.or(list.reads.then_some(*at));
            } else {
                let mut word = Word::new(start);
                word.push(b"<()");
                word.end = *at;
                word.output = list.output;
                command.words.push(word);
            }
            return;
        }
        if let Some(width) = tag(&self.text[start..end]) {
            *at += width;
            return;
        }
        // Whether the `>` belongs to an arrow, a quotation marker or a prompt.
        let before = start.checked_sub(1).map(|before| self.text[before]);
        let is_mark = command.words.is_empty()
            && self.byte(start + 1, end) == b' '
            && !before.is_some_and(|before| before.is_ascii_digit());
        if byte == b'>' && (is_mark || matches!(before, Some(b'-' | b'='))) {
            *at += 1;
            return;
        }
        let is_sign = |byte: &&u8| matches!(byte, b'<' | b'>' | b'&' | b'-');
        let signs = self.text[start..end].iter().take_while(is_sign).count();
        // In `< <(…)` and `<<(…)`, the `<(` begins a list.
        let is_list = self.byte(start + signs, end) == b'(' && signs > 1;
        let signs = signs - usize::from(is_list);
        *at += signs;
        while *at < end && matches!(self.text[*at], b' ' | b'\t') {
            *at += 1;
        }
        let is_end = *at >= end || self.sign(*at, end).is_some();
        if is_end {
            return;
        }
        if self.text[start..end].starts_with(b"<<<") {
            let word = self.word(at, end);
            command.input = command.input.or(word.output).or(word.inner);
            return;
        }
        if byte == b'<' && self.text[*at..end].starts_with(b"<(") {
            *at += 2;
            let list = self.nested(at, end, b')');
            command.input = command.input.or(list.output);
            return;
        }
        if matches!(self.text[*at], b'<' | b'>' | b'(' | b'\\') {
            return;
        }
        let is_first = command.words.is_empty() && is_line_start(&self.text[..start]);
        let word = self.word(at, end);
        command.output = command.output.or(word.inner);
        // Whether the `>` ends a prompt such as `PS1>`, or is the prefix of a recipe or a quotation: `>curl`.
        let is_prompt = byte == b'>' && signs == 1 && programs::may_follow_prompt(&word, is_first);
        if word.text.starts_with(b"/dev/tcp/") && byte == b'<' {
            command.output.talk = command.output.talk.or(Some(word.start));
        }
        if word.output.is_some() || is_prompt {
            command.words.push(word);
        }
    }

    /// Reads a word.
    fn word(&mut self, at: &mut usize, end: usize) -> Word {
        let mut word = Word::new(*at);
        let start = *at;
        while *at < end {
            let (byte, next) = (self.text[*at], self.byte(*at + 1, end));
            if let Some(width) = self.joined(*at, end) {
                *at += width;
                continue;
            }
            if self.blank(*at, end).is_some() {
                break;
            }
            // The address of a request may have several parameters, separated by `&`.
            let is_parameter = byte == b'&' && word.is_address() && next.is_ascii_alphanumeric();
            let is_sign = byte != b'}' && !is_parameter && self.sign(*at, end).is_some();
            if is_sign || byte.is_ascii_whitespace() {
                break;
            }
            if matches!(byte, b'<' | b'>' | b'(') {
                // The number of a stream before a redirection is not a word.
                let is_stream = word.text.iter().all(u8::is_ascii_digit);
                if byte != b'(' && is_stream {
                    word.text.clear();
                }
                if *at == start {
                    // A redirection sign or a bracket does not begin a word: skip it.
                    *at += 1;
                }
                break;
            }
            // An unclosed quote ends the word and is skipped.
            match byte {
                b'\\' if matches!(next, b'"' | b'\'') => {
                    if !self.quoted(at, end, &mut word, 2) {
                        break;
                    }
                }
                b'"' | b'\'' => {
                    if !self.quoted(at, end, &mut word, 1) {
                        break;
                    }
                }
                b'`' => {
                    if !self.ticked(at, end, &mut word) {
                        break;
                    }
                }
                b'$' if next == b'(' && self.byte(*at + 2, end) != b'(' => {
                    let is_first = word.text.is_empty();
                    let is_command = self.is_command && self.depth + self.groups == 0;
                    *at += 2;
                    let open = *at;
                    let list = self.nested(at, end, b')');
                    if is_first {
                        word.output = list.output;
                        word.is_command = is_command;
                    }
                    let inner = self.text.get(open..*at - 1);
                    if !inner.is_some_and(is_void) {
                        word.push(b"$()");
                    }
                }
                b'$' if next == b'{' => {
                    let most = end.min(*at + MAX_NAME);
                    let close = memchr::memchr(b'}', &self.text[*at..most]);
                    let close = close.map_or(*at + 2, |close| *at + close + 1);
                    // A default value may contain commands: read them.
                    let inner = &self.text[*at + 2..close];
                    let has_list =
                        inner.contains(&b'`') || memchr::memmem::find(inner, b"$(").is_some();
                    let close = if has_list { *at + 2 } else { close };
                    word.push(&self.text[*at..close]);
                    *at = close;
                }
                b'\\' => {
                    word.push(&self.text[(*at + 1).min(end)..(*at + 2).min(end)]);
                    *at = (*at + 2).min(end);
                }
                _ => {
                    word.push(&self.text[*at..=*at]);
                    *at += 1;
                }
            }
        }
        word.end = *at;
        word
    }

    /// Reads a quoted part of a word. Returns false if the quote does not begin a quoted part. `width`: the number of
    /// bytes of the quote, including a `\` before it.
    fn quoted(&mut self, at: &mut usize, end: usize, word: &mut Word, width: usize) -> bool {
        let text = self.text;
        let quote = text[*at + width - 1];
        let open = *at + width;
        let is_escaped = width == 2;
        let kind = usize::from(quote == b'\'') + 2 * usize::from(is_escaped);
        let close = if self.unclosed[kind] {
            None
        } else {
            self.close(open, end, quote, is_escaped)
        };
        self.unclosed[kind] |= close.is_none();
        let is_inside = *at > 0 && text[*at - 1].is_ascii_alphanumeric();
        let content = close.map(|close| &text[open..close]);
        let Some(content) = content.filter(|content| !is_inside || is_plain(content)) else {
            // This is an apostrophe, as in `don't`.
            *at = open;
            return false;
        };
        *at = open + content.len() + width;
        if is_plain(content) {
            // `$'…'` has escapes, and `$"…"` is translated.
            let has_dollar = word.text.pop_if(|last| *last == b'$').is_some();
            if has_dollar && quote == b'\'' {
                word.push(&unescaped(content));
            } else {
                word.push(content);
            }
            return true;
        }
        let is_first = word.text.is_empty();
        self.before = self.before.or(word.inner);
        let list = self.quoted_list(open, open + content.len());
        word.inner = word.inner.or(list.output);
        word.reads |= list.reads;
        word.is_quoted = true;
        if is_first {
            word.output = list.begins;
        }
        word.push(content);
        true
    }

    /// Reads a command list in backticks, or a code span. Returns false if the backticks are not closed.
    fn ticked(&mut self, at: &mut usize, end: usize, word: &mut Word) -> bool {
        let is_tick = |byte: &&u8| **byte == b'`';
        let count = |from: usize| self.text[from..end].iter().take_while(is_tick).count();
        let run = count(*at);
        let open = *at + run;
        let mut close = None;
        let mut next = open;
        while !self.unclosed[TICK] && close.is_none() {
            let Some(tick) = memchr::memchr(b'`', &self.text[next..end]) else {
                break;
            };
            let ticks = count(next + tick);
            close = (ticks == run).then_some(next + tick);
            next += tick + ticks;
        }
        let Some(close) = close else {
            self.unclosed[TICK] = true;
            *at = open;
            return false;
        };
        let is_first = word.text.is_empty();
        self.before = Output::default();
        let list = self.quoted_list(open, close);
        if is_first {
            word.output = list.output;
        }
        if !is_void(&self.text[open..close]) {
            word.push(b"``");
        }
        *at = close + run;
        true
    }

    /// Returns the position of the closing quote.
    fn close(&self, open: usize, end: usize, quote: u8, is_escaped: bool) -> Option<usize> {
        let mut at = open;
        // The number of open brackets, counted from a `$(`. Within these brackets, quotes are independent of the outer
        // quote.
        let mut depth = 0_usize;
        while at < end {
            let next = self.byte(at + 1, end);
            match self.text[at] {
                b'\\' if is_escaped && depth == 0 && next == quote => return Some(at),
                b'\\' => at += 1,
                byte if byte == quote && !is_escaped && depth == 0 => return Some(at),
                b'$' if next == b'(' && quote == b'"' => {
                    depth += 1;
                    at += 1;
                }
                b'(' if depth > 0 => depth += 1,
                b')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// Adds a match if a command runs a download or decoded text. Returns the origin of the command's output. `input`:
    /// the origin of the command's input.
    fn judge(&mut self, command: &Command, input: Output) -> Output {
        let input = command.input.or(input);
        if let Some(end) = command.reads {
            self.add(input, None, end);
        }
        let output = command.output.or(input);
        if let Some(end) = command.passes {
            self.add(output, None, end);
        }
        let (mut runner, mut wrappers) = (Runner::default(), None);
        for (at, word) in command.words.iter().enumerate() {
            let start = runner.start();
            runner.pass(word);
            if !word.output.is_some() {
                continue;
            }
            let start = start.or_else(|| {
                let count = || programs::wrappers(&command.words);
                let is_command = word.is_command && at <= *wrappers.get_or_insert_with(count);
                is_command.then_some(word.start)
            });
            if let Some(start) = start {
                self.add(word.output, Some(start), word.end);
            }
        }
        if command.reads.is_some() {
            command.output
        } else {
            output
        }
    }

    /// Adds matches that end at `end`. They begin at `start`; if `start` is `None`, at the command that produced the
    /// output.
    fn add(&mut self, output: Output, start: Option<usize>, end: usize) {
        if output.is_far {
            self.found.push(unread(end));
        }
        for (signal, from) in output.parts() {
            // The command may be before its input: `sh < <(curl …)`. The address may be in a function before both.
            let start = start.map_or(from, |start| start.min(from));
            let span = Span::new(start.min(end), start.max(end));
            self.found.push(Match { signal, span });
        }
    }
}

/// Tracks the compound commands around a command. The command at the end of a compound command, such as `done`,
/// receives the output of the compound command. `output`: the output of the preceding commands in the compound command;
/// `input`: the input of the command. If the command ends a loop that runs its input, as in `while read -r x; do eval
/// "$x"; done < <(…)`, returns the end of the word that is run.
fn follow(
    blocks: &mut Vec<Block>,
    command: &mut Command,
    output: &mut Output,
    input: Output,
) -> Option<usize> {
    let mut words = command.words.iter();
    let first = words.find(|word| !is_lead(&word.text))?;
    let word = &first.text[..];
    // A quoted word is the name of a program, not a keyword.
    let is_keyword = first.end - first.start == word.len();
    if is_keyword && is_opening(word) {
        // The command `read` consumes the input before the commands of the loop can.
        let takes = words.any(|word| word.text == b"read");
        let names: BTreeSet<_> = words.map(|word| word.text.clone()).collect();
        let around = blocks.last().and_then(|block| block.reader);
        let own = takes.then_some(blocks.len());
        blocks.push(Block {
            is_case: word == b"case",
            input: if takes { Output::default() } else { input },
            before: std::mem::take(output),
            names,
            reader: own.or(around),
            runs: None,
        });
    } else if is_keyword && is_closing(word) {
        command.output = command.output.or(*output);
        // If the start of the compound command is missing, the command receives the output of all preceding commands.
        let block = blocks.pop()?;
        *output = block.before.or(*output);
        return block.runs;
    } else {
        let reader = blocks.last()?.reader?;
        let block = blocks.get_mut(reader)?;
        let runs = || programs::runs_variable(&command.words, &block.names);
        block.runs = block.runs.or_else(runs);
    }
    None
}

/// Returns the output of a list, including the output before each compound command that is still open.
fn all_output(blocks: &[Block], output: Output) -> Output {
    blocks
        .iter()
        .fold(output, |all, block| all.or(block.before))
}
