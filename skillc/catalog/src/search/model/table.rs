//! The table of an embedding model: one row of numbers per token, from a file in the safetensors format.
//!
//! The file begins with the length of its header in 8 bytes. The header is JSON, with the type, the shape and the
//! position of each tensor. The file may be hostile: lengths and positions are checked before anything is allocated,
//! and a number that is not finite counts as 0.
//!
//! Design: R42, limits-catalog.

use std::collections::BTreeMap;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use skillc_core::source::open;

/// The maximum size of the file, in bytes.
const MAX_FILE_BYTES: u64 = 512 << 20;

/// The maximum size of the file's header, in bytes.
const MAX_HEADER_BYTES: u64 = 1 << 20;

/// The maximum number of values per token.
const MAX_COLUMNS: usize = 4_096;

/// The possible names of the table: model2vec uses the first; `WordLlama` and Sentence Transformers use the second.
const NAMES: [&str; 2] = ["embeddings", "embedding.weight"];

/// Tensors that change the meaning of the table: a file that contains one of them is refused. model2vec writes them if
/// it merges the rows of similar tokens.
const UNSUPPORTED: [&str; 2] = ["mapping", "weights"];

/// The rows of a model.
pub(super) struct Table {
    bytes: Vec<u8>,
    kind: NumberKind,
    /// The number of values per row, at least 1.
    columns: usize,
}

/// The type of the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NumberKind {
    F32,
    F16,
    Bf16,
    /// Integers with a common scale factor, which does not affect the direction of a row.
    I8,
}

/// A tensor in the header.
#[derive(Deserialize)]
struct Tensor {
    dtype: String,
    shape: Vec<u64>,
    /// The start and the end of the data, as offsets from the end of the header.
    data_offsets: [u64; 2],
}

impl NumberKind {
    fn parse(name: &str) -> Option<Self> {
        match name {
            "F32" => Some(Self::F32),
            "F16" => Some(Self::F16),
            "BF16" => Some(Self::Bf16),
            "I8" => Some(Self::I8),
            _ => None,
        }
    }

    const fn bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F16 | Self::Bf16 => 2,
            Self::I8 => 1,
        }
    }
}

impl Table {
    /// Reads the table from a file.
    ///
    /// # Errors
    /// A message that says why the file cannot be used.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let opened = open(path).map_err(|error| reason(&error))?;
        let Some((mut file, metadata)) = opened else {
            return Err("no such file".to_owned());
        };
        let size = metadata.len();
        if size > MAX_FILE_BYTES {
            return Err(format!("larger than {} MiB", MAX_FILE_BYTES >> 20));
        }
        let mut length = [0; 8];
        file.read_exact(&mut length)
            .map_err(|error| reason(&error))?;
        let length = u64::from_le_bytes(length);
        if length > MAX_HEADER_BYTES {
            return Err("not a safetensors file: the header is larger than 1 MiB".to_owned());
        }
        let header = read_exactly(&mut file, length)?;
        let tensor = Tensor::find(&header)?;
        let shape = &tensor.shape;
        let Some(kind) = NumberKind::parse(&tensor.dtype) else {
            let dtype = &tensor.dtype;
            return Err(format!(
                "numbers of type '{dtype}' are not supported, only F32, F16, BF16 and I8"
            ));
        };
        let &[rows, columns] = shape.as_slice() else {
            return Err(format!("the table has {} dimensions, not 2", shape.len()));
        };
        let columns = usize::try_from(columns).unwrap_or(usize::MAX);
        if rows == 0 || columns == 0 || columns > MAX_COLUMNS {
            return Err(format!(
                "the table has {rows} rows of {columns} numbers; a row must have 1 to {MAX_COLUMNS} numbers"
            ));
        }
        let needed = rows.checked_mul((columns * kind.bytes()) as u64);
        let [first, end] = tensor.data_offsets;
        if needed.is_none() || needed != end.checked_sub(first) {
            return Err("the length of the table does not match its shape".to_owned());
        }
        let data = 8 + length;
        if data.checked_add(end).is_none_or(|end| end > size) {
            return Err("the file is truncated".to_owned());
        }
        file.seek(SeekFrom::Start(data + first))
            .map_err(|error| reason(&error))?;
        Ok(Self {
            bytes: read_exactly(&mut file, end - first)?,
            kind,
            columns,
        })
    }

    /// Returns the number of values per row.
    pub(super) const fn columns(&self) -> usize {
        self.columns
    }

    /// Adds the row of a token to `sums`. Does nothing if there is no such row.
    pub(super) fn add(&self, token: u32, sums: &mut [f32]) {
        let bytes = self.columns * self.kind.bytes();
        let start = usize::try_from(token)
            .ok()
            .and_then(|token| token.checked_mul(bytes));
        let Some(row) = start
            .and_then(|start| self.bytes.get(start..))
            .and_then(|rest| rest.get(..bytes))
        else {
            return;
        };
        match self.kind {
            NumberKind::F32 => add(sums, row, f32::from_le_bytes),
            NumberKind::F16 => add(sums, row, |bytes: [u8; 2]| {
                from_half(u16::from_le_bytes(bytes))
            }),
            NumberKind::Bf16 => add(sums, row, |bytes: [u8; 2]| {
                f32::from_bits(u32::from(u16::from_le_bytes(bytes)) << 16)
            }),
            NumberKind::I8 => add(sums, row, |bytes: [u8; 1]| {
                f32::from(i8::from_le_bytes(bytes))
            }),
        }
    }
}

