//! Finds the names of samples that contain blanks, signs or symbols. The search for paths splits text at these, so the
//! names are searched for in the whole text.

use std::collections::BTreeSet;

use aho_corasick::AhoCorasick;
use skillc_core::reveal::folded;
use skillc_core::source::lines::char_floor;
use skillc_core::words;

use super::spellings::entity;
use super::{LONGEST, paths};

/// The maximum total length of such names, in bytes. If there are more, all of them count as run.
const MOST_BYTES: usize = 1 << 20;

/// The maximum number of places per byte of a text. Names that are parts of each other can be at the same place. If a
/// text has more places, all of the names count as run.
const MOST_PER_BYTE: usize = 4;

/// The names that [`paths`] does not find.
#[derive(Debug)]
pub(super) struct OddNames<'n> {
    names: Vec<&'n str>,
    /// `None` if there are no names, or too many.
    search: Option<AhoCorasick>,
}

impl<'n> OddNames<'n> {
    /// `names`: the names of all samples, folded and in lower case.
    pub(super) fn of(names: &BTreeSet<&'n str>) -> Self {
        let is_odd = |name: &&str| !name.is_empty() && paths(name).next() != Some((0, *name));
        let names: Vec<&str> = names.iter().copied().filter(is_odd).collect();
        let plain: Vec<String> = names.iter().map(|name| Plain::of(name).text).collect();
        let bytes: usize = plain.iter().map(String::len).sum();
        // Nothing remains of a name that consists of quotation marks.
        let can_search =
            !names.is_empty() && bytes <= MOST_BYTES && !plain.iter().any(String::is_empty);
        Self {
            search: can_search.then(|| AhoCorasick::new(&plain).ok()).flatten(),
            names,
        }
    }

    /// Calls `found` with each place where a text contains one of the names, its end, and the name. If there are too
    /// many places or names, returns the names that count as run.
    ///
    /// `lower`: the text, folded and in lower case.
    pub(super) fn find(
        &self,
        lower: &str,
        mut found: impl FnMut(usize, usize, &str),
    ) -> &[&'n str] {
        let Some(search) = &self.search else {
            return &self.names;
        };
        let plain = Plain::of(lower);
        let most = MOST_PER_BYTE * plain.text.len();
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let places = search.find_overlapping_iter(&plain.text);
        for (count, place) in places.enumerate() {
            if count > most {
                return &self.names;
            }
            let start = plain.origin(place.start());
            let end = plain.origin(place.end().saturating_sub(1)) + 1;
            let (Some(before), Some(after)) = (lower.get(..start), lower.get(end..)) else {
                continue;
            };
            let is_longer = before.bytes().next_back().is_some_and(is_part)
                || after.bytes().next().is_some_and(is_part);
            let name = self.names.get(place.pattern().as_usize());
            if let Some(&name) = name.filter(|_| !is_longer && start < end) {
                found(start, end, name);
            }
        }
        &[]
    }
}

/// Returns the start of the path that ends with the name at `start`.
pub(super) fn start_of_path(text: &str, start: usize) -> usize {
    let low = char_floor(text, start.saturating_sub(LONGEST));
    let before = &text[low..start];
    if !before.ends_with('/') {
        return start;
    }
    let is_part = |c: char| !c.is_whitespace() && !"\"'`()<>[]|;&".contains(c);
    low + before.trim_end_matches(is_part).len()
}

/// A text without quotation marks and escapes, and with decoded percent codes and entities.
struct Plain {
    text: String,
    /// Pairs of an offset in `text` and the corresponding offset in the original text. From each pair to the next, the
    /// two texts are equal, except for decoded characters before the next pair.
    shifts: Vec<(usize, usize)>,
}

