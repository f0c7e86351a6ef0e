//! Tests which skills are found, and where.

use std::fs;

use skillc_catalog::precedence::by_precedence;
use skillc_catalog::{Catalog, Scope};

use crate::support::{World, configure, described, errors, names, skill, write};

/// Returns the scopes and names of a catalog.
fn found(catalog: &Catalog) -> Vec<(Scope, &str)> {
    let skills = catalog.skills().iter();
    skills
        .map(|entry| (entry.scope, entry.name.as_str()))
        .collect()
}

/// CAT-DISC.1.
#[test]
fn only_a_directory_with_a_file_called_exactly_skill_md_is_a_skill() {
    let world = World::new();
    let root = world.repo.join(".agents/skills");
    skill(root.join("good"));
    let text = fs::read_to_string(root.join("good/SKILL.md")).unwrap();
    write(&root.join("lower/skill.md"), &text);
    write(&root.join("title/Skill.md"), &text);
    write(&root.join("notes.md"), &text);
    // The root itself is not a skill either.
    write(&root.join("SKILL.md"), &text.replace("good", "skills"));
    assert_eq!(world.names(), ["good"]);
}

/// CAT-DISC.2: the catalog root, the working directory, and all directories between them are searched.
#[test]
fn every_directory_from_the_root_to_the_working_directory_counts() {
    let world = World::new().working_in("a/b");
    for (dir, name) in [(".", "top"), ("a", "between"), ("a/b", "here")] {
        skill(world.repo.join(dir).join(".agents/skills").join(name));
    }
    let all = [
        (Scope::Repo, "between"),
        (Scope::Repo, "here"),
        (Scope::Repo, "top"),
    ];
    assert_eq!(found(&world.catalog()), all);
}

/// CAT-DISC.3.
#[test]
fn sibling_and_child_directories_are_not_searched() {
    let world = World::new().working_in("pkg");
    for dir in ["other", "pkg/below", ".."] {
        skill(world.repo.join(dir).join(".agents/skills/x"));
    }
    assert_eq!(world.names(), [""; 0]);
}

/// CAT-DISC.4.
#[test]
fn skills_in_the_home_directory_have_user_scope() {
    let world = World::new();
    skill(world.home.join(".agents/skills/a"));
    skill(world.home.join(".skillc/skills/b"));
    let all = [(Scope::User, "a"), (Scope::User, "b")];
    assert_eq!(found(&world.catalog()), all);
}

/// CAT-DISC.5.
#[test]
fn skills_are_found_at_any_depth_and_inside_each_other() {
    let world = World::new();
    let root = world.repo.join(".agents/skills");
    skill(root.join("group/x"));
    skill(root.join("outer"));
    skill(root.join("outer/parts/inner"));
    assert_eq!(world.names(), ["inner", "outer", "x"]);
}

/// CAT-DISC.9, CAT-DISC.11.
#[test]
fn directories_of_other_clients_are_searched_only_if_configured() {
    let world = World::new();
    for dir in [".claude", ".codex", ".cursor", ".github", ".agents"] {
        let name = dir.trim_start_matches('.');
        skill(world.repo.join(dir).join("skills").join(name));
        skill(world.home.join(dir).join("skills").join(name));
    }
    assert_eq!(world.names(), ["agents", "agents"]);
    configure(&world.home, "[catalog]\nroots = [\"agents\", \"claude\"]\n");
    let catalog = world.catalog();
    assert_eq!(names(&catalog), ["agents", "claude", "agents", "claude"]);
    let origins = catalog.skills().iter().map(|entry| entry.origin.as_str());
    let origins: Vec<&str> = origins.collect();
    assert_eq!(origins, ["agents", "claude", "agents", "claude"]);
}

/// CAT-DISC.17.
#[test]
fn one_bad_file_is_one_error_and_the_others_are_skills() {
    let world = World::new();
    let root = world.repo.join(".agents/skills");
    skill(root.join("a"));
    skill(root.join("c"));
    write(&root.join("b/SKILL.md"), "# No frontmatter\n");
    let catalog = world.catalog();
    assert_eq!(names(&catalog), ["a", "c"]);
    let expected = ("b/SKILL.md".to_owned(), "no frontmatter".to_owned());
    assert_eq!(errors(&catalog, &root), [expected]);
}

