//! Where clients look: existing folders, search depth, and entries that are not skills.

use std::fs;

use serde_json::{Value, json};

use super::{PROGRAM, doctor, doctor_json, list, repository, skills, text, valid_skill, write};

/// Returns the folders of a client, formatted as `root scope state number`.
fn roots(view: &Value) -> Vec<String> {
    let line = |root: &Value| {
        let word = |key: &str| text(&root[key]).to_owned();
        format!(
            "{} {} {} {}",
            word("root"),
            word("scope"),
            word("state"),
            root["skills"]
        )
    };
    list(&view["roots"]).iter().map(line).collect()
}

#[test]
fn every_folder_is_listed_with_its_contents_even_if_absent() {
    let mut world = repository();
    let top = world.cwd.clone();
    write(&top.join(".agents/skills"), "above", valid_skill("above"));
    write(
        &world.home.join(".agents/skills"),
        "mine",
        valid_skill("mine"),
    );
    write(
        &world.home.join(".agents/skills"),
        "more",
        valid_skill("more"),
    );
    world.cwd = top.join("sub");
    fs::create_dir_all(world.cwd.join(".gemini/skills")).expect("a folder");
    let json = doctor_json(&world, "gemini-cli");
    let view = &json["clients"][0];
    let above = top.to_str().expect("a text");
    assert_eq!(
        roots(view),
        [
            ".agents/skills project absent 0",
            ".gemini/skills project there 0",
            &format!("{above}/.agents/skills project there 1"),
            &format!("{above}/.gemini/skills project absent 0"),
            "~/.agents/skills global there 2",
            "~/.gemini/skills global absent 0",
        ]
    );
    assert_eq!(
        skills(view),
        [
            &format!("{above}/.agents/skills above loaded"),
            "~/.agents/skills mine loaded",
            "~/.agents/skills more loaded",
        ]
    );
    assert_eq!(json["problems"], json!([]));
}

#[test]
fn nothing_above_the_repository_is_searched() {
    let mut world = repository();
    write(
        &world.cwd.join(".agents/skills"),
        "outside",
        valid_skill("outside"),
    );
    world.cwd = world.cwd.join("inner");
    fs::create_dir_all(world.cwd.join(".git")).expect("a folder");
    assert_eq!(
        doctor_json(&world, "codex")["clients"][0]["skills"],
        json!([])
    );
}

#[test]
fn a_skill_below_the_search_depth_is_lost() {
    let world = repository();
    write(
        &world.cwd.join(".agents/skills"),
        "group/demo",
        valid_skill("demo"),
    );
    let output = doctor(&world, &["--client", "gemini-cli,codex", "-o", "json"]);
    assert!(!output.ok);
    let json = output.json();
    let problems = list(&json["problems"]);
    assert_eq!(problems.len(), 1, "{json}");
    assert_eq!(problems[0]["kind"], "too-deep");
    assert_eq!(
        problems[0]["message"],
        "the skill is 2 folders below '.agents/skills'"
    );
    assert_eq!(problems[0]["mend"], "Move it up: '.agents/skills/demo'.");
    assert_eq!(problems[0]["effects"][0]["client"], "gemini-cli");
    assert_eq!(
        problems[0]["effects"][0]["words"],
        "searches only 1 folder deep"
    );
    assert_eq!(skills(&json["clients"][1]), [".agents/skills demo loaded"]);
}

/// One skill is deep in a folder of Kiro, whose search depth is unknown. The other skill is nested in an outer skill.
#[test]
fn deep_skills_are_not_lost_if_depth_is_unknown_or_they_are_nested() {
    let world = repository();
    write(
        &world.cwd.join(".kiro/skills"),
        "group/demo",
        valid_skill("demo"),
    );
    let output = doctor(&world, &["--client", "kiro", "-o", "json"]).success();
    assert_eq!(output.json()["clients"][0]["deeper"], 1);
    let agents = world.cwd.join(".agents/skills");
    write(&agents, "demo", valid_skill("demo"));
    write(&agents, "demo/templates/new", valid_skill("new"));
    let json = doctor(&world, &["--client", "gemini-cli", "-o", "json"])
        .success()
        .json();
    assert_eq!(skills(&json["clients"][0]), [".agents/skills demo loaded"]);
}

