//! `skc catalog enable` and `disable`.

use std::fs;

use skillc_tests::World;

use crate::catalog::support::{
    configure, configure_user, json, names, project_file, skc, skill, user_file, user_skill,
};

/// CAT-PICK.9.
#[test]
fn disabling_and_enabling_a_skill_leaves_no_trace_in_the_file() {
    let world = World::project();
    skill(&world, "demo", "One");
    let data = json(&world, &["disable", "demo"]);
    assert_eq!(
        (&data["enabled"], &data["change"]),
        (&false.into(), &"added".into())
    );
    assert_eq!(
        project_file(&world),
        "version = 1\n\n[[skills.override]]\nname = \"demo\"\nenabled = false\n"
    );
    let output = skc(&world, &["catalog", "load", "demo"]);
    output.code("E064");
    assert!(output.stderr.contains("config.toml"), "{}", output.stderr);
    assert_eq!(
        names(&json(&world, &["search", "demo"])["results"]),
        [""; 0]
    );
    assert_eq!(json(&world, &["disable", "demo"])["change"], "unchanged");
    assert_eq!(json(&world, &["enable", "demo"])["change"], "removed");
    assert_eq!(project_file(&world), "version = 1\n");
    assert_eq!(json(&world, &["enable", "demo"])["change"], "unchanged");
    skc(&world, &["catalog", "load", "demo"]).success();
}

/// CAT-PICK.9, D24.
#[test]
fn enable_does_not_override_the_user_in_an_untrusted_project() {
    let world = World::project();
    skill(&world, "demo", "One");
    skc(&world, &["catalog", "disable", "demo", "--global"]).success();
    let data = json(&world, &["enable", "demo"]);
    assert_eq!(data["enabled"], false);
    let note = data["notes"][0].as_str().expect("a note");
    let users = world.home.join(".skillc/config.toml");
    let expected = format!("is still disabled by {}.", users.display());
    assert!(note.ends_with(&expected), "{note}");
    let how = data["notes"][1].as_str().expect("a note");
    let root = world.cwd.canonicalize().expect("should exist");
    let expected = format!(
        "add '{}' to permissions.trust_projects in {}",
        root.display(),
        users.display()
    );
    assert!(how.contains(&expected), "{how}");
    skc(&world, &["catalog", "load", "demo"]).code("E064");
    skc(&world, &["catalog", "enable", "demo", "--global"]).success();
    skc(&world, &["catalog", "load", "demo"]).success();
}

/// CAT-PICK.9.
#[test]
fn a_trusted_project_takes_precedence_and_enable_overrides_the_user() {
    let world = World::project();
    skill(&world, "demo", "One");
    let root = world.cwd.canonicalize().expect("should exist");
    let trust = format!("[permissions]\ntrust_projects = [\"{}\"]\n", root.display());
    configure_user(&world, &trust);
    skc(&world, &["catalog", "disable", "demo", "--global"]).success();
    let data = json(&world, &["enable", "demo"]);
    assert_eq!(data["enabled"], true);
    assert!(!data["notes"].to_string().contains("trust"), "{data}");
    assert!(project_file(&world).contains("enabled = true"));
    skc(&world, &["catalog", "load", "demo"]).success();
    // Disabling again replaces the entry instead of adding one.
    let data = json(&world, &["disable", "demo"]);
    assert_eq!(
        (&data["change"], &data["enabled"]),
        (&"replaced".into(), &false.into())
    );
    assert_eq!(
        project_file(&world).matches("[[skills.override]]").count(),
        1
    );
    // Enabling the skill in the user's file removes the entry there. But the project's entry still disables the skill,
    // and the output says so.
    let data = json(&world, &["enable", "demo", "--global"]);
    assert_eq!(
        (&data["change"], &data["enabled"]),
        (&"removed".into(), &false.into())
    );
    assert!(
        data["notes"][0]
            .as_str()
            .is_some_and(|note| note.contains("is still disabled"))
    );
    let text = skc(&world, &["catalog", "enable", "demo", "--global"]).success();
    assert!(
        text.text().starts_with("demo is still disabled\n"),
        "{}",
        text.text()
    );
}

