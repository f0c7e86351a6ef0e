//! The names of entries: the paths to which programs unpack entries, and the names that some systems do not
//! distinguish.

use std::collections::{BTreeMap, BTreeSet};

use skillc_core::layout::SKILL_FILE;
use skillc_core::source::FlawKind::{self, Attack, Odd, Unread};
use skillc_core::source::lines::char_floor;
use skillc_core::{RelPath, Stop};
use unicode_normalization::UnicodeNormalization as _;

/// The maximum length of an entry's name, in bytes.
pub(super) const MAX_NAME_BYTES: usize = 4 << 10;

/// The limit on folders in the path of an entry.
const MAX_DEPTH: usize = 128;

/// The limit on different files and folders whose names are compared.
const MAX_COMPARED: usize = 200_000;

/// The limit on reported pairs of names.
const MAX_PAIRS: usize = 100;

/// The maximum length of a name in a message, in bytes.
const MAX_SHOWN: usize = 200;

/// The name of an entry, as programs read it.
pub(super) struct Name {
    /// The path below the folder where the archive is unpacked; `None` if the path cannot be used, or is that folder
    /// itself.
    pub(super) path: Option<RelPath>,
    /// Whether the name marks the entry as a folder.
    pub(super) is_dir: bool,
    /// The faults of the name, each worded as the rest of a sentence about the entry.
    pub(super) faults: Vec<(FlawKind, &'static str)>,
}

/// Reads the name of an entry. Removes the parts of the path that could lead out of the folder, as careful programs do.
pub(super) fn parse(raw: &[u8]) -> Name {
    let mut faults = Vec::new();
    let mut fault = |is_one: bool, kind, what| faults.extend(is_one.then_some((kind, what)));
    if raw.len() > MAX_NAME_BYTES {
        fault(true, Unread, "was not scanned: its name is too long");
        return Name {
            path: None,
            is_dir: false,
            faults,
        };
    }
    // Programs written in C ignore everything after a NUL.
    let end = raw.iter().position(|byte| *byte == 0);
    fault(end.is_some(), Attack, "has a NUL in its name");
    let raw = &raw[..end.unwrap_or(raw.len())];
    let is_utf8 = std::str::from_utf8(raw).is_ok();
    fault(!is_utf8, Odd, "has a name that is not UTF-8");
    let text = String::from_utf8_lossy(raw);
    let what = "has a character in its name that some programs remove or replace";
    fault(text.contains(is_changed), Odd, what);
    let what = "has a backslash in its name, which separates folders on Windows only";
    fault(text.contains('\\'), Odd, what);
    let text = text.replace('\\', "/");
    let mut rest = &*text;
    while let [letter, b':', ..] = rest.as_bytes()
        && letter.is_ascii_alphabetic()
    {
        fault(true, Attack, "has the letter of a drive in its name");
        rest = &rest[2..];
    }
    fault(rest.starts_with('/'), Attack, "has an absolute path");
    let what = "has a colon in its name, after which Windows expects the name of a stream";
    fault(rest.contains(':'), Odd, what);
    let is_named = |part: &&str| !matches!(*part, "" | "." | "..");
    let parts: Vec<&str> = rest.split('/').filter(is_named).collect();
    let is_trimmed = parts.iter().any(|part| part.ends_with(['.', ' ']));
    let what = "has a dot or a space at the end of a name, which Windows removes";
    fault(is_trimmed, Odd, what);
    let is_versioned = parts.iter().any(|part| has_version(part));
    let what =
        "has a semicolon or a version number at the end of a name, which some programs remove";
    fault(is_versioned, Odd, what);
    let is_short = parts.iter().any(|part| is_short_name(part));
    let what = "may be the short name of another file on Windows";
    fault(is_short, Odd, what);
    let leads_out = rest.split('/').any(|part| part == "..");
    let what = "has '..' in its path: it may be unpacked outside the folder of the archive";
    fault(leads_out, Attack, what);
    let mut path = None;
    if parts.len() > MAX_DEPTH {
        fault(true, Unread, "was not scanned: it is in too many folders");
    } else if !parts.is_empty() {
        path = RelPath::parse(&parts.join("/")).ok();
        let is_unusable = path.is_none();
        fault(
            is_unusable,
            Unread,
            "was not scanned: its name cannot be used",
        );
    }
    let is_dir =
        rest.ends_with(['/', '.']) && parts.last().is_none_or(|last| !rest.ends_with(*last));
    let is_empty = parts.is_empty() && !is_dir;
    fault(is_empty, Unread, "was not scanned: it has no name");
    Name {
        path,
        is_dir,
        faults,
    }
}

/// Formats a name for a message. Truncates a very long name.
pub(super) fn shown(raw: &[u8]) -> String {
    let text = String::from_utf8_lossy(&raw[..raw.len().min(MAX_NAME_BYTES)]);
    let end = char_floor(&text, MAX_SHOWN);
    let more = if end < text.len() { "…" } else { "" };
    format!("{}{more}", &text[..end])
}

/// Formats a path for a message.
pub(super) fn shown_path(path: &RelPath) -> String {
    shown(path.as_str().as_bytes())
}

/// Two paths that some systems do not distinguish.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Alike<'a> {
    pub(super) paths: [&'a str; 2],
    /// Whether both paths are files. Two folders are merged when they are unpacked.
    pub(super) are_files: bool,
}

/// Finds paths that differ only in case, in Unicode normalization, or in dots and spaces at the end of a name. If the
/// files are unpacked on a system that ignores such differences, one file replaces the other.
///
/// `paths`: sorted. Each spelling of a folder is reported once. Also returns whether all names were compared: false if
/// there are too many names or pairs, or if the run was cancelled.
pub(super) fn alike<'a>(
    paths: impl Iterator<Item = &'a str>,
    stop: &Stop,
) -> (Vec<Alike<'a>>, bool) {
    let mut known = Known::default();
    let mut found = Vec::new();
    for path in paths {
        let (mut node, mut start) = (0, 0);
        for part in path.split('/') {
            let end = start + part.len();
            let is_file = end == path.len();
            let this = Place {
                path: &path[..end],
                is_file,
            };
            let (next, other) = known.add(node, part, this);
            if let Some(other) = other {
                found.push(Alike {
                    paths: [other.path, this.path],
                    are_files: is_file && other.is_file,
                });
            }
            if known.nodes > MAX_COMPARED || found.len() >= MAX_PAIRS || stop.is_raised() {
                return (found, false);
            }
            (node, start) = (next, end + 1);
        }
    }
    (found, true)
}

