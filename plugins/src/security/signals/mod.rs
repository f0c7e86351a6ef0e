//! What is looked for in every text: patterns, each behind words of which one must be there.
//!
//! One automaton over all words goes through a text; a pattern is then tried near its words only. No pattern spans more than
//! some hundred bytes, and none backtracks.

mod bringing;
mod changing;
mod running;
mod sending;
mod telling;

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use regex::bytes::Regex;
use skillc_core::words::WordSet;
use skillc_core::{Span, Stop};

use super::ascii_words;

/// What a pattern stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Signal {
    /// A download that a shell runs at once.
    FetchRun,
    /// A download.
    Fetch,
    /// A shell that obeys a remote machine.
    ReverseShell,
    /// A decoder whose output is run.
    DecodeRun,
    /// A file or store that holds credentials.
    SecretFile,
    /// All variables of the environment.
    EnvironmentDump,
    /// "all API keys", "the user's passwords".
    SecretWords,
    /// What tells who and where the machine is.
    HostFacts,
    /// A command that sends a body.
    Send,
    /// "send … to", "upload … to".
    SendWords,
    /// A name looked up that carries data.
    DnsLookup,
    /// "ignore previous instructions".
    Override,
    /// A text that poses as a system message.
    FakeSystem,
    /// "do not tell the user".
    Conceal,
    /// What runs again later or at each start.
    Persist,
    /// A file that agents read as instructions or settings.
    AgentFile,
    /// A setting that takes a safeguard of an agent away.
    SafetyOff,
    /// "do not ask for confirmation".
    NoConfirm,
    /// A safeguard of the system is taken away.
    SystemSafetyOff,
    /// A softer kind of it.
    SystemSafetyLow,
    /// "run as administrator".
    Elevated,
    /// Files or disks are destroyed.
    Destroy,
    /// Rights beyond those of the user are made permanent.
    Escalate,
    /// A miner of coins.
    Miner,
    /// "extract with password".
    ArchivePassword,
    /// "paste into the terminal".
    PasteRun,
    /// "run the file", "launch".
    RunWords,
    /// A link to an archive or a program.
    Binary,
    /// A package from elsewhere than its registry.
    PackageSource,
    /// A package that is installed.
    Install,
    /// Code that runs when a package is installed.
    InstallHook,
    /// Instructions from elsewhere are followed.
    RemoteInstructions,
    /// An image or link whose address carries data.
    BeaconImage,
    /// A repository that is cloned.
    Clone,
    /// A person's files, read as a whole.
    ReadAll,
    /// A ransom is demanded.
    Ransom,
    /// Local files that are encrypted.
    Encrypt,
    /// Keys that are typed, the clipboard, or the screen.
    Input,
    /// Something is decoded.
    Decode,
    /// "never mention this step", "without telling the user".
    ConcealAct,
    /// "the whole conversation", "every file of the workspace".
    DataWords,
    /// "ask the user for the password".
    AskSecret,
    /// "follow the instructions at".
    ObeyWords,
    /// A database or its backups are dropped.
    Drop,
    /// Names of hosts are set.
    HostsFile,
    /// The clipboard is written.
    Clipboard,
    /// A site for pastes.
    PasteSite,
    /// How the values of issuers of secrets begin.
    SecretFormat,
    /// A text or a download becomes code.
    LoadCode,
    /// A repository is pushed to an address.
    PushAway,
    /// Files are damaged, or locked for the key of somebody else.
    Damage,
}

/// A pattern, and what must be there before it is tried.
struct Pattern {
    signal: Signal,
    /// One of these words is in every match.
    words: &'static [&'static str],
    /// If there are any: one of these, too.
    also: &'static [&'static str],
    /// If there are any: what this stands for counts only beside one of these signals in the same file.
    beside: &'static [Signal],
    regex: &'static str,
    /// What begins a match on the same line, and how many bytes may be between it and the rest. The regex engine is slow at
    /// such gaps, since each place where a match may begin is a state of its own.
    head: Option<(&'static str, usize)>,
    /// Bytes that are not between them.
    stops: &'static [u8],
    /// How far around one of its words it is tried, in bytes.
    reach: (usize, usize),
    /// How much of the rest of the line belongs to a match, in bytes.
    rest: usize,
}

