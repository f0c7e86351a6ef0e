//! Reads tar files, compressed with gzip or not.
//!
//! Programs disagree on contradictory headers, on sparse files, and on data after the end. Such archives are read as
//! most programs read them, and are reported.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::mem;
use std::ops::Range;

use flate2::bufread::GzDecoder;
use skillc_core::source::FlawKind::{Odd, Unread};
use skillc_core::{RelPath, Stop};
use tar::Header;

use super::entries::{DAMAGED, Entries};
use super::names::shown;
use super::own_name::{is_placeholder_target, is_usual_name, is_usual_target};

/// The size of a header. The data of an entry is padded to a multiple of this size.
const BLOCK: u64 = 512;

/// The maximum size of an extension header.
const MAX_EXTENSION_BYTES: u64 = 1 << 20;

/// The positions of fields in a header: the name, the size of the entry, the checksum, the target of a link, and the
/// prefix of the name.
const NAME: Range<usize> = 0..100;
const SIZE: Range<usize> = 124..136;
const CHECKSUM: Range<usize> = 148..156;
const TARGET: Range<usize> = 157..257;
const PREFIX: Range<usize> = 345..500;

/// The position of a short prefix and its NUL. node-tar writes two timestamps after it.
const SHORT_PREFIX: Range<usize> = 345..476;

/// The position of a byte in the old header format of sparse files. The byte indicates whether another header, with
/// more parts of the file, follows.
const MORE_PARTS: usize = 482;

/// The magic and the version of headers with a prefix.
const USTAR: &[u8] = b"ustar\x0000";

/// The magic and the version of headers written by GNU tar.
const GNU: &[u8] = b"ustar  \0";

/// The beginnings of the keys of extended attributes and access control lists, whose values may have several lines.
const ATTRIBUTES: [&[u8]; 3] = [b"SCHILY.xattr.", b"SCHILY.acl.", b"LIBARCHIVE.xattr."];

/// Returns whether a file begins with a header. `start`: at least the first block.
pub(super) fn is_tar(start: &[u8]) -> bool {
    let Some(block) = start.first_chunk::<512>() else {
        return false;
    };
    let header = Header::from_byte_slice(block);
    // Old programs computed the checksum from signed bytes.
    let signed = sum(header, |byte| i64::from(byte.cast_signed()));
    let stated = header.cksum();
    is_valid(header) || stated.is_ok_and(|stated| i64::from(stated) == signed)
}

/// Returns the sum of a header's bytes. The checksum counts as eight spaces.
fn sum(header: &Header, value: impl Fn(u8) -> i64) -> i64 {
    let bytes = header.as_bytes();
    let rest = [&bytes[..CHECKSUM.start], &bytes[CHECKSUM.end..]];
    let rest = rest.into_iter().flatten().map(|byte| value(*byte));
    rest.sum::<i64>() + 8 * i64::from(b' ')
}

/// Returns whether the checksum of a header is correct.
fn is_valid(header: &Header) -> bool {
    let is_octal = is_octal(&header.as_bytes()[CHECKSUM]);
    let sum = sum(header, i64::from);
    is_octal && header.cksum().is_ok_and(|stated| i64::from(stated) == sum)
}

/// Returns whether a number is written in the usual form: octal digits, which may follow spaces and precede spaces and
/// NULs. Programs disagree on all other forms. For example, Python accepts `0o7` and `1_0`, and old programs read base
/// 64 after a plus sign.
fn is_octal(number: &[u8]) -> bool {
    let mut digits = number.iter().skip_while(|c| **c == b' ');
    let mut rest = digits.clone().skip_while(|c| matches!(c, b'0'..=b'7'));
    digits.next().is_some_and(|c| matches!(c, b'0'..=b'7')) && rest.all(|c| matches!(c, 0 | b' '))
}

fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == 0)
}

/// Reads a tar file that is compressed with gzip.
///
/// # Errors
/// The reason why nothing can be read.
pub(super) fn read_gzip(
    data: &[u8],
    entries: &mut Entries<'_>,
    stop: &Stop,
) -> Result<(), &'static str> {
    let mut decoder = GzDecoder::new(data);
    read(&mut decoder, entries, stop)?;
    // Some programs would also read a second gzip file after the first.
    if decoder.get_ref().iter().any(|byte| *byte != 0) {
        entries.fault_of_all(Unread, "the archive has data after its end");
    }
    Ok(())
}

