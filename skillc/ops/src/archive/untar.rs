//! Reads tar files, compressed with gzip or not.
//!
//! Programs disagree on contradictory headers, and on what follows the end. Such archives are read in the way of most
//! programs, and reported.

use std::borrow::Cow;
use std::io::{self, Read};
use std::mem;

use flate2::bufread::GzDecoder;
use skillc_core::source::FlawKind;
use skillc_core::{RelPath, Stop};
use tar::Header;

use super::GZIP;
use super::entries::{DAMAGED, Entries, Full};
use super::names::shown;

/// The size of a header, of which the data of an entry is a multiple.
const BLOCK: u64 = 512;

/// The maximum size of an extension header.
const MAX_EXTENSION_BYTES: u64 = 1 << 20;

/// The maximum number of gzip files that may follow each other.
const MAX_MEMBERS: usize = 1000;

/// Returns whether a file begins with a header. `start`: at least the first block.
pub(super) fn is_tar(start: &[u8]) -> bool {
    let mut header = Header::new_old();
    let Some(block) = start.get(..header.as_bytes().len()) else {
        return false;
    };
    header.as_mut_bytes().copy_from_slice(block);
    is_valid(&header)
}

/// Returns whether the checksum of a header is right.
fn is_valid(header: &Header) -> bool {
    let bytes = header.as_bytes();
    let rest: u32 = [&bytes[..148], &bytes[156..]]
        .into_iter()
        .flatten()
        .map(|byte| u32::from(*byte))
        .sum();
    // The checksum counts as eight spaces.
    let sum = rest + 8 * u32::from(b' ');
    rest > 0 && header.cksum().is_ok_and(|stated| stated == sum)
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
    let mut gunzip = Gunzip {
        decoder: GzDecoder::new(data),
        members: 1,
        has_more: false,
    };
    read(&mut gunzip, entries, stop)?;
    if gunzip.members > 1 {
        entries.fault_of_all(
            FlawKind::Odd,
            "the archive consists of several gzip files, of which some programs read only the first",
        );
    }
    if gunzip.has_more {
        entries.fault_of_all(FlawKind::Unread, "the archive has data after its end");
    }
    Ok(())
}

/// Decompresses gzip files that follow each other.
struct Gunzip<'a> {
    decoder: GzDecoder<&'a [u8]>,
    members: usize,
    /// Whether something else follows.
    has_more: bool,
}

impl Read for Gunzip<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.decoder.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            let rest = *self.decoder.get_ref();
            if !rest.starts_with(GZIP) {
                self.has_more = rest.iter().any(|byte| *byte != 0);
                return Ok(0);
            }
            self.members += 1;
            if self.members > MAX_MEMBERS {
                return Err(io::Error::other("too many gzip files"));
            }
            self.decoder = GzDecoder::new(rest);
        }
    }
}

/// A stream of which a limited number of bytes can be read.
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

/// What extension headers say about the next entry.
#[derive(Default)]
struct Extension {
    name: Option<Vec<u8>>,
    target: Option<Vec<u8>>,
    size: Option<u64>,
    is_sparse: bool,
    /// Whether there is one.
    is_set: bool,
}

