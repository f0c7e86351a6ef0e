//! Charts as inline SVG.
//!
//! Each chart is drawn twice, for wide and for narrow pages, and CSS shows one of the two drawings, so that text is not
//! scaled. Colours are CSS variables, so that one drawing serves light and dark mode. Hovering over a bar shows its
//! numbers.

use std::fmt::Write;

use super::markup::{MAX_NAME, cut, text};
use crate::clean;

/// The two widths of a chart in pixels, each with the CSS class of the drawing with this width.
const SIZES: [(f64, &str); 2] = [(720.0, "wide"), (340.0, "narrow")];

/// The dimensions of a row of a bar chart, in pixels. A row is a label with a bar below it.
const ROW_HEIGHT: f64 = 42.0;
const LABEL_BASELINE: f64 = 16.0;
const BAR_TOP: f64 = 23.0;
const BAR_HEIGHT: f64 = 14.0;

/// The width reserved for the number to the right of the longest bar.
const NUMBER_WIDTH: f64 = 64.0;

/// The height of a column chart, and the margins above and below the columns.
const COLUMNS_HEIGHT: f64 = 190.0;
const ABOVE: f64 = 14.0;
const BELOW: f64 = 26.0;

/// The maximum width of a column, and the share of its slot that a column fills.
const MAX_COLUMN: f64 = 48.0;
const COLUMN_SHARE: f64 = 0.75;

/// The width of a date label, with padding.
const DATE_WIDTH: f64 = 88.0;

const DIGIT_WIDTH: f64 = 7.0;

/// A bar or a column.
pub(super) struct Bar {
    pub(super) label: String,
    /// The total count.
    pub(super) count: u64,
    /// The number of failures, included in `count`.
    pub(super) errors: u64,
}

/// Draws horizontal bars from top to bottom, each below its label.
///
/// `about`: the text alternative for screen readers.
pub(super) fn bars(about: &str, bars: &[Bar]) -> String {
    let most = bars.iter().map(|bar| bar.count).max().unwrap_or(0).max(1);
    let height = ROW_HEIGHT * drawn(bars.len() as u64);
    both(about, height, |svg, width| {
        let unit = (width - NUMBER_WIDTH) / drawn(most);
        let mut top = 0.0;
        for bar in bars {
            let length = unit * drawn(bar.count);
            let name = label(&bar.label, width);
            svg.text((0.0, top + LABEL_BASELINE), Style::Label, &name);
            let at = (0.0, top + BAR_TOP);
            svg.rect(at, (length, BAR_HEIGHT), "used", &title(bar));
            let at = (length + 6.0, top + BAR_TOP + BAR_HEIGHT - 3.0);
            svg.text(at, Style::Number, &bar.count.to_string());
            top += ROW_HEIGHT;
        }
    })
}

/// Draws vertical columns, with failures stacked on top.
pub(super) fn columns(about: &str, columns: &[Bar]) -> String {
    let (top, steps) = scale(columns.iter().map(|bar| bar.count).max().unwrap_or(1));
    both(about, COLUMNS_HEIGHT, |svg, width| {
        let labels = spaced(columns, width);
        // Make room for half a date label to the right of the last column.
        let right = match labels.last() {
            Some(last) if !last.is_empty() => DATE_WIDTH / 2.0,
            _ => 0.0,
        };
        let left = DIGIT_WIDTH * drawn(top.to_string().len() as u64) + 10.0;
        let bottom = COLUMNS_HEIGHT - BELOW;
        let unit = (bottom - ABOVE) / drawn(top);
        for step in 0..=steps {
            let value = top / steps * step;
            let y = bottom - unit * drawn(value);
            svg.line((left, y), width);
            svg.text((left - 6.0, y + 4.0), Style::Scale, &value.to_string());
        }
        let room = (width - left - right) / drawn(columns.len() as u64);
        let thickness = (room * COLUMN_SHARE).min(MAX_COLUMN);
        let mut middle = left + room / 2.0;
        for (bar, label) in columns.iter().zip(&labels) {
            let mut y = bottom;
            let succeeded = bar.count.saturating_sub(bar.errors);
            for (count, color) in [(succeeded, "used"), (bar.errors, "failed")] {
                let height = unit * drawn(count);
                y -= height;
                let at = (middle - thickness / 2.0, y);
                svg.rect(at, (thickness, height), color, &title(bar));
            }
            if !label.is_empty() {
                svg.text((middle, bottom + 18.0), Style::Date, label);
            }
            middle += room;
        }
    })
}

