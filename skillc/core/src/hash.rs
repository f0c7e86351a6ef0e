//! Hashes of files, of a skill's source, and of paths.
//!
//! Design: C-MANIFEST, C-INDEX, D-HASH-ENCODING.

use std::fmt::{self, Debug, Display};
use std::io::{self, Read};
use std::path::Path;

use ctutils::CtEq;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::path::RelPath;

/// A SHA-256 digest, which is formatted as 64 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sha([u8; 32]);

impl Sha {
    /// Returns the digest of some bytes.
    pub fn digest(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Returns the digest of a reader's contents. If they exceed `max_bytes`, stops reading and returns `None`.
    ///
    /// # Errors
    /// I/O errors of the reader.
    pub fn digest_stream(reader: impl Read, max_bytes: u64) -> io::Result<Option<Self>> {
        let mut hasher = Sha256::new();
        let mut buffer = vec![0; 256 << 10];
        let mut reader = reader.take(max_bytes.saturating_add(1));
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => hasher.update(&buffer[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok((reader.limit() > 0).then(|| Self(hasher.finalize().into())))
    }

    /// Returns the HMAC-SHA-256 (RFC 2104) of some bytes, which cannot be computed without the key.
    pub fn keyed(key: &[u8; 32], bytes: &[u8]) -> Self {
        // HMAC pads the key to the block size of the hash.
        let mut padded = [0; 64];
        padded[..key.len()].copy_from_slice(key);
        let whole = Hmac::<Sha256>::new(&padded.into()).chain_update(bytes);
        Self(whole.finalize().into_bytes().into())
    }

    /// Compares two digests in constant time.
    pub fn constant_time_eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }

    /// Parses 64 hex digits.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        if digits.len() != 64 {
            return None;
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let high = char::from(pair[0]).to_digit(16)?;
            let low = char::from(pair[1]).to_digit(16)?;
            *byte = u8::try_from(high * 16 + low).ok()?;
        }
        Some(Self(bytes))
    }
}

impl Display for Sha {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [0; 64];
        for (pair, byte) in text.chunks_exact_mut(2).zip(self.0) {
            pair[0] = hex_digit(byte >> 4);
            pair[1] = hex_digit(byte & 15);
        }
        f.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

impl Debug for Sha {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

/// Returns the hash of a skill's source.
///
/// For each file, the hash covers the path, a NUL, the 64 digits of the file's digest, and a line feed.
///
/// Design: C-MANIFEST, D-HASH-ENCODING.
pub fn source_hash<'a>(files: impl IntoIterator<Item = (&'a RelPath, Sha)>) -> Sha {
    let mut hasher = Sha256::new();
    for (path, sha) in files {
        hasher.update(path.as_str());
        hasher.update([0]);
        hasher.update(sha.to_string());
        hasher.update(b"\n");
    }
    Sha(hasher.finalize().into())
}

/// Returns the first 16 hex digits of the hash of a path's bytes, which identify the search index of the source
/// directory at that path.
///
/// Design: C-INDEX.
pub fn path_hash16(path: &Path) -> String {
    let mut digits = Sha::digest(path.as_os_str().as_encoded_bytes()).to_string();
    digits.truncate(16);
    digits
}

fn hex_digit(value: u8) -> u8 {
    b"0123456789abcdef"[usize::from(value & 15)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// C-MANIFEST.2, D-HASH-ENCODING.
    #[test]
    fn the_source_hash_is_over_path_nul_digest_line_feed() {
        let (a, b) = (RelPath::parse("a").unwrap(), RelPath::parse("b/c").unwrap());
        let (x, y) = (Sha::digest(b"x"), Sha::digest(b"y"));
        let text = format!("a\0{x}\nb/c\0{y}\n");
        assert_eq!(
            source_hash([(&a, x), (&b, y)]),
            Sha::digest(text.as_bytes())
        );
    }

    #[test]
    fn a_stream_is_hashed_up_to_its_bound() {
        let of = |max_bytes| Sha::digest_stream(b"abc".as_slice(), max_bytes).unwrap();
        assert_eq!(of(3), Some(Sha::digest(b"abc")));
        assert_eq!(of(2), None);
        let endless = Sha::digest_stream(io::repeat(0), 1 << 20).unwrap();
        assert_eq!(endless, None);
    }

    #[test]
    fn digests_are_lowercase_hex_and_round_trip() {
        let sha = Sha::digest(b"");
        assert_eq!(
            sha.to_string(),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
        assert_eq!(Sha::parse(&sha.to_string()), Some(sha));
        assert_eq!(Sha::parse("xyz"), None);
    }

    /// The expected values were computed with another implementation of the standard.
    #[test]
    fn a_keyed_digest_matches_the_standard() {
        let key = std::array::from_fn(|at| u8::try_from(at + 1).unwrap());
        let expected = "ea29333cdbd7d06a470ad2df24cfb958bdabf5d52ca8d998537885095792d03b";
        assert_eq!(Sha::keyed(&key, b"what is sealed").to_string(), expected);
        let expected = "372efcf9b40b35c2115b1346903d2ef42fced46f0846e7257bb156d3d7b30d3f";
        assert_eq!(Sha::keyed(&key, &[0xcd; 50]).to_string(), expected);
    }

    /// C-INDEX.1.
    #[test]
    fn an_index_is_named_by_the_hash_of_its_source_path() {
        assert_eq!(
            path_hash16(Path::new("/a")),
            Sha::digest(b"/a").to_string()[..16]
        );
    }
}
