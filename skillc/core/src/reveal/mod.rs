//! The revealed view of a skill: every text file without invisible characters, and the text that encodings hide in it.
//!
//! Each file has layers. The first layer is the file with its Unicode folded: invisible characters are removed, and
//! letters that only look Latin become Latin. Each further layer is an encoded part of an earlier layer (base64, hex,
//! percent, ROT13, string concatenation and others) that was decoded and folded again. Each span of a layer maps to a
//! span of the file.
//!
//! The work is bounded by limits on the bytes per file and per skill, on the depth of encodings, and on the decoded
//! bytes. A file that was read only in part is marked, because an attacker would put the payload in the unread part.
//! Nothing is decompressed, and nothing outside the skill is read.

mod aliases;
mod arguments;
mod batch;
mod collapsed;
mod continued;
mod decode;
mod digest;
mod escapes;
mod expansions;
mod fences;
mod fold;
mod git;
mod globs;
mod grouped;
mod hidden;
mod interpreted;
mod lists;
mod literals;
mod markup;
mod names;
mod packed;
mod quoted;
mod recipes;
mod targets;
mod text;
mod values;
mod written;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use crate::hash::Sha;
use crate::path::RelPath;
use crate::skill::Skill;
use crate::source::SourceTree;
use crate::source::lines::{LineIndex, Span, char_floor};
use crate::stop::Stop;
use crate::words::lower;

pub use fold::{Invisible, InvisibleKind};
pub use quoted::unescaped;
pub use written::{WrittenValue, written_values};

use fold::Folded;
use hidden::Hidden;
use names::{Interpreters, Reading};

/// The limit on the bytes read from one file.
pub const MAX_FILE: usize = 2 << 20;

/// The limit on the bytes read from one skill.
pub const MAX_SKILL: usize = 24 << 20;

/// The limit on the bytes of a skill's binary files that are searched for commands.
const MAX_SEARCHED: usize = 64 << 20;

/// The maximum number of binary files in [`Revealed::unread`].
const MAX_UNREAD: usize = 20;

/// The maximum depth of nested encodings that are decoded.
const MAX_DEPTH: usize = 4;

/// The maximum number of layers per file.
const MAX_LAYERS: usize = 200;

/// A layer with this many ROT13 lines, or this many reversed lines, may contain more, because the decoders stop at this
/// limit.
const MANY_ROTATED: usize = 50;

/// The maximum total size of a file's layers in bytes, not counting the first layer.
const MAX_DECODED: usize = 512 << 10;

/// The maximum total size of the layers of all files in a skill, in bytes, not counting the first layer of each file.
const MAX_DECODED_OF_SKILL: usize = 8 << 20;

/// How many bytes may be decoded for each byte of a skill's text, in addition to [`FREE_DECODED`]. The limit is needed
/// because a program of a few lines can repeat a string very often, and every decoded byte is scanned.
const DECODED_PER_BYTE: usize = 4;

/// The number of bytes that may be decoded in any skill, however small.
const FREE_DECODED: usize = 256 << 10;

/// The revealed files of a skill.
#[derive(Debug, Default)]
pub struct Revealed {
    /// Text files, sorted bytewise by path.
    pub files: Vec<RevealedFile>,
    /// Files that the skill runs with an interpreter although their names are those of documents, data or programs in
    /// another language, as programs in the language of the interpreter. They are also in `files`, as what they seem.
    pub programs: Vec<RevealedFile>,
    /// Files of known binary formats, and files that cannot be read, sorted bytewise by path. If such a file contains
    /// commands, these commands are also in `files`.
    pub opaque: Vec<OpaqueFile>,
    /// The paths of hidden symlinks that lead out of the skill, relative to the skill's root. The symlinks are not
    /// followed.
    pub escaping: Vec<String>,
    /// The symlinks that stay in the skill, hidden or not, each with the path where it leads; not in order.
    pub linked: Vec<(RelPath, RelPath)>,
    /// The symlinks with unusual targets, each with the path at which the target is in `files`.
    pub unusual: Vec<(RelPath, RelPath)>,
    /// The paths of hidden folders and files that were not read, and of binary files that were not searched completely,
    /// relative to the root.
    pub unread: Vec<String>,
    /// Whether the skill may have hidden files that are neither read nor listed, because a limit was reached.
    pub has_more: bool,
    digest: OnceLock<Option<Sha>>,
}

