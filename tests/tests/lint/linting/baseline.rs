//! Known findings: `--baseline` and `--write-baseline`.

use std::fs;

use serde_json::{Value, json};
use skillc_tests::{Output, World};

use crate::linting::support::{DEEP, NAMELESS, reports};

/// Default name of the baseline file.
pub(super) const FILE: &str = ".skilllint-baseline.toml";

/// Two skipped levels with identical lines.
const TWICE: &str = "---\nname: twice\ndescription: Skips levels. Use when testing.\n---\n\n# Twice\n\n### Deeper\n\n# Back\n\n### Deeper\n";

pub(super) fn world() -> World {
    let world = World::new();
    world.directory("deep", &[("SKILL.md", DEEP)]);
    world.directory("nameless", &[("SKILL.md", NAMELESS)]);
    world
}

pub(super) fn list(world: &World) -> String {
    fs::read_to_string(world.cwd.join(FILE)).expect("a list")
}

pub(super) fn write(world: &World, text: &str) {
    fs::write(world.cwd.join(FILE), text).expect("a list");
}

pub(super) fn lint(world: &World, args: &[&str]) -> Output {
    world.skc_at(&world.cwd, &[&["lint", "--baseline", FILE], args].concat())
}

/// Returns the rules of the findings shown.
pub(super) fn shown(run: &Output) -> Vec<String> {
    let found = reports(run);
    let found = found
        .iter()
        .filter_map(|report| report["diagnostics"].as_array().cloned());
    let rule = |finding: Value| finding["rule"].as_str().expect("a rule").to_owned();
    found.flatten().map(rule).collect()
}

#[test]
fn listed_findings_are_hidden_and_do_not_fail_the_run() {
    let world = world();
    assert!(!world.skc(["lint", "."]).ok);
    let run = world.skc(["lint", ".", "--write-baseline"]);
    assert!(run.ok, "{run:?}");
    assert!(
        run.stderr
            .contains(&format!("Wrote 2 known findings to {FILE}\n")),
        "{}",
        run.stderr
    );
    let run = lint(&world, &["."]);
    assert!(
        run.ok && run.stderr == format!("Hid 2 known findings listed in {FILE}\n"),
        "{run:?}"
    );
    let json = lint(&world, &[".", "-o", "json"]).json();
    assert_eq!(
        json["baseline"],
        json!({ "file": FILE, "known": 2, "kept": 0, "written": false, "stale": [], "expired": [] })
    );
    assert_eq!(json["error_count"], 0);
    // The report of a single named skill also has the key `baseline`, but only if a baseline is used.
    assert_eq!(
        lint(&world, &["deep", "-o", "json"]).json()["baseline"]["known"],
        1
    );
    assert_eq!(
        world
            .skc(["lint", "deep", "-o", "json"])
            .json()
            .get("baseline"),
        None
    );
}

#[test]
fn the_baseline_is_sorted_readable_toml_and_rewriting_is_idempotent() {
    let world = world();
    world.skc(["lint", "nameless", "deep", "--write-baseline"]);
    let text = list(&world);
    let parsed: toml::Table = text.parse().expect("TOML");
    let findings = parsed["finding"].as_array().expect("a list");
    let of = |at: usize, key: &str| findings[at][key].as_str().expect("a text").to_owned();
    assert_eq!(parsed["version"].as_integer(), Some(1));
    assert_eq!(
        [of(0, "skill"), of(0, "file"), of(0, "rule")],
        ["deep", "SKILL.md", "SKL205"]
    );
    assert_eq!([of(1, "skill"), of(1, "rule")], ["nameless", "SKL101"]);
    world.skc(["lint", ".", "--write-baseline"]);
    assert_eq!(list(&world), text);
    // No temporary file is left.
    assert_eq!(world.cwd.read_dir().unwrap().count(), 3);
}

#[test]
fn a_finding_stays_known_until_its_own_line_changes() {
    let world = world();
    world.skc(["lint", "deep", "--write-baseline"]);
    let edit = |text: String| {
        world.directory("deep", &[("SKILL.md", &text)]);
        shown(&lint(&world, &["deep", "-o", "json"]))
    };
    let moved = DEEP.replace("# Deep\n", "# Deep\n\nMore text.\n") + "\nAnd after it.\n";
    assert_eq!(edit(moved), [""; 0]);
    assert_eq!(edit(DEEP.replace("Deeper", "Another")), ["SKL205"]);
}

