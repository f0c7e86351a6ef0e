//! An independent Markdown reader, simple enough to be obviously correct: finds headings at the beginning of a line
//! (outside fences, HTML comments and frontmatter), and the words of a section.

use std::collections::BTreeSet;

use skillc_core::cjk::is_cjk;

/// A heading line.
pub(crate) struct Line {
    /// Line number, 1-based.
    pub(crate) number: usize,
    /// Heading level, 1 to 6.
    pub(crate) level: usize,
}

/// Finds the unambiguous headings.
pub(crate) fn plain_headings(text: &str) -> Vec<Line> {
    let mut found = Vec::new();
    let mut fence: Option<Fence> = None;
    let mut is_frontmatter = false;
    let mut is_html = false;
    let mut before = "";
    for (at, line) in text.lines().enumerate() {
        let line = line.trim_end();
        let is_delimiter = line.trim_start_matches('\u{feff}') == "---";
        if is_delimiter && at == 0 || is_frontmatter {
            is_frontmatter = at == 0 || !is_delimiter;
            continue;
        }
        // A tag at the beginning of a block makes everything up to a blank line HTML, fences included.
        is_html =
            !line.is_empty() && (is_html || fence.is_none() && before.is_empty() && is_tag(line));
        match &fence {
            _ if is_html => {}
            Some(open) if closes(line, open) => fence = None,
            Some(_) => {}
            None => {
                fence = opens(line);
                let level = line.bytes().take_while(|b| *b == b'#').count();
                let is_heading = (1..=6).contains(&level) && line[level..].starts_with(' ');
                let has_text = !line[level..].trim().trim_matches('#').trim().is_empty();
                if is_heading && has_text && before.is_empty() {
                    found.push(Line {
                        number: at + 1,
                        level,
                    });
                }
            }
        }
        before = line;
    }
    found
}

/// Returns words that a search must find together under a heading: the three longest words of ASCII letters and digits,
/// and the first two adjacent CJK characters. `None` if there are none.
pub(crate) fn words_of(lines: &[String], heading_line: usize) -> Option<String> {
    let body = lines
        .get(heading_line..)?
        .iter()
        .take_while(|line| !line.starts_with('#'));
    let text = body.map(String::as_str).collect::<Vec<_>>().join("\n");
    let words = text.split(|c: char| !c.is_alphanumeric());
    let mut words: Vec<&str> = words
        .filter(|word| word.len() > 3 && word.is_ascii())
        .collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    words.truncate(3);
    let chars: Vec<char> = text.chars().collect();
    let pair = chars
        .windows(2)
        .find(|pair| pair.iter().all(|c| is_cjk(*c)));
    let pair: Option<String> = pair.map(|pair| pair.iter().collect());
    words.extend(pair.as_deref());
    (!words.is_empty()).then(|| words.join(" "))
}

/// Returns the characters of a file that a parser may misread, each once: ASCII characters other than letters, digits
/// and blanks. One character stands for all CJK characters, and another for all remaining characters.
pub(crate) fn marks(text: &str) -> BTreeSet<char> {
    text.chars()
        .filter(|c| !c.is_ascii_alphanumeric() && *c != ' ')
        .map(|c| match c {
            _ if c.is_ascii() => c,
            _ if is_cjk(c) => '文',
            _ => 'é',
        })
        .collect()
}

fn is_tag(line: &str) -> bool {
    let name = line.strip_prefix("</").or_else(|| line.strip_prefix('<'));
    name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// An open code fence.
struct Fence {
    marks: String,
    indent: usize,
}

/// Returns the fence that a line opens, even if it is inside a list.
fn opens(line: &str) -> Option<Fence> {
    let text = line.trim_start();
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let marks: String = text.chars().take_while(|c| *c == mark).collect();
    let info = &text[marks.len()..];
    let is_fence = marks.len() >= 3 && !(mark == '`' && info.contains('`'));
    is_fence.then_some(Fence {
        marks,
        indent: line.len() - text.len(),
    })
}

fn closes(line: &str, open: &Fence) -> bool {
    let text = line.trim_start();
    let indent = line.len() - text.len();
    indent <= open.indent + 3
        && text.len() >= open.marks.len()
        && text
            .bytes()
            .all(|b| open.marks.as_bytes().first() == Some(&b))
}
