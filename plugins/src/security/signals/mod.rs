//! What is looked for in every text: patterns, each behind words of which one must be there.
//!
//! One automaton over all words goes through a text; a pattern is then tried near its words only. No pattern spans more than
//! some hundred bytes, and none backtracks.

mod bringing;
mod changing;
mod running;
mod sending;
mod telling;

use std::sync::{LazyLock, OnceLock};

use aho_corasick::{AhoCorasick, MatchKind};
use regex::bytes::Regex;
use skillc_core::Span;

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
}

struct Pattern {
    signal: Signal,
    words: &'static [&'static str],
    regex: &'static str,
}

const fn pattern(signal: Signal, words: &'static [&'static str], regex: &'static str) -> Pattern {
    Pattern {
        signal,
        words,
        regex,
    }
}

/// A place that a pattern matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Match {
    pub(crate) signal: Signal,
    pub(crate) span: Span,
}

/// How far around one of its words a pattern is tried, in bytes.
const BEFORE: usize = 500;
const AFTER: usize = 700;

/// The most matches of one pattern in a text.
const MAX_MATCHES: usize = 200;

/// The automaton over all words.
struct Words {
    automaton: AhoCorasick,
    /// For each word the patterns that it stands before.
    patterns: Vec<Vec<usize>>,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let mut words: Vec<&str> = Vec::new();
    let mut patterns: Vec<Vec<usize>> = Vec::new();
    for (at, (pattern, _)) in PATTERNS.iter().enumerate() {
        for word in pattern.words {
            if let Some(of) = words.iter().position(|known| known == word) {
                patterns[of].push(at);
            } else {
                words.push(word);
                patterns.push(vec![at]);
            }
        }
    }
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .build(words)
        .expect("words");
    Words {
        automaton,
        patterns,
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
static PATTERNS: LazyLock<Vec<(&Pattern, OnceLock<Regex>)>> = LazyLock::new(|| {
    let all = TABLES.into_iter().flatten();
    all.map(|pattern| (pattern, OnceLock::new())).collect()
});

fn compiled(pattern: &Pattern) -> Result<Regex, regex::Error> {
    if pattern.regex.contains("-u)") {
        return Regex::new(pattern.regex);
    }
    Regex::new(&ascii_words(pattern.regex))
}

/// Returns what a text has, sorted by place.
pub(crate) fn matches(text: &str) -> Vec<Match> {
    let bytes = text.as_bytes();
    // Windows around the words of each pattern, merged.
    let mut windows: Vec<Vec<(usize, usize)>> = vec![Vec::new(); PATTERNS.len()];
    for word in WORDS.automaton.find_overlapping_iter(bytes) {
        for pattern in &WORDS.patterns[word.pattern().as_usize()] {
            let start = word.start().saturating_sub(BEFORE);
            let end = (word.end() + AFTER).min(bytes.len());
            match windows[*pattern].last_mut() {
                Some(last) if start <= last.1 => last.1 = end,
                _ => windows[*pattern].push((start, end)),
            }
        }
    }
    let mut found = Vec::new();
    for (at, windows) in windows.iter().enumerate() {
        if windows.is_empty() {
            continue;
        }
        let (pattern, regex) = &PATTERNS[at];
        let regex =
            regex.get_or_init(|| compiled(pattern).expect("a pattern that a test compiles"));
        let before = found.len();
        for (start, end) in windows {
            // Not within a line where that can be had: patterns may begin at its start.
            let start = memchr::memchr(b'\n', &bytes[*start..*end])
                .filter(|_| *start > 0)
                .map_or(*start, |line| (start + line + 1).min(start + BEFORE));
            for hit in regex.find_iter(&bytes[start..*end]) {
                found.push(Match {
                    signal: pattern.signal,
                    span: Span::new(start + hit.start(), start + hit.end()),
                });
            }
            if found.len() - before > MAX_MATCHES {
                break;
            }
        }
    }
    found.sort_by_key(|hit| (hit.span.start, hit.span.end, hit.signal));
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles_and_needs_one_of_its_words() {
        for (pattern, _) in PATTERNS.iter() {
            assert!(compiled(pattern).is_ok(), "{}", pattern.regex);
            assert!(!pattern.words.is_empty());
            assert!(
                pattern
                    .words
                    .iter()
                    .all(|word| word.to_lowercase() == **word)
            );
        }
    }
}
