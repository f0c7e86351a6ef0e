//! `--changed-since`: lints only changed skills.

use std::fs;
use std::path::Path;
use std::process::Command;

use skillc_tests::World;

use crate::linting::support::{DEEP, NAMELESS, linted, reports};

/// Runs git in a directory. Prints a message and returns `None` if git is not installed.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn git(dir: &Path, args: &[&str]) -> Option<()> {
    let identity = [
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@localhost",
        "-c",
        "commit.gpgsign=false",
    ];
    let run = Command::new("git")
        .args(identity)
        .args(args)
        .current_dir(dir)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output();
    let Ok(run) = run else {
        eprintln!("skipped: there is no git");
        return None;
    };
    assert!(run.status.success(), "{args:?}: {run:?}");
    Some(())
}

/// Creates a repository with two skills, committed as `base`.
fn repository() -> Option<World> {
    let mut world = World::new();
    #[expect(
        clippy::disallowed_methods,
        reason = "the location of git is not part of the test"
    )]
    let path = std::env::var("PATH").unwrap_or_default();
    world.set("PATH", &path);
    world.directory("deep", &[("SKILL.md", DEEP), ("scripts/run.sh", "true\n")]);
    world.directory("nameless", &[("SKILL.md", NAMELESS)]);
    fs::write(world.cwd.join(".gitignore"), "*.log\n").expect("should be writable");
    git(&world.cwd, &["init", "-q"])?;
    git(&world.cwd, &["add", "."])?;
    git(&world.cwd, &["commit", "-qm", "base"])?;
    git(&world.cwd, &["tag", "base"])?;
    Some(world)
}

const SINCE: [&str; 2] = ["--changed-since", "base"];

#[test]
fn a_skill_is_changed_if_any_file_is_modified_added_or_deleted() {
    let Some(world) = repository() else { return };
    let changed = || linted(&world, &SINCE);
    assert_eq!(changed(), [""; 0]);
    fs::write(world.cwd.join("deep/out.log"), "ignored").expect("should be writable");
    assert_eq!(changed(), [""; 0]);
    fs::remove_file(world.cwd.join("deep/scripts/run.sh")).expect("should be writable");
    assert_eq!(changed(), ["deep"]);
    git(&world.cwd, &["commit", "-qam", "committed counts, too"]);
    assert_eq!(changed(), ["deep"]);
    world.directory("new/er", &[("SKILL.md", DEEP)]);
    assert_eq!(changed(), ["deep", "new/er"]);
    world.directory("nameless", &[("SKILL.md", &format!("{NAMELESS}More.\n"))]);
    git(&world.cwd, &["add", "."]);
    assert_eq!(changed(), ["deep", "nameless", "new/er"]);
    assert_eq!(
        linted(&world, &["nameless", "deep", "--changed-since", "HEAD"]),
        ["nameless"]
    );
}

#[test]
fn no_changes_are_reported_without_failing() {
    let Some(world) = repository() else { return };
    for args in [
        &["lint"][..],
        &["lint", "nameless"],
        &["lint", "-o", "concise"],
    ] {
        let run = world.skc_at(&world.cwd, &[args, &SINCE].concat());
        let said = String::from_utf8_lossy(&run.stdout).into_owned() + run.stderr.as_str();
        assert!(
            run.ok && said == "No skills have changed since base\n",
            "{run:?}"
        );
    }
    let run = world.skc(["lint", "--changed-since", "base", "-o", "json"]);
    assert!(run.ok && reports(&run).is_empty());
}

#[test]
fn non_utf8_names_in_other_directories_are_harmless() {
    let Some(world) = repository() else { return };
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::ffi::OsStrExt;
        let name = std::ffi::OsStr::from_bytes(b"deep/\xff\n.txt");
        fs::write(world.cwd.join(name), "x").expect("should be writable");
        assert_eq!(linted(&world, &SINCE), ["deep"]);
    }
    // The paths are relative to a subdirectory, and one name is a prefix of the other.
    world.directory("deep-er", &[("SKILL.md", DEEP)]);
    let run = world.skc_at(
        &world.cwd.join("nameless"),
        &[
            "lint",
            "../deep-er",
            "../nameless",
            "-o",
            "json",
            "--changed-since",
            "base",
        ],
    );
    assert_eq!(reports(&run).len(), 1);
}

