//! Usage over time: a chart and its table.

use skillc_ops::stats::DayCount;

use super::chart::{self, Bar};
use super::markup::{Row, Table, counted, figure, folded, nothing, text};
use super::timeline::{Step, timeline};

/// Returns the chart and the table, with a column or row for each day or longer period. `since`: the start of the
/// requested time range.
pub(super) fn over_time(days: &[DayCount], since: Option<&str>) -> String {
    let found = timeline(days, since);
    let left_out = match found.left_out {
        0 => String::new(),
        count => {
            let accesses = counted(count, "access is", "accesses are");
            nothing(&format!(
                "{accesses} not shown: too old, or without a date."
            ))
        }
    };
    if found.columns.is_empty() {
        return nothing("No accesses were logged.") + left_out.as_str();
    }
    let (caption, head) = match found.step {
        Step::Day => ("Accesses by day", "Day"),
        Step::Week => ("Accesses by week", "Week from"),
        Step::Month => ("Accesses by month", "Month"),
        Step::Year => ("Accesses by year", "Year"),
    };
    let columns = found.columns.into_iter();
    let bars: Vec<Bar> = columns
        .map(|column| Bar {
            label: column.label,
            count: column.count,
            errors: column.errors,
        })
        .collect();
    let used = bars.iter().filter(|bar| bar.count > 0);
    let rows = used.map(|bar| Row {
        head: text(&bar.label),
        detail: String::new(),
        counts: vec![bar.count, bar.errors],
    });
    let table = Table {
        caption: &format!("{caption}, in UTC; periods without accesses are omitted"),
        columns: &[head, "Accesses", "Errors"],
        rows: rows.collect(),
        more: 0,
    };
    let has_errors = bars.iter().any(|bar| bar.errors > 0);
    let chart = figure(caption, &chart::columns(caption, &bars), has_errors);
    chart
        + left_out.as_str()
        + folded(
            &format!("Numbers: {}", caption.to_lowercase()),
            &table.html(),
        )
        .as_str()
}
