//! Names that nobody can guess.

use std::fmt::Write;

/// Returns so many random bytes.
///
/// # Errors
/// That of the system, if it has no randomness.
pub fn bytes<const BYTES: usize>() -> Result<[u8; BYTES], getrandom::Error> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}

/// Returns the digits of so many random bytes, two hexadecimal ones for each.
///
/// # Errors
/// That of the system, if it has no randomness.
pub fn hex<const BYTES: usize>() -> Result<String, getrandom::Error> {
    Ok(bytes::<BYTES>()?
        .iter()
        .fold(String::new(), |mut digits, byte| {
            write!(digits, "{byte:02x}").expect("a string takes any text");
            digits
        }))
}