#[test]
fn git_errors_are_e100_with_a_hint() {
    let Some(mut world) = repository() else {
        return;
    };
    let first =
        |run: &skillc_tests::Output| run.stderr.lines().next().unwrap_or_default().to_owned();
    for revision in ["nowhere", "--output=x", "", "base --", "-h"] {
        let run = world.skc_at(
            &world.cwd,
            &["lint", &format!("--changed-since={revision}")],
        );
        let named = if revision.is_empty() {
            "\"\""
        } else {
            revision
        };
        let expected =
            format!("error[E100]: invalid option: 'git does not know the revision {named}'");
        assert_eq!(first(&run), expected);
        assert!(run.stderr.contains("shallow clone"), "{}", run.stderr);
    }
    assert!(!world.cwd.join("x").exists());
    let elsewhere = world.home.clone();
    let run = world.skc_at(&elsewhere, &["lint", "--changed-since", "base"]);
    assert!(
        first(&run).starts_with("error[E100]: invalid option: 'not in a git repository: "),
        "{run:?}"
    );
    world.global_skill("far", &[("SKILL.md", DEEP)]);
    let run = world.skc(["lint", "far", "--changed-since", "base"]);
    assert!(
        first(&run).contains("is not in the current git repository"),
        "{run:?}"
    );
    let empty = world.directory("empty", &[]);
    world.set("PATH", &empty.display().to_string());
    let run = world.skc(["lint", "--changed-since", "base"]);
    assert!(
        first(&run).contains("requires git, which was not found"),
        "{run:?}"
    );
}

/// Git prefers a tag to a branch or a commit with the same name, so a tag could make a change look like none.
#[test]
fn ambiguous_revisions_are_refused() {
    let Some(world) = repository() else { return };
    let id = Command::new("git")
        .args(["rev-parse", "HEAD"])
        .current_dir(&world.cwd)
        .output();
    let id = String::from_utf8(id.expect("git should run").stdout).expect("UTF-8");
    let (id, short) = (id.trim(), id.get(..8).expect("an id"));
    let described = format!("base-1-g{short}");
    git(&world.cwd, &["update-ref", "refs/remotes/origin/one", id]);
    git(&world.cwd, &["branch", "two"]);
    let names: [&str; 4] = ["origin/one", "two", short, &described];
    let since = |revision: &str| world.skc(["lint", "--changed-since", revision]);
    for name in names {
        since(name).success();
        git(&world.cwd, &["tag", name]);
        for revision in [name, &format!("{name}..."), &format!("{name}^0")] {
            let run = since(revision);
            run.code("E100");
            let told = format!("{name} is ambiguous in this repository: ");
            assert!(run.stderr.contains(&told), "{revision}: {}", run.stderr);
        }
    }
    for clear in ["refs/heads/two", "refs/tags/two", id, "HEAD", "base"] {
        since(clear).success();
    }
    // A tag can have the name of a branch that does not exist.
    git(&world.cwd, &["tag", "refs/heads/three"]);
    since("refs/heads/three").code("E100");
}

/// Hostile: a folder of the project is a bare repository, or Git settings name an endless file.
#[cfg(unix)]
#[test]
fn endless_files_in_the_repository_configuration_are_not_read() {
    let Some(world) = repository() else { return };
    for key in ["core.attributesFile", "diff.orderFile"] {
        git(&world.cwd, &["config", key, "/dev/zero"]);
    }
    world
        .skc(["lint", ".", "--changed-since", "HEAD"])
        .success();
    for name in ["commondir", "shallow", "objects/info/alternates"] {
        let link = world.cwd.join(".git").join(name);
        std::os::unix::fs::symlink("/dev/zero", &link).expect("a link");
        let run = world.skc(["lint", ".", "--changed-since", "HEAD"]);
        run.code("E100");
        assert!(run.stderr.contains("is not a regular file"), "{run:?}");
        fs::remove_file(&link).expect("should be removable");
    }
    let inner = world.cwd.join("inner");
    git(&world.cwd, &["init", "-q", "--bare", "inner"]);
    git(&inner, &["config", "core.bare", "false"]);
    git(&inner, &["config", "core.worktree", "."]);
    let run = world.skc_at(&inner, &["lint", ".", "--changed-since", "HEAD"]);
    assert!(!run.ok, "{run:?}");
}

