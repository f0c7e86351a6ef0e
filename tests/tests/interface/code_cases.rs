//! For each code, a run that produces it: a world and a command line.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use skillc_core::hash::path_hash16;
use skillc_core::layout::local_runtime;
use skillc_core::testkit::{NOW, write_files};
use skillc_storage::Access;
use skillc_storage::access_log::append;
use skillc_tests::{MINIMAL, Output, World, database};

/// The output of a run, and the line with a code that the run must print. A trailing `…` stands for any text.
pub(crate) type Given = (Output, String);

/// A function that creates a world and runs a command in it.
pub(crate) type Way = fn() -> Given;

/// The runs that produce each code, except for codes of the catalog.
pub(crate) const WAYS: &[(&str, Way)] = &[
    ("E001", skill_not_found),
    ("E002", index_unusable),
    ("E003", index_collision),
    ("E004", empty_query),
    ("E010", not_a_skill),
    ("E011", missing_field),
    ("E012", path_escapes),
    ("E020", section_not_found),
    ("E021", file_not_found),
    ("E022", directory_not_found),
    ("E030", invalid_query_type),
    ("E031", invalid_filter),
    ("E040", no_local_logs),
    ("E041", sync_destination),
    ("E042", sync_source),
    ("E050", skill_exists),
    ("E068", no_skills),
    ("E069", foreign_in_build),
    ("E100", invalid_option),
    ("E300", lint_error),
    ("E999", internal),
    ("W001", multiple_matches),
    ("W002", logging_disabled),
    ("W003", stale_local_logs),
    ("W020", configuration),
    ("W021", skill_skipped),
    ("W023", file_too_large),
    ("W024", cjk_under_ascii),
    ("W025", indexed_as_plain_text),
    ("W026", names_left_out),
    ("W027", log_rows_malformed),
    ("W028", log_unusable),
    ("W029", plugin_left_out),
    ("W066", stub_replaced),
    ("W067", client_differs),
    ("W068", several_skills),
    ("W069", not_utf8),
    ("W070", replaced),
    ("W071", imported_unsafe),
    ("W300", lint_warning),
];

/// Codes that cannot be produced on every test machine, with the reason and where they are tested.
pub(crate) const OUT_OF_REACH: &[(&str, &str)] = &[
    (
        "W022",
        "needs a file system without symlinks: see the unit tests of deploying",
    ),
    (
        "W063",
        "needs an unwritable home: see the tests of the skill registry",
    ),
];

fn given(output: Output, line: impl Into<String>) -> Given {
    (output, line.into())
}

fn no_skills() -> Given {
    given(
        World::project().skc(["lint"]),
        "error[E068]: no skills found",
    )
}

fn foreign_in_build() -> Given {
    let world = World::demo(&[]);
    let file = world.demo_runtime().join("__init__.py");
    world.directory(".skillc/runtime/demo", &[("__init__.py", "")]);
    given(
        world.skc(["build", "demo"]),
        format!(
            "error[E069]: file not written by skc in the build: '{}'",
            file.display()
        ),
    )
}

fn several_skills() -> Given {
    let world = World::project();
    for (folder, text) in [(".claude", "# One\n"), (".codex", "# Two\n")] {
        let main = MINIMAL.to_owned() + text;
        world.directory(&format!("{folder}/skills/demo"), &[("SKILL.md", &main)]);
    }
    given(
        world.skc(["outline", "demo"]),
        "warning[W068]: several skills are named 'demo'; using '.claude/skills/demo', not '.codex/skills/demo'",
    )
}

fn skill_not_found() -> Given {
    given(
        World::new().skc(["outline", "nope"]),
        "error[E001]: skill 'nope' not found",
    )
}

fn index_unusable() -> Given {
    given(
        World::demo(&[]).skc(["search", "demo", "hello"]),
        "error[E002]: search index unusable; run 'skc build demo' to rebuild",
    )
}