#[test]
fn equal_findings_are_known_up_to_the_listed_count() {
    let world = World::new();
    world.directory("twice", &[("SKILL.md", TWICE)]);
    world.skc(["lint", "twice", "--select", "SKL205", "--write-baseline"]);
    assert!(list(&world).contains("count = 2\n"), "{}", list(&world));
    write(&world, &list(&world).replace("count = 2\n", ""));
    let run = lint(&world, &["twice", "--select", "SKL205", "-o", "json"]);
    assert_eq!(shown(&run), ["SKL205"]);
    // One finding has been fixed, so the entry covers one finding too many.
    world.skc(["lint", "twice", "--write-baseline"]);
    world.directory(
        "twice",
        &[("SKILL.md", &TWICE.replace("# Back\n\n### Deeper\n", ""))],
    );
    let run = lint(&world, &["twice"]);
    assert!(
        run.stderr
            .contains("stale: SKL205 at twice/SKILL.md is found once, not twice: "),
        "{}",
        run.stderr
    );
}

#[test]
fn stale_entries_are_reported_and_dropped_on_rewrite() {
    let world = world();
    world.skc(["lint", ".", "--write-baseline"]);
    let listed = list(&world).replace(
        "skill = \"deep\"",
        "skill = \"deep\" # ours\nreason = \"old\"",
    );
    write(&world, &listed);
    world.directory(
        "nameless",
        &[(
            "SKILL.md",
            &NAMELESS.replace("---\nd", "---\nname: nameless\nd"),
        )],
    );
    let run = lint(&world, &["."]);
    assert!(run.ok);
    assert!(
        run.stderr
            .contains("stale: SKL101 at nameless/SKILL.md is no longer found: "),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr
            .contains(&format!("skc lint --baseline {FILE} --write-baseline\n"))
    );
    let stale = &lint(&world, &[".", "-o", "json"]).json()["baseline"]["stale"];
    assert_eq!(
        (&stale[0]["rule"], &stale[0]["unused"], &stale[1]),
        (&json!("SKL101"), &json!(1), &json!(null))
    );
    // A run of another skill or of other rules does not affect the entry.
    for args in [
        &["deep"][..],
        &[".", "--select", "SKL205"],
        &[".", "--ignore", "SKL101"],
    ] {
        let run = lint(&world, &[args, &["-o", "json"]].concat());
        assert_eq!(run.json()["baseline"]["stale"], json!([]), "{args:?}");
        world.skc_at(&world.cwd, &[&["lint", "--write-baseline"], args].concat());
        assert_eq!(list(&world), listed, "{args:?}");
    }
    world.skc(["lint", ".", "--write-baseline"]);
    let text = list(&world);
    assert!(
        !text.contains("SKL101") && text.contains("# ours\nreason = \"old\""),
        "{text}"
    );
}

#[test]
fn an_expired_entry_hides_nothing_and_names_its_expiry_date() {
    let world = world();
    world.skc(["lint", ".", "--write-baseline"]);
    // The test clock is past the expiry date.
    let dated = list(&world).replace(
        "rule = \"SKL101\"",
        "rule = \"SKL101\"\nowner = \"ada\"\nexpires = 2020-02-29",
    );
    write(&world, &dated);
    let run = lint(&world, &["."]);
    assert!(!run.ok && run.stderr.contains("SKL101"), "{run:?}");
    let line = "expired: SKL101 at nameless/SKILL.md:1: due for a fix by 2020-02-29 (owner: ada)\n";
    assert!(run.stderr.contains(line), "{}", run.stderr);
    let json = lint(&world, &[".", "-o", "json"]).json();
    assert_eq!(json["baseline"]["expired"][0]["expires"], "2020-02-29");
    assert_eq!(
        (&json["baseline"]["known"], &json["baseline"]["stale"]),
        (&json!(1), &json!([]))
    );
    // Rewriting the baseline does not extend the deadline.
    assert!(!world.skc(["lint", ".", "--write-baseline"]).ok);
    assert_eq!(list(&world), dated);
    write(&world, &dated.replace("2020", "2096"));
    assert!(lint(&world, &["."]).ok);
}

