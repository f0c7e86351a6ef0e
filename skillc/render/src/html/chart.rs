//! Charts as inline SVG, laid out by `charts-rs`.
//!
//! A chart is drawn twice, for wide and for narrow pages, of which one is shown: text keeps its size.

use charts_rs::{BarChart, Box as Sides, Color, HorizontalBarChart, Series, TextConfig};

use super::markup::{MAX_NAME, cut, text};
use super::svg::{FAILED, INK, LINE, MUTED, Paint, USED, adapted};
use crate::clean;

/// Widths of a chart in pixels, with the class that shows it.
const SIZES: [(f32, &str); 2] = [(720.0, "wide"), (340.0, "narrow")];

/// How much larger columns are laid out than shown: the gap between them has a fixed size, too wide for many.
const ENLARGED: f32 = 4.0;

/// Height of a chart of columns, and of each row of one of bars, in pixels.
const COLUMNS_HEIGHT: f32 = 190.0;
const ROW_HEIGHT: f32 = 42.0;

/// Right of the longest bar, for its number.
const NUMBER_WIDTH: f32 = 64.0;

/// What a date takes below a column, with the space around it.
const DATE_WIDTH: f32 = 88.0;

/// Font sizes in pixels.
const LABEL: f32 = 13.0;
const SMALL: f32 = 12.0;

/// A bar or a column.
pub(super) struct Bar {
    pub(super) label: String,
    /// How many.
    pub(super) count: u64,
    /// Those of them that failed.
    pub(super) errors: u64,
}

/// Draws bars below each other, each under its label, the first at the top; empty if it cannot be drawn.
///
/// `about`: what the chart shows, for those who do not see it.
pub(super) fn bars(about: &str, bars: &[Bar]) -> String {
    let titles = || bars.iter().rev().map(title);
    let draw = |width: f32| {
        let rows = bars.len();
        let counts = bars.iter().rev().map(|bar| Some(drawn(bar.count)));
        let mut series = Series::new_nullable(String::new(), counts.collect());
        series.label_show = true;
        series.colors = Some(vec![Some(USED.color()); rows]);
        // Leaves the upper half of each row to its label.
        let room = Series::new_nullable(String::new(), vec![None; rows]);
        let mut chart = HorizontalBarChart::new(vec![room, series], vec![String::new(); rows]);
        chart.width = width;
        chart.height = ROW_HEIGHT * drawn(rows as u64);
        chart.margin = Sides {
            right: NUMBER_WIDTH,
            ..Sides::default()
        };
        chart.background_color = Color::transparent();
        chart.legend.show = Some(false);
        chart.y_axis_hidden = true;
        chart.x_axis.hidden = true;
        chart.grid.stroke_width = 0.0;
        chart.series.label.font = INK.font(SMALL);
        chart.y_axis_configs.truncate(1);
        for axis in &mut chart.y_axis_configs {
            axis.min = Some(0.0);
            axis.max = bars
                .iter()
                .map(|bar| drawn(bar.count.max(1)))
                .reduce(f32::max);
        }
        for (row, bar) in bars.iter().enumerate() {
            chart.texts.push(TextConfig {
                text: label(&bar.label, width),
                left: Some(0.0),
                top: Some(ROW_HEIGHT * drawn(row as u64) + 5.0),
                font: INK.font(LABEL),
                ..TextConfig::default()
            });
        }
        let height = chart.height;
        Some((chart.svg().ok()?, width, height))
    };
    both(about, draw, titles)
}

