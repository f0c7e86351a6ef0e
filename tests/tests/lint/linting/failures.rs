//! Malformed skills, and the exit status of a run.

use std::fs;

use skillc_ops::lint::LintResponse;
use skillc_render::Render;
use skillc_tests::{MINIMAL, World};

use crate::linting::support::{DEEP, NAMELESS, findings, linted, reports};

/// The path of the program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_skc-under-test");

/// G-VALIDATE.1, C-DIAGNOSTICS.2, F-39: the findings are the only output.
#[test]
fn errors_fail_the_run_and_warnings_do_not() {
    let world = World::project();
    world.project_skill("clean", &[]);
    world.project_skill("deep", &[("SKILL.md", DEEP)]);
    world.project_skill("nameless", &[("SKILL.md", NAMELESS)]);
    for (args, status, errors) in [
        (&["clean"][..], 0, 0),
        (&["deep"], 0, 0),
        (&["nameless"], 1, 1),
        (&["deep", "clean"], 0, 0),
        (&["clean", "nameless", "deep"], 1, 1),
        (&[], 1, 1),
    ] {
        for format in LintResponse::FORMATS {
            let format = format.name();
            let args = [&["lint", "--format", format], args].concat();
            let output = world
                .process(PROGRAM, &args)
                .output()
                .expect("the program runs");
            assert_eq!(output.status.code(), Some(status), "{args:?}");
            let stderr = String::from_utf8(output.stderr).expect("text");
            let added = stderr.lines().filter(|line| line.starts_with("error"));
            let shown = if format == "text" { errors } else { 0 };
            assert_eq!(added.count(), shown, "{args:?}: {stderr}");
        }
    }
}

/// C-SCOPE@8.3, F-39: E010 also applies to directories in a project's store. The run reports no findings.
#[test]
fn a_directory_without_skill_md_is_e010() {
    let world = World::project();
    let dir = world.cwd.join(".skillc/skills/hollow");
    fs::create_dir_all(dir.join("SKILL.md")).unwrap();
    for (asked, path) in [
        ("hollow", dir.to_str().unwrap()),
        (".skillc/skills/hollow", ".skillc/skills/hollow"),
    ] {
        let line = format!("error[E010]: not a valid skill: '{path}' (missing SKILL.md)");
        world.skc(["lint", asked]).error(&line);
        world.skc(["lint", asked, "-o", "json"]).error(&line);
    }
    fs::remove_dir(dir.join("SKILL.md")).unwrap();
    world.skc(["lint", "hollow"]).code("E010");
    // F-39: the error for a missing file has no absolute path.
    let line = "error[E001]: skill './nowhere' not found";
    world.skc(["lint", "./nowhere"]).error(line);
}

/// C-SCOPE@8.3: faulty frontmatter is a finding.
#[test]
fn an_empty_skill_md_is_linted() {
    for text in ["", "\n", "\u{feff}", "# No frontmatter\n"] {
        let world = World::demo(&[("SKILL.md", text)]);
        let run = world.skc(["lint", "demo", "--select", "SKL1"]);
        assert!(!run.ok, "{run:?}");
        assert!(run.stderr.starts_with("error[E300]: SKL100 "), "{run:?}");
        assert_eq!(run.text(), "demo: 1 error, 0 warnings\n");
    }
}

/// C-SCOPE@8.1: a file such as `skill.md`, which a case-insensitive system opens as `SKILL.md`, is linted, and its name
/// is reported.
#[test]
fn a_main_file_in_another_case_is_linted_and_reported() {
    for name in ["skill.md", "Skill.md", "SKILL.MD"] {
        let world = World::project();
        let dir = world.project_skill("deep", &[("SKILL.md", DEEP)]);
        fs::rename(dir.join("SKILL.md"), dir.join(name)).unwrap();
        for args in [&["deep"][..], &[".skillc/skills/deep"], &["."], &[]] {
            let args = [&["lint", "-o", "json"], args].concat();
            let run = world.skc_at(&world.cwd, &args).success();
            let found = findings(&reports(&run)[0]);
            for rule in ["SKL205", "CFG001"] {
                let line = format!("{rule} {name}");
                assert!(found.contains(&line), "no {line} in {found:?}");
            }
        }
    }
}