/// The data of extension headers about the next entry.
#[derive(Default)]
struct Extension {
    name: Option<Vec<u8>>,
    target: Option<Vec<u8>>,
    size: Option<u64>,
    is_sparse: bool,
    /// The types of the extension headers.
    kinds: Vec<u8>,
}

/// Returns the error for a file that is cut off or damaged.
fn broken() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

/// Reads a tar file, and records its flaws in `entries`.
///
/// # Errors
/// The reason why nothing can be read.
pub(super) fn read(
    from: &mut dyn Read,
    entries: &mut Entries<'_>,
    stop: &Stop,
) -> Result<(), &'static str> {
    let mut reader = Reader {
        from: from.take(entries.unpackable()),
        next: Extension::default(),
        blocks: 0,
        has_ended: false,
    };
    let done = reader.read_all(entries, stop);
    let (left, blocks) = (reader.from.limit(), reader.blocks);
    entries.set_unpackable(left);
    let why = match done {
        Err(why) if why.kind() == io::ErrorKind::QuotaExceeded => return Ok(()),
        Ok(()) if left > 0 || stop.is_raised() => return Ok(()),
        _ if blocks == 0 => return Err("it is not a tar file"),
        _ if left == 0 => "it contains too much data",
        _ => "it is cut off or damaged",
    };
    let message = format!("the archive was not scanned completely: {why}");
    entries.fault_of_all(Unread, message);
    Ok(())
}

struct Reader<'a> {
    from: io::Take<&'a mut dyn Read>,
    /// The data of the extension headers that have been read for the next entry.
    next: Extension,
    /// The number of headers and blocks of zeros that were read.
    blocks: usize,
    /// Whether a block of zeros was read, which marks the end.
    has_ended: bool,
}

