//! Stubs in client folders: emptied, missing, inaccessible, or out of date.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::Value;
use skillc_tests::World;

use super::{PROGRAM, doctor, doctor_json, list, repository, skills, text, valid_skill, write};

/// Creates a project whose skill `demo` is built for Claude Code.
fn built() -> World {
    let world = World::built(&[("SKILL.md", &valid_skill("demo"))]);
    fs::create_dir_all(world.cwd.join(".git")).expect("a folder");
    world
}

/// Returns the problems, formatted as `kind skill: message | remedy`.
fn problem_lines(json: &Value) -> Vec<String> {
    let line = |problem: &Value| {
        let of = |key: &str| text(&problem[key]).to_owned();
        format!(
            "{} {}: {} | {}",
            of("kind"),
            of("skill"),
            of("message"),
            of("mend")
        )
    };
    list(&json["problems"]).iter().map(line).collect()
}

const EMPTIED: &str =
    "emptied-stub demo: the stub is missing from the skill's build | Rebuild it: skc build demo";

#[test]
fn a_stub_with_an_emptied_build_is_lost_until_rebuilt() {
    let world = built();
    let runtime = world.demo_runtime();
    let is_told = |how: &str| {
        let output = doctor(&world, &["--client", "claude-code", "-o", "json"]);
        assert!(!output.ok, "{how}");
        let json = output.json();
        assert_eq!(problem_lines(&json), [EMPTIED], "{how}");
        assert_eq!(
            skills(&json["clients"][0]),
            ["~/.claude/skills demo lost"],
            "{how}"
        );
        let roots = list(&json["clients"][0]["roots"]);
        assert!(
            roots.iter().any(|root| root["skills"] == 1),
            "{how}: {json}"
        );
    };
    fs::remove_dir_all(&runtime).expect("removed");
    is_told("the runtime directory is gone");
    fs::create_dir_all(runtime.join(".skillc-meta")).expect("a folder");
    is_told("only logs are there");
    let shown = doctor(&world, &["--client", "claude-code"]);
    assert!(shown.text().contains("1 lost"), "{shown:?}");
    let asked = doctor(&world, &["demo", "--client", "claude-code", "-o", "json"]);
    assert_eq!(problem_lines(&asked.json()), [EMPTIED]);

    world.skc(["build", "demo"]).success();
    let json = doctor_json(&world, "claude-code");
    assert_eq!(problem_lines(&json), Vec::<String>::new());
    assert_eq!(
        skills(&json["clients"][0]),
        ["~/.claude/skills demo loaded"]
    );
}

#[test]
fn the_suggested_repair_command_works_from_the_working_directory() {
    let mut world = built();
    let source = world.demo_source();
    let runtime = world.demo_runtime();
    fs::remove_file(runtime.join("SKILL.md")).expect("removed");
    world.cwd = world.home.join("elsewhere");
    fs::create_dir_all(world.cwd.join(".git")).expect("a folder");
    let mend = |json: &Value| text(&json["problems"][0]["mend"]).to_owned();
    let command = format!("Rebuild it: skc build {}", source.display());
    assert_eq!(mend(&doctor_json(&world, "claude-code")), command);

    fs::remove_dir_all(&source).expect("removed");
    assert_eq!(
        mend(&doctor_json(&world, "claude-code")),
        "The skill's source is missing, too: remove the link."
    );
}

#[test]
fn a_copy_without_its_stub_is_lost() {
    let world = built();
    let target = world.home.join(".claude/skills");
    world.skc(["build", "demo", "--copy"]).success();
    fs::remove_file(target.join("demo/SKILL.md")).expect("removed");
    assert_eq!(
        problem_lines(&doctor_json(&world, "claude-code")),
        [
            "emptied-stub demo: the stub is missing from the deployed copy | \
            Rebuild it: skc build demo --copy --target '~/.claude/skills'"
        ]
    );
}

#[test]
fn symlink_cycles_are_reported_without_hanging() {
    let world = built();
    let folder = world.home.join(".claude/skills");
    symlink("round", folder.join("round")).expect("a link");
    symlink("../skills", folder.join("own")).expect("a link");
    let json = doctor_json(&world, "claude-code");
    let problem_lines = problem_lines(&json);
    assert_eq!(problem_lines.len(), 1, "{problem_lines:?}");
    assert!(
        problem_lines[0].starts_with("unreadable round: the link cannot be followed: "),
        "{problem_lines:?}"
    );
    assert_eq!(
        skills(&json["clients"][0]),
        [
            "~/.claude/skills demo loaded",
            "~/.claude/skills round lost"
        ]
    );
}