/// A text file with its hidden text.
#[derive(Debug)]
pub struct RevealedFile {
    /// The path of the file, relative to the root of the skill.
    pub path: RelPath,
    /// The text of the file, with invalid UTF-8 replaced by U+FFFD, and without NUL bytes unless it is Markdown.
    pub text: Arc<str>,
    /// The index of the file's lines.
    pub lines: LineIndex,
    /// The layers. The first one is the file itself.
    pub layers: Vec<Layer>,
    /// Runs of invisible characters in order, at most 10,000.
    pub invisible: Vec<Invisible>,
    /// The size of the file in bytes, if only a part of it was read.
    pub cut: Option<u64>,
    /// Whether the file contains encoded text that was not decoded because of the limits.
    pub is_undecoded: bool,
    /// Whether the file is neither text nor in a known binary format; `text` then contains only the parts of the file
    /// that can be read.
    pub is_unknown: bool,
    /// The interpreter with which the skill runs the file, such as `bash`, if the name of the file does not show this.
    /// `None` for the files in [`Revealed::programs`], except in that list.
    pub run_by: Option<&'static str>,
}

/// A file that is listed, but not revealed.
#[derive(Debug)]
pub struct OpaqueFile {
    /// The path of the file, relative to the root of the skill.
    pub path: RelPath,
    /// The first bytes of the file, at most 16; empty if the file was not read.
    pub start: Vec<u8>,
    /// The size of the file in bytes.
    pub size: u64,
}

/// Text that a file shows or hides.
#[derive(Debug)]
pub struct Layer {
    /// The text.
    pub text: Arc<str>,
    /// The encodings of the text, outermost first; empty for the file itself.
    pub encodings: Vec<Encoding>,
    /// The span of the encoded text in the file; for the file itself, the whole file.
    pub origin: Span,
    /// Pairs of an offset in the text and the corresponding offset in the file. From each pair to the next folded
    /// character, the text equals the text of the file. Empty if folding changed nothing, and for a decoded layer
    /// without `places`. For a layer with `places`, the second offset of a pair is in the text before folding instead
    /// of in the file.
    shifts: Vec<(usize, usize)>,
    /// Pairs of an offset in the text before folding, and the span of the file that encodes the text from that offset
    /// on. Empty if `origin` encodes all of the text.
    places: Vec<(usize, Span)>,
    /// See [`Layer::lower`].
    lower: OnceLock<Box<str>>,
}

/// A way to hide text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Encoding {
    /// Base64, of UTF-8 or UTF-16.
    Base64,
    /// Base32.
    Base32,
    /// Pairs of hex digits, with `\x`, in groups or in a dump; also octal escapes, and octal and binary codes.
    Hex,
    /// `%41`.
    Percent,
    /// `&#65;`.
    Entity,
    /// `\u0041`.
    Escape,
    /// Entities, escapes, comments and empty elements in the middle of a word, and line ends in a code span.
    Markup,
    /// Letters rotated by 13.
    Rot13,
    /// Lists of character codes.
    CharCodes,
    /// String literals joined by an operator, directly or through variables.
    Concatenation,
    /// Renamed imports.
    Renamed,
    /// Reversed text.
    Reversed,
    /// Letters separated by blanks or another separator.
    Spaced,
    /// `hxxp`, `[.]`.
    Defanged,
    /// Unicode tag characters, which are invisible.
    Tags,
    /// Bits or bytes encoded as invisible characters.
    InvisibleBits,
}

impl Encoding {
    /// Returns the name of the encoding for a message.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Base64 => "base64",
            Self::Base32 => "base32",
            Self::Hex => "hex",
            Self::Percent => "percent encoding",
            Self::Entity => "HTML entities",
            Self::Escape => "Unicode escapes",
            Self::Markup => "markup inside words",
            Self::Rot13 => "ROT13",
            Self::CharCodes => "character codes",
            Self::Concatenation => "string concatenation",
            Self::Renamed => "renamed imports",
            Self::Reversed => "reversed text",
            Self::Spaced => "spaced letters",
            Self::Defanged => "a defanged address",
            Self::Tags => "invisible tag characters",
            Self::InvisibleBits => "invisible characters",
        }
    }
}