/// Draws the chart in both widths.
fn both(about: &str, height: f64, draw: impl Fn(&mut Svg, f64)) -> String {
    let drawn = SIZES.iter().map(|(width, class)| {
        let mut svg = Svg(format!(
            "<svg class=\"{class}\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\">\n",
            text(about)
        ));
        draw(&mut svg, *width);
        svg.0 + "</svg>\n"
    });
    drawn.collect()
}

/// The role of a label in a chart; CSS defines its look.
#[derive(Clone, Copy)]
enum Style {
    Label,
    Number,
    Scale,
    Date,
}

/// An SVG under construction.
struct Svg(String);

impl Svg {
    /// Adds a rectangle with a tooltip, unless it would be invisible.
    fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), color: &str, title: &str) {
        if width > 0.0 && height > 0.0 {
            self.add(format_args!(
                "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"var(--{color})\">\
                 <title>{}</title></rect>",
                text(title)
            ));
        }
    }

    /// Adds a horizontal line from a point to the right. `end`: the x coordinate of the line's right end.
    fn line(&mut self, (x, y): (f64, f64), end: f64) {
        self.add(format_args!(
            "<line x1=\"{x:.2}\" y1=\"{y:.2}\" x2=\"{end:.2}\" y2=\"{y:.2}\" stroke=\"var(--line)\"/>"
        ));
    }

    /// Adds text. `y`: the baseline of the text.
    fn text(&mut self, (x, y): (f64, f64), style: Style, words: &str) {
        let (class, anchor) = match style {
            Style::Label => ("label", "start"),
            Style::Number => ("value", "start"),
            Style::Scale => ("scale", "end"),
            Style::Date => ("scale", "middle"),
        };
        self.add(format_args!(
            "<text class=\"{class}\" x=\"{x:.2}\" y=\"{y:.2}\" text-anchor=\"{anchor}\">{}</text>",
            text(words)
        ));
    }

    fn add(&mut self, tag: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{tag}");
    }
}

/// Returns the tooltip of a bar.
fn title(bar: &Bar) -> String {
    let errors = match bar.errors {
        0 => String::new(),
        count => format!(", {count} failed"),
    };
    format!("{}: {}{errors}", cut(&bar.label, MAX_NAME), bar.count)
}

/// Converts a count to a length; precise enough for drawing.
#[expect(
    clippy::cast_precision_loss,
    reason = "the rounding error is below a pixel"
)]
fn drawn(count: u64) -> f64 {
    count as f64
}

/// Truncates a label to fit into a width. The width of the label is estimated: an average width for each letter, and
/// double this width for characters from U+1100 on.
fn label(raw: &str, width: f64) -> String {
    let clean = clean(raw);
    let mut room = width;
    let fits = clean.chars().take_while(|c| {
        room -= if *c < '\u{1100}' { 7.0 } else { 14.0 };
        room > 0.0
    });
    cut(&clean, fits.count().max(1)).into_owned()
}

/// Returns a label for each column; labels that do not fit are empty. If not all labels fit, the outermost columns have
/// no label. If only one column has data, this column always has its label.
fn spaced(columns: &[Bar], width: f64) -> Vec<String> {
    let mut room = width;
    let labels = std::iter::from_fn(|| {
        room -= DATE_WIDTH;
        (room > 0.0).then_some(())
    });
    let stride = columns.len().div_ceil(labels.count().max(1)).max(1);
    let mut used = columns.iter().enumerate().filter(|(_, bar)| bar.count > 0);
    let only = match (used.next(), used.next()) {
        (Some((at, _)), None) => Some(at),
        _ => None,
    };
    let first = only.map_or(stride / 2, |at| at % stride);
    let label = |(at, bar): (usize, &Bar)| {
        let is_inside = 10 * (columns.len() - at) >= 4 * stride + 5 && (at > 0 || stride == 1);
        if only == Some(at) || at % stride == first && is_inside {
            bar.label.clone()
        } else {
            String::new()
        }
    };
    columns.iter().enumerate().map(label).collect()
}

