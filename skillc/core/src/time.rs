//! Timestamps: whole seconds in UTC, and milliseconds where calls must be distinguishable.
//!
//! Design: C-MANIFEST, C-FILTERS, C-LOGGING@7.

use std::fmt::{self, Display};
use std::time::Duration;
#[cfg(not(target_family = "wasm"))]
use std::time::Instant;

use jiff::civil::DateTime;
use jiff::tz::Offset;

/// Measures elapsed time. On WebAssembly, which has no clock, the elapsed time is always zero; the host has to limit
/// the running time of the program.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch {
    #[cfg(not(target_family = "wasm"))]
    begun: Instant,
}

impl Stopwatch {
    /// Starts measuring.
    pub fn start() -> Self {
        Self {
            #[cfg(not(target_family = "wasm"))]
            begun: Instant::now(),
        }
    }

    /// Returns the time since the start.
    pub fn elapsed(self) -> Duration {
        #[cfg(not(target_family = "wasm"))]
        {
            self.begun.elapsed()
        }
        #[cfg(target_family = "wasm")]
        {
            Duration::ZERO
        }
    }
}

/// Seconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

/// Formats the time as `2026-01-31T08:15:00Z`.
impl Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = jiff::Timestamp::from_second(self.0).unwrap_or(jiff::Timestamp::MAX);
        write!(f, "{}", time.strftime("%Y-%m-%dT%H:%M:%SZ"))
    }
}

/// Formats milliseconds since 1970-01-01T00:00:00Z as RFC 3339: `2026-01-31T08:15:00.123Z`.
pub fn rfc3339_ms(at_ms: i64) -> String {
    let time = jiff::Timestamp::from_millisecond(at_ms).unwrap_or(jiff::Timestamp::MAX);
    time.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

/// 0000-01-01T00:00:00Z: earlier years cannot be written with four digits.
const FIRST: i64 = -62_167_219_200;

impl Timestamp {
    /// Parses an RFC 3339 time, or a date, which means the first second of that day in UTC.
    ///
    /// `text`: `2026-01-31`, `2026-01-31T08:15:00Z`, `2026-01-31T10:15:00.5+02:00`. Fractions of a second are dropped;
    /// a leap second becomes the second before it. Returns `None` for any other string.
    pub fn parse(text: &str) -> Option<Self> {
        if has_shape(text, "0000-00-00") {
            return Self::from_parts([text.get(..10)?, "00:00:00", "Z"]);
        }
        let (head, zone) = (text.get(..19)?, text.get(19..)?);
        let is_head = has_shape(&head.to_ascii_uppercase(), "0000-00-00T00:00:00");
        let zone = match zone.strip_prefix('.') {
            Some(rest) => {
                let zone = rest.trim_start_matches(|c: char| c.is_ascii_digit());
                (zone.len() < rest.len()).then_some(zone)?
            }
            None => zone,
        };
        if !is_head {
            return None;
        }
        Self::from_parts([head.get(..10)?, head.get(11..)?, zone])
    }

    /// Returns the time `seconds` seconds before this one; `None` if that time is before the year 0.
    pub fn earlier(self, seconds: i64) -> Option<Self> {
        let time = self.0.checked_sub(seconds)?;
        (time >= FIRST).then_some(Self(time))
    }

    /// Creates a timestamp from `[date, time, zone]`. `date` and `time` must have the shapes that
    /// [`parse`](Self::parse) checks.
    fn from_parts([date, time, zone]: [&str; 3]) -> Option<Self> {
        let number = |text: &str| text.parse::<i8>().ok();
        let year = date.get(..4)?.parse().ok()?;
        let (month, day) = (number(&date[5..7])?, number(&date[8..])?);
        let (hour, minute) = (number(&time[..2])?, number(&time[3..5])?);
        let second = number(&time[6..])?;
        let second = if second == 60 { 59 } else { second };
        let time = DateTime::new(year, month, day, hour, minute, second, 0).ok()?;
        // The last day of the year 9999 is out of range for jiff: clamp it.
        let time = Offset::UTC
            .to_timestamp(time)
            .unwrap_or(jiff::Timestamp::MAX);
        Self(time.as_second()).earlier(offset(zone)?)
    }

    /// Returns the compact form that run ids begin with: `20260131T081500Z`.
    pub fn compact(self) -> String {
        self.to_string()
            .chars()
            .filter(|c| !matches!(c, '-' | ':'))
            .collect()
    }
}

/// Returns the offset of a zone from UTC, in seconds; positive to the east.
fn offset(zone: &str) -> Option<i64> {
    if matches!(zone, "Z" | "z") {
        return Some(0);
    }
    let sign = match zone.get(..1)? {
        "+" => 1,
        "-" => -1,
        _ => return None,
    };
    let rest = has_shape(&zone[1..], "00:00").then(|| &zone[1..])?;
    let (hours, minutes): (i64, i64) = (rest[..2].parse().ok()?, rest[3..].parse().ok()?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3_600 + minutes * 60))
}

