//! Archives made by other programs, and archives made to attack or to mislead.
#![expect(
    clippy::cast_possible_truncation,
    reason = "the files in these tests are small"
)]

mod tar_files;
mod zip_files;

use std::fmt::Write as _;
use std::io::{Cursor, Write};

use flate2::write::{DeflateEncoder, GzEncoder};
use flate2::{Compression, Crc};
use skillc_core::layout::canonical;
use tar::{Builder, EntryType, Header};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::*;

const SKILL: &str = "---\nname: a\ndescription: Formats tables.\n---\n\n# A\n";

fn path(text: &str) -> RelPath {
    RelPath::parse(text).unwrap()
}

/// An entry of a zip file. Its headers may contradict each other.
#[derive(Clone)]
struct Part<'a> {
    name: &'a [u8],
    /// The name in the header before the data, if it differs from `name`.
    local_name: Option<&'a [u8]>,
    content: Vec<u8>,
    /// The data in the archive, if it differs from the content.
    packed: Option<Vec<u8>>,
    flags: u16,
    method: u16,
    mode: u32,
    /// The extra fields in the header before the data, and those in the directory.
    extra: [&'a [u8]; 2],
    /// The size that the headers state, if it differs from the size of the content.
    size: Option<u32>,
}

impl<'a> Part<'a> {
    fn new(name: &'a str, content: &str) -> Self {
        Self {
            name: name.as_bytes(),
            local_name: None,
            content: content.into(),
            packed: None,
            flags: 0,
            method: 0,
            mode: 0,
            extra: [b"", b""],
            size: None,
        }
    }

    fn deflated(name: &'a str, content: Vec<u8>) -> Self {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&content).unwrap();
        Self {
            content,
            packed: Some(encoder.finish().unwrap()),
            method: 8,
            ..Self::new(name, "")
        }
    }

    /// Returns the fields that both headers contain, up to the length of the extra fields.
    fn fields(&self, name: &[u8], extra: &[u8]) -> Vec<u8> {
        let mut crc = Crc::new();
        crc.update(&self.content);
        let packed = self.packed.as_ref().unwrap_or(&self.content);
        let size = self.size.unwrap_or(self.content.len() as u32);
        let mut fields = vec![20, 0];
        fields.extend(self.flags.to_le_bytes());
        fields.extend(self.method.to_le_bytes());
        fields.extend([0; 4]);
        for number in [crc.sum(), packed.len() as u32, size] {
            fields.extend(number.to_le_bytes());
        }
        for text in [name, extra] {
            fields.extend((text.len() as u16).to_le_bytes());
        }
        fields
    }
}

