//! Skills in client folders, and stubs that builds deploy to client folders: from every directory, a name resolves to
//! the right skill.

use std::fs;
use std::path::Path;

use skillc_tests::{World, snapshot};

use crate::stores::support::{column, names, place, skill};

/// Writes a skill into a folder below a directory.
fn put(root: &Path, folder: &str, name: &str, body: &str) {
    let dir = root.join(folder).join(name);
    fs::create_dir_all(&dir).expect("a writable folder");
    fs::write(dir.join("SKILL.md"), skill(name, body)).expect("a writable folder");
}

/// Creates a repository without `.skillc`, whose skills are in client folders.
fn repository() -> World {
    let world = World::new();
    fs::create_dir(world.cwd.join(".git")).expect("a writable folder");
    put(&world.cwd, ".claude/skills", "pdf", "project claude");
    put(&world.cwd, ".agents/skills", "docx", "project agents");
    put(&world.home, ".codex/skills", "mine", "user codex");
    world
}

#[test]
fn skills_in_client_folders_resolve_by_name_anywhere_in_the_repository() {
    let world = repository();
    let deep = world.cwd.join("src/deep");
    fs::create_dir_all(&deep).unwrap();
    for (asked, found) in [
        ("pdf", "project claude"),
        ("docx", "project agents"),
        ("mine", "user codex"),
    ] {
        assert_eq!(place(&world, &world.cwd, asked), found);
        assert_eq!(place(&world, &deep, asked), found);
    }
    world.skc(["outline", "pdf"]).success();
    world.skc(["sources", "docx"]).success();
}

#[test]
fn stores_take_precedence_over_client_folders_and_projects_over_users() {
    let world = repository();
    put(&world.home, ".claude/skills", "pdf", "user claude");
    assert_eq!(place(&world, &world.cwd, "pdf"), "project claude");
    world.global_skill("pdf", &[("SKILL.md", &skill("pdf", "global store"))]);
    assert_eq!(place(&world, &world.cwd, "pdf"), "global store");
}

#[test]
fn nested_and_differently_named_folders_are_found_by_skill_name() {
    let world = repository();
    put(&world.cwd, ".agents/skills/group", "inner", "nested");
    let odd = world.cwd.join(".claude/skills/folder");
    fs::create_dir_all(&odd).unwrap();
    fs::write(odd.join("SKILL.md"), skill("own-name", "by its own name")).unwrap();
    assert_eq!(place(&world, &world.cwd, "inner"), "nested");
    assert_eq!(place(&world, &world.cwd, "own-name"), "by its own name");
}

#[test]
fn different_skills_with_one_name_are_reported_and_copies_are_not() {
    let world = repository();
    put(&world.cwd, ".agents/skills", "pdf", "project claude");
    let run = world.skc(["outline", "pdf"]).success();
    assert_eq!(run.stderr, "");
    put(&world.cwd, ".agents/skills", "pdf", "project agents");
    let run = world.skc(["outline", "pdf"]).success();
    let said = "warning[W068]: several skills are named 'pdf'; using '.agents/skills/pdf', not '.claude/skills/pdf'";
    assert_eq!(run.stderr.lines().next(), Some(said), "{run:?}");
}

#[test]
fn the_list_includes_them_with_their_origin() {
    let world = repository();
    world.project_skill("stored", &[("SKILL.md", &skill("stored", ""))]);
    world.skc(["build", "stored"]).success();
    let list = world.skc(["list", "-o", "json"]).success();
    // The stub of `stored` in ~/.claude/skills is not a separate skill.
    assert_eq!(names(&list), ["docx", "pdf", "stored", "mine"]);
    assert_eq!(column(&list, "scope")[3], "global");
    let json = list.json();
    let folder = world.cwd.join(".agents/skills").display().to_string();
    assert_eq!(json["skills"][0]["client_folder"], folder.as_str());
    assert!(json["skills"][2].get("client_folder").is_none());
    let text = world.skc(["list"]).success();
    let rows: Vec<Vec<&str>> = text
        .text()
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(rows[0], ["SKILL", "SCOPE", "STATUS", "FROM"]);
    assert_eq!(rows[1], ["docx", "project", "not-built", ".agents/skills"]);
    assert_eq!(rows[4], ["mine", "global", "not-built", "~/.codex/skills"]);
}

