//! Time as the product sees it: whole seconds in UTC.
//!
//! Source: RFC-0001 C-MANIFEST, RFC-0007 C-LOGGING.

use std::fmt::{self, Display};

/// Seconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

/// Prints `2026-01-31T08:15:00Z`.
impl Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = jiff::Timestamp::from_second(self.0).unwrap_or(jiff::Timestamp::MAX);
        write!(f, "{}", time.strftime("%Y-%m-%dT%H:%M:%SZ"))
    }
}

impl Timestamp {
    /// Returns the form without separators that run ids begin with: `20260131T081500Z`.
    pub fn compact(self) -> String {
        self.to_string()
            .chars()
            .filter(|c| !matches!(c, '-' | ':'))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_print_as_rfc_3339_in_utc() {
        assert_eq!(Timestamp(1_769_847_300).to_string(), "2026-01-31T08:15:00Z");
        assert_eq!(Timestamp(1_769_847_300).compact(), "20260131T081500Z");
    }
}
