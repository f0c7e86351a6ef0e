//! `skc budget`: the cost of skill names and descriptions in each client's listing.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use skillc_tests::{Output, World};

fn skill(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n\n# {name}\n")
}

fn write(dir: &Path, name: &str, description: &str) -> PathBuf {
    let dir = dir.join(name);
    fs::create_dir_all(&dir).expect("a folder");
    fs::write(dir.join("SKILL.md"), skill(name, description)).expect("a file");
    dir
}

/// Creates a repository without skills.
fn repository() -> World {
    let world = World::new();
    fs::create_dir_all(world.cwd.join(".git")).expect("a folder");
    world
}

fn budget(world: &World, args: &[&str]) -> Output {
    world.skc_at(&world.cwd, &[&["budget"], args].concat())
}

/// Returns the listing of one client, as JSON.
#[track_caller]
fn listing(world: &World, client: &str, more: &[&str]) -> Value {
    let args = [&["--for", client, "-o", "json"], more].concat();
    let json = budget(world, &args).json();
    json["clients"][0].clone()
}

/// Returns the skills of a listing, ordered by path, each with its parent folder and state: `.claude demo listed`.
#[track_caller]
fn states(world: &World, client: &str) -> Vec<String> {
    let listing = listing(world, client, &[]);
    let skills = listing["skills"].as_array().expect("a list").iter();
    let line = |skill: &Value| {
        let path = skill["path"].as_str().expect("a path");
        let place = path.strip_prefix(world.home.to_str().expect("a text"));
        let at_home = if place.is_some() { "~/" } else { "" };
        let folder = path.split('/').rev().nth(2).expect("a folder");
        let (name, state) = (&skill["skill"], &skill["state"]);
        let text = |of: &Value| of.as_str().expect("a text").to_owned();
        format!("{at_home}{folder} {} {}", text(name), text(state))
    };
    let mut lines: Vec<String> = skills.map(line).collect();
    lines.sort();
    lines
}

#[test]
fn each_client_finds_the_skills_in_its_own_folders() {
    let world = repository();
    write(&world.cwd.join(".claude/skills"), "one", "x");
    write(&world.home.join(".claude/skills"), "two", "x");
    write(&world.cwd.join(".agents/skills"), "three", "x");
    write(&world.home.join(".codex/skills"), "four", "x");
    write(&world.cwd.join("skills"), "nowhere", "x");
    assert_eq!(
        states(&world, "claude-code"),
        [".claude one listed", "~/.claude two listed"]
    );
    assert_eq!(
        states(&world, "codex"),
        [".agents three listed", "~/.codex four listed"]
    );
    assert_eq!(states(&world, "kiro"), [""; 0]);
}

#[test]
fn folders_are_searched_up_to_the_repository_root() {
    let mut world = World::new();
    let above = world.cwd.clone();
    let (top, here) = (above.join("top"), above.join("top/sub/here"));
    fs::create_dir_all(top.join(".git")).expect("a folder");
    fs::create_dir_all(&here).expect("a folder");
    write(&above.join(".claude/skills"), "outside", "x");
    write(&top.join(".claude/skills"), "top", "x");
    write(&here.join(".claude/skills"), "here", "x");
    world.cwd = here;
    assert_eq!(
        states(&world, "claude-code"),
        [".claude here listed", ".claude top listed"]
    );
    fs::remove_dir(top.join(".git")).expect("a folder");
    assert_eq!(states(&world, "claude-code"), [".claude here listed"]);
}

#[test]
fn of_two_skills_with_one_name_the_known_precedence_decides() {
    let world = repository();
    for dir in [".claude/skills", ".agents/skills"] {
        write(&world.cwd.join(dir), "demo", "x");
        write(&world.home.join(dir), "demo", "x");
    }
    assert_eq!(
        states(&world, "claude-code"),
        [".claude demo shadowed", "~/.claude demo listed"]
    );
    assert_eq!(
        states(&world, "pi"),
        [".agents demo listed", "~/.agents demo shadowed"]
    );
    assert_eq!(
        states(&world, "codex"),
        [".agents demo listed", "~/.agents demo listed"]
    );
    assert_eq!(listing(&world, "codex", &[])["listed"], 2);
    assert_eq!(listing(&world, "claude-code", &[])["listed"], 1);
    // Precedence in amp is unknown, so nothing is dropped.
    assert_eq!(states(&world, "amp").len(), 3);
    assert!(
        states(&world, "amp")
            .iter()
            .all(|line| line.ends_with(" listed"))
    );
    let text = budget(&world, &["--for", "claude-code"]).success();
    assert!(
        text.text().contains("shadowed in claude-code"),
        "{}",
        text.text()
    );
}

