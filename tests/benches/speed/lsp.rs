//! The language server: its memory, and the time from a keystroke until the findings for the new text arrive.
//!
//! The server is a separate process connected by pipes, as with a real editor.

use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use skillc_tests::World;
use skillc_tests::lsp::{Editor, after, range, uri};

use crate::fleet::Fleet;
use crate::memory::peak_so_far;
use crate::race::{Race, median, percentile};
use crate::skills::{NAME, Prose, Sample};
use crate::table::Row;

/// The names of the rows that [`typing`] and [`opening`] return.
pub(crate) const TYPING: [&str; 2] = [
    "skc lsp: a keystroke, median / 10 ms",
    "skc lsp: a keystroke, 99 % / 30 ms",
];
pub(crate) const OPENING: [&str; 2] = [
    "skc lsp: slowest keystroke, 2,000 skills open / 100 ms",
    "skc lsp: peak memory, 2,000 skills",
];

/// The skill that is edited: number of files, and bytes of `SKILL.md` and of each other file.
const FILES: usize = 40;
const MAIN_BYTES: usize = 5_000;
const FILE_BYTES: usize = 4_000;

/// Number of keystrokes, and the maximum median and 99th percentile of their times.
const KEYSTROKES: usize = 300;
const MOST_OF_MEDIAN: Duration = Duration::from_millis(10);
const MOST_OF_NEARLY_ALL: Duration = Duration::from_millis(30);

/// Number of skills in the large workspace.
const SKILLS: usize = 2_000;

/// Maximum time of a keystroke while the workspace is being opened.
const MOST_WHILE_OPENING: Duration = Duration::from_millis(100);

/// Pause between two keystrokes, shorter than that of a fast typist. Each keystroke interrupts background work, so
/// without pauses, the server would never finish opening the workspace.
const PAUSE: Duration = Duration::from_millis(50);

/// Minimum and maximum number of keystrokes while the workspace is being opened.
const FEWEST_KEYSTROKES: usize = 10;
const MOST_KEYSTROKES: usize = 400;

/// Maximum peak memory of the server, with the large workspace.
const MOST_MEMORY_BYTES: u64 = 150_000_000;

/// The text that is typed repeatedly, and the text after which it is typed.
const TYPED: &str = "words that an author types ";
const MARK: &str = "\n\nRead ";

/// A link to a file that does not exist, and the rule that reports it.
const BROKEN: &str = " [gone](gone.md) ";
const RULE: &str = "SKL301";

/// Types into the skill; returns the times until the findings arrive.
///
/// # Panics
/// If the findings are not those of the text in the editor.
pub(crate) fn typing() -> [Row; 2] {
    let (sample, main) = skill();
    let mut typist = Typist::start(&sample.world, main);
    let all = typist.ask_for_all();
    typist.editor.answer(all);
    let keys = TYPED.chars().cycle().take(KEYSTROKES);
    let times: Vec<Duration> = keys.map(|key| typist.press(key)).collect();
    typist.check();
    let [of_median, of_nearly_all] = TYPING;
    [
        bounded(of_median, median(times.clone()), MOST_OF_MEDIAN),
        bounded(of_nearly_all, percentile(times, 99), MOST_OF_NEARLY_ALL),
    ]
}

/// Types into a skill while the server opens a workspace with many other skills. Returns the longest time until
/// findings arrived, and the server's peak memory once all skills have been linted (if it can be measured).
///
/// # Panics
/// If not all skills are linted, or if all skills were linted before the user could type.
pub(crate) fn opening() -> Vec<Row> {
    let fleet = Fleet::new(SKILLS);
    let last = fleet.main_file(SKILLS - 1);
    let text = fs::read_to_string(&last).expect("a file");
    fs::write(&last, format!("{text}\n{BROKEN}\n")).expect("should be writable");
    let mut typist = Typist::start(&fleet.world, fleet.main_file(SKILLS / 2));
    let all = typist.ask_for_all();
    let mut times = Vec::new();
    for key in TYPED.chars().cycle().take(MOST_KEYSTROKES) {
        times.push(typist.press(key));
        if typist.editor.is_answered(all) {
            break;
        }
        thread::sleep(PAUSE);
    }
    assert!(times.len() >= FEWEST_KEYSTROKES, "opened too early");
    let answer = typist.editor.answer(all);
    let items = answer["result"]["items"].as_array().expect("a list");
    let of_last = items.iter().find(|item| item["uri"] == uri(&last));
    let of_last = of_last.expect("the last skill is linted");
    assert!(has_rule(&of_last["items"]), "{of_last}");
    let peak = peak_so_far(typist.editor.process());
    typist.check();
    let [slowest, memory] = OPENING;
    let longest = times.into_iter().max().unwrap_or_default();
    let mut rows = vec![bounded(slowest, longest, MOST_WHILE_OPENING)];
    rows.extend(peak.map(|peak| Row::from_bytes(memory, peak, MOST_MEMORY_BYTES)));
    rows
}

