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
use skillc_core::source::FlawKind;
use skillc_core::{RelPath, Stop};
use tar::Header;

use super::entries::{DAMAGED, Entries, Full};
use super::names::shown;

/// The size of a header. The data of an entry is padded to a multiple of this size.
const BLOCK: u64 = 512;

/// The maximum size of an extension header.
const MAX_EXTENSION_BYTES: u64 = 1 << 20;

/// The positions of three fields in a header: the size of the entry, the checksum, and the prefix of the name.
const SIZE: Range<usize> = 124..136;
const CHECKSUM: Range<usize> = 148..156;
const PREFIX: Range<usize> = 345..500;

/// The position of a byte in the header of an old sparse file: the byte indicates whether more data about the parts of
/// the file follows.
const MORE_PARTS: usize = 482;

/// The magic and the version of headers with a prefix.
const USTAR: &[u8] = b"ustar\x0000";

/// Returns whether a file begins with a header. `start`: at least the first block.
pub(super) fn is_tar(start: &[u8]) -> bool {
    let mut header = Header::new_old();
    let Some(block) = start.get(..header.as_bytes().len()) else {
        return false;
    };
    header.as_mut_bytes().copy_from_slice(block);
    // Old programs added signed bytes to compute the checksum.
    let signed = sum(&header, |byte| i64::from(byte.cast_signed()));
    is_valid(&header)
        || header
            .cksum()
            .is_ok_and(|stated| i64::from(stated) == signed)
}

/// Returns the sum of a header's bytes. The checksum counts as eight spaces.
fn sum(header: &Header, value: impl Fn(u8) -> i64) -> i64 {
    let bytes = header.as_bytes();
    let rest = [&bytes[..CHECKSUM.start], &bytes[CHECKSUM.end..]];
    let rest = rest.into_iter().flatten().map(|byte| value(*byte));
    rest.sum::<i64>() + 8 * i64::from(b' ')
}

/// Returns whether the checksum of a header is right.
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
/// Why nothing can be read.
pub(super) fn read_gzip(
    data: &[u8],
    entries: &mut Entries<'_>,
    stop: &Stop,
) -> Result<(), &'static str> {
    let mut decoder = GzDecoder::new(data);
    read(&mut decoder, entries, stop)?;
    // Some programs would also read another gzip file after the first one.
    if decoder.get_ref().iter().any(|byte| *byte != 0) {
        entries.fault_of_all(FlawKind::Unread, "the archive has data after its end");
    }
    Ok(())
}

/// A stream from which only a limited number of bytes can be read.
struct Limited<'a> {
    inner: &'a mut dyn Read,
    left: u64,
}

impl Read for Limited<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::Error::other("too much data"));
        }
        let most = usize::try_from(self.left).unwrap_or(usize::MAX);
        let most = buffer.len().min(most);
        let count = self.inner.read(&mut buffer[..most])?;
        self.left -= count as u64;
        Ok(count)
    }
}

/// Data about the next entry, from extension headers.
#[derive(Default)]
struct Extension {
    name: Option<Vec<u8>>,
    target: Option<Vec<u8>>,
    size: Option<u64>,
    is_sparse: bool,
    /// Whether there is an extension header.
    is_set: bool,
}

/// Why reading ends before the end of the file.
enum Ended {
    /// There are too many entries, or the run was cancelled. Nothing more has to be recorded.
    Full,
    /// The file is cut off or damaged, or contains too much data.
    Broken,
}

impl From<Full> for Ended {
    fn from(_: Full) -> Self {
        Self::Full
    }
}

impl From<io::Error> for Ended {
    fn from(_: io::Error) -> Self {
        Self::Broken
    }
}

/// Reads a tar file, and records its flaws in `entries`.
///
/// # Errors
/// Why nothing can be read.
pub(super) fn read(
    from: &mut dyn Read,
    entries: &mut Entries<'_>,
    stop: &Stop,
) -> Result<(), &'static str> {
    let mut reader = Reader {
        from: Limited {
            inner: from,
            left: entries.unpackable(),
        },
        next: Extension::default(),
        blocks: 0,
        has_ended: false,
    };
    let done = reader.read_all(entries, stop);
    let (left, blocks) = (reader.from.left, reader.blocks);
    entries.set_unpackable(left);
    match done {
        Ok(()) | Err(Ended::Full) => Ok(()),
        Err(Ended::Broken) if blocks == 0 => Err("it is not a tar file"),
        Err(Ended::Broken) => {
            let why = if left == 0 {
                "the archive was not scanned completely: it contains too much data"
            } else {
                "the archive was not scanned completely: it is cut off or damaged"
            };
            entries.fault_of_all(FlawKind::Unread, why);
            Ok(())
        }
    }
}

