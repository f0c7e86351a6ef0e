use proptest::prelude::*;

use super::*;

/// Applies the fix that removes a part of a directive, or the whole directive.
fn fixed(text: &str, directive: usize, part: Option<usize>) -> (String, crate::Safety) {
    let (_dir, skill) = skill(&[("SKILL.md", text)]);
    let linter = Linter::new(&plugins(), &Choice::default(), Settings::default()).unwrap();
    let of = directives(&linter, &skill);
    let fix = match part {
        Some(part) => of[0].without_part(directive, part),
        None => of[0].without(directive),
    };
    let mut text = text.to_owned();
    for edit in fix.edits.iter().rev() {
        text.replace_range(edit.span.start..edit.span.end, &edit.text);
    }
    (text, fix.safety)
}

#[test]
fn a_directive_is_removed_with_its_line_without_joining_neighbours() {
    let comment = "<!-- skilllint-disable-line first -->";
    for (text, expected) in [
        ("a\n\n@\n\nb\n", "a\n\nb\n"),
        ("a\n\n@\nb\n", "a\n\nb\n"),
        ("a\n@\n\nb\n", "a\n\nb\n"),
        ("# a\n@\nb\n", "# a\nb\n"),
        ("@\n\nb\n", "b\n"),
        ("a\n\n@\n", "a\n"),
        ("a\n\n@", "a\n"),
        ("a\r\n\r\n@\r\n\r\nb\r\n", "a\r\n\r\nb\r\n"),
        ("---\nx: y\n---\n@\n\nb\n", "---\nx: y\n---\nb\n"),
        ("# a @\nb\n", "# a\nb\n"),
        ("# a\n\nb c @\n", "# a\n\nb c\n"),
        ("See [a](b.md) @\nb\n", "See [a](b.md)\nb\n"),
        ("- a @\n- b\n", "- a\n- b\n"),
        ("a\n\n@\n```\nb\n```\n", "a\n\n```\nb\n```\n"),
    ] {
        let (fixed, safety) = fixed(&text.replace('@', comment), 0, None);
        assert_eq!(
            (fixed.as_str(), safety),
            (expected, crate::Safety::Safe),
            "{text:?}"
        );
    }
    let comment = "# skilllint-disable-line first";
    for (text, expected) in [
        ("---\na: b  @\n---\n", "---\na: b\n---\n"),
        ("---\n@\na: b\n---\n", "---\na: b\n---\n"),
    ] {
        let (fixed, safety) = fixed(&text.replace('@', comment), 0, None);
        assert_eq!(
            (fixed.as_str(), safety),
            (expected, crate::Safety::Safe),
            "{text:?}"
        );
    }
}

#[test]
fn a_removal_that_may_change_the_meaning_is_unsafe() {
    let comment = "<!-- skilllint-disable-line first -->";
    for text in [
        "@ # b\n",
        "<p>@</p>\n",
        "para\n- @\n",
        "para\n        @ # foo\n",
        "- @\n\n  text\n",
        "- a\n\n@\n\n- b\n",
        "1. a\n\n@\n\n1. b\n",
        "    a\n\n@\n\n    b\n",
        "*a*@*b*\n",
        "[note]: this.md @\n",
        "[note]:\nthis.md @\n",
        "[note]: this.md\n'a title' @\n",
        "- a\n@\n    code\n",
        "a\n@\n---\n",
        "a\n--- @\n",
        "a | b\n--|-- @\n",
        "## a ## @\n",
        "a b\\ @\nc\n",
        "a b (c @\nd\n",
        "[a](b c @\n)\n",
        "> a\n> @\n> b\n",
        "> [a]:\n> b @\n",
        "a @ b\n",
        "---\na: b: c @\n---\n",
    ] {
        let comment = if text.starts_with("---") {
            "# skilllint-disable-line first"
        } else {
            comment
        };
        let (_, safety) = fixed(&text.replace('@', comment), 0, None);
        assert_eq!(safety, crate::Safety::Unsafe, "{text:?}");
    }
}

