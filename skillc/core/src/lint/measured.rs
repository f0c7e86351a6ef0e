//! How often a rule is right: findings in real skills that people have read and judged.
//!
//! The numbers come with the rules, in a table of their own: one line a rule, `SKL205 28 20 20`, which is its code, its
//! findings, how many of them were judged, and how many of those were right. Lines that begin with `#` are passed over.

use std::collections::BTreeMap;

/// A table of measurements, submitted beside the rules it is about.
pub struct LinkedMeasurements(pub &'static str);

inventory::collect!(LinkedMeasurements);

/// What is known of a rule's findings in real skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measurement {
    /// Findings.
    pub found: usize,
    /// Findings that were judged.
    pub judged: usize,
    /// Those of them that were right.
    pub right: usize,
}

/// Reads all linked tables, by the rules' codes.
pub(crate) fn linked() -> BTreeMap<&'static str, Measurement> {
    let tables = inventory::iter::<LinkedMeasurements>.into_iter();
    tables.flat_map(|table| read(table.0)).collect()
}

/// Reads a table; a line that is none is passed over, for a test compares the table with the judgements.
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
    fn a_table_has_three_numbers_a_rule() {
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
