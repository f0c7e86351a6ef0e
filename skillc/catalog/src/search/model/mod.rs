//! A static embedding model, which is read from the user's own files: it maps texts with similar meanings to similar
//! vectors.
//!
//! The vector of a text is the mean of its tokens' rows in the model's table, scaled to length 1. There is no neural
//! network, and nothing is ever downloaded. A model's folder contains the files [`FILES`], in the format of model2vec
//! or `WordLlama`. Their content may be hostile.
//!
//! Design: R42, limits-catalog.

mod byte_pairs;
mod table;
#[cfg(test)]
mod tests;
mod tokenizer;
mod word_piece;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use skillc_core::source::Stamp;

use super::start_of;
use table::Table;
use tokenizer::Tokenizer;

/// The files of a model: the table, and the tokenizer.
pub const FILES: [&str; 2] = ["model.safetensors", "tokenizer.json"];

/// The maximum size, in bytes, of the text from which a vector is computed. The rest of the text is ignored.
const MAX_TEXT_BYTES: usize = 8 << 10;

/// The maximum size of the message about an unusable file, in bytes. The message can quote the file.
const MAX_REASON_BYTES: usize = 300;

/// The number of partial sums in a dot product. The CPU can update them in parallel (SIMD).
const LANES: usize = 8;

/// A model in memory.
pub(crate) struct Model {
    table: Table,
    tokenizer: Tokenizer,
}

/// A model that the process has read.
struct Loaded {
    folder: PathBuf,
    stamps: [Option<Stamp>; 2],
    model: Weak<Model>,
}

/// The models in use. Catalogs of several working directories share one model, which can take hundreds of megabytes.
static LOADED: Mutex<Vec<Loaded>> = Mutex::new(Vec::new());

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model").finish_non_exhaustive()
    }
}

impl Model {
    /// Returns the model in a folder. If the process already uses the model and the model's files have not changed, the
    /// files are not read again.
    ///
    /// # Errors
    /// A message that names the unusable file and the reason.
    pub(crate) fn read(folder: &Path) -> Result<Arc<Self>, String> {
        let paths = FILES.map(|name| folder.join(name));
        let stamps = paths.each_ref().map(|path| {
            let found = path.metadata().ok()?;
            Some(Stamp::from_metadata(&found))
        });
        // The lock is held while the files are read, so that two threads do not read the same model at the same time.
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        loaded.retain(|one| one.model.strong_count() > 0);
        let mut known = loaded.iter();
        let known = known.find(|one| one.folder == folder && one.stamps == stamps);
        if let Some(model) = known.and_then(|one| one.model.upgrade()) {
            return Ok(model);
        }
        let [table, tokenizer] = &paths;
        let at = |path: &Path| {
            let path = path.display().to_string();
            move |reason: String| format!("{path}: {}", start_of(&reason, MAX_REASON_BYTES))
        };
        let model = Arc::new(Self {
            tokenizer: Tokenizer::read(tokenizer).map_err(at(tokenizer))?,
            table: Table::read(table).map_err(at(table))?,
        });
        loaded.push(Loaded {
            folder: folder.to_path_buf(),
            stamps,
            model: Arc::downgrade(&model),
        });
        Ok(model)
    }

    /// Returns the embedding of a text as a unit vector; all zeros if the model contains no token of the text.
    pub(super) fn vector(&self, text: &str) -> Box<[f32]> {
        let mut sums = vec![0.0; self.table.columns()];
        let text = start_of(text, MAX_TEXT_BYTES);
        self.tokenizer
            .each_token(text, |token| self.table.add(token, &mut sums));
        let length = dot(&sums, &sums).sqrt();
        // The sum of huge numbers can be infinite.
        let is_usable = length.is_finite() && length > 0.0;
        for sum in &mut sums {
            *sum = if is_usable { *sum / length } else { 0.0 };
        }
        sums.into_boxed_slice()
    }
}

/// Returns the dot product of two vectors with the same number of elements. For unit vectors, this is the cosine of the
/// angle between them.
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (a, rest_of_a) = a.as_chunks::<LANES>();
    let (b, rest_of_b) = b.as_chunks::<LANES>();
    let mut lanes = [0.0_f32; LANES];
    for (a, b) in a.iter().zip(b) {
        for (lane, (a, b)) in lanes.iter_mut().zip(a.iter().zip(b)) {
            *lane += a * b;
        }
    }
    let rest = rest_of_a.iter().zip(rest_of_b).map(|(a, b)| a * b);
    lanes.iter().sum::<f32>() + rest.sum::<f32>()
}
