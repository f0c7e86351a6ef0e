//! `skc` with one more indexer and one more rule: link the crate, call `main`.

use skillc_downstream as _;

fn main() -> std::process::ExitCode {
    skillc::main()
}
