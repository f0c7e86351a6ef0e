//! Random bytes for unguessable names.

use std::fmt::Write;

/// Returns random bytes.
///
/// # Errors
/// Returns the system's error if it has no random source.
pub fn bytes<const BYTES: usize>() -> Result<[u8; BYTES], getrandom::Error> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}

/// Returns random bytes as hex digits.
///
/// # Errors
/// Returns the system's error if it has no random source.
pub fn hex<const BYTES: usize>() -> Result<String, getrandom::Error> {
    Ok(bytes::<BYTES>()?
        .iter()
        .fold(String::new(), |mut digits, byte| {
            write!(digits, "{byte:02x}").expect("writing to a string cannot fail");
            digits
        }))
}
