//! Determines whether a skill mentions or runs a file that seems to be a sample, a test or a changelog according to its
//! path.
//!
//! Names are compared case-insensitively, because some file systems ignore case. Quotes, escapes and entities within a
//! path are decoded, and globs in commands are matched.

mod commands;
mod links;
mod odd;
mod spellings;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use skillc_core::reveal::{RevealedFile, folded};
use skillc_core::source::Stamp;
use skillc_core::source::lines::char_floor;
use skillc_core::{RelPath, Skill, words};

use self::commands::Commands;
pub(super) use self::links::Targets;
use self::odd::{OddNames, start_of_path};
use self::spellings::Globs;
use super::context::{clause_within, is_sample};
use super::standing::is_banned;

/// How the other files of a skill use a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Use {
    /// No other file mentions the file.
    Unnamed,
    /// Another file mentions the file.
    Named,
    /// A tool, such as a test runner, runs the code of the file. Most strings in it are data for a test.
    Tested,
    /// The file is meant to be run or followed.
    Run,
}

/// The maximum number of bytes that are examined before and after a path.
const NEAR: usize = 120;

/// The maximum number of words between a word such as `run` and a path: options, and words such as `the script`.
const MOST_WORDS: usize = 4;

/// A file that is mentioned more often than this counts as run.
const MOST_MENTIONS: usize = 200;

/// If the skill has at most this many samples, each file is searched for their names before its paths are extracted.
const FEW_NAMES: usize = 8;

/// The maximum number of steps from a file to a sample that it runs, to a sample that this one runs, and so on. After
/// these steps, the text of every sample counts.
const MAX_STEPS: usize = 4;

/// The maximum length of the name of a module or a folder, in bytes.
const LONGEST: usize = 400;

/// The maximum length of a path that is extracted from text, in bytes: the limit of Linux.
const LONGEST_PATH: usize = 4096;

/// Programs that run the files in their arguments, in lower case.
pub(super) const INTERPRETERS: [&str; 22] = [
    "sh",
    "bash",
    "zsh",
    "dash",
    "ksh",
    "fish",
    "python",
    "python2",
    "python3",
    "node",
    "deno",
    "bun",
    "tsx",
    "npx",
    "ruby",
    "perl",
    "php",
    "pwsh",
    "powershell",
    "lua",
    "rscript",
    "source",
];

/// Other words for running a program or following instructions, in lower case.
const RUNNERS: [&str; 19] = [
    "exec",
    "sudo",
    "call",
    "launch",
    "run",
    "runs",
    "running",
    "execute",
    "executes",
    "follow",
    "obey",
    "apply",
    "ejecuta",
    "ejecute",
    "führe",
    "lance",
    "запусти",
    "выполни",
    "chmod",
];

/// Words for running or following in languages that have no spaces between words or put the verb after its object.
const JOINED: [&str; 6] = ["运行", "執行", "执行", "実行", "실행", "遵循"];

/// Extensions of files that are not programs.
const TEXTS: [&str; 6] = [".md", ".txt", ".json", ".yaml", ".yml", ".csv"];

/// How the files of a skill, except samples that nothing runs, mention samples.
#[derive(Debug, Default)]
struct Samples {
    /// How these files mention each path that looks like the path of a sample. The paths are [keys](key).
    said: BTreeMap<String, Use>,
    /// For each sample that has several paths, such as symlinks, how the skill mentions the sample; `None` if one of
    /// the paths is not that of a sample.
    linked: BTreeMap<String, Option<Use>>,
    /// Where symlinks lead that give files and folders the paths of no samples.
    targets: Targets,
}