fn index_collision() -> Given {
    let world = World::built(&[]);
    let elsewhere = "UPDATE index_meta SET value = '/elsewhere' WHERE key = 'skill_path'";
    database::change(&world.demo_index(), elsewhere);
    let hash16 = path_hash16(&world.demo_source());
    given(
        world.skc(["search", "demo", "hello"]),
        format!(
            "error[E003]: index hash collision; delete .skillc-meta/search-{hash16}.db and rebuild"
        ),
    )
}

fn empty_query() -> Given {
    given(
        World::built(&[]).skc(["search", "demo", " \t"]),
        "error[E004]: empty query",
    )
}

fn not_a_skill() -> Given {
    let world = World::project();
    let dir = world.cwd.join(".skillc/skills/empty");
    fs::create_dir_all(&dir).expect("a directory");
    given(
        world.skc(["outline", "empty"]),
        format!(
            "error[E010]: not a valid skill: '{}' (missing SKILL.md)",
            dir.display()
        ),
    )
}

fn missing_field() -> Given {
    let world = World::demo(&[("SKILL.md", "---\nname: demo\n---\n\n# Demo\n")]);
    given(
        world.skc(["build", "demo"]),
        "error[E011]: missing frontmatter field 'description' in SKILL.md",
    )
}

fn path_escapes() -> Given {
    given(
        World::demo(&[]).skc(["open", "demo", "../secret"]),
        "error[E012]: path escapes skill root: '../secret'",
    )
}

fn section_not_found() -> Given {
    given(
        World::built(&[]).skc(["show", "demo", "--section", "Nowhere"]),
        "error[E020]: section not found: 'Nowhere'",
    )
}

fn file_not_found() -> Given {
    given(
        World::demo(&[]).skc(["open", "demo", "nope.md"]),
        "error[E021]: file not found: 'nope.md'",
    )
}

fn directory_not_found() -> Given {
    given(
        World::demo(&[]).skc(["sources", "demo", "--dir", "nope"]),
        "error[E022]: directory not found: 'nope'",
    )
}

fn invalid_query_type() -> Given {
    given(
        World::demo(&[]).skc(["stats", "demo", "--group-by", "searches"]),
        "error[E030]: invalid query type: 'searches'",
    )
}

fn invalid_filter() -> Given {
    given(
        World::demo(&[]).skc(["stats", "demo", "--project", "nowhere"]),
        "error[E031]: invalid filter: 'project path not found: nowhere'",
    )
}

fn no_local_logs() -> Given {
    given(
        World::new().skc(["sync", "demo"]),
        "error[E040]: no local logs found",
    )
}

fn sync_destination() -> Given {
    let world = World::demo(&[]);
    log_badly(&local_runtime(&world.cwd, "demo").logs());
    fs::write(world.cwd.join(".skillc/runtime"), "in the way").expect("a file");
    let log = world.demo_runtime().join(".skillc-meta/logs.db");
    let line = format!(
        "error[E041]: sync destination not writable: '{}'",
        log.display()
    );
    given(world.skc(["sync"]), line)
}

fn sync_source() -> Given {
    let world = World::new();
    let log = local_runtime(&world.cwd, "demo").logs();
    fs::create_dir_all(&log).expect("a directory");
    let line = format!("error[E042]: sync source not readable: '{}'", log.display());
    given(world.skc(["sync"]), line)
}

/// Appends a row with malformed arguments.
fn log_badly(log: &Path) {
    let access = Access {
        timestamp: NOW,
        run_id: "test".into(),
        command: "show".into(),
        skill: "demo".into(),
        skill_path: String::new(),
        cwd: String::new(),
        args: "{".into(),
        error: None,
    };
    append(log, &access).expect("a log");
}

fn log_rows_malformed() -> Given {
    let world = World::built(&[]);
    log_badly(&world.demo_runtime().join(".skillc-meta/logs.db"));
    given(
        world.skc(["stats", "demo"]),
        "warning[W027]: 1 malformed row(s) in the usage log; only their valid fields are counted",
    )
}

