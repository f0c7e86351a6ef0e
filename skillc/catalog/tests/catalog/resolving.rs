//! Tests how the name or path of a skill is resolved.

use std::fs;

use skillc_catalog::{Candidate, Catalog, CatalogEntry, Refusal, Scope, Wanted, resolve};
use skillc_core::Error;

use crate::support::{World, configure, entry, in_memory_catalog, skill};

/// Returns the skill to which a name or path resolves.
#[track_caller]
fn found<'a>(catalog: &'a Catalog, argument: &str) -> &'a CatalogEntry {
    let resolved = resolve(catalog, &Wanted::argument(argument));
    resolved
        .unwrap_or_else(|refusal| panic!("{refusal:?}"))
        .entry()
}

#[track_caller]
fn refused(catalog: &Catalog, argument: &str) -> Refusal {
    let resolved = resolve(catalog, &Wanted::argument(argument));
    resolved.expect_err("a refusal")
}

fn named(name: &str, scope: Option<Scope>) -> Wanted {
    Wanted {
        name: Some(name.into()),
        scope,
        ..Wanted::default()
    }
}

/// The skills `x` and `y` in the project, and another skill `x` in the home directory.
fn two() -> World {
    let world = World::new();
    for dir in [
        "repo/.agents/skills/x",
        "home/.agents/skills/x",
        "repo/.agents/skills/y",
    ] {
        skill(world.base.join(dir));
    }
    world
}

/// CAT-LOAD.1.
#[test]
fn a_name_or_a_path_is_required() {
    let world = two();
    let catalog = world.catalog();
    let blank = |argument: &str| Wanted {
        name: Some(argument.into()),
        ..Wanted::default()
    };
    let long = "x".repeat((4 << 10) + 1);
    for wanted in [Wanted::default(), blank(""), blank(" \n"), blank(&long)] {
        let refusal = resolve(&catalog, &wanted).unwrap_err();
        assert_eq!(refusal.code(), "INVALID_PARAMS");
        assert_eq!(refusal.message(), "schema validation failed");
        assert_eq!(refusal.error().code(), "E100");
    }
    let refusal = resolve(&catalog, &Wanted::default()).unwrap_err();
    let details = serde_json::to_value(refusal.details()).unwrap();
    let expected = serde_json::json!({"issues": [
        {"path": ["name"], "code": "invalid", "message": "a name or path is required"}
    ]});
    assert_eq!(details, expected);
}

/// CAT-LOAD.2.
#[test]
fn a_path_takes_precedence_over_a_name() {
    let world = two();
    let catalog = world.catalog();
    let y = world.repo.join(".agents/skills/y/SKILL.md");
    let mut wanted = named("x", Some(Scope::User));
    wanted.path = Some(y.to_str().unwrap().into());
    assert_eq!(resolve(&catalog, &wanted).unwrap().entry().name, "y");
    wanted.path = Some("/nowhere/SKILL.md".into());
    let refusal = resolve(&catalog, &wanted).unwrap_err();
    assert_eq!(refusal.code(), "PATH_NOT_IN_CATALOG");
}

/// CAT-LOAD.3, CAT-LOAD.19.
#[test]
fn a_name_is_a_name_with_or_without_a_dollar_sign() {
    let world = two();
    let catalog = world.catalog();
    for argument in ["y", "$y", " y ", " $y\n", "Y", "$Y"] {
        assert_eq!(found(&catalog, argument).name, "y", "{argument:?}");
    }
    for argument in ["$$y", "$", "y y"] {
        assert_eq!(refused(&catalog, argument).code(), "SKILL_NOT_FOUND");
    }
}

/// CAT-LOAD.4.
#[test]
fn an_ambiguous_name_is_refused_with_all_candidates_by_precedence() {
    let world = two().working_in("sub");
    let near = skill(world.repo.join("sub/.agents/skills/x"));
    let catalog = world.catalog();
    let far = world.repo.join(".agents/skills/x/SKILL.md");
    let users = world.home.join(".agents/skills/x/SKILL.md");
    let paths = [&near, &far, &users].map(|path| path.to_str().unwrap().to_owned());
    let refusal = refused(&catalog, "x");
    let Refusal::Ambiguous { skill, candidates } = &refusal else {
        panic!("{refusal:?}")
    };
    assert_eq!(skill, "x");
    let listed = candidates.iter().map(|one| one.path.clone());
    assert_eq!(listed.collect::<Vec<_>>(), paths);
    assert_eq!(refusal.code(), "AMBIGUOUS_NAME");
    assert_eq!(refusal.message(), "ambiguous skill name 'x': 3 candidates");
    assert_eq!(refusal.error().code(), "E060");
    let lines = paths.each_ref().map(|path| format!("  {path}")).join("\n");
    assert_eq!(refusal.error().details(), Some(lines));
    let details = serde_json::to_value(refusal.details()).unwrap();
    let first = &details["candidates"][0];
    assert_eq!(first["path"], paths[0]);
    assert_eq!(first["scope"], "repo");
    assert_eq!(first["id"], found(&catalog, &paths[0]).id);
    assert_eq!(details["candidates"][2]["scope"], "user");
}

