//! Permissions: allow and deny rules, confirmation, and who can change them.

use skillc_tests::World;

use crate::catalog::support::{configure, configure_user, json, skc, skill, user_file};

/// An allow list: every other skill needs confirmation.
const ALLOW_OTHER: &str = "version = 1\n\n# Mine.\n[permissions]\nallow = [\n  { tool = \"skill_load\", skill_name = \"other\" }, # trusted\n]\n";

fn asking() -> World {
    let world = World::project();
    skill(&world, "demo", "One");
    configure_user(&world, ALLOW_OTHER);
    world
}

/// CAT-PERM.7.
#[test]
fn non_interactive_loads_that_need_confirmation_are_refused_with_a_hint() {
    let world = asking();
    let output = skc(&world, &["catalog", "load", "demo"]);
    output.error(
        "error[E063]: confirmation needed for skill 'demo'; use --yes or run 'skc catalog allow demo'",
    );
    let once = skc(&world, &["catalog", "load", "demo", "--yes"]).success();
    assert!(once.text().contains("BODY-OF-demo"));
    assert_eq!(user_file(&world), ALLOW_OTHER, "--yes is not remembered");
    skc(&world, &["catalog", "load", "demo"]).code("E063");
    skc(&world, &["catalog", "allow", "demo"]).success();
    skc(&world, &["catalog", "load", "demo"]).success();
}

/// CAT-PERM.7.
#[test]
fn yes_does_not_override_a_deny_rule() {
    let world = asking();
    skc(&world, &["catalog", "deny", "demo"]).success();
    let output = skc(&world, &["catalog", "load", "demo", "--yes"]);
    output.code("E062");
    assert!(!output.stderr.contains("BODY-OF-demo"));
}

#[cfg(target_os = "linux")]
mod at_a_terminal {
    use skillc_tests::terminal::on_terminal;

    use super::*;
    use crate::catalog::support::PROGRAM;

    fn answered(world: &World, typed: &str) -> (String, bool) {
        let command = world.process(PROGRAM, &["catalog", "load", "demo"]);
        let (text, status) = on_terminal(command, Some(typed));
        (text, status.success())
    }

    /// CAT-PERM.6.
    #[test]
    fn always_adds_one_rule_for_this_project_to_the_users_file() {
        let world = asking();
        let (text, ok) = answered(&world, "a\n");
        assert!(ok && text.contains("BODY-OF-demo"), "{text}");
        assert!(text.contains("[y]es / [a]lways / [n]o"), "{text}");
        let root = world.cwd.canonicalize().expect("should exist");
        let rule = format!(
            "  {{ tool = \"skill_load\", skill_name = \"demo\", root = \"{}\" }},\n",
            root.display()
        );
        let written = user_file(&world);
        assert_eq!(
            written,
            ALLOW_OTHER.replace("\n]\n", &format!("\n{rule}]\n"))
        );
        let project_config = world.cwd.join(".skillc/config.toml");
        assert!(
            !project_config.exists(),
            "the project's file must not be written"
        );
        // The rule applies, and is not added twice.
        skc(&world, &["catalog", "load", "demo"]).success();
        skc(&world, &["catalog", "allow", "demo"]).success();
        assert_eq!(user_file(&world), written);
    }

    #[test]
    fn yes_applies_once_and_anything_else_means_no() {
        let world = asking();
        let (text, ok) = answered(&world, "y\n");
        assert!(ok && text.contains("BODY-OF-demo"), "{text}");
        for typed in ["n\n", "\n", "what\n"] {
            let (text, ok) = answered(&world, typed);
            assert!(!ok && text.contains("error[E062]"), "{typed:?}: {text}");
            assert!(!text.contains("BODY-OF-demo"), "{text}");
        }
        assert_eq!(user_file(&world), ALLOW_OTHER);
    }
}

/// CAT-PERM.6: rules for one project and for all projects, and their removal.
#[test]
fn allow_adds_a_rule_for_one_project_to_the_users_file_by_default() {
    let world = World::project();
    skill(&world, "demo", "One");
    let data = json(&world, &["allow", "$Demo"]);
    assert_eq!(
        (&data["change"], &data["scope"]),
        (&"added".into(), &"global".into())
    );
    assert_eq!(data["decision"], "allow");
    let root = world.cwd.canonicalize().expect("should exist");
    let rule = format!("root = \"{}\"", root.display());
    assert!(user_file(&world).contains(&rule), "{}", user_file(&world));
    assert_eq!(json(&world, &["allow", "demo"])["change"], "unchanged");
    assert_eq!(
        json(&world, &["allow", "demo", "--remove", "--global"])["change"],
        "absent"
    );
    assert_eq!(
        json(&world, &["allow", "demo", "--global"])["change"],
        "added"
    );
    assert_eq!(
        json(&world, &["allow", "demo", "--remove"])["change"],
        "removed"
    );
    assert!(!user_file(&world).contains("root"), "{}", user_file(&world));
    let global = ["catalog", "allow", "demo", "--remove", "--global"];
    let text = skc(&world, &global).success();
    let first = "Removed the rule that allowed demo; loading it is allowed\n";
    assert!(text.text().starts_with(first), "{}", text.text());
    let text = skc(&world, &["catalog", "allow", "demo", "--remove"]).success();
    let first = "No rule allowed demo; loading it is allowed\n";
    assert!(text.text().starts_with(first), "{}", text.text());
    assert!(text.text().contains("No such rule in"), "{}", text.text());
    assert!(!world.cwd.join(".skillc/config.toml").exists());
}

#[test]
fn deny_adds_a_rule_to_the_projects_file_by_default() {
    let world = World::project();
    skill(&world, "demo", "One");
    assert_eq!(json(&world, &["deny", "demo"])["scope"], "project");
    skc(&world, &["catalog", "load", "demo"]).code("E062");
    skc(&world, &["catalog", "deny", "demo", "--global"]).success();
    let data = json(&world, &["deny", "demo", "--remove"]);
    assert_eq!(
        (&data["change"], &data["decision"]),
        (&"removed".into(), &"deny".into())
    );
    assert!(
        data["notes"][0]
            .as_str()
            .is_some_and(|note| note.contains("Loading it is denied by"))
    );
    skc(&world, &["catalog", "deny", "demo", "--remove", "--global"]).success();
    skc(&world, &["catalog", "load", "demo"]).success();
}

/// R18: a cloned project must not be able to allow its own skills.
#[test]
fn allow_rules_of_a_project_are_ignored_with_a_warning() {
    let world = World::project();
    skill(&world, "demo", "One");
    configure_user(
        &world,
        "version = 1\n[permissions]\ndefault = \"confirm\"\n",
    );
    configure(
        &world,
        "version = 1\n[permissions]\nallow = [{ tool = \"skill_load\" }]\n",
    );
    let output = skc(&world, &["catalog", "load", "demo"]);
    assert!(
        !output.ok && output.stderr.starts_with("warning[W020]"),
        "{output:?}"
    );
    assert!(output.stderr.contains("error[E063]"), "{output:?}");
}

#[test]
fn the_first_allow_rule_warns_that_other_skills_need_confirmation() {
    let world = World::project();
    skill(&world, "demo", "One");
    skill(&world, "other", "Two");
    let text = skc(&world, &["catalog", "allow", "demo"]).success();
    assert!(
        text.text()
            .contains("All other skills now need confirmation"),
        "{}",
        text.text()
    );
    skc(&world, &["catalog", "load", "other"]).code("E063");
}
