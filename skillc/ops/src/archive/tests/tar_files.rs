//! Tar files that attack, contradict themselves, or are damaged.

use super::*;

#[test]
fn links_are_followed_within_the_skill_and_reported_outside() {
    let mut tar = tar_of(&[
        ("a/SKILL.md", SKILL),
        ("a/data.md", "# D\n"),
        ("b.md", "# B\n"),
    ]);
    for (name, target) in [
        ("a/near.md", "data.md"),
        ("a/up.md", "../b.md"),
        ("a/keys", "/home/me/.ssh/id_rsa"),
        ("a/gone.md", "no.md"),
    ] {
        append(&mut tar, EntryType::Symlink, name.as_bytes(), target, "");
    }
    append(&mut tar, EntryType::Link, b"a/hard.md", "b.md", "");
    append(&mut tar, EntryType::Link, b"a/lost.md", "c.md", "");
    let archive = from_tar(&tar.into_inner().unwrap());
    let skill = skill_of(archive, "a");
    assert_eq!(skill.tree.escaping, ["keys", "up.md"]);
    assert_eq!(skill.tree.written_target("keys"), "/home/me/.ssh/id_rsa");
    let documents: Vec<&str> = skill.documents().map(|doc| doc.path.as_str()).collect();
    assert_eq!(documents, ["SKILL.md", "data.md", "hard.md", "near.md"]);
    let flaws: Vec<&str> = skill.tree.flaws.iter().map(|flaw| &*flaw.message).collect();
    let lost =
        "'a/lost.md' was not scanned: it is a hard link to 'c.md', which is not in the archive";
    assert_eq!(flaws, [lost]);
}

#[test]
fn links_that_lead_the_unpacking_program_elsewhere_are_attacks() {
    let attacks: [&[(EntryType, &str, &str)]; 4] = [
        &[
            (EntryType::Symlink, "a", "/home/me"),
            (EntryType::Regular, "a/x.sh", ""),
        ],
        &[
            (EntryType::Symlink, "x.sh", "/etc/x"),
            (EntryType::Regular, "x.sh", ""),
        ],
        &[(EntryType::Link, "x.sh", "/etc/passwd")],
        &[(EntryType::Link, "x.sh", "../../x")],
    ];
    for attack in attacks {
        let mut tar = tar_of(&[("SKILL.md", SKILL)]);
        for (kind, name, target) in attack {
            append(&mut tar, *kind, name.as_bytes(), target, "");
        }
        let archive = from_tar(&tar.into_inner().unwrap());
        assert!(kinds(&archive).contains(&FlawKind::Attack), "{attack:?}");
    }
}

#[test]
fn long_names_and_extension_headers_of_tar_are_read() {
    let long = "d/".repeat(90) + "x.md";
    let mut tar = tar_of(&[("SKILL.md", SKILL)]);
    let mut header = Header::new_gnu();
    header.set_entry_type(EntryType::Regular);
    header.set_size(1);
    // The name in the header is cut off after a slash.
    tar.append_data(&mut header, &long, &b"1"[..]).unwrap();
    tar.append_pax_extensions([("path", &b"pax/y.md"[..]), ("mtime", &b"1.5"[..])])
        .unwrap();
    append(&mut tar, EntryType::Regular, b"pax/y.md", "", "2");
    append(
        &mut tar,
        EntryType::XGlobalHeader,
        b"g",
        "",
        "19 comment=0123456\n",
    );
    let archive = from_tar(&tar.into_inner().unwrap());
    let seen = seen(&archive);
    assert!(seen.contains(&format!("{long} 1\n")), "{seen}");
    assert!(seen.contains("pax/y.md 2\n"), "{seen}");
    assert_eq!(kinds(&archive), []);
}

