//! A whole session of an agent with a skill that contains a script: from the stub to the script's output.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, CallToolResult, JsonObject};
use rmcp::service::{RoleClient, RunningService};
use serde_json::{Value, json};
use skillc_tests::mcp::PATIENCE;
use skillc_tests::{Output, World};

use crate::mcp::support::{SKC, skc, skc_json};

const MAIN: &str = "---\nname: docx\ndescription: Edits Word files. Use when asked for a .docx.\n---\n\n# Word files\n\n\
    ## Step 1: Unpack\n\n```sh\nsh scripts/office/unpack.sh letter.docx unpacked\n```\n\n\
    ## Step 2: Edit\n\nChange the text, then pack it again.\n";

/// The script sources a file in a folder next to it, and writes into the current directory.
const SCRIPT: &str = "set -eu\n. \"$(dirname \"$0\")/lib/parts.sh\"\nmkdir \"$2\"\n\
    for part in $PARTS; do cp \"$1\" \"$2/$part\"; done\necho \"unpacked $1 into $2\"\n";

const FILES: [(&str, &str); 4] = [
    ("SKILL.md", MAIN),
    ("scripts/office/unpack.sh", SCRIPT),
    (
        "scripts/office/lib/parts.sh",
        "PARTS='document.xml styles.xml'\n",
    ),
    ("references/schema.md", "# Schema\n\nParts of a document.\n"),
];

/// Creates a project with the built skill, and another directory with a file to work on.
fn world() -> World {
    let world = World::project();
    world.project_skill("docx", &FILES);
    skc(&world, &["build", "docx"]).success();
    world.directory("elsewhere", &[("letter.docx", "Dear Sir")]);
    world
}

/// Runs a shell command in the directory of the file to work on. `$SKC` is the path of the program.
fn shell(world: &World, line: &str) -> Output {
    let mut command: Command = world.process("/bin/sh", &["-c", line]);
    command.env("SKC", SKC).env("PATH", "/usr/bin:/bin");
    command.current_dir(world.cwd.join("elsewhere"));
    Output::new(command.output().expect("a shell"))
}

#[track_caller]
fn is_unpacked(world: &World, output: &Output, dir: &str) {
    assert!(output.ok, "{output:?}");
    assert_eq!(output.text(), format!("unpacked letter.docx into {dir}\n"));
    for part in ["document.xml", "styles.xml"] {
        let path = world.cwd.join("elsewhere").join(dir).join(part);
        assert_eq!(fs::read_to_string(path).expect("a part"), "Dear Sir");
    }
}

/// Returns the command in a section.
fn command(section: &str) -> &str {
    let mut lines = section.lines();
    lines
        .find(|line| line.starts_with("sh "))
        .expect("a command")
}

/// An MCP client from a library (rmcp), independent of the test client.
struct Agent(RunningService<RoleClient, ()>);

impl Agent {
    async fn call(&self, tool: &'static str, arguments: Value) -> CallToolResult {
        let Value::Object(arguments): Value = arguments else {
            panic!("{arguments}");
        };
        let arguments: JsonObject = arguments;
        let request = CallToolRequestParams::new(tool).with_arguments(arguments);
        let result = self.0.call_tool(request).await.expect("a result");
        assert_ne!(result.is_error, Some(true), "{result:?}");
        result
    }
}

fn structured(result: &CallToolResult) -> &Value {
    result.structured_content.as_ref().expect("an object")
}

fn texts(result: &CallToolResult) -> Vec<&str> {
    let texts = result.content.iter().filter_map(|block| block.as_text());
    texts.map(|block| block.text.as_str()).collect()
}

/// Runs a conversation with a new server.
fn converse<T>(world: &World, conversation: impl AsyncFnOnce(&Agent) -> T) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let talk = async {
        let mut server = tokio::process::Command::from(world.process(SKC, &["mcp"]));
        server.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = server.kill_on_drop(true).spawn().expect("a server");
        let streams = (
            server.stdout.take().expect("a pipe"),
            server.stdin.take().expect("a pipe"),
        );
        let agent = Agent(().serve(streams).await.expect("a handshake"));
        let said = conversation(&agent).await;
        agent.0.cancel().await.expect("an end");
        assert!(server.wait().await.expect("a status").success());
        said
    };
    let bounded = async { tokio::time::timeout(PATIENCE, talk).await };
    runtime
        .expect("a runtime")
        .block_on(bounded)
        .expect("in time")
}

