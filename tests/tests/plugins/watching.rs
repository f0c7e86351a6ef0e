//! An edit of a script is one after which `--watch` lints again.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use skillc_tests::World;

use crate::support::{PROJECT, TODO, world};

const PROGRAM: &str = env!("CARGO_BIN_EXE_skc-under-test");

/// The longest that anything may take.
const PATIENCE: Duration = Duration::from_secs(30);

struct Watching {
    child: Child,
    out: Receiver<String>,
    err: Receiver<String>,
}

impl Watching {
    fn start(world: &World, args: &[&str]) -> Self {
        let args = [&["lint", "--watch", "-o", "concise"], args].concat();
        let command = world.process(PROGRAM, &args);
        Self::of(command, Stdio::piped())
    }

    fn of(mut command: Command, out: Stdio) -> Self {
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
    fn finds(&self, part: &str) {
        wait_for(&self.out, part);
    }

    /// Waits for a line about the findings that has this in it.
    #[track_caller]
    fn says(&self, part: &str) {
        wait_for(&self.err, part);
    }

    /// Presses Ctrl-C; returns the exit status.
    fn interrupt(mut self) -> Option<i32> {
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

#[test]
fn an_edited_script_is_linted_with_and_a_new_one_too() {
    let world = world(&[]);
    let watching = Watching::start(&world, &["demo"]);
    watching.says("0 errors, 0 warnings");
    let script = world.cwd.join(PROJECT).join("deep/a.rhai");
    fs::create_dir_all(script.parent().unwrap()).unwrap();
    fs::write(&script, TODO).unwrap();
    watching.finds("a TODO was left");
    fs::write(&script, TODO.replace("was left", "stayed")).unwrap();
    watching.finds("a TODO stayed");
    fs::write(&script, "rule(").unwrap();
    watching.finds("CFG201");
    fs::remove_file(&script).unwrap();
    watching.says("0 errors, 0 warnings");
    assert_eq!(watching.interrupt(), Some(0));
}

/// Cases are tested again after an edit of the script and of its cases, and not after what `--update` wrote itself.
#[test]
fn edits_of_scripts_and_of_their_cases_are_tested() {
    let world = world(&[("a.rhai", TODO)]);
    let args = ["plugin", "test", "--watch", "--update"];
    let watching = Watching::of(world.process(PROGRAM, &args), Stdio::piped());
    watching.finds("a.rhai: has no cases");
    watching.finds("1 script: 0 cases");
    let cases = world.cwd.join(PROJECT).join("a.test.toml");
    fs::write(&cases, "[[case]]\ntext = \"TODO\"\n").unwrap();
    watching.finds("a.rhai: 1 of 1 case updated");
    let script = world.cwd.join(PROJECT).join("a.rhai");
    fs::write(&script, TODO.replace("was left", "stayed")).unwrap();
    watching.finds("+ 1:1 a TODO stayed");
    watching.finds("1 script: 1 case passed, 0 failed, 1 updated");
    fs::write(&script, "rule(").unwrap();
    watching.finds("a.rhai: could not be tested");
    assert_eq!(watching.interrupt(), Some(1));
}