impl Plain {
    /// `lower`: in lower case.
    fn of(lower: &str) -> Self {
        let is_special =
            |byte: u8| matches!(byte, b'\\' | b'"' | b'\'' | b'^' | b'`' | b'%' | b'&');
        let mut plain = Self {
            text: String::with_capacity(lower.len()),
            shifts: Vec::new(),
        };
        let mut rest = lower;
        while let Some(at) = rest.bytes().position(is_special) {
            let (before, from) = rest.split_at(at);
            plain.text.push_str(before);
            let (sign, after) = from.split_at(1);
            let (shown, length) = match sign {
                "%" => percents(from).unwrap_or_else(|| (sign.to_owned(), 1)),
                "&" => entity(after).map_or_else(
                    || (sign.to_owned(), 1),
                    |(c, length)| (String::from(c.to_ascii_lowercase()), 1 + length),
                ),
                _ => (String::new(), 1),
            };
            plain.text.push_str(&shown);
            rest = &from[length..];
            if shown.len() != length {
                let origin = lower.len() - rest.len();
                plain.shifts.push((plain.text.len(), origin));
            }
        }
        plain.text.push_str(rest);
        plain
    }

    /// Returns the offset in the original text that corresponds to an offset in `text`.
    fn origin(&self, at: usize) -> usize {
        let before = self.shifts.partition_point(|(to, _)| *to <= at);
        match before.checked_sub(1).map(|before| self.shifts[before]) {
            Some((to, from)) => from + (at - to),
            None => at,
        }
    }
}

/// Decodes the percent codes at the start of a text. Returns the decoded text, folded and in lower case, and the length
/// of the codes.
fn percents(text: &str) -> Option<(String, usize)> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let byte = |code: &[u8]| match *code {
        [b'%', high, low] => u8::try_from(digit(high)? << 4 | digit(low)?).ok(),
        _ => None,
    };
    let codes = text.as_bytes().chunks_exact(3);
    let bytes: Vec<u8> = codes.map_while(byte).collect();
    let decoded = String::from_utf8_lossy(&bytes);
    (!bytes.is_empty()).then(|| (words::lower(&folded(&decoded)), 3 * bytes.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the places of a name in a text, or `None` if the name counts as run.
    fn found(name: &str, text: &str) -> Option<Vec<String>> {
        let names = BTreeSet::from([name]);
        let odd = OddNames::of(&names);
        let mut places = Vec::new();
        let run = odd.find(text, |start, end, _| {
            places.push(text[start_of_path(text, start)..end].to_owned());
        });
        run.is_empty().then_some(places)
    }

    #[test]
    fn names_with_signs_are_found_however_they_are_spelled() {
        for (name, text, expected) in [
            ("run@home.sh", "bash tests/run@home.sh", "tests/run@home.sh"),
            ("a b.sh", "bash \"tests/a b.sh\"", "tests/a b.sh"),
            ("a b.sh", "bash tests/a\\ b.sh now", "tests/a\\ b.sh"),
            ("a'b.sh", "bash tests/a\\'b.sh", "tests/a\\'b.sh"),
            ("a b.md", "[a](tests/a%20b.md)", "tests/a%20b.md"),
            ("a b.md", "[a](tests/a&#32;b.md)", "tests/a&#32;b.md"),
            ("cafe 1.md", "[a](caf%C3%A9%201.md)", "caf%C3%A9%201.md"),
            ("a b.md", "&#65;&#32;b.md", "&#65;&#32;b.md"),
            ("a%20b.sh", "bash tests/a%20b.sh", "tests/a%20b.sh"),
            ("100%.sh", "sh 100%.sh", "100%.sh"),
            ("(1).sh", "sh f\"(1).sh\"", "(1).sh"),
            ("😀.sh", "运行 tests/😀.sh。", "tests/😀.sh"),
            ("run@home.sh", "bash run@home.shx", ""),
            ("run@home.sh", "bash xrun@home.sh", ""),
            ("run.sh", "bash run.sh", ""),
        ] {
            let places = found(name, text).expect("few places");
            assert_eq!(places.concat(), expected, "{name}: {text}");
        }
    }

    #[test]
    fn too_many_names_and_places_count_as_run() {
        assert_eq!(found("\"", "text"), None);
        let names: Vec<String> = (1..200).map(|length| "@".repeat(length)).collect();
        let names = names.iter().map(String::as_str).collect();
        let odd = OddNames::of(&names);
        let run = odd.find(&"@".repeat(100_000), |_, _, _| {});
        assert_eq!(run.len(), 199);
    }
}