/// D-LINT-ALL: an unreadable skill does not keep others from being linted.
#[test]
fn a_faulty_skill_does_not_affect_others() {
    let world = World::project();
    world.project_skill("deep", &[("SKILL.md", DEEP)]);
    let dir = world.project_skill("odd", &[("a.md", "# A\n")]);
    fs::remove_file(dir.join("SKILL.md")).unwrap();
    fs::create_dir(dir.join("SKILL.md")).unwrap();
    let failure = "error[E010]: not a valid skill: '.skillc/skills/odd' (missing SKILL.md)";
    for args in [&[][..], &["."]] {
        let args = [&["lint", "-o", "json", "--select", "SKL205"], args].concat();
        let run = world.skc_at(&world.cwd, &args);
        assert!(!run.ok, "{run:?}");
        let reports = reports(&run);
        assert_eq!(findings(&reports[0]), ["SKL205 SKILL.md"]);
        assert_eq!(reports[0]["failure"], serde_json::Value::Null);
        assert_eq!(reports[1]["failure"], failure);
        assert_eq!(run.json()["error_count"], 1);
    }
    let run = world.skc(["lint"]);
    assert!(!run.ok, "{run:?}");
    assert!(run.stderr.lines().any(|line| line == failure), "{run:?}");
    assert!(run.text().contains(", 1 unreadable"), "{run:?}");
}

/// F-39, C-CODES.5: exceeding the depth limit is reported.
#[test]
fn too_deeply_nested_directories_are_an_error() {
    let world = World::new();
    let mut dir = world.cwd.join("deep");
    (0..140).for_each(|_| dir.push("d"));
    fs::create_dir_all(&dir).unwrap();
    let line = format!(
        "error[E999]: reading '{}/deep': directories nested more than 128 deep",
        world.cwd.display()
    );
    world.skc(["lint", "deep"]).error(&line);
    world
        .skc(["lint", "d*"])
        .error("error[E001]: skill 'd*' not found");
}

#[test]
fn ten_thousand_files_are_linted() {
    let world = World::project();
    let dir = world.project_skill("big", &[]);
    for n in 0..100 {
        fs::create_dir(dir.join(format!("d{n}"))).unwrap();
    }
    for n in 0..10_000 {
        let text = format!("# File {n}\n\n### Low\n");
        fs::write(dir.join(format!("d{}/f{n}.md", n % 100)), text).unwrap();
    }
    for asked in ["big", "."] {
        let run = world.skc(["lint", asked, "--select", "SKL205", "-o", "json"]);
        assert_eq!(reports(&run.success())[0]["warning_count"], 10_000);
    }
}

/// D-LINT-ALL: the number of skills is not limited.
#[test]
fn two_thousand_skills_are_linted_in_order() {
    let world = World::new();
    let names: Vec<String> = (0..2000).map(|n| format!("s{n:04}")).collect();
    for name in &names {
        fs::create_dir(world.cwd.join(name)).unwrap();
        fs::write(world.cwd.join(name).join("SKILL.md"), MINIMAL).unwrap();
    }
    assert_eq!(linted(&world, &["."]), names);
    assert_eq!(linted(&world, &["s*"]), names);
}

#[cfg(unix)]
mod links {
    use std::os::unix::fs::symlink;

    use super::*;

    /// D-SYMLINKED-SKILL, D-SYMLINK.
    #[test]
    fn a_symlinked_skill_is_linted_under_the_link_name() {
        let world = World::project();
        world.directory("dev/real", &[("SKILL.md", DEEP)]);
        symlink("../../dev/real", world.cwd.join(".skillc/skills/linked")).unwrap();
        symlink("dev/real", world.cwd.join("plain")).unwrap();
        for (args, place) in [
            (&["linked"][..], ".skillc/skills/linked"),
            (&[], ".skillc/skills/linked"),
            (&["plain"], "plain"),
            (&["plain/SKILL.md"], "plain"),
            (&["."], "dev/real"),
            (&["linked", "."], ".skillc/skills/linked"),
        ] {
            assert_eq!(linted(&world, args), [place], "{args:?}");
        }
        let run = world.skc(["lint", "linked", "--select", "SKL205", "-o", "json"]);
        assert_eq!(findings(&reports(&run)[0]), ["SKL205 SKILL.md"]);
    }