/// A decoded part of a layer. An empty `text` signals that further parts were left out because of a limit.
pub(crate) struct Decoded {
    /// The position of the encoded part in the layer, in bytes.
    pub(crate) span: Span,
    pub(crate) text: String,
    pub(crate) encoding: Encoding,
}

impl Layer {
    /// Returns whether the layer is the file itself.
    pub fn is_file(&self) -> bool {
        self.encodings.is_empty()
    }

    /// Returns the text in lower case, with the same length in bytes ([`lower`]). The text is computed on the first
    /// call.
    pub fn lower(&self) -> &str {
        self.lower.get_or_init(|| lower(&self.text).into())
    }

    /// Returns the span in the file that corresponds to a span in the layer. For a decoded layer, this is the span of
    /// the whole encoded part, or of the values that contain the span.
    pub fn place(&self, span: Span) -> Span {
        if self.is_file() {
            return Span::new(self.offset(span.start), self.offset(span.end));
        }
        let value = |at: usize| {
            let at = self.offset(at);
            let after = self.places.partition_point(|(from, _)| *from <= at);
            let value = self.places.get(after.saturating_sub(1));
            value.map_or(self.origin, |(_, value)| *value)
        };
        let (first, last) = (value(span.start), value(span.end.max(span.start + 1) - 1));
        Span::new(first.start, last.end.max(first.end))
    }

    /// Returns the offset in the layer that corresponds to an offset in the file. The layer must be the file itself.
    pub fn offset_of(&self, at: usize) -> usize {
        let before = self.shifts.partition_point(|(_, of)| *of <= at);
        match before.checked_sub(1).map(|before| self.shifts[before]) {
            Some((to, from)) => (to + (at - from)).min(self.text.len()),
            None => at.min(self.text.len()),
        }
    }

    fn offset(&self, at: usize) -> usize {
        let before = self.shifts.partition_point(|(from, _)| *from <= at);
        match before.checked_sub(1).map(|before| self.shifts[before]) {
            Some((from, to)) => to + (at - from),
            None => at,
        }
    }
}

/// Returns the digest of a skill's files as [`Revealed::digest`] does, but without searching for hidden text.
pub fn digest_of(skill: &Skill) -> Option<Sha> {
    digest::digest(skill)
}

/// Folds a text as [`Revealed`] folds the text of files, so that the two can be compared.
pub fn folded(text: &str) -> Cow<'_, str> {
    let folded = fold::fold(text).text;
    folded.map_or(Cow::Borrowed(text), Cow::Owned)
}

impl Revealed {
    /// Reveals a skill. [`Skill::revealed`] calls this function once. Returns `None` if the run is cancelled.
    pub(crate) fn from_skill(skill: &Skill, stop: &Stop) -> Option<Self> {
        let mut revealed = Self::default();
        let mut left = Left::default();
        for entry in names::names(skill) {
            if stop.is_raised() {
                return None;
            }
            let size = entry.stamp.size;
            match skill.document(&entry.path) {
                Some(doc) => {
                    let text = &doc.text[..char_floor(&doc.text, MAX_FILE.min(left.read))];
                    left.read -= text.len();
                    let is_cut = text.len() < doc.text.len();
                    revealed.add(&entry.path, text, size, is_cut, &mut left);
                }
                None => revealed.add_file(&skill.tree, &entry.path, size, &mut left),
            }
        }
        let hidden = Hidden::of(&skill.tree);
        for (path, size) in hidden.files {
            if stop.is_raised() {
                return None;
            }
            revealed.add_file(&skill.tree, &path, size, &mut left);
        }
        // A hidden symlink may have another file read as settings.
        let mut seen = HashSet::new();
        for (link, end) in &hidden.linked {
            let reading = Reading::of(link);
            let is_new = match reading {
                Reading::Plain => false,
                // Names such as `.cursorrules` are often links to Markdown.
                Reading::Bare => !end.has_extension("md") && Reading::of(end) != reading,
                _ => Reading::of(end) != reading,
            };
            if let Some(entry) = skill.tree.get(end)
                && is_new
                && seen.insert((end, reading))
            {
                revealed.add_file(&skill.tree, link, entry.stamp.size, &mut left);
            }
        }
        let unusual = skill.tree.unusual.iter().chain(&hidden.unusual);
        targets::add(&mut revealed, &skill.tree, unusual, &mut left);
        for (link, end) in skill.tree.linked.iter().chain(&hidden.linked) {
            let Some(run) = left.run.get(&names::key(link.file_name())).copied() else {
                continue;
            };
            let known = left.run.entry(names::key(end.file_name())).or_default();
            for (known, by) in known.iter_mut().zip(run) {
                if known.is_empty() {
                    *known = by;
                }
            }
        }
        revealed.find_programs(&mut left);
        revealed.escaping = hidden.escaping;
        revealed.linked = [&skill.tree.linked[..], &hidden.linked[..]].concat();
        revealed.unread.extend(hidden.unread);
        revealed.has_more = hidden.has_more;
        revealed.files.sort_by(|a, b| a.path.cmp(&b.path));
        revealed.opaque.sort_by(|a, b| a.path.cmp(&b.path));
        Some(revealed)
    }

