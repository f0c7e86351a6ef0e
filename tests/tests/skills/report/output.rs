//! The destination of the page.

use std::fs;

use skillc_tests::Output;

use crate::report::sample::{page, used};

#[test]
fn without_a_file_the_page_goes_to_standard_output() {
    let page = page(&used(), &[]);
    assert!(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
    assert!(page.ends_with("</html>\n"));
}

#[test]
fn the_path_of_a_new_file_is_normalized() {
    let world = used();
    let args = ["stats", "demo", "--format", "html", "--output"];
    let path = "../new-report.html";
    let out = world.skc_at(&world.cwd, &[&args[..], &[path]].concat());
    let parent = world.cwd.canonicalize().expect("a folder");
    let file = parent.parent().expect("a parent").join("new-report.html");
    assert_eq!(out.success().text(), format!("Wrote {}\n", file.display()));
}

#[test]
fn a_file_gets_the_same_page_and_is_reported() {
    let world = used();
    fs::create_dir(world.cwd.join("out")).expect("a folder");
    let out = world
        .skc([
            "stats",
            "demo",
            "--format",
            "html",
            "--output",
            "out/report.html",
        ])
        .success();
    let file = world.cwd.join("out/report.html");
    assert_eq!(out.text(), format!("Wrote {}\n", file.display()));
    assert_eq!(out.stderr, "");
    let written = fs::read_to_string(&file).expect("the page");
    let root = world.cwd.parent().expect("a root").to_str().expect("UTF-8");
    let other = used();
    let other_root = other.cwd.parent().expect("a root").to_str().expect("UTF-8");
    assert_eq!(
        written.replace(root, ""),
        page(&other, &[]).replace(other_root, "")
    );
    let left: Vec<_> = fs::read_dir(world.cwd.join("out"))
        .expect("a folder")
        .collect();
    assert_eq!(left.len(), 1, "no temporary file is left");
}

#[test]
fn an_existing_file_is_replaced() {
    let world = used();
    let file = world.cwd.join("report.html");
    fs::write(&file, "old".repeat(1_000_000)).expect("a file");
    let save = || world.skc(["stats", "demo", "-o", "html", "--output", "report.html"]);
    save().success();
    let written = fs::read_to_string(&file).expect("the page");
    assert!(written.starts_with("<!DOCTYPE html>") && written.ends_with("</html>\n"));
}

#[test]
fn write_errors_name_the_file_and_leave_nothing_behind() {
    let world = used();
    let to = |path: &str| -> Output {
        world.skc_at(
            &world.cwd,
            &["stats", "demo", "-o", "html", "--output", path],
        )
    };
    let missing = world.cwd.join("none/report.html");
    to("none/report.html").error(&format!(
        "error[E999]: writing '{}': no such file or directory",
        missing.display()
    ));
    fs::create_dir(world.cwd.join("folder")).expect("a folder");
    to("folder").code("E999");
    assert_eq!(
        fs::read_dir(world.cwd.join("folder")).expect("it").count(),
        0
    );
    to("").code("E100");
}

#[test]
fn other_formats_cannot_be_written_to_a_file() {
    let world = used();
    for format in ["text", "json"] {
        let out = world.skc(["stats", "demo", "-o", format, "--output", "report.html"]);
        out.error("error[E100]: invalid option: '--output requires --format html'");
        assert!(out.stderr.contains("--format html"), "{out:?}");
    }
    assert!(!world.cwd.join("report.html").exists());
}

#[cfg(unix)]
#[test]
fn symlinks_and_permissions_of_a_file_are_preserved() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let world = used();
    let (file, link) = (world.cwd.join("real.html"), world.cwd.join("link.html"));
    fs::write(&file, "old").expect("a file");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("its owner");
    symlink("real.html", &link).expect("a link");
    let out = world.skc(["stats", "demo", "-o", "html", "--output", "link.html"]);
    assert_eq!(out.success().text(), format!("Wrote {}\n", file.display()));
    assert!(link.symlink_metadata().expect("exists").is_symlink());
    let found = file.metadata().expect("exists");
    assert_eq!(found.permissions().mode() & 0o777, 0o640);
    assert!(found.len() > 5_000);
}

/// Hostile: a symlink in a cloned repository leads to one of the user's files.
#[cfg(unix)]
#[test]
fn symlinks_out_of_the_directory_are_not_followed() {
    use std::os::unix::fs::symlink;

    let world = used();
    let file = world.home.join("profile");
    fs::write(&file, "old").expect("a file");
    symlink(&file, world.cwd.join("report.html")).expect("a link");
    symlink(&world.home, world.cwd.join("out")).expect("a link");
    for path in ["report.html", "out/profile", "out/new"] {
        let out = world.skc(["stats", "demo", "-o", "html", "--output", path]);
        assert!(
            !out.ok
                && out
                    .stderr
                    .contains("is a symlink that leads out of its directory"),
            "{out:?}"
        );
    }
    // The symlink may be anywhere in a repository: above or below the working directory, or given as an absolute path.
    let repository = world.cwd.join("clone");
    fs::create_dir_all(repository.join("sub")).expect("directories");
    fs::write(world.cwd.join("mine"), "old").expect("a file");
    symlink("../mine", repository.join("report.html")).expect("a link");
    let whole = repository.join("report.html");
    let sub = repository.join("sub");
    for (at, path) in [
        (&world.cwd, "clone/report.html"),
        (&world.cwd, "clone/sub/../report.html"),
        (&sub, "../report.html"),
        (&sub, whole.to_str().expect("UTF-8")),
    ] {
        let demo = world.demo_source();
        let demo = demo.to_str().expect("UTF-8");
        let out = world.skc_at(at, &["stats", demo, "-o", "html", "--output", path]);
        assert!(
            !out.ok
                && out
                    .stderr
                    .contains("is a symlink that leads out of its directory"),
            "{path}: {out:?}"
        );
    }
    assert_eq!(fs::read(world.cwd.join("mine")).expect("exists"), b"old");
    assert_eq!(fs::read(&file).expect("exists"), b"old");
    assert!(!world.home.join("new").exists());
    // If the user names the target of the symlink itself, the target is written.
    let path = file.to_str().expect("UTF-8");
    world
        .skc(["stats", "demo", "-o", "html", "--output", path])
        .success();
    assert_ne!(fs::read(&file).expect("exists"), b"old");
}

/// Special files are not replaced.
#[cfg(unix)]
#[test]
fn a_pipe_is_written_to() {
    use std::os::unix::fs::FileTypeExt;
    use std::process::Command;
    use std::thread;

    let world = used();
    let pipe = world.cwd.join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo").success());
    let from = pipe.clone();
    let reader = thread::spawn(move || fs::read_to_string(from).expect("text"));
    let out = world.skc(["stats", "demo", "-o", "html", "--output", "pipe"]);
    assert_eq!(out.success().text(), format!("Wrote {}\n", pipe.display()));
    let kind = pipe.metadata().expect("exists").file_type();
    assert!(kind.is_fifo());
    assert!(reader.join().expect("no panic").ends_with("</html>\n"));
}
