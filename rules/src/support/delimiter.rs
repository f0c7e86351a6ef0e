//! Why a line that looks like `---` does not delimit the frontmatter.

/// Dashes and what is drawn like one.
const DASHES: &str = "‐‑‒–—―−⸺⸻﹘﹣－";

/// Lone carriage returns, which Markdown takes for line ends and YAML's delimiters do not.
pub(crate) const LONE_CR: &str =
    "lines end with a lone carriage return (CR): save the file with line ends LF or CRLF";

/// Returns a line without what is blank at its ends.
pub(crate) fn bare(line: &str) -> &str {
    line.trim_matches(is_blank)
}

/// Says whether nothing is seen of a character: it is a blank, or takes no place.
pub(crate) fn is_blank(c: char) -> bool {
    c.is_whitespace() || is_invisible(c)
}

/// Says whether a line was to be a delimiter: it is `---` or begins so, or is made of dashes.
pub(crate) fn is_near(line: &str) -> bool {
    let line = bare(line);
    line.starts_with("---") || is_dashes(line)
}

/// Says what makes a line another than `---`, and how to mend it; `None` if that is plain to see.
pub(crate) fn flaw(line: &str) -> Option<String> {
    let bare = bare(line);
    if is_dashes(bare) {
        let dash = bare.chars().find(|c| DASHES.contains(*c))?;
        return Some(format!(
            "'{dash}' ({}) is no hyphen: write '---'",
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
        Some(unseen) => format!("{unseen} stands {side} '---': remove it"),
        None if beside.chars().count() == 1 => format!("a space stands {side} '---': remove it"),
        None => format!("spaces stand {side} '---': remove them"),
    })
}

/// Names the first character that no key for blanks writes: `U+200B, which cannot be seen,`.
pub(crate) fn first_unseen(text: &str) -> Option<String> {
    let is_plain = |c: &char| matches!(c, ' ' | '\t' | '\r' | '\n');
    let unseen = text.chars().find(|c| !is_plain(c))?;
    Some(format!("{}, which cannot be seen,", code(unseen)))
}

/// Says whether a file is UTF-16 that was read as UTF-8: its mark became two U+FFFD, and every other byte is NUL.
pub(crate) fn is_utf16(text: &str) -> bool {
    let nuls_in = |count: usize| text.chars().take(count).filter(|c| *c == '\0').count();
    text.starts_with("\u{fffd}\u{fffd}") && nuls_in(200) > 0 || nuls_in(6) == 3
}

fn is_dashes(text: &str) -> bool {
    let is_dash = |c: char| DASHES.contains(c);
    text.chars().all(|c| c == '-' || is_dash(c)) && text.contains(is_dash)
}

/// Says whether a character takes no place: marks of format, byte order marks, controls.
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
    fn what_is_wrong_with_a_delimiter_is_named() {
        for (line, expected) in [
            (
                "\u{200b}---",
                "U+200B, which cannot be seen, stands before '---': remove it",
            ),
            (
                " \u{a0}---",
                "U+00A0, which cannot be seen, stands before '---': remove it",
            ),
            (
                "---\u{2060}",
                "U+2060, which cannot be seen, stands after '---': remove it",
            ),
            (" ---", "a space stands before '---': remove it"),
            ("--- \t", "spaces stand after '---': remove them"),
            ("—", "'—' (U+2014) is no hyphen: write '---'"),
            ("–-- ", "'–' (U+2013) is no hyphen: write '---'"),
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
    fn utf_16_is_known_by_its_mark_or_its_nuls() {
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