/// Returns a zip file with these entries.
fn zip_of(parts: &[Part<'_>]) -> Vec<u8> {
    let (mut data, mut directory): (Vec<u8>, Vec<u8>) = (Vec::new(), Vec::new());
    for part in parts {
        let offset = data.len() as u32;
        let local_name = part.local_name.unwrap_or(part.name);
        data.extend(b"PK\x03\x04");
        let [local_extra, extra] = part.extra;
        data.extend(part.fields(local_name, local_extra));
        data.extend(local_name);
        data.extend(local_extra);
        data.extend(part.packed.as_ref().unwrap_or(&part.content));
        directory.extend(b"PK\x01\x02\x14\x03");
        directory.extend(part.fields(part.name, extra));
        directory.extend([0; 6]);
        directory.extend((part.mode << 16).to_le_bytes());
        directory.extend(offset.to_le_bytes());
        directory.extend(part.name);
        directory.extend(extra);
    }
    let count = (parts.len() as u16).to_le_bytes();
    let numbers = [directory.len() as u32, data.len() as u32];
    data.extend(directory);
    data.extend(b"PK\x05\x06\0\0\0\0");
    data.extend([count, count].concat());
    data.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    data.extend([0; 2]);
    data
}

/// Returns the budget for archives of any size.
fn full_budget() -> Budget {
    let mut budget = Budget::default();
    budget.allow(usize::MAX);
    budget
}

fn from_zip(data: &[u8]) -> Archive {
    let mut budget = full_budget();
    let mut entries = Entries::new(&mut budget);
    unzip::read(data, &mut entries, &Stop::default()).unwrap();
    entries.finish(&Stop::default())
}

fn from_tar(mut data: &[u8]) -> Archive {
    let mut budget = full_budget();
    let mut entries = Entries::new(&mut budget);
    untar::read(&mut data, &mut entries, &Stop::default()).unwrap();
    entries.finish(&Stop::default())
}

fn from_gzip(data: &[u8]) -> Archive {
    let mut budget = full_budget();
    let mut entries = Entries::new(&mut budget);
    untar::read_gzip(data, &mut entries, &Stop::default()).unwrap();
    entries.finish(&Stop::default())
}

fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// Adds an entry to a tar file without changing its name.
fn append(tar: &mut Builder<Vec<u8>>, kind: EntryType, name: &[u8], target: &str, content: &str) {
    let mut header = Header::new_gnu();
    header.as_mut_bytes()[..name.len()].copy_from_slice(name);
    header.set_entry_type(kind);
    header.set_link_name_literal(target).unwrap();
    header.set_size(content.len() as u64);
    header.set_mode(0o644);
    header.set_cksum();
    tar.append(&header, content.as_bytes()).unwrap();
}

/// Returns a tar file with these regular files, but without the blocks that mark the end.
fn tar_of(files: &[(&str, &str)]) -> Builder<Vec<u8>> {
    let mut tar = Builder::new(Vec::new());
    for (name, content) in files {
        append(&mut tar, EntryType::Regular, name.as_bytes(), "", content);
    }
    tar
}

/// Returns the paths of the files with their contents, the symlinks, and the flaws.
fn seen(archive: &Archive) -> String {
    let mut seen = String::new();
    for (path, bytes) in &archive.files {
        let _ = writeln!(seen, "{path} {}", String::from_utf8_lossy(bytes).trim_end());
    }
    for (path, link) in &archive.links {
        let end = link.end.as_ref().map_or("-", RelPath::as_str);
        let _ = writeln!(seen, "{path} -> {} -> {end}", link.target);
    }
    let flaws = archive.flaws.iter().map(|(_, flaw)| flaw);
    for flaw in archive.whole.iter().chain(flaws) {
        let _ = writeln!(seen, "{:?}: {}", flaw.kind, flaw.message);
    }
    seen
}

fn kinds(archive: &Archive) -> Vec<FlawKind> {
    let flaws = archive.flaws.iter().map(|(_, flaw)| flaw.kind);
    archive
        .whole
        .iter()
        .map(|flaw| flaw.kind)
        .chain(flaws)
        .collect()
}

/// Returns whether an archive has one odd flaw. Panics if it has any other flaws.
fn is_odd(archive: &Archive) -> bool {
    match &kinds(archive)[..] {
        [] => false,
        [FlawKind::Odd] => true,
        others => panic!("{others:?}"),
    }
}

fn dirs(archive: &Archive) -> Vec<String> {
    let found = archive.skills(&mut Budget::default()).dirs;
    found.iter().map(ToString::to_string).collect()
}

fn skill_of(archive: Archive, dir: &str) -> Skill {
    packed(archive, dir, true)
}

fn packed(archive: Archive, dir: &str, is_first: bool) -> Skill {
    let (file, dir) = (Path::new("/x.zip"), path(dir));
    let at = SkillRef::in_archive("x.zip", [file, file], &dir);
    let packed = PackedSkill {
        archive: Arc::new(archive),
        file: file.to_path_buf(),
        dir,
        is_first,
    };
    packed.skill(at)
}

#[test]
fn an_archive_of_another_program_is_read_as_it_is() {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let plain = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    zip.add_directory("pdf", plain).unwrap();
    let files = [("pdf/SKILL.md", options), ("pdf/run.sh", plain)];
    for (name, options) in files {
        zip.start_file(name, options).unwrap();
        zip.write_all(name.repeat(100).as_bytes()).unwrap();
    }
    zip.add_symlink("pdf/AGENTS.md", "SKILL.md", plain).unwrap();
    let zipped = from_zip(&zip.finish().unwrap().into_inner());
    let mut tar = Builder::new(Vec::new());
    for (name, _) in files {
        let content = name.repeat(100);
        let mut header = Header::new_ustar();
        header.set_size(content.len() as u64);
        tar.append_data(&mut header, name, content.as_bytes())
            .unwrap();
    }
    let mut header = Header::new_gnu();
    header.set_entry_type(EntryType::Symlink);
    header.set_size(0);
    tar.append_link(&mut header, "pdf/AGENTS.md", "SKILL.md")
        .unwrap();
    let tar = tar.into_inner().unwrap();
    let expected = format!(
        "pdf/SKILL.md {}\npdf/run.sh {}\npdf/AGENTS.md -> SKILL.md -> pdf/SKILL.md\n",
        "pdf/SKILL.md".repeat(100),
        "pdf/run.sh".repeat(100)
    );
    assert_eq!(seen(&zipped), expected);
    assert_eq!(seen(&from_tar(&tar)), expected);
    assert_eq!(seen(&from_gzip(&gzip(&tar))), expected);
    let skill = skill_of(zipped, "pdf");
    let documents: Vec<&str> = skill.documents().map(|doc| doc.path.as_str()).collect();
    assert_eq!(documents, ["SKILL.md", "AGENTS.md"]);
}

#[test]
fn each_folder_with_a_main_file_is_a_skill() {
    let found = |names: &[&str]| {
        let parts: Vec<Part<'_>> = names.iter().map(|name| Part::new(name, SKILL)).collect();
        from_zip(&zip_of(&parts))
    };
    assert_eq!(dirs(&found(&["SKILL.md", "run.sh"])), [""]);
    let archive = found(&[
        "repo-main/README.md",
        "repo-main/b/skill.md",
        "repo-main/b/inner/SKILL.md",
        "repo-main/b-c/Skill.MD",
        "LICENSE",
    ]);
    let expected = ["repo-main/b", "repo-main/b/inner", "repo-main/b-c"];
    assert_eq!(dirs(&archive), expected);
    let outside = archive.skills(&mut Budget::default()).outside;
    assert_eq!(outside, Some((path("LICENSE"), 2)));
    // Within a skill, a `SKILL.md` without a name and a description is an ordinary document.
    let parts = [
        Part::new("a/SKILL.md", SKILL),
        Part::new("a/b/SKILL.md", "# B\n"),
    ];
    assert_eq!(dirs(&from_zip(&zip_of(&parts))), ["a"]);
    let deep: Vec<String> = (0..=MAX_AROUND + 2)
        .map(|depth| "a/".repeat(depth) + "SKILL.md")
        .collect();
    let deep: Vec<&str> = deep.iter().map(String::as_str).collect();
    let skills = found(&deep).skills(&mut Budget::default());
    assert_eq!(
        (skills.dirs.len(), skills.too_deep.len()),
        (MAX_AROUND + 1, 2)
    );
}

#[test]
fn hostile_names_are_attacks_and_their_files_are_scanned() {
    for name in [
        &b"/a/run.sh"[..],
        b"../a/run.sh",
        b"x/../a/run.sh",
        b"C:\\a\\run.sh",
        b"a/run.sh\0.md",
    ] {
        let part = Part {
            name,
            ..Part::new("", "echo a")
        };
        let archive = from_zip(&zip_of(&[Part::new("a/SKILL.md", SKILL), part]));
        assert!(kinds(&archive).contains(&FlawKind::Attack), "{name:?}");
        assert!(seen(&archive).contains("run.sh echo a"), "{name:?}");
        let skill = skill_of(archive, "a");
        let is_attack = |flaw: &Flaw| flaw.kind == FlawKind::Attack;
        assert!(skill.tree.flaws.iter().any(is_attack), "{name:?}");
    }
    for (name, kind) in [
        (&b"a\\run.sh"[..], FlawKind::Odd),
        (&b"a/run.sh."[..], FlawKind::Odd),
        (&b"a /run.sh"[..], FlawKind::Odd),
        (&b"a/run.sh:b"[..], FlawKind::Odd),
        (&b"a/run.sh;1"[..], FlawKind::Odd),
        (&b"a/run\x01.sh"[..], FlawKind::Odd),
        (&b"a/r\xfcn.sh"[..], FlawKind::Odd),
        (&[b'a'; 5000][..], FlawKind::Unread),
    ] {
        let part = Part {
            name,
            ..Part::new("", "echo a")
        };
        let archive = from_zip(&zip_of(&[part]));
        assert_eq!(kinds(&archive), [kind]);
        assert_eq!(archive.whole.len(), 1, "{name:?}");
    }
    let archive = from_zip(&zip_of(&[Part::new("a/\u{17f}kill.md", SKILL)]));
    assert!(seen(&archive).contains("is a SKILL.md on some systems"));
}

/// Hostile: a small archive with many skills and many flaws led to a gigabyte of output.
#[test]
fn the_flaws_of_an_archive_are_listed_once() {
    let (odd, attack) = (FlawKind::Odd, FlawKind::Attack);
    let cases: [(&[&str], &[FlawKind]); 3] = [
        (&[], &[]),
        (&["x1:y"], &[odd]),
        (&["x1:y", "../x", "/y", "x2:y"], &[odd, attack, attack, odd]),
    ];
    for (names, kinds) in cases {
        let names = ["a/SKILL.md", "b/SKILL.md"].iter().chain(names);
        let parts: Vec<Part<'_>> = names.map(|name| Part::new(name, SKILL)).collect();
        let data = zip_of(&parts);
        let kinds_of = |dir: &str, is_first: bool| -> Vec<FlawKind> {
            let skill = packed(from_zip(&data), dir, is_first);
            skill.tree.flaws.iter().map(|flaw| flaw.kind).collect()
        };
        assert_eq!(kinds_of("a", true), kinds);
        let worst = kinds.iter().max().copied();
        assert_eq!(kinds_of("b", false), Vec::from_iter(worst));
    }
}

#[test]
fn all_entries_of_one_name_are_scanned() {
    let parts = [
        Part::new("a/SKILL.md", "# First\n"),
        Part::new("a/SKILL.md", "# Second\n"),
        Part::new("a/SKILL.md", "# Third\n"),
        Part::new("a/same.md", "# Same\n"),
        Part::new("a/same.md", "# Same\n"),
    ];
    let expected = "a/SKILL (copy 1).md # First\n\
                    a/SKILL (copy 2).md # Second\n\
                    a/SKILL.md # Third\n\
                    a/same.md # Same\n\
                    Odd: the archive has different entries called 'a/SKILL.md'; \
                    an earlier one was scanned as 'a/SKILL (copy 1).md'\n";
    assert_eq!(seen(&from_zip(&zip_of(&parts))), expected);
    let files = parts.map(|part| {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        (text(part.name), text(&part.content))
    });
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, text)| (&**name, &**text))
        .collect();
    let tar = tar_of(&files).into_inner().unwrap();
    assert_eq!(seen(&from_tar(&tar)), expected);
}

