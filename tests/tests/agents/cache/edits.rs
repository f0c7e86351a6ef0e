//! The very next call notices any change to a skill's files, to its build, or to the configuration.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;

use skillc_tests::{MINIMAL, World, database, snapshot};

use crate::cache::support::{Server, search, settle};

const FILES: [(&str, &str); 2] = [
    ("a.md", "# Letters\n\nalpha\n"),
    ("deep/down/b.md", "# More\n\nbeta\n"),
];

/// D-STALE.
#[test]
fn every_change_to_a_file_is_noticed() {
    type Edit = fn(&Server);
    let edits: [(&str, Edit); 11] = [
        ("another text", |server| {
            write(server, "a.md", "# Letters\n\ngamma rays\n");
        }),
        ("a text of equal length", |server| {
            write(server, "a.md", "# Letters\n\ngamma\n");
        }),
        ("a text of equal length and modification time", |server| {
            let path = server.source("a.md");
            let before = path
                .metadata()
                .and_then(|found| found.modified())
                .expect("a time");
            write(server, "a.md", "# Letters\n\ngamma\n");
            let file = File::options().write(true).open(path).expect("a file");
            file.set_modified(before).expect("a time");
        }),
        ("a new file", |server| write(server, "c.md", "text")),
        ("a new file in a nested directory", |server| {
            write(server, "deep/down/c.md", "text");
        }),
        ("a new directory with a file", |server| {
            write(server, "other/c.md", "text");
        }),
        ("a removed file", |server| {
            fs::remove_file(server.source("a.md")).expect("a file");
        }),
        ("a renamed file", |server| {
            rename(server, "a.md", "c.md");
        }),
        ("a renamed directory", |server| {
            rename(server, "deep/down", "deep/up");
        }),
        ("a file that replaces another", |server| {
            write(server, ".new", "# Letters\n\ngamma\n");
            rename(server, ".new", "a.md");
        }),
        ("a symlink that replaces a file", |server| {
            rename(server, "a.md", ".hidden");
            write(server, ".other", "# Letters\n\ngamma\n");
            symlink(".other", server.source("a.md")).expect("a link");
        }),
    ];
    for (case, edit) in edits {
        let server = Server::new(&FILES);
        for _ in 0..2 {
            server.finds("alpha", "a.md");
        }
        edit(&server);
        server.is_stale(case);
        server.build();
        assert_eq!(
            server.search("beta").map(|found| found.len()),
            Ok(1),
            "{case}"
        );
    }
}

/// D-STALE: freshness depends on content, not on modification times.
#[test]
fn irrelevant_changes_do_not_make_the_index_stale() {
    let server = Server::new(&FILES);
    server.finds("alpha", "a.md");
    write(&server, ".notes/x.md", "hidden");
    fs::create_dir(server.source("empty")).expect("a directory");
    write(&server, "a.md", FILES[0].1);
    server.finds("alpha", "a.md");
    write(&server, "empty/c.md", "text");
    server.is_stale("a file in a directory that was empty");
}

/// D-STALE.
#[test]
fn a_build_by_another_process_is_noticed() {
    let server = Server::new(&FILES);
    for round in 0..4 {
        let word = format!("word{round}");
        write(&server, "a.md", &format!("# Letters\n\n{word}\n"));
        server.build();
        server.finds(&word, "a.md");
        server.finds("beta", "deep/down/b.md");
    }
}

/// C-INDEX.8.
#[test]
fn damage_to_the_build_and_its_repair_are_noticed() {
    let server = Server::new(&FILES);
    let meta = server.world.demo_runtime().join(".skillc-meta");
    let manifest = meta.join("manifest.json");
    let index = server.world.demo_index();
    for (case, path) in [("the manifest", &manifest), ("the index", &index)] {
        let whole = fs::read(path).expect("a file");
        let half = &whole[..whole.len() / 2];
        for damaged in [b"garbage".repeat(900), half.to_vec(), Vec::new()] {
            server.finds("alpha", "a.md");
            fs::write(path, damaged).expect("should be writable");
            server.is_stale(case);
            fs::write(path, &whole).expect("should be writable");
        }
        server.finds("alpha", "a.md");
        fs::rename(path, meta.join("away")).expect("a file");
        server.is_stale(case);
        fs::write(path, b"not this".repeat(900)).expect("should be writable");
        server.is_stale(case);
        fs::rename(meta.join("away"), path).expect("a file");
        server.finds("alpha", "a.md");
    }
}

/// C-INDEX.8.
#[test]
fn a_replaced_or_modified_index_is_noticed() {
    let server = Server::new(&FILES);
    server.finds("alpha", "a.md");
    let index = server.world.demo_index();
    let old = server.world.home.join("old.db");
    fs::copy(&index, &old).expect("a file");
    write(&server, "a.md", "# Letters\n\ngamma\n");
    server.build();
    server.finds("gamma", "a.md");
    let new = fs::read(&index).expect("a file");
    fs::write(&index, fs::read(&old).expect("a file")).expect("should be writable");
    server.is_stale("the old index, written over the new one");
    fs::write(&index, &new).expect("should be writable");
    server.finds("gamma", "a.md");
    fs::rename(&old, &index).expect("a file");
    server.is_stale("the old index, renamed over the new one");
    fs::write(&index, &new).expect("should be writable");
    server.finds("gamma", "a.md");
    let sql = "CREATE VIEW looks AS SELECT 1; UPDATE index_meta SET value = value";
    database::change(&index, sql);
    server.is_stale("a view");
}

