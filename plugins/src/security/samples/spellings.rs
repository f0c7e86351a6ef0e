//! Recognizes other spellings of a path: with quotes, escapes or entities inside the path, or as a glob in a command.

use std::collections::BTreeSet;

use super::INTERPRETERS;

/// If a skill has more globs than this on lines that start an interpreter, all of its samples count as run.
const MOST_GLOBS: usize = 50;

/// The maximum length of a glob, in bytes.
const LONGEST_GLOB: usize = 200;

/// Named entities of punctuation that can occur in paths.
const ENTITIES: [(&str, char); 5] = [
    ("period;", '.'),
    ("sol;", '/'),
    ("lowbar;", '_'),
    ("hyphen;", '-'),
    ("dash;", '-'),
];

/// Removes quotes and escapes inside words, and decodes character codes such as `%2E`, `&#46;` and `&period;`. Returns
/// `None` if the text contains none of these.
pub(super) fn plain(text: &str) -> Option<String> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    let is_sign = |c: char| matches!(c, '\\' | '"' | '\'' | '^' | '`');
    let is_special = |byte: u8| matches!(byte, b'\\' | b'"' | b'\'' | b'^' | b'`' | b'%' | b'&');
    let mut out = String::with_capacity(text.len());
    let mut is_changed = false;
    let mut rest = text;
    while let Some(at) = rest.bytes().position(is_special) {
        out.push_str(&rest[..at]);
        let c = char::from(rest.as_bytes()[at]);
        let after = &rest[at + 1..];
        let decoded = match c {
            '%' => percent(after),
            '&' => entity(after),
            _ => None,
        };
        let is_inside = is_sign(c)
            && out.ends_with(is_part)
            && after.starts_with(|next: char| is_part(next) || is_sign(next));
        rest = after;
        if let Some((c, length)) = decoded {
            out.push(c);
            rest = &after[length..];
        } else if !is_inside {
            out.push(c);
        }
        is_changed |= is_inside || decoded.is_some();
    }
    out.push_str(rest);
    is_changed.then_some(out)
}

/// Decodes two hex digits to a printable character. Returns the character, and the length of its code.
fn percent(text: &str) -> Option<(char, usize)> {
    let digits = text.get(..2)?;
    shown(u32::from_str_radix(digits, 16).ok()?, 2)
}

/// Decodes an entity to a printable character. Returns the character, and the length of the entity. `text`: the text
/// after the `&`.
pub(super) fn entity(text: &str) -> Option<(char, usize)> {
    if let Some((name, c)) = ENTITIES.iter().find(|(name, _)| text.starts_with(name)) {
        return Some((*c, name.len()));
    }
    let number = text.strip_prefix('#')?;
    let (digits, radix) = match number.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    let is_digit = |byte: &u8| char::from(*byte).is_digit(radix);
    let length = digits.bytes().take(7).take_while(is_digit).count();
    let code = u32::from_str_radix(&digits[..length], radix).ok()?;
    let end = usize::from(digits[length..].starts_with(';'));
    shown(code, text.len() - digits.len() + length + end)
}

fn shown(code: u32, length: usize) -> Option<(char, usize)> {
    let c = char::from_u32(code).filter(|c| c.is_ascii_graphic() || *c == ' ')?;
    Some((c, length))
}

/// The globs on all lines that start an interpreter.
#[derive(Debug, Default)]
pub(super) struct Globs(BTreeSet<String>);

impl Globs {
    /// Adds the globs in a file's text. `lower`: the text in lower case.
    pub(super) fn add(&mut self, lower: &str) {
        if memchr::memchr3(b'*', b'?', b'[', lower.as_bytes()).is_none() {
            return;
        }
        for line in lower.lines() {
            if self.0.len() > MOST_GLOBS {
                return;
            }
            if !line.contains(['*', '?', '[']) {
                continue;
            }
            let is_end = |c: char| c.is_whitespace() || ";|&()<>`\"'".contains(c);
            let words = || line.split(is_end).filter(|word| !word.is_empty());
            let starts = |word: &str| {
                let name = word.rsplit('/').next().unwrap_or(word);
                // `.` runs a script in the current shell.
                name == "." || INTERPRETERS.contains(&name)
            };
            if words().any(starts) {
                let globs = words().filter(|word| is_glob(word));
                self.0
                    .extend(globs.map(|glob| glob.trim_start_matches(['.', '/']).to_owned()));
                if words().any(|word| matches!(word, "cd" | "pushd")) {
                    self.add_in_folder(words().filter(|&word| !starts(word)));
                }
            }
        }
    }

