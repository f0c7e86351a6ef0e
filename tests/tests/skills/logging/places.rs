//! Log location: with the skill's build, otherwise below the working directory, never in a source.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use skillc_core::layout::RuntimeDir;
use skillc_tests::{MINIMAL, World, database, snapshot_with_logs};

use crate::logging::support::{DISABLED, counts, is_logged_locally, local, outline, primary, rows};

/// C-LOGGING@7.4.
#[test]
fn directories_and_database_are_created_for_an_unbuilt_skill() {
    let world = World::demo(&[]);
    outline(&world);
    outline(&world);
    assert_eq!(counts(&world), (2, 0));
    let below = snapshot_with_logs(&world.cwd.join(".skillc/runtime"));
    let paths: Vec<&str> = below.keys().filter_map(|path| path.to_str()).collect();
    let expected = ["demo", "demo/.skillc-meta", "demo/.skillc-meta/logs.db"];
    assert_eq!(paths, expected);
}

/// C-LOGGING@7.2, C-RESOLUTION@7.4.
#[test]
fn a_skill_outside_the_stores_is_logged_in_the_nearest_store() {
    let world = World::project();
    world.directory("lib/pdf", &[]);
    world.skc(["outline", "lib/pdf"]).success();
    let log = |root: &Path| RuntimeDir(root.join(".skillc/runtime/pdf")).logs();
    assert_eq!(rows(&log(&world.cwd)).len(), 1);

    let world = World::new();
    world.directory("lib/pdf", &[]);
    world.skc(["outline", "lib/pdf"]).success();
    assert_eq!(rows(&log(&world.home)).len(), 1);
    assert!(!world.cwd.join(".skillc").exists());
}

/// D-GLOBAL-LOOKUP: the log is in the runtime directory next to the source, wherever the build is.
#[test]
fn a_skill_built_elsewhere_is_logged_at_its_origin() {
    let world = World::demo(&[]);
    world.skc(["build", "demo", "--global"]).success();
    world.skc(["search", "demo", "hello"]).success();
    assert_eq!(counts(&world), (2, 0));
    let global = RuntimeDir(world.home.join(".skillc/runtime/demo")).logs();
    assert!(!global.exists());
}

/// C-LOGGING@7.5, D-FALLBACK-TRIGGER, F-51.
#[test]
fn an_invalid_log_is_left_unchanged_and_the_local_log_is_used() {
    let world = World::demo(&[]);
    outline(&world);
    let whole = fs::read(primary(&world)).expect("a log");
    let half = whole[..whole.len() / 2].to_vec();
    for bytes in [b"not a database".repeat(400), b"x".to_vec(), half] {
        fs::write(primary(&world), &bytes).expect("a file");
        is_logged_locally(&world);
        assert_eq!(fs::read(primary(&world)).expect("a file"), bytes);
    }
    fs::remove_file(primary(&world)).expect("a file");
    database::change(&primary(&world), "CREATE TABLE bookmarks(url TEXT)");
    let foreign = fs::read(primary(&world)).expect("a file");
    is_logged_locally(&world);
    assert_eq!(fs::read(primary(&world)).expect("a file"), foreign);
}

/// C-LOGGING@7.5, D-FALLBACK-TRIGGER, F-51.
#[test]
fn a_directory_or_file_in_the_way_is_left_and_the_local_log_is_used() {
    let world = World::demo(&[]);
    fs::create_dir_all(primary(&world)).expect("a directory");
    is_logged_locally(&world);
    for place in [".skillc/runtime/demo/.skillc-meta", ".skillc/runtime"] {
        let world = World::demo(&[]);
        let full = world.cwd.join(place);
        fs::create_dir_all(full.parent().expect("a parent")).expect("directories");
        fs::write(&full, "mine").expect("a file");
        is_logged_locally(&world);
        assert_eq!(fs::read(&full).expect("a file"), b"mine");
    }
}

/// C-LOGGING@7.5, D-FALLBACK-TRIGGER, F-51: a log is locked for longer than the timeout.
#[test]
fn waiting_for_a_locked_log_times_out() {
    let world = World::demo(&[]);
    outline(&world);
    let other = Connection::open(primary(&world)).expect("a log");
    other
        .execute_batch("BEGIN EXCLUSIVE")
        .expect("it is unlocked");
    is_logged_locally(&world);
    other
        .execute_batch("COMMIT")
        .expect("the transaction began");
    outline(&world);
    assert_eq!(counts(&world), (2, 1));
}

/// D-PROJECT-ROOT, C-LOGGING@7.5: a local log does not turn a directory into a project.
#[test]
fn a_local_log_does_not_create_a_project() {
    let world = World::new();
    world.global_skill("demo", &[]);
    let place = world.home.join(".skillc/runtime");
    fs::write(&place, "in the way").expect("a file");
    is_logged_locally(&world);
    fs::remove_file(&place).expect("a file");
    world.directory("lib/pdf", &[]);
    world.skc(["outline", "lib/pdf"]).success();
    assert_eq!(rows(&RuntimeDir(place.join("pdf")).logs()).len(), 1);
}

