//! Damaged indexes: search and show report E002, and a build recreates the index.

use std::fs;
use std::path::Path;
use std::process::Command;

use skillc_tests::{World, database};

use crate::searching::support::{build, is_unusable, is_usable, place, places, search, show};

/// Replaces the index, and checks that it is rejected and then rebuilt.
fn is_refused_and_replaced(case: &str, put: impl FnOnce(&Path)) {
    let world = World::built_at_home(&[]);
    let index = world.demo_index();
    fs::remove_file(&index).expect("exists");
    put(&index);
    is_unusable(&world, case);
    build(&world);
    is_usable(&world, case);
    assert!(index.is_file() && !index.is_symlink(), "{case}");
}

/// Returns pseudo-random bytes, the same in every run.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    };
    (0..length).map(|_| next()).collect()
}

/// C-INDEX.6, C-INDEX.11.
#[test]
fn files_that_are_not_a_database_are_refused_and_replaced() {
    let headed = [b"SQLite format 3\0".to_vec(), noise(8192)].concat();
    for (case, bytes) in [
        ("zero bytes", Vec::new()),
        ("one byte", vec![0]),
        ("random bytes", noise(20_000)),
        ("a page of zeros", vec![0; 4096]),
        ("only the header", headed[..16].to_vec()),
        ("a header before random bytes", headed),
        ("text", b"not a database\n".to_vec()),
    ] {
        is_refused_and_replaced(case, |index| {
            fs::write(index, &bytes).expect("writable");
        });
    }
}

/// C-INDEX.6, C-INDEX.11.
#[test]
fn directories_are_refused_and_replaced() {
    is_refused_and_replaced("empty", |index| fs::create_dir(index).expect("a directory"));
    is_refused_and_replaced("full", |index| {
        fs::create_dir_all(index.join("a/b")).expect("a directory");
        fs::write(index.join("a/file"), "x").expect("writable");
    });
}

/// C-INDEX.6, C-INDEX.11.
#[cfg(unix)]
#[test]
fn symlinks_pipes_and_devices_are_refused_and_replaced() {
    let link =
        |target: &str, index: &Path| std::os::unix::fs::symlink(target, index).expect("a link");
    let pipe = |path: &Path| {
        let made = Command::new("mkfifo")
            .arg(path)
            .status()
            .expect("mkfifo runs");
        assert!(made.success());
    };
    is_refused_and_replaced("a link to zeros", |index| link("/dev/zero", index));
    is_refused_and_replaced("a link to nothing", |index| link("nowhere", index));
    is_refused_and_replaced("a link to itself", |index| {
        link(&index.to_string_lossy(), index);
    });
    is_refused_and_replaced("a pipe", pipe);
    is_refused_and_replaced("a link to a pipe", |index| {
        let target = index.with_extension("pipe");
        pipe(&target);
        link(&target.to_string_lossy(), index);
    });
}

/// C-INDEX.6, C-INDEX.11.
#[test]
fn an_index_truncated_anywhere_is_refused_and_replaced() {
    let world = World::built_at_home(&[("a.txt", &"zebra crossing ".repeat(500))]);
    let whole = fs::read(world.demo_index()).expect("an index");
    let pages =
        (1..=whole.len() / 4096).flat_map(|page| [page * 4096 - 1, page * 4096, page * 4096 + 1]);
    let odd = (0..whole.len()).step_by(whole.len() / 23);
    for length in [1, 15, 16, 24, 99, 100, 101, 511, 512]
        .into_iter()
        .chain(odd)
        .chain(pages)
    {
        let length = length.min(whole.len() - 1);
        fs::write(world.demo_index(), &whole[..length]).expect("writable");
        is_unusable(&world, &format!("cut to {length} bytes"));
        build(&world);
        is_usable(&world, &format!("cut to {length} bytes"));
    }
}