#[test]
fn a_path_selects_one_of_two_skills_and_a_name_both() {
    let world = World::project();
    skill(&world, "twice", "One");
    let users = user_skill(&world, "twice", "Two");
    skc(&world, &["catalog", "disable", ".agents/skills/twice"]).success();
    // The path is relative, so it is valid for everyone who works on the project.
    assert!(project_file(&world).contains("path = \".agents/skills/twice/SKILL.md\""));
    let loaded = json(&world, &["load", "twice"]);
    assert_eq!(loaded["path"], users.to_str().expect("text"));
    skc(&world, &["catalog", "disable", "twice"]).success();
    skc(&world, &["catalog", "load", "twice"]).code("E064");
    // Enabling the skill by name also removes the entry by path.
    let data = json(&world, &["enable", "twice"]);
    assert_eq!(data["enabled"], true);
    assert_eq!(project_file(&world), "version = 1\n");
    skc(&world, &["catalog", "load", "twice"]).code("E060");
    // A skill can be enabled by its path while its name is disabled.
    skc(&world, &["catalog", "disable", "twice"]).success();
    let users = users.to_str().expect("text");
    skc(&world, &["catalog", "enable", users]).success();
    assert_eq!(json(&world, &["load", "twice"])["path"], users);
}

#[test]
fn outside_a_project_the_users_file_is_written_with_a_note() {
    let world = World::new();
    user_skill(&world, "demo", "One");
    for (args, words) in [
        (&["disable", "demo"][..], "Not in a project"),
        (&["deny", "demo"], "Not in a project"),
        (&["allow", "demo"], "Not in a project"),
    ] {
        let text = skc(&world, &[&["catalog"], args].concat()).success();
        assert!(text.text().contains(words), "{}", text.text());
    }
    assert!(!world.cwd.join(".skillc").exists());
    assert!(!user_file(&world).contains("root"), "{}", user_file(&world));
}

#[test]
fn in_nested_projects_the_effective_file_is_written() {
    let mut world = World::project();
    skill(&world, "demo", "One");
    configure(&world, "version = 1\n");
    let inner = world.cwd.join("inner");
    fs::create_dir_all(inner.join(".skillc/skills/mine")).expect("a directory");
    fs::write(
        inner.join(".skillc/skills/mine/SKILL.md"),
        crate::catalog::support::text("mine", "One"),
    )
    .expect("a file");
    let outer = std::mem::replace(&mut world.cwd, inner.clone());
    skc(&world, &["catalog", "disable", "mine"]).success();
    assert!(
        !inner.join(".skillc/config.toml").exists(),
        "it would hide the outer file"
    );
    world.cwd = outer;
    assert!(project_file(&world).contains("name = \"mine\""));
}

#[test]
fn unknown_skills_are_rejected_unless_an_entry_can_be_removed() {
    let world = World::project();
    skill(&world, "demo", "One");
    let output = skc(&world, &["catalog", "disable", "dmeo"]);
    output.error("error[E001]: skill 'dmeo' not found");
    assert!(
        output.stderr.contains("Did you mean 'demo'?"),
        "{}",
        output.stderr
    );
    skc(&world, &["catalog", "enable", "dmeo"]).code("E001");
    skc(&world, &["catalog", "disable", "nowhere/x"]).code("E061");
    skc(&world, &["catalog", "enable", "./nowhere"]).code("E061");
    assert_eq!(project_file(&world), "");
    configure(
        &world,
        "version = 1\n[[skills.override]]\nname = \"gone\"\nenabled = false\n",
    );
    let data = json(&world, &["enable", "gone"]);
    assert_eq!(data["change"], "removed");
    assert!(
        data["notes"][0]
            .as_str()
            .is_some_and(|note| note.contains("No skill 'gone'"))
    );
}

#[test]
fn a_skill_can_be_disabled_while_all_are_disabled_with_a_note() {
    let world = World::project();
    skill(&world, "demo", "One");
    configure_user(&world, "version = 1\n[skills]\nenabled = false\n");
    let text = skc(&world, &["catalog", "disable", "demo"]).success();
    assert!(
        text.text().contains("All skills are disabled"),
        "{}",
        text.text()
    );
}

/// A cloned project must not enable skills that the user has disabled.
#[test]
fn only_a_trusted_project_enables_skills_that_the_user_has_disabled() {
    let world = World::project();
    skill(&world, "demo", "One");
    let project = world.cwd.join(".skillc");
    fs::create_dir_all(&project).expect("a directory");
    fs::write(project.join("config.toml"), "[skills]\nenabled = true\n").expect("a file");
    let disabled = "[skills]\nenabled = false\n";
    let trust = format!("[permissions]\ntrust_projects = [{:?}]\n", world.cwd);
    for (user, is_enabled) in [
        (disabled.to_owned(), false),
        (format!("{disabled}{trust}"), true),
    ] {
        configure_user(&world, &user);
        let loaded = skc(&world, &["catalog", "load", "demo"]);
        assert_eq!(loaded.ok, is_enabled, "{loaded:?}");
    }
}