/// CAT-LOAD.4: a scope reduces the number of candidates, and so does disabling a skill.
#[test]
fn a_scope_or_a_disabled_skill_resolves_the_ambiguity() {
    let world = two();
    let catalog = world.catalog();
    for scope in [Scope::Repo, Scope::User] {
        let wanted = named("x", Some(scope));
        assert_eq!(resolve(&catalog, &wanted).unwrap().entry().scope, scope);
    }
    let refusal = resolve(&catalog, &named("y", Some(Scope::User))).unwrap_err();
    assert_eq!(refusal.code(), "SKILL_NOT_FOUND");

    let off = |path: &str| {
        let path = world.base.join(path);
        format!(
            "[[skills.override]]\npath = \"{}\"\nenabled = false\n",
            path.display()
        )
    };
    let repo = off("repo/.agents/skills/x/SKILL.md");
    configure(&world.home, &repo);
    let catalog = world.catalog();
    assert_eq!(found(&catalog, "x").scope, Scope::User);
    let refusal = resolve(&catalog, &named("x", Some(Scope::Repo))).unwrap_err();
    assert_eq!(refusal.code(), "SKILL_DISABLED");
    configure(
        &world.home,
        &format!("{repo}{}", off("home/.agents/skills/x/SKILL.md")),
    );
    let refusal = refused(&world.catalog(), "x");
    assert_eq!(refusal.code(), "SKILL_DISABLED");
    assert_eq!(refusal.message(), "skill 'x' is disabled");
    assert_eq!(refusal.error().code(), "E064");
    assert_eq!(refusal.details(), None);
}

/// CAT-LOAD.4: a disabled skill is not a candidate.
#[test]
fn only_enabled_skills_are_candidates() {
    let mut skills = [Scope::Repo, Scope::User, Scope::User].map(|scope| entry("x", "d", scope));
    for (number, skill) in skills.iter_mut().enumerate() {
        skill.path = format!("/{number}/x/SKILL.md");
    }
    skills[1].enabled = false;
    let refusal = refused(&in_memory_catalog(skills.to_vec()), "x");
    let Refusal::Ambiguous { candidates, .. } = refusal else {
        panic!("{refusal:?}")
    };
    let paths: Vec<&str> = candidates.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(paths, ["/0/x/SKILL.md", "/2/x/SKILL.md"]);
}

/// CAT-LOAD.4, with `on_collision = "nearest"`.
#[test]
fn the_nearest_skill_can_be_configured_to_win() {
    let world = two().working_in("sub");
    let near = skill(world.repo.join("sub/.agents/skills/x"));
    configure(&world.home, "[catalog]\non_collision = \"nearest\"\n");
    assert_eq!(found(&world.catalog(), "x").path, near.to_str().unwrap());
}

/// CAT-LOAD.5.
#[test]
fn an_unknown_name_is_refused_with_suggestions() {
    let suggested = |catalog: &Catalog, name: &str| match refused(catalog, name) {
        Refusal::Unknown { suggestions, .. } => suggestions,
        other => panic!("{other:?}"),
    };
    let names = ["repo-review", "review", "reviews", "release-notes", "pdf"];
    let skills = names.map(|name| entry(name, "d", Scope::Repo));
    let catalog = in_memory_catalog(skills.to_vec());
    assert_eq!(suggested(&catalog, "repo-reviw"), ["repo-review"]);
    assert_eq!(suggested(&catalog, "Revew"), ["review", "reviews"]);
    assert_eq!(suggested(&catalog, "notes"), ["release-notes"]);
    assert_eq!(suggested(&catalog, "zzz"), [""; 0]);
    let refusal = refused(&catalog, "$repo-reviw");
    assert_eq!(refusal.code(), "SKILL_NOT_FOUND");
    assert_eq!(refusal.message(), "skill 'repo-reviw' not found");
    let skill = "repo-reviw".to_owned();
    assert_eq!(refusal.error(), Error::SkillNotFound { skill });
    let details = serde_json::to_value(refusal.details()).unwrap();
    assert_eq!(details, serde_json::json!({"suggestions": ["repo-review"]}));

    let many = (0..20).map(|number| entry(&format!("skill-{number}"), "d", Scope::Repo));
    let twice = (0..20).map(|number| entry(&format!("skill-{number}"), "d", Scope::User));
    let catalog = in_memory_catalog(many.chain(twice).collect());
    let five = ["skill-0", "skill-1", "skill-2", "skill-3", "skill-4"];
    assert_eq!(suggested(&catalog, "skill-x"), five);
}

