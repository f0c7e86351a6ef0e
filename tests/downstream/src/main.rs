//! `skc` with an additional indexer and rule: links this package's library and calls the `main` of skc.

use skillc_downstream as _;

fn main() -> std::process::ExitCode {
    skillc::main()
}