    /// D-SYMLINK, R20.
    #[test]
    fn cyclic_and_dangling_symlinks_are_skipped() {
        let world = World::project();
        let dir = world.directory("pack/a", &[("docs/b.md", "# B\n")]);
        for (target, link) in [
            ("..", dir.join("up")),
            (".", dir.join("self")),
            ("../..", dir.join("docs/top")),
            ("loop", dir.join("loop")),
            ("gone", dir.join("gone.md")),
            ("../pack", world.cwd.join("pack/again")),
            ("loop", world.cwd.join("pack/loop")),
            ("gone", world.cwd.join("pack/gone")),
            ("loop", world.cwd.join(".skillc/skills/loop")),
        ] {
            symlink(target, link).unwrap();
        }
        assert_eq!(linted(&world, &["."]), ["pack/a"]);
        assert_eq!(linted(&world, &["pack/a"]), ["pack/a"]);
        world.skc(["lint"]).code("E068");
        world.skc(["lint", "loop"]).code("E001");
    }

    /// D-SYMLINK, C-SCOPE@8.3.
    #[test]
    fn a_skill_md_symlink_out_of_the_skill_is_e012_and_never_read() {
        let world = World::project();
        fs::write(world.cwd.join("secret.md"), NAMELESS).unwrap();
        let dir = world.project_skill("out", &[("a.md", "# A\n")]);
        fs::remove_file(dir.join("SKILL.md")).unwrap();
        symlink("../../../secret.md", dir.join("SKILL.md")).unwrap();
        for asked in ["out", ".skillc/skills/out/SKILL.md"] {
            let line = "error[E012]: path escapes skill root: 'SKILL.md'";
            world.skc(["lint", asked]).error(line);
        }
        world.project_skill("demo", &[]);
        let run = world.skc(["lint", "-o", "json"]);
        assert!(!run.ok, "{run:?}");
        let failure = "error[E012]: path escapes skill root: '.skillc/skills/out/SKILL.md'";
        assert_eq!(reports(&run)[1]["failure"], failure);
        assert!(!run.text().contains("SKL101"), "{run:?}");
    }

    /// F-05, D-SYMLINK: files outside the skill have no effect.
    #[test]
    fn lint_reads_nothing_through_a_symlink_out_of_the_skill() {
        let text = format!("{MINIMAL}\n[out](out.md#secret) [dir](dir/in.md#secret)\n");
        let world = World::demo(&[("SKILL.md", &text)]);
        let dir = world.demo_source();
        let outside = world.cwd.join("outside");
        fs::create_dir(&outside).unwrap();
        symlink(outside.join("in.md"), dir.join("out.md")).unwrap();
        symlink(&outside, dir.join("dir")).unwrap();
        let lint = || {
            let run = world.skc(["lint", "demo", "--select", "ALL", "-o", "json"]);
            String::from_utf8(run.stdout).expect("text")
        };
        fs::write(outside.join("in.md"), "# Secret\n").unwrap();
        let with = lint();
        fs::write(outside.join("in.md"), "### Other\n\n[x](gone.md)\n").unwrap();
        assert_eq!(lint(), with);
        assert!(!with.contains("gone.md"), "{with}");
    }
}

#[cfg(unix)]
mod pipes {
    use std::process::{Command, Stdio};
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Duration;

    use skillc_tests::Output;

    use super::*;

    /// Runs the real program; fails if it blocks on a pipe.
    #[track_caller]
    fn run(world: &World, args: &[&str]) -> Output {
        let mut command = world.process(PROGRAM, args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().expect("the program starts");
        let (sender, receiver) = channel();
        thread::spawn(move || sender.send(child.wait_with_output()));
        let ended = receiver.recv_timeout(Duration::from_secs(60));
        Output::new(ended.expect("the process exits").expect("an output"))
    }

    fn make_pipe(path: &std::path::Path) {
        let status = Command::new("mkfifo").arg(path).status();
        assert!(status.is_ok_and(|status| status.success()), "mkfifo");
    }

    /// C-SCOPE@8.3.
    #[test]
    fn a_pipe_in_place_of_a_file_does_not_block() {
        let world = World::project();
        for main in ["SKILL.md", "skill.md"] {
            let dir = world.project_skill(&format!("odd-{main}"), &[("a.md", "# A\n")]);
            fs::remove_file(dir.join("SKILL.md")).unwrap();
            make_pipe(&dir.join(main));
            for asked in [dir.file_name(), dir.to_str().map(AsRef::as_ref)] {
                let asked = asked.and_then(|asked| asked.to_str()).unwrap();
                run(&world, &["lint", asked]).code("E010");
            }
            run(&world, &["lint", dir.join(main).to_str().unwrap()]).code("E010");
        }
        let dir = world.project_skill("demo", &[("a.md", "# A\n")]);
        make_pipe(&dir.join("pipe.md"));
        fs::create_dir(dir.join(".skillc-meta")).unwrap();
        make_pipe(&dir.join(".skillc-meta/manifest.json"));
        assert!(run(&world, &["lint", "demo"]).ok);
        for args in [&["lint"][..], &["lint", "."]] {
            let all = run(&world, args);
            assert!(!all.ok, "{all:?}");
            assert!(
                all.text().contains("2 skills: ") && all.text().contains("1 unreadable"),
                "{all:?}"
            );
        }
    }
}

/// These tests need a process that is subject to file permissions (not root).
#[cfg(target_os = "linux")]
mod file_permissions {
    use skillc_tests::Output;
    use skillc_tests::unreadable::{Unreadable, run_without_privilege};

