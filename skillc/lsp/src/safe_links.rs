//! Makes Markdown from the authors of scripts safe: removes everything that an editor would load or run, namely images,
//! raw HTML, and links whose scheme is not `https` but, for example, `command:` or `file:`.

use skillc_core::{Document, LinkKind, RelPath, Span};

/// The maximum number of passes. Removing a link can turn the text around it into a link.
const MAX_PASSES: usize = 4;

/// Characters that have no meaning in Markdown, like `^` outside of footnotes.
const PLAIN: [char; 3] = ['%', '{', '}'];

/// Removes images, and links whose scheme is not `https`, from Markdown, but keeps their visible parts. Escapes HTML,
/// so that it is shown as text.
pub(crate) fn with_safe_links(text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..MAX_PASSES {
        let Some(document) = parsed(&text) else {
            break;
        };
        let edits = edits(&document);
        if edits.is_empty() {
            return text;
        }
        text = edited(&text, &edits);
    }
    text.retain(|c| !matches!(c, '[' | ']' | '<'));
    text
}

/// Parses text; `None` if it has so much markup that the parser does not read all of it.
///
/// Not every editor supports footnotes: in an editor without them, `![^a]` is an image that `[^a]: https://b` defines.
/// Therefore each `^` is replaced with a character that does not occur in the text and does not introduce a footnote.
/// Returns `None` if there is no such character.
fn parsed(text: &str) -> Option<Document> {
    let path = RelPath::parse("page.md").ok()?;
    let without_footnotes = if text.contains('^') {
        let unused = PLAIN.into_iter().find(|sign| !text.contains(*sign))?;
        text.replace('^', unused.encode_utf8(&mut [0; 4]))
    } else {
        text.to_owned()
    };
    let document = Document::parse(path, without_footnotes.into_bytes());
    let is_read = document.markup_end == text.len() && document.body_start == 0;
    is_read.then_some(document)
}

/// Returns the parts of a page to replace, each with its replacement, sorted by position.
fn edits(document: &Document) -> Vec<(Span, &'static str)> {
    let mut edits = Vec::new();
    for link in &document.links {
        if link.kind == LinkKind::Image || !is_https(&link.dest) {
            let (whole, label) = (link.span, link.label_span);
            edits.push((Span::new(whole.start, label.start), ""));
            edits.push((Span::new(label.end, whole.end), ""));
        }
    }
    for html in document.html_blocks.iter().chain(&document.inline_html) {
        let text = document.text.get(html.start..html.end);
        let signs = text.unwrap_or_default().match_indices('<');
        edits.extend(signs.map(|(at, sign)| {
            let start = html.start + at;
            (Span::new(start, start + sign.len()), "&lt;")
        }));
    }
    edits.sort_unstable_by_key(|(span, _)| span.start);
    edits
}

fn is_https(dest: &str) -> bool {
    const SCHEME: &str = "https://";
    let start = dest.get(..SCHEME.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(SCHEME))
}

/// Applies the edits. An edit inside the previous one is left out.
fn edited(text: &str, edits: &[(Span, &str)]) -> String {
    let (mut new, mut end) = (String::with_capacity(text.len()), 0);
    for (span, by) in edits {
        if span.start < end {
            continue;
        }
        new += text.get(end..span.start).unwrap_or_default();
        new += by;
        end = span.end;
    }
    new += text.get(end..).unwrap_or_default();
    new
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_links_to_https_stay() {
        for (page, shown) in [
            ("a [b](https://c.d) e", "a [b](https://c.d) e"),
            ("[b](HTTPS://c.d)", "[b](HTTPS://c.d)"),
            ("<https://c.d>", "<https://c.d>"),
            ("a [b](command:run?x) e", "a b e"),
            ("a [b](http://c.d) e", "a b e"),
            ("[b](file:///etc/passwd)", "b"),
            ("[b](other.md)", "b"),
            ("<command:x>", "command:x"),
            ("![b](https://c.d/e.png)", "b"),
            ("[![b](https://c.d/e.png)](command:x)", "b"),
            ("[![b](c.png)](https://c.d)", "[b](https://c.d)"),
            ("`[b](command:x)`", "`[b](command:x)`"),
            ("a <img src=x> b", "a &lt;img src=x> b"),
            // Removing the image would create a link.
            ("[a]![](i)(command:x)", "a"),
        ] {
            assert_eq!(with_safe_links(page), shown, "{page}");
        }
        let by_label = with_safe_links("[b][c]\n\n[c]: command:x\n");
        assert!(by_label.starts_with("b\n"), "{by_label}");
    }

    /// An editor without support for footnotes shows these as images and links.
    #[test]
    fn footnotes_are_no_way_to_make_images_and_links() {
        for (page, shown) in [
            ("![^a]\n\n[^a]: https://c.d/e.png\n", "^a\n"),
            ("b [^a]\n\n[^a]: command:x\n", "b ^a\n"),
            ("b [c][^a]\n\n[^a]: command:x\n", "b c\n"),
        ] {
            let safe = with_safe_links(page);
            assert!(safe.starts_with(shown), "{page}: {safe}");
        }
        for page in ["x^2 and `[^a-z]`", "100 % of `[^a-z]`, and {x}^2"] {
            let is_kept = with_safe_links(page) == page;
            assert_eq!(is_kept, !page.contains('%'), "{page}");
        }
        let page = "% { } ![^a]\n\n[^a]: https://c.d/e.png\n";
        assert!(!with_safe_links(page).contains('['));
    }

    /// An HTML block that has become text may contain links.
    #[test]
    fn html_blocks_become_text_without_links() {
        let shown = with_safe_links("<div>\n[b](command:x)\n</div>\n");
        assert_eq!(shown, "&lt;div>\nb\n&lt;/div>\n");
    }

    proptest! {
        #[test]
        fn no_page_has_other_links(page in "([\\[\\]()!<>`a\n]|\\]\\(|command:x|https://a|!\\[){0,24}") {
            let shown = with_safe_links(&format!("a{page}"));
            let document = parsed(&shown).expect("little markup");
            prop_assert!(document.links.iter().all(|link| link.kind != LinkKind::Image && is_https(&link.dest)));
            prop_assert!(document.html_blocks.is_empty() && document.inline_html.is_empty());
        }
    }
}
