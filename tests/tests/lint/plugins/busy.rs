//! Script results do not depend on machine load.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use skillc_core::testkit::write_files;
use skillc_tests::World;

use crate::plugins::support::PROJECT;

/// Number of busy-looping threads.
const BUSY: usize = 6;

/// An indexer that turns each day of a log into a section.
const LOG: &str = r#"/// Days of a log
indexer(#{
    id: "log", extensions: ["log"],
    sections: |file, out| {
        let day = "";
        let first = 1;
        for line in file.lines {
            let found = line.find(`^(\d{4}-\d\d-\d\d) \d\d:\d\d`);
            if found == () { continue; }
            let now = found.group(1).text;
            if now != day {
                if day != "" { out.section(day, "log of " + day, first, line.line - 1); }
                day = now;
                first = line.line;
            }
        }
        if day != "" { out.section(day, "log of " + day, first, file.lines.len); }
    },
});
"#;

/// A rule that reports every line, and one that exceeds a limit in some documents.
const RULES: &str = r#"/// Words that say nothing.
rule(#{ code: "TEAM001", name: "words", check_document: |doc, skill, out| {
    for found in doc.find_prose(`\b(very|quite) \w+`) { out.at(found, "says nothing: " + found.text); }
} });
/// Counts for too long.
rule(#{ code: "TEAM002", name: "counts", check_document: |doc, skill, out| {
    if doc.is_match("count") { let n = 0; loop { n += 1; } }
} });
/// Sorts for too long.
rule(#{ code: "TEAM003", name: "sorts", check_document: |doc, skill, out| {
    let a = [];
    for n in 0..500 { a.push((n * 7919) % 1009); }
    if doc.is_match("sort") { loop { a.sort(|one, other| other - one); } }
} });
"#;

fn world() -> World {
    let lines: Vec<String> = (0..16_000)
        .map(|n| {
            format!(
                "2026-01-{:02} 10:{:02} request {n} served\n",
                1 + n / 1000,
                n % 60
            )
        })
        .collect();
    let log = lines.concat();
    let words = "This is very good and quite nice.\n".repeat(5);
    let world = World::demo(&[
        ("server.log", &log),
        ("a.md", &format!("# A\n\n{words}")),
        ("b.md", &format!("# B\n\ncount\n\n{words}")),
        ("c.md", "# C\n\nsort and count\n"),
        ("d.md", "# D\n\nsort\n"),
    ]);
    write_files(
        &world.cwd.join(PROJECT),
        &[("log.rhai", LOG), ("rules.rhai", RULES)],
    );
    world
}

/// Builds and lints a skill; returns the output and the sections found by search.
fn results(world: &World) -> (String, String, String) {
    let built = world.skc(["build", "demo", "--force"]).success();
    let linted = world.skc(["lint", "demo", "-o", "json"]);
    let found = world.skc(["search", "demo", "log of", "--limit", "99", "-o", "json"]);
    let place = world.cwd.to_string_lossy();
    (
        built.stderr,
        linted.text().replace(&*place, "[WORK]"),
        found.text().replace(&*place, "[WORK]"),
    )
}

#[test]
fn six_busy_threads_do_not_change_findings_or_sections() {
    let quiet = results(&world());
    assert_eq!(quiet.0, "", "the log is indexed by its indexer");
    assert_eq!(quiet.2.matches("\"section\": \"2026-01-").count(), 16);
    assert!(quiet.1.contains("says nothing: very good"));
    assert_eq!(quiet.1.matches("more than 2000000 operations").count(), 2);
    let (world, is_done) = (world(), AtomicBool::new(false));
    let busy = thread::scope(|scope| {
        for _ in 0..BUSY {
            scope.spawn(|| {
                let mut n = 0_u64;
                while !is_done.load(Ordering::Relaxed) {
                    n = black_box(n.wrapping_mul(31).wrapping_add(7));
                }
            });
        }
        let busy = results(&world);
        is_done.store(true, Ordering::Relaxed);
        busy
    });
    assert_eq!(busy, quiet);
}