#[test]
fn a_file_that_is_also_a_folder_is_a_flaw_of_the_archive() {
    let names = ["k/SKILL.md", "x", "x-y", "x/z"];
    let data = zip_of(&names.map(|name| Part::new(name, SKILL)));
    let archive = from_zip(&data);
    assert_eq!(kinds(&archive), [FlawKind::Odd]);
    assert_eq!(archive.whole.len(), 1);
}

#[test]
fn names_that_differ_in_case_are_reported_in_their_skill() {
    let parts = [
        Part::new("a/SKILL.md", SKILL),
        Part::new("a/Run.sh", "1"),
        Part::new("a/run.sh", "2"),
        Part::new("b/SKILL.md", SKILL),
    ];
    let data = zip_of(&parts);
    assert_eq!(skill_of(from_zip(&data), "a").tree.flaws.len(), 1);
    assert_eq!(skill_of(from_zip(&data), "b").tree.flaws, []);
}

#[test]
fn the_limits_apply_to_all_archives_of_a_run() {
    let part = Part::deflated("a/big.txt", vec![0; 30 << 20]);
    let data = zip_of(&[Part::new("a/SKILL.md", SKILL), part]);
    let mut budget = full_budget();
    let mut unread = 0;
    for _ in 0..9 {
        let mut entries = Entries::new(&mut budget);
        unzip::read(&data, &mut entries, &Stop::default()).unwrap();
        unread += kinds(&entries.finish(&Stop::default())).len();
    }
    assert_eq!(unread, 1);
    let parts: Vec<Part<'_>> = (0..60_000).map(|_| Part::new("a", "")).collect();
    let many = zip_of(&parts);
    let mut budget = Budget::default();
    for is_full in [false, true] {
        let mut entries = Entries::new(&mut budget);
        unzip::read(&many, &mut entries, &Stop::default()).unwrap();
        let archive = entries.finish(&Stop::default());
        assert_eq!(seen(&archive).contains("too many entries"), is_full);
    }
}

