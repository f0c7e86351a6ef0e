//! Importing a skill from any directory into a store.

use std::fs;
use std::path::PathBuf;

use skillc_tests::{Output, World, snapshot};

use crate::building::support::{SKC, leftovers, named, skill_md};

fn stored(world: &World, skill: &str) -> PathBuf {
    world.cwd.join(".skillc/skills").join(skill)
}

/// D-BUILD-ARG, C-COMMANDS.5, ADR2.3, CL.6.
#[test]
fn a_path_outside_the_stores_is_imported_under_its_frontmatter_name() {
    let world = World::project();
    let from = world.directory(
        "get/it",
        &[("SKILL.md", &named("pdf-forms")), ("a/b.md", "# B\n")],
    );
    let built = world.skc(["build", "./get/it"]).success();
    let to = stored(&world, "pdf-forms");
    let line = format!(
        "Imported {} \u{2192} {} (project)",
        from.display(),
        to.display()
    );
    assert_eq!(built.text().lines().next(), Some(line.as_str()));
    assert_eq!(snapshot(&to), snapshot(&from));
    world.skc(["show", "pdf-forms", "--section", "B"]).success();
}

/// D-BUILD-ARG.
#[test]
fn an_import_goes_to_the_project_if_there_is_one_and_without_global() {
    for (world, options) in [(World::new(), &[][..]), (World::project(), &["--global"])] {
        world.directory("it", &[("SKILL.md", &named("it"))]);
        let args: Vec<&str> = ["build", "./it"].iter().chain(options).copied().collect();
        world.skc_at(&world.cwd, &args).success();
        assert!(world.home.join(".skillc/skills/it/SKILL.md").is_file());
        assert!(world.home.join(".skillc/runtime/it/SKILL.md").is_file());
        assert!(!world.cwd.join(".skillc/skills/it").exists());
    }
}

/// D-BUILD-ARG, F-37.
#[test]
fn a_path_inside_a_store_is_built_in_place() {
    let world = World::demo(&[]);
    world.global_skill("wide", &[("SKILL.md", &named("wide"))]);
    let source = world.demo_source();
    let source = source.to_str().expect("a plain path");
    for path in [
        source,
        "./.skillc/skills/demo",
        ".skillc/skills/demo/",
        ".skillc/skills/../skills/demo",
    ] {
        let built = world.skc(["build", path]).success();
        assert!(
            built.text().starts_with("Built demo (project)\n"),
            "{path}: {built:?}"
        );
    }
    let built = world
        .skc_at(&world.demo_source(), &["build", "."])
        .success();
    assert!(
        built.text().starts_with("Built demo (project)\n"),
        "{built:?}"
    );
    let wide = world.home.join(".skillc/skills/wide");
    let built = world
        .skc(["build", wide.to_str().expect("a plain path")])
        .success();
    assert!(
        built.text().starts_with("Built wide (global)\n"),
        "{built:?}"
    );
}

/// D-BUILD-ARG, F-37.
#[test]
fn a_directory_without_skill_md_does_not_hide_a_skill() {
    let world = World::demo(&[]);
    fs::create_dir_all(world.cwd.join("demo/src")).expect("directories");
    world.skc(["build", "demo"]).success();
    assert!(world.demo_runtime().join("SKILL.md").is_file());
}

/// F-01, D-NAME-SAFETY.
#[test]
fn a_name_with_path_traversal_is_refused_and_nothing_changes() {
    let world = World::project();
    fs::create_dir_all(world.cwd.join("victim")).expect("a directory");
    fs::write(world.cwd.join("victim/file"), "kept").expect("a file");
    for name in [
        "../../../evil",
        "../../victim",
        "/tmp/evil",
        "a/b",
        "..",
        ".",
        ".hidden",
        "a\\\\b",
        "x\\ny",
    ] {
        let text = skill_md(&format!("name: \"{name}\"\ndescription: d"), "# T\n");
        world.directory("from", &[("SKILL.md", &text)]);
        let before = (snapshot(&world.cwd), snapshot(&world.home));
        world.skc(["build", "./from"]).code("E012");
        world.skc(["build", "./from", "--force"]).code("E012");
        assert_eq!(
            (snapshot(&world.cwd), snapshot(&world.home)),
            before,
            "{name}"
        );
        assert!(!world.cwd.join("../../../evil").exists());
    }
}