impl Reader<'_> {
    /// Reads all entries.
    ///
    /// # Errors
    /// If the file is cut off or damaged, or contains too much data; `QuotaExceeded` if there are too many entries.
    fn read_all(&mut self, entries: &mut Entries<'_>, stop: &Stop) -> io::Result<()> {
        let mut block = Vec::new();
        while !stop.is_raised() {
            block.clear();
            self.from.by_ref().take(BLOCK).read_to_end(&mut block)?;
            if block.is_empty() && self.has_ended && self.next.kinds.is_empty() {
                return Ok(());
            }
            // A download that was interrupted may end between two entries.
            if (block.len() as u64) < BLOCK {
                return Err(broken());
            }
            if is_zero(&block) {
                self.has_ended = true;
                self.blocks += 1;
                continue;
            }
            if self.has_ended {
                entries.fault_of_all(Odd, "the archive has entries after its end");
            }
            let header = Header::from_byte_slice(&block);
            if !is_valid(header) {
                return Err(broken());
            }
            self.blocks += 1;
            self.entry(header, entries)?;
        }
        Ok(())
    }

    /// Skips the rest of an entry's content, and the padding of its last block. `size`: the size of the content;
    /// `left`: the number of bytes not read yet.
    fn skip(&mut self, left: u64, size: u64) -> io::Result<()> {
        let rest = left.saturating_add((BLOCK - size % BLOCK) % BLOCK);
        let skipped = io::copy(&mut self.from.by_ref().take(rest), &mut io::sink())?;
        if skipped < rest {
            return Err(broken());
        }
        Ok(())
    }

    /// Reads an entry or an extension header.
    fn entry(&mut self, header: &Header, entries: &mut Entries<'_>) -> io::Result<()> {
        let kind = header.as_bytes()[156];
        let stated = stated_size(header)?;
        if matches!(kind, b'L' | b'K' | b'x' | b'X' | b'g') {
            if has_odd_target(header, kind) {
                entries.fault_of_all(Odd, "the archive has an extension header with a target");
            }
            return self.extension(kind, stated, entries);
        }
        let next = mem::take(&mut self.next);
        let is_odd = is_contradictory(header, stated, &next) || has_other_names(header, &next);
        let own = next.name.is_some().then(|| header.path_bytes());
        let has_own_name = next.name.is_none();
        let other = has_own_name.then(|| name_with_prefix(header, kind));
        let other = other.flatten();
        let raw = next
            .name
            .unwrap_or_else(|| header.path_bytes().into_owned());
        let name = entries.begin(&raw)?;
        let mut paths: Vec<RelPath> = name.path.into_iter().collect();
        if let Some(other) = &other {
            paths.extend(entries.begin(other)?.path);
            paths.dedup();
        }
        if let (Some(own), Some(path)) = (&own, paths.first()) {
            entries.also_called(path, own);
        }
        // Programs that mistake the header of a sparse file for a header of another format add a prefix to the name.
        // The records of a sparse file can contain a second name.
        let is_misread = kind == b'S' && !header.as_bytes()[257..].starts_with(GNU);
        if is_misread || next.is_sparse {
            let message = format!(
                "'{}' was not scanned: it is a sparse file, which programs may unpack under another name",
                shown(&raw)
            );
            entries.fault_of_all(Unread, message);
        }
        let size = next.size.unwrap_or(stated);
        if other.is_some() || is_odd {
            let message = format!(
                "the archive has contradictory headers for '{}': programs may unpack it differently",
                shown(&raw)
            );
            entries.fault_of_all(Odd, message);
        }
        let own_target = header.link_name_bytes().unwrap_or_default();
        let target = next.target.as_deref().unwrap_or(&own_target);
        for path in &paths {
            match kind {
                b'1' => {
                    entries.hard_link(path, target);
                    if *own_target != *target {
                        entries.also_leads_to(path, &own_target);
                    }
                }
                b'2' => entries.link(path, &String::from_utf8_lossy(target)),
                b'3' | b'4' => entries.special(path, "a device"),
                b'6' => entries.special(path, "a pipe"),
                _ => {}
            }
        }
        if !has_data(kind) {
            return Ok(());
        }
        if kind == b'S' || next.is_sparse {
            entries.add_all(&paths, Err("it is a sparse file"));
            // In the old format, another header follows, so the position of the next entry is not known.
            if kind == b'S' && header.as_bytes()[MORE_PARTS] != 0 {
                return Err(broken());
            }
            return self.skip(size, size);
        }
        if name.is_dir {
            if size > 0 {
                let message = format!("'{}' is a folder with data", shown(&raw));
                entries.fault_of_all(Unread, message);
            }
            return self.skip(size, size);
        }
        if !matches!(kind, 0 | b'0') {
            let message = format!("'{}' is an entry of an unknown type", shown(&raw));
            entries.fault_of_all(Odd, message);
        }
        self.content(&paths, size, entries)
    }

    /// Reads the content of a file. `paths`: the paths of the file; if there are none, the content is skipped.
    fn content(
        &mut self,
        paths: &[RelPath],
        size: u64,
        entries: &mut Entries<'_>,
    ) -> io::Result<()> {
        if paths.is_empty() {
            return self.skip(size, size);
        }
        let mut content = self.from.by_ref().take(size);
        let read = entries.unpack(&mut content, size);
        let left = content.limit();
        let is_whole = read.is_err() || left == 0;
        entries.add_all(paths, if is_whole { read } else { Err(DAMAGED) });
        self.skip(left, size)
    }

    /// Reads an extension header.
    fn extension(&mut self, kind: u8, size: u64, entries: &mut Entries<'_>) -> io::Result<()> {
        if size > MAX_EXTENSION_BYTES {
            entries.fault_of_all(
                Unread,
                "the archive has a header that is too large: the name of an entry is not known",
            );
            return self.skip(size, size);
        }
        let mut bytes = Vec::new();
        self.from.by_ref().take(size).read_to_end(&mut bytes)?;
        let mut padding = Vec::new();
        let rest = size.next_multiple_of(BLOCK) - bytes.len() as u64;
        self.from.by_ref().take(rest).read_to_end(&mut padding)?;
        if (padding.len() as u64) < rest || (bytes.len() as u64) < size {
            return Err(broken());
        }
        let mut fault = |what: &str| entries.fault_of_all(Odd, what);
        let mut found = Extension::default();
        let is_usual = match kind {
            b'L' | b'K' => {
                let end = bytes.iter().position(|byte| *byte == 0);
                let rest = bytes.split_off(end.unwrap_or(bytes.len()));
                let field = match kind {
                    b'L' => &mut found.name,
                    _ => &mut found.target,
                };
                *field = Some(bytes);
                is_zero(&rest)
            }
            _ => found.read_records(&bytes).is_some() && kind != b'X',
        };
        // Python also reads records in the padding.
        if !is_usual || !is_zero(&padding) {
            fault(
                "the archive has a header that is damaged, or that programs may read differently",
            );
        }
        // If there are several extension headers, programs disagree on which one applies. Only GNU tar writes two: a
        // long name and a long target.
        let known = &self.next.kinds[..];
        if !matches!((known, kind), ([], _) | (b"L", b'K') | (b"K", b'L')) {
            fault("the archive has several headers for an entry");
        }
        if kind != b'g' {
            self.next.add(kind, found);
        } else if found.says_anything() {
            fault("the archive has a global header that sets a name or size for all entries");
        }
        Ok(())
    }
}