#[test]
fn archives_that_are_cut_off_are_reported() {
    let zip = zip_of(&[Part::new("SKILL.md", SKILL)]);
    let mut budget = Budget::default();
    let mut entries = Entries::new(&mut budget);
    for end in 0..zip.len() {
        let read = unzip::read(&zip[..end], &mut entries, &Stop::default());
        assert!(read.is_err(), "{end}");
    }
    let tar = tar_of(&[("SKILL.md", SKILL), ("run.sh", "echo a\n")]);
    let tar = tar.into_inner().unwrap();
    for end in [513, 600, 1024, 1100, 1600, 2048] {
        let archive = from_tar(&tar[..end]);
        assert!(kinds(&archive).contains(&FlawKind::Unread), "{end}");
    }
    let compressed = gzip(&tar);
    let archive = from_gzip(&compressed[..compressed.len() - 4]);
    assert!(kinds(&archive).contains(&FlawKind::Unread));
    let mut entries = Entries::new(&mut budget);
    for wrong in [&b"text"[..], &gzip(b"text")] {
        assert!(untar::read_gzip(wrong, &mut entries, &Stop::default()).is_err());
    }
}

#[test]
fn devices_and_pipes_are_reported() {
    for kind in [EntryType::Char, EntryType::Block, EntryType::Fifo] {
        let mut tar = tar_of(&[("SKILL.md", SKILL)]);
        append(&mut tar, kind, b"x", "", "");
        let archive = from_tar(&tar.into_inner().unwrap());
        assert_eq!(kinds(&archive), [FlawKind::Odd], "{kind:?}");
    }
    let pipe = Part {
        mode: 0o010_644,
        ..Part::new("x", "")
    };
    assert_eq!(kinds(&from_zip(&zip_of(&[pipe]))), [FlawKind::Odd]);
}

