//! The baseline: a list of known findings, against which the findings of a run are matched.
//!
//! A finding is identified by its file, its rule and a fingerprint of its line and message, not by its line number. It
//! stays known when the text around it changes or its paragraph moves, and becomes new when its own line changes. The
//! fingerprint of a security finding covers all files of the skill instead of the line. If a file has more identical
//! findings than are listed, the surplus is new. This module does no I/O.
//!
//! Design: R41.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::path::Path;
use std::sync::Arc;

use skillc_core::error::{Error, Result};
use skillc_core::hash::Sha;
use toml::de::{DeTable, DeValue};
use toml::value::Datetime;

use super::config::toml_text::{At, TomlText};
use super::finding::Pinned;
use super::rule::code::is_security;

/// The default file name.
pub const FILE: &str = ".skilllint-baseline.toml";

/// The size limit of the file, in bytes.
pub const MAX_BYTES: u64 = 16 << 20;

/// The maximum memory that the parser may use for a baseline, in bytes: enough for a file of [`MAX_BYTES`].
const MAX_PARSER_COST: usize = 1 << 30;

/// The version of the file format.
pub const VERSION: u32 = 1;

/// The maximum number of identical findings that one entry may cover.
const MAX_COUNT: usize = 1_000_000;

/// The default hint for an error in the file.
const NEXT: &str = "Fix that line, or delete its [[finding]] and run with --write-baseline.";

const KEYS: [&str; 2] = ["version", "finding"];

const ENTRY_KEYS: [&str; 9] = [
    "skill",
    "file",
    "rule",
    "fingerprint",
    "count",
    "message",
    "owner",
    "reason",
    "expires",
];

/// The properties that identify a finding.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity {
    /// The file's path, relative to the directory of the baseline, with `/` separators. All findings of a file share
    /// this string, because a file can have many findings and a path can be long.
    pub path: Arc<str>,
    /// The rule's code.
    pub rule: String,
    /// The result of [`fingerprint`], or of [`pinned_fingerprint`] for a security finding.
    pub fingerprint: String,
}

impl Identity {
    /// Builds the identity of a finding in a file of a skill.
    ///
    /// `skill`: the skill's directory, relative to the directory of the baseline, with `/` separators; `.` if both are
    /// the same directory.
    pub fn new(skill: &str, file: &str, rule: &str, fingerprint: &str) -> Self {
        Self {
            path: Self::path(skill, file),
            rule: rule.to_owned(),
            fingerprint: fingerprint.to_owned(),
        }
    }

    /// Builds the path of a file in a skill. The parameters are those of [`new`](Self::new).
    pub fn path(skill: &str, file: &str) -> Arc<str> {
        let below = file.split('/').filter(|part| !part.is_empty());
        let mut parts = folder_parts(skill);
        parts.extend(below);
        parts.join("/").into()
    }
}

/// Normalizes a skill's directory for comparison: removes `.` components and trailing `/`; `.` if nothing is left.
pub fn folder(skill: &str) -> String {
    match folder_parts(skill) {
        parts if parts.is_empty() => ".".to_owned(),
        parts if skill.starts_with('/') => format!("/{}", parts.join("/")),
        parts => parts.join("/"),
    }
}

fn folder_parts(skill: &str) -> Vec<&str> {
    let parts = skill.split('/');
    parts.filter(|part| !matches!(*part, "" | ".")).collect()
}

/// Computes the fingerprint of a finding: 16 hexadecimal digits.
///
/// `line_hash`: hash of the line where the finding begins. Numbers in the message are ignored, because a line count or
/// the length of a line may change.
pub fn fingerprint(line_hash: u64, message: &str) -> String {
    let mut text = format!("{line_hash:016x}:");
    let mut is_number = false;
    for c in message.chars() {
        if !c.is_ascii_digit() {
            text.push(c);
        } else if !is_number {
            text.push('0');
        }
        is_number = c.is_ascii_digit();
    }
    let mut digits = Sha::digest(text.as_bytes()).to_string();
    digits.truncate(16);
    digits
}

