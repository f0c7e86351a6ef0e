//! `skc` with one more indexer and one more rule: links the crate and calls `main`.

use skillc_downstream as _;

fn main() -> std::process::ExitCode {
    skillc::main()
}