#[cfg(unix)]
#[test]
fn commands_in_the_repository_configuration_are_not_run() {
    let Some(world) = repository() else { return };
    let trap = format!("touch {}", world.cwd.join("trapped").display());
    for key in [
        "core.fsmonitor",
        "diff.external",
        "diff.trap.textconv",
        "core.pager",
        "filter.trap.clean",
        "filter.trap.process",
        "filter.T.rap.clean",
    ] {
        git(&world.cwd, &["config", key, &trap]);
    }
    git(&world.cwd, &["config", "filter.trap.required", "true"]);
    let attributes = "*.md diff=trap filter=trap\n*.sh filter=T.rap\n";
    fs::write(world.cwd.join(".git/info/attributes"), attributes).expect("should be writable");
    // These two files are rewritten with the same content. Because of their new timestamps, git would run the filters.
    world.directory("nameless", &[("SKILL.md", NAMELESS)]);
    fs::write(world.cwd.join("deep/scripts/run.sh"), "true\n").expect("should be writable");
    world.directory("deep", &[("SKILL.md", &format!("{DEEP}More.\n"))]);
    assert_eq!(linted(&world, &SINCE), ["deep"]);
    assert!(!world.cwd.join("trapped").exists());
}

#[test]
fn before_the_first_commit_all_skills_are_changed() {
    let Some(world) = repository() else { return };
    fs::remove_dir_all(world.cwd.join(".git")).expect("should be writable");
    git(&world.cwd, &["init", "-q"]);
    git(&world.cwd, &["add", "deep"]);
    let since_head = ["--changed-since", "HEAD"];
    assert_eq!(linted(&world, &since_head), ["deep", "nameless"]);
    world.skc(["lint", "--changed-since", "main"]).code("E100");
}

#[test]
fn three_dots_select_the_merge_base() {
    let Some(world) = repository() else { return };
    git(&world.cwd, &["checkout", "-qb", "other"]);
    world.directory("deep", &[("SKILL.md", &format!("{DEEP}More.\n"))]);
    git(&world.cwd, &["commit", "-qam", "theirs"]);
    git(&world.cwd, &["checkout", "-qb", "mine", "base"]);
    world.directory("nameless", &[("SKILL.md", &format!("{NAMELESS}More.\n"))]);
    assert_eq!(
        linted(&world, &["--changed-since", "other"]),
        ["deep", "nameless"]
    );
    for range in ["other...", "other...HEAD", "other...@"] {
        assert_eq!(linted(&world, &["--changed-since", range]), ["nameless"]);
    }
    for range in ["base..HEAD", "other...base", "...other", "base.."] {
        let run = world.skc(["lint", "--changed-since", range]);
        run.error(&format!(
            "error[E100]: invalid option: '{range} is a range; --changed-since takes a single revision'"
        ));
        assert!(run.stderr.contains("..."), "{}", run.stderr);
    }
}

#[test]
fn the_json_shape_does_not_depend_on_the_changes() {
    let Some(world) = repository() else { return };
    let json = || {
        let run = world.skc(["lint", "deep", "--changed-since", "base", "-o", "json"]);
        run.json()["skills"].as_array().map(Vec::len)
    };
    assert_eq!(json(), Some(0));
    world.directory("deep", &[("SKILL.md", &format!("{DEEP}More.\n"))]);
    assert_eq!(json(), Some(1));
}

/// R5: scripted rules may report something new about an unchanged skill.
#[test]
fn a_changed_script_selects_all_skills() {
    let Some(world) = repository() else { return };
    let rule = |message: &str| {
        format!(
            "/// Reports all.\nrule(#{{ code: \"TEAM001\", name: \"every\", check_skill: |skill, out| {{ out.skill(\"{message}\") }} }});"
        )
    };
    let folder = world.cwd.join(".skillc/plugins");
    let write = |name: &str, text: &str| {
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(name), text).unwrap();
    };
    write("a.rhai", &rule("old"));
    write("a.test.toml", "");
    git(&world.cwd, &["add", "."]).unwrap();
    git(&world.cwd, &["commit", "-qm", "scripts"]).unwrap();
    git(&world.cwd, &["tag", "scripts"]).unwrap();
    let since = |format: &str| {
        let args = ["lint", ".", "--changed-since", "scripts", "-o", format];
        world.skc_at(&world.cwd, &args)
    };
    let told = "Rule scripts have changed: linting all skills\n";
    let count = || {
        let run = since("json");
        assert_eq!(run.stderr.contains(told), run.text().contains("TEAM001"));
        run.json()["skills"].as_array().unwrap().len()
    };
    assert_eq!(count(), 0);
    // Test cases do not affect linting.
    write("a.test.toml", "# more");
    assert_eq!(count(), 0);
    write("a.rhai", &rule("new"));
    assert_eq!(count(), 2);
    for format in ["text", "concise", "github", "sarif"] {
        assert_eq!(since(format).stderr.matches(told).count(), 1, "{format}");
    }
    write("a.rhai", &rule("old"));
    write(
        "b.rhai",
        &rule("new")
            .replace("TEAM001", "TEAM002")
            .replace("every", "more"),
    );
    assert_eq!(count(), 2);
    fs::remove_file(folder.join("b.rhai")).unwrap();
    assert_eq!(count(), 0);
    fs::remove_dir_all(&folder).unwrap();
    fs::create_dir_all(&folder).unwrap();
    assert_eq!(since("json").json()["skills"].as_array().unwrap().len(), 2);
}

