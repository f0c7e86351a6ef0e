//! HTML escaping, and the building blocks of the page's sections.
//!
//! Names come from skills and logs, and are untrusted. Therefore each name reaches the page only through [`text`].

use std::borrow::Cow;

use crate::clean;

/// The maximum length of a name on the page, in characters.
pub(super) const MAX_NAME: usize = 300;

/// Escapes text for element content and quoted attributes. Also escapes bidirectional controls and control characters,
/// as in output for a terminal. HTML does not allow control characters.
pub(super) fn text(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len() + 8);
    // CI runners execute commands that begin with `##[` or `##vso[` anywhere in a line of output.
    let has_marks = raw.contains("##");
    for c in clean(raw).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '[' if has_marks => out.push_str("&#91;"),
            _ => out.push(c),
        }
    }
    out
}

/// Marks up a name, isolating its text direction from its surroundings.
pub(super) fn name(raw: &str) -> String {
    format!("<bdi>{}</bdi>", text(&cut(raw, MAX_NAME)))
}

/// Truncates text to `most` characters, including the ellipsis.
pub(super) fn cut(raw: &str, most: usize) -> Cow<'_, str> {
    if raw.chars().nth(most).is_none() {
        return Cow::Borrowed(raw);
    }
    let kept = raw.chars().take(most.saturating_sub(1));
    Cow::Owned(kept.chain(['…']).collect())
}

/// Formats a count with its noun, such as `1 error` and `2 errors`.
pub(super) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

pub(super) struct Row {
    /// The row's label, as HTML.
    pub(super) head: String,
    /// Additional details, as HTML; empty if there are none.
    pub(super) detail: String,
    pub(super) counts: Vec<u64>,
}

impl Row {
    /// Creates a row from a name and its count.
    pub(super) fn new(raw: &str, count: u64) -> Self {
        Self {
            head: name(raw),
            detail: String::new(),
            counts: vec![count],
        }
    }

    /// Adds the details in the given order, skipping empty and missing details.
    pub(super) fn with(mut self, details: &[Option<&str>]) -> Self {
        let given = details.iter().flatten().filter(|text| !text.is_empty());
        self.detail = given.map(|text| name(text)).collect::<Vec<_>>().join(" · ");
        self
    }
}

/// A table, possibly truncated.
pub(super) struct Table<'a> {
    /// The caption, as HTML.
    pub(super) caption: &'a str,
    /// The column headings: first that of the names, then those of the numbers.
    pub(super) columns: &'a [&'a str],
    /// The visible rows.
    pub(super) rows: Vec<Row>,
    /// The number of rows that are not shown.
    pub(super) more: usize,
}

impl Table<'_> {
    pub(super) fn html(&self) -> String {
        let heads = self.columns.iter().enumerate().map(|(at, head)| {
            let class = if at > 0 { " class=\"number\"" } else { "" };
            format!("<th scope=\"col\"{class}>{head}</th>")
        });
        let mut out = format!(
            "<table>\n<caption>{}</caption>\n<thead><tr>{}</tr></thead>\n<tbody>\n",
            self.caption,
            heads.collect::<String>()
        );
        for row in &self.rows {
            let detail = if row.detail.is_empty() {
                String::new()
            } else {
                format!("<span class=\"detail\">{}</span>", row.detail)
            };
            let number = |count: &u64| format!("<td class=\"number\">{count}</td>");
            let (head, counts) = (&row.head, row.counts.iter().map(number));
            let counts: String = counts.collect();
            out.push_str(&format!(
                "<tr><th scope=\"row\">{head}{detail}</th>{counts}</tr>\n"
            ));
        }
        out.push_str("</tbody>\n");
        if self.more > 0 {
            out.push_str(&format!(
                "<tfoot><tr><td colspan=\"{}\">and {} more</td></tr></tfoot>\n",
                self.columns.len(),
                self.more
            ));
        }
        out + "</table>\n"
    }
}

/// Returns a collapsible block.
pub(super) fn folded(summary: &str, content: &str) -> String {
    format!("<details>\n<summary>{summary}</summary>\n{content}</details>\n")
}

/// Wraps a chart in a figure, with a legend if there are failures.
pub(super) fn figure(caption: &str, chart: &str, has_errors: bool) -> String {
    let key = if has_errors {
        " <span class=\"key\">succeeded</span> <span class=\"key failed\">failed</span>"
    } else {
        ""
    };
    format!("<figure>\n<figcaption>{caption}{key}</figcaption>\n{chart}</figure>\n")
}

/// Returns a note that a section is empty, or incomplete.
pub(super) fn nothing(sentence: &str) -> String {
    format!("<p class=\"none\">{sentence}</p>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_inject_markup() {
        assert_eq!(
            text("</svg><script a='b' c=\"d\">&"),
            "&lt;/svg&gt;&lt;script a=&#39;b&#39; c=&quot;d&quot;&gt;&amp;"
        );
        assert_eq!(
            text("a\u{202e}b\u{2069}c\u{0}"),
            "a\\u{202e}b\\u{2069}c\\u{0}"
        );
        assert_eq!(text("مرحبا 🎉 中文"), "مرحبا 🎉 中文");
    }

    #[test]
    fn long_names_are_truncated_with_an_ellipsis() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abcd", 3), "ab…");
        assert_eq!(name(&"x".repeat(1_000)).chars().count(), MAX_NAME + 11);
    }

    #[test]
    fn a_table_counts_the_rows_it_omits() {
        let table = Table {
            caption: "Some",
            columns: &["Name", "Times"],
            rows: vec![Row::new("a<b", 2).with(&[None, Some("c.md"), Some("")])],
            more: 7,
        };
        let html = table.html();
        assert!(html.contains(
            "<tr><th scope=\"row\"><bdi>a&lt;b</bdi><span class=\"detail\"><bdi>c.md</bdi></span></th><td class=\"number\">2</td></tr>"
        ));
        assert!(html.contains("<td colspan=\"2\">and 7 more</td>"));
    }
}
