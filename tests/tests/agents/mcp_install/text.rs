//! Text output.

use skillc_tests::World;

use crate::mcp_install::support::{cursor, put, run, with_cursor};

#[test]
fn each_change_is_a_line() {
    let world = with_cursor("{}");
    let path = cursor(&world).display().to_string();
    let text = |args: &[&str]| run(&world, args).success().text().to_owned();
    let install = ["install", "--client", "cursor"];
    assert_eq!(
        text(&install),
        format!("cursor: added skillc to {path}\n  Backup: {path}.skc-bak\n")
    );
    assert_eq!(
        text(&install),
        format!("cursor: skillc is already in {path}\n")
    );
    let remove = ["uninstall", "--client", "cursor"];
    let removed = text(&remove);
    assert_eq!(
        removed,
        format!("cursor: removed skillc from {path}\n  Backup: {path}.skc-bak-1\n")
    );
    assert_eq!(text(&remove), format!("cursor: skillc is not in {path}\n"));
    put(
        &cursor(&world),
        r#"{"mcpServers": {"skillc": {"url": "x"}}}"#,
    );
    let replaced = text(&["install", "--client", "cursor", "--force"]);
    assert!(
        replaced.starts_with(&format!("cursor: replaced skillc in {path}\n")),
        "{replaced}"
    );
}

#[test]
fn notes_about_a_client_are_shown_where_they_apply() {
    let world = World::new();
    let text = |args: &[&str]| run(&world, args).success().text().to_owned();
    let project = ["install", "--client", "codex", "--project"];
    assert!(
        text(&project)
            .contains("\n  Codex reads the project's file only if the project is trusted.\n")
    );
    assert_eq!(text(&["install", "--client", "codex"]).lines().count(), 1);
    assert_eq!(
        text(&["uninstall", "--client", "codex", "--project"])
            .lines()
            .count(),
        2
    );
}

#[test]
fn claude_code_has_a_plugin_for_the_user() {
    let world = World::new();
    let text = |args: &[&str]| run(&world, args).success().text().to_owned();
    let note =
        "in the folder 'skillc/lsp/editors/claude-code' of the source code, starts the same server";
    assert!(text(&["install", "--client", "claude-code"]).contains(note));
    let project = text(&["install", "--client", "claude-code", "--project"]);
    assert!(!project.contains("plug-in"), "{project}");
    assert!(!text(&["uninstall", "--client", "claude-code"]).contains("plug-in"));
}

#[test]
fn a_dry_run_prints_a_diff() {
    let world = with_cursor("{\r\n  \"mcpServers\": {}\r\n}\r\n");
    let path = cursor(&world).display().to_string();
    let out = run(&world, &["install", "--client", "cursor", "--dry-run"]).success();
    let expected = format!(
        "cursor: would add skillc to {path}\n--- {path}\n+++ {path}\n@@ -1,3 +1,8 @@\n {{\n-  \"mcpServers\": {{}}\n+  \"mcpServers\": {{\n+    \"skillc\": {{\n+      \"command\": \"skc\",\n+      \"args\": [\"mcp\"]\n+    }}\n+  }}\n }}\n"
    );
    assert_eq!(out.text(), expected);
    let out = run(&world, &["uninstall", "--client", "cursor", "--dry-run"]).success();
    assert_eq!(out.text(), format!("cursor: skillc is not in {path}\n"));
}

#[test]
fn status_prints_a_table() {
    let world = with_cursor(r#"{"mcpServers": {"skillc": {"command": "node", "args": ["x"]}}}"#);
    run(&world, &["install", "--client", "kiro"]).success();
    let out = run(&world, &["status", "--client", "cursor,kiro,windsurf"]).success();
    let (home, work) = (world.home.display(), world.cwd.display());
    let expected = format!(
        "CLIENT    SCOPE    STATE      FILE\n\
         cursor    global   different  {home}/.cursor/mcp.json (node x)\n\
         cursor    project  no-file    {work}/.cursor/mcp.json\n\
         kiro      global   installed  {home}/.kiro/settings/mcp.json\n\
         kiro      project  no-file    {work}/.kiro/settings/mcp.json\n\
         windsurf  global   no-file    {home}/.codeium/windsurf/mcp_config.json\n"
    );
    assert_eq!(out.text().replace('\\', "/"), expected.replace('\\', "/"));
}

#[test]
fn verbose_names_the_files() {
    let world = World::new();
    let out = run(&world, &["install", "--client", "cursor", "--verbose"]).success();
    assert!(
        out.stderr
            .contains(&format!("file    {}", cursor(&world).display())),
        "{}",
        out.stderr
    );
}
