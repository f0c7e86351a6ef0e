//! Finds many words in one pass over a string, and converts strings to lower case.
//!
//! Building an automaton for hundreds of words takes longer than scanning a small skill. Instead, this module looks up
//! the next three bytes at each position where a word may begin, which nearly always rules out all words.

/// A set of words to find in a string. A word that begins with an ASCII letter or digit is found only where no such
/// character precedes it.
#[derive(Debug)]
pub struct WordSet {
    /// A bit set of the hashes of the words' first three bytes.
    known: Box<[u64; 1024]>,
    /// Bit sets that rule out most positions that pass `known`: `likely` contains the hashes of the first [`LONG`]
    /// bytes of longer words, and `short` contains the hashes of the first three bytes of shorter words.
    likely: Box<[u64; 1024]>,
    short: Box<[u64; 1024]>,
    /// For each hash, the index of its first word in `words`.
    first: Box<[u16]>,
    /// The words, sorted by hash.
    words: Vec<Word>,
    /// The index of the word [`WordSet::AT`], if the set contains this word.
    at: Option<usize>,
}

#[derive(Debug)]
struct Word {
    /// The hash of the first three bytes.
    hash: usize,
    /// The first [`AHEAD`] bytes as a little-endian number, with zeros after a shorter word.
    start: u64,
    /// The bits of `start` that belong to the word.
    mask: u64,
    rest: Box<[u8]>,
    length: usize,
    number: usize,
}

/// The number of bytes that are compared at once.
const AHEAD: usize = 8;

/// Words of at least this many bytes are looked up by more than their first three bytes.
const LONG: usize = 5;

/// Returns the next [`AHEAD`] bytes as a little-endian number, with zeros after the end.
fn ahead(bytes: &[u8]) -> u64 {
    if let Some(first) = bytes.first_chunk() {
        return u64::from_le_bytes(*first);
    }
    let mut first = [0; AHEAD];
    first[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(first)
}

/// The kind of word that may begin at a byte.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// No word: the byte is a blank, or not the first byte of a character.
    Nothing,
    /// A word, unless the byte before it is also an ASCII letter or digit.
    Letter,
    /// A word.
    Sign,
}

impl Kind {
    const OF: [Self; 256] = {
        let mut of = [Self::Sign; 256];
        let mut byte = u8::MAX;
        loop {
            if byte <= b' ' || byte & 0b1100_0000 == 0b1000_0000 {
                of[byte as usize] = Self::Nothing;
            } else if byte.is_ascii_alphanumeric() {
                of[byte as usize] = Self::Letter;
            }
            if byte == 0 {
                break of;
            }
            byte -= 1;
        }
    };

    const fn of(byte: u8) -> Self {
        Self::OF[byte as usize]
    }
}

impl WordSet {
    /// The `@` in email addresses, which can be a word by itself.
    const AT: u8 = b'@';