/// The number of hexadecimal digits of [`pinned_fingerprint`]: 128 bits, because the author of a skill may try to
/// construct a collision.
const PINNED_DIGITS: usize = 32;

/// Computes the fingerprint of a security finding, which covers all files of the skill and the whole message. Returns
/// `None` if the files could not be hashed; in that case, the finding cannot be accepted.
pub fn pinned_fingerprint(pinned: &Pinned, rule: &str, message: &str) -> Option<String> {
    let content = pinned.0.as_ref()?;
    let text = format!("{content}:{rule}:{message}");
    let mut digits = Sha::digest(text.as_bytes()).to_string();
    digits.truncate(PINNED_DIGITS);
    Some(digits)
}

/// A day, such as `2026-11-22`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(String);

impl Day {
    /// Returns the date of a timestamp, in UTC.
    pub fn from_timestamp(moment: skillc_core::time::Timestamp) -> Self {
        let text = moment.to_string();
        Self(text.get(..10).unwrap_or(&text).to_owned())
    }
}

impl Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A known finding, or several identical findings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaselineEntry {
    /// The identity of the finding.
    pub identity: Identity,
    /// The skill's directory, relative to the directory of the baseline: see [`folder`].
    pub skill: String,
    /// The file, relative to the skill's directory.
    pub file: String,
    /// The number of identical findings that the entry covers; at least 1.
    pub count: usize,
    /// The finding's message; informational only.
    pub message: String,
    /// The person or team responsible.
    pub owner: Option<String>,
    /// Why the finding is not fixed yet.
    pub reason: Option<String>,
    /// The last day on which the entry applies, in UTC.
    pub expires: Option<Day>,
}

/// The entries of a baseline file, in file order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Baseline {
    /// The entries.
    pub entries: Vec<BaselineEntry>,
}

/// The status of a finding according to the baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Not in the baseline.
    New,
    /// In the baseline.
    Known,
    /// Covered by the expired entry with this index.
    Expired(usize),
}

/// The findings of a run compared with the baseline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matched {
    /// The status of each finding, in order.
    pub fates: Vec<Fate>,
    /// For each entry, in order: the number of findings that the entry covers but that did not occur.
    pub unused: Vec<usize>,
}

impl Baseline {
    /// Parses the text of a baseline file.
    ///
    /// `path`: shown in errors.
    ///
    /// # Errors
    /// E100 with the position of the fault.
    pub fn parse(path: &Path, text: &str) -> Result<Self> {
        Self::read(TomlText { path, text }).map_err(|error| match error {
            Error::InvalidOption {
                message,
                hint: None,
            } => Error::InvalidOption {
                message,
                hint: Some(NEXT.into()),
            },
            error => error,
        })
    }

    fn read(file: TomlText<'_>) -> Result<Self> {
        let root = file.parse(MAX_PARSER_COST)?;
        for (key, _) in &root {
            if !KEYS.contains(&key.get_ref().as_ref()) {
                return Err(file.unknown_key(&key.span(), key.get_ref(), &KEYS));
            }
        }
        check_version(file, &root)?;
        let Some(list) = root.get("finding") else {
            return Ok(Self::default());
        };
        let expected = || file.expected(list, "finding", "a list of [[finding]]");
        let items = list.get_ref().as_array().ok_or_else(expected)?;
        let entries = items.iter().map(|item| entry(file, item));
        Ok(Self {
            entries: entries.collect::<Result<_>>()?,
        })
    }

