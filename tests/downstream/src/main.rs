//! `skc` with one more search format and one more rule: name the crate, call `main`.

use skillc_downstream as _;

fn main() -> std::process::ExitCode {
    skillc::main()
}
