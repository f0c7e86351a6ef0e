//! User journeys: several commands in a row.

use std::fs;
use std::io;
use std::path::Path;

use skillc_tests::{MINIMAL, World, snapshot};

const GUIDE: &str = "# Guide\n\n## Setup\n\nInstall the zeppelin.\n\n### Windows\n\nUse the installer.\n\n## Use\n\nFly.\n";

fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// C-SCOPE@0.1: covers scaffolding, validation, compilation, and the locations of the source and the build.
#[test]
fn a_skill_is_created_linted_built_and_listed() {
    let world = World::new();
    world.skc(["init"]).success();
    world.skc(["init", "demo"]).success();
    world.skc(["lint", "demo"]).success();
    let status = |world: &World| {
        world.skc(["list", "--format", "json"]).json()["skills"][0]["status"].clone()
    };
    assert_eq!(status(&world), "not-built");
    world.skc(["build", "demo"]).success();
    assert_eq!(status(&world), "normal");
    let skill = &world.skc(["list", "--format", "json"]).json()["skills"][0];
    assert_eq!(
        skill["source_path"],
        world.demo_source().to_str().expect("UTF-8")
    );
    assert_eq!(
        skill["runtime_path"],
        world.demo_runtime().to_str().expect("UTF-8")
    );
}

/// C-PRINCIPLES.1: tests only the part of the requirement about the stub.
#[test]
fn a_stub_shows_headings_without_their_text() {
    let world = World::built(&[("references/guide.md", GUIDE)]);
    let stub = fs::read_to_string(world.demo_runtime().join("SKILL.md")).expect("a stub");
    assert!(stub.contains("Guide") || stub.contains("Setup"), "{stub}");
    assert!(
        !stub.contains("zeppelin") && !stub.contains("Hello world"),
        "{stub}"
    );
}

/// G-INTRO.2, C-COMMANDS.7: covers `outline`, `show` and `open`.
#[test]
fn output_can_be_limited_by_level_and_by_lines() {
    let world = World::built(&[("guide.md", GUIDE)]);
    let headings = |level: &str| {
        world
            .skc(["outline", "demo", "--level", level])
            .success()
            .text()
            .matches('#')
            .count()
    };
    // SKILL.md has one heading of level 1; the guide has one of level 1, two of level 2, one of level 3.
    assert_eq!((headings("1"), headings("2"), headings("3")), (2, 6, 9));
    world.skc(["outline", "demo", "--level", "7"]).code("E100");
    let show = world
        .skc(["show", "demo", "--section", "Setup", "--max-lines", "3"])
        .success();
    assert_eq!(
        show.text(),
        "## Setup\n\nInstall the zeppelin.\n... (5 more lines)\n"
    );
    let open = world
        .skc(["open", "demo", "guide.md", "--max-lines", "2"])
        .success();
    assert_eq!(open.text(), "# Guide\n\n... (11 more lines)\n");
}

/// C-COMMANDS.5, ADR2.3, CL.6.
#[test]
fn build_finds_a_name_in_the_stores_and_imports_a_path() {
    let world = World::project();
    world.directory("downloads/demo", &[]);
    let global = world.global_skill("demo", &[]);
    let home = world.home.display();
    let by_name = world.skc(["build", "demo"]).success();
    let expected = format!(
        "Built demo (global)\n  Source:  {}\n  Runtime: {home}/.skillc/runtime/demo\n  Deploy:  {home}/.claude/skills/demo (symlink)\n",
        global.display()
    );
    assert_eq!(by_name.text(), expected);
    let by_path = world
        .skc(["build", "downloads/demo", "--copy", "--target", "cursor"])
        .success();
    let cwd = world.cwd.display();
    let expected = format!(
        "Imported {cwd}/downloads/demo \u{2192} {cwd}/.skillc/skills/demo (project)\nBuilt demo (project)\n  Source:  {cwd}/.skillc/skills/demo\n  Runtime: {cwd}/.skillc/runtime/demo\n  Deploy:  {home}/.cursor/skills/demo (copy)\n"
    );
    assert_eq!(by_path.text(), expected);
    assert!(is_there(&world.demo_source().join("SKILL.md")));
    // The project's skill now takes precedence.
    assert!(
        world
            .skc(["build", "demo"])
            .success()
            .text()
            .starts_with("Built demo (project)\n")
    );
}

/// ADR1.1: tested with defaults, and with configuration in both places.
#[test]
fn source_and_runtime_are_separate_and_the_project_takes_precedence() {
    let world = World::demo(&[]);
    world.global_skill(
        "demo",
        &[("SKILL.md", &MINIMAL.replace("Hello", "Good day"))],
    );
    let before = snapshot(&world.demo_source());
    world.skc(["build", "demo"]).success();
    assert!(
        snapshot(&world.demo_source()) == before,
        "the source changed"
    );
    assert!(is_there(&world.demo_runtime().join("SKILL.md")));
    assert!(!is_there(&world.home.join(".skillc/runtime")));
    assert!(
        world
            .skc(["show", "demo", "--section", "Demo"])
            .success()
            .text()
            .contains("Hello")
    );

    let configure = |root: &Path, tokenizer: &str| {
        fs::write(
            root.join(".skillc/config.toml"),
            format!("[search]\ntokenizer = \"{tokenizer}\"\n"),
        )
        .expect("a file");
    };
    configure(&world.home, "cjk");
    world.skc(["search", "demo", "hello"]).code("E002");
    configure(&world.cwd, "ascii");
    world.skc(["search", "demo", "hello"]).success();
}