/// C-INDEX.6, C-INDEX.11, F-12.
#[test]
fn an_index_overwritten_anywhere_is_replaced_without_an_internal_error() {
    let text = "zebra crossing ".repeat(500);
    let world = World::built_at_home(&[("a.txt", &text)]);
    let whole = fs::read(world.demo_index()).expect("an index");
    let noise = noise(48);
    for at in (0..whole.len() - noise.len()).step_by(whole.len() / 61) {
        let mut bytes = whole.clone();
        bytes[at..at + noise.len()].copy_from_slice(&noise);
        fs::write(world.demo_index(), &bytes).expect("writable");
        for output in [
            search(&world),
            show(&world),
            world.skc(["search", "demo", "zebra"]),
        ] {
            let is_fine = output.ok || output.stderr.starts_with("error[E002]: ");
            assert!(is_fine, "at {at}: {output:?}");
        }
        build(&world);
        is_usable(&world, &format!("at {at}"));
        assert_eq!(places(&world, "zebra"), [place("a.txt", "")], "at {at}");
    }
}

/// C-INDEX.6, C-INDEX.11, F-12: if one byte of an index is flipped, its rows usually stay unchanged, or contain invalid
/// UTF-8. A build repairs an index that a search cannot read, even if the modification time of the file is unchanged.
#[test]
fn a_byte_flipped_anywhere_does_not_survive_a_build() {
    let text = "zebra crossing at dawn ".repeat(20);
    for keeps_time in [false, true] {
        let world = World::built_at_home(&[("a.txt", &text)]);
        let right = world
            .skc(["search", "demo", "zebra"])
            .success()
            .text()
            .to_owned();
        let index = world.demo_index();
        let content = fs::read(&index).expect("an index");
        let found = (0..content.len()).filter(|at| content[*at..].starts_with(b"zebra"));
        let around: Vec<usize> = found.take(6).collect();
        let odd = (0..content.len()).step_by(content.len() / 40);
        for at in odd.chain(around) {
            let mut bytes = fs::read(&index).expect("an index");
            let time = index.metadata().and_then(|found| found.modified());
            let at = at.min(bytes.len() - 1);
            bytes[at] ^= 0xff;
            fs::write(&index, &bytes).expect("writable");
            if keeps_time {
                let file = fs::File::options().write(true).open(&index);
                file.and_then(|file| file.set_modified(time?))
                    .expect("the time can be set");
            }
            let first = world.skc(["search", "demo", "zebra"]);
            build(&world);
            let then = world.skc(["search", "demo", "zebra"]);
            assert!(then.ok, "at {at}, {keeps_time}: {then:?}");
            // If the index can be read and its modification time is unchanged, a build does not check its content
            // again.
            if !keeps_time || !first.ok {
                assert_eq!(then.text(), right, "at {at}, {keeps_time}");
            }
            if keeps_time {
                fs::remove_file(&index).expect("exists");
                build(&world);
            }
        }
    }
}

/// C-INDEX.6: the index file is unreadable.
#[cfg(unix)]
#[test]
fn an_index_without_permission_is_refused_and_replaced() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::built_at_home(&[]);
    fs::set_permissions(world.demo_index(), fs::Permissions::from_mode(0o000))
        .expect("owned by this test");
    if fs::File::open(world.demo_index()).is_err() {
        // Root bypasses file permissions, so this cannot be tested as root.
        is_unusable(&world, "mode 0");
    }
    fs::remove_file(world.demo_index()).expect("exists");
    build(&world);
    is_usable(&world, "built again");
}

/// C-INDEX.6: another program has written to the index and left its journals behind.
#[test]
fn stray_journals_next_to_an_index_are_ignored() {
    let world = World::built_at_home(&[]);
    let index = world.demo_index();
    for suffix in ["-journal", "-wal", "-shm"] {
        let mut name = index.clone().into_os_string();
        name.push(suffix);
        fs::write(name, noise(2000)).expect("writable");
    }
    is_usable(&world, "journals");
}

/// C-INDEX.14, F-12.
#[test]
fn an_index_in_wal_mode_is_read_without_creating_files() {
    let world = World::built_at_home(&[]);
    let index = world.demo_index();
    database::change(
        &index,
        "PRAGMA journal_mode = WAL; UPDATE index_meta SET value = value;",
    );
    let count = || {
        index
            .parent()
            .and_then(|dir| dir.read_dir().ok())
            .map(Iterator::count)
    };
    let before = count();
    is_usable(&world, "WAL");
    assert_eq!(count(), before);
}
