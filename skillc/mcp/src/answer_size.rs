//! Limits the size of answers: an answer stays in memory until the client reads it. The size is measured after
//! serialization, because JSON writes a control character as six bytes.
//!
//! Design: R20.

use std::io::{self, Write};

use rmcp::model::ErrorData;
use serde::Serialize;

use crate::tools::MAX_ANSWER_BYTES;

/// A writer that only counts bytes.
#[derive(Default)]
struct Count(usize);

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.saturating_add(bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the size of a value as JSON, in bytes, without storing the JSON. Returns 0 if the value cannot be
/// serialized.
pub(crate) fn json_size(value: &impl Serialize) -> usize {
    let mut count = Count::default();
    match serde_json::to_writer(&mut count, value) {
        Ok(()) => count.0,
        Err(_) => 0,
    }
}

/// Checks that a result is small enough to send.
///
/// # Errors
/// 'Invalid params' if the result is too large.
pub(crate) fn checked<T: Serialize>(result: T) -> Result<T, ErrorData> {
    let bytes = json_size(&result);
    if bytes <= MAX_ANSWER_BYTES {
        return Ok(result);
    }
    let message = format!(
        "the answer has {bytes} bytes; the limit is {MAX_ANSWER_BYTES}. Read the file from disk, or a part of it with a tool"
    );
    Err(ErrorData::invalid_params(message, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_is_that_of_the_escaped_text() {
        assert_eq!(json_size(&"\u{1}a\"é"), "\"\\u0001a\\\"é\"".len());
        let text = |length: usize| "\u{1}".repeat(length);
        assert!(checked(text(MAX_ANSWER_BYTES / 6 - 1)).is_ok());
        assert!(checked(text(MAX_ANSWER_BYTES / 6 + 1)).is_err());
    }
}
