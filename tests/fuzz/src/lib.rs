//! Shared setup of the fuzzers.

use skillc_tests::properties::Properties;

thread_local! {
    /// Thread-local because the search index is not `Sync`. A fuzzer has only one thread.
    pub static PROPERTIES: Properties = Properties::new();
}

/// Defines a fuzz target for a kind of input.
#[macro_export]
macro_rules! target {
    ($kind:literal) => {
        libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
            $crate::PROPERTIES.with(|properties| properties.check($kind, bytes));
        });
    };
}