/// CAT-DISC.18.
#[test]
fn in_a_home_that_is_the_project_each_skill_is_listed_once() {
    let mut world = World::new();
    world.context.cwd = world.home.join("a");
    fs::create_dir_all(&world.context.cwd).unwrap();
    fs::create_dir(world.home.join(".git")).unwrap();
    skill(world.home.join(".agents/skills/x"));
    assert_eq!(found(&world.catalog()), [(Scope::Repo, "x")]);
}

/// CAT-DISC.19.
#[test]
fn skills_with_one_name_are_all_listed() {
    let world = World::new();
    skill(world.repo.join(".agents/skills/x"));
    skill(world.repo.join(".agents/skills/group/x"));
    skill(world.home.join(".agents/skills/x"));
    assert_eq!(world.names(), ["x", "x", "x"]);
}

/// The project's skills take precedence over the user's skills, nearer directories over farther ones, and `.skillc`
/// over `.agents`.
#[test]
fn skills_with_one_name_have_a_precedence() {
    let world = World::new().working_in("a");
    let expected = [
        world.repo.join("a/.skillc/skills/x"),
        world.repo.join("a/.agents/skills/group/x"),
        world.repo.join("a/.agents/skills/x"),
        world.repo.join(".skillc/skills/x"),
        world.home.join(".skillc/skills/x"),
        world.home.join(".agents/skills/x"),
    ];
    // By default, the `.skillc` in `a` would make `a` the root.
    configure(&world.home, "[catalog]\nmarkers = [\".git\"]\n");
    for dir in &expected {
        skill(dir);
    }
    let catalog = world.catalog();
    let ranked = catalog.named("x");
    let dirs: Vec<&str> = ranked.iter().map(|entry| entry.dir.as_str()).collect();
    let expected: Vec<&str> = expected.iter().map(|dir| dir.to_str().unwrap()).collect();
    assert_eq!(dirs, expected);
    assert!(ranked.is_sorted_by(|a, b| by_precedence(a, b).is_lt()));
}

/// CAT-DISC.20.
#[test]
fn an_entry_has_an_id_from_its_path_and_the_time_of_its_file() {
    let world = World::new();
    let root = world.repo.join(".agents/skills");
    let file = skill(root.join("a"));
    skill(root.join("b"));
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_millis(1_700_000_000_123);
    fs::File::open(&file).unwrap().set_modified(time).unwrap();
    let (first, second) = (world.catalog(), world.catalog());
    assert_eq!(first.found(), second.found());
    let [a, b] = first.skills() else { panic!() };
    assert_ne!(a.id, b.id);
    assert_eq!(a.id, skillc_core::hash::path_hash16(&file));
    assert_eq!(a.mtime_ms, 1_700_000_000_123);
    assert_eq!(a.path, file.to_str().unwrap());
    assert_eq!(a.dir, root.join("a").to_str().unwrap());
}

/// CAT-DISC.20: times before 1970 do not become negative.
#[test]
fn an_early_time_is_zero() {
    let world = World::new();
    let file = skill(world.repo.join(".agents/skills/a"));
    let time = std::time::UNIX_EPOCH - std::time::Duration::from_secs(5);
    fs::File::open(&file).unwrap().set_modified(time).unwrap();
    assert_eq!(world.catalog().skills()[0].mtime_ms, 0);
}

/// CAT-DISC.20: the fields of a serialized entry.
#[test]
fn an_entry_has_these_fields_and_no_others() {
    let world = World::new();
    let file = described(world.repo.join(".skillc/skills/a"), "Does things.");
    let catalog = world.catalog();
    let mut entry = serde_json::to_value(&catalog.skills()[0]).unwrap();
    for varying in ["id", "mtime_ms"] {
        entry.as_object_mut().unwrap().remove(varying).unwrap();
    }
    let expected = serde_json::json!({
        "name": "a", "description": "Does things.", "path": file, "dir": file.parent(),
        "scope": "repo", "origin": "skillc", "enabled": true,
    });
    assert_eq!(entry, expected);
}