/// Returns the content of a body, without comments and the blanks next to them.
fn made_of(text: &str) -> Vec<String> {
    use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_GFM;
    let mut made: Vec<String> = Vec::new();
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Start(Tag::HtmlBlock) | Event::End(TagEnd::HtmlBlock) => {}
            Event::Html(html) | Event::InlineHtml(html)
                if html.trim().is_empty() || html.trim().starts_with("<!--") => {}
            Event::Text(text) => match made.last_mut().filter(|last| last.starts_with("text ")) {
                Some(last) => last.push_str(&text),
                None => made.push(format!("text {text}")),
            },
            event => made.push(format!("{event:?}")),
        }
        if let Some(text) = made
            .iter_mut()
            .rev()
            .nth(1)
            .filter(|of| of.starts_with("text "))
        {
            text.truncate(text.trim_end().len());
        }
    }
    made.retain(|of| !of.trim_end().eq("text"));
    made
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn safe_removals_together_change_nothing_else(pieces in prop::collection::vec(prop::sample::select(vec![
        "@", "@\n", "\n@\n", " @\n", "\n@\n\n", "\n", "\n", "\n\n", "a", "a b", " c", "# ", "- ", "1. ", "> ", "    ", "  ", "*", "`",
        "```\n", "---", "|", "|-", "[a]", "]: ", "(b)", "\\", "\"", "===", "![", "<p>", "\r\n",
    ]), 0..24)) {
        let text = pieces.concat().replace('@', "<!-- skilllint-disable-line first -->");
        if text.starts_with("---") {
            return Ok(());
        }
        let (_dir, skill) = skill(&[("SKILL.md", &text)]);
        let linter = Linter::new(&plugins(), &Choice::default(), Settings::default()).unwrap();
        let mut left = text.clone();
        for of in directives(&linter, &skill) {
            let mut edits = Vec::new();
            for at in 0..of.list.len() {
                let fix = of.without(at);
                if fix.safety == crate::Safety::Safe {
                    edits.extend(fix.edits);
                }
            }
            let mut begins = left.len();
            for edit in edits.iter().rev() {
                if edit.span.end <= begins {
                    left.replace_range(edit.span.start..edit.span.end, &edit.text);
                    begins = edit.span.start;
                }
            }
        }
        prop_assert_eq!(made_of(&text), made_of(&left), "{:?} {:?}", text, left);
    }
}

#[test]
fn a_selector_is_removed_with_its_separator() {
    for (part, expected) in [
        (0, "second  TXT3 -- why"),
        (1, "first,  TXT3 -- why"),
        (2, "first, second -- why"),
    ] {
        let text = |rest: &str| format!("<!-- skilllint-disable {rest} -->\n");
        let (found, _) = fixed(&text("first, second,  TXT3 -- why"), 0, Some(part));
        let loose = |text: &str| text.replace([',', ' '], "");
        assert_eq!(loose(&found), loose(&text(expected)), "{part}");
    }
}

#[test]
fn unmatched_end_directives_are_removed_and_shared_ones_stay() {
    let begin = |rest: &str| format!("<!-- skilllint-disable {rest} -->\n\n");
    let end = |rest: &str| format!("<!-- skilllint-enable {rest} -->\n");
    let text = begin("first") + &end("");
    assert_eq!(fixed(&text, 0, None).0, "");
    let text = begin("TXT") + "a\n\n" + &end("first") + "\n" + &end("second") + "\nb\n";
    assert_eq!(fixed(&text, 0, None).0, "a\n\nb\n");
    let text = begin("first") + &begin("second") + &end("");
    assert_eq!(fixed(&text, 0, None).0, begin("second") + &end(""));
    let text = begin("first") + &begin("first") + &end("");
    assert_eq!(fixed(&text, 1, None).0, begin("first") + &end(""));
    let text = begin("first second") + &end("first second");
    let expected = begin("second") + &end("second");
    assert_eq!(fixed(&text, 0, Some(0)).0, expected);
}