#[test]
fn contradictory_headers_of_tar_are_reported() {
    let odd: [&[(EntryType, &str, &str)]; 10] = [
        &[
            (EntryType::XHeader, "x", "13 path=a.md\n"),
            (EntryType::XHeader, "x", "13 path=b.md\n"),
        ],
        &[(EntryType::XHeader, "x", "10 size=9\n")],
        &[(EntryType::XHeader, "x", "99 path=a\n")],
        &[(EntryType::XHeader, "x", "22 GNU.sparse.major=1\n")],
        &[(EntryType::XGlobalHeader, "g", "13 path=a.md\n")],
        &[(EntryType::XGlobalHeader, "g", "22 GNU.sparse.major=1\n")],
        &[(EntryType::XHeader, "x", "13 path=a.md\n13 path=b.md\n")],
        &[(EntryType::XHeader, "x", "12 size=+10\n")],
        &[(EntryType::XHeader, "x", "+13 path=a.md\n")],
        &[(EntryType::XHeader, "x", "27 comment=x\n13 path=b.md\n\n")],
    ];
    for headers in odd {
        let mut tar = tar_of(&[("SKILL.md", SKILL)]);
        for (kind, name, content) in headers {
            append(&mut tar, *kind, name.as_bytes(), "", content);
        }
        append(&mut tar, EntryType::Regular, b"y.md", "", "0123456789");
        let archive = from_tar(&tar.into_inner().unwrap());
        assert!(!kinds(&archive).is_empty(), "{headers:?}");
    }
    let mut tar = tar_of(&[("SKILL.md", SKILL)]);
    append(&mut tar, EntryType::GNUSparse, b"s.sh", "", "echo a\n");
    let archive = from_tar(&tar.into_inner().unwrap());
    assert!(seen(&archive).contains("'s.sh' was not scanned: it is a sparse file"));
    assert_eq!(kinds(&archive), [FlawKind::Unread]);
}

/// Returns a record of an extension header, with a correct length.
fn record(key: &str, value: &str) -> String {
    let rest = key.len() + value.len() + 3;
    let length = (rest..rest + 20).find(|length| rest + length.to_string().len() == *length);
    format!("{} {key}={value}\n", length.unwrap())
}

/// Returns an archive with a file after these extension headers.
fn with_extensions(headers: &[(u8, &str)]) -> Archive {
    let mut tar = tar_of(&[("SKILL.md", SKILL)]);
    for (kind, content) in headers {
        append(&mut tar, EntryType::new(*kind), b"x", "", content);
    }
    append(&mut tar, EntryType::Regular, b"y.md", "", "text\n");
    from_tar(&tar.into_inner().unwrap())
}

/// Hostile: GNU tar, Python and node-tar read each of these records differently.
#[test]
fn records_that_are_not_written_as_usual_are_reported() {
    for (key, value) in [
        (" path", "a.md"),
        ("\tpath", "a.md"),
        ("", "x"),
        ("a\0b", "x"),
        ("Path", "a.md"),
        ("path", ""),
        ("path", "a.md\nx"),
        ("linkpath", "a\0b"),
        (" linkpath", "a.md"),
        ("linkpath", ""),
        (" size", "0"),
        ("size", "05"),
        ("size", ""),
        ("mtime", "x"),
        ("comment", "a\n13 path=b.md"),
        ("SCHILY.realsize", "0"),
        ("SCHILY.xattr.user.a", "a\n13 path=b.md"),
        ("SCHILY.xattr.user.a", "a\n\u{a0}+13 path=b.md"),
        ("SCHILY.xattr.user a", "x"),
        ("hdrcharset", "UTF-7"),
        ("GNU.volume.filename", "a.md"),
    ] {
        let archive = with_extensions(&[(b'x', &*record(key, value))]);
        assert!(!archive.whole.is_empty(), "{key:?} {value:?}");
    }
    let comment: &str = &record("comment", "x");
    let (name, target) = ("y.md\0", "z.md\0");
    for headers in [
        &[(b'x', "013 path=y.md\n")][..],
        &[(b'x', "13  path=y.m\n")],
        &[(b'x', "13 path=y.md\n\n")],
        &[(b'x', comment), (b'x', comment)],
        &[(b'x', comment), (b'g', comment)],
        &[(b'x', comment), (b'K', target)],
        &[(b'L', name), (b'x', comment)],
        &[(b'L', name), (b'L', name)],
        &[(b'X', comment)],
        &[(b'L', "y.md\0\0z")],
    ] {
        let archive = with_extensions(headers);
        assert!(!archive.whole.is_empty(), "{headers:?}");
    }
}