/// A file or a folder.
#[derive(Debug, Clone, Copy)]
struct Place<'a> {
    path: &'a str,
    is_file: bool,
}

/// The files and folders that have been added so far. Each has a number; the outermost folder has the number 0.
#[derive(Default)]
struct Known<'a> {
    /// The key is the number of a folder and a folded name in that folder. The value is the number of the file or
    /// folder with this name, and the first path with this name.
    by_name: BTreeMap<(usize, String), (usize, Place<'a>)>,
    /// The paths that were returned because another path has the same folded name.
    returned: BTreeSet<&'a str>,
    nodes: usize,
}

impl<'a> Known<'a> {
    /// Adds a file or folder, unless it is known. Returns its number. The first call for a path also returns another
    /// file or folder with a similar name, if there is one.
    fn add(&mut self, folder: usize, part: &str, this: Place<'a>) -> (usize, Option<Place<'a>>) {
        let key = (folder, folded(part));
        if let Some((number, first)) = self.by_name.get(&key) {
            let is_new = first.path != this.path && self.returned.insert(this.path);
            return (*number, is_new.then_some(*first));
        }
        self.nodes += 1;
        let number = self.nodes;
        self.by_name.insert(key, (number, this));
        (number, None)
    }
}

/// Removes the differences between names that some systems ignore: case and Unicode normalization and, on Windows, dots
/// and spaces at the end. Characters that Windows forbids become `_`, as in programs on Windows.
fn folded(part: &str) -> String {
    let kept = part.trim_end_matches(['.', ' ']);
    let kept = if kept.is_empty() { part } else { kept };
    let seen = kept.nfd().filter(|c| !is_ignored(*c));
    let allowed = |c: char| if is_refused(c) { '_' } else { c };
    let upper = seen.map(allowed).flat_map(char::to_uppercase);
    upper.flat_map(char::to_lowercase).nfd().collect()
}

