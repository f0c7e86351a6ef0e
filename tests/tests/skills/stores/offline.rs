//! No command uses the network.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use skillc_tests::World;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The packages that every command uses; the adapters depend on them.
const LAYERS: [&str; 7] = [
    "skillc-core",
    "skillc-storage",
    "skillc-ops",
    "skillc-render",
    "skillc-rules",
    "skillc-formats",
    "skillc-plugins",
];

/// Networking packages and their building blocks.
const NETWORK: [&str; 16] = [
    "async-std",
    "curl",
    "h2",
    "http",
    "hyper",
    "isahc",
    "mio",
    "native-tls",
    "openssl",
    "openssl-sys",
    "quinn",
    "reqwest",
    "rustls",
    "socket2",
    "tokio",
    "ureq",
];

/// C-COMPAT-OFFLINE.1, C-COMPAT-OFFLINE.2.
#[test]
fn no_command_depends_on_a_network_package() {
    let text = fs::read_to_string(Path::new(ROOT).join("Cargo.lock")).unwrap();
    let lock: toml::Table = text.parse().unwrap();
    let packages = lock["package"].as_array().unwrap();
    let (mut queue, mut seen) = (LAYERS.map(str::to_owned).to_vec(), BTreeSet::new());
    while let Some(name) = queue.pop() {
        if !seen.insert(name.clone()) {
            continue;
        }
        let named = |package: &&toml::Value| package["name"].as_str() == Some(&name);
        let before = queue.len();
        for package in packages.iter().filter(named) {
            let dependencies = package.get("dependencies").and_then(toml::Value::as_array);
            let words = dependencies
                .into_iter()
                .flatten()
                .filter_map(toml::Value::as_str);
            queue.extend(words.map(|word| word.split(' ').next().unwrap_or_default().to_owned()));
        }
        assert!(
            queue.len() > before || !LAYERS.contains(&name.as_str()),
            "{name} is in the lock file"
        );
    }
    let found: Vec<&str> = NETWORK
        .into_iter()
        .filter(|name| seen.contains(*name))
        .collect();
    assert_eq!(found, [""; 0]);
}

/// C-COMPAT-OFFLINE.1.
#[test]
fn the_source_of_commands_uses_no_sockets() {
    let words = [
        "std::net",
        "TcpStream",
        "UdpSocket",
        "unix::net",
        "ToSocketAddrs",
    ];
    let mut files = Vec::new();
    for dir in [
        "skillc/core",
        "skillc/storage",
        "skillc/ops",
        "skillc/render",
        "rules",
        "formats",
        "plugins",
    ] {
        sources(&Path::new(ROOT).join(dir), &mut files);
    }
    assert!(files.len() > 50, "the sources exist");
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let product = text.split("#[cfg(test)]").next().unwrap_or_default();
        let found = words.iter().find(|word| product.contains(*word));
        assert_eq!(found, None, "{}", file.display());
    }
}

fn sources(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in dir.read_dir().expect("a directory").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[cfg(target_os = "linux")]
mod watched {
    use std::process::{Command, Stdio};

    use super::*;

    const PROGRAM: &str = env!("CARGO_BIN_EXE_skc-under-test");

    /// Every command, in an order in which prerequisites are met.
    const COMMANDS: [&[&str]; 36] = [
        &["init"],
        &["init", "demo"],
        &["lint", "demo"],
        &["budget"],
        &["doctor", "--all"],
        &["build", "demo"],
        &[
            "build",
            "demo",
            "--copy",
            "--global",
            "--target",
            "claude,cursor",
        ],
        &["build", "dev/other"],
        &["list", "--check-obsolete"],
        &["outline", "demo"],
        &["search", "demo", "demo"],
        &["show", "demo", "--section", "Demo"],
        &["open", "demo", "SKILL.md"],
        &["sources", "demo"],
        &["catalog", "list"],
        &["catalog", "search", "demo"],
        &["catalog", "load", "demo"],
        &["catalog", "context"],
        &["catalog", "inspect"],
        &["catalog", "disable", "demo"],
        &["catalog", "enable", "demo"],
        &["catalog", "deny", "demo"],
        &["catalog", "deny", "demo", "--remove"],
        &["registry", "sync"],
        &["registry", "list", "--search", "demo"],
        &["registry", "get", "demo"],
        &["registry", "path"],
        &["plugin", "list"],
        &["plugin", "check"],
        &["plugin", "doc"],
        &["plugin", "new", "rule", "mine"],
        &["plugin", "test"],
        &["self", "check"],
        &["tour"],
        &["completions", "bash"],
        &["man", "build"],
    ];

    fn world() -> World {
        let world = World::new();
        let text = skillc_tests::MINIMAL.replace("name: demo", "name: other");
        world.directory("dev/other", &[("SKILL.md", &text)]);
        world
    }

    /// Creates a command that starts `skc` through another program.
    fn through(world: &World, wrapper: &[&str], args: &[&str]) -> Command {
        let plain = world.process(PROGRAM, args);
        let mut command = Command::new(wrapper[0]);
        command.args(&wrapper[1..]).arg(PROGRAM).args(args);
        command
            .current_dir(&world.cwd)
            .env_clear()
            .stdin(Stdio::null());
        command.envs(
            plain
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin");
        command
    }

    fn works(wrapper: &[&str]) -> bool {
        let run = Command::new(wrapper[0])
            .args(&wrapper[1..])
            .arg("true")
            .output();
        run.is_ok_and(|output| output.status.success())
    }

    /// C-COMPAT-OFFLINE.1, CAT-DISC.10.
    #[expect(clippy::print_stderr, reason = "a check that is skipped says so")]
    #[test]
    fn no_command_makes_a_network_call() {
        let log = tempfile::NamedTempFile::new().unwrap();
        let path = log.path().to_str().unwrap();
        let tracer = ["strace", "-f", "-qq", "-e", "trace=network", "-o", path];
        if !works(&tracer) {
            eprintln!("skipped: strace does not work");
            return;
        }
        let world = world();
        for command in COMMANDS {
            let output = through(&world, &tracer, command).output().unwrap();
            assert!(output.status.success(), "{command:?}: {output:?}");
            let trace = fs::read_to_string(path).unwrap();
            // A thread that exits while strace attaches leaves a line without a call.
            let calls: Vec<_> = trace
                .lines()
                .filter(|line| !line.contains("???("))
                .collect();
            assert!(calls.is_empty(), "{command:?}: {calls:?}");
        }
    }

    /// C-COMPAT-OFFLINE.1, C-COMPAT-OFFLINE.2.
    #[expect(clippy::print_stderr, reason = "a check that is skipped says so")]
    #[test]
    fn every_command_works_without_a_network() {
        let apart = ["unshare", "--map-root-user", "--net"];
        if !works(&apart) {
            eprintln!("skipped: network namespaces do not work");
            return;
        }
        let world = world();
        for command in COMMANDS {
            let output = through(&world, &apart, command).output().unwrap();
            assert!(output.status.success(), "{command:?}: {output:?}");
        }
    }
}
