//! Tests which values scripts can access, and how their findings are reported.

use skillc_core::testkit::{read_skill, write_files};
use skillc_lint::testkit::lint_skill_by;
use skillc_lint::{Diagnostic, PluginRegistry, Settings};
use skillc_plugins as _;
use skillc_script::Host;
use tempfile::TempDir;

const HIERARCHY: &str = r#"
/// Reports a heading more than one level below the heading before it.
rule(#{
    code: "TEAM205",
    name: "levels",
    check_document: |doc, skill, out| {
        let above = 0;
        for heading in doc.headings {
            if above > 0 && heading.level > above + 1 {
                out.at(heading, `H${above} is followed by H${heading.level}`);
            }
            above = heading.level;
        }
    },
});
"#;

fn lint(script: &str, files: &[(&str, &str)]) -> Vec<Diagnostic> {
    let root = TempDir::new().expect("a directory");
    let dir = root.path().join("demo");
    write_files(&dir, files);
    let mut plugins = PluginRegistry::linked().expect("no duplicates");
    let script = Host::default()
        .load("a.rhai", script.as_bytes())
        .expect("loads");
    script.register(&mut plugins).expect("registers");
    lint_skill_by(
        &plugins,
        &read_skill(&dir),
        vec!["TEAM".to_owned()],
        Settings::default(),
    )
}

fn shown(found: &[Diagnostic]) -> Vec<String> {
    let shown = |d: &Diagnostic| {
        let file = d.file.as_ref().map_or("-", |file| file.as_str());
        format!("{} {file}:{}:{} {}", d.rule, d.line, d.column, d.message)
    };
    found.iter().map(shown).collect()
}

#[test]
fn a_finding_is_located_where_the_script_says() {
    let found = lint(
        HIERARCHY,
        &[("SKILL.md", "---\nname: demo\n---\n# A\n\n### é\n")],
    );
    assert_eq!(shown(&found), ["TEAM205 SKILL.md:6:1 H1 is followed by H3"]);
}

#[test]
fn a_failing_rule_is_reported_with_its_location() {
    let script = "/// Fails.\nrule(#{ code: \"TEAM001\", name: \"fails\", check_document: |doc, skill, out| {\n  let a = 1;\n  doc.nothing();\n} });";
    let found = lint(script, &[("SKILL.md", "# A\n")]);
    let fault = "a.rhai:4:7: no function 'nothing' takes (Document) (rule TEAM001)";
    assert_eq!(shown(&found), [format!("CFG201 SKILL.md:1:1 {fault}")]);
}

#[test]
fn an_endless_loop_is_stopped() {
    let script = "/// Loops.\nrule(#{ code: \"TEAM001\", name: \"loops\", check_document: |doc, skill, out| {\n  loop { }\n} });";
    let found = lint(script, &[("SKILL.md", "# A\n")]);
    let fault = "a.rhai:3:3: more than 2000000 operations (rule TEAM001)";
    assert_eq!(shown(&found), [format!("CFG201 -:1:1 {fault}")]);
}

#[test]
fn calls_do_not_share_state() {
    let script = r#"
let seen = [];
/// Remembers.
rule(#{ code: "TEAM001", name: "remembers", check_document: |doc, skill, out| {
    seen.push(doc.path);
    out.file(doc, `seen ${seen.len}`);
} });
"#;
    let files = [("SKILL.md", "# A\n"), ("a.md", "# B\n"), ("b.md", "# C\n")];
    let found = shown(&lint(script, &files));
    assert_eq!(found.len(), 3);
    assert!(
        found.iter().all(|line| line.ends_with(" seen 1")),
        "{found:?}"
    );
}

#[test]
fn values_have_locations_in_the_file() {
    let script = r#"
/// Looks at the frontmatter and a block of YAML.
rule(#{ code: "TEAM001", name: "looks", check_document: |doc, skill, out| {
    let owner = doc.field("metadata")["owner"];
    out.at(owner, `owner ${owner.text}`);
    for block in doc.code_blocks {
        for item in block.content.yaml() { out.at(item, `${item.key} is ${item.value}`); }
    }
} });
"#;
    let text = "\u{feff}---\r\nname: é\r\nmetadata:\r\n  owner: \"日本\"\r\n---\r\n\r\n```yaml\r\na: 1\r\nb: [x]\r\n```\r\n";
    let found = shown(&lint(script, &[("SKILL.md", text)]));
    let expected = [
        "TEAM001 SKILL.md:4:10 owner 日本",
        "TEAM001 SKILL.md:8:4 a is 1",
        "TEAM001 SKILL.md:9:4 b is Node",
    ];
    assert_eq!(found, expected);
}