/// Returns the top of the scale for numbers up to `most`, and the number of integer steps from 0 to the top.
fn scale(most: u64) -> (u64, u64) {
    let mut unit = 1;
    loop {
        for step in [1, 2, 5].map(|digit| u64::saturating_mul(unit, digit)) {
            let steps = most.max(1).div_ceil(step);
            if steps <= 4 {
                return (steps.saturating_mul(step), steps);
            }
        }
        unit = u64::saturating_mul(unit, 10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(label: &str, count: u64, errors: u64) -> Bar {
        Bar {
            label: label.to_owned(),
            count,
            errors,
        }
    }

    #[test]
    fn scales_have_a_few_integer_steps() {
        for (most, top, steps) in [
            (0, 1, 1),
            (1, 1, 1),
            (4, 4, 4),
            (5, 6, 3),
            (9, 10, 2),
            (17, 20, 4),
            (77, 80, 4),
            (1_000_001, 1_500_000, 3),
        ] {
            assert_eq!(scale(most), (top, steps), "{most}");
        }
        assert_eq!(scale(u64::MAX).0, u64::MAX);
    }

    #[test]
    fn labels_do_not_overlap_and_stay_within_the_chart() {
        for (count, width, shown) in [
            (3, 720.0, 3),
            (30, 720.0, 7),
            (47, 720.0, 7),
            (30, 340.0, 3),
        ] {
            let columns: Vec<Bar> = (0..count)
                .map(|at| bar(&format!("day {at}"), 1, 0))
                .collect();
            let labels = spaced(&columns, width);
            let found: Vec<usize> = (0..count).filter(|at| !labels[*at].is_empty()).collect();
            assert_eq!(found.len(), shown, "{count} {width}: {labels:?}");
            let room = width / drawn(count as u64);
            for pair in found.windows(2) {
                assert!(
                    room * drawn((pair[1] - pair[0]) as u64) >= DATE_WIDTH * 0.9,
                    "{labels:?}"
                );
            }
        }
        assert!(spaced(&[], 720.0).is_empty());
    }

    #[test]
    fn the_only_day_with_data_has_its_label() {
        for (at, width) in [(13, 720.0), (13, 340.0), (0, 340.0), (5, 340.0)] {
            let mut columns: Vec<Bar> = (0..14).map(|day| bar(&day.to_string(), 0, 0)).collect();
            columns[at].count = 3;
            let labels = spaced(&columns, width);
            assert_eq!(labels[at], at.to_string(), "{labels:?}");
        }
    }

    #[test]
    fn a_label_is_truncated_and_cannot_reverse_the_text_after_it() {
        assert_eq!(label("short", 340.0), "short");
        assert_eq!(label(&"x".repeat(100), 70.0).chars().count(), 9);
        assert_eq!(label(&"\u{4e2d}".repeat(100), 70.0).chars().count(), 4);
        assert_eq!(label("a\u{202e}b", 340.0), "a\\u{202e}b");
    }

    #[test]
    fn both_kinds_of_chart_are_rendered_for_both_widths() {
        let data = [bar("a", 3, 1), bar("b", 0, 0), bar("c", 1, 0)];
        for (chart, parts) in [(bars("about", &data), 2), (columns("about", &data), 3)] {
            assert_eq!(chart.matches("<svg ").count(), 2);
            assert_eq!(chart.matches("<rect ").count(), 2 * parts, "{chart}");
            assert_eq!(chart.matches("aria-label=\"about\"").count(), 2);
        }
    }
}
