//! What only a process without the right to read everything can show: files and directories that are closed to it.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;
use std::process::Command;

use crate::{Output, World};

/// The privileges of root that open every door.
const KEYS: &str = "-dac_override,-dac_read_search";

/// Closes a file or directory, and opens it again at the end so that it can be removed.
pub struct Unreadable(PathBuf);

impl Unreadable {
    /// Closes it.
    pub fn new(path: PathBuf) -> Self {
        fs::set_permissions(&path, Permissions::from_mode(0o000)).expect("our own");
        Self(path)
    }
}

impl Drop for Unreadable {
    fn drop(&mut self) {
        fs::set_permissions(&self.0, Permissions::from_mode(0o700)).expect("our own");
    }
}

/// Runs the real program without the privilege to open what is closed; `None`, said aloud, where that cannot be had.
///
/// `program`: as for [`World::process`].
#[expect(clippy::print_stderr, reason = "a check that is skipped says so")]
pub fn run_without_privilege(world: &World, program: &str, args: &[&str]) -> Option<Output> {
    let plain = world.process(program, args);
    let is_root = world.cwd.metadata().expect("it is there").uid() == 0;
    let mut command = if !is_root {
        plain
    } else if has_setpriv() {
        without_keys(&plain)
    } else {
        eprintln!("skipped: root without setpriv opens every door");
        return None;
    };
    Some(Output::new(command.output().expect("a process")))
}

fn has_setpriv() -> bool {
    let asked = Command::new("setpriv").arg("--version").output();
    asked.is_ok_and(|output| output.status.success())
}

/// Makes a command that runs another without the privileges of root to read and write everything.
fn without_keys(plain: &Command) -> Command {
    let mut command = Command::new("setpriv");
    command
        .arg(format!("--bounding-set={KEYS}"))
        .arg(format!("--inh-caps={KEYS}"))
        .arg(plain.get_program())
        .args(plain.get_args())
        .env_clear()
        .env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin");
    let variables = plain.get_envs();
    command.envs(variables.filter_map(|(name, value)| Some((name, value?))));
    if let Some(dir) = plain.get_current_dir() {
        command.current_dir(dir);
    }
    command
}