/// Compares a time in milliseconds with its maximum.
fn bounded(what: &str, ours: Duration, most: Duration) -> Row {
    Row::from_times(what, Race { ours, floor: most }, 1.0)
}

/// Generates a skill whose links all resolve. Returns the skill and the path of its `SKILL.md`.
fn skill() -> (Sample, PathBuf) {
    // All generated files link to `other.md`.
    let sample = Sample::with_references(FILES - 2, FILE_BYTES);
    let other = sample.source.join("references/other.md");
    fs::write(other, "# Other\n\nThe other file.\n").expect("a file");
    let mut text = format!(
        "---\nname: {NAME}\ndescription: A synthetic skill. Use when measuring.\n---\n\n# Bench{MARK}[the other file](references/other.md) and these:\n\n"
    );
    for at in 0..FILES - 2 {
        text.push_str(&format!("- [part {at}](references/part-{at:02}.md)\n"));
    }
    text.push('\n');
    let rest = Prose::new().file(MAIN_BYTES - text.len());
    text.push_str(&rest.replace("(other.md)", "(references/other.md)"));
    let main = sample.source.join("SKILL.md");
    fs::write(&main, text).expect("a file");
    (sample, main)
}

/// An editor with an open file, in which a user types.
struct Typist {
    editor: Editor,
    file: PathBuf,
    version: u64,
    /// Line and column of the cursor.
    cursor: (u64, u64),
}

impl Typist {
    /// Starts a server, and opens the working directory and a file.
    fn start(world: &World, file: PathBuf) -> Self {
        let text = fs::read_to_string(&file).expect("a file");
        let program = env!("CARGO_BIN_EXE_skc-under-test");
        let mut editor = Editor::new(world, program, &json!({}));
        editor.open(&file, &text);
        let at = after(&text, MARK);
        let number = |of: &str| at[of].as_u64().expect("a number");
        Self {
            editor,
            file,
            version: 1,
            cursor: (number("line"), number("character")),
        }
    }

    /// Requests the findings of all skills, which are available once the workspace has been opened. Returns the
    /// request's id.
    fn ask_for_all(&mut self) -> u64 {
        let params = json!({"previousResultIds": []});
        self.editor.ask("workspace/diagnostic", &params)
    }

    /// Presses a key; returns how long it took until the findings for the new text arrived.
    fn press(&mut self, key: char) -> Duration {
        let begun = Instant::now();
        self.insert(key.encode_utf8(&mut [0; 4]));
        let time = begun.elapsed();
        self.cursor.1 += 1;
        time
    }

    /// Inserts text at the cursor without moving the cursor, waits for the findings, and returns them.
    fn insert(&mut self, text: &str) -> Vec<Value> {
        self.version += 1;
        // Discard old messages, so that the editor finds the awaited message faster.
        self.editor.notifications.clear();
        let at = range(self.cursor, self.cursor);
        self.editor
            .change(&self.file, self.version, Some(&at), text);
        self.editor.published(&self.file, Some(self.version))
    }

    /// Asserts that the findings are those of the text in the editor; the times alone would not show that.
    fn check(&mut self) {
        let [without, with] = [" ", BROKEN].map(|text| Value::from(self.insert(text)));
        assert!(!has_rule(&without) && has_rule(&with), "{without} {with}");
    }
}

/// Returns whether a list of findings contains the rule about broken links.
fn has_rule(found: &Value) -> bool {
    let mut found = found.as_array().into_iter().flatten();
    found.any(|of| of["code"] == RULE)
}
