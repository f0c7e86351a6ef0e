//! Skills built in place: from every directory, their stubs resolve to the skills.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use skillc_tests::{World, snapshot};

use crate::stores::support::{place, skill};

/// Writes a skill; returns its directory.
fn put(dir: PathBuf, body: &str) -> PathBuf {
    let name = dir.file_name().expect("a name").to_str().expect("UTF-8");
    let text = skill(name, body);
    fs::create_dir_all(&dir).expect("a writable folder");
    fs::write(dir.join("SKILL.md"), text).expect("a writable folder");
    dir
}

/// Creates a directory next to the working directory; returns it.
fn elsewhere(world: &World) -> PathBuf {
    let other = world.cwd.parent().expect("a parent").join("other");
    fs::create_dir_all(&other).expect("a writable folder");
    other
}

fn path_of(world: &World, cwd: &Path, asked: &str) -> String {
    let found = world.skc_at(cwd, &["path", asked]).success();
    found.text().trim_end().to_owned()
}

fn has_problems(world: &World, cwd: &Path) -> bool {
    let report = world.skc_at(cwd, &["doctor", "--client", "claude-code", "-o", "json"]);
    report.json()["problems"] != serde_json::json!([])
}

/// The build is in a project, and the skill is outside the project.
#[test]
fn the_stub_of_a_skill_outside_the_project_resolves_from_everywhere() {
    for copy in [&[][..], &["--copy"]] {
        let world = World::project();
        let source = put(world.home.join("dev/pdf"), "the draft");
        let asked = source.to_str().unwrap();
        let build = ["build", asked, "--in-place", "--target", "claude"];
        world
            .skc_at(&world.cwd, &[&build[..], copy].concat())
            .success();
        let stub = world.home.join(".claude/skills/pdf");
        for cwd in [&world.cwd, &elsewhere(&world)] {
            for asked in ["pdf", stub.to_str().unwrap(), asked] {
                assert_eq!(path_of(&world, cwd, asked), source.to_str().unwrap());
                assert_eq!(place(&world, cwd, asked), "the draft");
                let found = world.skc_at(cwd, &["search", asked, "draft"]).success();
                assert!(found.text().contains("SKILL.md#Place"), "{found:?}");
            }
            assert!(!has_problems(&world, cwd));
        }
    }
}

/// A repository's client folder may contain symlinks to skills stored elsewhere.
#[test]
fn the_stub_of_a_skill_symlinked_into_a_client_folder_resolves_to_it() {
    let world = World::new();
    fs::create_dir(world.cwd.join(".git")).unwrap();
    let source = put(world.home.join("dev/pdf"), "the draft");
    let folder = world.cwd.join(".claude/skills");
    fs::create_dir_all(&folder).unwrap();
    symlink(&source, folder.join("pdf")).unwrap();
    world
        .skc(["build", "pdf", "--target", "codex", "--scope", "user"])
        .success();
    let other = elsewhere(&world);
    assert_eq!(place(&world, &other, "pdf"), "the draft");
    let found = world.skc_at(&other, &["search", "pdf", "draft"]).success();
    assert!(found.text().contains("SKILL.md#Place"), "{found:?}");
}

#[test]
fn the_copied_stub_of_a_project_draft_is_searchable_from_everywhere() {
    let world = World::project();
    put(world.cwd.join("drafts/one"), "the draft");
    let build = ["build", "drafts/one", "--in-place", "--target", "claude"];
    world
        .skc_at(&world.cwd, &[&build[..], &["--copy"]].concat())
        .success();
    let found = world.skc_at(&elsewhere(&world), &["search", "one", "draft"]);
    assert!(found.success().text().contains("SKILL.md#Place"));
}

/// Rebuilding by name or by the stub's path never creates a second skill.
#[test]
fn a_skill_built_in_place_is_rebuilt_in_place() {
    let world = World::new();
    let source = put(world.home.join("dev/pdf"), "one");
    let asked = source.to_str().unwrap();
    world
        .skc(["build", asked, "--in-place", "--target", "claude"])
        .success();
    let stub = world.home.join(".claude/skills/pdf");
    for (asked, body) in [("pdf", "two"), (stub.to_str().unwrap(), "three")] {
        put(source.clone(), body);
        let json = world.skc(["build", asked, "-o", "json"]).success().json();
        assert_eq!(json["in_place"], true, "{json:#}");
        let found = world.skc(["search", "pdf", body]).success();
        assert!(found.text().contains("SKILL.md#Place"), "{found:?}");
        assert!(!world.home.join(".skillc/skills").exists());
    }
}

