//! Unreadable files and directories, and a way to run the program without root's privilege to read such files.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;
use std::process::Command;

use crate::{Output, World};

/// Root's capabilities that bypass file permissions.
const CAPABILITIES: &str = "-dac_override,-dac_read_search";

/// Makes a file or directory unreadable. Restores the permissions on drop, so that the file can be removed.
pub struct Unreadable(PathBuf);

impl Unreadable {
    /// Removes all permissions.
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

/// Runs the real program without the privilege to bypass permissions. Prints a message and returns `None` if that is
/// impossible.
///
/// `program`: as for [`World::process`].
#[expect(clippy::print_stderr, reason = "a check that is skipped says so")]
pub fn run_without_privilege(world: &World, program: &str, args: &[&str]) -> Option<Output> {
    let plain = world.process(program, args);
    let is_root = world.cwd.metadata().expect("should exist").uid() == 0;
    let mut command = if !is_root {
        plain
    } else if has_setpriv() {
        without_capabilities(&plain)
    } else {
        eprintln!("skipped: running as root, and setpriv is not installed");
        return None;
    };
    Some(Output::new(command.output().expect("a process")))
}

fn has_setpriv() -> bool {
    let asked = Command::new("setpriv").arg("--version").output();
    asked.is_ok_and(|output| output.status.success())
}

/// Wraps a command so that it runs without root's capabilities to bypass file permissions.
fn without_capabilities(plain: &Command) -> Command {
    let mut command = Command::new("setpriv");
    command
        .arg(format!("--bounding-set={CAPABILITIES}"))
        .arg(format!("--inh-caps={CAPABILITIES}"))
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
