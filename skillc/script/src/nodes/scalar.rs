//! Scalars: the type of plain YAML scalars, and the numbers of all formats.

use super::node::Kind;

/// Returns the type of a plain scalar other than null, as defined by the YAML 1.2 core schema, in which `yes` is a
/// string and `012` is twelve.
pub(super) fn kind(text: &str) -> Kind {
    match text {
        "true" | "True" | "TRUE" | "false" | "False" | "FALSE" => Kind::Bool,
        _ if is_number(text) => Kind::Number,
        _ => Kind::Text,
    }
}

/// Parses an integer: decimal, or with the prefix `0x`, `0o` or `0b`; with an optional sign, and `_` between digits.
pub(super) fn integer(text: &str) -> Option<i64> {
    let (is_negative, rest) = unsigned(text);
    let (radix, digits) = match rest.get(..2) {
        Some("0x") => (16, &rest[2..]),
        Some("0o") => (8, &rest[2..]),
        Some("0b") => (2, &rest[2..]),
        _ => (10, rest),
    };
    let mut found: i128 = 0;
    let mut is_number = false;
    for digit in digits.chars().filter(|digit| *digit != '_') {
        found = found * i128::from(radix) + i128::from(digit.to_digit(radix)?);
        if found > 1 << 64 {
            return None;
        }
        is_number = true;
    }
    let found = if is_negative { -found } else { found };
    i64::try_from(found).ok().filter(|_| is_number)
}

/// Returns the nearest `f64`; `None` on overflow. The result is infinite or NaN only if the text says so, as in `.inf`
/// and `nan`.
#[expect(
    clippy::cast_precision_loss,
    reason = "rounding to the nearest number is intended"
)]
pub(super) fn float(text: &str) -> Option<f64> {
    let (is_negative, rest) = unsigned(text);
    let word = rest.strip_prefix('.').unwrap_or(rest);
    let found = if word.eq_ignore_ascii_case("inf") {
        f64::INFINITY
    } else if word.eq_ignore_ascii_case("nan") {
        f64::NAN
    } else if rest.starts_with("0x") || rest.starts_with("0o") || rest.starts_with("0b") {
        return integer(text).map(|whole| whole as f64);
    } else {
        let digits = rest.replace('_', "").parse().ok();
        digits.filter(|found: &f64| found.is_finite())?
    };
    Some(if is_negative { -found } else { found })
}

fn is_number(text: &str) -> bool {
    let all = |digits: &str, is_digit: fn(&u8) -> bool| {
        !digits.is_empty() && digits.as_bytes().iter().all(is_digit)
    };
    if let Some(digits) = text.strip_prefix("0x") {
        return all(digits, u8::is_ascii_hexdigit);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return all(digits, |digit| matches!(digit, b'0'..=b'7'));
    }
    if matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let (_, rest) = unsigned(text);
    matches!(rest, ".inf" | ".Inf" | ".INF") || is_decimal(rest)
}

/// Returns whether a string is a decimal number: digits with an optional point and an optional exponent.
fn is_decimal(text: &str) -> bool {
    let digits = |text: &str| {
        let other = text.find(|sign: char| !sign.is_ascii_digit());
        other.unwrap_or(text.len())
    };
    let whole = digits(text);
    let mut rest = &text[whole..];
    let mut count = whole;
    if let Some(fraction) = rest.strip_prefix('.') {
        let len = digits(fraction);
        count += len;
        rest = &fraction[len..];
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let (_, exponent) = unsigned(exponent);
        let len = digits(exponent);
        return count > 0 && len > 0 && len == exponent.len();
    }
    count > 0 && rest.is_empty()
}

/// Strips the sign. Returns whether the sign was a minus, and the rest of the text.
fn unsigned(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scalars_follow_the_core_schema() {
        for number in [
            "0", "-1", "+12", "012", "0x1F", "0o17", "1.5", ".5", "-.5", "5.", "1e3", "1.e-3",
            "-1.5E+3", ".inf", "-.INF", "+.Inf", ".nan",
        ] {
            assert_eq!(kind(number), Kind::Number, "{number}");
        }
        for truth in ["true", "False", "TRUE"] {
            assert_eq!(kind(truth), Kind::Bool, "{truth}");
        }
        for text in [
            "",
            "-",
            "+",
            ".",
            "-.",
            "e3",
            ".e3",
            "1e",
            "1e+",
            "1_0",
            "0x",
            "-0x1",
            "0o8",
            "0b1",
            "1.2.3",
            "yes",
            "tRue",
            "inf",
            "-.nan",
            "+-1",
            "1 2",
            "2024-01-01",
            "é",
            "0é",
        ] {
            assert_eq!(kind(text), Kind::Text, "{text}");
        }
    }

    #[test]
    fn integers_fit_or_are_rejected() {
        for (text, expected) in [
            ("0", Some(0)),
            ("-0", Some(0)),
            ("+1_000", Some(1000)),
            ("0xfF", Some(255)),
            ("0o17", Some(15)),
            ("0b101", Some(5)),
            ("9223372036854775807", Some(i64::MAX)),
            ("-9223372036854775808", Some(i64::MIN)),
            ("9223372036854775808", None),
            ("99999999999999999999999999999999999999999999", None),
            ("1.0", None),
            ("1e3", None),
            ("0x", None),
            ("", None),
        ] {
            assert_eq!(integer(text), expected, "{text}");
        }
    }

    #[test]
    fn other_numbers_are_rounded_or_rejected() {
        let near = |text: &str, expected: f64| {
            let found = float(text).unwrap();
            assert!(
                (found - expected).abs() < 1e-9 * expected.abs().max(1.0),
                "{text}: {found}"
            );
        };
        near("1_0.5", 10.5);
        near("-.5", -0.5);
        near("5.", 5.0);
        near("0x10", 16.0);
        near("18446744073709551616", 18_446_744_073_709_551_616.0);
        assert_eq!(float("1e999"), None);
        assert_eq!(float("-.inf"), Some(f64::NEG_INFINITY));
        assert!(float("nan").unwrap().is_nan());
    }
}
