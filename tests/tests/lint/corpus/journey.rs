//! End to end with ten public skills: set up a project, lint, build for three clients, read on the command line and
//! over MCP from another directory, run a script, edit, rebuild, remove. `doctor` runs after every step, and no part
//! of a skill is lost.
//!
//! Scripts of the corpus are never run: each copy gets a script of our own.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use skillc_tests::mcp::{Client, WITH_HANDSHAKE, handshake};
use skillc_tests::{World, corpus};

/// Skills with scripts, references, and fields that clients interpret.
const SKILLS: [&str; 10] = [
    "DaleStudy--skills/react",
    "K-Dense-AI--claude-scientific-skills/citation-management",
    "K-Dense-AI--claude-scientific-skills/diffdock",
    "anthropics--skills/mcp-builder",
    "anthropics--skills/skill-creator",
    "github--awesome-copilot/azure-pricing",
    "github--awesome-copilot/react-container-presentation-component",
    "lijigang--ljg-skills/ljg-card",
    "microsoft--azure-skills/azure-quotas",
    "openai--skills/gh-fix-ci",
];

/// Project skill folders of the three clients, by target.
const FOLDERS: [(&str, &str); 3] = [
    ("claude", ".claude/skills"),
    ("codex", ".codex/skills"),
    ("cursor", ".cursor/skills"),
];

const SCRIPT: &str = "scripts/skc_journey.sh";
const PROGRAM: &str = env!("CARGO_BIN_EXE_skc-under-test");

/// A project with copies of the ten skills, each with an added script and section.
struct Journey {
    world: World,
    /// A directory outside the project.
    away: PathBuf,
    names: Vec<String>,
}

impl Journey {
    fn new(skills: &[PathBuf]) -> Self {
        let world = World::new();
        fs::create_dir(world.cwd.join(".git")).expect("should be writable");
        let away = world.cwd.parent().expect("a parent").join("away");
        fs::create_dir(&away).expect("should be writable");
        world.skc(["init"]).success();
        let mut names = Vec::new();
        for skill in SKILLS {
            let from = skills.iter().find(|path| path.ends_with(skill));
            let from = from.unwrap_or_else(|| panic!("{skill} is no longer in the corpus"));
            let name = skill.rsplit('/').next().expect("a name").to_owned();
            let to = world.cwd.join(".skillc/skills").join(&name);
            copy(from, &to);
            add_script(&to, &name);
            names.push(name);
        }
        Self { world, away, names }
    }

    fn source(&self, name: &str) -> PathBuf {
        self.world.cwd.join(".skillc/skills").join(name)
    }

    /// Returns the paths of a skill's stubs, one per client, as the build reported them.
    fn stubs(&self, name: &str) -> Vec<PathBuf> {
        let list = self.world.skc([
            "build",
            name,
            "--target",
            "claude,codex,cursor",
            "-o",
            "json",
        ]);
        let built = list.success().json();
        let deploys = built["deploys"].as_array().expect("a list");
        deploys
            .iter()
            .map(|deploy| PathBuf::from(deploy["path"].as_str().expect("a text")))
            .collect()
    }

    /// Checks that each stub is in its client's folder, has every field of the source, and contains no machine-specific
    /// path.
    fn check_stubs_are_complete(&self) {
        for name in &self.names {
            let source = fields(&self.source(name).join("SKILL.md"));
            let stubs = self.stubs(name);
            assert_eq!(stubs.len(), FOLDERS.len(), "{name}: {stubs:?}");
            for (stub, (_, folder)) in stubs.iter().zip(FOLDERS) {
                assert_eq!(stub, &self.world.cwd.join(folder).join(name));
                let text = fs::read_to_string(stub.join("SKILL.md")).expect("a readable file");
                assert_eq!(fields(&stub.join("SKILL.md")), source, "{name}");
                assert!(text.contains(&format!("skc path {name}")), "{text}");
                assert!(
                    !text.contains(self.world.cwd.to_str().expect("UTF-8")),
                    "{text}"
                );
            }
        }
    }