impl Tensor {
    /// Finds the table in a header.
    fn find(header: &[u8]) -> Result<Self, String> {
        let tensors: BTreeMap<String, Value> = serde_json::from_slice(header)
            .map_err(|error| format!("not a safetensors file: {error}"))?;
        if let Some(name) = UNSUPPORTED.iter().find(|name| tensors.contains_key(**name)) {
            return Err(format!(
                "the tensor '{name}' is not supported; save the model without merging tokens"
            ));
        }
        let Some((name, tensor)) = NAMES
            .iter()
            .find_map(|name| Some((name, tensors.get(*name)?)))
        else {
            let [first, second] = NAMES;
            return Err(format!("there is no tensor '{first}' or '{second}'"));
        };
        Self::deserialize(tensor).map_err(|error| format!("tensor '{name}': {error}"))
    }
}

/// Adds the numbers of a row to `sums`.
fn add<const N: usize>(sums: &mut [f32], row: &[u8], number: impl Fn([u8; N]) -> f32) {
    let (numbers, _) = row.as_chunks::<N>();
    for (sum, bytes) in sums.iter_mut().zip(numbers) {
        let number = number(*bytes);
        if number.is_finite() {
            *sum += number;
        }
    }
}

/// Converts a 16-bit number (IEEE 754 binary16); infinity and NaN become NaN.
fn from_half(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let exponent = u32::from((bits >> 10) & 0x1f);
    let fraction = bits & 0x3ff;
    match exponent {
        0 => {
            // A subnormal number is a multiple of 2^-24.
            let size = f32::from(fraction) / 16_777_216.0;
            f32::from_bits(size.to_bits() | sign)
        }
        31 => f32::NAN,
        // The exponents are biased by 15 and by 127.
        _ => f32::from_bits(sign | ((exponent + 112) << 23) | (u32::from(fraction) << 13)),
    }
}

/// Reads exactly `bytes` bytes into a buffer that is allocated in advance. Callers pass at most the size of the file,
/// or the maximum size of a header.
fn read_exactly(file: &mut impl Read, bytes: u64) -> Result<Vec<u8>, String> {
    let mut read = Vec::with_capacity(usize::try_from(bytes).unwrap_or_default());
    file.take(bytes)
        .read_to_end(&mut read)
        .map_err(|error| reason(&error))?;
    if read.len() as u64 == bytes {
        Ok(read)
    } else {
        Err("the file is truncated".to_owned())
    }
}

/// Returns the message of an I/O error.
fn reason(error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::UnexpectedEof {
        return "the file is truncated".to_owned();
    }
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_converted() {
        for (bits, number) in [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333_251_95),
            (0x7bff, 65_504.0),
            (0x0001, 5.960_464_5e-8),
            (0x83ff, -6.097_555e-5),
            (0x0400, 6.103_515_6e-5),
        ] {
            let found = from_half(bits);
            assert!((found - number).abs() <= number.abs() * 1e-6, "{bits:x}");
        }
        assert!(from_half(0x7c00).is_nan() && from_half(0xfe00).is_nan());
    }

    #[test]
    fn rows_of_every_kind_are_added_and_numbers_that_are_not_finite_are_skipped() {
        let sum = |kind: NumberKind, bytes: &[u8], token| {
            let table = Table {
                bytes: bytes.to_vec(),
                kind,
                columns: 2,
            };
            let mut sums = [1.0; 2];
            table.add(token, &mut sums);
            sums
        };
        let wide: Vec<u8> = [0.5_f32, -1.0, f32::NAN, f32::INFINITY]
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        let none = [1.0, 1.0];
        for (found, expected) in [
            (sum(NumberKind::F32, &wide, 0), [1.5, 0.0]),
            (sum(NumberKind::F32, &wide, 1), none),
            (sum(NumberKind::F32, &wide, 2), none),
            (sum(NumberKind::F32, &wide, u32::MAX), none),
            (sum(NumberKind::F16, &[0, 0x3c, 0, 0x7c], 0), [2.0, 1.0]),
            (
                sum(NumberKind::Bf16, &[0x80, 0x3f, 0, 0xc0], 0),
                [2.0, -1.0],
            ),
            (sum(NumberKind::I8, &[0, 0, 3, 0xff], 1), [4.0, 0.0]),
        ] {
            let is_near = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-6;
            assert!(found.iter().zip(&expected).all(is_near), "{found:?}");
        }
    }
}