/// Draws columns beside each other, failures on top of the rest; empty if they cannot be drawn.
pub(super) fn columns(about: &str, columns: &[Bar]) -> String {
    // The layout goes through all of the lower parts first.
    let titles = || columns.iter().chain(columns).map(title);
    let draw = |width: f32| {
        let part = |paint: &Paint, count: fn(&Bar) -> u64| {
            let counts = columns.iter().map(|bar| Some(drawn(count(bar))));
            let mut series = Series::new_nullable(String::new(), counts.collect());
            series.stack = Some("all".to_owned());
            series.colors = Some(vec![Some(paint.color()); columns.len()]);
            series
        };
        let parts = vec![
            part(&USED, |bar| bar.count.saturating_sub(bar.errors)),
            part(&FAILED, |bar| bar.errors),
        ];
        let labels = spaced(columns, width);
        // Half of a date at the last column would be outside.
        let right = match labels.last() {
            Some(last) if !last.is_empty() => DATE_WIDTH / 2.0,
            _ => 0.0,
        };
        let mut chart = BarChart::new(parts, labels);
        chart.width = width * ENLARGED;
        chart.height = COLUMNS_HEIGHT * ENLARGED;
        chart.margin = Sides {
            top: 8.0 * ENLARGED,
            left: 2.0 * ENLARGED,
            right: right * ENLARGED,
            ..Sides::default()
        };
        chart.background_color = Color::transparent();
        chart.legend.show = Some(false);
        chart.grid.stroke_color = LINE.color();
        chart.grid.stroke_width = ENLARGED;
        chart.x_axis.font = MUTED.font(SMALL * ENLARGED);
        chart.x_axis.stroke_color = LINE.color();
        chart.x_axis.stroke_width = Some(ENLARGED);
        chart.x_axis.height = 26.0 * ENLARGED;
        chart.x_axis.name_gap = 7.0 * ENLARGED;
        let (top, steps) = scale(columns.iter().map(|bar| bar.count).max().unwrap_or(1));
        chart.y_axis_configs.truncate(1);
        for axis in &mut chart.y_axis_configs {
            axis.font = MUTED.font(SMALL * ENLARGED);
            axis.name_gap = 6.0 * ENLARGED;
            axis.min = Some(0.0);
            axis.max = Some(drawn(top));
            axis.split_number = steps;
        }
        Some((
            chart.svg().ok()?,
            width * ENLARGED,
            COLUMNS_HEIGHT * ENLARGED,
        ))
    };
    both(about, draw, titles)
}

/// Draws for both widths. `draw`: returns the drawing with its width and height. `titles`: what its bars say, in the order
/// of the drawing.
fn both<T: Iterator<Item = String>>(
    about: &str,
    draw: impl Fn(f32) -> Option<(String, f32, f32)>,
    titles: impl Fn() -> T,
) -> String {
    let drawn = SIZES.iter().filter_map(|(width, class)| {
        let (svg, width, height) = draw(*width)?;
        let open = format!(
            "<svg class=\"{class}\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\">",
            text(about)
        );
        Some(adapted(&svg, &open, titles()))
    });
    drawn.collect()
}

/// Says what a bar stands for.
fn title(bar: &Bar) -> String {
    let errors = match bar.errors {
        0 => String::new(),
        count => format!(", {count} failed"),
    };
    format!("{}: {}{errors}", cut(&bar.label, MAX_NAME), bar.count)
}

/// Returns a count as a length; as near as a drawing needs it.
#[expect(
    clippy::cast_precision_loss,
    reason = "a millionth of a bar is not seen"
)]
fn drawn(count: u64) -> f32 {
    count as f32
}

/// Cuts a label to what fits. Letters are taken to be as wide as they are on average, and twice that from Hangul on.
fn label(raw: &str, width: f32) -> String {
    let clean = clean(raw);
    let mut room = width;
    let fits = clean.chars().take_while(|c| {
        room -= if *c < '\u{1100}' { 7.0 } else { 14.0 };
        room > 0.0
    });
    cut(&clean, fits.count().max(1)).into_owned()
}

/// Returns the labels of columns, of which as many stay as there is room for; none at the very ends, unless the only column
/// that is not empty stands there: its date is what the chart is about.
fn spaced(columns: &[Bar], width: f32) -> Vec<String> {
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

/// Returns the top of a scale for numbers up to `most`, and into how many whole steps it is divided.
fn scale(most: u64) -> (u64, usize) {
    let mut unit = 1;
    loop {
        for step in [1, 2, 5].map(|digit| u64::saturating_mul(unit, digit)) {
            let steps = most.max(1).div_ceil(step);
            if let (true, Ok(count)) = (steps <= 4, usize::try_from(steps)) {
                return (steps.saturating_mul(step), count);
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
    fn scales_have_few_whole_steps() {
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
    fn labels_stay_apart_and_within_the_chart() {
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
    fn a_label_is_cut_to_its_room_and_cannot_turn_the_text_after_it() {
        assert_eq!(label("short", 340.0), "short");
        assert_eq!(label(&"x".repeat(100), 70.0).chars().count(), 9);
        assert_eq!(label(&"\u{4e2d}".repeat(100), 70.0).chars().count(), 4);
        assert_eq!(label("a\u{202e}b", 340.0), "a\\u{202e}b");
    }

    #[test]
    fn both_kinds_of_chart_are_drawn_for_both_widths() {
        let data = [bar("a", 3, 1), bar("b", 0, 0), bar("c", 1, 0)];
        for (chart, parts) in [(bars("about", &data), 2), (columns("about", &data), 3)] {
            assert_eq!(chart.matches("<svg ").count(), 2);
            assert_eq!(chart.matches("<rect ").count(), 2 * parts, "{chart}");
            assert_eq!(chart.matches("aria-label=\"about\"").count(), 2);
        }
    }
}
