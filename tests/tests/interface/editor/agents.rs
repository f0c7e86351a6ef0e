//! Findings for agents: the plug-in for Claude Code, and the hook on the page "In your editor".

use std::fs;
use std::path::Path;

use serde_json::Value;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Reads a JSON file of the plug-in.
fn plugin(file: &str) -> Value {
    let path = Path::new(ROOT).join("skillc/lsp/editors/claude-code");
    let text = fs::read_to_string(path.join(file)).expect("a file");
    serde_json::from_str(&text).expect("JSON")
}

/// Checks that an entry starts a command of the program.
#[track_caller]
fn starts(entry: &Value, command: &str) {
    assert_eq!(entry["command"], "skc");
    let args = entry["args"].as_array().expect("a list").iter();
    let args: Vec<&str> = args.map(|arg| arg.as_str().expect("a text")).collect();
    assert_eq!(args, [command]);
    let parsed = skillc::command().try_get_matches_from(["skc", command]);
    assert!(parsed.is_ok(), "{parsed:?}");
}

#[test]
fn the_plugin_starts_the_language_server_and_the_mcp_server() {
    let manifest = plugin(".claude-plugin/plugin.json");
    assert_eq!(manifest["name"], "skillc");
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    let server = &plugin(".lsp.json")["skillc"];
    starts(server, "lsp");
    assert_eq!(server["extensionToLanguage"][".md"], "markdown");
    starts(&plugin(".mcp.json")["mcpServers"]["skillc"], "mcp");
}

#[cfg(unix)]
mod hook {
    use std::io::Write;
    use std::os::unix::fs::symlink;
    use std::process::{Command, Stdio};

    use serde_json::json;
    use skillc_tests::World;

    use super::super::{BROKEN, FINE, demo};
    use super::{Path, ROOT, fs};
    use crate::PROGRAM;

    /// Returns the hook's script from the page.
    fn script() -> String {
        let page = Path::new(ROOT).join("docs/src/in-your-editor.md");
        let page = fs::read_to_string(page).expect("a page");
        let mut blocks = page.split("```").skip(1).step_by(2);
        let script = blocks.find_map(|block| block.strip_prefix("sh\n#!"));
        format!("#!{}", script.expect("a script"))
    }

    /// Runs the script as a client does after a file was written. Returns the exit status and the standard error.
    fn run(world: &World, file: &Path) -> (Option<i32>, String) {
        let bin = world.home.join("bin");
        if !bin.exists() {
            fs::create_dir(&bin).expect("a directory");
            symlink(PROGRAM, bin.join("skc")).expect("a symlink");
            fs::write(world.home.join("lint-skill.sh"), script()).expect("a file");
        }
        let path = world.home.join("lint-skill.sh");
        let mut command = world.process("/bin/sh", &[path.to_str().expect("UTF-8")]);
        let programs = format!("{}:/usr/local/bin:/usr/bin:/bin", bin.display());
        command.env("PATH", programs);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("a process");
        let input = json!({"tool_name": "Write", "tool_input": {"file_path": file}});
        let mut pipe = child.stdin.take().expect("a pipe");
        pipe.write_all(input.to_string().as_bytes())
            .expect("it reads");
        drop(pipe);
        let output = child.wait_with_output().expect("an exit");
        assert!(output.stdout.is_empty(), "{output:?}");
        let said = String::from_utf8(output.stderr).expect("UTF-8");
        (output.status.code(), said)
    }

    #[test]
    #[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
    fn the_hook_on_the_page_reports_findings_to_the_agent() {
        if Command::new("jq").arg("--version").output().is_err() {
            eprintln!("skipped: jq is not installed");
            return;
        }
        let (world, main) = demo(BROKEN);
        let (status, said) = run(&world, &main);
        assert_eq!(status, Some(2), "{said}");
        assert!(
            said.contains("SKL301") && said.lines().count() == 1,
            "{said}"
        );
        fs::write(&main, FINE).expect("a file");
        assert_eq!(run(&world, &main), (Some(0), String::new()));
        let other = world.cwd.join("README.md");
        fs::write(&other, BROKEN).expect("a file");
        assert_eq!(run(&world, &other), (Some(0), String::new()));
        let code = main.with_file_name("run.py");
        fs::write(&code, "").expect("a file");
        assert_eq!(run(&world, &code), (Some(0), String::new()));
    }
}