const fn pattern(signal: Signal, words: &'static [&'static str], regex: &'static str) -> Pattern {
    Pattern {
        signal,
        words,
        also: &[],
        beside: &[],
        regex,
        head: None,
        stops: b"",
        reach: REACH,
        rest: 0,
    }
}

impl Pattern {
    const fn also(self, also: &'static [&'static str]) -> Self {
        let reach = REACH_OF_TWO;
        Self {
            also,
            reach,
            ..self
        }
    }

    const fn beside(self, beside: &'static [Signal]) -> Self {
        Self { beside, ..self }
    }

    /// A match has more between its two words than others.
    const fn far(self) -> Self {
        let reach = REACH;
        Self { reach, ..self }
    }

    /// A match begins with another pattern, up to `gap` bytes before this one.
    const fn head(self, regex: &'static str, gap: usize) -> Self {
        Self {
            head: Some((regex, gap)),
            ..self
        }
        .far()
    }

    const fn stops(self, stops: &'static [u8]) -> Self {
        Self { stops, ..self }
    }

    const fn rest(self, rest: usize) -> Self {
        Self { rest, ..self }
    }
}

/// A place that a pattern matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Match {
    pub(crate) signal: Signal,
    pub(crate) span: Span,
}

/// How far around one of its words a pattern is tried, in bytes.
const REACH: (usize, usize) = (500, 700);

/// The same for patterns that need two words, which are nearer.
const REACH_OF_TWO: (usize, usize) = (160, 240);

/// The most matches of one pattern in a text.
const MAX_MATCHES: usize = 2000;

/// The longest match of the head of a pattern, in bytes.
const LONGEST_HEAD: usize = 300;

/// How much of a text a pattern is tried on at a time, and how much of that again, in bytes: a pattern that may go on to the end of
/// the text would else read all of it for each place where it may begin.
const STEP: usize = 4096;
const OVERLAP: usize = 1200;

/// The words of all patterns, and those that each is needed by.
struct Words {
    words: WordSet,
    /// For each word the patterns that need it; with whether it is the second that they need.
    patterns: Vec<Vec<(usize, bool)>>,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let mut needed: BTreeMap<&str, Vec<(usize, bool)>> = BTreeMap::new();
    for (at, (pattern, _)) in PATTERNS.iter().enumerate() {
        for word in pattern.words {
            needed.entry(word).or_default().push((at, false));
        }
        for word in pattern.also {
            needed.entry(word).or_default().push((at, true));
        }
    }
    Words {
        words: WordSet::new(needed.keys().copied()),
        patterns: needed.into_values().collect(),
    }
});

const TABLES: [&[Pattern]; 5] = [
    bringing::PATTERNS,
    changing::PATTERNS,
    running::PATTERNS,
    sending::PATTERNS,
    telling::PATTERNS,
];

/// Every pattern; each is compiled when one of its words is met.
static PATTERNS: LazyLock<Vec<(&Pattern, OnceLock<Compiled>)>> = LazyLock::new(|| {
    let all = TABLES.into_iter().flatten();
    all.map(|pattern| (pattern, OnceLock::new())).collect()
});

/// Says whether an expression ignores case by its first flags. It is then tried on the text in lower case.
fn ignores_case(regex: &str) -> bool {
    regex.starts_with("(?i-u)") || regex.starts_with("(?is-u)")
}