/// Why reading ends before the end of the file.
enum Ended {
    /// There are too many entries, or the run was cancelled. There is nothing to add.
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

/// Reads a tar file. What is wrong with it is recorded in `entries`.
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
    /// What the extension headers so far say about the next entry.
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
        let stated = header.entry_size()?;
        if matches!(kind, b'L' | b'K' | b'x' | b'X' | b'g') {
            return self.extension(kind, stated, entries);
        }
        let next = mem::take(&mut self.next);
        let raw = next
            .name
            .unwrap_or_else(|| header.path_bytes().into_owned());
        let name = entries.begin(&raw)?;
        let is_file = !matches!(kind, b'1'..=b'6');
        let size = next.size.unwrap_or(stated);
        let is_odd = stated != 0 && (size != stated || !is_file);
        if is_odd {
            let message = format!(
                "the archive has contradictory headers for '{}': programs may unpack it differently",
                shown(&raw)
            );
            entries.fault_of_all(FlawKind::Odd, message);
        }
        let target = next.target;
        let target = target.or_else(|| header.link_name_bytes().map(Cow::into_owned));
        let target = target.unwrap_or_default();
        let is_sparse = kind == b'S' || next.is_sparse;
        match (&name.path, kind) {
            (Some(path), b'1') => entries.hard_link(path, &target),
            (Some(path), b'2') => entries.link(path, &String::from_utf8_lossy(&target)),
            (Some(path), b'3' | b'4') => entries.special(path, "a device"),
            (Some(path), b'6') => entries.special(path, "a pipe"),
            (_, b'S') => self.skip_map(header)?,
            _ => {}
        }
        if !is_file {
            return Ok(());
        }
        if name.is_dir && size > 0 {
            let message = format!("'{}' is a folder with data", shown(&raw));
            entries.fault_of_all(FlawKind::Unread, message);
        }
        let path = name.path.filter(|_| !name.is_dir);
        if let Some(path) = &path {
            if is_sparse {
                entries.special(path, "a sparse file, of which only the data was scanned");
            } else if !matches!(kind, 0 | b'0' | b'7') {
                entries.special(path, "an entry of an unknown type");
            }
        }
        self.content(path.as_ref(), size, entries)
    }

    /// Reads the content of a file. `path`: `None` to skip it.
    fn content(
        &mut self,
        path: Option<&RelPath>,
        size: u64,
        entries: &mut Entries<'_>,
    ) -> Result<(), Ended> {
        let mut content = (&mut self.from).take(size);
        let read = path.map(|path| (path, entries.unpack(&mut content, size)));
        let left = content.limit();
        match read {
            Some((path, Ok(bytes))) if left == 0 => entries.add(path, bytes.into()),
            Some((path, Ok(_))) => entries.leave(path, DAMAGED),
            Some((path, Err(why))) => entries.leave(path, why),
            None => {}
        }
        self.skip(left)?;
        self.skip((BLOCK - size % BLOCK) % BLOCK)
    }

    /// Skips the blocks after the header of a sparse file that list its parts.
    fn skip_map(&mut self, header: &Header) -> Result<(), Ended> {
        let mut is_more = header.as_bytes()[482] != 0;
        while is_more {
            let mut block = [0; 512];
            if !self.fill(&mut block)? {
                return Err(Ended::Broken);
            }
            is_more = block[504] != 0;
        }
        Ok(())
    }

    /// Reads an extension header.
    fn extension(&mut self, kind: u8, size: u64, entries: &mut Entries<'_>) -> Result<(), Ended> {
        if size > MAX_EXTENSION_BYTES {
            entries.fault_of_all(
                FlawKind::Unread,
                "the archive has a header that is too large: the name of an entry is not known",
            );
            self.skip(size)?;
            return self.skip((BLOCK - size % BLOCK) % BLOCK);
        }
        let mut bytes = Vec::new();
        (&mut self.from).take(size).read_to_end(&mut bytes)?;
        if (bytes.len() as u64) < size {
            return Err(Ended::Broken);
        }
        self.skip((BLOCK - size % BLOCK) % BLOCK)?;
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
            entries.fault_of_all(FlawKind::Odd, "the archive has a header that is damaged");
        }
        if kind == b'g' {
            if found.name.is_some() || found.target.is_some() || found.size.is_some() {
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
    /// Returns `false` if they are not valid.
    fn read_records(&mut self, mut records: &[u8]) -> bool {
        while !records.is_empty() {
            let Some((key, value, rest)) = record(records) else {
                return false;
            };
            match key {
                b"path" | b"GNU.sparse.name" => self.name = Some(value.to_vec()),
                b"linkpath" => self.target = Some(value.to_vec()),
                b"size" => {
                    let size = std::str::from_utf8(value).ok();
                    self.size = size.and_then(|size| size.parse().ok());
                    if self.size.is_none() {
                        return false;
                    }
                }
                _ => {}
            }
            self.is_sparse |= key.starts_with(b"GNU.sparse.");
            records = rest;
        }
        true
    }

    /// Adds what another header says. Returns whether they agree.
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

/// Splits off the first record of an extension header: its key, its value, and the rest.
fn record(records: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let space = records.iter().position(|byte| *byte == b' ')?;
    let length = std::str::from_utf8(&records[..space]).ok()?;
    let length: usize = length.parse().ok()?;
    let record = records.get(space + 1..length)?.strip_suffix(b"\n")?;
    let equals = record.iter().position(|byte| *byte == b'=')?;
    Some((&record[..equals], &record[equals + 1..], &records[length..]))
}