    /// Matches the findings of a run against the entries. Of several entries with the same identity, those that have
    /// not expired are used up first.
    pub fn matched<'a>(
        &self,
        findings: impl IntoIterator<Item = &'a Identity>,
        today: &Day,
    ) -> Matched {
        let mut left: Vec<usize> = self.entries.iter().map(|entry| entry.count).collect();
        let is_over = |entry: &BaselineEntry| entry.expires.as_ref().is_some_and(|day| day < today);
        let mut of_identity: BTreeMap<&Identity, Vec<usize>> = BTreeMap::new();
        for (at, entry) in self.entries.iter().enumerate().rev() {
            of_identity.entry(&entry.identity).or_default().push(at);
        }
        for of_one in of_identity.values_mut() {
            // Entries are used up from the end, so unexpired entries go last.
            of_one.sort_by_key(|at| !is_over(&self.entries[*at]));
        }
        let mut fate = |finding: &Identity| {
            let Some(of_one) = of_identity.get_mut(finding) else {
                return Fate::New;
            };
            while of_one.last().is_some_and(|at| left[*at] == 0) {
                of_one.pop();
            }
            let Some(&at) = of_one.last() else {
                return Fate::New;
            };
            left[at] -= 1;
            if is_over(&self.entries[at]) {
                Fate::Expired(at)
            } else {
                Fate::Known
            }
        };
        Matched {
            fates: findings.into_iter().map(&mut fate).collect(),
            unused: left,
        }
    }
}

fn check_version(file: TomlText<'_>, root: &DeTable<'_>) -> Result<()> {
    let Some(version) = root.get("version") else {
        let what = format!("there is no 'version = {VERSION}'");
        let hint = "Is it a baseline? Create one with --write-baseline.".to_owned();
        return Err(file.fault(&(0..0), what, Some(hint)));
    };
    match whole(version) {
        Some(number) if number == u64::from(VERSION) => Ok(()),
        Some(number) => {
            let what = format!("version {number} is not known; expected {VERSION}");
            let hint = "It may have been written by a newer version of skc.".to_owned();
            Err(file.fault(&version.span(), what, Some(hint)))
        }
        None => Err(file.expected(version, "version", &VERSION.to_string())),
    }
}

fn entry(file: TomlText<'_>, item: &At<'_>) -> Result<BaselineEntry> {
    let expected = || file.expected(item, "finding", "a table");
    let table = item.get_ref().as_table().ok_or_else(expected)?;
    for (key, _) in table {
        if !ENTRY_KEYS.contains(&key.get_ref().as_ref()) {
            return Err(file.unknown_key(&key.span(), key.get_ref(), &ENTRY_KEYS));
        }
    }
    let text = |key: &str| {
        let value = table.get(key);
        let text = value.map(|value| {
            let text = value.get_ref().as_str();
            text.ok_or_else(|| file.expected(value, key, "a string"))
        });
        text.transpose().map(|text| text.map(str::to_owned))
    };
    let needed = |key: &str| {
        let missing = || file.fault(&item.span(), format_args!("a finding has no '{key}'"), None);
        text(key)?.ok_or_else(missing)
    };
    let (skill, in_skill, rule) = (needed("skill")?, needed("file")?, needed("rule")?);
    let print = needed("fingerprint")?;
    if is_security(&rule) && print.len() != PINNED_DIGITS {
        let what = format!(
            "the fingerprint of a finding of {rule} has {} digits; expected {PINNED_DIGITS}: the fingerprint of a security finding must cover all files of the skill",
            print.len()
        );
        return Err(file.fault(&item.span(), what, None));
    }
    let count = table.get("count").map_or(Ok(1), |value| {
        let count = whole(value).and_then(|count| usize::try_from(count).ok());
        let count = count.filter(|count| (1..=MAX_COUNT).contains(count));
        count.ok_or_else(|| {
            let what = format!(
                "'count' is {}; expected a number of at least 1",
                shown(value)
            );
            let hint = "Omit it if the entry is for one finding.".to_owned();
            file.fault(&value.span(), what, Some(hint))
        })
    });
    let expires = table.get("expires").map(|value| {
        day(value).ok_or_else(|| {
            let what = format!("'expires' is {}; expected a date", shown(value));
            let hint = "Write it without quotes: expires = 2027-01-31".to_owned();
            file.fault(&value.span(), what, Some(hint))
        })
    });
    Ok(BaselineEntry {
        identity: Identity::new(&skill, &in_skill, &rule, &print),
        skill: folder(&skill),
        file: in_skill,
        count: count?,
        message: text("message")?.unwrap_or_default(),
        owner: text("owner")?,
        reason: text("reason")?,
        expires: expires.transpose()?,
    })
}