#[test]
fn records_that_are_written_as_usual_are_not_reported() {
    let records = [
        ("path", "y.md"),
        ("size", "5"),
        ("mtime", "-1.5"),
        ("uid", "1000"),
        ("uname", "a b"),
        ("hdrcharset", "BINARY"),
        ("SCHILY.dev", "1"),
        ("SCHILY.acl.access", "user::rw-\ngroup::r--\n"),
        ("SCHILY.xattr.com.apple.lastuseddate#PS", "a\0b\nc"),
        ("LIBARCHIVE.xattr.com.apple.provenance", "AQIA"),
        ("LIBARCHIVE.creationtime", "1.25"),
    ];
    let records: String = records.map(|(key, value)| record(key, value)).concat();
    let comment: &str = &record("comment", "0123");
    for headers in [
        &[(b'x', &*records)][..],
        &[(b'g', comment), (b'x', &*records)],
        &[(b'L', "y.md\0")],
        &[(b'L', "y.md")],
    ] {
        let archive = with_extensions(headers);
        assert_eq!(seen(&archive).lines().last(), Some("y.md text"));
    }
    for headers in [
        [(b'L', "y.md\0"), (b'K', "z.md\0")],
        [(b'K', "z.md"), (b'L', "y.md")],
    ] {
        let link = (EntryType::Symlink, &b"y.md"[..], "z.md");
        assert_eq!(kinds(&with_names(&headers, &[], link)), []);
    }
}

/// Returns an archive with these files outside its skill `k`, and an entry after extension headers. `entry`: its type,
/// and the name and the target in its own header.
fn with_names(
    headers: &[(u8, &str)],
    others: &[(&str, &str)],
    entry: (EntryType, &[u8], &str),
) -> Archive {
    let mut tar = tar_of(&[("k/SKILL.md", SKILL)]);
    for (name, content) in others {
        append(&mut tar, EntryType::Regular, name.as_bytes(), "", content);
    }
    for (kind, content) in headers {
        append(&mut tar, EntryType::new(*kind), b"x", "", content);
    }
    let (kind, name, target) = entry;
    append(&mut tar, kind, name, target, "");
    from_tar(&ended(&tar))
}

/// Hostile: Perl and others ignore extension headers, and node-tar drops a record if a chunk of the file ends in it.
#[test]
fn an_own_name_that_is_not_the_long_one_is_a_flaw_of_the_archive() {
    let (file, link, hard) = (EntryType::Regular, EntryType::Symlink, EntryType::Link);
    let long = format!("k/{}x.md", "folder/".repeat(30));
    let name = |name: &str| record("path", name);
    let target = |name: &str| record("linkpath", name);
    let outside = [("x/run", "attack\n"), ("x\u{e9}/run", "echo a\n")];
    for (records, own, is_odd) in [
        (name("docs/a.bin"), (file, "k/run.sh", ""), true),
        (name("docs/a.bin"), (link, "k/run.sh", "a"), true),
        (name("k\u{e9}/run.sh"), (file, "k/run.sh", ""), true),
        (name("x/@LongHardLink"), (file, "x/@LongHardLink", ""), true),
        (
            target("SKILL.md"),
            (link, "k/n.md", "/root/.ssh/id_rsa"),
            true,
        ),
        (target("x\u{e9}/run"), (hard, "k/run.sh", "x/run"), true),
        (target("k/a.md"), (file, "k/b.md", ""), true),
        (name(&long), (file, &long[..100], ""), false),
        (name("k/r\u{e9}n.sh"), (file, "k/rn.sh", ""), false),
        (name("x\u{e9}/a"), (file, "x/a", ""), false),
        (target(&long), (link, "k/n.md", "././@LongSymLink"), false),
    ] {
        let (kind, path, to) = own;
        let entry = (kind, path.as_bytes(), to);
        let archive = with_names(&[(b'x', &*records)], &outside, entry);
        assert_eq!(!kinds(&archive).is_empty(), is_odd, "{records} {own:?}");
    }
    // The file that programs without extension headers use is also scanned.
    let records = target("x\u{e9}/run");
    let archive = with_names(&[(b'x', &*records)], &outside, (hard, b"k/run.sh", "x/run"));
    assert!(seen(&archive).contains("k/run.sh attack"));
}

