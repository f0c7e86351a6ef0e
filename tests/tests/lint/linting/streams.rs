//! The stream to which each output goes, and the characters and colours in the output.

use serde_json::{Value, json};
use skillc_ops::lint::LintResponse;
use skillc_render::{Format, Render};
use skillc_tests::{World, without_colours as plain};

use crate::linting::sample::{lint, response, several, shown, world};

/// D-INFO-STREAM, D-LINT-JSON.
#[test]
fn compiled_skills_are_reported_on_standard_error() {
    let world = world();
    let compiled = world.demo_runtime();
    let compiled = compiled.to_str().expect("UTF-8");
    let info = "info: skipping compiled skill 'demo'\n";
    let run = lint(&world, compiled, "text").success();
    assert_eq!((run.text(), &*run.stderr), (info, ""));
    for format in ["concise", "json", "sarif", "gitlab", "junit"] {
        let run = lint(&world, compiled, format).success();
        assert!(run.stderr.starts_with(info), "{format}: {run:?}");
        assert!(!run.text().contains("skipping"), "{format}: {run:?}");
    }
    let run = lint(&world, compiled, "json");
    assert_eq!(run.json()["skipped"], json!(true));
    assert_eq!(run.json()["diagnostics"], json!([]));
}

/// F-48: an unreadable skill is neither left out nor counted as passed.
#[test]
fn an_unreadable_skill_is_an_error_in_every_format() {
    let world = world();
    let several = several(&world);
    let line = "error[E999]: reading 'broken/SKILL.md': permission denied";
    for format in LintResponse::FORMATS {
        let (out, err) = shown(&several, *format, false);
        let place = match format {
            Format::Json | Format::Jsonl | Format::Github => out,
            _ => err,
        };
        assert!(place.contains(line), "{}: {place}", format.name());
    }
    assert_eq!(several.error_count(), 2);
}

#[test]
fn without_skills_the_text_says_what_to_do() {
    let nothing = response(Vec::new());
    let (out, err) = shown(&nothing, Format::Text, false);
    assert!(
        out.starts_with("No skills found\n") && out.contains("skc init"),
        "{out}"
    );
    assert_eq!(err, "");
    let (out, err) = shown(&nothing, Format::Concise, false);
    assert!(
        out.is_empty() && err.starts_with("No skills found\n"),
        "{out}{err}"
    );
    for format in [Format::Json, Format::Sarif, Format::Gitlab] {
        let (out, err) = shown(&nothing, format, false);
        assert!(
            serde_json::from_str::<Value>(&out).is_ok() && err.is_empty(),
            "{out}{err}"
        );
    }
}

/// Skills are untrusted: their text is escaped in every stream and format.
#[test]
fn hostile_characters_are_escaped() {
    let name = "we\u{1b}[31mird\u{202e}.md";
    let text = "# A\n\n### \u{1b}]0;title\u{7}\u{202e}B\u{2066}\u{0}\u{8}\u{9b}31m\n";
    let world = World::demo(&[(name, text)]);
    for format in LintResponse::FORMATS {
        let format = format.name();
        let run = lint(&world, "demo", format);
        let all = [run.text(), &run.stderr].concat();
        assert!(all.contains("SKL205"), "{format}: {all}");
        let is_obeyed = |c: char| c.is_control() && c != '\n';
        assert!(!all.contains(is_obeyed), "{format}: {all:?}");
        let is_direction = |c: char| {
            ('\u{202a}'..='\u{202e}').contains(&c) || ('\u{2066}'..='\u{2069}').contains(&c)
        };
        // Machine-readable formats are not escaped, because programs could not undo the escaping.
        let is_for_people = !["json", "sarif", "gitlab"].contains(&format);
        assert!(
            !is_for_people || !all.contains(is_direction),
            "{format}: {all:?}"
        );
    }
}

/// C-CODES.6, CL.8: machine-readable formats have no colour, and in other formats, colour alone conveys no information.
#[test]
fn colours_do_not_change_the_words() {
    let world = world();
    let several = several(&world);
    for format in LintResponse::FORMATS {
        let (out, err) = shown(&several, *format, true);
        let is_for_people = [Format::Text, Format::Concise].contains(format);
        assert_eq!(out.contains('\u{1b}'), is_for_people, "{}", format.name());
        let bare = shown(&several, *format, false);
        assert_eq!((plain(&out), plain(&err)), bare, "{}", format.name());
    }
}

/// C-CODES.6, CL.8.
#[test]
fn pipes_get_no_colour_in_any_format() {
    let mut world = world();
    world.set("TERM", "xterm-256color");
    for format in LintResponse::FORMATS {
        let args = ["lint", "tables", "-o", format.name()];
        let output = world
            .process(env!("CARGO_BIN_EXE_skc-under-test"), &args)
            .output()
            .expect("the program runs");
        let bytes = [output.stdout, output.stderr].concat();
        assert!(!bytes.is_empty() && !bytes.contains(&0x1b), "{format:?}");
    }
}
