//! The program under test: `skc`, unmodified.

fn main() -> std::process::ExitCode {
    skillc::main()
}
