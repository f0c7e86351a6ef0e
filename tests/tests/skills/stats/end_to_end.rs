//! From use to statistics, end to end.

use serde_json::json;
use skillc_tests::World;

use crate::stats::support::{data, run};

/// G-STATS.1, C-OVERVIEW@3.1: covers uses of every kind, with their arguments and working directory.
#[test]
fn uses_are_counted_as_logged() {
    let world = World::built(&[("guide.md", "# Guide\n\n## Setup\n\nInstall it.\n")]);
    world.skc(["outline", "demo"]).success();
    world.skc(["show", "demo", "--section", "Setup"]).success();
    world
        .skc(["show", "demo", "--section", "Nope"])
        .code("E020");
    world.skc(["open", "demo", "guide.md"]).success();
    world.skc(["search", "demo", "install"]).success();
    world.skc(["search", "demo", "zebra"]).success();
    assert_eq!(
        data(&world, "commands"),
        json!({"build": 1, "outline": 1, "show": 2, "open": 1, "search": 2})
    );
    assert_eq!(
        data(&world, "sections"),
        json!([{"section": "Setup", "file": "guide.md", "count": 1}])
    );
    assert_eq!(
        data(&world, "files"),
        json!([{"file": "guide.md", "count": 2}])
    );
    assert_eq!(
        data(&world, "zero-results"),
        json!([{"query": "zebra", "unmatched": ["zebra"], "count": 1}])
    );
    assert_eq!(
        data(&world, "errors"),
        json!([{
            "target": "Nope", "command": "show", "error": "error[E020]: section not found: 'Nope'", "count": 1,
        }])
    );
    assert_eq!(
        data(&world, "projects"),
        json!([{"project": world.cwd, "count": 7}])
    );
    let sessions = data(&world, "sessions");
    let commands = sessions[0]["commands"].as_array().expect("a list").iter();
    let commands: Vec<_> = commands.map(|command| command["command"].clone()).collect();
    assert_eq!(
        commands,
        [
            "build", "outline", "show", "show", "open", "search", "search"
        ]
    );
    assert_eq!(sessions[0]["run_id"], "test");
}

/// D-STATS-TEXT, G-STATS.2: the headings are listed in outline order.
#[test]
fn headings_that_were_never_shown_are_listed() {
    let guide = "# Guide\n\n## Setup\n\n## Setup\n\n```\n# no heading\n```\n\n## Limits\n";
    let world = World::built(&[("guide.md", guide), ("more/b.md", "# Setup\n")]);
    world.skc(["show", "demo", "--section", "limits"]).success();
    world
        .skc(["show", "demo", "--section", "Setup", "--file", "guide.md"])
        .success();
    let output = run(&world, &[]).success();
    let text = output.text();
    let unused: Vec<&str> = text
        .lines()
        .skip_while(|line| *line != "Unused sections:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .collect();
    assert_eq!(unused, ["  - Demo", "  - Guide", "  - Setup"], "{text}");
}