fn log_unusable() -> Given {
    let world = World::demo(&[]);
    let log = ".skillc/runtime/demo/.skillc-meta/logs.db";
    write_files(
        &world.cwd,
        &[(log, "no database, but long enough to be taken for one")],
    );
    let log = world.cwd.join(log);
    let line = format!(
        "warning[W028]: skipped usage log '{}': it is damaged",
        log.display()
    );
    given(world.skc(["stats", "--all"]), line)
}

fn skill_exists() -> Given {
    given(
        World::demo(&[]).skc(["init", "demo"]),
        "error[E050]: skill 'demo' already exists",
    )
}

fn invalid_option() -> Given {
    given(
        World::new().skc(["list", "--scope", "moon"]),
        "error[E100]: invalid option: '--scope <SCOPE>: unknown value \"moon\"; expected one of project, user, all'",
    )
}

fn lint_error() -> Given {
    let world = World::demo(&[("SKILL.md", "---\ndescription: D.\n---\n\n# Demo\n")]);
    given(
        world.skc(["lint", "demo"]),
        "error[E300]: SKL101 name-required: missing required field 'name'",
    )
}

fn internal() -> Given {
    let world = World::demo(&[]);
    let runtime = world.cwd.join(".skillc/runtime");
    fs::write(&runtime, "in the way").expect("a file");
    given(
        world.skc(["build", "demo"]),
        format!("error[E999]: creating '{}…", runtime.display()),
    )
}

fn multiple_matches() -> Given {
    let world = World::built(&[("a.md", "# Same\n"), ("b.md", "# Same\n")]);
    given(
        world.skc(["show", "demo", "--section", "Same"]),
        "warning[W001]: multiple matches for 'Same'; showing first",
    )
}

fn logging_disabled() -> Given {
    let world = World::demo(&[]);
    for place in [".skillc/runtime", ".skillc/logs"] {
        fs::write(world.cwd.join(place), "in the way").expect("a file");
    }
    given(
        world.skc(["outline", "demo"]),
        "warning[W002]: logging disabled; run 'skc sync' after session to merge logs",
    )
}

fn stale_local_logs() -> Given {
    let world = World::demo(&[]);
    let log = local_runtime(&world.cwd, "demo").logs();
    write_files(
        &world.cwd,
        &[(".skillc/logs/demo/.skillc-meta/logs.db", "")],
    );
    let file = File::options().write(true).open(log).expect("a file");
    let long_ago = UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    file.set_modified(long_ago).expect("our own");
    given(
        world.skc(["outline", "demo"]),
        "warning[W003]: stale local logs for 'demo'; run 'skc sync' to upload",
    )
}

fn configuration() -> Given {
    let world = World::project();
    let file = world.cwd.join(".skillc/config.toml");
    fs::write(&file, "colour = true\n").expect("a file");
    given(world.skc(["list"]), "warning[W020]: …")
}

fn plugin_left_out() -> Given {
    let world = World::project();
    write_files(&world.cwd, &[(".skillc/plugins/a.rhai", "rule(")]);
    given(
        world.skc(["rules"]),
        "warning[W029]: skipped plugin: .skillc/plugins/a.rhai:1:6: …",
    )
}

fn skill_skipped() -> Given {
    let world = World::demo(&[("SKILL.md", "# No frontmatter\n")]);
    given(world.skc(["list"]), "warning[W021]: skipped 'demo': …")
}

fn file_too_large() -> Given {
    let world = World::demo(&[]);
    let file = File::create(world.demo_source().join("big.txt")).expect("a file");
    file.set_len((32 << 20) + 1).expect("a file without blocks");
    given(
        world.skc(["build", "demo"]),
        "warning[W023]: file too large to index: 'big.txt'",
    )
}