/// Git settings of a cloned repository must not determine which folder is linted and fixed.
#[test]
fn the_repository_cannot_redirect_the_working_tree() {
    let Some(world) = repository() else { return };
    let outside = world.home.join("outside");
    fs::create_dir_all(outside.join("deep")).expect("a directory");
    fs::write(outside.join("deep/SKILL.md"), DEEP).expect("should be writable");
    for tree in [outside.as_path(), world.cwd.parent().expect("a parent")] {
        let tree = tree.to_str().expect("UTF-8");
        git(&world.cwd, &["config", "core.worktree", tree]);
        let output = world.skc(["lint", "--changed-since", "base", "--fix", "--unsafe-fixes"]);
        assert!(
            output
                .stderr
                .contains("which is not this repository's folder"),
            "{}",
            output.stderr
        );
    }
    assert_eq!(
        fs::read_to_string(outside.join("deep/SKILL.md")).expect("a file"),
        DEEP
    );
}

/// A relative entry in `PATH` would resolve inside the project.
#[cfg(unix)]
#[test]
fn git_is_never_run_from_the_project() {
    use std::os::unix::fs::PermissionsExt as _;

    let Some(mut world) = repository() else {
        return;
    };
    let program = world.cwd.join("git");
    fs::write(&program, "#!/bin/sh\ntouch ran\n").expect("should be writable");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a mode");
    #[expect(
        clippy::disallowed_methods,
        reason = "the location of git is not part of the test"
    )]
    let path = std::env::var("PATH").unwrap_or_default();
    for first in ["", ".", "./"] {
        world.set("PATH", &format!("{first}:{path}"));
        assert_eq!(linted(&world, &SINCE), [""; 0]);
        assert!(!world.cwd.join("ran").exists(), "{first}");
    }
}

/// A scan must not miss a file because Git is configured to ignore it or not to compare it.
#[test]
fn a_scan_counts_files_that_git_ignores_or_exempts_from_comparison() {
    let Some(world) = repository() else { return };
    let scanned = || {
        let scan = ["scan", "deep", "nameless", "--since", "base", "-o", "json"];
        let report = world.skc_at(&world.cwd, &scan).json();
        report["skills"].as_array().expect("skills").len()
    };
    assert_eq!(scanned(), 0);
    fs::write(world.cwd.join("deep/out.log"), "ignored").expect("should be writable");
    assert_eq!(scanned(), 1);
    let exempt = ["update-index", "--assume-unchanged", "nameless/SKILL.md"];
    git(&world.cwd, &exempt);
    world.directory("nameless", &[("SKILL.md", &format!("{NAMELESS}More.\n"))]);
    assert_eq!(scanned(), 2);
}

/// Git does not list the files of a nested repository.
#[test]
fn a_scan_counts_skills_in_a_repository_in_the_repository() {
    let Some(world) = repository() else { return };
    let scanned = || {
        let report = world
            .skc_at(&world.cwd, &["scan", ".", "--since", "HEAD", "-o", "json"])
            .json();
        report["skills"].as_array().expect("skills").len()
    };
    let init = |dir: &Path| {
        git(dir, &["init", "-q"])?;
        git(dir, &["add", "."])?;
        git(dir, &["commit", "-qm", "inner"])
    };
    assert_eq!(scanned(), 0);
    // Git ignores this folder.
    world.directory("pack.log/one", &[("SKILL.md", DEEP)]);
    init(&world.cwd.join("pack.log"));
    assert_eq!(scanned(), 1);
    world.directory("part/two", &[("SKILL.md", DEEP)]);
    init(&world.cwd.join("part"));
    git(&world.cwd, &["add", "part"]);
    git(&world.cwd, &["commit", "-qm", "outer"]);
    assert_eq!(scanned(), 2);
    // Even after its `.git` is removed, Git lists no files below this folder.
    fs::remove_dir_all(world.cwd.join("part/.git")).expect("should be removable");
    assert_eq!(scanned(), 2);
}

