use std::fmt::Write as _;
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

#[test]
fn time_is_linear_in_the_number_of_directives() {
    let texts = [
        "<!-- skilllint-disable -->\n",
        "<!-- skilllint-disable-file first -->\n",
        "<!-- skilllint-enable -->\n",
        "bad <!-- skilllint-disable-line first -->\n",
        "bad <!-- skilllint-disable-line first -->",
        "<!-- skilllint-disable-next-line frist -->\n",
        "<!-- skilllint-disabel -->\n",
        "<!-- skilllint-disable first -->\n<!-- skilllint-enable -->\n",
        "<!--",
        "<!-- skilllint-",
    ];
    for piece in texts {
        let text = piece.repeat(100_000);
        let begin = Instant::now();
        found(&text);
        assert!(begin.elapsed() < Duration::from_secs(10), "{piece:?}");
    }
    let comment = "<!-- skilllint-disable-line first -->";
    let blanks = " ".repeat(400_000);
    for text in [
        [&format!("a{blanks}"), &*comment.repeat(20_000)].concat(),
        [&comment.repeat(20_000), &*blanks, "a"].concat(),
        format!("{comment}\n").repeat(20_000),
        format!("{comment}{}", "\n".repeat(20)).repeat(20_000),
    ] {
        let (_dir, skill) = skill(&[("SKILL.md", &text)]);
        let linter = Linter::new(&plugins(), &Choice::default(), Settings::default()).unwrap();
        let begin = Instant::now();
        for of in directives(&linter, &skill) {
            for at in 0..of.list.len() {
                of.without(at);
            }
        }
        assert!(begin.elapsed() < Duration::from_secs(10), "{}", &text[..40]);
    }
    for line in ["- ", "[a,", "a:\t", "'", "\"\\", "# ", "a #", "{", "&a "] {
        let text = format!("---\n{} # skilllint-disable\n---\n", line.repeat(200_000));
        let begin = Instant::now();
        found(&text);
        assert!(begin.elapsed() < Duration::from_secs(10), "{line:?}");
    }
    let mut text = String::new();
    for at in 0..100_000 {
        writeln!(text, "<!-- skilllint-disable first{at}, second -->").unwrap();
    }
    let begin = Instant::now();
    found(&text);
    assert!(begin.elapsed() < Duration::from_secs(10));
}

/// Hostile: the state of a file with directives has an entry for each rule.
#[test]
fn many_files_and_rules_are_bounded() {
    let mut plugins = plugins();
    for n in 0..1000 {
        let meta = RuleMeta {
            code: Cow::Owned(format!("TEAM{n:03}")),
            name: Cow::Owned(format!("name-of-rule-{n}")),
            ..plugins.rule("TXT201").unwrap().meta().clone()
        };
        let rule = Arc::new(Finds(meta, "never"));
        plugins.add_rule(rule, "a test").unwrap();
    }
    let dir = TempDir::new().unwrap();
    write_files(dir.path(), &[("SKILL.md", "a")]);
    for n in 0..3000 {
        let file = format!("{n}.md");
        write_files(
            dir.path(),
            &[(&file, "<!-- skilllint-disable ALL TEAM -->\n")],
        );
    }
    let skill = read_skill(dir.path());
    let linter = Linter::new(&plugins, &Choice::default(), Settings::default()).unwrap();
    let begin = Instant::now();
    let found = directives(&linter, &skill);
    assert!(begin.elapsed() < Duration::from_secs(10));
    let parts = found
        .iter()
        .flat_map(|of| &of.list)
        .flat_map(|of| &of.parts);
    assert_eq!(
        parts.filter(|part| part.outcome == Outcome::Unused).count(),
        6000
    );
}

proptest! {
    #[test]
    fn directives_in_arbitrary_text_have_valid_spans(pieces in prop::collection::vec(prop::sample::select(vec![
        "<!-- ", " -->", "skilllint-disable", "skilllint-enable", "-line", "-next-line", "-file", " first", ", second", " frist",
        " -- ", "why", "> ", "- ", "\n", "\r\n", "\n\n", "    ", "`", "---\n", "# ", "a: b", "bad", "odd", "é", "<p>", "\u{85}",
    ]), 0..40)) {
        let text = pieces.concat();
        let (_dir, skill) = skill(&[("SKILL.md", &text)]);
        let linter = Linter::new(&plugins(), &Choice::default(), Settings::default()).unwrap();
        linter.run(&skill);
        for of in directives(&linter, &skill) {
            for (at, directive) in of.list.iter().enumerate() {
                prop_assert!(of.text(directive.word_span).starts_with("skilllint-"));
                prop_assert!(directive.span.start < directive.word_span.start);
                prop_assert!(!of.text(directive.span).is_empty() && !directive.parts.is_empty());
                for edit in of.without(at).edits {
                    prop_assert!(text.get(edit.span.start..edit.span.end).is_some(), "{edit:?}");
                }
                for (part_at, part) in directive.parts.iter().enumerate() {
                    let Some(span) = part.selector else { continue };
                    let is_one = part.outcome == Outcome::Prose || !of.text(span).contains([' ', ',']);
                    prop_assert!(is_one && !of.text(span).is_empty());
                    for edit in of.without_part(at, part_at).edits {
                        prop_assert!(text.get(edit.span.start..edit.span.end).is_some(), "{edit:?}");
                    }
                }
            }
        }
    }
}