struct Reader<'a> {
    from: Limited<'a>,
    /// Data about the next entry, from the extension headers read so far.
    next: Extension,
    /// The number of headers that were read.
    blocks: usize,
    /// Whether a block of zeros was read, which marks the end.
    has_ended: bool,
}

impl Reader<'_> {
    fn read_all(&mut self, entries: &mut Entries<'_>, stop: &Stop) -> Result<(), Ended> {
        while !stop.is_raised() {
            let mut header = Header::new_old();
            if !self.fill(header.as_mut_bytes())? {
                if !self.has_ended || self.next.is_set {
                    // A download that was interrupted may end between two entries.
                    return Err(Ended::Broken);
                }
                return Ok(());
            }
            if header.as_bytes().iter().all(|byte| *byte == 0) {
                self.has_ended = true;
                self.blocks += 1;
                continue;
            }
            if self.has_ended {
                entries.fault_of_all(FlawKind::Odd, "the archive has entries after its end");
            }
            if !is_valid(&header) {
                return Err(Ended::Broken);
            }
            self.blocks += 1;
            self.entry(&header, entries)?;
        }
        Err(Ended::Full)
    }

    /// Fills a block. Returns `false` at the end of the file.
    fn fill(&mut self, block: &mut [u8]) -> Result<bool, Ended> {
        let mut filled = 0;
        while filled < block.len() {
            match self.from.read(&mut block[filled..])? {
                0 if filled == 0 => return Ok(false),
                0 => return Err(Ended::Broken),
                count => filled += count,
            }
        }
        Ok(true)
    }

    /// Skips a part of the file.
    fn skip(&mut self, bytes: u64) -> Result<(), Ended> {
        let skipped = io::copy(&mut (&mut self.from).take(bytes), &mut io::sink())?;
        if skipped < bytes {
            return Err(Ended::Broken);
        }
        Ok(())
    }

    /// Reads an entry or an extension header.
    fn entry(&mut self, header: &Header, entries: &mut Entries<'_>) -> Result<(), Ended> {
        let kind = header.as_bytes()[156];
        let stated = stated_size(header)?;
        if matches!(kind, b'L' | b'K' | b'x' | b'X' | b'g') {
            return self.extension(kind, stated, entries);
        }
        let next = mem::take(&mut self.next);
        let other = if next.name.is_none() {
            name_with_prefix(header, kind)
        } else {
            None
        };
        let raw = next
            .name
            .unwrap_or_else(|| header.path_bytes().into_owned());
        let name = entries.begin(&raw)?;
        let mut paths: Vec<RelPath> = name.path.into_iter().collect();
        if let Some(other) = &other {
            paths.extend(entries.begin(other)?.path);
            paths.dedup();
        }
        let is_file = !matches!(kind, b'1'..=b'6');
        let size = next.size.unwrap_or(stated);
        let is_other_size = next.size.is_some_and(|size| size != stated || !is_file);
        if other.is_some() || is_other_size || !is_file && stated != 0 {
            let message = format!(
                "the archive has contradictory headers for '{}': programs may unpack it differently",
                shown(&raw)
            );
            entries.fault_of_all(FlawKind::Odd, message);
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
            for path in &paths {
                entries.leave(path, "it is a sparse file");
            }
            // Another part of an old header may follow, so the position of the next entry is unknown.
            if kind == b'S' && header.as_bytes()[MORE_PARTS] != 0 {
                return Err(Ended::Broken);
            }
            return self.skip_content(size);
        }
        if name.is_dir {
            if size > 0 {
                let message = format!("'{}' is a folder with data", shown(&raw));
                entries.fault_of_all(FlawKind::Unread, message);
            }
            return self.skip_content(size);
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
    ) -> Result<(), Ended> {
        if paths.is_empty() {
            return self.skip_content(size);
        }
        let mut content = (&mut self.from).take(size);
        let read = entries.unpack(&mut content, size);
        let left = content.limit();
        match read {
            Ok(bytes) if left == 0 => entries.add_all(paths, bytes),
            read => {
                let why = read.err().unwrap_or(DAMAGED);
                for path in paths {
                    entries.leave(path, why);
                }
            }
        }
        self.skip(left)?;
        self.skip_padding(size)
    }

    /// Skips the content of an entry.
    fn skip_content(&mut self, size: u64) -> Result<(), Ended> {
        self.skip(size)?;
        self.skip_padding(size)
    }

    /// Skips the padding in the last block of an entry's content.
    fn skip_padding(&mut self, size: u64) -> Result<(), Ended> {
        self.skip((BLOCK - size % BLOCK) % BLOCK)
    }

    /// Reads an extension header.
    fn extension(&mut self, kind: u8, size: u64, entries: &mut Entries<'_>) -> Result<(), Ended> {
        if size > MAX_EXTENSION_BYTES {
            entries.fault_of_all(
                FlawKind::Unread,
                "the archive has a header that is too large: the name of an entry is not known",
            );
            return self.skip_content(size);
        }
        let mut bytes = Vec::new();
        (&mut self.from).take(size).read_to_end(&mut bytes)?;
        if (bytes.len() as u64) < size {
            return Err(Ended::Broken);
        }
        self.skip_padding(size)?;
        let mut found = Extension::default();
        if matches!(kind, b'L' | b'K') {
            let end = bytes.iter().position(|byte| *byte == 0);
            bytes.truncate(end.unwrap_or(bytes.len()));
            let field = match kind {
                b'L' => &mut found.name,
                _ => &mut found.target,
            };
            *field = Some(bytes);
        } else if !found.read_records(&bytes) {
            entries.fault_of_all(
                FlawKind::Odd,
                "the archive has a header that is damaged, or that says something twice",
            );
        }
        if kind == b'g' {
            if found.says_anything() {
                entries.fault_of_all(
                    FlawKind::Odd,
                    "the archive has a header with the name or size of all entries",
                );
            }
            return Ok(());
        }
        if !self.next.add(found) {
            entries.fault_of_all(
                FlawKind::Odd,
                "the archive has several headers for an entry",
            );
        }
        Ok(())
    }
}