    /// Returns the digest of the skill's files, computed on the first call; `None` if the files cannot be hashed or are
    /// too large.
    ///
    /// `skill`: the skill that was revealed.
    pub fn digest(&self, skill: &Skill) -> Option<Sha> {
        *self.digest.get_or_init(|| digest::digest(skill))
    }

    /// Adds a file that is not parsed as Markdown.
    fn add_file(&mut self, tree: &SourceTree, path: &RelPath, size: u64, left: &mut Left) {
        let most = MAX_FILE.min(left.read);
        let extension = path.extension().unwrap_or_default();
        let first = if text::is_seldom_text(&extension) {
            most.min(text::START)
        } else {
            most
        };
        let read = |most: usize| tree.read_file_start(path, most).ok().flatten();
        let Some(mut bytes) = read(first).filter(|_| most > 0) else {
            self.leave(path, &[], size);
            return;
        };
        let start = &bytes[..bytes.len().min(text::START)];
        let is_binary = text::is_binary(&extension, start);
        if is_binary && !names::is_program(&extension) {
            self.leave(path, start, size);
            if !text::is_executable(start) {
                let bytes = read(left.searched).filter(|_| left.searched > 0);
                let bytes = bytes.unwrap_or_default();
                if (bytes.len() as u64) < size && self.unread.len() < MAX_UNREAD {
                    self.unread.push(path.as_str().to_owned());
                }
                left.searched -= bytes.len().min(left.searched);
                // Scripts often have no extension, but binary files nearly always have one. Files that the skill does
                // not run, such as images, must contain a sign of a command.
                let name = names::key(path.file_name());
                let stem = name.split('.').next().unwrap_or(&name);
                let by = left.run.get(&name).or_else(|| left.run.get(stem)).copied();
                // The list of names may be incomplete.
                let is_incomplete = left.run.len() >= names::MAX_RUN;
                let is_any = extension.is_empty() || by.is_some() || is_incomplete;
                let all = text::commands(&bytes, is_any);
                let commands = &all[..char_floor(&all, most)];
                left.read -= commands.len();
                if !commands.is_empty() {
                    let is_cut = commands.len() < all.len();
                    self.add(path, commands, size, is_cut, left);
                    if let Some(file) = self.files.last_mut() {
                        // Without another interpreter, a shell runs these commands.
                        let known = |by: Interpreters| by.into_iter().find(|by| !by.is_empty());
                        file.run_by = by.map(|by| known(by).unwrap_or("sh"));
                    }
                }
            }
            return;
        }
        if first < most {
            bytes = read(most).unwrap_or(bytes);
        }
        let is_cut = (bytes.len() as u64) < size;
        let (text, is_unknown) = text::text_of(&bytes, is_cut);
        left.read -= text.len().min(left.read);
        self.add(path, &text, size, is_cut, left);
        if let Some(file) = self.files.last_mut() {
            file.is_unknown |= is_unknown || is_binary;
        }
    }