impl Extension {
    /// Reads records of the form `13 path=a.md`, each terminated by a newline. The number is the length of the whole
    /// record. Returns `None` if a record is not valid or not [usual](is_usual), or if a key is repeated.
    fn read_records(&mut self, mut records: &[u8]) -> Option<()> {
        let (mut keys, mut are_usual) = (BTreeSet::new(), true);
        while !records.is_empty() {
            let (key, value, rest) = record(records)?;
            are_usual &= keys.insert(key) && is_usual(key, value);
            match key {
                b"path" | b"GNU.sparse.name" => self.name = Some(value.to_vec()),
                b"linkpath" => self.target = Some(value.to_vec()),
                b"size" => {
                    self.size = decimal(value);
                    self.size?;
                }
                _ => {}
            }
            self.is_sparse |= key.starts_with(b"GNU.sparse.");
            records = rest;
        }
        are_usual.then_some(())
    }

    fn says_anything(&self) -> bool {
        self.is_sparse || self.name.is_some() || self.target.is_some() || self.size.is_some()
    }

    /// Adds the data of another extension header.
    fn add(&mut self, kind: u8, other: Self) {
        self.name = other.name.or(self.name.take());
        self.target = other.target.or(self.target.take());
        self.size = other.size.or(self.size);
        self.is_sparse |= other.is_sparse;
        self.kinds.push(kind);
    }
}