impl Extension {
    /// Reads records of the form `13 path=a.md`, each with a line end. The number is the length of the whole record.
    /// Returns `false` if a record is not valid, or if a key is repeated.
    fn read_records(&mut self, mut records: &[u8]) -> bool {
        let (mut keys, mut is_repeated) = (BTreeSet::new(), false);
        while !records.is_empty() {
            let Some((key, value, rest)) = record(records) else {
                return false;
            };
            is_repeated |= !keys.insert(key);
            match key {
                b"path" | b"GNU.sparse.name" => self.name = Some(value.to_vec()),
                b"linkpath" => self.target = Some(value.to_vec()),
                b"size" => {
                    self.size = decimal(value);
                    if self.size.is_none() {
                        return false;
                    }
                }
                _ => {}
            }
            self.is_sparse |= key.starts_with(b"GNU.sparse.");
            records = rest;
        }
        !is_repeated
    }

    fn says_anything(&self) -> bool {
        self.is_sparse || self.name.is_some() || self.target.is_some() || self.size.is_some()
    }

    /// Adds the data of another extension header. Returns whether the two headers agree.
    fn add(&mut self, other: Self) -> bool {
        let is_same = |one: Option<&[u8]>, other: Option<&[u8]>| {
            one.is_none() || other.is_none() || one == other
        };
        let agrees = is_same(self.name.as_deref(), other.name.as_deref())
            && is_same(self.target.as_deref(), other.target.as_deref())
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
/// If the size is damaged, or if programs read it differently.
fn stated_size(header: &Header) -> Result<u64, Ended> {
    let field = &header.as_bytes()[SIZE];
    // In a number in base 256, the first bit is set, and the last eight bytes contain the value.
    let is_readable = if field[0] >= 0x80 {
        field[..4] == [0x80, 0, 0, 0]
    } else {
        is_plain(field)
    };
    if !is_readable {
        return Err(Ended::Broken);
    }
    header.entry_size().map_err(Ended::from)
}

/// Returns the name, including the prefix, from a header whose magic is not exact: some programs use the prefix
/// nevertheless. In the header of an old sparse file, the bytes of the prefix have another meaning.
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

/// Splits off the first record of an extension header: its key, its value, and the rest.
fn record(records: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let space = records.iter().position(|byte| *byte == b' ')?;
    let length = usize::try_from(decimal(&records[..space])?).ok()?;
    let record = records.get(space + 1..length)?.strip_suffix(b"\n")?;
    let equals = record.iter().position(|byte| *byte == b'=')?;
    Some((&record[..equals], &record[equals + 1..], &records[length..]))
}
