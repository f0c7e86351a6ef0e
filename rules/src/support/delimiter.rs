//! Explains why a line that looks like `---` does not delimit the frontmatter.

/// Dashes and characters that look like dashes.
const DASHES: &str = "‐‑‒–—―−⸺⸻﹘﹣－";

/// The help text for lone carriage returns, which end lines in Markdown, but not the delimiters of frontmatter.
pub(crate) const LONE_CR: &str =
    "lines end with a lone carriage return (CR): save the file with LF or CRLF line ends";

/// Trims whitespace and invisible characters at both ends of a line.
pub(crate) fn bare(line: &str) -> &str {
    line.trim_matches(is_blank)
}

/// Returns whether a character is invisible: whitespace, or zero width.
pub(crate) fn is_blank(c: char) -> bool {
    c.is_whitespace() || is_invisible(c)
}

/// Returns whether a line was probably meant as a delimiter: it starts with `---`, or consists of hyphens and
/// characters that look like dashes.
pub(crate) fn is_near(line: &str) -> bool {
    let line = bare(line);
    line.starts_with("---") || is_dashes(line)
}

/// Describes how a line differs from `---`, and how to fix it; `None` if the difference is obvious, as in `----`.
pub(crate) fn flaw(line: &str) -> Option<String> {
    let bare = bare(line);
    if is_dashes(bare) {
        let dash = bare.chars().find(|c| DASHES.contains(*c))?;
        return Some(format!(
            "'{dash}' ({}) is not a hyphen: write '---'",
            code(dash)
        ));
    }
    if bare != "---" {
        return None;
    }
    let (before, after) = line.split_once("---")?;
    let (beside, side) = if before.is_empty() {
        (after, "after")
    } else {
        (before, "before")
    };
    Some(match first_unseen(beside) {
        Some(unseen) => format!("remove {unseen} {side} '---'"),
        None if beside.chars().count() == 1 => format!("remove the space {side} '---'"),
        None => format!("remove the spaces {side} '---'"),
    })
}

/// Describes the first character that is not ordinary whitespace: `the invisible character U+200B`.
pub(crate) fn first_unseen(text: &str) -> Option<String> {
    let is_plain = |c: &char| matches!(c, ' ' | '\t' | '\r' | '\n');
    let unseen = text.chars().find(|c| !is_plain(c))?;
    Some(format!("the invisible character {}", code(unseen)))
}

/// Returns whether `text` is UTF-16 that was read as UTF-8. Either the text contains a NUL and begins with two U+FFFD,
/// which were a byte order mark, or exactly three of the first six characters are NUL.
pub(crate) fn is_utf16(text: &str) -> bool {
    let nuls_in = |count: usize| text.chars().take(count).filter(|c| *c == '\0').count();
    text.starts_with("\u{fffd}\u{fffd}") && nuls_in(200) > 0 || nuls_in(6) == 3
}

fn is_dashes(text: &str) -> bool {
    let is_dash = |c: char| DASHES.contains(c);
    text.chars().all(|c| c == '-' || is_dash(c)) && text.contains(is_dash)
}

/// Returns whether a character has zero width, such as format characters, byte order marks and control characters.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
        )
}

fn code(c: char) -> String {
    format!("U+{:04X}", u32::from(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delimiter_faults_are_named() {
        for (line, expected) in [
            (
                "\u{200b}---",
                "remove the invisible character U+200B before '---'",
            ),
            (
                " \u{a0}---",
                "remove the invisible character U+00A0 before '---'",
            ),
            (
                "---\u{2060}",
                "remove the invisible character U+2060 after '---'",
            ),
            (" ---", "remove the space before '---'"),
            ("--- \t", "remove the spaces after '---'"),
            ("—", "'—' (U+2014) is not a hyphen: write '---'"),
            ("–-- ", "'–' (U+2013) is not a hyphen: write '---'"),
        ] {
            assert!(is_near(line), "{line:?}");
            assert_eq!(flaw(line).as_deref(), Some(expected));
        }
        for line in ["----", "--- x"] {
            assert!(is_near(line), "{line:?}");
            assert_eq!(flaw(line), None);
        }
        for line in ["", "--", "— so", "name: a"] {
            assert!(!is_near(line), "{line:?}");
        }
    }

    #[test]
    fn utf_16_is_recognized_by_its_bom_or_its_nuls() {
        let text = "---\nname: 表";
        for mark in ["", "\u{feff}"] {
            let units = format!("{mark}{text}");
            let little = units.encode_utf16().flat_map(u16::to_le_bytes);
            let big = units.encode_utf16().flat_map(u16::to_be_bytes);
            for bytes in [little.collect::<Vec<u8>>(), big.collect()] {
                assert!(is_utf16(&String::from_utf8_lossy(&bytes)), "{bytes:?}");
            }
        }
        for text in ["", "---\n", "\u{fffd}\u{fffd}---\n", "a\0b"] {
            assert!(!is_utf16(text), "{text:?}");
        }
    }
}
