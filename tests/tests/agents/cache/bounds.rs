//! Limits of the cache.

#![cfg(target_os = "linux")]

use std::fs;

use skillc_tests::World;

use crate::cache::support::{Call, Server, open_files, search, settle};

/// Maximum number of open files of each kind.
const MOST: usize = 24;

#[test]
fn indexes_and_logs_stay_open_between_calls() {
    let server = Server::new(&[]);
    let below = server.world.demo_runtime();
    for _ in 0..3 {
        assert!(server.call(&search("hello")).0.is_ok());
        assert_eq!(open_files(&below, "search-"), 1);
        assert_eq!(open_files(&below, "logs.db"), 1);
    }
    fs::remove_dir_all(&below).expect("a build");
    server.build();
    for _ in 0..2 {
        assert!(server.call(&search("hello")).0.is_ok());
    }
    // A deleted file that is still open would be counted, too: Linux appends `(deleted)` to its name, but the prefix
    // stays.
    assert_eq!(open_files(&below, "search-"), 1);
    assert_eq!(open_files(&below, "logs.db"), 1);
}

#[test]
fn the_number_of_open_files_is_limited() {
    let world = World::project();
    let names: Vec<String> = (0..MOST + 8).map(|at| format!("demo-{at}")).collect();
    let card = |name: &String| {
        format!("---\nname: {name}\ndescription: A demo. Use when testing.\n---\n\n# Demo\n")
    };
    for name in &names {
        world.project_skill(name, &[("SKILL.md", &card(name))]);
    }
    settle(&world);
    for name in &names {
        world.skc(["build", name]).success();
    }
    let server = Server::in_world(world);
    let below = server.world.cwd.clone();
    for name in names.iter().chain(&names) {
        let call = Call {
            tool: "search",
            arguments: serde_json::json!({"skill": name, "query": "demo"}),
        };
        // The first call creates the log, and the second keeps it open.
        for _ in 0..2 {
            assert!(server.call(&call).0.is_ok());
        }
        assert!(open_files(&below, "search-") <= MOST);
        assert!(open_files(&below, "logs.db") <= MOST);
    }
    assert_eq!(open_files(&below, "search-"), MOST);
    assert_eq!(open_files(&below, "logs.db"), MOST);
}
