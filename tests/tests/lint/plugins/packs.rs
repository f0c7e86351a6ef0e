//! Packs: valid keys of `pack.toml`; no script of a faulty pack is loaded.

use skillc_core::testkit::write_files;
use skillc_tests::World;

use crate::plugins::support::{PROJECT, found, listed, rule, world};

const PACK: &str =
    "name = \"house\"\nversion = \"1.2.0\"\ndescription = \"Our rules\"\nskc = \"0.3.0\"\n";

fn packed(pack: &str) -> World {
    world(&[
        ("house/pack.toml", pack),
        ("house/rules/a.rhai", &rule("TEAM001", "one")),
        ("b.rhai", &rule("TEAM002", "two")),
    ])
}

/// R5.
#[test]
fn the_list_names_the_pack_of_a_script() {
    let world = packed(PACK);
    let json = world.skc(["plugin", "list", "-o", "json"]).json();
    let rules = json["rules"].as_array().unwrap();
    let pack_of = |code: &str| {
        let rule = rules.iter().find(|rule| rule["code"] == code);
        rule.expect("exists")["pack"].clone()
    };
    assert_eq!(pack_of("TEAM001")["name"], "house");
    assert_eq!(pack_of("TEAM001")["version"], "1.2.0");
    assert!(pack_of("TEAM002").is_null());
    let text = world.skc(["plugin", "list"]);
    assert!(text.text().contains("house 1.2.0"), "{}", text.text());
    // A pack can also be named on the command line.
    let other = World::project();
    write_files(
        &other.cwd,
        &[
            ("house/pack.toml", PACK),
            ("house/a.rhai", &rule("TEAM001", "one")),
        ],
    );
    let text = other.skc(["plugin", "list", "--plugin", "house"]);
    assert!(text.text().contains("house 1.2.0"), "{}", text.text());
}

/// R5: a script belongs to its pack even if named alone.
#[test]
fn a_script_named_alone_belongs_to_its_pack() {
    let world = World::project();
    write_files(
        &world.cwd,
        &[
            ("house/pack.toml", PACK),
            ("house/rules/a.rhai", &rule("TEAM001", "one")),
        ],
    );
    let script = "house/rules/a.rhai";
    let listed = world.skc(["plugin", "list", "--plugin", script]);
    assert!(listed.text().contains("house 1.2.0"), "{}", listed.text());
    world.skc(["plugin", "check", script]).success();
    world.skc(["plugin", "test", script]).success();
    let newer = PACK.replace("0.3.0", "9.0.0");
    write_files(&world.cwd, &[("house/pack.toml", &newer)]);
    let said = "needs skc 9.0.0";
    let rules = world.skc(["rules", "--plugin", script]);
    rules.code("E100");
    assert!(rules.stderr.contains(said), "{}", rules.stderr);
    for args in [["check", script], ["test", script], ["test", "house"]] {
        let run = world.skc_at(&world.cwd, &["plugin", args[0], args[1]]);
        assert!(!run.ok && run.text().contains(said), "{run:?}");
    }
    // Parent folders of a script folder are not searched for packs.
    write_files(
        &world.cwd,
        &[
            (".skillc/pack.toml", &newer),
            (".skillc/plugins/b.rhai", &rule("TEAM002", "two")),
        ],
    );
    world
        .skc(["plugin", "check", ".skillc/plugins/b.rhai"])
        .success();
}

/// R5, R20.
#[test]
fn a_faulty_pack_is_not_loaded_and_its_location_is_reported() {
    let large = format!("{PACK}#{}", "x".repeat(64 << 10));
    for (pack, said) in [
        (
            PACK.replace("version", "verison"),
            "pack.toml:2:1: unknown key 'verison'; did you mean 'version'?",
        ),
        (
            PACK.replace("name = \"house\"\n", ""),
            "pack.toml: has no 'name'",
        ),
        (
            PACK.replace("0.3.0", "9.0.0"),
            "pack.toml:4:7: needs skc 9.0.0; this is ",
        ),
        (PACK.replace("\"house\"", "house"), "pack.toml:1:8: "),
        (large, "pack.toml: larger than 64 KiB"),
    ] {
        let world = packed(&pack);
        assert_eq!(
            listed(&world, &world.cwd, &[]),
            ["TEAM002 .skillc/plugins/b.rhai:2"],
            "{said}"
        );
        let rules = world.skc(["rules"]);
        let line = format!("skipped plugin: .skillc/plugins/house/{said}");
        assert_eq!(rules.stderr.matches("W029").count(), 1, "{}", rules.stderr);
        assert!(rules.stderr.contains(&line), "{}", rules.stderr);
        let run = world.skc(["lint", "demo", "-o", "json"]);
        let findings = found(&run);
        // Compare only the text after the location, because a finding has its column in a separate field.
        let (_, message) = said.split_once(": ").unwrap();
        let is_told = findings[0].starts_with("CFG201 .skillc/plugins/house/pack.toml:")
            && findings[0].contains(message);
        assert!(findings.len() == 1 && is_told, "{findings:?}");
        let named = format!("{PROJECT}/house");
        world
            .skc_at(&world.cwd, &["rules", "--plugin", &named])
            .code("E100");
        let check = world.skc_at(&world.cwd, &["plugin", "check", &named]);
        assert!(check.text().contains(said.split(": ").nth(1).unwrap()));
    }
}
