//! Rejected scripts: a finding in lint, a warning in other commands, and an error if the script was named explicitly.

use std::fs;

use serde_json::{Value, json};
use skillc_core::testkit::write_files;

use crate::plugins::support::{PROJECT, TODO, UNDONE, found, listed, rule, world};

/// R3, R5: the message names both locations, and the first script stays loaded.
#[test]
fn of_two_conflicting_scripts_the_later_is_skipped() {
    for (second, said) in [
        (
            rule("TEAM001", "other"),
            "rule code 'TEAM001' is claimed by two plug-ins: .skillc/plugins/a.rhai:2 and .skillc/plugins/b.rhai:2",
        ),
        (
            rule("TEAM002", "one"),
            "rule name 'one' is claimed by two plug-ins: .skillc/plugins/a.rhai:2 and .skillc/plugins/b.rhai:2",
        ),
        (
            rule("TEAM002", "heading-hierarchy"),
            "rule name 'heading-hierarchy' is claimed by two plug-ins: package 'skillc-rules' and .skillc/plugins/b.rhai:2",
        ),
        (
            rule("SKL205", "mine"),
            "rule code 'SKL205': codes that start with SKL are reserved for skillc",
        ),
        (
            rule("CFG901", "mine"),
            "codes that start with CFG are reserved for skillc",
        ),
        (
            rule("E901", "mine"),
            "codes that start with E are reserved for skillc",
        ),
        (
            rule("team", "mine"),
            "uppercase letters A-Z and three digits",
        ),
    ] {
        let world = world(&[("a.rhai", &rule("TEAM001", "one")), ("b.rhai", &second)]);
        assert_eq!(
            listed(&world, &world.cwd, &[]),
            ["TEAM001 .skillc/plugins/a.rhai:2"]
        );
        let findings = found(&world.skc(["lint", "demo", "-o", "json"]));
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(
            findings[0].starts_with("CFG201 ") && findings[0].contains(said),
            "{findings:?}"
        );
    }
}

/// R5.
#[test]
fn the_project_takes_precedence_over_the_home_folder() {
    let world = world(&[("z.rhai", &rule("TEAM001", "one"))]);
    for (code, name) in [("TEAM001", "other"), ("TEAM002", "one")] {
        write_files(
            &world.home,
            &[(".skillc/plugins/a.rhai", &rule(code, name))],
        );
        assert_eq!(
            listed(&world, &world.cwd, &[]),
            ["TEAM001 .skillc/plugins/z.rhai:2"]
        );
        let findings = found(&world.skc(["lint", "demo", "-o", "json"]));
        let home = world.home.join(".skillc/plugins/a.rhai");
        let at = format!("CFG201 {}:2 ", home.display());
        assert!(
            findings.len() == 1 && findings[0].starts_with(&at),
            "{findings:?}"
        );
    }
}

#[test]
fn a_script_is_loaded_completely_or_not_at_all() {
    let both = rule("TEAM001", "one") + rule("SKL999", "two").as_str();
    let world = world(&[("a.rhai", &both)]);
    assert_eq!(listed(&world, &world.cwd, &[]), [""; 0]);
}

/// R20: lint reports a finding and continues; every other command that uses scripts warns.
#[test]
fn a_fault_is_a_finding_of_lint_and_a_warning_elsewhere() {
    let world = world(&[("a.rhai", TODO), ("bad.rhai", "let x = ;\n")]);
    let lint = world.skc(["lint", "demo", "-o", "json"]);
    let findings = found(&lint);
    assert_eq!(findings.len(), 2, "{findings:?}");
    assert!(findings[0].starts_with("CFG201 .skillc/plugins/bad.rhai:1 "));
    assert!(findings[1].starts_with("TEAM001 SKILL.md:8 "));
    assert!(!lint.stderr.contains("W029"), "{}", lint.stderr);
    for args in [
        &["rules"][..],
        &["explain", "TEAM001"],
        &["build", "demo"],
        &["plugin", "list"],
        &["plugin", "doc"],
    ] {
        let run = world.skc_at(&world.cwd, args);
        let said = run
            .stderr
            .matches("warning[W029]: skipped plugin: .skillc/plugins/bad.rhai:1:");
        assert_eq!(said.count(), 1, "{args:?}: {}", run.stderr);
        assert!(!run.stdout.is_empty(), "{args:?}");
    }
    // Commands that use no scripts do not load them.
    for args in [&["list"][..], &["show", "demo", "--section", "Demo"]] {
        let run = world.skc_at(&world.cwd, args);
        assert!(!run.stderr.contains("W029"), "{args:?}: {}", run.stderr);
    }
}