    /// Removes each skill, half of them from another directory. Checks that no stub is left in any folder, and that all
    /// sources are kept.
    fn remove_all(&self) {
        let Self { world, away, names } = self;
        let before: Vec<_> = names
            .iter()
            .map(|name| skillc_tests::snapshot(&self.source(name)))
            .collect();
        for (number, name) in names.iter().enumerate() {
            let dir = if number % 2 == 0 { away } else { &world.cwd };
            let run = world.skc_at(dir, &["remove", name]).success();
            assert!(
                run.text().starts_with(&format!("Removed {name} (project)")),
                "{run:?}"
            );
        }
        self.check_doctor_finds(&[]);
        assert_eq!(world.skc(["clean"]).success().text(), "Nothing to clean.\n");
        let after: Vec<_> = names
            .iter()
            .map(|name| skillc_tests::snapshot(&self.source(name)))
            .collect();
        assert!(before == after);
        for folder in FOLDERS.map(|(_, folder)| folder) {
            for root in [&world.cwd, &world.home] {
                let left = root.join(folder).read_dir().map(Iterator::count);
                assert_eq!(
                    left.unwrap_or_default(),
                    0,
                    "{}",
                    root.join(folder).display()
                );
            }
        }
    }

    /// Deletes the source of a skill. Checks that the next `clean` removes the skill from every folder.
    fn clean_one(&self) {
        let Self { world, names, .. } = self;
        let gone = &names[0];
        world
            .skc(["build", gone, "--target", "claude,codex,cursor"])
            .success();
        world.skc(["build", gone, "--scope", "user"]).success();
        fs::remove_dir_all(self.source(gone)).expect("should be writable");
        world.skc(["clean"]).success();
        self.check_doctor_finds(&[]);
        for folder in FOLDERS.map(|(_, folder)| folder) {
            for root in [&world.cwd, &world.home] {
                let place = root.join(folder).join(gone);
                assert!(place.symlink_metadata().is_err(), "{}", place.display());
            }
        }
    }

    /// Checks that the client finds the stub of each skill in the client's own folder, and loads this stub or another
    /// stub of the same skill.
    #[track_caller]
    fn check_clients_find_stubs(&self, client: &Value, expected: &[String]) {
        let id = client["client"].as_str().expect("an id");
        let folder = FOLDERS.iter().find(|(target, _)| id.starts_with(target));
        let (_, folder) = folder.expect("one of the three");
        let found = client["skills"].as_array().expect("a list");
        for name in expected {
            let place = self.world.cwd.join(folder).join(name);
            let at_place = |skill: &&Value| skill["path"].as_str() == place.to_str();
            let own = found.iter().find(at_place);
            let own = own.unwrap_or_else(|| panic!("{id} does not see {name}: {client:#}"));
            // A copy in the project and a link in the user's folder have the same name, but both are stubs of this
            // skill.
            let state = own["state"].as_str().expect("a state");
            assert!(
                ["loaded", "shadowed", "namesake"].contains(&state),
                "{id} {name}: {own:#}"
            );
        }
    }

    /// Checks with `doctor` that each of the three clients finds these skills and misses none.
    #[track_caller]
    fn check_doctor_finds(&self, expected: &[String]) {
        let run = self.world.skc([
            "doctor",
            "--client",
            "claude-code,codex,cursor",
            "-o",
            "json",
        ]);
        let report = run.json();
        let clients = report["clients"].as_array().expect("a list");
        assert_eq!(clients.len(), 3);
        for client in clients {
            let skills = client["skills"].as_array().expect("a list");
            let mut names: Vec<&str> = skills.iter().filter_map(|s| s["name"].as_str()).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names, expected, "{client:#}");
            self.check_clients_find_stubs(client, expected);
        }
        // Ignore values that a client truncates, but not skills that it misses or stubs that are out of date.
        let of_stubs = ["dead-link", "emptied-stub", "orphan-stub", "stub-differs"];
        let lost = |problem: &&Value| {
            let (kind, worst) = (problem["kind"].as_str(), problem["worst"].as_str());
            matches!(worst, None | Some("lost" | "may-be-lost"))
                || kind.is_none_or(|kind| of_stubs.contains(&kind))
        };
        let lost: Vec<&Value> = report["problems"]
            .as_array()
            .expect("a list")
            .iter()
            .filter(lost)
            .collect();
        assert!(lost.is_empty(), "{lost:#?}");
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("should be writable");
    for entry in from.read_dir().expect("a readable folder") {
        let entry = entry.expect("a readable folder");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy(&entry.path(), &target);
        } else {
            // The corpus is read-only; a user's own skill is writable.
            fs::write(&target, fs::read(entry.path()).expect("a readable file"))
                .expect("should be writable");
        }
    }
}