    /// Adds the globs in the words of a line that changes to a folder: `cd tests; sh ./e*`.
    fn add_in_folder<'a>(&mut self, words: impl Iterator<Item = &'a str>) {
        let mut folder = "";
        for word in words {
            if !word.contains(['*', '?', '[']) {
                folder = word;
                continue;
            }
            let word = word.trim_start_matches(['.', '/']);
            if self.0.len() > MOST_GLOBS {
                return;
            }
            // A longer glob would be ignored. Copying a long folder for each glob would take quadratic time.
            if folder.len() + word.len() >= LONGEST_GLOB {
                continue;
            }
            let glob = format!("{folder}/{word}");
            if is_glob(&glob) {
                self.0
                    .insert(glob.trim_start_matches(['.', '/']).to_owned());
            }
        }
    }

    /// Returns whether a path in lower case, or the end of the path, matches one of the globs.
    pub(super) fn matches(&self, path: &str) -> bool {
        self.0.len() > MOST_GLOBS || self.0.iter().any(|glob| matches_end(glob, path))
    }
}

/// Returns whether a word is a glob that names at least a part of a path, as opposed to a word that Markdown emphasizes
/// with `*`.
fn is_glob(word: &str) -> bool {
    let names = word.bytes().filter(u8::is_ascii_alphanumeric).count();
    let bare = word.trim_end_matches([',', '.', ':', ';', '!', '?']);
    let is_emphasis = bare.starts_with('*') && bare.ends_with('*') && !bare.contains('/');
    word.len() <= LONGEST_GLOB && word.contains(['*', '?', '[']) && !is_emphasis && names >= 2
}

/// Returns whether a glob matches the end of a path. The glob is compared component by component, from the last.
fn matches_end(glob: &str, path: &str) -> bool {
    let mut parts = path.rsplit('/');
    glob.rsplit('/').all(|glob| {
        parts
            .next()
            .is_some_and(|part| is_match(glob.as_bytes(), part.as_bytes()))
    })
}

/// Returns whether a glob without `/` matches a name. A class such as `[a-z]` matches any character.
fn is_match(glob: &[u8], name: &[u8]) -> bool {
    let (mut at, mut of) = (0, 0);
    // The positions in the glob and in the name at which to continue after the last `*`.
    let mut retry: Option<(usize, usize)> = None;
    while of < name.len() {
        let length = match glob.get(at) {
            Some(b'*') => {
                retry = Some((at + 1, of));
                at += 1;
                continue;
            }
            Some(b'[') => {
                let close = glob[at..].iter().position(|byte| *byte == b']');
                close.map(|close| close + 1)
            }
            Some(b'?') => Some(1),
            Some(byte) => (*byte == name[of]).then_some(1),
            None => None,
        };
        match (length, retry) {
            (Some(length), _) => {
                at += length;
                of += 1;
            }
            (None, Some((start, from))) => {
                retry = Some((start, from + 1));
                (at, of) = (start, from + 1);
            }
            (None, None) => return false,
        }
    }
    glob[at..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_escapes_and_entities_inside_a_path_are_undone() {
        for (text, expected) in [
            ("bash tests/ru\\n.sh", Some("bash tests/run.sh")),
            ("bash te''sts/r\"u\"n.sh", Some("bash tests/run.sh")),
            ("[a](tests/run%2Esh)", Some("[a](tests/run.sh)")),
            ("tests&#47;run&period;sh", Some("tests/run.sh")),
            (
                "tests/run&#x2e;sh 100 % & more",
                Some("tests/run.sh 100 % & more"),
            ),
            ("say \"no\" to 100%", None),
            ("say no", None),
        ] {
            assert_eq!(plain(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn the_globs_in_a_folder_are_bounded() {
        let longest = LONGEST_GLOB - "/r*".len();
        for (length, expected) in [(longest, true), (longest + 1, false), (500_000, false)] {
            let folder = "a".repeat(length);
            let mut globs = Globs::default();
            globs.add(&format!("cd {folder}; sh{}", " r*".repeat(100_000)));
            assert_eq!(
                globs.matches(&format!("{folder}/r.sh")),
                expected,
                "{length}"
            );
        }
    }

    #[test]
    fn a_glob_is_run_only_after_an_interpreter() {
        for (text, path, expected) in [
            ("run `sh tests/*.sh`", "tests/run.sh", true),
            (
                "for f in te?ts/r*; do bash $f; done",
                "a/tests/run.sh",
                true,
            ),
            ("cat tests/[q-s]un.sh | sh", "tests/run.sh", true),
            ("deno run tests/*.ts", "tests/run.ts", true),
            (". tests/*.sh", "tests/run.sh", true),
            ("cd tests; sh ./r*", "a/tests/run.sh", true),
            ("cd tests && bash *", "tests/run.sh", true),
            ("cd other; sh ./r*", "tests/run.sh", false),
            ("sh scripts/*.sh", "tests/run.sh", false),
            ("ls tests/*.sh", "tests/run.sh", false),
            ("run **all** of it with bash", "tests/all", false),
            ("bash *", "tests/run.sh", false),
        ] {
            let mut globs = Globs::default();
            globs.add(text);
            assert_eq!(globs.matches(path), expected, "{text}");
        }
    }
}