/// Reads a decimal number without a sign and without leading zeros.
fn decimal(digits: &[u8]) -> Option<u64> {
    let is_plain =
        digits.iter().all(u8::is_ascii_digit) && (digits == b"0" || !digits.starts_with(b"0"));
    let digits = is_plain.then_some(digits)?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Returns whether a record has a form that common programs write. Programs disagree on other forms: for example, GNU
/// tar ignores blanks before a key, Python stops at an empty key, and node-tar reads each line of a value as a record.
fn is_usual(key: &[u8], value: &[u8]) -> bool {
    let is_number = |c: &u8| c.is_ascii_digit() || matches!(c, b'-' | b'.');
    let is_line = !value.contains(&0) && !value.contains(&b'\n');
    match key {
        b"path" | b"linkpath" | b"size" => is_line && !value.is_empty(),
        b"atime"
        | b"ctime"
        | b"mtime"
        | b"uid"
        | b"gid"
        | b"LIBARCHIVE.creationtime"
        | b"SCHILY.dev"
        | b"SCHILY.ino"
        | b"SCHILY.nlink"
        | b"SCHILY.devmajor"
        | b"SCHILY.devminor" => !value.is_empty() && value.iter().all(is_number),
        b"comment"
        | b"uname"
        | b"gname"
        | b"SCHILY.fflags"
        | b"LIBARCHIVE.symlinktype"
        | b"RHT.security.selinux"
        | b"MSWINDOWS.fileattr"
        | b"MSWINDOWS.rawsd" => is_line,
        b"hdrcharset" => matches!(value, b"BINARY" | b"ISO-IR 10646 2000 UTF-8"),
        _ => {
            let lines = value.split(|byte| *byte == b'\n');
            key.iter().all(u8::is_ascii_graphic)
                && ATTRIBUTES.iter().any(|start| key.starts_with(start))
                && !lines.skip(1).any(begins_record)
        }
    }
}

/// Returns whether an entry of this type can have data.
const fn has_data(kind: u8) -> bool {
    !matches!(kind, b'1'..=b'6')
}

/// Returns whether programs may read the size, type or name of an entry differently. `stated`: the size in its header.
fn is_contradictory(header: &Header, stated: u64, next: &Extension) -> bool {
    let bytes = header.as_bytes();
    let has_data = has_data(bytes[156]);
    let is_other_size = next.size.is_some_and(|size| size != stated || !has_data);
    // Python takes a file for a folder without data if its name in this header ends with a slash, regardless of its
    // long name. GNU tar writes such a name when it cuts off a long name.
    let own = header.path_bytes();
    let long = next.name.as_ref().filter(|_| bytes[156] == b'0');
    let is_cut = long.is_some_and(|long| long.starts_with(&own));
    let is_folder = own.ends_with(b"/") && !is_cut;
    // Some programs do not stop at the first NUL of a field.
    let has_rest = |field: &[u8]| {
        let mut rest = field.iter().skip_while(|byte| **byte != 0);
        rest.any(|byte| *byte != 0)
    };
    is_other_size
        || stated != 0 && (!has_data || is_folder)
        || has_rest(&bytes[NAME])
        || has_rest(&bytes[TARGET])
        || bytes[257..].starts_with(USTAR) && has_rest(&bytes[SHORT_PREFIX])
}

/// Returns whether the names in an entry's own header are unusual: the name or target differs from what common programs
/// write next to extension headers, or an entry that is not a link has a target. node-tar drops an entry with such a
/// target, and reads its data as headers.
fn has_other_names(header: &Header, next: &Extension) -> bool {
    let kind = header.as_bytes()[156];
    let (own, target) = (header.path_bytes(), header.link_name_bytes());
    let target = target.unwrap_or_default();
    // A sparse file is reported anyway, and its names follow other rules.
    let long = next.name.as_ref().filter(|_| !next.is_sparse);
    let with_prefix = name_with_prefix(header, kind);
    let is_usual = |long: &Vec<u8>| {
        is_usual_name(&own, long)
            && with_prefix
                .as_ref()
                .is_none_or(|own| is_usual_name(own, long))
            && !is_placeholder_target(long)
    };
    let has_usual_target = match kind {
        b'1' | b'2' => {
            let long = next.target.as_ref();
            long.is_none_or(|long| is_usual_target(&target, long, kind == b'1'))
        }
        _ => target.is_empty() && next.target.is_none(),
    };
    let has_usual_name = long.is_none_or(is_usual);
    !(has_usual_name && has_usual_target) || is_placeholder_target(&own)
}

/// Returns whether an extension header has a target that tar-stream does not write. node-tar drops such a header, and
/// reads its data as headers.
fn has_odd_target(header: &Header, kind: u8) -> bool {
    let target = header.link_name_bytes();
    target.is_some_and(|target| kind != b'x' || *target != *b"PaxHeader")
}

/// Returns the size of an entry.
///
/// # Errors
/// If it is damaged, or if programs read it differently.
fn stated_size(header: &Header) -> io::Result<u64> {
    let field = &header.as_bytes()[SIZE];
    // In a number in base 256, the first bit is set, and the last eight bytes contain the value.
    let is_readable = if field[0] >= 0x80 {
        field[..4] == [0x80, 0, 0, 0]
    } else {
        is_octal(field)
    };
    if !is_readable {
        return Err(broken());
    }
    header.entry_size()
}

/// Returns the name, including the prefix, from a header whose magic is not exact: some programs use the prefix anyway.
/// In the header of an old sparse file, the bytes of the prefix have another meaning.
fn name_with_prefix(header: &Header, kind: u8) -> Option<Vec<u8>> {
    let bytes = header.as_bytes();
    let prefix = &bytes[PREFIX];
    let is_exact = bytes[257..].starts_with(USTAR);
    if is_exact || kind == b'S' || prefix.iter().all(|byte| *byte == 0) {
        return None;
    }
    let text = |field: &[u8]| -> Vec<u8> {
        let text = field.iter().take_while(|byte| **byte != 0);
        text.copied().collect()
    };
    let name = text(&bytes[NAME]);
    Some(match text(prefix) {
        prefix if prefix.is_empty() => name,
        prefix => [prefix, name].join(&b'/'),
    })
}

/// Returns whether some program may read a line as a record. Before the number, node-tar ignores a sign and all kinds
/// of blanks.
fn begins_record(line: &[u8]) -> bool {
    let mut start = line.iter().skip_while(|byte| !byte.is_ascii_alphanumeric());
    start.next().is_some_and(u8::is_ascii_digit) && line.contains(&b'=')
}

/// Splits off the first record of an extension header: its key, its value, and the rest.
fn record(records: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let space = records.iter().position(|byte| *byte == b' ')?;
    let length = usize::try_from(decimal(&records[..space])?).ok()?;
    let record = records.get(space + 1..length)?.strip_suffix(b"\n")?;
    let equals = record.iter().position(|byte| *byte == b'=')?;
    Some((&record[..equals], &record[equals + 1..], &records[length..]))
}
