//! The usage log, which other processes write, move and delete while a server has it open.

use std::fs;

use skillc_core::layout::local_runtime;
use skillc_tests::database;

use crate::cache::support::{Server, rows, search};

fn use_it(server: &Server) -> Vec<String> {
    let (result, notices) = server.call(&search("hello"));
    assert!(result.is_ok(), "{result:?}");
    notices
}

/// C-LOGGING@7.1.
#[test]
fn every_call_adds_a_row_even_with_concurrent_writers() {
    let server = Server::new(&[]);
    let before = rows(&server.log());
    for round in 1..=5 {
        use_it(&server);
        use_it(&server);
        server.world.skc(["search", "demo", "hello"]).success();
        assert_eq!(rows(&server.log()), before + 3 * round);
    }
    let log = server.log();
    let beside = fs::read_dir(log.parent().expect("a directory")).expect("a directory");
    let beside = beside.flatten().filter(|entry| {
        let name = entry.file_name().into_string().expect("UTF-8");
        name.starts_with("logs.db-")
    });
    assert_eq!(beside.count(), 0);
}

/// C-LOGGING@7.2.
#[test]
fn a_deleted_log_is_created_again() {
    let server = Server::new(&[]);
    use_it(&server);
    fs::remove_file(server.log()).expect("a log");
    for count in 1..=3 {
        assert_eq!(use_it(&server), [""; 0]);
        assert_eq!(rows(&server.log()), count);
    }
    fs::remove_dir_all(server.world.demo_runtime()).expect("a build");
    server.is_stale("no build");
    assert_eq!(rows(&server.log()), 1);
    server.build();
    use_it(&server);
    assert!(rows(&server.log()) >= 2);
}

/// C-LOGGING@7.2.
#[test]
fn rows_go_to_a_log_that_replaced_the_old_one() {
    let server = Server::new(&[]);
    for _ in 0..3 {
        use_it(&server);
    }
    let (log, other) = (server.log(), server.world.home.join("other.db"));
    fs::copy(&log, &other).expect("a log");
    database::change(&other, "DELETE FROM access_log; VACUUM");
    let old = server.world.home.join("old.db");
    fs::rename(&log, &old).expect("a log");
    let kept = rows(&old);
    fs::copy(&other, &log).expect("a log");
    use_it(&server);
    use_it(&server);
    assert_eq!((rows(&log), rows(&old)), (2, kept));
    // The log is overwritten in place, as when a user restores a backup.
    fs::write(&log, fs::read(&other).expect("a log")).expect("should be writable");
    use_it(&server);
    assert_eq!(rows(&log), 1);
    let sound: String = database::read(&log)
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .expect("a log");
    assert_eq!(sound, "ok");
}

/// C-LOGGING@7.5.
#[test]
fn a_damaged_log_is_left_unchanged_and_the_row_goes_to_the_fallback() {
    let server = Server::new(&[]);
    let local = local_runtime(&server.world.cwd, "demo").logs();
    let garbage = [b"garbage".repeat(900), b"x".to_vec(), vec![0; 8192]];
    for (count, garbage) in (1..).zip(garbage) {
        use_it(&server);
        let (log, away) = (server.log(), server.world.home.join("away.db"));
        fs::copy(&log, &away).expect("a log");
        fs::write(&log, &garbage).expect("should be writable");
        use_it(&server);
        assert_eq!(fs::read(&log).expect("a file"), garbage);
        assert_eq!(rows(&local), count);
        fs::rename(&away, &log).expect("a log");
    }
    let before = rows(&server.log());
    use_it(&server);
    assert_eq!(rows(&server.log()), before + 1);
}

/// C-LOGGING@7.2.
#[test]
fn a_truncated_log_starts_empty() {
    let server = Server::new(&[]);
    use_it(&server);
    fs::write(server.log(), "").expect("should be writable");
    use_it(&server);
    assert_eq!(rows(&server.log()), 1);
    use_it(&server);
    assert_eq!(rows(&server.log()), 2);
}

/// C-LOGGING@7.2: forward compatibility.
#[test]
fn a_log_of_a_newer_version_is_still_appended_to() {
    let server = Server::new(&[]);
    use_it(&server);
    let before = rows(&server.log());
    let newer = "ALTER TABLE access_log ADD COLUMN agent TEXT; PRAGMA user_version = 9";
    database::change(&server.log(), newer);
    use_it(&server);
    use_it(&server);
    assert_eq!(rows(&server.log()), before + 2);
}