/// C-LOGGING@7.6, D-W002.
#[test]
fn without_a_writable_log_there_is_one_warning() {
    let world = World::demo(&[]);
    let plain = outline(&world);
    for place in [".skillc/runtime", ".skillc/logs"] {
        fs::remove_dir_all(world.cwd.join(place)).unwrap_or_default();
        fs::write(world.cwd.join(place), "in the way").expect("a file");
    }
    let output = outline(&world);
    assert_eq!(output.stderr, format!("{DISABLED}\n"));
    assert_eq!(output.stdout, plain.stdout);
    let failed = world.skc(["open", "demo", "no.md"]);
    assert!(!failed.ok);
    let expected = format!("{DISABLED}\nerror[E021]: file not found: 'no.md'\n");
    assert_eq!(failed.stderr, expected);
}

/// C-LOGGING@7.8: a repository that is a skill has its store inside its source.
#[test]
fn a_project_that_is_itself_a_skill_is_logged_in_the_global_runtime() {
    let world = World::project();
    fs::write(world.cwd.join("SKILL.md"), MINIMAL).expect("a file");
    let before = snapshot_with_logs(&world.cwd);
    let output = world.skc(["outline", "."]).success();
    assert_eq!(output.stderr, "");
    assert_eq!(snapshot_with_logs(&world.cwd), before);
    let log = RuntimeDir(world.home.join(".skillc/runtime/work")).logs();
    assert_eq!(rows(&log).len(), 1);
}

/// C-LOGGING@7.8: tested in directories of a source, while the skill's own log cannot be written.
#[test]
fn no_local_log_is_created_in_a_source() {
    let world = World::demo(&[]);
    fs::write(world.cwd.join(".skillc/runtime"), "in the way").expect("a file");
    for dir in ["", "deep/er"] {
        let inside = world.demo_source().join(dir);
        fs::create_dir_all(&inside).expect("a directory");
        let before = snapshot_with_logs(&world.demo_source());
        let output = world.skc_at(&inside, &["outline", "demo"]).success();
        assert_eq!(output.stderr, format!("{DISABLED}\n"));
        assert_eq!(snapshot_with_logs(&world.demo_source()), before);
    }
}

/// C-LOGGING@7.8: the build is replaced with a symlink to the source of the skill itself or of another skill.
#[cfg(unix)]
#[test]
fn a_runtime_directory_symlinked_to_a_source_is_not_written_to() {
    let world = World::demo(&[]);
    let theirs = world.directory("theirs", &[]);
    fs::create_dir_all(world.cwd.join(".skillc/runtime")).expect("a directory");
    for source in [theirs, world.demo_source()] {
        let place = world.demo_runtime();
        fs::remove_file(&place).unwrap_or_default();
        std::os::unix::fs::symlink(&source, &place).expect("a link");
        let before = snapshot_with_logs(&source);
        assert_eq!(outline(&world).stderr, "");
        assert_eq!(snapshot_with_logs(&source), before);
        let global = RuntimeDir(world.home.join(".skillc/runtime/demo")).logs();
        assert!(global.is_file() && !local(&world).exists());
    }
}

/// C-LOGGING@7.8: skillc's own directory is replaced with a symlink to the source.
#[cfg(unix)]
#[test]
fn a_meta_directory_symlinked_to_the_source_is_not_written_to() {
    let world = World::demo(&[]);
    let meta = primary(&world).parent().expect("a parent").to_path_buf();
    fs::create_dir_all(world.demo_runtime()).expect("a directory");
    std::os::unix::fs::symlink(world.demo_source(), &meta).expect("a link");
    let before = snapshot_with_logs(&world.demo_source());
    assert_eq!(outline(&world).stderr, "");
    assert_eq!(snapshot_with_logs(&world.demo_source()), before);
}

/// C-LOGGING@7.8: the path of a build identifies its source, and the use is logged in the source's log.
#[test]
fn a_build_named_by_its_path_is_logged_as_its_source() {
    let world = World::built(&[]);
    world.skc(["outline", ".skillc/runtime/demo"]).success();
    let paths: Vec<String> = rows(&primary(&world))
        .into_iter()
        .map(|row| row.skill_path)
        .collect();
    let expected = [world.demo_source(), world.demo_source()];
    assert_eq!(paths, expected.map(|path| path.display().to_string()));
}

/// D-COPY-CONTENT, C-OUTPUT.3: a build keeps the log, and a copy for an agent does not contain it.
#[test]
fn a_build_keeps_the_log_and_does_not_deploy_it() {
    let world = World::built(&[]);
    for args in [
        &["build", "demo"][..],
        &["build", "demo", "--force"],
        &["build", "demo", "--copy", "--force"],
    ] {
        let before = counts(&world).0;
        fs::write(world.demo_source().join("more.md"), format!("# {before}\n")).expect("a file");
        world.skc_at(&world.cwd, args).success();
        assert_eq!(counts(&world).0, before + 1);
    }
    let copy = snapshot_with_logs(&world.home.join(".claude/skills/demo"));
    assert!(
        copy.keys().all(|path| !path.ends_with("logs.db")),
        "{copy:?}"
    );
}

