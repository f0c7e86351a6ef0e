//! Finds the words, code spans and wiki links of a document that refer to a file, a directory or a glob of the skill.
//!
//! Prose is not interpreted: a word is a mention if it is exactly a path. A path to a missing file is a mention only if
//! it clearly refers to the skill: it begins at the skill's root or in a conventional folder, or it differs from the
//! path of an existing file only in case. Only words with a dot or a slash are examined, so most text is skipped at the
//! speed of a byte search.
//!
//! Design: R2, R10, R19.

use std::collections::HashMap;

use memchr::{memchr2, memmem};

use crate::graph::destination::root_relative;
use crate::graph::resolver::{Dirs, Resolver};
use crate::graph::{Anchor, Reference, ReferenceKind, Target};
use crate::source::document::Document;
use crate::source::lines::Span;

/// Longer words are not treated as paths.
const MAX_WORD_BYTES: usize = 1024;

/// The maximum number of seams per word: positions next to non-ASCII characters, where a path may begin or end.
const MAX_SEAMS: usize = 24;

/// At most this many identical mentions are kept per document: a list of mentions uses far more memory than the text.
const MAX_SAME: usize = 100;

const SKILL_FOLDERS: [&str; 4] = ["references/", "reference/", "scripts/", "assets/"];

/// Adds the mentions in a document to `found`. `globs`: the number of strings that may be tried as globs.
pub(crate) fn read(
    document: &Document,
    resolver: &Resolver<'_>,
    globs: usize,
    found: &mut Vec<Reference>,
) {
    let mut reader = MentionReader {
        document,
        resolver,
        globs,
        missing: resolver.max_missing(document),
        same: HashMap::new(),
        found,
    };
    reader.read_words();
    reader.read_code_spans();
    reader.read_wiki_links();
    reader.read_html_targets();
}

struct MentionReader<'a> {
    document: &'a Document,
    resolver: &'a Resolver<'a>,
    globs: usize,
    /// How many more missing files may be looked up or reported.
    missing: usize,
    /// The number of mentions so far, by their text.
    same: HashMap<&'a str, usize>,
    found: &'a mut Vec<Reference>,
}