#[test]
fn cyclic_and_dangling_folder_symlinks_are_reported() {
    for (target, why) in [("skills", ""), ("gone", "it is a dangling symlink")] {
        let world = built();
        let folder = world.cwd.join(".claude/skills");
        fs::create_dir_all(folder.parent().expect("a parent")).expect("a folder");
        symlink(target, &folder).expect("a link");
        let output = doctor(&world, &["--client", "claude-code", "-o", "json"]);
        assert!(!output.ok);
        let problem_lines = problem_lines(&output.json());
        let begin = format!("unreadable skills: the folder cannot be read: {why}");
        assert!(
            problem_lines.len() == 1 && problem_lines[0].starts_with(&begin),
            "{problem_lines:?}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_unreadable_stub_is_reported_with_the_reason() {
    use skillc_tests::unreadable::{Unreadable, run_without_privilege};

    let world = built();
    let closed = world.cwd.join("closed");
    fs::create_dir_all(closed.join("theirs")).expect("a folder");
    fs::write(closed.join("theirs/SKILL.md"), valid_skill("theirs")).expect("a file");
    symlink(
        closed.join("theirs"),
        world.home.join(".claude/skills/theirs"),
    )
    .expect("a link");
    let _closed = Unreadable::new(closed);
    let args = ["doctor", "--client", "claude-code", "-o", "json"];
    let Some(output) = run_without_privilege(&world, PROGRAM, &args) else {
        return;
    };
    let problem_lines = problem_lines(&output.json());
    assert!(
        problem_lines
            .iter()
            .any(|line| line.starts_with("unreadable theirs: ")
                && line.contains("permission denied")),
        "{problem_lines:?}"
    );
}

#[test]
fn of_two_stubs_with_one_name_the_loaded_one_is_reported() {
    let world = built();
    write(
        &world.cwd.join(".claude/skills"),
        "demo",
        valid_skill("demo"),
    );
    let json = doctor_json(&world, "claude-code");
    let skills = skills(&json["clients"][0]);
    assert_eq!(
        skills,
        [
            "~/.claude/skills demo loaded",
            ".claude/skills demo shadowed"
        ]
    );
}

#[test]
fn fields_missing_from_a_stub_are_reported_for_clients_that_read_them() {
    let world = built();
    let source = world.demo_source().join("SKILL.md");
    let text = valid_skill("demo").replacen("---\n", "---\ndisable-model-invocation: true\n", 1);
    fs::write(&source, text).expect("a file");
    let problems = |client: &str| problem_lines(&doctor_json(&world, client));
    assert_eq!(
        problems("claude-code"),
        [
            "stub-differs demo: the stub lacks 'disable-model-invocation', which its source has | \
          Rebuild it: skc build demo"
        ]
    );
    link_for(&world, ".codex/skills");
    assert_eq!(problems("codex"), Vec::<String>::new());
    world.skc(["build", "demo"]).success();
    assert_eq!(problems("claude-code"), Vec::<String>::new());
}

#[test]
fn a_damaged_index_is_reported_until_rebuilt() {
    let world = built();
    let problems = || problem_lines(&doctor_json(&world, "claude-code"));
    assert_eq!(problems(), Vec::<String>::new());
    let index = world.demo_index();
    let mut bytes = fs::read(&index).expect("an index");
    let at = bytes.len() / 2;
    bytes[at] ^= 0x80;
    fs::write(&index, bytes).expect("written");
    assert_eq!(
        problems(),
        [
            "damaged-index demo: the search index was changed after the build | Rebuild it: skc build demo"
        ]
    );
    world.skc(["build", "demo"]).success();
    assert_eq!(problems(), Vec::<String>::new());
}

/// Adds a link to the stub in the folder of another client.
fn link_for(world: &World, folder: &str) {
    let folder = world.home.join(Path::new(folder));
    fs::create_dir_all(&folder).expect("a folder");
    symlink(world.demo_runtime(), folder.join("demo")).expect("a link");
}

#[test]
fn a_stub_built_in_place_is_rebuilt_in_place() {
    let world = repository();
    write(
        &world.cwd.join(".agents/skills"),
        "thing",
        valid_skill("thing"),
    );
    let build = ["build", "thing", "--in-place", "--target", "claude"];
    world.skc(build).success();
    let problems = || problem_lines(&doctor_json(&world, "claude-code"));
    assert_eq!(problems(), Vec::<String>::new());
    fs::remove_dir_all(world.cwd.join(".skillc/runtime/thing")).expect("removed");
    assert_eq!(
        problems(),
        [
            "emptied-stub thing: the stub is missing from the skill's build | Rebuild it: skc build thing --in-place"
        ]
    );
}