    /// Creates a set. `words`: at most 65,535 words in lower case, each of which is `@`, or has at least three bytes
    /// and does not begin with a blank.
    ///
    /// # Panics
    /// If a word is too short, or if there are too many words.
    pub fn new<'a>(words: impl IntoIterator<Item = &'a str>) -> Self {
        let mut at = None;
        let mut all = Vec::new();
        for (number, word) in words.into_iter().enumerate() {
            let bytes = word.as_bytes();
            if bytes == [Self::AT] {
                at = Some(number);
                continue;
            }
            let compared = bytes.len().min(AHEAD);
            all.push(Word {
                hash: Self::hash(bytes[0], bytes[1], bytes[2]),
                start: ahead(bytes),
                mask: u64::MAX >> (8 * (AHEAD - compared)),
                rest: bytes[compared..].into(),
                length: bytes.len(),
                number,
            });
        }
        all.sort_unstable_by_key(|word| (word.hash, word.number));
        let (mut known, mut likely, mut short) = (
            Box::new([0; 1024]),
            Box::new([0; 1024]),
            Box::new([0; 1024]),
        );
        let add = |set: &mut [u64; 1024], hash: usize| set[hash / 64] |= 1 << (hash % 64);
        let mut first = vec![0; 1 << 16].into_boxed_slice();
        for (at, word) in all.iter().enumerate().rev() {
            add(&mut known, word.hash);
            if word.length < LONG {
                add(&mut short, word.hash);
            } else {
                add(&mut likely, Self::long_hash(word.start));
            }
            first[word.hash] = u16::try_from(at).expect("at most 65,535 words");
        }
        Self {
            known,
            likely,
            short,
            first,
            words: all,
            at,
        }
    }

    const fn hash(a: u8, b: u8, c: u8) -> usize {
        let bytes = (a as u32) << 16 | (b as u32) << 8 | c as u32;
        (bytes.wrapping_mul(0x9e37_79b1) >> 16) as usize
    }

    /// Returns the hash of the first [`LONG`] bytes of a little-endian number.
    const fn long_hash(ahead: u64) -> usize {
        let bytes = ahead << (8 * (AHEAD - LONG));
        (bytes.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as usize
    }

    /// Calls `found` for each occurrence of a word, in the order in which the occurrences begin. The arguments are the
    /// word's index in the list from which the set was created, and the start and end of the occurrence. `bytes` must
    /// be in lower case.
    ///
    /// The escape sequences `\n`, `\t` and `\r` in source code separate words, too.
    pub fn find(&self, bytes: &[u8], mut found: impl FnMut(usize, usize, usize)) {
        // A word has at least three bytes, so none begins in the last two. `@` is not found there either, which does
        // not matter: an email address continues after its `@`.
        let end = bytes.len().saturating_sub(2);
        let mut at = 0;
        while at < end {
            let kind = Kind::of(bytes[at]);
            if kind == Kind::Nothing {
                at += 1;
                continue;
            }
            let (a, b, c) = (bytes[at], bytes[at + 1], bytes[at + 2]);
            let hash = Self::hash(a, b, c);
            if Self::has(&self.known, hash) {
                self.find_at(bytes, at, hash, &mut found);
            }
            if kind == Kind::Letter {
                at += 1;
                while at < end && Kind::of(bytes[at]) == Kind::Letter {
                    at += 1;
                }
            } else if a == b'\\' && matches!(b, b'n' | b't' | b'r') {
                at += 2;
            } else {
                if a == Self::AT
                    && let Some(number) = self.at
                {
                    found(number, at, at + 1);
                }
                at += 1;
            }
        }
    }

    /// Returns whether a bit set contains a hash.
    const fn has(set: &[u64; 1024], hash: usize) -> bool {
        set[hash / 64] >> (hash % 64) & 1 == 1
    }

    /// Calls `found` for each word with this hash that begins at `at`.
    fn find_at(
        &self,
        bytes: &[u8],
        at: usize,
        hash: usize,
        found: &mut impl FnMut(usize, usize, usize),
    ) {
        let rest = &bytes[at..];
        let ahead = ahead(rest);
        if !Self::has(&self.likely, Self::long_hash(ahead)) && !Self::has(&self.short, hash) {
            return;
        }
        let words = self.words[usize::from(self.first[hash])..].iter();
        for word in words.take_while(|word| word.hash == hash) {
            let is_found = ahead & word.mask == word.start
                && (word.rest.is_empty()
                    || rest
                        .get(AHEAD..)
                        .is_some_and(|rest| rest.starts_with(&word.rest)));
            if is_found {
                found(word.number, at, at + word.length);
            }
        }
    }
}

/// Converts a string to lower case without changing its length in bytes: changes only ASCII letters, the Latin letters
/// `À` to `Þ`, and the Cyrillic letters `А` to `Я` and `Ё`.
pub fn lower(text: &str) -> String {
    // The compiler vectorizes this loop, but not the loop in `to_ascii_lowercase`.
    let small = |byte: &u8| byte | u8::from(byte.wrapping_sub(b'A') < 26) << 5;
    let mut bytes: Vec<u8> = text.as_bytes().iter().map(small).collect();
    // The first bytes of all other letters that change.
    for at in memchr::memchr2_iter(0xc3, 0xd0, text.as_bytes()) {
        let letter = &mut bytes[at..at + 2];
        match *letter {
            // `À` to `Þ`, without `×`.
            [0xc3, second @ 0x80..=0x9e] if second != 0x97 => letter[1] = second + 0x20,
            // `Ё`.
            [0xd0, 0x81] => letter.copy_from_slice(&[0xd1, 0x91]),
            // `А` to `П`, and `Р` to `Я`.
            [0xd0, second @ 0x90..=0x9f] => letter[1] = second + 0x20,
            [0xd0, second @ 0xa0..=0xaf] => letter.copy_from_slice(&[0xd1, second - 0x20]),
            _ => {}
        }
    }
    // Each letter was replaced by a letter, so the bytes are still UTF-8.
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_become_small_and_keep_their_length() {
        for (from, to) in [
            ("A Curl, z", "a curl, z"),
            ("ÀÖ×ØÞß÷", "àö×øþß÷"),
            ("ЁАПРЯЎ ёапря", "ёапряЎ ёапря"),
            ("İ 名前 K", "İ 名前 k"),
        ] {
            assert_eq!(lower(from), to);
        }
    }

    fn found(text: &str) -> Vec<(usize, usize)> {
        let words = WordSet::new(["curl", "cur", "@", "名前", ".env", "7z x"]);
        let mut found = Vec::new();
        words.find(text.as_bytes(), |word, start, end| {
            assert!(end > start);
            found.push((word, start));
        });
        found.sort_unstable();
        found
    }

    #[test]
    fn words_are_found_at_their_starts() {
        assert_eq!(found("curl curse"), [(0, 0), (1, 0), (1, 5)]);
        assert_eq!(found("libcurl cur_l recur"), [(1, 8)]);
        assert_eq!(found("a@b.c の名前 x.env"), [(2, 1), (3, 9), (4, 17)]);
        assert_eq!(found("(7z x)"), [(5, 1)]);
        assert_eq!(found("cu"), []);
    }

    #[test]
    fn an_escape_ends_the_word_before() {
        assert_eq!(found(r"a\ncurl"), [(0, 3), (1, 3)]);
        assert_eq!(found("a ncurl"), []);
    }
}
