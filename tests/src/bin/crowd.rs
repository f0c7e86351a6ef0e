//! One process of a load test: runs a `skc` command line repeatedly in-process, as fast as it can.
//!
//! Usage: `skc-crowd <times> <arguments of skc>…`. The exit status is the number of failed runs, at most 255.

use std::ffi::OsString;
use std::process::ExitCode;

use skillc::Io;
use skillc_core::Context;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    let times = args.next().and_then(|times| times.into_string().ok());
    let times: u32 = times
        .and_then(|times| times.parse().ok())
        .unwrap_or_default();
    let line: Vec<OsString> = [OsString::from("skc")].into_iter().chain(args).collect();
    let failed = (0..times).filter(|_| !succeeds(&line)).count();
    ExitCode::from(u8::try_from(failed).unwrap_or(u8::MAX))
}

fn succeeds(line: &[OsString]) -> bool {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut io = Io {
        out: &mut out,
        err: &mut err,
        out_is_styled: false,
        err_is_styled: false,
    };
    let Ok(context) = Context::from_process() else {
        return false;
    };
    skillc::run(line, &mut io, context) == ExitCode::SUCCESS && err.is_empty()
}