/// Returns a scalar as written in the file, and any other value as the name of its type.
fn shown(value: &At<'_>) -> String {
    match value.get_ref() {
        DeValue::Integer(number) => number.as_str().to_owned(),
        DeValue::Float(number) => number.as_str().to_owned(),
        DeValue::Boolean(is_so) => is_so.to_string(),
        DeValue::Datetime(moment) => moment.to_string(),
        DeValue::String(text) => format!("\"{text}\""),
        other => other.type_str().to_owned(),
    }
}

fn whole(value: &At<'_>) -> Option<u64> {
    let DeValue::Integer(number) = value.get_ref() else {
        return None;
    };
    let digits = number.as_str().replace('_', "");
    u64::from_str_radix(digits.trim_start_matches('+'), number.radix()).ok()
}

fn day(value: &At<'_>) -> Option<Day> {
    match value.get_ref() {
        DeValue::Datetime(Datetime {
            date: Some(date),
            time: None,
            offset: None,
        }) => Some(Day(date.to_string())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use skillc_core::time::Timestamp;

    fn parse(text: &str) -> Result<Baseline> {
        Baseline::parse(Path::new("b.toml"), text)
    }

    fn fault(text: &str) -> String {
        parse(text).unwrap_err().message()
    }

    fn entry(extra: &str) -> String {
        format!(
            "[[finding]]\nskill = \"a\"\nfile = \"SKILL.md\"\nrule = \"SKL205\"\nfingerprint = \"f\"\n{extra}\n"
        )
    }

    fn list(entries: &[&str]) -> Baseline {
        let entries = entries.iter().map(|extra| entry(extra));
        parse(&format!("version = 1\n{}", entries.collect::<String>())).unwrap()
    }

    fn found(times: usize) -> Vec<Identity> {
        vec![Identity::new("a", "SKILL.md", "SKL205", "f"); times]
    }

    fn today() -> Day {
        Day::from_timestamp(Timestamp(1_795_305_600))
    }

    #[test]
    fn equal_findings_are_known_up_to_the_listed_count() {
        let matched = list(&["", "count = 2"]).matched(&found(4), &today());
        let known = [Fate::Known, Fate::Known, Fate::Known, Fate::New];
        assert_eq!(
            (&*matched.fates, &*matched.unused),
            (&known[..], &[0, 0][..])
        );
        let matched = list(&["count = 3"]).matched(&found(1), &today());
        assert_eq!(matched.unused, [2]);
    }

    #[test]
    fn a_short_fingerprint_of_a_security_finding_is_refused() {
        let of = |print: &str| {
            let text = "skill = \"a\"\nfile = \"SKILL.md\"\nrule = \"SEC101\"";
            parse(&format!(
                "version = 1\n[[finding]]\n{text}\nfingerprint = \"{print}\"\n"
            ))
        };
        assert!(of(&"a".repeat(32)).is_ok());
        let message = of("0123456789abcdef").unwrap_err().message();
        assert!(message.contains("has 16 digits; expected 32"), "{message}");
    }

    #[test]
    fn a_pinned_fingerprint_covers_numbers_and_content() {
        let of = |content: &[u8], message: &str| {
            let pinned = Pinned(Some(Box::new(Sha::digest(content))));
            pinned_fingerprint(&pinned, "SEC101", message).unwrap()
        };
        assert_eq!(of(b"a", "1.2.3.4").len(), 32);
        assert_ne!(of(b"a", "1.2.3.4"), of(b"a", "1.2.3.5"));
        assert_ne!(of(b"a", "x"), of(b"b", "x"));
        assert_eq!(pinned_fingerprint(&Pinned(None), "SEC101", "x"), None);
    }

    #[test]
    fn an_entry_applies_through_its_last_day_and_valid_ones_come_first() {
        assert_eq!(today().to_string(), "2026-11-22");
        let of_day = |day: &str| {
            let list = list(&[&format!("expires = {day}")]);
            list.matched(&found(1), &today()).fates[0]
        };
        assert_eq!(of_day("2026-11-22"), Fate::Known);
        assert_eq!(of_day("2026-11-21"), Fate::Expired(0));
        assert_eq!(of_day("0999-12-31"), Fate::Expired(0));
        let both = list(&["expires = 2026-01-01", ""]).matched(&found(2), &today());
        assert_eq!(both.fates, [Fate::Known, Fate::Expired(0)]);
    }

    #[test]
    fn a_file_is_the_same_from_any_enclosing_skill() {
        let inner = Identity::new("a/b/", "SKILL.md", "r", "f");
        assert_eq!(inner, Identity::new("./a", "b/SKILL.md", "r", "f"));
        assert_eq!(&*inner.path, "a/b/SKILL.md");
        assert_eq!(&*Identity::path(".", "x.md"), "x.md");
        assert_eq!((folder("./"), folder("../x/")), (".".into(), "../x".into()));
    }

    #[test]
    fn numbers_in_a_message_are_ignored_but_words_and_lines_are_not() {
        let of = |message| fingerprint(7, message);
        assert_eq!(of("612 lines; at most 500"), of("9 lines; at most 1000"));
        assert_ne!(of("no field 'name'"), of("no field 'title'"));
        assert_ne!(of("x"), fingerprint(8, "x"));
        assert_eq!(of("x").len(), 16);
    }

    #[test]
    fn faults_have_their_location() {
        assert_eq!(
            fault(""),
            "invalid option: 'b.toml:1:1: there is no \"version = 1\"'"
        );
        for (text, message) in [
            (
                "version = 2",
                "b.toml:1:11: version 2 is not known; expected 1",
            ),
            (
                "version = \"1\"",
                "b.toml:1:11: 'version' is \"1\"; expected 1",
            ),
            (
                "version = 1\nfindings = []",
                "b.toml:2:1: unknown key 'findings'",
            ),
            (
                "version = 1\nfinding = 3",
                "b.toml:2:11: 'finding' is 3; expected a list of [[finding]]",
            ),
            (
                "version = 1\n[[finding]]",
                "b.toml:2:1: a finding has no 'skill'",
            ),
            (
                "version =",
                "b.toml:1:10: string values must be quoted, expected literal string",
            ),
        ] {
            let message = message.replace('\'', "\"");
            assert_eq!(fault(text), format!("invalid option: '{message}'"));
        }
        for (line, message) in [
            ("line = 3", "unknown key 'line'"),
            ("owner = 3", "'owner' is 3; expected a string"),
            ("count = 0", "'count' is 0; expected a number of at least 1"),
            (
                "count = -1",
                "'count' is -1; expected a number of at least 1",
            ),
            (
                "expires = \"2026-01-01\"",
                "'expires' is \"2026-01-01\"; expected a date",
            ),
            (
                "expires = 2026-01-01T00:00:00Z",
                "'expires' is 2026-01-01T00:00:00Z; expected a date",
            ),
        ] {
            let text = format!("version = 1\n{}", entry(line));
            let next = parse(&text).unwrap_err().details();
            assert!(next.is_some_and(|next| !next.is_empty()), "{line}");
            let fault = fault(&text);
            let message = message.replace('\'', "\"");
            assert!(fault.ends_with(&format!(": {message}'")), "{fault}");
        }
    }
}
