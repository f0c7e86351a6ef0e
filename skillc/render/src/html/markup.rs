//! Text as HTML has it, and the parts that every section of the page is made of.
//!
//! Names come from skills and logs, which anybody may have written: nothing of them reaches the page but through
//! [`text`].

use std::borrow::Cow;

use crate::clean;

/// The longest name on the page, in characters.
pub(super) const MAX_NAME: usize = 300;

/// Makes text safe between tags and in quoted attributes. What a terminal would obey is spelt out here too: marks that
/// turn the direction of what follows, and control characters, which HTML does not have.
pub(super) fn text(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len() + 8);
    for c in clean(raw).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

/// Marks up a name, whose direction says nothing about what stands beside it.
pub(super) fn name(raw: &str) -> String {
    format!("<bdi>{}</bdi>", text(&cut(raw, MAX_NAME)))
}

/// Cuts text to so many characters, of which the last then is an ellipsis.
pub(super) fn cut(raw: &str, most: usize) -> Cow<'_, str> {
    if raw.chars().nth(most).is_none() {
        return Cow::Borrowed(raw);
    }
    let kept = raw.chars().take(most.saturating_sub(1));
    Cow::Owned(kept.chain(['…']).collect())
}

/// Counts things in words: `1 error`, `2 errors`.
pub(super) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A row of a table.
pub(super) struct Row {
    /// What it is about, marked up.
    pub(super) head: String,
    /// More about it, marked up; empty for nothing.
    pub(super) detail: String,
    /// The numbers.
    pub(super) counts: Vec<u64>,
}

impl Row {
    /// Makes a row of a name and its count.
    pub(super) fn new(raw: &str, count: u64) -> Self {
        Self {
            head: name(raw),
            detail: String::new(),
            counts: vec![count],
        }
    }

    /// Adds what else is known, in this order; what is empty or missing is passed over.
    pub(super) fn with(mut self, details: &[Option<&str>]) -> Self {
        let given = details.iter().flatten().filter(|text| !text.is_empty());
        self.detail = given.map(|text| name(text)).collect::<Vec<_>>().join(" · ");
        self
    }
}

/// A table, of which the first rows are shown.
pub(super) struct Table<'a> {
    /// What it shows, marked up.
    pub(super) caption: &'a str,
    /// The heads of its columns: first that of the names, then those of the numbers.
    pub(super) columns: &'a [&'a str],
    /// The rows that are shown.
    pub(super) rows: Vec<Row>,
    /// How many there are besides.
    pub(super) more: usize,
}

impl Table<'_> {
    /// Returns the table as HTML.
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

/// Folds something away under a line that opens it.
pub(super) fn folded(summary: &str, content: &str) -> String {
    format!("<details>\n<summary>{summary}</summary>\n{content}</details>\n")
}

/// Frames a chart; with a key if failures are among it.
pub(super) fn figure(caption: &str, chart: &str, has_errors: bool) -> String {
    let key = if has_errors {
        " <span class=\"key\">succeeded</span> <span class=\"key failed\">failed</span>"
    } else {
        ""
    };
    format!("<figure>\n<figcaption>{caption}{key}</figcaption>\n{chart}</figure>\n")
}

/// Says that there is nothing, or no more.
pub(super) fn nothing(sentence: &str) -> String {
    format!("<p class=\"none\">{sentence}</p>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_leave_its_place() {
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
    fn long_names_are_cut_with_a_sign_of_it() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abcd", 3), "ab…");
        assert_eq!(name(&"x".repeat(1_000)).chars().count(), MAX_NAME + 11);
    }

    #[test]
    fn a_table_says_how_many_rows_it_leaves_out() {
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