#[test]
fn lint_without_names_checks_the_skills_of_the_repository() {
    let world = repository();
    let linted = |world: &World| {
        let json = world.skc(["lint", "-o", "json"]).json();
        let skills = json["skills"].as_array().unwrap().clone();
        skills
            .iter()
            .map(|report| report["skill"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(linted(&world), ["docx", "pdf"]);
    fs::remove_dir_all(world.cwd.join(".claude")).unwrap();
    fs::remove_dir_all(world.cwd.join(".agents")).unwrap();
    assert_eq!(linted(&world), ["mine"]);
}

#[test]
fn a_projects_stub_resolves_by_name_and_path_from_everywhere() {
    let world = World::project();
    world.project_skill("tax", &[("SKILL.md", &skill("tax", "the source"))]);
    world.skc(["build", "tax"]).success();
    let other = world.cwd.parent().unwrap().join("other");
    fs::create_dir(&other).unwrap();
    let stub = world.home.join(".claude/skills/tax");
    let before = snapshot(&world.cwd);
    for asked in ["tax", stub.to_str().unwrap()] {
        assert_eq!(place(&world, &other, asked), "the source");
        let shown = world.skc_at(&other, &["show", asked, "--section", "place"]);
        assert!(shown.success().text().ends_with("the source\n"));
        let found = world.skc_at(&other, &["search", asked, "source"]).success();
        assert!(found.text().contains("SKILL.md#Place"), "{found:?}");
        world.skc_at(&other, &["build", asked]).success();
    }
    assert_eq!(snapshot(&world.cwd), before);
    // The author of the skill sees these uses in its statistics.
    let stats = world.skc(["stats", "tax", "-o", "json"]).success().json();
    let total = stats["data"]["total_accesses"].as_u64();
    assert!(total.is_some_and(|total| total >= 6), "{stats}");
    assert!(!other.join(".skillc").exists());
}

#[test]
fn a_copied_stub_and_a_forced_global_build_resolve_to_their_source() {
    let world = World::project();
    world.project_skill("tax", &[("SKILL.md", &skill("tax", "the source"))]);
    let other = world.cwd.parent().unwrap().join("other");
    fs::create_dir(&other).unwrap();
    for flag in ["--copy", "--global"] {
        world.skc(["build", "tax", flag, "--force"]).success();
        assert_eq!(place(&world, &other, "tax"), "the source", "{flag}");
        fs::remove_dir_all(world.home.join(".claude")).unwrap();
    }
}

/// Hostile: a manifest from a repository, or from any folder, may name any path.
#[test]
fn a_forged_manifest_is_not_followed() {
    let world = World::new();
    fs::create_dir(world.cwd.join(".git")).unwrap();
    put(&world.home, "private", "secret", "private text");
    let secret = world.home.join("private/secret");
    let forge = |dir: &Path, skill_name: &str| {
        fs::create_dir_all(dir.join(".skillc-meta")).unwrap();
        fs::write(dir.join("SKILL.md"), skill(skill_name, "forged stub")).unwrap();
        let manifest = serde_json::json!({
            "skill": skill_name, "version": 1, "built_at": "2026-01-01T00:00:00Z",
            "source_hash": "0".repeat(64), "stub_hash": "0".repeat(64), "source": secret,
        });
        fs::write(dir.join(".skillc-meta/manifest.json"), manifest.to_string()).unwrap();
    };
    // Forge a copy in a client folder, and a runtime directory to which a symlink in the client folder leads.
    forge(&world.cwd.join(".claude/skills/secret"), "secret");
    forge(&world.cwd.join(".skillc/runtime/linked"), "secret");
    std::os::unix::fs::symlink(
        "../../.skillc/runtime/linked",
        world.cwd.join(".claude/skills/linked"),
    )
    .unwrap();
    for asked in ["secret", "linked"] {
        let run = world.skc(["open", asked, "SKILL.md"]);
        run.code("E001");
        assert!(
            run.stderr.contains("is a stub whose source is missing"),
            "{run:?}"
        );
    }
    let by_path = world
        .skc(["open", ".claude/skills/secret", "SKILL.md"])
        .success();
    assert!(!by_path.text().contains("private text"));
}

#[test]
fn a_stub_whose_source_is_missing_or_another_skill_is_refused_by_name() {
    let world = World::project();
    let source = world.project_skill("tax", &[("SKILL.md", &skill("tax", "the source"))]);
    world.skc(["build", "tax"]).success();
    let other = world.cwd.parent().unwrap().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(source.join("SKILL.md"), skill("other-name", "renamed")).unwrap();
    world.skc_at(&other, &["outline", "tax"]).code("E001");
    fs::remove_dir_all(&source).unwrap();
    let run = world.skc_at(&other, &["outline", "tax"]);
    run.code("E001");
    assert!(
        run.stderr.contains("'~/.claude/skills/tax' is a stub"),
        "{run:?}"
    );
}

/// Symlink cycles, dangling symlinks and self-references neither fail nor hang.
#[cfg(unix)]
#[test]
fn odd_symlinks_in_client_folders_are_skipped() {
    use std::os::unix::fs::symlink;
    let world = repository();
    let folder = world.cwd.join(".claude/skills");
    symlink("loop", folder.join("loop")).unwrap();
    symlink("nowhere", folder.join("dangling")).unwrap();
    symlink(".", folder.join("itself")).unwrap();
    symlink("..", folder.join("up")).unwrap();
    symlink(".claude", world.cwd.join(".codex")).unwrap();
    for name in ["loop", "dangling", "itself", "up"] {
        world.skc(["outline", name]).code("E001");
    }
    let list = world.skc(["list", "-o", "json"]).success();
    assert_eq!(names(&list), ["docx", "pdf", "mine"]);
    assert_eq!(column(&list, "scope"), ["project", "project", "global"]);
}

#[test]
fn a_skill_in_a_client_folder_is_built_in_place() {
    let world = repository();
    let folder = world.cwd.join(".claude/skills");
    let before = snapshot(&folder);
    world.skc(["search", "pdf", "claude"]).code("E002");
    let built = world.skc(["build", "pdf"]).success();
    assert!(
        built.text().starts_with("Built pdf (project, in place)\n"),
        "{built:?}"
    );
    assert!(built.text().contains("  Deploy:  none; "), "{built:?}");
    let found = world.skc(["search", "pdf", "claude"]).success();
    assert!(found.text().contains("SKILL.md#Place"), "{found:?}");
    assert_eq!(snapshot(&folder), before);
    assert!(!world.home.join(".claude").exists() && !world.home.join(".skillc/skills").exists());
    // A second build by the same name finds the skill again.
    let json = world.skc(["build", "pdf", "-o", "json"]).success().json();
    assert_eq!(json["in_place"], true);
    let runtime = world.cwd.join(".skillc/runtime/pdf").display().to_string();
    assert_eq!(json["runtime"], runtime.as_str());
    assert_eq!(
        column(&world.skc(["list", "-o", "json"]), "status"),
        ["not-built", "normal", "not-built"]
    );
}

#[test]
fn a_skill_built_in_place_is_deployed_only_to_requested_clients() {
    let world = repository();
    let before = snapshot(&world.cwd.join(".claude"));
    let targets = [
        "build",
        "pdf",
        "--target",
        "claude,codex",
        "--scope",
        "project",
        "-o",
        "json",
    ];
    let json = world.skc(targets).success().json();
    let paths: Vec<&str> = json["deploys"]
        .as_array()
        .unwrap()
        .iter()
        .map(|deploy| deploy["path"].as_str().unwrap())
        .collect();
    let codex = world.cwd.join(".codex/skills/pdf");
    assert_eq!(paths, [codex.to_str().unwrap()]);
    assert_eq!(snapshot(&world.cwd.join(".claude")), before);
    let stub = codex.display().to_string();
    assert_eq!(place(&world, &world.home, &stub), "project claude");
}

#[test]
fn any_path_can_be_built_in_place_on_request() {
    let world = World::project();
    let dir = world.directory("drafts/one", &[("SKILL.md", &skill("one", "a draft"))]);
    let before = snapshot(&dir);
    let json = world.skc(["build", "drafts/one", "--in-place", "-o", "json"]);
    assert_eq!(json.success().json()["deploys"], serde_json::json!([]));
    assert_eq!(snapshot(&dir), before);
    assert!(!world.cwd.join(".skillc/skills/one").exists());
    let found = world.skc(["search", "drafts/one", "draft"]).success();
    assert!(found.text().contains("SKILL.md#Place"), "{found:?}");
}

#[test]
fn clean_and_remove_keep_a_source_that_was_built_in_place() {
    let world = repository();
    fs::create_dir_all(world.cwd.join(".skillc/skills")).unwrap();
    for scope in ["project", "user"] {
        let build = ["build", "pdf", "--target", "codex", "--scope", scope];
        world.skc(build).success();
    }
    let stubs = [&world.cwd, &world.home].map(|root| root.join(".codex/skills/pdf"));
    let before = snapshot(&world.cwd);
    world.skc(["clean"]).success();
    assert_eq!(snapshot(&world.cwd), before);
    assert!(stubs.iter().all(|stub| stub.join("SKILL.md").is_file()));
    let doctor = world
        .skc(["doctor", "--client", "codex", "-o", "json"])
        .json();
    assert_eq!(doctor["problems"], serde_json::json!([]), "{doctor:#}");

    let source = snapshot(&world.cwd.join(".claude"));
    let remove = ["remove", "pdf", "--source", "--yes", "--logs"];
    let run = world.skc(remove).success();
    let kept = format!(
        "  Kept: {}/.claude/skills/pdf (its source is outside the stores; delete it manually)\n",
        world.cwd.display()
    );
    assert!(run.text().starts_with("Removed pdf (project)\n"), "{run:?}");
    assert!(run.text().contains(&kept), "{run:?}");
    let again = world.skc(remove).success();
    let nothing = "Nothing to remove for pdf (project)\n";
    assert_eq!(again.text(), format!("{nothing}{kept}"));
    assert_eq!(snapshot(&world.cwd.join(".claude")), source);
    assert!(
        stubs
            .iter()
            .all(|stub| !stub.exists() && !stub.is_symlink())
    );
    world.skc(["search", "pdf", "claude"]).code("E002");
}

/// A skill in a store and one in a client folder share a name: each is removed separately.
#[test]
fn removing_by_client_folder_path_keeps_the_store_skill_of_that_name() {
    let world = repository();
    world.project_skill("pdf", &[("SKILL.md", &skill("pdf", "stored"))]);
    world.skc(["build", "pdf", "-t", "codex"]).success();
    let before = snapshot(&world.cwd);
    let run = world.skc(["remove", ".claude/skills/pdf"]).success();
    let nothing = "Nothing to remove for pdf (project)\n";
    assert!(run.text().starts_with(nothing), "{run:?}");
    assert_eq!(snapshot(&world.cwd), before);
    let stub = world.home.join(".codex/skills/pdf");
    assert!(stub.join("SKILL.md").is_file());
    world.directory("plain/pdf", &[("SKILL.md", &skill("pdf", "plain"))]);
    world.skc(["remove", "plain/pdf"]).code("E001");
    assert!(stub.join("SKILL.md").is_file());
}

/// If a package's `.skillc` folder contains only builds or logs, the search for the repository's skills continues above
/// the package.
#[test]
fn a_skillc_folder_in_a_package_does_not_hide_the_repositorys_skills() {
    let world = repository();
    let package = world.cwd.join("pkg");
    put(&package, ".claude/skills", "x", "of the package");
    let seen = |world: &World| names(&world.skc_at(&package, &["list", "-o", "json"]).success());
    let all = ["docx", "pdf", "x", "mine"];
    assert_eq!(seen(&world), all);
    fs::create_dir_all(package.join(".skillc/logs")).unwrap();
    assert_eq!(seen(&world), all);
    world.skc_at(&package, &["build", "x"]).success();
    assert!(package.join(".skillc/runtime/x").is_dir());
    assert_eq!(seen(&world), all);
    assert_eq!(place(&world, &package, "pdf"), "project claude");
}

#[test]
fn all_and_globs_build_the_skills_of_a_repository_in_place() {
    let world = repository();
    put(&world.cwd, ".claude/skills", "pdf-forms", "forms");
    world.global_skill("pdf-user", &[("SKILL.md", &skill("pdf-user", ""))]);
    let folders = || [".claude", ".agents"].map(|dir| snapshot(&world.cwd.join(dir)));
    let before = folders();
    let built = |cwd: &Path, args: &[&str]| {
        let args = [&["build", "-o", "json"], args].concat();
        let json = world.skc_at(cwd, &args).success().json();
        let skills = json["skills"].as_array().unwrap().clone();
        for skill in &skills {
            assert_eq!(skill["in_place"], true, "{skill}");
            assert_eq!(skill["deploys"], serde_json::json!([]), "{skill}");
        }
        let names = skills
            .iter()
            .map(|skill| skill["skill"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(built(&world.cwd, &["pdf*"]), ["pdf", "pdf-forms"]);
    let all = ["docx", "pdf", "pdf-forms"];
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names
    };
    assert_eq!(sorted(built(&world.cwd, &["--all"])), all);
    // The same skills are built inside the client folder, although each name is also a relative path there.
    let inside = world.cwd.join(".claude/skills");
    assert_eq!(sorted(built(&inside, &["--all"])), all);
    assert_eq!(folders(), before);
    let found = world.skc(["search", "docx", "agents"]).success();
    assert!(found.text().contains("SKILL.md#Place"), "{found:?}");
    assert!(!world.home.join(".claude").exists() && !world.cwd.join(".skillc/skills").exists());
    // With `--target`, a build also deploys the skill. In a directory without project skills, `--all` selects the
    // user's skills.
    world.skc(["build", "pdf*", "-t", "codex"]).success();
    assert!(
        world
            .home
            .join(".codex/skills/pdf-forms/SKILL.md")
            .is_file()
    );
    let json = world.skc_at(&world.home, &["build", "--all", "-o", "json"]);
    let json = json.success().json();
    assert_eq!(json["skills"][0]["skill"], "pdf-user");
    assert_eq!(json["skills"][1]["skill"], "mine", "{json}");
    assert_eq!(json["skills"].as_array().map(Vec::len), Some(2), "{json}");
}
