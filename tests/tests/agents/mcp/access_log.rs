//! The usage log of calls to the server.

use serde_json::{Value, json};
use skillc_core::layout::{RuntimeDir, local_runtime};
use skillc_tests::{World, database};

use crate::mcp::state::rows;
use crate::mcp::support::{server, skc_json};

/// Returns the rows of the usage log of `demo`, each with its run id, command, arguments and error.
fn logged(world: &World) -> Vec<(String, String, Value, Option<String>)> {
    let log = RuntimeDir(world.demo_runtime()).logs();
    let connection = database::read(&log);
    let mut statement = connection
        .prepare("SELECT run_id, command, args, error FROM access_log ORDER BY id")
        .expect("a log");
    let rows = statement.query_map([], |row| {
        let args: String = row.get(2)?;
        let args = serde_json::from_str(&args).expect("JSON");
        Ok((row.get(0)?, row.get(1)?, args, row.get(3)?))
    });
    let rows: Result<Vec<_>, _> = rows.expect("a log").collect();
    rows.expect("rows")
}

/// C-MCP-SERVER.7, D-RUN-ID-MCP: the row is in the skill's own log, not in the fallback log of the working directory.
#[test]
fn every_call_that_resolves_a_skill_is_in_its_access_log() {
    let world = World::built(&[("guide.md", "# Guide\n\nUse it.\n")]);
    let before = logged(&world).len();
    let mut client = server(&world);
    let calls = [
        ("outline", json!({"skill": "demo"})),
        ("search", json!({"skill": "demo", "query": "use"})),
        ("show", json!({"skill": "demo", "section": "guide"})),
        ("open", json!({"skill": "demo", "path": "guide.md"})),
        ("sources", json!({"skill": "demo"})),
        ("show", json!({"skill": "demo", "section": "Nowhere"})),
        ("open", json!({"skill": "demo", "path": "../x"})),
        ("build", json!({"skill": "demo"})),
        ("lint", json!({"skill": "demo"})),
        ("stats", json!({"skill": "demo"})),
    ];
    for (command, arguments) in &calls {
        client.call(&format!("skc_{command}"), arguments);
    }
    let found = logged(&world).split_off(before);
    let on_line = |world: &World, args: &[&str]| {
        let before = logged(world).len();
        world.skc_at(&world.cwd, args);
        logged(world).split_off(before)
    };
    // The command line writes the same rows, except for the run id.
    let mut expected = Vec::new();
    for words in [
        &["outline", "demo"][..],
        &["search", "demo", "use"],
        &["show", "demo", "--section", "guide"],
        &["open", "demo", "guide.md"],
        &["sources", "demo"],
        &["show", "demo", "--section", "Nowhere"],
        &["open", "demo", "../x"],
        &["build", "demo"],
        &["lint", "demo"],
        &["stats", "demo"],
    ] {
        expected.extend(on_line(&world, words));
    }
    let without_run = |rows: &[(String, String, Value, Option<String>)]| {
        let rows = rows.iter().cloned();
        rows.map(|(_, command, args, error)| (command, args, error))
            .collect::<Vec<_>>()
    };
    assert_eq!(without_run(&found), without_run(&expected));
    assert!(found.len() >= 8, "{found:?}");
    let run = rows(&world)[0].run_id.clone();
    assert!(found.iter().all(|(of, ..)| *of == run), "{found:?}");
    assert!(!local_runtime(&world.cwd, "demo").logs().exists());
}

/// C-MCP-SERVER.7.
#[test]
fn stats_count_calls_through_the_server() {
    let world = World::built(&[("guide.md", "# Guide\n\nUse it.\n")]);
    let mut client = server(&world);
    for _ in 0..3 {
        client.call("skc_show", &json!({"skill": "demo", "section": "Guide"}));
    }
    let stats = skc_json(&world, &["stats", "demo", "--group-by", "sections"]);
    assert_eq!(stats["data"][0]["section"], "Guide");
    assert_eq!(stats["data"][0]["count"], 3);
}

/// C-MCP-SERVER.7.
#[test]
fn calls_with_invalid_arguments_are_not_logged() {
    let world = World::built(&[]);
    let before = logged(&world).len();
    let mut client = server(&world);
    client.call("skc_outline", &json!({"skill": "demo", "level": 9}));
    client.call("skc_show", &json!({"skill": "demo"}));
    assert_eq!(logged(&world).len(), before);
}
