//! Stale local logs.

use std::fs::File;
use std::time::{Duration, UNIX_EPOCH};

use skillc_core::testkit::{NOW, write_files};
use skillc_tests::World;

use crate::logging::support::{counts, local};

const STALE: &str = "warning[W003]: stale local logs for 'demo'; run 'skc sync' to upload\n";

/// Creates a project with a local log for a skill. The log was last written `age_s` seconds ago.
fn world(skill: &str, age_s: i64) -> World {
    let world = World::demo(&[]);
    let path = format!(".skillc/logs/{skill}/.skillc-meta/logs.db");
    write_files(&world.cwd, &[(&path, "")]);
    let log = File::options().write(true).open(world.cwd.join(path));
    let then = u64::try_from(NOW.0 - age_s).expect("after 1970");
    let set = log
        .expect("a file")
        .set_modified(UNIX_EPOCH + Duration::from_secs(then));
    set.expect("owned by this test");
    world
}

/// C-LOGGING@7.7, D-W002.
#[test]
fn local_logs_older_than_an_hour_produce_one_warning() {
    for age_s in [3_601, 1_000_000] {
        let world = world("demo", age_s);
        let output = world.skc(["outline", "demo"]).success();
        assert_eq!(output.stderr, STALE);
        assert_eq!(output.text(), "SKILL.md\n  # Demo\n");
    }
    let world = world("demo", 3_601);
    let output = world.skc(["open", "demo", "no.md"]);
    assert_eq!(
        output.stderr,
        format!("{STALE}error[E021]: file not found: 'no.md'\n")
    );
}

/// C-LOGGING@7.7.
#[test]
fn younger_logs_and_logs_of_other_skills_produce_no_warning() {
    for (skill, age_s) in [
        ("demo", 3_600),
        ("demo", 0),
        ("demo", -90_000),
        ("other", 90_000),
    ] {
        let world = world(skill, age_s);
        let output = world.skc(["outline", "demo"]).success();
        assert_eq!(output.stderr, "", "{skill} {age_s}");
    }
}

/// C-LOGGING@7.7: even the command that writes to the log warns about it.
#[test]
fn a_stale_log_produces_a_warning_before_it_is_written_to() {
    let world = world("demo", 90_000);
    std::fs::write(world.cwd.join(".skillc/runtime"), "in the way").expect("a file");
    let output = world.skc(["outline", "demo"]).success();
    assert_eq!(output.stderr, STALE);
    assert_eq!(counts(&world), (0, 1));
    assert!(local(&world).is_file());
}
