//! The script that installs skc in the GitHub action: a downloaded program must match its checksum.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::ci::read;

/// Replaces `curl`: copies a file of the release from a folder, records the address, and prints the HTTP status. If
/// there is a file `broken`, all downloads fail with the exit status and the HTTP status in that file.
const CURL: &str = r#"#!/bin/sh
while [ $# -gt 1 ]; do [ "$1" = --output ] && out="$2"; shift; done
echo "$1" >>"$LOG"
if [ -e "$RELEASE/broken" ]; then
    read -r exit status <"$RELEASE/broken"
    printf %s "$status"
    exit "$exit"
fi
cp "$RELEASE/${1##*/}" "$out" 2>/dev/null || { printf 404; exit 22; }
printf 200
"#;

/// Replaces `cargo`: installs a program.
const CARGO: &str = r#"#!/bin/sh
echo "cargo $* in $(pwd)" >>"$LOG"
while [ $# -gt 1 ]; do [ "$1" = --root ] && root="$2"; shift; done
mkdir -p "$root/bin"
printf '#!/bin/sh\necho skc from source\n' >"$root/bin/skc"
chmod +x "$root/bin/skc"
"#;

/// Writes the files of a release: `sh -c RELEASE_FILES sh FOLDER NAME`.
const RELEASE_FILES: &str = r#"
set -e
cd "$1"
mkdir inner
printf '#!/bin/sh\necho skc 1.2.3\n' >inner/skc
chmod +x inner/skc
tar -czf "$2" inner
rm -r inner
{ sha256sum "$2" 2>/dev/null || shasum -a 256 "$2"; } >"$2.sha256"
"#;

const ARCHIVE: &str = "skc-1.2.3-x86_64-unknown-linux-musl.tar.gz";

/// A machine with `curl` and `cargo`, a checkout of version 1.2.3 of the action, and a release.
struct Machine {
    root: TempDir,
}

/// The output of the script, and the addresses and commands that it used.
struct Installed {
    is_success: bool,
    program: String,
    log: String,
    used: String,
}

impl Machine {
    fn new(repository: &str) -> Self {
        let machine = Self {
            root: TempDir::new().expect("a folder"),
        };
        let manifest = format!(
            "[workspace.package]\nversion = \"1.2.3\"\nrepository = \"{repository}\"\n\n[other]\nversion = \"9\"\n"
        );
        machine.write("checkout/Cargo.toml", &manifest);
        let script = read(".github/actions/skc-lint/install");
        machine.program("checkout/.github/actions/skc-lint/install", &script);
        machine.program("bin/curl", CURL);
        machine.program("bin/cargo", CARGO);
        machine.write("used", "");
        fs::create_dir(machine.path("release")).expect("a folder");
        let made = Command::new("/bin/sh")
            .args(["-c", RELEASE_FILES, "sh"])
            .arg(machine.path("release"))
            .arg(ARCHIVE)
            .status();
        assert!(made.expect("a shell").success());
        machine
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    fn program(&self, name: &str, text: &str) {
        self.write(name, text);
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(self.path(name), executable).expect("a program");
    }

    /// Runs the script with a version, which can be empty, on a runner with this processor.
    fn install(&self, version: &str, processor: &str) -> Installed {
        let path = format!("{}:/usr/bin:/bin", self.path("bin").display());
        let output = Command::new("bash")
            .arg(self.path("checkout/.github/actions/skc-lint/install"))
            .arg(version)
            .env("PATH", path)
            .env("RUNNER_OS", "Linux")
            .env("RUNNER_ARCH", processor)
            .env("RUNNER_TEMP", self.path("temp"))
            .env("RELEASE", self.path("release"))
            .env("LOG", self.path("used"))
            .output()
            .expect("bash");
        let text = |bytes| String::from_utf8(bytes).expect("text").trim().to_owned();
        Installed {
            is_success: output.status.success(),
            program: text(output.stdout),
            log: text(output.stderr),
            used: fs::read_to_string(self.path("used")).expect("a file"),
        }
    }
}

/// Runs a program and returns its output.
fn output(program: &str) -> String {
    assert!(Path::new(program).is_absolute(), "{program}");
    let output = Command::new(program).output().expect("a program");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn the_released_program_is_installed_once() {
    let machine = Machine::new("https://example.com/us/skillc");
    let first = machine.install("", "X64");
    assert!(first.is_success, "{}", first.log);
    assert_eq!(output(&first.program), "skc 1.2.3\n");
    let address = format!("https://example.com/us/skillc/releases/download/v1.2.3/{ARCHIVE}");
    assert_eq!(first.used, format!("{address}\n{address}.sha256\n"));
    let again = machine.install("1.2.3", "X64");
    assert_eq!((again.program, again.used), (first.program, first.used));
}

#[test]
fn a_program_with_another_checksum_is_refused() {
    let machine = Machine::new("https://example.com/us/skillc");
    machine.write(
        &format!("release/{ARCHIVE}.sha256"),
        &format!("00  {ARCHIVE}\n"),
    );
    for _ in 0..2 {
        let refused = machine.install("", "X64");
        assert!(!refused.is_success && refused.program.is_empty());
        assert!(
            refused.log.contains("but the release has 00"),
            "{}",
            refused.log
        );
        assert!(!refused.used.contains("cargo"), "{}", refused.used);
    }
}

#[test]
fn a_download_that_fails_is_an_error() {
    // Cases: the server fails, refuses or does not answer; the connection is interrupted.
    for (broken, status) in [
        ("22 503", "503"),
        ("22 403", "403"),
        ("6 000", "000"),
        ("18 200", "200"),
    ] {
        let machine = Machine::new("https://example.com/us/skillc");
        machine.write("release/broken", &format!("{broken}\n"));
        let failed = machine.install("", "X64");
        assert!(!failed.is_success && failed.program.is_empty(), "{broken}");
        let expected = format!("{ARCHIVE} failed (HTTP status {status})");
        assert!(failed.log.contains(&expected), "{}", failed.log);
        assert!(!failed.used.contains("cargo"), "{}", failed.used);
        fs::remove_file(machine.path("release/broken")).expect("a file");
        let again = machine.install("", "X64");
        assert!(again.is_success, "{}", again.log);
    }
}

#[test]
fn a_release_without_a_checksum_or_with_a_broken_archive_is_an_error() {
    let machine = Machine::new("https://example.com/us/skillc");
    let sum = machine.path(&format!("release/{ARCHIVE}.sha256"));
    fs::write(&sum, "").expect("a file");
    let empty = machine.install("", "X64");
    assert!(
        !empty.is_success && empty.log.contains("checksum"),
        "{}",
        empty.log
    );
    fs::remove_file(sum).expect("a file");
    let missing = machine.install("", "X64");
    let expected = format!("no checksum for {ARCHIVE}");
    assert!(
        !missing.is_success && missing.log.contains(&expected),
        "{}",
        missing.log
    );
    assert!(!missing.used.contains("cargo"), "{}", missing.used);

    let machine = Machine::new("https://example.com/us/skillc");
    machine.write(&format!("release/{ARCHIVE}"), "");
    // The checksum of an empty file.
    let sum = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    machine.write(
        &format!("release/{ARCHIVE}.sha256"),
        &format!("{sum}  {ARCHIVE}\n"),
    );
    let broken = machine.install("", "X64");
    assert!(
        !broken.is_success && broken.log.contains("cannot be unpacked"),
        "{}",
        broken.log
    );
    assert!(!broken.used.contains("cargo"), "{}", broken.used);
}

#[test]
fn without_a_released_program_the_sources_are_built() {
    let machine = Machine::new("https://example.com/us/skillc");
    let built = machine.install("", "ARM64");
    assert!(built.is_success, "{}", built.log);
    assert_eq!(output(&built.program), "skc from source\n");
    assert!(
        built.log.contains("building it from source"),
        "{}",
        built.log
    );
    assert!(
        built.used.contains("cargo install --locked --path "),
        "{}",
        built.used
    );
    // skc is not built inside the linted repository, because a rust-toolchain.toml there could choose the compiler.
    assert!(
        built.used.trim_end().ends_with("/checkout"),
        "{}",
        built.used
    );
    let placeholder = Machine::new("https://example.com/OWNER/skillc");
    let built = placeholder.install("", "X64");
    assert!(built.used.starts_with("cargo install"), "{}", built.used);
}

#[test]
fn a_version_that_is_neither_released_nor_here_is_refused() {
    let machine = Machine::new("https://example.com/us/skillc");
    let missing = machine.install("1.2.4", "X64");
    assert!(!missing.is_success && !missing.used.contains("cargo"));
    assert!(
        missing.log.contains("has the sources of 1.2.3"),
        "{}",
        missing.log
    );
    for version in ["1.2", "../1.2.3", "1.2.3/..", "v1.2.3", "1.2.3 --x"] {
        let refused = machine.install(version, "X64");
        assert!(!refused.is_success, "{version}");
        assert!(refused.log.contains("not a version"), "{}", refused.log);
    }
}
