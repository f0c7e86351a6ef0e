//! Build output (compiled skills).

use skillc_tests::World;

use crate::linting::support::{findings, linted, reports};

const RUNTIME: &str = ".skillc/runtime/demo";
const INFO: &str = "info: skipping compiled skill 'demo'\n";

/// C-REGISTRY.2, C-SCOPE@8.2, D-INFO-STREAM.
#[test]
fn a_compiled_skill_is_skipped_with_a_message() {
    let world = World::built(&[]);
    let text = world.skc(["lint", RUNTIME]).success();
    assert_eq!((text.text(), text.stderr.as_str()), (INFO, ""));
    let json = world.skc(["lint", RUNTIME, "-o", "json"]).success();
    assert_eq!(json.stderr, INFO);
    let report = &reports(&json)[0];
    assert_eq!(report["skipped"], true);
    assert_eq!(findings(report), Vec::<String>::new());
}

/// C-REGISTRY.2, C-SCOPE@8.2: only the manifest decides whether a skill counts as compiled.
#[test]
fn a_skill_is_compiled_if_and_only_if_it_has_a_manifest() {
    let world = World::new();
    let faulty = "---\n---\n";
    let manifest = (".skillc-meta/manifest.json", "no JSON");
    world.directory("with", &[("SKILL.md", faulty), manifest]);
    world.directory(
        "without",
        &[("SKILL.md", faulty), (".skillc-meta/logs.db", "")],
    );
    assert_eq!(
        world.skc(["lint", "with"]).success().text(),
        "info: skipping compiled skill 'with'\n"
    );
    let run = world.skc(["lint", "without"]);
    assert!(!run.ok && run.stderr.contains("SKL101"), "{run:?}");
}

/// C-REGISTRY.3, C-COMMANDS.6.
#[test]
fn force_lints_a_compiled_skill_with_all_rules_and_a_note() {
    let world = World::built(&[]);
    for force in ["--force", "-f"] {
        let run = world.skc(["lint", RUNTIME, force]);
        let line = "warning[W300]: SKL001 skip-compiled: linting compiled skill; results may not be meaningful";
        assert!(run.stderr.lines().any(|found| found == line), "{run:?}");
        assert!(!run.text().contains("skipping"), "{run:?}");
    }
    let world = World::new();
    let files = [
        ("SKILL.md", "---\n---\n"),
        (".skillc-meta/manifest.json", "{}"),
    ];
    world.directory("faulty", &files);
    let run = world.skc(["lint", "faulty", "--force", "-o", "json"]);
    assert!(!run.ok, "{run:?}");
    let found = findings(&reports(&run)[0]);
    for rule in ["SKL001 SKILL.md", "SKL101 SKILL.md", "SKL105 SKILL.md"] {
        assert!(
            found.iter().any(|finding| finding == rule),
            "{rule}: {found:?}"
        );
    }
}

/// C-REGISTRY.3: `--force` affects only compiled skills.
#[test]
fn force_changes_nothing_for_a_source() {
    let world = World::built(&[("a.md", "# A\n\n### B\n")]);
    let plain = world.skc(["lint", "demo", "-o", "json"]);
    let forced = world.skc(["lint", "demo", "-o", "json", "--force"]);
    assert_eq!(plain.json(), forced.json());
}

/// C-REGISTRY.2, D-INFO-STREAM.
#[test]
fn a_compiled_skill_among_others_is_skipped_in_order() {
    let world = World::built(&[]);
    world.directory("other", &[]);
    let args = [RUNTIME, "other", "demo"];
    assert_eq!(
        linted(&world, &args),
        [RUNTIME, "other", ".skillc/skills/demo"]
    );
    let run = world.skc(["lint", RUNTIME, "other"]).success();
    assert!(run.text().starts_with(INFO), "{run:?}");
    assert!(
        run.text().contains("2 skills: ") && run.text().contains(", 1 skipped"),
        "{run:?}"
    );
    assert!(
        world
            .skc(["lint", "-o", "json"])
            .success()
            .stderr
            .is_empty()
    );
}