/// Returns whether some systems read a name as `SKILL.md` although it is spelled with other letters: `\u{17f}kill.md`.
pub(super) fn is_disguised_main(name: &str) -> bool {
    if name.is_ascii() {
        return false;
    }
    // Programs that convert names to an old encoding also replace letters with similar letters.
    let plain: String = name.nfkd().collect();
    folded(&plain).eq_ignore_ascii_case(SKILL_FILE)
}

/// Returns whether a name ends with a version number, such as the `;1` of `a.md;1`, which Info-ZIP removes. The number
/// may be empty.
fn has_version(part: &str) -> bool {
    let name = part.trim_end_matches(|c: char| c.is_ascii_digit());
    name.ends_with(';')
}

/// Returns whether a character may be missing or different in the name of the unpacked file: Info-ZIP removes control
/// characters, and programs for Windows use a part of the private use area for forbidden characters.
fn is_changed(c: char) -> bool {
    c.is_control() || matches!(c, '\u{f000}'..='\u{f0ff}')
}

/// Returns whether old versions of macOS ignore a character in names.
const fn is_ignored(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// Returns whether Windows forbids a character in names.
const fn is_refused(c: char) -> bool {
    matches!(c, '<' | '>' | ':' | '"' | '|' | '?' | '*')
}

/// Returns whether a name may be the short name that Windows gives to another file: `RELEAS~1.MD`.
fn is_short_name(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or_default();
    let number = stem.rsplit_once('~').map(|(_, number)| number);
    let is_number =
        |number: &str| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    stem.len() <= 8 && number.is_some_and(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(raw: &[u8]) -> (Option<String>, Vec<FlawKind>) {
        let name = parse(raw);
        let path = name.path.map(|path| path.to_string());
        (path, name.faults.iter().map(|(kind, _)| *kind).collect())
    }

    #[test]
    fn names_lead_to_where_careful_programs_unpack_them() {
        for (raw, path) in [("a/b.md", "a/b.md"), ("./a//b/./c", "a/b/c"), ("a/", "a")] {
            assert_eq!(read(raw.as_bytes()), (Some(path.to_owned()), Vec::new()));
        }
        assert_eq!(read(b"./"), (None, Vec::new()));
        assert_eq!(read(b""), (None, vec![Unread]));
        for (raw, path) in [
            (&b"/etc/passwd"[..], "etc/passwd"),
            (&b"../../.bashrc"[..], ".bashrc"),
            (&b"a/../../b"[..], "a/b"),
            (&b"C:/a"[..], "a"),
            (&b"a.md\0.png"[..], "a.md"),
        ] {
            let (found, faults) = read(raw);
            assert_eq!(found.as_deref(), Some(path));
            assert!(faults.contains(&Attack), "{raw:?}");
        }
        let (path, faults) = read(b"..\\..\\a.md");
        assert_eq!(path.as_deref(), Some("a.md"));
        assert_eq!(faults, [Odd, Attack]);
        assert_eq!(read(b"a\\b.md"), (Some("a/b.md".into()), vec![Odd]));
        assert_eq!(
            read(b"a/\xff.md"),
            (Some("a/\u{fffd}.md".into()), vec![Odd])
        );
        for long in ["a".repeat(MAX_NAME_BYTES + 1), "a/".repeat(MAX_DEPTH + 1)] {
            assert_eq!(read(long.as_bytes()), (None, vec![Unread]));
        }
    }

    /// Hostile: Info-ZIP unpacks these entries under the name of another file.
    #[test]
    fn a_name_that_some_programs_change_is_odd() {
        for raw in [
            "a/SKILL\u{1}.md",
            "a/SK\u{7f}ILL.md",
            "a\u{1}/run.sh",
            "a/b\n.md",
            "a/b\u{85}.md",
            "a/b\u{f03a}.md",
            "a/SKILL.md;1",
            "a/SKILL.md;",
            "a;20/run.sh",
        ] {
            assert_eq!(read(raw.as_bytes()).1, [Odd], "{raw:?}");
        }
        for raw in [
            "a/b;c.md",
            "a/1.md",
            "a/caf\u{e9} \u{56fe}.md",
            "a/\u{1f469}\u{200d}\u{1f4bb}",
        ] {
            assert_eq!(read(raw.as_bytes()).1, [], "{raw:?}");
        }
    }

    #[test]
    fn a_main_file_in_other_letters_is_recognized() {
        for name in [
            "\u{17f}kill.md",
            "S\u{212a}ILL.md",
            "SKI\u{200d}LL.md",
            "SKILL\u{2024}md",
            "\u{ff33}KILL.md",
        ] {
            assert!(is_disguised_main(name), "{name}");
        }
        for name in ["SKILL.md", "skill.md", "sk\u{ef}ll.md", "\u{56fe}.md"] {
            assert!(!is_disguised_main(name), "{name}");
        }
    }

    #[test]
    fn a_folder_is_recognized_by_the_end_of_its_name() {
        for (raw, is_dir) in [
            ("a/", true),
            ("./", true),
            ("a/.", true),
            ("a/..", true),
            ("a\\", true),
            ("a", false),
            ("a.", false),
            ("a/b.md", false),
        ] {
            assert_eq!(parse(raw.as_bytes()).is_dir, is_dir, "{raw}");
        }
    }

    #[test]
    fn long_names_are_truncated_in_messages() {
        assert_eq!(shown(b"a/b.md"), "a/b.md");
        let long = shown("ü".repeat(3000).as_bytes());
        assert!(long.len() < 210 && long.ends_with("ü…"), "{long}");
    }

    fn pairs(paths: &[&'static str]) -> Vec<Alike<'static>> {
        alike(paths.iter().copied(), &Stop::default()).0
    }

    #[test]
    fn names_that_some_systems_do_not_tell_apart_are_found() {
        for (one, other) in [
            ("a/Run.sh", "a/run.sh"),
            ("a/run.sh", "a/run.sh."),
            ("a/caf\u{e9}.md", "a/cafe\u{301}.md"),
            ("\u{ac00}.md", "\u{1100}\u{1161}.md"),
            ("\u{439}", "\u{438}\u{306}"),
            ("stra\u{df}e", "strasse"),
            ("\u{17f}h.sh", "sh.sh"),
            ("\u{958}", "\u{915}\u{93c}"),
            ("\u{f900}", "\u{8c48}"),
            ("\u{1f71}", "\u{3ac}"),
            ("\u{2260}", "=\u{338}"),
            ("a\u{323}\u{307}", "a\u{307}\u{323}"),
            ("a\u{37e}", "a;"),
            ("k?", "k_"),
            ("k\u{200d}", "k"),
            ("k\u{200f}", "k"),
        ] {
            let mut paths = [one, other];
            paths.sort_unstable();
            let expected = Alike {
                paths,
                are_files: true,
            };
            assert_eq!(pairs(&paths), [expected], "{one}");
        }
        let others = [
            "a/run.sh",
            "b/run.sh",
            "caf\u{e8}",
            "caf\u{e9}",
            "\u{56fe}.md",
            "\u{8868}.md",
        ];
        assert_eq!(pairs(&others), []);
    }

    #[test]
    fn a_limited_number_of_pairs_is_reported() {
        let names = |number: usize| ["A", "a"].map(|name| format!("{name}{number}"));
        let mut paths: Vec<String> = (0..200).flat_map(names).collect();
        paths.sort_unstable();
        let alike = |stop: &Stop| {
            let (pairs, is_complete) = alike(paths.iter().map(String::as_str), stop);
            (pairs.len(), is_complete)
        };
        let stop = Stop::default();
        assert_eq!(alike(&stop), (MAX_PAIRS, false));
        stop.raise();
        assert_eq!(alike(&stop), (0, false));
    }

    #[test]
    fn files_in_folders_that_are_alike_are_compared_too() {
        let found = pairs(&["Pdf/SKILL.md", "pdf/other.md", "pdf/skill.md"]);
        let found: Vec<([&str; 2], bool)> = found
            .iter()
            .map(|pair| (pair.paths, pair.are_files))
            .collect();
        assert_eq!(
            found,
            [
                (["Pdf", "pdf"], false),
                (["Pdf/SKILL.md", "pdf/skill.md"], true),
            ]
        );
    }
}
