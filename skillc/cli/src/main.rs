//! The `skc` program.

fn main() -> std::process::ExitCode {
    skillc::main()
}