/// These settings make Git take `RUN.sh` for `run.sh`, and a symlink for a file that contains its target.
#[cfg(target_os = "linux")]
#[test]
fn a_scan_counts_changes_that_settings_hide() {
    for (key, value) in [("core.ignorecase", "true"), ("core.symlinks", "false")] {
        let Some(world) = repository() else { return };
        let link = world.cwd.join("nameless/a.sh");
        std::os::unix::fs::symlink("echo a", &link).expect("a link");
        git(&world.cwd, &["add", "."]);
        git(&world.cwd, &["commit", "-qm", "link"]);
        git(&world.cwd, &["config", key, value]);
        let scanned = || {
            let scan = ["scan", "deep", "nameless", "--since", "HEAD", "-o", "json"];
            let report = world.skc_at(&world.cwd, &scan).json();
            report["skills"].as_array().expect("skills").len()
        };
        assert_eq!(scanned(), 0, "{key}");
        fs::remove_file(&link).expect("should be removable");
        fs::write(&link, "echo a").expect("should be writable");
        fs::write(world.cwd.join("deep/scripts/RUN.sh"), "true\n").expect("should be writable");
        assert_eq!(scanned(), 2, "{key}");
    }
}

/// Git lists nothing below an entry called `.git`, even if it is not a repository.
#[test]
fn a_scan_counts_skills_with_a_git_folder() {
    let Some(world) = repository() else { return };
    let scan = ["scan", "deep", "nameless", "--since", "HEAD", "-o", "json"];
    let scanned = || {
        let report = world.skc_at(&world.cwd, &scan).json();
        report["skills"].as_array().expect("skills").len()
    };
    assert_eq!(scanned(), 0);
    for (folder, expected) in [("deep/scripts/.git", 1), ("nameless/.GIT", 2)] {
        let folder = world.cwd.join(folder);
        fs::create_dir(&folder).expect("should be writable");
        fs::write(folder.join("run.sh"), "true\n").expect("should be writable");
        assert_eq!(scanned(), expected, "{folder:?}");
    }
}

/// If the attribute `ident` is set, Git ignores the text inside `$Id$` when it compares files.
#[test]
fn a_scan_counts_changes_that_attributes_hide() {
    let Some(world) = repository() else { return };
    fs::write(world.cwd.join(".gitattributes"), "* ident\n").expect("should be writable");
    let text = |id: &str| format!("{NAMELESS}$Id{id}$\n");
    world.directory("nameless", &[("SKILL.md", &text(""))]);
    git(&world.cwd, &["add", "."]);
    git(&world.cwd, &["commit", "-qm", "ident"]);
    world.directory("nameless", &[("SKILL.md", &text(": more "))]);
    let scan = ["scan", ".", "--since", "HEAD", "-o", "json"];
    let report = world.skc_at(&world.cwd, &scan).json();
    let skills = report["skills"].as_array().expect("skills");
    // Older versions of Git always use attributes.
    let version = Command::new("git").arg("--version").output();
    let version = version.expect("git should run").stdout;
    let version = String::from_utf8_lossy(&version).into_owned();
    let minor = version.split('.').nth(1).and_then(|part| part.parse().ok());
    if version.starts_with("git version 2.") && minor.is_some_and(|minor: u32| minor >= 41) {
        assert_eq!(skills.len(), 1);
    }
}

/// For Git, an archive is a single file, and it may be ignored.
#[test]
fn a_scan_counts_the_skills_of_a_changed_archive() {
    let Some(world) = repository() else { return };
    let mut tar = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(DEEP.len() as u64);
    tar.append_data(&mut header, "a/SKILL.md", DEEP.as_bytes())
        .expect("an entry");
    let bytes = tar.into_inner().expect("a tar file");
    fs::write(world.cwd.join("ignored.log"), bytes).expect("should be writable");
    let scanned = |since: &str| {
        let scan = [
            "scan",
            "ignored.log",
            "deep",
            "--since",
            since,
            "-o",
            "json",
        ];
        let report = world.skc_at(&world.cwd, &scan).json();
        report["skills"].as_array().expect("skills").len()
    };
    assert_eq!(scanned("base"), 1);
    git(&world.cwd, &["add", "-f", "ignored.log"]);
    git(&world.cwd, &["commit", "-qm", "archive"]);
    assert_eq!((scanned("base"), scanned("HEAD")), (1, 0));
}
