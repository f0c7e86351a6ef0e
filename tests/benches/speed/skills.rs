//! Synthetic skills: generated prose with headings, lists, code and links, identical in every run.
//!
//! Word frequencies are skewed as in real text: a few words are common, many are rare. Everything is ASCII, and `#` at
//! the start of a line is always a heading, so that the floor can be simple.

use std::fs;
use std::path::{Path, PathBuf};

use skillc_tests::World;

/// Size of the vocabulary.
const WORDS: u64 = 6_000;

const SYLLABLES: [&str; 32] = [
    "ba", "cor", "den", "el", "fi", "gar", "hul", "in", "jo", "kem", "lar", "mo", "nis", "or",
    "pel", "qui", "ra", "sen", "tor", "ul", "ven", "wi", "xan", "yor", "zu", "bri", "cla", "dro",
    "fle", "gri", "pra", "ste",
];

/// The name of every generated skill.
pub(crate) const NAME: &str = "bench";

/// A skill in a world of its own.
pub(crate) struct Sample {
    pub(crate) world: World,
    pub(crate) source: PathBuf,
}

impl Sample {
    /// Generates a skill with `files` reference files; their total size is `bytes`.
    pub(crate) fn with_files(files: usize, bytes: usize) -> Self {
        let mut prose = Prose::new();
        Self::generate(files, |_| prose.file(bytes / files))
    }

    /// Generates a skill with one reference file and this many headings.
    pub(crate) fn with_headings(count: u32) -> Self {
        let mut prose = Prose::new();
        Self::generate(1, |_| prose.sections(count))
    }

    /// Generates a skill with large files: half of them 5 MB, a quarter 2.5 MB and a quarter 1.25 MB.
    pub(crate) fn with_large_files(bytes: usize) -> Self {
        const SIZES: [usize; 4] = [5_000_000, 1_250_000, 5_000_000, 2_500_000];
        let mut prose = Prose::new();
        let files = bytes * SIZES.len() / SIZES.iter().sum::<usize>();
        Self::generate(files, |at| prose.file(SIZES[at % SIZES.len()]))
    }

    /// Generates a realistic skill: `files` reference files in one directory, `bytes` each.
    pub(crate) fn with_references(files: usize, bytes: usize) -> Self {
        let new = Self::generate(0, |_| String::new());
        let (mut prose, dir) = (Prose::new(), new.source.join("references"));
        fs::create_dir_all(&dir).expect("a directory");
        for at in 0..files {
            fs::write(dir.join(format!("part-{at:02}.md")), prose.file(bytes)).expect("a file");
        }
        new
    }

    fn generate(files: usize, mut text: impl FnMut(usize) -> String) -> Self {
        let world = World::project();
        let card = format!(
            "---\nname: {NAME}\ndescription: A synthetic skill. Use when measuring.\n---\n\n# Bench\n"
        );
        let source = world.project_skill(NAME, &[("SKILL.md", &card)]);
        for at in 0..files {
            let path = reference(&source, at);
            fs::create_dir_all(path.parent().expect("it is in a directory")).expect("a directory");
            fs::write(path, text(at)).expect("a file");
        }
        Self { world, source }
    }

    /// Returns the path of the reference file with the number `at`, which starts at 0.
    pub(crate) fn reference(&self, at: usize) -> PathBuf {
        reference(&self.source, at)
    }

    /// Returns the text of a heading that occurs only once, in the reference file with the number `at`.
    pub(crate) fn heading(&self, at: usize) -> String {
        let text = fs::read_to_string(self.reference(at)).expect("a file");
        let heading = text
            .lines()
            .filter_map(|line| line.strip_prefix("## "))
            .next_back();
        heading.expect("every file has sections").to_owned()
    }
}

/// Returns two words of medium frequency.
pub(crate) fn query() -> String {
    words([700, 1100])
}

/// Returns two words by rank: the lower the rank, the more frequent the word.
pub(crate) fn words([one, other]: [u64; 2]) -> String {
    format!("{} {}", word(one), word(other))
}

fn reference(source: &Path, at: usize) -> PathBuf {
    source.join(format!("references/part-{:02}/file-{at:04}.md", at % 40))
}

/// Generates random prose.
pub(crate) struct Prose {
    state: u64,
    /// The number of headings generated so far. It is part of each heading, so that all headings are unique.
    headings: usize,
}

impl Prose {
    pub(crate) const fn new() -> Self {
        Self {
            state: 1,
            headings: 0,
        }
    }

    /// Returns a file of about this many bytes.
    pub(crate) fn file(&mut self, bytes: usize) -> String {
        let mut text = String::with_capacity(bytes + 1024);
        self.heading(1, &mut text);
        let mut section = 0;
        while text.len() < bytes {
            match section % 5 {
                0 | 3 => self.heading(2, &mut text),
                1 => self.heading(3, &mut text),
                2 => self.list(&mut text),
                _ => self.code(&mut text),
            }
            self.paragraph(&mut text);
            section += 1;
        }
        text
    }

    /// Returns a file of short sections.
    fn sections(&mut self, count: u32) -> String {
        let mut text = String::new();
        for at in 0..count {
            self.heading(if at % 8 == 0 { 2 } else { 3 }, &mut text);
            self.words(20, &mut text);
            text.push_str(".\n\n");
        }
        text
    }

    fn heading(&mut self, level: usize, text: &mut String) {
        text.push_str(&format!("{} ", &"######"[..level]));
        self.words(3, text);
        text.push_str(&format!(" {}\n\n", self.headings));
        self.headings += 1;
    }

    fn paragraph(&mut self, text: &mut String) {
        for _ in 0..4 {
            // Section lengths vary, as in real skills.
            let draw = usize::try_from(self.draw(8)).unwrap_or_default();
            self.words(3 + draw, text);
            text.push_str(", with `");
            self.words(1, text);
            text.push_str("` and *");
            self.words(1, text);
            text.push_str("*,\n");
            self.words(5, text);
            text.push_str(". ");
        }
        text.push_str("See [");
        self.words(2, text);
        text.push_str("](other.md).\n\n");
    }

    fn list(&mut self, text: &mut String) {
        for _ in 0..5 {
            text.push_str("- ");
            self.words(7, text);
            text.push('\n');
        }
        text.push('\n');
    }

    fn code(&mut self, text: &mut String) {
        text.push_str("```sh\n");
        for _ in 0..4 {
            self.words(4, text);
            text.push_str(" --dry-run\n");
        }
        text.push_str("```\n\n");
    }

    pub(crate) fn words(&mut self, count: usize, text: &mut String) {
        for at in 0..count {
            if at > 0 {
                text.push(' ');
            }
            text.push_str(&word(self.rank()));
        }
    }

    /// Draws the rank of a word; low ranks are the most likely.
    fn rank(&mut self) -> u64 {
        let draw = self.draw(1 << 20);
        (((draw * draw) >> 20) * draw * WORDS) >> 40
    }

    /// Draws a number below `end` (upper bits of a linear congruential generator).
    fn draw(&mut self, end: u64) -> u64 {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) % end
    }
}

/// Returns the unique word with this rank. The words of the vocabulary have two or three syllables.
pub(crate) fn word(rank: u64) -> String {
    let mut word = String::new();
    let mut rest = rank + 32;
    while rest > 0 {
        word.push_str(SYLLABLES[usize::try_from(rest % 32).unwrap_or_default()]);
        rest /= 32;
    }
    word
}
