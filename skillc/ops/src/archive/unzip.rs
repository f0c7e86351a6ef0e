//! Reads zip files.
//!
//! Some programs read the central directory at the end, others the header before each file. Therefore both are read and
//! compared, and each byte of the archive must belong to exactly one entry or record.

use std::io;

use flate2::Crc;
use flate2::bufread::DeflateDecoder;
use skillc_core::source::FlawKind::{Odd, Unread};
use skillc_core::{RelPath, Stop};

use super::entries::{DAMAGED, Entries};
use super::names::{shown, shown_path};

/// The signatures of the records.
const LOCAL: &[u8] = b"PK\x03\x04";
const CENTRAL: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";
const WIDE_END: &[u8] = b"PK\x06\x06";
const WIDE_LOCATOR: &[u8] = b"PK\x06\x07";

/// The sizes of the records, without their parts of variable length.
const LOCAL_BYTES: usize = 30;
const CENTRAL_BYTES: usize = 46;
const END_BYTES: usize = 22;
const WIDE_END_BYTES: usize = 56;
/// The size that a zip64 record states, which does not include the signature and the size field.
const WIDE_END_REST: u64 = 44;
const WIDE_LOCATOR_BYTES: usize = 20;

/// The maximum length of the comment at the end.
const MAX_COMMENT: usize = 0xffff;

/// The placeholders in a four-byte field and in a two-byte field if the actual value is in a zip64 record.
const WIDE: u64 = 0xffff_ffff;
const WIDE_COUNT: u64 = 0xffff;

/// The ids of the extra fields for wide numbers, and for the name in UTF-8.
const EXTRA_WIDE: u64 = 1;
const EXTRA_NAME: u64 = 0x7075;

/// Flags of an entry: the two flags for encryption, and the flag for sizes that follow the data.
const ENCRYPTED: u64 = 0x41;
const HAS_DESCRIPTOR: u64 = 8;

/// The flag of a name in UTF-8. Without it, programs use another encoding, or guess the encoding.
const IS_UTF8: u64 = 0x800;

/// The compression methods: none, deflate, and the marker of AES encryption.
const STORED: u64 = 0;
const DEFLATED: u64 = 8;
const AES: u64 = 99;

/// The possible sizes of the record after the data of an entry: with or without a signature, with short or wide
/// numbers.
const DESCRIPTORS: [usize; 4] = [12, 16, 20, 24];

/// File types in a Unix mode: the mask, symlinks and files.
const TYPE: u64 = 0o170_000;
const SYMLINK: u64 = 0o120_000;
const FILE: u64 = 0o100_000;

/// Reads a zip file, and records its flaws in `entries`.
///
/// # Errors
/// The reason why nothing can be read.
pub(super) fn read(
    data: &[u8],
    entries: &mut Entries<'_>,
    stop: &Stop,
) -> Result<(), &'static str> {
    let end = find_end(data, entries).ok_or(
        "its end record is missing or wrong: it is cut off or damaged, or something precedes it",
    )?;
    let mut regions = Vec::new();
    let mut at = end.directory;
    let mut count = 0;
    while let Some((entry, next)) = Header::in_directory(data, at) {
        if stop.is_raised() || add(data, &end, &entry, &mut regions, entries).is_err() {
            return Ok(());
        }
        (at, count) = (next, count + 1);
    }
    if at != end.start || count != end.count {
        entries.fault_of_all(
            Unread,
            "the archive was not scanned completely: its directory is damaged",
        );
    }
    check_regions(regions, end.directory, entries);
    Ok(())
}

/// Reads a number of `N` bytes.
fn number<const N: usize>(data: &[u8], at: usize) -> Option<u64> {
    let bytes = data.get(at..at.checked_add(N)?)?;
    let join = |number: u64, byte: &u8| (number << 8) | u64::from(*byte);
    Some(bytes.iter().rev().fold(0, join))
}

/// Reads a length of two bytes.
fn length(data: &[u8], at: usize) -> Option<usize> {
    usize::try_from(number::<2>(data, at)?).ok()
}

fn has(data: &[u8], at: usize, signature: &[u8]) -> bool {
    data.get(at..)
        .is_some_and(|rest| rest.starts_with(signature))
}

/// Returns whether a file of another format can also be read as a zip file, because it contains an end record near the
/// end.
pub(super) fn may_end(data: &[u8]) -> bool {
    let start = data.len().saturating_sub(MAX_COMMENT + END_BYTES);
    data[start..].windows(END.len()).any(|bytes| bytes == END)
}

/// The data in the end records.
struct End {
    /// The offset of the end records, which directly follow the directory.
    start: usize,
    /// The offset of the directory.
    directory: usize,
    /// The number of entries.
    count: u64,
}

