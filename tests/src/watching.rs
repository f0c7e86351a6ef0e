//! A process that runs `skc lint --watch`, and its output line by line.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use crate::World;

/// Timeout for everything.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// A running process, killed on drop.
pub struct Watching {
    child: Child,
    /// Lines of standard output.
    pub out: Receiver<String>,
    /// Lines of standard error.
    pub err: Receiver<String>,
}

impl Watching {
    /// Starts `skc lint --watch` with these arguments.
    pub fn start(program: &str, world: &World, args: &[&str]) -> Self {
        let args = [&["lint", "--watch", "-o", "concise"], args].concat();
        let command = world.process(program, &args);
        Self::new(command, Stdio::piped())
    }

    /// Starts a command with the given standard output.
    pub fn new(mut command: Command, out: Stdio) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(Stdio::piped())
            .spawn()
            .expect("should start");
        let (sender, receiver) = mpsc::channel();
        drop(sender);
        let out = child.stdout.take().map_or(receiver, lines);
        let err = lines(child.stderr.take().expect("piped"));
        Self { child, out, err }
    }

    /// Waits for a line on standard output that contains `part`.
    #[track_caller]
    pub fn finds(&self, part: &str) {
        wait_for(&self.out, part);
    }

    /// Waits for a line on standard error that contains `part`.
    #[track_caller]
    pub fn says(&self, part: &str) {
        wait_for(&self.err, part);
    }

    /// Sends SIGINT; returns the exit status.
    pub fn interrupt(mut self) -> Option<i32> {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status();
        assert!(sent.expect("kill is installed").success());
        let status = self.child.wait().expect("should exit");
        status.code()
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.child.kill().unwrap_or_default();
    }
}

/// Returns the lines of a stream as they arrive.
fn lines(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
        lines.all(|line| sender.send(line).is_ok())
    });
    receiver
}

#[track_caller]
fn wait_for(lines: &Receiver<String>, part: &str) {
    loop {
        let line = lines.recv_timeout(PATIENCE);
        if line
            .unwrap_or_else(|_| panic!("no '{part}'"))
            .contains(part)
        {
            return;
        }
    }
}
