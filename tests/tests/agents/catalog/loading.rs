//! `skc catalog load`: runs and logging.

use std::fs;

use skillc_tests::World;

use crate::catalog::support::{configure, json, skc, skill};

/// CAT-LOAD.12.
#[test]
fn runs_are_identified_by_id_and_without_one_everything_is_sent() {
    let mut world = World::project();
    skill(&world, "demo", "One");
    let is_sent = |world: &World| {
        !json(world, &["load", "demo"])["already_loaded"]
            .as_bool()
            .expect("a flag")
    };
    assert!(
        is_sent(&world) && is_sent(&world),
        "without an id, nothing is remembered"
    );
    assert!(!world.home.join(".skillc/state.db").exists());
    world.set("SKC_RUN_ID", "one");
    assert!(is_sent(&world) && !is_sent(&world));
    world.set("SKC_RUN_ID", "two");
    assert!(is_sent(&world), "another run has loaded nothing");
    let data = json(&world, &["inspect"]);
    assert_eq!(data["run_id"], "two");
    assert_eq!(data["skills"]["loaded_versions"][0]["loads"], 1);
    // The audit log is in the same file.
    skc(&world, &["audit"]).success();
}

/// CAT-LOAD.12.
#[test]
fn with_an_unusable_state_file_the_text_is_sent_again() {
    let mut world = World::project();
    skill(&world, "demo", "One");
    fs::create_dir_all(world.home.join(".skillc")).expect("a directory");
    fs::write(world.home.join(".skillc/state.db"), "no database").expect("a file");
    world.set("SKC_RUN_ID", "one");
    for _ in 0..2 {
        let output = skc(&world, &["catalog", "load", "demo"]).success();
        assert!(output.text().contains("BODY-OF-demo"));
        assert_eq!(output.stderr, "");
    }
}

/// CAT-LOAD.20.
#[test]
fn loads_and_refused_loads_are_in_the_access_log() {
    let world = World::project();
    world.project_skill("demo", &[]);
    skc(&world, &["catalog", "load", "demo"]).success();
    configure(
        &world,
        "version = 1\n[permissions]\ndeny = [{ tool = \"skill_load\", skill_name = \"demo\" }]\n",
    );
    skc(&world, &["catalog", "load", "demo"]).code("E062");
    skc(&world, &["catalog", "load", ".skillc/skills/demo"]).code("E062");
    configure(
        &world,
        "version = 1\n[[skills.override]]\nname = \"demo\"\nenabled = false\n",
    );
    skc(&world, &["catalog", "load", "demo"]).code("E064");
    skc(&world, &["catalog", "load", "nobody"]).code("E001");
    let stats = skc(
        &world,
        &["stats", "demo", "--group-by", "commands", "-o", "json"],
    )
    .success();
    let text = stats.text();
    assert!(text.contains("\"load\""), "{text}");
    let errors = skc(
        &world,
        &["stats", "demo", "--group-by", "errors", "-o", "json"],
    )
    .success();
    assert!(errors.text().contains("E062"), "{}", errors.text());
    assert!(errors.text().contains("E064"), "{}", errors.text());
}

/// CAT-LOAD.19.
#[test]
fn a_leading_dollar_is_ignored_and_a_separator_means_a_path() {
    let world = World::project();
    skill(&world, "demo", "One");
    for asked in [
        "demo",
        "$demo",
        ".agents/skills/demo",
        ".agents/skills/demo/SKILL.md",
    ] {
        let output = skc(&world, &["catalog", "load", asked]).success();
        assert!(output.text().contains("BODY-OF-demo"), "{asked}");
    }
    assert!(
        skc(&world, &["skills", "load", "demo"]).ok,
        "`skills` is an alias of `catalog`"
    );
}

/// CAT-DISC.2: the catalog does not include client folders unless they are configured; the error says how to add such a
/// folder.
#[test]
fn the_error_for_a_skill_in_a_client_folder_names_the_setting_to_add_it() {
    let world = World::project();
    world.directory(
        ".claude/skills/c1",
        &[(
            "SKILL.md",
            "---\nname: c1\ndescription: A skill. Use when testing.\n---\n\n# C1\n",
        )],
    );
    let failed = skc(&world, &["catalog", "load", "c1"]);
    failed.code("E001");
    let roots = "roots = [\"skillc\", \"agents\", \"claude-code\"]";
    let hint = format!(
        "Found in '.claude/skills/c1', which is not a catalog folder. To add it, set {roots} under [catalog] in config.toml"
    );
    assert!(failed.stderr.contains(&hint), "{failed:?}");
    configure(&world, &format!("version = 1\n[catalog]\n{roots}\n"));
    skc(&world, &["catalog", "load", "c1"]).success();
}