#[test]
fn prose_is_the_visible_text() {
    let script = r"
/// Looks for prose.
rule(#{ code: `TEAM001`, name: `prose`, check_document: |doc, skill, out| {
    for found in doc.find_prose(`TODO\d`) { out.at(found, found.text); }
} });
";
    let text = "---\nx: TODO9\n---\n# TODO1\n\n<b title=\"TODO9\">TODO2</b> <!-- TODO9 --> [TODO3](TODO9.md \"TODO9\")\n\
                [TODO4][TODO9] <https://TODO9.de> ![TODO5](&lt;TODO9 \"TODO9\") `TODO9`\n\n\
                <!-- skilllint-disable SKL205 -- TODO9 -->\n\n| TODO6 |\n|---|\n| a |\n\n> - TODO7 <i\n>   id=TODO9> TODO8\n\n\
                [TODO9]: TODO9.md 'TODO9'\n\n    TODO9\n\n```TODO9\nTODO9\n```\n";
    let found = shown(&lint(script, &[("SKILL.md", text)]));
    let found: Vec<&str> = found
        .iter()
        .filter_map(|line| line.split(' ').nth(2))
        .collect();
    let expected: Vec<String> = (1..9).map(|number| format!("TODO{number}")).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_quoted_code_block_has_its_code_and_locations() {
    let script = r#"
/// Reads blocks of YAML.
rule(#{ code: "TEAM001", name: "reads", check_document: |doc, skill, out| {
    for block in doc.code_blocks {
        let content = block.content;
        for item in content.yaml() { out.at(item, `${item.key} is ${item.value}`); }
        for line in content.lines { out.at(line, `line ${line.text}`); }
        out.at(content, `${content.text} ${content.last_line} ${content.source}`);
    }
} });
"#;
    let text = "# A\n\n> ```yaml\n> é: 1\n> b: 2\n> ```\n";
    let found = shown(&lint(script, &[("SKILL.md", text)]));
    let expected = [
        "TEAM001 SKILL.md:4:3 line é: 1",
        "TEAM001 SKILL.md:4:3 é: 1\nb: 2\n 5 é: 1\n> b: 2\n",
        "TEAM001 SKILL.md:4:6 é is 1",
        "TEAM001 SKILL.md:5:3 line b: 2",
        "TEAM001 SKILL.md:5:6 b is 2",
    ];
    assert_eq!(found, expected.map(|line| line.replace('\n', " ")));
}

#[test]
fn a_pattern_that_is_too_large_is_reported_with_the_limit_and_a_hint() {
    let found = |pattern: &str| {
        let script = format!(
            "/// Looks.\nrule(#{{ code: `TEAM001`, name: `looks`, check_document: |doc, skill, out| {{ doc.is_match(`{pattern}`); }} }});"
        );
        shown(&lint(&script, &[("SKILL.md", "# A\n")]))
    };
    let large = found(r"\w{1,200}");
    let told = r"pattern '\w{1,200}': is too large when compiled, over 256 KiB: use fewer repetitions, or only ASCII, as in `(?-u:\w)`";
    assert!(large.len() == 1 && large[0].contains(told), "{large:?}");
    assert!(found(r"(?-u:\w){1,200}").is_empty());
}

#[test]
fn a_long_line_is_split_between_words() {
    let script = "/// Counts.\nrule(#{ code: `TEAM001`, name: `counts`, check_document: |doc, skill, out| { \
        out.at(doc.headings.first, `${doc.find_all(`\\bword\\b`).count()}`); } });";
    let text = format!("# A\n\n{}\n", "word ".repeat(20_000));
    let found = shown(&lint(script, &[("SKILL.md", &text)]));
    assert_eq!(found, ["TEAM001 SKILL.md:1:1 20000"]);
}

#[test]
fn a_line_is_not_split_for_a_pattern_large_only_due_to_unicode() {
    let script = "/// Counts.\nrule(#{ code: `TEAM001`, name: `counts`, check_document: |doc, skill, out| { \
        out.at(doc.headings.first, `${doc.find_all(`^\\w+ \\w+ \\w+`).count()}`); } });";
    let text = format!("# A\n\n{}\n", "word ".repeat(4_000));
    let found = shown(&lint(script, &[("SKILL.md", &text)]));
    assert_eq!(found, ["TEAM001 SKILL.md:1:1 1"]);
}

#[test]
fn lists_labels_anchors_and_line_ranges_are_accessible() {
    let script = r#"
/// Reports what it sees.
rule(#{
    code: "TEAM001",
    name: "sees",
    check_main: |doc, skill, out| {
        for item in doc.list_items {
            out.at(item, `${item.level} ${item.marker} ${item.number} ${item.is_done}: ${item.content}`);
        }
        for link in doc.links {
            out.at(link.label, `${link.kind}: ${link.label}`);
        }
        for heading in doc.headings {
            out.at(heading, `#${heading.anchor}`);
        }
        for tag in doc.inline_html {
            out.at(tag, `html ${tag}`);
        }
        out.at(doc.line_range(6, 7), `${doc.line_range(6, 7).lines.len} ${doc.line_range(9, 2).is_empty} ${doc.line_range(-1, 999).len == doc.text.len}`);
        for key in ["name", "a", "b", "c", "d", "e", "f"] {
            out.at(doc.field(key), `${key}: ${doc.field(key).style}`);
        }
    },
});
"#;
    let text = "---\nname: demo\na: 'x'\nb: \"x\"\nc: |\n  x\nd: >-\n  x\ne: [1]\nf:\n---\n# Same\n\n## Same\n\n\
                3. [x] one\n   - two <br>\n\n![a *b*](c.png) [d](e.md)\n";
    let shown = shown(&lint(script, &[("SKILL.md", text)]));
    let expected = [
        "2:7 name: plain",
        "3:4 a: single-quoted",
        "4:4 b: double-quoted",
        "6:1 2 true true",
        "6:3 c: literal",
        "8:3 d: folded",
        "9:4 e: ",
        "10:2 f: ",
        "12:1 #same",
        "14:1 #same-1",
        "16:1 1 3. 3 true: [x] one    - two <br>",
        "17:4 2 -  : two <br>",
        "17:10 html <br>",
        "19:3 image: a *b*",
        "19:18 inline: d",
    ];
    let expected: Vec<String> = expected
        .iter()
        .map(|line| format!("TEAM001 SKILL.md:{line}"))
        .collect();
    assert_eq!(shown, expected);
}