/// R20: for any number of skills, there is one finding, and its location is in the script.
#[test]
fn a_script_that_fails_to_load_is_reported_once_with_its_location() {
    let world = world(&[("bad.rhai", "let ok = 1;\nlet x = ;\n")]);
    for name in ["more", "other"] {
        let text = UNDONE.replace("name: demo", &format!("name: {name}"));
        world.project_skill(name, &[("SKILL.md", &text)]);
    }
    let lint = |args: &[&str]| {
        let run = world.skc_at(&world.cwd, &[&["lint"], args].concat());
        assert!(!run.ok, "{args:?}");
        run.text().to_owned() + &*run.stderr
    };
    let place = ".skillc/plugins/bad.rhai:2:9";
    for (args, said) in [
        (&[][..], "error[E300]: CFG201 script-failed: "),
        (
            &[],
            &format!("  --> {place}\n  |\n2 | let x = ;\n  |         ^\n"),
        ),
        (&["-o", "concise"], &format!("\n{place}: error: ")),
        (
            &["-o", "github"],
            "::error file=.skillc/plugins/bad.rhai,line=2,endLine=2,col=9,",
        ),
        (&["-o", "gitlab"], "\"path\": \".skillc/plugins/bad.rhai\""),
        (&["-o", "junit"], "file=\".skillc/plugins/bad.rhai\""),
        (&["-o", "sarif"], "\"uri\": \".skillc/plugins/bad.rhai\""),
    ] {
        let told = format!("\n{}", lint(args));
        assert_eq!(told.matches(said).count(), 1, "{args:?} {said}\n{told}");
    }
    let json = world.skc(["lint", "-o", "json"]).json();
    let skills = json["skills"].as_array().unwrap().iter();
    let all: Vec<&Value> = skills
        .flat_map(|skill| skill["diagnostics"].as_array().unwrap())
        .collect();
    let told: Vec<_> = all
        .iter()
        .filter(|finding| finding["rule"] == "CFG201")
        .collect();
    assert_eq!(told.len(), 1, "{json:#}");
    assert_eq!(told[0]["file"], ".skillc/plugins/bad.rhai");
    assert_eq!(
        (&told[0]["line"], &told[0]["column"]),
        (&json!(2), &json!(9))
    );
    assert_eq!(json["error_count"], 1);
    world.skc(["lint", "--ignore", "CFG201"]).success();
}

/// R20: a baseline must not hide the failure, because the findings that the script would report are unknown.
#[test]
fn a_script_that_fails_to_load_is_never_a_known_finding() {
    let world = world(&[("bad.rhai", "let x = ;\n")]);
    let told = "CFG201";
    let listing = world.skc_at(&world.cwd, &["lint", "--write-baseline"]);
    assert!(!listing.ok && listing.stderr.contains(told));
    let list = world.cwd.join(".skilllint-baseline.toml");
    let text = fs::read_to_string(&list).unwrap();
    assert!(!text.contains(told), "{text}");
    let by_hand = "\n[[finding]]\nskill = \"demo\"\nfile = \"SKILL.md\"\nrule = \"CFG201\"\nfingerprint = \"0\"\n";
    fs::write(&list, text + by_hand).unwrap();
    let run = world.skc_at(
        &world.cwd,
        &["lint", "--baseline", ".skilllint-baseline.toml"],
    );
    assert!(!run.ok && run.stderr.contains(told));
}

/// R20: if the selected rule is missing because its script failed to load, the error names the script.
#[test]
fn a_rule_missing_with_its_script_is_reported_with_the_cause() {
    let world = world(&[("words.rhai", "let x = ;\n")]);
    let cause = "A script failed to load: .skillc/plugins/words.rhai:1:";
    let is_told = |args: &[&str]| {
        let run = world.skc_at(&world.cwd, args);
        run.code("E100");
        for said in ["unknown rule \"words\"", cause, "; see skc plugin check"] {
            assert!(run.stderr.contains(said), "{said}\n{}", run.stderr);
        }
    };
    is_told(&["lint", "demo", "--select", "words"]);
    write_files(
        &world.demo_source(),
        &[(".skilllint.toml", "[rules]\nwords = \"error\"\n")],
    );
    is_told(&["lint", "demo"]);
    // Without faulty scripts, there is no additional hint.
    write_files(&world.cwd.join(PROJECT), &[("words.rhai", TODO)]);
    let run = world.skc(["lint", "demo", "--select", "words"]);
    run.code("E100");
    assert!(
        !run.stderr.contains("could not be loaded"),
        "{}",
        run.stderr
    );
}