/// Hostile: node-tar drops an entry with an unexpected target, and reads its data as headers.
#[test]
fn a_target_of_an_entry_that_is_not_a_link_is_a_flaw_of_the_archive() {
    let dir = EntryType::Directory;
    let long = [(b'K', "x\0")];
    for (headers, kind, target) in [
        (&[][..], EntryType::Regular, "x"),
        (&[][..], dir, "x"),
        (&long[..], EntryType::Regular, ""),
    ] {
        let archive = with_names(headers, &[], (kind, b"k/a", target));
        assert_eq!(archive.whole.len(), 1, "{headers:?}");
    }
    for (kind, target, flaws) in [
        (EntryType::XHeader, "PaxHeader", 0),
        (EntryType::XHeader, "x", 1),
        (EntryType::GNULongName, "PaxHeader", 1),
    ] {
        let mut tar = tar_of(&[("SKILL.md", SKILL)]);
        let content = match kind {
            EntryType::XHeader => "13 path=y.md\n",
            _ => "y.md\0",
        };
        append(&mut tar, kind, b"x", target, content);
        append(&mut tar, EntryType::Regular, b"y.md", "", "");
        let archive = from_tar(&ended(&tar));
        assert_eq!(archive.whole.len(), flaws, "{kind:?} {target}");
    }
}

/// Hostile: Python also reads records in the padding of a header.
#[test]
fn data_in_the_padding_of_an_extension_header_is_reported() {
    let mut tar = tar_of(&[("SKILL.md", SKILL)]);
    append(&mut tar, EntryType::XHeader, b"x", "", "13 mtime=1.5\n");
    let data = tar.get_mut();
    let at = data.len() - 512 + 13;
    data[at..at + 13].copy_from_slice(b"13 path=a.md\n");
    append(&mut tar, EntryType::Regular, b"y.md", "", "");
    let archive = from_tar(&tar.into_inner().unwrap());
    assert_eq!(archive.whole.len(), 1);
}

/// Hostile: Python takes the file for a folder without data, and reads its data as further entries.
#[test]
fn a_file_with_the_header_of_a_folder_is_a_flaw_of_the_archive() {
    for (kind, extension) in [
        (0, Some((b'x', "14 path=b.bin\n"))),
        (b'0', Some((b'x', "14 path=b.bin\n"))),
        (0, Some((b'L', "x/b.bin\0"))),
        (0, None),
    ] {
        let mut tar = tar_of(&[("SKILL.md", SKILL)]);
        if let Some((kind, content)) = extension {
            append(&mut tar, EntryType::new(kind), b"x", "", content);
        }
        let mut header = Header::new_gnu();
        header.as_mut_bytes()[..2].copy_from_slice(b"x/");
        header.as_mut_bytes()[156] = kind;
        header.set_size(7);
        header.set_mode(0o644);
        header.set_cksum();
        tar.append(&header, &b"echo a\n"[..]).unwrap();
        let archive = from_tar(&tar.into_inner().unwrap());
        let found = seen(&archive);
        assert!(found.contains("contradictory headers for"), "{found}");
    }
    // Old programs wrote folders in this way.
    let mut tar = tar_of(&[("x/SKILL.md", SKILL)]);
    append(&mut tar, EntryType::new(0), b"x/", "", "");
    assert_eq!(kinds(&from_tar(&tar.into_inner().unwrap())), []);
}