/// CAT-LOAD.5, D6: skills hidden from the agent are not suggested.
#[test]
fn disabled_and_denied_skills_are_not_suggested() {
    let world = World::new();
    skill(world.repo.join(".agents/skills/review-a"));
    skill(world.repo.join(".agents/skills/review-b"));
    skill(world.repo.join(".agents/skills/review-c"));
    configure(
        &world.home,
        "[[skills.override]]\nname = \"review-a\"\nenabled = false\n\
         [permissions]\ndeny = [{ tool = \"skill_load\", skill_name = \"review-b\" }]\n",
    );
    let Refusal::Unknown { suggestions, .. } = refused(&world.catalog(), "review-x") else {
        panic!()
    };
    assert_eq!(suggestions, ["review-c"]);
}

/// CAT-LOAD.6.
#[test]
fn only_paths_of_the_catalog_are_found() {
    let world = two();
    skill(world.base.join("outside/z"));
    fs::write(world.repo.join(".agents/skills/y/other.md"), "").unwrap();
    fs::create_dir_all(world.repo.join(".agents/skills/empty")).unwrap();
    fs::write(world.repo.join(".agents/skills/SKILL.md"), "").unwrap();
    let catalog = world.catalog();
    for path in [
        "/etc/passwd",
        "/",
        "/nowhere/SKILL.md",
        "../outside/z/SKILL.md",
        "../outside/z",
        ".agents/skills",
        ".agents/skills/SKILL.md",
        ".agents/skills/y/other.md",
        ".agents/skills/empty/SKILL.md",
        ".agents/skills/y/SKILL.md/..",
        "SKILL.md",
        "./",
        "a\0/SKILL.md",
    ] {
        let refusal = refused(&catalog, path);
        let path = path.to_owned();
        assert_eq!(refusal, Refusal::NotInCatalog { path });
    }
    let refusal = refused(&catalog, "/etc/passwd");
    assert_eq!(refusal.code(), "PATH_NOT_IN_CATALOG");
    assert_eq!(refusal.message(), "path not in catalog: '/etc/passwd'");
    assert_eq!(refusal.error().code(), "E061");
    let details = serde_json::to_value(refusal.details()).unwrap();
    assert_eq!(details, serde_json::json!({"path": "/etc/passwd"}));
}

/// CAT-LOAD.6, CAT-LOAD.19: an argument is a path if it contains a separator or ends in `SKILL.md`.
#[test]
fn a_path_may_be_spelled_in_many_ways() {
    let world = two().working_in(".agents/skills/y");
    let catalog = world.catalog();
    let full = world.repo.join(".agents/skills/y/SKILL.md");
    for path in [
        full.to_str().unwrap(),
        full.parent().unwrap().to_str().unwrap(),
        "SKILL.md",
        "./SKILL.md",
        "./",
        "../y/",
        "..//y/./SKILL.md",
        "../x/../y/SKILL.md",
    ] {
        assert_eq!(found(&catalog, path).name, "y", "{path}");
    }
}

/// CAT-LOAD.6.
#[cfg(unix)]
#[test]
fn a_path_through_a_symlink_resolves_to_its_target() {
    let world = two();
    std::os::unix::fs::symlink(".agents/skills", world.repo.join("linked")).unwrap();
    assert_eq!(found(&world.catalog(), "linked/y/SKILL.md").name, "y");
}

/// CAT-CONF.1.
#[test]
fn with_skills_disabled_nothing_is_found() {
    let world = two();
    configure(&world.home, "[skills]\nenabled = false\n");
    let catalog = world.catalog();
    for argument in ["y", "nothing", "/etc/passwd"] {
        assert_eq!(refused(&catalog, argument), Refusal::SkillsDisabled);
    }
    let refusal = Refusal::SkillsDisabled;
    assert_eq!(refusal.code(), "SKILLS_DISABLED");
    assert_eq!(refusal.message(), "skills are disabled by configuration");
    assert_eq!(refusal.error().code(), "E065");
}