fn cjk_under_ascii() -> Given {
    let text = format!(
        "{MINIMAL}\n{}\n",
        "\u{6280}\u{80fd}\u{6587}\u{6863}".repeat(300)
    );
    given(
        World::demo(&[("SKILL.md", &text)]).skc(["build", "demo"]),
        "warning[W024]: much CJK text under tokenizer \"ascii\"; set [search] tokenizer = \"cjk\" in .skillc/config.toml and rebuild to make it searchable",
    )
}

fn indexed_as_plain_text() -> Given {
    let world = World::demo(&[("data.json", "{ not json")]);
    given(
        world.skc(["build", "demo"]),
        "warning[W025]: indexed as plain text: 'data.json' (…",
    )
}

#[cfg(target_os = "linux")]
fn names_left_out() -> Given {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let world = World::demo(&[]);
    let file = world.demo_source().join(OsStr::from_bytes(b"b\xff.md"));
    fs::write(file, "# Odd\n").expect("a file");
    given(
        world.skc(["build", "demo"]),
        "warning[W026]: skipped 1 file name(s) that are not UTF-8, for example 'b\u{fffd}.md'",
    )
}

/// Systems other than Linux may not allow names that are not UTF-8.
#[cfg(not(target_os = "linux"))]
fn names_left_out() -> Given {
    let warning = skillc_core::Warning::NamesLeftOut {
        count: 1,
        example: "b".to_owned(),
    };
    let stderr = warning.to_string();
    let (ok, stdout, line) = (true, Vec::new(), stderr.clone());
    given(Output { ok, stdout, stderr }, line)
}

fn client_differs() -> Given {
    let text = MINIMAL.replacen("---\n", "---\nmodel: opus\n", 1);
    let world = World::demo(&[("SKILL.md", &text)]);
    given(
        world.skc(["build", "demo", "--for", "codex"]),
        "warning[W067]: 'demo' in codex: …",
    )
}

fn not_utf8() -> Given {
    let world = World::demo(&[]);
    let file = world.demo_source().join("SKILL.md");
    fs::write(&file, [MINIMAL.as_bytes(), b"\xff\n"].concat()).expect("a file");
    let (path, offset) = (file.display(), MINIMAL.len());
    given(
        world.skc(["build", "demo"]),
        format!("warning[W069]: not UTF-8: '{path}' has an invalid byte at offset {offset}"),
    )
}

fn replaced() -> Given {
    let world = World::demo(&[]);
    let place = world.home.join(".claude/skills/demo");
    fs::create_dir_all(&place).expect("a directory");
    given(
        world.skc(["build", "demo", "--force"]),
        format!(
            "warning[W070]: replaced '{}'; the original is now …",
            place.display()
        ),
    )
}

fn imported_unsafe() -> Given {
    let world = World::project();
    let skill = "---\nname: demo\ndescription: Demo.\nallowed-tools: \"*\"\n---\n\n# Demo\n";
    world.directory("outside", &[("SKILL.md", skill)]);
    given(
        world.skc_at(&world.cwd, &["build", "outside"]),
        "warning[W071]: imported 'demo', but a scan says 'review': …",
    )
}

fn stub_replaced() -> Given {
    let world = World::built(&[]);
    let source = world.global_skill("demo", &[]);
    let by_path = source.to_str().expect("a path");
    let place = world.home.join(".claude/skills/demo");
    given(
        world.skc(["build", by_path]),
        format!(
            "warning[W066]: replaced the stub of '{}': '{}' now has this skill",
            world.demo_source().display(),
            place.display()
        ),
    )
}

fn lint_warning() -> Given {
    let world = World::demo(&[("SKILL.md", &format!("{MINIMAL}\n### Deep\n"))]);
    given(
        world.skc(["lint", "demo"]),
        "warning[W300]: SKL205 heading-hierarchy: heading level jumps from H1 to H3; use H2",
    )
}
