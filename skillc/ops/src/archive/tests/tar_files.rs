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
    header.set_size(1);
    tar.append_data(&mut header, &long, &b"1"[..]).unwrap();
    tar.append_pax_extensions([("path", &b"pax/y.md"[..]), ("mtime", &b"1.5"[..])])
        .unwrap();
    append(&mut tar, EntryType::Regular, b"y", "", "2");
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
    let odd: [&[(EntryType, &str, &str)]; 5] = [
        &[
            (EntryType::XHeader, "x", "13 path=a.md\n"),
            (EntryType::XHeader, "x", "13 path=b.md\n"),
        ],
        &[(EntryType::XHeader, "x", "10 size=9\n")],
        &[(EntryType::XHeader, "x", "99 path=a\n")],
        &[(EntryType::XHeader, "x", "22 GNU.sparse.major=1\n")],
        &[(EntryType::XGlobalHeader, "g", "13 path=a.md\n")],
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
    assert!(seen(&archive).contains("s.sh echo a\n"));
    assert_eq!(kinds(&archive), [FlawKind::Odd]);
}

#[test]
fn what_follows_the_end_of_a_tar_file_is_scanned_and_reported() {
    let tar = tar_of(&[("SKILL.md", SKILL)]).into_inner().unwrap();
    let more = tar_of(&[("run.sh", "echo a\n")]).into_inner().unwrap();
    let both = [tar.clone(), more.clone()].concat();
    let joined = [gzip(&tar), gzip(&more)].concat();
    let [both, joined] = [from_tar(&both), from_gzip(&joined)];
    for archive in [&both, &joined] {
        assert!(
            seen(archive).contains("run.sh echo a\n"),
            "{}",
            seen(archive)
        );
        assert!(seen(archive).contains("entries after its end"));
    }
    assert!(seen(&joined).contains("several gzip files"));
    let behind = [gzip(&tar), b"more".to_vec()].concat();
    assert!(seen(&from_gzip(&behind)).contains("data after its end"));
    let padded = [gzip(&tar), vec![0; 100]].concat();
    assert_eq!(kinds(&from_gzip(&padded)), []);
    let behind = [tar, vec![b'x'; 600]].concat();
    assert!(kinds(&from_tar(&behind)).contains(&FlawKind::Unread));
}