/// D-IMPORT-CONFLICT, C-DEPLOYMENT.9.
#[test]
fn a_stored_skill_is_replaced_only_with_force() {
    let world = World::project();
    world.directory("v1", &[("SKILL.md", &named("tool")), ("old.md", "# Old\n")]);
    world.directory("v2", &[("SKILL.md", &named("tool")), ("new.md", "# New\n")]);
    world.skc(["build", "./v1"]).success();
    let before = snapshot(&stored(&world, "tool"));
    let failed = world.skc(["build", "./v2"]);
    failed.error("error[E050]: skill 'tool' already exists");
    let hint = failed.stderr.lines().nth(1).expect("a hint");
    assert!(hint.contains("--force"), "{hint}");
    assert_eq!(snapshot(&stored(&world, "tool")), before);

    world.skc(["build", "./v2", "--force"]).success();
    assert_eq!(
        snapshot(&stored(&world, "tool")),
        snapshot(&world.cwd.join("v2"))
    );
    world.skc(["show", "tool", "--section", "New"]).success();
}

/// If the path leads to a stub in an agent's folder, the build uses the stub's source, and does not change it.
#[test]
fn building_by_the_path_of_a_stub_builds_its_source() {
    let world = World::demo(&[("references/a.md", "# A\n")]);
    let agent = world.home.join(".claude/skills");
    for how in [&[][..], &["--copy"]] {
        world
            .skc_at(&world.cwd, &[&["build", "demo"], how].concat())
            .success();
        let before = snapshot(&world.cwd);
        let built = world.skc_at(&agent, &[&["build", "demo", "-o", "json"], how].concat());
        let source = world.demo_source().display().to_string();
        assert_eq!(built.success().json()["source"], source.as_str());
        assert_eq!(snapshot(&world.cwd), before);
    }
}

/// D-RUNTIME-FALLBACK: a stub whose source is missing cannot be built, not even with `--force`.
#[test]
fn build_output_is_never_imported() {
    let world = World::demo(&[("references/a.md", "# A\n")]);
    let agent = world.home.join(".claude/skills");
    for how in [&[][..], &["--copy"]] {
        world
            .skc_at(&world.cwd, &[&["build", "demo"], how].concat())
            .success();
        fs::rename(world.demo_source(), world.cwd.join("aside")).unwrap();
        let before = (snapshot(&world.cwd), snapshot(&world.home));
        for args in [&["build", "demo"][..], &["build", "demo", "-g", "--force"]] {
            let refused = world.skc_at(&agent, args);
            refused.code("E100");
            assert!(
                refused
                    .stderr
                    .contains("is build output, not a skill's source")
            );
        }
        let path = agent.join("demo");
        let path = path.to_str().expect("a plain path");
        world.skc(["build", path, "--force"]).code("E100");
        assert_eq!((snapshot(&world.cwd), snapshot(&world.home)), before);
        fs::rename(world.cwd.join("aside"), world.demo_source()).unwrap();
    }
}

/// F-04, D-IMPORT-CONFLICT.
#[test]
#[cfg(unix)]
fn a_failed_import_keeps_the_existing_skill() {
    let world = World::project();
    world.directory("v1", &[("SKILL.md", &named("tool"))]);
    world.skc(["build", "./v1"]).success();
    let (store, runtime) = (stored(&world, ""), world.cwd.join(".skillc/runtime"));
    let before = (snapshot(&store), snapshot(&runtime));
    // With a file size limit of a few blocks, the small files are copied, but copying the large file fails.
    world.directory(
        "v2",
        &[
            ("SKILL.md", &named("tool")),
            ("a/large.bin", &"x".repeat(1 << 20)),
        ],
    );
    let mut limited = world.process(
        "/bin/sh",
        &["-c", "trap '' XFSZ; ulimit -f 64; exec \"$@\"", "sh"],
    );
    limited.args([SKC, "build", "./v2", "--force"]);
    let failed = Output::new(limited.output().expect("a shell"));
    failed.code("E999");
    assert!(failed.stderr.contains("large.bin"), "{failed:?}");
    assert_eq!((snapshot(&store), snapshot(&runtime)), before);

    // An interrupted import leaves no skill, and the next import cleans up.
    fs::create_dir_all(store.join(".skc-tmp-new-tool/sub")).expect("directories");
    fs::write(store.join(".skc-tmp-new-tool/SKILL.md"), named("half")).expect("a file");
    let list = world.skc(["list", "-o", "json"]).success();
    assert_eq!(
        (list.json()["total"].as_u64(), list.stderr.as_str()),
        (Some(1), "")
    );
    world.skc(["build", "./v2", "--force"]).success();
    assert_eq!(leftovers(&world.cwd), Vec::<PathBuf>::new());
    assert!(stored(&world, "tool/a/large.bin").is_file());
}