/// Some programs do not stop at the first NUL of a field, and some accept numbers in other notations.
#[test]
fn header_fields_with_other_data_are_reported() {
    let changes: [(usize, &[u8]); 7] = [
        (0, b"x.sh\0\ny"),
        (157, b"a\0b"),
        (345, b"\0b"),
        (124, b"0o7\0\0\0\0\0\0\0\0\0"),
        (124, b"0_7\0\0\0\0\0\0\0\0\0"),
        (124, b"7\x009\0\0\0\0\0\0\0"),
        (124, b"\t7\0\0\0\0\0\0\0\0\0\0"),
    ];
    for (at, field) in changes {
        let archive = with_header(|bytes| bytes[at..at + field.len()].copy_from_slice(field));
        assert_eq!(archive.whole.len(), 1, "{at} {field:?}");
    }
    for field in [b"           7", b"7           ", b" 0000000007\0"] {
        let archive = with_header(|bytes| bytes[124..136].copy_from_slice(field));
        assert_eq!(kinds(&archive), []);
    }
    // node-tar writes timestamps after a short prefix.
    let archive = with_header(|bytes| bytes[476..488].copy_from_slice(b"15302317643\0"));
    assert_eq!(kinds(&archive), []);
}

/// Hostile: GNU tar unpacks the file as `k/run.sh`.
#[test]
fn a_sparse_file_with_a_prefix_is_a_flaw_of_the_archive() {
    let archive = with_header(|bytes| {
        bytes[156] = b'S';
        bytes[257..265].copy_from_slice(b"ustar\0  ");
        bytes[345] = b'k';
    });
    assert!(seen(&archive).contains("which programs may unpack under another name"));
    assert!(kinds(&archive).contains(&FlawKind::Unread));
    assert!(!archive.whole.is_empty());
}

/// Returns a tar file with the blocks that mark its end.
fn ended(tar: &Builder<Vec<u8>>) -> Vec<u8> {
    [&tar.get_ref()[..], &[0; 1024]].concat()
}

/// Hostile: other programs may unpack such an entry into the skill.
#[test]
fn odd_entries_outside_all_skills_are_flaws_of_the_archive() {
    let mut tar = tar_of(&[("k/SKILL.md", SKILL), ("out/y", "attack\n")]);
    append(&mut tar, EntryType::Fifo, b"k/pipe", "", "");
    let archive = from_tar(&ended(&tar));
    assert!(archive.whole.is_empty(), "{:?}", archive.whole);
    let kinds = [EntryType::Fifo, EntryType::new(b'N')];
    for kind in kinds {
        let mut tar = tar_of(&[("k/SKILL.md", SKILL)]);
        append(&mut tar, kind, b"out/name", "", "");
        let archive = from_tar(&tar.into_inner().unwrap());
        assert_eq!(archive.whole.len(), 1, "{kind:?}");
    }
    // An entry of an unknown type may have any meaning, wherever it is.
    append(&mut tar, EntryType::new(b'N'), b"k/name", "", "out/y");
    let archive = from_tar(&tar.into_inner().unwrap());
    assert_eq!(archive.whole.len(), 1);
}

/// Hostile: programs that resolve a hard link at once, or write through it, unpack different content.
#[test]
fn hard_links_and_different_entries_are_a_flaw_of_the_archive() {
    let files = [("k/SKILL.md", SKILL), ("out/e.sh", "attack\n")];
    let mut tar = tar_of(&files);
    append(&mut tar, EntryType::Link, b"k/run.sh", "out/e.sh", "");
    let once = ended(&tar);
    append(&mut tar, EntryType::Regular, b"out/e.sh", "", "echo a\n");
    let archive = from_tar(&tar.into_inner().unwrap());
    assert!(seen(&archive).contains("hard links and different entries"));
    assert_eq!(kinds(&from_tar(&once)), []);
}