/// Finds the end records. Returns `None` if no end records directly follow the directory.
fn find_end(data: &[u8], entries: &mut Entries<'_>) -> Option<End> {
    let last = data.len().checked_sub(END_BYTES)?;
    let first = last.saturating_sub(MAX_COMMENT);
    let places: Vec<usize> = (first..=last).filter(|at| has(data, *at, END)).collect();
    let end_of = |at: usize| Some(at + END_BYTES + length(data, at + 20)?);
    let is_exact = |at: &usize| end_of(*at) == Some(data.len());
    let exact = places.iter().copied().rev().find(is_exact);
    let at = exact.or_else(|| places.last().copied())?;
    if exact.is_none() {
        entries.fault_of_all(Unread, "the archive has data after its end");
    }
    let narrow = [
        number::<4>(data, at + 12)?,
        number::<4>(data, at + 16)?,
        number::<2>(data, at + 10)?,
    ];
    // The end record contains the number of entries twice. Unless the archive spans several disks, both numbers are
    // equal.
    let mut is_same = number::<4>(data, at + 4)? == 0 && number::<2>(data, at + 8)? == narrow[2];
    let ([size, offset, count], start) = match wide_end(data, at, entries) {
        Some((wide, start)) => {
            for ((narrow, wide), limit) in narrow.iter().zip(wide).zip([WIDE, WIDE, WIDE_COUNT]) {
                is_same &= *narrow == wide || *narrow == limit;
            }
            is_same &= number::<8>(data, start + 24)? == wide[2];
            (wide, start)
        }
        None => (narrow, at),
    };
    if !is_same {
        entries.fault_of_all(Odd, "the archive has contradictory end records");
    }
    let directory = usize::try_from(offset).ok()?;
    if directory.checked_add(usize::try_from(size).ok()?) != Some(start) {
        return None;
    }
    let records = data[directory..].windows(END.len());
    if records.filter(|bytes| *bytes == END).count() > 1 {
        entries.fault_of_all(Odd, "the archive has several end records");
    }
    Some(End {
        start,
        directory,
        count,
    })
}

/// Finds the zip64 record before the end record. The zip64 record must be directly before its locator, and must contain
/// no additional data. Returns the size and offset of the directory, the number of entries, and the offset of the zip64
/// record.
fn wide_end(data: &[u8], end: usize, entries: &mut Entries<'_>) -> Option<([u64; 3], usize)> {
    let locator = end.checked_sub(WIDE_LOCATOR_BYTES)?;
    if !has(data, locator, WIDE_LOCATOR) {
        return None;
    }
    let is_exact = |start: &usize| {
        has(data, *start, WIDE_END)
            && number::<8>(data, *start + 4) == Some(WIDE_END_REST)
            && number::<8>(data, locator + 8) == Some(*start as u64)
    };
    let start = locator.checked_sub(WIDE_END_BYTES).filter(is_exact);
    let Some(start) = start else {
        entries.fault_of_all(Unread, "the archive has a wrong zip64 record");
        return None;
    };
    let fields = [
        number::<8>(data, start + 40)?,
        number::<8>(data, start + 48)?,
        number::<8>(data, start + 32)?,
    ];
    Some((fields, start))
}

/// The relevant extra fields of a header.
#[derive(Default)]
struct Extra<'a> {
    wide: Option<&'a [u8]>,
    name: Option<&'a [u8]>,
    /// Whether a field is repeated, or the fields are damaged.
    is_odd: bool,
}

impl<'a> Extra<'a> {
    fn parse(mut fields: &'a [u8]) -> Self {
        let mut extra = Self::default();
        while let Some((id, field, rest)) = extra_field(fields) {
            let known = match id {
                EXTRA_WIDE => Some(&mut extra.wide),
                EXTRA_NAME => Some(&mut extra.name),
                _ => None,
            };
            if let Some(known) = known {
                extra.is_odd |= known.replace(field).is_some();
            }
            fields = rest;
        }
        // Some programs pad the fields with zeros.
        extra.is_odd |= fields.iter().any(|byte| *byte != 0);
        extra
    }

    /// Replaces each placeholder for a large number with the actual number. The zip64 field contains these numbers in
    /// order.
    fn widen(&self, mut numbers: [u64; 3]) -> [u64; 3] {
        let mut wide = self.wide.unwrap_or_default();
        for value in numbers.iter_mut().filter(|value| **value == WIDE) {
            let Some(found) = number::<8>(wide, 0) else {
                break;
            };
            *value = found;
            wide = &wide[8..];
        }
        numbers
    }

