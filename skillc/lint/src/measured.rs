//! The precision of rules, measured on real skills whose findings were reviewed by hand.
//!
//! The numbers ship with the rules, in a table with one line per rule: `SKL205 28 20 20` is the code, the number of
//! findings, the number of reviewed findings, and the number of correct findings among the reviewed ones. Lines that
//! begin with `#` are comments.

use std::collections::BTreeMap;

/// A table of measurements, registered alongside its rules.
pub struct LinkedMeasurements(pub &'static str);

skillc_core::inventory::collect!(LinkedMeasurements);

/// The measured precision of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measurement {
    /// The number of findings.
    pub found: usize,
    /// The number of findings that were reviewed.
    pub judged: usize,
    /// The number of reviewed findings that were correct.
    pub right: usize,
}

/// The minimum number of reviewed findings for which a rate is stated.
const LEAST_FOR_A_RATE: usize = 20;

impl Measurement {
    /// Describes the precision, with its 95 % confidence interval (Wilson score): `98 % of 112 reviewed findings were
    /// correct (95 to 100 %)`. If few findings were reviewed, the description contains no rate.
    pub fn in_words(self) -> String {
        let Self { judged, right, .. } = self;
        if judged < LEAST_FOR_A_RATE {
            return format!(
                "{right} of {judged} reviewed findings were correct (too few to calculate a rate)"
            );
        }
        let percent = |share: f64| (share.clamp(0.0, 1.0) * 100.0).round() + 0.0;
        #[expect(clippy::cast_precision_loss, reason = "counts of findings are small")]
        let (n, share) = (judged as f64, right as f64 / judged as f64);
        let z2 = 1.96_f64.powi(2);
        let middle = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let half = 1.96 * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt() / (1.0 + z2 / n);
        format!(
            "{} % of {judged} reviewed findings were correct ({} to {} %)",
            percent(share),
            percent(middle - half),
            percent(middle + half)
        )
    }
}

/// Reads all linked tables, by rule code.
pub(crate) fn linked() -> BTreeMap<&'static str, Measurement> {
    let tables = skillc_core::inventory::iter::<LinkedMeasurements>.into_iter();
    tables.flat_map(|table| read(table.0)).collect()
}

/// Parses a table. Malformed lines are skipped; a test that compares the table with the reviews detects such lines.
fn read(table: &str) -> impl Iterator<Item = (&str, Measurement)> {
    table.lines().filter_map(|line| {
        let (code, numbers) = line.split_once(' ')?;
        let numbers: Result<Vec<usize>, _> = numbers.split(' ').map(str::parse).collect();
        let [found, judged, right] = numbers.ok()?[..] else {
            return None;
        };
        Some((
            code,
            Measurement {
                found,
                judged,
                right,
            },
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_has_its_interval_unless_there_are_few_findings() {
        let words = |judged, right| {
            Measurement {
                found: judged,
                judged,
                right,
            }
            .in_words()
        };
        assert_eq!(
            words(11, 11),
            "11 of 11 reviewed findings were correct (too few to calculate a rate)"
        );
        assert_eq!(
            words(28, 28),
            "100 % of 28 reviewed findings were correct (88 to 100 %)"
        );
        assert_eq!(
            words(100, 90),
            "90 % of 100 reviewed findings were correct (83 to 94 %)"
        );
        assert_eq!(
            words(20, 0),
            "0 % of 20 reviewed findings were correct (0 to 16 %)"
        );
    }

    #[test]
    fn a_table_has_three_numbers_per_rule() {
        let table = "# rule found judged right\nTXT101 28 20 19\nTXT102 1 2\nTXT103 x 1 1\n";
        let read: Vec<_> = read(table).collect();
        let measurement = Measurement {
            found: 28,
            judged: 20,
            right: 19,
        };
        assert_eq!(read, [("TXT101", measurement)]);
    }
}
