//! The program that the tests run: `skc` as it is.

fn main() -> std::process::ExitCode {
    skillc::main()
}
