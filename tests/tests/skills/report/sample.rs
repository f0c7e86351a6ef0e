//! A skill with a fixed usage history.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use skillc_core::time::Timestamp;
use skillc_storage::Access;
use skillc_storage::access_log::append;
use skillc_tests::World;

/// The files of the skill `demo`.
const FILES: [(&str, &str); 3] = [
    (
        "SKILL.md",
        "---\nname: demo\ndescription: A demo. Use when testing.\n---\n\n# Demo\n\n## Setup\n\n## Deploy & roll back\n\n## Usage\n",
    ),
    (
        "references/limits.md",
        "# Limits\n\n## Rates\n\n## Sizes\n\n## Usage\n",
    ),
    ("references/legacy.md", "# Legacy\n\n## Old names\n"),
];

/// The sections that were read: file, heading, and the count on every third day. On the day after, the count is lower
/// by one, and on the day after that, by two.
const READ: [(&str, &str, usize); 6] = [
    ("SKILL.md", "Setup", 4),
    ("references/limits.md", "Rates", 3),
    ("SKILL.md", "Usage", 2),
    ("references/limits.md", "Usage", 2),
    ("SKILL.md", "Deploy & roll back", 1),
    ("references/legacy.md", "Legacy", 1),
];

/// Returns the time of a day of the sample. `number`: days since 2026-01-01.
fn day(number: i64) -> Timestamp {
    let first = Timestamp::parse("2026-01-01T09:00:00Z").expect("a time");
    Timestamp(first.0 + number * 86_400)
}

/// Creates a world with the skill, which was never used.
pub(crate) fn unused() -> World {
    World::demo(&FILES)
}

/// Creates a world in which the skill was used for thirty days: 245 accesses, of which 11 failed.
pub(crate) fn used() -> World {
    let world = unused();
    let log = log_of(&world);
    for number in (0..30).filter(|number| number % 7 < 5) {
        let at = || row(&world).at(day(number));
        for (file, section, count) in READ {
            let count = count.saturating_sub(usize::try_from(number % 3).expect("small"));
            for _ in 0..count {
                at().show(file, section).log_in(&log);
            }
        }
        if number % 2 == 0 {
            at().search("rate limits", 3).log_in(&log);
            at().search("rollback window", 0).log_in(&log);
            at().show("", "Instalation")
                .failed("section not found: 'Instalation'")
                .log_in(&log);
        }
        at().search("quota", 1).log_in(&log);
        at().from("/home/ann/src/shop")
            .open("SKILL.md")
            .log_in(&log);
    }
    world
}

/// Returns the path of the log of `demo`.
pub(crate) fn log_of(world: &World) -> PathBuf {
    world.demo_runtime().join(".skillc-meta/logs.db")
}

/// A row to be logged.
pub(crate) struct Row(Access);

/// Creates a row for a use of `demo` in the world's working directory, at the beginning of the sample. Further calls
/// can change the row.
pub(crate) fn row(world: &World) -> Row {
    let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    Row(Access {
        timestamp: day(0),
        run_id: "run".into(),
        command: "outline".into(),
        skill: "demo".into(),
        skill_path: text(&world.demo_source()),
        cwd: text(&world.cwd),
        args: "{}".into(),
        error: None,
    })
}

impl Row {
    pub(crate) fn show(self, file: &str, section: &str) -> Self {
        self.command("show", &json!({"section": section, "file": file}))
    }

    pub(crate) fn search(self, query: &str, results: u64) -> Self {
        self.command("search", &json!({"query": query, "result_count": results}))
    }

    pub(crate) fn open(self, path: &str) -> Self {
        self.command("open", &json!({"path": path}))
    }

    pub(crate) fn command(mut self, command: &str, args: &Value) -> Self {
        (self.0.command, self.0.args) = (command.into(), args.to_string());
        self
    }

    pub(crate) fn at(mut self, time: Timestamp) -> Self {
        self.0.timestamp = time;
        self
    }

    pub(crate) fn on(self, date: &str) -> Self {
        self.at(Timestamp::parse(date).expect("a date"))
    }

    pub(crate) fn from(mut self, dir: &str) -> Self {
        self.0.cwd = dir.into();
        self
    }

    pub(crate) fn failed(mut self, error: &str) -> Self {
        self.0.error = Some(error.into());
        self
    }

    pub(crate) fn args(mut self, text: &str) -> Self {
        self.0.args = text.into();
        self
    }

    pub(crate) fn log_in(&self, log: &Path) {
        append(log, &self.0).expect("a log that can be written");
    }
}

/// Requests the page of `demo`.
#[track_caller]
pub(crate) fn page(world: &World, args: &[&str]) -> String {
    let asked = ["stats", "demo", "--format", "html"];
    let output = world.skc_at(&world.cwd, &[&asked, args].concat());
    output.success().text().to_owned()
}