/// CAT-PERM.5: a rule applies to the resolved skill, regardless of how the skill was requested.
#[test]
fn a_path_does_not_bypass_a_rule() {
    let world = two();
    configure(
        &world.home,
        "[permissions]\ndeny = [{ tool = \"skill_load\", skill_name = \"y\" }]\n",
    );
    let catalog = world.catalog();
    let path = world.repo.join(".agents/skills/y/SKILL.md");
    for argument in ["y", "$Y", path.to_str().unwrap(), ".agents/skills/y/"] {
        let refusal = refused(&catalog, argument);
        assert_eq!(refusal.code(), "PERMISSION_DENIED", "{argument}");
    }
    let mut wanted = named("x", None);
    wanted.path = Some(path.to_str().unwrap().into());
    let refusal = resolve(&catalog, &wanted).unwrap_err();
    assert_eq!(refusal.code(), "PERMISSION_DENIED");
    assert_eq!(refusal.message(), "permission denied for skill 'y'");
    assert_eq!(refusal.error().code(), "E062");
    let file = world.home.join(".skillc/config.toml");
    let hint = format!(
        "Denied by {{ tool = \"skill_load\", skill_name = \"y\" }} in {}.",
        file.display()
    );
    assert_eq!(refusal.error().details().as_ref(), Some(&hint));
    let details = serde_json::to_value(refusal.details()).unwrap();
    let expected = serde_json::json!({
        "skill_name": "y",
        "rule": {"tool": "skill_load", "skill_name": "y"},
        "hint": hint,
    });
    assert_eq!(details, expected);
}

/// CAT-PERM.9: an ambiguity error lists the paths of skills, but must not reveal a denied skill.
#[test]
fn locations_of_denied_skills_are_not_revealed() {
    let world = two();
    configure(
        &world.home,
        "[permissions]\ndeny = [{ tool = \"skill_load\", skill_name = \"x\" }]\n",
    );
    let refusal = refused(&world.catalog(), "x");
    assert_eq!(refusal.code(), "PERMISSION_DENIED");
    let told = format!(
        "{:?}{:?}{}",
        refusal.details(),
        refusal.error().details(),
        refusal.message()
    );
    assert!(!told.contains(".agents"), "{told}");
}

/// CAT-PERM.7.
#[test]
fn a_non_interactive_refusal_says_how_to_allow_it() {
    let world = two();
    configure(&world.home, "[permissions]\ndefault = \"confirm\"\n");
    let catalog = world.catalog();
    let resolved = resolve(&catalog, &named("y", None)).unwrap();
    assert!(resolved.needs_word());
    let refusal = resolved.permitted().unwrap_err();
    assert_eq!(refusal.code(), "CONFIRM_REQUIRED");
    assert_eq!(refusal.message(), "confirmation needed for skill 'y'");
    let message = "confirmation needed for skill 'y'; use --yes or run 'skc catalog allow y'";
    assert_eq!(refusal.error().message(), message);
    assert_eq!(refusal.error().code(), "E063");
    let details = serde_json::to_value(refusal.details()).unwrap();
    let expected = serde_json::json!({
        "skill_name": "y",
        "hint": "The user can allow it with: skc catalog allow y",
    });
    assert_eq!(details, expected);
    assert_eq!(resolved.permitted_by_word().entry().name, "y");

    configure(&world.home, "[permissions]\ndefault = \"deny\"\n");
    let refusal = refused(&world.catalog(), "y");
    assert_eq!(
        refusal,
        Refusal::Denied {
            skill: "y".into(),
            rule: None
        }
    );
}

#[test]
fn arguments_are_not_interpreted_as_patterns_or_commands() {
    let world = two();
    let catalog = world.catalog();
    for argument in [
        "*",
        "x*",
        "..",
        ".",
        "~",
        "\u{1b}[2J",
        "x\0",
        "日本語",
        "</skill_context>x",
    ] {
        let refusal = refused(&catalog, argument);
        assert!(!refusal.message().contains('\u{1b}'));
        assert!(!refusal.message().contains('\0'));
    }
}

#[test]
fn a_candidate_reveals_only_its_location() {
    let candidate = Candidate::from(&entry("x", "secret", Scope::User));
    let text = serde_json::to_string(&candidate).unwrap();
    assert!(!text.contains("secret"));
}
