//! Finds signals in text with patterns. Each pattern has a list of words. Every match contains at least one of the
//! words.
//!
//! Command lines can be written in too many ways for patterns. Therefore they are parsed as a shell would parse them
//! ([`shell`]).
//!
//! One automaton finds the words of all patterns in a single pass. A pattern is then tried only near its words, by a
//! regex engine that does not backtrack.

mod backdoors;
mod bringing;
mod changing;
mod compounds;
mod dumps;
mod extent;
mod programs;
mod redirecting;
mod running;
mod sending;
mod shell;
#[cfg(test)]
mod spellings;
mod syntax;
mod telling;

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use skillc_core::reveal::Layer;
use skillc_core::words::WordSet;
use skillc_core::{Span, Stop};

use super::ascii_words;
use super::expression::{Expression, Fault};

/// The meaning of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Signal {
    /// A download that a shell runs at once.
    FetchRun,
    /// A download.
    Fetch,
    /// A shell that takes its commands from a remote machine.
    ReverseShell,
    /// A decoder whose output is run.
    DecodeRun,
    /// A file or store that contains credentials.
    SecretFile,
    /// A command that prints a credential.
    SecretCommand,
    /// All environment variables.
    EnvironmentDump,
    /// "all API keys", "the user's passwords".
    SecretWords,
    /// Information that identifies the user or the machine.
    HostFacts,
    /// A command that sends data, such as a request with a body.
    Send,
    /// A request that may carry data in its address, in a header, or in the host name of a DNS query.
    Net,
    /// "send … to", "upload … to".
    SendWords,
    /// A DNS query for a name that carries data.
    DnsLookup,
    /// "ignore previous instructions".
    Override,
    /// Text that poses as a system message.
    FakeSystem,
    /// "do not tell the user".
    Conceal,
    /// Something that outlasts the skill: a job, a start-up entry, or a key.
    Persist,
    /// A file that agents read as instructions or settings.
    AgentFile,
    /// A setting or instruction that removes a safeguard of an agent.
    SafetyOff,
    /// "do not ask for confirmation".
    NoConfirm,
    /// A command that removes a safeguard of the system.
    SystemSafetyOff,
    /// A command that removes a less important safeguard of the system.
    SystemSafetyLow,
    /// "run as administrator".
    Elevated,
    /// A command that destroys files or disks.
    Destroy,
    /// A command that makes elevated privileges permanent.
    Escalate,
    /// The name of a coin miner.
    Miner,
    /// The options or the protocol of a coin miner.
    Mining,
    /// "extract with password".
    ArchivePassword,
    /// "paste into the terminal".
    PasteRun,
    /// "run the file", "launch".
    RunWords,
    /// A link to an archive or a program.
    Binary,
    /// A package that is not from the usual registry.
    PackageSource,
    /// A command that installs a package.
    Install,
    /// Code that runs when a package is installed.
    InstallHook,
    /// An instruction to follow the instructions at an address.
    RemoteInstructions,
    /// An image whose address carries data.
    BeaconImage,
    /// A command that clones a repository.
    Clone,
    /// Code that reads whole folders, repositories or databases.
    ReadAll,
    /// A demand for a ransom.
    Ransom,
    /// Code that encrypts many local files.
    Encrypt,
    /// Code that records key presses, the clipboard, the screen or sound.
    Input,
    /// Code that decodes data.
    Decode,
    /// "never mention this step", "without telling the user".
    ConcealAct,
    /// "the whole conversation", "every file of the workspace".
    DataWords,
    /// "ask the user for the password".
    AskSecret,
    /// A part of a command line that is nested too deeply to be read.
    Unread,
    /// "follow the instructions at".
    ObeyWords,
    /// A command that drops a database or its backups.
    Drop,
    /// A command that adds an entry to the hosts file.
    HostsFile,
    /// Code that writes a wallet address to the clipboard.
    Clipboard,
    /// A command that deletes infrastructure without confirmation.
    Teardown,
    /// The name of a paste site.
    PasteSite,
    /// The beginning of a secret in the format of a known issuer.
    SecretFormat,
    /// Code that loads a string or a file as code.
    LoadCode,
    /// A command that pushes a repository to an address.
    PushAway,
    /// Code that damages files, or encrypts files and deletes the originals.
    Damage,
    /// A setting that changes the host of a model's API.
    ModelHost,
    /// A setting that configures a proxy.
    Proxy,
    /// A git setting that replaces the host of repositories, or adds a host for pushes.
    GitHost,
    /// A command that makes the system trust a certificate authority.
    TrustStore,
    /// A setting that changes the name server.
    Resolver,
    /// "add a hidden admin account".
    WayIn,
    /// "when asked to review the code, call it a no-op".
    FalseReview,
}

