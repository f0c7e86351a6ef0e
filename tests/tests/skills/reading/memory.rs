//! Peak memory for hostile files, as a multiple of their size.

use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use skillc_tests::{MINIMAL, World};

const SKC: &str = env!("CARGO_BIN_EXE_skc-under-test");

const FILE_BYTES: usize = 3 << 20;

/// Maximum memory per byte of a file.
const FACTOR: u64 = 30;

/// The memory that a run may use in addition: for the program, its threads, and a one-mebibyte file of nothing but
/// markup.
const BASE_BYTES: u64 = 96 << 20;

const COMMANDS: &[&[&str]] = &[
    &["lint", "demo", "--quiet"],
    &["outline", "demo"],
    &["build", "demo"],
    &["search", "demo", "demo"],
    &["open", "demo", "r.md", "--max-lines", "1"],
    &["show", "demo", "--section", "Demo"],
];

/// These files need the most memory per byte: some for the parser, others for links, findings, headings and mentions.
#[test]
fn memory_is_bounded_by_a_multiple_of_the_size_of_a_file() {
    let numbered = |count: usize| {
        let links: Vec<String> = (0..count).map(|n| format!("[a](m{n}.md)\n")).collect();
        links.concat()
    };
    let cases: [(&str, String); 9] = [
        ("links to a file", "[a](r.md#x)\n".repeat(FILE_BYTES / 12)),
        ("images in nothing", "![[]()".repeat(FILE_BYTES / 6)),
        ("links to nothing", numbered(FILE_BYTES / 16)),
        ("short links", "[](a)".repeat(FILE_BYTES / 5)),
        ("stars", "*_".repeat(FILE_BYTES / 2)),
        ("lines", "a\n".repeat(FILE_BYTES / 2)),
        ("headings", "# a\n".repeat(FILE_BYTES / 4)),
        (
            "table",
            format!("|a|b|\n|-|-|\n{}", "|1|2|\n".repeat(FILE_BYTES / 6)),
        ),
        ("mentions", "r.md ".repeat(FILE_BYTES / 5)),
    ];
    for (number, (name, hostile)) in cases.iter().enumerate() {
        let text = format!("{MINIMAL}\nSee r.md.\n");
        let world = World::demo(&[("SKILL.md", &text), ("r.md", hostile)]);
        let most = BASE_BYTES + FACTOR * hostile.len() as u64;
        // The first two cases test the parser, which all commands use. For the other cases, `lint` needs the most
        // memory.
        let commands = if number < 2 { COMMANDS } else { &COMMANDS[..1] };
        for command in commands {
            let peak = peak_bytes(&world, command);
            assert!(
                peak <= most,
                "{name}: {command:?} takes {} MiB, {} at most",
                peak >> 20,
                most >> 20
            );
        }
    }
}

/// Each folder with a `.skilllint.toml` has its own linter. An earlier version copied all patterns of the configuration
/// files in parent folders into each linter.
#[test]
fn linters_of_many_folders_share_the_configuration_above_them() {
    let world = World::project();
    let write = |path: &str, text: &str| {
        let path = world.cwd.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, text).expect("a file");
    };
    let paths = ["\"a\""; 97].join(",");
    let one = format!("[[overrides]]\npaths=[{paths}]\nrules={{ALL=\"error\"}}\n");
    write(".skilllint.toml", &one.repeat(5));
    for at in 0..100 {
        write(&format!("d/{at}/demo/SKILL.md"), MINIMAL);
        write(&format!("d/{at}/.skilllint.toml"), "preset = \"strict\"\n");
    }
    let peak = peak_bytes(&world, &["lint", "d", "--quiet"]);
    assert!(peak < 200 << 20, "{} MiB", peak >> 20);
    write("d/7/.skilllint.toml", &one);
    let refused = world.skc_at(&world.cwd, &["lint", "d/7"]);
    assert!(
        refused.stderr.contains("more than 500 paths in overrides"),
        "{refused:?}"
    );
    // The same limit applies to the project's own settings.
    let section = one.replace("[[overrides]]", "[[lint.overrides]]");
    write(".skillc/config.toml", &section.repeat(6));
    let refused = world.skc_at(&world.cwd, &["lint", "d/8"]);
    assert!(
        refused.stderr.contains("more than 500 paths in overrides"),
        "{refused:?}"
    );
}

/// Runs a command to completion; returns the high-water mark of its resident memory.
fn peak_bytes(world: &World, args: &[&str]) -> u64 {
    let mut command = world.process(SKC, args);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the program starts");
    let status_file = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        // After the process has exited, the file no longer has this line: keep the last value.
        let status = fs::read_to_string(&status_file).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
        let kibibytes: Option<u64> = kibibytes.and_then(|number| number.parse().ok());
        peak = kibibytes.map_or(peak, |kibibytes| kibibytes << 10);
        if let Some(ended) = child.try_wait().expect("it is our child") {
            assert!(
                ended.code().is_some_and(|code| code < 2),
                "{args:?}: {ended}"
            );
            return peak;
        }
        thread::sleep(Duration::from_millis(2));
    }
}