    use super::*;

    fn skc(world: &World, args: &[&str]) -> Option<Output> {
        run_without_privilege(world, PROGRAM, args)
    }

    /// D-LINT-ALL, C-CODES.5.
    #[test]
    fn an_unreadable_file_fails_only_its_skill() {
        let world = World::demo(&[("a.md", "# A\n")]);
        world.project_skill("deep", &[("SKILL.md", DEEP)]);
        let file = world.demo_source().join("a.md");
        let _closed = Unreadable::new(file.clone());
        let line = format!(
            "error[E999]: reading '{}': permission denied",
            file.display()
        );
        let Some(single) = skc(&world, &["lint", "demo"]) else {
            return;
        };
        single.error(&line);
        let run = skc(&world, &["lint", "--select", "SKL205", "-o", "json"]).unwrap();
        assert!(!run.ok, "{run:?}");
        let reports = reports(&run);
        assert_eq!(findings(&reports[0]), ["SKL205 SKILL.md"]);
        assert_eq!(reports[1]["failure"], line);
    }

    /// D-LINT-ALL.
    #[test]
    fn an_unreadable_directory_is_reported_and_the_others_are_linted() {
        let world = World::new();
        world.directory("a", &[]);
        world.directory("shut/b", &[]);
        let shut = world.cwd.join("shut");
        let _closed = Unreadable::new(shut.clone());
        let Some(run) = skc(&world, &["lint", ".", "--select", "SKL205"]) else {
            return;
        };
        let run = run.success();
        let line = format!(
            "warning[W021]: skipped '{}': permission denied\n",
            shut.display()
        );
        assert_eq!(run.stderr, line);
        assert!(run.text().starts_with("1 skill: 0 errors, "), "{run:?}");
        let line = format!(
            "error[E999]: reading '{}': permission denied",
            shut.display()
        );
        skc(&world, &["lint", "shut"]).unwrap().error(&line);
    }
}

/// A file that is not UTF-8 causes one finding about its encoding, but no findings about missing headings and fields.
#[test]
fn a_non_utf8_file_is_reported_and_shown_without_garbage() {
    let world = World::new();
    let utf16: Vec<u8> = MINIMAL.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let latin1 = MINIMAL
        .replace("Hello", "Caf\u{1}")
        .replace('\u{1}', "\u{e9}");
    let latin1: Vec<u8> = latin1
        .chars()
        .map(|c| u8::try_from(u32::from(c)).unwrap())
        .collect();
    let cases: [(&str, &[u8], &str); 3] = [
        ("wide", &utf16, "'SKILL.md' is UTF-16, not UTF-8"),
        (
            "binary",
            b"\x7fELF\x02\x01\x01\0\xff\xfe",
            "'SKILL.md' is not a text file",
        ),
        (
            "latin",
            &latin1,
            "'SKILL.md' is not UTF-8: byte 0xE9 at offset ",
        ),
    ];
    for (name, bytes, said) in cases {
        let dir = world.cwd.join(name);
        fs::create_dir(&dir).expect("a folder");
        fs::write(dir.join("SKILL.md"), bytes).expect("a file");
        let run = world.skc(["lint", name]);
        assert!(!run.ok, "{run:?}");
        assert!(
            run.stderr
                .contains(&format!("AGS111 skill-file-utf8: {said}")),
            "{}",
            run.stderr
        );
        let is_text = name == "latin";
        assert_eq!(run.stderr.contains(" | "), is_text, "{}", run.stderr);
        assert!(!run.stderr.contains("SKL202"), "{}", run.stderr);
        assert_eq!(run.stderr.contains("SKL100"), !is_text, "{}", run.stderr);
        // The file is not fixed, because writing it would lose the invalid bytes.
        world.skc(["lint", name, "--fix", "--unsafe-fixes"]);
        assert_eq!(fs::read(dir.join("SKILL.md")).expect("a file"), bytes);
    }
}