    /// Returns the UTF-8 name, which some programs prefer. In the field, the name follows a version and a checksum.
    fn name(&self) -> Option<&'a [u8]> {
        self.name.and_then(|field| field.get(5..))
    }
}

/// Splits off the first extra field: its id, its content, and the rest.
fn extra_field(fields: &[u8]) -> Option<(u64, &[u8], &[u8])> {
    let end = length(fields, 2)? + 4;
    Some((
        number::<2>(fields, 0)?,
        fields.get(4..end)?,
        fields.get(end..)?,
    ))
}

/// A header of an entry: in the directory, or before the data.
struct Header<'a> {
    name: &'a [u8],
    extra: Extra<'a>,
    flags: u64,
    method: u64,
    crc: u64,
    /// The size of the data in the archive.
    packed: u64,
    /// The size of the content.
    size: u64,
    /// In the directory: the offset of the header before the data.
    local: u64,
    /// In the directory: the mode of the file on Unix.
    mode: u64,
    /// The offset of the end of the header, without its comment.
    end: usize,
}

impl<'a> Header<'a> {
    /// Reads a header in the directory. Returns the header, and the offset of the next header.
    fn in_directory(data: &'a [u8], at: usize) -> Option<(Self, usize)> {
        if !has(data, at, CENTRAL) {
            return None;
        }
        let local = number::<4>(data, at + 42)?;
        let header = Self::parse(data, at + 8, at + CENTRAL_BYTES, local)?;
        let mode = number::<2>(data, at + 40)?;
        let next = header.end + length(data, at + 32)?;
        data.get(header.end..next)?;
        Some((Self { mode, ..header }, next))
    }

    /// Reads a header before the data of an entry.
    fn before_data(data: &'a [u8], at: usize) -> Option<Self> {
        if !has(data, at, LOCAL) {
            return None;
        }
        Self::parse(data, at + 6, at + LOCAL_BYTES, 0)
    }

    /// Reads the fields that both kinds of header have in the same order. `at`: the offset of the flags; `local`: the
    /// offset of the header before the data, or its placeholder.
    fn parse(data: &'a [u8], at: usize, name_at: usize, local: u64) -> Option<Self> {
        let extra_at = name_at + length(data, at + 20)?;
        let end = extra_at + length(data, at + 22)?;
        let extra = Extra::parse(data.get(extra_at..end)?);
        let numbers = [
            number::<4>(data, at + 16)?,
            number::<4>(data, at + 12)?,
            local,
        ];
        let [size, packed, local] = extra.widen(numbers);
        Some(Self {
            name: data.get(name_at..extra_at)?,
            extra,
            flags: number::<2>(data, at)?,
            method: number::<2>(data, at + 2)?,
            crc: number::<4>(data, at + 8)?,
            packed,
            size,
            local,
            mode: 0,
            end,
        })
    }

    /// Returns whether the header before the data agrees with the header in the directory. If the sizes follow the
    /// data, they may be missing before it, except for stored data, whose end would not be known.
    fn agrees(&self, entry: &Self) -> bool {
        let may_lack = self.flags & HAS_DESCRIPTOR != 0;
        let is_same = |here: u64, there: u64| here == there || may_lack && here == 0;
        let is_endless = self.method == STORED && entry.packed > 0 && self.packed == 0;
        self.name == entry.name
            && !is_endless
            && !self.extra.is_odd
            && !entry.extra.is_odd
            && self.method == entry.method
            && (self.flags ^ entry.flags) & (ENCRYPTED | HAS_DESCRIPTOR) == 0
            && is_same(self.crc, entry.crc)
            && is_same(self.packed, entry.packed)
            && is_same(self.size, entry.size)
    }
}

/// The bytes of an entry: its header and its data.
struct Region {
    start: usize,
    end: usize,
    has_descriptor: bool,
}