fn add_script(skill: &Path, name: &str) {
    let script = skill.join(SCRIPT);
    fs::create_dir_all(script.parent().expect("a parent")).expect("should be writable");
    fs::write(&script, format!("#!/bin/sh\necho \"ran {name} in $PWD\"\n"))
        .expect("should be writable");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("should be writable");
    let main = skill.join("SKILL.md");
    let text = fs::read_to_string(&main).expect("a readable file");
    let section = format!("\n## Journey check\n\nRun `sh {SCRIPT}` to see the marker zebrafish.\n");
    fs::write(main, format!("{}\n{section}", text.trim_end())).expect("should be writable");
}

/// Returns the fields of a `SKILL.md`, parsed by serde-saphyr. This library uses the same YAML parser as skc;
/// `tests/clients` checks that other parsers agree.
fn fields(path: &Path) -> BTreeMap<String, Value> {
    let text = fs::read_to_string(path).expect("a readable file");
    let yaml = text
        .split("\n---")
        .next()
        .expect("frontmatter")
        .trim_start_matches("---");
    serde_yaml::from_str(yaml).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn run_script(root: &str, away: &Path) -> String {
    let script = Path::new(root).join(SCRIPT);
    let output = Command::new("sh")
        .arg(script)
        .current_dir(away)
        .output()
        .expect("the shell starts");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Each step relies on the previous one, and no part of a skill is lost.
#[test]
fn ten_public_skills_survive_the_journey_from_init_to_remove() {
    let Some(skills) = corpus::skills() else {
        return;
    };
    let journey = Journey::new(&skills);
    let Journey { world, away, names } = &journey;
    let mut sorted = names.clone();
    sorted.sort();
    journey.check_doctor_finds(&[]);

    // Lint reads all skills and never fails.
    let linted = world.skc(["lint", "-o", "json"]).json();
    assert_eq!(
        linted["skills"].as_array().expect("a list").len(),
        names.len()
    );
    for report in linted["skills"].as_array().expect("a list") {
        assert!(
            report.get("failure").is_none_or(Value::is_null),
            "{report:#}"
        );
    }

    // One build covers three clients; stubs go into the project, as `skc init` configured.
    world
        .skc(["build", "--all", "--target", "claude,codex,cursor"])
        .success();
    journey.check_doctor_finds(&sorted);
    journey.check_stubs_are_complete();

    // Read the skills from another directory, on the command line and over MCP, by the names of their stubs in the
    // user's client folders.
    world.skc(["build", "--all", "--scope", "user"]).success();
    let mut server = world.process(PROGRAM, &["mcp"]);
    server.current_dir(away);
    let mut client = Client::spawn(server);
    client.result("initialize", &handshake(WITH_HANDSHAKE));
    client.notify("notifications/initialized", &json!({}));
    for name in names {
        let run = |args: &[&str]| world.skc_at(away, args).success();
        assert!(run(&["outline", name]).text().contains("## Journey check"));
        assert!(
            run(&["search", name, "zebrafish"])
                .text()
                .contains("#Journey check")
        );
        let shown = run(&["show", name, "--section", "journey check"]);
        assert!(shown.text().contains(SCRIPT), "{shown:?}");
        let root = run(&["path", name]).text().trim_end().to_owned();
        assert_eq!(Path::new(&root), journey.source(name));
        let expected = format!("ran {name} in {}\n", away.display());
        assert_eq!(run_script(&root, away), expected);

        let shown = client.call(
            "skc_show",
            &json!({"skill": name, "section": "Journey check"}),
        );
        let root = shown["structuredContent"]["root"]
            .as_str()
            .expect("a root")
            .to_owned();
        assert_eq!(run_script(&root, away), expected);
        let outline = client.call("skc_outline", &json!({"skill": name}));
        assert_eq!(outline["structuredContent"]["root"], root.as_str());
    }

    // The next build picks up an edit and leaves no obsolete stub behind.
    let edited = journey.source(&names[0]).join("SKILL.md");
    let text = fs::read_to_string(&edited).expect("a readable file");
    fs::write(&edited, text + "\n## Added later\n\nquokka\n").expect("should be writable");
    world
        .skc_at(away, &["search", &names[0], "quokka"])
        .code("E002");
    world
        .skc(["build", &names[0], "--target", "claude,codex,cursor"])
        .success();
    let found = world
        .skc_at(away, &["search", &names[0], "quokka"])
        .success();
    assert!(found.text().contains("#Added later"), "{found:?}");
    journey.check_doctor_finds(&sorted);

    journey.remove_all();
    journey.clean_one();
}