#[test]
fn with_unknown_precedence_the_larger_of_two_namesakes_counts() {
    let world = repository();
    write(&world.cwd.join(".claude/skills"), "demo", "short");
    write(
        &world.cwd.join(".agents/skills"),
        "demo",
        "much longer than the other",
    );
    assert_eq!(
        states(&world, "opencode"),
        [".agents demo listed", ".claude demo shadowed"]
    );
}

#[cfg(unix)]
#[test]
fn a_skill_reachable_through_two_folders_counts_once() {
    let world = repository();
    let real = write(&world.cwd.join(".agents/skills"), "demo", "x");
    fs::create_dir_all(world.cwd.join(".codex/skills")).expect("a folder");
    std::os::unix::fs::symlink(real, world.cwd.join(".codex/skills/demo")).expect("a link");
    assert_eq!(
        listing(&world, "codex", &[])["skills"]
            .as_array()
            .map(Vec::len),
        Some(1)
    );
}

#[test]
fn named_skills_count_for_every_client_wherever_they_are() {
    let world = repository();
    write(&world.cwd.join("skills"), "demo", "Fills in forms.");
    let json = budget(&world, &["skills", "-o", "json"]).success().json();
    let listed: Vec<&Value> = json["clients"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|c| &c["listed"])
        .collect();
    assert_eq!(listed, [1, 1, 1]);
    let of = &json["clients"][0];
    assert_eq!(
        (&of["characters"], &of["bytes"], &of["tokens"]),
        (&json!(19), &json!(19), &json!(5))
    );
}

#[test]
fn more_tokens_than_allowed_fail_the_run() {
    let world = repository();
    write(&world.cwd.join("skills"), "demo", "Fills in forms.");
    budget(&world, &["skills", "--max", "5"]).success();
    let run = budget(&world, &["skills", "--max", "4"]);
    assert!(!run.ok);
    assert!(
        run.text()
            .contains("codex: about 5 tokens, 1 more than --max 4\n"),
        "{}",
        run.text()
    );
    assert!(run.stderr.is_empty(), "{}", run.stderr);
    let json = budget(&world, &["skills", "--max", "4", "-o", "json"]);
    assert!(!json.ok && json.json()["clients"][0]["over_max"] == 1);
}

#[test]
fn exceeding_the_budget_from_a_context_size_is_not_a_failure() {
    let world = repository();
    write(&world.cwd.join("skills"), "demo", &"word ".repeat(100));
    write(&world.cwd.join("skills"), "tiny", "x");
    let run = budget(
        &world,
        &["skills", "--for", "claude-code", "--context", "10000"],
    )
    .success();
    assert!(run.text().contains("  100 tokens "), "{}", run.text());
    assert!(
        run.text()
            .contains("claude-code: 28 tokens over its limit\n"),
        "{}",
        run.text()
    );
    assert!(
        run.text()
            .contains("  Without the largest, the rest would fit.\n"),
        "{}",
        run.text()
    );
    let run = budget(&world, &["skills", "--context", "200000"]).success();
    assert!(!run.text().contains("over its limit"), "{}", run.text());
}

