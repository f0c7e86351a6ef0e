//! Runs the program in a terminal of a fixed size, provided by `tmux`, and sends keys to it.

use std::env;
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};

use crate::World;

/// Timeout for expected screen contents.
const PATIENCE: Duration = Duration::from_secs(20);

/// A terminal with a shell in it, closed on drop.
pub struct Tmux {
    socket: String,
}

impl Tmux {
    /// Opens a terminal of 80 columns and 24 lines in a world's working directory. `$SKC` in the shell is the program's
    /// path. Prints a message and returns `None` if there is no `tmux`. In CI (`CI` is set and not empty), a missing
    /// `tmux` is a failure instead: a test that is skipped there would never run.
    ///
    /// `program`: `env!("CARGO_BIN_EXE_skc-under-test")`, which is available in integration tests only.
    #[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
    pub fn open(world: &World, program: &str) -> Option<Self> {
        let version = Command::new("tmux").arg("-V").output();
        if !version.is_ok_and(|output| output.status.success()) {
            let in_ci = env::var_os("CI").is_some_and(|value| !value.is_empty());
            assert!(!in_ci, "tmux is not installed, but tests in CI need it");
            eprintln!("skipped: tmux is not installed");
            return None;
        }
        let terminal = Self {
            socket: world.home.join("tmux.socket").display().to_string(),
        };
        let mut new = terminal.command(&["-f", "/dev/null", "new-session", "-d"]);
        new.args(["-x", "80", "-y", "24", "env", "-i", "TERM=screen", "PS1=$ "]);
        new.arg("PATH=/usr/local/bin:/usr/bin:/bin");
        let home = world.home.display();
        new.args([format!("HOME={home}"), format!("SKILLC_HOME={home}")]);
        new.args([format!("SKC={program}"), "sh".to_owned()]);
        let output = new.current_dir(&world.cwd).output().expect("tmux runs");
        assert!(output.status.success(), "{output:?}");
        terminal.wait_for("$");
        Some(terminal)
    }

    /// Sends keys by their tmux names: `Enter`, `C-c`, `BTab`, or text.
    pub fn keys(&self, keys: &[&str]) {
        self.run(&[&["send-keys"], keys].concat());
    }

    /// Types a line and presses Enter.
    pub fn line(&self, text: &str) {
        self.run(&["send-keys", "-l", text]);
        self.keys(&["Enter"]);
    }

    /// Returns the screen contents.
    pub fn screen(&self) -> String {
        let output = self.run(&["capture-pane", "-p"]);
        String::from_utf8(output.stdout).expect("text")
    }

    /// Waits until the screen satisfies a condition, and returns the screen.
    pub fn wait(&self, what: &str, is_wanted: impl Fn(&str) -> bool) -> String {
        let begun = Instant::now();
        loop {
            let screen = self.screen();
            if is_wanted(&screen) {
                return screen;
            }
            assert!(begun.elapsed() < PATIENCE, "no {what}:\n{screen}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until a string is on the screen.
    pub fn wait_for(&self, text: &str) -> String {
        self.wait(text, |screen| screen.contains(text))
    }

    /// Resizes the terminal.
    pub fn resize(&self, columns: u16, lines: u16) {
        let (columns, lines) = (columns.to_string(), lines.to_string());
        self.run(&["resize-window", "-x", &columns, "-y", &lines]);
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(&self.socket).args(args);
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        let output = self.command(args).output().expect("tmux runs");
        assert!(output.status.success(), "{args:?}: {output:?}");
        output
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        self.command(&["kill-server"]).output().ok();
    }
}