/// R5, R20.
#[test]
fn named_scripts_must_exist_and_load() {
    let world = world(&[]);
    write_files(
        &world.cwd,
        &[
            ("good.rhai", TODO),
            ("bad.rhai", "let x = ;\n"),
            ("bin.rhai", "rule(\0"),
            ("folder/bad.rhai", "rule("),
        ],
    );
    let large = "//".to_owned() + "x".repeat(256 << 10).as_str();
    write_files(&world.cwd, &[("large.rhai", &large), ("empty/a.md", "")]);
    for (path, said) in [
        ("nope.rhai", "nope.rhai\" does not exist"),
        ("bad.rhai", "bad.rhai:1:"),
        ("bin.rhai", "contains a NUL byte"),
        ("folder", "folder/bad.rhai:1:"),
        ("large.rhai", "larger than 256 KiB"),
        ("empty", "no script in \""),
    ] {
        for args in [
            &["lint", "demo"][..],
            &["build", "demo"],
            &["search", "demo", "x"],
            &["rules"],
            &["explain", "SKL205"],
            &["plugin", "list"],
            &["plugin", "doc"],
            &["mcp"],
        ] {
            let args = [args, &["--plugin", "good.rhai", "--plugin", path]].concat();
            let run = world.skc_at(&world.cwd, &args);
            run.code("E100");
            assert!(run.stderr.contains(said), "{args:?}: {}", run.stderr);
            assert!(run.stdout.is_empty(), "{args:?}");
        }
    }
    for command in ["check", "test"] {
        let run = world.skc(["plugin", command, "empty"]);
        run.code("E100");
        assert!(run.stderr.contains("no script in \""), "{run:?}");
    }
    world
        .skc(["list", "--plugin", "good.rhai"])
        .error("error[E100]: invalid option: 'unknown option --plugin'");
}

/// R5: reporting all faults lets the author fix them in one go.
#[test]
fn all_faults_of_named_scripts_are_reported() {
    let world = world(&[]);
    write_files(
        &world.cwd,
        &[
            ("one.rhai", "let x = ;\n"),
            ("two.rhai", "rule("),
            ("good.rhai", TODO),
        ],
    );
    let named = |paths: &[&str]| {
        let args = paths.iter().flat_map(|path| ["--plugin", path]);
        let args: Vec<&str> = ["lint", "demo"].into_iter().chain(args).collect();
        world.skc_at(&world.cwd, &args)
    };
    let one = named(&["good.rhai", "one.rhai"]);
    one.code("E100");
    assert!(
        one.stderr.contains("'plugin: one.rhai:1:9: "),
        "{}",
        one.stderr
    );
    let all = named(&["one.rhai", "good.rhai", "nope.rhai", "two.rhai"]);
    all.code("E100");
    for said in [
        "'3 plug-in faults'",
        "' does not exist",
        "one.rhai:1:9: ",
        "two.rhai:1:",
    ] {
        assert_eq!(
            all.stderr.matches(said).count(),
            1,
            "{said}\n{}",
            all.stderr
        );
    }
}

/// A project script named explicitly is loaded once.
#[test]
fn a_script_both_discovered_and_named_is_loaded_once() {
    let world = world(&[("a.rhai", TODO)]);
    let script = format!("{PROJECT}/a.rhai");
    let run = world.skc_at(
        &world.cwd,
        &[
            "lint", "demo", "-o", "json", "--plugin", &script, "--plugin", PROJECT,
        ],
    );
    assert_eq!(found(&run).len(), 1, "{}", run.text());
}

/// R20: a rule that exceeds a limit is disabled for that run only.
#[test]
fn a_rule_that_exceeds_a_limit_is_reported_and_lint_continues() {
    let endless = TODO
        .replace("TEAM001", "TEAM009")
        .replace("no-todo", "endless")
        .replace("for word in out", "loop { } for word in out");
    let world = world(&[("a.rhai", TODO), ("endless.rhai", &endless)]);
    let findings = found(&world.skc(["lint", "demo", "-o", "json"]));
    assert_eq!(findings.len(), 2, "{findings:?}");
    assert!(findings[0].contains("endless.rhai:"), "{findings:?}");
}