/// ADR2.1.
#[test]
fn a_hand_written_skill_in_a_client_directory_is_not_overwritten() {
    for (project, options) in [
        (true, &[][..]),
        (true, &["--copy"]),
        (false, &[]),
        (false, &["--copy"]),
    ] {
        let world = World::project();
        if project {
            world.project_skill("demo", &[]);
        } else {
            world.global_skill("demo", &[]);
        }
        let theirs = world.home.join(".claude/skills/demo");
        fs::create_dir_all(&theirs).expect("a directory");
        fs::write(theirs.join("SKILL.md"), "by hand").expect("a file");
        fs::write(theirs.join("notes.txt"), "by hand, too").expect("a file");
        let before = snapshot(&world.home.join(".claude"));
        let output = world.skc_at(&world.cwd, &[&["build", "demo"], options].concat());
        output.code("E999");
        assert!(output.stderr.contains("--force"), "{output:?}");
        assert!(
            snapshot(&world.home.join(".claude")) == before,
            "their skill changed"
        );
    }
}

/// ADR2.2.
#[test]
fn targets_are_known_by_name_and_can_be_added_and_overridden() {
    let world = World::project();
    world.global_skill("demo", &[]);
    let config = "[targets]\nmine = \"~/agents/mine\"\ncursor = \"~/elsewhere\"\n";
    fs::write(world.home.join(".skillc/config.toml"), config).expect("a file");
    world
        .skc(["build", "demo", "--target", "codex,mine,cursor"])
        .success();
    for place in [".codex/skills/demo", "agents/mine/demo", "elsewhere/demo"] {
        assert!(is_there(&world.home.join(place)), "{place}");
    }
    assert!(!is_there(&world.home.join(".claude")) && !is_there(&world.home.join(".cursor")));
    world
        .skc(["build", "demo", "--target", "nobody"])
        .error("error[E100]: invalid option: 'unknown target \"nobody\"'");
}

/// CL.7: tests only the part of the requirement about finding the project.
#[test]
fn a_project_is_found_from_any_subdirectory() {
    let world = World::built(&[]);
    let deep = world.cwd.join("src/deep/er");
    fs::create_dir_all(&deep).expect("a directory");
    for args in [
        &["search", "demo", "hello"][..],
        &["list"],
        &["build", "demo"],
        &["sources", "demo"],
    ] {
        let below = world.skc_at(&deep, args).success();
        assert_eq!(
            below.text(),
            world.skc_at(&world.cwd, args).text(),
            "{args:?}"
        );
    }
}

/// CL.1.
#[test]
fn a_hash_in_a_code_block_is_not_a_heading() {
    let text = format!(
        "{MINIMAL}\n```sh\n# not a heading\nrun\n```\n\n    # nor this\n\n## After\n\nEnd.\n"
    );
    let world = World::built(&[("SKILL.md", &text)]);
    world
        .skc(["show", "demo", "--section", "not a heading"])
        .code("E020");
    world
        .skc(["show", "demo", "--section", "nor this"])
        .code("E020");
    assert!(
        world
            .skc(["show", "demo", "--section", "Demo"])
            .success()
            .text()
            .contains("# not a heading\nrun\n")
    );
    assert_eq!(
        world.skc(["outline", "demo"]).success().text(),
        "SKILL.md\n  # Demo\n  ## After\n"
    );
    assert!(
        world
            .skc(["search", "demo", "run"])
            .success()
            .text()
            .starts_with("SKILL.md#Demo ")
    );
}

/// CL.2.
#[test]
fn stubs_have_at_most_100_lines() {
    let many = "## Section\n\nText.\n\n".repeat(300);
    let world = World::built(&[
        ("many.md", &many),
        ("SKILL.md", &format!("{MINIMAL}\n{many}")),
    ]);
    let stub = fs::read_to_string(world.demo_runtime().join("SKILL.md")).expect("a stub");
    assert!(stub.lines().count() <= 100, "{}", stub.lines().count());
}

/// CL.2: the target of a symlink out of the skill is never read.
#[cfg(unix)]
#[test]
fn symlinks_out_of_the_skill_are_rejected() {
    let world = World::demo(&[]);
    let secret = world.cwd.join("secret.md");
    fs::write(&secret, "# Secret\n").expect("a file");
    std::os::unix::fs::symlink(&secret, world.demo_source().join("link.md")).expect("a link");
    let refusal = "error[E012]: path escapes skill root: 'link.md'";
    world.skc(["open", "demo", "link.md"]).error(refusal);
    world.skc(["build", "demo"]).error(refusal);
    assert!(!world.demo_runtime().join("SKILL.md").exists());
    assert!(
        !world
            .skc(["outline", "demo"])
            .success()
            .text()
            .contains("Secret")
    );
}

/// CL.2: changes in `.git` and `.jj` do not make a build stale; an edited, new or deleted file does.
#[test]
fn staleness_depends_on_the_files_of_the_skill_only() {
    let world = World::built(&[("a.md", "# A\n"), ("b.txt", "b")]);
    let search = || world.skc(["search", "demo", "hello"]);
    for dir in [".git", ".jj"] {
        let dir = world.demo_source().join(dir);
        fs::create_dir_all(&dir).expect("a directory");
        fs::write(dir.join("state"), "new").expect("a file");
        search().success();
    }
    let source = world.demo_source();
    let edit = || fs::write(source.join("a.md"), "# B\n");
    let add = || fs::write(source.join("c.bin"), [0]);
    let lose = || fs::remove_file(source.join("b.txt"));
    let changes: [&dyn Fn() -> io::Result<()>; 3] = [&edit, &add, &lose];
    for change in changes {
        change().expect("a change");
        let output = search();
        output.code("E002");
        world.skc(["build", "demo"]).success();
        search().success();
    }
}
