//! Helpers for build scripts that generate the list of the modules or scripts in a folder, so that adding a plug-in
//! takes only one new file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Writes `$OUT_DIR/<name>.rs` with a `mod` declaration for each Rust file of a folder, sorted by name.
///
/// `folder`: a path relative to the package directory. The crate includes the generated file with
/// `include!(concat!(env!("OUT_DIR"), "/<name>.rs"));`.
///
/// # Errors
/// Returns an error if the folder cannot be read, the list cannot be written, or the program is not run as a build
/// script.
pub fn modules(folder: &str, name: &str) -> io::Result<()> {
    let package = variable("CARGO_MANIFEST_DIR")?;
    let out = variable("OUT_DIR")?;
    let folder = Path::new(&package).join(folder);
    println_cargo(&format!("rerun-if-changed={}", folder.display()));
    fs::write(
        Path::new(&out).join(format!("{name}.rs")),
        module_list(&folder)?,
    )
}

/// Writes `$OUT_DIR/<name>.rs` with a registration for each Rhai script of a folder, sorted by name: the scripts are
/// embedded in the program and never read from disk at run time.
///
/// For `folder` and the generated file, see [`modules`].
///
/// # Errors
/// Returns the errors of [`modules`].
pub fn scripts(folder: &str, name: &str) -> io::Result<()> {
    let package = variable("CARGO_MANIFEST_DIR")?;
    let out = variable("OUT_DIR")?;
    let full = Path::new(&package).join(folder);
    println_cargo(&format!("rerun-if-changed={}", full.display()));
    let line = |path: &PathBuf| {
        let shown = format!("{folder}/{}", path.file_name()?.to_str()?);
        let path = path.to_str()?;
        Some(format!(
            "skillc_script::embed_script! {{ {shown:?}, include_str!({path:?}) }}\n"
        ))
    };
    let list: String = files(&full, "rhai")?.iter().filter_map(line).collect();
    fs::write(Path::new(&out).join(format!("{name}.rs")), list)
}

fn files(folder: &Path, extension: &str) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in folder.read_dir()? {
        let path = entry?.path();
        if path.extension().is_some_and(|kind| kind == extension) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn module_list(folder: &Path) -> io::Result<String> {
    let line = |path: &Path| {
        Some(format!(
            "#[path = {:?}]\nmod {};\n",
            path.to_str()?,
            path.file_stem()?.to_str()?
        ))
    };
    let files = files(folder, "rs")?;
    Ok(files.iter().filter_map(|path| line(path)).collect())
}

#[expect(
    clippy::disallowed_methods,
    reason = "cargo talks to build scripts through the environment"
)]
fn variable(name: &str) -> io::Result<String> {
    std::env::var(name)
        .map_err(|_| io::Error::other(format!("{name} is not set: not in a build script")))
}

#[expect(
    clippy::print_stdout,
    reason = "cargo listens to a build script's output"
)]
fn println_cargo(text: &str) {
    println!("cargo:{text}");
}