impl MentionReader<'_> {
    fn read_words(&mut self) {
        let text = &self.document.text;
        let mut at = self.document.body_start;
        while let Some(next) = memchr2(b'.', b'/', &text.as_bytes()[at..]) {
            let hit = at + next;
            // Fast path: most dots end a sentence. No dot or slash precedes this dot in its word, so the word is not a
            // path.
            let behind = text.as_bytes().get(hit + 1);
            if text.as_bytes()[hit] == b'.' && behind.is_none_or(u8::is_ascii_whitespace) {
                at = hit + 1;
                continue;
            }
            let start = word_start(text, at, hit);
            let end = word_end(text, hit);
            if end - start <= MAX_WORD_BYTES {
                self.read_word(start, end);
            }
            at = end;
        }
    }

    /// Examines one word: first without surrounding punctuation, then without markup, then by its parts.
    fn read_word(&mut self, start: usize, end: usize) {
        let word = &self.document.text[start..end];
        let has_either = memchr2(b':', b']', word.as_bytes()).is_some();
        if has_either && word.contains("://") {
            return;
        }
        // Skip Markdown links, including those quoted in code: the parser provides their destinations, except in HTML
        // blocks.
        let word = match has_either.then(|| word.rsplit_once("](")).flatten() {
            None => word,
            Some((_, dest)) if self.is_in_html(start) => dest,
            Some(_) => return,
        };
        let start = end - word.len();
        let trimmed = trimmed(word);
        if !trimmed.bytes().any(is_telling) {
            return;
        }
        let start = start + offset_in(trimmed, word);
        if self.read_path(trimmed, start) || self.read_glob(trimmed, start) {
            return;
        }
        let bare = trimmed.trim_matches(is_markup);
        if bare.len() < trimmed.len() && self.read_path(bare, start + offset_in(bare, trimmed)) {
            return;
        }
        if trimmed.contains(',') {
            for part in trimmed.split(',') {
                self.read_path(part, start + offset_in(part, trimmed));
            }
        } else if !trimmed.is_ascii() {
            self.read_inside(trimmed, start);
            for part in trimmed.split(|c: char| !c.is_ascii()) {
                self.read_missing(part, start + offset_in(part, trimmed));
            }
        } else {
            self.read_missing(trimmed, start);
        }
    }

    /// Reports a mention of a file that does not exist in the skill.
    fn read_missing(&mut self, text: &str, start: usize) {
        let written = text.strip_prefix("./").unwrap_or(text);
        let rooted = root_relative(written);
        let path = rooted.unwrap_or(written);
        // Matches `skills/pdf/a.md`, but not just any folder that has the skill's name.
        let inside = path
            .split_once("skills/")
            .and_then(|(_, path)| path.strip_prefix(self.resolver.name())?.strip_prefix('/'));
        let path = inside.unwrap_or(path);
        let is_of_skill = rooted.is_some()
            || inside.is_some()
            || SKILL_FOLDERS.iter().any(|folder| path.starts_with(folder));
        // A bare name may be the name of a product (`Node.js`), or refer to any file of that name (`skills.md`).
        let is_name = || {
            path.to_ascii_lowercase().ends_with(".md")
                && (path.contains(char::is_uppercase) || self.document.is_in_code(start))
        };
        let is_telling = is_of_skill || path.contains('/') || is_name();
        if self.missing == 0 || !is_telling || !is_file_name(path) {
            return;
        }
        let missing = if is_of_skill {
            self.resolver.missing(path, self.document)
        } else {
            self.resolver.in_other_case(path, self.document)
        };
        // Disk look-ups count against the limit even if they find a file.
        if is_of_skill || missing.is_some() {
            self.missing -= 1;
        }
        if let Some(missing) = missing {
            self.add(
                ReferenceKind::Mention,
                text,
                start,
                Target::Missing(missing),
            );
        }
    }

    /// Reports a string that is a path, with or without a fragment or line number. Returns whether it was a path.
    fn read_path(&mut self, text: &str, start: usize) -> bool {
        let path = text.split('#').next().unwrap_or_default();
        let path = without_line(path);
        let path = root_relative(path).unwrap_or(path);
        // Fast path: most words are not paths, so check the last component before the rest.
        if !self.resolver.has_name_of(path) {
            return false;
        }
        // A word refers to a directory only if it contains a slash: `references/`.
        let dirs = if text.contains('/') {
            Dirs::Count
        } else {
            Dirs::Ignored
        };
        let word = |path: &str| self.resolver.word(path, self.document, dirs);
        let below = || word(below_own_folder(path, self.resolver.name())?);
        let Some(target) = word(path).or_else(below) else {
            return false;
        };
        self.add(ReferenceKind::Mention, text, start, target);
        true
    }

    fn read_glob(&mut self, text: &str, start: usize) -> bool {
        let begins = |byte| matches!(byte, b'*' | b'{' | b'$' | b'<');
        let is_glob = text.bytes().any(begins) && text.bytes().any(is_telling);
        if !is_glob || self.globs == 0 {
            return false;
        }
        self.globs -= 1;
        let path = root_relative(text).unwrap_or(text);
        let Some(target) = self.resolver.glob(path, self.document) else {
            return false;
        };
        self.add(ReferenceKind::Mention, text, start, target);
        true
    }

    /// Looks for paths inside a word of a writing system without spaces, longest path first: `请看references/指南.md吧`.
    fn read_inside(&mut self, word: &str, start: usize) {
        let is_seam = |at: usize| {
            let (before, behind) = (word[..at].chars().next_back(), word[at..].chars().next());
            before.is_none_or(|c| !c.is_ascii()) || behind.is_none_or(|c| !c.is_ascii())
        };
        let seams: Vec<usize> = (0..=word.len())
            .filter(|at| word.is_char_boundary(*at) && is_seam(*at))
            .take(MAX_SEAMS)
            .collect();
        let is_end =
            |at: usize| word[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '/');
        let ends: Vec<usize> = seams.iter().copied().filter(|at| is_end(*at)).collect();
        let mut done = 0;
        for from in seams {
            let later = ends.iter().rev().take_while(|end| **end > from.max(done));
            let found = later
                .filter(|_| from >= done)
                .find(|end| self.read_path(&word[from..**end], start + from));
            done = found.copied().unwrap_or(done);
        }
    }

    /// Reads code spans: paths in them may contain spaces, and a directory needs no trailing slash.
    fn read_code_spans(&mut self) {
        for span in &self.document.code_spans {
            let code = &self.document.text[span.start..span.end];
            let inner = code.trim_matches('`').trim();
            let has_own_word = inner.contains(is_delimiter) || !inner.bytes().any(is_telling);
            if inner.is_empty() || inner.len() > MAX_WORD_BYTES || !has_own_word {
                continue;
            }
            if let Some(target) = self.resolver.word(inner, self.document, Dirs::Count) {
                let start = span.start + offset_in(inner, code);
                self.add(ReferenceKind::Mention, inner, start, target);
            }
        }
    }

    fn read_wiki_links(&mut self) {
        let text = &self.document.text;
        let opening = memmem::Finder::new("[[");
        let mut at = self.document.body_start;
        while let Some(open) = opening.find(&text.as_bytes()[at..]) {
            let start = at + open + 2;
            at = start;
            let Some(inner) = before_close(&text[start..]) else {
                continue;
            };
            at = start + inner.len();
            let name = inner.split(['|', '#']).next().unwrap_or_default().trim();
            if name.is_empty() {
                continue;
            }
            if let Some(target) = self.resolver.wiki(name, self.document) {
                self.add(ReferenceKind::Wiki, name, start, target);
            }
        }
    }

    fn read_html_targets(&mut self) {
        for span in &self.document.html_targets {
            let written = &self.document.text[span.start..span.end];
            let value = written.replace("&amp;", "&");
            let target = self.resolver.link(&value, self.document, &mut self.globs);
            if !matches!(
                target,
                Target::Elsewhere | Target::Missing(_) | Target::Outside
            ) {
                self.add(ReferenceKind::Mention, written, span.start, target);
            }
        }
    }

    fn is_in_html(&self, at: usize) -> bool {
        let blocks = &self.document.html_blocks;
        let before = blocks.partition_point(|block| block.start <= at);
        before > 0 && at < blocks[before - 1].end
    }

    fn add(&mut self, kind: ReferenceKind, written: &str, start: usize, target: Target) {
        let document: &Document = self.document;
        let span = Span::new(start, start + written.len());
        let count = self.same.entry(&document.text[span.start..span.end]);
        let count = count.or_default();
        *count += 1;
        if *count > MAX_SAME {
            return;
        }
        self.found.push(Reference {
            kind,
            written: written.into(),
            span,
            target,
            anchor: Anchor::Unchecked,
        });
    }
}