/// A stub with a damaged manifest is still a stub: it is neither built as a source nor used instead of the source.
#[test]
fn a_stub_with_a_damaged_manifest_is_not_a_source() {
    let world = World::project();
    world.project_skill("demo", &[("SKILL.md", &skill("demo", "the source"))]);
    world.skc(["build", "demo"]).success();
    let other = elsewhere(&world);
    let manifest = |dir: &Path| dir.join(".skillc-meta/manifest.json");
    fs::write(manifest(&world.demo_runtime()), "{").unwrap();
    // Even without a valid manifest, the symlink in the client folder identifies the build.
    assert_eq!(place(&world, &other, "demo"), "the source");
    world.skc(["build", "demo", "--copy", "--force"]).success();
    let stub = world.home.join(".claude/skills/demo");
    fs::write(manifest(&stub), "{").unwrap();
    world.skc_at(&other, &["path", "demo"]).code("E001");
    let build = world.skc_at(&other, &["build", stub.to_str().unwrap()]);
    build.code("E100");
    assert!(
        build
            .stderr
            .contains("is build output, not a skill's source"),
        "{build:?}"
    );
    assert!(!world.home.join(".skillc/skills").exists());
}

/// Hostile: the manifest of one skill's copy is placed next to another skill's stub.
#[test]
fn a_manifest_of_another_skill_is_not_followed() {
    let world = World::new();
    fs::create_dir(world.cwd.join(".git")).unwrap();
    let secret = world.home.join("q");
    put(secret.join(".skillc/skills/secret"), "private text");
    world.skc_at(&secret, &["build", "secret"]).success();
    let runtime = secret.join(".skillc/runtime/secret/.skillc-meta/manifest.json");
    let forged = world.cwd.join(".claude/skills/pdf");
    fs::create_dir_all(forged.join(".skillc-meta")).unwrap();
    fs::write(forged.join("SKILL.md"), skill("secret", "forged")).unwrap();
    fs::copy(runtime, forged.join(".skillc-meta/manifest.json")).unwrap();
    world.skc(["path", "pdf"]).code("E001");
}

/// A cloned repository has a skill in the folder of one client, and the committed stub of that skill in the folder of
/// another client.
#[test]
fn clean_keeps_the_committed_copy_of_a_skill_in_another_client_folder() {
    let world = World::project();
    fs::create_dir(world.cwd.join(".git")).unwrap();
    fs::create_dir_all(world.cwd.join(".skillc/skills")).unwrap();
    put(world.cwd.join(".agents/skills/pdf"), "the source");
    let build = ["build", "pdf", "--target", "claude", "--scope", "project"];
    world
        .skc_at(&world.cwd, &[&build[..], &["--copy"]].concat())
        .success();
    fs::remove_dir_all(world.cwd.join(".skillc/runtime")).unwrap();
    let before = snapshot(&world.cwd);
    world.skc(["clean"]).success();
    assert_eq!(snapshot(&world.cwd), before);
    fs::remove_dir_all(world.cwd.join(".agents")).unwrap();
    world.skc(["clean"]).success();
    assert!(!world.cwd.join(".claude/skills/pdf").exists());
}

/// `clean` keeps a build that can be recreated from its source.
#[test]
fn clean_keeps_symlinks_to_an_emptied_build_with_a_source() {
    let world = World::project();
    let source = world.project_skill("demo", &[("SKILL.md", &skill("demo", "the source"))]);
    world
        .skc(["build", "demo", "--target", "claude,codex"])
        .success();
    fs::remove_dir_all(world.cwd.join(".skillc/runtime")).unwrap();
    let cleaned = world.skc(["clean"]).success();
    let links = [".claude", ".codex"].map(|dir| world.home.join(dir).join("skills/demo"));
    assert!(links.iter().all(|link| link.is_symlink()), "{cleaned:?}");
    assert!(cleaned.text().contains("rebuild it"), "{cleaned:?}");
    fs::remove_dir_all(source).unwrap();
    world.skc(["clean"]).success();
    assert!(links.iter().all(|link| !link.is_symlink()));
}

/// A source is missing for a moment, and reappears before `clean` acquires the lock.
#[test]
fn clean_checks_again_once_it_has_the_lock() {
    let world = World::project();
    let source = world.project_skill("demo", &[("SKILL.md", &skill("demo", "the source"))]);
    world.skc(["build", "demo"]).success();
    let away = world.cwd.join("away");
    fs::rename(&source, &away).unwrap();
    let lock = world.demo_runtime().join(".skillc-meta/build.lock");
    let lock = fs::File::options()
        .read(true)
        .write(true)
        .open(lock)
        .unwrap();
    lock.lock().unwrap();
    let before = snapshot(&world.cwd.join(".skillc/runtime"));
    std::thread::scope(|scope| {
        let cleaning = scope.spawn(|| world.skc(["clean", "--verbose"]));
        // Give `clean` time to reach the lock; a slower run still passes.
        std::thread::sleep(std::time::Duration::from_millis(300));
        fs::rename(&away, &source).unwrap();
        lock.unlock().unwrap();
        cleaning.join().unwrap().success();
    });
    assert_eq!(snapshot(&world.cwd.join(".skillc/runtime")), before);
}