/// Adds an entry of the directory.
///
/// # Errors
/// If there are too many entries.
fn add(
    data: &[u8],
    end: &End,
    entry: &Header<'_>,
    regions: &mut Vec<Region>,
    entries: &mut Entries<'_>,
) -> io::Result<()> {
    let name = entries.begin(entry.name)?;
    let start = usize::try_from(entry.local).ok();
    let local = start.and_then(|start| Header::before_data(data, start));
    let packed = start.zip(local.as_ref()).and_then(|(start, local)| {
        let stop = local.end.checked_add(usize::try_from(entry.packed).ok()?)?;
        let bytes = data[..end.directory].get(local.end..stop)?;
        regions.push(Region {
            start,
            end: stop,
            has_descriptor: (local.flags | entry.flags) & HAS_DESCRIPTOR != 0,
        });
        Some(bytes)
    });
    let local = local.as_ref();
    let others = [
        local.map(|local| local.name),
        local.and_then(|local| local.extra.name()),
        entry.extra.name(),
    ];
    let others = others.into_iter().flatten();
    let mut others: Vec<&[u8]> = others.filter(|other| *other != entry.name).collect();
    others.sort_unstable();
    others.dedup();
    let is_odd = local.is_some_and(|local| !local.agrees(entry));
    let mut paths: Vec<RelPath> = name.path.into_iter().collect();
    // A name that is not UTF-8 is reported anyway.
    let is_utf8 = std::str::from_utf8(entry.name).is_ok();
    if is_utf8 && !entry.name.is_ascii() && entry.flags & IS_UTF8 == 0 {
        for path in &paths {
            entries.unstated(path);
        }
    }
    for other in &others {
        paths.extend(entries.begin(other)?.path);
    }
    paths.dedup();
    if is_odd || !others.is_empty() {
        let message = format!(
            "the archive has contradictory headers for '{}': programs may unpack it differently",
            shown(entry.name)
        );
        match paths.first() {
            // An entry with a second name may belong to any skill, so its flaw concerns the whole archive.
            Some(path) if others.is_empty() => entries.fault(path, Odd, message),
            _ => entries.fault_of_all(Odd, message),
        }
    }
    if name.is_dir && others.is_empty() {
        // Some programs compress the empty content of a folder to two bytes.
        if entry.size > 0 || entry.packed > 2 {
            let message = format!("'{}' is a folder with data", shown(entry.name));
            entries.fault_of_all(Unread, message);
        }
        return Ok(());
    }
    let content = packed.ok_or(DAMAGED);
    let content = content.and_then(|packed| unpack(packed, entry, &paths, entries));
    let kind = entry.mode & TYPE;
    if kind == SYMLINK {
        for path in &paths {
            match &content {
                Ok(target) => entries.link(path, &String::from_utf8_lossy(target)),
                Err(why) => entries.leave_link(path, why),
            }
        }
        return Ok(());
    }
    if !matches!(kind, 0 | FILE) && content.is_ok() {
        for path in &paths {
            entries.special(path, "neither a file nor a folder nor a symlink");
        }
    }
    entries.add_all(&paths, content);
    Ok(())
}

/// Unpacks the content of an entry.
///
/// # Errors
/// The reason why the content is not read.
fn unpack(
    packed: &[u8],
    entry: &Header<'_>,
    paths: &[RelPath],
    entries: &mut Entries<'_>,
) -> Result<Vec<u8>, &'static str> {
    if entry.flags & ENCRYPTED != 0 || entry.method == AES {
        return Err("it is encrypted");
    }
    let (bytes, is_whole) = match entry.method {
        STORED => (entries.unpack(&mut &*packed, entry.size)?, true),
        DEFLATED => {
            let mut inflater = DeflateDecoder::new(packed);
            let bytes = entries.unpack(&mut inflater, entry.size)?;
            (bytes, inflater.total_in() == packed.len() as u64)
        }
        _ => return Err("it is compressed in a way that skc does not support"),
    };
    let mut crc = Crc::new();
    crc.update(&bytes);
    let is_exact = bytes.len() as u64 == entry.size && u64::from(crc.sum()) == entry.crc;
    for path in paths.iter().filter(|_| !is_whole || !is_exact) {
        let message = format!(
            "the data of '{}' does not have the size or the checksum that the archive states",
            shown_path(path)
        );
        entries.fault(path, Odd, message);
    }
    Ok(bytes)
}

/// Checks that the entries follow each other from the start of the archive to its directory, without gaps. `end`: the
/// offset of the directory.
fn check_regions(mut regions: Vec<Region>, end: usize, entries: &mut Entries<'_>) {
    regions.sort_unstable_by_key(|region| (region.start, region.end));
    regions.push(Region {
        start: end,
        end,
        has_descriptor: false,
    });
    let (mut at, mut has_descriptor) = (0, false);
    let (mut stray, mut overlaps) = (0, false);
    for region in regions {
        match region.start.checked_sub(at) {
            Some(0) => {}
            Some(gap) if has_descriptor && DESCRIPTORS.contains(&gap) => {}
            Some(gap) => stray += gap,
            None => overlaps = true,
        }
        at = at.max(region.end);
        has_descriptor = region.has_descriptor;
    }
    if stray > 0 {
        let message = format!("the archive has {stray} bytes that belong to none of its entries");
        entries.fault_of_all(Unread, message);
    }
    if overlaps {
        entries.fault_of_all(Odd, "the archive has entries that overlap");
    }
}
