//! Tests errors in declarations and calls.

use skillc_core::testkit::{read_skill, write_files};
use skillc_lint::testkit::lint_skill_by;
use skillc_lint::{PluginRegistry, Rule, Settings};
use skillc_plugins as _;
use skillc_script::Host;
use tempfile::TempDir;

/// Returns the load error of a script; empty if it loads.
fn refusal(script: &str) -> String {
    let loaded = Host::default().load("a.rhai", script.as_bytes());
    loaded.err().map_or(String::new(), |fault| fault.message)
}

/// Returns the load error of a rule whose declaration has these entries.
fn refusal_of(entries: &str) -> String {
    refusal(&format!("/// Reports.\nrule(#{{ {entries} }});"))
}

/// Returns the load error of a rule with these options.
fn refusal_with(options: &str) -> String {
    let checks = "check_skill: |skill, out| { }";
    refusal_of(&format!(
        "code: \"TEAM001\", name: \"a\", options: #{{ {options} }}, {checks}"
    ))
}

/// Returns the fault of a rule that checks a document.
fn failure(body: &str) -> String {
    let script = format!(
        "/// Fails.\nrule(#{{ code: \"TEAM001\", name: \"fails\", check_document: |doc, skill, out| {{\n{body}\n}} }});"
    );
    let root = TempDir::new().expect("a directory");
    let dir = root.path().join("demo");
    write_files(&dir, &[("SKILL.md", "# A\n")]);
    let mut plugins = PluginRegistry::linked().expect("no duplicates");
    let script = Host::default().load("a.rhai", script.as_bytes());
    let script = script.expect("loads");
    script.register(&mut plugins).expect("registers");
    let select = vec!["ALL".to_owned()];
    let found = lint_skill_by(&plugins, &read_skill(&dir), select, Settings::default());
    let faults = found.into_iter().filter(|found| found.rule == "CFG201");
    faults.map(|fault| fault.message).collect()
}

#[test]
fn a_function_with_wrong_parameters_is_refused_on_load() {
    let rule = |check: &str| refusal_of(&format!("code: \"TEAM001\", name: \"a\", {check}"));
    for key in ["check_document", "check_main"] {
        let expected = format!("'{key}' must take |doc, skill, out|");
        for parameters in ["||", "|doc|", "|doc, skill|", "|doc, skill, out, more|"] {
            assert_eq!(rule(&format!("{key}: {parameters} {{ }}")), expected);
        }
        assert_eq!(rule(&format!("{key}: |doc, skill, out| {{ }}")), "");
    }
    let expected = "'check_skill' must take |skill, out|";
    assert_eq!(rule("check_skill: |doc, skill, out| { }"), expected);
    assert_eq!(rule("check_skill: |skill, out| { }"), "");
    let format = |sections: &str| {
        refusal(&format!(
            "/// Reads.\nindexer(#{{ id: \"a\", extensions: [\"a\"], sections: {sections} }});"
        ))
    };
    assert_eq!(format("|file| { }"), "'sections' must take |file, out|");
    assert_eq!(format("|file, out| { }"), "");
}

#[test]
fn captures_are_not_parameters_and_names_cover_all_overloads() {
    let with = |before: &str, check: &str| {
        refusal(&format!(
            "{before}\n/// Reports.\nrule(#{{ code: \"TEAM001\", name: \"a\", check_skill: {check} }});"
        ))
    };
    let held = "let word = \"a\";";
    assert_eq!(with(held, "|skill, out| out.skill(word)"), "");
    let expected = "'check_skill' must take |skill, out|";
    assert_eq!(with(held, "|out| out.skill(word)"), expected);
    let named = "fn check(out) { }\nfn check(skill, out) { }\nfn other(out) { }";
    assert_eq!(with(named, "Fn(\"check\")"), "");
    assert_eq!(with(named, "Fn(\"other\")"), expected);
    assert_eq!(with(named, "Fn(\"nowhere\")"), expected);
}

#[test]
fn messages_never_contain_generated_closure_names() {
    let said = failure("let twice = |n| n * 2; twice.call(1, 2);");
    assert!(said.contains("this function"), "{said}");
    assert!(!said.contains("anon"), "{said}");
}

