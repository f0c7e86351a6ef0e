//! Again after every edit: `--watch`, in a process, as it ends by a signal.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use skillc_tests::World;

use crate::support::{DEEP, NAMELESS};

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
        let mut command = world.process(PROGRAM, &args);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let out = lines(child.stdout.take().expect("piped"));
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
fn edits_and_new_skills_and_configuration_are_linted_and_ctrl_c_ends_with_the_last_result() {
    let world = World::new();
    world.directory("skills/deep", &[("SKILL.md", DEEP)]);
    let watching = Watching::start(&world, &["skills"]);
    watching.finds("SKL205");
    watching.says("0 errors, 1 warning");
    world.directory("skills/deep", &[("SKILL.md", &DEEP.replace("###", "##"))]);
    watching.finds("--------");
    watching.says("0 errors, 0 warnings");
    world.directory("skills/new", &[("SKILL.md", NAMELESS)]);
    watching.finds("SKL101");
    watching.says("2 skills: 1 error, ");
    // A fault in a configuration is shown, and goes as it came.
    fs::write(world.cwd.join(".skilllint.toml"), "rulse = 3\n").unwrap();
    watching.says("unknown key 'rulse'");
    fs::write(
        world.cwd.join(".skilllint.toml"),
        "[rules]\nSKL101 = \"off\"\n",
    )
    .unwrap();
    watching.says("2 skills: 0 errors, ");
    world.directory("skills/new", &[("SKILL.md", "# None\n")]);
    watching.finds("SKL100");
    watching.says("2 skills: 1 error, ");
    assert_eq!(watching.interrupt(), Some(1));
}

#[test]
fn what_fixes_write_is_no_edit() {
    let world = World::new();
    world.directory("deep", &[("SKILL.md", DEEP)]);
    let watching = Watching::start(&world, &["deep", "--fix", "--unsafe-fixes"]);
    watching.says("Fixed 1 finding in 1 file.");
    // The next run is that of the next edit.
    let text = fs::read_to_string(world.cwd.join("deep/SKILL.md")).unwrap();
    assert_ne!(text, DEEP);
    let quiet = watching.out.recv_timeout(Duration::from_secs(1));
    assert!(quiet.is_err(), "{quiet:?}");
    world.directory("deep", &[("SKILL.md", DEEP)]);
    watching.says("Fixed 1 finding in 1 file.");
    assert_eq!(watching.interrupt(), Some(0));
}