/// D-IMPORT-CONFLICT.
#[test]
#[cfg(unix)]
fn a_skill_is_not_imported_onto_or_into_itself() {
    let world = World::demo(&[("nested/SKILL.md", &named("demo"))]);
    std::os::unix::fs::symlink(world.demo_source(), world.cwd.join("alias")).expect("a link");
    let before = snapshot(&world.demo_source());
    world
        .skc(["build", ".skillc/skills/demo/nested", "--force"])
        .code("E100");
    world.skc(["build", "./alias", "--force"]).success();
    assert_eq!(snapshot(&world.demo_source()), before);

    // The store has a symlink to the directory `tool`.
    let developed = world.directory("tool", &[("SKILL.md", &named("tool"))]);
    std::os::unix::fs::symlink(&developed, stored(&world, "tool")).expect("a link");
    world.skc(["build", "./tool", "--force"]).code("E100");
    assert!(stored(&world, "tool").is_symlink() && developed.join("SKILL.md").is_file());
}

/// D-IMPORT-CONFLICT, C-DEPLOYMENT.9.
#[test]
#[cfg(unix)]
fn force_replaces_a_symlink_in_the_store_and_not_its_target() {
    for target in ["developed", "gone"] {
        let world = World::project();
        let developed = world.directory("developed", &[("SKILL.md", &named("tool"))]);
        let before = snapshot(&developed);
        std::os::unix::fs::symlink(world.cwd.join(target), stored(&world, "tool")).expect("a link");
        world.directory("v2", &[("SKILL.md", &named("tool")), ("new.md", "# New\n")]);
        world.skc(["build", "./v2"]).code("E050");
        world.skc(["build", "./v2", "--force"]).success();
        assert!(!stored(&world, "tool").is_symlink());
        assert!(stored(&world, "tool/new.md").is_file());
        assert_eq!(snapshot(&developed), before);
    }
}

/// F-37, D-IMPORT-CONFLICT, D-SYMLINK.
#[test]
#[cfg(unix)]
fn internal_symlinks_are_copied_and_point_into_the_copy() {
    use std::os::unix::fs::symlink;

    let world = World::project();
    let from = world.directory(
        "from",
        &[
            ("SKILL.md", &named("tool")),
            ("docs/a.md", "# A\n"),
            ("b/c.md", "# C\n"),
        ],
    );
    symlink("a.md", from.join("docs/plain.md")).expect("a link");
    symlink("../docs/a.md", from.join("b/up.md")).expect("a link");
    symlink(from.join("docs/a.md"), from.join("b/absolute.md")).expect("a link");
    symlink("../../from/docs/a.md", from.join("b/around.md")).expect("a link");
    symlink("missing.md", from.join("broken.md")).expect("a link");
    symlink("docs", from.join("folder")).expect("a link");
    world.skc(["build", "./from"]).success();
    let to = stored(&world, "tool");
    fs::write(to.join("docs/a.md"), "# Copy\n").expect("a file");
    for link in [
        "docs/plain.md",
        "b/up.md",
        "b/absolute.md",
        "b/around.md",
        "folder/a.md",
    ] {
        assert_eq!(
            fs::read_to_string(to.join(link)).ok().as_deref(),
            Some("# Copy\n"),
            "{link}"
        );
    }
    assert!(to.join("broken.md").is_symlink() && to.join("folder").is_symlink());

    symlink("/etc/hostname", from.join("escape")).expect("a link");
    let before = snapshot(&world.cwd.join(".skillc"));
    let failed = world.skc(["build", "./from", "--force"]);
    failed.error("error[E012]: path escapes skill root: 'escape'");
    assert_eq!(snapshot(&world.cwd.join(".skillc")), before);
}

/// D-BUILD-ARG, G-PUBLISH.3.
#[test]
fn repository_history_and_the_enclosing_project_are_not_imported() {
    let world = World::project();
    fs::write(world.cwd.join("SKILL.md"), named("whole")).expect("a file");
    fs::create_dir_all(world.cwd.join(".git/objects")).expect("directories");
    fs::write(world.cwd.join(".gitignore"), "x\n").expect("a file");
    world.skc(["build", "."]).success();
    let to = stored(&world, "whole");
    assert!(to.join("SKILL.md").is_file() && to.join(".gitignore").is_file());
    assert!(!to.join(".git").exists() && !to.join(".skillc").exists());
}