/// Returns the text before `]]` on the same line, within the length limit.
fn before_close(text: &str) -> Option<&str> {
    let near = text.as_bytes().iter().take(MAX_WORD_BYTES);
    let end = near
        .take_while(|byte| !matches!(byte, b'\n' | b'\r' | b'['))
        .count();
    let close = text.as_bytes()[..end]
        .windows(2)
        .position(|pair| pair == b"]]")?;
    text.get(..close)
}

/// Returns whether a byte occurs in paths but not in most words.
const fn is_telling(byte: u8) -> bool {
    matches!(byte, b'.' | b'/')
}

/// Returns whether a character may be markup around a word, or the beginning or end of a name.
const fn is_markup(c: char) -> bool {
    matches!(c, '_' | '~' | '}')
}

/// Returns whether a character is punctuation or markup before a word.
const fn is_opening(c: char) -> bool {
    matches!(c, '(' | '[' | '*' | '@' | '!' | ':' | ',' | '~')
}

/// Returns whether a character is punctuation or markup after a word.
const fn is_closing(c: char) -> bool {
    matches!(c, ')' | ']' | '*' | '.' | ':' | ',' | '!' | '?')
}

/// Returns whether a byte is an ASCII word delimiter.
const fn is_ascii_delimiter(byte: u8) -> bool {
    byte.is_ascii_whitespace()
        || matches!(
            byte,
            b'"' | b'\'' | b'`' | b'|' | b';' | b'=' | b'<' | b'>' | b'&' | b'\\'
        )
}