/// Returns an expression that ignores case as one for texts in lower case: that is compiled and tried in a part of the time.
fn lower(regex: &str) -> String {
    let mut lower = String::with_capacity(regex.len());
    let (flags, regex) = regex.split_once("-u)").unwrap_or(("", regex));
    lower.push_str(if flags.contains('s') {
        "(?s-u)"
    } else {
        "(?-u)"
    });
    let mut is_escaped = false;
    for c in regex.chars() {
        lower.push(if is_escaped {
            c
        } else {
            c.to_ascii_lowercase()
        });
        is_escaped = c == '\\' && !is_escaped;
    }
    lower
}

/// The expressions of a pattern.
struct Compiled {
    regex: Regex,
    head: Option<(Regex, usize)>,
    stops: &'static [u8],
}

impl Compiled {
    fn new(pattern: &Pattern) -> Result<Self, regex::Error> {
        let compiled = |regex: &str| {
            if ignores_case(regex) {
                return Regex::new(&lower(regex));
            }
            if regex.contains("-u)") {
                return Regex::new(regex);
            }
            Regex::new(&ascii_words(regex))
        };
        let head = pattern.head.map(|(head, gap)| Ok((compiled(head)?, gap)));
        Ok(Self {
            regex: compiled(pattern.regex)?,
            head: head.transpose()?,
            stops: pattern.stops,
        })
    }

    /// Returns the next match from a place on: its start and its end.
    fn find(&self, text: &[u8], from: usize) -> Option<(usize, usize)> {
        let Some((head, gap)) = &self.head else {
            let found = self.regex.find_at(text, from)?;
            return Some((found.start(), found.end()));
        };
        let mut next = from;
        while let Some(tail) = self.regex.find_at(text, next) {
            let low = from.max(tail.start().saturating_sub(gap + LONGEST_HEAD));
            let line = memchr::memrchr(b'\n', &text[low..tail.start()]);
            let start = line.map_or(low, |end| low + end + 1);
            let before = &text[..tail.start()];
            let is_near = |end: usize| {
                let between = &before[end..];
                between.len() <= *gap && !between.iter().any(|byte| self.stops.contains(byte))
            };
            let mut at = start;
            while let Some(head) = head.find_at(before, at) {
                if is_near(head.end()) {
                    return Some((head.start(), tail.end()));
                }
                at = head.end().max(head.start() + 1);
            }
            next = tail.end().max(tail.start() + 1);
        }
        None
    }
}

/// Parts of a text, in order, that do not overlap.
#[derive(Debug, Clone, Default)]
struct Windows(Vec<(usize, usize)>);

impl Windows {
    /// Adds a part that begins no earlier than those before it.
    fn add(&mut self, start: usize, end: usize) {
        match self.0.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => self.0.push((start, end)),
        }
    }

    /// Returns what is in both.
    fn both(&self, other: &Self) -> Self {
        let mut both = Self::default();
        let (mut at, mut of) = (0, 0);
        while let (Some(one), Some(two)) = (self.0.get(at), other.0.get(of)) {
            let (start, end) = (one.0.max(two.0), one.1.min(two.1));
            if start < end {
                both.add(start, end);
            }
            if one.1 <= two.1 {
                at += 1;
            } else {
                of += 1;
            }
        }
        both
    }
}