/// CAT-DISC.20: the schema has the same fields.
#[test]
fn the_schema_of_an_entry_has_these_fields_and_no_others() {
    let schema = serde_json::to_value(schemars::schema_for!(skillc_catalog::CatalogEntry)).unwrap();
    let required = [
        "id",
        "name",
        "description",
        "path",
        "dir",
        "scope",
        "mtime_ms",
        "origin",
        "enabled",
    ];
    assert_eq!(schema["required"], serde_json::json!(required));
    assert_eq!(schema["additionalProperties"], false);
    let properties = schema["properties"].as_object().unwrap();
    // The two optional properties are `compiled` and `invocation`.
    assert_eq!(properties.len(), required.len() + 2);
    assert_eq!(properties["id"]["pattern"], "^[0-9a-f]{16}$");
    assert_eq!(properties["name"]["maxLength"], 64);
    assert_eq!(properties["description"]["maxLength"], 1_024);
    assert_eq!(properties["mtime_ms"]["minimum"], 0);
    assert_eq!(properties["compiled"]["type"], "boolean");
    assert!(properties.contains_key("invocation"));
}

/// CAT-DISC.22.
#[test]
fn without_roots_the_catalog_is_empty() {
    let world = World::new();
    let catalog = world.catalog();
    assert!(catalog.skills().is_empty() && catalog.found().errors.is_empty());
    assert!(!catalog.found().truncated);
    assert!(catalog.found().roots.iter().all(|root| !root.exists));
    assert_eq!(catalog.found().roots.len(), 4);
}

/// CAT-DISC.23: the order in which the skills are created does not matter.
#[test]
fn the_order_is_scope_name_path_regardless_of_creation_order() {
    let dirs = [
        "repo/.agents/skills/b",
        "home/.agents/skills/a",
        "repo/.skillc/skills/c",
        "repo/.agents/skills/z/a",
        "repo/.agents/skills/a",
        "home/.skillc/skills/b",
    ];
    let paths = |order: &mut dyn Iterator<Item = &&str>| -> Vec<String> {
        let world = World::new();
        for dir in order {
            skill(world.base.join(dir));
        }
        let base = format!("{}/", world.base.display());
        let catalog = world.catalog();
        let skills = catalog.skills().iter();
        skills.map(|entry| entry.dir.replace(&base, "")).collect()
    };
    let expected = [
        "repo/.agents/skills/a",
        "repo/.agents/skills/z/a",
        "repo/.agents/skills/b",
        "repo/.skillc/skills/c",
        "home/.agents/skills/a",
        "home/.skillc/skills/b",
    ];
    assert_eq!(paths(&mut dirs.iter()), expected);
    assert_eq!(paths(&mut dirs.iter().rev()), expected);
}

/// A skill that was built and deployed is listed only once.
#[test]
fn a_build_is_listed_only_if_its_source_is_not() {
    let world = World::new();
    let stub = world.home.join(".agents/skills/x");
    skill(&stub);
    let source = world.repo.join(".skillc/skills/x");
    let manifest = serde_json::json!({"skill": "x", "source": source});
    let manifest = manifest.to_string();
    write(&stub.join(".skillc-meta/manifest.json"), &manifest);
    let catalog = world.catalog();
    assert!(catalog.skills()[0].compiled);
    let json = serde_json::to_value(&catalog.skills()[0]).unwrap();
    assert_eq!(json["compiled"], true);
    skill(&source);
    let catalog = world.catalog();
    let [only] = catalog.skills() else { panic!() };
    assert!(!only.compiled && only.scope == Scope::Repo);
}

/// A copy that was deployed in a project does not name its source. Any skill with the same name and owner counts as the
/// source.
#[test]
fn a_build_that_names_no_source_belongs_to_the_skill_of_the_same_owner() {
    for manifest in [".skillc-meta/manifest.json", ".skillc/manifest.json"] {
        for text in ["{}", "{\"source\": \"\"}", "["] {
            let world = World::new();
            let stub = world.repo.join(".agents/skills/x");
            skill(&stub);
            write(&stub.join(manifest), text);
            skill(world.home.join(".skillc/skills/x"));
            assert_eq!(world.names(), ["x", "x"], "{manifest} {text}");
            skill(world.repo.join(".skillc/skills/x"));
            let catalog = world.catalog();
            let skills = catalog.skills();
            assert_eq!(skills.len(), 2, "{manifest} {text}");
            assert!(skills.iter().all(|entry| !entry.compiled));
        }
    }
}