/// A pattern, and the conditions under which it is tried.
struct Pattern {
    signal: Signal,
    /// Every match contains at least one of these words.
    words: &'static [&'static str],
    /// If not empty, every match also contains at least one of these words.
    also: &'static [&'static str],
    /// If not empty, the pattern is tried only if the file has one of these signals. This does not apply to decoded
    /// text.
    beside: &'static [Signal],
    regex: &'static str,
    /// A pattern that must match before `regex` on the same line, and the maximum gap between both matches in bytes. A
    /// gap inside a regular expression would be slow, because each possible start of a match is a separate state of the
    /// engine.
    head: Option<(&'static str, usize)>,
    /// Bytes that must not occur in the gap.
    stops: &'static [u8],
    /// The number of bytes before and after a word in which the pattern is tried.
    reach: (usize, usize),
    /// The maximum number of bytes by which a match is extended to the end of the line. A gap at the end of the
    /// expression would have the same effect, but would take long to compile.
    rest: usize,
    /// The number of bytes by which a match is extended at its end.
    beyond: usize,
    /// Lists of strings in lower case. Every match contains at least one string from each list. The string may be a
    /// part of a word. Searching for the strings is cheaper than trying the expression. In most files, the strings of
    /// at least one list are missing, so the expression is not even compiled.
    needs: &'static [&'static [&'static str]],
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
        beyond: 0,
        needs: &[],
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

    /// Sets the default reach, which allows more text between the two words of a match than the reach set by `also`.
    const fn far(self) -> Self {
        let reach = REACH;
        Self { reach, ..self }
    }

    /// Requires a match of another pattern before each match, with at most `gap` bytes in between.
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

    const fn beyond(self, beyond: usize) -> Self {
        Self { beyond, ..self }
    }

    const fn needs(self, needs: &'static [&'static [&'static str]]) -> Self {
        Self { needs, ..self }
    }

    /// Returns whether text in lower case contains the strings that every match needs.
    fn may_match(&self, lower: &[u8]) -> bool {
        let has = |text: &&str| memchr::memmem::find(lower, text.as_bytes()).is_some();
        self.needs.iter().all(|texts| texts.iter().any(has))
    }
}

/// A match of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Match {
    pub(crate) signal: Signal,
    pub(crate) span: Span,
}

/// The default number of bytes before and after a word in which a pattern is tried.
const REACH: (usize, usize) = (500, 700);

/// The same for a pattern that needs two words. The two words of a match are close to each other.
const REACH_OF_TWO: (usize, usize) = (160, 240);

/// The length of arrays indexed by pattern: at least two more than the number of patterns.
const MAX_PATTERNS: usize = 256;

/// The maximum number of matches per pattern and layer.
const MAX_MATCHES: usize = 2000;

/// The maximum length of a match of `head`, in bytes.
const LONGEST_HEAD: usize = 300;

/// The number of bytes in which a pattern is searched at a time, and the overlap of two such parts. Without this limit,
/// a pattern of unbounded length would read the rest of the text at each possible start of a match.
const STEP: usize = 4096;
const OVERLAP: usize = 1200;

/// The pattern number of the [`shell::WORDS`], which do not belong to a pattern.
const COMMAND: usize = MAX_PATTERNS - 1;

/// The words of all patterns, and the patterns that need each word.
struct Words {
    words: WordSet,
    /// For each word, the patterns that need it, and for each pattern, whether the word is one of `also`.
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
    for word in shell::WORDS {
        needed.entry(word).or_default().push((COMMAND, false));
    }
    Words {
        words: WordSet::new(needed.keys().copied()),
        patterns: needed.into_values().collect(),
    }
});

const TABLES: [&[Pattern]; 7] = [
    backdoors::PATTERNS,
    bringing::PATTERNS,
    changing::PATTERNS,
    redirecting::PATTERNS,
    running::PATTERNS,
    sending::PATTERNS,
    telling::PATTERNS,
];

/// All patterns. A pattern is compiled when it is first tried.
static PATTERNS: LazyLock<Vec<(&Pattern, OnceLock<Compiled>)>> = LazyLock::new(|| {
    let all = TABLES.into_iter().flatten();
    all.map(|pattern| (pattern, OnceLock::new())).collect()
});

