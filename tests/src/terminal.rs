//! Runs the program on a pseudo-terminal.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, ExitStatus};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// Runs a command with its output on a terminal. If `typed` is given, the command also reads this text from the
/// terminal.
///
/// Returns the terminal output and the exit status.
pub fn on_terminal(mut command: Command, typed: Option<&str>) -> (String, ExitStatus) {
    let near = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&near)
        .and_then(|()| unlockpt(&near))
        .expect("should be usable");
    let name = ptsname(&near, Vec::new()).expect("it has a name");
    let name = Path::new(OsStr::from_bytes(name.as_bytes()));
    let far = || {
        let file = File::options().read(true).write(true).open(name);
        file.expect("the other end")
    };
    command.stdout(far()).stderr(far());
    if typed.is_some() {
        command.stdin(far());
    }
    let mut child = command.spawn().expect("should run");
    drop(command);
    let mut near = File::from(near);
    near.write_all(typed.unwrap_or_default().as_bytes())
        .expect("should accept input");
    let mut text = Vec::new();
    // When the last writer has closed the terminal, reading fails (EIO on Linux): treat that as the end of the file.
    near.read_to_end(&mut text).unwrap_or_default();
    let status = child.wait().expect("should exit");
    let text = String::from_utf8(text).expect("text");
    (text.replace('\r', ""), status)
}
