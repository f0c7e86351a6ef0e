//! What the fuzz targets have in common.

use std::sync::LazyLock;

pub use libfuzzer_sys::fuzz_target;
use skillc_tests::properties::Properties;

/// What the properties need, made at the first input.
pub static PROPERTIES: LazyLock<Properties> = LazyLock::new(Properties::new);

/// Makes the target that checks one kind of input.
#[macro_export]
macro_rules! target {
    ($name:literal) => {
        $crate::fuzz_target!(|bytes: &[u8]| $crate::PROPERTIES.check($name, bytes));
    };
}