/// D-DEPLOY-CONFLICT, D-IMPORT-CONFLICT, ADR2.1.
#[test]
fn a_skill_imported_from_its_deployment_path_is_not_replaced() {
    let world = World::project();
    let by_hand = world.directory(
        "../home/.claude/skills/tool",
        &[("SKILL.md", &named("tool"))],
    );
    fs::create_dir_all(by_hand.join(".git")).expect("a directory");
    let path = fs::canonicalize(&by_hand).expect("exists");
    let path = path.to_str().expect("a plain path").to_owned();
    let before = snapshot(&by_hand);
    world.skc(["build", &path]).code("E999");
    world.skc(["build", &path, "--force"]).code("E999");
    assert_eq!(snapshot(&by_hand), before);
    assert!(!stored(&world, "tool").exists());
    world.skc(["build", "tool"]).success();
    world.skc(["search", "tool", "title"]).success();
}

/// A symlink to the skill's own folder and a symlink in a cycle do not count as files, so they do not prevent an
/// import.
#[cfg(unix)]
#[test]
fn self_referencing_and_cyclic_symlinks_are_imported_unchanged() {
    use std::os::unix::fs::symlink;

    let world = World::project();
    let dir = world.directory(
        "loop",
        &[("SKILL.md", &named("loop")), ("sub/a.md", "# A\n")],
    );
    for (link, target) in [
        ("up", "../loop"),
        ("sub/up", "../../loop/sub"),
        ("self", "self"),
        ("round", "../loop/round"),
        ("here", "."),
    ] {
        symlink(target, dir.join(link)).expect("a link");
    }
    symlink(dir.join("absolute"), dir.join("absolute")).expect("a link");
    world.skc(["build", "./loop"]).success();
    let stored = world.cwd.join(".skillc/skills/loop");
    let real = stored.canonicalize().expect("a directory");
    let leads_to = |link: &str| stored.join(link).canonicalize().expect("somewhere");
    assert_eq!(leads_to("up"), real);
    assert_eq!(leads_to("sub/up"), real.join("sub"));
    let outline = world.skc(["outline", stored.to_str().expect("a plain path")]);
    assert!(outline.success().text().contains('A'));
}

/// A copy in the store would take precedence over the original skill, so a failed build must not leave a copy there.
#[test]
fn a_build_that_fails_before_compiling_imports_nothing() {
    let world = World::new();
    world.directory("pdf", &[("SKILL.md", &named("pdf"))]);
    let before = (snapshot(&world.cwd), snapshot(&world.home));
    world.skc(["build", "./pdf", "--scope", "project"]).error(
        "error[E100]: invalid option: '--scope project: \"pdf\" does not belong to a project'",
    );
    assert_eq!((snapshot(&world.cwd), snapshot(&world.home)), before);

    let world = World::project();
    let path = "../home/.claude/skills/pdf";
    world.directory(path, &[("SKILL.md", &named("pdf"))]);
    let before = (snapshot(&world.cwd), snapshot(&world.home));
    for options in [&[][..], &["--force"], &["-t", "codex,claude"]] {
        let failed = world.skc_at(&world.cwd, &[&["build", path], options].concat());
        let line = "skills/pdf': the skill's own source is there";
        assert!(failed.stderr.contains(line), "{failed:?}");
        assert!(failed.stderr.contains(" --in-place"), "{failed:?}");
        assert_eq!((snapshot(&world.cwd), snapshot(&world.home)), before);
    }
    world.skc(["build", path, "--in-place"]).success();
    world.skc(["build", path, "-t", "codex"]).success();
    assert!(stored(&world, "pdf").is_dir());
}

/// The source may belong to another user. The setuid bit of a file must not be kept, or that user could run programs as
/// the user who imports the skill.
#[cfg(unix)]
#[test]
fn an_import_keeps_only_the_permission_to_run_a_file() {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    let world = World::project();
    let files = [
        ("SKILL.md", named("it")),
        ("scripts/run.sh", "true\n".to_owned()),
        ("a.md", "# A\n".to_owned()),
    ];
    let from = world.directory(
        "get/it",
        &files.each_ref().map(|(path, text)| (*path, &**text)),
    );
    let set = |path: &str, mode: u32| {
        fs::set_permissions(from.join(path), Permissions::from_mode(mode)).expect("a mode");
    };
    set("scripts/run.sh", 0o6777);
    set("a.md", 0o666);
    set("scripts", 0o1777);
    world.skc(["build", "./get/it"]).success();
    let to = stored(&world, "it");
    for (path, most) in [
        ("scripts/run.sh", 0o755),
        ("a.md", 0o644),
        ("scripts", 0o755),
    ] {
        let found = fs::metadata(to.join(path)).expect("a file");
        let mode = found.permissions().mode() & 0o7777;
        assert_eq!(mode & !most, 0, "{path}: {mode:o}");
        assert_eq!(mode & 0o100, most & 0o100, "{path}: {mode:o}");
    }
}
