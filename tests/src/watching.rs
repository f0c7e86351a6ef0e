//! A run of `skc lint --watch` in a process, and what it says line by line.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use crate::World;

/// The longest that anything may take.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// A run that goes on; ended when it is dropped.
pub struct Watching {
    child: Child,
    /// What it says on standard output.
    pub out: Receiver<String>,
    /// What it says on standard error.
    pub err: Receiver<String>,
}

impl Watching {
    /// Starts one over some paths.
    pub fn start(program: &str, world: &World, args: &[&str]) -> Self {
        let args = [&["lint", "--watch", "-o", "concise"], args].concat();
        let command = world.process(program, &args);
        Self::new(command, Stdio::piped())
    }

    /// Starts what a command says, with its standard output there.
    pub fn new(mut command: Command, out: Stdio) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let (tell, told) = mpsc::channel();
        drop(tell);
        let out = child.stdout.take().map_or(told, lines);
        let err = lines(child.stderr.take().expect("piped"));
        Self { child, out, err }
    }

    /// Waits for a line of the findings that has this in it.
    #[track_caller]
    pub fn finds(&self, part: &str) {
        wait_for(&self.out, part);
    }

    /// Waits for a line about the findings that has this in it.
    #[track_caller]
    pub fn says(&self, part: &str) {
        wait_for(&self.err, part);
    }

    /// Presses Ctrl-C; returns the exit status.
    pub fn interrupt(mut self) -> Option<i32> {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status();
        assert!(sent.expect("kill is there").success());
        let status = self.child.wait().expect("it ends");
        status.code()
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.child.kill().unwrap_or_default();
    }
}

/// Returns the lines of a stream as they come.
fn lines(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
        lines.all(|line| tell.send(line).is_ok())
    });
    told
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