#[test]
fn an_agent_reads_stub_and_section_and_runs_the_script() {
    let world = world();
    let stub = world.home.join(".claude/skills/docx/SKILL.md");
    let stub = fs::read_to_string(stub).expect("a stub");
    assert!(
        stub.contains("name: docx") && stub.contains("Step 1: Unpack"),
        "{stub}"
    );
    let (root, section) = converse(&world, async |agent: &Agent| {
        let outline = agent.call("skc_outline", json!({"skill": "docx"})).await;
        let headings = structured(&outline)["result"].as_array().expect("a list");
        assert!(
            headings
                .iter()
                .any(|entry| entry["heading"] == "Step 1: Unpack")
        );
        let arguments = json!({"skill": "docx", "section": "Step 1: Unpack"});
        let shown = agent.call("skc_show", arguments).await;
        let root = structured(&shown)["root"]
            .as_str()
            .expect("a path")
            .to_owned();
        assert_eq!(structured(&outline)["root"], root);
        let [section, place] = texts(&shown)[..] else {
            panic!("{shown:?}");
        };
        assert_eq!(place, format!("root: {root}"));
        (root, section.to_owned())
    });
    assert_eq!(Path::new(&root), world.cwd.join(".skillc/skills/docx"));
    // Combine root and command as a model would.
    let line = command(&section).replace("sh scripts", &format!("sh '{root}'/scripts"));
    is_unpacked(&world, &shell(&world, &line), "unpacked");
}

#[test]
fn the_same_session_on_the_command_line() {
    let world = world();
    let shown = skc(&world, &["show", "docx", "--section", "Step 1: Unpack"]).success();
    let root = world.cwd.join(".skillc/skills/docx");
    assert_eq!(shown.stderr, format!("root: {}\n", root.display()));
    let line = command(shown.text()).replace(
        "sh scripts/office/unpack.sh",
        "sh \"$(\"$SKC\" path docx scripts/office/unpack.sh)\"",
    );
    is_unpacked(&world, &shell(&world, &line), "unpacked");
    let line = "from=$PWD; cd \"$(\"$SKC\" path docx)\" && sh scripts/office/unpack.sh \
        \"$from/letter.docx\" \"$from/again\" >/dev/null && ls \"$from/again\"";
    let listed = shell(&world, line);
    assert_eq!(listed.success().text(), "document.xml\nstyles.xml\n");
}

/// If a section mentions no file of the skill, the response does not spend tokens on the root.
#[test]
fn the_root_is_shown_only_for_text_that_names_a_file() {
    let world = world();
    let edit = converse(&world, async |agent: &Agent| {
        let arguments = json!({"skill": "docx", "section": "Step 2: Edit"});
        agent.call("skc_show", arguments).await
    });
    assert_eq!(texts(&edit).len(), 1, "{edit:?}");
    assert!(structured(&edit)["root"].is_string());
}

#[test]
fn every_response_about_one_skill_has_its_root() {
    let world = world();
    let root = world.cwd.join(".skillc/skills/docx");
    let calls = [
        ("skc_outline", json!({"skill": "docx"})),
        ("skc_search", json!({"skill": "docx", "query": "text"})),
        ("skc_show", json!({"skill": "docx", "section": "Schema"})),
        ("skc_open", json!({"skill": "docx", "path": "SKILL.md"})),
        ("skc_sources", json!({"skill": "docx"})),
        ("skc_stats", json!({"skill": "docx"})),
        ("skc_lint", json!({"skill": "docx"})),
        ("skc_build", json!({"skill": "docx"})),
        ("skill_load", json!({"name": "docx"})),
    ];
    converse(&world, async |agent: &Agent| {
        for (tool, arguments) in calls {
            let result = agent.call(tool, arguments).await;
            let answer = match tool {
                "skill_load" => &structured(&result)["data"],
                _ => structured(&result),
            };
            assert_eq!(answer["root"], json!(root), "{tool}: {answer}");
        }
        let made = agent.call("skc_init", json!({"name": "fresh"})).await;
        let fresh = world.cwd.join(".skillc/skills/fresh");
        assert_eq!(structured(&made)["root"], json!(fresh));
        let listed = agent.call("skc_list", json!({})).await;
        assert!(structured(&listed).get("root").is_none());
    });
    let loaded = skc_json(&world, &["catalog", "load", "docx"]);
    assert_eq!(loaded["root"], json!(root));
    let row = skc_json(&world, &["registry", "get", "docx"]);
    assert_eq!(row["root"], json!(root));
}

/// The skill's scripts are in its source, not next to the stub.
#[test]
fn the_root_of_a_loaded_stub_is_its_source() {
    let world = World::project();
    let source = world.directory(".claude/skills/docx", &FILES);
    let build = ["build", "docx", "--target", "agents", "--scope", "project"];
    skc(&world, &build).success();
    assert!(world.cwd.join(".agents/skills/docx/SKILL.md").is_file());
    let mut client = crate::mcp::support::server(&world);
    let loaded = client.call("skill_load", &json!({"name": "docx"}));
    let root = &loaded["structuredContent"]["data"]["root"];
    assert_eq!(root, source.to_str().expect("UTF-8"), "{loaded}");
    let printed = skc_json(&world, &["catalog", "load", "docx"]);
    assert_eq!(&printed["root"], root);
}
