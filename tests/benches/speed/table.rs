//! The result table: measurement, floor, ratio, and whether it is within its limit.

use std::fmt::Write as _;
use std::time::Duration;

use crate::race::Race;

/// A row of the table.
pub(crate) struct Row {
    what: String,
    ours: String,
    floor: String,
    ratio: f64,
    limit: f64,
}

impl Row {
    /// Compares two times.
    pub(crate) fn from_times(what: &str, race: Race, limit: f64) -> Self {
        Self {
            what: what.to_owned(),
            ours: milliseconds(race.ours),
            floor: milliseconds(race.floor),
            ratio: race.ours.as_secs_f64() / race.floor.as_secs_f64(),
            limit,
        }
    }

    /// Compares the time per unit of work in two runs of different size; `race.ours` is the time of the larger run.
    pub(crate) fn from_parts(what: &str, race: Race, parts: (u32, u32), limit: f64) -> Self {
        let race = Race {
            ours: race.ours / parts.0,
            floor: race.floor / parts.1,
        };
        Self {
            ours: microseconds(race.ours),
            floor: microseconds(race.floor),
            ..Self::from_times(what, race, limit)
        }
    }

    /// Compares a time with its maximum.
    pub(crate) fn from_limit(what: &str, time: Duration, most: Duration) -> Self {
        let race = Race {
            ours: time,
            floor: most,
        };
        Self {
            ours: microseconds(time),
            floor: microseconds(most),
            ..Self::from_times(what, race, 1.0)
        }
    }

    /// Compares two values of a metric for which higher is better. The ratio compares their distances from 1.
    pub(crate) fn from_figures(what: &str, ours: f64, floor: f64, limit: f64) -> Self {
        Self {
            what: what.to_owned(),
            ours: format!("{ours:.3}"),
            floor: format!("{floor:.3}"),
            ratio: (1.0 - ours) / (1.0 - floor),
            limit,
        }
    }

    /// Compares a size with its maximum.
    #[expect(clippy::cast_precision_loss, reason = "megabytes")]
    pub(crate) fn from_bytes(what: &str, bytes: u64, most: u64) -> Self {
        let (megabytes, most) = (bytes as f64 / 1e6, most as f64 / 1e6);
        Self {
            what: what.to_owned(),
            ours: format!("{megabytes:.0} MB"),
            floor: format!("{most:.0} MB"),
            ratio: megabytes / most,
            limit: 1.0,
        }
    }

    /// Compares two sizes.
    #[expect(clippy::cast_precision_loss, reason = "megabytes")]
    pub(crate) fn from_sizes(what: &str, bytes: u64, floor: u64, limit: f64) -> Self {
        let (megabytes, floor) = (bytes as f64 / 1e6, floor as f64 / 1e6);
        Self {
            what: what.to_owned(),
            ours: format!("{megabytes:.1} MB"),
            floor: format!("{floor:.1} MB"),
            ratio: megabytes / floor,
            limit,
        }
    }

    /// Whether the row is within its limit.
    pub(crate) fn is_ok(&self) -> bool {
        self.ratio <= self.limit
    }
}

/// Formats the rows as aligned columns.
pub(crate) fn table(rows: &[Row]) -> String {
    let width = rows
        .iter()
        .map(|row| row.what.len())
        .max()
        .unwrap_or_default();
    let mut text = String::new();
    let mut line = |cells: [&str; 6]| {
        let [what, ours, floor, ratio, limit, ok] = cells;
        writeln!(
            text,
            "{what:width$} | {ours:>10} | {floor:>10} | {ratio:>5} | {limit:>5} | {ok}"
        )
        .expect("writing to a string cannot fail");
    };
    line(["what", "ours", "floor", "ratio", "limit", "ok"]);
    for row in rows {
        let (ratio, limit) = (format!("{:.2}", row.ratio), format!("{:.2}", row.limit));
        let ok = if row.is_ok() { "yes" } else { "NO" };
        line([&row.what, &row.ours, &row.floor, &ratio, &limit, ok]);
    }
    text
}

fn milliseconds(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}

fn microseconds(time: Duration) -> String {
    format!("{:.2} us", time.as_secs_f64() * 1e6)
}
