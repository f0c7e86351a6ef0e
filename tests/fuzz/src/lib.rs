//! What the fuzzers share: the properties, made once.

use skillc_tests::properties::Properties;

thread_local! {
    /// A fuzzer has one thread; the index that searches are tried on belongs to it.
    pub static PROPERTIES: Properties = Properties::new();
}

/// Makes a fuzzer of a kind of input.
#[macro_export]
macro_rules! target {
    ($kind:literal) => {
        libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
            $crate::PROPERTIES.with(|properties| properties.check($kind, bytes));
        });
    };
}