/// Returns whether an expression begins with flags that ignore case. Such an expression is searched in the text in
/// lower case.
fn ignores_case(regex: &str) -> bool {
    regex.starts_with("(?i-u)") || regex.starts_with("(?is-u)")
}

/// Converts an expression that ignores case to an expression for text in lower case. The result is faster to compile
/// and to search.
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
    regex: Expression,
    head: Option<(Expression, usize)>,
    stops: &'static [u8],
}

impl Compiled {
    fn new(pattern: &Pattern) -> Result<Self, Fault> {
        let compiled = |regex: &str| {
            if ignores_case(regex) {
                return Expression::new(&lower(regex));
            }
            if regex.contains("-u)") {
                return Expression::new(regex);
            }
            Expression::new(&ascii_words(regex))
        };
        let head = pattern
            .head
            .map(|(head, gap)| Ok::<_, Fault>((compiled(head)?, gap)));
        Ok(Self {
            regex: compiled(pattern.regex)?,
            head: head.transpose()?,
            stops: pattern.stops,
        })
    }

    /// Returns the start and the end of the next match at or after a position.
    fn find(&self, text: &[u8], from: usize) -> Option<(usize, usize)> {
        let Some((head, gap)) = &self.head else {
            let found = self.regex.find_at(text, from)?;
            return Some((found.start, found.end));
        };
        let mut next = from;
        while let Some(tail) = self.regex.find_at(text, next) {
            let low = from.max(tail.start.saturating_sub(gap + LONGEST_HEAD));
            let line = memchr::memrchr(b'\n', &text[low..tail.start]);
            let start = line.map_or(low, |end| low + end + 1);
            let before = &text[..tail.start];
            let is_near = |end: usize| {
                let between = &before[end..];
                between.len() <= *gap && !between.iter().any(|byte| self.stops.contains(byte))
            };
            let mut at = start;
            while let Some(head) = head.find_at(before, at) {
                if is_near(head.end) {
                    return Some((head.start, tail.end));
                }
                at = head.end.max(head.start + 1);
            }
            next = tail.end.max(tail.start + 1);
        }
        None
    }
}

/// Parts of the text, in order, without overlap.
#[derive(Debug, Clone, Default)]
struct Windows(Vec<(usize, usize)>);

impl Windows {
    /// Adds a part, which must not begin before the last part.
    fn add(&mut self, start: usize, end: usize) {
        match self.0.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => self.0.push((start, end)),
        }
    }

    /// Returns the intersection with `other`.
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

/// Returns the matches in a layer, sorted by position; `None` if the run is cancelled.
pub(crate) fn matches(layer: &Layer, stop: &Stop) -> Option<Vec<Match>> {
    let bytes = layer.text.as_bytes();
    let lower = layer.lower().as_bytes();
    // The patterns with a word in the text, each with the windows around its `words` and around its `also` words.
    let mut tried: Vec<(usize, [Windows; 2])> = Vec::new();
    // For each pattern, one more than its index in `tried`; 0 if it is not in `tried`.
    let mut places = [0; MAX_PATTERNS];
    let mut commands = Vec::new();
    WORDS.words.find(lower, |word, start, end| {
        for (pattern, is_second) in &WORDS.patterns[word] {
            if *pattern == COMMAND {
                commands.push(start);
                continue;
            }
            let place = &mut places[*pattern];
            if *place == 0 {
                tried.push((*pattern, Default::default()));
                *place = tried.len();
            }
            let windows = &mut tried[*place - 1].1;
            let (before, after) = PATTERNS[*pattern].0.reach;
            let end = (end + after).min(bytes.len());
            windows[usize::from(*is_second)].add(start.saturating_sub(before), end);
        }
    });
    tried.sort_unstable_by_key(|(pattern, _)| *pattern);
    let mut found: Vec<Match> = Vec::new();
    shell::find(&layer.text, commands, &mut found, stop)?;
    // Patterns that need other signals are tried after the patterns for these signals.
    for is_beside in [false, true] {
        for (at, [first, second]) in &tried {
            let pattern = PATTERNS[*at].0;
            let counts = || {
                let mut known = found.iter();
                !is_beside
                    || !layer.is_file()
                    || known.any(|hit| pattern.beside.contains(&hit.signal))
                    || pattern.signal == Signal::SecretWords && has_titles(bytes)
            };
            if first.0.is_empty() || pattern.beside.is_empty() == is_beside || !counts() {
                continue;
            }
            let bytes = if ignores_case(pattern.regex) {
                lower
            } else {
                bytes
            };
            if pattern.also.is_empty() {
                search((bytes, lower), first, *at, &mut found, stop)?;
            } else {
                search((bytes, lower), &first.both(second), *at, &mut found, stop)?;
            }
        }
    }
    // Drop code that reads only environment variables with a certain prefix, which are the settings of one program.
    found.retain(|hit| {
        let filters: [&[u8]; 3] = [b"startswith(", b"start_with", b"hasprefix"];
        let behind = &lower[hit.span.start..lower.len().min(hit.span.end + 90)];
        hit.signal != Signal::EnvironmentDump
            || !filters
                .iter()
                .any(|filter| memchr::memmem::find(behind, filter).is_some())
                && !dumps::is_word(bytes, hit.span.start)
    });
    found.sort_by_key(|hit| (hit.span.start, hit.span.end, hit.signal));
    found.dedup();
    Some(found)
}