impl Samples {
    fn of(skill: &Skill) -> Self {
        let files = &skill.revealed().files;
        let entries = skill.tree.entries.iter();
        let shown = entries.map(|entry| entry.path.as_str());
        let known: BTreeSet<String> = shown.clone().map(key).collect();
        let hidden = files.iter().map(|file| file.path.as_str());
        let samples: BTreeSet<String> = hidden
            .chain(shown)
            .filter(|path| is_sample(&words::lower(path)))
            .map(key)
            .collect();
        let names: BTreeSet<&str> = samples.iter().map(|path| name_of(path)).collect();
        let odd = OddNames::of(&names);
        let mut left: Vec<&RevealedFile> = files
            .iter()
            .filter(|file| !names.is_empty() && !file.path.as_str().starts_with(".git/"))
            .collect();
        let mut found = Self {
            targets: targets(skill),
            ..Self::default()
        };
        // A sample that is run may run further samples.
        for step in 0..=MAX_STEPS {
            let is_read = |file: &&RevealedFile| {
                step == MAX_STEPS || found.reader(file.path.as_str()).is_some()
            };
            let (read, rest): (Vec<_>, Vec<_>) = left.into_iter().partition(is_read);
            left = rest;
            if read.is_empty() && step > 0 {
                break;
            }
            // A test may name files only as data, so its text alone does not show that they are followed.
            let of_tool = |file: &&RevealedFile| {
                step > 0 && found.reader(file.path.as_str()) == Some(Use::Tested)
            };
            let (of_tool, others): (Vec<_>, Vec<_>) = read.into_iter().partition(of_tool);
            // Samples often mention other samples only as data.
            let least = if step == 0 { Use::Named } else { Use::Tested };
            for (files, most) in [(others, Use::Run), (of_tool, Use::Tested)] {
                for (path, how) in said_in(&files, &samples, &names, &odd, &known) {
                    if how >= least {
                        let so_far = found.said.entry(path).or_insert(Use::Named);
                        *so_far = (*so_far).max(how.min(most));
                    }
                }
            }
            found.linked = found.linked(skill);
        }
        found
    }

    /// Returns how a file is used, if the files that it mentions may be used, too; `None` for a sample that nothing
    /// runs.
    fn reader(&self, path: &str) -> Option<Use> {
        // The text of a makefile consists of commands.
        let is_make = || words::lower(name_of(path)).ends_with("makefile");
        match self.use_of(path).filter(|_| is_sample(path)) {
            Some(Use::Unnamed | Use::Named) => None,
            Some(Use::Tested) if !is_make() => Some(Use::Tested),
            _ => Some(Use::Run),
        }
    }

    /// Returns how the skill mentions each sample that has several paths.
    fn linked(&self, skill: &Skill) -> BTreeMap<String, Option<Use>> {
        // Without inode numbers, two different files may have the same metadata stamp.
        let known = skill.tree.entries.iter();
        let known = known.filter(|entry| entry.stamp.inode != 0);
        let mut all: HashMap<Stamp, (usize, Option<Use>)> = HashMap::new();
        for entry in known.clone() {
            let path = entry.path.as_str();
            let own = is_sample(path).then(|| self.use_of_name(path));
            let (count, how) = all.entry(entry.stamp).or_insert((0, Some(Use::Unnamed)));
            *count += 1;
            *how = how.zip(own).map(|(known, own)| known.max(own));
        }
        known
            .filter_map(|entry| {
                let (count, how) = all.get(&entry.stamp)?;
                let path = entry.path.as_str();
                (*count > 1 && is_sample(path)).then(|| (path.to_owned(), *how))
            })
            .collect()
    }

    /// Returns how the skill mentions a sample; `None` if another path of the file shows that it is not a sample.
    fn use_of(&self, path: &str) -> Option<Use> {
        match self.linked.get(path) {
            _ if self.targets.reach(path, |rest| !is_sample(rest)) => None,
            Some(how) => *how,
            None => Some(self.use_of_name(path)),
        }
    }

    fn use_of_name(&self, path: &str) -> Use {
        let key = key(path);
        let path = bare(&key);
        let ends = path.match_indices('/').map(|(at, _)| &path[at + 1..]);
        let said = [&*key, path].into_iter().chain(ends);
        let known = said.filter_map(|end| self.said.get(end).copied());
        known.max().unwrap_or(Use::Unnamed)
    }
}