#[test]
fn a_misspelt_name_is_reported_with_a_suggestion() {
    for (body, expected) in [
        (
            "doc.headings.first.txt;",
            "'Heading' has no 'txt'; did you mean 'text'?",
        ),
        (
            "doc.headings.first.colunm;",
            "'Heading' has no 'colunm'; did you mean 'column'?",
        ),
        (
            "doc.headings.lenn;",
            "'Headings' has no 'lenn'; did you mean 'len'?",
        ),
        ("doc.elsewhere;", "'Document' has no 'elsewhere'"),
        (
            "doc.find;",
            "'find' of 'Document' is a function: write find(…)",
        ),
        (
            "doc.text();",
            "'text' of 'Document' is not a function: write it without ()",
        ),
        (
            "doc.find_al(`a`);",
            "'Document' has no function 'find_al'; did you mean 'find_all'?",
        ),
        (
            "delte(doc.text);",
            "'Text' has no function 'delte'; did you mean 'delete'?",
        ),
        (
            "`a`.find_porse(`a`);",
            "'string' has no function 'find_porse'; did you mean 'find_prose'?",
        ),
        (
            "doc.headings.length;",
            "'Headings' has no 'length'; did you mean 'len'?",
        ),
        (
            "doc.headings.map(|heading| heading.text);",
            "'Headings' is not an array and has no function 'map': iterate with for element in … { }",
        ),
        ("doc.nothing();", "no function 'nothing' takes (Document)"),
        ("nothing();", "unknown function 'nothing'"),
        ("out.options.words;", "a map has no 'words'"),
    ] {
        let said = failure(body);
        assert!(
            said.contains(&format!(": {expected} (rule TEAM001)")),
            "{body} {said}"
        );
    }
}

#[test]
fn argument_mismatches_use_the_type_names_of_the_reference() {
    let nothing = "; an argument is (): check for () first";
    for (body, expected, hint) in [
        (
            "out.at(doc.field(`a`), `b`);",
            "'at' cannot be called with (Findings, (), string)",
            nothing,
        ),
        (
            "doc.find(1);",
            "'find' cannot be called with (Document, int)",
            "; write find(pattern: string)",
        ),
        (
            "edit(`a`, `b`);",
            "'edit' cannot be called with (string, string)",
            "; write edit(place: place, text: string)",
        ),
        (
            "doc.find(`none`).group(0);",
            "'group' cannot be called with ((), int)",
            nothing,
        ),
        (
            "doc.find(`none`).text;",
            "value is () and has no 'text'; check for () first",
            "",
        ),
        (
            "out.at(doc, `a`);",
            "'at' cannot be called with (Findings, Document, string)",
            "; report a whole document with out.file(document, message)",
        ),
        (
            "doc.field(`none`)[`a`];",
            "value is () and cannot be indexed; check for () first",
            "",
        ),
        (
            "if doc.field(`none`) { }",
            "value is () but must be bool; check for () first",
            "",
        ),
        ("doc - 1;", "'-' cannot be called with (Document, int)", ""),
        (
            "let twice = |n| n * 2; twice.call(1, true);",
            "this function cannot be called with (int, bool)",
            "",
        ),
    ] {
        let said = failure(body);
        assert!(
            said.contains(&format!(": {expected}{hint} (rule TEAM001)")),
            "{body} {said}"
        );
    }
}

#[test]
fn a_string_in_single_quotes_is_reported() {
    let said = refusal_of("code: 'BAD001'");
    assert_eq!(said, "strings must be in double quotes");
}

#[test]
fn idioms_of_other_languages_get_a_hint() {
    for (body, expected) in [
        (
            r#"doc.find_all("\d");"#,
            r"invalid escape sequence '\d' between double quotes; write patterns in backticks: `\d`",
        ),
        (
            "let x = true ? 1 : 2;",
            "there is no operator '? :'; use if condition { one } else { other }",
        ),
    ] {
        let said = refusal(&format!(
            "/// R.\nrule(#{{ code: \"TEAM001\", name: \"a\", check_main: |doc, skill, out| {{ {body} }} }});"
        ));
        assert_eq!(said, expected);
    }
}

#[test]
fn trimming_and_replacing_return_the_text() {
    let said = failure("let t = `  a b `.trim(); throw t + `|` + t.replace(`a`, `c`);");
    assert!(said.contains(": a b|c b (rule"), "{said}");
}

#[test]
fn the_page_of_a_rule_names_options_as_configuration_does() {
    let text = "/// Reads `max_words`.\n///\n/// * `max_words`: see out.options.max_words, not max_words_2.\n\
        rule(#{ code: \"TEAM001\", name: \"a\", options: #{ max_words: 3 }, check_main: |doc, skill, out| { } });";
    let script = Host::default()
        .load("a.rhai", text.as_bytes())
        .expect("a script");
    let page = Rule::meta(&*script.rules()[0]).page();
    assert!(
        page.contains("* `max-words`: see out.options.max_words, not max_words_2."),
        "{page}"
    );
    assert!(page.starts_with("Reads `max-words`."), "{page}");
}

#[test]
fn a_misspelt_key_is_reported_instead_of_a_missing_one() {
    let meant = "unknown key 'nmae'; did you mean 'name'?";
    assert_eq!(refusal_of("code: \"TEAM001\", nmae: \"a\""), meant);
    assert_eq!(refusal_of("nmae: \"a\""), meant);
    assert_eq!(refusal_of("code: \"TEAM001\""), "'name' is missing");
    assert_eq!(
        refusal("/// Reads.\nindexer(#{ id: \"a\", extension: [\"a\"] });"),
        "unknown key 'extension'; did you mean 'extensions'?"
    );
}

