//! Reads tar files, compressed with gzip or not.
//!
//! Programs disagree on contradictory headers, on sparse files, and on data after the end. Such archives are read as
//! most programs read them, and are reported.

use std::borrow::Cow;
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

/// The size of a header. The data of an entry is padded to a multiple of this size.
const BLOCK: u64 = 512;

/// The maximum size of an extension header.
const MAX_EXTENSION_BYTES: u64 = 1 << 20;

/// The positions of three fields in a header: the size of the entry, the checksum, and the prefix of the name.
const SIZE: Range<usize> = 124..136;
const CHECKSUM: Range<usize> = 148..156;
const PREFIX: Range<usize> = 345..500;

/// The position of a byte in the old header format of sparse files. The byte indicates whether another header, with
/// more parts of the file, follows.
const MORE_PARTS: usize = 482;

/// The magic and the version of headers with a prefix.
const USTAR: &[u8] = b"ustar\x0000";

/// The magic and the version of headers written by GNU tar.
const GNU: &[u8] = b"ustar  \0";

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
    let is_plain = is_plain(&header.as_bytes()[CHECKSUM]);
    let sum = sum(header, i64::from);
    is_plain && header.cksum().is_ok_and(|stated| i64::from(stated) == sum)
}

/// Returns whether a number is not in base 64. Old programs wrote numbers in base 64 after a plus sign.
fn is_plain(number: &[u8]) -> bool {
    !number.contains(&b'+')
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
    // Some programs would also read another gzip file after the first one.
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
    /// Whether there is an extension header.
    is_set: bool,
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
            if block.is_empty() && self.has_ended && !self.next.is_set {
                return Ok(());
            }
            // A download that was interrupted may end between two entries.
            if (block.len() as u64) < BLOCK {
                return Err(broken());
            }
            if block.iter().all(|byte| *byte == 0) {
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
            return self.extension(kind, stated, entries);
        }
        let next = mem::take(&mut self.next);
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
        // Programs that mistake the header of a sparse file for a header of another format add a prefix to the name. In
        // its records, a sparse file can have a second name.
        let is_misread = kind == b'S' && !header.as_bytes()[257..].starts_with(GNU);
        if is_misread || next.is_sparse {
            let message = format!(
                "'{}' was not scanned: it is a sparse file, which programs may unpack under another name",
                shown(&raw)
            );
            entries.fault_of_all(Unread, message);
        }
        let is_file = !matches!(kind, b'1'..=b'6');
        let size = next.size.unwrap_or(stated);
        let is_other_size = next.size.is_some_and(|size| size != stated || !is_file);
        if other.is_some() || is_other_size || !is_file && stated != 0 {
            let message = format!(
                "the archive has contradictory headers for '{}': programs may unpack it differently",
                shown(&raw)
            );
            entries.fault_of_all(Odd, message);
        }
        let target = next.target;
        let target = target.or_else(|| header.link_name_bytes().map(Cow::into_owned));
        let target = target.unwrap_or_default();
        for path in &paths {
            match kind {
                b'1' => entries.hard_link(path, &target),
                b'2' => entries.link(path, &String::from_utf8_lossy(&target)),
                b'3' | b'4' => entries.special(path, "a device"),
                b'6' => entries.special(path, "a pipe"),
                _ => {}
            }
        }
        if !is_file {
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
        if !matches!(kind, 0 | b'0' | b'7') {
            for path in &paths {
                entries.special(path, "an entry of an unknown type");
            }
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
        self.skip(size - bytes.len() as u64, size)?;
        let mut fault = |what: &str| entries.fault_of_all(Odd, what);
        let mut found = Extension::default();
        if matches!(kind, b'L' | b'K') {
            let end = bytes.iter().position(|byte| *byte == 0);
            bytes.truncate(end.unwrap_or(bytes.len()));
            let field = match kind {
                b'L' => &mut found.name,
                _ => &mut found.target,
            };
            *field = Some(bytes);
        } else if found.read_records(&bytes).is_none() {
            fault("the archive has a header that is damaged, or that says something twice");
        }
        if kind != b'g' {
            if !self.next.add(found) {
                fault("the archive has several headers for an entry");
            }
        } else if found.says_anything() {
            fault("the archive has a global header that sets a name or size for all entries");
        }
        Ok(())
    }
}

impl Extension {
    /// Reads records of the form `13 path=a.md`, each terminated by a newline. The number is the length of the whole
    /// record. Returns `None` if a record is not valid, if a key is repeated, or if a value contains a line that looks
    /// like a record to programs that read line by line.
    fn read_records(&mut self, mut records: &[u8]) -> Option<()> {
        let (mut keys, mut is_repeated, mut is_hidden) = (BTreeSet::new(), false, false);
        while !records.is_empty() {
            let (key, value, rest) = record(records)?;
            is_repeated |= !keys.insert(key);
            is_hidden |= value
                .split(|byte| *byte == b'\n')
                .skip(1)
                .any(begins_record);
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
        (!is_repeated && !is_hidden).then_some(())
    }

    fn says_anything(&self) -> bool {
        self.is_sparse || self.name.is_some() || self.target.is_some() || self.size.is_some()
    }

    /// Adds the data of another extension header. Returns whether the two headers agree.
    fn add(&mut self, other: Self) -> bool {
        let agree =
            |one: &Option<_>, other: &Option<_>| one.is_none() || other.is_none() || one == other;
        let agrees = agree(&self.name, &other.name)
            && agree(&self.target, &other.target)
            && (self.size.is_none() || other.size.is_none());
        *self = Self {
            name: other.name.or(self.name.take()),
            target: other.target.or(self.target.take()),
            size: other.size.or(self.size),
            is_sparse: self.is_sparse || other.is_sparse,
            is_set: true,
        };
        agrees
    }
}

/// Reads a decimal number without a sign.
fn decimal(digits: &[u8]) -> Option<u64> {
    let digits = digits.iter().all(u8::is_ascii_digit).then_some(digits)?;
    std::str::from_utf8(digits).ok()?.parse().ok()
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
        is_plain(field)
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
    let name = text(&bytes[..100]);
    Some(match text(prefix) {
        prefix if prefix.is_empty() => name,
        prefix => [prefix, name].join(&b'/'),
    })
}

/// Returns whether a line begins like a record.
fn begins_record(line: &[u8]) -> bool {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit());
    let digits = digits.count();
    digits > 0 && line.get(digits) == Some(&b' ')
}

/// Splits off the first record of an extension header: its key, its value, and the rest.
fn record(records: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let space = records.iter().position(|byte| *byte == b' ')?;
    let length = usize::try_from(decimal(&records[..space])?).ok()?;
    let record = records.get(space + 1..length)?.strip_suffix(b"\n")?;
    let equals = record.iter().position(|byte| *byte == b'=')?;
    Some((&record[..equals], &record[equals + 1..], &records[length..]))
}