/// Returns whether a string has the shape of a template, in which `0` stands for any digit.
fn has_shape(text: &str, shape: &str) -> bool {
    let fits = |(byte, like): (u8, u8)| {
        if like == b'0' {
            byte.is_ascii_digit()
        } else {
            byte == like
        }
    };
    text.len() == shape.len() && text.bytes().zip(shape.bytes()).all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_print_as_rfc_3339_in_utc() {
        assert_eq!(Timestamp(1_769_847_300).to_string(), "2026-01-31T08:15:00Z");
        assert_eq!(Timestamp(1_769_847_300).compact(), "20260131T081500Z");
    }

    #[test]
    fn milliseconds_print_with_three_digits() {
        for (at_ms, printed) in [
            (1_769_847_300_000, "2026-01-31T08:15:00.000Z"),
            (1_769_847_300_007, "2026-01-31T08:15:00.007Z"),
            (1_769_847_300_999, "2026-01-31T08:15:00.999Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(rfc3339_ms(at_ms), printed);
        }
        assert!(rfc3339_ms(i64::MAX).starts_with("9999-12-30T"));
    }

    /// C-FILTERS.1, C-FILTERS.2.
    #[test]
    fn dates_and_rfc_3339_times_are_parsed() {
        for (text, printed) in [
            ("2024-02-29", "2024-02-29T00:00:00Z"),
            ("2024-01-31T08:15:07Z", "2024-01-31T08:15:07Z"),
            ("2024-01-31t08:15:07z", "2024-01-31T08:15:07Z"),
            ("2024-01-31T08:15:07.999Z", "2024-01-31T08:15:07Z"),
            ("2024-01-31T01:15:07+02:30", "2024-01-30T22:45:07Z"),
            ("2024-12-31T23:15:07-01:00", "2025-01-01T00:15:07Z"),
            ("2024-01-31T08:15:07-00:00", "2024-01-31T08:15:07Z"),
            ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z"),
            ("0000-01-01", "0000-01-01T00:00:00Z"),
            ("9999-12-31", "9999-12-30T22:00:00Z"),
        ] {
            let read = Timestamp::parse(text).map(|time| time.to_string());
            assert_eq!(read.as_deref(), Some(printed), "{text}");
        }
    }

    /// C-FILTERS.1.
    #[test]
    fn other_text_is_not_a_time() {
        for text in [
            "",
            "yesterday",
            "2024",
            "2024-1-1",
            "2024-02-30",
            "2023-02-29",
            "2024-13-01",
            "20240131",
            " 2024-01-31",
            "2024-01-31 ",
            "2024-01-31T08:15:07",
            "2024-01-31T08:15Z",
            "2024-01-31T24:00:00Z",
            "2024-01-31T08:15:61Z",
            "2024-01-31T08:15:07.Z",
            "2024-01-31T08:15:07+0200",
            "2024-01-31T08:15:07+24:00",
            "2024-01-31T08:15:07Zx",
            "2024-01-31T08:15:07é",
            "+024-01-31",
            "2024-01-é1",
            "0000-01-01T00:00:00+01:00",
            "２０２４-01-31",
        ] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }
}
