//! Charts as inline SVG: `charts-rs` lays them out, and what it returns is made to follow the page.
//!
//! Colours become variables of the style sheet, so that light and dark are one drawing; fonts are the page's; each bar
//! says its numbers to a pointer. A chart is drawn twice, for wide and for narrow pages, of which one is shown.

use charts_rs::{
    BarChart, Box as Sides, Color, FontConfig, HorizontalBarChart, Series, TextConfig,
};

use super::markup::{MAX_NAME, cut, text};
use crate::clean;

/// Stand-ins for the colours of the style sheet.
const INK: Paint = Paint((1, 1, 1), "var(--ink)");
const MUTED: Paint = Paint((2, 2, 2), "var(--muted)");
const LINE: Paint = Paint((3, 3, 3), "var(--line)");
const USED: Paint = Paint((4, 4, 4), "var(--used)");
const FAILED: Paint = Paint((5, 5, 5), "var(--failed)");

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

/// A colour for the layout, and what stands in its place on the page.
struct Paint((u8, u8, u8), &'static str);

impl Paint {
    const ALL: [Self; 5] = [INK, MUTED, LINE, USED, FAILED];

    fn color(&self) -> Color {
        self.0.into()
    }

    fn font(&self, size: f32) -> FontConfig {
        FontConfig {
            size,
            color: self.color(),
            weight: None,
        }
    }
}

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
        let mut chart = BarChart::new(parts, spaced(columns, width));
        chart.width = width * ENLARGED;
        chart.height = COLUMNS_HEIGHT * ENLARGED;
        chart.margin = Sides {
            top: 8.0 * ENLARGED,
            left: 2.0 * ENLARGED,
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

/// Returns the labels of columns, of which as many stay as there is room for; none at the very ends.
fn spaced(columns: &[Bar], width: f32) -> Vec<String> {
    let mut room = width;
    let labels = std::iter::from_fn(|| {
        room -= DATE_WIDTH;
        (room > 0.0).then_some(())
    });
    let stride = columns.len().div_ceil(labels.count().max(1)).max(1);
    let label = |(at, bar): (usize, &Bar)| {
        let is_shown = at % stride == stride / 2;
        if is_shown {
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

/// Goes through a drawing tag by tag. Text between tags, which is escaped, stays as it is.
fn adapted(svg: &str, open: &str, mut titles: impl Iterator<Item = String>) -> String {
    let mut out = String::with_capacity(svg.len());
    for piece in svg.split_inclusive('>') {
        let (between, tag) = piece.split_once('<').unwrap_or((piece, ""));
        out.push_str(between.trim_matches('\n'));
        let inner = tag.trim_end_matches(['>', '/']);
        match inner.split([' ', '\n']).next().unwrap_or_default() {
            "" => {}
            "svg" => out.push_str(open),
            "rect" => {
                let title = text(&titles.next().unwrap_or_default());
                if !is_flat(inner) {
                    let tag = attributes(inner);
                    out.push_str(&format!("<{tag}><title>{title}</title></rect>\n"));
                }
            }
            _ => {
                let end = &tag[inner.len()..];
                out.push_str(&format!("<{}{end}", attributes(inner)));
                out.push_str(if end == "/>" || inner.starts_with('/') {
                    "\n"
                } else {
                    ""
                });
            }
        }
    }
    out
}

/// Says whether there is nothing to see of a bar.
fn is_flat(tag: &str) -> bool {
    [" width=\"0\"", " height=\"0\""]
        .iter()
        .any(|side| tag.contains(side))
}

/// Rewrites a tag: colours by variables, without fonts and without the data of the layout.
fn attributes(tag: &str) -> String {
    let mut out = String::with_capacity(tag.len());
    let mut parts = tag.split('"');
    while let Some(before) = parts.next() {
        let Some(value) = parts.next() else {
            out.push_str(before);
            break;
        };
        let name = before
            .trim_end_matches('=')
            .rsplit(' ')
            .next()
            .unwrap_or_default();
        if name.starts_with("data-") || name == "font-family" {
            continue;
        }
        let paint = Paint::ALL.iter().find(|paint| paint.color().hex() == value);
        let value = paint.map_or(value, |paint| paint.1);
        out.push_str(&format!("{before}\"{value}\""));
    }
    out
}
