//! Minimal HTML parsing for checking a page.

/// Returns every tag, without its brackets; the style sheet is skipped.
pub(crate) fn tags(page: &str) -> Vec<&str> {
    let (head, rest) = page.split_once("<style>").expect("a style sheet");
    let (_, body) = rest.split_once("</style>").expect("its end");
    [head, body]
        .into_iter()
        .flat_map(|part| part.split('<').skip(1))
        .map(|piece| piece.split_once('>').expect("a closed tag").0)
        .collect()
}

/// Returns each piece of text between a start mark and an end mark.
pub(crate) fn between<'a>(page: &'a str, from: &str, to: &str) -> Vec<&'a str> {
    let pieces = page.split(from).skip(1);
    pieces
        .filter_map(|piece| Some(piece.split_once(to)?.0))
        .collect()
}

/// Returns the section under a heading.
pub(crate) fn section<'a>(page: &'a str, id: &str) -> &'a str {
    let open = format!("<section aria-labelledby=\"{id}\">");
    let found = between(page, &open, "</section>");
    assert_eq!(found.len(), 1, "{id}");
    found[0]
}

/// Returns text without its tags.
pub(crate) fn plain(html: &str) -> String {
    let mut out = String::new();
    for piece in html.split('<') {
        out.push_str(piece.split_once('>').map_or(piece, |(_, text)| text));
    }
    out.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&amp;", "&")
}

/// Returns the rows of the first table in some HTML: the text of each cell.
pub(crate) fn rows(html: &str) -> Vec<Vec<String>> {
    let Some(body) = between(html, "<tbody>", "</tbody>").first().copied() else {
        return Vec::new();
    };
    let cells = |row: &str| {
        row.split("</t")
            .map(|cell| plain(&format!("{cell}<>")).trim().to_owned())
            .filter(|cell| !cell.is_empty())
            .collect()
    };
    between(body, "<tr>", "</tr>")
        .into_iter()
        .map(cells)
        .collect()
}
