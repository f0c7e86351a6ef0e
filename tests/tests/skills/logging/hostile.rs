//! Logs in a cloned repository that are crafted to take much time or memory.

use std::fs;

use skillc_tests::{World, database};

use crate::logging::support::{DISABLED, is_logged_locally, local, outline, primary};

/// C-LOGGING@7.5, D-FALLBACK-TRIGGER, F-51: logs in a cloned repository have schemas that take hours or a gigabyte of
/// memory to evaluate.
#[test]
fn a_log_with_an_expression_in_its_schema_is_neither_read_nor_written() {
    let columns =
        "id INTEGER PRIMARY KEY, timestamp TEXT NOT NULL, command TEXT NOT NULL, args TEXT";
    for expression in [
        "instr(hex(zeroblob(10000000)), hex(zeroblob(4000000)) || '1') = 0",
        "length(zeroblob(900000000)) > 0",
    ] {
        let world = World::demo(&[]);
        outline(&world);
        fs::remove_file(primary(&world)).expect("a file");
        let sql = format!("CREATE TABLE access_log({columns}, CHECK ({expression}))");
        database::change(&primary(&world), &sql);
        let hostile = fs::read(primary(&world)).expect("a file");
        is_logged_locally(&world);
        let log = local(&world);
        fs::copy(primary(&world), &log).expect("owned by this test");
        for args in [["outline", "demo"], ["sources", "demo"], ["lint", "demo"]] {
            let output = world.skc(args);
            assert!(output.stderr.contains(DISABLED), "{output:?}");
        }
        for (args, code) in [(["stats", "demo"], "E999"), (["sync", "demo"], "E042")] {
            let output = world.skc(args);
            assert!(output.stderr.contains(code), "{output:?}");
        }
        for log in [primary(&world), log] {
            assert!(fs::read(log).expect("a file") == hostile);
        }
    }
}