/// Tests of file permissions, file systems and disks, which need a separate process.
#[cfg(target_os = "linux")]
mod closed {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;

    use skillc_tests::Output;
    use skillc_tests::unreadable::run_without_privilege;

    use super::*;
    use crate::logging::support::SKC;

    /// Mounts a separate disk for the user's store: first full, then read-only. Prints one line for each command that
    /// uses the skill.
    const DISK: &str = r#"
        mount -t tmpfs -o size=1m none "$SKILLC_HOME" || exit 1
        echo mounted
        mkdir -p "$SKILLC_HOME/.skillc/skills/demo"
        cp "$2" "$SKILLC_HOME/.skillc/skills/demo/SKILL.md"
        "$1" outline demo | tail -n 1
        head -c 9999999 /dev/zero >"$SKILLC_HOME/fill" 2>/dev/null
        "$1" outline demo | tail -n 1
        rm "$SKILLC_HOME/fill"
        "$1" outline demo | tail -n 1
        mount -o remount,ro "$SKILLC_HOME" || exit 1
        "$1" outline demo | tail -n 1
        cp "$SKILLC_HOME/.skillc/runtime/demo/.skillc-meta/logs.db" primary.db
    "#;

    /// Removes write permission from a file or directory and restores it on drop.
    struct ReadOnly(PathBuf);

    impl ReadOnly {
        fn new(path: PathBuf, mode: u32) -> Self {
            fs::set_permissions(&path, Permissions::from_mode(mode)).expect("owned by this test");
            Self(path)
        }
    }

    impl Drop for ReadOnly {
        fn drop(&mut self) {
            fs::set_permissions(&self.0, Permissions::from_mode(0o700))
                .expect("owned by this test");
        }
    }

    fn run(world: &World) -> Option<Output> {
        run_without_privilege(world, SKC, &["outline", "demo"])
    }

    /// C-LOGGING@7.5, D-FALLBACK-TRIGGER.
    #[test]
    fn a_read_only_log_or_directory_falls_back_to_the_local_log() {
        let world = World::demo(&[]);
        outline(&world);
        let meta = primary(&world).parent().expect("a parent").to_path_buf();
        let mut count = 0;
        for (path, mode) in [
            (primary(&world), 0o444),
            (meta.clone(), 0o555),
            (meta, 0o000),
        ] {
            let _closed = ReadOnly::new(path, mode);
            let Some(output) = run(&world) else { return };
            count += 1;
            assert_eq!(output.success().stderr, "");
            assert_eq!(rows(&local(&world)).len(), count);
        }
        assert_eq!(counts(&world), (1, 3));
    }

    /// C-LOGGING@7.5, C-LOGGING@7.4.
    #[test]
    fn an_uncreatable_runtime_store_falls_back_to_the_local_log() {
        let world = World::new();
        world.global_skill("demo", &[]);
        let _closed = ReadOnly::new(world.home.join(".skillc"), 0o555);
        let Some(output) = run(&world) else { return };
        assert_eq!(output.success().stderr, "");
        assert_eq!(rows(&local(&world)).len(), 1);
    }

    /// C-LOGGING@7.6, D-W002.
    #[test]
    fn a_fully_read_only_world_produces_a_warning() {
        let world = World::new();
        world.global_skill("demo", &[]);
        let _home = ReadOnly::new(world.home.join(".skillc"), 0o555);
        let _cwd = ReadOnly::new(world.cwd.clone(), 0o555);
        let Some(output) = run(&world) else { return };
        let output = output.success();
        assert_eq!(output.stderr, format!("{DISABLED}\n"));
        assert_eq!(output.text(), "SKILL.md\n  # Demo\n");
    }

    /// C-LOGGING@7.5, D-FALLBACK-TRIGGER, F-51: cases are a full disk and a read-only file system.
    #[test]
    #[expect(clippy::print_stderr, reason = "a check that is skipped says so")]
    fn full_and_read_only_disks_fall_back_to_the_local_log() {
        let world = World::new();
        let main = world.directory("from", &[]).join("SKILL.md");
        let mut command = world.process("unshare", &["-Urm", "sh", "-c", DISK, "sh", SKC]);
        command
            .arg(main)
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        let output = command.output().map(Output::new);
        let Some(said) = output
            .ok()
            .filter(|output| output.text().starts_with("mounted"))
        else {
            eprintln!("skipped: a separate file system cannot be mounted");
            return;
        };
        let said = said.success();
        assert_eq!(said.text(), format!("mounted\n{}", "  # Demo\n".repeat(4)));
        assert_eq!(said.stderr, "");
        assert_eq!(rows(&world.cwd.join("primary.db")).len(), 2);
        assert_eq!(rows(&local(&world)).len(), 2);
    }
}
