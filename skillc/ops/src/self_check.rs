//! `skc self check`: shows which program runs, how it was installed, and whether its folders are writable. The command
//! does not use the network or run other programs.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_core::layout::{Store, canonical};
use skillc_core::{Context, Result};

use crate::notes::Notes;
use crate::operation::{Example, Operation, Verdict};
use crate::toolkit::Toolkit;

/// The file names of the program in a folder of `PATH`.
const NAMES: &[&str] = if cfg!(windows) {
    &["skc.exe", "skc.cmd"]
} else {
    &["skc"]
};

/// Folders into which the system's package managers install programs.
const OF_SYSTEM: [&str; 5] = ["/usr/bin", "/bin", "/nix/store", "/opt/homebrew", "/snap"];

/// Arguments of `skc self check`: none.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct SelfCheckRequest {}

/// The running program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SelfCheckResponse {
    /// Its version
    pub version: String,
    /// Its path, with symlinks resolved; absent if the system does not report it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// How it was installed
    pub installed: Installation,
    /// Features that it was built with
    pub features: Vec<String>,
    /// Programs called skc in the folders of PATH, first match first
    pub on_path: Vec<String>,
    /// Folders and files that it uses
    pub places: Vec<UsedPlace>,
    /// What is wrong; empty if nothing is
    pub problems: Vec<String>,
}

/// How a program was installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Installation {
    /// By `cargo install`.
    Cargo,
    /// As a Python package.
    Wheel,
    /// As an npm package.
    Npm,
    /// As a system package.
    System,
    /// Not installed: it is in Cargo's build folder.
    Source,
    /// Unknown, for example because the program was copied.
    Unknown,
}

/// A folder or file that the program uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UsedPlace {
    /// What it is for: `folder`, `config` or `state`
    pub what: String,
    /// Its path
    pub path: String,
    /// Whether it exists
    pub exists: bool,
    /// Whether it can be written, or created
    pub writable: bool,
}

/// Implements `skc self check`.
pub struct SelfCheck;

impl Operation for SelfCheck {
    const NAME: &'static str = "self check";
    const ABOUT: &'static str = "Show which skc runs, how it was installed, and whether it works";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc self check",
            does: "version, path, features and folders",
        },
        Example {
            command: "skc self check -o json",
            does: "as JSON, for a bug report",
        },
    ];
    type Request = SelfCheckRequest;
    type Response = SelfCheckResponse;

    fn run(toolkit: &Toolkit, _: SelfCheckRequest, _: &mut Notes) -> Result<SelfCheckResponse> {
        let context = &toolkit.context;
        let program = context.program.as_deref().map(canonical);
        let others = on_path(context);
        let store = Store::global(context);
        let places = [
            ("folder", store.dir()),
            ("config", store.config()),
            ("state", store.state()),
        ];
        let places = places.map(|(what, path)| used(what, &path));
        let mut problems = Vec::new();
        if let (Some(program), Some(first)) = (&program, others.first())
            && !is_same(program, &canonical(first))
        {
            problems.push(format!(
                "'{}' comes first on PATH: 'skc' runs that program, not '{}'",
                first.display(),
                program.display()
            ));
        }
        let locked = places.iter().filter(|place| !place.writable);
        problems.extend(locked.map(|place| format!("'{}' cannot be written", place.path)));
        let installed = program.as_deref();
        let installed = installed.map(|program| installation(program, context));
        Ok(SelfCheckResponse {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            installed: installed.unwrap_or(Installation::Unknown),
            program: program.map(|program| program.display().to_string()),
            features: toolkit
                .features
                .iter()
                .map(|name| (*name).to_owned())
                .collect(),
            on_path: others
                .iter()
                .map(|path| path.display().to_string())
                .collect(),
            places: places.into(),
            problems,
        })
    }

    fn verdict(response: &SelfCheckResponse) -> Verdict {
        if response.problems.is_empty() {
            Verdict::Passed
        } else {
            Verdict::Failed
        }
    }
}

/// Returns the programs called `skc` in the folders of `PATH`, in order.
fn on_path(context: &Context) -> Vec<PathBuf> {
    let files = context.search_path().into_iter().flat_map(|dir| {
        let files = NAMES.iter().map(|name| dir.join(name));
        files.collect::<Vec<_>>()
    });
    files.filter(|file| is_program(file)).collect()
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    file.is_file() && rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}

/// Returns whether two programs belong to the same installation. If npm installed the program, the file on `PATH` is a
/// script that starts the program. The program is in the outermost `node_modules`. The script is in the same folder or,
/// in a global installation on Windows, beside it.
fn is_same(program: &Path, other: &Path) -> bool {
    let packages = |path: &Path| {
        let above = path.ancestors();
        let found = above.filter(|dir| dir.ends_with("node_modules")).last();
        found.map(Path::to_path_buf)
    };
    program == other
        || packages(program).is_some_and(|dir| {
            other.parent() == dir.parent() || packages(other).as_ref() == Some(&dir)
        })
}