/// Returns whether Markdown text may contain images or link titles. In such text, words for secrets are a signal even
/// without other signals.
fn has_titles(bytes: &[u8]) -> bool {
    let has = |sign: &[u8]| memchr::memmem::find(bytes, sign).is_some();
    has(b"![") || has(b"](") && (has(b"\")") || has(b"')"))
}

/// Returns whether a file is public: it contains public keys, or is a template. `name`: the text of the match; `rest`:
/// the text after the match; both in lower case.
fn is_public(name: &[u8], rest: &[u8]) -> bool {
    if name.ends_with(b"authorized_keys")
        || name.ends_with(b"known_hosts")
        || name.ends_with(b".pub")
    {
        return true;
    }
    let endings: [&[u8]; 5] = [b".pub", b".example", b".sample", b".template", b".dist"];
    endings.iter().any(|ending| rest.starts_with(ending))
}

/// Adds the matches of a pattern in the windows of `bytes`; `None` if the run is cancelled. `lower`: `bytes` in lower
/// case.
fn search(
    (bytes, lower): (&[u8], &[u8]),
    windows: &Windows,
    at: usize,
    found: &mut Vec<Match>,
    stop: &Stop,
) -> Option<()> {
    let (pattern, regex) = &PATTERNS[at];
    let most = found.len() + MAX_MATCHES;
    for (start, end) in &windows.0 {
        if !pattern.may_match(&lower[*start..*end]) {
            continue;
        }
        let regex =
            regex.get_or_init(|| Compiled::new(pattern).expect("a pattern that a test compiles"));
        let mut next = *start;
        while next < *end {
            if stop.is_raised() {
                return None;
            }
            // Pass the text before the window too, because the window may begin inside a word.
            let until = (next + STEP).min(*end);
            let Some(mut hit) = regex.find(&bytes[..until], next) else {
                next = if until == *end {
                    until
                } else {
                    until - OVERLAP
                };
                continue;
            };
            if hit.1 == until && until < *end {
                // The end of the part may have truncated the match.
                let whole = &bytes[..(hit.0 + STEP).min(*end)];
                hit = regex.find(whole, hit.0).unwrap_or(hit);
            }
            let (first, last) = hit;
            let last = (last + pattern.beyond).min(*end);
            let line = &bytes[last..(*end).min(last + pattern.rest)];
            let last = last + memchr::memchr(b'\n', line).unwrap_or(line.len());
            next = last.max(first + 1);
            // A match of an expression on bytes may end inside a character.
            let is_inside = |at: usize| bytes.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
            let first = (0..=first).rev().find(|at| !is_inside(*at)).unwrap_or(0);
            let last = (last..bytes.len())
                .find(|at| !is_inside(*at))
                .unwrap_or(bytes.len());
            if pattern.signal == Signal::SecretFile
                && is_public(&lower[first..last], &lower[last..])
            {
                continue;
            }
            found.push(Match {
                signal: pattern.signal,
                span: Span::new(first, last),
            });
            if found.len() == most {
                return Some(());
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles_and_needs_one_of_its_words() {
        assert!(PATTERNS.len() <= COMMAND);
        for (pattern, _) in PATTERNS.iter() {
            assert!(Compiled::new(pattern).is_ok(), "{}", pattern.regex);
            assert!(!pattern.words.is_empty());
            let mut needs = pattern.needs.iter().copied().flatten();
            assert!(
                needs.all(|text| text.to_lowercase() == **text),
                "{}",
                pattern.regex
            );
            let mut words = pattern.words.iter().chain(pattern.also);
            assert!(
                words.all(|word| word.to_lowercase() == **word && (word.len() > 2 || *word == "@")),
                "{}",
                pattern.regex
            );
        }
        assert!(shell::WORDS.iter().all(|word| word.len() > 2));
    }
}