    /// Sets the interpreters with which the skill runs files. Files that are also documents, data or programs in
    /// another language stay what they are, and are programs in addition.
    fn find_programs(&mut self, left: &mut Left) {
        let mut programs = Self::default();
        for file in &mut self.files {
            let run = left.run.get(&names::key(file.path.file_name())).copied();
            for by in run.unwrap_or_default() {
                if file.run_by == Some(by) || !names::is_runnable(&file.path, by) {
                    continue;
                }
                if file.run_by.is_none() && !names::has_format(file) {
                    file.run_by = Some(by);
                    continue;
                }
                let is_python = by.starts_with("python");
                let path = RelPath::parse(if is_python { "run.py" } else { "run.sh" });
                let size = file.text.len() as u64;
                programs.add(&path.unwrap_or_default(), &file.text, size, false, left);
                if let Some(program) = programs.files.last_mut() {
                    program.path = file.path.clone();
                    program.run_by = Some(by);
                    file.is_undecoded |= program.is_undecoded;
                }
            }
        }
        self.programs = programs.files;
    }

    /// Lists a file that is not revealed. `start`: its first bytes.
    fn leave(&mut self, path: &RelPath, start: &[u8], size: u64) {
        self.opaque.push(OpaqueFile {
            path: path.clone(),
            start: start[..start.len().min(16)].to_vec(),
            size,
        });
    }

    /// Reveals `text` as if it were the content of a file with this path.
    pub fn from_text(path: &RelPath, text: &str) -> Self {
        Self::from_texts([(path, text)])
    }

    /// Reveals several strings as if they were the contents of files with these paths, in this order. The limits of a
    /// skill apply to all strings together.
    pub fn from_texts<'a>(texts: impl IntoIterator<Item = (&'a RelPath, &'a str)>) -> Self {
        let mut revealed = Self::default();
        let mut left = Left::default();
        for (path, text) in texts {
            let end = char_floor(text, MAX_FILE.min(left.read));
            left.read -= end;
            let size = text.len() as u64;
            revealed.add(path, &text[..end], size, end < text.len(), &mut left);
        }
        revealed
    }

    /// Returns a file by its path.
    pub fn file(&self, path: &RelPath) -> Option<&RevealedFile> {
        let at = self.files.binary_search_by(|file| file.path.cmp(path));
        at.ok().map(|at| &self.files[at])
    }

    fn add(&mut self, path: &RelPath, text: &str, size: u64, is_cut: bool, left: &mut Left) {
        let text: Arc<str> = text.into();
        let is_unknown = memchr::memchr(0, text.as_bytes()).is_some();
        left.earned += DECODED_PER_BYTE * text.len();
        names::add_run(&text, &mut left.run);
        let mut room = Room {
            bytes: MAX_DECODED.min(left.decoded).min(left.earned),
            is_short: false,
            has_more: false,
        };
        let given = room.bytes;
        let (layers, invisible) = layers(path, &text, &mut room);
        left.decoded -= given - room.bytes;
        left.earned -= given - room.bytes;
        self.files.push(RevealedFile {
            path: path.clone(),
            lines: LineIndex::new(text.as_bytes()),
            text,
            layers,
            invisible,
            cut: is_cut.then_some(size),
            is_undecoded: room.is_short || room.has_more,
            is_unknown,
            run_by: None,
        });
    }
}

/// How many bytes of a skill may still be read, and how many bytes may still be decoded.
struct Left {
    read: usize,
    /// How many bytes of binary files may still be searched for commands.
    searched: usize,
    decoded: usize,
    /// How many bytes may still be decoded in proportion to the text that was read so far.
    earned: usize,
    /// The names of the files that the text read so far runs, in lower case; see [`names::add_run`]. Documents and
    /// programs are read before other files.
    run: HashMap<String, Interpreters>,
}

impl Default for Left {
    fn default() -> Self {
        Self {
            read: MAX_SKILL,
            searched: MAX_SEARCHED,
            decoded: MAX_DECODED_OF_SKILL,
            earned: FREE_DECODED,
            run: HashMap::new(),
        }
    }
}