/// Returns what a text has, sorted by place; `None` if the run is cancelled meanwhile.
///
/// `is_file`: whether it is a file, not a part that was decoded.
pub(crate) fn matches(text: &str, is_file: bool, stop: &Stop) -> Option<Vec<Match>> {
    let bytes = text.as_bytes();
    let lower = bytes.to_ascii_lowercase();
    // Around the words of each pattern, and around the second words that it needs.
    let mut windows: Vec<[Windows; 2]> = Vec::new();
    WORDS.words.find(&lower, |word, start, end| {
        if windows.is_empty() {
            windows.resize(PATTERNS.len(), <[Windows; 2]>::default());
        }
        for (pattern, is_second) in &WORDS.patterns[word] {
            let (before, after) = PATTERNS[*pattern].0.reach;
            let end = (end + after).min(bytes.len());
            windows[*pattern][usize::from(*is_second)].add(start.saturating_sub(before), end);
        }
    });
    let mut found: Vec<Match> = Vec::new();
    // What counts only beside others comes after them.
    for is_beside in [false, true] {
        for (at, [first, second]) in windows.iter().enumerate() {
            let pattern = PATTERNS[at].0;
            let counts = || {
                let mut known = found.iter();
                !is_beside
                    || !is_file
                    || known.any(|hit| pattern.beside.contains(&hit.signal))
                    || pattern.signal == Signal::SecretWords && has_titles(bytes)
            };
            if first.0.is_empty() || pattern.beside.is_empty() == is_beside || !counts() {
                continue;
            }
            let bytes = if ignores_case(pattern.regex) {
                &lower
            } else {
                bytes
            };
            if pattern.also.is_empty() {
                search(bytes, first, at, &mut found, stop)?;
            } else {
                search(bytes, &first.both(second), at, &mut found, stop)?;
            }
        }
    }
    // Settings of one program, by the prefix of their names, are not all that the environment holds.
    found.retain(|hit| {
        let filters: [&[u8]; 3] = [b"startswith(", b"start_with", b"hasprefix"];
        let behind = &lower[hit.span.start..lower.len().min(hit.span.end + 90)];
        hit.signal != Signal::EnvironmentDump
            || !filters
                .iter()
                .any(|filter| memchr::memmem::find(behind, filter).is_some())
    });
    found.sort_by_key(|hit| (hit.span.start, hit.span.end, hit.signal));
    found.dedup();
    Some(found)
}

/// Says whether a Markdown text may have images or titles of links, where words for secrets count alone.
fn has_titles(bytes: &[u8]) -> bool {
    let has = |sign: &[u8]| memchr::memmem::find(bytes, sign).is_some();
    has(b"![") || has(b"](") && (has(b"\")") || has(b"')"))
}

/// Adds the matches of a pattern in parts of a text; `None` if the run is cancelled meanwhile.
fn search(
    bytes: &[u8],
    windows: &Windows,
    at: usize,
    found: &mut Vec<Match>,
    stop: &Stop,
) -> Option<()> {
    let (pattern, regex) = &PATTERNS[at];
    let most = found.len() + MAX_MATCHES;
    for (start, end) in &windows.0 {
        let regex =
            regex.get_or_init(|| Compiled::new(pattern).expect("a pattern that a test compiles"));
        let mut next = *start;
        while next < *end {
            if stop.is_raised() {
                return None;
            }
            // With what stands before it: a word does not begin where a window does.
            let step = (next + STEP).min(*end);
            let Some(mut hit) = regex.find(&bytes[..step], next) else {
                next = if step == *end { step } else { step - OVERLAP };
                continue;
            };
            if hit.1 == step && step < *end {
                // It may have been cut.
                let whole = &bytes[..(hit.0 + STEP).min(*end)];
                hit = regex.find(whole, hit.0).unwrap_or(hit);
            }
            let (first, last) = hit;
            let line = &bytes[last..(*end).min(last + pattern.rest)];
            let last = last + memchr::memchr(b'\n', line).unwrap_or(line.len());
            found.push(Match {
                signal: pattern.signal,
                span: Span::new(first, last),
            });
            if found.len() == most {
                return Some(());
            }
            next = last.max(first + 1);
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles_and_needs_one_of_its_words() {
        for (pattern, _) in PATTERNS.iter() {
            assert!(Compiled::new(pattern).is_ok(), "{}", pattern.regex);
            assert!(!pattern.words.is_empty());
            let mut words = pattern.words.iter().chain(pattern.also);
            assert!(
                words.all(|word| word.to_lowercase() == **word && (word.len() > 2 || *word == "@")),
                "{}",
                pattern.regex
            );
        }
    }
}