#[test]
fn each_mistake_in_an_option_has_its_own_message() {
    let named =
        "a name must consist of lower-case letters, digits, '_' and '-', and start with a letter";
    let valued = "the value must be a boolean, a non-negative integer or a list of strings";
    for (options, expected) in [
        ("Max: 1", format!("option 'Max': {named}")),
        ("\"1st\": 1", format!("option '1st': {named}")),
        ("\"a b\": 1", format!("option 'a b': {named}")),
        ("max: -1", format!("option 'max': {valued}")),
        ("max: 1.5", format!("option 'max': {valued}")),
        ("max: [1]", format!("option 'max': {valued}")),
    ] {
        assert_eq!(refusal_with(options), expected);
    }
    for (options, expected) in [
        (
            "level: 1",
            "option 'level': this name is reserved for the severity of a rule in the configuration",
        ),
        (
            "max_words: 1, \"max-words\": 2",
            "options 'max-words' and 'max_words' are the same: '_' means '-'",
        ),
        (
            "max: #{ value: 1, abuot: \"a\" }",
            "option 'max': unknown key 'abuot'; did you mean 'about'?",
        ),
        ("max: #{ about: \"a\" }", "option 'max': 'value' is missing"),
        (
            "max: #{ value: 1, about: 2 }",
            "option 'max': 'about' must be a string",
        ),
        ("max: \"a\"", "option 'max': a string option needs 'one_of'"),
        (
            "max: #{ value: \"a\", one_of: \"a\" }",
            "option 'max': 'one_of' must be a list of strings",
        ),
        (
            "max: #{ value: 1, one_of: [\"a\"] }",
            "option 'max': the value must be a string, because of 'one_of'",
        ),
        (
            "max: #{ value: \"b\", one_of: [\"a\"] }",
            "option 'max': 'b' is not in 'one_of'",
        ),
        ("max_words: 1, \"max-2\": true, a: [\"b\"]", ""),
    ] {
        assert_eq!(refusal_with(options), expected);
    }
}

#[test]
fn a_code_is_capitals_and_three_digits() {
    let refused = |code: &str| {
        let checks = "check_skill: |skill, out| { }";
        refusal_of(&format!("code: \"{code}\", name: \"a\", {checks}"))
    };
    for code in [
        "foo bar",
        "",
        "TEAM1",
        "TEAM0001",
        "team001",
        "001",
        "MUCHTOOLONG001",
    ] {
        assert_eq!(
            refused(code),
            "'code' must be one to eight uppercase letters A-Z and three digits, for example TEAM001",
            "{code}"
        );
    }
    assert_eq!(refused("TEAM001"), "");
}

#[test]
fn the_size_of_a_declaration_is_bounded() {
    let told = "more than 32 KiB of documentation and options";
    let rule = "rule(#{ code: \"TEAM001\", name: \"a\", check_skill: |skill, out| { } });";
    let page = |lines: usize| {
        format!(
            "{}{rule}",
            "/// A line of thirty-two bytes....\n".repeat(lines)
        )
    };
    assert_eq!(refusal(&page(1000)), "");
    assert_eq!(refusal(&page(1050)), told);
    let part = format!("`{}`", "a".repeat(14_000));
    let word = format!("{part} + {part} + {part}");
    assert_eq!(
        refusal_with(&format!("a: #{{ value: true, about: {word} }}")),
        told
    );
    assert_eq!(
        refusal_with(&format!("a: #{{ value: `x`, one_of: [`x`, {word}] }}")),
        told
    );
    let since =
        format!("code: `TEAM001`, name: `a`, since: {word}, check_skill: |skill, out| {{ }}");
    assert_eq!(refusal_of(&since), told);
    let indexer = format!(
        "/// Reads.\nindexer(#{{ id: `a`, sections: |file, out| {{ }}, extensions: {} }});",
        "{ let all = []; for n in 0..1900 { all.push(`a${n}`); } all }"
    );
    assert_eq!(refusal(&indexer), told);
}

#[test]
fn a_long_default_is_truncated() {
    let long = "é".repeat(1_000);
    let script = format!(
        "/// Reports.\nrule(#{{ code: `TEAM001`, name: `a`, options: #{{ words: [`x`, `{long}`] }}, \
         check_skill: |skill, out| {{ }} }});"
    );
    let script = Host::default()
        .load("a.rhai", script.as_bytes())
        .expect("loads");
    let about = &script.rules()[0].options()[0].about;
    let expected = format!("default [\"x\", \"{}\"…]", "é".repeat(60));
    assert_eq!(*about, expected);
}