/// Returns an archive with a file whose header is changed after its usual fields are set.
fn with_header(change: impl FnOnce(&mut [u8; 512])) -> Archive {
    let mut header = Header::new_ustar();
    header.set_entry_type(EntryType::Regular);
    header.set_size(7);
    header.set_mode(0o644);
    let bytes = header.as_mut_bytes();
    bytes[..4].copy_from_slice(b"x.sh");
    change(bytes);
    header.set_cksum();
    let mut tar = tar_of(&[("SKILL.md", SKILL)]);
    tar.append(&header, &b"echo a\n"[..]).unwrap();
    from_tar(&tar.into_inner().unwrap())
}

/// Some programs use the prefix of a name regardless of the magic and the version.
#[test]
fn a_prefix_in_a_header_without_exact_magic_is_another_name() {
    let with = |magic: &[u8], prefix: &[u8]| {
        with_header(|bytes| {
            bytes[257..265].copy_from_slice(magic);
            bytes[345..345 + prefix.len()].copy_from_slice(prefix);
        })
    };
    let exact = with(b"ustar\x0000", b"b");
    assert!(seen(&exact).contains("b/x.sh echo a\n"));
    assert_eq!(kinds(&exact), []);
    for magic in [b"ustar\0\0\0", b"ustar  \0", b"\0\0\0\0\0\0\0\0"] {
        let archive = with(magic, b"b");
        let seen = seen(&archive);
        assert!(seen.contains("b/x.sh echo a\n"), "{seen}");
        assert!(seen.contains("\nx.sh echo a\n"), "{seen}");
        assert_eq!(kinds(&archive), [FlawKind::Odd]);
        assert_eq!(kinds(&with(magic, b"\0b")), [FlawKind::Odd]);
        assert_eq!(kinds(&with(magic, b"")), []);
    }
}

/// Old programs interpret a number after a plus sign as base 64.
#[test]
fn a_size_that_programs_read_differently_is_damaged() {
    for byte in [b'+', 0x81, 0xff] {
        let archive = with_header(|bytes| bytes[124] = byte);
        assert_eq!(kinds(&archive), [FlawKind::Unread], "{byte}");
    }
}

#[test]
fn a_size_in_an_extension_header_over_another_one_is_reported() {
    let mut tar = tar_of(&[("SKILL.md", SKILL)]);
    append(&mut tar, EntryType::XHeader, b"x", "", "10 size=7\n");
    append(&mut tar, EntryType::Regular, b"y.sh", "", "");
    let mut block = b"echo a\n".to_vec();
    block.resize(512, 0);
    tar.get_mut().extend(block);
    let archive = from_tar(&tar.into_inner().unwrap());
    assert!(seen(&archive).contains("y.sh echo a\n"));
    assert_eq!(kinds(&archive), [FlawKind::Odd]);
    for size in ["10 size=0\n", "10 size=7\n"] {
        let mut tar = tar_of(&[("SKILL.md", SKILL)]);
        append(&mut tar, EntryType::XHeader, b"x", "", size);
        append(&mut tar, EntryType::Directory, b"d/", "", "");
        let archive = from_tar(&tar.into_inner().unwrap());
        assert_eq!(kinds(&archive), [FlawKind::Odd]);
    }
}

#[test]
fn what_follows_the_end_of_a_tar_file_is_scanned_and_reported() {
    let tar = tar_of(&[("SKILL.md", SKILL)]).into_inner().unwrap();
    let more = tar_of(&[("run.sh", "echo a\n")]).into_inner().unwrap();
    let both = [tar.clone(), more.clone()].concat();
    let archive = from_tar(&both);
    assert!(seen(&archive).contains("run.sh echo a\n"));
    assert!(seen(&archive).contains("entries after its end"));
    for more in [gzip(&more), b"more".to_vec()] {
        let archive = from_gzip(&[gzip(&tar), more].concat());
        assert!(seen(&archive).contains("data after its end"));
        assert_eq!(kinds(&archive), [FlawKind::Unread]);
    }
    let padded = [gzip(&tar), vec![0; 100]].concat();
    assert_eq!(kinds(&from_gzip(&padded)), []);
    let behind = [tar, vec![b'x'; 600]].concat();
    assert!(kinds(&from_tar(&behind)).contains(&FlawKind::Unread));
}
