//! Groups days into columns for a chart. Each column is a day, a week, a month or a year, so that all columns fit.

use skillc_core::time::Timestamp;
use skillc_ops::stats::DayCount;

/// The maximum number of columns in a chart.
const MAX_COLUMNS: usize = 62;

/// The minimum number of days in a chart, so that a single day does not fill the chart.
const MIN_DAYS: i64 = 14;

const SECONDS: i64 = 86_400;

/// The kind of period that a column covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Day,
    /// A week, starting on Monday.
    Week,
    Month,
    Year,
}

/// Usage over time.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Timeline {
    pub(super) step: Step,
    /// All periods of the chart, oldest first, including empty periods.
    pub(super) columns: Vec<Column>,
    /// The number of accesses that are in no column: accesses before the first column, or with an invalid date.
    pub(super) left_out: u64,
}

/// One period.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Column {
    /// The first day of the period, the month or the year: `2026-01-31`, `2026-01` or `2026`.
    pub(super) label: String,
    pub(super) count: u64,
    /// The number of failed accesses, included in `count`.
    pub(super) errors: u64,
}

impl Step {
    const ALL: [Self; 4] = [Self::Day, Self::Week, Self::Month, Self::Year];

    /// Numbers the periods consecutively, and returns the number of the period that contains a day. `day`: the number
    /// of days since 1970-01-01.
    fn number(self, day: i64) -> i64 {
        let part = |from, to| -> i64 {
            let date = date(day);
            date.get(from..to)
                .and_then(|text| text.parse().ok())
                .unwrap_or_default()
        };
        match self {
            Self::Day => day,
            // 1970-01-01 was a Thursday.
            Self::Week => (day + 3).div_euclid(7),
            Self::Month => part(0, 4) * 12 + part(5, 7) - 1,
            Self::Year => part(0, 4),
        }
    }

    fn label(self, number: i64) -> String {
        match self {
            Self::Day => date(number),
            Self::Week => date(number * 7 - 3),
            Self::Month => format!(
                "{:04}-{:02}",
                number.div_euclid(12),
                number.rem_euclid(12) + 1
            ),
            Self::Year => format!("{number:04}"),
        }
    }
}

/// Groups days into columns. `since`: the start of the requested time range.
pub(super) fn timeline(days: &[DayCount], since: Option<&str>) -> Timeline {
    let dated: Vec<(i64, &DayCount)> = days
        .iter()
        .filter_map(|day| Some((number_of(&day.date)?, day)))
        .collect();
    let all: u64 = days.iter().map(|day| day.count).sum();
    let ends = (dated.first(), dated.last());
    let (Some(&(first, _)), Some(&(last, _))) = ends else {
        return Timeline {
            step: Step::Day,
            columns: Vec::new(),
            left_out: all,
        };
    };
    let earliest = since.and_then(|time| number_of(time.get(..10)?));
    let wide = first.min((last - MIN_DAYS + 1).max(earliest.unwrap_or(i64::MIN)));
    let length = |step: Step| usize::try_from(step.number(last) - step.number(wide) + 1);
    let fits = |step: &Step| length(*step).is_ok_and(|length| length <= MAX_COLUMNS);
    let step = Step::ALL.into_iter().find(fits).unwrap_or(Step::Year);
    let length = length(step).map_or(MAX_COLUMNS, |length| length.min(MAX_COLUMNS));
    let end = step.number(last);
    let begin = end - i64::try_from(length).unwrap_or(1) + 1;
    let mut columns: Vec<Column> = (begin..=end)
        .map(|number| Column {
            label: step.label(number),
            count: 0,
            errors: 0,
        })
        .collect();
    for (number, day) in dated {
        let at = usize::try_from(step.number(number) - begin).ok();
        if let Some(column) = at.and_then(|at| columns.get_mut(at)) {
            column.count += day.count;
            column.errors += day.error_count;
        }
    }
    let shown: u64 = columns.iter().map(|column| column.count).sum();
    Timeline {
        step,
        columns,
        left_out: all.saturating_sub(shown),
    }
}

/// Returns the number of days since 1970-01-01; `None` for an invalid date.
fn number_of(date: &str) -> Option<i64> {
    Timestamp::parse(date).map(|time| time.0.div_euclid(SECONDS))
}

/// Formats a day, such as `2026-01-31`. `number`: the number of days since 1970-01-01.
fn date(number: i64) -> String {
    let mut text = Timestamp(number.saturating_mul(SECONDS)).to_string();
    text.truncate(10);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(date: &str, count: u64, error_count: u64) -> DayCount {
        DayCount {
            date: date.to_owned(),
            count,
            error_count,
        }
    }

    fn labels(timeline: &Timeline) -> Vec<&str> {
        let labels = timeline.columns.iter();
        labels.map(|column| column.label.as_str()).collect()
    }

    #[test]
    fn unused_days_have_a_column() {
        let found = timeline(
            &[day("2024-02-28", 2, 1), day("2024-03-01", 3, 0)],
            Some("2024-02-28T00:00:00Z"),
        );
        assert_eq!(found.step, Step::Day);
        assert_eq!(labels(&found), ["2024-02-28", "2024-02-29", "2024-03-01"]);
        let counts = found.columns.iter().map(|c| (c.count, c.errors));
        assert_eq!(counts.collect::<Vec<_>>(), [(2, 1), (0, 0), (3, 0)]);
    }

    #[test]
    fn a_single_day_is_at_the_end_of_two_weeks() {
        let found = timeline(&[day("2026-01-31", 1, 0)], None);
        assert_eq!(found.columns.len(), 14);
        assert_eq!(labels(&found)[0], "2026-01-18");
        assert_eq!(found.columns[13].count, 1);
    }

    #[test]
    fn longer_ranges_have_longer_steps() {
        for (first, step, columns, label) in [
            ("2025-12-01", Step::Day, 62, "2025-12-01"),
            ("2025-11-30", Step::Week, 10, "2025-11-24"),
            ("2024-01-31", Step::Month, 25, "2024-01"),
            ("1970-01-01", Step::Year, 57, "1970"),
        ] {
            let found = timeline(&[day(first, 1, 0), day("2026-01-31", 1, 0)], None);
            let seen = (found.step, found.columns.len(), labels(&found)[0]);
            assert_eq!(seen, (step, columns, label));
            assert_eq!(found.left_out, 0);
        }
    }

    #[test]
    fn old_and_invalid_dates_are_counted_as_omitted() {
        let days = [
            day("0001-01-01", 5, 0),
            day("2026-01-31", 1, 0),
            day("2026-99-99", 7, 0),
        ];
        let found = timeline(&days, None);
        assert_eq!((found.columns.len(), found.left_out), (MAX_COLUMNS, 12));
        assert_eq!(timeline(&days[2..], None).left_out, 7);
    }
}