/// Returns where those symlinks lead whose own paths are not those of samples.
fn targets(skill: &Skill) -> Targets {
    let revealed = skill.revealed();
    let is_sample_dir = |path: &str| is_sample(&format!("{path}/a"));
    let counts = |link: &RelPath, end: &RelPath| {
        if skill.tree.get(end).is_some() || revealed.file(end).is_some() {
            !is_sample(link.as_str())
        } else {
            !is_sample_dir(link.as_str())
        }
    };
    Targets::of(&revealed.linked, counts, |rest| !is_sample_dir(rest))
}

/// Returns the form in which paths are compared: in lower case, and folded like the text of the files.
fn key(path: &str) -> String {
    words::lower(&folded(path))
}

/// Returns how files mention samples, by the [keys](key) of their paths.
///
/// `samples`: the keys of all samples. `names` and `known`: as for [`mentions`].
fn said_in(
    files: &[&RevealedFile],
    samples: &BTreeSet<String>,
    names: &BTreeSet<&str>,
    odd: &OddNames<'_>,
    known: &BTreeSet<String>,
) -> impl Iterator<Item = (String, Use)> {
    let mut said = BTreeMap::new();
    let mut globs = Globs::default();
    let mut commands = Commands::default();
    for file in files {
        for layer in &file.layers {
            let (text, lower) = (&*layer.text, layer.lower());
            mentions(text, lower, names, known, &mut said);
            let run = odd.find(lower, |start, end, name| {
                let is_run = || is_run(text, start_of_path(text, start), end);
                count(&mut said, name, is_run);
            });
            for name in run {
                said.insert((*name).to_owned(), (Use::Run, 1));
            }
            globs.add(lower);
            commands.add(lower);
            if let Some(plain) = spellings::plain(text) {
                let lower = words::lower(&plain);
                mentions(&plain, &lower, names, known, &mut said);
            }
        }
    }
    for path in samples.iter().filter(|path| commands.run(path)) {
        let (how, _) = said.entry(path.clone()).or_insert((Use::Tested, 1));
        *how = (*how).max(Use::Tested);
    }
    for path in samples.iter().filter(|path| globs.matches(path)) {
        said.insert(path.clone(), (Use::Run, 1));
    }
    said.into_iter().map(|(path, (how, _))| (path, how))
}

/// Records how a file's text mentions samples.
///
/// `lower`: the text in lower case, with the same length in bytes. `names`: the names of all samples, as in their
/// [keys](key). `known`: the keys of all files. `said`: how each path is mentioned, and how often.
fn mentions(
    text: &str,
    lower: &str,
    names: &BTreeSet<&str>,
    known: &BTreeSet<String>,
    said: &mut BTreeMap<String, (Use, usize)>,
) {
    // Nearly all files mention no sample. Searching for the names is faster than extracting the paths.
    let is_in = |name: &&str| memchr::memmem::find(lower.as_bytes(), name.as_bytes());
    if names.len() <= FEW_NAMES && !names.iter().any(|name| is_in(name).is_some()) {
        return;
    }
    for (at, path) in paths(lower) {
        let end = at + path.len();
        let name = name_of(path);
        if !names.contains(name) {
            continue;
        }
        // The folder may be a symlink to a folder in the skill.
        let path = bare(path);
        let said_of = if known.contains(path) { path } else { name };
        count(said, said_of, || is_run(text, at, end));
    }
}

/// Counts a mention of a path.
fn count(said: &mut BTreeMap<String, (Use, usize)>, path: &str, is_run: impl FnOnce() -> bool) {
    let (how, count) = said.entry(path.to_owned()).or_insert((Use::Named, 0));
    *count += 1;
    // Limit the calls of `is_run`, which is slow: a file may mention a sample a million times.
    if *how != Use::Run && (*count > MOST_MENTIONS || is_run()) {
        *how = Use::Run;
    }
}

