//! `skc` with one more search format: name the crate, call `main`.

use skillc_downstream as _;

fn main() -> std::process::ExitCode {
    skillc::main()
}
