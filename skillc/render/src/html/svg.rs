//! What a layout returns, made to follow the page.
//!
//! Colours become variables of the style sheet, so that light and dark are one drawing; fonts are the page's; each bar
//! says its numbers to a pointer.

use charts_rs::{Color, FontConfig};

use super::markup::text;

/// Stand-ins for the colours of the style sheet.
pub(super) const INK: Paint = Paint((1, 1, 1), "var(--ink)");
pub(super) const MUTED: Paint = Paint((2, 2, 2), "var(--muted)");
pub(super) const LINE: Paint = Paint((3, 3, 3), "var(--line)");
pub(super) const USED: Paint = Paint((4, 4, 4), "var(--used)");
pub(super) const FAILED: Paint = Paint((5, 5, 5), "var(--failed)");

/// A colour for the layout, and what stands in its place on the page.
pub(super) struct Paint((u8, u8, u8), &'static str);

impl Paint {
    const ALL: [Self; 5] = [INK, MUTED, LINE, USED, FAILED];

    pub(super) fn color(&self) -> Color {
        self.0.into()
    }

    pub(super) fn font(&self, size: f32) -> FontConfig {
        FontConfig {
            size,
            color: self.color(),
            weight: None,
        }
    }
}

/// Goes through a drawing tag by tag. Text between tags, which is escaped, stays as it is.
pub(super) fn adapted(svg: &str, open: &str, mut titles: impl Iterator<Item = String>) -> String {
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
    let (name, rest) = tag.split_at(tag.find(' ').unwrap_or(tag.len()));
    let mut out = name.to_owned();
    let mut parts = rest.split('"');
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_drawn_follows_the_page() {
        let svg = "<svg width=\"9\" xmlns=\"x\">\n<g stroke=\"#030303\">\n<line x1=\"0\"/>\n</g>\n\
            <rect x=\"0\" height=\"3\" fill=\"#040404\" data-category=\"a &gt; b\"/>\n\
            <rect height=\"0\" fill=\"#050505\"/>\n\
            <text font-family=\"Roboto\" fill=\"#010101\">\nfill=\"#040404\" &lt;b&gt;\n</text>\n</svg>";
        let titles = ["one < two", "nothing"].map(str::to_owned).into_iter();
        assert_eq!(
            adapted(svg, "<svg class=\"wide\">", titles),
            "<svg class=\"wide\"><g stroke=\"var(--line)\"><line x1=\"0\"/>\n</g>\n\
             <rect x=\"0\" height=\"3\" fill=\"var(--used)\"><title>one &lt; two</title></rect>\n\
             <text fill=\"var(--ink)\">fill=\"#040404\" &lt;b&gt;</text>\n</svg>\n"
        );
    }
}
