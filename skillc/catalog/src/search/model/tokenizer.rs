//! Splits text into the tokens of a model, as specified in `tokenizer.json`.
//!
//! Of the many kinds of tokenizers, only the two that most static embedding models use are supported: `WordPiece`, and
//! byte-pair encoding with a fallback to bytes. Any other kind is refused, because wrong tokens would have meaningless
//! vectors. Special tokens in a text, such as `</s>`, are treated as plain text.
//!
//! Design: R42, limits-catalog.

use std::fmt;
use std::path::Path;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use skillc_core::source::read_start;

use super::byte_pairs::BytePairs;
use super::word_piece::WordPiece;

/// The maximum size of the file, in bytes. After parsing, its content takes up to about 15 times as much memory.
const MAX_BYTES: u64 = 8 << 20;

/// The maximum number of steps of a normalizer.
const MAX_STEPS: usize = 8;

/// A tokenizer.
pub(super) enum Tokenizer {
    WordPiece(WordPiece),
    BytePairs(BytePairs),
}

/// The parts of the file that determine the kind of tokenizer.
#[derive(Deserialize)]
struct Outline {
    normalizer: Option<Normalizer>,
    pre_tokenizer: Option<Kind>,
    model: ModelKind,
}

#[derive(Deserialize)]
struct ModelKind {
    #[serde(rename = "type")]
    name: String,
    #[serde(default)]
    byte_fallback: bool,
}

#[derive(Deserialize)]
struct Kind {
    #[serde(rename = "type")]
    name: String,
}

/// How text is changed before it is split.
#[derive(Deserialize)]
struct Normalizer {
    #[serde(rename = "type")]
    name: String,
    #[serde(default)]
    normalizers: Steps,
}

/// The steps of a normalizer. A long list is refused before it takes up memory.
#[derive(Default)]
struct Steps(Vec<Kind>);

impl<'de> Deserialize<'de> for Steps {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Items;

        impl<'de> Visitor<'de> for Items {
            type Value = Vec<Kind>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of steps")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<Kind>, A::Error> {
                let mut steps = Vec::new();
                while let Some(step) = items.next_element()? {
                    if steps.len() == MAX_STEPS {
                        return Err(A::Error::custom("too many steps"));
                    }
                    steps.push(step);
                }
                Ok(steps)
            }
        }

        deserializer.deserialize_seq(Items).map(Self)
    }
}

impl Tokenizer {
    /// Reads a tokenizer from a file.
    ///
    /// # Errors
    /// A message that says why the file cannot be used.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let bytes = read_start(path, MAX_BYTES + 1).map_err(|error| error.to_string())?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(format!("larger than {} MiB", MAX_BYTES >> 20));
        }
        Self::parse(&bytes)
    }

    fn parse(bytes: &[u8]) -> Result<Self, String> {
        let outline: Outline = parsed(bytes)?;
        let (normalizer, model) = (&outline.normalizer, &outline.model);
        let steps: Vec<&str> = normalizer.iter().flat_map(Normalizer::steps).collect();
        let splits = outline.pre_tokenizer.as_ref().map(|kind| &*kind.name);
        match (&*model.name, &steps[..], splits) {
            ("WordPiece", [] | ["BertNormalizer"], Some("BertPreTokenizer")) => {
                Ok(Self::WordPiece(WordPiece::new(parsed(bytes)?)))
            }
            ("BPE", ["Prepend", "Replace"], None) | ("BPE", [], Some("Metaspace"))
                if model.byte_fallback =>
            {
                Ok(Self::BytePairs(BytePairs::new(parsed(bytes)?)))
            }
            _ => Err(format!(
                "a tokenizer of type '{}' with these steps is not supported, only WordPiece as in BERT, and BPE with \
                 byte fallback as in Llama 2",
                model.name
            )),
        }
    }

    /// Calls a function with each token of `text`.
    pub(super) fn each_token(&self, text: &str, of: impl FnMut(u32)) {
        match self {
            Self::WordPiece(tokenizer) => tokenizer.each_token(text, of),
            Self::BytePairs(tokenizer) => tokenizer.each_token(text, of),
        }
    }
}

impl Normalizer {
    /// Returns the names of the steps. If a sequence has a single step, the name of the sequence is included: the
    /// sequence must not be mistaken for that step, because options are not read for the steps of a sequence.
    fn steps(&self) -> Vec<&str> {
        match &self.normalizers.0[..] {
            [] => vec![&self.name],
            [only] => vec![&self.name, &only.name],
            steps => steps.iter().map(|step| &*step.name).collect(),
        }
    }
}

fn parsed<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, String> {
    serde_json::from_slice(bytes).map_err(|error| format!("not a tokenizer: {error}"))
}