#[test]
fn a_file_name_in_the_wrong_case_is_reported_with_its_faults() {
    let world = repository();
    let dir = world.cwd.join(".claude/skills/demo");
    fs::create_dir_all(&dir).expect("a folder");
    fs::write(
        dir.join("skill.md"),
        "---\nname: demo\ndescription: a: b\n---\n",
    )
    .expect("a file");
    let output = doctor(&world, &["--client", "claude-code", "-o", "json"]);
    assert!(!output.ok);
    let json = output.json();
    let kinds: Vec<&str> = list(&json["problems"])
        .iter()
        .map(|p| text(&p["kind"]))
        .collect();
    assert_eq!(kinds, ["colon", "file-name"]);
    let problem = &json["problems"][1];
    assert_eq!(problem["worst"], "may-be-lost");
    assert_eq!(problem["effects"][0]["does"], "unknown");
    assert_eq!(problem["mend"], "Rename it: git mv skill.md SKILL.md");
    assert!(text(&problem["path"]).ends_with("demo/skill.md"));
}

#[cfg(unix)]
#[test]
fn dangling_symlinks_and_symlinks_out_of_the_skill_are_reported() {
    use std::os::unix::fs::symlink;
    let world = repository();
    let root = world.cwd.join(".claude/skills");
    for dir in ["dead", "out"] {
        fs::create_dir_all(root.join(dir)).expect("a folder");
    }
    fs::create_dir_all(root.join("folder/SKILL.md")).expect("a folder");
    symlink("gone.md", root.join("dead/SKILL.md")).expect("a link");
    symlink("gone", root.join("whole")).expect("a link");
    fs::write(world.cwd.join("secret.md"), "---\nname: secret\n---\n").expect("a file");
    symlink("../../../secret.md", root.join("out/SKILL.md")).expect("a link");
    let output = doctor(&world, &["--client", "claude-code", "-o", "json"]);
    assert!(!output.ok);
    let json = output.json();
    let told: Vec<String> = list(&json["problems"])
        .iter()
        .map(|p| {
            let of = |key: &str| text(&p[key]).to_owned();
            format!(
                "{} {} {}: {}",
                of("worst"),
                of("kind"),
                of("skill"),
                of("message")
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            "lost dead-link dead: SKILL.md is a dangling symlink",
            "lost no-file folder: SKILL.md is not a file",
            "lost dead-link whole: the skill is a dangling symlink",
            "unknown outside out: SKILL.md is a symlink that leads out of the skill",
        ]
    );
    assert!(!output.stdout.windows(6).any(|part| part == b"secret"));
}

#[cfg(target_os = "linux")]
#[test]
fn unreadable_files_are_reported_with_the_reason() {
    use skillc_tests::unreadable::{Unreadable, run_without_privilege};

    let world = repository();
    let root = world.cwd.join(".claude/skills");
    let file = write(&root, "demo", valid_skill("demo")).join("SKILL.md");
    let agents = world.cwd.join(".agents/skills");
    write(&agents, "demo", valid_skill("demo"));
    let _closed = [Unreadable::new(file), Unreadable::new(agents)];
    let view = |client| {
        let args = ["doctor", "--client", client, "-o", "json"];
        Some(run_without_privilege(&world, PROGRAM, &args)?.json())
    };
    let (Some(json), Some(goose)) = (view("claude-code"), view("goose")) else {
        return;
    };
    assert_eq!(json["problems"][0]["kind"], "unreadable");
    assert_eq!(
        json["problems"][0]["message"],
        "the file cannot be read: permission denied"
    );
    assert_eq!(goose["clients"][0]["roots"][0]["state"], "unreadable");
    let messages: Vec<&str> = list(&goose["problems"])
        .iter()
        .map(|p| text(&p["message"]))
        .collect();
    assert!(
        messages.contains(&"the folder cannot be read: permission denied"),
        "{goose}"
    );
}

#[cfg(unix)]
#[test]
fn a_skill_reachable_through_two_folders_is_found_once() {
    use std::os::unix::fs::symlink;
    let world = repository();
    write(
        &world.cwd.join(".agents/skills"),
        "demo",
        valid_skill("demo"),
    );
    fs::create_dir_all(world.cwd.join(".codex")).expect("a folder");
    symlink("../.agents/skills", world.cwd.join(".codex/skills")).expect("a link");
    let json = doctor_json(&world, "codex");
    assert_eq!(skills(&json["clients"][0]), [".agents/skills demo loaded"]);
}