/// D-STALE: the freshness table is only an optimization.
#[test]
fn changes_are_noticed_without_the_freshness_table() {
    let server = Server::new(&FILES);
    server.finds("alpha", "a.md");
    let meta = server.world.demo_runtime().join(".skillc-meta");
    let is_table = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("stamps-")
    };
    let files = fs::read_dir(&meta).expect("a directory").flatten();
    let table = files.map(|entry| entry.path()).find(|path| is_table(path));
    let table = table.expect("a table");
    for damaged in ["garbage", ""] {
        fs::write(&table, damaged).expect("should be writable");
        server.finds("alpha", "a.md");
    }
    fs::remove_file(&table).expect("a file");
    server.finds("alpha", "a.md");
    write(&server, "a.md", "# Letters\n\ngamma\n");
    server.is_stale("no table");
}

/// C-RESOLUTION@7.1, C-RESOLUTION@7.3.
#[test]
fn removed_and_added_skills_are_noticed() {
    let server = Server::new(&FILES);
    server.finds("alpha", "a.md");
    let files = snapshot(&server.world.demo_source());
    fs::remove_dir_all(server.world.demo_source()).expect("a directory");
    let error = server.search("alpha").expect_err("it is gone");
    assert!(error.starts_with("error[E001]: "), "{error}");
    for (path, content) in files.iter().filter(|(path, _)| path.extension().is_some()) {
        let path = path.to_str().expect("UTF-8");
        write(&server, path, std::str::from_utf8(content).expect("UTF-8"));
    }
    server.finds("alpha", "a.md");
    server.world.directory("demo", &[]);
    server.is_stale("a nearer one that is not built");
    fs::remove_dir_all(server.world.cwd.join("demo")).expect("a directory");
    server.finds("alpha", "a.md");
}

/// C-RESOLUTION@7.2, D-PROJECT-ROOT.
#[test]
fn a_new_project_is_noticed() {
    let world = World::new();
    world.global_skill("demo", &[("a.md", "everywhere")]);
    settle(&world);
    world.skc(["build", "demo"]).success();
    let server = Server::in_world(world);
    server.finds("everywhere", "a.md");
    server.world.project_skill("demo", &[("a.md", "here")]);
    server.is_stale("a project's skill of that name");
    server.build();
    server.finds("here", "a.md");
    fs::remove_dir_all(server.world.cwd.join(".skillc")).expect("a directory");
    server.finds("everywhere", "a.md");
}

/// D-CONFIG-ERRORS.
#[test]
fn configuration_changes_apply_at_once_and_errors_are_reported_once() {
    let server = Server::new(&FILES);
    let global = server.world.home.join(".skillc/config.toml");
    let project = server.world.cwd.join(".skillc/config.toml");
    server.finds("alpha", "a.md");
    for path in [&global, &project] {
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(path, "[search]\ntokenizer = \"cjk\"\n").expect("should be writable");
        server.is_stale("another tokenizer");
        fs::write(path, "[search]\ntokenizer = \"abc\"\n").expect("should be writable");
        let [first, second] = [(); 2].map(|()| server.call(&search("alpha")));
        assert!(first.0.is_ok() && second.0.is_ok());
        assert_eq!((first.1.len(), second.1.len()), (1, 0), "{first:?}");
        assert!(first.1[0].contains("\"abc\""), "{first:?}");
        fs::write(path, "[search]\ntokenizer = \"cjk\"\n").expect("should be writable");
        server.is_stale("the other tokenizer again");
        fs::remove_file(path).expect("a file");
        server.finds("alpha", "a.md");
    }
}

/// D-STALE.
#[test]
fn a_section_is_read_from_the_current_file() {
    let server = Server::new(&[("a.md", MINIMAL)]);
    let show = crate::cache::support::Call {
        tool: "show",
        arguments: serde_json::json!({"skill": "demo", "section": "Demo", "file": "a.md"}),
    };
    for _ in 0..2 {
        let shown = server.call(&show).0.expect("a section");
        assert_eq!(shown["content"], "# Demo\n\nHello world.\n");
    }
    write(&server, "a.md", &MINIMAL.replace("Hello", "Howdy"));
    assert!(server.call(&show).0.is_err());
}

fn write(server: &Server, path: &str, text: &str) {
    let path = server.source(path);
    fs::create_dir_all(path.parent().expect("a directory")).expect("should be creatable");
    fs::write(path, text).expect("should be writable");
}

fn rename(server: &Server, from: &str, to: &str) {
    fs::rename(server.source(from), server.source(to)).expect("should exist");
}