fn is_delimiter(c: char) -> bool {
    match c {
        c if c.is_ascii() => is_ascii_delimiter(c as u8),
        // Quotation marks and dashes, arrows, box drawing, bullets, CJK punctuation and full-width forms.
        '\u{2010}'..='\u{203a}'
        | '\u{2190}'..='\u{21ff}'
        | '\u{2500}'..='\u{25ff}'
        | '\u{3000}'..='\u{3004}'
        | '\u{3008}'..='\u{3020}'
        | '\u{ff01}'..='\u{ff0f}'
        | '\u{ff1a}'..='\u{ff20}'
        | '\u{ff3b}'..='\u{ff40}'
        | '\u{ff5b}'..='\u{ff65}' => true,
        c => c.is_whitespace(),
    }
}

/// Returns the start of the word that contains the character at `at`, but no earlier than `from`.
fn word_start(text: &str, from: usize, at: usize) -> usize {
    let before = &text.as_bytes()[from..at];
    let delimiter = before.iter().rposition(|byte| is_ascii_delimiter(*byte));
    let start = from + delimiter.map_or(0, |delimiter| delimiter + 1);
    let word = &text[start..at];
    if word.is_ascii() {
        return start;
    }
    let delimiter = word.char_indices().rfind(|(_, c)| is_delimiter(*c));
    start + delimiter.map_or(0, |(at, c)| at + c.len_utf8())
}

/// Returns the end of the word that contains the character at `at`. Does not read beyond the word.
fn word_end(text: &str, at: usize) -> usize {
    let mut end = at;
    while let Some(byte) = text.as_bytes().get(end) {
        let is_end = if byte.is_ascii() {
            is_ascii_delimiter(*byte)
        } else {
            text[end..].starts_with(is_delimiter)
        };
        if is_end {
            break;
        }
        end = after(text, end);
    }
    end
}

fn after(text: &str, at: usize) -> usize {
    at + text[at..].chars().next().map_or(0, char::len_utf8)
}

/// Strips punctuation and markup around a word.
fn trimmed(word: &str) -> &str {
    let word = word.trim_start_matches(is_opening);
    let word = word
        .strip_prefix('{')
        .filter(|rest| !rest.contains('}'))
        .unwrap_or(word);
    let end = word.trim_end_matches(is_closing);
    // A trailing star belongs to a glob that ends in `/*`.
    if word[end.len()..].starts_with('*') && end.ends_with('/') {
        &word[..end.len() + word[end.len()..].bytes().take_while(|b| *b == b'*').count()]
    } else {
        end
    }
}

/// Returns whether a string can only be the path of a file: `scripts/run.py`.
fn is_file_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_extension = |text: &str| {
        (1..=5).contains(&text.len())
            && text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    let is_in_names = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/".contains(&byte);
    name.rsplit_once('.')
        .is_some_and(|(stem, extension)| !stem.is_empty() && is_extension(extension))
        && path.bytes().all(is_in_names)
        && !path.contains("..")
}

/// Strips a line number: `a.md:12`.
fn without_line(path: &str) -> &str {
    if !path.ends_with(|c: char| c.is_ascii_digit()) {
        return path;
    }
    match path.rsplit_once(':') {
        Some((before, line)) if line.bytes().all(|b| b.is_ascii_digit()) => before,
        _ => path,
    }
}

/// Returns the part of an external path that is below the skill's own folder: `~/.claude/skills/pdf/a.md` yields
/// `a.md`.
fn below_own_folder<'a>(path: &'a str, name: &str) -> Option<&'a str> {
    let mut parts = path.match_indices('/').map(|(at, _)| at);
    let ends = parts.rfind(|at| {
        let before = path[..*at].strip_suffix(name);
        before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
    })?;
    Some(&path[ends + 1..])
}

/// Returns the offset of a substring in the string that contains it.
fn offset_in(part: &str, whole: &str) -> usize {
    part.as_ptr() as usize - whole.as_ptr() as usize
}