#[test]
fn invalid_numbers_clients_and_formats_are_refused() {
    let world = repository();
    write(&world.cwd.join("skills"), "demo", "x");
    for (args, said) in [
        (["--max", "x"], "is not a non-negative integer"),
        (["--max", "-1"], "--max"),
        (["--context", "0"], "--context must be greater than 0"),
        (["--for", "codx"], "unknown client \"codx\""),
        (["--format", "sarif"], "unknown value \"sarif\""),
    ] {
        let run = budget(&world, &[&["skills"][..], &args].concat());
        run.code("E100");
        assert!(
            run.stderr.contains(said) && run.stdout.is_empty(),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn without_skills_the_output_says_what_to_do() {
    let run = budget(&repository(), &[]).success();
    let said = "No skills found in the folders of these clients.\n\
                Give skills, or a folder of skills: skc budget ./skills\n";
    assert_eq!(run.text(), said);
    let world = repository();
    fs::create_dir_all(world.cwd.join("empty")).expect("a folder");
    budget(&world, &["./empty"]).code("E010");
    budget(&world, &["nowhere"]).code("E001");
}

/// If `--matrix` reports that a client drops a skill, the skill costs nothing in that client's listing.
#[test]
fn a_skill_dropped_by_a_client_costs_nothing_there() {
    let world = repository();
    let dir = world.cwd.join("skills");
    write(&dir, "colon", "Reads. Use when: a page is there.");
    write(&dir, "good", "x");
    fs::create_dir_all(dir.join("bare")).expect("a folder");
    fs::write(dir.join("bare/SKILL.md"), "# Bare\n").expect("a file");
    fs::create_dir_all(dir.join("other")).expect("a folder");
    fs::write(dir.join("other/SKILL.md"), skill("Odd Name", "x")).expect("a file");
    let matrix = world
        .skc(["lint", "skills", "--matrix", "-o", "json"])
        .json();
    let mut compared = 0;
    for client in matrix["clients"].as_array().expect("a list") {
        let id = client.as_str().expect("an id");
        let listing = listing(&world, id, &["skills"]);
        for row in matrix["skills"].as_array().expect("rows") {
            let cells = row["cells"].as_array().expect("cells").iter();
            let dropped = cells.filter(|cell| &cell["client"] == client);
            let is_dropped = dropped.map(|cell| cell["result"] == "dropped").next();
            let entries = listing["skills"].as_array().expect("entries").iter();
            let entry = entries.clone().find(|entry| entry["path"] == row["path"]);
            let state = &entry.expect("an entry")["state"];
            // Claude Code loads a skill without a description, but can list only its name. `spec` and `claude-upload`
            // reject fields that do not affect a listing.
            if id == "claude-code" || matches!(id, "spec" | "claude-upload") {
                continue;
            }
            assert_eq!(
                state == "not-loaded",
                is_dropped == Some(true),
                "{id}: {row}"
            );
            compared += 1;
        }
    }
    assert!(compared > 40, "{compared}");
}

#[test]
fn hostile_descriptions_are_counted_truncated_and_escaped() {
    let world = repository();
    let dir = world.cwd.join("skills");
    write(&dir, "emoji", &"🎉".repeat(1100));
    write(&dir, "huge", &"x".repeat(1 << 20));
    write(&dir, "signs", "\"a\\e[31m\\u202E\\0b\"");
    let odd = dir.join("odd");
    fs::create_dir_all(&odd).expect("a folder");
    fs::write(odd.join("SKILL.md"), skill("\"a\\e[31m\\u202Eb\"", "x")).expect("a file");
    let run = budget(&world, &["skills"]).success();
    let is_obeyed = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert!(!run.text().contains(is_obeyed), "{}", run.text());
    assert!(
        run.text().lines().all(|line| line.chars().count() <= 80),
        "{}",
        run.text()
    );
    let of = |client: &str, name: &str| {
        let listing = listing(&world, client, &["skills"]);
        let skills = listing["skills"].as_array().expect("a list").clone();
        skills
            .into_iter()
            .find(|skill| skill["skill"] == name)
            .expect("a skill")
    };
    assert_eq!(
        (
            &of("codex", "emoji")["state"],
            &of("codex", "emoji")["characters"]
        ),
        (&json!("cut"), &json!(1029))
    );
    // The listing keeps 512 emoji, each with two UTF-16 units.
    assert_eq!(of("vscode", "emoji")["characters"], 517);
    assert_eq!(of("claude-code", "emoji")["characters"], 1105);
    assert_eq!(of("claude-code", "emoji")["bytes"], 4405);
}