/// How many bytes of a file may still be decoded.
struct Room {
    bytes: usize,
    /// Whether a part was left out because of this limit.
    is_short: bool,
    /// Whether a part was, or may have been, left out because of another limit.
    has_more: bool,
}

/// Returns the layers of a file's text, and the runs of invisible characters in that text.
fn layers(path: &RelPath, text: &Arc<str>, room: &mut Room) -> (Vec<Layer>, Vec<Invisible>) {
    let Folded {
        text: folded,
        shifts,
        invisible,
        hidden,
    } = fold::fold(text);
    let mut layers = vec![Layer {
        text: folded.map_or_else(|| Arc::clone(text), Arc::from),
        encodings: Vec::new(),
        origin: Span::new(0, text.len()),
        shifts,
        places: Vec::new(),
        lower: OnceLock::new(),
    }];
    for part in hidden {
        push(&mut layers, room, 0, part, true);
    }
    if memchr::memchr(0, text.as_bytes()).is_some() {
        // A shell ignores NUL bytes, and in UTF-16, every ASCII character includes a NUL byte.
        let part = Decoded {
            span: Span::new(0, text.len()),
            text: text.replace('\0', ""),
            encoding: Encoding::InvisibleBits,
        };
        push(&mut layers, room, 0, part, true);
    }
    for part in interpreted::parts(path, text) {
        room.has_more |= part.decoded.text.is_empty();
        let shifts = if part.places.is_empty() {
            Vec::new()
        } else {
            fold::fold(&part.decoded.text).shifts
        };
        let before = layers.len();
        push(&mut layers, room, 0, part.decoded, true);
        if let Some(layer) = layers.get_mut(before) {
            layer.shifts = shifts;
            layer.places = part.places;
        }
    }
    let is_markdown = path.has_extension("md");
    let mut at = 0;
    // Breadth first: each layer is decoded after all layers before it.
    while at < layers.len() && layers.len() < MAX_LAYERS && !room.is_short {
        let found = decode::decode(&layers[at], is_markdown);
        room.has_more |= is_partial(&found);
        if layers[at].encodings.len() < MAX_DEPTH {
            for part in found {
                push(&mut layers, room, at, part, false);
            }
        } else {
            room.has_more |= found.iter().any(is_hidden);
        }
        at += 1;
    }
    room.has_more |= at < layers.len();
    (layers, invisible)
}

/// Returns whether parts may be missing because a decoder reached its limit.
fn is_partial(found: &[Decoded]) -> bool {
    let is_full = |encoding: Encoding| {
        let lines = found.iter().filter(|part| part.encoding == encoding);
        lines.count() >= MANY_ROTATED
    };
    found.iter().any(|part| part.text.is_empty())
        || is_full(Encoding::Rot13)
        || is_full(Encoding::Reversed)
}

/// Returns whether a decoded part is text that was hidden, and not the computed value of an expression.
fn is_hidden(part: &Decoded) -> bool {
    let is_computed = matches!(part.encoding, Encoding::Concatenation | Encoding::Renamed);
    !is_computed && is_text(&part.text)
}

/// Returns whether decoded text is long enough to be a layer.
fn is_text(text: &str) -> bool {
    text.trim().len() >= 6
}

/// Adds a layer for a decoded part of the layer with the index `of`. `is_of_file`: whether the part's span refers to
/// the file instead of that layer.
fn push(layers: &mut Vec<Layer>, room: &mut Room, of: usize, part: Decoded, is_of_file: bool) {
    if !is_text(&part.text) {
        return;
    }
    if layers.len() >= MAX_LAYERS {
        room.has_more = true;
        return;
    }
    if part.text.len() > room.bytes {
        room.is_short = true;
        return;
    }
    room.bytes -= part.text.len();
    let outer = &layers[of];
    let mut encodings = outer.encodings.clone();
    encodings.push(part.encoding);
    let origin = if is_of_file {
        part.span
    } else {
        outer.place(part.span)
    };
    let folded = fold::fold(&part.text).text;
    layers.push(Layer {
        text: folded.unwrap_or(part.text).into(),
        encodings,
        origin,
        shifts: Vec::new(),
        places: Vec::new(),
        lower: OnceLock::new(),
    });
}

#[cfg(test)]
mod tests;