#[test]
fn doctor_reports_an_unresolvable_stub() {
    let world = World::project();
    let source = world.project_skill("demo", &[("SKILL.md", &skill("demo", "the source"))]);
    world.skc(["build", "demo"]).success();
    assert!(!has_problems(&world, &world.cwd));
    fs::remove_dir_all(source).unwrap();
    let report = world.skc(["doctor", "--client", "claude-code", "-o", "json"]);
    let problem = &report.json()["problems"][0];
    assert_eq!(problem["kind"], "orphan-stub", "{problem:#}");
    assert_eq!(problem["worst"], "lost");
}

/// Copies for other clients are updated by every build.
#[test]
fn a_build_brings_the_copies_for_other_clients_up_to_date() {
    let world = World::project();
    let text = |about: &str| {
        format!("---\nname: demo\ndescription: {about}. Use when asked.\n---\n\n# demo\n")
    };
    world.project_skill("demo", &[("SKILL.md", &text("Old"))]);
    let folder = |client: &str| world.cwd.join(client).join("skills/demo/SKILL.md");
    let scope = ["--scope", "project"];
    let all = ["build", "demo", "--target", "claude,codex,cursor"];
    world
        .skc_at(&world.cwd, &[&all[..], &scope].concat())
        .success();
    world
        .skc([
            "build", "demo", "--target", "kiro", "--copy", "--scope", "user",
        ])
        .success();
    fs::write(folder(".cursor"), "edited by hand").unwrap();
    world.project_skill("demo", &[("SKILL.md", &text("New"))]);
    let built = world.skc_at(
        &world.cwd,
        &[&["build", "demo", "-o", "json"][..], &scope].concat(),
    );
    let json = built.success().json();
    let kiro = world.home.join(".kiro/skills/demo");
    let updated = [world.cwd.join(".codex/skills/demo"), kiro.clone()];
    let updated = updated.map(|path| path.display().to_string());
    assert_eq!(json["updated"], serde_json::json!(updated), "{json:#}");
    for stub in [folder(".claude"), folder(".codex"), kiro.join("SKILL.md")] {
        assert!(
            fs::read_to_string(&stub).unwrap().contains("New."),
            "{stub:?}"
        );
    }
    assert_eq!(
        fs::read_to_string(folder(".cursor")).unwrap(),
        "edited by hand"
    );
    // Copies in the project may be committed, so they contain no absolute path.
    let manifest = world
        .cwd
        .join(".codex/skills/demo/.skillc-meta/manifest.json");
    let manifest = fs::read_to_string(manifest).unwrap();
    assert!(
        !manifest.contains(&world.cwd.display().to_string()),
        "{manifest}"
    );
    let again = world.skc_at(
        &world.cwd,
        &[&["build", "demo", "-o", "json"][..], &scope].concat(),
    );
    assert_eq!(again.success().json().get("updated"), None);
}

/// Shell completion inserts paths. A path in a client folder stands for the skill that the client finds there.
#[test]
fn a_path_into_a_client_folder_is_built_in_place() {
    let world = World::new();
    fs::create_dir(world.cwd.join(".git")).unwrap();
    put(world.cwd.join(".claude/skills/pdf"), "the source");
    let json = world
        .skc(["build", ".claude/skills/pdf", "-o", "json"])
        .success()
        .json();
    assert_eq!(json["in_place"], true, "{json:#}");
    assert!(!world.home.join(".skillc/skills").exists());
    assert!(!world.home.join(".claude").exists());
}

/// The lookup order is fixed, so the user's skill is found first. A message reports that it shadows a project skill.
#[test]
fn a_user_skill_that_shadows_a_project_skill_is_reported() {
    let world = World::new();
    fs::create_dir(world.cwd.join(".git")).unwrap();
    world.global_skill("pdf", &[("SKILL.md", &skill("pdf", "the user's"))]);
    put(world.cwd.join(".claude/skills/pdf"), "the project's");
    let run = world.skc(["outline", "pdf"]).success();
    assert!(run.stderr.contains("warning[W068]"), "{run:?}");
    assert!(run.stderr.contains(".claude/skills/pdf"), "{run:?}");
    // The two skills have independent builds.
    world.skc(["build", "pdf"]).success();
    let list = world.skc(["list", "-o", "json"]).success();
    assert_eq!(
        crate::stores::support::column(&list, "scope"),
        ["project", "global"]
    );
    assert_eq!(
        crate::stores::support::column(&list, "status"),
        ["not-built", "normal"]
    );
}

/// The first build of the skill in the repository is logged in the user's store. Nothing else in that store has the
/// skill's name.
#[test]
fn a_skill_built_in_place_is_removed_by_name_from_elsewhere() {
    let world = World::new();
    fs::create_dir(world.cwd.join(".git")).unwrap();
    let source = put(world.cwd.join(".claude/skills/pdf"), "the source");
    world
        .skc(["build", "pdf", "--target", "codex,cursor"])
        .success();
    world
        .skc_at(&elsewhere(&world), &["remove", "pdf"])
        .success();
    for client in [".codex", ".cursor"] {
        assert!(
            !world.home.join(client).join("skills/pdf").is_symlink(),
            "{client}"
        );
    }
    assert!(source.join("SKILL.md").is_file());
}
