//! Finds many words in one pass over a text.
//!
//! Building an automaton for so many words takes longer than scanning a small skill. Instead, this module looks up the
//! next three bytes at each position where a word may begin, which nearly always rules out all words.

/// A set of words to find in a text. A word that begins with an ASCII letter or digit is found only where no such
/// character precedes it.
#[derive(Debug)]
pub struct WordSet {
    /// A bit set of the hashes of the words' first three bytes.
    known: Box<[u64; 1024]>,
    /// For each hash, the index of its first word in `words`.
    first: Box<[u16]>,
    /// The words, each with the hash of its first bytes and its number, sorted by hash.
    words: Vec<(usize, Box<[u8]>, usize)>,
    /// The number of [`WordSet::AT`], if it is one of the words.
    at: Option<usize>,
}

impl WordSet {
    /// The `@` in email addresses, which can be a word by itself.
    const AT: u8 = b'@';

    /// For each byte, whether it is an ASCII letter or digit.
    const LETTERS: [bool; 256] = {
        let mut letters = [false; 256];
        let mut byte = 0_u8;
        while byte < 128 {
            letters[byte as usize] = byte.is_ascii_alphanumeric();
            byte += 1;
        }
        letters
    };

    /// Creates a set. `words`: at most 65,535 words in lower case, each of which is `@`, or has at least three bytes
    /// and does not begin with a blank.
    ///
    /// # Panics
    /// If a word is too short, or if there are too many words.
    pub fn new<'a>(words: impl IntoIterator<Item = &'a str>) -> Self {
        let mut at = None;
        let mut all = Vec::new();
        for (number, word) in words.into_iter().enumerate() {
            let word = word.as_bytes();
            if word == [Self::AT] {
                at = Some(number);
            } else {
                all.push((Self::hash(word[0], word[1], word[2]), word.into(), number));
            }
        }
        all.sort_unstable();
        let mut known = Box::new([0; 1024]);
        let mut first = vec![0; 1 << 16].into_boxed_slice();
        for (at, (hash, ..)) in all.iter().enumerate().rev() {
            known[hash / 64] |= 1 << (hash % 64);
            first[*hash] = u16::try_from(at).expect("at most 65,535 words");
        }
        Self {
            known,
            first,
            words: all,
            at,
        }
    }

    const fn hash(a: u8, b: u8, c: u8) -> usize {
        let bytes = (a as u32) << 16 | (b as u32) << 8 | c as u32;
        (bytes.wrapping_mul(0x9e37_79b1) >> 16) as usize
    }

    /// Calls `found` for each occurrence of a word in a text, in the order of their starts, with the number of the
    /// word, its start and its end. The text must be in lower case.
    ///
    /// The escape sequences `\n`, `\t` and `\r` in source code separate words, too.
    pub fn find(&self, bytes: &[u8], mut found: impl FnMut(usize, usize, usize)) {
        let is_letter = |byte: &u8| Self::LETTERS[usize::from(*byte)];
        let mut at = 0;
        while let Some(&[a, b, c]) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
            // No word begins with a blank or inside a character.
            if a <= b' ' || a & 0b1100_0000 == 0b1000_0000 {
                at += 1;
                continue;
            }
            let hash = Self::hash(a, b, c);
            if self.known[hash / 64] >> (hash % 64) & 1 == 1 {
                let words = self.words[usize::from(self.first[hash])..].iter();
                for (_, word, number) in words.take_while(|(of, ..)| *of == hash) {
                    if bytes[at..].starts_with(word) {
                        found(*number, at, at + word.len());
                    }
                }
            }
            if is_letter(&a) {
                let rest = bytes[at..].iter();
                let word = rest.take_while(|byte| is_letter(byte)).count();
                at += word;
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
}

#[cfg(test)]
mod tests {
    use super::*;

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