#[test]
fn an_unreadable_baseline_ends_the_run_with_its_location() {
    let world = world();
    let message = |run: &Output| {
        assert!(run.stdout.is_empty() && !run.ok, "{run:?}");
        run.stderr.lines().next().unwrap_or_default().to_owned()
    };
    let run = lint(&world, &["."]);
    assert_eq!(
        message(&run),
        format!("error[E100]: invalid option: 'no such baseline: {FILE}'")
    );
    assert!(run.stderr.contains("--write-baseline"));
    for (text, fault) in [
        (
            "version = 1\nfindings = 3\n",
            ":2:1: unknown key \"findings\"'",
        ),
        (
            "version = 7\n",
            ":1:11: version 7 is not known; expected 1'",
        ),
        (
            "version = 1\n[[finding]]\nskill = 3\n",
            ":3:9: \"skill\" is 3; expected a string'",
        ),
        ("", ":1:1: there is no \"version = 1\"'"),
    ] {
        write(&world, text);
        let said = message(&lint(&world, &["."]));
        assert_eq!(said, format!("error[E100]: invalid option: '{FILE}{fault}"));
        if !text.is_empty() {
            // The faulty file is not overwritten either.
            message(&world.skc(["lint", ".", "--write-baseline"]));
            assert_eq!(list(&world), text);
        }
    }
    fs::write(world.cwd.join(FILE), b"\xff").unwrap();
    assert!(message(&lint(&world, &["."])).ends_with("cannot be read: not UTF-8'"));
    fs::File::create(world.cwd.join(FILE))
        .unwrap()
        .set_len((16 << 20) + 1)
        .unwrap();
    assert!(message(&lint(&world, &["."])).ends_with("larger than 16 MiB'"));
    let run = world.skc(["lint", ".", "--baseline", "deep"]);
    assert!(
        message(&run).ends_with("baseline deep cannot be read: not a file'"),
        "{run:?}"
    );
}

#[test]
fn the_baseline_covers_findings_left_after_fixes() {
    let world = world();
    let fixable = world.skc(["lint", "deep", "-o", "json"]).json();
    assert_eq!(fixable["diagnostics"][0]["rule"], "SKL205");
    let run = world.skc([
        "lint",
        "deep",
        "--fix",
        "--unsafe-fixes",
        "--write-baseline",
    ]);
    assert!(run.ok, "{run:?}");
    assert_eq!(
        list(&world).contains("SKL205"),
        reports(&world.skc(["lint", "deep", "-o", "json"]))[0]["warning_count"] != 0
    );
    world
        .skc(["lint", ".", "--diff", "--write-baseline"])
        .code("E100");
}

#[test]
fn folders_are_relative_to_the_baseline_file() {
    let world = world();
    fs::create_dir(world.cwd.join("ci")).unwrap();
    world.skc([
        "lint",
        "nameless",
        "--baseline",
        "ci/known.toml",
        "--write-baseline",
    ]);
    let text = fs::read_to_string(world.cwd.join("ci/known.toml")).unwrap();
    assert!(text.contains("skill = \"../nameless\"\n"), "{text}");
    let run = world.skc_at(
        &world.cwd.join("nameless"),
        &["lint", ".", "--baseline", "../ci/known.toml"],
    );
    assert!(run.ok, "{run:?}");
}

#[cfg(unix)]
#[test]
fn a_baseline_keeps_its_permissions_and_its_symlink() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let world = world();
    fs::write(world.cwd.join("real.toml"), "version = 1\n").unwrap();
    let mode = |mode| fs::Permissions::from_mode(mode);
    fs::set_permissions(world.cwd.join("real.toml"), mode(0o600)).unwrap();
    symlink("real.toml", world.cwd.join(FILE)).unwrap();
    assert!(world.skc(["lint", ".", "--write-baseline"]).ok);
    assert!(world.cwd.join(FILE).is_symlink() && list(&world).contains("SKL101"));
    let now = fs::metadata(world.cwd.join("real.toml"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(now & 0o777, 0o600);
}