/// Returns the last component of a path.
fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns how the skill mentions a file; `None` if the file is not a sample, according to its path or another path of
/// the same file.
pub(crate) fn use_of(skill: &Skill, path: &str) -> Option<Use> {
    if !is_sample(path) {
        return None;
    }
    skill.derived(Samples::of).use_of(path)
}

/// Removes `/`, `./` and `../` from the start of a path.
fn bare(path: &str) -> &str {
    path.trim_start_matches(['.', '/'])
}

/// Returns the parts of `text` that look like paths, each with its position.
fn paths(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    let mut at = 0;
    let parts = text.split(move |c: char| !is_part(c)).map(move |part| {
        let start = at;
        // The separator is a single character.
        at = start + part.len();
        at += text[at..].chars().next().map_or(0, char::len_utf8);
        (start, part)
    });
    parts
        .map(|(start, part)| (start, part.trim_end_matches('.')))
        .filter(|(_, part)| !part.is_empty() && part.len() <= LONGEST_PATH)
}

/// Returns whether `text` says to run or follow the file whose path is from `start` to `end`.
fn is_run(text: &str, start: usize, end: usize) -> bool {
    if is_banned(text, start) {
        return false;
    }
    let before = clause_within(text, start, NEAR);
    // `./samples/a.sh` is a command, unless it is the destination of a link.
    let path = &text[start..end];
    let is_text = TEXTS.iter().any(|end| path.ends_with(end));
    let is_start = text[..start].ends_with('`') || matches!(before.trim(), "" | "$");
    if path.starts_with("./") && !is_text && is_start {
        return true;
    }
    let words = before.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_')));
    let last = words.filter(|word| !word.is_empty()).rev();
    let is_runner = |word: &str| {
        let word = &*word.to_lowercase();
        INTERPRETERS.contains(&word) || RUNNERS.contains(&word)
    };
    // `. samples/a.sh` runs a script in the current shell.
    let so_far = &text[char_floor(text, start.saturating_sub(4))..start];
    let is_sourced = ["\n. ", "`. ", "; . ", "& . "]
        .iter()
        .any(|sign| so_far.ends_with(sign));
    let after = &text[end..char_floor(text, (end + NEAR).min(text.len()))];
    let after = after.lines().next().unwrap_or_default();
    let after = &after[..char_floor(after, 30)];
    last.take(MOST_WORDS).any(is_runner)
        || is_sourced
        || JOINED
            .iter()
            .any(|word| before.trim_end_matches([' ', '`']).ends_with(word) || after.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_run_by_a_program_or_an_order() {
        for (text, expected) in [
            ("Run `sh samples/i.sh` first.", true),
            ("Execute the script `samples/i.sh`.", true),
            ("bash -x \"$D\"/samples/i.sh", true),
            ("`./samples/i.sh`", true),
            ("执行 samples/i.sh", true),
            ("`samples/i.sh` を実行する", true),
            ("Never run `samples/i.sh`.", false),
            ("See `samples/i.sh` for an example.", false),
        ] {
            let found = paths(text).find(|(_, path)| path.ends_with("samples/i.sh"));
            let (at, path) = found.expect("a path");
            assert_eq!(is_run(text, at, at + path.len()), expected, "{text}");
        }
    }

    #[test]
    fn a_path_may_be_relative_to_another_folder() {
        let said = [("samples/i.sh", Use::Run), ("a.md", Use::Named)];
        let said = said.map(|(path, how)| (path.to_owned(), how));
        let linked = [("tests/c.md".to_owned(), None)];
        let samples = Samples {
            said: BTreeMap::from(said),
            linked: BTreeMap::from(linked),
            ..Samples::default()
        };
        assert_eq!(samples.use_of("scripts/samples/i.sh"), Some(Use::Run));
        assert_eq!(samples.use_of("tests/a.md"), Some(Use::Named));
        assert_eq!(samples.use_of("tests/b.md"), Some(Use::Unnamed));
        assert_eq!(samples.use_of("tests/c.md"), None);
        assert_eq!(bare("../samples/i.sh"), "samples/i.sh");
    }
}