/// Determines how a program was installed, from its canonical path and the files around it.
fn installation(program: &Path, context: &Context) -> Installation {
    // Cargo writes this file to its build folder, which can have any name.
    let is_built = |dir: &Path| dir.join(".rustc_info.json").is_file();
    let folder = program.parent().unwrap_or(program);
    let root = folder.parent().unwrap_or(folder);
    let cargo = context.env("CARGO_HOME").map(PathBuf::from);
    let cargo = cargo.unwrap_or_else(|| context.user_home.join(".cargo"));
    if program
        .iter()
        .any(|part| part == OsStr::new("node_modules"))
    {
        Installation::Npm
    } else if program.ancestors().any(is_built) {
        Installation::Source
    } else if has_python_package(root)
        || program
            .iter()
            .any(|part| part == OsStr::new("site-packages"))
    {
        Installation::Wheel
    } else if folder == canonical(&cargo.join("bin")) || root.join(".crates2.json").is_file() {
        Installation::Cargo
    } else if OF_SYSTEM.iter().any(|dir| folder.starts_with(dir)) {
        Installation::System
    } else {
        Installation::Unknown
    }
}

/// Returns whether a Python environment has the package `skillc`. `root`: the folder that contains `bin` or `Scripts`.
fn has_python_package(root: &Path) -> bool {
    let entries = |dir: &Path| {
        let entries = dir.read_dir().ok().into_iter().flatten().flatten();
        entries.map(|entry| entry.path())
    };
    let mut sites: Vec<PathBuf> = entries(&root.join("lib")).collect();
    sites.push(root.join("Lib"));
    let is_package = |path: PathBuf| {
        let name = path.file_name().and_then(OsStr::to_str);
        name.is_some_and(|name| name.starts_with("skillc-") && name.ends_with(".dist-info"))
    };
    let mut sites = sites.iter().map(|lib| lib.join("site-packages"));
    sites.any(|site| entries(&site).any(is_package))
}

fn used(what: &str, path: &Path) -> UsedPlace {
    let exists = path.exists();
    let there = path.ancestors().find(|above| above.exists());
    UsedPlace {
        what: what.to_owned(),
        path: path.display().to_string(),
        exists,
        writable: there.is_some_and(is_writable),
    }
}

#[cfg(unix)]
fn is_writable(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok()
}

#[cfg(not(unix))]
fn is_writable(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|found| !found.permissions().readonly())
}

#[cfg(test)]
mod tests {
    use super::*;

    use skillc_core::testkit::{context, write_files};

    #[test]
    fn the_place_of_a_program_tells_how_it_was_installed() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().canonicalize().unwrap();
        let files = [
            ".cargo/bin/skc",
            "crates/.crates2.json",
            "crates/bin/skc",
            "venv/bin/skc",
            "venv/lib/python3.12/site-packages/skillc-0.3.0.dist-info/METADATA",
            "other/lib/python3.12/site-packages/ruff-1.dist-info/METADATA",
            "other/bin/skc",
            "app/node_modules/@skillc/linux-x64/skc",
            "code/target/.rustc_info.json",
            "code/target/release/skc",
            "target/skc",
        ];
        write_files(&home, &files.map(|file| (file, "")));
        let context = context(&home, &home);
        for (path, expected) in [
            (".cargo/bin/skc", Installation::Cargo),
            ("crates/bin/skc", Installation::Cargo),
            ("venv/bin/skc", Installation::Wheel),
            ("other/bin/skc", Installation::Unknown),
            ("app/node_modules/@skillc/linux-x64/skc", Installation::Npm),
            ("code/target/release/skc", Installation::Source),
            ("target/skc", Installation::Unknown),
        ] {
            assert_eq!(installation(&home.join(path), &context), expected, "{path}");
        }
        let of_system = installation(Path::new("/usr/bin/skc"), &context);
        // If a distribution has installed the Python package here, this path belongs to that package.
        assert!(matches!(
            of_system,
            Installation::System | Installation::Wheel
        ));
    }

    #[test]
    fn a_script_of_npm_is_the_same_installation() {
        let [program, script, other] = [
            "/a/node_modules/@skillc/linux-x64/skc",
            "/a/node_modules/skillc/bin.js",
            "/b/node_modules/skillc/bin.js",
        ]
        .map(Path::new);
        assert!(is_same(program, script));
        assert!(!is_same(program, other));
        // pnpm nests the packages; npm on Windows writes a script beside the folder.
        let pnpm = "/a/node_modules/.pnpm/skillc@1.0.0/node_modules/@skillc/linux-x64/skc";
        assert!(is_same(
            Path::new(pnpm),
            Path::new("/a/node_modules/.bin/skc")
        ));
        assert!(is_same(program, Path::new("/a/skc.cmd")));
        assert!(!is_same(Path::new("/usr/bin/skc"), Path::new("/bin/skc")));
    }
}
