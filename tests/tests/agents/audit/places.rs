//! Where calls are logged, and from where `skc audit` reads them.

use std::fs;

use serde_json::json;
use skillc_core::config::Audit;
use skillc_ops::Notes;
use skillc_ops::audit::open_log;
use skillc_storage::AuditLog;
use skillc_tests::{World, snapshot_with_logs};

use crate::audit::support::{audit, begun, ended, ids, local, primary, shown, write};

/// Opens the log as a server in the working directory does. Returns the log and the warnings.
fn opened(world: &World, settings: Audit) -> (Option<AuditLog>, Vec<String>) {
    let mut notes = Notes::default();
    let log = open_log(&world.context_at(&world.cwd), settings, &mut notes);
    let said = notes.notices.iter().map(ToString::to_string).collect();
    (log, said)
}

#[test]
fn calls_are_logged_in_the_home() {
    let world = World::project();
    let (log, said) = opened(&world, Audit::default());
    log.expect("a log")
        .enter(&begun("c1", "t", 0, &json!({})))
        .expect("should succeed");
    assert!(said.is_empty(), "{said:?}");
    assert!(primary(&world).is_file() && !local(&world).exists());
    assert_eq!(shown(&world, &[]), ["c1"]);
}

#[test]
fn calls_are_not_logged_if_audit_is_disabled() {
    let world = World::project();
    let off = Audit {
        enabled: false,
        ..Audit::default()
    };
    let (log, said) = opened(&world, off);
    assert!(log.is_none() && said.is_empty(), "{said:?}");
    assert!(!primary(&world).exists() && !local(&world).exists());
}

/// Cases: a log of a newer version, and a log that cannot be created.
#[test]
fn calls_are_logged_in_the_working_directory_if_the_home_is_unwritable() {
    for is_newer in [true, false] {
        let world = World::project();
        if is_newer {
            write(&primary(&world), &begun("c0", "t", 9, &json!({})));
            skillc_tests::database::change(&primary(&world), "PRAGMA user_version = 99");
        } else {
            fs::write(world.home.join(".skillc"), "in the way").expect("should succeed");
        }
        let (log, said) = opened(&world, Audit::default());
        log.expect("a log")
            .enter(&begun("c1", "t", 0, &json!({})))
            .expect("should succeed");
        assert!(said.is_empty(), "{said:?}");
        assert!(local(&world).is_file());
    }
}

#[test]
fn a_single_warning_is_given_if_no_log_can_be_written() {
    let world = World::new();
    fs::write(world.home.join(".skillc"), "in the way").expect("should succeed");
    let (log, said) = opened(&world, Audit::default());
    assert!(log.is_none());
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("warning[W002]: "), "{said:?}");
    assert!(!world.cwd.join(".skillc").exists());
}

#[test]
fn calls_of_both_logs_are_merged() {
    let world = World::project();
    for (db, id, ago) in [
        (primary(&world), "home-1", 40),
        (local(&world), "here-1", 30),
        (primary(&world), "home-2", 20),
        (local(&world), "here-2", 10),
    ] {
        write(&db, &begun(id, "t", ago, &json!({})));
    }
    let answer = audit(&world, &["--limit", "3"]).success();
    assert_eq!(ids(&answer), ["here-2", "home-2", "home-1"]);
    assert_eq!(answer.json()["total"], 4);
    let all = audit(&world, &[]).success();
    assert_eq!(ids(&all), ["here-2", "home-2", "here-1", "home-1"]);
    let sources = [("here-2", "project"), ("home-2", "user")];
    for (call, (id, source)) in sources.iter().enumerate() {
        let call = &all.json()["calls"][call];
        assert_eq!(
            (&call["call_id"], &call["source"]),
            (&json!(id), &json!(source))
        );
    }
    let text = world.skc_at(&world.cwd, &["audit"]).success();
    let marked: Vec<bool> = text
        .text()
        .lines()
        .skip(1)
        .map(|line| line.contains(" t (project) "))
        .collect();
    assert_eq!(marked, [true, false, true, false], "{}", text.text());
    fs::remove_file(primary(&world)).expect("should succeed");
    assert_eq!(shown(&world, &[]), ["here-2", "here-1"]);
}