#[test]
fn archives_are_recognized_by_their_first_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let folder = canonical(dir.path());
    let read = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        let mut budget = Budget::default();
        read(name, &path, &mut budget, &Stop::default())
    };
    let zip = zip_of(&[Part::new("SKILL.md", SKILL)]);
    let tar = tar_of(&[("SKILL.md", SKILL)]).into_inner().unwrap();
    let stub = [b"#!/bin/sh\n".to_vec(), zip.clone()].concat();
    for (name, bytes) in [
        ("a", &zip),
        ("a.skill", &zip),
        ("b", &tar),
        ("b.tar", &tar),
        ("c", &gzip(&tar)),
    ] {
        let archive = read(name, bytes).unwrap().unwrap();
        assert_eq!(dirs(&archive), [""], "{name}");
        assert_eq!(kinds(&archive), [], "{name}");
    }
    assert!(read("d.zip", &stub).is_err());
    for (name, bytes) in [
        ("e", &stub[..]),
        ("SKILL.md", SKILL.as_bytes()),
        ("f", &b""[..]),
    ] {
        assert!(read(name, bytes).unwrap().is_none(), "{name}");
    }
    for name in ["g.zip", "g.skill", "g.tar", "g.tar.gz", "g.TGZ"] {
        let error = read(name, b"<html>not found</html>").unwrap_err();
        let said = error.message();
        assert!(
            said.contains(&format!("archive {name} cannot be read: ")),
            "{said}"
        );
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(folder.join("a"), folder.join("link.zip")).unwrap();
        let mut budget = Budget::default();
        let path = folder.join("link.zip");
        assert!(super::read("link.zip", &path, &mut budget, &Stop::default()).is_err());
    }
    let gone = super::read(
        "x",
        Path::new("/no.zip"),
        &mut Budget::default(),
        &Stop::default(),
    );
    assert!(gone.unwrap().is_none());
}

/// Some programs recognize an archive by its name, some by its first bytes, and some by its last bytes.
#[test]
fn an_archive_of_two_formats_is_not_scanned_completely() {
    let dir = tempfile::tempdir().unwrap();
    let folder = canonical(dir.path());
    let zip = zip_of(&[Part::new("SKILL.md", SKILL)]);
    let tar = tar_of(&[("SKILL.md", SKILL)]).into_inner().unwrap();
    let mut with_zip = tar_of(&[("SKILL.md", SKILL)]);
    append(
        &mut with_zip,
        EntryType::Regular,
        b"end",
        "",
        "PK\u{5}\u{6}",
    );
    let with_zip = with_zip.into_inner().unwrap();
    for (name, bytes) in [
        ("a.zip", &tar),
        ("a.tar", &zip),
        ("a.tar", &gzip(&tar)),
        ("a.tgz", &zip),
        ("a.tar", &with_zip),
        ("a", &with_zip),
        ("a.tgz", &[gzip(&tar), zip.clone()].concat()),
    ] {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        let archive = read(name, &path, &mut Budget::default(), &Stop::default());
        let archive = archive.unwrap().unwrap();
        assert_eq!(dirs(&archive), [""], "{name}");
        let flaw = archive.whole.first().unwrap();
        assert_eq!(flaw.kind, FlawKind::Unread, "{name}");
        assert!(flaw.message.contains("in one format only"), "{name}");
    }
    let mut tar = tar_of(&[]);
    append(&mut tar, EntryType::Regular, b"PK\x03\x04", "", "");
    let both = tar.into_inner().unwrap();
    assert_eq!(Format::of_bytes(&both), Some(Format::Zip));
    assert!(Format::Zip.is_doubtful(&both, Some(Format::Zip)));
}
