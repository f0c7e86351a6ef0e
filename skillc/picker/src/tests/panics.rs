//! Tests a panic while the picker controls the terminal. The panic happens in a child process, which runs this test
//! again.

use std::env;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};

use crate::screen::Screen;

/// The environment variable that is set in the child process, which panics.
const VARIABLE: &str = "SKC_PICKER_PANICS";

/// The escape sequence that leaves the alternate screen.
const LEAVE: &str = "\u{1b}[?1049l";

/// CAT-PICK.6.
#[test]
fn a_panic_restores_the_terminal_before_its_message() {
    if env::var_os(VARIABLE).is_some() {
        let _screen = Screen::open(|| ()).expect("the terminal");
        panic!("something is wrong");
    }
    let near = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&near)
        .and_then(|()| unlockpt(&near))
        .expect("it can be used");
    let name = ptsname(&near, Vec::new()).expect("it has a name");
    let name = std::ffi::OsStr::from_bytes(name.as_bytes());
    let far = || {
        let file = File::options().read(true).write(true).open(name);
        file.expect("its other end")
    };
    let kept = far();
    let name = "tests::panics::a_panic_restores_the_terminal_before_its_message";
    let mut command = Command::new(env::current_exe().expect("this program"));
    command
        .args(["--exact", name, "--nocapture"])
        .env(VARIABLE, "1")
        .env("TERM", "xterm")
        .stdin(far())
        .stdout(far())
        .stderr(far());
    let mut child = command.spawn().expect("the program runs");
    drop(command);
    let status = child.wait().expect("the process exits");
    let modes = tcgetattr(&kept).expect("its modes").local_modes;
    drop(kept);
    let mut text = Vec::new();
    // Once the last writer has closed a terminal, reading from the terminal returns an error instead of the end of
    // file.
    File::from(near).read_to_end(&mut text).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    assert!(!status.success());
    assert!(modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG));
    let (drawn, told) = text
        .split_once(LEAVE)
        .expect("it leaves the alternate screen");
    assert!(drawn.contains("\u{1b}[?1049h"), "{text:?}");
    assert!(told.contains("something is wrong"), "{text:?}");
    assert!(told.contains("\u{1b}[?25h"), "{text:?}");
}