/// A repository may contain a forged log, whose rows may be valid or invalid.
#[test]
fn forged_project_calls_do_not_hide_those_of_the_user() {
    let world = World::project();
    for (id, ago) in [("mine-1", 500), ("mine-2", 400)] {
        write(&primary(&world), &begun(id, "t", ago, &json!({})));
    }
    for number in 0..60 {
        write(
            &local(&world),
            &begun(&format!("new-{number}"), "t", 10, &json!({})),
        );
    }
    write(
        &local(&world),
        &begun("future", "t", -3_600_000_000, &json!({})),
    );
    write(
        &local(&world),
        &begun("tool", "not a tool\u{1b}", 5, &json!({})),
    );
    for (id, change) in [
        ("time", "ts = 'zzz'"),
        ("took", "duration_ms = -1"),
        ("digest", "result_sha256 = 'short'"),
    ] {
        write(&local(&world), &begun(id, "t", 5, &json!({})));
        let change = format!("UPDATE audit SET {change} WHERE call_id = '{id}'");
        skillc_tests::database::change(&local(&world), &change);
    }
    let answer = audit(&world, &[]).success();
    let shown = ids(&answer);
    let (forged, mine) = shown.split_at(shown.len() - 2);
    assert_eq!(mine, ["mine-2", "mine-1"]);
    assert!(forged.iter().all(|id| id.starts_with("new-")), "{shown:?}");
    let few = audit(&world, &["--limit", "2"]).success();
    assert_eq!(ids(&few), ["mine-2", "mine-1"]);
    assert_eq!(few.json()["total"], 62);
    let all = audit(&world, &["--limit", "200"]).success();
    assert_eq!((ids(&all).len(), &all.json()["total"]), (62, &json!(62)));
}

/// The local usage logs of skills are in the same folder as the audit log.
#[test]
fn sync_does_not_move_audit_calls() {
    let world = World::project();
    write(&local(&world), &begun("c1", "t", 0, &json!({})));
    let text = world.skc(["sync"]).success();
    assert_eq!(
        (text.text(), &*text.stderr),
        ("No local logs to sync\n", "")
    );
    assert_eq!(shown(&world, &[]), ["c1"]);
}

#[test]
fn calls_in_flight_are_shown() {
    let world = World::new();
    let mut log = AuditLog::open(&primary(&world)).expect("should succeed");
    let call = begun("c1", "t", 0, &json!({}));
    log.enter(&call).expect("should succeed");
    assert_eq!(
        audit(&world, &[]).success().json()["calls"][0]["ok"],
        json!(null)
    );
    log.exit(&ended(&call)).expect("should succeed");
    assert_eq!(
        audit(&world, &[]).success().json()["calls"][0]["ok"],
        json!(true)
    );
}

#[test]
fn skc_audit_writes_nothing() {
    let world = World::project();
    write(&primary(&world), &begun("c1", "t", 0, &json!({})));
    write(&local(&world), &begun("c2", "t", 0, &json!({})));
    let before = (
        snapshot_with_logs(&world.home),
        snapshot_with_logs(&world.cwd),
    );
    assert_eq!(shown(&world, &[]).len(), 2);
    let after = (
        snapshot_with_logs(&world.home),
        snapshot_with_logs(&world.cwd),
    );
    assert!(before == after);
}

#[cfg(target_os = "linux")]
#[test]
fn a_read_only_home_is_read() {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use skillc_tests::unreadable::run_without_privilege;

    let world = World::new();
    write(&primary(&world), &begun("c1", "t", 0, &json!({})));
    let mode = |path: &Path, mode| {
        fs::set_permissions(path, Permissions::from_mode(mode)).expect("our own");
    };
    let folder = world.home.join(".skillc");
    mode(&primary(&world), 0o444);
    mode(&folder, 0o555);
    let program = env!("CARGO_BIN_EXE_skc-under-test");
    let answer = run_without_privilege(&world, program, &["audit", "-o", "json"]);
    mode(&folder, 0o755);
    if let Some(answer) = answer {
        assert_eq!(ids(&answer.success()), ["c1"]);
    }
}
