//! Files of other users keep their owner. These tests need root.
#![cfg(target_os = "linux")]
#![expect(clippy::print_stderr, reason = "a check that is skipped says so")]

use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::Path;
use std::process::Command;

use skillc_tests::{Output, World, snapshot};

use crate::mcp_install::support::{cursor, run, with_cursor};

/// The path of the program under test.
const SKC: &str = env!("CARGO_BIN_EXE_skc-under-test");

/// The ids of another user and group.
const OTHER: (u32, u32) = (12_345, 23_456);

fn owner(path: &Path) -> (u32, u32) {
    let found = fs::metadata(path).expect("a file");
    (found.uid(), found.gid())
}

/// Creates a world in which the file belongs to another user. Prints a message and returns `None` if that is
/// impossible.
fn with_file_of_other() -> Option<World> {
    let world = with_cursor("{}");
    let made = chown(cursor(&world), Some(OTHER.0), Some(OTHER.1));
    if made.is_err() {
        eprintln!("skipped: only root can change the owner of a file");
    }
    made.ok().map(|()| world)
}

#[test]
fn file_and_backup_keep_the_owner_of_the_file() {
    let Some(world) = with_file_of_other() else {
        return;
    };
    run(&world, &["install", "--client", "cursor"]).success();
    assert_eq!(owner(&cursor(&world)), OTHER);
    assert_eq!(owner(&world.home.join(".cursor/mcp.json.skc-bak")), OTHER);
}

#[test]
fn a_file_whose_owner_cannot_be_preserved_is_not_replaced() {
    let Some(world) = with_file_of_other() else {
        return;
    };
    let before = snapshot(&world.home);
    let plain = world.process(SKC, &["mcp", "install", "--client", "cursor"]);
    let mut command = Command::new("setpriv");
    command
        .args(["--bounding-set=-chown", "--inh-caps=-chown"])
        .arg(plain.get_program())
        .args(plain.get_args())
        .envs(
            plain
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
    let Ok(out) = command.current_dir(&world.cwd).output() else {
        eprintln!("skipped: setpriv is not installed");
        return;
    };
    Output::new(out).error(&format!(
        "error[E999]: '{}' belongs to another user or group",
        cursor(&world).display()
    ));
    assert_eq!(snapshot(&world.home), before);
    assert_eq!(owner(&cursor(&world)), OTHER);
}
