//! Random mutations of text and bytes, deterministic per seed.

/// A random number generator: small, fast, identical on every machine (xorshift64*).
#[derive(Debug, Clone)]
pub struct Random(u64);

/// Fragments that break parsers: Markdown, YAML, TOML and JSON syntax, unusual line ends, invalid UTF-8.
const PIECES: [&[u8]; 64] = [
    b"\r",
    b"\n",
    b"\r\n",
    b"\n\n",
    b"\0",
    b"\t",
    b" ",
    b"---\n",
    b"\n---\n",
    b"...",
    b"```",
    b"~~~",
    b"`",
    b"#",
    b"## ",
    b"\n===\n",
    b"> ",
    b"- ",
    b"1. ",
    b"    ",
    b"[a](b.md#c)",
    b"[a]: ",
    b"![",
    b"](",
    b"[[",
    b"<a href=\"x\">",
    b"<!--",
    b"-->",
    b"<!-- skilllint-disable-next-line SKL301 -- x -->",
    b"<!-- skilllint-disable",
    b"skilllint-enable",
    b"&amp;",
    b"\\",
    b"\"",
    b"'",
    b":",
    b": ",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b"|",
    b">",
    b"&a",
    b"*a",
    b"!!",
    b"<<: *a",
    b"\xef\xbb\xbf",
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
    "\u{fffd}".as_bytes(),
    "\u{2028}".as_bytes(),
    "e\u{301}".as_bytes(),
    "\u{1f600}".as_bytes(),
    "\u{65e5}\u{672c}".as_bytes(),
    "\u{202e}".as_bytes(),
    b"name: ",
    b"description: ",
    b"../",
    b"%00",
    b"= [",
    b"-1",
];

impl Random {
    /// Creates a generator with a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns a number below `bound`, which must not be 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(high).unwrap_or_default() % bound
    }

    /// Returns a random element of a slice.
    pub fn one_of<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    /// Applies up to eight random mutations. `others`: other inputs, from which fragments are spliced in.
    pub fn mutate(&mut self, bytes: &mut Vec<u8>, others: &[Vec<u8>]) {
        for _ in 0..=self.below(8) {
            let at = self.below(bytes.len() + 1);
            let end = (at + 1 + self.below(30)).min(bytes.len());
            match self.below(8) {
                0 => drop(bytes.drain(at..end)),
                1 => {
                    let piece = bytes[at..end].to_vec();
                    let to = self.below(bytes.len() + 1);
                    bytes.splice(to..to, piece);
                }
                2 => {
                    if let Some(byte) = bytes.get_mut(at) {
                        *byte ^= 1 << self.below(8);
                    }
                }
                3 if !others.is_empty() => {
                    let other = self.one_of(others);
                    let from = self.below(other.len() + 1);
                    let to = (from + self.below(200)).min(other.len());
                    bytes.splice(at..end, other[from..to].iter().copied());
                }
                4 => bytes.truncate(at.max(1)),
                _ => {
                    let piece = *self.one_of(&PIECES);
                    let times = if self.below(20) == 0 { 40 } else { 1 };
                    bytes.splice(at..at, piece.repeat(times));
                }
            }
        }
    }
}
